"""Prepare texts, stop words and external sources for the extraction systems."""

from __future__ import annotations

import hashlib
import re
from collections import abc
from collections.abc import Collection as Words
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import pandas as pd

from kp_core.corpus import Corpus, whole_texts
from kp_core.errors import InputError, Note, UsageError, input_error, pluralize
from kp_core.extraction.collection import External
from kp_core.reading import load
from kp_core.reading.limits import LIMITS
from kp_core.reading.meaning.fields import find_roles
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.decode import File
from kp_core.reading.open.delimited import read_delimited
from kp_core.reading.open.source import Source, expand
from kp_core.text.candidates import has_english
from kp_core.text.normalise import mostly_cjk
from kp_core.text.tokenise import CJK
from kp_core.typeset import say

_WORD = re.compile(r"[^\W\d_]+")
_OTHER_LETTER = re.compile(rf"[^\W\d_{CJK}]")
#: English texts have 30 to 55% stop words; texts of other languages in Latin letters have less than 10%.
_FEWEST_STOP_WORDS, _ENOUGH_WORDS = 0.1, 50


def stop_list(source: str | Iterable[str]) -> tuple[Words[str], str]:
    """Return the stop words in lower case, and a name that contains the length and digest of the list."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    if isinstance(source, str) and source != "english":
        raise UsageError(f"stop_words is '{source}'; write english, or pass a list of words")
    words = frozenset(ENGLISH_STOP_WORDS if source == "english" else (word.lower() for word in source))
    digest = hashlib.sha256("\n".join(sorted(words)).encode()).hexdigest()[:8]
    return words, f"{'sklearn-english' if source == 'english' else 'own'}-{len(words)}-{digest}"


def stop_words_in(text: str) -> list[str]:
    """Return the stop words of a text, separated by line breaks, spaces, commas or semicolons; | begins a comment."""
    return [word for line in text.splitlines() for word in re.split(r"[\s,;]+", line.partition("|")[0]) if word]


def texts_of(documents: Any, titles: str = "yes", where: str = "the documents") -> dict[str, str]:
    """Return id → text of a corpus, or of anything that `load(documents=...)` takes."""
    corpus = documents if isinstance(documents, Corpus) else load(documents=documents)
    table = corpus.documents
    texts = dict(zip(table["doc_id"].astype(str), whole_texts(table, titles == "yes"), strict=True))
    if not any(text.strip() for text in texts.values()):
        raise input_error(where, "no text")
    return texts


def readable(
    texts: abc.Mapping[str, str], stop: Words[str], english: bool = True
) -> tuple[dict[str, str], tuple[str, ...], list[Note]]:
    """Return the texts with words of the language, the ids of texts without such words, and warnings."""
    language = "English tokens" if english else "tokens with letters"
    usable, silent, notes = dict[str, str](), [], []
    for doc_id, text in texts.items():
        if not (has_english(text) if english else _OTHER_LETTER.search(text) and not mostly_cjk([text])):
            silent.append(doc_id)
            notes.append(Note("warning", doc_id, f"There are no {language} in document {doc_id}; its list is empty."))
            continue
        words = _WORD.findall(text.lower())
        usable[doc_id] = text
        stop_share = sum(word in stop for word in words) / len(words)
        if english and len(words) >= _ENOUGH_WORDS and stop_share < _FEWEST_STOP_WORDS:
            notes.append(Note("warning", doc_id, say("not English", share=stop_share, document=doc_id)))
    if not usable:
        where, more = f"the texts of {pluralize(len(silent), 'document')}", " and in no other" * (len(silent) > 1)
        raise input_error(where, "no language", language=language, first=silent[0], more=more)
    return usable, tuple(silent), notes


Given: TypeAlias = str | Path | Source | pd.DataFrame | abc.Mapping[Any, Any]

#: Remedy if external documents and lists of phrases are mixed.
_REMEDY = 'If these files differ, name them separately: --external and --phrases, or {"documents": …, "phrases": …}.'
#: Suffixes of structured files; other files may contain plain lines.
_STRUCTURED = (".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")


def external_from(source: Given | Sequence[Given] | External | None, documents: bool, phrases: bool) -> External:
    """Read external sources; a dictionary is {id: text}, {phrase: weight}, or {"documents": ..., "phrases": ...}."""
    if source is None or isinstance(source, External):
        return source or External()
    if isinstance(source, abc.Mapping) and source and set(source) <= {"documents", "phrases"}:
        return External(read_documents(source.get("documents")), read_phrases(source.get("phrases")))
    try:
        return External(read_documents(source) if documents else {}, read_phrases(source) if phrases else {})
    except InputError as error:
        if not (documents and phrases):
            raise
        raise InputError(error.where, error.found, error.expected, f"{error.remedy} {_REMEDY}") from None


def read_documents(source: Given | Sequence[Given] | None) -> dict[str, str]:
    """Return id → text of external documents; a text file is one document."""
    return {} if source is None else texts_of(source, "no", "the external documents")


def read_phrases(sources: Given | Sequence[Given] | None) -> dict[str, float]:
    """Return phrase → weight from external lists; the default is 1, and the highest of several weights counts.

    Files have one phrase per line (optionally TAB and weight), a column of phrases, or any format of keyphrases.
    """
    if sources is None:
        return {}
    weights: dict[str, float] = {}
    for source in sources if isinstance(sources, (list, tuple)) else [sources]:
        for where, phrase, weight in _entries(source):
            try:
                number = 1.0 if weight is None or weight == "" or weight != weight else float(weight)
            except ValueError:
                number = -1.0
            if not 0 <= number <= 1:
                remedy = "Divide the weights by the largest, or leave them out."
                raise InputError(where, f"the weight {weight} of “{phrase}”", "a weight from 0 to 1", remedy)
            if phrase.strip():
                weights[phrase.strip()] = max(number, weights.get(phrase.strip(), 0.0))
    if not weights:
        raise InputError("the external list", "no phrase", "one phrase per line", "Load another file.")
    return weights


def _entries(item: Given) -> list[tuple[str, str, Any]]:
    if isinstance(item, abc.Mapping):
        return [("the external list", str(phrase), weight) for phrase, weight in item.items()]
    if isinstance(item, pd.DataFrame):
        return _of_documents("the external list", item)
    return [entry for source in expand(item).files for entry in _of_file(source)]


def _of_documents(where: str, source: Any) -> list[tuple[str, str, Any]]:
    gold = load(gold=source).gold
    return [(where, str(phrase), weight) for phrase, weight in zip(gold["phrase"], gold["relevance"], strict=True)]


def _of_file(source: Source) -> list[tuple[str, str, Any]]:
    """Return the phrases of a column without documents, of lines, or of any other file of keyphrases."""
    file = File(source, LIMITS)
    if PurePosixPath(source.name).suffix.lower() in _STRUCTURED or file.text.lstrip()[:1] in ("{", "["):
        return _of_documents(source.name, source)
    table = read_delimited(file, Mapping())
    columns = find_roles(table.names, ("doc_id", "phrase", "score", "relevance")) if table and table.header else {}
    if "doc_id" in columns:
        return _of_documents(source.name, source)
    if table and "phrase" in columns:
        weights = columns.get("score") or columns.get("relevance")
        phrases = table.texts(columns["phrase"]).to_pylist()
        values = table.texts(weights).to_pylist() if weights else [None] * len(phrases)
        return [(source.name, phrase or "", value) for phrase, value in zip(phrases, values, strict=True)]
    if table and len(table.columns) > 1 and source.name.endswith((".csv", ".tsv")):
        return _of_documents(source.name, source)  # reads it, or asks what the columns mean
    entries = [line.partition("\t") for line in file.lines]
    return [(f"{source.name}, line {n}", phrase, weight.strip()) for n, (phrase, _, weight) in enumerate(entries, 1)]
