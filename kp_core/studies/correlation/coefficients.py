"""Compute correlations of measures with human scores under integer weights, and intervals; values may be missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.codes import Bools, Floats, Ints

Correlation = Literal["spearman", "pearson", "kendall"]
#: Function from weights (P, B) to correlations (B, M, H) of measures (P, M) with human scores (P, H).
Kernel = Callable[[Floats], Floats]

#: Decimals to which values are compared, so that equal fractions tie; values below `_TINY` are not rounded.
DECIMALS, _TINY = 12, 1e-30
#: Coefficient → number of cells (resamples × pairs) computed at a time.
BLOCK_CELLS = {"spearman": 100_000, "pearson": 400_000, "kendall": 4_000_000}


@dataclass(frozen=True)
class EqualValues:
    """Groups of equal values of P pairs, from low to high.

    * `distinct`: (V,) the distinct values, to 12 decimals
    * `group`: (P,) index of the value of each pair
    * `members`: (V, P) sparse mask of the pairs with each value; turns weights of pairs into weights of values
    """

    distinct: Floats
    group: Ints
    members: Any

    @classmethod
    def of(cls, column: Floats) -> EqualValues:
        """Group the values of a column (P,) that are equal to 12 decimals.

        >>> EqualValues.of(np.array([0.5, 0.1 + 0.2, 0.3])).group.tolist()
        [1, 0, 0]
        """
        from scipy.sparse import csr_array

        distinct, group = np.unique(rounded(column), return_inverse=True)
        members = csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(len(distinct), len(group)))
        return cls(distinct, group, members)


def rounded(values: Floats) -> Floats:
    """Round values to 12 decimals, except tiny values, such as those of unsmoothed BLEU (down to 1e-308).

    >>> rounded(np.array([0.1 + 0.2, 0.1 + 0.2 - 0.3, 2.0**-300])).tolist() == [0.3, 0.0, 2.0**-300]
    True
    """
    return np.where(np.abs(values) < _TINY, values, np.round(values, DECIMALS))


def mid_ranks(weights: Floats) -> tuple[Floats, Floats]:
    """Return the deviations of the mid-ranks of V values from the mean rank (V, B), and their sums of squares (B,).

    A value of weight c above values of total weight u has the ranks u + 1 … u + c, whose mean is u + (c + 1) / 2.
    """
    ranks = np.cumsum(weights, axis=0)
    total = ranks[-1].copy()
    ranks -= 0.5 * (weights + total)
    return ranks, (total**3 - np.ones(len(weights)) @ (weights * weights * weights)) / 12


def spearman(x: Floats, y: Floats) -> Kernel:
    """Return the kernel of Spearman's rho."""
    measures, scores = [EqualValues.of(column) for column in x.T], [EqualValues.of(column) for column in y.T]

    def kernel(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        ranked = [mid_ranks(variable.members @ weights) for variable in scores]
        weighted_ranks = [weights * ranks[variable.group] for variable, (ranks, _) in zip(scores, ranked, strict=True)]
        values = np.empty((len(total), len(measures), len(scores)))
        for m, variable in enumerate(measures):
            ranks, squares = mid_ranks(variable.members @ weights)
            for h, weighted in enumerate(weighted_ranks):
                covariance = np.einsum("vb,vb->b", ranks, variable.members @ weighted)
                values[:, m, h] = ratio(covariance, squares, ranked[h][1], total)
        return values

    return kernel


def pearson(x: Floats, y: Floats) -> Kernel:
    """Return the kernel of Pearson's r."""
    matrices = np.round(x, DECIMALS), np.round(y, DECIMALS)
    x, y = (matrix - matrix.mean(axis=0) for matrix in matrices)  # avoids cancellation
    products = (x[:, :, None] * y[:, None]).reshape(len(x), -1)
    terms = np.hstack([x, y, x**2, y**2, products]).T
    columns = x.shape[1] + y.shape[1]

    def kernel(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        sums, squares, product = np.split(terms @ weights, [columns, 2 * columns])
        mean = sums / np.maximum(total, 1)
        spread = squares - mean * sums
        spread = np.where(spread > 1e-12 * squares, spread, 0.0)  # a resample may have only one distinct value
        (mean_x, _), (_, sum_y), (spread_x, spread_y) = (np.split(part, [x.shape[1]]) for part in (mean, sums, spread))
        covariance = product.reshape(len(mean_x), len(sum_y), -1) - mean_x[:, None] * sum_y
        return ratio(covariance, spread_x[:, None], spread_y, total).transpose(2, 0, 1)

    return kernel


def kendall(x: Floats, y: Floats) -> Kernel:
    """Return the kernel of Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x · untied in y).

    Source: Kendall 1945.
    """
    measures, scores = [EqualValues.of(column) for column in x.T], [EqualValues.of(column) for column in y.T]

    def kernel(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        values = np.empty((weights.shape[1], len(measures), len(scores)))
        for m, first in enumerate(measures):
            for h, second in enumerate(scores):
                a, b = (total**2 - ((variable.members @ weights) ** 2).sum(axis=0) for variable in (first, second))
                values[:, m, h] = ratio(_concordance(first, second, weights), a, b, total)
        return values

    return kernel


def _concordance(first: EqualValues, second: EqualValues, weights: Floats) -> Floats:
    """Return the number of concordant minus discordant ordered pairs of observations (B,).

    Observations with the same two values are counted together in one cell.
    """
    cells = EqualValues.of(np.asarray(first.group * len(second.distinct) + second.group, np.float64))
    # float32 adds small integers without rounding
    counts = (cells.members @ weights).astype(np.float32)
    a, b = np.array(np.divmod(cells.distinct, len(second.distinct)), np.float32)
    surplus = np.zeros(weights.shape[1])
    step = max(1, 4_000_000 // len(a))
    for begin in range(0, len(a), step):
        part = slice(begin, begin + step)
        signs = np.sign(a[part, None] - a) * np.sign(b[part, None] - b)
        surplus += np.einsum("cb,cb->b", counts[part].astype(np.float64), signs @ counts)
    return surplus


def ratio(covariance: Floats, spread_x: Floats, spread_y: Floats, total: Floats) -> Floats:
    """Return covariance / sqrt(spread_x · spread_y); NaN if a side is constant or there are fewer than three pairs."""
    product = spread_x * spread_y
    defined = (product > 0) & (total >= 3)
    value = np.divide(covariance, np.sqrt(product, where=defined, out=np.ones_like(product)))
    return np.where(defined, np.clip(value, -1, 1), np.nan)


KERNELS: dict[str, Callable[[Floats, Floats], Kernel]] = {"spearman": spearman, "pearson": pearson, "kendall": kendall}


class Correlator:
    """Correlations of measures (P, M) with human scores (P, H), each over the pairs (P,) that have both values.

    A value is NaN if there are fewer than three such pairs, or if a side is constant.
    """

    def __init__(self, measures: Floats, human: Floats, name: Correlation = "spearman", included: Bools | None = None):
        self._shape = (measures.shape[1], human.shape[1])
        #: For columns defined on the same pairs: these pairs, the columns' cells in a table (M, H), and their kernel
        self._parts = list[tuple[Ints, Any, Kernel]]()
        for defined, columns in by_gaps(measures):
            for judged, targets in by_gaps(human):
                rows = np.flatnonzero(defined & judged if included is None else defined & judged & included)
                if len(rows):
                    kernel = KERNELS[name](measures[np.ix_(rows, columns)], human[np.ix_(rows, targets)])
                    self._parts.append((rows, np.ix_(columns, targets), kernel))
        self.pairs = self.clusters(np.arange(len(measures)))

    def kernel(self, weights: Floats) -> Floats:
        """Return the correlations (B, M, H) under weights of all pairs (P, B)."""
        values = np.full((weights.shape[1], *self._shape), np.nan)
        for rows, index, kernel in self._parts:
            values[(slice(None), *index)] = kernel(weights if len(rows) == len(weights) else weights[rows])
        return values

    def clusters(self, cluster: Ints) -> Ints:
        """Return the number of clusters of the pairs (P,) behind each correlation, (M, H)."""
        counts = np.zeros(self._shape, np.int64)
        for rows, index, _ in self._parts:
            counts[index] = len(np.unique(cluster[rows]))
        return counts

    @property
    def rows(self) -> Ints:
        """Indices of the pairs that are in at least one correlation."""
        return np.unique(np.concatenate([np.empty(0, np.int64), *(rows for rows, *_ in self._parts)]))


def by_gaps(values: Floats) -> Iterator[tuple[Bools, Ints]]:
    """Yield each distinct mask of defined values (P,), with the indices of the columns (K,) that have it."""
    defined, columns = ~np.isnan(values), defaultdict[bytes, list[int]](list)
    for index, pattern in enumerate(defined.T):
        columns[pattern.tobytes()].append(index)
    for indices in columns.values():
        yield defined[:, indices[0]], np.array(indices)


def correlations(measures: Floats, human: Floats, name: Correlation = "spearman") -> Floats:
    """Return the correlations (M, H) of measures (P, M) with human scores (P, H).

    >>> correlations(np.array([[1.0], [2], [3], [np.nan]]), np.array([[1.0], [3], [2], [9]])).round(2).tolist()
    [[0.5]]
    """
    return np.asarray(Correlator(measures, human, name).kernel(np.ones((len(measures), 1)))[0])


def correlation(measure: Floats, human: Floats, name: Correlation = "spearman") -> float:
    """Return the correlation of two columns (P,) over the pairs with both values."""
    return float(correlations(measure[:, None], human[:, None], name)[0, 0])


def reasons(values: Floats, pairs: Ints) -> NDArray[np.object_]:
    """Return the reason for each undefined value (too_few pairs, or constant), a key of REASONS; None if defined."""
    reason = np.where(pairs < 3, "too_few", "constant").astype(object)
    reason[~np.isnan(values)] = None
    return reason


def resampled(
    kernel: Callable[[Floats], Floats], cluster: Ints, weights: Floats, name: Correlation = "spearman"
) -> Floats:
    """Return the correlations in B bootstrap resamples of C clusters.

    `kernel` maps weights of pairs (P, b) to correlations (b, …); `cluster`: the cluster of each pair (P,);
    `weights`: how often each cluster is drawn (B, C).
    """
    step = max(8, BLOCK_CELLS[name] // max(len(cluster), 1))
    blocks = [weights[begin : begin + step].T for begin in range(0, len(weights), step)]
    return np.concatenate([kernel(np.ascontiguousarray(block)[cluster]) for block in blocks])


def closed_form_interval(value: Floats, pairs: Ints | Floats, name: Correlation = "spearman") -> tuple[Floats, Floats]:
    """Return the 95% interval tanh(atanh r ± z·se), which treats pairs as independent.

    se² = 1 / (n - 3) for Pearson, (1 + r²/2) / (n - 3) for Spearman, .437 / (n - 4) for Kendall.
    Source: Fisher 1915; Bonett & Wright 2000; Fieller, Hartley & Pearson 1957.

    >>> low, high = closed_form_interval(np.array([0.5]), np.array([28]), "pearson")
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.16], [0.74])
    """
    lost_degrees = 4 if name == "kendall" else 3
    degrees = np.where(pairs > lost_degrees, pairs - lost_degrees, np.nan)
    squared = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[name] / degrees
    half = 1.959963984540054 * np.sqrt(squared)
    with np.errstate(divide="ignore"):  # for a perfect correlation
        return np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half)


def partial_spearman(measure: Floats, human: Floats, controls: Floats) -> float:
    """Return Spearman's rho of a measure with human scores (P,) given controls (P, C), such as both lengths.

    This is the Pearson correlation of the residuals, after both ranks are regressed on the ranks of the controls.
    """
    from scipy.stats import rankdata

    columns = np.column_stack([measure, human, controls])
    columns = columns[~np.isnan(columns).any(axis=1)]
    if len(columns) < 3:
        return float("nan")
    ranks = np.asarray(rankdata(rounded(columns), axis=0))
    design = np.column_stack([np.ones(len(ranks)), ranks[:, 2:]])
    residuals = ranks[:, :2] - design @ np.linalg.lstsq(design, ranks[:, :2], rcond=None)[0]
    spread = (residuals**2).sum(axis=0)
    if (spread <= 1e-9 * (ranks[:, :2] ** 2).sum(axis=0)).any():
        return float("nan")
    return float(residuals[:, 0] @ residuals[:, 1] / np.sqrt(spread[0] * spread[1]))


def percent_of_ceiling(value: Floats, human: Floats) -> Floats:
    """Return value / human in percent; NaN if people do not agree better than by chance."""
    return 100 * value / np.where(human > 0, human, np.nan)
