"""F6: JSONL, or a JSON array of objects, with one object a document, becomes lists, texts and predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import Note, counted
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import find_roles, plain
from kp_core.reading.json_text import JsonRecord
from kp_core.reading.lists import ListBuilder, is_number, number, storable, text_column
from kp_core.reading.shapes import Shape, add_list, shape_of, text_of, title_and_body

NAME = "F6"
TITLE = "one JSON object a document (JSONL)"
EXAMPLE = (
    '{"id": "d1", "source": "Tides [sep] Water rises.", "target": "tide ; sea level", "predictions": "tide ; moon"}'
)
#: Kind of each keyphrase: present, reordered, mixed, unseen in the text.
_KINDS = "prmu"
_TAGS = "doc_bio_tags"
_UNITED = ("extractive_keyphrases", "abstractive_keyphrases", "abstractive_keyphrase")


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise objects with a field of keyphrases, predictions or texts."""
    if len(files) != 1 or role == "judgements":
        return None
    records = [record for record in files[0].records if isinstance(record.value, dict)]
    names = list(dict.fromkeys(name for record in records[:200] for name in record.value))
    if not records or not all(isinstance(name, str) for name in names):
        return None
    columns = _columns(names, role, choice)
    wanted = {"gold": ("gold",), "system": ("predictions",), "documents": ("text", "title")}
    lists_or_texts = [name for name in ("gold", "predictions", "text") if name in columns]
    if not lists_or_texts or (role and not set(wanted[role]) & set(columns)):
        return None
    if len(records) == 1 and files[0].records[0].line == 1 and "doc_id" not in columns:
        return None  # one object may just as well be document → list
    guess: Role = role or ("gold" if "gold" in columns else "system" if "predictions" in columns else "documents")
    options = {} if role or guess != "gold" or "predictions" in columns else {"role": "guessed"}
    said = ", ".join(f"{role} = “{name}”" for role, name in columns.items())
    evidence = f"{counted(len(records), 'JSON object')}; {said}"
    return Recognition(NAME, guess, tuple(files), 0.9, evidence, columns, options)


def column_names(file: File, choice: Choice) -> list[str]:
    """Return the names of the fields, so that a user can say what each is."""
    return list(dict.fromkeys(name for record in file.records[:200] if record.value for name in record.value))


def _columns(names: list[str], role: Role | None, choice: Choice) -> dict[str, str]:
    """Return role → field. `KeyPhrases` is a prediction beside `Scores` or in a system file, else gold."""
    # A user names the keyphrases; whether these are predictions is said by the role of the file.
    chosen = {"phrase": "predictions" if role == "system" else "gold"}
    named = {chosen.get(part, part): name for part, name in choice.columns.items()}
    columns = find_roles(names, ("doc_id", "predictions", "gold", "text", "title", "group"), named)
    scores = next((name for name in names if plain(name) == "scores"), None)
    if "predictions" not in columns and "gold" in columns and (scores or role == "system"):
        columns["predictions"] = columns.pop("gold")
    if "predictions" in columns and scores:
        columns["scores"] = scores
    return columns


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read lists of every role asked for, and the texts beside a gold standard."""
    file, columns = recognition.files[0], recognition.columns
    asked = recognition.role if recognition.options.get("role") == "guessed" or role else None
    roles: list[Role] = []
    if "gold" in columns and asked in (None, "gold"):
        roles.append("gold")
    if asked == "system" and "predictions" not in columns:
        columns = columns | {"predictions": columns["gold"]}
    if "predictions" in columns and asked in (None, "system"):
        roles.append("system")
    parts = [_lists(file, columns, kind) for kind in roles]
    if {"text", "title"} & set(columns) and asked in (None, "gold", "documents"):
        parts.append(_texts(file, columns, recognition.role == "documents"))
    for record in file.records:
        if record.broken:
            parts[0].rejected.append((file.name, record.line, record.broken, storable(record.content)))
    return parts


def _id(record: JsonRecord, columns: dict[str, str], position: int) -> str | None:
    if "doc_id" not in columns:
        return str(record.line or position)
    return text_of(record.value.get(columns["doc_id"])) if record.value.get(columns["doc_id"]) is not None else ""


def _lists(file: File, columns: dict[str, str], role: Role) -> Rows:
    builder = ListBuilder(role, file.limits)
    field = columns["gold" if role == "gold" else "predictions"]
    values = [_value(record.value, field, columns) for record in file.records if record.value is not None]
    shape = _shape(values, field, "scores" in columns)
    for position, record in enumerate(file.records, 1):
        if record.value is None:
            continue
        doc_id = _id(record, columns, position)
        if not doc_id or not doc_id.strip():
            builder.rejected.append((file.name, record.line, "an empty id", storable(str(record.value))[:200]))
            continue
        value = _value(record.value, field, columns)
        if value is None:
            continue
        builder.open(doc_id, file=file.name, line=record.line)
        kinds = record.value.get(_KINDS) if role == "gold" else None
        scores = record.value.get(columns["scores"]) if role == "system" and "scores" in columns else None
        if isinstance(scores, list) and isinstance(value, list):
            _add_scored(builder, value, scores)
        elif isinstance(kinds, list) and isinstance(value, list) and len(kinds) == len(value) and shape == "phrases":
            for phrase, kind in zip(value, kinds, strict=True):
                add_list(builder, [phrase], shape, "relevance", **{_KINDS: text_of(kind)})
        else:
            add_list(builder, value, shape, "score" if role == "system" else "relevance")
    if "doc_id" not in columns:
        builder.notes.append(Note("warning", file.name, "There is no field of ids; the line numbers are the ids."))
    return builder.rows()


def _value(record: dict[str, Any], field: str, columns: dict[str, str]) -> Any:
    """Return the list of a record; extractive and abstractive keyphrases are united in this order."""
    value = record.get(field)
    if plain(field) not in _UNITED:
        return value
    parts: list[Any] = []
    for name in record:
        if plain(name) in _UNITED:
            part = record[name]
            parts += part if isinstance(part, list) else str(part).split(";") if part else []
    return parts


def _shape(values: list[Any], field: str, scored: bool) -> Shape:
    found = shape_of([value for value in values if not isinstance(value, str)])
    shape: Shape = found[0] if found else "phrases"
    return (
        "tokens"
        if shape == "variants" and ((plain(field) == "keyphrases" and field != field.lower()) or scored)
        else shape
    )


def _add_scored(builder: ListBuilder, phrases: list[Any], scores: list[Any]) -> None:
    for position, phrase in enumerate(phrases):
        score = scores[position] if position < len(scores) else None
        text = " ".join(t for t in map(text_of, phrase) if t) if isinstance(phrase, list) else text_of(phrase)
        good = text is not None and is_number(score)
        builder.add(
            text or str(phrase)[:200],
            reject="" if good else "score is not a finite number",
            score=number(score) if good else None,
        )


def _texts(file: File, columns: dict[str, str], alone: bool) -> Rows:
    fields = [name for name in ("text", "title", "group") if name in columns]
    found: dict[str, list[str | None]] = {name: [] for name in ("doc_id", *fields)}
    lines: list[int] = []
    marked: dict[int, str] = {}
    tokenised = False
    for position, record in enumerate(file.records, 1):
        doc_id = _id(record, columns, position) if record.value is not None else None
        if record.value is None or (not doc_id and not alone):
            continue
        found["doc_id"].append(doc_id or "")
        lines.append(record.line)
        for name in fields:
            value = record.value.get(columns[name])
            tokenised |= isinstance(value, list)
            text = " ".join(t for t in map(text_of, value) if t) if isinstance(value, list) else text_of(value)
            found[name].append(text)
        if "title" not in columns and "text" in columns:
            title, found["text"][-1] = title_and_body(found["text"][-1] or "")
            found.setdefault("title", [None] * (len(lines) - 1)).append(title)
    arrays = {}
    for part, column in found.items():
        arrays[part], bad = text_column(column)
        marked |= dict.fromkeys(bad, "half a character (a lone surrogate) that cannot be stored")
    rows = Rows("documents", pa.table(arrays), lines, marked=marked)
    tags = [record.value.get(_TAGS) if record.value is not None else None for record in file.records]
    if len(tags) == len(lines) and any(isinstance(one, list) for one in tags):
        texts = [" ".join(t for t in map(text_of, one) if t) if isinstance(one, list) else None for one in tags]
        rows.table = rows.table.append_column(_TAGS, text_column(texts)[0])
    if tokenised:
        rows.notes.append(
            Note("info", file.name, "Texts are lists of tokens; they were joined with spaces (tokenised).")
        )
    return rows
