"""Turn the gold standards of several annotators into agreement: all together, every pair, each against the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError
from kp_core.scoring import annotator_tables, intervals
from kp_core.scoring.annotator_tables import Panel
from kp_core.scoring.average import Average, Grid, averaged
from kp_core.scoring.codes import Bools, Floats, Ints, code, identify
from kp_core.scoring.counts import Cells
from kp_core.scoring.gold import Choices, choices
from kp_core.scoring.measures import Asked, concordance, parse
from kp_core.scoring.universe import all_items, check
from kp_core.scoring.universe import sizes as universe_sizes
from kp_core.settings import Settings, make_settings
from kp_core.studies.evaluate import resolve
from kp_core.studies.facts import agreement_facts, agreement_notes
from kp_core.studies.result import ROW_COLUMNS, Result

#: What is computed of all annotators together, of one against the others, and of a pair.
TOGETHER = ("K", "alpha", "AC1", "PABAK", "P_pos", "P_neg", "Conger", "Light")
AGAINST_OTHERS = ("K", "kappa", "P_pos", "P_neg", "PABAK", "AC1")
OF_PAIRS = ("kappa", "P_pos", "P_neg", "PABAK")
#: Measures whose name belongs to a pair; of several annotators they are K, Conger and Light.
_OF_TWO = ("kappa", "kappa_max", "pi", "BI")
#: More pairs than this get values without intervals.
PAIRS_WITH_INTERVALS = 300


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
    if len(code(corpus).annotators) < 2:
        raise InputError(
            "the gold standard",
            "one annotator",
            "at least two, whose agreement can be measured",
            "Load the keyphrases of each annotator: a column “annotator”, a file each, or a folder each.",
        )
    return annotated_under(corpus, resolve(corpus, replace(settings, k=("all",), annotators="union"))[0])


def annotated_under(corpus: Corpus, settings: Settings) -> Annotated:
    """Return the choices of the annotators under resolved settings; refuses a universe that is too small."""
    coded, record = code(corpus), settings.conventions
    universe = universe_sizes(corpus, settings.universe, record)
    if settings.universe.isdigit():
        check(universe, all_items(corpus, record).size.astype(float), coded.documents, settings.universe)
    groups = corpus.documents.set_index("doc_id")["group"].reindex(list(coded.documents)).fillna("").tolist()
    return Annotated(
        choices(coded, identify(corpus, record), record),
        universe,
        settings,
        coded.documents,
        coded.annotators,
        tuple(groups),
    )


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
    asked = asked_of(settings, measures)
    data = annotated(corpus, settings)
    weights, kinds = _weights(data), sorted({group for group in data.groups if group})
    rows, common = [], annotator_tables.pairs_together(data.choices.seen)
    for part in parts(data, asked, common, tuple(kinds) if len(kinds) > 1 else ()):
        found = partial(_averaged, part, settings=data.settings, weights=weights)
        rows += part_rows(part.subset, part.names, part.asked, part.documents, found, data.settings)
    facts = agreement_facts(corpus, data.choices.seen.sum(axis=0), data.settings.universe)
    notes = agreement_notes(facts, too_many(len(common[0])), data.settings)
    return result_of(rows, data.settings, (*corpus.report.notes, *notes), len(data.documents))


def asked_of(settings: Settings, measures: Sequence[str] | str | None) -> list[Asked]:
    """Return the measures asked for, each once; refuses those of rankings, and a choice among the annotators."""
    names = [measures] if isinstance(measures, str) else measures or ()
    asked = [parse(part) for part in dict.fromkeys(part.strip() for name in names for part in name.split(","))]
    if settings.annotators != "union":
        raise UsageError("agreement is that of all annotators with each other; leave out annotators")
    for one in asked:
        if one.measure.family not in ("annotators", "concordance"):
            names_known = ", ".join(TOGETHER)
            raise UsageError(f"{one.name()} is about ranks, and annotators have none; ask for {names_known}")
    return asked


def _chosen(asked: list[Asked], default: tuple[str, ...], without: tuple[str, ...]) -> list[Asked]:
    """Return the measures that were asked for and mean something here; the default where nothing was asked."""
    wanted = asked or [parse(name) for name in default]
    return [one for one in wanted if one.measure.name not in without]


def averages(settings: Settings) -> tuple[str, ...]:
    """Return the averages in which agreement is given under the settings."""
    return ("micro", "macro") if settings.both else (settings.pool,)


def _weights(data: Annotated) -> Floats | None:
    """Draw one weight matrix over the documents that two annotators saw."""
    used = data.choices.seen.sum(axis=0) > 1
    settings = data.settings
    if not used.any():
        return None
    return intervals.weights(settings.interval, data.documents, used, settings.resamples, settings.seed)


def view_of(one: Asked, data: Annotated, common: tuple[Ints, Ints] | None = None) -> Grid:
    """Return the tables of all annotators together that a measure needs; common: the pairs for Light's kappa."""
    choices, universe = data.choices, data.universe
    cells: Cells
    if one.measure.name == "Light":
        cells = annotator_tables.pair_tables(choices, universe, common)
    elif one.measure.name == "Conger":
        cells = annotator_tables.shares(choices, universe)
    else:
        cells = annotator_tables.panel(choices, universe)
    return Grid(cells, (choices.seen.sum(axis=0) > 1)[:, None], "single_annotator")


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


@dataclass(frozen=True)
class Part:
    """One measure of some rows of the result: their names, the tables (D, K), and the documents of each (K,).

    kind  together, each (one annotator against the union of the others; K is that of the others alone) or pairs
    """

    subset: str
    kind: str
    names: tuple[str, ...]
    asked: Asked
    view: Grid
    documents: Ints


def wanted(asked: list[Asked], kinds: tuple[str, ...]) -> list[tuple[str, str, Asked]]:
    """Return subset, kind and measure of every part, in the order of the rows; kinds: the types of documents."""
    without = {"together": _OF_TWO, "each": ("alpha", "Conger", "Light"), "pairs": ("K", "alpha", "Conger", "Light")}
    chosen = {
        kind: _chosen(asked, default, without[kind])
        for kind, default in (("together", TOGETHER), ("each", AGAINST_OTHERS), ("pairs", OF_PAIRS))
    }
    parts = [(subset, "together") for subset in ("all", *(f"group:{kind}" for kind in kinds))]
    return [(subset, kind, one) for subset, kind in [*parts, ("all", "each"), ("all", "pairs")] for one in chosen[kind]]


def pair_names(annotators: tuple[str, ...], common: tuple[Ints, Ints]) -> tuple[str, ...]:
    """Return the names of pairs, such as A|B; refuses an annotator who is named like one."""
    names = tuple(f"{annotators[a]}|{annotators[b]}" for a, b in zip(*common, strict=True))
    if clash := sorted(set(names) & set(annotators)):
        raise InputError(f"annotator '{clash[0]}'", "the name of a pair", "another name", "Rename the annotator.")
    return names


def parts(data: Annotated, asked: list[Asked], common: tuple[Ints, Ints], kinds: tuple[str, ...]) -> Iterator[Part]:
    """Give every part of the result; common: the annotators of each pair, kinds: the types of documents."""
    documents = data.choices.seen.sum(axis=1)
    against = Grid(*annotator_tables.against_others(data.choices, data.universe))
    without = annotator_tables.without_each(data.choices, data.universe)
    others = Grid(without, without.universe > 0, "single_annotator")
    found = annotator_tables.pairs(data.choices, data.universe, common)
    names = pair_names(data.annotators, common)
    for subset, kind, one in wanted(asked, kinds):
        if kind == "together":
            group = subset.removeprefix("group:")
            own = data if subset == "all" else data.only(np.array([group == name for name in data.groups], bool))
            seen = np.array([own.choices.seen.any(axis=0).sum()])
            yield Part(subset, kind, ("all",), one, view_of(one, own, common), seen)
        elif kind == "pairs":
            yield Part(subset, kind, names, one, Grid(found.cells, found.seen), found.seen.sum(axis=0))
        elif one.measure.name == "K":
            yield Part(subset, kind, data.annotators, one, others, np.full(len(documents), len(data.documents)))
        else:
            yield Part(subset, kind, data.annotators, one, against, documents)


def part_rows(
    subset: str,
    names: tuple[str, ...],
    asked: Asked,
    documents: Ints,
    found: Callable[[str], Average],
    settings: Settings,
) -> list[tuple[Any, ...]]:
    """Return the rows of one part from what `found` says of an average."""
    rows = []
    for average in averages(settings):
        values = found(average)
        for i, name in enumerate(names):
            n = int(values.documents[i])
            own = values.value[i], values.low[i], values.high[i], n, int(documents[i]) - n, values.reason[i]
            rows.append((name, asked.name(), None, average, subset, *own))
    return rows


def too_many(pairs: int) -> int:
    """Return the number of pairs if they are so many that they have no intervals, else 0."""
    return pairs if pairs > PAIRS_WITH_INTERVALS else 0


def with_intervals(part: Part) -> bool:
    """Tell whether the rows of a part have intervals: not those of pairs where they are too many."""
    return part.kind != "pairs" or not too_many(len(part.names))


def _averaged(part: Part, average: str, settings: Settings, weights: Floats | None) -> Average:
    if not with_intervals(part):
        weights, settings = None, replace(settings, interval="none")
    return averaged(part.asked, part.view, average, weights, settings)


def result_of(rows: list[tuple[Any, ...]], settings: Settings, notes: tuple[Note, ...], documents: int) -> Result:
    """Return the result of an agreement from its rows."""
    frame = pd.DataFrame(rows, columns=list(ROW_COLUMNS))
    frame["k"] = pd.Series([None] * len(rows), dtype=object)
    return Result(frame, settings, notes, documents, True)


def by_document(
    corpus: Corpus, settings: Settings, measures: Sequence[str] = ("K", "P_pos", "P_neg", "PABAK", "AC1")
) -> pd.DataFrame:
    """Return one row a document: its type, how many annotators saw it, what they chose, agreement, and the status."""
    data = annotated(corpus, settings)
    panel: Panel = annotator_tables.panel(data.choices, data.universe)
    seen, own = data.choices.seen.sum(axis=0), annotator_tables.sizes(data.choices)
    asked = [parse(name) for name in measures]
    values = {one.name(): view_of(one, data).values(one)[:, 0] for one in asked}
    status = np.where(seen > 1, concordance.status(panel)[:, 0], "single_annotator")
    union = np.bincount(data.choices.document, data.choices.votes > 0, minlength=len(seen)).astype(int)
    columns = {
        "document": data.documents,
        "group": data.groups,
        "annotators": seen,
        "mean_size": own.sum(axis=0) / seen,
        "union_size": union,
        "N": data.universe,
        **values,
        "status": status,
    }
    return pd.DataFrame(columns)
