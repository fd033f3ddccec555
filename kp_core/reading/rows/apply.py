"""Turn a table with its layout into rows of one phrase, one text, or one score of one annotator."""

from __future__ import annotations

import sys
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists.list_builder import ListBuilder
from kp_core.reading.meaning.fields import (
    BESIDE,
    GOLD,
    GOLD_WORDS,
    NAMES,
    NO,
    YES,
    in_words,
    plain,
    quoted,
    roles_in_words,
)
from kp_core.reading.meaning.layout import PAIR, Layout
from kp_core.reading.meaning.mapping import HEADS
from kp_core.reading.meaning.profiles import count_distinct
from kp_core.reading.meaning.shapes import TITLE_END, title_and_body
from kp_core.reading.open.table import Table, holds_lists, holds_lists_of_texts, is_text
from kp_core.reading.open.values import byte_lengths, column_of, floats, repeated, with_points
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.list_cells import ListCells, parallel, rows_at_once
from kp_core.reading.rows.separators import json_list

_TEXTS = ("text", "title", "group")
_YES, _NO = (pa.array(sorted(words), pa.large_string()) for words in (YES, NO))
#: Role of a column next to the score of a judged system → its column in judgments.
_BESIDE_JUDGED = {"system": "system", "rank": "rank (file)"}
#: Number of rows that are examined for unread columns.
_ROWS = 10_000


def rows_of(layout: Layout, chosen: Role | None = None) -> list[Rows]:
    """Return the rows of the layout's role, and those of texts and judgments in the same table."""
    if layout.kind == "judged":
        return [_judgements(layout)]
    read = layout.table
    titles = read.texts(layout.columns["title"]).to_pylist() if "title" in layout.columns else ()
    notes = [*read.notes, *_further(layout)]
    layout, rejected_by_people = _without_rejected(layout)
    parts = [_documents(layout)] if layout.kind == "documents" else _lists_with_others(layout, chosen)
    first, rows = parts[0], len(layout.table)
    first.rejected = read.rejected + first.rejected
    first.notes = notes + rejected_by_people + first.notes
    first.blank += read.blank + len(read) - rows
    first.read += read.read - rows
    first.counted = rows if layout.numbered else 0
    for part in parts:
        part.titles, part.datasets = titles, read.datasets
    return parts


def _lists_with_others(layout: Layout, chosen: Role | None) -> list[Rows]:
    """Return the lists of a table, and its texts, or its judgments."""
    parts, role = _phrases(layout), layout.role
    is_judged = role in ("system", "judgements") and _is_judged(layout)
    if role == "gold" and layout.mapping.document != HEADS and chosen in (None, "gold"):
        parts += _texts_in_gold_table(layout)
    if role == "judgements" and not is_judged:
        found, remedy = "no scores of people", "Name the column."
        raise InputError(layout.table.file, found, "a column `score`, `score_1` or `pertinence`", remedy)
    if role == "judgements":
        return [_judged(layout), *(replace(part, role="system") for part in parts)]
    return [*parts, _judged(layout)] if is_judged else parts


def _without_rejected(layout: Layout) -> tuple[Layout, list[Note]]:
    if "verdict" not in layout.columns:
        return layout, []
    name = layout.columns["verdict"]
    no = pc.is_in(_lowered(layout.table.texts(name)), _NO)
    message = f"Rows left out because “{name}” is no: {pc.sum(no).as_py() or 0:,}."
    columns = {role: column for role, column in layout.columns.items() if role != "verdict"}
    accepted = layout.table.rows(pc.invert(no))
    return replace(layout, table=accepted, columns=columns), [Note("info", layout.table.file, message)]


def _lowered(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.utf8_lower(pc.utf8_trim_whitespace(cells))


def _phrases(layout: Layout) -> list[Rows]:
    if layout.gold_is:
        return _of_both(layout)
    if layout.kind == "turned":  # each column is a document, each row an annotator or a part of the list
        layout = replace(_melted(layout), kind="lists", cells=layout.cells)
    if layout.kind in ("marked", "scored") or (layout.kind == "wide" and _have_several_rows(layout)):
        return [_long(_melted(layout))]
    if layout.kind == "lists":
        return [_lists(layout, layout.role, {layout.source: (layout.phrases,)})]
    if layout.kind == "wide":
        gold = {source: names for source, names in layout.sources.items() if names[0] in layout.gold}
        others = {source: names for source, names in layout.sources.items() if source not in gold}
        if not gold:
            return [_lists(layout, layout.role, others)]
        if len(gold) == 1:
            gold = {"": next(iter(gold.values()))}
        if len(others) == 1 and plain(next(iter(others))) in NAMES["predictions"]:
            others = {"": next(iter(others.values()))}  # a word for predictions instead of a system name
        return [_lists(layout, "gold", gold), _lists(layout, "system", others)]  # side by side in one sheet
    filled, empty = _empty_lists(layout)
    rows = _long(filled)
    rows.read, rows.blank = len(layout.table), len(layout.table) - len(filled.table)
    return [rows, *([empty] if empty is not None else [])]


def _of_both(layout: Layout) -> list[Rows]:
    name = layout.columns["system"]
    is_gold = pc.is_in(layout.table.texts(name), pa.array(layout.gold_is, pa.large_string()))
    beside = {role: column for role, column in layout.columns.items() if role not in ("system", "rank", "score")}
    people = len(layout.gold_is) > 1 or plain(layout.gold_is[0]) not in GOLD_WORDS | GOLD
    source = {"annotator": name} if people else {}
    gold = replace(layout, role="gold", columns=beside | source, table=layout.table.rows(is_gold), gold_is=())
    systems = replace(layout, role="system", table=layout.table.rows(pc.invert(is_gold)), gold_is=())
    return [*_phrases(gold), *_phrases(systems)]


def _have_several_rows(layout: Layout) -> bool:
    """Recognize columns of annotators or systems with one phrase per row and several rows per document."""
    one_each = not layout.numbered and not layout.united and all(len(names) == 1 for names in layout.sources.values())
    return one_each and not layout.cells and count_distinct({"doc_id": layout.ids()}) * 2 <= len(layout.table)


def _melted(layout: Layout) -> Layout:
    """Turn columns that each belong to one source or document into rows with the column's name."""
    table = layout.table
    value = {"wide": "phrase", "turned": "phrase", "scored": "score"}.get(layout.kind)
    others, parts = table.without([names[0] for names in layout.sources.values()]), []
    mixed = len({holds_lists(table.column(name)) for name, *_ in layout.sources.values()}) > 1
    for source, (name, *_) in layout.sources.items():
        cells = table.texts(name)
        columns: dict[str, Any] = dict(zip(others.names, others.columns, strict=True))
        columns |= {"(whose)": repeated(source, len(table)), "(line)": table.line_numbers()}
        if value:
            columns[f"({value})"] = cells if mixed else table.column(name)
        part = pa.table(columns)
        if layout.kind != "turned":
            part = part.filter(pc.not_equal(cells, "") if value else pc.is_in(_lowered(cells), _YES))
        parts.append(part)
    whole = pa.concat_tables(parts, promote_options="permissive")
    lines, whole = whole["(line)"].to_pylist(), whole.drop_columns(["(line)"])
    melted = replace(others, names=whole.column_names, columns=whole.columns, lines=lines)
    person = "annotator" if layout.role == "gold" else "system"
    roles = {"doc_id" if layout.mapping.document == HEADS else person: "(whose)"}
    roles |= {value: f"({value})"} if value else {}
    return replace(layout, kind="long", table=melted, columns={**layout.columns, **roles}, sources={})


def _further(layout: Layout) -> list[Note]:
    """Note unread columns whose name or cells suggest a meaning."""
    table = layout.table
    used = {*layout.columns.values(), *(name for names in layout.sources.values() for name in names)}
    again = [name.rstrip("'") for name in table.names if name not in used and name.rstrip("'") in used]
    notes = [
        Note("warning", table.file, f"The column “{name}” occurs {again.count(name) + 1} times; the first is used.")
        for name in dict.fromkeys(again)
    ]
    if varying := [name for name in _varying(layout) if name not in used and name.rstrip("'") not in again]:
        message = f"Columns that vary within documents and are not read: {quoted(varying)}."
        remedy = "In the form of the file, use them as annotator, system, rank, score, relevance or type."
        notes.append(Note("info", table.file, f"{message} {remedy}"))
    return notes


def _varying(layout: Layout) -> list[str]:
    """Return the columns whose values vary within a list, in a table of one keyphrase or list per row."""
    if layout.kind not in ("long", "lists") or not layout.table.header or layout.numbered or layout.proposal.own:
        return []
    mask = pa.array(np.arange(len(layout.table)) < _ROWS)
    head, source = replace(layout, table=layout.table.rows(mask)), layout.source_column()
    lists = {"doc_id": head.ids()} | ({} if source is None else {"source": head.table.texts(source)})
    size = count_distinct(lists)
    names = [name for name in layout.table.names if name not in ("variants", "empty")] if size < len(head.table) else []
    return [name for name in names if count_distinct({**lists, name: head.table.texts(name)}) > size]


def _empty_lists(layout: Layout) -> tuple[Layout, Rows | None]:
    """Separate the rows of empty lists, which have no phrase but `yes` in the column `empty`."""
    table = layout.table
    if "empty" not in table.names:
        return layout, None
    marked = pc.and_(pc.equal(table.texts("empty"), "yes"), pc.equal(table.texts(layout.phrases), ""))
    if not pc.any(marked).as_py():
        return layout, None
    empty = replace(layout, table=table.rows(marked))
    builder = ListBuilder(layout.role, table.limits)
    lists = zip(empty.ids().to_pylist(), _owners(empty), empty.table.line_numbers().tolist(), strict=True)
    for doc_id, source, line in lists:
        builder.open(doc_id, file=table.file, line=line, source=source)
    return replace(layout, table=table.rows(pc.invert(marked)).without(["empty"])), builder.rows()


def _long(layout: Layout) -> Rows:
    table, columns, role = layout.table, layout.columns, layout.role
    texts = {"phrase": layout.phrases, "source": layout.source_column(), "concept": columns.get("concept")}
    numbers = {"rank": columns.get("rank"), "score": columns.get("score")}
    if role == "gold":
        numbers = {"relevance": columns.get("relevance") or columns.get("votes")}
    data = {"doc_id": layout.ids()} | {part: table.texts(name) for part, name in texts.items() if name is not None}
    data |= {part: with_points(table.column(name)) for part, name in numbers.items() if name is not None}
    used = {columns.get("doc_id"), *texts.values(), *numbers.values()}
    are_votes = "relevance" in data and "relevance" not in columns and "source" not in data
    if source := layout.source or ("votes" if are_votes else ""):
        data["source"] = repeated(source, len(table))
    if (spellings := _variants(table)) is not None:
        data["variants"] = spellings
        used.add("variants")
    _add_others(data, table, used, ("annotator", "system", "variants", "source", "list"))
    notes: list[Note] = []
    if not table.header:
        message = f"There is no header; the content suggests {in_words(roles_in_words(columns))}."
        notes.append(Note("warning", table.file, message))
    return Rows(role, pa.table(data), len(table), table.lines, notes=notes)


def _add_others(
    data: dict[str, pa.ChunkedArray], table: Table, used: Container[str | None], lists: Sequence[str] = ()
) -> None:
    """Add the columns without a role; a name that KPScope uses itself gets a suffix."""
    for name, column in zip(table.names, table.columns, strict=True):
        if name not in used:
            data[name + BESIDE if name in data or name in lists else name] = column


def _variants(table: Table) -> pa.Array | None:
    if "variants" not in table.names:
        return None
    column = table.column("variants")
    if holds_lists_of_texts(column):
        return column.cast(pa.list_(pa.large_string()))
    if not is_text(column.type):
        return None
    lists = [json_list(cell) if cell else None for cell in column.to_pylist()]
    texts = [value if value and all(isinstance(text, str) for text in value) else None for value in lists]
    array, half_characters = column_of(texts)
    return array if any(texts) and not half_characters else None


def _lists(layout: Layout, role: Role, sources: Mapping[str, tuple[str, ...]]) -> Rows:
    table, builder = layout.table, ListBuilder(role, layout.table.limits)
    for part in ("rank", "score") if layout.kind == "lists" and role == "system" else ():
        if part in layout.columns and parallel(layout) is None:
            name = layout.columns[part]
            message = f"“{name}” next to lists of phrases is not used: lists keep their order, best first."
            builder.say("warning", table.file, message)
    turned = layout.mapping.document == HEADS
    commas, at_once = list[str](), None if turned else rows_at_once(layout, role, sources)
    for source, names in sources.items():
        if at_once is None:
            owners = _owners(layout, source, in_rows=len(sources) == 1)
            commas += names if _add_lists(builder, layout, names, owners) == "," else ()
        if table.nulls and len(names) == 1 and not turned:
            _note_missing(builder, layout, names[0])
    if commas:
        message = f"Lists were split at commas: {quoted(commas)}. If phrases contain commas, choose another separator."
        builder.say("warning", table.file, message)
    return builder.rows() if at_once is None else replace(at_once, notes=builder.notes)


def _owners(layout: Layout, source: str = "", *, in_rows: bool = True) -> list[str | None]:
    """Return the annotator or system of every row, None if unknown; `source` is that of a column of lists."""
    column = layout.source_column() if in_rows else None
    if column is None:
        return [source or layout.source or None] * len(layout.table)
    return list(layout.table.texts(column).to_pylist())


def _note_missing(builder: ListBuilder, layout: Layout, name: str) -> None:
    without = layout.ids().filter(layout.table.column(name).is_null())
    if len(without):
        count, whom = pluralize(len(without), "document"), "it" if len(without) == 1 else "them"
        message = f"{count} without “{name}” (missing or null), the first “{without[0]}”: there is no list for {whom}."
        builder.say("info", layout.table.file, message)


def _add_lists(builder: ListBuilder, layout: Layout, names: Sequence[str], owners: Sequence[str | None]) -> str:
    """Add the list of every row in some columns, and return their separator.

    If a column is a document without annotators, its rows are parts of one list.
    """
    table, cells, last = layout.table, ListCells(layout, names), ""
    united = layout.mapping.document == HEADS and layout.source_column() is None
    rows = zip(layout.ids().to_pylist(), table.line_numbers().tolist(), owners, strict=True)
    for row, (doc_id, line, source) in enumerate(rows):
        if not doc_id.strip():
            builder.reject(table.file, line, "an empty id", str(cells.cells[row])[:200])
        elif not cells.missing[row]:
            if not (united and doc_id == last):
                builder.open(doc_id, file=table.file, line=line, source=source)
            last = doc_id
            cells.add(builder, row)
    builder.notes += cells.notes(table.file, names[0])
    return cells.separator


def _texts_of(layout: Layout) -> tuple[dict[str, pa.ChunkedArray], list[Note]]:
    """Return texts, titles and types of documents; join tokens, and split titles off."""
    table, notes = layout.table, list[Note]()
    texts = {role: table.texts(layout.columns[role]) for role in _TEXTS if role in layout.columns}
    for role in texts:
        if holds_lists_of_texts(column := table.column(layout.columns[role])):
            texts[role] = _text_column([" ".join(filter(None, tokens or ())) for tokens in column.to_pylist()])
            message = "Texts are lists of tokens; they were joined with spaces (tokenised)."
            notes.append(Note("info", table.file, message))
    marked = "text" in texts and pc.match_substring_regex(texts["text"], TITLE_END.pattern, ignore_case=True)
    if "title" not in texts and marked and pc.any(marked).as_py():
        pairs = map(title_and_body, texts["text"].to_pylist())
        titles, bodies = zip(*((title or "", body) for title, body in pairs), strict=True)
        texts |= {"title": _text_column(titles), "text": _text_column(bodies)}
    return texts, notes


def _text_column(values: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, pa.large_string())])


def _documents(layout: Layout) -> Rows:
    table = layout.table
    texts, notes = _texts_of(layout)
    data = {"doc_id": layout.ids()} | texts
    _add_others(data, table, layout.columns.values())
    return Rows("documents", pa.table(data), len(table), table.lines, notes=notes)


def _texts_in_gold_table(layout: Layout) -> list[Rows]:
    """Return texts, titles and types from a gold table that are constant within documents."""
    texts, notes = _texts_of(layout)
    if not texts:
        return []
    rows = pa.table({"doc_id": layout.ids(), "line": layout.table.line_numbers(), **texts})
    wanted = [("line", "first"), *((role, how) for role in texts for how in ("first", "count_distinct"))]
    documents = rows.group_by("doc_id", use_threads=False).aggregate(wanted).filter(pc.field("doc_id") != "")
    constant = [role for role in texts if pc.max(documents[f"{role}_count_distinct"]).as_py() == 1]
    if not constant:
        return []
    data = {"doc_id": documents["doc_id"]} | {role: documents[f"{role}_first"] for role in constant}
    beside = Rows("documents", pa.table(data), len(documents), documents["line_first"].to_pylist(), notes=notes)
    beside.counted = len(layout.table) if layout.numbered else 0
    return [beside]


def _pair_numbers(base: dict[str, Any], annotators: pa.ChunkedArray) -> pa.ChunkedArray:
    """Number pairs by their content, so that annotators share them; by row if an annotator scored a pair twice."""
    contents = pd.DataFrame({name: column.to_pylist() for name, column in base.items() if name != "pair_id"})
    pair = contents.groupby(list(contents), sort=False, dropna=False).ngroup() + 1
    twice = pd.DataFrame({"pair": pair, "annotator": annotators.to_pylist()}).duplicated().any()
    return base["pair_id"] if twice else pa.chunked_array([pa.array(pair.astype(str), pa.large_string())])


def _is_judged(layout: Layout) -> bool:
    name = layout.columns.get("relevance") if layout.kind != "wide" else None
    return name is not None and bool(np.isfinite(floats(layout.table.column(name))[0]).any())


def _judged(layout: Layout) -> Rows:
    """Return judged system output as judgements without a keyphrase, which `gold_id` may supply later."""
    table, columns = layout.table, layout.columns
    data = {
        "pair_id": table.numbers(),
        "doc_id": layout.ids(),
        "candidate": table.texts(layout.phrases),
        "annotator": repeated("judge", len(table)),
        "score": table.column(columns["relevance"]),
    }
    data |= {name: table.column(columns[role]) for role, name in _BESIDE_JUDGED.items() if role in columns}
    _add_others(data, table, columns.values())
    return Rows("judgements", pa.table(data), len(table), table.lines)


def _judgements(layout: Layout) -> Rows:
    """Return one row per pair and annotator except for blank scores; reject scores outside the scale."""
    table, columns = layout.table, layout.columns
    judges = [name for names in layout.sources.values() for name in names]
    refuse_over(table.limits.judges, len(judges), "annotators per pair", table.file, "a table")
    scored = judges or [columns["score"]]
    base = {"pair_id": table.numbers()} | {role: table.texts(columns[role]) for role in PAIR if role in columns}
    if "annotator" in columns and "pair_id" not in columns:
        base["pair_id"] = _pair_numbers(base, table.texts(columns["annotator"]))
    _add_others(base, table, (*columns.values(), *scored))
    read = [floats(table.column(name)) for name in scored]
    values, bad = (np.stack(parts, axis=1).ravel() for parts in zip(*read, strict=True))
    keep = np.isfinite(values) | bad
    # Row i of the table becomes rows i·n … i·n + n - 1, so that the scores of a pair are adjacent.
    pair, judge = np.divmod(np.flatnonzero(keep), len(scored))
    _refuse_too_large(table, base, pair)
    data = {name: column.take(pa.array(pair)) for name, column in base.items()}
    if judges:
        data["annotator"] = pa.array(list(layout.sources), pa.large_string()).take(pa.array(judge))
    elif "annotator" in columns:
        data["annotator"] = table.texts(columns["annotator"]).take(pa.array(pair))
    else:
        data["annotator"] = repeated("judge", len(pair))
    scores, (low, high) = values[keep], _scale(values, layout.cells)
    data["score"] = pa.array(scores, from_pandas=True)
    outside, reason = f"is outside the scale {low:g} to {high:g}", "score is not a finite number"
    misfits = np.flatnonzero(~((scores >= low) & (scores <= high))).tolist()
    marked = {row: f"score {scores[row]:g} {outside}" if np.isfinite(scores[row]) else reason for row in misfits}
    lines, read_rows = table.line_numbers()[pair].tolist(), len(values) + table.read - len(table)
    rows = Rows("judgements", pa.table(data), read_rows, lines, marked=marked, rejected=table.rejected)
    rows.notes, rows.blank = table.notes, table.blank + int((~keep).sum())
    return rows


def _refuse_too_large(table: Table, base: dict[str, pa.ChunkedArray], pair: npt.NDArray[np.int64]) -> None:
    refuse_over(table.limits.rows, len(pair), "scores", table.file, "a table")
    times = np.bincount(pair, minlength=len(table))
    texts = [column for column in base.values() if pa.types.is_large_string(column.type)]
    size = sum(int(byte_lengths(column.fill_null("")) @ times) for column in texts)
    refuse_over(table.limits.unpacked_bytes, size, "bytes with the texts of every score", table.file, "a table")


def _scale(values: npt.NDArray[np.float64], chosen: str) -> tuple[float, float]:
    """Return the chosen scale, else 0–4, widened if all scores are integers up to 10; `any` allows all numbers."""
    if chosen == "any":
        return -sys.float_info.max, sys.float_info.max
    if chosen:
        low, _, high = chosen.partition("-")
        return float(low), float(high)
    finite = values[np.isfinite(values)]
    whole = bool(len(finite)) and bool(np.all(np.floor(finite) == finite)) and finite.min() >= 0 and finite.max() <= 10
    return 0.0, max(4.0, float(finite.max())) if whole else 4.0
