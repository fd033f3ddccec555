"""Take in the user's files: drop zone, samples, shared data, templates, and how each file is read."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.corpus import Reading
from kp_core.reading import LIMITS, OTHER_FIXES, Choice, Source, findings, preview, report
from kp_core.reading.decode import ENCODINGS
from kp_core.reading.families import family_named
from kp_core.reading.fields import in_words
from kp_core.reading.shared import packed, shared_names
from kp_core.takeaway.workspace_file import Uploads, is_archive
from kp_ui import controls, link, mapping, prose, results, saving, show, workspace

#: What a file may be, in words.
ROLES = prose.entries("roles")
_FIRST = ("utf-8", "windows-1252")
_ENCODINGS = {"": "found by itself"} | {name: name for name in (*_FIRST, *ENCODINGS)}
_TEMPLATES = prose.entries("templates")
#: The switches of the formats, where their names say too little.
_SWITCHES = prose.entries("switches")
#: So many values of a switch stand as buttons side by side; more become a list.
_BUTTONS = 4
#: So many files are seen at once; more scroll.
_SEEN = 4
_SYSTEMS = ("overview", "See which system is better")
_PEOPLE = ("annotators", "See how far the annotators agree")
_RATERS = ("correlation", "See which measure agrees with the people who judged pairs")


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
        st.caption(prose.text("data.drop", megabytes=controls.megabytes(), documents=LIMITS.documents))
        controls.upload("A folder of files", "folder", _take_folder, "directory")
        show.plain_table(report.limits(LIMITS), "limits")


def _take_folder(files: list[Source]) -> None:
    """Keep a folder as one zip in memory, so that it is listed, read and removed as a whole."""
    folder, slash, _ = files[0].name.partition("/")
    workspace.add([packed(folder if slash else "folder", ((file.name, file.data) for file in files))])


def _next_step() -> None:
    here = workspace.current()
    corpus = here.corpus
    ways = {
        _SYSTEMS: len(corpus.gold) and corpus.systems,
        _PEOPLE: len(corpus.annotators) > 1 and not corpus.systems,
        _RATERS: len(corpus.judgements),
    }
    if here.sample is not None or workspace.problem() or not any(ways.values()):
        return
    apart = findings(corpus)
    for finding in apart:
        words = show.plain(f"{finding.where}: {finding.found}, where {finding.expected} is needed.")
        (st.error if finding.level == "stop" else st.warning)(words)
        for answer in finding.answers:
            label, key = show.plain(str(answer)), f"mend {finding.where} {answer.words}"
            st.button(label, key=key, on_click=workspace.answer, args=(answer,))
    if any(finding.level == "stop" for finding in apart):
        return
    st.success("These data are on screen. How each file was read is said below.")
    for (page, label), there in ways.items():
        if there:
            link.to(page, label, icon=":material/arrow_forward:")


def _samples() -> None:
    st.markdown("**Sample data**, made for demonstration")
    for name, sample in workspace.SAMPLES.items():
        shown = workspace.current().sample == name
        label = f"{sample.title}{' (on screen)' if shown else ''}"
        st.button(label, key=f"sample_{name}", on_click=workspace.open_sample, args=(name,), disabled=shown)


def _shared() -> None:
    root, names = workspace.shared_folder(), list[str]()
    with show.refusals():
        names = shared_names(root) if root else []
    if names:
        st.markdown("**Shared data sets** of this server")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Data set", names, key="shared", label_visibility="collapsed")
            st.button("Add to your files", key="add_shared", on_click=saving.take_shared)
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
                    st.download_button(file, data, file, key=f"template_{file}", on_click="ignore")


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
                st.button(label, key=f"fix {fix}", on_click=workspace.fix, args=(fix, True))


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
            use.button("It is this", key=f"answer {number}", on_click=workspace.answer, args=(answer,))
            for name, choice in answer.choices.items():
                if name in files and choice.use != "no":
                    mapping.preview(files[name], choice, f"answer {number} {name}")


def file_choices(own: Uploads, readings: tuple[Reading, ...]) -> None:
    """Let the user say what each file is and how it is read, or take it away."""
    place = st.container(height=520 if len(own.files) > _SEEN else "content", border=False)
    for file in own.files:
        choice = own.choices.get(file.name, Choice())
        read = [reading for reading in readings if reading.file == file.name]
        with place, st.container(border=True):
            name, role, encoding, gone = st.columns([4, 3, 2, 1], vertical_alignment="bottom")
            read_as = f", read as {ROLES[read[0].role]}" if len(read) == 1 else ""
            name.text(f"{file.name}\n{len(file.data):,} bytes{read_as}")
            with role:
                _decide(file, "What it is", f"role {file.name}", ROLES, choice.role or "", _settled("role"))
            with encoding:
                now = choice.encoding or ""
                _decide(file, "Encoding", f"encoding {file.name}", _ENCODINGS, now, _settled("encoding"))
            gone.button("✕", key=f"remove {file.name}", on_click=workspace.remove, args=(file.name,), help="Remove")
            unfold = workspace.problem().startswith(file.name) or bool(choice.columns)
            label = "How the files inside are read" if is_archive(file) else "Another way to read this file"
            ways = st.expander(label, unfold, key=f"ways {file.name}", on_change="rerun")
            if ways.open:  # every reading is tried, which takes a while for a large file
                with ways:
                    _readings(file, choice)


def _decide(
    file: Source,
    label: str,
    key: str,
    words: Mapping[str, str],
    now: str | None,
    decided: Callable[[Choice, str], Choice],
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """Let the user choose what holds for a file.

    words: of every option; decided: the choice with this too
    """

    def take() -> None:
        choice = workspace.uploads().choices.get(file.name, Choice())
        workspace.decide(file.name, decided(choice, st.session_state[key]))

    options = list(words)
    place = options.index(now) if now is not None and now in words else None
    st.selectbox(label, options, place, words.__getitem__, key=key, on_change=take, width=width)


def _settled(field: str) -> Callable[[Choice, str], Choice]:
    def settled(choice: Choice, value: str) -> Choice:
        of_field: dict[str, Any] = {field: value or None}
        return replace(choice, **of_field)

    return settled


def _readings(file: Source, choice: Choice) -> None:
    """Show every reading of a file with its first rows, each one click away, and let the user name the columns."""
    readings: list[preview.Preview] = []
    with show.refusals():
        readings = preview.previews(file, choice.role, choice)
    for place, reading in enumerate(readings):
        family, evidence = reading.recognition.family, reading.recognition.evidence
        st.caption(show.plain(f"{f'{reading.of}: ' if reading.of else ''}{format_of(family)}: {in_words(evidence)}"))
        if family == mapping.TABLES and not reading.of and len(readings) == 1:
            continue  # its parts and first rows stand below
        results.table(reading.rows, f"reading {file.name} {place}")
        # What is decided about an archive holds for all its files, so no single family is chosen for them.
        wanted = choice if reading.of else replace(choice, family=family)
        with st.container(horizontal=True):
            if not reading.of:
                _button(file, "Read it so", f"use {file.name} {place}", wanted, choice.family == family)
            for option, values in reading.options.items():
                now = reading.recognition.options.get(option)
                _switch(file, f"option {file.name} {place} {option}", option, values, wanted, now)
    if not any(reading.of for reading in readings):
        mapping.panel(file)
    if choice != Choice():
        st.button("Read it by itself again", key=f"guess {file.name}", on_click=_forget, args=(file.name,))


def _button(file: Source, label: str, key: str, wanted: Choice, holds: bool) -> None:
    st.button(label, key=key, on_click=workspace.decide, args=(file.name, wanted), disabled=holds)


def _switch(file: Source, key: str, option: str, values: tuple[str, ...], wanted: Choice, now: str | None) -> None:
    """Draw a switch of a reading: a button for each of a few values, else a list to choose from."""
    words = _SWITCHES.get(option, option)

    def switched(_: Choice, value: str) -> Choice:
        return replace(wanted, options={**wanted.options, option: value})

    if len(values) > _BUTTONS:
        _decide(file, words, key, {value: value for value in values}, now, switched, width=220)
        return
    for value in values:
        label = show.plain(f"{words}: {'TAB' if value == chr(9) else value}")
        holds = value in (now, wanted.options.get(option))
        _button(file, label, f"{key} {value}", switched(wanted, value), holds)


def _forget(name: str) -> None:
    """Take back all that was decided about a file."""
    for key in (f"role {name}", f"encoding {name}", f"mapping {name}"):
        st.session_state.pop(key, None)
    workspace.decide(name, Choice())


def format_of(family: str) -> str:
    """Return what a format is called."""
    return str(family_named(family).TITLE)
