"""Let the user define the meaning of a file in a form with one line per column, next to a preview."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import streamlit as st

from kp_core.reading import Form, Mapping, Source, form_for, understand
from kp_core.reading.lists.family import title_of
from kp_core.reading.meaning.mapping import FILE, HEADS, MARKS, ROW, SHEET, each_is, meanings_of, with_meanings
from kp_core.reading.open.decode import ENCODINGS
from kp_ui.state import cached, link, workspace
from kp_ui.state.apart import apart
from kp_ui.widgets import controls, prose, show, tables

#: Roles of files, meanings of columns, and settings of formats, in words.
ROLES = prose.entries("roles")
_MEANINGS = prose.entries("columns_of_files")
_SWITCHES = prose.entries("switches")
_EACH, _INNER, _BETTER = prose.entries("each"), prose.entries("inner"), prose.entries("better")
_ROWS = {name: _EACH[name] for name in ("", "annotator")}
_DOCUMENTS = {ROW: "each row", FILE: "the whole file"}
_SPLITS = {"": "found by KPScope", "none": "not at all", **{name: name for name in MARKS}} | prose.entries("splits")
#: Cells with lists whose items may be more than a keyphrase.
_LISTED = re.compile(r"\[|.*[(:=] ?[0-9.,]+ ?%?\)?(?:;|$)")
_ENCODINGS = {"": "found by KPScope", **{name: name for name in ("utf-8", "windows-1252", "macintosh", *ENCODINGS)}}
#: The fields of a mapping that define how a file is opened.
_OPENING = ("header", "sheet", "encoding", "format", "delimiter")
#: Meaning of the first of several columns of keyphrases; the columns after it have no line in the form.
_ONWARD = "onward"
#: Maximum number of visible lines; beyond it, columns without a meaning are collapsed.
_LINES = 8
#: The file whose form was opened or closed by the user, and whether it is open.
_OPENED = "form opened"


def is_open(name: str) -> bool:
    """Return whether the form of a file is open: opened by the user, or because the file could not be read."""
    session = workspace.session()
    refused = not (session.forms or session.findings) and session.problem.startswith((f"{name}:", f"{name},"))
    opened, now = st.session_state.get(_OPENED, ("", False))
    return bool(now) if opened == name else refused


def turn(name: str) -> None:
    """Open the form of a file, or close it."""
    st.session_state[_OPENED] = name, not is_open(name)


def panel(source: Source, name: str, form: Form | None = None, others: Sequence[str] = ()) -> None:
    """Draw the form of a file.

    name    the name of the file in mappings, with its path in an archive
    form    the open question; None if the user wants to change how the file is read
    others  files with the same columns, which get the same meaning
    """
    with st.container(border=True, key=f"form {name}"), show.refusals():
        st.markdown(f"**{show.plain(name)}**")
        if others:
            show.small(f"The same for files with the same columns: {', '.join(others)}.")
        if form:
            show.small(form.reason)
        form = _opened(name, source, form or _form(source, workspace.session().uploads.mappings.get(name, Mapping())))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            mapping = _columns(name, form) if form.columns else _settings(name, form)
        with right:
            _result(source, name, mapping)


def _form(source: Source, mapping: Mapping) -> Form:
    return cast(Form, cached.of((form_for, source, mapping), f"form {digest(source, mapping)}", apart))


def digest(source: Source, mapping: Mapping) -> str:
    """Return a digest of a file and its mapping."""
    return hashlib.sha256(f"{source.name} {mapping}".encode() + source.data).hexdigest()


def _opened(name: str, source: Source, form: Form) -> Form:
    """Let the user choose role, format, sheets, row of column names, and encoding."""
    now = form.mapping
    how = fields = {field: getattr(now, field) for field in _OPENING}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        roles: dict[str, Any] = {"default": now.role or None, "format_func": ROLES.__getitem__, "key": f"role {name}"}
        role = cast(Any, st.segmented_control("This file is", list(ROLES), **roles) or now.role)
        if len(form.formats) > 1:
            formats = {family: title_of(family) for family in form.formats}
            chosen = controls.of_file("Format", formats, now.format or form.formats[0], f"format {name}", width=260)
            fields = fields | ({"format": chosen} if now.format or chosen != form.formats[0] else {})
        if len(form.sheets) > 1:
            sheets = st.multiselect("Sheets", form.sheets, now.sheet or form.sheets, key=f"sheets {name}")
            fields = fields | {"sheet": tuple(sheets) if now.sheet or len(sheets) < len(form.sheets) else ()}
        if form.columns and form.formats[:1] != ("F6",):  # JSON has no first row
            headed = st.toggle("The first row has the column names", now.header != "no", key=f"header {name}")
            fields = fields | {"header": ("yes" if now.header == "no" else now.header) if headed else "no"}
        if "encoding" in form.reason or now.encoding or _is_guessed(source.data):
            encoding = controls.of_file("Encoding", _ENCODINGS, now.encoding, f"encoding {name}", width=200)
            fields = fields | {"encoding": encoding}
    if fields != how:
        form = _form(source, replace(Mapping(role), **fields))
    return replace(form, mapping=replace(form.mapping, role=role or form.mapping.role))


def _is_guessed(data: bytes) -> bool:
    """Return whether the encoding of a file was guessed: it is text, but not UTF-8."""
    return b"\0" not in data and data != data.decode("utf-8", "ignore").encode()


def _columns(name: str, form: Form) -> Mapping:
    heads, meanings = list(form.columns), meanings_of(form.mapping)
    shown = heads if len(heads) <= _LINES else [head for head in heads if meanings.get(head)]
    fields = dict.fromkeys(heads, "")
    for head in shown:
        fields[head] = _column(name, head, form, meanings.get(head, ""))
        if fields[head] == _ONWARD:
            return _table_settings(name, form, fields | dict.fromkeys(heads[heads.index(head) :], "keyphrases"))
    if rest := [head for head in heads if head not in shown]:
        names = f"{', '.join(rest[:_LINES])}{' …' * (len(rest) > _LINES)}"
        words = show.pluralize(len(rest), "more column is not read", "more columns are not read")
        lacking = not {"keyphrases", "gold", "text", "title"} & {*fields.values()}
        more: dict[str, Any] = {"key": f"rest {name}", "on_change": link.deferred(link.mark_user_action)}
        with st.expander(f"{words}: {show.plain(names)}", lacking, **more):
            fields |= {head: _column(name, head, form, "") for head in rest}
    return _table_settings(name, form, fields)


def _column(name: str, head: str, form: Form, meaning: str) -> str:
    left, right = st.columns([5, 2], vertical_alignment="center")
    left.markdown(f"**{show.plain(head)}**  \n:small[{show.plain(' · '.join(form.columns[head]))}]")
    key = f"means {name} {head} {form.mapping.header} {form.mapping.sheet}"
    with right:
        return controls.of_file(f"{show.plain(head)} holds", _MEANINGS, meaning, key, label_visibility="collapsed")


def _table_settings(name: str, form: Form, fields: dict[str, str]) -> Mapping:
    """Let the user choose the settings of all columns: their source, how cells are split, and what a document is."""
    now, meanings = form.mapping, list(fields.values())
    lists = meanings.count("keyphrases") + meanings.count("gold")
    several = max(lists, meanings.count("score"), meanings.count("marks")) > 1
    phrases = {"keyphrases", "gold"} & {*meanings} and now.role != "judgements"
    values = [
        value for head, field in fields.items() if field in ("keyphrases", "gold") for value in form.columns[head]
    ]
    places, changes = dict[str, str](), dict[str, Any]()

    def ask(label: str, words: dict[str, str], usual: str, key: str) -> str:
        return controls.of_file(label, words, usual, f"{key} {name}", width=190)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if several:
            start = each_is(now, HEADS) or ("annotator" if "marks" in meanings else "")
            places[HEADS] = ask("Each of the columns is", _EACH, start, "each column")
        if places.get(HEADS) == "document" and "marks" not in meanings and "annotator" not in meanings:
            places[ROW] = ask("Each row is", _ROWS, "annotator" if now.annotator == ROW else "", "each row")
        if phrases and len(now.sheet or form.sheets) > 1:
            places[SHEET] = ask("Each sheet is", _EACH, each_is(now, SHEET), "each sheet")
        if phrases and "document" not in (*meanings, *places.values()):
            places[ask("A document is", _DOCUMENTS, now.document, "document")] = "document"
        if phrases:
            changes["split"] = ask("Cells are split at", _SPLITS, now.split, "split")
        if phrases and (now.inner or any(map(_LISTED.match, values))):
            changes["inner"] = ask("Each item is", _INNER, now.inner, "inner")
        if "score" in meanings and now.role == "system":
            better = {None: "", True: "yes", False: "no"}[now.higher_is_better]
            chosen = ask("A higher score", _BETTER, better, "better")
            changes["higher_is_better"] = {"yes": True, "no": False}.get(chosen)
        if "system" in meanings:
            column = next(head for head, field in fields.items() if field == "system")
            names = list(dict.fromkeys((*now.gold, *form.columns[column])))
            gold: dict[str, Any] = {"default": now.gold, "key": f"gold {name}", "placeholder": "none of them"}
            changes["gold"] = tuple(st.multiselect("The gold standard is", names, **gold))
    return with_meanings(replace(now, **changes), fields, places)


def _settings(name: str, form: Form) -> Mapping:
    now = form.mapping
    for option, values in form.switches.items():
        words = {"": "found by KPScope", **{value: {"\t": "TAB"}.get(value, value) for value in values}}
        label = _SWITCHES.get(option, option)
        now = now.with_switch(option, controls.of_file(label, words, now.switch(option), f"{option} {name}", width=260))
    return replace(now, switches=tuple((key, value) for key, value in now.switches if value))


def _result(source: Source, name: str, mapping: Mapping) -> None:
    st.markdown("**Read like this**")
    understood = cached.of((understand, source, mapping), f"read {digest(source, mapping)}", apart)
    if understood.problem:
        st.warning(show.plain(understood.problem))
    else:
        st.text(" · ".join(show.pluralize(size, noun) for noun, size in understood.counts.items()))
        tables.table(understood.documents, f"documents {name}", row_height=28)
        if len(understood.rejected):
            st.caption(f"{show.pluralize(len(understood.rejected), 'row')} would be rejected, the first of them:")
            tables.table(understood.rejected.head(3), f"would be rejected {name}")
    with st.container(horizontal=True):
        usable: dict[str, Any] = {"type": "primary", "disabled": bool(understood.problem)}
        controls.button("Use this", f"use {name}", _use, name, mapping, **usable)
        controls.button("Leave the file out", f"leave {name}", _use, name, Mapping("leave out"))
        if name in workspace.session().uploads.mappings:
            controls.button("Let KPScope find it", f"undo {name}", _use, name, Mapping(), type="tertiary")
    show.small("On the command line:")
    st.code(mapping.option(name), language=None, wrap_lines=True)


def _use(name: str, mapping: Mapping) -> None:
    """Read a file with a mapping, and reset its form."""
    for key in [key for key in st.session_state if str(key).partition(" ")[2].startswith(name)]:
        st.session_state.pop(key)
    st.session_state.pop(_OPENED, None)
    workspace.decide(name, mapping)
