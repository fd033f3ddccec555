"""Turn counts into values: one function and one declaration a measure, all in one registry."""

from kp_core.metrics import annotators, concordance, overlap, ranking
from kp_core.metrics.registry import MEASURES, Asked, Measure, of_systems, parse

__all__ = ["MEASURES", "Asked", "Measure", "annotators", "concordance", "of_systems", "overlap", "parse", "ranking"]
