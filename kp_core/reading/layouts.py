"""Find how a table is to be read: names decide, a few proofs decide, and what neither decides is a doubt in words."""

from __future__ import annotations

from collections import abc
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import counted
from kp_core.reading.doubts import doubted, may_be, people_and_machines
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
    plain,
    quoted,
    rater_in,
    source_of,
    told,
)
from kp_core.reading.joined import joined
from kp_core.reading.json_table import INNER, LIST, OUTER
from kp_core.reading.layout import PAIR, Doubt, Layout
from kp_core.reading.layout_mapping import layout_said
from kp_core.reading.mapping import SEPARATORS, Mapping
from kp_core.reading.marks import graded
from kp_core.reading.merged_cells import filled_down
from kp_core.reading.profiles import SAMPLE, count_distinct, profile, whole_lists
from kp_core.reading.separators import cell_separator, json_list
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


def layout_of(table: Table, role: Role | None, mapping: Mapping) -> Layout | None:
    """Return the layout that a mapping spells out, else the likeliest one, with what is in doubt about it.

    None if the table holds nothing to read.
    """
    asked = mapping.role if mapping.role and mapping.role != "leave out" else role
    if not table.names:
        return None
    table = graded(joined(meant_rows(table), mapping), mapping)
    if mapping.names_columns:
        return layout_said(table, mapping, asked)
    if (export := export_of(table, asked, mapping)) is not None:
        # Our own template says whose the rows are, and not that all of them are people.
        named = export.own and "relevance" not in export.columns and not mapping.as_read
        mixed = next(people_and_machines(export, []), None) if named else None
        return replace(mixed.meant, doubts=(mixed,)) if mixed else export
    if {OUTER, LIST} <= set(table.names):  # objects in lists are fields of their own, so there is no list
        return _of_nested(table, asked)
    if asked in (None, "judgements") and (judged := _of_pairs(table)) is not None:
        return judged
    guessed = asked or _role_by_heads(table)
    if guessed == "documents":
        found = _of_texts(table) if asked else _or_phrases(table, _of_texts(table), mapping)
    else:
        found = _of_phrases(table, guessed or "gold", mapping)
    return found and replace(found, role_sure=found.role_sure and guessed is not None)


def _of_nested(table: Table, role: Role | None) -> Layout:
    """Return the layout of lists by two keys, of which one is the document and one whose list it is."""
    outer, inner = (set(table.texts(name).to_pylist()) for name in (OUTER, INNER))
    systems = [bool(SYSTEMS & set(map(plain, names))) for names in (outer, inner)]
    turned = (systems[1] and not systems[0]) or (not any(systems) and len(inner) < len(outer))
    documents = OUTER if turned else INNER
    lists = table.texts(LIST) if LIST not in list_columns(table) else table.column(LIST)
    scored = are_scored([json_list(one) if isinstance(one, str) else one for one in lists.slice(0, SAMPLE).to_pylist()])
    guess: Role = role or ("system" if any(systems) or scored else "gold")
    person = "annotator" if guess == "gold" else "system"
    columns = {"doc_id": documents, person: OUTER if documents == INNER else INNER, "phrase": LIST}
    whose_names = sorted(outer if documents == INNER else inner)
    shown = ", ".join(f"“{name[:40]}”" for name in whose_names[:3]) + " …" * (len(whose_names) > 3)
    evidence = f"{table.described} by {shown}, of {counted(len(outer | inner) - len(whose_names), 'document')}"
    cells = "lists" if LIST in list_columns(table) else "json"
    made = Layout("lists", table, guess, columns, cells=cells, evidence=evidence)
    doubt = Doubt(
        "Objects within objects: which keys are the documents, and which the annotators or systems?",
        ("document",),
        made,
    )
    proved = systems[0] != systems[1]
    return replace(made, role_sure=role is not None or guess == "system", doubts=() if proved else (doubt,))


def _role_by_heads(table: Table) -> Role | None:
    """Return the role that the heads tell; None for keyphrases of anybody."""
    heads = set(map(plain, table.names)) if table.header else set()
    words = {role: heads & set(NAMES[role]) for role in ("rank", "score", "system", "annotator", "relevance", "votes")}
    worded = [name for name in table.names if table.header and is_told(name, "phrase")]
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


def _of_texts(table: Table) -> Layout | None:
    columns, _ = assigned(table, "texts", _ROLES["documents"], unknown=False)
    if not {"text", "title", "group"} & set(columns):
        columns, _ = assigned(table, "texts", ("doc_id", "text"), unknown=True)
    numbered = "doc_id" not in columns
    if not {"text", "title", "group"} & set(columns) or (numbered and not table.header):
        return None
    found = Layout("documents", table, "documents", columns, numbered=numbered, evidence=_evidence(table, columns))
    unknown = [(r, n) for r, n in columns.items() if "unknown" in clues_of(table, n)]
    return replace(found, doubts=may_be(unknown, found))


def _or_phrases(table: Table, found: Layout | None, mapping: Mapping) -> Layout | None:
    """Return texts that nobody asked for, with the doubt about a column that may hold their keyphrases."""
    beside = [name for name in table.names if found and name not in found.columns.values()]
    name = next((name for name in beside if _may_be_phrases(table, name)), None)
    if found is None or name is None:
        return found
    columns = found.columns | {"phrase": name}
    if found.numbered:
        columns, _ = assigned(table, "lists", ("doc_id",), columns, unknown=True)
    meant = _finished(table, "gold", columns, mapping) or found
    return replace(meant, doubts=meant.doubts or may_be([("phrase", name)], meant))


def _may_be_phrases(table: Table, name: str) -> bool:
    """Tell a column of words under a head that nobody knows."""
    shape = profile(table, name)
    words = plain(name) not in KNOWN | NO_PHRASES | {*IDENTIFIERS} and shape.phrases and bool(shape.cells)
    return words and not (shape.codes or shape.addresses or shape.numbers)


def _of_phrases(table: Table, role: Role, mapping: Mapping) -> Layout | None:
    """Return the layout of a table of phrases."""
    columns = _columns(table, role, unknown=False)
    identifiers = [name for name in table.names if plain(name) in IDENTIFIERS and name not in columns.values()]
    # Phrases under the head of identifiers are these themselves.
    identifiers += [name for part, name in columns.items() if part == "phrase" and plain(name) in IDENTIFIERS]
    if "phrase" in columns and "concept" not in columns and identifiers:
        columns["concept"] = identifiers[0]
    if "phrase" not in columns and {"doc_id", "concept"} <= set(columns) and len(columns) == len(table.names):
        columns["phrase"] = columns["concept"]  # identifiers alone are called by themselves
    apart = columns_by_source(table, columns)
    if apart and _repeats(table, columns, role) and not _named(apart):
        apart = {}  # a phrase a row, under a head that nobody knows
    if apart:
        columns.pop("phrase", "")
        return _of_columns(table, role, columns, apart, mapping)
    if "phrase" not in columns or "doc_id" not in columns:
        columns = _columns(table, role, unknown=True) if not table.header or _may_guess(table, columns) else columns
    if "phrase" not in columns:
        return None
    return _finished(table, role, columns, mapping)


def _repeats(table: Table, columns: dict[str, str], role: Role) -> bool:
    """Tell rows of several documents, of which several are of one document, and of one annotator or system."""
    if "doc_id" not in columns or len(pc.unique(table.texts(columns["doc_id"]))) < 2:
        return False
    return _count_lists(table, columns, role) < len(table)


def _named(sources: abc.Mapping[str, tuple[str, ...]]) -> bool:
    """Tell columns whose heads say whose they are."""
    heads = [name for names in sources.values() for name in names]
    return all(is_predicted(name) or source_of(name) != base_of(name) for name in heads)


def _may_guess(table: Table, columns: dict[str, str]) -> bool:
    """Tell a table about keyphrases, whose other columns may be found by what they hold."""
    counted = any("counts" in clues_of(table, name) for name in table.names)
    lists = len(_lists_of(table)) == 1 or len(list_columns(table)) == 1
    coded = any({"codes", "again"} <= clues_of(table, name) for name in table.names)
    return bool({"doc_id", "phrase"} & set(columns)) or lists or counted or coded


def _columns(table: Table, role: Role, *, unknown: bool) -> dict[str, str]:
    """Return role → column in the shape of tables that fits best."""
    best: tuple[tuple[bool, bool, float], dict[str, str]] | None = None
    for shape in ("lists", "long"):
        columns, worth = assigned(table, shape, _ROLES[role], unknown=unknown)
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


def _finished(table: Table, role: Role, columns: dict[str, str], mapping: Mapping) -> Layout | None:
    """Return the layout of a phrase or a list a row, with what is in doubt."""
    numbered = "doc_id" not in columns
    if numbered and {"rank", "score"} & set(columns):
        return None  # several rows a list, and nothing that tells them apart
    table, filled = filled_down(table, columns, mapping)
    made = Layout("long", table, role, columns, numbered=numbered, inner=mapping.inner)
    chosen = "lists" if made.phrases in list_columns(table) else mapping.split
    cells = "" if chosen == "none" else chosen or list_separator(made)
    if numbered and not cells and "text" in columns and not mapping.split:
        cells = "none"  # a text and its one keyphrase
    if numbered and not cells:
        return None
    evidence = _evidence(table, columns) + (f"; {SEPARATORS.get(cells, cells)}" if cells else "")
    evidence += ("; each row is a document" if numbered else "") + filled
    made = replace(made, kind="lists" if cells else "long", cells=cells, evidence=evidence)
    found = doubted(made, mapping)
    if found.kind in ("long", "lists") and found.columns != made.columns and chosen != "lists" and not mapping.split:
        cells = list_separator(found)  # with a further column that tells lists apart, rows may be lists
        found = replace(found, kind="lists" if cells else "long", cells=cells)
    return found


def _of_columns(
    table: Table, role: Role, columns: dict[str, str], sources: abc.Mapping[str, tuple[str, ...]], mapping: Mapping
) -> Layout:
    """Return the layout with one column, or several numbered ones, an annotator or system."""
    columns = _ids_beside(table, columns, sources)
    numbered = "doc_id" not in columns
    used = [name for names in sources.values() for name in names]
    columns = {part: name for part, name in columns.items() if part not in ("source",) and name not in used}
    head = gold_beside(sources)
    evidence = f"{_evidence(table, columns)}; {whose(sources, role)}"
    table, filled = filled_down(table, columns, mapping)
    cells = "" if mapping.split == "none" else mapping.split
    gold = (head,) if head else ()
    if gold:
        systems = [name for name in used if name not in gold]
        evidence = f"{_evidence(table, columns)}; the gold standard in {quoted(gold)}, systems in {quoted(systems)}"
    made = Layout(
        "wide", table, role, columns, sources, cells, numbered, united=False, gold=gold, evidence=evidence + filled
    )
    return doubted(made, mapping)


def _ids_beside(table: Table, columns: dict[str, str], sources: abc.Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Add ids, titles and people that stand beside the columns of people or systems."""
    columns = dict(columns)
    corner = next((part for part in ("annotator", "system") if part in columns and "doc_id" not in columns), "")
    if corner and profile(table, columns[corner]).varied == 1:  # it says what stands beside it, not below
        columns["doc_id"] = columns.pop(corner)
    used = {name for names in sources.values() for name in names}
    if "doc_id" not in columns:
        taken = {part: name for part, name in columns.items() if part not in ("title", "text")}
        found, _ = assigned(table, "lists", ("doc_id", "title"), taken, unknown=True, out=used)
        columns |= {part: name for part, name in found.items() if part in ("doc_id", "title") and name not in used}
    if columns.get("title") == columns.get("doc_id"):
        columns.pop("title", "")
    return columns


def _of_pairs(table: Table) -> Layout | None:
    """Return the layout of judged pairs: `candidate` beside `keyphrase` or scores of people."""
    if not table.header:
        return None
    columns = find_roles(table.names, (*PAIR, "annotator", "score"))
    free = [name for name in table.names if name not in columns.values()]
    if "keyphrase" in columns and "candidate" not in columns and (beside := find_roles(free, ("phrase",))):
        columns["candidate"] = beside["phrase"]
        free.remove(beside["phrase"])
    raters = [name for name in free if JUDGE.match(name)]
    if "candidate" not in columns or not ("keyphrase" in columns or raters or "score" in columns):
        return None
    if not raters and "score" not in columns:
        shapes = {name: profile(table, name) for name in free if plain(name) not in KNOWN}
        raters = [name for name, shape in shapes.items() if shape.cells and shape.numbers > 0.8]
        if not raters:
            return None
    judges = {rater_in(name): (name,) for name in raters if "score" not in columns}
    evidence = f"{table.described}; `candidate` stands beside {'`keyphrase`' if 'keyphrase' in columns else 'scores'}"
    return Layout("judged", table, "judgements", columns, judges, evidence=evidence)


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
