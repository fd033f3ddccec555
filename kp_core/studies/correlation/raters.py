"""Turn scores of annotators into their agreement: leave-one-out correlation, ordinal alpha, weighted kappa."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies.correlation.coefficients import Part, correlations, parts, under_weights
from kp_core.studies.correlation.human import Combination, Scores, TieRule, combine
from kp_core.studies.correlation.weighted import Correlation


@dataclass(frozen=True)
class LeaveOneOut:
    """Correlation of each of R annotators with the combination of the others.

    values (R,), NaN where undefined; pairs (R,) that both sides scored; mean of the defined values: the human ceiling
    """

    values: Floats
    pairs: Ints
    mean: float


def _others(scores: Floats, annotator: int, hows: tuple[Combination, ...], ties: TieRule) -> Floats:
    rest = np.delete(scores, annotator, axis=1)
    return np.stack([combine(rest, how, ties) for how in hows], axis=1)


def leave_one_out(
    scores: Floats,
    how: Combination = "average",
    ties: TieRule = "low",
    name: Correlation = "spearman",
    used: Bools | None = None,
) -> LeaveOneOut:
    """Return how well each annotator agrees with the others together, from scores (P, R): the measure `human`.

    Source: Kim, Baldwin & Kan 2010, section 4; the mean over annotators is the plain one, without Fisher's z.

    >>> leave_one_out(np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])).values.tolist()
    [0.5, 0.5]
    """
    values, pairs = [], []
    for annotator in range(scores.shape[1]):
        value, n = correlations(scores[:, [annotator]], _others(scores, annotator, (how,), ties), name, used)
        values.append(value[0, 0])
        pairs.append(n[0, 0])
    return LeaveOneOut(np.array(values), np.array(pairs), float(mean_defined(np.array([values]))[0]))


def mean_defined(values: Floats) -> Floats:
    """Return the mean of the defined values of each row (B, R) → (B,); NaN where none is."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=1)
    return np.where(count > 0, np.where(defined, values, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan)


@dataclass(frozen=True)
class Ceiling:
    """The leave-one-out correlation under weights: one list of parts an annotator, and how many combinations."""

    annotators: tuple[list[Part], ...]
    combinations: int

    def under(self, weights: Floats) -> Floats:
        """Return the mean over annotators (B, H) under weights of all pairs (P, B)."""
        found = [under_weights(each, weights, (1, self.combinations))[:, 0] for each in self.annotators]
        each = np.stack(found, axis=2) if found else np.full((weights.shape[1], self.combinations, 1), np.nan)
        return np.stack([mean_defined(each[:, how]) for how in range(self.combinations)], axis=1)

    @property
    def rows(self) -> Ints:
        """The pairs that are in the correlation of at least one annotator."""
        every = [part.rows for each in self.annotators for part in each]
        return np.unique(np.concatenate(every)) if every else np.empty(0, np.int64)

    @property
    def pairs(self) -> int:
        """Number of pairs in the correlation of at least one annotator."""
        return len(self.rows)


def ceiling(scores: Floats, hows: tuple[Combination, ...], ties: TieRule, used: Bools, name: Correlation) -> Ceiling:
    """Prepare the leave-one-out correlation of scores (P, R) over the used pairs (P,) for resampling."""
    return Ceiling(
        tuple(
            parts(scores[:, [annotator]], _others(scores, annotator, hows, ties), used, name)
            for annotator in range(scores.shape[1])
        ),
        len(hows),
    )


def ordinal_alpha(scores: Floats) -> float:
    """Return Krippendorff's alpha of scores (P, R) with the ordinal difference; pairs with one score do not count.

    alpha = 1 - observed / expected disagreement; NaN where all scores are the same, or no pair has two.
    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section E.

    >>> round(ordinal_alpha(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [1.0, 2.0]])), 4)
    0.79
    """
    given = ~np.isnan(scores)
    pairable = given & (given.sum(axis=1, keepdims=True) > 1)
    if not pairable.any():
        return float("nan")
    values, coded = np.unique(scores[pairable], return_inverse=True)
    counts = np.zeros((len(scores), len(values)))
    np.add.at(counts, (np.nonzero(pairable)[0], coded), 1)
    counts = counts[pairable.any(axis=1)]
    weights = 1 / (counts.sum(axis=1) - 1)
    coincidences = counts.T @ (counts * weights[:, None]) - np.diag(weights @ counts)
    totals = coincidences.sum(axis=0)
    middle = np.cumsum(totals) - totals / 2
    difference = (middle[:, None] - middle) ** 2
    expected = totals @ difference @ totals / (totals.sum() - 1)
    return float(1 - (coincidences * difference).sum() / expected) if expected > 0 else float("nan")


def quadratic_kappa(first: Floats, second: Floats) -> float:
    """Return Cohen's kappa with squared differences of the scores as weights, over pairs that both scored (P,).

    NaN where both give one and the same score throughout, or share no pair. Source: Cohen 1968.

    >>> quadratic_kappa(np.array([0.0, 1, 2, 2]), np.array([0.0, 2, 1, 2]))
    0.6363636363636364
    """
    both = ~(np.isnan(first) | np.isnan(second))
    x, y = first[both], second[both]
    if not len(x):
        return float("nan")
    # mean of (x - y)² over all combinations of a score of one and a score of the other
    expected = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    return float(1 - ((x - y) ** 2).mean() / expected) if expected > 0 else float("nan")


def pairwise_agreement(scores: Scores) -> pd.DataFrame:
    """Return one row a pair of annotators: pairs both scored, share of equal scores, quadratic weighted kappa."""
    rows = []
    for a, b in combinations(range(len(scores.annotators)), 2):
        first, second = scores.matrix[:, a], scores.matrix[:, b]
        both = ~(np.isnan(first) | np.isnan(second))
        equal = float((first == second)[both].mean()) if both.any() else float("nan")
        rows.append(
            (scores.annotators[a], scores.annotators[b], int(both.sum()), equal, quadratic_kappa(first, second))
        )
    return pd.DataFrame(rows, columns=["a", "b", "n", "equal", "kappa"])


def exact_agreement(scores: Floats, size: int = 2) -> float:
    """Return the share of pairs on which `size` annotators give the same score, over all such groups of annotators.

    A group counts on the pairs that all of it scored; NaN where there is none. Source: Kim, Baldwin & Kan 2010 report
    55 to 70 % for two and 25 to 35 % for three of four annotators.

    >>> round(exact_agreement(np.array([[1.0, 1, 2], [3, 3, 3]])), 4)  # pair 1: one of three groups, pair 2: all
    0.6667
    """
    equal = scored = 0
    for group in combinations(range(scores.shape[1]), size):
        some = scores[:, group]
        some = some[~np.isnan(some).any(axis=1)]
        equal += int((some == some[:, :1]).all(axis=1).sum())
        scored += len(some)
    return equal / scored if scored else float("nan")
