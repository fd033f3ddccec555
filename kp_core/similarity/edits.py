"""Turn characters, and the order of tokens, into edit similarities and token ratios."""

from __future__ import annotations

from typing import Any

import numpy as np

from kp_core.scoring.codes import Floats
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.sides import Sides

#: Keyphrases and candidates.
Texts = tuple[list[str], list[str]]


def _each(texts: Texts, scorer: Any) -> Floats:
    """Return a scorer of rapidfuzz for every pair of strings, in double precision."""
    from rapidfuzz.process import cpdist

    return np.asarray(cpdist(*texts, scorer=scorer, dtype=np.float64))


@similarity_measure("levenshtein")
def levenshtein(texts: Texts, distance: str = "levenshtein") -> Floats:
    """Return the normalised edit similarity of characters; `osa` counts a swap of neighbours as one edit."""
    from rapidfuzz.distance import OSA, Levenshtein

    return _each(texts, (OSA if distance == "osa" else Levenshtein).normalized_similarity)


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


@similarity_measure("jaro-winkler")
def jaro_winkler(texts: Texts) -> Floats:
    """Return the similarity of Jaro and Winkler with prefix weight .1."""
    from rapidfuzz.distance import JaroWinkler

    return _each(texts, JaroWinkler.similarity)


@similarity_measure("token-sort")
def token_sort(texts: Texts) -> Floats:
    """Return the ratio of the phrases with sorted words."""
    from rapidfuzz import fuzz

    return _each(texts, fuzz.token_sort_ratio) / 100


@similarity_measure("token-set")
def token_set(texts: Texts) -> Floats:
    """Return the best ratio among common words, and common words with the rest of either phrase."""
    from rapidfuzz import fuzz

    return _each(texts, fuzz.token_set_ratio) / 100
