"""Define the data of this session: the files, the corpus read from them, and a digest of both."""

import logging
import tomllib
from collections import abc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, quote, unquote, urlencode

import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.corpus import Role, content_digest
from kp_core.errors import pluralize
from kp_core.reading import LIMITS, Finding, Form, Mapping, Reply, Source, findings
from kp_core.reading.limits import refuse_over
from kp_core.reading.rows.identifiers import suggestions
from kp_core.reading.uploads import Uploads
from kp_core.scoring.prepare import prepare
from kp_core.studies import subjects
from kp_core.words.answers import Terms, terms_for
from kp_ui import ROOT
from kp_ui.state import kept, link
from kp_ui.state.separate_process import in_separate_process

SAMPLE_DATA = ROOT / "sample_data"
SAMPLE, FIRST = "sample", "lectures"
#: The query parameters that say whether the user's files are on screen, and under which key they are stored.
_FILES, KEY = "files", "kept"
#: The query parameters that identify data, which a workspace file contains itself.
DATA = (SAMPLE, _FILES, KEY)
DATASET, EVERY = "dataset", "all"
HIDDEN, _NAMES = "hidden", "names"
#: The fix of ids that is applied without a question if it makes all ids match.
EXTENSION = "strip-extension"
#: Key in the session state of the page to open next: Data after files were dropped, or that of a workspace file.
NEXT_PAGE = "arrived"


@dataclass(frozen=True)
class Sample:
    """A data set that comes with the app: its title, the roles of its files, and its vocabulary tables."""

    title: str
    files: abc.Mapping[str, Role]
    vocabulary: Sequence[str] = ()

    def uploads(self) -> Uploads:
        """Return the sample's files as if the user had uploaded them, each with its role."""
        roles = {path: role for name, role in self.files.items() for path in sorted(SAMPLE_DATA.glob(name))}
        paths = [*roles, *(SAMPLE_DATA / name for name in self.vocabulary)]
        files = tuple(Source(path.name, path.read_bytes()) for path in paths)
        return Uploads(files, {path.name: Mapping(role) for path, role in roles.items()})


_SAMPLE_FIELDS = tomllib.loads(Path(__file__).with_name("samples.toml").read_text("utf-8"))
SAMPLES = {name: Sample(**fields) for name, fields in _SAMPLE_FIELDS.items()}


@dataclass(frozen=True)
class Workspace:
    """The data on screen; their digest is part of the key of all cached results.

    * `uploads`: the files from which the data were read
    """

    corpus: kp.Corpus
    digest: str
    title: str
    sample: str | None = None
    uploads: Uploads = field(default_factory=Uploads)


_NO_DATA = Workspace(kp.Corpus(), content_digest(kp.Corpus()), "no files")


@dataclass
class Session:
    """The data of one session.

    * `on_screen`: all data of this session; None before the first files are read
    * `displayed`: all data, the choices that select from them, and the data on screen
    * `chose_sample`: whether the user opened the sample on screen; False on a first visit or for lost files
    * `uploads`: the user's files, including unreadable ones; `pending`: whether they must still be read
    * `added`: whether files were added since the last reading; ids that differ by an extension are then mended
    * `problem`: why the uploads are not on screen, and what the user must decide first; else empty
    * `lost`: whether the address refers to files that are lost; False after other data are loaded
    * `before_removal`: the uploads before the last change, if it removed a file
    * `stored`: the files stored on the server, their key, and whether this session stored them
    * `not_stored`: whether the server stores files but failed to store the last change
    """

    on_screen: Workspace | None = None
    displayed: tuple[object, object, Workspace] = (None, None, _NO_DATA)
    chose_sample: bool = False
    uploads: Uploads = field(default_factory=Uploads)
    pending: bool = False
    added: bool = False
    problem: str = ""
    findings: tuple[Finding, ...] = ()
    forms: tuple[Form, ...] = ()
    lost: bool = False
    before_removal: Uploads | None = None
    stored: tuple[Uploads | None, str, bool] = (None, "", False)
    not_stored: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there are no data on screen, not even a sample."""
        return self.on_screen is None or self.on_screen.digest == _NO_DATA.digest


def session() -> Session:
    """Return the data of this session."""
    return cast(Session, st.session_state.setdefault("session", Session()))


def all_data() -> Workspace:
    """Return the data of this session, with all data sets and systems."""
    return cast(Workspace, session().on_screen)


def dataset() -> str:
    """Return the name of the data set on screen, the first if all are chosen; empty if the data have no data sets."""
    names = all_data().corpus.datasets
    chosen = link.chosen().get(DATASET, EVERY)
    return chosen if chosen in names else names[0] if names else ""


def all_datasets() -> bool:
    """Return whether the data have data sets, all of which are chosen."""
    names = all_data().corpus.datasets
    return bool(names) and link.chosen().get(DATASET, EVERY) not in names


def current() -> Workspace:
    """Return the data on screen: one data set, without hidden systems, with displayed names of systems."""
    state, choices = session(), link.chosen()
    selection = [*map(choices.get, (DATASET, HIDDEN, _NAMES))]
    if state.displayed[0] is not state.on_screen or state.displayed[1] != selection:
        state.displayed = state.on_screen, selection, _displayed(all_data(), dataset())
    return state.displayed[2]


def _displayed(data: Workspace, name: str) -> Workspace:
    if name:
        data = replace(data, corpus=data.corpus.by_dataset[name], digest=f"{data.digest}/{name}")
    hidden_systems, displayed = hidden(), _displayed_names()
    names = {system: displayed.get(system, system) for system in data.corpus.systems if system not in hidden_systems}
    if len(set(names.values())) < len(names):  # equal names would be ambiguous, so originals are shown
        names = {system: system for system in names}
    if names == {system: system for system in data.corpus.systems}:
        return data
    return replace(data, corpus=data.corpus.of_systems(names), digest=f"{data.digest} {names}")


def hidden() -> tuple[str, ...]:
    """Return the names in the data of the hidden systems; if all are hidden, none."""
    requested = {*map(unquote, link.chosen().get(HIDDEN, "").split(","))}
    systems = all_data().corpus.systems
    chosen = tuple(name for name in systems if name in requested)
    return chosen if len(chosen) < len(systems) else ()


def hide(system: str) -> None:
    """Hide a system, given its displayed name."""
    link.choose(HIDDEN, ",".join(quote(name, safe=" @#") for name in (*hidden(), _original_name(system))))


def _displayed_names() -> dict[str, str]:
    """Return the displayed names of systems: name in the data → name on screen."""
    return dict(parse_qsl(link.chosen().get(_NAMES, "")))


def show_as(system: str, label: str) -> None:
    """Change the displayed name of a system unless it is taken; an empty name restores the original."""
    if label != system and label in current().corpus.systems:
        st.toast(f"{typeset.escape_markdown(label)} is already the name of another system; the name was not changed.")
        return
    names = {**_displayed_names(), _original_name(system): label}
    link.choose(_NAMES, urlencode({name: displayed for name, displayed in names.items() if name != displayed}) or None)


def _original_name(displayed: str) -> str:
    return next((name for name, label in _displayed_names().items() if label == displayed), displayed)


def has_only_annotators() -> bool:
    """Return whether the data on screen have annotators but no systems, for which there are other pages."""
    return subjects.has_only_annotators((session().on_screen or _NO_DATA).corpus)


def terms() -> Terms:
    """Return the words for annotators, keyphrases and documents that suit the data on screen."""
    return terms_for((session().on_screen or _NO_DATA).corpus)


def read_files() -> None:
    """Load the data requested since the last run; a new session opens the sample lectures.

    If uploads are lost or need an answer, no sample is shown, because it could be mistaken for the uploads.
    """
    state = session()
    if state.pending:
        uploads = state.uploads
        files_in_words = "file" if len(uploads.files) == 1 else pluralize(len(uploads.files), "file")
        title = uploads.title or f"your {files_in_words}"
        names = typeset.escape_markdown(typeset.listed([file.name for file in uploads.files], 4))
        megabytes = sum(len(file.data) for file in uploads.files) / 1e6
        bar = st.progress(0.1, f"Reading {names} ({megabytes:,.1f} MB) …")
        with refusals():
            state.on_screen = _read_workspace(uploads, title, report_progress=bar.progress)
            if state.added and _differ_by_extension(state.on_screen.corpus):
                uploads = state.uploads = replace(uploads, fixes=(*uploads.fixes, EXTENSION))
                state.on_screen = _read_workspace(uploads, title)
        state.added = False
        state.pending = False  # not earlier, because a click may end this run while the bar is drawn
        if state.problem and (state.is_empty or all_data().sample is not None):
            state.on_screen = replace(_NO_DATA, title=title, uploads=uploads)
        bar.empty()
    if state.on_screen is None:
        sample = link.chosen().get(SAMPLE, "")
        if link.chosen().get(_FILES):
            state.on_screen, state.lost = _NO_DATA, True
        else:
            with st.spinner("Opening the sample …"):
                open_sample(sample if sample in SAMPLES else FIRST, sample in SAMPLES)


def _differ_by_extension(corpus: kp.Corpus) -> bool:
    """Return whether a system lacks every document of the gold standard only because of an extension of all ids."""
    offers = suggestions(corpus)
    complete = {*offers["fix"]} == {EXTENSION} and (offers["match"] == offers["of"]).all()
    return complete and any(finding.level == "stop" for finding in findings(corpus))


def corpus() -> kp.Corpus:
    """Return the corpus on screen."""
    return current().corpus


def keep_in_link() -> None:
    """Write into the link which sample is on screen (unless it is the default), or that the user's files are on screen.

    While files are lost, the link does not change, so that a reload reports the loss again. When one of several files
    is removed, the link does not change either, so that the browser's Back button then leaves the page.
    """
    state, data = session(), all_data()
    if state.lost:
        return
    sample = data.sample if data.sample != FIRST or state.chose_sample else None
    files = "yes" if data.sample is None and state.uploads.files else None
    for name, text in ((SAMPLE, sample), (_FILES, files), (KEY, _store() if files else None)):
        link.set_default(name, text)


def _store() -> str | None:
    """Store the user's files if they changed, and return their key; None if the server does not store files.

    If storing fails, return the previous key.
    """
    state = session()
    stored_uploads, key, stored_here = state.stored
    if stored_uploads is not state.uploads:
        state.not_stored = False
        try:
            key, stored_here = kept.keep(state.uploads, key if stored_here else ""), True
        except OSError as error:
            kept.log("Files could not be kept", error)
            state.not_stored = True
        state.stored = state.uploads, key, stored_here
    return key or None


def reopen() -> None:
    """Reopen stored files in a new session."""
    choices, state = link.chosen(), session()
    if state.on_screen is None and not state.pending:
        key = choices.get(KEY) or ("" if {SAMPLE, _FILES} & choices.keys() else kept.last())
        if stored := kept.find(key):
            open_uploads(stored)
            state.stored = stored, key, False


def forget() -> None:
    """Remove the user's files from this session and from the server's storage."""
    _, key, stored_here = session().stored
    if stored_here or kept.is_personal():
        kept.forget(key)
    open_uploads(Uploads())


def waiting() -> str:
    """Describe how many of the user's files need an answer, or that they could not be read."""
    names = {form.file for form in session().forms} | {finding.where for finding in session().findings}
    if not names:
        return "Your files could not be read"
    return "One file needs an answer" if len(names) == 1 else f"{len(names)} of your files need an answer"


def answer(reply: Reply) -> None:
    """Read the files again with the user's answer to a question."""
    others = tuple(fix for fix in session().uploads.fixes if fix not in reply.fixes)
    _change_uploads(mappings={**session().uploads.mappings, **reply.mapping}, fixes=(*others, *reply.fixes))


def open_sample(name: str, asked: bool = True) -> None:
    """Show a sample, and keep the user's files. `asked`: whether the user requested the sample"""
    state = session()
    state.lost, state.chose_sample, state.on_screen = False, asked, _sample_workspace(name)


@cache  # samples are shared by all sessions
def _sample_workspace(sample: str) -> Workspace:
    return _read_workspace(SAMPLES[sample].uploads(), SAMPLES[sample].title, sample)


def add(files: Sequence[Source], beside_sample: bool = False) -> None:
    """Add files to the user's files; a new file replaces a file of the same name.

    Files that exceed the limit of a session are refused. `beside_sample`: whether to add the sample's files first
    """
    if beside_sample and (sample := current().sample) is not None:
        session().uploads = SAMPLES[sample].uploads()
    # A new version of a file takes the place of the old one, so that systems keep their order and colors.
    uploads = tuple({file.name: file for file in (*session().uploads.files, *files)}.values())
    try:
        refuse_over(LIMITS.session_bytes, sum(len(file.data) for file in uploads), "bytes", files[-1].name, "all files")
    except kp.InputError as refusal:
        session().problem = str(refusal)
    else:
        session().added = True
        _change_uploads(files=uploads, title="")


def remove(name: str) -> None:
    """Remove a file; if no file is left, the sample is shown again."""
    files = tuple(file for file in session().uploads.files if file.name != name)
    folder, before = f"{name}/", session().uploads
    pairs = session().uploads.mappings.items()
    mappings = {file: mapping for file, mapping in pairs if file != name and not file.startswith(folder)}
    _change_uploads(files=files, mappings=mappings, title="")
    session().before_removal = before


def decide(name: str, mapping: Mapping) -> None:
    """Read a file with the user's mapping; an empty mapping removes the mapping of the file."""
    others = {file: meaning for file, meaning in session().uploads.mappings.items() if file != name}
    _change_uploads(mappings={**others, **({} if mapping == Mapping() else {name: mapping})})


def fix(name: str, wanted: bool) -> None:
    """Apply or undo one or several fixes, separated by commas. `wanted`: whether to apply them"""
    names = name.split(",")
    others = tuple(other for other in session().uploads.fixes if other not in names)
    _change_uploads(fixes=(*others, *names) if wanted else others)


def rename(names: dict[str, str]) -> None:
    """Rename systems. `names`: name in the files → new name"""
    _change_uploads(names={**session().uploads.names, **names})


def _change_uploads(**parts: Any) -> None:
    open_uploads(replace(session().uploads, **parts))


def open_uploads(uploads: Uploads) -> None:
    """Request that the next run of the page reads the user's files; without files, show the sample."""
    state = session()
    state.uploads, state.pending, state.lost = uploads if uploads.files else Uploads(), bool(uploads.files), False
    state.problem, state.findings, state.forms, state.before_removal = "", (), (), None
    if not uploads.files:
        _, key, stored_here = state.stored
        kept.forget(key if stored_here else "")
        state.stored, state.not_stored = (None, "", False), False
        open_sample(FIRST, asked=False)


@contextmanager
def refusals() -> Iterator[None]:
    """If files cannot be loaded, store the reason in the session; the data on screen do not change."""
    state = session()
    try:
        yield
    except (kp.InputError, kp.UsageError) as refusal:
        state.problem, state.findings, state.forms = str(refusal), (), ()
        if isinstance(refusal, kp.Question):
            state.findings, state.forms = refusal.findings, refusal.forms
    except Exception:
        logging.getLogger("kpscope").exception("Files could not be read")
        message = "Something went wrong inside KPScope while it read these files."
        state.problem = f"{message} Remove the last file, and try again."


def _read_workspace(
    files: Uploads,
    title: str,
    sample: str | None = None,
    report_progress: Callable[[float, str], object] = lambda share, words: 0,
) -> Workspace:
    """Read files, and return them as a workspace with normalized phrases. `report_progress`: called with the share"""
    corpus = in_separate_process(files.load) if sample is None else files.load()
    parts = corpus.by_dataset or {title: corpus}
    for position, (name, part) in enumerate(parts.items()):
        report_progress(
            0.5 + 0.5 * position / len(parts), f"Normalizing the phrases of {typeset.escape_markdown(name)} …"
        )
        if len(part.gold):
            prepare(part)
    return Workspace(corpus, content_digest(corpus), title, sample, files)
