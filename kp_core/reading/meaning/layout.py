"""Define how the rows of a table are read, and the doubts about it."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.table import Table

#: Columns that identify a judged pair.
PAIR = ("pair_id", "doc_id", "keyphrase", "candidate")


class Doubt(NamedTuple):
    """An open question about a table as a sentence, with the fields of the mapping that it concerns."""

    words: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Proposal:
    """The likeliest meaning of a table, with doubts.

    role_known  whether the table itself shows its role
    worded      whether column names are known
    program     the program that wrote a known export
    own         whether KPScope wrote the table, so that there are no doubts
    """

    mapping: Mapping
    doubts: tuple[Doubt, ...] = ()
    role_known: bool = True
    worded: bool = True
    program: str = ""
    own: bool = False

    def doubted(self, words: str, *fields: str, **changes: Any) -> Proposal:
        """Return the proposal with another doubt and changed fields of its mapping."""
        mapping = replace(self.mapping, **changes)
        return replace(self, mapping=mapping, doubts=(*self.doubts, Doubt(words, fields)))


NOTHING = Proposal(Mapping())


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are read.

    kind      long (a phrase per row), lists (a list per row), wide (a column per source), marked or scored (a column of
              marks or scores per source), turned (a column per document), documents, or judged (pairs)
    columns   role → column
    sources   annotator or system (empty if unknown) → its columns
    cells     how a cell is split into phrases, a key of `SEPARATORS`; of judged pairs the scale
    numbered  whether the rows are the documents 1, 2, …
    source    the annotator or system of all rows, if the sheet is named after it
    united    whether all columns are one list
    gold      columns of the gold standard next to those of systems
    gold_is   values in the column of systems that mean the gold standard
    """

    kind: Literal["long", "lists", "wide", "marked", "scored", "turned", "documents", "judged"]
    table: Table
    role: Role
    columns: dict[str, str]
    mapping: Mapping
    sources: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cells: str = ""
    numbered: bool = False
    source: str = ""
    united: bool = False
    gold: tuple[str, ...] = ()
    gold_is: tuple[str, ...] = ()
    evidence: str = ""
    proposal: Proposal = NOTHING

    @property
    def phrases(self) -> str:
        """The column of phrases, or of lists of them."""
        return self.columns.get("phrase", "")

    def doubted(self, words: str, *fields: str) -> Layout:
        """Return the layout with another doubt about its proposal."""
        return replace(self, proposal=self.proposal.doubted(words, *fields))

    def source_column(self) -> str | None:
        """Return the column that names the annotator or system of a row."""
        return self.columns.get("annotator" if self.role == "gold" else "system")

    def ids(self) -> pa.ChunkedArray:
        """Return the document of every row."""
        return self.table.numbers() if self.numbered else self.table.texts(self.columns["doc_id"])
