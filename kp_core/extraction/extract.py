"""Turn texts into ranked phrases by one system or several, with the recipe by which they were made."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection as Words
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import pandas as pd

from kp_core.corpus import COLUMNS, Corpus, Ranking
from kp_core.errors import InputError, Note, UsageError, counted
from kp_core.extraction.collection import Collection, External, Progress
from kp_core.extraction.external import Given, external_from
from kp_core.extraction.registry import PARAMETERS, System, named, unavailable
from kp_core.reading import Source, load
from kp_core.reading.tidy import file_names, tidy
from kp_core.settings import __version__
from kp_core.text.candidates import Stems, has_english
from kp_core.text.normalise import mostly_cjk
from kp_core.text.stem import STEMMERS, library
from kp_core.text.tokenise import CJK

_WORD = re.compile(r"[^\W\d_]+")
_OTHER_LETTER = re.compile(rf"[^\W\d_{CJK}]")
#: English running text has 30 to 55 % stop words; a text of another language in Latin letters, below 10 %.
_FEWEST_STOP_WORDS, _ENOUGH_WORDS = 0.1, 50


@dataclass(frozen=True)
class Extracted:
    """Ranked phrases of one system or several.

    runs     one row a phrase: system, doc_id, rank, phrase, score; best first
    notes    what the reader must know
    recipes  system → its recipe in one line: method, parameters, stop words, stemmer, tagger, external sources, version
    silent   documents without any English token, which have an empty list
    """

    runs: pd.DataFrame
    notes: tuple[Note, ...]
    recipes: dict[str, str]
    silent: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """The recipes of all systems, one a line."""
        return "\n".join(self.recipes.values())

    def renamed(self, system: str, name: str) -> Extracted:
        """Return the lists of one system alone, under another name."""
        own = self.runs[self.runs["system"] == system].assign(system=name).reset_index(drop=True)
        return Extracted(own, self.notes, {name: self.recipes[system]}, self.silent)

    def jsonl(self) -> bytes:
        """Return all lists as tidy JSONL, which every reader of KPScope takes as the output of these systems."""
        rows = [("system", system, doc_id) for system in self.recipes for doc_id in self.silent]
        empty = pd.DataFrame(rows, columns=list(COLUMNS["empty"]), dtype="str")
        corpus = Corpus(runs=self.runs, empty=empty, rankings=dict.fromkeys(self.recipes, Ranking("rank")))
        return tidy(corpus, "jsonl").files["systems.jsonl"]

    def as_source(self) -> Source:
        """Return the lists as a file in memory that `load` reads."""
        name = next(iter(self.recipes)) if len(self.recipes) == 1 else "systems"
        return Source(file_names([f"extracted {name}"], ".jsonl")[0], self.jsonl())


def extract(
    documents: Corpus | Given | Sequence[Given],
    method: str | Sequence[str] = "tfidf",
    top: int | None = 50,
    external: Given | Sequence[Given] | External | None = None,
    *,
    stop_words: str | Iterable[str] = "english",
    stemmer: str = "porter-nltk",
    repair: bool = True,
    progress: Progress | None = None,
    **parameters: float,
) -> Extracted:
    """Rank the phrases of texts by one system or several of `kp.SYSTEMS`.

    documents   a corpus with texts, or what `load(documents=...)` takes: files, a table, {id: text}
    method      name or names, such as "tfidf" or "tfidf,phrase-boosting-ngrams"
    top         length of the lists; None for all candidates
    external    documents or lists of phrases for the boosting systems, see `external_from`
    stop_words  "english" (scikit-learn's list), or one's own; no candidate begins or ends with one
    progress    told the share that is done and what is being done; it cancels by raising an exception
    parameters  longest, m, lam, beta, as `PARAMETERS` says

    Raises `UsageError` where a boosting system has no external source, `InputError` where no text has English words.
    Deterministic; the order of the documents does not matter.

    >>> texts = {"d1": "The tide table for the harbour. Each tide table shows it.", "d2": "The harbour master."}
    >>> extract(texts, "tfidf", top=1).runs[["doc_id", "phrase", "score"]].round(6).values.tolist()
    [['d1', 'tide', 1.386294], ['d2', 'harbour master', 0.693147]]
    """
    systems = [named(name) for name in dict.fromkeys(_names(method))]
    chosen = _parameters(parameters, systems)
    if top is not None and top < 1:
        raise UsageError(f"top is {top}; choose a whole number from 1 up")
    needs = {one.needs for one in systems}
    outside = external_from(external, "documents" in needs, "phrases" in needs)
    for one in systems:
        if reason := unavailable(one, bool(outside.documents), bool(outside.phrases)):
            raise UsageError(reason)
    words, listed = stop_list(stop_words)
    english = stop_words == "english"
    if not english and any(one.chunks for one in systems):
        raise UsageError("systems with chunks need the tagger, which knows English only; keep the English stop words")
    if stemmer != "none" and stemmer not in STEMMERS:
        raise UsageError(f"there is no stemmer '{stemmer}'; choose one of: none, {', '.join(STEMMERS)}")
    texts, silent, notes = readable(texts_of(documents), words, english)
    collection = Collection(texts, Stems(stemmer), words, int(chosen["longest"]), repair, outside, progress or _quiet)
    rows = []
    for one in systems:
        scores = one.score(collection, chosen)
        if one.needs and (scores == collection.frequencies() * collection.idf()).all():
            notes.append(_unraised(one))
        allowed = collection.in_chunks() if one.chunks else scores == scores
        for doc_id, ranked in zip(texts, collection.ranked(scores, allowed, top), strict=True):
            rows += [(one.name, doc_id, rank, phrase, score) for rank, (phrase, score) in enumerate(ranked, 1)]
    frame = pd.DataFrame(rows, columns=[name.rstrip("?") for name in COLUMNS["runs"]])
    frame = frame.astype({"system": "str", "doc_id": "str", "rank": "int64", "phrase": "str", "score": "float64"})
    recipes = {one.name: _recipe(one, chosen, listed, stemmer, repair, outside, top, len(texts)) for one in systems}
    return Extracted(frame, tuple(notes + _notes(systems, len(texts))), recipes, silent)


def _quiet(share: float, words: str) -> None:
    """Tell nobody how far it is."""


def _names(method: str | Sequence[str]) -> list[str]:
    names = method.split(",") if isinstance(method, str) else list(method)
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise UsageError("name at least one system, such as tfidf")
    return names


def _parameters(given: Mapping[str, float], systems: Sequence[System]) -> dict[str, float]:
    for name in given:
        if name not in PARAMETERS:
            raise UsageError(f"there is no parameter '{name}'; the parameters are: {', '.join(PARAMETERS)}")
        if not any(name in one.parameters for one in systems):
            raise UsageError(f"{name} is no parameter of {', '.join(one.name for one in systems)}")
    chosen = {name: one.checked(name, given.get(name, one.default)) for name, one in PARAMETERS.items()}
    if chosen["longest"] == 0 and not all(one.chunks for one in systems):
        raise UsageError("longest is 0, any number of words, which only the systems with chunks can have")
    return chosen


@cache
def _english() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def stop_list(given: str | Iterable[str]) -> tuple[Words[str], str]:
    """Return the stop words in lower case, and the name of the list with its length and digest."""
    if isinstance(given, str) and given != "english":
        raise UsageError(f"stop_words is '{given}'; write english, or give a list of words")
    words = _english() if given == "english" else frozenset(word.lower() for word in given)
    digest = hashlib.sha256("\n".join(sorted(words)).encode()).hexdigest()[:8]
    return words, f"{'sklearn-english' if given == 'english' else 'own'}-{len(words)}-{digest}"


def stop_words_in(text: str) -> list[str]:
    """Return the stop words of a text: one a line, or with blanks, commas or semicolons; what follows a | is a comment.

    >>> stop_words_in("au | with the article\\nle, la; les")
    ['au', 'le', 'la', 'les']
    """
    return [word for line in text.splitlines() for word in re.split(r"[\s,;]+", line.partition("|")[0]) if word]


def texts_of(documents: Any) -> dict[str, str]:
    """Return id → text of a corpus, or of what `load(documents=...)` takes."""
    corpus = documents if isinstance(documents, Corpus) else load(documents=documents)
    table = corpus.documents
    texts = dict(zip(table["doc_id"].astype(str), table["text"].fillna("").astype(str), strict=True))
    if not any(text.strip() for text in texts.values()):
        raise InputError(
            "the documents", "no text", "texts of documents", "Load the texts, or a file with a column or field text."
        )
    return texts


def readable(
    texts: Mapping[str, str], stop: Words[str], english: bool = True
) -> tuple[dict[str, str], tuple[str, ...], list[Note]]:
    """Return the texts with words of the language, the ids of the documents without, and warnings about both."""
    language = "English tokens" if english else "tokens with letters"
    found, silent, notes = dict[str, str](), [], []
    for doc_id, text in texts.items():
        if not (has_english(text) if english else _OTHER_LETTER.search(text) and not mostly_cjk([text])):
            silent.append(doc_id)
            notes.append(Note("warning", doc_id, f"There are no {language} in document {doc_id}; its list is empty."))
            continue
        words = _WORD.findall(text.lower())
        found[doc_id] = text
        share = sum(word in stop for word in words) / len(words)
        if english and len(words) >= _ENOUGH_WORDS and share < _FEWEST_STOP_WORDS:
            message = (
                f"Only {share:.0%} of the words of document {doc_id} are English stop words, so it is probably not in "
                "English; give stop words and a stemmer of its language."
            )
            notes.append(Note("warning", doc_id, message))
    if not found:
        first = silent[0]
        raise InputError(
            f"the texts of {counted(len(silent), 'document')}",
            f"no {language} in document {first}{'' if len(silent) == 1 else ' and in no other'}",
            "texts in English, or in a language with blanks between words and stop words of your own",
            "Load English texts.",
        )
    return found, tuple(silent), notes


def _unraised(one: System) -> Note:
    """Say that a boosting system is TF-IDF under another name, because nothing that it knows is in the texts."""
    where = "external documents" if one.needs == "documents" else "external list"
    message = f"Nothing in the {where} raises a candidate of these texts, so the scores are those of TF-IDF."
    return Note("warning", one.name, message)


def _notes(systems: Sequence[System], documents: int) -> list[Note]:
    notes = [Note("info", one.name, f"This system is {one.source}.") for one in systems]
    if documents == 1:
        message = "There is one document only, so no phrase is rarer than another: the scores are frequencies alone."
        notes.append(Note("warning", "documents", message))
    return notes


def _recipe(
    one: System,
    chosen: Mapping[str, float],
    stop: str,
    stemmer: str,
    repair: bool,
    external: External,
    top: int | None,
    documents: int,
) -> str:
    """Return how the lists came about, in one line of ASCII."""
    fields = {"method": one.name} | {name: f"{chosen[name]:g}" for name in one.parameters}
    if one.needs == "documents":
        fields["external"] = _digest(external.documents, "documents")
    elif one.needs == "phrases":
        fields["external"] = _digest(external.phrases, "phrases")
    fields |= {"stop": stop, "stem": "none" if stemmer == "none" else f"{stemmer}-{library(stemmer)}"}
    if one.chunks:
        fields["tags"] = f"HanTa-{version('HanTa')}{'-repaired' if repair else ''}"
    fields |= {"sklearn": version("scikit-learn"), "top": str(top or "all"), "docs": str(documents), "v": __version__}
    return "|".join(["kps-extract", *(f"{name}:{value}" for name, value in fields.items())])


def _digest(given: Mapping[str, Any], what: str) -> str:
    content = repr(sorted((name, str(value)) for name, value in given.items())).encode("utf-8", "surrogatepass")
    return f"{len(given)}-{what}-{hashlib.sha256(content).hexdigest()[:8]}"
