"""Say in words what the reader of a result must know: who is missing, what is short, what a number cannot show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import Note, counted, part_of
from kp_core.reading.identifiers import suggestions
from kp_core.scoring.codes import Bools
from kp_core.scoring.prepare import Prepared, without_english
from kp_core.scoring.systems import BASELINES, Counted
from kp_core.settings import Cutoff, Settings
from kp_core.studies import WORDS

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
class Facts:
    """What the notes on a result must know of the data; those of parts of the data add up.

    ids   kind → documents, or only how many; those of one system stand under kind/system:
          lost, unknown    documents without a list; lists without a document of the gold standard
          short            lists shorter than the largest cutoff
          repeats, lists   phrases that repeat an earlier one, and the lists with such
    sums  of each system at the largest cutoff: phrases that gold or system chose, N, and phrases of neither
    """

    ids: dict[str, Ids] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)

    def __getitem__(self, kind: str) -> Ids:
        return self.ids.get(kind, Ids())

    def __add__(self, other: Facts) -> Facts:
        ids = {kind: self[kind] + own for kind, own in other.ids.items()}
        return Facts(self.ids | ids, self.sums | {kind: self.sums.get(kind, 0.0) + n for kind, n in other.sums.items()})

    def under(self, kind: str) -> list[str]:
        """Return what follows a kind, such as the names of systems."""
        return [name.removeprefix(f"{kind}/") for name in self.ids if name.startswith(f"{kind}/")]


def evaluation_facts(data: Prepared, counted: dict[str, Counted], agreement: bool) -> Facts:
    """Return what the notes on an evaluation need to know."""
    documents, largest = data.coded.documents, _largest(data.settings.k)
    facts, sums = {"documents": Ids(len(documents))}, dict[str, float]()
    for name, both in counted.items():
        if name in BASELINES:
            continue
        counts = both.ranking
        facts |= {
            "empty": Ids.where(documents, (counts.size == 0) & counts.known),
            "unseen": Ids.where(documents, ~counts.known),
            f"lost/{name}": Ids.where(documents, ~counts.listed),
            f"unknown/{name}": Ids.of(list(data.coded.runs[name].unknown)),
            f"short/{name}": Ids(int(((counts.length < largest) & (counts.size > 0) & counts.listed).sum())),
            f"repeats/{name}": Ids(int(counts.duplicates.sum())),
            f"lists/{name}": Ids(int((counts.duplicates > 0).sum())),
        }
        if largest:
            at = both.table.at((largest,))
            for kind, cells in (("chosen", at.size + at.system_only), ("N", at.universe), ("neither", at.neither)):
                sums[f"{kind}/{name}"] = float(cells.sum())
    return Facts(facts | (_foreign(data) if agreement else {}), sums)


def _foreign(data: Prepared) -> dict[str, Ids]:
    return {"foreign": Ids.of(list(without_english(data.coded)))} if data.settings.universe == "candidates" else {}


def _largest(cutoffs: tuple[Cutoff, ...]) -> int:
    return max((c for c in cutoffs if isinstance(c, int)), default=0)


def evaluation_notes(facts: Facts, settings: Settings, agreement: bool, ids: Sequence[Note] = ()) -> list[Note]:
    """Say what the facts mean for the reader; ids: notes on the fixes that would make ids meet."""
    notes, documents, systems = list[Note](), facts["documents"].count, facts.under("lost")
    if not systems:
        return [Note("warning", "systems", "no system output is loaded, so there is nothing to score")]
    if (unseen := facts["unseen"]).count:
        left_out = part_of(unseen.count, documents, "document", "is", "are")
        text = f"{left_out} left out, because {settings.annotators} did not see them: {unseen}"
        notes.append(Note("info", "gold", text))
    if (empty := facts["empty"]).count:
        have = part_of(empty.count, documents, "document", "has", "have")
        policy = WORDS["empty_gold"][settings.empty_gold]
        notes.append(Note("warning", "gold", f"{have} no keyphrase, {policy}: {empty}"))
    notes += ids
    for system in systems:
        notes += _system_notes(system, facts, settings)
    notes += _few_notes(documents - empty.count, settings) + _foreign_notes(facts)
    return notes + (_universe_notes(settings, facts.sums) if agreement and facts.sums else [])


def _few_notes(documents: int, settings: Settings) -> list[Note]:
    few = documents < 10 and settings.interval != "none"
    return [Note("warning", "intervals", too_few(documents))] if few else []


def _foreign_notes(facts: Facts) -> list[Note]:
    """Say where the universe of candidates holds nothing but what was chosen."""
    if not (foreign := facts["foreign"]).count:
        return []
    verbs = "has no English token in its text", "have no English token in their texts"
    text = part_of(foreign.count, facts["documents"].count, "document", *verbs)
    return [Note("warning", "universe", f"{text}, so N counts no candidate there, only what was chosen: {foreign}")]


def id_notes(corpus: Corpus, facts: Facts) -> list[Note]:
    """Name the fix that would make ids meet, where lists are missing on one side and unknown on the other."""
    if not any(facts[f"unknown/{name}"].count and facts[f"lost/{name}"].count for name in facts.under("lost")):
        return []
    return [
        Note("warning", "ids", f"the fix {fix} would match {match} of {of} ids of {left} and {right}")
        for fix, _, left, right, match, of in suggestions(corpus).itertuples(index=False)
    ]


def _system_notes(system: str, facts: Facts, settings: Settings) -> list[Note]:
    notes, documents = list[Note](), facts["documents"].count
    lost, unknown, short, repeats, lists = (
        facts[f"{kind}/{system}"] for kind in ("lost", "unknown", "short", "repeats", "lists")
    )
    if lost.count:
        policy = "left out" if settings.missing == "skip" else "scored as empty"
        text = f"no list for {lost.count} of {counted(documents, 'document')}, {policy}: {lost}"
        notes.append(Note("warning", system, text))
    if unknown.count:
        known = "that the gold standard does not have"
        words = counted(unknown.count, f"list for a document {known} is", f"lists for documents {known} are")
        notes.append(Note("warning", system, f"{words} ignored: {unknown}"))
    if short.count:
        shorter = part_of(short.count, documents - lost.count, "list", "is", "are")
        notes.append(Note("info", system, f"{shorter} shorter than k = {_largest(settings.k)}"))
    if repeats.count:
        verb = "repeats" if repeats.count == 1 else "repeat"
        text = f"{counted(repeats.count, 'phrase')} in {counted(lists.count, 'list')} {verb} an earlier one"
        notes.append(Note("info", system, f"{text} after normalisation (duplicates = {settings.duplicates})"))
    return notes


def _universe_notes(settings: Settings, sums: dict[str, float]) -> list[Note]:
    notes = []
    if settings.universe == "rankings":
        text = "N is the union of all loaded rankings and annotators, so adding a system changes every kappa"
        notes.append(Note("info", "universe", f"{text}; load the texts to count their n-grams instead"))
    chosen, (n, *_), rejected = (
        [own for name, own in sums.items() if name.startswith(f"{kind}/")] for kind in ("chosen", "N", "neither")
    )
    if n < 5 * max(chosen):
        most = counted(round(max(chosen)), "phrase")
        text = f"N = {n:,.0f} is hardly larger than the {most} chosen at k = {_largest(settings.k)}"
        notes.append(Note("warning", "universe", f"{text}, which pulls kappa down"))
    if n and min(rejected) / n > 0.9:
        text = f"true negatives dominate (d/N = {min(rejected) / n:.2f}): PABAK, P_neg and AC1 say little here"
        notes.append(Note("info", "universe", f"{text}; look at P_pos and kappa"))
    return notes


def agreement_facts(data: Prepared) -> Facts:
    """Return what the notes on an agreement need to know: also how many documents so many annotators saw."""
    annotators = data.choices.seen.sum(axis=0)
    seen = zip(*np.unique_counts(annotators), strict=True)
    facts = {"documents": Ids(len(annotators)), "alone": Ids.where(data.documents, annotators < 2)}
    return Facts(facts | {f"seen/{number}": Ids(int(documents)) for number, documents in seen} | _foreign(data))


def agreement_notes(facts: Facts, pairs: int, settings: Settings) -> list[Note]:
    """Say which documents are missing from the agreement, and what is too small; pairs: those without intervals."""
    notes, documents, alone = list[Note](), facts["documents"].count, facts["alone"]
    annotators = sorted(map(int, facts.under("seen")))
    if alone.count:
        verbs = "has fewer than two annotators and is", "have fewer than two annotators and are"
        text = part_of(alone.count, documents, "document", *verbs)
        notes.append(Note("warning", "annotators", f"{text} left out: {alone}"))
    if pairs and settings.interval != "none":
        text = f"the {pairs:,} pairs of annotators have no intervals: they are too many"
        notes.append(Note("info", "intervals", text))
    notes += _few_notes(documents - alone.count, settings)
    if len(annotators) > 1 and annotators[-1] > 1:
        fewest = next(number for number in annotators if number > 1)
        text = f"not everybody saw every document: {fewest} to {annotators[-1]} annotators a document"
        notes.append(Note("info", "annotators", f"{text}; who did not see one is missing there, not a “no”"))
    notes += _foreign_notes(facts)
    if settings.universe == "rankings":
        text = "N is the union of all annotators and loaded rankings"
        notes.append(Note("info", "universe", f"{text}, so another annotator or system changes every value"))
    return notes
