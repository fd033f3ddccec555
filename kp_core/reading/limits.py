"""Turn the sizes that the machine can bear into one record that every step of reading obeys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields

from kp_core.errors import InputError, UsageError

_MEGABYTE = _MILLION = 1_000_000
_PREFIX = "KPSCOPE_LIMIT_"


@dataclass(frozen=True)
class Limits:
    """Upper bounds, enforced before memory is spent; sizes are bytes unless the name says otherwise.

    >>> Limits(documents=10).documents
    10
    """

    file_bytes: int = 200 * _MEGABYTE
    session_bytes: int = 500 * _MEGABYTE
    rows: int = 5_000_000
    documents: int = 500_000
    columns: int = 1_000
    cells: int = 50_000_000
    sources: int = 1_000
    archive_members: int = 20_000
    unpacked_bytes: int = 500 * _MEGABYTE
    unpacked_ratio: int = 100
    ratio_from_bytes: int = _MEGABYTE
    list_phrases: int = 10_000
    phrase_characters: int = 1_000
    id_characters: int = 500
    line_bytes: int = 16 * _MEGABYTE
    json_parts: int = 10 * _MILLION
    table_cells: int = 5_000_000
    judges: int = 100
    rejected_percent: int = 20


#: What each limit bounds, in words.
WORDS = {
    "file_bytes": "bytes of a file",
    "session_bytes": "bytes of all files together",
    "rows": "rows of a table",
    "documents": "documents",
    "columns": "columns of a table",
    "cells": "cells of a table",
    "sources": "annotators, systems, or files that are not one a document",
    "archive_members": "files in an archive or folder",
    "unpacked_bytes": "bytes of an archive or folder, unpacked",
    "unpacked_ratio": "times its packed size that a file in an archive may have",
    "ratio_from_bytes": "bytes of a file in an archive that may have any packed size",
    "list_phrases": "phrases in one list",
    "phrase_characters": "characters of a phrase",
    "id_characters": "characters of a document id",
    "line_bytes": "bytes of a line",
    "json_parts": "lists and objects in JSON, counted by their opening brackets",
    "table_cells": "cells of a spreadsheet",
    "judges": "judges of one pair",
    "rejected_percent": "rejected rows in percent, else the file is refused",
}


def limits_from(environment: Mapping[str, str]) -> Limits:
    """Return the limits, with those replaced that the environment names, such as `KPSCOPE_LIMIT_ROWS`.

    >>> limits_from({"KPSCOPE_LIMIT_ROWS": "1000"}).rows
    1000
    """
    changed = {}
    for field in fields(Limits):
        value = environment.get(_PREFIX + field.name.upper())
        if value is None:
            continue
        if not (value.isascii() and value.isdigit()):
            raise UsageError(f"{_PREFIX}{field.name.upper()} must be a whole number, not '{value}'")
        changed[field.name] = int(value)
    return Limits(**changed)


LIMITS = limits_from(os.environ)


def refuse_over(limit: int, size: int, unit: str, where: str, found: str = "") -> None:
    """Refuse what is larger than a limit, in words that name both sizes.

    >>> refuse_over(LIMITS.judges, 3, "judges", "a.csv")
    """
    if size > limit:
        shown = f"{found or 'a file'} of {size:,} {unit}"
        raise InputError(where, shown, f"at most {limit:,} {unit}", "Split it, or raise the limit.")
