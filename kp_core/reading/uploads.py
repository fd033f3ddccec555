"""Define uploaded files, with the decisions about them and about the names of their systems."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.reading.load import load
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.archive import is_folder, is_gzip
from kp_core.reading.open.source import Source
from kp_core.reading.rows.check import phrases_by_document


@dataclass(frozen=True)
class Uploads:
    """Files as they were given, and what was decided about them: all that is needed to load them again.

    mappings  name of a file → how it is read
    fixes    fixes of ids and lists, in order
    names    systems under other names: name in the files → name on screen
    title    what the files are called together; empty if they are no more than so many files
    """

    files: tuple[Source, ...] = ()
    mappings: abc.Mapping[str, Mapping] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    names: abc.Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    def load(self) -> Corpus:
        """Read all files together; what was decided about an archive holds for everything in it.

        >>> file = Source("g.csv", b"Nr,Begriff,Wer\\n1,tide,ana\\n")
        >>> mapping = Mapping("gold", document="Nr", keyphrases="Begriff", annotator="Wer")
        >>> Uploads((file,), {"g.csv": mapping}).load().gold[["doc_id", "annotator", "phrase"]].values.tolist()
        [['1', 'ana', 'tide']]
        """
        return renamed(load(files=list(self.files), mapping=self.mappings, fixes=self.fixes), self.names)


def is_archive(file: Source) -> bool:
    """Return whether a file is a zip, tar or gzip file, but not a workbook."""
    return is_gzip(file.data) or is_folder(file.data)


#: So many of the first ten phrases must two lists of runs have in common, on average, for runs to be proposed.
_ALIKE, _FIRST = 0.3, 10


def proposed_runs(corpus: Corpus) -> dict[str, dict[str, str]]:
    """Return system → name in the files → name as a run, of systems that differ by a number and little in their lists.

    >>> from kp_core.reading.load import load
    >>> lists = {f"bart_{n}": {"d1": ["tide", "sea"]} for n in (1, 2)}
    >>> proposed_runs(load(gold={"d1": ["tide"]}, systems=lists))
    {'bart': {'bart_1': 'bart#1', 'bart_2': 'bart#2'}}
    """
    groups = dict[str, dict[str, str]]()
    for name in corpus.systems:
        numbered = _NUMBERED.fullmatch(name)
        if numbered is not None and "#" not in name:
            groups.setdefault(numbered["system"], {})[name] = f"{numbered['system']}#{numbered['number']}"
    return {
        system: names
        for system, names in groups.items()
        if len(names) > 1 and system not in corpus.systems and _are_alike(corpus, list(names))
    }


#: A system with a number behind it, which a word for runs may stand before.
_NUMBERED = re.compile(
    r"(?P<system>.*[^\W\d_])(?:[-_. ]*(?:seed|run|rep|replicate|lauf))?[-_. ]*(?P<number>\d+)", re.IGNORECASE
)


def _are_alike(corpus: Corpus, names: Sequence[str]) -> bool:
    """Return whether the lists of each system share phrases with those of the first, document by document."""
    top = corpus.runs[(corpus.runs["rank"] <= _FIRST) & corpus.runs["system"].isin(list(names))]
    lists = {name: phrases_by_document(rows["doc_id"], rows["phrase"]) for name, rows in top.groupby("system")}
    first, *others = (lists.get(name, {}) for name in names)
    for other in others:
        both = ((phrases, other[doc_id]) for doc_id, phrases in first.items() if doc_id in other)
        shares = [len(a & b) / len(a | b) for a, b in both]
        if not shares or sum(shares) / len(shares) < _ALIKE:
            return False
    return True


def renamed(corpus: Corpus, names: abc.Mapping[str, str]) -> Corpus:
    """Return the corpus with some systems under new names; names of systems that are not there are left aside.

    >>> from kp_core.reading.load import load
    >>> renamed(load(systems={"candidats.degree": {"d1": ["tide"]}}), {"candidats.degree": "degree"}).systems
    ['degree']
    """
    new = {name: names.get(name, name).strip() or name for name in corpus.systems}
    for name in new.values():
        if list(new.values()).count(name) > 1:
            raise UsageError(f"two systems would be called '{name}'; use a different name for each")
    if all(name == old for old, name in new.items()):
        return corpus
    notes = tuple(replace(note, where=new.get(note.where, note.where)) for note in corpus.report.notes)
    readings = tuple(
        replace(one, whose=tuple(new.get(name, name) for name in one.whose)) if one.role == "system" else one
        for one in corpus.report.readings
    )
    return replace(corpus.of_systems(new), report=replace(corpus.report, readings=readings, notes=notes))
