"""F7: phrases with a TAB and a number, one file a document, become keyphrases with votes or predictions with scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from kp_core.corpus import Role
from kp_core.errors import Note
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import KNOWN, plain
from kp_core.reading.lists import ListBuilder, is_number, number

NAME = "F7"
TITLE = "votes, one file a document: phrase, TAB, number"
EXAMPLE = "boat race\t10\nriver\t3"
OPTIONS = {"suffix": ("kept", "removed")}
GROUP_IS_ONE = True


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim two or more files whose lines are phrase, TAB, number."""
    group = [file for file in files if role not in ("documents", "judgements") and _are_votes(file)]
    return [_recognition(group, role, group[0].choice)] if len(group) > 1 else []


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise a single such file; it is the list of the document that its name says."""
    if len(files) != 1 or role in ("documents", "judgements") or not _are_votes(files[0]):
        return None
    return _recognition(files, role, choice)


def _parts(line: str) -> tuple[str, float] | None:
    phrase, found, amount = line.rpartition("\t")
    return (phrase, number(amount)) if found and phrase.strip() and is_number(amount) else None


def _is_header(line: str) -> bool:
    return all(plain(cell) in KNOWN for cell in line.split("\t"))


def _are_votes(file: File) -> bool:
    lines = [line for line in file.sample if not _is_header(line)]
    fitting = sum(_parts(line) is not None and line.count("\t") == 1 for line in lines)
    return bool(lines) and fitting >= 0.9 * len(lines)


def _recognition(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition:
    what = "score" if role == "system" else "votes"
    evidence = f"lines are phrase, TAB, {what}; document = file name"
    suffix = _common_end([file.stem for file in files])
    options = dict(choice.options) | ({} if role else {"role": "guessed"})
    if suffix:
        done = "taken off" if options.get("suffix") == "removed" else "kept"
        evidence += f"; all names end in “{suffix}”, which is {done}"
    return Recognition(NAME, role or "gold", tuple(files), 0.6, evidence, {}, options)


def _common_end(names: Sequence[str]) -> str:
    """Return what all names end in, from a separator on."""
    if len(names) < 2:
        return ""
    backwards = zip(*(name[::-1] for name in names), strict=False)
    shared = "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, backwards))[::-1]
    found = re.search(r"[-_. ].*", shared, re.DOTALL)
    end = found.group() if found else ""
    return "" if any(len(name) == len(end) for name in names) else end


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one phrase a line; votes are grades of an annotator called `votes`."""
    gold = recognition.role == "gold"
    builder = ListBuilder(recognition.role, recognition.files[0].limits)
    suffix = _common_end([file.stem for file in recognition.files])
    removed = recognition.options.get("suffix") == "removed"
    for file in recognition.files:
        doc_id = file.stem.removesuffix(suffix) if removed else file.stem
        builder.open(doc_id, file=file.name, line=1, source="votes" if gold else None)
        for place, line in enumerate(file.lines, 1):
            parts = _parts(line)
            if not line.strip() or (place == 1 and _is_header(line)):
                builder.blank += 1
            elif parts is None:
                builder.add(line, line=place, reject="no number after a TAB")
            elif gold:
                builder.add(parts[0], line=place, relevance=parts[1])
            else:
                builder.add(parts[0], line=place, score=parts[1])
    if suffix and not removed:
        message = f"All file names end in “{suffix}”, which stays in the ids; choose suffix = removed to take it off."
        builder.notes.append(Note("info", recognition.files[0].name, message))
    if gold:
        message = (
            "Votes are grades: ranking measures such as nDCG use them, the others count a phrase from grade 1 on, "
        )
        builder.notes.append(Note("info", recognition.files[0].name, f"{message}or from the grade that you set."))
    return [builder.rows()]
