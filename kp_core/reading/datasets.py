"""Tell which data set each document is of, by columns, folders or answers; files are then read a data set at a time."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import pyarrow as pa

from kp_core.errors import InputError
from kp_core.reading.archive import is_ignored, natural_key
from kp_core.reading.fields import role_of_path
from kp_core.reading.rows import Part
from kp_core.reading.source import Source, stem_of

#: Files of these endings hold many documents each; any other may be a document by itself.
_TABLES = frozenset((".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx"))
#: The folder in which a data set has its texts.
_TEXTS = frozenset(("documents", "docs", "texts"))


def datasets_of(parts: Sequence[Part]) -> list[str]:
    """Return the data sets that columns of some files told; ids of the other files get theirs, if one has each.

    Raises InputError where an id may be of several data sets, or of none.
    """
    names = list(dict.fromkeys(name for part in parts for name in part.checked.datasets))
    if not names:
        return []
    known = dict[str, set[str]]()
    for part in parts:
        if part.checked.datasets:
            for doc_id in part.ids().to_pylist():
                known.setdefault(doc_id.partition("/")[2], set()).add(doc_id)
    for part in parts:
        if part.checked.datasets or "doc_id" not in part.table.column_names:
            continue
        ids = part.ids().to_pylist()
        if all(doc_id.startswith(tuple(f"{name}/" for name in names)) for doc_id in ids):
            continue
        if unclear := [doc_id for doc_id in ids if len(known.get(doc_id, ())) != 1]:
            whose = "which several data sets have" if unclear[0] in known else "which no data set has"
            remedy = "Give the file a column “dataset” too."
            raise InputError(part.file, f"the id “{unclear[0][:60]}”, {whose}", f"ids of {', '.join(names)}", remedy)
        part.rename("doc_id", {doc_id: next(iter(known[doc_id])) for doc_id in ids})
    return names


def dataset_column(ids: Iterable[str], names: Sequence[str]) -> pa.Array:
    """Return the data set with which each id begins; the longest name where one begins with another."""
    longest = sorted(names, key=len, reverse=True)
    return pa.array([next(name for name in longest if doc_id.startswith(f"{name}/")) for doc_id in ids])


def names_in(item: object) -> list[str]:
    """Return the paths of the files in a folder or zip archive, but for what is no data; none of anything else."""
    if isinstance(item, (str, Path)) and Path(item).is_dir():
        found = [path.relative_to(item).as_posix() for path in Path(item).rglob("*") if path.is_file()]
    else:
        packed = io.BytesIO(item.data) if isinstance(item, Source) else item
        if not isinstance(packed, (str, Path, io.BytesIO)):
            return []
        try:
            with zipfile.ZipFile(packed) as archive:
                found = [info.filename for info in archive.infolist() if not info.is_dir()]
        except (OSError, ValueError, zipfile.BadZipFile):
            return []
    return sorted((name for name in found if not is_ignored(name)), key=natural_key)


def by_folder(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return data set → path of each of its files → its path within the data set; empty where folders tell none.

    Either each data set is a folder with a gold standard and systems, or each folder of a gold standard or a system
    has a table named after each data set.

    >>> by_folder(["b/nus/gold.csv", "b/nus/runs/a.csv", "b/wiki/gold.csv", "b/wiki/runs/a.csv"])["wiki"]
    {'b/wiki/gold.csv': 'gold.csv', 'b/wiki/runs/a.csv': 'runs/a.csv'}
    >>> by_folder(["gold/nus.csv", "gold/wiki.csv", "runs/bart/nus.csv", "runs/bart/wiki.csv"])["nus"]
    {'gold/nus.csv': 'gold/nus.csv', 'runs/bart/nus.csv': 'runs/bart.csv'}
    """
    paths = {PurePosixPath(name): name for name in names}
    while paths and len({path.parts[0] for path in paths}) == 1 and all(len(path.parts) > 1 for path in paths):
        paths = {PurePosixPath(*path.parts[1:]): name for path, name in paths.items()}
    return _folder_a_dataset(paths) or _file_a_dataset(paths)


def _folder_a_dataset(paths: Mapping[PurePosixPath, str]) -> dict[str, dict[str, str]]:
    found = dict[str, dict[str, str]]()
    for path, name in paths.items():
        if len(path.parts) < 2:
            return {}
        found.setdefault(path.parts[0], {})[name] = str(PurePosixPath(*path.parts[1:]))
    named = any(role_of_path(dataset) or dataset.lower() in _TEXTS for dataset in found)
    return found if len(found) > 1 and not named and _have_both_sides(found) else {}


def _file_a_dataset(paths: Mapping[PurePosixPath, str]) -> dict[str, dict[str, str]]:
    gold = [path for path in paths if len(path.parts) == 2 and role_of_path(path.parts[0]) == "gold"]
    names = [stem_of(path.name) for path in gold]
    # Numbered files are documents, and not data sets.
    alike = len({re.sub(r"\d+", "", name) for name in names}) < len(names)
    if len(names) < 2 or alike or any(path.suffix.lower() not in _TABLES for path in gold):
        return {}
    found = {name: dict[str, str]() for name in names}
    for path, name in paths.items():
        dataset = stem_of(path.name)
        if dataset not in found or len(path.parts) < 2:
            return {}
        is_system = len(path.parts) > 2 and role_of_path(path.parts[0]) == "system"
        found[dataset][name] = f"{path.parent}{path.suffix}" if is_system else str(path)
    return found if _have_both_sides(found) else {}


def _have_both_sides(found: Mapping[str, Mapping[str, str]]) -> bool:
    """Tell data sets that each have a gold standard and a system, by the names of their files."""
    return all({"gold", "system"} <= {role_of_path(inner) for inner in own.values()} for own in found.values())
