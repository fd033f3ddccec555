"""Turn the candidates of a collection into scores: the six systems of the lecture keyword study, as reconstructed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from kp_core.errors import UsageError
from kp_core.extraction.collection import Collection, External
from kp_core.scoring.codes import Floats

#: What a system needs beside the texts.
Needs = Literal["", "documents", "phrases"]

RECONSTRUCTED = "reconstructed from the results section; the original paper was not available"
_NEEDED = {
    "documents": "external documents, such as the chapters of a textbook; none are loaded",
    "phrases": "an external list of phrases, such as a glossary or an index; none is loaded",
}


@dataclass(frozen=True)
class Parameter:
    """A number that a user may change: its name in formulas, default, bounds and meaning; `whole`: no fractions."""

    symbol: str
    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False

    def checked(self, name: str, value: float) -> float:
        """Return the value if it is one that the parameter may have."""
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            raise UsageError(f"{name} is {value}; choose {kind} from {self.low:g} to {self.high:g}")
        return float(value)


PARAMETERS: dict[str, Parameter] = {
    "longest": Parameter("n", 3, 0, 10, "most words of a candidate", whole=True),  # 0: any number, with chunks only
    "m": Parameter("m", 5, 1, 1000, "how many similar external documents count", whole=True),
    "lam": Parameter("λ", 0.5, 0, 100, "weight of the external documents"),
    "beta": Parameter("β", 1, 0, 100, "how much a listed phrase is raised (1: doubled)"),
}


@dataclass(frozen=True)
class System:
    """One system: its name, what it does, its score, what it needs, and the function that gives the scores.

    score   returns one score for every row of `Collection.candidates`
    chunks  candidates must occur as a chunk of adjectives and nouns
    """

    name: str
    title: str
    sentence: str
    formula: str
    score: Callable[[Collection, dict[str, float]], Floats]
    parameters: tuple[str, ...] = ("longest",)
    needs: Needs = ""
    chunks: bool = False
    source: str = RECONSTRUCTED

    def missing(self, external: External) -> str:
        """Return why the system cannot run with these external sources; empty if it can.

        >>> SYSTEMS["tfidf"].missing(External())
        ''
        """
        there = not self.needs or getattr(external, self.needs)
        return "" if there else f"{self.name} needs {_NEEDED[self.needs]}"


def tfidf(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return tf · ln(N_docs / df) of every candidate."""
    return collection.frequencies() * collection.idf()


def document_boosting(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return (tf + λ · Σ cos · tf in the external document · len/len) · ln(N_docs / df) of every candidate."""
    added = collection.external_counts(int(parameters["m"]))
    return (collection.frequencies() + parameters["lam"] * added) * collection.idf()


def phrase_boosting(collection: Collection, parameters: dict[str, float], fewest_words: int = 1) -> Floats:
    """Return TF-IDF · (1 + β · w), w being the weight of the phrase in the list, 0 where it is absent."""
    return tfidf(collection, parameters) * (1 + parameters["beta"] * collection.weights(fewest_words))


def phrase_boosting_ngrams(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return TF-IDF · (1 + β · w), w being 0 for phrases of one word."""
    return phrase_boosting(collection, parameters, fewest_words=2)


_TFIDF = r"\mathrm{tf}(p,d)\,\ln\frac{N_{docs}}{\mathrm{df}(p)}"
_BOOSTED = (
    r"\Bigl(\mathrm{tf}(p,d)+\lambda\sum_{i=1}^{m}\cos(d,e_i)\,\mathrm{tf}(p,e_i)\,"
    r"\frac{\mathrm{len}(d)}{\mathrm{len}(e_i)}\Bigr)\ln\frac{N_{docs}}{\mathrm{df}(p)}"
)
_TFIDF_SYSTEM = System(
    "tfidf", "TF-IDF", "Phrases that are frequent in the document and rare in the others come first.", _TFIDF, tfidf
)
_DOCUMENT_BOOSTING = System(
    "document-boosting",
    "Document Boosting",
    "TF-IDF whose frequencies are raised by those in the most similar external documents.",
    _BOOSTED,
    document_boosting,
    ("longest", "m", "lam"),
    "documents",
)
_PHRASE_BOOSTING = System(
    "phrase-boosting",
    "Phrase Boosting",
    "TF-IDF, raised for phrases that stand in an external list, such as a glossary, an index or titles.",
    rf"{_TFIDF}\,(1+\beta\,w(p))",
    phrase_boosting,
    ("longest", "beta"),
    "phrases",
)
_OF_N_GRAMS = replace(
    _PHRASE_BOOSTING,
    name="phrase-boosting-ngrams",
    title="Phrase Boosting N-Grams",
    sentence="Phrase Boosting that raises phrases of two words and more only.",
    formula=rf"{_PHRASE_BOOSTING.formula},\qquad w(p)=0\text{{ for one word}}",
    score=phrase_boosting_ngrams,
)


def _of_chunks(system: System) -> System:
    """Return the variant of a system that ranks chunks only."""
    sentence = f"{system.title} of those phrases only that occur as a chunk of adjectives and nouns."
    title = f"{system.title} with Adjective-Noun Chunks"
    return replace(system, name=f"{system.name}-chunks", title=title, sentence=sentence, chunks=True)


_ALL = (
    _TFIDF_SYSTEM,
    _of_chunks(_TFIDF_SYSTEM),
    _DOCUMENT_BOOSTING,
    _of_chunks(_DOCUMENT_BOOSTING),
    _PHRASE_BOOSTING,
    _OF_N_GRAMS,
)
SYSTEMS: dict[str, System] = {system.name: system for system in _ALL}
