"""F1: JSON lists by document become lists of phrases, with variants or scores where the items have them."""

from __future__ import annotations

from typing import Any, cast

from kp_core.corpus import Role
from kp_core.errors import counted
from kp_core.reading.family import File, Recognition, Rows
from kp_core.reading.fields import SYSTEMS, find_roles, plain
from kp_core.reading.json_text import is_json, unfenced
from kp_core.reading.limits import refuse_over
from kp_core.reading.separators import MARKS, common_mark
from kp_core.reading.shapes import Shape, are_scored, rows_of, shape_of
from kp_core.reading.values import is_number

NAME = "F1"
TITLE = "lists, JSON: phrases, variants, scores"
OPTIONS = {
    "inner": ("phrases", "variants", "tokens", "scored"),
    "separator": tuple(MARKS),
    "outer": ("sources", "documents"),
}
#: No phrase of a list has so many words; a longer string is a text.
_WORDS = 12
_STRINGS = ("phrases", "lists of strings")
#: So many lists of several words, none with a blank, may as well be tokens.
_TOKENS = 5
#: Fewer documents do not tell systems from documents by their number.
_MANY = 5


def recognise(file: File, role: Role | None) -> list[Recognition]:
    """Recognise an object, or a list, of lists: strings, lists of strings, pairs, objects; or strings of phrases."""
    if role == "documents" or not is_json(file.json):
        return []
    if inside := _inside(file.json):
        return _nested(file, inside, role)
    lists = _documents(file)
    refuse_over(file.limits.documents, len(lists), "documents", file.name)
    found = _readings(lists)
    if find_roles(list(lists)[:50], ("gold", "predictions", "text")):  # fields of one document, and no ids
        found = [(options, said, 0.4 * sure) for options, said, sure in found]
    asked = file.choice.options
    if chosen := {name: asked[name] for name, values in OPTIONS.items() if asked.get(name) in values}:
        found = [({**options, **chosen}, said, 0.95) for options, said, _ in found[:1]]
    what = "list" if isinstance(file.json, list) else "object"
    counting = ", counted from 1," if what == "list" else ""
    readings = []
    guess: Role = role or ("system" if are_scored(lists.values()) else "gold")
    for options, said, sure in found:
        evidence = f"a JSON {what} of {counted(len(lists), 'document')}{counting} with {said}"
        guessed = role is None and guess == "gold"
        readings.append(Recognition(NAME, guess, (file,), sure, evidence, {}, options, guessed=guessed))
    return readings


def _inside(value: Any) -> list[tuple[str, str, Any]]:
    """Return outer key, inner key and list, where an object holds objects of nothing but lists; else nothing."""
    if not isinstance(value, dict) or not all(isinstance(inner, dict) for inner in value.values()):
        return []
    found = [(outer, inner, one) for outer, lists in value.items() for inner, one in lists.items()]
    return found if all(isinstance(one, list) for _, _, one in found) else []


def _nested(file: File, inside: list[tuple[str, str, Any]], role: Role | None) -> list[Recognition]:
    """Return which of the keys of {key: {key: list}} may be systems or annotators, and which documents."""
    outer, inner = (list(dict.fromkeys(one[level] for one in inside)) for level in (0, 1))
    found = shape_of([one for _, _, one in inside])
    if found is None or find_roles(inner, ("gold", "predictions", "text")):
        return []
    shared = 2 * len(inside) >= len(outer) * len(inner) and len(inner) >= max(2 * len(outer), _MANY)
    systems = [bool(SYSTEMS & set(map(plain, names))) for names in (outer, inner)]
    sure = [systems[0] or (shared and not systems[1]), systems[1] and not systems[0]]
    readings = []
    guess: Role = role or ("system" if any(systems) or are_scored(one for _, _, one in inside) else "gold")
    for keys, names, documents, proved in (("sources", outer, inner, sure[0]), ("documents", inner, outer, sure[1])):
        options, guessed = {"inner": found[0], "outer": keys}, role is None and guess == "gold"
        whose = ", ".join(f"“{name[:40]}”" for name in names[:3]) + " …" * (len(names) > 3)
        evidence = f"{found[1]} by {whose}, of {counted(len(documents), 'document')} such as “{documents[0][:40]}”"
        confidence = 0.95 if proved or file.choice.options.get("outer") == keys else 0.3 if any(sure) else 0.6
        readings.append(Recognition(NAME, guess, (file,), confidence, evidence, {}, options, guessed=guessed))
    chosen = file.choice.options.get("outer")
    return [one for one in readings if chosen in (None, one.options["outer"])]


def _documents(file: File) -> dict[str, Any]:
    """Return document → list; documents of a plain list are counted, a plain list of pairs is one document."""
    value = file.json
    if isinstance(value, dict):
        fits = all(isinstance(inner, (list, dict, str)) or inner is None for inner in value.values())
        return {name: unfenced(inner) for name, inner in value.items()} if fits else {}
    inside = {type(inner) for inner in value}
    if inside == {list} and all(len(inner) == 2 and is_number(inner[0]) != is_number(inner[1]) for inner in value):
        return {file.stem: value}
    rows = (
        inside == {list}
        and len(set(map(len, value))) == 1
        and any(all(isinstance(one, (int, float)) for one in column) for column in zip(*value, strict=True))
    )
    fits = (inside == {list} and not rows) or (
        inside == {str} and 2 * sum(";" in inner for inner in value) >= len(value)
    )
    return {str(number): inner for number, inner in enumerate(value, 1)} if fits else {}


def _readings(lists: dict[str, Any]) -> list[tuple[dict[str, str], str, float]]:
    """Return how the lists may be read: switches, words, and how likely that is."""
    texts = [value for value in lists.values() if isinstance(value, str)]
    found = shape_of([value for value in lists.values() if not isinstance(value, str)])
    if texts:
        return _of_strings(texts[:200], list(lists)[:200]) if found in (None, _STRINGS) else []
    if found is None or found[0] == "phrases":
        return [({"inner": "phrases"}, found[1], 0.95)] if found else []
    items = [item for inner in list(lists.values())[:200] if isinstance(inner, list) for item in inner[:200]]
    several = [item for item in items if isinstance(item, list) and len(item) > 1]
    spellings = f"{found[1]}, each the spellings of one keyphrase"
    if found[0] == "scored":
        return [({"inner": "scored"}, found[1], 0.95), *([({"inner": "variants"}, spellings, 0.3)] if several else [])]
    blanks = any(" " in word for item in several for word in item if isinstance(word, str))
    near = 0.94 if len(several) >= _TOKENS and not blanks else 0.3
    tokens = f"{found[1]}, each the words of one keyphrase"
    return [({"inner": "variants"}, spellings, 0.95), ({"inner": "tokens"}, tokens, near)]


def _of_strings(texts: list[str], ids: list[str]) -> list[tuple[dict[str, str], str, float]]:
    """Return what may stand between the phrases of a string; nothing for the fields of one object."""
    shares = {name: sum(mark in text.strip() for text in texts) / len(texts) for name, mark in MARKS.items()}
    lines, semicolons = shares["lines"], shares[";"]
    mark = "lines" if lines >= 0.5 else common_mark(shares, certain=True) or ";"
    if find_roles(ids, ("doc_id", "title")):
        return []
    long = any(len(phrase.split()) > _WORDS for text in texts for phrase in text.split(MARKS[mark]))
    if mark == "lines":
        said = "strings of which each line is a phrase"
        either = [({"separator": ";"}, "strings split at `;`", 0.6)] if semicolons >= 0.5 else []
        return [({"separator": "lines"}, said, 0.4 if long else 0.6 if either else 0.6 + 0.35 * lines), *either]
    if mark == "," and not long:  # a comma may be a part of a phrase
        return [({"separator": one}, f"strings split at `{one}`", sure) for one, sure in ((",", 0.6), (";", 0.59))]
    return [({"separator": mark}, f"strings split at `{mark}`", 0.4 if long else 0.6 + 0.35 * shares[mark])]


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every list in its order."""
    file, options = recognition.files[0], recognition.options
    turned = options.get("outer") == "documents"
    lists: list[tuple[str | None, str, Any]]
    lists = [(inner, outer, one) if turned else (outer, inner, one) for outer, inner, one in _inside(file.json)]
    lists = lists or [(None, doc_id, one) for doc_id, one in _documents(file).items()]
    shape = cast(Shape, options.get("inner", "phrases"))
    rows = rows_of(lists, shape, recognition.role, file.name, file.limits, MARKS[options.get("separator", ";")])
    if isinstance(file.json, list) and len(lists) > 1:
        rows.counted = len(lists)
    return [rows]
