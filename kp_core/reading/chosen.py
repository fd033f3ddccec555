"""Turn words such as `gold.xlsx:sheet=Lists` into what a user decided about files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kp_core.errors import UsageError
from kp_core.reading.family import Choice
from kp_core.reading.fields import NAMES
from kp_core.reading.sniff import all_families, family_named

_WORDS = re.compile(r"(?P<file>.+?):(?P<key>[a-z_]+)=(?P<value>.+)", re.DOTALL)
_ROLES = ("gold", "system", "documents", "judgements")
#: Switches whose values depend on the file.
_FREE = ("sheet", "label", "texts")


def choices_of(given: Iterable[str]) -> dict[str, Choice]:
    """Return file → what FILE:KEY=VALUE says of it: family, role, encoding, better, the column of a role, or a switch.

    Raises UsageError for anything else.

    >>> found = choices_of(["g.xlsx:sheet=Lists", "g.xlsx:phrase=Term", "y.csv:better=lower"])
    >>> found["g.xlsx"].columns, found["g.xlsx"].options, found["y.csv"].higher_is_better
    ({'phrase': 'Term'}, {'sheet': 'Lists'}, False)
    """
    found: dict[str, Choice] = {}
    for one in given:
        words = _WORDS.fullmatch(one)
        if words is None:
            raise UsageError(f"--as is '{one}'; write FILE:KEY=VALUE, such as gold.xlsx:sheet=Lists")
        file, key, value = words["file"], words["key"], words["value"]
        found[file] = _with(found.get(file, Choice()), key, value)
    return found


def _with(choice: Choice, key: str, value: str) -> Choice:
    """Return a choice with one thing more decided."""
    switches: dict[str, set[str]] = {}
    for family in all_families():
        for name, values in getattr(family, "OPTIONS", {}).items():
            switches.setdefault(name, set()).update(values)
    if key == "family":
        return replace(choice, family=family_named(value).NAME)
    if key == "encoding":
        return replace(choice, encoding=value)
    if key == "role" and value in _ROLES:
        return replace(choice, role=value)  # type: ignore[arg-type]
    if key == "better" and value in ("higher", "lower"):
        return replace(choice, higher_is_better=value == "higher")
    value = "\t" if (key, value) == ("delimiter", "TAB") else value
    if key in _FREE or value in switches.get(key, ()):
        return replace(choice, options={**choice.options, key: value})
    if key in NAMES and key not in switches:
        return replace(choice, columns={**choice.columns, key: value})
    fixed = {"role": _ROLES, "better": ("higher", "lower")} | switches
    if key in fixed:
        shown = ", ".join("TAB" if one == "\t" else one for one in sorted(fixed[key]))
        raise UsageError(f"{key} is '{value}'; choose one of: {shown}")
    known = ", ".join(["family", "encoding", *_FREE, *fixed, *(name for name in NAMES if name not in fixed)])
    raise UsageError(f"there is no '{key}' to choose for a file; choose one of: {known}")
