"""Read Parquet files within the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import InputError, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists.family import File
from kp_core.reading.open.archive import refuse_damaged
from kp_core.reading.open.table import Table, header_names, holds_lists, plain_column

if TYPE_CHECKING:  # slow to import
    import pyarrow.parquet as pq


def is_parquet(file: File) -> bool:
    """Return whether a file is Parquet, by its first bytes."""
    return file.source.data.startswith(b"PAR1")


def read_parquet(file: File, named: Callable[[Sequence[str]], list[str]] = header_names) -> Table:
    """Return a Parquet file as a table; `named` makes column names distinct and printable."""
    import pyarrow.parquet as pq

    with refuse_damaged(file.name, "Parquet file", (pa.ArrowException, OSError, ValueError)):
        texts = _text_columns(file, pq.ParquetFile(pa.BufferReader(file.source.data)))
        # Dictionary encoding limits the memory of repeated text until its size is known.
        table = _read(file, pq.ParquetFile(pa.BufferReader(file.source.data), read_dictionary=texts))
        table.validate(full=True)  # text that is not UTF-8 would fail later
        columns = [pa.chunked_array([plain_column(column).combine_chunks()]) for column in table.columns]
        names = named(table.column_names)
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
    for place in range(stored.num_columns):
        parts, column = [group.column(place) for group in groups], stored.schema.column(place)
        values = sum(part.num_values for part in parts)
        cells += values
        refuse_over(limits.rows, values, "values", name, "a column")
        unpacked = max(sum(part.total_uncompressed_size for part in parts), values * column.length)
        refuse_over(limits.unpacked_bytes, unpacked, "bytes unpacked", name, "a table")
        encodings = {code for part in parts for code in part.encodings}
        if "DELTA_BYTE_ARRAY" in encodings:  # a few bytes may repeat a long text
            found = "text packed as differences (DELTA_BYTE_ARRAY)"
            raise InputError(name, found, "another encoding", "Write it again with dictionaries, or as CSV.")
        if column.physical_type == "BYTE_ARRAY" and "DELTA_LENGTH_BYTE_ARRAY" not in encodings:
            texts.append(column.path)
    refuse_over(limits.cells, cells, "cells", name, "a table")
    return texts


def _read(file: File, stored: pq.ParquetFile) -> pa.Table:
    """Read the row groups one by one within the limit; Arrow cannot read lists of several at once."""
    groups, size = [stored.schema_arrow.empty_table()], 0
    for number in range(stored.num_row_groups):
        groups.append(stored.read_row_group(number))
        size += sum(_decoded_size(chunk) for column in groups[-1].columns for chunk in column.chunks)
        refuse_over(file.limits.unpacked_bytes, size, "bytes spelled out", file.name, "a table")
    return pa.concat_tables(groups)


def _decoded_size(values: pa.Array) -> int:
    """Return the size of values in bytes without dictionary encoding."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(values.dictionary).fill_null(0)
        return int(pc.sum(lengths.take(values.indices)).as_py() or 0)
    if holds_lists(values):
        return _decoded_size(values.flatten())
    return sum(map(_decoded_size, values.flatten())) if pa.types.is_struct(kind) else int(values.nbytes)
