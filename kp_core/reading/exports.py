"""Turn a table of a known export into what it means: `schemas.toml` says which column is what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note
from kp_core.reading.fields import BESIDES, NAMES, base_of, is_form, number_of, plain, words_of
from kp_core.reading.mapping import HEADS, ROW, Mapping
from kp_core.reading.prefill import Proposal, systems_named
from kp_core.reading.profiles import cells_of
from kp_core.reading.schemas import Schema, schema_of
from kp_core.reading.separators import cell_separator
from kp_core.reading.table import Table, counts_rows, holds_lists

#: Answers to a form of a program that is not known: what stands beside them is a question.
_FORM = Schema(
    "a form",
    columns={"annotator": tuple(word for word in NAMES["annotator"] if "mail" in word)},
    besides=tuple(BESIDES),
    role="gold",
    questions=True,
)
#: Words of a question that ask for the document, or for the person.
_ASKED = {
    "phrase": frozenset({*words_of("phrase"), "keyphrases", "keywords", "phrases"}),
    "doc_id": frozenset({*NAMES["doc_id"], *NAMES["text"], *NAMES["title"], "read"} - {"name"}),
    "annotator": frozenset({*NAMES["name"], *NAMES["annotator"]}),
}


#: Field of a mapping → the role of its column in `schemas.toml`.
_PARTS = {"document": "doc_id", "keyphrases": "phrase"}


def export_of(table: Table, role: Role | None) -> Proposal | None:
    """Return what a known export means; None for any other table."""
    if not table.header:
        return None
    schema = schema_of(table.names) or (_FORM if is_form(table.names) else None)
    if schema is None or schema.role == "judgements" or role not in (None, schema.role, "gold", "system"):
        return None
    columns = _filled(table, schema)
    asked: Role = role or schema.role or "gold"
    if schema.role == "documents":
        if role not in (None, "documents"):
            return None
        kept: dict[str, str] = {part: columns[part] for part in ("doc_id", "text", "title", "group") if part in columns}
        found: Proposal | None = Proposal(_mapping("documents", kept))
    elif schema.questions or schema.prefix:
        found = _answers(table, schema, asked, columns)
    else:
        found = _lists(table, schema, asked, columns)
    if found is None:
        return None
    found = replace(found, own=schema.own, program="" if schema.own else schema.name)
    # Our own template says whose the rows are, and not that all of them are people.
    return systems_named(table, found, ()) if schema.own and "relevance" not in columns else found


def _mapping(role: Role, columns: dict[str, str], **said: Any) -> Mapping:
    """Return the mapping of columns by their roles; without a column of documents each row is one."""
    parts = {part: field for field, part in _PARTS.items()}
    found: dict[str, Any] = {parts.get(part, part): name for part, name in columns.items()}
    return Mapping(role, **{"document": ROW, **found, **said})


def meant_rows(table: Table) -> Table:
    """Return a table without the rows that, in a known export, its own columns say not to mean."""
    schema = schema_of(table.names) if table.header else None
    if schema is None or not schema.no:
        return table
    gone = np.zeros(len(table), dtype=bool)
    for name, no in schema.refused(table.names).items():
        cells = pc.utf8_lower(pc.utf8_trim_whitespace(table.texts(name)))
        gone |= pc.is_in(cells, pa.array(sorted(no), pa.large_string())).to_numpy()
    if not gone.any():
        return table
    words = ", ".join(f"“{name}”" for name in schema.refused(table.names))
    kept = table.rows(pa.array(~gone))
    said = Note("info", table.file, f"Rows left out, as {words} says that they are not meant: {int(gone.sum()):,}.")
    return replace(kept, blank=table.blank + int(gone.sum()), notes=[*table.notes, said])


def _filled(table: Table, schema: Schema) -> dict[str, str]:
    """Return role → the first of its columns that is filled: ids in every row, people with different names."""
    found: dict[str, str] = {}
    for role, names in schema.candidates(table.names).items():
        part = "phrase" if role == "phrases" else role
        for name in names:
            cells = cells_of(table, name)
            alone = part == "doc_id" and schema.ids == "rows" and len(set(cells)) < len(table)
            nobody = part == "annotator" and len(set(cells)) == 1 < len(table) and (schema.questions or schema.prefix)
            if (cells or schema.own) and not alone and not nobody:
                found.setdefault(part, name)
    return found


def _lists(table: Table, schema: Schema, role: Role, columns: dict[str, str]) -> Proposal | None:
    """Return what keyphrases in one column, or in several beside each other, mean."""
    names = tuple(name for name in schema.sources(table.names) if cells_of(table, name))
    if len(names) > 1:
        person = {} if schema.joined else {"system" if role == "system" else "annotator": HEADS}
        return Proposal(_mapping(role, columns, keyphrases=names, split=schema.cells, **person))
    columns = columns | ({"phrase": names[0]} if names else {})
    numbered = "doc_id" not in columns
    if "phrase" not in columns or (numbered and schema.ids != "rows"):
        return None
    phrases = columns["phrase"]
    nested = holds_lists(table.column(phrases))
    single = not schema.cells and not numbered and "rank" not in columns and schema.whole and not nested
    if schema.cells == "tokens":
        return Proposal(_mapping(role, columns, inner="tokens"))
    split = "none" if single else schema.cells or ("" if nested else cell_separator(table, phrases))
    return Proposal(_mapping(role, columns, split=split))


def _answers(table: Table, schema: Schema, role: Role, columns: dict[str, str]) -> Proposal | None:
    """Return what answers mean: lists of keyphrases of a document that is asked for too, or one question each."""
    questions = [name for name in schema.answers(table.names) if cells_of(table, name)]
    questions = [name for name in questions if not counts_rows(table.column(name))]
    parts: dict[str, list[str]] = {}
    for name in questions:
        parts.setdefault(_asks(name.removeprefix(schema.prefix.get("answers", ""))), []).append(name)
    if "annotator" in parts and ("annotator" not in columns or len(parts["annotator"]) == 1):
        columns = columns | {"annotator": parts["annotator"][0]}
    phrases = parts.get("phrase", [])
    documents = columns.get("doc_id") or next(iter(parts.get("doc_id", [])), None)
    if documents is not None and not phrases:
        phrases = parts.get("", [])
    if documents is not None and phrases and (len(phrases) == 1 or _are_numbered(phrases)):
        split = cell_separator(table, phrases[0]) if len(phrases) == 1 else "none"
        return Proposal(_mapping(role, columns | {"doc_id": documents}, keyphrases=tuple(phrases), split=split))
    lists = phrases or parts.get("", []) or [name for name in questions if name != columns.get("annotator")]
    if not lists:
        return None
    annotator = columns.get("annotator", ROW)
    made = Proposal(_mapping(role, columns, keyphrases=tuple(lists), document=HEADS, annotator=annotator))
    return made.doubted("Each row is a person, and each question may be a document.", "document")


def _are_numbered(names: Sequence[str]) -> bool:
    """Tell columns that are one list: of one head but for the number at its end."""
    return len({base_of(name) for name in names}) == 1 and all(number_of(name) is not None for name in names)


def _asks(question: str) -> str:
    """Return what a question asks for: keyphrases before documents, documents before people.

    >>> _asks("Which document did you read?"), _asks("List up to 5 keyphrases"), _asks("Your initials"), _asks("Q1")
    ('doc_id', 'phrase', 'annotator', '')
    """
    words = {plain(word) for word in re.split(r"[\W_]+", question)} | {plain(base_of(question))}
    return next((part for part, known in _ASKED.items() if words & known), "")
