"""Turn aligned words into METEOR: exact words first, then stems, then synonyms of a file of one's own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.similarity.registry import as_library, similarity_measure
from kp_core.similarity.sides import Sides, total

#: alpha, beta, gamma; the second set is recalled from the tuned release of 2007-08 and could not be verified.
WEIGHTS = {"original": (0.9, 3.0, 0.5), "tuned-unverified": (0.81, 0.83, 0.28), "f1": (0.5, 1.0, 0.0)}

#: Alignments of one pair that are followed further; phrases below some ten repeated words never reach it.
_STATES = 2000


def best_alignment(same: Bools, exact: Bools) -> tuple[int, int]:
    """Return matches and chunks of the best alignment: most matches, then most exact ones, then fewest chunks.

    same, exact   (r, h) words of the reference and of the hypothesis that may be matched, and that are equal

    >>> twice = np.array([[True, False, False], [False, True, True]])
    >>> best_alignment(twice, twice)
    (2, 1)
    """
    # state: positions taken in the reference as bits, and the one taken by the word before (-2: none)
    states: dict[tuple[int, int], tuple[int, int, int]] = {(0, -2): (0, 0, 0)}
    for j in range(same.shape[1]):
        after: dict[tuple[int, int], tuple[int, int, int]] = {}
        for (taken, last), (matches, exacts, chunks) in states.items():
            steps = [((taken, -2), (matches, exacts, chunks))]
            for i in np.flatnonzero(same[:, j]).tolist():
                if not taken >> i & 1:
                    further = (matches + 1, exacts + int(exact[i, j]), chunks - int(i != last + 1))
                    steps.append(((taken | 1 << i, i), further))
            for state, value in steps:
                if value > after.get(state, (-1, 0, 0)):
                    after[state] = value
        states = dict(sorted(after.items(), key=lambda entry: entry[1], reverse=True)[:_STATES])
    matches, _, chunks = max(states.values())
    return matches, -chunks


def greedy_alignment(same: Bools, exact: Bools) -> tuple[int, int]:
    """Return matches and chunks as NLTK aligns: from the last word on, each stage takes the last free equal word."""
    r, h = same.shape
    partner = [-1] * h
    free = [True] * r
    for stage in (exact, same):
        for j in reversed(range(h)):
            i = next((i for i in reversed(range(r)) if partner[j] < 0 and free[i] and stage[i, j]), -1)
            if i >= 0:
                partner[j], free[i] = i, False
    matched = [j for j in range(h) if partner[j] >= 0]
    chunks = sum(1 for j in matched if not (j and partner[j - 1] >= 0 and partner[j] == partner[j - 1] + 1))
    return len(matched), chunks


def _aligned(sides: Sides, same: Bools, align: Callable[[Bools, Bools], tuple[int, int]]) -> tuple[Ints, Ints]:
    """Return matches and chunks of every pair (n,)."""
    by_ref, by_hyp = total(same, 1), total(same, 0)
    matches = by_ref.sum(axis=0, dtype=np.int64)
    following = same[1:, 1:] & same[:-1, :-1]
    chunks = matches - following.sum(axis=(0, 1), dtype=np.int64)
    # Where every word has one partner at most there is only one alignment; others are few and found one by one.
    open_pairs = np.flatnonzero((by_ref > 1).any(axis=0) | (by_hyp > 1).any(axis=0))
    if len(open_pairs):
        exact = np.moveaxis(sides.words.equal[:, :, open_pairs], 2, 0)
        some = np.moveaxis(same[:, :, open_pairs], 2, 0)
        rows = np.concatenate([some, exact], axis=1).reshape(len(open_pairs), -1)
        _, first, which = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True)
        found = np.array([align(some[i], exact[i]) for i in first])[which.reshape(-1)]
        matches[open_pairs], chunks[open_pairs] = found[:, 0], found[:, 1]
    return matches, chunks


def _score(sides: Sides, matches: Ints, chunks: Ints, weights: str, complete: bool) -> Floats:
    alpha, beta, gamma = WEIGHTS[weights]
    most = min(sides.r, sides.h)
    m, c = np.meshgrid(np.arange(most + 1), np.arange(most + 1), indexing="ij")
    some = np.maximum(m, 1)
    p, r = some / sides.h, some / sides.r
    value = p * r / (alpha * p + (1 - alpha) * r) * (1 - gamma * (c / some) ** beta)
    value[0] = 0.0
    if complete and sides.r == sides.h:
        value[most, 1] = 1.0
    return np.asarray(value[matches, chunks])


@similarity_measure(
    "METEOR",
    "Words, stems and synonyms in common, less a penalty where they stand in another order.",
    r"\frac{P R}{\alpha P + (1-\alpha) R}\Big(1 - \gamma \Big(\frac{\mathrm{chunks}}{m}\Big)^{\beta}\Big)",
    source="Banerjee & Lavie 2005, without WordNet; identical phrases score 1",
    level="stems",
    compat=as_library(
        lambda sides, weights="original": meteor_of_nltk(sides, weights), "NLTK 3.10", weights=tuple(WEIGHTS)
    ),
    weights=tuple(WEIGHTS),
    complete=("yes", "no"),
)
def meteor(sides: Sides, weights: str = "original", complete: str = "yes") -> Floats:
    """Return METEOR over the best alignment; a complete match in one chunk has no penalty unless complete = no."""
    same = sides.equal
    if sides.shared.synonyms is not None:
        same = same | sides.shared.synonyms(sides)
    return _score(sides, *_aligned(sides, same, best_alignment), weights, complete == "yes")


def meteor_of_nltk(sides: Sides, weights: str = "original") -> Floats:
    """Return METEOR as NLTK 3.10 with a WordNet that knows no word."""
    if not sides.r or not sides.h:
        return np.zeros(sides.n)
    return _score(sides, *_aligned(sides, sides.equal, greedy_alignment), weights, False)
