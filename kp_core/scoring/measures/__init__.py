"""Turn counts into values: one function a measure, and one entry in `measures.toml`."""

from kp_core.scoring.measures import agreement, concordance, quality, ranked, sets
from kp_core.scoring.measures.registry import (
    DECLARED,
    MEASURES,
    OF_PEOPLE,
    OWN_COUNTS,
    Asked,
    Measure,
    names_in,
    of_systems,
    own_counts,
    parse,
)

__all__ = [
    "MEASURES",
    "OF_PEOPLE",
    "OWN_COUNTS",
    "Asked",
    "Measure",
    "agreement",
    "concordance",
    "names_in",
    "of_systems",
    "own_counts",
    "parse",
    "quality",
    "ranked",
    "sets",
]

for _name in DECLARED:  # the order of measures.toml, whichever module was imported first
    MEASURES[_name] = MEASURES.pop(_name)
