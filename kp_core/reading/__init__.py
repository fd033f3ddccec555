"""Bytes in, tidy tables out: files of many formats become one `Corpus` with a report on how they were read."""

from kp_core.reading.identifiers import ID_RULES, OTHER_FIXES, gaps, sides, suggestions, unmatched
from kp_core.reading.inputs import Item
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.load import load
from kp_core.reading.mapping import Mapping
from kp_core.reading.named_tables import vocabulary
from kp_core.reading.preview import form_for, understand
from kp_core.reading.question import Finding, Form, Question, Reply
from kp_core.reading.report import characters, files, statistics
from kp_core.reading.sense import findings
from kp_core.reading.source import Source
from kp_core.reading.uploads import renamed

__all__ = [
    "ID_RULES",
    "LIMITS",
    "OTHER_FIXES",
    "Finding",
    "Form",
    "Item",
    "Limits",
    "Mapping",
    "Question",
    "Reply",
    "Source",
    "characters",
    "files",
    "findings",
    "form_for",
    "gaps",
    "load",
    "renamed",
    "sides",
    "statistics",
    "suggestions",
    "understand",
    "unmatched",
    "vocabulary",
]
