"""Compare systems on the same documents, from sums of their values under the weights of resamples and under swaps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from kp_core.scoring import intervals, paired
from kp_core.scoring.accumulate import (
    Ids,
    PairSums,
    Sums,
    add_to,
    average_of,
    cluster_half_width,
    gradients,
    squared_deviations,
    summands,
)
from kp_core.scoring.by_subject import SubjectCounts, refuse_unsuitable, swapped_difference
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Counts, SystemCounts
from kp_core.scoring.intervals import half_width, jackknife_half_width, t_test_p
from kp_core.scoring.measures.registry import Measure
from kp_core.scoring.order import leveled
from kp_core.scoring.paired import FamilyAt
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.runs import Sampled, have_runs, influence, multi_bootstrap, pooled, runs_of, variance_of
from kp_core.settings import Cutoff


@dataclass(frozen=True)
class Statistic:
    """One system's measure over D documents: summands (D, M), values (D,), and whether they are defined (D,)."""

    summands: Floats
    value: Floats
    defined: Bools


def statistic(system: SystemCounts, measure: Measure, cutoff: Cutoff, average: str) -> Statistic:
    """Return the summands of one system that a comparison needs: counts if they are pooled, else values."""
    view = system.of(measure).at((cutoff,))
    value = view.values(measure)[:, 0]
    parts = [part.astype(float) for part in summands(measure, view, average)]
    return Statistic(np.hstack(parts), value, view.scored if average == "micro" else view.scored & ~np.isnan(value))


def scored_for_all(block: dict[str, Statistic]) -> Bools:
    """Return the documents on which every system is scored (D,)."""
    return np.asarray(np.logical_and.reduce([statistic.defined for statistic in block.values()]))


#: To be compared, each system needs lists for this share of all documents, and both for this share of their union.
COMPARABLE = 0.9


@dataclass(frozen=True)
class ListCounts:
    """The number of documents for which systems have a list in all their runs.

    * `both`: pair of systems → number of documents with lists of both; `documents`: number of documents in use

    >>> lists = ListCounts({("a", "a"): 10, ("a", "b"): 8, ("b", "b"): 9}, 10)
    >>> lists.coverage, lists.lacking("a", "b"), lists.comparable("a", "b")
    ({'a': (10, 10), 'b': (9, 10)}, ['b'], False)
    """

    both: Mapping[tuple[str, str], int] = field(default_factory=dict)
    documents: int = 0

    @classmethod
    def of(cls, systems: Collection[str], both: Ints | Floats, n_documents: int) -> ListCounts:
        """Return the counts from a matrix of the number of documents with lists of both systems (S, S)."""
        return cls(dict(zip(product(systems, systems), both.ravel().astype(int).tolist(), strict=True)), n_documents)

    @property
    def coverage(self) -> dict[str, tuple[int, int]]:
        """System → number of documents with a list, and number of documents in use."""
        return {a: (n_lists, self.documents) for (a, b), n_lists in self.both.items() if a == b}

    def shared(self, a: str, b: str) -> int:
        """Return the number of documents with lists of both systems, or of all documents if it is unknown."""
        return self.both.get((a, b), self.documents)

    def lacking(self, *systems: str) -> list[str]:
        """Return the given systems that lack a list for some document."""
        return [name for name in systems if self.shared(name, name) < self.documents]

    def comparable(self, a: str, b: str) -> bool:
        """Return whether two systems have lists for nearly all documents, and for nearly the same ones."""
        lists, shared = [self.shared(name, name) for name in (a, b)], self.shared(a, b)
        return min(lists) >= COMPARABLE * self.documents and shared >= COMPARABLE * (sum(lists) - shared)


def list_counts(systems: Mapping[str, SystemCounts]) -> ListCounts:
    """Count the documents for which systems have lists in all their runs."""
    counts, groups = next(iter(systems.values())).exact, runs_of(systems)
    in_use = counts.known & counts.resampled
    listed = np.array([np.all([systems[run].exact.listed[in_use] for run in runs], axis=0) for runs in groups.values()])
    return ListCounts.of(groups, listed.astype(np.int64) @ listed.T, int(in_use.sum()))


def under_other_rule(systems: Mapping[str, SystemCounts]) -> dict[str, SystemCounts]:
    """Return counts under the opposite convention for missing lists: left out, or counted as empty lists."""

    def with_opposite_rule(counts: Counts) -> Counts:
        rule = "zero" if counts.settings.missing == "skip" else "skip"
        return replace(counts, settings=counts.settings.changed(missing=rule))

    return {name: system.changed(with_opposite_rule) for name, system in systems.items()}


@dataclass(frozen=True)
class PairResults:
    """The comparison of systems and their pairs (P,).

    * `scores`, `resampled`: system → its value, and its values over the resamples (B,)
    * `p`, `half_widths`: (P,) p-value of the test, and half the width of the t interval
    * `left_out`: documents on which not every system is scored
    * `effects`: for each pair: d_z, rank-biserial correlation (NaN if data are streamed), wins, ties, losses
    * `runs`: system → number of runs, if some system has several
    * `otherwise`: index of a pair → its comparison under the opposite convention, if a list is missing
    * `identical`: system → the first of the systems with the same lists, if that is another one
    """

    pairs: list[tuple[str, str]]
    documents: int
    scores: dict[str, float]
    resampled: dict[str, Floats]
    p: Floats
    half_widths: Floats
    effects: list[tuple[float, float, int, int, int]]
    left_out: Ids = field(default_factory=Ids)
    lists: ListCounts = field(default_factory=ListCounts)
    runs: Mapping[str, int] = field(default_factory=dict)
    otherwise: Mapping[int, PairResults] = field(default_factory=dict)
    identical: Mapping[str, str] = field(default_factory=dict)


class Pairing:
    """Comparison of all pairs of systems, whose sums are added up block by block."""

    def __init__(self, family_at: FamilyAt, systems: Sequence[str], sums: Sums, name: str = "") -> None:
        self.at, self.systems, self.sums, self.name = family_at, list(systems), sums, name
        self.pairs = family_at.family.pairs(self.systems)
        self.places = [(self.systems.index(a), self.systems.index(b)) for a, b in self.pairs]

    def add(
        self,
        block: dict[str, Statistic],
        weights: Floats | None,
        swaps: Iterable[Floats],
        lists: ListCounts | None = None,
    ) -> list[Floats]:
        """Add the D documents of a block on which all systems are scored; return the defined differences of each pair.

        * `weights`: those of the bootstrap (B, D); `swaps`: rows of 0 and 1 (T, D), where 1 marks a swapped document
        """
        in_common = scored_for_all(block)
        stacked = np.stack([block[name].summands[in_common] for name in self.systems])  # (S, D, M)
        values = np.array([block[name].value for name in self.systems])[:, in_common]
        differences = [leveled(d[~np.isnan(d)]) for d in (values[a] - values[b] for a, b in self.places)]
        totals: PairSums = {"common": np.array([in_common.sum()], float), "sums": stacked.sum(axis=1)}
        totals["differences"] = np.array([_sums_of_differences(values_of_pair) for values_of_pair in differences])
        if lists is not None:
            shared_lists = [[float(lists.shared(a, b)) for b in self.systems] for a in self.systems]
            totals |= {"lists": np.array(shared_lists), "in_use": np.array([lists.documents], float)}
        if weights is not None:
            totals |= {"weight": weights.sum(axis=1), "drawn": weights @ stacked}
        moved = np.hstack([stacked[a] - stacked[b] for a, b in self.places])
        if trials := [rows @ moved for rows in swaps]:
            totals["moved"] = np.vstack(trials)
        if self.at.settings.interval == "cluster-t":
            summands_of_both = [np.hstack([stacked[a], stacked[b]]) for a, b in self.places]
            totals["products"] = np.array([summands.T @ summands for summands in summands_of_both])
        add_to(self.sums.pairs, {self.name: totals})
        return differences

    def compared(self, differences: list[Floats] | None = None) -> PairResults:
        """Return the comparison; differences: those of each pair on all documents, None if data are streamed."""
        totals, family = self.sums.pairs[self.name], self.at.family
        n, difference_sums = int(totals["common"][0]), totals["differences"]
        biserial = [paired.rank_biserial(d) for d in differences or ()] or [float("nan")] * len(self.pairs)
        effects = [_effect(*parts) for parts in zip(difference_sums, biserial, strict=True)]
        p, half_widths = np.full((2, len(self.pairs)), np.nan)
        lists, left_out = ListCounts(), self.sums.ids.get(self.name, Ids())
        if "lists" in totals:
            lists = ListCounts.of(self.systems, totals["lists"], int(totals["in_use"][0]))
        if not n:
            undefined = dict.fromkeys(self.systems, float("nan"))
            return PairResults(self.pairs, 0, undefined, {}, p, half_widths, effects, left_out, lists)
        sums, resampled = totals["sums"], dict[str, Floats]()
        scores = dict(zip(self.systems, self._value(sums, n).tolist(), strict=True))
        if "weight" in totals:
            resampled = dict(zip(self.systems, self._value(totals["drawn"], totals["weight"]), strict=True))
        exhaustive = differences is not None and paired.enumerated(n, family.trials)
        for i, (a, b) in enumerate(self.places):
            if family.test == "randomisation":  # swapped values move from one system to the other
                moved = np.split(totals["moved"], len(self.pairs), axis=1)[i]
                observed = self._value(sums[[a]], n) - self._value(sums[[b]], n)
                swapped = self._value(sums[[a]] - moved, n) - self._value(sums[[b]] + moved, n)
                p[i] = paired.p_of_trials(observed, [swapped[:, None]], exhaustive)[0]
            elif family.test == "bootstrap":
                p[i] = paired.bootstrap(resampled[self.systems[a]] - resampled[self.systems[b]])
            elif family.test == "t":
                p[i] = intervals.t_p(*_moments(difference_sums[i]))
            elif differences is not None:
                p[i] = paired.wilcoxon_test(differences[i])[1]
            if "products" in totals:
                half_widths[i] = self._half_width(totals["products"][i], sums[a], sums[b], n)
        return PairResults(self.pairs, n, scores, resampled, p, half_widths, effects, left_out, lists)

    def _value(self, sums: Floats, n: Any) -> Floats:
        """Return the measure (..., B) from sums (..., B, M); `n`: the number of documents, a scalar or (B,)."""
        return np.asarray(average_of(self.at.parsed, self.at.average, list(np.moveaxis(sums, -1, 0)), np.asarray(n)))

    def _half_width(self, products: Floats, first: Floats, second: Floats, n: int) -> float:
        """Return half the width of the cluster t interval of a difference, from the products of the summands."""
        sides, documents = (first, second), np.array([n])
        slopes = [gradients(self.at.parsed, self.at.average, list(sums[:, None, None]), documents) for sums in sides]
        sums = None if self.at.average == "micro" else np.hstack(sides)[None]
        return float(cluster_half_width(np.hstack([slopes[0], -slopes[1]]), products[None], documents, sums)[0])


def _sums_of_differences(differences: Floats) -> Floats:
    """Return the numbers of positive, zero and negative differences, their sum, and their sum of squares (5,)."""
    signs = (differences > 0).sum(), (differences == 0).sum(), (differences < 0).sum()
    return np.array([*signs, differences.sum(), (differences**2).sum()], float)


def _moments(totals: Floats) -> tuple[float, float, int]:
    """Return the mean of the differences, their sum of squared deviations, and their number."""
    n = int(totals[:3].sum())
    mean = totals[3] / n if n else float("nan")
    return float(mean), float(squared_deviations(mean, totals[4], n)) if n else 0.0, n


def _effect(totals: Floats, biserial: float) -> tuple[float, float, int, int, int]:
    """Return d_z, the rank-biserial correlation, and the numbers of documents won, tied and lost, of one pair."""
    mean, spread, n = _moments(totals)
    deviation = np.sqrt(spread / (n - 1)) if n > 1 else 0.0
    wins, ties, losses = totals[:3].astype(int).tolist()
    return float(mean / deviation) if deviation > 0 else float("nan"), biserial, wins, ties, losses


def compare_over_runs(systems: Mapping[str, Sequence[Counts]], documents: tuple[str, ...], at: FamilyAt) -> PairResults:
    """Compare systems, from the counts of each run, on the documents on which all runs of all systems are scored.

    Effect sizes are computed from the mean over runs for each document.
    """
    measure, settings = at.parsed, at.settings
    views = {name: [run.at((at.cutoff,)) for run in runs] for name, runs in systems.items()}
    values = {name: np.stack([view.values(measure)[:, 0] for view in group]) for name, group in views.items()}
    in_use = np.all([view.scored for group in views.values() for view in group], axis=0)
    if at.average != "micro":
        in_use &= ~np.isnan(np.concatenate(list(values.values()))).any(axis=0)
    compared = _only_effects({name: group.mean(axis=0) for name, group in values.items()}, in_use, documents, at)
    if not (n := compared.documents):
        return compared
    sampled = {
        name: Sampled.of(influence(measure, view, at.average, in_use) for view in group)
        for name, group in views.items()
    }
    scores = {name: float(runs.mean[0]) for name, runs in sampled.items()}
    rng, run_variance = np.random.default_rng(settings.seed), pooled(sampled.values())
    draws = multi_bootstrap(list(sampled.values()), in_use, settings.resamples, rng)
    resampled = {name: group[:, 0] for name, group in zip(sampled, draws, strict=True)}
    for index, (a, b) in enumerate(compared.pairs):
        error, freedom = variance_of([sampled[a], sampled[b]], n, run_variance).error
        if settings.interval == "two-way-t":
            compared.half_widths[index] = half_width(error, freedom)[0]
        if at.family.test == "multi-bootstrap":
            compared.p[index] = paired.bootstrap(resampled[a] - resampled[b])
        else:
            compared.p[index] = t_test_p(np.array([scores[a] - scores[b]]), error, freedom)[0]
    n_runs = {name: len(runs) for name, runs in systems.items()}
    return replace(compared, scores=scores, resampled=resampled, runs=n_runs)


def compare_over_subjects(data: Prepared, systems: Mapping[str, SystemCounts], at: FamilyAt) -> PairResults:
    """Compare pairs of systems by means over subjects, on the documents on which all systems are scored.

    A trial of the randomization test swaps two systems' suggestions for a document. Effect sizes are over documents.
    """
    refuse_unsuitable(data, have_runs(list(systems)))
    args, exact = (at.parsed, at.average, data.settings.subject_empty), {name: s.exact for name, s in systems.items()}
    in_use = np.logical_and.reduce([counts.scored for counts in exact.values()])
    values = {name: s.of(at.parsed).at((at.cutoff,)).values(at.parsed)[:, 0] for name, s in systems.items()}
    compared = _only_effects(values, in_use, data.documents, at)
    if not compared.documents:
        return compared
    subjects = {name: SubjectCounts.of(c.alignment, c.limit(at.cutoff), in_use) for name, c in exact.items()}
    left_out = {name: counts.without_each(*args) for name, counts in subjects.items()}
    for index, (a, b) in enumerate(compared.pairs):
        compared.half_widths[index] = jackknife_half_width(left_out[a] - left_out[b])
        difference, rng = swapped_difference(subjects[a], subjects[b], args), np.random.default_rng(data.settings.seed)
        compared.p[index] = paired.randomisation(difference, compared.documents, at.family.trials, rng)
    return replace(compared, scores={name: counts.mean(*args) for name, counts in subjects.items()})


def _only_effects(values: Mapping[str, Floats], in_use: Bools, documents: tuple[str, ...], at: FamilyAt) -> PairResults:
    """Return a comparison with effect sizes from the values of systems (D,); scores and p-values are undefined."""
    pairs, scores = at.family.pairs(list(values)), dict.fromkeys(values, float("nan"))
    effects = [effects_of((values[a] - values[b])[in_use]) for a, b in pairs]
    p, half_widths = np.full((2, len(pairs)), np.nan)
    return PairResults(pairs, int(in_use.sum()), scores, {}, p, half_widths, effects, Ids.where(documents, ~in_use))


def effects_of(differences: Floats) -> tuple[float, float, int, int, int]:
    """Return the effect sizes of one pair from its differences (D,), which are NaN if a value is undefined."""
    defined = leveled(differences[~np.isnan(differences)])
    return _effect(_sums_of_differences(defined), paired.rank_biserial(defined))
