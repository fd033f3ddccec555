"""Turn a corpus and settings into a result: every system, measure and cutoff, with interval and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, named, unfit
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Accumulator, Grid, Sums, estimate, mean_of
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Bools, Floats, forms_of
from kp_core.scoring.counts import BASELINES, HUMANS, Counted
from kp_core.scoring.given import notes_on_given
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.intervals import Estimate, error_of, independent_error
from kp_core.scoring.measures import OWN_COUNTS, Asked, names_in, own_counts, parse
from kp_core.scoring.measures.agreement import against_others
from kp_core.scoring.prepare import Names, Prepared, prepare
from kp_core.scoring.runs import have_runs, runs_of
from kp_core.scoring.systems import count_systems
from kp_core.settings import SUBJECT, Changes, Cutoff, Settings, settled
from kp_core.studies.facts import above_one, add_evaluation, evaluation_notes, id_notes
from kp_core.studies.means import (
    OVER_RUNS,
    Basis,
    bases,
    mean_of_datasets,
    mean_of_runs,
    notes_of_datasets,
    over_runs,
    run_frame,
    subset_of,
    with_runs,
)
from kp_core.studies.parts import DATASET, SIDES, By, keyphrases, parse_by, parts, side_of, subsets, thirds_in_words
from kp_core.studies.result import Result, Row, result_frame
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
    **changes: Unpack[Changes],
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
    settings, asked = settled(corpus, settings, changes), names_in(measures or DEFAULT_MEASURES)
    if corpus.datasets:
        return over_datasets(corpus, settings, asked, baselines, parse_by(by))
    if DATASET in parse_by(by):
        raise unfit("the documents", "no data set")
    return evaluated(corpus, settings, asked, baselines, parse_by(by)).result


@dataclass(frozen=True)
class Evaluated:
    """An evaluation of one data set, and its rows before two of one name became one, with what they rest on."""

    result: Result
    rows: list[tuple[Row, Basis]]


def evaluated(
    corpus: Corpus, settings: Settings, names: Sequence[str], baselines: bool, by: By, based: bool = False
) -> Evaluated:
    """Evaluate the systems of one data set; based: keep what every row rests on."""
    data = prepare(corpus, settings)
    refuse_named_alike(data.names.systems)
    data = replace(data, settings=over_runs(data.settings, data.names.systems))
    asked = [parse(name) for name in names]
    concordance = baselines or any(one.of_tables for one in asked)
    families = own_counts(asked)
    standards = [count_systems(data, concordance, baselines, without, families) for without in data.left_out]
    sums, people = Sums(), left_one_out(data.settings.annotators)
    counts = add_systems(sums, data, standards, asked, by)
    groups = runs_of(data.names.systems)
    several = have_runs(data.names.systems)
    folded = counts if several or data.settings.interval in OVER_RUNS else None
    rests = list[Basis]() if several or based else None
    subjects = subject_estimates(data, counts, asked, keyphrases)
    rows = system_rows(sums, data.names, asked, data.settings, by, baselines, len(standards), folded, rests, subjects)
    if people:
        whole, own = sum(row[4] == "all" for row in rows), None if rests is None else list[Basis]()
        # Without a system, the baselines are counted: which documents have a gold standard, all of them know.
        known = standards if standards[0] else [count_systems(data, False, True, one) for one in data.left_out]
        rows[whole:whole] = _human_rows(data, asked, weights_of(known, data), people == "majority", own)
        if rests is not None and own is not None:
            rests[whole:whole] = own
    noted = data.under(data.settings.changed(annotators=people)) if people else data
    systems = count_systems(noted, concordance) if people else standards[0]
    add_evaluation(sums, noted, systems, concordance)
    names = data.names.systems
    fixes = id_notes(corpus, sums, names)
    notes = [*data.notes, *evaluation_notes(sums, names, noted.settings, concordance, fixes)]
    notes += above_one((row[1], row[5]) for row in rows)
    for one in set(SIDES) & set(by) if any(one.of_tables for one in asked) else ():
        text = f"concordance measures have no parts by {one}: the phrases that were rejected have none"
        notes.append(Note("info", "by", text))
    for one in set(SIDES) & set(by) if families - {"list"} else ():
        names = ", ".join(each.name() for each in asked if each.measure.family in {*OWN_COUNTS} - {"list"})
        notes.append(Note("info", "by", f"{names} have no parts by {one}"))
    if "semantic" in families:
        notes += notes_on_given(corpus, data.coded, data.settings)
    notes += _notes_on_vocabulary(data, asked)
    if "frequency" in by:
        notes.append(Note("info", "by", thirds_in_words(data.gold)))
    if subjects:
        notes += notes_on_subjects(data.settings, baselines)
    if people and data.settings.interval == "cluster-t":
        text = "there is no closed form for means over left-out annotators; ask for the bootstrap"
        notes.append(Note("warning", "intervals", text))
    if several:
        notes += [Note("info", own[0], _ONE_RUN) for own in groups.values() if len(own) == 1]
    based_rows = list(zip(rows, rests or (), strict=rests is not None))
    by_run = run_frame(based_rows, groups) if several else None
    frame = with_runs(based_rows) if several else result_frame(rows)
    result = Result(frame, data.settings, tuple(notes), len(data.documents), concordance, by_run=by_run)
    return Evaluated(result, based_rows)


def _notes_on_vocabulary(data: Prepared, asked: Sequence[Asked]) -> Iterator[Note]:
    """Warn of a table that says nothing about what is compared, where a measure uses it."""
    by_concept = data.settings.by_concept == "yes"
    wanted = "identifiers" if by_concept else "spellings, as by_concept = no,"
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


_ONE_RUN = "one run is loaded, so that its interval takes documents alone as a sample"


def over_datasets(corpus: Corpus, settings: Settings, names: Sequence[str], baselines: bool, by: By) -> Result:
    """Evaluate every data set by itself, and give the plain mean of all of them."""
    settings, found = over_runs(settings, corpus.systems), dict[str, Evaluated]()
    for one, part in corpus.by_dataset.items():
        with named(one):
            found[one] = evaluated(part, settings, names, baselines, by, based=True)
    results = {name: one.result for name, one in found.items()}
    rows = [row for name, one in found.items() for row in _of_dataset(name, one.rows)]
    rows += mean_of_datasets({name: one.rows for name, one in found.items()}, [parse(one).name() for one in names])
    several = any(one.by_run is not None for one in results.values())
    by_run = None
    if several:
        groups = {name: runs for part in corpus.by_dataset.values() for name, runs in runs_of(part.systems).items()}
        by_run = run_frame(rows, groups)
    first = next(iter(results.values()))
    alike = {one.settings for one in results.values()}
    return Result(
        with_runs(rows) if several else result_frame([row for row, _ in rows]),
        first.settings if len(alike) == 1 else settings,
        notes_of_datasets(corpus, results),
        sum(one.documents for one in results.values()),
        first.concordance,
        by_run=by_run,
    )


def _of_dataset(name: str, rows: list[tuple[Row, Basis]]) -> list[tuple[Row, Basis]]:
    """Return rows under the name of their data set."""
    return [((*row[:4], subset_of(name, row[4]), *row[5:]), basis) for row, basis in rows]


def refuse_named_alike(systems: Sequence[str]) -> None:
    """Refuse a system that has the name of another row of a result."""
    if alike := [name for name in systems if name in (*BASELINES, HUMANS)]:
        raise InputError(f"system '{alike[0]}'", "the name of a baseline", "another name", "Rename the system.")


def _drawable(standards: list[dict[str, Counted]]) -> Bools:
    """Return the documents (D,) that a resample may hold: those that count under some gold standard."""
    return np.asarray(np.any([next(iter(systems.values())).lists.drawable for systems in standards], axis=0))


def weights_of(standards: list[dict[str, Counted]], data: Prepared) -> Floats | None:
    """Draw one weight matrix (B, D), so that differences are paired; documents left out for everybody get no weight."""
    one = data.settings
    return intervals.weights(one.interval, data.documents, _drawable(standards), one.resamples, one.seed)


def add_systems(
    sums: Sums, data: Prepared, standards: list[dict[str, Counted]], asked: list[Asked], by: By = ()
) -> dict[str, list[dict[str, Counted]]]:
    """Add the documents of prepared data, block by block, and return the counts of each subset.

    standards: counts of the systems under each gold standard
    """
    if not standards[0]:
        return {}
    settings, adding = data.settings, list[tuple[Accumulator, list[Asked], list[tuple[str, list[Counted]]]]]()
    of_documents = [one for one in asked if {*one.averages(settings.average)} - {*SUBJECT}]
    found = parts(data, standards, by, own_counts(asked))
    for number, (subset, counts) in enumerate(found.items()):
        known = next(iter(counts[0].values())).lists.known
        if by != ("group",) or subset == "all" or subset.removeprefix("group:") in data.coded.groups:
            sums.count(f"{number}/documents", int(known.sum()) if number else len(known))
        blocks = [(name, system.blocks()) for own in counts for name, system in own.items()]
        adding.append((Accumulator(settings.interval, sums, str(number)), _measures_of(of_documents, subset), blocks))
    interval = settings.interval if of_documents else "none"
    drawn = intervals.blocks(interval, data.documents, _drawable(standards), settings.resamples, settings.seed)
    for block, (_, weights) in enumerate(drawn):
        for accumulator, measures, blocks in adding:
            accumulator.begin(np.any([own[block].lists.drawable for _, own in blocks], axis=0), weights)
            for place, (system, own) in enumerate(blocks):
                asked_of = [one for one in measures if system not in BASELINES or one.measure.family not in OWN_COUNTS]
                for one, view in own[block].views(asked_of):
                    for average in one.averages(settings.average):
                        accumulator.add(str(place), one, view, average)
    return found


def _measures_of(asked: list[Asked], subset: str) -> list[Asked]:
    """Return the measures of a subset: of present or absent keyphrases there are no concordance tables."""
    without = {"concordance", *OWN_COUNTS} - {"list"} if side_of(subset) else ()
    return [one for one in asked if one.measure.family not in without]


def system_rows(
    sums: Sums,
    names: Names,
    asked: list[Asked],
    settings: Settings,
    by: By = (),
    baselines: bool = False,
    standards: int = 1,
    folded: Mapping[str, list[dict[str, Counted]]] | None = None,
    rests: list[Basis] | None = None,
    subjects: Mapping[tuple[str, str, int, str], Estimate] | None = None,
) -> list[Row]:
    """Return the rows of all systems from what was added; values under several gold standards are averaged.

    folded    counts of each subset, where the runs of a system are one row; rests: takes what each row rests on
    subjects  means over subjects, by subset, system, place of the measure, and average
    """
    rows = list[Row]()
    for number, subset in enumerate(subsets(by, names.groups)):
        if f"{number}/documents" not in sums.arrays:  # no document with gold is of this type
            continue
        documents, accumulator = sums.number(f"{number}/documents"), Accumulator(settings.interval, sums, str(number))
        systems = [*names.systems, *(BASELINES if baselines and not side_of(subset) else ())]
        groups = {name: (name,) for name in systems} if folded is None else runs_of(systems)
        for (system, runs), (place, one) in product(groups.items(), enumerate(_measures_of(asked, subset))):
            cutoffs = one.cutoffs(settings)
            for average in one.averages(settings.average):
                if system in BASELINES and (average in SUBJECT or one.measure.family in OWN_COUNTS):
                    continue
                if average in SUBJECT:
                    values = (subjects or {})[subset, system, place, average]
                else:
                    each = list[Estimate]()
                    for run in runs:
                        places = range(systems.index(run), len(systems) * standards, len(systems))
                        each.append(mean_of([accumulator.estimate(str(own), one, average, cutoffs) for own in places]))
                    values = each[0]
                    if folded is not None:
                        counts = [[standard[run].of(one) for standard in folded[subset]] for run in runs]
                        values = mean_of_runs(each, counts, one, average, cutoffs, settings)
                rows += _rows((system, average, subset), one, cutoffs, values, documents)
                if rests is not None:
                    rests += bases(place, values, len(cutoffs))
    return rows


def _rows(
    names: tuple[str, str, str], one: Asked, cutoffs: Sequence[Cutoff], values: Estimate, documents: int
) -> list[Row]:
    """Return a row a cutoff; names: system, average and subset. The one column of people stands for all cutoffs."""
    system, average, subset = names
    rows = []
    for place, cutoff in enumerate(cutoffs):
        shown = None if one.measure.fixed is not None or one.over or cutoff == "larger" else cutoff
        numbers = values.row(min(place, len(values.value) - 1), documents)
        rows.append((system, one.name(shown), shown, average, subset, *numbers))
    return rows


def _human_rows(
    data: Prepared, asked: list[Asked], weights: Floats | None, majority: bool, rests: list[Basis] | None
) -> list[Row]:
    """Return the mean of the annotators, each against the others: the human ceiling; the same at every cutoff.

    People choose a set, so only measures of sets have such a row.
    """
    settings, chosen = data.settings, data.choices
    each = Grid(*against_others(chosen, data.universe, majority)).columns()
    documents, rows = int((chosen.seen.sum(axis=0) > 1).sum()), list[Row]()
    for place, one in enumerate(asked):
        if one.measure.family not in ("overlap", "concordance"):
            continue
        for average in one.averages(settings.average):
            values = mean_of([estimate(one, view, average, weights, settings.interval) for view in each])
            rows += _rows((HUMANS, average, "all"), one, one.cutoffs(settings), values, documents)
            if rests is not None:
                rests += bases(place, values, len(one.cutoffs(settings)))
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
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    *,
    system: str,
    measures: Sequence[str],
    **changes: Unpack[Changes],
) -> pd.DataFrame:
    """Return one row a concordance measure of a system, pooled, at the first cutoff.

    low, high      bootstrap over documents; cluster_…: the t interval with documents as clusters; error: its error
    independent_…  value ± 1.96 errors as if phrases were independent: a reference that covers too little, for only
                   documents are a sample
    """
    settings = settled(corpus, settings, changes)
    data = prepare(corpus, settings, interval="bootstrap")
    counted = count_systems(data)
    weights, view = weights_of([counted], data), counted[system].table.at(data.settings.k[:1])
    total = Cells(*(counts[view.used].sum(axis=0) for counts in view.arrays()))
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
