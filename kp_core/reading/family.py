"""What a format family takes and gives: a file seen as text, lines or JSON; a recognition; rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import InputError, Note
from kp_core.reading.decode import Text, decode, split_lines
from kp_core.reading.json_text import JsonRecord, parse_json, parse_records, records_within
from kp_core.reading.limits import Limits
from kp_core.reading.source import Source, stem_of
from kp_core.reading.values import distinct_values

T = TypeVar("T")
#: A rejected row: file, line (0 where there is none), reason, content.
Rejected = tuple[str, int, str, str]


@dataclass(frozen=True)
class Choice:
    """What a user decided about one file; whatever is None or absent is guessed.

    columns  role of a column or field → its name in the file, such as {"doc_id": "Nr", "phrase": "Begriff"}
    options  the switches of a family, such as {"inner": "variants"}
    use      no: the file is left out; as-read: what looks odd in it is meant so
    """

    role: Role | None = None
    family: str | None = None
    encoding: str | None = None
    higher_is_better: bool | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    use: Literal["as-read", "no"] | None = None

    def several(self, option: str) -> list[str]:
        """Return the columns or sheets that were named for an option, each in a line of its own."""
        return list(filter(None, self.options.get(option, "").split("\n")))


_NOTHING_CHOSEN = Choice()


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
        choice: Choice = _NOTHING_CHOSEN,
    ) -> None:
        self.source, self.limits, self.encoding, self.strict, self.twice = source, limits, encoding, strict, twice
        self.choice = choice
        self.made: dict[str, Any] = {}
        self._repeated = 0

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
    def decoded(self) -> Text:
        """The text and how it was encoded."""
        exact = self.choice.encoding is not None
        return decode(
            self.name, self.source.data, self.choice.encoding or self.encoding, strict=self.strict, exact=exact
        )

    @property
    def text(self) -> str:
        """The text, without byte order mark."""
        return self.decoded.text

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


@dataclass(frozen=True)
class Recognition:
    """A hypothesis: which family one or several files belong to, how sure that is, and why, in words.

    confidence  1: beyond doubt; from .9: clear; from .5: plausible; below: only offered. It comes from what the
                hypothesis explains: rows without rejection, unique ids, lengths that fit phrases
    options     switches as they would be read
    offers      switches whose values depend on the file, such as the sheets of a workbook
    plan        what the family itself keeps for reading
    guessed     whether nothing in the files tells their role
    """

    family: str
    role: Role
    files: tuple[File, ...]
    confidence: float
    evidence: str
    columns: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    offers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plan: tuple[Any, ...] = ()
    guessed: bool = False


@dataclass
class Rows:
    """Rows of one role from one file or group of files: as a family reads them, then checked, then settled.

    table     a column for each role found: doc_id, phrase, source (annotator or system), rank, score, ...
    lines     line of each row, or None where row i stands in line i + 1
    places    file of each row, where the rows come from several files
    lists     for families of lists: source, doc_id, file, line and length of each list, empty ones included
    marked    rows that the family itself rejects: row number → reason
    rejected  lines that gave no row at all, and once they are checked the rows that cannot be kept
    counted   number of documents that are only counted, 1, 2, ...; a file of ids may name them (`settle.align`)
    titles    titles of documents that are only counted, in their order, by which other files may know them
    only_ids  whether the documents are such names, the n-th being that of document n

    What `load` knows beyond a family: the `file` of the report; `name`, the annotator or system where no column says
    it, and whether the user gave it (`name_given`); `origin`, the number of the upload, which may give several such
    rows; the user's `choice`. Checking adds how many rows were `read`, settling the `sources`, annotators or systems.
    """

    role: Role
    table: pa.Table
    lines: Sequence[int] | npt.NDArray[np.int64] | None = None
    places: Sequence[str] | npt.NDArray[np.object_] | None = None
    lists: pd.DataFrame | None = None
    marked: dict[int, str] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    blank: int = 0
    counted: int = 0
    titles: Sequence[str] = ()
    only_ids: bool = False
    file: str = ""
    name: str = ""
    name_given: bool = False
    origin: int = 0
    choice: Choice = _NOTHING_CHOSEN
    read: int = 0
    sources: list[str] = field(default_factory=list)

    def line(self, row: int) -> int:
        """Return the line of a row, 0 where it is not known."""
        return row + 1 if self.lines is None else int(self.lines[row])

    def starts(self) -> npt.NDArray[np.int64]:
        """Return the rows at which another document begins."""
        return run_starts(self.table["doc_id"])

    def ids(self) -> pa.Array:
        """Return the documents in order, those with empty lists included."""
        if self.lists is None:
            return distinct_values(self.table["doc_id"], self.starts())
        return pc.unique(pa.array(self.lists["doc_id"].tolist(), pa.large_string()))

    def every_source(self) -> list[str]:
        """Return the names of all sources, those with nothing but empty lists included."""
        listed = [] if self.lists is None else self.lists["source"].unique().tolist()
        return list(dict.fromkeys([*self.sources, *listed]))

    def put(self, name: str, column: pa.ChunkedArray) -> None:
        """Put another column in place of one."""
        if self.table[name] is not column:
            self.table = self.table.set_column(self.table.column_names.index(name), name, column)

    def rename(self, column: str, renamed: Mapping[str, str]) -> None:
        """Give documents (`doc_id`) or annotators and systems (`source`) other names: old → new."""
        coded = self.table[column].combine_chunks().dictionary_encode()
        values = pa.array([renamed.get(value, value) for value in coded.dictionary.to_pylist()], pa.large_string())
        self.put(column, pa.chunked_array([values.take(coded.indices)]))
        if self.lists is not None:
            self.lists = self.lists.assign(**{column: [renamed.get(name, name) for name in self.lists[column]]})
        if column == "source":
            self.sources = list(dict.fromkeys(renamed.get(name, name) for name in self.sources))


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
