"""Turn columns of measures and human scores, with gaps, into correlations, the reason of undefined ones, intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kp_core.errors import UsageError
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies.correlation.weighted import Correlation, Kernel, kernel, levels

#: Resamples at a time: the arrays of one block stay in the processor's cache; Kendall compares cells by matrix
#: products, which want larger ones.
BLOCK_CELLS = {"spearman": 100_000, "pearson": 100_000, "kendall": 4_000_000}


@dataclass(frozen=True)
class Part:
    """Columns that are defined on the same pairs: which pairs, which measures and human scores, and their kernel."""

    rows: Ints
    measures: Ints
    human: Ints
    kernel: Kernel


def parts(measures: Floats, human: Floats, used: Bools, name: Correlation = "spearman") -> list[Part]:
    """Group measures (P, M) and human scores (P, H) by the used pairs (P,) on which both sides are defined."""
    found = []
    for mask, columns in _by_gaps(measures):
        for other, targets in _by_gaps(human):
            rows = np.flatnonzero(mask & other & used)
            if len(rows):
                made = kernel(name, measures[np.ix_(rows, columns)], human[np.ix_(rows, targets)])
                found.append(Part(rows, columns, targets, made))
    return found


def _by_gaps(values: Floats) -> list[tuple[Bools, Ints]]:
    defined = ~np.isnan(values)
    together: dict[bytes, list[int]] = {}
    for column in range(values.shape[1]):
        together.setdefault(defined[:, column].tobytes(), []).append(column)
    return [(defined[:, columns[0]], np.array(columns)) for columns in together.values()]


def under_weights(found: list[Part], weights: Floats, shape: tuple[int, int]) -> Floats:
    """Return correlations (B, M, H) under weights of all pairs (P, B); shape is (M, H)."""
    values = np.full((weights.shape[1], *shape), np.nan)
    for part in found:
        rows = weights if len(part.rows) == len(weights) else weights[part.rows]
        values[:, part.measures[:, None], part.human] = part.kernel(rows)
    return values


def pairs_of(found: list[Part], shape: tuple[int, int]) -> Ints:
    """Return the number of pairs behind each correlation, (M, H)."""
    pairs = np.zeros(shape, np.int64)
    for part in found:
        pairs[part.measures[:, None], part.human] = len(part.rows)
    return pairs


def correlations(
    measures: Floats, human: Floats, name: Correlation = "spearman", used: Bools | None = None
) -> tuple[Floats, Ints]:
    """Return the correlation of every measure (P, M) with every human score (P, H) and its number of pairs, (M, H).

    Values are NaN where fewer than three pairs are left or a side is constant; `reasons` says which.

    >>> value, pairs = correlations(np.array([[1.0], [2], [3], [np.nan]]), np.array([[1.0], [3], [2], [9]]))
    >>> value.round(2).tolist(), pairs.tolist()
    ([[0.5]], [[3]])
    """
    used = np.ones(len(measures), bool) if used is None else used
    shape = (measures.shape[1], human.shape[1])
    found = parts(measures, human, used, name)
    return under_weights(found, np.ones((len(measures), 1)), shape)[0], pairs_of(found, shape)


def correlation(measure: Floats, human: Floats, name: Correlation = "spearman") -> float:
    """Return the correlation of two columns (P,), over the pairs that have both.

    >>> round(correlation(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), "kendall"), 4)
    0.3333
    """
    return float(correlations(measure[:, None], human[:, None], name)[0][0, 0])


def reasons(values: Floats, pairs: Ints) -> list[list[str | None]]:
    """Return why each value is undefined, a key of REASONS: too_few pairs, or a constant side; None if defined."""
    return [
        [("too_few" if n < 3 else "constant") if np.isnan(value) else None for value, n in zip(*row, strict=True)]
        for row in zip(values, pairs, strict=True)
    ]


def resampled(
    values: list[Callable[[Floats], Floats]], cluster: Ints, weights: Floats, name: Correlation = "spearman"
) -> list[Floats]:
    """Return each function of the weights of all pairs, (P, b) → (b, ...), under bootstrap weights of clusters (B, C).

    cluster (P,) is the cluster of each pair. Every function sees the same resamples, a block of them at a time.
    """
    found: list[list[Floats]] = [[] for _ in values]
    step = max(8, BLOCK_CELLS[name] // max(len(cluster), 1))
    for begin in range(0, len(weights), step):
        rows = np.ascontiguousarray(weights[begin : begin + step].T)[cluster]
        for blocks, value in zip(found, values, strict=True):
            blocks.append(value(rows))
    return [np.concatenate(blocks) for blocks in found]


def closed_form(value: Floats, pairs: Ints | Floats, name: Correlation = "spearman") -> tuple[Floats, Floats]:
    """Return the 95 % interval tanh(atanh r ± z·se); pairs count as independent, so it is a quick check only.

    se² = 1 / (n - 3) for Pearson, (1 + r²/2) / (n - 3) for Spearman, .437 / (n - 4) for Kendall.
    Source: Fisher 1915; Bonett & Wright 2000; Fieller, Hartley & Pearson 1957.

    >>> low, high = closed_form(np.array([0.5]), np.array([28]), "pearson")
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.16], [0.74])
    """
    value, n = np.asarray(value, np.float64), np.asarray(pairs, np.float64)
    if name not in BLOCK_CELLS:
        raise UsageError(f"there is no correlation '{name}'; choose one of: {', '.join(BLOCK_CELLS)}")
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "kendall":
            squared = np.where(n > 4, 0.437 / (n - 4), np.nan)
        else:
            squared = np.where(n > 3, (1 + (value**2 / 2 if name == "spearman" else 0)) / (n - 3), np.nan)
        half = 1.959963984540054 * np.sqrt(squared)
        return np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half)


def partial_spearman(measure: Floats, human: Floats, controls: Floats) -> float:
    """Return Spearman's rho of a measure with human scores (P,) given controls (P, C), such as both lengths.

    Ranks are freed of the ranks of the controls by least squares, and the residuals correlated (Pearson).

    >>> longer = np.array([[1.0], [2], [3], [4]])  # the measure is the length, nothing is left of it
    >>> partial_spearman(longer[:, 0], np.array([1.0, 3, 2, 4]), longer)
    nan
    """
    good = ~(np.isnan(measure) | np.isnan(human) | np.isnan(controls).any(axis=1))
    given = [measure[good], human[good], *controls[good].T]
    if good.sum() < 3:
        return float("nan")
    ranks = np.stack([mid_ranks(column) for column in given], axis=1)
    base = np.column_stack([np.ones(len(ranks)), ranks[:, 2:]])
    left = ranks[:, :2] - base @ np.linalg.lstsq(base, ranks[:, :2], rcond=None)[0]
    spread = (left**2).sum(axis=0)
    if (spread <= 1e-9 * np.maximum((ranks[:, :2] ** 2).sum(axis=0), 1)).any():
        return float("nan")
    return float(left[:, 0] @ left[:, 1] / np.sqrt(spread[0] * spread[1]))


def mid_ranks(values: Floats) -> Floats:
    """Return ranks from 1 (P,), the mean rank for equal values, which tie when equal to 12 decimals.

    >>> mid_ranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    groups = levels(values)
    counts = np.bincount(groups.group)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[groups.group])


def percent_of_ceiling(value: Floats, human: Floats) -> Floats:
    """Return value / human in percent; NaN where people do not agree better than by chance.

    >>> percent_of_ceiling(np.array([0.4763]), np.array([0.4506])).round(1).tolist()
    [105.7]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(human > 0, 100 * value / human, np.nan)
