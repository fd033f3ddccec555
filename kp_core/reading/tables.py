"""Turn a table of any origin (delimited text, DataFrame) into rows, by the names of its columns or their content."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note
from kp_core.reading import cells
from kp_core.reading.delimited import Table
from kp_core.reading.family import Choice, Rows
from kp_core.reading.fields import find_roles
from kp_core.reading.lists import ListBuilder
from kp_core.reading.values import floats

_LISTS = ("doc_id", "concept", "phrase", "phrases")
_TEXTS = ("doc_id", "text", "title", "group")
_ROLES: dict[str, tuple[str, ...]] = {
    "gold": ("doc_id", "annotator", "relevance", "votes", *_LISTS, "title", "text", "group"),
    "system": ("doc_id", "system", "rank", "score", "relevance", *_LISTS),
    "documents": _TEXTS,
    "judgements": ("doc_id", "system", "rank", "relevance", "annotator", *_LISTS),
}
_LONG_TEXT = 200


@dataclass(frozen=True)
class Layout:
    """Which column plays which role, and how cells are to be read."""

    role: Role
    columns: dict[str, str]
    options: dict[str, str] = field(default_factory=dict)
    evidence: str = ""
    role_sure: bool = True


def layout_of(table: Table, role: Role | None, choice: Choice) -> Layout | None:
    """Find the columns that a role needs: by name first, then by content; None if id or phrase cannot be found."""
    if not len(table.names):
        return None
    role = choice.role or role
    guessed, sure = role or _guess_role(table), role is not None
    if guessed is None:
        guessed = "gold"
    elif role is None:
        sure = True
    columns = find_roles(table.names, _ROLES[guessed], choice.columns)
    columns = _settle(table, guessed, columns)
    if guessed == "documents":
        columns = cells.add_by_content(table, columns, ("doc_id", "text"))
        if "doc_id" not in columns or not {"text", "title", "group"} & set(columns):
            return None
        return Layout("documents", columns, evidence=_evidence(table, columns))
    wide = (
        cells.wide_columns(table, columns) if "doc_id" in columns and not {"phrase", "phrases"} & set(columns) else []
    )
    if wide:
        what = "annotator" if guessed == "gold" else "system"
        evidence = f"{_evidence(table, columns)}; {len(wide)} columns of lists, one an {what}".replace(
            "an system", "a system"
        )
        return Layout(guessed, columns, {"wide": "\n".join(wide)}, evidence, sure)
    columns = _completed(table, columns, guessed)
    if "doc_id" not in columns or not {"phrase", "phrases"} & set(columns):
        return None
    separator = choice.options.get("cells") or cells.list_separator(table, columns, guessed)
    options = {"cells": separator} if separator else {}
    return Layout(guessed, columns, options, _evidence(table, columns) + cells.SAID.get(separator, ""), sure)


def _completed(table: Table, columns: dict[str, str], role: Role) -> dict[str, str]:
    """Find by content what the names of the columns do not tell."""
    if table.header and not {"doc_id", "phrase", "phrases"} & set(columns) and len(cells.list_columns(table)) != 1:
        return columns  # a table about something else: any two of its columns could pass for ids and phrases
    if table.header and {"phrase", "phrases"} & set(columns) and "doc_id" in columns:
        return columns
    return cells.add_by_content(table, columns, ("doc_id", "phrase", "rank", "source"), role)


def _settle(table: Table, role: Role, columns: dict[str, str]) -> dict[str, str]:
    """Resolve names with two meanings: `document` may be the id, a text column in a gold file must be long."""
    columns = dict(columns)
    if "phrase" in columns and "phrases" in columns:
        del columns["phrases"]
    if (
        not {"doc_id", "title"} & set(columns)
        and "text" in columns
        and not cells.is_long(table, columns["text"], _LONG_TEXT)
    ):
        columns["doc_id"] = columns.pop("text")
    if role == "gold" and "text" in columns and not cells.is_long(table, columns["text"], _LONG_TEXT // 4):
        del columns["text"]
    return columns


def _guess_role(table: Table) -> Role | None:
    found = find_roles(
        table.names, ("doc_id", "rank", "score", "system", "annotator", "relevance", "votes", "phrase", "phrases")
    )
    if not {"phrase", "phrases"} & set(found) and table.header:
        long = any(cells.is_long(table, name, _LONG_TEXT) for name in table.names)
        return "documents" if long or "text" in find_roles(table.names, _TEXTS) else None
    if {"rank", "score", "system"} & set(found) or cells.are_scored(table, found.get("phrases", found.get("phrase"))):
        return "system"
    return "gold" if {"annotator", "relevance", "votes"} & set(found) else None


def _evidence(table: Table, columns: dict[str, str]) -> str:
    roles = ", ".join(f"{role} = “{name}”" for role, name in columns.items())
    header = "" if table.header else " without a header"
    return f"{table.described}{header}; {roles}"


def rows_of(table: Table, layout: Layout, asked: Role | None) -> list[Rows]:
    """Return the rows of the layout's role, and of texts and judgements that stand beside them."""
    role, columns = layout.role, layout.columns
    if role == "documents":
        return [_documents(table, columns)]
    parts: list[Rows] = []
    if "wide" in layout.options:
        parts.append(cells.wide_rows(table, columns, role, layout.options["wide"].split("\n")))
    elif "cells" in layout.options:
        parts.append(cells.list_rows(table, columns, role, layout.options["cells"]))
    else:
        table, hollow = _empty_lists(table, columns, role)
        parts += [_long(table, columns, role), *([hollow] if hollow is not None else [])]
    if role == "gold" and asked in (None, "gold"):
        texts = _beside(table, columns)
        parts += [texts] if texts is not None else []
    if role in ("system", "judgements") and _is_judged(table, columns):
        parts = [_judged(table, columns), *parts] if role == "judgements" else [*parts, _judged(table, columns)]
    first = parts[0]
    first.rejected, first.notes, first.blank = (
        table.rejected + first.rejected,
        table.notes + _further(table, columns) + first.notes,
        first.blank + table.blank,
    )
    if role == "judgements":
        if not _is_judged(table, columns):
            raise InputError(
                table.file, "no scores of people", "a column `score`, `score_1` or `pertinence`", "Name the column."
            )
        for part in parts[1:]:
            part.role = "system"
    return parts


def _further(table: Table, columns: dict[str, str]) -> list[Note]:
    """Name the columns that have the same name as one that is read, and are not read themselves."""
    used = set(columns.values())
    again = [name.rstrip("'") for name in table.names if name not in used and name.rstrip("'") in used]
    return [
        Note("warning", table.file, f"The column “{name}” is there {again.count(name) + 1} times; the first is read.")
        for name in dict.fromkeys(again)
    ]


def _empty_lists(table: Table, columns: dict[str, str], role: Role) -> tuple[Table, Rows | None]:
    """Take out the rows that the tidy form has for a list without a phrase: no phrase, and `yes` under `empty`."""
    if "empty" not in table.names:
        return table, None
    marked = pc.and_(
        pc.equal(table.texts("empty"), "yes"), pc.equal(table.texts(columns.get("phrase") or columns["phrases"]), "")
    )
    hollow, lines = marked.to_numpy(), np.arange(1, len(table) + 1) if table.lines is None else np.asarray(table.lines)
    source = columns.get("annotator" if role == "gold" else "system")
    builder = ListBuilder(role, table.limits)
    ids = table.texts(columns["doc_id"]).filter(marked).to_pylist()
    names = [None] * len(ids) if source is None else table.texts(source).filter(marked).to_pylist()
    for doc_id, name, line in zip(ids, names, lines[hollow].tolist(), strict=True):
        builder.open(doc_id, file=table.file, line=line, source=name or None)
    kept = [name for name in table.names if name != "empty" or not hollow.any()]
    filled = [table.column(name).filter(pc.invert(marked)) for name in kept]
    blank = table.blank + int(hollow.sum())
    return replace(table, names=kept, columns=filled, lines=lines[~hollow].tolist(), blank=blank), builder.rows()


def _long(table: Table, columns: dict[str, str], role: Role) -> Rows:
    phrase = columns.get("phrase") or columns["phrases"]
    source = columns.get("annotator" if role == "gold" else "system", columns.get("source"))
    taken = {"doc_id": table.texts(columns["doc_id"]), "phrase": table.texts(phrase)}
    used = {columns["doc_id"], phrase}
    if source is not None:
        taken["source"] = table.texts(source)
        used.add(source)
    if "concept" in columns:
        taken["concept"] = table.texts(columns["concept"])
        used.add(columns["concept"])
    if role == "gold":
        used |= _add_grades(table, columns, taken)
    for name in ("rank", "score") if role != "gold" else ():
        if name in columns:
            taken[name] = table.column(columns[name])
            used.add(columns[name])
    variants = cells.variants(table)
    if variants is not None:
        taken["variants"] = variants
        used.add("variants")
    for name, column in zip(table.names, table.columns, strict=True):
        if name not in used:
            taken[_free(name, taken)] = column
    notes: list[Note] = []
    if not table.header:
        said = ", ".join(f"{name} is {part}" for part, name in columns.items())
        notes.append(Note("warning", table.file, f"There is no header; by their content, {said}."))
    return Rows(role, pa.table(taken), table.lines, notes=notes)


def _add_grades(table: Table, columns: dict[str, str], taken: dict[str, pa.ChunkedArray]) -> set[str]:
    """Add grades or votes to the columns of a gold table; return the columns used."""
    used = set()
    graded = columns.get("relevance") or columns.get("votes")
    if graded is not None:
        taken["relevance"] = table.column(graded)
        used.add(graded)
    if graded is not None and "relevance" not in columns and "source" not in taken:
        taken["source"] = pa.chunked_array([pa.repeat(pa.scalar("votes", pa.large_string()), len(table))])
    return used


def _free(name: str, taken: dict[str, pa.ChunkedArray]) -> str:
    # Variants that hold no lists of spellings are an ordinary column.
    return name if name not in taken and name not in ("annotator", "system", "variants") else f"{name} (file)"


def _documents(table: Table, columns: dict[str, str]) -> Rows:
    taken = {role: table.texts(name) for role, name in columns.items() if role in _TEXTS}
    for name, column in zip(table.names, table.columns, strict=True):
        if name not in columns.values():
            taken[name if name not in taken else f"{name} (file)"] = column
    notes = table.notes + _further(table, columns)
    return Rows("documents", pa.table(taken), table.lines, rejected=table.rejected, notes=notes, blank=table.blank)


def _beside(table: Table, columns: dict[str, str]) -> Rows | None:
    """Return the texts, titles and types that stand in a gold table, if each is constant within its document."""
    kept = [role for role in ("text", "title", "group") if role in columns]
    ids = table.texts(columns["doc_id"])
    taken = {"doc_id": ids}
    documents = len(pc.unique(ids))
    for role in kept:
        column = table.texts(columns[role])
        pairs = pa.table({"doc_id": ids, role: column}).group_by(["doc_id", role], use_threads=False).aggregate([])
        if len(pairs) == documents:
            taken[role] = column
    if len(taken) == 1:
        return None
    _, first = np.unique(ids.combine_chunks().dictionary_encode().indices.to_numpy(), return_index=True)
    rows = pa.table(taken).take(pa.array(first))
    keep = pc.not_equal(rows["doc_id"], "")
    lines = None if table.lines is None else np.asarray(table.lines)[first][keep.to_numpy()].tolist()
    return Rows("documents", rows.filter(keep), lines if lines is not None else (first + 1)[keep.to_numpy()].tolist())


def _is_judged(table: Table, columns: dict[str, str]) -> bool:
    return "relevance" in columns and bool(np.isfinite(floats(table.column(columns["relevance"]))[0]).any())


def _judged(table: Table, columns: dict[str, str]) -> Rows:
    """Return judged system output as judgements whose keyphrase is not known yet; `gold_id` may tell it later."""
    size = len(table)
    taken = {
        "pair_id": pa.chunked_array([pa.array(map(str, range(1, size + 1)), pa.large_string())]),
        "doc_id": table.texts(columns["doc_id"]),
        "candidate": table.texts(columns.get("phrase") or columns["phrases"]),
        "annotator": pa.chunked_array([pa.repeat(pa.scalar("judge", pa.large_string()), size)]),
        "score": table.column(columns["relevance"]),
    }
    for name in (columns.get("system"), columns.get("rank")):
        if name is not None:
            taken["system" if name == columns.get("system") else "rank (file)"] = table.column(name)
    for name, column in zip(table.names, table.columns, strict=True):
        if name not in columns.values():
            taken[name if name not in taken else f"{name} (file)"] = column
    return Rows("judgements", pa.table(taken), table.lines)
