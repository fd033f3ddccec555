"""Load paths, uploads, DataFrames and dictionaries as one Corpus; refuse bad data, or raise a Question."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa

from kp_core.corpus import Corpus, Role, VocabularyTable
from kp_core.corpus import together as one_corpus
from kp_core.errors import InputError, UsageError, named, refuse_unless
from kp_core.reading.beside.datasets import chosen_datasets, datasets_in, question_of
from kp_core.reading.beside.named_tables import refuse_contradictions, table_of_vocabulary, vocabulary_of
from kp_core.reading.inputs import Given, Item, Opened, Wishes, given_items, known_names, open_files, repeated_files
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.lists.family import File
from kp_core.reading.lists.sniff import Asked
from kp_core.reading.meaning.mapping import VALUES, Mapping
from kp_core.reading.meaning.question import Question
from kp_core.reading.readings import read_all
from kp_core.reading.rows import sense
from kp_core.reading.rows.assemble import assemble
from kp_core.reading.rows.identifiers import id_fix, sides
from kp_core.reading.rows.settle import align, label


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
    """Read gold standard, system outputs, texts and judgments into one corpus, with a report on the reading.

    Each argument is a path (file, folder, zip), a `Source`, a table of pandas, polars or Arrow, a dictionary {document:
    [phrase, …]}, or a list of these; `gold` and `systems` may also be {name: any of these}. A folder or archive may
    contain several data sets: one folder each, or one file each in the folders of gold and systems.

    Parameters
    ----------
    files : optional
        Files whose roles are detected.
    broader, frequencies : optional
        Tables of concepts: child and parent; concept, n and documents.
    similar, vectors : optional
        The similarity `given`: a table with a, b and score from 0 to 1, or vectors (Parquet, npz, word2vec text,
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
        If the meaning of a file is unclear. Pass the mappings of its forms as `mapping`, and those of its answers as
        `mapping` and `fixes`.

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
    every: dict[Role | None, Any] = {"gold": gold, "documents": documents, "system": systems, "judgements": judgements}
    wishes = Wishes(mappings, encoding, strict, fixes, limits)
    corpus = _load(given_items({**every, None: files}, limits), wishes)
    tables: dict[VocabularyTable, Any] = {"broader": broader, "frequencies": frequencies, "similar": similar}
    corpus = _with_vocabulary(corpus, {**tables, "vectors": vectors}, wishes, directed)
    refuse_contradictions(corpus.vocabulary)
    return corpus


def _with_vocabulary(
    corpus: Corpus, given: abc.Mapping[VocabularyTable, Any], wishes: Wishes, directed: bool = False
) -> Corpus:
    if not directed and all(table is None for table in given.values()):
        return corpus
    vocabulary, read = vocabulary_of(given, wishes.limits, wishes.encoding, directed)
    whole, report = corpus.vocabulary.with_tables(vocabulary), corpus.report
    readings, notes = (*report.readings, *read.readings), (*report.notes, *read.notes)
    return replace(corpus, vocabulary=whole, report=replace(report, readings=readings, notes=notes))


def _load(given: Sequence[Given], wishes: Wishes) -> Corpus:
    datasets, mappings = chosen_datasets(given, wishes.mappings)
    if datasets:
        return _load_datasets(datasets, replace(wishes, mappings=mappings))
    datasets, tables = datasets_in(given, table_of_vocabulary)
    if datasets:
        return _with_vocabulary(_load_datasets(datasets, wishes), tables, wishes)
    opened = open_files(given, wishes)
    met = known_names(given, opened)
    if unknown := [name for name in wishes.mappings if name not in met]:
        raise UsageError(f"something was chosen for '{unknown[0]}', and no file has this name; write it as it is")
    notes = list(repeated_files(opened))
    opened, vocabulary = _without_vocabulary(opened)
    names: dict[Role | None, set[str]] = {item.role: set() for item in given}
    for group in opened:
        names[group.given.role] |= {file.name for file in group.files}
    read = read_all(given, opened, replace(wishes, files=names), notes)
    parts = [part for reading in read for part in reading.parts]
    if not parts and met:
        raise InputError("the files", "nothing that is used", "keyphrases, texts or judgements", "Load some.")
    if not parts:
        raise UsageError("nothing to load: pass gold=, systems=, documents=, judgements= or files=")
    notes += [note for reading in read for note in reading.notes]
    if (unclear := question_of(parts)) is not None:
        raise Question(unclear)
    align(parts, notes)
    label(parts, notes)
    systems = [item.name for item in given if item.role == "system" and item.name]
    silent = [name for name in systems if not any(part.name == name for part in parts)]
    corpus = assemble(parts, wishes.fixes, wishes.limits, notes, silent)
    in_use = pa.array(sides(corpus).get("gold", corpus.documents["doc_id"]), pa.large_string())
    readings = [reading for item in read for reading in item.entries(in_use)]
    notes = [*corpus.report.notes, *sense.notes(corpus)]
    corpus = replace(corpus, report=replace(corpus.report, readings=tuple(readings), notes=tuple(notes)))
    return _with_vocabulary(corpus, vocabulary, wishes)


def _without_vocabulary(opened: Sequence[Opened]) -> tuple[list[Opened], dict[VocabularyTable, list[File]]]:
    tables, rest = dict[VocabularyTable, list[File]](), list[Opened]()
    for group in opened:
        others = list[File]()
        for file in group.files:
            decided = group.given.role or file.mapping.role
            name = None if decided else table_of_vocabulary(file.source)
            (others if name is None else tables.setdefault(name, [])).append(file)
        rest.append(replace(group, files=tuple(others)))
    return rest, tables


def _load_datasets(datasets: abc.Mapping[str, Sequence[Given]], wishes: Wishes) -> Corpus:
    """Read each data set separately; ask the questions of all of them together, about `data set/file`."""
    corpora, asked = dict[str, Corpus](), Asked()
    for name, given in datasets.items():
        start = f"{name}/"
        inside = ((path, mapping) for path, mapping in wishes.mappings.items() if path.startswith(start))
        within = {path.removeprefix(start): mapping for path, mapping in inside}
        with named(name):
            try:
                corpora[name] = _load(given, replace(wishes, mappings=within))
            except Question as question:
                asked.findings += [finding.within(name) for finding in question.findings]
                files = [start + form.file.removeprefix(start) for form in question.forms]
                asked.forms += [replace(form, file=file) for form, file in zip(question.forms, files, strict=True)]
    if asked:
        raise asked.question()
    return one_corpus(**corpora)
