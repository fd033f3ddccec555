"""Turn comma-, tab-, semicolon- or bar-separated text into columns of strings with the line of every row."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv as arrow_csv

from kp_core.errors import InputError, counted
from kp_core.reading.family import Choice, File
from kp_core.reading.fields import is_known
from kp_core.reading.limits import LIMITS, refuse_over
from kp_core.reading.table import Table, headed

DELIMITERS = {"\t": "TAB", ",": "comma", ";": "semicolon", "|": "bar"}
#: Rows that are split at once, and the characters that they may have together.
_BLOCK, _CHARACTERS = 50_000, 16_000_000
csv.field_size_limit(LIMITS.line_bytes)


def read_delimited(file: File, choice: Choice) -> Table | None:
    """Return the table that a text file holds, or None if its lines do not split evenly."""
    file.refuse_long_lines()
    start = file.text[:2_000_000]
    delimiter = choice.options.get("delimiter") or _delimiter(start, cut=len(start) < len(file.text))
    if delimiter is None or _is_code(file):
        return None
    quoting = _quoting(file, delimiter)
    head = list(itertools.islice(_reader(start, delimiter, quoting), 201))
    rows = [record for record in head if not _is_blank(record)]
    if not rows:
        return None
    width = Counter(map(len, rows)).most_common(1)[0][0]
    refuse_over(file.limits.columns, width, "columns", file.name, "a table")
    ends = file.text.count("\n") or file.text.count("\r")
    refuse_over(file.limits.cells, width * ends, "cells", file.name, "a table")
    table = Table(file.name, [], [], limits=file.limits)
    if quoting == csv.QUOTE_MINIMAL or not _fill_at_once(table, file, delimiter, width):
        _fill(table, file, delimiter, quoting, width)
    table = headed(table, choice)
    quotes = ", quotes are ordinary characters" if quoting == csv.QUOTE_NONE and '"' in file.text else ""
    table.described = (
        f"{counted(len(table), 'row')} of {width} columns separated by {DELIMITERS.get(delimiter, delimiter)}{quotes}"
    )
    return table


def _is_code(file: File) -> bool:
    """Tell lines that a program printed, such as `('tide table', 0.02)`: they are no rows."""
    lines = file.sample
    return sum(bool(re.match(r"[(\[{]+['\"]", line.strip())) for line in lines) * 2 > len(lines)


def _reader(text: str, delimiter: str, quoting: int, *, strict: bool = False) -> Iterator[list[str]]:
    # StringIO with newline="" ends lines at \r\n, \n and \r only.
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=strict)  # type: ignore[arg-type]


class _Lines(Iterator[str]):
    """The lines of a file, counted since the last row: one with quoted line ends could go on to the end of the file."""

    def __init__(self, file: File) -> None:
        self._lines = io.StringIO(file.text, newline="")
        self._where, self._limit, self._line, self._size = file.name, file.limits.line_bytes, 0, 0
        self._first = 1

    def __next__(self) -> str:
        line = next(self._lines)
        self._line += 1
        self._size += len(line)
        if self._size > self._limit:
            found = f"a row of more than {self._limit:,} characters"
            expected = f"at most {self._limit:,} characters, and quotation marks in pairs"
            raise InputError(f"{self._where}, line {self._first}", found, expected, "Split it, or raise the limit.")
        return line

    def taken(self) -> int:
        """Return the characters read since the last call."""
        size, self._size, self._first = self._size, 0, self._line + 1
        return size


def _is_blank(record: list[str]) -> bool:
    return not record or (len(record) == 1 and not record[0].strip())


def _delimiter(start: str, *, cut: bool) -> str | None:
    best: tuple[bool, int, float, int] | None = None
    chosen = None
    for order, delimiter in enumerate(DELIMITERS):
        try:
            quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
            records = list(itertools.islice(_reader(start, delimiter, quoting), 201))
        except csv.Error:
            continue
        records = [
            record for record in (records[:-1] if cut and len(records) < 201 else records) if not _is_blank(record)
        ]
        if not records:
            continue
        width, count = Counter(map(len, records)).most_common(1)[0]
        if width < 2 or count < 0.5 * len(records):
            continue
        known = max(sum(map(is_known, record)) for record in records[:3])
        rating = (count >= 0.8 * len(records), known, count / len(records), -order)
        if best is None or rating > best:
            best, chosen = rating, delimiter
    return chosen


def _quoting(file: File, delimiter: str) -> int:
    """Choose whether quotes enclose fields: in TSV only if every quoted field is well formed and on one line."""
    if '"' not in file.text:
        return csv.QUOTE_NONE
    opened = 0
    lines = _Lines(file)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for record in reader:
            lines.taken()
            if delimiter == "\t" and reader.line_num - opened > 1:
                return csv.QUOTE_NONE
            opened = reader.line_num
            del record
    except csv.Error as error:
        if delimiter == "\t":
            return csv.QUOTE_NONE
        if "unexpected end" in str(error) or "limit" in str(error):
            where = f"{file.name}, line {opened + 1}"
            found = "a quotation mark that is never closed"
            raise InputError(
                where, found, "quotation marks in pairs", "Close it, or double it inside a field."
            ) from None
    return csv.QUOTE_MINIMAL


def _fill_at_once(table: Table, file: File, delimiter: str, width: int) -> bool:
    """Read an even file without quoted fields through Arrow, ten times faster; False if a line does not fit."""
    names = [str(number) for number in range(width)]
    if any(blank in file.text for blank in ("\n\n", "\n\r", "\r\r")) or file.text[:1] in ("\n", "\r"):
        return False  # blank lines are counted by the slower way
    if file.text.count("\n") + file.text.count("\r") - file.text.count("\r\n") > file.limits.rows + 1:
        raise _too_many(file)
    try:
        found = arrow_csv.read_csv(
            io.BytesIO(file.text.encode()),
            arrow_csv.ReadOptions(column_names=names),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return False
    if len(found) > file.limits.rows + 1:
        raise _too_many(file)
    table.columns = list(found.columns)
    return True


def _too_many(file: File) -> InputError:
    found = f"more than {file.limits.rows:,} rows"
    return InputError(file.name, found, f"at most {file.limits.rows:,}", "Split the file, or raise the limit.")


def _fill(table: Table, file: File, delimiter: str, quoting: int, width: int) -> None:
    blocks: list[list[pa.Array]] = [[] for _ in range(width)]
    lines: list[int] = []
    for numbers, records in _blocks(file, delimiter, quoting):
        if set(map(len, records)) != {width}:
            numbers, records = _even(table, numbers, records, width)
        if not records:
            continue
        if len(lines) + len(records) > file.limits.rows:
            raise _too_many(file)
        lines.extend(numbers)
        for block, cells in zip(blocks, zip(*records, strict=True), strict=True):
            block.append(pa.array(cells, pa.large_string()))
    table.columns = [pa.chunked_array(block, pa.large_string()) for block in blocks]
    table.lines = lines


def _blocks(file: File, delimiter: str, quoting: int) -> Iterator[tuple[list[int], list[list[str]]]]:
    lines = _Lines(file)
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
    try:
        while True:
            numbers: list[int] = []
            records: list[list[str]] = []
            size = 0
            while len(records) < _BLOCK and size < _CHARACTERS:
                number = reader.line_num + 1
                record = next(reader, None)
                if record is None:
                    break
                numbers.append(number)
                records.append(record)
                size += lines.taken()
            if not records:
                return
            yield numbers, records
    except csv.Error as error:
        where = f"{file.name}, line {reader.line_num}"
        raise InputError(
            where, f"a line that cannot be split ({error})", "separated fields", "Save the file again."
        ) from None


def _even(table: Table, numbers: list[int], records: list[list[str]], width: int) -> tuple[list[int], list[list[str]]]:
    """Keep the records of the right width; count blank lines, reject the others."""
    kept_numbers, kept = [], []
    for number, record in zip(numbers, records, strict=True):
        if len(record) == width:
            kept_numbers.append(number)
            kept.append(record)
        elif _is_blank(record):
            table.blank += 1
        else:
            reason = f"{counted(len(record), 'field')} instead of {width}"
            table.rejected.append((table.file, number, reason, " | ".join(record[:200])[:200]))
    return kept_numbers, kept
