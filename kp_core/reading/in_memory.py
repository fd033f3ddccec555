"""Turn DataFrames and dictionaries in memory into the same rows that files give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, counted
from kp_core.reading import shapes
from kp_core.reading.family import Choice, Rows
from kp_core.reading.layout_rows import rows_of
from kp_core.reading.layouts import layout_of
from kp_core.reading.limits import Limits
from kp_core.reading.lists import HALF_A_CHARACTER, storable, text_column
from kp_core.reading.table import Table, header_names


def frame_rows(
    frame: pd.DataFrame, role: Role, name: str, choice: Choice, limits: Limits
) -> tuple[list[Rows], str, dict[str, str]]:
    """Return the rows of a DataFrame, what was understood in words, and the columns taken."""
    if len(frame) > limits.rows:
        raise InputError(name, f"{len(frame):,} rows", f"at most {limits.rows:,}", "Split it, or raise the limit.")
    if len(frame.columns) > limits.columns:
        raise InputError(name, f"{len(frame.columns):,} columns", f"at most {limits.columns:,}", "Drop some.")
    names = header_names([storable(str(column)) for column in frame.columns])
    columns, halves = [], dict[int, str]()
    for position in range(len(names)):
        column, bad = _arrow(frame.iloc[:, position])
        columns.append(column)
        halves |= {row: str(column[row].as_py()) for row in bad if row not in halves}
    described = f"a DataFrame of {counted(len(frame), 'row')}"
    table = Table(name, names, columns, described=described, limits=limits)
    if halves:
        kept = np.setdiff1d(np.arange(len(frame)), list(halves))
        table.columns = [column.take(pa.array(kept)) for column in columns]
        table.lines = (kept + 1).tolist()
        table.rejected = [(name, row + 1, HALF_A_CHARACTER, shown[:200]) for row, shown in sorted(halves.items())]
    # Merged cells are cells of spreadsheets.
    whole = replace(choice, options={"fill_down": "no", **choice.options})
    found = layout_of(table, role, whole)
    if found is None:
        shown = f"the columns {', '.join(names[:10]) or '(none)'}"
        expected = "columns doc_id and text" if role == "documents" else "columns doc_id and phrase"
        raise InputError(name, shown, expected, "Rename them, or name their roles.")
    return rows_of(found, role), found.evidence, found.columns


def _arrow(column: pd.Series) -> tuple[pa.ChunkedArray, list[int]]:
    """Return a column in Arrow, and the rows that hold half a character.

    Text of pandas comes without a copy, anything mixed becomes text.
    """
    if column.dtype == object or getattr(column.dtype, "storage", "") == "python":
        present = column.dropna()
        if (len(present) and isinstance(present.iloc[0], (list, tuple))) or hasattr(
            present.iloc[0] if len(present) else 0, "tolist"
        ):
            return _lists(column)
        values = [None if missing else str(value) for value, missing in zip(column, column.isna(), strict=True)]
        texts, bad = text_column(values)
        return pa.chunked_array([texts], pa.large_string()), bad
    array = pa.array(column, from_pandas=True)
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if pa.types.is_dictionary(chunked.type):
        chunked = chunked.cast(chunked.type.value_type)
    if pa.types.is_string(chunked.type) or pa.types.is_null(chunked.type):
        chunked = chunked.cast(pa.large_string())
    if pa.types.is_temporal(chunked.type) or pa.types.is_boolean(chunked.type):
        chunked = pa.chunked_array([pa.array(column.astype(str), pa.large_string())])
    return chunked, []


def _lists(column: pd.Series) -> tuple[pa.ChunkedArray, list[int]]:
    found = [
        None if not isinstance(v, (list, tuple)) and not hasattr(v, "tolist") else [str(x) for x in v] for v in column
    ]
    lists = [None if own is None else [storable(text) for text in own] for own in found]
    bad = [row for row, (own, kept) in enumerate(zip(found, lists, strict=True)) if own != kept]
    return pa.chunked_array([pa.array(lists, pa.list_(pa.large_string()))]), bad


def dict_rows(
    lists: Mapping[Any, Any], role: Role, name: str, choice: Choice, limits: Limits
) -> tuple[list[Rows], str]:
    """Return the rows of {document: [phrase, …]}, with scores or variants, or of {document: text}."""
    if role == "documents":
        if not all(isinstance(text, str) for text in lists.values()):
            raise InputError(name, "values that are no text", "{document: text}", "Give each document one string.")
        ids, bad_ids = text_column([str(key) for key in lists])
        texts, bad_texts = text_column(list(lists.values()))
        marked = dict.fromkeys((*bad_ids, *bad_texts), HALF_A_CHARACTER)
        table = pa.table({"doc_id": ids, "text": texts})
        return [Rows("documents", table, marked=marked)], f"a dictionary of {counted(len(lists), 'text')}"
    if any(isinstance(value, str) for value in lists.values()):
        raise InputError(
            name, "text in place of a list", "{document: [phrase, …]}", "Put each document's phrases into a list."
        )
    plain = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in lists.items()}
    found = shapes.shape_of(plain.values()) if plain else ("phrases", "no documents")
    if found is None:
        raise InputError(
            name, "values that are no lists", "{document: [phrase, …]}", "Give each document a list of phrases."
        )
    shape = choice.options.get("inner", found[0])
    lists_of_one = ((None, doc_id, value) for doc_id, value in plain.items())
    rows = shapes.rows_of(lists_of_one, shape, role, name, limits)  # type: ignore[arg-type]
    return [rows], f"a dictionary of {counted(len(lists), 'document')} with {found[1]}"
