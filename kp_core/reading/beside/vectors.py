"""Read vectors of phrases from Parquet, NumPy's npz, or the text format of word2vec and fastText."""

from __future__ import annotations

import codecs
import io
import re
import sys
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv

from kp_core.corpus import first_of_phrases
from kp_core.errors import InputError, input_error
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.open.source import DAMAGED_ARRAYS, Source, packed_kind
from kp_core.reading.open.values import HALF_A_CHARACTER, text_column

#: Names of the arrays of an npz file, or of the columns of a Parquet file.
PHRASES, VECTORS = ("phrases", "phrase"), ("vectors", "vector")
#: Number of bytes examined at the beginning of a text file: its first line, and a phrase with its numbers.
_HEAD = 65_536
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def is_vectors(file: Source) -> bool:
    """Recognize vectors by names of arrays or columns, the extension .vec, or the first line of word2vec text.

    >>> [is_vectors(Source("a.txt", data)) for data in (b"2 3\\ntide 0.1 0.2 0.3\\n", b"1 3\\n2 1 0 5\\n")]
    [True, False]
    """
    if file.data.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        with suppress(pa.ArrowException, *DAMAGED_ARRAYS):
            names = {name.lower() for name in pq.read_schema(pa.BufferReader(file.data)).names}
            return bool(names & {*PHRASES}) and bool(names & {*VECTORS})
        return False
    if packed_kind(file.data) == "npz":  # the first array in the files of streamed runs
        return not file.data[30:].startswith(b"header.json.npy")
    ending = Path(file.name).suffix.lower()
    if ending != ".txt":
        return ending == ".vec"
    head, _, body = file.data[:_HEAD].removeprefix(codecs.BOM_UTF8).partition(b"\n")
    numbers, length = body.split(b"\n", 1)[0].split()[1:], re.fullmatch(rb"\d+ (\d+)\s*", head)
    fits = length is not None and int(length[1]) == len(numbers) and any(b"." in number for number in numbers)
    return fits and all(map(_NUMBER.fullmatch, numbers))


def read_vectors(
    source: Source | pd.DataFrame | Mapping[str, Any], limits: Limits, encoding: str | None = None
) -> pd.DataFrame:
    """Return a table with columns phrase and vector from a `Source`, a table or {phrase: vector}.

    >>> read_vectors({"tide": [1.0, 0.0]}, Limits())["vector"].tolist()
    [[1.0, 0.0]]
    """
    if isinstance(source, Mapping):
        return _table("the vectors", list(source), list(source.values()))
    if isinstance(source, pd.DataFrame):
        return _columns("the vectors", pa.Table.from_pandas(source, preserve_index=False))
    read_binary = _of_parquet if source.data.startswith(b"PAR1") else _of_npz if source.data.startswith(b"PK") else None
    try:
        return read_binary(source, limits) if read_binary else _of_text(source, limits, encoding or "utf8")
    except InputError:
        raise
    except (pa.ArrowException, *DAMAGED_ARRAYS):
        raise _refusal(source.name, "a damaged or unusual file") from None


def _refusal(name: str, found: str, expected: str = "phrases and their vectors") -> InputError:
    return input_error(name, "no vectors", found=found, expected=expected)


def file_of_vectors(source: str | Path | Source, limits: Limits) -> Source:
    """Return a file of vectors in memory, which has a separate limit."""
    name = source.name if isinstance(source, Source) else Path(source).name
    try:
        size = len(source.data) if isinstance(source, Source) else Path(source).stat().st_size
        refuse_over(limits.vector_bytes, size, "bytes", name)
        return source if isinstance(source, Source) else Source(name, Path(source).read_bytes())
    except OSError:
        raise input_error(name or "a path", "not opened", found="no file that can be read") from None


def _of_parquet(source: Source, limits: Limits) -> pd.DataFrame:
    import pyarrow.parquet as pq

    opened = pq.ParquetFile(pa.BufferReader(source.data))
    refuse_over(limits.rows, opened.metadata.num_rows, "rows", source.name, "a table")
    sizes = (opened.metadata.row_group(index).total_byte_size for index in range(opened.metadata.num_row_groups))
    refuse_over(limits.vector_bytes, sum(sizes), "bytes unpacked", source.name)
    return _columns(source.name, opened.read())


def _columns(name: str, table: pa.Table) -> pd.DataFrame:
    """Return the phrases and vectors of a table with one column of lists, or one column per dimension."""
    phrase = next((column for column in table.column_names if column.lower() in PHRASES), None)
    if phrase is None:
        raise input_error(
            name, "no vocabulary", needed="columns phrase and vector", found=", ".join(table.column_names[:20])
        )
    dimensions = table.drop_columns(phrase)
    phrases = table[phrase].cast(pa.large_string()).to_pylist()
    if len(dimensions.column_names) == 1 and pa.types.is_nested(dimensions.schema.types[0]):
        column = dimensions.column(0).combine_chunks()
        length = pc.list_value_length(column)
        if column.null_count or len(pc.unique(length)) > 1:
            raise input_error(name, "vectors of one length")
        return _table(name, phrases, np.asarray(column.flatten()).reshape(len(column), -1))
    return _table(name, phrases, dimensions.to_pandas().to_numpy())


def _of_npz(source: Source, limits: Limits) -> pd.DataFrame:
    with np.load(io.BytesIO(source.data), allow_pickle=False) as arrays:
        members = arrays.zip.infolist()
        # bzip2 and LZMA unpack a kilobyte into gigabytes in one step.
        if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
            raise _refusal(source.name, "arrays packed by another method than Deflate")
        limit = min(limits.vector_bytes, max(limits.ratio_from_bytes, limits.unpacked_ratio * len(source.data)))
        refuse_over(limit, sum(member.file_size for member in members), "bytes unpacked", source.name)
        names = {key.lower(): key for key in arrays.files}
        phrases, vectors = (next((names[key] for key in keys if key in names), None) for keys in (PHRASES, VECTORS))
        if phrases is None or vectors is None:
            raise _refusal(source.name, f"arrays {', '.join(arrays.files[:20])}", "the arrays phrases and vectors")
        texts, matrix = (np.asarray(arrays[key]) for key in (phrases, vectors))
        if texts.dtype.kind != "U":
            raise _refusal(source.name, f"phrases of type {texts.dtype}")
        codes = np.ascontiguousarray(texts, dtype=texts.dtype.newbyteorder("=")).tobytes()
        if (np.frombuffer(codes, np.uint32) > sys.maxunicode).any():
            raise _refusal(source.name, "a phrase with an invalid character code")
        return _table(source.name, np.ravel(texts).tolist(), matrix)


def _of_text(source: Source, limits: Limits, encoding: str) -> pd.DataFrame:
    """Return the vectors of word2vec text, in which `_` represents a blank within a phrase."""
    data = source.data.removeprefix(codecs.BOM_UTF8)
    head = re.match(rb"(\d+) (\d+)[ \r]*\n", data)
    try:
        table = pc_csv.read_csv(
            pa.BufferReader(data),
            pc_csv.ReadOptions(autogenerate_column_names=True, skip_rows=1 if head else 0, encoding=encoding),
            pc_csv.ParseOptions(delimiter=" ", quote_char=False),
            pc_csv.ConvertOptions(column_types={"f0": pa.large_string()}, strings_can_be_null=False),
        )
    except (pa.ArrowException, UnicodeError):
        raise _unequal_lengths(source.name, data, encoding) from None
    if table.num_columns > 1 and table.columns[-1].null_count == len(table):  # a blank ends each line
        table = table.drop_columns(table.column_names[-1])
    refuse_over(limits.vector_bytes, table.nbytes, "bytes unpacked", source.name)
    numbers = [column.to_numpy() for column in table.columns[1:]]
    if not numbers or any(column.dtype.kind not in "fi" for column in numbers):
        raise _unequal_lengths(source.name, data, encoding)
    if head and (declared := (int(head[1]), int(head[2]))) != (len(table), len(numbers)):
        size = (len(table), len(numbers))
        raise input_error(source.name, "part of the vectors", declared=declared, size=size)
    phrases = pc.replace_substring(table.column(0), "_", " ").to_pylist()
    return _table(source.name, phrases, np.stack(numbers, axis=1))


def _unequal_lengths(name: str, data: bytes, encoding: str) -> InputError:
    lines = [(number, line.removesuffix(b" ").split(b" ")) for number, line in enumerate(data.splitlines(), 1)]
    lines = [(number, cells) for number, cells in lines if cells != [b""] and (number > 1 or len(cells) != 2)]
    for number, (phrase, *cells) in lines:
        length = len(lines[0][1]) - 1
        expected = f"a phrase (with _ for spaces) and {length:,} numbers in each line, separated by spaces"
        problems = [f"“{cell[:50].decode(errors='replace')}”" for cell in cells if not _NUMBER.fullmatch(cell)]
        problems += [f"{len(cells):,} numbers"] * (len(cells) != length or not cells)
        problems += [f"bytes that are not {encoding}"] * (phrase != phrase.decode(encoding, "ignore").encode(encoding))
        if problems:
            return _refusal(f"{name}, line {number}", problems[0], expected)
    return _refusal(name, "no line with a phrase and numbers")


def _table(name: str, phrases: list[Any], values: Any) -> pd.DataFrame:
    """Return a table with each phrase once; refuse phrases with two different vectors."""
    try:
        matrix = np.asarray(values)
        if matrix.dtype.kind not in "fiu":
            raise TypeError
        matrix = matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(np.float32)
    except (TypeError, ValueError):
        raise input_error(name, "vectors of one length") from None
    if not np.isfinite(matrix).all():
        raise input_error(name, "no finite number")
    if matrix.ndim != 2 or len(matrix) != len(phrases) or not matrix.size:
        found = f"{len(phrases):,} phrases and an array of {' × '.join(map(str, matrix.shape)) or 'one number'}"
        raise _refusal(name, found, "a vector for each phrase")
    if any(not isinstance(phrase, str) or not phrase.strip() for phrase in phrases):
        raise input_error(name, "empty concept", needed="a phrase")
    if text_column(phrases)[1]:
        raise _refusal(name, f"a phrase with {HALF_A_CHARACTER}")
    trimmed = pd.Series([phrase.strip() for phrase in phrases], dtype="str")
    if trimmed.duplicated().any():
        first_rows = first_of_phrases(name, trimmed, matrix)
        trimmed, matrix = trimmed[first_rows].reset_index(drop=True), matrix[first_rows]
    flat = pa.array(np.ascontiguousarray(matrix).ravel())
    column = pa.FixedSizeListArray.from_arrays(flat, matrix.shape[1])
    return pd.DataFrame({"phrase": trimmed, "vector": pd.Series(column, dtype=pd.ArrowDtype(column.type))})
