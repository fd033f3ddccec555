"""Find the layout of a table from the user's mapping, a known export, or column names and cells."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import cast

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, pluralize
from kp_core.reading.meaning.derived import derived, filled_down, with_column
from kp_core.reading.meaning.exports import export_of, meant_rows
from kp_core.reading.meaning.fields import grouped, quoted, rater_in, roles_in_words, system_in
from kp_core.reading.meaning.layout import Layout
from kp_core.reading.meaning.mapping import FILE, HEADS, PLACES, ROW, SEPARATORS, SHEET, Mapping
from kp_core.reading.meaning.prefill import proposal, systems_named
from kp_core.reading.meaning.profiles import whole_lists
from kp_core.reading.open.source import stem_of
from kp_core.reading.open.table import Table, list_columns
from kp_core.reading.open.values import repeated
from kp_core.reading.rows.separators import cell_separator, number_behind

#: Roles of columns, and of columns of texts, in the order in which they are shown.
_ORDER = (
    *("pair_id", "doc_id", "system", "annotator", "rank", "score", "relevance", "votes", "verdict"),
    *("phrase", "keyphrase", "candidate", "concept", "title", "text", "group"),
)
_DOCUMENTS = ("doc_id", "text", "title", "group")
#: Role of a column → field of a mapping, if it has another name.
_FIELDS = {"doc_id": "document", "pair_id": "pair"}


def layout_of(table: Table, role: Role | None, mapping: Mapping) -> Layout | None:
    """Return the layout that a mapping specifies, else the proposed one with its doubts, or None."""
    asked = mapping.role if mapping.role and mapping.role != "leave out" else role
    if not table.names:
        return None
    table = derived(meant_rows(table), mapping)
    if mapping.names_columns:
        return layout_from_mapping(table, mapping, asked)
    proposed = export_of(table, asked) or proposal(table, asked)
    if proposed is None:
        return None
    if proposed.own and not proposed.mapping.relevance:
        proposed = systems_named(table, proposed, ())
    meant = replace(proposed.mapping, dataset=table.dataset, run=table.run).merged(replace(mapping, role=""))
    made = layout_from_mapping(table, meant, cast(Role, proposed.mapping.role))
    origin = f"as {proposed.program} writes it; " if proposed.program else ""
    proposed = replace(proposed, doubts=()) if mapping.as_read else proposed
    return replace(made, evidence=f"{origin}{made.evidence}", proposal=proposed)


def layout_from_mapping(table: Table, mapping: Mapping, role: Role | None) -> Layout:
    """Return the layout that a mapping specifies; only the separator inside cells may be detected.

    Raises InputError for columns missing from the table, or fields missing from the mapping.
    """
    _refuse_unknown_columns(table, mapping)
    meant = role or _role_of(mapping)
    columns = {part: getattr(mapping, _FIELDS.get(part, part), "") for part in _ORDER}
    columns["score"] = mapping.score[0] if len(mapping.score) == 1 else ""
    columns = {part: name for part, name in columns.items() if name and name not in PLACES}
    table, columns = _with_places(table, mapping, columns)
    table, filled = filled_down(table, columns | dict(zip(["phrase"], mapping.keyphrases, strict=False)), mapping)
    made = Layout("documents", table, meant, columns, replace(mapping, role=meant), numbered=mapping.document == ROW)
    if meant == "documents":
        _need({"text", "title", "group"} & columns.keys(), table, "a column of texts or titles")
    elif meant == "judgements":
        made = _judged(made)
    else:
        _need(mapping.keyphrases, table, "a column of keyphrases")
        made = replace(made, source=table.sheet if SHEET in (mapping.annotator, mapping.system) else "")
        made = _in_columns(made) or _in_one_column(made)
    in_heads = mapping.document == HEADS and made.kind in ("turned", "marked")
    if not ("doc_id" in made.columns or made.numbered or in_heads or made.kind == "judged"):
        remedy = f"Name it: --as {table.file}:document=…, or document={ROW} if each row is a document."
        raise InputError(table.file, "no column of documents", "what the documents are", remedy)
    order = _DOCUMENTS if meant == "documents" else _ORDER
    made = replace(made, columns={part: made.columns[part] for part in order if part in made.columns})
    return replace(made, evidence=_evidence(made) + filled)


def _evidence(layout: Layout) -> str:
    table, names = layout.table, [name for columns in layout.sources.values() for name in columns]
    beside = names if layout.kind in ("wide", "turned", "marked", "scored") else []
    columns = {role: name for role, name in layout.columns.items() if name not in beside}
    parts = [table.described + ("" if table.header else " without a header"), roles_in_words(columns)]
    if layout.gold:
        systems = [name for name in names if name not in layout.gold]
        parts.append(f"the gold standard in {quoted(layout.gold)}, systems in {quoted(systems)}")
    elif list(layout.sources) == [""]:
        parts.append(f"one list in {pluralize(len(names), 'column')}")
    elif layout.sources:
        whose = "systems" if layout.role == "system" else "annotators"
        parts.append(f"{'documents' if layout.kind == 'turned' else whose} in {quoted(names)}")
    cells = layout.cells if layout.kind == "lists" else ""
    parts += [SEPARATORS.get(cells, "")] + ["each row is a document"] * layout.numbered
    return "; ".join(filter(None, parts))


def _refuse_unknown_columns(table: Table, mapping: Mapping) -> None:
    taken = {table.dataset, table.run}  # already part of ids and system names
    for name in mapping.columns:
        if name not in table.names and name not in taken:
            near = get_close_matches(name, table.names, 3, 0.5) or table.names[:10]
            remedy = f"Did you mean {' or '.join(f'“{other}”' for other in near)}?"
            raise InputError(table.file, f"no column “{name}”", "columns that the file has", remedy)


def _role_of(mapping: Mapping) -> Role:
    if mapping.candidate:
        return "judgements"
    if mapping.system or mapping.rank or mapping.score:
        return "system"
    return "gold" if mapping.keyphrases else "documents"


def _with_places(table: Table, mapping: Mapping, columns: dict[str, str]) -> tuple[Table, dict[str, str]]:
    """Add the columns for documents that are files or sheets, and for annotators that are rows."""
    if mapping.document in (FILE, SHEET):
        name = stem_of(table.file) if mapping.document == FILE else table.sheet
        table = with_column(table, mapping.document, repeated(name, len(table)))
        columns = columns | {"doc_id": mapping.document}
    if mapping.annotator == ROW:
        table, columns = with_column(table, ROW, table.numbers()), columns | {"annotator": ROW}
    return table, columns


def _need(there: object, table: Table, expected: str, found: str = "no column with this meaning") -> None:
    if not there:
        raise InputError(table.file, found, expected, "Say which column it is.")


def _judged(made: Layout) -> Layout:
    mapping, phrases, scores = made.mapping, made.mapping.keyphrases, tuple(made.mapping.score)
    there = phrases or scores if mapping.candidate else phrases and "relevance" in made.columns
    _need(there, made.table, "a column of candidates next to keyphrases or scores", "no scores of people")
    if not mapping.candidate:
        return replace(made, kind="long", columns=made.columns | {"phrase": phrases[0]})
    keyphrase = {"keyphrase": phrases[0]} if phrases else {}
    raters = {rater_in(name): (name,) for name in scores} if len(scores) > 1 or mapping.annotator == HEADS else {}
    scale = mapping.scale or "any" * mapping.as_read
    return replace(made, kind="judged", columns=made.columns | keyphrase, sources=raters, cells=scale)


def _in_columns(made: Layout) -> Layout | None:
    """Return the layout if there are several columns of keyphrases, marks or scores, else None."""
    mapping, phrases = made.mapping, tuple(made.mapping.keyphrases)
    apart, first = HEADS in (mapping.annotator, mapping.system), made.columns | {"phrase": phrases[0]}
    if mapping.marks:
        return replace(made, kind="marked", columns=first, sources={name: (name,) for name in mapping.marks})
    if mapping.document == HEADS:
        return replace(made, kind="turned", sources={name: (name,) for name in phrases})
    if len(mapping.score) > 1:
        return replace(made, kind="scored", columns=first, sources={system_in(name): (name,) for name in mapping.score})
    if not apart and len(phrases) == 1:
        return None
    gold = tuple(name for name in mapping.gold if name in phrases)
    whole = phrases if gold else whole_lists(made.table, phrases)
    sources = grouped(phrases, whole) if apart else {"": phrases}
    united, cells = not apart and mapping.split != "none", "" if mapping.split == "none" else mapping.split
    return replace(made, kind="wide", sources=sources, united=united, cells=cells, gold=gold)


def _in_one_column(made: Layout) -> Layout:
    mapping, table, name = made.mapping, made.table, made.mapping.keyphrases[0]
    gold_is = tuple(mapping.gold) if "system" in made.columns else ()
    made = replace(made, columns=made.columns | {"phrase": name}, gold_is=gold_is)
    cells = "lists" if name in list_columns(table) else mapping.split
    if not cells:  # a ranked row is one phrase
        single = not table.splits or {"rank", "score"} & made.columns.keys()
        cells = "none" if single else cell_separator(table, name, certain=False) or "none"
    # With one keyphrase per row, the rows of a document are one list, unless each row is a document.
    if cells != "none" or made.numbered:
        return replace(made, kind="lists", cells=cells)
    return _with_scores_behind(made) if mapping.inner == "scored" else replace(made, kind="long")


def _with_scores_behind(made: Layout) -> Layout:
    table, pairs = made.table, zip(*map(number_behind, made.table.texts(made.phrases).to_pylist()), strict=True)
    for name, values in zip(("(phrase)", "(score)"), pairs, strict=True):
        table = with_column(table, name, pa.chunked_array([pa.array(values, pa.large_string())]))
    return replace(made, kind="long", table=table, columns=made.columns | {"phrase": "(phrase)", "score": "(score)"})
