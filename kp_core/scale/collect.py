"""Turn the corpus of one part of the data into what its documents add up to, by the code that scores in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from kp_core.corpus import Corpus
from kp_core.reading.assemble import rejected_in_words
from kp_core.scale.plan import Plan
from kp_core.scale.sums import Statistics, Weighed, joined, limbs, noted
from kp_core.scoring import draws
from kp_core.scoring.average import Grid, View
from kp_core.scoring.baselines import BASELINES
from kp_core.scoring.codes import Bools, Floats, Ints, code, gold_entries, identify
from kp_core.scoring.counts import PART, Cells
from kp_core.scoring.gold import gather
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.prepare import Counted
from kp_core.settings import Cutoff, Settings
from kp_core.studies.annotators import annotated_under, averages, parts, with_intervals
from kp_core.studies.evaluate import averages_asked, counts_of, scored_documents
from kp_core.studies.facts import Facts, Ids, SystemFacts, agreement_facts, facts_of
from kp_core.studies.parts import masks, parse_by, restricted

#: Binary places that are kept under random weights: of counts (mostly whole numbers), of values between -1 and 1, and
#: of values without such a bound. Sums without weights keep 60.
COUNTS, UNIT, OPEN = 16, 32, 20
#: A closed-form interval needs the products of all counts that a measure sees; with more than this it is left out.
_FEATURES = 60


def bits_of(one: Asked) -> int:
    """Return the binary places of a measure's values under random weights."""
    return UNIT if max(abs(one.measure.low), abs(one.measure.high)) <= 1 else OPEN


def collected(corpus: Corpus, plan: Plan) -> Statistics:
    """Return what the documents of a part add up to, for everything that the plan asks for."""
    # Rejected rows are counted by reason: the lines of a part are not those of a file.
    rejected = {rejected_in_words(rows) for _, rows in corpus.report.rejected.groupby("file")}
    found = Statistics(notes=noted(note for note in corpus.report.notes if note.message not in rejected))
    for reason, number in corpus.report.rejected["reason"].value_counts().items():
        found.add(joined("rejected", reason), np.array([number]))
    for reading in corpus.report.readings:
        if reading.role in ("gold", "system"):
            found.add("read", np.array([reading.rows_read]))
    if _has_gold(corpus):
        (_systems if plan.agreement is None else _agreement)(corpus, plan, found)
    elif plan.agreement is None:
        found.facts["evaluate"] = _without_gold(corpus, plan)
    return found


def _systems(corpus: Corpus, plan: Plan, found: Statistics) -> None:
    """Add the sums behind the measures and comparisons of all systems."""
    counted = counts_of(corpus, plan.settings, plan.concordance, plan.baselines)
    if plan.largest is not None:
        counted = {name: _graded(one, plan.largest) for name, one in counted.items()}
    found.facts["evaluate"] = facts_of(corpus, counted, plan.settings, plan.concordance)
    names, subsets = code(corpus).documents, {"all": counted}
    for subset, documents in masks(corpus, parse_by(plan.by)).items() if _in_groups(corpus, plan) else ():
        subsets[subset] = {system: restricted(own, documents) for system, own in counted.items()}
    for subset, systems in subsets.items():
        known = next(iter(systems.values())).ranking.known
        found.add(joined("documents", subset), np.array([len(names) if subset == "all" else known.sum()]))
    trials = max((one.trials for one in plan.compare if one.test == "randomisation"), default=0)
    resamples = plan.settings.resamples if plan.settings.interval == "poisson" or plan.compare else 0
    weighed, keys = Weighed(found, resamples, trials, plan.settings.seed), draws.keys(names)
    blocks = {subset: {name: _blocks(one) for name, one in systems.items()} for subset, systems in subsets.items()}
    for number, begin in enumerate(range(0, len(keys), PART)):
        own = {subset: {name: b[number] for name, b in systems.items()} for subset, systems in blocks.items()}
        _scored(found, weighed, scored_documents(next(iter(own["all"].values())).ranking))
        for subset, systems in own.items():
            for system, one in systems.items():
                _measures(found, weighed, plan, joined(subset, system), one)
        _compared(found, weighed, plan, own["all"], names[begin : begin + PART])
        weighed.close(keys[begin : begin + PART])


def first_pass(corpus: Corpus, plan: Plan) -> Statistics:
    """Return what must be known of all gold before the parts are scored: its size, and the largest grade."""
    found = Statistics()
    if _has_gold(corpus):
        entries, lists = gold_entries(corpus, plan.settings.conventions)
        found.add("gold", np.array([entries, lists]))
        record = plan.settings.conventions
        items = gather(code(corpus), identify(corpus, record), record, plan.settings.annotators)[0]
        # The largest of all parts is found among those that are the largest of a part.
        found.add(joined("largest", float(items.grade.max(initial=0.0)).hex()), np.array([1]))
    return found


def _has_gold(corpus: Corpus) -> bool:
    return bool(len(corpus.gold) or (corpus.empty["role"] == "gold").any())


def _in_groups(corpus: Corpus, plan: Plan) -> bool:
    return plan.by == "group" and bool((corpus.documents["group"].fillna("") != "").any())


def _without_gold(corpus: Corpus, plan: Plan) -> Facts:
    """Return the facts of a part that has lists and no gold: all of them are unknown."""
    lists = corpus.runs[["system", "doc_id"]]
    unknown = {name: Ids.of(list(dict.fromkeys(own))) for name, own in lists.groupby("system")["doc_id"]}
    return Facts(systems={name: SystemFacts(unknown=unknown.get(name, Ids())) for name in plan.names.systems})


def _graded(one: Counted, largest: float) -> Counted:
    ranking = replace(one.ranking, largest=largest)
    return Counted(ranking, ranking if one.table is one.ranking else replace(one.table, largest=largest))


def _blocks(counted: Counted) -> list[Counted]:
    """Return the counts in blocks of documents, the same for all systems."""
    ranking = counted.ranking.parts()
    table = ranking if counted.table is counted.ranking else counted.table.parts()
    return [Counted(a, b) for a, b in zip(ranking, table, strict=True)]


def _scored(found: Statistics, weighed: Weighed, scored: Bools) -> None:
    """Add the documents that resamples may hold: their weights give totals their size."""
    found.add("scored", np.array([scored.sum()]))
    weighed.draw("scored/drawn", scored[:, None].astype(float))


def _measures(found: Statistics, weighed: Weighed, plan: Plan, name: str, counted: Counted) -> None:
    """Add the sums behind every measure, cutoff and average of one system."""
    asked = [parse(one) for one in plan.measures]
    views: dict[tuple[bool, tuple[Cutoff, ...]], View] = {}
    for one in asked:
        wanted = wanted_of(one, plan.settings)
        table = one.measure.family == "concordance"
        view = views.setdefault((table, wanted), View(counted.of(one), wanted))
        for average in averages_asked(one, plan.settings):
            add(found, weighed, name, one, view, average, plan.settings, place_of(one, wanted, average))


def wanted_of(one: Asked, settings: Settings) -> tuple[Cutoff, ...]:
    """Return the cutoffs at which a measure is asked for."""
    return (one.fixed,) if one.fixed is not None else settings.cutoffs


def place_of(one: Asked, wanted: tuple[Cutoff, ...], average: str) -> str:
    """Return the name under which the sums of a measure stand; pooled counts serve all measures of a kind."""
    cutoffs = ",".join(map(str, wanted))
    if average == "micro":
        return joined("micro", "table" if one.measure.family == "concordance" else "ranking", cutoffs)
    return joined(average, one.name(), cutoffs)


def add(
    found: Statistics,
    weighed: Weighed,
    name: str,
    one: Asked,
    view: View | Grid,
    average: str,
    settings: Settings,
    place: str,
) -> None:
    """Add the sums behind one measure and average over the columns of a view; each place once a block."""
    name = f"{name}/{place}"
    if not weighed.once(name):
        return
    used = view.used
    if average == "micro":
        _pooled(found, weighed, name, view, settings)
    elif average == "f-of-means":
        parts = [view.values(parse(part)) for part in ("P@k", "R@k")]
        if one.measure.name != "F1@k":
            _values(found, weighed, name, view, one, parts[one.measure.name == "R@k"], used, settings)
            return
        ok = used[:, None] & ~np.isnan(parts[0]) & ~np.isnan(parts[1])
        for letter, part in zip("PR", parts, strict=True):
            found.add(f"{name}/{letter}/sum", limbs(np.where(ok, part, 0)))
            weighed.draw(f"{name}/{letter}/drawn", np.where(ok, part, 0), UNIT)
        _defined(found, weighed, name, ok)
    else:
        _values(found, weighed, name, view, one, view.values(one), used, settings)


def _values(
    found: Statistics,
    weighed: Weighed,
    name: str,
    view: View | Grid,
    one: Asked,
    values: Floats,
    used: Bools,
    settings: Settings,
) -> None:
    ok = used[:, None] & ~np.isnan(values)
    kept = np.where(ok, values, 0.0)
    found.add(f"{name}/sum", limbs(kept))
    if settings.interval == "cluster-t":
        found.add(f"{name}/squares", limbs(kept**2))
    weighed.draw(f"{name}/drawn", kept, bits_of(one))
    _defined(found, weighed, name, ok)
    nowhere = ~ok.any(axis=0)
    if nowhere.any() and used.any():  # why, where no document of the whole has a value
        status = view.status(one)[used]
        for why in np.unique(status[:, nowhere]):
            found.add(joined(*name.split("/"), "why", why), ((status == why) & nowhere).sum(axis=0))


def _defined(found: Statistics, weighed: Weighed, name: str, ok: Bools) -> None:
    found.add(f"{name}/defined", ok.sum(axis=0))
    weighed.draw(f"{name}/weight", ok.astype(float))


def arrays_of(cells: Cells) -> list[Floats]:
    """Return the arrays of counts, in the order in which `mapped` sees them."""
    found: list[Floats] = []

    def keep(array: Floats) -> Floats:
        found.append(array)
        return array

    cells.mapped(keep)
    return found


def features_of(arrays: list[Floats]) -> list[Floats]:
    """Return what each column of a measure depends on (D, K): the arrays, or every column where their widths differ."""
    if len({array.shape[1] for array in arrays}) == 1:
        return arrays
    return [array[:, [column]] for array in arrays for column in range(array.shape[1])]


def _pooled(found: Statistics, weighed: Weighed, name: str, view: View | Grid, settings: Settings) -> None:
    used = view.used
    cells = arrays_of(view.cells)
    for number, array in enumerate(cells):
        kept = np.where(used[:, None], array, 0.0)
        found.add(f"{name}/{number}/sum", limbs(kept))
        weighed.draw(f"{name}/{number}/drawn", kept, COUNTS)
    features = features_of([np.where(used[:, None], array, 0.0) for array in cells])
    if settings.interval == "cluster-t" and len(features) <= _FEATURES:
        for a, b in combinations_with_replacement(range(len(features)), 2):
            found.add(f"{name}/{a}x{b}", limbs(features[a] * features[b]))
    n = view.seen.sum(axis=0) if isinstance(view, Grid) else np.full(cells[0].shape[1], int(used.sum()))
    found.add(f"{name}/defined", n)
    if isinstance(view, Grid):
        found.add(f"{name}/used", np.array([used.sum()]))


def linear(counted: Counted, asked: Asked, cutoff: Cutoff, average: str) -> tuple[Floats, Floats, Bools]:
    """Return what a comparison adds up over documents (D, m), the value of each (D,), and where it is defined (D,)."""
    view = View(counted.of(asked), (cutoff,))
    values = view.values(asked)
    used = view.used
    if average == "micro":
        return np.hstack([one.astype(float) for one in arrays_of(view.cells)]), values[:, 0], used
    parts = values
    if average == "f-of-means" and asked.measure.name == "F1@k":
        parts = np.hstack([view.values(parse(name)) for name in ("P@k", "R@k")])
    return parts, values[:, 0], used & ~np.isnan(values[:, 0])


def compared_at(asked: Asked, settings: Settings) -> tuple[Cutoff, ...]:
    """Return the cutoffs at which systems are compared by a measure."""
    return (asked.fixed,) if asked.fixed is not None else settings.cutoffs


def each_comparison(plan: Plan) -> Iterator[tuple[str, Any, Asked, Cutoff, str, int]]:
    """Give every comparison: its name, what was asked, measure, cutoff, average, and the binary places of its sums."""
    for number, one in enumerate(plan.compare):
        asked = parse(one.measure)
        average = averages_asked(asked, plan.settings)[0]
        bits = COUNTS if average == "micro" else bits_of(asked)
        for cutoff in compared_at(asked, plan.settings):
            yield joined("compare", number, cutoff), one, asked, cutoff, average, bits


def _compared(
    found: Statistics, weighed: Weighed, plan: Plan, counted: dict[str, Counted], names: tuple[str, ...]
) -> None:
    systems = [name for name in counted if name not in BASELINES]
    for name, one, asked, cutoff, average, bits in each_comparison(plan):
        parts = {system: linear(counted[system], asked, cutoff, average) for system in systems}
        common = np.logical_and.reduce([defined for _, _, defined in parts.values()])
        kept = {system: np.where(common[:, None], sums, 0.0) for system, (sums, _, _) in parts.items()}
        found.add(f"{name}/common", np.array([common.sum()]))
        lost = Ids.of([names[i] for i in np.flatnonzero(~common)])
        found.facts[name] = found.facts.get(name, Ids()) + lost
        weighed.draw(f"{name}/weight", common[:, None].astype(float))
        for system in systems:
            own = joined(*name.split("/"), system)
            found.add(f"{own}/sum", limbs(kept[system]))
            weighed.draw(f"{own}/drawn", kept[system], bits)
        for a, b in combinations(systems, 2):
            own = joined(*name.split("/"), a, b)
            difference = np.round(parts[a][1] - parts[b][1], 12)[common]
            difference = difference[~np.isnan(difference)]
            signs = [(difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum()]
            found.add(f"{own}/signs", np.array(signs))
            found.add(f"{own}/moved", np.stack([limbs(difference[:, None])[0], limbs(difference[:, None] ** 2)[0]]))
            if one.test == "randomisation":
                weighed.swap(f"{own}/swaps", kept[a] - kept[b], bits)


def pairs_of(number: int) -> tuple[Ints, Ints]:
    """Return all pairs of so many annotators."""
    first, second = np.triu_indices(number, 1)
    return first, second


def _agreement(corpus: Corpus, plan: Plan, found: Statistics) -> None:
    """Add the sums behind the agreement of the annotators."""
    data = annotated_under(corpus, plan.settings)
    names, common = code(corpus).documents, pairs_of(len(data.annotators))
    found.facts["agreement"] = agreement_facts(corpus, data.choices.seen.sum(axis=0), plan.settings.universe)
    used = data.choices.seen.sum(axis=0) > 1
    found.add(joined("documents", "all"), np.array([len(names)]))
    resamples = plan.settings.resamples if plan.settings.interval == "poisson" else 0
    weighed = Weighed(found, resamples, 0, plan.settings.seed)
    silent = Weighed(found, 0, 0, plan.settings.seed)
    every = list(parts(data, [parse(name) for name in plan.agreement or ()], common, kinds_of(plan)))
    for part in every:
        found.add(joined("rows", part.subset, part.kind, part.asked.name()), part.documents)
    for begin in range(0, len(names), PART):
        block = slice(begin, begin + PART)
        _scored(found, weighed, used[block])
        for part in every:
            cells = part.view.cells.mapped(lambda array, block=block: array[block])  # type: ignore[misc]
            view = Grid(cells, part.view.seen[block], part.view.absent)
            for average in averages(plan.settings):
                name = joined(part.subset, part.kind)
                into = weighed if with_intervals(part) else silent
                add(found, into, name, part.asked, view, average, plan.settings, joined(average, part.asked.name()))
        weighed.close(draws.keys(names[block]))
        silent.close(np.zeros(0, np.uint64))


def kinds_of(plan: Plan) -> tuple[str, ...]:
    """Return the types of documents that have rows of their own."""
    return plan.names.groups if len(plan.names.groups) > 1 else ()
