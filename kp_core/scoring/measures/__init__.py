"""Turn counts into values, with one function and one entry in `measures.toml` per measure."""

from kp_core.scoring.measures import agreement, concordance, ranked  # noqa: F401
from kp_core.scoring.measures.registry import (
    MEASURES,
    OF_PEOPLE,
    SPECIAL,
    Measure,
    MeasureCard,
    matchers,
    names_in,
    of_systems,
    parse,
)

__all__ = ["MEASURES", "OF_PEOPLE", "SPECIAL", "Measure", "MeasureCard", "matchers", "names_in", "of_systems", "parse"]
