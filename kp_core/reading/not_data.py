"""Refuse files that are known and hold no lists or texts, with a sentence that says what they are."""

from __future__ import annotations

from kp_core.errors import InputError
from kp_core.reading.family import File
from kp_core.reading.values import is_number

_MEASURES = ("p", "r", "f", "f1", "map", "mrr", "ndcg")


def refuse_no_data(file: File) -> None:
    """Refuse a table of measures without documents, and XML."""
    if not file.sample:
        return
    names, *rows = map(str.split, file.sample)
    measures = all(name.lower().rstrip("@0123456789") in _MEASURES for name in names)
    if measures and rows and all(len(row) == len(names) and all(map(is_number, row)) for row in rows):
        found = f"a table of measures ({' '.join(names)}) without document ids"
        remedy = "Leave this file out: it holds results, not predictions."
        raise InputError(file.name, found, "lists of keyphrases", remedy)
    if file.sample[0].lstrip().startswith(("<?xml", "<TEI", "<files>")):
        remedy = "Convert it to CSV, JSON or plain text first; XML is not read."
        raise InputError(file.name, "XML", "lists or texts", remedy)
