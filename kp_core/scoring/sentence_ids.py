"""Turn the texts of a corpus into sentences with ids such as `d1#s003`, which can be selected like phrases.

The ids end in digits, so that no normalization step merges two sentences of a document.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus, memoize
from kp_core.errors import InputError, pluralize
from kp_core.text.tokenise import clean, sentence_places

_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_BLANKS = re.compile(r"\s+")
#: Also matches `d1#s3`, for which an error shows the correct spelling, so that it does not count as a keyphrase.
_ID = re.compile(r"(.+)#s\d+", re.DOTALL)


def sentence_id(document: str, number: int) -> str:
    """Return the id of the n-th sentence of a document, counted from 1.

    >>> sentence_id("d1", 3)
    'd1#s003'
    """
    return f"{document}#s{number:03d}"


def list_sentences(corpus: Corpus) -> pd.DataFrame:
    """Return all sentences of all texts, one row each: doc_id, sentence (its id), paragraph (its number, from 1), text.

    Paragraphs are separated by blank lines; a sentence ends with its paragraph.
    """
    return memoize(corpus, "sentences", None, lambda: _list_sentences(corpus.documents))


def _list_sentences(documents: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (document, sentence_id(document, number), paragraph, sentence)
        for document, text in zip(documents["doc_id"], documents["text"].fillna(""), strict=True)
        for number, (paragraph, sentence) in enumerate(_split(str(text)), 1)
    ]
    frame = pd.DataFrame(rows, columns=["doc_id", "sentence", "paragraph", "text"])
    return frame.astype({"doc_id": "str", "sentence": "str", "paragraph": "int64", "text": "str"})


def _split(text: str) -> list[tuple[int, str]]:
    """Return paragraph number and text of each sentence; line breaks within a sentence become spaces."""
    parts = [part for part in _PARAGRAPHS.split(clean(text).replace("\r\n", "\n").strip()) if part]
    return [
        (paragraph, _BLANKS.sub(" ", part[start:end]))
        for paragraph, part in enumerate(parts, 1)
        for start, end in sentence_places(part)
    ]


def names_sentences(corpus: Corpus) -> bool:
    """Return whether every entry of the gold standard looks like the id of a sentence of its document."""
    gold = corpus.gold
    owners = (sentence_owner(phrase) for phrase in gold["phrase"])
    return len(gold) > 0 and all(owner == document for owner, document in zip(owners, gold["doc_id"], strict=True))


def sentence_owner(phrase: str) -> str | None:
    """Return the document named in a sentence id, None for any other text.

    >>> sentence_owner("d1#s003"), sentence_owner("tide table")
    ('d1', None)
    """
    match = _ID.fullmatch(phrase)
    return match[1] if match else None


def sentence_rows(entries: pd.DataFrame, corpus: Corpus, source: str) -> NDArray[np.int64]:
    """Return the row of every entry (columns doc_id, phrase) in `list_sentences`; refuse unlisted entries."""
    sentences = list_sentences(corpus)
    rows = pd.Index(sentences["sentence"]).get_indexer(pd.Index(entries["phrase"], dtype="str"))
    owner = sentences["doc_id"].to_numpy()[rows] if len(sentences) else np.full(len(rows), "")
    invalid = np.flatnonzero((rows < 0) | (owner != entries["doc_id"].to_numpy()))
    if len(invalid):
        document, phrase = entries["doc_id"].iloc[invalid[0]], entries["phrase"].iloc[invalid[0]]
        n_sentences = int((sentences["doc_id"] == document).sum())
        expected = f"one of its {pluralize(n_sentences, 'sentence')}, such as {sentence_id(document, 1)}"
        raise InputError(
            f"{source}, document '{document}'",
            f"“{phrase}”",
            expected if n_sentences else "a document with a text",
            "Use the ids from the list of sentences." if n_sentences else "Load the text of this document.",
        )
    return np.asarray(rows, np.int64)
