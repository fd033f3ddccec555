"""Hold what a verb answers: a tidy table with its signature and notes, and the forms in which it leaves."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from kp_core import tables
from kp_core.errors import Note
from kp_core.studies.result import json_of


class Answer:
    """What a verb returns: the rows, the recipe, and what the reader must know.

    frame     tidy rows; notes: full sentences; caption: what the rows are
    settings  what was asked, as it is written
    """

    frame: pd.DataFrame
    settings: Mapping[str, str]
    notes: tuple[Note, ...]
    caption: str

    @property
    def signature(self) -> str:
        """The recipe."""
        raise NotImplementedError

    def json(self) -> str:
        """Return the rows as the one object that the command line prints; undefined values are null."""
        return json_of(self.frame, self.signature, self.settings, self.notes)

    def csv(self) -> str:
        """Return the tidy rows as CSV, with the signature in a last column."""
        return tables.csv(self.frame.assign(signature=self.signature))

    def latex(self, caption: str = "") -> str:
        """Return a paper-ready table with the signature below."""
        return tables.latex(self.frame, caption or self.caption, self.signature)

    as_json = json  # as the command line still asks every result for it
