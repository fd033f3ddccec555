"""Draw pairs of invented phrases of 1 to 8 words: repeated, inflected, hyphenated, or shared by both phrases."""

import numpy as np

from kp_core.text.places import occurs, token_lines

#: Few words, so that phrases share them and repeat them; inflected forms, so that stems differ from words.
_LISTED = """
network networks networking scheduling scheduled schedule of the multi-agent system systems based neural Analysis
analyses k-means study studies x
"""
WORDS = _LISTED.split()


def draw(seed, pairs=400, longest=8, words=WORDS):
    """Return two lists of phrases; half of the candidates are parts, shuffles or extensions of their keyphrase."""
    rng = np.random.default_rng(seed)
    keyphrases, candidates = [], []
    for _ in range(pairs):
        key = rng.choice(words, rng.integers(1, longest + 1)).tolist()
        other = rng.choice(words, rng.integers(1, longest + 1)).tolist()
        if rng.random() < 0.5:
            begin = rng.integers(0, len(key))
            other = key[begin : begin + int(rng.integers(1, longest + 1))]
            if rng.random() < 0.4:
                other = rng.permutation(other).tolist()
            if rng.random() < 0.4:
                other = [*other, str(rng.choice(words))][:longest]
        keyphrases.append(" ".join(key))
        candidates.append(" ".join(other))
    return keyphrases, candidates


def present(text, phrases, normaliser, of_phrases=None):
    """Return for each phrase whether its normalized tokens are adjacent in the normalized text."""
    line = token_lines([text], normaliser)[0]
    any_order = "sort" in normaliser.steps
    return [occurs(phrase, line, any_order) for phrase in token_lines(phrases, of_phrases or normaliser)]
