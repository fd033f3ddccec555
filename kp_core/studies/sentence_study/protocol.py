"""Turn sentences and their classes into decisions of trees that did not see them, beside simple baselines.

Source: the protocol of Nomoto & Matsumoto 1997, as other sections of the paper report it: 40 “yes” and 200 “no” at
random, ten-fold cross-validation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kp_core.errors import UsageError
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies.sentence_study.extracts import Extracts
from kp_core.studies.sentence_study.trees import Node, folds, grown, nodes
from kp_core.studies.trimming import Form

#: Sentences drawn: “yes”, and “no” for each “yes”; with fewer “yes” than FEWEST the study does not run.
MOST_YES, NO_PER_YES, FEWEST_YES = 40, 5, 10
FOLDS, REPEATS = 10, 20
#: The share of sentences that people chose in the source.
SHARE = 0.1
TREE, NULL, MAJORITY, LEAD, RANDOM = (
    "C4.5-like tree",
    "tree, random trimming",
    "majority class",
    "lead 10 %",
    "random 10 %",
)
SYSTEMS = (TREE, NULL, MAJORITY, LEAD, RANDOM)


@dataclass(frozen=True)
class Plan:
    """How the study is done: form of trimming, draws, whether documents stay whole in folds, seed."""

    form: Form = "binary"
    repeats: int = REPEATS
    grouped: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise UsageError(f"repeats is {self.repeats}; at least one draw is needed")
        if self.seed < 0:
            raise UsageError(f"the seed is {self.seed}; it must not be negative")

    def as_dict(self) -> dict[str, str]:
        """Return the recipe as it is written."""
        return {
            "form": self.form,
            "draw": f"{MOST_YES}+{MOST_YES * NO_PER_YES}",
            "folds": str(FOLDS),
            "repeats": str(self.repeats),
            "grouped": "yes" if self.grouped else "no",
            "seed": str(self.seed),
            "learner": "c4.5-like",
        }


@dataclass(frozen=True)
class Left:
    """What is left at a threshold: documents, sentences of each class, and how many a draw takes.

    reason   why there is no draw, else ""
    """

    documents: int
    dropped: int
    yes: int
    no: int
    drawn_yes: int
    drawn_no: int
    reason: str


@dataclass(frozen=True)
class Repeat:
    """What one draw gave: a table (4, D) of every system, and the entropy that each attribute removed, by tree (T, F).

    A table holds hits, “yes” said, “yes” there, and sentences of each document.
    """

    tables: dict[str, Floats]
    importance: Floats


@dataclass(frozen=True)
class Outcome:
    """What one set of majorities (D,) gave: what is left, the draws, and the tree of the first; none without a draw."""

    majority: Ints
    left: Left
    repeats: tuple[Repeat, ...] = ()
    tree: tuple[Node, ...] = ()


def what_is_left(majority: Ints, yes: Bools, left: Bools, grouped: bool = False) -> Left:
    """Return what a draw takes of the sentences that are left (S,): 40 “yes”, or all, and five “no” for each, or all.

    >>> what_is_left(np.array([2, 0]), np.arange(100) < 12, np.ones(100, bool))
    Left(documents=1, dropped=1, yes=12, no=88, drawn_yes=12, drawn_no=60, reason='')
    """
    documents, there, others = int((majority > 0).sum()), int((yes & left).sum()), int((~yes & left).sum())
    reasons = {"few_yes": there < FEWEST_YES, "few_no": others < FEWEST_YES, "one_document": grouped and documents < 2}
    reason = next((reason for reason, holds in reasons.items() if holds), "")
    take = 0 if reason else min(MOST_YES, there)
    dropped = len(majority) - documents
    return Left(documents, dropped, there, others, take, min(NO_PER_YES * take, others), reason)


def draw(yes: Bools, left: Bools, size: Left, rng: np.random.Generator) -> Ints:
    """Return the sentences of one draw, in their order."""
    sides = ((yes & left, size.drawn_yes), (~yes & left, size.drawn_no))
    return np.sort(np.concatenate([rng.choice(np.flatnonzero(side), number, replace=False) for side, number in sides]))


def at_random(votes: Ints, document: Ints, size: Ints, rng: np.random.Generator) -> Bools:
    """Return a random part of the chosen sentences (S,), of a given size in each document (D,).

    votes, document   (S,) how many chose each sentence, and where it stands
    """
    order = np.lexsort((rng.random(len(votes)), votes == 0, document))
    start = np.searchsorted(document[order], np.arange(len(size)))
    kept = np.zeros(len(votes), bool)
    kept[order] = np.arange(len(votes)) - start[document[order]] < size[document[order]]
    return kept


def tenth(document: Ints, documents: int) -> Ints:
    """Return how many sentences are a tenth of each document (D,), rounded half up, at least one."""
    size = np.bincount(document, minlength=documents)
    return np.asarray(np.maximum(1, np.floor(SHARE * size + 0.5)), np.int64)


def cross_validated(
    matrix: Floats, yes: Bools, document: Ints, grouped: bool, rng: np.random.Generator
) -> tuple[Bools, Floats]:
    """Return decisions on sentences (S,) by trees that did not see them, and what the trees used (T, F)."""
    guess, importance = np.zeros(len(yes), bool), []
    for train, test in folds(yes, document, FOLDS, grouped, int(rng.integers(2**31))):
        tree = grown(matrix[train], yes[train], document[train], grouped, int(rng.integers(2**31)))
        guess[test] = tree.predict(matrix[test])
        importance.append(tree.feature_importances_)
    return guess, np.array(importance)


def one_repeat(sentences: Extracts, majority: Ints, size: Left, grouped: bool, seed: tuple[int, int]) -> Repeat:
    """Return the decisions of every system on one draw.

    seed   of the study, and the number of the repeat. The draw from the randomly trimmed gold standard takes the same
           random numbers, so that it is the same where nothing was trimmed.
    """
    matrix, document, left = sentences.columns.to_numpy(), sentences.document, sentences.left(majority)
    documents = len(majority)

    def learned(yes: Bools) -> tuple[Ints, Bools, Floats]:
        numbers = np.random.default_rng(seed)
        rows = draw(yes, left, size, numbers)
        return rows, *cross_validated(matrix[rows], yes[rows], document[rows], grouped, numbers)

    def table(guess: Bools, yes: Bools, rows: Ints) -> Floats:
        kinds = (guess & yes[rows], guess, yes[rows], np.ones(len(rows)))
        return np.stack([np.bincount(document[rows], kind, minlength=documents) for kind in kinds])

    yes, trims = sentences.yes(majority), np.random.default_rng((*seed, 1))
    rows, guess, importance = learned(yes)
    few = tenth(document, documents)
    anywhere = at_random(np.ones(len(yes), np.int64), document, few, trims)
    randomly = at_random(sentences.votes, document, np.bincount(document[yes], minlength=documents), trims)
    other_rows, other_guess, _ = learned(randomly)
    tables = {
        TREE: table(guess, yes, rows),
        NULL: table(other_guess, randomly, other_rows),
        MAJORITY: table(np.zeros(len(rows), bool), yes, rows),
        LEAD: table((sentences.place < few[document])[rows], yes, rows),
        RANDOM: table(anywhere[rows], yes, rows),
    }
    return Repeat(tables, importance)


def at_majority(
    sentences: Extracts, majority: Ints, plan: Plan, progress: Callable[[float], None] = lambda share: None
) -> Outcome:
    """Return what the draws give where a sentence of each document needs so many votes (D,), 0: not left."""
    yes, left = sentences.yes(majority), sentences.left(majority)
    size = what_is_left(majority, yes, left, plan.grouped)
    if size.reason:
        return Outcome(majority, size)
    repeats = []
    for number in range(plan.repeats):
        repeats.append(one_repeat(sentences, majority, size, plan.grouped, (plan.seed, number)))
        progress((number + 1) / plan.repeats)
    rows = draw(yes, left, size, np.random.default_rng((plan.seed, 0)))
    matrix = sentences.columns.to_numpy()[rows]
    tree = grown(matrix, yes[rows], sentences.document[rows], plan.grouped, plan.seed)
    return Outcome(majority, size, tuple(repeats), nodes(tree, list(sentences.columns), matrix, yes[rows]))
