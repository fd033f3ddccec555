"""Turn what a mapping says of a table into the layout by which its rows are read."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, counted
from kp_core.reading.fields import grouped, quoted, rater_in, system_in, told
from kp_core.reading.layout import Layout
from kp_core.reading.list_cells import number_behind
from kp_core.reading.mapping import FILE, HEADS, PLACES, ROW, SEPARATORS, SHEET, Mapping
from kp_core.reading.merged_cells import filled_down
from kp_core.reading.profiles import whole_lists
from kp_core.reading.separators import cell_separator
from kp_core.reading.source import stem_of
from kp_core.reading.table import Table, list_columns
from kp_core.reading.values import repeated

#: Field of a mapping → the role that its column has in a layout.
_PARTS = {
    "document": "doc_id",
    "annotator": "annotator",
    "system": "system",
    "rank": "rank",
    "relevance": "relevance",
    "votes": "votes",
    "verdict": "verdict",
    "candidate": "candidate",
    "pair": "pair_id",
    "title": "title",
    "text": "text",
    "group": "group",
    "concept": "concept",
}
#: Roles of columns in the order in which they are shown, and of columns of texts.
_ORDER = (
    *("pair_id", "doc_id", "system", "annotator", "rank", "score", "relevance", "votes", "verdict"),
    *("phrase", "keyphrase", "candidate", "concept", "title", "text", "group"),
)
_DOCUMENTS = ("doc_id", "text", "title", "group")
#: What a table needs, by its role.
_NEEDS = {
    "gold": "a column of keyphrases",
    "system": "a column of keyphrases",
    "documents": "a column of texts or titles",
    "judgements": "a column of candidates beside keyphrases or scores",
}


def layout_said(table: Table, mapping: Mapping, role: Role | None) -> Layout:
    """Return the layout that a mapping spells out; nothing is added but the separator inside cells.

    Raises InputError for a column that the table does not have, or for a mapping that lacks what its role needs.
    """
    made, repeated_down = _spelled_out(table, mapping, role)
    parts = sorted(made.columns, key=_DOCUMENTS.index if made.role == "documents" else _ORDER.index)
    made = replace(made, columns={part: made.columns[part] for part in parts})
    return replace(made, evidence=_evidence(made) + repeated_down)


def _spelled_out(table: Table, mapping: Mapping, role: Role | None) -> tuple[Layout, str]:
    """Return the layout of a mapping, and words on ids that were repeated in the rows below them."""
    _refuse_unknown_columns(table, mapping)
    meant = _role_of(mapping, role)
    columns = {part: name for field, part in _PARTS.items() if (name := getattr(mapping, field)) and name not in PLACES}
    if len(mapping.score) == 1:
        columns["score"] = mapping.score[0]
    table, columns = _with_places(table, mapping, columns)
    phrases = dict(zip(["phrase"], mapping.keyphrases, strict=False))
    table, said = filled_down(table, columns | phrases, mapping)
    made = Layout("documents", table, meant, columns, replace(mapping, role=meant), higher=mapping.higher_is_better)
    made = replace(made, numbered=mapping.document == ROW)
    if meant == "documents":
        _need(bool({"text", "title", "group"} & columns.keys()), table, meant)
        return made, said
    if meant == "judgements":
        return _judged(made, mapping), said
    _need(bool(mapping.keyphrases), table, meant)
    if not mapping.document:
        remedy = f"Name it: --as {table.file}:document=…, or document={ROW} if each row is a document."
        raise InputError(table.file, "no column of documents", "what the documents are", remedy)
    made = replace(made, source=table.sheet if SHEET in (mapping.annotator, mapping.system) else "")
    return _in_columns(made, mapping) or _in_one_column(made, mapping), said


def _evidence(layout: Layout) -> str:
    """Say how a table is read: its columns, whose lists they are, and how cells are split."""
    table, names = layout.table, [name for own in layout.sources.values() for name in own]
    beside = {"wide", "turned", "marked", "scored"} & {layout.kind}
    columns = {role: name for role, name in layout.columns.items() if not (beside and name in names)}
    parts = [table.described + ("" if table.header else " without a header"), told(columns)]
    if layout.gold:
        systems = [name for name in names if name not in layout.gold]
        parts.append(f"the gold standard in {quoted(layout.gold)}, systems in {quoted(systems)}")
    elif layout.kind == "turned":
        parts.append(f"documents in {quoted(names)}")
    elif list(layout.sources) == [""]:
        parts.append(f"one list in {counted(len(names), 'column')}")
    elif layout.sources:
        whose = "systems" if layout.role == "system" else "annotators"
        parts.append(f"{whose} in {quoted(names)}")
    cells = layout.cells if layout.kind == "lists" else ""
    parts += [SEPARATORS.get(cells, "")] + ["each row is a document"] * layout.numbered
    return "; ".join(filter(None, parts))


def _refuse_unknown_columns(table: Table, mapping: Mapping) -> None:
    taken = {table.dataset, table.run}  # by now a part of the ids, and of the names of systems
    for name in mapping.columns:
        if name not in table.names and name not in taken:
            near = get_close_matches(name, table.names, 3, 0.5) or table.names[:10]
            remedy = f"Did you mean {' or '.join(f'“{one}”' for one in near)}?"
            raise InputError(table.file, f"no column “{name}”", "columns that the file has", remedy)


def _role_of(mapping: Mapping, role: Role | None) -> Role:
    """Return what a table is: what it was given as, or what its fields belong to."""
    if role is not None:
        return role
    if mapping.candidate:
        return "judgements"
    if mapping.system or mapping.rank or mapping.score:
        return "system"
    return "gold" if mapping.keyphrases else "documents"


def _with_places(table: Table, mapping: Mapping, columns: dict[str, str]) -> tuple[Table, dict[str, str]]:
    """Add the columns that a place stands for: the document is the file or each sheet, the annotator is each row."""
    if mapping.document in (FILE, SHEET):
        name = stem_of(table.file) if mapping.document == FILE else table.sheet
        table = _with_column(table, mapping.document, repeated(name, len(table)))
        columns = columns | {"doc_id": mapping.document}
    if mapping.annotator == ROW:
        table, columns = _with_column(table, ROW, table.numbers()), columns | {"annotator": ROW}
    return table, columns


def _with_column(table: Table, name: str, values: pa.ChunkedArray) -> Table:
    return replace(table, names=[*table.names, name], columns=[*table.columns, values])


def _need(there: bool, table: Table, role: Role) -> None:
    if not there:
        found = "no scores of people" if role == "judgements" else "no column with this meaning"
        raise InputError(table.file, found, _NEEDS[role], "Say which column it is.")


def _judged(made: Layout, mapping: Mapping) -> Layout:
    """Return judged pairs, or the judged output of systems: a grade beside each phrase."""
    table, phrases, scores = made.table, tuple(mapping.keyphrases), tuple(mapping.score)
    if not mapping.candidate:
        _need(bool(phrases) and "relevance" in made.columns, table, made.role)
        return replace(made, kind="long", columns=made.columns | {"phrase": phrases[0]})
    _need(bool(phrases or scores), table, made.role)
    keyphrase = {"keyphrase": phrases[0]} if phrases else {}
    raters = {rater_in(name): (name,) for name in scores} if len(scores) > 1 or mapping.annotator == HEADS else {}
    return replace(made, kind="judged", columns=made.columns | keyphrase, sources=raters, cells=mapping.scale)


def _in_columns(made: Layout, mapping: Mapping) -> Layout | None:
    """Return the layout with several columns of keyphrases, marks or scores; None if there is one of each."""
    phrases, marks, scores = tuple(mapping.keyphrases), tuple(mapping.marks), tuple(mapping.score)
    apart = HEADS in (mapping.annotator, mapping.system)
    first = made.columns | {"phrase": phrases[0]}
    if marks:
        return replace(made, kind="marked", columns=first, sources={name: (name,) for name in marks})
    if mapping.document == HEADS:
        return replace(made, kind="turned", sources={name: (name,) for name in phrases})
    if len(scores) > 1:
        return replace(made, kind="scored", columns=first, sources={system_in(name): (name,) for name in scores})
    if not apart and len(phrases) == 1:
        return None
    gold = tuple(name for name in mapping.gold if name in phrases)
    whole = phrases if gold else whole_lists(made.table, phrases)
    sources = grouped(phrases, whole) if apart else {"": phrases}
    united, cells = not apart and mapping.split != "none", "" if mapping.split == "none" else mapping.split
    return replace(made, kind="wide", sources=sources, united=united, cells=cells, gold=gold)


def _in_one_column(made: Layout, mapping: Mapping) -> Layout:
    """Return the layout of a keyphrase or a list per row."""
    made = replace(made, columns=made.columns | {"phrase": mapping.keyphrases[0]}, inner=mapping.inner)
    made = replace(made, gold_is=tuple(mapping.gold))
    nested = made.phrases in list_columns(made.table)
    cells = "lists" if nested else mapping.split or _separator(made)
    # A keyphrase per row makes one list per document, unless each row is a document.
    lists = cells != "none" or made.numbered
    if mapping.inner == "scored" and not lists and not nested:
        return _with_scores_behind(made)
    return replace(made, kind="lists" if lists else "long", cells=cells if lists else "")


def _with_scores_behind(made: Layout) -> Layout:
    """Return the layout of a keyphrase per row with the number behind it in a column of scores."""
    pairs = [number_behind(cell) for cell in made.table.texts(made.phrases).to_pylist()]
    columns = [pa.chunked_array([pa.array(values, pa.large_string())]) for values in zip(*pairs, strict=True)]
    names, every = [*made.table.names, "(phrase)", "(score)"], [*made.table.columns, *columns]
    table = replace(made.table, names=names, columns=every)
    return replace(made, kind="long", table=table, columns=made.columns | {"phrase": "(phrase)", "score": "(score)"})


def _separator(layout: Layout) -> str:
    """Return how cells are split if the user left it open; ranked rows hold one phrase each."""
    if not layout.table.splits or {"rank", "score"} & layout.columns.keys():
        return "none"
    return cell_separator(layout.table, layout.phrases, certain=False) or "none"
