"""Turn what systems get on the same documents into sums under weights and swaps, and these into comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kp_core.order import leveled, reaches
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Ids, Sums, influence, mean_or_f, quadratic, spread_of, summands
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Counts, SystemCounts
from kp_core.scoring.intervals import STEP, half_width, p_of
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.paired import bootstrap, enumerated, rank_biserial, wilcoxon_test
from kp_core.scoring.runs import multi_bootstrap, pooled, runs_of, sampled_of, variance_of
from kp_core.settings import Cutoff, Interval, Settings


@dataclass(frozen=True)
class Statistic:
    """One system's measure over D documents: what is added up (D, M), the value (D,), and where it is defined (D,)."""

    summands: Floats
    value: Floats
    defined: Bools


def statistic(counted: SystemCounts, asked: Asked, cutoff: Cutoff, average: str) -> Statistic:
    """Return what a comparison sees of one system: counts where they are pooled, else values."""
    view = counted.of(asked).at((cutoff,))
    value = view.values(asked)[:, 0]
    parts = [part.astype(float) for part in summands(asked, view, average)]
    return Statistic(np.hstack(parts), value, view.scored if average == "micro" else view.scored & ~np.isnan(value))


def common(block: dict[str, Statistic]) -> Bools:
    """Return the documents on which every system is scored (D,)."""
    return np.asarray(np.logical_and.reduce([one.defined for one in block.values()]))


#: Below this share of the documents, or of those of either system, two systems are not comparable.
COMPARABLE = 0.9


@dataclass(frozen=True)
class ListCounts:
    """For how many documents systems have a list, in each of their runs.

    both  (S, S) documents with a list of both of two systems; documents: how many are in use

    >>> lists = ListCounts(("a", "b"), np.array([[10, 8], [8, 9]]), 10)
    >>> lists.coverage, lists.lacking("a", "b"), lists.comparable("a", "b")
    ({'a': (10, 10), 'b': (9, 10)}, ['b'], False)
    """

    systems: tuple[str, ...] = ()
    both: Ints = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    documents: int = 0

    @property
    def coverage(self) -> dict[str, tuple[int, int]]:
        """System → documents with a list, and all documents in use."""
        return {name: (int(own), self.documents) for name, own in zip(self.systems, self.both.diagonal(), strict=True)}

    def shared(self, a: str, b: str) -> int:
        """Return for how many documents both of two systems have a list; all documents where nothing is known."""
        if not self.systems:
            return self.documents
        return int(self.both[self.systems.index(a), self.systems.index(b)])

    def lacking(self, *systems: str) -> list[str]:
        """Return which of some systems lack a list."""
        return [name for name in systems if name in self.systems and self.shared(name, name) < self.documents]

    def comparable(self, a: str, b: str) -> bool:
        """Tell whether two systems have lists for nearly the same documents, and for nearly all in use."""
        own, shared = [self.shared(name, name) for name in (a, b)], self.shared(a, b)
        return min(own) >= COMPARABLE * self.documents and shared >= COMPARABLE * (sum(own) - shared)


def list_counts(systems: Mapping[str, SystemCounts]) -> ListCounts:
    """Count for how many documents systems have a list, from the counts of their runs."""
    counts = next(iter(systems.values())).exact
    in_use = counts.known & counts.resampled
    groups = runs_of(systems)
    has = np.array(
        [np.logical_and.reduce([systems[run].exact.listed[in_use] for run in own]) for own in groups.values()]
    )
    return ListCounts(tuple(groups), has.astype(np.int64) @ has.T, int(in_use.sum()))


@dataclass(frozen=True)
class Compared:
    """What was found of systems and their pairs.

    scores, resampled   of each system: its value, and the values of the resamples (B,)
    p, halves           of each pair (P,): p of the test, and half the width of the cluster t interval
    left_out            documents on which not every system is scored
    effects             of each pair: d_z, rank-biserial correlation (none where data are streamed), wins, ties, losses
    lists               for how many documents the systems have lists
    runs                of each system: how many runs, where some system has several
    otherwise           number of a pair → what is found of it under the other rule for missing lists, if one is missing
    identical           system → the first system with the same lists, for those that are not first
    """

    documents: int
    scores: dict[str, float]
    resampled: dict[str, Floats]
    p: Floats
    halves: Floats
    effects: list[tuple[float, float, int, int, int]]
    left_out: Ids = field(default_factory=Ids)
    lists: ListCounts = field(default_factory=ListCounts)
    runs: Mapping[str, int] = field(default_factory=dict)
    otherwise: Mapping[int, Compared] = field(default_factory=dict)
    identical: Mapping[str, str] = field(default_factory=dict)


class Pairing:
    """Adds up the pairs of some systems by one measure, block of documents by block.

    The sums are arrays over the S systems or their P pairs, of the M numbers that a statistic adds up.
    """

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        systems: Sequence[str],
        asked: Asked,
        average: str,
        interval: Interval,
        sums: Sums,
        name: str = "",
    ) -> None:
        self.systems, self.asked, self.average, self.interval = list(systems), asked, average, interval
        self.sums, self.name = sums, name
        self.pairs = [(self.systems.index(a), self.systems.index(b)) for a, b in pairs]

    def add(self, block: dict[str, Statistic], weights: Floats | None, swaps: Iterable[Floats]) -> list[Floats]:
        """Add the D documents of a block on which every system is scored.

        weights (B, D) of the bootstrap; swaps: rows of 0 and 1 (T, D), which documents a trial swaps. Return the
        differences of each pair on those of the documents that have both values.
        """
        shared = common(block)
        kept = np.stack([block[name].summands[shared] for name in self.systems])  # (S, D, M)
        self._add("common", np.array([shared.sum()]))
        self._add("sum", kept.sum(axis=1))
        if weights is not None:
            self._add("weight", weights.sum(axis=1)[:, None])
            self._add("drawn", weights @ kept)
        moved = np.hstack([kept[a] - kept[b] for a, b in self.pairs])
        if trials := [rows @ moved for rows in swaps]:
            self._add("moved", np.vstack(trials))
        values = np.array([block[name].value for name in self.systems])[:, shared]
        differences = [leveled(own[~np.isnan(own)]) for own in (values[a] - values[b] for a, b in self.pairs)]
        self._add("signs", np.array([[(own > 0).sum(), (own == 0).sum(), (own < 0).sum()] for own in differences]))
        self._add("moments", np.array([[own.sum(), (own**2).sum()] for own in differences]))
        if self.interval == "cluster-t":
            both = [np.hstack([kept[a], kept[b]]) for a, b in self.pairs]
            self._add("products", np.array([own.T @ own for own in both]))
        return differences

    def add_lists(self, lists: ListCounts) -> None:
        """Add for how many documents of a block the systems have lists."""
        self._add("lists", lists.both)
        self._add("in use", np.array([lists.documents]))

    def _add(self, part: str, values: Floats | Ints) -> None:
        self.sums.add(f"{self.name}/{part}", values)

    def compared(self, test: str, trials: int = 0, differences: list[Floats] | None = None) -> Compared:
        """Return what the documents add up to.

        differences: of each pair, over all documents, for what needs their ranks, and whether the trials are all that
        there are; None where data are streamed.
        """
        arrays = self.sums.under(self.name)
        n = int(arrays["common"][0])
        moments = [_moments(*own) for own in zip(arrays["signs"], arrays["moments"], strict=True)]
        ranked = [rank_biserial(own) for own in differences or ()] or [float("nan")] * len(moments)
        effects = [_effect(*own) for own in zip(arrays["signs"], moments, ranked, strict=True)]
        left_out = self.sums.ids.get(self.name, Ids())
        p, halves = np.full((2, len(self.pairs)), np.nan)
        lists = ListCounts()
        if "lists" in arrays:
            lists = ListCounts(tuple(self.systems), arrays["lists"].astype(np.int64), int(arrays["in use"][0]))
        if not n:
            return Compared(0, dict.fromkeys(self.systems, float("nan")), {}, p, halves, effects, left_out, lists)
        totals, whole, resampled = arrays["sum"], np.array([[float(n)]]), dict[str, Floats]()
        scores = dict(zip(self.systems, self._value(totals, whole).tolist(), strict=True))
        if "weight" in arrays:
            weight = np.where(arrays["weight"] > 0, arrays["weight"], np.nan)
            resampled = dict(zip(self.systems, self._value(arrays["drawn"], weight), strict=True))
        for i, (a, b) in enumerate(self.pairs):
            if test == "randomisation":
                every = differences is not None and enumerated(n, trials)
                p[i] = self._swapped(arrays["moved"], i, totals[[a]], totals[[b]], n, every)
            elif test == "bootstrap":
                p[i] = bootstrap(resampled[self.systems[a]] - resampled[self.systems[b]])
            elif test == "t":
                p[i] = intervals.t_p(*moments[i])
            elif differences is not None:
                p[i] = wilcoxon_test(differences[i])[1]
            if self.interval == "cluster-t":
                halves[i] = self._half(arrays["products"][i], totals[[a]], totals[[b]], n)
        return Compared(n, scores, resampled, p, halves, effects, left_out, lists)

    def _value(self, sums: Floats, n: Floats) -> Floats:
        """Return the measure for sums (..., B, M) and numbers of documents (B or 1, 1) → (..., B)."""
        if self.average == "micro":
            return np.asarray(self.asked.scores(Cells(*np.moveaxis(sums, -1, 0))))
        return mean_or_f(list(np.moveaxis(sums / n, -1, 0)))

    def _swapped(self, moved: Floats, pair: int, first: Floats, second: Floats, n: int, enumerated: bool) -> float:
        """Return p of the randomisation test: what each trial swaps goes from one system to the other."""
        width, whole = first.shape[1], np.array([[float(n)]])
        moved = moved[:, pair * width : (pair + 1) * width]
        observed = abs(float((self._value(first, whole) - self._value(second, whole))[0]))
        trials = np.abs(self._value(first - moved, whole) - self._value(second + moved, whole))
        reached = reaches(trials, observed).sum()
        return float(reached / len(moved)) if enumerated else float((reached + 1) / (len(moved) + 1))

    def _half(self, products: Floats, first: Floats, second: Floats, n: int) -> float:
        """Return half the width of the cluster t interval of a difference, from the products of what is added up."""
        if self.average != "micro":  # means over documents: what is added up moves by its distance from the mean
            totals = np.hstack([first[0], second[0]])
            products = products - np.outer(totals, totals) / n
        # How the measure moves with each sum, by a complex step.
        steps, whole = STEP * 1j * np.eye(first.shape[1]), np.array([[float(n)]])
        slopes = [np.imag(self._value(totals + steps, whole)) / STEP for totals in (first, second)]
        both = np.hstack([slopes[0], -slopes[1]])[None]
        return float(intervals.t_of_influence(*quadratic(both, products[None]), n)[0])


def _moments(signs: Floats, moments: Floats) -> tuple[float, float, int]:
    """Return the mean of the differences, the sum of their squared distances from it, and how many there are."""
    n, (total, squares) = int(signs.sum()), moments
    mean = total / n if n else float("nan")
    return float(mean), float(spread_of(mean, squares, n)) if n else 0.0, n


def _effect(signs: Floats, moments: tuple[float, float, int], ranked: float) -> tuple[float, float, int, int, int]:
    """Return d_z, the rank-biserial correlation, and the documents won, tied and lost, of one pair."""
    mean, spread, n = moments
    deviation = np.sqrt(spread / (n - 1)) if n > 1 else 0.0
    wins, ties, losses = signs.astype(int).tolist()
    return float(mean / deviation) if deviation > 0 else float("nan"), ranked, wins, ties, losses


def compared_over_runs(
    systems: Mapping[str, Sequence[Counts]],
    pairs: Sequence[tuple[str, str]],
    documents: tuple[str, ...],
    asked: Asked,
    cutoff: Cutoff,
    average: str,
    test: str,
    settings: Settings,
) -> Compared:
    """Return what is found of pairs of systems on the documents on which all runs of all systems are scored.

    systems  system → the counts of its runs; effects are those of the means over runs, document by document
    """
    views = {name: [run.at((cutoff,)) for run in runs] for name, runs in systems.items()}
    values = {name: np.stack([view.values(asked)[:, 0] for view in own]) for name, own in views.items()}
    used = np.all([view.scored for own in views.values() for view in own], axis=0)
    if average != "micro":
        used &= ~np.isnan(np.concatenate(list(values.values()))).any(axis=0)
    left_out, n = Ids.where(documents, ~used), int(used.sum())
    by_document = {name: own.mean(axis=0)[used] for name, own in values.items()}
    effects = [effects_of(by_document[a] - by_document[b]) for a, b in pairs]
    p, halves = np.full((2, len(pairs)), np.nan)
    if not n:
        return Compared(0, dict.fromkeys(systems, float("nan")), {}, p, halves, effects, left_out)
    sampled = {name: sampled_of([influence(asked, view, average, used) for view in own]) for name, own in views.items()}
    scores = {name: float(one.mean[0]) for name, one in sampled.items()}
    rng, borrowed = np.random.default_rng(settings.seed), pooled(sampled.values())
    drawn = multi_bootstrap(list(sampled.values()), used, settings.resamples, rng)
    resampled = {name: own[:, 0] for name, own in zip(sampled, drawn, strict=True)}
    for number, (a, b) in enumerate(pairs):
        error, freedom = variance_of([sampled[a], sampled[b]], n, borrowed).error
        if settings.interval == "two-way-t":
            halves[number] = half_width(error, freedom)[0]
        if test == "multi-bootstrap":
            p[number] = bootstrap(resampled[a] - resampled[b])
        else:
            p[number] = p_of(np.array([scores[a] - scores[b]]), error, freedom)[0]
    runs = {name: len(own) for name, own in systems.items()}
    return Compared(n, scores, resampled, p, halves, effects, left_out, runs=runs)


def effects_of(differences: Floats) -> tuple[float, float, int, int, int]:
    """Return the effects of one pair from its differences on all documents (D,), NaN where one value is undefined."""
    apart = leveled(differences[~np.isnan(differences)])
    signs = np.array([(apart > 0).sum(), (apart == 0).sum(), (apart < 0).sum()])
    return _effect(signs, _moments(signs, np.array([apart.sum(), (apart**2).sum()])), rank_biserial(apart))
