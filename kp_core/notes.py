"""Say in words what the reader of a result must know: who is missing, what is short, what a number cannot show."""

from __future__ import annotations

import numpy as np

from kp_core.baselines import BASELINES
from kp_core.coding import code
from kp_core.counting import Counted
from kp_core.counts import Cutoff
from kp_core.model import Corpus, Note
from kp_core.reading.meeting import suggestions
from kp_core.settings import Settings

_EMPTY_GOLD = {
    "skip": "left out",
    "zero": "scored 0",
    "one-if-empty": "scored 1 where the system is silent too, else 0",
}


def _named(ids: list[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (" …" if len(ids) > most else "")


def evaluation_notes(
    corpus: Corpus, settings: Settings, counted: dict[str, Counted], cutoffs: tuple[Cutoff, ...], agreement: bool
) -> list[Note]:
    """Return the notes on an evaluation, after those on loading."""
    names, notes = code(corpus).documents, list(corpus.report.notes)
    largest = max((c for c in cutoffs if isinstance(c, int)), default=0)
    systems = {name: counts for name, counts in counted.items() if name not in BASELINES}
    if not systems:
        return [*notes, Note("warning", "systems", "no system output is loaded, so there is nothing to score")]
    first = next(iter(systems.values())).ranking
    empty = [names[i] for i in np.flatnonzero((first.size == 0) & first.known)]
    unseen = [names[i] for i in np.flatnonzero(~first.known)]
    if unseen:
        text = f"{settings.annotators} did not see {len(unseen)} of {len(names)} documents, which are left out: "
        notes.append(Note("info", "gold", text + _named(unseen)))
    if empty:
        policy = _EMPTY_GOLD[settings.conventions.empty_gold]
        text = f"{len(empty)} of {len(names)} documents have no keyphrase, {policy}: {_named(empty)}"
        notes.append(Note("warning", "gold", text))
    notes += _id_notes(corpus, systems)
    for system in systems:
        notes += _system_notes(corpus, settings, system, systems[system], largest)
    if len(names) - len(empty) < 10 and settings.interval != "none":
        notes.append(
            Note("warning", "intervals", f"{len(names) - len(empty)} documents are too few for a reliable interval")
        )
    return notes + (_universe_notes(settings, systems, largest) if agreement and largest else [])


def _id_notes(corpus: Corpus, systems: dict[str, Counted]) -> list[Note]:
    """Name the fix that would make ids meet, where lists are missing on one side and unknown on the other."""
    runs = code(corpus).runs
    if not any(runs[name].unknown and not counts.ranking.listed.all() for name, counts in systems.items()):
        return []
    return [
        Note("warning", "ids", f"the fix {fix} would match {match} of {of} ids of {left} and {right}")
        for fix, _, left, right, match, of in suggestions(corpus).itertuples(index=False)
    ]


def _system_notes(corpus: Corpus, settings: Settings, system: str, counted: Counted, largest: int) -> list[Note]:
    coded, counts, notes = code(corpus), counted.ranking, list[Note]()
    lost = [coded.documents[i] for i in np.flatnonzero(~counts.listed)]
    if lost:
        policy = "left out" if settings.conventions.missing == "skip" else "scored as empty"
        text = f"no list for {len(lost)} of {len(coded.documents)} documents, {policy}: {_named(lost)}"
        notes.append(Note("warning", system, text))
    unknown = list(coded.runs[system].unknown)
    if unknown:
        text = f"lists for {len(unknown)} documents that the gold standard does not have are ignored: {_named(unknown)}"
        notes.append(Note("warning", system, text))
    short = int(((counts.length < largest) & (counts.size > 0) & counts.listed).sum())
    if short:
        text = f"{short} of {len(coded.documents)} lists are shorter than k = {largest}"
        notes.append(Note("info", system, text))
    if counts.duplicates.any():
        lists = int((counts.duplicates > 0).sum())
        text = (
            f"{int(counts.duplicates.sum())} phrases in {lists} lists repeat an earlier one after normalisation "
            f"(duplicates = {settings.conventions.duplicates})"
        )
        notes.append(Note("info", system, text))
    return notes


def _universe_notes(settings: Settings, systems: dict[str, Counted], largest: int) -> list[Note]:
    notes = []
    if settings.universe == "rankings":
        text = "N is the union of all loaded rankings and annotators, so adding a system changes every kappa"
        notes.append(Note("info", "universe", f"{text}; load the texts to count their n-grams instead"))
    at = [counts.table.at((largest,)) for counts in systems.values()]
    chosen = max(float((one.size + one.system_only).sum()) for one in at)
    n = float(at[0].universe.sum())
    rejected = min(float(one.neither.sum()) for one in at)
    if n < 5 * chosen:
        text = f"N = {n:.0f} is hardly larger than the {chosen:.0f} phrases chosen at k = {largest}"
        notes.append(Note("warning", "universe", f"{text}, which pulls kappa down"))
    if n and rejected / n > 0.9:
        text = f"true negatives dominate (d/N = {rejected / n:.2f}): PABAK, P_neg and AC1 say little here"
        notes.append(Note("info", "universe", f"{text}; look at P_pos and kappa"))
    return notes
