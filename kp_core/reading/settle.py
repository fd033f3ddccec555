"""Turn the checked rows of every file into lists that have a source and clean ids, each there once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import InputError, Note, counted
from kp_core.reading.family import Choice, Rejected
from kp_core.reading.identifiers import id_fix, without_common
from kp_core.reading.source import stem_of
from kp_core.reading.values import distinct, distinct_values, repeated, trim


@dataclass
class Part:
    """The checked rows of one role from one reading: trimmed text, numbers as numbers, and what was left out.

    file, name  where it comes from, and the annotator or system where no column says it
    named       whether that name was given by the user
    origin      the number of the upload; one origin may give several parts
    sources     annotators or systems of the rows, once they are settled
    lists       for families of lists: source, doc_id, file, line and length of each, empty ones included
    """

    role: Role
    file: str
    name: str
    named: bool = False
    origin: int = 0
    choice: Choice = field(default_factory=Choice)
    table: pa.Table = field(default_factory=lambda: pa.table({}))
    lists: pd.DataFrame | None = None
    read: int = 0
    blank: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    counted: int = 0
    names: bool = False
    in_one_file: bool = True
    first_line: int = 0

    def starts(self) -> npt.NDArray[np.int64]:
        """Return the rows at which another document begins."""
        return run_starts(self.table["doc_id"])

    def ids(self) -> pa.Array:
        """Return the documents in order, those with empty lists included."""
        if self.lists is None:
            return distinct_values(self.table["doc_id"], self.starts())
        return pc.unique(pa.array(self.lists["doc_id"].tolist(), pa.large_string()))

    def systems(self) -> list[str]:
        """Return the names of all sources, those with nothing but empty lists included."""
        listed = [] if self.lists is None else self.lists["source"].unique().tolist()
        return list(dict.fromkeys([*self.sources, *listed]))

    def replace(self, name: str, column: pa.ChunkedArray) -> None:
        """Put another column in place of one."""
        self.table = self.table.set_column(self.table.column_names.index(name), name, column)

    def keep(self, mask: npt.NDArray[np.bool_]) -> None:
        """Keep the rows of a mask."""
        self.table = self.table.filter(pa.array(mask))

    def rename(self, column: str, renamed: dict[str, str]) -> None:
        """Give documents (`doc_id`) or annotators and systems (`source`) other names: old → new."""
        coded = self.table[column].combine_chunks().dictionary_encode()
        values = pa.array([renamed.get(value, value) for value in coded.dictionary.to_pylist()], pa.large_string())
        self.replace(column, pa.chunked_array([values.take(coded.indices)]))
        if self.lists is not None:
            self.lists = self.lists.assign(**{column: [renamed.get(name, name) for name in self.lists[column]]})
        if column == "source":
            self.sources = list(dict.fromkeys(renamed.get(name, name) for name in self.sources))


def settle(parts: Sequence[Part], fixes: Sequence[str], notes: list[Note]) -> list[tuple[str, str, str]]:
    """Name the sources of all rows, apply the fixes, refuse lists that are there twice; return the empty lists.

    An empty list is a triple of role, annotator or system, and document.
    """
    for role in ("system", "gold"):
        by_file = [part for part in parts if part.role == role and not part.named]
        _name_apart(by_file)
        if "strip-common" in fixes:
            for part, name in zip(by_file, without_common([part.name for part in by_file]), strict=True):
                part.name = name
    for part in parts:
        _name_sources(part, parts)
    _refuse_equal_systems(part for part in parts if part.role == "system")
    for fix in fixes:
        _fix_ids(parts, fix, notes)
    for role in ("system", "gold"):
        _keep_apart([part for part in parts if part.role == role], notes)
    return _settle_lists(parts, fixes, notes)


def _name_apart(parts: Sequence[Part]) -> None:
    """Name files of one name in different folders by their paths."""
    owners: dict[str, set[int]] = {}
    for part in parts:
        owners.setdefault(part.name, set()).add(part.origin)
    for part in parts:
        folder, slash, _ = part.file.rpartition("/")
        if len(owners[part.name]) > 1 and slash:
            part.name = f"{folder}/{stem_of(part.file)}"


def _name_sources(part: Part, parts: Sequence[Part]) -> None:
    """Give every row a source: the column's, else `gold` for a single gold file, else the name of the file."""
    if part.role not in ("gold", "system"):
        return
    several = len({other.origin for other in parts if other.role == "gold"}) > 1
    default = part.name if part.role == "system" or several or part.named else "gold"
    if part.lists is not None:
        sources = part.lists["source"]
        part.lists = part.lists.assign(source=sources.where(sources.notna(), default))
    if "source" not in part.table.column_names:
        part.table = part.table.append_column("source", repeated(default, len(part.table)))
        part.sources = [default] if len(part.table) else []
        return
    blank = pc.equal(part.table["source"].fill_null(""), "")
    if pc.any(blank).as_py():
        part.replace("source", pc.if_else(blank, pa.scalar(default, pa.large_string()), part.table["source"]))
    part.sources = distinct(part.table["source"])
    if part.named and part.name not in part.sources:
        every = part.systems()
        part.rename("source", {name: part.name if len(every) == 1 else f"{part.name}/{name}" for name in every})


def _refuse_equal_systems(parts: Iterable[Part]) -> None:
    owners: dict[str, Part] = {}
    for part in parts:
        for name in part.systems():
            other = owners.setdefault(name, part)
            if other.origin != part.origin:
                found = f"the system name “{name}” again, first in {other.file}"
                raise InputError(part.file, found, "each system name once", "Give each file its own name (NAME=PATH).")


def _told_twice(parts: Sequence[Part]) -> dict[str, list[Part]]:
    """Return the sources of which several tables tell lists of the same document, with these tables."""
    every = [part for part in parts if part.lists is None]
    names = [name for part in every for name in part.sources]
    if len(set(names)) == len(names):
        return {}
    keys = ["source", "doc_id"]
    tables = [part.table.select(keys).group_by(keys).aggregate([]).to_pandas() for part in every]
    pairs = pd.concat([table.assign(part=number) for number, table in enumerate(tables)])
    again = pairs[pairs.duplicated(keys, keep=False)]
    return {str(name): [every[n] for n in rows["part"].unique()] for name, rows in again.groupby("source", sort=False)}


def _keep_apart(parts: Sequence[Part], notes: list[Note]) -> None:
    """Name annotators by their files where several tell of one annotator and document; refuse that of a system."""
    for name, several in _told_twice(parts).items():
        files = list(dict.fromkeys(part.file for part in several))
        found = f"lists of “{name}” for the same documents in {' and '.join(files[:3])}"
        if len(files) < len(several) or several[0].role == "system":
            raise InputError(several[-1].file, found, "one list a document", "Give them different names.")
        for part in several:
            part.rename("source", {name: f"{stem_of(part.file)}/{name}"})
        kept = ", ".join(f"{stem_of(file)}/{name}" for file in files[:3])
        notes.append(Note("warning", "annotators", f"There are {found}; they are kept apart as {kept}."))


def _fix_ids(parts: Sequence[Part], fix: str, notes: list[Note]) -> None:
    """Apply one rule to all ids; refused where two ids of one file would become one."""
    rule = id_fix(fix)
    if rule is None:
        return
    changed: set[str] = set()
    for part in parts:
        if "doc_id" not in part.table.column_names:
            continue
        ids = part.ids().to_pylist()
        # What a rule leaves is trimmed like any id, and never blank.
        left = trim(pa.chunked_array([[rule(doc_id) for doc_id in ids]], pa.large_string())).to_pylist()
        renamed = {doc_id: new or doc_id for doc_id, new in zip(ids, left, strict=True)}
        taken: dict[str, str] = {}
        for old, new in renamed.items():
            if taken.setdefault(new, old) != old:
                found = f"the ids “{taken[new]}” and “{old}”, which the fix “{fix}” would make one"
                raise InputError(part.file, found, "ids that stay different", "Load without this fix.")
        changed.update(old for old, new in renamed.items() if old != new)
        part.rename("doc_id", renamed)
    notes.append(Note("info", "ids", f"The fix “{fix}” changed {counted(len(changed), 'id')}."))


def _settle_lists(parts: Sequence[Part], fixes: Sequence[str], notes: list[Note]) -> list[tuple[str, str, str]]:
    listed = [(part, part.lists) for part in parts if part.lists is not None and part.role in ("gold", "system")]
    if not listed:
        return []
    every = pd.concat([lists.assign(role=part.role, part=number) for number, (part, lists) in enumerate(listed)])
    keys = ["role", "source", "doc_id"]
    again = every.duplicated(keys)
    if again.any() and not {"keep-first", "merge"} & set(fixes):
        second = every[again].iloc[0]
        first = every[(every[keys] == second[keys]).all(axis=1)].iloc[0]
        found = f"document “{second['doc_id']}” of “{second['source']}” again, first {_place(first)}"
        remedy = "Remove one of them, or choose a fix: keep-first or merge."
        raise InputError(_place(second), found, "each document once", remedy)
    if again.any():
        done = "the first was kept" if "keep-first" in fixes else "they were merged"
        one, several = f"document was there twice; {done}.", f"documents were there twice; {done}."
        notes.append(Note.counting("warning", "lists", int(again.sum()), one, several))
    kept = every[~again] if "keep-first" in fixes else every
    hollow: list[tuple[str, str, str]] = []
    for number, (part, lists) in enumerate(listed):
        hollow += _keep_lists(part, lists, kept[kept["part"] == number])
    filled = {(part.role, *pair) for part, _ in listed for pair in _filled(part)} if hollow else set()
    return [key for key in hollow if key not in filled]


def _keep_lists(part: Part, before: pd.DataFrame, lists: pd.DataFrame) -> Iterable[tuple[str, str, str]]:
    """Keep the rows of some lists, and return those lists that have no row."""
    if len(lists) < len(before):
        part.keep(np.isin(part.table["list"].to_numpy(), lists.index.to_numpy()))
    part.lists = lists
    hollow = lists[~lists.index.isin(np.unique(part.table["list"].to_numpy()))]
    part.table = part.table.drop_columns(["list"])
    return [(part.role, source, doc_id) for source, doc_id in zip(hollow["source"], hollow["doc_id"], strict=True)]


def _filled(part: Part) -> Iterable[tuple[str, str]]:
    pairs = part.table.select(["source", "doc_id"]).group_by(["source", "doc_id"]).aggregate([])
    return zip(pairs["source"].to_pylist(), pairs["doc_id"].to_pylist(), strict=True)


def _place(row: pd.Series) -> str:
    return f"{row['file']}, line {row['line']}" if row["line"] else str(row["file"])
