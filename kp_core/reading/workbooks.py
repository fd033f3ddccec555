"""Turn the sheets of a workbook (XLSX, ODS) into tables of the text that they show; no formula or macro is run."""

from __future__ import annotations

import datetime
import io
import os
import re
import zipfile
from collections.abc import Iterator, Sequence
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
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_T = f"{_SHEET}t"
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
    read = numbers[-1] if numbers else 0
    table = Table(
        file.name, [], columns, numbers, limits=file.limits, blank=read - len(numbers), read=read, sheet=sheet
    )
    table = headed(table, choice)
    table.described = f"sheet “{sheet}” of {counted(len(table), 'row')} and {counted(width, 'column')}"
    return table


def _names(file: File) -> list[str]:
    if workbook_kind(file.source.data) == "ODS":
        return list(_open_document(file))
    sheets = _book(file).worksheets
    return [sheet.title for sheet in sorted(sheets, key=lambda sheet: sheet.sheet_state != "visible")]


def _check(file: File) -> None:
    file.once("checked", lambda: check_workbook(file.name, file.source.data, file.limits))


def _refuse_formulas(file: File, sheet: str, content: bytes) -> None:
    """Refuse a sheet with formulas without values, as programs write them: their cells would be blank."""
    if found := _FORMULA.search(content):
        where, what = f"{file.name}, sheet “{sheet}”, cell {found[1].decode()}", "a formula without its value"
        remedy = "Open it in a spreadsheet program, save it there, load that; or choose other sheets."
        raise InputError(where, what, "values", remedy)


def _book(file: File) -> Any:
    """Return an Excel workbook, opened once for all of its sheets."""
    return file.once("book", lambda: _opened(file))


def _opened(file: File) -> Any:
    """Open an Excel workbook; its parts are checked before anything reads them."""
    # No part declares entities, so openpyxl need not look for them by a parser in Python, which takes thrice the time.
    os.environ.setdefault("OPENPYXL_DEFUSEDXML", "False")
    from kp_core.reading.excel import workbook_of  # openpyxl takes an eighth of the time of `import kp_core`

    _check(file)
    try:
        return workbook_of(file.source.data)
    except Exception:  # whatever a damaged workbook makes of the XML, the archive or the reader
        raise _damaged(file) from None


def _damaged(file: File) -> InputError:
    return InputError(file.name, "a damaged or unusual workbook", "a workbook (XLSX, ODS)", "Save it again, or as CSV.")


def _rows(file: File, sheet: str) -> tuple[list[int], list[list[str]]]:
    """Return the rows of a sheet that are not blank with their numbers, all as wide as the widest."""
    if workbook_kind(file.source.data) == "ODS":
        return _open_document(file)[sheet]
    return _filled(file, _texts(file, sheet))


def _filled(file: File, every: Iterator[tuple[int, list[str]]]) -> tuple[list[int], list[list[str]]]:
    """Return those of the rows of a sheet that are not blank, all as wide as the widest."""
    numbers, rows = [], []
    cells = width = characters = 0
    try:
        for number, texts in every:
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
    """Give number and cells of the rows of an Excel sheet; openpyxl, which knows its strings and formats, is slower."""
    book = _book(file)
    page = file.once("pages", lambda: {one.title: one for one in book.worksheets})[sheet]
    content = book._archive.read(page._worksheet_path)
    _refuse_formulas(file, sheet, content)
    _refuse_cells(file, (page.max_row or 0) * (page.max_column or 0))
    text_of, number = file.once("cells", lambda: _Cells(book, page._shared_strings)), 0
    for _, row in ElementTree.iterparse(io.BytesIO(content)):
        if row.tag != f"{_SHEET}row":
            continue
        before, number = number, int(row.get("r") or number + 1)
        _refuse_cells(file, number)
        if number <= before:
            raise ValueError(number)
        texts: list[str] = []
        for cell in row.iter(f"{_SHEET}c"):
            place = _column((cell.get("r") or "").rstrip("0123456789")) or len(texts) + 1
            texts += [""] * (place - 1 - len(texts))
            texts[place - 1 :] = [text_of(cell)]
        yield number, texts
        row.clear()


def _column(letters: str) -> int:
    """Return the number of a column, 0 where it has no name.

    >>> _column("A"), _column("AB"), _column("")
    (1, 28, 0)
    """
    if not re.fullmatch("[A-Z]{0,3}", letters):
        raise ValueError(letters)
    return sum((ord(letter) - 64) * 26**place for place, letter in enumerate(reversed(letters)))


class _Cells:
    """Turns the cells of an Excel workbook into the texts that they show."""

    def __init__(self, book: Any, strings: Sequence[str]) -> None:
        from openpyxl.styles.numbers import BUILTIN_FORMATS

        own = dict(enumerate(book._number_formats, 164))  # where those of a workbook begin
        self._patterns = [{**BUILTIN_FORMATS, **own}.get(style.numFmtId, "General") for style in book._cell_styles]
        self._book, self._strings = book, strings

    def __call__(self, cell: ElementTree.Element) -> str:
        """Return the text of a cell; an error shows nothing."""
        kind, value = cell.get("t", "n"), cell.findtext(f"{_SHEET}v") or ""
        if kind == "inlineStr":  # a text, or runs of it; how it is pronounced is no part of it
            parts = cell.find(f"{_SHEET}is")
            runs = [one if one.tag == _T else one.find(_T) for one in parts or () if one.tag in (_T, f"{_SHEET}r")]
            value = "".join(one.text or "" for one in runs if one is not None)
        if not value or kind == "e":
            return ""
        if kind == "s":
            return storable(self._strings[int(value)])
        if kind == "b":
            return shown(bool(int(value)))
        return self._number(value, int(cell.get("s", 0))) if kind == "n" else storable(value)

    def _number(self, value: str, style: int) -> str:
        number = float(value) if set(value) & set(".eE") else int(value)
        if style not in self._book._date_formats:
            return shown(number, self._patterns[style])
        from openpyxl.utils.datetime import from_excel

        try:
            return shown(from_excel(number, self._book.epoch, timedelta=style in self._book._timedelta_formats))
        except (OverflowError, ValueError):
            return ""


def _open_document(file: File) -> dict[str, tuple[list[int], list[list[str]]]]:
    """Return the rows of every sheet of an OpenDocument file, which is one stream of them; it is read once."""
    return file.once("content", lambda: _read_open_document(file))


def _read_open_document(file: File) -> dict[str, tuple[list[int], list[list[str]]]]:
    _check(file)
    try:
        with zipfile.ZipFile(io.BytesIO(file.source.data)) as packed, packed.open("content.xml") as content:
            events = ElementTree.iterparse(content, ("start", "end"))
            sheets = (one for event, one in events if event == "start" and one.tag == f"{_TABLE}table")
            return {str(one.get(f"{_TABLE}name")): _filled(file, _open_document_rows(file, events)) for one in sheets}
    except (ElementTree.ParseError, KeyError, *DAMAGED) as error:
        raise error if isinstance(error, InputError) else _damaged(file) from None


def _open_document_rows(
    file: File, events: Iterator[tuple[str, ElementTree.Element]]
) -> Iterator[tuple[int, list[str]]]:
    """Give number and cells of the rows up to the end of a sheet; cells hold the text that they show."""
    number = 1
    for event, element in events:
        if event == "end" and element.tag == f"{_TABLE}table":
            return
        if event == "end" and element.tag == f"{_TABLE}table-row":
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
