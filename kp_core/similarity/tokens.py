"""Turn phrases into integer tokens, once: words, their stems and their characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.scoring.codes import Bools, Codes, Ints
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import stem_words
from kp_core.text.tokenise import CJK

#: The words of rouge-score 0.1.2: runs of these letters, so that hyphens split and other letters are lost.
_ROUGE = re.compile(r"[a-z0-9]+")
ROUGE_SCORE = "rouge-score"
_LETTER = re.compile(f"[{CJK}]")


@dataclass(frozen=True)
class Flat:
    """Token codes of phrases, one after another: code (token,); start and length (phrase,)."""

    code: Codes
    start: Ints
    length: Ints

    def of(self, phrases: Ints, length: int) -> Codes:
        """Return the tokens of phrases of one length as a matrix (position, phrase)."""
        found: Codes = self.code[self.start[phrases] + np.arange(length)[:, None]]
        return found


@dataclass(frozen=True)
class Recipe:
    """How phrases become tokens.

    words       pipeline that gives the words, as in `Normaliser`; or `rouge-score`
    stemmer     stemmer of the stems; empty: stems are the words
    everywhere  measures that look at words look at stems too
    letters     Chinese and Japanese letters are words of their own; not where a library is followed exactly
    """

    words: str = "lower+space+possessive-drop"
    stemmer: str = "porter-nltk"
    everywhere: bool = False
    letters: bool = field(default=True, repr=False)

    @classmethod
    def parse(cls, pipeline: str) -> Recipe:
        """Read one pipeline for every level: `lower+space+porter-nltk`.

        >>> Recipe.parse("lower+space+snowball-fr")
        Recipe(words='lower+space', stemmer='snowball-fr', everywhere=True)
        """
        if pipeline == ROUGE_SCORE:
            return cls(ROUGE_SCORE, "", True)
        normaliser = Normaliser.parse(pipeline)
        stemmer = normaliser.stemmer or ""
        if stemmer and normaliser.steps[-1] != stemmer:  # a later step sees stems, so they are the words
            return cls(str(normaliser), "", True)
        return cls(str(normaliser.without_stemmer()), stemmer, True)


def _apart(form: str) -> str:
    return form if form.isascii() else " ".join(_LETTER.sub(r" \g<0> ", form).split())


class Phrases:
    """Distinct phrases under one recipe, as words, stems and characters; phrases are known by their numbers.

    stemmed  (phrase,) phrases that are stems already and are not stemmed again
    """

    def __init__(self, texts: Sequence[str], recipe: Recipe, stemmed: Bools | None = None) -> None:
        self.recipe, self.given = recipe, texts
        self._stemmed = stemmed
        if recipe.words == ROUGE_SCORE:
            self.forms = [" ".join(_ROUGE.findall(text.lower())) for text in texts]
        else:
            forms = Normaliser.parse(recipe.words).apply(texts)
            self.forms = forms if all(forms) else [form or text for form, text in zip(forms, texts, strict=True)]
        spelled = self.forms
        if recipe.letters and not all(form.isascii() for form in self.forms):
            spelled = [_apart(form) for form in self.forms]
        split = pc.split_pattern(pa.array(spelled, pa.large_string()), " ")
        coded = split.flatten().dictionary_encode()
        self._vocabulary: list[str] = coded.dictionary.to_pylist()
        self.words = _flat(coded.indices.to_numpy(), np.diff(split.offsets.to_numpy()), self._vocabulary)

    def vocabulary(self, level: str) -> list[str]:
        """Return the token behind every code of `words` or `stems`."""
        return self._vocabulary if level == "words" else self._stems[0]

    @cached_property
    def _stems(self) -> tuple[list[str], Codes]:
        """Return the distinct stems, and the stem code of every word; then of every word taken as a stem."""
        words = self._vocabulary
        if not self.recipe.stemmer:
            return words, np.tile(np.arange(len(words), dtype=np.int32), 2)
        long = [w for w in words if len(w) > 3] if self.recipe.words == ROUGE_SCORE else words
        known = dict(zip(long, stem_words(long, self.recipe.stemmer), strict=True))
        coded = pa.array([*(known.get(w, w) for w in words), *words], pa.large_string()).dictionary_encode()
        return coded.dictionary.to_pylist(), coded.indices.to_numpy()

    @cached_property
    def stems(self) -> Flat:
        """The stems, token by token beside the words."""
        code = self._stems[1]
        stems = code[: len(self._vocabulary)][self.words.code]
        if self._stemmed is not None and self._stemmed.any():
            own = np.repeat(self._stemmed, self.words.length)
            stems = np.where(own, code[len(self._vocabulary) :][self.words.code], stems)
        return Flat(stems, self.words.start, self.words.length)

    @cached_property
    def spelling(self) -> Codes:
        """A number of each phrase, the same where phrases are equal up to case and blanks (phrase,)."""
        lower = pa.array(Normaliser.parse("lower+space").apply(self.given), pa.large_string())
        spelled: Codes = lower.dictionary_encode().indices.to_numpy()
        return spelled

    def level(self, name: str) -> Flat:
        """Return the tokens that measures of a level (`words` or `stems`) see under the recipe."""
        return self.stems if name == "stems" or self.recipe.everywhere else self.words

    @cached_property
    def texts(self) -> list[str]:
        """The normalised phrases as strings, words joined by one blank."""
        if not (self.recipe.everywhere and self.recipe.stemmer):
            return self.forms
        spelled = pa.array(self._stems[0], pa.string()).take(pa.array(self.stems.code))
        offsets = np.append(self.words.start, len(self.words.code)).astype(np.int32)
        joined: list[str] = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), spelled), " ").to_pylist()
        return joined

    @cached_property
    def characters(self) -> Flat:
        """The characters, without blanks."""
        joined = ["".join(text.split()) for text in self.texts]
        code = np.frombuffer("".join(joined).encode("utf-32-le", "surrogatepass"), np.int32)
        length = np.fromiter(map(len, joined), np.int64, len(joined))
        return Flat(code, np.cumsum(length) - length, length)


def _flat(code: Codes, length: Ints, vocabulary: list[str]) -> Flat:
    """Return the tokens without empty ones, which double blanks and empty phrases leave."""
    if "" in vocabulary:
        kept = code != vocabulary.index("")
        owner = np.repeat(np.arange(len(length)), length)
        code, length = code[kept], np.bincount(owner[kept], minlength=len(length))
    length = length.astype(np.int64)
    return Flat(code, np.cumsum(length) - length, length)
