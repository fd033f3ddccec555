"""Turn texts into ranked phrases: one declaration a system, in one registry."""

from kp_core.extraction import lecture
from kp_core.extraction.collection import External
from kp_core.extraction.extract import Extracted, extract
from kp_core.extraction.registry import PARAMETERS, RECONSTRUCTED, SYSTEMS, System, unavailable

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
