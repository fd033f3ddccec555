"""Turn counts into values per document: one system at some cutoffs, or the tables of annotators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.counts import AtK, Counts
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.table_cells import FIELDS, Cells
from kp_core.settings import Cutoff


@dataclass(frozen=True)
class View:
    """One system's counts at some cutoffs: D documents, K columns."""

    counts: Counts
    cutoffs: tuple[Cutoff, ...]
    #: the reason of a column without a value where no document counts
    absent: ClassVar[str] = "no_documents"

    @cached_property
    def parts(self) -> list[AtK]:
        """The counts at the cutoffs, in parts of documents."""
        return [part.at(self.cutoffs) for part in self.counts.parts()]

    @cached_property
    def cells(self) -> Cells:
        """The counts of all documents, fields (D, K)."""
        if len(self.parts) == 1:
            return self.parts[0]
        return Cells(*(np.concatenate([getattr(part, name) for part in self.parts]) for name in FIELDS))

    @cached_property
    def used(self) -> Bools:
        """Which documents the system is scored on (D,)."""
        return self.counts.used

    @property
    def documents(self) -> NDArray[np.int64]:
        """How many documents are pooled in each column (K,)."""
        return np.full(len(self.cutoffs), int(self.used.sum()))

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and cutoff (D, K); NaN where undefined."""
        table, row = np.empty((len(self.counts.size), len(self.cutoffs))), 0
        for part in self.parts:  # each is copied while it is still in the cache
            table[row : row + len(part.hits)] = _values(asked, part)
            row += len(part.hits)
        return table

    def status(self, asked: Asked) -> NDArray[np.str_]:
        """Name what is special about every document and cutoff (D, K), or `ok`; the keys stand in `REASONS`."""
        counts = self.counts
        if asked.measure.family == "concordance":
            status = concordance.status(self.cells).astype(object)
        else:
            status = np.full(self.cells.hits.shape, "ok", object)
            status[counts.length == 0] = "system_empty"
        status[counts.size == 0] = "gold_empty"
        status[~counts.listed] = "missing_document"
        if asked.measure.name == "bpref":
            unjudged = np.ones(len(counts.size), bool) if counts.judged is None else np.isnan(counts.judged)
            status[unjudged] = "no_judged_negatives"
        status[np.isnan(self.cells.hits)] = "universe_too_large"
        return status.astype(np.str_)


def _values(asked: Asked, at: AtK) -> Floats:
    values = asked.scores(at)
    without = at.counts.size == 0
    if asked.measure.family == "concordance" or not without.any():
        return values
    rule = at.counts.settings.empty_gold
    instead = np.where(at.counts.drawable[without], 0.0, np.nan)
    if rule == "one-if-empty":
        instead[at.counts.length[without] == 0] = 1.0
    values = np.array(values, dtype=float)
    values[without] = instead[:, None]
    return values


@dataclass(frozen=True)
class Grid:
    """Tables of documents (rows) by anything but cutoffs (columns): annotators, pairs, or all annotators together.

    cells   fields (D, K), 0 where the table does not count; seen (D, K) where it does
    absent  reason where it does not
    """

    cells: Cells
    seen: Bools
    absent: str = "nobody_else"
    cutoffs: ClassVar[tuple[Cutoff, ...]] = ()

    def columns(self) -> list[Grid]:
        """Return every column as a grid of its own."""
        ones = np.eye(self.seen.shape[1], dtype=bool)
        cells = [self.cells.mapped(lambda x, one=one: x[:, one]) for one in ones]  # type: ignore[misc]
        return [Grid(own, self.seen[:, one], self.absent) for own, one in zip(cells, ones, strict=True)]

    def part(self, documents: slice) -> Grid:
        """Return the tables of some documents."""
        return Grid(self.cells.mapped(lambda counts: counts[documents]), self.seen[documents], self.absent)

    @property
    def used(self) -> Bools:
        """Documents that count in some column (D,)."""
        return np.asarray(self.seen.any(axis=1))

    @property
    def documents(self) -> NDArray[np.int64]:
        """How many documents are pooled in each column (K,)."""
        return np.asarray(self.seen.sum(axis=0))

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and column (D, K); NaN where undefined."""
        return np.where(self.seen, asked.scores(self.cells), np.nan)

    def status(self, asked: Asked) -> NDArray[np.str_]:
        """Name what is special about every table (D, K), or `ok`."""
        status = concordance.status(self.cells)
        status[~self.seen] = self.absent
        return status
