"""Turn JSON text into Python values without losing a repeated key, a broken line or the line of an error."""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from kp_core.errors import InputError
from kp_core.reading.fields import find_roles, plain
from kp_core.reading.limits import Limits, refuse_over


@dataclass(frozen=True)
class _NotJson:
    """Why a text that begins like JSON is none; no reason if it does not even begin like it."""

    message: str = ""


NOT_JSON = _NotJson()


_FENCE = re.compile(r"^```\w*|```$")
#: JSON between the sentences of a language model.
_BLOCK = re.compile(r"^```\w*[ \t]*\n(\s*[\[{].*?)^[^\S\n]*```", re.DOTALL | re.MULTILINE)
#: So many objects tell whether a text holds records, and such a part of these may be broken.
_FIRST, _BROKEN = 200, 0.2
#: Characters that Python may have printed.
_PRINTED = 2_000_000
#: Fields that only say that what is looked for stands within.
_WRAPPERS = {"data", "results", "result", "output", "outputs", "response", "systems", "models", "runs"}


class JsonRecord(NamedTuple):
    """One value of a JSONL file with its line; `broken` says why a line is none."""

    line: int
    value: Any
    broken: str = ""
    content: str = ""


class _TwiceError(ValueError):
    """A key that stands in one object twice."""


class _Decoder(json.JSONDecoder):
    """Decodes objects in which no key stands twice; with `twice` another than refuse it counts such keys."""

    def __init__(self, twice: str) -> None:
        super().__init__(object_pairs_hook=self._object)
        self.twice, self.repeated = twice, 0

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        found.clear()
        for key, value in pairs:
            if key in found and self.twice == "refuse":
                raise _TwiceError(key)
            self.repeated += key in found
            if self.twice == "merge" and isinstance(value, list) and isinstance(found.get(key), list):
                found[key].extend(value)
            found.setdefault(key, value)
        return found


def parse_json(name: str, text: str, limits: Limits, twice: str) -> tuple[Any, int]:
    """Return the value of a text that is JSON, or holds it in one fence; else a `_NotJson` with the reason.

    The second value is how many keys stood twice.
    """
    if "```" in text and len(blocks := list(_BLOCK.finditer(text))) == 1:
        begin, end = blocks[0].span(1)
        text = "\n" * text.count("\n", 0, begin) + text[begin:end]  # errors keep their lines
    if text.lstrip()[:1] not in ("{", "["):
        return NOT_JSON, 0
    # An empty list takes two characters in the file and fifty times as much in memory.
    refuse_over(limits.json_parts, text.count("[") + text.count("{"), "lists and objects", name, "JSON")
    decoder = _Decoder(twice)
    try:
        return decoder.decode(text), decoder.repeated
    except json.JSONDecodeError as error:
        if (value := _printed(text)) is not None:
            return value, 0
        return _NotJson(f"line {_line(text, error.pos)}, column {error.colno}: {error.msg}"), 0
    except _TwiceError as error:
        raise _twice(name, text, error) from None
    except (ValueError, RecursionError) as error:
        raise InputError(name, _stopped(error), "lists of keyphrases", "Flatten it, or write it as text.") from None


def _printed(text: str) -> Any:
    """Return what Python printed, as a whole or a value on each line, as values of JSON; None if it is none of it.

    >>> _printed("[('tide', 0.8), ('sea', 0.5)]\\n[('moon', 0.9)]")
    [[['tide', 0.8], ['sea', 0.5]], [['moon', 0.9]]]
    """
    if not re.match(r"\s*[\[{]+\s*[(']", text) or len(text) > _PRINTED:
        return None
    for parts in ([text], text.splitlines()):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            values = [ast.literal_eval(part.strip()) for part in parts if part.strip()]
            return json.loads(json.dumps(values[0] if parts == [text] else values))
    return None


def records_within(value: Any) -> Any:
    """Return the records of an object that says no more of them, or holds them column by column; else the value.

    >>> records_within({"model": "m", "results": [{"id": "d1", "keyphrases": ["tide"]}]})
    [{'id': 'd1', 'keyphrases': ['tide']}]
    >>> records_within({"doc_id": {"0": "d1", "1": "d2"}, "keyphrase": {"0": "tide", "1": "sea"}})
    [{'doc_id': 'd1', 'keyphrase': 'tide'}, {'doc_id': 'd2', 'keyphrase': 'sea'}]
    """
    if not isinstance(value, dict):
        return value
    only = next(iter(value.values())) if len(value) == 1 else None
    if isinstance(only, dict) and len(only) > 1 and all(isinstance(one, dict) for one in only.values()):
        return records_within(only)  # objects by id under a name
    if {"columns", "data"} <= set(value) <= {"columns", "index", "data"}:  # pandas, rows beside their heads
        names, rows = value["columns"], value["data"]
        whole = isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows)
        return [dict(zip(map(str, names), row, strict=False)) for row in rows] if whole else value
    if find_roles(value, ("doc_id", "text", "title")):
        return _by_column(value)
    parts = [name for name, inner in value.items() if _holds_records(name, inner)]
    rest = [inner for name, inner in value.items() if name not in parts]
    nested = [one for inner in rest if isinstance(inner, dict) for one in inner.values()]
    if len(parts) != 1 or any(isinstance(one, list) for one in (*rest, *nested)):
        return value
    inner = value[parts[0]]
    alone = isinstance(inner, dict) and not rest and not all(isinstance(one, dict) for one in inner.values())
    return value if alone else records_within(inner)


def _by_column(value: dict[str, Any]) -> Any:
    """Return the rows of a table that pandas wrote column by column; any other object as it is."""
    columns = [dict(enumerate(one)) if isinstance(one, list) else one for one in value.values()]
    whole = find_roles(value, ("doc_id",)) and find_roles(value, ("phrase", "phrases"))
    if not whole or not all(isinstance(one, dict) and list(one) == list(columns[0]) for one in columns):
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*(one.values() for one in columns), strict=True)]


def _holds_records(name: str, inner: Any) -> bool:
    """Tell records of documents, or lists by id under a name that does not describe them."""
    if isinstance(inner, list):
        first = [one for one in inner[:_FIRST] if isinstance(one, dict)]
        parts = (("doc_id", "text"), ("gold", "predictions", "phrases"))
        told = all(find_roles(one, roles) for one in first for roles in parts)
        return bool(first) and told and all(isinstance(one, dict) for one in inner)
    cells = list(inner.values()) if isinstance(inner, dict) and plain(name) in _WRAPPERS else []
    within = [one for cell in cells for one in (cell.values() if isinstance(cell, dict) else (cell,))]
    return bool(within) and all(isinstance(one, list) for one in within)


def unfenced(value: Any) -> Any:
    """Return the answer of a language model without the fence around it, and a list in it as a list.

    An object of one list is that list.

    >>> unfenced('```json\\n["tide"]\\n```'), unfenced('{"keyphrases": ["tide"]}'), unfenced("tide")
    (['tide'], ['tide'], 'tide')
    """
    if not isinstance(value, str) or not ("```" in value or value.lstrip()[:1] == "{"):
        return value
    bare = _FENCE.sub("", value.strip())
    answer = value if bare == value.strip() else bare.strip()
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    lists = list(found.values()) if isinstance(found, dict) and len(found) == 1 else [found]
    return lists[0] if isinstance(lists[0], list) else answer


def is_json(value: Any) -> bool:
    """Tell whether `parse_json` found JSON."""
    return not isinstance(value, _NotJson)


def begins_like_json(value: Any) -> bool:
    """Tell whether a text is JSON, or begins like it and is broken."""
    return is_json(value) or bool(value.message)


def shown(value: Any) -> str:
    """Return the beginning of a value as the report shows it."""
    try:
        return str(value)[:200].encode("utf-8", "replace").decode("utf-8")
    except (ValueError, RecursionError) as error:
        return _stopped(error)


def parse_records(name: str, text: str, whole: Any, limits: Limits, twice: str) -> tuple[list[JsonRecord], int]:
    """Return the objects of a JSON array or of JSONL, several values over any lines too, and how many keys stood twice.

    whole  what `parse_json` made of the text
    """
    if isinstance(whole, list):
        whole = whole if any(whole[:_FIRST]) and all(isinstance(value, dict) for value in whole) else []
        return [JsonRecord(0, value) for value in whole], 0
    if is_json(whole) or text.lstrip()[:1] != "{":
        return [JsonRecord(1, whole)] if is_json(whole) else [], 0
    decoder = _Decoder(twice)
    if records := _by_line(name, text, limits, decoder):
        return records, decoder.repeated
    decoder = _Decoder(twice)
    return _one_after_another(name, text, decoder), decoder.repeated


def _by_line(name: str, text: str, limits: Limits, decoder: _Decoder) -> list[JsonRecord]:
    """Return the object of each line, or why it holds none; nothing if too many hold none."""
    records, bad = list[JsonRecord](), 0
    for number, line in enumerate(re.split("\r\n|\n|\r", text), 1):
        if not (line := line.strip()):
            continue
        refuse_over(limits.line_bytes, len(line), "characters", f"{name}, line {number}", "a line")
        before = decoder.repeated
        try:
            value, end = decoder.raw_decode(line)
            broken = "" if type(value) is dict and end == len(line) else "no JSON object"
        except _TwiceError as error:
            raise _twice(name, line, error, number) from None
        except (ValueError, RecursionError) as error:
            ends = isinstance(error, json.JSONDecodeError) and (error.pos >= len(line) or "Untermin" in error.msg)
            broken = "no whole JSON object (ends early)" if ends else f"no JSON object ({_stopped(error)})"
        if broken:
            bad, decoder.repeated = bad + 1, before
        records.append(JsonRecord(number, None, broken, line[:200]) if broken else JsonRecord(number, value))
        if len(records) == _FIRST and (bad > _BROKEN * _FIRST or not any(one.value for one in records)):
            return []
    most = len(records) - bad >= (1 - _BROKEN) * min(len(records), _FIRST)
    return records if records and most and not records[0].broken else []


def _one_after_another(name: str, text: str, decoder: _Decoder) -> list[JsonRecord]:
    """Return objects that stand over any lines, with blanks or commas between them; nothing if anything else does."""
    blank = re.compile(r"[\s,]*")
    position, line, counted, records = 0, 1, 0, list[JsonRecord]()
    while (position := blank.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        line, counted = _line(text, position, counted, line), position
        try:
            value, position = decoder.raw_decode(text, position)
        except _TwiceError as error:
            raise _twice(name, text, error) from None
        except (ValueError, RecursionError):
            return []
        records.append(JsonRecord(line, value))
        if not isinstance(value, dict) or (len(records) == _FIRST and not any(one.value for one in records)):
            return []
    return records


def _stopped(error: Exception) -> str:
    """Say in words at what Python stopped."""
    if isinstance(error, json.JSONDecodeError):
        return f"column {error.colno}: {error.msg}"
    return "deeply nested JSON" if isinstance(error, RecursionError) else "a number without end"


def _twice(name: str, text: str, error: _TwiceError, first: int = 1) -> InputError:
    """Return the refusal of a key that stands twice in an object of a text, which begins in some line."""
    key = str(error)
    found = re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text)
    places = [_line(text, match.start(), first=first) for match in islice(found, 2)]  # it may stand a million times
    lines = " and ".join(map(str, dict.fromkeys(places or [first])))
    where = f"{name}, line{'s' * (' ' in lines)} {lines}"
    remedy = "Keep one of them, or choose a fix: keep-first or merge."
    return InputError(where, f"the key “{key[:60]}” twice", "each key once in an object", remedy)


def _line(text: str, position: int, start: int = 0, first: int = 1) -> int:
    """Return the line of a position, counted from the first, which is that of the start."""
    before = text[start:position]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + first
