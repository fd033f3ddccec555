"""Turn sentence extracts into a curve: how well a tree learns them, the more reliable they are made by trimming."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import REASONS, Note
from kp_core.scoring import intervals
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures import concordance
from kp_core.scoring.table_cells import Cells, ratio
from kp_core.settings import __version__
from kp_core.studies.result import Answer
from kp_core.studies.sentence_study.extracts import Extracts, extracts
from kp_core.studies.sentence_study.protocol import MOST_YES, NO_PER_YES, REPEATS, SYSTEMS, Outcome, Plan, at_majority
from kp_core.studies.sentence_study.trees import Node
from kp_core.studies.trimming import Form
from kp_core.studies.trimming_curve import THRESHOLDS

RESAMPLES = 1000
#: Measures of “yes”; undefined where nobody says “yes” (P), or there is no “yes” (R).
MEASURES: dict[str, Callable[[Cells], Floats]] = {
    "accuracy": concordance.observed,
    "P": lambda cells: ratio(cells.hits, cells.returned, np.nan),
    "R": lambda cells: ratio(cells.hits, cells.size, np.nan),
    "F1": concordance.positive,
    "kappa": concordance.kappa,
}
#: Why a value is undefined, where the items are sentences; the usual words speak of phrases.
_REASONS = REASONS | {
    "system_empty": "it says “yes” to no sentence",
    "gold_empty": "no sentence is “yes”",
    "both_empty": "no sentence is “yes”, and it says “yes” to none",
    "all_yes": "every sentence is “yes”",
    "no_items": "there is no sentence",
}
COLUMNS = ("threshold", "system", "measure", "subset", "value", "low", "high", "repeat_low", "repeat_high", "reason")


@dataclass(frozen=True)
class SentenceStudy(Answer):
    """A study over thresholds.

    frame   one row a threshold, system, measure and subset: value over all draws, its 95 % interval over documents
            (bootstrap, with the trees as they are), and the range of 95 % of the draws
    left    one row a threshold: documents and sentences left and drawn, or the reason why the study does not run there
    used    one row a threshold and attribute: share of the trees that use it, and its mean importance
    trees   threshold → nodes of the tree of the first draw
    """

    frame: pd.DataFrame
    left: pd.DataFrame
    used: pd.DataFrame
    trees: dict[float, tuple[Node, ...]]
    settings: dict[str, str]
    notes: tuple[Note, ...]
    caption = "Sentence study"

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return "|".join(["kps-sentences", *(f"{k}:{v}" for k, v in self.settings.items()), f"v:{__version__}"])


def sentence_study(
    corpus: Corpus,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    attributes: pd.DataFrame | None = None,
    form: Form = "binary",
    repeats: int = REPEATS,
    grouped: bool = False,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> SentenceStudy:
    """Learn which sentences people choose, at every threshold of agreement, and say how well that goes.

    corpus      texts, and a gold standard that names sentences (`list_sentences`) by two or more annotators
    attributes  table with a column `sentence` and attributes that take the place of computed ones
    grouped     no document stands on both sides of a fold: stricter than the source
    progress    called with the share that is done; what it raises stops the study

    Source: Nomoto & Matsumoto 1997, reconstructed where our source lacks formulas; the tree is not C4.5.
    """
    plan = Plan(form, repeats, grouped, seed)
    sentences = extracts(corpus, attributes, form)

    def tell_after(thresholds_done: int) -> Callable[[float], None]:
        return lambda share: progress((thresholds_done + share) / len(thresholds)) if progress else None

    same: dict[tuple[int, ...], Outcome] = {}  # several thresholds often ask for the same votes
    outcomes = {}
    for number, threshold in enumerate(thresholds):
        majority = sentences.majority(threshold)
        votes = tuple(majority.tolist())
        if votes not in same:
            same[votes] = at_majority(sentences, majority, plan, tell_after(number))
        outcomes[float(threshold)] = same[votes]
    return assemble(sentences, outcomes, plan)


def assemble(sentences: Extracts, outcomes: dict[float, Outcome], plan: Plan) -> SentenceStudy:
    """Return the study from what its thresholds gave."""
    rows, used = [], []
    for threshold, outcome in outcomes.items():
        if outcome.repeats:
            rows += [(threshold, *row) for row in _rows(sentences, outcome, plan.seed)]
            trees = pd.DataFrame(
                np.concatenate([repeat.importance for repeat in outcome.repeats]), columns=sentences.columns.columns
            )
            removed = trees.T.groupby(level=0, sort=False).sum().T
            shares = zip(removed.columns, (removed > 0).mean(), removed.mean(), strict=True)
            used += [(threshold, *row) for row in shares]
    left = [{"threshold": threshold, **vars(outcome.left)} for threshold, outcome in outcomes.items()]
    settings = {"t": ",".join(f"{threshold:g}" for threshold in outcomes), **plan.as_dict()}
    return SentenceStudy(
        pd.DataFrame(rows, columns=list(COLUMNS)),
        pd.DataFrame([{**row, "reason": REASONS.get(row["reason"])} for row in left]).astype({"reason": object}),
        pd.DataFrame(used, columns=["threshold", "attribute", "share", "importance"]),
        {threshold: outcome.tree for threshold, outcome in outcomes.items() if outcome.tree},
        settings,
        (*sentences.notes, *_notes(outcomes)),
    )


def _rows(sentences: Extracts, outcome: Outcome, seed: int) -> list[tuple[Any, ...]]:
    """Return system, measure, subset, value, bounds and reason of every system at one threshold."""
    groups, kept = np.array(sentences.groups), outcome.majority > 0
    kinds = sorted(set(groups[kept]) - {""})
    subsets = {"all": kept}
    if len(kinds) > 1:
        subsets |= {f"group:{kind}": kept & (groups == kind) for kind in kinds}
    weights = {
        subset: intervals.resample(int(among.sum()), RESAMPLES, np.random.default_rng(seed))
        for subset, among in subsets.items()
    }
    rows: list[tuple[Any, ...]] = []
    for system in SYSTEMS:
        tables = np.stack([repeat.tables[system] for repeat in outcome.repeats])  # (R, 4, D)
        for subset, among in subsets.items():
            inside = tables[:, :, among]
            total, draws = _cells(inside.sum(axis=(0, 2))[:, None]), _cells(inside.sum(axis=2).T)
            resampled = _cells((weights[subset] @ inside.sum(axis=0).T).T)
            for measure, score in MEASURES.items():
                value = float(score(total)[0])
                bounds = (x for cells in (resampled, draws) for x in intervals.percentile(score(cells)[:, None]))
                reason = _REASONS[str(concordance.status(total)[0])] if np.isnan(value) else None
                rows.append((system, measure, subset, value, *(float(bound[0]) for bound in bounds), reason))
    return rows


def _cells(table: Floats) -> Cells:
    """Return tables from hits, “yes” said, “yes” there and sentences, (4, K) → fields (K,)."""
    hits, said, there, number = table
    return Cells(hits, said, there, number, said)


def _notes(outcomes: dict[float, Outcome]) -> list[Note]:
    """Say at which thresholds the study does not run, and where a draw is smaller than that of the source."""
    notes, left = [], {f"{threshold:g}": outcome.left for threshold, outcome in outcomes.items()}
    for reason in dict.fromkeys(size.reason for size in left.values() if size.reason):
        at = ", ".join(threshold for threshold, size in left.items() if size.reason == reason)
        notes.append(Note("warning", "draws", f"the study does not run at {at}: {REASONS[reason]}"))
    few = {t: size.drawn_yes for t, size in left.items() if 0 < size.drawn_yes < MOST_YES}
    if at := ", ".join(f"{number} at {threshold}" for threshold, number in few.items()):
        notes.append(Note("info", "draws", f"fewer than {MOST_YES} sentences are “yes”, so all are drawn: {at}"))
    scarce = {t: size.drawn_no for t, size in left.items() if size.drawn_no < NO_PER_YES * size.drawn_yes}
    if at := ", ".join(f"{number} at {threshold}" for threshold, number in scarce.items()):
        text = f"there are fewer than {NO_PER_YES} “no” for each “yes”, so all are drawn: {at}"
        notes.append(Note("warning", "draws", text))
    return notes
