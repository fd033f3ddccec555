"""Bytes in, tidy tables out: files of many formats become one `Corpus` with a report on how they were read."""

from kp_core.reading.family import Choice
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.load import load
from kp_core.reading.source import Source

__all__ = ["LIMITS", "Choice", "Limits", "Source", "load"]
