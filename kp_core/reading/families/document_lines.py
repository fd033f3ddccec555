"""F3: lines of a document id, a TAB (or @) and phrases split at semicolons become lists of phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from kp_core.corpus import Role
from kp_core.errors import Note, part_of
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import KNOWN, plain
from kp_core.reading.lists import ListBuilder, is_number

NAME = "F3"
TITLE = "one document a line: id, TAB, phrases"
EXAMPLE = "J-4.txt\torder book;market maker;spread"
_AT = re.compile(r"^[^\s@;]+@")


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise `id TAB a;b;c` or `id@a;b;c` in at least 80 % of the first 200 lines."""
    if len(files) != 1 or role in ("documents", "judgements"):
        return None
    lines = files[0].sample
    separator = choice.options.get("separator") or next((s for s in ("\t", "@") if _fits(lines, s)), None)
    if separator is None or not lines:
        return None
    fitting = sum(_is_list(line, separator) for line in lines)
    shown = "TAB" if separator == "\t" else "@"
    evidence = f"{part_of(fitting, len(lines), 'first line', 'is', 'are')} `id {shown} a;b;c`"
    options = {"separator": separator} | ({} if role else {"role": "guessed"})
    numbers = separator == "\t" and sum(is_number(line.partition("\t")[2]) for line in lines) >= 0.9 * len(lines)
    # A semicolon table has no TAB at the end of the first word of every line, whatever words its first line holds.
    sure = separator == "\t" and fitting == len(lines) and all(";" not in line.partition("\t")[0] for line in lines)
    confidence = 0.3 if numbers else 0.95 if sure else 0.9
    return Recognition(NAME, role or "gold", tuple(files), confidence, evidence, {}, options)


def _is_list(line: str, separator: str) -> bool:
    return line.count("\t") == 1 if separator == "\t" else bool(_AT.match(line)) and "\t" not in line


def _fits(lines: list[str], separator: str) -> bool:
    if separator == "@":  # comments may stand before the first list
        lines = list(dropwhile(lambda line: not _is_list(line, "@"), lines))
    fitting = [line for line in lines if _is_list(line, separator)]
    if (
        not fitting
        or len(fitting) < 0.8 * len(lines)
        or (separator == "@" and not any(";" in line for line in fitting))
    ):
        return False
    pairs = [line.split(separator, 1) for line in fitting]
    first = [plain(cell) for cell in lines[0].split(separator)]
    if separator == "\t" and (len(first) == 2 and all(cell in KNOWN for cell in first)):
        return False
    if any(";" in right for _, right in pairs):
        return True
    ids = [left.strip() for left, _ in pairs]
    return len(set(ids)) == len(ids)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Split the right side of each line at semicolons."""
    file, separator = recognition.files[0], recognition.options["separator"]
    builder = ListBuilder(recognition.role, recognition.files[0].limits)
    comments: list[int] = []
    for number, line in enumerate(file.lines, 1):
        doc_id, found, phrases = line.partition(separator)
        if not line.strip():
            builder.blank += 1
        elif separator == "@" and not _AT.match(line) and len(comments) == number - 1 - builder.blank:
            comments.append(number)
        elif not found or not doc_id.strip():
            reason = (
                "an empty id" if found else f"no {'TAB' if separator == chr(9) else separator} between id and phrases"
            )
            builder.rejected.append((file.name, number, reason, line[:200]))
        else:
            builder.open(doc_id, file=file.name, line=number)
            builder.split(phrases)
    if comments:
        builder.blank += len(comments)
        first = file.lines[comments[0] - 1][:60]
        message = f"Lines {comments[0]} to {comments[-1]} do not fit and were taken as comments: “{first}”."
        builder.notes.append(Note("info", file.name, message))
    return [builder.rows()]
