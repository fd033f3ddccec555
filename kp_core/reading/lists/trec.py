"""Read TREC qrels as keyphrases with grades, and runs as lists ranked by their scores."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import Note, part_of, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists.family import Family, File, Recognition, Strength
from kp_core.reading.open.values import floats, number, text_column
from kp_core.reading.rows.check import Rows

_TABS = r"\s*\t\s*"
_ITERATION = re.compile(r"\d+|Q0")
_QRELS, _RUN = ("doc_id", "source", "phrase", "relevance"), ("doc_id", "Q0", "phrase", "rank", "score", "source")
#: First fields of a line separated by blanks and TABs; words of a phrase would displace the number.
_FORMS = {4: r"^\S+\s+(?:\d+|Q0)\s", 6: r"^\S+\s+[Qq]0\s+\S+\s+[-+]?\d+\s"}


def _recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognize `doc 0 phrase grade` or `doc Q0 phrase rank score tag` in at least 80% of the first 200 lines."""
    if role == "documents":
        return None
    named = file.suffix == ".qrels"  # only then may annotators replace the iteration
    forms: tuple[tuple[Role, int, str], ...] = (
        ("gold", len(_QRELS), "doc 0 phrase grade"),
        ("system", len(_RUN), "doc Q0 phrase rank score tag"),
    )
    lines = pc.ascii_trim_whitespace(pa.array(file.sample, pa.large_string()))
    for kind, size, shown in forms:
        fits = [_fits(fields, kind, named) for fields in _fields(lines, size).to_pylist()]
        if role in (None, kind) and any(fits) and fits[0] and sum(fits) >= 0.8 * len(fits):
            evidence = f"{part_of(sum(fits), len(fits), 'first line', 'is', 'are')} `{shown}`"
            strength = Strength.MARKS if all(fits) else Strength.NAMES
            return Recognition("F8", kind, (file,), evidence, {}, dict(file.mapping.switches), strength=strength)
    return None


def is_trec(file: File) -> bool:
    """Return whether a file is a TREC qrels or run file."""
    return _recognise(file, None) is not None


def unescape(text: str) -> str | None:
    """Return the text that was escaped, or None if some `%` is not part of a valid `%XX`.

    >>> unescape("tide%20table"), unescape("50%")
    ('tide table', None)
    """
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        return None
    try:
        return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _fields(lines: pa.Array, size: int) -> pa.Array:
    """Split each line at runs of TABs if this gives the expected number of fields, else at any blanks.

    Between TABs, phrases may have several words. If a line has more than `size` fields, all further ones are joined
    into one.
    """
    tabbed = pc.match_substring(lines, "\t")
    if not pc.any(tabbed).as_py():
        return pc.ascii_split_whitespace(lines, max_splits=size)
    fields = pc.split_pattern_regex(lines, _TABS, max_splits=size)
    count = pc.list_value_length(fields)
    fits = pc.equal(count, size) if size == len(_QRELS) else pc.greater_equal(count, size)
    blanks = pc.or_(pc.invert(tabbed), pc.and_(pc.invert(fits), pc.match_substring_regex(lines, _FORMS[size])))
    return pc.if_else(blanks, pc.ascii_split_whitespace(lines, max_splits=size), fields)


def _fits(fields: list[str], kind: str, named: bool) -> bool:
    if kind == "gold":
        return len(fields) == 4 and number(fields[3]) % 1 == 0 and (named or bool(_ITERATION.fullmatch(fields[1])))
    return len(fields) > 5 and fields[1].upper() == "Q0" and number(fields[3]) % 1 == 0 and number(fields[4]) < np.inf


def _read(recognition: Recognition, role: Role | None) -> list[Rows]:
    file, gold = recognition.files[0], recognition.role == "gold"
    names = _QRELS if gold else _RUN
    file.refuse_long_lines()
    refuse_over(file.limits.rows, file.text.count("\n"), "lines", file.name)
    lines = pc.split_pattern_regex(pa.array([file.text], pa.large_string()), r"\r\n|\n|\r").flatten()
    lines = pc.ascii_trim_whitespace(lines)
    fields = _fields(lines, len(names))
    count = np.where(pc.equal(lines, ""), 0, pc.list_value_length(fields))
    fits = count == len(names)
    rows = Rows(recognition.role, pa.table({}), file.decoded.ends + (file.text[-1:] not in ("\n", "\r", "")))
    rows.lines, rows.blank = np.flatnonzero(fits) + 1, rows.read - int((count > 0).sum())
    for place in np.flatnonzero(~fits & (count > 0)):
        text = lines[place].as_py()
        parts = re.split(_TABS, text) if "\t" in text else text.split()
        reason = f"{pluralize(len(parts), 'field')} instead of {len(names)}"
        rows.rejected.append((file.name, int(place) + 1, reason, text[:200]))
    fields = fields.filter(pa.array(fits))
    columns = {name: pc.list_element(fields, place) for place, name in enumerate(names)}
    _decode(columns, rows, file.name, recognition.options.get("underscore") == "space")
    if not gold:
        order = _ranked(columns, rows, file.name)
        rows.lines = rows.lines[order]
        columns = {name: column.take(pa.array(order)) for name, column in columns.items()}
    elif all(number(grade) == 1 for grade in pc.unique(columns["relevance"]).to_pylist()):
        del columns["relevance"]  # the gold standard is binary
    rows.table = pa.table(columns)
    return [rows]


def _decode(columns: dict[str, pa.Array], rows: Rows, file: str, underscore: bool) -> None:
    """Decode `%XX` in ids, phrases and names, unless some `%` is not escaped."""
    # The second column of qrels contains annotators, unless it is a plain iteration number.
    if rows.role == "gold" and all(_ITERATION.fullmatch(name) for name in pc.unique(columns["source"]).to_pylist()):
        del columns["source"]
    coded = {name: columns[name].dictionary_encode() for name in ("doc_id", "phrase", "source") if name in columns}
    escaped = {name: pc.match_substring(column.dictionary, "%") for name, column in coded.items()}
    size = sum(pc.sum(mask).as_py() or 0 for mask in escaped.values())
    decoded = {
        name: text_column([unescape(text) for text in coded[name].dictionary.filter(mask).to_pylist()])
        for name, mask in escaped.items()
    }
    if any(values.null_count or halves for values, halves in decoded.values()):
        rows.notes.append(Note("info", file, "A `%` stands where it codes nothing, so `%XX` was left as it is."))
    elif size:
        for name, (values, _) in decoded.items():
            texts = pc.replace_with_mask(coded[name].dictionary, escaped[name], values)
            columns[name] = texts.take(coded[name].indices)
        one, several = "id, phrase or name with `%XX` was decoded.", "ids, phrases and names with `%XX` were decoded."
        rows.notes.append(Note.counting("info", file, size, one, several))
    phrases = columns["phrase"]
    if underscore:
        columns["phrase"] = pc.replace_substring(phrases, "_", " ")
    elif pc.any(pc.match_substring(phrases, "_")).as_py() and not pc.any(pc.match_substring(phrases, " ")).as_py():
        message = "Phrases contain `_` but no blanks; if `_` means a blank, choose underscore = space."
        rows.notes.append(Note("warning", file, message))


def _ranked(columns: dict[str, pa.Array], rows: Rows, file: str) -> npt.NDArray[np.int64]:
    """Return the order of rows by score in each list; remove scores that merely count down to 1."""
    score, rank = (floats(pa.chunked_array([columns[name]]))[0] for name in ("score", "rank"))
    source, doc_id = (columns[name].dictionary_encode() for name in ("source", "doc_id"))
    keys = source.indices.to_numpy().astype(np.int64) * (len(doc_id.dictionary) + 1) + doc_id.indices.to_numpy()
    group, lists = pd.factorize(keys)
    order = np.lexsort((rank, -score, group))
    against = (np.diff(rank[order]) < 0) & (np.diff(group[order]) == 0)
    if against.any():
        size = len(np.unique(group[order][1:][against]))
        rest = "TREC tools follow the scores, and so does this."
        singular = f"list has ranks that contradict its scores; {rest}"
        several = f"lists have ranks that contradict their scores; {rest}"
        rows.notes.append(Note.counting("warning", file, size, singular, several))
    sizes = np.bincount(group, minlength=len(lists))
    left = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(order))
    if np.array_equal(score[order], left):
        del columns["score"]
    del columns["rank"], columns["Q0"]
    return order


FAMILIES = (
    Family("F8", "TREC qrels, and runs: `doc Q0 phrase rank score tag`", _recognise, _read, OPTIONS=("underscore",)),
)
