"""Turn aligned words into METEOR: exact words first, then stems, then synonyms of a file of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.sides import Sides, total
from kp_core.similarity.tokens import Phrases

#: alpha, beta, gamma; the second set is recalled from the tuned release of 2007-08 and could not be verified.
WEIGHTS = {"original": (0.9, 3.0, 0.5), "tuned-unverified": (0.81, 0.83, 0.28), "f1": (0.5, 1.0, 0.0)}

#: Alignments of one pair that are followed further; phrases below some ten repeated words never reach it.
_STATES = 2000


class Synonyms:
    """Which words are synonyms; a word may stand in several groups, and synonyms of synonyms are none."""

    def __init__(self, phrases: Phrases, groups: Iterable[Sequence[str]]) -> None:
        self._words = phrases.words
        place = {word: code for code, word in enumerate(phrases.vocabulary)}
        self._size = max(1, len(place))
        codes = [[place[word.lower()] for word in group if word.lower() in place] for group in groups]
        self._pairs = np.array([a * self._size + b for group in codes for a in group for b in group], np.int64)

    def __call__(self, sides: Sides) -> Bools:
        """Tell which words of reference and hypothesis are synonyms: (r, h, n)."""
        ref = self._words.of(sides.reference, sides.r).astype(np.int64)
        hyp = self._words.of(sides.hypothesis, sides.h)
        return np.isin(ref[:, None, :] * self._size + hyp[None, :, :], self._pairs)


def read_synonyms(text: str) -> list[list[str]]:
    r"""Read groups of synonyms: a group a line, words separated by commas or tabs; # begins a comment.

    >>> read_synonyms("# mine\ncar, automobile\n\nmethod\tapproach")
    [['car', 'automobile'], ['method', 'approach']]
    """
    lines = (line.strip() for line in text.splitlines())
    split = [line.replace("\t", ",").split(",") for line in lines if line and not line.startswith("#")]
    return [[word.strip() for word in group if word.strip()] for group in split]


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


def _aligned(sides: Sides, same: Bools) -> tuple[Ints, Ints]:
    """Return matches and chunks of every pair (n,)."""
    by_ref, by_hyp = total(same, 1), total(same, 0)
    matches = by_ref.sum(axis=0, dtype=np.int64)
    following = same[1:, 1:] & same[:-1, :-1]
    chunks = matches - following.sum(axis=(0, 1), dtype=np.int64)
    # Where every word has one partner at most there is only one alignment; others are few and found one by one.
    open_pairs = np.flatnonzero((by_ref > 1).any(axis=0) | (by_hyp > 1).any(axis=0))
    if len(open_pairs):
        both = np.stack([same[:, :, open_pairs], sides.words.equal[:, :, open_pairs]])
        kinds, which = np.unique(np.moveaxis(both, 3, 0), axis=0, return_inverse=True)
        best = np.array([best_alignment(*kind) for kind in kinds])[which.reshape(-1)]
        matches[open_pairs], chunks[open_pairs] = best.T
    return matches, chunks


@similarity_measure("METEOR")
def meteor(sides: Sides, weights: str = "original", complete: str = "yes") -> Floats:
    """Return METEOR over the best alignment; a complete match in one chunk has no penalty unless complete = no."""
    same = sides.equal
    if sides.shared.synonyms is not None:
        same = same | sides.shared.synonyms(sides)
    alpha, beta, gamma = WEIGHTS[weights]
    # a table of every number of matches m and chunks c, from which the pairs take their values
    most = min(sides.r, sides.h)
    m, c = np.meshgrid(np.arange(most + 1), np.arange(most + 1), indexing="ij")
    some = np.maximum(m, 1)
    p, r = some / sides.h, some / sides.r
    value = p * r / (alpha * p + (1 - alpha) * r) * (1 - gamma * (c / some) ** beta)
    value[0] = 0.0
    if complete == "yes" and sides.r == sides.h:
        value[most, 1] = 1.0
    return np.asarray(value[_aligned(sides, same)])
