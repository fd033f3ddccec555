"""Turn texts into ranked phrases: one declaration a system, in one registry."""

from kp_core.extractors import lecture
from kp_core.extractors.collection import External
from kp_core.extractors.extraction import Extracted, extract
from kp_core.extractors.registry import PARAMETERS, RECONSTRUCTED, SYSTEMS, System, unavailable

__all__ = [
    "PARAMETERS",
    "RECONSTRUCTED",
    "SYSTEMS",
    "External",
    "Extracted",
    "System",
    "extract",
    "lecture",
    "unavailable",
]
