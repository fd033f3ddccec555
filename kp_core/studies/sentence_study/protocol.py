"""Turn sentences and their classes into decisions of trees that did not see them, beside simple baselines.

Source: the protocol of Nomoto & Matsumoto 1997, as other sections of the paper report it: 40 “yes” and 200 “no” at
random, ten-fold cross-validation. The tree is scikit-learn's, not C4.5: entropy, no gain ratio, pruned otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kp_core.scoring.codes import Bools, Floats, Ints

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

#: Sentences drawn: “yes”, and “no” for each “yes”; with fewer “yes” than FEWEST the study does not run.
MOST_YES, NO_PER_YES, FEWEST_YES = 40, 5, 10
FOLDS, INNER_FOLDS = 10, 3
#: Pruning strengths to choose from: how many bits a leaf must save, over all sentences of the training folds.
PRUNING = (0.0, 0.005, 0.01, 0.02, 0.04)
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
class Sentences:
    """What a tree may see of S sentences: attributes as columns (S, F), document (S,), and place in the text (S,).

    attribute   (F,) number of the attribute that each column belongs to; a category has several
    """

    matrix: Floats
    attribute: Ints
    document: Ints
    place: Ints


@dataclass(frozen=True)
class Drawn:
    """How many sentences of each class there are, and how many a draw takes; reason why there is no draw, else ""."""

    yes: int
    no: int
    drawn_yes: int
    drawn_no: int
    reason: str


@dataclass(frozen=True)
class Task:
    """Which sentences are “yes” (S,), which stand in a document that is left (S,), how many people chose each (S,).

    gold   (D,) how many sentences of each document are “yes”
    """

    yes: Bools
    kept: Bools
    votes: Ints
    gold: Ints


def plan(yes: Bools, kept: Bools) -> Drawn:
    """Return what a draw takes: 40 “yes”, or all, and five “no” for each, or all.

    >>> plan(np.arange(100) < 12, np.ones(100, bool))
    Drawn(yes=12, no=88, drawn_yes=12, drawn_no=60, reason='')
    """
    there, others = int((yes & kept).sum()), int((~yes & kept).sum())
    reason = "few_yes" if there < FEWEST_YES else "few_no" if others < FEWEST_YES else ""
    take = 0 if reason else min(MOST_YES, there)
    return Drawn(there, others, take, min(NO_PER_YES * take, others), reason)


def draw(yes: Bools, kept: Bools, rng: np.random.Generator) -> Ints:
    """Return the sentences of one draw, in their order."""
    planned = plan(yes, kept)
    ones = rng.choice(np.flatnonzero(yes & kept), planned.drawn_yes, replace=False)
    others = rng.choice(np.flatnonzero(~yes & kept), planned.drawn_no, replace=False)
    return np.sort(np.concatenate([ones, others]))


def at_random(votes: Ints, document: Ints, gold: Ints, rng: np.random.Generator) -> Bools:
    """Return a random part of the chosen sentences, as large in each document as its trimmed gold standard (D,).

    votes, document   (S,) how many chose each sentence, and where it stands
    """
    order = np.lexsort((rng.random(len(votes)), votes == 0, document))
    start = np.searchsorted(document[order], np.arange(len(gold)))
    kept = np.zeros(len(votes), bool)
    kept[order] = np.arange(len(votes)) - start[document[order]] < gold[document[order]]
    return kept


def folds(yes: Bools, document: Ints, number: int, grouped: bool, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Give training and test sentences of stratified folds; grouped: no document stands on both sides."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    number = min(number, int(yes.sum()), int((~yes).sum()), len(np.unique(document)) if grouped else len(yes))
    if number < 2:
        return
    kind = StratifiedGroupKFold if grouped else StratifiedKFold
    yield from kind(number, shuffle=True, random_state=seed).split(yes, yes, document if grouped else None)


def learner(pruning: float, seed: int) -> DecisionTreeClassifier:
    """Return the learner; `pruning` is scikit-learn's ccp_alpha, and the seed orders attributes that split alike."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=pruning, random_state=seed)


def errors_when_pruned(whole: DecisionTreeClassifier, matrix: Floats, yes: Bools) -> Ints:
    """Return the errors of a tree at every strength of `PRUNING` (P,), as if it had been grown with it.

    A node becomes a leaf if that costs no more than the cheapest subtree below it; cost is entropy plus the strength
    for each leaf (Breiman et al. 1984, ch. 3). Growing it anew for every strength would take four times as long.
    """
    inside, leaf = whole.tree_, whole.apply(matrix)
    left, right = inside.children_left, inside.children_right
    share = inside.weighted_n_node_samples / inside.weighted_n_node_samples[0]
    alone = (inside.impurity * share)[:, None] + np.array(PRUNING)
    cheapest, cut = alone.copy(), np.ones(alone.shape, bool)
    for node in np.flatnonzero(left >= 0)[::-1]:  # children stand after their parent
        below = cheapest[left[node]] + cheapest[right[node]]
        cut[node] = alone[node] <= below + 1e-12
        cheapest[node] = np.minimum(alone[node], below)
    decides = np.tile(np.arange(len(left))[:, None], len(PRUNING))
    for node in np.flatnonzero(left >= 0):
        for child in (left[node], right[node]):
            decides[child] = np.where(cut[node] | (decides[node] != node), decides[node], child)
    said = whole.classes_[inside.value[:, 0].argmax(axis=1)]
    return np.asarray((said[decides[leaf]] != yes[:, None]).sum(axis=0))


def grown(matrix: Floats, yes: Bools, document: Ints, grouped: bool, seed: int) -> DecisionTreeClassifier:
    """Return a tree whose pruning strength makes the fewest errors in inner folds; of equal ones the strongest."""
    errors = np.zeros(len(PRUNING), np.int64)
    for train, test in folds(yes, document, INNER_FOLDS, grouped, seed):
        errors += errors_when_pruned(learner(0.0, seed).fit(matrix[train], yes[train]), matrix[test], yes[test])
    best = len(PRUNING) - 1 - int(np.argmin(errors[::-1]))
    return learner(PRUNING[best], seed).fit(matrix, yes)


def cross_validated(
    seen: Sentences, yes: Bools, rows: Ints, grouped: bool, rng: np.random.Generator
) -> tuple[Bools, Floats, Floats]:
    """Return decisions on the sentences of one draw by trees that did not see them, and what the trees used.

    Share of the trees that split by each attribute (A,), and its mean share of the entropy removed (A,).
    """
    matrix, classes, document = seen.matrix[rows], yes[rows], seen.document[rows]
    guess, importance = np.zeros(len(rows), bool), []
    for train, test in folds(classes, document, FOLDS, grouped, int(rng.integers(2**31))):
        found = grown(matrix[train], classes[train], document[train], grouped, int(rng.integers(2**31)))
        guess[test] = found.predict(matrix[test])
        importance.append(found.feature_importances_)
    belongs = seen.attribute[:, None] == np.arange(seen.attribute.max() + 1)
    removed = np.array(importance) @ belongs
    return guess, (removed > 0).mean(axis=0), removed.mean(axis=0)


def table(guess: Bools, yes: Bools, document: Ints, documents: int) -> Floats:
    """Return hits, “yes” said, “yes” there, and sentences of each document (4, D)."""
    kinds = (guess & yes, guess, yes, np.ones(len(yes)))
    return np.stack([np.bincount(document, kind, minlength=documents) for kind in kinds])


def tenth(document: Ints, documents: int) -> Ints:
    """Return how many sentences are a tenth of each document (D,), rounded half up, at least one."""
    size = np.bincount(document, minlength=documents)
    return np.asarray(np.maximum(1, np.floor(SHARE * size + 0.5)), np.int64)


@dataclass(frozen=True)
class Repeat:
    """What one draw gave: a table (4, D) of every system, and what its trees used (A,), by attribute."""

    tables: dict[str, Floats]
    used: Floats
    importance: Floats


def one_repeat(seen: Sentences, task: Task, grouped: bool, seed: tuple[int, int]) -> Repeat:
    """Return the decisions of every system on one draw.

    seed   of the study, and the number of the repeat. The draw from the randomly trimmed gold standard takes the same
           random numbers, so that it is the same where nothing was trimmed.
    """
    trims, numbers = np.random.default_rng((*seed, 1)), np.random.default_rng(seed)
    documents = len(task.gold)
    rows = draw(task.yes, task.kept, numbers)
    guess, used, importance = cross_validated(seen, task.yes, rows, grouped, numbers)
    few = tenth(seen.document, documents)
    anywhere = at_random(np.ones(len(task.yes), np.int64), seen.document, few, trims)
    said = {
        TREE: guess,
        MAJORITY: np.zeros(len(rows), bool),
        LEAD: (seen.place < few[seen.document])[rows],
        RANDOM: anywhere[rows],
    }
    found = {name: table(one, task.yes[rows], seen.document[rows], documents) for name, one in said.items()}
    other = at_random(task.votes, seen.document, task.gold, trims)
    if (other == task.yes).all():
        found[NULL] = found[TREE]
    else:
        numbers = np.random.default_rng(seed)
        rows = draw(other, task.kept, numbers)
        guess = cross_validated(seen, other, rows, grouped, numbers)[0]
        found[NULL] = table(guess, other[rows], seen.document[rows], documents)
    return Repeat(found, used, importance)
