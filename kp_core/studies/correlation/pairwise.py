"""Turn measures and human scores into tests of every pair of measures: PERM-BOTH by swaps, Williams by formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.paired import randomisation
from kp_core.studies.correlation.coefficients import BLOCK_CELLS, DEVIATIONS, KERNELS, Correlation, correlations


@dataclass(frozen=True)
class Contest:
    """Two measures and the human score on the pairs of phrases that have all three.

    a, b     places of the measures; values (n, 2), human (n,), and used (P,): which pairs of phrases these are
    strength correlation of each measure with the human score, (2,); between: that of the two measures
    """

    a: int
    b: int
    values: Floats
    human: Floats
    used: Bools
    strength: Floats
    between: float


def contests(measures: Floats, human: Floats, name: Correlation = "spearman") -> Iterator[Contest]:
    """Give every two of the measures (P, M) that both vary, as the human scores (P,) do, where all are defined."""
    missing, known = np.isnan(measures), dict[bytes, Floats]()
    for a, b in combinations(range(measures.shape[1]), 2):
        used = ~(missing[:, a] | missing[:, b] | np.isnan(human))
        key = used.tobytes()
        if key not in known:  # all measures that are defined on the same pairs of phrases share their correlations
            others = measures[used] if name != "kendall" else measures[used][:, :0]  # Williams is not for Kendall
            known[key] = correlations(measures[used], np.column_stack([human[used], others]), name)
        strength, between = known[key][[a, b], 0], known[key][a, b + 1] if name != "kendall" else np.nan
        if not np.isnan(strength).any():
            yield Contest(a, b, measures[used][:, [a, b]], human[used], used, strength, float(between))


def williams(first: float, second: float, between: float, pairs: int) -> tuple[float, float]:
    """Return t and two-sided p of the difference of two correlations with the same variable.

    first, second are the correlations with the human score, between that of the two measures. Strength counts, not
    direction: a negative correlation is turned round, and `between` with it. Equal correlations have p = 1; fewer
    than four pairs, p = NaN. On ranks (Spearman) it is an approximation. Source: Williams 1959; Steiger 1980.

    >>> t, p = williams(0.80, 0.72, 0.89, 26)  # Howell, 6th ed., p. 262
    >>> round(t, 3), round(p, 3)
    (1.361, 0.187)
    """
    from scipy.special import stdtr

    between = -between if (first < 0) != (second < 0) else between
    a, b = abs(first), abs(second)
    if pairs < 4:
        return float("nan"), float("nan")
    if abs(a - b) < 1e-12:
        return 0.0, 1.0
    left = max(1 - a**2 - b**2 - between**2 + 2 * a * b * between, 0.0)
    below = 2 * left * (pairs - 1) / (pairs - 3) + (a + b) ** 2 / 4 * (1 - between) ** 3
    t = float((a - b) * np.sqrt((pairs - 1) * (1 + between) / below))
    return t, float(2 * stdtr(pairs - 3, -abs(t)))


def williams_test(contest: Contest) -> float:
    """Return the two-sided p of Williams' test; Kendall is not offered."""
    first, second = contest.strength.tolist()
    return williams(first, second, contest.between, len(contest.human))[1]


def permute_both(
    contest: Contest, trials: int, rng: np.random.Generator, name: Correlation = "spearman", unit: Ints | None = None
) -> float:
    """Return the two-sided p of PERM-BOTH.

    Both measures are standardised; a trial swaps their values for every pair of phrases with probability 1/2, or for
    every unit, such as a document, where unit (P,) is given. p = (c + 1) / (trials + 1) of |difference of the two
    correlations|; where there are few units, all swaps are enumerated. NaN where a measure varies by less than 1e-12.
    Source: Deutsch, Dror & Roth 2021.
    """
    unit = np.arange(len(contest.used)) if unit is None else np.unique(unit, return_inverse=True)[1]
    if (np.ptp(np.round(contest.values, 12), axis=0) == 0).any():
        return float("nan")
    difference = differences(contest, name, unit[contest.used])
    return float(randomisation(difference, int(unit.max()) + 1, trials, rng))


def differences(contest: Contest, name: Correlation, unit: Ints) -> Callable[[Floats], Floats]:
    """Return the difference of the two correlations (B,) as a function of which units (B, U) are swapped: 1 or 0.

    unit (n,) is the unit of each pair of phrases.
    """
    mixed = _mixed(_standardised(contest.values), contest.human, name)
    step = max(8, BLOCK_CELLS[name] // (4 * len(contest.human)))

    def difference(swapped: Floats) -> Floats:
        blocks = []
        for begin in range(0, len(swapped), step):
            block = np.ascontiguousarray(swapped[begin : begin + step].T)[unit]
            # both mixed measures in one call: each holds the values that the other leaves
            first, second = mixed(np.block([[1 - block, block], [block, 1 - block]])).reshape(2, -1)
            blocks.append(first - second)
        values = np.concatenate(blocks)
        return np.where(np.isnan(values), np.inf, values)  # what cannot be computed speaks for no difference

    return difference


def _standardised(values: Floats) -> Floats:
    """Return columns with mean 0 and variance 1; equal values stay equal."""
    values = np.round(values, 12)
    return np.asarray(np.round((values - values.mean(axis=0)) / values.std(axis=0), 12))


def _mixed(z: Floats, human: Floats, name: Correlation) -> Callable[[Floats], Floats]:
    """Return the correlation (B,) of a measure that holds some of the values (n, 2): 1 in (2n, B), first column first.

    Where it is Pearson's r of deviations, those of the human scores stay the same in every mixture.
    """
    values, n = z.T.ravel(), len(human)
    if name not in DEVIATIONS:
        under = KERNELS[name](values[:, None], np.tile(human, 2)[:, None])
        return lambda chosen: under(chosen)[:, 0, 0]
    of, every = DEVIATIONS[name](values), np.ones((n, 1))
    people, spread = DEVIATIONS[name](human)(every, every.sum(axis=0))
    twice = np.tile(people[:, 0], 2)

    def correlate(chosen: Floats) -> Floats:
        deviations, squares = of(chosen, np.full(chosen.shape[1], float(n)))
        deviations *= chosen
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(twice @ deviations / np.sqrt(squares * spread))

    return correlate
