"""Show a file as text, lines or JSON, and find the format families that it may be of."""

from __future__ import annotations

import importlib
import re
from collections import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, TypeVar, cast

from kp_core.corpus import Role
from kp_core.errors import InputError, UsageError
from kp_core.reading.limits import Limits
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.archive import workbook_kind
from kp_core.reading.open.decode import Text, decode, split_lines
from kp_core.reading.open.json_text import JsonRecord, is_json, parse_json, parse_records, records_within
from kp_core.reading.open.source import Source, stem_of
from kp_core.reading.rows.check import Rows

T = TypeVar("T")


class NoData(InputError):
    """A file that contains something else than keyphrases: among others it is left out, and listed."""


class File:
    """A source seen as text, as lines or as JSON; each view is made once, when it is first asked for."""

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
        self.mapping = mapping or Mapping()
        self.made: dict[str, Any] = {}

    def meaning(self, mapping: Mapping) -> File:
        """Return the file with another meaning, to be opened anew."""
        return File(self.source, self.limits, self.encoding, strict=self.strict, mapping=mapping)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return what `make` gives, made when first asked for; families keep what they parse here."""
        if key not in self.made:
            self.made[key] = make()
        return cast(T, self.made[key])

    @property
    def name(self) -> str:
        """Name shown to the user; for a member of an archive the path inside."""
        return self.source.name

    @property
    def stem(self) -> str:
        """Last part of the name, without a known extension."""
        return stem_of(self.name)

    @property
    def suffix(self) -> str:
        """Last extension in lower case, such as `.key`."""
        base = self.name.rsplit("/", 1)[-1]
        return "." + base.rsplit(".", 1)[-1].lower() if "." in base[1:] else ""

    @cached_property
    def workbook(self) -> str:
        """The kind of workbook that the file is, XLSX or ODS, else nothing."""
        return workbook_kind(self.source.data)

    @cached_property
    def decoded(self) -> Text:
        """The text and how it was encoded."""
        exact = bool(self.mapping.encoding)
        return decode(
            self.name, self.source.data, self.mapping.encoding or self.encoding, strict=self.strict, exact=exact
        )

    @property
    def text(self) -> str:
        """The text, without byte order mark."""
        return self.decoded.text

    @property
    def utf8(self) -> bytes:
        """The text as UTF-8; where the file is that already, its own bytes."""
        same = self.decoded.encoding == "utf-8" and not self.decoded.bom
        return self.source.data if same else self.text.encode()

    @cached_property
    def lines(self) -> list[str]:
        """All lines, without their ends."""
        self.refuse_long_lines()
        return split_lines(self.text)

    def refuse_long_lines(self) -> None:
        """Refuse a text with a line over the limit; families whose records are lines ask for this before they split."""
        limit, start = self.limits.line_bytes, 0
        while len(self.text) - start > limit:
            # The last line end within the limit is as far as one line may reach.
            stop = max(self.text.rfind(end, start, start + limit + 1) for end in "\r\n")
            if stop < 0:
                number = len(split_lines(self.text[:start])) + 1
                found = f"a line of more than {limit:,} characters"
                expected = f"at most {limit:,} characters a line"
                raise InputError(f"{self.name}, line {number}", found, expected, "Split it, or raise the limit.")
            start = stop + 1

    @cached_property
    def sample(self) -> list[str]:
        """The first 200 lines that are not blank."""
        start = split_lines(self.text[:2_000_000])
        return [line for line in start if line.strip()][:200]

    @cached_property
    def json(self) -> Any:
        """The parsed JSON value, without what only wraps records, or why there is none."""
        return records_within(parse_json(self.name, self.text, self.limits))

    @cached_property
    def records(self) -> list[JsonRecord]:
        """The values of a JSONL file or of a JSON array of objects, with their lines; empty if it is neither."""
        if not is_json(self.json):
            self.refuse_long_lines()
        return parse_records(self.name, self.text, self.json)


class Strength(IntEnum):
    """Why a file is read in one way and not in another; of two ways the stronger is taken, of equals the user is asked.

    PROPOSED  nobody can know: it is asked
    CONTENT   what the cells or lines hold
    GRAMMAR   every line, or every object, has one form
    NAMES     heads that are words of the field
    MARKS     something that no other format has
    """

    PROPOSED, CONTENT, GRAMMAR, NAMES, MARKS = range(5)


@dataclass(frozen=True)
class Recognition:
    """A hypothesis: which family one or several files belong to, and why, in words.

    strength    why it is read so
    mapping     what a user would say of the file to have it read so
    options     switches as they would be read
    offers      switches whose values depend on the file, such as the sheets of a workbook
    plan        what the family itself keeps for reading
    guessed     whether nothing in the files tells their role
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

    recognise         tells whether a file is of this family, in one way or in several
    read              gives the rows of every role; with a role given, of that role, and the texts next to them
    recognise_groups  claims files that belong together before each is looked at by itself
    GROUP_IS_ONE      whether such a group is one annotator or system, named like its folder
    OPTIONS           switches of the family
    PROVED            whether marks in the files prove such a group, so that it is asked first
    FORMS             formats that it reads under their own names
    """

    NAME: str
    TITLE: str
    recognise: Callable[[File, Role | None], Recognition | list[Recognition] | None]
    read: Callable[[Recognition, Role | None], list[Rows]]
    recognise_groups: Callable[[Sequence[File], Role | None], list[Recognition]] = lambda files, role: []
    GROUP_IS_ONE: bool = False
    OPTIONS: tuple[str, ...] = ()
    PROVED: bool = False
    FORMS: abc.Mapping[str, str] = field(default_factory=dict)


#: Endings of tables, in which only some lines are of another family.
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".ods", ".parquet")
#: Module → its families, and the formats that they read under their own names, and what the ending of a file and its
#: first bytes must have for them. A module is imported only for files that may be of its families.
_MODULES: dict[str, tuple[tuple[str, ...], Callable[[str, bytes], object]]] = {
    "meaning.tables": (("F1", "F6", "F10"), lambda ending, first: True),
    "lists.lines": (("F3", "F5"), lambda ending, first: ending not in _TABLES or re.search(rb"[\t@:;]", first)),
    "lists.document_files": (
        ("F4", "F12"),
        lambda ending, first: ending not in _TABLES or re.match(rb"[^\n]*\t|\s*<[^<>\s]+>", first),
    ),
    "lists.trec": (
        ("F8",),
        lambda ending, first: ending in (".run", ".qrels") or re.search(rb"(?m)^\S+[ \t]+\S+[ \t]+\S+", first),
    ),
    "lists.annotations": (
        ("F13", "F13B", "F13C"),
        lambda ending, first: (
            ending == ".ann"
            or first.lstrip()[:1] in (b"{", b"[")
            or re.match(rb"\s*[T#*REAMN]\S*\t", first)
            or re.search(rb"(?m)[ \t][OBIESL](?:-[^\s,;]*)?\r?$", first)
        ),
    ),
}
#: Bytes that are looked at.
_FIRST = 65_536


def families_of(files: Sequence[File]) -> list[Family]:
    """Return the families that some file may be of, by its first bytes and its ending, or because the user says so."""
    chosen = any(file.mapping.format for file in files)
    first = [(file.suffix, file.source.data[:_FIRST]) for file in files]
    return _families(name for name, (_, may_be) in _MODULES.items() if chosen or any(may_be(*file) for file in first))


def _families(modules: Iterable[str]) -> list[Family]:
    """Return the format families that some modules define, ordered by number."""
    families = [family for name in modules for family in importlib.import_module(f"kp_core.reading.{name}").FAMILIES]
    return sorted(families, key=lambda family: (int(re.sub(r"\D", "", family.NAME)), family.NAME))


def all_families() -> list[Family]:
    """Return every family."""
    return _families(_MODULES)


def family_named(name: str) -> Family:
    """Return the family of this name, such as `F3`, or the one that reads a format of this name, such as `F6`."""
    for module, (names, _) in _MODULES.items():
        if name.upper() in names:
            return next(one for one in _families([module]) if name.upper() in (one.NAME, *one.FORMS))
    known = [one for names, _ in _MODULES.values() for one in names]
    raise UsageError(f"there is no format family '{name}'; choose among: {', '.join(known)}")


def title_of(name: str) -> str:
    """Return what a family, or a format that one of them reads, is called.

    >>> title_of("F6")
    'one JSON object per document (JSONL)'
    """
    family = family_named(name)
    return family.FORMS.get(name, family.TITLE)
