"""Note what a page shows while it runs: its first table of results and its last signature."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import pandas as pd


@dataclass
class Kept:
    """The result of one run of a page on the data with a digest, its settings, and how many seconds it took at most."""

    digest: str
    table: pd.DataFrame | None = None
    signature: str = ""
    seconds: float = 0.0
    settings: dict[str, str] = field(default_factory=dict)


_noting: ContextVar[Kept | None] = ContextVar("noting", default=None)


@contextmanager
def noting(digest: str) -> Iterator[Kept]:
    """Note into a new record what is shown inside."""
    record = Kept(digest)
    token = _noting.set(record)
    try:
        yield record
    finally:
        _noting.reset(token)


def table(frame: pd.DataFrame) -> None:
    """Note a table, if it is the first."""
    record = _noting.get()
    if record is not None and record.table is None:
        record.table = frame


def signature(line: str) -> None:
    """Note a signature."""
    record = _noting.get()
    if record is not None:
        record.signature = line
