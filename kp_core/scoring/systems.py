"""Turn prepared data into the counts of every system and baseline."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from kp_core.errors import input_error, pluralize
from kp_core.scoring.alignment import Lists, ideal_hits, random_hits, ranked_lists
from kp_core.scoring.by_similarity import semantic_counts
from kp_core.scoring.codes import Ints, owners, ranks
from kp_core.scoring.counts import (
    BASELINES,
    RANDOM,
    SILENT,
    Counts,
    Standard,
    SystemCounts,
    count,
    standard_of,
    table_settings,
)
from kp_core.scoring.hierarchy import hierarchy_counts
from kp_core.scoring.list_quality import returned_counts
from kp_core.scoring.measures.registry import Matcher
from kp_core.scoring.prepare import Prepared

#: Maximum number of rows of the random baseline; with larger universes, it ends at the largest cutoff.
_RANDOM_ROWS = 5_000_000


def baseline_counts(name: str, standard: Standard, deepest: int) -> Counts:
    """Return the counts of a baseline; deepest: its last rank if the universe is very large."""
    gold, nothing = standard.gold, np.zeros_like(standard.gold.size)
    silent = Lists(nothing, np.zeros(0, np.int32), nothing[:0], None, nothing[:0] > 0, nothing)
    hits = ideal = ideal_hits(gold, standard.lower)
    counts = replace(count(silent, nothing == 0, standard), ideal=ideal, judged=None)
    if name == SILENT:
        return counts
    length, reach = np.maximum(standard.universe.astype(np.int64), gold.size), None
    if name == RANDOM:
        known = length
        if length.sum() > _RANDOM_ROWS:
            reach = max(deepest, int(gold.size.max(initial=0)))
            known = np.minimum(length, reach)
        document = owners(known)
        hits = random_hits(document, ranks(known), length[document].astype(float), gold)
    return replace(counts, hits=hits, length=length, rows=length, deepest=reach)


#: Counts for less common measures, from the exact counts of all systems.
_FURTHER: dict[Matcher, Callable[..., dict[str, Counts]]] = {
    "hierarchy": hierarchy_counts,
    "given": semantic_counts,
    "as-returned": returned_counts,
}


def count_unchecked(
    data: Prepared,
    matchers: Collection[Matcher] = ("exact", "sets"),
    baselines: bool = False,
    without: int | None = None,
    fewest: Ints | None = None,
) -> dict[str, SystemCounts]:
    """Return the counts of every system, and of the baselines; other arguments as in `gather`.

    matchers  required matchers; without `sets`, N and the slow count of n-grams in all texts are not needed
    """
    concordance, settings, tables = "sets" in matchers, data.settings, table_settings(data.settings)
    universe = data.universe if concordance else np.zeros(len(data.documents))
    standard = standard_of(data, universe, without, fewest)
    of_sets = replace(standard, settings=tables)
    if concordance and settings.gold_list != "unique":
        of_sets = standard_of(data.under(tables), universe, without, fewest)
    one_spelling = len(standard.gold.spelling_item) == len(standard.gold.grade)
    are_sets = (settings.duplicates, settings.hits_as, settings.gold_list) == ("before", "predictions", "unique")
    # If both sides are already sets with one spelling per item, tables share the exact counts.
    shared = not concordance or (one_spelling and are_sets)
    systems = dict[str, dict[Matcher, Counts]]()
    for system, run in data.coded.runs.items():
        if settings.missing == "error" and not run.listed.all():
            lost = [data.documents[i] for i in np.flatnonzero(~run.listed)]
            every = pluralize(len(run.listed), "document")
            raise input_error(
                f"system '{system}'", "no list", lost=len(lost), documents=every, names=", ".join(lost[:5])
            )
        exact = sets = count(ranked_lists(run, data.identities, settings), run.listed, standard)
        if not shared:
            sets = count(ranked_lists(run, data.identities, tables), run.listed, of_sets, sets=True)
        systems[system] = {"exact": exact, "sets": sets}
    of_all = {name: by_matcher["exact"] for name, by_matcher in systems.items()}
    for matcher in _FURTHER.keys() & {*matchers}:
        for name, counts in _FURTHER[matcher](data, of_all).items():
            systems[name][matcher] = counts
    deepest = max((cutoff for cutoff in settings.k if isinstance(cutoff, int)), default=0)
    for name in BASELINES if baselines else ():
        exact = sets = baseline_counts(name, standard, deepest)
        if concordance:
            sets = baseline_counts(name, of_sets, deepest)
        systems[name] = {"exact": exact, "sets": sets}
    return {name: SystemCounts(by_matcher) for name, by_matcher in systems.items()}


def count_systems(
    data: Prepared,
    matchers: Collection[Matcher] = ("exact", "sets"),
    baselines: bool = False,
    without: int | None = None,
) -> dict[str, SystemCounts]:
    """Return the counts of every system; reject a universe smaller than the number of phrases chosen by either side."""
    systems = count_unchecked(data, matchers, baselines, without)
    if "sets" in matchers and data.settings.universe.isdigit():
        chosen = data.all_items.size.astype(float)  # and further phrases of systems, at the largest cutoff
        for name in data.coded.runs:
            parts = [part.at(data.settings.k) for part in systems[name].sets.blocks()]
            chosen = np.maximum(chosen, np.concatenate([(at.size + at.system_only).max(axis=1) for at in parts]))
        data.refuse_small_universe(chosen)
    return systems


def longest_lists(data: Prepared) -> dict[str, int]:
    """Return the length of the longest list of every system, where its curve over k ends."""
    return {name: int(run.length.max(initial=0)) for name, run in data.coded.runs.items()}
