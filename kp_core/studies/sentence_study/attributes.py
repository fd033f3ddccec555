"""Turn sentences into attributes from which a decision tree may learn which of them people choose.

Source: Nomoto & Matsumoto 1997, Table 8. What is marked as assumed is not printed there, or holds for Japanese only.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus, kept
from kp_core.errors import InputError, Note, counted, part_of
from kp_core.scoring.sentence_ids import list_sentences
from kp_core.text.stem import stem_words
from kp_core.text.tags import tag_sentence, word_class
from kp_core.text.tokenise import clean, tokens

#: Attribute → what it is, and what of it is assumed; in the order of the source.
ATTRIBUTES: dict[str, tuple[str, str]] = {
    "group": ("type of the document, as loaded", "one column a type"),
    "location": ("sentences before it / all sentences of the text", ""),
    "title_similarity": (
        "sum over the nouns that it shares with the title of F / MAX_F · ln(N / DF) / ln N",
        "the formula, which is missing in our source; nouns by HanTa, as stems; any word of the title counts",
    ),
    "length": ("characters", ""),
    "attitude": (
        "1 other; 2 a modal or a verb of attitude; 3 a question or an exclamation",
        "the English words; the source describes Japanese",
    ),
    "tf_idf": ("sum over all its nouns of F / MAX_F · ln(N / DF) / ln N", "that it is a sum"),
    "paragraph_location": ("sentences before it / all sentences of the paragraph", ""),
}
CATEGORIES = ("group", "attitude")
#: Words of attitude as people read them. A bracket may be left out; May in upper case is a month.
ATTITUDE_WORDS = (
    "must, should, ought, may, might, can, cannot, could, will, would, shall, need(s) to, have to, has to, hope(s), "
    "believe(s), think(s), argue(s), propose(s); mustn't, shouldn't, mightn't, can't, couldn't, won't, wouldn't; is or "
    "are followed by necessary, important, expected or likely"
)
#: The same as a regular expression.
_ATTITUDE = re.compile(
    r"(?<![\w-])(?:must|should|ought|(?-i:may)|might|can|cannot|could|will|would|shall|needs? to|ha(?:ve|s) to|hopes?|"
    r"believes?|thinks?|argues?|proposes?|(?:must|should|might|ca|could|wo|would)n['\u2019]t|"
    r"(?:is|are) (?:necessary|important|expected|likely))(?![\w-])",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_CLOSING = "\"'\u2019\u201d»)]"
_GIVEN = ("sentence", *ATTRIBUTES)


def attitude(sentence: str) -> int:
    """Return the class of attitude of an English sentence: 3 ends in ? or !, 2 has one of `ATTITUDE_WORDS`, 1 other.

    >>> [attitude(text) for text in ("Water rises.", "Ships must wait.", "Must ships wait?")]
    [1, 2, 3]
    """
    if sentence.rstrip(_CLOSING + " ").endswith(("?", "!")):
        return 3
    return 2 if _ATTITUDE.search(sentence) else 1


def weights(nouns: list[Counter[str]]) -> list[dict[str, float]] | None:
    """Return the weight of every noun in each sentence of a text, or None for a text of one sentence.

    F / MAX_F · ln(N / DF) / ln N: F its count in the sentence and MAX_F the largest there, DF the sentences that have
    it, N all sentences.

    >>> found = weights([Counter(tide=2, sea=1), Counter(sea=1), Counter(), Counter(moon=1)])
    >>> found[0]  # ln 4 / ln 4; 1/2 · ln 2 / ln 4
    {'tide': 1.0, 'sea': 0.25}
    """
    number = len(nouns)
    if number < 2:
        return None
    having = Counter(noun for sentence in nouns for noun in sentence)
    return [
        {n: f / max(sentence.values()) * math.log(number / having[n]) / math.log(number) for n, f in sentence.items()}
        for sentence in nouns
    ]


def attributes(corpus: Corpus, given: pd.DataFrame | None = None) -> tuple[pd.DataFrame, list[Note]]:
    """Return one row a sentence: doc_id, sentence, text and its `ATTRIBUTES`; missing ones are 0, and noted.

    given   table with a column `sentence` and attributes that take the place of computed ones; the document type may
            be any text, the others are numbers

    Raises InputError where no text is loaded, or a given value is not what it should be.
    """
    listed = list_sentences(corpus)
    if not len(listed):
        raise InputError(
            "the documents", "no text with a sentence", "texts whose sentences can be chosen", "Load the texts."
        )
    told = _checked(given, listed) if given is not None else {}
    documents = corpus.documents.set_index("doc_id")
    notes = _without_sentences(corpus, listed)
    by_text, by_paragraph = listed.groupby("doc_id"), listed.groupby(["doc_id", "paragraph"])
    frame = listed[["doc_id", "sentence", "text"]].assign(
        group=listed["doc_id"].map(documents["group"]).fillna("").astype("str"),
        location=by_text.cumcount() / by_text["text"].transform("size"),
        length=listed["text"].str.len(),
        attitude=[attitude(text) for text in listed["text"]],
        paragraph_location=by_paragraph.cumcount() / by_paragraph["text"].transform("size"),
    )
    if not {"title_similarity", "tf_idf"} <= told.keys():
        titles = documents["title"].fillna("").astype(str).to_dict()
        found = _Lexical.of(listed, titles, kept(corpus, "lexical", None, dict))
        frame = frame.assign(title_similarity=found.title_similarity, tf_idf=found.tf_idf)
        notes += found.notes(told)
    frame = frame.assign(**told)
    for name in ATTRIBUTES:
        if name != "group" and (missing := int(frame[name].isna().sum())):
            frame[name] = frame[name].fillna(0)
            if name in told:
                text = part_of(
                    missing,
                    len(frame),
                    "sentence",
                    "has no given value and counts as 0",
                    "have no given value and count as 0",
                )
                notes.append(Note("warning", name, text))
    return frame[["doc_id", "sentence", "text", *ATTRIBUTES]], notes


def _without_sentences(corpus: Corpus, listed: pd.DataFrame) -> list[Note]:
    empty = corpus.documents.loc[~corpus.documents["doc_id"].isin(listed["doc_id"]), "doc_id"].tolist()
    text = f"no sentence in {_named(empty)}, so nothing can be chosen there"
    return [Note("warning", "texts", text)] if empty else []


def _named(documents: Collection[str]) -> str:
    first = ", ".join(list(documents)[:5]) + (" …" if len(documents) > 5 else "")
    return f"{counted(len(documents), 'document')}: {first}"


def _checked(given: pd.DataFrame, listed: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Return the given attributes in the order of the sentences; refuses what is no sentence or no number."""
    known = [name for name in ATTRIBUTES if name in given]
    if "sentence" not in given or not known:
        raise InputError(
            "the given attributes",
            f"the columns {', '.join(map(str, given.columns)) or '(none)'}",
            f"a column sentence and at least one of: {', '.join(ATTRIBUTES)}",
            "Download the table of sentences, and change or add columns in it.",
        )
    unknown = given.loc[~given["sentence"].isin(listed["sentence"]), "sentence"]
    repeated = given.loc[given["sentence"].duplicated(), "sentence"]
    for wrong, found in ((unknown, "no sentence of the loaded texts"), (repeated, "a sentence given twice")):
        if len(wrong):
            raise InputError(
                "the given attributes",
                f"“{wrong.iloc[0]}”, {found}",
                "each sentence of the list once",
                "Write the ids as the list of sentences has them.",
            )
    table = given.set_index("sentence").reindex(listed["sentence"])
    found_values: dict[str, Any] = {}
    for name in known:
        if name == "group":
            found_values[name] = table[name].fillna("").astype("str").to_numpy()
            continue
        values = pd.to_numeric(table[name], errors="coerce").astype("float64")
        said = table[name].notna() & (table[name].astype("str").str.strip() != "")
        wrong = said & (~np.isfinite(values.to_numpy()) | ((values % 1 != 0) & (name == "attitude")))
        if wrong.any():
            raise InputError(
                f"the given attributes, column {name}, sentence '{wrong.idxmax()}'",
                f"“{table[name][wrong].iloc[0]}”",
                "a whole number" if name == "attitude" else "a number",
                "Correct the cell, or leave it empty.",
            )
        found_values[name] = values.to_numpy()
    return found_values


@dataclass(frozen=True)
class _Lexical:
    """The two attributes that need nouns, NaN where they are missing, and the documents where they are and why."""

    title_similarity: list[float]
    tf_idf: list[float]
    untitled: list[str]
    single: list[str]
    wordless: list[str]

    @classmethod
    def of(cls, listed: pd.DataFrame, titles: Mapping[str, str], kept: dict[Any, Any]) -> _Lexical:
        tagged = [_nouns(text, kept) for text in listed["text"]]
        words = [[token.lower() for token, _, _ in tokens(clean(title))] for title in titles.values()]
        distinct = list(dict.fromkeys(word for run in (*tagged, *words) for word in run))
        stem = dict(zip(distinct, stem_words(distinct, "porter-nltk"), strict=True))
        of_title = {document: {stem[word] for word in run} for document, run in zip(titles, words, strict=True)}
        found = cls([], [], [], [], [])
        counted = pd.Series([Counter(stem[noun] for noun in nouns) for nouns in tagged], dtype=object)
        for document, own in counted.groupby(listed["doc_id"].to_numpy(), sort=False):
            title, weighed = of_title[str(document)], weights(own.tolist())
            if weighed is None:
                found.single.append(str(document))
            elif not any(weighed):
                found.wordless.append(str(document))
            if not title:
                found.untitled.append(str(document))
            for sentence in weighed if weighed is not None else [None] * len(own):
                shared = None if sentence is None or not title else sum(w for n, w in sentence.items() if n in title)
                found.title_similarity.append(math.nan if shared is None else shared)
                found.tf_idf.append(math.nan if sentence is None else sum(sentence.values()))
        return found

    def notes(self, told: Collection[str]) -> list[Note]:
        """Say which attributes are 0 because they are missing, apart from those that are given."""
        both = "title_similarity and tf_idf"
        told_both = {"title_similarity", "tf_idf"} <= set(told)
        said = [
            (self.untitled, "title_similarity" in told, "title_similarity", "no title"),
            (self.single, told_both, both, "one sentence, whose weights are undefined"),
            (self.wordless, told_both, both, "no English noun was found"),
        ]
        return [
            Note("warning", name, f"{why} in {_named(documents)}; the attribute counts as 0 there")
            for documents, skip, name, why in said
            if documents and not skip
        ]


def _nouns(sentence: str, kept: dict[Any, Any]) -> list[str]:
    """Return the nouns in lower case; the tagger takes every word in another script for one, so these are left out."""
    spelled = [token for token, _, _ in tokens(sentence)]
    tagged = tag_sentence(spelled, kept) if _LATIN.search(sentence) else []
    return [token.lower() for token, _, name in tagged if word_class(name) == "N" and _LATIN.search(token)]


@dataclass(frozen=True)
class Columns:
    """Attributes as numbers: matrix (S, F), and for each column its attribute and, of a category, the value."""

    matrix: NDArray[np.float64]
    names: tuple[tuple[str, str], ...]

    @property
    def attributes(self) -> list[str]:
        """The attributes that have columns, in order."""
        return list(dict.fromkeys(name for name, _ in self.names))

    @property
    def attribute(self) -> NDArray[np.int64]:
        """Number of the attribute of each column (F,)."""
        return np.array([self.attributes.index(name) for name, _ in self.names])


def columns(frame: pd.DataFrame) -> Columns:
    """Return the attributes as columns of numbers; a category has one column a value, if there are several values."""
    found: list[NDArray[np.float64]] = []
    names: list[tuple[str, str]] = []
    for name in ATTRIBUTES:
        if name not in CATEGORIES:
            found.append(frame[name].to_numpy(float))
            names.append((name, ""))
            continue
        values = sorted(frame[name].unique())
        for value in values if len(values) > 1 else ():
            found.append((frame[name] == value).to_numpy(float))
            names.append((name, f"{value:g}" if name == "attitude" else str(value)))
    return Columns(np.stack(found, axis=1), tuple(names))
