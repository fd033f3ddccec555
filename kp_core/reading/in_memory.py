"""Turn DataFrames and dictionaries in memory into the tables and rows that files give."""

from __future__ import annotations

from collections import abc
from typing import Any, cast

import pandas as pd
import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, counted
from kp_core.reading.fields import NAMES, plain
from kp_core.reading.json_text import shown
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.lists import ListBuilder
from kp_core.reading.mapping import Mapping
from kp_core.reading.rows import Rows
from kp_core.reading.shapes import Shape, add_list, shape_of, text_of
from kp_core.reading.table import Table, plain_column, table_of
from kp_core.reading.values import HALF_A_CHARACTER, column_of, text_column


def as_pandas(given: Any) -> Any:
    """Return tables of other libraries as DataFrames, also those in a list or under names; all else as it is.

    A table is what has columns and gives them to Arrow or to pandas: polars, Arrow, DuckDB, data sets of Hugging Face.
    """
    if isinstance(given, abc.Mapping):
        return {name: _as_pandas(one) for name, one in given.items()}
    return [_as_pandas(one) for one in given] if isinstance(given, list | tuple) else _as_pandas(given)


def _as_pandas(one: Any) -> Any:
    if isinstance(one, pd.DataFrame) or not (hasattr(one, "columns") or hasattr(one, "column_names")):
        return one
    if hasattr(one, "to_pandas"):
        return one.to_pandas()
    return pa.table(one).to_pandas() if hasattr(one, "__arrow_c_stream__") else one


def frame_table(frame: pd.DataFrame, name: str, limits: Limits) -> Table:
    """Return a DataFrame as a table; rows that hold half a character are rejected."""
    refuse_over(limits.rows, len(frame), "rows", name, "a DataFrame")
    refuse_over(limits.columns, len(frame.columns), "columns", name, "a DataFrame")
    for title, column in frame.items():
        named = plain(str(title)) in {*NAMES["phrase"], *NAMES["phrases"]}
        if named and column.dtype == object and any(isinstance(value, (set, frozenset, dict)) for value in column):
            raise InputError(
                name, f"sets or dictionaries in “{title}”", "lists or single values", "Make lists, or leave it out."
            )
    columns = [_arrow(frame.iloc[:, place]) for place in range(len(frame.columns))]
    table = table_of(name, list(map(str, frame.columns)), columns, range(1, len(frame) + 1), limits)
    table.described = f"a DataFrame of {counted(len(frame), 'row')}"
    return table


def _arrow(column: pd.Series) -> tuple[pa.Array, list[int]]:
    """Return a column in Arrow, and the rows that hold half a character; text of pandas comes without a copy."""
    if column.dtype == object or getattr(column.dtype, "storage", "") == "python":
        values = [value.tolist() if hasattr(value, "tolist") else value for value in column]
        return column_of([None if gone else value for value, gone in zip(values, column.isna(), strict=True)])
    if column.dtype.kind in "bMm":
        column = column.astype(str)
    array = pa.array(column, from_pandas=True)
    return plain_column(array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])), []


def dict_rows(
    lists: abc.Mapping[Any, Any], role: Role, name: str, mapping: Mapping, limits: Limits
) -> tuple[list[Rows], str]:
    """Return the rows of {document: [phrase, …]}, with scores or variants, or of {document: text}."""
    if role == "documents":
        if not all(isinstance(text, str) for text in lists.values()):
            raise InputError(name, "values that are no text", "{document: text}", "Give each document one string.")
        ids, bad_ids = text_column([str(key) for key in lists])
        texts, bad_texts = text_column(list(lists.values()))
        marked = dict.fromkeys((*bad_ids, *bad_texts), HALF_A_CHARACTER)
        table = pa.table({"doc_id": ids, "text": texts})
        return [Rows("documents", table, len(lists), marked=marked)], f"a dictionary of {counted(len(lists), 'text')}"
    if any(isinstance(value, str) for value in lists.values()):
        raise InputError(
            name, "text in place of a list", "{document: [phrase, …]}", "Put each document's phrases into a list."
        )
    plain = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in lists.items()}
    found = shape_of(plain.values()) if plain else ("phrases", "no documents")
    if found is None:
        raise InputError(
            name, "values that are no lists", "{document: [phrase, …]}", "Give each document a list of phrases."
        )
    shape, builder = cast(Shape, mapping.inner or found[0]), ListBuilder(role, limits)
    for key, value in plain.items():
        doc_id = text_of(key) or ""
        if doc_id.strip():
            builder.open(doc_id, file=name, line=0)
            add_list(builder, value, shape, "score" if role == "system" else "relevance")
        else:
            builder.reject(name, 0, "an empty id", shown(value))
    return [builder.rows()], f"a dictionary of {counted(len(lists), 'document')} with {found[1]}"
