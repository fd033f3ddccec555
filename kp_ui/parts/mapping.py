"""Let the user say how a file is read: what it is, what its columns are, its sheets, head and encoding."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from kp_core.reading import Choice, Source, preview
from kp_core.reading.decode import ENCODINGS
from kp_core.reading.families import tables as columns_of
from kp_core.reading.families import title_of
from kp_core.reading.fields import in_words
from kp_core.reading.preview import FirstRows, first_rows, understand, with_parts
from kp_core.reading.separators import SEPARATORS
from kp_core.reading.source import expand
from kp_core.reading.uploads import is_archive
from kp_ui.state import cached, click, link, workspace
from kp_ui.widgets import controls, prose, show, tables

#: What a file may be, in words.
ROLES = prose.entries("roles")
_FIRST = ("utf-8", "windows-1252")
_ENCODINGS = {"": "found by itself"} | {name: name for name in (*_FIRST, *ENCODINGS)}
_SCORES = {"": "found by itself", "higher": "higher is better", "lower": "lower is better"}
_BETTER = {None: "", True: "higher", False: "lower"}
#: The switches of the formats, where their names say too little.
_SWITCHES = prose.entries("switches")
#: So many values of a switch stand as buttons side by side; more become a list.
_BUTTONS = 4
#: So many rows are offered as the head.
_HEADS = 10
_PARTS = prose.entries("columns_of_files")
#: The file whose panel is open; empty if the user closed that of a refused file.
_OPEN = "file to change"
#: So many rows are seen at once; pixels of them, of the numbers of the lines, and of a column.
_SEEN, _HEIGHT, _LINES, _COLUMN = 10, 330, 50, 150


def is_open(name: str) -> bool:
    """Tell whether the panel of a file is open: the one that was asked for, else that of a file which is refused."""
    refused = not workspace.findings() and workspace.problem().startswith(f"{name}:")
    asked = st.session_state.get(_OPEN)
    return bool(asked == name or (asked is None and refused))


def turn(name: str) -> None:
    """Open the panel of a file, or close it."""
    refused = is_open(name) and workspace.problem()
    st.session_state[_OPEN] = name if not is_open(name) else "" if refused else None


def parts(files: Sequence[Source], read: Iterable[str]) -> dict[str, set[str]]:
    """Return the names under which what is in each file was read: its own, and those of the files in an archive."""
    archives = [file for file in files if is_archive(file)]
    left = set(read) - {file.name for file in files}
    found = {file.name: {file.name} for file in files}
    for file in archives if left else ():
        found[file.name] |= cached.of((file,), digest(file), _members)
    return found


def _members(file: Source) -> set[str]:
    bundle = expand(file)
    return {bundle.name, *(one.name for one in bundle.files)}


def is_table(file: Source) -> bool:
    """Tell whether a file has columns to choose."""
    return _first_rows(file, workspace.uploads().choices.get(file.name, Choice())) is not None


def _first_rows(file: Source, choice: Choice) -> FirstRows | None:
    return cached.of((file, choice), digest(file, choice), first_rows)


def panel(file: Source) -> None:
    """Show a file as it is, with a part for each column, and what would be read; nothing is loaded before it is said.

    Whatever else may be chosen for a file stands below it.
    """
    choice = workspace.uploads().choices.get(file.name, Choice())
    with st.container(border=True, key="mapping"):
        _settled(file, choice, "role", "higher_is_better")
        sheet = st.container()
        draft, rows = _draft(file, choice)
        if rows is not None:
            draft = replace(draft, options=_of_whole(file, dict(draft.options), rows))
            with sheet:
                draft = _columns(file, draft, rows)
            st.session_state[f"mapping {file.name}"] = choice, draft
        label = "How the files inside are read" if is_archive(file) else "Another way to read this file"
        ways = st.expander(label, rows is None, key=f"ways {file.name}", on_change=click.does(link.stay))
        if ways.open:  # every reading is tried, which takes a while for a large file
            with ways:
                _settled(file, choice, "encoding")
                _readings(file, choice)
        with st.container(horizontal=True):
            if rows is not None and st.button("Use this reading", key=f"use reading {file.name}", type="primary"):
                _forget_draft(file.name)
                st.session_state[_OPEN] = None
                workspace.decide(file.name, draft)
                st.rerun()
            if choice != Choice():
                controls.button("Read it by itself again", f"guess {file.name}", _forget, file.name)


def _draft(file: Source, choice: Choice) -> tuple[Choice, FirstRows | None]:
    """Return what was chosen so far and is not used yet, and the first rows under it; another choice begins anew."""
    began, draft = st.session_state.get(f"mapping {file.name}", (choice, choice))
    draft = draft if began == choice else choice
    return draft, _first_rows(file, draft)


def _settled(file: Source, choice: Choice, *fields: str) -> None:
    """Let the user say what a file is, which scores are better, or its encoding; the file is read so at once."""
    asked: dict[str, tuple[str, dict[str, str], str | None]] = {
        "role": ("What it is", ROLES, choice.role),
        "higher_is_better": ("Scores", _SCORES, _BETTER[choice.higher_is_better]),
        "encoding": ("Encoding", _ENCODINGS, choice.encoding),
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for field in fields:
            label, words, now = asked[field]
            key = f"{field} {file.name}"
            more: dict[str, Any] = {"on_change": click.does(_settle, file.name, key, field), "width": 220}
            controls.of_file(label, words, now or "", key, None, **more)


def _settle(name: str, key: str, field: str) -> None:
    """Read a file with what was chosen for it; empty: what is found by itself."""
    said = st.session_state[key]
    chosen: dict[str, Any] = {field: {"higher": True, "lower": False}.get(said, said or None)}
    workspace.decide(name, replace(workspace.uploads().choices.get(name, Choice()), **chosen))


def _readings(file: Source, choice: Choice) -> None:
    """Show every reading of a file with its first rows, each one click away."""
    readings: list[preview.Preview] = []
    with show.refusals():
        readings = preview.previews(file, choice.role, choice)
    for place, reading in enumerate(readings):
        family, evidence = reading.recognition.family, reading.recognition.evidence
        show.small(f"{f'{reading.of}: ' if reading.of else ''}{format_of(family)}: {in_words(evidence)}")
        if family == columns_of.NAME and not reading.of and len(readings) == 1:
            continue  # its parts and first rows stand above
        tables.table(reading.rows, f"reading {file.name} {place}")
        # What is decided about an archive holds for all its files, so no single family is chosen for them.
        wanted = choice if reading.of else replace(choice, family=family)
        with st.container(horizontal=True):
            if not reading.of:
                key, holds = f"use {file.name} {place}", choice.family == family
                controls.button("Read it so", key, workspace.decide, file.name, wanted, disabled=holds)
            for option, values in reading.options.items():
                now = reading.recognition.options.get(option)
                _switch(file, f"option {file.name} {place} {option}", option, values, wanted, now)


def _switch(file: Source, key: str, option: str, values: tuple[str, ...], wanted: Choice, now: str | None) -> None:
    """Draw a switch of a reading: a button for each of a few values, else a list to choose from."""
    words = _SWITCHES.get(option, option)

    def switched(value: str) -> Choice:
        return replace(wanted, options={**wanted.options, option: value})

    def take() -> None:
        workspace.decide(file.name, switched(st.session_state[key]))

    if len(values) > _BUTTONS:
        every = {value: value for value in values}
        controls.of_file(words, every, now or "", key, None, on_change=click.does(take), width=220)
        return
    for value in values:
        label = show.plain(f"{words}: {'TAB' if value == chr(9) else value}")
        holds = value in (now, wanted.options.get(option))
        controls.button(label, f"{key} {value}", workspace.decide, file.name, switched(value), disabled=holds)


def _forget(name: str) -> None:
    """Take back all that was decided about a file."""
    for field in ("role", "encoding", "higher_is_better"):
        st.session_state.pop(f"{field} {name}", None)
    _forget_draft(name)
    workspace.decide(name, Choice())


def _forget_draft(name: str) -> None:
    st.session_state.pop(f"mapping {name}", None)


def format_of(family: str) -> str:
    """Return what a format is called."""
    return title_of(family)


def _columns(file: Source, draft: Choice, rows: FirstRows) -> Choice:
    """Draw the first rows with a part above each column, and beside them what would be read; return what is chosen."""
    words, shown = {"": "–", **_PARTS}, dict[str, str]()
    numbers = [str(number) for number, _ in enumerate(rows.heads, 1)]
    left, right = st.columns([3, 2], gap="medium")
    with left, st.container(key="sheet"):  # it scrolls sideways as a whole, so that each part stays above its column
        width = _LINES + _COLUMN * len(numbers)
        with st.container(horizontal=True, key="parts", width=width, gap=None, vertical_alignment="bottom"):
            st.space(_LINES)
            for number, name in zip(numbers, rows.heads, strict=True):
                label, part = f"{number} {show.plain(name)}", f"part {file.name} {number} {name}"
                shown[name] = controls.of_file(label, words, rows.parts.get(name, ""), part, width=_COLUMN)
        wide: dict[str, Any] = {number: st.column_config.TextColumn(width=_COLUMN) for number in numbers}
        wide["line"] = st.column_config.Column(width=_LINES)
        table = pd.DataFrame(rows.rows, columns=numbers)
        table.insert(0, "line", rows.lines)
        options: dict[str, Any] = {"column_config": wide, "hide_index": True, "width": width, "row_height": 28}
        st.dataframe(table, key=f"rows {file.name}", height=_HEIGHT if len(table) > _SEEN else "content", **options)
    asked = draft == Choice() and file.name in {finding.where for finding in workspace.findings()}
    if asked or any(part != rows.parts.get(name, "") for name, part in shown.items()):
        draft = with_parts(draft, shown)  # the first word said holds all the others as they are shown
    with right:
        st.markdown("**As they would be read**")
        as_read(file, draft, file.name)
    return draft


def _of_whole(file: Source, options: dict[str, str], rows: FirstRows) -> dict[str, str]:
    """Let the user say what holds for the whole table: sheets, head, separator, filling down."""
    itself = {"": "found by itself"}
    asked = {
        "header": ("Head of the columns", {"no": "none"} | {str(line): f"row {line}" for line in rows.lines[:_HEADS]}),
        "cells": ("Lists in a cell", {name: words for name, words in SEPARATORS.items() if name != "lists"}),
        "fill_down": ("A blank id is that of the row above", {"yes": "yes", "no": "no"}),
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if rows.sheets:
            now = [name for name in options.get("sheet", "").split("\n") if name in rows.sheets]
            chosen = st.multiselect("Sheets", rows.sheets, now, key=f"sheets {file.name}", placeholder="all tables")
            options["sheet"] = "\n".join(chosen)
        for option, (label, words) in asked.items():
            key = f"{option} {file.name}"
            options[option] = controls.of_file(label, itself | words, options.get(option, ""), key, width=220)
    return {name: value for name, value in options.items() if value}


def digest(file: Source, draft: Choice | None = None) -> str:
    """Name a file together with how it would be read."""
    return hashlib.sha256(repr((file.name, draft)).encode() + file.data).hexdigest()


def as_read(file: Source, draft: Choice, key: str) -> None:
    """Show what would be read: counts, the first documents, rejected rows."""
    found = cached.of((file, draft), digest(file, draft), understand)
    if found.problem:
        st.warning(show.plain(found.problem))
        return
    st.text(", ".join(show.counted(size, name) for name, size in found.counts.items()))
    tables.table(found.documents, f"documents {key}", row_height=28)
    if len(found.rejected):
        st.caption(f"{show.counted(len(found.rejected), 'row')} would be rejected, the first of them:")
        tables.table(found.rejected.head(3), f"would be rejected {key}")
