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
    lines, ends = text.count("\n{") + (text[:1] == "{"), text.count("\r")
    # As many flat objects as lines are one a line; what language models fence in marks is unfenced one by one.
    whole = lines == text.count("\n") + (text[-1:] != "\n") and (not ends or ends == text.count("\r\n"))
    schema = _schema(text) if whole and "```" not in text and "\\u0060" not in text else None
    data = text.encode("utf-8", "replace") if data is None else data
    if schema is None or len(schema) > limits.columns or len(schema) * lines > limits.cells or len(data) >= _MOST:
        return None  # what is too large is refused where objects are read one by one, as in a list
    import pyarrow.json as arrow_json

    # A field that the first lines do not have would be a column for all lines: such a file is read line by line.
    parse = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    # All at a time: where one block has numbers and a later one a truth value, Arrow (26) ends the process.
    read = arrow_json.ReadOptions(block_size=len(data) + 1)
    try:
        # Arrow refuses a key that stands in one object twice, half a character, and a field of several types.
        found = arrow_json.read_json(pa.BufferReader(data), read, parse)
        found.validate(full=True)  # a missing item of a list makes Arrow (26) write an array that is none
    except pa.ArrowException:
        return None
    return (schema.names, found.columns) if len(found) == lines and all(map(_is_exact, found.columns)) else None


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
    """Return the type of text, numbers or lists of text, as which nothing counts; None for anything else."""
    types = set(map(type, cells))
    if types <= {float, int} and types:
        return pa.float64() if float in types else pa.int64()
    if types == {list}:
        return _LISTS if all(isinstance(item, str) for cell in cells for item in cell) else None
    return _TEXT if types <= {str} else None


def _is_exact(column: pa.ChunkedArray) -> bool:
    """Tell a column in which Arrow changed nothing: no large number or -0, and no `null` for a list, or in one."""
    if pa.types.is_list(column.type):
        return not column.null_count and not pc.list_flatten(column).null_count
    if column.type == _TEXT:
        return True
    values = column.drop_null().to_numpy()
    exact = np.all(np.abs(values.astype(np.float64)) < 2**53)
    return bool(exact) and not np.any((values == 0) & np.signbit(values))
