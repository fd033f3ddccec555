"""Let the user say what a file contains, in a form with one line per column, next to a preview."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import streamlit as st

from kp_core.reading import Form, Mapping, Source, form_for, preview_file
from kp_core.reading.lists.sniff import title_of
from kp_core.reading.meaning.mapping import FILE, HEADS, MARKS, ROW, SHEET, each_is, meanings_of, with_meanings
from kp_core.reading.open.decode import ENCODINGS
from kp_ui.state import cached, link, workspace
from kp_ui.state.separate_process import in_separate_process
from kp_ui.widgets import controls, prose, show, tables

ROLES = prose.entries("roles")
_MEANINGS = prose.entries("columns_of_files")
_SWITCHES = prose.entries("switches")
_EACH, _INNER, _BETTER = prose.entries("each"), prose.entries("inner"), prose.entries("better")
_ROWS = {name: _EACH[name] for name in ("", "annotator")}
_SPLITS = {"": "auto-detected", "none": "not at all", **{name: name for name in MARKS}} | prose.entries("splits")
_LINE_SPLITS = {"": "auto-detected", **{name: name for name in MARKS if name != "lines"}}
#: Cells with lists whose items may contain more than a keyphrase, such as a score.
_LISTED = re.compile(r"\[|.*[(:=] ?[0-9.,]+ ?%?\)?(?:;|$)")
_ENCODINGS = {"": "auto-detected", **{name: name for name in ("utf-8", "windows-1252", "macintosh", *ENCODINGS)}}
_OPENING = ("header", "sheet", "encoding", "format", "delimiter")
#: Meaning of the first of several adjacent columns of keyphrases; the others have no line in the form.
_ONWARD = "onward"
#: Maximum number of lines; if there are more columns, those without a meaning are collapsed.
_LINES = 8
#: Key in the session state of: the file whose form the user last opened or closed, and whether it is open.
_OPENED = "form opened"


def is_open(name: str) -> bool:
    """Return whether the form of a file is open, because the user opened it or the file could not be read."""
    session = workspace.session()
    refused = not (session.forms or session.findings) and session.problem.startswith((f"{name}:", f"{name},"))
    opened, is_opened = st.session_state.get(_OPENED, ("", False))
    return bool(is_opened) if opened == name else refused


def turn(name: str) -> None:
    """Open the form of a file if it is closed; else close it."""
    st.session_state[_OPENED] = name, not is_open(name)


def panel(name: str, form: Form | None = None, others: Sequence[str] = ()) -> None:
    """Draw the form of a file. form: the question to answer, if any; others: files with the same columns, read alike"""
    if (source := workspace.session().uploads.file(name)) is None:
        return
    with st.container(border=True, key=f"form {name}"), show.refusals():
        st.markdown(f"**{show.plain(name)}**")
        if others:
            show.small(f"Your choices also apply to these files, which have the same columns: {', '.join(others)}.")
        if form:
            show.small(form.reason)
        form = _opened(name, source, form or _form(source, workspace.session().uploads.mappings.get(name, Mapping())))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            mapping = _columns(name, form) if form.columns else _settings(name, form)
        with right:
            _result(source, name, mapping)


def _form(source: Source, mapping: Mapping) -> Form:
    return cast(Form, cached.call((form_for, source, mapping), f"form {digest(source, mapping)}", in_separate_process))


def digest(source: Source, mapping: Mapping) -> str:
    """Return a digest of a file and its mapping."""
    return hashlib.sha256(f"{source.name} {mapping}".encode() + source.data).hexdigest()


def _opened(name: str, source: Source, form: Form) -> Form:
    old, proposed = form.mapping, form.mapping.format or next(iter(form.formats), "")
    chosen = initial = {field: getattr(old, field) for field in _OPENING}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        roles: dict[str, Any] = {"default": old.role or None, "format_func": ROLES.__getitem__, "key": f"role {name}"}
        role = cast(Any, st.segmented_control("This file is", list(ROLES), **roles) or old.role)
        if len(form.formats) > 1:
            formats = {old.format: title_of(proposed)} | {f: title_of(f) for f in form.formats if f != proposed}
            chosen = chosen | {"format": controls.choice("Format", formats, old.format, f"format {name}", width=360)}
        if len(form.sheets) > 1:
            sheets = st.multiselect("Sheets", form.sheets, old.sheet or form.sheets, key=f"sheets {name}")
            chosen = chosen | {"sheet": tuple(sheets) if old.sheet or len(sheets) < len(form.sheets) else ()}
        if (chosen["format"] or proposed) == "F10":
            headed = st.toggle("The first row contains the column names", old.header != "no", key=f"header {name}")
            chosen = chosen | {"header": ("yes" if old.header == "no" else old.header) if headed else "no"}
        is_guessed = b"\0" not in source.data and source.data != source.data.decode("utf-8", "ignore").encode()
        if old.encoding or is_guessed:
            encoding = controls.choice("Encoding", _ENCODINGS, old.encoding, f"encoding {name}", width=200)
            chosen = chosen | {"encoding": encoding}
    if chosen != initial:
        form = _form(source, replace(Mapping(role), **chosen))
    return replace(form, mapping=replace(form.mapping, role=role or form.mapping.role))


def _columns(name: str, form: Form) -> Mapping:
    fields, meanings = dict.fromkeys(form.columns, ""), meanings_of(form.mapping)
    visible = [head for head in fields if len(fields) <= _LINES or meanings.get(head)]
    _lines(name, form, visible, meanings, fields)
    if collapsed := [head for head in fields if head not in visible and not fields[head]]:
        names = f"{', '.join(collapsed[:_LINES])}{' …' * (len(collapsed) > _LINES)}"
        label = show.pluralize(len(collapsed), "more column is not read", "more columns are not read")
        is_expanded = not {"keyphrases", "gold", "text", "title"} & {*fields.values()}
        kwargs: dict[str, Any] = {"key": f"rest {name}", "on_change": link.deferred(link.mark_user_action)}
        with st.expander(f"{label}: {show.plain(names)}", is_expanded, **kwargs):
            _lines(name, form, collapsed, {}, fields)
    return _table_settings(name, form, fields)


def _lines(name: str, form: Form, heads: Sequence[str], meanings: dict[str, str], fields: dict[str, str]) -> None:
    """Draw a line per column, and store its field in `fields`; adjacent columns of keyphrases may have one line."""
    for head in (head for head in heads if not fields[head]):
        left, right = st.columns([5, 2], vertical_alignment="center")
        left.markdown(f"**{show.plain(head)}**  \n:small[{show.plain(' · '.join(form.columns[head]))}]")
        usual = meanings.get(head, "")
        key, label = f"{name} {head} {form.mapping.header} {form.mapping.sheet} {usual}", f"{show.plain(head)} holds"
        with right:
            fields[head] = controls.choice(label, _MEANINGS, usual, f"means {key}", label_visibility="collapsed")
            if fields[head] == _ONWARD:
                onward = list(fields)[list(fields).index(head) :]
                last = controls.choice("Up to", {other: other for other in onward}, onward[-1], f"last {key}")
                fields |= dict.fromkeys(onward[: onward.index(last) + 1], "keyphrases")
                meanings = {other: field for other, field in meanings.items() if field != "keyphrases"}


def _table_settings(name: str, form: Form, fields: dict[str, str]) -> Mapping:
    mapping, meanings = form.mapping, list(fields.values())
    list_columns = [head for head, field in fields.items() if field in ("keyphrases", "gold")]
    is_wide = max(len(list_columns), meanings.count("score"), meanings.count("marks") if list_columns else 0) > 1
    has_keyphrases = (list_columns or "marks" in meanings) and mapping.role != "judgements"
    listed = any(_LISTED.match(cell) for head in list_columns for cell in form.columns[head])
    indices, changes = dict[str, str](), dict[str, Any]()

    def choose(label: str, words: dict[str, str], usual: str, key: str) -> str:
        return controls.choice(label, words, usual, f"{key} {name}", width=190)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if is_wide:
            start = each_is(mapping, HEADS) or ("annotator" if "marks" in meanings else "")
            indices[HEADS] = choose("Each of the columns is", _EACH, start, "each column")
        if indices.get(HEADS) == "document" and "marks" not in meanings and "annotator" not in meanings:
            indices[ROW] = choose("Each row is", _ROWS, "annotator" if mapping.annotator == ROW else "", "each row")
        if has_keyphrases and len(mapping.sheet or form.sheets) > 1:
            indices[SHEET] = choose("Each sheet is", _EACH, each_is(mapping, SHEET), "each sheet")
        if has_keyphrases and "document" not in (*meanings, *indices.values()):
            words = {ROW: "each row", FILE: "the whole file"}
            indices[choose("A document is", words, mapping.document, "document")] = "document"
        if has_keyphrases and list_columns:  # marks have no lists
            changes["split"] = choose("Cells are split at", _SPLITS, mapping.split, "split")
        if has_keyphrases and (mapping.inner or listed):
            changes["inner"] = choose("Each item is", _INNER, mapping.inner, "inner")
        if "score" in meanings and mapping.role == "system":
            chosen = choose("A higher score", _BETTER, str(mapping.higher_is_better), "better")
            changes["higher_is_better"] = {"True": True, "False": False}.get(chosen)
        if "system" in meanings:
            column = next(head for head, field in fields.items() if field == "system")
            names = list(dict.fromkeys((*mapping.gold, *form.columns[column])))
            gold: dict[str, Any] = {"default": mapping.gold, "key": f"gold {name}", "placeholder": "none of them"}
            changes["gold"] = tuple(st.multiselect("The gold standard is", names, **gold))
    return with_meanings(replace(mapping, **changes), fields, indices)


def _settings(name: str, form: Form) -> Mapping:
    mapping, chosen = form.mapping, dict[str, Any]()
    for option, values in form.switches.items():
        words = {"": "auto-detected", **{value: {"\t": "TAB"}.get(value, value) for value in values}}
        label, current = _SWITCHES.get(option, option), getattr(mapping, option)
        chosen[option] = controls.choice(label, words, current, f"{option} {name}", width=260)
    if {"lines", "separator"} & form.switches.keys() and mapping.role != "documents":
        chosen["split"] = controls.choice("Lists are split at", _LINE_SPLITS, mapping.split, f"split {name}", width=260)
    return replace(mapping, **chosen)


def _result(source: Source, name: str, mapping: Mapping) -> None:
    st.markdown("**Preview**")
    reading = cached.call((preview_file, source, mapping), f"read {digest(source, mapping)}", in_separate_process)
    if reading.problem:
        st.warning(show.plain(reading.problem))
    else:
        st.text(" · ".join(show.pluralize(size, noun) for noun, size in reading.counts.items()))
        tables.table(reading.documents, f"documents {name}", row_height=28)
        if len(reading.rejected):
            st.caption(f"{show.pluralize(len(reading.rejected), 'row')} would be rejected; the first ones are:")
            tables.table(reading.rejected.head(3), f"would be rejected {name}")
    with st.container(horizontal=True):
        controls.button("Use this", f"use {name}", _use, name, mapping, type="primary", disabled=bool(reading.problem))
        controls.button("Leave the file out", f"leave {name}", _use, name, Mapping("leave out"))
        if name in workspace.session().uploads.mappings:
            controls.button("Detect automatically", f"undo {name}", _use, name, Mapping(), type="tertiary")
    if mapping != Mapping():
        show.small("On the command line:")
        st.code(mapping.option(name), language=None, wrap_lines=True)


def _use(name: str, mapping: Mapping) -> None:
    for key in [key for key in st.session_state if str(key).partition(" ")[2].startswith(name)]:
        st.session_state.pop(key)
    st.session_state.pop(_OPENED, None)
    workspace.decide(name, mapping)
