"""Accept files, ask about their meaning, and show how they were read and what may be wrong."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.corpus import VOCABULARY
from kp_core.reading import LIMITS, OTHER_FIXES, Finding, Form, Mapping, Source, findings
from kp_core.reading.lists.family import title_of
from kp_core.reading.meaning import fields
from kp_core.reading.open.source import expand, packed, shared_names
from kp_core.reading.rows import identifiers, report
from kp_core.reading.uploads import is_archive, proposed_runs
from kp_core.scoring.given import as_lines, entries_in_words, lacking
from kp_core.scoring.prepare import prepare
from kp_core.settings import in_words
from kp_core.typeset import first_capital
from kp_ui.parts import meaning, saving, streamed
from kp_ui.parts.page import lost_in_words
from kp_ui.state import cached, kept, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

_TEMPLATES = prose.entries("templates")
#: Number of files that are shown without scrolling, and pixels per file.
_VISIBLE_FILES, _ROW = 10, 41
#: Entry points of a first visit: target page → title, description, and label of the button.
_ENTRY_POINTS = {
    "overview": ("Compare systems", "Score extraction systems against a gold standard.", "Try it with 4 systems"),
    "annotators": ("Compare people", "Measure how far annotators agree.", "Try it with 3 people"),
    "learn": ("Teach", "Interactive lessons on the measures.", "Open the lessons"),
}


def section() -> None:
    """List the loaded files, their problems and the next step, or the ways to start if no files are loaded."""
    data, session = workspace.whole(), workspace.session()
    streamed.listed()
    if session.lost or (not session.uploads.files and data.sample is not None and not session.asked):
        _entry_points()
    elif session.problem:
        _rows(())
    else:
        _rows(report.receipt(data.corpus))
        wrong()
        _next_step(report.understood(data.corpus))
    _drop_zone()


def welcome() -> None:
    """Introduce KPScope in one line above the sample data, with links to files, annotators and lessons."""
    if workspace.current().sample is None or link.presented():
        return
    with st.container(key="welcome", horizontal=True, vertical_alignment="center", gap="small"):
        show.paragraph(prose.text("data.what"))
        st.markdown(f"Sample data: {workspace.whole().title}.", width="content")
        link.to("data", "**Drop your own files**", icon=":material/upload_file:", data_tab="Files")
        for page in ("annotators", "learn"):
            link.to(page, _ENTRY_POINTS[page][0])


def _entry_points() -> None:
    if not workspace.session().lost:
        show.lead(prose.text("data.what"))
    for column, (page, (door, takes, label)) in zip(st.columns(3, border=True), _ENTRY_POINTS.items(), strict=True):
        with column:
            st.markdown(f"**{door}**  \n{takes}")
            if st.button(label, key=f"door {page}", type="tertiary", icon=":material/arrow_forward:"):
                if page != "learn":
                    workspace.open_sample("lectures")
                link.go(page)


def _drop_zone() -> None:
    label = "Drop more files here" if workspace.session().uploads.files else "Drop your files here"
    controls.upload(label, "drop", saving.take)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        with st.popover("A whole folder, or the limits", icon=":material/folder_open:", width="content"):
            retention = prose.text("data.kept") if kept.is_kept() else prose.text("data.not_kept")
            show.about("data.drop", megabytes=controls.MEGABYTES, documents=LIMITS.documents, kept=retention)
            controls.upload("A folder of files", "folder", _take_folder, "directory")
            tables.of_words(report.limits(LIMITS))
        with st.popover("Examples of files, to start from", icon=":material/table:"):
            _templates()
        _shared()


def _take_folder(files: list[Source]) -> None:
    """Store a folder as one zip in memory, so that it is listed, read and removed as a whole."""
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
    corpus, annotators = workspace.corpus(), workspace.speech()["annotators"]
    systems = "See which system is better" if len(corpus.systems) > 1 else "See what the system reaches"
    ways = {
        "overview": (systems, len(corpus.gold) and corpus.systems),
        "annotators": (f"See how far the {annotators} agree", len(corpus.annotators) > 1 and not corpus.systems),
        "correlation": ("See which measure agrees with the people who judged pairs", len(corpus.judgements)),
    }
    there = {page: label for page, (label, has) in ways.items() if has and not stopped()}
    with st.container(horizontal=True, vertical_alignment="center"):
        for page, label in there.items():
            kind: Any = "primary" if page == next(iter(there)) else "secondary"
            if st.button(label, key=f"on to {page}", type=kind, icon=":material/arrow_forward:"):
                link.go(page)
        if not stopped():
            show.small(understood)


def problem() -> None:
    """Ask the open questions about the files, or report why they are refused or no longer available."""
    session = workspace.session()
    if session.not_kept:
        st.warning(prose.text("recovery.not_kept"))
    if session.lost:
        lost_in_words(session.lost)
    elif session.forms or session.findings:
        st.markdown(f"**{workspace.waiting()}**")
        for place, finding in enumerate(session.findings):
            _ask(finding, f"{finding.where} {place}")
        _forms()
    elif session.problem:
        st.error(f"Not loaded: {show.plain(session.problem)}")
        st.caption("Change below how a file is read, or remove it.")
        if "keep-first" in session.problem:
            with st.container(horizontal=True):
                for fix in ("keep-first", "merge"):
                    controls.button(first_capital(OTHER_FIXES[fix]), f"fix {fix}", workspace.fix, fix, True)
    if session.problem:
        held(session.uploads.fixes)


def _forms() -> None:
    """Draw a form per file of unknown meaning; files with the same columns share one form."""
    grouped: dict[tuple[str, ...], list[Form]] = {}
    for form in workspace.session().forms:
        grouped.setdefault(tuple(form.columns), []).append(form)
    for first, *others in grouped.values():
        if (source := _source(first.file)) is not None:
            meaning.panel(source, first.file, first, [form.file for form in others])


def _ask(finding: Finding, key: str) -> None:
    """Ask about findings that concern several files, or that no column resolves."""
    with st.container(border=True):
        st.markdown(f"**{show.plain(finding.where)}**: {show.plain(finding.found)}")
        show.small(f"Expected: {finding.expected}.")
        for place, reply in enumerate(finding.answers):
            kind = "secondary" if place else "primary"
            controls.button(
                show.plain(first_capital(str(reply))), f"answer {key} {place}", workspace.answer, reply, type=kind
            )


def _source(name: str) -> Source | None:
    for file in workspace.session().uploads.files:
        if file.name == name:
            return file
        if is_archive(file) and name.startswith(f"{file.name}/"):
            inside = expand(file).files
            return next((member for member in inside if name == f"{file.name}/{member.name}"), None)
    return None


def _rows(receipts: Sequence[report.Receipt]) -> None:
    """Show one row per file or per group of files read together, and below them the form of the file to change."""
    session = workspace.session()
    uploads, asked = session.uploads, {form.file for form in session.forms}
    whole, on_screen = _parts(uploads.files), workspace.current().sample is None or session.problem
    files = [file for file in uploads.files if file.name not in asked] if on_screen else []
    loose = [
        receipt for receipt in receipts if not on_screen or not any(receipt.file in names for names in whole.values())
    ]
    rows = len(files) + len(loose)
    with st.container(key="receipt", height=_VISIBLE_FILES * _ROW if rows > _VISIBLE_FILES else "content"):
        for receipt in loose:
            _row(receipt.file, receipt.words, (), None)
        for file in files:
            of = [receipt for receipt in receipts if receipt.file in whole[file.name]]
            _row(file.name, _in_words(file, of, bool(loose)), of, file)
    for file in files:
        if meaning.is_open(file.name) and not _is_asked(file):
            _change(file)
    if not on_screen and uploads.files:
        show.about("data.set_aside")


def _in_words(file: Source, of: Sequence[report.Receipt], together: bool) -> str:
    """Describe an upload in one line; together: whether it may be read as one with other files."""
    if len(of) == 1:
        return of[0].words
    if of:
        kinds = list(dict.fromkeys(receipt.what for receipt in of))
        return f"{'; '.join(kinds[:3])}{' …' if len(kinds) > 3 else ''}"
    if (mapping := workspace.session().uploads.mappings.get(file.name)) and mapping.role == "leave out":
        return "left out, as you said"
    return "read together with others" if together else f"{len(file.data):,} bytes, not read yet"


def _row(name: str, words: str, parts: Sequence[report.Receipt], file: Source | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        mark = "…" if workspace.session().problem else "✓"
        st.markdown(f"{mark} **{show.plain(name)}** · {show.plain(words)}", width="stretch")
        if len(parts) > 1:
            with st.popover(show.pluralize(len(parts), "part"), type="tertiary"):
                for part in parts:
                    st.markdown(f"**{show.plain(part.file)}** · {show.plain(part.words)}")
        if file is not None:
            if (not parts or any(part.role not in VOCABULARY for part in parts)) and not _is_asked(file):
                label = "Close" if meaning.is_open(file.name) else "Change"
                controls.button(label, f"change {file.name}", meaning.turn, file.name, type="tertiary")
            controls.button("✕", f"remove {file.name}", workspace.remove, file.name, type="tertiary", help="Remove")


def _is_asked(file: Source) -> bool:
    """Return whether an open question concerns a file, or a file in this archive."""
    findings = workspace.session().findings
    names = [finding.where for finding in findings]
    names += [name for finding in findings for reply in finding.answers for name in reply.mapping]
    return any(f"{name}/".startswith(f"{file.name}/") for name in names)


def _change(file: Source) -> None:
    """Draw the form of a file; for an archive, that of all its files or of one of them."""
    name = file.name
    if is_archive(file):
        _, *members = _names(file)
        chosen = st.selectbox("In the archive", ["all files", *members], key=f"inside {file.name}")
        name = f"{file.name}/{chosen}" if chosen in members else file.name
    if (source := _source(name)) is not None:
        meaning.panel(source, name)


def _parts(files: Sequence[Source]) -> dict[str, set[str]]:
    """Return the names for each upload: its name, and for an archive also the names of the files in it."""
    return {file.name: {file.name, *(_names(file) if is_archive(file) else ())} for file in files}


def _names(file: Source) -> list[str]:
    """Return the name of an archive as it is read, and the names of the files in it."""
    return cached.of((file,), meaning.digest(file, Mapping()), _names_in)


def _names_in(file: Source) -> list[str]:
    bundle = expand(file)
    return [bundle.name, *(member.name for member in bundle.files)]


#: Columns of the statistics of annotators and systems that are shown; downloads have all.
_SHOWN_COLUMNS = (
    *("role", "source", "documents", "phrases", "shortest", "mean", "longest", "missing", "empty"),
    "duplicates, normalised",
)
_NAMED = {"mean": "mean length", "duplicates, normalised": "repeated in a list"}
#: Maximum number of phrases shown.
_MAX_PHRASES = 2000


def details() -> None:
    """Show how the data on screen were read: lists, coverage, rejected rows, files, unusual characters."""
    corpus = workspace.whole().corpus
    if workspace.current().sample is not None:
        show.small(f"Of the sample data: {workspace.current().title}.")
    _statistics(corpus)
    _coverage(corpus)
    if len(corpus.gold) and corpus.systems:
        st.markdown("**Custom similarity**")
        show.about("data.similarity")
        show.file("All phrases, one per line", lambda: as_lines(kp.phrases(corpus)), "phrases.txt", "all phrases")
    st.markdown("**How every file was read**")
    _understood(corpus)


def stopped() -> bool:
    """Return whether gold standard and systems have no document in common, so that results are meaningless."""
    return any(finding.level == "stop" for finding in findings(workspace.whole().corpus))


def wrong() -> None:
    """Show each problem of the data on screen in one line, next to its remedy."""
    corpus = workspace.whole().corpus
    if not len(corpus.gold) and not len(corpus.judgements):
        _line("There is no gold standard among these files. Add one, or say above which file it is.")
    elif len(corpus.gold) and not corpus.systems and len(corpus.annotators) < 2:
        _line("There is no system output among these files. Add one, or say above which file it is.")
    unclear = findings(corpus)
    grouped: dict[Any, list[Finding]] = {}
    for finding in unclear:
        key = finding.level, finding.expected, tuple(map(str, finding.answers))
        grouped.setdefault(key, []).append(finding)
    for first, *others in grouped.values():
        also = f" (the same for {typeset.listed([other.where for other in others], 3)})" if others else ""
        mends = [
            (first_capital(str(answer)), f"mend {first.where} {answer.words}", workspace.answer, answer)
            for answer in first.answers
        ]
        _line(f"{first.where}: {first.found}; expected: {first.expected}{also}.", *mends, level=first.level)
    _runs(corpus)
    _types(corpus)
    held(corpus.report.fixes)
    _offers(corpus, {",".join(answer.fixes) for finding in unclear for answer in finding.answers})
    if not stopped():
        _missing_lists(corpus)
        _gaps(corpus)
    if rejected := len(corpus.report.rejected):
        _line(f"{show.pluralize(rejected, 'row')} rejected: not part of any number.", _details("rejected rows"))
    _similarity(corpus)
    reported = {finding.where for finding in unclear} | set(corpus.report.rejected["file"])
    with st.container(horizontal=True):
        show.notes(note for note in corpus.report.notes if note.level != "warning" or note.where not in reported)


def _similarity(corpus: kp.Corpus) -> None:
    if not corpus.vocabulary.has_similarities or not len(corpus.gold) or corpus.datasets:
        return
    data = prepare(corpus, settings.settings())
    words = entries_in_words(corpus, data.coded, data.settings)
    without = lacking(corpus, data.coded, data.settings)
    if not without:
        show.small(words)
        return
    # Unlisted pairs count as dissimilar on purpose, but a missing vector is probably an oversight.
    shown = st.warning if len(corpus.vocabulary.vectors) else st.caption
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        shown(f"{words} The others are similar only to phrases that they equal.", width="stretch")
        show.file("The other phrases", as_lines(without), "phrases_without.txt", "phrases without")


def _line(words: str, *remedies: tuple[Any, ...], level: str = "warn") -> None:
    """Describe a problem in one line, followed by the buttons that fix it: label, key, action."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        (st.error if level == "stop" else st.warning)(show.plain(words), width="stretch")
        for label, key, act, *given in remedies:
            controls.button(show.plain(label), key, act, *given)


def _details(of: str) -> tuple[Any, ...]:
    return "See them", f"see {of}", link.choose, "data_tab", "Details"


def _understood(corpus: kp.Corpus) -> None:
    table = report.files(corpus)
    table["role"] = table["role"].replace(meaning.ROLES)
    table["format"] = [title_of(family) for family in table["family"]]
    table["evidence"] = table["evidence"].map(fields.in_words)
    wanted = ["file", "bytes", "role", "rows read", "loaded", "rejected", "blank"]
    wanted += ["format", "evidence", "encoding", "line ends"]
    more = [name for name in ("columns", "BOM", "ignored") if table[name].astype(bool).any()]
    tables.table(table[[*wanted, *more]], "files")


def _statistics(corpus: kp.Corpus) -> None:
    st.markdown("**Annotators and systems**")
    normaliser, k = settings.normaliser(), settings.cutoff_of_average()
    table = cached.of((corpus, normaliser), f"all {normaliser}", report.statistics, k)
    statistics = report.telling(table)
    statistics = statistics[[name for name in _SHOWN_COLUMNS if name in statistics]].rename(columns=_NAMED)
    tables.table(statistics.assign(role=statistics["role"].replace(meaning.ROLES)), "statistics")
    show.downloads(table, "Annotators and systems")


def _runs(corpus: kp.Corpus) -> None:
    if workspace.current().sample is not None:
        return
    in_files = {shown: name for name, shown in workspace.session().uploads.names.items()}
    for system, names in proposed_runs(corpus).items():
        words = f"{', '.join(list(names)[:6])}{' …' * (len(names) > 6)} differ little: they may be runs of one system."
        wanted = {in_files.get(name, name): run for name, run in names.items()}
        _line(words, (f"They are {len(names)} runs of {system}", f"runs of {system}", workspace.rename, wanted))


def held(fixes: Iterable[str]) -> None:
    """Report the applied fixes, each with a button that undoes it."""
    for name in fixes:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            words = f"{name}: {identifiers.WORDS[name]}"
            st.markdown(f"**Fix in use**, part of every signature: {show.plain(words)}", width="stretch")
            controls.button("Undo", f"undo {name}", workspace.fix, name, False)


def _offers(corpus: kp.Corpus, there: set[str]) -> None:
    for fix, rows in identifiers.suggestions(corpus).groupby("fix", sort=False):
        words, left, right, match, of = rows.iloc[0][["what it does", "left", "right", "match", "of"]]
        more = f", and {show.pluralize(len(rows) - 1, 'pair')} more" if len(rows) > 1 else ""
        label = f"{first_capital(words)}: {match} of {of} ids of {left} and {right} match{more}"
        if fix not in there and workspace.current().sample is None:
            _line("Some ids are written in two ways.", (label, f"fix {fix}", workspace.fix, fix, True))


def _types(corpus: kp.Corpus) -> None:
    types = dict.fromkeys(identifiers.types_in_ids(corpus.documents["doc_id"].tolist()).values())
    if types and not corpus.documents["group"].notna().any() and workspace.current().sample is None:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            show.small(f"The ids begin with {typeset.listed(list(types))}.")
            controls.button("Use these as document types", "fix types-from-ids", workspace.fix, "types-from-ids", True)


#: Side of the data → description of its documents.
_SIDES = prose.entries("sides")
#: Pairs of sides of which the second should have every document of the first.
_NEEDED = (("gold", "texts"), ("systems", "gold"))


def _gaps(corpus: kp.Corpus) -> None:
    missing = identifiers.gaps(corpus)
    for side, other, _, number, first in missing[missing["only here"] > 0].itertuples(index=False):
        if (side, other) in _NEEDED:
            what = "have no text" if other == "texts" else "are not in the gold standard"
            words = f"{show.pluralize(number, 'document')} {_SIDES[side]} {what}: {first}{' …' * (number > 10)}"
            _line(words, _details(f"{side} {other}"))


def _coverage(corpus: kp.Corpus) -> None:
    """Show the number of documents of each side, the documents of only one side, and similar ids."""
    counts = dict(identifiers.coverage(corpus).itertuples(index=False))
    st.caption(f"Documents: {', '.join(f'{number:,} {_SIDES[side]}' for side, number in counts.items())}.")
    missing, near = identifiers.gaps(corpus), identifiers.unmatched(corpus)
    listed = {
        "Documents that only one side has": missing[missing["only here"] > 0],
        "Ids that look alike": near[near["similar"] != ""],
        "Documents of the gold standard that a system has no list for": identifiers.missing(corpus),
        "Rejected rows, not part of any number": corpus.report.rejected,
        "Unusual characters": report.characters(corpus),
    }
    for title, table in listed.items():
        if len(table):
            st.markdown(f"**{title}**")
            tables.table(table, title, take=title)


def _missing_lists(corpus: kp.Corpus) -> None:
    """Report which systems lack lists, and let the user choose how these documents are scored."""
    table = identifiers.missing(corpus)
    if not len(table):
        return
    now, (system, number, of, _) = settings.settings().missing, table.iloc[0]
    more = f"; {show.pluralize(len(table) - 1, 'other system')} lack some" if len(table) > 1 else ""
    words = f"{system} has no list for {number} of {show.pluralize(of, 'document')}{more}. {_MISSING[now]}"
    ways = (("zero", "Treat them as empty"), ("skip", "Leave them out"))
    _line(words, *((label, f"missing_{value}", link.choose, "missing", value) for value, label in ways if value != now))


#: Value of the convention `missing` → how documents without a list are scored.
_MISSING = prose.entries("missing")


def normalization() -> None:
    """Show phrases before and after normalization, changed ones first."""
    words = in_words("normalise", settings.resolved().normalise)
    show.small(f"Phrases are the same if they are equal after this: {words}.")
    normaliser = settings.normaliser()
    table = cached.of((workspace.corpus(), normaliser), str(normaliser), report.normalised)
    search = st.text_input("Search phrases", key="phrase_search").strip().lower()
    matching = table[table["phrase"].str.lower().str.contains(search, regex=False)]
    tables.table(matching.head(_MAX_PHRASES), "normalised")
    if len(matching) > _MAX_PHRASES:
        st.caption(f"The first {_MAX_PHRASES:,} of {len(matching):,} distinct phrases. Search to see others.")
