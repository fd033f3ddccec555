"""Turn tables of plain phrase pairs into a frame: keyphrase and candidate, with the other columns beside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from kp_core.errors import InputError
from kp_core.reading.delimited import Table, read_delimited
from kp_core.reading.family import Choice, File
from kp_core.reading.fields import find_roles
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source, expand

_ROLES = ("pair_id", "doc_id", "keyphrase", "candidate")


def load_pairs(
    paths: Sequence[str | Path | Source], encoding: str | None = None, limits: Limits = LIMITS
) -> pd.DataFrame:
    """Read pairs from tables with a header: columns keyphrase and candidate; numeric columns become numbers."""
    frames = []
    for path in paths:
        for source in expand(path, limits).files:
            table = read_delimited(File(source, limits, encoding), Choice())
            columns = find_roles(table.names, _ROLES) if table is not None and table.header else {}
            if table is None or not {"keyphrase", "candidate"} <= set(columns):
                found = "columns " + ", ".join(table.names) if table is not None else "no table"
                raise InputError(
                    source.name, found, "a table with the columns keyphrase and candidate", "Name them in the header."
                )
            frames.append(_frame(table, columns))
    return pd.concat(frames, ignore_index=True)


def _frame(table: Table, columns: dict[str, str]) -> pd.DataFrame:
    own = {role: table.texts(name).to_pylist() for role, name in columns.items()}
    others = [name for name in table.names if name not in columns.values() and name not in own]
    frame = pd.DataFrame(own, dtype="str").assign(**{name: table.texts(name).to_pylist() for name in others})
    for name in others:
        numbers = pd.to_numeric(frame[name].where(frame[name] != ""), errors="coerce")
        if numbers.notna().any():
            frame[name] = numbers
    return frame
