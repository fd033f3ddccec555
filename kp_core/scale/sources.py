"""Turn paths and URLs of large tables into Arrow tables of some documents, with the columns that a corpus has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow.fs import FileSelector, FileType, FSSpecHandler, LocalFileSystem, PyFileSystem

from kp_core.corpus import Role
from kp_core.errors import InputError, UsageError
from kp_core.reading.fields import find_roles
from kp_core.reading.source import stem_of
from kp_core.reading.values import trim

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json"}
#: The columns of the tidy tables; those of a role that must be there come first, after the document.
COLUMNS: dict[Role, tuple[str, ...]] = {
    "gold": ("doc_id", "phrase", "annotator", "relevance"),
    "system": ("doc_id", "phrase", "system", "rank", "score"),
    "documents": ("doc_id", "text", "title", "group"),
    "judgements": ("pair_id", "doc_id", "keyphrase", "candidate"),
}
_NEEDED: dict[Role, tuple[str, ...]] = {
    "gold": ("doc_id", "phrase"),
    "system": ("doc_id", "phrase"),
    "judgements": ("keyphrase", "candidate"),
}
_NUMBERS = {"rank": pa.int64(), "score": pa.float64(), "relevance": pa.float64()}
#: Columns that say where a row stands; their names cannot be those of a file's own columns.
FILE, ROW = "\0file", "\0row"
#: Rows of one batch, fewer where they hold texts, and how many batches are read ahead.
_BATCH, _BATCH_OF_TEXTS = 131_072, 8_192
_AHEAD = {"batch_readahead": 2, "fragment_readahead": 1}


@dataclass(frozen=True)
class Source:
    """One table of many rows: a file, or a folder of files of one format.

    name    of the system or annotator where no column says it; named: whether the user gave it
    texts   whether the texts of documents are read too
    final   names of systems or annotators in the files → those in the result
    """

    role: Role
    paths: tuple[str, ...]
    format: str
    name: str
    named: bool = False
    texts: bool = True
    final: dict[str, str] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type[Source], tuple[Any, ...]]:
        # What was opened here stays here.
        return type(self), tuple(getattr(self, one.name) for one in fields(self))

    @cached_property
    def dataset(self) -> ds.Dataset:
        """The files as one table that is not read yet."""
        system, paths = _filesystem(self.paths)
        options = _csv(paths[0], system) if self.format == "csv" else self.format
        try:
            return ds.dataset(paths, format=options, filesystem=system)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise _unreadable(self.shown, error) from None

    @cached_property
    def columns(self) -> dict[str, str]:
        """Role of a column → its name in the files."""
        names = self.dataset.schema.names
        found = find_roles(names, COLUMNS[self.role])
        votes = find_roles(names, (*COLUMNS["gold"], "votes")).get("votes")
        if self.role == "gold" and votes is not None:
            found.setdefault("relevance", votes)  # as in memory
        lacking = [name for name in _NEEDED.get(self.role, ("doc_id",)) if name not in found]
        if lacking:
            raise InputError(
                self.shown,
                f"the columns {', '.join(names[:10])}",
                f"a column “{lacking[0]}”, one row a phrase",
                "Write one row a phrase, for example with: kpscope convert --to parquet.",
            )
        if self.role == "system" and "score" in found and "rank" not in found:
            raise InputError(
                self.shown,
                "scores without ranks",
                "a column “rank”",
                "Whether high or low scores are better is judged over all lists; write ranks 1, 2, … into the table.",
            )
        for extra in ("variants", "empty"):
            if extra in names and self.role != "documents":
                found[extra] = extra
        return found if self.texts else {role: name for role, name in found.items() if role not in ("text", "title")}

    @property
    def shown(self) -> str:
        """The name of the file or folder, as messages show it."""
        return self.paths[0].rstrip("/").rsplit("/", 1)[-1]

    def fragments(self) -> list[Any]:
        """Return the files, in the order of their names."""
        return list(self.dataset.get_fragments())

    @cached_property
    def rows(self) -> int:
        """The number of rows; text files are read for it."""
        return int(self.dataset.count_rows())

    @cached_property
    def stamps(self) -> list[tuple[str, int, int]]:
        """Path, size in bytes and time of each file."""
        system, paths = _filesystem(self.paths)
        return [(one.path, one.size or 0, one.mtime_ns or 0) for one in system.get_file_info(paths)]

    def batches(self, only: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Give the rows in tables of bounded size, in the order of the files; with all columns also file and row."""
        for number, fragment in enumerate(self.fragments()):
            begin = 0
            for batch in self._scanned(fragment.path, fragment.to_batches, only):
                table = self.tidy(pa.table(batch), only)
                if only is None:
                    place = np.arange(begin, begin + len(table))
                    table = table.append_column(FILE, pa.repeat(pa.scalar(number, pa.int32()), len(table)))
                    table = table.append_column(ROW, pa.array(place))
                yield table
                begin += len(table)

    @property
    def id(self) -> Any:
        """The column of the document, for choosing rows."""
        return ds.field(self.columns["doc_id"])

    @property
    def empty(self) -> pa.Table:
        """The table without its rows, as the files have it."""
        return self.dataset.schema.empty_table().select(list(self.columns.values()))

    def where(self, chosen: Any) -> pa.Table:
        """Return the rows for which an expression over `id` holds."""
        batches = self._scanned(self.shown, self.dataset.to_batches, None, filter=chosen)
        table = pa.concat_tables([self.empty, *(pa.table(batch) for batch in batches)])
        ids = table[self.columns["doc_id"]].cast(pa.large_string())
        if trim(ids) is not ids:
            raise InputError(
                self.shown, "ids with blanks at their ends", "ids without", "Trim the ids, or write the table as JSONL."
            )
        return self.tidy(table)

    def _scanned(self, name: str, scan: Any, only: Sequence[str] | None, **options: Any) -> Iterator[Any]:
        names = [self.columns[role] for role in only or self.columns if role in self.columns]
        size = _BATCH_OF_TEXTS if self.role == "documents" else _BATCH
        try:
            yield from scan(columns=names, batch_size=size, **_AHEAD, **options)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OSError) as error:
            raise _unreadable(name.rsplit("/", 1)[-1], error) from None

    def tidy(self, table: pa.Table, only: Sequence[str] | None = None) -> pa.Table:
        """Return the columns under the names of the tidy tables: ids trimmed, numbers as numbers, the source filled."""
        names = {name: role for role, name in self.columns.items()}
        table = table.rename_columns([names[name] for name in table.column_names])
        for name in table.column_names:
            kind = _NUMBERS.get(name) or (None if name == "variants" else pa.large_string())
            if kind is None or table[name].type == kind:
                continue
            try:
                column = table[name].cast(kind)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise _unreadable(self.shown, error, f"the column “{name}”") from None
            table = table.set_column(table.column_names.index(name), name, column)
        if "doc_id" in table.column_names:
            table = table.set_column(table.column_names.index("doc_id"), "doc_id", trim(table["doc_id"].fill_null("")))
        source = {"gold": "annotator", "system": "system"}.get(self.role)
        if source is None or (only is not None and source not in only):
            return table
        if source not in table.column_names:
            name = self.final.get(self.name, self.name)
            return table.append_column(source, pa.repeat(pa.scalar(name, pa.large_string()), len(table)))
        column = trim(table[source].fill_null(""))
        column = pc.if_else(pc.equal(column, ""), pa.scalar(self.name, pa.large_string()), column)
        coded = column.combine_chunks().dictionary_encode()
        renamed = pa.array([self.final.get(name, name) for name in coded.dictionary.to_pylist()], pa.large_string())
        final = renamed.take(coded.indices)
        return table.set_column(table.column_names.index(source), source, final)


def _unreadable(name: str, error: Exception, what: str = "rows") -> InputError:
    # The last clause says what is wrong; those before may name folders of the machine.
    said = " ".join(str(error).split()).rpartition("Invalid: ")[2]
    said = re.sub(r"(?:[\w.-]+:/)?/[^\s'\"]+", name, said)[:200]
    return InputError(
        name,
        f"{what} that cannot be read ({said})",
        "one table with the same columns throughout",
        "Correct the file, or write it as Parquet: kpscope convert --to parquet.",
    )


def _csv(path: str, system: Any) -> ds.CsvFileFormat:
    """Read every cell as text, so that ids keep their zeros and NA is a phrase; only ranks and scores are numbers."""
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
    """Return the file system of paths, or of URLs such as s3://…, with the paths in it."""
    if "://" not in paths[0]:
        return LocalFileSystem(), list(paths)
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise UsageError("URLs need the package fsspec; install it with: pip install 'kpscope[cluster]'") from None
    try:
        found = [url_to_fs(path) for path in paths]
    except (ImportError, ValueError) as error:
        raise UsageError(f"{paths[0].split('://')[0]}:// cannot be opened: {error}") from None
    return PyFileSystem(FSSpecHandler(found[0][0])), [path for _, path in found]


def files_of(path: str) -> list[str]:
    """Return the files of a path or URL: itself, or all files of a known format below it, by name."""
    scheme, mark, _ = path.rpartition("://")
    path = path if mark else str(Path(path).resolve())
    system, (inside,) = _filesystem([path])
    kind = system.get_file_info(inside).type
    if kind == FileType.NotFound:
        shown, named = (path, "URL") if mark else (Path(path).name, "path")
        raise InputError(shown, "nothing", "a file or folder", f"Check the {named}.")
    if kind == FileType.File:
        return [path]
    listed = system.get_file_info(FileSelector(inside, recursive=True))
    tables = [one.path for one in listed if one.is_file and one.base_name[0] not in "._" and format_of(one.path)]
    return [f"{scheme}{mark}{one}" for one in sorted(tables)]


def format_of(path: str) -> str | None:
    """Return the format of a path by its ending, or None.

    >>> format_of("gold.parquet"), format_of("runs.jsonl"), format_of("gold.key")
    ('parquet', 'json', None)
    """
    return FORMATS.get(Path(path).suffix.lower())


def _source(role: Role, given: Sequence[str], name: str | None) -> Source:
    files = [file for path in given for file in files_of(path)]
    formats = {format_of(file) for file in files}
    if len(formats) != 1 or None in formats:
        found = "no such file" if not files else f"files of the formats {', '.join(sorted(map(str, formats)))}"
        raise InputError(
            given[0].rstrip("/").rsplit("/", 1)[-1],
            found,
            "Parquet, CSV or JSONL, one format in a folder",
            "Write the tables with: kpscope convert --to parquet.",
        )
    return Source(role, tuple(files), str(formats.pop()), name or stem_of(given[0].rstrip("/")), name is not None)


def sources(gold: Any = None, systems: Any = None, documents: Any = None) -> tuple[Source, ...]:
    """Return the tables of paths and URLs, given as `load` takes them: one, a list, or {name: path}."""
    tables: dict[Role, list[Source]] = {"gold": [], "system": [], "documents": []}
    for (role, known), given in zip(tables.items(), (gold, systems, documents), strict=True):
        named: Mapping[str | None, Any] = given if isinstance(given, Mapping) else {None: given}
        for name, paths in named.items():
            each = [paths] if isinstance(paths, (str, Path)) else list(paths or ())
            if not all(isinstance(path, (str, Path)) for path in each):
                raise UsageError("a streamed run reads paths and URLs; give a table in memory to kp.evaluate")
            every = [str(path) for path in each]
            known += [_source(role, one, name) for one in ([every] if name is not None else [[one] for one in every])]
    if not tables["gold"]:
        raise UsageError("no gold standard is named")
    if len(tables["gold"]) == 1 and not tables["gold"][0].named:
        tables["gold"] = [replace(tables["gold"][0], name="gold")]  # a single annotator needs no name of his own
    return tuple(one for known in tables.values() for one in known)
