"""Compute Krippendorff's alpha from similarities of whole keyphrase sets.

Expected disagreement compares every set with the sets of all documents, so it cannot be summed over parts.
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
_SETS_PER_BLOCK = 1000
#: Cost of a product with a sparse matrix relative to a dense one.
_SPARSE_COST = 20


@dataclass(frozen=True)
class LabelSets:
    """The sets of documents that at least two annotators saw; other documents have zeros.

    * `number`: (D,) number of sets
    * `together`: (D,) the sum of the similarities of all ordered pairs of sets, divided by number - 1
    * `alike`: (D, D), sparse: the sum of the similarities of all sets of two documents
    * `empty`: (D,) number of empty sets, which equal one another
    """

    number: Floats
    together: Floats
    alike: Any
    empty: Floats

    @property
    def within(self) -> Floats:
        """The sum of the similarities of all pairs of sets of each document, including each set with itself (D,)."""
        return np.asarray(self.alike.diagonal() + self.empty**2)

    def alpha(self, weights: Floats) -> Floats:
        """Return alpha with weighted documents, (B, D) → (B,): 1 - observed / expected distance."""
        n, disagreement, chance, _ = self._sums(weights)
        return 1 - ratio((n - 1) * disagreement, chance, np.nan)

    def influence(self) -> tuple[Floats, Floats]:
        """Return the derivative of alpha by the weight of each document (D,), and the sum of its absolute terms."""
        n, disagreement, chance, similarities = (x[0] for x in self._sums(np.ones((1, len(self.number)))))
        mean_similarity = ratio(n**2 - self.within.sum() - chance, n**2 - (self.number**2).sum(), 0.0)
        slope = 2 * (n * self.number - similarities) + self.within - mean_similarity * self.number**2
        terms = [
            self.number * disagreement / chance,
            (n - 1) * (self.number - self.together) / chance,
            -(n - 1) * disagreement * slope / chance**2,
        ]
        return -np.sum(terms, axis=0), np.abs(terms).sum(axis=0)

    def _sums(self, weights: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return n, the distances within documents and between all sets (B,), and similarities to all sets (B, D).

        Copies of a document in a resample represent different documents. Two copies have the mean similarity of
        different documents; with the similarity of a document to itself, alpha would be too low.
        """
        n, disagreement = weights @ self.number, weights @ (self.number - self.together)
        similarities = self._similarities(weights) + (weights @ self.empty)[:, None] * self.empty
        between_sum = (similarities * weights).sum(axis=1) - weights**2 @ self.within
        pairs, distinct = (n**2 - power @ self.number**2 for power in (weights**2, weights))
        return n, disagreement, n**2 - weights @ self.within - between_sum * ratio(distinct, pairs, 0.0), similarities

    def _similarities(self, weights: Floats) -> Floats:
        """Return the similarities of each document to all weighted documents, (B, D) → (B, D)."""
        documents = len(self.number)
        if self.alike.nnz * _SPARSE_COST < documents**2:
            return np.asarray((self.alike @ weights.T).T)
        slices = (slice(begin, begin + _SETS_PER_BLOCK) for begin in range(0, documents, _SETS_PER_BLOCK))
        return np.hstack([weights @ self.alike[:, part].toarray() for part in slices])


def label_sets(choices: AnnotatorChoices, similarity: Similarity) -> LabelSets:
    """Return the label sets of all documents; a keyphrase is identified across documents by its first spelling."""
    from scipy.sparse import csr_array

    documents = choices.seen.shape[1]
    annotator, document = np.nonzero(choices.seen & (choices.seen.sum(axis=0) > 1))
    index = np.full(choices.seen.shape, -1)
    index[annotator, document] = np.arange(len(document))
    row = index[choices.annotator, choices.document[choices.item]]
    label = np.unique(choices.label[choices.item[row >= 0]], return_inverse=True)[1]
    shape = len(document), int(label.max(initial=-1)) + 1
    table = csr_array((np.ones(len(label)), (row[row >= 0], label)), shape=shape)
    size, alike = np.asarray(table.sum(axis=1)), csr_array((documents, documents))
    member = csr_array((np.ones(len(document)), (np.arange(len(document)), document)), shape=(len(document), documents))
    for begin in range(0, len(document), _SETS_PER_BLOCK):
        part = slice(begin, begin + _SETS_PER_BLOCK)
        shared = table[part] @ table.T
        shared.data = similarity(shared.data, np.repeat(size[part], np.diff(shared.indptr)), size[shared.indices])
        alike += member[part].T @ (shared @ member)
    number, empty = (
        np.bincount(document[selected], minlength=documents).astype(float) for selected in (size >= 0, size == 0)
    )
    together = ratio(alike.diagonal() + empty**2 - number, np.maximum(number - 1, 1))
    return LabelSets(number, together, alike, empty)


def alpha(choices: AnnotatorChoices, similarity: Similarity, ids: tuple[str, ...], settings: Settings) -> Estimate:
    """Return alpha over the documents that at least two annotators saw, with its interval over documents."""
    sets, seen_by_several = label_sets(choices, similarity), choices.seen.sum(axis=0) > 1
    value, n = sets.alpha(seen_by_several[None].astype(float)), np.array([seen_by_several.sum()])
    reason: list[str | None] = [None]
    if np.isnan(value[0]):
        all_empty = bool((sets.empty == sets.number).all())
        reason = ["single_annotator" if not seen_by_several.any() else "both_empty" if all_empty else "one_set"]
    if settings.interval == "cluster-t" and not reason[0]:
        influence, size = sets.influence()
        half_width = intervals.t_half_width(np.array([(influence**2).sum()]), np.array([(size**2).sum()]), n)
        return Estimate(value, value - half_width, value + half_width, n, reason)
    weights = intervals.weights(settings, ids, seen_by_several)
    return with_bounds(value, None if weights is None else sets.alpha(weights)[:, None], n, reason)
