"""Turn two columns that together tell one thing into one: data set and id of a document, system and run."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import InputError, counted
from kp_core.reading.fields import BESIDES, DATASETS, RUNS, UNSURE, find_roles, plain
from kp_core.reading.mapping import Mapping
from kp_core.reading.table import Table

#: So many heads beside those of keyphrases tell the records of a catalogue, whose collections are none of ours.
_RECORD = 2


def joined(table: Table, mapping: Mapping) -> Table:
    """Return a table in which ids begin with the data set, and systems end with `#` and the run, if columns tell these.

    >>> columns = [pa.chunked_array([[one, two]]) for one, two in (("nus", "inspec"), ("1", "1"), ("tide", "sea"))]
    >>> told = joined(Table("g.csv", ["dataset", "doc_id", "phrase"], columns), Mapping())
    >>> told.names, told.datasets, told.texts("doc_id").to_pylist()
    (['doc_id', 'phrase'], ('nus', 'inspec'), ['nus/1', 'inspec/1'])
    """
    return _with_runs(_with_datasets(table, mapping), mapping)


def _with_datasets(table: Table, mapping: Mapping) -> Table:
    roles = {"doc_id": mapping.document} if mapping.document in table.names else find_roles(table.names, ("doc_id",))
    named = [name for name in table.names if plain(name) in DATASETS]
    if mapping.names_columns:
        named = [name for name in table.names if name == mapping.dataset]
    beside = [name for name in table.names if plain(name) in BESIDES and name not in named]
    if len(named) != 1 or "doc_id" not in roles or len(beside) >= _RECORD:
        return table
    datasets, ids = table.texts(named[0]), table.texts(roles["doc_id"])
    names = [name for name in pc.unique(datasets).to_pylist() if name.strip()]
    if len(names) < 2 or (plain(named[0]) in UNSURE and not mapping.dataset and not _tell_apart(datasets, ids)):
        return table
    without = pc.sum(pc.and_(pc.equal(pc.utf8_trim_whitespace(datasets), ""), pc.not_equal(ids, ""))).as_py()
    if without:
        remedy = f"Fill “{named[0]}”, or say what the other columns mean: --as {table.file}:document=…,keyphrases=…"
        found = counted(without, "row without a data set", "rows without a data set")
        raise InputError(table.file, found, "a data set in every row, or in none", remedy)
    prefixed = _both(datasets, "/", ids)
    if all(map(str.startswith, ids.to_pylist(), (f"{name}/" for name in datasets.to_pylist()))):
        prefixed = ids  # as `convert` writes them
    return replace(_with(table, roles["doc_id"], prefixed).without(named), datasets=tuple(names), dataset=named[0])


def _tell_apart(datasets: pa.ChunkedArray, ids: pa.ChunkedArray) -> bool:
    """Tell whether one id stands under several names, so that without these two documents would be one."""
    pairs = pa.table({"dataset": datasets, "id": ids}).group_by(["dataset", "id"]).aggregate([])
    return len(pairs) > len(pc.unique(ids))


def _with_runs(table: Table, mapping: Mapping) -> Table:
    """Name the run of a row behind its system, where some system has several."""
    free = [name for name in table.names if plain(name) in RUNS]
    roles = find_roles([name for name in table.names if name not in free], ("system",))
    if mapping.names_columns:
        free, roles = [name for name in table.names if name == mapping.run], {"system": mapping.system}
    if len(free) != 1 or roles.get("system") not in table.names:
        return table
    systems, runs = table.texts(roles["system"]), table.texts(free[0])
    pairs = pa.table({"system": systems, "run": runs}).group_by(["system", "run"]).aggregate([])
    if len(pairs) == len(pc.unique(systems)) or "" in pc.unique(runs).to_pylist():
        return table
    return replace(_with(table, roles["system"], _both(systems, "#", runs)).without(free), run=free[0])


def _both(first: pa.ChunkedArray, mark: str, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return two columns as one; a cell stays blank where one of the two is, so that its row is rejected as ever."""
    blank, nothing = pc.or_(pc.equal(first, ""), pc.equal(second, "")), pa.scalar("", pa.large_string())
    return pc.if_else(blank, nothing, pc.binary_join_element_wise(first, second, pa.scalar(mark, pa.large_string())))


def _with(table: Table, name: str, column: pa.ChunkedArray) -> Table:
    """Return a table with another column in place of one."""
    columns = [column if own == name else old for own, old in zip(table.names, table.columns, strict=True)]
    return replace(table, columns=columns)
