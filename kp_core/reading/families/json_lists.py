"""F1: JSON lists by document become lists of phrases, with variants or scores where the items have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from kp_core.corpus import Role
from kp_core.errors import counted
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import find_roles
from kp_core.reading.json_text import is_json
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists import is_number
from kp_core.reading.shapes import Shape, rows_of, shape_of

NAME = "F1"
TITLE = "lists, JSON: phrases, variants, scores"
EXAMPLE = '{"d1": ["tide table", "harbour"], "d2": []}'
MORE_EXAMPLES = (
    '{"C-7": [["job shop"], ["quality of rest", "rest quality"]], "C-9": []}',
    '{"d1": [["tide table", 0.82], ["harbour", 0.4]]}',
    '{"d1": "tide table; harbour", "d2": "sea level"}',
)
OPTIONS = {"inner": ("phrases", "variants", "tokens", "scored"), "separator": (";", ",")}
#: No phrase of a list has so many words; a longer string is a text.
_WORDS = 12
#: So many lists of several words, none with a blank, may as well be tokens.
_TOKENS = 5


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> list[Recognition]:
    """Recognise an object, or a list, of lists: strings, lists of strings, pairs, objects; or strings of phrases."""
    file = files[0]
    if len(files) != 1 or role in ("documents", "judgements") or not is_json(file.json):
        return []
    lists = _documents(file)
    refuse_over(file.limits.documents, len(lists), "documents", file.name)
    texts = [value for value in lists.values() if isinstance(value, str)]
    found = shape_of([value for value in lists.values() if not isinstance(value, str)])
    if texts and (found is None or found[0] == "phrases"):
        readings = [({"separator": mark}, sure) for mark, sure in _separators(texts[:200], list(lists)[:200]).items()]
        said = "phrases in one string"
    elif texts or found is None:
        return []
    else:
        said = found[1]
        readings = [({"inner": shape}, sure) for shape, sure in _shapes(found[0], lists).items()]
    if find_roles(list(lists)[:50], ("gold", "predictions", "text")):  # fields of one document, and no ids
        readings = [(options, 0.4 * sure) for options, sure in readings]
    evidence = f"a JSON object of {counted(len(lists), 'document')} with {said}"
    if isinstance(file.json, list):
        evidence = f"a JSON list of {counted(len(lists), 'document')}, counted from 1, with {said}"
    guess: Role = "system" if found and found[0] == "scored" else "gold"
    guessed = {} if role or guess == "system" else {"role": "guessed"}
    chosen = {name: choice.options[name] for name in OPTIONS if name in choice.options}
    if chosen and readings:
        readings = [({**readings[0][0], **chosen}, 0.95)]
    return [
        Recognition(NAME, role or guess, (file,), sure, evidence, {}, options | guessed) for options, sure in readings
    ]


def _documents(file: File) -> dict[str, Any]:
    """Return document → list; documents of a plain list are counted, a plain list of pairs is one document."""
    value = file.json
    if isinstance(value, dict):
        fits = all(isinstance(inner, (list, dict, str)) or inner is None for inner in value.values())
        return value if fits else {}
    if not value or not all(isinstance(inner, list) for inner in value):
        return {}
    if all(len(inner) == 2 and is_number(inner[0]) != is_number(inner[1]) for inner in value):
        return {file.stem: value}
    return {str(number): inner for number, inner in enumerate(value, 1)}


def _shapes(shape: Shape, lists: dict[str, Any]) -> dict[Shape, float]:
    """Return how the lists may be read, and how likely that is: variants may be tokens or pairs with a number."""
    if shape != "variants":
        pairs = shape == "scored" and all(isinstance(item, list) for item in _items(lists))
        return {shape: 0.95} | ({"variants": 0.3} if pairs else {})
    several = [item for item in _items(lists) if isinstance(item, list) and len(item) > 1]
    words = len(several) >= _TOKENS and not any(" " in str(word) for item in several for word in item)
    return {"variants": 0.7, "tokens": 0.69} if words else {"variants": 0.95, "tokens": 0.3}


def _items(lists: dict[str, Any]) -> list[Any]:
    return [item for inner in list(lists.values())[:200] if isinstance(inner, list) for item in inner[:200]]


def _separators(texts: list[str], ids: list[str]) -> dict[str, float]:
    """Return what may stand between the phrases of a string, and how likely; nothing for texts and single records."""
    if find_roles(ids, ("doc_id", "title")):
        return {}
    share = {mark: sum(mark in text for text in texts) / len(texts) for mark in ";,"}
    mark = ";" if share[";"] else ","
    if any(len(phrase.split()) > _WORDS for text in texts for phrase in text.split(mark)):
        return {}
    return {";": 0.6 + 0.35 * share[";"]} if share[";"] else {",": 0.5 + 0.2 * share[","], ";": 0.5}


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every list in its order."""
    file, options = recognition.files[0], recognition.options
    lists, shape = _documents(file), cast(Shape, options.get("inner", "phrases"))
    rows = rows_of(lists, shape, recognition.role, file.name, file.limits, options.get("separator", ";"))
    if isinstance(file.json, list) and len(lists) > 1:
        rows.counted = len(lists)
    return [rows]
