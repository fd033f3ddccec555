"""Bytes in, tidy tables out: files of many formats become one `Corpus` with a report on how they were read."""

from kp_core.reading.choice import Choice
from kp_core.reading.choices import Finding, Question, Reply
from kp_core.reading.identifiers import ID_RULES, OTHER_FIXES, gaps, sides, suggestions, unmatched
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.load import Item, load
from kp_core.reading.names import renamed
from kp_core.reading.preview import Preview, previews
from kp_core.reading.report import characters, files, statistics
from kp_core.reading.sense import findings
from kp_core.reading.source import Source
from kp_core.reading.vocabulary_tables import vocabulary

__all__ = [
    "ID_RULES",
    "LIMITS",
    "OTHER_FIXES",
    "Choice",
    "Finding",
    "Item",
    "Limits",
    "Preview",
    "Question",
    "Reply",
    "Source",
    "characters",
    "files",
    "findings",
    "gaps",
    "load",
    "previews",
    "renamed",
    "sides",
    "statistics",
    "suggestions",
    "unmatched",
    "vocabulary",
]
