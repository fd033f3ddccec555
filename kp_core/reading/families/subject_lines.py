"""F4L: Annif's short texts, a text, TAB and URIs a line, become texts and lists of concepts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from kp_core.model import Note, Role
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.lists import ListBuilder, storable

NAME = "F4L"
TITLE = "short texts of Annif: text, TAB, URIs"
EXAMPLE = (
    "Tides rise and fall twice a day.\t<http://example.org/c1> <http://example.org/c2>\n"
    "A new harbour.\t<http://example.org/c2>"
)
_URIS = re.compile(r"\s*(?:<[^<>\s]+>\s*)+")


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise `text TAB <uri> <uri>` in at least 90 % of the first 200 lines."""
    if len(files) != 1 or role in ("system", "judgements") or not files[0].sample:
        return None
    fitting = sum(_parts(line) is not None for line in files[0].sample)
    if fitting < 0.9 * len(files[0].sample):
        return None
    evidence = f"{fitting} of the first {len(files[0].sample)} lines are text, TAB, URIs; line n is document n"
    return Recognition(NAME, role or "gold", tuple(files), 0.95, evidence, {}, {})


def _parts(line: str) -> tuple[str, list[str]] | None:
    text, found, uris = line.rpartition("\t")
    return (text, re.findall(r"<([^<>\s]+)>", uris)) if found and text.strip() and _URIS.fullmatch(uris) else None


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one document a line; its URIs stand for phrases, since the file has no labels."""
    file = recognition.files[0]
    builder = ListBuilder("gold")
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
            builder.add(uri, concept=uri)
    message = "The file has URIs and no labels, so the URIs are the phrases; the line numbers are the ids."
    builder.notes.append(Note("warning", file.name, message))
    documents = pa.table({"doc_id": pa.array(ids, pa.large_string()), "text": pa.array(texts, pa.large_string())})
    beside = Rows("documents", documents, list(map(int, ids)))
    return [beside] if recognition.role == "documents" else [builder.rows(), beside]
