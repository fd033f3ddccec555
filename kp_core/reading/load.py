"""Turn paths, uploads, DataFrames and dictionaries into one Corpus, or into one clear refusal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import pandas as pd

from kp_core.corpus import Corpus, Ranking, Reading, Role
from kp_core.errors import InputError, Note, UsageError, counted
from kp_core.reading.alignment import align
from kp_core.reading.assemble import assemble
from kp_core.reading.check import check, refuse_if_mostly_rejected
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.frames import dict_rows, frame_rows
from kp_core.reading.identifiers import id_fix
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.settle import Part
from kp_core.reading.sniff import family_named, name_of, recognise, settle_roles
from kp_core.reading.source import Bundle, Source, expand, stem_of, together

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
    texts_given: bool = False
    parts: list[Part] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    bytes: int = 0
    origins: int = 0
    met: set[str] = field(default_factory=set)


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
    `roles` says what a file is: {file name: "system"} or a `Choice`. Raises `InputError` on data that are refused.

    >>> corpus = load(gold={"d1": ["tide", "sea"]}, systems={"yake": {"d1": [("tide", 0.1), ("moon", 0.4)]}})
    >>> corpus.runs[["system", "doc_id", "rank", "phrase"]].values.tolist()
    [['yake', 'd1', 1, 'tide'], ['yake', 'd1', 2, 'moon']]
    """
    for fix in (fixes := tuple(fixes)):
        id_fix(fix)
    choices = {name: _choice(value) for name, value in (roles or {}).items()}
    state = _Loading(choices, encoding, strict, fixes, limits, texts_given=documents is not None)
    _read_all(state, gold, "gold")
    _read_all(state, documents, "documents")
    _read_all(state, systems, "system")
    _read_all(state, judgements, "judgements")
    _read_all(state, files, None)
    if not state.parts:
        raise UsageError("nothing to load: give gold=, systems=, documents=, judgements= or files=")
    if unknown := [name for name in choices if name not in state.met]:
        raise UsageError(f"something was chosen for '{unknown[0]}', and no file has this name; write it as it is")
    align(state.parts, state.notes)
    corpus = assemble(state.parts, state.readings, fixes, limits, state.notes)
    return _with_silent(corpus, systems)


def _with_silent(corpus: Corpus, systems: Any) -> Corpus:
    """Keep systems that were named but gave no list: they are scored as missing everywhere, and said to be so."""
    silent = [str(name) for name in systems if str(name) not in corpus.rankings] if isinstance(systems, Mapping) else []
    notes = [Note("warning", name, "This system was named, but there is no list of it.") for name in silent]
    known = {*corpus.rankings, *corpus.annotators, *silent}
    for reading in corpus.report.readings:
        if reading.role in ("gold", "system") and reading.rows_read == 0 and stem_of(reading.file) not in known:
            notes.append(Note("warning", reading.file, "The file holds no rows, so nothing of it is scored."))
    if not notes:
        return corpus
    report = replace(corpus.report, notes=(*corpus.report.notes, *notes))
    return replace(corpus, rankings=corpus.rankings | {name: Ranking() for name in silent}, report=report)


def _choice(value: Choice | Role) -> Choice:
    if isinstance(value, Choice):
        return value
    if value not in ("gold", "system", "documents", "judgements"):
        raise UsageError(f"there is no role '{value}'; choose among: gold, system, documents, judgements")
    return Choice(role=value)


def _read_all(state: _Loading, given: Any, role: Role | None) -> None:
    """Read everything given for one role, in order; with a dictionary of names, under these names."""
    if given is None:
        return
    if isinstance(given, Mapping) and _is_named(given, role):
        if role == "system" and given and all(_is_list_of_phrases(item) for item in given.values()):
            remedy = "Put the lists under the name of a system."
            raise InputError("systems", "a dictionary of lists", "{system: {document: [phrase, …]}}", remedy)
        for name, item in given.items():
            state.origins += 1
            state.met.add(str(name))
            if isinstance(item, (list, tuple)) and all(isinstance(one, (str, Path, Source)) for one in item):
                _read_bundles(state, together(item, [_expand(state, one) for one in item]), role, str(name))
                continue
            for one in item if isinstance(item, (list, tuple)) else [item]:
                _read_item(state, one, role, str(name))
        return
    items = list(given) if isinstance(given, (list, tuple)) else [given]
    state.origins += 1
    if role is None or (len(items) > 1 and all(isinstance(item, (str, Path, Source)) for item in items)):
        _read_bundles(state, together(items, [_expand(state, item) for item in items]), role, None)
        return
    for item in items:
        state.origins += 1
        _read_item(state, item, role, None)


def _is_list_of_phrases(item: Any) -> bool:
    return isinstance(item, (list, tuple)) and all(isinstance(one, str) and not Path(one).exists() for one in item)


def _is_named(given: Mapping[Any, Any], role: Role | None) -> bool:
    """Tell {name: lists, path or table} from {document: list}."""
    if role == "system":
        return True
    values = list(given.values())
    if role != "gold" or not values:
        return False
    nested = all(isinstance(v, Mapping) and v and all(isinstance(x, (list, tuple)) for x in v.values()) for v in values)
    return nested or all(_is_file(v) for v in values)


def _is_file(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(one, (Path, Source, pd.DataFrame)) for one in value)
    return isinstance(value, (str, Path, Source, pd.DataFrame))


def _read_item(state: _Loading, item: Any, role: Role | None, name: str | None) -> None:
    if isinstance(item, pd.DataFrame) or (isinstance(item, Mapping) and role is not None):
        _read_memory(state, item, cast(Role, role), name)
    elif isinstance(item, (str, Path, Source)):
        _read_bundles(state, [_expand(state, item)], role, name)
    else:
        found = f"something of type {type(item).__name__}"
        raise InputError(
            name or role or "files", found, "a path, Source, DataFrame or dictionary", "Give one of these."
        )


def _expand(state: _Loading, item: Any) -> Bundle:
    if not isinstance(item, (str, Path, Source)):
        raise InputError("files", f"something of type {type(item).__name__}", "a path or Source", "Name its role.")
    bundle = expand(item, state.limits)
    state.bytes += sum(len(source.data) for source in bundle.files)
    if state.bytes > state.limits.session_bytes:
        found = f"{state.bytes:,} bytes in all"
        raise InputError(bundle.name, found, f"at most {state.limits.session_bytes:,}", "Load fewer files.")
    if not bundle.files:
        left_out = f" (left out: {', '.join(bundle.ignored[:3])})" if bundle.ignored else ""
        raise InputError(bundle.name, f"no file to read{left_out}", "at least one file", "Check the folder or archive.")
    return bundle


def _read_memory(state: _Loading, item: pd.DataFrame | Mapping[Any, Any], role: Role, name: str | None) -> None:
    shown = name or role
    state.met.add(shown)
    choice = state.choices.get(shown, Choice())
    columns: dict[str, str] = {}
    if isinstance(item, pd.DataFrame):
        rows, evidence, columns = frame_rows(item, role, shown, choice, state.limits)
        family = "DataFrame"
    else:
        (rows, evidence), family = dict_rows(item, role, shown, choice, state.limits), "dictionary"
    reading = Reading(shown, 0, role, family, evidence, columns=columns, line_ends="none")
    _keep(state, rows, reading, shown, role, name, choice)


def _read_bundles(state: _Loading, bundles: list[Bundle], role: Role | None, name: str | None) -> None:
    """Recognise and read all files of some uploads together, so that a drop zone is understood as a whole."""
    found: list[tuple[Bundle, Recognition]] = []
    twice = next((fix for fix in ("keep-first", "merge") if fix in state.fixes), "refuse")
    for bundle in bundles:
        files = []
        state.met.add(bundle.name)
        for source in bundle.files:
            last = source.name.rsplit("/", 1)[-1]
            state.met |= {source.name, last}
            chosen = state.choices.get(source.name) or state.choices.get(last) or Choice()
            encoding = chosen.encoding or state.encoding
            files.append(File(source, state.limits, encoding, strict=state.strict, twice=twice, choice=chosen))
        left_out: dict[str, str] = {}
        recognised = recognise(files, role, left_out if bundle.folder else None)
        state.notes += [Note("info", name, f"Left out: {what}.") for name, what in left_out.items()]
        bundle = replace(bundle, ignored=(*bundle.ignored, *left_out))
        found += [(bundle, recognition) for recognition in recognised]
    said: list[str] = []
    settled = settle_roles([recognition for _, recognition in found], said)
    state.notes += [Note("warning", "roles", sentence) for sentence in said]
    for (bundle, _), recognition in zip(found, settled, strict=True):
        _read_recognised(state, bundle, recognition, role, name)


def _read_recognised(
    state: _Loading, bundle: Bundle, recognition: Recognition, asked: Role | None, name: str | None
) -> None:
    if (
        asked is not None
        and recognition.role != asked
        and not (recognition.role == "documents" and not state.texts_given)
    ):
        what = f"{counted(len(recognition.files), 'file')}, {recognition.evidence}"
        state.notes.append(Note("info", bundle.name, f"Left out, because {asked} was asked for: {what}."))
        return
    first = recognition.files[0]
    rows = family_named(recognition.family).read(recognition, asked)
    state.notes += [note for file in recognition.files for note in file.settled()]
    several = len(recognition.files) > 1
    texts = [file.decoded for file in recognition.files] if several or _is_text(recognition) else []
    for text in texts:
        state.notes.extend(text.notes)
    reading = Reading(
        bundle.name if several else first.name,
        sum(len(file.source.data) for file in recognition.files),
        recognition.role,
        recognition.family,
        recognition.evidence,
        " + ".join(dict.fromkeys(text.encoding for text in texts)) or "binary",
        " + ".join(dict.fromkeys(text.line_ends for text in texts if text.line_ends != "none")) or "none",
        any(text.bom for text in texts),
        columns=dict(recognition.columns),
        ignored=bundle.ignored if not any(r.ignored == bundle.ignored for r in state.readings) else (),
    )
    if name is None or bundle.folder:
        state.origins += 1
    default = name or name_of(recognition, bundle)
    _keep(state, rows, reading, default, asked, name, first.choice, text="" if several or not texts else first.text)


def _is_text(recognition: Recognition) -> bool:
    return all("decoded" in vars(file) for file in recognition.files)


def _keep(
    state: _Loading,
    rows: list[Rows],
    reading: Reading,
    default: str,
    asked: Role | None,
    name: str | None,
    choice: Choice,
    text: str = "",
) -> None:
    """Check the rows of one reading, count them in its report, and keep those that are wanted."""
    wanted = [
        part
        for part in rows
        if not (part.role == "documents" and state.texts_given and asked not in (None, "documents"))
    ]
    checked = [check(part, reading.file, state.limits, text) for part in wanted]
    refuse_if_mostly_rejected(reading.file, checked, state.limits, strict=state.strict)
    main = checked[:1]
    loaded = sum(len(part.table) for part in main)
    rejected, blank = sum(len(part.rejected) for part in main), sum(part.blank for part in main)
    reading = replace(
        reading, rows_read=loaded + rejected + blank, rows_loaded=loaded, rows_rejected=rejected, rows_blank=blank
    )
    state.readings.append(reading)
    for rows_part, part in zip(wanted, checked, strict=True):
        named, higher = name is not None, choice.higher_is_better
        one = Part(rows_part.role, reading.file, default, part, state.origins, named, higher)
        one.counted, one.names, one.in_one_file = rows_part.counted, rows_part.names, rows_part.places is None
        state.parts.append(one)
