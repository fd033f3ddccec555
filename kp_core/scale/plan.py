"""Plan the evaluation of large tables: what to compute per part, and what all parts share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import pandas as pd

from kp_core.corpus import Corpus, Role
from kp_core.errors import Note, input_error, usage_error
from kp_core.scale.sources import Source
from kp_core.scoring.codes import refuse_reserved_names
from kp_core.scoring.gold import leave_one_out_rule, parse_choice
from kp_core.scoring.measures import Measure, names_in, parse
from kp_core.scoring.paired import Family
from kp_core.scoring.prepare import Names, prepare, refuse_single_annotator
from kp_core.scoring.runs import OVER_RUNS, runs_of
from kp_core.scoring.sentence_ids import sentence_owner
from kp_core.settings import Settings
from kp_core.studies.annotators import requested_measures
from kp_core.studies.evaluate import DEFAULT_MEASURES, refuse_reserved_systems
from kp_core.studies.parts import parse_by
from kp_core.text.candidates import has_english

#: Number of phrases and texts that determine script and language, as in memory.
_PHRASES, _TEXTS = 5000, 50
_RUN = {"system": "str", "doc_id": "str", "rank": "int64", "phrase": "str"}


@dataclass(frozen=True)
class Plan:
    """The computation for every part.

    * `settings`: resolved, except the cutoff `average` before the first pass; `graded`: whether keyphrases have grades
    * `agreement`: measures of the annotators, () for the defaults; None if systems are scored
    * `largest`: largest grade of all gold items, for RBP; None if it is not needed
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
    def parsed(self) -> list[Measure]:
        """The distinct measures, of annotators if their agreement is measured, else of systems."""
        measures = map(parse, self.measures if self.agreement is None else self.agreement)
        return list({measure.name(): measure for measure in measures}.values())

    @property
    def rows(self) -> int:
        """The minimum number of rows of values and comparisons."""
        annotators, systems = len(self.names.annotators), len(self.names.systems)
        if self.agreement is not None:
            return annotators * (annotators - 1) // 2
        cutoffs = sum(len(measure.cutoffs(self.settings)) for measure in self.parsed)
        pairs = systems if any(family.baseline for family in self.compare) else systems * (systems - 1) // 2
        return systems * cutoffs + pairs * sum(len(family.parsed.cutoffs(self.settings)) for family in self.compare)

    def _uses(self, name: str) -> bool:
        """Return whether a family or measure with this name is used, including for pairs."""
        measures = [measure.card for measure in (*self.parsed, *(family.parsed for family in self.compare))]
        return any(name in (measure.family, measure.name) for measure in measures)

    @property
    def concordance(self) -> bool:
        """Whether concordance tables, and so N, are needed."""
        return self.baselines or self._uses("concordance")

    @property
    def first_pass(self) -> bool:
        """Whether all gold items must be counted before the parts can be scored."""
        return "average" in self.settings.k or (self.largest is None and self._uses("RBP"))

    @cached_property
    def tables(self) -> tuple[Source, ...]:
        """The tables to read; texts and types of documents only if they are needed."""
        texts = self.settings.universe.partition(":")[0] in ("ngrams", "candidates", "sentences")
        types = bool(self.by) or self.agreement is not None
        needed = [
            item for item in self.sources if item.role != "documents" or texts or (types and "group" in item.columns)
        ]
        return tuple(replace(table, texts=table.role != "documents" or texts) for table in needed)


def make_plan(
    sources: Sequence[Source],
    settings: Settings,
    measures: Sequence[str] | str | None = None,
    compare: Sequence[Family] = (),
    agreement: Sequence[str] | str | None = None,
    baselines: bool = False,
    by: str = "",
) -> Plan:
    """Return the plan; refuse, with the reason, requests that need all documents together."""
    if measures is None:
        measures = DEFAULT_MEASURES if agreement is None and not compare else ()
    if settings.interval == "bootstrap":
        settings = settings.changed(interval="poisson")
    _refuse(settings, measures, compare, by)
    sources, names, graded = _with_names(sources)
    requested = None if agreement is None else names_in(agreement)
    if requested is None:
        if len(names.systems) < 1 + bool(compare):
            raise usage_error("one system" if names.systems else "no systems")
        for family in compare:
            family.average(settings)
        parse_choice(settings.annotators, names.annotators)
        refuse_reserved_systems(names.systems)
        if with_runs := [runs[0] for runs in runs_of(names.systems).values() if len(runs) > 1]:
            raise usage_error("runs streamed", name=with_runs[0])
    else:
        if sets := [
            measure.name() for measure in requested_measures(settings, requested) if measure.card.family == "sets"
        ]:
            raise usage_error("sets streamed", measure=sets[0])
        refuse_single_annotator(names.annotators)
        settings = settings.changed(k="all")
    settings, notes = _resolve(sources, settings)
    if by or requested is not None:
        groups = {group for source in sources if source.role == "documents" for group in source.distinct("group")}
        names = replace(names, groups=tuple(sorted(groups - {"", None})))
        if by and not names.groups:
            raise input_error("the documents", "no type")
    choices = names_in(measures), tuple(compare), requested, baselines, by, notes
    return Plan(tuple(sources), settings, names, graded, *choices)


def _refuse(settings: Settings, measures: Sequence[str], compare: Sequence[Family], by: str) -> None:
    reasons = {
        "vocabulary": settings.universe == "vocabulary",
        "others": leave_one_out_rule(settings.annotators),
        "length": by == "length",
        "concept": settings.by_concept == "yes",
        "rarity streamed": settings.gain == "propensity" or any(name.startswith("PSP@") for name in measures),
        "by": by not in ("", "group"),
        "rel": settings.annotators == "votes" and settings.rel > 1,
        "wilcoxon": any(family.test == "wilcoxon" for family in compare),
        "two-way streamed": settings.interval in OVER_RUNS or any(family.test in OVER_RUNS for family in compare),
    }
    for reason, refused in reasons.items():
        if refused:
            raise usage_error(reason, annotators=settings.annotators, by=by, interval=settings.interval)
    parse_by(by)


def _with_names(sources: Sequence[Source]) -> tuple[list[Source], Names, bool]:
    """Return the tables with final names, the names of annotators and systems, and whether keyphrases have grades."""
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
        elif duplicates := [name for name in final.values() if name in systems]:
            raise input_error(source.shown, "same name", name=duplicates[0])
        else:
            systems += final.values()
    refuse_reserved_names(tuple(annotators))
    return renamed, Names(tuple(annotators), tuple(systems)), graded


def _resolve(sources: Sequence[Source], settings: Settings) -> tuple[Settings, tuple[Note, ...]]:
    """Resolve settings as `evaluate` does, from the script of the phrases, the kind of gold standard, and the universe.

    The first phrases of the gold standard and of the systems, and the first texts, represent all data.
    """
    gold, predicted = (list(islice(_values(sources, role, "phrase"), _PHRASES)) for role in ("gold", "system"))
    if not gold and not predicted:
        raise input_error("the gold standard", "no row")
    ids = ["x"] * len(gold)
    if gold and _all_sentences(sources):  # phrases of systems are irrelevant then
        ids, predicted = [sentence_owner(phrase) or "x" for phrase in gold], []
    texts = [*islice(_values(sources, "documents", "text"), _TEXTS)] or [""]
    if settings.universe == "candidates":  # one English text is enough
        texts = [*islice(filter(has_english, _values(sources, "documents", "text")), 1), *texts]
    documents = pd.DataFrame({"text": texts}).assign(doc_id=["x", *map(str, range(1, len(texts)))], title="", group="")
    tables = {
        "documents": documents.astype("str"),
        "gold": pd.DataFrame({"doc_id": ids, "annotator": "gold", "phrase": gold}).astype("str"),
        "runs": pd.DataFrame({"system": "s", "doc_id": "x", "rank": 1, "phrase": predicted}).astype(_RUN),
        "empty": pd.DataFrame({"role": ["gold"], "source": ["gold"], "doc_id": ["x"]}).astype("str"),
    }
    k = [cutoff for cutoff in settings.k if cutoff != "average"]
    data = prepare(Corpus(**tables), settings, k=k or 1)
    return data.settings.changed(k=settings.k), data.notes


def _values(sources: Sequence[Source], role: Role, column: str) -> Iterator[str]:
    for source in sources:
        for table in source.batches([column]) if source.role == role and column in source.columns else ():
            yield from filter(None, table[column].to_pylist())


def _all_sentences(sources: Sequence[Source]) -> bool:
    gold = (table for source in sources if source.role == "gold" for table in source.batches(["doc_id", "phrase"]))
    rows = (row for table in gold for row in zip(*(column.to_pylist() for column in table.columns), strict=True))
    return all(sentence_owner(phrase.strip()) == document for document, phrase in rows if phrase and phrase.strip())
