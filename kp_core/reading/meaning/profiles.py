"""Describe the cells of a column: whether they can be ids, keyphrases, lists of keyphrases, or texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import run_starts
from kp_core.reading.meaning.fields import NO, YES, base_of
from kp_core.reading.open.table import Table
from kp_core.reading.open.values import is_number, number

#: Maximum number of cells per column that are examined.
SAMPLE = 1000
#: Separators of phrases: certain ones, commas if there is no other, and those that must occur in most cells.
_CERTAIN, _COMMAS, _RARE = r"[;；|•、\n]", "[,，]", r" [/·–-] (?![0-9])"
ANY_MARK = re.compile(f"{_CERTAIN}|{_COMMAS}|{_RARE}")
_CODE = re.compile(r"(?=.{1,40}$)(?=.*\d)[^\s;,|]+(?: [^\s;,|]*[^\s;,|.!?])?")
#: A list of numbers.
_NUMBERS = re.compile(r"\[[\[\]\s.,-]*\d[\[\]\d\s.,-]*\]")
#: A date, with a time or without.
_MOMENT = re.compile(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d\d){1,2})"
    r"(?:[ T]\d{1,2}:\d\d[\d:.]*(?: ?[AP]M)?)?Z?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Profile:
    """The first cells of a column, without blank ones: shares of kinds of cells, and mean sizes of their items."""

    cells: Sequence[str]
    numbers: float = 0
    lists: float = 1
    words: float = 1
    characters: float = 1
    varied: float = 1

    @property
    def phrases(self) -> bool:
        """Whether the items can be keyphrases."""
        return not (self.moments or self.marks) and self.numbers < 0.5 and self.words <= 5 and self.characters <= 50

    @property
    def marks(self) -> bool:
        """Whether the cells only contain yes or no."""
        return {cell.lower() for cell in self.cells} <= YES | NO

    @property
    def moments(self) -> bool:
        """Whether each cell is a date, with or without a time."""
        return all(map(_MOMENT.match, self.cells))

    @property
    def codes(self) -> bool:
        """Whether each cell is a short word with a digit, like ids but unlike phrases."""
        return len(self.cells) > 1 and all(map(_CODE.fullmatch, self.cells)) and not self.addresses

    @property
    def fraction(self) -> bool:
        """Whether at least half of the numbers, in a column that is mostly numbers, have decimals."""
        stripped = (cell.rstrip(" %") for cell in (self.cells if self.numbers > 0.5 else ()))
        values = (number(cell if "." in cell else cell.replace(",", ".")) for cell in stripped)
        finite = [value for value in values if isfinite(value)]
        return bool(finite) and 2 * sum(not value.is_integer() for value in finite) >= len(finite)

    @property
    def long(self) -> bool:
        """Whether the cells are texts, longer on average than lists of phrases."""
        return sum(map(len, self.cells)) > 200 * len(self.cells)

    @property
    def addresses(self) -> bool:
        """Whether each cell is a web address."""
        return all(re.fullmatch(r"(https?://|www\.)\S+", cell) for cell in self.cells)


def profile(table: Table, name: str) -> Profile:
    """Return the profile of a column, computed once per table."""
    if name not in table.seen:
        table.seen[name] = _profile(table, name)
    return cast(Profile, table.seen[name])


def _profile(table: Table, name: str) -> Profile:
    cells = cells_of(table, name)
    if pa.types.is_nested(table.column(name).type):
        return Profile(cells)
    pattern = _CERTAIN if any(re.search(_CERTAIN, cell) for cell in cells) else _COMMAS
    if pattern != _CERTAIN and 2 * sum(bool(re.search(_RARE, cell)) for cell in cells) >= max(len(cells), 1):
        pattern = _RARE
    items = [item.strip() for cell in cells for item in re.split(pattern, cell) if item.strip()]
    size, parts = max(len(cells), 1), max(len(items), 1)
    return Profile(
        cells,
        sum(_is_numeric(cell, pattern) for cell in cells) / size,
        sum(bool(re.search(rf"{pattern}|^\[.*\]$", cell)) for cell in cells) / size,
        sum(len(item.split()) for item in items) / parts,
        sum(map(len, items)) / parts,
        len(set(cells)) / size,
    )


def _is_numeric(cell: str, pattern: str) -> bool:
    if cell[0] == "[":
        return bool(_NUMBERS.fullmatch(cell))
    stripped = cell.rstrip(" %")
    begins = stripped[:1] in [*"+-.0123456789"]
    return begins and (is_number(stripped) or all(map(is_number, re.split(pattern, stripped))))


def cells_of(table: Table, name: str) -> list[str]:
    """Return the first cells of a column that are not blank, trimmed."""
    return list(filter(None, map(str.strip, table.texts(name, SAMPLE).to_pylist())))


def items_of(cell: str) -> set[str]:
    """Return the phrases of a cell for comparison, split at any separator.

    >>> sorted(items_of("Tide; sea"))
    ['sea', 'tide']
    """
    return {item.strip().casefold() for item in ANY_MARK.split(cell)} - {""}


def whole_lists(table: Table, names: Iterable[str]) -> list[str]:
    """Return the columns whose cells are lists; of numbered columns with the same name, all or none."""
    bases = {name: base_of(name) for name in names}
    lists = Counter(base for name, base in bases.items() if profile(table, name).lists >= 0.5)
    columns = Counter(bases.values())
    return [name for name, base in bases.items() if lists[base] and 2 * lists[base] >= columns[base]]


def is_blank(table: Table, name: str) -> pa.ChunkedArray:
    """Return a mask of blank cells."""
    return pc.equal(pc.utf8_trim_whitespace(table.texts(name)), "")


def is_merged(table: Table, name: str) -> bool:
    """Recognize merged cells: each value occurs once, above blank cells."""
    cells = [cell.strip() for cell in table.texts(name, SAMPLE).to_pylist()]
    heads = list(filter(None, cells))
    return 0 < len(heads) < len(cells) and bool(cells[0]) and len(set(heads)) == len(heads)


def fill_forward(table: Table, name: str) -> pa.ChunkedArray:
    """Return a column whose blank cells repeat the cell above."""
    missing = pa.scalar(None, pa.large_string())
    return pc.fill_null_forward(pc.if_else(is_blank(table, name), missing, table.texts(name)))


def filled(table: Table, name: str) -> pa.ChunkedArray:
    """Return a column with the value of a merged cell in each of its rows."""
    return fill_forward(table, name) if is_merged(table, name) else table.texts(name)


def count_distinct(keys: Mapping[str, pa.ChunkedArray]) -> int:
    """Return how many different rows some columns have."""
    if len(keys) == 1:
        return len(pc.unique(*keys.values()))
    begins = np.zeros(len(next(iter(keys.values()))), dtype=bool)
    for column in keys.values():
        begins[run_starts(column)] = True
    columns = {name: column.filter(pa.array(begins)) for name, column in keys.items()}
    return len(pa.table(columns).group_by(list(keys), use_threads=False).aggregate([]))
