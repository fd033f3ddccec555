"""Compute similarities that depend on further data: contexts in texts, the user's table, combinations, random numbers.

The context of a phrase is a vector of the words in the sentences of the loaded texts that contain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from kp_core.errors import UsageError, usage_error
from kp_core.scoring.codes import Floats
from kp_core.scoring.semantic import similarity_table
from kp_core.similarity.declaration import parse, similarity_measure
from kp_core.similarity.scorer import Pairs
from kp_core.similarity.tokens import FUNCTION_WORDS, Phrases, Tokenization
from kp_core.text.stem import stem_words
from kp_core.text.tokenise import clean, is_word, occurrences, sentences

#: Maximum number of sentences used for a phrase, in the order of the texts.
MAX_SENTENCES = 50


class Contexts:
    """The sentences of texts as stems, in which phrases are looked up as runs of stems."""

    def __init__(self, texts: Sequence[str], stemmer: str) -> None:
        self.stemmer = stemmer
        lower_case = [[token.lower() for token in s] for text in texts if text for s in sentences(clean(text))]
        words = list(dict.fromkeys(chain.from_iterable(lower_case)))
        stem_of = dict(zip(words, stem_words(words, stemmer) if stemmer else words, strict=True))
        self.sentences = [[stem_of[word] for word in sentence] for sentence in lower_case]
        self.vocabulary = {stem: code for code, stem in enumerate(dict.fromkeys(stem_of.values()))}
        counts = self._matrix([[self.vocabulary[stem] for stem in s] for s in self.sentences], len(self.vocabulary))
        weight = np.log(len(self.sentences) / np.maximum(counts.astype(bool).sum(axis=0), 1))
        weight[[self.vocabulary[stem_of[word]] for word in words if word in FUNCTION_WORDS or not is_word(word)]] = 0.0
        counts.data *= weight[counts.indices]
        self.weights = counts

    @staticmethod
    def _matrix(rows: Sequence[Sequence[int]], width: int) -> Any:
        from scipy.sparse import csr_array

        column = np.fromiter(chain.from_iterable(rows), np.int64)
        ends = np.cumsum([0, *map(len, rows)])
        matrix = csr_array((np.ones(len(column)), column, ends), shape=(len(rows), width))
        matrix.sum_duplicates()
        return matrix

    def _places(self, phrases: Sequence[Sequence[str]]) -> list[list[int]]:
        """Return the indices of the first sentences that contain each phrase, given as stems."""
        forms = [" ".join(phrase) for phrase in phrases]
        first_sentences: dict[str, dict[int, None]] = {form: {} for form in forms}
        for number, start, end in occurrences(self.sentences, first_sentences):
            first_sentences[" ".join(self.sentences[number][start:end])][number] = None
        return [list(first_sentences[form])[:MAX_SENTENCES] for form in forms]

    def vectors(self, phrases: Sequence[str]) -> Any:
        """Return tf · ln(S / df) of the words around each phrase, without its own and function words (phrase, word)."""
        stems = Phrases(phrases, Tokenization(stemmer=self.stemmer)).stem_lists().to_pylist()
        context = self._matrix(self._places(stems), len(self.sentences)) @ self.weights
        own_words = [[self.vocabulary[s] for s in set(p) & self.vocabulary.keys()] for p in stems]
        return context - context.multiply(self._matrix(own_words, context.shape[1]))


@similarity_measure("context")
def context(pairs: Pairs) -> Floats:
    """Return the cosine of the contexts of the two phrases; NaN if one of them has no context."""
    options, cache = pairs.scorer.options, pairs.scorer.cache
    if not options.texts:
        raise usage_error("no contexts")
    if "contexts" not in cache:
        cache["contexts"] = Contexts(options.texts, options.stemmer)
    numbers, index = np.unique(np.concatenate([pairs.keyphrase, pairs.candidate]), return_inverse=True)
    first, second = np.split(index, 2)
    vectors = cache["contexts"].vectors([pairs.scorer.phrases[number] for number in numbers])
    norm = np.sqrt(vectors.multiply(vectors).sum(axis=1))
    lengths = norm[first] * norm[second]
    return np.asarray(vectors[first].multiply(vectors[second]).sum(axis=1) / np.where(lengths > 0, lengths, np.nan))


@similarity_measure("given")
def given(pairs: Pairs) -> Floats:
    """Return the value in the user's table, or 1 for phrases with equal stems."""
    scorer = pairs.scorer
    if "given" not in scorer.cache:
        tokenization = replace(scorer.options.tokenization(parse("given"), "given"), everywhere=True)
        pipeline = "+".join(filter(None, (tokenization.words, tokenization.stemmer)))
        form = pd.factorize(np.array(scorer.coded(tokenization).texts, object))[0]
        scorer.cache["given"] = similarity_table(scorer.options.vocabulary, scorer.phrases, pipeline), form
    table, form = scorer.cache["given"]
    equal = form[pairs.keyphrase] == form[pairs.candidate]
    return np.where(equal, 1.0, table.pairs(pairs.keyphrase, pairs.candidate))


@similarity_measure("combined")
def combined(pairs: Pairs, w: float = 0.5, rule: str = "sum", meaning: str = "context") -> Floats:
    """Return the weighted mean, or the maximum, of form and meaning; `meaning=column` reads the column `meaning`."""
    if meaning == "column":
        if "meaning" not in pairs.columns:
            raise UsageError("combined(meaning=column) takes the numeric column 'meaning' of the pairs; there is none")
        meanings = pairs.columns["meaning"]
    else:
        meanings = context(pairs) if meaning == "context" else given(pairs)
    form_values = pairs.scorer.score(["levenshtein"], pairs.keyphrase, pairs.candidate).table[:, 0]
    return np.asarray(np.maximum(form_values, meanings) if rule == "max" else w * form_values + (1 - w) * meanings)


@similarity_measure("random")
def random(pairs: Pairs) -> Floats:
    """Return uniform random numbers from the seed, one per row."""
    return np.random.default_rng(pairs.scorer.options.seed).random(len(pairs.keyphrase))


@similarity_measure("constant")
def constant(pairs: Pairs) -> Floats:
    """Return 1 for every pair."""
    return np.ones(len(pairs.keyphrase))
