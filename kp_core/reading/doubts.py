"""Say what nobody can know of a table by its heads and cells, and in which ways it may be meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from kp_core.corpus import run_starts
from kp_core.reading.choice import Choice
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
)
from kp_core.reading.json_table import TEXT
from kp_core.reading.layout import Layout
from kp_core.reading.marks import GRADES, marks_in
from kp_core.reading.profiles import SAMPLE, cells_of, count_distinct, is_long, items_of, profile, whole_lists
from kp_core.reading.separators import json_list
from kp_core.reading.table import Table, list_columns
from kp_core.reading.values import floats, number, with_points
from kp_core.reading.wide_columns import lies_across

#: Parts of a table that change no list, about which nobody is asked.
_BESIDE = ("title", "text", "group", "concept", "relevance", "votes", "verdict")
#: What readings of a layout differ in, beside columns.
_CHANGED = ("kind", "role", "sources", "united", "gold", "gold_is", "higher")
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
_MAY = {
    "doc_id": "may be the ids of documents",
    "phrase": "may be the keyphrases",
    "annotator": "may say who chose each keyphrase",
    "system": "may name the system",
    "rank": "may be a rank: then lists are ordered by it",
    "score": "may be a score: then lists are ranked by it",
    "text": "may be the texts",
}


@dataclass(frozen=True)
class Doubt:
    """What is not known, in words, and the readings that it leaves, the likeliest first; none: it is read so or not."""

    words: str
    readings: tuple[Layout, ...] = ()


def doubts_of(layout: Layout, choice: Choice) -> list[Doubt]:
    """Return what is in doubt about a layout; nothing where the user said what the keyphrases are."""
    said = {"phrase", "phrases", "text"} & set(choice.columns) or choice.several("phrases_of")
    if said or {"marks_of", "scores_of"} & set(choice.options) or choice.use == "as-read":
        return []
    return list(_of_columns(layout) if layout.kind == "wide" else _of_rows(layout))


def readings_of(layout: Layout, doubts: Sequence[Doubt]) -> list[Layout]:
    """Return the ways in which a table may be meant: first what is likeliest of every doubt, then one after another."""
    likely = [doubt.readings[0] for doubt in doubts if doubt.readings]
    others = [one for doubt in doubts for one in doubt.readings]
    return [_together(layout, likely), *others] if len(likely) > 1 else others


def _together(layout: Layout, readings: Sequence[Layout]) -> Layout:
    """Return the layout with all that several readings change."""
    changed = layout
    for one in readings:
        columns = {
            part: name for part, name in changed.columns.items() if part in one.columns or part not in layout.columns
        }
        new = {part: name for part, name in one.columns.items() if layout.columns.get(part) != name}
        own = {name: getattr(one, name) for name in _CHANGED if getattr(one, name) != getattr(layout, name)}
        changed = replace(changed, columns=columns | new, says="; ".join(filter(None, (changed.says, one.says))), **own)
    return changed


def may_be(unknown: Sequence[tuple[str, str]]) -> str:
    """Say what columns under unknown heads may be.

    >>> may_be([("score", "prob")])
    'The column “prob” may be a score: then lists are ranked by it.'
    """
    said = [f"the column “{name[:40]}” {_MAY[role]}" for role, name in unknown]
    words = "; ".join(said)
    return f"{words[:1].upper()}{words[1:]}." if said else ""


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
        columns = {("text" if role == "phrase" else role): name for role, name in columns.items()}
        texts = replace(layout, kind="documents", role="documents", columns=columns, says="they are texts")
        yield Doubt("The strings are longer than keyphrases are.", (texts, replace(layout, says="they are keyphrases")))
        return
    whole = table.splits and layout.kind == "long" and layout.phrases in whole_lists(table, [layout.phrases])
    whole = whole and not any(_people(layout, free))
    if whole and "variants" not in table.names and not {"rank", "score"} & set(columns):
        yield Doubt("Cells look like lists, and documents stand in several rows.", (layout,))
    if unknown:
        yield Doubt(may_be(unknown), (layout, *_elsewhere(layout, free, dict(unknown))))
    if layout.numbered and (layout.source_column() is not None or is_form(table.names)):
        yield Doubt("No column tells the documents: each row may be one, or all rows may be about the same.", (layout,))


def _elsewhere(layout: Layout, free: Sequence[str], unknown: Collection[str]) -> Iterator[Layout]:
    """Give the readings in which another column holds the keyphrases or the ids, or the two columns change places."""
    table, columns = layout.table, layout.columns
    free = [name for name in free if "beside" not in clues_of(table, name)]
    likely = [name for name in free if profile(table, name).phrases and plain(name) not in NO_PHRASES]
    for name in likely[:2]:
        yield replace(layout, columns={**columns, "phrase": name})
    ids = [one for one in free if "codes" in clues_of(table, one) and "fraction" not in clues_of(table, one)]
    for name in [one for one in ids if plain(one) not in KNOWN][: "doc_id" in unknown]:
        yield replace(layout, columns={**columns, "doc_id": name})
    if len(table.names) == 2 and {"doc_id", "phrase"} <= set(columns):
        yield replace(layout, columns={**columns, "doc_id": columns["phrase"], "phrase": columns["doc_id"]})


def _beside_lists(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell lists of numbers, as many as phrases, under a head that nobody knows."""
    table = layout.table
    if layout.role != "system" or layout.kind != "lists" or "score" in layout.columns or not table.nulls:
        return
    for name in (one for one in free if {"numbers", "lists"} <= clues_of(table, one)):
        yield Doubt(may_be([("score", name)]), tuple(_by(layout, [name])))


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
        spellings = replace(layout, inner="variants", says="each inner list holds spellings of one keyphrase")
        tokens = replace(layout, inner="tokens", says="each inner list holds the words of one keyphrase")
        yield Doubt("Inner lists of single words may be spellings, or the words of keyphrases.", (spellings, tokens))


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
        yield Doubt("Lists are in alphabetical order, which says nothing of the scores.", tuple(_ways(layout)))


def _scores(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell numbers by which a system may rank its phrases, where the rows have no such order already."""
    table, ids = layout.table, layout.columns.get("doc_id")
    if layout.role != "system" or ids is None or "rank" in layout.columns or layout.kind != "long":
        return
    groups = pd.Series(filled(table, ids).to_pylist())
    if (score := layout.columns.get("score")) is not None:
        if _rise_alphabetically(table, groups, score, layout.phrases):
            yield Doubt("Rows are in alphabetical order, which says nothing of the scores.", tuple(_ways(layout)))
        return
    numbers = [n for n in free if profile(table, n).numbers == 1 and plain(n) not in ASIDE and profile(table, n).cells]
    whose = [name for name in table.names if "few" in clues_of(table, name)]
    lists = [groups, *(groups + " " + pd.Series(filled(table, name).to_pylist()) for name in whose)]
    counted = ((name, of) for name in numbers for of in lists if _counts_each(table, of, name))
    if (found := next(counted, None)) is not None:
        ranks = [found[0]]
        if (_steps(table, found[1], found[0]) != 1).any():
            columns, shown = {**layout.columns, "rank": ranks[0]}, ranks[0][:40]
            meant = replace(layout, columns=columns, says=f"ordered by “{shown}”")
            yield Doubt(may_be([("rank", ranks[0])]), (meant, replace(layout, says="ordered as in the file")))
        return
    steps = {name: _steps(table, groups, name) for name in numbers}
    systems = [n for n in numbers if SYSTEMS & set(re.split(r"[\W_]+", plain(n)))]
    if len(systems) < 2 and any((step <= 0).all() for step in steps.values()):
        return  # the order that the file has
    ranking = systems if len(systems) > 1 else [name for name in numbers if not is_counting(table, name)]
    if len(ranking) > 1:
        shown, sources = quoted(ranking), {system_of(name): (name,) for name in ranking}
        each = replace(layout, kind="scored", sources=sources, says=f"each of {shown} is a system’s")
        yield Doubt(f"The columns {shown} may be scores of several systems, or of one.", (each, *_by(layout, ranking)))
    elif ranking:
        yield Doubt(may_be([("score", ranking[0])]), tuple(_by(layout, ranking)))


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


def _ways(layout: Layout) -> Iterator[Layout]:
    for higher, words in ((True, "higher"), (False, "lower")):
        yield replace(layout, higher=higher, says=f"{words} scores are better")


def system_of(head: str) -> str:
    """Return what a head says beside words for scores.

    >>> system_of("yake_score")
    'yake'
    """
    words = [word for word in re.split(r"[\s_:()/-]+", head) if plain(word) not in NAMES["score"]]
    return " ".join(words) or head


def _by(layout: Layout, names: Sequence[str]) -> Iterator[Layout]:
    for name in names:
        columns, says = {**layout.columns, "score": name}, f"ranked by “{name[:40]}”, higher first"
        yield replace(layout, columns=columns, higher=True, says=says)
    yield replace(layout, says="ranked as in the file")


def _verdicts(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell columns that say yes or no of each phrase: of one person, or of several."""
    table = layout.table
    if layout.kind != "long" or len(table) < 2:
        return
    marks = [n for n in free if plain(n) not in ASIDE and "marks" in clues_of(table, n)]
    if len(marks) > 1 and layout.source_column() is None and len(marks) <= _PEOPLE and layout.role == "gold":
        sources = {name: (name,) for name in marks}
        names = ", ".join(f"“{name[:40]}”" for name in marks[:5])
        yield Doubt(
            f"The columns {names} may be people who marked the phrases.",
            (
                replace(layout, kind="marked", sources=sources, says=f"people who marked keyphrases: {names}"),
                replace(layout, says="every row is a keyphrase, whatever the marks say"),
            ),
        )
        return
    for name in marks:
        values = {cell.lower() for cell in cells_of(table, name)}
        if values & NO and values - NO:
            columns, shown = {**layout.columns, "verdict": name}, name[:40]
            left = replace(layout, columns=columns, says=f"without the rows of which “{shown}” says no")
            kept = replace(layout, says=f"every row is a keyphrase, whatever “{shown}” says")
            yield Doubt(f"The column “{shown}” may say which keyphrases were rejected.", (left, kept))


def _marks(layout: Layout, free: Sequence[str]) -> Iterator[Doubt]:
    """Tell columns in which Y, I and N all stand, under heads that do not say that these are marks."""
    if layout.kind != "long" or "relevance" in layout.columns:
        return
    if names := [name for name in free if marks_in(layout.table, name) == GRADES.keys()]:
        ways = (
            replace(layout, columns={**layout.columns, "relevance": name}, says=f"Y, I, N in “{name[:40]}” are 2, 1, 0")
            for name in names
        )
        kept = replace(layout, says="every row is a keyphrase, whatever the marks say")
        yield Doubt(f"Y, I and N in {quoted(names)} may be marks: then they are grades 2, 1 and 0.", (*ways, kept))


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
        shown = ", ".join(f"“{value[:40]}”" for value in others[:3])
        says = f"{shown} the gold standard, the others systems" if others else f"systems in “{name[:40]}”"
        meant = replace(layout, role="system", columns={**columns, "system": name}, gold_is=others, says=says)
        people = replace(
            layout, role="gold", columns={**columns, "annotator": name}, says=f"annotators in “{name[:40]}”"
        )
        alike = replace(layout, says=f"all rows alike, whatever “{name[:40]}” says")
        words = f"The column “{name[:40]}” names systems" + (f", and {shown}." if others else ".")
        yield Doubt(words, (meant, people, alike))


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
            whose = {"annotator": "annotators", "system": "systems"}[person]
            meant = replace(layout, columns={**layout.columns, person: name}, says=f"{whose} in “{name[:40]}”")
            yield Doubt(may_be([(person, name)]), (meant, replace(layout, says=f"“{name[:40]}” says something else")))
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
            titled = replace(layout, columns=rest | {"title": name}, says=f"“{name[:40]}” holds the titles")
            people = replace(layout, says=f"annotators in “{name[:40]}”, each of one document")
            yield Doubt(f"Each entry of “{name[:40]}” stands beside one document only.", (titled, people))
    several = {"group": filled(table, group), "of": filled(table, ids)} if group is not None and name is None else {}
    if group is not None and several and count_distinct(several) > documents:
        rest = {part: one for part, one in columns.items() if part != "group"}
        people = replace(layout, columns=rest | {"annotator": group}, says=f"annotators in “{group[:40]}”")
        alike = replace(layout, columns=rest, says=f"all rows alike, whatever “{group[:40]}” says")
        yield Doubt(f"Documents stand beside several entries of “{group[:40]}”.", (people, alike))


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
        both = (layout.phrases, *lists)
        shown = ", ".join(f"“{name[:40]}”" for name in both)
        rest = {role: name for role, name in layout.columns.items() if role != "phrase"}
        wide = replace(layout, kind="wide", columns=rest, cells="")
        apart = replace(wide, sources={name: (name,) for name in both}, says="each column is an annotator’s")
        together = replace(wide, sources={"": both}, united=True, says="the columns together are one list")
        alone = replace(layout, says=f"“{layout.phrases[:40]}” alone")
        yield Doubt(f"Several columns hold keyphrases: {shown}.", (alone, together, apart))


def _of_columns(layout: Layout) -> Iterator[Doubt]:
    """Tell what is not sure of columns that are those of people or systems."""
    table, sources = layout.table, layout.sources
    used = [name for names in sources.values() for name in names]
    predicted = [name for name in used if is_predicted(name)]
    gold = [name for name in used if is_gold(name)]
    rest = [name for name in _only_lists(table, layout.columns) if name not in used]
    if lies_across(table, layout.columns, sources):
        plain_reading = replace(layout, says="each column is an annotator’s")
        turned = (*_turned(layout, used), plain_reading)
        yield Doubt("Do the columns stand for documents, and the rows for people?", turned)
    elif layout.role == "system" and (numbers := _unordered(table, len(used))):
        yield Doubt(f"The columns {quoted(numbers)} give the phrases another order.", (layout,))
    elif {"rank", "score"} & set(layout.columns):
        yield Doubt(f"Each of the columns {quoted(used)} may hold the phrases of a system.", (layout,))
    elif {*map(plain, sources)} <= KINDS | LANGUAGES:
        every = (*used, *rest)
        together = replace(layout, sources={"": every}, united=True, says="the columns together are one list")
        apart = replace(layout, sources={name: (name,) for name in every}, says="each column is an annotator’s")
        own = [name for name in rest if is_told(name, "phrase")]
        phrases = ({**layout.columns, "phrase": name} for name in own[:1])
        alone = [
            replace(layout, kind="lists", columns=one, sources={}, says=f"“{own[0][:40]}” alone") for one in phrases
        ]
        yield Doubt(f"The columns {quoted(every)} may be kinds of keyphrases, or people.", (together, apart, *alone))
    elif predicted and len(predicted) < len(used) and not layout.gold:
        people = tuple(name for name in used if name not in predicted)
        meant = replace(layout, gold=people, says=f"systems {quoted(predicted)}, and people")
        alike = replace(layout, says="each column is an annotator’s")
        yield Doubt(f"The columns {quoted(predicted)} may be systems beside people.", (meant, alike))
    elif gold and len(gold) < len(used) and not layout.gold and len(sources) > 1:
        others = [name for name in used if name not in gold]
        meant = replace(layout, gold=tuple(gold), says=f"the gold standard in {quoted(gold)}, systems {quoted(others)}")
        alike = replace(layout, says="each column is an annotator’s")
        yield Doubt(f"The columns {quoted(others)} may be systems or people.", (alike, meant))
    elif not _told(layout, used):
        sharing = [name for name in used if any(share_lists(table, [name, other]) for other in used if other != name)]
        if 1 < len(sharing) < len(used) and len(sources) == len(used):
            theirs = {source: names for source, names in sources.items() if names[0] in sharing}
            some = replace(layout, sources=theirs, says=f"annotators {quoted(sharing)}")
            all_of = replace(layout, says=f"annotators {quoted(used)}")
            yield Doubt(f"Not all of the columns {quoted(used)} have phrases in common.", (some, all_of))
            return
        people_of = replace(layout, role="gold", says=f"annotators {quoted(used)}")
        systems_of = replace(layout, role="system", says=f"systems {quoted(used)}")
        either = (systems_of, people_of) if layout.role == "system" else (people_of, systems_of)
        bare = replace(layout, kind="documents", role="documents", sources={}, says="documents, without keyphrases")
        texts = (bare,) if {"title", "text"} & set(layout.columns) else ()
        yield Doubt(f"The columns {quoted(used)} may be people or systems, each with a list.", (*either, *texts))


def _turned(layout: Layout, used: Sequence[str]) -> Iterator[Layout]:
    """Give the reading in which each column is a document, and each row a person."""
    whose = layout.source_column() or layout.columns.get("doc_id")
    columns = {"annotator": whose} if whose is not None else {}
    sources = {name: (name,) for name in used}
    yield replace(
        layout, kind="turned", role="gold", columns=columns, sources=sources, says="each column is a document"
    )


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
