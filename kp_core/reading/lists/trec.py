"""Turn TREC qrels and run files into keyphrases with grades, and ranked lists in the order of their scores."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from kp_core.reading.open.decode import split_lines
from kp_core.reading.open.values import floats, number, text_column
from kp_core.reading.rows.check import Rows

_TABS = r"\s*\t\s*"
_ITERATION = re.compile(r"\d+|Q0")
_QRELS, _RUN = ("doc_id", "source", "phrase", "relevance"), ("doc_id", "Q0", "phrase", "rank", "score", "source")
#: How a line with fields between blanks and TABs begins: with words of a phrase, a number would be out of its place.
_FORMS = {4: r"^\S+\s+(?:\d+|Q0)\s", 6: r"^\S+\s+[Qq]0\s+\S+\s+[-+]?\d+\s"}
#: So many characters are split at once: as Python strings a large file would take thirty times its size.
_BLOCK = 4_000_000


def _recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise `doc 0 phrase grade` or `doc Q0 phrase rank score tag` in at least 80% of the first 200 lines."""
    if role == "documents":
        return None
    named = file.suffix == ".qrels"  # only under this name may annotators stand where the iteration does
    for kind, fits, size in (("gold", _is_qrel, len(_QRELS)), ("system", _is_run, len(_RUN))):
        sample = _fields(_trimmed(file.sample), size).to_pylist()
        fitting = sum(fits(fields, named) for fields in sample)
        if role in (None, kind) and fitting and fits(sample[0], named) and fitting >= 0.8 * len(sample):
            shown = "doc 0 phrase grade" if kind == "gold" else "doc Q0 phrase rank score tag"
            evidence = f"{part_of(fitting, len(sample), 'first line', 'is', 'are')} `{shown}`"
            guess: Role = "gold" if kind == "gold" else "system"
            # Six such fields in every line, or the name, leave no doubt, whatever else a quote or bar may look like.
            strength = Strength.MARKS if fitting == len(sample) else Strength.NAMES
            return Recognition("F8", guess, (file,), evidence, {}, dict(file.mapping.switches), strength=strength)
    return None


def is_trec(file: File) -> bool:
    """Distinguish qrels and runs from other lines with blanks."""
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


def _trimmed(lines: list[str]) -> pa.Array:
    return pc.ascii_trim_whitespace(pa.array(lines, pa.large_string()))


def _fields(lines: pa.Array, size: int) -> pa.Array:
    """Split each line by itself, at runs of TABs if these give the right number of fields, else at any blanks.

    Between TABs, phrases may have several words. What has more fields than `size` has the rest as one more.
    """
    tabbed = pc.match_substring(lines, "\t")
    if not pc.any(tabbed).as_py():
        return pc.ascii_split_whitespace(lines, max_splits=size)
    fields = pc.split_pattern_regex(lines, _TABS, max_splits=size)
    count = pc.list_value_length(fields)
    fits = pc.equal(count, size) if size == len(_QRELS) else pc.greater_equal(count, size)
    blanks = pc.or_(pc.invert(tabbed), pc.and_(pc.invert(fits), pc.match_substring_regex(lines, _FORMS[size])))
    return pc.if_else(blanks, pc.ascii_split_whitespace(lines, max_splits=size), fields)


def _is_qrel(fields: list[str], named: bool) -> bool:
    return len(fields) == 4 and number(fields[3]) % 1 == 0 and (named or bool(_ITERATION.fullmatch(fields[1])))


def _is_run(fields: list[str], named: bool) -> bool:
    return len(fields) > 5 and fields[1].upper() == "Q0" and number(fields[3]) % 1 == 0 and number(fields[4]) < np.inf


def _read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one phrase a line; `%XX` is decoded where all of it is valid, and words after the tag are no part of it."""
    file, gold = recognition.files[0], recognition.role == "gold"
    names = _QRELS if gold else _RUN
    rows = Rows(recognition.role, pa.table({}), 0)
    places, blocks, begun, longer = [np.zeros(0, np.int64)], [], 1, 0
    for block in _blocks(file):
        lines = _trimmed(block)
        fields = _fields(lines, len(names))
        count = np.where(pc.equal(lines, ""), 0, pc.list_value_length(fields))
        fits = (count == len(names)) | ((count > len(names)) & (not gold))
        for place in np.flatnonzero(~fits & (count > 0)):
            parts = re.split(_TABS, block[place].strip()) if "\t" in block[place] else block[place].split()
            reason = f"{pluralize(len(parts), 'field')} instead of {len(names)}"
            rows.rejected.append((file.name, begun + int(place), reason, block[place][:200]))
        rows.blank += int((count == 0).sum())
        longer += int((fits & (count > len(names))).sum())
        places.append(begun + np.flatnonzero(fits))
        fields = fields.filter(pa.array(fits))
        blocks.append([pc.list_element(fields, place) for place in range(len(names))])
        begun += len(block)
        rows.read += len(block)
    columns = {
        name: pa.chunked_array([block[place] for block in blocks], pa.large_string()).combine_chunks()
        for place, name in enumerate(names)
    }
    if longer:
        one, several = "line has words after its tag", "lines have words after their tag"
        rest = ", which TREC tools leave out, and so does this."
        rows.notes.append(Note.counting("info", file.name, longer, one + rest, several + rest))
    _decode(columns, rows, file.name, recognition.options.get("underscore") == "space")
    order = _graded(columns) if gold else _ranked(columns, rows, file.name)
    rows.lines = np.concatenate(places)[order]
    rows.table = pa.table({name: column.take(pa.array(order)) for name, column in columns.items()})
    return [rows]


def _blocks(file: File) -> Iterator[list[str]]:
    """Give the lines of a file, many at a time."""
    file.refuse_long_lines()
    text, start = file.text, 0
    refuse_over(file.limits.rows, text.count("\n"), "lines", file.name)
    while start < len(text):
        stop = text.find("\n", start + _BLOCK) + 1 or len(text)
        yield split_lines(text[start:stop])
        start = stop


def _decode(columns: dict[str, pa.Array], rows: Rows, file: str, underscore: bool) -> None:
    """Undo the escaping of ids, phrases and names, all or none of it."""
    # A name of an annotator stands in the second column of qrels; a plain iteration there names nobody.
    if rows.role == "gold" and all(_ITERATION.fullmatch(name) for name in pc.unique(columns["source"]).to_pylist()):
        del columns["source"]
    coded = {name: columns[name].dictionary_encode() for name in ("doc_id", "phrase", "source") if name in columns}
    count = {name: pc.sum(pc.match_substring(one.dictionary, "%")).as_py() or 0 for name, one in coded.items()}
    decoded = {name: _unescaped(coded[name].dictionary) for name, some in count.items() if some}
    if any(values is None for values in decoded.values()):
        rows.notes.append(Note("info", file, "A `%` stands where it codes nothing, so `%XX` was left as it is."))
    elif decoded:
        columns |= {name: values.take(coded[name].indices) for name, values in decoded.items() if values is not None}
        one, several = "id, phrase or name with `%XX` was decoded.", "ids, phrases and names with `%XX` were decoded."
        rows.notes.append(Note.counting("info", file, sum(count.values()), one, several))
    phrases = columns["phrase"]
    if underscore:
        columns["phrase"] = pc.replace_substring(phrases, "_", " ")
    elif pc.any(pc.match_substring(phrases, "_")).as_py() and not pc.any(pc.match_substring(phrases, " ")).as_py():
        message = "Phrases contain `_` but no blanks; if `_` means a blank, choose underscore = space."
        rows.notes.append(Note("warning", file, message))


def _unescaped(values: pa.Array) -> pa.Array | None:
    """Return texts decoded; None if some `%` codes nothing, or half a character."""
    coded = pc.match_substring(values, "%")
    array, halves = text_column([unescape(text) for text in values.filter(coded).to_pylist()])
    return None if array.null_count or halves else pc.replace_with_mask(values, coded, array)


def _graded(columns: dict[str, pa.Array]) -> npt.NDArray[np.int64]:
    """Drop grades that are 1 throughout: a binary standard has none."""
    if all(number(grade) == 1 for grade in pc.unique(columns["relevance"]).to_pylist()):
        del columns["relevance"]
    return np.arange(len(columns["phrase"]))


def _ranked(columns: dict[str, pa.Array], rows: Rows, file: str) -> npt.NDArray[np.int64]:
    """Put every list in the order of its scores, as TREC tools do; scores that count down to 1 say the order only."""
    score, rank = (floats(pa.chunked_array([columns[name]]))[0] for name in ("score", "rank"))
    source, doc_id = (columns[name].dictionary_encode() for name in ("source", "doc_id"))
    keys = source.indices.to_numpy().astype(np.int64) * (len(doc_id.dictionary) + 1) + doc_id.indices.to_numpy()
    group, lists = pd.factorize(keys)
    order = np.lexsort((rank, -score, group))
    against = (np.diff(rank[order]) < 0) & (np.diff(group[order]) == 0)
    if against.any():
        number_of_lists = len(np.unique(group[order][1:][against]))
        rest = "TREC tools follow the scores, and so does this."
        singular = f"list has ranks that contradict its scores; {rest}"
        several = f"lists have ranks that contradict their scores; {rest}"
        rows.notes.append(Note.counting("warning", file, number_of_lists, singular, several))
    size = np.bincount(group, minlength=len(lists))
    left = np.repeat(np.cumsum(size), size) - np.arange(len(order))
    if np.array_equal(score[order], left):
        del columns["score"]
    del columns["rank"], columns["Q0"]
    return order


FAMILIES = (
    Family("F8", "TREC qrels, and runs: `doc Q0 phrase rank score tag`", _recognise, _read, OPTIONS=("underscore",)),
)
