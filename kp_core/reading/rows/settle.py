"""Turn the checked rows of every file into lists that have a source and clean ids, each there once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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
    """Refuse counted files of unequal length; name their documents by a file of ids, else by a table of texts.

    Line n of every file is document n. A table of texts names them only if it is alone, one file, and has exactly as
    many documents.
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
    fitting = texts if len(texts) == 1 and len(texts[0].ids()) == first.counted else []
    companion = next((part for part in (*numbered, *fitting) if part.only_ids or part in fitting), None)
    if companion is None:
        others = [part for part in parts if not part.counted and part.role in ("gold", "system")]
        ids = {doc_id for part in others for doc_id in part.ids().to_pylist()}
        start = 0 if "0" in ids and ids <= set(map(str, range(first.counted))) else 1
        as_others = f", as in {others[0].file}" if start == 0 else ""
        message = f"There are no ids; documents are counted {start} to {first.counted - 1 + start:,}{as_others}."
        aligned = len(numbered) > 1 and not others
        notes += [Note("info" if aligned else "warning", part.file, message) for part in numbered]
        for part in numbered if start == 0 else ():
            part.rename("doc_id", {str(number + 1): str(number) for number in range(first.counted)})
        return
    renamed = {str(number): doc_id for number, doc_id in enumerate(companion.ids().to_pylist(), 1)}
    for part in numbered:
        if part.only_ids or all(number == doc_id for number, doc_id in renamed.items()):
            continue
        part.rename("doc_id", renamed)
        have = pluralize(part.counted, "document has", "documents have")
        message = f"The {have} the ids of {companion.file}, in this order."
        notes.append(Note("info", part.file, message))


def _align_by_titles(parts: Sequence[Part], notes: list[Note]) -> None:
    """Name counted documents by their titles, where a table of texts has these, or files of other people do."""
    titled = [part for part in parts if part.counted and _are_names(part.titles)]
    others = [part for part in parts if part.role == "documents" and not part.counted]
    texts = [part for part in others if "title" in part.table.column_names and _are_names(_titles(part))]
    if len({id(part.titles) for part in titled}) + len(texts) < 2:
        return
    known: dict[str, str] = {}
    for part in texts:
        known |= dict(zip(map(_folded, _titles(part)), part.table["doc_id"].to_pylist(), strict=True))
    for title in () if texts else (title for part in titled for title in part.titles):
        known.setdefault(_folded(title), str(len(known) + 1))
    for part in titled:
        strange = [title for title in part.titles if _folded(title) not in known]
        if len(strange) == len(part.titles):
            continue  # other words for all of them: their order decides
        if strange:
            found = f"the title “{strange[0][:60]}”, which {texts[0].file} does not have"
            raise InputError(part.file, found, "its titles", "Give both files a column of ids, or the same titles.")
        part.rename("doc_id", {str(n): known[_folded(title)] for n, title in enumerate(part.titles, 1)})
        part.counted = 0
        whose = f"have the ids of {texts[0].file}" if texts else "are counted"
        one = Note("info", part.file, f"Documents {whose}, by their titles.")
        notes += [one] if one not in notes else []


def _titles(part: Part) -> list[str]:
    return [title or "" for title in part.table["title"].to_pylist()]


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())


def _are_names(titles: Sequence[str]) -> bool:
    """Tell titles that are there for every document, each once."""
    return len(titles) > 0 and all(map(str.strip, titles)) and len(set(map(_folded, titles))) == len(titles)


def label(parts: Sequence[Part], notes: list[Note]) -> None:
    """Call every concept whose phrase is only its identifier as others call it, the gold standard before systems.

    Runs of identifiers and a gold standard of labels then meet by phrase too, and a reader sees words.
    """
    known = [part for part in parts if part.role in ("gold", "system") and "concept" in part.table.column_names]
    alone = [pc.fill_null(pc.equal(part.table["phrase"], part.table["concept"]), False) for part in known]
    if not any(pc.any(bare).as_py() for bare in alone):
        return
    labels = dict[str, str]()
    for part, bare in sorted(zip(known, alone, strict=True), key=lambda pair: pair[0].role != "gold"):
        pairs = part.table.select(["concept", "phrase"]).filter(pc.invert(bare)).drop_null()
        for pair in pairs.group_by(["concept", "phrase"], use_threads=False).aggregate([]).to_pylist():
            labels.setdefault(pair["concept"], pair["phrase"])
    for part, bare in zip(known, alone, strict=True):
        coded = part.table["concept"].combine_chunks().dictionary_encode()
        found = pa.array([labels.get(concept) for concept in coded.dictionary.to_pylist()], pa.large_string())
        called = pc.and_(bare, pc.is_valid(found.take(coded.indices)))
        if count := pc.sum(called).as_py():
            part.put("phrase", pc.if_else(called, found.take(coded.indices), part.table["phrase"]))
            said = f"Identifiers called by the label that another file has for them: {count:,}."
            notes.append(Note("info", part.file, said))


def settle(parts: Sequence[Part], fixes: Sequence[str], notes: list[Note]) -> pd.DataFrame:
    """Name the sources of all rows, apply the fixes, refuse lists that are there twice; return the empty lists.

    An empty list is a row of role, source (annotator or system) and doc_id.
    """
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
                    remedy = "Give each file its own name (NAME=PATH)."
                    raise InputError(part.file, found, "each system name once", remedy)
    for fix in fixes:
        _fix_ids(parts, fix, notes)
    for role in ("system", "gold"):
        _keep_apart([part for part in parts if part.role == role], notes)
    return _settle_lists(parts, fixes, notes)


def _name_by_files(parts: Sequence[Part], fixes: Sequence[str]) -> None:
    """Name files of one name in different folders by their paths, and strip what all names have in common if asked."""
    _name_runs(parts)
    owners: dict[str, set[tuple[int, int]]] = {}
    for part in parts:
        owners.setdefault(part.name, set()).add(part.origin)
    for part in parts:
        folder, slash, _ = part.file.rpartition("/")
        if len(owners[part.name]) > 1 and slash:
            part.name = f"{folder}/{stem_of(part.file)}"
    if "strip-common" in fixes:
        for part, name in zip(parts, without_common([part.name for part in parts]), strict=True):
            part.name = name


#: The name of a file of one run: a number, with a word for runs before it or not.
_RUN = re.compile(r"(?:seed|run|replicate|lauf|rep|r|s)?[-_ ]?\d+", re.IGNORECASE)


def _name_runs(parts: Sequence[Part]) -> None:
    """Name the files of runs after the folder of their system, as in `systems/bart/seed1.jsonl`."""
    folders: dict[str, list[Part]] = {}
    for part in parts:
        folder = part.file.rpartition("/")[0].rpartition("/")[2]
        if part.role == "system" and folder and plain(folder) not in SYSTEM_FOLDERS:
            folders.setdefault(part.file.rpartition("/")[0], []).append(part)
    for path, own in folders.items():
        runs = {part.name: part.origin for part in own if _RUN.fullmatch(part.name)}
        if len(runs) > 1 and len(set(runs.values())) == len(runs) == len(own):
            for part in own:
                part.name = f"{path.rpartition('/')[2]}#{part.name}"


def _name_sources(part: Part, default: str) -> None:
    """Give every row and list a source: the column's, else the default; a name that the user gave stands before."""
    if part.lists is not None:
        part.lists = part.lists.assign(source=part.lists["source"].fillna(default))
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


def _keep_apart(parts: Sequence[Part], notes: list[Note]) -> None:
    """Name annotators by their files where several tell of one annotator and document; refuse that of a system."""
    tables = [part for part in parts if part.lists is None]
    names = [name for part in tables for name in part.sources]
    if len(set(names)) == len(names):
        return
    every = pd.concat([_pairs(part).assign(part=number) for number, part in enumerate(tables)])
    again = every[every.duplicated(["source", "doc_id"], keep=False)]
    for name, numbers in again.groupby("source", sort=False)["part"]:
        several = [tables[number] for number in numbers.unique()]
        files = list(dict.fromkeys(part.file for part in several))
        found = f"lists of “{name}” for the same documents in {' and '.join(files[:3])}"
        if len(files) < len(several) or several[0].role == "system":
            raise InputError(several[-1].file, found, "one list a document", "Give them different names.")
        for part in several:
            part.rename("source", {str(name): f"{stem_of(part.file)}/{name}"})
        kept = ", ".join(f"{stem_of(file)}/{name}" for file in files[:3])
        notes.append(Note("warning", "annotators", f"There are {found}; they are kept apart as {kept}."))


def _pairs(part: Part) -> pd.DataFrame:
    """Return the documents of every source, once each."""
    keys = ["source", "doc_id"]
    return part.table.select(keys).group_by(keys).aggregate([]).to_pandas()


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
    notes.append(Note("info", "ids", f"The fix “{fix}” changed {pluralize(len(changed), 'id')}."))


def _settle_lists(parts: Sequence[Part], fixes: Iterable[str], notes: list[Note]) -> pd.DataFrame:
    """Keep one list a document of everybody, or merge them; return those without a phrase."""
    listed = [part for part in parts if part.lists is not None and part.role in ("gold", "system")]
    if not listed:
        return empty_table("empty")
    every = pd.concat([part.lists.assign(role=part.role, part=n) for n, part in enumerate(listed)])  # type: ignore[union-attr]
    again = every.duplicated(_LIST)
    if again.any() and not {"keep-first", "merge"} & set(fixes):
        second = every[again].iloc[0]
        first = every[(every[_LIST] == second[_LIST]).all(axis=1)].iloc[0]
        found = f"document “{second['doc_id']}” of “{second['source']}” again, first {_place(first)}"
        remedy = "Remove one of them, or choose a fix: keep-first or merge."
        raise InputError(_place(second), found, "each document once", remedy)
    if again.any():
        done = "the first was kept" if "keep-first" in fixes else "they were merged"
        one, several = f"document was there twice; {done}.", f"documents were there twice; {done}."
        notes.append(Note.counting("warning", "lists", int(again.sum()), one, several))
    every = every[~again] if "keep-first" in fixes else every
    empty = []
    for number, part in enumerate(listed):
        of_row, part.lists = part.table["list"].to_numpy(), every[every["part"] == number]
        empty.append(part.lists[~part.lists.index.isin(of_row)])
        if again.any():
            part.table = part.table.filter(pa.array(np.isin(of_row, part.lists.index)))
        part.table = part.table.drop_columns(["list"])
    hollow = pd.concat(empty)[_LIST].drop_duplicates()
    if not len(hollow):
        return hollow
    filled = pd.concat([_pairs(part).assign(role=part.role) for part in listed])[_LIST]
    return hollow[~pd.MultiIndex.from_frame(hollow).isin(pd.MultiIndex.from_frame(filled))]


def _place(row: pd.Series) -> str:
    return f"{row['file']}, line {row['line']}" if row["line"] else str(row["file"])
