"""Turn a text into sentences of tokens; offsets are kept, so that a token can be shown where it stands."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

#: Numbers, words (hyphens and apostrophes inside stay), possessive 's, and single punctuation marks; a run of
#: Chinese or Japanese characters counts as one token a character.
_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*(?![\w])"
    r"|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
    r"|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
    r"(?:[-'\u2019](?!s\b)[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)*"
    r"|['\u2019]s\b|[^\w\s]|_"
)
_SENTENCE_END = frozenset(".?!\u3002\uff1f\uff01")
LONGEST_SENTENCE = 80


@dataclass(frozen=True)
class Token:
    """A token and where it stands in the text as `clean` leaves it."""

    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether the token is a word, a number or a possessive, not a punctuation mark."""
        return self.text[0].isalnum() or len(self.text) > 1


def clean(text: str) -> str:
    """Return the text in NFC, with ordinary blanks for no-break spaces and without soft hyphens."""
    return unicodedata.normalize("NFC", text).replace("\u00a0", " ").replace("\u00ad", "")


def sentences(text: str) -> list[list[Token]]:
    """Return the sentences of a cleaned text as lists of tokens.

    A sentence ends at . ? ! before a token that begins with an upper-case letter or a digit, and after 80 tokens.

    >>> [[t.text for t in s] for s in sentences("A hash table. It's fast, e.g. here.")]
    [['A', 'hash', 'table', '.'], ['It', "'s", 'fast', ',', 'e', '.', 'g', '.', 'here', '.']]
    """
    found: list[list[Token]] = []
    current: list[Token] = []
    ended = False
    for match in _TOKEN.finditer(text):
        token = match.group()
        starts = (not token[0].isascii() and not token[0].islower()) or token[0].isupper() or token[0].isdigit()
        if current and ((ended and starts) or len(current) >= LONGEST_SENTENCE):
            found.append(current)
            current = []
        current.append(Token(token, match.start(), match.end()))
        ended = token in _SENTENCE_END
    if current:
        found.append(current)
    return found


def word_runs(text: str) -> list[list[str]]:
    """Return runs of words between punctuation marks inside sentences; a possessive stays with its word.

    >>> word_runs("A user's guide, and more.")
    [['A', "user's", 'guide'], ['and', 'more']]
    """
    runs: list[list[str]] = []
    for sentence in sentences(clean(text)):
        run: list[str] = []
        for token in sentence:
            if not token.is_word:
                if run:
                    runs.append(run)
                run = []
            elif token.text[0] in "'\u2019" and run:
                run[-1] += token.text
            else:
                run.append(token.text)
        if run:
            runs.append(run)
    return runs
