"""Return which tables are too large for an evaluation in memory, and how far a streamed run has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from kp_core.reading.beside.datasets import NamedPath
from kp_core.reading.limits import LIMITS
from kp_core.scale.sources import FORMATS


def beyond_memory(paths: Sequence[str]) -> str:
    """Say why tables are to be streamed; empty where they fit into memory, or cannot be streamed."""
    if any("://" in path for path in paths):
        return "a table is elsewhere"
    named = [Path(NamedPath.read([path]).paths[0]) for path in paths]
    # A folder of text files may be one file a system, which only reading in memory finds out.
    files = [one for path in named for one in (path.rglob("*.parquet") if path.is_dir() else [path])]
    if not all(file.suffix.lower() in FORMATS and file.exists() for file in files):
        return ""
    if large := [file for file in files if file.stat().st_size > LIMITS.file_bytes or _rows(file) > LIMITS.rows]:
        return f"{large[0].name} is beyond the limits of an evaluation in memory"
    if sum(file.stat().st_size for file in files) > LIMITS.session_bytes:
        return "the files together are beyond the limits of an evaluation in memory"
    return ""


def _rows(file: Path) -> int:
    """Return the rows of a Parquet file; 0 of anything else, which is not read for it."""
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import read_metadata

    try:
        return int(read_metadata(file).num_rows) if file.suffix.lower() == ".parquet" else 0
    except ArrowInvalid:
        return 0  # reading says what is wrong with it


class ProgressLine:
    """Shows the progress on one line of a terminal, and otherwise a line every ten seconds."""

    def __init__(self) -> None:
        self.last = float("-inf")

    def __call__(self, done: int, parts: int, count: int, rows: int, seconds: float) -> None:
        """Show parts done, and by those of this run the rate and the remaining time."""
        live, now = sys.stderr.isatty(), time.monotonic()
        if not live and done < parts and now - self.last < 10:
            return
        self.last = now
        left = timedelta(seconds=round(seconds / count * (parts - done)))
        text = f"{done} of {parts} parts · {rows / max(seconds, 1e-9):,.0f} rows a second · {left} left"
        sys.stderr.write(f"\r{text:<70}" + ("\n" if done == parts else "") if live else f"{text}\n")
        sys.stderr.flush()
