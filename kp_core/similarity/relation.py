"""Classify pairs of phrases by type of near miss, location of the match, and complexity of the keyphrase."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from kp_core.scoring.codes import Ints
from kp_core.similarity.phrase_measures import r_precision
from kp_core.similarity.tokens import CONJUNCTIONS, PREPOSITIONS, Phrases, Shared, Tokenization, sides

#: Types of near misses and their rules, best first; the first rule that applies decides.
TYPES: dict[str, str] = {
    "EXACT": "the same phrase, up to case and spaces",
    "MORPH": "the same phrase once its words are stemmed",
    "INCLUDE": "the candidate contains the whole keyphrase",
    "PARTOF": "the keyphrase contains the whole candidate",
    "OVERLAP": "some word in common",
    "NONE": "no word in common",
}
EXACT, MORPH, INCLUDE, PARTOF, OVERLAP, NONE = range(6)

#: Locations of the match in the longer phrase, empty for exact and morphological matches and for misses.
LOCATIONS = ("First", "Middle", "Head", "First+Head", "")
COMPLEXITIES = ("Simple", "PP", "CC", "PP+CC")


def relate(phrases: Phrases, keyphrase: Ints, candidate: Ints) -> pd.DataFrame:
    """Return one row per pair that describes its relation, given the indices of the two phrases.

    * `type`, `location`: indices of `TYPES` and `LOCATIONS`
    * `morph`: whether it is a partial match that needs stemming
    * `reordered`: whether the same stems occur in another order
    * `contiguous`: whether the longer phrase contains the shorter one contiguously
    * `overlap`: R-precision of the stems

    Source: Kim, Baldwin & Kan 2010, sections 2 and 5, on token boundaries.
    """
    n = len(keyphrase)
    kind, location = np.full(n, NONE, np.int8), np.full(n, len(LOCATIONS) - 1, np.int8)
    morph, reordered, contiguous = np.zeros((3, n), bool)
    overlap = np.full(n, np.nan)
    for pairs, block in sides(Shared(phrases.stems, phrases.words, longer=True), keyphrase, candidate):
        if not (block.r and block.h):
            continue
        overlap[pairs] = 0.0
        overlapping = np.flatnonzero(block.equal.any(axis=(0, 1)))
        if 2 * len(overlapping) < block.n:  # most pairs of a document have no word in common
            pairs, block = pairs[overlapping], block.only(overlapping)
        common, same_length = block.matches(1), block.r == block.h
        partial = PARTOF if block.keyphrase_is_reference else INCLUDE
        types = np.where(block.inside, MORPH if same_length else partial, np.where(common > 0, OVERLAP, NONE))
        if same_length:
            spelled_alike = phrases.spelling[block.reference] == phrases.spelling[block.hypothesis]
            types[(types == MORPH) & spelled_alike] = EXACT
            reordered[pairs] = (types == OVERLAP) & (common == block.r)
        # Without stemming, the type of match would differ.
        words = block.words
        stemmed = np.where(types == OVERLAP, words.matches(1) < common, ~words.inside)
        morph[pairs] = stemmed & (types > MORPH) & (types < NONE)
        kind[pairs], contiguous[pairs], overlap[pairs] = types, block.inside, r_precision(block)
        matched = block.long_first.matched_from_right
        conditions = [(types <= MORPH) | ~matched.any(axis=0), matched[0] & matched[-1], matched[-1], matched[0]]
        location[pairs] = np.select(conditions, [4, 3, 2, 0], default=1)
    columns = {"type": kind, "morph": morph, "reordered": reordered, "location": location}
    return pd.DataFrame(columns | {"contiguous": contiguous, "overlap": overlap})


def complexity(phrases: Phrases) -> NDArray[np.int8]:
    """Return the index in `COMPLEXITIES` of every phrase (phrase,), from English prepositions and conjunctions."""
    owner = np.repeat(np.arange(len(phrases.words.length)), phrases.words.length)
    kind = np.zeros(len(phrases.words.length), np.int8)
    for value, function_words in ((1, PREPOSITIONS), (2, CONJUNCTIONS)):
        is_function_word = np.array([word in function_words for word in phrases.vocabulary], bool)
        kind[np.unique(owner[is_function_word[phrases.words.code]])] += np.int8(value)
    return kind


def describe(
    keyphrases: Sequence[str], candidates: Sequence[str], tokenization: Tokenization | None = None
) -> pd.DataFrame:
    """Return one row per pair, with types as words: type, morph, reordered, contiguous, location, complexity.

    >>> describe(["quality of service"], ["service quality"])[["type", "location", "complexity"]].to_numpy().tolist()
    [['OVERLAP', 'First+Head', 'PP']]
    """
    encoded = pa.array([*keyphrases, *candidates], pa.large_string()).dictionary_encode()
    key, other = np.split(encoded.indices.to_numpy().astype(np.int64), [len(keyphrases)])
    phrases = Phrases(encoded.dictionary.to_pylist(), tokenization or Tokenization())
    related = relate(phrases, key, other)[["type", "morph", "reordered", "contiguous", "location"]]
    return related.assign(
        type=np.array(list(TYPES), object)[related["type"]],
        location=np.array(LOCATIONS, object)[related["location"]],
        complexity=np.array(COMPLEXITIES, object)[complexity(phrases)[key]],
    )
