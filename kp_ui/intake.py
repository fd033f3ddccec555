"""Take in the user's files: drop zone, samples, templates, how each file is read, names, fixes, preview of phrases."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import kp_core as kp
from kp_core.model import Reading
from kp_core.reading import LIMITS, OTHER_FIXES, Choice, Source, column_names, preview, report
from kp_core.reading.identifiers import without_common
from kp_core.reading.shared import packed
from kp_core.reading.sniff import family_named
from kp_ui import cached, results, sessions, show, workspace

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
#: What a column of a table may be, in words.
_COLUMNS = {
    "doc_id": "document id", "phrase": "keyphrase", "annotator": "annotator", "system": "system", "rank": "rank",
    "score": "score", "text": "text", "title": "title", "group": "document type",
}  # fmt: skip


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
    st.caption(
        f"Gold keyphrases, system outputs and texts, all at once. Up to {LIMITS.file_bytes // 1_000_000} MB a file and "
        f"{LIMITS.documents:,} documents. Files stay in this session's memory and are gone when you close it."
    )
    with st.expander("A whole folder, or the limits"):
        st.file_uploader("A folder of files", accept_multiple_files="directory", key=f"folder_{turn}",
                         on_change=_take_folder, args=(f"folder_{turn}",))  # fmt: skip
        show.plain_table(report.limits(LIMITS), "limits")


def _take(key: str) -> None:
    dropped = sessions.arrived(st.session_state.get(key))
    if dropped:
        workspace.add([Source(file.name, file.getvalue()) for file in dropped])
        sessions.forget(dropped)
        st.session_state["drop_turn"] += 1


def _take_folder(key: str) -> None:
    """Keep a folder as one zip in memory, so that it is listed, read and removed as a whole."""
    dropped = sessions.arrived(st.session_state.get(key))
    if dropped:
        folder = dropped[0].name.split("/")[0] if "/" in dropped[0].name else "folder"
        workspace.add([packed(folder, ((file.name, file.getvalue()) for file in dropped))])
        sessions.forget(dropped)
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
            st.button("Add to your files", key="add_shared", on_click=workspace.add_shared)
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


def file_choices(own: workspace.Uploads, readings: tuple[Reading, ...]) -> None:
    """Let the user say what each file is and how it is read, or take it away."""
    for file in own.files:
        choice = own.choices.get(file.name, Choice())
        found = [one for one in readings if one.file == file.name]
        with st.container(border=True):
            name, role, encoding, gone = st.columns([4, 3, 2, 1], vertical_alignment="bottom")
            read_as = f", read as {_ROLES[found[0].role]}" if len(found) == 1 else ""
            name.text(f"{file.name}\n{len(file.data):,} bytes{read_as}")
            role.selectbox("This file is", list(_ROLES), list(_ROLES).index(choice.role or ""), format_func=_ROLES.get,
                           key=f"role {file.name}", on_change=_decide, args=(file.name,))  # fmt: skip
            encoding.selectbox("Encoding", _ENCODINGS, _ENCODINGS.index(choice.encoding or ""),
                               format_func=lambda value: value or "guess",
                               key=f"encoding {file.name}", on_change=_decide, args=(file.name,))  # fmt: skip
            gone.button("✕", key=f"remove {file.name}", on_click=workspace.remove, args=(file.name,), help="Remove")
            if not workspace.is_archive(file):
                unfold = workspace.problem().startswith(file.name) or bool(choice.columns)
                ways = st.expander("Another way to read this file", unfold, key=f"ways {file.name}", on_change="rerun")
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
        st.caption(show.plain(f"{_title(family)}: {one.recognition.evidence}"))
        results.table(one.rows, f"reading {file.name} {place}")
        wanted = replace(choice, family=family)
        with st.container(horizontal=True):
            st.button("Read it so", key=f"use {file.name} {place}", on_click=workspace.decide,
                      args=(file.name, wanted), disabled=choice.family == family)  # fmt: skip
            for option, values in one.options.items():
                for value in values:
                    other = replace(wanted, options={**choice.options, option: value})
                    label = f"{option}: {'TAB' if value == chr(9) else value}"
                    st.button(show.plain(label), key=f"option {file.name} {place} {option} {value}",
                              on_click=workspace.decide, args=(file.name, other),
                              disabled=choice.options.get(option) == value)  # fmt: skip
    if not found or found[0].recognition.family == "F10":
        _columns(file, choice, found[0].recognition.columns if found else {})
    if choice != Choice():
        st.button("Guess again", key=f"guess {file.name}", on_click=_forget, args=(file.name,))


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
            st.selectbox(words, ["", *names], ["", *names].index(now) if now in names else 0, width=180,
                         format_func=lambda value: value or "–", key=f"column {file.name} {role}",
                         on_change=_name_column, args=(file.name, role))  # fmt: skip


def _name_column(name: str, role: str) -> None:
    choice = workspace.uploads().choices.get(name, Choice())
    others = {other: column for other, column in choice.columns.items() if other != role}
    column = st.session_state[f"column {name} {role}"]
    workspace.decide(name, replace(choice, columns=others | ({role: column} if column else {})))


def _title(family: str) -> str:
    """Return the name of a family with what it is."""
    return f"{family} {family_named(family).TITLE}"


def understood(corpus: kp.Corpus) -> None:
    """Show what was understood of every file; columns that say nothing are left out."""
    table = report.files(corpus)
    table["format"] = [_title(family) for family in table["family"]]
    wanted = ["file", "role", "rows read", "loaded", "rejected", "blank", "format", "evidence", "encoding", "line ends"]
    more = [name for name in ("BOM", "ignored") if table[name].astype(bool).any()]
    results.table(table[[*wanted, *more]], "files")


def statistics(corpus: kp.Corpus) -> None:
    """Show the lists of every annotator and system; counts that are 0 everywhere are left out."""
    st.markdown("**Annotators and systems**")
    table = cached.statistics()
    always = ("role", "source", "documents", "phrases", "shortest", "mean", "longest", "missing", "empty")
    results.table(table[[name for name in table if name in always or table[name].any()]], "statistics")
    show.downloads(table, "load_report", "Annotators and systems")
    if corpus.systems and workspace.current().sample is None:
        _names(corpus.systems)


def _names(systems: list[str]) -> None:
    """Let the user give systems other names."""
    in_files = {shown: name for name, shown in workspace.uploads().names.items()}
    with st.expander("Names of the systems"):
        short = without_common(systems)
        if short != systems:
            wanted = {in_files.get(name, name): new for name, new in zip(systems, short, strict=True)}
            label = f"Shorten to {', '.join(short[:5])}{' …' if len(short) > 5 else ''}"
            st.button(show.plain(label), key="shorten", on_click=workspace.rename, args=(wanted,))
        for name in systems:
            key = f"name {name}"
            st.text_input(show.plain(name), name, key=key, on_change=_rename, args=(in_files.get(name, name), key))


def _rename(name: str, key: str) -> None:
    workspace.rename({name: st.session_state[key]})


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


def normalisation(most: int = 2000) -> None:
    """Show phrases before and after the pipeline, those that change first."""
    table = cached.normalised()
    search = st.text_input("Search phrases", key="phrase_search").strip().lower()
    found = table[table["phrase"].str.lower().str.contains(search, regex=False)]
    results.table(found.head(most), "normalised")
    if len(found) > most:
        st.caption(f"The first {most:,} of {len(found):,} distinct phrases. Search to see others.")
