"""Turn sentence extracts into a curve: how well a tree learns them, the more reliable they are made by trimming."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import REASONS, Note, UsageError
from kp_core.scoring import intervals
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Cells
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.overlap import ratio
from kp_core.settings import __version__
from kp_core.studies.result import json_of
from kp_core.studies.sentence_study.extracts import Extracts, extracts
from kp_core.studies.sentence_study.protocol import (
    FOLDS,
    MOST_YES,
    NO_PER_YES,
    SYSTEMS,
    Drawn,
    Repeat,
    Sentences,
    Task,
    draw,
    grown,
    one_repeat,
    plan,
)
from kp_core.studies.sentence_study.rules import Node, nodes
from kp_core.studies.trimming import FORMS, Form
from kp_core.studies.trimming_curve import THRESHOLDS

REPEATS, RESAMPLES = 20, 1000
#: Measures of “yes”; undefined where nobody says “yes” (P), or there is no “yes” (R).
MEASURES: dict[str, Callable[[Cells], Floats]] = {
    "accuracy": concordance.observed,
    "P": lambda cells: ratio(cells.hits, cells.returned, np.nan),
    "R": lambda cells: ratio(cells.hits, cells.size, np.nan),
    "F1": concordance.positive,
    "kappa": concordance.kappa,
}
#: Why a value is undefined, where the items are sentences.
_OF_SENTENCES = {
    "system_empty": "it says “yes” to no sentence",
    "gold_empty": "no sentence is “yes”",
    "both_empty": "no sentence is “yes”, and it says “yes” to none",
    "all_yes": "every sentence is “yes”",
    "no_items": "there is no sentence",
}
COLUMNS = ("threshold", "system", "measure", "subset", "value", "low", "high", "repeat_low", "repeat_high", "reason")


@dataclass(frozen=True)
class Plan:
    """How the study is done: form of trimming, draws, whether a document may stand on both sides of a fold, seed."""

    form: Form = "binary"
    repeats: int = REPEATS
    grouped: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"form is '{self.form}'; choose one of: {', '.join(FORMS)}")
        if self.repeats < 1:
            raise UsageError(f"repeats is {self.repeats}; at least one draw is needed")
        if self.seed < 0:
            raise UsageError(f"the seed is {self.seed}; it must not be negative")

    def as_dict(self) -> dict[str, str]:
        """Return the recipe as it is written."""
        grouped = "yes" if self.grouped else "no"
        return {
            "form": self.form,
            "draw": "40+200",
            "folds": str(FOLDS),
            "repeats": str(self.repeats),
            "grouped": grouped,
            "seed": str(self.seed),
            "learner": "c4.5-like",
        }


@dataclass(frozen=True)
class Outcome:
    """What one set of majorities gave: the draws, and the tree of the first of them; none of these without a draw."""

    majority: Ints
    drawn: Drawn
    repeats: tuple[Repeat, ...] = ()
    tree: tuple[Node, ...] = ()


@dataclass(frozen=True)
class SentenceStudy:
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

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return "|".join(["kps-sentences", *(f"{k}:{v}" for k, v in self.settings.items()), f"v:{__version__}"])

    def as_json(self) -> str:
        """Return the rows as the one object that the command line prints."""
        return json_of(self.frame, self.signature, self.settings, self.notes)


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
    how = Plan(form, repeats, grouped, seed)
    found = extracts(corpus, attributes, form)
    outcomes: dict[tuple[int, ...], Outcome] = {}
    by_threshold = {}
    for number, threshold in enumerate(thresholds):
        majority = found.majority(threshold)
        key = tuple(majority.tolist())
        if key not in outcomes:
            outcomes[key] = at_majority(found, majority, how, _part(progress, number, len(thresholds)))
        by_threshold[float(threshold)] = outcomes[key]
    return assemble(found, by_threshold, how)


def _part(progress: Callable[[float], None] | None, number: int, of: int) -> Callable[[float], None]:
    return lambda share: None if progress is None else progress((number + share) / of)


def at_majority(found: Extracts, majority: Ints, how: Plan, progress: Callable[[float], None] | None = None) -> Outcome:
    """Return what the study gives where a sentence of each document needs so many votes (D,), 0: not left."""
    columns, task = found.columns, _task(found, majority)
    seen = Sentences(columns.matrix, columns.attribute, found.document, found.place())
    drawn = plan(task.yes, task.kept)
    if not drawn.reason and how.grouped and (majority > 0).sum() < 2:
        drawn = Drawn(drawn.yes, drawn.no, 0, 0, "one_document")
    if drawn.reason:
        return Outcome(majority, drawn)
    repeats = []
    for number in range(how.repeats):
        repeats.append(one_repeat(seen, task, how.grouped, (how.seed, number)))
        if progress is not None:
            progress((number + 1) / how.repeats)
    rows = draw(task.yes, task.kept, np.random.default_rng((how.seed, 0)))
    matrix, yes = seen.matrix[rows], task.yes[rows]
    tree = grown(matrix, yes, seen.document[rows], how.grouped, how.seed)
    return Outcome(majority, drawn, tuple(repeats), tuple(nodes(tree, columns.names, matrix, yes)))


def _task(found: Extracts, majority: Ints) -> Task:
    yes = found.yes(majority)
    gold = np.bincount(found.document[yes], minlength=len(majority))
    return Task(yes, (majority > 0)[found.document], found.choices.votes, gold)


def assemble(found: Extracts, outcomes: dict[float, Outcome], how: Plan) -> SentenceStudy:
    """Return the study from what its thresholds gave."""
    rows, left, used = [], [], []
    for threshold, outcome in outcomes.items():
        drawn, kept = outcome.drawn, outcome.majority > 0
        left.append(
            (
                threshold,
                int(kept.sum()),
                int((~kept).sum()),
                drawn.yes,
                drawn.no,
                drawn.drawn_yes,
                drawn.drawn_no,
                REASONS.get(drawn.reason),
            )
        )
        if outcome.repeats:
            rows += [(threshold, *row) for row in _rows(found, outcome, kept, how)]
            share = np.mean([repeat.used for repeat in outcome.repeats], axis=0)
            importance = np.mean([repeat.importance for repeat in outcome.repeats], axis=0)
            each = zip(found.columns.attributes, share.tolist(), importance.tolist(), strict=True)
            used += [(threshold, *row) for row in each]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    names = ["threshold", "documents", "dropped", "yes", "no", "drawn_yes", "drawn_no", "reason"]
    table = pd.DataFrame(left, columns=names).astype({"reason": object})
    settings = {"t": ",".join(f"{threshold:g}" for threshold in outcomes), **how.as_dict()}
    return SentenceStudy(
        frame,
        table,
        pd.DataFrame(used, columns=["threshold", "attribute", "share", "importance"]),
        {threshold: outcome.tree for threshold, outcome in outcomes.items() if outcome.tree},
        settings,
        (*found.notes, *_notes(outcomes)),
    )


def _rows(found: Extracts, outcome: Outcome, kept: Bools, how: Plan) -> list[tuple[Any, ...]]:
    """Return system, measure, subset, value, bounds and reason of every system at one threshold."""
    kinds = sorted({group for group, there in zip(found.groups, kept, strict=True) if there and group})
    subsets = {"all": kept}
    for kind in kinds if len(kinds) > 1 else ():
        subsets[f"group:{kind}"] = kept & (np.array(found.groups) == kind)
    weights = {name: _weights(among, how.seed) for name, among in subsets.items()}
    rows: list[tuple[Any, ...]] = []
    for system in SYSTEMS:
        tables = np.stack([repeat.tables[system] for repeat in outcome.repeats]).astype(float)  # (R, 4, D)
        for subset, among in subsets.items():
            own = tables[:, :, among]
            total, draws = _cells(own.sum(axis=(0, 2))[:, None]), _cells(own.sum(axis=2).T)
            resampled = _cells((weights[subset] @ own.sum(axis=0).T).T)
            for measure, score in MEASURES.items():
                value = float(score(total)[0])
                low, high = (float(x[0]) for x in intervals.percentile(score(resampled)[:, None]))
                first, last = (float(x[0]) for x in intervals.percentile(score(draws)[:, None]))
                reason = _why(str(concordance.status(total)[0])) if np.isnan(value) else None
                rows.append((system, measure, subset, value, low, high, first, last, reason))
    return rows


def _why(status: str) -> str:
    """Return why a table of sentences has no value; the usual words speak of phrases."""
    return _OF_SENTENCES.get(status, REASONS[status])


def _weights(among: Bools, seed: int) -> Floats:
    return intervals.resample(int(among.sum()), RESAMPLES, np.random.default_rng(seed))


def _cells(table: Floats) -> Cells:
    """Return tables from hits, “yes” said, “yes” there and sentences, (4, K) → fields (K,)."""
    hits, said, there, number = table
    return Cells(hits, said, there, number, said)


def _notes(outcomes: dict[float, Outcome]) -> list[Note]:
    """Say at which thresholds the study does not run, and where a draw is smaller than that of the source."""
    notes = []
    for reason in dict.fromkeys(one.drawn.reason for one in outcomes.values() if one.drawn.reason):
        at = ", ".join(f"{t:g}" for t, one in outcomes.items() if one.drawn.reason == reason)
        notes.append(Note("warning", "draws", f"the study does not run at {at}: {REASONS[reason]}"))
    ran = {t: one.drawn for t, one in outcomes.items() if not one.drawn.reason}
    if small := {t: drawn for t, drawn in ran.items() if drawn.drawn_yes < MOST_YES}:
        at = ", ".join(f"{drawn.drawn_yes} at {t:g}" for t, drawn in small.items())
        notes.append(Note("info", "draws", f"fewer than {MOST_YES} sentences are “yes”, so all are drawn: {at}"))
    if scarce := {t: drawn for t, drawn in ran.items() if drawn.drawn_no < NO_PER_YES * drawn.drawn_yes}:
        at = ", ".join(f"{drawn.drawn_no} at {t:g}" for t, drawn in scarce.items())
        text = f"there are fewer than {NO_PER_YES} “no” for each “yes”, so all are drawn: {at}"
        notes.append(Note("warning", "draws", text))
    return notes
