"""Turn one part of the data into what its documents add up to, and the sums of all parts into results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from kp_core.corpus import Corpus, Ranking, empty_table
from kp_core.errors import Note, counted
from kp_core.reading import Choice, load, sense
from kp_core.reading.assemble import rejected_in_words
from kp_core.reading.limits import LIMITS
from kp_core.scale.plan import Plan
from kp_core.scale.refusals import unfit
from kp_core.scale.tally import Tally
from kp_core.scoring import draws
from kp_core.scoring.accumulate import Accumulator, Sums
from kp_core.scoring.codes import Floats, Ints, code, gold_entries, identify
from kp_core.scoring.counts import PART
from kp_core.scoring.measures import parse
from kp_core.scoring.paired import Pairing, common, statistic
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.systems import BASELINES, scored_systems
from kp_core.settings import Cutoff, signature
from kp_core.studies import facts
from kp_core.studies.annotators import NO_INTERVAL, Part, grids, parts_of, result_of, too_many
from kp_core.studies.compare import Comparison, Family, comparison_of, in_words
from kp_core.studies.evaluate import add_system, system_rows
from kp_core.studies.parts import masks, parse_by
from kp_core.studies.result import Result, frame_of

#: Trials whose swaps are unpacked at once: as numbers they take eight times their room.
_TRIALS = 2000
#: What is judged over all rows of a collection at once is judged at the end, not in each part.
_PART_LIMITS = replace(LIMITS, rejected_percent=100, documents=2**31)


def corpus_of(plan: Plan, tables: Sequence[tuple[str, pa.Table]]) -> Corpus:
    """Return rows of tables of gold, system or documents as a corpus that knows the systems of all parts."""
    frames = dict[str, list[pd.DataFrame]]()
    for role in ("gold", "system", "documents"):
        if rows := [table for own, table in tables if own == role and len(table)]:
            frames[role] = [pa.concat_tables(rows, promote_options="default").to_pandas()]
    corpus = Corpus(runs=empty_table("runs"))
    if "gold" in frames or "system" in frames:
        # A part may be too small to tell from its rows that a cell is one phrase.
        whole = Choice(options={"cells": "none"})
        roles = {role: whole for role in frames if role != "documents"}
        parts = (frames.get(role) for role in ("gold", "system", "documents"))
        corpus = load(*parts, roles=roles, limits=_PART_LIMITS)
    return replace(corpus, rankings={name: corpus.rankings.get(name, Ranking()) for name in plan.names.systems})


def _prepared(corpus: Corpus, plan: Plan) -> Prepared | None:
    """Return a part of the data under the settings and the annotators of all parts; None without any gold."""
    if not len(corpus.gold) and not (corpus.empty["role"] == "gold").any():
        return None
    coded, annotators = code(corpus), plan.names.annotators
    place = np.array([annotators.index(name) for name in coded.annotators], np.int32)
    seen, relevance = np.zeros((len(annotators), len(coded.documents)), bool), coded.entry_relevance
    seen[place] = coded.seen
    if plan.names.graded and plan.settings.annotators == "votes":
        relevance = np.nan_to_num(relevance, nan=1.0)  # grades elsewhere: votes are not the grades here either
    coded = replace(coded, annotators=annotators, seen=seen, entry_annotator=place[coded.entry_annotator])
    coded = replace(coded, entry_relevance=relevance)
    identities = identify(coded.phrases, plan.settings.normalise, plan.settings.gold_stemmed == "yes")
    return Prepared(corpus, plan.settings, (), coded, identities)


def count_gold(corpus: Corpus, plan: Plan) -> tuple[int, int, float]:
    """Return what must be known of all gold before the parts are scored: entries, lists, and the largest grade."""
    data = _prepared(corpus, plan)
    if data is None:
        return 0, 0, 0.0
    entries, lists = gold_entries(data.coded, data.identities.gold, plan.settings.rel)
    return entries, lists, float(data.gold.grade.max(initial=0.0))


def score(corpus: Corpus, plan: Plan) -> Tally:
    """Return what the documents of a part add up to, for everything that the plan asks for."""
    # Rejected rows are counted by reason: the lines of a part are not those of a file.
    rejected = {rejected_in_words(rows) for _, rows in corpus.report.rejected.groupby("file")}
    # Whether sides meet is said of the whole, and not of a part.
    ours = [note for note in corpus.report.notes if note.message not in rejected and note not in sense.notes(corpus)]
    tally = Tally(notes=ours)
    for reason, number in corpus.report.rejected["reason"].value_counts().items():
        tally.count(f"rejected/{reason}", number)
    tally.count("read", sum(one.rows_read for one in corpus.report.readings if one.role in ("gold", "system")))
    data = _prepared(corpus, plan)
    if data is not None:
        tally.count("documents", len(data.documents))
        (_add_systems if plan.agreement is None else _add_annotators)(data, plan, tally)
    elif plan.agreement is None:
        lists = corpus.runs.groupby("system")["doc_id"].unique()
        found = {f"lost/{name}": facts.Ids() for name in plan.names.systems}
        found |= {f"unknown/{name}": facts.Ids.of(own.tolist()) for name, own in lists.items()}
        tally.facts["evaluate"] = facts.Facts(found)
    return tally


def _blocks(data: Prepared, plan: Plan, drawn: bool) -> Iterator[tuple[slice, tuple[str, ...], Floats | None]]:
    """Give blocks of documents with their ids and, where they are drawn, their bootstrap weights (B, D)."""
    settings = plan.settings
    for begin in range(0, len(data.documents), PART):
        block = slice(begin, begin + PART)
        ids = data.documents[block]
        yield block, ids, draws.poisson(draws.keys(ids), settings.resamples, settings.seed).T if drawn else None


def _add_systems(data: Prepared, plan: Plan, tally: Tally) -> None:
    """Add the measures and comparisons of all systems, block by block."""
    systems, settings = scored_systems(data, plan.concordance, plan.baselines), plan.settings
    if plan.largest is not None:
        largest = partial(replace, largest=plan.largest)
        systems = {name: one.changed(largest) for name, one in systems.items()}
    tally.facts["evaluate"] = facts.evaluation_facts(data, systems, plan.concordance)
    blocks = {f"0/{place}": one.parts() for place, one in enumerate(systems.values())}
    if plan.by and any(data.coded.groups):
        for subset, documents in masks(data, parse_by(plan.by)).items():
            restricted, number = [one.restricted(documents) for one in systems.values()], _number(plan, subset)
            tally.count(f"documents/{number}", restricted[0].ranking.known.sum())
            blocks |= {f"{number}/{place}": one.parts() for place, one in enumerate(restricted)}
    poisson, accumulator = settings.interval == "poisson", Accumulator(settings.interval, tally.sums)
    for block, (_, ids, weights) in enumerate(_blocks(data, plan, poisson or bool(plan.compare))):
        accumulator.begin(blocks["0/0"][block].ranking.drawable, weights if poisson else None)
        for name, parts in blocks.items():
            add_system(accumulator, name, parts[block], plan.asked, settings)
        for family, cutoff, pairing in _pairings(plan, tally):
            statistics = {
                system: statistic(blocks[f"0/{place}"][block], family.asked, cutoff, pairing.average)
                for place, system in enumerate(pairing.systems)
            }
            pairing.add(statistics, weights, _swaps(plan, family, ids))
            lost = facts.Ids.where(ids, ~common(statistics))
            tally.facts[pairing.name] = tally.facts.get(pairing.name, facts.Ids()) + lost


def _number(plan: Plan, subset: str) -> int:
    """Return the number of a subset, 0 for all documents; names may hold anything."""
    return 0 if subset == "all" else 1 + plan.names.groups.index(subset.partition(":")[2])


def _pairings(plan: Plan, tally: Tally) -> Iterator[tuple[Family, Cutoff, Pairing]]:
    """Give family, cutoff and sums of every comparison."""
    settings, systems = plan.settings, list(plan.names.systems)
    for number, family in enumerate(plan.compare):
        for cutoff in family.asked.cutoffs(settings):
            average, name = family.average(settings), f"compare/{number}/{cutoff}"
            yield family, cutoff, Pairing(systems, family.asked, average, settings.interval, tally.sums, name)


def _swaps(plan: Plan, family: Family, ids: tuple[str, ...]) -> Iterator[Floats]:
    """Yield which documents each trial swaps (T, D), some trials at a time."""
    if family.test == "randomisation":
        swaps = draws.swaps(draws.keys(ids), family.trials, plan.settings.seed)
        for begin in range(0, family.trials, _TRIALS):
            yield swaps[:, begin : begin + _TRIALS].T.astype(float)


def _couples(plan: Plan) -> tuple[Ints, Ints]:
    """Return all pairs of annotators; those who saw no document together have no row in the end."""
    first, second = np.triu_indices(len(plan.names.annotators), 1)
    return first, second


def _parts(plan: Plan, sums: Sums) -> dict[str, tuple[Part, Accumulator]]:
    """Return every part of an agreement with its sums, by their name."""
    parts = dict[str, tuple[Part, Accumulator]]()
    asked = [parse(name) for name in plan.agreement or ()]
    for part in parts_of(asked, plan.names.annotators, _couples(plan), plan.names.groups):
        name = f"{part.kind}/{_number(plan, part.subset)}/{part.asked.name()}"
        # Each has its own documents that resamples may hold, as in memory.
        interval = plan.settings.interval if part.has_intervals else NO_INTERVAL
        parts[name] = part, Accumulator(interval, Sums(sums.under(name)))
    return parts


def _add_annotators(data: Prepared, plan: Plan, tally: Tally) -> None:
    """Add the agreement of the annotators, block by block."""
    data.refuse_small_universe(data.all_items.size.astype(float))
    tally.facts["agreement"] = facts.agreement_facts(data)
    parts = _parts(plan, tally.sums)
    every = list(grids(data, [part for part, _ in parts.values()], _couples(plan)))
    for block, _, weights in _blocks(data, plan, plan.settings.interval == "poisson"):
        for (part, accumulator), (_, grid, _) in zip(parts.values(), every, strict=True):
            view = grid.part(block)
            accumulator.begin(view.used, weights if part.has_intervals else None)
            for average in part.asked.averages(plan.settings.average):
                accumulator.add("", part.asked, view, average)
    for (name, (_, accumulator)), (_, _, documents) in zip(parts.items(), every, strict=True):
        tally.sums.add(f"{name}/rows", documents)
        tally.sums.merge(Sums({f"{name}/{array}": values for array, values in accumulator.sums.arrays.items()}))


def _notes(tally: Tally, plan: Plan) -> list[Note]:
    """Return the notes of all parts: those on reading, and how many rows were rejected."""

    def place(note: Note) -> tuple[int, str]:
        # As in memory: what is said of all files, then system by system; what was sorted comes before what is tied.
        words = "".join(map(str, note.counts)) if note.counts else note.message
        return next((i for i, name in enumerate(plan.names.systems) if f"“{name}”" in words), -1), words

    notes = [*plan.notes, *sorted(tally.notes, key=place)]
    if reasons := _rejected(tally):
        named = ", ".join(f"{reason} ({n:,})" for reason, n in sorted(reasons.items()))
        words = counted(sum(reasons.values()), "row was rejected and is", "rows were rejected and are")
        notes.append(Note("warning", "rows", f"{words} not used: {named}"))
    return notes


def _rejected(tally: Tally) -> dict[str, int]:
    """Return how many rows were rejected, by reason."""
    return {reason: int(count[0]) for reason, count in tally.sums.under("rejected").items()}


def refuse_if_mostly_rejected(tally: Tally) -> None:
    """Refuse data of which too many rows were rejected, over all parts, by the limit that holds in memory."""
    rejected, read, most = sum(_rejected(tally).values()), tally.number("read"), LIMITS.rejected_percent
    if rejected * 100 > most * read:
        raise unfit("the tables", "rejected", rejected=rejected, rows=counted(read, "row"), most=most)


def result(tally: Tally, plan: Plan) -> Result:
    """Return the result of an evaluation, or of an agreement where that was asked for."""
    if plan.agreement is not None:
        return _agreement_result(tally, plan)
    accumulator, rows = Accumulator(plan.settings.interval, tally.sums), list[dict[str, Any]]()
    systems = [*plan.names.systems, *(BASELINES if plan.baselines else ())]
    for subset in ("all", *(f"group:{group}" for group in plan.names.groups if plan.by)):
        number = _number(plan, subset)
        documents = tally.number(f"documents/{number}" if number else "documents")
        for place, system in enumerate(systems):
            rows += system_rows(
                [accumulator], f"{number}/{place}", system, plan.asked, plan.settings, documents, subset
            )
    notes = [*_notes(tally, plan), *facts.evaluation_notes(tally.facts["evaluate"], plan.settings, plan.concordance)]
    return Result(frame_of(rows), plan.settings, tuple(notes), tally.number("documents"), plan.concordance)


def _agreement_result(tally: Tally, plan: Plan) -> Result:
    rows = list[tuple[Any, ...]]()
    for name, (part, accumulator) in _parts(plan, tally.sums).items():
        documents = tally.sums.arrays[f"{name}/rows"].astype(np.int64)
        average_of = partial(accumulator.average, "", part.asked, absent=part.absent)
        seen = dict(zip(part.names, documents, strict=True))
        rows += [row for row in part.rows(documents, average_of, plan.settings) if part.kind != "pairs" or seen[row[0]]]
    notes = facts.agreement_notes(tally.facts["agreement"], too_many(len(_couples(plan)[0])), plan.settings)
    return result_of(rows, plan.settings, (*_notes(tally, plan), *notes), tally.number("documents"))


def comparisons(tally: Tally, plan: Plan) -> list[Comparison]:
    """Return every comparison that was asked for, by measure and cutoff."""
    results = []
    for family, cutoff, pairing in _pairings(plan, tally):
        compared = pairing.compared(family.test)
        words = in_words(family, plan.settings, max(compared.documents, 60))
        words += "; streamed, so that no ranks of differences and no rank-biserial correlation are given"
        agreement = family.asked.measure.family == "concordance"
        recipe = signature(plan.settings.changed(k=(cutoff,)), tally.number("documents"), agreement)
        lost: facts.Ids = tally.facts.get(pairing.name, facts.Ids())
        results.append(comparison_of(compared, family, cutoff, plan.settings, recipe, lost, words))
    return results
