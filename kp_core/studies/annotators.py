"""Turn the gold standards of several annotators into agreement: all together, every pair, each against the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.scoring import annotator_tables, intervals
from kp_core.scoring.accumulate import Averaged, averaged
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.gold import Choices
from kp_core.scoring.measures import Asked, concordance, parse
from kp_core.scoring.prepare import Prepared, prepare_annotators
from kp_core.scoring.table_cells import Cells
from kp_core.scoring.views import Grid
from kp_core.settings import Changes, Interval, Settings
from kp_core.studies.facts import agreement_facts, agreement_notes
from kp_core.studies.result import ROW_COLUMNS, Result

#: What is computed of all annotators together, of one against the others, and of a pair.
TOGETHER = ("K", "alpha", "AC1", "PABAK", "P_pos", "P_neg", "Conger", "Light")
AGAINST_OTHERS = ("K", "kappa", "P_pos", "P_neg", "PABAK", "AC1")
OF_PAIRS = ("kappa", "P_pos", "P_neg", "PABAK")
#: Measures whose name belongs to a pair; of several annotators they are K, Conger and Light.
_OF_TWO = ("kappa", "kappa_max", "pi", "BI")
_OF_ALL = ("alpha", "Conger", "Light")
NO_INTERVAL: Interval = "none"
#: More pairs than this get values without intervals.
PAIRS_WITH_INTERVALS = 300

#: The annotators of each pair who saw a document together (P,), (P,).
Couples = tuple[Ints, Ints]


def agreement(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | str | None = None,
    **changes: Unpack[Changes],
) -> Result:
    """Measure how well the annotators of a corpus agree.

    Rows of the result: system “all” for all annotators together; each annotator against the union of the others, with
    K of the others as `K`; each pair as “A|B”; and, where documents have types, all together for each (subset group:…).

    measures   names such as K, alpha, AC1, PABAK, P_pos, P_neg, Conger, Light, kappa; by default all of these
    changes    fields of `Settings`; average: micro (documents pooled, the default), macro (mean over documents) or both

    Raises InputError with fewer than two annotators. Sources: Siegel & Castellan 1988; Gwet 2014.
    """
    settings = (settings or Settings()).changed(**changes)
    asked = asked_of(settings, measures)
    data = prepare_annotators(corpus, settings)
    weights, couples = _weights(data), annotator_tables.pairs_together(data.choices.seen)
    rows: list[tuple[Any, ...]] = []
    for part, grid, documents in grids(
        data, parts_of(asked, data.coded.annotators, couples, data.coded.groups), couples
    ):
        drawn, interval = (weights, data.settings.interval) if part.has_intervals else (None, NO_INTERVAL)
        average_of = partial(averaged, part.asked, grid, weights=drawn, interval=interval)
        rows += part.rows(documents, average_of, data.settings)
    notes = agreement_notes(agreement_facts(data), too_many(len(couples[0])), data.settings)
    return result_of(rows, data.settings, (*data.notes, *notes), len(data.documents))


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


def _weights(data: Prepared) -> Floats | None:
    """Draw one weight matrix over the documents that two annotators saw."""
    used, settings = data.choices.seen.sum(axis=0) > 1, data.settings
    if not used.any():
        return None
    return intervals.weights(settings.interval, data.documents, used, settings.resamples, settings.seed)


def view_of(one: Asked, choices: Choices, universe: Floats, couples: Couples | None = None) -> Grid:
    """Return the tables of all annotators together that a measure needs; couples: the pairs for Light's kappa."""
    cells: Cells
    if one.measure.name == "Light":
        cells = annotator_tables.pair_tables(choices, universe, couples)
    elif one.measure.name == "Conger":
        cells = annotator_tables.shares(choices, universe)
    else:
        cells = annotator_tables.panel(choices, universe)
    return Grid(cells, (choices.seen.sum(axis=0) > 1)[:, None], "single_annotator")


def standard_error(data: Prepared, measure: str = "K") -> float:
    """Return the standard error of a measure of all annotators together, documents as clusters."""
    asked = parse(measure)
    average = asked.averages(data.settings.average)[0]
    whole = averaged(asked, view_of(asked, data.choices, data.universe), average, None, "cluster-t")
    return intervals.error_of(float(whole.low[0]), float(whole.high[0]), int(whole.documents[0]))


@dataclass(frozen=True)
class Part:
    """One measure of some rows of the result, and their names (K,).

    kind  together, each (one annotator against the union of the others; K is that of the others alone) or pairs
    """

    subset: str
    kind: str
    asked: Asked
    names: tuple[str, ...]

    @property
    def absent(self) -> str:
        """The reason of a row without a document that counts."""
        return "single_annotator" if self.kind == "together" or self.asked.measure.name == "K" else "nobody_else"

    @property
    def has_intervals(self) -> bool:
        """Whether its rows have intervals: not those of pairs where they are too many."""
        return self.kind != "pairs" or not too_many(len(self.names))

    def rows(self, documents: Ints, average_of: Callable[[str], Averaged], settings: Settings) -> list[tuple[Any, ...]]:
        """Return the rows from what is said of each average; documents (K,) that each name could count in."""
        rows = []
        for average in self.asked.averages(settings.average):
            values = average_of(average)
            for i, name in enumerate(self.names):
                n = int(values.documents[i])
                own = values.value[i], values.low[i], values.high[i], n, int(documents[i]) - n, values.reason[i]
                rows.append((name, self.asked.name(), None, average, self.subset, *own))
        return rows


def parts_of(asked: list[Asked], annotators: tuple[str, ...], couples: Couples, groups: Iterable[str]) -> list[Part]:
    """Return the parts of the result; groups: the types of documents, which have rows of their own if several."""
    kinds = sorted({group for group in groups if group})
    subsets = ["all", *(f"group:{kind}" for kind in kinds if len(kinds) > 1)]
    names = pair_names(annotators, couples)
    return [
        *(Part(subset, "together", one, ("all",)) for subset in subsets for one in _chosen(asked, TOGETHER, _OF_TWO)),
        *(Part("all", "each", one, annotators) for one in _chosen(asked, AGAINST_OTHERS, _OF_ALL)),
        *(Part("all", "pairs", one, names) for one in _chosen(asked, OF_PAIRS, ("K", *_OF_ALL))),
    ]


def grids(data: Prepared, parts: Iterable[Part], couples: Couples) -> Iterator[tuple[Part, Grid, Ints]]:
    """Give the tables of each part (D, K), and in how many documents each of its names could count (K,)."""
    choices, universe = data.choices, data.universe
    against = Grid(*annotator_tables.against_others(choices, universe))
    without = annotator_tables.without_each(choices, universe)
    each_pair = annotator_tables.pairs(choices, universe, couples)
    for part in parts:
        if part.kind == "pairs":
            yield part, Grid(each_pair.cells, each_pair.seen), each_pair.seen.sum(axis=0)
        elif part.kind == "each" and part.asked.measure.name == "K":
            yield part, Grid(without, without.universe > 0, part.absent), np.full(len(part.names), len(data.documents))
        elif part.kind == "each":
            yield part, against, choices.seen.sum(axis=1)
        else:
            own = choices
            if part.subset != "all":
                own = choices.only(np.array([part.subset == f"group:{group}" for group in data.coded.groups], bool))
            grid = view_of(part.asked, own, universe, couples)
            yield part, grid, np.array([own.seen.any(axis=0).sum()])


def _chosen(asked: list[Asked], default: tuple[str, ...], without: tuple[str, ...]) -> list[Asked]:
    """Return the measures that were asked for and mean something here; the default where nothing was asked."""
    wanted = asked or [parse(name) for name in default]
    return [one for one in wanted if one.measure.name not in without]


def pair_names(annotators: tuple[str, ...], couples: Couples) -> tuple[str, ...]:
    """Return the names of pairs, such as A|B; refuses an annotator who is named like one."""
    names = tuple(f"{annotators[a]}|{annotators[b]}" for a, b in zip(*couples, strict=True))
    if clash := sorted(set(names) & set(annotators)):
        raise InputError(f"annotator '{clash[0]}'", "the name of a pair", "another name", "Rename the annotator.")
    return names


def too_many(pairs: int) -> int:
    """Return the number of pairs if they are so many that they have no intervals, else 0."""
    return pairs if pairs > PAIRS_WITH_INTERVALS else 0


def result_of(rows: list[tuple[Any, ...]], settings: Settings, notes: tuple[Any, ...], documents: int) -> Result:
    """Return the result of an agreement from its rows."""
    frame = pd.DataFrame(rows, columns=list(ROW_COLUMNS))
    frame["k"] = pd.Series([None] * len(rows), dtype=object)
    return Result(frame, settings, notes, documents, caption="Agreement of annotators")


def agreement_by_document(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] = ("K", "P_pos", "P_neg", "PABAK", "AC1"),
    **changes: Unpack[Changes],
) -> pd.DataFrame:
    """Return one row a document: its type, how many annotators saw it, what they chose, agreement, and the status."""
    data = prepare_annotators(corpus, (settings or Settings()).changed(**changes))
    choices, universe = data.choices, data.universe
    seen, own = choices.seen.sum(axis=0), annotator_tables.sizes(choices)
    values = {one.name(): view_of(one, choices, universe).values(one)[:, 0] for one in map(parse, measures)}
    status = concordance.status(annotator_tables.panel(choices, universe))[:, 0]
    union = np.bincount(choices.document, choices.votes > 0, minlength=len(seen)).astype(int)
    columns = {
        "document": data.documents,
        "group": data.coded.groups,
        "annotators": seen,
        "mean_size": own.sum(axis=0) / seen,
        "union_size": union,
        "N": universe,
        **values,
        "status": np.where(seen > 1, status, "single_annotator"),
    }
    return pd.DataFrame(columns)
