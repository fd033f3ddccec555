"""Turn the sheets of a workbook (XLSX, ODS) into tables of the text that they show; no formula or macro is run."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pyarrow as pa

from kp_core.errors import InputError, counted
from kp_core.reading.archive import DAMAGED, check_workbook
from kp_core.reading.family import File
from kp_core.reading.limits import refuse_over
from kp_core.reading.mapping import Mapping
from kp_core.reading.table import Table, headed

if TYPE_CHECKING:
    from kp_core.reading.excel import Excel

_TABLE, _TEXT = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}", "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
#: A cell with a formula whose value nobody kept; an empty text is a value.
_FORMULA = re.compile(rb'<c r="([A-Z]{1,3}[0-9]{1,7})"(?![^>]* t="str")[^>]*><f[^>]*>[^<]*</f>(?:<v></v>|<v ?/>)?</c>')
#: The numbers of the rows of a sheet that are not blank, and its columns, in which each of them has a text.
_Filled = tuple[list[int], list[list[str]]]


def sheet_names(file: File) -> list[str]:
    """Return the names of the sheets, those that are shown first."""
    return file.once("sheets", lambda: _names(file))


def read_sheet(file: File, sheet: str, mapping: Mapping) -> Table:
    """Return a sheet as a table."""
    numbers, texts = file.once(f"sheet {sheet}", lambda: _sheet(file, sheet))
    columns = [pa.chunked_array([pa.array(column, pa.large_string())]) for column in texts]
    read = numbers[-1] if numbers else 0
    table = Table(
        file.name, [], columns, numbers, limits=file.limits, blank=read - len(numbers), read=read, sheet=sheet
    )
    table = headed(table, mapping)
    table.described = f"sheet “{sheet}” of {counted(len(table), 'row')} and {counted(len(columns), 'column')}"
    return table


def _names(file: File) -> list[str]:
    if file.workbook == "ODS":
        return list(_open_document(file))
    return list(_excel(file).sheets)


def _check(file: File) -> None:
    file.once("checked", lambda: check_workbook(file.name, file.source.data, file.limits))


def _refuse_formulas(file: File, sheet: str, content: bytes) -> None:
    """Refuse a sheet with formulas without values, as programs write them: their cells would be blank."""
    if found := _FORMULA.search(content):
        where, what = f"{file.name}, sheet “{sheet}”, cell {found[1].decode()}", "a formula without its value"
        remedy = "Open it in a spreadsheet program, save it there, load that; or choose other sheets."
        raise InputError(where, what, "values", remedy)


def _excel(file: File) -> Excel:
    """Return an Excel workbook, opened once for all of its sheets."""
    return file.once("book", lambda: _opened(file))


def _opened(file: File) -> Excel:
    """Open an Excel workbook; its parts are checked before anything reads them."""
    # No part declares entities, so openpyxl need not look for them by a parser in Python, which takes thrice the time.
    os.environ.setdefault("OPENPYXL_DEFUSEDXML", "False")
    from kp_core.reading.excel import opened  # openpyxl takes an eighth of the time of `import kp_core`

    _check(file)
    try:
        return opened(file.source.data)
    except Exception:  # whatever a damaged workbook makes of the XML, the archive or the reader
        raise _damaged(file) from None


def _damaged(file: File) -> InputError:
    return InputError(file.name, "a damaged or unusual workbook", "a workbook (XLSX, ODS)", "Save it again, or as CSV.")


def _sheet(file: File, sheet: str) -> _Filled:
    if file.workbook == "ODS":
        return _open_document(file)[sheet]
    return _filled(file, _excel_rows(file, sheet))


def _filled(file: File, every: Iterator[tuple[int, list[str]]]) -> _Filled:
    """Return those of the rows of a sheet that are not blank."""
    limits, where = file.limits, file.name
    numbers, columns = list[int](), list[list[str]]()
    cells = characters = 0
    try:
        for number, texts in every:
            cells += max(len(texts), 1)  # a row number may lie millions of rows down
            _refuse_cells(file, cells)
            while texts and not texts[-1]:
                texts.pop()
            if not texts:
                continue
            numbers.append(number)
            width = max(len(texts), len(columns))
            refuse_over(limits.columns, width, "columns", where, "a sheet")
            refuse_over(limits.cells, width * len(numbers), "cells", where, "a sheet as wide as its widest row")
            characters += sum(map(len, texts))  # one shared text may stand in millions of cells
            refuse_over(limits.unpacked_bytes, characters, "characters", where, "a sheet")
            columns += [[""] * (len(numbers) - 1) for _ in range(width - len(columns))]
            texts += [""] * (width - len(texts))
            for column, text in zip(columns, texts, strict=True):
                column.append(text)
    except InputError:
        raise
    except Exception:  # as above: the XML of a sheet is read while it is walked
        raise _damaged(file) from None
    refuse_over(limits.rows, len(numbers), "rows", where, "a sheet")
    return numbers, columns


def _excel_rows(file: File, sheet: str) -> Iterator[tuple[int, list[str]]]:
    """Give number and cells of the rows of an Excel sheet."""
    excel = _excel(file)
    content = excel.content(sheet)
    _refuse_formulas(file, sheet, content)
    _refuse_cells(file, excel.declared_cells(content))
    for number, texts in excel.rows(content):
        _refuse_cells(file, number)
        yield number, texts


def _open_document(file: File) -> dict[str, _Filled]:
    """Return the rows of every sheet of an OpenDocument file, which is one stream of them; it is read once."""
    return file.once("content", lambda: _read_open_document(file))


def _read_open_document(file: File) -> dict[str, _Filled]:
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
