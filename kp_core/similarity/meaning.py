"""Turn contexts in texts, a sentence model, or both form and meaning, into similarity of meaning."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from kp_core.errors import UsageError
from kp_core.scoring.codes import Floats
from kp_core.similarity.contexts import Contexts
from kp_core.similarity.registry import similarity_measure

_UNAVAILABLE = "measure 'context' looks phrases up in texts, and there are none; load the texts of the documents"


@similarity_measure(
    "context",
    "Whether the sentences of the loaded texts that hold the phrases use the same words.",
    r"\cos(\vec{a}, \vec{b}),\ a_t = tf_t \ln\frac{S}{df_t}",
    source="offline substitute for the web-snippet cosine of Kim, Baldwin & Kan 2010",
    level="pairs",
    undefined="no sentence of the texts holds one of the phrases",
    reason="no_context",
)
def context(pairs: Any) -> Floats:
    """Return the cosine of the contexts of the two phrases."""
    scorer = pairs.scorer
    if not scorer.choices.texts:
        raise UsageError(_UNAVAILABLE)
    if "contexts" not in scorer.kept:
        scorer.kept["contexts"] = Contexts(scorer.choices.texts, scorer.choices.stemmer)
    contexts: Contexts = scorer.kept["contexts"]
    return contexts.cosine(pairs.keyphrases, pairs.candidates)


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


@similarity_measure(
    "embedding",
    "Whether a sentence model of your own finds the phrases alike.",
    r"\cos(\vec{a}, \vec{b})",
    source="Reimers & Gurevych 2019",
    level="pairs",
    low=-1.0,
    undefined="a vector is zero",
    reason="no_value",
)
def embedding(pairs: Any) -> Floats:
    """Return the cosine of the vectors that the model at `model=` gives."""
    if "model" not in pairs.scorer.kept:
        pairs.scorer.kept["model"] = _model(pairs.scorer.choices.model)
    model = pairs.scorer.kept["model"]
    phrases = list(dict.fromkeys([*pairs.keyphrases, *pairs.candidates]))
    vectors = np.asarray(model.encode(phrases), dtype=float).reshape(len(phrases), -1)
    length = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    vectors = vectors / np.where(length > 0, length, np.nan)
    place = {phrase: number for number, phrase in enumerate(phrases)}
    key, other = ([place[p] for p in side] for side in (pairs.keyphrases, pairs.candidates))
    return np.asarray((vectors[key] * vectors[other]).sum(axis=1))


@similarity_measure(
    "combined",
    "Form (levenshtein) and meaning (context, or a column of yours) in one number.",
    r"w \cdot \mathrm{form} + (1-w) \cdot \mathrm{meaning}",
    source="assumption of this project: weight .5",
    level="pairs",
    low=-np.inf,
    high=np.inf,
    undefined="meaning is undefined",
    reason="no_value",
    w=(0.0, 1.0, 0.5),
    rule=("sum", "max"),
    meaning=("context", "embedding", "column"),
)
def combined(pairs: Any, w: float = 0.5, rule: str = "sum", meaning: str = "context") -> Floats:
    """Return the weighted mean of form and meaning, or the larger; `meaning=column` takes the column `meaning`."""
    if meaning == "column":
        if "meaning" not in pairs.columns:
            raise UsageError("combined(meaning=column) takes the numeric column 'meaning' of the pairs; there is none")
        second = pairs.columns["meaning"]
    else:
        second = context(pairs) if meaning == "context" else embedding(pairs)
    first = pairs.scorer.score(["levenshtein"], pairs.numbers[0], pairs.numbers[1]).table[:, 0]
    return np.asarray(np.maximum(first, second) if rule == "max" else w * first + (1 - w) * second)
