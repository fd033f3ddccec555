"""Define the rows of one role on their way: as a family reads them, as they were checked, and with whose they are."""

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

from kp_core.corpus import Role, run_starts
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.values import Rejected, byte_lengths, distinct_values, floats, longer_than, trim


def put(table: pa.Table, name: str, column: pa.ChunkedArray) -> pa.Table:
    """Return a table with another column in place of one."""
    return table if table[name] is column else table.set_column(table.column_names.index(name), name, column)


def phrases_by_document(doc_ids: Iterable[str], phrases: Iterable[str]) -> dict[str, set[str]]:
    """Return the phrases of each document, in any case of letters."""
    documents = defaultdict[str, set[str]](set)
    for doc_id, phrase in zip(doc_ids, phrases, strict=True):
        documents[doc_id].add(phrase.casefold())
    return dict(documents)


@dataclass
class Rows:
    """Rows of one role from one file or group of files, as a family reads them.

    table     a column for each role found: doc_id, phrase, source (annotator or system), rank, score, ...
    read      how many rows the family met, counted where it met them: those of the table, rejected and blank ones
    lines     line of each row, or None if row i is in line i + 1; of checked rows the line of the first alone
    places    file of each row, if the rows come from several files; of checked rows none
    lists     for families of lists: source, doc_id, file, line and length of each list, empty ones included
    marked    rows that the family itself rejects: row number → reason
    rejected  lines that gave no row at all
    counted   number of documents that are only counted, 1, 2, ...; a file of ids may name them (`settle.align`)
    titles    titles of documents that are only counted, in their order, by which other files may know them
    only_ids  whether the documents are such names, the n-th being that of document n
    datasets  the data sets with which the ids begin
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
        """Return the line of a row, 0 if it is not known."""
        return row + 1 if self.lines is None else int(self.lines[row])


@dataclass(kw_only=True, eq=False)
class Part(Rows):
    """Checked rows, with what is known of all of them and the source of each.

    file     as the report calls it; origin: the number of the upload, which may give several parts
    name     the annotator or system if no column tells it, and whether the user gave it
    sources  annotators or systems, once they are settled
    """

    file: str
    name: str
    name_given: bool
    origin: tuple[int, int]
    mapping: Mapping
    sources: list[str] = field(default_factory=list)

    def starts(self) -> npt.NDArray[np.int64]:
        """Return the rows at which another document begins."""
        return run_starts(self.table["doc_id"])

    def ids(self) -> pa.Array:
        """Return the documents in order, those with empty lists included."""
        if self.lists is None:
            return distinct_values(self.table["doc_id"], self.starts())
        return pc.unique(pa.array(self.lists["doc_id"].tolist(), pa.large_string()))

    def phrases(self) -> dict[str, set[str]]:
        """Return the phrases of each document, in any case of letters."""
        return phrases_by_document(self.table["doc_id"].to_pylist(), self.table["phrase"].to_pylist())

    def every_source(self) -> list[str]:
        """Return the names of all sources, including those with only empty lists."""
        listed = [] if self.lists is None else self.lists["source"].unique().tolist()
        return list(dict.fromkeys([*self.sources, *listed]))

    def put(self, name: str, column: pa.ChunkedArray) -> None:
        """Put another column in place of one."""
        self.table = put(self.table, name, column)

    def rename(self, column: str, renamed: abc.Mapping[str, str]) -> None:
        """Give documents (`doc_id`) or annotators and systems (`source`) other names: old → new."""
        coded = self.table[column].combine_chunks().dictionary_encode()
        values = pa.array([renamed.get(value, value) for value in coded.dictionary.to_pylist()], pa.large_string())
        self.put(column, pa.chunked_array([values.take(coded.indices)]))
        if self.lists is not None:
            self.lists = self.lists.assign(**{column: [renamed.get(name, name) for name in self.lists[column]]})
        if column == "source":
            self.sources = list(dict.fromkeys(renamed.get(name, name) for name in self.sources))


#: The column that a row of each role cannot be without, beside the document.
_NEEDED = {"gold": "phrase", "system": "phrase", "documents": "", "judgements": "candidate"}
#: What is shown of a rejected row.
_SHOWN = ("source", "doc_id", "rank", "phrase", "candidate", "score")


def check(rows: Rows, file: str, limits: Limits) -> Rows:
    """Return rows whose ids and phrases are trimmed and whose numbers are parsed; the others are rejected.

    file  as the report calls it
    """
    refuse_over(limits.rows, len(rows.table), "rows", file)
    table, reasons, notes, rejected = rows.table, dict(rows.marked), list(rows.notes), list(rows.rejected)
    for name, what, limit, empty in (
        ("doc_id", "id", limits.id_characters, "an empty id"),
        (_NEEDED[rows.role], "phrase", limits.phrase_characters, "an empty phrase"),
        ("source", "annotator or system", limits.id_characters, ""),
    ):
        if name in table.column_names:
            table = put(table, name, _text(table[name], what, limit, reasons, empty))
    table = _ranks(table, file, reasons, notes)
    for name in (name for name in ("score", "relevance") if name in table.column_names):
        table = _amounts(table, name, rows.role, file, reasons, notes)
    lists = None if rows.lists is None else _lists(rows.lists, limits, rejected)
    # A list without a phrase is a row only where it is rejected.
    read = rows.read + len(rejected) - len(rows.rejected)
    if reasons:
        order = sorted(reasons)
        shown = rows.table.select([name for name in _SHOWN if name in rows.table.column_names])
        for row, cells in zip(order, shown.take(pa.array(order, pa.int64())).to_pylist(), strict=True):
            content = " | ".join("" if cell is None else str(cell)[:200] for cell in cells.values())
            place = file if rows.places is None else str(rows.places[row])
            rejected.append((place, rows.line(row), reasons[row], content))
        table = table.filter(pa.array(~np.isin(np.arange(len(table)), order)))
    places, lines = None if rows.places is None else (), [rows.line(0) if len(rows.table) else 0]
    new: dict[str, Any] = {"table": table, "lists": lists, "rejected": rejected, "notes": notes, "read": read}
    return replace(rows, **new, lines=lines, places=places, marked={})


def _mark(reasons: dict[int, str], mask: npt.NDArray[np.bool_], reason: str) -> None:
    for index in np.flatnonzero(mask):
        reasons.setdefault(int(index), reason)


def _text(column: pa.ChunkedArray, what: str, limit: int, reasons: dict[int, str], empty: str = "") -> pa.ChunkedArray:
    """Trim a column; mark cells that are too long and, if `empty` gives a message, empty cells."""
    column = trim(column.fill_null("") if column.null_count else column)
    lengths = byte_lengths(column)
    if empty:
        _mark(reasons, lengths == 0, empty)
    _mark(reasons, longer_than(column, limit, lengths), f"{what} longer than {limit:,} characters")
    return column


def _ranks(table: pa.Table, file: str, reasons: dict[int, str], notes: list[Note]) -> pa.Table:
    """Return the table with its ranks as positive whole numbers."""
    if "rank" not in table.column_names:
        return table
    if pa.types.is_int64(table["rank"].type) and pc.all(pc.greater(table["rank"], 0), skip_nulls=False).as_py():
        return table
    ranks, _ = floats(table["rank"])
    zeros = int((ranks == 0).sum())
    # Rejected one by one, they would take the best phrase off every list.
    if zeros and zeros >= int((ranks == 1).sum()):
        ranks = ranks + 1
        notes.append(Note("info", file, "Ranks begin with 0; 1 was added to each."))
    good = np.isfinite(ranks) & (ranks >= 1) & (np.floor(ranks) == ranks) & (ranks < 2**53)
    _mark(reasons, ~good, "rank is not a positive whole number")
    return put(table, "rank", pa.chunked_array([np.where(good, ranks, 1).astype(np.int64)]))


def _amounts(table: pa.Table, name: str, role: Role, file: str, reasons: dict[int, str], notes: list[Note]) -> pa.Table:
    """Return the table with its scores, or grades, as numbers; a column without any is an ordinary one, or nothing."""
    values, bad = floats(table[name])
    missing = np.isnan(values) & ~bad
    if len(values) and missing.all():
        return table.drop_columns([name])
    if len(values) and np.isnan(values).all():
        first = str(table[name][int(np.argmax(bad))].as_py())[:40]
        text = f"The column “{name}” contains no number (the first entry is “{first}”), so it is not used."
        notes.append(Note("warning", file, f"{text} Write numbers with a decimal point."))
        return table.rename_columns({name: f"{name} (text)"})
    _mark(reasons, bad, f"{name} is not a finite number")
    if missing.any() and name == "score" and role == "judgements":
        return table
    if missing.any() and name == "score" and role == "system" and "rank" not in table.column_names:
        _mark(reasons, missing, "no score, and no rank either")
    return put(table, name, pa.chunked_array([pa.array(values, from_pandas=True)]))


def _lists(lists: pd.DataFrame, limits: Limits, rejected: list[Rejected]) -> pd.DataFrame:
    """Check the ids of lists as those of their rows are checked; an empty list has no row that could be rejected."""
    ids = pa.chunked_array([pa.array(lists["doc_id"], pa.large_string(), from_pandas=True)])
    reasons: dict[int, str] = {}
    trimmed = _text(ids, "id", limits.id_characters, reasons, "an empty id")
    lists = lists.assign(doc_id=trimmed.to_pandas().set_axis(lists.index))
    for index, reason in sorted(reasons.items()):
        row = lists.iloc[index]
        if not row["length"]:
            rejected.append((str(row["file"]), int(row["line"]), reason, str(row["doc_id"])[:200]))
    return lists.drop(index=lists.index[list(reasons)]) if reasons else lists


def refuse_if_mostly_rejected(name: str, checked: Sequence[Rows], limits: Limits, *, strict: bool) -> None:
    """Refuse a file with over 20% of its rows rejected; in strict mode refuse at the first one."""
    rejected = [row for part in checked for row in part.rejected]
    if not rejected:
        return
    file, line, reason, content = rejected[0]
    where = f"{file}, line {line}" if line else file
    shown = f"{reason} (“{content[:60]}”)"
    if strict:
        raise InputError(where, shown, "no rejected row (strict)", "Correct the row, or load without strict.")
    read = sum(part.read - part.blank for part in checked)
    if len(rejected) * 100 > limits.rejected_percent * read:
        rows = f"{len(rejected):,} of {pluralize(read, 'row')}"
        found = f"{rows} that {'does' if len(rejected) == 1 else 'do'} not fit, the first: {shown}"
        raise InputError(
            where, found, f"at most {limits.rejected_percent}% such rows", "This is probably another format."
        )
