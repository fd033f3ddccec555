"""Turn large tables and settings into a plan: what every part is asked for, and what is known of all parts before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, Ranking, empty_table
from kp_core.errors import InputError, Note, UsageError
from kp_core.reading import load
from kp_core.reading.limits import LIMITS
from kp_core.reading.values import trim
from kp_core.scale.sources import Source
from kp_core.scoring.codes import code, identify, refuse_taken
from kp_core.scoring.gold import left_one_out, parse_choice
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.prepare import Prepared, prepare, refuse_alone
from kp_core.scoring.sentence_ids import sentence_owner
from kp_core.settings import Settings
from kp_core.studies.annotators import asked_of
from kp_core.studies.compare import Family
from kp_core.studies.evaluate import DEFAULT_MEASURES
from kp_core.text.candidates import has_english

#: Phrases by which the script of a collection is judged, as in memory.
_PHRASES = 5000
#: What is judged over all rows of a collection at once is judged at the end, not in each part.
_PART_LIMITS = replace(LIMITS, rejected_percent=100, documents=2**31)


@dataclass(frozen=True)
class Names:
    """What the columns of all rows say, in the order of the files; graded: whether some keyphrase has a grade."""

    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    groups: tuple[str, ...]
    graded: bool


@dataclass(frozen=True)
class Plan:
    """What every part is asked for.

    settings  resolved, but for the cutoff `average` before the first pass
    agreement measures of the annotators, () for the usual ones; None where systems are scored
    largest   largest grade of all gold items, which RBP needs; None where nothing asks for it
    """

    sources: tuple[Source, ...]
    settings: Settings
    names: Names
    measures: tuple[str, ...] = ()
    compare: tuple[Family, ...] = ()
    agreement: tuple[str, ...] | None = None
    baselines: bool = False
    by: str = ""
    notes: tuple[Note, ...] = ()
    largest: float | None = None

    @property
    def asked(self) -> list[Asked]:
        """The measures of systems and of their pairs."""
        return [parse(name) for name in (*self.measures, *(one.measure for one in self.compare))]

    @property
    def concordance(self) -> bool:
        """Whether concordance tables, and so N, are needed."""
        return self.baselines or any(one.measure.family == "concordance" for one in self.asked)

    @property
    def first_pass(self) -> bool:
        """Whether something must be counted over all gold before the parts can be scored."""
        graded = self.largest is None and any(one.measure.name == "RBP" for one in self.asked)
        return "average" in self.settings.k or graded

    @property
    def by_group(self) -> bool:
        """Whether types of documents have rows of their own."""
        return self.by == "group" or self.agreement is not None

    @cached_property
    def tables(self) -> tuple[Source, ...]:
        """The tables of which numbers are made: of the documents, texts and types only where something needs them."""
        texts = self.settings.universe.partition(":")[0] in ("ngrams", "candidates", "sentences")
        tables = [one if one.role != "documents" else replace(one, texts=texts) for one in self.sources]
        # Documents stand last, so leaving them out changes no number of another table.
        return tuple(
            one for one in tables if one.role != "documents" or texts or (self.by_group and "group" in one.columns)
        )


def names_in(measures: Sequence[str] | str) -> tuple[str, ...]:
    """Return names of measures, each once.

    >>> names_in("P@5, MAP"), names_in(["P@5,MAP", "MAP"])
    (('P@5', 'MAP'), ('P@5', 'MAP'))
    """
    each = [measures] if isinstance(measures, str) else measures
    return tuple(dict.fromkeys(part.strip() for names in each for part in names.split(",")))


def make_plan(
    sources: Sequence[Source],
    settings: Settings,
    measures: Sequence[str] | str | None = None,
    compare: Sequence[Family] = (),
    agreement: Sequence[str] | str | None = None,
    baselines: bool = False,
    by: str = "",
) -> Plan:
    """Return the plan; refuses with its reason what needs all documents at once.

    agreement: measures of the annotators; None where agreement is not asked for. Without it, systems are scored.
    """
    if measures is None:
        measures = DEFAULT_MEASURES if agreement is None and not compare else ()
    if settings.interval == "bootstrap":
        settings = settings.changed(interval="poisson")
    _refuse(settings, compare, by)
    of_people = None if agreement is None else names_in(agreement)
    sources, names = _named(sources)
    if of_people is None:
        _refuse_systems(names, settings, compare)
    else:
        asked_of(settings, of_people)
        refuse_alone(names.annotators)
    settings, notes = _settled(sources, settings)
    if of_people is not None:
        settings = settings.changed(k="all")
    compare = tuple(compare)
    plan = Plan(tuple(sources), settings, names, names_in(measures), compare, of_people, baselines, by, notes)
    if plan.by_group:
        groups = {one for source in plan.tables if source.role == "documents" for one in _distinct(source, "group")}
        plan = replace(plan, names=replace(names, groups=tuple(sorted(groups - {""} - {None}))))
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


def _named(sources: Sequence[Source]) -> tuple[list[Source], Names]:
    """Return the tables with the names that annotators and systems have in the result, and these names."""
    owner: dict[str, int] = {}
    annotators, renamed, graded = dict[str, None](), list[Source](), False
    for place, source in enumerate(sources):
        if source.role == "documents":
            renamed.append(source)
            continue
        column = "annotator" if source.role == "gold" else "system"
        names = _distinct(source, column) if column in source.columns else [source.name]
        final = {name: name for name in names}
        if source.named and source.name not in names:
            final = {name: source.name if len(names) == 1 else f"{source.name}/{name}" for name in names}
        renamed.append(replace(source, final=final))
        if source.role == "gold":
            annotators |= dict.fromkeys(final.values())
            grades = source.batches(["relevance"]) if "relevance" in source.columns else ()
            graded |= any(table["relevance"].null_count < len(table) for table in grades)
        elif again := [name for name in final.values() if owner.setdefault(name, place) != place]:
            raise InputError(
                source.shown,
                f"the system name “{again[0]}” again",
                "each system name once",
                "Give each file its own name (NAME=PATH).",
            )
    refuse_taken(tuple(annotators))
    return renamed, Names(tuple(annotators), tuple(owner), (), graded)


def _distinct(source: Source, column: str) -> list[str]:
    """Return the distinct values of a column in the order in which they appear."""
    values: dict[str, None] = {}
    for table in source.batches([column]) if column in source.columns else ():
        values |= dict.fromkeys(pc.unique(table[column]).to_pylist())
    return list(values)


def _of(sources: Iterable[Source], *roles: str) -> list[Source]:
    return [source for source in sources if source.role in roles]


def _settled(sources: Sequence[Source], settings: Settings) -> tuple[Settings, tuple[Note, ...]]:
    """Settle what `evaluate` settles before it scores: the script, what the gold standard names, and the universe."""
    phrases: dict[str, None] = {}
    for source in _of(sources, "gold", "system"):
        for table in source.batches(["phrase"]):
            phrases |= dict.fromkeys(pc.unique(table["phrase"].fill_null("")).to_pylist())
            if len(phrases) >= _PHRASES:
                break
    text = next(filter(None, _texts(sources)), "")
    if settings.universe == "candidates":  # one text in English is enough, and there need not be one in every part
        text = next(filter(has_english, _texts(sources)), text)
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
    return data.settings.changed(k=settings.k), data.notes


def _texts(sources: Sequence[Source]) -> Iterator[str]:
    """Give the texts that are not empty."""
    for source in _of(sources, "documents"):
        for table in source.batches(["text"]) if "text" in source.columns else ():
            yield from filter(None, table["text"].to_pylist())


def _all_sentences(sources: Sequence[Source]) -> bool:
    """Tell whether the whole gold standard names sentences; as a rule its first rows say that it does not."""
    for table in (table for source in _of(sources, "gold") for table in source.batches(["doc_id", "phrase"])):
        phrases = trim(table["phrase"].fill_null("")).to_pylist()
        if any(
            one and sentence_owner(one) != name for one, name in zip(phrases, table["doc_id"].to_pylist(), strict=True)
        ):
            return False
    return True


def corpus_of(plan: Plan, tables: Iterable[tuple[Source, pa.Table]]) -> Corpus:
    """Return rows of the tables as a corpus that knows the systems of all parts."""
    own: dict[str, list[pa.Table]] = {"gold": [], "system": [], "documents": []}
    for source, table in tables:
        own[source.role].append(table)
    frames = {role: _frame(parts, plan) for role, parts in own.items()}
    if len(frames["gold"]) or len(frames["system"]):
        given = {role: [frame] for role, frame in frames.items() if len(frame)}
        corpus = load(given.get("gold"), given.get("system"), given.get("documents"), limits=_PART_LIMITS)
    else:
        corpus = Corpus(runs=empty_table("runs"))
    return replace(corpus, rankings={name: corpus.rankings.get(name, Ranking()) for name in plan.names.systems})


def has_gold(corpus: Corpus) -> bool:
    """Tell whether a part of the data has any document of the gold standard."""
    return bool(len(corpus.gold) or (corpus.empty["role"] == "gold").any())


def prepared_part(corpus: Corpus, plan: Plan) -> Prepared:
    """Return a part of the data under the settings of all parts, with the numbers of the annotators of all parts."""
    coded, annotators = code(corpus), plan.names.annotators
    place = np.array([annotators.index(name) for name in coded.annotators], np.int32)
    seen = np.zeros((len(annotators), len(coded.documents)), bool)
    seen[place] = coded.seen
    coded = replace(coded, annotators=annotators, entry_annotator=place[coded.entry_annotator], seen=seen)
    identities = identify(coded.phrases, plan.settings.normalise, plan.settings.gold_stemmed == "yes")
    return Prepared(corpus, plan.settings, (), coded, identities)


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
