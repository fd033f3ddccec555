"""Turn one part of the data into what its documents add up to, and the sums of all parts into results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, counted
from kp_core.reading.assemble import rejected_in_words
from kp_core.reading.limits import LIMITS
from kp_core.scale.plan import Plan, has_gold, prepared_part
from kp_core.scale.tally import Tally
from kp_core.scoring import draws
from kp_core.scoring.accumulate import Accumulator, Sums
from kp_core.scoring.codes import Floats, Ints, gold_entries
from kp_core.scoring.counts import PART
from kp_core.scoring.measures import parse
from kp_core.scoring.paired import Pairing, common, statistic
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.systems import BASELINES, Counted, scored_systems
from kp_core.settings import Cutoff, Interval, signature
from kp_core.studies.annotators import NO_INTERVAL, Part, grids, parts_of, result_of, too_many
from kp_core.studies.compare import Comparison, Family, comparison_of, in_words
from kp_core.studies.evaluate import add_system, system_rows
from kp_core.studies.facts import Facts, Ids, agreement_facts, agreement_notes, evaluation_facts, evaluation_notes
from kp_core.studies.parts import masks, parse_by
from kp_core.studies.result import Result, frame_of

#: Trials whose swaps are unpacked at once: as numbers they take eight times their room.
_TRIALS = 2000


def score(corpus: Corpus, plan: Plan) -> Tally:
    """Return what the documents of a part add up to, for everything that the plan asks for."""
    # Rejected rows are counted by reason: the lines of a part are not those of a file.
    rejected = {rejected_in_words(rows) for _, rows in corpus.report.rejected.groupby("file")}
    tally = Tally(notes=[note for note in corpus.report.notes if note.message not in rejected])
    for reason, number in corpus.report.rejected["reason"].value_counts().items():
        tally.sums.add(f"rejected/{reason}", np.array([number]))
    for reading in corpus.report.readings:
        if reading.role in ("gold", "system"):
            tally.sums.add("read", np.array([reading.rows_read]))
    if has_gold(corpus):
        data = prepared_part(corpus, plan)
        tally.sums.add("documents", np.array([len(data.documents)]))
        (_add_systems if plan.agreement is None else _add_annotators)(data, plan, tally)
    elif plan.agreement is None:
        lists = corpus.runs[["system", "doc_id"]].groupby("system")["doc_id"]
        facts = {f"lost/{name}": Ids() for name in plan.names.systems}
        facts |= {f"unknown/{name}": Ids.of(list(dict.fromkeys(own))) for name, own in lists}
        tally.facts["evaluate"] = Facts(facts)
    return tally


def count_gold(corpus: Corpus, plan: Plan) -> Tally:
    """Return what must be known of all gold before the parts are scored: its size, and the largest grade."""
    tally = Tally()
    if has_gold(corpus):
        data = prepared_part(corpus, plan)
        tally.sums.add("gold", np.array(gold_entries(data.coded, data.identities.gold, plan.settings.rel)))
        # The largest of all parts is among those that are the largest of a part.
        tally.sums.add(f"largest/{float(data.gold.grade.max(initial=0.0))!r}", np.array([1]))
    return tally


def _add_systems(data: Prepared, plan: Plan, tally: Tally) -> None:
    """Add the measures and comparisons of all systems, block by block."""
    systems, settings = scored_systems(data, plan.concordance, plan.baselines), plan.settings
    if plan.largest is not None:
        largest = partial(replace, largest=plan.largest)
        systems = {name: one.changed(largest) for name, one in systems.items()}
    tally.facts["evaluate"] = evaluation_facts(data, systems, plan.concordance)
    subsets = {"all": systems}
    if plan.by and any(data.coded.groups):
        for subset, documents in masks(data, parse_by(plan.by)).items():
            subsets[subset] = {name: one.restricted(documents) for name, one in systems.items()}
    for subset, restricted in subsets.items():
        known = next(iter(restricted.values())).ranking.known
        tally.sums.add(f"documents/{_number(plan, subset)}", np.array([known.sum()]))
    asked, accumulator = [parse(name) for name in plan.measures], Accumulator(settings.interval, tally.sums)
    blocks = {subset: {name: one.parts() for name, one in own.items()} for subset, own in subsets.items()}
    for number, begin in enumerate(range(0, len(data.documents), PART)):
        ids = data.documents[begin : begin + PART]
        own = {subset: {name: one[number] for name, one in whole.items()} for subset, whole in blocks.items()}
        scored = next(iter(own["all"].values())).ranking.drawable
        weights = _weights(plan, ids)
        accumulator.begin(scored, weights if settings.interval == "poisson" else None)
        for subset, restricted in own.items():
            for place, one in enumerate(restricted.values()):
                add_system(accumulator, f"{_number(plan, subset)}/{place}", one, asked, settings)
        _add_pairs(own["all"], plan, tally, ids, weights)


def _number(plan: Plan, subset: str) -> int:
    """Return the number of a subset, 0 for all documents; names may hold anything."""
    return 0 if subset == "all" else 1 + plan.names.groups.index(subset.partition(":")[2])


def _weights(plan: Plan, ids: tuple[str, ...]) -> Floats | None:
    """Return the bootstrap weights (B, D) of a block, where something needs them."""
    settings = plan.settings
    if settings.interval != "poisson" and not plan.compare:
        return None
    return draws.poisson(draws.keys(ids), settings.resamples, settings.seed).T


def _comparisons(plan: Plan) -> Iterator[tuple[str, Family, Cutoff]]:
    """Give name, family and cutoff of every comparison."""
    for number, family in enumerate(plan.compare):
        for cutoff in family.asked.cutoffs(plan.settings):
            yield f"compare/{number}/{cutoff}", family, cutoff


def _pairing(plan: Plan, tally: Tally, name: str, family: Family) -> Pairing:
    average = family.average(plan.settings)
    return Pairing(list(plan.names.systems), family.asked, average, plan.settings.interval, tally.sums, name)


def _add_pairs(
    block: dict[str, Counted], plan: Plan, tally: Tally, ids: tuple[str, ...], weights: Floats | None
) -> None:
    """Add a block to every comparison."""
    for name, family, cutoff in _comparisons(plan):
        pairing = _pairing(plan, tally, name, family)
        statistics = {
            system: statistic(block[system], family.asked, cutoff, pairing.average) for system in plan.names.systems
        }
        pairing.add(statistics, weights, _swaps(plan, family, ids))
        lost = Ids.of([ids[i] for i in np.flatnonzero(~common(statistics))])
        tally.facts[name] = tally.facts.get(name, Ids()) + lost


def _swaps(plan: Plan, family: Family, ids: tuple[str, ...]) -> Iterator[Floats]:
    """Yield which documents each trial swaps (T, D), some trials at a time."""
    if family.test != "randomisation":
        return
    swaps = draws.swaps(draws.keys(ids), family.trials, plan.settings.seed)
    for begin in range(0, family.trials, _TRIALS):
        yield swaps[:, begin : begin + _TRIALS].T.astype(float)


def _couples(plan: Plan) -> tuple[Ints, Ints]:
    """Return all pairs of annotators; those who saw no document together have no row in the end."""
    first, second = np.triu_indices(len(plan.names.annotators), 1)
    return first, second


def _parts(plan: Plan) -> dict[str, Part]:
    """Return every part of an agreement by the name of its sums."""
    asked = [parse(name) for name in plan.agreement or ()]
    parts = parts_of(asked, plan.names.annotators, _couples(plan), plan.names.groups)
    return {f"{part.kind}/{_number(plan, part.subset)}/{part.asked.name()}": part for part in parts}


def _add_annotators(data: Prepared, plan: Plan, tally: Tally) -> None:
    """Add the agreement of the annotators, block by block."""
    data.refuse_small_universe(data.all_items.size.astype(float))
    tally.facts["agreement"] = agreement_facts(data)
    names = _parts(plan)
    every = list(zip(names, grids(data, names.values(), _couples(plan)), strict=True))
    # Each has its own documents that resamples may hold, as in memory.
    adding = {name: Accumulator(_interval(part, plan)) for name, (part, _, _) in every}
    for begin in range(0, len(data.documents), PART):
        weights = _weights(plan, data.documents[begin : begin + PART])
        for name, (part, grid, _) in every:
            view = grid.part(slice(begin, begin + PART))
            adding[name].begin(view.used, weights if part.has_intervals else None)
            for average in part.asked.averages(plan.settings.average):
                adding[name].add("", part.asked, view, average)
    for name, (_, _, documents) in every:
        tally.sums.add(f"{name}/rows", documents)
        for array, values in adding[name].sums.arrays.items():
            tally.sums.add(f"{name}/{array}", values)


def _interval(part: Part, plan: Plan) -> Interval:
    return plan.settings.interval if part.has_intervals else NO_INTERVAL


def _notes(tally: Tally, plan: Plan) -> list[Note]:
    """Return the notes of all parts: those on reading, and how many rows were rejected."""

    def place(note: Note) -> tuple[int, str]:
        # As in memory: what is said of all files, then system by system; what was sorted comes before what is tied.
        words = "".join(map(str, note.counts)) if note.counts else note.message
        return next((i for i, name in enumerate(plan.names.systems) if f"“{name}”" in words), -1), words

    notes = [*plan.notes, *sorted(tally.notes, key=place)]
    reasons = {name: int(count[0]) for name, count in tally.sums.under("rejected").items()}
    if reasons:
        named, total = ", ".join(f"{reason} ({n:,})" for reason, n in sorted(reasons.items())), sum(reasons.values())
        words = counted(total, "row was rejected and is", "rows were rejected and are")
        notes.append(Note("warning", "rows", f"{words} not used: {named}"))
    return notes


def refuse_if_mostly_rejected(tally: Tally) -> None:
    """Refuse data of which too many rows were rejected, over all parts, by the limit that holds in memory."""
    rejected, read = sum(int(count[0]) for count in tally.sums.under("rejected").values()), tally.number("read")
    if rejected * 100 > LIMITS.rejected_percent * read:
        raise InputError(
            "the tables",
            f"{rejected:,} of {counted(read, 'row')} that do not fit",
            f"at most {LIMITS.rejected_percent} % such rows",
            "Look at the first rows with: kpscope validate.",
        )


def result(tally: Tally, plan: Plan) -> Result:
    """Return the result of an evaluation."""
    asked, accumulator = [parse(name) for name in plan.measures], Accumulator(plan.settings.interval, tally.sums)
    rows: list[dict[str, Any]] = []
    systems = [*plan.names.systems, *(BASELINES if plan.baselines else ())]
    for subset in ("all", *(f"group:{group}" for group in plan.names.groups if plan.by)):
        number = _number(plan, subset)
        documents = tally.number("documents") if subset == "all" else tally.number(f"documents/{number}")
        for place, system in enumerate(systems):
            name = f"{number}/{place}"
            rows += system_rows([accumulator], name, system, asked, plan.settings, documents, subset)
    notes = [*_notes(tally, plan), *evaluation_notes(tally.facts["evaluate"], plan.settings, plan.concordance)]
    return Result(frame_of(rows), plan.settings, tuple(notes), tally.number("documents"), plan.concordance)


def agreement_result(tally: Tally, plan: Plan) -> Result:
    """Return the result of an agreement."""
    rows = list[tuple[Any, ...]]()
    for name, part in _parts(plan).items():
        documents = tally.sums.arrays[f"{name}/rows"].astype(np.int64)
        accumulator = Accumulator(_interval(part, plan), Sums(tally.sums.under(name)))
        average_of = partial(accumulator.average, "", part.asked, absent=part.absent)
        seen = dict(zip(part.names, documents, strict=True))
        rows += [row for row in part.rows(documents, average_of, plan.settings) if part.kind != "pairs" or seen[row[0]]]
    notes = agreement_notes(tally.facts["agreement"], too_many(len(_couples(plan)[0])), plan.settings)
    return result_of(rows, plan.settings, (*_notes(tally, plan), *notes), tally.number("documents"))


def comparisons(tally: Tally, plan: Plan) -> list[Comparison]:
    """Return every comparison that was asked for, by measure and cutoff."""
    results = []
    for name, family, cutoff in _comparisons(plan):
        compared = _pairing(plan, tally, name, family).compared(family.test)
        words = in_words(family, plan.settings, max(compared.documents, 60))
        words += "; streamed, so that no ranks of differences and no rank-biserial correlation are given"
        settings = plan.settings.changed(k=(cutoff,))
        agreement = family.asked.measure.family == "concordance"
        recipe = signature(settings, tally.number("documents"), agreement)
        lost: Ids = tally.facts.get(name, Ids())
        results.append(comparison_of(compared, family, cutoff, plan.settings, recipe, lost, words))
    return results
