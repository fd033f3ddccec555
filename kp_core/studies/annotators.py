"""Measure the agreement of all annotators, of every pair, and of each annotator with the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError
from kp_core.scoring import intervals, label_sets
from kp_core.scoring.accumulate import Accumulator, Grid, Sums, estimate
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.gold import AnnotatorChoices
from kp_core.scoring.measures import MEASURES, OF_PEOPLE, Asked, concordance, names_in, parse
from kp_core.scoring.measures import agreement as tables
from kp_core.scoring.prepare import Names, Prepared, prepare_annotators
from kp_core.settings import Interval, Settings, resolve_settings
from kp_core.studies.facts import add_agreement, agreement_notes
from kp_core.studies.result import Result, Row, result_frame

#: Default measures for all annotators together, each against the others, and pairs.
TOGETHER = ("K", "alpha", "AC1", "PABAK", "P_pos", "P_neg", "Conger", "Light", "alpha-Jaccard", "alpha-MASI")
AGAINST_OTHERS = ("K", "kappa", "P_pos", "P_neg", "PABAK", "AC1")
OF_PAIRS = ("kappa", "P_pos", "P_neg", "PABAK")
#: Measures of pairs only (generalized by K, Conger and Light), and measures of all annotators only.
_ONLY_PAIRS = ("kappa", "kappa_max", "pi", "BI")
_OF_ALL = ("alpha", "Conger", "Light", "alpha-Jaccard", "alpha-MASI")
#: Maximum number of documents for which label sets are compared by default.
_DOCUMENTS_OF_SETS = 1_000
#: Maximum number of pairs with intervals.
PAIRS_WITH_INTERVALS = 300

#: First and second annotator of each pair (P,), (P,).
Couples = tuple[Ints, Ints]


def interpretable(names: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Return the measures that can be interpreted: with the universe `rankings`, only those that do not depend on N.

    >>> interpretable(("K", "P_pos", "PABAK"), Settings(universe="rankings"))
    ('P_pos',)
    """
    real = not settings.universe.startswith("rankings")
    return tuple(name for name in names if real or name == "P_pos" or MEASURES[name].family == "sets")


def agreement(
    corpus: Corpus, settings: Settings | None = None, /, measures: Sequence[str] | str | None = None, **changes: Any
) -> Result:
    """Measure the agreement of the annotators of a corpus.

    Parameters
    ----------
    measures : str or sequence of str, optional
        Names such as K, alpha, AC1, PABAK, P_pos, P_neg, Conger, Light, kappa, alpha-Jaccard and alpha-MASI. By default
        all of these, the last two for up to 1,000 documents.
    **changes
        Fields of `Settings`; average is micro (pooled, the default), macro or both.

    Returns
    -------
    Result
        Rows for all annotators (system “all”), for each annotator against the union of the others (their own agreement
        is `K`), for each pair (“A|B”), and for all annotators per document type (subset group:…).

    References
    ----------
    Siegel & Castellan 1988; Gwet 2014.
    """
    settings = resolve_settings(corpus, settings, changes)
    asked = requested_measures(settings, measures)
    data = prepare_annotators(corpus, settings)
    sums, couples = Sums(), tables.pairs_together(data.choices.seen)
    add_annotators(sums, data, asked, couples)
    return agreement_of(sums, data.names, asked, data.settings, couples, data.notes, data)


def requested_measures(settings: Settings, measures: Sequence[str] | str | None) -> list[Asked]:
    """Return the requested measures; refuse measures of rankings, and a selection of annotators."""
    asked = [parse(name) for name in names_in(measures or ())]
    if settings.annotators != "union":
        raise UsageError("agreement covers all annotators; leave out annotators")
    for measure in asked:
        if measure.measure.family not in (*OF_PEOPLE, "concordance"):
            names_known = ", ".join(TOGETHER)
            raise UsageError(f"{measure.name()} needs ranks, which annotators do not have; choose {names_known}")
    return asked


def view_of(asked: Asked, choices: AnnotatorChoices, universe: Floats, couples: Couples | None = None) -> Grid:
    """Return the tables of all annotators for a measure; couples: the pairs for Light's kappa."""
    cells: Cells
    if asked.measure.name == "Light":
        cells = tables.pair_tables(choices, universe, couples)
    else:
        cells = (tables.shares if asked.measure.name == "Conger" else tables.panel)(choices, universe)
    return Grid(cells, (choices.seen.sum(axis=0) > 1)[:, None], "single_annotator")


def standard_error(data: Prepared) -> float:
    """Return the standard error of K of all annotators, with documents as clusters."""
    asked = parse("K")
    average = asked.averages(data.settings.average)[0]
    whole = estimate(asked, view_of(asked, data.choices, data.universe), average, None, "cluster-t")
    return intervals.error_of(float(whole.low[0]), float(whole.high[0]), int(whole.documents[0]))


@dataclass(frozen=True)
class _Part:
    """One measure of some rows of the result, and their names (K,).

    kind    together, each (one annotator against the union of the others; K: of the others only) or pairs
    number  number of the subset in the names of sums, 0 for all documents
    """

    kind: str
    number: int
    subset: str
    asked: Asked
    names: tuple[str, ...]

    @property
    def absent(self) -> str:
        """The reason for undefined values without documents."""
        return "single_annotator" if self.kind == "together" or self.asked.measure.name == "K" else "nobody_else"

    def accumulator(self, sums: Sums, interval: Interval) -> Accumulator:
        """Return the sums of this part; parts differ in the documents that resamples may contain."""
        without = self.kind == "pairs" and len(self.names) > PAIRS_WITH_INTERVALS
        return Accumulator("none" if without else interval, sums, f"{self.kind}/{self.number}/{self.asked.name()}")


def _parts(asked: list[Asked], names: Names, couples: Couples) -> list[_Part]:
    subsets = ["all", *(f"group:{group}" for group in names.groups if len(names.groups) > 1)]
    rows = {
        "together": (subsets, ("all",), TOGETHER, _ONLY_PAIRS),
        "each": (["all"], names.annotators, AGAINST_OTHERS, _OF_ALL),
        "pairs": (["all"], pair_names(names.annotators, couples), OF_PAIRS, ("K", *_OF_ALL)),
    }
    return [
        _Part(kind, number, subset, measure, row_names)
        for kind, (of_kind, row_names, default, excluded) in rows.items()
        for number, subset in enumerate(of_kind)
        for measure in asked or map(parse, default)
        if measure.measure.name not in excluded
    ]


def add_annotators(sums: Sums, data: Prepared, asked: list[Asked], couples: Couples) -> None:
    """Add the documents of prepared data, block by block."""
    settings, several = data.settings, data.choices.seen.sum(axis=0) > 1
    add_agreement(sums, data)
    adding = []
    added = [part for part in _parts(asked, data.names, couples) if part.asked.measure.family != "sets"]
    for part, grid, documents in _grids(data, added, couples):
        accumulator = part.accumulator(sums, settings.interval)
        sums.add(f"{accumulator.part}/rows", documents)
        adding.append((part.asked, accumulator, grid))
    for block, weights in intervals.blocks(settings, data.documents, several):
        for measure, accumulator, grid in adding:
            view = grid.part(block)
            accumulator.begin(view.scored, weights if accumulator.interval != "none" else None)
            for average in measure.averages(settings.average):
                accumulator.add("", measure, view, average)


def agreement_of(
    sums: Sums,
    names: Names,
    asked: list[Asked],
    settings: Settings,
    couples: Couples,
    notes: Sequence[Note],
    data: Prepared | None = None,
) -> Result:
    """Return the agreement from sums, without rows for pairs who saw no document together.

    data: the documents, whose label sets are compared with one another; None for streamed data
    """
    rows = list[Row]()
    for part in _parts(asked, names, couples):
        if part.asked.measure.family == "sets":
            if data is not None and (asked or len(data.documents) <= _DOCUMENTS_OF_SETS):
                subset = _only(data, part)
                values = label_sets.alpha(subset, part.asked.measure.score, data.documents, settings)
                numbers = values.row(0, int(subset.seen.any(axis=0).sum()))
                rows.append(Row("all", part.asked.name(), None, "micro", part.subset, *numbers))
            continue
        accumulator = part.accumulator(sums, settings.interval)
        documents = sums.numbers[f"{accumulator.part}/rows"].astype(np.int64)
        for average in part.asked.averages(settings.average):
            values = accumulator.estimate("", part.asked, average, absent=part.absent)
            for i, name in enumerate(part.names):
                if part.kind != "pairs" or documents[i]:
                    numbers = values.row(i, int(documents[i]))
                    rows.append(Row(name, part.asked.name(), None, average, part.subset, *numbers))
    pairs = len(couples[0])
    notes = (*notes, *agreement_notes(sums, pairs if pairs > PAIRS_WITH_INTERVALS else 0, settings))
    number, caption = sums.number("documents"), "Agreement of annotators"
    return Result(result_frame(rows), settings, notes, number, caption=caption, annotators=names.annotators)


def _grids(data: Prepared, parts: list[_Part], couples: Couples) -> Iterator[tuple[_Part, Grid, Ints]]:
    """Yield the tables of each part (D, K), and the number of documents on which each name could count (K,)."""
    choices, universe = data.choices, data.universe
    against = Grid(*tables.against_others(choices, universe))
    without = tables.without_each(choices, universe)
    each_pair = tables.pairs(choices, universe, couples)
    for part in parts:
        if part.kind == "pairs":
            yield part, Grid(each_pair.cells, each_pair.seen), each_pair.seen.sum(axis=0)
        elif part.kind == "each" and part.asked.measure.name == "K":
            yield part, Grid(without, without.universe > 0, part.absent), np.full(len(part.names), len(data.documents))
        elif part.kind == "each":
            yield part, against, choices.seen.sum(axis=1)
        else:
            subset = _only(data, part)
            grid = view_of(part.asked, subset, universe, couples)
            yield part, grid, np.array([subset.seen.any(axis=0).sum()])


def _only(data: Prepared, part: _Part) -> AnnotatorChoices:
    if not part.number:
        return data.choices
    return data.choices.only(np.array([part.subset == f"group:{group}" for group in data.coded.groups], bool))


def pair_names(annotators: tuple[str, ...], couples: Couples) -> tuple[str, ...]:
    """Return the names of pairs, such as A|B; refuse annotators with such names."""
    names = tuple(f"{annotators[a]}|{annotators[b]}" for a, b in zip(*couples, strict=True))
    if clash := sorted(set(names) & set(annotators)):
        raise InputError(f"annotator '{clash[0]}'", "the name of a pair", "another name", "Rename the annotator.")
    return names


def agreement_by_document(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] = ("K", "P_pos", "P_neg", "PABAK", "AC1"),
    **changes: Any,
) -> pd.DataFrame:
    """Return one row per document: type, annotators, sizes of their choices, N, agreement, and status."""
    data = prepare_annotators(corpus, settings, **changes)
    choices, universe = data.choices, data.universe
    seen, sizes = choices.seen.sum(axis=0), tables.sizes(choices)
    values = {asked.name(): view_of(asked, choices, universe).values(asked)[:, 0] for asked in map(parse, measures)}
    status = concordance.status(tables.panel(choices, universe))[:, 0]
    union = np.bincount(choices.document, choices.votes > 0, minlength=len(seen)).astype(int)
    frame = pd.DataFrame({"document": data.documents, "group": data.coded.groups, "annotators": seen})
    frame = frame.assign(mean_size=sizes.sum(axis=0) / seen, union_size=union, N=universe, **values)
    return frame.assign(status=np.where(seen > 1, status, "single_annotator"))
