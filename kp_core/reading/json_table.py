"""Turn JSON of any shape that holds keyphrases, predictions or texts into a table whose columns are its fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from kp_core.errors import InputError, counted
from kp_core.reading.family import File
from kp_core.reading.fields import KNOWN, find_roles, plain
from kp_core.reading.json_lines import columns_at_once
from kp_core.reading.json_text import NoNumber, is_json, unfenced
from kp_core.reading.limits import refuse_over
from kp_core.reading.shapes import CONCEPT_NAMES, PHRASE_NAMES, SCORE_NAMES, shape_of
from kp_core.reading.table import Table, table_of
from kp_core.reading.values import column_of, is_number
from kp_core.typeset import storable

#: Heads of what stands under no field: ids, the ids around and within others, lists, and strings.
KEY, OUTER, INNER, LIST, TEXT = "(key)", "(outer)", "(inner)", "(list)", "(text)"
#: Objects within objects that become columns of their own; one of more names has data for names.
_DEPTH, _NAMES = 8, 100
#: Fields of what an item of a list says beside its phrase, which `shapes` reads.
_PLACES = {"start", "end", "begin", "offset", "offsets", "start_offset", "end_offset"}
_AMOUNTS = {*SCORE_NAMES, *CONCEPT_NAMES, *_PLACES}
#: Fields by which an object is a document, and none of documents.
_FIELDS = ("gold", "predictions", "text")
#: Keys of an object that are looked at.
_FIRST = 50
#: Fields of our own tables of one phrase a row, where no phrase is a list.
_PHRASES, _TEXTS = {"phrase", "candidate"}, {"doc_id", "text", "title"}


def json_table(file: File) -> Table | None:
    """Return the table that a file of JSON is; None if it is no JSON, or JSON without objects or lists of phrases.

    Objects are rows and their fields columns; what stands in no field has a head in brackets.
    """
    return file.once("json table", lambda: _read(file))


def json_table_of(files: Sequence[File]) -> Table:
    """Return one table of files that are one object each; what has no id is named like its file."""
    values = [file.records[0].value for file in files]
    ids = [find_roles(value, ("doc_id",)).get("doc_id") for value in values]
    field = next(filter(None, ids), KEY)  # of all of them, where only some have an id
    values = [
        {field: file.stem} | value if own is None else value
        for file, value, own in zip(files, values, ids, strict=True)
    ]
    table = _of_rows(files[0], values, [1] * len(files))
    return replace(table, **_said_of_rows(table))


def _read(file: File) -> Table | None:
    try:
        if not is_json(file.json):
            return _of_lines(file) or _of_records(file)
        return _of_list(file, file.json) if isinstance(file.json, list) else _of_object(file, file.json)
    except RecursionError:  # what could just be read can be too deep to be written
        found = "deeply nested JSON"
        raise InputError(file.name, found, "lists of keyphrases", "Flatten it, or write it as text.") from None


def _of_lines(file: File) -> Table | None:
    """Return JSONL whose lines all are flat objects."""
    file.refuse_long_lines()
    found = columns_at_once(file.text, file.utf8, file.limits)
    if found is None:
        return None
    names, columns = found
    table = table_of(file.name, names, [(column, []) for column in columns], (), file.limits)
    return replace(table, lines=None, nulls=True, **_said_of_rows(table))


def _of_records(file: File) -> Table | None:
    """Return objects one a row; where a file has only one, and that no id, it is named like the file."""
    good = [record for record in file.records if isinstance(record.value, dict)]
    if not good:
        return None
    values = [record.value for record in good]
    if len(file.records) == 1 and not find_roles(values[0], ("doc_id",)) and not _PHRASES & values[0].keys():
        values = [{KEY: file.stem} | values[0]]
    table = _of_rows(file, values, [record.line for record in good])
    broken = [(file.name, one.line, one.broken, storable(one.content)) for one in file.records if one.broken]
    read = table.read + len(file.records) - len(good)
    return replace(table, read=read, rejected=broken + table.rejected, **_said_of_rows(table))


def _said_of_rows(table: Table) -> dict[str, Any]:
    said = counted(len(table) + len(table.rejected), "JSON object")
    rows = _are_ours(table.names)
    described, form = (f"{said}, one a row", "F10") if rows else (said, "F6")
    return {"described": described, "splits": not _PHRASES & set(table.names), "form": form}


def _are_ours(names: Iterable[str]) -> bool:
    """Tell the fields of our own tables of phrases or of texts, where what looks like JSON is no answer of a model."""
    return bool(_PHRASES & set(names)) or set(names) >= _TEXTS


def _of_list(file: File, value: list[Any]) -> Table | None:
    """Return a list of objects, of lists or of strings that hold lists, one a row, or a list that is one document."""
    kinds = set(map(type, value))
    strings = kinds == {str} and 2 * sum(";" in one for one in value) >= len(value)
    pairs = kinds == {list} and all(len(one) == 2 and is_number(one[0]) != is_number(one[1]) for one in value)
    if kinds == {dict}:
        return _of_records(file)
    if pairs or (kinds == {str} and not strings):
        return _documents(file, "a JSON list of", {KEY: [file.stem], LIST: [value]})
    if strings or (kinds == {list} and not _are_numbered(value)):
        return _documents(file, "a JSON list of", {TEXT if strings else LIST: value})
    return None


def _are_numbered(rows: list[list[Any]]) -> bool:
    """Tell lists of equal length with a place for numbers, which are rows without heads."""
    places = zip(*rows, strict=True) if len(set(map(len, rows))) == 1 else ()
    return any(all(isinstance(one, (int, float)) for one in place) for place in places)


def _of_object(file: File, value: dict[str, Any]) -> Table | None:
    """Return an object of objects, lists or strings by id, or the fields of one document."""
    cells = [unfenced(cell) for cell in value.values()]
    if cells and all(isinstance(cell, dict) for cell in cells):
        return _of_objects(file, value)
    first = list(value)[:_FIRST]
    strings = any(isinstance(cell, str) for cell in cells)
    fields = find_roles(first, _FIELDS) or (strings and find_roles(first, ("doc_id", "title")))
    if fields or not all(cell is None or isinstance(cell, (str, list, dict)) for cell in cells):
        return _of_records(file)
    if not any(cell is not None for cell in cells):
        return None
    lists = any(isinstance(cell, (list, dict)) for cell in cells)
    return _documents(file, "a JSON object of", {KEY: list(value), LIST if lists else TEXT: _with_empty(cells)})


def _with_empty(cells: Sequence[Any]) -> list[Any]:
    """Return cells with an empty one of their kind in the place of `null`."""
    kind = next((kind for kind in (dict, list) if any(isinstance(cell, kind) for cell in cells)), str)
    return [kind() if cell is None else cell for cell in cells]


def _of_objects(file: File, value: dict[str, dict[str, Any]]) -> Table | None:
    """Return objects by id: of lists by a further id, of phrases with their scores, or of fields."""
    within = [(outer, inner, one) for outer, ids in value.items() for inner, one in ids.items()]
    if not within:
        return None
    names, lists = dict.fromkeys(inner for _, inner, _ in within), [one for _, _, one in within]
    if None in lists and KNOWN.isdisjoint(map(plain, names)):  # ids; fields may be null and no lists
        lists = _with_empty(lists)
    listed = all(isinstance(one, list) for one in lists) or _are_scored(lists)
    field = len(names) == 1 < len(value)
    if listed and not field and not find_roles(names, _FIELDS) and shape_of(lists):
        outer, inner, _ = map(list, zip(*within, strict=True))
        return _documents(file, "a JSON object of objects with", {OUTER: outer, INNER: inner, LIST: lists}, "list")
    if _are_scored(list(value.values())) or len(names) > _NAMES:
        return _documents(file, "a JSON object of", {KEY: list(value), LIST: list(value.values())})
    # pandas writes the numbers of rows in front of rows that have ids of their own.
    are_rows = list(value) == [str(row) for row in range(len(value))] and find_roles(names, ("doc_id",))
    rows = list(value.values()) if are_rows else [{KEY: key} | fields for key, fields in value.items()]
    table = _of_rows(file, rows, [0] * len(rows))
    described, form = f"a JSON object of {counted(len(value), 'document')}", "F1" if table.names == [KEY] else "F6"
    return replace(table, described=described, form=form)


def _documents(file: File, what: str, fields: Mapping[str, Sequence[Any]], unit: str = "document") -> Table:
    size = len(next(iter(fields.values())))
    form = "F1" if set(fields) <= {KEY, OUTER, INNER, LIST, TEXT} else "F6"
    return replace(_table(file, fields, [0] * size), described=f"{what} {counted(size, unit)}", form=form)


def _of_rows(file: File, objects: Sequence[dict[str, Any]], lines: Sequence[int]) -> Table:
    """Return objects with the lines that they begin in as a table, fields in the order in which they appear."""
    rows = _one_by_one(objects, lines)
    names = list(dict.fromkeys(chain.from_iterable(row for row, _ in rows)))
    _refuse_large(file, names, len(rows))
    return _table(file, {name: _field([row for row, _ in rows], name) for name in names}, [line for _, line in rows])


def _one_by_one(rows: Sequence[dict[str, Any]], lines: Sequence[int]) -> list[tuple[dict[str, Any], int]]:
    """Return an object for each item of the one field of lists of objects, if their own fields say too little.

    Which of them is the phrase, and which number ranks it, is then told as in any table of one phrase a row.
    """
    lists = {name for row in rows for name, value in row.items() if _objects_in(value) is not None}
    whole = list(zip(rows, lines, strict=True))
    if len(lists) != 1:
        return whole
    (name,) = lists
    every = [(row, _objects_in(row.get(name))) for row in rows]
    found = [item for _, items in every for item in items or ()]
    if any(item.keys() & _PLACES for item in found[:_FIRST]):
        return whole  # marks in a text, which stays one
    known = all(_is_phrase(item) and not {*map(str.lower, item)}.isdisjoint(_AMOUNTS) for item in found)
    numbers = any(is_number(value) and not isinstance(value, str) for item in found for value in _leaves(item))
    if known or not numbers or any(items is None and row.get(name) is not None for row, items in every):
        return whole
    rest = [({key: value for key, value in row.items() if key != name}, items or ()) for row, items in every]
    beside = zip(rest, lines, strict=True)
    return [({**others, **_flat(item)}, line) for (others, items), line in beside for item in items]


def _flat(item: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return an object with the fields of objects within it under dotted names."""
    found: dict[str, Any] = {}
    for key, value in item.items():
        found |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return found


def _objects_in(value: Any) -> list[dict[str, Any]] | None:
    """Return the objects of a list of nothing else, or those under phrases as names; else None."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and item for item in value):
        return value
    if isinstance(value, dict) and value and all(isinstance(item, dict) and item for item in value.values()):
        leaves = [leaf for item in value.values() for leaf in _leaves(item)]
        same = len({tuple(item) for item in value.values()}) == 1 and all(map(is_number, leaves))
        return [{"phrase": phrase, **item} for phrase, item in value.items()] if same else None
    return None


def _leaves(item: Mapping[str, Any]) -> Iterator[Any]:
    for value in item.values():
        yield from _leaves(value) if isinstance(value, dict) else (value,)


def _field(objects: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    """Return a field of objects: `null` in the place of a list is an empty list, and where there is no field, None."""
    values = [one.get(name) for one in objects]
    lists = any(isinstance(value, list) for value in values)
    return [
        [] if lists and value is None and name in one else value for one, value in zip(objects, values, strict=True)
    ]


def _refuse_large(file: File, names: Sequence[str], rows: int) -> None:
    refuse_over(file.limits.columns, len(names), "different fields", file.name, "JSON objects")
    refuse_over(file.limits.cells, len(names) * rows, "cells", file.name, "a table")


def _table(file: File, fields: Mapping[str, Sequence[Any]], lines: Sequence[int]) -> Table:
    ours = _are_ours(fields)
    columns = [column for name, values in fields.items() for column in _columns(name, values, ours)]
    names = [name for name, _ in columns]
    _refuse_large(file, names, len(lines))
    return replace(
        table_of(file.name, names, [_cells(values) for _, values in columns], lines, file.limits), nulls=True
    )


def _columns(name: str, values: Iterable[Any], ours: bool, depth: int = _DEPTH) -> Iterator[tuple[str, list[Any]]]:
    """Give a column or, where its cells are objects of fields, one for each field under both names with a dot."""
    # What programs write for a missing number, `NaN`, is a missing value.
    cells = [None if type(one) is NoNumber else one if ours else unfenced(one) for one in values]
    present = [cell for cell in cells if cell is not None]
    if present and all(map(_is_one_object, present)):
        name, cells = f"{name}.0", [None if cell is None else cell[0] for cell in cells]
        present = [cell for cell in cells if cell is not None]
    if depth and present and all(isinstance(cell, dict) for cell in present) and not _are_scored(present):
        inner = dict.fromkeys(chain.from_iterable(present))
        if 0 < len(inner) <= _NAMES:
            for one in inner:
                yield from _columns(f"{name}.{one}", _field([cell or {} for cell in cells], one), ours, depth - 1)
            return
    yield name, cells


def _is_one_object(cell: Any) -> bool:
    """Tell a list of one object which is no phrase, as answers of language models stand in."""
    one = isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], dict)
    return one and (not _is_phrase(cell[0]) or "type" in cell[0])


def _is_phrase(item: Mapping[str, Any]) -> bool:
    return not {name.lower() for name in item}.isdisjoint(PHRASE_NAMES)


def _are_scored(cells: Sequence[Any]) -> bool:
    """Tell objects of phrases with their scores from objects of fields."""
    numbers = [score for cell in cells if isinstance(cell, dict) for score in cell.values()]
    scored = all(isinstance(score, NoNumber) or is_number(score) for score in numbers)
    return bool(numbers) and scored and all(isinstance(cell, dict) for cell in cells)


def _cells(values: Sequence[Any]) -> tuple[Any, list[int]]:
    """Return a column of Arrow; lists and objects are lists of text only if all are, else they are JSON again."""
    lists = all(
        value is None or (isinstance(value, list) and all(isinstance(one, str) for one in value)) for value in values
    )
    return column_of(values if lists else [_written(value) for value in values])


def _written(value: Any) -> Any:
    return json.dumps(_numbers(value), ensure_ascii=False) if isinstance(value, (list, dict)) else value


def _numbers(value: Any) -> Any:
    """Return a value with the numbers that JSON does not know as numbers, which are written as they were."""
    if isinstance(value, dict):
        return {key: _numbers(one) for key, one in value.items()}
    return (
        [_numbers(one) for one in value]
        if isinstance(value, list)
        else float(value)
        if type(value) is NoNumber
        else value
    )
