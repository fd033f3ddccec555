"""Measure the agreement of all annotators, of every pair, and of each annotator with the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError
from kp_core.scoring import intervals, label_sets
from kp_core.scoring.accumulate import Accumulator, Grid, Sums, add_to, estimate
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.gold import AnnotatorChoices
from kp_core.scoring.measures import MEASURES, OF_PEOPLE, Measure, concordance, names_in, parse
from kp_core.scoring.measures import agreement as tables
from kp_core.scoring.prepare import Names, Prepared, prepare_annotators
from kp_core.settings import Changes, Interval, Settings, resolve_settings
from kp_core.studies.facts import add_agreement, agreement_notes
from kp_core.studies.result import Result, Row, result_frame

#: Default measures: for all annotators together, for each annotator against the others, and for pairs.
TOGETHER = ("K", "alpha", "AC1", "PABAK", "P_pos", "P_neg", "Conger", "Light", "alpha-Jaccard", "alpha-MASI")
AGAINST_OTHERS = ("K", "kappa", "P_pos", "P_neg", "PABAK", "AC1")
OF_PAIRS = ("kappa", "P_pos", "P_neg", "PABAK")
#: Measures only for pairs (generalized by K, Conger and Light), and measures only for all annotators together.
_ONLY_PAIRS = ("kappa", "kappa_max", "pi", "BI")
_ALL_ANNOTATORS = ("alpha", "Conger", "Light", "alpha-Jaccard", "alpha-MASI")
#: Maximum number of documents for which measures of label sets are computed by default.
_DOCUMENTS_OF_SETS = 1_000
#: Maximum number of pairs with intervals.
PAIRS_WITH_INTERVALS = 300

#: Numbers of the first and of the second annotator of each pair (P,), (P,).
AnnotatorPairs = tuple[Ints, Ints]


def interpretable(names: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Return the measures that can be interpreted: under universe = rankings, only those that do not depend on N.

    >>> interpretable(("K", "P_pos", "PABAK"), Settings(universe="rankings"))
    ('P_pos',)
    """
    universe_known = not settings.universe.startswith("rankings")
    return tuple(name for name in names if universe_known or name == "P_pos" or MEASURES[name].family == "sets")


def agreement(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | str | None = None,
    **changes: Unpack[Changes],
) -> Result:
    """Measure the agreement of the annotators of a corpus.

    Parameters
    ----------
    measures : str or sequence of str, optional
        Names such as K, alpha, AC1, PABAK, P_pos, P_neg, Conger, Light, kappa, alpha-Jaccard and alpha-MASI. By default
        all of these; the last two only for up to 1,000 documents.
    **changes
        Fields of `Settings`; average is micro (pooled, the default), macro or both.

    Returns
    -------
    Result
        Rows for all annotators (system “all”), for each annotator against the union of the others (but `K` is the
        agreement of the others), for each pair (“A|B”), and for all annotators per document type (subset group:…).

    References
    ----------
    Siegel & Castellan 1988; Gwet 2014.
    """
    settings = resolve_settings(corpus, settings, changes)
    parsed = requested_measures(settings, measures)
    data = prepare_annotators(corpus, settings)
    sums, annotator_pairs = Sums(), tables.pairs_together(data.choices.seen)
    add_annotators(sums, data, parsed, annotator_pairs)
    return agreement_of(sums, data.names, parsed, data.settings, annotator_pairs, data.notes, data)


def requested_measures(settings: Settings, measures: Sequence[str] | str | None) -> list[Measure]:
    """Return the parsed measures; refuse ranking measures, and settings that select annotators."""
    parsed = [parse(name) for name in names_in(measures or ())]
    if settings.annotators != "union":
        raise UsageError("agreement covers all annotators; leave out annotators")
    for measure in parsed:
        if measure.card.family not in (*OF_PEOPLE, "concordance"):
            known_names = ", ".join(TOGETHER)
            raise UsageError(f"{measure.name()} needs ranks, which annotators do not have; choose {known_names}")
    return parsed


def view_of(
    measure: Measure, choices: AnnotatorChoices, universe: Floats, annotator_pairs: AnnotatorPairs | None = None
) -> Grid:
    """Return the tables of all annotators for a measure; `annotator_pairs`: pairs of annotators for Light's kappa."""
    cells: Cells
    if measure.card.name == "Light":
        cells = tables.pair_tables(choices, universe, annotator_pairs)
    else:
        cells = (tables.shares if measure.card.name == "Conger" else tables.panel)(choices, universe)
    return Grid(cells, (choices.seen.sum(axis=0) > 1)[:, None], "single_annotator")


def standard_error(data: Prepared) -> float:
    """Return the standard error of K of all annotators, with documents as clusters."""
    measure = parse("K")
    average = measure.averages(data.settings.average)[0]
    result = estimate(measure, view_of(measure, data.choices, data.universe), average, None, "cluster-t")
    return intervals.error_of(float(result.low[0]), float(result.high[0]), int(result.documents[0]))


@dataclass(frozen=True)
class _Part:
    """One measure for K rows of the result with their names.

    * `kind`: together, each (one annotator against the union of the others, but K: the others only) or pairs
    * `number`: index of the subset in the names of sums, 0 for all documents
    """

    kind: str
    number: int
    subset: str
    measure: Measure
    names: tuple[str, ...]

    @property
    def absent(self) -> str:
        """The reason why a value is undefined if it is based on no document."""
        return "single_annotator" if self.kind == "together" or self.measure.card.name == "K" else "nobody_else"

    def accumulator(self, sums: Sums, interval: Interval) -> Accumulator:
        """Return the sums of this part; resamples may contain other documents in other parts."""
        no_bounds = self.kind == "pairs" and len(self.names) > PAIRS_WITH_INTERVALS
        return Accumulator("none" if no_bounds else interval, sums, f"{self.kind}/{self.number}/{self.measure.name()}")


def _parts(measures: list[Measure], names: Names, annotator_pairs: AnnotatorPairs) -> list[_Part]:
    subsets = ["all", *(f"group:{group}" for group in names.groups if len(names.groups) > 1)]
    rows = {
        "together": (subsets, ("all",), TOGETHER, _ONLY_PAIRS),
        "each": (["all"], names.annotators, AGAINST_OTHERS, _ALL_ANNOTATORS),
        "pairs": (["all"], pair_names(names.annotators, annotator_pairs), OF_PAIRS, ("K", *_ALL_ANNOTATORS)),
    }
    return [
        _Part(kind, number, subset, measure, row_names)
        for kind, (kind_subsets, row_names, default, excluded) in rows.items()
        for number, subset in enumerate(kind_subsets)
        for measure in measures or map(parse, default)
        if measure.card.name not in excluded
    ]


def add_annotators(sums: Sums, data: Prepared, measures: list[Measure], annotator_pairs: AnnotatorPairs) -> None:
    """Add the documents of prepared data, block by block."""
    settings, seen_by_several = data.settings, data.choices.seen.sum(axis=0) > 1
    add_agreement(sums, data)
    accumulators = []
    counted_parts = [
        part for part in _parts(measures, data.names, annotator_pairs) if part.measure.card.family != "sets"
    ]
    for part, grid, documents in _grids(data, counted_parts, annotator_pairs):
        accumulator = part.accumulator(sums, settings.interval)
        add_to(sums.parts, {accumulator.part: {"documents": np.asarray(documents, float)}})
        accumulators.append((part.measure, accumulator, grid))
    for block, weights in intervals.blocks(settings, data.documents, seen_by_several):
        for measure, accumulator, grid in accumulators:
            view = grid.part(block)
            accumulator.begin(view.scored, weights if accumulator.interval != "none" else None)
            for average in measure.averages(settings.average):
                accumulator.add(0, measure, view, average)


def agreement_of(
    sums: Sums,
    names: Names,
    measures: list[Measure],
    settings: Settings,
    annotator_pairs: AnnotatorPairs,
    notes: Sequence[Note],
    data: Prepared | None = None,
) -> Result:
    """Return the agreement from sums, without rows for pairs that have no document in common.

    * `data`: the prepared data, needed for measures of label sets; None for streamed data
    """
    rows = list[Row]()
    for part in _parts(measures, names, annotator_pairs):
        if part.measure.card.family == "sets":
            if data is not None and (measures or len(data.documents) <= _DOCUMENTS_OF_SETS):
                subset = _choices_of(data, part)
                values = label_sets.alpha(subset, part.measure.card.score, data.documents, settings)
                fields = values.row(0, int(subset.seen.any(axis=0).sum()))
                rows.append(Row("all", part.measure.name(), None, "micro", part.subset, *fields))
            continue
        accumulator = part.accumulator(sums, settings.interval)
        documents = sums.parts[accumulator.part]["documents"].astype(np.int64)
        for average in part.measure.averages(settings.average):
            values = accumulator.estimate(0, part.measure, average, absent=part.absent)
            for i, name in enumerate(part.names):
                if part.kind != "pairs" or documents[i]:
                    fields = values.row(i, int(documents[i]))
                    rows.append(Row(name, part.measure.name(), None, average, part.subset, *fields))
    pairs = len(annotator_pairs[0])
    notes = (*notes, *agreement_notes(sums, pairs if pairs > PAIRS_WITH_INTERVALS else 0, settings))
    n_documents, caption = sums.number("documents"), "Agreement of annotators"
    return Result(result_frame(rows), settings, notes, n_documents, caption=caption, annotators=names.annotators)


def _grids(data: Prepared, parts: list[_Part], annotator_pairs: AnnotatorPairs) -> Iterator[tuple[_Part, Grid, Ints]]:
    """Yield each part with its tables (D, K) and its numbers of documents (K,), per annotator, pair or group."""
    choices, universe = data.choices, data.universe
    against_union = Grid(*tables.against_others(choices, universe))
    all_but = tables.without_each(choices, universe)
    each_pair = Grid(*tables.pairs(choices, universe, annotator_pairs))
    for part in parts:
        if part.kind == "pairs":
            yield part, each_pair, each_pair.documents
        elif part.kind == "each" and part.measure.card.name == "K":
            yield part, Grid(all_but, all_but.universe > 0, part.absent), np.full(len(part.names), len(data.documents))
        elif part.kind == "each":
            yield part, against_union, choices.seen.sum(axis=1)
        else:
            subset = _choices_of(data, part)
            grid = view_of(part.measure, subset, universe, annotator_pairs)
            yield part, grid, np.array([subset.seen.any(axis=0).sum()])


def _choices_of(data: Prepared, part: _Part) -> AnnotatorChoices:
    if not part.number:
        return data.choices
    return data.choices.only(np.array([part.subset == f"group:{group}" for group in data.coded.groups], bool))


def pair_names(annotators: tuple[str, ...], annotator_pairs: AnnotatorPairs) -> tuple[str, ...]:
    """Return the names of pairs, such as A|B; refuse annotators with such names."""
    names = tuple(f"{annotators[a]}|{annotators[b]}" for a, b in zip(*annotator_pairs, strict=True))
    if conflicts := sorted(set(names) & set(annotators)):
        raise InputError(f"annotator '{conflicts[0]}'", "the name of a pair", "another name", "Rename the annotator.")
    return names


def agreement_by_document(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] = ("K", "P_pos", "P_neg", "PABAK", "AC1"),
    **changes: Any,
) -> pd.DataFrame:
    """Return one row per document: type, number of annotators, numbers of phrases chosen, N, agreement, status."""
    data = prepare_annotators(corpus, settings, **changes)
    choices, universe = data.choices, data.universe
    seen, sizes = choices.seen.sum(axis=0), tables.sizes(choices)
    values = {
        measure.name(): view_of(measure, choices, universe).values(measure)[:, 0] for measure in map(parse, measures)
    }
    status = concordance.status(tables.panel(choices, universe))[:, 0]
    union = np.bincount(choices.document, choices.votes > 0, minlength=len(seen)).astype(int)
    frame = pd.DataFrame({"document": data.documents, "group": data.coded.groups, "annotators": seen})
    frame = frame.assign(mean_size=sizes.sum(axis=0) / seen, union_size=union, N=universe, **values)
    return frame.assign(status=np.where(seen > 1, status, "single_annotator"))
