"""Turn JSON objects of one row each, such as the tidy form writes, into a table."""

from __future__ import annotations

from dataclasses import replace

from kp_core.corpus import Role
from kp_core.errors import counted
from kp_core.reading.family import File
from kp_core.reading.fields import NAMES
from kp_core.reading.json_text import JsonRecord
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists import column_of, storable
from kp_core.reading.table import Table, table_of


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
    names = list(dict.fromkeys(name for record in good for name in record.value))
    refuse_over(file.limits.columns, len(names), "different fields", file.name, "JSON objects")
    refuse_over(file.limits.cells, len(names) * len(good), "cells", file.name, "a table")
    columns = [column_of([record.value.get(name) for record in good]) for name in names]
    table = table_of(file.name, names, columns, [record.line for record in good], file.limits)
    broken = [(file.name, r.line, r.broken, storable(r.content)) for r in file.records if r.broken]
    described = f"{counted(len(good), 'JSON object')}, one a row"
    return replace(table, described=described, rejected=broken + table.rejected, splits=False)
