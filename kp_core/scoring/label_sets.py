"""Turn what annotators chose into similarities of whole label sets, and these into Krippendorff's alpha.

A value of alpha is here the set of keyphrases that an annotator chose for a document; N plays no part. Chance compares
every set with those of all documents, so parts of the data cannot be added up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kp_core.scoring import intervals
from kp_core.scoring.accumulate import with_bounds
from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.gold import AnnotatorChoices
from kp_core.scoring.intervals import Estimate
from kp_core.settings import Settings

#: The similarity of sets that have something in common, from the sizes of the intersection and of both sets.
Similarity = Callable[[Floats, Floats, Floats], Floats]
#: Sets compared with all others at a time.
_SETS = 1000
#: One product with a sparse matrix takes as long as so many with a full one.
_DENSE = 20


@dataclass(frozen=True)
class LabelSets:
    """The sets of the documents that two annotators or more saw; the others are 0 everywhere.

    number    (D,) how many sets a document has
    together  (D,) the sum over its ordered pairs of sets of their similarity, divided by number - 1
    alike     (D, D), sparse: the sum of the similarities of all sets of two documents, each to itself among them
    empty     (D,) how many sets are empty; these are equal to one another
    """

    number: Floats
    together: Floats
    alike: Any
    empty: Floats

    def alpha(self, weights: Floats) -> Floats:
        """Return alpha of documents drawn so often, (B, D) → (B,): 1 - observed / expected distance."""
        n, disagreement, chance, _ = self._sums(weights)
        return 1 - ratio((n - 1) * disagreement, chance, np.nan)

    def influence(self) -> tuple[Floats, Floats]:
        """Return how alpha moves with the weight of each document (D,), and the size of the terms that this adds up."""
        n, disagreement, chance, near = (one[0] for one in self._sums(np.ones((1, len(self.number)))))
        terms = [
            self.number * disagreement / chance,
            (n - 1) * (self.number - self.together) / chance,
            -2 * (n - 1) * disagreement * (n * self.number - near) / chance**2,
        ]
        return -np.sum(terms, axis=0), np.abs(terms).sum(axis=0)

    def _sums(self, weights: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return n, the distances within documents and between all sets (B,), and similarities to all sets (B, D)."""
        n, disagreement = weights @ self.number, weights @ (self.number - self.together)
        near = self._near(weights) + (weights @ self.empty)[:, None] * self.empty
        return n, disagreement, n**2 - (near * weights).sum(axis=1), near

    def _near(self, weights: Floats) -> Floats:
        """Return the similarities of each document to all that are drawn, (B, D) → (B, D)."""
        documents = len(self.number)
        if self.alike.nnz * _DENSE < documents**2:
            return np.asarray((self.alike @ weights.T).T)
        slices = (slice(begin, begin + _SETS) for begin in range(0, documents, _SETS))
        return np.hstack([weights @ self.alike[:, own].toarray() for own in slices])


def label_sets(choices: AnnotatorChoices, similarity: Similarity) -> LabelSets:
    """Return the label sets of all documents; a keyphrase is the same in all of them by its first spelling."""
    from scipy.sparse import csr_array

    documents = choices.seen.shape[1]
    annotator, document = np.nonzero(choices.seen & (choices.seen.sum(axis=0) > 1))
    place = np.full(choices.seen.shape, -1)
    place[annotator, document] = np.arange(len(document))
    row = place[choices.annotator, choices.document[choices.item]]
    label = np.unique(choices.label[choices.item[row >= 0]], return_inverse=True)[1]
    shape = len(document), int(label.max(initial=-1)) + 1
    table = csr_array((np.ones(len(label)), (row[row >= 0], label)), shape=shape)
    size, alike = np.asarray(table.sum(axis=1)), csr_array((documents, documents))
    member = csr_array((np.ones(len(document)), (np.arange(len(document)), document)), shape=(len(document), documents))
    for begin in range(0, len(document), _SETS):
        own = slice(begin, begin + _SETS)
        common = table[own] @ table.T
        common.data = similarity(common.data, np.repeat(size[own], np.diff(common.indptr)), size[common.indices])
        alike += member[own].T @ (common @ member)
    number, empty = (
        np.bincount(document[there], minlength=documents).astype(float) for there in (size >= 0, size == 0)
    )
    together = ratio(alike.diagonal() + empty**2 - number, np.maximum(number - 1, 1))
    return LabelSets(number, together, alike, empty)


def alpha(choices: AnnotatorChoices, similarity: Similarity, ids: tuple[str, ...], settings: Settings) -> Estimate:
    """Return alpha of all documents that two annotators or more saw, with its interval over documents."""
    sets, used = label_sets(choices, similarity), choices.seen.sum(axis=0) > 1
    value, n = sets.alpha(used[None].astype(float)), np.array([used.sum()])
    reason: list[str | None] = [None]
    if np.isnan(value[0]):
        nothing = bool((sets.empty == sets.number).all())
        reason = ["single_annotator" if not used.any() else "both_empty" if nothing else "one_set"]
    if settings.interval == "cluster-t" and not reason[0]:
        move, size = sets.influence()
        half = intervals.t_of_influence(np.array([(move**2).sum()]), np.array([(size**2).sum()]), n)
        return Estimate(value, value - half, value + half, n, reason)
    weights = intervals.weights(settings, ids, used)
    return with_bounds(value, None if weights is None else sets.alpha(weights)[:, None], n, reason)
