"""Read tables (CSV, TSV, XLSX, ODS, Parquet, JSON) by the names of their columns or their cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note, pluralize
from kp_core.reading.meaning import fields as known
from kp_core.reading.meaning.fields import plain, quoted, roles_in_words
from kp_core.reading.meaning.layout import Family, Layout, NoData, Recognition, Strength
from kp_core.reading.meaning.layouts import layout_of, with_column
from kp_core.reading.meaning.mapping import HEADS, SHEET, Mapping, Proposal
from kp_core.reading.meaning.prefill import guess
from kp_core.reading.meaning.question import Form, form_of_proposal
from kp_core.reading.open.decode import File
from kp_core.reading.open.delimited import read_delimited
from kp_core.reading.open.json_table import begins_like_json, json_of, json_table
from kp_core.reading.open.table import UNNAMED, Table
from kp_core.reading.open.values import repeated
from kp_core.reading.open.workbooks import is_parquet, read_parquet, read_sheet, sheet_names
from kp_core.reading.rows.apply import rows_of
from kp_core.reading.rows.check import Rows

#: Name of a format of JSON that is read as a table → its description.
FORMS = {"F1": "lists, JSON: phrases, variants, scores", "F6": "one JSON object per document (JSONL)"}
#: Names of columns of measures.
_MEASURE = re.compile(
    r"(?:p|r|f|f1|map|mrr|ndcg|precision|recall|accuracy|kappa|f_?1?_?(?:score|measure))(?:_?@?[0-9mo]+)?"
)


def tables_of(file: File, mapping: Mapping) -> list[Table]:
    """Return the tables of a file, one per sheet of a workbook."""
    if is_parquet(file):
        return [file.once("parquet", lambda: read_parquet(file))]
    if file.workbook:
        sheets = [name for name in mapping.sheet if name in sheet_names(file)]
        return _sheets_of(file, sheets or sheet_names(file), mapping)
    table = json_table(file) if begins_like_json(json_of(file)) else None
    if table is None and not begins_like_json(json_of(file)):
        table = file.once("table", lambda: read_delimited(file, mapping))
    return [] if table is None else [table]


def sheets_in(file: File) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook; empty if it has only one."""
    names = tuple(sheet_names(file)) if file.workbook else ()
    return names if len(names) > 1 else ()


def _sheets_of(file: File, names: Sequence[str], mapping: Mapping) -> list[Table]:
    """Return the sheets that are not empty; a first row that all of them share is their header."""
    tables = [table for name in names if len(table := read_sheet(file, name, mapping))]
    rows = {tuple(filter(None, (column[0].as_py() for column in table.columns))) for table in tables}
    if len(tables) > 1 and len(rows) == 1 and not any(table.header for table in tables):
        return [read_sheet(file, name, replace(mapping, header="yes")) for name in names]
    return tables


def form_of_unknown(file: File, role: Role | None) -> Form | None:
    """Return a form asking for the meaning of a table, or None if the file has no columns, or no column names."""
    table, rows_differ = next(iter(tables_of(file, file.mapping)), None), False
    if table is None and not (file.workbook or begins_like_json(json_of(file)) or file.mapping.header):
        table, rows_differ = read_delimited(file, replace(file.mapping, header="no")), True
    if table is None or not (table.header or (rows_differ and len(table.names) > 1)):
        return None
    if rows_differ:
        columns = Mapping(role or "gold", table.names[0], tuple(table.names[1:]), split="none", header="no")
        words = "Rows differ in length. Which column is the document, and which are keyphrases?"
        proposal = Proposal(columns).doubted(words, "document", "keyphrases")
    else:
        proposal = guess(table, role)
    merged = replace(proposal, mapping=file.mapping.merged(proposal.mapping))
    return form_of_proposal(file, merged, table, sheets_in(file))


def _are_results(table: Table) -> bool:
    heads = set(map(plain, table.names)) if table.header else set()
    measures = [head for head in heads if _MEASURE.fullmatch(head)]
    has_metrics = heads & known.METRICS and heads & known.METRIC_VALUES.union(known.NAMES["score"])
    return not heads & {*known.words_of("phrase")} and (len(measures) > 1 or bool(has_metrics))


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognize a table of lists, texts or judgements, or a workbook of such sheets."""
    mapping, tables = file.mapping, tables_of(file, file.mapping)
    if mapping == Mapping() and role != "judgements" and tables and all(map(_are_results, tables)):
        description = f"results of an evaluation (columns {', '.join(tables[0].names[:6])}), and no keyphrases"
        raise NoData(file.name, description, "lists of keyphrases", "Leave this file out: it contains results.")
    if mapping.format in FORMS and not all(table.form == mapping.format for table in tables):
        return None
    if mapping.names_columns:
        tables = _with_columns(tables, mapping)
    plan = [layout for table in tables if (layout := layout_of(table, role, mapping)) is not None]
    if mapping.names_columns:
        return _recognition(file, plan, role) if plan else None
    # Without a header, rows of different lengths are no table.
    limit = file.limits.rejected_percent
    plan = [item for item in plan if item.table.header or 100 * len(item.table.rejected) <= limit * item.table.read]
    plan = [layout for layout in plan if layout.proposal.worded] or plan
    if len(tables) > 1 and all(map(_may_be_document, tables)) and (documents := _documents_of(file, tables, role)):
        return _of_several(file, documents, role, "one for each document", document=SHEET)
    if len(plan) < 2 or len(mapping.sheet) == 1:
        return _recognition(file, plan[:1], role) if plan else None
    first, layouts = plan[0], list(map(_named_after_sheet, plan))
    if all((item.kind, item.role, item.columns) == (first.kind, first.role, first.columns) for item in plan):
        if _has_source(first) or first.kind in ("documents", "judged"):
            return _of_several(file, plan, role, "read as one table")
        of_heads = first.mapping.document == HEADS
        ids, *others = (set() if of_heads else set(layout.ids().to_pylist()) for layout in plan)
        if not of_heads and any(2 * len(ids & other) <= min(len(ids), len(other)) for other in others):
            question = "The sheets may be people or systems, or parts of one table."
            layouts[0] = layouts[0].doubted(question, "annotator", "system")
    return _of_several(file, layouts, role, "one for each annotator, system or table")


def _with_columns(tables: list[Table], mapping: Mapping) -> list[Table]:
    """Return the tables with the columns that a mapping names, with a note on the others, or the first table.

    Other sheets may have fewer columns without names, which are blank then.
    """
    for name in filter(UNNAMED.fullmatch, mapping.columns if len(tables) > 1 else ()):
        tables = [
            table if name in table.names else with_column(table, name, repeated("", len(table))) for table in tables
        ]
    fitting = [table for table in tables if {*mapping.columns} <= {*table.names}]
    other_sheets = [table.sheet for table in tables if table not in fitting]
    if not fitting or not other_sheets:
        return fitting or tables[:1]
    note = Note("warning", tables[0].file, f"Sheets without the chosen columns were not read: {quoted(other_sheets)}.")
    return [replace(fitting[0], notes=[*fitting[0].notes, note]), *fitting[1:]]


def _may_be_document(table: Table) -> bool:
    """Recognize a sheet without a column of documents and without lists of several documents."""
    layout = layout_of(table, None, Mapping()) if table.header else None
    if layout is None or not layout.proposal.worded:
        return table.header
    return layout.numbered and (bool(layout.proposal.doubts) or len(table) == 1)


def _documents_of(file: File, tables: Sequence[Table], role: Role | None) -> list[Layout]:
    """Return layouts in which each sheet is a document, with a doubt; empty if the sheets contain no keyphrases."""
    plan: list[Layout] = []
    for table in tables:
        columns = [repeated(table.sheet, len(table)), *table.columns]
        if layout := layout_of(replace(table, names=["doc_id", *table.names], columns=columns), role, file.mapping):
            plan.append(layout)
    if not plan or plan[0].role not in ("gold", "system"):
        return []
    return [plan[0].doubted("The sheets may be documents or people.", "document"), *plan[1:]]


def _recognition(file: File, plan: list[Layout], role: Role | None, **options: Any) -> Recognition:
    first_layout, sheets = plan[0], sheets_in(file)
    strength = Strength.NAMES if first_layout.table.header else Strength.CONTENT
    if sheets and not file.mapping.sheet:
        options = {"sheet": tuple(layout.table.sheet for layout in plan), **options}
    mapping = file.mapping if file.mapping.names_columns else first_layout.mapping
    changes: dict[str, Any] = options | ({} if first_layout.table.header else {"header": "no"})
    columns, evidence = dict(first_layout.columns), first_layout.evidence
    if first_layout.table.form == "F6":
        kind = "gold" if first_layout.role == "gold" else "predictions"
        columns = {kind if part == "phrase" else part: name for part, name in columns.items()}
        evidence = f"{first_layout.table.described}; {roles_in_words(columns)}"
    one_role = len({layout.role for layout in plan}) == 1
    return Recognition(
        first_layout.table.form,
        first_layout.role,
        (file,),
        evidence,
        # No mapping describes sheets of different roles.
        file.mapping.merged(replace(mapping, **changes)) if one_role else Mapping(),
        columns,
        offers={"sheet": sheets} if sheets else {},
        layouts=tuple(plan),
        guessed=not first_layout.proposal.role_known and role is None,
        strength=Strength.PROPOSED if first_layout.proposal.doubts else strength,
    )


def _of_several(file: File, plan: list[Layout], role: Role | None, sheets: str, **fields: Any) -> Recognition:
    names, recognition = quoted([layout.table.sheet for layout in plan]), _recognition(file, plan, role, **fields)
    return replace(recognition, evidence=f"{len(plan)} sheets ({names}), {sheets}; {recognition.evidence}")


def _named_after_sheet(layout: Layout) -> Layout:
    """Return the layout of a sheet named after its annotator or system."""
    name = plain(layout.table.sheet)
    is_gold = bool(known.GOLD & {name, *name.split("_")})
    if not layout.proposal.role_known:
        layout = replace(layout, role="gold" if is_gold or name not in known.SYSTEMS else "system")
    if layout.role not in ("gold", "system") or _has_source(layout):
        return layout
    source: dict[str, Any] = {"system" if layout.role == "system" else "annotator": SHEET}
    mapping = replace(layout.mapping, role=layout.role, **source)
    return replace(layout, source="gold" if is_gold else layout.table.sheet, mapping=mapping)


def _has_source(layout: Layout) -> bool:
    return layout.source_column() is not None or (layout.kind == "wide" and list(layout.sources) != [""])


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the recognized tables."""
    plan = recognition.layouts
    file, sheets = recognition.files[0], recognition.files[0].mapping.sheet
    if len({layout.role for layout in plan}) == 1:
        plan = tuple(replace(layout, role=recognition.role) for layout in plan)
    rows = [part for layout in plan for part in rows_of(layout, role)]
    for part in rows:
        part.table = part.table.combine_chunks()
    missing = [name for name in sheets if name not in sheet_names(file)] if file.workbook else []
    if not file.workbook or (sheets and not missing):
        return rows
    names = {layout.table.sheet for layout in plan}
    others = (read_sheet(file, name, Mapping(header="no")) for name in sheet_names(file) if name not in names)
    if unread := [table.sheet for table in others if any(pc.any(pc.not_equal(c, "")).as_py() for c in table.columns)]:
        unknown = f"There is no sheet “{missing[0]}”. " if missing else ""
        message = f"{unknown}Left out: {pluralize(len(unread), 'sheet')}, {quoted(unread)}."
        rows[0].notes.append(Note("info", file.name, message))
    return rows


F10 = Family("F10", "tables: CSV, TSV, XLSX, ODS, Parquet, JSON", recognise, read, FORMS=FORMS)
