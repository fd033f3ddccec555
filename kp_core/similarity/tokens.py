"""Encode phrases as integer tokens (words, stems, characters), and group pairs into blocks of equal shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kp_core.errors import read_toml
from kp_core.scoring.codes import Bools, Codes, Floats, Ints
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import stem_words
from kp_core.text.tokenise import CJK

PREPOSITIONS, CONJUNCTIONS, FUNCTION_WORDS = (
    frozenset(words.split()) for words in read_toml("similarity/function_words.toml").values()
)
_CJK_CHARACTER = re.compile(f"[{CJK}]")


@dataclass(frozen=True)
class Flat:
    """Token codes of phrases, one after another: code (token,); start and length (phrase,)."""

    code: Codes
    start: Ints
    length: Ints

    @classmethod
    def of_lengths(cls, code: Codes, length: Ints) -> Flat:
        """Split concatenated tokens into phrases of these lengths."""
        length = length.astype(np.int64)
        return cls(code, np.cumsum(length) - length, length)

    def of(self, phrases: Ints, length: int) -> Codes:
        """Return the tokens of phrases of one length as a matrix (position, phrase)."""
        tokens: Codes = self.code[self.start[phrases] + np.arange(length)[:, None]]
        return tokens


@dataclass(frozen=True)
class Tokenization:
    """A tokenization for turning phrases into tokens; each Chinese or Japanese character is one word.

    * `words`: pipeline of the words, as in `Normaliser`
    * `stemmer`: name of the stemmer; if empty, the stems are the words
    * `everywhere`: whether measures of words also use stems
    """

    words: str = "lower+space+possessive-drop"
    stemmer: str = "porter-nltk"
    everywhere: bool = False

    @classmethod
    def parse(cls, pipeline: str) -> Tokenization:
        """Parse one pipeline for all levels: `lower+space+porter-nltk`.

        >>> Tokenization.parse("lower+space+snowball-fr")
        Tokenization(words='lower+space', stemmer='snowball-fr', everywhere=True)
        """
        normaliser = Normaliser.parse(pipeline)
        stemmer = normaliser.stemmer or ""
        if stemmer and normaliser.steps[-1] != stemmer:  # a later step needs stems, so stems are used as words
            return cls(str(normaliser), "", True)
        return cls(str(normaliser.without_stemmer()), stemmer, True)


class Phrases:
    """Distinct phrases as words, stems and characters; stemmed: mask (phrase,) of phrases that are already stemmed."""

    def __init__(self, texts: Sequence[str], tokenization: Tokenization, stemmed: Bools | None = None) -> None:
        self.tokenization, self._given, self._stemmed = tokenization, texts, stemmed
        forms = Normaliser.parse(tokenization.words).apply(texts)
        self._forms = forms if all(forms) else [form or text for form, text in zip(forms, texts, strict=True)]
        ascii_only = all(map(str.isascii, self._forms))
        spaced = self._forms if ascii_only else [_CJK_CHARACTER.sub(r" \g<0> ", form) for form in self._forms]
        words = pc.split_pattern(pa.array(spaced, pa.large_string()), " ")
        coded = words.flatten().dictionary_encode()
        self.vocabulary: list[str] = coded.dictionary.to_pylist()
        code, length = coded.indices.to_numpy(), np.diff(words.offsets.to_numpy())
        if "" in self.vocabulary:  # from double spaces and empty phrases
            nonempty = code != self.vocabulary.index("")
            owner = np.repeat(np.arange(len(length)), length)
            code, length = code[nonempty], np.bincount(owner[nonempty], minlength=len(length))
        self.words = Flat.of_lengths(code, length)

    @cached_property
    def _coded_stems(self) -> tuple[list[str], Codes]:
        """The distinct stems, and two codes of every word: that of its stem, then that of the word taken as a stem."""
        words = self.vocabulary
        stems = stem_words(words, self.tokenization.stemmer) if self.tokenization.stemmer else words
        coded = pa.array([*stems, *words], pa.large_string()).dictionary_encode()
        return coded.dictionary.to_pylist(), coded.indices.to_numpy()

    @cached_property
    def stems(self) -> Flat:
        """The stems, one for each token of the words."""
        stem_codes, unstemmed_codes = np.split(self._coded_stems[1], 2)
        stems = stem_codes[self.words.code]
        if self._stemmed is not None and self._stemmed.any():
            stems = np.where(np.repeat(self._stemmed, self.words.length), unstemmed_codes[self.words.code], stems)
        return Flat(stems, self.words.start, self.words.length)

    @cached_property
    def spelling(self) -> Codes:
        """Codes of phrases (phrase,), equal for phrases that differ only in case and spaces."""
        normalized = pa.array(Normaliser.parse("lower+space").apply(self._given), pa.large_string())
        codes: Codes = normalized.dictionary_encode().indices.to_numpy()
        return codes

    def stem_lists(self) -> pa.LargeListArray:
        """Return each phrase as the list of its stems."""
        offsets = np.append(self.stems.start, len(self.stems.code))
        stems = pa.array(self._coded_stems[0], pa.string()).take(pa.array(self.stems.code))
        return pa.LargeListArray.from_arrays(pa.array(offsets), stems)

    @cached_property
    def texts(self) -> list[str]:
        """The normalized phrases as strings, words joined by one space."""
        if not (self.tokenization.everywhere and self.tokenization.stemmer):
            return self._forms
        joined: list[str] = pc.binary_join(self.stem_lists(), " ").to_pylist()
        return joined

    @cached_property
    def characters(self) -> Flat:
        """The characters, without spaces."""
        joined = ["".join(text.split()) for text in self.texts]
        code = np.frombuffer("".join(joined).encode("utf-32-le", "surrogatepass"), np.int32)
        return Flat.of_lengths(code, np.fromiter(map(len, joined), np.int64, len(joined)))


#: Maximum number of pairs, and of comparisons of tokens, per block, which fit into the processor's cache.
_BLOCK_PAIRS, _BLOCK_CELLS = 16_384, 1_000_000

Counts = NDArray[Any]


def total(flags: Bools, axis: int = 0) -> Counts:
    """Count the true values along an axis, as small integers."""
    small = np.int8 if flags.shape[axis] < 128 else np.int32
    counts: Counts = np.add.reduce(flags.view(np.int8), axis=axis, dtype=small)
    return counts


@dataclass(eq=False)
class Sides:
    """A block of n pairs, all with r tokens in the reference and h in the hypothesis.

    * `ref`, `hyp`: (r, n) and (h, n) token codes
    * `reference`, `hypothesis`: (n,) indices of the phrases
    """

    ref: Codes
    hyp: Codes
    reference: Ints
    hypothesis: Ints
    keyphrase_is_reference: bool
    shared: Any = None
    _grams: dict[int, Bools] = field(default_factory=dict, repr=False)
    _matched: dict[int, Bools] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.r, self.h, self.n = len(self.ref), len(self.hyp), int(self.ref.shape[1])

    @property
    def words(self) -> Sides:
        """The same block as words."""
        words, numbers = self.shared.words, (self.reference, self.hypothesis)
        if words is self.shared.flat:
            return self
        tokens = words.of(self.reference, self.r), words.of(self.hypothesis, self.h)
        return Sides(*tokens, *numbers, self.keyphrase_is_reference, self.shared)

    @cached_property
    def swapped(self) -> Sides:
        """The block with reference and hypothesis exchanged."""
        keyphrase_first = not self.keyphrase_is_reference
        return Sides(self.hyp, self.ref, self.hypothesis, self.reference, keyphrase_first, self.shared)

    def only(self, pairs: Ints) -> Sides:
        """Return the block with only the selected pairs."""
        columns = self.ref[:, pairs], self.hyp[:, pairs], self.reference[pairs], self.hypothesis[pairs]
        return Sides(*columns, self.keyphrase_is_reference, self.shared)

    @property
    def long_first(self) -> Sides:
        """The block with the longer phrase as reference (tie: the keyphrase)."""
        ordered = self.r > self.h or (self.r == self.h and self.keyphrase_is_reference)
        return self if ordered else self.swapped

    @property
    def keyphrase_first(self) -> Sides:
        """The block with the keyphrase as reference."""
        return self if self.keyphrase_is_reference else self.swapped

    @cached_property
    def equal(self) -> Bools:
        """Whether token i of the reference equals token j of the hypothesis: (r, h, n)."""
        return np.asarray(self.ref[:, None, :] == self.hyp[None, :, :])

    def grams(self, order: int) -> Bools:
        """Return whether n-gram i of the reference equals n-gram j of the hypothesis: (r - n + 1, h - n + 1, n)."""
        if order == 1:
            return self.equal
        if order not in self._grams:
            shorter = self.grams(order - 1)
            self._grams[order] = shorter[:-1, :-1] & self.equal[order - 1 :, order - 1 :]
        return self._grams[order]

    @cached_property
    def inside(self) -> Bools:
        """Whether the whole hypothesis occurs contiguously in the reference (n,)."""
        if self.h > self.r:
            return np.zeros(self.n, bool)
        return np.asarray(self.grams(self.h).any(axis=(0, 1)))

    @cached_property
    def first(self) -> Bools:
        """Whether token i of the reference is the first occurrence of its kind: (r, n)."""
        is_first = np.ones(self.ref.shape, bool)
        for i in range(1, self.r):
            is_first[i] = (self.ref[:i] != self.ref[i]).all(axis=0)
        return is_first

    def matched(self, order: int) -> Bools:
        """Mark n-grams of the reference in the hypothesis, at most as often as they occur there: (r - n + 1, n)."""
        if order not in self._matched:
            self._matched[order] = self._clipped(order)
        return self._matched[order]

    @cached_property
    def matched_from_right(self) -> Bools:
        """Mark the tokens of the reference that occur in the hypothesis, rightmost occurrences first: (r, n)."""
        return self._clipped(1, from_right=True)

    def _clipped(self, order: int, from_right: bool = False) -> Bools:
        grams = self.grams(order)
        marked = np.asarray(grams.any(axis=1))
        repeating = np.flatnonzero(~self.first.all(axis=0))  # only these need clipping
        if len(repeating) and len(grams):
            ref = self.ref[:, repeating]
            repeats = Sides(ref, ref, repeating, repeating, True).grams(order)
            earlier = np.tri(len(repeats), k=-1, dtype=bool)
            earlier = earlier.T if from_right else earlier
            marked[:, repeating] = total(repeats & earlier[:, :, None], 1) < total(grams[:, :, repeating], 1)
        return marked

    def matches(self, order: int) -> Counts:
        """Count clipped n-gram matches (n,)."""
        return total(self.matched(order))

    @cached_property
    def subsequence(self) -> Counts:
        """Return the length of the longest common subsequence (n,)."""
        return self.heaviest_subsequence(np.ones((self.r, 1), np.int8 if min(self.r, self.h) < 128 else np.int32))

    def heaviest_subsequence(self, weight: Counts) -> Counts:
        """Return the weight of the heaviest common subsequence (n,); `weight`: of reference tokens (r, n or 1)."""
        row = np.zeros((self.h + 1, self.n), weight.dtype)
        for i in range(self.r):
            previous, row = row, row.copy()
            for j in range(self.h):
                np.maximum(previous[j + 1], row[j], out=row[j + 1])
                np.maximum(row[j + 1], previous[j] + weight[i] * self.equal[i, j], out=row[j + 1])
        return np.asarray(row[-1])

    def heaviest_run(self, weight: Floats) -> Floats:
        """Return the weight of the heaviest common run (n,); `weight`: of reference tokens (r, n or 1)."""
        best, row = np.zeros(self.n), np.zeros((self.h + 1, self.n))
        for i in range(self.r):
            row[1:] = (row[:-1] + weight[i]) * self.equal[i]
            best = np.maximum(best, row.max(axis=0))
        return best


def _blocks(reference: Ints, hypothesis: Ints) -> Iterator[Ints]:
    if not len(reference):
        return
    width = int(hypothesis.max()) + 1
    shape = reference * width + hypothesis
    small = shape.astype(np.uint16) if int(shape.max()) < 65_536 else shape  # radix sort
    order = np.argsort(small, kind="stable")
    for pairs in np.split(order, np.flatnonzero(np.diff(shape[order])) + 1):
        cells = max(1, int(reference[pairs[0]] * hypothesis[pairs[0]]))
        size = min(_BLOCK_PAIRS, max(1, _BLOCK_CELLS // cells))
        for begin in range(0, len(pairs), size):
            yield pairs[begin : begin + size]


@dataclass
class Shared:
    """The data shared by all blocks of one level of tokens.

    * `flat`, `words`: the tokens, and the phrases as words
    * `longer`: whether the phrase with more tokens is the reference (tie: the keyphrase); else it is the keyphrase
    * `information`: function that returns the information of the n-grams of all references
    """

    flat: Flat
    words: Flat
    longer: bool
    information: Callable[[], list[Floats]] = list


def sides(shared: Shared, keyphrase: Ints, candidate: Ints) -> Iterator[tuple[Ints, Sides]]:
    """Yield blocks of pairs of equal shape: (positions of the pairs, block)."""
    flat = shared.flat
    for pairs in _blocks(flat.length[keyphrase], flat.length[candidate]):
        key, other = keyphrase[pairs], candidate[pairs]
        keyphrase_first = not shared.longer or bool(flat.length[key[0]] >= flat.length[other[0]])
        ref, hyp = (key, other) if keyphrase_first else (other, key)
        r, h = int(flat.length[ref[0]]), int(flat.length[hyp[0]])
        yield pairs, Sides(flat.of(ref, r), flat.of(hyp, h), ref, hyp, keyphrase_first, shared)
