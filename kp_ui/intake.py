"""Take in the user's files: drop zone, samples, shared data, templates, how each file is read, what its columns are."""

import hashlib
from dataclasses import replace
from typing import Any, cast

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.corpus import Reading
from kp_core.reading import LIMITS, OTHER_FIXES, Choice, Source, findings, preview, report
from kp_core.reading.decode import ENCODINGS
from kp_core.reading.families import family_named, tables
from kp_core.reading.fields import in_words
from kp_core.reading.preview import first_rows, understand, with_parts
from kp_core.reading.separators import SEPARATORS
from kp_core.reading.shared import packed, shared_names
from kp_core.reading.uploads import Uploads, is_archive
from kp_ui import cached, controls, link, prose, results, saving, show, workspace

#: What a file may be, in words.
ROLES = prose.entries("roles")
#: What a row is that was read.
_ROWS = {"gold": "phrase", "system": "phrase", "documents": "text", "judgements": "score"}
_FIRST = ("utf-8", "windows-1252")
_ENCODINGS = {"": "found by itself"} | {name: name for name in (*_FIRST, *ENCODINGS)}
_TEMPLATES = prose.entries("templates")
#: The switches of the formats, where their names say too little.
_SWITCHES = prose.entries("switches")
#: So many values of a switch stand as buttons side by side; more become a list.
_BUTTONS = 4
#: So many files are seen at once; more scroll.
_SEEN = 4
#: So many rows are offered as the head.
_HEADS = 10
_PARTS = prose.entries("columns_of_files")


def arrival() -> None:
    """Take files in, say what became of them, and lead on; samples and templates stand beside."""
    if lost := workspace.lost_files():
        st.info(prose.text("recovery.lost", files=show.counted(lost, "file")))
    left, right = st.columns([3, 2], gap="large")
    with left:
        _drop_zone()
        _next_step()
        _templates()
    with right:
        _samples()
        _shared()
    _problem(workspace.problem())


def _drop_zone() -> None:
    controls.upload("Drop your files here", "drop", saving.take)
    with st.expander("A whole folder, saved work, or the limits"):
        show.about("data.drop", megabytes=controls.megabytes(), documents=LIMITS.documents)
        controls.upload("A folder of files", "folder", _take_folder, "directory")
        show.plain_table(report.limits(LIMITS), "limits")


def _take_folder(files: list[Source]) -> None:
    """Keep a folder as one zip in memory, so that it is listed, read and removed as a whole."""
    folder, slash, _ = files[0].name.partition("/")
    workspace.add([packed(folder if slash else "folder", ((file.name, file.data) for file in files))])


def _next_step() -> None:
    here = workspace.current()
    corpus = here.corpus
    ways = (
        ("overview", "See which system is better", len(corpus.gold) and corpus.systems),
        ("annotators", "See how far the annotators agree", len(corpus.annotators) > 1 and not corpus.systems),
        ("correlation", "See which measure agrees with the people who judged pairs", len(corpus.judgements)),
    )
    if here.sample is not None or workspace.problem() or not any(there for _, _, there in ways):
        return
    apart = findings(corpus)
    for finding in apart:
        words = show.plain(f"{finding.where}: {finding.found}, where {finding.expected} is needed.")
        (st.error if finding.level == "stop" else st.warning)(words)
        for answer in finding.answers:
            label, key = show.plain(str(answer)), f"mend {finding.where} {answer.words}"
            controls.button(label, key, workspace.answer, answer)
    if any(finding.level == "stop" for finding in apart):
        return
    st.success("These data are on screen. How each file was read is said below.")
    for page, label, there in ways:
        if there:
            link.to(page, label, icon=":material/arrow_forward:")


def _samples() -> None:
    st.markdown("**Sample data**, made for demonstration")
    for name, sample in workspace.SAMPLES.items():
        shown = workspace.current().sample == name
        label = f"{sample.title}{' (on screen)' if shown else ''}"
        controls.button(label, f"sample_{name}", workspace.open_sample, name, disabled=shown)


def _shared() -> None:
    root, names = workspace.shared_folder(), list[str]()
    with show.refusals():
        names = shared_names(root) if root else []
    if names:
        st.markdown("**Shared data sets** of this server")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Data set", names, key="shared", label_visibility="collapsed")
            controls.button("Add to your files", "add_shared", saving.take_shared)
        st.caption("Add your own files too: the output of your system is then scored on the shared data.")


def _templates() -> None:
    with st.popover("Examples of files, to start from", icon=":material/table:"):
        for name, words in _TEMPLATES.items():
            path = workspace.SAMPLE_DATA / name
            frame = pd.read_json(path, lines=True) if path.suffix == ".jsonl" else pd.read_csv(path, dtype="str")
            st.markdown(words)
            with st.container(horizontal=True):
                for ending, data in (("csv", frame.to_csv(index=False)), ("xlsx", typeset.xlsx({"Sheet1": frame}))):
                    file = f"{path.stem}.{ending}"
                    show.file(file, data, file, f"template_{file}", icon=None)


def _problem(words: str) -> None:
    if not words:
        return
    if (question := workspace.question()) is not None:
        _ask(question)
        return
    st.error(f"Not loaded: {show.plain(words)}")
    st.caption("What was on screen before is still there. Change below how a file is read, or remove it.")
    if "keep-first" in words:
        with st.container(horizontal=True):
            for fix in ("keep-first", "merge"):
                label = f"{OTHER_FIXES[fix][:1].upper()}{OTHER_FIXES[fix][1:]}"
                controls.button(label, f"fix {fix}", workspace.fix, fix, True)


def _ask(question: kp.Question) -> None:
    """Let the user say which of several readings is meant; each shows what would come of it."""
    finding = question.finding
    words = show.plain(f"{finding.where}: expected {finding.expected}, found {finding.found}.")
    st.warning(f"**One question before these files can be read.** {words}")
    files = {file.name: file for file in workspace.uploads().files}
    for number, answer in enumerate(question.answers):
        with st.container(border=True):
            said, use = st.columns([5, 1], vertical_alignment="center")
            said.text(str(answer))
            controls.button("It is this", f"answer {number}", workspace.answer, answer, inside=use)
            for name, choice in answer.choices.items():
                if name in files and choice.use != "no":
                    _as_read(files[name], choice, f"answer {number} {name}")


def file_choices(own: Uploads, readings: tuple[Reading, ...]) -> None:
    """Let the user say what each file is and how it is read, or take it away."""
    place = st.container(height=520 if len(own.files) > _SEEN else "content", border=False)
    for file in own.files:
        choice = own.choices.get(file.name, Choice())
        read = [reading for reading in readings if reading.file == file.name]
        with place, st.container(border=True):
            name, role, encoding, gone = st.columns([4, 3, 2, 1], vertical_alignment="bottom")
            said = list(map(_understood, read)) or [f"{len(file.data):,} bytes"]  # files of an archive are told below
            name.text("\n".join([file.name, *said]))
            for column, field, label, words, now in (
                (role, "role", "What it is", ROLES, choice.role),
                (encoding, "encoding", "Encoding", _ENCODINGS, choice.encoding),
            ):
                with column:
                    key = f"{field} {file.name}"
                    more = {"on_change": _settle, "args": (file.name, key, field)}
                    controls.of_file(label, words, now or "", key, None, **more)
            controls.button("✕", f"remove {file.name}", workspace.remove, file.name, inside=gone, help="Remove")
            for evidence in dict.fromkeys(reading.evidence for reading in read):
                show.small(in_words(evidence))
            unfold = workspace.problem().startswith(file.name) or bool(choice.columns)
            label = "How the files inside are read" if is_archive(file) else "Another way to read this file"
            ways = st.expander(label, unfold, key=f"ways {file.name}", on_change="rerun")
            if ways.open:  # every reading is tried, which takes a while for a large file
                with ways:
                    _readings(file, choice)


def _understood(reading: Reading) -> str:
    """Say in one line what a file was read as, and how much of it."""
    loaded = show.counted(reading.rows_loaded, _ROWS[reading.role])
    rejected = f", {show.counted(reading.rows_rejected, 'row')} rejected" if reading.rows_rejected else ""
    return f"{ROLES[reading.role]}: {loaded}{rejected}"


def _settle(name: str, key: str, field: str) -> None:
    """Read a file with what was chosen for it; empty: what is found by itself."""
    chosen: dict[str, Any] = {field: st.session_state[key] or None}
    workspace.decide(name, replace(workspace.uploads().choices.get(name, Choice()), **chosen))


def _readings(file: Source, choice: Choice) -> None:
    """Show every reading of a file with its first rows, each one click away, and let the user name the columns."""
    readings: list[preview.Preview] = []
    with show.refusals():
        readings = preview.previews(file, choice.role, choice)
    for place, reading in enumerate(readings):
        family, evidence = reading.recognition.family, reading.recognition.evidence
        show.small(f"{f'{reading.of}: ' if reading.of else ''}{format_of(family)}: {in_words(evidence)}")
        if family == tables.NAME and not reading.of and len(readings) == 1:
            continue  # its parts and first rows stand below
        results.table(reading.rows, f"reading {file.name} {place}")
        # What is decided about an archive holds for all its files, so no single family is chosen for them.
        wanted = choice if reading.of else replace(choice, family=family)
        with st.container(horizontal=True):
            if not reading.of:
                key, holds = f"use {file.name} {place}", choice.family == family
                controls.button("Read it so", key, workspace.decide, file.name, wanted, disabled=holds)
            for option, values in reading.options.items():
                now = reading.recognition.options.get(option)
                _switch(file, f"option {file.name} {place} {option}", option, values, wanted, now)
    if not any(reading.of for reading in readings):
        _columns(file)
    if choice != Choice():
        controls.button("Read it by itself again", f"guess {file.name}", _forget, file.name)


def _switch(file: Source, key: str, option: str, values: tuple[str, ...], wanted: Choice, now: str | None) -> None:
    """Draw a switch of a reading: a button for each of a few values, else a list to choose from."""
    words = _SWITCHES.get(option, option)

    def switched(value: str) -> Choice:
        return replace(wanted, options={**wanted.options, option: value})

    def take() -> None:
        workspace.decide(file.name, switched(st.session_state[key]))

    if len(values) > _BUTTONS:
        every = {value: value for value in values}
        controls.of_file(words, every, now or "", key, None, on_change=take, width=220)
        return
    for value in values:
        label = show.plain(f"{words}: {'TAB' if value == chr(9) else value}")
        holds = value in (now, wanted.options.get(option))
        controls.button(label, f"{key} {value}", workspace.decide, file.name, switched(value), disabled=holds)


def _forget(name: str) -> None:
    """Take back all that was decided about a file."""
    for key in (f"role {name}", f"encoding {name}", f"mapping {name}"):
        st.session_state.pop(key, None)
    workspace.decide(name, Choice())


def format_of(family: str) -> str:
    """Return what a format is called."""
    return str(family_named(family).TITLE)


def _columns(file: Source) -> None:
    """Draw the first rows of a table with a part for each column, and what would be read; nothing is loaded yet."""
    key = f"mapping {file.name}"
    draft = cast(Choice, st.session_state.get(key, workspace.uploads().choices.get(file.name, Choice())))
    rows = cached.of((file, draft), _digest(file, draft), first_rows)
    if rows is None:
        return
    draft = replace(draft, options=_of_whole(file, dict(draft.options), rows))
    words, shown = {"": "–", **_PARTS}, dict[str, str]()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for number, name in enumerate(rows.heads, 1):
            label, part = f"{number} {show.plain(name)}", f"part {file.name} {number} {name}"
            shown[name] = controls.of_file(label, words, rows.parts.get(name, ""), part, width=170)
    if any(part != rows.parts.get(name, "") for name, part in shown.items()):
        draft = with_parts(draft, shown)  # the first word said holds all the others as they are shown
    st.session_state[key] = draft
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**The first rows, as they are**")
        table = pd.DataFrame(rows.rows, index=rows.lines, columns=[str(n) for n in range(1, len(rows.heads) + 1)])
        st.dataframe(table, key=f"rows {file.name}", height=340)
    with right:
        st.markdown("**As they would be read**")
        _as_read(file, draft, file.name)
    if st.button("Use this reading", key=f"use reading {file.name}", type="primary"):
        del st.session_state[key]
        workspace.decide(file.name, draft)
        st.rerun()


def _of_whole(file: Source, options: dict[str, str], rows: preview.FirstRows) -> dict[str, str]:
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


def _digest(file: Source, draft: Choice) -> str:
    return hashlib.sha256(repr((file.name, draft)).encode() + file.data).hexdigest()


def _as_read(file: Source, draft: Choice, key: str) -> None:
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
