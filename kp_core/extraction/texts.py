"""Turn documents into the texts that a system can read, and words into a list of stop words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection as Words
from collections.abc import Iterable, Mapping
from typing import Any

from kp_core.corpus import Corpus, whole_texts
from kp_core.errors import Note, UsageError, counted, unfit
from kp_core.reading import load
from kp_core.text.candidates import has_english
from kp_core.text.normalise import mostly_cjk
from kp_core.text.tokenise import CJK

_WORD = re.compile(r"[^\W\d_]+")
_OTHER_LETTER = re.compile(rf"[^\W\d_{CJK}]")
#: English running text has 30 to 55 % stop words; a text of another language in Latin letters, below 10 %.
_FEWEST_STOP_WORDS, _ENOUGH_WORDS = 0.1, 50


def stop_list(given: str | Iterable[str]) -> tuple[Words[str], str]:
    """Return the stop words in lower case, and the name of the list with its length and digest."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    if isinstance(given, str) and given != "english":
        raise UsageError(f"stop_words is '{given}'; write english, or give a list of words")
    words = frozenset(ENGLISH_STOP_WORDS if given == "english" else (word.lower() for word in given))
    digest = hashlib.sha256("\n".join(sorted(words)).encode()).hexdigest()[:8]
    return words, f"{'sklearn-english' if given == 'english' else 'own'}-{len(words)}-{digest}"


def stop_words_in(text: str) -> list[str]:
    """Return the stop words of a text: one a line, or with blanks, commas or semicolons; what follows a | is a comment.

    >>> stop_words_in("au | with the article\\nle, la; les")
    ['au', 'le', 'la', 'les']
    """
    return [word for line in text.splitlines() for word in re.split(r"[\s,;]+", line.partition("|")[0]) if word]


def texts_of(documents: Any, titles: str = "yes") -> dict[str, str]:
    """Return id → text, with the title by the convention, of a corpus, or of what `load(documents=...)` takes."""
    corpus = documents if isinstance(documents, Corpus) else load(documents=documents)
    table = corpus.documents
    texts = dict(zip(table["doc_id"].astype(str), whole_texts(table, titles == "yes"), strict=True))
    if not any(text.strip() for text in texts.values()):
        raise unfit("the documents", "no text")
    return texts


def readable(
    texts: Mapping[str, str], stop: Words[str], english: bool = True
) -> tuple[dict[str, str], tuple[str, ...], list[Note]]:
    """Return the texts with words of the language, the ids of the documents without, and warnings about both."""
    language = "English tokens" if english else "tokens with letters"
    kept, silent, notes = dict[str, str](), [], []
    for doc_id, text in texts.items():
        if not (has_english(text) if english else _OTHER_LETTER.search(text) and not mostly_cjk([text])):
            silent.append(doc_id)
            notes.append(Note("warning", doc_id, f"There are no {language} in document {doc_id}; its list is empty."))
            continue
        words = _WORD.findall(text.lower())
        kept[doc_id] = text
        share = sum(word in stop for word in words) / len(words)
        if english and len(words) >= _ENOUGH_WORDS and share < _FEWEST_STOP_WORDS:
            message = (
                f"Only {share:.0%} of the words of document {doc_id} are English stop words, so it is probably not in "
                "English; give stop words and a stemmer of its language."
            )
            notes.append(Note("warning", doc_id, message))
    if not kept:
        first = silent[0]
        raise unfit(
            f"the texts of {counted(len(silent), 'document')}",
            "no language",
            language=language,
            first=first,
            more="" if len(silent) == 1 else " and in no other",
        )
    return kept, tuple(silent), notes
