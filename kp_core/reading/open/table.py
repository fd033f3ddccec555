"""Define a table as Arrow columns, and find its header among the first rows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import columns_of
from kp_core.errors import Note, pluralize
from kp_core.reading.limits import Limits
from kp_core.reading.meaning.fields import TOTALS, base_of, is_form, is_known, number_of, plain
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.values import HALF_A_CHARACTER, Mask, Rejected, is_number, split_lines
from kp_core.typeset import storable

#: Column names for JSON values without a field: ids, outer and inner ids, lists, and strings.
KEY, OUTER, INNER, LIST, TEXT = BRACKETS = ("(key)", "(outer)", "(inner)", "(list)", "(text)")
_RULE = re.compile(r"\s*(?::?-{2,}:?\s*)?")
#: A cell of the second header row of Qualtrics.
_IMPORTED = re.compile(r'\{"ImportId"')
#: A field of MARC, with its subfield.
_MARC = re.compile(r"[0-9]{3}(?:\$[a-z0-9])*")
#: Number of rows in which a header is sought, and number of rows with which it is compared.
_HEADS, _BODY = 10, 200


@dataclass
class Table:
    """Named columns of equal length; those of text files contain text, others also numbers and lists.

    * `names`: column names; empty until `headed` finds them
    * `lines`: line of each row; None if row i is in line i + 1
    * `read`: number of rows below the header, including rejected and blank ones
    * `nulls`: whether missing values differ from empty ones, as in JSON
    * `form`: name of the file format
    * `datasets`: data sets that are prefixes of ids
    * `dataset`, `run`: columns that became part of ids or system names
    * `splits`: whether a text may contain several phrases
    * `seen`: cache of properties of columns
    """

    file: str
    names: list[str]
    columns: list[pa.ChunkedArray]
    lines: Sequence[int] | None = None
    header: bool = True
    described: str = "table"
    limits: Limits = field(default_factory=Limits)
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    blank: int = 0
    read: int = 0
    sheet: str = ""
    splits: bool = True
    nulls: bool = False
    form: str = "F10"
    datasets: tuple[str, ...] = ()
    dataset: str = ""
    run: str = ""
    seen: dict[str, Any] = field(init=False, default_factory=dict, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> pa.ChunkedArray:
        """Return the first column of this name."""
        return self.columns[self.names.index(name)]

    def texts(self, name: str, rows: int | None = None) -> pa.ChunkedArray:
        """Return all or the first rows of a column as strings, empty if missing; all rows decide how floats look."""
        return as_text(self.column(name), rows)

    def line_numbers(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the line of every row."""
        if isinstance(self.lines, range):
            return np.arange(self.lines.start, self.lines.stop, self.lines.step)
        return np.arange(1, len(self) + 1) if self.lines is None else np.asarray(self.lines, dtype=np.int64)

    def numbers(self) -> pa.ChunkedArray:
        """Return 1, 2, ... as strings, one number per row."""
        return pa.chunked_array([pa.array(map(str, range(1, len(self) + 1)), pa.large_string())])

    def rows(self, mask: pa.ChunkedArray | pa.Array) -> Table:
        """Return a table with only the rows selected by a mask."""
        lines = self.line_numbers()[np.asarray(mask.to_numpy(zero_copy_only=False), dtype=bool)]
        return replace(self, columns=[column.filter(mask) for column in self.columns], lines=lines.tolist())

    def take_out(self, mask: Mask, message: str = "") -> Table:
        """Return the table without some rows, which count as blank; add a note if a message is given."""
        if not mask.any():
            return self
        notes = [*self.notes, *([Note("info", self.file, message)] if message else [])]
        return replace(self.rows(pa.array(~mask)), blank=self.blank + int(mask.sum()), notes=notes)

    def without(self, names: Sequence[str]) -> Table:
        """Return the table without some columns."""
        names_left = [name not in names for name in self.names]
        return replace(self, names=[*compress(self.names, names_left)], columns=[*compress(self.columns, names_left)])


def as_text(column: pa.ChunkedArray, rows: int | None = None) -> pa.ChunkedArray:
    """Return all or the first rows as large strings, empty if missing; a column of whole floats is without `.0`."""
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
        values = column.drop_null().to_numpy()
        if np.all((np.floor(values) == values) & (np.abs(values) < 2**53)):
            column = column.cast(pa.int64())
    column = column.slice(0, rows)
    if pa.types.is_nested(column.type):
        values = [None if value is None else json.dumps(value, default=str) for value in column.to_pylist()]
        column = pa.chunked_array([pa.array(values, pa.large_string())])
    column = column if pa.types.is_large_string(column.type) else column.cast(pa.large_string())
    return column.fill_null("") if column.null_count else column


def list_columns(table: Table) -> list[str]:
    """Return the names of the columns whose cells are lists."""
    return [name for name, column in zip(table.names, table.columns, strict=True) if holds_lists(column)]


def holds_lists(column: pa.ChunkedArray) -> bool:
    """Return whether the cells of a column are lists."""
    return bool(pa.types.is_list(column.type) or pa.types.is_large_list(column.type))


def holds_lists_of_texts(column: pa.ChunkedArray) -> bool:
    """Return whether the cells of a column are lists of strings."""
    return holds_lists(column) and is_text(column.type.value_type)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type is a string type."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def share_with(texts: pa.ChunkedArray, mark: str) -> float:
    """Return the share of strings that contain a separator."""
    return (pc.sum(pc.match_substring(texts, mark)).as_py() or 0) / max(len(texts), 1)


def plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column in one of the types of a table: large strings, numbers or lists."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain_column(column.cast(pa.large_string() if is_text(kind.value_type) else kind.value_type))
    if holds_lists(column) and pa.types.is_dictionary(kind.value_type):
        return plain_column(column.cast(pa.list_(kind.value_type.value_type)))
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        return column.cast(pa.float64())
    if holds_lists_of_texts(column):
        return column.cast(pa.list_(pa.large_string()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_nested(kind):
        return column
    return column.cast(pa.large_string())


def table_of(
    file: str, names: Sequence[str], columns: Sequence[tuple[pa.Array, list[int]]], lines: Sequence[int], limits: Limits
) -> Table:
    """Return a table of columns; rows with lone surrogates, given per column, are rejected."""
    arrays = [column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column]) for column, _ in columns]
    table = Table(file, header_names([storable(name) for name in names]), arrays, lines, limits=limits)
    table.read = len(table)
    surrogates: dict[int, str] = {}
    for array, (_, bad) in zip(arrays, columns, strict=True):
        surrogates |= {row: str(array[row].as_py())[:200] for row in bad if row not in surrogates}
    if surrogates:
        table = table.rows(pa.array(~np.isin(np.arange(len(table)), list(surrogates))))
        table.rejected = [(file, lines[row], HALF_A_CHARACTER, excerpt) for row, excerpt in sorted(surrogates.items())]
    return table


#: The name of a column without a name.
UNNAMED = re.compile("column [0-9]+")


def header_names(header: Sequence[str]) -> list[str]:
    """Return distinct, non-empty names of columns, each on one line."""
    names: dict[str, None] = {}
    for number, cell in enumerate(header, 1):
        name = " ".join(filter(None, map(str.strip, split_lines(cell)))) or f"column {number}"
        while name in names:
            name += "'"
        names[name] = None
    return list(names)


def headed(table: Table, mapping: Mapping) -> Table:
    """Return a table with names from its header, if any, without blank, explanatory and repeated header rows."""
    if not table.columns:
        return table
    samples = [column.slice(0, _HEADS + _BODY).to_pylist() for column in table.columns]
    rows = [[cell or "" for cell in row] for row in zip(*samples, strict=True)]
    imported = next((index for index, row in enumerate(rows[:5]) if all(map(_IMPORTED.match, row))), 0)
    if imported:  # Qualtrics writes codes above the questions, and numbers of the questions below them
        kept = [index not in (imported, *range(imported - 1)) for index in range(len(table))]
        return headed(replace(table.rows(pa.array(kept)), read=table.read - kept.count(False)), mapping)
    n_above, heads = _head(table, rows, mapping)
    skipped = n_above + heads
    # Markdown has a rule below the header.
    skipped += bool(heads) and len(rows) > skipped and any(rows[skipped]) and all(map(_RULE.fullmatch, rows[skipped]))
    header_line = int(table.line_numbers()[n_above]) if heads else 0
    titles = [" ".join(filter(None, map(str.strip, row))) for row in rows[:n_above]]
    titles += [row[3] for row in table.rejected if row[1] < header_line]
    message = f"Above the header: {pluralize(len(titles), 'row')}, “{titles[0][:60]}”." if titles else ""
    rejected = [row for row in table.rejected if row[1] >= header_line]
    table = replace(
        table,
        names=header_names(_one_head(rows[n_above : n_above + heads]) if heads else [""] * len(table.columns)),
        columns=[column.slice(skipped) for column in table.columns],
        lines=(range(1, len(table) + 1) if table.lines is None else table.lines)[skipped:],
        header=bool(heads),
        rejected=rejected,
        read=table.read - skipped - (len(table.rejected) - len(rejected)),
        notes=[*table.notes, *([Note("info", table.file, message)] if message else [])],
    )
    table = table.take_out(np.logical_and.reduce([pc.equal(column, "").to_numpy() for column in table.columns]))
    if not heads:
        return table
    head = rows[n_above + heads - 1]
    table = _without_repeated_headers(table, head)
    if not {*columns_of("gold")} <= {*table.names}:
        table = _without_explanation(table)
    table = _without_footer(table)
    unnamed = not head[0].strip() or is_form(head)
    return table.without(table.names[: unnamed and len(table.names) > 1 and counts_rows(table.columns[0])])


def counts_rows(column: pa.ChunkedArray) -> bool:
    """Return whether a column merely numbers the rows from 0 or 1."""
    cells = column.to_pylist()
    return len(cells) > 1 and any(cells == list(map(str, range(start, start + len(cells)))) for start in (0, 1))


def _without_repeated_headers(table: Table, head: list[str]) -> Table:
    """Take out rows that repeat the header, as in files that were concatenated."""
    repeats = np.ones(len(table), dtype=bool)
    for column, cell in zip(table.columns, head, strict=True):
        if repeats.any():
            repeats &= pc.equal(pc.utf8_trim_whitespace(column), cell.strip()).to_numpy()
    lines = table.line_numbers()[repeats]
    times = f"{pluralize(len(lines), 'time')}, first in line {next(iter(lines), 0)}"
    return table.take_out(repeats, f"The header is repeated {times}; the repeats were skipped.")


def _without_explanation(table: Table) -> Table:
    """Take out a row below the header that explains the columns.

    Its cells are in parentheses or MARC fields, or at least two differ in kind from all cells below and none agrees.
    """
    samples = [list(map(str.strip, column.slice(0, _BODY).to_pylist())) for column in table.columns]
    if len(table) < 4 or len(samples) < 2:
        return table
    nonblank = list(filter(None, (cells[0] for cells in samples)))
    kinds = [_is_unlike(cells[0], list(filter(None, cells[1:]))) for cells in samples]
    bracketed = all(re.fullmatch(r"\(.+\)|\[.+\]", cell) for cell in nonblank) and len(nonblank) > 1
    marc = all(map(_MARC.fullmatch, nonblank)) and any("$" in cell for cell in nonblank)
    if not (bracketed or marc) and (kinds.count(True) < 2 or False in kinds):
        return table
    message = f"Below the header: 1 row that explains it, “{' | '.join(nonblank)[:60]}”."
    return table.take_out(np.arange(len(table)) == 0, message)


def _without_footer(table: Table) -> Table:
    """Take out totals at the end of a table, and notes after a blank row."""
    lines = table.line_numbers()[-_HEADS:].tolist()
    rows = list(zip(*(column.slice(len(table) - len(lines)).to_pylist() for column in table.columns), strict=True))
    # A row of a text file extends over the lines of its cells.
    ends = [line + (0 if table.sheet else "".join(row).count("\n")) for line, row in zip(lines, rows, strict=True)]
    footer: list[str] = []
    while len(rows) > 1 and len(table.names) > 1:
        cells = list(filter(None, map(str.strip, rows[-1])))
        words = " ".join(cells).replace(":", " ").split()
        digits = [bool(re.search(r"\d", cell)) for cell in (cells[1:] or words[1:])]
        sums = bool(digits) and all(digits) and plain(words[0]) in TOTALS
        is_note = (len(cells) == 1 and " " in cells[0]) or cells[0].endswith(":")
        if not (sums or (is_note and lines[len(rows) - 1] - ends[len(rows) - 2] > 1)):
            break
        footer.append(" ".join(cells))
        rows.pop()
    # Rows of another width after a blank line are notes too.
    notes = [row for row in table.rejected if ends and row[1] > ends[-1] + 1]
    if not (notes or footer):
        return table
    example = (footer or [notes[-1][3]])[-1]
    message = f"Below the table: {pluralize(len(notes) + len(footer), 'row')}, “{example[:60]}”."
    rejected, note = [row for row in table.rejected if row not in notes], Note("info", table.file, message)
    shortened = replace(table, rejected=rejected, blank=table.blank + len(notes), notes=[*table.notes, note])
    return shortened.take_out(np.arange(len(table)) >= len(table) - len(footer))


def _head(table: Table, rows: list[list[str]], mapping: Mapping) -> tuple[int, int]:
    """Return the number of rows above the header, and the number of header rows: 0, 1 or 2."""
    chosen = mapping.header
    if chosen == "no" or not rows:
        return 0, 0
    if chosen and chosen != "yes":
        lines = table.line_numbers()[: len(rows)].tolist()
        indices = [lines.index(int(number)) for number in chosen.split("-") if int(number) in lines]
        return (indices[0], len(indices)) if indices else (0, 0)
    sizes = [sum(map(bool, map(str.strip, row))) for row in rows[:_HEADS]]
    n_above = next((index for index, size in enumerate(sizes[:-1]) if size >= min(2, len(rows[0]))), len(sizes) - 1)
    if n_above and not is_head(rows[n_above:], mapping):
        n_above = 0
    # Rows such as “Date: | 2026” may precede a row that names several columns.
    for index, row in enumerate(rows[:_HEADS]):
        titles = zip(sizes[:index], rows, strict=False)
        if sum(map(is_known, row)) > 1 and all(n < sizes[index] or top[0].strip().endswith(":") for n, top in titles):
            n_above = max(n_above, index)
            break
    two = _continues(rows[n_above:])
    # The columns below merged cells may be named in the second row only.
    if chosen != "yes" and not is_head(rows[n_above:], mapping) and not (two and is_head(rows[n_above + 1 :], mapping)):
        return 0, 0
    return n_above, 2 if two else 1


def _continues(rows: list[list[str]]) -> bool:
    """Return whether the second row belongs to the header by subdividing merged cells of the first."""
    if len(rows) < 3 or not any(map(str.strip, rows[0])):
        return False
    top, second, *body = ([cell.strip() for cell in row] for row in rows)
    parts = {index: second[index] for index, cell in enumerate(top) if index and not cell and second[index]}
    repeated = any(row[index] == part for index, part in parts.items() for row in body)
    data = any(map(is_number, parts.values())) and not all(map(is_number, filter(None, second)))
    data = data or (bool(top[0]) and _is_unlike(second[0], [row[0] for row in body if row[0]]) is False)
    return (
        bool(parts) and not (repeated or data) and all(len(part) <= 40 and ";" not in part for part in parts.values())
    )


def _one_head(heads: list[list[str]]) -> list[str]:
    """Return the column names of one or two header rows; a cell above several columns is repeated for each."""
    if len(heads) == 1:
        return heads[0]
    above, parts = list[str](), [part.strip() for part in heads[1]]
    for cell, part in zip(heads[0], parts, strict=True):
        above.append(cell.strip() or (above[-1] if above and part else ""))
    same = len({cell for cell, part in zip(above, parts, strict=True) if cell and part}) == 1
    return [part if part and same else f"{cell} {part}".strip() for cell, part in zip(above, parts, strict=True)]


def is_head(rows: list[list[str]], mapping: Mapping) -> bool:
    """Return whether the first row is a header: by known column names, or because it differs from the rows below."""
    if not rows or mapping.header:
        return bool(rows)
    first_row, others = rows[0], rows[1:]
    if any(cell.rstrip().endswith(";") for cell in first_row):
        return False
    n_known = sum(map(is_known, first_row))
    if n_known == 1 and any(cell.strip().isdigit() and is_known(cell) for cell in first_row):
        n_known = 0  # a single MARC tag may be any number
    if n_known >= 2 or {*mapping.columns} & {*first_row}:
        return True
    below = [[row[index] for row in others if row[index].strip()] for index in range(len(first_row))]
    repeated = any(cell.strip() and cell in cells for cell, cells in zip(first_row, below, strict=True))
    kinds = [_is_unlike(cell, cells) for cell, cells in zip(first_row, below, strict=True)]
    unlike = True in kinds and False not in kinds
    counted_up = {f"{base_of(cell)} {number_of(cell)}" for cell in first_row}
    series = any(f"{base_of(cell)} 2" in counted_up for cell in first_row if number_of(cell) == 1)
    if (n_known == 1 or unlike or series) and not repeated:
        return True
    # Codes such as d1, d2, d3, above cells without digits.
    named = [(cell.strip(), cells) for cell, cells in zip(first_row, below, strict=True) if cell.strip()]
    codes = all(re.search(r"\d", head) and not re.search(r"[\s;,|\[]", head) for head, _ in named)
    return len(named) > 1 and codes and all(cells and not re.search(r"\d", "".join(cells)) for _, cells in named)


def _is_unlike(head: str, cells: list[str]) -> bool | None:
    """Return whether a first cell differs in kind from all cells below; None if these have no common kind."""
    if not head.strip() or not cells:
        return None
    numbers, threshold = sum(map(is_number, cells)), 0.8 * len(cells)
    if numbers == len(cells):
        return not is_number(head)
    if is_number(head) and not numbers:
        return True
    if len(cells) < 2:
        return None
    if sum(any(map(str.isdigit, cell)) for cell in cells) >= threshold:
        return not any(map(str.isdigit, head))
    if sum(bool(re.search(r"[;|\n]", cell)) for cell in cells) >= threshold:
        return not re.search(r"[;|\n]", head) or None
    return len(head) <= 30 if sum(len(cell) > 60 for cell in cells) >= threshold else None
