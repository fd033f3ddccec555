"""Turn pairs into measures of common tokens and of edits, and into the sentinels that any measure must beat."""

from __future__ import annotations

from functools import partial

import numpy as np

from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.scorer import Pairs
from kp_core.similarity.sides import Sides, total


@similarity_measure("R-precision")
def r_precision(sides: Sides, denominator: str = "longer", overlap: str = "bag") -> Floats:
    """Return common tokens, or the longest common run, / length of the longer phrase or of the keyphrase."""
    common = sides.matches(1) if overlap == "bag" else sides.heaviest_run(np.ones((sides.r, 1)))
    below = max(sides.r, sides.h) if denominator == "longer" else sides.keyphrase_first.r
    return np.asarray(common / below)


@similarity_measure("M-R-precision")
def modified_r_precision(sides: Sides, alignment: str = "bag", weights: str = "longer") -> Floats:
    """Return the weight of the matched tokens / the weight of all tokens, of the longer phrase or the keyphrase."""
    along = sides.long_first if weights == "longer" else sides.keyphrase_first
    weight = 1.0 / np.arange(along.r, 0, -1)[:, None]
    if alignment == "bag":
        # one product a position, so that a few digits never depend on how many pairs stand in a block
        matched = sum((weight[i] * along.matched_from_right[i] for i in range(along.r)), np.zeros(along.n))
    elif alignment == "ordered":
        matched = along.heaviest_subsequence(weight)
    else:
        matched = along.heaviest_run(weight)
    return np.asarray(matched / weight.sum(axis=0))


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


def _string_similarity(texts: tuple[list[str], list[str]], distance: str = "", *, scorer: str) -> Floats:
    """Return the values of a scorer of rapidfuzz; its ratios are percentages."""
    from rapidfuzz import distance as distances
    from rapidfuzz import fuzz
    from rapidfuzz.process import cpdist

    if scorer.endswith("ratio"):
        return np.asarray(cpdist(*texts, scorer=getattr(fuzz, scorer), dtype=np.float64) / 100)
    kind = getattr(distances, "OSA" if distance == "osa" else scorer)
    return np.asarray(cpdist(*texts, scorer=kind.normalized_similarity, dtype=np.float64))


for _name, _scorer in {
    "levenshtein": "Levenshtein",
    "jaro-winkler": "JaroWinkler",
    "token-sort": "token_sort_ratio",
    "token-set": "token_set_ratio",
}.items():
    similarity_measure(_name)(partial(_string_similarity, scorer=_scorer))


@similarity_measure("levenshtein-tokens")
def levenshtein_tokens(sides: Sides, distance: str = "levenshtein") -> Floats:
    """Return the normalised edit similarity of tokens."""
    row = np.repeat(np.arange(sides.h + 1)[:, None], sides.n, axis=1)
    above = row
    for i in range(sides.r):
        two_above, above, row = above, row, np.empty_like(row)
        row[0] = i + 1
        for j in range(sides.h):
            row[j + 1] = np.minimum(np.minimum(above[j + 1], row[j]) + 1, above[j] + ~sides.equal[i, j])
            if distance == "osa" and i and j:
                swapped = sides.equal[i, j - 1] & sides.equal[i - 1, j]
                row[j + 1] = np.where(swapped, np.minimum(row[j + 1], two_above[j - 1] + 1), row[j + 1])
    return np.asarray(1 - row[-1] / max(sides.r, sides.h))


@similarity_measure("stem-exact")
@similarity_measure("exact")
def exact(sides: Sides) -> Floats:
    """Return 1 where all tokens are equal, else 0."""
    if sides.r != sides.h:
        return np.zeros(sides.n)
    same: Floats = (sides.ref == sides.hyp).all(axis=0).astype(float)
    return same


@similarity_measure("length-difference")
def length_difference(sides: Sides) -> Floats:
    """Return minus the difference of the lengths in tokens."""
    return np.full(sides.n, -float(abs(sides.r - sides.h)))


@similarity_measure("candidate-length")
def candidate_length(sides: Sides) -> Floats:
    """Return the number of tokens of the candidate."""
    return np.full(sides.n, float(sides.keyphrase_first.h))


@similarity_measure("random")
def random(pairs: Pairs) -> Floats:
    """Return uniform numbers from the seed, by row."""
    return np.random.default_rng(pairs.scorer.choices.seed).random(len(pairs.keyphrase))


@similarity_measure("constant")
def constant(pairs: Pairs) -> Floats:
    """Return ones."""
    return np.ones(len(pairs.keyphrase))
