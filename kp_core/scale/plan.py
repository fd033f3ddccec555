"""Turn large tables and settings into a plan: what to compute in every part, and what all parts share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import pandas as pd

from kp_core.corpus import Corpus, Role
from kp_core.errors import Note, input_error, usage_error
from kp_core.scale.sources import Source
from kp_core.scoring.codes import refuse_taken
from kp_core.scoring.gold import left_one_out, parse_choice
from kp_core.scoring.measures import Asked, names_in, parse
from kp_core.scoring.paired import Family
from kp_core.scoring.prepare import Names, prepare, refuse_alone
from kp_core.scoring.runs import OVER_RUNS, runs_of
from kp_core.scoring.sentence_ids import sentence_owner
from kp_core.settings import Settings
from kp_core.studies.annotators import asked_of
from kp_core.studies.evaluate import DEFAULT_MEASURES, refuse_named_alike
from kp_core.studies.parts import parse_by
from kp_core.text.candidates import has_english

#: Phrases and texts by which the script and the language of a collection are judged, as in memory.
_PHRASES, _TEXTS = 5000, 50
_RUN = {"system": "str", "doc_id": "str", "rank": "int64", "phrase": "str"}


@dataclass(frozen=True)
class Plan:
    """What to compute in every part.

    settings  resolved, except the cutoff `average` before the first pass
    graded    whether some keyphrase has a grade; measures: those of systems
    agreement measures of the annotators, () for the usual ones; None where systems are scored
    largest   largest grade of all gold items, which RBP needs; None if nothing asks for it
    """

    sources: tuple[Source, ...]
    settings: Settings
    names: Names
    graded: bool
    measures: tuple[str, ...] = ()
    compare: tuple[Family, ...] = ()
    agreement: tuple[str, ...] | None = None
    baselines: bool = False
    by: str = ""
    notes: tuple[Note, ...] = ()
    largest: float | None = None

    @property
    def asked(self) -> list[Asked]:
        """The measures of annotators where these are asked for, else of systems, each once."""
        every = map(parse, self.measures if self.agreement is None else self.agreement)
        return list({one.name(): one for one in every}.values())

    @property
    def rows(self) -> int:
        """How many rows values and comparisons of all documents have, at the least."""
        people, systems = len(self.names.annotators), len(self.names.systems)
        if self.agreement is not None:
            return people * (people - 1) // 2
        cutoffs = sum(len(one.cutoffs(self.settings)) for one in self.asked)
        pairs = systems if any(family.baseline for family in self.compare) else systems * (systems - 1) // 2
        return systems * cutoffs + pairs * sum(len(family.asked.cutoffs(self.settings)) for family in self.compare)

    def _any(self, name: str) -> bool:
        """Whether a family or a measure of this name is asked for, of systems or of their pairs."""
        every = [one.measure for one in (*self.asked, *(family.asked for family in self.compare))]
        return any(name in (one.family, one.name) for one in every)

    @property
    def concordance(self) -> bool:
        """Whether concordance tables, and so N, are needed."""
        return self.baselines or self._any("concordance")

    @property
    def first_pass(self) -> bool:
        """Whether something must be counted over all gold before the parts can be scored."""
        return "average" in self.settings.k or (self.largest is None and self._any("RBP"))

    @property
    def paths(self) -> list[Path]:
        """The files of the tables that are on this machine."""
        return [Path(path) for one in self.sources for path in one.paths if "://" not in path]

    @cached_property
    def tables(self) -> tuple[Source, ...]:
        """The tables of which numbers are made: of the documents, texts and types only where something needs them."""
        texts = self.settings.universe.partition(":")[0] in ("ngrams", "candidates", "sentences")
        return tuple(
            replace(one, texts=one.role != "documents" or texts)
            for one in self.sources
            if one.role != "documents" or texts or ("group" in one.columns and (self.by or self.agreement is not None))
        )


def make_plan(
    sources: Sequence[Source],
    settings: Settings,
    measures: Sequence[str] | str | None = None,
    compare: Sequence[Family] = (),
    agreement: Sequence[str] | str | None = None,
    baselines: bool = False,
    by: str = "",
) -> Plan:
    """Return the plan; reject, with the reason, what needs all documents together.

    agreement: measures of the annotators; None where agreement is not asked for. Without it, systems are scored.
    """
    if measures is None:
        measures = DEFAULT_MEASURES if agreement is None and not compare else ()
    if settings.interval == "bootstrap":
        settings = settings.changed(interval="poisson")
    _refuse(settings, measures, compare, by)
    sources, names, graded = _named(sources)
    people = None if agreement is None else names_in(agreement)
    if people is None:
        if len(names.systems) < 1 + bool(compare):
            raise usage_error("one system" if names.systems else "no systems")
        for one in compare:
            one.average(settings)
        parse_choice(settings.annotators, names.annotators)
        refuse_named_alike(names.systems)
        if run := [runs[0] for runs in runs_of(names.systems).values() if len(runs) > 1]:
            raise usage_error("runs streamed", name=run[0])
    else:
        _refuse_of_people(settings, people, names)
    settings, notes = _settled(sources, settings)
    if people is not None:
        settings = settings.changed(k="all")
    if by or people is not None:
        groups = {one for source in sources if source.role == "documents" for one in source.distinct("group")}
        names = replace(names, groups=tuple(sorted(groups - {"", None})))
        if by and not names.groups:
            raise input_error("the documents", "no type")
    runs = names_in(measures), tuple(compare), people, baselines, by, notes
    return Plan(tuple(sources), settings, names, graded, *runs)


def _refuse_of_people(settings: Settings, measures: Sequence[str], names: Names) -> None:
    """Refuse a single annotator, and measures that are not added up over parts of the data."""
    for one in asked_of(settings, measures):
        if one.measure.family == "sets":
            raise usage_error("sets streamed", measure=one.name())
    refuse_alone(names.annotators)


def _refuse(settings: Settings, measures: Sequence[str], compare: Sequence[Family], by: str) -> None:
    """Refuse what cannot be added up over parts of the data."""
    reasons = {
        "vocabulary": settings.universe == "vocabulary",
        "others": left_one_out(settings.annotators),
        "length": by == "length",
        "concept": settings.by_concept == "yes",
        "rarity streamed": settings.gain == "propensity" or any(name.startswith("PSP@") for name in measures),
        "by": by not in ("", "group"),
        "rel": settings.annotators == "votes" and settings.rel > 1,
        "wilcoxon": any(one.test == "wilcoxon" for one in compare),
        "two-way streamed": settings.interval in OVER_RUNS or any(one.test in OVER_RUNS for one in compare),
    }
    for why, holds in reasons.items():
        if holds:
            raise usage_error(why, annotators=settings.annotators, by=by, interval=settings.interval)
    parse_by(by)


def _named(sources: Sequence[Source]) -> tuple[list[Source], Names, bool]:
    """Return the tables with the names that annotators and systems have in the result, these, and whether any grade."""
    systems, annotators, renamed, graded = list[str](), dict[str, None](), list[Source](), False
    for source in sources:
        column = {"gold": "annotator", "system": "system"}.get(source.role)
        if column is None:
            renamed.append(source)
            continue
        names = source.distinct(column) if column in source.columns else [source.name]
        final = {name: name for name in names}
        if source.named and source.name not in names:
            final = {name: source.name if len(names) == 1 else f"{source.name}/{name}" for name in names}
        renamed.append(replace(source, final=final))
        if source.role == "gold":
            annotators |= dict.fromkeys(final.values())
            grades = source.batches(["relevance"]) if "relevance" in source.columns else ()
            graded |= any(table["relevance"].null_count < len(table) for table in grades)
        elif again := [name for name in final.values() if name in systems]:
            raise input_error(source.shown, "same name", name=again[0])
        else:
            systems += final.values()
    refuse_taken(tuple(annotators))
    return renamed, Names(tuple(annotators), tuple(systems)), graded


def _settled(sources: Sequence[Source], settings: Settings) -> tuple[Settings, tuple[Note, ...]]:
    """Settle what `evaluate` settles before it scores: the script, what the gold standard names, and the universe.

    The first phrases and texts represent all: those of the gold standard, by which a stemmer is judged, and of systems.
    """
    gold, listed = (list(islice(_values(sources, role, "phrase"), _PHRASES)) for role in ("gold", "system"))
    if not gold and not listed:
        raise input_error("the gold standard", "no row")
    ids = ["x"] * len(gold)
    if gold and _all_sentences(sources):  # what systems return beside sentences says nothing about the gold standard
        ids, listed = [sentence_owner(phrase) or "x" for phrase in gold], []
    texts = [*islice(_values(sources, "documents", "text"), _TEXTS)] or [""]
    if settings.universe == "candidates":  # one text in English is enough, and there need not be one in every part
        texts = [*islice(filter(has_english, _values(sources, "documents", "text")), 1), *texts]
    documents = pd.DataFrame({"text": texts}).assign(doc_id=["x", *map(str, range(1, len(texts)))], title="", group="")
    tables = {
        "documents": documents.astype("str"),
        "gold": pd.DataFrame({"doc_id": ids, "annotator": "gold", "phrase": gold}).astype("str"),
        "runs": pd.DataFrame({"system": "s", "doc_id": "x", "rank": 1, "phrase": listed}).astype(_RUN),
        "empty": pd.DataFrame({"role": ["gold"], "source": ["gold"], "doc_id": ["x"]}).astype("str"),
    }
    k = [cutoff for cutoff in settings.k if cutoff != "average"]
    data = prepare(Corpus(**tables), settings, k=k or 1)
    return data.settings.changed(k=settings.k), data.notes


def _values(sources: Sequence[Source], role: Role, column: str) -> Iterator[str]:
    """Yield what a column of the gold standard, the systems or the documents holds, if it is not empty."""
    for source in sources:
        if source.role == role and column in source.columns:
            for table in source.batches([column]):
                yield from filter(None, table[column].to_pylist())


def _all_sentences(sources: Sequence[Source]) -> bool:
    """Return whether the whole gold standard names sentences; as a rule its first rows say that it does not."""
    gold = (table for one in sources if one.role == "gold" for table in one.batches(["doc_id", "phrase"]))
    rows = (row for table in gold for row in zip(*(column.to_pylist() for column in table.columns), strict=True))
    return all(sentence_owner(phrase.strip()) == document for document, phrase in rows if phrase and phrase.strip())
