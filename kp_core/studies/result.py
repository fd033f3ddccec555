"""Hold the result of an evaluation: a tidy table, its signature, and the counts behind it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from kp_core import tables
from kp_core.errors import Note
from kp_core.settings import Settings, signature

ROW_COLUMNS = (
    "system",
    "measure",
    "k",
    "average",
    "subset",
    "value",
    "low",
    "high",
    "documents",
    "undefined",
    "reason",
)


@dataclass(frozen=True)
class Result:
    """What an evaluation found; plain data, apart from the corpus.

    frame      one row a system, measure, cutoff and average: value, interval, documents averaged and left out
    settings   what was asked, with everything resolved; notes: what the reader must be told
    documents  number of documents with gold; agreement: whether concordance measures are among the rows
    """

    frame: pd.DataFrame
    settings: Settings
    notes: tuple[Note, ...]
    documents: int
    agreement: bool

    @property
    def signature(self) -> str:
        """The recipe in one line; `settings_from` reads it back."""
        return signature(self.settings, self.documents, self.agreement)

    def at(self, cutoff: int | str) -> Result:
        """Return the rows at one cutoff and those that have none, under the signature of that cutoff."""
        rows = self.frame[(self.frame["k"] == cutoff) | self.frame["k"].isna()].reset_index(drop=True)
        return replace(self, frame=rows, settings=replace(self.settings, k=(cutoff,)))

    def as_json(self) -> str:
        """Return the result as the one object that the command line prints."""
        return json_of(self.frame, self.signature, self.settings, self.notes)

    def wide(self) -> pd.DataFrame:
        """Return one row a system and subset, one column a measure, with average and cutoff where there are several."""
        columns = [self.frame[name].tolist() for name in ("system", "subset", "measure", "k", "average", "value")]
        rows = list(zip(*columns, strict=True))
        averages, cutoffs = dict[str, set[str]](), dict[str, set[str]]()
        for _, _, measure, k, average, _ in rows:
            averages.setdefault(measure, set()).add(average)
            cutoffs.setdefault(measure, set()).add(str(k))
        several = (self.frame["subset"] != "all").any()
        table: dict[tuple[str, str], dict[str, Any]] = {}
        for system, subset, measure, k, average, value in rows:
            name = f"{measure} ({average})" if len(averages[measure]) > 1 else measure
            name = f"{name} k={k}" if len(cutoffs[measure]) > 1 else name
            first = {"system": system, "subset": subset} if several else {"system": system}
            table.setdefault((system, subset), first)[name] = value
        return pd.DataFrame(list(table.values()))

    def latex(self, caption: str = "Evaluation of keyphrase extraction") -> str:
        """Return a paper-ready table with the signature below."""
        return tables.latex(self.wide(), caption, self.signature)

    def markdown(self) -> str:
        """Return the table in Markdown with the signature below."""
        return f"{tables.markdown(self.wide())}\n`{self.signature}`\n"

    def csv(self) -> str:
        """Return the tidy rows as CSV, with the signature in a last column."""
        return tables.csv(self.frame.assign(signature=self.signature))


def json_of(frame: pd.DataFrame, signature: str, settings: Settings | Mapping[str, str], notes: Iterable[Note]) -> str:
    """Return tidy rows as the one object that the command line prints; undefined values are null."""
    content = {
        "signature": signature,
        "settings": settings.as_dict() if isinstance(settings, Settings) else dict(settings),
        "notes": [note.as_dict() for note in notes],
        "rows": [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return a value that JSON knows; undefined numbers are null."""
    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return None
    if hasattr(value, "item"):
        return _plain(value.item())
    return value
