"""Define uploads: files with the user's decisions on how to read them and what to call the systems."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.reading.load import load
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.source import Source
from kp_core.reading.rows.check import phrases_by_document


@dataclass(frozen=True)
class Uploads:
    """Files with all decisions that are needed to load them again.

    mappings  name of a file → its mapping
    fixes     fixes of ids and lists, in order
    names     name of a system in the files → name on screen
    title     name of the data, if they have one
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


#: Minimum mean Jaccard index of the lists of two runs, and number of ranks compared.
_ALIKE, _FIRST = 0.3, 10


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
    top = corpus.runs[(corpus.runs["rank"] <= _FIRST) & corpus.runs["system"].isin(list(names))]
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
