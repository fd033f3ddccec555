"""Repeat ids and names that stand once above their rows, as merged cells of spreadsheets do."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import counted
from kp_core.reading.mapping import Mapping
from kp_core.reading.profiles import count_distinct, is_blank, profile
from kp_core.reading.table import Table


def filled_down(table: Table, columns: dict[str, str], mapping: Mapping) -> tuple[Table, str]:
    """Return the table with an id, or an annotator, that stands once above its rows repeated down, and words on it."""
    said = ""
    for role in ("annotator", "system", "doc_id") if len(table) else ():
        if role not in columns:
            continue
        name, blank = columns[role], is_blank(table, columns[role])
        count = pc.sum(blank).as_py()
        if not count or blank[0].as_py() or not _is_merged(table, columns, role, blank, mapping):
            continue
        place, nothing = table.names.index(name), pa.scalar(None, pa.large_string())
        filled = pc.fill_null_forward(pc.if_else(blank, nothing, table.texts(name)))
        table = replace(table, columns=[*table.columns[:place], filled, *table.columns[place + 1 :]])
        said += f"; “{name}” of {counted(count, 'row')} is that of the row above"
    return table, said


def _is_merged(table: Table, columns: dict[str, str], role: str, blank: pa.ChunkedArray, mapping: Mapping) -> bool:
    """Tell whether blank cells belong to the cell above: it stands once, over all of its rows."""
    if mapping.fill_down:
        return mapping.fill_down == "yes"
    share = pc.sum(blank).as_py() / len(table)
    if role != "doc_id":  # a missing annotator may stand for the name of the file; a merged cell spans most rows
        under = "doc_id" in columns and pc.all(pc.or_(pc.invert(blank), is_blank(table, columns["doc_id"]))).as_py()
        return share >= 0.5 or bool(under)
    source, phrases = columns.get("annotator", columns.get("system")), columns.get("phrase")
    if source is None and phrases is not None and profile(table, phrases).lists >= 0.5:
        return False  # a list without an id is an error
    heads = table.rows(pc.invert(blank))
    keys = {name: heads.texts(name) for name in (columns["doc_id"], source) if name is not None}
    return share >= 0.2 and count_distinct(keys) == len(heads)
