"""F10P: Parquet tables become rows by the names of their columns; a column may hold lists of phrases."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kp_core.corpus import Role
from kp_core.errors import InputError, counted
from kp_core.reading import whole_tables
from kp_core.reading.delimited import Table, header_names
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.footers import refuse_contradictions
from kp_core.reading.limits import refuse_over

NAME = "F10P"
TITLE = "tables: Parquet"
EXAMPLE = ""
BINARY = True


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise Parquet by its first bytes, and its columns as those of any table."""
    if len(files) != 1 or not files[0].source.data.startswith(b"PAR1"):
        return None
    return whole_tables.recognise(NAME, files[0].once("parquet", lambda: table_of(files[0])), files, role, choice)


def column_names(file: File, choice: Choice) -> list[str]:
    """Return the names of the columns, so that a user can say what each is."""
    parquet = file.source.data.startswith(b"PAR1")
    return list(file.once("parquet", lambda: table_of(file)).names) if parquet else []


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the table by the columns recognised."""
    file = recognition.files[0]
    return whole_tables.read(file.once("parquet", lambda: table_of(file)), recognition, role)


def table_of(file: File, named: Callable[[Sequence[str]], list[str]] = header_names) -> Table:
    """Return a Parquet file as a table, within the limits; `named` makes names of columns fit for the screen."""
    refuse_contradictions(file.name, file.source.data)
    try:
        stored = pq.ParquetFile(io.BytesIO(file.source.data))
        _refuse_too_large(file, stored.metadata)
        table = stored.read()
        table.validate(full=True)  # text that is not UTF-8 would fail later
        columns = [whole_tables.plain_column(column) for column in table.columns]
        names = named(table.column_names)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        found = "a damaged or unusual Parquet file"
        raise InputError(file.name, found, "a Parquet table of text and numbers", "Write it again.") from None
    described = f"a Parquet table of {counted(len(table), 'row')} and {counted(len(columns), 'column')}"
    return Table(file.name, names, columns, described=described, limits=file.limits)


def _refuse_too_large(file: File, stored: pq.FileMetaData) -> None:
    """Refuse by what the file says of itself, then by what its values will take: an entry may stand for millions."""
    limits, name = file.limits, file.name
    parts = [stored.row_group(group) for group in range(stored.num_row_groups)]
    leaves = [[part.column(place) for part in parts] for place in range(stored.num_columns)]
    unpacked = sum(leaf.total_uncompressed_size for leaf in chain(*leaves))
    refuse_over(limits.rows, stored.num_rows, "rows", name, "a table")
    refuse_over(limits.columns, stored.num_columns, "columns", name, "a table")
    refuse_over(limits.unpacked_bytes, unpacked, "bytes unpacked", name, "a table")
    for values in (sum(leaf.num_values for leaf in column) for column in leaves):
        refuse_over(limits.rows, values, "values", name, "a column")
    refuse_over(limits.cells, sum(leaf.num_values for leaf in chain(*leaves)), "cells", name, "a table")
    paths = [stored.schema.column(place).path for place in range(stored.num_columns)]
    shared = [
        any(
            leaf.physical_type == "BYTE_ARRAY" and any(code.startswith("DELTA") for code in leaf.encodings)
            for leaf in column
        )
        for column in leaves
    ]
    size = 0
    # Kept as entry and number, repeated text takes no memory yet.
    coded = pq.ParquetFile(
        io.BytesIO(file.source.data),
        read_dictionary=[path for path, is_shared in zip(paths, shared, strict=True) if not is_shared],
    )
    for rows in coded.iter_batches(_batch(file, stored, unpacked) if any(shared) else 65_536):
        size += sum(map(_spelled_out, rows.columns))
        refuse_over(limits.unpacked_bytes, size, "bytes spelled out", name, "a table")


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
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _spelled_out(values.flatten())
    if pa.types.is_struct(kind):
        return sum(map(_spelled_out, values.flatten()))
    return int(values.nbytes)
