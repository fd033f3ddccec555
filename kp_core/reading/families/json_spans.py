"""F13: JSON of texts with spans or labels (doccano, Prodigy, Label Studio, GATE) becomes keyphrases of annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from kp_core.corpus import Role
from kp_core.errors import Note, part_of
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.fields import NAMES, find_roles, plain
from kp_core.reading.json_text import JsonRecord, shown
from kp_core.reading.rows import Rows
from kp_core.reading.shapes import text_of
from kp_core.reading.spans import LINGUISTIC, Marked, Span, labelled, span_rows
from kp_core.reading.values import Rejected
from kp_core.typeset import storable

NAME = "F13"
TITLE = "spans or labels, JSON: doccano, Prodigy, Label Studio, GATE"
OPTIONS = ("label",)
PROVED = True
_FIELDS = ("label", "labels", "entities", "annotations", "spans")
#: How names begin of which each of these tools writes one; without any, no object need be looked at.
_TELLING = ('"label', '"entities"', '"annotation', '"spans"', '"answer"', '"completions"')
#: How Prodigy names what else would be called an annotator and an id.
_PRODIGY = {"annotator": "_annotator_id", "doc_id": "_input_hash"}


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim files of one GATE document each, where there are several."""
    alone = [file for file in files if file.suffix == ".json" and _is_gate(file)]
    return [found] if len(alone) > 1 and (found := _recognition(alone, role)) else []


def _is_gate(file: File) -> bool:
    named = any(f'"{name}"' in file.text for name in ("entities", "annotation_sets"))
    return named and len(file.records) == 1 and _gate(file.records[0].value) is not None


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise objects with a text and a list of spans or labels."""
    return _recognition([file], role) if role != "documents" else None


def _recognition(files: Sequence[File], role: Role | None) -> Recognition | None:
    if not any(name in file.text for file in files for name in _TELLING):
        return None
    values = [record.value for file in files for record in file.records if record.value is not None]
    first = values[:200]
    fitting = [value for value in first if _read(value) is not None]
    if len(fitting) < 0.8 * len(first) or all(_is_bare(value) for value in fitting):
        return None
    names = list(dict.fromkeys(name for value in first for name in value if name not in ("text", *_FIELDS)))
    if any(plain(name) in NAMES["gold"] for name in names):
        return None
    said = {"doc_id": files[0].mapping.document, "annotator": files[0].mapping.annotator}
    columns = find_roles(names, ("doc_id", "annotator"), said)
    if "annotator" not in columns and _PRODIGY["annotator"] in names:
        columns = {role: name for role, name in _PRODIGY.items() if name in names} | columns
    labels = {label for value in values for one in _read(value) or () for span in one.spans for label in span.labels}
    evidence = f"{part_of(len(fitting), len(first), 'JSON object', 'has', 'have')} a text with spans or labels"
    if left := dict.fromkeys(kind for value in first for _, kind, _ in _sets(value) or () if LINGUISTIC.search(kind)):
        evidence += f"; left out, as machines make them: {', '.join(left)}"
    marked = [one for value in fitting for one in _read(value) or () if not one.left]
    guess: Role = role or ("system" if marked and all(one.predicted for one in marked) else "gold")
    return labelled(Recognition(NAME, guess, tuple(files), evidence, columns, strength=Strength.MARKS), labels)


def _read(value: dict[str, Any]) -> list[Marked] | None:
    """Return what every annotator marked in the document of an object; None if it is none of a known tool."""
    return next((found for way in (_task, _gate, _spans) if (found := way(value)) is not None), None)


def _spans(value: dict[str, Any]) -> list[Marked] | None:
    """Read an object of doccano or Prodigy: a text, and a list of offsets or of labels of the whole."""
    text, found = value.get("text"), dict[str | None, list[Span]]()
    lists = [items for name in _FIELDS if isinstance(items := value.get(name), list)]
    fitting = [(items, spans) for items in lists if None not in (spans := [_span(item) for item in items])]
    if not isinstance(text, str) or not (fitting or "answer" in value):
        return None
    for item, span in zip(*max(fitting, key=lambda pair: bool(pair[0]), default=((), ())), strict=True):
        user = text_of(item.get("user")) if isinstance(item, dict) else None
        found.setdefault(user, []).append(span)
    left = "" if value.get("answer", "accept") == "accept" else "Tasks that were not accepted, and left out"
    return [Marked("", text, spans, source=user, left=left) for user, spans in (found or {None: []}).items()]


def _is_bare(value: dict[str, Any]) -> bool:
    return "answer" in value and not any(name in value for name in _FIELDS)


def _span(item: Any) -> Span | None:
    if isinstance(item, str):
        return Span((), text=item)
    if isinstance(item, list):
        fits = len(item) == 3 and not isinstance(item[2], list | dict)
        return Span((str(item[2]),), ((item[0], item[1]),)) if fits else None
    for start, end in (("start", "end"), ("start_offset", "end_offset")) if isinstance(item, dict) else ():
        if start in item and end in item:
            labels = item.get("label", item.get("labels"))
            every = [str(label) for label in (labels if isinstance(labels, list) else [labels]) if label is not None]
            return Span(every, ((item[start], item[end]),), _string(item.get("text")))
    return None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _gate(value: dict[str, Any]) -> list[Marked] | None:
    """Read a document of GATE: annotations by type, whose offsets count as Java does, or sets of them by annotator."""
    text, marks = value.get("text"), _sets(value)
    if not isinstance(text, str) or marks is None:
        return None
    found: dict[str | None, list[Span]] = {} if marks else {None: []}
    for source, kind, part in marks:
        spans = found.setdefault(source or None, [])
        spans += [] if LINGUISTIC.search(kind) else [Span((kind,), (part,))]
    utf16 = value.get("offset_type") != "p"
    return [Marked("", text, spans, source=source, utf16=utf16) for source, spans in found.items()]


def _sets(value: dict[str, Any]) -> list[tuple[str, str, tuple[Any, Any]]] | None:
    """Return set, type and offsets of every annotation, in the older and the newer JSON of GATE; None if it is none."""
    try:
        if "annotation_sets" in value:
            named = [(name, one) for name, own in value["annotation_sets"].items() for one in own["annotations"]]
            return [(name, str(one["type"]), (one["start"], one["end"])) for name, one in named]
        typed = [(kind, one["indices"]) for kind, own in value["entities"].items() for one in own]
        return [("", kind, (start, end)) for kind, (start, end) in typed]
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


def _task(value: dict[str, Any]) -> list[Marked] | None:
    """Read a task of Label Studio: its data, and results of every annotator and every model."""
    data, done = value.get("data"), value.get("annotations", value.get("completions"))  # the name before version 1.0
    if not isinstance(data, dict) or not isinstance(done, list) or not all(map(_has_results, done)):
        return None
    text = next((name for name in data if plain(name) in NAMES["text"] and isinstance(data[name], str)), "")
    ids = find_roles([name for name in data if name != text], ("doc_id",))
    doc_id = (text_of(data[ids["doc_id"]]) if ids else None) or ""
    found = []
    for one in done:
        spans = [span for result in one["result"] for span in _results(result)]
        left = "Cancelled annotations that were left out" if one.get("was_cancelled") else ""
        who = _annotator(one.get("completed_by"))
        found.append(Marked(doc_id, data.get(text, ""), spans, source=who, utf16=True, doubt=True, left=left))
    if not done:
        found.append(Marked(doc_id, left="Tasks that nobody annotated, and left out"))
    for one in _predictions(value):
        spans = [span for result in one["result"] for span in _results(result)]
        model = text_of(one.get("model_version"))
        found.append(Marked(doc_id, data.get(text, ""), spans, source=model, utf16=True, doubt=True, predicted=True))
    return found


def _has_results(done: Any) -> bool:
    return isinstance(done, dict) and isinstance(done.get("result"), list)


def _predictions(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what models marked in a task of Label Studio, which may give their numbers only."""
    found = value.get("predictions") if "data" in value else None
    return list(filter(_has_results, found)) if isinstance(found, list) else []


def _results(result: Any) -> Iterator[Span]:
    """Give the span of a result, or what was chosen or written; of a path in a taxonomy the last step."""
    value = result.get("value") if isinstance(result, dict) else None
    if not isinstance(value, dict):
        return
    kind = text_of(result.get("type")) or ""
    control = (text_of(result.get("from_name")) or kind,)
    if "start" in value:
        labels = value.get(kind) if kind.endswith("labels") else None
        every = list(filter(None, map(text_of, labels))) if isinstance(labels, list) else control
        yield Span(every, ((value["start"], value.get("end")),), _string(value.get("text")))
        return
    chosen: Any = next((value[name] for name in ("choices", "taxonomy", "text") if name in value), [])
    for item in chosen if isinstance(chosen, list) else [chosen]:
        if text := text_of(item[-1] if isinstance(item, list) and item else item):
            yield Span(control, text=text)


def _annotator(who: Any) -> str | None:
    names = ("email", "username", "id") if isinstance(who, dict) else ()
    return next((text_of(who[name]) for name in names if who.get(name) is not None), text_of(who))


def _ids_of(file: File, records: Sequence[JsonRecord], field: str | None) -> tuple[list[str], list[Note]]:
    """Return the id of every object, which is its line where no field holds it, and what is to be said of that.

    The only object of a file is named like the file.
    """
    if field is not None:
        return [text_of((record.value or {}).get(field)) or "" for record in records], []
    if len(records) == 1:
        return [file.stem], []
    said = Note("warning", file.name, "There is no field of ids; the line numbers are the ids.")
    return [str(record.line or position) for position, record in enumerate(records, 1)], [said]


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the marks of each object; an annotator is named by a field, by the tool, or by the file."""
    rejected: list[Rejected] = []
    notes: list[Note] = []
    predicted = recognition.role == "system" and _is_predicted(recognition)
    found = span_rows(recognition, _every(recognition, rejected, notes, predicted), rejected, notes)
    if role is None and recognition.role == "gold" and _is_predicted(recognition):
        models = replace(recognition, role="system")
        found += span_rows(models, _every(models, [], [], True), [], [])[:1]
    return found


def _is_predicted(recognition: Recognition) -> bool:
    """Tell whether models marked something, beside people or before them."""
    return any(_predictions(record.value) for file in recognition.files for record in file.records if record.value)


def _every(recognition: Recognition, rejected: list[Rejected], notes: list[Note], predicted: bool) -> Iterator[Marked]:
    columns, left = recognition.columns, Counter[str]()
    who = columns.get("annotator", "")
    for file in recognition.files:
        ids, said = _ids_of(file, file.records, columns.get("doc_id"))
        notes += said
        for doc_id, record in zip(ids, file.records, strict=True):
            found = None if record.value is None else _read(record.value)
            if found is None or not doc_id:
                reason = "an empty id" if found else record.broken or "no text with a list of spans or labels"
                rejected.append((file.name, record.line, reason, storable(record.content or shown(record.value))))
                continue
            for one in (one for one in found if one.predicted == predicted):
                left[one.left] += 1
                one.doc_id, one.file, one.line = one.doc_id or doc_id, file.name, record.line
                one.source = one.source or text_of(record.value.get(who))
                if not one.left:
                    yield one
    name = recognition.files[0].name
    notes += [Note("info", name, f"{said}: {count:,}.") for said, count in left.items() if said]
