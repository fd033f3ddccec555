"""Turn values into means over the runs of a system and over data sets, each with the interval that belongs to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note
from kp_core.scoring import intervals
from kp_core.scoring.intervals import Estimate, Variance, half_width
from kp_core.studies.result import Numbers, Provenance, Row, result_frame

#: The subset of the plain mean of all data sets.
MEAN = "mean of data sets"


def with_runs(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the tidy frame of rows with the number of runs, and their standard deviation."""
    frame = result_frame(rows)
    runs = {row[:5]: row.provenance.runs for row in reversed(rows) if row.provenance is not None}
    each = [runs.get(key, ()) for key in frame[[*Row._fields[:5]]].itertuples(index=False, name=None)]
    deviations = [float(np.std(values, ddof=1)) if len(values) > 1 else None for values in each]
    return frame.assign(runs=[max(1, len(values)) for values in each], sd=deviations)


def run_frame(rows: Sequence[Row], groups: Mapping[str, tuple[str, ...]]) -> pd.DataFrame:
    """Return one row per run of each row: system, run, measure, k, average, subset, value."""
    made = [
        (row.system, run, *row[1:5], value)
        for row in rows
        if row.provenance is not None and len(row.provenance.runs) > 1
        for run, value in zip(groups[row.system], row.provenance.runs, strict=True)
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


def mean_of_datasets(datasets: Sequence[Sequence[Row]], measures: Sequence[str]) -> list[Row]:
    """Return the plain mean over data sets of each row that one of them has; measures: as they were asked for.

    It is undefined if a data set has no such value. Its interval resamples within each data set.
    """
    groups = dict[tuple[object, ...], list[tuple[Row, Provenance]]]()
    for row in chain.from_iterable(datasets):
        if row.provenance is not None:
            key = row.system, row.provenance.place, row.average, row.subset
            groups.setdefault(key, []).append((row, row.provenance))
    return [_mean_of(group, len(datasets), measures) for group in groups.values()]


def _mean_of(group: Sequence[tuple[Row, Provenance]], datasets: int, measures: Sequence[str]) -> Row:
    rows, each = [row for row, _ in group], [provenance for _, provenance in group]
    first, names, cutoffs = rows[0], {row.measure for row in rows}, {row.k for row in rows}
    value, reason = float(np.mean([row.value for row in rows])), next((row.reason for row in rows if row.reason), None)
    if len(group) < datasets:
        value, reason = float("nan"), "no_dataset"
    provenance = _mean_provenance(value, each)
    low, high = _bounds(value, provenance, each)
    return Row(
        first.system,
        names.pop() if len(names) == 1 else measures[each[0].place[0]],
        cutoffs.pop() if len(cutoffs) == 1 else "average",
        first.average,
        MEAN if first.subset == "all" else f"{MEAN}/{first.subset}",
        value,
        low,
        high,
        sum(row.documents for row in rows),
        sum(row.undefined for row in rows),
        reason,
        provenance,
    )


def _mean_provenance(value: float, each: Sequence[Provenance]) -> Provenance:
    """Return the estimate behind a mean over data sets; runs of one number are one model, evaluated on all of them."""
    drawn, runs, nothing = None, None, np.array([np.nan])
    every = [provenance.drawn for provenance in each]
    if all(values is not None for values in every):
        # Data sets of one size are drawn alike by one seed: another order for each makes their draws independent.
        orders = (np.random.default_rng([number, len(each)]) for number in range(len(each)))
        moved = [rng.permutation(values) for rng, values in zip(orders, every, strict=True) if values is not None]
        drawn = np.mean(moved, axis=0)[:, None]
    if each[0].runs and len({len(provenance.runs) for provenance in each}) == 1:
        runs = np.mean([provenance.runs for provenance in each], axis=0)[:, None]
    estimate = Estimate(np.array([value]), nothing, nothing, np.zeros(1, np.int64), [None], drawn, runs=runs)
    return Provenance(each[0].place, estimate, 0)


def _bounds(value: float, mean: Provenance, each: Sequence[Provenance]) -> tuple[float, float]:
    """Return the interval of a mean over data sets."""
    if value != value:
        return value, value
    if mean.drawn is not None:
        low, high = intervals.percentile(mean.drawn[:, None], intervals.expanded_tail(_as_many(each)))
        return float(low[0]), float(high[0])
    size = len(each)
    paired = [mean.runs] if mean.runs else [provenance.runs for provenance in each]
    share = 1.0 if mean.runs else size
    runs = [
        (np.array([np.var(values, ddof=1) / len(values) / share**2]), len(values) - 1.0)
        for values in paired
        if len(values) > 1
    ]
    documents = [(np.array([variance / size**2]), freedom) for variance, freedom in (one.documents for one in each)]
    both = np.array([sum(provenance.both for provenance in each) / size**2])
    half = float(half_width(*Variance(runs, documents, both).error)[0])
    return value - half, value + half


def _as_many(each: Sequence[Provenance]) -> float:
    """Return how many documents of one data set would have the degrees of freedom of the mean over several.

    Source: Satterthwaite 1946, by the variance of each data set's resamples.
    """
    variances = np.array([np.nanvar(provenance.drawn) for provenance in each if provenance.drawn is not None])
    freedom = np.array([provenance.estimate.documents[provenance.column] for provenance in each]) - 1.0
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
