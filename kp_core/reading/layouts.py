"""Find how a table is to be read: names decide, a few proofs decide, and what neither decides is a doubt in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import counted
from kp_core.reading.choice import Choice
from kp_core.reading.doubts import doubts_of, may_be, people_and_machines, readings_of, system_of
from kp_core.reading.evidence import assigned, clues_of, filled, is_told
from kp_core.reading.exports import export_of, meant_rows
from kp_core.reading.fields import (
    IDENTIFIERS,
    JUDGE,
    KNOWN,
    NAMES,
    NO_PHRASES,
    SYSTEMS,
    base_of,
    find_roles,
    gold_beside,
    is_predicted,
    phrases_in,
    plain,
    quoted,
    source_of,
    told,
)
from kp_core.reading.joined import joined
from kp_core.reading.json_table import INNER, LIST, OUTER
from kp_core.reading.layout import PAIR, Layout
from kp_core.reading.marks import graded
from kp_core.reading.profiles import SAMPLE, count_distinct, is_blank, profile, whole_lists
from kp_core.reading.separators import SEPARATORS, cell_separator, json_list
from kp_core.reading.shapes import are_scored
from kp_core.reading.table import Table, list_columns, share_with
from kp_core.reading.wide_columns import columns_by_source, whose

_ROLES: dict[Role, tuple[str, ...]] = {
    "gold": ("doc_id", "annotator", "relevance", "votes", "phrase", "concept", "title", "text", "group"),
    "system": ("doc_id", "system", "rank", "score", "relevance", "phrase", "concept", "title", "text"),
    "documents": ("doc_id", "text", "title", "group"),
    "judgements": ("doc_id", "system", "rank", "relevance", "annotator", "phrase", "concept"),
}
#: So many rows must be lists of their own where some document stands there twice.
_FEW_TWICE = 0.6


def layout_of(table: Table, role: Role | None, choice: Choice) -> Layout | None:
    """Return the likeliest layout of a table, with what is in doubt about it; None if it holds nothing to read."""
    table, choice = table.without(choice.several("ignore")), _with_gold(table, choice)
    asked = choice.role or role
    if not table.names:
        return None
    table = graded(joined(meant_rows(table)), choice)
    if (export := export_of(table, asked, choice)) is not None:
        # Our own template says whose the rows are, and not that all of them are people.
        named = export.own and "relevance" not in export.columns and choice.use != "as-read"
        mixed = next(people_and_machines(export, []), None) if named else None
        return replace(export, doubt=mixed.words) if mixed else export
    if {OUTER, LIST} <= set(table.names):  # objects in lists are fields of their own, so there is no list
        return _of_nested(table, asked, choice)
    if asked in (None, "judgements") and (judged := _of_pairs(table, choice)) is not None:
        return judged
    guessed = asked or _role_by_heads(table, choice)
    found = _of_texts(table, choice) if guessed == "documents" else _of_phrases(table, guessed or "gold", choice)
    return found and replace(found, role_sure=guessed is not None, chosen=frozenset(choice.columns))


def _of_nested(table: Table, role: Role | None, choice: Choice) -> Layout:
    """Return the layout of lists by two keys, of which one is the document and one whose list it is."""
    outer, inner = (set(table.texts(name).to_pylist()) for name in (OUTER, INNER))
    systems = [bool(SYSTEMS & set(map(plain, names))) for names in (outer, inner)]
    turned = (systems[1] and not systems[0]) or (not any(systems) and len(inner) < len(outer))
    proved = systems[0] != systems[1]
    columns = choice.columns or ({"doc_id": OUTER} if turned else {"doc_id": INNER})
    documents = columns.get("doc_id", INNER)
    lists = table.texts(LIST) if LIST not in list_columns(table) else table.column(LIST)
    scored = are_scored([json_list(one) if isinstance(one, str) else one for one in lists.slice(0, SAMPLE).to_pylist()])
    guess: Role = role or ("system" if any(systems) or scored else "gold")
    person = "annotator" if guess == "gold" else "system"
    columns = {"doc_id": documents, person: OUTER if documents == INNER else INNER, "phrase": LIST}
    whose_names = sorted(outer if documents == INNER else inner)
    shown = ", ".join(f"“{name[:40]}”" for name in whose_names[:3]) + " …" * (len(whose_names) > 3)
    evidence = f"{table.described} by {shown}, of {counted(len(outer | inner) - len(whose_names), 'document')}"
    doubt = "" if proved or choice.columns else "Which keys are the documents, and which say whose the lists are?"
    cells = "lists" if LIST in list_columns(table) else "json"
    says = f"the lists are those of {shown}"
    made = Layout("lists", table, guess, columns, cells=cells, evidence=evidence, doubt=doubt, says=says * bool(doubt))
    return replace(made, role_sure=role is not None or guess == "system", inner=choice.options.get("inner", ""))


def _with_gold(table: Table, choice: Choice) -> Choice:
    """Return a choice of the column of the gold standard as one of that column and of those of systems beside it."""
    gold = choice.columns.get("gold")
    if gold not in table.names:
        return choice
    columns = {role: name for role, name in choice.columns.items() if role != "gold"}
    named, _ = assigned(table, "lists", ("doc_id", "title", "text"), columns, unknown=True, out=(gold,))
    free = [name for name in table.names if name not in (gold, *named.values()) and plain(name) not in NO_PHRASES]
    systems = [name for name in free if profile(table, name).phrases or name in list_columns(table)]
    told = {"phrases_of": "\n".join((gold, *systems)), "gold_of": gold}
    return replace(
        choice,
        columns=columns if systems else {**columns, "phrase": gold},
        options={**choice.options, **(told if systems else {})},
    )


def _role_by_heads(table: Table, choice: Choice) -> Role | None:
    """Return the role that the heads tell; None for keyphrases of anybody."""
    heads = set(map(plain, table.names)) if table.header else set()
    words = {role: heads & set(NAMES[role]) for role in ("rank", "score", "system", "annotator", "relevance", "votes")}
    worded = [name for name in table.names if table.header and is_told(name, "phrase")]
    worded += [name for name in choice.columns.values() if name in table.names]
    predicted = [name for name in table.names if table.header and is_predicted(name) and profile(table, name).phrases]
    whole = whole_lists(table, worded)
    if words["system"] or ((words["rank"] or words["score"]) and (not worded or worded[0] not in whole)):
        return "system"
    if predicted and all(is_predicted(name) for name in worded):
        return "system" if len(predicted) > 1 or not _others_like(table, predicted) else None
    if any(_is_scored(table, name) for name in worded):
        return "system"
    if words["annotator"] or words["relevance"] or words["votes"]:
        return "gold"
    if worded or not table.header or _lists_of(table):
        return None
    if any(base_of(name) != name for name in table.names):
        return None
    # Titles alone may stand beside the phrases of two people, one in every cell.
    beside = [n for n in table.names if plain(n) not in KNOWN | NO_PHRASES and profile(table, n).phrases]
    few = heads & {*NAMES["title"]} and len(beside) < 2
    return "documents" if heads & {*NAMES["text"]} or few else None


def _is_scored(table: Table, name: str) -> bool:
    """Tell a column of lists of phrases with scores."""
    cells = table.column(name).slice(0, SAMPLE).to_pylist()
    lists = [json_list(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell for cell in cells if cell]
    return (table.nulls or name in list_columns(table)) and are_scored(
        [one for one in lists if not isinstance(one, str)]
    )


def _others_like(table: Table, names: Sequence[str]) -> bool:
    """Tell whether other columns hold lists of phrases too."""
    return any(name not in names for name in _lists_of(table))


def _lists_of(table: Table) -> list[str]:
    """Return the columns of lists of phrases whose heads do not say that they are something else."""
    return [n for n in whole_lists(table, table.names) if plain(n) not in NO_PHRASES and profile(table, n).phrases]


def choice_of(layout: Layout) -> Choice:
    """Return what a user would say of a table to have it read like this."""
    used = [name for names in layout.sources.values() for name in names]
    several = {"marked": "marks_of", "scored": "scores_of", "judged": "rater", "turned": "documents_of"}.get(
        layout.kind, "phrases_of"
    )
    options = {several: "\n".join(used), "gold_of": "\n".join(layout.gold), "gold_is": "\n".join(layout.gold_is)}
    options |= {"lists": "together"} if layout.united else {}
    options |= {"ids": "rows"} if layout.numbered else {}
    options |= {"inner": layout.inner} if layout.inner else {}
    options |= (
        {"cells": layout.cells} if layout.cells and layout.kind in ("lists", "wide") and layout.cells != "lists" else {}
    )
    said = {name: value for name, value in options.items() if value}
    return Choice(columns=dict(layout.columns), options=said, higher_is_better=layout.higher)


def proposals(layout: Layout, role: Role | None, choice: Choice) -> list[Layout]:
    """Return the ways in which a table may be meant whose layout is in doubt, the likeliest first, at most four."""
    if OUTER in layout.table.names:
        other = OUTER if layout.columns["doc_id"] == INNER else INNER
        again = _of_nested(layout.table, role, replace(choice, columns={"doc_id": other}))
        return [layout, replace(again, says=again.evidence.removeprefix(layout.table.described + " "))]
    doubts = [] if layout.kind == "turned" else doubts_of(layout, choice)
    readings = readings_of(layout, doubts) or [layout]
    found: dict[str, Layout] = {}
    for reading in readings:
        if (
            role in ("gold", "system")
            and reading.role in ("gold", "system")
            and reading.role != role
            and not reading.gold_is
        ):
            continue  # the user said what the file is
        said = choice_of(reading)
        meant = replace(choice, columns=said.columns, options={**choice.options, **said.options})
        meant = replace(meant, role=reading.role if reading.role != layout.role else choice.role)
        if (one := layout_of(layout.table, role, meant)) is not None:
            found.setdefault(str((one.role, said)), replace(one, says=reading.says, higher=reading.higher))
    return list(found.values())[:4] or [layout]


def _of_texts(table: Table, choice: Choice) -> Layout | None:
    columns, _ = assigned(table, "texts", _ROLES["documents"], choice.columns, unknown=False)
    if not {"text", "title", "group"} & set(columns):
        columns, _ = assigned(table, "texts", ("doc_id", "text"), choice.columns, unknown=True)
    numbered = "doc_id" not in columns
    if not {"text", "title", "group"} & set(columns) or (numbered and not table.header):
        return None
    found = Layout("documents", table, "documents", columns, numbered=numbered, evidence=_evidence(table, columns))
    chosen = choice.columns.values()
    unknown = [(r, n) for r, n in columns.items() if "unknown" in clues_of(table, n) and n not in chosen]
    return replace(found, doubt=may_be(unknown))


def _of_phrases(table: Table, role: Role, choice: Choice) -> Layout | None:
    """Return the layout of a table of phrases."""
    columns = _columns(table, role, choice, unknown=False)
    identifiers = [name for name in table.names if plain(name) in IDENTIFIERS and name not in columns.values()]
    # Phrases under the head of identifiers are these themselves.
    identifiers += [name for part, name in columns.items() if part == "phrase" and plain(name) in IDENTIFIERS]
    if "phrase" in columns and "concept" not in columns and identifiers:
        columns["concept"] = identifiers[0]
    if "phrase" not in columns and {"doc_id", "concept"} <= set(columns) and len(columns) == len(table.names):
        columns["phrase"] = columns["concept"]  # identifiers alone are called by themselves
    if turned := [name for name in choice.several("documents_of") if name in table.names]:
        columns = {part: name for part, name in choice.columns.items() if part == "annotator"}
        evidence = f"{_evidence(table, columns)}; each column is a document"
        return Layout("turned", table, role, columns, {name: (name,) for name in turned}, evidence=evidence)
    either: tuple[tuple[Literal["marked", "scored"], str], ...] = (("marked", "marks_of"), ("scored", "scores_of"))
    for kind, option in either:
        if (names := choice.several(option)) and {"phrase", "doc_id"} <= set(columns):
            sources = {system_of(name) if kind == "scored" else name: (name,) for name in names if name in table.names}
            evidence = f"{_evidence(table, columns)}; {whose(sources, role)}, who {kind} them"
            return Layout(kind, table, "system" if kind == "scored" else role, columns, sources, evidence=evidence)
    apart = columns_by_source(table, columns, choice)
    if apart and _repeats(table, columns, role) and not _named(apart, choice):
        apart = {}  # a phrase a row, under a head that nobody knows
    if apart:
        columns.pop("phrase", "")
        return _of_columns(table, role, columns, apart, choice)
    if "phrase" not in columns or ("doc_id" not in columns and choice.options.get("ids") != "rows"):
        columns = (
            _columns(table, role, choice, unknown=True) if not table.header or _may_guess(table, columns) else columns
        )
    if "phrase" not in columns:
        return None
    return _finished(table, role, columns, choice)


def _repeats(table: Table, columns: dict[str, str], role: Role) -> bool:
    """Tell rows of several documents, of which several are of one document, and of one annotator or system."""
    if "doc_id" not in columns or len(pc.unique(table.texts(columns["doc_id"]))) < 2:
        return False
    return _count_lists(table, columns, role) < len(table)


def _named(sources: Mapping[str, tuple[str, ...]], choice: Choice) -> bool:
    """Tell columns that the user named, or whose heads say whose they are."""
    heads = [name for names in sources.values() for name in names]
    told = all(is_predicted(name) or source_of(name) != base_of(name) for name in heads)
    return told or bool(choice.several("phrases_of"))


def _may_guess(table: Table, columns: dict[str, str]) -> bool:
    """Tell a table about keyphrases, whose other columns may be found by what they hold."""
    counted = any("counts" in clues_of(table, name) for name in table.names)
    lists = len(_lists_of(table)) == 1 or len(list_columns(table)) == 1
    coded = any({"codes", "again"} <= clues_of(table, name) for name in table.names)
    return bool({"doc_id", "phrase"} & set(columns)) or lists or counted or coded


def _columns(table: Table, role: Role, choice: Choice, *, unknown: bool) -> dict[str, str]:
    """Return role → column in the shape of tables that fits best."""
    chosen = {"phrase" if part == "phrases" else part: name for part, name in choice.columns.items()}
    best: tuple[tuple[bool, bool, float], dict[str, str]] | None = None
    for shape in ("lists", "long"):
        columns, worth = assigned(table, shape, _ROLES[role], chosen, unknown=unknown)
        if "doc_id" in columns:
            fits = _are_lists(table, columns, role) == (shape == "lists")
        else:
            fits = columns.get("phrase") in whole_lists(table, table.names)
        # Keyphrases before a shape that fits, and that before points.
        key = ("phrase" in columns, fits, worth)
        if best is None or key > best[0]:
            best = key, columns
    return dict(best[1]) if best else {}


def _are_lists(table: Table, columns: dict[str, str], role: Role) -> bool:
    """Tell rows of a list each: all of them, or nearly all where their cells are lists too."""
    count = _count_lists(table, columns, role)
    few = count >= _FEW_TWICE * len(table) and columns.get("phrase") in whole_lists(table, table.names)
    return count == len(table) or few


def _count_lists(table: Table, columns: dict[str, str], role: Role) -> int:
    """Return how many lists the rows are, if each of a document (of one annotator or system) is a part of one."""
    if "doc_id" not in columns:
        return len(table)
    source = columns.get("annotator" if role == "gold" else "system")
    names = [name for name in (columns["doc_id"], source) if name is not None]
    key = f"lists of {names}"
    if key not in table.seen:
        table.seen[key] = _counted_lists(table, names)
    return int(table.seen[key])


def _counted_lists(table: Table, names: Sequence[str]) -> int:
    keys = {name: filled(table, name) for name in names}
    # Rows of one list mostly stand together; then their runs tell enough, without a look at every pair.
    begins = np.zeros(len(table), dtype=bool)
    for column in keys.values():
        begins[run_starts(column)] = True
    if begins.sum() < _FEW_TWICE * len(begins):
        return int(begins.sum())
    return count_distinct(keys)


def _finished(table: Table, role: Role, columns: dict[str, str], choice: Choice) -> Layout | None:
    """Return the layout of a phrase or a list a row, with what is in doubt."""
    numbered = choice.options.get("ids") == "rows" or "doc_id" not in columns
    if numbered:
        columns = {part: name for part, name in columns.items() if part != "doc_id"}
    if numbered and {"rank", "score"} & set(columns):
        return None  # several rows a list, and nothing that tells them apart
    table, filled = _filled_down(table, columns, choice)
    gold_is, inner = tuple(choice.several("gold_is")), choice.options.get("inner", "")
    made = Layout("long", table, role, columns, numbered=numbered, gold_is=gold_is, inner=inner)
    chosen = "lists" if made.phrases in list_columns(table) else choice.options.get("cells")
    cells = "" if chosen == "none" else chosen or list_separator(made)
    if numbered and not cells and "text" in columns and not choice.options.get("cells"):
        cells = "none"  # a text and its one keyphrase
    if numbered and not cells:
        return None
    evidence = _evidence(table, columns) + (f"; {SEPARATORS.get(cells, cells)}" if cells else "")
    evidence += ("; each row is a document" if numbered else "") + filled
    made = replace(made, kind="lists" if cells else "long", cells=cells, evidence=evidence)
    return replace(made, doubt=" ".join(one.words for one in doubts_of(made, choice)))


def _of_columns(
    table: Table, role: Role, columns: dict[str, str], sources: Mapping[str, tuple[str, ...]], choice: Choice
) -> Layout:
    """Return the layout with one column, or several numbered ones, an annotator or system."""
    columns = _ids_beside(table, columns, sources, role, choice)
    numbered = "doc_id" not in columns
    used = [name for names in sources.values() for name in names]
    columns = {part: name for part, name in columns.items() if name not in used}
    united = choice.options.get("lists") == "together"
    if united:
        sources = {"": tuple(used)}
    elif (head := gold_beside(sources)) and not (choice.several("gold_of") or choice.several("phrases_of")):
        choice = replace(choice, options={**choice.options, "gold_of": head})
    evidence = f"{_evidence(table, columns)}; {whose(sources, role)}"
    table, filled = _filled_down(table, columns, choice)
    cells = choice.options.get("cells", "")
    gold = tuple(name for name in choice.several("gold_of") if name in used)
    if gold:
        systems = [name for name in used if name not in gold]
        evidence = f"{_evidence(table, columns)}; the gold standard in {quoted(gold)}, systems in {quoted(systems)}"
    made = Layout(
        "wide", table, role, columns, sources, cells, numbered, united=united, gold=gold, evidence=evidence + filled
    )
    return replace(made, doubt=" ".join(one.words for one in doubts_of(made, choice)))


def _ids_beside(
    table: Table, columns: dict[str, str], sources: Mapping[str, tuple[str, ...]], role: Role, choice: Choice
) -> dict[str, str]:
    """Add ids, titles and people that stand beside the columns of people or systems."""
    columns = dict(columns)
    if choice.options.get("ids") == "rows":
        columns.pop("doc_id", "")
        return columns
    corner = next((part for part in ("annotator", "system") if part in columns and "doc_id" not in columns), "")
    if corner and profile(table, columns[corner]).varied == 1:  # it says what stands beside it, not below
        columns["doc_id"] = columns.pop(corner)
    used = {name for names in sources.values() for name in names}
    if "doc_id" not in columns:
        taken = {part: name for part, name in columns.items() if part not in ("title", "text")}
        found, _ = assigned(table, "lists", ("doc_id", "title"), {**taken, **choice.columns}, unknown=True, out=used)
        columns |= {part: name for part, name in found.items() if part in ("doc_id", "title") and name not in used}
    if columns.get("title") == columns.get("doc_id"):
        columns.pop("title", "")
    return columns


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
        shapes = {name: profile(table, name) for name in free if plain(name) not in KNOWN}
        raters = [name for name, shape in shapes.items() if shape.cells and shape.numbers > 0.8]
        if not raters:
            return None
    judges: dict[str, tuple[str, ...]] = {}
    for name in raters if "score" not in columns else ():
        judges[found.group(1) if (found := JUDGE.match(name)) else name] = (name,)
    evidence = f"{table.described}; `candidate` stands beside {'`keyphrase`' if 'keyphrase' in columns else 'scores'}"
    scale = choice.options.get("scale", "")
    return Layout("judged", table, "judgements", columns, judges, scale, evidence=evidence)


def _filled_down(table: Table, columns: dict[str, str], choice: Choice) -> tuple[Table, str]:
    """Return the table with an id, or an annotator, that stands once above its rows repeated down, and words on it."""
    said = ""
    for role in ("annotator", "system", "doc_id") if len(table) else ():
        if role not in columns:
            continue
        name, blank = columns[role], is_blank(table, columns[role])
        count = pc.sum(blank).as_py()
        if not count or blank[0].as_py() or not _is_merged(table, columns, role, blank, choice):
            continue
        place, nothing = table.names.index(name), pa.scalar(None, pa.large_string())
        filled = pc.fill_null_forward(pc.if_else(blank, nothing, table.texts(name)))
        table = replace(table, columns=[*table.columns[:place], filled, *table.columns[place + 1 :]])
        said += f"; “{name}” of {counted(count, 'row')} is that of the row above"
    return table, said


def _is_merged(table: Table, columns: dict[str, str], role: str, blank: pa.ChunkedArray, choice: Choice) -> bool:
    """Tell whether blank cells belong to the cell above: it stands once, over all of its rows."""
    if "fill_down" in choice.options:
        return choice.options["fill_down"] == "yes"
    share = pc.sum(blank).as_py() / len(table)
    if role != "doc_id":  # a missing annotator may stand for the name of the file; a merged cell spans most rows
        under = "doc_id" in columns and pc.all(pc.or_(pc.invert(blank), is_blank(table, columns["doc_id"]))).as_py()
        return share >= 0.5 or bool(under)
    source, phrases = columns.get("annotator", columns.get("system")), phrases_in(columns)
    if source is None and phrases is not None and profile(table, phrases).lists >= 0.5:
        return False  # a list without an id is an error
    heads = table.rows(pc.invert(blank))
    keys = {name: heads.texts(name) for name in (columns["doc_id"], source) if name is not None}
    return share >= 0.2 and count_distinct(keys) == len(heads)


def list_separator(layout: Layout) -> str:
    """Return how the phrase column is split into phrases, or an empty string if a row holds one phrase.

    Cells are lists if no document (of one annotator or system) has two rows and the name or content says so.
    """
    table, columns = layout.table, layout.columns
    name = layout.phrases
    if name in list_columns(table):
        return "lists"
    # A column of variants belongs to one keyphrase a row, as the tidy form writes it.
    alone = whole_lists(table, [name]) and profile(table, columns.get("doc_id", name)).varied == 1
    if not table.splits or "variants" in table.names or ({"rank", "score"} & set(columns) and not alone):
        return ""
    lists = len(table) if layout.numbered else _count_lists(table, columns, layout.role)
    if lists < len(table):
        # A few documents that stand there twice are no reason to take lists for phrases.
        few = lists >= _FEW_TWICE * len(table)
        return next((mark for mark in ";," if few and share_with(table.texts(name), mark) >= 0.5), "")
    return cell_separator(table, name, certain=plain(name) in set(NAMES["phrases"]) - set(NAMES["phrase"]))


def _evidence(table: Table, columns: dict[str, str]) -> str:
    roles = told(columns)
    header = "" if table.header else " without a header"
    return f"{table.described}{header}{'; ' if roles else ''}{roles}"
