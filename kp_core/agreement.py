"""Turn the gold standards of several annotators into agreement: all together, every pair, each against the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from kp_core import annotators as tables
from kp_core.aggregate import Average, Grid, averaged
from kp_core.annotators import Panel
from kp_core.coding import Bools, Floats, code, identify
from kp_core.counts import Cells
from kp_core.errors import InputError, UsageError
from kp_core.evaluate import resolve
from kp_core.gold import Choices, choices
from kp_core.inference import intervals
from kp_core.metrics import Asked, concordance, parse
from kp_core.model import Corpus, Note
from kp_core.result import ROW_COLUMNS, Result
from kp_core.settings import Settings, make_settings
from kp_core.universe import all_items, check
from kp_core.universe import sizes as universe_sizes

#: What is computed of all annotators together, of one against the others, and of a pair.
TOGETHER = ("K", "alpha", "AC1", "PABAK", "P_pos", "P_neg", "Conger", "Light")
AGAINST_OTHERS = ("K", "kappa", "P_pos", "P_neg", "PABAK", "AC1")
OF_PAIRS = ("kappa", "P_pos", "P_neg", "PABAK")
#: Measures whose name belongs to a pair; of several annotators they are K, Conger and Light.
_OF_TWO = ("kappa", "kappa_max", "pi", "BI")
#: More pairs than this get values without intervals.
_PAIRS_WITH_INTERVALS = 300


@dataclass(frozen=True)
class Annotated:
    """The choices of all annotators with N per document, and which documents and annotators there are."""

    choices: Choices
    universe: Floats
    settings: Settings
    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    groups: tuple[str, ...]

    def only(self, documents: Bools) -> Annotated:
        """Return the same where nobody saw the other documents."""
        return replace(self, choices=self.choices.only(documents))


def annotated(corpus: Corpus, settings: Settings) -> Annotated:
    """Return the choices of the annotators of a corpus; refuses a single annotator and a universe that is too small."""
    coded = code(corpus)
    if len(coded.annotators) < 2:
        raise InputError(
            "the gold standard", "one annotator", "at least two, whose agreement can be measured",
            "Load the keyphrases of each annotator: a column “annotator”, a file each, or a folder each.",
        )  # fmt: skip
    settings, _ = resolve(corpus, replace(settings, k=("all",), annotators="union"))
    record = settings.conventions
    universe = universe_sizes(corpus, settings.universe, record)
    if settings.universe.isdigit():
        check(universe, all_items(corpus, record).size.astype(float), coded.documents, settings.universe)
    groups = corpus.documents.set_index("doc_id")["group"].reindex(list(coded.documents)).fillna("").tolist()
    return Annotated(
        choices(coded, identify(corpus, record), record), universe, settings, coded.documents, coded.annotators,
        tuple(groups),
    )  # fmt: skip


def agreement(
    corpus: Corpus,
    measures: Sequence[str] | str | None = None,
    *,
    universe: str | float | None = None,
    average: str | None = None,
    interval: str = "bootstrap",
    resamples: int = 1000,
    seed: int = 0,
    preset: str = "kpscope",
    **conventions: Any,
) -> Result:
    """Measure how well the annotators of a corpus agree.

    Rows of the result: system “all” for all annotators together; each annotator against the union of the others, with
    K of the others as `K`; each pair as “A|B”; and, where documents have types, all together for each (subset group:…).

    measures   names such as K, alpha, AC1, PABAK, P_pos, P_neg, Conger, Light, kappa; by default all of these
    average    micro (documents pooled, the default), macro (mean over documents) or both

    Raises InputError with fewer than two annotators. Sources: Siegel & Castellan 1988; Gwet 2014.
    """
    spelled = "" if universe is None else str(universe)
    settings = make_settings(
        preset_name=preset, average=average, interval=interval, resamples=resamples, seed=seed, **conventions
    )
    return agreement_with(corpus, replace(settings, universe=spelled), measures)


def agreement_with(corpus: Corpus, settings: Settings, measures: Sequence[str] | str | None = None) -> Result:
    """Measure agreement under settings made before."""
    names = [measures] if isinstance(measures, str) else measures or ()
    asked = [parse(part) for part in dict.fromkeys(part.strip() for name in names for part in name.split(","))]
    if settings.annotators != "union":
        raise UsageError("agreement is that of all annotators with each other; leave out annotators")
    for one in asked:
        if one.measure.family not in ("annotators", "concordance"):
            names_known = ", ".join(TOGETHER)
            raise UsageError(f"{one.name()} is about ranks, and annotators have none; ask for {names_known}")
    data = annotated(corpus, settings)
    weights = _weights(data)
    rows = _together(data, _chosen(asked, TOGETHER, _OF_TWO), weights, "all")
    kinds = sorted({group for group in data.groups if group})
    for group in kinds if len(kinds) > 1 else ():
        part = data.only(np.array([group == one for one in data.groups]))
        rows += _together(part, _chosen(asked, TOGETHER, _OF_TWO), weights, f"group:{group}")
    rows += _each(data, _chosen(asked, AGAINST_OTHERS, ("alpha", "Conger", "Light")), weights)
    rows += _pairs(data, _chosen(asked, OF_PAIRS, ("K", "alpha", "Conger", "Light")), weights)
    frame = pd.DataFrame(rows, columns=list(ROW_COLUMNS))
    frame["k"] = pd.Series([None] * len(rows), dtype=object)
    return Result(frame, data.settings, (*corpus.report.notes, *_notes(data)), len(data.documents), True)


def _chosen(asked: list[Asked], default: tuple[str, ...], without: tuple[str, ...]) -> list[Asked]:
    """Return the measures that were asked for and mean something here; the default where nothing was asked."""
    wanted = asked or [parse(name) for name in default]
    return [one for one in wanted if one.measure.name not in without]


def _averages(settings: Settings) -> tuple[str, ...]:
    return ("micro", "macro") if settings.both else (settings.pool,)


def _weights(data: Annotated) -> Floats | None:
    """Draw one weight matrix over the documents that two annotators saw."""
    used = data.choices.seen.sum(axis=0) > 1
    if data.settings.interval != "bootstrap" or not used.any():
        return None
    weights = np.zeros((data.settings.resamples, len(used)))
    rng = np.random.default_rng(data.settings.seed)
    weights[:, used] = intervals.resample(int(used.sum()), data.settings.resamples, rng)
    return weights


def _row(
    system: str, one: Asked, average: str, subset: str, found: Average, column: int, documents: int
) -> tuple[Any, ...]:
    n = int(found.documents[column])
    values = found.value[column], found.low[column], found.high[column]
    return (system, one.name(), None, average, subset, *values, n, documents - n, found.reason[column])


def view_of(one: Asked, data: Annotated) -> Grid:
    """Return the tables of all annotators together that a measure needs."""
    build: dict[str, Callable[[Choices, Floats], Cells]] = {"Conger": tables.shares, "Light": tables.pair_tables}
    cells = build.get(one.measure.name, tables.panel)(data.choices, data.universe)
    return Grid(cells, (data.choices.seen.sum(axis=0) > 1)[:, None], "single_annotator")


def standard_error(data: Annotated, measure: str = "K") -> float:
    """Return the standard error of a measure of all annotators together, documents as clusters."""
    view, asked = view_of(parse(measure), data), parse(measure)
    if not view.used.any():
        return float("nan")
    if data.settings.pool == "macro":
        values = view.values(asked)
        values = values[~np.isnan(values)]
        return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    moves = intervals.influence(view.cells.only(view.used), asked.scores)
    return float(intervals.cluster_error(moves, int(view.used.sum()))[0])


def _together(data: Annotated, asked: list[Asked], weights: Floats | None, subset: str) -> list[tuple[Any, ...]]:
    rows = []
    documents = int(data.choices.seen.any(axis=0).sum())
    for one in asked:
        view = view_of(one, data)
        for average in _averages(data.settings):
            found = averaged(one, view, average, weights, data.settings)
            rows.append(_row("all", one, average, subset, found, 0, documents))
    return rows


def _each(data: Annotated, asked: list[Asked], weights: Floats | None) -> list[tuple[Any, ...]]:
    """Return the rows of each annotator against the union of the others; K is that of the others alone."""
    cells, counts = tables.against_others(data.choices, data.universe)
    others = tables.without_each(data.choices, data.universe)
    rows, documents = [], data.choices.seen.sum(axis=1)
    for one in asked:
        for average in _averages(data.settings):
            if one.measure.name == "K":
                views = [Grid(panel, panel.universe > 0, "single_annotator") for panel in others]
                found = [(averaged(one, view, average, weights, data.settings), 0) for view in views]
            else:
                together = averaged(one, Grid(cells, counts), average, weights, data.settings)
                found = [(together, column) for column in range(len(data.annotators))]
            for name, (values, column), seen in zip(data.annotators, found, documents, strict=True):
                total = int(seen) if one.measure.name != "K" else len(data.documents)
                rows.append(_row(name, one, average, "all", values, column, total))
    return rows


def _pairs(data: Annotated, asked: list[Asked], weights: Floats | None) -> list[tuple[Any, ...]]:
    found = tables.pairs(data.choices, data.universe)
    names = [f"{data.annotators[a]}|{data.annotators[b]}" for a, b in zip(found.first, found.second, strict=True)]
    if clash := sorted(set(names) & set(data.annotators)):
        raise InputError(f"annotator '{clash[0]}'", "the name of a pair", "another name", "Rename the annotator.")
    settings, view = data.settings, Grid(found.cells, found.seen)
    if len(names) > _PAIRS_WITH_INTERVALS:
        weights, settings = None, replace(settings, interval="none")
    rows, common = [], found.seen.sum(axis=0)
    for one in asked:
        for average in _averages(settings):
            values = averaged(one, view, average, weights, settings)
            rows += [_row(name, one, average, "all", values, i, int(common[i])) for i, name in enumerate(names)]
    return rows


def by_document(
    corpus: Corpus, settings: Settings, measures: Sequence[str] = ("K", "P_pos", "P_neg", "PABAK", "AC1")
) -> pd.DataFrame:
    """Return one row a document: its type, how many annotators saw it, what they chose, agreement, and the status."""
    data = annotated(corpus, settings)
    panel: Panel = tables.panel(data.choices, data.universe)
    seen, own = data.choices.seen.sum(axis=0), tables.sizes(data.choices)
    asked = [parse(name) for name in measures]
    values = {one.name(): view_of(one, data).values(one)[:, 0] for one in asked}
    status = np.where(seen > 1, concordance.status(panel)[:, 0], "single_annotator")
    union = np.bincount(data.choices.document, data.choices.votes > 0, minlength=len(seen)).astype(int)
    columns = {
        "document": data.documents, "group": data.groups, "annotators": seen, "mean_size": own.sum(axis=0) / seen,
        "union_size": union, "N": data.universe, **values, "status": status,
    }  # fmt: skip
    return pd.DataFrame(columns)


def _notes(data: Annotated) -> list[Note]:
    """Say which documents and pairs are missing from the agreement, and what is too small."""
    notes, seen = [], data.choices.seen.sum(axis=0)
    alone = [data.documents[i] for i in np.flatnonzero(seen < 2)]
    if alone:
        named = ", ".join(alone[:5]) + (" …" if len(alone) > 5 else "")
        text = f"{len(alone)} of {len(seen)} documents have fewer than two annotators and are left out: {named}"
        notes.append(Note("warning", "annotators", text))
    pairs = len(tables.pairs(data.choices, data.universe).first)
    if pairs > _PAIRS_WITH_INTERVALS and data.settings.interval != "none":
        text = f"the {pairs:,} pairs of annotators have no intervals: they are too many"
        notes.append(Note("info", "intervals", text))
    used = int((seen > 1).sum())
    if used < 10 and data.settings.interval != "none":
        notes.append(Note("warning", "intervals", f"{used} documents are too few for a reliable interval"))
    if seen.min(initial=0) != seen.max(initial=0) and used:
        text = (
            f"not everybody saw every document: {int(seen[seen > 1].min())} to {int(seen.max())} annotators a document"
        )
        notes.append(Note("info", "annotators", f"{text}; who did not see one is missing there, not a “no”"))
    if data.settings.universe == "rankings":
        text = (
            "N is the union of all annotators and loaded rankings, so another annotator or system changes every value"
        )
        notes.append(Note("info", "universe", text))
    return notes
