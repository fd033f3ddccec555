"""Turn the rows of every file into lists that have a source and clean ids, each there once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, counted
from kp_core.reading.check import Checked
from kp_core.reading.identifiers import id_fix, without_common
from kp_core.reading.values import distinct


@dataclass
class Part:
    """The checked rows of one role from one reading; `name` is the annotator or system where no column says it."""

    role: Role
    file: str
    name: str
    checked: Checked
    origin: int = 0
    named: bool = False
    higher_is_better: bool | None = None
    sources: list[str] = field(default_factory=list)
    counted: int = 0
    names: bool = False
    in_one_file: bool = True

    def rename_documents(self, renamed: dict[str, str]) -> None:
        """Give documents other ids: old → new; ids that are not there stay."""
        self.checked.replace("doc_id", _mapped(self.checked.table["doc_id"], renamed))
        if self.checked.lists is not None:
            ids = self.checked.lists["doc_id"]
            self.checked.lists = self.checked.lists.assign(doc_id=ids.map(renamed).fillna(ids))

    def systems(self) -> list[str]:
        """Return the names of all sources, those with nothing but empty lists included."""
        listed = [] if self.checked.lists is None else self.checked.lists["source"].unique().tolist()
        return list(dict.fromkeys([*self.sources, *listed]))

    def lists(self) -> pd.DataFrame:
        """Return the lists of a family of lists."""
        assert self.checked.lists is not None
        return self.checked.lists


def settle(parts: Sequence[Part], fixes: Sequence[str], notes: list[Note]) -> list[tuple[str, str, str]]:
    """Name the sources of all rows, apply the fixes, refuse lists that are there twice; return the empty lists.

    An empty list is a triple of role, annotator or system, and document.
    """
    if "strip-common" in fixes:
        for role in ("system", "gold"):
            by_file = [part for part in parts if part.role == role and not part.named]
            for part, name in zip(by_file, without_common([part.name for part in by_file]), strict=True):
                part.name = name
    for part in parts:
        _name_sources(part, parts)
    _refuse_equal_systems(part for part in parts if part.role == "system")
    for fix in fixes:
        _fix_ids(parts, fix, notes)
    return _settle_lists(parts, fixes, notes)


def _name_sources(part: Part, parts: Sequence[Part]) -> None:
    """Give every row a source: the column's, else `gold` for a single gold file, else the name of the file."""
    if part.role not in ("gold", "system"):
        return
    checked = part.checked
    several = len({other.origin for other in parts if other.role == "gold"}) > 1
    default = part.name if part.role == "system" or several or part.named else "gold"
    if checked.lists is not None:
        sources = checked.lists["source"]
        checked.lists = checked.lists.assign(source=sources.where(sources.notna(), default))
    if "source" not in checked.table.column_names:
        names = pa.repeat(pa.scalar(default, pa.large_string()), len(checked.table))
        checked.table = checked.table.append_column("source", pa.chunked_array([names]))
        part.sources = [default] if len(checked.table) else []
        return
    found = distinct(checked.table["source"])
    if "" in found or None in found:
        blank = pc.equal(checked.table["source"].fill_null(""), "")
        checked.replace("source", pc.if_else(blank, pa.scalar(default, pa.large_string()), checked.table["source"]))
        found = list(dict.fromkeys(name or default for name in found))
    if part.named and part.name not in found:
        renamed = {name: part.name if len(found) == 1 else f"{part.name}/{name}" for name in found}
        checked.replace("source", _mapped(checked.table["source"], renamed))
        found = list(renamed.values())
        if checked.lists is not None:
            checked.lists = checked.lists.assign(
                source=checked.lists["source"].map(lambda name: renamed.get(name, part.name))
            )
    part.sources = found


def _refuse_equal_systems(parts: Iterable[Part]) -> None:
    owners: dict[str, Part] = {}
    for part in parts:
        for name in part.systems():
            other = owners.setdefault(name, part)
            if other.origin != part.origin:
                found = f"the system name “{name}” again, first in {other.file}"
                raise InputError(part.file, found, "each system name once", "Give each file its own name (NAME=PATH).")


def _mapped(column: pa.ChunkedArray, renamed: dict[str, str]) -> pa.ChunkedArray:
    coded = column.combine_chunks().dictionary_encode()
    values = pa.array([renamed.get(value, value) for value in coded.dictionary.to_pylist()], pa.large_string())
    return pa.chunked_array([values.take(coded.indices)])


def _fix_ids(parts: Sequence[Part], fix: str, notes: list[Note]) -> None:
    """Apply one rule to all ids; refused where two ids of one file would become one."""
    rule = id_fix(fix)
    if rule is None:
        return
    changed: set[str] = set()
    for part in parts:
        checked = part.checked
        if "doc_id" not in checked.table.column_names:
            continue
        renamed = {doc_id: rule(doc_id) for doc_id in checked.ids().to_pylist()}
        taken: dict[str, str] = {}
        for old, new in renamed.items():
            if taken.setdefault(new, old) != old:
                found = f"the ids “{taken[new]}” and “{old}”, which the fix “{fix}” would make one"
                raise InputError(part.file, found, "ids that stay different", "Load without this fix.")
        changed.update(old for old, new in renamed.items() if old != new)
        part.rename_documents(renamed)
    notes.append(Note("info", "ids", f"The fix “{fix}” changed {counted(len(changed), 'id')}."))


def _settle_lists(parts: Sequence[Part], fixes: Sequence[str], notes: list[Note]) -> list[tuple[str, str, str]]:
    listed = [part for part in parts if part.checked.lists is not None and part.role in ("gold", "system")]
    if not listed:
        return []
    every = pd.concat([part.lists().assign(role=part.role, part=number) for number, part in enumerate(listed)])
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
    for number, part in enumerate(listed):
        hollow += _keep_lists(part, kept[kept["part"] == number])
    filled = {(part.role, *pair) for part in listed for pair in _filled(part)} if hollow else set()
    return [key for key in hollow if key not in filled]


def _keep_lists(part: Part, lists: pd.DataFrame) -> Iterable[tuple[str, str, str]]:
    """Keep the rows of some lists, and return those lists that have no row."""
    checked = part.checked
    if len(lists) < len(part.lists()):
        checked.keep(np.isin(checked.table["list"].to_numpy(), lists.index.to_numpy()))
    checked.lists = lists
    hollow = lists[~lists.index.isin(np.unique(checked.table["list"].to_numpy()))]
    checked.table = checked.table.drop_columns(["list"])
    return [(part.role, source, doc_id) for source, doc_id in zip(hollow["source"], hollow["doc_id"], strict=True)]


def _filled(part: Part) -> Iterable[tuple[str, str]]:
    pairs = part.checked.table.select(["source", "doc_id"]).group_by(["source", "doc_id"]).aggregate([])
    return zip(pairs["source"].to_pylist(), pairs["doc_id"].to_pylist(), strict=True)


def _place(row: pd.Series) -> str:
    return f"{row['file']}, line {row['line']}" if row["line"] else str(row["file"])
