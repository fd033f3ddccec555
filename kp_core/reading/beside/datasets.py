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
from kp_core.errors import InputError, UsageError, pluralize
from kp_core.reading.inputs import Given, mapping_of
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
    known = dict[str, set[str]]()
    for doc_id in (doc_id for part in parts if part.datasets for doc_id in part.ids().to_pylist()):
        known.setdefault(doc_id.partition("/")[2], set()).add(doc_id)
    others = [part for part in parts if not part.datasets and "doc_id" in part.table.column_names]
    for part, ids in ((part, part.ids().to_pylist()) for part in others if names):
        if all(doc_id.startswith(tuple(f"{name}/" for name in names)) for doc_id in ids):
            continue
        if unclear := [doc_id for doc_id in ids if len(known.get(doc_id, ())) != 1]:
            whose = "which several data sets have" if unclear[0] in known else "which no data set has"
            remedy = "Add a column “dataset” to the file."
            raise InputError(part.file, f"the id “{unclear[0][:60]}”, {whose}", f"ids of {', '.join(names)}", remedy)
        part.rename("doc_id", {doc_id: next(iter(known[doc_id])) for doc_id in ids})
    return names


def dataset_column(ids: Iterable[str], names: Sequence[str]) -> pa.Array:
    """Return the data set that is the prefix of each id, the longest one if several are."""
    longest = sorted(names, key=len, reverse=True)
    return pa.array([next(name for name in longest if doc_id.startswith(f"{name}/")) for doc_id in ids])


def datasets_in(
    given: Sequence[Given], table_of: Callable[[Source], VocabularyTable | None]
) -> tuple[dict[str, list[Given]], dict[Any, list[Source]]]:
    """Return data set → its inputs, if folders are data sets, and the vocabulary tables next to them."""
    datasets, tables = dict[str, list[Given]](), dict[VocabularyTable, list[Source]]()
    for item in given:
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
    given: Sequence[Given], mappings: Mapping[str, Meaning]
) -> tuple[dict[str, list[Given]], dict[str, Meaning]]:
    """Return data set → its inputs, if the user assigned each file to a data set; else nothing.

    Mappings then refer to `data set/file`.
    """
    datasets, within = dict[str, list[Given]](), dict[str, Meaning]()
    if not any(mapping.in_dataset for mapping in mappings.values()):
        return {}, {}
    for item in given:
        bundles = dict[str, list[Bundle]]()
        for file, bundle in ((file, parent) for parent in item.bundles for file in parent.files):
            meant = mapping_of(file, bundle, mappings)
            if not (name := meant.in_dataset):
                raise UsageError(f"'{file.name}' belongs to no data set, but other files do; name its data set")
            renamed = Source(without_dataset(file.name, name), file.data)
            within[f"{name}/{renamed.name}"] = replace(meant, in_dataset="")
            bundles.setdefault(name, []).append(Bundle(renamed.name, (renamed,), given=renamed.name))
        for name, files in bundles.items():
            datasets.setdefault(name, []).append(replace(item, tables=(), bundles=tuple(files)))
    return datasets, within


def by_folder(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return data set → path of each of its files → its path within the data set; empty if folders are no data sets.

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
    return _datasets_as_folders(paths) or _datasets_as_files(paths)


def _datasets_as_folders(paths: Mapping[PurePosixPath, str]) -> dict[str, dict[str, str]]:
    roles_by_dataset = dict[str, dict[str, str]]()
    for path, name in paths.items():
        if len(path.parts) < 2:
            return {}
        roles_by_dataset.setdefault(path.parts[0], {})[name] = str(PurePosixPath(*path.parts[1:]))
    named = any(role_of_path(dataset) or dataset.lower() in _TEXTS for dataset in roles_by_dataset)
    return roles_by_dataset if len(roles_by_dataset) > 1 and not named and _have_both_sides(roles_by_dataset) else {}


def _datasets_as_files(paths: Mapping[PurePosixPath, str]) -> dict[str, dict[str, str]]:
    gold = [path for path in paths if len(path.parts) == 2 and role_of_path(path.parts[0]) == "gold"]
    names = [stem_of(path.name) for path in gold]
    # Numbered files are documents rather than data sets.
    numbered = len({re.sub(r"\d+", "", name) for name in names}) < len(names)
    if len(names) < 2 or numbered or any(path.suffix.lower() not in _TABLES for path in gold):
        return {}
    roles_by_dataset = {name: dict[str, str]() for name in names}
    for path, name in paths.items():
        dataset = stem_of(path.name)
        if dataset not in roles_by_dataset or len(path.parts) < 2:
            return {}
        is_system = len(path.parts) > 2 and role_of_path(path.parts[0]) == "system"
        roles_by_dataset[dataset][name] = f"{path.parent}{path.suffix}" if is_system else str(path)
    return roles_by_dataset if _have_both_sides(roles_by_dataset) else {}


def _have_both_sides(roles_by_dataset: Mapping[str, Mapping[str, str]]) -> bool:
    return all(
        {"gold", "system"} <= {role_of_path(inner) for inner in files.values()} for files in roles_by_dataset.values()
    )


#: Minimum number of documents of two gold standards for a missing overlap of keyphrases to be meaningful.
_FEWEST = 5


def question_of(parts: Sequence[Part]) -> Finding | None:
    """Ask whether gold standards without a common keyphrase, or a common document, are of different data sets."""
    gold = [part for part in parts if part.role == "gold" and _has_ids(part)]
    files = [part.file for part in gold]
    decided = any(part.mapping.as_read for part in parts)
    if not 2 <= len(gold) <= len(set(files)) or decided or any(part.name_given for part in gold):
        return None
    phrases = [part.phrases() for part in gold]
    common = [left.keys() & right.keys() for left, right in pairwise(phrases)]
    if all(len(ids) >= _FEWEST for ids in common):
        if any(left[i] & right[i] for (left, right), ids in zip(pairwise(phrases), common, strict=True) for i in ids):
            return None
        reason = f"no keyphrase in common with {files[0]} on {pluralize(len(common[0]), 'document')} that both name"
    else:
        lists = [set(part.ids().to_pylist()) for part in parts if part.role == "system" and _has_ids(part)]
        met = [{number for number, documents in enumerate(phrases) if documents.keys() & ids} for ids in lists]
        if any(common) or any(len(numbers) != 1 for numbers in met) or len(set().union(*met)) < len(gold):
            return None
        reason = f"no document in common with {files[0]}, and no system with lists for both"
    mappings = {part.file: replace(part.mapping, as_read=True) for part in gold}
    answers = (*_as_datasets(parts, gold), Reply("they are annotators of one data set", mappings))
    return Finding("ask", files[1], reason, "people who read the same documents, or data sets", answers)


def _has_ids(part: Part) -> bool:
    return "doc_id" in part.table.column_names


def _as_datasets(parts: Sequence[Part], gold: Sequence[Part]) -> tuple[Reply, ...]:
    names = without_common([stem_of(part.file) for part in gold])
    datasets = {part.file: name for part, name in zip(gold, names, strict=True)}
    for part in (part for part in parts if part.file not in datasets):
        alone = (rf"(?i)(?<![^\W_]){re.escape(name)}(?![^\W_])" for name in names)
        called = [name for name, pattern in zip(names, alone, strict=True) if re.search(pattern, part.file)]
        if len(called) != 1:
            return ()
        datasets[part.file] = called[0]
    if len(set(names)) < len(names):
        return ()
    meant = ((part.file, replace(part.mapping, role=part.mapping.role or part.role)) for part in parts)
    mappings = {file: replace(mapping, in_dataset=datasets[file]) for file, mapping in meant}
    return (Reply(f"they are {len(names)} data sets: {', '.join(names)}", mappings),)


def without_dataset(file: str, dataset: str) -> str:
    """Return the name of a file without that of its data set, so that a system has the same name in all data sets.

    >>> without_dataset("runs/yake_inspec.csv", "inspec"), without_dataset("inspec.csv", "inspec")
    ('runs/yake.csv', 'inspec.csv')
    """
    folder, slash, name = file.rpartition("/")
    bare = re.sub(rf"(?i)(?:(?<![-_. ])[-_. ]+{re.escape(dataset)}(?=[-_. ])|^{re.escape(dataset)}[-_ ]+)", "", name)
    return f"{folder}{slash}{bare}"


#: NAME@SET=PATH; an “=” in a URL, such as s3://runs/year=2024, is part of the path.
_NAMED = re.compile(r"(?!\w+://)(?P<name>[^@=]*)(?:@(?P<dataset>[^@=]+))?=(?P<path>.+)", re.DOTALL)


class NamedPath(NamedTuple):
    """Paths that belong together, with the name of their annotator or system, and of their data set."""

    paths: tuple[str, ...]
    name: str = ""
    dataset: str = ""

    @classmethod
    def read(cls, words: Sequence[str]) -> NamedPath:
        """Read [NAME][@SET]=PATH and further paths, unless a file has this name.

        >>> NamedPath.read(["bart@nus=a.csv"]), NamedPath.read(["bart=a.csv", "b.csv"]).paths
        (NamedPath(paths=('a.csv',), name='bart', dataset='nus'), ('a.csv', 'b.csv'))
        """
        if (match := _name_before(words[0])) is None:
            return cls(tuple(words))
        return cls((match["path"], *words[1:]), storable(match["name"]), storable(match["dataset"] or ""))


def _name_before(word: str) -> re.Match[str] | None:
    return None if Path(word).exists() else _NAMED.fullmatch(word)


def by_name(words: Sequence[str]) -> list[list[str]]:
    """Group arguments; an argument that names its system or data set begins a group.

    >>> by_name(["a=1.csv", "b@nus=2.csv", "3.csv"]), by_name(["1.csv", "2.csv"])
    ([['a=1.csv'], ['b@nus=2.csv', '3.csv']], [['1.csv', '2.csv']])
    """
    groups: list[list[str]] = []
    for word in words:
        if not groups or _name_before(word):
            groups.append([])
        groups[-1].append(word)
    return groups


def systems_of(given: Iterable[NamedPath]) -> Any:
    """Return the paths of systems as `load` expects them; inputs with the same name are runs.

    >>> systems_of([NamedPath(("s1.csv",), "bart"), NamedPath(("s2.csv",), "bart")])
    {'bart#1': ['s1.csv'], 'bart#2': ['s2.csv']}
    """
    named = defaultdict[str, list[tuple[str, ...]]](list)
    for system in given:
        named[system.name].append(system.paths)
    unnamed = [path for paths in named.pop("", []) for path in paths]
    systems = dict[str, list[str]]()
    for name, runs in named.items():
        systems |= {f"{name}#{n}" if len(runs) > 1 else name: list(paths) for n, paths in enumerate(runs, 1)}
    return (systems | {stem_of(path): [path] for path in unnamed} if systems else unnamed) or None


def _gold_of(given: Sequence[NamedPath]) -> Any:
    paths = [path for entry in given for path in entry.paths]
    named = {entry.name: [Path(path) for path in entry.paths] for entry in given if entry.name}
    if named and len(named) < len(given):
        unnamed = next(entry.paths[0] for entry in given if not entry.name)
        raise UsageError(f"'{unnamed}' has no annotator, but others do")
    return named or paths or None


def datasets_of_paths(
    gold: Sequence[str], systems: Sequence[Sequence[str]], documents: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return data set → argument of `load` → paths, from arguments such as [NAME]@SET=PATH; empty without data sets.

    >>> datasets_of_paths(["@nus=g.csv"], [["bart@nus=b.csv"]], [])
    {'nus': {'gold': ['g.csv'], 'systems': {'bart': ['b.csv']}, 'documents': None}}
    """
    words = {"gold": [[path] for path in gold], "systems": systems, "documents": [[path] for path in documents]}
    read = [(role, NamedPath.read(path)) for role, every in words.items() for path in every]
    names = dict.fromkeys(named.dataset for _, named in read)
    if set(names) <= {""}:
        return {}
    if loose := [named.paths[0] for _, named in read if not named.dataset]:
        raise UsageError(f"'{loose[0]}' belongs to no data set, but others do; write it as @SET=PATH")
    arguments: dict[str, dict[str, Any]] = {name: {} for name in names}
    for name, (role, make) in product(names, (("gold", _gold_of), ("systems", systems_of), ("documents", _gold_of))):
        arguments[name][role] = make([path for given, path in read if (given, path.dataset) == (role, name)])
    return arguments
