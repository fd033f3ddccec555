"""Turn JSONL of flat objects into columns in one call; what is anything else is left to the reader of lines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.typeset import storable

#: Lines that tell the fields and their order, and bytes that Arrow can read at a time.
_FIRST, _MOST = 200, 2**31 - 1
_TEXT = pa.large_string()
_LISTS = pa.list_(_TEXT)


def columns_at_once(text: str, data: bytes | None = None) -> tuple[list[str], list[pa.ChunkedArray]] | None:
    """Return the fields of JSONL and their columns, if each line is one object of text, numbers and lists of text.

    data  the text as UTF-8, where that is there already

    >>> names, columns = columns_at_once('{"id": 1, "phrase": "tide"}\\n{"id": 2}\\n')
    >>> names, [column.to_pylist() for column in columns]
    (['id', 'phrase'], [[1, 2], ['tide', None]])
    >>> columns_at_once('{"id": 1, "id": 2}\\n'), columns_at_once('{"id": 1} {"id": 2}\\n')
    (None, None)
    """
    lines, schema = _lines(text), _schema(text)
    # What language models fence in marks is unfenced one by one.
    if not lines or schema is None or "```" in text or "\\u0060" in text:
        return None
    import pyarrow.json as arrow_json

    parse = arrow_json.ParseOptions(explicit_schema=schema[1])
    try:
        # Arrow refuses a key that stands in one object twice, half a character, and a field of several types.
        data = text.encode() if data is None else data
        if len(data) >= _MOST:
            return None
        # All at a time: where one block has numbers and a later one a truth value, Arrow (26) ends the process.
        whole = arrow_json.ReadOptions(block_size=len(data) + 1)
        found = arrow_json.read_json(pa.BufferReader(data), whole, parse)
        found.validate(full=True)  # a missing item of a list makes Arrow (26) write an array that is none
    except (pa.ArrowException, UnicodeEncodeError):
        return None
    if len(found) != lines or set(found.column_names) != set(schema[0]):
        return None
    columns = [_cells(found[name]) for name in schema[0]]
    return None if any(column is None for column in columns) else (schema[0], columns)


def _schema(text: str) -> tuple[list[str], pa.Schema] | None:
    """Return the fields of the first lines, and the types of those that are text, which Arrow takes for dates."""
    fields: dict[str, list[Any]] = {}
    for line in islice(re.finditer(r"[^\n]+", text), _FIRST):
        try:
            value = json.loads(line.group())
        except (ValueError, RecursionError):
            return None
        for name, cell in value.items() if isinstance(value, dict) else ():
            fields.setdefault(storable(name), []).append(cell)  # a name with half a character is none that Arrow finds
    kinds = {name: _kind([cell for cell in cells if cell is not None]) for name, cells in fields.items()}
    if not kinds or pa.null() in kinds.values():
        return None
    return list(fields), pa.schema([(name, kind) for name, kind in kinds.items() if kind is not None])


def _kind(cells: Sequence[Any]) -> pa.DataType | None:
    """Return the type of text and of lists of text, None for numbers, and the type of nothing for what is not flat."""
    if all(isinstance(cell, (bool, int, float)) for cell in cells):
        return None
    if all(isinstance(cell, str) for cell in cells):
        return _TEXT
    flat = all(isinstance(cell, list) and all(isinstance(item, str) for item in cell) for cell in cells)
    return _LISTS if flat else pa.null()


def _lines(text: str) -> int:
    """Return the number of lines if each begins with a brace, so that as many flat objects are one a line; else 0."""
    lines = text.count("\n{") + (text[:1] == "{")
    ends = text.count("\r")
    whole = lines == text.count("\n") + (text[-1:] != "\n") and (not ends or ends == text.count("\r\n"))
    return lines if whole else 0


def _cells(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return a column as Python's reader would give it; None where Arrow may have changed a value."""
    kind = column.type
    if pa.types.is_null(kind):
        return column.cast(_TEXT)
    if pa.types.is_boolean(kind):
        return pc.if_else(column, pa.scalar("True", _TEXT), pa.scalar("False", _TEXT))
    if pa.types.is_int64(kind) or pa.types.is_float64(kind):
        values = column.drop_null().to_numpy()
        exact = bool(np.all(np.abs(values.astype(np.float64)) < 2**53))
        return column if exact and not np.any((values == 0) & np.signbit(values)) else None
    if pa.types.is_list(kind) and kind.value_type in (_TEXT, pa.null()):
        return None if pc.list_flatten(column).null_count else column.cast(_LISTS)
    return column if kind == _TEXT else None
