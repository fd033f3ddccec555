"""Note what a page shows while it runs: its first table of results and its last signature."""

from dataclasses import dataclass, field
from typing import cast

import pandas as pd
import streamlit as st

_NOTING = "noting"


@dataclass
class Noted:
    """The result of one run of a page on the data with a digest, and its settings.

    seconds  that it took at most; refused: whether a part of the page was
    """

    digest: str
    table: pd.DataFrame | None = None
    signature: str = ""
    seconds: float = 0.0
    settings: dict[str, str] = field(default_factory=dict)
    refused: bool = False


def begin(digest: str) -> Noted:
    """Note into a new record what is shown from now on."""
    st.session_state[_NOTING] = Noted(digest)
    return noted()


def noted() -> Noted:
    """Return the record of this run."""
    return cast(Noted, st.session_state.get(_NOTING) or Noted(""))


def table(frame: pd.DataFrame) -> None:
    """Note a table, if it is the first."""
    if noted().table is None:
        noted().table = frame
