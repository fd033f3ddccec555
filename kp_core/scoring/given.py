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

#: Pairs, or phrases, whose vectors are looked at together: they stay in the cache of the processor.
_AT_ONCE = 2_000


@dataclass(frozen=True)
class Given:
    """A similarity of V phrases, known by their numbers; -1 is no phrase and similar to none.

    entry    (V + 1,) where each phrase occurs in the user's table, -1 for none and for zeros; the last is none
    entries  how many there are
    key      sorted numbers of pairs, a · entries + b; score: how similar they are; empty if there are vectors
    vectors  (V + 1, length) that of each phrase, of length 1, zeros for none; or None
    """

    entry: Ints
    entries: int
    key: Ints
    score: Floats
    vectors: NDArray[np.floating] | None

    @property
    def without(self) -> Bools:
        """Which phrases have no entry, or a vector of zeros (V,)."""
        return self.entry[:-1] < 0

    def pairs(self, keyphrase: Ints, candidate: Ints) -> Floats:
        """Return the similarity of pairs (n,): NaN without two vectors, 0 for a pair that the table does not have."""
        one, two = self.entry[candidate], self.entry[keyphrase]
        there = (one >= 0) & (two >= 0)
        if self.vectors is None:
            return self._listed(one * self.entries + two, there)
        value = np.empty(len(one))
        for begin in range(0, len(one), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            value[part] = np.einsum("pd,pd->p", self.vectors[candidate[part]], self.vectors[keyphrase[part]])
        return np.where(there, np.clip(value, -1.0, 1.0), np.nan)

    def blocks(self, candidate: Codes, keyphrase: Codes) -> Floats:
        """Return the similarity of all candidates of a document and all its keyphrases; 0 where one has no entry.

        candidate (document, row), keyphrase (document, item) → (document, row, item)
        """
        if self.vectors is None:
            one, two = self.entry[candidate], self.entry[keyphrase]
            there = (one >= 0)[:, :, None] & (two >= 0)[:, None]
            return self._listed(one[:, :, None] * self.entries + two[:, None], there)
        product = self.vectors[candidate] @ self.vectors[keyphrase].swapaxes(1, 2)
        return np.clip(product, -1.0, 1.0, out=product)

    def _listed(self, key: Ints, there: Bools) -> Floats:
        place = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        return np.where(there & (self.key[place] == key), self.score[place], 0.0)


def given(vocabulary: Vocabulary, phrases: Sequence[str], normalise: str) -> Given:
    """Return the similarity of some phrases, each looked up as the pipeline makes it.

    Of pairs all rows count that the pipeline makes one; of vectors that of the phrase as it is written comes first.
    Raises UsageError without a table, InputError if the pipeline makes one of two pairs with different scores.
    """
    normaliser = Normaliser.parse(normalise)
    if len(vocabulary.vectors):
        return _of_vectors(vocabulary.vectors, phrases, normaliser)
    if not len(vocabulary.similar):
        raise usage_error("no similarity")
    return _of_pairs(vocabulary.similar, vocabulary.directed, phrases, normaliser)


def _of_pairs(table: pd.DataFrame, directed: bool, phrases: Sequence[str], normaliser: Normaliser) -> Given:
    coded = pd.concat([table["a"], table["b"]]).astype("category")
    # A phrase that normalises to nothing is compared by its own spelling.
    spelled = coded.cat.categories.tolist()
    forms, sought = (
        pd.Index([form or own for form, own in zip(normaliser.apply(each), each, strict=True)], dtype="str")
        for each in (spelled, list(phrases))
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
        one, other = (table.iloc[row[place[two][0]]] for place in (low, high))
        values = f"“{one['a']}” and “{one['b']}” {one['score']:g}, “{other['a']}” and “{other['b']}” {other['score']:g}"
        raise input_error("the table of similarities", "two forms", values=values, normalise=str(normaliser))
    entry = np.append(groups.get_indexer(sought).astype(np.int64), -1)
    return Given(entry, len(groups), key[first], score[first], None)


def _of_vectors(table: pd.DataFrame, phrases: Sequence[str], normaliser: Normaliser) -> Given:
    entries, written = (pa.array(each, pa.large_string()) for each in (table["phrase"], phrases))
    entry = _places(written, entries)
    lost = np.flatnonzero(entry < 0)
    if len(lost):
        forms = [normaliser.apply(each.to_pylist()) for each in (written.take(pa.array(lost)), entries)]
        entry[lost] = _places(*(pa.array([one or None for one in each], pa.large_string()) for each in forms))
    entry = np.append(entry, -1)
    unit = _unit(matrix_of(table), entry)
    return Given(np.where(unit.any(axis=1), entry, -1), len(entries), np.empty(0, np.int64), np.empty(0), unit)


def _unit(vectors: NDArray[np.floating], entry: Ints) -> NDArray[np.floating]:
    """Return the vector of each entry with length 1, of zeros for -1: (entry, length)."""
    unit = np.empty((len(entry), vectors.shape[1]), vectors.dtype)
    for begin in range(0, len(entry), _AT_ONCE):
        part = entry[begin : begin + _AT_ONCE]
        own = vectors[part]
        own[part < 0] = 0.0
        # The largest number becomes 1 first, so that no square is too large or too small to be one.
        own /= _above_zero(np.maximum(own.max(axis=1), -own.min(axis=1)))
        own /= _above_zero(np.sqrt(np.einsum("pd,pd->p", own, own)))
        unit[begin : begin + _AT_ONCE] = own
    return unit


def _above_zero(length: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.where(length > 0, length, 1)[:, None]


def _places(values: pa.Array, among: pa.Array) -> Ints:
    """Return where each value first occurs; -1 for values that do not."""
    found = pc.fill_null(pc.index_in(values, among, skip_nulls=True), -1)
    return np.array(found.to_numpy(zero_copy_only=False), np.int64)


def given_of(corpus: Corpus, coded: Coded, settings: Settings) -> Given:
    """Return the similarity of the phrases of a coded corpus, by their numbers."""

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
    spelled = [phrase for own in corpus.gold.get("variants", ()) if own is not None for phrase in own]
    return list(dict.fromkeys([*corpus.gold["phrase"], *spelled, *corpus.runs["phrase"]]))


def as_lines(phrases: Sequence[str]) -> str:
    """Return phrases one per line, line ends and other blanks within them as one blank.

    Their vectors are found all the same: a phrase is looked up as the normaliser makes it too.

    >>> as_lines(["spring\\ntide", "sea"])
    'spring tide\\nsea\\n'
    """
    return "".join(" ".join(phrase.split()) + "\n" for phrase in phrases)


def lacking(corpus: Corpus, coded: Coded, settings: Settings) -> list[str]:
    """Return the phrases that have no entry in the user's table: they are similar to nothing but what they equal."""
    without = np.flatnonzero(given_of(corpus, coded, settings).without)
    return list(coded.phrases.take(pa.array(without)).to_pylist())


def entries_in_words(corpus: Corpus, coded: Coded, settings: Settings) -> str:
    """Report how many of all phrases occur in the user's table."""
    known = int((~given_of(corpus, coded, settings).without).sum())
    what = "Vectors" if len(corpus.vocabulary.vectors) else "Similarities"
    return f"{what} of {known:,} of {pluralize(len(coded.phrases), 'phrase')}."


def notes_on_given(corpus: Corpus, coded: Coded, settings: Settings) -> list[Note]:
    """Report how many phrases have no entry in the user's table, and name some."""
    if not (without := lacking(corpus, coded, settings)):
        return []
    have = pluralize(len(coded.phrases) - len(without), "phrase has", "phrases have")
    some = ", ".join(without[:5]) + " …" * (len(without) > 5)
    text = f"{have} an entry there, of {len(coded.phrases):,}; the others are similar only to what they equal: {some}"
    of_vectors = bool(len(corpus.vocabulary.vectors))
    return [Note("warning", "vectors", text) if of_vectors else Note("info", "similar", text)]
