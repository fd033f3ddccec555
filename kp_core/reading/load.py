"""Turn paths, uploads, DataFrames and dictionaries into one Corpus, or into one clear refusal or question."""

from __future__ import annotations

from collections import abc
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args

import pandas as pd

from kp_core.corpus import Corpus, Reading, Role, VocabularyTable
from kp_core.corpus import together as one_corpus
from kp_core.errors import InputError, Note, UsageError, counted, named, refuse_unless
from kp_core.reading import sense
from kp_core.reading.assemble import assemble
from kp_core.reading.check import check, refuse_if_mostly_rejected
from kp_core.reading.datasets import by_folder, names_in, question_of, without_dataset
from kp_core.reading.families import family_named
from kp_core.reading.family import File, Recognition
from kp_core.reading.fields import role_of_path
from kp_core.reading.identifiers import id_fix
from kp_core.reading.in_memory import as_pandas, dict_rows, frame_table
from kp_core.reading.labels import label
from kp_core.reading.layout import Layout
from kp_core.reading.layout_rows import rows_of
from kp_core.reading.layouts import layout_of
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.mapping import VALUES, Mapping
from kp_core.reading.meeting import column_that_meets
from kp_core.reading.question import Finding, Form, Question
from kp_core.reading.rows import Part, Rows
from kp_core.reading.settle import align
from kp_core.reading.sniff import Asked, lines_of_lists, mapping_in_format, recognise, role_said, settle_roles
from kp_core.reading.source import Bundle, Source, expand, fingerprint, stem_of, together
from kp_core.reading.vocabulary_tables import refuse_contradictions, table_of_vocabulary, vocabulary_of
from kp_core.typeset import storable

_ROLES: tuple[Role, ...] = get_args(Role)
#: What may be given for a role: a path, an upload, a table, or a dictionary of lists.
Item: TypeAlias = str | Path | Source | Bundle | pd.DataFrame | abc.Mapping[Any, Any]


@dataclass(frozen=True)
class _Wishes:
    """What holds for all files: what was decided about each, and how strictly they are read."""

    mappings: abc.Mapping[str, Mapping]
    encoding: str | None
    strict: bool
    fixes: tuple[str, ...]
    limits: Limits
    texts_given: bool


@dataclass(frozen=True)
class _Given:
    """What was given for one role, or under one name; `number` is its place among all that was given."""

    role: Role | None
    name: str | None
    items: tuple[Any, ...]
    number: int

    def on_disk(self) -> list[str | Path | Source | Bundle]:
        """Return what has bytes; the rest is in memory."""
        return [item for item in self.items if isinstance(item, (str, Path, Source, Bundle))]


@dataclass(frozen=True)
class _Opened:
    """Files that belong together, and what they were given as."""

    given: _Given
    bundle: Bundle
    files: tuple[File, ...]


@dataclass(frozen=True)
class _Read:
    """The rows of one reading, checked, with the entry of the report, and what makes no sense in them.

    reading  None where nothing was read, which a note says
    """

    reading: Reading | None
    parts: tuple[Part, ...]
    notes: tuple[Note, ...] = ()
    recognition: Recognition | None = None
    opened: _Opened | None = None
    asked: tuple[Finding | Form, ...] = ()


def load(
    gold: Item | Sequence[Item] | None = None,
    systems: Item | Sequence[Item] | None = None,
    documents: Item | Sequence[Item] | None = None,
    judgements: Item | Sequence[Item] | None = None,
    *,
    files: Item | Sequence[Item] | None = None,
    broader: Item | Sequence[Item] | None = None,
    frequencies: Item | Sequence[Item] | None = None,
    similar: Item | Sequence[Item] | None = None,
    vectors: Item | abc.Mapping[str, Sequence[float]] | None = None,
    directed: bool = False,
    mapping: abc.Mapping[str, Mapping | str] | None = None,
    encoding: str | None = None,
    strict: bool = False,
    fixes: Iterable[str] = (),
    limits: Limits = LIMITS,
) -> Corpus:
    """Read a gold standard, system outputs, texts and judgements into one corpus, with a report on the reading.

    Each is a path (file, folder, zip), a `Source`, a table of pandas, polars or Arrow, a dictionary {document:
    [phrase, …]}, or a list of these; `systems` and `gold` may also be {name: any of these}. `files` are unsorted: their
    roles are guessed. `broader` (columns child and parent) and `frequencies` (concept, n, and documents) are tables
    about phrases or concepts; `similar` (a, b and score from 0 to 1; directed: a prediction a is so similar to a
    keyphrase b) or `vectors` (Parquet, npz, word2vec text, {phrase: vector}) is the similarity `given`.
    A folder or archive may hold several data sets: a folder each, or a file each in the folders of gold and systems.
    `mapping` says what a file means: {file name: `Mapping`, or a role such as "system" or "leave out"}; what is said of
    a folder or archive holds for everything in it. `encoding` is that of files that are not UTF-8. Raises `InputError`
    on data that are refused, and `Question` if a meaning is not certain: `mapping` then takes those of its forms, and
    `mapping` and `fixes` those of its answers.

    >>> corpus = load(gold={"d1": ["tide", "sea"]}, systems={"yake": {"d1": [("tide", 0.1), ("moon", 0.4)]}})
    >>> corpus.runs[["system", "doc_id", "rank", "phrase"]].values.tolist()
    [['yake', 'd1', 1, 'tide'], ['yake', 'd1', 2, 'moon']]
    """
    for fix in (fixes := tuple(dict.fromkeys(fixes))):  # a workspace may name one many times
        id_fix(fix)
    corpus = _load(gold, systems, documents, judgements, files, mapping, encoding, strict, fixes, limits)
    tables: dict[VocabularyTable, Any] = {"broader": broader, "frequencies": frequencies, "similar": similar}
    corpus = _with_vocabulary(corpus, {**tables, "vectors": vectors}, limits, encoding, directed)
    refuse_contradictions(corpus.vocabulary)
    return corpus


def _with_vocabulary(
    corpus: Corpus,
    given: abc.Mapping[VocabularyTable, Any],
    limits: Limits,
    encoding: str | None,
    directed: bool = False,
) -> Corpus:
    """Return a corpus with further tables of its vocabulary, and what was understood of them in its report."""
    vocabulary, told = vocabulary_of(given, limits, encoding, directed)
    whole, report = corpus.vocabulary.with_tables(vocabulary), corpus.report
    readings, notes = (*report.readings, *told.readings), (*report.notes, *told.notes)
    return replace(corpus, vocabulary=whole, report=replace(report, readings=readings, notes=notes))


def _load(
    gold: Any,
    systems: Any,
    documents: Any,
    judgements: Any,
    files: Any,
    said: abc.Mapping[str, Mapping | str] | None,
    encoding: str | None,
    strict: bool,
    fixes: tuple[str, ...],
    limits: Limits,
) -> Corpus:
    """Return the corpus of all files but tables of a vocabulary that were given as such."""
    mappings = {name: _mapping(value) for name, value in (said or {}).items()}
    wishes = _Wishes(mappings, encoding, strict, fixes, limits, documents is not None)
    unsorted = [] if files is None else files if isinstance(files, (list, tuple)) else [files]
    every: dict[Role | None, Any] = {
        "gold": as_pandas(gold),
        "documents": as_pandas(documents),
        "system": as_pandas(systems),
        "judgements": as_pandas(judgements),
        None: as_pandas(unsorted) or None,
    }
    datasets = _chosen_datasets(every, mappings, limits) or _datasets_in(every, mappings, limits)
    if datasets:
        options: dict[str, Any] = {"encoding": encoding, "strict": strict, "fixes": fixes, "limits": limits}
        return _load_datasets(datasets, mappings, options)
    called = [(role, name, items) for role, given in every.items() for name, items in _named(given, role)]
    given = [_Given(role, name, tuple(items), number) for number, (role, name, items) in enumerate(called)]
    opened = [one for each in given for one in _open(each, wishes)]
    refuse_over(
        limits.session_bytes,
        sum(len(file.source.data) for one in opened for file in one.files),
        "bytes",
        "the files",
        "files",
    )
    met = _names_met(given, opened)
    if unknown := [name for name in mappings if name not in met]:
        raise UsageError(f"something was chosen for '{unknown[0]}', and no file has this name; write it as it is")
    notes = list(_twins(opened))
    opened, vocabulary = _without_vocabulary(opened)
    read = _read(given, opened, wishes, notes)
    parts = [part for one in read for part in one.parts]
    if not parts:
        if met:
            raise InputError("the files", "nothing that is used", "keyphrases, texts or judgements", "Load some.")
        raise UsageError("nothing to load: give gold=, systems=, documents=, judgements= or files=")
    notes += [note for one in read for note in one.notes]
    if (apart := question_of(parts)) is not None:
        raise Question(apart)
    align(parts, notes)
    label(parts, notes)
    systems_named = [one.name for one in given if one.role == "system" and one.name]
    silent = [name for name in systems_named if not any(part.name == name for part in parts)]
    readings = [one.reading for one in read if one.reading is not None]
    corpus = assemble(parts, readings, fixes, limits, notes, silent)
    notes = [*corpus.report.notes, *sense.notes(corpus)]
    corpus = replace(corpus, report=replace(corpus.report, notes=tuple(notes)))
    return _with_vocabulary(corpus, vocabulary, limits, encoding)


_ROLE_FOLDERS = {"gold": "gold", "system": "systems", "documents": "documents"}
_KEYWORDS: dict[Role | None, str] = {
    "gold": "gold",
    "system": "systems",
    "documents": "documents",
    "judgements": "judgements",
    None: "files",
}


def _datasets_in(
    every: abc.Mapping[Role | None, Any], mappings: abc.Mapping[str, Mapping], limits: Limits
) -> dict[str, dict[str, Any]]:
    """Return data set → argument of `load` → its files, where folders or archives tell data sets; empty elsewhere."""
    items = {
        role: list(one) if isinstance(one, (list, tuple)) else [one] for role, one in every.items() if one is not None
    }
    if any(len(one) != 1 for one in items.values()) or "judgements" in items:
        return {}
    names = {role: names_in(one) for role, (one,) in items.items()}
    if not all(names.values()):
        return {}
    tables = _tables_of_all(items, names, limits)
    each = {role: by_folder(own) for role, own in names.items()}
    if not all(each.values()):  # the folders of each role, side by side
        beside = {role: f"{_ROLE_FOLDERS[role]}/" for role in items if role in _ROLE_FOLDERS}
        whole = by_folder([beside[role] + name for role in beside for name in names[role]])
        each = {
            role: {
                dataset: {name: files[start + name] for name in names[role] if start + name in files}
                for dataset, files in whole.items()
            }
            for role, start in beside.items()
        }
        if len(beside) < len(items) or not whole:
            return {}
    found = dict[str, dict[str, Any]]()
    for role, (item,) in items.items():
        sources = {file.name: file for file in _expand(item, limits).files}
        for dataset, files in each[role].items():
            own = [Source(inner, sources[name].data) for name, inner in files.items() if name in sources]
            if role is not None:  # the names of texts tell no role
                meant = None if role == "documents" else role
                own = [file for file in own if role_of_path(file.name) == meant]
            found.setdefault(dataset, {**tables})[_KEYWORDS[role]] = Bundle(dataset, tuple(own), folder=True)
    return found


def _tables_of_all(
    items: abc.Mapping[Role | None, list[Any]], names: abc.Mapping[Role | None, list[str]], limits: Limits
) -> dict[str, list[Source]]:
    """Take tables of a vocabulary out of the names where they stand beside the folders, and return them."""
    found = dict[str, list[Source]]()
    for role, own in names.items():
        depth = min(name.count("/") for name in own)
        beside = {name for name in own if name.count("/") == depth}
        if not by_folder([name for name in own if name not in beside]):
            continue
        for source in _expand(items[role][0], limits).files:
            if source.name in beside and (table := table_of_vocabulary(source)):
                found.setdefault(table, []).append(source)
                own.remove(source.name)
    return found


def _chosen_datasets(
    every: abc.Mapping[Role | None, Any], mappings: dict[str, Mapping], limits: Limits
) -> dict[str, dict[str, Any]]:
    """Return data set → argument of `load` → its files, where it was decided of which each is; empty elsewhere.

    The mappings are then those within a data set, by `data set/file`.
    """
    if not any(mapping.in_dataset for mapping in mappings.values()):
        return {}
    found = dict[str, dict[str, Any]]()
    for role, given in every.items():
        for called, items in _named(given, role):
            for bundle in (_expand(item, limits) for item in items if isinstance(item, (str, Path, Source, Bundle))):
                for file in bundle.files:
                    meant = _said_of(file, bundle, mappings)
                    if not (dataset := meant.in_dataset):
                        raise UsageError(f"'{file.name}' is of no data set, and other files are; say of which it is")
                    own = Source(without_dataset(file.name, dataset), file.data)
                    mappings[f"{dataset}/{own.name}"] = replace(meant, in_dataset="")
                    arguments = found.setdefault(dataset, {})
                    if called is None:
                        arguments.setdefault(_KEYWORDS[role], []).append(own)
                    else:
                        arguments.setdefault(_KEYWORDS[role], {}).setdefault(called, []).append(own)
    return found


def _load_datasets(
    datasets: abc.Mapping[str, abc.Mapping[str, Any]],
    mappings: abc.Mapping[str, Mapping],
    options: abc.Mapping[str, Any],
) -> Corpus:
    """Read each data set by itself; what is not certain in any of them is one question, about `data set/file`."""
    found, asked = dict[str, Corpus](), Asked()
    for name, given in datasets.items():
        own = {
            path.removeprefix(f"{name}/"): mapping for path, mapping in mappings.items() if path.startswith(f"{name}/")
        }
        try:
            with named(name):
                found[name] = load(**given, mapping=own, **options)
        except Question as question:
            asked.findings += [_within(name, finding) for finding in question.findings]
            asked.forms += [replace(form, file=f"{name}/{form.file}") for form in question.forms]
    if asked:
        raise asked.question()
    return one_corpus(**found)


def _within(dataset: str, finding: Finding) -> Finding:
    """Return a finding about a file of a data set."""
    answers = (
        replace(one, mapping={f"{dataset}/{file}": mapping for file, mapping in one.mapping.items()})
        for one in finding.answers
    )
    return replace(finding, where=f"{dataset}/{finding.where}", answers=tuple(answers))


def _mapping(value: Mapping | str) -> Mapping:
    if isinstance(value, Mapping):
        return value
    refuse_unless(value, VALUES["role"], "role")
    return Mapping(role=cast(Any, value))


def _named(given: Any, role: Role | None) -> Iterator[tuple[str | None, list[Any]]]:
    """Give the items of a role that belong together, under the name that they were given, or under none."""
    if given is None:
        return
    if not isinstance(given, abc.Mapping) or not _is_named(given, role):
        yield None, list(given) if isinstance(given, (list, tuple)) else [given]
        return
    if role == "system" and given and all(_is_list_of_phrases(item) for item in given.values()):
        remedy = "Put the lists under the name of a system."
        raise InputError("systems", "a dictionary of lists", "{system: {document: [phrase, …]}}", remedy)
    for name, item in given.items():
        yield storable(str(name)), list(item) if isinstance(item, (list, tuple)) else [item]


def _is_list_of_phrases(item: Any) -> bool:
    return isinstance(item, (list, tuple)) and all(isinstance(one, str) and not Path(one).exists() for one in item)


def _is_named(given: abc.Mapping[Any, Any], role: Role | None) -> bool:
    """Tell {name: lists, path or table} from {document: list}."""
    if role != "gold" or not given:
        return role == "system"
    values = list(given.values())
    nested = all(
        isinstance(v, abc.Mapping) and v and all(isinstance(x, (list, tuple)) for x in v.values()) for v in values
    )
    return nested or all(_is_file(v) for v in values)


def _is_file(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(one, (Path, Source, pd.DataFrame)) for one in value)
    return isinstance(value, (str, Path, Source, pd.DataFrame))


# open


def _open(given: _Given, wishes: _Wishes) -> list[_Opened]:
    """Return the files of what was given, unpacked, with what was decided about each; loose files are one folder."""
    items = given.on_disk()
    bundles, decided = [_expand(item, wishes.limits) for item in items], dict(wishes.mappings)
    for item, bundle in zip(items, bundles, strict=True):
        said = (wishes.mappings[name] for name in _names_of(item) if name in wishes.mappings)
        decided[bundle.name] = next(said, decided.get(bundle.name, Mapping()))
    bundles = together(items, bundles) if given.role is None or len(items) > 1 else bundles
    twice = next((fix for fix in ("keep-first", "merge") if fix in wishes.fixes), "refuse")
    found = []
    for bundle in bundles:
        files = []
        for source in bundle.files:
            mapping, encoding, strict = _said_of(source, bundle, decided), wishes.encoding, wishes.strict
            files.append(File(source, wishes.limits, encoding, strict=strict, twice=twice, mapping=mapping))
        found.append(_Opened(given, bundle, tuple(files)))
    return found


def _names_inside(file: Source, bundle: Bundle) -> tuple[str, ...]:
    """Return the names under which something may be said of a file: its own, and those by which an archive has it."""
    return file.name, file.name.rpartition("/")[2], f"{bundle.name}/{file.name}", bundle.name


def _said_of(file: Source, bundle: Bundle, mappings: abc.Mapping[str, Mapping]) -> Mapping:
    return next((mappings[name] for name in _names_inside(file, bundle) if name in mappings), Mapping())


def _expand(item: str | Path | Source | Bundle, limits: Limits) -> Bundle:
    bundle = item if isinstance(item, Bundle) else expand(item, limits)
    if not bundle.files:
        left_out = f" (left out: {', '.join(bundle.ignored[:3])})" if bundle.ignored else ""
        raise InputError(bundle.name, f"no file to read{left_out}", "at least one file", "Check the folder or archive.")
    return bundle


def _without_vocabulary(opened: Sequence[_Opened]) -> tuple[list[_Opened], dict[VocabularyTable, list[File]]]:
    """Return what was opened without tables of a vocabulary among unsorted files, and these tables."""
    found, rest = dict[VocabularyTable, list[File]](), list[_Opened]()
    for one in opened:
        kept = list[File]()
        for file in one.files:
            decided = one.given.role or file.mapping.role
            name = None if decided else table_of_vocabulary(file.source)
            (kept if name is None else found.setdefault(name, [])).append(file)
        rest.append(replace(one, files=tuple(kept)))
    return rest, found


def _names_of(item: str | Path | Source | Bundle) -> tuple[str, ...]:
    """Return the names under which something may be decided about what was given."""
    return (item.name,) if isinstance(item, (Source, Bundle)) else (storable(str(item)), storable(Path(item).name))


def _names_met(given: Sequence[_Given], opened: Sequence[_Opened]) -> set[str]:
    """Return every name under which something may be decided."""
    in_memory = {one.name or str(one.role) for one in given if len(one.on_disk()) < len(one.items)}
    named = {one.name for one in given if one.name is not None}
    paths = {name for one in given for item in one.on_disk() for name in _names_of(item)}
    inside = {name for one in opened for file in one.files for name in _names_inside(file.source, one.bundle)}
    return in_memory | named | paths | inside | {one.bundle.name for one in opened}


def _twins(opened: Sequence[_Opened]) -> Iterator[Note]:
    """Refuse a file that is given twice for one role, and say where two files are the same."""
    seen: dict[tuple[Role | None, int, int], str] = {}
    for one in opened:
        for file in one.files if not one.bundle.folder and one.given.name is None else ():
            key = (one.given.role, len(file.source.data), hash(file.source.data))
            if key not in seen:
                seen[key] = file.name
            elif seen[key] == file.name:
                raise InputError(file.name, "the same file again", "each file once", "Leave it out the second time.")
            elif file.source.data:
                yield Note("warning", file.name, f"The file is the same, byte by byte, as {seen[key]}.")


# read


def _read(given: Sequence[_Given], opened: Sequence[_Opened], wishes: _Wishes, notes: list[Note]) -> list[_Read]:
    """Return the readings of everything in the order in which it was given; what is not certain is asked at once."""
    asked, found = Asked(), list[tuple[_Opened, Recognition]]()
    looks = [_recognised(one) for one in opened]
    lines = {size for recognised, _, _ in looks for size in map(lines_of_lists, recognised) if size}
    for one, (recognised, within, left_out) in zip(opened, looks, strict=True):
        if within and lines:
            recognised, within, left_out = _recognised(one, lines)
        asked.add(within)
        meant = one.bundle.loose or not one.bundle.folder
        notes += [Note("warning" if meant else "info", f, f"Left out: {what}.") for f, what in left_out.items()]
        unused = (file.name for file in one.files if file.mapping.role == "leave out")
        ignored = (*one.bundle.ignored, *left_out, *unused)
        found += [(replace(one, bundle=replace(one.bundle, ignored=ignored)), each) for each in recognised]
    if alike := _alike(asked.forms, found):
        shared = [_with_mappings(one, alike) for one in opened]
        notes += [
            Note("info", name, f"It is read like {other}, which has the same columns.") for name, other, _ in alike
        ]
        return _read(given, shared, wishes, notes)
    settled = list[tuple[_Opened, Recognition]]()
    for each in given:
        own = [(one, recognition) for one, recognition in found if one.given is each]
        roles = settle_roles([recognition for _, recognition in own], notes, asked)
        settled += zip((one for one, _ in own), roles, strict=True)
    if asked:
        raise asked.question()
    also = {role: {file.name for one in opened if one.given.role == role for file in one.files} for role in _ROLES}
    read = list[_Read]()
    for each in given:
        read += [_in_memory(item, each, wishes) for item in each.items if isinstance(item, (pd.DataFrame, abc.Mapping))]
        own = [(one, recognition) for one, recognition in settled if one.given is each]
        told = set[tuple[str, ...]]()
        for one, recognition in own:
            first = one.bundle.ignored not in told
            told.add(one.bundle.ignored)
            read += _of_files(
                one if first else replace(one, bundle=replace(one.bundle, ignored=())), recognition, wishes, also
            )
    odd = [what for one in read for what in one.asked]
    if odd:
        findings = [what for what in odd if isinstance(what, Finding)]
        raise Question(*findings, forms=[what for what in odd if isinstance(what, Form)])
    return [_with_ids_that_meet(one, read, wishes, also) for one in read]


def _recognised(one: _Opened, lines: Collection[int] = ()) -> tuple[list[Recognition], Asked, dict[str, str]]:
    """Return what some files are, what is not certain of them, and those that hold no data, with the reason.

    lines  how many lines other files have whose line n is document n
    """
    asked, left_out = Asked(), dict[str, str]()
    kept = [file for file in one.files if file.mapping.role != "leave out"]
    among = one.bundle.folder or (one.given.role is None and len(kept) > 1)
    found = recognise(kept, one.given.role, asked, left_out if among else None, lines)
    asked.forms = [_inside(form, one.bundle) for form in asked.forms]
    return found, asked, left_out


def _alike(forms: Sequence[Form], found: Sequence[tuple[_Opened, Recognition]]) -> list[tuple[str, str, Mapping]]:
    """Return the files whose meaning is asked, and that have the columns of a file whose meaning was said."""
    said = {
        tuple(one.plan[0].table.names): (one.files[0].name, one.files[0].mapping)
        for _, one in found
        if one.files[0].mapping.names_columns and one.plan and isinstance(one.plan[0], Layout)
    }
    return [(form.file, *said[heads]) for form in forms if (heads := tuple(form.columns)) in said]


def _with_mappings(one: _Opened, alike: Sequence[tuple[str, str, Mapping]]) -> _Opened:
    """Return opened files with the meaning of others that have the same columns."""
    of = {name: mapping for name, _, mapping in alike}
    files = []
    for file in one.files:
        mapping = next((of[name] for name in _names_inside(file.source, one.bundle) if name in of), None)
        files.append(file if mapping is None else file.meaning(mapping))
    return replace(one, files=tuple(files))


def _inside(form: Form, bundle: Bundle) -> Form:
    """Return the form of a file of a folder or an archive, named with its path."""
    return form if bundle.loose or not bundle.folder else replace(form, file=f"{bundle.name}/{form.file}")


def _with_ids_that_meet(
    one: _Read, every: Sequence[_Read], wishes: _Wishes, also: abc.Mapping[Role, set[str]]
) -> _Read:
    """Return a reading by the column whose ids another file has, if its own ids meet no other file."""
    if one.recognition is None or one.opened is None or len(one.recognition.plan) != 1:
        return one
    layout, file = one.recognition.plan[0], one.recognition.files[0]
    if not isinstance(layout, Layout) or file.mapping.names_columns:
        return one
    others = [ids for other in every if other is not one for ids in _ids(other)]
    name = column_that_meets(layout, others) if others else None
    if name is None:
        return one
    columns, told = (
        {**layout.columns, "doc_id": name},
        f"documents are told by “{name}”, whose ids another file has too",
    )
    meant = replace(layout, columns=columns, numbered=False, evidence=f"{layout.evidence}; {told}")
    recognition = replace(one.recognition, plan=(meant,), columns=columns, evidence=meant.evidence)
    (again,) = _of_files(one.opened, recognition, wishes, also)
    return replace(again, notes=(*again.notes, Note("info", file.name, f"{told[:1].upper()}{told[1:]}.")))


def _ids(read: _Read) -> Iterator[set[str]]:
    """Give the documents of every part of a reading that has keyphrases or texts."""
    for part in read.parts:
        if "doc_id" in part.table.column_names and not part.counted:
            yield set(part.ids().to_pylist())


def _in_memory(item: Any, given: _Given, wishes: _Wishes) -> _Read:
    """Read a DataFrame or a dictionary."""
    role: Role = given.role or "gold"
    shown = given.name or role
    mapping, columns = wishes.mappings.get(shown, Mapping()), dict[str, str]()
    if isinstance(item, pd.DataFrame):
        found = _frame_layout(item, role, shown, mapping, wishes.limits)
        rows, evidence, columns, family = rows_of(found, role), found.evidence, found.columns, "DataFrame"
    else:
        (rows, evidence), family = dict_rows(item, role, shown, mapping, wishes.limits), "dictionary"
    reading = Reading(shown, 0, role, family, evidence, columns=columns, line_ends="none")
    origin = (given.number, id(item)) if given.name is None else (given.number, 0)
    return _checked(rows, reading, shown, origin, mapping, given, wishes)


def _frame_layout(frame: pd.DataFrame, role: Role, name: str, mapping: Mapping, limits: Limits) -> Layout:
    """Return how a DataFrame is read; merged cells are cells of spreadsheets, so nothing is filled down unasked."""
    table = frame_table(frame, name, limits)
    found = layout_of(table, role, Mapping(fill_down="no").merged(mapping))
    if found is None:
        shown = f"the columns {', '.join(table.names[:10]) or '(none)'}"
        expected = f"columns doc_id and {'text' if role == 'documents' else 'phrase'}"
        raise InputError(name, shown, expected, "Rename them, or name their roles.")
    return found


def _of_files(
    one: _Opened, recognition: Recognition, wishes: _Wishes, also: abc.Mapping[Role, set[str]]
) -> list[_Read]:
    """Read one file or group, if it plays the role that was asked for."""
    bundle, files, first = one.bundle, recognition.files, recognition.files[0]
    asked = role_said(first) or one.given.role
    if asked not in (None, recognition.role) and not (recognition.role == "documents" and not wishes.texts_given):
        what = f"{counted(len(files), 'file')}, {recognition.evidence}"
        return [_Read(None, (), (Note("info", bundle.name, f"Left out, because {asked} was asked for: {what}."),))]
    family, several = family_named(recognition.family), len(files) > 1
    rows = family.read(recognition, asked)
    # One file may hold the gold standard and systems, and be given for both.
    rows = [part for part in rows if part.role == one.given.role or first.name not in also.get(part.role, ())]
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
    grouped = (bundle.folder or bundle.loose) and (several or getattr(family, "GROUP_IS_ONE", False))
    name = stem_of(bundle.name if grouped else first.name)
    if several and not grouped and getattr(family, "GROUP_IS_ONE", False):  # uploads have no folder to name them
        name = first.suffix.removeprefix(".") or name
    apart = one.given.name is None or bundle.folder
    origin = (one.given.number, id(recognition) if apart else 0)
    text = "" if several or not texts else first.text
    read = _checked(rows, reading, name, origin, first.mapping, one.given, wishes, text)
    doubts = [doubt for part in read.parts if (doubt := sense.doubt_of(part, recognition)) is not None]
    odd = [_inside(doubt, bundle) if isinstance(doubt, Form) else doubt for doubt in doubts]
    said = [note for file in files for note in file.notes_on_repeats()] + [
        note for text in texts for note in text.notes
    ]
    return [replace(read, recognition=recognition, opened=one, asked=tuple(odd), notes=(*said,))]


# check


def _checked(
    rows: Sequence[Rows],
    reading: Reading,
    name: str,
    origin: tuple[int, int],
    mapping: Mapping,
    given: _Given,
    wishes: _Wishes,
    text: str = "",
) -> _Read:
    """Check the rows of one reading, count them in its report, and keep those that are wanted.

    name  what it is called where the user gave it no name
    """
    unasked = wishes.texts_given and given.role not in (None, "documents")
    kept = [one for one in rows if not (one.role == "documents" and unasked)]
    checked = [check(one, reading.file, wishes.limits, text) for one in kept]
    refuse_if_mostly_rejected(reading.file, checked, wishes.limits, strict=wishes.strict)
    # Sheets of one workbook are parts of one reading; texts and judgements beside them are rows again.
    own = [one for one in checked if one.role == checked[0].role]
    loaded, rejected = sum(len(one.table) for one in own), sum(len(one.rejected) for one in own)
    reading = replace(reading, rows_read=sum(one.read for one in own), rows_loaded=loaded, rows_rejected=rejected)
    reading = replace(reading, rows_blank=sum(one.blank for one in own))
    called = given.name or name
    parts = (Part(one, reading.file, called, given.name is not None, origin, mapping) for one in checked)
    return _Read(reading, tuple(parts))
