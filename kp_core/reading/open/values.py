"""Trim columns of text and convert them to numbers and pandas columns."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.typeset import storable

HALF_A_CHARACTER = "half a character (a lone surrogate) that cannot be stored"
#: URIs of concepts, between `<` and `>`.
URIS = re.compile(r"\s*(?:<[^<>\s]+>\s*)+")
#: The pandas type of Arrow text.
TEXT = pd.StringDtype(na_value=np.nan)
#: A rejected row: file, line (0 if unknown), reason, content.
Rejected = tuple[str, int, str, str]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_LINE_END = re.compile("\r\n|\n|\r")

#: Characters that are trimmed from ids and phrases: white space, control characters and the byte order mark.
EDGES = "".join(c for c in map(chr, range(0x3001)) if c.isspace() or unicodedata.category(c) == "Cc") + "\ufeff"
#: The same without control characters such as U+008C, which occur as whole phrases in rankings from PDF.
_LESS = "".join(c for c in EDGES if not "\x80" <= c <= "\x9f" or c == "\x85")


def number(value: object) -> float:
    """Return a JSON or text value as a float; NaN if it is not a number.

    >>> number("0.82"), number(3), number("high")
    (0.82, 3.0, nan)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return math.nan
    try:
        return float(value) if not isinstance(value, str) or "_" not in value else math.nan
    except (ValueError, OverflowError):
        return math.nan


def is_number(value: object) -> bool:
    """Return whether a value is a finite number, or a string that denotes one."""
    return math.isfinite(number(value))


def split_lines(text: str) -> list[str]:
    r"""Split at carriage return and line feed only, as an editor counts lines.

    >>> split_lines("a\u2028b\r\nc\rd\n")
    ['a\u2028b', 'c', 'd']
    """
    lines = text.split("\n") if "\r" not in text else _LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def trim(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Trim white space and control characters; return the same column if nothing changes.

    >>> trim(pa.chunked_array([["tide", " sea ", "x\\u00a0"]], pa.large_string())).to_pylist()
    ['tide', 'sea', 'x']
    """
    trimmed = pc.utf8_trim(column, EDGES)
    if trimmed.equals(column):
        return column
    return pc.if_else(pc.equal(trimmed, ""), pc.utf8_trim(column, _LESS), trimmed)


def byte_lengths(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Return the number of bytes of every value."""
    return np.asarray(pc.binary_length(column).to_numpy())


def distinct(column: pa.ChunkedArray) -> list[str]:
    """Return the distinct values in order of first appearance."""
    return list(pc.unique(column).to_pylist())


def floats(column: pa.ChunkedArray) -> tuple[Floats, Mask]:
    """Return a column as finite numbers (else NaN), and a mask of given values that are not finite numbers.

    >>> floats(pa.chunked_array([["1", "", "high", "1e5", "inf"]], pa.large_string()))[1].tolist()
    [False, False, True, False, True]
    """
    if pa.types.is_boolean(column.type) or pa.types.is_nested(column.type):
        return np.full(len(column), np.nan), np.ones(len(column), dtype=bool)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        present = ~column.is_null().to_numpy()
        values = column.cast(pa.float64(), safe=False).to_numpy()
    else:
        text = trim(column.cast(pa.large_string()).fill_null(""))
        present, values = byte_lengths(text) > 0, _parse(text)
    finite = np.isfinite(values)
    return (values if finite.all() else np.where(finite, values, np.nan)), present & ~finite


def with_points(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert decimal commas to points and drop percent signs, if every cell of the column is a number.

    >>> with_points(pa.chunked_array([["0,5", "75 %", ""]], pa.large_string())).to_pylist()
    ['0.5', '75', '']
    """
    if not pa.types.is_large_string(column.type) or _cast(column) is not None:
        return column
    point, comma, percent = (pc.any(pc.match_substring(column, mark)).as_py() for mark in ".,%")
    if (point and comma) or not (comma or percent):
        return column
    if not pc.all(pc.match_substring_regex(column, r"^\s*(-?\d+([.,]\d+)?( ?%)?)?\s*$")).as_py():
        return column
    return pc.replace_substring(pc.replace_substring_regex(column, r" ?%", ""), ",", ".")


def repeated(value: str, size: int) -> pa.ChunkedArray:
    """Return a column that repeats one string."""
    return pa.chunked_array([pa.repeat(pa.scalar(value, pa.large_string()), size)])


def _cast(text: pa.ChunkedArray) -> Floats | None:
    try:
        return np.asarray(text.cast(pa.float64()).to_numpy())
    except pa.ArrowInvalid:
        return None


def _parse(text: pa.ChunkedArray) -> Floats:
    if (values := _cast(text)) is not None:
        return values
    encoded = text.combine_chunks().dictionary_encode()
    numbers = np.array([number(value) for value in encoded.dictionary.to_pylist()], dtype=np.float64)
    return np.asarray(numbers[encoded.indices.to_numpy()])


def frame_of(table: pa.Table, first_columns: tuple[str, ...]) -> pd.DataFrame:
    """Return a DataFrame with the named columns first; text stays in Arrow memory."""
    columns: dict[str, object] = {}
    stored = dict.fromkeys(table.column_names)
    for name in [*first_columns, *(n for n in stored if n not in first_columns)]:
        if name not in stored:
            columns[name] = np.full(len(table), np.nan)
        elif name == "variants" and pa.types.is_nested(table[name].type):
            lists = table[name].to_pylist()
            columns[name] = pd.Series([None if v is None else tuple(v) for v in lists], dtype=object)
        else:
            columns[name] = series(table[name])
    return pd.DataFrame(columns, copy=False)


def series(column: pa.ChunkedArray) -> pd.Series | npt.NDArray[np.float64]:
    """Return a column for pandas, without copying strings."""
    if pa.types.is_large_string(column.type):
        return pd.Series(TEXT.__from_arrow__(column), copy=False)
    return column.to_pandas()


def text_column(values: Sequence[str | None]) -> tuple[pa.Array, list[int]]:
    """Return an Arrow string column, and the rows with lone surrogates."""
    try:
        return pa.array(values, pa.large_string()), []
    except UnicodeEncodeError:
        texts = [None if value is None else storable(value) for value in values]
        rows = [row for row, (value, text) in enumerate(zip(values, texts, strict=True)) if value != text]
        return pa.array(texts, pa.large_string()), rows


def column_of(values: Sequence[Any]) -> tuple[pa.Array, list[int]]:
    """Return a column of numbers, of lists of strings, or of strings, and the rows with lone surrogates.

    >>> [column_of(values)[0].to_pylist() for values in ([1, 2.5, None], [("tide", "tides")], [1, "a"])]
    [[1.0, 2.5, None], [['tide', 'tides']], ['1', 'a']]
    """
    present = [value for value in values if value is not None]
    if present and all(type(value) in (int, float) and abs(value) < 2**53 for value in present):
        return pa.array(values, pa.int64() if all(type(value) is int for value in present) else pa.float64()), []
    if present and all(isinstance(cell, (list, tuple)) and all(isinstance(v, str) for v in cell) for cell in present):
        lists = [None if value is None else [storable(text) for text in value] for value in values]
        rows = [row for row, (cell, texts) in enumerate(zip(values, lists, strict=True)) if texts and [*cell] != texts]
        return pa.array(lists, pa.list_(pa.large_string())), rows
    return text_column([value if value is None or isinstance(value, str) else str(value) for value in values])
