"""Turn a table with its layout into rows that each contain one phrase, one text, or one annotator's score."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import repeat, zip_longest
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, flatten
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.lists.list_builder import BULLET, ListBuilder, add_list, add_scored
from kp_core.reading.meaning.fields import BESIDE, GOLD, GOLD_WORDS, NAMES, YES, in_words, plain, quoted, roles_in_words
from kp_core.reading.meaning.layout import PAIR, Layout
from kp_core.reading.meaning.mapping import HEADS, MARKS
from kp_core.reading.meaning.profiles import count_distinct
from kp_core.reading.open.table import Table, holds_lists, holds_lists_of_texts
from kp_core.reading.open.values import byte_lengths, column_of, floats, is_number, repeated, with_points
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import (
    BORDER,
    TITLE_END,
    Shape,
    cell_separator,
    joined_cells,
    json_list,
    number_behind,
    shape_of,
    spans_in,
    title_and_body,
)

_TEXTS = ("text", "title", "group")
_YES = pa.array(sorted(YES), pa.large_string())
#: Role of a column of judged system output → the name of the column in the judgments.
_BESIDE_JUDGED = {"system": "system", "rank": "rank (file)"}
#: Cells that mean an empty list.
_EMPTY_CELLS = {"nan", "-", "–", "—", "/", "n/a", "k.a.", "k. a.", "none", "keine", "aucun", "ninguno", "nessuno"}
#: First characters of lists in JSON, Python, NumPy or R.
_OPENS = ("[", "{", "(", "a", "c", "n", "N")
#: Number of rows in which unread columns are examined.
_ROWS = 10_000


def rows_of(layout: Layout, chosen_role: Role | None = None) -> list[Rows]:
    """Return the rows of the layout's role, and the rows of any texts and judgments in the same table."""
    if layout.kind == "judged":
        return [_judgements(layout)]
    table = layout.table
    titles = table.texts(layout.columns["title"]).to_pylist() if "title" in layout.columns else ()
    notes = [*table.notes, *_notes_on_unread(layout)]
    parts = [_documents(layout)] if layout.kind == "documents" else _lists_with_others(layout, chosen_role)
    first_part = parts[0]
    first_part.rejected = table.rejected + first_part.rejected
    first_part.notes = notes + first_part.notes
    first_part.blank += table.blank
    first_part.read += table.read - len(table)
    first_part.counted = len(table) if layout.numbered else 0
    for part in parts:
        part.titles, part.datasets = titles, table.datasets
    return parts


def _lists_with_others(layout: Layout, chosen_role: Role | None) -> list[Rows]:
    """Return the lists in a table, together with its texts or judgments, if any."""
    parts, role, grades = _phrases(layout), layout.role, layout.columns.get("relevance")
    has_grades = grades is not None and np.isfinite(floats(layout.table.column(grades))[0]).any()
    is_judged = has_grades and role in ("system", "judgements") and layout.kind != "wide"
    if role == "gold" and layout.mapping.document != HEADS and chosen_role in (None, "gold"):
        parts += _texts_in_gold_table(layout)
    if role == "judgements" and not is_judged:
        found, remedy = "no human scores", "Name the column."
        raise InputError(layout.table.file, found, "a column `score`, `score_1` or `pertinence`", remedy)
    if role == "judgements":
        return [_judged_runs(layout), *(replace(part, role="system") for part in parts)]
    return [*parts, _judged_runs(layout)] if is_judged else parts


def _phrases(layout: Layout) -> list[Rows]:
    if layout.kind in ("long", "lists") and layout.mapping.gold and "system" in layout.columns:
        return _gold_and_systems(layout)
    if layout.kind == "turned":  # each column is a document, each row an annotator or a part of the list
        layout = replace(_stack(layout), kind="lists", cells=layout.cells)
    if layout.kind in ("marked", "scored") or (layout.kind == "wide" and _have_several_rows(layout)):
        return [_long(_stack(layout))]
    if layout.kind == "lists":
        return [_lists(layout, layout.role, {layout.source: (layout.phrases,)})]
    if layout.kind == "wide":
        gold = {source: names for source, names in layout.sources.items() if names[0] in layout.mapping.gold}
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


def _gold_and_systems(layout: Layout) -> list[Rows]:
    """Separate the rows of the gold standard, which the column of systems names, from those of systems."""
    name, names = layout.columns["system"], tuple(layout.mapping.gold)
    is_gold = pc.is_in(layout.table.texts(name), pa.array(names, pa.large_string()))
    other_columns = {role: column for role, column in layout.columns.items() if role not in ("system", "rank", "score")}
    are_people = len(names) > 1 or plain(names[0]) not in GOLD_WORDS | GOLD
    source = {"annotator": name} if are_people else {}
    no_gold = replace(layout, mapping=replace(layout.mapping, gold=()))
    gold = replace(no_gold, role="gold", columns=other_columns | source, table=layout.table.rows(is_gold))
    return [*_phrases(gold), *_phrases(replace(no_gold, role="system", table=layout.table.rows(pc.invert(is_gold))))]


def _have_several_rows(layout: Layout) -> bool:
    """Recognize columns of annotators or systems with one phrase per row and several rows per document."""
    one_each = not layout.numbered and not layout.united and all(len(names) == 1 for names in layout.sources.values())
    return one_each and not layout.cells and count_distinct({"doc_id": layout.ids()}) * 2 <= len(layout.table)


def _stack(layout: Layout) -> Layout:
    """Stack columns that each belong to one source or document, and add the name of the column to every row."""
    table = layout.table
    value = {"wide": "phrase", "turned": "phrase", "scored": "score"}.get(layout.kind)
    other_columns, parts = table.without([names[0] for names in layout.sources.values()]), []
    mixed = len({holds_lists(table.column(name)) for name, *_ in layout.sources.values()}) > 1
    for source, (name, *_) in layout.sources.items():
        cells = table.texts(name)
        columns: dict[str, Any] = dict(zip(other_columns.names, other_columns.columns, strict=True))
        columns |= {"(whose)": repeated(source, len(table)), "(line)": table.line_numbers()}
        if value:
            columns[f"({value})"] = cells if mixed else table.column(name)
        part = pa.table(columns)
        if layout.kind != "turned":
            part = part.filter(
                pc.not_equal(cells, "") if value else pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(cells)), _YES)
            )
        parts.append(part)
    combined = pa.concat_tables(parts, promote_options="permissive")
    lines, combined = combined["(line)"].to_pylist(), combined.drop_columns(["(line)"])
    melted = replace(other_columns, names=combined.column_names, columns=combined.columns, lines=lines)
    person = "annotator" if layout.role == "gold" else "system"
    role = "doc_id" if layout.mapping.document == HEADS else person
    roles = {role if value or layout.phrases else "phrase": "(whose)"}
    roles |= {value: f"({value})"} if value else {}
    return replace(layout, kind="long", table=melted, columns={**layout.columns, **roles}, sources={})


def _notes_on_unread(layout: Layout) -> list[Note]:
    """Return notes on repeated column names, and on unread columns that vary within lists."""
    table = layout.table
    columns = {*layout.columns.values(), *(name for names in layout.sources.values() for name in names)}
    repeats = [name.rstrip("'") for name in table.names if name not in columns and name.rstrip("'") in columns]
    notes = [
        Note("warning", table.file, f"The column “{name}” occurs {repeats.count(name) + 1} times; the first is used.")
        for name in dict.fromkeys(repeats)
    ]
    if varying := [name for name in _varying(layout) if name not in columns and name.rstrip("'") not in repeats]:
        message = f"Columns that vary within documents and are not read: {quoted(varying)}."
        remedy = "In the form of the file, use them as annotator, system, rank, score, relevance or type."
        notes.append(Note("info", table.file, f"{message} {remedy}"))
    return notes


def _varying(layout: Layout) -> list[str]:
    """Return the columns whose values vary within a list, in a table of one keyphrase or list per row."""
    if layout.kind not in ("long", "lists") or not layout.table.header or layout.numbered or layout.proposal.is_ours:
        return []
    mask = pa.array(np.arange(len(layout.table)) < _ROWS)
    head, source = replace(layout, table=layout.table.rows(mask)), layout.source_column()
    lists = {"doc_id": head.ids()} | ({} if source is None else {"source": head.table.texts(source)})
    size = count_distinct(lists)
    names = [name for name in layout.table.names if name not in ("variants", "empty")] if size < len(head.table) else []
    return [name for name in names if count_distinct({**lists, name: head.table.texts(name)}) > size]


def _empty_lists(layout: Layout) -> tuple[Layout, Rows | None]:
    """Separate the rows of empty lists, which have `yes` in the column `empty` and no phrase."""
    table = layout.table
    if "empty" not in table.names:
        return layout, None
    is_empty = pc.and_(pc.equal(table.texts("empty"), "yes"), pc.equal(table.texts(layout.phrases), ""))
    if not pc.any(is_empty).as_py():
        return layout, None
    columns = {part: name for part, name in layout.columns.items() if part not in ("rank", "score")}
    rows = replace(table.rows(is_empty), nulls=False)
    empty = replace(layout, kind="lists", cells="none", columns=columns, table=rows)
    lists = _lists(empty, layout.role, {layout.source: (layout.phrases,)})
    return replace(layout, table=table.rows(pc.invert(is_empty)).without(["empty"])), lists


def _long(layout: Layout) -> Rows:
    table, columns, role = layout.table, layout.columns, layout.role
    texts = {"phrase": layout.phrases, "source": layout.source_column(), "concept": columns.get("concept")}
    numbers = {"rank": columns.get("rank"), "score": columns.get("score")}
    if role == "gold":
        numbers = {"relevance": columns.get("relevance") or columns.get("votes")}
    data = {"doc_id": layout.ids()} | {part: table.texts(name) for part, name in texts.items() if name is not None}
    data |= {part: with_points(table.column(name)) for part, name in numbers.items() if name is not None}
    used_columns = {columns.get("doc_id"), *texts.values(), *numbers.values()}
    are_votes = "relevance" in data and "relevance" not in columns and "source" not in data
    if source := layout.source or ("votes" if are_votes else ""):
        data["source"] = repeated(source, len(table))
    if (spellings := _variants(table)) is not None:
        data["variants"] = spellings
        used_columns.add("variants")
    _add_others(data, table, used_columns, ("annotator", "system", "variants", "source", "list"))
    notes: list[Note] = []
    if not table.header:
        message = f"There is no header; the content suggests {in_words(roles_in_words(columns))}."
        notes.append(Note("warning", table.file, message))
    return Rows(role, pa.table(data), len(table), table.lines, notes=notes)


def _add_others(
    data: dict[str, pa.ChunkedArray], table: Table, used_columns: Container[str | None], reserved: Sequence[str] = ()
) -> None:
    """Add the columns without a role; a name that KPScope uses itself gets a suffix."""
    for name, column in zip(table.names, table.columns, strict=True):
        if name not in used_columns:
            data[name + BESIDE if name in data or name in reserved else name] = column


def _variants(table: Table) -> pa.Array | None:
    if "variants" not in table.names:
        return None
    column = table.column("variants")
    if holds_lists_of_texts(column):
        return column.cast(pa.list_(pa.large_string()))
    lists = [json_list(cell) if isinstance(cell, str) and cell else None for cell in column.to_pylist()]
    texts = [value if value and all(isinstance(text, str) for text in value) else None for value in lists]
    array, surrogates = column_of(texts)
    return array if any(texts) and not surrogates else None


def _lists(layout: Layout, role: Role, sources: Mapping[str, tuple[str, ...]]) -> Rows:
    table, builder = layout.table, ListBuilder(role, layout.table.limits)
    for part in ("rank", "score") if layout.kind == "lists" and role == "system" else ():
        if part in layout.columns and _parallel(layout) is None:
            name = layout.columns[part]
            message = f"“{name}” next to lists of phrases is not used: lists keep their order, best first."
            builder.say("warning", table.file, message)
    is_transposed = layout.mapping.document == HEADS
    commas, rows = list[str](), None if is_transposed else _rows_of_text_lists(layout, role, sources)
    for source, names in sources.items():
        if rows is None:
            owner = layout.source_column() if len(sources) == 1 else None
            owners = table.texts(owner).to_pylist() if owner else [source or layout.source or None] * len(table)
            commas += names if _add_lists(builder, layout, names, owners) == "," else ()
        if table.nulls and len(names) == 1 and not is_transposed:
            _note_missing(builder, layout, names[0])
    if commas and (layout.proposal.mapping.role or not layout.mapping.split):
        message = f"Lists were split at commas: {quoted(commas)}. If phrases contain commas, choose another separator."
        builder.say("warning", table.file, message)
    return builder.rows() if rows is None else replace(rows, notes=builder.notes)


def _note_missing(builder: ListBuilder, layout: Layout, name: str) -> None:
    ids = layout.ids().filter(layout.table.column(name).is_null())
    if len(ids):
        count, pronoun = pluralize(len(ids), "document"), "it" if len(ids) == 1 else "them"
        message = f"{count} without “{name}” (missing or null), the first “{ids[0]}”: there is no list for {pronoun}."
        builder.say("info", layout.table.file, message)


def _add_lists(builder: ListBuilder, layout: Layout, names: Sequence[str], owners: Sequence[str | None]) -> str:
    """Add the list of every row, in one or several columns, and notes; return the separator of phrases in texts.

    If a column is a document without annotators, its rows are parts of one list.
    """
    table, is_single = layout.table, len(names) == 1
    separator = layout.cells or cell_separator(table, names[0], sum(layout.sources.values(), ()))
    cells, lists = _cells_and_lists(layout, names, separator)
    scores = _parallel(layout) if is_single else None
    shape = _shape(layout, names[0], lists, scored=scores is not None) if is_single else "phrases"
    missing = table.column(names[0]).is_null().to_pylist() if is_single and table.nulls else [False] * len(table)
    joins_rows, last_id = layout.mapping.document == HEADS and layout.source_column() is None, ""
    has_lists, empty_cells = any(items is not None for items in lists), Counter[str]()
    rows = zip(layout.ids().to_pylist(), table.line_numbers().tolist(), owners, missing, cells, lists, strict=True)
    for row, (doc_id, line, source, is_missing, cell, items) in enumerate(rows):
        if not doc_id.strip():  # one row, however many phrases it has
            builder.rejected.append((table.file, line, "an empty id", str(cell)[:200]))
            continue
        if is_missing:
            continue
        if not (joins_rows and doc_id == last_id):
            builder.open(doc_id, file=table.file, line=line, source=source)
        last_id = doc_id
        if scores and isinstance(scores[row], list) and isinstance(items, list):
            pairs = zip_longest(items, scores[row][: len(items)], fillvalue="missing")
            add_list(builder, [pair if pair[0] is not None else None for pair in pairs], "scored")
        elif items is not None:
            add_list(builder, items, shape)
        elif cell.strip().lower() in _EMPTY_CELLS:
            empty_cells[cell.strip()] += 1
        else:
            _add_text(builder, cell, "" if has_lists and is_number(cell) else separator, shape)
    texts = [cell for cell, items in zip(cells, lists, strict=True) if items is None]
    unsplit = [cell for cell in texts if separator not in cell and re.search("[,，、|]", cell)]
    if separator in (";", "；") and 4 * len(unsplit) > len(cells):
        examples = f"{len(unsplit):,}, “{unsplit[0][:60]}”"
        column = "" if names[0].startswith("(") else f" of “{names[0]}”"
        message = f"Cells{column} without `{separator}` were kept as one phrase: {examples}."
        builder.say("warning", table.file, message)
    for empty_cell, count in empty_cells.items():
        builder.say("info", table.file, f"Cells of “{names[0]}” with “{empty_cell}” were read as empty: {count:,}.")
    return separator if is_single else "none"


def _cells_and_lists(layout: Layout, names: Sequence[str], separator: str) -> tuple[list[Any], list[Any]]:
    """Return the cells of one or several columns, and the list of each row, None if its cell is a string."""
    table, column = layout.table, layout.table.column(names[0])
    if len(names) > 1:
        mark = MARKS.get(separator, ";") if layout.united else ""
        rows = list(zip(*(table.column(name).to_pylist() for name in names), strict=True))
        return rows, [joined_cells(row, mark) for row in rows]
    if holds_lists(column):
        return column.to_pylist(), [[] if cell is None else cell for cell in column.to_pylist()]
    cells = table.texts(names[0]).to_pylist()
    if separator == "spans":
        texts = table.texts(layout.columns["text"]).to_pylist() if "text" in layout.columns else repeat("")
        return cells, list(map(spans_in, cells, texts))
    may_be_lists = separator == "json" or table.nulls
    return cells, [json_list(cell) if may_be_lists and cell.lstrip()[:1] in _OPENS else None for cell in cells]


def _add_text(builder: ListBuilder, cell: str, separator: str, shape: Shape) -> None:
    mark = MARKS.get(separator, ";")
    if shape == "scored" and separator:
        for phrase, score in map(number_behind, builder.pieces(cell, mark)):
            add_scored(builder, phrase, score or None)
    elif BORDER in cell:
        add_list(builder, builder.pieces(cell, mark))
    elif separator in MARKS:
        builder.extend(builder.pieces(cell, mark))
    elif separator == "uris":
        for uri in re.findall(r"<([^<>\s]+)>", cell):
            builder.add(uri, concept=uri)
    elif separator == "tags":
        builder.extend(re.findall(r"#([^#\s]+)", cell))
    elif separator == "none":
        builder.extend([cell] if cell.strip() else [])
    elif cell.strip():
        builder.add(cell[:200], reject="not a JSON list" if separator else "not a list")


def _rows_of_text_lists(layout: Layout, role: Role, sources: Mapping[str, tuple[str, ...]]) -> Rows | None:
    """Return the rows of a column of lists of texts without a loop; None if some row needs special treatment."""
    table, names, owner = layout.table, sum(sources.values(), ()), layout.source_column()
    column, plain_lists = table.column(names[0]), layout.mapping.inner in ("", "phrases")
    if len(names) > 1 or not plain_lists or _parallel(layout) is not None or not holds_lists_of_texts(column):
        return None
    present, ids = column.is_valid(), layout.ids()
    if pc.any(pc.equal(pc.utf8_trim_whitespace(ids), "")).as_py():
        return None
    ids, lists = ids.filter(present), flatten(column.filter(present))
    phrases, lengths = pc.list_flatten(lists), pc.list_value_length(lists).to_numpy()
    if _needs_loop(ids, phrases, lengths, table.limits):
        return None
    lines, of_row = table.line_numbers()[present.to_numpy()], pa.array(np.repeat(np.arange(len(ids)), lengths))
    data: dict[str, Any] = {"doc_id": ids.take(of_row), "phrase": phrases, "list": of_row}
    heads: dict[str, Any] = {"source": None, "doc_id": ids.to_pandas(), "file": table.file, "line": lines}
    if owner is not None or (source := next(iter(sources)) or layout.source):
        owners = repeated(source, len(ids)) if owner is None else table.texts(owner).filter(present)
        data["source"], heads["source"] = owners.take(of_row), owners.to_pandas()
    frame = pd.DataFrame(heads).assign(length=lengths)
    return Rows(role, pa.table(data), len(phrases), np.repeat(lines, lengths), lists=frame)


def _needs_loop(ids: pa.ChunkedArray, phrases: pa.Array, lengths: npt.NDArray[np.int64], limits: Limits) -> bool:
    sizes = byte_lengths(ids)
    is_large = lengths.max(initial=0) > limits.list_phrases or len(phrases) > limits.rows
    is_large = is_large or sizes.max(initial=0) > limits.id_characters or int(sizes @ lengths) > limits.unpacked_bytes
    first_phrases = phrases.take(pa.array((np.cumsum(lengths) - lengths)[lengths > 0]))
    has_marks = pc.any(pc.match_substring_regex(first_phrases, f"^{BULLET}")).as_py()
    has_marks = has_marks or pc.any(pc.match_substring(phrases, BORDER)).as_py()
    return bool(is_large or phrases.null_count or has_marks or not len(ids))


def _parallel(layout: Layout) -> list[Any] | None:
    """Return the lists of scores next to the systems' lists of phrases, or None."""
    table, name = layout.table, layout.columns.get("score", "score")
    if name not in table.names or layout.role == "gold":
        return None
    if holds_lists(table.column(name)):
        return list(table.column(name).to_pylist())
    lists = [json_list(cell) for cell in table.texts(name).to_pylist()]
    return lists if any(items is not None for items in lists) else None


def _shape(layout: Layout, name: str, items: Sequence[Any], *, scored: bool) -> Shape:
    """Return the meaning of inner lists; lists of strings next to scores are tokens."""
    if layout.mapping.inner:
        return cast(Shape, layout.mapping.inner)
    shape, _ = shape_of([value for value in items if value is not None]) or ("phrases", "")
    is_camel_case = plain(name) == "keyphrases" and name != name.lower()  # keyphraseTokens
    return "tokens" if shape == "variants" and (scored or is_camel_case) else shape


def _texts_of(layout: Layout) -> tuple[dict[str, pa.ChunkedArray], list[Note]]:
    """Return texts, titles and types of documents; join tokens, and separate titles from texts."""
    table, notes = layout.table, list[Note]()
    texts = {role: table.texts(layout.columns[role]) for role in _TEXTS if role in layout.columns}
    for role in texts:
        if holds_lists_of_texts(column := table.column(layout.columns[role])):
            texts[role] = _text_column([" ".join(filter(None, tokens or ())) for tokens in column.to_pylist()])
            message = "Texts are lists of tokens; they were joined with spaces (tokenised)."
            notes.append(Note("info", table.file, message))
    has_titles = "text" in texts and pc.match_substring_regex(texts["text"], TITLE_END.pattern, ignore_case=True)
    if "title" not in texts and has_titles and pc.any(has_titles).as_py():
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
    """Return the texts, titles and types in a gold table, as far as they are constant within each document."""
    texts, notes = _texts_of(layout)
    if not texts:
        return []
    rows = pa.table({"doc_id": layout.ids(), "line": layout.table.line_numbers(), **texts})
    aggregated = [("line", "first"), *((role, name) for role in texts for name in ("first", "count_distinct"))]
    documents = rows.group_by("doc_id", use_threads=False).aggregate(aggregated).filter(pc.field("doc_id") != "")
    constant = [role for role in texts if pc.max(documents[f"{role}_count_distinct"]).as_py() == 1]
    if not constant:
        return []
    data = {"doc_id": documents["doc_id"]} | {role: documents[f"{role}_first"] for role in constant}
    text_rows = Rows("documents", pa.table(data), len(documents), documents["line_first"].to_pylist(), notes=notes)
    text_rows.counted = len(layout.table) if layout.numbered else 0
    return [text_rows]


def _pair_numbers(base: dict[str, Any], annotators: pa.ChunkedArray) -> pa.ChunkedArray:
    """Number pairs by content, so that annotators share numbers, or by row if an annotator scored a pair twice."""
    contents = pd.DataFrame({name: column.to_pylist() for name, column in base.items() if name != "pair_id"})
    pair = contents.groupby(list(contents), sort=False, dropna=False).ngroup() + 1
    has_repeats = pd.DataFrame({"pair": pair, "annotator": annotators.to_pylist()}).duplicated().any()
    return base["pair_id"] if has_repeats else pa.chunked_array([pa.array(pair.astype(str), pa.large_string())])


def _judged_runs(layout: Layout) -> Rows:
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
    score_columns = judges or [columns["score"]]
    base = {"pair_id": table.numbers()} | {role: table.texts(columns[role]) for role in PAIR if role in columns}
    if "annotator" in columns and "pair_id" not in columns:
        base["pair_id"] = _pair_numbers(base, table.texts(columns["annotator"]))
    _add_others(base, table, (*columns.values(), *score_columns))
    parsed = [floats(table.column(name)) for name in score_columns]
    values, is_invalid = (np.stack(parts, axis=1).ravel() for parts in zip(*parsed, strict=True))
    keep = np.isfinite(values) | is_invalid
    # Row i of the table becomes rows i·n … i·n + n - 1, so that the scores of a pair are adjacent.
    pair, judge = np.divmod(np.flatnonzero(keep), len(score_columns))
    _refuse_too_large(table, base, pair)
    data = {name: column.take(pa.array(pair)) for name, column in base.items()}
    if "annotator" in columns and not judges:
        data["annotator"] = table.texts(columns["annotator"]).take(pa.array(pair))
    else:
        data["annotator"] = pa.array(list(layout.sources) or ["judge"], pa.large_string()).take(pa.array(judge))
    scores, (low, high) = values[keep], _scale(values, layout.cells)
    data["score"] = pa.array(scores, from_pandas=True)
    out_of_range, reason = f"is outside the scale {low:g} to {high:g}", "score is not a finite number"
    misfits = np.flatnonzero(~((scores >= low) & (scores <= high))).tolist()
    rejected = {row: f"score {scores[row]:g} {out_of_range}" if np.isfinite(scores[row]) else reason for row in misfits}
    lines, read_rows = table.line_numbers()[pair].tolist(), len(values) + table.read - len(table)
    rows = Rows("judgements", pa.table(data), read_rows, lines, marked=rejected, rejected=table.rejected)
    return replace(rows, notes=table.notes, blank=table.blank + int((~keep).sum()))


def _refuse_too_large(table: Table, base: dict[str, pa.ChunkedArray], pair: npt.NDArray[np.int64]) -> None:
    refuse_over(table.limits.rows, len(pair), "scores", table.file, "a table")
    repetitions = np.bincount(pair, minlength=len(table))
    texts = [column for column in base.values() if pa.types.is_large_string(column.type)]
    size = sum(int(byte_lengths(column.fill_null("")) @ repetitions) for column in texts)
    refuse_over(table.limits.unpacked_bytes, size, "bytes with the texts of every score", table.file, "a table")


def _scale(values: npt.NDArray[np.float64], chosen_scale: str) -> tuple[float, float]:
    """Return the chosen scale, else 0–4, or more if all scores are integers up to 10; `any` allows all numbers."""
    if chosen_scale == "any":
        return -sys.float_info.max, sys.float_info.max
    if chosen_scale:
        low, _, high = chosen_scale.partition("-")
        return float(low), float(high)
    finite = values[np.isfinite(values)]
    whole = bool(len(finite)) and bool(np.all(np.floor(finite) == finite)) and finite.min() >= 0 and finite.max() <= 10
    return 0.0, max(4.0, float(finite.max())) if whole else 4.0
