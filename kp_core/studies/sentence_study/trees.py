"""Turn attributes and classes into a pruned decision tree, into nodes that a chart can draw, and into rules in words.

The tree is scikit-learn's, not C4.5: entropy, no gain ratio, pruned otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kp_core.order import reaches
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies import WORDS

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

INNER_FOLDS = 3
#: Pruning strengths to choose from: how many bits a leaf must save, over all sentences of the training folds.
PRUNING = (0.0, 0.005, 0.01, 0.02, 0.04)


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
    inside = whole.tree_
    said = whole.classes_[inside.value[:, 0].argmax(axis=1)]
    wrong = np.where(yes[:, None] != said, whole.decision_path(matrix).toarray(), 0).sum(axis=0)
    errors = np.tile(wrong[:, None], len(PRUNING))  # of each node as a leaf, and then of its cheapest subtree
    share = inside.weighted_n_node_samples / inside.weighted_n_node_samples[0]
    cost = (inside.impurity * share)[:, None] + np.array(PRUNING)
    for node in np.flatnonzero(inside.children_left >= 0)[::-1]:  # children stand after their parent
        below = [inside.children_left[node], inside.children_right[node]]
        cut = reaches(cost[below].sum(axis=0), cost[node])
        errors[node] = np.where(cut, errors[node], errors[below].sum(axis=0))
        cost[node] = np.minimum(cost[node], cost[below].sum(axis=0))
    return np.asarray(errors[0])


def grown(matrix: Floats, yes: Bools, document: Ints, grouped: bool, seed: int) -> DecisionTreeClassifier:
    """Return a tree whose pruning strength makes the fewest errors in inner folds; of equal ones the strongest."""
    errors = np.zeros(len(PRUNING), np.int64)
    for train, test in folds(yes, document, INNER_FOLDS, grouped, seed):
        errors += errors_when_pruned(learner(0.0, seed).fit(matrix[train], yes[train]), matrix[test], yes[test])
    best = len(PRUNING) - 1 - int(np.argmin(errors[::-1]))
    return learner(PRUNING[best], seed).fit(matrix, yes)


@dataclass(frozen=True)
class Node:
    """A node of a tree, with the sentences of the draw that reach it.

    name, value   attribute, and for a category the value asked for; name is "" at a leaf
    cut           a number is asked whether it is at most this
    below, above  nodes for the answer yes and no: (at most the cut, above it), or (is the value, is another)
    """

    name: str
    value: str
    cut: float
    below: int
    above: int
    yes: int
    no: int

    @property
    def decision(self) -> str:
        """What a leaf decides; as many “yes” as “no” is no."""
        return "yes" if self.yes > self.no else "no"

    def condition(self, holds: bool = True) -> str:
        """Return the question of the node as a condition that holds or does not.

        >>> Node("attitude", "2", 0.5, 1, 2, 3, 3).condition(False), Node("length", "", 80.5, 1, 2, 3, 3).condition()
        ('attitude is not 2', 'length ≤ 80.5')
        """
        name = WORDS["attributes"][self.name]["name"]
        if self.value:
            return f"{name} is {'' if holds else 'not '}{self.value}"
        # A cut lies halfway between two numbers: 123.5 must not read as 124, which a sentence may have.
        digits = 3 if abs(self.cut) < 100 else 7
        return f"{name} {'≤' if holds else '>'} {self.cut:.{digits}g}"


def nodes(
    tree: DecisionTreeClassifier, names: Sequence[tuple[str, str]], matrix: Floats, yes: Bools
) -> tuple[Node, ...]:
    """Return the nodes of a tree; the first is the root. names: attribute and value of each column of the matrix."""
    inside = tree.tree_
    reached = tree.decision_path(matrix).toarray()
    listed = []
    for i in range(inside.node_count):
        left, right = int(inside.children_left[i]), int(inside.children_right[i])
        name, value = names[inside.feature[i]] if left >= 0 else ("", "")
        below, above = (right, left) if value else (left, right)  # a category that is there has a 1
        counts = int(reached[yes, i].sum()), int(reached[~yes, i].sum())
        listed.append(Node(name, value, float(inside.threshold[i]), below, above, *counts))
    return tuple(listed)


def rules(tree: Sequence[Node]) -> pd.DataFrame:
    """Return one row a leaf, from the top of the drawing: decision, sentences of the draw that get there, rule.

    A number is bounded once on each side, however often the tree asks for it.
    """
    rows = []

    def follow(place: int, conditions: dict[tuple[str, str, bool], str]) -> None:
        node = tree[place]
        if not node.name:
            rows.append((node.decision, node.yes, node.no, " and ".join(conditions.values()) or "nothing is asked"))
            return
        for child, holds in ((node.below, True), (node.above, False)):
            follow(child, {**conditions, (node.name, node.value, holds): node.condition(holds)})

    follow(0, {})
    return pd.DataFrame(rows, columns=["decision", "yes", "no", "rule"])
