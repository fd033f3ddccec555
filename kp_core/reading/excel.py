"""Turn the sheets of an Excel workbook into rows of the texts that they show.

openpyxl knows the parts, the formats and the dates. Sheets are opened when they are read, their cells as texts.
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.styles.stylesheet import Stylesheet
from openpyxl.utils.datetime import from_excel
from openpyxl.utils.escape import unescape
from openpyxl.xml.constants import ARC_STYLE, SHARED_STRINGS

from kp_core.typeset import storable

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
#: How a text is pronounced, which is no part of it.
_SPOKEN = f"{_SHEET}rPh"
_ROW, _CELL, _VALUES = f"{_SHEET}row", f"{_SHEET}c", (f"{_SHEET}v", f"{_SHEET}t")
_SHARED, _RUN, _TEXT = (f"{{{_SHEET}{name}" for name in ("si", "r", "t"))
#: Bytes that are parsed before the rows in them are given.
_PIECE = 1 << 16
#: The last cell of the size that a sheet declares, which stands above its rows, within so many bytes.
_SIZE, _HEAD = re.compile(rb'<dimension ref="(?:[A-Z0-9]+:)?([A-Z]{0,3})([0-9]*)"'), 2_000


@dataclass(frozen=True)
class Excel:
    """An Excel workbook whose sheets are not read yet.

    sheets    name → path of its part, those that are shown first
    strings   texts that cells name by their number
    patterns  of each style, the format of its numbers
    dates, spans  styles whose numbers are days since the epoch, or lengths of time
    """

    archive: zipfile.ZipFile
    sheets: Mapping[str, str]
    strings: Sequence[str]
    patterns: Sequence[str]
    dates: Collection[int]
    spans: Collection[int]
    epoch: datetime.datetime

    def content(self, sheet: str) -> bytes:
        """Return the XML of a sheet."""
        return self.archive.read(self.sheets[sheet])

    @staticmethod
    def declared_cells(content: bytes) -> int:
        """Return how many cells a sheet says that it has, 0 where it says nothing."""
        last = _SIZE.search(content, 0, _HEAD)
        return int(last[2] or 0) * column_number(last[1].decode()) if last else 0

    def rows(self, content: bytes) -> Iterator[tuple[int, list[str]]]:
        """Give number and cells of the rows of a sheet, as texts."""
        reader = _Rows(self._shown)
        for start in range(0, len(content), _PIECE):
            yield from reader.read(content[start : start + _PIECE])
        yield from reader.read(b"", last=True)

    def _shown(self, value: str, kind: str, style: int) -> str:
        """Return the text that a cell shows; an error shows nothing."""
        if not value or kind == "e":
            return ""
        if kind == "s":
            return self.strings[int(value)]
        if kind == "n":
            return self._number(value, style)
        if kind == "b":
            return "TRUE" if int(value) else "FALSE"
        return _spelled(value)

    def _number(self, value: str, style: int) -> str:
        number = float(value) if "." in value or "e" in value or "E" in value else int(value)
        if style not in self.dates:
            return shown(number, self.patterns[style])
        try:
            return shown(from_excel(number, self.epoch, timedelta=style in self.spans))
        except (OverflowError, ValueError):
            return ""


class _Rows:
    """Reads rows out of the XML of a sheet without making elements of it, which would cost more than to parse it."""

    def __init__(self, shows: Callable[[str, str, int], str]) -> None:
        self._shows, self._number, self._place = shows, 0, 0
        self._found: list[tuple[int, list[str]]] = []
        self._texts: list[str] = []
        self._columns = {"": 0}
        self._kind, self._style, self._parts, self._spoken = "", 0, list[str](), False
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._end

    def read(self, piece: bytes, *, last: bool = False) -> list[tuple[int, list[str]]]:
        """Return the rows that end in a piece of the XML."""
        self._found = []
        self._parser.Parse(piece, last)
        return self._found

    def _start(self, name: str, given: dict[str, str]) -> None:
        if name in _VALUES:
            self._parser.CharacterDataHandler = None if self._spoken else self._parts.append
        elif name == _CELL:
            self._kind, self._style, self._parts = given.get("t", "n"), int(given.get("s", 0)), []
            letters = given.get("r", "").rstrip("0123456789")
            if letters not in self._columns:
                self._columns[letters] = column_number(letters)
            self._place = self._columns[letters] or len(self._texts) + 1
        elif name == _ROW:
            before, self._number, self._texts = self._number, int(given.get("r") or self._number + 1), []
            if self._number <= before:
                raise ValueError(self._number)
        elif name == _SPOKEN:
            self._spoken = True

    def _end(self, name: str) -> None:
        if name in _VALUES:
            self._parser.CharacterDataHandler = None
        elif name == _CELL:
            texts, place = self._texts, self._place
            if place > len(texts) + 1:
                texts += [""] * (place - 1 - len(texts))
            texts[place - 1 :] = [self._shows("".join(self._parts), self._kind, self._style)]
        elif name == _ROW:
            self._found.append((self._number, self._texts))
        elif name == _SPOKEN:
            self._spoken = False


def opened(data: bytes) -> Excel:
    """Return a workbook; what a damaged one makes of it is raised as it comes."""
    reader = ExcelReader(io.BytesIO(data), read_only=True, keep_links=False)
    reader.read_manifest()
    reader.read_workbook()
    pages = [(sheet, link) for sheet, link in reader.parser.find_sheets() if "chartsheet" not in link.Type]
    there = [(sheet, link) for sheet, link in pages if link.target in reader.valid_files]
    there.sort(key=lambda page: page[0].state != "visible")
    sheets = {sheet.name: link.target for sheet, link in there}
    if len(sheets) < len(there):
        raise ValueError("two sheets of one name")
    shared = reader.package.find(SHARED_STRINGS)
    strings = [] if shared is None else _strings(reader.archive.read(shared.PartName[1:]))
    styles = Stylesheet()
    if ARC_STYLE in reader.valid_files:
        styles = Stylesheet.from_tree(ElementTree.fromstring(reader.archive.read(ARC_STYLE)))
    formats = {**BUILTIN_FORMATS, **dict(enumerate(styles.number_formats, BUILTIN_FORMATS_MAX_SIZE))}
    patterns = [formats.get(style.numFmtId, "General") for style in styles.cell_styles] or ["General"]
    dates, spans = styles.date_formats, styles.timedelta_formats
    return Excel(reader.archive, sheets, strings, patterns, dates, spans, reader.wb.epoch)


def _strings(content: bytes) -> list[str]:
    """Return the shared texts in their order."""
    found = []
    for _, element in ElementTree.iterparse(io.BytesIO(content)):
        if element.tag == _SHARED:
            found.append(_text_of(element))
            element.clear()
    return found


def _text_of(element: ElementTree.Element) -> str:
    """Return a text, or the runs that it consists of; how it is pronounced is no part of it.

    >>> _text_of(ElementTree.fromstring(f'<si xmlns="{_SHEET[:-1]}"><r><t>ti</t></r><r><t>de</t></r></si>'))
    'tide'
    """
    runs = [one if one.tag == _TEXT else one.find(_TEXT) for one in element if one.tag in (_TEXT, _RUN)]
    return _spelled("".join(one.text or "" for one in runs if one is not None))


def _spelled(text: str) -> str:
    """Return a text with the characters that XML cannot hold, which the format spells as numbers.

    >>> _spelled("tide_x0009_sea")
    'tide\\tsea'
    """
    return storable(unescape(text)) if "_x" in text else text


def column_number(letters: str) -> int:
    """Return the number of a column, 0 where it has no name.

    >>> column_number("A"), column_number("AB"), column_number("")
    (1, 28, 0)
    """
    if not re.fullmatch("[A-Z]{0,3}", letters):
        raise ValueError(letters)
    return sum((ord(letter) - 64) * 26**place for place, letter in enumerate(reversed(letters)))


def shown(value: Any, pattern: str = "General") -> str:
    """Return a number or a moment as the spreadsheet shows it: without a needless point, with the zeros of a pattern.

    >>> shown(3.0), shown(0.1 + 0.2), shown(7, "000"), shown(datetime.datetime(2026, 5, 1))
    ('3', '0.3', '007', '2026-05-01')
    """
    if isinstance(value, int | float):
        whole = value == int(value) if abs(value) < 1e15 else False
        if whole and pattern.strip("0") == "":
            return str(int(value)).zfill(len(pattern))
        return str(int(value)) if whole else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return str(value)
