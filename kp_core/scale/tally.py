"""Turn parts of the data into sums over documents, and sums (in memory or from a file) into results."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from kp_core.corpus import Corpus, Ranking
from kp_core.errors import InputError, Note, input_error, machine_reason, part_of, pluralize
from kp_core.reading import load
from kp_core.reading.limits import LIMITS, Limits, refuse_over
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.source import DAMAGED_ARRAYS
from kp_core.reading.open.source import Source as File
from kp_core.reading.rows import sense
from kp_core.reading.rows.assemble import rejected_in_words
from kp_core.scale.disk import write_files
from kp_core.scale.plan import Plan
from kp_core.scale.sources import Source
from kp_core.scoring import codes, pair_sums
from kp_core.scoring.accumulate import SUMS, AverageKey, Ids, Sums, add_to
from kp_core.scoring.gold import list_sizes
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.paired import Family, FamilyAt
from kp_core.scoring.prepare import Names, Prepared
from kp_core.scoring.systems import count_systems
from kp_core.settings import Settings, signature
from kp_core.studies import annotators, compare, evaluate, facts
from kp_core.studies.parts import parse_by
from kp_core.studies.result import Result, result_frame

FORMAT = "kpscope statistics 5"
#: Dataclasses that the header may contain.
_CLASSES: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (AverageKey, Family, Ids, Names, Note, Plan, Settings, Source)
}


@dataclass
class Tally(Sums):
    """Sums over documents.

    * `notes`: notes on reading, whose numbers are added up
    * `rejected`: reason → number of rejected rows
    * `header`: the plan of the sums, and completed parts
    """

    notes: list[Note] = field(default_factory=list)
    rejected: dict[str, int] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)

    def merge(self, other: Sums) -> None:
        """Add the sums of other documents."""
        super().merge(other)
        if isinstance(other, Tally):
            self.notes = added([*self.notes, *other.notes])
            add_to(self.rejected, other.rejected)

    def save(self, path: str | Path, **header: Any) -> None:
        """Write one NumPy archive without pickled objects, atomically."""
        path, packed = Path(path), io.BytesIO()
        leaves = dict(_leaves({kind: getattr(self, kind) for kind in SUMS}))
        content = {"format": FORMAT, **self.header, **header, "arrays": [*leaves]}
        content |= {name: getattr(self, name) for name in ("notes", "rejected", "ids")}
        arrays: dict[str, Any] = {"header.json": np.frombuffer(as_json(content), np.uint8)}
        arrays |= {str(number): array for number, array in enumerate(leaves.values())}
        np.savez(packed, **arrays)
        try:
            write_files({path: packed.getvalue()})
        except OSError as error:
            raise input_error(path.name, "not written", error=machine_reason(error)) from None


def _leaves(sums: dict[Any, Any]) -> Iterator[tuple[tuple[Any, ...], NDArray[Any]]]:
    """Yield the arrays of nested sums with their paths."""
    for key, value in sums.items():
        if isinstance(value, dict):
            yield from (((key, *path), array) for path, array in _leaves(value))
        else:
            yield (key,), value


def as_json(content: Any) -> bytes:
    """Return plain values and dataclasses as JSON."""

    def plain(value: Any) -> dict[str, Any]:
        return {"dataclass": type(value).__name__} | {item.name: getattr(value, item.name) for item in fields(value)}

    return json.dumps(content, default=plain, ensure_ascii=False).encode()


def _rebuilt(values: dict[str, Any]) -> Any:
    if values.get("dataclass") not in _CLASSES:
        return values
    kind = _CLASSES[values.pop("dataclass")]
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def added(notes: Iterable[Note]) -> list[Note]:
    """Return notes, merging those that differ only in their number and adding the numbers."""
    merged: dict[Any, Note] = {}
    for note in notes:
        key = note.level, note.where, note.counts[1:] if note.counts else note.message
        if note.counts and (earlier := merged.get(key)) and earlier.counts:
            note = Note.counting(note.level, note.where, earlier.counts[0] + note.counts[0], *note.counts[1:])
        merged[key] = note
    return list(merged.values())


def refuse_without_folder(path: str | Path | None) -> None:
    """Raise an InputError, before the run begins, if a file cannot be written."""
    path = None if path is None else Path(path)
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise input_error(path.name or str(path), "a folder" if path.is_dir() else "no folder")


def is_statistics_file(source: File) -> bool:
    """Return whether a file contains the statistics of a streamed run, judging by its first member."""
    return source.data[:4] == b"PK\x03\x04" and source.data[30:].startswith(b"header.json.npy")


def load_tally(file: File, limits: Limits | None = None) -> Tally:
    """Read a tally, with limits for uploads; raises InputError for any other file."""
    try:
        # NumPy warns of malformed headers
        with warnings.catch_warnings(action="ignore"), np.load(io.BytesIO(file.data)) as archive:
            members = archive.zip.infolist()
            if limits is not None:
                refuse_over(limits.file_bytes, len(file.data), "bytes", file.name)
                refuse_over(limits.archive_members, len(members), "arrays", file.name)
            # compressed members may expand to gigabytes
            if any(info.compress_type != zipfile.ZIP_STORED or info.file_size > len(file.data) for info in members):
                raise input_error(file.name, "compressed")
            arrays: dict[str, Any] = dict(archive)
        header = json.loads(arrays.pop("header.json").tobytes(), object_hook=_rebuilt)
        if any(array.dtype != np.float64 or not np.isfinite(array).all() for array in arrays.values()):
            raise input_error(file.name, "damaged")
        if header.pop("format", None) != FORMAT:
            raise input_error(file.name, "version", version=FORMAT)
        sums: dict[str, Any] = {kind: {} for kind in SUMS}
        for number, path in enumerate(header.pop("arrays")):
            add_to(sums, reduce(lambda value, key: {key: value}, reversed(path), arrays[str(number)]))
        return Tally(**sums, **{name: header.pop(name) for name in ("notes", "rejected", "ids")}, header=header)
    except InputError:
        raise
    except DAMAGED_ARRAYS:
        raise input_error(file.name, "damaged") from None


#: Limits on reading a part; those on the whole collection are checked at the end.
_PART_LIMITS = replace(LIMITS, rejected_percent=100, documents=2**31)


def corpus_of(plan: Plan, tables: Sequence[tuple[str, pa.Table]]) -> Corpus:
    """Return the rows of one part as a corpus that names the systems of all parts."""
    frames = dict[str, list[pd.DataFrame]]()
    for role in ("gold", "system", "documents"):
        if rows := [table for table_role, table in tables if table_role == role and len(table)]:
            frames[role] = [pa.concat_tables(rows, promote_options="default").to_pandas()]
    corpus = Corpus()
    if "gold" in frames or "system" in frames:
        # a single part may be too small to infer that cells are single phrases
        single_phrases = {role: Mapping(split="none") for role in frames if role != "documents"}
        parts = (frames.get(role) for role in ("gold", "system", "documents"))
        corpus = load(*parts, mapping=single_phrases, limits=_PART_LIMITS)
    return replace(corpus, rankings={name: corpus.rankings.get(name, Ranking()) for name in plan.names.systems})


def _prepare(corpus: Corpus, plan: Plan) -> Prepared | None:
    """Return a part of the data, prepared with the settings and annotators of the whole; None without gold."""
    if not len(corpus.gold) and not (corpus.empty["role"] == "gold").any():
        return None
    coded, names = codes.code(corpus), plan.names.annotators
    index = np.array([names.index(name) for name in coded.annotators], np.int32)
    seen, relevance = np.zeros((len(names), len(coded.documents)), bool), coded.entry_relevance
    seen[index] = coded.seen
    if plan.graded and plan.settings.annotators == "votes":
        relevance = np.nan_to_num(relevance, nan=1.0)  # grades in other parts: do not use votes as grades here either
    entry_annotator = index[coded.entry_annotator]
    coded = replace(coded, annotators=names, seen=seen, entry_annotator=entry_annotator, entry_relevance=relevance)
    identities = codes.identify(coded.phrases, plan.settings.normalise, plan.settings.gold_stemmed == "yes")
    return Prepared(corpus, plan.settings, (), coded, identities, plan.names)


def count_gold(corpus: Corpus, plan: Plan) -> tuple[int, int, float]:
    """Return the number of gold entries and lists in a part, and the largest grade."""
    data = _prepare(corpus, plan)
    if data is None:
        return 0, 0, 0.0
    return *list_sizes(data.coded, data.identities, plan.settings), float(data.gold.grade.max(initial=0.0))


def score(corpus: Corpus, plan: Plan) -> Tally:
    """Return the sums over the documents of a part for everything in the plan."""
    # rejected rows are counted by reason, since line numbers in a part are not those of the file
    rejected = {rejected_in_words(rows) for _, rows in corpus.report.rejected.groupby("file")}
    notes = [note for note in corpus.report.notes if note.message not in rejected and note not in sense.notes(corpus)]
    tally = Tally(notes=notes)
    tally.rejected = corpus.report.rejected["reason"].value_counts().to_dict()
    lists = [reading for reading in corpus.report.readings if reading.role in ("gold", "system")]
    tally.add("read", sum(reading.rows_read for reading in lists))
    data = _prepare(corpus, plan)
    if data is None:
        documents = corpus.runs.groupby("system")["doc_id"].unique()
        tally.note({f"unknown/{name}": Ids.of(ids.tolist()) for name, ids in documents.items()})
    elif plan.agreement is not None:
        data.refuse_small_universe(data.all_items.size.astype(float))
        annotators.add_annotators(tally, data, plan.parsed, _annotator_pairs(plan))
    else:
        systems = count_systems(data, ["exact", "sets"] if plan.concordance else ["exact"], plan.baselines)
        if plan.largest is not None:
            largest = partial(replace, largest=plan.largest)
            systems = {name: counts.changed(largest) for name, counts in systems.items()}
        facts.add_evaluation(tally, data, systems, plan.concordance)
        evaluate.add_systems(tally, data, [systems], _query(plan, data.settings))
        systems_in_use = {name: systems[name] for name in plan.names.systems}
        for pairing in _pairings(plan, tally):
            compare.add_pairs(pairing, data, systems_in_use, streamed=True)
    return tally


def _query(plan: Plan, settings: Settings) -> evaluate.Query:
    return evaluate.Query(plan.parsed, parse_by(plan.by), plan.baselines, names=plan.names, settings=settings)


def _annotator_pairs(plan: Plan) -> annotators.AnnotatorPairs:
    return np.triu_indices(len(plan.names.annotators), 1)


def _pairings(plan: Plan, tally: Tally) -> Iterator[pair_sums.Pairing]:
    for number, family in enumerate(plan.compare):
        for cutoff in family.parsed.cutoffs(plan.settings):
            family_at = FamilyAt(family, cutoff, plan.settings)
            yield pair_sums.Pairing(family_at, plan.names.systems, tally, f"compare/{number}/{cutoff}")


def _notes(tally: Tally, plan: Plan) -> list[Note]:
    def index(note: Note) -> tuple[int, str]:
        # as in memory: notes on all files first, then by system
        words = "".join(map(str, note.counts)) if note.counts else note.message
        return next((i for i, name in enumerate(plan.names.systems) if f"“{name}”" in words), -1), words

    notes = [*plan.notes, *sorted(tally.notes, key=index)]
    if tally.rejected:
        by_reason = ", ".join(f"{reason} ({n:,})" for reason, n in sorted(tally.rejected.items()))
        words = pluralize(sum(tally.rejected.values()), "row was rejected and is", "rows were rejected and are")
        notes.append(Note("warning", "rows", f"{words} not used: {by_reason}"))
    return notes


def refuse_if_mostly_rejected(tally: Tally) -> None:
    """Refuse data with too many rejected rows in all parts, by the same limit as in memory."""
    rejected, rows_read, limit = sum(tally.rejected.values()), tally.number("read"), LIMITS.rejected_percent
    if rejected * 100 > limit * rows_read:
        raise input_error("the tables", "rejected", rejected=rejected, rows=pluralize(rows_read, "row"), most=limit)


@dataclass(frozen=True)
class Streamed:
    """The sums of a completed streamed run."""

    tally: Tally
    plan: Plan

    def result(self) -> Result:
        """Return values, intervals and notes of all systems, or of the annotators."""
        tally, plan, notes = self.tally, self.plan, _notes(self.tally, self.plan)
        if plan.agreement is not None:
            return annotators.agreement_of(tally, plan.names, plan.parsed, plan.settings, _annotator_pairs(plan), notes)
        rows = evaluate.system_rows(tally, _query(plan, plan.settings))
        notes += facts.evaluation_notes(tally, plan.names.systems, plan.settings, plan.concordance)
        notes += facts.notes_above_one((row.measure, row.value) for row in rows)
        return Result(result_frame(rows), plan.settings, tuple(notes), tally.number("documents"), plan.concordance)

    def comparisons(self) -> list[compare.Comparison]:
        """Return the comparison of all pairs of systems by every measure and cutoff."""
        documents = self.tally.number("documents")
        return [
            compare.comparison_of(pairing.compared(), pairing.at, documents, streamed=True)
            for pairing in _pairings(self.plan, self.tally)
        ]

    def comparison(self) -> compare.Comparison:
        """Return the first comparison with the rows of all comparisons, as `compare_all` does in memory."""
        signature_line = signature(self.plan.settings, self.tally.number("documents"), self.plan.concordance)
        return compare.one_comparison(self.comparisons(), signature_line)

    def save(self, path: str | Path) -> None:
        """Write the sums as one NumPy archive; see docs/scale.md."""
        self.tally.save(path, plan=self.plan, complete=True)


@dataclass(frozen=True)
class Opened:
    """A finished run from its file.

    * `result`: values of systems or annotators; None if only pairs were compared
    * `comparisons`: one per measure and cutoff; `documents`: number with gold
    """

    name: str
    documents: int
    run: Streamed
    plan: Plan
    result: Result | None
    comparisons: tuple[compare.Comparison, ...]


def open_statistics(item: str | Path | File, limits: Limits = LIMITS) -> Opened:
    """Read a finished run from its file, with limits for uploads; refuse damaged, unfinished and other files."""
    upload = isinstance(item, File)
    file = item if isinstance(item, File) else File(Path(item).name, Path(item).read_bytes())
    tally = load_tally(file, limits if upload else None)
    header = tally.header
    if not header.get("complete") or "plan" not in header:
        parts = part_of(len(header.get("done", ())), header.get("parts", 0), "part", "is", "are")
        raise input_error(file.name, "unfinished", parts=parts)
    plan = header["plan"]
    try:
        # the file may state any number of rows
        if plan.rows > len(MEASURES) * sum(array.size for kind in SUMS for _, array in _leaves(getattr(tally, kind))):
            raise input_error(file.name, "altered")
        streamed, documents = Streamed(tally, plan), int(tally.numbers["documents"][0])
        # invalid sums may overflow
        with np.errstate(over="raise", invalid="raise"):
            result = streamed.result() if plan.agreement is not None or plan.measures else None
            comparisons = tuple(streamed.comparisons())
        return Opened(file.name, documents, streamed, plan, result, comparisons)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise input_error(file.name, "altered") from None
