"""Detect how the cells of a column are split into phrases."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.reading.meaning.mapping import MARKS
from kp_core.reading.open.table import Table, holds_lists, share_with
from kp_core.reading.open.values import URIS

_RARE = ("/", "·", "-", "–")
_ANY_MARK = "|".join(map(re.escape, MARKS.values()))
_WHOLE = {
    "json": r"^\s*((?:array\()?\[.*\](?:,\s*dtype=\w+)?\)?|\{.*\}|c?\(\s*['\"].*\)|null|None)\s*$",
    "uris": f"^{URIS.pattern}$",
    "tags": r"^\s*(#[^#\s;,|]+\s+)*#[^#\s;,|]+\s*$",
}


def cell_separator(table: Table, name: str, beside: Iterable[str] = (), *, certain: bool = True) -> str:
    """Return how the cells of a column are split; if unclear, as in adjacent columns.

    certain  whether the cells are known to be lists, even if some contain a single phrase
    """
    if holds_lists(table.column(name)):
        return "lists"
    texts = table.texts(name)
    filled = texts.filter(pc.not_equal(texts, ""))
    for separator, pattern in _WHOLE.items():
        begins = len(filled) and re.search(pattern, filled[0].as_py())
        if begins and pc.all(pc.match_substring_regex(filled, pattern)).as_py():
            return separator
    mark = common_mark(_shares(filled), certain=certain)
    for other in beside if not mark else ():
        mark = mark or common_mark(_shares(table.texts(other)), certain=False)
    return mark or (";" if certain else "")


def _shares(texts: pa.ChunkedArray) -> dict[str, float]:
    if not pc.any(pc.match_substring_regex(texts, _ANY_MARK)).as_py():
        return dict.fromkeys(MARKS, 0.0)
    return {name: share_with(texts, mark) for name, mark in MARKS.items()}


def common_mark(shares: Mapping[str, float], *, certain: bool) -> str:
    """Return the separator of phrases by the share of cells with each of `MARKS`; empty if there is none.

    >>> common_mark({";": 0.0, "|": 0.6}, certain=False), common_mark({",": 0.1}, certain=False)
    ('|', '')
    """
    for name, share in shares.items():
        if name != "#" and share and (share >= 0.5 or name in ";；|" or (certain and name not in _RARE)):
            return name
    return ""


def json_list(cell: str) -> list[object] | None:
    """Return the list that a cell contains in the syntax of JSON, Python, NumPy or R, or None.

    >>> json_list('["tide"]'), json_list("['tide', None]"), json_list("['tide' 'sea']"), json_list('c("tide", "sea")')
    (['tide'], ['tide', None], ['tide', 'sea'], ['tide', 'sea'])
    >>> json_list("{'tide', 'sea'}"), json_list("{'tide': 0.8}"), json_list("tide")
    (['tide', 'sea'], [['tide', 0.8]], None)
    >>> json_list("null")
    []
    """
    cell = re.sub(r"\bnp\.[a-z]+_?\d*\(([^()]*)\)", r"\1", cell)
    cell = re.sub(r"^\s*array\((.*?)(?:,\s*dtype=\w+)?\)\s*$", r"\1", cell, flags=re.DOTALL)
    if not re.search(r"""['"]\s*:""", cell):  # a set, a tuple, or R syntax; in a dictionary, phrases have scores
        cell = re.sub(r"""^\s*(?:c?\(|\{)(?=\s*['"])(.*)[)}]\s*$""", r"[\1]", cell, flags=re.DOTALL)
    quote = match.group(1) if (match := re.match(r"""\s*\[\s*(['"])""", cell)) else ""
    if quote and not re.search(rf"{quote}\s*,", cell):  # NumPy syntax, which Python would parse as one string
        cell = re.sub(rf"{quote}\s+(?={quote})", f"{quote}, ", cell)
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        value = list(map(list, value.items())) if isinstance(value, dict) else [] if value is None else value
        return value if isinstance(value, list) else None
    return None


#: A number after a phrase, as in “tide (0.85)” or “tide: 85 %”, and the number of characters searched for it.
_BEHIND = re.compile(r"(?:\(([-+]?[0-9]*[.,]?[0-9]+) ?%?\)|[:=] ?([-+]?[0-9]*[.,]?[0-9]+) ?%?)$")
_TAIL = 30


def number_behind(text: str) -> tuple[str, str]:
    """Return a phrase and the number after it, empty if there is none.

    >>> number_behind("tide (0.85)"), number_behind("sea: 75 %"), number_behind("moon")
    (('tide', '0.85'), ('sea', '75'), ('moon', ''))
    """
    text = text.strip()
    match = _BEHIND.search(text[-_TAIL:])
    return (text.removesuffix(match[0]).rstrip(), match[1] or match[2]) if match else (text, "")
