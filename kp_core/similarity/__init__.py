"""Compute similarities of phrase pairs, with one function and one entry in `measures.toml` per measure."""

import kp_core.similarity.pair_measures  # noqa: F401
from kp_core.similarity.declaration import MEASURES, SimilarityCard, parse
from kp_core.similarity.relation import describe
from kp_core.similarity.scorer import PRESETS, Scorer, SimilarityOptions, best_over_gold, score, similarity

__all__ = ["MEASURES", "PRESETS", "Scorer", "SimilarityCard", "SimilarityOptions", "best_over_gold"]
__all__ += ["describe", "parse", "score", "similarity"]
