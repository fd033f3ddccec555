"""Define how files are read: the layout of a table, the reading of a file, and the families of formats."""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Literal

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError
from kp_core.reading.meaning.mapping import ROW, Mapping, Proposal
from kp_core.reading.open.decode import File
from kp_core.reading.open.table import Table
from kp_core.reading.rows.check import Rows

#: Columns that identify a judged pair.
PAIR = ("pair_id", "doc_id", "keyphrase", "candidate")


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are read.

    * `kind`: long (a phrase per row), lists (a list per row), wide (a column per source), marked or scored (a column of
      marks or scores per source), turned (a column per document), documents, or judged (pairs)
    * `columns`: role → column
    * `sources`: annotator or system (empty if unknown) → its columns
    * `cells`: how a cell is split into phrases, a key of `SEPARATORS`; of judged pairs the scale
    * `source`: the annotator or system of all rows, if the sheet is named after it
    """

    kind: Literal["long", "lists", "wide", "marked", "scored", "turned", "documents", "judged"]
    table: Table
    role: Role
    columns: dict[str, str]
    mapping: Mapping
    sources: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cells: str = ""
    source: str = ""
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


class NoData(InputError):
    """A file without keyphrases or texts, which is skipped and reported if there are other files."""


class Strength(IntEnum):
    """Strength of evidence. The strongest reading is used; the user decides between equally strong ones.

    * `PROPOSED`: a guess, about which the user is asked
    * `CONTENT`: contents of cells or lines
    * `GRAMMAR`: all lines, or all objects, have the same form
    * `NAMES`: known column names
    * `MARKS`: marks that are unique to the format
    """

    PROPOSED, CONTENT, GRAMMAR, NAMES, MARKS = range(5)


@dataclass(frozen=True)
class Recognition:
    """A hypothesis about the family of one or several files, with its evidence in words.

    * `mapping`: the mapping that gives this reading; empty if no mapping describes all sheets of a workbook
    * `offers`: settings whose possible values depend on the file, such as the sheets of a workbook
    * `layouts`: the layouts of tables
    * `plan`: data that the family needs to read other files
    * `guessed`: whether the role is a guess without evidence in the files
    """

    family: str
    role: Role
    files: tuple[File, ...]
    evidence: str
    mapping: Mapping
    columns: dict[str, str] = field(default_factory=dict)
    offers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    layouts: tuple[Layout, ...] = ()
    plan: Any = None
    guessed: bool = False
    strength: Strength = Strength.GRAMMAR


@dataclass(frozen=True)
class Family:
    """A format family: how its files are recognized and read.

    * `recognise`: returns the reading of one file, if it is of this family; None if it only recognizes groups
    * `read`: returns the rows of all roles; given a role, only its rows and any texts in the same files
    * `recognise_groups`: claims files that belong together, before single files are recognized
    * `GROUP_IS_ONE`: whether such a group is one annotator or system, named after its folder
    * `OPTIONS`: names of its settings
    * `PROVED`: whether marks in the files prove such a group, which is then claimed first
    * `FORMS`: formats of this family with separate names
    """

    NAME: str
    TITLE: str
    recognise: Callable[[File, Role | None], Recognition | None] | None
    read: Callable[[Recognition, Role | None], list[Rows]]
    recognise_groups: Callable[[Sequence[File], Role | None], list[Recognition]] = lambda files, role: []
    GROUP_IS_ONE: bool = False
    OPTIONS: tuple[str, ...] = ()
    PROVED: bool = False
    FORMS: abc.Mapping[str, str] = field(default_factory=dict)
