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
from kp_core.reading.meaning.fields import BESIDES, NAMES, base_of, is_form, number_of, plain, quoted, words_of
from kp_core.reading.meaning.mapping import HEADS, ROW, Mapping, Proposal
from kp_core.reading.meaning.profiles import cells_of
from kp_core.reading.open.table import Table, counts_rows, holds_lists
from kp_core.reading.rows.separators import cell_separator

#: Words of a question that ask for keyphrases, the document, or the annotator.
_QUESTION_WORDS = {
    "keyphrases": frozenset({*words_of("phrase"), "keyphrases", "keywords", "phrases"}),
    "document": frozenset(
        {*NAMES["doc_id"], *NAMES["text"], *NAMES["title"], "read", "lecture", "annotate", "vorlesung"} - {"name"}
    ),
    "annotator": frozenset({*NAMES["name"], *NAMES["annotator"]}),
}


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
    inner: str = ""
    no: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ids: str = ""
    prefix: abc.Mapping[str, str] = field(default_factory=dict)
    questions: bool = False
    besides: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """Whether the table is an export of KPScope."""
        return self.name.startswith("KPScope")

    @property
    def asks(self) -> bool:
        """Whether the table contains people's answers to questions."""
        return self.questions or bool(self.prefix)

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a table with these column names is such an export."""
        heads = frozenset(map(plain, names))
        if not heads.issuperset(self.needs) or not (heads.intersection(self.any) or not self.any):
            return False
        return (not self.whole or heads <= self._named()) and (not self.prefix or bool(self.answers(names)))

    def by_head(self, names: Iterable[str]) -> dict[str, str]:
        """Return {normalized name: column}; columns of the annotation task keep their prefix.

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
    """Return the meaning of a table if it is a known export, else None."""
    schema = schema_of(table.names) or (_FORM if is_form(table.names) else None) if table.header else None
    others = ("gold", "system") if schema and schema.role in ("gold", "system") else ()
    if schema is None or schema.role == "judgements" or role not in (None, schema.role, *others):
        return None
    columns, meant = _columns(table, schema), role or schema.role
    fields = _answers(table, schema, columns) if schema.asks else _lists(table, schema, columns, meant)
    if "keyphrases" not in fields and schema.role != "documents":
        return None
    draft = Proposal(Mapping(meant, **{"document": ROW, **columns, **fields}), own=schema.own)
    if schema.questions and "mail" in plain(draft.mapping.annotator):
        draft = draft.doubted(f"“{draft.mapping.annotator}” may name who chose these keyphrases.", "annotator")
    if draft.mapping.document == HEADS:
        draft = draft.doubted("Each row is a person, and each question may be a document.", "document")
    return draft if schema.own else replace(draft, program=schema.name)


def meant_rows(table: Table) -> Table:
    """Return a table without the rows that a known export marks as rejected or as tests."""
    schema = schema_of(table.names) if table.header else None
    by_head = schema.by_head(table.names) if schema else {}
    refused = {by_head[head]: no for head, no in schema.no.items() if head in by_head} if schema else {}
    rejected = np.zeros(len(table), dtype=bool)
    for name, no in refused.items():
        cells = pc.utf8_lower(pc.utf8_trim_whitespace(table.texts(name)))
        rejected |= pc.is_in(cells, pa.array(map(str.lower, no), pa.large_string())).to_numpy()
    return table.take_out(rejected, f"Rows left out because of {quoted([*refused])}: {int(rejected.sum()):,}.")


def _columns(table: Table, schema: Schema) -> dict[str, str]:
    """Return field → its first non-empty column; ids must differ per row, and annotators must vary."""
    columns, by_head = dict[str, str](), schema.by_head(table.names)
    for field_name, heads in schema.columns.items():
        for name in (by_head[head] for head in heads if head in by_head):
            cells = cells_of(table, name)
            repeated = field_name == "document" and schema.ids == "rows" and len(set(cells)) < len(table)
            nobody = field_name == "annotator" and schema.asks and len(set(cells)) == 1 < len(table)
            if (cells or schema.own) and not repeated and not nobody:
                columns.setdefault(field_name, name)
    return columns


def _lists(table: Table, schema: Schema, columns: dict[str, str], role: Role) -> dict[str, Any]:
    """Return the fields of columns of keyphrases, and how their cells are split."""
    by_head = schema.by_head(table.names)
    names = [name for head, name in by_head.items() if head in schema.lists and cells_of(table, name)]
    names = names or [name for field_name, name in columns.items() if field_name == "keyphrases"]
    if not names or ("document" not in columns and schema.ids != "rows"):
        return {}
    nested = schema.inner or holds_lists(table.column(names[0]))
    split = "" if nested else schema.cells or cell_separator(table, names[0])
    apart = {"system" if role == "system" else "annotator": HEADS} if len(names) > 1 and not schema.joined else {}
    return {"keyphrases": tuple(names), "split": split, "inner": schema.inner, **apart}


def _answers(table: Table, schema: Schema, columns: dict[str, str]) -> dict[str, Any]:
    """Return the fields of answers: a question for the document with lists, or one document per question."""
    questions = [name for name in schema.answers(table.names) if cells_of(table, name)]
    questions = [name for name in questions if not counts_rows(table.column(name))]
    parts: dict[str, list[str]] = {"keyphrases": [], "": []}
    for name in questions:
        parts.setdefault(_asks(name.removeprefix(schema.prefix.get("answers", ""))), []).append(name)
    people = parts.get("annotator", [])
    if people and ("annotator" not in columns or len(people) == 1):
        columns["annotator"] = people[0]
    lists = parts["keyphrases"] or parts[""]
    document = columns.get("document") or next(iter(parts.get("document", [])), "")
    numbered = len(set(map(base_of, lists))) == 1 and None not in map(number_of, lists)
    if document and (len(lists) == 1 or numbered):
        split = cell_separator(table, lists[0]) if len(lists) == 1 else "none"
        return {"document": document, "keyphrases": tuple(lists), "split": split}
    lists = lists or [name for name in questions if name != columns.get("annotator")]
    return {"document": HEADS, "keyphrases": tuple(lists), "annotator": columns.get("annotator", ROW)} if lists else {}


def _asks(question: str) -> str:
    """Return what a question asks for: keyphrases, else the document, else the annotator.

    >>> _asks("Which document did you read?"), _asks("List 5 keyphrases"), _asks("Your initials"), _asks("Q1")
    ('document', 'keyphrases', 'annotator', '')
    """
    words = {plain(word) for word in re.split(r"[\W_]+", question)} | {plain(base_of(question))}
    return next((part for part, known in _QUESTION_WORDS.items() if words & known), "")
