"""Derive columns: ids with their data set, systems with their run, grades from marks, merged cells."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.meaning.fields import DATASETS, NAMES, RUNS, UNSURE, are_records, find_roles, plain
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.meaning.profiles import cells_of, count_distinct, fill_forward, is_blank, profile
from kp_core.reading.open.table import Table

#: Subject indexer's mark (yes, indirectly, no) → grade.
GRADES = {"Y": "2", "I": "1", "N": "0"}


def derived(table: Table, mapping: Mapping) -> Table:
    """Return a table with data sets as prefixes of ids, runs as suffixes of systems, and grades in place of marks.

    >>> columns = [pa.chunked_array([[one, two]]) for one, two in (("nus", "inspec"), ("1", "1"), ("tide", "sea"))]
    >>> table = derived(Table("g.csv", ["dataset", "doc_id", "phrase"], columns), Mapping())
    >>> table.names, table.datasets, table.texts("doc_id").to_pylist()
    (['doc_id', 'phrase'], ('nus', 'inspec'), ['nus/1', 'inspec/1'])
    """
    return _graded(_with_runs(_with_datasets(table, mapping), mapping), mapping)


def with_column(table: Table, name: str, column: pa.ChunkedArray) -> Table:
    """Return a table with a column replaced, or added at its end."""
    columns = dict(zip(table.names, table.columns, strict=True)) | {name: column}
    return replace(table, names=[*columns], columns=[*columns.values()])


def _with_datasets(table: Table, mapping: Mapping) -> Table:
    roles = {"doc_id": mapping.document} if mapping.document in table.names else find_roles(table.names, ("doc_id",))
    named = [name for name in table.names if plain(name) in DATASETS]
    if mapping.names_columns:
        named = [name for name in table.names if name == mapping.dataset]
    if len(named) != 1 or "doc_id" not in roles or are_records(table.without(named).names):
        return table
    datasets, ids = table.texts(named[0]), table.texts(roles["doc_id"])
    names = [name for name in pc.unique(datasets).to_pylist() if name.strip()]
    same = count_distinct({"dataset": datasets, "id": ids}) == len(pc.unique(ids))
    if len(names) < 2 or (same and plain(named[0]) in UNSURE and not mapping.dataset):
        return table
    without = pc.sum(pc.and_(pc.equal(pc.utf8_trim_whitespace(datasets), ""), pc.not_equal(ids, ""))).as_py()
    if without:
        remedy = f"Fill “{named[0]}”, or define the other columns: --as {table.file}:document=…,keyphrases=…"
        found = pluralize(without, "row without a data set", "rows without a data set")
        raise InputError(table.file, found, "a data set in every row, or in none", remedy)
    if not all(map(str.startswith, ids.to_pylist(), (f"{name}/" for name in datasets.to_pylist()))):
        ids = _both(datasets, "/", ids)
    made = with_column(table, roles["doc_id"], ids).without(named)
    return replace(made, datasets=tuple(names), dataset=named[0])


def _with_runs(table: Table, mapping: Mapping) -> Table:
    free = [name for name in table.names if plain(name) in RUNS]
    roles = find_roles([name for name in table.names if name not in free], ("system",))
    if mapping.names_columns:
        free, roles = [name for name in table.names if name == mapping.run], {"system": mapping.system}
    if len(free) != 1 or roles.get("system") not in table.names:
        return table
    systems, runs = table.texts(roles["system"]), table.texts(free[0])
    one_each = count_distinct({"system": systems, "run": runs}) == len(pc.unique(systems))
    if one_each or "" in pc.unique(runs).to_pylist():
        return table
    return replace(with_column(table, roles["system"], _both(systems, "#", runs)).without(free), run=free[0])


def _both(first: pa.ChunkedArray, mark: str, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """Join two columns; blank if either cell is blank, so that the row is rejected."""
    blank, nothing = pc.or_(pc.equal(first, ""), pc.equal(second, "")), pa.scalar("", pa.large_string())
    return pc.if_else(blank, nothing, pc.binary_join_element_wise(first, second, pa.scalar(mark, pa.large_string())))


def _graded(table: Table, mapping: Mapping) -> Table:
    """Replace marks by grades; unmarked rows count as N, with a note."""
    for name in table.names if table.header else ():
        marks = set(map(str.upper, cells_of(table, name)))
        graded = plain(name) in NAMES["relevance"] or mapping.relevance == name
        if not graded or not marks or not marks <= GRADES.keys():
            continue
        cells = list(map(str.strip, table.texts(name).to_pylist()))
        grades = pa.array([GRADES.get(cell.upper() or "N", cell) for cell in cells], pa.large_string())
        shown = ", ".join(f"{mark} = {grade}" for mark, grade in GRADES.items() if mark in marks)
        table = with_column(table, name, pa.chunked_array([grades]))
        table.described += f"; marks in “{name}” are grades ({shown})"
        if blank := cells.count(""):
            message = f"Rows without a mark in “{name}”, which count as N: {blank:,}."
            table.notes = [*table.notes, Note("warning", table.file, message)]
    return table


def filled_down(table: Table, columns: dict[str, str], mapping: Mapping) -> tuple[Table, str]:
    """Fill down ids, annotators and systems given only in their first row; return the table and the evidence."""
    evidence = ""
    for role in ("annotator", "system", "doc_id") if len(table) else ():
        if role not in columns:
            continue
        name, blank = columns[role], is_blank(table, columns[role])
        count = pc.sum(blank).as_py()
        if count and not blank[0].as_py() and _is_merged(table, columns, role, blank, mapping):
            table = with_column(table, name, fill_forward(table, name))
            evidence += f"; “{name}” of {pluralize(count, 'row')} is that of the row above"
    return table, evidence


def _is_merged(table: Table, columns: dict[str, str], role: str, blank: pa.ChunkedArray, mapping: Mapping) -> bool:
    if mapping.fill_down:
        return mapping.fill_down == "yes"
    share = pc.sum(blank).as_py() / len(table)
    if role != "doc_id":  # for a missing annotator, the file name may be meant; merged cells span most rows
        under = "doc_id" in columns and pc.all(pc.or_(pc.invert(blank), is_blank(table, columns["doc_id"]))).as_py()
        return share >= 0.5 or bool(under)
    source, phrases = columns.get("annotator", columns.get("system")), columns.get("phrase")
    if source is None and phrases is not None and profile(table, phrases).lists >= 0.5:
        return False  # a list without an id is an error
    heads = table.rows(pc.invert(blank))
    keys = {name: heads.texts(name) for name in (columns["doc_id"], source) if name is not None}
    return share >= 0.2 and count_distinct(keys) == len(heads)
