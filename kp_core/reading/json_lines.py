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

from kp_core.reading.limits import LIMITS, Limits
from kp_core.typeset import storable

#: Lines that tell the fields and their order, and bytes that Arrow can read at a time.
_FIRST, _MOST = 200, 2**31 - 1
_TEXT = pa.large_string()
_LISTS = pa.list_(_TEXT)
_KINDS: dict[type | None, pa.DataType] = {None: pa.null(), str: _TEXT, bool: pa.bool_()}


def columns_at_once(
    text: str, data: bytes | None = None, limits: Limits = LIMITS
) -> tuple[list[str], list[pa.ChunkedArray]] | None:
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
    if len(schema) > limits.columns or len(schema) * lines > limits.cells:
        return None  # refused where objects are read one by one, as in a list
    import pyarrow.json as arrow_json

    # A field that the first lines do not have would be a column for all lines: such a file is read line by line.
    parse = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
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
    if len(found) != lines:
        return None
    gaps = [name for name in schema.names if schema.field(name).type == _LISTS and found[name].null_count]
    if any(_says_null(text, name) for name in gaps):
        return None
    columns = [_cells(found[name]) for name in schema.names]
    return None if any(column is None for column in columns) else (schema.names, columns)


def _says_null(text: str, name: str) -> bool:
    """Tell a field that is null somewhere from one that some lines do not have; Arrow takes both for one."""
    keys = {json.dumps(name), json.dumps(name, ensure_ascii=False)}
    return any(re.search(re.escape(key) + r"\s*:\s*null", text) for key in keys)


def _schema(text: str) -> pa.Schema | None:
    """Return the fields of the first lines and their types; None where one is not flat, or of several types."""
    fields: dict[str, list[Any]] = {}
    for line in islice(re.finditer(r"[^\n]+", text), _FIRST):
        try:
            value = json.loads(line.group())
        except (ValueError, RecursionError):
            return None
        for name, cell in value.items() if isinstance(value, dict) else ():
            fields.setdefault(storable(name), []).append(cell)  # a name with half a character is none that Arrow finds
    kinds = [(name, _kind([cell for cell in cells if cell is not None])) for name, cells in fields.items()]
    return pa.schema(kinds) if kinds and all(kind is not None for _, kind in kinds) else None


def _kind(cells: Sequence[Any]) -> pa.DataType | None:
    """Return the type of nothing, truth values, numbers, text or lists of text; None for anything else."""
    types = set(map(type, cells))
    if types <= {float, int} and types:
        return pa.float64() if float in types else pa.int64()
    if types == {list}:
        return _LISTS if all(isinstance(item, str) for cell in cells for item in cell) else None
    return _KINDS.get(next(iter(types), None)) if len(types) < 2 else None


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
