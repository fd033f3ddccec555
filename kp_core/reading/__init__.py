"""Bytes in, tidy tables out: files of many formats become one `Corpus` with a report on how they were read."""

from kp_core.reading.beside.named_tables import vocabulary
from kp_core.reading.inputs import Item
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.load import load
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.meaning.preview import form_for, understand
from kp_core.reading.meaning.question import Finding, Form, Question, Reply
from kp_core.reading.open.source import Source
from kp_core.reading.rows.identifiers import OTHER_FIXES
from kp_core.reading.rows.sense import findings
from kp_core.reading.uploads import renamed

__all__ = [
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
    "findings",
    "form_for",
    "load",
    "renamed",
    "understand",
    "vocabulary",
]
