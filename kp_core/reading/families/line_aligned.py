"""F5: text in which line n is document n becomes lists of phrases, texts, ids, or texts with subjects."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from kp_core.corpus import Role
from kp_core.errors import InputError, counted, part_of
from kp_core.reading.families import document_files, document_lines, document_texts
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.fields import is_known
from kp_core.reading.json_text import begins_like_json
from kp_core.reading.lists import ListBuilder, document_rows
from kp_core.reading.rows import Rows
from kp_core.reading.shapes import title_and_body
from kp_core.reading.values import URIS

NAME = "F5"
TITLE = "line n is document n: phrases split at semicolons, texts, ids, or text, TAB, URIs"
OPTIONS = ("lines", "variants")
_IDS = re.compile(
    r"(?:.*[^a-z])?(?:(?:doc|document|file)?_?ids?|(?:doc|document|file)_?names)(?:[^a-z].*)?", re.IGNORECASE
)
_TEXT_NAMES = {"src", "source", "sources", "docs", "documents", "texts", "abstracts"}
_WITH_DIGIT = re.compile(r"[^\s\d]*\d\S*")
_TITLE_ENDS = re.compile(r" (?:\[sep\]|<eos>) ", re.IGNORECASE)
#: Endings of files that are a table, or one document each.
_OTHERS = (".csv", ".tsv", ".annif", *document_files.KEYS, *document_texts.ENDINGS)


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim lists beside a file of ids or of texts with as many lines, titled texts, and subjects with their labels."""
    subjects = [file for file in files if _share(file, _text_and_uris) >= 0.9]
    labels = [file for file in files if file not in subjects and document_files.line_of([file]) == "subject"]
    if len(subjects) == len(labels) == 1 and role != "system":
        return [_recognition((subjects[0], labels[0]), "subjects", role)]
    files = [file for file in files if _is_plain(file)]
    if role == "documents":
        named = [_recognition((file,), "ids", role) for file in files if _IDS.fullmatch(file.stem)]
        return [*named, *(_recognition((file,), "texts", role) for file in files if _are_titled(file))]
    lists = [file for file in files if _are_lists(file)] if len(files) > 1 else []
    if all(_are_rows(file.sample) for file in lists):
        return []
    size = len(lists[0].lines)
    rest = [(_beside(file, size), file) for file in files if file not in lists]
    found = [_recognition((file,), what, role) for what in ("ids", "texts") for other, file in rest if other == what]
    return [*(_recognition((file,), "lists", role) for file in lists), *found] if found else []


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise phrases split at semicolons in at least half of the lines, texts by their titles, ids by the name."""
    if not file.sample or begins_like_json(file.json):
        return None
    what, said = file.mapping.switch("lines"), file.mapping.format == NAME
    guesses = {
        "subjects": role != "system" and _share(file, _text_and_uris) >= 0.9,
        "ids": role in (None, "documents") and bool(_IDS.fullmatch(file.stem)) and _is_plain(file),
        "texts": role == "documents" and (said or _are_titled(file)),
        "lists": role != "documents" and (said or _are_lists(file)),
    }
    what = what or next((guess for guess, fits in guesses.items() if fits), "")
    return _recognition((file,), what, role) if what else None


def _share(file: File, fits: Callable[[str], object]) -> float:
    return sum(bool(fits(line)) for line in file.sample) / max(len(file.sample), 1)


def _text_and_uris(line: str) -> tuple[str, list[str]] | None:
    text, _, uris = line.rpartition("\t")
    return (text, re.findall(r"<([^<>\s]+)>", uris)) if text.strip() and URIS.fullmatch(uris) else None


def _is_plain(file: File) -> bool:
    """Tell a file whose lines have no ids of their own."""
    if file.suffix in _OTHERS or not file.sample or begins_like_json(file.json):
        return False
    own = document_lines.recognise(file, None)
    return own is None or own.strength == Strength.PROPOSED


def _are_lists(file: File) -> bool:
    """Tell lists: several lines, half of them with a semicolon, none with a TAB, and no ids."""
    lines = file.sample
    split = sum(";" in line for line in lines)
    short = sum(map(len, map(str.split, lines))) <= 12 * sum(line.count(";") + 1 for line in lines)
    return len(lines) > 1 and split * 2 >= len(lines) and short and not any("\t" in line for line in lines)


def _are_titled(file: File) -> bool:
    return _share(file, _TITLE_ENDS.search) >= 0.8


def _beside(file: File, size: int) -> str | None:
    """Tell what a file is beside lists: ids, or texts that are as many or named so; None if it is neither."""
    lines = file.lines
    single = len(lines) == size and len(set(lines)) == size and all(map(_WITH_DIGIT.fullmatch, lines))
    if _IDS.fullmatch(file.stem) or single:
        return "ids"
    named = bool(_TEXT_NAMES & set(re.split(r"[^a-z]+", file.stem.lower())))
    fits = (len(lines) == size or named) and document_texts.are_prose([file])
    return "texts" if fits or _are_titled(file) else None


def _recognition(files: tuple[File, ...], what: str, role: Role | None) -> Recognition:
    file = files[0]
    options = {**dict(file.mapping.switches), "lines": what}
    if what in ("texts", "ids"):
        said = "texts, one a line" if what == "texts" else "ids of documents, one a line"
        return Recognition(NAME, "documents", files, f"{counted(len(file.lines), 'line')}: {said}", {}, options)
    if what == "subjects":
        labels = f"; labels from {files[1].name}" if len(files) > 1 else ""
        evidence = f"text, TAB, URIs in each line, which is a document{labels}"
        return Recognition(NAME, role or "gold", files, evidence, {}, options, strength=Strength.MARKS)
    split = sum(";" in line for line in file.sample)
    shown = part_of(split, len(file.sample), "first line", "is", "are")
    evidence = f"{shown} keyphrases split at `;`; each line is a document without a name"
    # Nothing else has the border between present and absent keyphrases.
    border = any("<peos>" in line for line in file.sample)
    own = document_lines.recognise(file, None)
    weak = _are_rows(file.sample) or (own is not None and own.strength > Strength.PROPOSED)
    strength = Strength.MARKS if border else Strength.PROPOSED if weak else Strength.CONTENT
    return Recognition(NAME, role or "gold", files, evidence, {}, options, guessed=role is None, strength=strength)


def _are_rows(lines: Sequence[str]) -> bool:
    """Tell whether lines could be rows of a table: a header, as many cells in each, or a column of one kind."""
    widths = {len(row) for row in csv.reader(lines)}
    heads = re.split(r"[\t,;|]", lines[0])
    if all(map(is_known, heads)) or sum(map(is_known, heads)) > 1 or (len(widths) == 1 and widths != {1}):
        return True
    rows = list(csv.reader(lines, delimiter=";"))
    if len({len(row) for row in rows}) > 1 or any("<peos>" in line for line in lines):
        return False
    columns = list(zip(*rows, strict=True))
    below = 1 if len(rows) > 2 else 0  # the first row may be a header
    if below and all(map(_is_code, rows[0])) and not any(map(_is_code, (cell for row in rows[1:] for cell in row))):
        return True
    return len(columns) == 2 or any(_is_column(c[below:]) or len(set(c)) * 2 <= len(c) for c in columns)


def _is_code(cell: str) -> bool:
    return bool(re.search(r"\d", cell))


def _is_column(cells: Sequence[str]) -> bool:
    """Tell the cells of a column, all of them numbers or codes, or most of them lists, from phrases of equal rank."""
    split = max(sum(mark in cell for cell in cells) for mark in ("|", " / ", ", "))
    return all(map(_is_code, cells)) or split * 2 >= len(cells)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read line n as document n; a blank line is an empty list."""
    file, what = recognition.files[0], recognition.options["lines"]
    if what == "ids":
        return [_ids(file)]
    if what == "subjects":
        return _subjects(recognition)
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
    return replace(document_rows({"doc_id": ids}), counted=len(ids), only_ids=True)


def _texts(file: File) -> Rows:
    titles, texts = zip(*map(title_and_body, file.lines), strict=True)
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    return document_rows({"doc_id": numbers, "title": titles, "text": [text.strip() for text in texts]})


def _subjects(recognition: Recognition) -> list[Rows]:
    """Read a text and its URIs a line; phrases are the labels of a vocabulary, or without one the URIs themselves."""
    file, *vocabulary = recognition.files
    known = [document_files.subject(line) for named in vocabulary for line in named.lines]
    labels = {fields[1]["concept"]: fields[0] for fields in known if fields is not None}
    builder = ListBuilder("gold", file.limits)
    texts: dict[str, str] = {}
    without = 0
    for place, line in enumerate(file.lines, 1):
        found = _text_and_uris(line)
        if not line.strip():
            builder.skip()
        elif found is None:
            builder.reject(file.name, place, "no text, TAB and URIs", line[:200])
        else:
            texts[str(place)] = found[0]
            builder.open(str(place), file=file.name, line=place)
            for uri in found[1]:
                without += uri not in labels
                builder.add(labels.get(uri, uri), concept=uri)
    message = "There are no ids; the line numbers are the ids."
    if without:
        message = f"URIs without a label are the phrases themselves: {without:,}. {message}"
    builder.say("warning", file.name, message)
    beside = document_rows({"doc_id": list(texts), "text": list(texts.values())}, list(map(int, texts)))
    return [beside] if recognition.role == "documents" else [builder.rows(), beside]


def _lists(file: File, recognition: Recognition) -> Rows:
    builder = ListBuilder(recognition.role, recognition.files[0].limits)
    literal = recognition.role != "gold" or recognition.options.get("variants") == "literal"
    marks: Counter[str] = Counter()
    varied = 0
    for number, line in enumerate(file.lines, 1):
        builder.open(str(number), file=file.name, line=number)
        if "<" not in line and (literal or "|" not in line):
            builder.split(line)
            continue
        for item in builder.pieces(line):
            marks.update(mark for mark in ("<peos>", "<digit>", "<unk>") if mark in item)
            if item == "<peos>":
                continue
            varied += builder.add_spellings(item, "|" if not literal else "")
    if border := marks.pop("<peos>", 0):
        message = f"Marks `<peos>` between present and absent keyphrases, which were left out: {border:,}."
        builder.say("info", file.name, message)
    for mark, count in marks.items():
        message = f"The mark `{mark}`, which stands for something unknown, is part of phrases: {count:,}."
        builder.say("warning", file.name, message)
    if varied:
        message = f"Keyphrases with several spellings, split at `|`: {varied:,}. Choose variants = literal to keep `|`."
        builder.say("info", file.name, message)
    return builder.rows()
