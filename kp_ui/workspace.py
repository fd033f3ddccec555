"""Hold what this session has loaded: the files, the corpus read from them, and a digest that names both."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

import kp_core as kp
from kp_core.coding import average_gold_size
from kp_core.reading import LIMITS, Choice, Source, renamed
from kp_core.reading import shared as shared_data
from kp_core.reading.shared import VARIABLE
from kp_core.reading.source import expand

SAMPLE_DATA = Path(__file__).resolve().parent.parent / "sample_data"
_CURRENT, _UPLOADS, _PROBLEM, _PENDING = "workspace", "uploads", "problem", "pending"
#: The query parameter that names the sample on screen, and the sample that opens without it.
_SAMPLE, _FIRST = "sample", "lectures"


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
        systems = {path.stem: path for path in sorted(SAMPLE_DATA.glob(self.systems))}
        judged = SAMPLE_DATA / self.judgements if self.judgements else None
        return kp.load(SAMPLE_DATA / self.gold, systems, SAMPLE_DATA / self.documents, judged)


SAMPLES = {
    "lectures": Sample(
        "20 lectures, 3 annotators, 4 systems", "lectures/gold.csv", "lectures/systems/*", "lectures/documents.jsonl",
        "lectures/judgements.csv",
    ),
    "chinese": Sample(
        "5 short Chinese texts, 2 systems", "chinese/gold.json", "chinese/system_*", "chinese/documents.jsonl"
    ),
}


@dataclass(frozen=True)
class Uploads:
    """The user's own files, what was decided about each, the fixes chosen, and systems under other names."""

    files: tuple[Source, ...] = ()
    choices: dict[str, Choice] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Workspace:
    """The data on screen; digest names them, and every cached result is kept under it."""

    corpus: kp.Corpus
    digest: str
    title: str
    sample: str | None = None


def _digest(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def current() -> Workspace:
    """Return the data on screen; a new session opens on the sample lectures."""
    if st.session_state.pop(_PENDING, False):
        _read(uploads())
    if _CURRENT not in st.session_state:
        asked = st.query_params.get(_SAMPLE, "")
        open_sample(asked if asked in SAMPLES else _FIRST)
    found: Workspace = st.session_state[_CURRENT]
    return found


def keep_in_link() -> None:
    """Write the sample on screen into the link, unless it is the one that opens anyway."""
    here = current()
    if here.sample not in (None, _FIRST):
        st.query_params[_SAMPLE] = here.sample
    elif _SAMPLE in st.query_params:
        del st.query_params[_SAMPLE]


def uploads() -> Uploads:
    """Return the user's files, also those that could not be read."""
    found: Uploads = st.session_state.setdefault(_UPLOADS, Uploads())
    return found


def problem() -> str:
    """Return why the user's files are not on screen; empty if they are, or if there are none."""
    return str(st.session_state.get(_PROBLEM, ""))


def open_sample(name: str) -> None:
    """Put a sample on screen; the user's files stay listed."""
    sample = SAMPLES[name]
    st.session_state[_CURRENT] = _ready(sample.load(), _digest(b"sample", name.encode()), sample.title, name)


def add(files: Sequence[Source]) -> None:
    """Add files to the user's own; one of the same name takes the place of the former."""
    names = {file.name for file in files}
    kept = tuple(file for file in uploads().files if file.name not in names)
    total = sum(len(file.data) for file in (*kept, *files))
    if total > LIMITS.session_bytes:  # not kept at all: memory is what the limit is about
        st.session_state[_PROBLEM] = str(
            kp.InputError(
                ", ".join(sorted(names)), f"{total:,} bytes in all, with the files that are loaded already",
                f"at most {LIMITS.session_bytes:,}", "Remove files, or load fewer.",
            )
        )  # fmt: skip
        return
    open_uploads(replace(uploads(), files=(*kept, *files)))


def shared_names() -> list[str]:
    """Return the data sets that the server shares, by name; there are none unless `KPSCOPE_DATA` names a folder."""
    root = os.environ.get(VARIABLE, "")
    return shared_data.shared_names(Path(root)) if root else []


def add_shared() -> None:
    """Add the chosen shared data set to the user's files."""
    try:
        add([shared_data.shared(Path(os.environ[VARIABLE]), st.session_state["shared"])])
    except kp.InputError as refusal:
        st.session_state[_PROBLEM] = str(refusal)


def remove(name: str) -> None:
    """Take a file away; without any, the sample comes back."""
    kept = tuple(file for file in uploads().files if file.name != name)
    choices = {file: choice for file, choice in uploads().choices.items() if file != name}
    open_uploads(replace(uploads(), files=kept, choices=choices) if kept else Uploads())


def decide(name: str, choice: Choice) -> None:
    """Read a file as the user says."""
    open_uploads(replace(uploads(), choices=uploads().choices | {name: choice}))


def fix(name: str, wanted: bool) -> None:
    """Apply a fix of ids, or take it back."""
    others = tuple(other for other in uploads().fixes if other != name)
    open_uploads(replace(uploads(), fixes=(*others, name) if wanted else others))


def rename(names: dict[str, str]) -> None:
    """Give systems other names: name in the files → name on screen."""
    open_uploads(replace(uploads(), names=uploads().names | names))


def open_uploads(asked: Uploads) -> None:
    """Put the user's files on screen as soon as the page says that it opens them."""
    st.session_state[_UPLOADS] = asked
    st.session_state[_PROBLEM] = ""
    st.session_state[_PENDING] = bool(asked.files)
    if not asked.files:
        open_sample(_FIRST)


def _read(asked: Uploads) -> None:
    """Read the user's files; if they are refused, the screen stays and `problem` says why."""
    try:
        corpus = renamed(kp.load(files=list(asked.files), roles=_by_member(asked), fixes=asked.fixes), asked.names)
    except (kp.InputError, kp.UsageError) as refusal:
        st.session_state[_PROBLEM] = str(refusal)
        return
    described = repr((sorted(asked.choices.items()), asked.fixes, sorted(asked.names.items()))).encode()
    content = (part for file in asked.files for part in (file.name.encode(), file.data))
    st.session_state[_CURRENT] = _ready(corpus, _digest(b"files", described, *content), "Your files")


def is_archive(file: Source) -> bool:
    """Tell whether a file is a zip or gzip file; what is decided about it holds for everything in it."""
    return file.data.startswith((b"PK\x03\x04", b"\x1f\x8b"))


def _by_member(asked: Uploads) -> dict[str, Choice]:
    """Return the choices for every file, also for those in an archive."""
    choices = dict(asked.choices)
    for file in asked.files:
        if file.name in choices and is_archive(file):
            choices |= {member.name: choices[file.name] for member in expand(file).files}
    return choices


def _ready(corpus: kp.Corpus, digest: str, title: str, sample: str | None = None) -> Workspace:
    """Return a workspace whose phrases are coded and normalised already, while the page still says that it opens."""
    if len(corpus.gold):
        average_gold_size(corpus, kp.Conventions())
    return Workspace(corpus, digest, title, sample)


def banner() -> None:
    """Say which data are on screen, with one click back to the other."""
    here, own = current(), len(uploads().files)
    with st.sidebar:
        if here.sample is None:
            st.caption(f"On screen: your {own} file{'' if own == 1 else 's'}.")
            st.button("Back to the sample data", on_click=open_sample, args=(_FIRST,), key="back_to_sample")
            return
        st.caption(f"On screen: sample data made for demonstration ({here.title}). Load your own on the Data page.")
        if own and not problem():
            st.button("Back to your files", on_click=open_uploads, args=(uploads(),), key="back_to_files")
