"""Combine the scores of several annotators into one human score per pair, and measure their agreement.

Also draw near misses as pairs to rate, and turn ratings into scores.
"""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd

from kp_core.errors import InputError
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.order import reaches
from kp_core.studies.correlation.coefficients import Correlation, Correlator

TieRule = Literal["low", "high", "mid"]
Unit = Literal["documents", "keyphrases", "pairs"]

COMBINATIONS = ("average", "majority")
TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)
_SCORE_PREFIX = "score_"
COLUMNS = ("pair_id", "doc_id", "keyphrase", "candidate")
_RATED = ("MORPH", "INCLUDE", "PARTOF", "OVERLAP")


def score_matrix(table: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of a long table (pair_id, annotator, score) or a wide one (pair_id, score_1, score_2, ...).

    One row per pair and one column per annotator, in the order of the table; NaN if an annotator did not score a pair.

    >>> score_matrix(pd.DataFrame({"pair_id": ["p", "q"], "score_1": [3, 0], "score_2": [4, None]})).to_numpy().tolist()
    [[3.0, 4.0], [0.0, nan]]
    """
    if not {"pair_id", "annotator", "score"} <= set(table):
        columns = [str(name) for name in table if _is_score_column(name)]
        if "pair_id" not in table or not columns:
            expected = f"columns pair_id, annotator, score, or pair_id and one column {_SCORE_PREFIX}… per annotator"
            raise InputError("judgements", ", ".join(map(str, table.columns)), expected, "Rename the columns.")
        table = table.melt("pair_id", columns, "annotator", "score")
        table["annotator"] = table["annotator"].str.removeprefix(_SCORE_PREFIX)
    twice = table[table.duplicated(["pair_id", "annotator"])]
    if len(twice):
        repeated = f"a second row for pair_id “{twice['pair_id'].iloc[0]}”, annotator “{twice['annotator'].iloc[0]}”"
        raise InputError("judgements", repeated, "one score per pair and annotator", "Remove one of them.")
    matrix = table.pivot(index="pair_id", columns="annotator", values="score").astype("float64")  # noqa: PD010
    return matrix.reindex(index=table["pair_id"].unique(), columns=table["annotator"].unique()).rename(columns=str)


def _is_score_column(name: object) -> bool:
    return str(name).startswith(_SCORE_PREFIX) and name != _SCORE_PREFIX


def pair_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per judged pair, in the order of `score_matrix`, with its phrases, document and labels."""
    columns = [name for name in table if name not in ("annotator", "score") and not _is_score_column(name)]
    return table.drop_duplicates("pair_id")[columns].reset_index(drop=True)


def sampling_unit(pairs: pd.DataFrame) -> tuple[Unit, list[str]]:
    """Return the unit of resampling, and the id of the unit of each row of `pair_table`.

    Pairs of the same document or keyphrase are not independent; the unit is the document if all pairs have a document,
    else the keyphrase if all have one, else the pair.

    >>> sampling_unit(pd.DataFrame({"pair_id": ["1", "2"], "doc_id": ["d", None], "keyphrase": ["a b", "a b"]}))
    ('keyphrases', ['a b', 'a b'])
    """
    columns: tuple[tuple[Unit, str], ...] = (("documents", "doc_id"), ("keyphrases", "keyphrase"))
    for unit, column in columns:
        if column in pairs and (pairs[column].fillna("") != "").all():
            return unit, pairs[column].astype(str).tolist()
    return "pairs", pairs["pair_id"].astype(str).tolist()


def average(scores: Floats) -> Floats:
    """Return the mean of the scores of each pair (…, R) → (…); NaN if nobody scored it."""
    scored = ~np.isnan(scores)
    count = scored.sum(axis=-1)
    return np.asarray(np.where(scored, scores, 0.0).sum(axis=-1) / np.where(count > 0, count, np.nan))


def majority(scores: Floats, ties: TieRule = "low") -> Floats:
    """Return the most frequent score of each pair (P, R) → (P,); ties go to the score nearest to the median.

    Remaining ties go to the lower score, the higher score, or the mean of the two.
    Source: Kim, Baldwin & Kan 2010, section 4, for mode and median; the last rule is ours, since theirs leaves ties.

    >>> [majority(np.array([[0.0, 1.0, 2.0, 4.0]]), rule).item() for rule in TIE_RULES]
    [1.0, 2.0, 1.5]
    """
    result, any_score = np.full(len(scores), np.nan), ~np.isnan(scores).all(axis=1)
    scores = scores[any_score]
    if len(scores):
        frequency = (scores[:, :, None] == scores[:, None, :]).sum(axis=2)  # NaN equals no value
        modes = ~np.isnan(scores) & (frequency == frequency.max(axis=1, keepdims=True))
        distance = np.where(modes, np.abs(scores - np.nanmedian(scores, axis=1, keepdims=True)), np.inf)
        nearest = modes & reaches(distance.min(axis=1, keepdims=True), distance)
        low = np.where(nearest, scores, np.inf).min(axis=1)
        high = np.where(nearest, scores, -np.inf).max(axis=1)
        result[any_score] = {"low": low, "high": high, "mid": (low + high) / 2}[ties]
    return result


def combine_scores(scores: Floats, ties: TieRule = "low") -> Floats:
    """Return the human score of each pair by each of `COMBINATIONS`, (P, R) → (P, 2)."""
    return np.stack([average(scores), majority(scores, ties)], axis=1)


class Ceiling:
    """The measure `human`: correlation of each annotator with the combined others, from scores (P, R).

    pairs (1, H) is the largest number of pairs of an annotator that the others also scored.
    Source: Kim, Baldwin & Kan 2010, section 4; the mean over annotators is arithmetic, without Fisher's z.
    """

    def __init__(
        self, scores: Floats, ties: TieRule = "low", name: Correlation = "spearman", included: Bools | None = None
    ):
        self._annotators = [
            Correlator(
                scores[:, [annotator]], combine_scores(np.delete(scores, annotator, axis=1), ties), name, included
            )
            for annotator in range(scores.shape[1])
        ]
        self.pairs = np.max([correlator.pairs for correlator in self._annotators], axis=0)

    def each(self, weights: Floats) -> Floats:
        """Return the correlation of each annotator (B, 1, H, R) under weights of all pairs (P, B)."""
        return np.stack([correlator.kernel(weights) for correlator in self._annotators], axis=-1)

    def kernel(self, weights: Floats) -> Floats:
        """Return the mean over annotators of the defined correlations (B, 1, H)."""
        return average(self.each(weights))

    def clusters(self, cluster: Ints) -> Ints:
        """Return the number of clusters (1, H) with a pair in the correlation of any annotator; `cluster`: (P,)."""
        rows = np.concatenate([correlator.rows for correlator in self._annotators])
        return np.full(self.pairs.shape, len(np.unique(cluster[rows])))


def ordinal_alpha(scores: Floats) -> float:
    """Return Krippendorff's alpha of scores (P, R) with the ordinal difference.

    NaN if all scores are equal, or no pair has two scores. Source: Krippendorff 2011, section E.
    """
    from krippendorff import alpha

    scored = ~np.isnan(scores)
    pairable = scored & (scored.sum(axis=1, keepdims=True) > 1)
    if len(np.unique(scores[pairable])) < 2:
        return float("nan")
    return float(alpha(np.where(pairable, scores, np.nan).T, level_of_measurement="ordinal"))


def quadratic_kappa(first: Floats, second: Floats) -> float:
    """Return Cohen's kappa with squared differences of the scores as weights, over pairs that both scored (P,).

    NaN if both give every pair the same score, or have no pair in common. Source: Cohen 1968.
    """
    scored_by_both = ~(np.isnan(first) | np.isnan(second))
    x, y = first[scored_by_both], second[scored_by_both]
    if not len(x):
        return float("nan")
    # mean of (x - y)² over all combinations of scores
    expected = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    return float(1 - ((x - y) ** 2).mean() / expected) if expected > 0 else float("nan")


def pairwise_agreement(scores: pd.DataFrame) -> pd.DataFrame:
    """Return one row per pair of annotators: phrase pairs that both scored, share of equal scores, quadratic kappa."""
    rows = []
    for (a, first), (b, second) in combinations(zip(scores.columns, scores.to_numpy().T, strict=True), 2):
        scored_by_both = ~(np.isnan(first) | np.isnan(second))
        equal = float((first == second)[scored_by_both].mean()) if scored_by_both.any() else float("nan")
        rows.append((a, b, int(scored_by_both.sum()), equal, quadratic_kappa(first, second)))
    return pd.DataFrame(rows, columns=["a", "b", "n", "equal", "kappa"])


def near_miss_pairs(predictions: pd.DataFrame, number: int, seed: int) -> pd.DataFrame:
    """Return up to `number` near misses of each type, drawn at random and shuffled, with the columns of `COLUMNS`.

    predictions is the frame of `NearMisses`. A pair has the same id in every draw, so that ratings can be combined.
    """
    rng = np.random.default_rng(seed)
    near_misses = predictions[predictions["type"].isin(_RATED)]
    near_misses = near_misses.rename(columns={"document": "doc_id", "phrase": "candidate"})
    near_misses = near_misses.drop_duplicates(["keyphrase", "candidate"])
    samples = []
    for kind in _RATED:
        rows = near_misses[near_misses["type"] == kind]
        samples.append(rows.iloc[np.sort(rng.permutation(len(rows))[:number])])
    pairs = pd.concat(samples)
    pairs = pairs.iloc[rng.permutation(len(pairs))]
    pairs["pair_id"] = [_name(*row) for row in pairs[["doc_id", "keyphrase", "candidate"]].itertuples(index=False)]
    return pairs[list(COLUMNS)].astype("str").reset_index(drop=True)


def rating_order(pairs: pd.DataFrame, rater: str) -> pd.DataFrame:
    """Return pairs in a fixed order that differs between raters.

    >>> pairs = pd.DataFrame({"pair_id": ["p", "q", "r"]})
    >>> rating_order(pairs, "ana")["pair_id"].tolist(), rating_order(pairs, "max")["pair_id"].tolist()
    (['p', 'r', 'q'], ['q', 'p', 'r'])
    """
    return pairs.sort_values("pair_id", key=lambda ids: [_name(rater, pair_id) for pair_id in ids], ignore_index=True)


def _name(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def with_ratings(judgements: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Return loaded judgments with later ratings; a person's later score of a pair replaces the earlier score."""
    combined = pd.concat([judgements, ratings], ignore_index=True) if len(ratings) else judgements
    return combined.drop_duplicates(["pair_id", "annotator"], keep="last", ignore_index=True)
