"""What a format family takes and gives: a file seen as text, lines or JSON; a recognition; rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, Protocol, TypeVar, cast

from kp_core.corpus import Role
from kp_core.errors import InputError, Note
from kp_core.reading.archive import workbook_kind
from kp_core.reading.decode import Text, decode, split_lines
from kp_core.reading.json_text import JsonRecord, parse_json, parse_records, records_within
from kp_core.reading.limits import Limits
from kp_core.reading.mapping import Mapping
from kp_core.reading.rows import Rows
from kp_core.reading.source import Source, stem_of

T = TypeVar("T")


_NOTHING_SAID = Mapping()


class NoData(InputError):
    """A file that holds something else than keyphrases: among others it is left out, and listed."""


class NotKnown(InputError):
    """A file that no format and no words tell the meaning of; of a table the user may say it."""


class File:
    """A source seen as text, as lines or as JSON; each view is made once, when it is first asked for."""

    def __init__(
        self,
        source: Source,
        limits: Limits,
        encoding: str | None = None,
        *,
        strict: bool = False,
        twice: str = "refuse",
        mapping: Mapping = _NOTHING_SAID,
    ) -> None:
        self.source, self.limits, self.encoding, self.strict, self.twice = source, limits, encoding, strict, twice
        self.mapping = mapping
        self.made: dict[str, Any] = {}
        self._repeated = 0

    def meaning(self, mapping: Mapping) -> File:
        """Return the file with another meaning, to be opened anew."""
        return File(self.source, self.limits, self.encoding, strict=self.strict, twice=self.twice, mapping=mapping)

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
        """The parsed JSON value, without what only wraps records, or `NOT_JSON`."""
        value, self._repeated = parse_json(self.name, self.text, self.limits, self.twice)
        return records_within(value)

    def notes_on_repeats(self) -> list[Note]:
        """Return a note on the keys of JSON that stood twice in one object, and what a fix made of them."""
        if not self._repeated:
            return []
        done = "the first of each was kept"
        if self.twice == "merge":
            done = "their lists were joined, and of anything else the first was kept"
        message = f"Keys that stood twice in one object: {self._repeated:,}; {done}."
        return [Note("warning", self.name, message)]

    @cached_property
    def records(self) -> list[JsonRecord]:
        """The values of a JSONL file or of a JSON array of objects, with their lines; empty if it is neither."""
        records, repeated = parse_records(self.name, self.text, self.json, self.limits, self.twice)
        self._repeated += repeated
        return records


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
    """A format family of a module that has several, in `FAMILIES`; what it holds is that of a `FormatFamily`.

    BECOMES  what becomes of its files, as a sentence
    """

    NAME: str
    TITLE: str
    BECOMES: str
    recognise: Callable[[File, Role | None], Recognition | list[Recognition] | None]
    read: Callable[[Recognition, Role | None], list[Rows]]
    recognise_groups: Callable[[Sequence[File], Role | None], list[Recognition]] | None = None
    GROUP_IS_ONE: bool = False
    OPTIONS: tuple[str, ...] = ()
    PROVED: bool = False


class FormatFamily(Protocol):
    """A module in `kp_core/reading/families`; its place in the order is the number in its name.

    A module may also have `OPTIONS` (switch → values), `TABLES` (its files may be no text, and judged pairs), and
    `recognise_groups(files, role)`, which claims files that belong together before each is looked at by itself.
    `column_names(file)` gives the names of columns or fields that a user may assign to roles, and
    `GROUP_IS_ONE` says that such a group is one annotator or system, named like its folder, `PROVED` that marks in
    the files prove it, so that it is asked first.
    """

    NAME: str
    TITLE: str

    def recognise(self, file: File, role: Role | None) -> Recognition | list[Recognition] | None:
        """Tell whether a file is of this family, in one way or in several."""

    def read(self, recognition: Recognition, role: Role | None) -> list[Rows]:
        """Return the rows of every role found; with a role given, of that role (and texts that stand beside)."""
