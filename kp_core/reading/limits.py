"""Define the size limits that are enforced while data are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TypeVar

from kp_core.errors import InputError, UsageError

_Read = TypeVar("_Read")
_MEGABYTE = _MILLION = 1_000_000
_PREFIX = "KPSCOPE_LIMIT_"
#: Maximum number of digits of a limit.
_DIGITS = 20


def _at_most(value: int, description: str) -> int:
    bound: int = field(default=value, metadata={"words": description})
    return bound


@dataclass(frozen=True)
class Limits:
    """Upper bounds, enforced before memory is allocated; sizes are in bytes unless the name implies another unit."""

    file_bytes: int = _at_most(200 * _MEGABYTE, "bytes of a file")
    session_bytes: int = _at_most(500 * _MEGABYTE, "bytes of all files together")
    kept_bytes: int = _at_most(5_000 * _MEGABYTE, "bytes of all files that a server keeps")
    rows: int = _at_most(5_000_000, "rows of a table")
    documents: int = _at_most(500_000, "documents")
    columns: int = _at_most(1_000, "columns of a table")
    cells: int = _at_most(50_000_000, "cells of a table")
    sources: int = _at_most(1_000, "annotators, systems, or files of many documents")
    archive_members: int = _at_most(20_000, "files in an archive or folder")
    unpacked_bytes: int = _at_most(500 * _MEGABYTE, "bytes of an archive or folder, unpacked")
    unpacked_ratio: int = _at_most(100, "ratio of the unpacked to the packed size of a file in an archive")
    ratio_from_bytes: int = _at_most(_MEGABYTE, "bytes of an unpacked file up to which this ratio is not limited")
    list_phrases: int = _at_most(10_000, "phrases in one list")
    phrase_characters: int = _at_most(1_000, "characters of a phrase")
    id_characters: int = _at_most(500, "characters of a document id")
    line_bytes: int = _at_most(16 * _MEGABYTE, "bytes of a line")
    vector_bytes: int = _at_most(2_000 * _MEGABYTE, "bytes of vectors")
    json_parts: int = _at_most(10 * _MILLION, "lists and objects in JSON, counted by their opening brackets")
    table_cells: int = _at_most(5_000_000, "cells of a spreadsheet")
    judges: int = _at_most(100, "judges of one pair")
    rejected_percent: int = _at_most(20, "percent of the rows that may be rejected before a file is refused")


def limits_from(environment: Mapping[str, str]) -> Limits:
    """Return the default limits, changed by environment variables such as `KPSCOPE_LIMIT_ROWS`.

    >>> limits_from({"KPSCOPE_LIMIT_ROWS": "1000"}).rows
    1000
    """
    variables = {limit.name: f"{_PREFIX}{limit.name.upper()}" for limit in fields(Limits)}
    return Limits(**{name: whole_number(environment, word) for name, word in variables.items() if word in environment})


def whole_number(environment: Mapping[str, str], name: str, minimum: int = 0) -> int:
    """Return an environment variable as a whole number.

    >>> whole_number({"KPSCOPE_SESSIONS": "30"}, "KPSCOPE_SESSIONS", 1)
    30
    """
    value = environment[name]
    if not (value.isascii() and value.isdigit() and len(value) < _DIGITS and int(value) >= minimum):
        excerpt = value if len(value) < _DIGITS else f"{value[:_DIGITS]}…"
        raise UsageError(f"{name} must be a whole number of at least {minimum}, not '{excerpt}'")
    return int(value)


def at_start(read: Callable[[Mapping[str, str]], _Read]) -> _Read:
    """Read a setting from the environment on import; if it is invalid, print the error and exit."""
    try:
        return read(os.environ)
    except UsageError as error:
        raise SystemExit(f"kpscope: {error}") from None


LIMITS = at_start(limits_from)


def refuse_over(limit: int, size: int, unit: str, where: str, subject: str = "") -> None:
    """Raise an InputError if a size exceeds a limit."""
    if size > limit:
        description = f"{subject or 'a file'} of {size:,} {unit}"
        raise InputError(where, description, f"at most {limit:,} {unit}", "Split it, raise the limit, or stream it.")
