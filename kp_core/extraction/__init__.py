"""Turn texts into ranked phrases."""

from kp_core.extraction.collection import External
from kp_core.extraction.extract import Extracted, extract
from kp_core.extraction.lecture_systems import PARAMETERS, RECONSTRUCTED, SYSTEMS

__all__ = ["PARAMETERS", "RECONSTRUCTED", "SYSTEMS", "External", "Extracted", "extract"]
