"""Define uploads, files with the user's decisions on how to read them, and preview one file."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.lists import sniff
from kp_core.reading.load import load
from kp_core.reading.meaning.layout import Recognition
from kp_core.reading.meaning.mapping import SWITCHES, Mapping
from kp_core.reading.meaning.question import Form, Question, form_of, formats_of
from kp_core.reading.meaning.tables import form_of_unknown
from kp_core.reading.open.decode import File
from kp_core.reading.open.source import Source, expand, is_archive
from kp_core.reading.rows.check import phrases_by_document


@dataclass(frozen=True)
class Uploads:
    """Files with all decisions that are needed to load them again.

    * `mappings`: name of a file → its mapping
    * `fixes`: fixes of ids and lists, in order
    * `names`: name of a system in the files → name on screen
    * `title`: name of the data, if they have one
    """

    files: tuple[Source, ...] = ()
    mappings: abc.Mapping[str, Mapping] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    names: abc.Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    def load(self) -> Corpus:
        """Read all files together; the mapping of an archive applies to all its files.

        >>> file = Source("g.csv", b"Nr,Begriff,Wer\\n1,tide,ana\\n")
        >>> mapping = Mapping("gold", document="Nr", keyphrases="Begriff", annotator="Wer")
        >>> Uploads((file,), {"g.csv": mapping}).load().gold[["doc_id", "annotator", "phrase"]].values.tolist()
        [['1', 'ana', 'tide']]
        """
        return renamed(load(files=list(self.files), mapping=self.mappings, fixes=self.fixes), self.names)

    def file(self, name: str) -> Source | None:
        """Return a file, or a file in an archive, such as `archive.zip/gold.csv`; None if there is none."""
        named = {file.name: file for file in self.files}
        for file in self.files:
            if is_archive(file.data) and name.startswith(f"{file.name}/"):
                named |= {f"{file.name}/{member.name}": member for member in expand(file).files}
        return named.get(name)


#: Minimum mean Jaccard index of the lists of two runs, and number of ranks compared.
_ALIKE, _PREVIEWED = 0.3, 10


def proposed_runs(corpus: Corpus) -> dict[str, dict[str, str]]:
    """Return {system: {name in the files: name as a run}} for numbered names with similar lists.

    >>> from kp_core.reading.load import load
    >>> lists = {f"bart_{n}": {"d1": ["tide", "sea"]} for n in (1, 2)}
    >>> proposed_runs(load(gold={"d1": ["tide"]}, systems=lists))
    {'bart': {'bart_1': 'bart#1', 'bart_2': 'bart#2'}}
    """
    groups = dict[str, dict[str, str]]()
    for name in corpus.systems:
        numbered = _NUMBERED.fullmatch(name)
        if numbered is not None and "#" not in name and numbered["system"] not in corpus.systems:
            groups.setdefault(numbered["system"], {})[name] = f"{numbered['system']}#{numbered['number']}"
    return {name: runs for name, runs in groups.items() if len(runs) > 1 and _are_alike(corpus, list(runs))}


#: The name of a system with a number at its end, perhaps after a word such as “run”.
_NUMBERED = re.compile(
    r"(?P<system>.*[^\W\d_])(?:[-_. ]*(?:seed|run|rep|replicate|lauf))?[-_. ]*(?P<number>\d+)", re.IGNORECASE
)


def _are_alike(corpus: Corpus, names: Sequence[str]) -> bool:
    top = corpus.runs[(corpus.runs["rank"] <= _PREVIEWED) & corpus.runs["system"].isin(list(names))]
    lists = {name: phrases_by_document(rows["doc_id"], rows["phrase"]) for name, rows in top.groupby("system")}
    reference, *other_lists = (lists.get(name, {}) for name in names)
    for other in other_lists:
        pairs = [(reference[doc_id], other[doc_id]) for doc_id in reference.keys() & other.keys()]
        if not pairs or sum(len(a & b) / len(a | b) for a, b in pairs) < _ALIKE * len(pairs):
            return False
    return True


def renamed(corpus: Corpus, names: abc.Mapping[str, str]) -> Corpus:
    """Return the corpus with some systems renamed; unknown names are ignored.

    >>> from kp_core.reading.load import load
    >>> renamed(load(systems={"candidats.degree": {"d1": ["tide"]}}), {"candidats.degree": "degree"}).systems
    ['degree']
    """
    new_names = {name: names.get(name, name).strip() or name for name in corpus.systems}
    for name in new_names.values():
        if list(new_names.values()).count(name) > 1:
            raise UsageError(f"two systems would be called '{name}'; use a different name for each")
    if all(name == old for old, name in new_names.items()):
        return corpus
    notes = tuple(replace(note, where=new_names.get(note.where, note.where)) for note in corpus.report.notes)
    pairs = ((reading, new_names if reading.role == "system" else {}) for reading in corpus.report.readings)
    readings = (replace(reading, whose=tuple(to.get(name, name) for name in reading.whose)) for reading, to in pairs)
    return replace(corpus.of_systems(new_names), report=replace(corpus.report, readings=tuple(readings), notes=notes))


#: Number of documents in a preview.
_DOCUMENTS = 3


@dataclass(frozen=True)
class FilePreview:
    """The result of reading one file separately: counts, first documents, and rejected rows.

    * `documents`: one row per list or text: document, source, phrases or beginning of the text
    * `problem`: why nothing can be read
    """

    counts: abc.Mapping[str, int] = field(default_factory=dict)
    documents: pd.DataFrame = field(default_factory=pd.DataFrame)
    rejected: pd.DataFrame = field(default_factory=pd.DataFrame)
    problem: str = ""


def form_for(source: Source, mapping: Mapping, limits: Limits = LIMITS) -> Form:
    """Return the form of one file, prefilled with its mapping or likeliest meaning.

    Raises InputError if an archive cannot be opened.

    >>> form = form_for(Source("a.csv", b"Nr;Wort\\n1;Haus\\n"), Mapping())
    >>> str(form.mapping), form.columns
    ('role=gold,document=Nr,keyphrases=Wort,split=none', {'Nr': ('1',), 'Wort': ('Haus',)})
    """
    bundle = expand(source, limits)
    if bundle.folder:
        return _of_archive([File(member, limits, mapping=mapping) for member in bundle.files], source.name, mapping)
    file, readings = File(source, limits, mapping=mapping), list[Recognition]()
    role = sniff.chosen_role(file)
    try:
        readings += sniff.readings_of(file.meaning(Mapping(mapping.role, encoding=mapping.encoding)), role)
        reading = sniff.recognise_one(file, role)
    except InputError as refusal:
        if isinstance(refusal, Question) and refusal.forms:
            return refusal.forms[0]
        if not (isinstance(refusal, Question) and readings):
            form = form_of_unknown(file, role) if mapping.names_columns else None
            formats = formats_of(file, "", [reading.family for reading in readings])
            return replace(form or Form(file.name, mapping, ""), reason=str(refusal), mapping=mapping, formats=formats)
        reading = readings[0]
    families = [reading.family for reading in readings]
    if reading.layouts:
        return form_of(reading, "", families)
    formats = formats_of(file, reading.family, families)
    mapping_shown = replace(reading.mapping, role=mapping.role or reading.role)
    return Form(file.name, mapping_shown, reading.evidence, formats=formats, switches=_switches(reading))


def _of_archive(files: Sequence[File], name: str, mapping: Mapping) -> Form:
    try:
        readings = sniff.recognise(files, sniff.chosen_role(files[0]) if files else None, [], {})
    except InputError as refusal:
        return Form(name, mapping, str(refusal))
    switches = {name: values for reading in readings for name, values in _switches(reading).items()}
    values = ((name, getattr(reading.mapping, name)) for reading in readings for name in switches)
    chosen: dict[str, Any] = {name: value for name, value in values if value}
    return Form(name, replace(mapping, **chosen), "", switches=switches)


def _switches(reading: Recognition) -> dict[str, tuple[str, ...]]:
    options = {name: SWITCHES[name] for name in sniff.family_named(reading.family).OPTIONS}
    return {name: values for name, values in (options | reading.offers).items() if values and name in SWITCHES}


def preview_file(source: Source, mapping: Mapping, limits: Limits = LIMITS) -> FilePreview:
    """Read one file separately with a mapping.

    >>> found = preview_file(Source("a.csv", b"id,keyword\\nd1,tide\\nd1,sea\\n"), Mapping())
    >>> dict(found.counts), found.documents.values.tolist()
    ({'document': 1, 'keyphrase': 2}, [['d1', 'gold', 'tide; sea']])
    """
    try:
        corpus = load(files=source, mapping={source.name: mapping}, limits=limits)
    except InputError as refusal:
        return FilePreview(problem=str(refusal))
    sizes = {
        "document": len(corpus.documents),
        "annotator": len(corpus.annotators) if len(corpus.annotators) > 1 else 0,
        "keyphrase": len(corpus.gold),
        "system": len(corpus.systems),
        "prediction": len(corpus.runs),
        "text": int((corpus.documents["text"].fillna("") != "").sum()),
        "score": len(corpus.judgements),
    }
    counts = {name: size for name, size in sizes.items() if size}
    return FilePreview(counts, _first_documents(corpus), corpus.report.rejected)


def _first_documents(corpus: Corpus) -> pd.DataFrame:
    documents = corpus.documents.head(_DOCUMENTS)
    rows: list[tuple[str, str, str]] = []
    for doc_id, title, text in zip(documents["doc_id"], documents["title"], documents["text"], strict=True):
        parts = [part for part in (title, text) if isinstance(part, str) and part]
        rows += [(doc_id, "text", ": ".join(parts)[:200])] if parts else []
        for table, source in ((corpus.gold, "annotator"), (corpus.runs, "system")):
            lists = table[table["doc_id"] == doc_id].groupby(source, sort=False)["phrase"]
            rows += [(doc_id, str(name), "; ".join(phrases)) for name, phrases in lists]
    scores = corpus.judgements.head(0 if rows else _DOCUMENTS)
    rows += [
        (str(row["pair_id"]), str(row["annotator"]), f"{row['candidate']} – {row['keyphrase']}: {row['score']:g}")
        for _, row in scores.iterrows()
    ]
    return pd.DataFrame(rows, columns=["document", "whose", "keyphrases"])
