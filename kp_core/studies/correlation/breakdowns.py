"""Label judged pairs, divide them into named subsets, and compare pooled correlations with those within subsets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, memoize, whole_texts
from kp_core.scoring.codes import Bools, Floats
from kp_core.similarity.tokens import Phrases, Tokenization
from kp_core.studies import WORDS
from kp_core.text.tags import keyphrase_classes

#: Breakdown → property that defines the subsets.
BREAKDOWNS: dict[str, str] = WORDS["breakdowns"]
DEFAULT_BY = ("location", "complexity", "pos")
#: Known label → its position; other labels follow, sorted by name.
_ORDER: dict[str, int] = {name: index for index, name in enumerate(WORDS["label_order"]["labels"])}
#: Near-miss types in which one phrase is a contiguous part of the other.
CONTIGUOUS = ("INCLUDE", "PARTOF")


def word_counts(phrases: pd.DataFrame) -> Floats:
    """Return the numbers of words of keyphrase and candidate (P, 2), including function words."""
    sides = [Phrases(phrases[name].tolist(), Tokenization()).words.length for name in ("keyphrase", "candidate")]
    return np.stack(sides, axis=1).astype(np.float64)


def label(
    related: pd.DataFrame, phrases: pd.DataFrame, pairs: pd.DataFrame, corpus: Corpus, by: Sequence[str]
) -> pd.DataFrame:
    """Return one column per breakdown; columns of the file take precedence over computed columns.

    related has one row per pair with the relation of its phrases (see `describe`); pairs are the rows of the file.
    """
    words = word_counts(phrases)
    labels = related[["type", "location", "complexity"]].copy()
    labels["side"] = np.array(["shorter", "equal", "longer"])[1 + np.sign(words[:, 1] - words[:, 0]).astype(int)]
    labels["length"] = [str(int(length)) if length < 4 else "4+" for length in words[:, 0].tolist()]
    if "pos" in by:
        given_tags = [None if tag != tag else str(tag) for tag in pairs["pos"].tolist()] if "pos" in pairs else None
        tagged, texts = phrases["keyphrase"].tolist(), whole_texts(corpus.documents)
        key = tuple(tagged), given_tags and tuple(given_tags)
        classes = memoize(corpus, "classes of keyphrases", key, lambda: keyphrase_classes(tagged, texts, given_tags))
        labels["pos"], labels["pos_source"] = zip(*classes, strict=True)
    if "doc_id" in pairs and (corpus.documents["group"].fillna("") != "").any():
        groups = corpus.documents.set_index("doc_id")["group"]
        labels["group"] = groups.reindex(pairs["doc_id"]).fillna("").to_numpy()
    for name in ("location", "complexity", "group"):
        if name in pairs:
            labels[name] = pairs[name].fillna("").astype(str).to_numpy()
    return labels


def paper_labels(labels: pd.DataFrame) -> pd.DataFrame:
    """Return labels grouped as in Kim, Baldwin & Kan 2010: First+Head as Head, PP+CC as PP, other tags hidden."""
    return labels.replace({column: changes for column, changes in WORDS["paper_labels"].items() if column in labels})


def subsets(words: Floats, labels: pd.DataFrame) -> dict[str, Bools]:
    """Return subset → mask of pairs (P,): `all`, `L<=4`, `L<=3`, and one subset per value of each column of labels.

    words (P,) are the lengths of the keyphrases. A pair without a label is in no subset of that column.

    >>> masks = subsets(np.array([2.0, 4, 5]), pd.DataFrame({"location": ["Head", "First", None]}))
    >>> {name: int(mask.sum()) for name, mask in masks.items()}
    {'all': 3, 'L<=4': 2, 'L<=3': 1, 'location:First': 1, 'location:Head': 1}
    """
    masks = {"all": np.ones(len(words), bool), "L<=4": words <= 4, "L<=3": words <= 3}
    for column in labels:
        labels_of_pairs = labels[column].fillna("").astype(str)
        for value in sorted({*labels_of_pairs} - {""}, key=lambda name: (_ORDER.get(name, len(_ORDER)), name)):
            masks[f"{column}:{value}"] = (labels_of_pairs == value).to_numpy()
    return masks


def exceeds_overall(frame: pd.DataFrame) -> Bools:
    """Return a mask (R,) of correlations that exceed their measure's value over all pairs (bold in the paper)."""
    whole = frame[frame["subset"] == "all"].set_index(["measure", "average"])["value"]
    limits = whole.reindex(pd.MultiIndex.from_frame(frame[["measure", "average"]]))
    return np.asarray(frame["value"].to_numpy() > limits.to_numpy())


def pooled_and_within(frame: pd.DataFrame, breakdown: str) -> pd.DataFrame:
    """Return one row per measure: the pooled correlation, and the mean within subsets, weighted by number of pairs.

    If they differ greatly, the pooled value is due to differences between subsets (Simpson's paradox). Subsets with
    undefined values are left out and counted.
    """
    rows = []
    parts = frame[frame["subset"].str.startswith(f"{breakdown}:")]
    for row in frame[frame["subset"] == "all"].itertuples():
        measure_rows = parts[(parts["measure"] == row.measure) & (parts["average"] == row.average)]
        defined = measure_rows[measure_rows["value"].notna()]
        total = int(defined["n"].sum())
        within = float((defined["value"] * defined["n"]).sum() / total) if total else float("nan")
        rows.append((row.measure, row.average, row.value, within, total, len(measure_rows) - len(defined)))
    return pd.DataFrame(rows, columns=["measure", "average", "pooled", "within", "n", "undefined"])
