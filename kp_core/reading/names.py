"""Turn the names that files gave to systems into those that a user wants to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kp_core.corpus import Corpus
from kp_core.errors import UsageError


def renamed(corpus: Corpus, names: Mapping[str, str]) -> Corpus:
    """Return the corpus with some systems under new names; names of systems that are not there are left aside.

    >>> from kp_core.reading.load import load
    >>> renamed(load(systems={"candidats.degree": {"d1": ["tide"]}}), {"candidats.degree": "degree"}).systems
    ['degree']
    """
    new = {name: names.get(name, name).strip() or name for name in corpus.systems}
    for name in new.values():
        if list(new.values()).count(name) > 1:
            raise UsageError(f"two systems would be called '{name}'; give each a name of its own")
    if all(name == old for old, name in new.items()):
        return corpus
    empty = corpus.empty
    notes = tuple(replace(note, where=new.get(note.where, note.where)) for note in corpus.report.notes)
    of_system = empty["source"].map(new).where(empty["role"] == "system", empty["source"])
    return replace(
        corpus,
        runs=corpus.runs.assign(system=corpus.runs["system"].map(new).astype("str")),
        empty=empty.assign(source=of_system.astype("str")),
        rankings={new[name]: ranking for name, ranking in corpus.rankings.items()},
        report=replace(corpus.report, notes=notes),
    )
