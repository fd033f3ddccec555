"""Turn large tables into parts that contain whole documents: ranges of ids in sorted tables, or in sorted runs.

What is not sorted is written once as runs, each a sorted Parquet file of bounded size (external sorting without the
merge: a part is read out of every run), so both are read alike.
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

#: Rows of gold standard, systems and texts in a part; a part of a million takes about half a gigabyte.
ROWS = 1_000_000
#: Ranges are used while none reads row groups of more than so many times its rows.
_OFTEN = 4
#: Bytes of a run in memory, the rows of its row groups, and how often in a part's rows its ids are looked at.
_RUN, _GROUP, _STARTS = 32_000_000, 8_192, 64
#: A row counts once for so many bytes, so that texts make smaller parts.
_BYTES = 200
_TEXT = (pa.string(), pa.large_string())


@dataclass(frozen=True)
class Partition:
    """Documents with all their rows: ids from `low` up to `high`; rows without an id belong to the first part."""

    number: int
    low: str | None
    high: str | None

    def __str__(self) -> str:
        begin = f"from “{self.low}”" if self.low is not None else "from the first"
        return f"part {self.number + 1} (documents {begin}{'' if self.high is None else f' to before “{self.high}”'})"

    def read(self, source: Source) -> pa.Table:
        """Return the rows of these documents in a source."""
        column = ds.field(source.columns["doc_id"])
        before = ds.scalar(True) if self.high is None else column < self.high
        within = column.is_null() | before if self.low is None else (column >= self.low) & before
        table = source.table(within)
        if len(table):
            first, last = (one.as_py() for one in pc.min_max(table["doc_id"]).values())
            if first < (self.low or "") or (self.high is not None and last >= self.high):
                raise input_error(source.shown, "blanks")  # without them, the document has rows in another part
        return table


def ranges(sources: Sequence[Source], rows: int) -> list[Partition] | None:
    """Return ranges of ids with about so many rows each; None where the files are not sorted enough for that."""
    groups: list[tuple[str, str, float]] = []
    for source in sources:
        column = source.columns["doc_id"]
        if source.format != "parquet" or source.dataset.schema.field(column).type not in _TEXT:
            return None
        every = [group for file in source.dataset.get_fragments() for group in file.row_groups if group.num_rows]
        if any(column not in (group.statistics or {}) for group in every):
            return None
        size = sum(group.num_rows for group in every)
        # Texts that are not read count as rows alone.
        stamps = source.stamps if source.texts or source.role != "documents" else []
        weight = max(1.0, sum(length for _, length, _ in stamps) / _BYTES / max(size, 1))
        known = [(group.statistics[column], group.num_rows * weight) for group in every]
        groups += [(found["min"], found["max"], size) for found, size in known]
    parts = _cut([(low, size) for low, _, size in groups], rows)
    read, edges = np.zeros(len(parts)), np.array([part.low for part in parts[1:]], object)
    for low, high, size in groups:
        first, last = np.searchsorted(edges, np.array([low, high], object), "right")
        read[first : last + 1] += size
    return parts if read.max() <= _OFTEN * max([rows, *(size for *_, size in groups)]) else None


def _cut(starts: list[tuple[str, float]], rows: int) -> list[Partition]:
    """Return ranges of about so many rows from ids and how many rows begin there.

    The bounds are ids, so a document never lies in two ranges.
    """
    starts.sort()
    bounds, held = list[str](), 0.0
    for low, size in starts:
        if held >= rows and low > (bounds[-1] if bounds else starts[0][0]):
            bounds.append(low)
            held = 0.0
        held += size
    return [Partition(number, low, high) for number, (low, high) in enumerate(pairwise([None, *bounds, None]))]


def sorted_runs(sources: Sequence[Source], rows: int, folder: str) -> tuple[list[Source], list[Partition]]:
    """Write all rows as runs sorted by document, and return these tables and their parts of about so many rows.

    Memory is bounded by one run and one part. Rows of one document keep the order of the files.
    """
    tables, starts, step = list[Source](), list[tuple[str, float]](), max(1, rows // _STARTS)
    for place, source in enumerate(sources):
        paths = list[str]()
        for number, table in enumerate(_runs(source)):
            paths.append(str(Path(folder).resolve() / f"{place}-{number:06}.parquet"))
            pq.write_table(table, paths[-1], _GROUP, write_statistics=["doc_id"], compression="lz4")
            # Runs of shuffled rows are alike, so each begins elsewhere; else the starts of all would stand together.
            weight = step * max(1.0, table.nbytes / _BYTES / len(table))
            sample = np.arange(number * 7919 % step, len(table), step)
            starts += [(low, weight) for low in table["doc_id"].take(sample).to_pylist()]
        if paths:
            tables.append(replace(source, paths=tuple(paths), format="parquet", final={}))
    return tables, _cut(starts, rows)


def _runs(source: Source) -> Iterator[pa.Table]:
    """Yield the rows in tables of bounded size, each sorted by document."""
    held: list[pa.Table] = []
    for table in source.batches():
        if len(table):
            held.append(table)
        if sum(one.nbytes for one in held) > _RUN:
            yield _sorted(pa.concat_tables(held))
            held = []
    if held:
        yield _sorted(pa.concat_tables(held))


def _sorted(table: pa.Table) -> pa.Table:
    """Return rows sorted by document; those of one stay in their order."""
    ids = table["doc_id"].combine_chunks().dictionary_encode()
    place = np.argsort(pc.sort_indices(ids.dictionary))[ids.indices]
    if (np.diff(place) >= 0).all():
        return table
    return table.combine_chunks().take(np.argsort(place, kind="stable"))
