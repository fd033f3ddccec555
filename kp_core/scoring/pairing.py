"""Turn what two systems get on the same documents into sums under weights and swaps, and the sums into comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kp_core.scoring import intervals, paired
from kp_core.scoring.accumulate import Sums, gradients, quadratic, spread_of
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.systems import Counted
from kp_core.scoring.table_cells import Cells, ratio
from kp_core.scoring.views import View
from kp_core.settings import Cutoff, Interval

#: Statistics of the swapped systems that differ from the observed by less are equal, but for rounding.
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Statistic:
    """One system's measure over D documents: what is added up (D, M), the value (D,), and where it is defined (D,)."""

    summands: Floats
    values: Floats
    defined: Bools


def statistic(counted: Counted, asked: Asked, cutoff: Cutoff, average: str) -> Statistic:
    """Return what a comparison sees of one system: counts where they are pooled, else values."""
    view = View(counted.of(asked), (cutoff,))
    values, used = view.values(asked)[:, 0], view.used
    if average == "micro":
        return Statistic(np.hstack([array.astype(float) for array in view.cells.arrays()]), values, used)
    summands = values[:, None]
    if average == "f-of-means" and asked.measure.name == "F1@k":
        summands = np.hstack([view.values(parse(name)) for name in ("P@k", "R@k")])
    return Statistic(summands, values, used & ~np.isnan(values))


def common(block: dict[str, Statistic]) -> Bools:
    """Return the documents on which every system is scored (D,)."""
    return np.asarray(np.logical_and.reduce([one.defined for one in block.values()]))


@dataclass(frozen=True)
class Compared:
    """What was found of systems and their pairs.

    scores, resampled   of each system: its value, and the values of the resamples (B,)
    p, halves           of each pair (P,): p of the test, and half the width of the cluster t interval
    effects             of each pair: d_z, rank-biserial correlation (none where data are streamed), wins, ties, losses
    """

    documents: int
    scores: dict[str, float]
    resampled: dict[str, Floats]
    p: Floats
    halves: Floats
    effects: list[tuple[float, float, int, int, int]]


class Pairing:
    """Adds up the pairs of some systems by one measure, block of documents by block."""

    def __init__(
        self, systems: list[str], asked: Asked, average: str, interval: Interval, sums: Sums, name: str = ""
    ) -> None:
        self.systems, self.asked, self.average, self.interval = systems, asked, average, interval
        self.sums, self.name = sums, name
        self.pairs = list(combinations(range(len(systems)), 2))

    def add(self, block: dict[str, Statistic], weights: Floats | None, swaps: Iterable[Floats]) -> None:
        """Add a block: weights (B, D) of the bootstrap, and rows of 0 and 1 (T, D): which documents a trial swaps."""
        shared = common(block)
        kept = [np.where(shared[:, None], block[name].summands, 0.0) for name in self.systems]
        self._add("common", np.array([shared.sum()]))
        if weights is not None:
            self._add("weight", weights @ shared.astype(float)[:, None])
        for number, summands in enumerate(kept):
            self._add(f"{number}/sum", summands.sum(axis=0))
            if weights is not None:
                self._add(f"{number}/drawn", weights @ summands)
        moved = np.hstack([kept[a] - kept[b] for a, b in self.pairs])
        if trials := [rows @ moved for rows in swaps]:
            self._add("moved", np.vstack(trials))
        for a, b in self.pairs:
            self._add_difference(f"{a}/{b}", self.difference(block, a, b))
            if self.interval == "cluster-t":
                both = np.hstack([kept[a], kept[b]])
                self._add(f"{a}/{b}/products", both.T @ both)

    def difference(self, block: dict[str, Statistic], a: int, b: int) -> Floats:
        """Return the differences of two systems, numbers a and b, on the common documents that have both values."""
        one, two = block[self.systems[a]].values, block[self.systems[b]].values
        moved = (one - two)[common(block)]
        return paired.evened(moved[~np.isnan(moved)])

    def _add_difference(self, pair: str, difference: Floats) -> None:
        signs = [(difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum()]
        self._add(f"{pair}/signs", np.array(signs))
        self._add(f"{pair}/moments", np.array([difference.sum(), (difference**2).sum()]))

    def _add(self, part: str, values: Floats | Ints) -> None:
        self.sums.add(f"{self.name}/{part}", values)

    def _sum(self, part: str) -> Floats:
        return self.sums.arrays[f"{self.name}/{part}"]

    def compared(self, test: str, enumerated: bool = False) -> Compared:
        """Return what the documents add up to; enumerated: whether the swaps were all that there are."""
        n = int(self._sum("common")[0])
        effects = [self._effect(f"{a}/{b}") for a, b in self.pairs]
        missing = np.full(len(self.pairs), np.nan)
        if not n:
            return Compared(0, dict.fromkeys(self.systems, float("nan")), {}, missing, missing, effects)
        totals = [self._sum(f"{number}/sum")[None] for number in range(len(self.systems))]
        whole = np.array([[float(n)]])
        scores = {name: float(self._value(totals[i], whole)[0]) for i, name in enumerate(self.systems)}
        resampled = dict[str, Floats]()
        if f"{self.name}/weight" in self.sums.arrays:
            weight = np.where(self._sum("weight") > 0, self._sum("weight"), np.nan)
            resampled = {name: self._value(self._sum(f"{i}/drawn"), weight) for i, name in enumerate(self.systems)}
        p, halves = missing.copy(), missing.copy()
        for i, (a, b) in enumerate(self.pairs):
            if test == "randomisation":
                p[i] = self._swapped(i, totals[a], totals[b], n, enumerated)
            elif test == "bootstrap":
                p[i] = paired.bootstrap(resampled[self.systems[a]] - resampled[self.systems[b]])
            elif test == "t":
                p[i] = intervals.t_p(*self._moments(f"{a}/{b}"))
            if self.interval == "cluster-t":
                halves[i] = self._half(a, b, totals, n)
        return Compared(n, scores, resampled, p, halves, effects)

    def _value(self, sums: Floats, n: Floats) -> Floats:
        """Return the measure for sums (B, M) and numbers of documents (B, 1) → (B,)."""
        if self.average == "micro":
            return np.asarray(self.asked.scores(Cells(*sums.T)))
        means = sums / n
        if means.shape[1] == 2:
            return ratio(2 * means[:, 0] * means[:, 1], means.sum(axis=1))
        return np.asarray(means[:, 0])

    def _swapped(self, pair: int, first: Floats, second: Floats, n: int, enumerated: bool) -> float:
        """Return p of the randomisation test: what each trial swaps goes from one system to the other."""
        width = first.shape[1]
        moved, whole = self._sum("moved")[:, pair * width : (pair + 1) * width], np.array([[float(n)]])
        observed = abs(float((self._value(first, whole) - self._value(second, whole))[0]))
        trials = np.abs(self._value(first - moved, whole) - self._value(second + moved, whole))
        reached = (trials >= observed - _TOLERANCE).sum()
        return float(reached / len(moved)) if enumerated else float((reached + 1) / (len(moved) + 1))

    def _half(self, a: int, b: int, totals: list[Floats], n: int) -> float:
        """Return half the width of the cluster t interval of a difference, from the products of what is added up."""
        products = self._sum(f"{a}/{b}/products")
        if self.average == "micro":
            slopes = [gradients(self.asked.scores, [c[None] for c in totals[i].T])[0] for i in (a, b)]
        else:
            # Means over documents: what is added up moves by its distance from the mean.
            both_totals = np.hstack([totals[a][0], totals[b][0]])
            products = products - np.outer(both_totals, both_totals) / n
            slopes = [self._slopes(totals[i][0] / n) / n for i in (a, b)]
        both = np.hstack([slopes[0], -slopes[1]])[None]
        return float(intervals.t_of_influence(*quadratic(both, products[None]), n)[0])

    def _slopes(self, means: Floats) -> Floats:
        """Return how the measure moves with each mean: F1 = 2PR/(P+R), or the mean itself."""
        if len(means) == 1:
            return np.ones(1)
        total = means.sum()
        return np.asarray(2 * means[::-1] ** 2 / total**2) if total else np.zeros(2)

    def _moments(self, pair: str) -> tuple[float, float, int]:
        """Return the mean of the differences, the sum of their squared distances from it, and how many there are."""
        n = int(self._sum(f"{pair}/signs").sum())
        total, squares = self._sum(f"{pair}/moments")
        mean = total / n if n else float("nan")
        return float(mean), float(spread_of(mean, squares, n)) if n else 0.0, n

    def _effect(self, pair: str) -> tuple[float, float, int, int, int]:
        mean, spread, n = self._moments(pair)
        deviation = np.sqrt(spread / (n - 1)) if n > 1 else 0.0
        wins, ties, losses = self._sum(f"{pair}/signs").astype(int).tolist()
        return float(mean / deviation) if deviation > 0 else float("nan"), float("nan"), wins, ties, losses
