"""Turn JSON text into Python values without losing a repeated key, a depth bomb or the line of an error."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kp_core.errors import InputError
from kp_core.reading.limits import Limits, refuse_over

#: Characters whose depth is counted at once.
_BLOCK = 1 << 20


class _NotJson:
    def __init__(self, message: str = "") -> None:
        self.message = message


NOT_JSON = _NotJson()


class NoNumber(str):
    """`NaN` or `Infinity`, which Python takes for numbers and JSON does not know, as it is written."""


#: Lines of JSONL that are parsed in one call.
_LINES = 10_000
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
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class _DigitsError(ValueError):
    pass


def parse_json(name: str, text: str, limits: Limits, twice: str = "refuse", repeated: list[str] | None = None) -> Any:
    """Return the value if the whole text is JSON, else a `_NotJson` with the reason; refuse bombs and repeated keys.

    With `twice` another than refuse, `repeated` takes up each key that stood in an object already.
    """
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return NOT_JSON
    # An empty list takes two characters in the file and fifty times as much in memory.
    refuse_over(limits.json_parts, text.count("[") + text.count("{"), "lists and objects", name, "JSON")
    deep = _too_deep(text, limits)
    # Cut where it is too deep, a bracket stays open, so that a cut text never parses.
    parsed = text[:deep]
    try:
        return json.loads(parsed, **_hooks(parsed, limits, twice, [] if repeated is None else repeated))
    except json.JSONDecodeError as error:
        line = _line(text, error.pos)
        if deep is not None and error.pos >= deep:  # no JSON at all would have failed before
            raise _refused_depth(f"{name}, line {line}", limits) from None
        return _NotJson(f"line {line}, column {error.colno}: {error.msg}")
    except _TwiceError as error:
        raise _refused_twice(name, text, error.key) from None
    except _DigitsError:
        raise _refused_digits(name, limits) from None


def is_json(value: Any) -> bool:
    """Tell whether `parse_json` found JSON."""
    return not isinstance(value, _NotJson)


def begins_like_json(value: Any) -> bool:
    """Tell whether a text is JSON, or begins like it and is broken."""
    return is_json(value) or bool(value.message)


def parse_records(
    name: str, text: str, whole: Any, limits: Limits, twice: str = "refuse", repeated: list[str] | None = None
) -> list[JsonRecord]:
    """Return the objects of a JSON array or of JSONL; several values over any lines count as JSONL too.

    With `twice` another than refuse, `repeated` takes up each key that stood in an object of JSONL already.
    """
    if isinstance(whole, list):
        if not any(whole[:_FIRST]) or not all(isinstance(v, dict) for v in whole):
            return []
        return [JsonRecord(0, value) for value in whole]
    if text.lstrip()[:1] != "{":
        return []
    if is_json(whole):
        return [JsonRecord(1, whole)]
    for way in (_by_line, _one_after_another):
        again: list[str] = []
        if records := way(name, text, limits, twice, again):
            if repeated is not None:
                repeated += again
            return records
    return []


def _by_line(name: str, text: str, limits: Limits, twice: str, repeated: list[str]) -> list[JsonRecord]:
    decoder = json.JSONDecoder(**_hooks(text, limits, twice, repeated))
    records: list[JsonRecord] = []
    good = seen = 0
    numbered = [(number, line) for number, line in enumerate(re.split("\r\n|\n|\r", text), 1) if line.strip()]
    for begin in range(0, len(numbered), _LINES):
        block, before = numbered[begin : begin + _LINES], len(repeated)
        at_once = _at_once(name, block, decoder, limits)
        if at_once is None:
            del repeated[before:]  # of an attempt that is not kept
        for record in at_once or (_record(name, number, line, decoder, limits, repeated) for number, line in block):
            records.append(record)
            seen += 1
            good += not record.broken
            if seen == _FIRST and (good < 0.8 * _FIRST or not any(one.value for one in records)):
                return []
    first = next((record for record in records), None)
    return records if first is not None and not first.broken and good >= 0.8 * min(seen, _FIRST) else []


def _at_once(
    name: str, numbered: list[tuple[int, str]], decoder: json.JSONDecoder, limits: Limits
) -> list[JsonRecord] | None:
    """Return the objects of some lines from one call, which is faster; None if any line is not exactly one object.

    Their own hash, which none of them can hold, stands between them; so what runs on into the next line, or is two
    objects in one line, is found.
    """
    lines = [line for _, line in numbered]
    if any(len(line) > limits.line_bytes or _too_deep(line, limits) is not None for line in lines):
        return None
    border = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
    try:
        values = decoder.decode("[" + f',"{border}",'.join(lines) + "]")
    except (ValueError, RecursionError):  # the line and the reason are found one by one
        return None
    objects, borders = values[::2], values[1::2]
    if borders != [border] * (len(lines) - 1) or not all(type(value) is dict for value in objects):
        return None
    return [JsonRecord(number, value) for (number, _), value in zip(numbered, objects, strict=True)]


def _record(
    name: str, number: int, line: str, decoder: json.JSONDecoder, limits: Limits, repeated: list[str]
) -> JsonRecord:
    before = len(repeated)
    if len(line) > limits.line_bytes:
        raise InputError(
            f"{name}, line {number}", "a very long line", f"at most {limits.line_bytes:,} characters", "Split it."
        )
    try:
        if _too_deep(line, limits) is not None:
            raise _refused_depth(f"{name}, line {number}", limits)
        value = decoder.decode(line)
    except json.JSONDecodeError as error:
        del repeated[before:]
        ends = error.pos >= len(line.rstrip()) or "Unterminated" in error.msg
        reason = "no whole JSON object (ends early)" if ends else f"no JSON object (column {error.colno}: {error.msg})"
        return JsonRecord(number, None, reason, line[:200])
    except _TwiceError as error:
        where, found = f"{name}, line {number}", f"the key “{error.key[:60]}” twice in one object"
        raise InputError(where, found, "each key once", _KEEP_ONE) from None
    except _DigitsError:
        raise _refused_digits(f"{name}, line {number}", limits) from None
    return (
        JsonRecord(number, value) if isinstance(value, dict) else JsonRecord(number, None, "no JSON object", line[:200])
    )


def _one_after_another(name: str, text: str, limits: Limits, twice: str, repeated: list[str]) -> list[JsonRecord]:
    if _too_deep(text, limits) is not None:
        return []
    decoder = json.JSONDecoder(**_hooks(text, limits, twice, repeated))
    blank = re.compile(r"[\s,]*")
    position, line, counted, in_line, records = 0, 1, 0, 0, []
    while (position := blank.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        try:
            value, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError:
            return []
        except _TwiceError as error:
            raise _refused_twice(name, text, error.key) from None
        except _DigitsError:
            raise _refused_digits(name, limits) from None
        if not isinstance(value, dict):
            return []
        further = _line(text, position, counted) - 1
        line, counted = line + further, position
        in_line = 1 if further else in_line + 1
        refuse_over(_IN_LINE, in_line, "objects", f"{name}, line {line}", "a line")
        records.append(JsonRecord(line, value))
        if len(records) == _FIRST and not any(one.value for one in records):
            return []
        position = end
    return records


def _hooks(text: str, limits: Limits, twice: str, repeated: list[str]) -> dict[str, Any]:
    def pairs_to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        kept: dict[str, Any] = {}
        for key, value in pairs:
            if key not in kept:
                kept[key] = value
                continue
            if twice == "refuse":
                raise _TwiceError(key)
            repeated.append(key)
            if twice == "merge" and isinstance(value, list) and isinstance(kept[key], list):
                kept[key].extend(value)
        return kept

    def whole_number(digits: str) -> int:
        if len(digits) > limits.json_digits:
            raise _DigitsError
        return int(digits)

    hooks: dict[str, Any] = {"object_pairs_hook": pairs_to_dict, "parse_constant": NoNumber}
    # A hook for every integer is slow, so it is set only where a long one occurs.
    if _has_long_number(text, limits.json_digits):
        hooks["parse_int"] = whole_number
    return hooks


def _has_long_number(text: str, digits: int) -> bool:
    """Tell whether more than `digits` digits stand together: such a run covers one of every `digits` + 1 places.

    >>> _has_long_number("[1, 12345, 6]", 4), _has_long_number("[1, 1234, 5678]", 4)
    (True, False)
    """
    step = digits + 1
    around = (text[place - digits : place + step] for place in range(digits, len(text), step) if text[place].isdigit())
    return any(re.search(rf"(?<![0-9])[0-9]{{{step}}}", part) for part in around)


def _too_deep(text: str, limits: Limits) -> int | None:
    """Return where JSON is nested one level too deeply, or None; counted before Python spends its stack on it.

    >>> from kp_core.reading.limits import LIMITS
    >>> _too_deep('["[[[", {"x": []}]' * 40, LIMITS), _too_deep("[" * 40, LIMITS)
    (None, 32)
    """
    if text.count("[") + text.count("{") <= limits.json_depth:
        return None
    depth, quotes, start = 0, 0, 0
    while start < len(text):
        stop = min(start + _BLOCK, len(text))
        while stop < len(text) and text[stop - 1] == "\\":
            stop += 1  # a block never ends within an escape
        plain = text[start:stop].encode("utf-32-le", "surrogatepass")
        block = np.frombuffer(plain, np.uint32)
        is_quote = (block == ord('"')) & ~_escaped(block)
        outside = (quotes + np.cumsum(is_quote)) % 2 == 0
        opens = ((block == ord("[")) | (block == ord("{"))) & outside
        closes = ((block == ord("]")) | (block == ord("}"))) & outside
        depths = depth + np.cumsum(opens.astype(np.int64) - closes)
        if depths.max() > limits.json_depth:
            return start + int(np.argmax(depths > limits.json_depth))
        depth, quotes, start = int(depths[-1]), quotes + int(is_quote.sum()), stop
    return None


def _escaped(block: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Tell which characters follow an odd number of backslashes."""
    places = np.arange(len(block))
    last_other = np.maximum.accumulate(np.where(block != ord("\\"), places, -1))
    before = np.concatenate([[-1], last_other[:-1]])
    return np.asarray((places - 1 - before) % 2 == 1)


def _refused_depth(where: str, limits: Limits) -> InputError:
    return InputError(where, "deeply nested JSON", f"at most {limits.json_depth} levels", "Flatten it.")


def _refused_digits(where: str, limits: Limits) -> InputError:
    return InputError(where, "an endless number", f"at most {limits.json_digits} digits", "Write it as text.")


def _refused_twice(name: str, text: str, key: str) -> InputError:
    found = re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text)
    places = [_line(text, match.start()) for match in islice(found, 2)]  # a key may be there a million times
    lines = f"lines {places[0]} and {places[1]}" if len(set(places)) > 1 else f"line {places[0]}" if places else "JSON"
    return InputError(f"{name}, {lines}", f"the key “{key[:60]}” twice", "each document once", _KEEP_ONE)


def _line(text: str, position: int, start: int = 0) -> int:
    """Return the line of a position, counted from 1 at the start."""
    before = text[start:position]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1
