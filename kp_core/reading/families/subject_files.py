"""F4A: Annif subjects (URI, TAB, label, maybe a score), one file a document, become phrases with their concepts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kp_core.corpus import Role
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.lists import ListBuilder, is_number, number

NAME = "F4A"
TITLE = "subjects of Annif, one file a document: URI, TAB, label"
EXAMPLE = "<http://example.org/c1>\ttide table\t0.8512\n<http://example.org/c2>\tharbour\t0.1034"
GROUP_IS_ONE = True
_URI = re.compile(r"<([^<>\s]+)>")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all files whose lines are URI, TAB, label."""
    group = [file for file in files if role not in ("documents", "judgements") and are_subjects(file)]
    return [_recognition(group, role)] if len(group) > 1 else []


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise a single such file; it is the list of the document that its name says."""
    if len(files) != 1 or role in ("documents", "judgements") or not are_subjects(files[0]):
        return None
    return _recognition(files, role)


def subject_of(line: str) -> tuple[str, str, float | None] | None:
    """Return URI, label and score of a line, None if it is no subject; a notation may stand before the score."""
    uri, *rest = [cell.strip() for cell in line.split("\t")]
    found = _URI.fullmatch(uri)
    if found is None or not rest or not rest[0] or len(rest) > 3:
        return None
    score = number(rest[-1]) if len(rest) > 1 and is_number(rest[-1]) else None
    return found.group(1), rest[0], score


def are_subjects(file: File) -> bool:
    """Tell whether at least 90 % of the first 200 lines are URI, TAB, label."""
    fitting = sum(subject_of(line) is not None for line in file.sample)
    return bool(file.sample) and fitting >= 0.9 * len(file.sample)


def _recognition(files: Sequence[File], role: Role | None) -> Recognition:
    scored = all(
        (fields := subject_of(line)) is None or fields[2] is not None for file in files for line in file.sample
    )
    guess: Role = role or ("system" if scored else "gold")
    evidence = f"lines are URI, TAB, label{' and score' if scored else ''}; document = file name"
    options = {} if role or scored else {"role": "guessed"}
    return Recognition(NAME, guess, tuple(files), 0.96, evidence, {}, options)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one subject a line: the label is the phrase, the URI its concept."""
    builder = ListBuilder(recognition.role, recognition.files[0].limits)
    system = recognition.role == "system"
    for file in recognition.files:
        builder.open(file.stem, file=file.name, line=1)
        for place, line in enumerate(file.lines, 1):
            fields = subject_of(line)
            if not line.strip():
                builder.blank += 1
            elif fields is None:
                builder.add(line, line=place, reject="no URI, TAB, label")
            elif system and fields[2] is not None:
                builder.add(fields[1], line=place, concept=fields[0], score=fields[2])
            else:
                builder.add(fields[1], line=place, concept=fields[0])
    return [builder.rows()]
