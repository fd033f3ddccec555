"""Turn JSON objects of one row each, such as the tidy form writes, into a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from types import NoneType

from kp_core.corpus import Role
from kp_core.errors import counted
from kp_core.reading.family import File
from kp_core.reading.fields import KNOWN, NAMES, NO_PHRASES, base_of, find_roles, plain, source_of
from kp_core.reading.json_text import JsonRecord, NoNumber, unfenced
from kp_core.reading.limits import refuse_over
from kp_core.reading.table import Table, table_of
from kp_core.reading.values import column_of, storable

#: So many objects are looked at.
_FIRST = 200
#: Fields of formats that have a reader of their own.
_OF_FORMATS = {
    *("prmu", "scores", "src", "src_raw", "pred_sents", "doc_bio_tags"),
    *("extractive_keyphrases", "abstractive_keyphrases", "abstractive_keyphrase"),
}
_MARKS = re.compile(r"<peos>| \[sep\] | <eos> ", re.IGNORECASE)


def read_json_rows(file: File, role: Role | None) -> Table | None:
    """Return objects that are rows as a table: with `phrase`, `candidate`, text and title, or as `are_rows` says."""
    good = file.once("rows by id", lambda: _by_id(file)) or [
        record for record in file.records if isinstance(record.value, dict)
    ]
    tidy = good and any(_fits(good, kind) for kind in ([role] if role else ["gold", "judgements", "documents"]))
    if not tidy and not (role != "documents" and are_rows(good)):
        return None
    return file.once("rows", lambda: _table(file, good, splits=not tidy))


def _by_id(file: File) -> list[JsonRecord]:
    """Return the objects of an object that holds the gold standard of each document beside others, with their ids."""
    value = file.json if isinstance(file.json, dict) else {}
    if not value or not all(isinstance(inner, dict) and find_roles(inner, ("gold",)) for inner in value.values()):
        return []
    return [JsonRecord(0, {"doc_id": doc_id, **inner}) for doc_id, inner in value.items()]


def are_rows(records: Sequence[JsonRecord]) -> bool:
    """Tell objects that are the rows of a table: keyphrases in texts, or several lists of them, and nothing nested."""
    first = [record.value for record in records[:_FIRST] if record.value]
    kinds: dict[str, set[type]] = {}
    for record in first:
        for name, value in record.items():
            nested = isinstance(value, dict) or (isinstance(value, list) and not all(map(_is_text, value)))
            marked = isinstance(value, str) and _MARKS.search(value)
            kinds.setdefault(name, set()).add(dict if nested or marked else type(value))
    if len(first) < 2 or any(dict in found for found in kinds.values()) or {*map(plain, kinds)} & _OF_FORMATS:
        return False
    texts = [name for name, found in kinds.items() if found <= {str, NoNumber, NoneType}]
    lists = [name for name, found in kinds.items() if list in found and plain(name) not in NO_PHRASES]
    lists = [name for name in lists if any(record.get(name) for record in first)]
    unknown = [name for name in texts if plain(name) not in KNOWN | NO_PHRASES]
    parted = any(2 * sum(";" in str(record.get(name)) for record in first) >= len(first) for name in unknown)
    numbered = len(unknown) > len(set(map(base_of, unknown)))
    worded = any(source_of(name) != base_of(name) for name in unknown)  # “Author Keywords”
    return bool(len(lists) > 1 or parted or numbered or worded or find_roles(texts, ("phrase", "phrases")))


def _cell(value: object) -> object:
    """Return a value as a cell: what programs write for a missing number, `NaN`, is a missing value."""
    if type(value) is NoNumber:
        return None
    return unfenced(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


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


def _table(file: File, good: list[JsonRecord], *, splits: bool) -> Table:
    names = list(dict.fromkeys(name for record in good for name in record.value))
    refuse_over(file.limits.columns, len(names), "different fields", file.name, "JSON objects")
    refuse_over(file.limits.cells, len(names) * len(good), "cells", file.name, "a table")
    columns = [column_of([_cell(record.value.get(name)) for record in good]) for name in names]
    table = table_of(file.name, names, columns, [record.line for record in good], file.limits)
    broken = [(file.name, r.line, r.broken, storable(r.content)) for r in file.records if r.broken]
    described = f"{counted(len(good), 'JSON object')}, one a row"
    return replace(table, described=described, rejected=broken + table.rejected, splits=splits)
