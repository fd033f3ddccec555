"""Turn values of systems on the same documents into sums under weights and swaps, and sums into comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kp_core.scoring import intervals, paired
from kp_core.scoring.accumulate import Ids, Sums, cells_of, mean_or_f, plus, quadratic, spread_of, summands
from kp_core.scoring.by_subject import SubjectCounts, refuse_unfit, swapped_difference
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Counts, SystemCounts
from kp_core.scoring.intervals import STEP, half_width, left_out_half_width, p_of
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.order import leveled
from kp_core.scoring.paired import FamilyAt
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.runs import have_runs, influence, multi_bootstrap, pooled, runs_of, sampled_of, variance_of
from kp_core.settings import Cutoff


@dataclass(frozen=True)
class Statistic:
    """One system's measure over D documents: summands (D, M), values (D,), and whether they are defined (D,)."""

    summands: Floats
    value: Floats
    defined: Bools


def statistic(counted: SystemCounts, asked: Asked, cutoff: Cutoff, average: str) -> Statistic:
    """Return the input of a comparison from one system: counts if they are pooled, else values."""
    view = counted.of(asked).at((cutoff,))
    value = view.values(asked)[:, 0]
    parts = [part.astype(float) for part in summands(asked, view, average)]
    return Statistic(np.hstack(parts), value, view.scored if average == "micro" else view.scored & ~np.isnan(value))


def common(block: dict[str, Statistic]) -> Bools:
    """Return the documents on which every system is scored (D,)."""
    return np.asarray(np.logical_and.reduce([statistic.defined for statistic in block.values()]))


#: Minimum share of documents with lists of both systems for a comparison, among all and among those of either system.
COMPARABLE = 0.9


@dataclass(frozen=True)
class ListCounts:
    """The number of documents for which systems have a list, in each of their runs.

    both  (S, S) documents with a list of both of two systems; documents: number in use

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
        return {
            name: (int(n_lists), self.documents)
            for name, n_lists in zip(self.systems, self.both.diagonal(), strict=True)
        }

    def shared(self, a: str, b: str) -> int:
        """Count the documents with lists of both systems; all documents if lists are unknown."""
        if not self.systems:
            return self.documents
        return int(self.both[self.systems.index(a), self.systems.index(b)])

    def lacking(self, *systems: str) -> list[str]:
        """Return the given systems that lack a list."""
        return [name for name in systems if name in self.systems and self.shared(name, name) < self.documents]

    def comparable(self, a: str, b: str) -> bool:
        """Return whether two systems have lists for nearly the same documents, and for nearly all of them."""
        lists, shared = [self.shared(name, name) for name in (a, b)], self.shared(a, b)
        return min(lists) >= COMPARABLE * self.documents and shared >= COMPARABLE * (sum(lists) - shared)


def list_counts(systems: Mapping[str, SystemCounts]) -> ListCounts:
    """Count the documents for which systems have lists in all their runs."""
    counts, groups = next(iter(systems.values())).exact, runs_of(systems)
    in_use = counts.known & counts.resampled
    listed = np.array([np.all([systems[run].exact.listed[in_use] for run in runs], axis=0) for runs in groups.values()])
    return ListCounts(tuple(groups), listed.astype(np.int64) @ listed.T, int(in_use.sum()))


def under_other_rule(systems: Mapping[str, SystemCounts]) -> dict[str, SystemCounts]:
    """Return counts under the other convention for missing lists."""
    return {
        name: system.changed(lambda counts: replace(counts, settings=paired.other_rule(counts.settings)))
        for name, system in systems.items()
    }


@dataclass(frozen=True)
class Compared:
    """The comparison of systems and their pairs (P,).

    scores, resampled   by system: its value, and the values of the resamples (B,)
    p, halves           (P,) p of the test, and half the width of the t interval
    left_out            documents on which not every system is scored
    effects             by pair: d_z, rank-biserial correlation (NaN if data are streamed), wins, ties, losses
    runs                by system: number of runs, if some system has several
    otherwise           index of a pair → its comparison under the other rule for missing lists, if one is missing
    identical           system → the first system with the same lists, for those that are not first
    """

    pairs: list[tuple[str, str]]
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


@dataclass
class PairTotals:
    """Sums over documents for S systems and their P pairs; a statistic has M summands.

    common         (1,) documents on which every system is scored
    sums, drawn    (S, M), and under weights (S, B, M); weight: (B, 1), sum of the weights
    moved          (T, P · M) what each trial of the randomization test swaps
    signs          (P, 3) documents won, tied and lost; moments (P, 2): differences and their squares
    products       (P, 2M, 2M) of the summands, for the cluster t interval only
    lists, in_use  (S, S) documents with a list of both of two systems; (1,) documents in use
    """

    common: Floats
    sums: Floats
    signs: Floats
    moments: Floats
    lists: Floats | None = None
    in_use: Floats | None = None
    weight: Floats | None = None
    drawn: Floats | None = None
    moved: Floats | None = None
    products: Floats | None = None


class Pairing:
    """Sums over the pairs of systems, added block by block, stored under a name."""

    def __init__(self, at: FamilyAt, systems: Sequence[str], sums: Sums, name: str = "") -> None:
        self.at, self.systems, self.sums, self.name = at, list(systems), sums, name
        self.pairs = at.family.pairs(self.systems)
        self.places = [(self.systems.index(a), self.systems.index(b)) for a, b in self.pairs]

    def add(
        self,
        block: dict[str, Statistic],
        weights: Floats | None,
        swaps: Iterable[Floats],
        lists: ListCounts | None = None,
    ) -> list[Floats]:
        """Add the D documents of a block on which all systems are scored; return the defined differences of each pair.

        weights (B, D) of the bootstrap; swaps: rows of 0 and 1 (T, D), which documents a trial swaps
        """
        shared = common(block)
        kept = np.stack([block[name].summands[shared] for name in self.systems])  # (S, D, M)
        values = np.array([block[name].value for name in self.systems])[:, shared]
        differences = [leveled(d[~np.isnan(d)]) for d in (values[a] - values[b] for a, b in self.places)]
        signs, moments = map(np.array, zip(*map(_summed, differences), strict=True))
        totals = PairTotals(np.array([shared.sum()], float), kept.sum(axis=1), signs, moments)
        if lists is not None:
            totals.lists, totals.in_use = lists.both.astype(float), np.array([lists.documents], float)
        if weights is not None:
            totals.weight, totals.drawn = weights.sum(axis=1)[:, None], weights @ kept
        moved = np.hstack([kept[a] - kept[b] for a, b in self.places])
        if trials := [rows @ moved for rows in swaps]:
            totals.moved = np.vstack(trials)
        if self.at.settings.interval == "cluster-t":
            both = [np.hstack([kept[a], kept[b]]) for a, b in self.places]
            totals.products = np.array([summands.T @ summands for summands in both])
        self.sums.pairs[self.name] = plus(self.sums.pairs.get(self.name), totals)
        return differences

    def compared(self, differences: list[Floats] | None = None) -> Compared:
        """Return the comparison; differences: of each pair over all documents, None if data are streamed."""
        totals, family = self.sums.pairs[self.name], self.at.family
        n = int(totals.common[0])
        ranked = [paired.rank_biserial(d) for d in differences or ()] or [float("nan")] * len(self.pairs)
        effects = [_effect(*parts) for parts in zip(totals.signs, totals.moments, ranked, strict=True)]
        left_out = self.sums.ids.get(self.name, Ids())
        p, halves = np.full((2, len(self.pairs)), np.nan)
        lists = ListCounts()
        if totals.lists is not None:
            lists = ListCounts(tuple(self.systems), totals.lists.astype(np.int64), int(totals.in_use[0]))
        if not n:
            nothing = dict.fromkeys(self.systems, float("nan"))
            return Compared(self.pairs, 0, nothing, {}, p, halves, effects, left_out, lists)
        sums, whole, resampled = totals.sums, np.array([[float(n)]]), dict[str, Floats]()
        scores = dict(zip(self.systems, self._value(sums, whole).tolist(), strict=True))
        if totals.weight is not None:
            weight = np.where(totals.weight > 0, totals.weight, np.nan)
            resampled = dict(zip(self.systems, self._value(totals.drawn, weight), strict=True))
        every = differences is not None and paired.enumerated(n, family.trials)
        for i, (a, b) in enumerate(self.places):
            if family.test == "randomisation":  # swapped values move from one system to the other
                moved = np.split(totals.moved, len(self.pairs), axis=1)[i]
                observed = self._value(sums[[a]], whole) - self._value(sums[[b]], whole)
                swapped = self._value(sums[[a]] - moved, whole) - self._value(sums[[b]] + moved, whole)
                p[i] = paired.p_of_trials(observed, [swapped[:, None]], every)[0]
            elif family.test == "bootstrap":
                p[i] = paired.bootstrap(resampled[self.systems[a]] - resampled[self.systems[b]])
            elif family.test == "t":
                p[i] = intervals.t_p(*_moments(totals.signs[i], totals.moments[i]))
            elif differences is not None:
                p[i] = paired.wilcoxon_test(differences[i])[1]
            if totals.products is not None:
                halves[i] = self._half(totals.products[i], sums[[a]], sums[[b]], n)
        return Compared(self.pairs, n, scores, resampled, p, halves, effects, left_out, lists)

    def _value(self, sums: Floats, n: Floats) -> Floats:
        """Return the measure for sums (..., B, M) and numbers of documents (B or 1, 1) → (..., B)."""
        if self.at.average == "micro":
            return np.asarray(self.at.asked.scores(cells_of(self.at.asked, list(np.moveaxis(sums, -1, 0)))))
        return mean_or_f(list(np.moveaxis(sums / n, -1, 0)))

    def _half(self, products: Floats, first: Floats, second: Floats, n: int) -> float:
        """Return half the width of the cluster t interval of a difference, from the products of the summands."""
        if self.at.average != "micro":  # the influences on a mean are the deviations from it
            totals = np.hstack([first[0], second[0]])
            products = products - np.outer(totals, totals) / n
        steps, whole = STEP * 1j * np.eye(first.shape[1]), np.array([[float(n)]])
        slopes = [np.imag(self._value(totals + steps, whole)) / STEP for totals in (first, second)]
        both = np.hstack([slopes[0], -slopes[1]])[None]
        return float(intervals.t_of_influence(*quadratic(both, products[None]), n)[0])


def _summed(differences: Floats) -> tuple[Floats, Floats]:
    """Return the numbers of positive, zero and negative differences, their sum, and their sum of squares."""
    signs = np.array([(differences > 0).sum(), (differences == 0).sum(), (differences < 0).sum()], float)
    return signs, np.array([differences.sum(), (differences**2).sum()])


def _moments(signs: Floats, moments: Floats) -> tuple[float, float, int]:
    """Return the mean of the differences, their sum of squared deviations, and their number."""
    n = int(signs.sum())
    mean = moments[0] / n if n else float("nan")
    return float(mean), float(spread_of(mean, moments[1], n)) if n else 0.0, n


def _effect(signs: Floats, moments: Floats, ranked: float) -> tuple[float, float, int, int, int]:
    """Return d_z, the rank-biserial correlation, and the documents won, tied and lost, of one pair."""
    mean, spread, n = _moments(signs, moments)
    deviation = np.sqrt(spread / (n - 1)) if n > 1 else 0.0
    wins, ties, losses = signs.astype(int).tolist()
    return float(mean / deviation) if deviation > 0 else float("nan"), ranked, wins, ties, losses


def compared_over_runs(systems: Mapping[str, Sequence[Counts]], documents: tuple[str, ...], at: FamilyAt) -> Compared:
    """Compare systems, by their counts per run, on the documents on which all runs of all systems are scored.

    Effects are those of the means over runs per document.
    """
    asked, settings = at.asked, at.settings
    views = {name: [run.at((at.cutoff,)) for run in runs] for name, runs in systems.items()}
    values = {name: np.stack([view.values(asked)[:, 0] for view in group]) for name, group in views.items()}
    used = np.all([view.scored for group in views.values() for view in group], axis=0)
    if at.average != "micro":
        used &= ~np.isnan(np.concatenate(list(values.values()))).any(axis=0)
    compared = _effects_alone({name: group.mean(axis=0) for name, group in values.items()}, used, documents, at)
    if not (n := compared.documents):
        return compared
    sampled = {
        name: sampled_of([influence(asked, view, at.average, used) for view in group]) for name, group in views.items()
    }
    scores = {name: float(runs.mean[0]) for name, runs in sampled.items()}
    rng, borrowed = np.random.default_rng(settings.seed), pooled(sampled.values())
    drawn = multi_bootstrap(list(sampled.values()), used, settings.resamples, rng)
    resampled = {name: group[:, 0] for name, group in zip(sampled, drawn, strict=True)}
    for number, (a, b) in enumerate(compared.pairs):
        error, freedom = variance_of([sampled[a], sampled[b]], n, borrowed).error
        if settings.interval == "two-way-t":
            compared.halves[number] = half_width(error, freedom)[0]
        if at.family.test == "multi-bootstrap":
            compared.p[number] = paired.bootstrap(resampled[a] - resampled[b])
        else:
            compared.p[number] = p_of(np.array([scores[a] - scores[b]]), error, freedom)[0]
    number_of_runs = {name: len(runs) for name, runs in systems.items()}
    return replace(compared, scores=scores, resampled=resampled, runs=number_of_runs)


def compared_over_subjects(data: Prepared, systems: Mapping[str, SystemCounts], at: FamilyAt) -> Compared:
    """Compare pairs of systems by means over subjects on the documents on which all are scored.

    A trial of the randomization test swaps two systems' suggestions for a document. Effect sizes are over documents.
    """
    refuse_unfit(data, have_runs(list(systems)))
    how, exact = (at.asked, at.average, data.settings.subject_empty), {name: s.exact for name, s in systems.items()}
    used = np.logical_and.reduce([counts.scored for counts in exact.values()])
    values = {name: s.of(at.asked).at((at.cutoff,)).values(at.asked)[:, 0] for name, s in systems.items()}
    compared = _effects_alone(values, used, data.documents, at)
    if not compared.documents:
        return compared
    subjects = {name: SubjectCounts.of(c.alignment, c.limit(at.cutoff), used) for name, c in exact.items()}
    without = {name: counts.without_each(*how) for name, counts in subjects.items()}
    for number, (a, b) in enumerate(compared.pairs):
        compared.halves[number] = left_out_half_width(without[a] - without[b])
        difference, rng = swapped_difference(subjects[a], subjects[b], how), np.random.default_rng(data.settings.seed)
        compared.p[number] = paired.randomisation(difference, compared.documents, at.family.trials, rng)
    return replace(compared, scores={name: counts.mean(*how) for name, counts in subjects.items()})


def _effects_alone(values: Mapping[str, Floats], used: Bools, documents: tuple[str, ...], at: FamilyAt) -> Compared:
    """Return a comparison with effects from values of systems (D,), and undefined scores and tests."""
    pairs, scores = at.family.pairs(list(values)), dict.fromkeys(values, float("nan"))
    effects = [effects_of((values[a] - values[b])[used]) for a, b in pairs]
    p, halves = np.full((2, len(pairs)), np.nan)
    return Compared(pairs, int(used.sum()), scores, {}, p, halves, effects, Ids.where(documents, ~used))


def effects_of(differences: Floats) -> tuple[float, float, int, int, int]:
    """Return the effects of one pair from its differences (D,), which are NaN if a value is undefined."""
    apart = leveled(differences[~np.isnan(differences)])
    return _effect(*_summed(apart), paired.rank_biserial(apart))
