"""Turn large tables and settings into a plan: what every part is asked for, and what is known of all parts before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, Ranking, empty_table
from kp_core.errors import InputError, Note, UsageError
from kp_core.reading import load
from kp_core.reading.limits import LIMITS
from kp_core.reading.values import trim
from kp_core.scale.partitions import Partition, distinct, roles
from kp_core.scale.sources import FILE, ROW, Source
from kp_core.scoring.codes import Coded, code, identify, refuse_taken
from kp_core.scoring.gold import left_one_out, parse_choice
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import Prepared, prepare, refuse_alone
from kp_core.scoring.sentence_ids import sentence_owner
from kp_core.scoring.universe import refuse_without_english
from kp_core.settings import Settings, settings_from, signature
from kp_core.studies.annotators import asked_of
from kp_core.studies.compare import Family
from kp_core.studies.evaluate import DEFAULT_MEASURES

#: Phrases by which the script of a collection is judged, as in memory.
_PHRASES = 5000
#: What is judged over all rows of a collection at once is judged at the end, not in each part.
_PART_LIMITS = replace(LIMITS, rejected_percent=100, documents=2**31)


@dataclass(frozen=True)
class Names:
    """What the columns of all rows say, in the order of the files.

    listed    (number of the source, name in the files, name in the result) of all annotators and systems
    graded    whether some keyphrase has a grade
    """

    listed: tuple[tuple[int, str, str], ...] = ()
    annotators: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    graded: bool = False


@dataclass(frozen=True)
class Plan:
    """What every part is asked for.

    settings  resolved, but for the cutoff `average` before the first pass
    agreement measures of the annotators, () for the usual ones; None where systems are scored
    largest   largest grade of all gold items, which RBP needs; None where nothing asks for it
    beside    texts that no number needs, for showing single documents
    """

    sources: tuple[Source, ...]
    settings: Settings
    measures: tuple[str, ...] = ()
    compare: tuple[Family, ...] = ()
    agreement: tuple[str, ...] | None = None
    baselines: bool = False
    by: str = ""
    names: Names = field(default_factory=Names)
    notes: tuple[Note, ...] = ()
    largest: float | None = None
    beside: tuple[Source, ...] = ()

    @property
    def concordance(self) -> bool:
        """Whether concordance tables, and so N, are needed."""
        asked = [*self.measures, *(one.measure for one in self.compare)]
        return self.baselines or any(parse(name).measure.family == "concordance" for name in asked)

    @property
    def first_pass(self) -> bool:
        """Whether something must be counted over all gold before the parts can be scored."""
        graded = any(
            parse(name).measure.name == "RBP" for name in (*self.measures, *(one.measure for one in self.compare))
        )
        return "average" in self.settings.k or (graded and self.largest is None)

    @property
    def texts_needed(self) -> bool:
        """Whether N is counted from the texts."""
        return self.settings.universe.partition(":")[0] in ("ngrams", "candidates", "sentences")

    def described(self) -> dict[str, Any]:
        """Return what the file of a run keeps of its plan, in plain values."""
        return {
            "signature": signature(self.settings, 0),
            "measures": self.measures,
            "agreement": self.agreement,
            "compare": [asdict(one) for one in self.compare],
            "baselines": self.baselines,
            "by": self.by,
            "names": asdict(self.names),
            "notes": [note.as_dict() for note in self.notes],
            "largest": self.largest,
            "sources": [one.described() for one in self.sources],
            "beside": [one.described() for one in self.beside],
        }

    @staticmethod
    def read(described: dict[str, Any]) -> Plan:
        """Return the plan of which `described` told."""
        given = dict(described)
        names: Any = {
            key: tuple(map(_tuple, one)) if isinstance(one, list) else one for key, one in given["names"].items()
        }
        given |= {
            "settings": settings_from(given.pop("signature")),
            "measures": tuple(given["measures"]),
            "agreement": None if given["agreement"] is None else tuple(given["agreement"]),
            "compare": tuple(Family(**one) for one in given["compare"]),
            "names": Names(**names),
            "notes": tuple(Note(**note) for note in given["notes"]),
        }
        tables = {
            key: tuple(Source(one[0], tuple(one[1]), *one[2:]) for one in given[key]) for key in ("sources", "beside")
        }
        return Plan(**given | tables)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def make_plan(
    sources: Sequence[Source],
    settings: Settings,
    measures: Sequence[str] | str | None = None,
    compare: Sequence[Family] = (),
    agreement: Sequence[str] | None = None,
    baselines: bool = False,
    by: str = "",
) -> Plan:
    """Return the plan; refuses with its reason what needs all documents at once.

    agreement: measures of the annotators; None where agreement is not asked for. Without it, systems are scored.
    """
    names = [measures] if isinstance(measures, str) else measures
    if names is None:
        names = DEFAULT_MEASURES if agreement is None and not compare else ()
    asked = tuple(dict.fromkeys(part.strip() for name in names for part in name.split(",")))
    if settings.interval == "bootstrap":
        settings = settings.changed(interval="poisson")
    _refuse(settings, compare, by)
    found = _names(sources)
    if agreement is None:
        _refuse_systems(found, settings, compare)
    else:
        asked_of(settings, agreement)
        refuse_alone(found.annotators)
    settings, notes = _settled(sources, settings)
    if agreement is not None:
        settings = settings.changed(k="all")
    plan = Plan((), settings, asked, tuple(compare), None, baselines, by, found, tuple(notes))
    plan = replace(plan, agreement=None if agreement is None else tuple(agreement))
    groups = by == "group" or agreement is not None
    kept = [replace(one, texts=plan.texts_needed) if one.role == "documents" else one for one in sources]
    # Texts stand last among the tables, so leaving them out changes no number of another.
    kept = [one for one in kept if one.role != "documents" or plan.texts_needed or (groups and "group" in one.columns)]
    read = {one.paths for one in kept}
    plan = replace(plan, sources=tuple(kept), beside=tuple(one for one in sources if one.paths not in read))
    if settings.universe == "candidates" and (plan.concordance or agreement is not None):
        refuse_without_english(_texts(sources))
    if groups:
        kinds = {one for _, source in roles(kept, "documents") for one in distinct(source, "group")}
        plan = replace(plan, names=replace(found, groups=tuple(sorted(kinds - {""} - {None}))))
        if by and not plan.names.groups:
            raise InputError(
                "the documents", "no document type", "a column such as “type” or “group”", "Load it with the documents."
            )
    return plan


def _refuse(settings: Settings, compare: Sequence[Family], by: str) -> None:
    """Refuse what cannot be added up over parts of the data."""
    if settings.universe == "vocabulary":
        raise UsageError(
            "the universe 'vocabulary' is the set of all phrases of the collection, which may not fit into memory; "
            "count it once and give the number, or choose rankings or ngrams"
        )
    if left_one_out(settings.annotators):
        raise UsageError(
            f"annotators = {settings.annotators} is not streamed: each annotator left out is a gold standard of its "
            "own. Choose union, majority, intersection, votes or one annotator"
        )
    if by not in ("", "group"):
        reason = {"length": "thirds by length need the lengths of all texts at once"}.get(by, "it is not streamed yet")
        raise UsageError(f"by = {by} is not available in a streamed run: {reason}; choose by = group")
    if settings.annotators == "votes" and settings.rel > 1:
        raise UsageError("votes with rel above 1 are not streamed: whether there are grades is a fact about all rows")
    if any(one.test == "wilcoxon" for one in compare):
        raise UsageError(
            "the wilcoxon test ranks the differences of all documents, which is not streamed; choose "
            "test = randomisation, bootstrap or t"
        )


def _refuse_systems(names: Names, settings: Settings, compare: Sequence[Family]) -> None:
    """Refuse what an evaluation and a comparison in memory refuse before they count."""
    if not names.systems:
        raise UsageError("no system output is named")
    if compare and len(names.systems) < 2:
        raise UsageError("a comparison needs at least two systems")
    for one in compare:
        one.average(settings)
    parse_choice(settings.annotators, names.annotators)


def _names(sources: Sequence[Source]) -> Names:
    listed: list[tuple[int, str, str]] = []
    systems: dict[str, int] = {}
    for place, source in roles(sources, "gold", "system"):
        column = "annotator" if source.role == "gold" else "system"
        found = final = distinct(source, column) if column in source.columns else [source.name]
        if source.named and source.name not in found:
            final = [source.name if len(found) == 1 else f"{source.name}/{one}" for one in found]
        listed += [(place, old, name) for old, name in zip(found, final, strict=True)]
        for name in final if source.role == "system" else ():
            if systems.setdefault(name, place) != place:
                raise InputError(
                    source.shown,
                    f"the system name “{name}” again",
                    "each system name once",
                    "Give each file its own name (NAME=PATH).",
                )
    annotators = tuple(dict.fromkeys(name for place, _, name in listed if sources[place].role == "gold"))
    graded = any(
        pc.any(pc.is_valid(table["relevance"])).as_py()
        for _, source in roles(sources, "gold")
        if "relevance" in source.columns
        for table in source.batches(["relevance"])
    )
    refuse_taken(annotators)
    return Names(tuple(listed), annotators, tuple(systems), (), graded)


def _settled(sources: Sequence[Source], settings: Settings) -> tuple[Settings, list[Note]]:
    """Settle what `evaluate` settles before it scores: the script, what the gold standard names, and the universe."""
    phrases: dict[str, None] = {}
    for _, source in roles(sources, "gold", "system"):
        for table in source.batches(["phrase"]):
            phrases |= dict.fromkeys(pc.unique(table["phrase"].fill_null("")).to_pylist())
            if len(phrases) >= _PHRASES:
                break
    text = next(filter(None, _texts(sources)), "")
    chosen = list(phrases)[:_PHRASES]
    if _all_sentences(sources):  # what systems return beside sentences says nothing about the gold standard
        chosen = [phrase for phrase in chosen if sentence_owner(phrase)]
    ids = [sentence_owner(phrase) or "x" for phrase in chosen]
    gold = pd.DataFrame({"doc_id": ids, "annotator": "gold", "phrase": chosen}).astype("str")
    gold["relevance"] = np.nan
    documents = pd.DataFrame({"doc_id": ["x"], "text": [text], "title": [""], "group": [""]}).astype("str")
    if not len(gold):
        raise InputError("the gold standard", "no row", "one row a keyphrase", "Name another file.")
    k = [cutoff for cutoff in settings.k if cutoff != "average"]
    data = prepare(Corpus(documents=documents, gold=gold), settings, k=k or 1)
    return data.settings.changed(k=settings.k), list(data.notes)


def _texts(sources: Sequence[Source]) -> Iterator[str]:
    """Give the texts that are not empty."""
    for _, source in roles(sources, "documents"):
        for table in source.batches(["text"]) if "text" in source.columns else ():
            yield from filter(None, table["text"].to_pylist())


def _all_sentences(sources: Sequence[Source]) -> bool:
    """Tell whether the whole gold standard names sentences; as a rule its first rows say that it does not."""
    tables = (table for _, source in roles(sources, "gold") for table in source.batches(["doc_id", "phrase"]))
    pairs = (
        pair
        for table in tables
        for pair in zip(table["doc_id"].to_pylist(), trim(table["phrase"].fill_null("")).to_pylist(), strict=True)
    )
    return all(not phrase or sentence_owner(phrase) == document for document, phrase in pairs)


def corpus_of(plan: Plan, partition: Partition, gold_only: bool = False) -> tuple[Corpus, int]:
    """Return one part of the data as a corpus that knows the systems and annotators of all parts, and its rows."""
    tables: dict[str, list[pa.Table]] = {"gold": [], "system": [], "documents": []}
    read = 0
    for place, source in enumerate(plan.sources):
        if gold_only and source.role != "gold":
            continue
        table = partition.read(source, place)
        table = table.drop_columns([name for name in (FILE, ROW) if name in table.column_names])
        read += len(table)
        tables[source.role].append(_named(plan, place, source, table))
    frames = {role: _frame(found, plan) for role, found in tables.items()}
    if not len(frames["gold"]) and not len(frames["system"]):
        return _empty(plan), read
    given = {role: [frame] for role, frame in frames.items() if len(frame)}
    corpus = load(given.get("gold"), given.get("system"), given.get("documents"), limits=_PART_LIMITS)
    rankings = {name: corpus.rankings.get(name, Ranking()) for name in plan.names.systems}
    return replace(corpus, rankings=rankings), read


def has_gold(corpus: Corpus) -> bool:
    """Tell whether a part of the data has any document of the gold standard."""
    return bool(len(corpus.gold) or (corpus.empty["role"] == "gold").any())


def prepared_part(corpus: Corpus, plan: Plan) -> Prepared:
    """Return a part of the data under the settings of all parts, with the annotators of all parts."""
    coded = _with_annotators(code(corpus), plan.names.annotators)
    return Prepared(corpus, plan.settings, (), coded, identify(coded.phrases, plan.settings))


def _empty(plan: Plan) -> Corpus:
    return Corpus(rankings={name: Ranking() for name in plan.names.systems}, runs=empty_table("runs"))


def _named(plan: Plan, place: int, source: Source, table: pa.Table) -> pa.Table:
    """Give systems and annotators their final names."""
    if source.role == "documents" or not len(table):
        return table
    column = "annotator" if source.role == "gold" else "system"
    final = {old: name for number, old, name in plan.names.listed if number == place}
    coded = table[column].combine_chunks().dictionary_encode()
    names = pa.array([final[one] for one in coded.dictionary.to_pylist()], pa.large_string())
    return table.set_column(table.column_names.index(column), column, names.take(coded.indices))


def _frame(tables: list[pa.Table], plan: Plan) -> pd.DataFrame:
    if not tables:
        return pd.DataFrame()
    table = pa.concat_tables(tables, promote_options="default")
    graded = "relevance" in table.column_names and table["relevance"].null_count < len(table)
    if plan.names.graded and not graded and plan.settings.annotators == "votes" and "annotator" in table.column_names:
        # Grades elsewhere mean that votes are not the grades here either: who gave no grade means yes.
        names = [name for name in table.column_names if name != "relevance"]
        table = table.select(names).append_column("relevance", pa.repeat(1.0, len(table)))
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _with_annotators(coded: Coded, annotators: tuple[str, ...]) -> Coded:
    """Return a part of the data with the numbers of the annotators of all parts."""
    place = np.array([annotators.index(name) for name in coded.annotators], np.int32)
    seen = np.zeros((len(annotators), len(coded.documents)), bool)
    seen[place] = coded.seen
    own = place[coded.entry_annotator] if len(place) else coded.entry_annotator
    return replace(coded, annotators=annotators, entry_annotator=own, seen=seen)
