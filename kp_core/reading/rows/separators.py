"""Detect how cells are split into phrases, read lists and numbers in a cell, and recognize what lists contain."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.reading.meaning.mapping import MARKS
from kp_core.reading.open.table import Table, holds_lists, share_with
from kp_core.reading.open.values import URIS, is_number

#: Kinds of values per document.
Shape = Literal["phrases", "variants", "scored", "tokens"]
PHRASE_NAMES = ("phrase", "keyphrase", "keyword", "term", "text", "word", "ngram", "name", "label", "uri")
SCORE_NAMES = ("score", "relevance", "confidence", "weight")
CONCEPT_NAMES = ("concept", "uri", "concept_id", "notation")
#: Separator that some systems write between present and absent keyphrases.
BORDER = "<peos>"
#: Separator that some collections write between title and text.
TITLE_END = re.compile(r" (?:\[sep\]|<eos>) ", re.IGNORECASE)
_RARE = ("/", "·", "-", "–")
_ANY_MARK = "|".join(map(re.escape, MARKS.values()))
_WHOLE = {
    "json": r"^\s*((?:array\()?\[.*\](?:,\s*dtype=\w+)?\)?|\{.*\}|c?\(\s*['\"].*\)|null|None)\s*$",
    "uris": f"^{URIS.pattern}$",
    "tags": r"^\s*(#[^#\s;,|]+\s+)*#[^#\s;,|]+\s*$",
}


def cell_separator(table: Table, name: str, adjacent: Iterable[str] = (), *, certain: bool = True) -> str:
    """Return how the cells of a column are split; if that is unclear, decide by the adjacent columns.

    * `certain`: whether the cells are known to be lists, even if some contain a single phrase
    """
    if holds_lists(table.column(name)):
        return "lists"
    texts = table.texts(name)
    nonempty = texts.filter(pc.not_equal(texts, ""))
    for separator, pattern in _WHOLE.items():
        begins = len(nonempty) and re.search(pattern, nonempty[0].as_py())
        if begins and pc.all(pc.match_substring_regex(nonempty, pattern)).as_py():
            return separator
    mark = _common_mark(nonempty, certain=certain)
    for other in adjacent if not mark else ():
        mark = mark or _common_mark(table.texts(other), certain=False)
    return mark or (";" if certain else "")


def _common_mark(texts: pa.ChunkedArray, *, certain: bool) -> str:
    """Return the separator of phrases that enough cells contain, or an empty string."""
    if not pc.any(pc.match_substring_regex(texts, _ANY_MARK)).as_py():
        return ""
    for name, mark in MARKS.items():
        share = share_with(texts, mark) if name != "#" else 0
        if share and (share >= 0.5 or name in ";；|" or (certain and name not in _RARE)):
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


def joined_cells(row: Sequence[Any], separator: str) -> list[Any]:
    """Return the cells of several columns as one list; strings are split at the separator, if any."""
    items: list[Any] = []
    for cell in row:
        is_list = isinstance(cell, str) and cell.lstrip()[:1] == "["
        value = (json_list(cell) or cell) if is_list else [] if cell is None else cell
        parts = value if isinstance(value, list) else str(value).split(separator) if separator else [str(value)]
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


def text_of(value: Any) -> str | None:
    """Return a string, or a number as a string; None for anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return str(value)
    except ValueError:  # Python does not print integers of more than 4,300 digits
        return None


def shape_of(values: Iterable[Any]) -> tuple[Shape, str] | None:
    """Return how the lists of all documents are read, with the evidence; None if they are not lists.

    >>> shape_of([["tide table", "harbour"], []])
    ('phrases', 'lists of strings')
    >>> shape_of([[["a", "b"], ["c"]]])[0], shape_of([[["a", "1"], ["b", "0.5"]]])[0], shape_of([{"tide": 0.8}])[0]
    ('variants', 'scored', 'scored')
    """
    lists = [value for value in values if value is not None]
    if not lists or not all(isinstance(value, (list, tuple, dict)) for value in lists):
        return None
    if any(isinstance(value, dict) for value in lists):
        scored = any(lists) and all(isinstance(value, dict) for value in lists)
        scored = scored and all(text_of(score) is not None for value in lists for score in value.values())
        return ("scored", "objects of phrase and score") if scored else None
    items = [item for value in lists for item in value if item is not None]
    objects = [item for item in items if isinstance(item, dict)]
    nested = [item for item in items if isinstance(item, (list, tuple))]
    threshold = 0.8 * max(len(items), 1)
    if len(nested) < threshold:  # one bad item among many is a rejected row, not another format
        scored = len(objects) >= threshold and any(pick(item, PHRASE_NAMES) is not None for item in objects)
        evidence = "lists, mostly of strings" if nested or objects else "lists of strings"
        return ("scored", "lists of objects with a phrase") if scored else ("phrases", evidence)
    if 2 * sum(len(item) != 2 and sum(isinstance(part, int) for part in item) > 1 for item in nested) > len(nested):
        return None  # offsets in a text
    pairs = [item for item in nested if len(item) == 2]
    have_numbers = [any(isinstance(part, (int, float)) for part in item) for item in pairs]
    scores = sum(has_number or is_number(item[1]) for has_number, item in zip(have_numbers, pairs, strict=True))
    if sum(have_numbers) >= 0.8 * len(nested) or scores == len(nested):
        return "scored", "pairs of phrase and score"
    return "variants", "lists of lists of strings"


def are_scored(values: Iterable[Any]) -> bool:
    """Recognize lists of phrases with systems' scores, as opposed to annotators' grades.

    >>> are_scored([{"tide": 0.8}]), are_scored([[{"label": "tide", "uri": "x:1"}]]), are_scored([[["tide", 0.8]]])
    (True, False, True)
    """
    lists = [value for value in values if value]
    items = [item for value in lists for item in value] if (shape_of(lists) or " ")[0] == "scored" else []
    names = [name for name in SCORE_NAMES if name != "relevance"]
    return any(not isinstance(item, dict) or pick(item, names) is not None for item in items)


def title_and_body(text: str) -> tuple[str | None, str]:
    """Split a text at the marker that some collections put after the title.

    >>> title_and_body("Tides [sep] Water rises.")
    ('Tides', 'Water rises.')
    """
    title, *bodies = TITLE_END.split(text, maxsplit=1)
    return (title.strip(), bodies[0].strip()) if bodies else (None, text)


def pick(item: Mapping[Any, Any], names: Iterable[str]) -> Any:
    """Return the first field of an object with one of these names, or None."""
    lower = {str(key).lower(): value for key, value in item.items() if value is not None}
    return next((lower[name] for name in names if name in lower), None)
