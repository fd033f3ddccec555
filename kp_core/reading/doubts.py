"""Find what nobody can know about a table by its heads and cells, with what is likeliest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from kp_core.corpus import run_starts
from kp_core.reading.evidence import clues_of, filled, is_told, restarts, share_lists
from kp_core.reading.fields import (
    ASIDE,
    KINDS,
    KNOWN,
    LANGUAGES,
    NAMES,
    NO,
    NO_PHRASES,
    SYSTEMS,
    base_of,
    is_form,
    is_gold,
    is_predicted,
    number_of,
    plain,
    quoted,
    source_of,
    system_in,
)
from kp_core.reading.json_table import TEXT
from kp_core.reading.layout import Doubt, Layout
from kp_core.reading.mapping import Mapping
from kp_core.reading.marks import GRADES, marks_in
from kp_core.reading.profiles import SAMPLE, cells_of, count_distinct, is_long, items_of, profile, whole_lists
from kp_core.reading.separators import json_list
from kp_core.reading.table import Table, list_columns
from kp_core.reading.values import floats, number, with_points
from kp_core.reading.wide_columns import lies_across

#: Parts of a table that change no list, about which nobody is asked.
_BESIDE = ("title", "text", "group", "concept", "relevance", "votes", "verdict")
#: What the likeliest readings of several doubts may change together, besides columns.
_CHANGED = ("kind", "role", "sources", "united", "gold", "gold_is", "higher", "inner")
#: So many inner lists of several words, none with a blank, may as well be tokens.
_MANY_WORDS = 5
#: Fewer steps from score to score say nothing of an order.
_FEW = 2
#: People who index the same documents, at the most.
_PEOPLE = 20
#: Words of heads of places in a text.
_PLACES = frozenset(
    {"page", "pages", "begin", "start", "end", "offset", "position", "line", "length", "count", "year", "jahr"}
)
#: Role of a column → the field of a mapping that names it.
_FIELDS = {"doc_id": "document", "phrase": "keyphrases"}
_MAY = {
    "doc_id": "may be the ids of documents",
    "phrase": "may be the keyphrases",
    "annotator": "may say who chose each keyphrase",
    "system": "may name the system",
    "rank": "may be a rank: then lists are ordered by it",
    "score": "may be a score: then lists are ranked by it",
    "text": "may be the texts",
}


def doubted(layout: Layout, mapping: Mapping) -> Layout:
    """Return the likeliest layout with what is in doubt about it; nothing is where the user says that all is meant."""
    doubts = () if mapping.as_read else tuple(_of_columns(layout) if layout.kind == "wide" else _of_rows(layout))
    meant = layout
    for doubt in doubts:
        said, gone = doubt.meant, {part for part in layout.columns if part not in doubt.meant.columns}
        new = {part: name for part, name in said.columns.items() if layout.columns.get(part) != name}
        kept = {part: n for part, n in meant.columns.items() if part not in gone and n not in new.values()}
        changed = {name: value for name in _CHANGED if (value := getattr(said, name)) != getattr(layout, name)}
        meant = replace(meant, columns=kept | new, **changed)
    return replace(meant, doubts=doubts)


def may_be(unknown: Sequence[tuple[str, str]], layout: Layout) -> tuple[Doubt, ...]:
    """Return the doubt about columns under unknown heads, none if there are none."""
    words = "; ".join(f"the column “{name[:40]}” {_MAY[role]}" for role, name in unknown)
    fields = tuple(_FIELDS.get(role, role) for role, _ in unknown)
    return (Doubt(f"{words[:1].upper()}{words[1:]}.", fields, layout),) if unknown else ()


def _named(layout: Layout) -> Iterator[tuple[str, str]]:
    """Give the parts of a layout that a head names, and those that a proof tells."""
    table, columns = layout.table, layout.columns
    for role, name in columns.items():
        if role in _BESIDE or (table.header and "unknown" not in clues_of(table, name)):
            yield role, name
    if "rank" in columns and (lists := restarts(table, columns["rank"])) is not None:
        begins = np.diff(lists, prepend=0) > 0  # an id changes only where a list begins
        if "doc_id" in columns and begins[run_starts(table.texts(columns["doc_id"]))].all():
            yield "rank", columns["rank"]
            yield "doc_id", columns["doc_id"]
            yield from ((role, name) for role, name in columns.items() if role == "system")
            others = [name for name in table.names if profile(table, name).phrases and name not in columns.values()]
            yield from ((role, name) for role, name in columns.items() if role == "phrase" and not others)
    if "doc_id" in columns and _are_ids(layout, columns["doc_id"]):
        yield "doc_id", columns["doc_id"]
        if len(table.names) == 2 and not table.header:
            yield "phrase", layout.phrases
    if layout.kind == "lists" and _only_lists(table, columns) == [layout.phrases]:
        yield "phrase", layout.phrases
    if layout.numbered and "text" in columns and _are_in_texts(table, columns["text"], layout.phrases):
        yield "phrase", layout.phrases


def _are_ids(layout: Layout, name: str) -> bool:
    """Tell the only column of codes, or of numbers in front, one for each list or the same for several phrases."""
    table = layout.table
    free = [one for one in table.names if one not in layout.columns.values()]
    codes = [one for one in free if "codes" in clues_of(table, one) and "numbers" not in clues_of(table, one)]
    clues = clues_of(table, name)
    like = ("codes" in clues and "whole" not in clues) or {"first", "whole"} <= clues
    once = layout.kind == "long" or "once" in clues or layout.source_column() is not None
    return like and once and not [one for one in codes if plain(one) not in ASIDE | KNOWN]


def _only_lists(table: Table, columns: dict[str, str]) -> list[str]:
    taken = [name for role, name in columns.items() if role not in ("phrase", "phrases")]
    nested = list_columns(table)
    lists = [name for name in whole_lists(table, table.names) if profile(table, name).phrases or name in nested]
    return [name for name in lists if name not in taken and plain(name) not in NO_PHRASES]


def _are_in_texts(table: Table, text: str, phrases: str) -> bool:
    """Tell phrases of which half and more stand in the long text beside them."""
    if not is_long(table, text, 100):
        return False
    pairs = zip(table.first_texts(text, SAMPLE).to_pylist(), table.texts(phrases).to_pylist(), strict=False)
    found = [item in one.casefold() for one, cell in pairs for item in items_of(cell)]
    return len(found) > 3 and 2 * sum(found) >= len(found)


def _of_rows(layout: Layout) -> Iterator[Doubt]:
    table, columns = layout.table, layout.columns
    named = set(_named(layout))
    unknown = [(role, name) for role, name in columns.items() if (role, name) not in named]
    free = [name for name in table.names if name not in columns.values()]
    yield from _scored_lists(layout)
    yield from _beside_lists(layout, free)
    yield from _tokens(layout)
    yield from _scores(layout, free)
    yield from _verdicts(layout, free)
    yield from _marks(layout, free)
    yield from _once_each(layout)
    mixed = list(people_and_machines(layout, free))
    yield from mixed or _people(layout, free)
    yield from _other_lists(layout, free)
    if layout.phrases == TEXT and not profile(table, TEXT).phrases:
        texts = {("text" if role == "phrase" else role): name for role, name in columns.items()}
        meant = replace(layout, kind="documents", role="documents", columns=texts)
        yield Doubt("The strings are longer than keyphrases are.", ("text",), meant)
        return
    whole = table.splits and layout.kind == "long" and layout.phrases in whole_lists(table, [layout.phrases])
    whole = whole and not any(_people(layout, free))
    if whole and "variants" not in table.names and not {"rank", "score"} & set(columns):
        yield Doubt("Cells look like lists, and documents stand in several rows.", ("split",), layout)
    yield from may_be(unknown, layout)
    if layout.numbered and (layout.source_column() is not None or is_form(table.names)):
        words = "No column tells the documents: each row may be one, or all rows may be about the same."
        yield Doubt(words, ("document",), layout)


def _beside_lists(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell lists of numbers, as many as phrases, under a head that nobody knows."""
    table = layout.table
    if layout.role != "system" or layout.kind != "lists" or "score" in layout.columns or not table.nulls:
        return
    for name in (one for one in free if {"numbers", "lists"} <= clues_of(table, one)):
        yield from may_be([("score", name)], _by(layout, name))


def _tokens(layout: Layout) -> Iterator[Doubt]:
    """Tell lists of single words in lists, which may be the spellings of a keyphrase or its words."""
    table = layout.table
    if layout.kind != "lists" or layout.inner or layout.cells != "json" or "score" in layout.columns:
        return
    if plain(layout.phrases) == "keyphrases" and layout.phrases != layout.phrases.lower():
        return
    lists = [json_list(cell) or [] for cell in table.first_texts(layout.phrases, SAMPLE).to_pylist()]
    items = [item for one in lists for item in one]
    words = [word for item in items if isinstance(item, list) for word in item]
    several = sum(isinstance(item, list) and len(item) > 1 for item in items)
    single = all(isinstance(word, str) and " " not in word.strip() and number(word) != number(word) for word in words)
    if several >= _MANY_WORDS and single and all(isinstance(item, list) for item in items):
        said = "Inner lists of single words may be spellings, or the words of keyphrases."
        yield Doubt(said, ("inner",), replace(layout, inner="variants"))


def _scored_lists(layout: Layout) -> Iterator[Doubt]:
    """Tell lists of phrases in alphabetical order whose scores rise, or only change their direction."""
    if layout.role != "system" or layout.kind != "lists":
        return
    table, name = layout.table, layout.phrases
    cells: list[Any] = [json_list(cell) for cell in table.first_texts(name, SAMPLE).to_pylist() if cell[:1] in "[{"]
    lists = [cell for cell in cells if cell and all(isinstance(one, list) and len(one) == 2 for one in cell)]
    words = [[str(one[0]).casefold() for one in cell] for cell in lists]
    scores = [[number(one[1]) for one in cell] for cell in lists]
    steps = [after - before for own in scores for before, after in pairwise(own)]
    if (
        len(steps) > _FEW
        and all(step >= 0 for step in steps)
        and any(steps)
        and all(one == sorted(one) for one in words)
    ):
        yield _unordered_scores(layout, "Lists")


def _scores(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell numbers by which a system may rank its phrases, where the rows have no such order already."""
    table, ids = layout.table, layout.columns.get("doc_id")
    if layout.role != "system" or ids is None or "rank" in layout.columns or layout.kind != "long":
        return
    groups = pd.Series(filled(table, ids).to_pylist())
    if (score := layout.columns.get("score")) is not None:
        if _rise_alphabetically(table, groups, score, layout.phrases):
            yield _unordered_scores(layout, "Rows")
        return
    numbers = [n for n in free if profile(table, n).numbers == 1 and plain(n) not in ASIDE and profile(table, n).cells]
    whose = [name for name in table.names if "few" in clues_of(table, name)]
    lists = [groups, *(groups + " " + pd.Series(filled(table, name).to_pylist()) for name in whose)]
    counted = ((name, of) for name in numbers for of in lists if _counts_each(table, of, name))
    if (found := next(counted, None)) is not None:
        name, of = found
        if (_steps(table, of, name) != 1).any():
            yield from may_be([("rank", name)], replace(layout, columns={**layout.columns, "rank": name}))
        return
    steps = {name: _steps(table, groups, name) for name in numbers}
    systems = [n for n in numbers if SYSTEMS & set(re.split(r"[\W_]+", plain(n)))]
    if len(systems) < 2 and any((step <= 0).all() for step in steps.values()):
        return  # the order that the file has
    ranking = systems if len(systems) > 1 else [name for name in numbers if not is_counting(table, name)]
    if len(ranking) > 1:
        scored = replace(layout, kind="scored", sources={system_in(name): (name,) for name in ranking})
        words = f"The columns {quoted(ranking)} may be scores of several systems, or of one."
        yield Doubt(words, ("score", "system"), scored)
    elif ranking:
        yield from may_be([("score", ranking[0])], _by(layout, ranking[0]))


def is_counting(table: Table, name: str) -> bool:
    """Tell whole numbers under a head for places, such as pages and offsets, which rank nothing."""
    return {"whole", "unknown"} <= clues_of(table, name) and bool(_PLACES & set(re.split(r"[\W_]+", plain(name))))


def _counts_each(table: Table, groups: pd.Series, name: str) -> bool:
    """Tell numbers that are 1 to n within each document, in any order."""
    values = pd.Series(floats(table.column(name))[0])
    sizes = groups.map(groups.value_counts())
    within = bool(((values >= 1) & (values <= sizes) & (values % 1 == 0)).all()) and bool((sizes > 1).any())
    return within and not pd.DataFrame({"of": groups, "n": values}).duplicated().any()


def _steps(table: Table, groups: pd.Series, name: str) -> pd.Series:
    """Return by how much numbers change from row to row of one document."""
    return pd.Series(floats(with_points(table.column(name)))[0]).groupby(groups).diff().dropna()


def _rise_alphabetically(table: Table, groups: pd.Series, score: str, phrases: str) -> bool:
    """Tell scores that rise down all lists of phrases in alphabetical order, or that only change their direction."""
    steps = _steps(table, groups, score)
    words = pd.Series(table.texts(phrases).to_pylist()).str.casefold()
    sorted_lists = words.groupby(groups).apply(lambda one: list(one) == sorted(one))
    return bool(len(steps) > 1 and (steps > 0).any() and (steps >= 0).all() and sorted_lists.all())


def _unordered_scores(layout: Layout, rows: str) -> Doubt:
    words = f"{rows} are in alphabetical order, which says nothing of the scores."
    return Doubt(words, ("higher_is_better",), replace(layout, higher=True))


def _by(layout: Layout, name: str) -> Layout:
    return replace(layout, columns={**layout.columns, "score": name}, higher=True)


def _verdicts(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell columns that say yes or no of each phrase: of one person, or of several."""
    table = layout.table
    if layout.kind != "long" or len(table) < 2:
        return
    marks = [n for n in free if plain(n) not in ASIDE and "marks" in clues_of(table, n)]
    if len(marks) > 1 and layout.source_column() is None and len(marks) <= _PEOPLE and layout.role == "gold":
        marked = replace(layout, kind="marked", sources={name: (name,) for name in marks})
        yield Doubt(f"The columns {quoted(marks)} may be people who marked the phrases.", ("marks",), marked)
        return
    for name in marks:
        values = {cell.lower() for cell in cells_of(table, name)}
        if values & NO and values - NO:
            meant = replace(layout, columns={**layout.columns, "verdict": name})
            yield Doubt(f"The column “{name[:40]}” may say which keyphrases were rejected.", ("verdict",), meant)


def _marks(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell columns in which Y, I and N all stand, under heads that do not say that these are marks."""
    if layout.kind != "long" or "relevance" in layout.columns:
        return
    if names := [name for name in free if marks_in(layout.table, name) == GRADES.keys()]:
        words = f"Y, I and N in {quoted(names)} may be marks: then they are grades 2, 1 and 0."
        yield Doubt(words, ("relevance",), replace(layout, columns={**layout.columns, "relevance": names[0]}))


def people_and_machines(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell a column whose cells name systems, beside people or the gold standard."""
    table = layout.table
    group = layout.columns.get("group")
    owner = layout.columns.get("annotator")
    for name in (*free, *filter(None, (group, owner))):
        values = dict.fromkeys(cells_of(table, name))
        systems = [value for value in values if plain(value) in SYSTEMS]
        if not systems or len(values) > _PEOPLE:
            continue
        columns = {role: one for role, one in layout.columns.items() if one != name}
        others = tuple(value for value in values if value not in systems)
        meant = replace(layout, role="system", columns={**columns, "system": name}, gold_is=others)
        words = f"The column “{name[:40]}” names systems" + (f", and {quoted(others[:3])}." if others else ".")
        yield Doubt(words, ("system", "annotator"), meant)


def _people(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell a column of a few names that may say whose the rows of a document are."""
    table, ids = layout.table, layout.columns.get("doc_id")
    if (
        not table.header
        or ids is None
        or layout.source_column() is not None
        or len(table) < 2
        or layout.kind == "scored"
    ):
        return
    if layout.role == "gold" and {"rank", "score"} & set(layout.columns):
        return
    person = "annotator" if layout.role == "gold" else "system"
    lists = layout.phrases in whole_lists(table, [layout.phrases])
    for name in free:
        clues = clues_of(table, name)
        values = len(set(cells_of(table, name)))
        if (
            not {"few"} <= clues
            or {"dates", "lists", "fraction", "marks", "aside", "long"} & clues
            or plain(name) in KNOWN
        ):
            continue
        pairs = count_distinct({"doc_id": table.texts(ids), "value": table.texts(name)})
        documents = len(pc.unique(table.texts(ids)))
        every = 1 < values <= _PEOPLE and documents > 1 and pairs >= 0.9 * values * documents
        repeated = lists and pairs == len(table) > documents
        if every or repeated:
            yield from may_be([(person, name)], replace(layout, columns={**layout.columns, person: name}))
            return


def _once_each(layout: Layout) -> Iterator[Doubt]:
    """Tell a column of people each of whom has one document, and one of types of which a document has several."""
    table, columns = layout.table, layout.columns
    ids = columns.get("doc_id")
    if ids is None or layout.role != "gold" or layout.kind != "long":
        return
    name, group = columns.get("annotator"), columns.get("group")
    documents = len(pc.unique(filled(table, ids)))
    if name is not None and documents > _FEW and plain(name) in NAMES["name"]:
        of = count_distinct({"who": filled(table, name)})
        if of == documents == count_distinct({"who": filled(table, name), "of": filled(table, ids)}):
            rest = {part: one for part, one in columns.items() if part != "annotator"}
            titled = replace(layout, columns=rest | {"title": name})
            yield Doubt(f"Each entry of “{name[:40]}” stands beside one document only.", ("annotator",), titled)
    several = {"group": filled(table, group), "of": filled(table, ids)} if group is not None and name is None else {}
    if group is not None and several and count_distinct(several) > documents:
        rest = {part: one for part, one in columns.items() if part != "group"}
        people = replace(layout, columns=rest | {"annotator": group})
        yield Doubt(f"Documents stand beside several entries of “{group[:40]}”.", ("group", "annotator"), people)


def _other_lists(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell further columns of keyphrases, which one list a row leaves out."""
    table = layout.table
    again = [name for name in free if name.rstrip("'") == layout.phrases]
    lists = [n for n in whole_lists(table, free) if plain(n) not in NO_PHRASES and profile(table, n).phrases]
    some = [n for n in free if profile(table, n).lists > 0 and profile(table, n).phrases and plain(n) not in NO_PHRASES]
    lists = [n for n in lists if "unknown" not in clues_of(table, n) or n in again] or (
        some if layout.kind == "lists" and not is_told(layout.phrases, "phrase") else []
    )
    if layout.role == "gold" and lists and layout.kind == "lists":
        yield Doubt(f"Several columns hold keyphrases: {quoted((layout.phrases, *lists))}.", ("keyphrases",), layout)


def _of_columns(layout: Layout) -> Iterator[Doubt]:
    """Tell what is not sure of columns that are those of people or systems."""
    table, sources = layout.table, layout.sources
    used = [name for names in sources.values() for name in names]
    predicted = [name for name in used if is_predicted(name)]
    gold = [name for name in used if is_gold(name)]
    rest = [name for name in _only_lists(table, layout.columns) if name not in used]
    if lies_across(table, layout.columns, sources):
        words = "Do the columns stand for documents, and the rows for people?"
        yield Doubt(words, ("document", "annotator"), _turned(layout, used))
    elif layout.role == "system" and (numbers := _unordered(table, len(used))):
        yield Doubt(f"The columns {quoted(numbers)} give the phrases another order.", ("rank",), layout)
    elif {"rank", "score"} & set(layout.columns):
        words = f"Each of the columns {quoted(used)} may hold the phrases of a system."
        yield Doubt(words, ("keyphrases",), replace(layout, role="system"))
    elif {*map(plain, sources)} <= KINDS | LANGUAGES:
        every = (*used, *rest)
        together = replace(layout, sources={"": every}, united=True)
        yield Doubt(f"The columns {quoted(every)} may be kinds of keyphrases, or people.", ("annotator",), together)
    elif predicted and len(predicted) < len(used) and not layout.gold:
        people = tuple(name for name in used if name not in predicted)
        words = f"The columns {quoted(predicted)} may be systems beside people."
        yield Doubt(words, ("gold",), replace(layout, gold=people))
    elif gold and len(gold) < len(used) and not layout.gold and len(sources) > 1:
        others = [name for name in used if name not in gold]
        yield Doubt(f"The columns {quoted(others)} may be systems or people.", ("annotator", "system"), layout)
    elif not _told(layout, used):
        sharing = [name for name in used if any(share_lists(table, [name, other]) for other in used if other != name)]
        if 1 < len(sharing) < len(used) and len(sources) == len(used):
            theirs = {source: names for source, names in sources.items() if names[0] in sharing}
            words = f"Not all of the columns {quoted(used)} have phrases in common."
            yield Doubt(words, ("keyphrases",), replace(layout, sources=theirs))
            return
        words = f"The columns {quoted(used)} may be people or systems, each with a list."
        yield Doubt(words, ("annotator", "system"), layout)


def _turned(layout: Layout, used: Sequence[str]) -> Layout:
    """Return the reading in which each column is a document, and each row a person."""
    whose = layout.source_column() or layout.columns.get("doc_id")
    columns = {"annotator": whose} if whose is not None else {}
    sources = {name: (name,) for name in used}
    return replace(layout, kind="turned", role="gold", columns=columns, sources=sources, numbered=False)


def _unordered(table: Table, size: int) -> list[str]:
    """Return numbered columns of numbers beside those of phrases, if they give the phrases another order."""
    numbers = [name for name in table.names if number_of(name) is not None and profile(table, name).numbers == 1]
    if len(numbers) != size or size < 2:
        return []
    steps = np.diff(np.stack([floats(table.column(name))[0] for name in numbers], axis=1), axis=1)
    steps = steps[np.isfinite(steps)]
    return [] if (steps >= 0).all() or (steps <= 0).all() else numbers


def _told(layout: Layout, used: Sequence[str]) -> bool:
    """Tell columns whose heads say whose they are, or whose lists have phrases in common."""
    if list(layout.sources) == [""] or layout.gold:
        return True
    worded = (source_of(name) != base_of(name) or number_of(name) is not None or is_predicted(name) for name in used)
    return all(worded) or share_lists(layout.table, used)
