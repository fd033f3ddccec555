"""Turn a table and its layout, once it is found, into rows: one phrase, one text or one score of one person each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note
from kp_core.reading.family import Rows
from kp_core.reading.fields import gold_beside, in_words, phrases_in, told
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists import ListBuilder
from kp_core.reading.separators import MARKS, cell_separator, json_list
from kp_core.reading.shapes import Shape, add_list, shape_of
from kp_core.reading.table import Table, list_columns
from kp_core.reading.values import byte_lengths, floats, repeated

PAIR = ("pair_id", "doc_id", "keyphrase", "candidate")
_TEXTS = ("text", "title", "group")
#: Cells of fewer characters may say that somebody chose nothing.
_SHORT = 12
_NOTHING = {"-", "–", "—", "/", "n/a", "k.a.", "k. a.", "none", "keine", "aucun", "ninguno", "nessuno"}
#: What stands beside the score of a judged system: its role, and its name among judgements.
_BESIDE_JUDGED = {"system": "system", "rank": "rank (file)"}


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are to be read.

    columns  role → column
    sources  for a column or several an annotator or system: its name (empty: not told) → its columns
    cells    how a cell is split into phrases, a key of `SEPARATORS`; empty where it is one phrase; of judged pairs
             the scale that was chosen
    numbered whether the rows themselves are the documents, 1, 2, …
    source   the annotator or system of all rows, where the sheet is named after it
    """

    kind: Literal["long", "lists", "wide", "documents", "judged"]
    table: Table
    role: Role
    columns: dict[str, str]
    score: float
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cells: str = ""
    numbered: bool = False
    source: str = ""
    role_sure: bool = True
    evidence: str = ""

    @property
    def phrases(self) -> str:
        """The column of phrases, or of lists of them."""
        return phrases_in(self.columns) or ""

    def source_column(self) -> str | None:
        """Return the column that names the annotator or system of a row."""
        return self.columns.get("annotator" if self.role == "gold" else "system", self.columns.get("source"))

    def ids(self) -> pa.ChunkedArray:
        """Return the document of every row."""
        return self.table.numbers() if self.numbered else self.table.texts(self.columns["doc_id"])


def rows_of(layout: Layout, asked: Role | None = None) -> list[Rows]:
    """Return the rows of the layout's role, and of texts and judgements that stand beside them."""
    if layout.kind == "judged":
        return [_judgements(layout)]
    titles = layout.table.texts(layout.columns["title"]).to_pylist() if "title" in layout.columns else ()
    if layout.kind == "documents":
        return [replace(_documents(layout), titles=titles)]
    table, role = layout.table, layout.role
    parts = _phrases(layout)
    if role == "gold" and asked in (None, "gold") and (texts := _beside(layout)) is not None:
        parts.append(texts)
    judged = [_judged(layout)] if role in ("system", "judgements") and _is_judged(layout) else []
    if role == "judgements" and not judged:
        found, remedy = "no scores of people", "Name the column."
        raise InputError(table.file, found, "a column `score`, `score_1` or `pertinence`", remedy)
    if role == "judgements":
        parts = [*judged, *(replace(part, role="system") for part in parts)]
    else:
        parts += judged
    first = parts[0]
    first.rejected = table.rejected + first.rejected
    first.notes = table.notes + _further(layout) + first.notes
    first.blank += table.blank
    first.counted = len(table) if layout.numbered else 0
    for part in parts:
        part.titles = titles
    return parts


def _phrases(layout: Layout) -> list[Rows]:
    """Return the rows of phrases, of the gold standard and of systems apart, and lists without a phrase."""
    if layout.kind == "lists":
        return [_lists(layout, layout.role, {layout.source: (layout.phrases,)})]
    if layout.kind == "wide":
        head = gold_beside(layout.sources)
        gold: dict[str, tuple[str, ...]] = {"": (head,)} if head else {}
        others = {source: names for source, names in layout.sources.items() if names[0] != head}
        if not gold:
            return [_lists(layout, layout.role, others)]
        return [_lists(layout, "gold", gold), _lists(layout, "system", others)]  # side by side in one sheet
    filled, hollow = _empty_lists(layout)
    rows = _long(filled)
    rows.blank = len(layout.table) - len(filled.table)
    return [rows, *([hollow] if hollow is not None else [])]


def _further(layout: Layout) -> list[Note]:
    """Name the columns that have the same name as one that is read, and are not read themselves."""
    table = layout.table
    used = {*layout.columns.values(), *(name for names in layout.sources.values() for name in names)}
    again = [name.rstrip("'") for name in table.names if name not in used and name.rstrip("'") in used]
    return [
        Note("warning", table.file, f"The column “{name}” is there {again.count(name) + 1} times; the first is read.")
        for name in dict.fromkeys(again)
    ]


def _empty_lists(layout: Layout) -> tuple[Layout, Rows | None]:
    """Take out the rows that the tidy form has for a list without a phrase: no phrase, and `yes` under `empty`."""
    table, columns = layout.table, layout.columns
    if "empty" not in table.names:
        return layout, None
    marked = pc.and_(pc.equal(table.texts("empty"), "yes"), pc.equal(table.texts(layout.phrases), ""))
    hollow = table.rows(marked)
    builder = ListBuilder(layout.role, table.limits)
    source = layout.source_column()
    names = [layout.source] * len(hollow) if source is None else hollow.texts(source).to_pylist()
    ids = hollow.texts(columns["doc_id"]).to_pylist()
    for doc_id, name, line in zip(ids, names, hollow.line_numbers().tolist(), strict=True):
        builder.open(doc_id, file=table.file, line=line, source=name or None)
    kept = table.rows(pc.invert(marked)).without(["empty"] if len(hollow) else [])
    return replace(layout, table=kept), builder.rows()


def _long(layout: Layout) -> Rows:
    """Read one phrase a row."""
    table, columns, role = layout.table, layout.columns, layout.role
    named = {"phrase": layout.phrases, "source": layout.source_column(), "concept": columns.get("concept")}
    taken = {"doc_id": layout.ids()} | {part: table.texts(name) for part, name in named.items() if name is not None}
    used = {columns.get("doc_id"), *named.values()}
    graded = columns.get("relevance") or columns.get("votes") if role == "gold" else None
    if graded is not None:
        taken["relevance"] = _numbers(table.column(graded))
        used.add(graded)
    if layout.source:
        taken["source"] = repeated(layout.source, len(table))
    elif graded is not None and "relevance" not in columns and "source" not in taken:
        taken["source"] = repeated("votes", len(table))
    for part in ("rank", "score") if role != "gold" else ():
        if part in columns:
            taken[part] = _numbers(table.column(columns[part]))
            used.add(columns[part])
    spellings = _variants(table)
    if spellings is not None:
        taken["variants"] = spellings
        used.add("variants")
    _add_others(taken, table, used, ("annotator", "system", "variants", "source", "list"))
    notes: list[Note] = []
    if not table.header:
        said = f"There is no header; by their content there are {in_words(told(columns))}."
        notes.append(Note("warning", table.file, said))
    return Rows(role, pa.table(taken), table.lines, notes=notes)


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with decimal points, if all of its cells have decimal commas."""
    if not pa.types.is_large_string(column.type) or not pc.any(pc.match_substring(column, ",")).as_py():
        return column
    commas = pc.all(pc.match_substring_regex(column, r"^\s*(-?\d+(,\d+)?)?\s*$")).as_py()
    return pc.replace_substring(column, ",", ".") if commas else column


def _add_others(
    taken: dict[str, pa.ChunkedArray], table: Table, used: Container[str | None], own: Sequence[str] = ()
) -> None:
    """Add the columns that play no role; names that are ours, and those that are taken, say that they are the file's.

    Variants that hold no lists of spellings are an ordinary column.
    """
    for name, column in zip(table.names, table.columns, strict=True):
        if name not in used:
            taken[f"{name} (file)" if name in taken or name in own else name] = column


def _variants(table: Table) -> pa.Array | None:
    """Return the column `variants` of a tidy gold table (JSON lists, or lists of a DataFrame), if there is one."""
    if "variants" not in table.names:
        return None
    column = table.column("variants")
    if "variants" in list_columns(table):
        return column.cast(pa.list_(pa.large_string()))
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    lists = [json_list(cell) if cell else None for cell in column.to_pylist()]
    if not any(lists):
        return None
    clean = [[str(v) for v in value] if value and all(isinstance(v, str) for v in value) else None for value in lists]
    try:
        return pa.array(clean, pa.list_(pa.large_string()))
    except UnicodeEncodeError:
        return None


def _lists(layout: Layout, role: Role, sources: dict[str, tuple[str, ...]]) -> Rows:
    """Read one list a cell, or one phrase a cell of numbered columns; whose they are `sources` says, or a column."""
    table, builder = layout.table, ListBuilder(role, layout.table.limits)
    owner = layout.source_column() if len(sources) == 1 else None
    for part in ("rank", "score") if layout.kind == "lists" and role == "system" else ():
        if part in layout.columns:
            message = (
                f"“{layout.columns[part]}” beside lists of phrases is not used: lists keep their order, best first."
            )
            builder.notes.append(Note("warning", table.file, message))
    for source, names in sources.items():
        owners = [source or layout.source or None] * len(table) if owner is None else table.texts(owner).to_pylist()
        _add_lists(builder, layout, names, owners)
    return builder.rows()


def _add_lists(builder: ListBuilder, layout: Layout, names: Sequence[str], owners: Sequence[str | None]) -> None:
    """Add the list of every row in some columns; lists of lists and the like have one shape down the column."""
    table = layout.table
    beside = [name for others in layout.sources.values() for name in others]
    separator = "columns" if len(names) > 1 else layout.cells or cell_separator(table, names[0], beside)
    columns = [(table.column(name) if separator == "lists" else table.texts(name)).to_pylist() for name in names]
    cells: list[Any] = columns[0] if len(names) == 1 else list(map(list, zip(*columns, strict=True)))
    if separator == ",":
        shown = "; ".join(part.strip() for part in next((text for text in cells if "," in text), "").split(",")[:3])
        message = f"Cells of “{names[0]}” were split at commas, such as “{shown}”; if phrases hold commas, choose `;`."
        builder.notes.append(Note("warning", table.file, message))
    lists = [json_list(cell) for cell in cells] if separator == "json" else cells
    found = shape_of(lists) if separator in ("lists", "json") else None
    nothing = Counter[str]()
    every = zip(layout.ids().to_pylist(), table.line_numbers().tolist(), owners, cells, lists, strict=True)
    for doc_id, line, source, cell, items in every:
        if not doc_id.strip():
            builder.rejected.append((table.file, line, "an empty id", str(cell)[:200]))
            continue
        builder.open(doc_id, file=table.file, line=line, source=source)
        if isinstance(cell, str) and len(cell) < _SHORT and cell.strip().lower() in _NOTHING:
            nothing[cell.strip()] += 1
        elif separator in MARKS:
            builder.split(cell, MARKS[separator])
        else:
            _add_cell(builder, separator, cell, items, found[0] if found else "phrases")
    texts = [cell for cell in cells if isinstance(cell, str)] if separator in (";", "；") else []
    others = [cell for cell in texts if separator not in cell and re.search("[,，、|]", cell)]
    if 4 * len(others) > len(cells):
        shown = f"{len(others):,}, “{others[0][:60]}”"
        message = f"Cells of “{names[0]}” without `{separator}` stay whole, commas and all: {shown}."
        builder.notes.append(Note("warning", table.file, message))
    for mark, count in nothing.items():
        message = f"Cells of “{names[0]}” that say “{mark}” were taken as empty: {count:,}."
        builder.notes.append(Note("info", table.file, message))


def _add_cell(builder: ListBuilder, separator: str, cell: Any, items: Any, shape: Shape) -> None:
    """Add the phrases of one cell to the open list."""
    if separator in ("columns", "none"):
        builder.extend(phrase for phrase in (cell if separator == "columns" else [cell]) if phrase.strip())
    elif separator == "uris":
        builder.extend(re.findall(r"<([^<>\s]+)>", cell))
    elif separator == "tags":
        builder.extend(re.findall(r"#([^#\s]+)", cell))
    elif items is not None:
        add_list(builder, items, shape, "score" if builder.role == "system" else "relevance")
    elif str(cell or "").strip():
        builder.add(str(cell)[:200], reject="no JSON list")


def _documents(layout: Layout) -> Rows:
    table = layout.table
    taken = {"doc_id": layout.ids()}
    taken |= {role: table.texts(name) for role, name in layout.columns.items() if role in _TEXTS}
    _add_others(taken, table, layout.columns.values())
    notes = table.notes + _further(layout)
    rows = Rows("documents", pa.table(taken), table.lines, rejected=table.rejected, notes=notes, blank=table.blank)
    rows.counted = len(table) if layout.numbered else 0
    return rows


def _beside(layout: Layout) -> Rows | None:
    """Return the texts, titles and types that stand in a gold table, if each is constant within its document."""
    table = layout.table
    ids = layout.ids()
    taken = {"doc_id": ids}
    documents = len(pc.unique(ids))
    for role in _TEXTS:
        if role in layout.columns:
            column = table.texts(layout.columns[role])
            pairs = pa.table({"doc_id": ids, role: column}).group_by(["doc_id", role], use_threads=False).aggregate([])
            if len(pairs) == documents:
                taken[role] = column
    if len(taken) == 1:
        return None
    _, first = np.unique(ids.combine_chunks().dictionary_encode().indices.to_numpy(), return_index=True)
    rows = pa.table(taken).take(pa.array(first))
    keep = pc.not_equal(rows["doc_id"], "")
    beside = Rows("documents", rows.filter(keep), table.line_numbers()[first][keep.to_numpy()].tolist())
    beside.counted = len(table) if layout.numbered else 0
    return beside


def _pair_numbers(base: dict[str, Any], annotators: pa.ChunkedArray) -> pa.ChunkedArray:
    """Number pairs by what they say, so that several people score one; where one scored a pair twice, by their rows."""
    told = pd.DataFrame({name: column.to_pylist() for name, column in base.items() if name != "pair_id"})
    pair = told.groupby(list(told), sort=False, dropna=False).ngroup() + 1
    twice = pd.DataFrame({"pair": pair, "annotator": annotators.to_pylist()}).duplicated().any()
    return base["pair_id"] if twice else pa.chunked_array([pa.array(pair.astype(str), pa.large_string())])


def _is_judged(layout: Layout) -> bool:
    name = layout.columns.get("relevance") if layout.kind != "wide" else None
    return name is not None and bool(np.isfinite(floats(layout.table.column(name))[0]).any())


def _judged(layout: Layout) -> Rows:
    """Return judged system output as judgements whose keyphrase is not known yet; `gold_id` may tell it later."""
    table, columns = layout.table, layout.columns
    taken = {
        "pair_id": table.numbers(),
        "doc_id": table.texts(columns["doc_id"]),
        "candidate": table.texts(layout.phrases),
        "annotator": repeated("judge", len(table)),
        "score": table.column(columns["relevance"]),
    }
    taken |= {name: table.column(columns[role]) for role, name in _BESIDE_JUDGED.items() if role in columns}
    _add_others(taken, table, columns.values())
    return Rows("judgements", pa.table(taken), table.lines)


def _judgements(layout: Layout) -> Rows:
    """Return one row a pair and annotator; a blank score is no judgement, one outside the scale is rejected."""
    table, columns = layout.table, layout.columns
    judges = [name for names in layout.sources.values() for name in names]
    refuse_over(table.limits.judges, len(judges), "annotators a pair", table.file, "a table")
    scored = judges or [columns["score"]]
    base = {"pair_id": table.numbers()} | {role: table.texts(columns[role]) for role in PAIR if role in columns}
    if "annotator" in columns and "pair_id" not in columns:
        base["pair_id"] = _pair_numbers(base, table.texts(columns["annotator"]))
    _add_others(base, table, (*columns.values(), *scored))
    read = [floats(table.column(name)) for name in scored]
    values, bad = (np.stack(parts, axis=1).ravel() for parts in zip(*read, strict=True))
    low, high = _scale(values, layout.cells)
    outside = np.isfinite(values) & ((values < low) | (values > high))
    reasons = dict.fromkeys(np.flatnonzero(bad).tolist(), "score is not a finite number")
    reasons |= {
        i: f"score {values[i]:g} is outside the scale {low:g} to {high:g}" for i in np.flatnonzero(outside).tolist()
    }
    keep = np.isfinite(values) | bad
    # Row i of the table gives rows i·n … i·n + n - 1: the scores of one pair stand together.
    pair, judge = np.divmod(np.flatnonzero(keep), len(scored))
    _refuse_too_large(table, base, pair)
    taken = {name: column.take(pa.array(pair)) for name, column in base.items()}
    if judges:
        taken["annotator"] = pa.array(list(layout.sources), pa.large_string()).take(pa.array(judge))
    elif "annotator" in columns:
        taken["annotator"] = table.texts(columns["annotator"]).take(pa.array(pair))
    else:
        taken["annotator"] = repeated("judge", len(pair))
    taken["score"] = pa.array(values[keep], from_pandas=True)
    position = np.cumsum(keep) - 1
    marked = {int(position[i]): reason for i, reason in reasons.items()}
    blank = table.blank + int((~keep).sum())
    lines = table.line_numbers()[pair].tolist()
    return Rows("judgements", pa.table(taken), lines, None, None, marked, table.rejected, table.notes, blank)


def _refuse_too_large(table: Table, base: dict[str, pa.ChunkedArray], pair: npt.NDArray[np.int64]) -> None:
    """Refuse judgements that would repeat the texts of their pairs, once a score, beyond the limits."""
    refuse_over(table.limits.rows, len(pair), "scores", table.file, "a table")
    times = np.bincount(pair, minlength=len(table))
    texts = [column for column in base.values() if pa.types.is_large_string(column.type)]
    size = sum(int(byte_lengths(column.fill_null("")) @ times) for column in texts)
    refuse_over(table.limits.unpacked_bytes, size, "bytes with the texts of every score", table.file, "a table")


def _scale(values: npt.NDArray[np.float64], chosen: str) -> tuple[float, float]:
    """Return the scale chosen, else 0–4, widened if all scores are whole numbers up to 10."""
    if chosen:
        low, _, high = chosen.partition("-")
        return float(low), float(high)
    given = values[np.isfinite(values)]
    whole = bool(len(given)) and bool(np.all(np.floor(given) == given)) and given.min() >= 0 and given.max() <= 10
    return 0.0, max(4.0, float(given.max())) if whole else 4.0
