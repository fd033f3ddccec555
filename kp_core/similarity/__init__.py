"""Turn pairs of phrases into values of similarity: one function and one declaration a measure, in one registry."""

from kp_core.similarity import edits, information, meaning, meteor, ngrams, overlap, sentinels
from kp_core.similarity.choices import PRESETS, Choices
from kp_core.similarity.pairs import best_over_gold, similarity
from kp_core.similarity.registry import MEASURES, Asked, Similarity, parse, register, split_names
from kp_core.similarity.relation import describe
from kp_core.similarity.score import Scorer, Wide, score
from kp_core.similarity.sentinels import SENTINELS
from kp_core.similarity.synonyms import read_synonyms
from kp_core.similarity.threshold import Threshold, best_threshold

__all__ = [
    "MEASURES",
    "PRESETS",
    "SENTINELS",
    "Asked",
    "Choices",
    "Scorer",
    "Similarity",
    "Threshold",
    "Wide",
    "best_over_gold",
    "best_threshold",
    "describe",
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
    "split_names",
]
