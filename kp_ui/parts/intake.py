"""Accept files, ask what they contain, and show how they were read and what may be wrong."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.corpus import VOCABULARY
from kp_core.reading import LIMITS, Finding, Form, Mapping, Source, findings
from kp_core.reading.lists.sniff import title_of
from kp_core.reading.meaning import fields
from kp_core.reading.open.source import SHARED_FOLDER, expand, is_archive, packed, shared, shared_names
from kp_core.reading.rows import identifiers, report
from kp_core.reading.uploads import proposed_runs
from kp_core.scoring.prepare import prepare
from kp_core.scoring.semantic import as_lines, describe_entries, without_entry
from kp_core.settings import in_words
from kp_core.text.normalise import Normaliser
from kp_core.typeset import first_capital
from kp_ui.parts import meaning, page, streamed
from kp_ui.state import cached, kept, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

_TEMPLATES = prose.entries("templates")
#: Entry points on a first visit: target page → title, description, and label of the button.
_ENTRY_POINTS = {
    "overview": ("Compare systems", "Score extraction systems against a gold standard.", "Try it with 4 systems"),
    "annotators": ("Compare people", "Measure how far annotators agree.", "Try it with 3 people"),
    "learn": ("Learn", "Interactive lessons on the measures.", "Open the lessons"),
}


def section() -> None:
    """List the loaded files, their problems and the next steps; if no files are loaded, the ways to start."""
    data, session = workspace.all_data(), workspace.session()
    streamed.refusal()
    if session.lost or (not session.uploads.files and data.sample is not None and not session.chose_sample):
        _entry_points()
    elif session.problem:
        _rows(())
    else:
        _rows(report.receipt(data.corpus))
        if not wrong():
            _next_step(report.understood(data.corpus))
    _drop_zone()


def welcome() -> None:
    """Introduce KPScope in one line above the sample data, with an upload and links to annotators and lessons."""
    if not page.welcomes():
        return
    with st.container(key="welcome", horizontal=True, vertical_alignment="center", gap="small"):
        show.paragraph(prose.text("data.what"))
        st.markdown(prose.text("data.sample", title=workspace.all_data().title), width="content")
        page.upload()
        for name in ("annotators", "learn"):
            link.to(name, _ENTRY_POINTS[name][0])


def _entry_points() -> None:
    if not workspace.session().lost:
        show.lead(prose.text("data.what"))
    for column, (name, (title, text, label)) in zip(st.columns(3, border=True), _ENTRY_POINTS.items(), strict=True):
        with column:
            st.markdown(f"**{title}**  \n{text}")
            if st.button(label, key=f"door {name}", type="tertiary", icon=":material/arrow_forward:"):
                if name != "learn":
                    workspace.open_sample("lectures")
                link.go(name)


def _drop_zone() -> None:
    label = "Drop more files here" if workspace.session().uploads.files else "Drop your files here"
    controls.upload(label, "drop", page.take)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        with st.popover("Upload a folder, or see the limits", icon=":material/folder_open:", width="content"):
            retention = prose.text("data.kept") if kept.is_kept() else prose.text("data.not_kept")
            show.about("data.drop", megabytes=controls.MEGABYTES, documents=LIMITS.documents, kept=retention)
            controls.upload("A folder of files", "folder", _take_folder, "directory")
            tables.text_table(report.limits(LIMITS))
        with st.popover("Example files to start from", icon=":material/table:"):
            for name, words in _TEMPLATES.items():
                path = workspace.SAMPLE_DATA / name
                show.file(words, path.read_bytes(), path.name, f"template {name}")
        if folder := os.environ.get(SHARED_FOLDER):
            _shared_data(Path(folder))


def _take_folder(files: list[Source]) -> None:
    """Add a folder as one zip archive, so that it is listed, read and removed as a whole."""
    folder, slash, _ = files[0].name.partition("/")
    workspace.add([packed(folder if slash else "folder", ((file.name, file.data) for file in files))])


def _shared_data(root: Path) -> None:
    with show.refusals():
        names = shared_names(root)
        with st.popover("Shared data sets of this server", icon=":material/dns:", disabled=not names):
            name = str(st.selectbox("Data set", names, key="shared", label_visibility="collapsed"))
            controls.button("Add to your files", "add_shared", _take_shared, root, name)
            st.caption("Add your own files too: the output of your system is then scored on the shared data.")


def _take_shared(root: Path, name: str) -> None:
    with workspace.refusals():
        page.take([shared(root, name)])


def _next_step(understood: str) -> None:
    corpus, annotators = workspace.corpus(), workspace.terms()["annotators"]
    systems = "See which system is better" if len(corpus.systems) > 1 else "See how the system scores"
    steps = (
        ("overview", systems, len(corpus.gold) and corpus.systems),
        ("annotators", f"See how far the {annotators} agree", len(corpus.annotators) > 1 and not corpus.systems),
        ("correlation", "See which measure agrees best with human judgments", len(corpus.judgements)),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        for position, (page, label, _) in enumerate(step for step in steps if step[-1]):
            button_type: Any = "secondary" if position else "primary"
            if st.button(label, key=f"on to {page}", type=button_type, icon=":material/arrow_forward:"):
                link.go(page)
        show.small(understood)


def problem() -> None:
    """Ask the open questions about the files, or report why the files are refused or no longer available."""
    session = workspace.session()
    if session.not_stored:
        st.warning(prose.text("recovery.not_kept"))
    if session.lost:
        page.lost_in_words()
    elif session.forms or session.findings:
        st.markdown(f"**{workspace.waiting()}**")
        _findings(session.findings)
        grouped: dict[tuple[str, ...], list[Form]] = {}  # files with the same columns share one form
        for form in session.forms:
            grouped.setdefault(tuple(form.columns), []).append(form)
        for first, *others in grouped.values():
            meaning.panel(first.file, first, [form.file for form in others])
    elif session.problem:
        st.error(f"{show.plain(session.problem)} Change below how a file is read, or remove the file.")
    if session.problem:
        report_fixes(session.uploads.fixes)


def _rows(receipts: Sequence[report.Receipt]) -> None:
    """Show a row per file, or per group of files read together, and below the rows the form of each file to change."""
    session = workspace.session()
    asked, has_uploads = {form.file for form in session.forms}, workspace.current().sample is None or session.problem
    files = [file for file in session.uploads.files if file.name not in asked] if has_uploads else []
    parts = {file.name: [receipt for receipt in receipts if receipt.file in _names(file)] for file in files}
    unassigned = [receipt for receipt in receipts if not any(receipt in group for group in parts.values())]
    with st.container(key="receipt", height=410 if len(files) + len(unassigned) > 10 else "content"):
        for receipt in unassigned:
            _row(receipt.file, receipt.words, (), None)
        for file in files:
            _row(file.name, _in_words(file, parts[file.name], bool(unassigned)), parts[file.name], file)
    for file in files:
        if meaning.is_open(file.name):
            _change(file)
    if before := session.before_removal:
        controls.button("Undo the removal", "undo_removal", workspace.open_uploads, before, icon=":material/undo:")
    if not has_uploads and session.uploads.files:
        show.about("data.set_aside")


def _in_words(file: Source, receipts: Sequence[report.Receipt], may_be_joined: bool) -> str:
    """Describe an uploaded file in one line. may_be_joined: whether it may have been read together with other files"""
    if len(receipts) == 1:
        return receipts[0].words
    if receipts:
        return typeset.listed(list(dict.fromkeys(receipt.what for receipt in receipts)), 4)
    if (mapping := workspace.session().uploads.mappings.get(file.name)) and mapping.role == "leave out":
        return "left out, as you chose"
    return "read together with others" if may_be_joined else prose.text("data.not_read")


def _row(name: str, words: str, parts: Sequence[report.Receipt], file: Source | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        mark = "…" if workspace.session().problem or words == prose.text("data.not_read") else "✓"
        st.markdown(f"{mark} **{show.plain(name)}** · {show.plain(words)}", width="stretch")
        if len(parts) > 1:
            with st.popover(show.pluralize(len(parts), "part"), type="tertiary"):
                for part in parts:
                    st.markdown(f"**{show.plain(part.file)}** · {show.plain(part.words)}")
        if file is not None:
            if not parts or any(part.role not in VOCABULARY for part in parts):
                label = "Close" if meaning.is_open(file.name) else "Change"
                controls.button(label, f"change {file.name}", meaning.turn, file.name, type="tertiary")
            controls.button("✕", f"remove {file.name}", workspace.remove, file.name, type="tertiary", help="Remove")


def _change(file: Source) -> None:
    name, (_, *inside) = file.name, _names(file)
    if members := inside[1:]:
        chosen = st.selectbox("In the archive", ["all files", *members], key=f"inside {file.name}")
        name = f"{file.name}/{chosen}" if chosen in members else name
    meaning.panel(name)


def _names(file: Source) -> list[str]:
    """Return the name of a file; for an archive also its name without “.gz”, and the names of its files."""
    members = cached.call((file,), meaning.digest(file, Mapping()), _inside) if is_archive(file.data) else []
    return [file.name, *members]


def _inside(file: Source) -> list[str]:
    bundle = expand(file)
    return [bundle.name, *(member.name for member in bundle.files)]


def details() -> None:
    """Show how the data on screen were read: lists, coverage, rejected rows, unusual characters, and every file."""
    corpus = workspace.all_data().corpus
    st.markdown("**Annotators and systems**")
    normaliser, k = Normaliser.parse(settings.resolved().normalise), settings.cutoff_of_average()
    table = cached.call((corpus, normaliser), f"all {normaliser}", report.statistics, k)
    statistics = table[[*report.ALWAYS, "duplicates, normalised"]].replace({"role": meaning.ROLES})
    heads = {"mean": "mean length", "duplicates, normalised": "repeated in a list"}
    tables.table(statistics.rename(columns=heads), "statistics")
    show.downloads(table, "Annotators and systems")
    _coverage(corpus)
    if len(corpus.gold) and corpus.systems:
        st.markdown("**Custom similarity**")
        show.about("data.similarity")
        show.file("All phrases, one per line", lambda: as_lines(kp.phrases(corpus)), "phrases.txt", "all phrases")
    st.markdown("**How every file was read**")
    files = report.files(corpus)
    formats, evidence = files["family"].map(title_of), files["evidence"].map(fields.in_words)
    files = files.assign(role=files["role"].replace(meaning.ROLES), format=formats, evidence=evidence)
    columns = ["file", "bytes", "role", "rows read", "loaded", "rejected", "blank", "format", "evidence", "encoding"]
    optional_columns = [name for name in ("columns", "BOM", "ignored") if files[name].astype(bool).any()]
    tables.table(files[[*columns, "line ends", *optional_columns]], "files")


def wrong() -> bool:
    """Show each problem with the data on screen in one line, next to its remedies.

    Return whether a system has no document in common with the gold standard, so that results are meaningless.
    """
    corpus = workspace.all_data().corpus
    if not len(corpus.gold) and not len(corpus.judgements):
        _line("There is no gold standard among these files. Add one, or select above which file it is.")
    elif len(corpus.gold) and not corpus.systems and len(corpus.annotators) < 2:
        _line("There is no system output among these files. Add one, or select above which file it is.")
    open_findings = findings(corpus)
    _findings(open_findings)
    report_fixes(corpus.report.fixes)
    if workspace.current().sample is None:
        _runs(corpus)
        _types(corpus)
        if not any(finding.answers for finding in open_findings):
            _offers(corpus)
    stopped = any(finding.level == "stop" for finding in open_findings)
    if not stopped:
        _missing_lists(corpus)
        _gaps(corpus)
    if rejected := len(corpus.report.rejected):
        _line(f"{show.pluralize(rejected, 'row')} rejected, and not part of any result.", _details("rejected rows"))
    _similarity(corpus)
    reported = {finding.where for finding in open_findings} | set(corpus.report.rejected["file"])
    with st.container(horizontal=True):
        show.notes(note for note in corpus.report.notes if note.level != "warning" or note.where not in reported)
    return stopped


def _findings(open_findings: Iterable[Finding]) -> None:
    """Show findings with their answers; those with the same answers share one line."""
    grouped: dict[tuple[str, ...], list[Finding]] = {}
    for finding in open_findings:
        key = finding.level, finding.expected, *(reply.options() for reply in finding.answers)
        grouped.setdefault(key, []).append(finding)
    for position, (first, *others) in enumerate(grouped.values()):
        addition = f" (the same for {typeset.listed([other.where for other in others], 3)})" if others else ""
        name = f"answer {first.where} {position}"
        replies = ((str(reply), f"{name} {reply.words}", workspace.answer, reply) for reply in first.answers)
        words = f"{first.where}: {first.found}; expected: {first.expected}{addition}."
        _line(words, *replies, level=first.level)


def _similarity(corpus: kp.Corpus) -> None:
    if not corpus.vocabulary.has_similarities or not len(corpus.gold) or corpus.datasets:
        return
    data = prepare(corpus, settings.settings())
    show.small(describe_entries(corpus, data.coded, data.settings))
    if without := without_entry(corpus, data.coded, data.settings):
        show.about("data.without")
        show.file("The other phrases", as_lines(without), "phrases_without.txt", "phrases without")


def _details(subject: str) -> tuple[Any, ...]:
    return "See them", f"see {subject}", link.choose, "data_tab", "Details"


def _line(words: str, *remedies: tuple[Any, ...], level: str = "warn") -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        shown: dict[str, Callable[..., Any]]
        shown = {"stop": st.error, "ask": st.info, "warn": st.warning, "info": st.caption}
        shown[level](show.plain(words), width="stretch")
        for label, key, action, *given in remedies:
            controls.button(show.plain(first_capital(label)), key, action, *given)


def _runs(corpus: kp.Corpus) -> None:
    in_files = {shown: name for name, shown in workspace.session().uploads.names.items()}
    for system, names in proposed_runs(corpus).items():
        words = f"{', '.join(list(names)[:6])}{' …' * (len(names) > 6)} differ little: they may be runs of one system."
        new_names = {in_files.get(name, name): run for name, run in names.items()}
        _line(words, (f"Treat them as {len(names)} runs of {system}", f"runs of {system}", workspace.rename, new_names))


def report_fixes(fixes: Iterable[str]) -> None:
    """List the applied fixes, each with a button that undoes the fix."""
    for name in fixes:
        words = f"Fix applied: {identifiers.WORDS[name]} ({name} in every signature)."
        _line(words, ("Undo", f"undo {name}", workspace.fix, name, False), level="info")


def _offers(corpus: kp.Corpus) -> None:
    for fix, rows in identifiers.suggestions(corpus).groupby("fix", sort=False):
        words, left, right, n_matching, n_ids = rows.iloc[0][["what it does", "left", "right", "match", "of"]]
        addition = f", and {show.pluralize(len(rows) - 1, 'pair')} more" if len(rows) > 1 else ""
        label = f"{first_capital(words)}: {n_matching} of {n_ids} ids of {left} and {right} match{addition}"
        _line("Some ids are spelled in two ways.", (label, f"fix {fix}", workspace.fix, fix, True))


def _types(corpus: kp.Corpus) -> None:
    types = dict.fromkeys(identifiers.types_in_ids(corpus.documents["doc_id"].tolist()).values())
    if types and not corpus.documents["group"].notna().any():
        remedy = "Use these as document types", "fix types-from-ids", workspace.fix, "types-from-ids", True
        _line(f"The ids begin with {typeset.listed(list(types))}.", remedy, level="info")


#: Side of the data (gold, systems, texts) → description of its documents.
_SIDES = prose.entries("sides")
#: Two sides, of which the second should have every document of the first → what is missing otherwise.
_LACKING = {("gold", "texts"): "have no text", ("systems", "gold"): "are not in the gold standard"}


def _gaps(corpus: kp.Corpus) -> None:
    missing = identifiers.gaps(corpus)
    for side, other, _, number, examples in missing[missing["only here"] > 0].itertuples(index=False):
        if lack := _LACKING.get((side, other)):
            documents = f"{show.pluralize(number, 'document')} {_SIDES[side]}"
            _line(f"{documents} {lack}: {examples}{' …' * (number > 10)}", _details(f"{side} {other}"))


def _coverage(corpus: kp.Corpus) -> None:
    counts = dict(identifiers.coverage(corpus).itertuples(index=False))
    st.caption(f"Documents: {', '.join(f'{number:,} {_SIDES[side]}' for side, number in counts.items())}.")
    missing, near = identifiers.gaps(corpus), identifiers.unmatched(corpus)
    listed = {
        "Documents that only one side has": missing[missing["only here"] > 0],
        "Ids that look alike": near[near["similar"] != ""],
        "Documents of the gold standard for which a system has no list": identifiers.missing(corpus),
        "Rejected rows, not part of any result": corpus.report.rejected,
        "Unusual characters": report.characters(corpus),
    }
    for title, table in listed.items():
        if len(table):
            st.markdown(f"**{title}**")
            tables.table(table, title, take=title)


_MISSING = prose.entries("missing")


def _missing_lists(corpus: kp.Corpus) -> None:
    table = identifiers.missing(corpus)
    if not len(table):
        return
    current, (system, number, total, _) = settings.settings().missing, table.iloc[0]
    addition = f"; {show.pluralize(len(table) - 1, 'other system')} also lack lists" if len(table) > 1 else ""
    words = f"{system} has no list for {number} of {show.pluralize(total, 'document')}{addition}. {_MISSING[current]}"
    choices = (("zero", "Treat them as empty"), ("skip", "Leave them out"))
    _line(
        words,
        *((label, f"missing_{value}", link.choose, "missing", value) for value, label in choices if value != current),
    )


def normalization() -> None:
    """Show phrases before and after normalization; phrases that it changes come first."""
    normaliser = Normaliser.parse(settings.resolved().normalise)
    words = in_words("normalise", settings.resolved().normalise)
    show.small(f"Phrases count as the same if they are equal after these steps: {words}.")
    table = cached.call((workspace.corpus(), normaliser), str(normaliser), report.normalised)
    search = st.text_input("Search phrases", key="phrase_search").strip().lower()
    matching = table[table["phrase"].str.lower().str.contains(search, regex=False)]
    tables.table(matching.head(2000), "normalised")
    if len(matching) > 2000:
        st.caption(f"The first 2,000 of {len(matching):,} distinct phrases. Search to see others.")
