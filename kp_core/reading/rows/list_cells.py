"""Split cells with lists into the phrases of each row, with their scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, flatten
from kp_core.errors import Note
from kp_core.reading.limits import Limits
from kp_core.reading.lists.list_builder import BULLET, ListBuilder, add_list, add_scored
from kp_core.reading.meaning.fields import plain
from kp_core.reading.meaning.layout import Layout
from kp_core.reading.meaning.mapping import MARKS
from kp_core.reading.meaning.shapes import BORDER, Shape, shape_of
from kp_core.reading.open.table import holds_lists, holds_lists_of_texts
from kp_core.reading.open.values import byte_lengths, is_number, repeated
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import cell_separator, json_list, number_behind

#: Cells that mean an empty list.
_NOTHING = {"nan", "-", "–", "—", "/", "n/a", "k.a.", "k. a.", "none", "keine", "aucun", "ninguno", "nessuno"}
#: First characters of lists in JSON, Python, NumPy or R.
_OPENS = ("[", "{", "(", "a", "c", "n", "N")


class ListCells:
    """The cells of a column with one list per row, as text and as lists.

    separator  separator of phrases in texts, a name of `SEPARATORS`
    items      the list of each row, None if its cell is text
    missing    rows without a list
    scores     the scores of the items of each row
    texts      the text of each row, to which the offsets of spans refer
    """

    cells: list[Any]
    items: list[Any]
    shape: Shape

    def __init__(self, layout: Layout, names: Sequence[str]) -> None:
        table, name = layout.table, names[0]
        self.separator = "" if layout.cells == "tokens" else layout.cells
        self.separator = self.separator or cell_separator(table, name, sum(layout.sources.values(), ()))
        self.missing, self.texts = [False] * len(table), list[str]()
        self.nothing = Counter[str]()
        self.scores = parallel(layout) if len(names) == 1 else None
        if len(names) > 1:
            mark = MARKS.get(self.separator, ";") if layout.united else ""
            self.cells = list(zip(*(table.column(part).to_pylist() for part in names), strict=True))
            self.items = [_joined(row, mark) for row in self.cells]
            self.separator, self.shape, self.has_lists = "none", "phrases", True
            return
        column = table.column(name)
        if table.nulls:
            self.missing = column.is_null().to_pylist()
        if holds_lists(column):
            self.cells = column.to_pylist()
            self.items = [[] if cell is None else cell for cell in self.cells]
        else:
            self.cells = table.texts(name).to_pylist()
            may_be = self.separator == "json" or table.nulls
            self.items = [json_list(cell) if may_be and cell.lstrip()[:1] in _OPENS else None for cell in self.cells]
        if self.separator == "spans":
            text = layout.columns.get("text")
            self.texts = [""] * len(table) if text is None else table.texts(text).to_pylist()
            self.items = [None] * len(table)
        self.shape = _shape(layout, name, self.items, scored=self.scores is not None)
        self.has_lists = any(items is not None for items in self.items)

    def add(self, builder: ListBuilder, row: int) -> None:
        """Add the phrases of a row to the open list."""
        cell, items = self.cells[row], self.items[row]
        if items is not None:
            self._add_items(builder, items, self.scores[row] if self.scores else None)
        elif self.separator == "spans":
            builder.extend(marked(cell, self.texts[row]))
        elif cell.strip().lower() in _NOTHING:
            self.nothing[cell.strip()] += 1
        elif self.has_lists and is_number(cell):
            builder.add(cell[:200], reject="no list")
        else:
            self._split(builder, cell)

    def _split(self, builder: ListBuilder, cell: str) -> None:
        mark = MARKS.get(self.separator, ";")
        if self.shape == "scored":
            for piece in builder.pieces(cell, mark):
                phrase, score = number_behind(piece)
                add_scored(builder, phrase, score or None)
        elif BORDER in cell:
            add_list(builder, builder.pieces(cell, mark))
        elif self.separator in MARKS:
            builder.extend(builder.pieces(cell, mark))
        elif self.separator == "uris":
            for uri in re.findall(r"<([^<>\s]+)>", cell):
                builder.add(uri, concept=uri)
        elif self.separator == "tags":
            builder.extend(re.findall(r"#([^#\s]+)", cell))
        elif self.separator == "none":
            builder.extend([cell] if cell.strip() else [])
        elif cell.strip():
            builder.add(cell[:200], reject="no JSON list")

    def _add_items(self, builder: ListBuilder, items: Any, scores: Any) -> None:
        if not isinstance(scores, list) or not isinstance(items, list):
            add_list(builder, items, self.shape)
            return
        for phrase, score in zip_longest(items, scores[: len(items)], fillvalue="missing"):
            if phrase is None:
                builder.skip()
            else:
                add_scored(builder, phrase, score)

    def notes(self, file: str, name: str) -> Iterator[Note]:
        """Yield notes on how cells were split, and on empty cells."""
        texts = [cell for cell, items in zip(self.cells, self.items, strict=True) if items is None]
        others = [cell for cell in texts if self.separator not in cell and re.search("[,，、|]", cell)]
        if self.separator in (";", "；") and 4 * len(others) > len(self.cells):
            shown = f"{len(others):,}, “{others[0][:60]}”"
            message = f"Cells of “{name}” without `{self.separator}` were kept as one phrase: {shown}."
            yield Note("warning", file, message)
        for mark, count in self.nothing.items():
            message = f"Cells of “{name}” with “{mark}” were read as empty: {count:,}."
            yield Note("info", file, message)


def rows_at_once(layout: Layout, role: Role, sources: Mapping[str, tuple[str, ...]]) -> Rows | None:
    """Return the rows of a column of lists of texts without a loop; None if some row needs special treatment."""
    table, names, owner = layout.table, sum(sources.values(), ()), layout.source_column()
    column, plain_lists = table.column(names[0]), layout.mapping.inner in ("", "phrases") and layout.cells != "tokens"
    if len(names) > 1 or not plain_lists or parallel(layout) is not None or not holds_lists_of_texts(column):
        return None
    present, ids = column.is_valid(), layout.ids()
    if pc.any(pc.equal(pc.utf8_trim_whitespace(ids), "")).as_py():
        return None
    ids, lists = ids.filter(present), flatten(column.filter(present))
    phrases, lengths = pc.list_flatten(lists), pc.list_value_length(lists).to_numpy()
    if _need_a_look(ids, phrases, lengths, table.limits):
        return None
    lines, of_row = table.line_numbers()[present.to_numpy()], pa.array(np.repeat(np.arange(len(ids)), lengths))
    data: dict[str, Any] = {"doc_id": ids.take(of_row), "phrase": phrases, "list": of_row}
    heads: dict[str, Any] = {"source": None, "doc_id": ids.to_pandas(), "file": table.file, "line": lines}
    if owner is not None or (whose := next(iter(sources)) or layout.source):
        owners = repeated(whose, len(ids)) if owner is None else table.texts(owner).filter(present)
        data["source"], heads["source"] = owners.take(of_row), owners.to_pandas()
    listed = pd.DataFrame(heads).assign(length=lengths)
    return Rows(role, pa.table(data), len(phrases), np.repeat(lines, lengths), lists=listed)


def _need_a_look(ids: pa.ChunkedArray, phrases: pa.Array, lengths: npt.NDArray[np.int64], limits: Limits) -> bool:
    sizes = byte_lengths(ids)
    large = lengths.max(initial=0) > limits.list_phrases or len(phrases) > limits.rows
    large = large or sizes.max(initial=0) > limits.id_characters or int(sizes @ lengths) > limits.unpacked_bytes
    first = phrases.take(pa.array((np.cumsum(lengths) - lengths)[lengths > 0]))
    marked = pc.any(pc.match_substring_regex(first, f"^{BULLET}")).as_py()
    marked = marked or pc.any(pc.match_substring(phrases, BORDER)).as_py()
    return bool(large or phrases.null_count or marked or not len(ids))


def _joined(row: Sequence[Any], mark: str) -> list[Any]:
    """Return the cells of several columns as one list, texts split at the separator, if any."""
    items: list[Any] = []
    for cell in row:
        is_list = isinstance(cell, str) and cell.lstrip()[:1] == "["
        value = (json_list(cell) or cell) if is_list else [] if cell is None else cell
        parts = value if isinstance(value, list) else str(value).split(mark) if mark else [str(value)]
        items += [part for part in parts if not isinstance(part, str) or part.strip()]
    return items


def parallel(layout: Layout) -> list[Any] | None:
    """Return the lists of scores next to the lists of phrases of systems, or None."""
    table, name = layout.table, layout.columns.get("score", "score")
    if name not in table.names or layout.role == "gold":
        return None
    if holds_lists(table.column(name)):
        return list(table.column(name).to_pylist())
    lists = [json_list(cell) for cell in table.texts(name).to_pylist()]
    return lists if any(items is not None for items in lists) else None


def _shape(layout: Layout, name: str, items: Sequence[Any], *, scored: bool) -> Shape:
    """Return the meaning of inner lists; lists of strings next to scores are tokens."""
    if layout.mapping.inner or layout.cells == "tokens":
        return cast(Shape, layout.mapping.inner or "tokens")
    shape, _ = shape_of([value for value in items if value is not None]) or ("phrases", "")
    programmed = plain(name) == "keyphrases" and name != name.lower()  # keyphraseTokens
    return "tokens" if shape == "variants" and (scored or programmed) else shape


def marked(cell: str, text: str) -> list[str]:
    """Return the spans or choices in the JSON of a cell; any other cell is one phrase.

    >>> marked('[{"start": 4, "end": 8}]', "The tide"), marked('{"choices": ["tide", "sea"]}', ""), marked("sea", "")
    (['tide'], ['tide', 'sea'], ['sea'])
    """
    items: Any = json_list(cell) if cell.strip() else []
    if items and all(isinstance(item, list) and len(item) == 2 for item in items):  # an object
        items = next((values for key, values in items if key == "choices" and isinstance(values, list)), None)
    if items is None:
        return [cell]
    spans = [item for item in items if isinstance(item, dict)]
    phrases = [item.get("text") or text[item.get("start", 0) : item.get("end", 0)] for item in spans]
    return list(dict.fromkeys(filter(None, phrases or map(str, items))))
