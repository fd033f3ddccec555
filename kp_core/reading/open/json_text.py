"""Parse JSON text, refuse repeated keys, and report the lines of errors."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import Any, NamedTuple

from kp_core.errors import InputError
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.meaning.fields import find_roles, plain
from kp_core.reading.open.values import is_number

_FENCE = re.compile(r"^```\w*|```$")
#: JSON within an answer of a language model.
_BLOCK = re.compile(r"^```\w*[ \t]*\n(\s*[\[{].*?)^[^\S\n]*```", re.DOTALL | re.MULTILINE)
_BETWEEN, _LINE, _LINE_END = re.compile(r"[\s,]*"), re.compile(r"[^\r\n]*"), re.compile(r"\r\n|\r|\n")
#: Number of objects examined to see whether a text contains records, and maximum share of broken ones.
FIRST, _BROKEN = 200, 0.2
#: Names of fields that wrap the records.
_WRAPPERS = {"data", "results", "result", "output", "outputs", "response", "systems", "models", "runs"}


class JsonRecord(NamedTuple):
    """One value of a JSONL file with its line; `broken` is the reason if it cannot be parsed."""

    line: int
    value: Any
    broken: str = ""
    content: str = ""


class _NotJson(NamedTuple):
    """The error in a text that begins like JSON; without a message if it does not."""

    message: str = ""


class _TwiceError(ValueError):
    """A key that occurs twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _TwiceError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def parse_json(name: str, text: str, limits: Limits) -> Any:
    """Return the value of a text that is JSON or contains JSON between ```, else a `_NotJson` with the reason."""
    if "```" in text and len(blocks := list(_BLOCK.finditer(text))) == 1:
        begin, end = blocks[0].span(1)
        text = "\n" * text.count("\n", 0, begin) + text[begin:end]  # preserves the lines of errors
    if text.lstrip()[:1] not in ("{", "["):
        return _NotJson()
    # An empty list (two characters) takes a hundred bytes of memory.
    refuse_over(limits.json_parts, text.count("[") + text.count("{"), "lists and objects", name, "JSON")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return _NotJson(f"line {_line(text, 0, error.pos)}, column {error.colno}: {error.msg}")
    except _TwiceError as error:
        raise _repeated_key(name, text, error) from None
    except (ValueError, RecursionError) as error:
        raise InputError(name, _stopped(error), "lists of keyphrases", "Flatten it, or write it as text.") from None


def is_json(value: Any) -> bool:
    """Return whether `parse_json` found JSON."""
    return not isinstance(value, _NotJson)


def begins_like_json(value: Any) -> bool:
    """Return whether a text is JSON, possibly with an error."""
    return is_json(value) or bool(value.message)


def records_within(value: Any) -> Any:
    """Return the records in an object that wraps them or has them column by column; return other values unchanged."""
    if not isinstance(value, dict):
        return value
    wrapped = next(iter(value.values())) if len(value) == 1 else None
    if isinstance(wrapped, dict) and len(wrapped) > 1 and all(isinstance(cell, dict) for cell in wrapped.values()):
        fields = [field for cell in wrapped.values() for field in cell.values()]
        # Objects by id may be wrapped in one name; if they are scores by phrase, the name is a system and is kept.
        return value if fields and all(map(is_number, fields)) else records_within(wrapped)
    if {"columns", "data"} <= set(value) <= {"columns", "index", "data"}:  # orient="split" of pandas
        names, rows = value["columns"], value["data"]
        is_table = isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows)
        return [dict(zip(map(str, names), row, strict=False)) for row in rows] if is_table else value
    if find_roles(value, ("doc_id", "text", "title")):
        return _by_column(value)
    parts = [name for name, inner in value.items() if _holds_records(name, inner)]
    others = [inner for name, inner in value.items() if name not in parts]
    nested = [cell for inner in others if isinstance(inner, dict) for cell in inner.values()]
    if len(parts) != 1 or any(isinstance(cell, list) for cell in (*others, *nested)):
        return value
    inner = value[parts[0]]
    alone = isinstance(inner, dict) and not others and not all(isinstance(cell, dict) for cell in inner.values())
    return value if alone else records_within(inner)


def _by_column(value: dict[str, Any]) -> Any:
    """Return the rows of a table written column by column, as by pandas; return any other object unchanged."""
    columns = [dict(enumerate(cells)) if isinstance(cells, list) else cells for cells in value.values()]
    is_table = find_roles(value, ("doc_id",)) and find_roles(value, ("phrase", "phrases"))
    if not is_table or not all(isinstance(cells, dict) and list(cells) == list(columns[0]) for cells in columns):
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*(cells.values() for cells in columns), strict=True)]


def _holds_records(name: str, inner: Any) -> bool:
    """Recognize records of documents, or lists by id in a field such as `results`."""
    if isinstance(inner, list):
        first = [item for item in inner[:FIRST] if isinstance(item, dict)]
        parts = (("doc_id", "text"), ("gold", "predictions", "phrases"))
        named = all(find_roles(item, roles) for item in first for roles in parts)
        return bool(first) and named and all(isinstance(item, dict) for item in inner)
    cells = list(inner.values()) if isinstance(inner, dict) and plain(name) in _WRAPPERS else []
    within = [item for cell in cells for item in (cell.values() if isinstance(cell, dict) else (cell,))]
    return bool(within) and all(isinstance(item, list) for item in within)


def unfenced(value: Any) -> Any:
    """Return the answer of a language model without the enclosing ```, as a list if it is one or wraps one.

    >>> unfenced('```json\\n["tide"]\\n```'), unfenced('{"keyphrases": ["tide"]}'), unfenced("tide")
    (['tide'], ['tide'], 'tide')
    """
    if not isinstance(value, str) or not ("```" in value or value.lstrip()[:1] == "{"):
        return value
    bare = _FENCE.sub("", value.strip())
    answer = value if bare == value.strip() else bare.strip()
    try:
        parsed = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    items = next(iter(parsed.values())) if isinstance(parsed, dict) and len(parsed) == 1 else parsed
    return items if isinstance(items, list) else answer


def shown(value: Any) -> str:
    """Return the first characters of a value for the report."""
    try:
        return str(value)[:200].encode("utf-8", "replace").decode("utf-8")
    except (ValueError, RecursionError) as error:
        return _stopped(error)


def parse_records(name: str, text: str, whole: Any) -> list[JsonRecord]:
    """Return the objects of a JSON array, or consecutive objects as in JSONL.

    A line without an object is broken; nothing is returned if too many lines are broken.

    whole  the value of the text from `parse_json`
    """
    if isinstance(whole, list):
        objects = any(whole[:FIRST]) and all(isinstance(value, dict) for value in whole)
        return [JsonRecord(0, value) for value in whole] if objects else []
    if is_json(whole) or text.lstrip()[:1] != "{":
        return [JsonRecord(1, whole)] if is_json(whole) else []
    records, n_broken, position, line, start = list[JsonRecord](), 0, 0, 1, 0
    while (position := _end(_BETWEEN, text, position)) < len(text):
        line, start, broken = _line(text, start, position, line), position, ""
        try:
            value, position = _DECODER.raw_decode(text, start)
            broken = "" if isinstance(value, dict) else "not a JSON object"
        except _TwiceError as error:
            raise _repeated_key(name, text[start:], error, line) from None
        except (ValueError, RecursionError) as error:
            late = isinstance(error, json.JSONDecodeError) and error.pos >= _end(_LINE, text, start)
            early = late or "Untermin" in str(error)
            broken = "an incomplete JSON object" if early else f"not a JSON object ({_stopped(error)})"
        if broken:
            n_broken, value, position = n_broken + 1, None, _end(_LINE, text, start)
        records.append(JsonRecord(line, value, broken, text[start:position][:200] if broken else ""))
        blank = len(records) == FIRST and not any(record.value for record in records)
        if records[0].broken or blank or n_broken > _BROKEN * max(len(records), FIRST):
            return []
    return records if len(records) - n_broken >= (1 - _BROKEN) * min(len(records), FIRST) else []


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    return pattern.match(text, position).end()  # type: ignore[union-attr]


def _stopped(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"column {error.colno}: {error.msg}"
    return "deeply nested JSON" if isinstance(error, RecursionError) else "a number without end"


def _repeated_key(name: str, text: str, error: _TwiceError, first: int = 1) -> InputError:
    """Return the refusal of a repeated key, with both lines; `first` is the line where the text begins."""
    key = str(error)
    places = re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text)
    lines = list(dict.fromkeys(_line(text, 0, place.start(), first) for place in islice(places, 2))) or [first]
    where = f"{name}, line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))}"
    return InputError(where, f"the key “{key[:60]}” twice", "each key once in an object", "Keep one of them.")


def _line(text: str, start: int, position: int, first: int = 1) -> int:
    return first + len(_LINE_END.findall(text, start, position))
