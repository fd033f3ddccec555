"""F10X: a sheet of an Excel workbook becomes rows by the names of its columns; formulas and macros are never run."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import openpyxl
import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, counted
from kp_core.reading import whole_tables
from kp_core.reading.archive import check_workbook, is_workbook
from kp_core.reading.delimited import Table, has_header, header_names
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists import storable

NAME = "F10X"
TITLE = "tables: Excel workbooks (XLSX)"
EXAMPLE = ""
BINARY = True
#: Rows in which a sheet must hold something to be named as one that was not read.
_FIRST_ROWS = 1000
OPTIONS = {"header": ("yes", "no"), "cells": (";", ",", "json")}


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise the first visible sheet that is a table of phrases, texts or judgements, or the sheet chosen."""
    if len(files) != 1 or not is_workbook(files[0].source.data):
        return None
    sheets = _sheets(files[0])
    names = [choice.options["sheet"]] if choice.options.get("sheet") in sheets else sheets
    for name in names:
        table = _table(files[0], name, choice)
        found = whole_tables.recognise(NAME, table, files, role, choice) if len(table) else None
        if found is not None:
            offers = {"sheet": tuple(sheets)} if len(sheets) > 1 else {}
            options = {**choice.options, **found.options, "sheet": name}
            return Recognition(
                NAME, found.role, found.files, found.confidence, found.evidence, found.columns, options, offers
            )
    return None


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the sheet by the columns recognised."""
    options = {name: value for name, value in recognition.options.items() if name != "role"}
    choice = Choice(columns=recognition.columns, options=options)
    file = recognition.files[0]
    rows = whole_tables.read(_table(file, options["sheet"], choice), recognition, role)
    chosen = file.choice.options.get("sheet")
    if chosen not in _sheets(file) and (others := _others(file, options["sheet"])):
        names = ", ".join(f"“{name}”" for name in others[:5]) + (" …" if len(others) > 5 else "")
        message = f"Only the sheet “{options['sheet']}” was read, and not {counted(len(others), 'other')}: {names}."
        missing = f"There is no sheet “{chosen}”. " if chosen else ""
        rows[0].notes.append(Note("warning", file.name, missing + message))
    return rows


def column_names(file: File, choice: Choice) -> list[str]:
    """Return the names of the columns of the sheet chosen, else of the first one that has any."""
    sheets = _sheets(file) if is_workbook(file.source.data) else []
    names = [choice.options["sheet"]] if choice.options.get("sheet") in sheets else sheets
    return next((table.names for name in names if len(table := _table(file, name, choice))), [])


def _others(file: File, sheet: str) -> list[str]:
    """Return the names of the other sheets that hold anything in their first rows."""

    def filled(name: str) -> bool:
        try:
            rows = islice(_book(file)[name].iter_rows(values_only=True), _FIRST_ROWS)
            return any(cell is not None for row in rows for cell in row)
        except Exception:  # as below: whatever it is, it was not read
            return True

    return [name for name in _sheets(file) if name != sheet and filled(name)]


def _book(file: File) -> Any:
    """Open the workbook; its parts are checked before anything reads them."""
    file.once("checked", lambda: check_workbook(file.name, file.source.data, file.limits))
    try:
        return openpyxl.load_workbook(io.BytesIO(file.source.data), read_only=True, data_only=True, keep_links=False)
    except Exception:  # whatever a damaged workbook makes of the XML, the archive or the reader
        raise _damaged(file) from None


def _damaged(file: File) -> InputError:
    return InputError(
        file.name, "a damaged or unusual workbook", "an Excel workbook (XLSX)", "Save it again, or as CSV."
    )


def _sheets(file: File) -> list[str]:
    """Return the names of the sheets, those that are shown first."""

    def names() -> list[str]:
        sheets = _book(file).worksheets
        return [sheet.title for sheet in sorted(sheets, key=lambda sheet: sheet.sheet_state != "visible")]

    return file.once("sheets", names)


def _table(file: File, sheet: str, choice: Choice) -> Table:
    numbers, rows = file.once(f"sheet {sheet}", lambda: _rows(file, sheet))
    width = len(rows[0]) if rows else 0
    header = bool(rows) and has_header(rows[:201], width, choice)
    names = header_names(rows[0]) if header else [f"column {number}" for number in range(1, width + 1)]
    body, lines = (rows[1:], numbers[1:]) if header else (rows, numbers)
    columns = [pa.chunked_array([pa.array([row[i] for row in body], pa.large_string())]) for i in range(width)]
    described = f"sheet “{sheet}” of {counted(len(body), 'row')} and {counted(width, 'column')}"
    blank = lines[-1] - len(lines) - int(header) if lines else 0
    return Table(file.name, names, columns, lines, header, described, file.limits, blank=blank)


def _rows(file: File, sheet: str) -> tuple[list[int], list[list[str]]]:
    """Return the rows that are not blank with their numbers, all as wide as the widest."""
    page = _book(file)[sheet]
    _refuse_cells(file, (page.max_row or 0) * (page.max_column or 0))
    page.reset_dimensions()  # the size declared may be too small as well
    numbers, rows = [], []
    cells = width = characters = 0
    try:
        for number, row in enumerate(page.iter_rows(), 1):
            cells += max(len(row), 1)  # a row number may lie millions of rows down
            _refuse_cells(file, cells)
            texts = [shown(cell.value, cell.number_format or "") for cell in row]
            while texts and not texts[-1]:
                texts.pop()
            if texts:
                numbers.append(number)
                rows.append(texts)
                width = max(width, len(texts))
                characters += sum(map(len, texts))  # one shared text may stand in millions of cells
                refuse_over(file.limits.unpacked_bytes, characters, "characters", file.name, "a sheet")
    except InputError:
        raise
    except Exception:  # as above: the XML of a sheet is read while it is walked
        raise _damaged(file) from None
    refuse_over(file.limits.columns, width, "columns", file.name, "a sheet")
    refuse_over(file.limits.rows, len(rows), "rows", file.name, "a sheet")
    refuse_over(file.limits.cells, width * len(rows), "cells", file.name, "a sheet as wide as its widest row")
    return numbers, [row + [""] * (width - len(row)) for row in rows]


def _refuse_cells(file: File, cells: int) -> None:
    if cells > file.limits.table_cells:
        found, expected = f"a sheet of {cells:,} cells", f"at most {file.limits.table_cells:,} cells"
        raise InputError(file.name, found, expected, "Delete empty rows and columns, or save it as CSV.")


def shown(value: Any, pattern: str = "General") -> str:
    """Return a cell as the spreadsheet shows it: whole numbers without a point, leading zeros of a pattern kept.

    >>> shown(3.0), shown(0.1 + 0.2), shown(7, "000"), shown(True), shown(None)
    ('3', '0.3', '007', 'TRUE', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        whole = value == int(value) if abs(value) < 1e15 else False
        if whole and re.fullmatch("0+", pattern):
            return str(int(value)).zfill(len(pattern))
        return str(int(value)) if whole else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return storable(str(value))
