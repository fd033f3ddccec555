"""Turn large tables into parts that hold whole documents: ranges of ids in sorted tables, or in sorted runs.

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

from kp_core.scale.refusals import unfit
from kp_core.scale.sources import Source

#: Rows of gold standard, systems and texts in a part; a part of a million takes about half a gigabyte.
ROWS = 1_000_000
#: Ranges are used while none reads row groups of more than so many times its rows.
_OFTEN = 4
#: Bytes of a run in memory, and the fewest rows of its row groups.
_RUN, _FEWEST = 64_000_000, 4_096
#: A row counts once for so many bytes, so that texts make smaller parts; a row of phrases has about so many in a file.
_BYTES, _BYTES_OF_PHRASE = 200, 25
_TEXT = (pa.string(), pa.large_string())
#: No id stands after this one.
_LAST = "\U0010ffff"


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
                raise unfit(source.shown, "blanks")  # without them, the document has rows in another part
        return table


def ranges(sources: Sequence[Source], rows: int, anyhow: bool = False) -> list[Partition] | None:
    """Return ranges of ids with about so many rows each; None where the files are not sorted enough for that.

    The bounds are ids at which row groups begin, so a document never lies in two ranges.
    """
    groups: list[tuple[str, str, float]] = []
    for source in sources:
        column = source.columns["doc_id"]
        if source.format != "parquet" or source.dataset.schema.field(column).type not in _TEXT:
            return None
        every = [group for file in source.dataset.get_fragments() for group in file.row_groups if group.num_rows]
        size = sum(group.num_rows for group in every)
        weight = max(size, _bytes(source) // _BYTES) / max(size, 1)
        for group in every:
            known = (group.statistics or {}).get(column, {"min": "", "max": _LAST})
            groups.append((known["min"], known["max"], group.num_rows * weight))
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
    if not anyhow and read.max() > _OFTEN * max([rows, *(size for *_, size in groups)]):
        return None
    return [Partition(number, low, high) for number, (low, high) in enumerate(pairwise([None, *bounds, None]))]


def _bytes(source: Source) -> int:
    """Return the size of a source, without texts that are not read."""
    return sum(size for _, size, _ in source.stamps) if source.texts or source.role != "documents" else 0


def sorted_runs(sources: Sequence[Source], rows: int, folder: str) -> tuple[Source, ...]:
    """Write all rows as runs sorted by document, and return these tables; rows are those of a part.

    Memory is bounded by one run. Rows of one document keep the order of the files. Row groups hold about a fourth of
    what a run has of a part, so that little is read in vain.
    """
    parts = max(1, sum(map(_bytes, sources)) // (_BYTES_OF_PHRASE * rows))
    size = max(min(rows, _FEWEST), rows // (4 * parts))
    tables = []
    for place, source in enumerate(sources):
        paths = []
        for number, table in enumerate(_runs(source)):
            paths.append(str(Path(folder).resolve() / f"{place}-{number:06}.parquet"))
            pq.write_table(table, paths[-1], size, write_statistics=["doc_id"], compression="lz4")
        if paths:
            tables.append(replace(source, paths=tuple(paths), format="parquet", final={}))
    return tuple(tables)


def _runs(source: Source) -> Iterator[pa.Table]:
    """Give the rows in tables of bounded size, each sorted by document."""
    held: list[pa.Table] = []
    for table in source.batches():
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
