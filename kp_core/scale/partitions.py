"""Turn large tables into parts that hold whole documents: ranges of ids in sorted Parquet, else buckets on disk."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.scale.sources import FILE, ROW, Source
from kp_core.scoring import draws
from kp_core.scoring.codes import Ints

#: Rows of gold standard, systems and texts in a part; a part of a million takes about half a gigabyte.
ROWS = 1_000_000
#: Ranges are used while row groups are read at most this many times over all parts.
_OFTEN = 4.0
#: Rows that are held back while buckets are written.
_HELD = 1_000_000
#: A row counts once for so many bytes, so that texts make smaller parts.
_BYTES = 200
_TEXT = (pa.string(), pa.large_string())


@dataclass(frozen=True)
class Partition:
    """Some documents with all their rows: ids from `low` up to `high`, or one bucket of a folder."""

    number: int
    low: str | None = None
    high: str | None = None
    folder: str = ""

    def read(self, source: Source, place: int) -> pa.Table:
        """Return the rows of these documents in a source, which is number `place`."""
        if not self.folder:
            return source.between(self.low, self.high)
        files = sorted(Path(self.folder, f"part-{self.number:05d}").glob(f"{place:03d}-*.arrow"))
        tables = [pa.ipc.open_file(pa.memory_map(str(file))).read_all() for file in files]
        if not tables:
            return source.tidy(source.dataset.head(0, columns=list(source.columns.values())))
        return pa.concat_tables(tables, promote_options="default")

    def where(self, sources: Sequence[Source]) -> str:
        """Say which files and rows these documents stand in."""
        said = []
        for place, source in enumerate(sources):
            for name, first, last in self._places(source, place):
                said.append(f"{name} rows {first:,}–{last:,}")
        more = f" and {len(said) - 6} further files" if len(said) > 6 else ""
        return f"part {self.number + 1} ({'; '.join(said[:6])}{more})"

    def _places(self, source: Source, place: int) -> Iterable[tuple[str, int, int]]:
        names = [fragment.path.rsplit("/", 1)[-1] for fragment in source.fragments()]
        if self.folder:
            table = self.read(source, place)
            if FILE not in table.column_names:
                return
            grouped = table.group_by(FILE).aggregate([(ROW, "min"), (ROW, "max")]).sort_by(FILE)
            for one in grouped.to_pylist():
                yield names[one[FILE]], one[f"{ROW}_min"] + 1, one[f"{ROW}_max"] + 1
            return
        for name, groups in zip(names, _groups(source), strict=True):
            begin, inside = 0, []
            for low, high, rows in groups:
                if (self.high is None or low < self.high) and (self.low is None or high >= self.low):
                    inside += [begin + 1, begin + rows]
                begin += rows
            if inside:
                yield name, inside[0], inside[-1]


def _groups(source: Source) -> list[list[tuple[str, str, int]]]:
    """Return smallest and largest id and number of rows of every row group of every file; empty where unknown."""
    found = []
    for fragment in source.fragments():
        fragment.ensure_complete_metadata()
        metadata = fragment.metadata
        column = [metadata.schema.column(i).path for i in range(metadata.num_columns)].index(source.columns["doc_id"])
        own = []
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            stats = group.column(column).statistics
            if group.num_rows == 0:
                continue
            if stats is None or not stats.has_min_max or not stats.has_null_count or stats.null_count:
                return []
            if not isinstance(stats.min, str):
                return []
            own.append((stats.min, stats.max, group.num_rows))
        found.append(own)
    return found


def ranges(sources: Sequence[Source], rows: int) -> list[Partition] | None:
    """Return ranges of ids with about so many rows each; None where the files are not sorted enough for that.

    The bounds are ids at which row groups begin, so a document never lies in two ranges.
    """
    if any(source.format != "parquet" for source in sources):
        return None
    groups: list[tuple[str, str, int]] = []
    for source in sources:
        found, scale = _groups(source), weight(source) / max(1, source.rows)
        if source.dataset.schema.field(source.columns["doc_id"]).type not in _TEXT or (not found and source.rows):
            return None
        groups += [(low, high, int(size * scale)) for own in found for low, high, size in own]
    if not groups:
        return [Partition(0)]
    groups.sort()
    bounds, held = list[str](), 0
    for low, _, size in groups:
        if held >= rows and (not bounds or low > bounds[-1]) and low > groups[0][0]:
            bounds.append(low)
            held = 0
        held += size
    edges: list[str | None] = [None, *bounds, None]
    parts = [Partition(i, edges[i], edges[i + 1]) for i in range(len(edges) - 1)]
    total = sum(size for _, _, size in groups)
    first = np.searchsorted(np.array(bounds, object), np.array([low for low, _, _ in groups], object), "right")
    last = np.searchsorted(np.array(bounds, object), np.array([high for _, high, _ in groups], object), "right")
    read = int(((last - first + 1) * np.array([size for _, _, size in groups])).sum())
    largest = max(_sizes(groups, bounds))
    if read > _OFTEN * total or largest > _OFTEN * max(rows, max(size for _, _, size in groups)):
        return None
    return parts


def _sizes(groups: Sequence[tuple[str, str, int]], bounds: Sequence[str]) -> Ints:
    """Return about how many rows each range holds: a row group counts in equal shares where it reaches."""
    sizes = np.zeros(len(bounds) + 1)
    for low, high, rows in groups:
        first, last = np.searchsorted(np.array(bounds, object), np.array([low, high], object), "right")
        sizes[first : last + 1] += rows / (last - first + 1)
    return sizes.astype(np.int64)


def regroup(sources: Sequence[Source], rows: int, folder: Path, digest: str) -> list[Partition]:
    """Write all rows into buckets by a hash of the id, each with all rows of its documents, and return the buckets.

    Memory is bounded by the rows held back, whatever the number of rows. A folder that holds the buckets of the same
    data already is used again.
    """
    number = max(1, -(-sum(map(weight, sources)) // rows))
    parts, done = [Partition(i, folder=str(folder)) for i in range(number)], folder / "complete.json"
    said = {"digest": digest, "parts": number}
    if done.exists() and json.loads(done.read_text("utf-8")) == said:
        return parts
    for old in folder.glob("part-*"):
        shutil.rmtree(old)
    done.unlink(missing_ok=True)
    for place, source in enumerate(sources):
        held: list[pa.Table] = []
        size = flushes = 0
        for table in source.batches():
            held.append(table)
            size += len(table)
            if size >= _HELD:
                _flush(held, folder, number, place, flushes)
                held, size, flushes = [], 0, flushes + 1
        if held:
            _flush(held, folder, number, place, flushes)
    done.write_text(json.dumps(said), "utf-8")
    return parts


def _flush(held: list[pa.Table], folder: Path, number: int, place: int, flush: int) -> None:
    """Append the rows held back to their buckets, in the order of the file."""
    table = pa.concat_tables(held, promote_options="default")
    coded = table["doc_id"].combine_chunks().dictionary_encode()
    bucket = (draws.keys(coded.dictionary.to_pylist()) % np.uint64(number)).astype(np.int64)
    owner = bucket[coded.indices.to_numpy()]
    order = np.argsort(owner, kind="stable")
    table = table.take(pa.array(order))
    bounds = np.searchsorted(owner[order], np.arange(number + 1))
    for one in np.flatnonzero(np.diff(bounds)):
        part = folder / f"part-{one:05d}"
        part.mkdir(parents=True, exist_ok=True)
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_file(str(part / f"{place:03d}-{flush:05d}.arrow"), table.schema, options=options) as writer:
            writer.write_table(table.slice(bounds[one], bounds[one + 1] - bounds[one]))


def digest_of(sources: Sequence[Source], *settings: Any) -> str:
    """Return a digest of the names, sizes and times of all files, and of everything else that decides the result."""
    seen = [[source.role, source.name, source.named, source.texts, source.stamps] for source in sources]
    return hashlib.sha256(json.dumps([seen, *settings], default=str).encode()).hexdigest()


def weight(source: Source) -> int:
    """Return the size of a source in rows, long ones counted more than once."""
    size = sum(size for _, size, _ in source.stamps) if source.texts or source.role != "documents" else 0
    return max(source.rows, size // _BYTES)


def roles(sources: Sequence[Source], *wanted: Role) -> list[tuple[int, Source]]:
    """Return the sources of some roles with their numbers."""
    return [(place, source) for place, source in enumerate(sources) if source.role in wanted]


def distinct(source: Source, column: str) -> list[str]:
    """Return the distinct values of a column in the order in which they appear."""
    found: dict[str, None] = {}
    for table in source.batches([column]):
        found |= dict.fromkeys(pc.unique(table[column]).to_pylist())
    return list(found)
