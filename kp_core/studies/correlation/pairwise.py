"""Turn measures and human scores into tests of every pair of measures: PERM-BOTH by swaps, Williams by formula."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.paired import randomisation
from kp_core.studies.correlation.coefficients import correlations, mid_ranks
from kp_core.studies.correlation.weighted import Correlation, Levels, kernel, levels, shares

#: Numbers in one block of swaps, which stays in the processor's cache; matrix products want larger ones.
_BLOCK = {"spearman": 100_000, "pearson": 100_000, "kendall": 4_000_000}
#: Correlations of two mixed measures (B, 2): 1 marks which of the values of both (2P, B) the first one holds.
_Mixed = Callable[[Floats], Floats]


def williams(first: Floats, second: Floats, between: Floats, pairs: Floats) -> tuple[Floats, Floats]:
    """Return t and two-sided p of the difference of two correlations with the same variable, all of one shape.

    first, second are the correlations with the human score, between that of the two measures. Strength counts, not
    direction: a negative correlation is turned round, and `between` with it. Equal correlations have p = 1; fewer
    than four pairs, p = NaN. On ranks (Spearman) it is an approximation. Source: Williams 1959; Steiger 1980.

    >>> t, p = williams(*(np.array([x]) for x in (0.80, 0.72, 0.89, 26)))  # Howell, 6th ed., p. 262
    >>> t.round(3).item(), p.round(3).item()
    (1.361, 0.187)
    """
    from scipy.special import stdtr

    between = between * np.where(first < 0, -1.0, 1.0) * np.where(second < 0, -1.0, 1.0)
    a, b = np.abs(first), np.abs(second)
    n = np.where(np.asarray(pairs) > 3, pairs, np.nan)
    left = np.maximum(1 - a**2 - b**2 - between**2 + 2 * a * b * between, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = 2 * left * (n - 1) / (n - 3) + (a + b) ** 2 / 4 * (1 - between) ** 3
        t = (a - b) * np.sqrt((n - 1) * (1 + between) / below)
    t = np.where((np.abs(a - b) < 1e-12) & ~np.isnan(n), 0.0, t)
    return t, np.where(np.isnan(t), np.nan, 2 * stdtr(n - 3, -np.abs(t)))


def williams_test(measures: Floats, human: Floats, name: Correlation = "spearman") -> Floats:
    """Return the two-sided p of every pair of measures (P, M) against the human scores (P,), (M, M).

    Each pair of measures is compared on the pairs of phrases that have all three values; Kendall is not offered.
    """
    size = measures.shape[1]
    p = np.full((size, size), np.nan)
    for columns, rows in _common(measures, human):
        ours = [human[rows], *(measures[rows, column] for column in columns)]
        ours = [mid_ranks(column) for column in ours] if name == "spearman" else ours
        r = _correlation_matrix(np.stack(ours, axis=1))
        _, found = williams(r[0, 1:, None], r[0, None, 1:], r[1:, 1:], np.full((1, 1), len(rows)))
        p[np.ix_(columns, columns)] = found
    return p


def differences(measures: Floats, human: Floats, name: Correlation = "spearman") -> tuple[Floats, Ints]:
    """Return how much better row correlates than column, on the pairs that both measures are defined on, and these.

    Both (M, M), from measures (P, M) and human scores (P,).
    """
    size = measures.shape[1]
    found, pairs = np.full((size, size), np.nan), np.zeros((size, size), np.int64)
    for columns, rows in _common(measures, human):
        place = np.ix_(np.array(columns), np.array(columns))
        value, _ = correlations(measures[rows][:, columns], human[rows, None], name)
        found[place], pairs[place] = value - value.T, len(rows)
    return found, pairs


def _common(measures: Floats, human: Floats) -> list[tuple[list[int], Ints]]:
    """Return sets of columns with the rows on which all of them are defined, so that every pair of columns is in one.

    Columns with the same gaps stand together; sets of different gaps are joined two by two.
    """
    together: dict[bytes, list[int]] = {}
    defined = ~(np.isnan(measures) | np.isnan(human)[:, None])
    for column in range(measures.shape[1]):
        together.setdefault(defined[:, column].tobytes(), []).append(column)
    groups = list(together.values())
    joined = [[*a, *b] for a, b in combinations(groups, 2)]
    # whole groups last: within a group, the pairs of phrases are those of the group
    return [(columns, np.flatnonzero(defined[:, columns].all(axis=1))) for columns in [*joined, *groups]]


def _correlation_matrix(columns: Floats) -> Floats:
    centred = columns - columns.mean(axis=0) if len(columns) else columns
    spread = (centred**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(centred.T @ centred / np.sqrt(np.outer(spread, spread)))


def permute_both(
    measures: Floats,
    human: Floats,
    trials: int,
    rng: np.random.Generator,
    name: Correlation = "spearman",
    unit: NDArray[np.int64] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Floats:
    """Return the two-sided p of every pair of measures (P, M) against the human scores (P,), (M, M): PERM-BOTH.

    Both measures are standardised; a trial swaps their values for every pair of phrases with probability 1/2, or for
    every unit, such as a document, where unit (P,) is given. p = (c + 1) / (trials + 1) of |difference of the two
    correlations|; where there are few units, all swaps are enumerated. NaN where a measure is undefined.
    Source: Deutsch, Dror & Roth 2021.
    """
    size = measures.shape[1]
    p = np.full((size, size), np.nan)
    unit = np.arange(len(measures)) if unit is None else np.unique(unit, return_inverse=True)[1]
    tested = contests(measures, human, name)
    if not tested:
        return p
    done = 0

    def differences(swapped: Floats) -> Floats:
        nonlocal done
        found = np.empty((len(swapped), len(tested)))
        step = max(8, _BLOCK[name] // len(unit))
        for begin in range(0, len(swapped), step):
            block = np.ascontiguousarray(swapped[begin : begin + step].T)[unit]
            chosen = np.concatenate([1 - block, block])
            for place, (rows, mixed) in enumerate(tested.values()):
                both = mixed(chosen if len(rows) == len(chosen) else chosen[rows])
                found[begin : begin + step, place] = both[:, 0] - both[:, 1]
        done += len(swapped)
        if progress is not None:
            progress(min(1.0, done / (trials + 1)))
        return np.where(np.isnan(found), np.inf, found)  # what cannot be computed speaks for no difference

    found = randomisation(differences, int(unit.max()) + 1, trials, rng)
    for (i, j), value in zip(tested, np.atleast_1d(found), strict=True):
        p[i, j] = p[j, i] = value
    return p


def contests(measures: Floats, human: Floats, name: Correlation) -> dict[tuple[int, int], tuple[Ints, _Mixed]]:
    """Return for every two measures the rows of the values of both, one below the other, and their correlations."""
    found = {}
    for columns, common in _common(measures, human):
        people = human[common]
        if len(common) < 3 or np.ptp(people) == 0:
            continue
        z = _standardised(measures[common][:, columns])
        varied = [place for place in range(len(columns)) if not np.isnan(z[0, place])]
        for i, j in combinations(varied, 2):
            mixed = _mixed(z[:, i], z[:, j], people, name)
            found[columns[i], columns[j]] = np.concatenate([common, common + len(measures)]), mixed
    return found


def _standardised(values: Floats) -> Floats:
    """Return columns with mean 0 and variance 1, NaN where a column is constant; equal values stay equal."""
    values = np.round(values, 12)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (values - values.mean(axis=0)) / np.where(np.ptp(values, axis=0) > 0, values.std(axis=0), np.nan)
    return np.asarray(np.round(z, 12))


def _mixed(first: Floats, second: Floats, human: Floats, name: Correlation) -> _Mixed:
    if name == "spearman":
        return _mixed_spearman(levels(np.concatenate([first, second])), mid_ranks(human) - (len(human) + 1) / 2)
    under = kernel(name, np.concatenate([first, second])[:, None], np.concatenate([human, human])[:, None])

    def correlate(chosen: Floats) -> Floats:
        both = under(np.concatenate([chosen, 1 - chosen], axis=1))[:, 0, 0]  # in one call: Kendall compares cells once
        return np.asarray(both.reshape(2, -1).T)

    return correlate


def _mixed_spearman(both: Levels, human: Floats) -> _Mixed:
    """Return Spearman's rho of two mixed measures from the levels of their 2P values and human ranks less their mean.

    Ranks of one mixed measure follow from cumulative counts over the joint levels; the other measure holds what is
    left of each level, so its sums need no pass of their own.
    """
    n = len(human)
    sizes = np.bincount(both.group).astype(np.float64)
    middle = np.cumsum(sizes) - sizes / 2
    people = np.concatenate([human, human])
    total = np.bincount(both.group, people)
    tied = np.flatnonzero(sizes > 1)
    spread = float(human @ human)

    def correlate(chosen: Floats) -> Floats:
        below = both.below(chosen)
        counts = shares(below)
        held = counts[tied]
        counts *= 0.5
        ranks = np.subtract(below, counts, out=below)
        weighted = chosen * people[:, None]
        covariance = np.einsum("pb,pb->b", np.take(ranks, both.group, axis=0), weighted)
        other = middle @ total - middle[both.group] @ weighted - total @ ranks + covariance
        squares = []
        for ours in (held, sizes[tied, None] - held):
            squares.append((n**3 - (n - ours.sum(axis=0)) - (ours**3).sum(axis=0)) / 12)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.stack([covariance, other], axis=1) / np.sqrt(np.stack(squares, axis=1) * spread))

    return correlate
