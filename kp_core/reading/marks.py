"""Turn the marks of librarians for subjects, Y (yes), I (indirectly) and N (no), into grades of the gold standard."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import Note
from kp_core.reading.fields import NAMES, plain
from kp_core.reading.mapping import Mapping
from kp_core.reading.profiles import cells_of
from kp_core.reading.table import Table

#: Mark → grade of the gold standard.
GRADES = {"Y": "2", "I": "1", "N": "0"}


def marks_in(table: Table, name: str) -> frozenset[str]:
    """Return which marks stand in a column; none where anything else does."""
    found = frozenset(cell.strip().upper() for cell in cells_of(table, name))
    return found if found <= GRADES.keys() else frozenset()


def graded(table: Table, mapping: Mapping) -> Table:
    """Return a table whose marks, under the head of grades or where the user says so, are grades.

    A row without a mark among others counts as N, and a note says so.
    """
    for place, name in enumerate(table.names if table.header else ()):
        told = plain(name) in NAMES["relevance"] or mapping.relevance == name
        if not told or not (marks := marks_in(table, name)):
            continue
        cells = pc.utf8_upper(pc.utf8_trim_whitespace(table.texts(name)))
        blank = pc.equal(cells, "")
        at = pc.index_in(cells, pa.array(GRADES, pa.large_string()))
        grades = pa.array(GRADES.values(), pa.large_string()).take(pc.fill_null(at, 0).combine_chunks())
        column = pc.if_else(blank, GRADES["N"], pc.if_else(pc.is_valid(at), grades, table.texts(name)))
        shown = ", ".join(f"{mark} = {grade}" for mark, grade in GRADES.items() if mark in marks)
        table = replace(
            table,
            columns=[*table.columns[:place], column, *table.columns[place + 1 :]],
            described=f"{table.described}; marks in “{name}” are grades ({shown})",
        )
        if count := pc.sum(blank).as_py():
            said = Note("warning", table.file, f"Rows without a mark in “{name}”, which count as N: {count:,}.")
            table = replace(table, notes=[*table.notes, said])
    return table
