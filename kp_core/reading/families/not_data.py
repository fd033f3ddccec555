"""F0: files that are known and hold no lists or texts are refused with a sentence that says what they are."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.corpus import Role
from kp_core.errors import InputError
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.lists import is_number

NAME = "F0"
TITLE = "no input: published scores, XML"
EXAMPLE = ""
_MEASURES = ("p", "r", "f", "f1", "map", "mrr", "ndcg")


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Refuse tables of measures without documents, and XML."""
    if len(files) != 1 or not files[0].sample:
        return None
    file, lines = files[0], files[0].sample
    names, *rows = map(str.split, lines)
    measures = [name for name in names if name.lower().rstrip("@0123456789") in _MEASURES]
    numbers = all(len(row) == len(names) and all(map(is_number, row)) for row in rows)
    if rows and numbers and len(measures) == len(names):
        found = f"a table of measures ({' '.join(names)}) without document ids"
        remedy = "Leave this file out: it holds results, not predictions."
        raise InputError(file.name, found, "lists of keyphrases", remedy)
    if lines[0].lstrip().startswith(("<?xml", "<TEI", "<files>")):
        remedy = "Convert it to CSV, JSON or plain text first; XML is not read."
        raise InputError(file.name, "XML", "lists or texts", remedy)
    return None


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Give nothing: no file is ever of this family."""
    return []
