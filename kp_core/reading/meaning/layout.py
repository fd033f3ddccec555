"""Define how the rows of a table are read, and what is in doubt about it."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.table import Table

#: What judged pairs are told by.
PAIR = ("pair_id", "doc_id", "keyphrase", "candidate")


class Doubt(NamedTuple):
    """What neither words nor a proof decides: in words, and the fields of a mapping that it concerns."""

    words: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Proposal:
    """What a table most likely means, and what is not certain of it.

    role_known  whether the table itself tells its role
    worded      whether words tell anything of it
    program     what wrote it, if it is a known export
    own         whether it is a table of ours, of which nothing is doubted
    """

    mapping: Mapping
    doubts: tuple[Doubt, ...] = ()
    role_known: bool = True
    worded: bool = True
    program: str = ""
    own: bool = False

    def doubted(self, words: str, *fields: str, **changes: Any) -> Proposal:
        """Return the proposal with a doubt, and with what is likeliest about it."""
        mapping = replace(self.mapping, **changes)
        return replace(self, mapping=mapping, doubts=(*self.doubts, Doubt(words, fields)))


NOTHING = Proposal(Mapping())


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are to be read.

    kind     a phrase per row, a list per row, columns of lists, texts, judged pairs; or phrases that several people
             marked, or that several systems scored, in a column each
    columns  role → column
    mapping  what spells it out
    sources  for a column or several an annotator or system: its name (empty: not told) → its columns
    cells    how a cell is split into phrases, a key of `SEPARATORS`; empty if it is one phrase; of judged pairs
             the scale that was chosen
    numbered whether the rows themselves are the documents, 1, 2, …
    source   the annotator or system of all rows, where the sheet is named after it
    united   whether the lists of all columns are one
    gold     the columns of the gold standard next to those of systems
    gold_is  what the column of systems says of rows of the gold standard
    proposal if nobody said what the table means, what was proposed, with its doubts
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

    @property
    def inner(self) -> str:
        """What the items of a list are, where it is said."""
        return self.mapping.inner

    def doubted(self, words: str, *fields: str) -> Layout:
        """Return the layout with one more doubt."""
        return replace(self, proposal=self.proposal.doubted(words, *fields))

    def source_column(self) -> str | None:
        """Return the column that names the annotator or system of a row."""
        return self.columns.get("annotator" if self.role == "gold" else "system")

    def ids(self) -> pa.ChunkedArray:
        """Return the document of every row."""
        return self.table.numbers() if self.numbered else self.table.texts(self.columns["doc_id"])
