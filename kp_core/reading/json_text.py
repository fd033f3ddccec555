"""Turn JSON text into Python values without losing a repeated key, a broken line or the line of an error."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any, NamedTuple

from kp_core.errors import InputError
from kp_core.reading.fields import find_roles, plain
from kp_core.reading.limits import Limits, refuse_over


class _NotJson:
    def __init__(self, message: str = "") -> None:
        self.message = message


NOT_JSON = _NotJson()


class NoNumber(str):
    """`NaN` or `Infinity`, which Python takes for numbers and JSON does not know, as it is written."""


_FENCE = re.compile(r"^```\w*|```$")
#: JSON between the sentences of a language model.
_BLOCK = re.compile(r"^```\w*[ \t]*\n(\s*[\[{].*?)^[^\S\n]*```", re.DOTALL | re.MULTILINE)
#: So many objects tell whether a text holds records: they are whole, and not all of them are empty.
_FIRST = 200
#: Objects that may stand in one line.
_IN_LINE = 100_000
_KEEP_ONE = "Keep one of them, or choose a fix: keep-first or merge."


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
        super().__init__(object_pairs_hook=self._object, parse_constant=NoNumber)
        self.twice, self.repeated = twice, 0

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        kept: dict[str, Any] = {}
        for key, value in pairs:
            if key not in kept:
                kept[key] = value
                continue
            if self.twice == "refuse":
                raise _TwiceError(key)
            self.repeated += 1
            if self.twice == "merge" and isinstance(value, list) and isinstance(kept[key], list):
                kept[key].extend(value)
        return kept


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
        return _NotJson(f"line {_line(text, error.pos)}, column {error.colno}: {error.msg}"), 0
    except _TwiceError as error:
        raise _refused_twice(name, text, error.args[0]) from None
    except (ValueError, RecursionError) as error:
        raise InputError(name, _stopped(error), "lists of keyphrases", "Flatten it, or write it as text.") from None


def records_within(value: Any) -> Any:
    """Return the records of an object that says no more of them, or holds them column by column; else the value.

    >>> records_within({"model": "m", "results": [{"id": "d1", "keyphrases": ["tide"]}]})
    [{'id': 'd1', 'keyphrases': ['tide']}]
    >>> records_within({"doc_id": {"0": "d1", "1": "d2"}, "keyphrase": {"0": "tide", "1": "sea"}})
    [{'doc_id': 'd1', 'keyphrase': 'tide'}, {'doc_id': 'd2', 'keyphrase': 'sea'}]
    """
    if not isinstance(value, dict):
        return value
    if (inner := _wrapped(value)) is not None:
        return records_within(inner)
    if find_roles(value, ("doc_id",)) and find_roles(value, ("phrase", "phrases")):
        rows = {tuple(inner) if isinstance(inner, dict) else len(inner) for inner in value.values() if _holds(inner)}
        if len(rows) == 1 and all(map(_holds, value.values())):
            columns = [list(inner.values()) if isinstance(inner, dict) else inner for inner in value.values()]
            return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    if {"columns", "data"} <= set(value) <= {"columns", "index", "data"}:
        names, data = value["columns"], value["data"]
        fits = isinstance(names, list) and isinstance(data, list)
        if fits and all(isinstance(row, list) and len(row) == len(names) for row in data):
            return [dict(zip(map(str, names), row, strict=True)) for row in data]
    lists = [inner for inner in value.values() if isinstance(inner, list) and inner]
    if len(lists) != 1 or find_roles(value, ("doc_id", "text", "title")):
        return value
    found = all(
        isinstance(one, dict)
        and find_roles(one, ("doc_id", "text"))
        and find_roles(one, ("gold", "predictions", "phrases"))
        for one in lists[0][:_FIRST]
    )
    return lists[0] if found and all(isinstance(one, dict) for one in lists[0]) else value


def _wrapped(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the one object of lists, or of objects of lists, beside settings, dates and counts; None elsewhere."""
    parts = {name: inner for name, inner in value.items() if isinstance(inner, dict) and _has_lists(inner)}
    rest = [inner for name, inner in value.items() if name not in parts]
    said = all(
        not isinstance(inner, list) and not (isinstance(inner, dict) and any(map(_holds, inner.values())))
        for inner in rest
    )
    if len(parts) != 1 or not said or find_roles(value, ("doc_id", "text", "title")):
        return None
    ((name, inner),) = parts.items()
    nested = all(isinstance(one, dict) for one in inner.values())
    return inner if plain(name) in _WRAPPERS and (rest or nested) else None


#: Fields that only say that what is looked for stands within.
_WRAPPERS = {"data", "results", "result", "output", "outputs", "response", "systems", "models", "runs"}


def _has_lists(inner: dict[str, Any]) -> bool:
    """Tell an object of lists, or of objects of lists."""
    cells = list(inner.values())
    within = [one for cell in cells for one in (cell.values() if isinstance(cell, dict) else (cell,))]
    return bool(within) and all(isinstance(one, list) for one in within)


def _holds(inner: Any) -> bool:
    return isinstance(inner, (list, dict))


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
    for way in (_by_line, _one_after_another):
        decoder = _Decoder(twice)
        if records := way(name, text, limits, decoder):
            return records, decoder.repeated
    return [], 0


def _by_line(name: str, text: str, limits: Limits, decoder: _Decoder) -> list[JsonRecord]:
    records: list[JsonRecord] = []
    bad = 0
    for number, line in enumerate(re.split("\r\n|\n|\r", text), 1):
        if not (line := line.strip()):
            continue
        refuse_over(limits.line_bytes, len(line), "characters", f"{name}, line {number}", "a line")
        before = decoder.repeated
        try:
            value, end = decoder.raw_decode(line)
            broken = "" if type(value) is dict and end == len(line) else "no JSON object"
        except _TwiceError as error:
            found = f"the key “{error.args[0][:60]}” twice in one object"
            raise InputError(f"{name}, line {number}", found, "each key once", _KEEP_ONE) from None
        except (ValueError, RecursionError) as error:
            ends = isinstance(error, json.JSONDecodeError) and (error.pos >= len(line) or "Untermin" in error.msg)
            broken = "no whole JSON object (ends early)" if ends else f"no JSON object ({_stopped(error)})"
        if broken:
            bad += 1
            decoder.repeated = before
        records.append(JsonRecord(number, None, broken, line[:200]) if broken else JsonRecord(number, value))
        if len(records) == _FIRST and (bad > 0.2 * _FIRST or not any(one.value for one in records)):
            return []
    first = min(len(records), _FIRST)
    return records if records and not records[0].broken and len(records) - bad >= 0.8 * first else []


def _stopped(error: Exception) -> str:
    """Say in words at what Python stopped."""
    if isinstance(error, json.JSONDecodeError):
        return f"column {error.colno}: {error.msg}"
    return "deeply nested JSON" if isinstance(error, RecursionError) else "a number without end"


def _one_after_another(name: str, text: str, limits: Limits, decoder: _Decoder) -> list[JsonRecord]:
    """Return objects that stand over any lines, with blanks or commas between them; nothing if anything else does."""
    blank = re.compile(r"[\s,]*")
    position, line, counted, in_line, records = 0, 1, 0, 0, []
    while (position := blank.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        try:
            value, end = decoder.raw_decode(text, position)
        except _TwiceError as error:
            raise _refused_twice(name, text, error.args[0]) from None
        except (ValueError, RecursionError):
            return []
        further = _line(text, position, counted) - 1
        line, counted = line + further, position
        in_line = 1 if further else in_line + 1
        refuse_over(_IN_LINE, in_line, "objects", f"{name}, line {line}", "a line")
        records.append(JsonRecord(line, value))
        if not isinstance(value, dict) or (len(records) == _FIRST and not any(one.value for one in records)):
            return []
        position = end
    return records


def _refused_twice(name: str, text: str, key: str) -> InputError:
    found = re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text)
    places = [_line(text, match.start()) for match in islice(found, 2)]  # a key may be there a million times
    lines = f"lines {places[0]} and {places[1]}" if len(set(places)) > 1 else f"line {places[0]}" if places else "JSON"
    return InputError(f"{name}, {lines}", f"the key “{key[:60]}” twice", "each document once", _KEEP_ONE)


def _line(text: str, position: int, start: int = 0) -> int:
    """Return the line of a position, counted from 1 at the start."""
    before = text[start:position]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1
