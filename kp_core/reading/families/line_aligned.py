"""F5: text in which line n is document n, with phrases split at semicolons, becomes lists, texts or ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, counted, part_of
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.json_text import begins_like_json
from kp_core.reading.lists import ListBuilder, is_number, storable
from kp_core.reading.shapes import title_and_body

NAME = "F5"
TITLE = "line n is document n: phrases split at semicolons"
EXAMPLE = "tide table;harbour;<peos>;sea level\n\ntide|tides;gauge"
OPTIONS = {"lines": ("lists", "texts", "ids"), "variants": ("split", "literal")}
_IDS = re.compile(r"(?:doc|document)?_?ids?", re.IGNORECASE)
_TEXT_NAMES = {"src", "source", "sources", "docs", "documents", "texts", "abstracts"}
_TITLE_ENDS = re.compile(r" (?:\[sep\]|<eos>) ", re.IGNORECASE)
#: Endings of files that are a table, or one document each.
_OTHERS = (".csv", ".tsv", ".key", ".kwd", ".tags", ".contr", ".uncontr", ".abstr", ".html", ".htm", ".md", ".annif")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim lists beside a file of ids or of texts with as many lines, and texts that have a mark after the title."""
    files = [file for file in files if _is_plain(file)]
    if role == "documents":
        named = [_recognition(file, "ids", role) for file in files if _IDS.fullmatch(file.stem)]
        return [*named, *(_recognition(file, "texts", role) for file in files if _are_titled(file))]
    lists = [file for file in files if _are_lists(file)] if len(files) > 1 else []
    if role == "judgements" or all(_is_even(file.sample) for file in lists):
        return []
    size = len(lists[0].lines)
    rest = [file for file in files if file not in lists]
    named = [_recognition(file, "ids", role) for file in rest if _IDS.fullmatch(file.stem)]
    texts = [_recognition(f, "texts", role) for f in rest if not _IDS.fullmatch(f.stem) and _are_texts(f, size)]
    return [*(_recognition(file, "lists", role) for file in lists), *named, *texts] if named or texts else []


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise phrases split at semicolons in at least half of the lines, texts by their titles, ids by the name."""
    file = files[0]
    if len(files) != 1 or role == "judgements" or not file.sample or begins_like_json(file.json):
        return None
    what = choice.options.get("lines")
    if what is None and role in (None, "documents") and _IDS.fullmatch(file.stem) and _is_plain(file):
        what = "ids"
    elif what is None and role == "documents":
        what = "texts" if choice.family == NAME or _are_titled(file) else None
    elif what is None:
        what = "lists" if choice.family == NAME or _are_lists(file) else None
    return _recognition(file, what, role, choice) if what else None


def _is_plain(file: File) -> bool:
    return file.suffix not in _OTHERS and bool(file.sample) and not begins_like_json(file.json)


def _are_lists(file: File) -> bool:
    """Tell lists: several lines, half of them with a semicolon, none with a TAB or an id before `@`."""
    lines = file.sample
    split = sum(";" in line for line in lines)
    ids = sum(bool(re.match(r"[^\s@;]+@", line)) for line in lines)
    return len(lines) > 1 and split * 2 >= len(lines) > 2 * ids and not any("\t" in line for line in lines)


def _are_titled(file: File) -> bool:
    return sum(bool(_TITLE_ENDS.search(line)) for line in file.sample) >= 0.8 * len(file.sample)


def _are_texts(file: File, size: int) -> bool:
    """Tell texts beside lists: as many lines as these and longer than phrases, or a name that says so."""
    words = sum(len(line.split()) for line in file.sample)
    named = bool(_TEXT_NAMES & set(re.split(r"[^a-z]+", file.stem.lower())))
    return (words > 8 * len(file.sample) and (len(file.lines) == size or named)) or _are_titled(file)


def _recognition(file: File, what: str, role: Role | None, choice: Choice | None = None) -> Recognition:
    options = {"lines": what, **(choice or file.choice).options}
    if what != "lists":
        said = "texts, one a line" if what == "texts" else "ids of documents, one a line"
        return Recognition(NAME, "documents", (file,), 0.95, f"{counted(len(file.lines), 'line')}: {said}", {}, options)
    split = sum(";" in line for line in file.sample)
    shown = part_of(split, len(file.sample), "first line", "is", "are")
    evidence = f"{shown} phrases split at `;`, without ids; line n is "
    if role is None:
        options["role"] = "guessed"
    guess: Role = role or "gold"
    confidence = 0.4 if _is_even(file.sample) else 0.8
    return Recognition(NAME, guess, (file,), confidence, f"{evidence}document n", {}, options)


def _is_even(lines: Sequence[str]) -> bool:
    """Tell whether the lines could as well be rows of a table: two columns, or one of numbers or of repeated values."""
    rows = [line.split(";") for line in lines]
    if len({len(row) for row in rows}) > 1:
        return False
    columns = list(zip(*rows, strict=True))
    return len(columns) == 2 or any(all(map(is_number, c)) or len(set(c)) * 2 <= len(c) for c in columns)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read line n as document n; a blank line is an empty list."""
    file, what = recognition.files[0], recognition.options["lines"]
    if what == "ids":
        return [_ids(file)]
    rows = _texts(file) if what == "texts" else _lists(file, recognition)
    rows.counted = len(file.lines)
    return [rows]


def _ids(file: File) -> Rows:
    ids = [line.strip() for line in file.lines]
    twice = next((doc_id for doc_id, count in Counter(ids).items() if count > 1 or not doc_id), None)
    if twice is not None:
        line = [number for number, doc_id in enumerate(ids, 1) if doc_id == twice][-1]
        found = f"the id “{twice[:60]}” again" if twice else "a blank line"
        raise InputError(f"{file.name}, line {line}", found, "a different id in every line", "Correct the ids.")
    table = pa.table({"doc_id": pa.array(list(map(storable, ids)), pa.large_string())})
    return Rows("documents", table, counted=len(ids), names=True)


def _texts(file: File) -> Rows:
    pairs = [title_and_body(storable(line)) for line in file.lines]
    columns = {
        "doc_id": [str(number) for number in range(1, len(pairs) + 1)],
        "title": [title for title, _ in pairs],
        "text": [text.strip() for _, text in pairs],
    }
    return Rows("documents", pa.table({name: pa.array(values, pa.large_string()) for name, values in columns.items()}))


def _lists(file: File, recognition: Recognition) -> Rows:
    builder = ListBuilder(recognition.role, recognition.files[0].limits)
    literal = recognition.role != "gold" or recognition.options.get("variants") == "literal"
    marks: Counter[str] = Counter()
    varied = 0
    for number, line in enumerate(file.lines, 1):
        builder.open(str(number), file=file.name, line=number)
        for item in builder.pieces(line):
            marks.update(mark for mark in ("<peos>", "<digit>", "<unk>") if mark in item)
            spellings = tuple(part.strip() for part in item.split("|") if part.strip())
            if item == "<peos>":
                continue
            if literal or len(spellings) < 2:
                builder.add(item)
            else:
                varied += 1
                builder.add(spellings[0], variants=spellings)
    _say(builder, file, marks, varied)
    return builder.rows()


def _say(builder: ListBuilder, file: File, marks: Counter[str], varied: int) -> None:
    if marks["<peos>"]:
        message = f"Marks `<peos>` between present and absent keyphrases, which were left out: {marks['<peos>']:,}."
        builder.notes.append(Note("info", file.name, message))
    for mark in ("<digit>", "<unk>"):
        if marks[mark]:
            message = f"The mark `{mark}`, which stands for something unknown, is part of phrases: {marks[mark]:,}."
            builder.notes.append(Note("warning", file.name, message))
    if varied:
        message = f"Keyphrases with several spellings, split at `|`: {varied:,}. Choose variants = literal to keep `|`."
        builder.notes.append(Note("info", file.name, message))
