"""Average values over runs and over data sets, with intervals."""

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

#: Subset of the unweighted mean of all data sets.
MEAN = "mean of data sets"


def with_runs(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the tidy frame of rows with the number of runs, and their standard deviation."""
    frame = result_frame(rows)
    runs = {row[:5]: row.provenance.runs for row in reversed(rows) if row.provenance is not None}
    values_of = [runs.get(key, ()) for key in frame[[*Row._fields[:5]]].itertuples(index=False, name=None)]
    deviations = [float(np.std(values, ddof=1)) if len(values) > 1 else None for values in values_of]
    return frame.assign(runs=[max(1, len(values)) for values in values_of], sd=deviations)


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
    """Return the subset of a data set, or of a part of it.

    >>> subset_of("nus", "all"), subset_of("nus", "presence:absent")
    ('dataset:nus', 'dataset:nus/presence:absent')
    """
    return f"dataset:{dataset}" if subset == "all" else f"dataset:{dataset}/{subset}"


def mean_of_datasets(datasets: Sequence[Sequence[Row]], measures: Sequence[str]) -> list[Row]:
    """Return the mean over data sets of each row, undefined if a data set lacks it; measures: as requested."""
    groups = dict[tuple[object, ...], list[tuple[Row, Provenance]]]()
    for row in chain.from_iterable(datasets):
        if row.provenance is not None:
            key = row.system, row.provenance.place, row.average, row.subset
            groups.setdefault(key, []).append((row, row.provenance))
    return [_mean_of(group, len(datasets), measures) for group in groups.values()]


def _mean_of(group: Sequence[tuple[Row, Provenance]], datasets: int, measures: Sequence[str]) -> Row:
    rows, estimates = [row for row, _ in group], [provenance for _, provenance in group]
    first, names, cutoffs = rows[0], {row.measure for row in rows}, {row.k for row in rows}
    value, reason = float(np.mean([row.value for row in rows])), next((row.reason for row in rows if row.reason), None)
    if len(group) < datasets:
        value, reason = float("nan"), "no_dataset"
    provenance = _mean_provenance(value, estimates)
    measure = names.pop() if len(names) == 1 else measures[estimates[0].place[0]]
    k = cutoffs.pop() if len(cutoffs) == 1 else "average"
    subset = MEAN if first.subset == "all" else f"{MEAN}/{first.subset}"
    numbers = value, *_bounds(value, provenance, estimates), sum(row.documents for row in rows)
    undefined = sum(row.undefined for row in rows)
    return Row(first.system, measure, k, first.average, subset, *numbers, undefined, reason, provenance)


def _mean_provenance(value: float, estimates: Sequence[Provenance]) -> Provenance:
    """Return the estimate of a mean over data sets; equal numbers of runs are taken as runs of one model."""
    drawn, runs, nothing = None, None, np.array([np.nan])
    every = [provenance.drawn for provenance in estimates]
    if all(values is not None for values in every):
        # equally large data sets have the same draws under one seed; permuting makes them independent
        orders = (np.random.default_rng([number, len(estimates)]) for number in range(len(estimates)))
        moved = [rng.permutation(values) for rng, values in zip(orders, every, strict=True) if values is not None]
        drawn = np.mean(moved, axis=0)[:, None]
    if estimates[0].runs and len({len(provenance.runs) for provenance in estimates}) == 1:
        runs = np.mean([provenance.runs for provenance in estimates], axis=0)[:, None]
    estimate = Estimate(np.array([value]), nothing, nothing, np.zeros(1, np.int64), [None], drawn, runs=runs)
    return Provenance(estimates[0].place, estimate, 0)


def _bounds(value: float, mean: Provenance, parts: Sequence[Provenance]) -> tuple[float, float]:
    if value != value:
        return value, value
    if mean.drawn is not None:
        low, high = intervals.percentile(mean.drawn[:, None], intervals.expanded_tail(_effective_documents(parts)))
        return float(low[0]), float(high[0])
    size = len(parts)
    paired = [mean.runs] if mean.runs else [part.runs for part in parts]
    share = 1.0 if mean.runs else size
    runs = [
        (np.array([np.var(values, ddof=1) / len(values) / share**2]), len(values) - 1.0)
        for values in paired
        if len(values) > 1
    ]
    documents = [(np.array([variance / size**2]), freedom) for variance, freedom in (part.documents for part in parts)]
    both = np.array([sum(part.both for part in parts) / size**2])
    half = float(half_width(*Variance(runs, documents, both).error)[0])
    return value - half, value + half


def _effective_documents(estimates: Sequence[Provenance]) -> float:
    """Return the effective number of documents of a mean over data sets (Satterthwaite 1946)."""
    variances = np.array([np.nanvar(provenance.drawn) for provenance in estimates if provenance.drawn is not None])
    freedom = np.array([provenance.estimate.documents[provenance.column] for provenance in estimates]) - 1.0
    if freedom.min() < 1 or not variances.any():
        return float(freedom.min()) + 1
    return float(variances.sum() ** 2 / (variances**2 / freedom).sum()) + 1


def notes_of_datasets(corpus: Corpus, results: Mapping[str, Numbers]) -> tuple[Note, ...]:
    """Return the notes shared by all data sets, then those of each data set under its name."""
    first, *others = results.values()
    everywhere = [note for note in first.notes if all(note in other.notes for other in others)]
    whole = tuple(dict.fromkeys([*corpus.report.notes, *everywhere]))
    notes = [(name, note) for name, result in results.items() for note in result.notes if note not in whole]
    return (*whole, *(replace(note, where=f"{name}: {note.where}") for name, note in notes))
