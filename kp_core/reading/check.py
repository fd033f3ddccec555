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
from kp_core.reading.settle import Part
from kp_core.reading.values import byte_lengths, floats, longer_than, trim

#: The column that a row of each role cannot be without, beside the document.
_NEEDED = {"gold": "phrase", "system": "phrase", "documents": None, "judgements": "candidate"}
#: A string of JSON, with what it holds as it is written.
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)


def check(rows: Rows, part: Part, limits: Limits, text: str = "") -> Part:
    """Return a part with rows whose ids and phrases are trimmed and whose numbers are parsed; the others are rejected.

    part  what is known of the reading; text  of a file of JSON, where the lines of documents are looked up
    """
    table = rows.table
    refuse_over(limits.rows, len(table), "rows", part.file)
    reasons: dict[int, str] = dict(rows.marked)
    if "doc_id" in table.column_names:
        table = _set(table, "doc_id", _ids(table["doc_id"], limits, reasons))
    needed = _NEEDED[rows.role]
    if needed is not None:
        checked = _text(table[needed], "an empty phrase", "phrase", limits.phrase_characters, reasons)
        table = _set(table, needed, checked)
    if "source" in table.column_names:
        source = trim(_filled(table["source"]))
        what = f"annotator or system longer than {limits.id_characters:,} characters"
        _mark(reasons, longer_than(source, limits.id_characters, byte_lengths(source)), what)
        table = _set(table, "source", source)
    notes, rejected = list(rows.notes), list(rows.rejected)
    table = _numbers(table, rows, reasons, notes, part.file)
    part = replace(
        part,
        role=rows.role,
        table=table,
        lists=None if rows.lists is None else _lists(rows.lists, limits, rejected),
        read=len(rows.table) + len(rejected),
        blank=rows.blank,
        rejected=rejected,
        notes=notes,
        counted=rows.counted,
        names=rows.names,
        in_one_file=rows.places is None,
        first_line=0 if not len(table) else 1 if rows.lines is None else int(rows.lines[0]),
    )
    if reasons:
        _take_out(part, rows, reasons, text)
    return part


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


def _set(table: pa.Table, name: str, column: pa.ChunkedArray) -> pa.Table:
    if table[name] is column:
        return table
    return table.set_column(table.column_names.index(name), name, column)


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


def _numbers(table: pa.Table, rows: Rows, reasons: dict[int, str], notes: list[Note], file: str) -> pa.Table:
    names = table.column_names
    if "rank" in names and not (pa.types.is_int64(table["rank"].type) and _all_positive(table["rank"])):
        ranks, _ = floats(table["rank"])
        zeros = int((ranks == 0).sum())
        # Rejected one by one, they would take the best phrase off every list.
        if zeros > 1 and zeros >= int((ranks == 1).sum()):
            raise InputError(file, "ranks that begin with 0", "ranks that begin with 1", "Add 1 to every rank.")
        good = np.isfinite(ranks) & (ranks >= 1) & (np.floor(ranks) == ranks) & (ranks < 2**53)
        _mark(reasons, ~good, "rank is not a positive whole number")
        table = _set(table, "rank", pa.chunked_array([np.where(good, ranks, 1).astype(np.int64)]))
    for name in ("score", "relevance"):
        if name not in names:
            continue
        values, bad = floats(table[name])
        missing = np.isnan(values) & ~bad
        if np.isnan(values).all() and len(values):  # no number at all: an ordinary column, not a score
            kept = table.column_names
            if bad.any():
                first = str(table[name][int(np.argmax(bad))].as_py())[:40]
                text = f"The column “{name}” holds no number (the first entry is “{first}”), so it is not used."
                notes.append(Note("warning", file, f"{text} Write numbers with a decimal point."))
            table = (
                table.drop_columns([name])
                if missing.all()
                else table.rename_columns([f"{n} (text)" if n == name else n for n in kept])
            )
            continue
        _mark(reasons, bad, f"{name} is not a finite number")
        if missing.any() and name == "score" and rows.role == "judgements":
            continue
        if missing.any() and name == "score" and "rank" not in names:
            _mark(reasons, missing, "no score, and no rank either")
        table = _set(table, name, pa.chunked_array([pa.array(values, from_pandas=True)]))
    return table


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


def _take_out(part: Part, rows: Rows, reasons: dict[int, str], text: str) -> None:
    kept = np.ones(len(part.table), dtype=bool)
    kept[list(reasons)] = False
    content = _contents(rows.table, sorted(reasons))
    lines = {index: index + 1 if rows.lines is None else int(rows.lines[index]) for index in reasons}
    named = bool(text) and "doc_id" in rows.table.column_names
    ids = {index: str(rows.table["doc_id"][index].as_py()) for index, line in lines.items() if named and not line}
    begins = _lines_of(text, set(ids.values()))
    for index, shown in zip(sorted(reasons), content, strict=True):
        file = part.file if rows.places is None else str(rows.places[index])
        line = lines[index] or begins.get(ids.get(index, ""), 0)
        part.rejected.append((file, line, reasons[index], shown))
    part.keep(kept)


def _contents(table: pa.Table, indices: list[int]) -> list[str]:
    names = [
        name for name in ("source", "doc_id", "rank", "phrase", "candidate", "score") if name in table.column_names
    ]
    taken = table.select(names).take(pa.array(indices, pa.int64()))
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


def refuse_if_mostly_rejected(name: str, checked: list[Part], limits: Limits, *, strict: bool) -> None:
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
