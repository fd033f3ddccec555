"""Collect the lists of documents and turn them into `Rows`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.meaning.fields import NAMES, plain
from kp_core.reading.open.json_table import shown
from kp_core.reading.open.values import HALF_A_CHARACTER, Rejected, column_of, is_number, number, text_column
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import BORDER, CONCEPT_NAMES, PHRASE_NAMES, SCORE_NAMES, Shape, pick, text_of
from kp_core.typeset import storable

#: An entity of HTML or XML, whose semicolon is no separator.
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#[0-9]{1,6}|#x[0-9A-Fa-f]{1,5});")
#: Bullets and numbers before the items of a typed list.
BULLET = r"(?:[•▪◦‣·*–-]|[0-9]{1,2}[.)])\s+"
_BULLET, _BOLD = re.compile(BULLET), re.compile(r"^\*\*(.+)\*\*$")
#: The end of a sentence of several words.
_SENTENCE = re.compile(r"\w\W+\w+\W+\w+[.!?]\s*$")
_BORDERS = Note("info", "lists", f"Marks `{BORDER}` between present and absent keyphrases were left out.")


def document_rows(
    columns: Mapping[str, Sequence[str | None]], lines: Sequence[int] | None = None, files: Sequence[str] | None = None
) -> Rows:
    """Return documents as rows, given `doc_id` and further columns; rows with lone surrogates are marked."""
    arrays = {name: text_column(values) for name, values in columns.items()}
    marked = {row: HALF_A_CHARACTER for _, surrogates in arrays.values() for row in surrogates}
    table = pa.table({name: array for name, (array, _) in arrays.items()})
    return Rows("documents", table, len(table), lines, files, marked=marked)


def bare_items(items: list[str]) -> list[str]:
    """Remove bullets, or numbers from 1 on, from the items of a list, and blank an introduction or closing sentence.

    >>> bare_items(["1. tide", "2. sea"]), bare_items(["1. FC Union"]), bare_items(["- a", "b"])
    (['tide', 'sea'], ['1. FC Union'], ['- a', 'b'])
    >>> bare_items(["Keyphrases:", "• tide", "• sea", "Let me know if you need more."])
    ['', 'tide', 'sea', '']
    """
    indices = [index for index, item in enumerate(items) if item.strip()]
    if len(indices) > 1 and items[indices[0]].rstrip().endswith(":"):
        indices = indices[1:]
    if len(indices) > 2 and _SENTENCE.search(items[indices[-1]]) and not _BULLET.match(items[indices[-1]]):
        indices.pop()
    bare = {index: _BULLET.sub("", items[index]) for index in indices}
    numbers = [int(match[0]) for index in indices if (match := re.match("[0-9]+", items[index]))]
    listed = len(items) > 1 and bool(indices) and all(len(item) < len(items[index]) for index, item in bare.items())
    if not listed or (numbers and numbers != list(range(1, len(indices) + 1))):
        return items
    if all(map(_BOLD.match, bare.values())):
        bare = {index: _BOLD.sub(r"\1", item) for index, item in bare.items()}
    return [bare.get(index, "") for index in range(len(items))]


class ListBuilder:
    """Collector of lists, which `rows` returns as columns; phrases may have scores, variants and other columns.

    * `amount`: the column of numbers given with phrases: grades in a gold standard, else scores
    * `notes`: notes on the files
    * `rejected`: rows that belong to no list
    * `blank`: number of blank rows
    """

    def __init__(self, role: Role, limits: Limits = LIMITS) -> None:
        self.role, self.limits, self.amount = role, limits, "relevance" if role == "gold" else "score"
        self.notes, self.rejected, self.blank = list[Note](), list[Rejected](), 0
        self._heads: list[tuple[str | None, str, str, int]] = []
        self._lengths: list[int] = []
        self._phrases: list[str] = []
        self._lines: list[int] = []
        self._marked: dict[int, str] = {}
        self._columns: dict[str, dict[int, Any]] = {}

    def say(self, level: Literal["info", "warning"], file: str, message: str) -> None:
        """Add a note on a file."""
        self.notes.append(Note(level, file, message))

    def open(self, doc_id: str, *, file: str, line: int, source: str | None = None) -> None:
        """Begin the list of a document, to which subsequent phrases are added."""
        # Ids are repeated for each phrase, so an id over the limit is truncated.
        self._heads.append((source, doc_id[: self.limits.id_characters + 1], file, line))
        self._lengths.append(0)

    def add(self, phrase: str, *, line: int | None = None, reject: str = "", **extra: Any) -> None:
        """Add a phrase to the open list; `reject` is the reason for rejecting it, if any."""
        row = len(self._phrases)
        if reject:
            self._marked[row] = reject
        for name, value in extra.items():
            self._columns.setdefault(name, {})[row] = value
        self.extend([phrase], line)

    def add_spellings(self, spellings: Sequence[str]) -> None:
        """Add a keyphrase with one or several spellings."""
        extra: dict[str, Any] = {"variants": tuple(spellings)} if len(spellings) > 1 else {}
        self.add(spellings[0], **extra)

    def extend(self, phrases: Sequence[str], line: int | None = None) -> None:
        """Add plain phrases to the open list."""
        self._refuse_long_lists(len(phrases))
        self._phrases.extend(phrases)
        self._lines.extend([self._heads[-1][3] if line is None else line] * len(phrases))
        self._lengths[-1] += len(phrases)

    def pieces(self, text: str, separator: str = ";") -> list[str]:
        """Return the phrases in a string, without `Keywords:` before them, and with HTML entities decoded.

        Empty ones are counted as blank, except one after the last separator.
        """
        self._refuse_long_lists(text.count(separator))
        head, colon, rest = text.partition(":")
        text = rest if colon and rest.strip() and plain(head) in NAMES["phrases"] else text
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text) if "&" in text else text
        pieces = [piece.strip() for piece in text.split(separator)]
        if len(pieces) > 1 and not pieces[-1]:
            pieces.pop()
        nonempty = list(filter(None, bare_items(pieces)))
        self.blank += len(pieces) - len(nonempty) if nonempty or len(pieces) > 1 else 0
        return nonempty

    def _refuse_long_lists(self, extra: int) -> None:
        size, rows = self._lengths[-1] + extra, len(self._phrases) + extra
        if size > self.limits.list_phrases or rows > self.limits.rows:
            _, doc_id, file, _ = self._heads[-1]
            refuse_over(self.limits.list_phrases, size, "phrases", file, f"a list for “{storable(doc_id[:60])}”")
            refuse_over(self.limits.rows, rows, "rows", file)

    def rows(self) -> Rows:
        """Return all lists as columns."""
        sources, doc_ids, files, lines = zip(*self._heads, strict=True) if self._heads else ((), (), (), ())
        ids, bad_ids = text_column(doc_ids)
        names, _ = text_column([None if source is None else storable(source) for source in sources])
        of_row = np.repeat(np.arange(len(self._heads)), self._lengths)
        # Repeating long ids could take gigabytes.
        repeated = int(np.dot(pc.binary_length(ids).to_numpy(), self._lengths)) if len(ids) else 0
        refuse_over(self.limits.unpacked_bytes, repeated, "bytes of ids, one per phrase", "".join(files[:1]), "a table")
        phrases, surrogates = text_column(self._phrases)
        surrogates += np.flatnonzero(np.isin(of_row, bad_ids)).tolist()
        columns = {"doc_id": ids.take(pa.array(of_row)), "phrase": phrases, "list": pa.array(of_row)}
        if names.null_count < len(names):
            columns["source"] = names.take(pa.array(of_row))
        for name, values in self._columns.items():
            columns[name], surrogates_in_column = column_of([values.get(row) for row in range(len(phrases))])
            surrogates += surrogates_in_column
        marked = self._marked | dict.fromkeys(surrogates, HALF_A_CHARACTER)
        lists = pd.DataFrame({"source": names.to_pandas(), "doc_id": ids.to_pandas(), "file": files, "line": lines})
        lists = lists.assign(length=self._lengths).drop(index=bad_ids)
        places = np.array(files, dtype=object)[of_row] if len(set(files)) > 1 else None
        extra = (self._lines, places, lists, marked, self.rejected, self.notes, self.blank)
        return Rows(self.role, pa.table(columns), len(phrases) + len(self.rejected) + self.blank, *extra)


def add_list(builder: ListBuilder, value: Any, shape: Shape = "phrases") -> None:
    """Add the phrases of one document to the open list; `null` in it counts as blank."""
    items = builder.pieces(value) if isinstance(value, str) else value
    items = list(items.items()) if isinstance(items, Mapping) else items
    if not isinstance(items, (list, tuple)):
        if items is not None:
            builder.add(shown(items), reject="no list")
        return
    filled = [item for item in items if item is not None]
    builder.blank += len(items) - len(filled)
    plain = all(type(item) is str for item in filled)
    if BORDER in "\n".join(filled) if plain else any(item in (BORDER, [BORDER]) for item in filled):
        # The whole list may be one string.
        pieces = [builder.pieces(item) if plain and BORDER in item else [item] for item in filled]
        filled = [item for piece in pieces for item in piece if item not in (BORDER, [BORDER])]
        builder.notes += [] if _BORDERS in builder.notes else [_BORDERS]
    if plain and shape == "phrases":
        builder.extend(bare_items(filled))
        return
    for item in filled:
        _add_item(builder, item, shape)


def _add_item(builder: ListBuilder, item: Any, shape: Shape) -> None:
    if isinstance(item, Mapping):
        concept = text_of(pick(item, CONCEPT_NAMES))
        add_scored(builder, pick(item, PHRASE_NAMES), pick(item, SCORE_NAMES), concept)
    elif shape == "scored" and isinstance(item, (list, tuple)) and len(item) == 2:
        first, second = item
        is_swapped = is_number(first) and not isinstance(first, str) and not is_number(second)
        add_scored(builder, *((second, first) if is_swapped else (first, second)))
    elif isinstance(item, (list, tuple)):
        parts = [part for part in item if part is not None]
        builder.blank += len(item) - len(parts)
        spellings = [text.strip() for text in map(text_of, parts) if text is not None and text.strip()]
        if item and not parts:
            return
        if shape == "tokens":
            builder.add(" ".join(spellings), reject="" if spellings else "an empty phrase")
        elif len(spellings) != len(parts) or not spellings:
            builder.add(shown(parts), reject="an entry with an empty or missing spelling")
        else:
            builder.add_spellings(spellings)
    else:
        text = text_of(item)
        builder.add(shown(item) if text is None else text, reject="no text" if text is None else "")


def add_scored(builder: ListBuilder, phrase: Any, score: Any, concept: str | None = None) -> None:
    """Add a phrase with its score to the open list; a phrase is rejected if its score is not a number."""
    text = " ".join(filter(None, map(text_of, phrase))) if isinstance(phrase, list) else text_of(phrase)
    extra: dict[str, Any] = {"concept": concept} if concept else {}
    if text is None:
        builder.add(shown(phrase), reject="no phrase")
    elif score is None or is_number(score):
        builder.add(text, **({} if score is None else {builder.amount: number(score)}) | extra)
    else:
        builder.add(text, reject=f"{builder.amount} is not a finite number: {shown(score)[:40]}")
