"""Turn a workspace file, a zip of Parquet tables and one JSON manifest, back into the data and settings saved in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from kp_core.corpus import COLUMNS, TYPES, Corpus, LoadReport, Ranking, Reading, empty_table
from kp_core.errors import InputError, Note, UsageError
from kp_core.reading.families.parquet_tables import table_of
from kp_core.reading.family import File
from kp_core.reading.frame import TEXT, frame_of
from kp_core.reading.identifiers import id_fix
from kp_core.reading.json_text import is_json, parse_json
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source, expand

FORMAT, VERSION = "kpscope-workspace", 1
MANIFEST, ENDING = "kpscope.json", ".kpscope"
#: The tables of a file, each a member `<name>.parquet`; `ratings` has the columns of the judgements.
TABLES = {**COLUMNS, "rejected": ("file", "line", "reason", "content"), "ratings": COLUMNS["judgements"]}
_NEW = "Save the workspace again, or use another copy."

T = TypeVar("T")


@dataclass(frozen=True)
class Saved:
    """A workspace as it is kept in a file.

    title      what is on screen, in words
    signature  the settings as one line, for those who read the file
    query      the settings as the parameters of a link, beside those of the page that it was saved from
    names      systems that were given other names: name in the files → name on screen
    ratings    pairs rated in the app, as judgements
    version    the KPScope that wrote the file; empty if it is not written yet
    """

    corpus: Corpus
    title: str = ""
    signature: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    ratings: pd.DataFrame = field(default_factory=lambda: empty_table("judgements"))
    version: str = ""


def is_workspace_file(source: Source) -> bool:
    """Tell whether a file is a workspace file, by its name or by its first member.

    >>> is_workspace_file(Source("lectures.kpscope", b"")), is_workspace_file(Source("gold.csv", b"doc_id,phrase"))
    (True, False)
    """
    first = source.data[:4] == b"PK\x03\x04" and source.data[30:].startswith(MANIFEST.encode())
    return first or source.name.lower().endswith(ENDING)


def read_workspace(item: str | Path | Source, limits: Limits = LIMITS) -> Saved:
    """Return what a workspace file holds; raise `InputError` if it is damaged, altered, or of a newer format."""
    file = item.name if isinstance(item, Source) else Path(item).name
    try:
        members = {member.name: member.data for member in expand(item, limits).files}
    except InputError as error:
        raise InputError(file, error.found, "a whole workspace file", _NEW) from None
    if MANIFEST not in members:
        raise InputError(file, f"no member {MANIFEST}", "a workspace file of KPScope", _NEW)
    manifest = _Manifest(file, members.pop(MANIFEST), limits)
    manifest.check(members)
    tables = {name: _table(file, name, members[f"{name}.parquet"], limits) for name in TABLES}
    rejected, ratings = tables.pop("rejected"), tables.pop("ratings")
    report, settings = manifest.part("report", dict), manifest.part("settings", dict)
    try:
        readings = tuple(Reading(**{**one, "ignored": tuple(one["ignored"])}) for one in _got(report, "readings", list))
        notes = tuple(Note(**note) for note in _got(report, "notes", list))
        fixes = tuple(_got(report, "fixes", list))
        for fix in fixes:
            id_fix(fix)
        rankings = {name: Ranking(**one) for name, one in manifest.part("rankings", dict).items()}
        corpus = Corpus(**tables, rankings=rankings, report=LoadReport(readings, rejected, notes, fixes))
        saved = Saved(
            corpus,
            manifest.part("title", str),
            _got(settings, "signature", str),
            _got(settings, "query", dict),
            manifest.part("names", dict),
            ratings,
            manifest.part("kpscope", str),
        )
        _refuse_other_types([*readings, *notes, *rankings.values()])
        wrong = next(chain(_excesses(corpus, limits), _contradictions(saved)), "")
    except (KeyError, TypeError, AttributeError, UsageError):
        wrong = f"a {MANIFEST} that does not describe a workspace"
    if wrong:
        raise InputError(file, wrong, "tables that fit together", _NEW)
    return saved


def _got(part: Mapping[str, Any], name: str, kind: type[T]) -> T:
    value = part[name]
    if not isinstance(value, kind):
        raise TypeError(name)
    return value


def _refuse_other_types(records: Iterable[Reading | Note | Ranking]) -> None:
    """Raise TypeError where a field of a record is of another type than in any that was saved: a page would fail."""
    plain = {"str": str, "int": int, "bool": bool}
    for record in records:
        for field_ in fields(record):
            value = getattr(record, field_.name)
            kind = plain.get(str(field_.type), str)  # roles and levels are text
            if field_.name in ("columns", "ignored"):
                parts = [*value, *value.values()] if field_.name == "columns" else value
                fits = all(isinstance(part, str) for part in parts)
            else:
                fits = type(value) is kind if field_.compare else value is None
            if not fits:
                raise TypeError(field_.name)


class _Manifest:
    """The JSON member that says what the file is, which members belong to it, and what they must hold."""

    def __init__(self, file: str, data: bytes, limits: Limits) -> None:
        self.file = file
        try:
            parsed = parse_json(f"{file}: {MANIFEST}", data.decode("utf-8"), limits)
        except UnicodeDecodeError:
            parsed = None
        self.value: dict[str, Any] = parsed if is_json(parsed) and isinstance(parsed, dict) else {}
        if self.value.get("format") != FORMAT or not isinstance(self.value.get("version"), int):
            raise InputError(file, f"a {MANIFEST} of another kind", "a workspace file of KPScope", _NEW)
        if self.value["version"] > VERSION:
            found = f"format {self.value['version']}, written by KPScope {str(self.value.get('kpscope'))[:20]}"
            raise InputError(file, found, f"format {VERSION} or older", "Open it with a newer KPScope.")

    def part(self, name: str, kind: type[T]) -> T:
        """Return an entry of the manifest."""
        value = self.value.get(name)
        if not isinstance(value, kind):
            raise InputError(self.file, f"a {MANIFEST} without “{name}”", "every entry of the format", _NEW)
        return value

    def check(self, members: Mapping[str, bytes]) -> None:
        """Refuse members that are missing, that do not belong, or that are not what was saved."""
        listed = self.part("members", dict)
        wanted = {f"{name}.parquet" for name in TABLES}
        for name in sorted(wanted ^ set(members) | wanted ^ set(listed)):
            found = f"no member {name}" if name in wanted else f"a member {name[:60]} that does not belong"
            raise InputError(self.file, found, "the members of the format", _NEW)
        for name, data in members.items():
            if listed[name] != hashlib.sha256(data).hexdigest():
                found = f"another content of {name} than was saved: the file was altered or damaged"
                raise InputError(self.file, found, "the SHA-256 that the file names", _NEW)


def _table(file: str, name: str, data: bytes, limits: Limits) -> pd.DataFrame:
    """Return a table with the columns and types of the format; further columns follow."""
    table = table_of(File(Source(f"{file}: {name}.parquet", data), limits), list)
    frame = frame_of(pa.table(table.columns, table.names), ())
    for column in TABLES[name]:
        known, optional = column.rstrip("?"), column.endswith("?")
        if known == "variants" and known not in frame:
            continue
        fits = known in frame and frame[known].dtype == TYPES.get(known, TEXT)
        if not fits or not (optional or frame[known].notna().all()):
            found = f"the column {known} of {name}.parquet missing, of another type, or with gaps"
            raise InputError(file, found, "the columns of the format", _NEW)
    return frame


def _excesses(corpus: Corpus, limits: Limits) -> Iterator[str]:
    """Give what is over a limit; the rows of a table are counted before it is read."""
    gold, runs, documents = corpus.gold, corpus.runs, corpus.documents["doc_id"]
    sizes = [*gold.groupby(["annotator", "doc_id"]).size(), *runs["rank"]]
    longest = max((len(phrase) for table in (gold, runs) for phrase in table["phrase"].unique()), default=0)
    for size, limit, what in (
        (len(documents), limits.documents, "documents"),
        (max(sizes, default=0), limits.list_phrases, "phrases in one list"),
        (longest, limits.phrase_characters, "characters of a phrase"),
        (max(map(len, documents), default=0), limits.id_characters, "characters of a document id"),
    ):
        if size > limit:
            yield f"{size:,} {what}, more than {limit:,}"


def _contradictions(saved: Saved) -> Iterator[str]:
    """Give what no corpus can hold, such as a list without a document."""
    corpus = saved.corpus
    gold, runs, empty = corpus.gold, corpus.runs, corpus.empty
    documents, systems = pd.Index(corpus.documents["doc_id"]), list(corpus.rankings)
    if not documents.is_unique:
        yield "a document twice"
    if not all(table["doc_id"].isin(documents).all() for table in (gold, runs, empty)):
        yield "a list for a document that is not there"
    if not empty["role"].isin(["gold", "system"]).all():
        yield "an empty list that is neither gold nor of a system"
    of_systems = pd.concat([runs["system"], empty["source"][empty["role"] == "system"]])
    if not of_systems.isin(systems).all():
        yield "a list of a system that is not there"
    if not _ranks_fit(runs):
        yield "ranks that are not 1, 2, … down each list"
    if "variants" in gold and not all(map(_variants_fit, gold["variants"], gold["phrase"])):
        yield "spellings that do not begin with their phrase"
    if any(table.duplicated(["pair_id", "annotator"]).any() for table in (corpus.judgements, saved.ratings)):
        yield "two scores of one pair by one annotator"
    words = [*saved.query.items(), *saved.names.items(), *((one.ranked_by, "") for one in corpus.rankings.values())]
    if not all(isinstance(word, str) for pair in words for word in pair):
        yield f"a {MANIFEST} with entries of another type"


def _ranks_fit(runs: pd.DataFrame) -> bool:
    """Tell whether the rows of each system and document stand together, ranked 1, 2, …"""
    lists = runs[["system", "doc_id"]]
    starts = (lists != lists.shift()).any(axis=1).to_numpy()
    place = np.arange(len(runs))
    expected = place - np.maximum.accumulate(np.where(starts, place, 0)) + 1
    return bool(np.array_equal(runs["rank"], expected)) and int(starts.sum()) == len(lists.drop_duplicates())


def _variants_fit(variants: Any, phrase: str) -> bool:
    return variants is None or (variants[:1] == (phrase,) and all(isinstance(one, str) for one in variants))
