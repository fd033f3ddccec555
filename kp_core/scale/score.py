"""Turn parts of the data into sums over documents, and sums (in memory or from a file) into results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from kp_core.corpus import Corpus, Ranking
from kp_core.errors import Note, input_error, part_of, pluralize
from kp_core.reading import load
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.open.source import Source as File
from kp_core.reading.rows import sense
from kp_core.reading.rows.assemble import rejected_in_words
from kp_core.scale.plan import Plan
from kp_core.scale.tally import Tally, arrays_of, load_tally
from kp_core.scoring.accumulate import Ids
from kp_core.scoring.codes import Ints, code, gold_entries, identify
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.pair_sums import Pairing
from kp_core.scoring.paired import FamilyAt
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.systems import count_systems
from kp_core.settings import Settings, signature
from kp_core.studies.annotators import add_annotators, agreement_of
from kp_core.studies.compare import Comparison, add_pairs, comparison_of, one_comparison
from kp_core.studies.evaluate import Query, add_systems, system_rows
from kp_core.studies.facts import above_one, add_evaluation, evaluation_notes
from kp_core.studies.parts import parse_by
from kp_core.studies.result import Result, result_frame

#: Limits on the whole collection are checked at the end.
_PART_LIMITS = replace(LIMITS, rejected_percent=100, documents=2**31)


def corpus_of(plan: Plan, tables: Sequence[tuple[str, pa.Table]]) -> Corpus:
    """Return rows of gold, system or documents as a corpus with the systems of all parts."""
    frames = dict[str, list[pd.DataFrame]]()
    for role in ("gold", "system", "documents"):
        if rows := [table for table_role, table in tables if table_role == role and len(table)]:
            frames[role] = [pa.concat_tables(rows, promote_options="default").to_pandas()]
    corpus = Corpus()
    if "gold" in frames or "system" in frames:
        # a single part may be too small to infer that cells are single phrases
        whole = {role: Mapping(split="none") for role in frames if role != "documents"}
        parts = (frames.get(role) for role in ("gold", "system", "documents"))
        corpus = load(*parts, mapping=whole, limits=_PART_LIMITS)
    return replace(corpus, rankings={name: corpus.rankings.get(name, Ranking()) for name in plan.names.systems})


def _prepared(corpus: Corpus, plan: Plan) -> Prepared | None:
    """Return a part of the data, prepared with the settings and annotators of the whole; None without gold."""
    if not len(corpus.gold) and not (corpus.empty["role"] == "gold").any():
        return None
    coded, annotators = code(corpus), plan.names.annotators
    place = np.array([annotators.index(name) for name in coded.annotators], np.int32)
    seen, relevance = np.zeros((len(annotators), len(coded.documents)), bool), coded.entry_relevance
    seen[place] = coded.seen
    if plan.graded and plan.settings.annotators == "votes":
        relevance = np.nan_to_num(relevance, nan=1.0)  # grades in other parts: do not use votes as grades here either
    whose = place[coded.entry_annotator]
    coded = replace(coded, annotators=annotators, seen=seen, entry_annotator=whose, entry_relevance=relevance)
    identities = identify(coded.phrases, plan.settings.normalise, plan.settings.gold_stemmed == "yes")
    return Prepared(corpus, plan.settings, (), coded, identities, plan.names)


def count_gold(corpus: Corpus, plan: Plan) -> tuple[int, int, float]:
    """Return the number of gold entries and lists in a part, and the largest grade."""
    data = _prepared(corpus, plan)
    if data is None:
        return 0, 0, 0.0
    entries, lists = gold_entries(data.coded, data.identities.gold, plan.settings.rel)
    return entries, lists, float(data.gold.grade.max(initial=0.0))


def score(corpus: Corpus, plan: Plan) -> Tally:
    """Return the sums over the documents of a part for everything in the plan."""
    # rejected rows are counted by reason, since lines in a part are not lines of a file
    rejected = {rejected_in_words(rows) for _, rows in corpus.report.rejected.groupby("file")}
    ours = [note for note in corpus.report.notes if note.message not in rejected and note not in sense.notes(corpus)]
    tally = Tally(notes=ours)
    for reason, number in corpus.report.rejected["reason"].value_counts().items():
        tally.add(f"rejected/{reason}", number)
    lists = [reading for reading in corpus.report.readings if reading.role in ("gold", "system")]
    tally.add("read", sum(reading.rows_read for reading in lists))
    data = _prepared(corpus, plan)
    if data is None:
        documents = corpus.runs.groupby("system")["doc_id"].unique()
        tally.note({f"unknown/{name}": Ids.of(ids.tolist()) for name, ids in documents.items()})
    elif plan.agreement is not None:
        data.refuse_small_universe(data.all_items.size.astype(float))
        add_annotators(tally, data, plan.asked, _couples(plan))
    else:
        systems = count_systems(data, ["exact", "sets"] if plan.concordance else ["exact"], plan.baselines)
        if plan.largest is not None:
            largest = partial(replace, largest=plan.largest)
            systems = {name: counts.changed(largest) for name, counts in systems.items()}
        add_evaluation(tally, data, systems, plan.concordance)
        add_systems(tally, data, [systems], _query(plan, data.settings))
        scored = {name: systems[name] for name in plan.names.systems}
        for pairing in _pairings(plan, tally):
            add_pairs(pairing, data, scored, streamed=True)
    return tally


def _query(plan: Plan, settings: Settings) -> Query:
    return Query(plan.asked, parse_by(plan.by), plan.baselines, names=plan.names, settings=settings)


def _couples(plan: Plan) -> tuple[Ints, Ints]:
    return np.triu_indices(len(plan.names.annotators), 1)


def _pairings(plan: Plan, tally: Tally) -> Iterator[Pairing]:
    for number, family in enumerate(plan.compare):
        for cutoff in family.asked.cutoffs(plan.settings):
            at = FamilyAt(family, cutoff, plan.settings)
            yield Pairing(at, plan.names.systems, tally, f"compare/{number}/{cutoff}")


def _notes(tally: Tally, plan: Plan) -> list[Note]:
    def place(note: Note) -> tuple[int, str]:
        # as in memory: notes on all files first, then by system
        words = "".join(map(str, note.counts)) if note.counts else note.message
        return next((i for i, name in enumerate(plan.names.systems) if f"“{name}”" in words), -1), words

    notes = [*plan.notes, *sorted(tally.notes, key=place)]
    if reasons := _rejected(tally):
        named = ", ".join(f"{reason} ({n:,})" for reason, n in sorted(reasons.items()))
        words = pluralize(sum(reasons.values()), "row was rejected and is", "rows were rejected and are")
        notes.append(Note("warning", "rows", f"{words} not used: {named}"))
    return notes


def _rejected(tally: Tally) -> dict[str, int]:
    kinds = {name.partition("/"): int(number[0]) for name, number in tally.numbers.items()}
    return {reason: number for (kind, _, reason), number in kinds.items() if kind == "rejected"}


def refuse_if_mostly_rejected(tally: Tally) -> None:
    """Refuse data with too many rejected rows over all parts, by the limit in memory."""
    rejected, read, most = sum(_rejected(tally).values()), tally.number("read"), LIMITS.rejected_percent
    if rejected * 100 > most * read:
        raise input_error("the tables", "rejected", rejected=rejected, rows=pluralize(read, "row"), most=most)


@dataclass(frozen=True)
class Streamed:
    """The sums of a completed streamed run."""

    tally: Tally
    plan: Plan

    def result(self) -> Result:
        """Return values, intervals and notes of all systems, or of the annotators."""
        tally, plan, notes = self.tally, self.plan, _notes(self.tally, self.plan)
        if plan.agreement is not None:
            return agreement_of(tally, plan.names, plan.asked, plan.settings, _couples(plan), notes)
        rows = system_rows(tally, _query(plan, plan.settings))
        notes += evaluation_notes(tally, plan.names.systems, plan.settings, plan.concordance)
        notes += above_one((row.measure, row.value) for row in rows)
        return Result(result_frame(rows), plan.settings, tuple(notes), tally.number("documents"), plan.concordance)

    def comparisons(self) -> list[Comparison]:
        """Return the comparison of all pairs of systems by every measure and cutoff."""
        documents = self.tally.number("documents")
        return [
            comparison_of(pairing.compared(), pairing.at, documents, streamed=True)
            for pairing in _pairings(self.plan, self.tally)
        ]

    def comparison(self) -> Comparison:
        """Return the first comparison with the rows of all, as `compare_all` does in memory."""
        recipe = signature(self.plan.settings, self.tally.number("documents"), self.plan.concordance)
        return one_comparison(self.comparisons(), recipe)

    def documents(self, ids: Sequence[str]) -> Corpus:
        """Return documents with their rows from the tables of the run, all of which are read unless sorted Parquet."""
        for path in self.plan.paths:
            if not path.exists():
                raise input_error(path.name, "gone")
        chosen = [(source, ds.field(source.columns["doc_id"]).isin(list(ids))) for source in self.plan.sources]
        return corpus_of(self.plan, [(source.role, source.table(where)) for source, where in chosen])

    def save(self, path: str | Path) -> None:
        """Write the sums as one NumPy archive; see docs/scale.md."""
        self.tally.save(path, plan=self.plan, complete=True)


@dataclass(frozen=True)
class Opened:
    """A finished run from its file.

    result        values of systems or annotators; None if only pairs were compared
    comparisons   one per measure and cutoff; documents: number with gold
    """

    name: str
    documents: int
    run: Streamed
    plan: Plan
    result: Result | None
    comparisons: tuple[Comparison, ...]


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
        # the number of rows is from the file
        if plan.rows > len(MEASURES) * sum(array.size for array in arrays_of(tally).values()):
            raise input_error(file.name, "altered")
        streamed, documents = Streamed(tally, plan), int(tally.numbers["documents"][0])
        # invalid sums may overflow
        with np.errstate(over="raise", invalid="raise"):
            result = streamed.result() if plan.agreement is not None or plan.measures else None
            comparisons = tuple(streamed.comparisons())
        return Opened(file.name, documents, streamed, plan, result, comparisons)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise input_error(file.name, "altered") from None
