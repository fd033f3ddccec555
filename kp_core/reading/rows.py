"""Hold the rows of one role on their way: as a family reads them, as they were checked, and with whose they are."""

from __future__ import annotations

from collections import abc
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import Note
from kp_core.reading.mapping import Mapping
from kp_core.reading.values import Rejected, distinct_values


def put(table: pa.Table, name: str, column: pa.ChunkedArray) -> pa.Table:
    """Return a table with another column in place of one."""
    return table if table[name] is column else table.set_column(table.column_names.index(name), name, column)


@dataclass
class Rows:
    """Rows of one role from one file or group of files, as a family reads them.

    table     a column for each role found: doc_id, phrase, source (annotator or system), rank, score, ...
    read      how many rows the family met, counted where it met them: those of the table, rejected and blank ones
    lines     line of each row, or None where row i stands in line i + 1
    places    file of each row, where the rows come from several files
    lists     for families of lists: source, doc_id, file, line and length of each list, empty ones included
    marked    rows that the family itself rejects: row number → reason
    rejected  lines that gave no row at all
    counted   number of documents that are only counted, 1, 2, ...; a file of ids may name them (`settle.align`)
    titles    titles of documents that are only counted, in their order, by which other files may know them
    only_ids  whether the documents are such names, the n-th being that of document n
    datasets  the data sets with which the ids begin
    """

    role: Role
    table: pa.Table
    read: int
    lines: Sequence[int] | npt.NDArray[np.int64] | None = None
    places: Sequence[str] | npt.NDArray[np.object_] | None = None
    lists: pd.DataFrame | None = None
    marked: dict[int, str] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    blank: int = 0
    counted: int = 0
    titles: Sequence[str] = ()
    only_ids: bool = False
    datasets: tuple[str, ...] = ()

    def line(self, row: int) -> int:
        """Return the line of a row, 0 where it is not known."""
        return row + 1 if self.lines is None else int(self.lines[row])


@dataclass(frozen=True)
class Checked:
    """Rows that can be kept, trimmed and with numbers for numbers, and those that cannot with their reasons.

    read        how many rows the family met
    first_line  the line of the first row of a single file, 0 where it is not known or there are several files
    """

    role: Role
    table: pa.Table
    lists: pd.DataFrame | None
    rejected: tuple[Rejected, ...]
    notes: tuple[Note, ...]
    read: int
    blank: int
    first_line: int
    one_file: bool
    counted: int
    titles: Sequence[str]
    only_ids: bool
    datasets: tuple[str, ...] = ()


@dataclass
class Part:
    """Checked rows with what is known of them as a whole, and then whose each of them is.

    file     as the report calls it; origin: the number of the upload, which may give several parts
    name     the annotator or system where no column says it, and whether the user gave it
    sources  annotators or systems, once they are settled
    """

    checked: Checked
    file: str
    name: str
    name_given: bool
    origin: tuple[int, int]
    mapping: Mapping
    table: pa.Table = field(init=False)
    lists: pd.DataFrame | None = field(init=False)
    counted: int = field(init=False)
    sources: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table, self.lists, self.counted = self.checked.table, self.checked.lists, self.checked.counted

    @property
    def role(self) -> Role:
        """What the rows are."""
        return self.checked.role

    def starts(self) -> npt.NDArray[np.int64]:
        """Return the rows at which another document begins."""
        return run_starts(self.table["doc_id"])

    def ids(self) -> pa.Array:
        """Return the documents in order, those with empty lists included."""
        if self.lists is None:
            return distinct_values(self.table["doc_id"], self.starts())
        return pc.unique(pa.array(self.lists["doc_id"].tolist(), pa.large_string()))

    def every_source(self) -> list[str]:
        """Return the names of all sources, those with nothing but empty lists included."""
        listed = [] if self.lists is None else self.lists["source"].unique().tolist()
        return list(dict.fromkeys([*self.sources, *listed]))

    def put(self, name: str, column: pa.ChunkedArray) -> None:
        """Put another column in place of one."""
        self.table = put(self.table, name, column)

    def rename(self, column: str, renamed: abc.Mapping[str, str]) -> None:
        """Give documents (`doc_id`) or annotators and systems (`source`) other names: old → new."""
        coded = self.table[column].combine_chunks().dictionary_encode()
        values = pa.array([renamed.get(value, value) for value in coded.dictionary.to_pylist()], pa.large_string())
        self.put(column, pa.chunked_array([values.take(coded.indices)]))
        if self.lists is not None:
            self.lists = self.lists.assign(**{column: [renamed.get(name, name) for name in self.lists[column]]})
        if column == "source":
            self.sources = list(dict.fromkeys(renamed.get(name, name) for name in self.sources))
