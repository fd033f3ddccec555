"""Turn groups of synonyms into pairs of words that METEOR may match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kp_core.scoring.codes import Bools
from kp_core.similarity.sides import Sides
from kp_core.similarity.tokens import Phrases


class Synonyms:
    """Which words are synonyms; a word may stand in several groups, and synonyms of synonyms are none."""

    def __init__(self, phrases: Phrases, groups: Iterable[Sequence[str]]) -> None:
        self._words = phrases.words
        place = {word: code for code, word in enumerate(phrases.vocabulary("words"))}
        self._size = max(1, len(place))
        found = set[int]()
        for group in groups:
            codes = [place[word.lower()] for word in group if word.lower() in place]
            found |= {a * self._size + b for a in codes for b in codes}
        self._pairs = np.array(sorted(found), np.int64)

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
