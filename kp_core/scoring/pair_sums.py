"""Turn what systems get on the same documents into sums under weights and swaps, and these into comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Ids, Sums, cells_of, mean_or_f, plus, quadratic, spread_of, summands
from kp_core.scoring.by_subject import SubjectCounts, refuse_unfit, swapped_difference
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Counts, SystemCounts
from kp_core.scoring.intervals import STEP, half_width, left_out_half_width, p_of
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.order import leveled
from kp_core.scoring.paired import (
    FamilyAt,
    bootstrap,
    enumerated,
    p_of_trials,
    randomisation,
    rank_biserial,
    wilcoxon_test,
)
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.runs import have_runs, influence, multi_bootstrap, pooled, runs_of, sampled_of, variance_of
from kp_core.settings import Cutoff


@dataclass(frozen=True)
class Statistic:
    """One system's measure over D documents: what is added up (D, M), the value (D,), and where it is defined (D,)."""

    summands: Floats
    value: Floats
    defined: Bools


def statistic(counted: SystemCounts, asked: Asked, cutoff: Cutoff, average: str) -> Statistic:
    """Return what a comparison sees of one system: counts if they are pooled, else values."""
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
        return {
            name: (int(n_lists), self.documents)
            for name, n_lists in zip(self.systems, self.both.diagonal(), strict=True)
        }

    def shared(self, a: str, b: str) -> int:
        """Return for how many documents both of two systems have a list; all documents if nothing is known."""
        if not self.systems:
            return self.documents
        return int(self.both[self.systems.index(a), self.systems.index(b)])

    def lacking(self, *systems: str) -> list[str]:
        """Return which of some systems lack a list."""
        return [name for name in systems if name in self.systems and self.shared(name, name) < self.documents]

    def comparable(self, a: str, b: str) -> bool:
        """Return whether two systems have lists for nearly the same documents, and for nearly all in use."""
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
    """What was found of systems and their pairs (P,).

    scores, resampled   of each system: its value, and the values of the resamples (B,)
    p, halves           of each pair (P,): p of the test, and half the width of the cluster t interval
    left_out            documents on which not every system is scored
    effects             of each pair: d_z, rank-biserial correlation (none where data are streamed), wins, ties, losses
    lists               for how many documents the systems have lists
    runs                of each system: how many runs, if some system has several
    otherwise           number of a pair → what is found of it under the other rule for missing lists, if one is missing
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
    """What documents add up to for S systems and their P pairs; a statistic adds up M numbers.

    common         (1,) documents on which every system is scored
    sums, drawn    (S, M), and under weights (S, B, M); weight: (B, 1), that of the documents
    moved          (T, P · M) what each trial of the randomisation test swaps
    signs          (P, 3) documents won, tied and lost; moments (P, 2): differences and their squares
    products       (P, 2M, 2M) of what is added up, for the cluster t interval alone
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
    """Sums over the pairs of systems, added block by block of documents, stored under a name."""

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
        """Add the D documents of a block on which every system is scored.

        weights (B, D) of the bootstrap; swaps: rows of 0 and 1 (T, D), which documents a trial swaps; lists: for how
        many documents of the block the systems have lists. Return the differences of each pair on those of the
        documents that have both values.
        """
        shared = common(block)
        kept = np.stack([block[name].summands[shared] for name in self.systems])  # (S, D, M)
        values = np.array([block[name].value for name in self.systems])[:, shared]
        differences = [leveled(own[~np.isnan(own)]) for own in (values[a] - values[b] for a, b in self.places)]
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
            totals.products = np.array([own.T @ own for own in both])
        self.sums.pairs[self.name] = plus(self.sums.pairs.get(self.name), totals)
        return differences

    def compared(self, differences: list[Floats] | None = None) -> Compared:
        """Return what the documents add up to.

        differences: of each pair, over all documents, for what needs their ranks, and whether the trials are all that
        there are; None where data are streamed.
        """
        totals, family = self.sums.pairs[self.name], self.at.family
        n = int(totals.common[0])
        ranked = [rank_biserial(own) for own in differences or ()] or [float("nan")] * len(self.pairs)
        effects = [_effect(*own) for own in zip(totals.signs, totals.moments, ranked, strict=True)]
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
        every = differences is not None and enumerated(n, family.trials)
        for i, (a, b) in enumerate(self.places):
            if family.test == "randomisation":  # what each trial swaps goes from one system to the other
                moved = np.split(totals.moved, len(self.pairs), axis=1)[i]
                observed = self._value(sums[[a]], whole) - self._value(sums[[b]], whole)
                swapped = self._value(sums[[a]] - moved, whole) - self._value(sums[[b]] + moved, whole)
                p[i] = p_of_trials(observed, [swapped[:, None]], every)[0]
            elif family.test == "bootstrap":
                p[i] = bootstrap(resampled[self.systems[a]] - resampled[self.systems[b]])
            elif family.test == "t":
                p[i] = intervals.t_p(*_moments(totals.signs[i], totals.moments[i]))
            elif differences is not None:
                p[i] = wilcoxon_test(differences[i])[1]
            if totals.products is not None:
                halves[i] = self._half(totals.products[i], sums[[a]], sums[[b]], n)
        return Compared(self.pairs, n, scores, resampled, p, halves, effects, left_out, lists)

    def _value(self, sums: Floats, n: Floats) -> Floats:
        """Return the measure for sums (..., B, M) and numbers of documents (B or 1, 1) → (..., B)."""
        if self.at.average == "micro":
            return np.asarray(self.at.asked.scores(cells_of(self.at.asked, list(np.moveaxis(sums, -1, 0)))))
        return mean_or_f(list(np.moveaxis(sums / n, -1, 0)))

    def _half(self, products: Floats, first: Floats, second: Floats, n: int) -> float:
        """Return half the width of the cluster t interval of a difference, from the products of what is added up."""
        if self.at.average != "micro":  # means over documents: what is added up moves by its distance from the mean
            totals = np.hstack([first[0], second[0]])
            products = products - np.outer(totals, totals) / n
        # How the measure moves with each sum, by a complex step.
        steps, whole = STEP * 1j * np.eye(first.shape[1]), np.array([[float(n)]])
        slopes = [np.imag(self._value(totals + steps, whole)) / STEP for totals in (first, second)]
        both = np.hstack([slopes[0], -slopes[1]])[None]
        return float(intervals.t_of_influence(*quadratic(both, products[None]), n)[0])


def _summed(differences: Floats) -> tuple[Floats, Floats]:
    """Return how many differences are above 0, 0, and below it; and their sum and that of their squares."""
    signs = np.array([(differences > 0).sum(), (differences == 0).sum(), (differences < 0).sum()], float)
    return signs, np.array([differences.sum(), (differences**2).sum()])


def _moments(signs: Floats, moments: Floats) -> tuple[float, float, int]:
    """Return the mean of the differences, the sum of their squared distances from it, and how many there are."""
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
    """Compare pairs of systems on the documents on which all runs of all systems are scored.

    systems  system → the counts of its runs; effects are those of the means over runs, document by document
    """
    asked, settings, pairs = at.asked, at.settings, at.family.pairs(list(systems))
    views = {name: [run.at((at.cutoff,)) for run in runs] for name, runs in systems.items()}
    values = {name: np.stack([view.values(asked)[:, 0] for view in group]) for name, group in views.items()}
    used = np.all([view.scored for group in views.values() for view in group], axis=0)
    if at.average != "micro":
        used &= ~np.isnan(np.concatenate(list(values.values()))).any(axis=0)
    left_out, n = Ids.where(documents, ~used), int(used.sum())
    by_document = {name: group.mean(axis=0)[used] for name, group in values.items()}
    effects = [effects_of(by_document[a] - by_document[b]) for a, b in pairs]
    p, halves = np.full((2, len(pairs)), np.nan)
    if not n:
        return Compared(pairs, 0, dict.fromkeys(systems, float("nan")), {}, p, halves, effects, left_out)
    sampled = {
        name: sampled_of([influence(asked, view, at.average, used) for view in group]) for name, group in views.items()
    }
    scores = {name: float(one.mean[0]) for name, one in sampled.items()}
    rng, borrowed = np.random.default_rng(settings.seed), pooled(sampled.values())
    drawn = multi_bootstrap(list(sampled.values()), used, settings.resamples, rng)
    resampled = {name: group[:, 0] for name, group in zip(sampled, drawn, strict=True)}
    for number, (a, b) in enumerate(pairs):
        error, freedom = variance_of([sampled[a], sampled[b]], n, borrowed).error
        if settings.interval == "two-way-t":
            halves[number] = half_width(error, freedom)[0]
        if at.family.test == "multi-bootstrap":
            p[number] = bootstrap(resampled[a] - resampled[b])
        else:
            p[number] = p_of(np.array([scores[a] - scores[b]]), error, freedom)[0]
    runs = {name: len(group) for name, group in systems.items()}
    return Compared(pairs, n, scores, resampled, p, halves, effects, left_out, runs=runs)


def compared_over_subjects(data: Prepared, systems: Mapping[str, SystemCounts], at: FamilyAt) -> Compared:
    """Compare pairs of systems by means over subjects on the documents on which all are scored.

    A trial of the randomisation test swaps what two systems suggest for a document. Effects are those of documents, and
    ranks have no bounds.
    """
    refuse_unfit(data, have_runs(list(systems)))
    pairs = at.family.pairs(list(systems))
    used = np.logical_and.reduce([own.exact.scored for own in systems.values()])
    values = {name: own.of(at.asked).at((at.cutoff,)).values(at.asked)[used, 0] for name, own in systems.items()}
    effects = [effects_of(values[a] - values[b]) for a, b in pairs]
    left_out, n = Ids.where(data.documents, ~used), int(used.sum())
    p, halves = np.full((2, len(pairs)), np.nan)
    if not n:
        return Compared(pairs, 0, dict.fromkeys(systems, float("nan")), {}, p, halves, effects, left_out)
    how, counts = (
        (at.asked, at.average, data.settings.subject_empty),
        {name: own.exact for name, own in systems.items()},
    )
    subjects = {name: SubjectCounts.of(own.alignment, own.limit(at.cutoff), used) for name, own in counts.items()}
    without = {name: own.without_each(*how) for name, own in subjects.items()}
    for number, (a, b) in enumerate(pairs):
        halves[number] = left_out_half_width(without[a] - without[b])
        difference = swapped_difference(subjects[a], subjects[b], how)
        p[number] = randomisation(difference, n, at.family.trials, np.random.default_rng(data.settings.seed))
    scores = {name: own.mean(*how) for name, own in subjects.items()}
    return Compared(pairs, n, scores, {}, p, halves, effects, left_out)


def effects_of(differences: Floats) -> tuple[float, float, int, int, int]:
    """Return the effects of one pair from its differences on all documents (D,), NaN where one value is undefined."""
    apart = leveled(differences[~np.isnan(differences)])
    return _effect(*_summed(apart), rank_biserial(apart))
