"""Compute correlations of measures with human scores under integer weights, with missing values and intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.codes import Bools, Floats, Ints

Correlation = Literal["spearman", "pearson", "kendall"]
#: Correlations of measures (P, M) with human scores (P, H) under weights (P, B) → (B, M, H).
Kernel = Callable[[Floats], Floats]

#: Decimals to which values are compared, so that equal fractions tie; smaller values are not rounded.
DECIMALS, _TINY = 12, 1e-30
#: Numbers of cells (resamples × pairs) computed at a time.
BLOCK_CELLS = {"spearman": 100_000, "pearson": 100_000, "kendall": 4_000_000}


@dataclass(frozen=True)
class EqualValues:
    """Values of P pairs in groups of equal values.

    order   (P,) the pairs from low to high
    starts  (V,) first position of each distinct value in that order
    group   (P,) distinct value of each pair, numbered from low to high
    """

    order: Ints
    starts: Ints
    group: Ints

    def below(self, rows: Floats) -> Floats:
        """Return the sums of rows (P, B) over all pairs up to each distinct value, (V, B)."""
        running = running_sums(rows, self.order)
        return running if len(self.starts) == len(running) else running[np.append(self.starts[1:], len(running)) - 1]


def running_sums(rows: Floats, order: Ints) -> Floats:
    """Return the cumulative sums (P, B) of the rows in an order, first within and then over blocks.

    >>> running_sums(np.array([[1.0], [10], [100]]), np.array([2, 0, 1])).tolist()
    [[100.0], [101.0], [111.0]]
    """
    size, stretch = len(order), int(len(order) ** 0.5) + 1
    stretches = -(-size // stretch)
    sums = np.zeros((stretches * stretch, rows.shape[1]))
    np.take(rows, order, axis=0, out=sums[:size], mode="clip")
    parts = sums.reshape(stretches, stretch, rows.shape[1])
    for step in range(1, stretch):
        parts[:, step] += parts[:, step - 1]
    parts[1:] += np.cumsum(parts[:-1, -1], axis=0)[:, None]
    return sums[:size]


def rounded(values: Floats) -> Floats:
    """Round values to 12 decimals, except values as small as unsmoothed BLEU (down to 1e-308).

    >>> rounded(np.array([0.1 + 0.2, 0.1 + 0.2 - 0.3, 2.0**-300])).tolist() == [0.3, 0.0, 2.0**-300]
    True
    """
    return np.where(np.abs(values) < _TINY, values, np.round(values, DECIMALS))


def equal_values(values: Floats) -> EqualValues:
    """Group values that are equal to 12 decimals.

    >>> equal_values(np.array([0.5, 0.1 + 0.2, 0.3])).group.tolist()
    [1, 0, 0]
    """
    _, group, counts = np.unique(rounded(values), return_inverse=True, return_counts=True)
    return EqualValues(np.argsort(group, kind="stable"), np.cumsum(counts) - counts, group)


def shares(below: Floats) -> Floats:
    """Return the weight of each distinct value (V, B) from the cumulative weights."""
    share = below.copy()
    share[1:] -= below[:-1]
    return share


#: Weights and their sum → deviations of a column from its mean (P, B), and their weighted sums of squares (B,).
_Deviations = Callable[[Floats, Floats], tuple[Floats, Floats]]


def spearman(column: Floats) -> _Deviations:
    """Return the deviations of the mid-ranks of a column (P,), ranked anew in each resample.

    A value of weight c above others of weight u has the ranks u + 1 … u + c, whose mean is u + (c + 1) / 2.
    """
    tied = equal_values(column)

    def under(weights: Floats, total: Floats) -> tuple[Floats, Floats]:
        below = tied.below(weights)
        counts = shares(below)
        squares = (total**3 - np.einsum("vb,vb->b", counts * counts, counts)) / 12
        counts *= 0.5
        below -= counts
        below -= total / 2
        return np.take(below, tied.group, axis=0), squares

    return under


def pearson(column: Floats) -> _Deviations:
    """Return the deviations of the values of a column (P,), rounded to 12 decimals."""
    column = np.round(column, DECIMALS)
    column = column - column.mean()  # avoids cancellation
    rounding = 1e-12 * (column @ column)  # a resample may have only one distinct value

    def under(weights: Floats, total: Floats) -> tuple[Floats, Floats]:
        mean = column @ weights / np.maximum(total, 1)
        squares = (column * column) @ weights - total * mean**2
        return column[:, None] - mean, np.where(squares > rounding, squares, 0.0)

    return under


def _product_moment(x: Floats, y: Floats, deviations_of: Callable[[Floats], _Deviations]) -> Kernel:
    """Return the kernel of Pearson's r of deviations, which is Spearman's rho for those of ranks."""
    ours, human = [deviations_of(column) for column in x.T], [deviations_of(column) for column in y.T]

    def under(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        covariance = np.empty((len(ours), len(human), len(total)))
        squares = np.empty((len(ours), 1, len(total)))
        people = [(weights * deviations, spread) for deviations, spread in (of(weights, total) for of in human)]
        for m, of in enumerate(ours):
            deviations, squares[m, 0] = of(weights, total)
            for h, (weighted, _) in enumerate(people):
                covariance[m, h] = np.einsum("pb,pb->b", deviations, weighted)
        return np.moveaxis(_ratio(covariance, squares, np.array([spread for _, spread in people]), total), -1, 0)

    return under


def kendall(x: Floats, y: Floats) -> Kernel:
    """Return the kernel of Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x · untied in y).

    Source: Kendall 1945.
    """
    ours, human = [equal_values(column) for column in x.T], [equal_values(column) for column in y.T]

    def under(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        values = np.empty((weights.shape[1], len(ours), len(human)))
        for m, first in enumerate(ours):
            for h, second in enumerate(human):
                a, b = (total**2 - (shares(side.below(weights)) ** 2).sum(axis=0) for side in (first, second))
                values[:, m, h] = _ratio(_concordance(first, second, weights), a, b, total)
        return values

    return under


def _concordance(first: EqualValues, second: EqualValues, weights: Floats) -> Floats:
    """Return the concordant minus the discordant ordered pairs (B,); pairs with equal values share one cell."""
    cells = equal_values(np.asarray(first.group * len(second.starts) + second.group, np.float64))
    pair = cells.order[cells.starts]
    # float32 adds small integers without rounding
    counts = shares(cells.below(weights)).astype(np.float32)
    a, b = first.group[pair].astype(np.float32), second.group[pair].astype(np.float32)
    surplus = np.zeros(weights.shape[1])
    step = max(1, 4_000_000 // len(pair))
    for begin in range(0, len(pair), step):
        part = slice(begin, begin + step)
        signs = np.sign(a[part, None] - a) * np.sign(b[part, None] - b)
        surplus += np.einsum("cb,cb->b", counts[part].astype(np.float64), signs @ counts)
    return surplus


def _ratio(covariance: Floats, spread_x: Floats, spread_y: Floats, total: Floats) -> Floats:
    """Return covariance / sqrt(spreads); NaN if a side is constant or there are fewer than three pairs."""
    product = spread_x * spread_y
    good = (product > 0) & (total >= 3)
    value = np.divide(covariance, np.sqrt(product, where=good, out=np.ones_like(product)))
    return np.where(good, np.clip(value, -1, 1), np.nan)


KERNELS: dict[str, Callable[[Floats, Floats], Kernel]] = {
    "spearman": lambda x, y: _product_moment(x, y, spearman),
    "pearson": lambda x, y: _product_moment(x, y, pearson),
    "kendall": kendall,
}


class Correlator:
    """Correlations of measures (P, M) with human scores (P, H), each over the pairs (P,) with both values.

    A value is NaN if there are fewer than three such pairs, or if a side is constant.
    """

    def __init__(self, measures: Floats, human: Floats, name: Correlation = "spearman", used: Bools | None = None):
        self._shape = (measures.shape[1], human.shape[1])
        #: pairs, places of the columns in a table (M, H), and kernel of the columns defined on the same pairs
        self._parts = list[tuple[Ints, Any, Kernel]]()
        for defined, columns in by_gaps(measures):
            for judged, targets in by_gaps(human):
                rows = np.flatnonzero(defined & judged if used is None else defined & judged & used)
                if len(rows):
                    kernel = KERNELS[name](measures[np.ix_(rows, columns)], human[np.ix_(rows, targets)])
                    self._parts.append((rows, np.ix_(columns, targets), kernel))
        self.pairs = self.clusters(np.arange(len(measures)))

    def under(self, weights: Floats) -> Floats:
        """Return the correlations (B, M, H) under weights of all pairs (P, B)."""
        values = np.full((weights.shape[1], *self._shape), np.nan)
        for rows, place, kernel in self._parts:
            values[(slice(None), *place)] = kernel(weights if len(rows) == len(weights) else weights[rows])
        return values

    def clusters(self, cluster: Ints) -> Ints:
        """Return the number of clusters of the pairs (P,) behind each correlation, (M, H)."""
        counts = np.zeros(self._shape, np.int64)
        for rows, place, _ in self._parts:
            counts[place] = len(np.unique(cluster[rows]))
        return counts

    @property
    def rows(self) -> Ints:
        """Mask of pairs that are in at least one correlation."""
        return np.unique(np.concatenate([np.empty(0, np.int64), *(rows for rows, *_ in self._parts)]))


def by_gaps(values: Floats) -> Iterator[tuple[Bools, Ints]]:
    """Yield each pattern of defined values (P,) with the columns (K,) that have it."""
    defined, columns = ~np.isnan(values), defaultdict[bytes, list[int]](list)
    for place, pattern in enumerate(defined.T):
        columns[pattern.tobytes()].append(place)
    for places in columns.values():
        yield defined[:, places[0]], np.array(places)


def correlations(measures: Floats, human: Floats, name: Correlation = "spearman") -> Floats:
    """Return the correlations (M, H) of measures (P, M) with human scores (P, H).

    >>> correlations(np.array([[1.0], [2], [3], [np.nan]]), np.array([[1.0], [3], [2], [9]])).round(2).tolist()
    [[0.5]]
    """
    return np.asarray(Correlator(measures, human, name).under(np.ones((len(measures), 1)))[0])


def correlation(measure: Floats, human: Floats, name: Correlation = "spearman") -> float:
    """Return the correlation of two columns (P,) over the pairs with both values."""
    return float(correlations(measure[:, None], human[:, None], name)[0, 0])


def reasons(values: Floats, pairs: Ints) -> NDArray[np.object_]:
    """Return the reason for each undefined value (too_few pairs, or constant), a key of REASONS; None if defined."""
    reason = np.where(pairs < 3, "too_few", "constant").astype(object)
    reason[~np.isnan(values)] = None
    return reason


def resampled(
    under: Callable[[Floats], Floats], cluster: Ints, weights: Floats, name: Correlation = "spearman"
) -> Floats:
    """Return the values of `under`, (P, b) → (b, …), for bootstrap weights (B, C) of clusters.

    cluster (P,) is the cluster of each pair; `under` is called with blocks of resamples.
    """
    step = max(8, BLOCK_CELLS[name] // max(len(cluster), 1))
    blocks = [weights[begin : begin + step].T for begin in range(0, len(weights), step)]
    return np.concatenate([under(np.ascontiguousarray(block)[cluster]) for block in blocks])


def closed_form(value: Floats, pairs: Ints | Floats, name: Correlation = "spearman") -> tuple[Floats, Floats]:
    """Return the 95% interval tanh(atanh r ± z·se), which counts pairs as independent.

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
    with np.errstate(divide="ignore"):  # for a perfect correlation
        return np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half)


def partial_spearman(measure: Floats, human: Floats, controls: Floats) -> float:
    """Return Spearman's rho of a measure with human scores (P,) given controls (P, C), such as both lengths.

    It is the Pearson correlation of the residuals after regressing the ranks on those of the controls.

    >>> length = np.array([[1.0], [2], [3], [4]])
    >>> partial_spearman(length[:, 0], np.array([1.0, 3, 2, 4]), length)
    nan
    """
    from scipy.stats import rankdata

    columns = np.column_stack([measure, human, controls])
    columns = columns[~np.isnan(columns).any(axis=1)]
    if len(columns) < 3:
        return float("nan")
    ranks = np.asarray(rankdata(rounded(columns), axis=0))
    base = np.column_stack([np.ones(len(ranks)), ranks[:, 2:]])
    residuals = ranks[:, :2] - base @ np.linalg.lstsq(base, ranks[:, :2], rcond=None)[0]
    spread = (residuals**2).sum(axis=0)
    if (spread <= 1e-9 * (ranks[:, :2] ** 2).sum(axis=0)).any():
        return float("nan")
    return float(residuals[:, 0] @ residuals[:, 1] / np.sqrt(spread[0] * spread[1]))


def percent_of_ceiling(value: Floats, human: Floats) -> Floats:
    """Return value / human in percent; NaN if people agree no better than by chance."""
    return 100 * value / np.where(human > 0, human, np.nan)
