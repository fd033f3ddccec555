"""Turn tables that need no splitting (Parquet, JSON objects) into rows, in the way that delimited tables are read."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.reading import tables
from kp_core.reading.delimited import Table
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.judged import judgement_columns, judgement_rows


def recognise(name: str, table: Table, files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise judged pairs, else a table with a column for ids and one for phrases or texts."""
    judged = judgement_columns(table, choice) if role in (None, "judgements") else None
    if judged is not None:
        return Recognition(name, "judgements", tuple(files), 0.97, table.described, judged, dict(choice.options))
    layout = tables.layout_of(table, role, choice)
    if layout is None:
        return None
    options = dict(layout.options) | ({} if layout.role_sure else {"role": "guessed"})
    return Recognition(name, layout.role, tuple(files), 0.96, layout.evidence, layout.columns, options)


def read(table: Table, recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the table by the columns recognised."""
    options = {name: value for name, value in recognition.options.items() if name != "role"}
    if recognition.role == "judgements" and "candidate" in recognition.columns:
        return [judgement_rows(table, recognition.columns, Choice(options=options))]
    return tables.rows_of(table, tables.Layout(recognition.role, recognition.columns, options), role)


def plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as tables hold it: text as large strings, numbers and lists as they are."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain_column(column.cast(kind.value_type))
    if pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        texts = pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)
        return column.cast(pa.list_(pa.large_string())) if texts else column
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_nested(kind):
        return column
    return column.cast(pa.large_string())
