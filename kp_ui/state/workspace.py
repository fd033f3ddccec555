"""Define the data of this session: the files, the corpus read from them, and a digest of both."""

import logging
import os
import re
import tomllib
from collections import abc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote

import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.corpus import Role, content_digest
from kp_core.errors import pluralize
from kp_core.reading import LIMITS, Finding, Form, Mapping, Reply, Source
from kp_core.reading.limits import refuse_over
from kp_core.reading.open.source import SHARED_FOLDER
from kp_core.reading.uploads import Uploads
from kp_core.scoring.prepare import prepare
from kp_core.studies import indexing
from kp_core.words.answers import Speech
from kp_core.words.answers import speech as speech_of
from kp_ui import ROOT
from kp_ui.state import kept, link
from kp_ui.state.apart import apart

SAMPLE_DATA = ROOT / "sample_data"
#: The query parameter for the sample on screen, and the default sample.
SAMPLE, FIRST = "sample", "lectures"
#: The query parameters for the number of the user's files, and for the key of the stored ones.
_FILES, _KEY = "files", "kept"
#: The query parameters that identify data, which a workspace file contains itself.
DATA = (SAMPLE, _FILES, _KEY)
#: The query parameter for the data set on screen, and its value for all data sets (default).
DATASET, EVERY = "dataset", "all"
#: The query parameters for hidden systems, and for displayed names.
HIDDEN, _NAMES = "hidden", "names"
#: Key of the session for the page to open next: Data after dropped files, or the page of a workspace file.
ARRIVED = "arrived"


@dataclass(frozen=True)
class Sample:
    """A data set that ships with the app: its title, and the roles of its files except vocabulary tables."""

    title: str
    files: abc.Mapping[str, Role]
    vocabulary: Sequence[str] = ()

    def uploads(self) -> Uploads:
        """Return the sample's files like uploads, each with its role."""
        roles = {path: role for name, role in self.files.items() for path in sorted(SAMPLE_DATA.glob(name))}
        paths = [*roles, *(SAMPLE_DATA / name for name in self.vocabulary)]
        files = tuple(Source(path.name, path.read_bytes()) for path in paths)
        return Uploads(files, {path.name: Mapping(role) for path, role in roles.items()})


_TOLD = tomllib.loads(Path(__file__).with_name("samples.toml").read_text("utf-8"))
SAMPLES = {name: Sample(**fields) for name, fields in _TOLD.items()}


@dataclass(frozen=True)
class Workspace:
    """The data on screen; their digest is the key of all cached results.

    uploads  the files from which they were read
    """

    corpus: kp.Corpus
    digest: str
    title: str
    sample: str | None = None
    uploads: Uploads = field(default_factory=Uploads)


_NOTHING = Workspace(kp.Corpus(), content_digest(kp.Corpus()), "no files")


@dataclass
class Session:
    """The data of one session.

    on_screen  all data of this session; None before the first files are read
    looked_at  the data on screen without hidden systems, under displayed names
    asked      whether the user opened the sample on screen; not so on a first visit or for lost files
    uploads    the user's files, including unreadable ones; pending: whether they must still be read
    problem    why the uploads are not on screen, and what must be decided first; else empty
    lost       number of files in the address that are lost; 0 after other data are loaded
    steps      entry in the address → the user's files at that time: the current ones, and those before the last change
    kept       the files stored on the server, their key, and whether this session stored them
    not_kept   whether the server stores files but failed to store the last change
    """

    on_screen: Workspace | None = None
    looked_at: Workspace | None = None
    asked: bool = False
    uploads: Uploads = field(default_factory=Uploads)
    pending: bool = False
    problem: str = ""
    findings: tuple[Finding, ...] = ()
    forms: tuple[Form, ...] = ()
    lost: int = 0
    steps: dict[str, Uploads] = field(default_factory=dict)
    kept: tuple[Uploads | None, str, bool] = (None, "", False)
    not_kept: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no data are on screen, not even the sample."""
        return self.on_screen is None or self.on_screen.digest == _NOTHING.digest


def session() -> Session:
    """Return the data of this session."""
    return cast(Session, st.session_state.setdefault("session", Session()))


def whole() -> Workspace:
    """Return the data of all data sets of this session."""
    return cast(Workspace, session().on_screen)


def dataset() -> str:
    """Return the data set on screen, the first one if all are chosen; empty if there is only one."""
    names = whole().corpus.datasets
    chosen = link.chosen().get(DATASET, EVERY)
    return chosen if chosen in names else names[0] if names else ""


def all_datasets() -> bool:
    """Return whether there are several data sets, all of which are chosen."""
    names = whole().corpus.datasets
    return bool(names) and link.chosen().get(DATASET, EVERY) not in names


def current() -> Workspace:
    """Return the data on screen: one data set, without hidden systems, under displayed names."""
    data, name = whole(), dataset()
    if not name and not {HIDDEN, _NAMES} & link.chosen().keys():
        return data
    if name:
        data = replace(data, corpus=data.corpus.by_dataset[name], digest=f"{data.digest}/{name}")
    gone, shown = hidden(), _shown_as()
    names = {system: shown.get(system, system) for system in data.corpus.systems if system not in gone}
    if len(set(names.values())) < len(names):  # equal names would be ambiguous, so originals are shown
        names = {system: system for system in names}
    if names == {system: system for system in data.corpus.systems}:
        return data
    digest = f"{data.digest} {names}"
    before = session().looked_at
    if before is None or before.digest != digest:
        before = session().looked_at = replace(data, corpus=data.corpus.of_systems(names), digest=digest)
    return before


def hidden() -> tuple[str, ...]:
    """Return the hidden systems by their names in the data; never all systems."""
    asked = {*map(unquote, link.chosen().get(HIDDEN, "").split(","))}
    systems = whole().corpus.systems
    chosen = tuple(name for name in systems if name in asked)
    return chosen if len(chosen) < len(systems) else ()


def hide(system: str) -> None:
    """Hide a system, given its displayed name."""
    link.choose(HIDDEN, ",".join(quote(name, safe=" @#") for name in (*hidden(), _in_data(system))))


def _shown_as() -> dict[str, str]:
    """Return the displayed names of systems: name in the data → name on screen."""
    pairs = (pair.split(":") for pair in link.chosen().get(_NAMES, "").split(",") if pair.count(":") == 1)
    return {unquote(name): unquote(shown) for name, shown in pairs if shown}


def show_as(system: str, name: str) -> None:
    """Change the displayed name of a system unless it is taken; an empty name restores the original."""
    if name != system and name in current().corpus.systems:
        st.toast(f"{typeset.escape_markdown(name)} is the name of another system, so this one keeps its own.")
        return
    names = {**_shown_as(), _in_data(system): name}
    pairs = [
        f"{quote(system, safe=' @#')}:{quote(shown, safe=' @#')}" for system, shown in names.items() if shown != system
    ]
    link.choose(_NAMES, ",".join(pairs) or None)


def _in_data(shown: str) -> str:
    return next((name for name, label in _shown_as().items() if label == shown), shown)


def people_alone() -> bool:
    """Return whether the data on screen have only annotators, for whom there are other pages."""
    data = session().on_screen
    return data is not None and indexing.people_alone(data.corpus)


def speech() -> Speech:
    """Return the words for people, keyphrases and documents that suit the data on screen."""
    return speech_of((session().on_screen or _NOTHING).corpus)


def read_files() -> None:
    """Load the data requested since the last run; a new session opens the sample lectures.

    If uploads wait for an answer or are lost, nothing is shown, because the sample could be mistaken for them.
    """
    state = session()
    if state.pending:
        asked = state.uploads
        several = "file" if len(asked.files) == 1 else pluralize(len(asked.files), "file")
        title = asked.title or f"your {several}"
        bar = st.progress(0.1, _reading(asked.files))
        with refusals():
            state.on_screen = _ready(asked, title, tell=bar.progress)
        state.pending = False  # not earlier, because a click may end this run while the bar is drawn
        if state.problem and (state.is_empty or whole().sample is not None):
            state.on_screen = replace(_NOTHING, title=title, uploads=asked)
        bar.empty()
    if state.on_screen is None:
        sample, files = link.chosen().get(SAMPLE, ""), link.chosen().get(_FILES, "").partition("-")[0]
        if files.isdecimal() and len(files) < 6 and int(files):
            state.on_screen, state.lost = _NOTHING, int(files)
        else:
            with st.spinner("Opening the sample …"):
                open_sample(sample if sample in SAMPLES else FIRST, sample in SAMPLES)


def corpus() -> kp.Corpus:
    """Return the corpus on screen."""
    return current().corpus


def keep_in_link() -> None:
    """Write the sample on screen (unless it is the default) or the number of the user's files into the link.

    The link does not change while files are lost, so that a reload reports it again.
    """
    state, data = session(), whole()
    if state.lost:
        return
    sample = data.sample if data.sample != FIRST or state.asked else None
    files = _step() if data.sample is None and state.uploads.files else None
    for name, text in ((SAMPLE, sample), (_FILES, files), (_KEY, _keep() if files else None)):
        link.set_default(name, text)


def _step() -> str:
    """Return the entry for the user's files in the address: their number, and the number of changes.

    The previous step is stored too, so that going back in the browser restores a removed file.
    """
    now, steps = session().uploads, session().steps
    name = next((name for name, uploads in steps.items() if uploads.files is now.files), "")
    if not name:
        asked, count = link.chosen().get(_FILES, ""), len(now.files)
        changes = 1 + max((int(step.partition("-")[2] or 0) for step in steps), default=-1)
        name = f"{count}-{changes}" if changes else str(count)
        if not steps and re.fullmatch(rf"{count}-[0-9]{{1,6}}", asked):  # a reload continues from the address
            name = asked
    before = [(step, files) for step, files in steps.items() if step != name]
    session().steps = dict(before[-1:]) | {name: now}
    return name


def _keep() -> str | None:
    """Store changed files of the user, and return their key; None if the server stores none.

    If storing fails, the previous key is returned.
    """
    data = session()
    before, key, is_ours = data.kept
    if before is not data.uploads:
        data.not_kept = False
        try:
            key, is_ours = kept.keep(data.uploads, key if is_ours else ""), True
        except OSError as error:
            kept.log("Files could not be kept", error)
            data.not_kept = True
        data.kept = data.uploads, key, is_ours
    return key or None


def reopen(gone_back: bool) -> None:
    """Reopen stored files in a new session, or the files of an earlier address in the current one."""
    asked, state = link.chosen(), session()
    if state.on_screen is not None:
        step = state.steps.get(asked.get(_FILES, "")) if gone_back else None
        if step and (step.files is not state.uploads.files or whole().sample is not None):
            open_uploads(step)
    elif not state.pending:
        key = asked.get(_KEY) or ("" if {SAMPLE, _FILES} & asked.keys() else kept.last())
        if stored := kept.find(key):
            open_uploads(stored)
            state.kept = stored, key, False


def forget() -> None:
    """Remove the user's files from this session and from the server's storage."""
    _, key, is_ours = session().kept
    if is_ours or kept.is_personal():
        kept.forget(key)
    open_uploads(Uploads())
    session().steps = {}


def waiting() -> str:
    """Describe how many of the user's files wait for an answer or cannot be read."""
    names = {form.file for form in session().forms} | {finding.where for finding in session().findings}
    if not names:
        return "Your files could not be read"
    return "One file needs an answer" if len(names) == 1 else f"{len(names)} of your files need an answer"


def answer(given: Reply) -> None:
    """Read the files again with the chosen answer to a question."""
    others = tuple(fix for fix in session().uploads.fixes if fix not in given.fixes)
    _change(mappings={**session().uploads.mappings, **given.mapping}, fixes=(*others, *given.fixes))


def open_sample(name: str, asked: bool = True) -> None:
    """Show a sample, on request or by default; the user's files are still listed."""
    state = session()
    state.lost, state.asked, state.on_screen = 0, asked, sample_workspace(name)


@cache  # samples are shared by all sessions
def sample_workspace(sample: str) -> Workspace:
    """Return a sample without showing it."""
    return _ready(SAMPLES[sample].uploads(), SAMPLES[sample].title, sample)


def add(files: Sequence[Source], beside_sample: bool = False) -> None:
    """Add files to those of the user; a file replaces one of the same name.

    Files that exceed the limit of a session are refused. beside_sample: first add the files of the sample on screen.
    """
    if beside_sample and (sample := current().sample) is not None:
        session().uploads = SAMPLES[sample].uploads()
    names = {file.name for file in files}
    every = (*(file for file in session().uploads.files if file.name not in names), *files)
    try:
        refuse_over(LIMITS.session_bytes, sum(len(file.data) for file in every), "bytes", files[-1].name, "all files")
    except kp.InputError as refusal:
        session().problem = str(refusal)
    else:
        _change(files=every, title="")


def on_the_server() -> bool:
    """Return whether other people can open the data by the address: a sample, or stored files."""
    return current().sample is not None or _KEY in st.query_params


def shared_folder() -> Path | None:
    """Return the folder of shared data sets from `KPSCOPE_DATA`, or None."""
    root = os.environ.get(SHARED_FOLDER, "")
    return Path(root) if root else None


def remove(name: str) -> None:
    """Remove a file; without any file, the sample is shown again."""
    files = tuple(file for file in session().uploads.files if file.name != name)
    inside = f"{name}/"
    pairs = session().uploads.mappings.items()
    mappings = {file: mapping for file, mapping in pairs if file != name and not file.startswith(inside)}
    _change(files=files, mappings=mappings, title="")


def decide(name: str, mapping: Mapping) -> None:
    """Read a file with the mapping of the user; an empty mapping removes it."""
    others = {file: meaning for file, meaning in session().uploads.mappings.items() if file != name}
    _change(mappings={**others, **({} if mapping == Mapping() else {name: mapping})})


def fix(name: str, wanted: bool) -> None:
    """Apply or undo one or several fixes, separated by commas."""
    names = name.split(",")
    others = tuple(other for other in session().uploads.fixes if other not in names)
    _change(fixes=(*others, *names) if wanted else others)


def rename(names: dict[str, str]) -> None:
    """Rename systems: name in the files → name on screen."""
    _change(names={**session().uploads.names, **names})


def _change(**parts: Any) -> None:
    open_uploads(replace(session().uploads, **parts))


def open_uploads(asked: Uploads) -> None:
    """Have the next run of the page read the user's files."""
    state = session()
    state.uploads, state.pending, state.lost = asked if asked.files else Uploads(), bool(asked.files), 0
    state.problem, state.findings, state.forms = "", (), ()
    if not asked.files:
        _, key, is_ours = state.kept
        kept.forget(key if is_ours else "")
        state.kept, state.not_kept = (None, "", False), False
        open_sample(FIRST, asked=False)


@contextmanager
def refusals() -> Iterator[None]:
    """Report why files cannot be loaded; the data on screen do not change."""
    state = session()
    try:
        yield
    except (kp.InputError, kp.UsageError) as refusal:
        state.problem, state.findings, state.forms = str(refusal), (), ()
        if isinstance(refusal, kp.Question):
            state.findings, state.forms = refusal.findings, refusal.forms
    except Exception:
        logging.getLogger("kpscope").exception("Files could not be read")
        state.problem = (
            "Something went wrong inside KPScope while it read these files. Remove the last one, and try again."
        )


def _reading(files: Sequence[Source]) -> str:
    names = typeset.escape_markdown(typeset.listed([file.name for file in files], 4))
    return f"Reading {names} ({sum(len(file.data) for file in files) / 1e6:,.1f} MB) …"


def _ready(
    files: Uploads, title: str, sample: str | None = None, tell: Callable[[float, str], object] = lambda share, words: 0
) -> Workspace:
    """Return a workspace with coded and normalized phrases; tell: called with the progress."""
    corpus = apart(files.load) if sample is None else files.load()
    parts = corpus.by_dataset or {title: corpus}
    for place, (name, part) in enumerate(parts.items()):
        tell(0.5 + 0.5 * place / len(parts), f"Normalizing the phrases of {typeset.escape_markdown(name)} …")
        if len(part.gold):
            prepare(part)
    return Workspace(corpus, content_digest(corpus), title, sample, files)
