"""Turn the arguments of `load` into files and tables in memory, with their mappings."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import pandas as pd
import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, UsageError, input_error, pluralize
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.lists.list_builder import ListBuilder, add_list, document_rows
from kp_core.reading.meaning.fields import plain, words_of
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open import json_table
from kp_core.reading.open.decode import File
from kp_core.reading.open.source import Bundle, Source, expand, together
from kp_core.reading.open.table import Table, plain_column, table_of
from kp_core.reading.open.values import column_of
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import Shape, shape_of, text_of
from kp_core.typeset import storable

#: An input for a role: a path, an upload, a table, or a dictionary of lists.
Item: TypeAlias = str | Path | Source | pd.DataFrame | abc.Mapping[Any, Any]


@dataclass(frozen=True)
class LoadOptions:
    """Options for all files.

    * `files`: role → names of the files given for it
    """

    mappings: abc.Mapping[str, Mapping]
    encoding: str | None
    strict: bool
    fixes: tuple[str, ...]
    limits: Limits
    files: abc.Mapping[Role | None, set[str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Input:
    """The inputs of one role or name: tables, dictionaries, and the files of each path."""

    role: Role | None
    name: str | None
    tables: tuple[Any, ...]
    bundles: tuple[Bundle, ...]


@dataclass(frozen=True)
class OpenedFiles:
    """Files that belong together, with their input."""

    input: Input
    bundle: Bundle
    files: tuple[File, ...]

    def meaning(self, mappings: abc.Mapping[str, Mapping]) -> OpenedFiles:
        """Return the files, each with its mapping in `mappings`, if there is one."""
        file_mappings = [mapping_of(file.source, self.bundle, mappings) for file in self.files]
        pairs = zip(self.files, file_mappings, strict=True)
        return replace(self, files=tuple(file if new == Mapping() else file.meaning(new) for file, new in pairs))


def given_items(values: abc.Mapping[Role | None, Any], limits: Limits) -> list[Input]:
    """Return the inputs of each role and name, with folders and archives expanded."""
    inputs = []
    for role, value in values.items():
        for name, items in _by_name(as_pandas(value), role):
            tables = tuple(item for item in items if not isinstance(item, (str, Path, Source)))
            bundles = tuple(expand(item, limits) for item in items if isinstance(item, (str, Path, Source)))
            inputs += [Input(role, name, tables, bundles)] if items or role is not None else []
    return inputs


def _by_name(value: Any, role: Role | None) -> Iterator[tuple[str | None, list[Any]]]:
    by_name = isinstance(value, abc.Mapping) and (role == "system" or (role == "gold" and _have_names(value.values())))
    if by_name and role == "system" and value and all(map(_is_list_of_phrases, value.values())):
        raise input_error("systems", "no name of a system")
    pairs = value.items() if by_name else [] if value is None else [(None, value)]
    for name, items in pairs:
        display_name = None if name is None else storable(str(name))
        yield display_name, list(items) if isinstance(items, (list, tuple)) else [items]


def _is_list_of_phrases(item: Any) -> bool:
    return _is_list(item) and all(isinstance(phrase, str) and not Path(phrase).exists() for phrase in item)


def _have_names(values: Iterable[Any]) -> bool:
    """Return whether these values of a dictionary are lists by document, or files, so that its keys are names."""
    values = list(values)
    lists = all(isinstance(value, abc.Mapping) and value and all(map(_is_list, value.values())) for value in values)
    return bool(values) and (lists or all(map(_is_file, values)))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _is_file(value: Any) -> bool:
    items = value if _is_list(value) else [Path(value) if isinstance(value, str) else value]
    return bool(items) and all(isinstance(item, (Path, Source, pd.DataFrame)) for item in items)


def open_files(inputs: Sequence[Input], options: LoadOptions, notes: list[Note]) -> list[OpenedFiles]:
    """Return the files of all inputs with their mappings, and note repeated files.

    Several paths for one role count as one folder. A mapping for an unknown file is refused.
    """
    opened = [bundle for item in inputs for bundle in _open(item, options)]
    size = sum(len(file.source.data) for group in opened for file in group.files)
    refuse_over(options.limits.session_bytes, size, "bytes", "the files", "files")
    names = _known_names(inputs, opened)
    if unknown := [name for name in options.mappings if name not in names]:
        raise UsageError(f"there is a mapping for '{unknown[0]}', but no file has this name; write the name in full")
    notes += _repeated_files(opened)
    return opened


def _open(item: Input, options: LoadOptions) -> Iterator[OpenedFiles]:
    mappings, bundles = dict(options.mappings), list(item.bundles)
    for bundle in bundles:
        if not bundle.files:
            left_out = f" (left out: {', '.join(bundle.ignored[:3])})" if bundle.ignored else ""
            raise input_error(bundle.name, "nothing to read", left_out=left_out)
        chosen = (options.mappings[name] for name in _names_of(bundle) if name in options.mappings)
        mappings[bundle.name] = next(chosen, mappings.get(bundle.name, Mapping()))
    kwargs: dict[str, Any] = {"limits": options.limits, "encoding": options.encoding, "strict": options.strict}
    for bundle in together(bundles) if item.role is None or len(bundles) > 1 else bundles:
        files = (File(source, mapping=mapping_of(source, bundle, mappings), **kwargs) for source in bundle.files)
        yield OpenedFiles(item, bundle, tuple(files))


def names_inside(file: Source, bundle: Bundle) -> tuple[str, ...]:
    """Return the names by which a mapping may refer to a file, the name of its folder or archive last."""
    return file.name, file.name.rpartition("/")[2], f"{bundle.name}/{file.name}", bundle.name


def _names_of(bundle: Bundle) -> tuple[str, ...]:
    return storable(bundle.given), storable(Path(bundle.given).name)


def mapping_of(file: Source, bundle: Bundle, mappings: abc.Mapping[str, Mapping]) -> Mapping:
    """Return the mapping for the most specific of a file's names."""
    return next((mappings[name] for name in names_inside(file, bundle) if name in mappings), Mapping())


def _known_names(inputs: Sequence[Input], opened: Sequence[OpenedFiles]) -> set[str]:
    in_memory = {item.name or str(item.role) for item in inputs if item.tables}
    names = {item.name for item in inputs if item.name is not None}
    paths = {name for item in inputs for bundle in item.bundles for name in _names_of(bundle)}
    inner_names = {name for group in opened for file in group.files for name in names_inside(file.source, group.bundle)}
    return in_memory | names | paths | inner_names


def _repeated_files(opened: Sequence[OpenedFiles]) -> Iterator[Note]:
    """Refuse a file given twice for one role, and yield notes on files with the same content."""
    previous: dict[tuple[Role | None, bytes], File] = {}
    for item in opened:
        for file in item.files if not item.bundle.folder and item.input.name is None else ():
            earlier = previous.setdefault((item.input.role, file.source.data), file)
            if earlier is file:
                continue
            if earlier.name == file.name:
                raise InputError(file.name, "the same file again", "each file once", "Leave it out the second time.")
            if file.source.data:
                yield Note("warning", file.name, f"The file is identical to {earlier.name}, byte for byte.")


def as_pandas(value: Any) -> Any:
    """Convert tables of polars, Arrow, DuckDB or Hugging Face, alone or in a list or dictionary, to DataFrames."""
    if isinstance(value, abc.Mapping):
        return {name: _as_pandas(item) for name, item in value.items()}
    return list(map(_as_pandas, value)) if _is_list(value) else _as_pandas(value)


def _as_pandas(item: Any) -> Any:
    if isinstance(item, pd.DataFrame) or not (hasattr(item, "columns") or hasattr(item, "column_names")):
        return item
    if hasattr(item, "to_pandas"):
        return item.to_pandas()
    return pa.table(item).to_pandas() if hasattr(item, "__arrow_c_stream__") else item


def frame_table(frame: pd.DataFrame, name: str, limits: Limits) -> Table:
    """Return a DataFrame as a table; reject rows with lone surrogates."""
    refuse_over(limits.rows, len(frame), "rows", name, "a DataFrame")
    refuse_over(limits.columns, len(frame.columns), "columns", name, "a DataFrame")
    for title, column in frame.items():
        is_phrase = plain(str(title)) in words_of("phrase")
        if is_phrase and column.dtype == object and any(isinstance(value, (set, frozenset, dict)) for value in column):
            raise input_error(name, "no order", column=title)
    columns = [_arrow(frame.iloc[:, index]) for index in range(len(frame.columns))]
    table = table_of(name, list(map(str, frame.columns)), columns, range(1, len(frame) + 1), limits)
    table.described = f"a DataFrame of {pluralize(len(frame), 'row')}"
    return table


def _arrow(column: pd.Series) -> tuple[pa.Array, list[int]]:
    if column.dtype == object or getattr(column.dtype, "storage", "") == "python":
        values = [value.tolist() if hasattr(value, "tolist") else value for value in column]
        return column_of([None if is_na else value for value, is_na in zip(values, column.isna(), strict=True)])
    if column.dtype.kind in "bMm":
        column = column.astype(str)
    array = pa.array(column, from_pandas=True)
    return plain_column(array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])), []


def dict_rows(
    lists: abc.Mapping[Any, Any], role: Role, name: str, mapping: Mapping, limits: Limits
) -> tuple[list[Rows], str]:
    """Return the rows of {document: [phrase, …]} or {document: text}, and a description of them."""
    texts = [isinstance(value, str) for value in lists.values()]
    if role == "documents":
        if not all(texts):
            raise InputError(name, "values that are not text", "{document: text}", "Give each document one string.")
        columns = {"doc_id": list(map(str, lists)), "text": list(lists.values())}
        return [document_rows(columns)], f"a dictionary of {pluralize(len(lists), 'text')}"
    plain = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in lists.items()}
    recognized = shape_of(plain.values()) if plain else ("phrases", "no documents")
    if any(texts) or recognized is None:
        raise input_error(name, "text in place of lists" if any(texts) else "no lists")
    shape, builder = cast(Shape, mapping.inner or recognized[0]), ListBuilder(role, limits)
    for key, value in plain.items():
        doc_id = text_of(key) or ""
        if doc_id.strip():
            builder.open(doc_id, file=name, line=0)
            add_list(builder, value, shape)
        else:
            builder.rejected.append((name, 0, "an empty id", json_table.shown(value)))
    return [builder.rows()], f"a dictionary of {pluralize(len(lists), 'document')} with {recognized[1]}"
