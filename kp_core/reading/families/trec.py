"""F8: TREC qrels and run files become keyphrases with grades, and ranked lists in the order of their scores."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import Note, counted, part_of
from kp_core.reading.escape import unescape
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.lists import number, text_column

NAME = "F8"
TITLE = "TREC qrels, and runs: `doc Q0 phrase rank score tag`"
EXAMPLE = "d1 0 tide%20table 2\nd1 0 harbour 1"
OPTIONS = {"underscore": ("kept", "space")}
_FIELD = re.compile(r"[^ \t\v\f]+")
_ITERATION = re.compile(r"\d+|Q0")
_QRELS, _RUN = ("doc_id", "source", "phrase", "relevance"), ("doc_id", "Q0", "phrase", "rank", "score", "source")


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise `doc 0 phrase grade` or `doc Q0 phrase rank score tag` in at least 80 % of the first 200 lines."""
    if len(files) != 1 or role in ("documents", "judgements"):
        return None
    sample = [_FIELD.findall(line) for line in files[0].sample]
    named = files[0].suffix == ".qrels"  # only under this name may annotators stand where the iteration does
    for kind, fits in (("gold", _is_qrel), ("system", _is_run)):
        fitting = sum(fits(fields, named) for fields in sample)
        if role in (None, kind) and fitting and fits(sample[0], named) and fitting >= 0.8 * len(sample):
            shown = "doc 0 phrase grade" if kind == "gold" else "doc Q0 phrase rank score tag"
            evidence = f"{part_of(fitting, len(sample), 'first line', 'is', 'are')} `{shown}`"
            guess: Role = "gold" if kind == "gold" else "system"
            return Recognition(NAME, guess, tuple(files), 0.92, evidence, {}, dict(choice.options))
    return None


def _is_qrel(fields: list[str], named: bool) -> bool:
    return len(fields) == 4 and number(fields[3]) % 1 == 0 and (named or bool(_ITERATION.fullmatch(fields[1])))


def _is_run(fields: list[str], named: bool) -> bool:
    return len(fields) == 6 and fields[1].upper() == "Q0" and number(fields[3]) % 1 == 0 and number(fields[4]) < np.inf


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one phrase a line; `%XX` is decoded where all of it is valid."""
    file = recognition.files[0]
    names = _QRELS if recognition.role == "gold" else _RUN
    rows = Rows(recognition.role, pa.table({}))
    lines: list[int] = []
    fields: list[list[str]] = []
    for place, line in enumerate(file.lines, 1):
        found = _FIELD.findall(line)
        if len(found) == len(names):
            lines.append(place)
            fields.append(found)
        elif found:
            reason = f"{counted(len(found), 'field')} instead of {len(names)}"
            rows.rejected.append((file.name, place, reason, line[:200]))
        else:
            rows.blank += 1
    columns = dict(zip(names, map(list, zip(*fields, strict=True)), strict=True)) if fields else {n: [] for n in names}
    _decode(columns, rows, file.name, recognition.options.get("underscore") == "space")
    order = _graded(columns) if recognition.role == "gold" else _ranked(columns, rows, file.name)
    rows.lines = [lines[place] for place in order]
    arrays = {}
    for name, values in columns.items():
        arrays[name], bad = text_column([values[place] for place in order])
        rows.marked |= dict.fromkeys(bad, "half a character (a lone surrogate) that cannot be stored")
    rows.table = pa.table(arrays)
    return [rows]


def _decode(columns: dict[str, list[str]], rows: Rows, file: str, underscore: bool) -> None:
    """Undo the escaping of ids, phrases and names, all or none of it."""
    # A name of an annotator stands in the second column of qrels; a plain iteration there names nobody.
    plain = rows.role == "gold" and all(_ITERATION.fullmatch(name) for name in columns["source"])
    if plain:
        del columns["source"]
    names = [name for name in ("doc_id", "phrase", "source") if name in columns]
    distinct = {value for name in names for value in columns[name]}
    decoded = {value: unescape(value) for value in distinct if "%" in value}
    if decoded and None not in decoded.values():
        for name in names:
            columns[name] = [decoded.get(value) or value for value in columns[name]]
        one, several = "id, phrase or name with `%XX` was decoded.", "ids, phrases and names with `%XX` were decoded."
        rows.notes.append(Note.counting("info", file, len(decoded), one, several))
    elif decoded:
        rows.notes.append(Note("info", file, "A `%` stands where it codes nothing, so `%XX` was left as it is."))
    phrases = columns["phrase"]
    if underscore:
        columns["phrase"] = [phrase.replace("_", " ") for phrase in phrases]
    elif any("_" in phrase for phrase in phrases) and not any(" " in phrase for phrase in phrases):
        message = "Phrases hold `_` and no blank; if `_` stands for a blank, choose the option underscore = space."
        rows.notes.append(Note("warning", file, message))


def _graded(columns: dict[str, list[str]]) -> Sequence[int]:
    """Drop grades that are 1 throughout: a binary standard has none."""
    if all(number(grade) == 1 for grade in columns["relevance"]):
        del columns["relevance"]
    return range(len(columns["phrase"]))


def _ranked(columns: dict[str, list[str]], rows: Rows, file: str) -> Sequence[int]:
    """Put every list in the order of its scores, as TREC tools do; scores that count down to 1 say the order only."""
    score = np.array([number(value) for value in columns["score"]], dtype=np.float64)
    rank = np.array([number(value) for value in columns["rank"]], dtype=np.float64)
    keys = list(zip(columns["source"], columns["doc_id"], strict=True))
    numbers: dict[tuple[str, str], int] = {}
    group = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    order = np.lexsort((rank, -score, group))
    against = (np.diff(rank[order]) < 0) & (np.diff(group[order]) == 0)
    if against.any():
        lists = len(np.unique(group[order][1:][against]))
        rest = "TREC tools follow the scores, and so does this."
        one, several = f"list has ranks against its scores; {rest}", f"lists have ranks against their scores; {rest}"
        rows.notes.append(Note.counting("warning", file, lists, one, several))
    size = np.bincount(group, minlength=len(numbers))
    left = np.repeat(np.cumsum(size), size) - np.arange(len(order))
    if np.array_equal(score[order], left):
        del columns["score"]
    del columns["rank"], columns["Q0"]
    return [int(place) for place in order]
