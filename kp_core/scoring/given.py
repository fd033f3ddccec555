"""Turn a user's table of similar phrases, or of their vectors, into the similarity of the phrases of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kp_core.corpus import Corpus, Vocabulary, matrix_of, memoize
from kp_core.errors import Note, input_error, pluralize, usage_error
from kp_core.scoring.codes import Bools, Coded, Codes, Floats, Ints
from kp_core.scoring.order import exceeds
from kp_core.settings import Settings
from kp_core.text.normalise import Normaliser

#: Pairs, or phrases, per block, whose vectors fit into the processor's cache.
_AT_ONCE = 2_000


@dataclass(frozen=True)
class Given:
    """The similarity of V phrases, given by number; -1 is a missing phrase, similar to none.

    entry    (V + 1,) row of each phrase in the user's table, -1 for none and for zero vectors; the last is -1
    entries  number of rows
    key      sorted numbers of pairs, a · entries + b; score: their similarities; empty if there are vectors
    vectors  (V + 1, length) unit vector of each phrase, zeros for none; or None
    """

    entry: Ints
    entries: int
    key: Ints
    score: Floats
    vectors: NDArray[np.floating] | None

    @property
    def without(self) -> Bools:
        """Mask of the phrases without an entry or with a zero vector (V,)."""
        return self.entry[:-1] < 0

    def pairs(self, keyphrase: Ints, candidate: Ints) -> Floats:
        """Return the similarity of pairs (n,): NaN if a vector is missing, 0 for a pair that is not in the table."""
        first, second = self.entry[candidate], self.entry[keyphrase]
        there = (first >= 0) & (second >= 0)
        if self.vectors is None:
            return self._listed(first * self.entries + second, there)
        value = np.empty(len(first))
        for begin in range(0, len(first), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            value[part] = np.einsum("pd,pd->p", self.vectors[candidate[part]], self.vectors[keyphrase[part]])
        return np.where(there, np.clip(value, -1.0, 1.0), np.nan)

    def blocks(self, candidate: Codes, keyphrase: Codes) -> Floats:
        """Return the similarity of all candidates of a document and all its keyphrases; 0 if one has no entry.

        candidate (document, row), keyphrase (document, item) → (document, row, item)
        """
        if self.vectors is None:
            first, second = self.entry[candidate], self.entry[keyphrase]
            there = (first >= 0)[:, :, None] & (second >= 0)[:, None]
            return self._listed(first[:, :, None] * self.entries + second[:, None], there)
        product = self.vectors[candidate] @ self.vectors[keyphrase].swapaxes(1, 2)
        return np.clip(product, -1.0, 1.0, out=product)

    def _listed(self, key: Ints, there: Bools) -> Floats:
        place = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        return np.where(there & (self.key[place] == key), self.score[place], 0.0)


def given(vocabulary: Vocabulary, phrases: Sequence[str], normalise: str) -> Given:
    """Return the similarity of some phrases, looked up by normalized form, or by spelling if there are vectors for it.

    Raises UsageError without a table, InputError if pairs with different scores have the same normalized forms.
    """
    normaliser = Normaliser.parse(normalise)
    if len(vocabulary.vectors):
        return _of_vectors(vocabulary.vectors, phrases, normaliser)
    if not len(vocabulary.similar):
        raise usage_error("no similarity")
    return _of_pairs(vocabulary.similar, vocabulary.directed, phrases, normaliser)


def _of_pairs(table: pd.DataFrame, directed: bool, phrases: Sequence[str], normaliser: Normaliser) -> Given:
    coded = pd.concat([table["a"], table["b"]]).astype("category")
    # Phrases with an empty normalized form are compared by spelling.
    forms, sought = (
        pd.Index([form or raw for form, raw in zip(normaliser.apply(spelled), spelled, strict=True)], dtype="str")
        for spelled in (coded.cat.categories.tolist(), list(phrases))
    )
    group, groups = pd.factorize(forms)
    a, b = np.split(group[coded.cat.codes.to_numpy()].astype(np.int64), 2)
    score, row = table["score"].to_numpy(float), np.arange(len(table))
    if not directed:
        a, b, score, row = np.concatenate([a, b]), np.concatenate([b, a]), np.tile(score, 2), np.tile(row, 2)
    key = a * len(groups) + b
    order = np.lexsort((score, key))
    key, score, row, different = key[order], score[order], row[order], (a != b)[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    low, high = first, np.append(first[1:], len(key)) - 1
    if (two := exceeds(score[high], score[low]) & different[low]).any():
        rows = (table.iloc[row[place[two][0]]] for place in (low, high))
        values = ", ".join(f"“{pair['a']}” and “{pair['b']}” {pair['score']:g}" for pair in rows)
        raise input_error("the table of similarities", "two forms", values=values, normalise=str(normaliser))
    entry = np.append(groups.get_indexer(sought).astype(np.int64), -1)
    return Given(entry, len(groups), key[first], score[first], None)


def _of_vectors(table: pd.DataFrame, phrases: Sequence[str], normaliser: Normaliser) -> Given:
    entries, written = (pa.array(strings, pa.large_string()) for strings in (table["phrase"], phrases))
    entry = _places(written, entries)
    lost = np.flatnonzero(entry < 0)
    if len(lost):
        forms = [normaliser.apply(strings.to_pylist()) for strings in (written.take(pa.array(lost)), entries)]
        entry[lost] = _places(*(pa.array([form or None for form in side], pa.large_string()) for side in forms))
    entry = np.append(entry, -1)
    unit = _unit(matrix_of(table), entry)
    return Given(np.where(unit.any(axis=1), entry, -1), len(entries), np.empty(0, np.int64), np.empty(0), unit)


def _unit(vectors: NDArray[np.floating], entry: Ints) -> NDArray[np.floating]:
    """Return the unit vector of each entry, zeros for -1: (entry, length)."""
    unit = np.empty((len(entry), vectors.shape[1]), vectors.dtype)
    for begin in range(0, len(entry), _AT_ONCE):
        part = entry[begin : begin + _AT_ONCE]
        block = vectors[part]
        block[part < 0] = 0.0
        # Scaled to a maximum of 1 first, so that squares neither overflow nor underflow.
        block = _scaled(block, np.abs(block).max(axis=1))
        unit[begin : begin + _AT_ONCE] = _scaled(block, np.sqrt(np.einsum("pd,pd->p", block, block)))
    return unit


def _scaled(vectors: NDArray[np.floating], length: NDArray[np.floating]) -> NDArray[np.floating]:
    return vectors / np.where(length > 0, length, 1)[:, None]


def _places(values: pa.Array, among: pa.Array) -> Ints:
    """Return the first position of each value, or -1."""
    places = pc.fill_null(pc.index_in(values, among, skip_nulls=True), -1)
    return np.array(places.to_numpy(zero_copy_only=False), np.int64)


def given_of(corpus: Corpus, coded: Coded, settings: Settings) -> Given:
    """Return the similarity of the phrases of a coded corpus."""

    def make() -> Given:
        return given(corpus.vocabulary, coded.phrases.to_pylist(), settings.normalise)

    return memoize(corpus, "given", (settings.normalise, coded.concepts), make)


def phrases(corpus: Corpus) -> list[str]:
    """Return the distinct phrases of gold standard and systems, in the order of the files.

    Examples
    --------
    >>> import pandas as pd
    >>> gold = pd.DataFrame({"doc_id": "d", "annotator": "A", "phrase": ["tide", "sea"]})
    >>> phrases(Corpus(gold=gold, runs=gold.assign(system="s", rank=1, phrase=["moon", "tide"])))
    ['tide', 'sea', 'moon']
    """
    spelled = [phrase for variants in corpus.gold.get("variants", ()) if variants is not None for phrase in variants]
    return list(dict.fromkeys([*corpus.gold["phrase"], *spelled, *corpus.runs["phrase"]]))


def as_lines(phrases: Sequence[str]) -> str:
    """Return phrases one per line, with line ends and other blanks within them as one blank.

    >>> as_lines(["spring\\ntide", "sea"])
    'spring tide\\nsea\\n'
    """
    return "".join(" ".join(phrase.split()) + "\n" for phrase in phrases)


def lacking(corpus: Corpus, coded: Coded, settings: Settings) -> list[str]:
    """Return the phrases without an entry in the user's table, which are similar only to equal phrases."""
    without = np.flatnonzero(given_of(corpus, coded, settings).without)
    return list(coded.phrases.take(pa.array(without)).to_pylist())


def entries_in_words(corpus: Corpus, coded: Coded, settings: Settings) -> str:
    """Describe how many phrases occur in the user's table."""
    known = int((~given_of(corpus, coded, settings).without).sum())
    what = "Vectors" if len(corpus.vocabulary.vectors) else "Similarities"
    return f"{what} of {known:,} of {pluralize(len(coded.phrases), 'phrase')}."


def notes_on_given(corpus: Corpus, coded: Coded, settings: Settings) -> list[Note]:
    """Describe how many phrases have no entry in the user's table, and name some."""
    if not (without := lacking(corpus, coded, settings)):
        return []
    have = pluralize(len(coded.phrases) - len(without), "phrase has", "phrases have")
    some = ", ".join(without[:5]) + " …" * (len(without) > 5)
    text = f"{have} an entry there, of {len(coded.phrases):,}; the others are similar only to what they equal: {some}"
    of_vectors = bool(len(corpus.vocabulary.vectors))
    return [Note("warning", "vectors", text) if of_vectors else Note("info", "similar", text)]
