"""Turn a grown tree into nodes that a chart can draw, and into rules in words, one a leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kp_core.scoring.codes import Bools, Floats

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

#: How attributes are named in rules.
WORDS = {
    "group": "type",
    "location": "location in text",
    "title_similarity": "similarity to title",
    "length": "length",
    "attitude": "attitude",
    "tf_idf": "tf-idf",
    "paragraph_location": "location in paragraph",
}


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
        if self.value:
            return f"{WORDS[self.name]} is {'' if holds else 'not '}{self.value}"
        # A cut lies halfway between two numbers: 123.5 must not read as 124, which a sentence may have.
        digits = 3 if abs(self.cut) < 100 else 7
        return f"{WORDS[self.name]} {'≤' if holds else '>'} {self.cut:.{digits}g}"


def nodes(tree: DecisionTreeClassifier, names: tuple[tuple[str, str], ...], matrix: Floats, yes: Bools) -> list[Node]:
    """Return the nodes of a tree; the first is the root. names: attribute and value of each column of the matrix."""
    inside = tree.tree_
    reached = np.asarray(tree.decision_path(matrix).todense(), bool)
    ones, others = reached[yes].sum(axis=0), reached[~yes].sum(axis=0)
    found = []
    for i in range(inside.node_count):
        left, right = int(inside.children_left[i]), int(inside.children_right[i])
        name, value = names[inside.feature[i]] if left >= 0 else ("", "")
        below, above = (right, left) if value else (left, right)  # a category that is there has a 1
        found.append(Node(name, value, float(inside.threshold[i]), below, above, int(ones[i]), int(others[i])))
    return found


def rules(tree: list[Node]) -> pd.DataFrame:
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
