"""Turn counts into values: one function and one declaration a measure, all in one registry."""

from kp_core.scoring.measures import agreement as annotators
from kp_core.scoring.measures import concordance, overlap, ranking
from kp_core.scoring.measures.registry import MEASURES, Asked, Measure, of_systems, parse

__all__ = ["MEASURES", "Asked", "Measure", "annotators", "concordance", "of_systems", "overlap", "parse", "ranking"]
