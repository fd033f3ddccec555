"""Turn phrases into integer tokens, once: words, their stems and their characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import read_toml
from kp_core.scoring.codes import Bools, Codes, Ints
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import stem_words
from kp_core.text.tokenise import CJK

PREPOSITIONS, CONJUNCTIONS, FUNCTION_WORDS = (
    frozenset(words.split()) for words in read_toml("similarity/function_words.toml").values()
)
_LETTER = re.compile(f"[{CJK}]")


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
class Recipe:
    """How phrases become tokens; each Chinese or Japanese character is one word.

    words       pipeline that gives the words, as in `Normaliser`
    stemmer     stemmer of the stems; empty: stems are the words
    everywhere  measures that look at words look at stems too
    """

    words: str = "lower+space+possessive-drop"
    stemmer: str = "porter-nltk"
    everywhere: bool = False

    @classmethod
    def parse(cls, pipeline: str) -> Recipe:
        """Read one pipeline for every level: `lower+space+porter-nltk`.

        >>> Recipe.parse("lower+space+snowball-fr")
        Recipe(words='lower+space', stemmer='snowball-fr', everywhere=True)
        """
        normaliser = Normaliser.parse(pipeline)
        stemmer = normaliser.stemmer or ""
        if stemmer and normaliser.steps[-1] != stemmer:  # a later step sees stems, so they are the words
            return cls(str(normaliser), "", True)
        return cls(str(normaliser.without_stemmer()), stemmer, True)


class Phrases:
    """Distinct phrases under one signature, as words, stems and characters; phrases are known by their numbers.

    stemmed     (phrase,) phrases that are stems already and are not stemmed again
    vocabulary  the word behind every code of `words`
    """

    def __init__(self, texts: Sequence[str], recipe: Recipe, stemmed: Bools | None = None) -> None:
        self.recipe, self._given, self._stemmed = recipe, texts, stemmed
        forms = Normaliser.parse(recipe.words).apply(texts)
        self._forms = forms if all(forms) else [form or text for form, text in zip(forms, texts, strict=True)]
        ascii_only = all(map(str.isascii, self._forms))
        spaced = self._forms if ascii_only else [_LETTER.sub(r" \g<0> ", form) for form in self._forms]
        split = pc.split_pattern(pa.array(spaced, pa.large_string()), " ")
        coded = split.flatten().dictionary_encode()
        self.vocabulary: list[str] = coded.dictionary.to_pylist()
        code, length = coded.indices.to_numpy(), np.diff(split.offsets.to_numpy())
        if "" in self.vocabulary:  # which double blanks and empty phrases leave
            kept = code != self.vocabulary.index("")
            owner = np.repeat(np.arange(len(length)), length)
            code, length = code[kept], np.bincount(owner[kept], minlength=len(length))
        self.words = Flat.of_lengths(code, length)

    @cached_property
    def _coded_stems(self) -> tuple[list[str], Codes]:
        """Return the distinct stems, and the stem code of every word; then of every word taken as a stem."""
        words = self.vocabulary
        stems = stem_words(words, self.recipe.stemmer) if self.recipe.stemmer else words
        coded = pa.array([*stems, *words], pa.large_string()).dictionary_encode()
        return coded.dictionary.to_pylist(), coded.indices.to_numpy()

    @cached_property
    def stems(self) -> Flat:
        """The stems, token by token next to the words."""
        of_word, of_stem = np.split(self._coded_stems[1], 2)
        stems = of_word[self.words.code]
        if self._stemmed is not None and self._stemmed.any():
            stems = np.where(np.repeat(self._stemmed, self.words.length), of_stem[self.words.code], stems)
        return Flat(stems, self.words.start, self.words.length)

    @cached_property
    def spelling(self) -> Codes:
        """A number of each phrase, the same where phrases are equal up to case and blanks (phrase,)."""
        lower = pa.array(Normaliser.parse("lower+space").apply(self._given), pa.large_string())
        spelled: Codes = lower.dictionary_encode().indices.to_numpy()
        return spelled

    def stem_lists(self) -> pa.LargeListArray:
        """Return each phrase as the list of its stems."""
        offsets = np.append(self.stems.start, len(self.stems.code))
        stems = pa.array(self._coded_stems[0], pa.string()).take(pa.array(self.stems.code))
        return pa.LargeListArray.from_arrays(pa.array(offsets), stems)

    @cached_property
    def texts(self) -> list[str]:
        """The normalized phrases as strings, words joined by one blank."""
        if not (self.recipe.everywhere and self.recipe.stemmer):
            return self._forms
        joined: list[str] = pc.binary_join(self.stem_lists(), " ").to_pylist()
        return joined

    @cached_property
    def characters(self) -> Flat:
        """The characters, without blanks."""
        joined = ["".join(text.split()) for text in self.texts]
        code = np.frombuffer("".join(joined).encode("utf-32-le", "surrogatepass"), np.int32)
        return Flat.of_lengths(code, np.fromiter(map(len, joined), np.int64, len(joined)))
