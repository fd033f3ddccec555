"""Let the user say what the columns of a table are, beside what would be read; nothing is loaded until it is used."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

from kp_core.corpus import Role
from kp_core.reading import Choice, Source
from kp_core.reading.layouts import SEPARATORS
from kp_core.reading.mapping import FirstRows, Understood, first_rows, parts_of, understand, with_part
from kp_ui import prose, results, show, workspace

#: So many columns of a table stand side by side.
_ABREAST = 6
#: Rows among which the head may be chosen.
_HEADS = 10
_PARTS = prose.entries("columns_of_files")


def panel(file: Source, roles: dict[str, str], guessed: dict[str, str]) -> None:
    """Draw the first rows of a table with a part for each column, and what would be read.

    roles: what a file may be, in words; guessed: role → column as it is read now
    """
    key = f"mapping {file.name}"
    draft = cast(Choice, st.session_state.get(key, workspace.uploads().choices.get(file.name, Choice())))
    rows = first_rows(file, draft)
    if rows is None:
        return
    st.markdown("**What the columns are**")
    draft = _whole(file, draft, rows, roles)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        parts = {name: role for role, name in guessed.items()} if not parts_of(draft) else parts_of(draft)
        for start in range(0, len(rows.heads), _ABREAST):
            draft = _columns(file, draft, rows, parts, start)
    st.session_state[key] = draft
    with right:
        _preview(file, draft)
        if st.button("Use this reading", key=f"use {file.name}", type="primary"):
            del st.session_state[key]
            workspace.decide(file.name, draft)
            st.rerun()


def _whole(file: Source, draft: Choice, rows: FirstRows, roles: dict[str, str]) -> Choice:
    """Let the user say what holds for the whole table: what it is, sheets, head, separator, filling down."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        role = _pick(file, "This file is", list(roles), draft.role or "", roles)
        options = dict(draft.options)
        if rows.sheets:
            now = [name for name in options.get("sheet", "").split("\n") if name in rows.sheets]
            chosen = st.multiselect("Sheets", rows.sheets, now, key=f"sheets {file.name}", placeholder="all tables")
            options["sheet"] = "\n".join(chosen)
        heads = {"": "found by itself", "no": "none"} | {str(line): f"row {line}" for line in rows.lines[:_HEADS]}
        options["header"] = _pick(file, "Head of the columns", list(heads), options.get("header", ""), heads)
        cells = {"": "found by itself"} | {name: words for name, words in SEPARATORS.items() if name != "lists"}
        options["cells"] = _pick(file, "Lists in a cell", list(cells), options.get("cells", ""), cells)
        down = {"": "found by itself", "yes": "yes", "no": "no"}
        options["fill_down"] = _pick(
            file, "A blank id is that of the row above", list(down), options.get("fill_down", ""), down
        )
    kept = {name: value for name, value in options.items() if value}
    return replace(draft, role=cast(Role, role) if role else None, options=kept)


def _pick(file: Source, label: str, options: Sequence[str], now: str, words: dict[str, str]) -> str:
    place = options.index(now) if now in options else 0
    return str(st.selectbox(label, options, place, words.__getitem__, key=f"{label} {file.name}", width=220))


def _columns(file: Source, draft: Choice, rows: FirstRows, parts: dict[str, str], start: int) -> Choice:
    """Draw some columns side by side: the part of each, and its cells as they are."""
    names = rows.heads[start : start + _ABREAST]
    line_numbers, *places = st.columns([1, *[3] * len(names)], vertical_alignment="bottom")
    line_numbers.text("\n".join(map(str, rows.lines)))
    for number, (place, name) in enumerate(zip(places, names, strict=True), start):
        with place:
            options = ["", *_PARTS]
            now = parts.get(name, "")
            at = options.index(now) if now in options else 0
            label, words = show.plain(name), {"": "–", **_PARTS}
            part = st.selectbox(label, options, at, words.__getitem__, key=f"part {file.name} {number} {name}")
            st.text("\n".join(" ".join(row[number].split())[:40] or " " for row in rows.rows))
        if part != now or parts_of(draft):
            draft = with_part(draft, name, str(part))
    return draft


@st.cache_data(scope="session", max_entries=8, show_spinner="Reading the file …")
def _understood(digest: str, _file: Source, _choice: Choice) -> Understood:
    return understand(_file, _choice)


def _preview(file: Source, draft: Choice) -> None:
    """Show what would be read: counts, the first documents, rejected rows."""
    digest = hashlib.sha256(repr((file.name, draft)).encode() + file.data).hexdigest()
    found = _understood(digest, file, draft)
    st.markdown("**As it would be read**")
    if found.problem:
        st.warning(show.plain(found.problem))
        return
    st.text(", ".join(f"{size:,} {name}" for name, size in found.counts.items()))
    results.table(found.documents, f"documents {file.name}")
    if len(found.rejected):
        st.caption(f"{show.counted(len(found.rejected), 'row')} would be rejected, the first of them:")
        results.table(found.rejected.head(3), f"would be rejected {file.name}")
