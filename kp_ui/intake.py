"""Take in the user's files: drop zone, samples, templates, how each file is read, fixes of ids, preview of phrases."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.reading import Choice, Source, preview, report
from kp_core.text.normalise import Normaliser
from kp_ui import results, show, workspace

_ROLES = {
    "": "guess",
    "gold": "gold standard",
    "system": "system output",
    "documents": "texts",
    "judgements": "judged pairs",
}
_ENCODINGS = ("", "utf-8", "windows-1252", "iso-8859-15", "windows-1250", "windows-1251", "koi8-r", "gb18030", "big5",
              "shift_jis", "euc-jp", "euc-kr", "utf-16")  # fmt: skip
_TEMPLATES = {"gold.csv": "gold keyphrases", "system.csv": "a system's output", "documents.jsonl": "texts"}


def drop_zone() -> None:
    """Draw the drop zone; files are copied into the session at once, since the widget forgets them on other pages."""
    turn = st.session_state.setdefault("drop_turn", 0)
    st.file_uploader(
        "Drop your files here",
        accept_multiple_files=True,
        key=f"drop_{turn}",
        on_change=_take,
        args=(f"drop_{turn}",),
        help="CSV, TSV, JSON, JSONL, “document TAB phrase;phrase”, .key files or texts in a zip. What each file is, is "
        "recognised by its content; you can correct it below.",
    )


def _take(key: str) -> None:
    dropped = st.session_state.get(key) or []
    if dropped:
        workspace.add([Source(file.name, file.getvalue()) for file in dropped])
        st.session_state["drop_turn"] += 1


def samples() -> None:
    """Offer the sample data sets."""
    st.markdown("**Sample data**, made for demonstration")
    for name, sample in workspace.SAMPLES.items():
        shown = workspace.current().sample == name
        label = f"{sample.title}{' (on screen)' if shown else ''}"
        st.button(label, key=f"sample_{name}", on_click=workspace.open_sample, args=(name,), disabled=shown)


def templates() -> None:
    """Offer small files that show the expected shape."""
    st.markdown("**Examples to start from**")
    with st.container(horizontal=True):
        for name, words in _TEMPLATES.items():
            data = (workspace.SAMPLE_DATA / "templates" / name).read_bytes()
            st.download_button(f"{name}: {words}", data, name, key=f"template_{name}")


def file_choices(own: workspace.Uploads) -> None:
    """Let the user say what each file is and how it is read, or take it away."""
    for file in own.files:
        choice = own.choices.get(file.name, Choice())
        with st.container(border=True):
            name, role, encoding, gone = st.columns([4, 3, 2, 1], vertical_alignment="bottom")
            name.text(f"{file.name}\n{len(file.data):,} bytes")
            role.selectbox("is", list(_ROLES), list(_ROLES).index(choice.role or ""), format_func=_ROLES.get,
                           key=f"role {file.name}", on_change=_decide, args=(file.name,))  # fmt: skip
            encoding.selectbox("encoding", _ENCODINGS, _ENCODINGS.index(choice.encoding or ""), format_func=_or_guess,
                               key=f"encoding {file.name}", on_change=_decide, args=(file.name,))  # fmt: skip
            gone.button("✕", key=f"remove {file.name}", on_click=workspace.remove, args=(file.name,), help="Remove")
            with st.expander("Other ways to read this file"):
                _readings(file, choice)


def _or_guess(value: str) -> str:
    return value or "guess"


def _decide(name: str) -> None:
    state, choice = st.session_state, workspace.uploads().choices.get(name, Choice())
    role, encoding = state[f"role {name}"] or None, state[f"encoding {name}"] or None
    workspace.decide(name, replace(choice, role=role, encoding=encoding))


def _readings(file: Source, choice: Choice) -> None:
    """Show every reading of a file with its first rows, each one click away."""
    try:
        found = preview.previews(file, choice.role, choice)
    except (kp.InputError, kp.UsageError) as problem:
        show.error(problem)
        return
    for place, one in enumerate(found):
        st.caption(show.plain(f"{one.recognition.family}: {one.recognition.evidence}"))
        results.table(one.rows, f"reading {file.name} {place}")
        wanted = replace(choice, family=one.recognition.family)
        st.button("Read it so", key=f"use {file.name} {place}", on_click=workspace.decide, args=(file.name, wanted),
                  disabled=choice.family == one.recognition.family)  # fmt: skip
        for option, values in one.options.items():
            for value in values:
                other = replace(wanted, options={**choice.options, option: value})
                st.button(f"{option}: {value}", key=f"option {file.name} {place} {option} {value}",
                          on_click=workspace.decide, args=(file.name, other),
                          disabled=choice.options.get(option) == value)  # fmt: skip


def gaps(corpus: kp.Corpus, fixes: tuple[str, ...]) -> None:
    """Show which ids only one side has, and offer the fixes that would match them one to one."""
    for name in fixes:
        st.button(f"Undo the fix {name}", key=f"undo {name}", on_click=workspace.fix, args=(name, False))
    missing = report.gaps(corpus)
    missing = missing[missing["only here"] > 0]
    if not len(missing):
        return
    st.markdown("**Documents that only one side has**")
    results.table(missing, "gaps")
    for fix, words, left, right, match, of in report.suggestions(corpus).itertuples(index=False):
        label = show.plain(f"{words}: {match} of {of} ids of {left} and {right} match")
        st.button(label, key=f"fix {fix} {left} {right}", on_click=workspace.fix, args=(fix, True),
                  disabled=workspace.current().sample is not None)  # fmt: skip
    near = report.unmatched(corpus)
    near = near[near["similar"] != ""]
    if len(near):
        with st.expander("Ids that look alike"):
            results.table(near, "near")


def normalisation(corpus: kp.Corpus, normaliser: Normaliser, most: int = 2000) -> None:
    """Show phrases before and after the pipeline, those that change first."""
    search = st.text_input("Search phrases", key="phrase_search").strip().lower()
    phrases = pd.concat([corpus.gold["phrase"], corpus.runs["phrase"]]).drop_duplicates()
    phrases = phrases[phrases.str.lower().str.contains(search, regex=False)].head(most)
    table = pd.DataFrame({"phrase": phrases.to_list(), "compared as": normaliser.apply(phrases.to_list())})
    table["changes"] = (table["phrase"] != table["compared as"]).map({True: "yes", False: ""})
    results.table(table.sort_values("changes", ascending=False, kind="stable"), "normalised")
    if len(phrases) == most:
        st.caption(f"The first {most:,} distinct phrases. Search to see others.")
