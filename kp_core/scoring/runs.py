"""Turn runs of systems into means and differences, with intervals that treat documents and runs as samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kp_core.scoring import intervals
from kp_core.scoring.accumulate import average_of, gradients, summands
from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.counts import CutoffCounts
from kp_core.scoring.intervals import Estimate, Variance
from kp_core.scoring.measures.registry import Measure
from kp_core.settings import Settings

#: Intervals that treat documents and runs as samples.
OVER_RUNS = ("two-way-t", "multi-bootstrap")
#: The name of a run: system name and suffix.
_RUN = re.compile(r"(?P<system>.+)#[^#]+")


def runs_of(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return system → names of its runs, which differ only after the last #; other names are systems.

    >>> runs_of(["bart#1", "yake", "bart#2", "c#3"])
    {'bart': ('bart#1', 'bart#2'), 'yake': ('yake',), 'c#3': ('c#3',)}
    """
    groups = dict[str, list[str]]()
    for name in names:
        run = _RUN.fullmatch(name)
        groups.setdefault(run["system"] if run else name, []).append(name)
    return {system if len(runs) > 1 else runs[0]: tuple(runs) for system, runs in groups.items()}


def have_runs(names: Sequence[str]) -> bool:
    """Return whether some system has several runs."""
    return len(runs_of(names)) < len(names)


def over_runs(settings: Settings, systems: Sequence[str]) -> Settings:
    """Return the settings, with an interval that also treats runs as a sample if a system has several runs."""
    if have_runs(systems) and settings.interval not in (*OVER_RUNS, "none"):
        return settings.changed(interval="two-way-t")
    return settings


def influence(measure: Measure, view: CutoffCounts, average: str, used: Bools) -> tuple[Floats, Floats]:
    """Return the value of one run (K,), and the influence of each used document (D, K), NaN without a gradient.

    The influence on a mean is the deviation / number of documents; micro averages and F of means are linearized.
    """
    parts, pooled = [np.asarray(part, np.float64) for part in summands(measure, view, average)], average == "micro"
    defined = np.broadcast_to(used[:, None], parts[0].shape) & (pooled | ~np.isnan(sum(parts)))
    n, filled = defined.sum(axis=0), [np.where(defined, part, 0.0) for part in parts]
    sums = [part.sum(axis=0, keepdims=True) for part in filled]
    value = average_of(measure, average, sums, n)[0]
    if pooled and not measure.card.smooth:
        return value, np.full(parts[0].shape, np.nan)
    slopes = gradients(measure, average, sums, n)
    if not pooled:
        filled = [np.where(defined, part - ratio(total, n), 0.0) for part, total in zip(parts, sums, strict=True)]
    return value, np.asarray(sum(part * slopes[:, i] for i, part in enumerate(filled)))


@dataclass(frozen=True)
class Sampled:
    """All runs of one system: the value of each (R, K), and the influence of each document (R, D, K)."""

    values: Floats
    influences: Floats

    @classmethod
    def of(cls, influences: Iterable[Sequence[Floats]]) -> Sampled:
        """Return all runs from the `influence` of each."""
        return cls(*map(np.stack, zip(*influences, strict=True)))

    @property
    def mean(self) -> Floats:
        """The mean over runs (K,)."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def spread(self) -> Floats:
        """The variance of the mean over runs that is due to differences between runs (K,)."""
        runs = len(self.values)
        return np.asarray(self.values.var(axis=0, ddof=1) / runs) if runs > 1 else np.zeros(self.values.shape[1])

    @property
    def within(self) -> Floats:
        """The part of `spread` due to documents, before the factor D / (D − 1) (K,)."""
        runs = len(self.values)
        if runs < 2:
            return np.zeros(self.values.shape[1])
        deviations = self.influences - self.influences.mean(axis=0)
        return np.asarray((deviations**2).sum(axis=(0, 1)) / ((runs - 1) * runs))


class RunVariance(NamedTuple):
    """The variance of a single run (K,), pooled over the systems with several runs; fields as in `Sampled`."""

    spread: Floats
    within: Floats
    freedom: float


def pooled(systems: Iterable[Sampled]) -> RunVariance | None:
    """Return the pooled variance of a single run; None if no system has several runs."""
    with_runs = [system for system in systems if len(system.values) > 1]
    if not with_runs:
        return None
    freedom = np.array([len(system.values) - 1.0 for system in with_runs])
    spread = np.average([len(system.values) * system.spread for system in with_runs], axis=0, weights=freedom)
    within = np.average([len(system.values) * system.within for system in with_runs], axis=0, weights=freedom)
    return RunVariance(np.asarray(spread), np.asarray(within), float(freedom.sum()))


def variance_of(systems: Sequence[Sampled], n_documents: int, run_variance: RunVariance | None = None) -> Variance:
    """Return the variance of a system's mean over runs, or of the difference of two such means.

    * `run_variance`: the variance of a single run, used for all these systems if one of them has only one run
    """
    means = [system.influences.mean(axis=0) for system in systems]
    effect = means[0] if len(means) == 1 else means[0] - means[1]
    scale, freedom = (n_documents / (n_documents - 1), n_documents - 1) if n_documents > 1 else (np.nan, np.nan)
    runs = [(system.spread, len(system.values) - 1.0) for system in systems if len(system.values) > 1]
    within = np.sum([system.within for system in systems], axis=0)
    if run_variance is not None and len(runs) < len(systems):
        share = sum(1 / len(system.values) for system in systems)
        runs, within = [(share * run_variance.spread, run_variance.freedom)], share * run_variance.within
    return Variance(runs, [(scale * (effect**2).sum(axis=0), freedom)], scale * within)


def multi_bootstrap(systems: Sequence[Sampled], used: Bools, resamples: int, rng: np.random.Generator) -> list[Floats]:
    """Return the resampled values of every system (B, K): documents are drawn for all systems at once, runs per system.

    A single run is assigned the variance between the runs of the other systems. Micro averages and F of means are
    linearized. Source: Sellam et al. 2022 (The MultiBERTs), unpaired runs.
    """
    run_variance = pooled(systems)
    weights = intervals.resample(int(used.sum()), resamples, rng)
    resampled = []
    for system in systems:
        runs = len(system.values)
        draws = intervals.resample(runs, resamples, rng) / runs
        run_values = [
            weights @ part[used] + value for part, value in zip(system.influences, system.values, strict=True)
        ]
        resampled.append(np.einsum("br,rbk->bk", draws, np.stack(run_values)))
        if runs == 1 and run_variance is not None:
            deviation = np.sqrt(np.maximum(run_variance.spread - run_variance.within, 0))
            resampled[-1] += deviation * rng.standard_normal(resampled[-1].shape[:1])[:, None]
    return resampled


def mean_of_runs(
    estimates: Sequence[Estimate],
    views: Sequence[Sequence[CutoffCounts]],
    measure: Measure,
    average: str,
    settings: Settings,
) -> Estimate:
    """Return the mean over the runs of a system, with an interval that treats documents and runs as samples.

    There is one estimate per run, and one view per run and gold standard.
    """
    values = np.stack([run.value for run in estimates])
    mean, undefined = values.mean(axis=0), np.full(values.shape[1], np.nan)
    reason = [next(filter(None, reasons), None) for reasons in zip(*(run.reason for run in estimates), strict=True)]
    documents = np.min([run.documents for run in estimates], axis=0)
    estimate = Estimate(mean, undefined, undefined, documents, reason, runs=values)
    if settings.interval not in OVER_RUNS:
        return estimate
    is_used = np.any([view.scored for run in views for view in run], axis=0)
    standards = ([influence(measure, view, average, view.scored) for view in run] for run in views)
    sampled = Sampled.of([np.mean(part, axis=0) for part in zip(*run, strict=True)] for run in standards)
    if settings.interval == "multi-bootstrap":
        if not is_used.any():
            return estimate
        resampled = multi_bootstrap([sampled], is_used, settings.resamples, np.random.default_rng(settings.seed))[0]
        low, high = intervals.percentile(resampled, intervals.expanded_tail(is_used.sum()))
        return replace(estimate, low=low, high=high, resampled=resampled)
    variance = variance_of([sampled], int(is_used.sum()))
    half_width = intervals.half_width(*variance.error)
    return replace(estimate, low=mean - half_width, high=mean + half_width, variance=variance)
