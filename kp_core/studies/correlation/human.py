"""Turn scores of several annotators into one matrix, and into one human score a pair: average or majority."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from kp_core.errors import InputError, UsageError
from kp_core.scoring.codes import Bools, Floats

Combination = Literal["average", "majority"]
TieRule = Literal["low", "high", "mid"]
Unit = Literal["documents", "keyphrases", "pairs"]

COMBINATIONS: tuple[Combination, ...] = ("average", "majority")
TIE_RULES: tuple[TieRule, ...] = ("low", "high", "mid")
_WIDE = re.compile(r"score_(.+)")


@dataclass(frozen=True)
class Scores:
    """Scores of P pairs by R annotators: matrix (P, R), NaN where an annotator did not score a pair."""

    pairs: tuple[str, ...]
    annotators: tuple[str, ...]
    matrix: Floats


def score_matrix(table: pd.DataFrame) -> Scores:
    """Return the scores of a long table (pair_id, annotator, score) or a wide one (pair_id, score_1, score_2, ...).

    Pairs and annotators keep the order in which they first stand in the table.

    >>> score_matrix(pd.DataFrame({"pair_id": ["p", "q"], "score_1": [3, 0], "score_2": [4, None]})).matrix.tolist()
    [[3.0, 4.0], [0.0, nan]]
    """
    if {"pair_id", "annotator", "score"} <= set(table):
        return _from_long(table)
    judges = {name: found.group(1) for name in map(str, table.columns) if (found := _WIDE.fullmatch(name))}
    if "pair_id" not in table or not judges:
        expected = "columns pair_id, annotator, score, or pair_id and one column score_… an annotator"
        raise InputError("judgements", ", ".join(map(str, table.columns)), expected, "Rename the columns.")
    _refuse_repeated(table["pair_id"].duplicated(), table, ("pair_id",))
    values = table[list(judges)].to_numpy(np.float64, na_value=np.nan)
    return Scores(tuple(table["pair_id"].astype(str)), tuple(judges.values()), values)


def _from_long(table: pd.DataFrame) -> Scores:
    _refuse_repeated(table.duplicated(["pair_id", "annotator"]), table, ("pair_id", "annotator"))
    pair, pairs = pd.factorize(table["pair_id"])
    annotator, annotators = pd.factorize(table["annotator"])
    values = np.full((len(pairs), len(annotators)), np.nan)
    values[pair, annotator] = table["score"].to_numpy(np.float64, na_value=np.nan)
    return Scores(tuple(map(str, pairs)), tuple(map(str, annotators)), values)


def _refuse_repeated(again: pd.Series, table: pd.DataFrame, names: tuple[str, ...]) -> None:
    if again.any():
        row = table[again].iloc[0]
        found = "a second row for " + ", ".join(f"{name} “{row[name]}”" for name in names)
        raise InputError("judgements", found, "one score a pair and annotator", "Remove one of them.")


def pair_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row a judged pair, in the order of `score_matrix`: its phrases, document and given labels."""
    own = [name for name in table if name not in ("annotator", "score") and not _WIDE.fullmatch(str(name))]
    return table.drop_duplicates("pair_id")[own].reset_index(drop=True)


def sampling_unit(pairs: pd.DataFrame) -> tuple[Unit, list[str]]:
    """Return what is to be resampled and its id for each row of `pair_table`: documents, keyphrases, or pairs.

    Pairs of one document are not independent, nor those of one keyphrase; the first of both that all pairs have counts.

    >>> sampling_unit(pd.DataFrame({"pair_id": ["1", "2"], "doc_id": ["d", None], "keyphrase": ["a b", "a b"]}))
    ('keyphrases', ['a b', 'a b'])
    """
    columns: tuple[tuple[Unit, str], ...] = (("documents", "doc_id"), ("keyphrases", "keyphrase"))
    for unit, column in columns:
        if column in pairs and (pairs[column].fillna("") != "").all():
            return unit, pairs[column].astype(str).tolist()
    return "pairs", pairs["pair_id"].astype(str).tolist()


def average(scores: Floats) -> Floats:
    """Return the mean of the scores present of each pair (P, R) → (P,); NaN where nobody scored.

    >>> average(np.array([[1.0, 2.0, np.nan], [np.nan, np.nan, np.nan]])).tolist()
    [1.5, nan]
    """
    given = ~np.isnan(scores)
    count = given.sum(axis=1)
    return np.where(count > 0, np.where(given, scores, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan)


def _tied_range(scores: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and highest mode nearest to the median of each pair; at most two distinct values are left."""
    given = ~np.isnan(scores)
    anyone = given.any(axis=1)
    frequency = (scores[:, :, None] == scores[:, None, :]).sum(axis=2)  # NaN equals nothing
    modes = given & (frequency == frequency.max(axis=1, keepdims=True, initial=0))
    median = np.full(len(scores), np.nan)
    if anyone.any():
        median[anyone] = np.nanmedian(scores[anyone], axis=1)
    # scores of 1/3 and 2/3 lie equally far from their mean, but for the last bit
    distance = np.where(modes, np.round(np.abs(scores - median[:, None]), 12), np.inf)
    nearest = modes & (distance == distance.min(axis=1, keepdims=True, initial=np.inf))
    low = np.where(nearest, scores, np.inf).min(axis=1, initial=np.inf)
    high = np.where(nearest, scores, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(anyone, low, np.nan), np.where(anyone, high, np.nan)


def majority(scores: Floats, ties: TieRule = "low") -> Floats:
    """Return the most frequent score of each pair (P, R) → (P,), of several the one nearest to their median.

    What is still tied goes to the lower or higher score, or to the middle of both.
    Source: Kim, Baldwin & Kan 2010, section 4, for mode and median; the last rule is ours, as theirs leaves ties.

    >>> scores = np.array([[0.0, 1.0, 2.0, 4.0]])  # every score once, median 1.5
    >>> [majority(scores, rule).item() for rule in TIE_RULES]
    [1.0, 2.0, 1.5]
    """
    low, high = _tied_range(scores)
    if ties not in TIE_RULES:
        raise UsageError(f"there is no tie rule '{ties}'; choose one of: {', '.join(TIE_RULES)}")
    return {"low": low, "high": high, "mid": (low + high) / 2}[ties]


def still_tied(scores: Floats) -> Bools:
    """Tell which pairs (P,) need the last tie rule of `majority`, because mode and median leave two scores.

    >>> still_tied(np.array([[1.0, 1.0, 3.0, 3.0], [1.0, 1.0, 1.0, 3.0]])).tolist()
    [True, False]
    """
    low, high = _tied_range(scores)
    return np.asarray(high > low)


def combine(scores: Floats, how: Combination, ties: TieRule = "low") -> Floats:
    """Return one human score a pair (P, R) → (P,), by average or by majority."""
    if how not in COMBINATIONS:
        raise UsageError(f"scores are not combined by '{how}'; choose one of: {', '.join(COMBINATIONS)}")
    return average(scores) if how == "average" else majority(scores, ties)
