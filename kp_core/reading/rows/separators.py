"""Detect how the cells of a column are split into phrases, and read lists, spans and numbers in a cell."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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


def cell_separator(table: Table, name: str, adjacent: Iterable[str] = (), *, certain: bool = True) -> str:
    """Return how the cells of a column are split; if that is unclear, decide by the adjacent columns.

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
    for other in adjacent if not mark else ():
        mark = mark or common_mark(_shares(table.texts(other)), certain=False)
    return mark or (";" if certain else "")


def _shares(texts: pa.ChunkedArray) -> dict[str, float]:
    if not pc.any(pc.match_substring_regex(texts, _ANY_MARK)).as_py():
        return dict.fromkeys(MARKS, 0.0)
    return {name: share_with(texts, mark) for name, mark in MARKS.items()}


def common_mark(shares: Mapping[str, float], *, certain: bool) -> str:
    """Return the separator of phrases, given the share of cells with each of `MARKS`; empty if there is none.

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
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(cell.strip())
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


def joined_cells(row: Sequence[Any], mark: str) -> list[Any]:
    """Return the cells of several columns as one list, texts split at the separator, if any."""
    items: list[Any] = []
    for cell in row:
        is_list = isinstance(cell, str) and cell.lstrip()[:1] == "["
        value = (json_list(cell) or cell) if is_list else [] if cell is None else cell
        parts = value if isinstance(value, list) else str(value).split(mark) if mark else [str(value)]
        items += [part for part in parts if not isinstance(part, str) or part.strip()]
    return items


def spans_in(cell: str, text: str) -> list[str]:
    """Return the spans or choices in the JSON of a cell; any other cell is one phrase.

    >>> spans_in('[{"start": 0, "end": 4}]', "tide"), spans_in('{"choices": ["tide", "sea"]}', ""), spans_in("sea", "")
    (['tide'], ['tide', 'sea'], ['sea'])
    """
    items: Any = json_list(cell) if cell.strip() else []
    if items and all(isinstance(item, list) and len(item) == 2 for item in items):  # an object
        items = next((values for key, values in items if key == "choices" and isinstance(values, list)), None)
    if items is None:
        return [cell]
    spans = [item for item in items if isinstance(item, dict)]
    phrases = [item.get("text") or text[item.get("start", 0) : item.get("end", 0)] for item in spans]
    return list(dict.fromkeys(filter(None, phrases or map(str, items))))
