"""Turn opened files and tables in memory into checked rows, or ask all open questions at once."""

from __future__ import annotations

from collections import abc
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Reading, Role
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.inputs import Given, Opened, Wishes, dict_rows, frame_table, mapping_of
from kp_core.reading.lists.family import Recognition, family_named
from kp_core.reading.lists.sniff import Asked, chosen_role, lines_of_lists, mapping_in_format, recognise, settle_roles
from kp_core.reading.meaning.layout import Layout
from kp_core.reading.meaning.layouts import layout_from_mapping, layout_of
from kp_core.reading.meaning.mapping import FILE, Mapping
from kp_core.reading.meaning.prefill import column_with_ids
from kp_core.reading.meaning.question import Form
from kp_core.reading.open.source import Bundle, fingerprint, stem_of
from kp_core.reading.open.values import distinct
from kp_core.reading.rows import sense
from kp_core.reading.rows.apply import rows_of
from kp_core.reading.rows.check import Part, Rows, check, refuse_if_mostly_rejected


@dataclass(frozen=True)
class Read:
    """The checked rows of one reading, with its entry in the report, or None and a note if nothing was read."""

    reading: Reading | None
    parts: tuple[Part, ...]
    notes: tuple[Note, ...] = ()
    recognition: Recognition | None = None
    opened: Opened | None = None

    def entries(self, in_use: pa.Array) -> list[Reading]:
        """Return the entry of the report with sources and the number of documents used, if anything was read."""
        if self.reading is None:
            return []
        judged = self.reading.role == "judgements"
        parts = [part for part in self.parts if part.role == self.reading.role]
        beside = [part for part in self.parts if self.reading.role == "gold" and part.role == "system"]
        every = (distinct(part.table["annotator"]) if judged else part.every_source() for part in parts)
        systems = dict.fromkeys(name for part in beside for name in part.every_source())
        whose = dict.fromkeys(chain.from_iterable(every))
        reading = replace(self.reading, whose=tuple(whose), systems=tuple(systems))
        if judged:
            return [reading]
        ids = pc.unique(pa.chunked_array([part.ids() for part in parts], pa.large_string()))
        return [replace(reading, documents=pc.sum(pc.is_in(ids, in_use)).as_py() or 0)]


def read_all(given: Sequence[Given], opened: Sequence[Opened], wishes: Wishes, notes: list[Note]) -> list[Read]:
    """Return the readings of all inputs in order; ask all open questions at once."""
    asked, recognitions = Asked(), list[tuple[Opened, Recognition]]()
    looks = [_recognised(group) for group in opened]
    lines = {size for recognised, _, _ in looks for size in map(lines_of_lists, recognised) if size}
    for group, (recognised, within, left_out) in zip(opened, looks, strict=True):
        if within and lines:
            recognised, within, left_out = _recognised(group, lines)
        asked.add(within)
        level: Any = "warning" if group.bundle.loose or not group.bundle.folder else "info"
        notes += [Note(level, file, f"Left out: {what}.") for file, what in left_out.items()]
        unused = (file.name for file in group.files if file.mapping.role == "leave out")
        ignored = (*group.bundle.ignored, *left_out, *unused)
        for recognition in recognised:  # the first file of a folder reports its ignored files
            recognitions.append((replace(group, bundle=replace(group.bundle, ignored=ignored)), recognition))
            ignored = ()
    if alike := _alike(asked.forms, recognitions):
        for file, (other, _) in alike.items():
            notes.append(Note("info", file, f"It is read like {other}, which has the same columns."))
        return read_all(given, [_with_mappings(group, alike) for group in opened], wishes, notes)
    settled = list[tuple[Opened, Recognition]]()
    for item in given:
        readings = [(group, reading) for group, reading in recognitions if group.given is item]
        roles = settle_roles([reading for _, reading in readings], notes, asked)
        settled += [(group, role) for (group, _), role in zip(readings, roles, strict=True)]
    if asked:
        raise asked.question()
    read = list[Read]()
    for item in given:
        tables = (table for table in item.tables if isinstance(table, (pd.DataFrame, abc.Mapping)))
        read += [_in_memory(table, item, wishes) for table in tables]
        read += [_of_files(group, reading, wishes, asked) for group, reading in settled if group.given is item]
    if asked:
        raise asked.question()
    return _with_matching_ids(read, wishes)


def _recognised(group: Opened, lines: Collection[int] = ()) -> tuple[list[Recognition], Asked, dict[str, str]]:
    """Recognize files; return also the open questions, and the files without data with the reason.

    lines  numbers of lines of other files whose line n is document n
    """
    asked, left_out = Asked(), dict[str, str]()
    kept = [file for file in group.files if file.mapping.role != "leave out"]
    among = group.bundle.folder or (group.given.role is None and len(kept) > 1)
    recognised = recognise(kept, group.given.role, asked, left_out if among else None, lines)
    asked.forms = [_inside(form, group.bundle) for form in asked.forms]
    return recognised, asked, left_out


def _inside(form: Form, bundle: Bundle) -> Form:
    return form if bundle.loose or not bundle.folder else replace(form, file=f"{bundle.name}/{form.file}")


def _alike(forms: Sequence[Form], recognitions: Sequence[tuple[Opened, Recognition]]) -> dict[str, tuple[str, Mapping]]:
    """Return file in question → a file with the same columns that the user has mapped, with its mapping."""
    mappings = {}
    for _, reading in recognitions:
        file, layout = reading.files[0], next(iter(reading.plan), None)
        if isinstance(layout, Layout) and file.mapping.names_columns:
            mappings[tuple(layout.table.names)] = file.name, file.mapping
    return {form.file: mappings[heads] for form in forms if (heads := tuple(form.columns)) in mappings}


def _with_mappings(group: Opened, alike: abc.Mapping[str, tuple[str, Mapping]]) -> Opened:
    mappings = {name: mapping for name, (_, mapping) in alike.items()}
    meant = [mapping_of(file.source, group.bundle, mappings) for file in group.files]
    files = (file.meaning(new) if new != Mapping() else file for file, new in zip(group.files, meant, strict=True))
    return replace(group, files=tuple(files))


def _with_matching_ids(read: Sequence[Read], wishes: Wishes) -> list[Read]:
    """Read tables by another column of ids if the first one matches no other file."""
    if len(read) < 2:
        return [*read]
    tables = [
        [part for part in item.parts if "doc_id" in part.table.column_names and not part.counted] for item in read
    ]
    documents = [[set(part.ids().to_pylist()) for part in parts] for parts in tables]
    others = ([*chain.from_iterable(documents[:n] + documents[n + 1 :])] for n in range(len(read)))
    return [_with_matching_id(item, ids, wishes) for item, ids in zip(read, others, strict=True)]


def _with_matching_id(read: Read, others: Sequence[set[str]], wishes: Wishes) -> Read:
    if read.recognition is None or read.opened is None or len(read.recognition.plan) != 1:
        return read
    layout, file = read.recognition.plan[0], read.recognition.files[0]
    if not isinstance(layout, Layout) or file.mapping.names_columns or layout.kind not in ("long", "lists", "wide"):
        return read
    name = column_with_ids(layout.table, layout.mapping, layout.ids().to_pylist(), others) if others else None
    if name is None:
        return read
    said = f"documents are identified by “{name}”, which matches another file"
    meant = layout_from_mapping(layout.table, replace(layout.mapping, document=name), layout.role)
    changes: dict[str, Any] = {"evidence": f"{layout.evidence}; {said}", "mapping": meant.mapping}
    columns = {**read.recognition.columns, "doc_id": name}
    again = _of_files(
        read.opened, replace(read.recognition, plan=(meant,), columns=columns, **changes), wishes, Asked()
    )
    return replace(again, notes=(*again.notes, Note("info", file.name, f"{said[:1].upper()}{said[1:]}.")))


def _in_memory(item: Any, given: Given, wishes: Wishes) -> Read:
    role: Role = given.role or "gold"
    shown = given.name or role
    mapping, columns = wishes.mappings.get(shown, Mapping()), dict[str, str]()
    if isinstance(item, pd.DataFrame):
        table = frame_table(item, shown, wishes.limits)
        layout = layout_of(table, role, Mapping(fill_down="no").merged(mapping))
        if layout is None:
            found = f"the columns {', '.join(table.names[:10]) or '(none)'}"
            expected = f"columns doc_id and {'text' if role == 'documents' else 'phrase'}"
            raise InputError(shown, found, expected, "Rename them, or name their roles.")
        rows, evidence, columns, family = rows_of(layout, role), layout.evidence, layout.columns, "DataFrame"
    else:
        (rows, evidence), family = dict_rows(item, role, shown, mapping, wishes.limits), "dictionary"
    reading = Reading(shown, 0, role, family, evidence, columns=columns, line_ends="none")
    origin = (id(given), id(item)) if given.name is None else (id(given), 0)
    return _checked(rows, reading, shown, origin, mapping, given, wishes)


def _of_files(item: Opened, recognition: Recognition, wishes: Wishes, asked: Asked) -> Read:
    """Read one file or group if it has the requested role, and ask about suspicious content."""
    bundle, files, first = item.bundle, recognition.files, recognition.files[0]
    wanted = chosen_role(first) or item.given.role
    texts_beside = recognition.role == "documents" and "documents" not in wishes.files
    if wanted not in (None, recognition.role) and not texts_beside:
        what = f"{pluralize(len(files), 'file')}, {recognition.evidence}"
        return Read(None, (), (Note("info", bundle.name, f"Left out, because {wanted} was asked for: {what}."),))
    family, several = family_named(recognition.family), len(files) > 1
    # One file may hold the gold standard and systems, and be given for both.
    elsewhere = {role for role, names in wishes.files.items() if first.name in names and role != item.given.role}
    rows = [part for part in family.read(recognition, wanted) if part.role not in elsewhere]
    texts = [file.decoded for file in files] if several or "decoded" in vars(first) else []
    reading = Reading(
        bundle.name if several else first.name,
        sum(len(file.source.data) for file in files),
        recognition.role,
        recognition.family,
        recognition.evidence,
        " + ".join(dict.fromkeys(text.encoding for text in texts)) or "binary",
        " + ".join(dict.fromkeys(text.line_ends for text in texts if text.line_ends != "none")) or "none",
        any(text.bom for text in texts),
        columns=dict(recognition.columns),
        files=len(files),
        sha256=fingerprint(file.source.data for file in files),
        ignored=bundle.ignored,
        mapping=str(recognition.mapping or ("" if recognition.plan else mapping_in_format(recognition))),
    )
    group_is_one, in_folder = family.GROUP_IS_ONE, bundle.folder or bundle.loose
    is_document = recognition.mapping is not None and recognition.mapping.document == FILE
    name = stem_of(bundle.name if in_folder and (several or group_is_one or is_document) else first.name)
    if several and group_is_one and not in_folder:  # uploads have no folder name
        name = first.suffix.removeprefix(".") or name
    apart = (item.given.name is None or bundle.folder) and not is_document
    origin = (id(item.given), id(recognition) if apart else 0)
    read = _checked(rows, reading, name, origin, first.mapping, item.given, wishes)
    for doubt in (doubt for part in read.parts if (doubt := sense.doubt_of(part, recognition)) is not None):
        if isinstance(doubt, Form):
            asked.forms.append(_inside(doubt, bundle))
        else:
            asked.findings.append(doubt)
    notes = tuple(note for text in texts for note in text.notes)
    return replace(read, recognition=recognition, opened=item, notes=notes)


def _checked(
    rows: Sequence[Rows],
    reading: Reading,
    name: str,
    origin: tuple[int, int],
    mapping: Mapping,
    given: Given,
    wishes: Wishes,
) -> Read:
    """Check the rows of one reading, count them in its report, and return the requested ones.

    name  name of the source by default
    """
    unasked = "documents" in wishes.files and given.role not in (None, "documents")
    checked = [check(part, reading.file, wishes.limits) for part in rows if not (part.role == "documents" and unasked)]
    refuse_if_mostly_rejected(reading.file, checked, wishes.limits, strict=wishes.strict)
    # Texts and judgements in the same table would count its rows again.
    first = [part for part in checked if part.role == checked[0].role]
    reading = replace(
        reading,
        rows_read=sum(part.read for part in first),
        rows_loaded=sum(len(part.table) for part in first),
        rows_rejected=sum(len(part.rejected) for part in first),
        rows_blank=sum(part.blank for part in first),
    )
    whose: dict[str, Any] = {"name": given.name or name, "name_given": given.name is not None}
    parts = [Part(**vars(part), **whose, file=reading.file, origin=origin, mapping=mapping) for part in checked]
    return Read(reading, tuple(parts))
