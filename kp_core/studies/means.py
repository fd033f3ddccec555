"""Turn values into means over the runs of a system and over data sets, each with the interval that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import influence
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import Counts
from kp_core.scoring.intervals import Estimate, Variance, half_width
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.runs import Influence, have_runs, multi_bootstrap, sampled_of, variance_of
from kp_core.settings import Cutoff, Settings
from kp_core.studies.result import Numbers, Row, result_frame

#: Intervals that take documents and runs as samples.
OVER_RUNS = ("two-way-t", "multi-bootstrap")
#: The subset of the plain mean of all data sets.
MEAN = "mean of data sets"


class Basis(NamedTuple):
    """What the value of a row rests on: a column of an estimate; place: which measure and cutoff were asked for."""

    place: tuple[int, int]
    estimate: Estimate
    column: int

    @property
    def drawn(self) -> Floats | None:
        """Values of the resamples (B,), where there are any."""
        return None if self.estimate.resampled is None else self.estimate.resampled[:, self.column]

    @property
    def runs(self) -> tuple[float, ...]:
        """Values of the runs, where a system may have several."""
        return () if self.estimate.runs is None else tuple(self.estimate.runs[:, self.column].tolist())

    @property
    def documents(self) -> tuple[float, float]:
        """The variance that comes from the documents, with its degrees of freedom; NaN where it is not known."""
        one, at = self.estimate, self.column
        if one.variance is not None:
            [(of_documents, freedom)] = one.variance.documents
            return float(of_documents[at]), freedom
        n = int(one.documents[at])
        return (intervals.error_of(float(one.low[at]), float(one.high[at]), n) ** 2 if n > 1 else float("nan")), n - 1.0

    @property
    def both(self) -> float:
        """What this variance and that of the runs both hold."""
        return 0.0 if self.estimate.variance is None else float(self.estimate.variance.both[self.column])


def over_runs(settings: Settings, systems: Sequence[str]) -> Settings:
    """Return settings whose interval takes runs as a sample too, where a system has several."""
    if have_runs(systems) and settings.interval not in (*OVER_RUNS, "none"):
        return settings.changed(interval="two-way-t")
    return settings


def mean_of_runs(
    each: Sequence[Estimate],
    counts: Sequence[Sequence[Counts]],
    asked: Asked,
    average: str,
    cutoffs: tuple[Cutoff, ...],
    settings: Settings,
) -> Estimate:
    """Return the mean over the runs of a system, with an interval that takes documents and runs as samples.

    each    values of each run; counts: of each run under each gold standard
    """
    values = np.stack([own.value for own in each])
    nothing = np.full(values.shape[1], np.nan)
    reason = [next((own.reason[i] for own in each if own.reason[i]), None) for i in range(values.shape[1])]
    documents = np.min([own.documents for own in each], axis=0)
    mean = values.mean(axis=0)
    found = Estimate(mean, nothing, nothing, documents, reason, runs=values)
    if settings.interval not in OVER_RUNS:
        return found
    views = [[standard.at(cutoffs) for standard in own] for own in counts]
    used = np.any([view.used for own in views for view in own], axis=0)
    sampled = sampled_of([_mean_influence([influence(asked, one, average, one.used) for one in own]) for own in views])
    if settings.interval == "multi-bootstrap":
        if not used.any():
            return found
        drawn = multi_bootstrap([sampled], used, settings.resamples, np.random.default_rng(settings.seed))[0]
        low, high = intervals.percentile(drawn, intervals.expanded_tail(used.sum()))
        return replace(found, low=low, high=high, resampled=drawn)
    variance = variance_of([sampled], int(used.sum()))
    half = half_width(*variance.error)
    return replace(found, low=mean - half, high=mean + half, variance=variance)


def _mean_influence(standards: Sequence[Influence]) -> Influence:
    """Return the mean over several gold standards."""
    value = np.mean([one.value for one in standards], axis=0)
    return Influence(value, np.mean([one.moved for one in standards], axis=0))


def bases(place: int, values: Estimate, cutoffs: int) -> Iterator[Basis]:
    """Give what each row of a measure rests on; the one column of people stands for all cutoffs."""
    for number in range(cutoffs):
        yield Basis((place, number), values, min(number, len(values.value) - 1))


def with_runs(rows: Sequence[tuple[Row, Basis]]) -> pd.DataFrame:
    """Return the tidy frame of rows with the number of runs, and their standard deviation."""
    return result_frame([(*row, max(1, len(basis.runs)), _deviation(basis.runs)) for row, basis in rows])


def _deviation(runs: Sequence[float]) -> float | None:
    return float(np.std(runs, ddof=1)) if len(runs) > 1 else None


def run_frame(rows: Sequence[tuple[Row, Basis]], groups: Mapping[str, tuple[str, ...]]) -> pd.DataFrame:
    """Return one row a run of each row: system, run, measure, k, average, subset, value."""
    made = [
        (row[0], run, *row[1:5], value)
        for row, basis in rows
        for run, value in zip(groups.get(row[0], (row[0],)), basis.runs, strict=False)
        if len(basis.runs) > 1
    ]
    frame = pd.DataFrame(made, columns=["system", "run", "measure", "k", "average", "subset", "value"])
    frame["k"] = pd.Series([row[3] for row in made], dtype=object)
    return frame


def subset_of(dataset: str, subset: str) -> str:
    """Return the name of a data set, or of a part of it, as rows print it.

    >>> subset_of("nus", "all"), subset_of("nus", "presence:absent")
    ('dataset:nus', 'dataset:nus/presence:absent')
    """
    return f"dataset:{dataset}" if subset == "all" else f"dataset:{dataset}/{subset}"


def mean_of_datasets(
    found: Mapping[str, Sequence[tuple[Row, Basis]]], measures: Sequence[str]
) -> list[tuple[Row, Basis]]:
    """Return the plain mean over data sets of each row that one of them has; measures: as they were asked for.

    It is undefined where a data set has no such value. Its interval resamples within each data set.
    """
    each = dict[tuple[object, ...], list[tuple[Row, Basis]]]()
    for row, basis in chain.from_iterable(found.values()):
        each.setdefault((row[0], basis.place, row[3], row[4]), []).append((row, basis))
    return [_mean_of(own, len(found), measures) for own in each.values()]


def _mean_of(own: Sequence[tuple[Row, Basis]], datasets: int, measures: Sequence[str]) -> tuple[Row, Basis]:
    rows, rest = [row for row, _ in own], [basis for _, basis in own]
    system, _, _, average, subset = rows[0][:5]
    names, cutoffs = {row[1] for row in rows}, {row[2] for row in rows}
    measure = names.pop() if len(names) == 1 else measures[rest[0].place[0]]
    k = cutoffs.pop() if len(cutoffs) == 1 else "average"
    documents, undefined = sum(row[8] for row in rows), sum(row[9] for row in rows)
    value, reason = float(np.mean([row[5] for row in rows])), next((row[10] for row in rows if row[10]), None)
    if len(own) < datasets:
        value, reason = float("nan"), "no_dataset"
    basis = _basis_of(value, rest)
    low, high = _bounds(value, basis, rest)
    label = MEAN if subset == "all" else f"{MEAN}/{subset}"
    return (system, measure, k, average, label, value, low, high, documents, undefined, reason), basis


def _basis_of(value: float, each: Sequence[Basis]) -> Basis:
    """Return what a mean over data sets rests on; runs of one number are one model, evaluated on all of them."""
    drawn, runs, nothing = None, None, np.array([np.nan])
    every = [one.drawn for one in each]
    if all(one is not None for one in every):
        # Data sets of one size are drawn alike by one seed: another order for each makes their draws independent.
        orders = (np.random.default_rng([number, len(each)]) for number in range(len(each)))
        moved = [rng.permutation(one) for rng, one in zip(orders, every, strict=True) if one is not None]
        drawn = np.mean(moved, axis=0)[:, None]
    if each[0].runs and len({len(one.runs) for one in each}) == 1:
        runs = np.mean([one.runs for one in each], axis=0)[:, None]
    estimate = Estimate(np.array([value]), nothing, nothing, np.zeros(1, np.int64), [None], drawn, runs=runs)
    return Basis(each[0].place, estimate, 0)


def _bounds(value: float, basis: Basis, each: Sequence[Basis]) -> tuple[float, float]:
    """Return the interval of a mean over data sets."""
    if value != value:
        return value, value
    if basis.drawn is not None:
        low, high = intervals.percentile(basis.drawn[:, None], intervals.expanded_tail(_as_many(each)))
        return float(low[0]), float(high[0])
    size = len(each)
    paired = [basis.runs] if basis.runs else [one.runs for one in each]
    share = 1.0 if basis.runs else size
    runs = [(np.array([np.var(own, ddof=1) / len(own) / share**2]), len(own) - 1.0) for own in paired if len(own) > 1]
    documents = [(np.array([one.documents[0] / size**2]), one.documents[1]) for one in each]
    both = np.array([sum(one.both for one in each) / size**2])
    half = float(half_width(*Variance(runs, documents, both).error)[0])
    return value - half, value + half


def _as_many(each: Sequence[Basis]) -> float:
    """Return how many documents of one data set would have the degrees of freedom of the mean over several.

    Source: Satterthwaite 1946, by the variance of each data set's resamples.
    """
    variances = np.array([np.nanvar(one.drawn) for one in each if one.drawn is not None])
    freedom = np.array([one.estimate.documents[one.column] for one in each]) - 1.0
    if freedom.min() < 1 or not variances.any():
        return float(freedom.min()) + 1
    return float(variances.sum() ** 2 / (variances**2 / freedom).sum()) + 1


def notes_of_datasets(corpus: Corpus, results: Mapping[str, Numbers]) -> tuple[Note, ...]:
    """Return what the reader must know of all data sets, and then of each under its name."""
    everywhere = [
        note for note in next(iter(results.values())).notes if all(note in one.notes for one in results.values())
    ]
    whole = tuple(dict.fromkeys([*corpus.report.notes, *everywhere]))
    own = [
        replace(note, where=f"{name}: {note.where}")
        for name, one in results.items()
        for note in one.notes
        if note not in whole
    ]
    return (*whole, *own)
