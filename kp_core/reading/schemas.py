"""Know the exports of common programs, and our own tables, by the heads of their columns alone."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kp_core.corpus import Role
from kp_core.reading.fields import plain


@dataclass(frozen=True)
class Schema:
    """What is known of an export before its content is looked at; `schemas.toml` says what each field means."""

    name: str
    needs: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    whole: bool = False
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    joined: bool = False
    cells: str = ""
    begin: int = 0
    no: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    role: Role | None = None
    ids: Literal["", "rows"] = ""
    prefix: Mapping[str, str] = field(default_factory=dict)
    questions: bool = False
    besides: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """Whether its tables are ours."""
        return self.name.startswith("KPScope")

    def fits(self, names: Sequence[str], heads: frozenset[str]) -> bool:
        """Tell whether a table with these names, which are these heads, is such an export."""
        if not heads.issuperset(self.needs) or not (heads.intersection(self.any) or not self.any):
            return False
        return (not self.whole or heads <= self._named()) and (not self.prefix or bool(self.answers(names)))

    def candidates(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return role → the columns that may play it, the likeliest first; what is not filled gives way to the next.

        >>> schema = schema_of(["HITId", "WorkerId", "Title", "Input.id", "Answer.kp"])
        >>> schema.candidates(["HITId", "WorkerId", "Title", "Input.id", "Answer.kp"])
        {'doc_id': ['Input.id', 'HITId'], 'annotator': ['WorkerId']}
        """
        by_head = self._by_head(names)
        found = {role: [by_head[head] for head in heads if head in by_head] for role, heads in self.columns.items()}
        return {role: columns for role, columns in found.items() if columns}

    def sources(self, names: Iterable[str]) -> list[str]:
        """Return the columns of lists of keyphrases beside each other, in the order of the table."""
        return [name for head, name in self._by_head(names).items() if head in self.lists]

    def answers(self, names: Iterable[str]) -> list[str]:
        """Return the columns of answers, of which each may hold keyphrases.

        >>> names = ["Timestamp", "Email Address", "Which text?", "Keywords"]
        >>> schema_of(names).answers(names)
        ['Which text?', 'Keywords']
        """
        if self.prefix:
            start = self.prefix["answers"].lower()
            return [name for name in names if name.strip().lower().startswith(start)]
        return [name for head, name in self._by_head(names).items() if head not in self._named()] * self.questions

    def refused(self, names: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return column → the values, in lower case, of rows that are not meant."""
        by_head = self._by_head(names)
        return {by_head[head]: frozenset(map(str.lower, no)) for head, no in self.no.items() if head in by_head}

    def _named(self) -> frozenset[str]:
        of_roles = (head for heads in self.columns.values() for head in heads)
        return frozenset((*self.needs, *self.any, *self.lists, *self.no, *self.besides, *of_roles))

    def _by_head(self, names: Iterable[str]) -> dict[str, str]:
        """Return head → column; what stands behind a prefix is told apart from a head of the export itself."""
        starts, found = [start.lower() for start in self.prefix.values()], dict[str, str]()
        for name in names:
            start = next((start for start in starts if name.strip().lower().startswith(start)), "")
            found.setdefault(start + plain(name.strip()[len(start) :]), name)
        return found


def schema_of(names: Sequence[str]) -> Schema | None:
    """Return the schema of the export whose columns, or fields, have these names; None if it is none that is known.

    >>> schema_of(["EID", "Title", "Author Keywords"]).name
    'Scopus'
    >>> schema_of(["id", "keywords"]) is None
    True
    """
    heads = frozenset(map(plain, names))
    return next((schema for schema in SCHEMAS if schema.fits(names, heads)), None)


def _schema(entry: Mapping[str, Any]) -> Schema:
    """Return an entry of the file with tuples for its lists."""
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    for key in ("columns", "no"):
        fields[key] = {head: tuple(value) for head, value in entry.get(key, {}).items()}
    return Schema(**fields)


#: All schemas in the order in which they are tried.
SCHEMAS = tuple(map(_schema, tomllib.loads(Path(__file__).with_name("schemas.toml").read_text("utf-8"))["schema"]))
