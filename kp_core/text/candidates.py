"""Turn a text into candidates for keyphrases: n-grams, or chunks that match part-of-speech patterns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal

from kp_core.text.normalise import mostly_cjk
from kp_core.text.stem import stem_words
from kp_core.text.tags import text_classes
from kp_core.text.tokenise import CJK, Span, clean, is_possessive, is_word, sentences, straight

#: Minimum frequency of a candidate of one word; longer candidates need to occur only once.
MIN_FREQUENCY = 2
#: Words that an abbreviation may skip.
_SKIPPABLE_WORDS = frozenset(["a", "an", "and", "for", "in", "of", "on", "the", "to", "with"])
_LATIN, _CJK = re.compile("[A-Za-z]"), re.compile(f"[{CJK}\uac00-\ud7af]")
_ABBREVIATION = re.compile(r"[^\W\d_][^\W_]*")


@dataclass(frozen=True)
class Rules:
    """Rules for chunks that are candidates.

    * `pattern`: NBAR: adjectives and nouns that end in a noun; NBAR IN NBAR: also two NBARs around a preposition
    * `parts`: only the longest match, or also parts of an NBAR that end in a noun
    * `longest`: maximum number of words of a candidate
    """

    pattern: Literal["NBAR", "NBAR IN NBAR"] = "NBAR IN NBAR"
    parts: Literal["maximal", "suffixes", "sub-spans"] = "maximal"
    longest: int | None = None


class Stems:
    """Form of each token: lower case, straight apostrophes, then the stem. Each distinct token is stemmed once."""

    def __init__(self, stemmer: str = "porter-nltk") -> None:
        self.stemmer = stemmer
        self._known: dict[str, str] = {}

    def of(self, tokens: Sequence[str]) -> list[str]:
        """Return the form of each token."""
        if new := [token for token in dict.fromkeys(tokens) if token not in self._known]:
            lower = [straight(token.lower()) for token in new]
            stems = lower if self.stemmer == "none" else stem_words(lower, self.stemmer)
            self._known.update(zip(new, stems, strict=True))
        return [self._known[token] for token in tokens]


@dataclass(frozen=True)
class Tokens:
    """A text as sentences of tokens, in the original spelling and as forms."""

    raw: list[list[str]]
    forms: list[list[str]]

    @classmethod
    def of(cls, text: str, stems: Stems) -> Tokens:
        """Split a text into sentences of tokens."""
        raw = sentences(clean(text))
        return cls(raw, [stems.of(sentence) for sentence in raw])

    def form(self, span: Span) -> str:
        """Return the form of a phrase of the text: its stemmed tokens, separated by spaces."""
        sentence, start, end = span
        return " ".join(self.forms[sentence][start:end])

    def surface(self, span: Span) -> str:
        """Return a phrase in the spelling of the text, with possessives attached to their words."""
        sentence, start, end = span
        first, *others = self.raw[sentence][start:end]
        return first + "".join(token if is_possessive(token) else f" {token}" for token in others)

    @property
    def words(self) -> list[str]:
        """Forms of the tokens that are not punctuation."""
        pairs = zip(chain(*self.raw), chain(*self.forms), strict=True)
        return [form for token, form in pairs if is_word(token)]


class Edges(dict[str, int]):
    """The positions in a candidate allowed for a token: 0 none, 1 inside, 2 also first or last.

    Stop words, numbers and possessives cannot be first or last; without a list of stop words, any word can.
    """

    def __init__(self, stop: Collection[str] | None) -> None:
        super().__init__()
        self._stop = None if stop is None else frozenset(map(straight, stop))

    def __missing__(self, token: str) -> int:
        only_inside = self._stop is not None and (
            not any(map(str.isalpha, token)) or is_possessive(token) or straight(token.lower()) in self._stop
        )
        self[token] = edge = 0 if not is_word(token) else 1 if only_inside else 2
        return edge


def ngrams(text: Tokens, longest: int, edges: Edges) -> Iterator[Span]:
    """Yield runs of up to `longest` words between punctuation marks, in text order, shorter ones first."""
    for number, sentence in enumerate(text.raw):
        allowed = [edges[token] for token in sentence]
        for start, first_class in enumerate(allowed):
            if first_class == 2:
                for end, last in enumerate(allowed[start : start + longest], start + 1):
                    if last == 0:
                        break
                    if last == 2:
                        yield number, start, end


def chunks(classes: Sequence[str], rules: Rules) -> Iterator[Span]:
    """Yield the chunks of sentences with these token classes, in text order, shorter ones first.

    Source: Kim, Baldwin and Kan 2010: NBAR = (NN* | JJ*)* NN*, and NBAR IN NBAR, whose inner NBARs are candidates too.
    """
    for number, sentence in enumerate(classes):
        nbars = [match.span() for match in _NBAR.finditer(sentence)]
        spans = {part for nbar in nbars for part in _parts(sentence, nbar, rules.parts)}
        if rules.pattern == "NBAR IN NBAR":
            spans |= {(a[0], b[1]) for a, b in pairwise(nbars) if b[0] == a[1] + 1 and sentence[a[1]] == "I"}
        for start, end in sorted(spans):
            if rules.longest is None or end - start <= rules.longest:
                yield number, start, end


_NBAR = re.compile("[NJ]*N")


def _parts(sentence: str, nbar: tuple[int, int], parts: str) -> list[tuple[int, int]]:
    first, last = nbar
    if parts == "maximal":
        return [nbar]
    ends = [last] if parts == "suffixes" else [end for end in range(first + 1, last + 1) if sentence[end - 1] == "N"]
    return [(start, end) for end in ends for start in range(first, end)]


def canonical(form: str, abbreviations: Mapping[str, str] | None = None) -> str:
    """Return one form for all variants of a phrase: B A for A of (the) B, A B for A's B, long forms for abbreviations.

    Used only for matching.
    """
    form = (abbreviations or {}).get(form, form)
    words = [word for word in form.split(" ") if not is_possessive(word)]
    if "of" in words[1:-1]:
        index = words.index("of", 1)
        tail = words[index + 1 :]
        words = (tail[1:] if tail[0] == "the" and len(tail) > 1 else tail) + words[:index]
    return " ".join(words)


def abbreviations(text: Tokens) -> dict[str, str]:
    """Return the abbreviations that a text introduces as “long form (ABC)”: abbreviation → long form, both as forms.

    The letters must be the initials of the words before the bracket; words such as “of” may be skipped.
    """
    long_forms: dict[str, str] = {}
    for number, sentence in enumerate(text.raw):
        for index in range(1, len(sentence) - 2):
            abbreviation = sentence[index + 1]
            if sentence[index] != "(" or sentence[index + 2] != ")" or not _ABBREVIATION.fullmatch(abbreviation):
                continue
            if sum(letter.isupper() for letter in abbreviation) < 2:
                continue
            for letters in (abbreviation.lower(), abbreviation.lower().removesuffix("s")):
                start = _long_form(sentence[:index], letters)
                if start is not None:
                    long_forms.setdefault(text.form((number, index + 1, index + 2)), text.form((number, start, index)))
                    break
    return long_forms


def _long_form(preceding: Sequence[str], letters: str) -> int | None:
    """Return the index from which all words have these letters as initials; None if there is none."""
    index, remaining = len(preceding), letters
    while remaining and index:
        index -= 1
        word = preceding[index].lower()
        if word[0] == remaining[-1]:
            remaining = remaining[:-1]
        elif word not in _SKIPPABLE_WORDS or index == len(preceding) - 1:
            return None
    return index if not remaining else None


def has_english(text: str) -> bool:
    """Return whether a text may contain English tokens: Latin letters, and not mostly Chinese, Japanese or Korean."""
    return bool(_LATIN.search(text)) and not (_CJK.search(text) and mostly_cjk([text]))


def candidates(text: str, rules: Rules | None = None, stems: Stems | None = None) -> dict[str, str]:
    """Return the chunks of an English text that pass the frequency filter: form → spelling, in text order."""
    if not has_english(text):
        return {}
    tokens = Tokens.of(text, stems or Stems())
    spellings_of, long_forms = spellings(tokens, chunks(text_classes(text), rules or Rules())), abbreviations(tokens)
    frequency = Counter[str]()
    for form, counts in spellings_of.items():
        frequency[canonical(form, long_forms)] += counts.total()
    return {
        form: counts.most_common(1)[0][0]
        for form, counts in spellings_of.items()
        if " " in form or frequency[canonical(form, long_forms)] >= MIN_FREQUENCY
    }


def spellings(text: Tokens, spans: Iterable[Span]) -> dict[str, Counter[str]]:
    """Count the spellings of each form, in text order."""
    counts: dict[str, Counter[str]] = {}
    for span in spans:
        counts.setdefault(text.form(span), Counter())[text.surface(span)] += 1
    return counts
