"""F13L: an export of Label Studio becomes keyphrases of annotators: spans, choices and text areas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kp_core.corpus import Role
from kp_core.errors import Note
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import NAMES, find_roles, plain
from kp_core.reading.json_text import JsonRecord
from kp_core.reading.lists import storable
from kp_core.reading.shapes import text_of
from kp_core.reading.spans import EVERY, SpanBuilder, offers

NAME = "F13L"
TITLE = "spans or labels: Label Studio"
EXAMPLE = (
    '[{"id": 7, "data": {"text": "The tide table is wrong."}, "annotations": [{"completed_by": 1, "result": '
    '[{"from_name": "kp", "type": "labels", "value": {"start": 4, "end": 14, "text": "tide table", '
    '"labels": ["KP"]}}]}]}]'
)


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise tasks with `data` and `annotations` that hold results."""
    if len(files) != 1 or role in ("documents", "judgements"):
        return None
    records = files[0].records
    fitting = [record.value for record in records if _is_task(record.value)]
    if not fitting or len(fitting) < 0.8 * len(records):
        return None
    done = [annotation for task in fitting for annotation in _annotations(task)]
    labels = [label for annotation in done for result in _results(annotation) for label in _labels(result)]
    evidence = f"{len(fitting):,} tasks of Label Studio with {len(done):,} annotations"
    options = {"label": choice.options.get("label", EVERY)}
    return Recognition(NAME, role or "gold", tuple(files), 0.97, evidence, {}, options, offers(labels))


def _is_task(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return False
    done = value.get("annotations", value.get("completions"))  # the name before version 1.0
    return isinstance(done, list) and all(isinstance(one, dict) and isinstance(one.get("result"), list) for one in done)


def _all_annotations(task: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = task["annotations"] if "annotations" in task else task["completions"]
    return found


def _annotations(task: dict[str, Any]) -> list[dict[str, Any]]:
    done = _all_annotations(task)
    return [annotation for annotation in done if not annotation.get("was_cancelled")]


def _results(annotation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for result in annotation["result"]:
        if isinstance(result, dict) and isinstance(result.get("value"), dict):
            yield result


def _labels(result: dict[str, Any]) -> list[str]:
    """Return the labels of a span; choices and text areas go by the name of their control."""
    value = result["value"]
    kind = text_of(result.get("type")) or ""
    labels = value.get(kind) if kind.endswith("labels") else None
    if "start" in value and isinstance(labels, list):
        return [label for label in map(text_of, labels) if label]
    return [text_of(result.get("from_name")) or kind]


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every annotation of every task; offsets count UTF-16 units and are checked by the text beside them."""
    file = recognition.files[0]
    builder = SpanBuilder(recognition.role, recognition.files[0].limits, recognition.options["label"])
    left = 0
    for position, record in enumerate(file.records, 1):
        if not _is_task(record.value):
            content = storable(record.content or str(record.value))[:200]
            builder.lists.rejected.append((file.name, record.line, record.broken or "no task", content))
            continue
        done = _annotations(record.value)
        left += len(_all_annotations(record.value)) - len(done)
        _add(builder, file.name, record, position, done)
    if left:
        builder.lists.notes.append(Note("info", file.name, f"Cancelled annotations that were left out: {left:,}."))
    return builder.rows(file.name)


def _add(builder: SpanBuilder, file: str, record: JsonRecord, position: int, done: list[dict[str, Any]]) -> None:
    task, data = record.value, record.value["data"]
    text_field = next((name for name in data if plain(name) in NAMES["text"] and isinstance(data[name], str)), None)
    ids = find_roles([name for name in data if name != text_field], ("doc_id",))
    doc_id = text_of(data[ids["doc_id"]]) if ids else text_of(task.get("id"))
    text = data[text_field] if text_field else ""
    for annotation in done:
        source = _annotator(annotation.get("completed_by"))
        builder.open(doc_id or str(position), text, file=file, line=record.line, source=source)
        for result in _results(annotation):
            value = result["value"]
            if "start" in value:
                shown = value.get("text") if isinstance(value.get("text"), str) else None
                builder.span(value["start"], value.get("end"), _labels(result), shown=shown, utf16=True)
            else:
                for phrase in _phrases(value):
                    builder.phrase(phrase, _labels(result))


def _annotator(who: Any) -> str | None:
    if isinstance(who, dict):
        who = next((who[name] for name in ("email", "username", "id") if who.get(name) is not None), None)
    return text_of(who)


def _phrases(value: dict[str, Any]) -> list[str]:
    """Return what was chosen or written; of a path in a taxonomy the last step."""
    found: Any = next((value[name] for name in ("choices", "taxonomy", "text") if name in value), [])
    items = found if isinstance(found, list) else [found]
    return [text for item in items if (text := text_of(item[-1] if isinstance(item, list) and item else item))]
