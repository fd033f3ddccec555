"""Hold what this session has loaded: the files, the corpus read from them, and a digest that names both."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core.reading import Source

_SAMPLES = Path(__file__).resolve().parent.parent / "sample_data"
_KEY = "workspace"


@dataclass(frozen=True)
class Sample:
    """A data set that ships with the app."""

    title: str
    gold: str
    systems: str
    documents: str

    def load(self) -> kp.Corpus:
        """Read the sample's files."""
        systems = {path.stem: path for path in sorted((_SAMPLES / self.systems).parent.glob(Path(self.systems).name))}
        return kp.load(gold=_SAMPLES / self.gold, systems=systems, documents=_SAMPLES / self.documents)


SAMPLES = {
    "lectures": Sample("20 lectures, 3 annotators, 4 systems", "lectures/gold.csv", "lectures/systems/*",
                       "lectures/documents.jsonl"),
    "chinese": Sample("5 short Chinese texts, 2 systems", "chinese/gold.json", "chinese/system_*",
                      "chinese/documents.jsonl"),
}  # fmt: skip


@dataclass(frozen=True)
class Workspace:
    """The data on screen. `files` are the user's own; empty for a sample.

    digest names corpus and reading options; every cached result is kept under it.
    """

    corpus: kp.Corpus
    digest: str
    title: str
    sample: str | None = None
    files: tuple[Source, ...] = ()
    roles: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def _digest(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def current() -> Workspace:
    """Return the workspace of this session; a new session opens on the sample lectures."""
    if _KEY not in st.session_state:
        open_sample("lectures")
    found: Workspace = st.session_state[_KEY]
    return found


def open_sample(name: str) -> None:
    """Put a sample on screen."""
    st.session_state[_KEY] = Workspace(SAMPLES[name].load(), _digest(b"sample", name.encode()), SAMPLES[name].title, name)


def open_files(files: tuple[Source, ...], roles: dict[str, str], options: dict[str, Any]) -> None:
    """Read the user's files and put them on screen; raises InputError and leaves the screen as it was."""
    corpus = kp.load(files=list(files), roles=roles, **options)
    described = repr((sorted(roles.items()), sorted(options.items()))).encode()
    digest = _digest(described, *(part for file in files for part in (file.name.encode(), file.data)))
    st.session_state[_KEY] = Workspace(corpus, digest, "Your files", None, files, roles, options)


def banner() -> None:
    """Say which data are on screen, with one click back to the sample."""
    with st.sidebar:
        here = current()
        if here.sample:
            st.caption(f"Sample data: {here.title}. Made for demonstration. Load your own on the Data page.")
        else:
            st.caption(f"Your files: {len(here.files)}.")
            st.button("Back to the sample data", on_click=open_sample, args=("lectures",), key="back_to_sample")
