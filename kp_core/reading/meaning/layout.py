"""Define how the rows of a table are read."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass, field, replace
from typing import Literal

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.reading.meaning.mapping import ROW, Mapping, Proposal
from kp_core.reading.open.table import Table

#: Columns that identify a judged pair.
PAIR = ("pair_id", "doc_id", "keyphrase", "candidate")


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are read.

    kind      long (a phrase per row), lists (a list per row), wide (a column per source), marked or scored (a column of
              marks or scores per source), turned (a column per document), documents, or judged (pairs)
    columns   role → column
    sources   annotator or system (empty if unknown) → its columns
    cells     how a cell is split into phrases, a key of `SEPARATORS`; of judged pairs the scale
    source    the annotator or system of all rows, if the sheet is named after it
    gold_is   values in the column of systems that mean the gold standard
    """

    kind: Literal["long", "lists", "wide", "marked", "scored", "turned", "documents", "judged"]
    table: Table
    role: Role
    columns: dict[str, str]
    mapping: Mapping
    sources: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cells: str = ""
    source: str = ""
    gold_is: tuple[str, ...] = ()
    evidence: str = ""
    proposal: Proposal = field(default_factory=lambda: Proposal(Mapping()))

    @property
    def phrases(self) -> str:
        """The column of phrases, or of lists of them."""
        return self.columns.get("phrase", "")

    @property
    def numbered(self) -> bool:
        """Whether the rows are the documents 1, 2, …."""
        return self.mapping.document == ROW

    @property
    def united(self) -> bool:
        """Whether all columns form one list, whose cells may be split further."""
        return list(self.sources) == [""] and self.mapping.split != "none"

    def doubted(self, words: str, *fields: str) -> Layout:
        """Return the layout with another doubt about its proposal."""
        return replace(self, proposal=self.proposal.doubted(words, *fields))

    def source_column(self) -> str | None:
        """Return the column that names the annotator or system of a row."""
        return self.columns.get("annotator" if self.role == "gold" else "system")

    def ids(self) -> pa.ChunkedArray:
        """Return the document of every row."""
        return self.table.numbers() if self.numbered else self.table.texts(self.columns["doc_id"])
