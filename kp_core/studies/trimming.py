"""Turn the choices of several annotators into gold standards trimmed by agreement: K of every majority, looked up.

After Nomoto & Matsumoto 1997: the majority that a phrase needs grows until K of what is left reaches the threshold.
Removed votes become “no”; the universe and the number of annotators never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, part_of
from kp_core.scoring import annotator_tables
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.gold import Choices
from kp_core.scoring.measures import concordance
from kp_core.scoring.prepare import prepare_annotators
from kp_core.scoring.table_cells import Cells
from kp_core.settings import Changes, Settings
from kp_core.studies.result import Answer

Form = Literal["binary", "choices"]
FORMS = ("binary", "choices")
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Levels:
    """What is left of each document when a phrase needs 1, 2, …, S votes.

    K       (D, S) agreement, NaN where undefined or nothing is left; gold (D, S) phrases kept
    reason  (D,) why a document has no level at all, else ""
    """

    K: Floats
    gold: Ints
    reason: NDArray[np.str_]

    def size(self, threshold: float) -> Ints:
        """Return the smallest majority of each document whose K reaches the threshold (D,), 0 if none does."""
        reached = np.greater_equal(self.K, threshold - _TOLERANCE)
        return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)

    def best(self) -> Ints:
        """Return the majority of each document with the highest K (D,), the largest of several; 0 if there is none."""
        highest = np.where(np.isnan(self.K), -np.inf, np.round(self.K, 12))
        last = self.K.shape[1] - highest[:, ::-1].argmax(axis=1)
        return np.where(np.isnan(self.K).all(axis=1), 0, last)


def _kept(choices: Choices, votes: int) -> Choices:
    """Return the choices of phrases with so many votes; the others become a “no”."""
    return choices.where(choices.votes[choices.item] >= votes)


def levels(choices: Choices, universe: Floats, pooled: bool = False) -> Levels:
    """Return all levels in the binary form: a phrase is an item, yes and no are the categories.

    pooled: one K for all documents together, so that every document has the same majority.
    """
    seen, most = choices.seen.sum(axis=0), max(1, int(choices.seen.sum(axis=0).max(initial=1)))
    k, gold = np.full((len(seen), most), np.nan), np.zeros((len(seen), most), np.int64)
    votes = choices.votes
    for size in range(1, most + 1):
        panel: Cells = annotator_tables.panel(_kept(choices, size), universe)
        gold[:, size - 1] = np.bincount(choices.document, votes >= size, minlength=len(seen))
        value = concordance.scott_pi(panel.pooled(np.ones((1, len(seen)))) if pooled else panel)[:, 0]
        k[:, size - 1] = np.where(gold[:, size - 1] > 0, value, np.nan)
    reason = np.select(
        [seen < 2, gold[:, 0] == 0, np.isnan(k[:, 0])], ["single_annotator", "both_empty", "all_yes"], ""
    )
    k[seen < 2] = np.nan
    return Levels(k, gold, reason)


def choice_matrix(lists: Sequence[Sequence[int]]) -> Ints:
    """Return how many annotators made each item their i-th choice: rows choices, columns items, in ascending order.

    >>> choice_matrix([[1, 4], [1, 5]]).tolist()
    [[2, 0, 0], [0, 1, 1]]
    """
    items = sorted({item for one in lists for item in one})
    matrix = np.zeros((len(lists[0]) if lists else 0, len(items)), np.int64)
    for one in lists:
        matrix[np.arange(len(one)), [items.index(item) for item in one]] += 1
    return matrix


def choice_levels(matrix: Ints, annotators: int) -> tuple[Floats, Ints]:
    """Return K and the items left when an item needs 1, 2, … votes, in the choice-matrix form.

    Items are the i-th choices, categories the sentences or phrases. The formulas are reconstructed: the source lacks
    them. Unlike the binary form, K may fall as the majority grows, and depends on the order of the choices.
    """
    k, left = np.full(annotators, np.nan), np.zeros(annotators, np.int64)
    for size in range(1, annotators + 1):
        kept = matrix[:, matrix.sum(axis=0) >= size]
        left[size - 1] = kept.shape[1]
        rows = kept[kept.sum(axis=1) >= 2].astype(float)
        if kept.shape[1] < 2 or not len(rows):
            continue
        n = rows.sum(axis=1)
        observed = float(((rows * (rows - 1)).sum(axis=1) / (n * (n - 1))).mean())
        share = rows.sum(axis=0) / n.sum()
        chance = float((share**2).sum())
        k[size - 1] = (observed - chance) / (1 - chance) if chance < 1 else np.nan
    return k, left


def _choice_levels(choices: Choices) -> Levels:
    """Return all levels in the choice-matrix form; the order is that of each annotator's list in the file."""
    seen = choices.seen
    most = max(1, int(seen.sum(axis=0).max(initial=1)))
    k, gold = np.full((seen.shape[1], most), np.nan), np.zeros((seen.shape[1], most), np.int64)
    reason = np.full(seen.shape[1], "", dtype="<U20")
    order = np.lexsort((choices.place, choices.annotator, choices.document[choices.item]))
    item, owner = choices.item[order], choices.annotator[order]
    bounds = np.searchsorted(choices.document[item], np.arange(seen.shape[1] + 1))
    for document in range(seen.shape[1]):
        here = slice(bounds[document], bounds[document + 1])
        lists = [item[here][owner[here] == r].tolist() for r in np.flatnonzero(seen[:, document])]
        if len(lists) < 2:
            reason[document] = "single_annotator"
        elif len({len(one) for one in lists}) != 1:
            reason[document] = "unequal_choices"
        elif not lists[0]:
            reason[document] = "both_empty"
        else:
            found, left = choice_levels(choice_matrix(lists), len(lists))
            k[document, : len(found)], gold[document, : len(left)] = found, left
            if np.isnan(found).all():
                reason[document] = "one_item"
    return Levels(k, gold, reason)


def levels_of(choices: Choices, universe: Floats, form: Form = "binary", pooled: bool = False) -> Levels:
    """Return all levels in either form; pooled is for the binary form."""
    if form not in FORMS:
        raise UsageError(f"form is '{form}'; choose one of: {', '.join(FORMS)}")
    return levels(choices, universe, pooled) if form == "binary" else _choice_levels(choices)


@dataclass(frozen=True)
class Trimmed(Answer):
    """A gold standard trimmed at one threshold, and everything needed to look any other threshold up.

    frame   one row a document: majority size reached, K and number of phrases there, status ok or unreachable, reason;
            an unreachable document shows its best level
    """

    frame: pd.DataFrame
    levels: Levels
    settings: Settings
    documents: int
    notes: tuple[Note, ...]
    caption: str = "Gold standard trimmed by agreement"


def trim(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    threshold: float | None = None,
    *,
    pooled: bool | None = None,
    form: Form | None = None,
    **changes: Unpack[Changes],
) -> Trimmed:
    """Trim the gold standard of a corpus until the agreement on what is left reaches a threshold (0.5).

    pooled   one majority for all documents, by their pooled K, in place of one for each document
    form     binary (phrases, yes or no), or choices (the choice matrix of the source; only where all annotators of a
             document chose equally many)

    What is not given is as `settings.trim` says, as in a signature. Source: Nomoto & Matsumoto 1997.
    """
    settings = (settings or Settings()).changed(**changes)
    said = settings.trim.split("-") if settings.trim else []
    negative = said[:1] == [""]  # a threshold below 0 begins with the sign that separates the parts
    said = [f"-{said[1]}", *said[2:]] if negative else said
    if threshold is None and said[:1] == ["every"]:
        raise UsageError("this recipe is that of a curve over all thresholds; name one threshold")
    threshold = float(said[0]) if threshold is None and said else 0.5 if threshold is None else threshold
    pooled = "pooled" in said if pooled is None else pooled
    form = ("choices" if "choices" in said else "binary") if form is None else form
    if form not in FORMS:
        raise UsageError(f"form is '{form}'; choose one of: {', '.join(FORMS)}")
    if not -1 <= threshold <= 1:
        raise UsageError(f"the threshold is {threshold:g}; K is between -1 and 1")
    if pooled and form == "choices":
        raise UsageError("the choice-matrix form exists for one document at a time; leave out pooled")
    data = prepare_annotators(corpus, settings.changed(trim="", interval="none"))
    found = levels_of(data.choices, data.universe, form, pooled)
    frame = at_threshold(found, threshold, data.documents)
    lost = frame.loc[frame["status"] == "unreachable", "document"].tolist()
    notes = list(data.notes)
    if lost:
        named = ", ".join(lost[:5]) + (" …" if len(lost) > 5 else "")
        at = f"reach K = {threshold:g} and"
        verbs = f"does not {at} leaves the gold", f"do not {at} leave the gold"
        text = f"{part_of(len(lost), len(frame), 'document', *verbs)}: {named}"
        notes.append(Note("warning", "trimming", text))
    recipe = data.settings.changed(trim=f"{threshold:g}-{form}{'-pooled' if pooled else ''}")
    return Trimmed(frame, found, recipe, len(data.documents), tuple(notes))


def at_threshold(found: Levels, threshold: float, documents: Sequence[str]) -> pd.DataFrame:
    """Return one row a document: the majority at which it reaches the threshold, or its best level."""
    size, best = found.size(threshold), found.best()
    shown = np.where(size > 0, size, best)
    place = np.maximum(shown - 1, 0)
    row = np.arange(len(shown))
    ok = size > 0
    reason = np.where(ok, "", np.where(found.reason != "", found.reason, "no_majority"))
    frame = pd.DataFrame(
        {
            "document": list(documents),
            "size": pd.array(np.where(shown > 0, shown, 0), "Int64"),
            "K": np.where(shown > 0, found.K[row, place], np.nan),
            "gold": pd.array(np.where(shown > 0, found.gold[row, place], 0), "Int64"),
            "status": np.where(ok, "ok", "unreachable"),
            "reason": [str(one) or None for one in reason],
        }
    )
    frame.loc[shown == 0, ["size", "gold"]] = pd.NA
    return frame
