"""Turn the candidates of a collection into scores: the six systems of the lecture keyword study, as reconstructed."""

from __future__ import annotations

import numpy as np

from kp_core.extraction.collection import Collection
from kp_core.extraction.registry import system
from kp_core.scoring.codes import Floats

# Decorators run from the lowest up: the plain system is declared before its variant with chunks.
_TFIDF = r"\mathrm{tf}(p,d)\,\ln\frac{N_{docs}}{\mathrm{df}(p)}"
_BOOSTED = (
    r"\Bigl(\mathrm{tf}(p,d)+\lambda\sum_{i=1}^{m}\cos(d,e_i)\,\mathrm{tf}(p,e_i)\,"
    r"\frac{\mathrm{len}(d)}{\mathrm{len}(e_i)}\Bigr)\ln\frac{N_{docs}}{\mathrm{df}(p)}"
)


@system(
    "tfidf-chunks",
    "TF-IDF with Adjective-Noun Chunks",
    "TF-IDF of those phrases only that occur as a chunk of adjectives and nouns.",
    _TFIDF,
    chunks=True,
)
@system("tfidf", "TF-IDF", "Phrases that are frequent in the document and rare in the others come first.", _TFIDF)
def tfidf(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return tf · ln(N_docs / df) of every candidate."""
    return collection.frequencies() * collection.idf()


@system(
    "document-boosting-chunks",
    "Document Boosting with Adjective-Noun Chunks",
    "Document Boosting of those phrases only that occur as a chunk of adjectives and nouns.",
    _BOOSTED,
    parameters=("m", "lam"),
    needs="documents",
    chunks=True,
)
@system(
    "document-boosting",
    "Document Boosting",
    "TF-IDF whose frequencies are raised by those in the most similar external documents.",
    _BOOSTED,
    parameters=("m", "lam"),
    needs="documents",
)
def document_boosting(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return (tf + λ · Σ cos · tf in the external document · len/len) · ln(N_docs / df) of every candidate."""
    added = collection.external_counts(int(parameters["m"]))
    return (collection.frequencies() + parameters["lam"] * added) * collection.idf()


@system(
    "phrase-boosting",
    "Phrase Boosting",
    "TF-IDF, raised for phrases that stand in an external list, such as a glossary, an index or titles.",
    rf"{_TFIDF}\,(1+\beta\,w(p))",
    parameters=("beta",),
    needs="phrases",
)
def phrase_boosting(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return TF-IDF · (1 + β · w), w being the weight of the phrase in the list, 0 where it is absent."""
    return tfidf(collection, parameters) * (1 + parameters["beta"] * collection.weights())


@system(
    "phrase-boosting-ngrams",
    "Phrase Boosting N-Grams",
    "Phrase Boosting that raises phrases of two words and more only.",
    rf"{_TFIDF}\,(1+\beta\,w(p)),\qquad w(p)=0\text{{ for one word}}",
    parameters=("beta",),
    needs="phrases",
)
def phrase_boosting_ngrams(collection: Collection, parameters: dict[str, float]) -> Floats:
    """Return TF-IDF · (1 + β · w), w being 0 for phrases of one word."""
    weights = np.where(collection.words() > 1, collection.weights(), 0.0)
    return tfidf(collection, parameters) * (1 + parameters["beta"] * weights)
