"""Turn columns of measures and human scores, with gaps, into correlations, the reason of undefined ones, intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies.correlation.weighted import KERNELS, Correlation, Kernel, comparable

#: Resamples at a time: the arrays of one block stay in the processor's cache; Kendall compares cells by matrix
#: products, which want larger ones.
BLOCK_CELLS = {"spearman": 100_000, "pearson": 100_000, "kendall": 4_000_000}


@dataclass(frozen=True)
class _Part:
    """Columns that are defined on the same pairs: which pairs, which measures and human scores, and their kernel."""

    rows: Ints
    measures: Ints
    human: Ints
    kernel: Kernel


class Correlator:
    """Correlations of measures (P, M) with human scores (P, H), each over the used pairs (P,) that have both.

    pairs (M, H) is the number of these pairs; values are NaN with fewer than three of them or where a side is constant.
    """

    def __init__(
        self, measures: Floats, human: Floats, name: Correlation = "spearman", used: Bools | None = None
    ) -> None:
        """Group the columns by their gaps."""
        self._shape = (measures.shape[1], human.shape[1])
        self._parts = []
        for defined, columns in _by_gaps(measures):
            for judged, targets in _by_gaps(human):
                rows = np.flatnonzero(defined & judged if used is None else defined & judged & used)
                if len(rows):
                    under = KERNELS[name](measures[np.ix_(rows, columns)], human[np.ix_(rows, targets)])
                    self._parts.append(_Part(rows, columns, targets, under))
        self.pairs = self.clusters(np.arange(len(measures)))

    def under(self, weights: Floats) -> Floats:
        """Return the correlations (B, M, H) under weights of all pairs (P, B)."""
        values = np.full((weights.shape[1], *self._shape), np.nan)
        for part in self._parts:
            rows = weights if len(part.rows) == len(weights) else weights[part.rows]
            values[:, part.measures[:, None], part.human] = part.kernel(rows)
        return values

    def clusters(self, cluster: Ints) -> Ints:
        """Return how many of the clusters of the pairs (P,) are behind each correlation, (M, H)."""
        counts = np.zeros(self._shape, np.int64)
        for part in self._parts:
            counts[part.measures[:, None], part.human] = len(np.unique(cluster[part.rows]))
        return counts

    @property
    def rows(self) -> Ints:
        """The pairs that are in at least one correlation."""
        return np.unique(np.concatenate([np.empty(0, np.int64), *(part.rows for part in self._parts)]))


def _by_gaps(values: Floats) -> Iterator[tuple[Bools, Ints]]:
    """Give each pattern of gaps (P,) with the columns (K,) that have it."""
    patterns, pattern = np.unique(~np.isnan(values), axis=1, return_inverse=True)
    for place in range(patterns.shape[1]):
        yield patterns[:, place], np.flatnonzero(pattern.ravel() == place)


def correlations(measures: Floats, human: Floats, name: Correlation = "spearman") -> Floats:
    """Return the correlation of every measure (P, M) with every human score (P, H), (M, H).

    >>> correlations(np.array([[1.0], [2], [3], [np.nan]]), np.array([[1.0], [3], [2], [9]])).round(2).tolist()
    [[0.5]]
    """
    return np.asarray(Correlator(measures, human, name).under(np.ones((len(measures), 1)))[0])


def correlation(measure: Floats, human: Floats, name: Correlation = "spearman") -> float:
    """Return the correlation of two columns (P,), over the pairs that have both.

    >>> round(correlation(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), "kendall"), 4)
    0.3333
    """
    return float(correlations(measure[:, None], human[:, None], name)[0, 0])


def reasons(values: Floats, pairs: Ints) -> NDArray[np.object_]:
    """Return why each value is undefined, a key of REASONS: too_few pairs, or a constant side; None if defined."""
    reason = np.where(pairs < 3, "too_few", "constant").astype(object)
    reason[~np.isnan(values)] = None
    return reason


def resampled(
    under: Callable[[Floats], Floats], cluster: Ints, weights: Floats, name: Correlation = "spearman"
) -> Floats:
    """Return a function of the weights of all pairs, (P, b) → (b, …), under bootstrap weights of clusters (B, C).

    cluster (P,) is the cluster of each pair. The function sees a block of resamples at a time.
    """
    step = max(8, BLOCK_CELLS[name] // max(len(cluster), 1))
    blocks = [weights[begin : begin + step].T for begin in range(0, len(weights), step)]
    return np.concatenate([under(np.ascontiguousarray(block)[cluster]) for block in blocks])


def closed_form(value: Floats, pairs: Ints | Floats, name: Correlation = "spearman") -> tuple[Floats, Floats]:
    """Return the 95 % interval tanh(atanh r ± z·se); pairs count as independent, so it is a quick check only.

    se² = 1 / (n - 3) for Pearson, (1 + r²/2) / (n - 3) for Spearman, .437 / (n - 4) for Kendall.
    Source: Fisher 1915; Bonett & Wright 2000; Fieller, Hartley & Pearson 1957.

    >>> low, high = closed_form(np.array([0.5]), np.array([28]), "pearson")
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.16], [0.74])
    """
    lost = 4 if name == "kendall" else 3
    free = np.where(pairs > lost, pairs - lost, np.nan)
    squared = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[name] / free
    half = 1.959963984540054 * np.sqrt(squared)
    with np.errstate(divide="ignore"):  # of a perfect correlation
        return np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half)


def partial_spearman(measure: Floats, human: Floats, controls: Floats) -> float:
    """Return Spearman's rho of a measure with human scores (P,) given controls (P, C), such as both lengths.

    Ranks are freed of the ranks of the controls by least squares, and the residuals correlated (Pearson).

    >>> longer = np.array([[1.0], [2], [3], [4]])  # the measure is the length, nothing is left of it
    >>> partial_spearman(longer[:, 0], np.array([1.0, 3, 2, 4]), longer)
    nan
    """
    columns = np.column_stack([measure, human, controls])
    columns = columns[~np.isnan(columns).any(axis=1)]
    if len(columns) < 3:
        return float("nan")
    ranks = mid_ranks(columns)
    base = np.column_stack([np.ones(len(ranks)), ranks[:, 2:]])
    left = ranks[:, :2] - base @ np.linalg.lstsq(base, ranks[:, :2], rcond=None)[0]
    spread = (left**2).sum(axis=0)
    if (spread <= 1e-9 * (ranks[:, :2] ** 2).sum(axis=0)).any():
        return float("nan")
    return float(left[:, 0] @ left[:, 1] / np.sqrt(spread[0] * spread[1]))


def mid_ranks(values: Floats) -> Floats:
    """Return ranks from 1 of each column, the mean rank for equal values, which tie when equal to 12 decimals.

    >>> mid_ranks(np.array([0.1 + 0.2, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(comparable(values), axis=0))


def percent_of_ceiling(value: Floats, human: Floats) -> Floats:
    """Return value / human in percent; NaN where people do not agree better than by chance.

    >>> percent_of_ceiling(np.array([0.4763]), np.array([0.4506])).round(1).tolist()
    [105.7]
    """
    return 100 * value / np.where(human > 0, human, np.nan)
