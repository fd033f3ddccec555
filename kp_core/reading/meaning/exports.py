"""Recognize tables of known exports, as defined in `schemas.toml`."""

from __future__ import annotations

import re
import tomllib
from collections import abc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note
from kp_core.reading.meaning.fields import BESIDES, NAMES, base_of, is_form, number_of, plain, words_of
from kp_core.reading.meaning.layout import Proposal
from kp_core.reading.meaning.mapping import HEADS, ROW, Mapping
from kp_core.reading.meaning.profiles import cells_of
from kp_core.reading.open.table import Table, counts_rows, holds_lists
from kp_core.reading.rows.separators import cell_separator

#: Words of a question that ask for keyphrases, the document, or the annotator.
_QUESTION_WORDS = {
    "phrase": frozenset({*words_of("phrase"), "keyphrases", "keywords", "phrases"}),
    "doc_id": frozenset(
        {*NAMES["doc_id"], *NAMES["text"], *NAMES["title"], "read", "lecture", "annotate", "vorlesung"} - {"name"}
    ),
    "annotator": frozenset({*NAMES["name"], *NAMES["annotator"]}),
}
#: Role of a column in `schemas.toml` → field of a mapping, if it has another name.
_FIELDS = {"doc_id": "document", "phrase": "keyphrases"}


@dataclass(frozen=True)
class Schema:
    """The columns of an export; `schemas.toml` describes the fields."""

    name: str
    role: Role = "gold"
    needs: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    whole: bool = False
    columns: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    joined: bool = False
    cells: str = ""
    no: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ids: str = ""
    prefix: abc.Mapping[str, str] = field(default_factory=dict)
    questions: bool = False
    besides: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """Whether the table is an export of KPScope."""
        return self.name.startswith("KPScope")

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a table with these column names is such an export."""
        heads = frozenset(map(plain, names))
        if not heads.issuperset(self.needs) or not (heads.intersection(self.any) or not self.any):
            return False
        return (not self.whole or heads <= self._named()) and (not self.prefix or bool(self.answers(names)))

    def by_head(self, names: Iterable[str]) -> dict[str, str]:
        """Return plain name → column; columns of the annotation task keep their prefix.

        >>> schema_of(["HITId", "Title", "Input.Title", "Answer.kp"]).by_head(["Title", "Input.Title"])
        {'title': 'Title', 'input.title': 'Input.Title'}
        """
        starts, columns = [start.lower() for start in self.prefix.values()], dict[str, str]()
        for name in names:
            start = next((start for start in starts if name.strip().lower().startswith(start)), "")
            columns.setdefault(start + plain(name.strip()[len(start) :]), name)
        return columns

    def answers(self, names: Iterable[str]) -> list[str]:
        """Return the columns of answers that may contain keyphrases.

        >>> names = ["Timestamp", "Email Address", "Which text?", "Keywords"]
        >>> schema_of(names).answers(names)
        ['Which text?', 'Keywords']
        """
        if self.prefix:
            start = self.prefix["answers"].lower()
            return [name for name in names if name.strip().lower().startswith(start)]
        return [name for head, name in self.by_head(names).items() if head not in self._named()] * self.questions

    def _named(self) -> frozenset[str]:
        of_roles = (head for heads in self.columns.values() for head in heads)
        return frozenset((*self.needs, *self.any, *self.lists, *self.no, *self.besides, *of_roles))


def schema_of(names: Sequence[str]) -> Schema | None:
    """Return the schema of an export with these names of columns or fields, if it is known.

    >>> schema_of(["EID", "Title", "Author Keywords"]).name
    'Scopus'
    >>> schema_of(["id", "keywords"]) is None
    True
    """
    return next((schema for schema in SCHEMAS if schema.fits(names)), None)


def _schema(entry: abc.Mapping[str, Any]) -> Schema:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Schema(**fields)


#: All schemas in the order of recognition.
SCHEMAS = tuple(map(_schema, tomllib.loads(Path(__file__).with_name("schemas.toml").read_text("utf-8"))["schema"]))
#: The schema of an unknown online form, whose other columns are questions.
_FORM = Schema(
    "a form",
    columns={"annotator": tuple(word for word in NAMES["annotator"] if "mail" in word)},
    besides=tuple(BESIDES),
    questions=True,
)


def export_of(table: Table, role: Role | None) -> Proposal | None:
    """Return the meaning of a known export, or None."""
    schema = schema_of(table.names) or (_FORM if is_form(table.names) else None) if table.header else None
    others = ("gold", "system") if schema and schema.role in ("gold", "system") else ()
    if schema is None or schema.role == "judgements" or role not in (None, schema.role, *others):
        return None
    columns, asks = _filled(table, schema), schema.questions or schema.prefix
    made = (_answers if asks else _lists)(table, schema, role or schema.role, columns)
    if made is None:
        return None
    return replace(made, own=schema.own, program="" if schema.own else schema.name)


def _proposal(role: Role, columns: dict[str, str], **fields: Any) -> Proposal:
    named: dict[str, Any] = {_FIELDS.get(part, part): name for part, name in columns.items()}
    return Proposal(Mapping(role, **{"document": ROW, **named, **fields}))


def meant_rows(table: Table) -> Table:
    """Return a table without the rows that a known export marks as rejected or as tests."""
    schema = schema_of(table.names) if table.header else None
    by_head = schema.by_head(table.names) if schema else {}
    refused = {by_head[head]: no for head, no in schema.no.items() if head in by_head} if schema else {}
    gone = np.zeros(len(table), dtype=bool)
    for name, no in refused.items():
        cells = pc.utf8_lower(pc.utf8_trim_whitespace(table.texts(name)))
        gone |= pc.is_in(cells, pa.array(map(str.lower, no), pa.large_string())).to_numpy()
    if not gone.any():
        return table
    words = ", ".join(f"“{name}”" for name in refused)
    note = Note("info", table.file, f"Rows left out because of {words}: {int(gone.sum()):,}.")
    return replace(table.rows(pa.array(~gone)), blank=table.blank + int(gone.sum()), notes=[*table.notes, note])


def _filled(table: Table, schema: Schema) -> dict[str, str]:
    """Return role → its first non-empty column; ids must differ per row, and annotators must vary."""
    columns, by_head = dict[str, str](), schema.by_head(table.names)
    for role, heads in schema.columns.items():
        part = "phrase" if role == "phrases" else role
        for name in (by_head[head] for head in heads if head in by_head):
            cells = cells_of(table, name)
            repeated = part == "doc_id" and schema.ids == "rows" and len(set(cells)) < len(table)
            asks = schema.questions or schema.prefix
            nobody = part == "annotator" and len(set(cells)) == 1 < len(table) and asks
            if (cells or schema.own) and not repeated and not nobody:
                columns.setdefault(part, name)
    return columns


def _lists(table: Table, schema: Schema, role: Role, columns: dict[str, str]) -> Proposal | None:
    if schema.role == "documents":
        return _proposal(role, columns)
    by_head = schema.by_head(table.names)
    names = tuple(name for head, name in by_head.items() if head in schema.lists and cells_of(table, name))
    if len(names) > 1:
        person = {} if schema.joined else {"system" if role == "system" else "annotator": HEADS}
        return _proposal(role, columns, keyphrases=names, split=schema.cells, **person)
    columns = columns | ({"phrase": names[0]} if names else {})
    if "phrase" not in columns or ("doc_id" not in columns and schema.ids != "rows"):
        return None
    if schema.cells == "tokens":
        return _proposal(role, columns, inner="tokens")
    nested = holds_lists(table.column(columns["phrase"]))
    split = "" if nested else schema.cells or cell_separator(table, columns["phrase"])
    return _proposal(role, columns, split=split)


def _answers(table: Table, schema: Schema, role: Role, columns: dict[str, str]) -> Proposal | None:
    """Return the meaning of answers: a question for the document with lists, or one document per question."""
    questions = [name for name in schema.answers(table.names) if cells_of(table, name)]
    questions = [name for name in questions if not counts_rows(table.column(name))]
    parts: dict[str, list[str]] = {}
    for name in questions:
        parts.setdefault(_asks(name.removeprefix(schema.prefix.get("answers", ""))), []).append(name)
    if "annotator" in parts and ("annotator" not in columns or len(parts["annotator"]) == 1):
        columns = columns | {"annotator": parts["annotator"][0]}
    phrases, others = parts.get("phrase", []), parts.get("", [])
    documents = columns.get("doc_id") or next(iter(parts.get("doc_id", [])), None)
    lists = phrases or others
    numbered = len(set(map(base_of, lists))) == 1 and None not in map(number_of, lists)
    if documents is not None and lists and (len(lists) == 1 or numbered):
        split = cell_separator(table, lists[0]) if len(lists) == 1 else "none"
        return _proposal(role, columns | {"doc_id": documents}, keyphrases=tuple(lists), split=split)
    lists = lists or [name for name in questions if name != columns.get("annotator")]
    if not lists:
        return None
    annotator = columns.get("annotator", ROW)
    made = _proposal(role, columns, keyphrases=tuple(lists), document=HEADS, annotator=annotator)
    return made.doubted("Each row is a person, and each question may be a document.", "document")


def _asks(question: str) -> str:
    """Return the subject of a question: keyphrases, else the document, else the annotator.

    >>> _asks("Which document did you read?"), _asks("List up to 5 keyphrases"), _asks("Your initials"), _asks("Q1")
    ('doc_id', 'phrase', 'annotator', '')
    """
    words = {plain(word) for word in re.split(r"[\W_]+", question)} | {plain(base_of(question))}
    return next((part for part, known in _QUESTION_WORDS.items() if words & known), "")
