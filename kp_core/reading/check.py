"""Turn rows as read into rows that can be kept, and the others into a table of rejected rows with their reasons."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from kp_core.corpus import run_starts
from kp_core.errors import InputError, Note, counted
from kp_core.reading.family import Rejected, Rows
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.values import byte_lengths, floats, longer_than, trim

#: The column that a row of each role cannot be without, beside the document.
_NEEDED = {"gold": "phrase", "system": "phrase", "documents": None, "judgements": "candidate"}
#: A string of JSON, with what it holds as it is written.
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)


def check(rows: Rows, limits: Limits, text: str = "") -> Rows:
    """Return rows whose ids and phrases are trimmed and whose numbers are parsed; the others are rejected.

    text  of a file of JSON, where the lines of documents are looked up
    """
    refuse_over(limits.rows, len(rows.table), "rows", rows.file)
    read = replace(rows, rejected=list(rows.rejected), notes=list(rows.notes))
    reasons: dict[int, str] = dict(rows.marked)
    names, needed = rows.table.column_names, _NEEDED[rows.role]
    if "doc_id" in names:
        read.put("doc_id", _ids(rows.table["doc_id"], limits, reasons))
    if needed is not None:
        read.put(needed, _text(rows.table[needed], "an empty phrase", "phrase", limits.phrase_characters, reasons))
    if "source" in names:
        source = trim(_filled(rows.table["source"]))
        what = f"annotator or system longer than {limits.id_characters:,} characters"
        _mark(reasons, longer_than(source, limits.id_characters, byte_lengths(source)), what)
        read.put("source", source)
    _numbers(read, reasons)
    if rows.lists is not None:
        read.lists = _lists(rows.lists, limits, read.rejected)
    read.read = len(rows.table) + len(read.rejected)
    if reasons:
        _take_out(read, rows.table, reasons, text)
    # What is asked later is where the first row stood, and whether there are several files.
    read.lines = None if rows.lines is None else list(rows.lines[:1])
    read.places = None if rows.places is None else list(rows.places[:1])
    return read


def _ids(column: pa.ChunkedArray, limits: Limits, reasons: dict[int, str]) -> pa.ChunkedArray:
    """Check the ids; where equal ids stand together, the first of each run tells all."""
    column = _filled(column)
    starts = run_starts(column)
    if len(starts) * 2 < len(column):
        found: dict[int, str] = {}
        heads = column.take(pa.array(starts))
        if _text(heads, "an empty id", "id", limits.id_characters, found) is heads and not found:
            return column
    return _text(column, "an empty id", "id", limits.id_characters, reasons)


def _mark(reasons: dict[int, str], mask: npt.NDArray[np.bool_], reason: str) -> None:
    for index in np.flatnonzero(mask):
        reasons.setdefault(int(index), reason)


def _filled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.fill_null("") if column.null_count else column


def _text(column: pa.ChunkedArray, empty: str, what: str, limit: int, reasons: dict[int, str]) -> pa.ChunkedArray:
    column = trim(_filled(column))
    lengths = byte_lengths(column)
    if len(lengths) and lengths.min() == 0:
        _mark(reasons, lengths == 0, empty)
    _mark(reasons, longer_than(column, limit, lengths), f"{what} longer than {limit:,} characters")
    return column


def _numbers(rows: Rows, reasons: dict[int, str]) -> None:
    """Parse ranks, scores and relevance; a column without any number is an ordinary column, or nothing."""
    names = rows.table.column_names
    if "rank" in names and not (pa.types.is_int64(rows.table["rank"].type) and _all_positive(rows.table["rank"])):
        ranks, _ = floats(rows.table["rank"])
        zeros = int((ranks == 0).sum())
        # Rejected one by one, they would take the best phrase off every list.
        if zeros > 1 and zeros >= int((ranks == 1).sum()):
            raise InputError(rows.file, "ranks that begin with 0", "ranks that begin with 1", "Add 1 to every rank.")
        good = np.isfinite(ranks) & (ranks >= 1) & (np.floor(ranks) == ranks) & (ranks < 2**53)
        _mark(reasons, ~good, "rank is not a positive whole number")
        rows.put("rank", pa.chunked_array([np.where(good, ranks, 1).astype(np.int64)]))
    for name in (name for name in ("score", "relevance") if name in names):
        values, bad = floats(rows.table[name])
        missing = np.isnan(values) & ~bad
        if len(values) and missing.all():
            rows.table = rows.table.drop_columns([name])
        elif len(values) and np.isnan(values).all():
            first = str(rows.table[name][int(np.argmax(bad))].as_py())[:40]
            text = f"The column “{name}” holds no number (the first entry is “{first}”), so it is not used."
            rows.notes.append(Note("warning", rows.file, f"{text} Write numbers with a decimal point."))
            rows.table = rows.table.rename_columns({name: f"{name} (text)"})
        else:
            _mark(reasons, bad, f"{name} is not a finite number")
            if missing.any() and name == "score" and rows.role == "judgements":
                continue
            if missing.any() and name == "score" and "rank" not in names:
                _mark(reasons, missing, "no score, and no rank either")
            rows.put(name, pa.chunked_array([pa.array(values, from_pandas=True)]))


def _all_positive(column: pa.ChunkedArray) -> bool:
    return not column.null_count and (not len(column) or int(column.to_numpy().min()) >= 1)


def _lists(lists: pd.DataFrame, limits: Limits, rejected: list[Rejected]) -> pd.DataFrame:
    """Check the ids of lists like those of their rows; a list that is empty has no other row to be rejected."""
    ids = pa.chunked_array([pa.array(lists["doc_id"], pa.large_string(), from_pandas=True)])
    reasons: dict[int, str] = {}
    trimmed = _text(ids, "an empty id", "id", limits.id_characters, reasons)
    lists = lists.assign(doc_id=trimmed.to_pandas().set_axis(lists.index))
    for index, reason in sorted(reasons.items()):
        row = lists.iloc[index]
        if not row["length"]:
            rejected.append((str(row["file"]), int(row["line"]), reason, str(row["doc_id"])[:200]))
    return lists.drop(index=lists.index[list(reasons)]) if reasons else lists


def _take_out(rows: Rows, table: pa.Table, reasons: dict[int, str], text: str) -> None:
    """Take out the rows that have a reason, and tell them as they were read, in `table`."""
    ids = {}
    if text and "doc_id" in table.column_names:
        ids = {row: str(table["doc_id"][row].as_py()) for row in reasons if not rows.line(row)}
    begins = _lines_of(text, set(ids.values()))
    for row, content in zip(sorted(reasons), _contents(table, sorted(reasons)), strict=True):
        file = rows.file if rows.places is None else str(rows.places[row])
        line = rows.line(row) or begins.get(ids.get(row, ""), 0)
        rows.rejected.append((file, line, reasons[row], content))
    kept = np.ones(len(table), dtype=bool)
    kept[list(reasons)] = False
    rows.table = rows.table.filter(pa.array(kept))


def _contents(table: pa.Table, indices: list[int]) -> list[str]:
    shown = ("source", "doc_id", "rank", "phrase", "candidate", "score")
    taken = table.select([name for name in shown if name in table.column_names]).take(pa.array(indices, pa.int64()))
    return [" | ".join("" if v is None else str(v)[:200] for v in record.values()) for record in taken.to_pylist()]


def _lines_of(text: str, ids: set[str]) -> dict[str, int]:
    """Return the line where each document begins in JSON text, in one pass over its strings."""
    found: dict[str, int] = {}
    line = counted = 0
    for match in _STRING.finditer(text) if ids else ():
        if match.group(1) in ids and match.group(1) not in found:
            line, counted = line + text.count("\n", counted, match.start()), match.start()
            found[match.group(1)] = line + 1
            if len(found) == len(ids):
                break
    return found


def refuse_if_mostly_rejected(name: str, checked: list[Rows], limits: Limits, *, strict: bool) -> None:
    """Refuse a file with over 20 % of its rows rejected; in strict mode refuse at the first one."""
    rejected = [row for part in checked for row in part.rejected]
    if not rejected:
        return
    file, line, reason, content = rejected[0]
    where = f"{file}, line {line}" if line else file
    shown = f"{reason} (“{content[:60]}”)"
    if strict:
        raise InputError(where, shown, "no rejected row (strict)", "Correct the row, or load without strict.")
    read = sum(part.read for part in checked)
    if len(rejected) * 100 > limits.rejected_percent * read:
        rows = f"{len(rejected):,} of {counted(read, 'row')}"
        found = f"{rows} that {'does' if len(rejected) == 1 else 'do'} not fit, the first: {shown}"
        raise InputError(
            where, found, f"at most {limits.rejected_percent} % such rows", "This is probably another format."
        )
