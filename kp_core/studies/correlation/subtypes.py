"""Turn lengths and labels of judged pairs into named subsets, and their correlations into a guard against pooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kp_core.scoring.codes import Bools, Floats

#: The order in which known labels stand; others follow by name.
_ORDER = (
    "First",
    "Middle",
    "Head",
    "First+Head",
    "Simple",
    "PP",
    "CC",
    "PP+CC",
    "AdjN",
    "NN",
    "other",
    "EXACT",
    "MORPH",
    "INCLUDE",
    "PARTOF",
    "OVERLAP",
    "NONE",
    "shorter",
    "equal",
    "longer",
)
#: What Kim, Baldwin & Kan 2010 report: every pair has one location and one complexity, other tags are left out.
_PAPER: dict[str, dict[str, str]] = {
    "location": {"First+Head": "Head"},
    "complexity": {"PP+CC": "PP"},
    "pos": {"other": ""},
}
#: Near-miss types in which one phrase is a contiguous part of the other.
CONTIGUOUS = ("INCLUDE", "PARTOF")


@dataclass(frozen=True)
class Subset:
    """A name as rows print it, such as `L<=4` or `location:First`, and the pairs it holds (P,)."""

    name: str
    used: Bools


def subsets(size: int, lengths: Floats | None = None, labels: pd.DataFrame | None = None) -> list[Subset]:
    """Return `all`, then `L<=4` and `L<=3` where lengths (P,) are given, then one subset a value of every label column.

    Lengths are tokens of the keyphrase, function words counted. A pair without a label (missing or empty) is in no
    subset of that column.

    >>> found = subsets(3, np.array([2.0, 4, 5]), pd.DataFrame({"location": ["Head", "First", None]}))
    >>> [(subset.name, int(subset.used.sum())) for subset in found]
    [('all', 3), ('L<=4', 2), ('L<=3', 1), ('location:First', 1), ('location:Head', 1)]
    """
    found = [Subset("all", np.ones(size, bool))]
    if lengths is not None:
        found += [Subset(f"L<={limit}", lengths <= limit) for limit in (4, 3)]
    for column in [] if labels is None else map(str, labels.columns):
        given = labels[column].fillna("").astype(str) if labels is not None else pd.Series(dtype=str)
        for value in sorted({*given} - {""}, key=_place):
            found.append(Subset(f"{column}:{value}", (given == value).to_numpy()))
    return found


def _place(value: str) -> tuple[int, str]:
    return (_ORDER.index(value) if value in _ORDER else len(_ORDER), value)


def length_labels(lengths: Floats) -> list[str]:
    """Return the labels 1, 2, 3 or 4+ of lengths in tokens, for results by length.

    >>> length_labels(np.array([1.0, 3, 4, 7]))
    ['1', '3', '4+', '4+']
    """
    return [str(int(length)) if length < 4 else "4+" for length in lengths.tolist()]


def side_labels(keyphrase: Floats, candidate: Floats) -> list[str]:
    """Return whether the candidate is shorter or longer than the keyphrase, or equal in tokens.

    >>> side_labels(np.array([2.0, 2, 2]), np.array([1.0, 2, 3]))
    ['shorter', 'equal', 'longer']
    """
    return [("shorter", "equal", "longer")[1 + int(sign)] for sign in np.sign(candidate - keyphrase).tolist()]


def paper_labels(labels: pd.DataFrame) -> pd.DataFrame:
    """Return labels as Kim, Baldwin & Kan 2010 group them: First+Head is Head, PP+CC is PP, other tags are hidden.

    >>> paper_labels(pd.DataFrame({"location": ["First+Head", "First"], "pos": ["NN", "other"]})).to_numpy().tolist()
    [['Head', 'NN'], ['First', '']]
    """
    found = labels.astype(object)
    for column, changes in _PAPER.items():
        if column in found:
            found[column] = [changes.get(value, value) for value in found[column].tolist()]
    return found


def paper_pairs(types: Sequence[str]) -> Bools:
    """Return which pairs Kim, Baldwin & Kan 2010 judged, by near-miss type (P,): contiguous near misses only."""
    return np.isin(np.asarray(types, dtype=str), CONTIGUOUS)


def exceeds_all(frame: pd.DataFrame, human: bool = False) -> Bools:
    """Tell which rows of a correlation frame exceed the value of the same measure over all pairs: bold in the paper.

    With `human`, the value to exceed is that of the human ceiling over all pairs; the paper's text allows both.
    """
    whole = frame[frame["subset"] == "all"].set_index(["measure", "average"])["value"]
    keys = zip(["human"] * len(frame) if human else frame["measure"], frame["average"], strict=True)
    limits = whole.reindex(pd.MultiIndex.from_tuples(keys, names=["measure", "average"]))
    return np.asarray(frame["value"].to_numpy() > limits.to_numpy())


def pooled_and_within(frame: pd.DataFrame, breakdown: str) -> pd.DataFrame:
    """Return a row a measure: the pooled correlation beside the mean of its subsets weighted by their pairs.

    Where both differ much, the pooled value comes from differences between the subsets (Simpson's paradox).
    `breakdown` is a label column, such as `location`; undefined subsets are left out and counted.
    """
    rows = []
    parts = frame[frame["subset"].str.startswith(f"{breakdown}:")]
    for row in frame[frame["subset"] == "all"].itertuples():
        these = parts[(parts["measure"] == row.measure) & (parts["average"] == row.average)]
        values, weights = these["value"].to_numpy(float), these["n"].to_numpy(float)
        defined = ~np.isnan(values)
        total = weights[defined].sum()
        within = float(values[defined] @ weights[defined] / total) if total else float("nan")
        rows.append((row.measure, row.average, row.value, within, int(total), int((~defined).sum())))
    return pd.DataFrame(rows, columns=["measure", "average", "pooled", "within", "n", "undefined"])
