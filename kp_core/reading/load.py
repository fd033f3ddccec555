"""Load paths, uploads, DataFrames and dictionaries as one Corpus; refuse bad data, and ask if anything is unclear."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, Reading, Role, VocabularyTable
from kp_core.corpus import together as one_corpus
from kp_core.errors import InputError, Note, UsageError, named, pluralize, refuse_unless
from kp_core.reading.beside.datasets import chosen_datasets, datasets_in, has_ids, question_of
from kp_core.reading.beside.named_tables import refuse_contradictions, table_of_vocabulary, vocabulary_of
from kp_core.reading.inputs import (
    Input,
    Item,
    LoadOptions,
    OpenedFiles,
    dict_rows,
    frame_table,
    given_items,
    open_files,
)
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.lists import sniff
from kp_core.reading.meaning.layout import Recognition
from kp_core.reading.meaning.layouts import layout_from_mapping, layout_of
from kp_core.reading.meaning.mapping import FILE, VALUES, Mapping
from kp_core.reading.meaning.prefill import column_with_ids
from kp_core.reading.meaning.question import Form, Question
from kp_core.reading.open.decode import File, how_decoded
from kp_core.reading.open.source import Bundle, fingerprint, stem_of
from kp_core.reading.open.values import distinct
from kp_core.reading.rows import sense
from kp_core.reading.rows.apply import rows_of
from kp_core.reading.rows.assemble import align, assemble, label
from kp_core.reading.rows.check import Part, Rows, check, refuse_if_mostly_rejected
from kp_core.reading.rows.identifiers import id_fix, sides


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
    """Read gold standard, system outputs, texts and judgments into one corpus, with a report on how they were read.

    Each argument is a path (file, folder, zip), a `Source`, a table of pandas, polars or Arrow, a dictionary {document:
    [phrase, …]}, or a list of these; `gold` and `systems` may also be {name: any of these}. A folder or archive may
    contain several data sets: one folder per data set, or folders for gold and systems with one file per data set.

    Parameters
    ----------
    files : optional
        Files whose roles are detected.
    broader, frequencies : optional
        Tables of concepts: child and parent; concept, n and documents.
    similar, vectors : optional
        For the similarity `given`: a table with a, b and score from 0 to 1, or vectors (Parquet, npz, word2vec text,
        {phrase: vector}).
    directed : bool
        Whether `similar` is asymmetric: a is a prediction, b a keyphrase.
    mapping : dict, optional
        {file name: `Mapping`, or a role such as "system" or "leave out"}. The mapping of a folder or archive applies to
        all its files.
    encoding : str, optional
        Encoding of files that are not UTF-8.

    Raises
    ------
    InputError
        If data are refused.
    Question
        If the meaning of a file is unclear. Pass the mappings of its forms, and the mappings and fixes of the chosen
        answers, as `mapping` and `fixes`.

    Examples
    --------
    >>> corpus = load(gold={"d1": ["tide", "sea"]}, systems={"yake": {"d1": [("tide", 0.1), ("moon", 0.4)]}})
    >>> corpus.runs[["system", "doc_id", "rank", "phrase"]].values.tolist()
    [['yake', 'd1', 1, 'tide'], ['yake', 'd1', 2, 'moon']]
    """
    for fix in (fixes := tuple(dict.fromkeys(fixes))):
        id_fix(fix)
    mappings = dict[str, Mapping]()
    for name, value in (mapping or {}).items():
        if isinstance(value, str):
            refuse_unless(value, VALUES["role"], "role")
        mappings[name] = Mapping(role=cast(Any, value)) if isinstance(value, str) else value
    inputs: dict[Role | None, Any] = {"gold": gold, "documents": documents, "system": systems, "judgements": judgements}
    options = LoadOptions(mappings, encoding, strict, fixes, limits)
    corpus = _load(given_items({**inputs, None: files}, limits), options)
    tables: dict[VocabularyTable, Any] = {"broader": broader, "frequencies": frequencies, "similar": similar}
    corpus = _with_vocabulary(corpus, {**tables, "vectors": vectors}, options, directed)
    refuse_contradictions(corpus.vocabulary)
    return corpus


def _with_vocabulary(
    corpus: Corpus, tables: abc.Mapping[VocabularyTable, Any], options: LoadOptions, directed: bool = False
) -> Corpus:
    if not directed and all(table is None for table in tables.values()):
        return corpus
    vocabulary, vocabulary_report = vocabulary_of(tables, options.limits, options.encoding, directed)
    merged, report = corpus.vocabulary.with_tables(vocabulary), corpus.report
    readings, notes = (*report.readings, *vocabulary_report.readings), (*report.notes, *vocabulary_report.notes)
    return replace(corpus, vocabulary=merged, report=replace(report, readings=readings, notes=notes))


def _load(inputs: Sequence[Input], options: LoadOptions) -> Corpus:
    datasets, mappings = chosen_datasets(inputs, options.mappings)
    if datasets:
        return _load_datasets(datasets, replace(options, mappings=mappings))
    datasets, tables = datasets_in(inputs, table_of_vocabulary)
    if datasets:
        return _with_vocabulary(_load_datasets(datasets, options), tables, options)
    notes = list[Note]()
    opened = open_files(inputs, options, notes)
    vocabulary = dict[VocabularyTable, list[File]]()
    opened = [_without_vocabulary(group, vocabulary) for group in opened]
    results = _read_all(inputs, opened, options, notes)
    parts = [part for reading in results for part in reading.parts]
    if not parts and any(item.tables or item.bundles for item in inputs):
        raise InputError("the files", "nothing that can be used", "keyphrases, texts or judgements", "Add a file.")
    if not parts:
        raise UsageError("nothing to load: pass gold=, systems=, documents=, judgements= or files=")
    notes += [note for reading in results for note in reading.notes]
    if (unclear := question_of(parts)) is not None:
        raise Question(unclear)
    align(parts, notes)
    label(parts, notes)
    systems = [item.name for item in inputs if item.role == "system" and item.name]
    silent = [name for name in systems if not any(part.name == name for part in parts)]
    corpus = assemble(parts, options.fixes, options.limits, notes, silent)
    in_use = pa.array(sides(corpus).get("gold", corpus.documents["doc_id"]), pa.large_string())
    entries = tuple(_report_entry(item.reading, item.parts, in_use) for item in results if item.reading is not None)
    report = replace(corpus.report, readings=entries, notes=(*corpus.report.notes, *sense.notes(corpus)))
    return _with_vocabulary(replace(corpus, report=report), vocabulary, options)


def _load_datasets(datasets: abc.Mapping[str, Sequence[Input]], options: LoadOptions) -> Corpus:
    """Read each data set separately; raise all questions together, naming each file `data set/file`."""
    corpora, questions = dict[str, Corpus](), list[Question]()
    for name, inputs in datasets.items():
        start = f"{name}/"
        pairs = ((path, mapping) for path, mapping in options.mappings.items() if path.startswith(start))
        own_mappings = {path.removeprefix(start): mapping for path, mapping in pairs}
        with named(name):
            try:
                corpora[name] = _load(inputs, replace(options, mappings=own_mappings))
            except Question as question:
                findings = [finding.within(name) for finding in question.findings]
                forms = [replace(form, file=start + form.file.removeprefix(start)) for form in question.forms]
                questions.append(Question(*findings, forms=forms))
    if questions:
        raise sniff.together(questions)
    return one_corpus(**corpora)


def _without_vocabulary(group: OpenedFiles, tables: dict[VocabularyTable, list[File]]) -> OpenedFiles:
    """Move the vocabulary tables from the files without a role to `tables`."""
    other_files = list[File]()
    for file in group.files:
        name = None if group.input.role or file.mapping.role else table_of_vocabulary(file.source)
        (other_files if name is None else tables.setdefault(name, [])).append(file)
    return replace(group, files=tuple(other_files))


def _report_entry(reading: Reading, parts: Sequence[Part], in_use: pa.Array) -> Reading:
    system_parts = [part for part in parts if reading.role == "gold" and part.role == "system"]
    parts, judged = [part for part in parts if part.role == reading.role], reading.role == "judgements"
    names = [distinct(part.table["annotator"]) if judged else part.sources for part in parts]
    systems = dict.fromkeys(chain.from_iterable(part.sources for part in system_parts))
    reading = replace(reading, whose=tuple(dict.fromkeys(chain.from_iterable(names))), systems=tuple(systems))
    if judged:
        return reading
    ids = pc.unique(pa.chunked_array([part.ids() for part in parts], pa.large_string()))
    return replace(reading, documents=pc.sum(pc.is_in(ids, in_use)).as_py() or 0)


@dataclass(frozen=True)
class _Read:
    """The checked rows of one reading and its entry in the report; None and a note if nothing was read."""

    reading: Reading | None
    parts: tuple[Part, ...]
    notes: tuple[Note, ...] = ()
    source: tuple[OpenedFiles, Recognition] | None = None


def _read_all(
    inputs: Sequence[Input], opened: Sequence[OpenedFiles], options: LoadOptions, notes: list[Note]
) -> list[_Read]:
    """Return the readings of all inputs in order; raise all open questions at once."""
    questions, recognitions = list[Question](), list[tuple[OpenedFiles, Recognition]]()
    for group in opened:
        files = [file for file in group.files if file.mapping.role != "leave out"]
        left_out, new_questions = dict[str, str](), list[Question]()
        may_skip = group.bundle.folder or (group.input.role is None and len(files) > 1)
        group_readings = sniff.recognise(files, group.input.role, new_questions, left_out if may_skip else None)
        for question in new_questions:
            forms = [_with_folder(form, group.bundle) for form in question.forms]
            questions.append(Question(*question.findings, forms=forms))
        level: Any = "warning" if group.bundle.loose or not group.bundle.folder else "info"
        notes += [Note(level, file, f"Left out: {reason}.") for file, reason in left_out.items()]
        unused = (file.name for file in group.files if file.mapping.role == "leave out")
        ignored = (*group.bundle.ignored, *left_out, *unused)
        for recognition in group_readings:  # the first file of a folder reports its ignored files
            recognitions.append((replace(group, bundle=replace(group.bundle, ignored=ignored)), recognition))
            ignored = ()
    if matched := _same_columns(questions, recognitions):
        info = ((file, f"It is read like {other.name}, which has the same columns.") for file, other in matched.items())
        notes += [Note("info", file, message) for file, message in info]
        mappings = {file: other.mapping for file, other in matched.items()}
        return _read_all(inputs, [group.meaning(mappings) for group in opened], options, notes)
    resolved = list[tuple[OpenedFiles, Recognition]]()
    for item in inputs:
        pairs = [(group, reading) for group, reading in recognitions if group.input is item]
        roles = sniff.resolve_roles([reading for _, reading in pairs], notes, questions)
        resolved += [(group, role) for (group, _), role in zip(pairs, roles, strict=True)]
    if questions:
        raise sniff.together(questions)
    named_files = [(group.input.role, file.name) for group in opened for file in group.files]
    names = {item.role: {name for role, name in named_files if role == item.role} for item in inputs}
    options, results = replace(options, files=names), list[_Read]()
    for item in inputs:
        tables = (table for table in item.tables if isinstance(table, (pd.DataFrame, abc.Mapping)))
        for table in tables:
            rows, reading = _rows_in_memory(table, item, options)
            mapping, origin = options.mappings.get(reading.file, Mapping()), id(table) if item.name is None else 0
            results.append(_checked(rows, reading, reading.file, origin, mapping, item, options))
        results += [_of_files(group, reading, options, questions) for group, reading in resolved if group.input is item]
    if questions:
        raise sniff.together(questions)
    return _with_matching_ids(results, options) if len(results) > 1 else results


def _with_folder(form: Form, bundle: Bundle) -> Form:
    return form if bundle.loose or not bundle.folder else replace(form, file=f"{bundle.name}/{form.file}")


def _same_columns(
    questions: Sequence[Question], recognitions: Sequence[tuple[OpenedFiles, Recognition]]
) -> dict[str, File]:
    """Return, for each file with an open question, a file with the same columns that the user has already mapped."""
    mapped = {}
    for _, reading in recognitions:
        file = reading.files[0]
        if reading.layouts and file.mapping.names_columns:
            mapped[tuple(reading.layouts[0].table.names)] = file
    forms = [form for question in questions for form in question.forms]
    return {form.file: mapped[heads] for form in forms if (heads := tuple(form.columns)) in mapped}


def _with_matching_ids(results: Sequence[_Read], options: LoadOptions) -> list[_Read]:
    """Read a table again with another id column if its ids match no other file."""
    parts = [[part for part in item.parts if has_ids(part) and not part.counted] for item in results]
    documents = [[set(part.ids().to_pylist()) for part in item] for item in parts]
    other_ids = ([*chain.from_iterable(documents[:n] + documents[n + 1 :])] for n in range(len(results)))
    return [_with_matching_id(item, ids, options) for item, ids in zip(results, other_ids, strict=True)]


def _with_matching_id(result: _Read, other_ids: Sequence[set[str]], options: LoadOptions) -> _Read:
    if result.source is None or len(result.source[1].layouts) != 1 or not other_ids:
        return result
    opened, recognition = result.source
    layout, file = recognition.layouts[0], recognition.files[0]
    if file.mapping.names_columns or layout.kind not in ("long", "lists", "wide"):
        return result
    name = column_with_ids(layout.table, layout.mapping, layout.ids().to_pylist(), other_ids)
    if name is None:
        return result
    message = f"documents are identified by “{name}”, which matches the ids of another file"
    layout = layout_from_mapping(layout.table, replace(layout.mapping, document=name), layout.role)
    columns, evidence = {**recognition.columns, "doc_id": name}, f"{layout.evidence}; {message}"
    changes: dict[str, Any] = {"columns": columns, "evidence": evidence, "mapping": layout.mapping}
    reread = _of_files(opened, replace(recognition, layouts=(layout,), **changes), options, [])
    return replace(reread, notes=(*reread.notes, Note("info", file.name, f"{message[:1].upper()}{message[1:]}.")))


def _rows_in_memory(item: Any, source_input: Input, options: LoadOptions) -> tuple[list[Rows], Reading]:
    """Return the rows of a DataFrame or dictionary, and its entry in the report."""
    role: Role = source_input.role or "gold"
    display_name = source_input.name or role
    mapping, columns = options.mappings.get(display_name, Mapping()), dict[str, str]()
    if isinstance(item, pd.DataFrame):
        table = frame_table(item, display_name, options.limits)
        layout = layout_of(table, role, Mapping(fill_down="no").merged(mapping))
        if layout is None:
            found = f"the columns {', '.join(table.names[:10]) or '(none)'}"
            expected = f"columns doc_id and {'text' if role == 'documents' else 'phrase'}"
            raise InputError(display_name, found, expected, "Rename them, or name their roles.")
        rows, evidence, columns, family = rows_of(layout, role), layout.evidence, layout.columns, "DataFrame"
    else:
        (rows, evidence), family = dict_rows(item, role, display_name, mapping, options.limits), "dictionary"
    return rows, Reading(display_name, 0, role, family, evidence, columns=columns, line_ends="none")


def _of_files(item: OpenedFiles, recognition: Recognition, options: LoadOptions, questions: list[Question]) -> _Read:
    """Read one file or group if it has the requested role, and ask about suspicious content."""
    bundle, files, first_file = item.bundle, recognition.files, recognition.files[0]
    requested = sniff.chosen_role(first_file) or item.input.role
    texts_beside = recognition.role == "documents" and "documents" not in options.files
    if requested not in (None, recognition.role) and not texts_beside:
        content = f"{pluralize(len(files), 'file')}, {recognition.evidence}"
        return _Read(None, (), (Note("info", bundle.name, f"Left out, because {requested} was requested: {content}."),))
    family, is_group = sniff.family_named(recognition.family), len(files) > 1
    # One file may contain the gold standard and systems, and be given for both roles.
    elsewhere = {role for role, names in options.files.items() if first_file.name in names and role != item.input.role}
    rows = [part for part in family.read(recognition, requested) if part.role not in elsewhere]
    texts = [file.decoded for file in files] if is_group or "decoded" in vars(first_file) else []
    reading = Reading(
        bundle.name if is_group else first_file.name,
        sum(len(file.source.data) for file in files),
        recognition.role,
        recognition.family,
        recognition.evidence,
        **how_decoded(texts),
        columns=dict(recognition.columns),
        files=len(files),
        sha256=fingerprint(file.source.data for file in files),
        ignored=bundle.ignored,
        mapping=str(recognition.mapping),
    )
    group_is_one, in_folder = family.GROUP_IS_ONE, bundle.folder or bundle.loose
    is_document = recognition.mapping.document == FILE
    name = stem_of(bundle.name if in_folder and (is_group or group_is_one or is_document) else first_file.name)
    if is_group and group_is_one and not in_folder:  # uploads have no folder name
        name = first_file.suffix.removeprefix(".") or name
    separate = (item.input.name is None or bundle.folder) and not is_document
    result = _checked(rows, reading, name, id(recognition) if separate else 0, first_file.mapping, item.input, options)
    for doubt in (doubt for part in result.parts if (doubt := sense.doubt_of(part, recognition)) is not None):
        question = Question(forms=[_with_folder(doubt, bundle)]) if isinstance(doubt, Form) else Question(doubt)
        questions.append(question)
    notes = tuple(note for text in texts for note in text.notes)
    return replace(result, source=(item, recognition), notes=notes)


def _checked(
    rows: Sequence[Rows], reading: Reading, name: str, origin: int, mapping: Mapping, item: Input, options: LoadOptions
) -> _Read:
    """Check the rows of one reading, count them in its report, and return the requested ones.

    * `name`: default name of the source; `origin`: identity of the upload within its input
    """
    no_texts = "documents" in options.files and item.role not in (None, "documents")
    wanted = (part for part in rows if not (part.role == "documents" and no_texts))
    checked = [check(part, reading.file, options.limits) for part in wanted]
    refuse_if_mostly_rejected(checked, options.limits, strict=options.strict)
    # Texts and judgements from the same table are left out, so that its rows are counted once.
    same_role = [part for part in checked if part.role == checked[0].role]
    reading = replace(
        reading,
        rows_read=sum(part.read for part in same_role),
        rows_loaded=sum(len(part.table) for part in same_role),
        rows_rejected=sum(len(part.rejected) for part in same_role),
        rows_blank=sum(part.blank for part in same_role),
    )
    source: dict[str, Any] = {"name": item.name or name, "name_given": item.name is not None, "mapping": mapping}
    source |= {"file": reading.file, "origin": (id(item), origin)}
    return _Read(reading, tuple(Part(**vars(part), **source) for part in checked))
