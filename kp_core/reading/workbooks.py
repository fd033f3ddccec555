"""Turn the sheets of a workbook (XLSX, ODS) into tables of the text that they show; no formula or macro is run."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa

from kp_core.errors import InputError, counted
from kp_core.reading.archive import DAMAGED, check_workbook, workbook_kind
from kp_core.reading.choice import Choice
from kp_core.reading.family import File
from kp_core.reading.limits import refuse_over
from kp_core.reading.table import Table, headed
from kp_core.reading.values import storable

_TABLE, _TEXT = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}", "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
#: A cell with a formula whose value nobody kept; an empty text is a value.
_FORMULA = re.compile(rb'<c r="([A-Z]{1,3}[0-9]{1,7})"(?![^>]* t="str")[^>]*><f[^>]*>[^<]*</f>(?:<v></v>|<v ?/>)?</c>')


def sheet_names(file: File) -> list[str]:
    """Return the names of the sheets, those that are shown first."""
    return file.once("sheets", lambda: _names(file))


def read_sheet(file: File, sheet: str, choice: Choice) -> Table:
    """Return a sheet as a table."""
    numbers, rows = file.once(f"sheet {sheet}", lambda: _rows(file, sheet))
    width = len(rows[0]) if rows else 0
    columns = [pa.chunked_array([pa.array([row[i] for row in rows], pa.large_string())]) for i in range(width)]
    blank = numbers[-1] - len(numbers) if numbers else 0
    table = headed(Table(file.name, [], columns, numbers, limits=file.limits, blank=blank, sheet=sheet), choice)
    table.described = f"sheet “{sheet}” of {counted(len(table), 'row')} and {counted(width, 'column')}"
    return table


def _names(file: File) -> list[str]:
    if workbook_kind(file.source.data) == "ODS":
        return [str(element.get(f"{_TABLE}name")) for event, element in _elements(file, "table") if event == "start"]
    sheets = _book(file).worksheets
    return [sheet.title for sheet in sorted(sheets, key=lambda sheet: sheet.sheet_state != "visible")]


def _check(file: File) -> None:
    file.once("checked", lambda: check_workbook(file.name, file.source.data, file.limits))


def _refuse_formulas(file: File, sheet: str, part: str) -> None:
    """Refuse a sheet with formulas without values, as programs write them: their cells would be blank."""
    with zipfile.ZipFile(io.BytesIO(file.source.data)) as packed:
        if found := _FORMULA.search(packed.read(part)):
            where, what = f"{file.name}, sheet “{sheet}”, cell {found[1].decode()}", "a formula without its value"
            remedy = "Open it in a spreadsheet program, save it there, load that; or choose other sheets."
            raise InputError(where, what, "values", remedy)


def _book(file: File) -> Any:
    """Open an Excel workbook; its parts are checked before anything reads them."""
    import openpyxl  # an eighth of the time of `import kp_core`

    _check(file)
    try:
        stream = io.BytesIO(file.source.data)
        return openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    except Exception:  # whatever a damaged workbook makes of the XML, the archive or the reader
        raise _damaged(file) from None


def _damaged(file: File) -> InputError:
    return InputError(file.name, "a damaged or unusual workbook", "a workbook (XLSX, ODS)", "Save it again, or as CSV.")


def _rows(file: File, sheet: str) -> tuple[list[int], list[list[str]]]:
    """Return the rows that are not blank with their numbers, all as wide as the widest."""
    numbers, rows = [], []
    cells = width = characters = 0
    try:
        for number, texts in _texts(file, sheet):
            cells += max(len(texts), 1)  # a row number may lie millions of rows down
            _refuse_cells(file, cells)
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


def _texts(file: File, sheet: str) -> Iterator[tuple[int, list[str]]]:
    """Give number and cells of every row, blank rows included where they cost nothing."""
    if workbook_kind(file.source.data) == "ODS":
        yield from _open_document(file, sheet)
        return
    page = _book(file)[sheet]
    _refuse_formulas(file, sheet, page._worksheet_path)
    _refuse_cells(file, (page.max_row or 0) * (page.max_column or 0))
    page.reset_dimensions()  # the size declared may be too small as well
    for number, row in enumerate(page.iter_rows(), 1):
        yield number, ["" if cell.data_type == "e" else shown(cell.value, cell.number_format or "") for cell in row]


def _elements(file: File, name: str) -> Iterator[tuple[str, ElementTree.Element]]:
    """Give start and end of the elements of an OpenDocument sheet that have a name."""
    _check(file)
    try:
        with zipfile.ZipFile(io.BytesIO(file.source.data)) as packed, packed.open("content.xml") as content:
            for event, element in ElementTree.iterparse(content, ("start", "end")):
                if element.tag == _TABLE + name:
                    yield event, element
    except (ElementTree.ParseError, KeyError, *DAMAGED):
        raise _damaged(file) from None


def _open_document(file: File, sheet: str) -> Iterator[tuple[int, list[str]]]:
    """Give number and cells of the rows of a sheet of an OpenDocument file; cells hold the text that they show."""
    within, number = False, 1
    with zipfile.ZipFile(io.BytesIO(file.source.data)) as packed, packed.open("content.xml") as content:
        for event, element in ElementTree.iterparse(content, ("start", "end")):
            if element.tag == f"{_TABLE}table":
                within = event == "start" and element.get(f"{_TABLE}name") == sheet
            elif within and event == "end" and element.tag == f"{_TABLE}table-row":
                row: list[str] = []
                for cell in element:
                    lines = ["".join(line.itertext()) for line in cell.findall(f"{_TEXT}p")]
                    times = int(cell.get(f"{_TABLE}number-columns-repeated", 1))
                    # Behind the last cell and row the format repeats blank ones to the edge of the sheet.
                    _refuse_cells(file, len(row) + times if lines else 0)
                    row += ["\n".join(lines)] * min(times, file.limits.columns + 1)
                times = int(element.get(f"{_TABLE}number-rows-repeated", 1))
                for place in range(times if any(row) else 0):
                    yield number + place, list(row)
                number += times
                element.clear()


def _refuse_cells(file: File, cells: int) -> None:
    refuse_over(file.limits.table_cells, cells, "cells", file.name, "a sheet")


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
