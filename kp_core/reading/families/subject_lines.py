"""F4L: Annif's short texts, a text, TAB and URIs a line, become texts and lists of concepts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import Note, part_of
from kp_core.reading.families.document_files import _line_of, _subject
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.lists import ListBuilder, storable

NAME = "F4L"
TITLE = "short texts of Annif: text, TAB, URIs"
EXAMPLE = (
    "Tides rise and fall twice a day.\t<http://example.org/c1> <http://example.org/c2>\n"
    "A new harbour.\t<http://example.org/c2>"
)
_URIS = re.compile(r"\s*(?:<[^<>\s]+>\s*)+")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim such texts beside a vocabulary, lines of URI, TAB, label."""
    lines = [file for file in files if _fitting(file)]
    vocabularies = [file for file in files if (_line_of([file]) == "subject")]
    if len(lines) != 1 or len(vocabularies) != 1 or role in ("system", "judgements"):
        return []
    return [_recognition((lines[0], vocabularies[0]), role)]


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise `text TAB <uri> <uri>` in at least 90 % of the first 200 lines."""
    if len(files) != 1 or role in ("system", "judgements") or not _fitting(files[0]):
        return None
    return _recognition((files[0],), role)


def _fitting(file: File) -> int:
    """Return how many of the first lines fit, 0 if these are too few."""
    fitting = sum(_parts(line) is not None for line in file.sample)
    return fitting if fitting >= 0.9 * len(file.sample) else 0


def _recognition(files: tuple[File, ...], role: Role | None) -> Recognition:
    shown = part_of(_fitting(files[0]), len(files[0].sample), "first line", "is", "are")
    evidence = f"{shown} text, TAB, URIs; line n is document n"
    if len(files) > 1:
        evidence += f"; labels from {files[1].name}"
    return Recognition(NAME, role or "gold", files, 0.97, evidence, {}, {})


def _parts(line: str) -> tuple[str, list[str]] | None:
    text, found, uris = line.rpartition("\t")
    return (text, re.findall(r"<([^<>\s]+)>", uris)) if found and text.strip() and _URIS.fullmatch(uris) else None


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one document a line; its phrases are the labels of its URIs, or these themselves without a vocabulary."""
    file, *vocabulary = recognition.files
    subjects = [_subject(line) for named in vocabulary for line in named.lines]
    labels = {subject[1]["concept"]: subject[0] for subject in subjects if subject is not None}
    builder = ListBuilder("gold", recognition.files[0].limits)
    without = 0
    ids: list[str] = []
    texts: list[str] = []
    for place, line in enumerate(file.lines, 1):
        parts = _parts(line)
        if not line.strip():
            builder.blank += 1
            continue
        if parts is None:
            builder.rejected.append((file.name, place, "no text, TAB and URIs", storable(line)[:200]))
            continue
        ids.append(str(place))
        texts.append(parts[0])
        builder.open(str(place), file=file.name, line=place)
        for uri in parts[1]:
            without += uri not in labels
            builder.add(labels.get(uri, uri), concept=uri)
    message = "There are no ids; the line numbers are the ids."
    if without:
        message = f"URIs without a label are the phrases themselves: {without:,}. {message}"
    builder.notes.append(Note("warning", file.name, message))
    documents = pa.table({"doc_id": pa.array(ids, pa.large_string()), "text": pa.array(texts, pa.large_string())})
    beside = Rows("documents", documents, list(map(int, ids)))
    return [beside] if recognition.role == "documents" else [builder.rows(), beside]
