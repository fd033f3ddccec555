"""Decode text files, and represent a file as text and lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

from kp_core.errors import InputError, Note, UsageError, input_error, pluralize
from kp_core.reading.limits import Limits
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.source import Source, packed_kind, stem_of
from kp_core.reading.open.values import split_lines

T = TypeVar("T")

#: Encodings that a user may choose for a file that is not UTF-8; the first is proposed.
ENCODINGS = (
    *("windows-1252", "iso-8859-15", "windows-1250", "windows-1251", "koi8-r", "gb18030", "big5"),
    *("shift_jis", "euc-jp", "euc-kr", "utf-8", "utf-16", "utf-32"),
)
#: Byte order marks; the mark of UTF-32 begins like that of UTF-16, so it comes first.
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_BINARIES = {
    "a PDF": (b"%PDF",),
    "an old Office file": (b"\xd0\xcf\x11\xe0",),
    "an image": (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"),
    "an archive or Office file": (b"PK\x03\x04",),
    "a Parquet file": (b"PAR1",),
    "a file packed by 7z, RAR, bzip2 or xz": (b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ"),
}


@dataclass(frozen=True)
class Text:
    """A decoded file: its text without byte order mark, its encoding, and the number of line ends."""

    text: str
    encoding: str = "utf-8"
    bom: bool = False
    line_ends: str = "\\n"
    notes: tuple[Note, ...] = ()
    ends: int = 0


def how_decoded(texts: Sequence[Text]) -> dict[str, Any]:
    """Return the fields of a `Reading` on the encoding of files; if there is no text, the files are binary."""
    ends = dict.fromkeys(text.line_ends for text in texts if text.line_ends != "none")
    encodings = dict.fromkeys(text.encoding for text in texts)
    summary = {"encoding": " + ".join(encodings) or "binary", "line_ends": " + ".join(ends) or "none"}
    return {**summary, "bom": any(text.bom for text in texts)}


def binary_kind(data: bytes) -> str | None:
    """Return the kind of a binary file by its first bytes, None for text."""
    return next((kind for kind, beginnings in _BINARIES.items() if data.startswith(beginnings)), None)


def decode(name: str, data: bytes, encoding: str | None = None, *, strict: bool = False, exact: bool = False) -> Text:
    """Decode a file by its byte order mark, else as UTF-8, else in a given encoding.

    * `encoding`: encoding of files that are not UTF-8; by default windows-1252, with a warning
    * `exact`: whether the encoding is that of this file, even if it could be UTF-8
    """
    if kind := binary_kind(data):
        raise InputError(name, kind, "text", "Save it as CSV or UTF-8 text.")
    for mark, encoding_of_mark in _MARKS.items():
        if data.startswith(mark):
            return _decode_strictly(name, data[len(mark) :], encoding_of_mark, bom=True)
    if encoding is None or not (exact or b"\0" in data):  # UTF-16 without a mark could be UTF-8 with NUL
        try:
            return _text(name, data.decode("utf-8"), "utf-8")
        except UnicodeDecodeError as error:
            if encoding is None:
                return _decode_by_guess(name, data, error, strict=strict)
    return _decode_strictly(name, data, encoding)


def _decode_strictly(name: str, data: bytes, encoding: str, *, bom: bool = False) -> Text:
    try:
        return _text(name, data.decode(encoding), encoding, bom=bom)
    except LookupError:
        raise UsageError(f"there is no encoding '{encoding}'; choose among: {', '.join(ENCODINGS)}") from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        where = f"{name}, line {_line_at(data, start)}"
        raise input_error(where, "another encoding", encoding=encoding, byte=start) from None


def _decode_by_guess(name: str, data: bytes, error: UnicodeDecodeError, *, strict: bool) -> Text:
    line, text = _line_at(data, error.start), data.decode("windows-1252", "replace")
    where, found = f"{name}, line {line}", f"byte 0x{data[error.start]:02x} at offset {error.start}"
    letters = [character for character in text[:100_000] if character.isalpha()]
    # In text of another script, nearly all letters would be accented.
    foreign = sum(not letter.isascii() for letter in letters) > 0.4 * len(letters)
    if strict or foreign or "\ufffd" in text:
        raise input_error(where, "not UTF-8", found=found) from None
    lines = split_lines(text)
    changed = pluralize(sum(not row.isascii() for row in lines), "line")
    message = f"which concerns {changed}, such as “{lines[line - 1].strip()[:60]}”."
    note = Note("warning", where, f"Not UTF-8 ({found}); read as windows-1252, {message}")
    return _text(name, text, "windows-1252", notes=(note,))


def _line_at(data: bytes, offset: int) -> int:
    return len(re.findall(rb"\r\n|\n|\r", data[:offset])) + 1


def _text(name: str, text: str, encoding: str, *, bom: bool = False, notes: tuple[Note, ...] = ()) -> Text:
    if "\0" in text:
        raise InputError(name, "NUL characters", "text", "Save it as CSV or UTF-8 text.")
    returns, feeds, pairs = text.count("\r"), text.count("\n"), text.count("\r\n") if "\r" in text else 0
    counts = {"\\r\\n": pairs, "\\n": feeds - pairs, "\\r": returns - pairs}
    kinds = [kind for kind, count in counts.items() if count] or ["none"]
    return Text(text, encoding, bom, "mixed" if len(kinds) > 1 else kinds[0], notes, returns + feeds - pairs)


@dataclass(eq=False)
class File:
    """A source as text and lines, each computed on first use.

    `stem` is the last part of the name without a known extension, and `suffix` its last extension in lower case.
    """

    source: Source
    limits: Limits
    encoding: str | None = None
    strict: bool = field(default=False, kw_only=True)
    mapping: Mapping = field(default=Mapping(), kw_only=True)

    def __post_init__(self) -> None:
        self.name, self.stem, self.cached = self.source.name, stem_of(self.source.name), dict[str, Any]()
        base = self.name.rsplit("/", 1)[-1]
        self.suffix = "." + base.rsplit(".", 1)[-1].lower() if "." in base[1:] else ""

    def meaning(self, mapping: Mapping) -> File:
        """Return the file with another mapping."""
        return replace(self, mapping=mapping)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return the result of `make`, called once per key."""
        if key not in self.cached:
            self.cached[key] = make()
        return cast(T, self.cached[key])

    @cached_property
    def workbook(self) -> str:
        """The kind of workbook, XLSX or ODS; empty for any other file."""
        kind = packed_kind(self.source.data)
        return kind if kind in ("XLSX", "ODS") else ""

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
        """Raise an InputError if a line exceeds the limit, before the text is split into lines."""
        limit, start = self.limits.line_bytes, 0
        while len(self.text) - start > limit:
            line_end = max(self.text.rfind(end, start, start + limit + 1) for end in "\r\n")
            if line_end < 0:
                number = len(split_lines(self.text[:start])) + 1
                raise input_error(f"{self.name}, line {number}", "long line", limit=limit)
            start = line_end + 1

    @cached_property
    def sample(self) -> list[str]:
        """The first 200 lines that are not blank."""
        start = split_lines(self.text[:2_000_000])
        return [line for line in start if line.strip()][:200]
