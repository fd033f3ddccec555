"""Represent a file as text, lines or JSON, and find its possible format families."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, cached_property
from importlib import import_module
from typing import Any, TypeVar, cast

from kp_core.corpus import Role
from kp_core.errors import InputError, UsageError
from kp_core.reading.limits import Limits
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.decode import Text, decode, split_lines
from kp_core.reading.open.json_text import JsonRecord, is_json, parse_json, parse_records, records_within
from kp_core.reading.open.source import Source, stem_of, workbook_kind
from kp_core.reading.rows.check import Rows

T = TypeVar("T")


class NoData(InputError):
    """A file without keyphrases or texts, which is skipped and reported if there are other files."""


class File:
    """A source as text, lines or JSON, each computed on first use.

    `stem` is the last part of the name without a known extension, and `suffix` its last extension in lower case.
    """

    def __init__(
        self,
        source: Source,
        limits: Limits,
        encoding: str | None = None,
        *,
        strict: bool = False,
        mapping: Mapping | None = None,
    ) -> None:
        self.source, self.limits, self.encoding, self.strict = source, limits, encoding, strict
        self.name, self.stem = source.name, stem_of(source.name)
        base = self.name.rsplit("/", 1)[-1]
        self.suffix = "." + base.rsplit(".", 1)[-1].lower() if "." in base[1:] else ""
        self.mapping = mapping or Mapping()
        self.cached: dict[str, Any] = {}

    def meaning(self, mapping: Mapping) -> File:
        """Return the file with another mapping."""
        return File(self.source, self.limits, self.encoding, strict=self.strict, mapping=mapping)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return the result of `make`, called once per key."""
        if key not in self.cached:
            self.cached[key] = make()
        return cast(T, self.cached[key])

    @cached_property
    def workbook(self) -> str:
        """The kind of workbook, XLSX or ODS; empty for any other file."""
        return workbook_kind(self.source.data)

    @cached_property
    def decoded(self) -> Text:
        """The text and its encoding."""
        encoding, exact = self.mapping.encoding or self.encoding, bool(self.mapping.encoding)
        return decode(self.name, self.source.data, encoding, strict=self.strict, exact=exact)

    @property
    def text(self) -> str:
        """The text, without byte order mark."""
        return self.decoded.text

    @property
    def utf8(self) -> bytes:
        """The text as UTF-8."""
        unchanged = self.decoded.encoding == "utf-8" and not self.decoded.bom
        return self.source.data if unchanged else self.text.encode()

    @cached_property
    def lines(self) -> list[str]:
        """All lines, without their ends."""
        self.refuse_long_lines()
        return split_lines(self.text)

    def refuse_long_lines(self) -> None:
        """Refuse a text with a line over the limit, before it is split into lines."""
        limit, start = self.limits.line_bytes, 0
        while len(self.text) - start > limit:
            stop = max(self.text.rfind(end, start, start + limit + 1) for end in "\r\n")
            if stop < 0:
                number = len(split_lines(self.text[:start])) + 1
                found, expected = f"a line of more than {limit:,} characters", f"at most {limit:,} characters a line"
                raise InputError(f"{self.name}, line {number}", found, expected, "Split it, or raise the limit.")
            start = stop + 1

    @cached_property
    def sample(self) -> list[str]:
        """The first 200 lines that are not blank."""
        start = split_lines(self.text[:2_000_000])
        return [line for line in start if line.strip()][:200]

    @cached_property
    def json(self) -> Any:
        """The parsed JSON value without wrappers of records, or the reason why there is none."""
        return records_within(parse_json(self.name, self.text, self.limits))

    @cached_property
    def records(self) -> list[JsonRecord]:
        """The values of a JSONL file or of a JSON array of objects, with their lines; empty if it is neither."""
        if not is_json(self.json):
            self.refuse_long_lines()
        return parse_records(self.name, self.text, self.json)


class Strength(IntEnum):
    """Strength of evidence. The strongest reading is used; the user decides between equally strong ones.

    PROPOSED  a guess, about which the user is asked
    CONTENT   contents of cells or lines
    GRAMMAR   all lines, or all objects, have the same form
    NAMES     known column names
    MARKS     marks that are unique to the format
    """

    PROPOSED, CONTENT, GRAMMAR, NAMES, MARKS = range(5)


@dataclass(frozen=True)
class Recognition:
    """A hypothesis about the family of one or several files, with its evidence in words.

    mapping  the mapping that gives this reading
    options  settings of the format, and their values
    offers   settings whose possible values depend on the file, such as the sheets of a workbook
    plan     data that the family needs to read the files
    guessed  whether the role is a guess without evidence in the files
    """

    family: str
    role: Role
    files: tuple[File, ...]
    evidence: str
    columns: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    offers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plan: tuple[Any, ...] = ()
    guessed: bool = False
    strength: Strength = Strength.GRAMMAR
    mapping: Mapping | None = None


@dataclass(frozen=True)
class Family:
    """A format family: how its files are recognized and read.

    recognise         returns the reading of one file, if it is of this family; None if it only recognizes groups
    read              returns the rows of all roles, or of a given role and the texts next to them
    recognise_groups  claims files that belong together, before single files are recognized
    GROUP_IS_ONE      whether such a group is one annotator or system, named after its folder
    OPTIONS           names of its settings
    PROVED            whether marks in the files prove such a group, which is then claimed first
    FORMS             formats of this family with separate names
    """

    NAME: str
    TITLE: str
    recognise: Callable[[File, Role | None], Recognition | None] | None
    read: Callable[[Recognition, Role | None], list[Rows]]
    recognise_groups: Callable[[Sequence[File], Role | None], list[Recognition]] = lambda files, role: []
    GROUP_IS_ONE: bool = False
    OPTIONS: tuple[str, ...] = ()
    PROVED: bool = False
    FORMS: abc.Mapping[str, str] = field(default_factory=dict)


#: The modules that define families; they import this one.
_MODULES = ("meaning.tables", "lists.lines", "lists.document_files", "lists.annotations")


@cache
def all_families() -> tuple[Family, ...]:
    """Return every family, ordered by number."""
    families = [family for name in _MODULES for family in import_module(f"kp_core.reading.{name}").FAMILIES]
    return tuple(sorted(families, key=lambda family: (int(re.sub(r"\D", "", family.NAME)), family.NAME)))


def family_named(name: str) -> Family:
    """Return the family with this name, such as `F3`, or with a format of this name, such as `F6`."""
    named = {form: family for family in all_families() for form in (*family.FORMS, family.NAME)}
    if name.upper() not in named:
        raise UsageError(f"there is no format family '{name}'; choose among: {', '.join(named)}")
    return named[name.upper()]


def title_of(name: str) -> str:
    """Return the title of a family or format."""
    family = family_named(name)
    return family.FORMS.get(name, family.TITLE)
