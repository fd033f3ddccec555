"""Turn the runs of systems into means and differences whose intervals take documents and runs as samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kp_core.scoring import intervals
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.intervals import Variance
from kp_core.settings import Settings

#: Intervals that take documents and runs as samples.
OVER_RUNS = ("two-way-t", "multi-bootstrap")
#: A run of a system: the name of the system, and what tells its runs apart.
_RUN = re.compile(r"(?P<system>.+)#[^#]+")


def runs_of(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return system → the names of its runs: those alike up to a last #; a name that stands alone is a system.

    >>> runs_of(["bart#1", "yake", "bart#2", "c#3"])
    {'bart': ('bart#1', 'bart#2'), 'yake': ('yake',), 'c#3': ('c#3',)}
    """
    found = dict[str, list[str]]()
    for name in names:
        run = _RUN.fullmatch(name)
        found.setdefault(run["system"] if run else name, []).append(name)
    return {system if len(own) > 1 else own[0]: tuple(own) for system, own in found.items()}


def have_runs(names: Sequence[str]) -> bool:
    """Tell whether some system has several runs."""
    return len(runs_of(names)) < len(names)


def over_runs(settings: Settings, systems: Sequence[str]) -> Settings:
    """Return settings whose interval takes runs as a sample too, where a system has several."""
    if have_runs(systems) and settings.interval not in (*OVER_RUNS, "none"):
        return settings.changed(interval="two-way-t")
    return settings


@dataclass(frozen=True)
class Influence:
    """The value of one run in each column (K,), and by how much each document moves it (D, K); these add up to 0."""

    value: Floats
    moved: Floats


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


def sampled_of(runs: Sequence[Influence]) -> Sampled:
    """Return all runs of a system."""
    return Sampled(np.stack([one.value for one in runs]), np.stack([one.moved for one in runs]))


@dataclass(frozen=True)
class RunVariance:
    """The variance of a single run (K,), pooled over the systems that have several, for those that have one.

    spread   between runs; within: the part of it that is none of runs, before D / (D − 1)
    freedom  degrees of freedom: the runs of all these systems, less one for each
    """

    spread: Floats
    within: Floats
    freedom: float


def pooled(systems: Iterable[Sampled]) -> RunVariance | None:
    """Return the pooled variance of a single run; None where no system has several."""
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
    apart = means[0] if len(means) == 1 else means[0] - means[1]
    scale, freedom = (documents / (documents - 1), documents - 1) if documents > 1 else (np.nan, np.nan)
    runs = [(one.spread, len(one.values) - 1.0) for one in systems if len(one.values) > 1]
    within = np.sum([one.within for one in systems], axis=0)
    if borrowed is not None and len(runs) < len(systems):
        share = sum(1 / len(one.values) for one in systems)
        runs, within = [(share * borrowed.spread, borrowed.freedom)], share * borrowed.within
    return Variance(runs, [(scale * (apart**2).sum(axis=0), freedom)], scale * within)


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
