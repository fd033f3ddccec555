"""Turn large tables into parts that hold whole documents: ranges of ids in sorted Parquet, else buckets on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from kp_core.scale.sources import FILE, ROW, Source
from kp_core.scoring import draws

#: Rows of gold standard, systems and texts in a part; a part of a million takes about half a gigabyte.
ROWS = 1_000_000
#: Ranges are used while none reads row groups of more than so many times its rows.
_OFTEN = 4
#: Rows that are held back while buckets are written.
_HELD = 1_000_000
#: A row counts once for so many bytes, so that texts make smaller parts.
_BYTES = 200
_TEXT = (pa.string(), pa.large_string())
_BUCKETS = ds.IpcFileFormat()


@dataclass(frozen=True)
class Partition:
    """Some documents with all their rows: ids from `low` up to `high`, or one bucket of a folder.

    Rows without an id belong to the first part.
    """

    number: int
    low: str | None = None
    high: str | None = None
    folder: str = ""

    def read(self, source: Source, place: int) -> pa.Table:
        """Return the rows of these documents in a source, which is number `place`."""
        if not self.folder:
            return source.where(self._range(source))
        bucket = self._bucket(place)
        return source.tidy(source.empty) if bucket is None else bucket.drop_columns([FILE, ROW])

    def _bucket(self, place: int) -> pa.Table | None:
        files = sorted(Path(self.folder, str(place), str(self.number)).glob("*"), key=lambda file: int(file.stem))
        return ds.dataset(list(map(str, files)), format=_BUCKETS).to_table() if files else None

    def _range(self, source: Source) -> Any:
        after = ds.scalar(True) if self.low is None else source.id >= self.low
        before = ds.scalar(True) if self.high is None else source.id < self.high
        return after & before if self.low is not None or self.high is None else source.id.is_null() | before

    def where(self, sources: Sequence[Source]) -> str:
        """Say which files and rows these documents stand in."""
        said = [
            f"{name} rows {first:,}–{last:,}"
            for place, source in enumerate(sources)
            for name, first, last in self._places(source, place)
        ]
        more = f" and {len(said) - 6} further files" if len(said) > 6 else ""
        return f"part {self.number + 1} ({'; '.join(said[:6])}{more})"

    def _places(self, source: Source, place: int) -> Iterator[tuple[str, int, int]]:
        """Yield name, first and last row of the files in which these documents stand; of ranges, whole row groups."""
        names = [fragment.path.rsplit("/", 1)[-1] for fragment in source.fragments()]
        if self.folder:
            bucket = self._bucket(place)
            if bucket is not None:
                grouped = bucket.group_by(FILE).aggregate([(ROW, "min"), (ROW, "max")]).sort_by(FILE)
                for one in grouped.to_pylist():
                    yield names[one[FILE]], one[f"{ROW}_min"] + 1, one[f"{ROW}_max"] + 1
            return
        for name, fragment in zip(names, source.fragments(), strict=True):
            ends = np.cumsum([0, *(group.num_rows for group in fragment.row_groups)])
            inside = [group.id for group in fragment.subset(filter=self._range(source)).row_groups]
            if inside:
                yield name, ends[inside[0]] + 1, ends[inside[-1] + 1]


def _groups(source: Source) -> list[tuple[str, str, int]] | None:
    """Return smallest and largest id and number of rows of every row group; None where they are not known."""
    column = source.columns["doc_id"]
    if source.format != "parquet" or source.dataset.schema.field(column).type not in _TEXT:
        return None
    groups = [group for fragment in source.fragments() for group in fragment.row_groups if group.num_rows]
    if any(column not in (group.statistics or {}) for group in groups):
        return None
    return [(group.statistics[column]["min"], group.statistics[column]["max"], group.num_rows) for group in groups]


def ranges(sources: Sequence[Source], rows: int) -> list[Partition] | None:
    """Return ranges of ids with about so many rows each; None where the files are not sorted enough for that.

    The bounds are ids at which row groups begin, so a document never lies in two ranges.
    """
    groups: list[tuple[str, str, float]] = []
    for source in sources:
        known = _groups(source)
        if known is None:
            return None
        groups += [(low, high, size * weight(source) / source.rows) for low, high, size in known]
    groups.sort()
    bounds, held = list[str](), 0.0
    for low, _, size in groups:
        if held >= rows and low > (bounds[-1] if bounds else groups[0][0]):
            bounds.append(low)
            held = 0.0
        held += size
    read, edges = np.zeros(len(bounds) + 1), np.array(bounds, object)
    for low, high, size in groups:
        first, last = np.searchsorted(edges, np.array([low, high], object), "right")
        read[first : last + 1] += size
    if read.max() > _OFTEN * max([rows, *(size for *_, size in groups)]):
        return None
    return [Partition(number, low, high) for number, (low, high) in enumerate(pairwise([None, *bounds, None]))]


def regroup(sources: Sequence[Source], rows: int, folder: str) -> list[Partition]:
    """Write all rows into buckets by a hash of the id, each with all rows of its documents, and return the buckets.

    Memory is bounded by the rows held back, whatever the number of rows.
    """
    number = max(1, -(-sum(map(weight, sources)) // rows))
    for place, source in enumerate(sources):
        tables = (_with_bucket(table, number) for table in source.batches())
        first = next(tables, None)
        if first is None:
            continue
        ds.write_dataset(
            (batch for table in chain([first], tables) for batch in table.to_batches()),
            Path(folder, str(place)),
            schema=first.schema,
            format=_BUCKETS,
            file_options=_BUCKETS.make_write_options(compression="lz4"),
            basename_template="{i}.arrow",
            partitioning=["bucket"],
            preserve_order=True,
            max_partitions=number,
            min_rows_per_group=max(1, _HELD * source.rows // max(1, number * weight(source))),
        )
    return [Partition(bucket, folder=folder) for bucket in range(number)]


def _with_bucket(table: pa.Table, number: int) -> pa.Table:
    ids = table["doc_id"].combine_chunks().dictionary_encode()
    buckets = (draws.keys(ids.dictionary.to_pylist()) % np.uint64(number)).astype(np.int32)
    return table.append_column("bucket", pa.array(buckets).take(ids.indices))


def weight(source: Source) -> int:
    """Return the size of a source in rows, long ones counted more than once."""
    size = sum(size for _, size, _ in source.stamps) if source.texts or source.role != "documents" else 0
    return max(source.rows, size // _BYTES)
