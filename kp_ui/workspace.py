"""Hold what this session has loaded: the files, the corpus read from them, and a digest that names both."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

import kp_core as kp
from kp_core.corpus import Role, content_digest
from kp_core.reading import LIMITS, Choice, Saved, Source, renamed
from kp_core.reading.archive import is_workbook, is_zip
from kp_core.reading.limits import refuse_over
from kp_core.reading.shared import VARIABLE
from kp_core.reading.shared import shared_names as shared_names_in
from kp_core.reading.source import expand
from kp_core.scoring.codes import average_gold_size
from kp_core.takeaway.extend import extended
from kp_ui import ROOT, show

SAMPLE_DATA = ROOT / "sample_data"
_CURRENT, _BESIDE, _UPLOADS, _PROBLEM, _PENDING = "workspace", "workspace_beside", "uploads", "problem", "pending"
#: The query parameter that names the sample on screen, and the sample that opens without it.
SAMPLE, _FIRST = "sample", "lectures"


@dataclass(frozen=True)
class Sample:
    """A data set that ships with the app."""

    title: str
    gold: str
    systems: str
    documents: str
    judgements: str = ""

    def load(self) -> kp.Corpus:
        """Read the sample's files."""
        systems = {path.stem: path for path in sorted(SAMPLE_DATA.glob(self.systems))} if self.systems else None
        judged = SAMPLE_DATA / self.judgements if self.judgements else None
        return kp.load(SAMPLE_DATA / self.gold, systems, SAMPLE_DATA / self.documents, judged)

    def as_uploads(self) -> Uploads:
        """Return the sample's files as if the user had loaded them, each with what it is."""
        patterns: dict[Role, str] = {
            "gold": self.gold,
            "system": self.systems,
            "documents": self.documents,
            "judgements": self.judgements,
        }
        roles = {path: role for role, name in patterns.items() if name for path in sorted(SAMPLE_DATA.glob(name))}
        files = tuple(Source(path.name, path.read_bytes()) for path in roles)
        return Uploads(files, {path.name: Choice(role=role) for path, role in roles.items()})


SAMPLES = {
    "lectures": Sample(
        "20 lectures, 3 annotators, 4 systems",
        "lectures/gold.csv",
        "lectures/systems/*",
        "lectures/documents.jsonl",
        "lectures/judgements.csv",
    ),
    "extracts": Sample(
        "the 20 lectures, sentences chosen by 3 annotators", "lectures/sentences.csv", "", "lectures/documents.jsonl"
    ),
    "chinese": Sample(
        "5 short Chinese texts, 2 systems", "chinese/gold.json", "chinese/system_*", "chinese/documents.jsonl"
    ),
}


@dataclass(frozen=True)
class Uploads:
    """The user's own files, what was decided about each, the fixes chosen, and systems under other names.

    saved, saved_as  the workspace file that was opened, to which the files are added, and its name
    """

    files: tuple[Source, ...] = ()
    choices: dict[str, Choice] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    saved: Saved | None = None
    saved_as: str = ""

    def __bool__(self) -> bool:
        """Tell whether there is anything of the user's own."""
        return bool(self.files) or self.saved is not None

    def titled(self) -> str:
        """Say what is loaded, in words."""
        files = show.counted(len(self.files), "file")
        if self.saved is None:
            return "your file" if len(self.files) == 1 else f"your {files}"
        return f"the workspace {self.saved_as}" + (f" and {files}" if self.files else "")


@dataclass(frozen=True)
class Workspace:
    """The data on screen; digest names them, and every cached result is kept under it."""

    corpus: kp.Corpus
    digest: str
    title: str
    sample: str | None = None


def current() -> Workspace:
    """Return the data on screen; a new session opens on the sample lectures."""
    if st.session_state.pop(_PENDING, False):
        _read(uploads())
    if _CURRENT not in st.session_state:
        asked = st.query_params.get(SAMPLE, "")
        open_sample(asked if asked in SAMPLES else _FIRST)
    found: Workspace = st.session_state[_CURRENT]
    return found


def has_grades() -> bool:
    """Return whether the gold standard on screen has grades or votes."""
    gold = current().corpus.gold
    return "relevance" in gold and bool(gold["relevance"].notna().any())


def keep_in_link() -> None:
    """Write the sample on screen into the link, unless it is the one that opens anyway."""
    here = current()
    if here.sample not in (None, _FIRST):
        st.query_params[SAMPLE] = here.sample
    elif SAMPLE in st.query_params:
        del st.query_params[SAMPLE]


def uploads() -> Uploads:
    """Return the user's files, also those that could not be read."""
    found: Uploads = st.session_state.setdefault(_UPLOADS, Uploads())
    return found


def problem() -> str:
    """Return why the user's files are not on screen; empty if they are, or if there are none."""
    return str(st.session_state.get(_PROBLEM, ""))


def open_sample(name: str) -> None:
    """Put a sample on screen; the user's files stay listed."""
    st.session_state[_CURRENT] = _sample(name)


def _sample(name: str) -> Workspace:
    sample = SAMPLES[name]
    return _ready(sample.load(), sample.title, name)


def beside(name: str) -> Workspace:
    """Return a sample for one page, without putting it on screen; kept with the session."""
    if _BESIDE not in st.session_state or st.session_state[_BESIDE].sample != name:
        st.session_state[_BESIDE] = _sample(name)
    found: Workspace = st.session_state[_BESIDE]
    return found


def add(files: Sequence[Source]) -> None:
    """Add files to the user's own; one of the same name takes the place of the former.

    Files that would take a session over its limit are not kept.
    """
    names = {file.name for file in files}
    every = (*(file for file in uploads().files if file.name not in names), *files)
    try:
        refuse_over(LIMITS.session_bytes, sum(len(file.data) for file in every), "bytes", files[-1].name, "all files")
    except kp.InputError as refusal:
        st.session_state[_PROBLEM] = str(refusal)
    else:
        open_uploads(replace(uploads(), files=every))


def open_saved(saved: Saved, name: str) -> None:
    """Put a workspace that was saved on screen; it takes the place of the user's files."""
    open_uploads(Uploads(saved=saved, saved_as=name))


def close_saved() -> None:
    """Take away the workspace that was opened; files that were added to it stay."""
    open_uploads(replace(uploads(), saved=None, saved_as=""))


def add_beside(files: Sequence[Source]) -> None:
    """Add files to what is on screen; the files of a sample become the user's own first."""
    if (here := current().sample) is not None:
        st.session_state[_UPLOADS] = SAMPLES[here].as_uploads()
    add(files)


def shared_names() -> list[str]:
    """Return the data sets that the server shares, by name; there are none unless `KPSCOPE_DATA` names a folder."""
    root = shared_folder()
    return [] if root is None else shared_names_in(root)


def shared_folder() -> Path | None:
    """Return the folder whose files everybody here may read, from `KPSCOPE_DATA`; None where there is none."""
    root = os.environ.get(VARIABLE, "")
    return Path(root) if root else None


def remove(name: str) -> None:
    """Take a file away; without any, the sample comes back."""
    kept = tuple(file for file in uploads().files if file.name != name)
    choices = {file: choice for file, choice in uploads().choices.items() if file != name}
    open_uploads(replace(uploads(), files=kept, choices=choices))


def decide(name: str, choice: Choice) -> None:
    """Read a file as the user says."""
    open_uploads(replace(uploads(), choices=uploads().choices | {name: choice}))


def fix(name: str, wanted: bool) -> None:
    """Apply a fix, or several with commas between them; or take them back."""
    names = name.split(",")
    others = tuple(other for other in uploads().fixes if other not in names)
    open_uploads(replace(uploads(), fixes=(*others, *names) if wanted else others))


def rename(names: dict[str, str]) -> None:
    """Give systems other names: name in the files → name on screen."""
    open_uploads(replace(uploads(), names=uploads().names | names))


def open_uploads(asked: Uploads) -> None:
    """Put the user's files on screen as soon as the page says that it opens them."""
    st.session_state[_UPLOADS] = asked if asked else Uploads()
    st.session_state[_PROBLEM] = ""
    st.session_state[_PENDING] = bool(asked)
    if not asked:
        open_sample(_FIRST)


@contextmanager
def refusals() -> Iterator[None]:
    """Say why files are not on screen, whatever goes wrong inside; the screen stays as it was."""
    try:
        yield
    except (kp.InputError, kp.UsageError) as refusal:
        st.session_state[_PROBLEM] = str(refusal)
    except Exception:
        logging.getLogger("kpscope").exception("Files could not be read")
        words = "Something went wrong inside KPScope while it read these files. Remove the last one, and try again."
        st.session_state[_PROBLEM] = words


def _read(asked: Uploads) -> None:
    """Read the user's files; if they are refused, the screen stays and `problem` says why."""
    with refusals():
        st.session_state[_CURRENT] = _ready(renamed(_corpus(asked), asked.names), asked.titled())


def _corpus(asked: Uploads) -> kp.Corpus:
    files, roles = list(asked.files), _by_member(asked)
    if asked.saved is None:
        return kp.load(files=files, roles=roles, fixes=asked.fixes)
    if not (files or asked.fixes):
        return asked.saved.corpus
    return extended(asked.saved.corpus, files, roles, asked.fixes)


def is_archive(file: Source) -> bool:
    """Tell whether a file is a zip or gzip file; what is decided about it holds for everything in it."""
    return file.data.startswith(b"\x1f\x8b") or (is_zip(file.data) and not is_workbook(file.data))


def _by_member(asked: Uploads) -> dict[str, Choice]:
    """Return the choices for every file, also for those in an archive."""
    choices = dict(asked.choices)
    for file in asked.files:
        if file.name in choices and is_archive(file):
            choices |= {member.name: choices[file.name] for member in expand(file).files}
    return choices


def _ready(corpus: kp.Corpus, title: str, sample: str | None = None) -> Workspace:
    """Return a workspace whose phrases are coded and normalised already, while the page still says that it opens."""
    if len(corpus.gold):
        average_gold_size(corpus, kp.Conventions())
    return Workspace(corpus, content_digest(corpus), title, sample)


def banner() -> None:
    """Say which data are on screen, with one click back to the other."""
    here, own = current(), uploads()
    with st.sidebar:
        if here.sample is None:
            st.caption(f"On screen: {show.plain(here.title)}.")
            st.button("Back to the sample data", on_click=open_sample, args=(_FIRST,), key="back_to_sample")
            return
        st.caption(f"On screen: sample data made for demonstration ({here.title}). Load your own on the Data page.")
        if own and not problem():
            st.button("Back to your files", on_click=open_uploads, args=(own,), key="back_to_files")
