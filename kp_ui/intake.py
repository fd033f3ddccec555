"""Take in the user's files: drop zone, samples, shared data, templates, and how each file is read."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import kp_core as kp
from kp_core.corpus import Reading
from kp_core.reading import LIMITS, OTHER_FIXES, Choice, Source, column_names, preview, report
from kp_core.reading.shared import packed
from kp_core.reading.sniff import family_named
from kp_core.takeaway.workspace_file import Uploads, is_archive
from kp_ui import results, saving, show, workspace

#: What a file may be, in words.
ROLES = {
    "": "guess",
    "gold": "gold standard",
    "system": "system output",
    "documents": "texts",
    "judgements": "judged pairs",
}
_ENCODINGS = (
    "",
    "utf-8",
    "windows-1252",
    "iso-8859-15",
    "windows-1250",
    "windows-1251",
    "koi8-r",
    "gb18030",
    "big5",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "utf-16",
)
_TEMPLATES = {"gold.csv": "gold keyphrases", "system.csv": "a system's output", "documents.jsonl": "texts"}
#: What a column of a table may be, in words.
_COLUMNS = {
    "doc_id": "document id",
    "phrase": "keyphrase",
    "annotator": "annotator",
    "system": "system",
    "rank": "rank",
    "score": "score",
    "relevance": "grade or votes",
    "concept": "concept",
    "text": "text",
    "title": "title",
    "group": "document type",
}
#: The switches of the formats, where their names say too little.
_SWITCHES = {
    "inner": "inner lists are",
    "cells": "cells hold lists split at",
    "labels": "id: label",
    "lines": "each line is of",
    "suffix": "common ending of the names",
    "underscore": "_ stands for",
}
#: So many values of a switch stand as buttons side by side; more become a list.
_BUTTONS = 4


def drop_zone() -> None:
    """Draw the drop zone; files are copied into the session at once, since the widget forgets them on other pages."""
    turn = st.session_state.setdefault("drop_turn", 0)
    st.file_uploader(
        "Drop your files here",
        accept_multiple_files=True,
        max_upload_size=megabytes(),
        key=f"drop_{turn}",
        on_change=_take,
        args=(f"drop_{turn}",),
        help="CSV, TSV, Excel, Parquet, JSON, JSONL, TREC, lists of keyphrases line by line or one file a document, "
        "exports of annotation tools, texts; also in a zip. What each file is, is recognised by its content; you can "
        "correct it below.",
    )
    st.caption(
        f"Gold keyphrases, system outputs and texts, all at once. Up to {megabytes()} MB a file and "
        f"{LIMITS.documents:,} documents. Files stay in this session's memory and are gone when you close it. "
        "A saved workspace (.kpscope) is opened here too; it takes the place of your files. So are the statistics of a "
        "streamed run (.npz), which have a page of their own."
    )
    with st.expander("A whole folder, or the limits"):
        st.file_uploader(
            "A folder of files",
            accept_multiple_files="directory",
            key=f"folder_{turn}",
            max_upload_size=megabytes(),
            on_change=_take_folder,
            args=(f"folder_{turn}",),
        )
        show.plain_table(report.limits(LIMITS), "limits")


def next_step() -> None:
    """Say that the user's files are on screen, and lead to their results."""
    here = workspace.current()
    if here.sample is not None or workspace.problem() or not (len(here.corpus.gold) and here.corpus.systems):
        return
    st.success("These data are on screen. What was understood of them stands below.")
    st.page_link("pages/overview.py", label="See which system is better", icon=":material/arrow_forward:")


def megabytes() -> int:
    """Return the largest file in megabytes; one that is smaller than a megabyte is refused when it is read."""
    return max(1, LIMITS.file_bytes // 1_000_000)


def _take(key: str) -> None:
    dropped = st.session_state.get(key)
    if dropped:
        saving.take([Source(file.name, file.getvalue()) for file in dropped])
        st.session_state["drop_turn"] += 1


def _take_folder(key: str) -> None:
    """Keep a folder as one zip in memory, so that it is listed, read and removed as a whole."""
    dropped = st.session_state.get(key)
    if dropped:
        folder = dropped[0].name.split("/")[0] if "/" in dropped[0].name else "folder"
        workspace.add([packed(folder, ((file.name, file.getvalue()) for file in dropped))])
        st.session_state["drop_turn"] += 1


def samples() -> None:
    """Offer the sample data sets."""
    st.markdown("**Sample data**, made for demonstration")
    for name, sample in workspace.SAMPLES.items():
        shown = workspace.current().sample == name
        label = f"{sample.title}{' (on screen)' if shown else ''}"
        st.button(label, key=f"sample_{name}", on_click=workspace.open_sample, args=(name,), disabled=shown)


def shared() -> None:
    """Offer the data sets that the server shares, to be opened alone or together with the user's own files."""
    try:
        names = workspace.shared_names()
    except kp.InputError as problem:
        show.error(problem)
        return
    if names:
        st.markdown("**Shared data sets** of this server")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Data set", names, key="shared", label_visibility="collapsed")
            st.button("Add to your files", key="add_shared", on_click=saving.take_shared)
        st.caption("Add your own files too: the output of your system is then scored on the shared data.")


def templates() -> None:
    """Offer small files that show the expected shape."""
    st.markdown("**Examples to start from**")
    with st.container(horizontal=True):
        for name, words in _TEMPLATES.items():
            data = (workspace.SAMPLE_DATA / "templates" / name).read_bytes()
            st.download_button(f"{name}: {words}", data, name, key=f"template_{name}")


def problem(words: str) -> None:
    """Say why the user's files are not on screen, and offer what can be done at once."""
    if not words:
        return
    st.error(f"Not loaded: {show.plain(words)}")
    st.caption("What was on screen before is still there. Change below how a file is read, or remove it.")
    if "keep-first" in words:
        with st.container(horizontal=True):
            for fix in ("keep-first", "merge"):
                label = f"{OTHER_FIXES[fix][:1].upper()}{OTHER_FIXES[fix][1:]}"
                st.button(label, key=f"fix {fix}", on_click=workspace.fix, args=(fix, True))


def file_choices(own: Uploads, readings: tuple[Reading, ...]) -> None:
    """Let the user say what each file is and how it is read, or take it away."""
    for file in own.files:
        choice = own.choices.get(file.name, Choice())
        found = [one for one in readings if one.file == file.name]
        with st.container(border=True):
            name, role, encoding, gone = st.columns([4, 3, 2, 1], vertical_alignment="bottom")
            read_as = f", read as {ROLES[found[0].role]}" if len(found) == 1 else ""
            name.text(f"{file.name}\n{len(file.data):,} bytes{read_as}")
            role.selectbox(
                "This file is",
                list(ROLES),
                list(ROLES).index(choice.role or ""),
                format_func=ROLES.__getitem__,
                key=f"role {file.name}",
                on_change=_decide,
                args=(file.name,),
            )
            encoding.selectbox(
                "Encoding",
                _ENCODINGS,
                _ENCODINGS.index(choice.encoding or ""),
                format_func=lambda value: value or "guess",
                key=f"encoding {file.name}",
                on_change=_decide,
                args=(file.name,),
            )
            gone.button("✕", key=f"remove {file.name}", on_click=workspace.remove, args=(file.name,), help="Remove")
            unfold = workspace.problem().startswith(file.name) or bool(choice.columns)
            label = "How the files inside are read" if is_archive(file) else "Another way to read this file"
            ways = st.expander(label, unfold, key=f"ways {file.name}", on_change="rerun")
            if ways.open:  # every reading is tried, which takes a while for a large file
                with ways:
                    _readings(file, choice)


def _decide(name: str) -> None:
    state, choice = st.session_state, workspace.uploads().choices.get(name, Choice())
    role, encoding = state[f"role {name}"] or None, state[f"encoding {name}"] or None
    workspace.decide(name, replace(choice, role=role, encoding=encoding))


def _readings(file: Source, choice: Choice) -> None:
    """Show every reading of a file with its first rows, each one click away, and let the user name the columns."""
    try:
        found = preview.previews(file, choice.role, choice)
    except (kp.InputError, kp.UsageError) as refusal:
        show.error(refusal)
        return
    for place, one in enumerate(found):
        family = one.recognition.family
        st.caption(show.plain(f"{f'{one.of}: ' if one.of else ''}{format_of(family)}: {one.recognition.evidence}"))
        results.table(one.rows, f"reading {file.name} {place}")
        # What is decided about an archive holds for all its files, so no single family is chosen for them.
        wanted = choice if one.of else replace(choice, family=family)
        with st.container(horizontal=True):
            if not one.of:
                st.button(
                    "Read it so",
                    key=f"use {file.name} {place}",
                    on_click=workspace.decide,
                    args=(file.name, wanted),
                    disabled=choice.family == family,
                )
            for option, values in one.options.items():
                _switch(file.name, place, option, values, wanted, one.recognition.options.get(option))
    if not any(one.of for one in found):
        _columns(file, choice, found[0].recognition.columns if found else {})
    if choice != Choice():
        st.button("Guess again", key=f"guess {file.name}", on_click=_forget, args=(file.name,))


def _switch(name: str, place: int, option: str, values: tuple[str, ...], wanted: Choice, taken: str | None) -> None:
    """Draw a switch of a reading: a button for each of a few values, else a list to choose from."""
    key = f"option {name} {place} {option}"
    if len(values) > _BUTTONS:
        now = values.index(taken) if taken in values else None
        st.selectbox(
            _SWITCHES.get(option, option),
            values,
            now,
            width=220,
            key=key,
            on_change=_choose,
            args=(name, wanted, option, key),
        )
        return
    for value in values:
        label = f"{_SWITCHES.get(option, option)}: {'TAB' if value == chr(9) else value}"
        other = replace(wanted, options={**wanted.options, option: value})
        st.button(
            show.plain(label),
            key=f"{key} {value}",
            on_click=workspace.decide,
            args=(name, other),
            disabled=value in (taken, wanted.options.get(option)),
        )


def _choose(name: str, wanted: Choice, option: str, key: str) -> None:
    workspace.decide(name, replace(wanted, options={**wanted.options, option: st.session_state[key]}))


def _forget(name: str) -> None:
    """Take back all that was decided about a file."""
    for key in (f"role {name}", f"encoding {name}", *(f"column {name} {role}" for role in _COLUMNS)):
        st.session_state.pop(key, None)
    workspace.decide(name, Choice())


def _columns(file: Source, choice: Choice, guessed: dict[str, str]) -> None:
    """Let the user say which column is the document, the keyphrase, and so on."""
    names = column_names(file, choice)
    if not names:
        return
    st.caption("What the columns are")
    with st.container(horizontal=True):
        for role, words in _COLUMNS.items():
            now = choice.columns.get(role, guessed.get(role, ""))
            st.selectbox(
                words,
                ["", *names],
                ["", *names].index(now) if now in names else 0,
                width=180,
                format_func=lambda value: value or "–",
                key=f"column {file.name} {role}",
                on_change=_name_column,
                args=(file.name, role),
            )


def _name_column(name: str, role: str) -> None:
    choice = workspace.uploads().choices.get(name, Choice())
    others = {other: column for other, column in choice.columns.items() if other != role}
    column = st.session_state[f"column {name} {role}"]
    workspace.decide(name, replace(choice, columns=others | ({role: column} if column else {})))


def format_of(family: str) -> str:
    """Return the name of a family with what it is."""
    return f"{family} {family_named(family).TITLE}"
