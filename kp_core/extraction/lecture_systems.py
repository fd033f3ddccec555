"""Score the candidates of a collection by the six reconstructed systems of the lecture keyword study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from kp_core.errors import UsageError, read_toml
from kp_core.extraction.collection import Collection, External
from kp_core.scoring.codes import Floats

#: External sources that a system may need.
Needs = Literal["", "documents", "phrases"]

RECONSTRUCTED = "reconstructed from the results section; the original paper was not available"
_MISSING_SOURCES = {
    "documents": "external documents, such as the chapters of a textbook; none are loaded",
    "phrases": "an external list of phrases, such as a glossary or an index; none is loaded",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a system, with its symbol in formulas, bounds and meaning."""

    symbol: str
    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False

    def checked(self, name: str, value: float) -> float:
        """Return the value as a number; raise UsageError if the parameter does not allow it."""
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            raise UsageError(f"{name} is {value}; choose {kind} from {self.low:g} to {self.high:g}")
        return float(value)


_TEXTS = read_toml("extraction/lecture_systems.toml")
PARAMETERS: dict[str, Parameter] = {name: Parameter(**fields) for name, fields in _TEXTS["parameters"].items()}


@dataclass(frozen=True)
class System:
    """An extraction system.

    * `score`: function that returns one score per row of `Collection.candidates`
    * `chunks`: whether candidates must be chunks of adjectives and nouns
    """

    name: str
    title: str
    sentence: str
    formula: str
    score: Callable[[Collection, dict[str, float]], Floats]
    parameters: Sequence[str] = ("longest",)
    needs: Needs = ""
    chunks: bool = False
    source: str = RECONSTRUCTED

    def missing(self, external: External) -> str:
        """Return why the system cannot run with these external sources; empty if it can."""
        loaded = not self.needs or getattr(external, self.needs)
        return "" if loaded else f"{self.name} needs {_MISSING_SOURCES[self.needs]}"


def tfidf(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return tf · ln(N_docs / df) of each candidate."""
    return collection.frequencies() * collection.idf()


def document_boosting(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return (tf + λ · Σ cos · tf in the external document · len/len) · ln(N_docs / df) of each candidate."""
    added = collection.external_counts(int(parameters["m"]))
    return (collection.frequencies() + parameters["lam"] * added) * collection.idf()


def phrase_boosting(collection: Collection, parameters: dict[str, float], fewest_words: int = 1) -> Floats:
    """Return TF-IDF · (1 + β · w), where w is the weight of the phrase in the list."""
    return tfidf(collection, parameters) * (1 + parameters["beta"] * collection.weights(fewest_words))


_SCORES: dict[str, Callable[[Collection, dict[str, float]], Floats]] = {
    "tfidf": tfidf,
    "tfidf-chunks": tfidf,
    "document-boosting": document_boosting,
    "document-boosting-chunks": document_boosting,
    "phrase-boosting": phrase_boosting,
    "phrase-boosting-ngrams": partial(phrase_boosting, fewest_words=2),
}
SYSTEMS = {name: System(name, score=score, **_TEXTS["systems"][name]) for name, score in _SCORES.items()}
