"""F6: JSON objects of one document each (JSONL, an array, or by id) become lists, texts and predictions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from kp_core.corpus import Role
from kp_core.errors import Note, counted
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import find_roles, plain, told
from kp_core.reading.json_rows import are_rows
from kp_core.reading.json_text import JsonRecord, NoNumber, is_json, shown
from kp_core.reading.lists import ListBuilder, document_rows
from kp_core.reading.shapes import Shape, add_list, add_scored, are_scored, ids_of, shape_of, text_of, title_and_body
from kp_core.reading.values import storable

NAME = "F6"
TITLE = "one JSON object a document (JSONL)"
#: Kind of each keyphrase: present, reordered, mixed, unseen in the text.
_KINDS = "prmu"
_TAGS = "doc_bio_tags"
_UNITED = ("extractive_keyphrases", "abstractive_keyphrases", "abstractive_keyphrase")
#: Fields of OpenNMT-kpg, beside which `preds` and `src` are numbers of tokens.
_TOKENS = {"predictions": "pred_sents", "text": "src_raw"}
#: Lists under these names are no gold standard.
_NO_LISTS = ("sentence", "candidate")
#: Fields of the scores of all phrases.
_SCORES = re.compile(r"(?:\w+_)?scores|probabilities|probs|confidences?|weights")
#: Where objects stand by id, the field that holds it from then on.
_KEY = "(key)"


class _Object(NamedTuple):
    """One object with the document that it is of, and the file that it stands in."""

    doc_id: str
    record: JsonRecord
    file: str


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim the files of a folder that are one object of one document each, as Annif keeps texts and their subjects."""
    folders: dict[str, list[File]] = defaultdict(list)
    for file in files:
        if file.suffix == ".json" and isinstance(file.json, dict) and len(_records(file)) == 1:
            folders[PurePosixPath(file.name).parent.name].append(file)
    found = {name: _recognition(group, role) for name, group in folders.items() if len(group) > 1}
    lists = {name: one for name, one in found.items() if one is not None and _are_documents(one)}
    return [replace(one, plan=(name,) if len(lists) > 1 else ()) for name, one in lists.items()]


def _are_documents(recognition: Recognition) -> bool:
    """Tell files of one document each from those of several people or systems, which tell of the same documents."""
    field = recognition.columns.get("doc_id")
    ids = [doc_id for file in recognition.files for doc_id in ids_of(file, _records(file), field)[0]]
    return len(set(ids)) == len(ids) and bool({"gold", "predictions"} & set(recognition.columns))


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise objects with a field of keyphrases, predictions or texts."""
    return _recognition([file], role)


def _recognition(files: Sequence[File], role: Role | None) -> Recognition | None:
    records = [record for file in files for record in _records(file)]
    first = [record.value for record in records if record.value is not None][:200]
    if not first or (role != "documents" and are_rows(records)):
        return None
    columns = _columns(first, role, files[0].choice)
    asked = {"gold": ["gold"], "system": ["predictions"], "documents": ["text", "title"]}
    wanted = [name for name in asked.get(role or "", ["gold", "predictions"]) if name in columns]
    if not wanted and (role or "text" not in columns):
        return None
    guess: Role = role or ("gold" if "gold" in columns else "system" if "predictions" in columns else "documents")
    guessed = role is None and guess == "gold" and "predictions" not in columns
    good = sum(record.value is not None for record in records)
    evidence = f"{counted(good, 'JSON object')}; {told(columns)}"
    has = sum(any(record.get(columns[name]) is not None for name in wanted or ["text"]) for record in first)
    sure = 0.6 + 0.3 * has / len(first)
    return Recognition(NAME, guess, tuple(files), sure, evidence, columns, guessed=guessed)


def column_names(file: File) -> list[str]:
    """Return the names of the fields, so that a user can say what each is."""
    return list(dict.fromkeys(name for record in _records(file)[:200] for name in record.value or () if name != _KEY))


def _records(file: File) -> list[JsonRecord]:
    """Return the objects of a file; of an object of objects each with its key."""
    value = file.json
    if is_json(value) and isinstance(value, dict) and value and all(isinstance(v, dict) for v in value.values()):
        return file.once("by id", lambda: [JsonRecord(0, {_KEY: key, **inner}) for key, inner in value.items()])
    return file.records


def _columns(first: list[dict[str, Any]], role: Role | None, choice: Choice) -> dict[str, str]:
    """Return role → field. `KeyPhrases` is a prediction beside `Scores` or in a system file, else gold."""
    names = list(dict.fromkeys(name for record in first for name in record))
    # A user names the keyphrases; whether these are predictions is said by the role of the file.
    chosen = {"phrase": "predictions" if role == "system" else "gold"}
    rows = [record.get(_KEY) for record in first] == list(map(str, range(len(first))))  # as pandas counts them
    by_key = _KEY in names and not (rows and find_roles(names, ("doc_id",)))
    own = {part: name for part, name in _TOKENS.items() if name in names} | ({"doc_id": _KEY} if by_key else {})
    named = own | {chosen.get(part, part): name for part, name in choice.columns.items()}
    scores = next((name for name in names if _SCORES.fullmatch(plain(name))), None)
    worded = [name for name in names if name in named.values() or _are_phrases(first, name)]
    columns = find_roles(names, ("doc_id",), named) | find_roles(worded, ("predictions", "gold", "text"), named)
    if not {"predictions", "gold"} & set(columns):  # lists under a name for one keyphrase
        lists = [name for name in worded if any(isinstance(record.get(name), list) for record in first)]
        found = find_roles([name for name in lists if plain(name) not in _NO_LISTS], ("phrases", "phrase"))
        columns |= {"gold": found.get("phrases", found.get("phrase", ""))} if found else {}
    columns = find_roles(names, ("title", "group", "annotator", "system"), columns)
    if "predictions" not in columns and "gold" in columns:
        values = [record.get(columns["gold"]) for record in first]
        scored = role is None and are_scored(value for value in values if not isinstance(value, str))
        if scored or scores or role == "system":
            columns["predictions"] = columns.pop("gold")
    if "predictions" in columns and scores:
        columns["scores"] = scores
    return columns


def _are_phrases(first: list[dict[str, Any]], name: str) -> bool:
    """Tell a field that can hold text or phrases: no numbers, such as a model's tokens, and no places in a text."""
    found = [value for record in first if (value := record.get(name)) not in (None, [])]
    lists = [value for value in found if isinstance(value, list)]
    for _ in range(2):
        found = [part for value in found for part in (value if isinstance(value, list) else [value])]
    numbers = bool(found) and all(isinstance(value, (int, float)) for value in found)
    return not numbers and (not lists or shape_of(lists) is not None)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read lists of every role asked for, and the texts beside a gold standard."""
    file, columns = recognition.files[0], recognition.columns
    source = next(iter(recognition.plan), None)
    turned = recognition.role == "system" and "predictions" not in columns
    columns = columns | ({"predictions": columns["gold"]} if turned else {})
    asked = recognition.role if role or turned else None
    objects, said = list[_Object](), list[Note]()
    for one in recognition.files:
        ids, about_ids = ids_of(one, _records(one), columns.get("doc_id"))
        objects += map(_Object, ids, _records(one), [one.name] * len(ids))
        said += about_ids
    ids = [one.doc_id for one in objects]
    good = [one for one in objects if one.record.value is not None]
    parts = []
    if "gold" in columns and asked in (None, "gold"):
        parts.append(_lists(file, good, columns, "gold", source))
    if "predictions" in columns and asked in (None, "system"):
        parts.append(_lists(file, good, columns, "system", source))
    if {"text", "title"} & set(columns) and asked in (None, "gold", "documents"):
        parts.append(_texts(file, good, columns, recognition.role == "documents"))
    broken = [(one.file, one.record) for one in objects if one.record.broken]
    parts[0].rejected += [(name, record.line, record.broken, storable(record.content)) for name, record in broken]
    if "doc_id" not in columns and len(ids) > 1 and ids == [str(number) for number in range(1, len(ids) + 1)]:
        titles = [text_of((one.record.value or {}).get(columns.get("title", ""))) or "" for one in objects]
        for part in parts:
            part.counted, part.titles = len(ids), titles
    else:
        parts[0].notes += said
    return parts


def _lists(file: File, good: list[_Object], columns: dict[str, str], role: Role, source: str | None) -> Rows:
    builder, amount = ListBuilder(role, file.limits), "score" if role == "system" else "relevance"
    field = columns["gold" if role == "gold" else "predictions"]
    scores = columns.get("scores") if role == "system" else None
    united = plain(field) in _UNITED
    values = [_united(record.value) if united else record.value.get(field) for _, record, _ in good]
    values = [None if type(value) is NoNumber else value for value in values]
    shape = _shape(values, field, "scores" in columns)
    for (doc_id, record, place), value in zip(good, values, strict=True):
        if not doc_id or doc_id.isspace():
            builder.rejected.append((place, record.line, "an empty id", shown(record.value)))
            continue
        if value is None:
            continue
        own = text_of(record.value.get(columns.get("annotator" if role == "gold" else "system", "")))
        builder.open(doc_id, file=place, line=record.line, source=own or source)
        kinds = record.value.get(_KINDS) if role == "gold" and shape == "phrases" and isinstance(value, list) else None
        if scores and isinstance(value, list) and isinstance(own := record.value.get(scores), list):
            for phrase, score in zip_longest(value, own[: len(value)], fillvalue="missing"):
                add_scored(builder, phrase, score)
        elif isinstance(kinds, list) and len(kinds) == len(value):
            for phrase, kind in zip(value, kinds, strict=True):
                add_list(builder, [phrase], shape, amount, **{_KINDS: text_of(kind)})
        else:
            add_list(builder, value, shape, amount)
    without = [doc_id for (doc_id, _, _), value in zip(good, values, strict=True) if value is None]
    if without:
        said = f"{counted(len(without), 'document')} without “{field}” (missing or null), the first “{without[0]}”"
        builder.say("info", file.name, f"{said}: there is no list for {'it' if len(without) == 1 else 'them'}.")
    return builder.rows()


def _united(record: dict[str, Any]) -> list[Any]:
    """Return extractive and abstractive keyphrases, in this order."""
    parts = [part for name in record if plain(name) in _UNITED and (part := record[name])]
    return [item for part in parts for item in (part if isinstance(part, list) else str(part).split(";"))]


def _shape(values: list[Any], field: str, scored: bool) -> Shape:
    found = shape_of([value for value in values if not isinstance(value, str)])
    shape: Shape = found[0] if found else "phrases"
    tokens = scored or field in _TOKENS.values() or (plain(field) == "keyphrases" and field != field.lower())
    return "tokens" if shape == "variants" and tokens else shape


def _texts(file: File, good: list[_Object], columns: dict[str, str], alone: bool) -> Rows:
    good = [one for one in good if one.doc_id or alone]
    fields = {part: columns[part] for part in ("text", "title", "group") if part in columns}
    values = {part: [record.value.get(name) for _, record, _ in good] for part, name in fields.items()}
    tokenised = any(isinstance(value, list) for column in values.values() for value in column)
    found = {"doc_id": [doc_id for doc_id, _, _ in good]} | {
        part: list(map(_in_one_text, own)) for part, own in values.items()
    }
    if "title" not in columns and "text" in columns:
        pairs = [title_and_body(text or "") for text in found["text"]]
        found |= {"title": [title for title, _ in pairs], "text": [body for _, body in pairs]}
    tags = [_in_one_text(own) if isinstance(own := record.value.get(_TAGS), list) else None for _, record, _ in good]
    found |= {_TAGS: tags} if any(tags) else {}
    rows = document_rows(found, [record.line for _, record, _ in good])
    if tokenised:
        said = "Texts are lists of tokens; they were joined with spaces (tokenised)."
        rows.notes.append(Note("info", file.name, said))
    return rows


def _in_one_text(value: Any) -> str | None:
    if type(value) is NoNumber:
        return None
    return " ".join(filter(None, map(text_of, value))) if isinstance(value, list) else text_of(value)
