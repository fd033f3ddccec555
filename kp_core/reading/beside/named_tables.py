"""Turn tables whose heads name their columns into frames: a vocabulary, phrase pairs, sentences; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import VOCABULARY, LoadReport, Reading, Vocabulary, VocabularyTable, joined
from kp_core.errors import InputError, Note, UsageError, input_error, pluralize
from kp_core.reading.beside.vectors import file_of_vectors, is_vectors, read_vectors
from kp_core.reading.inputs import as_pandas, frame_table
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.lists.family import File
from kp_core.reading.meaning.fields import find_roles, plain, told
from kp_core.reading.meaning.mapping import Mapping as Meaning
from kp_core.reading.meaning.tables import tables_of
from kp_core.reading.open.decode import Text
from kp_core.reading.open.source import Source, expand, fingerprint
from kp_core.reading.open.table import Table

#: What columns are called elsewhere: in SPARQL results, by CASIMiR.
_ALSO = {
    "child": ("narrower", "narrow", "concept"),
    "parent": ("broader", "broad"),
    "concept": ("uri", "label_id", "subject", "phrase", "keyphrase"),
    "n": ("label_freq", "frequency", "freq", "count"),
    "documents": ("n_docs",),
}
#: Columns of numbers → the largest that they may hold.
_NUMBERS = {"n": np.finfo(float).max, "documents": np.finfo(float).max, "score": 1.0}
#: What is said of each table that was read.
ABOUT = {
    "broader": "{rows} of concepts and their broader concepts, used by hP, hR and hF1 if identifiers are compared",
    "frequencies": "{rows} of concepts and their document frequencies, used by PSP and gain = propensity",
    "similar": "{rows} of phrase pairs and their similarity, used by SemP, SemR, SemF1 and the similarity “given”",
    "vectors": "{rows} of phrases and their vectors, used by SemP, SemR, SemF1 and the similarity “given”",
}


def _columns_of(names: Sequence[str], name: VocabularyTable) -> dict[str, str]:
    """Return column of a vocabulary's table → its head in a file; empty where a needed one is not named.

    SPARQL results as TSV have heads as `?child`.
    """
    heads = {plain(head.lstrip("?")): head for head in reversed(names)}
    found = dict[str, str]()
    for column in VOCABULARY[name]:
        own = column.rstrip("?")
        head = next((heads[one] for one in (own, *_ALSO.get(own, ())) if one in heads), None)
        if head is not None:
            found[own] = head
        elif own == column:
            return {}
    return found


def _tables_of(
    name: VocabularyTable, given: Any, limits: Limits, encoding: str | None
) -> Iterator[tuple[pd.DataFrame, Reading, Sequence[Note]]]:
    """Give the table of each path, file or table in memory, with its entry of the report and notes on its encoding."""
    every = given if isinstance(given, list | tuple) else [given]
    for item, one in [(own, one) for own in every for one in _opened(name, own, limits, encoding)]:
        file = one if isinstance(one, File) else None
        if name == "vectors":
            columns, frame = dict[str, str](), read_vectors(file.source if file else one, limits, encoding)
        else:
            columns, frame = _frame(name, _first(file) if file else frame_table(one, name, limits))
        text = file.decoded if file and "decoded" in vars(file) else Text("", "binary", line_ends="none")
        how: dict[str, Any] = {"file": name, "size": 0, "family": type(item).__name__, "line_ends": "none"}
        if file:
            how = {"encoding": text.encoding, "line_ends": text.line_ends, "bom": text.bom, "family": "F10"}
            how |= {"file": file.name, "size": len(file.source.data), "sha256": fingerprint([file.source.data])}
        how |= {"evidence": told(columns), "columns": columns, "rows_read": len(frame), "rows_loaded": len(frame)}
        yield frame, Reading(role=name, **how), text.notes


def _opened(name: VocabularyTable, item: Any, limits: Limits, encoding: str | None) -> list[Any]:
    """Return a table in memory as it is, and the files behind a path, whose first line is read as the head."""
    if isinstance(item, pd.DataFrame | Mapping):
        return [item]
    if isinstance(item, File):
        return [item.meaning(replace(item.mapping, header="yes"))]
    sources = [file_of_vectors(item, limits)] if name == "vectors" else expand(item, limits).files
    return [File(source, limits, encoding, mapping=Meaning(header="yes")) for source in sources]


def _first(file: File) -> Table:
    """Return the first table of a file."""
    tables = tables_of(file, file.mapping)
    if not tables:
        raise InputError(file.name, "no table", "a table with column names", "Name its columns in the first line.")
    return tables[0]


def _frame(name: VocabularyTable, table: Table) -> tuple[dict[str, str], pd.DataFrame]:
    """Return column of a vocabulary's table → its name in a file, and the table; reject a table that lacks a column."""
    columns = _columns_of(table.names, name)
    needed = [column for column in VOCABULARY[name] if not column.endswith("?")]
    listed = " and ".join(filter(None, (", ".join(needed[:-1]), needed[-1])))
    if not columns:
        raise input_error(table.file, "no vocabulary", needed=listed, found=", ".join(table.names))
    if not len(table):
        remedy = "Write the table again, or leave it out."
        raise InputError(table.file, "column names without rows", "at least one row", remedy)
    texts = {own: pd.Series(table.texts(head).to_pylist(), dtype="str").str.strip() for own, head in columns.items()}
    frame = pd.DataFrame({own: text.str.removeprefix("<").str.removesuffix(">") for own, text in texts.items()})
    for own, largest in _NUMBERS.items():
        if own in frame:
            number = pd.to_numeric(frame[own], errors="coerce")
            if (bad := ~number.between(0, largest)).any():
                row = int(bad.idxmax())
                kind = "no frequency" if largest > 1 else "no share"
                raise input_error(f"{table.file}, line {table.line_numbers()[row]}", kind, found=frame[own][row])
            frame[own] = number
    empty = (frame[needed].astype("str") == "").any(axis=1)
    if empty.any():
        line = table.line_numbers()[int(empty.idxmax())]
        raise input_error(f"{table.file}, line {line}", "empty concept", needed=listed)
    return columns, frame


#: Bytes that hold the heads.
_HEAD = 200
#: Heads that other tables have too: a list of keyphrases may say how often each was found.
_ELSEWHERE = frozenset({"phrase", "keyphrase", "subject"})


def table_of_vocabulary(file: Source) -> VocabularyTable | None:
    """Return which table of a vocabulary a file is, by its heads alone; None for any other file.

    >>> [table_of_vocabulary(Source("a", heads)) for heads in (b"?child\\t?parent\\n", b"doc_id,concept,n\\n")]
    ['broader', None]
    """
    if is_vectors(file):
        return "vectors"
    line = file.data[:_HEAD].split(b"\n", 1)[0].decode("utf-8-sig", "replace").lower()
    heads = [cell.strip().strip('"') for cell in re.split("[,;\t]", line)]
    if _ELSEWHERE & {*heads}:
        return None
    # Most files of a folder are texts, whose first lines have other numbers of parts.
    as_many = (name for name, columns in VOCABULARY.items() if 1 < len(heads) <= len(columns))
    return next((name for name in as_many if len(_columns_of(heads, name)) == len(heads)), None)


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
    """Read tables of phrases and concepts, each from one or several inputs as in `load`.

    Examples
    --------
    >>> vocabulary(similar=pd.DataFrame([["tide", "ebb", 0.5]], columns=["a", "b", "score"])).similar["score"].tolist()
    [0.5]
    """
    tables: dict[VocabularyTable, Any] = {"broader": broader, "frequencies": frequencies, "similar": similar}
    made, _ = vocabulary_of({**tables, "vectors": vectors}, limits, encoding, directed)
    refuse_contradictions(made)
    return made


def refuse_contradictions(vocabulary: Vocabulary) -> None:
    """Refuse a cycle of concepts, a pair of phrases with two scores, and pairs next to vectors."""
    if len(vocabulary.broader):
        vocabulary.ancestors  # noqa: B018 - a cycle is told when the table is read
    if len(vocabulary.similar) and len(vocabulary.vectors):
        raise UsageError("similarity comes from pairs or from vectors; leave out one of the two tables")
    if twice := vocabulary.scored_twice:
        a, b = twice
        raise input_error("the table of similarities", "two values", what=f"“{a}” and “{b}”", values="different scores")


def vocabulary_of(
    given: Mapping[VocabularyTable, Any], limits: Limits, encoding: str | None, directed: bool
) -> tuple[Vocabulary, LoadReport]:
    """Return the vocabulary of all tables that were given, and the report on them; None is no table."""
    frames, readings, notes = dict[str, pd.DataFrame](), list[Reading](), list[Note]()
    for name, items in given.items():
        if items is None:
            continue
        found = list(_tables_of(name, items if name == "vectors" else as_pandas(items), limits, encoding))
        frames[name] = joined(name, [frame for frame, _, _ in found])
        twice = frames[name].duplicated("concept") if name == "frequencies" else []
        if any(twice):
            raise input_error(
                "the table of frequencies", "concept twice", concept=frames[name].loc[twice, "concept"].iloc[0]
            )
        readings += [reading for _, reading, _ in found]
        notes += [note for _, _, own in found for note in own]
        if len(frames[name]):
            notes.append(Note("info", name, ABOUT[name].format(rows=pluralize(len(frames[name]), "row"))))
    return Vocabulary(**frames, directed=directed), LoadReport(tuple(readings), notes=tuple(notes))


_ROLES = ("pair_id", "doc_id", "keyphrase", "candidate")


def load_pairs(paths: Sequence[str | Path | Source], encoding: str | None = None) -> pd.DataFrame:
    """Read pairs from tables with a header: columns keyphrase and candidate; numeric columns become numbers."""
    frame = _headed(paths, _ROLES, _ROLES[2:], encoding)
    for name in (name for name in frame if name not in _ROLES):
        numbers = pd.to_numeric(frame[name].where(frame[name] != ""), errors="coerce")
        if numbers.notna().any():
            frame[name] = numbers
    return frame


def load_attributes(paths: Sequence[str | Path | Source], encoding: str | None = None) -> pd.DataFrame:
    """Read tables with a header and a column sentence; cells stay as they are written, blank ones are missing."""
    return _headed(paths, ("sentence",), ("sentence",), encoding).replace("", None)


def _headed(
    paths: Sequence[str | Path | Source], roles: Sequence[str], needed: Sequence[str], encoding: str | None
) -> pd.DataFrame:
    """Return tables below each other, columns under the names of their roles; one without those needed is refused."""
    frames = []
    for source in (source for path in paths for source in expand(path).files):
        table = _first(File(source, LIMITS, encoding, mapping=Meaning(header="yes")))
        columns = find_roles(table.names, roles)
        if not set(needed) <= set(columns):
            expected = f"a table with the column{'s' * (len(needed) > 1)} {' and '.join(needed)}"
            remedy = "Name them in the header."
            raise InputError(source.name, f"columns {', '.join(table.names)}", expected, remedy)
        others = {name: name for name in table.names if name not in (*columns.values(), *columns)}
        cells = {name: table.texts(head).to_pylist() for name, head in (columns | others).items()}
        frames.append(pd.DataFrame(cells, dtype="str"))
    return pd.concat(frames, ignore_index=True)
