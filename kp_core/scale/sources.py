"""Read large tables from paths and URLs as Arrow tables with the columns of a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow.fs import FileSelector, FileType, FSSpecHandler, LocalFileSystem, PyFileSystem

from kp_core.corpus import Role
from kp_core.errors import InputError, input_error, usage_error
from kp_core.reading.meaning.fields import find_roles
from kp_core.reading.open.source import stem_of
from kp_core.reading.open.values import trim
from kp_core.typeset import storable

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json"}
#: Columns of the tidy tables; the first two are required (for documents, only the first).
COLUMNS: dict[Role, tuple[str, ...]] = {
    "gold": ("doc_id", "phrase", "annotator", "relevance"),
    "system": ("doc_id", "phrase", "system", "rank", "score"),
    "documents": ("doc_id", "text", "title", "group"),
}
_NUMBERS = {"rank": pa.int64(), "score": pa.float64(), "relevance": pa.float64()}
_TEXT = pa.large_string()
#: Rows per batch, without and with texts, and number of batches read ahead.
_BATCH, _BATCH_OF_TEXTS = 131_072, 8_192
_AHEAD = {"batch_readahead": 2, "fragment_readahead": 1}


@dataclass(frozen=True)
class Source:
    """One table: a file, or a folder of files of one format.

    * `name`: name of the system or annotator if there is no column for it; `named`: whether the user gave this name
    * `final`: names of systems or annotators in the files → names in the result
    """

    role: Role
    paths: tuple[str, ...]
    format: str
    name: str
    named: bool = False
    texts: bool = True
    final: dict[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The name of the file or folder in messages."""
        return self.paths[0].rstrip("/").rsplit("/", 1)[-1]

    @cached_property
    def dataset(self) -> ds.Dataset:
        """The files as one table that is not yet read."""
        system, paths = _filesystem(self.paths)
        try:
            kind = _csv(paths[0], system) if self.format == "csv" else self.format
            return ds.dataset(paths, format=kind, filesystem=system)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise _unreadable(self.shown, error) from None

    @cached_property
    def columns(self) -> dict[str, str]:
        """Role of a column → its name in the files."""
        names, roles = self.dataset.schema.names, COLUMNS[self.role]
        columns = find_roles(names, roles)
        votes = find_roles(names, (*roles, "votes")).get("votes")
        if self.role == "gold" and votes is not None:
            columns.setdefault("relevance", votes)  # as in memory
        if lacking := [name for name in roles[: 1 if self.role == "documents" else 2] if name not in columns]:
            raise input_error(self.shown, "no column", columns=", ".join(names[:10]), lacking=lacking[0])
        if self.role == "system" and "score" in columns and "rank" not in columns:
            raise input_error(self.shown, "no ranks")
        if self.role in ("gold", "system"):
            columns |= {extra: extra for extra in ("variants", "empty") if extra in names}
        unread = () if self.texts else ("text", "title")
        return {role: name for role, name in columns.items() if role not in unread}

    @cached_property
    def stamps(self) -> list[tuple[str, int, int]]:
        """Path, size in bytes and time of each file."""
        system, paths = _filesystem(self.paths)
        return [(file.path, file.size or 0, file.mtime_ns or 0) for file in system.get_file_info(paths)]

    def batches(self, only: Sequence[str] | None = None, where: Any = None) -> Iterator[pa.Table]:
        """Yield tidy tables of bounded size, in order; only: tidy columns to read; where: filter on file columns."""
        names = [self.columns[role] for role in only or self.columns if role in self.columns]
        options = {"batch_size": _BATCH_OF_TEXTS if self.role == "documents" else _BATCH, **_AHEAD}
        for fragment in self.dataset.get_fragments():
            try:
                for batch in fragment.to_batches(self.dataset.schema, columns=names, filter=where, **options):
                    yield self._tidy(pa.table(batch), only)
            except FileNotFoundError:
                raise input_error(fragment.path.rsplit("/", 1)[-1], "vanished") from None
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OSError) as error:
                raise _unreadable(fragment.path.rsplit("/", 1)[-1], error) from None

    def table(self, where: Any) -> pa.Table:
        """Return the rows that pass a filter on the columns of the files."""
        empty = self.dataset.schema.empty_table().select(list(self.columns.values()))
        return pa.concat_tables([self._tidy(empty), *self.batches(where=where)])

    def distinct(self, column: str) -> list[str]:
        """Return the distinct values of a column, in order of first occurrence."""
        values: dict[str, None] = {}
        for table in self.batches([column]) if column in self.columns else ():
            values |= dict.fromkeys(table[column].unique().to_pylist())
        return list(values)

    def _tidy(self, table: pa.Table, only: Sequence[str] | None = None) -> pa.Table:
        """Return tidy columns: ids trimmed, numbers as numbers, missing names of annotators or systems filled in."""
        table = table.rename_columns({name: role for role, name in self.columns.items() if name in table.column_names})
        for index, name in enumerate(table.column_names):
            if name == "variants":
                continue
            try:
                column = table[name].cast(_NUMBERS.get(name, _TEXT))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise _unreadable(self.shown, error, f"the column “{name}”") from None
            table = table.set_column(index, name, trim(column.fill_null("")) if name == "doc_id" else column)
        source = {"gold": "annotator", "system": "system"}.get(self.role)
        if source is None or source not in (only or (source,)):
            return table
        if source not in table.column_names:
            name = self.final.get(self.name, self.name)
            return table.append_column(source, pa.repeat(pa.scalar(name, _TEXT), len(table)))
        encoded = table[source].fill_null("").combine_chunks().dictionary_encode()
        names = [name or self.name for name in trim(pa.chunked_array([encoded.dictionary])).to_pylist()]
        final = pa.array([self.final.get(name, name) for name in names], _TEXT).take(encoded.indices)
        return table.set_column(table.column_names.index(source), source, final)


def _unreadable(name: str, error: Exception, part: str = "rows") -> InputError:
    # earlier clauses of the message may contain local paths
    message = " ".join(str(error).split()).rpartition("Invalid: ")[2]
    message = re.sub(r"(?:(?<![\w.-])[\w.-]+:/)?/[^\s'\"]+", name, message)[:200]
    return input_error(name, "unreadable", what=part, error=message)


def _csv(path: str, system: Any) -> ds.CsvFileFormat:
    """Read all cells except ranks and scores as text, so that ids keep leading zeros and NA is a phrase."""
    from pyarrow import csv

    with system.open_input_stream(path) as file:
        try:
            names = csv.open_csv(file).schema.names
        except pa.ArrowInvalid as error:
            raise _unreadable(path.rsplit("/", 1)[-1], error) from None
    roles = {name: role for role, name in find_roles(names, _NUMBERS).items()}
    types = {name: _NUMBERS.get(roles.get(name, ""), pa.string()) for name in names}
    convert = csv.ConvertOptions(column_types=types, strings_can_be_null=False, null_values=[""])
    return ds.CsvFileFormat(csv.ParseOptions(newlines_in_values=True), None, convert)


def _filesystem(paths: Sequence[str]) -> tuple[Any, list[str]]:
    scheme, separator, _ = paths[0].partition("://")
    if not separator:
        if unsafe := next((path for path in paths if storable(path) != path), ""):
            raise input_error(storable(unsafe.rsplit("/", 1)[-1]), "no UTF-8")
        return LocalFileSystem(), list(paths)
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise usage_error("no fsspec") from None
    try:
        located = [url_to_fs(path) for path in paths]
    except (ImportError, ValueError) as error:
        raise usage_error("scheme", scheme=scheme, error=error) from None
    return PyFileSystem(FSSpecHandler(located[0][0])), [path for _, path in located]


def files_of(path: str) -> list[str]:
    """Return the files of a path or URL: itself, or all files of a known format in it, sorted."""
    scheme, separator, _ = path.rpartition("://")
    path = path if separator else str(Path(path).resolve())
    system, (path_inside,) = _filesystem([path])
    file_type = system.get_file_info(path_inside).type
    if file_type == FileType.NotFound:
        raise input_error(path if separator else Path(path).name, "no such path", named="URL" if separator else "path")
    if file_type == FileType.File:
        return [path]
    try:
        entries = system.get_file_info(FileSelector(path_inside, recursive=True))
        paths = [file.path for file in entries if file.is_file and file.base_name[0] not in "._"]
    except UnicodeDecodeError:
        raise input_error(Path(path).name, "no UTF-8") from None
    return [f"{scheme}{separator}{file}" for file in sorted(filter(_format, paths))]


def _format(path: str) -> str | None:
    return FORMATS.get(Path(path).suffix.lower())


def _source(role: Role, values: Sequence[str | Path], name: str | None) -> Source:
    paths = [str(path) for path in values]
    files, first_path = [file for path in paths for file in files_of(path)], paths[0].rstrip("/")
    formats = {_format(file) for file in files}
    if len(formats) != 1 or None in formats:
        problem, names = "formats" if files else "no files", ", ".join(sorted(map(str, formats)))
        raise input_error(first_path.rsplit("/", 1)[-1], problem, formats=names)
    return Source(role, tuple(files), str(formats.pop()), name or stem_of(first_path), name is not None)


def sources(gold: Any = None, systems: Any = None, documents: Any = None) -> tuple[Source, ...]:
    """Return the tables of paths and URLs as for `load`: one, a list, or {name: path}; refuse mixed formats."""
    tables: dict[Role, list[Source]] = {"gold": [], "system": [], "documents": []}
    for (role, role_tables), given in zip(tables.items(), (gold, systems, documents), strict=True):
        named: Mapping[str | None, Any] = given if isinstance(given, Mapping) else {None: given}
        for name, paths in named.items():
            items = [paths] if isinstance(paths, (str, Path)) else list(paths or ())
            if not all(isinstance(path, (str, Path)) for path in items):
                raise usage_error("tables in memory")
            role_tables += [
                _source(role, item, name) for item in ([items] if name is not None else [[item] for item in items])
            ]
    if not tables["gold"]:
        raise usage_error("no gold")
    if len(tables["gold"]) == 1 and not tables["gold"][0].named:
        tables["gold"] = [replace(tables["gold"][0], name="gold")]
    return tuple(item for role_tables in tables.values() for item in role_tables)
