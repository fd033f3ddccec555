"""Turn common tokens into R-precision, modified R-precision and the coefficients of Jaccard, Dice and overlap."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.sides import Sides, total


@similarity_measure("R-precision")
def r_precision(sides: Sides, denominator: str = "longer", overlap: str = "bag") -> Floats:
    """Return common tokens, or the longest common run, / length of the longer phrase or of the keyphrase."""
    common = sides.matches(1) if overlap == "bag" else sides.heaviest_run(np.ones((sides.r, 1)))
    below = max(sides.r, sides.h) if denominator == "longer" else sides.keyphrase_first.r
    return np.asarray(common / below)


def head_weights(sides: Sides, head: str = "last") -> Floats:
    """Return 1 / (1 + distance from the head) of every token of the reference: (r, 1), or (r, n) with prepositions.

    head   last: the last token; before-preposition: the token before the first preposition, where there is one
    """
    last = np.array([sides.r - 1])
    if head != "last":
        words = sides.shared.phrases.words.of(sides.reference, sides.r)
        first = np.argmax(sides.shared.prepositions[words], axis=0)
        last = np.where(first > 0, first - 1, sides.r - 1)
    weights: Floats = 1.0 / (1.0 + np.abs(np.arange(sides.r)[:, None] - last))
    return weights


@similarity_measure("M-R-precision")
def modified_r_precision(sides: Sides, alignment: str = "bag", weights: str = "longer", head: str = "last") -> Floats:
    """Return the weight of the matched tokens / the weight of all, over the longer phrase or the keyphrase."""
    along = sides.long_first if weights == "longer" else sides.keyphrase_first
    weight = head_weights(along, head)
    if alignment == "bag":
        # one product a position, so that a few digits never depend on how many pairs stand in a block
        found = sum((weight[i] * along.matched_from_right[i] for i in range(along.r)), np.zeros(along.n))
    elif alignment == "ordered":
        found = along.heaviest_subsequence(weight)
    else:
        found = along.heaviest_run(weight)
    return np.asarray(found / weight.sum(axis=0))


@similarity_measure("match")
def match(sides: Sides, accept: str = "morph") -> Floats:
    """Return 1 for equal stems; `include`: also where the candidate holds the keyphrase; `part`: or the reverse."""
    block = sides.long_first
    accepted = accept == "part" or block.r == block.h or (accept == "include" and not block.keyphrase_is_reference)
    return np.asarray(block.inside & accepted, float)


def _common(sides: Sides) -> Floats:
    """Return the number of different common tokens (n,)."""
    return total(sides.equal.any(axis=1) & sides.first).astype(float)


def _distinct(sides: Sides) -> Floats:
    """Return the number of different tokens of the reference (n,)."""
    return total(sides.first).astype(float)


@similarity_measure("jaccard")
def jaccard(sides: Sides) -> Floats:
    """Return common tokens / tokens of either, as sets."""
    common = _common(sides)
    return ratio(common, _distinct(sides) + _distinct(sides.swapped) - common)


@similarity_measure("dice")
def dice(sides: Sides) -> Floats:
    """Return 2 x common tokens / sum of the sizes, as sets."""
    return np.asarray(2 * _common(sides) / (_distinct(sides) + _distinct(sides.swapped)))


@similarity_measure("overlap")
def overlap_coefficient(sides: Sides) -> Floats:
    """Return common tokens / size of the smaller, as sets."""
    return np.asarray(_common(sides) / np.minimum(_distinct(sides), _distinct(sides.swapped)))
