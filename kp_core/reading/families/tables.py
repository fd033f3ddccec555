"""F10: tables (CSV, TSV, XLSX, ODS, Parquet, JSON rows) become rows by the names of their columns or their content."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note, counted
from kp_core.reading.archive import is_workbook
from kp_core.reading.delimited import read_delimited
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import GOLD, SYSTEMS, find_roles, plain
from kp_core.reading.json_rows import read_json_rows
from kp_core.reading.json_text import begins_like_json
from kp_core.reading.layout_rows import Layout, rows_of
from kp_core.reading.layouts import layout_of
from kp_core.reading.parquet import is_parquet, read_parquet
from kp_core.reading.separators import SEPARATORS
from kp_core.reading.table import Table
from kp_core.reading.values import repeated
from kp_core.reading.workbooks import read_sheet, sheet_names

NAME = "F10"
TITLE = "tables: CSV, TSV, XLSX, ODS, Parquet, JSON rows"
TABLES = True
OPTIONS = {
    "delimiter": (",", "\t", ";", "|"),
    "header": ("yes", "no"),
    "cells": tuple(separator for separator in SEPARATORS if separator != "lists"),
    "fill_down": ("yes", "no"),
    "ids": ("rows",),
    "sheets": ("sources", "documents", "together", "first"),
    "scale": ("0-4", "0-2", "0-10"),
    **dict.fromkeys(("sheet", "phrases_of", "rater", "ignore"), ()),
}
#: How several sheets are read, in words.
_SHEETS = {
    "sources": "one for each annotator, system or table",
    "documents": "one for each document",
    "together": "read as one table",
}


def tables_of(file: File, choice: Choice, role: Role | None = None) -> list[Table]:
    """Return the tables of a file: one, or of a workbook one a sheet, those that are shown first."""
    if is_parquet(file):
        return [file.once("parquet", lambda: read_parquet(file))]
    if is_workbook(file.source.data):
        chosen = [name for name in choice.several("sheet") if name in sheet_names(file)]
        tables = [table for name in chosen or sheet_names(file) if len(table := read_sheet(file, name, choice))]
        return [_of_its_document(one) for one in tables] if choice.options.get("sheets") == "documents" else tables
    if begins_like_json(file.json):
        rows = read_json_rows(file, role)
        return [] if rows is None else [rows]
    delimited = file.once("table", lambda: read_delimited(file, choice))
    return [] if delimited is None else [delimited]


def _of_its_document(table: Table) -> Table:
    """Return a sheet whose rows are those of the document that it is named after."""
    return replace(table, names=["doc_id", *table.names], columns=[repeated(table.sheet, len(table)), *table.columns])


def _may_be_document(table: Table) -> bool:
    """Tell a sheet that names its keyphrases and no documents, and whose rows are no lists of several documents."""
    named = find_roles(table.names, ("doc_id", "phrase", "phrases"))
    layout = layout_of(table, None, Choice())
    return table.header and bool(named) and "doc_id" not in named and (layout is None or len(table) == 1)


def column_names(file: File) -> list[str]:
    """Return the names of the columns, so that a user can say what each is."""
    return next((list(table.names) for table in tables_of(file, file.choice)), [])


def recognise(file: File, role: Role | None) -> list[Recognition]:
    """Recognise a table with columns for ids and phrases, texts or judgements; of a workbook any of its sheets."""
    tables = tables_of(file, file.choice, role)
    readable = [layout for table in tables if (layout := layout_of(table, role, file.choice)) is not None]
    if not is_workbook(file.source.data):
        return [_recognition(file, [layout], role) for layout in readable]
    found = _sheets(file, readable, role)
    if len(tables) > 1 and "sheets" not in file.choice.options and all(map(_may_be_document, tables)):
        plan = [one for table in tables if (one := layout_of(_of_its_document(table), role, file.choice)) is not None]
        if plan and plan[0].role in ("gold", "system"):
            by_document = _told(file, plan, role, "documents")
            # A name without a number may be that of a person.
            coded = all(any(map(str.isdigit, table.sheet)) for table in tables)
            found.append(by_document if coded else replace(by_document, confidence=0.45))
    return found


def _recognition(file: File, plan: list[Layout], role: Role | None, **options: str) -> Recognition:
    first = plan[0]
    sure = first.role_sure or role is not None
    more = options | ({"cells": first.cells} if first.cells else {})
    # Cells that a format itself keeps apart cannot be torn by a wrong separator.
    delimited = "table" in file.made
    score = first.score if delimited or first.score < 0.85 else max(first.score, 0.96)
    offers = {}
    if is_workbook(file.source.data) and len(sheet_names(file)) > 1:
        offers = {"sheet": tuple(sheet_names(file))}
    evidence, columns = first.evidence, first.columns
    return Recognition(NAME, first.role, (file,), score, evidence, columns, more, offers, tuple(plan), not sure)


def _sheets(file: File, readable: list[Layout], role: Role | None) -> list[Recognition]:
    """Return how the sheets of a workbook are read: the first alone, or several as annotators, systems or parts."""
    if not readable:
        return []
    choice = file.choice
    chosen = choice.several("sheet")
    if choice.options.get("sheets") == "documents":
        return [_told(file, readable, role, "documents")]
    alike = [one for one in readable if _alike(one, readable[0])]
    others = [one for one in readable if not _alike(one, readable[0])]
    first = _recognition(file, readable[:1], role, sheet=readable[0].table.sheet, sheets="first")
    if len(readable) == 1 or choice.options.get("sheets") == "first" or len(chosen) == 1:
        return [first]
    if others:  # each sheet is something of its own: texts, gold standard, systems
        plan = [_named(one, several=len(readable) > 1) for one in readable]
        return [_told(file, plan, role, "sources")]
    apart = _told(file, [_named(one, several=True) for one in alike], role, "sources")
    together = _told(file, alike, role, "together")
    if choice.options.get("sheets"):
        return [together if choice.options["sheets"] == "together" else apart]
    if (
        readable[0].source_column() is not None
        or readable[0].kind in ("documents", "judged")
        or _has_names(readable[0])
    ):
        return [together]
    shared = _shared(alike)
    # Lists of the same documents are those of several people; lists of other documents may be parts of one list.
    parted = replace(together, confidence=0.55 if shared else 0.59)  # without a common document neither is likelier
    return [apart] if shared > 0.5 else [replace(apart, confidence=0.6), parted]


def _told(file: File, plan: list[Layout], role: Role | None, sheets: str) -> Recognition:
    names = ", ".join(f"“{one.table.sheet}”" for one in plan[:5]) + (" …" if len(plan) > 5 else "")
    found = _recognition(file, plan, role, sheets=sheets)
    return replace(found, evidence=f"{len(plan)} sheets ({names}), {_SHEETS[sheets]}; {found.evidence}")


def _alike(one: Layout, other: Layout) -> bool:
    return one.kind == other.kind and one.role == other.role and one.columns == other.columns


def _named(layout: Layout, several: bool) -> Layout:
    """Return a layout whose rows are by the annotator or system that the sheet is named after."""
    name = plain(layout.table.sheet)
    gold = bool(GOLD & set(name.split("_"))) or name in GOLD
    if not layout.role_sure:
        layout = replace(layout, role="gold" if gold or name not in SYSTEMS else "system")
    if not several or layout.role not in ("gold", "system") or layout.source_column() is not None:
        return layout
    return layout if _has_names(layout) else replace(layout, source="gold" if gold else layout.table.sheet)


def _has_names(layout: Layout) -> bool:
    """Tell columns that say themselves whose they are."""
    return layout.kind == "wide" and list(layout.sources) != [""]


def _shared(plan: list[Layout]) -> float:
    """Return which part of the documents of the smallest sheet the first sheet has, at the least."""
    ids = [set(one.ids().to_pylist()) for one in plan]
    return min(len(ids[0] & other) / max(min(len(ids[0]), len(other)), 1) for other in ids[1:])


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the tables by the columns recognised."""
    plan: tuple[Any, ...] = recognition.plan
    file = recognition.files[0]
    several = {layout.role for layout in plan} != {plan[0].role}
    rows = [
        part for layout in plan for part in rows_of(layout if several else replace(layout, role=recognition.role), role)
    ]
    for part in rows:
        part.table = part.table.combine_chunks()
    if not is_workbook(file.source.data):
        return rows
    chosen = file.choice.several("sheet")
    missing = [name for name in chosen if name not in sheet_names(file)]
    if chosen and not missing:
        return rows
    if left := _left(file, {layout.table.sheet for layout in plan}):
        names = ", ".join(f"“{name}”" for name in left[:5]) + (" …" if len(left) > 5 else "")
        message = f"Left out: {counted(len(left), 'sheet')}, {names}."
        if missing:
            message = f"There is no sheet “{missing[0]}”. {message}"
        rows[0].notes.append(Note("info", file.name, message))
    return rows


def _left(file: File, read: set[str]) -> list[str]:
    """Return the names of the other sheets that hold anything."""
    return [
        name
        for name in sheet_names(file)
        if name not in read
        and len(table := read_sheet(file, name, Choice(options={"header": "no"})))
        and any(pc.any(pc.not_equal(column, "")).as_py() for column in table.columns)
    ]
