"""Turn a hierarchy of concepts into the counts of both sides with all that is broader than what they contain.

Source: Kiritchenko, Matwin & Famili 2005, Functional annotation of genes using hierarchical text categorization.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kp_core.scoring.codes import Identities, Ints, forms_of, owners, ragged
from kp_core.scoring.counts import Counts
from kp_core.scoring.hits import ordered_hits
from kp_core.scoring.prepare import Prepared


@dataclass(frozen=True)
class Ancestors:
    """The concept of each form and all that are broader, as numbers of nodes; those of a form begin at its `start`."""

    start: Ints
    length: Ints
    node: Ints
    nodes: int

    def extended(self, document: Ints, form: Ints) -> tuple[Ints, Ints]:
        """Return document and node, as one number, of all that concepts of documents bring, and which row brings it."""
        length = self.length[form]
        row = owners(length)
        return document[row] * self.nodes + self.node[ragged(self.start[form], length)], row


def ancestors_of(above: Mapping[str, frozenset[str]], identities: Identities) -> Ancestors:
    """Return the ancestors of every form; forms keep their numbers, and concepts beyond them have further ones."""
    names, forms = list(above), len(identities.forms)
    number = forms_of(identities, names, "none", by_concept=True)
    beyond = number < 0
    number[beyond] = forms + np.arange(beyond.sum())
    at = dict(zip(names, number.tolist(), strict=True))
    own: list[list[int]] = [[form] for form in range(forms)]
    for name, form in at.items():
        if form < forms:
            own[form] += [at[one] for one in above[name]]
    length = np.array([len(each) for each in own], np.int64)
    node = np.array([one for each in own for one in each], np.int64)
    return Ancestors(np.cumsum(length) - length, length, node, forms + int(beyond.sum()))


def hierarchy_counts(data: Prepared, systems: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return the counts if both sides hold all broader concepts; a cutoff means what was suggested.

    A broader concept is at the rank of the first suggestion that brings it. Without a hierarchy there are none.
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
        document, rank, found = key[order] // ancestors.nodes, rank[order], np.isin(key[order], due)
        ones = np.ones(int(found.sum()))
        made[name] = replace(
            counts,
            hits=ordered_hits(document[found], rank[found], ones, ones, ones),
            size=np.bincount(due // ancestors.nodes, minlength=documents),
            gold_size=counts.size,
            length=np.bincount(document, minlength=documents),
            returned=(document, rank),
        )
    return made
