"""F10: comma-, tab-, semicolon- or bar-separated tables become rows by the names of their columns or their content."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.corpus import Role
from kp_core.reading import tables
from kp_core.reading.delimited import read_delimited
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import KNOWN, plain
from kp_core.reading.json_text import begins_like_json

NAME = "F10"
TITLE = "tables, one row a phrase: CSV, TSV"
EXAMPLE = "system,doc_id,rank,keyphrase,score\nyake,d1,1,tide table,0.012"
OPTIONS = {"delimiter": (",", "\t", ";", "|"), "header": ("yes", "no"), "cells": (";", ",", "json")}


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise lines that split evenly and have a column for ids and one for phrases or texts."""
    if len(files) != 1 or begins_like_json(files[0].json):
        return None
    table = files[0].once("table", lambda: read_delimited(files[0], choice))
    layout = tables.layout_of(table, role, choice) if table is not None else None
    if table is None or layout is None:
        return None
    options = dict(layout.options) | ({} if layout.role_sure else {"role": "guessed"})
    # Three known names are no accident, whatever the first ids look like (`a@b` may begin a line of another family).
    known = sum(plain(name) in KNOWN for name in table.names)
    confidence = 0.94 if table.header and known >= 3 else 0.85 if table.header else 0.5
    return Recognition(NAME, layout.role, tuple(files), confidence, layout.evidence, layout.columns, options)


def column_names(file: File, choice: Choice) -> list[str]:
    """Return the names of the columns, so that a user can say what each is."""
    table = None if begins_like_json(file.json) else read_delimited(file, choice)
    return list(table.names) if table is not None else []


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the table by the columns recognised."""
    file = recognition.files[0]
    table = file.once("table", lambda: read_delimited(file, Choice(columns=recognition.columns)))
    if table is None:
        return []
    options = {name: value for name, value in recognition.options.items() if name != "role"}
    layout = tables.Layout(recognition.role, recognition.columns, options)
    return tables.rows_of(table, layout, role)
