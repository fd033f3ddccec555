"""Compute Krippendorff's alpha from similarities of whole keyphrase sets.

Expected disagreement compares every set with those of all documents, so parts of the data cannot be added up.
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

#: Similarities of overlapping sets as functions of the sizes of the intersection and of both sets.
Similarity = Callable[[Floats, Floats, Floats], Floats]
#: Number of sets that are compared with all others at a time.
_SETS = 1000
#: Cost of a product with a sparse matrix relative to a dense one.
_DENSE = 20


@dataclass(frozen=True)
class LabelSets:
    """The sets of documents that at least two annotators saw; other documents have zeros.

    number    (D,) number of sets
    together  (D,) the sum of the similarities of all ordered pairs of sets, divided by number - 1
    alike     (D, D), sparse: the sum of the similarities of all sets of two documents
    empty     (D,) number of empty sets, which equal one another
    """

    number: Floats
    together: Floats
    alike: Any
    empty: Floats

    @property
    def within(self) -> Floats:
        """Return the sum of the similarities of all sets of each document, each with itself too, (D,)."""
        return np.asarray(self.alike.diagonal() + self.empty**2)

    def alpha(self, weights: Floats) -> Floats:
        """Return alpha under weights of documents, (B, D) → (B,): 1 - observed / expected distance."""
        n, disagreement, chance, _ = self._sums(weights)
        return 1 - ratio((n - 1) * disagreement, chance, np.nan)

    def influence(self) -> tuple[Floats, Floats]:
        """Return the derivative of alpha by the weight of each document (D,), and the absolute sum of its terms."""
        n, disagreement, chance, near = (x[0] for x in self._sums(np.ones((1, len(self.number)))))
        between = ratio(n**2 - self.within.sum() - chance, n**2 - (self.number**2).sum(), 0.0)
        slope = 2 * (n * self.number - near) + self.within - between * self.number**2
        terms = [
            self.number * disagreement / chance,
            (n - 1) * (self.number - self.together) / chance,
            -(n - 1) * disagreement * slope / chance**2,
        ]
        return -np.sum(terms, axis=0), np.abs(terms).sum(axis=0)

    def _sums(self, weights: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return n, the distances within documents and between all sets (B,), and similarities to all sets (B, D).

        Copies of a document in a resample stand for different documents: between two of them, the mean similarity of
        different documents is expected, not that of a document with itself, by which alpha would be too low.
        """
        n, disagreement = weights @ self.number, weights @ (self.number - self.together)
        near = self._near(weights) + (weights @ self.empty)[:, None] * self.empty
        between = (near * weights).sum(axis=1) - weights**2 @ self.within
        pairs, distinct = (n**2 - power @ self.number**2 for power in (weights**2, weights))
        return n, disagreement, n**2 - weights @ self.within - between * ratio(distinct, pairs, 0.0), near

    def _near(self, weights: Floats) -> Floats:
        """Return the similarities of each document to all weighted documents, (B, D) → (B, D)."""
        documents = len(self.number)
        if self.alike.nnz * _DENSE < documents**2:
            return np.asarray((self.alike @ weights.T).T)
        slices = (slice(begin, begin + _SETS) for begin in range(0, documents, _SETS))
        return np.hstack([weights @ self.alike[:, part].toarray() for part in slices])


def label_sets(choices: AnnotatorChoices, similarity: Similarity) -> LabelSets:
    """Return the label sets of all documents; a keyphrase is identified across documents by its first spelling."""
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
        part = slice(begin, begin + _SETS)
        common = table[part] @ table.T
        common.data = similarity(common.data, np.repeat(size[part], np.diff(common.indptr)), size[common.indices])
        alike += member[part].T @ (common @ member)
    number, empty = (
        np.bincount(document[there], minlength=documents).astype(float) for there in (size >= 0, size == 0)
    )
    together = ratio(alike.diagonal() + empty**2 - number, np.maximum(number - 1, 1))
    return LabelSets(number, together, alike, empty)


def alpha(choices: AnnotatorChoices, similarity: Similarity, ids: tuple[str, ...], settings: Settings) -> Estimate:
    """Return alpha over the documents that at least two annotators saw, with its interval over documents."""
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
