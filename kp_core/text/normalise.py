"""Normalize distinct phrases for comparison, by a named pipeline of steps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import UsageError, input_error, refuse_unknown
from kp_core.text.stem import STEMMERS, stem_words
from kp_core.text.tokenise import CJK

#: Separator of phrases while steps run on all of them together; not a space, and not a combining character.
_BORDER = "\x00"
_INVISIBLE = dict.fromkeys([0x00AD, 0x200B, 0xFEFF])
_DASHES = {0x2010: "-", 0x2011: "-", 0x2212: "-"}
_BLANKS = re.compile(r"\s+")
_UNEVEN = re.compile(rf"\s\s|[^\S ]| {_BORDER}|{_BORDER} ")
#: Strings that `_UNEVEN` matches in ASCII texts; searching for them is several times faster.
_UNEVEN_PLAIN = ("  ", f" {_BORDER}", f"{_BORDER} ", *"\t\n\v\f\r\x1c\x1d\x1e\x1f")
_EDGES = re.compile(f" ?{_BORDER} ?")
_CJK_GAP = re.compile(f"(?<=[{CJK}]) (?=[{CJK}])")
_CJK_LETTER = re.compile(f"[{CJK}\uac00-\ud7af]")
_POSSESSIVE = re.compile(
    f"['\u2019]s(?![^ {_BORDER}])|(?<=s)['\u2019](?![^ {_BORDER}])|(?<![^ {_BORDER}])['\u2019](?![^ {_BORDER}])"
)


def _space(text: str) -> str:
    if any(blanks in text for blanks in _UNEVEN_PLAIN) if text.isascii() else _UNEVEN.search(text):
        text = _EDGES.sub(_BORDER, _BLANKS.sub(" ", text))
    text = text.strip(" ")
    return text if text.isascii() else _CJK_GAP.sub("", text)


def _invisible_dropped(form: str) -> Callable[[str], str]:
    # Soft hyphens, zero-width spaces and stray byte order marks occur in public files.
    return lambda text: unicodedata.normalize(form, text.translate(_INVISIBLE))  # type: ignore[arg-type]


_TEXT_STEPS: dict[str, Callable[[str], str]] = {
    "nfc": _invisible_dropped("NFC"),
    "nfkc": _invisible_dropped("NFKC"),
    "lower": str.lower,
    "casefold": str.casefold,
    "space": _space,
    "hyphen-keep": lambda text: text,
    "hyphen-split": lambda text: _space(text.replace("-", " ")),
    "hyphen-join": lambda text: text.replace("-", ""),
    "possessive-drop": lambda text: _space(_POSSESSIVE.sub("", text) if "'" in text or "\u2019" in text else text),
}


@cache
def _punctuation() -> str:
    return "".join(letter for letter in map(chr, range(0x1F000)) if unicodedata.category(letter)[0] == "P")


STEPS: tuple[str, ...] = (*_TEXT_STEPS, "punct-strip", "sort", *STEMMERS)


@dataclass(frozen=True)
class Normaliser:
    """A pipeline of normalization steps, applied in order; `str` and `parse` convert it to its name and back."""

    steps: tuple[str, ...]

    @classmethod
    def parse(cls, name: str) -> Normaliser:
        """Parse the name of a pipeline; `none` has no steps."""
        steps = tuple(step for step in name.strip().split("+") if step and step != "none")
        refuse_unknown(steps, ("none", *STEPS), "normalisation step")
        if {"nfc", "nfkc"} & set(steps):
            steps = tuple(step for step in steps if step != "hyphen-keep")  # implied
        if len([step for step in steps if step in STEMMERS]) > 1:
            raise UsageError(f"the pipeline '{name}' has two stemmers; keep one")
        return cls(steps)

    def __str__(self) -> str:
        return "+".join(self.steps) or "none"

    @property
    def stemmer(self) -> str | None:
        """Name of the stemming step, if any."""
        return next((step for step in self.steps if step in STEMMERS), None)

    def without_stemmer(self) -> Normaliser:
        """Return the pipeline for a gold standard that was released as stems."""
        return Normaliser(tuple(step for step in self.steps if step not in STEMMERS))

    def apply(self, phrases: Sequence[str]) -> list[str]:
        """Return the normalized form of each phrase, possibly empty; pass distinct phrases to save time."""
        return self.by_word(self.as_text(phrases), "sort" in self.steps)

    def as_text(self, phrases: Sequence[str]) -> list[str]:
        """Apply the steps that do not need words: composition, case, spaces, hyphens, possessives."""
        phrases = list(phrases)
        if not self.steps or not phrases:
            return phrases
        text = _BORDER.join(phrases)
        if text.count(_BORDER) != len(phrases) - 1:  # a phrase contains the border character
            phrases = [phrase.replace(_BORDER, " ") for phrase in phrases]
            text = _BORDER.join(phrases)
        if not text.isascii() and any(step[:3] in ("nfc", "nfk", "hyp") for step in self.steps):
            text = text.translate(_DASHES)
        for step in self.steps:
            if step in _TEXT_STEPS:
                text = _TEXT_STEPS[step](text)
        return text.split(_BORDER)

    def by_word(self, phrases: Sequence[str], sort: bool = False) -> list[str]:
        """Apply the other steps word by word; `sort`: whether to also apply the step `sort`, which orders the words."""
        forms = list(phrases)
        if not forms:
            return forms
        try:
            for step in self.steps:
                if step not in _TEXT_STEPS and (sort or step != "sort"):
                    forms = _by_word(forms, step)
        except UnicodeEncodeError as error:
            before_error = str(error.object)[max(0, error.start - 10) : error.start]
            raise input_error("a phrase", "half a character", after=f" after “{before_error}”") from None
        return forms


def _by_word(phrases: list[str], step: str) -> list[str]:
    """Apply one step to every distinct space-separated word (`sort` to each list of words)."""
    if step == "sort":
        return [" ".join(sorted(phrase.split(" "))) for phrase in phrases]
    words = pc.split_pattern(pa.array(phrases, pa.string()), " ")
    coded = words.flatten().dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    normalized = [w.strip(_punctuation()) for w in distinct] if step == "punct-strip" else stem_words(distinct, step)
    replaced = pa.array(normalized, pa.string()).take(coded.indices)
    joined = pc.binary_join(pa.ListArray.from_arrays(words.offsets, replaced), " ").to_pylist()
    return [_BLANKS.sub(" ", form).strip() for form in joined] if step == "punct-strip" else joined


def mostly_cjk(phrases: Sequence[str]) -> bool:
    """Return whether most letters are Chinese, Japanese or Korean, so that stemming does not apply."""
    letters = re.findall(r"[^\W\d_]", " ".join(phrases))
    return bool(letters) and sum(1 for letter in letters if _CJK_LETTER.match(letter)) * 2 > len(letters)
