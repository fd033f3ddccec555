"""Turn counts into values: one function a measure, and one entry in `measures.toml`."""

from kp_core.scoring.measures import agreement, concordance, ranked
from kp_core.scoring.measures.registry import (
    DECLARED,
    MEASURES,
    OF_PEOPLE,
    SPECIAL,
    Asked,
    Measure,
    matchers,
    names_in,
    of_systems,
    parse,
)

__all__ = [
    "MEASURES",
    "OF_PEOPLE",
    "SPECIAL",
    "Asked",
    "Measure",
    "agreement",
    "concordance",
    "matchers",
    "names_in",
    "of_systems",
    "parse",
    "ranked",
]

for _name in DECLARED:  # the order of measures.toml, whichever module was imported first
    MEASURES[_name] = MEASURES.pop(_name)
