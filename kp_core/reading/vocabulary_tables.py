"""Turn tables about phrases and concepts into a Vocabulary: their heads name the columns, and nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from kp_core.corpus import VOCABULARY, Vocabulary
from kp_core.errors import InputError, UsageError, unfit
from kp_core.reading.choice import Choice
from kp_core.reading.families import family_named
from kp_core.reading.family import File
from kp_core.reading.fields import plain
from kp_core.reading.in_memory import as_pandas, frame_table
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source, expand
from kp_core.reading.table import Table
from kp_core.reading.vectors import HEAD, is_parquet_of_vectors, is_vectors, read_vectors, together

#: What columns are called elsewhere: in SPARQL results, by CASIMiR.
_ALSO = {
    "child": ("narrower", "narrow", "concept"),
    "parent": ("broader", "broad"),
    "concept": ("uri", "label_id", "subject", "phrase", "keyphrase"),
    "n": ("label_freq", "frequency", "freq", "count"),
    "documents": ("n_docs",),
}
#: Columns of numbers → the largest that they may hold.
_NUMBERS = {"n": float("inf"), "documents": float("inf"), "score": 1.0}
#: What is said of each table that was read.
ABOUT = {
    "broader": "{rows:,} rows of concepts and broader ones were read; hP, hR and hF1 count with them",
    "frequencies": "how many documents have {rows:,} concepts was read; PSP and gain = propensity weigh with it",
    "similar": "how similar {rows:,} pairs of phrases are was read, for the similarity “given”",
    "vectors": "vectors of {rows:,} phrases were read, for the similarity “given”",
}


def _columns_of(table: Table, name: str) -> dict[str, str]:
    """Return column of a vocabulary's table → its name in a file; empty where a needed one is not named."""
    heads = {plain(head): head for head in reversed(table.names)} if table.header else {}
    found = dict[str, str]()
    for column in VOCABULARY[name]:
        own = column.rstrip("?")
        head = next((heads[one] for one in (own, *_ALSO.get(own, ())) if one in heads), None)
        if head is not None:
            found[own] = head
        elif own == column:
            return {}
    return found


def _table_of(name: str, given: Any, limits: Limits, encoding: str | None = None) -> pd.DataFrame:
    """Return one table of a vocabulary from paths or tables; raises InputError for one that lacks a column.

    Two columns of `<uri>` without a head, as in files of Annif, are those of a table of two columns.
    """
    parts = list[pd.DataFrame]()
    for item in given if isinstance(given, list | tuple) else [given]:
        if name == "vectors":
            parts.append(read_vectors(item, limits, encoding))
        elif isinstance(item, pd.DataFrame):
            parts.append(_frame(name, frame_table(item, name, limits)))
        else:
            parts += [_frame(name, _first(source, limits, encoding)) for source in expand(item, limits).files]
    if name != "vectors":
        return pd.concat(parts, ignore_index=True).drop_duplicates(ignore_index=True)
    return parts[0] if len(parts) == 1 else together(parts)


def _first(source: Source, limits: Limits, encoding: str | None) -> Table:
    """Return the first table of a file; its first line is the head, but where it is one of <uri>."""
    opened: Any = family_named("F10")
    tables = list[Table]()
    for header in ("yes", "no"):
        choice = Choice(options={"header": header})
        tables = opened.tables_of(File(source, limits, encoding), choice)
        if tables and not (tables[0].header and all(name.startswith("<") for name in tables[0].names)):
            break
    if not tables:
        raise InputError(source.name, "no table", "a table with a head", "Name its columns in the first line.")
    return tables[0]


def _frame(name: str, table: Table) -> pd.DataFrame:
    columns = _columns_of(table, name)
    needed = [one for one in VOCABULARY[name] if not one.endswith("?")]
    if not columns and len(table.names) == len(needed) == 2 and _are_uris(table):
        columns = dict(zip(needed, table.names, strict=True))
    if not columns:
        raise unfit(table.file, "no vocabulary", needed=_listed(needed), found=", ".join(table.names))
    if not len(table):
        raise InputError(
            table.file, "a head without rows", "at least one row", "Write the table again, or leave it out."
        )
    texts = {own: pd.Series(table.texts(head).to_pylist(), dtype="str").str.strip() for own, head in columns.items()}
    frame = pd.DataFrame({own: text.str.removeprefix("<").str.removesuffix(">") for own, text in texts.items()})
    for own, largest in _NUMBERS.items():
        if own in frame:
            number = pd.to_numeric(frame[own], errors="coerce")
            if (bad := ~number.between(0, largest)).any():
                row = int(bad.idxmax())
                kind = "no frequency" if largest > 1 else "no share"
                raise unfit(f"{table.file}, line {table.line_numbers()[row]}", kind, found=frame[own][row])
            frame[own] = number
    empty = (frame[needed].astype("str") == "").any(axis=1)
    if empty.any():
        line = table.line_numbers()[int(empty.idxmax())]
        raise unfit(f"{table.file}, line {line}", "empty concept", needed=_listed(needed))
    return frame


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _are_uris(table: Table) -> bool:
    """Tell whether every cell of a table without a head is written as <uri>."""
    cells = [cell for name in table.names for cell in table.texts(name).to_pylist()]
    return not table.header and all(cell.startswith("<") and cell.endswith(">") for cell in cells)


def taken_out(files: Any) -> tuple[dict[str, list[Any]], list[Any]]:
    """Return name → files that are tables of a vocabulary, by their heads alone, and what is left of unsorted files."""
    found, rest = dict[str, list[Any]](), list[Any]()
    for item in files if isinstance(files, list | tuple) else [files]:
        name = table_named(item)
        (rest if name is None else found.setdefault(name, [])).append(item)
    return found, rest


def _begin(item: Any) -> bytes:
    """Return the first bytes of a file; none of what is no file, which is told where it is read."""
    if isinstance(item, Source):
        return item.data[:HEAD]
    if isinstance(item, str | Path):
        with suppress(OSError, ValueError), Path(item).open("rb") as file:
            return file.read(HEAD)
    return b""


#: Heads of a table → its name: all its columns, or those that it needs.
_HEADS = {
    tuple(one.rstrip("?") for one in columns if every or not one.endswith("?")): name
    for name, columns in VOCABULARY.items()
    for every in (True, False)
}


def table_named(item: Any) -> str | None:
    """Return which table of a vocabulary a file is, by its first bytes; None for any other file."""
    begin = _begin(item)
    if begin.startswith(b"PAR1"):
        file = pa.BufferReader(item.data) if isinstance(item, Source) else item
        return "vectors" if is_parquet_of_vectors(file) else None
    if is_vectors(item.name if isinstance(item, Source) else str(item), begin):
        return "vectors"
    head = begin.split(b"\n", 1)[0].decode("utf-8-sig", "replace").lower()
    return _HEADS.get(tuple(cell.strip().strip('"') for cell in re.split("[,;\t]", head)))


def vocabulary(
    *,
    broader: Any = None,
    frequencies: Any = None,
    similar: Any = None,
    vectors: Any = None,
    directed: bool = False,
    encoding: str | None = None,
    limits: Limits = LIMITS,
) -> Vocabulary:
    """Read tables about phrases and concepts, each from one or several of what `load` takes for it.

    >>> vocabulary(similar=pd.DataFrame([["tide", "ebb", 0.5]], columns=["a", "b", "score"])).similar["score"].tolist()
    [0.5]
    """
    tables = {"broader": broader, "frequencies": frequencies, "similar": similar, "vectors": vectors}
    given = {name: one if name == "vectors" else as_pandas(one) for name, one in tables.items() if one is not None}
    made = Vocabulary(
        **{name: _table_of(name, items, limits, encoding) for name, items in given.items()}, directed=directed
    )
    if len(made.broader):
        made.ancestors  # noqa: B018 - a cycle is told when the table is read
    if len(made.similar) and len(made.vectors):
        raise UsageError("how similar phrases are is told by pairs or by vectors; leave out one of the two tables")
    _refuse_two_scores(made.similar, directed)
    return made


def _refuse_two_scores(similar: pd.DataFrame, directed: bool) -> None:
    """Refuse a pair with two different scores; without a direction the reverse is the same pair."""
    pairs = similar[["a", "b"]].to_numpy(str)
    pairs = pairs if directed else np.sort(pairs, axis=1)
    scores = similar["score"].groupby([pairs[:, 0], pairs[:, 1]]).nunique()
    if (scores > 1).any():
        a, b = scores.idxmax()
        raise unfit("the table of similarities", "two values", what=f"“{a}” and “{b}”", values="different scores")
