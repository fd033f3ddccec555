"""Turn a Parquet file into a table, within the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import InputError, counted
from kp_core.reading.family import File
from kp_core.reading.limits import refuse_over
from kp_core.reading.table import Table, header_names, plain_column

if TYPE_CHECKING:  # it brings half of Arrow along, which those who load no Parquet do without
    import pyarrow.parquet as pq

#: Rows that are read at a time take no more than such a part of the memory.
_PARTS = 8


def is_parquet(file: File) -> bool:
    """Tell whether a file is Parquet, by its first bytes."""
    return file.source.data.startswith(b"PAR1")


def read_parquet(file: File, named: Callable[[Sequence[str]], list[str]] = header_names) -> Table:
    """Return a Parquet file as a table, within the limits; `named` makes names of columns fit for the screen."""
    import pyarrow.parquet as pq

    try:
        stored = pq.ParquetFile(pa.BufferReader(file.source.data))
        table = _read(file, stored, _rows_at_once(file, stored))
        table.validate(full=True)  # text that is not UTF-8 would fail later
        columns = [plain_column(column) for column in table.columns]
        names = named(table.column_names)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        found = "a damaged or unusual Parquet file"
        raise InputError(file.name, found, "a Parquet table of text and numbers", "Write it again.") from None
    described = f"a Parquet table of {counted(len(table), 'row')} and {counted(len(columns), 'column')}"
    return Table(file.name, names, columns, described=described, limits=file.limits, read=len(table))


def _rows_at_once(file: File, opened: pq.ParquetFile) -> int:
    """Return how many rows fit the memory, or refuse, by what the file says of itself and by its dictionaries."""
    limits, name, stored = file.limits, file.name, opened.metadata
    refuse_over(limits.rows, stored.num_rows, "rows", name, "a table")
    refuse_over(limits.columns, stored.num_columns, "columns", name, "a table")
    parts = [stored.row_group(group) for group in range(stored.num_row_groups)]
    refuse_over(limits.unpacked_bytes, sum(part.total_byte_size for part in parts), "bytes unpacked", name, "a table")
    for group in range(stored.num_row_groups):
        # Where sizes contradict each other, Arrow (26) raises when it reads a row, but ends the process that asks for
        # the figures of a column: so a row is read first.
        next(opened.iter_batches(1, [group]), None)
    leaves = [[part.column(place) for part in parts] for place in range(stored.num_columns)]
    unpacked = sum(leaf.total_uncompressed_size for leaf in chain(*leaves))
    refuse_over(limits.unpacked_bytes, unpacked, "bytes unpacked", name, "a table")
    for values in (sum(leaf.num_values for leaf in column) for column in leaves):
        refuse_over(limits.rows, values, "values", name, "a column")
    refuse_over(limits.cells, sum(leaf.num_values for leaf in chain(*leaves)), "cells", name, "a table")
    texts = {
        stored.schema.column(place).path: any(code.startswith("DELTA") for leaf in column for code in leaf.encodings)
        for place, column in enumerate(leaves)
        if any(leaf.physical_type == "BYTE_ARRAY" for leaf in column)
    }
    longest = _longest(file, len(parts), [path for path, is_shared in texts.items() if not is_shared])
    rows = max(1, min(65_536, limits.unpacked_bytes // (_PARTS * max(longest, 1))))
    return min(rows, _batch(file, stored, unpacked)) if any(texts.values()) else rows


def _longest(file: File, groups: int, paths: list[str]) -> int:
    """Return the bytes of the longest entries of all dictionaries together, each of which may stand for millions.

    Where a dictionary has several entries after one row, it is that of all rows; other columns are counted to the end.
    """
    import pyarrow.parquet as pq

    # Kept as entry and number, repeated text takes no memory yet.
    coded = pq.ParquetFile(pa.BufferReader(file.source.data), read_dictionary=paths)
    longest: dict[str, int] = {}
    unsure = {path for path in paths if path not in coded.schema_arrow.names}  # those of lists
    for group in range(groups if len(unsure) < len(paths) else 0):
        first = next(coded.iter_batches(1, [group], columns=[path for path in paths if path not in unsure]), None)
        for name, column in zip(first.schema.names, first.columns, strict=True) if first is not None else ():
            if pa.types.is_dictionary(column.type) and len(column.dictionary) > 1:
                most = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
                longest[name] = max(longest.get(name, 0), most)
            else:
                unsure.add(name)
    size = 0
    for rows in coded.iter_batches(65_536, columns=list(unsure)) if unsure else ():
        size += sum(map(_spelled_out, rows.columns))
        refuse_over(file.limits.unpacked_bytes, size, "bytes spelled out", file.name, "a table")
    return sum(longest.values())


def _read(file: File, stored: pq.ParquetFile, rows: int) -> pa.Table:
    """Read so many rows at a time, as long as their values fit the memory."""
    batches, size = [], 0
    for batch in stored.iter_batches(rows):
        size += sum(map(_spelled_out, batch.columns))
        refuse_over(file.limits.unpacked_bytes, size, "bytes spelled out", file.name, "a table")
        batches.append(batch)
    return pa.Table.from_batches(batches, stored.schema_arrow).combine_chunks()


def _batch(file: File, stored: pq.FileMetaData, unpacked: int) -> int:
    """Return how many rows to read at once where a value may be as long as all that is stored."""
    rows = max(1, min(65_536, file.limits.unpacked_bytes // max(unpacked, 1)))
    if stored.num_rows > rows * 100_000:
        found = f"{stored.num_rows:,} rows of text packed as differences (DELTA)"
        raise InputError(file.name, found, "another encoding", "Write it again with dictionaries, or as CSV.")
    return rows


def _spelled_out(values: pa.Array) -> int:
    """Return the bytes that values take once every entry of a dictionary stands where it is meant."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(values.dictionary).fill_null(0)
        return int(pc.sum(lengths.take(values.indices)).as_py() or 0)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return int(pc.sum(pc.binary_length(values)).as_py() or 0)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _spelled_out(values.flatten())
    if pa.types.is_struct(kind):
        return sum(map(_spelled_out, values.flatten()))
    return int(values.nbytes)
