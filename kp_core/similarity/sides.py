"""Turn pairs of phrases of one shape into the arrays that measures read: equal tokens, n-grams, runs, subsequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.codes import Bools, Codes, Floats, Ints
from kp_core.similarity.tokens import Flat

#: Pairs of a block, and comparisons of tokens in it: what stays in the processor's cache.
_BLOCK_PAIRS, _BLOCK_CELLS = 16_384, 1_000_000

Counts = NDArray[Any]


def total(flags: Bools, axis: int = 0) -> Counts:
    """Count what is true along an axis, in the smallest integers that contain it.

    >>> total(np.array([[True, False], [True, True]])).tolist()
    [2, 1]
    """
    small = np.int8 if flags.shape[axis] < 128 else np.int32
    counts: Counts = np.add.reduce(flags.view(np.int8), axis=axis, dtype=small)
    return counts


@dataclass(eq=False)
class Sides:
    """A block of n pairs, all with r tokens in the reference and h in the hypothesis.

    ref, hyp                   (r, n) and (h, n) token codes
    reference, hypothesis      (n,) numbers of the phrases
    keyphrase_is_reference     whether the reference is the keyphrase
    shared                     what measures keep for all blocks of a level
    as_words                   the same block as words; None where measures look at words anyway
    """

    ref: Codes
    hyp: Codes
    reference: Ints
    hypothesis: Ints
    keyphrase_is_reference: bool
    shared: Any = None
    as_words: Sides | None = None
    _grams: dict[int, Bools] = field(default_factory=dict, repr=False)
    _matched: dict[int, Bools] = field(default_factory=dict, repr=False)

    @property
    def r(self) -> int:
        """Tokens of the reference."""
        return len(self.ref)

    @property
    def h(self) -> int:
        """Tokens of the hypothesis."""
        return len(self.hyp)

    @property
    def n(self) -> int:
        """Pairs."""
        return int(self.ref.shape[1])

    @property
    def words(self) -> Sides:
        """The same block as words; this very object where measures look at words."""
        return self.as_words or self

    @cached_property
    def swapped(self) -> Sides:
        """The block with reference and hypothesis exchanged."""
        words = self.as_words.swapped if self.as_words else None
        keyphrase_is_reference = not self.keyphrase_is_reference
        return Sides(self.hyp, self.ref, self.hypothesis, self.reference, keyphrase_is_reference, self.shared, words)

    def only(self, pairs: Ints) -> Sides:
        """Return the block with some of its pairs."""
        columns = self.ref[:, pairs], self.hyp[:, pairs], self.reference[pairs], self.hypothesis[pairs]
        words = self.as_words.only(pairs) if self.as_words else None
        return Sides(*columns, self.keyphrase_is_reference, self.shared, words)

    @property
    def long_first(self) -> Sides:
        """The block with the longer phrase as reference; of equal lengths, the keyphrase."""
        ordered = self.r > self.h or (self.r == self.h and self.keyphrase_is_reference)
        return self if ordered else self.swapped

    @property
    def keyphrase_first(self) -> Sides:
        """The block with the keyphrase as reference."""
        return self if self.keyphrase_is_reference else self.swapped

    @cached_property
    def equal(self) -> Bools:
        """Whether token i of the reference is token j of the hypothesis: (r, h, n)."""
        return np.asarray(self.ref[:, None, :] == self.hyp[None, :, :])

    def grams(self, order: int) -> Bools:
        """Return whether the n-gram at i of the reference is the one at j of the hypothesis: (r - n + 1, h - n + 1, n).

        Empty where a side is shorter than the order.
        """
        if order == 1:
            return self.equal
        if order not in self._grams:
            shorter = self.grams(order - 1)
            self._grams[order] = shorter[:-1, :-1] & self.equal[order - 1 :, order - 1 :]
        return self._grams[order]

    @cached_property
    def inside(self) -> Bools:
        """Whether the whole hypothesis occurs in the reference as it is (n,)."""
        if self.h > self.r:
            return np.zeros(self.n, bool)
        return np.asarray(self.grams(self.h).any(axis=(0, 1)))

    @cached_property
    def first(self) -> Bools:
        """Whether token i of the reference is its first of that kind: (r, n)."""
        first = np.ones(self.ref.shape, bool)
        for i in range(1, self.r):
            first[i] = (self.ref[:i] != self.ref[i]).all(axis=0)
        return first

    def matched(self, order: int) -> Bools:
        """Mark the n-grams of the reference that the hypothesis holds, as often as it contains them: (r - n + 1, n).

        Of equal n-grams the leftmost are marked.
        """
        if order not in self._matched:
            self._matched[order] = self._clipped(order)
        return self._matched[order]

    @cached_property
    def matched_from_right(self) -> Bools:
        """Mark the tokens of the reference that the hypothesis holds; of equal tokens the rightmost: (r, n)."""
        return self._clipped(1, from_right=True)

    def _clipped(self, order: int, from_right: bool = False) -> Bools:
        grams = self.grams(order)
        marked = np.asarray(grams.any(axis=1))
        repeating = np.flatnonzero(~self.first.all(axis=0))  # only there n-grams need to be clipped
        if len(repeating) and len(grams):
            ref = self.ref[:, repeating]
            own = Sides(ref, ref, repeating, repeating, True).grams(order)
            before = np.tri(len(own), k=-1, dtype=bool)
            before = before.T if from_right else before
            marked[:, repeating] = total(own & before[:, :, None], 1) < total(grams[:, :, repeating], 1)
        return marked

    def matches(self, order: int) -> Counts:
        """Count clipped n-gram matches (n,)."""
        return total(self.matched(order))

    @cached_property
    def subsequence(self) -> Counts:
        """Length of the longest common subsequence (n,)."""
        return self.heaviest_subsequence(np.ones((self.r, 1), np.int8 if min(self.r, self.h) < 128 else np.int32))

    def heaviest_subsequence(self, weight: Counts) -> Counts:
        """Return the largest sum of weights (r, n or 1) of the reference over common subsequences (n,)."""
        row = np.zeros((self.h + 1, self.n), weight.dtype)
        for i in range(self.r):
            above, row = row, row.copy()
            for j in range(self.h):
                np.maximum(above[j + 1], row[j], out=row[j + 1])
                np.maximum(row[j + 1], above[j] + weight[i] * self.equal[i, j], out=row[j + 1])
        return np.asarray(row[-1])

    def heaviest_run(self, weight: Floats) -> Floats:
        """Return the largest sum of weights (r, n or 1) of the reference over common runs (n,)."""
        best, row = np.zeros(self.n), np.zeros((self.h + 1, self.n))
        for i in range(self.r):
            row[1:] = (row[:-1] + weight[i]) * self.equal[i]
            best = np.maximum(best, row.max(axis=0))
        return best


def _blocks(reference: Ints, hypothesis: Ints) -> Iterator[Ints]:
    """Yield the pairs of every pair of lengths (n,), in blocks; no padding is then needed."""
    if not len(reference):
        return
    width = int(hypothesis.max()) + 1
    shape = reference * width + hypothesis
    small = shape.astype(np.uint16) if int(shape.max()) < 65_536 else shape  # sorted by radix
    order = np.argsort(small, kind="stable")
    for pairs in np.split(order, np.flatnonzero(np.diff(shape[order])) + 1):
        cells = max(1, int(reference[pairs[0]] * hypothesis[pairs[0]]))
        size = min(_BLOCK_PAIRS, max(1, _BLOCK_CELLS // cells))
        for begin in range(0, len(pairs), size):
            yield pairs[begin : begin + size]


@dataclass
class Shared:
    """What the blocks of one level of tokens have in common.

    flat, words  the tokens, and the phrases as words
    longer       the phrase with more tokens is the reference (tie: the keyphrase); else the keyphrase is
    synonyms     which words are synonyms, if that matters; inform: gives `information`
    """

    flat: Flat
    words: Flat
    longer: bool
    synonyms: Callable[[Sides], Bools] | None = None
    inform: Callable[[], list[Floats]] = list

    @cached_property
    def information(self) -> list[Floats]:
        """The information of the n-grams of all references."""
        return self.inform()


def sides(shared: Shared, keyphrase: Ints, candidate: Ints) -> Iterator[tuple[Ints, Sides]]:
    """Yield blocks of pairs of one shape: (positions of the pairs, block)."""
    flat, words = shared.flat, shared.words
    for pairs in _blocks(flat.length[keyphrase], flat.length[candidate]):
        key, other = keyphrase[pairs], candidate[pairs]
        first = not shared.longer or bool(flat.length[key[0]] >= flat.length[other[0]])
        ref, hyp = (key, other) if first else (other, key)
        r, h = int(flat.length[ref[0]]), int(flat.length[hyp[0]])
        as_words = None if words is flat else Sides(words.of(ref, r), words.of(hyp, h), ref, hyp, first)
        yield pairs, Sides(flat.of(ref, r), flat.of(hyp, h), ref, hyp, first, shared, as_words)
