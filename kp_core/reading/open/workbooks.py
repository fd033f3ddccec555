"""Read workbooks (XLSX, ODS) and Parquet files as tables within the limits; no formula or macro is run."""

from __future__ import annotations

import datetime
import io
import os
import re
import warnings
import zipfile
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import input_error, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.decode import File
from kp_core.reading.open.source import DAMAGED, check_workbook, refuse_damaged
from kp_core.reading.open.table import Table, headed, header_names, holds_lists, plain_column

if TYPE_CHECKING:  # slow to import
    import pyarrow.parquet as pq

_TABLE, _TEXT = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}", "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
#: A formula without a stored value, as opposed to an empty text.
_FORMULA = re.compile(rb'<c r="([A-Z]{1,3}[0-9]{1,7})"(?![^>]* t="str")[^>]*><f[^>]*>[^<]*</f>(?:<v></v>|<v ?/>)?</c>')
#: A character not allowed in XML, as escaped in XLSX.
_ESCAPED = re.compile("_x00([01][0-9A-Fa-f])_")
#: A row: its number and its cells.
_Rows = Iterator[tuple[int, list[str]]]


def sheet_names(file: File) -> list[str]:
    """Return the names of the sheets, visible ones first."""
    return list(_book(file))


def read_sheet(file: File, sheet: str, mapping: Mapping) -> Table:
    """Return a sheet as a table."""
    page = _book(file)[sheet]
    excel = file.workbook == "XLSX"
    numbers, columns = file.once(f"sheet {sheet}", lambda: _nonblank(file, _excel_rows(file, page)) if excel else page)
    size = numbers[-1] if numbers else 0
    counts: dict[str, Any] = {"blank": size - len(numbers), "read": size, "sheet": sheet}
    table = headed(Table(file.name, [], columns, numbers, limits=file.limits, **counts), mapping)
    table.described = f"sheet “{sheet}” of {pluralize(len(table), 'row')} and {pluralize(len(columns), 'column')}"
    return table


def _book(file: File) -> dict[str, Any]:
    """Return the sheets of a workbook by name: openpyxl sheets, or rows of ODS."""
    return file.once("book", lambda: _open_excel(file) if file.workbook == "XLSX" else _open_document(file))


def _open_excel(file: File) -> dict[str, Any]:
    # Entities are excluded, so openpyxl does not need the slow safe parser.
    os.environ.setdefault("OPENPYXL_DEFUSEDXML", "False")
    import openpyxl  # slow to import

    check_workbook(file.name, file.source.data, file.limits)
    content = io.BytesIO(file.source.data)
    with refuse_damaged(file.name, "workbook", (Exception,)), warnings.catch_warnings(action="ignore"):
        book = openpyxl.load_workbook(content, read_only=True, data_only=True, keep_links=False)
        sheets = sorted(book.worksheets, key=lambda sheet: sheet.sheet_state != "visible")
        if len({sheet.title for sheet in sheets}) < len(sheets):
            raise ValueError
    return {sheet.title: sheet for sheet in sheets}


def _nonblank(file: File, every: _Rows) -> tuple[list[int], list[pa.ChunkedArray]]:
    """Return the numbers of the rows that are not blank, and the columns of these rows."""
    limits, where = file.limits, file.name
    numbers, rows = list[int](), list[list[str]]()
    cells = characters = width = 0
    with refuse_damaged(where, "workbook", (Exception,)):
        for number, texts in every:
            cells += max(len(texts), 1)
            refuse_over(limits.table_cells, cells, "cells", where, "a sheet")
            while texts and not texts[-1]:
                texts.pop()
            if not texts:
                continue
            numbers.append(number)
            rows.append(texts)
            width = max(width, len(texts))
            refuse_over(limits.columns, width, "columns", where, "a sheet")
            refuse_over(limits.cells, width * len(rows), "cells", where, "a sheet as wide as its widest row")
            characters += sum(map(len, texts))  # millions of cells may share one text
            refuse_over(limits.unpacked_bytes, characters, "characters", where, "a sheet")
        refuse_over(limits.rows, len(rows), "rows", where, "a sheet")
    columns = zip_longest(*rows, fillvalue="")
    return numbers, [pa.chunked_array([pa.array(texts, pa.large_string())]) for texts in columns]


def _excel_rows(file: File, page: Any) -> _Rows:
    """Yield number and cells of the rows of an Excel sheet; refuse formulas without stored values."""
    if match := _FORMULA.search(page.parent._archive.read(page._worksheet_path)):
        raise input_error(f"{file.name}, sheet “{page.title}”, cell {match[1].decode()}", "formula")
    page.reset_dimensions()  # they may be wrong
    with warnings.catch_warnings(action="ignore"):
        for number, cells in enumerate(page.iter_rows(), 1):
            yield number, list(map(_shown, cells))


def _shown(cell: Any) -> str:
    """Return the value of a cell as the spreadsheet displays it, with the leading zeros of its format."""
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    if isinstance(value, str):
        return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), value) if "_x" in value else value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        if abs(value) >= 1e15 or value != int(value):
            return f"{value:.15g}"
        zeros = cell.number_format
        return str(int(value)).zfill(0 if zeros.strip("0") else len(zeros))
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return str(value)


def _open_document(file: File) -> dict[str, Any]:
    """Return the rows of all sheets of an OpenDocument file, read in one pass."""
    check_workbook(file.name, file.source.data, file.limits)
    with (
        refuse_damaged(file.name, "workbook", (ElementTree.ParseError, KeyError, *DAMAGED)),
        zipfile.ZipFile(io.BytesIO(file.source.data)) as packed,
        packed.open("content.xml") as content,
    ):
        events = ElementTree.iterparse(content, ("start", "end"))
        sheets = (element for event, element in events if event == "start" and element.tag == f"{_TABLE}table")
        return {str(sheet.get(f"{_TABLE}name")): _nonblank(file, _open_document_rows(file, events)) for sheet in sheets}


def _open_document_rows(file: File, events: Iterator[tuple[str, ElementTree.Element]]) -> _Rows:
    """Yield number and cells of the rows up to the end of a sheet."""
    number = 1
    for event, element in events:
        if event == "end" and element.tag == f"{_TABLE}table":
            return
        if event == "end" and element.tag == f"{_TABLE}table-row":
            row: list[str] = []
            for cell in element:
                lines = ["".join(line.itertext()) for line in cell.findall(f"{_TEXT}p")]
                times = int(cell.get(f"{_TABLE}number-columns-repeated", 1))
                # Blank cells and rows are repeated up to the edge of the sheet.
                row += ["\n".join(lines)] * min(times, file.limits.columns + 1)
            times = int(element.get(f"{_TABLE}number-rows-repeated", 1))
            if any(row):
                refuse_over(file.limits.list_phrases, times, "copies", f"{file.name}, row {number}", "a row")
                yield from ((number + index, list(row)) for index in range(times))
            number += times
            element.clear()


def is_parquet(file: File) -> bool:
    """Return whether a file is Parquet, by its first bytes."""
    return file.source.data.startswith(b"PAR1")


def read_parquet(file: File) -> Table:
    """Return a Parquet file as a table."""
    import pyarrow.parquet as pq

    with refuse_damaged(file.name, "Parquet file", (pa.ArrowException, OSError, ValueError)):
        texts = _text_columns(file, pq.ParquetFile(pa.BufferReader(file.source.data)))
        # Dictionary encoding limits the memory of repeated text until its size is known.
        stored = pq.ParquetFile(pa.BufferReader(file.source.data), read_dictionary=texts)
        groups, size = [stored.schema_arrow.empty_table()], 0
        for number in range(stored.num_row_groups):  # one by one, because Arrow cannot read lists of several at once
            groups.append(stored.read_row_group(number))
            size += sum(_decoded_size(chunk) for column in groups[-1].columns for chunk in column.chunks)
            refuse_over(file.limits.unpacked_bytes, size, "bytes spelled out", file.name, "a table")
        table = pa.concat_tables(groups)
        table.validate(full=True)  # text that is not UTF-8 would fail later
        columns = [pa.chunked_array([plain_column(column).combine_chunks()]) for column in table.columns]
        names = header_names(table.column_names)
    described = f"a Parquet table of {pluralize(len(table), 'row')} and {pluralize(len(columns), 'column')}"
    return Table(file.name, names, columns, described=described, limits=file.limits, read=len(table))


def _text_columns(file: File, opened: pq.ParquetFile) -> list[str]:
    """Return the paths of text columns; refuse a file that exceeds the limits by its metadata."""
    limits, name, stored = file.limits, file.name, opened.metadata
    refuse_over(limits.rows, stored.num_rows, "rows", name, "a table")
    refuse_over(limits.columns, stored.num_columns, "columns", name, "a table")
    groups = [stored.row_group(number) for number in range(stored.num_row_groups)]
    size = sum(group.total_byte_size for group in groups)
    refuse_over(limits.unpacked_bytes, size, "bytes unpacked", name, "a table")
    for number in range(stored.num_row_groups):
        # If sizes contradict each other, Arrow (26) raises on reading a row, but crashes on the metadata of a column.
        next(opened.iter_batches(1, [number]), None)
    texts, cells = [], 0
    for index in range(stored.num_columns):
        parts, column = [group.column(index) for group in groups], stored.schema.column(index)
        values = sum(part.num_values for part in parts)
        cells += values
        refuse_over(limits.rows, values, "values", name, "a column")
        unpacked = max(sum(part.total_uncompressed_size for part in parts), values * column.length)
        refuse_over(limits.unpacked_bytes, unpacked, "bytes unpacked", name, "a table")
        encodings = {code for part in parts for code in part.encodings}
        if "DELTA_BYTE_ARRAY" in encodings:  # a few bytes may repeat a long text
            raise input_error(name, "packed as differences")
        if column.physical_type == "BYTE_ARRAY" and "DELTA_LENGTH_BYTE_ARRAY" not in encodings:
            texts.append(column.path)
    refuse_over(limits.cells, cells, "cells", name, "a table")
    return texts


def _decoded_size(values: pa.Array) -> int:
    kind = values.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(values.dictionary).fill_null(0)
        return int(pc.sum(lengths.take(values.indices)).as_py() or 0)
    if holds_lists(values):
        return _decoded_size(values.flatten())
    return sum(map(_decoded_size, values.flatten())) if pa.types.is_struct(kind) else int(values.nbytes)
