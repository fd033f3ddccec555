"""Assign sources and ids to the checked rows of every file, and refuse duplicate lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import empty_table
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.meaning.fields import SYSTEM_FOLDERS, plain
from kp_core.reading.open.source import stem_of
from kp_core.reading.open.values import distinct, repeated, trim
from kp_core.reading.rows.check import Part
from kp_core.reading.rows.identifiers import id_fix, without_common

_LIST = ["role", "source", "doc_id"]


def align(parts: Sequence[Part], notes: list[Note]) -> None:
    """Name the documents of files without ids, whose line n is document n; refuse such files of unequal length.

    The ids are from a file of ids, or from the only table of texts if it has as many documents.
    """
    _align_by_titles(parts, notes)
    numbered = [part for part in parts if part.counted]
    if all(part.only_ids for part in numbered):
        return
    first = numbered[0]
    if other := next((part for part in numbered if part.counted != first.counted), None):
        found = f"{pluralize(other.counted, 'document')}, where {first.file} has {first.counted:,}"
        remedy = "Lines of these files belong together by their number, blank lines included; compare the files."
        raise InputError(other.file, found, "as many as in the other files without ids", remedy)
    texts = [part for part in parts if part.role == "documents" and not part.counted and part.places is None]
    fitting = [part for part in texts if len(texts) == 1 and len(part.ids()) == first.counted]
    companion = next((part for part in numbered if part.only_ids), next(iter(fitting), None))
    level: Any
    numbers = list(map(str, range(1, first.counted + 1)))
    if companion is not None:
        names, level = companion.ids().to_pylist(), "info"
        if len(names) != first.counted:
            found, expected = f"{len(names):,} different ids", f"{first.counted:,} of them, one for each line"
            raise InputError(companion.file, found, expected, "Correct the file of ids.")
        have = pluralize(first.counted, "document has", "documents have")
        message = f"The {have} the ids of {companion.file}, in this order."
        numbered = [part for part in numbered if not part.only_ids and names != numbers]
    else:
        others = [part for part in parts if not part.counted and part.role in ("gold", "system")]
        ids = {doc_id for part in others for doc_id in part.ids().to_pylist()}
        from_zero = list(map(str, range(first.counted)))
        names = from_zero if "0" in ids and ids <= {*from_zero} else numbers
        as_others = f", as in {others[0].file}" if names is from_zero else ""
        message = f"There are no ids; documents are counted {names[0]} to {int(names[-1]):,}{as_others}."
        level = "info" if len(numbered) > 1 and not others else "warning"
    for part in numbered:
        part.rename("doc_id", dict(zip(numbers, names, strict=True)))
        notes.append(Note(level, part.file, message))


def _align_by_titles(parts: Sequence[Part], notes: list[Note]) -> None:
    """Match documents without ids by their titles, with a table of texts or between annotators."""
    titled = [(part, names) for part in parts if part.counted and (names := _names(part.titles))]
    others = [part for part in parts if part.role == "documents" and "title" in part.table.column_names]
    texts = [part for part in others if not part.counted and _names(part.table["title"].to_pylist())]
    known: dict[str, str] = {}
    for part in texts:
        known |= dict(zip(_names(part.table["title"].to_pylist()), part.table["doc_id"].to_pylist(), strict=True))
    whose = f"have the ids of {texts[0].file}" if texts else "are counted"
    if not texts and len({id(part.titles) for part, _ in titled}) > 1:
        every = dict.fromkeys(name for _, names in titled for name in names)
        known = {name: str(number) for number, name in enumerate(every, 1)}
    for part, names in titled:
        unmatched = [title for title, name in zip(part.titles, names, strict=True) if name not in known]
        if len(unmatched) == len(names):
            continue  # no title matches, so documents are matched by order
        if unmatched:
            found = f"the title “{unmatched[0][:60]}”, which {texts[0].file} does not have"
            remedy = "Add a column of ids to both files, or use the same titles."
            raise InputError(part.file, found, "its titles", remedy)
        part.rename("doc_id", {str(number): known[name] for number, name in enumerate(names, 1)})
        part.counted = 0
        notes.append(Note("info", part.file, f"Documents {whose}, by their titles."))


def _names(titles: Iterable[str | None]) -> list[str]:
    """Return titles, ignoring case; nothing if some are missing or equal."""
    names = [" ".join((title or "").casefold().split()) for title in titles]
    return names if all(names) and len(set(names)) == len(names) else []


def label(parts: Sequence[Part], notes: list[Note]) -> None:
    """Replace identifiers used as phrases by the labels in other files, the gold standard first."""
    known = [part for part in parts if part.role in ("gold", "system") and "concept" in part.table.column_names]
    known.sort(key=lambda part: part.role)
    tables = [part.table.select(["concept", "phrase"]).to_pandas() for part in known]
    alone = [table["concept"] == table["phrase"] for table in tables]
    if not any(bare.any() for bare in alone):
        return
    every = pd.concat([table[~bare].dropna() for table, bare in zip(tables, alone, strict=True)])
    labels = every.drop_duplicates("concept").set_index("concept")["phrase"]
    for part, table, bare in zip(known, tables, alone, strict=True):
        called = table["concept"].map(labels).where(bare).dropna()
        if len(called):
            phrases = pa.array(called.combine_first(table["phrase"]), pa.large_string())
            part.put("phrase", pa.chunked_array([phrases]))
            message = f"Identifiers replaced by the label that another file has for them: {len(called):,}."
            notes.append(Note("info", part.file, message))


def settle(parts: Sequence[Part], fixes: Sequence[str], notes: list[Note]) -> pd.DataFrame:
    """Assign the sources of all rows, apply the fixes, refuse duplicate lists, and return the empty lists."""
    for role in ("system", "gold"):
        _name_by_files([part for part in parts if part.role == role and not part.name_given], fixes)
    several = len({part.origin for part in parts if part.role == "gold"}) > 1
    owners: dict[str, Part] = {}
    for part in parts:
        if part.role == "gold":
            _name_sources(part, part.name if several or part.name_given else "gold")
        elif part.role == "system":
            _name_sources(part, part.name)
            for name in part.every_source():
                if (other := owners.setdefault(name, part)).origin != part.origin:
                    found = f"the system name “{name}” again, first in {other.file}"
                    remedy = "Use a different name for each file (NAME=PATH)."
                    raise InputError(part.file, found, "each system name once", remedy)
    for fix in fixes:
        _fix_ids(parts, fix, notes)
    return _settle_lists(parts, fixes, notes)


#: The name of a file of one run: a number, perhaps after a word for runs.
_RUN = re.compile(r"(?:seed|run|replicate|lauf|rep|r|s)?[-_ ]?\d+", re.IGNORECASE)


def _name_by_files(parts: Sequence[Part], fixes: Sequence[str]) -> None:
    """Name files of runs after the folder of their system, and files with the same name after their paths."""
    folders: dict[PurePosixPath, list[Part]] = {}
    for part in parts:
        folders.setdefault(PurePosixPath(part.file).parent, []).append(part)
    for folder, members in folders.items():
        names = {part.name for part in members if part.role == "system" and _RUN.fullmatch(part.name)}
        are_runs = len(members) == len(names) == len({part.origin for part in members}) > 1
        for part in members if are_runs and folder.name and plain(folder.name) not in SYSTEM_FOLDERS else ():
            part.name = f"{folder.name}#{part.name}"
    times = Counter(name for name, _ in {(part.name, part.origin) for part in parts})
    for part in parts:
        folder_name, slash, _ = part.file.rpartition("/")
        if times[part.name] > 1 and slash:
            part.name = f"{folder_name}/{stem_of(part.file)}"
    if "strip-common" in fixes:
        for part, name in zip(parts, without_common([part.name for part in parts]), strict=True):
            part.name = name


def _name_sources(part: Part, default: str) -> None:
    """Assign a source to every row and list: the name given by the user, else that in the column, else the default."""
    if part.lists is not None:
        part.lists = part.lists.assign(source=part.lists["source"].replace("", np.nan).fillna(default))
    if "source" not in part.table.column_names:
        part.table = part.table.append_column("source", repeated(default, len(part.table)))
        part.sources = [default] if len(part.table) else []
        return
    blank = pc.equal(part.table["source"].fill_null(""), "")
    if pc.any(blank).as_py():
        part.put("source", pc.if_else(blank, pa.scalar(default, pa.large_string()), part.table["source"]))
    part.sources = distinct(part.table["source"])
    if part.name_given and part.name not in part.sources:
        every = part.every_source()
        part.rename("source", {name: part.name if len(every) == 1 else f"{part.name}/{name}" for name in every})


def _fix_ids(parts: Sequence[Part], fix: str, notes: list[Note]) -> None:
    """Apply a rule to all ids; refuse it if two ids of a file would become equal."""
    rule = id_fix(fix)
    if rule is None:
        return
    changed: set[str] = set()
    for part in (part for part in parts if "doc_id" in part.table.column_names):
        ids = part.ids().to_pylist()
        left = trim(pa.chunked_array([[rule(doc_id) for doc_id in ids]], pa.large_string())).to_pylist()
        renamed = {old: new or old for old, new in zip(ids, left, strict=True)}
        originals: dict[str, str] = {}
        for old, new in renamed.items():
            if originals.setdefault(new, old) != old:
                found = f"the ids “{originals[new]}” and “{old}”, which the fix “{fix}” would make one"
                raise InputError(part.file, found, "ids that stay different", "Load without this fix.")
        changed |= {old for old, new in renamed.items() if old != new}
        part.rename("doc_id", renamed)
    notes.append(Note("info", "ids", f"The fix “{fix}” changed {pluralize(len(changed), 'id')}."))


def _settle_lists(parts: Sequence[Part], fixes: Iterable[str], notes: list[Note]) -> pd.DataFrame:
    """Keep only one list per source and document, or merge the lists; return the empty lists."""
    parts = [part for part in parts if part.role in ("gold", "system")]
    places = {(part.role, name, part.origin, part.file) for part in parts for name in part.every_source()}
    files = Counter((role, name) for role, name, *_ in places)
    for part in parts:
        if part.lists is None and any(files[part.role, name] > 1 for name in part.sources):
            part.find_lists()
    listed = [part for part in parts if part.lists is not None]
    if not listed:
        return empty_table("empty")
    every = pd.concat([part.lists.assign(role=part.role, part=n) for n, part in enumerate(listed)])  # type: ignore[union-attr]
    again = every.duplicated(_LIST)
    if again.any() and not {"keep-first", "merge"} & set(fixes):
        second = every[again].iloc[0]
        first = every[(every[_LIST] == second[_LIST]).all(axis=1)].iloc[0]
        found = f"document “{second['doc_id']}” of “{second['source']}” again, first {_place(first)}"
        remedy = "Remove one of them, or choose a fix: keep-first or merge."
        if first["file"] != second["file"]:
            remedy = f"Use a different name for each file (NAME=PATH). {remedy}"
        raise InputError(_place(second), found, "each document once", remedy)
    if again.any():
        done = "the first was kept" if "keep-first" in fixes else "they were merged"
        one, several = f"document was there twice; {done}.", f"documents were there twice; {done}."
        notes.append(Note.counting("warning", "lists", int(again.sum()), one, several))
    every = every[~again] if "keep-first" in fixes else every
    for number, part in enumerate(listed):
        part.lists, of_row = every[every["part"] == number], part.table["list"].to_numpy()
        if again.any():
            part.table = part.table.filter(pa.array(np.isin(of_row, part.lists.index)))
        part.lists = part.lists.assign(filled=np.isin(part.lists.index, of_row))
        part.table = part.table.drop_columns(["list"])
    filled = pd.concat([part.lists for part in listed]).groupby(_LIST, sort=False)["filled"].any()
    return filled[~filled].index.to_frame(index=False)


def _place(row: pd.Series) -> str:
    return f"{row['file']}, line {row['line']}" if row["line"] else str(row["file"])
