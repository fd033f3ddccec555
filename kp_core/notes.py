"""Say in words what the reader of a result must know: who is missing, what is short, what a number cannot show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kp_core.coding import code
from kp_core.counts import Cutoff
from kp_core.model import Corpus, Note
from kp_core.settings import Settings

if TYPE_CHECKING:
    from kp_core.counting import Counted


def _named(ids: list[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (" …" if len(ids) > most else "")


def evaluation_notes(
    corpus: Corpus, settings: Settings, counted: dict[str, Counted], cutoffs: tuple[Cutoff, ...], agreement: bool
) -> list[Note]:
    """Return the notes on an evaluation, after those on loading."""
    coded, notes = code(corpus), list(corpus.report.notes)
    names, numbers = coded.documents, [c for c in cutoffs if isinstance(c, int)]
    first = next(iter(counted.values()), None)
    if first is None:
        return [*notes, Note("warning", "systems", "No system output is loaded, so there is nothing to score.")]
    empty = np.flatnonzero(first.ranking.size == 0)
    if len(empty):
        text = {"skip": "is left out", "zero": "counts as 0", "one-if-empty": "counts as 1 for a silent system, else 0"}
        shown = _named([names[i] for i in empty])
        notes.append(Note("warning", "gold", f"{len(empty)} of {len(names)} documents have no keyphrase; each "
                          f"{text[settings.conventions.empty_gold]}: {shown}"))  # fmt: skip
    for system, run in coded.runs.items():
        lost = [names[i] for i in np.flatnonzero(~run.listed)]
        if lost:
            policy = "left out" if settings.conventions.missing == "skip" else "scored as empty"
            notes.append(Note("warning", system, f"no list for {len(lost)} of {len(names)} documents, {policy}: {_named(lost)}"))
        if run.unknown:
            notes.append(Note("warning", system, f"{len(run.unknown)} documents are not in the gold standard and are "
                              f"ignored: {_named(list(run.unknown))}"))  # fmt: skip
        counts = counted[system].ranking
        if numbers:
            short = int(((counts.length < max(numbers)) & (counts.size > 0)).sum())
            if short:
                notes.append(Note("info", system, f"{short} of {len(names)} lists are shorter than k = {max(numbers)}"))
        repeated = int(counts.duplicates.sum())
        if repeated:
            lists = int((counts.duplicates > 0).sum())
            notes.append(Note("info", system, f"{repeated} phrases in {lists} lists repeat an earlier one after "
                              f"normalisation (duplicates = {settings.conventions.duplicates})"))  # fmt: skip
    if len(names) < 10:
        notes.append(Note("warning", "intervals", f"{len(names)} documents are too few for a reliable interval"))
    if agreement:
        notes += _universe_notes(settings, counted, numbers)
    return notes


def _universe_notes(settings: Settings, counted: dict[str, Counted], numbers: list[int]) -> list[Note]:
    notes = []
    if settings.universe == "rankings":
        notes.append(Note("info", "universe", "N is the union of all loaded rankings and annotators; adding a system "
                          "changes every kappa. Load the texts to count their n-grams instead."))  # fmt: skip
    from kp_core.counting import BASELINES

    at = [counts.table.at((max(numbers),)) for name, counts in counted.items() if name not in BASELINES] if numbers else []
    if at:
        chosen = max(float((one.size + one.system_only).sum()) for one in at)
        n = float(at[0].universe.sum())
        share = min(float(one.neither.sum()) for one in at) / n if n else 0.0
        if n < 5 * chosen:
            notes.append(Note("warning", "universe", "The universe is hardly larger than the selection "
                              f"(N = {n:.0f} for {chosen:.0f} chosen phrases): kappa is pulled down."))  # fmt: skip
        if share > 0.9:
            notes.append(Note("info", "universe", f"True negatives dominate (d/N = {share:.2f}): PABAK, P_neg and AC1 "
                              "say little; look at P_pos and kappa."))  # fmt: skip
    return notes
