"""F13B: brat standoff files, with their texts beside them, become keyphrases of annotators."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import Note, counted
from kp_core.reading.family import Choice, File, Recognition, Rejected, Rows
from kp_core.reading.lists import storable
from kp_core.reading.spans import Marked, Span, span_rows, spans_recognised

NAME = "F13B"
TITLE = "spans: brat standoff, .ann beside .txt"
EXAMPLE = (
    "T1\tKeyphrase 4 14\ttide table\nT2\tKeyphrase 4 8;18 26\ttide forecast\n"
    "R1\tHyponym-of Arg1:T1 Arg2:T2\n#1\tAnnotatorNotes T1\tsure"
)
GROUP_IS_ONE = True
PROVED = True
_SPAN = re.compile(r"T\S*\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?")
#: Relations, events, attributes, modifiers, normalisations, notes, and what is the same.
_OTHER = re.compile(r"[REAMN]\d+\t\S+ .*|[REAMN]\d+\t\S+|#\S*\t\S+ \S+.*|\*\t\S+ .*")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all `.ann` files that hold nothing else, and the texts of the same names."""
    notes = [file for file in files if file.suffix == ".ann"]
    if not notes or role == "judgements" or _fitting(notes) < 0.9:
        return []
    texts = {file.name: file for file in _texts(notes, files).values()}
    return [_recognition([*notes, *texts.values()], role, notes[0].choice)]


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise a single file by its lines."""
    proved = role not in ("documents", "judgements") and bool(files[0].sample) and _fitting(files) >= 0.9
    return _recognition(files, role, choice) if proved else None


def _fitting(files: Sequence[File]) -> float:
    """Return the share of lines that are those of brat; files of other notes alone prove nothing."""
    lines = [line for file in files for line in file.sample]
    marks = sum(bool(_SPAN.fullmatch(line)) for line in lines)
    return (marks + sum(bool(_OTHER.fullmatch(line)) for line in lines)) / len(lines) if marks else 0.0


def _texts(notes: Sequence[File], files: Sequence[File]) -> dict[str, File]:
    """Return the text of each file of notes: that of its name, in its own folder or the only one anywhere."""
    named: dict[str, list[File]] = defaultdict(list)
    for file in files:
        if file.suffix == ".txt":
            named[file.stem].append(file)
    found = {}
    for file in notes:
        beside = [one for one in named[file.stem] if PurePosixPath(one.name).parent == PurePosixPath(file.name).parent]
        if same := beside or (named[file.stem] if len({one.text for one in named[file.stem]}) == 1 else []):
            found[file.name] = same[0]
    return found


def _notes(files: Sequence[File]) -> Sequence[File]:
    return files if len(files) == 1 else [file for file in files if file.suffix == ".ann"]


def _recognition(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition:
    notes = _notes(files)
    labels = {found[1] for file in notes for line in file.lines if (found := _SPAN.fullmatch(line))}
    texts = counted(len(files) - len(notes), "text")
    evidence = f"{counted(len(notes), 'file')} of brat with {texts}; {_places(notes)[0]}"
    return spans_recognised(NAME, files, role, choice, _fitting(notes), evidence, labels)


def _places(notes: Sequence[File]) -> tuple[str, dict[str, str | None]]:
    """Return the rule in words, and the annotator of each file: a folder, where folders hold the same names."""
    folders = {file.name: PurePosixPath(file.name).parent.name for file in notes}
    if len({file.stem for file in notes}) < len(notes):
        return "annotator = folder, document = file", {name: folder or None for name, folder in folders.items()}
    return "document = file", dict.fromkeys(folders)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the marks of every file in its order; a file without any is an empty list."""
    notes = _notes(recognition.files)
    texts, who = _texts(notes, recognition.files), _places(notes)[1]
    every: list[Marked] = []
    rejected: list[Rejected] = []
    other = 0
    for file in notes:
        text = texts[file.name].text if file.name in texts else ""
        every.append(Marked(file.stem, text, [], file.name, 1, who[file.name]))
        for number, line in enumerate(file.lines, 1):
            if found := _SPAN.fullmatch(line):
                parts = [part.split() for part in found[2].split(";")]
                every[-1].spans.append(
                    Span((found[1],), [(int(begin), int(end)) for begin, end in parts], found[3], number)
                )
            elif _OTHER.fullmatch(line):
                other += 1
            elif line.strip():
                rejected.append((file.name, number, "no mark of brat", storable(line[:200])))
    rows = span_rows(recognition, every, rejected)
    rows[0].notes += [Note("info", notes[0].name, f"Relations, attributes and notes left out: {other:,}.")] * (
        other > 0
    )
    return rows
