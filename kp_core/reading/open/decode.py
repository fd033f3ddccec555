"""Turn bytes into text, and say which encoding, byte order mark and line ends they had."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from kp_core.errors import InputError, Note, UsageError, pluralize

#: What a user may choose when a file is not UTF-8; the first is proposed.
ENCODINGS = (
    *("windows-1252", "iso-8859-15", "windows-1250", "windows-1251", "koi8-r", "gb18030", "big5"),
    *("shift_jis", "euc-jp", "euc-kr", "utf-8", "utf-16", "utf-32"),
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARIES = {
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old Office file",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"PK\x03\x04": "an archive or Office file",
    b"PAR1": "a Parquet file",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
}
_LINE_END = re.compile("\r\n|\n|\r")


@dataclass(frozen=True)
class Text:
    """A decoded file: its text without byte order mark, how many lines end in it, and how it was encoded."""

    text: str
    encoding: str = "utf-8"
    bom: bool = False
    line_ends: str = "\\n"
    notes: tuple[Note, ...] = ()
    ends: int = 0


def split_lines(text: str) -> list[str]:
    r"""Split at carriage return and line feed only, as an editor counts lines.

    >>> split_lines("a\u2028b\r\nc\rd\n")
    ['a\u2028b', 'c', 'd']
    """
    lines = text.split("\n") if "\r" not in text else _LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def binary_kind(data: bytes) -> str | None:
    """Describe what bytes are if their beginning shows that they are no text.

    >>> binary_kind(b"%PDF-1.7")
    'a PDF'
    """
    return next((what for magic, what in _BINARIES.items() if data.startswith(magic)), None)


def decode(name: str, data: bytes, encoding: str | None = None, *, strict: bool = False, exact: bool = False) -> Text:
    """Return the text of a file: its mark decides, else UTF-8, else an encoding, which is never bent to fit.

    encoding  of what is not UTF-8; without it windows-1252 is proposed, with a warning
    exact     the encoding is that of this very file, also where its bytes could be UTF-8
    """
    if kind := binary_kind(data):
        raise InputError(name, kind, "text", "Save it as CSV or UTF-8 text.")
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return _strictly(name, data[len(mark) :], marked, bom=True)
    if encoding is None or not (exact or b"\0" in data):  # bytes of UTF-16 without a mark could be UTF-8 with NUL
        try:
            return _text(name, data.decode("utf-8"), "utf-8")
        except UnicodeDecodeError as error:
            if encoding is None:
                return _proposed(name, data, error, strict=strict)
    return _strictly(name, data, encoding)


def _strictly(name: str, data: bytes, encoding: str, *, bom: bool = False) -> Text:
    try:
        return _text(name, data.decode(encoding), encoding, bom=bom)
    except LookupError:
        raise UsageError(f"there is no encoding '{encoding}'; choose among: {', '.join(ENCODINGS)}") from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        where, found = f"{name}, line {_line_at(data, start)}", f"bytes that are not {encoding} (byte {start})"
        raise InputError(where, found, encoding, "Choose another encoding, or save the file as UTF-8.") from None


def _proposed(name: str, data: bytes, error: UnicodeDecodeError, *, strict: bool) -> Text:
    line = _line_at(data, error.start)
    where, found = f"{name}, line {line}", f"byte 0x{data[error.start]:02x} at offset {error.start}"
    text = data.decode("windows-1252", "replace")
    letters = [character for character in text[:100_000] if character.isalpha()]
    # Letters of another script would stand there as accented ones, which no language has so many of.
    foreign = sum(not letter.isascii() for letter in letters) > 0.4 * len(letters)
    if strict or foreign or "\ufffd" in text:
        raise InputError(where, found, "UTF-8 text", "Save the file as UTF-8, or name its encoding.") from None
    lines = split_lines(text)
    changed = pluralize(sum(not row.isascii() for row in lines), "line")
    message = f"which concerns {changed}, such as “{lines[line - 1].strip()[:60]}”."
    note = Note("warning", where, f"Not UTF-8 ({found}); read as windows-1252, {message}")
    return _text(name, text, "windows-1252", notes=(note,))


def _line_at(data: bytes, offset: int) -> int:
    before = data[:offset]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1


def _text(name: str, text: str, encoding: str, *, bom: bool = False, notes: tuple[Note, ...] = ()) -> Text:
    if "\0" in text:
        raise InputError(name, "NUL characters", "text", "Save it as CSV or UTF-8 text.")
    returns, feeds = text.count("\r"), text.count("\n")
    both = text.count("\r\n") if returns else 0
    counts = {"\\r\\n": both, "\\n": feeds - both, "\\r": returns - both}
    kinds = [kind for kind, count in counts.items() if count]
    ends = kinds[0] if len(kinds) == 1 else "mixed" if kinds else "none"
    return Text(text, encoding, bom, ends, notes, returns + feeds - both)
