"""Assign documents or files to data sets, by columns, folders, mappings or options."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa

from kp_core.corpus import VocabularyTable
from kp_core.errors import UsageError, input_error, pluralize
from kp_core.reading.inputs import Input, mapping_of
from kp_core.reading.meaning.fields import role_of_path
from kp_core.reading.meaning.mapping import Mapping as Meaning
from kp_core.reading.meaning.question import Finding, Reply
from kp_core.reading.open.source import Bundle, Source, stem_of
from kp_core.reading.rows.check import Part
from kp_core.reading.rows.identifiers import without_common
from kp_core.typeset import storable

#: Extensions of files with many documents; any other file may be one document.
_TABLES = frozenset((".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx"))
#: Names of folders of texts.
_TEXTS = frozenset(("documents", "docs", "texts"))


def datasets_of(parts: Sequence[Part]) -> list[str]:
    """Return the data sets named in columns of some files, and assign the ids of other files to them.

    Raises InputError if an id is in several of these data sets, or in none.
    """
    names = list(dict.fromkeys(name for part in parts for name in part.datasets))
    full_ids = dict[str, set[str]]()
    for doc_id in (doc_id for part in parts if part.datasets for doc_id in part.ids().to_pylist()):
        full_ids.setdefault(doc_id.partition("/")[2], set()).add(doc_id)
    other_parts = [part for part in parts if not part.datasets and has_ids(part)]
    for part, ids in ((part, part.ids().to_pylist()) for part in other_parts if names):
        if all(doc_id.startswith(tuple(f"{name}/" for name in names)) for doc_id in ids):
            continue
        if unclear := [doc_id for doc_id in ids if len(full_ids.get(doc_id, ())) != 1]:
            why = "id of several data sets" if unclear[0] in full_ids else "id of no data set"
            raise input_error(part.file, why, id=unclear[0][:60], names=", ".join(names))
        part.rename("doc_id", {doc_id: next(iter(full_ids[doc_id])) for doc_id in ids})
    return names


def dataset_column(ids: Iterable[str], names: Sequence[str]) -> pa.Array:
    """Return, for each id, the data set whose name is its prefix; the longest name if there are several."""
    longest = sorted(names, key=len, reverse=True)
    return pa.array([next(name for name in longest if doc_id.startswith(f"{name}/")) for doc_id in ids])


def datasets_in(
    inputs: Sequence[Input], table_of: Callable[[Source], VocabularyTable | None]
) -> tuple[dict[str, list[Input]], dict[Any, list[Source]]]:
    """Return {data set: its inputs} if folders are data sets, and the vocabulary tables next to these folders."""
    datasets, tables = dict[str, list[Input]](), dict[VocabularyTable, list[Source]]()
    for item in inputs:
        bundle = item.bundles[0] if len(item.bundles) == 1 else None
        if item.name or item.tables or item.role == "judgements" or bundle is None or not bundle.folder:
            return {}, {}
        files = dict[str, Source]()
        for file in bundle.files:
            if (table := table_of(file)) is None:
                files[file.name] = file
            else:
                tables.setdefault(table, []).append(file)
        folders = by_folder(list(files))
        if not folders:
            return {}, {}
        role = None if item.role == "documents" else item.role
        for name, paths in folders.items():
            every = (Source(inner, files[path].data) for path, inner in paths.items())
            within = tuple(file for file in every if item.role is None or role_of_path(file.name) == role)
            members = replace(item, bundles=(Bundle(name, within, folder=True),))
            datasets.setdefault(name, []).append(members)
    return datasets, tables


def chosen_datasets(
    inputs: Sequence[Input], mappings: Mapping[str, Meaning]
) -> tuple[dict[str, list[Input]], dict[str, Meaning]]:
    """Return {data set: its inputs} if the user assigned every file to a data set, and the mappings; else nothing.

    These mappings refer to `data set/file`.
    """
    datasets, within = dict[str, list[Input]](), dict[str, Meaning]()
    if not any(mapping.in_dataset for mapping in mappings.values()):
        return {}, {}
    for item in inputs:
        bundles = dict[str, list[Bundle]]()
        for file, bundle in ((file, parent) for parent in item.bundles for file in parent.files):
            chosen = mapping_of(file, bundle, mappings)
            if not (name := chosen.in_dataset):
                raise UsageError(f"'{file.name}' belongs to no data set, but other files do; name its data set")
            renamed = Source(without_dataset(file.name, name), file.data)
            within[f"{name}/{renamed.name}"] = replace(chosen, in_dataset="")
            bundles.setdefault(name, []).append(Bundle(renamed.name, (renamed,), given=renamed.name))
        for name, files in bundles.items():
            datasets.setdefault(name, []).append(replace(item, tables=(), bundles=tuple(files)))
    return datasets, within


def by_folder(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return {data set: {path of a file: path within the data set}}; empty if the folders are not data sets.

    Either each data set is a folder with a gold standard and systems, or each folder of a gold standard or a system
    has a table named after each data set.

    >>> by_folder(["b/nus/gold.csv", "b/nus/runs/a.csv", "b/wiki/gold.csv", "b/wiki/runs/a.csv"])["wiki"]
    {'b/wiki/gold.csv': 'gold.csv', 'b/wiki/runs/a.csv': 'runs/a.csv'}
    >>> by_folder(["gold/nus.csv", "gold/wiki.csv", "runs/bart/nus.csv", "runs/bart/wiki.csv"])["nus"]
    {'gold/nus.csv': 'gold/nus.csv', 'runs/bart/nus.csv': 'runs/bart.csv'}
    """
    paths = {PurePosixPath(name): name for name in names if PurePosixPath(name).parts}
    while paths and len({path.parts[0] for path in paths}) == 1 and all(len(path.parts) > 1 for path in paths):
        paths = {PurePosixPath(*path.parts[1:]): name for path, name in paths.items()}
    for datasets in (_datasets_as_folders(paths), _datasets_as_files(paths)):
        roles = [{role_of_path(inner) for inner in files.values()} for files in datasets.values()]
        if roles and all({"gold", "system"} <= files for files in roles):
            return datasets
    return {}


def _datasets_as_folders(paths: Mapping[PurePosixPath, str]) -> dict[str, dict[str, str]]:
    datasets = dict[str, dict[str, str]]()
    for path, name in paths.items():
        if len(path.parts) < 2:
            return {}
        datasets.setdefault(path.parts[0], {})[name] = str(PurePosixPath(*path.parts[1:]))
    are_roles = any(role_of_path(dataset) or dataset.lower() in _TEXTS for dataset in datasets)
    return datasets if len(datasets) > 1 and not are_roles else {}


def _datasets_as_files(paths: Mapping[PurePosixPath, str]) -> dict[str, dict[str, str]]:
    gold = [path for path in paths if len(path.parts) == 2 and role_of_path(path.parts[0]) == "gold"]
    datasets = {stem_of(path.name): dict[str, str]() for path in gold}
    # Numbered files are documents rather than data sets.
    numbered = len({re.sub(r"\d+", "", name) for name in datasets}) < len(gold)
    if len(gold) < 2 or numbered or any(path.suffix.lower() not in _TABLES for path in gold):
        return {}
    for path, name in paths.items():
        dataset = stem_of(path.name)
        if dataset not in datasets or len(path.parts) < 2:
            return {}
        is_system = len(path.parts) > 2 and role_of_path(path.parts[0]) == "system"
        datasets[dataset][name] = f"{path.parent}{path.suffix}" if is_system else str(path)
    return datasets


#: Minimum number of documents in both of two gold standards; on fewer, they may share no keyphrase by chance.
_MIN_SHARED = 5


def question_of(parts: Sequence[Part]) -> Finding | None:
    """Ask whether gold standards without a keyphrase, or a document, in common belong to different data sets."""
    gold = [part for part in parts if part.role == "gold" and has_ids(part)]
    files = [part.file for part in gold]
    is_decided = any(part.mapping.as_read for part in parts)
    if not 2 <= len(gold) <= len(set(files)) or is_decided or any(part.name_given for part in gold):
        return None
    phrases = [part.phrases() for part in gold]
    shared = [left.keys() & right.keys() for left, right in pairwise(phrases)]
    if all(len(ids) >= _MIN_SHARED for ids in shared):
        if any(left[i] & right[i] for (left, right), ids in zip(pairwise(phrases), shared, strict=True) for i in ids):
            return None
        reason = f"no keyphrase in common with {files[0]} on {pluralize(len(shared[0]), 'document')} in both"
    else:
        lists = [set(part.ids().to_pylist()) for part in parts if part.role == "system" and has_ids(part)]
        matched = [{index for index, documents in enumerate(phrases) if documents.keys() & ids} for ids in lists]
        if any(shared) or any(len(indices) != 1 for indices in matched) or len(set().union(*matched)) < len(gold):
            return None
        reason = f"no document in common with {files[0]}, and no system with lists for both"
    mappings = {part.file: replace(part.mapping, as_read=True) for part in gold}
    answers = (*_as_datasets(parts, gold), Reply("they are annotators of one data set", mappings))
    return Finding("ask", files[1], reason, "people who read the same documents, or data sets", answers)


def has_ids(part: Part) -> bool:
    """Return whether the rows have document ids; judged pairs may have none."""
    return "doc_id" in part.table.column_names


def _as_datasets(parts: Sequence[Part], gold: Sequence[Part]) -> tuple[Reply, ...]:
    names = without_common([stem_of(part.file) for part in gold])
    datasets = {part.file: name for part, name in zip(gold, names, strict=True)}
    for part in (part for part in parts if part.file not in datasets):
        patterns = (rf"(?i)(?<![^\W_]){re.escape(name)}(?![^\W_])" for name in names)
        matching = [name for name, pattern in zip(names, patterns, strict=True) if re.search(pattern, part.file)]
        if len(matching) != 1:
            return ()
        datasets[part.file] = matching[0]
    if len(set(names)) < len(names):
        return ()
    pairs = ((part.file, replace(part.mapping, role=part.mapping.role or part.role)) for part in parts)
    mappings = {file: replace(mapping, in_dataset=datasets[file]) for file, mapping in pairs}
    return (Reply(f"they are {len(names)} data sets: {', '.join(names)}", mappings),)


def without_dataset(file: str, dataset: str) -> str:
    """Remove the name of the data set from that of a file, so that a system has the same name in all data sets.

    >>> without_dataset("runs/yake_inspec.csv", "inspec"), without_dataset("inspec.csv", "inspec")
    ('runs/yake.csv', 'inspec.csv')
    """
    folder, slash, name = file.rpartition("/")
    stem = re.sub(rf"(?i)(?:(?<![-_. ])[-_. ]+{re.escape(dataset)}(?=[-_. ])|^{re.escape(dataset)}[-_ ]+)", "", name)
    return f"{folder}{slash}{stem}"


#: NAME@SET=PATH; an “=” in a URL, such as s3://runs/year=2024, is part of the path.
_NAMED = re.compile(r"(?!\w+://)(?P<name>[^@=]*)(?:@(?P<dataset>[^@=]+))?=(?P<path>.+)", re.DOTALL)


class NamedPath(NamedTuple):
    """Paths that belong together, with the names of their annotator or system and of their data set."""

    paths: tuple[str, ...]
    name: str = ""
    dataset: str = ""

    @classmethod
    def each(cls, values: Sequence[str]) -> list[NamedPath]:
        """Parse the values of an option: [NAME][@SET]=PATH (or an existing path), each followed by further paths.

        >>> NamedPath.each(["bart@nus=a.csv", "b.csv", "t5=c.csv"])[0]
        NamedPath(paths=('a.csv', 'b.csv'), name='bart', dataset='nus')
        >>> [named.paths for words in (["a=1.csv", "b=2.csv"], ["1.csv", "2.csv"]) for named in NamedPath.each(words)]
        [('1.csv',), ('2.csv',), ('1.csv', '2.csv')]
        """
        groups = list[NamedPath]()
        for value in values:
            if (match := None if Path(value).exists() else _NAMED.fullmatch(value)) is not None:
                groups.append(cls((match["path"],), storable(match["name"]), storable(match["dataset"] or "")))
            else:
                previous = groups.pop() if groups else cls(())
                groups.append(previous._replace(paths=(*previous.paths, value)))
        return groups


def systems_of(named_paths: Iterable[NamedPath]) -> Any:
    """Return the paths of systems as `load` expects them; inputs with the same name are runs.

    >>> systems_of([NamedPath(("s1.csv",), "bart"), NamedPath(("s2.csv",), "bart")])
    {'bart#1': ['s1.csv'], 'bart#2': ['s2.csv']}
    """
    named = defaultdict[str, list[tuple[str, ...]]](list)
    for system in named_paths:
        named[system.name].append(system.paths)
    unnamed = [path for paths in named.pop("", []) for path in paths]
    runs = [(name, f"#{n}" * (len(runs) > 1), paths) for name, runs in named.items() for n, paths in enumerate(runs, 1)]
    systems = {f"{name}{run}": list(paths) for name, run, paths in runs}
    return (systems | {stem_of(path): [path] for path in unnamed} if systems else unnamed) or None


def _gold_of(entries: Sequence[NamedPath]) -> Any:
    named = defaultdict[str, list[str]](list)
    for entry in entries:
        named[entry.name] += entry.paths
    unnamed = named.pop("", [])
    if named and unnamed:
        raise UsageError(f"'{unnamed[0]}' has no annotator, but others do")
    return {name: list(map(Path, paths)) for name, paths in named.items()} or unnamed or None


def datasets_of_paths(
    gold: Sequence[str], systems: Sequence[Sequence[str]], documents: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return {data set: {argument of `load`: paths}} from values such as [NAME]@SET=PATH; empty without data sets.

    >>> datasets_of_paths(["@nus=g.csv"], [["bart@nus=b.csv"]], [])
    {'nus': {'gold': ['g.csv'], 'systems': {'bart': ['b.csv']}, 'documents': None}}
    """
    options = {"gold": [[path] for path in gold], "systems": systems, "documents": [[path] for path in documents]}
    entries = [(role, path) for role, values in options.items() for option in values for path in NamedPath.each(option)]
    names = dict.fromkeys(entry.dataset for _, entry in entries)
    if set(names) <= {""}:
        return {}
    if unnamed := [entry.paths[0] for _, entry in entries if not entry.dataset]:
        raise UsageError(f"'{unnamed[0]}' belongs to no data set, but others do; write it as @SET=PATH")
    arguments: dict[str, dict[str, Any]] = {name: {} for name in names}
    for name, (role, make) in product(names, (("gold", _gold_of), ("systems", systems_of), ("documents", _gold_of))):
        arguments[name][role] = make([path for part, path in entries if (part, path.dataset) == (role, name)])
    return arguments
