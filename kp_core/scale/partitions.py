"""Divide large tables into parts of whole documents: ranges of ids in sorted tables, or in sorted runs.

Unsorted tables are first written as runs: sorted Parquet files of bounded size, which are not merged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow import parquet as pq

from kp_core.errors import input_error
from kp_core.scale.sources import Source

#: Rows per part; a million rows take about half a gigabyte.
ROWS = 1_000_000
#: Maximum ratio of the rows read for a range, in whole row groups, to the rows of the range.
_READ_RATIO = 4
#: Bytes of a run in memory, rows of its row groups, and sampled ids per part.
_RUN_BYTES, _ROWS_PER_GROUP, _IDS_PER_PART = 32_000_000, 8_192, 64
#: Bytes that count as one row, so that parts with texts are smaller.
_BYTES_PER_ROW = 200
_TEXT = (pa.string(), pa.large_string())


@dataclass(frozen=True)
class Partition:
    """Documents with `low` ≤ id < `high`; rows without an id belong to the first part."""

    number: int
    low: str | None
    high: str | None

    def __str__(self) -> str:
        begin = f"from “{self.low}”" if self.low is not None else "from the first"
        return f"part {self.number + 1} (documents {begin}{'' if self.high is None else f' to before “{self.high}”'})"

    def read(self, source: Source) -> pa.Table:
        """Return the rows of a source that belong to these documents."""
        column = ds.field(source.columns["doc_id"])
        below_high = ds.scalar(True) if self.high is None else column < self.high
        within = column.is_null() | below_high if self.low is None else (column >= self.low) & below_high
        table = source.table(within)
        if len(table):
            first, last = (bound.as_py() for bound in pc.min_max(table["doc_id"]).values())
            if first < (self.low or "") or (self.high is not None and last >= self.high):
                raise input_error(source.shown, "blanks")
        return table


def ranges(sources: Sequence[Source], n_rows: int) -> list[Partition] | None:
    """Return ranges of ids with about this many rows; None if the files are not sorted enough."""
    groups: list[tuple[str, str, float]] = []
    for source in sources:
        column = source.columns["doc_id"]
        if source.format != "parquet" or source.dataset.schema.field(column).type not in _TEXT:
            return None
        row_groups = [group for file in source.dataset.get_fragments() for group in file.row_groups if group.num_rows]
        if any(column not in (group.statistics or {}) for group in row_groups):
            return None
        size = sum(group.num_rows for group in row_groups)
        # texts that are not read take no memory
        stamps = source.stamps if source.texts or source.role != "documents" else []
        weight = max(1.0, sum(length for _, length, _ in stamps) / _BYTES_PER_ROW / max(size, 1))
        weighted = [(group.statistics[column], group.num_rows * weight) for group in row_groups]
        groups += [(statistics["min"], statistics["max"], size) for statistics, size in weighted]
    parts = _divide([(low, size) for low, _, size in groups], n_rows)
    rows_read, edges = np.zeros(len(parts)), np.array([part.low for part in parts[1:]], object)
    for low, high, size in groups:
        first, last = np.searchsorted(edges, np.array([low, high], object), "right")
        rows_read[first : last + 1] += size
    return parts if rows_read.max() <= _READ_RATIO * max([n_rows, *(size for *_, size in groups)]) else None


def _divide(starts: list[tuple[str, float]], n_rows: int) -> list[Partition]:
    """Return ranges of about this many rows, from ids and the number of rows from each id on."""
    starts.sort()
    bounds, rows_so_far = list[str](), 0.0
    for low, size in starts:
        if rows_so_far >= n_rows and low > (bounds[-1] if bounds else starts[0][0]):
            bounds.append(low)
            rows_so_far = 0.0
        rows_so_far += size
    return [Partition(number, low, high) for number, (low, high) in enumerate(pairwise([None, *bounds, None]))]


def sorted_runs(sources: Sequence[Source], n_rows: int, folder: str) -> tuple[list[Source], list[Partition]]:
    """Write all rows as runs sorted by document, and return the runs and their partitions."""
    tables, starts, step = list[Source](), list[tuple[str, float]](), max(1, n_rows // _IDS_PER_PART)
    for index, source in enumerate(sources):
        paths = list[str]()
        for number, table in enumerate(_runs(source)):
            paths.append(str(Path(folder).resolve() / f"{index}-{number:06}.parquet"))
            pq.write_table(table, paths[-1], _ROWS_PER_GROUP, write_statistics=["doc_id"], compression="lz4")
            # similar runs are sampled at different rows, so that their bounds do not coincide
            weight = step * max(1.0, table.nbytes / _BYTES_PER_ROW / len(table))
            sample = np.arange(number * 7919 % step, len(table), step)
            starts += [(low, weight) for low in table["doc_id"].take(sample).to_pylist()]
        if paths:
            tables.append(replace(source, paths=tuple(paths), format="parquet", final={}))
    return tables, _divide(starts, n_rows)


def _runs(source: Source) -> Iterator[pa.Table]:
    batches: list[pa.Table] = []
    for table in source.batches():
        if len(table):
            batches.append(table)
        if sum(part.nbytes for part in batches) > _RUN_BYTES:
            yield _sorted(pa.concat_tables(batches))
            batches = []
    if batches:
        yield _sorted(pa.concat_tables(batches))


def _sorted(table: pa.Table) -> pa.Table:
    ids = table["doc_id"].combine_chunks().dictionary_encode()
    index = np.argsort(pc.sort_indices(ids.dictionary))[ids.indices]
    if (np.diff(index) >= 0).all():
        return table
    return table.combine_chunks().take(np.argsort(index, kind="stable"))
