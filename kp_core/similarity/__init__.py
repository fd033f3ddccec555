"""Turn pairs of phrases into values of similarity: one function and one declaration a measure, in one registry."""

from kp_core.similarity import edits, information, meaning, meteor, ngrams, overlap, sentinels
from kp_core.similarity.registry import MEASURES, Asked, Similarity, parse, register
from kp_core.similarity.score import PRESETS, Choices, Scorer, Wide, best_over_gold, score, similarity
from kp_core.similarity.sentinels import SENTINELS
from kp_core.similarity.synonyms import read_synonyms

__all__ = [
    "MEASURES",
    "PRESETS",
    "SENTINELS",
    "Asked",
    "Choices",
    "Scorer",
    "Similarity",
    "Wide",
    "best_over_gold",
    "edits",
    "information",
    "meaning",
    "meteor",
    "ngrams",
    "overlap",
    "parse",
    "read_synonyms",
    "register",
    "score",
    "sentinels",
    "similarity",
]
