"""Turn the frame, the signature and the notes of a result into LaTeX, CSV and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kp_core import tables
from kp_core.studies.result import json_of

if TYPE_CHECKING:
    import pandas as pd

    from kp_core.errors import Note


class Exported:
    """What a result offers for other programs: its rows, each time with the signature."""

    frame: pd.DataFrame
    settings: Mapping[str, str]
    notes: tuple[Note, ...]

    @property
    def signature(self) -> str:
        """The recipe of the result."""
        raise NotImplementedError

    def latex(self, caption: str = "") -> str:
        """Return a paper-ready table with the signature below."""
        return tables.latex(self.frame, caption, self.signature)

    def csv(self) -> str:
        """Return the rows as CSV, with the signature in a last column."""
        return tables.csv(self.frame.assign(signature=self.signature))

    def json(self) -> str:
        """Return the result as one object: signature, settings, notes and rows."""
        return json_of(self.frame, self.signature, self.settings, self.notes)

    as_json = json  # as the command line still asks every result for it
