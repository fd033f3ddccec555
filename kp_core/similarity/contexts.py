"""Turn texts into the words around each phrase, and two phrases into the cosine of these words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kp_core.scoring.codes import Floats, Ints
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
        found = [s for text in texts if text for s in sentences(clean(text))]
        lower = [[token.lower() for token in sentence] for sentence in found]
        words = list(dict.fromkeys(token for sentence in lower for token in sentence))
        stem_of = dict(zip(words, stem_words(words, stemmer) if stemmer else words, strict=True))
        self.vocabulary = {stem: code for code, stem in enumerate(dict.fromkeys(stem_of.values()))}
        self._silent = np.zeros(len(self.vocabulary), bool)
        for word in words:
            if word in FUNCTION_WORDS or not is_word(word):
                self._silent[self.vocabulary[stem_of[word]]] = True
        self.stemmer = stemmer
        self.sentences = len(lower)
        self._token = np.array([self.vocabulary[stem_of[t]] for sentence in lower for t in sentence], np.int64)
        self._sentence = np.repeat(np.arange(len(lower)), [len(s) for s in lower])

    def _found(self, phrases: list[Ints]) -> tuple[Ints, Ints]:
        """Return every (phrase, sentence) in which a phrase, given as stem codes, stands as a whole; sorted, distinct.

        All phrases are walked along the texts at once, as a tree of their stems.
        """
        size = len(self.vocabulary) + 1
        step: dict[int, int] = {}
        ends: dict[int, list[int]] = {}
        for number, codes in enumerate(phrases):
            if len(codes) and (codes >= 0).all():
                last = 0
                for code in codes.tolist():
                    last = step.setdefault(last * size + code, len(step) + 1)
                ends.setdefault(last, []).append(number)
        keys = np.array(sorted(step), np.int64)
        target = np.array([step[key] for key in keys.tolist()], np.int64)
        place, node = np.arange(len(self._token)), np.zeros(len(self._token), np.int64)
        rows: list[tuple[Ints, Ints]] = []
        depth = 0
        while len(place) and len(keys):
            key = node * size + self._token[place + depth]
            at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            kept = keys[at] == key
            place, node = place[kept], target[at[kept]]
            for end in np.intersect1d(node, list(ends)).tolist():
                where = np.unique(self._sentence[place[node == end]])
                rows += [(np.full(len(where), number), where) for number in ends[end]]
            depth += 1
            inside = place + depth < len(self._token)
            place, node = place[inside], node[inside]
            same = self._sentence[place] == self._sentence[place + depth]
            place, node = place[same], node[same]
        if not rows:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        numbers, found = (np.concatenate(column) for column in zip(*rows, strict=True))
        order = np.lexsort((found, numbers))
        return numbers[order], found[order]

    def cosine(self, keyphrases: Sequence[str], candidates: Sequence[str]) -> Floats:
        """Return the cosine of the contexts of each pair; NaN where a phrase has none.

        Weights are tf · ln(S / df); words of the phrase itself and function words are left out.
        """
        from scipy.sparse import csr_array

        phrases = list(dict.fromkeys([*keyphrases, *candidates]))
        coded = Phrases(phrases, Recipe(stemmer=self.stemmer))
        known = np.array([self.vocabulary.get(stem, -1) for stem in coded.vocabulary("stems")], np.int64)
        own: list[Ints] = (
            [known[codes] for codes in np.split(coded.stems.code, coded.stems.start[1:])] if phrases else []
        )
        number, sentence = self._found(own)
        first = np.searchsorted(number, number)
        near = np.arange(len(number)) - first < SENTENCES
        shape = (len(phrases), max(1, self.sentences))
        holds: Any = csr_array((np.ones(int(near.sum())), (number[near], sentence[near])), shape=shape)
        width = max(1, len(self.vocabulary))
        counts: Any = csr_array(
            (np.ones(len(self._token)), (self._sentence, self._token)), shape=(shape[1], width)
        )  # repeated tokens add up
        counts.sum_duplicates()
        df = np.bincount(counts.indices, minlength=width)
        weight = np.where(
            self._silent if len(self._silent) else [False], 0.0, np.log(self.sentences / np.maximum(df, 1))
        )
        found: Any = csr_array(holds @ counts @ _diagonal(weight)).tocoo()
        kept = np.ones(len(found.row), bool)
        owner = np.repeat(np.arange(len(own)), [len(codes) for codes in own])
        mine = owner * width + np.concatenate([*own, np.empty(0, np.int64)])
        kept = ~np.isin(found.row.astype(np.int64) * width + found.col, mine)
        vectors: Any = csr_array((found.data[kept], (found.row[kept], found.col[kept])), shape=(len(phrases), width))
        norm = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        place = {phrase: i for i, phrase in enumerate(phrases)}
        key, other = (np.array([place[p] for p in side], np.int64) for side in (keyphrases, candidates))
        product = np.asarray(vectors[key].multiply(vectors[other]).sum(axis=1)).ravel()
        length = norm[key] * norm[other]
        return np.where(length > 0, product / np.where(length > 0, length, 1.0), np.nan)


def _diagonal(weight: Floats) -> Any:
    from scipy.sparse import diags_array

    return diags_array(weight)
