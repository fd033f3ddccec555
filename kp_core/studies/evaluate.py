"""Evaluate every system of a corpus by every measure at every cutoff, with intervals and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, input_error, named
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Accumulator, Grid, Sums, add_to, estimate, mean_of
from kp_core.scoring.by_subject import subject_estimates
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Bools, forms_of
from kp_core.scoring.counts import BASELINES, HUMANS, SystemCounts
from kp_core.scoring.gold import leave_one_out_rule
from kp_core.scoring.intervals import Estimate, error_of, independent_error
from kp_core.scoring.measures.agreement import against_others
from kp_core.scoring.measures.registry import SPECIAL, Matcher, Measure, matchers, names_in, parse
from kp_core.scoring.prepare import NOBODY, Names, Prepared, prepare
from kp_core.scoring.runs import OVER_RUNS, have_runs, mean_of_runs, over_runs, runs_of
from kp_core.scoring.semantic import notes_on_similarities
from kp_core.scoring.systems import count_systems
from kp_core.settings import SUBJECT, Changes, Settings, resolve_settings
from kp_core.studies.facts import add_evaluation, evaluation_notes, id_notes, notes_above_one, notes_on_subjects
from kp_core.studies.parts import DATASET, SIDES, By, Systems, describe_thirds, parse_by, parts, side_of, subsets
from kp_core.studies.result import Result, Row, mean_of_datasets, notes_of_datasets, result_frame, run_frame, subset_of

DEFAULT_MEASURES = ("P@k", "R@k", "F1@k", "MAP", "MRR", "nDCG@k", "kappa", "P_pos", "P_neg", "PABAK")


def evaluate(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Iterable[str] | str | None = None,
    *,
    baselines: bool = False,
    by: str | Sequence[str] = "",
    **changes: Unpack[Changes],
) -> Result:
    """Evaluate all systems of a corpus against its gold standard.

    Several data sets (`kp.together`) are evaluated separately and averaged without weights. A system with several runs,
    such as `bart#1` and `bart#2`, has one row: the mean over runs, their standard deviation, and their number.

    Parameters
    ----------
    measures : str or sequence of str, optional
        Names of `kp.MEASURES`, with or without a cutoff, such as ["kappa", "P@5", "F1@k", "MAP"].
    baselines : bool
        Also score the empty baseline, the random baseline and the oracle.
    by : str or sequence of str
        Also evaluate parts of the data: group (document type), length, presence (in the text or not), or frequency
        (thirds of the keyphrases).
    **changes
        Fields of `Settings`, such as k=5, preset="pke", average="macro".

    Returns
    -------
    Result
        One row per system, measure, cutoff and average, with notes and signature.

    Examples
    --------
    >>> from kp_core import load
    >>> corpus = load(gold={"d1": ["tide", "moon"]}, systems={"a": {"d1": ["tide", "sun"]}})
    >>> evaluate(corpus, k=2, measures="P@k,MAP", interval="none").frame["value"].tolist()
    [0.5, 0.5]
    """
    settings, names = resolve_settings(corpus, settings, changes), names_in(measures or DEFAULT_MEASURES)
    query = Query([parse(name) for name in names], parse_by(by), baselines)
    if corpus.datasets:
        return evaluate_datasets(corpus, settings, query)
    if DATASET in query.by:
        raise input_error("the documents", "no data set")
    return evaluate_dataset(corpus, settings, query)[0]


@dataclass(frozen=True)
class Query:
    """The evaluation to perform.

    * `names`, `settings`: names in all data, and resolved settings
    """

    measures: list[Measure]
    by: By = ()
    baselines: bool = False
    names: Names = NOBODY
    settings: Settings = field(default_factory=Settings)

    @property
    def matchers(self) -> set[Matcher]:
        """The matchers that the measures need; baselines always need concordance tables."""
        return matchers(self.measures) | ({"sets"} if self.baselines else set())

    def measures_of(self, subset: str) -> list[Measure]:
        """Return the measures of a subset; parts of the keyphrases have no concordance tables."""
        without = {"sets", *SPECIAL} - {"as-returned"} if subset != "all" and side_of(subset) else ()
        return [measure for measure in self.measures if measure.card.matcher not in without]


def evaluate_dataset(corpus: Corpus, settings: Settings, query: Query) -> tuple[Result, list[Row]]:
    """Evaluate the systems of one data set; return the result, and its rows including duplicates."""
    data = prepare(corpus, settings)
    names = data.names.systems
    refuse_reserved_systems(names)
    data, has_runs = replace(data, settings=over_runs(data.settings, names)), have_runs(names)
    settings = data.settings
    query = replace(query, names=data.names, settings=settings)
    golds = [count_systems(data, query.matchers, query.baselines, without) for without in data.left_out]
    sums = Sums()
    counts = add_systems(sums, data, golds, query)
    subjects = subject_estimates(data, counts, query.measures, has_runs) if settings.average in SUBJECT else {}
    rows = system_rows(sums, query, counts, subjects)
    combination, base, systems = leave_one_out_rule(settings.annotators), data, golds[0]
    if combination:
        # if there are no systems, the counts of the baselines show which documents have gold
        scored = golds if systems else [count_systems(data, ["exact"], True, without) for without in data.left_out]
        rows_of_all = sum(row.subset == "all" for row in rows)
        rows[rows_of_all:rows_of_all] = _human_rows(data, query, scored)
        base = data.under(settings.changed(annotators=combination))  # the notes are on the gold standard of everyone
        systems = count_systems(base, query.matchers & {"exact", "sets"})
    concordance = "sets" in query.matchers
    add_evaluation(sums, base, systems, concordance)
    groups = runs_of(names)
    notes = [
        *data.notes,
        *evaluation_notes(sums, names, base.settings, concordance, id_notes(corpus, sums, names)),
        *notes_above_one((row.measure, row.value) for row in rows),
        *(_notes_on_parts(data, query) if query.by else ()),
        *(notes_on_similarities(corpus, data.coded, settings) if "given" in query.matchers else ()),
        *(_notes_on_vocabulary(data, query.measures) if corpus.vocabulary.given else ()),
        *(notes_on_subjects(settings, query.baselines) if subjects else ()),
        *([Note("warning", "intervals", _NO_CLOSED_FORM)] if combination and settings.interval == "cluster-t" else ()),
        *(Note("info", runs[0], _ONE_RUN) for runs in groups.values() if has_runs and len(runs) == 1),
    ]
    by_run = run_frame(rows, groups) if has_runs else None
    numbers = result_frame(rows, has_runs), settings, tuple(notes), len(data.documents), concordance
    return Result(*numbers, by_run=by_run), rows


_ONE_RUN = "only one run is loaded, so its interval treats documents alone as a sample"
_NO_CLOSED_FORM = "there is no closed form for means over left-out annotators; use the bootstrap instead"


def _notes_on_parts(data: Prepared, query: Query) -> Iterator[Note]:
    for side in set(SIDES) & set(query.by):
        allowed = query.measures_of(f"{side}:")
        if undivided := [measure.name() for measure in query.measures if measure not in allowed]:
            yield Note("info", "by", f"{', '.join(undivided)} have no parts by {side}: rejected phrases belong to none")
    if "frequency" in query.by:
        yield Note("info", "by", describe_thirds(data.gold))


def _notes_on_vocabulary(data: Prepared, measures: Sequence[Measure]) -> Iterator[Note]:
    """Warn if a table that a measure needs matches no phrase."""
    by_concept, given = data.settings.by_concept == "yes", data.corpus.vocabulary.given
    hierarchy = any(measure.card.family == "hierarchy" for measure in measures)
    rarity = any(measure.by_rarity(data.settings) for measure in measures)
    tables = (
        ("broader", ["child", "parent"], "none", hierarchy),
        ("frequencies", ["concept"], data.settings.normalise, rarity),
    )
    for name, columns, normalise, is_used in tables:
        names = list(dict.fromkeys(given[name][columns].to_numpy().ravel())) if is_used and name in given else []
        if names and (forms_of(data.identities, names, normalise, by_concept) < 0).all():
            text = "no row of this table matches the gold standard or a list, so it has no effect"
            yield Note("warning", name, f"{text}; {'identifiers' if by_concept else 'spellings'} are compared")


def evaluate_datasets(corpus: Corpus, settings: Settings, query: Query) -> Result:
    """Evaluate every data set separately, and average the results without weights."""
    settings, results, rows_of = over_runs(settings, corpus.systems), dict[str, Result](), dict[str, list[Row]]()
    for name, part in corpus.by_dataset.items():
        with named(name):
            results[name], rows_of[name] = evaluate_dataset(part, settings, query)
    means = mean_of_datasets(list(rows_of.values()), [measure.name() for measure in query.measures])
    first_result, has_runs = next(iter(results.values())), any(result.by_run is not None for result in results.values())
    rows, by_run, all_groups = list[Row](), list[pd.DataFrame](), dict[str, tuple[str, ...]]()
    for name, dataset_rows in rows_of.items():
        groups = runs_of(corpus.by_dataset[name].systems)
        dataset_rows = [row._replace(subset=subset_of(name, row.subset)) for row in dataset_rows]
        rows, all_groups = rows + dataset_rows, all_groups | groups
        by_run.append(run_frame(dataset_rows, groups))
    by_run.append(run_frame(means, all_groups))
    return replace(
        first_result,
        frame=result_frame([*rows, *means], has_runs),
        settings=first_result.settings if len({result.settings for result in results.values()}) == 1 else settings,
        notes=notes_of_datasets(corpus, results),
        documents=sum(result.documents for result in results.values()),
        by_run=pd.concat(by_run, ignore_index=True) if has_runs else None,
    )


def refuse_reserved_systems(systems: Sequence[str]) -> None:
    """Raise an InputError if a system is named like a baseline or like human agreement."""
    if reserved := [name for name in systems if name in (*BASELINES, HUMANS)]:
        raise InputError(f"system '{reserved[0]}'", "the name of a baseline", "another name", "Rename the system.")


def _can_be_resampled(golds: list[Systems]) -> Bools:
    """Return the mask (D,) of documents that a resample may contain: those scored under some gold standard."""
    return np.asarray(np.any([next(iter(systems.values())).exact.resampled for systems in golds], axis=0))


def add_systems(sums: Sums, data: Prepared, golds: list[Systems], query: Query) -> dict[str, list[Systems]]:
    """Add the documents of prepared data, block by block, and return the counts by subset and gold standard."""
    if not golds[0]:
        return {}
    settings, pending = query.settings, list[tuple[Accumulator, list[Measure], list[tuple[str, list[SystemCounts]]]]]()
    subset_counts = parts(data, golds, query.by, query.matchers)
    for part_index, (subset, counts) in enumerate(subset_counts.items()):
        known = next(iter(counts[0].values())).exact.known
        if query.by != ("group",) or subset == "all" or subset.removeprefix("group:") in data.coded.groups:
            documents = known.sum() if part_index else len(known)
            add_to(sums.parts, {str(part_index): {"documents": np.array([documents], float)}})
        blocks = [(name, system.blocks()) for systems in counts for name, system in systems.items()]
        measures = [parsed for parsed in query.measures_of(subset) if {*parsed.averages(settings.average)} - {*SUBJECT}]
        pending.append((Accumulator(settings.interval, sums, str(part_index)), measures, blocks))
    if not any(measures for _, measures, _ in pending):
        settings = settings.changed(interval="none")
    for block, (_, weights) in enumerate(intervals.blocks(settings, data.documents, _can_be_resampled(golds))):
        for accumulator, measures, blocks in pending:
            accumulator.begin(np.any([system[block].exact.resampled for _, system in blocks], axis=0), weights)
            for index, (name, system) in enumerate(blocks):
                scored = [parsed for parsed in measures if name not in BASELINES or parsed.card.matcher not in SPECIAL]
                for measure, view in system[block].views(scored):
                    for average in measure.averages(settings.average):
                        accumulator.add(index, measure, view, average)
    return subset_counts


def system_rows(
    sums: Sums,
    query: Query,
    counts: Mapping[str, list[Systems]] | None = None,
    subjects: Mapping[tuple[str, str, int, str], Estimate] | None = None,
) -> list[Row]:
    """Return the rows of all systems from sums; values under several gold standards are averaged.

    * `counts`: subset → counts, needed to average the runs of a system in memory
    * `subjects`: (subset, system, index of the measure, average) → mean over subjects
    """
    rows, settings = list[Row](), query.settings
    for part_index, subset in enumerate(subsets(query.by, query.names.groups)):
        if "documents" not in (part := sums.parts.get(str(part_index), {})):  # no document with gold has this type
            continue
        documents, accumulator = int(part["documents"][0]), Accumulator(settings.interval, sums, str(part_index))
        baselines = BASELINES if query.baselines and (subset == "all" or not side_of(subset)) else ()
        systems = [*query.names.systems, *baselines]
        golds = counts[subset] if counts else [{}]
        average_runs = bool(counts) and (have_runs(query.names.systems) or settings.interval in OVER_RUNS)
        groups = runs_of(systems) if average_runs else {name: (name,) for name in systems}
        for (system, runs), (position, measure) in product(groups.items(), enumerate(query.measures_of(subset))):
            cutoffs = measure.cutoffs(settings)
            for average in measure.averages(settings.average):
                if system in BASELINES and (average in SUBJECT or measure.card.matcher in SPECIAL):
                    continue
                if average in SUBJECT:
                    values = (subjects or {})[subset, system, position, average]
                else:
                    run_estimates = list[Estimate]()
                    for run in runs:
                        indices = range(systems.index(run), len(systems) * len(golds), len(systems))
                        run_estimates.append(
                            mean_of([accumulator.estimate(i, measure, average, cutoffs) for i in indices])
                        )
                    values = run_estimates[0]
                    if average_runs:
                        views = [[gold[run].of(measure).at(cutoffs) for gold in golds] for run in runs]
                        values = mean_of_runs(run_estimates, views, measure, average, settings)
                rows += _rows(query, (system, average, subset), position, values, documents)
    return rows


def _rows(query: Query, names: tuple[str, str, str], index: int, values: Estimate, n_documents: int) -> Iterator[Row]:
    """Yield one row per cutoff; `names`: system, average, subset; `index`: that of the measure in the subset."""
    system, average, subset = names
    measure = query.measures_of(subset)[index]
    for position, cutoff in enumerate(measure.cutoffs(query.settings)):
        column = min(position, len(values.value) - 1)  # human agreement does not depend on the cutoff
        k = None if measure.card.fixed is not None or measure.over or cutoff == "larger" else cutoff
        fields = values.row(column, n_documents)
        yield Row(system, measure.name(k), k, average, subset, *fields, (index, position), *values.evidence(column))


def _annotator_grids(data: Prepared) -> list[Grid]:
    majority = leave_one_out_rule(data.settings.annotators) == "majority"
    grid = Grid(*against_others(data.choices, data.universe, majority))
    return [grid.part((slice(None), slice(i, i + 1))) for i in range(len(data.names.annotators))]


def _human_rows(data: Prepared, query: Query, golds: list[Systems]) -> list[Row]:
    """Return the human ceiling for measures of sets: the mean over annotators, each scored against the others."""
    settings, annotators = data.settings, _annotator_grids(data)
    weights = intervals.weights(settings, data.documents, _can_be_resampled(golds))
    documents, rows = int((data.choices.seen.sum(axis=0) > 1).sum()), list[Row]()
    for index, measure in enumerate(query.measures):
        if measure.card.family not in ("overlap", "concordance"):
            continue
        for average in measure.averages(settings.average):
            values = mean_of([estimate(measure, view, average, weights, settings.interval) for view in annotators])
            rows += _rows(query, (HUMANS, average, "all"), index, values, documents)
    return rows


def each_annotator(corpus: Corpus, settings: Settings, measure: str) -> dict[str, float]:
    """Return annotator → value, scored against the others; NaN for ranking measures."""
    data, parsed = prepare(corpus, settings), parse(measure)
    if parsed.card.family not in ("overlap", "concordance"):
        return dict.fromkeys(data.names.annotators, float("nan"))
    average = parsed.averages(data.settings.average)[0]
    values = [float(estimate(parsed, view, average, None, "none").value[0]) for view in _annotator_grids(data)]
    return dict(zip(data.names.annotators, values, strict=True))


def interval_table(
    corpus: Corpus, settings: Settings | None = None, /, *, system: str, measures: Sequence[str], **changes: Any
) -> pd.DataFrame:
    """Return one row per concordance measure of a system, pooled, at the first cutoff.

    * low, high: bootstrap interval over documents; cluster_…: t interval with documents as clusters
    * independent_…: value ± 1.96 errors as if phrases were independent, only for comparison: it is too narrow
    """
    data = prepare(corpus, resolve_settings(corpus, settings, changes), interval="bootstrap")
    counts = count_systems(data)
    weights = intervals.weights(data.settings, data.documents, _can_be_resampled([counts]))
    view = counts[system].sets.at(data.settings.k[:1])
    total = Cells(*(cells[view.scored].sum(axis=0) for cells in view.arrays()))
    rows = []
    for measure in map(parse, measures):
        bootstrap = estimate(measure, view, "micro", weights, "bootstrap")
        cluster = estimate(measure, view, "micro", None, "cluster-t")
        value, n, low, high = bootstrap.value[0], bootstrap.documents[0], cluster.low[0], cluster.high[0]
        error = independent_se = float("nan")
        if not np.isnan(low):  # kappa_max has no gradient
            error, independent_se = error_of(low, high, n), float(independent_error(total, measure.scores)[0])
        independent = value - 1.96 * independent_se, value + 1.96 * independent_se
        rows.append((measure.name(), value, bootstrap.low[0], bootstrap.high[0], low, high, error, *independent, n))
    bounds = ("low", "high", "cluster_low", "cluster_high", "error", "independent_low", "independent_high")
    return pd.DataFrame(rows, columns=["measure", "value", *bounds, "documents"])
