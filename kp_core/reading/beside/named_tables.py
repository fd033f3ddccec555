"""Read tables whose columns have fixed names: a vocabulary, phrase pairs, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import VOCABULARY, LoadReport, Reading, Vocabulary, VocabularyTable, joined
from kp_core.errors import InputError, Note, UsageError, input_error, pluralize
from kp_core.reading.beside.vectors import file_of_vectors, is_vectors, read_vectors
from kp_core.reading.inputs import as_pandas, frame_table
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.meaning.fields import find_roles, plain, roles_in_words
from kp_core.reading.meaning.mapping import Mapping as Meaning
from kp_core.reading.meaning.tables import tables_of
from kp_core.reading.open.decode import File, how_decoded
from kp_core.reading.open.source import Source, expand, fingerprint
from kp_core.reading.open.table import Table

#: Other names of columns, as in SPARQL results and CASIMiR.
_COLUMN_ALIASES = {
    "child": ("narrower", "narrow", "concept"),
    "parent": ("broader", "broad"),
    "concept": ("uri", "label_id", "subject", "phrase", "keyphrase"),
    "n": ("label_freq", "frequency", "freq", "count"),
    "documents": ("n_docs",),
}
#: Numeric column → its maximum.
_NUMBERS = {"n": np.finfo(float).max, "documents": np.finfo(float).max, "score": 1.0}
#: Vocabulary table → the note that it was read.
ABOUT = {
    "broader": "{rows} of concepts and their broader concepts, used by hP, hR and hF1 if identifiers are compared",
    "frequencies": "{rows} of concepts and their document frequencies, used by PSP and gain = propensity",
    "similar": "{rows} of phrase pairs and their similarity, used by SemP, SemR, SemF1 and the similarity “given”",
    "vectors": "{rows} of phrases and their vectors, used by SemP, SemR, SemF1 and the similarity “given”",
}


def _columns_of(names: Sequence[str], name: VocabularyTable) -> dict[str, str]:
    """Return {column of a vocabulary table: its name in a file} (`?child` in SPARQL); empty if one is missing."""
    heads = {plain(head.lstrip("?")): head for head in reversed(names)}
    columns = dict[str, str]()
    for column in VOCABULARY[name]:
        required = column.rstrip("?")
        head = next((heads[word] for word in (required, *_COLUMN_ALIASES.get(required, ())) if word in heads), None)
        if head is not None:
            columns[required] = head
        elif required == column:
            return {}
    return columns


def _read(
    name: VocabularyTable, item: Any, limits: Limits, encoding: str | None
) -> Iterator[tuple[pd.DataFrame, Reading, Sequence[Note]]]:
    """Yield the tables of one input, each with its entry in the report and notes on its encoding."""
    for table in _open_source(name, item, limits, encoding):
        file = table if isinstance(table, File) else None
        if name == "vectors":
            columns, frame = dict[str, str](), read_vectors(file.source if file else table, limits, encoding)
        else:
            columns, frame = _frame(name, _first(file) if file else frame_table(table, name, limits))
        fields: dict[str, Any] = {"columns": columns, "rows_read": len(frame), "rows_loaded": len(frame)}
        reading = Reading(name, 0, name, type(item).__name__, roles_in_words(columns), **fields, line_ends="none")
        texts = [file.decoded] if file and "decoded" in vars(file) else []
        if file:
            fields = {"file": file.name, "size": len(file.source.data), "sha256": fingerprint([file.source.data])}
            reading = replace(reading, family="F10", **fields, **how_decoded(texts))
        yield frame, reading, [note for text in texts for note in text.notes]


def _open_source(name: VocabularyTable, item: Any, limits: Limits, encoding: str | None) -> list[Any]:
    """Return an in-memory table unchanged, or the files at a path, each of which must have a header row."""
    if isinstance(item, pd.DataFrame | Mapping):
        return [item]
    if isinstance(item, File):
        return [item.meaning(replace(item.mapping, header="yes"))]
    sources = [file_of_vectors(item, limits)] if name == "vectors" else expand(item, limits).files
    return [File(source, limits, encoding, mapping=Meaning(header="yes")) for source in sources]


def _first(file: File) -> Table:
    tables = tables_of(file, file.mapping)
    if not tables:
        raise InputError(file.name, "no table", "a table with column names", "Name its columns in the first line.")
    return tables[0]


def _frame(name: VocabularyTable, table: Table) -> tuple[dict[str, str], pd.DataFrame]:
    columns = _columns_of(table.names, name)
    required = [column for column in VOCABULARY[name] if not column.endswith("?")]
    listed = " and ".join(filter(None, (", ".join(required[:-1]), required[-1])))
    if not columns:
        raise input_error(table.file, "no vocabulary", needed=f"columns {listed}", found=", ".join(table.names))
    if not len(table):
        raise input_error(table.file, "only column names")
    texts = {column: pd.Series(table.texts(head).to_pylist(), dtype="str") for column, head in columns.items()}
    frame = pd.DataFrame(texts).apply(lambda text: text.str.strip().str.removeprefix("<").str.removesuffix(">"))
    for column, largest in _NUMBERS.items():
        if column in frame:
            values = pd.to_numeric(frame[column], errors="coerce")
            if (bad := ~values.between(0, largest)).any():
                row = int(bad.idxmax())
                kind = "no frequency" if largest > 1 else "no share"
                raise input_error(f"{table.file}, line {table.line_numbers()[row]}", kind, found=frame[column][row])
            frame[column] = values
    empty = (frame[required].astype("str") == "").any(axis=1)
    if empty.any():
        line = table.line_numbers()[int(empty.idxmax())]
        raise input_error(f"{table.file}, line {line}", "empty concept", needed=listed)
    return columns, frame


#: Number of bytes at the beginning of a file that are searched for column names.
_HEAD = 200
#: Columns of lists of keyphrases; tables with these columns are not vocabulary, even if they have frequencies.
_LIST_COLUMNS = frozenset({"phrase", "keyphrase", "subject"})


def table_of_vocabulary(file: Source) -> VocabularyTable | None:
    """Return the vocabulary table that the column names of a file imply, or None.

    >>> [table_of_vocabulary(Source("a", heads)) for heads in (b"?child\\t?parent\\n", b"doc_id,concept,n\\n")]
    ['broader', None]
    """
    if is_vectors(file):
        return "vectors"
    line = file.data[:_HEAD].split(b"\n", 1)[0].decode("utf-8-sig", "replace").lower()
    heads = [cell.strip().strip('"') for cell in re.split("[,;\t]", line)]
    if _LIST_COLUMNS & {*heads}:
        return None
    candidates = (name for name, columns in VOCABULARY.items() if 1 < len(heads) <= len(columns))
    return next((name for name in candidates if len(_columns_of(heads, name)) == len(heads)), None)


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
    """Read vocabulary tables, each from one or several inputs of the kinds that `load` accepts.

    Examples
    --------
    >>> vocabulary(similar=pd.DataFrame([["tide", "ebb", 0.5]], columns=["a", "b", "score"])).similar["score"].tolist()
    [0.5]
    """
    tables: dict[VocabularyTable, Any] = {"broader": broader, "frequencies": frequencies, "similar": similar}
    result, _ = vocabulary_of({**tables, "vectors": vectors}, limits, encoding, directed)
    refuse_contradictions(result)
    return result


def refuse_contradictions(vocabulary: Vocabulary) -> None:
    """Refuse cyclic hierarchies, pairs of phrases with two scores, and pairs combined with vectors."""
    if len(vocabulary.broader):
        vocabulary.ancestors  # noqa: B018 - refuses a cycle
    if len(vocabulary.similar) and len(vocabulary.vectors):
        raise UsageError("similarity comes from pairs or from vectors; leave out one of the two tables")
    if twice := vocabulary.scored_twice:
        a, b = twice
        raise input_error("the table of similarities", "two values", what=f"“{a}” and “{b}”", values="different scores")


def vocabulary_of(
    inputs: Mapping[VocabularyTable, Any], limits: Limits, encoding: str | None, directed: bool
) -> tuple[Vocabulary, LoadReport]:
    """Return the vocabulary of all tables that are not None, and the report on them."""
    frames, readings, notes = dict[str, pd.DataFrame](), list[Reading](), list[Note]()
    for name, items in ((name, items) for name, items in inputs.items() if items is not None):
        items = items if name == "vectors" else as_pandas(items)
        sources = items if isinstance(items, list | tuple) else [items]
        tables, table_readings, table_notes = zip(
            *(table for item in sources for table in _read(name, item, limits, encoding)), strict=True
        )
        frames[name] = joined(name, tables)
        if name == "frequencies" and (repeated := frames[name].duplicated("concept")).any():
            concept = frames[name].loc[repeated, "concept"].iloc[0]
            raise input_error("the table of frequencies", "concept twice", concept=concept)
        readings += table_readings
        notes += chain.from_iterable(table_notes)
        if len(frames[name]):
            notes.append(Note("info", name, ABOUT[name].format(rows=pluralize(len(frames[name]), "row"))))
    return Vocabulary(**frames, directed=directed), LoadReport(tuple(readings), notes=tuple(notes))


_ROLES = ("pair_id", "doc_id", "keyphrase", "candidate")


def load_pairs(paths: Sequence[str | Path | Source], encoding: str | None = None) -> pd.DataFrame:
    """Read pairs from tables with a header: columns keyphrase and candidate; numeric columns become numbers."""
    frame = _with_header(paths, _ROLES, _ROLES[2:], encoding)
    for name in (name for name in frame if name not in _ROLES):
        numbers = pd.to_numeric(frame[name].where(frame[name] != ""), errors="coerce")
        if numbers.notna().any():
            frame[name] = numbers
    return frame


def load_attributes(paths: Sequence[str | Path | Source], encoding: str | None = None) -> pd.DataFrame:
    """Read tables with a header and a column `sentence`; all cells are text, and blank cells are missing."""
    return _with_header(paths, ("sentence",), ("sentence",), encoding).replace("", None)


def _with_header(
    paths: Sequence[str | Path | Source], roles: Sequence[str], required: Sequence[str], encoding: str | None
) -> pd.DataFrame:
    frames = []
    for source in (source for path in paths for source in expand(path).files):
        table = _first(File(source, LIMITS, encoding, mapping=Meaning(header="yes")))
        columns = find_roles(table.names, roles)
        if not set(required) <= set(columns):
            needed = f"column{'s' * (len(required) > 1)} {' and '.join(required)}"
            raise input_error(source.name, "no vocabulary", needed=needed, found=", ".join(table.names))
        other_columns = {name: name for name in table.names if name not in (*columns.values(), *columns)}
        cells = {name: table.texts(head).to_pylist() for name, head in (columns | other_columns).items()}
        frames.append(pd.DataFrame(cells, dtype="str"))
    return pd.concat(frames, ignore_index=True)
