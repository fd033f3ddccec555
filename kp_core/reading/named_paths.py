"""Turn paths with names before them, such as `bart@nus=out.csv`, into what `load` takes, a data set at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kp_core.errors import UsageError
from kp_core.reading.source import stem_of
from kp_core.typeset import storable

#: Before “=” in the address of a table elsewhere, as in s3://runs/year=2024, stands no name.
_NAMED = re.compile(r"(?!\w+://)(?P<name>[^@=]*)(?:@(?P<dataset>[^@=]+))?=(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True)
class NamedPath:
    """Paths that belong together, with the annotator or system and the data set that were named, empty for none."""

    paths: tuple[str, ...]
    name: str = ""
    dataset: str = ""

    @staticmethod
    def read(words: Sequence[str]) -> NamedPath:
        """Read [NAME][@SET]=PATH and further paths; a file whose name looks so is a file.

        >>> NamedPath.read(["bart@nus=a.csv"]), NamedPath.read(["bart=a.csv", "b.csv"]).paths
        (NamedPath(paths=('a.csv',), name='bart', dataset='nus'), ('a.csv', 'b.csv'))
        """
        first, *rest = words
        told = _name_before(first)
        if told is None:
            return NamedPath(tuple(words))
        return NamedPath((told["path"], *rest), storable(told["name"]), storable(told["dataset"] or ""))


def _name_before(word: str) -> re.Match[str] | None:
    """Return what stands before a path; None of a word that is a path, as every file whose own name looks so is."""
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
    named: dict[str, list[tuple[str, ...]]] = {}
    unnamed = [path for one in given if not one.name for path in one.paths]
    for one in given:
        if one.name:
            named.setdefault(one.name, []).append(one.paths)
    every = {
        f"{name}#{number}" if len(runs) > 1 else name: list(paths)
        for name, runs in named.items()
        for number, paths in enumerate(runs, 1)
    }
    return (every | {stem_of(path): [path] for path in unnamed} if every else unnamed) or None


def _gold_of(given: Sequence[NamedPath]) -> Any:
    """Return the paths of a gold standard as `load` takes them, by annotator where they are named."""
    paths = [path for one in given for path in one.paths]
    named = {one.name: [Path(path) for path in one.paths] for one in given if one.name}
    if named and len(named) < len(given):
        raise UsageError(f"'{next(one for one in given if not one.name).paths[0]}' has no annotator, and others have")
    return named or paths or None


def datasets_of_paths(
    gold: Sequence[str], systems: Sequence[Sequence[str]], documents: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return data set → argument of `load` → files, of what was given as [NAME]@SET=PATH; nothing if none was.

    >>> datasets_of_paths(["@nus=g.csv"], [["bart@nus=b.csv"]], [])
    {'nus': {'gold': ['g.csv'], 'systems': {'bart': ['b.csv']}, 'documents': None}}
    """
    read = {
        "gold": [NamedPath.read([words]) for words in gold],
        "systems": [NamedPath.read(words) for words in systems],
        "documents": [NamedPath.read([words]) for words in documents],
    }
    every = [one for own in read.values() for one in own]
    names = dict.fromkeys(one.dataset for one in every)
    if set(names) <= {""}:
        return {}
    if loose := [one.paths[0] for one in every if not one.dataset]:
        raise UsageError(f"'{loose[0]}' is of no data set, and others are; write it as @SET=PATH")
    of = {"gold": _gold_of, "systems": systems_of, "documents": _gold_of}
    return {
        name: {role: of[role]([one for one in own if one.dataset == name]) for role, own in read.items()}
        for name in names
    }
