"""Find the layouts that a table allows: which column plays which role, each with a score by what it explains."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import counted
from kp_core.reading.family import Choice
from kp_core.reading.fields import (
    BESIDES,
    GOLD_WORDS,
    IDENTIFIERS,
    JUDGE,
    KNOWN,
    LANGUAGES,
    NAMES,
    NO_IDS,
    NO_PHRASES,
    PEOPLE,
    SYSTEMS,
    WRITERS,
    base_of,
    find_roles,
    is_gold,
    is_predicted,
    number_of,
    plain,
    record_phrases,
    source_of,
    told,
)
from kp_core.reading.shapes import are_scored
from kp_core.reading.table import Table
from kp_core.reading.values import floats, is_number

_LISTS = ("concept", "phrase", "phrases")
_TEXTS = ("doc_id", "text", "title", "group")
_ROLES: dict[str, tuple[str, ...]] = {
    "gold": ("doc_id", "annotator", "relevance", "votes", *_LISTS, "title", "text", "group"),
    "system": ("doc_id", "system", "rank", "score", "relevance", *_LISTS, "title", "text"),
    "documents": _TEXTS,
    "judgements": ("doc_id", "system", "rank", "relevance", "annotator", *_LISTS),
}
#: How sure a layout is. At least three known heads are clear, fewer are less so; where the rows are the documents, a
#: column of ids may have been overlooked. Without a header content alone speaks, which is just plausible. What is
#: doubtful is only offered. Heads of judged pairs mean nothing else.
_PAIRS, _CLEAR, _WIDE, _COUNTED, _NAMED, _BY_CONTENT, _DOUBTFUL = 0.97, 0.94, 0.9, 0.86, 0.85, 0.5, 0.45
#: What stands in cells that only say whether somebody chose a phrase.
_NO = {"0", "no", "n", "nein", "non", "false", "✗"}
_MARKED = {"1", "x", "yes", "y", "ja", "j", "oui", "si", "sì", "true", "✓"} | _NO
#: Columns whose names say how rows are judged or ordered; such a table is about phrases.
_TELLING = ("doc_id", "rank", "score", "system", "annotator", "relevance", "votes", "phrase", "phrases")
_LONG_TEXT = 200
#: Cells of a column that are looked at to tell what it holds.
_SAMPLE = 1000
#: In so many rows people and systems have some keyphrase in common.
_TELLING_ROWS = 10
PAIR = ("pair_id", "doc_id", "keyphrase", "candidate")
#: What stands between the phrases of a cell, by the names of these separators, the most certain first. The last ones
#: stand within phrases as well, so most cells must hold them.
MARKS = {
    ";": ";",
    "；": "；",
    "lines": "\n",
    "|": "|",
    "•": "•",
    "、": "、",
    ",": ",",
    "，": "，",
    "/": " / ",
    "·": " · ",
    "-": " - ",
    "–": " – ",
}
_RARE = ("/", "·", "-", "–")
#: Separators of list cells and how the evidence tells them.
SEPARATORS = {name: f"phrases are split at `{name}`" for name in MARKS} | {
    "lines": "each line of a cell is a phrase",
    "json": "cells are lists in JSON or Python",
    "uris": "cells are addresses (URIs) between `<` and `>`",
    "tags": "cells are words behind `#`",
    "lists": "cells are lists",
    "none": "each cell is one phrase",
}
#: Ends of the heads of questions about documents.
_ABOUT = re.compile(
    r"(?i)(?:^|\W)(?:texte?|texto|testo|tekst|doc(?:ument)?|dokument|documento|abstract|article|artikel|paper)$"
)
#: A date, with a time or without.
_MOMENT = re.compile(r"\s*\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T]\d{1,2}:\d\d[\d:.]*( ?[AP]M)?)?Z?\s*$", re.IGNORECASE)
#: So many rows must be lists of their own where some document stands there twice.
_FEW_TWICE = 0.6
_WHOLE = {
    "json": r"^\s*(\[.*\]|\{.*\}|c?\(\s*['\"].*\))\s*$",
    "uris": r"^\s*(<[^<>\s]+>\s*)+$",
    "tags": r"^\s*(#[^#\s;,|]+\s+)*#[^#\s;,|]+\s*$",
}


def phrases_in(columns: Mapping[str, str]) -> str | None:
    """Return which of some columns holds phrases, or lists of them."""
    return columns.get("phrase") or columns.get("phrases")


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are to be read.

    columns  role → column
    sources  for a column or several an annotator or system: its name (empty: not told) → its columns
    cells    how a cell is split into phrases, a key of `SEPARATORS`; empty where it is one phrase; of judged pairs
             the scale that was chosen
    numbered whether the rows themselves are the documents, 1, 2, …
    source   the annotator or system of all rows, where the sheet is named after it
    """

    kind: Literal["long", "lists", "wide", "documents", "judged"]
    table: Table
    role: Role
    columns: dict[str, str]
    score: float
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cells: str = ""
    numbered: bool = False
    source: str = ""
    role_sure: bool = True
    evidence: str = ""

    @property
    def phrases(self) -> str:
        """The column of phrases, or of lists of them."""
        return phrases_in(self.columns) or ""

    def source_column(self) -> str | None:
        """Return the column that names the annotator or system of a row."""
        return self.columns.get("annotator" if self.role == "gold" else "system", self.columns.get("source"))

    def ids(self) -> pa.ChunkedArray:
        """Return the document of every row."""
        return self.table.numbers() if self.numbered else self.table.texts(self.columns["doc_id"])


@dataclass(frozen=True)
class _Profile:
    """What the first cells of a column are, without blanks: shares of them, and mean sizes of their items."""

    cells: Sequence[str]
    numbers: float = 0
    lists: float = 1
    words: float = 1
    characters: float = 1
    varied: float = 1

    @property
    def phrases(self) -> bool:
        """Whether the items can be keyphrases."""
        worded = self.numbers < 0.5 and not all(map(_MOMENT.match, self.cells))
        return len(self.cells) > 0 and worded and self.words <= 5 and self.characters <= 50

    @property
    def addresses(self) -> bool:
        """Whether each cell is one address of the web."""
        return all(re.fullmatch(r"(https?://|www\.)\S+", cell) for cell in self.cells)

    @property
    def ids(self) -> bool:
        """Whether the cells can be ids: no decimal numbers, no lists, no sentences, no addresses of concepts."""
        if self.cells and all(re.match(_WHOLE["uris"], cell) for cell in self.cells):
            return False
        decimals = sum(is_number(cell) and bool(re.search(r"[.,]\d", cell)) for cell in self.cells)
        short = self.words <= 6 and self.characters <= 80
        return decimals * 2 <= len(self.cells) and short and self.lists < 0.5


def _profile(table: Table, name: str) -> _Profile:
    """Return what a column is, looked at once a table."""
    if name not in table.seen:
        table.seen[name] = _looked_at(table, name)
    return cast(_Profile, table.seen[name])


def _looked_at(table: Table, name: str) -> _Profile:
    cells = _cells(table, name)
    if pa.types.is_nested(table.column(name).type):
        return _Profile(cells)
    pattern = r"[;|\n]" if any(re.search(r"[;|\n]", cell) for cell in cells) else ","
    items = [item.strip() for cell in cells for item in re.split(pattern, cell) if item.strip()]
    size, parts = max(len(cells), 1), max(len(items), 1)
    return _Profile(
        cells,
        sum(map(is_number, cells)) / size,
        sum(bool(re.search(rf"{pattern}|^\[.*\]$", cell)) for cell in cells) / size,
        sum(len(item.split()) for item in items) / parts,
        sum(map(len, items)) / parts,
        len(set(cells)) / size,
    )


def _cells(table: Table, name: str) -> list[str]:
    """Return the first cells of a column that are not blank, trimmed."""
    return list(filter(None, map(str.strip, table.texts(name).slice(0, _SAMPLE).to_pylist())))


def layout_of(table: Table, role: Role | None, choice: Choice) -> Layout | None:
    """Return the likeliest layout of a table; None if no phrases, no texts, or no documents can be found."""
    if not table.names:
        return None
    table = table.without(choice.several("ignore"))
    asked = choice.role or role
    if asked in (None, "judgements") and (judged := _of_pairs(table, choice)) is not None:
        return judged
    guessed = asked or _guess_role(table)
    found = _of_texts(table, choice) if guessed == "documents" else _of_phrases(table, guessed or "gold", choice)
    return found and replace(found, role_sure=guessed is not None)


def _guess_role(table: Table) -> Role | None:
    """Tell by the names of the columns and their content what a table is; None for phrases of anybody."""
    found = _found_roles(table, _TELLING, Choice())
    if table.header and not phrases_in(found):
        lists = [name for names in _columns_by_source(table, found, Choice()).values() for name in names]
        predicted = [name for name in lists or table.names if is_predicted(name) and _profile(table, name).phrases]
        if predicted and predicted == (lists or predicted):
            return "system"
        if {"rank", "score"} & set(found):
            return "system"
        if not lists and _only_list(table, found) is None:
            long = any(is_long(table, name, _LONG_TEXT) for name in table.names)
            texts = find_roles(table.names, _TEXTS)
            once = "doc_id" not in texts or _profile(table, texts["doc_id"]).varied == 1
            return "documents" if long or (once and ("text" in texts or {"doc_id", "title"} <= set(texts))) else None
    name = phrases_in(found)
    scored = name in list_columns(table) and are_scored(table.column(name).slice(0, _SAMPLE).to_pylist())
    ranked = {"rank", "score"} & set(found) and name not in _whole_lists(table, table.names)
    if scored or ranked or "system" in found or plain(name or "") in NAMES["predictions"]:
        return "system"
    return "gold" if {"annotator", "relevance", "votes"} & set(found) else None


def _found_roles(table: Table, roles: Iterable[str], choice: Choice) -> dict[str, str]:
    """Return role → column by the names of the columns; one list of keyphrases of a kind is that of the table."""
    columns, records = find_roles(table.names, roles, choice.columns), _record_columns(table)
    if records and not set(choice.columns) & {"phrase", "phrases"}:
        columns = {role: name for role, name in columns.items() if role not in ("phrase", "phrases")}
    whole = _whole_lists(table, table.names)
    if "phrase" not in columns:  # else a name may hold what parts phrases elsewhere
        people = ("annotator", "system")
        columns = {role: name for role, name in columns.items() if role not in people or name not in whole}
    lists = [name for name in whole if name not in columns.values()]
    alone = records or [name for name in lists if source_of(name) != base_of(name) and table.header]
    if len(alone) == 1 and len(_worded(table)) < 2 and (records or lists == alone) and not phrases_in(columns):
        columns["phrase" if plain(alone[0]) in NAMES["phrase"] and alone[0] not in whole else "phrases"] = alone[0]
    return columns


def _worded(table: Table) -> list[str]:
    """Return the columns whose heads say whose keyphrases they are, such as “Keywords Anna”, without numbered ones."""
    heads = [name for name in table.names if number_of(name) is None and plain(name) not in KNOWN | BESIDES]
    worded = [name for name in heads if source_of(name) != base_of(name) and _profile(table, name).phrases]
    return worded if table.header else []


def _whole_lists(table: Table, names: Iterable[str]) -> list[str]:
    """Return the columns whose cells are lists; of numbered columns with one head, all or none."""
    lists = [name for name in names if _profile(table, name).lists >= 0.5]
    series = [[name for name in names if base_of(name) == base] for base in set(map(base_of, lists))]
    single = {name for own in series if 2 * sum(name in lists for name in own) < len(own) for name in own}
    return [name for name in lists if name not in single]


def _only_list(table: Table, columns: dict[str, str]) -> str | None:
    """Return the column of lists under a head that nobody knows, if there is just one."""
    lists = [name for name in _whole_lists(table, table.names) if _profile(table, name).phrases]
    lists = [name for name in lists if name not in columns.values() and plain(name) not in NO_PHRASES]
    return lists[0] if table.header and len(lists) == 1 else None


def _record_columns(table: Table) -> list[str]:
    """Return the columns of keyphrases in a table of records of a catalogue; none where the table is another one."""
    if not table.header:
        return []
    found = [name for name in record_phrases(table.names) if _profile(table, name).phrases]
    whole = _whole_lists(table, found)
    return [name for name in found if name in whole or plain(name) not in NAMES["phrase"]]


def _of_texts(table: Table, choice: Choice) -> Layout | None:
    columns = _settled(table, "documents", find_roles(table.names, _TEXTS, choice.columns))
    columns = add_by_content(table, columns, ("doc_id", "text"))
    numbered = "doc_id" not in columns
    # Lines of one text each are no documents by themselves: nothing says so.
    if not {"text", "title", "group"} & set(columns) or (numbered and not table.header):
        return None
    evidence = _evidence(table, columns)
    return Layout("documents", table, "documents", columns, _WIDE, numbered=numbered, evidence=evidence)


def _of_phrases(table: Table, role: Role, choice: Choice) -> Layout | None:
    """Return the layout of a table of phrases."""
    columns = _settled(table, role, _found_roles(table, _ROLES[role], choice))
    columns.pop("phrases" if "phrase" in columns else "", "")
    identifiers = [name for name in table.names if plain(name) in IDENTIFIERS and name not in columns.values()]
    if "phrase" in columns and "concept" not in columns and identifiers:
        columns["concept"] = identifiers[0]
    sources = _columns_by_source(table, columns, choice)
    if sources:
        columns = {name: column for name, column in columns.items() if name not in ("phrase", "phrases")}
        return _of_columns(table, role, columns, sources, choice)
    columns = _completed(table, columns, role)
    phrases = phrases_in(columns)
    if phrases is None:
        return None
    columns, proved = _with_people(table, columns, role)
    numbered = choice.options.get("ids") == "rows" or "doc_id" not in columns
    if numbered:
        columns.pop("doc_id", "")
        if role == "gold" and "text" not in columns:
            longest = [name for name in table.names if name != phrases and is_long(table, name, _LONG_TEXT // 4)]
            if longest and longest[0] not in columns.values():
                columns["text"] = longest[0]
        if {"rank", "score"} & set(columns):
            return None  # several rows a list, and nothing that tells them apart
    table, filled = _filled_down(table, columns, choice)
    made = Layout("long", table, role, columns, 0.0, numbered=numbered)
    chosen = "lists" if phrases in list_columns(table) else choice.options.get("cells")
    cells = "" if chosen == "none" else chosen or list_separator(made)
    if numbered and not cells:
        return None
    said = f"; {SEPARATORS.get(cells, cells)}" if cells else ""
    said += "; each row is a document" if numbered else ""
    evidence = _evidence(table, columns) + said + filled
    found = replace(made, kind="lists" if cells else "long", cells=cells, evidence=evidence + _unread(made))
    # Answers of people that name no document may all be about one.
    proved = proved and not _unread(made) and not (numbered and made.source_column() is not None)
    return replace(found, score=min(_score(found), 1 if proved else _DOUBTFUL))


def _with_people(table: Table, columns: dict[str, str], role: Role) -> tuple[dict[str, str], bool]:
    """Add the column under an unknown head that tells whose the rows are, and tell whether that is proved.

    Rows of one document differ in it: each is a list, or says again what another row said. Where everybody has one
    list, each of another document, the people are no annotators.
    """
    ids, phrases = columns.get("doc_id"), phrases_in(columns) or ""
    if not table.header or ids is None or len(table) < 2:
        return columns, True
    lists = phrases in _whole_lists(table, [phrases])
    if role == "gold" and "annotator" in columns and lists:
        once = all(_profile(table, columns[name]).varied == 1 for name in ("annotator", "doc_id"))
        return {part: name for part, name in columns.items() if part != "annotator" or not once}, True
    if {"annotator", "system", "rank", "score"} & set(columns):
        return columns, True
    free = [name for name in table.names if name not in columns.values() and plain(name) not in NO_IDS]
    shapes = {name: _profile(table, name) for name in free}
    free = [name for name, shape in shapes.items() if shape.ids and shape.varied <= 0.5 and not shape.numbers]
    said = {name: table.texts(name) for name in ((ids,) if lists else (ids, phrases))}
    if not free or _count_distinct(said) == len(table):
        return columns, True
    apart = [name for name in free if _count_distinct({**said, name: table.texts(name)}) == len(table)]
    if not apart:
        return columns, True
    proved = lists and not {plain(cell) for cell in _cells(table, apart[0])} <= LANGUAGES
    return columns | {"annotator" if role == "gold" else "system": apart[0]}, proved


def _score(layout: Layout) -> float:
    """Return how sure a layout is: by the names of the columns, less where their content says otherwise."""
    table, columns = layout.table, layout.columns
    known = sum(plain(name) in KNOWN for name in table.names)
    score = _BY_CONTENT if not table.header else _CLEAR if known >= 3 else _NAMED
    if layout.numbered:
        score = min(score, _COUNTED)
    named = {role for role, name in columns.items() if plain(name) in NAMES.get(role, ())}
    if "doc_id" in columns and "doc_id" not in named and not _profile(table, columns["doc_id"]).ids:
        score *= 0.4
    if not named & {"phrase", "phrases"} and layout.kind != "wide":
        phrases = _profile(table, layout.phrases)
        score *= 1 if phrases.phrases or not phrases.cells else 0.6
    return score


def _unread(layout: Layout) -> str:
    """Name columns that say of each phrase who chose it, which no layout reads, and further lists of keyphrases."""
    table, columns = layout.table, layout.columns
    if not table.splits or layout.source_column() is not None or len(table) < 2:
        return ""
    free = [name for name in table.names if name not in columns.values()]
    if not table.header:  # nothing but content tells columns of words apart
        words = [name for name in free if _profile(table, name).phrases and _profile(table, name).characters > 2]
        return f"; not read: {', '.join(f'“{name}”' for name in words[:5])}" if words else ""
    values = {name: set(map(plain, set(_cells(table, name)))) - {""} for name in free}
    group = columns.get("group", "")
    kinds = values | ({group: set(map(plain, set(_cells(table, group))))} if group else {})
    mixed = [name for name, found in kinds.items() if found & SYSTEMS]
    marks = [name for name in free if values[name] and values[name] <= _MARKED and plain(name) not in BESIDES]
    lists = [name for name in _whole_lists(table, free) if plain(name) not in NO_PHRASES]
    lists = [name for name in lists if _profile(table, name).phrases]
    # Where some rows are marked and others not, the mark says which of the phrases are meant.
    parted = [name for name in marks if values[name] & _NO and values[name] - _NO]
    unread = mixed or lists or (marks if len(marks) > 1 else parted) or _rivals(layout, free)
    shown = ", ".join(f"“{name[:40]}”" for name in unread[:5]) + " …" * (len(unread) > 5)
    return f"; not read: {shown}" if unread else ""


def _rivals(layout: Layout, names: list[str]) -> list[str]:
    """Return the numbers by which the phrases of a system may be meant to be ranked, since the rows have no order."""
    table, ids = layout.table, layout.columns.get("doc_id")
    if layout.role != "system" or ids is None or {"rank", "score"} & set(layout.columns):
        return []
    found = [name for name in names if _profile(table, name).numbers == 1 and plain(name) not in BESIDES]
    groups = pd.Series(table.texts(ids).to_pylist())
    steps = [pd.Series(floats(table.column(name))[0]).groupby(groups).diff() for name in found]
    if any((step.dropna() >= 0).all() or (step.dropna() <= 0).all() for step in steps):
        return []  # the order that the file has
    return found


def _of_columns(
    table: Table, role: Role, columns: dict[str, str], sources: dict[str, tuple[str, ...]], choice: Choice
) -> Layout:
    """Return the layout with one column, or several numbered ones, an annotator or system."""
    used = [name for names in sources.values() for name in names]
    corner = next((part for part in ("annotator", "system") if part in columns and "doc_id" not in columns), "")
    meant = not corner or _are_codes(table, columns[corner])
    if corner and _profile(table, columns[corner]).varied == 1:  # it says what stands beside it, not below
        columns["doc_id"] = columns.pop(corner)
    free = [name for name in table.names if name not in (*used, *columns.values())]
    first = free[0] if free and _can_be_ids(table, free[0]) else ""
    if "doc_id" not in columns and first and (not _record_columns(table) or _are_codes(table, first)):
        columns["doc_id"] = free.pop(0)
    if role == "gold" and "title" not in columns and free and _profile(table, free[0]).words > 2:
        columns["title"] = free[0]
    numbered = "doc_id" not in columns or choice.options.get("ids") == "rows"
    if numbered:
        columns.pop("doc_id", "")
    several = sum(len(names) for names in sources.values()) > len(sources)
    evidence = f"{_evidence(table, columns)}; {_whose(sources, role)}"
    shapes = [_profile(table, name) for name in used]
    lists = sum(shape.lists >= 0.5 for shape in shapes)
    sure = several or lists >= 2 or all(plain(name) in SYSTEMS for name in used)
    across = _lies_across(table, columns, sources)
    predicted = sum(map(is_predicted, used))
    both = 0 < predicted < len(used) and gold_beside(sources) is None  # people and systems
    told = bool(_record_columns(table)) or (sure and not (both or _is_doubtful(table, sources)))
    sure = "phrases_of" in choice.options or (told and meant and not across)
    evidence += "; do the columns stand for documents? Then turn the table first" * across
    score = _DOUBTFUL if not sure or not table.header else _COUNTED if numbered else _WIDE
    table, filled = _filled_down(table, columns, choice)
    cells = choice.options.get("cells", "")
    return Layout("wide", table, role, columns, score, sources, cells, numbered, evidence=evidence + filled)


def _whose(sources: dict[str, tuple[str, ...]], role: Role) -> str:
    """Say whose lists the columns are."""
    if list(sources) == [""]:
        return f"one list in {counted(len(sources['']), 'column')}"
    gold = gold_beside(sources)
    names = [f"“{(source or names[0])[:40]}”" for source, names in sources.items() if names[0] != gold]
    shown = ", ".join(names[:5]) + " …" * (len(names) > 5)
    if gold:
        return f"the gold standard in “{gold}”, systems {shown}"
    numbered = ", each in several numbered columns" if any(len(one) > 1 for one in sources.values()) else ""
    return f"{'annotators' if role == 'gold' else 'systems'} {shown}{numbered}"


def gold_beside(sources: dict[str, tuple[str, ...]]) -> str | None:
    """Return the column of the gold standard beside those of systems; None where all hold what people chose."""
    heads = [names[0] for names in sources.values() if plain(names[0]) not in NAMES["annotator"]]
    gold = [head for head in heads if is_gold(head)]
    systems = [head for head in heads if is_predicted(head) or (head not in gold and source_of(head) == base_of(head))]
    return gold[0] if len(gold) == 1 and len(systems) == len(sources) - 1 > 0 else None


def _columns_by_source(table: Table, columns: dict[str, str], choice: Choice) -> dict[str, tuple[str, ...]]:
    """Return annotator or system → columns, where each has a column of lists or several numbered columns."""
    chosen = [name for name in choice.several("phrases_of") if name in table.names]
    worded = [] if {"phrase", "phrases"} & set(choice.columns) else _worded(table)
    told = chosen or next((names for names in (_record_columns(table), worded) if len(names) > 1), [])
    if told:
        return _grouped(told, _whole_lists(table, told))
    phrases = phrases_in(columns)
    if phrases is None and len(nested := [name for name in list_columns(table) if name not in columns.values()]) >= 2:
        return _grouped(nested, nested)
    if len(again := _repeated(table, columns)) > 1:
        return {"": again}
    gold = phrases is not None and is_gold(phrases)
    if not table.header or (phrases is not None and not gold) or {"rank", "score"} & set(columns):
        return {}
    whole, free = _whole_lists(table, table.names), _free(table, columns)
    # A number behind the word for a person counts people, not the phrases of one of them.
    numbered = [name for name in free if number_of(name) is not None and name not in whole]
    numbered = [name for name in numbered if plain(base_of(name)) not in PEOPLE]
    groups = {source: names for source, names in _grouped(numbered).items() if len(names) >= 2}
    if groups and not gold:
        return groups
    if "doc_id" not in columns and free:
        first = next(iter(free))
        if free[first].lists < 0.5 and free[first].varied > 0.9:  # ids under a head that nobody knows
            del free[first]
    # A column without any list among columns of lists may be a title, unless it repeats as keyphrases do.
    lists = [name for name in free if name in whole]
    if not lists and not all(plain(name) in SYSTEMS for name in free) and "doc_id" not in columns:
        return {}
    wide = [name for name, shape in free.items() if name in lists or shape.lists > 0 or shape.words <= 3]
    if gold:  # the gold standard beside the systems, in one sheet
        predicted = [name for name in table.names if name not in free and is_predicted(name)]
        sure = plain(str(phrases)) in GOLD_WORDS
        beside = [*(name for name in wide if sure or name in lists or plain(name) in SYSTEMS), *predicted]
        return _grouped([str(phrases), *beside], [str(phrases), *beside]) if beside else {}
    return _grouped(wide, wide) if len(wide) >= 2 else {}


def _free(table: Table, columns: dict[str, str]) -> dict[str, _Profile]:
    """Return the columns that may be those of annotators or systems: no other is known to hold something else."""
    # What has a known head a second time is neither an annotator nor a system of that name.
    known = {name for name in table.names if name in columns.values() or plain(name.rstrip("'")) in KNOWN | BESIDES}
    whole = _whole_lists(table, table.names)
    readers = {name for name in whole if plain(name) in NAMES["annotator"] and name not in columns.values()}
    # Authors choose keyphrases where readers do; elsewhere they are those who wrote the document.
    authors = {name for name in table.names if plain(name) in WRITERS}
    known = known - readers if readers else known | authors
    known |= {name for name in table.names if plain(base_of(name)) in IDENTIFIERS}
    free = {name: _profile(table, name) for name in table.names if name not in known}
    return {name: shape for name, shape in free.items() if (shape.phrases and not shape.addresses) or not shape.cells}


def _repeated(table: Table, columns: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of phrases that all have one head; none where cells are lists or rows have more to say."""
    phrases = phrases_in(columns)
    if phrases is None or set(columns) - {"doc_id", "phrase", "phrases", "title", "text", "group"}:
        return ()
    again = tuple(name for name in table.names if name.rstrip("'") == phrases)
    shapes = [_profile(table, name) for name in again]
    alone = all(shape.lists < 0.5 and (shape.phrases or not shape.cells) for shape in shapes)
    once = "doc_id" not in columns or len(pc.unique(table.texts(columns["doc_id"]))) == len(table)
    return again if alone and once else ()


def _grouped(names: Iterable[str], whole: Collection[str] = ()) -> dict[str, tuple[str, ...]]:
    """Group columns by whose keyphrases they hold; a number in the head of a whole list is a part of the name.

    >>> _grouped(["Anna 1", "Anna 2", "Ben 1"]), _grouped(["gpt-3", "Keywords Ben"], ["gpt-3", "Keywords Ben"])
    ({'Anna': ('Anna 1', 'Anna 2'), 'Ben': ('Ben 1',)}, {'gpt-3': ('gpt-3',), 'Ben': ('Keywords Ben',)})
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        source = source_of(name)
        apart = name in whole if number_of(name) is not None else source in found
        if apart or plain(base_of(name)) in PEOPLE:
            source = name.strip()
        found[source] = (*found.get(source, ()), name)
    return found


def _is_doubtful(table: Table, sources: dict[str, tuple[str, ...]]) -> bool:
    """Tell columns that may hold something else: other keyphrases beside the gold standard, or nothing shared.

    People and systems that index the same documents agree now and then, unlike authors or remarks.
    """
    names = [name for columns in sources.values() for name in columns]
    if any(is_gold(name) for name in names):
        others = [name for name in names if not is_gold(name) and not is_predicted(name)]
        meant = any(not is_gold(name) or plain(name) in GOLD_WORDS for name in names if name not in others)
        if any(source_of(name) != base_of(name) for name in others) or (others and not meant):
            return True
    if len(table) < _TELLING_ROWS or any(len(columns) > 1 for columns in sources.values()):
        return False
    items: list[set[tuple[int, str]]] = []
    for name in names:
        cells = enumerate(table.texts(name).slice(0, _SAMPLE).to_pylist())
        items.append({(row, item.strip().lower()) for row, cell in cells for item in re.split(r"[;；,，、•|\n]", cell)})
    said = Counter(item for own in items for item in own if item[1])
    return any(all(said[item] < 2 for item in own) for own in items)


def _lies_across(table: Table, columns: dict[str, str], sources: dict[str, tuple[str, ...]]) -> bool:
    """Tell a table whose columns are the documents: “Keywords for text 1”, or numbers over rows of a few people."""
    rows, used = columns.get("doc_id", columns.get("annotator")), [name for own in sources.values() for name in own]
    if len(used) > 1 and all(number_of(name) is not None and _ABOUT.search(base_of(name)) for name in used):
        return True
    if rows is None:  # d1, d2, d3 over nothing but phrases
        return len(sources) == 1 and "" not in sources and len(used) > 1 and "title" not in columns
    if len(table) > len(used) or {*map(plain, map(base_of, used))} & (PEOPLE | SYSTEMS):
        return False
    numbered = [name for name in used if re.search(r"\d", name)]
    return len(numbered) == len(used) and not any(re.search(r"\d", cell) for cell in table.texts(rows).to_pylist())


def _of_pairs(table: Table, choice: Choice) -> Layout | None:
    """Return the layout of judged pairs: `candidate` beside `keyphrase` or scores of people."""
    if not table.header:
        return None
    columns = find_roles(table.names, (*PAIR, "annotator", "score"), choice.columns)
    free = [name for name in table.names if name not in columns.values()]
    if "keyphrase" in columns and "candidate" not in columns and (beside := find_roles(free, ("phrase",))):
        columns["candidate"] = beside["phrase"]
        free.remove(beside["phrase"])
    chosen = [name for name in choice.several("rater") if name in table.names]
    raters = chosen or [name for name in free if JUDGE.match(name)]
    if "candidate" not in columns or not ("keyphrase" in columns or raters or "score" in columns):
        return None
    if chosen:
        columns.pop("score", "")
    if not raters and "score" not in columns:
        shapes = {name: _profile(table, name) for name in free if plain(name) not in KNOWN}
        raters = [name for name, shape in shapes.items() if shape.cells and shape.numbers > 0.8]
        if not raters:
            return None
    judges: dict[str, tuple[str, ...]] = {}
    for name in raters if "score" not in columns else ():
        judges[found.group(1) if (found := JUDGE.match(name)) else name] = (name,)
    evidence = f"{table.described}; `candidate` stands beside {'`keyphrase`' if 'keyphrase' in columns else 'scores'}"
    scale = choice.options.get("scale", "")
    return Layout("judged", table, "judgements", columns, _PAIRS, judges, scale, evidence=evidence)


def _settled(table: Table, role: Role, columns: dict[str, str]) -> dict[str, str]:
    """Resolve names with two meanings: `document` and a short text or title in many rows may be the id."""
    columns = dict(columns)
    if plain(columns.get("doc_id", "")) == "name" and not _cells(table, columns["doc_id"]):
        del columns["doc_id"]  # a form without names
    phrases = phrases_in(columns)
    for about in ("text", "title") if "doc_id" not in columns else ():
        name = columns.get(about)
        if name is None or is_long(table, name, _LONG_TEXT):
            continue
        shape, document = _profile(table, name), plain(name) == "document"
        once = document or (about == "text" and plain(name) != "text" and "title" not in columns)
        again = document or (phrases is not None and _profile(table, phrases).lists < 0.5)
        if (once and shape.varied > 0.9 and shape.words <= 2) or (again and shape.varied <= 0.9 and shape.ids):
            columns["doc_id"] = columns.pop(about)
            break
    if plain(columns.get("doc_id", "")) == "name" and plain(columns.get("text", "")) in ("text", "document"):
        columns["annotator" if role == "gold" else "system"] = columns.pop("doc_id")
        columns["doc_id"] = columns.pop("text")
    if role == "gold" and "text" in columns and "doc_id" in columns and not is_long(table, columns["text"], 50):
        del columns["text"]
    # Lists under a name such as ID; the head of our own tables is never doubted, since any text may be an id there.
    name = columns.get("doc_id", "doc_id")
    if name != "doc_id" and (_is_partial(table, name) or _share(table.texts(name), ";") >= 0.5):
        del columns["doc_id"]
    return columns


def _completed(table: Table, columns: dict[str, str], role: Role) -> dict[str, str]:
    """Find by content what the names of the columns do not tell."""
    if table.header and phrases_in(columns) and "doc_id" in columns:
        return columns
    if table.header and not {"doc_id", "phrase", "phrases"} & set(columns) and len(list_columns(table)) != 1:
        # A table about something else: any two of its columns could pass for ids and phrases, unless one holds lists.
        if (only := _only_list(table, columns)) is None:
            return columns
        columns = columns | {"phrases": only}
    elif phrases_in(columns) is None and (only := _only_list(table, columns)) is not None:
        columns = columns | {"phrases": only}
    return add_by_content(table, columns, ("doc_id", "phrase", "rank", "source"), role)


def _can_be_ids(table: Table, name: str) -> bool:
    """Tell whether a column can hold ids, by its content and its head."""
    return plain(name) not in NO_IDS and not _is_partial(table, name) and _profile(table, name).ids


def _is_partial(table: Table, name: str) -> bool:
    """Tell a column of DOIs, which not every record has."""
    return plain(name) in ("doi", "di") and len(_cells(table, name)) < min(len(table), _SAMPLE)


def _are_codes(table: Table, name: str) -> bool:
    """Tell whether most cells of a column hold a digit, as ids do and titles do not."""
    cells = table.texts(name).slice(0, _SAMPLE)
    return 2 * (pc.sum(pc.match_substring_regex(cells, r"[0-9]")).as_py() or 0) >= len(cells)


def add_by_content(
    table: Table, columns: dict[str, str], wanted: tuple[str, ...], role: Role = "documents"
) -> dict[str, str]:
    """Add roles that names did not give: phrases are the most varied text, ids come first, few values are a source."""
    lists = [name for name in list_columns(table) if name not in columns.values()]
    alone = len(lists) == 1 and "phrase" in wanted and not phrases_in(columns)
    columns = columns | ({"phrases": lists[0]} if alone else {})
    nested = {name for name in table.names if pa.types.is_nested(table.column(name).type)}
    free = [name for name in table.names if name not in nested and name not in columns.values()]
    if not len(table) or not free:
        return columns
    numeric = {name: floats(table.column(name)) for name in free}
    numbers = [name for name in free if not numeric[name][1].any() and np.isfinite(numeric[name][0]).any()]
    varied = {name: len(pc.unique(table.column(name))) for name in free}
    texts = [name for name in free if name not in numbers]
    if "text" in wanted and "text" not in columns and texts and "title" not in columns:
        columns["text"] = max(texts, key=lambda n: pc.sum(pc.utf8_length(table.texts(n))).as_py() or 0)
    if "phrase" in wanted and not phrases_in(columns):
        others = texts[1:] if "doc_id" not in columns and len(texts) > 1 else texts
        others = [name for name in others if not table.header or plain(name) not in NO_PHRASES]
        if others:
            columns["phrase"] = max(others, key=lambda n: varied[n])
    left = [name for name in free if name not in columns.values()]
    if "doc_id" in wanted and "doc_id" not in columns and left:
        columns |= _doc_id(table, columns, left, numbers, varied, role)
    if table.header or "rank" not in wanted or "doc_id" not in columns:
        return columns
    for name in (name for name in left if name not in columns.values()):
        if name in numbers and role == "system":
            values = numeric[name][0]
            ranks = "rank" not in columns and bool(np.all(np.floor(values) == values) and values.min() >= 1)
            columns.setdefault("rank" if ranks else "score", name)
        elif name in texts and varied[name] * 2 <= len(table):
            columns.setdefault("source", name)
    return columns


def _doc_id(
    table: Table, columns: dict[str, str], left: list[str], numbers: list[str], varied: dict[str, int], role: Role
) -> dict[str, str]:
    """Choose the column of ids: the most varied; numbers only before the phrase, where they cannot be its score."""
    place = table.names.index
    phrase = phrases_in(columns)
    fitting = [name for name in left if _can_be_ids(table, name)]
    worded = [name for name in fitting if name not in numbers]
    # Numbers of the rows go before words such as titles, but not before codes.
    first = [name for name in fitting if name == table.names[0] and name in numbers and varied[name] == len(table)]
    codes = any(_are_codes(table, name) for name in worded)
    free = worded if codes else first or worded or fitting
    before = phrase is None or any(place(name) < place(phrase) for name in free)
    if not free or (not before and len(table.names) == 2):
        return {}
    # Of two columns that vary alike the tidy order decides: system before document, document before annotator.
    sign = 1 if role == "system" else -1
    return {"doc_id": max(free, key=lambda name: (varied[name], sign * place(name)))}


def _filled_down(table: Table, columns: dict[str, str], choice: Choice) -> tuple[Table, str]:
    """Return the table with an id, or an annotator, that stands once above its rows repeated down, and words on it."""
    said = ""
    for role in ("annotator", "system", "doc_id") if len(table) else ():
        if role not in columns:
            continue
        name, blank = columns[role], _is_blank(table, columns[role])
        count = pc.sum(blank).as_py()
        if not count or blank[0].as_py() or not _is_merged(table, columns, role, blank, choice):
            continue
        place, nothing = table.names.index(name), pa.scalar(None, pa.large_string())
        filled = pc.fill_null_forward(pc.if_else(blank, nothing, table.texts(name)))
        table = replace(table, columns=[*table.columns[:place], filled, *table.columns[place + 1 :]])
        said += f"; “{name}” of {counted(count, 'row')} is that of the row above"
    return table, said


def _is_blank(table: Table, name: str) -> pa.ChunkedArray:
    return pc.equal(pc.utf8_trim_whitespace(table.texts(name)), "")


def _is_merged(table: Table, columns: dict[str, str], role: str, blank: pa.ChunkedArray, choice: Choice) -> bool:
    """Tell whether blank cells belong to the cell above: it stands once, over all of its rows."""
    if "fill_down" in choice.options:
        return choice.options["fill_down"] == "yes"
    share = pc.sum(blank).as_py() / len(table)
    if role != "doc_id":  # a missing annotator may stand for the name of the file; a merged cell spans most rows
        under = "doc_id" in columns and pc.all(pc.or_(pc.invert(blank), _is_blank(table, columns["doc_id"]))).as_py()
        return share >= 0.5 or bool(under)
    source, phrases = columns.get("annotator", columns.get("system")), phrases_in(columns)
    if source is None and phrases is not None and _profile(table, phrases).lists >= 0.5:
        return False  # a list without an id is an error
    heads = table.rows(pc.invert(blank))
    keys = {name: heads.texts(name) for name in (columns["doc_id"], source) if name is not None}
    return share >= 0.2 and _count_distinct(keys) == len(heads)


def _count_distinct(keys: Mapping[str, pa.ChunkedArray]) -> int:
    """Return how many different rows some columns have."""
    return len(pa.table(dict(keys)).group_by(list(keys), use_threads=False).aggregate([]))


def is_long(table: Table, name: str, characters: int) -> bool:
    """Tell whether the values of a column are texts: longer on average than phrases can be."""
    column = table.column(name)
    if not (pa.types.is_large_string(column.type) or pa.types.is_string(column.type)) or not len(column):
        return False
    return bool((pc.mean(pc.utf8_length(column.slice(0, _SAMPLE))).as_py() or 0) > characters)


def list_separator(layout: Layout) -> str:
    """Return how the phrase column is split into phrases, or an empty string if a row holds one phrase.

    Cells are lists if no document (of one annotator or system) has two rows and the name or content says so.
    """
    table, columns = layout.table, layout.columns
    name = layout.phrases
    if name in list_columns(table):
        return "lists"
    # A column of variants belongs to one keyphrase a row, as the tidy form writes it.
    alone = _whole_lists(table, [name]) and _profile(table, columns.get("doc_id", name)).varied == 1
    if not table.splits or "variants" in table.names or ({"rank", "score"} & set(columns) and not alone):
        return ""
    lists = _count_lists(layout)
    if lists < len(table):
        # A few documents that stand there twice are no reason to take lists for phrases.
        few = lists >= _FEW_TWICE * len(table)
        return next((mark for mark in ";," if few and _share(table.texts(name), mark) >= 0.5), "")
    return cell_separator(table, name, certain="phrases" in columns)


def cell_separator(table: Table, name: str, *, certain: bool = True) -> str:
    """Return how the cells of a column are split; certain: they are lists, which single phrases do not disprove."""
    if name in list_columns(table):
        return "lists"
    texts = table.texts(name)
    filled = texts.filter(pc.not_equal(texts, ""))
    for separator, pattern in _WHOLE.items():
        begins = len(filled) and re.search(pattern, filled[0].as_py())
        if begins and pc.all(pc.match_substring_regex(filled, pattern)).as_py():
            return separator
    shares = {name: _share(filled, mark) for name, mark in MARKS.items()}
    return common_mark(shares, certain=certain) or (";" if certain else "")


def common_mark(shares: Mapping[str, float], *, certain: bool) -> str:
    """Return what stands between phrases, by the share of the cells that hold each of `MARKS`; empty if nothing does.

    >>> common_mark({";": 0.0, "|": 0.6}, certain=False), common_mark({",": 0.1}, certain=False)
    ('|', '')
    """
    for name, share in shares.items():
        if share and (share >= 0.5 or name in ";；" or (certain and name not in _RARE)):
            return name
    return ""


def _share(texts: pa.ChunkedArray, mark: str) -> float:
    """Return the share of texts that hold a mark."""
    return (pc.sum(pc.match_substring(texts, mark)).as_py() or 0) / max(len(texts), 1)


def _count_lists(layout: Layout) -> int:
    """Return how many lists the rows are, if each of a document (of one annotator or system) is a part of one."""
    if layout.numbered:
        return len(layout.table)
    keys = {"doc_id": layout.ids()}
    if (source := layout.source_column()) is not None:
        keys["source"] = layout.table.texts(source)
    # Rows of one list mostly stand together; then their runs tell enough, without a look at every pair.
    begins = np.zeros(len(layout.table), dtype=bool)
    for column in keys.values():
        begins[run_starts(column)] = True
    if begins.sum() < _FEW_TWICE * len(begins):
        return int(begins.sum())
    return _count_distinct(keys)


def list_columns(table: Table) -> list[str]:
    """Return the columns whose cells are lists, which only some formats have."""
    kinds = {name: table.column(name).type for name in table.names}
    return [name for name, kind in kinds.items() if pa.types.is_list(kind) or pa.types.is_large_list(kind)]


def json_list(cell: str) -> list[object] | None:
    """Return the list that a cell spells out in JSON, or as Python writes it, or None.

    >>> json_list('["tide"]'), json_list("['tide', None]"), json_list("['tide' 'sea']"), json_list('c("tide", "sea")')
    (['tide'], ['tide', None], ['tide', 'sea'], ['tide', 'sea'])
    >>> json_list("{'tide', 'sea'}"), json_list("{'tide': 0.8}"), json_list("tide")
    (['tide', 'sea'], [['tide', 0.8]], None)
    """
    if not re.search(r"""['"]\s*:""", cell):  # a set, a tuple, or what R writes; in a dictionary phrases have scores
        cell = re.sub(r"""^\s*(?:c?\(|\{)(?=\s*['"])(.*)[)}]\s*$""", r"[\1]", cell, flags=re.DOTALL)
    quote = found.group(1) if (found := re.match(r"""\s*\[\s*(['"])""", cell)) else ""
    if quote and not re.search(rf"{quote}\s*,", cell):  # as NumPy writes it, which Python would read as one text
        cell = re.sub(rf"{quote}\s+(?={quote})", f"{quote}, ", cell)
    for read in (partial(json.loads, parse_constant=str), ast.literal_eval):
        try:
            value = read(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        value = list(map(list, value.items())) if isinstance(value, dict) else value
        return value if isinstance(value, list) else None
    return None


def _evidence(table: Table, columns: dict[str, str]) -> str:
    roles = told(columns)
    header = "" if table.header else " without a header"
    return f"{table.described}{header}{'; ' if roles else ''}{roles}"
