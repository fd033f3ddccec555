"""Find by their content what the heads of columns do not tell: ids, phrases, ranks, and whose they are."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.reading.fields import DOCUMENTS, NAMES, NO_PHRASES, is_form, phrases_in, plain
from kp_core.reading.profiles import (
    LONG_TEXT,
    can_be_ids,
    cells_of,
    count_distinct,
    is_long,
    is_partial,
    is_shelf_mark,
    profile,
    whole_lists,
)
from kp_core.reading.table import Table, counts_rows, list_columns, share_with
from kp_core.reading.values import floats


def settled(table: Table, role: Role, columns: dict[str, str]) -> dict[str, str]:
    """Resolve names with two meanings, such as `document`, which may be the text or the id."""
    columns = dict(columns)
    if plain(columns.get("doc_id", "")) == "name" and not cells_of(table, columns["doc_id"]):
        del columns["doc_id"]  # a form without names
    elif plain(columns.get("doc_id", "")) == "name" and is_form(table.names):
        columns["annotator"] = columns.pop("doc_id")
    if role != "documents":
        columns = _as_programs_write(table, columns, role)
    ids = coded(table, (name for name in table.names if name not in columns.values() or plain(name) in DOCUMENTS))
    if ids and plain(columns.get("doc_id", "")) == "url":  # an address, beside the id of a document
        del columns["doc_id"]
    if _counts_answers(table, columns):
        del columns["doc_id"]
    if "doc_id" not in columns and (not ids or set(ids) & set(columns.values())):
        columns = _short_ids(table, columns)
    about = _of_names(table, columns)
    if about:
        columns["annotator" if role == "gold" else "system"] = columns.pop("doc_id")
        columns["doc_id"] = columns.pop(about)
    text = columns.get("text")
    known = "doc_id" in columns or (text is not None and profile(table, text).varied <= 0.9)
    if role == "gold" and text is not None and known and not is_long(table, text, 50):
        columns = {part: name for part, name in columns.items() if part != "text"}
    # Lists under a name such as ID; the head of our own tables is never doubted, since any text may be an id there.
    name = columns.get("doc_id", "doc_id")
    if name != "doc_id" and (is_partial(table, name) or share_with(table.texts(name), ";") >= 0.5):
        del columns["doc_id"]
    return columns


def _of_names(table: Table, columns: dict[str, str]) -> str:
    """Return what tells the document where a column called Name tells who says something of it; else nothing."""
    name = columns.get("doc_id", "")
    if plain(name) != "name":
        return ""
    if plain(columns.get("text", "")) in ("text", "document"):
        return "text"
    told = {part: columns[part] for part in ("text", "title") if part in columns}
    several = profile(table, name).varied < 1
    pairs = (part for part, own in told.items() if profile(table, own).varied < 1 and profile(table, own).ids)
    once = (p for p in pairs if count_distinct({"who": table.texts(name), "of": table.texts(told[p])}) == len(table))
    return next(once, "") if several else ""


def _counts_answers(table: Table, columns: dict[str, str]) -> bool:
    """Tell ids that only count the rows, beside a document of which several people say something."""
    document = columns.get("text", columns.get("title"))
    person = next((name for name in table.names if plain(name) in (*NAMES["annotator"], "name")), None)
    if (
        "doc_id" not in columns
        or document is None
        or person is None
        or not counts_rows(table.column(columns["doc_id"]))
    ):
        return False
    several = profile(table, document).varied < 1 and profile(table, document).ids
    return several and count_distinct({"doc_id": table.texts(document), "who": table.texts(person)}) == len(table)


def _as_programs_write(table: Table, columns: dict[str, str], role: Role) -> dict[str, str]:
    """Take short texts, several of a document, for phrases, and fractions as ranks or grades for scores."""
    phrases, text = phrases_in(columns), columns.get("text")
    label = plain(phrases or "") in ("label", "tag")
    again = phrases is None and "doc_id" in columns and profile(table, columns["doc_id"]).varied < 1
    kinds = label and text is not None and profile(table, phrases or "").varied < profile(table, text).varied
    if text is not None and (again or kinds) and profile(table, text).phrases and not profile(table, text).codes:
        columns = {part: name for part, name in columns.items() if name not in (phrases, text)} | {"phrase": text}
    for about in ("rank", "relevance") if role == "system" and "score" not in columns else ():
        values = floats(table.column(columns[about]))[0] if about in columns else np.zeros(0)
        if 2 * np.sum(np.isfinite(values) & (np.floor(values) != values)) >= len(values) > 0:
            return {"score" if part == about else part: name for part, name in columns.items()}
    return columns


def _short_ids(table: Table, columns: dict[str, str]) -> dict[str, str]:
    """Take codes under such a head, `document`, and a short text or title in many rows for the id."""
    phrases = phrases_in(columns)
    named = {about: columns[about] for about in ("text", "title") if about in columns}
    codes = [about for about, name in named.items() if profile(table, name).codes]
    if codes:
        return {"doc_id" if part == codes[0] else part: own for part, own in columns.items()}
    for about, name in named.items():
        if is_long(table, name, LONG_TEXT):
            continue
        shape, document = profile(table, name), plain(name) == "document"
        once = document or (about == "text" and plain(name) != "text" and "title" not in columns)
        again = document or (phrases is not None and profile(table, phrases).lists < 0.5)
        if (once and shape.varied > 0.9 and shape.words <= 2) or (again and shape.varied <= 0.9 and shape.ids):
            return {"doc_id" if part == about else part: own for part, own in columns.items()}
    return columns


def completed(table: Table, columns: dict[str, str], role: Role) -> dict[str, str]:
    """Find by content what the names of the columns do not tell."""
    if table.header and phrases_in(columns) and "doc_id" in columns:
        return columns
    if table.header and not {"doc_id", "phrase", "phrases"} & set(columns) and len(list_columns(table)) != 1:
        # A table about something else: any two of its columns could pass for ids and phrases, unless one holds lists.
        if (only := only_list(table, columns)) is None:
            return columns
        columns = columns | {"phrases": only}
    elif phrases_in(columns) is None and (only := only_list(table, columns)) is not None:
        columns = columns | {"phrases": only}
    return add_by_content(table, columns, ("doc_id", "phrase", "rank", "source"), role)


def only_list(table: Table, columns: dict[str, str]) -> str | None:
    """Return the column of lists under a head that nobody knows, if there is just one."""
    lists = [name for name in whole_lists(table, table.names) if profile(table, name).phrases]
    lists = [name for name in lists if name not in columns.values() and plain(name) not in NO_PHRASES]
    return lists[0] if table.header and len(lists) == 1 else None


def _can_be_phrases(table: Table, name: str) -> bool:
    return plain(name) not in NO_PHRASES and not profile(table, name).marks


def add_by_content(
    table: Table, columns: dict[str, str], wanted: tuple[str, ...], role: Role = "documents"
) -> dict[str, str]:
    """Add roles that names did not give: phrases are the most varied text, ids come first, few values are a source."""
    lists = [name for name in list_columns(table) if name not in columns.values()]
    alone = len(lists) == 1 and "phrase" in wanted and not phrases_in(columns)
    columns = columns | ({"phrases": lists[0]} if alone else {})
    nested = {name for name in table.names if pa.types.is_nested(table.column(name).type)}
    free = [name for name in table.names if name not in nested and name not in columns.values()]
    if not len(table) or not free:
        return columns
    numeric = {name: floats(table.column(name)) for name in free}
    numbers = [name for name in free if not numeric[name][1].any() and np.isfinite(numeric[name][0]).any()]
    varied = {name: len(pc.unique(table.column(name))) for name in free}
    texts = [name for name in free if name not in numbers]
    if "text" in wanted and "text" not in columns and texts and "title" not in columns:
        columns["text"] = max(texts, key=lambda n: pc.sum(pc.utf8_length(table.texts(n))).as_py() or 0)
    if "phrase" in wanted and not phrases_in(columns):
        others = texts[1:] if "doc_id" not in columns and len(texts) > 1 else texts
        others = [name for name in others if not table.header or _can_be_phrases(table, name)]
        if others:
            columns["phrase"] = max(others, key=lambda n: varied[n])
    left = [name for name in free if name not in columns.values()]
    if "doc_id" in wanted and "doc_id" not in columns and left:
        columns |= _doc_id(table, columns, left, numbers, varied, role)
    if table.header or "rank" not in wanted or "doc_id" not in columns:
        return columns
    for name in (name for name in left if name not in columns.values()):
        if name in numbers and role == "system":
            values = numeric[name][0]
            ranks = "rank" not in columns and bool(np.all(np.floor(values) == values) and values.min() >= 1)
            columns.setdefault("rank" if ranks else "score", name)
        elif name in texts and varied[name] * 2 <= len(table):
            columns.setdefault("source", name)
    return columns


def _doc_id(
    table: Table, columns: dict[str, str], left: list[str], numbers: list[str], varied: dict[str, int], role: Role
) -> dict[str, str]:
    """Choose the column of ids: codes before words, the most varied first; numbers only where they can be ids."""
    place, phrase = table.names.index, phrases_in(columns)
    fitting = [name for name in left if can_be_ids(table, name)]
    if not fitting or (len(table.names) == 2 and phrase is not None and place(fitting[0]) > place(phrase)):
        return {}
    lists = phrase is not None and (profile(table, phrase).lists >= 0.5 or phrase in list_columns(table))

    def rank(name: str) -> int:
        """Return 3 for codes, 2 for shelf marks and numbers in front, 1 for words, 0 for numbers, -1 for no ids."""
        single = varied[name] == len(table)
        if not lists and single and phrase is not None and any(varied[other] < len(table) for other in fitting):
            return 0  # a number of the row: other columns say which rows belong together
        if name in numbers:
            return 0 if place(name) else 2 if single else 3
        if is_shelf_mark(table, name):
            return 2
        return 3 if profile(table, name).codes else 1 if single or not lists else -1

    # Of two columns that vary alike the tidy order decides: system before document, document before annotator.
    sign = 1 if role == "system" and not table.header else -1
    sure = [name for name in fitting if rank(name) > 1]
    most = max((varied[name] for name in sure), default=0)
    sure = [name for name in sure if varied[name] == most]
    best = max(sure or fitting, key=lambda name: (rank(name), varied[name], sign * place(name)))
    return {"doc_id": best} if rank(best) >= 0 else {}


def coded(table: Table, names: Iterable[str]) -> list[str]:
    """Return the columns of codes that can be ids; whole numbers only where they stand first."""
    shapes = {name: profile(table, name) for name in names if can_be_ids(table, name)}
    return [
        name
        for name, one in shapes.items()
        if is_shelf_mark(table, name) or (one.codes and (one.numbers < 0.5 or name == table.names[0]))
    ]
