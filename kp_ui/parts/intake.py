"""Take in the user's files: doors, drop zone, samples, templates; ask about them, and show a receipt of each."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from kp_core import typeset
from kp_core.corpus import VOCABULARY
from kp_core.reading import LIMITS, OTHER_FIXES, Finding, Form, Mapping, Source, report
from kp_core.reading.report import Receipt
from kp_core.reading.source import expand, packed, shared_names
from kp_core.reading.uploads import is_archive
from kp_ui.parts import meaning, saving, streamed, understanding
from kp_ui.parts.page import lost_in_words
from kp_ui.state import cached, kept, link, workspace
from kp_ui.widgets import controls, prose, show, tables

_TEMPLATES = prose.entries("templates")
#: More files than these scroll, of so many pixels each.
_SEEN, _ROW = 10, 41
#: The ways in of a first visit: the page that each leads to → what it is called, what it takes, how to try it.
_DOORS = {
    "overview": ("Compare systems", "Score extraction systems against a gold standard.", "Try it with 4 systems"),
    "annotators": ("Compare people", "Measure how far annotators agree.", "Try it with 3 people"),
    "learn": ("Teach", "Interactive lessons on the measures.", "Open the lessons"),
}


def section() -> None:
    """Show a receipt of every file, what is wrong with them, and the way on; or the doors, before there are any."""
    corpus, own = workspace.whole().corpus, workspace.uploads()
    streamed.listed()
    if workspace.lost_files() or (not own.files and not workspace.is_asked_for()):
        _doors()
    elif workspace.problem():
        _rows(())
    else:
        _rows(report.receipt(corpus))
        understanding.wrong()
        _next_step(report.understood(corpus))
    _drop_zone()


def welcome() -> None:
    """Introduce KPScope in one line on the sample data, with the ways to one's own files, people and lessons."""
    if workspace.current().sample is None or link.presented():
        return
    with st.container(key="welcome", horizontal=True, vertical_alignment="center", gap="small"):
        show.paragraph(prose.text("data.what"))
        st.markdown(f"Sample data: {workspace.whole().title}.", width="content")
        link.to("data", "**Drop your own files**", icon=":material/upload_file:", data_tab="Files")
        for page in ("annotators", "learn"):
            link.to(page, _DOORS[page][0])


def _doors() -> None:
    """Say what this is, with the ways in."""
    if not workspace.lost_files():
        show.lead(prose.text("data.what"))
    for column, (page, (door, takes, label)) in zip(st.columns(3, border=True), _DOORS.items(), strict=True):
        with column:
            st.markdown(f"**{door}**  \n{takes}")
            if st.button(label, key=f"door {page}", type="tertiary", icon=":material/arrow_forward:"):
                if page != "learn":
                    workspace.open_sample("lectures")
                link.go(page)


def _drop_zone() -> None:
    label = "Drop more files here" if workspace.uploads().files else "Drop your files here"
    controls.upload(label, "drop", saving.take)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        with st.popover("A whole folder, or the limits", icon=":material/folder_open:", width="content"):
            told = prose.text("data.kept") if kept.is_kept() else prose.text("data.not_kept")
            show.about("data.drop", megabytes=controls.megabytes(), documents=LIMITS.documents, kept=told)
            controls.upload("A folder of files", "folder", _take_folder, "directory")
            tables.of_words(report.limits(LIMITS))
        with st.popover("Examples of files, to start from", icon=":material/table:"):
            _templates()
        with st.popover("Sample data", icon=":material/science:"):
            for name, sample in workspace.SAMPLES.items():
                shown = workspace.current().sample == name and workspace.is_asked_for()
                label = f"{sample.title}{' (on screen)' if shown else ''}"
                controls.button(label, f"sample_{name}", workspace.open_sample, name, disabled=shown)
        _shared()


def _take_folder(files: list[Source]) -> None:
    """Keep a folder as one zip in memory, so that it is listed, read and removed as a whole."""
    folder, slash, _ = files[0].name.partition("/")
    workspace.add([packed(folder if slash else "folder", ((file.name, file.data) for file in files))])


def _templates() -> None:
    for name, words in _TEMPLATES.items():
        path = workspace.SAMPLE_DATA / name
        frame = pd.read_json(path, lines=True) if path.suffix == ".jsonl" else pd.read_csv(path, dtype="str")
        st.markdown(words)
        with st.container(horizontal=True):
            for ending, data in (("csv", typeset.exchange_csv(frame)), ("xlsx", typeset.xlsx({"Sheet1": frame}))):
                file = f"{path.stem}.{ending}"
                show.file(file, data, file, f"template_{file}", icon=None)


def _shared() -> None:
    root, names = workspace.shared_folder(), list[str]()
    with show.refusals():
        names = shared_names(root) if root else []
    if names:
        with st.popover("Shared data sets of this server", icon=":material/dns:"):
            st.selectbox("Data set", names, key="shared", label_visibility="collapsed")
            controls.button("Add to your files", "add_shared", saving.take_shared)
            st.caption("Add your own files too: the output of your system is then scored on the shared data.")


def _next_step(understood: str) -> None:
    """Say that all was understood, and lead on to what these data can answer."""
    corpus = workspace.corpus()
    ways = (
        ("overview", "See which system is better", len(corpus.gold) and corpus.systems),
        (
            "annotators",
            f"See how far the {workspace.speech()['annotators']} agree",
            len(corpus.annotators) > 1 and not corpus.systems,
        ),
        ("correlation", "See which measure agrees with the people who judged pairs", len(corpus.judgements)),
    )
    there = [(page, label) for page, label, has in ways if has and not understanding.stopped()]
    with st.container(horizontal=True, vertical_alignment="center"):
        for page, label in there:
            first, icon = page == there[0][0], ":material/arrow_forward:"
            if st.button(label, key=f"on to {page}", type="primary" if first else "secondary", icon=icon):
                link.go(page)
        show.small(understood)


def problem() -> None:
    """Ask what must be known before the files can be read, or say why they are refused, or that they are gone."""
    words = workspace.problem()
    if workspace.not_kept():
        st.warning(prose.text("recovery.not_kept"))
    if lost := workspace.lost_files():
        lost_in_words(lost)
    elif workspace.forms() or workspace.findings():
        st.markdown(f"**{workspace.waiting()}**")
        for place, finding in enumerate(workspace.findings()):
            _ask(finding, f"{finding.where} {place}")
        _forms()
    elif words:
        st.error(f"Not loaded: {show.plain(words)}")
        st.caption("Change below how a file is read, or remove it.")
        if "keep-first" in words:
            with st.container(horizontal=True):
                for fix in ("keep-first", "merge"):
                    label = f"{OTHER_FIXES[fix][:1].upper()}{OTHER_FIXES[fix][1:]}"
                    controls.button(label, f"fix {fix}", workspace.fix, fix, True)
    if words:
        understanding.held(workspace.uploads().fixes)


def _forms() -> None:
    """Draw a form for each meaning that is asked."""
    for first, *others in _alike().values():
        if (source := _source(first.file)) is not None:
            meaning.panel(source, first.file, first, [form.file for form in others])


def _alike() -> dict[tuple[str, ...], list[Form]]:
    """Return the forms that are open, those of files with the same columns together."""
    found: dict[tuple[str, ...], list[Form]] = {}
    for form in workspace.forms():
        found.setdefault(tuple(form.columns), []).append(form)
    return found


def _ask(finding: Finding, key: str) -> None:
    """Ask what concerns several files, or what no column shows."""
    with st.container(border=True):
        st.markdown(f"**{show.plain(finding.where)}**: {show.plain(finding.found)}")
        show.small(f"Expected: {finding.expected}.")
        for place, reply in enumerate(finding.answers):
            words = f"{str(reply)[:1].upper()}{str(reply)[1:]}"
            kind = "secondary" if place else "primary"
            controls.button(show.plain(words), f"answer {key} {place}", workspace.answer, reply, type=kind)


def _source(name: str) -> Source | None:
    """Return an uploaded file, or a file inside an uploaded archive."""
    for file in workspace.uploads().files:
        if file.name == name:
            return file
        if is_archive(file) and name.startswith(f"{file.name}/"):
            inside = expand(file).files
            return next((one for one in inside if name == f"{file.name}/{one.name}"), None)
    return None


def _rows(receipts: Sequence[Receipt]) -> None:
    """Show one row a file, or for files that are read as one; the panel of the one to change below them."""
    own, asked = workspace.uploads(), {form.file for form in workspace.forms()}
    whole = _parts(own.files)
    shown = own if workspace.current().sample is None or workspace.problem() else None
    files = [file for file in shown.files if file.name not in asked] if shown else []
    loose = [one for one in receipts if not shown or not any(one.file in names for names in whole.values())]
    rows = len(files) + len(loose)
    with st.container(key="receipt", height=_SEEN * _ROW if rows > _SEEN else "content"):
        for one in loose:
            _row(one.file, one.words, (), None)
        for file in files:
            of = [one for one in receipts if one.file in whole[file.name]]
            _row(file.name, _in_words(file, of, bool(loose)), of, file)
    for file in files:
        if meaning.is_open(file.name) and not _is_asked(file):
            _change(file)
    if workspace.current().sample is not None and own.files and not workspace.problem():
        show.small(
            "A sample is on screen; your own files are set aside. The button beside the page leads back to them."
        )


def _in_words(file: Source, of: Sequence[Receipt], together: bool) -> str:
    """Say in one line what an upload is; together: it may be read with others as one."""
    if len(of) == 1:
        return of[0].words
    if of:
        kinds = list(dict.fromkeys(one.what for one in of))
        return f"{'; '.join(kinds[:3])}{' …' if len(kinds) > 3 else ''}"
    if (said := workspace.uploads().mappings.get(file.name)) and said.role == "leave out":
        return "left out, as you said"
    return "read together with others" if together else f"{len(file.data):,} bytes, not read yet"


def _row(name: str, words: str, parts: Sequence[Receipt], file: Source | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        mark = "…" if workspace.problem() else "✓"
        st.markdown(f"{mark} **{show.plain(name)}** · {show.plain(words)}", width="stretch")
        if len(parts) > 1:
            with st.popover(show.counted(len(parts), "part"), type="tertiary"):
                for one in parts:
                    st.markdown(f"**{show.plain(one.file)}** · {show.plain(one.words)}")
        if file is not None:
            _actions(file, not parts or any(one.role not in VOCABULARY for one in parts))


def _actions(file: Source, change: bool) -> None:
    """Offer to change how a file is read, and to take it away."""
    if change and not _is_asked(file):
        label = "Close" if meaning.is_open(file.name) else "Change"
        controls.button(label, f"change {file.name}", meaning.turn, file.name, type="tertiary")
    controls.button("✕", f"remove {file.name}", workspace.remove, file.name, type="tertiary", help="Remove")


def _is_asked(file: Source) -> bool:
    """Return whether a question above is about a file, or about a file inside it: its answers say how it is read."""
    findings = workspace.findings()
    names = [finding.where for finding in findings]
    names += [name for finding in findings for reply in finding.answers for name in reply.mapping]
    return any(f"{name}/".startswith(f"{file.name}/") for name in names)


def _change(file: Source) -> None:
    """Draw the form of a file; of an archive that of all files in it, or of one of them."""
    name = file.name
    if is_archive(file):
        _, *members = _names(file)
        chosen = st.selectbox("In the archive", ["all files", *members], key=f"inside {file.name}")
        name = f"{file.name}/{chosen}" if chosen in members else file.name
    if (source := _source(name)) is not None:
        meaning.panel(source, name)


def _parts(files: Sequence[Source]) -> dict[str, set[str]]:
    """Return the names of what is in each file: its own, and those of an archive and of the files in it."""
    return {file.name: {file.name, *(_names(file) if is_archive(file) else ())} for file in files}


def _names(file: Source) -> list[str]:
    """Return the name under which an archive is read, and those of the files in it."""
    return cached.of((file,), meaning.digest(file, Mapping()), _names_in)


def _names_in(file: Source) -> list[str]:
    bundle = expand(file)
    return [bundle.name, *(one.name for one in bundle.files)]
