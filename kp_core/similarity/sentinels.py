"""Turn pairs into values that a measure worth its name must beat: equality, lengths, chance and a constant."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.codes import Floats
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.scorer import Pairs
from kp_core.similarity.sides import Sides

_OURS = "sentinel of this project"


@similarity_measure("exact", "Whether the phrases are the same words.", r"[a = b]", source=_OURS)
def exact(sides: Sides) -> Floats:
    """Return 1 where all tokens are equal, else 0."""
    if sides.r != sides.h:
        return np.zeros(sides.n)
    same: Floats = (sides.ref == sides.hyp).all(axis=0).astype(float)
    return same


similarity_measure(
    "stem-exact",
    "Whether the phrases are the same words once stemmed.",
    r"[\mathrm{stem}(a) = \mathrm{stem}(b)]",
    source=_OURS,
    level="stems",
)(exact)


@similarity_measure(
    "length-difference",
    "How many words more one phrase has, below zero.",
    r"-|r - c|",
    source=_OURS,
    low=-np.inf,
    high=0.0,
)
def length_difference(sides: Sides) -> Floats:
    """Return minus the difference of the lengths in tokens."""
    return np.full(sides.n, -float(abs(sides.r - sides.h)))


@similarity_measure("candidate-length", "How many words the candidate has.", "c", source=_OURS, low=1.0, high=np.inf)
def candidate_length(sides: Sides) -> Floats:
    """Return the number of tokens of the candidate."""
    return np.full(sides.n, float(sides.keyphrase_first.h))


@similarity_measure(
    "random",
    "A number drawn at random, the same in every run.",
    r"U(0, 1)",
    source=_OURS,
    level="pairs",
    undefined="never",
)
def random(pairs: Pairs) -> Floats:
    """Return uniform numbers from the seed, by row."""
    return np.random.default_rng(pairs.scorer.choices.seed).random(len(pairs.keyphrase))


@similarity_measure(
    "constant", "The same value everywhere.", r"\mathrm{constant} = 1", source=_OURS, level="pairs", undefined="never"
)
def constant(pairs: Pairs) -> Floats:
    """Return ones."""
    return np.ones(len(pairs.keyphrase))
