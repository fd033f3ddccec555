"""Turn texts into the sentences around each phrase, and phrases into vectors of the words that stand there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from kp_core.similarity.tokens import Phrases, Recipe
from kp_core.text.stem import stem_words
from kp_core.text.tokenise import clean, is_word, sentences

#: Sentences of a phrase that are looked at, in the order of the texts.
SENTENCES = 50

_LISTED = """
a about above after again all also although always am among an and another any are around as at be because been before
being below between both but by can cannot could did do does done down during each either else ever every few for from
further had has have having he hence her here him his how however i if in into is it its itself just less many may me
might more most much must my neither never no nor not nothing of off often on once one only onto or other others our out
over own per perhaps rather same several shall she should since so some such than that the their them then there
therefore these they this those though through thus to together too toward towards under until up upon us very via was
we well were what when where whether which while who whom whose why will with within without would yet you your 's ’s
"""
#: English words that say nothing about a topic, written down for this measure; in other languages idf alone decides.
FUNCTION_WORDS = frozenset(_LISTED.split())


class Contexts:
    """The sentences of texts as stems; phrases are looked up as contiguous stems."""

    def __init__(self, texts: Sequence[str], stemmer: str) -> None:
        self.stemmer = stemmer
        spelled = [[token.lower() for token in s] for text in texts if text for s in sentences(clean(text))]
        words = list(dict.fromkeys(chain.from_iterable(spelled)))
        stem_of = dict(zip(words, stem_words(words, stemmer) if stemmer else words, strict=True))
        self.sentences = [[stem_of[word] for word in sentence] for sentence in spelled]
        self.vocabulary = {stem: code for code, stem in enumerate(dict.fromkeys(stem_of.values()))}
        counts = self._matrix([[self.vocabulary[stem] for stem in s] for s in self.sentences], len(self.vocabulary))
        weight = np.log(len(self.sentences) / np.maximum(counts.astype(bool).sum(axis=0), 1))
        weight[[self.vocabulary[stem_of[word]] for word in words if word in FUNCTION_WORDS or not is_word(word)]] = 0.0
        counts.data *= weight[counts.indices]
        self.weights = counts

    @staticmethod
    def _matrix(rows: Sequence[Sequence[int]], width: int) -> Any:
        """Return how often each row holds each number: (row, width), sparse."""
        from scipy.sparse import csr_array

        column = np.fromiter(chain.from_iterable(rows), np.int64)
        ends = np.cumsum([0, *map(len, rows)])
        matrix = csr_array((np.ones(len(column)), column, ends), shape=(len(rows), width))
        matrix.sum_duplicates()
        return matrix

    def _places(self, phrases: Sequence[tuple[str, ...]]) -> list[list[int]]:
        """Return the first sentences in which each phrase, given as stems, stands as a whole."""
        lengths: dict[str, set[int]] = {}
        for phrase in phrases:
            if phrase:
                lengths.setdefault(phrase[0], set()).add(len(phrase))
        places: dict[tuple[str, ...], list[int]] = {phrase: [] for phrase in phrases}
        for number, sentence in enumerate(self.sentences):
            runs = {
                tuple(sentence[start : start + length])
                for start, stem in enumerate(sentence)
                for length in lengths.get(stem, ())
            }
            for run in runs & places.keys():
                if len(places[run]) < SENTENCES:
                    places[run].append(number)
        return [places[phrase] for phrase in phrases]

    def vectors(self, phrases: Sequence[str]) -> Any:
        """Return the words around each phrase, weighed by tf · ln(S / df): (phrase, word), sparse.

        Words of the phrase itself and function words are left out.
        """
        stems = [tuple(phrase) for phrase in Phrases(phrases, Recipe(stemmer=self.stemmer)).stem_lists().to_pylist()]
        near = self._matrix(self._places(stems), len(self.sentences)) @ self.weights
        own = self._matrix(
            [[self.vocabulary[s] for s in set(p) & self.vocabulary.keys()] for p in stems], near.shape[1]
        )
        return near - near.multiply(own)
