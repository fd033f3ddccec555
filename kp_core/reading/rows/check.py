"""Define and check the rows of one role, as read by a format family."""

from __future__ import annotations

from collections import abc, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, flatten, run_starts
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.values import Rejected, byte_lengths, floats, trim


def put(table: pa.Table, name: str, column: pa.ChunkedArray) -> pa.Table:
    """Return a table with a column replaced."""
    return table.set_column(table.column_names.index(name), name, column)


def phrases_by_document(doc_ids: Iterable[str], phrases: Iterable[str]) -> dict[str, set[str]]:
    """Return the phrases of each document, ignoring case."""
    documents = defaultdict[str, set[str]](set)
    for doc_id, phrase in zip(doc_ids, phrases, strict=True):
        documents[doc_id].add(phrase.casefold())
    return dict(documents)


@dataclass
class Rows:
    """Rows of one role from one file or group of files, as read by a format family.

    * `table`: a column per role: doc_id, phrase, source (annotator or system), rank, score, …
    * `read`: number of rows, including rejected and blank ones
    * `lines`: line of each row, or None if row i is in line i + 1; after the check, only that of the first row
    * `places`: file of each row, if the rows come from several files and are not checked
    * `lists`: source, doc_id, file, line and length of each list, empty ones included, if the family reads lists
    * `marked`: rows that the family rejects: row number → reason
    * `rejected`: rejected lines that have no row in the table
    * `counted`: number of documents without ids, numbered 1, 2, …; see `assemble.align`
    * `titles`: titles of these documents
    * `only_ids`: whether the file only lists ids for such documents
    * `datasets`: data sets that are prefixes of the ids
    """

    role: Role
    table: pa.Table
    read: int
    lines: Sequence[int] | npt.NDArray[np.int64] | None = None
    places: Sequence[str] | npt.NDArray[np.object_] | None = None
    lists: pd.DataFrame | None = None
    marked: dict[int, str] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    blank: int = 0
    counted: int = 0
    titles: Sequence[str] = ()
    only_ids: bool = False
    datasets: tuple[str, ...] = ()

    def line(self, row: int) -> int:
        """Return the line of a row, 0 if unknown."""
        return row + 1 if self.lines is None else int(self.lines[row])


@dataclass(kw_only=True, eq=False)
class Part(Rows):
    """Checked rows of one file.

    * `file`: name in the report
    * `name`: annotator or system if no column names it; `name_given`: whether the user gave it
    * `origin`: identity of the upload, which may have several parts
    * `sources`: annotators or systems, including those with empty lists only; set by `assemble`
    """

    file: str
    name: str
    name_given: bool
    origin: tuple[int, int]
    mapping: Mapping
    sources: list[str] = field(default_factory=list)

    def ids(self) -> pa.Array:
        """Return the documents in order, including those with empty lists."""
        if self.lists is None:
            ids = self.table["doc_id"]
            return pc.unique(flatten(ids).take(pa.array(run_starts(ids))))
        return pc.unique(pa.array(self.lists["doc_id"].tolist(), pa.large_string()))

    def phrases(self) -> dict[str, set[str]]:
        """Return the phrases of each document, ignoring case."""
        return phrases_by_document(self.table["doc_id"].to_pylist(), self.table["phrase"].to_pylist())

    def find_lists(self) -> None:
        """Set `lists` for a table of one phrase per row, as if a family had read its lists."""
        rows = self.table.select(["source", "doc_id"]).to_pandas()
        self.table = self.table.append_column("list", pa.array(rows.groupby([*rows], sort=False).ngroup()))
        heads = rows.drop_duplicates(ignore_index=True)
        self.lists = heads.assign(file=self.file, line=0, length=np.bincount(self.table["list"]))

    def rename(self, column: str, renamed: abc.Mapping[str, str]) -> None:
        """Rename documents (`doc_id`) or annotators and systems (`source`): old → new."""
        encoded = self.table[column].combine_chunks().dictionary_encode()
        values = pa.array([renamed.get(value, value) for value in encoded.dictionary.to_pylist()], pa.large_string())
        self.table = put(self.table, column, pa.chunked_array([values.take(encoded.indices)]))
        if self.lists is not None:
            self.lists = self.lists.assign(**{column: [renamed.get(name, name) for name in self.lists[column]]})
        if column == "source":
            self.sources = list(dict.fromkeys(renamed.get(name, name) for name in self.sources))


#: Role → the required column besides the document.
_REQUIRED = {"gold": "phrase", "system": "phrase", "documents": "", "judgements": "candidate"}
#: Columns that are shown of a rejected row.
_PREVIEWED = ("source", "doc_id", "rank", "phrase", "candidate", "score")


def check(rows: Rows, file: str, limits: Limits) -> Rows:
    """Trim ids and phrases, parse numbers, and reject rows for which this fails."""
    refuse_over(limits.rows, len(rows.table), "rows", file)
    table, reasons, notes, rejected = rows.table, dict(rows.marked), list(rows.notes), list(rows.rejected)
    for name, noun, limit, empty in (
        ("doc_id", "id", limits.id_characters, "an empty id"),
        (_REQUIRED[rows.role], "phrase", limits.phrase_characters, "an empty phrase"),
        ("source", "annotator or system", limits.id_characters, ""),
    ):
        if name in table.column_names:
            table = put(table, name, _text(table[name], noun, limit, reasons, empty))
    table = _ranks(table, file, reasons, notes)
    for name in (name for name in ("score", "relevance") if name in table.column_names):
        table = _amounts(table, name, rows.role, file, reasons, notes)
    lists = None if rows.lists is None else _lists(rows.lists, limits, rejected)
    # Empty lists count as rows only if they are rejected.
    rows_read = rows.read + len(rejected) - len(rows.rejected)
    if reasons:
        order = sorted(reasons)
        preview = rows.table.select([name for name in _PREVIEWED if name in rows.table.column_names])
        for row, cells in zip(order, preview.take(pa.array(order, pa.int64())).to_pylist(), strict=True):
            content = " | ".join("" if cell is None else str(cell)[:200] for cell in cells.values())
            place = file if rows.places is None else str(rows.places[row])
            rejected.append((place, rows.line(row), reasons[row], content))
        table = table.filter(pa.array(~np.isin(np.arange(len(table)), order)))
    places, lines = None if rows.places is None else (), [rows.line(0) if len(rows.table) else 0]
    changes: dict[str, Any] = {"table": table, "lists": lists, "rejected": rejected, "notes": notes, "read": rows_read}
    return replace(rows, **changes, lines=lines, places=places, marked={})


def _mark(reasons: dict[int, str], mask: npt.NDArray[np.bool_], reason: str) -> None:
    for index in np.flatnonzero(mask):
        reasons.setdefault(int(index), reason)


def _text(column: pa.ChunkedArray, noun: str, limit: int, reasons: dict[int, str], empty: str = "") -> pa.ChunkedArray:
    column = trim(column.fill_null("") if column.null_count else column)
    lengths = byte_lengths(column)
    if empty:
        _mark(reasons, lengths == 0, empty)
    if lengths.max(initial=0) > limit:
        _mark(reasons, pc.utf8_length(column).to_numpy() > limit, f"{noun} longer than {limit:,} characters")
    return column


def _ranks(table: pa.Table, file: str, reasons: dict[int, str], notes: list[Note]) -> pa.Table:
    if "rank" not in table.column_names:
        return table
    if pa.types.is_int64(table["rank"].type) and pc.all(pc.greater(table["rank"], 0), skip_nulls=False).as_py():
        return table
    ranks, _ = floats(table["rank"])
    zeros = int((ranks == 0).sum())
    if zeros and zeros >= int((ranks == 1).sum()):
        ranks = ranks + 1
        notes.append(Note("info", file, "Ranks begin with 0; 1 was added to each."))
    is_valid = np.isfinite(ranks) & (ranks >= 1) & (np.floor(ranks) == ranks) & (ranks < 2**53)
    _mark(reasons, ~is_valid, "rank is not a positive whole number")
    return put(table, "rank", pa.chunked_array([np.where(is_valid, ranks, 1).astype(np.int64)]))


def _amounts(table: pa.Table, name: str, role: Role, file: str, reasons: dict[int, str], notes: list[Note]) -> pa.Table:
    """Return the table with scores or grades as numbers; a column without any number loses its role."""
    values, is_invalid = floats(table[name])
    missing = np.isnan(values) & ~is_invalid
    if len(values) and missing.all():
        return table.drop_columns([name])
    if len(values) and np.isnan(values).all():
        first_value = str(table[name][int(np.argmax(is_invalid))].as_py())[:40]
        text = f"The column “{name}” contains no number (the first entry is “{first_value}”), so it is not used."
        notes.append(Note("warning", file, f"{text} Write numbers with a decimal point."))
        return table.rename_columns({name: f"{name} (text)"})
    _mark(reasons, is_invalid, f"{name} is not a finite number")
    if missing.any() and name == "score" and role == "system" and "rank" not in table.column_names:
        _mark(reasons, missing, "no score, and no rank either")
    return put(table, name, pa.chunked_array([pa.array(values, from_pandas=True)]))


def _lists(lists: pd.DataFrame, limits: Limits, rejected: list[Rejected]) -> pd.DataFrame:
    """Check the ids of lists, and reject empty lists with invalid ids."""
    ids, sources = (
        pa.chunked_array([pa.array(lists[name], pa.large_string(), from_pandas=True)]) for name in ("doc_id", "source")
    )
    reasons: dict[int, str] = {}
    columns = {"doc_id": _text(ids, "id", limits.id_characters, reasons, "an empty id"), "source": trim(sources)}
    lists = lists.assign(**{name: column.to_pandas().set_axis(lists.index) for name, column in columns.items()})
    for index, reason in sorted(reasons.items()):
        row = lists.iloc[index]
        if not row["length"]:
            rejected.append((str(row["file"]), int(row["line"]), reason, str(row["doc_id"])[:200]))
    return lists.drop(index=lists.index[list(reasons)])


def refuse_if_mostly_rejected(checked: Sequence[Rows], limits: Limits, *, strict: bool) -> None:
    """Refuse a file if too many rows were rejected, or any row in strict mode."""
    rejected = [row for part in checked for row in part.rejected]
    if not rejected:
        return
    file, line, reason, content = rejected[0]
    where = f"{file}, line {line}" if line else file
    first_reason = f"{reason} (“{content[:60]}”)"
    if strict:
        raise InputError(where, first_reason, "no rejected row (strict)", "Correct the row, or load without strict.")
    rows_read = sum(part.read - part.blank for part in checked)
    if len(rejected) * 100 > limits.rejected_percent * rows_read:
        rows = f"{len(rejected):,} of {pluralize(rows_read, 'row')}"
        found = f"{rows} that {'does' if len(rejected) == 1 else 'do'} not fit, the first: {first_reason}"
        expected = f"at most {limits.rejected_percent}% such rows"
        raise InputError(where, found, expected, "This is probably another format.")
