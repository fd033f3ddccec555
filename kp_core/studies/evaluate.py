"""Turn a corpus and settings into a result: every system, measure and cutoff, with interval and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, input_error, named
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Accumulator, Grid, Sums, estimate, mean_of
from kp_core.scoring.by_subject import subject_estimates
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Bools, forms_of
from kp_core.scoring.counts import BASELINES, HUMANS, SystemCounts
from kp_core.scoring.given import notes_on_given
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.intervals import Estimate, error_of, independent_error
from kp_core.scoring.measures import SPECIAL, Asked, matchers, names_in, parse
from kp_core.scoring.measures.agreement import against_others
from kp_core.scoring.measures.registry import Matcher
from kp_core.scoring.prepare import NOBODY, Names, Prepared, prepare
from kp_core.scoring.runs import OVER_RUNS, have_runs, mean_of_runs, over_runs, runs_of
from kp_core.scoring.systems import count_systems
from kp_core.settings import SUBJECT, Settings, resolve_settings
from kp_core.studies.facts import above_one, add_evaluation, evaluation_notes, id_notes, notes_on_subjects
from kp_core.studies.means import mean_of_datasets, notes_of_datasets, run_frame, subset_of, with_runs
from kp_core.studies.parts import DATASET, SIDES, By, parse_by, parts, side_of, subsets, thirds_in_words
from kp_core.studies.result import Provenance, Result, Row, result_frame

DEFAULT_MEASURES = ("P@k", "R@k", "F1@k", "MAP", "MRR", "nDCG@k", "kappa", "P_pos", "P_neg", "PABAK")


def evaluate(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Iterable[str] | str | None = None,
    *,
    baselines: bool = False,
    by: str | Sequence[str] = "",
    **changes: Any,
) -> Result:
    """Evaluate all systems of a corpus against its gold standard.

    Several data sets (`kp.together`) are evaluated separately, with their unweighted mean. A system with several runs,
    such as `bart#1` and `bart#2`, has one row: the mean over runs, their standard deviation and number.

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

    Raises
    ------
    InputError
        If the data cannot be evaluated.
    UsageError
        If an option does not exist.

    Examples
    --------
    >>> from kp_core import load
    >>> corpus = load(gold={"d1": ["tide", "moon"]}, systems={"a": {"d1": ["tide", "sun"]}})
    >>> evaluate(corpus, k=2, measures="P@k,MAP", interval="none").frame["value"].tolist()
    [0.5, 0.5]
    """
    settings, asked = resolve_settings(corpus, settings, changes), names_in(measures or DEFAULT_MEASURES)
    query = Query([parse(name) for name in asked], parse_by(by) if by else (), baselines)
    if corpus.datasets:
        return over_datasets(corpus, settings, query)
    if DATASET in query.by:
        raise input_error("the documents", "no data set")
    return evaluated(corpus, settings, query)[0]


@dataclass(frozen=True)
class Query:
    """What is asked of the systems of a corpus.

    averaged  whether the rows keep the estimate that they came from, so that they can be averaged
    names     those of all data, of which a part may be at hand; settings: as they are settled
    """

    measures: list[Asked]
    by: By = ()
    baselines: bool = False
    averaged: bool = False
    names: Names = NOBODY
    settings: Settings = field(default_factory=Settings)

    @property
    def matchers(self) -> set[Matcher]:
        """How predictions are matched with keyphrases; baselines have concordance tables in any case."""
        return matchers(self.measures) | ({"sets"} if self.baselines else set())

    def measures_of(self, subset: str) -> list[Asked]:
        """Return the measures of a subset: of present or absent keyphrases there are no concordance tables."""
        without = {"sets", *SPECIAL} - {"as-returned"} if subset != "all" and side_of(subset) else ()
        return [measure for measure in self.measures if measure.measure.matcher not in without]


def evaluated(corpus: Corpus, settings: Settings, query: Query) -> tuple[Result, list[Row]]:
    """Evaluate the systems of one data set; return the result and its rows before two of one name became one."""
    data = prepare(corpus, settings)
    names = data.names.systems
    refuse_named_alike(names)
    data, several = replace(data, settings=over_runs(data.settings, names)), have_runs(names)
    settings = data.settings
    query = replace(query, names=data.names, settings=settings, averaged=query.averaged or several)
    standards = [count_systems(data, query.matchers, query.baselines, without) for without in data.left_out]
    sums = Sums()
    counts = add_systems(sums, data, standards, query)
    subjects = subject_estimates(data, counts, query.measures, several) if settings.average in SUBJECT else {}
    rows = system_rows(sums, query, counts, subjects)
    people, noted, systems = left_one_out(settings.annotators), data, standards[0]
    if people:
        # Without a system, the baselines are counted: which documents have a gold standard, all of them know.
        known = standards if systems else [count_systems(data, ["exact"], True, without) for without in data.left_out]
        whole = sum(row.subset == "all" for row in rows)
        rows[whole:whole] = _human_rows(data, query, known)
        noted = data.under(settings.changed(annotators=people))
        systems = count_systems(noted, query.matchers & {"exact", "sets"})
    concordance = "sets" in query.matchers
    add_evaluation(sums, noted, systems, concordance)
    groups = runs_of(names)
    notes = [
        *data.notes,
        *evaluation_notes(sums, names, noted.settings, concordance, id_notes(corpus, sums, names)),
        *above_one((row.measure, row.value) for row in rows),
        *(_notes_on_parts(data, query) if query.by else ()),
        *(notes_on_given(corpus, data.coded, settings) if "given" in query.matchers else ()),
        *(_notes_on_vocabulary(data, query.measures) if corpus.vocabulary.given else ()),
        *(notes_on_subjects(settings, query.baselines) if subjects else ()),
        *([Note("warning", "intervals", _NO_CLOSED_FORM)] if people and settings.interval == "cluster-t" else ()),
        *(Note("info", runs[0], _ONE_RUN) for runs in groups.values() if several and len(runs) == 1),
    ]
    by_run = run_frame(rows, groups) if several else None
    frame = with_runs(rows) if several else result_frame(rows)
    return Result(frame, settings, tuple(notes), len(data.documents), concordance, by_run=by_run), rows


_ONE_RUN = "only one run is loaded, so its interval treats documents alone as a sample"
_NO_CLOSED_FORM = "there is no closed form for means over left-out annotators; use the bootstrap instead"


def _notes_on_parts(data: Prepared, query: Query) -> Iterator[Note]:
    """Name the measures that have no parts, and what the thirds by frequency are."""
    for side in set(SIDES) & set(query.by):
        if any(measure.of_tables for measure in query.measures):
            text = f"concordance measures have no parts by {side}: the phrases that were rejected have none"
            yield Note("info", "by", text)
        special = [one.name() for one in query.measures if one.measure.matcher in {*SPECIAL} - {"as-returned"}]
        if special:
            yield Note("info", "by", f"{', '.join(special)} have no parts by {side}")
    if "frequency" in query.by:
        yield Note("info", "by", thirds_in_words(data.gold))


def _notes_on_vocabulary(data: Prepared, asked: Sequence[Asked]) -> Iterator[Note]:
    """Warn about a table that a measure uses but that has no row for the phrases compared."""
    by_concept = data.settings.by_concept == "yes"
    wanted = "identifiers" if by_concept else "spellings"
    for name, table in data.corpus.vocabulary.given.items():
        if name not in ("broader", "frequencies"):  # what these lack is told by number
            continue
        of_broader = name == "broader"
        named = table[["child", "parent"]].to_numpy().ravel() if of_broader else table["concept"].to_numpy()
        normalise = "none" if of_broader else data.settings.normalise
        used = any(one.measure.family == "hierarchy" if of_broader else one.by_rarity(data.settings) for one in asked)
        if used and (forms_of(data.identities, list(dict.fromkeys(named)), normalise, by_concept) < 0).all():
            text = "no row of this table matches the gold standard or a list, so it has no effect"
            yield Note("warning", name, f"{text}; {wanted} are compared")


def over_datasets(corpus: Corpus, settings: Settings, query: Query) -> Result:
    """Evaluate every data set by itself, and give the plain mean of all of them."""
    settings, each = over_runs(settings, corpus.systems), dict[str, tuple[Result, list[Row]]]()
    for name, part in corpus.by_dataset.items():
        with named(name):
            each[name] = evaluated(part, settings, replace(query, averaged=True))
    results = {name: result for name, (result, _) in each.items()}
    rows = [row._replace(subset=subset_of(name, row.subset)) for name, (_, own) in each.items() for row in own]
    rows += mean_of_datasets([own for _, own in each.values()], [one.name() for one in query.measures])
    by_run = None
    if any(result.by_run is not None for result in results.values()):
        groups = {name: runs for part in corpus.by_dataset.values() for name, runs in runs_of(part.systems).items()}
        by_run = run_frame(rows, groups)
    first = next(iter(results.values()))
    settings_used = {result.settings for result in results.values()}
    return Result(
        result_frame(rows) if by_run is None else with_runs(rows),
        first.settings if len(settings_used) == 1 else settings,
        notes_of_datasets(corpus, results),
        sum(result.documents for result in results.values()),
        first.concordance,
        by_run=by_run,
    )


def refuse_named_alike(systems: Sequence[str]) -> None:
    """Refuse a system that has the name of another row of a result."""
    if reserved := [name for name in systems if name in (*BASELINES, HUMANS)]:
        raise InputError(f"system '{reserved[0]}'", "the name of a baseline", "another name", "Rename the system.")


def _drawable(standards: list[dict[str, SystemCounts]]) -> Bools:
    """Return the documents (D,) that a resample may contain: those that count under some gold standard."""
    return np.asarray(np.any([next(iter(systems.values())).exact.resampled for systems in standards], axis=0))


def add_systems(
    sums: Sums, data: Prepared, standards: list[dict[str, SystemCounts]], query: Query
) -> dict[str, list[dict[str, SystemCounts]]]:
    """Add the documents of prepared data, block by block, and return the counts of each subset.

    standards: counts of the systems under each gold standard
    """
    if not standards[0]:
        return {}
    one, adding = query.settings, list[tuple[Accumulator, list[Asked], list[tuple[str, list[SystemCounts]]]]]()
    subset_counts = parts(data, standards, query.by, query.matchers) if query.by else {"all": standards}
    for number, (subset, counts) in enumerate(subset_counts.items()):
        known = next(iter(counts[0].values())).exact.known
        if query.by != ("group",) or subset == "all" or subset.removeprefix("group:") in data.coded.groups:
            sums.add(f"{number}/documents", known.sum() if number else len(known))
        blocks = [(name, system.blocks()) for systems in counts for name, system in systems.items()]
        measures = [own for own in query.measures_of(subset) if {*own.averages(one.average)} - {*SUBJECT}]
        adding.append((Accumulator(one.interval, sums, str(number)), measures, blocks))
    if not any(measures for _, measures, _ in adding):
        one = one.changed(interval="none")
    for block, (_, weights) in enumerate(intervals.blocks(one, data.documents, _drawable(standards))):
        for accumulator, measures, blocks in adding:
            accumulator.begin(np.any([system[block].exact.resampled for _, system in blocks], axis=0), weights)
            for place, (name, system) in enumerate(blocks):
                scored = [own for own in measures if name not in BASELINES or own.measure.matcher not in SPECIAL]
                for measure, view in system[block].views(scored):
                    for average in measure.averages(one.average):
                        accumulator.add(str(place), measure, view, average)
    return subset_counts


def system_rows(
    sums: Sums,
    query: Query,
    counts: Mapping[str, list[dict[str, SystemCounts]]] | None = None,
    subjects: Mapping[tuple[str, str, int, str], Estimate] | None = None,
) -> list[Row]:
    """Return the rows of all systems from what was added; values under several gold standards are averaged.

    counts    of each subset, in memory: of them the runs of a system become one row
    subjects  means over subjects, by subset, system, place of the measure, and average
    """
    rows, one = list[Row](), query.settings
    for number, subset in enumerate(subsets(query.by, query.names.groups) if query.by else ["all"]):
        if f"{number}/documents" not in sums.numbers:  # no document with gold is of this type
            continue
        documents, accumulator = sums.number(f"{number}/documents"), Accumulator(one.interval, sums, str(number))
        baselines = BASELINES if query.baselines and (subset == "all" or not side_of(subset)) else ()
        systems = [*query.names.systems, *baselines]
        standards = counts[subset] if counts else [{}]
        folded = bool(counts) and (have_runs(query.names.systems) or one.interval in OVER_RUNS)
        groups = runs_of(systems) if folded else {name: (name,) for name in systems}
        for (system, runs), (place, measure) in product(groups.items(), enumerate(query.measures_of(subset))):
            cutoffs = measure.cutoffs(one)
            for average in measure.averages(one.average):
                if system in BASELINES and (average in SUBJECT or measure.measure.matcher in SPECIAL):
                    continue
                if average in SUBJECT:
                    values = (subjects or {})[subset, system, place, average]
                else:
                    each = list[Estimate]()
                    for run in runs:
                        places = map(str, range(systems.index(run), len(systems) * len(standards), len(systems)))
                        each.append(mean_of([accumulator.estimate(at, measure, average, cutoffs) for at in places]))
                    values = each[0]
                    if folded:
                        views = [[own[run].of(measure).at(cutoffs) for own in standards] for run in runs]
                        values = mean_of_runs(each, views, measure, average, one)
                rows += _rows(query, (system, average, subset), place, values, documents)
    return rows


def _rows(query: Query, names: tuple[str, str, str], place: int, values: Estimate, documents: int) -> Iterator[Row]:
    """Yield one row per cutoff; names: system, average, subset; place: that of the measure among those of the subset.

    Human agreement has one column, shared by all cutoffs.
    """
    system, average, subset = names
    measure = query.measures_of(subset)[place]
    for number, cutoff in enumerate(measure.cutoffs(query.settings)):
        column = min(number, len(values.value) - 1)
        k = None if measure.measure.fixed is not None or measure.over or cutoff == "larger" else cutoff
        provenance = Provenance((place, number), values, column) if query.averaged else None
        numbers = values.row(column, documents)
        yield Row(system, measure.name(k), k, average, subset, *numbers, provenance)


def _people(data: Prepared) -> list[Grid]:
    """Return the tables of each annotator against the others."""
    majority = left_one_out(data.settings.annotators) == "majority"
    return Grid(*against_others(data.choices, data.universe, majority)).columns()


def _human_rows(data: Prepared, query: Query, standards: list[dict[str, SystemCounts]]) -> list[Row]:
    """Return the mean of the annotators, each against the others: the human ceiling; the same at every cutoff.

    People choose a set, so only measures of sets have such a row. One weight matrix makes differences paired.
    """
    settings, each = data.settings, _people(data)
    weights = intervals.weights(settings, data.documents, _drawable(standards))
    documents, rows = int((data.choices.seen.sum(axis=0) > 1).sum()), list[Row]()
    for place, measure in enumerate(query.measures):
        if measure.measure.family not in ("overlap", "concordance"):
            continue
        for average in measure.averages(settings.average):
            values = mean_of([estimate(measure, view, average, weights, settings.interval) for view in each])
            rows += _rows(query, (HUMANS, average, "all"), place, values, documents)
    return rows


def each_of_people(corpus: Corpus, settings: Settings, asked: Asked) -> dict[str, float]:
    """Return the value of each annotator against the others; NaN where people have none, since they choose a set.

    settings: their gold standard is that of the others
    """
    data = prepare(corpus, settings)
    if asked.measure.family not in ("overlap", "concordance"):
        return dict.fromkeys(data.names.annotators, float("nan"))
    average = asked.averages(data.settings.average)[0]
    values = [float(estimate(asked, view, average, None, "none").value[0]) for view in _people(data)]
    return dict(zip(data.names.annotators, values, strict=True))


def interval_table(
    corpus: Corpus, settings: Settings | None = None, /, *, system: str, measures: Sequence[str], **changes: Any
) -> pd.DataFrame:
    """Return one row per concordance measure of a system, pooled, at the first cutoff.

    low, high      bootstrap over documents; cluster_…: the t interval with documents as clusters; error: its error
    independent_…  value ± 1.96 errors as if phrases were independent: a reference that covers too little, for only
                   documents are a sample
    """
    settings = resolve_settings(corpus, settings, changes)
    data = prepare(corpus, settings, interval="bootstrap")
    counted = count_systems(data)
    weights, view = (
        intervals.weights(data.settings, data.documents, _drawable([counted])),
        counted[system].sets.at(data.settings.k[:1]),
    )
    total = Cells(*(counts[view.scored].sum(axis=0) for counts in view.arrays()))
    rows = []
    for asked in map(parse, measures):
        drawn = estimate(asked, view, "micro", weights, "bootstrap")
        cluster = estimate(asked, view, "micro", None, "cluster-t")
        value, n, low, high = drawn.value[0], drawn.documents[0], cluster.low[0], cluster.high[0]
        error = alone = float("nan")
        if not np.isnan(low):  # not for kappa_max, whose minimum has no gradient
            error, alone = error_of(low, high, n), float(independent_error(total, asked.scores)[0])
        independent = value - 1.96 * alone, value + 1.96 * alone
        rows.append((asked.name(), value, drawn.low[0], drawn.high[0], low, high, error, *independent, n))
    bounds = ("low", "high", "cluster_low", "cluster_high", "error", "independent_low", "independent_high")
    return pd.DataFrame(rows, columns=["measure", "value", *bounds, "documents"])
