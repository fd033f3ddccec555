"""Turn pairs into values that a measure worth its name must beat: equality, lengths, chance and a constant."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.codes import Floats
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.scorer import Pairs
from kp_core.similarity.sides import Sides


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
