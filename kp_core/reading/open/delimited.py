"""Read text separated by commas, TABs, semicolons or bars as a table, with the line of every row."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv as arrow_csv

from kp_core.errors import InputError, input_error, pluralize
from kp_core.reading.limits import LIMITS, refuse_over
from kp_core.reading.meaning.fields import KNOWN, is_known, plain
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.decode import File
from kp_core.reading.open.table import Table, headed

DELIMITERS = {"\t": "TAB", ",": "comma", ";": "semicolon", "|": "bar"}
#: Number of rows that determine the delimiter, of cells read at a time, and of bytes that Arrow splits at a time.
_HEAD, _CELLS, _BLOCK = 201, 1_000_000, 1 << 30
#: The share of rows of the same length in an even table.
_EVEN = 0.8
_LINE_END = re.compile("[\r\n]")
csv.field_size_limit(LIMITS.line_bytes)


def read_delimited(file: File, mapping: Mapping) -> Table | None:
    """Return the table in a text file, or None if its lines do not split evenly.

    Without column names, rows may differ in length: shorter ones end in blank cells.
    """
    file.refuse_long_lines()
    start = file.text[:2_000_000]
    delimiter = mapping.delimiter or _delimiter(file, start, mapping)
    if delimiter is None or _is_code(file):
        return None
    quoting = _quoting(file, delimiter)
    rows = _first(file, start, delimiter, quoting)
    if not rows:
        return None
    width, count = Counter(map(len, rows)).most_common(1)[0]
    ragged = mapping.header == "no" and count < _EVEN * len(rows)
    if ragged:
        width = max(len(record) for _, record in _records(file, file.text, delimiter, quoting))
    refuse_over(file.limits.columns, width, "columns", file.name, "a table")
    refuse_over(file.limits.cells, width * file.decoded.ends, "cells", file.name, "a table")
    table = Table(file.name, [], [], limits=file.limits)
    if quoting == csv.QUOTE_MINIMAL or not _fill_with_arrow(table, file, delimiter, width):
        _fill(table, file, delimiter, quoting, width, ragged)
    table = headed(table, mapping)
    quotes = ", quotes are ordinary characters" if quoting == csv.QUOTE_NONE and '"' in file.text else ""
    table.described = (
        f"{pluralize(len(table), 'row')} of {width} columns separated by {DELIMITERS.get(delimiter, delimiter)}{quotes}"
    )
    return table


def _is_code(file: File) -> bool:
    """Recognize lines printed by a program, such as `('tide table', 0.02)`, and web pages."""
    if re.match(r"\s*<(!doctype html|html|table)\b", file.text[:200], re.IGNORECASE):
        return True
    return sum(bool(re.match(r"[(\[{]+['\"]", line.strip())) for line in file.sample) * 2 > len(file.sample)


def _records(
    file: File, text: str, delimiter: str, quoting: int, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of every row; a row may extend over several lines."""
    limit, size, first_line = file.limits.line_bytes, 0, 1

    def lines() -> Iterator[str]:
        nonlocal size
        for line in io.StringIO(text, newline=""):  # lines end at \r\n, \n and \r only
            size += len(line)
            if size > limit:
                raise input_error(f"{file.name}, line {first_line}", "long row", limit=limit)
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, quoting=quoting, strict=strict)  # type: ignore[arg-type]
    try:
        for record in reader:
            yield first_line, record
            first_line, size = reader.line_num + 1, 0
    except csv.Error as error:
        if strict and not ("unexpected end" in str(error) or "limit" in str(error)):
            raise
        raise input_error(f"{file.name}, line {first_line}", "open quotation mark") from None


def _is_blank(record: list[str]) -> bool:
    return not record or (len(record) == 1 and not record[0].strip())


def _delimiter(file: File, start: str, mapping: Mapping) -> str | None:
    """Return the delimiter that splits the first rows most evenly, or one that does not occur if there is one column.

    There is one column below a single known column name, or if the file is said to have no column names.
    """
    first_line = file.sample[0] if file.sample else ""
    unused = (mark for mark in ",|;" if {len(row) for row in _first(file, start, mark, csv.QUOTE_MINIMAL)} == {1})
    is_head = plain(first_line) in KNOWN or first_line.strip() in mapping.columns
    if is_head and (delimiter := next(unused, None)):
        return delimiter
    ratings = dict[str, tuple[bool, int, float]]()
    for mark, quoting in [("\t", csv.QUOTE_NONE), *((mark, csv.QUOTE_MINIMAL) for mark in DELIMITERS)]:
        try:
            records = _first(file, start, mark, quoting)
        except InputError:
            continue
        width, count = Counter(map(len, records)).most_common(1)[0] if records else (0, 0)
        if width > 1 and 2 * count >= len(records):
            n_known, share = max(sum(map(is_known, record)) for record in records[:3]), count / len(records)
            ratings[mark] = max((share >= _EVEN, n_known, share), ratings.get(mark, (False, 0, 0)))
    if not ratings and mapping.header == "no":
        common = max(DELIMITERS, key=lambda mark: sum(mark in line for line in file.sample))
        return common if 2 * sum(common in line for line in file.sample) > len(file.sample) else next(unused, None)
    return max(ratings, key=lambda mark: ratings[mark], default=None)


def _first(file: File, start: str, delimiter: str, quoting: int) -> list[list[str]]:
    records = [record for _, record in itertools.islice(_records(file, start, delimiter, quoting), _HEAD)]
    if len(start) < len(file.text) and len(records) < _HEAD:
        records.pop()
    return [record for record in records if not _is_blank(record)]


def _quoting(file: File, delimiter: str) -> int:
    """Return whether quotes enclose fields: in TSV only if every quoted field is well formed and on one line."""
    if '"' not in file.text:
        return csv.QUOTE_NONE
    marked = _records(file, file.text, delimiter, csv.QUOTE_MINIMAL, strict=True)
    try:
        shapes = {(len(row), any(map(_LINE_END.search, row))) for _, row in marked if not _is_blank(row)}
    except (csv.Error, InputError) as error:
        if delimiter != "\t" and isinstance(error, InputError):
            raise
        return csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    by_chance = any(broken for _, broken in shapes) and len({width for width, _ in shapes}) > 1
    return csv.QUOTE_NONE if delimiter == "\t" and by_chance else csv.QUOTE_MINIMAL


def _fill_with_arrow(table: Table, file: File, delimiter: str, width: int) -> bool:
    """Read a file without quoted fields through Arrow; return False if a line is blank or of another width."""
    names = [str(number) for number in range(width)]
    lines = file.decoded.ends + (file.text[-1:] not in ("\n", "\r"))
    refuse_over(file.limits.rows, file.decoded.ends - 1, "rows", file.name)
    data = file.utf8
    try:
        read = arrow_csv.read_csv(
            pa.BufferReader(data),
            # in one block, so that columns need not be joined later
            arrow_csv.ReadOptions(column_names=names, block_size=min(len(data) + 1, _BLOCK)),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return False
    if len(read) < lines:
        return False
    table.columns, table.read = list(read.columns), lines
    pa.default_memory_pool().release_unused()
    return True


def _fill(table: Table, file: File, delimiter: str, quoting: int, width: int, ragged: bool) -> None:
    blocks, lines, rows = list[pa.Table](), list[int](), list[list[str]]()
    for line, record in _records(file, file.text, delimiter, quoting):
        table.read += 1
        if len(record) == width or (ragged and not _is_blank(record)):
            lines.append(line)
            rows.append(record + [""] * (width - len(record)))
        elif _is_blank(record):
            table.blank += 1
        else:
            reason = f"{pluralize(len(record), 'field')} instead of {width}"
            table.rejected.append((table.file, line, reason, " | ".join(record[:200])[:200]))
        if len(rows) * width >= _CELLS:
            blocks.append(_block(rows, width))
            refuse_over(file.limits.rows, len(lines), "rows or more", file.name)
            rows.clear()
    refuse_over(file.limits.rows, len(lines), "rows", file.name)
    table.columns = pa.concat_tables([*blocks, _block(rows, width)]).columns
    table.lines = lines


def _block(rows: list[list[str]], width: int) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * width
    return pa.table([pa.array(cells, pa.large_string()) for cells in columns], list(map(str, range(width))))
