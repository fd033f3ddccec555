"""F13B: brat standoff files, with their texts beside them, become keyphrases of annotators."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import Note, counted
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.rows import Rows
from kp_core.reading.spans import Marked, Span, labelled, span_rows
from kp_core.reading.values import Rejected

NAME = "F13B"
TITLE = "spans: brat standoff, .ann beside .txt"
OPTIONS = ("label",)
GROUP_IS_ONE = True
PROVED = True
_SPAN = re.compile(r"T\S*\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?")
#: Relations, events, attributes, modifiers, normalisations, notes, and what is the same.
_OTHER = re.compile(r"[REAMN]\d+\t\S+(?: .*)?|#\S*\t\S+ \S+.*|\*\t\S+ .*")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all `.ann` files that hold nothing else, and the texts of the same names."""
    notes = [file for file in files if file.suffix == ".ann"]
    if not notes or _fitting(notes) < 0.9:
        return []
    texts = {file.name: file for file in _texts(notes, files).values()}
    if role == "documents" and not texts:
        return []
    return [_recognition([*notes, *texts.values()], role)]


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise a single file by its lines."""
    proved = role != "documents" and _fitting([file]) >= 0.9
    return _recognition([file], role) if proved else None


def _fitting(files: Sequence[File]) -> float:
    """Return the share of lines that are those of brat; files of other notes alone prove nothing."""
    lines = [line for file in files for line in file.sample]
    marks = sum(bool(_SPAN.fullmatch(line)) for line in lines)
    return (marks + sum(bool(_OTHER.fullmatch(line)) for line in lines)) / len(lines) if marks else 0.0


def _texts(notes: Sequence[File], files: Sequence[File]) -> dict[str, File]:
    """Return the text of each file of notes: that of its name, in its own folder or the only one anywhere."""
    texts = {file.name[:-4]: file for file in files if file.suffix == ".txt"}
    times = Counter(file.stem for file in texts.values())
    alone = {file.stem: file for file in texts.values() if times[file.stem] == 1}
    beside = {file.name: texts.get(file.name[:-4]) or alone.get(file.stem) for file in notes}
    return {name: text for name, text in beside.items() if text is not None}


def _notes(files: Sequence[File]) -> Sequence[File]:
    return [file for file in files if file.suffix == ".ann"] or files


def _several(notes: Sequence[File]) -> bool:
    """Tell whether folders hold files of the same names, and so are annotators."""
    return len({file.stem for file in notes}) < len(notes)


def _recognition(files: Sequence[File], role: Role | None) -> Recognition:
    notes = _notes(files)
    labels = {found[1] for file in notes for line in file.lines if (found := _SPAN.fullmatch(line))}
    evidence = f"{counted(len(notes), 'file')} of brat with {counted(len(files) - len(notes), 'text')}; "
    evidence += "annotator = folder, document = file" if _several(notes) else "document = file"
    return labelled(Recognition(NAME, role or "gold", tuple(files), evidence, strength=Strength.MARKS), labels)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the marks of every file in its order; a file without any is an empty list."""
    notes = _notes(recognition.files)
    texts, several = _texts(notes, recognition.files), _several(notes)
    every: list[Marked] = []
    rejected: list[Rejected] = []
    other = 0
    for file in notes:
        text = texts[file.name].text if file.name in texts else ""
        folder = PurePosixPath(file.name).parent.name or None
        every.append(Marked(file.stem, text, [], file.name, 1, folder if several else None))
        for number, line in enumerate(file.lines, 1):
            if found := _SPAN.fullmatch(line):
                parts = [(int(begin), int(end)) for begin, end in (part.split() for part in found[2].split(";"))]
                every[-1].spans.append(Span((found[1],), parts, found[3], number))
            elif _OTHER.fullmatch(line):
                other += 1
            elif line.strip():
                rejected.append((file.name, number, "no mark of brat", line[:200]))
    said = [Note("info", notes[0].name, f"Relations, attributes and notes left out: {other:,}.")] if other else []
    return span_rows(recognition, every, rejected, said)
