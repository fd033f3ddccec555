"""Tell which data set each document is of, by columns, folders or answers; files are then read a data set at a time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa

from kp_core.corpus import VocabularyTable
from kp_core.errors import InputError, UsageError, pluralize
from kp_core.reading.inputs import Given, said_of
from kp_core.reading.meaning.fields import role_of_path
from kp_core.reading.meaning.mapping import Mapping as Meaning
from kp_core.reading.meaning.question import Finding, Reply
from kp_core.reading.open.source import Bundle, Source, stem_of
from kp_core.reading.rows.check import Part
from kp_core.reading.rows.identifiers import without_common
from kp_core.typeset import storable

#: Files of these endings hold many documents each; any other may be a document by itself.
_TABLES = frozenset((".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx"))
#: The folder in which a data set has its texts.
_TEXTS = frozenset(("documents", "docs", "texts"))


def datasets_of(parts: Sequence[Part]) -> list[str]:
    """Return the data sets named in columns of some files; ids of other files are assigned to the one that has them.

    Raises InputError if an id may be of several data sets, or of none.
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
    """Return the data set with which each id begins; the longest name where one begins with another."""
    longest = sorted(names, key=len, reverse=True)
    return pa.array([next(name for name in longest if doc_id.startswith(f"{name}/")) for doc_id in ids])


def datasets_in(
    given: Sequence[Given], table_of: Callable[[Source], VocabularyTable | None]
) -> tuple[dict[str, list[Given]], dict[Any, list[Source]]]:
    """Return data set → what is given for it, if folders tell data sets, and the tables of a vocabulary next to these.

    table_of  tells which table of a vocabulary a file is
    """
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
        role = None if item.role == "documents" else item.role  # the names of texts tell no role
        for name, paths in folders.items():
            every = (Source(inner, files[path].data) for path, inner in paths.items())
            within = tuple(file for file in every if item.role is None or role_of_path(file.name) == role)
            own = replace(item, bundles=(Bundle(name, within, folder=True),))
            datasets.setdefault(name, []).append(own)
    return datasets, tables


def chosen_datasets(
    given: Sequence[Given], mappings: Mapping[str, Meaning]
) -> tuple[dict[str, list[Given]], dict[str, Meaning]]:
    """Return data set → its inputs, if the user assigned each file to one; else nothing.

    The mappings are then those within a data set, by `data set/file`.
    """
    datasets, within = dict[str, list[Given]](), dict[str, Meaning]()
    if not any(mapping.in_dataset for mapping in mappings.values()):
        return {}, {}
    for item in given:
        bundles = dict[str, list[Bundle]]()
        for file, bundle in ((file, parent) for parent in item.bundles for file in parent.files):
            meant = said_of(file, bundle, mappings)
            if not (name := meant.in_dataset):
                raise UsageError(f"'{file.name}' belongs to no data set, but other files do; name its data set")
            renamed = Source(without_dataset(file.name, name), file.data)
            within[f"{name}/{renamed.name}"] = replace(meant, in_dataset="")
            bundles.setdefault(name, []).append(Bundle(renamed.name, (renamed,), given=renamed.name))
        for name, files in bundles.items():
            datasets.setdefault(name, []).append(replace(item, tables=(), bundles=tuple(files)))
    return datasets, within


def by_folder(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return data set → path of each of its files → its path within the data set; empty where folders tell none.

    Either each data set is a folder with a gold standard and systems, or each folder of a gold standard or a system
    has a table named after each data set.

    >>> by_folder(["b/nus/gold.csv", "b/nus/runs/a.csv", "b/wiki/gold.csv", "b/wiki/runs/a.csv"])["wiki"]
    {'b/wiki/gold.csv': 'gold.csv', 'b/wiki/runs/a.csv': 'runs/a.csv'}
    >>> by_folder(["gold/nus.csv", "gold/wiki.csv", "runs/bart/nus.csv", "runs/bart/wiki.csv"])["nus"]
    {'gold/nus.csv': 'gold/nus.csv', 'runs/bart/nus.csv': 'runs/bart.csv'}
    """
    paths = {PurePosixPath(name): name for name in names if PurePosixPath(name).parts}  # an archive may hold “.”
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
    numbered = len({re.sub(r"\d+", "", name) for name in names}) < len(names)
    if len(names) < 2 or numbered or any(path.suffix.lower() not in _TABLES for path in gold):
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
    """Recognize data sets that each have a gold standard and a system, by the names of their files."""
    return all({"gold", "system"} <= {role_of_path(inner) for inner in own.values()} for own in found.values())


#: So many documents must be common to two gold standards, for nothing in common to say anything.
_FEWEST = 5


def question_of(parts: Sequence[Part]) -> Finding | None:
    """Return the question whether two gold standards are of two data sets, if they have nothing in common.

    Either they name the same documents, and give none of them a keyphrase in common, or no list is for documents of
    both; the latter only if there are lists of both.
    """
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
    """Return the answer that they are data sets, if the name of every file says of which it is."""
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
    mappings = {
        part.file: replace(part.mapping, role=part.mapping.role or part.role, in_dataset=datasets[part.file])
        for part in parts
    }
    return (Reply(f"they are {len(names)} data sets: {', '.join(names)}", mappings),)


def without_dataset(file: str, dataset: str) -> str:
    """Return the name of a file without the word for its data set, so that systems keep one name in all of them.

    >>> without_dataset("runs/yake_inspec.csv", "inspec"), without_dataset("inspec.csv", "inspec")
    ('runs/yake.csv', 'inspec.csv')
    """
    folder, slash, name = file.rpartition("/")
    bare = re.sub(rf"(?i)(?:(?<![-_. ])[-_. ]+{re.escape(dataset)}(?=[-_. ])|^{re.escape(dataset)}[-_ ]+)", "", name)
    return f"{folder}{slash}{bare}"


#: Before “=” in the address of a table elsewhere, as in s3://runs/year=2024, stands no name.
_NAMED = re.compile(r"(?!\w+://)(?P<name>[^@=]*)(?:@(?P<dataset>[^@=]+))?=(?P<path>.+)", re.DOTALL)


class NamedPath(NamedTuple):
    """Paths that belong together, with the annotator or system and the data set that were named, empty for none."""

    paths: tuple[str, ...]
    name: str = ""
    dataset: str = ""

    @classmethod
    def read(cls, words: Sequence[str]) -> NamedPath:
        """Read [NAME][@SET]=PATH and further paths; a file whose name looks so is a file.

        >>> NamedPath.read(["bart@nus=a.csv"]), NamedPath.read(["bart=a.csv", "b.csv"]).paths
        (NamedPath(paths=('a.csv',), name='bart', dataset='nus'), ('a.csv', 'b.csv'))
        """
        if (told := _name_before(words[0])) is None:
            return cls(tuple(words))
        return cls((told["path"], *words[1:]), storable(told["name"]), storable(told["dataset"] or ""))


def _name_before(word: str) -> re.Match[str] | None:
    """Return what precedes a path; None of a word that is a path, as every file whose own name looks so is."""
    return None if Path(word).exists() else _NAMED.fullmatch(word)


def by_name(words: Sequence[str]) -> list[list[str]]:
    """Return the words that belong together: each that names its system or data set begins others.

    >>> by_name(["a=1.csv", "b@nus=2.csv", "3.csv"]), by_name(["1.csv", "2.csv"])
    ([['a=1.csv'], ['b@nus=2.csv', '3.csv']], [['1.csv', '2.csv']])
    """
    found: list[list[str]] = []
    for word in words:
        if not found or _name_before(word):
            found.append([])
        found[-1].append(word)
    return found


def systems_of(given: Iterable[NamedPath]) -> Any:
    """Return the paths of systems as `load` takes them; of several with one name each is a run.

    >>> systems_of([NamedPath(("s1.csv",), "bart"), NamedPath(("s2.csv",), "bart")])
    {'bart#1': ['s1.csv'], 'bart#2': ['s2.csv']}
    """
    named = defaultdict[str, list[tuple[str, ...]]](list)
    for one in given:
        named[one.name].append(one.paths)
    unnamed = [path for paths in named.pop("", []) for path in paths]
    every = {
        f"{name}#{number}" if len(runs) > 1 else name: list(paths)
        for name, runs in named.items()
        for number, paths in enumerate(runs, 1)
    }
    return (every | {stem_of(path): [path] for path in unnamed} if every else unnamed) or None


def _gold_of(given: Sequence[NamedPath]) -> Any:
    """Return the paths of a gold standard as `load` takes them, by annotator if they are named."""
    paths = [path for one in given for path in one.paths]
    named = {one.name: [Path(path) for path in one.paths] for one in given if one.name}
    if named and len(named) < len(given):
        raise UsageError(f"'{next(one for one in given if not one.name).paths[0]}' has no annotator, but others do")
    return named or paths or None


def datasets_of_paths(
    gold: Sequence[str], systems: Sequence[Sequence[str]], documents: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return data set → argument of `load` → files, of what was given as [NAME]@SET=PATH; nothing if none was.

    >>> datasets_of_paths(["@nus=g.csv"], [["bart@nus=b.csv"]], [])
    {'nus': {'gold': ['g.csv'], 'systems': {'bart': ['b.csv']}, 'documents': None}}
    """
    words = {"gold": [[path] for path in gold], "systems": systems, "documents": [[path] for path in documents]}
    read = [(role, NamedPath.read(own)) for role, every in words.items() for own in every]
    names = dict.fromkeys(one.dataset for _, one in read)
    if set(names) <= {""}:
        return {}
    if loose := [one.paths[0] for _, one in read if not one.dataset]:
        raise UsageError(f"'{loose[0]}' belongs to no data set, but others do; write it as @SET=PATH")
    of = {"gold": _gold_of, "systems": systems_of, "documents": _gold_of}
    return {
        name: {
            role: make([one for own, one in read if (own, one.dataset) == (role, name)]) for role, make in of.items()
        }
        for name in names
    }
