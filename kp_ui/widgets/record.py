"""Record what one run of a page shows: for its foot, and for the page that fails next."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from kp_core.errors import Note


@dataclass(frozen=True)
class Offered:
    """Something to take along: the name of its files, and form → what makes the file, given a signature."""

    name: str
    forms: dict[str, Callable[[str], Any]]


@dataclass
class Noted:
    """What one run of a page shows of the data with a digest: its tables, signatures, settings.

    offered  what it is → what may be downloaded; seconds: that it took at most; refused: whether a part was
    """

    digest: str = ""
    tables: list[pd.DataFrame] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    offered: dict[str, Offered] = field(default_factory=dict)
    seconds: float = 0.0
    settings: dict[str, str] = field(default_factory=dict)
    refused: bool = False


def noted() -> Noted:
    """Return the record of this run."""
    record: Noted = st.session_state.setdefault("noting", Noted())
    return record


def begin(digest: str) -> Noted:
    """Begin the record of a run."""
    st.session_state["noting"] = Noted(digest)
    return noted()
