"""Turn a text into sentences of tokens, and into runs of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

#: Chinese and Japanese characters, as a class of a regular expression.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
#: Combining marks of the preceding letter, such as Hindi vowel signs.
_MARKS = "".join(c for c in map(chr, range(0x300, 0xFE30)) if unicodedata.category(c)[0] == "M")
_WORD = f"(?:[^\\W_{CJK}]+[{_MARKS}]*)+"
#: Numbers, words (with inner hyphens and apostrophes), possessive 's, punctuation, Chinese or Japanese characters.
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)*(?![\w])|[{CJK}]|{_WORD}(?:[-'\u2019](?!s\b){_WORD})*|['\u2019]s\b|[^\w\s]|_")
#: Number of the sentence, index of the first token, and of the token after the last.
Span = tuple[int, int, int]
_SENTENCE_END = frozenset(".?!\u3002\uff1f\uff01")
LONGEST_SENTENCE = 80


def clean(text: str) -> str:
    """Return the text in NFC, with ordinary spaces for no-break spaces and without soft hyphens."""
    return unicodedata.normalize("NFC", text).replace("\u00a0", " ").replace("\u00ad", "")


def tokens(text: str) -> list[tuple[str, int, int]]:
    """Return the tokens of a text with their start and end."""
    return [(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]


def straight(text: str) -> str:
    """Replace typographic apostrophes with straight ones."""
    return text.replace("\u2019", "'")


def is_word(token: str) -> bool:
    """Return whether a token is a word, a number or a possessive, as opposed to punctuation."""
    return token[0].isalnum() or len(token) > 1


def is_possessive(token: str) -> bool:
    """Return whether a token is the possessive 's."""
    return token[0] in "'\u2019" and len(token) > 1


def _begins(token: str) -> bool:
    """Return whether a token may begin a sentence: with an upper-case letter, a digit, or a letter without case."""
    initial = token[0]
    return initial.isupper() or initial.isdigit() or (initial.isalpha() and not initial.islower())


def sentences(text: str) -> list[list[str]]:
    """Return the sentences of a cleaned text as lists of tokens.

    A sentence ends at . ? ! before a token that may begin a sentence, and after at most 80 tokens.
    """
    words: list[str] = _TOKEN.findall(text)
    return [words[start:end] for start, end in _bounds(words)]


def sentence_places(text: str) -> list[tuple[int, int]]:
    """Return start and end of the sentences of a cleaned text, as in `sentences`."""
    spans = tokens(text)
    return [(spans[start][1], spans[end - 1][2]) for start, end in _bounds([token for token, _, _ in spans])]


def occurrences(sentences: Iterable[Sequence[str]], phrases: Collection[str]) -> Iterator[Span]:
    """Yield the spans of phrases (tokens separated by spaces) in sentences, in order, shorter ones first."""
    lengths: dict[str, set[int]] = {}
    for phrase in phrases:
        words = phrase.split(" ")
        lengths.setdefault(words[0], set()).add(len(words))
    for number, sentence in enumerate(sentences):
        for start, word in enumerate(sentence):
            for length in sorted(lengths.get(word, ())):
                end = start + length
                if end <= len(sentence) and " ".join(sentence[start:end]) in phrases:
                    yield number, start, end


def _bounds(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the bounds of each sentence: the index of its first token and the index after its last token."""
    ends, start = list[int](), 0
    for index, token in enumerate(words):
        ended = index > start and words[index - 1] in _SENTENCE_END
        if index - start == LONGEST_SENTENCE or (ended and _begins(token)):
            ends.append(index)
            start = index
    return list(pairwise([0, *ends, len(words)])) if words else []


def word_runs(text: str) -> list[list[str]]:
    """Return the runs of words between punctuation marks of each sentence, with possessives attached."""
    runs = list[list[str]]()
    for sentence in sentences(clean(text)):
        for are_words, run in groupby(sentence, is_word):
            words = list[str]()
            for token in run:
                if words and is_possessive(token):
                    words[-1] += token
                else:
                    words.append(token)
            if are_words:
                runs.append(words)
    return runs
