"""Turn a table of a known export into its layout: `schemas.toml` says which column is what, and nothing is inferred."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note
from kp_core.reading.fields import BESIDES, NAMES, base_of, is_form, number_of, plain, source_of, told, words_of
from kp_core.reading.layout import Doubt, Layout
from kp_core.reading.mapping import Mapping
from kp_core.reading.profiles import cells_of
from kp_core.reading.schemas import Schema, schema_of
from kp_core.reading.separators import cell_separator
from kp_core.reading.table import Table, counts_rows, holds_lists
from kp_core.reading.wide_columns import whose

#: Answers to a form of a program that is not known: what stands beside them is a question.
_FORM = Schema(
    "a form",
    columns={"annotator": tuple(word for word in NAMES["annotator"] if "mail" in word)},
    besides=tuple(BESIDES),
    role="gold",
    questions=True,
)
#: Roles in the order in which they are told.
_ORDER = (
    "pair_id",
    "doc_id",
    "system",
    "annotator",
    "rank",
    "score",
    "relevance",
    "votes",
    "phrase",
    "concept",
    "title",
    "text",
    "group",
)
#: Words of a question that ask for the document, or for the person.
_ASKED = {
    "phrase": frozenset({*words_of("phrase"), "keyphrases", "keywords", "phrases"}),
    "doc_id": frozenset({*NAMES["doc_id"], *NAMES["text"], *NAMES["title"], "read"} - {"name"}),
    "annotator": frozenset({*NAMES["name"], *NAMES["annotator"]}),
}


def export_of(table: Table, role: Role | None, mapping: Mapping) -> Layout | None:
    """Return the layout of a known export; None for any other table, or where the user names its columns."""
    if not table.header or mapping.inner:
        return None
    schema = schema_of(table.names) or (_FORM if is_form(table.names) else None)
    if schema is None or schema.role == "judgements" or role not in (None, schema.role, "gold", "system"):
        return None
    columns = _filled(table, schema)
    asked: Role = role or schema.role or "gold"
    own = schema.own
    evidence = table.described if own else f"{table.described}; as {schema.name} writes it"
    cells = mapping.split or schema.cells
    if schema.role == "documents":
        columns = {part: columns[part] for part in ("doc_id", "text", "title", "group") if part in columns}
        found = Layout("documents", table, "documents", columns, numbered="doc_id" not in columns, evidence=evidence)
        return replace(found, evidence=f"{evidence}; {told(columns)}") if role in (None, "documents") else None
    if schema.questions or schema.prefix:
        made = _answers(table, schema, asked, columns, evidence)
    else:
        made = _lists(table, schema, asked, columns, cells, evidence)
    if made is None:
        return None
    evidence = f"{made.evidence}; {told(made.columns)}" if made.columns else made.evidence
    return replace(made, own=own, evidence=evidence)


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
    return {role: found[role] for role in sorted(found, key=_ORDER.index)}


def _lists(
    table: Table, schema: Schema, role: Role, columns: dict[str, str], cells: str, evidence: str
) -> Layout | None:
    """Return the layout of keyphrases in one column or in several beside each other."""
    names = tuple(name for name in schema.sources(table.names) if cells_of(table, name))
    numbered = "doc_id" not in columns
    if len(names) > 1:
        apart: dict[str, tuple[str, ...]] = {source_of(name) or "gold": (name,) for name in names}
        sources = {"": names} if schema.joined else apart
        said = f"{evidence}; {whose(sources, role)}"
        return Layout("wide", table, role, columns, sources, cells, numbered, united=schema.joined, evidence=said)
    columns = columns | ({"phrase": names[0]} if names else {})
    if "phrase" not in columns or (numbered and schema.ids != "rows"):
        return None
    several = not cells and not numbered and "rank" not in columns
    if cells == "none" or (several and schema.whole and not holds_lists(table.column(columns["phrase"]))):
        return Layout("long", table, role, columns, evidence=evidence)
    return Layout(
        "lists",
        table,
        role,
        columns,
        cells=cells or cell_separator(table, columns["phrase"]),
        numbered=numbered,
        evidence=evidence,
    )


def _answers(table: Table, schema: Schema, role: Role, columns: dict[str, str], evidence: str) -> Layout | None:
    """Return the layout of answers: lists of keyphrases of a document that is asked for too, or one question each."""
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
        columns = columns | {"doc_id": documents}
        if len(phrases) == 1:
            return Layout(
                "lists",
                table,
                role,
                columns | {"phrase": phrases[0]},
                cells=cell_separator(table, phrases[0]),
                evidence=evidence,
            )
        return Layout(
            "wide",
            table,
            role,
            columns,
            {"": tuple(phrases)},
            evidence=f"{evidence}; one list in {len(phrases)} columns",
        )
    lists = phrases or parts.get("", []) or [name for name in questions if name != columns.get("annotator")]
    if not lists:
        return None
    said = f"{evidence}; each question is a document"
    made = Layout("turned", table, role, columns, {name: (name,) for name in lists}, evidence=said)
    doubt = Doubt("Each row is a person, and each question may be a document.", ("document",), made)
    return replace(made, doubts=(doubt,))


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
