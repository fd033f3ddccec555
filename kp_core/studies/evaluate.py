"""Turn a corpus and settings into a result: every system, measure and cutoff, with interval and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, input_error, named
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Accumulator, Grid, Sums, estimate, mean_of
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Bools, Floats, forms_of
from kp_core.scoring.counts import BASELINES, HUMANS, SystemCounts
from kp_core.scoring.given import notes_on_given
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.intervals import Estimate, error_of, independent_error
from kp_core.scoring.measures import SPECIAL, Asked, matchers, names_in, parse
from kp_core.scoring.measures.agreement import against_others
from kp_core.scoring.measures.registry import Matcher
from kp_core.scoring.prepare import Names, Prepared, prepare
from kp_core.scoring.runs import OVER_RUNS, have_runs, over_runs, runs_of
from kp_core.scoring.systems import count_systems
from kp_core.settings import SUBJECT, Settings, resolve_settings
from kp_core.studies.facts import above_one, add_evaluation, evaluation_notes, id_notes
from kp_core.studies.means import mean_of_datasets, mean_of_runs, notes_of_datasets, run_frame, subset_of, with_runs
from kp_core.studies.parts import DATASET, SIDES, By, keyphrases, parse_by, parts, side_of, subsets, thirds_in_words
from kp_core.studies.result import Provenance, Result, Row, result_frame
from kp_core.studies.subject_means import notes_on_subjects, subject_estimates

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
    """Evaluate every system of a corpus against its gold standard.

    measures    names as in `kp.MEASURES`, with or without a cutoff: ["kappa", "P@5", "F1@k", "MAP"]
    baselines   also score a system that says nothing, a random order, and the best list possible
    by          also give the parts of the data: group (type of the document), length, presence (in the text or not), or
                frequency (thirds of the keyphrases)
    changes     fields of `Settings`, such as k=5, preset="pke", average="macro"

    Raises InputError for data that cannot be evaluated, UsageError for an option that does not exist.

    Data sets (`kp.together`) are evaluated each by itself, and their plain mean beside them. A system of several runs,
    such as `bart#1` and `bart#2`, is one row: the mean over its runs, their standard deviation and their number.

    >>> from kp_core import load
    >>> corpus = load(gold={"d1": ["tide", "moon"]}, systems={"a": {"d1": ["tide", "sun"]}})
    >>> evaluate(corpus, k=2, measures="P@k,MAP", interval="none").frame["value"].tolist()
    [0.5, 0.5]
    """
    settings, asked = resolve_settings(corpus, settings, changes), names_in(measures or DEFAULT_MEASURES)
    parts = parse_by(by) if by else ()
    if corpus.datasets:
        return over_datasets(corpus, settings, asked, baselines, parts)
    if DATASET in parts:
        raise input_error("the documents", "no data set")
    return evaluated(corpus, settings, asked, baselines, parts)[0]


@dataclass(frozen=True)
class Query:
    """What is asked of the systems of a corpus.

    names     those of all data, of which a part may be at hand
    averaged  whether the rows keep the estimate that they came from, so that they can be averaged
    """

    names: Names
    settings: Settings
    measures: list[Asked]
    by: By = ()
    baselines: bool = False
    averaged: bool = False

    @property
    def matchers(self) -> set[Matcher]:
        """How predictions are matched with keyphrases; baselines have concordance tables in any case."""
        return matchers(self.measures) | ({"sets"} if self.baselines else set())

    def measures_of(self, subset: str) -> list[Asked]:
        """Return the measures of a subset: of present or absent keyphrases there are no concordance tables."""
        without = {"sets", *SPECIAL} - {"as-returned"} if subset != "all" and side_of(subset) else ()
        return [measure for measure in self.measures if measure.measure.matcher not in without]


def evaluated(
    corpus: Corpus, settings: Settings, names: Sequence[str], baselines: bool, by: By, averaged: bool = False
) -> tuple[Result, list[Row]]:
    """Evaluate the systems of one data set; return the result and its rows before two of one name became one.

    averaged: whether the rows will be averaged with those of other data sets
    """
    data = prepare(corpus, settings)
    refuse_named_alike(data.names.systems)
    settings = over_runs(data.settings, data.names.systems)
    data, several = replace(data, settings=settings), have_runs(data.names.systems)
    query = Query(data.names, settings, [parse(name) for name in names], by, baselines, averaged or several)
    standards = [count_systems(data, query.matchers, baselines, without) for without in data.left_out]
    sums = Sums()
    counts = add_systems(sums, data, standards, query)
    subjects = subject_estimates(data, counts, query.measures, keyphrases) if settings.average in SUBJECT else {}
    folded = counts if several or settings.interval in OVER_RUNS else None
    rows = system_rows(sums, query, len(standards), folded, subjects)
    people, noted, systems = left_one_out(settings.annotators), data, standards[0]
    if people:
        # Without a system, the baselines are counted: which documents have a gold standard, all of them know.
        known = standards if systems else [count_systems(data, ["exact"], True, without) for without in data.left_out]
        whole = sum(row.subset == "all" for row in rows)
        rows[whole:whole] = _human_rows(data, query, weights_of(known, data), people == "majority")
        noted = data.under(settings.changed(annotators=people))
        systems = count_systems(noted, query.matchers & {"exact", "sets"})
    concordance = "sets" in query.matchers
    add_evaluation(sums, noted, systems, concordance)
    groups, fixes = runs_of(data.names.systems), id_notes(corpus, sums, data.names.systems)
    notes = [
        *data.notes,
        *evaluation_notes(sums, data.names.systems, noted.settings, concordance, fixes),
        *above_one((row.measure, row.value) for row in rows),
        *_notes_on_parts(data, query),
        *(notes_on_given(corpus, data.coded, settings) if "given" in query.matchers else ()),
        *_notes_on_vocabulary(data, query.measures),
        *(notes_on_subjects(settings, baselines) if subjects else ()),
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
    """Warn of a table that says nothing about what is compared, where a measure uses it."""
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
            text = "no row is about what is in the gold standard or in a list, so this table tells nothing apart"
            yield Note("warning", name, f"{text}; {wanted} are compared")


def over_datasets(corpus: Corpus, settings: Settings, names: Sequence[str], baselines: bool, by: By) -> Result:
    """Evaluate every data set by itself, and give the plain mean of all of them."""
    settings, each = over_runs(settings, corpus.systems), dict[str, tuple[Result, list[Row]]]()
    for name, part in corpus.by_dataset.items():
        with named(name):
            each[name] = evaluated(part, settings, names, baselines, by, averaged=True)
    results = {name: result for name, (result, _) in each.items()}
    rows = [row._replace(subset=subset_of(name, row.subset)) for name, (_, own) in each.items() for row in own]
    rows += mean_of_datasets([own for _, own in each.values()], [parse(name).name() for name in names])
    by_run = None
    if any(result.by_run is not None for result in results.values()):
        groups = {name: runs for part in corpus.by_dataset.values() for name, runs in runs_of(part.systems).items()}
        by_run = run_frame(rows, groups)
    first = next(iter(results.values()))
    alike = {result.settings for result in results.values()}
    return Result(
        result_frame(rows) if by_run is None else with_runs(rows),
        first.settings if len(alike) == 1 else settings,
        notes_of_datasets(corpus, results),
        sum(result.documents for result in results.values()),
        first.concordance,
        by_run=by_run,
    )


def refuse_named_alike(systems: Sequence[str]) -> None:
    """Refuse a system that has the name of another row of a result."""
    if alike := [name for name in systems if name in (*BASELINES, HUMANS)]:
        raise InputError(f"system '{alike[0]}'", "the name of a baseline", "another name", "Rename the system.")


def _drawable(standards: list[dict[str, SystemCounts]]) -> Bools:
    """Return the documents (D,) that a resample may hold: those that count under some gold standard."""
    return np.asarray(np.any([next(iter(systems.values())).exact.resampled for systems in standards], axis=0))


def weights_of(standards: list[dict[str, SystemCounts]], data: Prepared) -> Floats | None:
    """Draw one weight matrix (B, D), so that differences are paired; documents left out for everybody get no weight."""
    one = data.settings
    return intervals.weights(one.interval, data.documents, _drawable(standards), one.resamples, one.seed)


def add_systems(
    sums: Sums, data: Prepared, standards: list[dict[str, SystemCounts]], query: Query
) -> dict[str, list[dict[str, SystemCounts]]]:
    """Add the documents of prepared data, block by block, and return the counts of each subset.

    standards: counts of the systems under each gold standard
    """
    if not standards[0]:
        return {}
    settings, adding = query.settings, list[tuple[Accumulator, list[Asked], list[tuple[str, list[SystemCounts]]]]]()
    subset_counts = parts(data, standards, query.by, query.matchers) if query.by else {"all": standards}
    for number, (subset, counts) in enumerate(subset_counts.items()):
        known = next(iter(counts[0].values())).exact.known
        if query.by != ("group",) or subset == "all" or subset.removeprefix("group:") in data.coded.groups:
            sums.count(f"{number}/documents", int(known.sum()) if number else len(known))
        blocks = [(name, system.blocks()) for systems in counts for name, system in systems.items()]
        measures = [one for one in query.measures_of(subset) if {*one.averages(settings.average)} - {*SUBJECT}]
        adding.append((Accumulator(settings.interval, sums, str(number)), measures, blocks))
    interval = settings.interval if any(measures for _, measures, _ in adding) else "none"
    drawn = intervals.blocks(interval, data.documents, _drawable(standards), settings.resamples, settings.seed)
    for block, (_, weights) in enumerate(drawn):
        for accumulator, measures, blocks in adding:
            accumulator.begin(np.any([system[block].exact.resampled for _, system in blocks], axis=0), weights)
            for place, (name, system) in enumerate(blocks):
                scored = [one for one in measures if name not in BASELINES or one.measure.matcher not in SPECIAL]
                for measure, view in system[block].views(scored):
                    for average in measure.averages(settings.average):
                        accumulator.add(str(place), measure, view, average)
    return subset_counts


def system_rows(
    sums: Sums,
    query: Query,
    standards: int = 1,
    folded: Mapping[str, list[dict[str, SystemCounts]]] | None = None,
    subjects: Mapping[tuple[str, str, int, str], Estimate] | None = None,
) -> list[Row]:
    """Return the rows of all systems from what was added; values under several gold standards are averaged.

    folded    counts of each subset, if the runs of a system are one row
    subjects  means over subjects, by subset, system, place of the measure, and average
    """
    rows, settings = list[Row](), query.settings
    for number, subset in enumerate(subsets(query.by, query.names.groups) if query.by else ["all"]):
        if f"{number}/documents" not in sums.arrays:  # no document with gold is of this type
            continue
        documents, accumulator = sums.number(f"{number}/documents"), Accumulator(settings.interval, sums, str(number))
        baselines = BASELINES if query.baselines and (subset == "all" or not side_of(subset)) else ()
        systems = [*query.names.systems, *baselines]
        groups = {name: (name,) for name in systems} if folded is None else runs_of(systems)
        for (system, runs), (place, measure) in product(groups.items(), enumerate(query.measures_of(subset))):
            cutoffs = measure.cutoffs(settings)
            for average in measure.averages(settings.average):
                if system in BASELINES and (average in SUBJECT or measure.measure.matcher in SPECIAL):
                    continue
                if average in SUBJECT:
                    values = (subjects or {})[subset, system, place, average]
                else:
                    each = list[Estimate]()
                    for run in runs:
                        places = map(str, range(systems.index(run), len(systems) * standards, len(systems)))
                        each.append(mean_of([accumulator.estimate(at, measure, average, cutoffs) for at in places]))
                    values = each[0]
                    if folded is not None:
                        counts = [[standard[run].of(measure) for standard in folded[subset]] for run in runs]
                        values = mean_of_runs(each, counts, measure, average, cutoffs, settings)
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


def _human_rows(data: Prepared, query: Query, weights: Floats | None, majority: bool) -> list[Row]:
    """Return the mean of the annotators, each against the others: the human ceiling; the same at every cutoff.

    People choose a set, so only measures of sets have such a row.
    """
    settings, chosen = data.settings, data.choices
    each = Grid(*against_others(chosen, data.universe, majority)).columns()
    documents, rows = int((chosen.seen.sum(axis=0) > 1).sum()), list[Row]()
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
    majority, average = left_one_out(settings.annotators) == "majority", asked.averages(data.settings.average)[0]
    each = Grid(*against_others(data.choices, data.universe, majority)).columns()
    values = [float(estimate(asked, view, average, None, "none").value[0]) for view in each]
    return dict(zip(data.names.annotators, values, strict=True))


def interval_table(
    corpus: Corpus, settings: Settings | None = None, /, *, system: str, measures: Sequence[str], **changes: Any
) -> pd.DataFrame:
    """Return one row a concordance measure of a system, pooled, at the first cutoff.

    low, high      bootstrap over documents; cluster_…: the t interval with documents as clusters; error: its error
    independent_…  value ± 1.96 errors as if phrases were independent: a reference that covers too little, for only
                   documents are a sample
    """
    settings = resolve_settings(corpus, settings, changes)
    data = prepare(corpus, settings, interval="bootstrap")
    counted = count_systems(data)
    weights, view = weights_of([counted], data), counted[system].sets.at(data.settings.k[:1])
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
