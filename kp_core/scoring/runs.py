"""Turn the runs of systems into means and differences whose intervals take documents and runs as samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kp_core.scoring import intervals
from kp_core.scoring.accumulate import cells_of, gradients, mean_or_f, summands
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.counts import View
from kp_core.scoring.intervals import Estimate, Variance
from kp_core.scoring.measures.registry import Asked
from kp_core.settings import Settings

#: Intervals that take documents and runs as samples.
OVER_RUNS = ("two-way-t", "multi-bootstrap")
#: A run of a system: the name of the system, and what tells its runs apart.
_RUN = re.compile(r"(?P<system>.+)#[^#]+")


def runs_of(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return system → the names of its runs: those that share their name up to the last #; any other name is a system.

    >>> runs_of(["bart#1", "yake", "bart#2", "c#3"])
    {'bart': ('bart#1', 'bart#2'), 'yake': ('yake',), 'c#3': ('c#3',)}
    """
    groups = dict[str, list[str]]()
    for name in names:
        run = _RUN.fullmatch(name)
        groups.setdefault(run["system"] if run else name, []).append(name)
    return {system if len(own) > 1 else own[0]: tuple(own) for system, own in groups.items()}


def have_runs(names: Sequence[str]) -> bool:
    """Return whether some system has several runs."""
    return len(runs_of(names)) < len(names)


def over_runs(settings: Settings, systems: Sequence[str]) -> Settings:
    """Return settings whose interval takes runs as a sample too, where a system has several."""
    if have_runs(systems) and settings.interval not in (*OVER_RUNS, "none"):
        return settings.changed(interval="two-way-t")
    return settings


def influence(asked: Asked, view: View, average: str, used: Bools) -> tuple[Floats, Floats]:
    """Return the value of one run (K,), and by how much each document moves it (D, K); NaN where it has no gradient.

    used  the documents that count (D,); what all of them do adds up to 0: of a mean it is the distance from the mean
          over their number, of a micro average or F of means its linearisation
    """
    parts = [np.asarray(part, np.float64) for part in summands(asked, view, average)]
    if average == "micro":
        kept = [np.where(used[:, None], part, 0.0) for part in parts]
        totals = [part.sum(axis=0, keepdims=True) for part in kept]
        value = asked.scores(cells_of(asked, totals))[0]
        if not asked.measure.smooth:
            return value, np.full(kept[0].shape, np.nan)
        slopes = gradients(asked, totals)
        return value, np.asarray(sum(part * slopes[:, i] for i, part in enumerate(kept)))
    defined = used[:, None] & ~np.isnan(sum(parts))
    n = defined.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [np.where(defined, part, 0.0).sum(axis=0) / n for part in parts]
        moved = [np.where(defined, (part - mean) / n, 0.0) for part, mean in zip(parts, means, strict=True)]
        if len(parts) == 1:
            return means[0], moved[0]
        (p, r), whole = means, means[0] + means[1]
        return mean_or_f(means), 2 * (moved[0] * r**2 + moved[1] * p**2) / whole**2


@dataclass(frozen=True)
class Sampled:
    """All runs of one system: the value of each (R, K), and by how much each document moves it (R, D, K)."""

    values: Floats
    moved: Floats

    @property
    def mean(self) -> Floats:
        """The mean over runs (K,)."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def spread(self) -> Floats:
        """The variance of the mean that comes from the runs (K,)."""
        runs = len(self.values)
        return np.asarray(self.values.var(axis=0, ddof=1) / runs) if runs > 1 else np.zeros(self.values.shape[1])

    @property
    def within(self) -> Floats:
        """The part of that variance that is none of runs, before D / (D − 1): what documents do in single runs (K,)."""
        runs = len(self.values)
        if runs < 2:
            return np.zeros(self.values.shape[1])
        rest = self.moved - self.moved.mean(axis=0)
        return np.asarray((rest**2).sum(axis=(0, 1)) / ((runs - 1) * runs))


def sampled_of(runs: Sequence[tuple[Floats, Floats]]) -> Sampled:
    """Return all runs of a system from the `influence` of each."""
    values, moved = zip(*runs, strict=True)
    return Sampled(np.stack(values), np.stack(moved))


class RunVariance(NamedTuple):
    """The variance of a single run (K,), pooled over the systems that have several, for those that have one.

    spread   between runs; within: the part of it that is none of runs, before D / (D − 1)
    freedom  degrees of freedom: the runs of all these systems, less one for each
    """

    spread: Floats
    within: Floats
    freedom: float


def pooled(systems: Iterable[Sampled]) -> RunVariance | None:
    """Return the pooled variance of a single run; None if no system has several."""
    several = [one for one in systems if len(one.values) > 1]
    if not several:
        return None
    weights = np.array([len(one.values) - 1.0 for one in several])

    def mean(of_means: Sequence[Floats]) -> Floats:
        single = [len(one.values) * part for one, part in zip(several, of_means, strict=True)]
        return np.asarray(np.average(single, axis=0, weights=weights))

    spread, within = mean([one.spread for one in several]), mean([one.within for one in several])
    return RunVariance(spread, within, float(weights.sum()))


def variance_of(systems: Sequence[Sampled], documents: int, borrowed: RunVariance | None = None) -> Variance:
    """Return the variance of a mean over runs, or of the difference of two, where documents and runs are samples.

    systems   one, or the two whose difference is taken; documents: how many of them are used
    borrowed  the variance of a run, which all of these systems have where one of them has a single run
    """
    means = [one.moved.mean(axis=0) for one in systems]
    effect = means[0] if len(means) == 1 else means[0] - means[1]
    scale, freedom = (documents / (documents - 1), documents - 1) if documents > 1 else (np.nan, np.nan)
    runs = [(one.spread, len(one.values) - 1.0) for one in systems if len(one.values) > 1]
    within = np.sum([one.within for one in systems], axis=0)
    if borrowed is not None and len(runs) < len(systems):
        share = sum(1 / len(one.values) for one in systems)
        runs, within = [(share * borrowed.spread, borrowed.freedom)], share * borrowed.within
    return Variance(runs, [(scale * (effect**2).sum(axis=0), freedom)], scale * within)


def multi_bootstrap(systems: Sequence[Sampled], used: Bools, resamples: int, rng: np.random.Generator) -> list[Floats]:
    """Return the values of the resamples of every system (B, K): documents drawn alike for all, runs for each.

    A single run cannot be drawn again: it moves by the variance between the runs of the other systems.
    Source: Sellam et al. 2022 (The MultiBERTs), unpaired runs. Micro averages and F of means move by their influences.
    """
    borrowed = pooled(systems)
    weights = intervals.resample(int(used.sum()), resamples, rng)
    found = []
    for one in systems:
        runs = len(one.values)
        drawn = intervals.resample(runs, resamples, rng) / runs
        moved = [weights @ own[used] + value for own, value in zip(one.moved, one.values, strict=True)]
        found.append(np.einsum("br,rbk->bk", drawn, np.stack(moved)))
        if runs == 1 and borrowed is not None:
            deviation = np.sqrt(np.maximum(borrowed.spread - borrowed.within, 0))
            found[-1] += deviation * rng.standard_normal(found[-1].shape[:1])[:, None]
    return found


def mean_of_runs(
    each: Sequence[Estimate], views: Sequence[Sequence[View]], asked: Asked, average: str, settings: Settings
) -> Estimate:
    """Return the mean over the runs of a system, with an interval that takes documents and runs as samples.

    each   values of each run; views: what the measure sees of each run under each gold standard
    """
    values = np.stack([own.value for own in each])
    mean, nothing = values.mean(axis=0), np.full(values.shape[1], np.nan)
    reason = [next(filter(None, whys), None) for whys in zip(*(own.reason for own in each), strict=True)]
    documents = np.min([own.documents for own in each], axis=0)
    found = Estimate(mean, nothing, nothing, documents, reason, runs=values)
    if settings.interval not in OVER_RUNS:
        return found
    used = np.any([view.scored for own in views for view in own], axis=0)
    standards = ([influence(asked, view, average, view.scored) for view in own] for own in views)
    sampled = sampled_of([tuple(np.mean(part, axis=0) for part in zip(*own, strict=True)) for own in standards])
    if settings.interval == "multi-bootstrap":
        if not used.any():
            return found
        drawn = multi_bootstrap([sampled], used, settings.resamples, np.random.default_rng(settings.seed))[0]
        low, high = intervals.percentile(drawn, intervals.expanded_tail(used.sum()))
        return replace(found, low=low, high=high, resampled=drawn)
    variance = variance_of([sampled], int(used.sum()))
    half = intervals.half_width(*variance.error)
    return replace(found, low=mean - half, high=mean + half, variance=variance)
