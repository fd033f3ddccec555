"""Parse JSON text, and read JSON of any shape as a table whose columns are its fields."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import Note, input_error, pluralize
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.meaning.fields import KNOWN, find_roles, plain
from kp_core.reading.open.decode import File
from kp_core.reading.open.table import BRACKETS, INNER, KEY, LIST, OUTER, TEXT, Table, table_of
from kp_core.reading.open.values import column_of, is_number
from kp_core.reading.rows.separators import CONCEPT_NAMES, PHRASE_NAMES, SCORE_NAMES, shape_of
from kp_core.typeset import storable

Row = Mapping[str, Any]
_FENCE = re.compile(r"^```\w*|```$")
#: JSON within an answer of a language model.
_BLOCK = re.compile(r"^```\w*[ \t]*\n(\s*[\[{].*?)^[^\S\n]*```", re.DOTALL | re.MULTILINE)
#: Number of objects examined to see whether a text contains records, and maximum share of broken ones.
FIRST, _MAX_BROKEN = 200, 0.2
#: Names of fields that wrap the records.
_WRAPPERS = {"data", "results", "result", "output", "outputs", "response", "systems", "models", "runs"}
_RECORDS = {"records", "documents", "docs", "items", "entries", "articles", "papers", "rows", *_WRAPPERS}
#: Maximum depth of nested objects whose fields become columns, and maximum number of their names (more are data).
_DEPTH, _NAMES = 8, 100
#: Maximum number of bytes that Arrow reads.
_BYTES = 2**31 - 1
#: Type of a field in the first lines → type as which Arrow reads it; fields without values are text.
_TEXT, _LISTS = pa.large_string(), pa.list_(pa.large_string())
_TYPES = {pa.null(): _TEXT, pa.string(): _TEXT, pa.int64(): pa.int64(), pa.float64(): pa.float64()}
_TYPES |= {pa.list_(pa.null()): _LISTS, pa.list_(pa.string()): _LISTS}
#: Fields of an item of a list besides its phrase.
_PLACES = {"start", "end", "begin", "offset", "offsets", "start_offset", "end_offset"}
#: Fields of a single document, as opposed to document ids.
_FIELDS = ("gold", "predictions", "text")
#: Fields of the tables of KPScope with one phrase per row, and with texts.
_PHRASES, _TEXTS = {"phrase", "candidate"}, {"doc_id", "text", "title"}


class JsonRecord(NamedTuple):
    """One value of a JSONL file with its line; `broken` is the reason if it cannot be parsed."""

    line: int
    value: Any
    broken: str = ""
    content: str = ""


class _NotJson(NamedTuple):
    """The error in a text that begins like JSON; without a message for any other text."""

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
        return _NotJson(f"line {error.lineno}, column {error.colno}: {error.msg}")
    except _TwiceError as error:
        raise input_error(name, "key twice", key=str(error)[:60]) from None
    except (ValueError, RecursionError) as error:
        raise input_error(name, "nested JSON", found=_stopped(error)) from None


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
    if find_roles(value, ("doc_id", "text", "title")):
        return _by_column(value)
    parts = {name: inner for name, inner in value.items() if _holds_records(name, inner)}
    others = [inner for name, inner in value.items() if name not in parts]
    if len(parts) != 1 or any(isinstance(inner, list) for inner in others):
        return value
    (inner,) = parts.values()
    is_single = isinstance(inner, dict) and not others and not all(isinstance(cell, dict) for cell in inner.values())
    return value if is_single else records_within(inner)


def _by_column(value: dict[str, Any]) -> Any:
    """Return the rows of a table written column by column, as by pandas; return any other object unchanged."""
    columns = [dict(enumerate(cells)) if isinstance(cells, list) else cells for cells in value.values()]
    is_table = find_roles(value, ("doc_id",)) and find_roles(value, ("phrase", "phrases"))
    if not is_table or not all(isinstance(cells, dict) and list(cells) == list(columns[0]) for cells in columns):
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*(cells.values() for cells in columns), strict=True)]


def _holds_records(name: str, inner: Any) -> bool:
    """Recognize records of documents by their fields, or lists by id in a field such as `results`."""
    if isinstance(inner, list):
        parts, objects = (("doc_id", "text"), ("gold", "predictions", "phrases")), _are_objects(inner)
        named = objects and plain(name) in _RECORDS and not any(map(_is_phrase, inner[:FIRST]))
        return named or (objects and all(find_roles(item, roles) for item in inner[:FIRST] for roles in parts))
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
    text = _FENCE.sub("", value.strip())
    answer = value if text == value.strip() else text.strip()
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


def records_of(file: File) -> list[JsonRecord]:
    """Return the objects of a JSONL file or of a JSON array, with their lines; empty if it is neither.

    A line without an object is broken; nothing is returned if too many lines are broken.
    """
    return file.once("records", lambda: _records(file, json_of(file)))


def _records(file: File, whole: Any) -> list[JsonRecord]:
    if isinstance(whole, list):
        objects = any(whole[:FIRST]) and all(isinstance(value, dict) for value in whole)
        return [JsonRecord(0, value) for value in whole] if objects else []
    if is_json(whole) or file.text.lstrip()[:1] != "{":
        return [JsonRecord(1, whole)] if is_json(whole) else []
    records, n_broken = list[JsonRecord](), 0
    for n_line, line in enumerate(file.lines, 1):
        if not (text := line.strip(" \t,")):
            continue
        records.append(_record(file.name, n_line, text))
        n_broken += bool(records[-1].broken)
        blank = len(records) == FIRST and not any(record.value for record in records)
        if records[0].broken or blank or n_broken > _MAX_BROKEN * max(len(records), FIRST):
            return []
    return records if len(records) - n_broken >= (1 - _MAX_BROKEN) * min(len(records), FIRST) else []


def _record(name: str, line: int, text: str) -> JsonRecord:
    try:
        value = _DECODER.decode(text)
        broken = "" if isinstance(value, dict) else "not a JSON object"
    except _TwiceError as error:
        raise input_error(f"{name}, line {line}", "key twice", key=str(error)[:60]) from None
    except (ValueError, RecursionError) as error:
        cut = isinstance(error, json.JSONDecodeError) and (error.pos >= len(text) or "Untermin" in error.msg)
        broken = "an incomplete JSON object" if cut else f"not a JSON object ({_stopped(error)})"
    return JsonRecord(line, None, broken, text[:200]) if broken else JsonRecord(line, value)


def _stopped(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"column {error.colno}: {error.msg}"
    return "deeply nested JSON" if isinstance(error, RecursionError) else "a number with too many digits"


def json_of(file: File) -> Any:
    """Return the parsed JSON value without wrappers of records, or the reason why the file is not JSON."""
    return file.once("json", lambda: records_within(parse_json(file.name, file.text, file.limits)))


def json_table(file: File) -> Table | None:
    """Return the table of a JSON file; None if it is not JSON, or contains neither objects nor lists of phrases.

    Objects are rows, and their fields are columns; values without a field get a column name in parentheses.
    """
    return file.once("json table", lambda: _read(file))


def _read(file: File) -> Table | None:
    value = json_of(file)
    try:
        if not is_json(value):
            return _of_lines(file) or _of_records(file)
        rows = _of_list(file, value) if isinstance(value, list) else _of_object(value)
        if rows is None:
            return _of_records(file)
        longest = max((len(cell) for row in rows if isinstance(cell := row.get(LIST), list)), default=0)
        refuse_over(file.limits.list_phrases, longest, "phrases", file.name, "a list")
        return _table(file, rows) if rows else None
    except RecursionError as error:  # JSON that can be parsed may be nested too deeply to be written
        raise input_error(file.name, "nested JSON", found=_stopped(error)) from None


def _of_records(file: File) -> Table | None:
    """Return the table of one object per row; a single object without an id is named after the file."""
    valid = [record for record in records_of(file) if isinstance(record.value, dict)]
    if not valid:
        return None
    rows = [record.value for record in valid]
    if len(records_of(file)) == 1 and not find_roles(rows[0], ("doc_id",)) and not _PHRASES & rows[0].keys():
        rows = [{KEY: file.stem} | rows[0]]
    table = _table(file, rows, [record.line for record in valid])
    broken = [(file.name, bad.line, bad.broken, storable(bad.content)) for bad in records_of(file) if bad.broken]
    return replace(table, read=table.read + len(broken), rejected=broken + table.rejected)


def _of_list(file: File, value: list[Any]) -> list[Row] | None:
    """Return the rows of a list of lists, of strings that contain lists, or of one document; None for objects."""
    kinds = set(map(type, value))
    if kinds == {dict}:
        return None
    strings = kinds == {str} and 2 * sum(";" in item for item in value) >= len(value)
    pairs = kinds == {list} and all(len(item) == 2 and is_number(item[0]) != is_number(item[1]) for item in value)
    if pairs or (kinds == {str} and not strings):
        return [{KEY: file.stem, LIST: value}]
    has_numbers = any(isinstance(cell, (int, float)) for row in value if isinstance(row, list) for cell in row)
    are_lists = strings or (kinds == {list} and not has_numbers)  # rows with numbers are not lists
    refuse_over(file.limits.documents, len(value), "documents", file.name, "JSON")
    return [{TEXT if strings else LIST: item} for item in value if are_lists]


def _of_object(value: dict[str, Any]) -> list[Row] | None:
    """Return the rows of objects, lists or strings by id; None for the fields of one document."""
    cells = list(map(unfenced, value.values()))
    if cells and all(isinstance(cell, dict) for cell in cells):
        return _of_objects(value)
    first_keys, strings = list(value)[:FIRST], any(isinstance(cell, str) for cell in cells)
    document = find_roles(first_keys, _FIELDS) or (strings and find_roles(first_keys, ("doc_id", "title")))
    if document or not all(cell is None or isinstance(cell, (str, list, dict)) for cell in cells):
        return None
    name = LIST if any(isinstance(cell, (list, dict)) for cell in cells) else TEXT
    empty = all(cell is None for cell in cells)
    return [] if empty else [{KEY: key, name: cell} for key, cell in zip(value, cells, strict=True)]


def _of_objects(value: dict[str, dict[str, Any]]) -> list[Row]:
    """Return rows from objects by id, each of which contains lists by a second id, phrases with scores, or fields."""
    entries = [(outer, inner, cell) for outer, ids in value.items() for inner, cell in ids.items()]
    names, lists = dict.fromkeys(inner for _, inner, _ in entries), [cell for *_, cell in entries if cell is not None]
    ids = len(lists) == len(entries) or KNOWN.isdisjoint(map(plain, names))  # only fields may be null
    are_lists = all(isinstance(cell, list) for cell in lists) or _are_scored(lists)
    fields = (len(names) == 1 < len(value)) or find_roles(names, _FIELDS)
    if ids and are_lists and not fields and shape_of(lists):
        return [{OUTER: outer, INNER: inner, LIST: cell} for outer, inner, cell in entries]
    if _are_scored(list(value.values())) or len(names) > _NAMES:
        return [{KEY: key, LIST: cell} for key, cell in value.items()]
    return [{KEY: key} | cell for key, cell in value.items()] if entries else []


def _table(file: File, rows: Sequence[Row], lines: Sequence[int] = ()) -> Table:
    unit = "list" if LIST in rows[0] else "document"
    description = pluralize(len(rows), "JSON object") if lines else f"JSON of {pluralize(len(rows), unit)}"
    size, (rows, lines, notes) = len(rows), _explode(file.name, rows, lines or [0] * len(rows))
    if len(rows) > size:  # a long text is repeated in each row of its document
        texts = sum(len(cell) for row in rows for cell in row.values() if isinstance(cell, str))
        refuse_over(file.limits.unpacked_bytes, texts, "characters", file.name, "a table with one row per object")
    names, columns = {*chain.from_iterable(rows)}, list[tuple[str, list[Any]]]()
    for column in _columns(rows, _are_ours(names)):
        columns.append(column)
        width = max(len(columns), len(names))
        refuse_over(file.limits.columns, width, "different fields", file.name, "JSON objects")
        refuse_over(file.limits.cells, width * len(rows), "cells", file.name, "a table")
    arrays = [_array(cells) for _, cells in columns]
    table = table_of(file.name, [name for name, _ in columns], arrays, lines, file.limits)
    return _describe(replace(table, notes=notes), description)


def _describe(table: Table, description: str) -> Table:
    """Return a table with its description and the format that its fields imply."""
    form = "F10" if _are_ours(table.names) else "F1" if set(table.names) <= {*BRACKETS} else "F6"
    described = f"{description}, one per row" if form == "F10" else description
    return replace(table, described=described, nulls=True, splits=not _PHRASES & set(table.names), form=form)


def _are_ours(names: Iterable[str]) -> bool:
    """Recognize the fields of KPScope's tables, in which texts are never answers of a language model."""
    return bool(_PHRASES & set(names)) or set(names) >= _TEXTS


def _explode(file: str, rows: Sequence[Row], lines: Sequence[int]) -> tuple[Sequence[Row], Sequence[int], list[Note]]:
    """Return one row per object in the only list, unless the objects are phrases with a score or concept.

    The list may be in an object. A record with an empty list becomes one row with “empty”; records without a list are
    dropped with a note.
    """
    names = {name for row in rows for name, value in row.items() if isinstance(value, list)}
    if not names and len(rows) > 1:  # the list may be in an object
        flat_rows = list(map(_flatten, rows))
        names = {name for row in flat_rows for name, value in row.items() if isinstance(value, list)}
        sizes = [len(value) for row in flat_rows for value in row.values() if isinstance(value, list)]
        has_several = len(names) == 1 and max(sizes) > 1
        rows = flat_rows if has_several and len({*chain(*flat_rows)}) <= _NAMES else rows
    name = names.pop() if len(names) == 1 else ""
    lists = [row.get(name) for row in rows]
    items = [value if _are_objects(value) else None for value in lists]
    every = [item for objects in items for item in objects or ()]
    is_mixed = any(objects is None and value for value, objects in zip(lists, items, strict=True))
    fields = dict.fromkeys(key for row in rows for key in row if key != name)
    if not every or is_mixed or _are_phrases(every) or find_roles(fields, ("gold", "predictions", "phrases", "phrase")):
        return rows, lines, []
    distinct = any(len({str(row.get(key)) for row in rows}) == len(rows) for key in fields)
    numbered = INNER not in fields and not distinct and not find_roles(fields, ("doc_id",))
    flat = [list(map(_flatten, objects or ())) for objects in items]
    # A field with the same name as a field of the document is prefixed with the name of the list.
    keys = dict.fromkeys(key for objects in flat for item in objects for key in item)
    names_of = {key: f"{name}.{key}" if key in fields or find_roles((key,), _TEXTS) else key for key in keys}
    exploded, row_lines = list[Row](), list[int]()
    for index, (row, line, objects) in enumerate(zip(rows, lines, flat, strict=True), 1):
        common = {KEY: str(index)} if numbered else {}
        common |= {key: value for key, value in row.items() if key != name}
        parts = [{names_of[key]: cell for key, cell in item.items()} for item in objects]
        parts = parts or ([{"empty": "yes"}] if name in row else [])
        exploded += [common | part for part in parts]
        row_lines += [line] * len(parts)
    n_dropped = sum(name not in row for row in rows)
    message = f"{pluralize(n_dropped, 'record')} without “{name}” left out: there is no list."
    return exploded, row_lines, [Note("info", file, message)] if n_dropped else []


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and item for item in value)


def _are_phrases(items: Sequence[Row]) -> bool:
    """Recognize objects that each describe a phrase: with its offset in a text, or without unknown numbers."""
    fields = {name.lower() for item in items for name in item}
    numeric = any(is_number(cell) and not isinstance(cell, str) for item in items for cell in _flatten(item).values())
    are_known = all(map(_is_phrase, items)) and not (numeric and fields.isdisjoint((*SCORE_NAMES, *CONCEPT_NAMES)))
    return are_known or not fields.isdisjoint(_PLACES)


def _flatten(item: Row, prefix: str = "") -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in item.items():
        fields |= _flatten(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return fields


def _field(rows: Iterable[Row], name: str) -> list[Any]:
    """Return the values of a field; `null` is an empty list if other values are lists, and a missing field is None."""
    values = [(name in row, row.get(name)) for row in rows]
    kinds = {type(value) for _, value in values}
    empty: Any = [] if list in kinds else {} if dict in kinds else "" if name == TEXT else None
    return [empty if value is None and present else value for present, value in values]


def _columns(rows: Sequence[Row], ours: bool, prefix: str = "", depth: int = _DEPTH) -> Iterator[tuple[str, list[Any]]]:
    """Yield a column per field or, if its cells are objects of fields, one per field of these, with a dotted name."""
    for field in dict.fromkeys(chain.from_iterable(rows)):
        finite = (None if isinstance(cell, float) and not isfinite(cell) else cell for cell in _field(rows, field))
        name, cells = f"{prefix}{field}", list(finite if ours else map(unfenced, finite))
        present = [cell for cell in cells if cell is not None]
        if present and all(map(_is_one_object, present)):
            name, cells, present = f"{name}.0", [cell and cell[0] for cell in cells], [cell[0] for cell in present]
        objects = depth and all(isinstance(cell, dict) for cell in present) and not _are_scored(present)
        if objects and 0 < len({*chain.from_iterable(present)}) <= _NAMES:
            yield from _columns([cell or {} for cell in cells], ours, f"{name}.", depth - 1)
        else:
            yield name, cells


def _is_one_object(cell: Any) -> bool:
    """Recognize a list of one object that is not a phrase, as language models return it."""
    has_one = isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], dict)
    return has_one and (not _is_phrase(cell[0]) or "type" in cell[0])


def _is_phrase(item: Row) -> bool:
    return not {name.lower() for name in item}.isdisjoint(PHRASE_NAMES)


def _are_scored(cells: Sequence[Any]) -> bool:
    scores = [score for cell in cells if isinstance(cell, dict) for score in cell.values()]
    scored = bool(scores) and all(isinstance(cell, dict) for cell in cells)
    return scored and all(isinstance(score, float) or is_number(score) for score in scores)


def _array(values: Sequence[Any]) -> tuple[Any, list[int]]:
    """Return an Arrow column: lists of text if all cells are such lists, else lists and objects as JSON."""
    present = [value for value in values if value is not None]
    if not all(isinstance(value, list) and all(isinstance(item, str) for item in value) for value in present):
        values = [json.dumps(cell, ensure_ascii=False) if isinstance(cell, (list, dict)) else cell for cell in values]
    return column_of(values)


def _of_lines(file: File) -> Table | None:
    """Return the table of JSONL whose lines Arrow can read."""
    file.refuse_long_lines()
    table = read_at_once(file.text, file.utf8, file.limits)
    if table is None:
        return None
    columns = [(column, list[int]()) for column in table.columns]
    result = table_of(file.name, table.column_names, columns, (), file.limits)
    return _describe(replace(result, lines=None), f"{pluralize(len(result), 'JSON object')}")


def read_at_once(text: str, data: bytes, limits: Limits = LIMITS) -> pa.Table | None:
    """Return JSONL, given as text and UTF-8, as a table if a line is an object of text, numbers and lists of text."""
    lines, ends = text.count("\n{") + (text[:1] == "{"), text.count("\r")
    # Answers of language models between ``` are read one by one.
    is_jsonl = lines == text.count("\n") + (text[-1:] != "\n") and (not ends or ends == text.count("\r\n"))
    schema = _schema_of(text) if is_jsonl and "```" not in text and "\\u0060" not in text else None
    if schema is None or len(schema) > limits.columns or len(schema) * lines > limits.cells or len(data) >= _BYTES:
        return None  # reading objects one by one enforces the limits
    import pyarrow.json as arrow_json

    parse = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    # In one block, because Arrow (26) crashes if one block has numbers and a later one truth values.
    options = arrow_json.ReadOptions(block_size=len(data) + 1)
    try:
        # Arrow refuses repeated keys, half characters, and fields of several types.
        table = arrow_json.read_json(pa.BufferReader(data), options, parse)
        table.validate(full=True)  # `null` in a list makes Arrow (26) return an invalid array
    except pa.ArrowException:
        return None
    return table if len(table) == lines and all(map(_is_exact, table.columns)) else None


def _schema_of(text: str) -> pa.Schema | None:
    """Return the fields of the first lines and their types; None if a field is nested or of several types."""
    fields: dict[str, list[Any]] = {}
    try:
        for line in islice(re.finditer(r"[^\n]+", text), FIRST):
            value = json.loads(line.group())
            for name, cell in value.items() if isinstance(value, dict) else ():
                fields.setdefault(storable(name), []).append(cell)
        return pa.schema([(name, _TYPES[pa.infer_type(cells)]) for name, cells in fields.items()]) if fields else None
    except (ValueError, RecursionError, KeyError, TypeError, OverflowError):
        return None


def _is_exact(column: pa.ChunkedArray) -> bool:
    """Recognize a column that Arrow read without loss: no large numbers, -0, or `null` in place of a list or in it."""
    if pa.types.is_list(column.type):
        return not column.null_count and not pc.list_flatten(column).null_count
    if column.type == _TEXT:
        return True
    values = column.drop_null().to_numpy()
    exact = np.all(np.abs(values.astype(np.float64)) < 2**53)
    return bool(exact) and not np.any((values == 0) & np.signbit(values))
