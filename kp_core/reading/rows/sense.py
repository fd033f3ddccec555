"""Find suspicious content in the data read, and propose answers that would correct it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, memoize
from kp_core.errors import Note, pluralize
from kp_core.reading.meaning.fields import KNOWN, plain
from kp_core.reading.meaning.layout import Recognition
from kp_core.reading.meaning.mapping import ROW, Mapping
from kp_core.reading.meaning.question import FIELDS, Finding, Form, Level, Question, Reply, form_of
from kp_core.reading.open.values import is_number
from kp_core.reading.rows.check import Part, phrases_by_document
from kp_core.reading.rows.identifiers import WORDS, applied, sources, suggestions

#: Number of distinct values examined, and the minimum for a finding.
_MAX_ROWS, _MIN_ROWS = 500, 5
#: Maximum numbers of words and characters of a phrase.
_WORDS, _CHARACTERS = 12, 100
_ADDRESS = re.compile(r"<?(?:https?://|www\.|mailto:)\S+|[^\s@]+@[^\s@]+\.[a-z]+", re.IGNORECASE)
_DECIMAL, _ARXIV = re.compile(r"-?\d+[.,]\d+(?:e-?\d+)?", re.IGNORECASE), re.compile(r"\d{4}\.\d{4,5}(?:v\d+)?")


def _is_sentence(text: str) -> bool:
    return len(text.split()) > _WORDS or len(text) > _CHARACTERS


#: Kinds of values that phrases or ids rarely have, each with a test of a value.
_NO_PHRASES: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("numbers", is_number),
    ("addresses", _ADDRESS.fullmatch),
    ("as long as sentences", _is_sentence),
    ("followed by a number", re.compile(r".+(?:\((?:0?\.\d+|1\.0*)\)|[:=] ?(?:0?\.\d+|1\.0*))").fullmatch),
    ("marked up as HTML", re.compile(r"</?[a-z][^<>]*>|&(?:[a-z]+|#[0-9]+);", re.IGNORECASE).search),
    ("written as a program writes them", re.compile(r"[(\[{]+['\"].*|.*['\"][)\]}]+", re.DOTALL).fullmatch),
)
_NO_IDS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("decimal numbers", lambda doc_id: _DECIMAL.fullmatch(doc_id) and not _ARXIV.fullmatch(doc_id)),
    ("texts", lambda doc_id: _is_sentence(doc_id) and " " in doc_id),
    ("written as a program writes them", re.compile(r"[(\[{]+['\"].*", re.DOTALL).fullmatch),
)


def doubt_of(part: Part, recognition: Recognition) -> Finding | Form | None:
    """Return a finding or form if phrases or ids of a file are implausible, unless the user named its columns."""
    exported = any(layout.proposal.is_ours for layout in recognition.layouts)
    if part.mapping.as_read or part.mapping.names_columns or part.role not in ("gold", "system") or exported:
        return None
    file = recognition.files[0]
    sentences = plain(recognition.columns.get("phrase", "")) == "sentence"
    for column, tests in (("phrase", _NO_PHRASES), ("doc_id", _NO_IDS)):
        values = _first_values(part.table[column])
        for kind, matches in tests:
            invalid = [value for value in values if matches(value)]
            # Addresses in angle brackets are concepts.
            bracketed = kind == "addresses" and invalid and f"<{invalid[0].strip('<>')}>".encode() in file.source.data
            is_intended = sentences if kind == "as long as sentences" else bracketed
            if len(values) >= _MIN_ROWS and len(invalid) * 2 > len(values) and not is_intended:
                noun, field = ("phrases", "keyphrases") if column == "phrase" else ("ids of documents", "document")
                found = f"{noun} that are {kind}, such as “{invalid[0][:60]}”"
                return _ask(part, recognition, found, "keyphrases" if column == "phrase" else "ids", field)
    headed = any(layout.table.header for layout in recognition.layouts)
    at_top = part.places is None and len(part.table) and part.line(0) == 1 and not headed
    if at_top and (row := _odd_first_row(part)):
        found = f"a first row that is unlike the others (“{' | '.join(row.values())[:60]}”)"
        columns: dict[str, Any] = {"document": row.get("doc_id", ROW), "keyphrases": row["phrase"]}
        with_head = replace(file.mapping, format="F10", header="yes", **columns)
        return _ask(part, recognition, found, "column names or a row of data", "header", with_head)
    return None


def _first_values(column: pa.ChunkedArray) -> list[str]:
    values = pc.unique(column.slice(0, 20 * _MAX_ROWS)).slice(0, _MAX_ROWS)
    return [str(value) for value in values.to_pylist()]


def _ask(
    part: Part, recognition: Recognition, found: str, expected: str, field: str, mapping: Mapping | None = None
) -> Finding | Form:
    """Ask for the meaning of a table in a form; for any other file, ask whether it was read as intended."""
    file = recognition.files[0]
    if recognition.layouts:
        form = form_of(recognition, found)
        unused = [name for name in form.columns if name not in form.mapping.columns]
        changes: dict[str, Any] = {field: unused[0]} if unused else {}
        proposed = mapping or replace(form.mapping, **changes)
        return replace(form, reason=f"It has {found}.", missing=(FIELDS[field],), mapping=proposed)
    keep_as_read = (Reply("this is meant", {file.name: replace(file.mapping, as_read=True)}),)
    has_header = (Reply("row 1 has the column names", {file.name: mapping}),) if mapping else ()
    leave_out = Reply("leave the file out", {file.name: Mapping("leave out")})
    return Finding("ask", part.file, found, expected, (*has_header, *keep_as_read, leave_out))


def _odd_first_row(part: Part) -> dict[str, str]:
    table = part.table
    lengths = [] if part.lists is None or not part.counted else part.lists["length"].tolist()
    if len(lengths) > 2 and lengths[0] == 1 < min(lengths[1:]):
        return {"phrase": table["phrase"][0].as_py()}
    first_row = {name: table[name][0].as_py() for name in ("doc_id", "phrase")}
    if pc.sum(pc.equal(table["doc_id"], first_row["doc_id"])).as_py() > 1:
        return {}
    others = [value for value in _first_values(table["doc_id"]) if value != first_row["doc_id"]]
    numbered = all(re.search(r"\d", other) for other in others) and re.fullmatch(r"[^\W\d_]{2}\D*", first_row["doc_id"])
    odd = len(others) > 2 and (numbered or plain(first_row["doc_id"]) in KNOWN)
    return first_row if odd else {}


def findings(corpus: Corpus) -> tuple[Finding, ...]:
    """Return findings that make results meaningless, such as sides with few common documents, and their remedies."""
    return memoize(corpus, "findings", None, lambda: (*_disjoint_sides(corpus), *shifted(corpus)))


def _disjoint_sides(corpus: Corpus) -> list[Finding]:
    sources_by_side = sources(corpus) if len(corpus.gold) else {}
    gold = set().union(*sources_by_side.get("gold", {}).values())
    notes = []
    for name, ids in {**sources_by_side.get("systems", {}), **sources_by_side.get("texts", {})}.items() if gold else ():
        n_common, is_system = len(gold & set(ids)), name in corpus.systems
        # Texts may be missing for some documents, but missing lists of systems are scored as empty.
        if n_common * 2 >= len(gold) or (n_common and not is_system):
            continue
        level: Level = "stop" if not n_common and is_system else "warn"
        noun = "lists" if is_system else "texts"
        example_ids = f" (“{min(gold)[:40]}”, where {name} has “{min(ids)[:40]}”)" if ids and not n_common else ""
        message = f"{noun} for {n_common:,} of {pluralize(len(gold), 'document')} of the gold standard{example_ids}"
        notes.append(Finding(level, name, message, f"{noun} for most of them", _replies(corpus, gold, ids)))
    return notes


def shifted(corpus: Corpus) -> list[Finding]:
    """Find systems whose lists match keyphrases of the next or previous document, as if a line were missing."""
    documents = list(dict.fromkeys(corpus.gold["doc_id"].head(20 * _MAX_ROWS)))[:_MAX_ROWS]
    if len(documents) < _MIN_ROWS or not corpus.systems:
        return []
    shifts = []
    gold, runs = (table[table["doc_id"].isin(documents)] for table in (corpus.gold, corpus.runs))
    expected_lists = list(phrases_by_document(gold["doc_id"], gold["phrase"]).values())
    for name, rows in runs.groupby("system", sort=False):
        phrases = phrases_by_document(rows["doc_id"], rows["phrase"])
        lists = [phrases.get(doc_id, set()) for doc_id in documents]
        n_in_place = _count_matches(lists, expected_lists)
        beside = {"next": (lists, expected_lists[1:]), "previous": (lists[1:], expected_lists)}
        for neighbor, matches in ((name, _count_matches(*pair)) for name, pair in beside.items()):
            if matches * 2 >= len(documents) and n_in_place * 10 <= matches:
                counts = f"of the {neighbor} document ({matches:,} of them), not of their own ({n_in_place:,})"
                shift = f"lists that match keyphrases {counts}, as if shifted by one line"
                shifts.append(Finding("warn", str(name), shift, "lists in the order of the gold standard"))
    return shifts


def _count_matches(lists: Sequence[set[str]], expected_lists: Sequence[set[str]]) -> int:
    return sum(not phrases.isdisjoint(expected) for phrases, expected in zip(lists, expected_lists, strict=False))


def _replies(corpus: Corpus, gold: set[str], ids: Sequence[str]) -> tuple[Reply, ...]:
    answers = []
    for fixes in (tuple(joined.split(",")) for joined in dict.fromkeys(suggestions(corpus)["fix"])):
        fixed = ((doc_id, applied(fixes, doc_id)) for doc_id in (*ids, *sorted(gold)))
        if example := next((f"“{old}” → “{new}”" for old, new in fixed if new != old), ""):
            answers.append(Reply(" and ".join(WORDS[name] for name in fixes), fixes=fixes, example=example))
    return tuple(answers)


def notes(corpus: Corpus) -> list[Note]:
    """Return the findings as warnings to show with every number."""
    warnings = ((finding.where, f"There are {finding.found}. {finding.remedy}") for finding in findings(corpus))
    return [Note("warning", where, message) for where, message in warnings]


def refuse_apart(corpus: Corpus) -> None:
    """Raise a Question if no system has a list for any document of the gold standard."""
    stops = [finding for finding in findings(corpus) if finding.level == "stop"]
    if stops and len(stops) == len(corpus.systems):
        raise Question(stops[0])
