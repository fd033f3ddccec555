"""F13: JSONL of texts with spans or labels, as doccano and Prodigy write it, becomes keyphrases of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kp_core.corpus import Role
from kp_core.errors import Note, part_of
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import NAMES, find_roles, plain
from kp_core.reading.json_text import JsonRecord
from kp_core.reading.lists import storable
from kp_core.reading.shapes import text_of
from kp_core.reading.spans import EVERY, SpanBuilder, offers

NAME = "F13"
TITLE = "spans or labels, JSONL: doccano"
EXAMPLE = '{"id": 3, "text": "The tide table is wrong.", "label": [[4, 14, "KP"]]}'
_FIELDS = ("label", "labels", "entities", "annotations", "spans")


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise objects with a text and a list of spans or labels."""
    if len(files) != 1 or role in ("documents", "judgements"):
        return None
    records = [record.value for record in files[0].records if isinstance(record.value, dict)]
    field = next((name for name in _FIELDS if any(_spans(record, name) is not None for record in records)), None)
    if field is None or any(plain(name) in NAMES["gold"] for record in records[:200] for name in record):
        return None
    fitting = sum(isinstance(record.get("text"), str) and _spans(record, field) is not None for record in records)
    if fitting < 0.8 * len(records):
        return None
    names = [name for record in records[:200] for name in record if name not in ("text", field)]
    columns = find_roles(names, ("doc_id", "annotator"), choice.columns) | {"text": "text", "label": field}
    labels = [label for record in records for item in _spans(record, field) or [] for label in _parts(item)[2]]
    options = {"label": choice.options.get("label", EVERY)}
    fit = part_of(fitting, len(records), "JSON object", "has", "have")
    evidence = f"{fit} a text with spans or labels under “{field}”"
    return Recognition(NAME, role or "gold", tuple(files), 0.94, evidence, columns, options, offers(labels))


def _spans(record: dict[str, Any], field: str) -> list[Any] | None:
    """Return the list of a record, None if it is none of spans or labels."""
    items = record.get(field)
    return items if isinstance(items, list) and all(map(_fits, items)) else None


def _fits(item: Any) -> bool:
    if isinstance(item, dict):
        return {"start", "end"} <= set(item) or {"start_offset", "end_offset"} <= set(item)
    return isinstance(item, str) or (isinstance(item, list) and len(item) == 3 and not isinstance(item[2], list | dict))


def _parts(item: Any) -> tuple[Any, Any, list[str]]:
    """Return start, end and labels of an item; a label of the whole document has no offsets."""
    if isinstance(item, str):
        return None, None, []
    if isinstance(item, list):
        return item[0], item[1], [str(item[2])]
    labels = item.get("label", item.get("labels"))
    start, end = item.get("start", item.get("start_offset")), item.get("end", item.get("end_offset"))
    return start, end, [str(label) for label in (labels if isinstance(labels, list) else [labels]) if label is not None]


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the spans of each object; an annotator is named by a field, by `user` in the spans, or by the file."""
    file, columns = recognition.files[0], recognition.columns
    builder = SpanBuilder(recognition.role, recognition.files[0].limits, recognition.options["label"])
    for position, record in enumerate(file.records, 1):
        if record.broken or not isinstance(record.value, dict):
            content = record.content or str(record.value)[:200]
            builder.lists.rejected.append((file.name, record.line, record.broken or "no object", storable(content)))
            continue
        _add(builder, file, record, position, columns)
    if "doc_id" not in columns:
        message = "There is no field of ids; the line numbers are the ids."
        builder.lists.notes.append(Note("warning", file.name, message))
    return builder.rows(file.name)


def _add(builder: SpanBuilder, file: File, record: JsonRecord, position: int, columns: dict[str, str]) -> None:
    value, field = record.value, columns["label"]
    doc_id = text_of(value.get(columns["doc_id"])) if "doc_id" in columns else str(record.line or position)
    text, items = value.get("text"), _spans(value, field)
    if not doc_id or not isinstance(text, str) or items is None:
        reason = "an empty id" if not doc_id else f"no text with a list of spans under “{field}”"
        builder.lists.rejected.append((file.name, record.line, reason, storable(str(value))[:200]))
        return
    own = text_of(value.get(columns["annotator"])) if "annotator" in columns else None
    users = [text_of(item.get("user")) if isinstance(item, dict) else None for item in items]
    for source in dict.fromkeys(user or own for user in users) or [own]:
        builder.open(doc_id, text, file=file.name, line=record.line, source=source)
        for item, user in zip(items, users, strict=True):
            if (user or own) != source:
                continue
            start, end, labels = _parts(item)
            if isinstance(item, str):
                builder.phrase(item, labels)
            else:
                builder.span(
                    start, end, labels, shown=item.get("text") if isinstance(item, dict) else None, utf16=False
                )
