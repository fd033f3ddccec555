"""Turn prepared data into the counts of every system and baseline."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from kp_core.errors import counted, unfit
from kp_core.scoring.codes import Floats, Ints, owners, ranks
from kp_core.scoring.counts import (
    BASELINES,
    RANDOM,
    SILENT,
    Counted,
    Counts,
    count,
    gathered,
    graded_below,
    lists_of,
    table_settings,
)
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.hierarchy import with_broader
from kp_core.scoring.hits import Lists, ideal_hits, random_hits, ranked_lists
from kp_core.scoring.list_quality import with_lists
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.semantic import with_meaning
from kp_core.settings import Settings

#: Rows of the random baseline at the most; larger universes are followed only as far as the cutoffs ask.
_RANDOM_ROWS = 5_000_000


def baseline_counts(
    name: str, gold: Gold, negatives: Gold, universe: Floats, settings: Settings, deepest: int
) -> Counts:
    """Return the counts of a baseline of `BASELINES`.

    Ranks of the random order beyond `deepest` (at least the largest cutoff asked for) are left out where the universe
    is very large.
    """
    nothing = np.zeros_like(gold.size)
    silent = Lists(nothing, np.zeros(0, np.int32), nothing[:0], None, nothing[:0] > 0, nothing)
    counts = count(silent, nothing == 0, gold, negatives, universe, settings)
    hits = ideal = ideal_hits(gold, graded_below(negatives, settings))
    counts = replace(counts, ideal=ideal, judged=None)
    if name == SILENT:
        return counts
    length, reach = np.maximum(universe.astype(np.int64), gold.size), None
    if name == RANDOM:
        known = length
        if length.sum() > _RANDOM_ROWS:
            reach = max(deepest, int(gold.size.max(initial=0)))
            known = np.minimum(length, reach)
        document = owners(known)
        hits = random_hits(document, ranks(known), length[document].astype(float), gold)
    return replace(counts, hits=hits, length=length, rows=length, deepest=reach)


def count_unchecked(
    data: Prepared,
    concordance: bool = True,
    baselines: bool = False,
    without: int | None = None,
    fewest: Ints | None = None,
    own: Collection[str] = (),
) -> dict[str, Counted]:
    """Return the counts of every system, and of the baselines where asked.

    concordance: whether tables, and so N, are needed; else the lists stand in their place, and no n-grams of all texts,
    the slowest step, are counted. without: an annotator who is left out of the gold; fewest: the votes that a keyphrase
    needs in each document. own: families of measures that see counts of their own, which these are.
    """
    coded, identities, settings = data.coded, data.identities, data.settings
    universe = data.universe if concordance else np.zeros(len(data.documents))
    tables = table_settings(settings)
    gold = of_sets = gathered(data, without, fewest)
    if concordance and settings.gold_list != "unique":
        of_sets = gather(coded, identities, tables, without, fewest)
    one_spelling = len(gold[0].spelling_item) == len(gold[0].grade)
    # With sets on both sides already, and one spelling an item, the tables need no counts of their own.
    of_one = one_spelling and of_sets is gold and (settings.duplicates, settings.hits_as) == ("before", "predictions")
    systems = dict[str, Counted]()
    for system, run in coded.runs.items():
        if settings.missing == "error" and not run.listed.all():
            lost = [coded.documents[i] for i in np.flatnonzero(~run.listed)]
            every = counted(len(run.listed), "document")
            raise unfit(f"system '{system}'", "no list", lost=len(lost), documents=every, names=", ".join(lost[:5]))
        table = counts = count(ranked_lists(run, identities, settings), run.listed, *gold, universe, settings)
        if concordance and not of_one:
            lists = ranked_lists(run, identities, tables)
            table = count(lists, run.listed, *of_sets, universe, tables, sets=True)
        systems[system] = Counted(counts, table)
    if "hierarchy" in own and settings.by_concept == "yes" and len(data.corpus.vocabulary.broader):
        systems = with_broader(data, gold[0], lists_of(data), systems)
    if "semantic" in own:
        systems = with_meaning(data, gold[0], lists_of(data), systems)
    if "list" in own:
        systems = with_lists(data, systems)
    deepest = max((cutoff for cutoff in settings.k if isinstance(cutoff, int)), default=0)
    for name in BASELINES if baselines else ():
        table = counts = baseline_counts(name, *gold, universe, settings, deepest)
        if concordance:
            table = baseline_counts(name, *of_sets, universe, tables, deepest)
        systems[name] = Counted(counts, table)
    return systems


def count_systems(
    data: Prepared,
    concordance: bool = True,
    baselines: bool = False,
    without: int | None = None,
    own: Collection[str] = (),
) -> dict[str, Counted]:
    """Return the counts of every system; refuses a universe smaller than what gold standard and systems chose."""
    systems = count_unchecked(data, concordance, baselines, without, own=own)
    if concordance and data.settings.universe.isdigit():
        chosen = data.all_items.size.astype(float)  # and what the systems choose beside, at the largest cutoff
        for name in data.coded.runs:
            parts = [part.at(data.settings.k) for part in systems[name].table.blocks()]
            chosen = np.maximum(chosen, np.concatenate([(at.size + at.system_only).max(axis=1) for at in parts]))
        data.refuse_small_universe(chosen)
    return systems


def longest_lists(data: Prepared) -> dict[str, int]:
    """Return the length of the longest list of every system: beyond it, its curve over k has nothing more to say."""
    return {name: int(run.length.max(initial=0)) for name, run in data.coded.runs.items()}
