"""Turn cells that hold several phrases into lists, and tell the roles of columns from their content."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import Note
from kp_core.reading.delimited import Table
from kp_core.reading.family import Rows
from kp_core.reading.lists import ListBuilder
from kp_core.reading.shapes import add_list, shape_of
from kp_core.reading.values import floats

#: How the reading of list cells is told in the evidence.
SAID = {
    ";": "; cells are lists split at `;`",
    ",": "; cells are lists split at `,`",
    "json": "; cells are JSON lists",
    "lists": "; cells are lists",
}


def is_long(table: Table, name: str, characters: int) -> bool:
    """Tell whether the values of a column are texts: longer on average than phrases can be."""
    column = table.column(name)
    if not (pa.types.is_large_string(column.type) or pa.types.is_string(column.type)) or not len(column):
        return False
    return bool((pc.mean(pc.utf8_length(column.slice(0, 1000))).as_py() or 0) > characters)


def list_separator(table: Table, columns: dict[str, str], role: Role) -> str:
    """Return `;`, `,`, `json` or `lists` if the phrase column holds lists, else an empty string.

    Cells are lists if no document (of one annotator or system) has two rows and the name or content says so.
    """
    name = columns.get("phrases") or columns["phrase"]
    column = table.column(name)
    if _is_list(column.type):
        return "lists"
    # A column of variants belongs to one keyphrase a row, as the tidy form writes it.
    if "variants" in table.names or _keys_repeat(table, columns, role):
        return ""
    texts = table.texts(name)
    if pc.any(pc.match_substring(texts, ";")).as_py():
        return ";"
    filled = texts.filter(pc.not_equal(texts, ""))
    if len(filled) and pc.all(pc.match_substring_regex(filled, r"^\s*\[.*\]\s*$")).as_py():
        return "json"
    commas = pc.sum(pc.match_substring(filled, ",")).as_py() or 0
    return "," if commas and ("phrases" in columns or commas * 2 > len(filled)) else ";" if "phrases" in columns else ""


def _keys_repeat(table: Table, columns: dict[str, str], role: Role) -> bool:
    if "rank" in columns or "score" in columns:
        return True
    source = columns.get("annotator" if role == "gold" else "system", columns.get("source"))
    keys = {"doc_id": table.texts(columns["doc_id"])}
    if source is not None:
        keys["source"] = table.texts(source)
    apart = np.zeros(max(len(table) - 1, 0), dtype=bool)
    for column in keys.values():
        apart[run_starts(column)[1:] - 1] = True
    if not apart.all():
        return True
    pairs = pa.table(keys).group_by(list(keys), use_threads=False).aggregate([])
    return len(pairs) < len(table)


def wide_columns(table: Table, columns: dict[str, str]) -> list[str]:
    """Return the columns, two at least, that hold lists: one an annotator or system."""
    found = []
    for name in table.names:
        if name in columns.values():
            continue
        column = table.column(name)
        if _is_list(column.type):
            found.append(name)
        elif pa.types.is_large_string(column.type):
            filled = column.filter(pc.not_equal(column, ""))
            lists = pc.sum(pc.match_substring_regex(filled, r";|^\s*\[.*\]\s*$")).as_py() or 0
            if len(filled) and lists * 2 >= len(filled):
                found.append(name)
    return found if len(found) >= 2 else []


def list_columns(table: Table) -> list[str]:
    """Return the columns whose cells are lists, which only some formats have."""
    return [name for name in table.names if _is_list(table.column(name).type)]


def are_scored(table: Table, name: str | None) -> bool:
    """Tell whether the cells of a column are lists of phrases with scores."""
    found = shape_of(table.column(name).slice(0, 1000).to_pylist()) if name and name in list_columns(table) else None
    return found is not None and found[0] == "scored"


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def wide_rows(table: Table, columns: dict[str, str], role: Role, names: list[str]) -> Rows:
    """Read one list a cell, the name of the column being the annotator or system."""
    builder = ListBuilder(role, table.limits)
    for name in names:
        lists = _is_list(table.column(name).type)
        split = not lists and pc.any(pc.match_substring(table.texts(name), ";")).as_py()
        _add_column(builder, table, columns, name, "lists" if lists else ";" if split else "json", [name] * len(table))
    return builder.rows()


def list_rows(table: Table, columns: dict[str, str], role: Role, separator: str) -> Rows:
    """Read one list a row."""
    builder = ListBuilder(role, table.limits)
    name = columns.get("phrases") or columns["phrase"]
    source = columns.get("annotator" if role == "gold" else "system", columns.get("source"))
    sources = table.texts(source).to_pylist() if source is not None else [None] * len(table)
    _add_column(builder, table, columns, name, separator, sources)
    if separator == ",":
        cells = table.texts(name).to_pylist()
        shown = "; ".join(next((cell for cell in cells if "," in cell), "").split(",")[:3])
        message = f"Cells of “{name}” were split at commas, such as “{shown}”; if phrases hold commas, choose `;`."
        builder.notes.append(Note("warning", table.file, message))
    return builder.rows()


def _add_column(
    builder: ListBuilder,
    table: Table,
    columns: dict[str, str],
    name: str,
    separator: str,
    sources: Sequence[str | None],
) -> None:
    """Add the list of every cell of a column; lists of lists and the like have one shape down the column."""
    ids = table.texts(columns["doc_id"]).to_pylist()
    cells = table.column(name).to_pylist() if separator == "lists" else table.texts(name).to_pylist()
    lists = [_json_list(cell) for cell in cells] if separator == "json" else cells
    found = shape_of(lists) if separator in ("lists", "json") else None
    amount = "score" if builder.role == "system" else "relevance"
    for row, (doc_id, source, cell, items) in enumerate(zip(ids, sources, cells, lists, strict=True)):
        line = row + 1 if table.lines is None else int(table.lines[row])
        if not doc_id.strip():
            builder.rejected.append((table.file, line, "an empty id", str(cell)[:200]))
            continue
        builder.open(doc_id, file=table.file, line=line, source=source)
        if separator in (";", ","):
            builder.split(cell, separator)
        elif items is not None:
            add_list(builder, items, found[0] if found else "phrases", amount)
        elif str(cell or "").strip():
            builder.add(str(cell)[:200], reject="no JSON list")


def _json_list(cell: str) -> list[object] | None:
    if not cell.strip():
        return None
    try:
        value = json.loads(cell, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def variants(table: Table) -> pa.Array | None:
    """Return the column `variants` of a tidy gold table (JSON lists, or lists of a DataFrame), if there is one."""
    if "variants" not in table.names:
        return None
    column = table.column("variants")
    if _is_list(column.type):
        return column.cast(pa.list_(pa.large_string()))
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    lists = [_json_list(cell) if cell else None for cell in column.to_pylist()]
    if not any(lists):
        return None
    clean = [[str(v) for v in value] if value and all(isinstance(v, str) for v in value) else None for value in lists]
    try:
        return pa.array(clean, pa.list_(pa.large_string()))
    except UnicodeEncodeError:
        return None


def _doc_id(
    table: Table, columns: dict[str, str], free: list[str], varied: dict[str, int], role: Role
) -> dict[str, str]:
    """Choose the column of ids: the most varied; numbers only before the phrase, where they cannot be its score."""
    place = table.names.index
    phrase = columns.get("phrase") or columns.get("phrases")
    if phrase is not None and not any(place(name) < place(phrase) for name in free) and len(table.names) == 2:
        return {}
    # Of two columns that vary alike the tidy order decides: system before document, document before annotator.
    sign = 1 if role == "system" else -1
    return {"doc_id": max(free, key=lambda name: (varied[name], sign * place(name)))}


def _with_list(table: Table, columns: dict[str, str], wanted: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Take a single column of lists for the phrases; return the columns, and the plain ones that have no role yet."""
    columns = dict(columns)
    lists = [name for name in list_columns(table) if name not in columns.values()]
    if len(lists) == 1 and "phrase" in wanted and not {"phrase", "phrases"} & set(columns):
        columns["phrases"] = lists[0]
    nested = {name for name in table.names if pa.types.is_nested(table.column(name).type)}
    return columns, [name for name in table.names if name not in nested and name not in columns.values()]


def add_by_content(
    table: Table, columns: dict[str, str], wanted: tuple[str, ...], role: Role = "documents"
) -> dict[str, str]:
    """Add roles that names did not give: phrases are the most varied text, ids come first, few values are a source."""
    columns, free = _with_list(table, columns, wanted)
    if not len(table) or not free:
        return columns
    numeric = {name: floats(table.column(name)) for name in free}
    numbers = [name for name in free if not numeric[name][1].any() and np.isfinite(numeric[name][0]).any()]
    varied = {name: len(pc.unique(table.column(name))) for name in free}
    texts = [name for name in free if name not in numbers]
    if "text" in wanted and "text" not in columns and texts and "title" not in columns:
        columns["text"] = max(texts, key=lambda n: pc.sum(pc.utf8_length(table.texts(n))).as_py() or 0)
    if "phrase" in wanted and not {"phrase", "phrases"} & set(columns):
        others = texts[1:] if "doc_id" not in columns and len(texts) > 1 else texts
        if others:
            columns["phrase"] = max(others, key=lambda n: varied[n])
    left = [name for name in free if name not in columns.values()]
    if "doc_id" in wanted and "doc_id" not in columns and left:
        columns |= _doc_id(table, columns, [name for name in left if name in texts] or left, varied, role)
    left = [name for name in left if name not in columns.values()]
    if table.header or "rank" not in wanted or "doc_id" not in columns:
        return columns
    for name in left:
        if name in numbers and role == "system":
            counted = bool(np.all(np.floor(numeric[name][0]) == numeric[name][0]) and numeric[name][0].min() >= 1)
            columns.setdefault("rank" if counted and "rank" not in columns else "score", name)
        elif name in texts and varied[name] * 2 <= len(table):
            columns.setdefault("source", name)
    return columns
