"""Turn a hierarchy of concepts into counts in which both sides include all broader concepts.

Source: Kiritchenko, Matwin & Famili 2005, Functional annotation of genes using hierarchical text categorization.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kp_core.scoring.alignment import ordered_hits
from kp_core.scoring.codes import Identities, Ints, forms_of, owners, ragged
from kp_core.scoring.counts import Counts
from kp_core.scoring.prepare import Prepared


@dataclass(frozen=True)
class Ancestors:
    """The concept of each form and all broader ones as numbers of nodes; those of a form begin at its `start`."""

    start: Ints
    length: Ints
    node: Ints
    nodes: int

    def extended(self, document: Ints, form: Ints) -> tuple[Ints, Ints]:
        """Return document and node (as one number) of the concepts of rows and all broader ones, with their rows."""
        length = self.length[form]
        row = owners(length)
        return document[row] * self.nodes + self.node[ragged(self.start[form], length)], row


def ancestors_of(above: Mapping[str, frozenset[str]], identities: Identities) -> Ancestors:
    """Return the ancestors of every form; concepts without a form are numbered after the forms."""
    names, forms = list(above), len(identities.forms)
    number = forms_of(identities, names, "none", by_concept=True)
    beyond = number < 0
    number[beyond] = forms + np.arange(beyond.sum())
    at = dict(zip(names, number.tolist(), strict=True))
    nodes: list[list[int]] = [[form] for form in range(forms)]
    for name, form in at.items():
        if form < forms:
            nodes[form] += [at[broader] for broader in above[name]]
    length = np.array([len(numbers) for numbers in nodes], np.int64)
    node = np.array([number for numbers in nodes for number in numbers], np.int64)
    return Ancestors(np.cumsum(length) - length, length, node, forms + int(beyond.sum()))


def hierarchy_counts(data: Prepared, systems: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return the counts with all broader concepts on both sides; nothing without a hierarchy.

    Cutoffs refer to the original lists: a broader concept has the rank of its first narrower suggestion.
    """
    if data.settings.by_concept == "no" or not len(data.corpus.vocabulary.broader):
        return {}
    ancestors = ancestors_of(data.corpus.vocabulary.ancestors, data.identities)
    documents, made = len(data.documents), dict[str, Counts]()
    for name, counts in systems.items():
        lists, gold, (row, subject) = counts.alignment.lists, counts.alignment.gold, counts.alignment.subjects()
        due = np.unique(ancestors.extended(gold.document, gold.subject)[0])
        key, brought = ancestors.extended(lists.owner[row], subject)
        rank = lists.rank[row][brought]
        order = np.lexsort((rank, key))
        key, first = np.unique(key[order], return_index=True)
        rank = rank[order][first]
        order = np.lexsort((rank, key // ancestors.nodes))
        document, rank, is_due = key[order] // ancestors.nodes, rank[order], np.isin(key[order], due)
        ones = np.ones(int(is_due.sum()))
        made[name] = replace(
            counts,
            hits=ordered_hits(document[is_due], rank[is_due], ones, ones, ones),
            size=np.bincount(due // ancestors.nodes, minlength=documents),
            gold_size=counts.size,
            length=np.bincount(document, minlength=documents),
            returned_rows=(document, rank),
        )
    return made
