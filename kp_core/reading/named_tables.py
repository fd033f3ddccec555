"""Turn tables whose heads name their columns into frames: phrase pairs, and sentences with their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from kp_core.errors import InputError
from kp_core.reading.families.tables import tables_of
from kp_core.reading.family import File
from kp_core.reading.fields import find_roles
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.mapping import Mapping
from kp_core.reading.source import Source, expand
from kp_core.reading.table import Table

_ROLES = ("pair_id", "doc_id", "keyphrase", "candidate")


def load_pairs(
    paths: Sequence[str | Path | Source], encoding: str | None = None, limits: Limits = LIMITS
) -> pd.DataFrame:
    """Read pairs from tables with a header: columns keyphrase and candidate; numeric columns become numbers."""
    frames = [_frame(table, columns) for table, columns in _tables(paths, _ROLES, _ROLES[2:], encoding, limits)]
    return pd.concat(frames, ignore_index=True)


def load_attributes(
    paths: Sequence[str | Path | Source], encoding: str | None = None, limits: Limits = LIMITS
) -> pd.DataFrame:
    """Read tables with a header and a column sentence; cells stay as they are written, blank ones are missing."""
    frames = [
        pd.DataFrame({name: table.texts(name).to_pylist() for name in table.names}, dtype="str")
        for table, _ in _tables(paths, ("sentence",), ("sentence",), encoding, limits)
    ]
    return pd.concat(frames, ignore_index=True).replace("", None)


def _tables(
    paths: Sequence[str | Path | Source],
    roles: Sequence[str],
    needed: Sequence[str],
    encoding: str | None,
    limits: Limits,
) -> Iterator[tuple[Table, dict[str, str]]]:
    """Give each table with its role → column; refuses one without a header that names the roles needed."""
    for source in (source for path in paths for source in expand(path, limits).files):
        found = tables_of(File(source, limits, encoding), Mapping(), "judgements")
        table = next((one for one in found if one.header), None)
        columns = {} if table is None else find_roles(table.names, roles)
        if table is None or not set(needed) <= set(columns):
            shown = "columns " + ", ".join(found[0].names) if found else "no table"
            what = f"a table with the column{'s' * (len(needed) > 1)} {' and '.join(needed)}"
            raise InputError(source.name, shown, what, "Name them in the header.")
        yield table, columns


def _frame(table: Table, columns: dict[str, str]) -> pd.DataFrame:
    own = {role: table.texts(name).to_pylist() for role, name in columns.items()}
    others = [name for name in table.names if name not in columns.values() and name not in own]
    frame = pd.DataFrame(own, dtype="str").assign(**{name: table.texts(name).to_pylist() for name in others})
    for name in others:
        numbers = pd.to_numeric(frame[name].where(frame[name] != ""), errors="coerce")
        if numbers.notna().any():
            frame[name] = numbers
    return frame
