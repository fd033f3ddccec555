"""Turn one file into the readings that it allows, each with its first rows, so that a user can choose."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from kp_core.model import Role
from kp_core.reading.decode import binary_kind
from kp_core.reading.delimited import read_delimited
from kp_core.reading.family import Choice, File, Recognition
from kp_core.reading.frame import frame_of
from kp_core.reading.json_text import begins_like_json
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.sniff import family_named, readings_of
from kp_core.reading.source import Source


@dataclass(frozen=True)
class Preview:
    """One way to read a file: the recognition, the switches of its family, and its first rows."""

    recognition: Recognition
    options: dict[str, tuple[str, ...]]
    rows: pd.DataFrame


def previews(
    source: Source, role: Role | None = None, choice: Choice | None = None, first: int = 3, limits: Limits = LIMITS
) -> list[Preview]:
    """Return every reading of a file, the likeliest first, with its first rows.

    >>> found = previews(Source("a.json", b'{"d": [["a", "b"], ["c"]]}'))
    >>> found[0].recognition.family, found[0].options, found[0].rows["phrase"].tolist()
    ('F1', {'inner': ('variants', 'tokens', 'scored')}, ['a', 'c'])
    """
    choice = choice or Choice()
    found = readings_of(File(source, limits, choice.encoding), choice.role or role, choice)
    shown = []
    for recognition in sorted(found, key=lambda recognition: -recognition.confidence):
        family = family_named(recognition.family)
        parts = family.read(recognition, choice.role or role)
        table = parts[0].table.slice(0, first) if parts else None
        rows = pd.DataFrame() if table is None else frame_of(table, ()).drop(columns="list", errors="ignore")
        shown.append(Preview(recognition, dict(getattr(family, "OPTIONS", {})), rows))
    return shown


def column_names(source: Source, choice: Choice | None = None, limits: Limits = LIMITS) -> list[str]:
    """Return the names of the columns of a table, so that a user can say what each is; empty for other files.

    >>> column_names(Source("a.csv", b"Nr;Begriff\\n1;Haus\\n2;Baum\\n"))
    ['Nr', 'Begriff']
    """
    choice = choice or Choice()
    if binary_kind(source.data):
        return []
    file = File(source, limits, choice.encoding)
    table = None if begins_like_json(file.json) else read_delimited(file, choice)
    return list(table.names) if table is not None else []
