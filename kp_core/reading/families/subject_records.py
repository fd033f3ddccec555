"""F14: records of a catalogue, and runs for them, become subjects with their identifiers, and types of documents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from kp_core.corpus import Role
from kp_core.errors import Note, counted
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.json_text import parse_json
from kp_core.reading.lists import ListBuilder, document_rows
from kp_core.reading.rows import Rows
from kp_core.reading.shapes import text_of

NAME = "F14"
TITLE = "LLMs4Subjects: records in JSON-LD and runs of `dcterms:subject`, one file a record"
PROVED = True
GROUP_IS_ONE = True
_SUBJECT = "dcterms:subject"
_GRAPH = "@graph"
#: What a record is told by that no authority beside it in the graph has.
_OF_RECORDS = (_SUBJECT, "title", "dcterms:title")
_TITLES, _ABSTRACTS = ("title", "dcterms:title"), ("abstract", "dcterms:abstract")
_LABELS = ("sameAs", "owl:sameAs", "skos:prefLabel", "prefLabel", "label")
#: A folder of one language, below that of one type of record.
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all records, and all runs of subjects, each file that of one document."""
    records = [file for file in files if _records_of(file)]
    runs = [file for file in files if _is_run(file)]
    found = list[Recognition]()
    if records:
        indexed = any(_SUBJECT in record for file in records for record in _records_of(file))
        said = f"{counted(len(records), 'record')} in JSON-LD, document = file"
        evidence = f"{said}; subjects in “{_SUBJECT}” with their identifiers{_grouped(records)}"
        found.append(_recognition("gold" if indexed and role != "documents" else "documents", records, evidence))
    if runs and role != "documents":
        evidence = f"{counted(len(runs), 'file')} of ranked “{_SUBJECT}”, document = file{_grouped(runs)}"
        found.append(_recognition("gold" if role == "gold" else "system", runs, evidence))
    return found


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise one record, or the subjects that a run gives for one."""
    return next(iter(recognise_groups([file], role)), None)


def _recognition(role: Role, files: Sequence[File], evidence: str) -> Recognition:
    return Recognition(NAME, role, tuple(files), evidence, strength=Strength.MARKS)


def _value(file: File) -> dict[str, Any]:
    """Return the object that a file is; an empty one for anything else."""
    found = file.once("object", lambda: parse_json(file.name, file.text, file.limits, file.twice)[0])
    return found if isinstance(found, dict) else {}


def _nodes(file: File) -> list[dict[str, Any]]:
    graph = _value(file).get(_GRAPH)
    return [node for node in graph if isinstance(node, dict)] if isinstance(graph, list) else []


def _records_of(file: File) -> list[dict[str, Any]]:
    """Return the records in a graph, which has authorities with their labels beside them."""
    nodes = _nodes(file)
    return [node for node in nodes if _SUBJECT in node] or [node for node in nodes if node.keys() & {*_OF_RECORDS}]


def _is_run(file: File) -> bool:
    value = _value(file)
    return _SUBJECT in value and _GRAPH not in value


def _place(file: File) -> tuple[str, tuple[str, ...]]:
    """Return the path of the folder of a whole run, and below it those of type and language, if files lie in such."""
    folders = PurePosixPath(file.name).parts[:-1]
    below = folders[-2:] if folders and _LANGUAGE.fullmatch(folders[-1]) else ()
    return "/".join(folders[: len(folders) - len(below)]), below


def _grouped(files: Sequence[File]) -> str:
    group = next(("/".join(below) for file in files if (below := _place(file)[1])), "")
    return f"; group = folders of type and language, as “{group}”" if group else ""


def _systems(files: Sequence[File]) -> dict[str, str | None]:
    """Return the system of every file: the folder that holds those of types, by its path where two have one name."""
    paths = {file.name: _place(file)[0] for file in files}
    alike = defaultdict[str, set[str]](set)
    for path in paths.values():
        alike[PurePosixPath(path).name].add(path)
    return {
        name: (path if len(alike[PurePosixPath(path).name]) > 1 else PurePosixPath(path).name) or None
        for name, path in paths.items()
    }


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the subjects of every file in their order, and beside them titles, abstracts and the folders."""
    files, builder = recognition.files, ListBuilder(recognition.role, recognition.files[0].limits)
    records, without = bool(_nodes(files[0])), 0
    systems = _systems(files) if recognition.role == "system" else {}
    labels = _labels(files) if records else {}
    for file in files if recognition.role != "documents" else ():
        found = _records_of(file) if records else [_value(file)]
        if len(found) > 1:
            builder.reject(file.name, 0, "several records in one file", text_of(found[0].get("@id")) or "")
        elif _SUBJECT in found[0]:
            builder.open(file.stem, file=file.name, line=0, source=systems.get(file.name))
            for identifier in _subjects(found[0][_SUBJECT]):
                reject = "" if identifier else "no identifier of a subject"
                builder.add(labels.get(identifier, identifier), reject=reject, concept=identifier)
        else:
            without += 1
    if without:
        note = Note("info", files[0].name, f"Records without “{_SUBJECT}”, which have no list: {without:,}.")
        builder.notes.append(note)
    described = _documents(files)
    return [described] if recognition.role == "documents" else [builder.rows(), described]


def _labels(files: Sequence[File]) -> dict[str, str]:
    """Return identifier → label of the authorities in the graphs of all records, the first where there are several."""
    found = dict[str, str]()
    for node in chain.from_iterable(map(_nodes, files)):
        identifier, label = text_of(node.get("@id")), _text(node, _LABELS)
        if identifier and label and _SUBJECT not in node:
            found.setdefault(identifier, label)
    return found


def _subjects(value: Any) -> Iterator[str]:
    """Give the identifiers of one subject or of a list of them; what is none is empty."""
    for item in value if isinstance(value, list) else [value]:
        yield text_of(item.get("@id") if isinstance(item, dict) else item) or ""


def _text(node: dict[str, Any], names: Sequence[str]) -> str | None:
    """Return the first text under one of some names; of several values the first, of one in a language its value."""
    value = next((node[name] for name in names if name in node), None)
    value = value[0] if isinstance(value, list) and value else value
    return text_of(value.get("@value") if isinstance(value, dict) else value)


def _documents(files: Sequence[File]) -> Rows:
    """Return title, abstract and, from the folders, type and language of every record."""
    columns: dict[str, list[str | None]] = {"doc_id": [file.stem for file in files]}
    nodes = [next(iter(_records_of(file)), {}) for file in files]
    below = [_place(file)[1] for file in files]
    columns |= {"title": [_text(node, _TITLES) for node in nodes], "text": [_text(node, _ABSTRACTS) for node in nodes]}
    columns["group"] = ["/".join(one) or None for one in below]
    filled = {name: values for name, values in columns.items() if any(value is not None for value in values)}
    return document_rows(filled, [0] * len(files), [file.name for file in files])
