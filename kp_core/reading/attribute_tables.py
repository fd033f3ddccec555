"""Turn tables of sentences with attributes into a frame of texts, one row a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.pairs import tables_with
from kp_core.reading.source import Source


def load_attributes(
    paths: Sequence[str | Path | Source], encoding: str | None = None, limits: Limits = LIMITS
) -> pd.DataFrame:
    """Read tables with a header and a column sentence; cells stay as they are written, blank ones are missing."""
    frames = [
        pd.DataFrame({name: table.texts(name).to_pylist() for name in table.names}, dtype="str")
        for table, _ in tables_with(paths, ("sentence",), ("sentence",), encoding, limits)
    ]
    return pd.concat(frames, ignore_index=True).replace("", None)
