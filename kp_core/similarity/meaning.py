"""Turn contexts in texts, a sentence model, or both form and meaning, into similarity of meaning."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from kp_core.errors import UsageError
from kp_core.scoring.codes import Floats, Ints
from kp_core.similarity.contexts import Contexts
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.scorer import Pairs


def _distinct(pairs: Pairs) -> tuple[list[str], Ints, Ints]:
    """Return the distinct phrases of the pairs, and where among them the keyphrases and candidates are."""
    used, place = np.unique(np.concatenate([pairs.keyphrase, pairs.candidate]), return_inverse=True)
    key, other = np.split(place, 2)
    return [pairs.scorer.phrases[number] for number in used], key, other


def _cosine(product: Any, norm: Floats, key: Ints, other: Ints) -> Floats:
    """Return the products of vectors over their lengths; NaN where a vector is zero."""
    lengths = norm[key] * norm[other]
    return np.asarray(product / np.where(lengths > 0, lengths, np.nan))


@similarity_measure("context")
def context(pairs: Pairs) -> Floats:
    """Return the cosine of the contexts of the two phrases."""
    choices, kept = pairs.scorer.choices, pairs.scorer.kept
    if not choices.texts:
        raise UsageError(
            "measure 'context' looks phrases up in texts, and there are none; load the texts of the documents"
        )
    if "contexts" not in kept:
        kept["contexts"] = Contexts(choices.texts, choices.stemmer)
    phrases, key, other = _distinct(pairs)
    vectors = kept["contexts"].vectors(phrases)
    norm = np.sqrt(vectors.multiply(vectors).sum(axis=1))
    return _cosine(vectors[key].multiply(vectors[other]).sum(axis=1), norm, key, other)


def _model(path: str | None) -> Any:
    if not path:
        raise UsageError("measure 'embedding' needs a model: give the folder of a sentence-transformers model")
    if not Path(path).is_dir():
        raise UsageError(f"there is no folder '{path}'; 'embedding' reads a model from a folder and downloads nothing")
    # Read by the libraries below when they are imported; with them nothing asks the network for a newer version.
    os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"})
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise UsageError(
            "measure 'embedding' needs the package sentence-transformers, which KPScope does not bring along; "
            "install it, or leave the measure out"
        ) from None
    try:
        return SentenceTransformer(path, local_files_only=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"the folder '{path}' holds no sentence-transformers model: {error}") from error


@similarity_measure("embedding")
def embedding(pairs: Pairs) -> Floats:
    """Return the cosine of the vectors that the model at `model=` gives."""
    kept = pairs.scorer.kept
    if "model" not in kept:
        kept["model"] = _model(pairs.scorer.choices.model)
    phrases, key, other = _distinct(pairs)
    vectors = np.asarray(kept["model"].encode(phrases), dtype=float).reshape(len(phrases), -1)
    norm = np.sqrt((vectors**2).sum(axis=1))
    return _cosine((vectors[key] * vectors[other]).sum(axis=1), norm, key, other)


@similarity_measure("combined")
def combined(pairs: Pairs, w: float = 0.5, rule: str = "sum", meaning: str = "context") -> Floats:
    """Return the weighted mean of form and meaning, or the larger; `meaning=column` takes the column `meaning`."""
    if meaning == "column":
        if "meaning" not in pairs.columns:
            raise UsageError("combined(meaning=column) takes the numeric column 'meaning' of the pairs; there is none")
        second = pairs.columns["meaning"]
    else:
        second = context(pairs) if meaning == "context" else embedding(pairs)
    first = pairs.scorer.score(["levenshtein"], pairs.keyphrase, pairs.candidate).table[:, 0]
    return np.asarray(np.maximum(first, second) if rule == "max" else w * first + (1 - w) * second)
