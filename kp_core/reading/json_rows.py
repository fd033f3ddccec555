"""Turn JSON objects of one row each, such as the tidy form writes, into a table."""

from __future__ import annotations

import json
import re

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import counted
from kp_core.reading.family import File
from kp_core.reading.fields import NAMES
from kp_core.reading.json_text import JsonRecord
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists import HALF_A_CHARACTER, column_of, storable
from kp_core.reading.table import Table, header_names

#: Half a character can stand in a file only as such an escape.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def read_json_rows(file: File, role: Role | None) -> Table | None:
    """Return objects that all have a `phrase`, a `candidate`, or `text` and `title` and no list, as a table."""
    good = [record for record in file.records if isinstance(record.value, dict)]
    if not good or not any(_fits(good, kind) for kind in ([role] if role else ["gold", "judgements", "documents"])):
        return None
    return file.once("rows", lambda: _table(file, good))


def _fits(good: list[JsonRecord], role: Role | str) -> bool:
    if role != "documents":
        needed = "candidate" if role == "judgements" else "phrase"
        return all(isinstance(record.value.get(needed), str) for record in good)
    # Without a title of its own, a text may hold it before a marker, which is for another family to split.
    fields, lists = {"doc_id", "text", "title"}, {*NAMES["gold"], *NAMES["predictions"]}
    return all(
        fields <= set(record.value)
        and not lists & set(record.value)
        and all(isinstance(record.value[name], str | None) for name in fields)
        for record in good
    )


def _table(file: File, good: list[JsonRecord]) -> Table:
    halves = [record for record in good if _holds_half(record)] if _HALF.search(file.text) else []
    if halves:
        lost = set(map(id, halves))
        good = [record for record in good if id(record) not in lost]
    names = list(dict.fromkeys(name for record in good for name in record.value))
    refuse_over(file.limits.columns, len(names), "different fields", file.name, "JSON objects")
    refuse_over(file.limits.cells, len(names) * len(good), "cells", file.name, "a table")
    columns = [pa.chunked_array([column_of([record.value.get(name) for record in good])[0]]) for name in names]
    rejected = [(file.name, r.line, r.broken, storable(r.content)) for r in file.records if r.broken]
    rejected += [(file.name, r.line, HALF_A_CHARACTER, storable(_content(r))[:200]) for r in halves]
    described = f"{counted(len(good), 'JSON object')}, one a row"
    lines = [record.line for record in good]
    shown = header_names([storable(name) for name in names])
    return Table(
        file.name, shown, columns, lines, described=described, limits=file.limits, rejected=rejected, splits=False
    )


def _content(record: JsonRecord) -> str:
    return json.dumps(record.value, ensure_ascii=False)


def _holds_half(record: JsonRecord) -> bool:
    try:
        _content(record).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
