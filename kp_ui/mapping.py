"""Let the user say what the columns of a table are, beside what would be read; nothing is loaded until it is used."""

import hashlib
from dataclasses import replace
from typing import cast

import pandas as pd
import streamlit as st

from kp_core.reading import Choice, Source
from kp_core.reading.layouts import SEPARATORS
from kp_core.reading.preview import FirstRows, first_rows, understand, with_parts
from kp_ui import cached, prose, results, show, workspace

#: The family whose columns can be given parts.
TABLES = "F10"
#: Rows among which the head may be chosen.
_HEADS = 10
_PARTS = prose.entries("columns_of_files")


def panel(file: Source) -> None:
    """Draw the first rows of a table with a part for each column, and what would be read."""
    key = f"mapping {file.name}"
    draft = cast(Choice, st.session_state.get(key, workspace.uploads().choices.get(file.name, Choice())))
    rows = cached.of((file, draft), _digest(file, draft), first_rows)
    if rows is None:
        return
    draft = _whole(file, draft, rows)
    draft = _columns(file, draft, rows)
    st.session_state[key] = draft
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**The first rows, as they are**")
        shown = pd.DataFrame(rows.rows, index=rows.lines, columns=[str(n) for n in range(1, len(rows.heads) + 1)])
        st.dataframe(shown, key=f"rows {file.name}", height=340)
    with right:
        st.markdown("**As they would be read**")
        preview(file, draft, file.name)
    if st.button("Use this reading", key=f"use reading {file.name}", type="primary"):
        del st.session_state[key]
        workspace.decide(file.name, draft)
        st.rerun()


def _whole(file: Source, draft: Choice, rows: FirstRows) -> Choice:
    """Let the user say what holds for the whole table: sheets, head, separator, filling down."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = dict(draft.options)
        if rows.sheets:
            now = [name for name in options.get("sheet", "").split("\n") if name in rows.sheets]
            chosen = st.multiselect("Sheets", rows.sheets, now, key=f"sheets {file.name}", placeholder="all tables")
            options["sheet"] = "\n".join(chosen)
        itself = {"": "found by itself"}
        heads = itself | {"no": "none"} | {str(line): f"row {line}" for line in rows.lines[:_HEADS]}
        cells = itself | {name: words for name, words in SEPARATORS.items() if name != "lists"}
        down = itself | {"yes": "yes", "no": "no"}
        for option, label, words in (
            ("header", "Head of the columns", heads),
            ("cells", "Lists in a cell", cells),
            ("fill_down", "A blank id is that of the row above", down),
        ):
            place = list(words).index(options.get(option, "")) if options.get(option, "") in words else 0
            key = f"{option} {file.name}"
            options[option] = str(st.selectbox(label, list(words), place, words.__getitem__, key=key, width=220))
    kept = {name: value for name, value in options.items() if value}
    return replace(draft, options=kept)


def _columns(file: Source, draft: Choice, rows: FirstRows) -> Choice:
    """Let the user say what each column is; the first word said holds all the others as they are shown."""
    words, shown = {"": "–", **_PARTS}, dict[str, str]()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for number, name in enumerate(rows.heads, 1):
            now = rows.parts.get(name, "")
            place = list(words).index(now) if now in words else 0
            label, key = f"{number} {show.plain(name)}", f"part {file.name} {number} {name}"
            shown[name] = str(st.selectbox(label, list(words), place, words.__getitem__, key=key, width=170))
    changed = any(part != rows.parts.get(name, "") for name, part in shown.items())
    return with_parts(draft, shown) if changed else draft


def _digest(file: Source, draft: Choice) -> str:
    return hashlib.sha256(repr((file.name, draft)).encode() + file.data).hexdigest()


def preview(file: Source, draft: Choice, key: str) -> None:
    """Show what would be read: counts, the first documents, rejected rows."""
    found = cached.of((file, draft), _digest(file, draft), understand)
    if found.problem:
        st.warning(show.plain(found.problem))
        return
    st.text(", ".join(show.counted(size, name) for name, size in found.counts.items()))
    results.table(found.documents, f"documents {key}")
    if len(found.rejected):
        st.caption(f"{show.counted(len(found.rejected), 'row')} would be rejected, the first of them:")
        results.table(found.rejected.head(3), f"would be rejected {key}")
