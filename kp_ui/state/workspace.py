"""Hold what this session has loaded: the files, the corpus read from them, and a digest that names both."""

import logging
import os
import re
import tomllib
from collections import abc
from collections.abc import Iterator, Sequence
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
from kp_core.words.speech import Speech
from kp_core.words.speech import speech as speech_of
from kp_ui import ROOT
from kp_ui.state import kept, link
from kp_ui.state.apart import apart

SAMPLE_DATA = ROOT / "sample_data"
_CURRENT, _UPLOADS, _PENDING = "workspace", "uploads", "pending"
_PROBLEM, _QUESTION = "problem", "question"
#: The query parameter that names the sample on screen, and the sample that opens without it.
SAMPLE, FIRST = "sample", "lectures"
#: The query parameter that says how many files of the user's own are on screen.
_FILES, _LOST = "files", "lost files"
#: What stood there in this session → the user's files then: those of now, and those before the last change.
_STEPS = "steps"
#: The query parameter with the key of kept files, where the server keeps any; what is kept, its key, and if by us.
_KEY, _KEPT, _NOT_KEPT = "kept", "kept files", "not kept"
#: What of a link names data, which a workspace file has itself.
DATA = (SAMPLE, _FILES, _KEY)
#: The choice of the data set on screen, where documents are of several; all of them unless one is chosen.
DATASET, EVERY = "dataset", "all"
#: The choices of systems that are hidden, and of the names that others are shown by; the corpus without and with them.
HIDDEN, _NAMES, _LOOKED_AT = "hidden", "names", "looked at"
#: Whether somebody asked for the sample on screen; a first visit and lost files did not.
_ASKED = "asked for the sample"
#: Where to go on: on the Data page for files dropped beside another, on the page of a workspace file that was opened.
ARRIVED = "arrived"


@dataclass(frozen=True)
class Sample:
    """A data set that ships with the app: its title, and what its files are; the vocabulary's tell that themselves."""

    title: str
    files: abc.Mapping[str, Role]
    vocabulary: Sequence[str] = ()

    def uploads(self) -> Uploads:
        """Return the sample's files as if the user had loaded them, each with what it is."""
        roles = {path: role for name, role in self.files.items() for path in sorted(SAMPLE_DATA.glob(name))}
        paths = [*roles, *(SAMPLE_DATA / name for name in self.vocabulary)]
        files = tuple(Source(path.name, path.read_bytes()) for path in paths)
        return Uploads(files, {path.name: Mapping(role) for path, role in roles.items()})


_TOLD = tomllib.loads(Path(__file__).with_name("samples.toml").read_text("utf-8"))
SAMPLES = {name: Sample(**one) for name, one in _TOLD.items()}


@dataclass(frozen=True)
class Workspace:
    """The data on screen; digest names them, and every cached result is kept under it.

    uploads  the files that they were read from
    """

    corpus: kp.Corpus
    digest: str
    title: str
    sample: str | None = None
    uploads: Uploads = field(default_factory=Uploads)


_NOTHING = Workspace(kp.Corpus(), content_digest(kp.Corpus()), "no files")


def whole() -> Workspace:
    """Return all data of this session, of whatever data sets they are."""
    return cast(Workspace, st.session_state[_CURRENT])


def dataset() -> str:
    """Return the data set on screen, the first where all are chosen; empty where there is one."""
    names = whole().corpus.datasets
    chosen = link.chosen().get(DATASET, EVERY)
    return chosen if chosen in names else names[0] if names else ""


def all_datasets() -> bool:
    """Tell whether there are several data sets, and all of them are chosen."""
    names = whole().corpus.datasets
    return bool(names) and link.chosen().get(DATASET, EVERY) not in names


def current() -> Workspace:
    """Return the data on screen: of several data sets one; no hidden systems, the others as they are to be shown."""
    here, name = whole(), dataset()
    if not name and not {HIDDEN, _NAMES} & link.chosen().keys():
        return here
    if name:
        here = replace(here, corpus=here.corpus.by_dataset[name], digest=f"{here.digest}/{name}")
    gone, shown = hidden(), _shown_as()
    names = {one: shown.get(one, one) for one in here.corpus.systems if one not in gone}
    if len(set(names.values())) < len(names):  # two of one name cannot be told apart, so each keeps its own
        names = {one: one for one in names}
    if names == {one: one for one in here.corpus.systems}:
        return here
    digest = f"{here.digest} {names}"
    before: Workspace | None = st.session_state.get(_LOOKED_AT)
    if before is None or before.digest != digest:
        before = replace(here, corpus=here.corpus.of_systems(names), digest=digest)
        st.session_state[_LOOKED_AT] = before
    return before


def hidden() -> tuple[str, ...]:
    """Return the systems that are hidden, by their names in the data; never all of them."""
    asked = {*map(unquote, link.chosen().get(HIDDEN, "").split(","))}
    systems = whole().corpus.systems
    found = tuple(name for name in systems if name in asked)
    return found if len(found) < len(systems) else ()


def hide(system: str) -> None:
    """Hide a system, named as it is shown."""
    link.choose(HIDDEN, ",".join(quote(name, safe=" @#") for name in (*hidden(), _in_data(system))))


def _shown_as() -> dict[str, str]:
    """Return the names that systems are to be shown by: name in the data → name on screen."""
    pairs = (pair.split(":") for pair in link.chosen().get(_NAMES, "").split(",") if pair.count(":") == 1)
    return {unquote(name): unquote(shown) for name, shown in pairs if shown}


def show_as(system: str, name: str) -> None:
    """Show a system by another name, unless another one has it; an empty one takes that back."""
    if name != system and name in current().corpus.systems:
        st.toast(f"{typeset.escape_markdown(name)} is the name of another system, so this one keeps its own.")
        return
    names = {**_shown_as(), _in_data(system): name}
    pairs = [f"{quote(one, safe=' @#')}:{quote(shown, safe=' @#')}" for one, shown in names.items() if shown != one]
    link.choose(_NAMES, ",".join(pairs) or None)


def _in_data(shown: str) -> str:
    """Return the name in the data of a system that is shown by another one."""
    return next((name for name, one in _shown_as().items() if one == shown), shown)


def of_indexers() -> bool:
    """Tell whether people alone are on screen: the pages then speak of indexers, headings and titles."""
    return _CURRENT in st.session_state and indexing.of_indexers(whole().corpus)


def speech() -> Speech:
    """Return what people, keyphrases and documents are called with the data on screen."""
    return speech_of(whole().corpus)


def read_files() -> None:
    """Put on screen what was asked for since the last run; a new session opens on the sample lectures.

    Uploads that wait for an answer, or that an address names and are not here, leave nothing on screen: the sample
    could be taken for them.
    """
    if st.session_state.pop(_PENDING, False):
        asked = uploads()
        several = "file" if len(asked.files) == 1 else pluralize(len(asked.files), "file")
        title = asked.title or f"your {several}"
        with refusals():
            st.session_state[_CURRENT] = _ready(asked, title)
        if problem() and (_CURRENT not in st.session_state or whole().sample is not None or is_empty()):
            st.session_state[_CURRENT] = replace(_NOTHING, title=title, uploads=asked)
    if _CURRENT not in st.session_state:
        sample, files = link.chosen().get(SAMPLE, ""), link.chosen().get(_FILES, "").partition("-")[0]
        if files.isdecimal() and len(files) < 6 and int(files):
            st.session_state[_CURRENT] = _NOTHING
            st.session_state[_LOST] = int(files)
        else:
            open_sample(sample if sample in SAMPLES else FIRST, sample in SAMPLES)


def is_asked_for() -> bool:
    """Tell whether the data on screen are the user's own, or a sample that somebody asked for."""
    return current().sample is None or bool(st.session_state.get(_ASKED))


def corpus() -> kp.Corpus:
    """Return the corpus on screen."""
    return current().corpus


def keep_in_link() -> None:
    """Write into the link which sample is on screen, unless it opens anyway, or how many files of the user's own.

    While files are lost it stays as it is: a further reload must say so too.
    """
    if lost_files():
        return
    here = current()
    sample = here.sample if here.sample != FIRST or st.session_state.get(_ASKED) else None
    files = _step() if here.sample is None and uploads().files else None
    for name, text in ((SAMPLE, sample), (_FILES, files), (_KEY, _keep() if files else None)):
        link.settle(name, text)


def _step() -> str:
    """Return what the address says of the user's files: how many, and after a change how often they changed.

    The step before is noted too, so that going back to its address brings back a file that was removed.
    """
    now, steps = uploads(), st.session_state.setdefault(_STEPS, {})
    name = next((name for name, one in steps.items() if one.files is now.files), "")
    if not name:
        asked, count = link.chosen().get(_FILES, ""), len(now.files)
        changes = 1 + max((int(one.partition("-")[2] or 0) for one in steps), default=-1)
        name = f"{count}-{changes}" if changes else str(count)
        if not steps and re.fullmatch(rf"{count}-[0-9]{{1,6}}", asked):  # a reload goes on with its address
            name = asked
    before = [(one, files) for one, files in steps.items() if one != name]
    st.session_state[_STEPS] = dict(before[-1:]) | {name: now}
    return name


def _keep() -> str | None:
    """Return the key of the user's files, after keeping what has changed; None where the server keeps none.

    Where that fails, the key of what was kept before stays.
    """
    before, key, here = st.session_state.get(_KEPT, (None, "", False))
    if before is not uploads():
        st.session_state[_NOT_KEPT] = False
        try:
            key, here = kept.keep(uploads(), key if here else ""), True
        except OSError as error:
            kept.log("Files could not be kept", error)
            st.session_state[_NOT_KEPT] = True
        st.session_state[_KEPT] = uploads(), key, here
    return key or None


def not_kept() -> bool:
    """Tell whether the server keeps files, but not the last change of these."""
    return bool(st.session_state.get(_NOT_KEPT, False))


def reopen(gone_back: bool) -> None:
    """Open the files that the server kept in a new session; in this one, those of the address that was gone back to."""
    asked = link.chosen()
    if _CURRENT in st.session_state:
        step = st.session_state.get(_STEPS, {}).get(asked.get(_FILES, "")) if gone_back else None
        if step and (step.files is not uploads().files or whole().sample is not None):
            open_uploads(step)
    elif not st.session_state.get(_PENDING):
        key = asked.get(_KEY) or ("" if {SAMPLE, _FILES} & asked.keys() else kept.last())
        if found := kept.find(key):
            open_uploads(found)
            st.session_state[_KEPT] = found, key, False


def forget() -> None:
    """Forget the user's files, here and where they are kept."""
    _, key, here = st.session_state.get(_KEPT, (None, "", False))
    if here or kept.is_personal():
        kept.forget(key)
    open_uploads(Uploads())
    st.session_state.pop(_STEPS, None)


def lost_files() -> int:
    """Return how many files the address speaks of that this session does not have; 0 once there are other data."""
    return int(st.session_state.get(_LOST, 0))


def uploads() -> Uploads:
    """Return the user's files, also those that could not be read."""
    return cast(Uploads, st.session_state.setdefault(_UPLOADS, Uploads()))


def problem() -> str:
    """Return why the user's files are not on screen; empty if they are, or if there are none."""
    return str(st.session_state.get(_PROBLEM, ""))


def is_empty() -> bool:
    """Return whether no data are on screen, not even the sample."""
    return whole().digest == _NOTHING.digest


def waiting() -> str:
    """Describe in words how many files of the user's wait for an answer, or that they cannot be read."""
    names = {form.file for form in forms()} | {finding.where for finding in findings()}
    if not names:
        return "Your files could not be read"
    return "One file needs an answer" if len(names) == 1 else f"{len(names)} of your files need an answer"


def findings() -> tuple[Finding, ...]:
    """Return what must be decided before the user's files can be on screen, if it is that which keeps them off."""
    asked = cast("kp.Question | None", st.session_state.get(_QUESTION))
    return asked.findings if asked else ()


def forms() -> tuple[Form, ...]:
    """Return the forms of files whose meaning must be said before the user's files can be on screen."""
    asked = cast("kp.Question | None", st.session_state.get(_QUESTION))
    return asked.forms if asked else ()


def answer(given: Reply) -> None:
    """Read the files as an answer to a question says."""
    others = tuple(fix for fix in uploads().fixes if fix not in given.fixes)
    _change(mappings={**uploads().mappings, **given.mapping}, fixes=(*others, *given.fixes))


def open_sample(name: str, asked: bool = True) -> None:
    """Put a sample on screen, asked for or in place of nothing; the user's files stay listed."""
    st.session_state[_LOST], st.session_state[_ASKED] = 0, asked
    st.session_state[_CURRENT] = sample_workspace(name)


@cache  # all sessions of a server share the samples
def sample_workspace(sample: str) -> Workspace:
    """Return a sample, without putting it on screen."""
    return _ready(SAMPLES[sample].uploads(), SAMPLES[sample].title, sample)


def add(files: Sequence[Source], beside_sample: bool = False) -> None:
    """Add files to the user's own; one of the same name takes the place of the former.

    Files that would take a session over its limit are not kept.
    beside_sample: the files of a sample on screen become the user's own first.
    """
    if beside_sample and (sample := current().sample) is not None:
        st.session_state[_UPLOADS] = SAMPLES[sample].uploads()
    names = {file.name for file in files}
    every = (*(file for file in uploads().files if file.name not in names), *files)
    try:
        refuse_over(LIMITS.session_bytes, sum(len(file.data) for file in every), "bytes", files[-1].name, "all files")
    except kp.InputError as refusal:
        st.session_state[_PROBLEM] = str(refusal)
    else:
        _change(files=every, title="")


def on_the_server() -> bool:
    """Tell whether an address of this session leads others to the same data: a sample, or files that are kept."""
    return current().sample is not None or _KEY in st.query_params


def shared_folder() -> Path | None:
    """Return the folder whose files everybody here may read, from `KPSCOPE_DATA`; None where there is none."""
    root = os.environ.get(SHARED_FOLDER, "")
    return Path(root) if root else None


def remove(name: str) -> None:
    """Take a file away; without any, the sample comes back."""
    kept = tuple(file for file in uploads().files if file.name != name)
    inside = f"{name}/"
    said = uploads().mappings.items()
    mappings = {file: mapping for file, mapping in said if file != name and not file.startswith(inside)}
    _change(files=kept, mappings=mappings, title="")


def decide(name: str, mapping: Mapping) -> None:
    """Read a file as the user says; a mapping that says nothing takes back what was said."""
    others = {file: said for file, said in uploads().mappings.items() if file != name}
    _change(mappings={**others, **({} if mapping == Mapping() else {name: mapping})})


def fix(name: str, wanted: bool) -> None:
    """Apply a fix, or several with commas between them; or take them back."""
    names = name.split(",")
    others = tuple(other for other in uploads().fixes if other not in names)
    _change(fixes=(*others, *names) if wanted else others)


def rename(names: dict[str, str]) -> None:
    """Give systems other names: name in the files → name on screen."""
    _change(names={**uploads().names, **names})


def _change(**parts: Any) -> None:
    """Put the user's files on screen with something else about them."""
    open_uploads(replace(uploads(), **parts))


def open_uploads(asked: Uploads) -> None:
    """Put the user's files on screen as soon as the page says that it opens them."""
    st.session_state[_UPLOADS] = asked if asked.files else Uploads()
    st.session_state[_PROBLEM], st.session_state[_QUESTION] = "", None
    st.session_state[_PENDING], st.session_state[_LOST] = bool(asked.files), 0
    if not asked.files:
        _, key, here = st.session_state.pop(_KEPT, (None, "", False))
        kept.forget(key if here else "")
        st.session_state[_NOT_KEPT] = False
        open_sample(FIRST, asked=False)


@contextmanager
def refusals() -> Iterator[None]:
    """Say why files are not on screen, whatever goes wrong inside; the screen stays as it was."""
    try:
        yield
    except (kp.InputError, kp.UsageError) as refusal:
        st.session_state[_PROBLEM] = str(refusal)
        st.session_state[_QUESTION] = refusal if isinstance(refusal, kp.Question) else None
    except Exception:
        logging.getLogger("kpscope").exception("Files could not be read")
        words = "Something went wrong inside KPScope while it read these files. Remove the last one, and try again."
        st.session_state[_PROBLEM] = words


def _ready(files: Uploads, title: str, sample: str | None = None) -> Workspace:
    """Return a workspace whose phrases are coded and normalised already, while the page still says that it opens."""
    corpus = apart(files.load) if sample is None else files.load()
    for part in corpus.by_dataset.values() or (corpus,):
        if len(part.gold):
            prepare(part)
    return Workspace(corpus, content_digest(corpus), title, sample, files)
