"""Turn paths, uploads, DataFrames and dictionaries into one Corpus, or into one clear refusal or question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

import pandas as pd

from kp_core.corpus import Corpus, Reading, Role
from kp_core.errors import InputError, Note, UsageError, counted
from kp_core.reading import sense
from kp_core.reading.assemble import assemble
from kp_core.reading.check import check, refuse_if_mostly_rejected
from kp_core.reading.families import family_named
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.identifiers import id_fix
from kp_core.reading.in_memory import dict_rows, frame_table
from kp_core.reading.layout_rows import Layout, rows_of
from kp_core.reading.layouts import layout_of
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.settle import align
from kp_core.reading.sniff import recognise, settle_roles
from kp_core.reading.source import Bundle, Source, expand, fingerprint, stem_of, together

#: What may be given for a role: a path, an upload, a table, or a dictionary of lists.
Item: TypeAlias = str | Path | Source | pd.DataFrame | Mapping[Any, Any]


@dataclass
class _Loading:
    """The state of one call: what was decided, and what has been read so far."""

    choices: dict[str, Choice]
    encoding: str | None
    strict: bool
    fixes: tuple[str, ...]
    limits: Limits
    texts_given: bool
    parts: list[Rows] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    size: int = 0
    origins: int = 0
    met: set[str] = field(default_factory=set)
    seen: dict[tuple[Role | None, int, int], str] = field(default_factory=dict)


def load(
    gold: Item | Sequence[Item] | None = None,
    systems: Item | Sequence[Item] | None = None,
    documents: Item | Sequence[Item] | None = None,
    judgements: Item | Sequence[Item] | None = None,
    *,
    files: Item | Sequence[Item] | None = None,
    roles: Mapping[str, Choice | Role] | None = None,
    encoding: str | None = None,
    strict: bool = False,
    fixes: Iterable[str] = (),
    limits: Limits = LIMITS,
) -> Corpus:
    """Read a gold standard, system outputs, texts and judgements into one corpus, with a report on the reading.

    Each is a path (file, folder, zip), a `Source`, a DataFrame, a dictionary {document: [phrase, …]}, or a list of
    these; `systems` and `gold` may also be {name: any of these}. `files` are unsorted: their roles are guessed.
    `roles` says what a file is: {file name: "system"} or a `Choice`; what is said of a folder or archive holds for
    everything in it. `encoding` is that of files that are not UTF-8. Raises `InputError` on data that are refused,
    and `Question` where a reading is not certain: `roles` or `fixes` then take one of its answers.

    >>> corpus = load(gold={"d1": ["tide", "sea"]}, systems={"yake": {"d1": [("tide", 0.1), ("moon", 0.4)]}})
    >>> corpus.runs[["system", "doc_id", "rank", "phrase"]].values.tolist()
    [['yake', 'd1', 1, 'tide'], ['yake', 'd1', 2, 'moon']]
    """
    for fix in (fixes := tuple(fixes)):
        id_fix(fix)
    choices = {name: _choice(value) for name, value in (roles or {}).items()}
    by_role: dict[Role | None, list[tuple[str | None, list[Any]]]] = {
        "gold": list(_named(gold, "gold")),
        "documents": list(_named(documents, "documents")),
        "system": list(_named(systems, "system")),
        "judgements": list(_named(judgements, "judgements")),
        None: list(_named(files, None)),
    }
    state = _Loading(choices, encoding, strict, fixes, limits, documents is not None)
    for role, given in by_role.items():
        for name, items in given:
            _read(state, items, role, name)
    if not state.parts:
        if state.met:
            raise InputError("the files", "nothing that is used", "keyphrases, texts or judgements", "Load some.")
        raise UsageError("nothing to load: give gold=, systems=, documents=, judgements= or files=")
    if unknown := [name for name in choices if name not in state.met]:
        raise UsageError(f"something was chosen for '{unknown[0]}', and no file has this name; write it as it is")
    align(state.parts, state.notes)
    silent = [name for name, _ in by_role["system"] if name and not any(part.name == name for part in state.parts)]
    corpus = assemble(state.parts, state.readings, fixes, limits, state.notes, silent)
    notes = (*corpus.report.notes, *sense.notes(corpus))
    return replace(corpus, report=replace(corpus.report, notes=notes))


def _choice(value: Choice | Role) -> Choice:
    if isinstance(value, Choice):
        return value
    if value not in get_args(Role):
        raise UsageError(f"there is no role '{value}'; choose among: {', '.join(get_args(Role))}")
    return Choice(role=value)


def _named(given: Any, role: Role | None) -> Iterator[tuple[str | None, list[Any]]]:
    """Give the items of a role that belong together, under the name that they were given, or under none."""
    if given is None:
        return
    if not isinstance(given, Mapping) or not _is_named(given, role):
        yield None, list(given) if isinstance(given, (list, tuple)) else [given]
        return
    if role == "system" and given and all(_is_list_of_phrases(item) for item in given.values()):
        remedy = "Put the lists under the name of a system."
        raise InputError("systems", "a dictionary of lists", "{system: {document: [phrase, …]}}", remedy)
    for name, item in given.items():
        yield str(name), list(item) if isinstance(item, (list, tuple)) else [item]


def _is_list_of_phrases(item: Any) -> bool:
    return isinstance(item, (list, tuple)) and all(isinstance(one, str) and not Path(one).exists() for one in item)


def _is_named(given: Mapping[Any, Any], role: Role | None) -> bool:
    """Tell {name: lists, path or table} from {document: list}."""
    if role != "gold" or not given:
        return role == "system"
    values = list(given.values())
    nested = all(isinstance(v, Mapping) and v and all(isinstance(x, (list, tuple)) for x in v.values()) for v in values)
    return nested or all(_is_file(v) for v in values)


def _is_file(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(one, (Path, Source, pd.DataFrame)) for one in value)
    return isinstance(value, (str, Path, Source, pd.DataFrame))


def _read(state: _Loading, items: list[Any], role: Role | None, name: str | None) -> None:
    """Read what was given for one role, or under one name, in order."""
    state.origins += 1
    if name is not None:
        state.met.add(name)
    on_disk = [item for item in items if isinstance(item, (str, Path, Source))]
    for item in items:
        if isinstance(item, pd.DataFrame) or (isinstance(item, Mapping) and role is not None):
            _read_memory(state, item, role or "gold", name)
        elif not isinstance(item, (str, Path, Source)):
            kind, where = f"something of type {type(item).__name__}", name or role or "files"
            raise InputError(where, kind, "a path, Source, DataFrame or dictionary", "Give one of these.")
    bundles = [_expand(state, item) for item in on_disk]
    bundles = together(on_disk, bundles) if role is None or len(on_disk) > 1 else bundles
    found: list[tuple[Bundle, Recognition]] = []
    for bundle in bundles:
        files = [_file(state, bundle, source) for source in bundle.files]
        if not bundle.folder and name is None:
            _look_for_twins(state, role, bundle)
        left_out: dict[str, str] = {}
        kept = [file for file in files if file.choice.use != "no"]
        recognised = recognise(kept, role, left_out if bundle.folder else None)
        state.notes += [Note("info", file, f"Left out: {what}.") for file, what in left_out.items()]
        unused = (file.name for file in files if file.choice.use == "no")
        bundle = replace(bundle, ignored=(*bundle.ignored, *left_out, *unused))
        found += [(bundle, recognition) for recognition in recognised]
    settled = settle_roles([recognition for _, recognition in found], state.notes)
    for (bundle, _), recognition in zip(found, settled, strict=True):
        _read_recognised(state, bundle, recognition, role, name)


def _expand(state: _Loading, item: str | Path | Source) -> Bundle:
    """Unpack a path or upload; what was decided under its full path holds under its name."""
    bundle = expand(item, state.limits)
    state.size += sum(len(source.data) for source in bundle.files)
    refuse_over(state.limits.session_bytes, state.size, "bytes", bundle.name, "files")
    if not bundle.files:
        left_out = f" (left out: {', '.join(bundle.ignored[:3])})" if bundle.ignored else ""
        raise InputError(bundle.name, f"no file to read{left_out}", "at least one file", "Check the folder or archive.")
    given = (item.name,) if isinstance(item, Source) else (str(item), Path(item).name)
    state.met |= {bundle.name, *given}
    for one in filter(state.choices.__contains__, given):
        state.choices[bundle.name] = state.choices[one]
    return bundle


def _file(state: _Loading, bundle: Bundle, source: Source) -> File:
    """Return a file that knows what was decided about it, or about the folder or archive that it is in."""
    names = (source.name, source.name.rsplit("/", 1)[-1], bundle.name)
    state.met |= {*names}
    choice = next((state.choices[name] for name in names if name in state.choices), Choice())
    twice = next((fix for fix in ("keep-first", "merge") if fix in state.fixes), "refuse")
    return File(source, state.limits, state.encoding, strict=state.strict, twice=twice, choice=choice)


def _look_for_twins(state: _Loading, role: Role | None, bundle: Bundle) -> None:
    """Refuse a file that is given twice, and say where two files are the same."""
    for source in bundle.files:
        # Of a file its hash is kept and not its bytes, which may be gone when the next is read.
        key = (role, len(source.data), hash(source.data))
        if key not in state.seen:
            state.seen[key] = source.name
        elif state.seen[key] == source.name:
            raise InputError(source.name, "the same file again", "each file once", "Leave it out the second time.")
        elif source.data:
            text = f"The file is the same, byte by byte, as {state.seen[key]}."
            state.notes.append(Note("warning", source.name, text))


def _read_memory(state: _Loading, item: Any, role: Role, name: str | None) -> None:
    shown = name or role
    state.met.add(shown)
    choice = state.choices.get(shown, Choice())
    columns: dict[str, str] = {}
    if isinstance(item, pd.DataFrame):
        found, family = _frame_layout(item, role, shown, choice, state.limits), "DataFrame"
        rows, evidence, columns = rows_of(found, role), found.evidence, found.columns
    else:
        (rows, evidence), family = dict_rows(item, role, shown, choice, state.limits), "dictionary"
    if name is None:
        state.origins += 1
    reading = Reading(shown, 0, role, family, evidence, columns=columns, line_ends="none")
    _keep(state, rows, reading, name, shown, choice, role)


def _frame_layout(frame: pd.DataFrame, role: Role, name: str, choice: Choice, limits: Limits) -> Layout:
    """Return how a DataFrame is read; merged cells are cells of spreadsheets, so nothing is filled down unasked."""
    table = frame_table(frame, name, limits)
    found = layout_of(table, role, replace(choice, options={"fill_down": "no", **choice.options}))
    if found is None:
        shown = f"the columns {', '.join(table.names[:10]) or '(none)'}"
        expected = f"columns doc_id and {'text' if role == 'documents' else 'phrase'}"
        raise InputError(name, shown, expected, "Rename them, or name their roles.")
    return found


def _read_recognised(
    state: _Loading, bundle: Bundle, recognition: Recognition, asked: Role | None, name: str | None
) -> None:
    role, files = recognition.role, recognition.files
    if asked not in (None, role) and not (role == "documents" and not state.texts_given):
        what = f"{counted(len(files), 'file')}, {recognition.evidence}"
        state.notes.append(Note("info", bundle.name, f"Left out, because {asked} was asked for: {what}."))
        return
    first, family, several = files[0], family_named(recognition.family), len(files) > 1
    rows = family.read(recognition, asked)
    state.notes += [note for file in files for note in file.notes_on_repeats()]
    texts = [file.decoded for file in files] if several or "decoded" in vars(first) else []
    state.notes += [note for text in texts for note in text.notes]
    reading = Reading(
        bundle.name if several else first.name,
        sum(len(file.source.data) for file in files),
        role,
        recognition.family,
        recognition.evidence,
        " + ".join(dict.fromkeys(text.encoding for text in texts)) or "binary",
        " + ".join(dict.fromkeys(text.line_ends for text in texts if text.line_ends != "none")) or "none",
        any(text.bom for text in texts),
        columns=dict(recognition.columns),
        files=len(files),
        sha256=fingerprint(file.source.data for file in files),
        ignored=bundle.ignored if not any(r.ignored == bundle.ignored for r in state.readings) else (),
    )
    if name is None or bundle.folder:
        state.origins += 1
    grouped = (bundle.folder or bundle.loose) and (several or getattr(family, "GROUP_IS_ONE", False))
    suggested = stem_of(bundle.name if grouped else first.name)
    if several and not grouped and getattr(family, "GROUP_IS_ONE", False):  # uploads have no folder to name them
        suggested = first.suffix.removeprefix(".") or suggested
    for one in _keep(
        state, rows, reading, name, suggested, first.choice, asked, "" if several or not texts else first.text
    ):
        sense.ask(one, recognition)


def _keep(
    state: _Loading,
    rows: list[Rows],
    reading: Reading,
    name: str | None,
    suggested: str,
    choice: Choice,
    asked: Role | None,
    text: str = "",
) -> list[Rows]:
    """Check the rows of one reading, count them in its report, keep those that are wanted, and return these.

    name, suggested  what the user called it, and what it is called otherwise
    """
    unasked = state.texts_given and asked not in (None, "documents")
    checked = []
    for one in (one for one in rows if not (one.role == "documents" and unasked)):
        one = replace(one, file=reading.file, name=name or suggested, name_given=name is not None)
        checked.append(check(replace(one, origin=state.origins, choice=choice), state.limits, text))
    refuse_if_mostly_rejected(reading.file, checked, state.limits, strict=state.strict)
    if checked:
        # Sheets of one workbook are parts of one reading; texts and judgements beside them are rows again.
        own = [one for one in checked if one.role == checked[0].role]
        loaded, rejected = sum(len(one.table) for one in own), sum(len(one.rejected) for one in own)
        blank = sum(one.blank for one in own)
        reading = replace(reading, rows_read=loaded + rejected + blank, rows_loaded=loaded)
        reading = replace(reading, rows_rejected=rejected, rows_blank=blank)
    state.readings.append(reading)
    state.parts += checked
    return checked
