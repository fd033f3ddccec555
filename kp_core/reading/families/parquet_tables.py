"""F10P: Parquet tables become rows by the names of their columns; a column may hold lists of phrases."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from kp_core.errors import InputError
from kp_core.model import Role
from kp_core.reading import whole_tables
from kp_core.reading.delimited import Table
from kp_core.reading.family import Choice, File, Recognition, Rows

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


def table_of(file: File) -> Table:
    """Return a Parquet file as a table, within the limits."""
    try:
        stored = pq.ParquetFile(io.BytesIO(file.source.data))
        _refuse_too_large(file, stored.metadata)
        table = stored.read()
        columns = [whole_tables.plain_column(column) for column in table.columns]
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        found = "a damaged or unusual Parquet file"
        raise InputError(file.name, found, "a Parquet table of text and numbers", "Write it again.") from None
    described = f"a Parquet table of {len(table):,} rows and {len(columns)} columns"
    return Table(file.name, list(table.column_names), columns, described=described, limits=file.limits)


def _refuse_too_large(file: File, stored: pq.FileMetaData) -> None:
    unpacked = sum(stored.row_group(group).total_byte_size for group in range(stored.num_row_groups))
    for size, limit, unit in (
        (stored.num_rows, file.limits.rows, "rows"),
        (stored.num_columns, file.limits.columns, "columns"),
        (unpacked, file.limits.unpacked_bytes, "bytes unpacked"),
    ):
        if size > limit:
            raise InputError(
                file.name, f"{size:,} {unit}", f"at most {limit:,} {unit}", "Split it, or raise the limit."
            )
