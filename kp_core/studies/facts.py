"""Say in words what the reader of a result must know: who is missing, what is short, what a number cannot show."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Self

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import Note, counted, part_of
from kp_core.reading.identifiers import suggestions
from kp_core.scoring.codes import Bools
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.systems import BASELINES, Counted
from kp_core.scoring.universe import without_english
from kp_core.settings import Cutoff, Settings

_EMPTY_GOLD = {
    "skip": "left out",
    "zero": "scored 0",
    "one-if-empty": "scored 1 where the system is silent too, else 0",
}


_SHOWN = 5


def too_few(documents: int) -> str:
    """Say that so many documents give no reliable interval."""
    return f"{counted(documents, 'document is', 'documents are')} too few for a reliable interval"


@dataclass(frozen=True)
class Ids:
    """Documents of one kind: how many, and the names of some; those of parts of the data add up.

    >>> str(Ids.of(["d2", "d9"]) + Ids.of(["d1"]))
    'd1, d2, d9'
    """

    count: int = 0
    names: tuple[str, ...] = ()

    @staticmethod
    def of(names: list[str]) -> Ids:
        """Return documents by their names."""
        return Ids(len(names), tuple(names))

    @staticmethod
    def where(names: tuple[str, ...], mask: Bools) -> Ids:
        """Return those of some documents for which the mask holds."""
        return Ids.of([names[i] for i in np.flatnonzero(mask)])

    def __add__(self, other: Ids) -> Ids:
        """Return both; of the names the first by letters stay, whatever was added first."""
        return Ids(self.count + other.count, tuple(sorted({*self.names, *other.names})[:_SHOWN]))

    def __str__(self) -> str:
        return ", ".join(self.names[:_SHOWN]) + (" …" if self.count > _SHOWN else "")


@dataclass(frozen=True)
class _Adding:
    """Facts of parts of the data, which add up field by field; `add` says how, where it is no sum."""

    def __add__(self, other: Self) -> Self:
        return type(self)(
            *(
                one.metadata.get("add", operator.add)(getattr(self, one.name), getattr(other, one.name))
                for one in fields(self)
            )
        )


@dataclass(frozen=True)
class SystemFacts(_Adding):
    """What the notes say of one system.

    lost, unknown    documents without a list; lists without a document of the gold standard
    short            lists shorter than the largest cutoff
    repeats, in_lists  phrases that repeat an earlier one, and the lists with such
    chosen, universe, rejected  phrases that gold or system chose at the largest cutoff, N, and phrases of neither
    """

    lost: Ids = Ids()
    unknown: Ids = Ids()
    short: int = 0
    repeats: int = 0
    in_lists: int = 0
    chosen: float = 0.0
    universe: float = 0.0
    rejected: float = 0.0


def _by_name(some: dict[str, SystemFacts], others: dict[str, SystemFacts]) -> dict[str, SystemFacts]:
    return some | {name: some.get(name, SystemFacts()) + facts for name, facts in others.items()}


@dataclass(frozen=True)
class Facts(_Adding):
    """What the notes on an evaluation say of documents and systems."""

    documents: int = 0
    empty: Ids = Ids()
    unseen: Ids = Ids()
    systems: dict[str, SystemFacts] = field(default_factory=dict, metadata={"add": _by_name})
    foreign: Ids = Ids()


def evaluation_facts(data: Prepared, counted: dict[str, Counted], agreement: bool) -> Facts:
    """Return what the notes on an evaluation need to know."""
    coded, settings = data.coded, data.settings
    largest = _largest(settings.k)
    systems = {name: counts for name, counts in counted.items() if name not in BASELINES}
    if not systems:
        return Facts(len(coded.documents))
    first, found = next(iter(systems.values())).ranking, dict[str, SystemFacts]()

    for name, both in systems.items():
        counts = both.ranking
        at = both.table.at((largest,)) if largest else None
        sums = (at.size + at.system_only, at.universe, at.neither) if at else ()
        found[name] = SystemFacts(
            Ids.where(coded.documents, ~counts.listed),
            Ids.of(list(coded.runs[name].unknown)),
            int(((counts.length < largest) & (counts.size > 0) & counts.listed).sum()),
            int(counts.duplicates.sum()),
            int((counts.duplicates > 0).sum()),
            *(float(one.sum()) for one in sums),
        )
    foreign = Ids.of(list(without_english(coded))) if agreement and settings.universe == "candidates" else Ids()
    empty, unseen = (Ids.where(coded.documents, mask) for mask in ((first.size == 0) & first.known, ~first.known))
    return Facts(len(coded.documents), empty, unseen, found, foreign)


def _largest(cutoffs: tuple[Cutoff, ...]) -> int:
    return max((c for c in cutoffs if isinstance(c, int)), default=0)


def evaluation_notes(facts: Facts, settings: Settings, agreement: bool, ids: Sequence[Note] = ()) -> list[Note]:
    """Say what the facts mean for the reader; ids: notes on the fixes that would make ids meet."""
    notes, documents, largest = list[Note](), facts.documents, _largest(settings.k)
    if not facts.systems:
        return [Note("warning", "systems", "no system output is loaded, so there is nothing to score")]
    if facts.unseen.count:
        unseen = part_of(facts.unseen.count, documents, "document", "is", "are")
        text = f"{unseen} left out, because {settings.annotators} did not see them: {facts.unseen}"
        notes.append(Note("info", "gold", text))
    if facts.empty.count:
        policy = _EMPTY_GOLD[settings.empty_gold]
        have = part_of(facts.empty.count, documents, "document", "has", "have")
        notes.append(Note("warning", "gold", f"{have} no keyphrase, {policy}: {facts.empty}"))
    notes += ids
    for system, found in facts.systems.items():
        notes += _system_notes(system, found, settings, documents, largest)
    scored = documents - facts.empty.count
    if scored < 10 and settings.interval != "none":
        notes.append(Note("warning", "intervals", too_few(scored)))
    notes += _foreign_notes(facts.foreign, documents)
    return notes + (_universe_notes(settings, list(facts.systems.values()), largest) if agreement and largest else [])


def _foreign_notes(foreign: Ids, documents: int) -> list[Note]:
    """Say where the universe of candidates holds nothing but what was chosen."""
    if not foreign.count:
        return []
    verbs = "has no English token in its text", "have no English token in their texts"
    text = part_of(foreign.count, documents, "document", *verbs)
    text += f", so N counts no candidate there, only what was chosen: {foreign}"
    return [Note("warning", "universe", text)]


def id_notes(corpus: Corpus, facts: Facts) -> list[Note]:
    """Name the fix that would make ids meet, where lists are missing on one side and unknown on the other."""
    if not any(one.unknown.count and one.lost.count for one in facts.systems.values()):
        return []
    return [
        Note("warning", "ids", f"the fix {fix} would match {match} of {of} ids of {left} and {right}")
        for fix, _, left, right, match, of in suggestions(corpus).itertuples(index=False)
    ]


def _system_notes(system: str, found: SystemFacts, settings: Settings, documents: int, largest: int) -> list[Note]:
    notes = list[Note]()
    if found.lost.count:
        policy = "left out" if settings.missing == "skip" else "scored as empty"
        text = f"no list for {found.lost.count} of {counted(documents, 'document')}, {policy}: {found.lost}"
        notes.append(Note("warning", system, text))
    if found.unknown.count:
        known = "that the gold standard does not have"
        lists = counted(found.unknown.count, f"list for a document {known} is", f"lists for documents {known} are")
        notes.append(Note("warning", system, f"{lists} ignored: {found.unknown}"))
    if found.short:
        shorter = part_of(found.short, documents - found.lost.count, "list", "is", "are")
        notes.append(Note("info", system, f"{shorter} shorter than k = {largest}"))
    if found.repeats:
        text = (
            f"{counted(found.repeats, 'phrase')} in {counted(found.in_lists, 'list')} "
            f"{'repeats' if found.repeats == 1 else 'repeat'} an earlier one after normalisation "
            f"(duplicates = {settings.duplicates})"
        )
        notes.append(Note("info", system, text))
    return notes


def _universe_notes(settings: Settings, systems: list[SystemFacts], largest: int) -> list[Note]:
    notes = []
    if settings.universe == "rankings":
        text = "N is the union of all loaded rankings and annotators, so adding a system changes every kappa"
        notes.append(Note("info", "universe", f"{text}; load the texts to count their n-grams instead"))
    chosen, n = max(one.chosen for one in systems), systems[0].universe
    rejected = min(one.rejected for one in systems)
    if n < 5 * chosen:
        text = f"N = {n:,.0f} is hardly larger than the {counted(round(chosen), 'phrase')} chosen at k = {largest}"
        notes.append(Note("warning", "universe", f"{text}, which pulls kappa down"))
    if n and rejected / n > 0.9:
        text = f"true negatives dominate (d/N = {rejected / n:.2f}): PABAK, P_neg and AC1 say little here"
        notes.append(Note("info", "universe", f"{text}; look at P_pos and kappa"))
    return notes


@dataclass(frozen=True)
class AgreementFacts(_Adding):
    """What the notes on an agreement say of documents.

    fewest, most   annotators of a document, among all, and fewest among those that two saw
    """

    documents: int = 0
    alone: Ids = Ids()
    fewest: int = field(default=2**31, metadata={"add": min})
    fewest_used: int = field(default=2**31, metadata={"add": min})
    most: int = field(default=0, metadata={"add": max})
    foreign: Ids = Ids()


def agreement_facts(data: Prepared) -> AgreementFacts:
    """Return what the notes on an agreement need to know."""
    documents, annotators = data.documents, data.choices.seen.sum(axis=0)
    alone = Ids.where(documents, annotators < 2)
    fewest = int(annotators[annotators > 1].min(initial=2**31))
    foreign = Ids.of(list(without_english(data.coded))) if data.settings.universe == "candidates" else Ids()
    return AgreementFacts(len(annotators), alone, int(annotators.min()), fewest, int(annotators.max()), foreign)


def agreement_notes(facts: AgreementFacts, pairs: int, settings: Settings) -> list[Note]:
    """Say which documents are missing from the agreement, and what is too small; pairs: those without intervals."""
    notes, used = [], facts.documents - facts.alone.count
    if facts.alone.count:
        verbs = "has fewer than two annotators and is", "have fewer than two annotators and are"
        alone = part_of(facts.alone.count, facts.documents, "document", *verbs)
        notes.append(Note("warning", "annotators", f"{alone} left out: {facts.alone}"))
    if pairs and settings.interval != "none":
        text = f"the {pairs:,} pairs of annotators have no intervals: they are too many"
        notes.append(Note("info", "intervals", text))
    if used < 10 and settings.interval != "none":
        notes.append(Note("warning", "intervals", too_few(used)))
    if facts.fewest != facts.most and used:
        text = f"not everybody saw every document: {facts.fewest_used} to {facts.most} annotators a document"
        notes.append(Note("info", "annotators", f"{text}; who did not see one is missing there, not a “no”"))
    notes += _foreign_notes(facts.foreign, facts.documents)
    if settings.universe == "rankings":
        text = (
            "N is the union of all annotators and loaded rankings, so another annotator or system changes every value"
        )
        notes.append(Note("info", "universe", text))
    return notes
