"""Turn prepared data into the counts of every system and baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from kp_core.errors import UsageError, counted, unfit
from kp_core.scoring.codes import Bools, Floats, Ints, owners, ranks
from kp_core.scoring.counts import Counts, count, graded_below
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.hits import ideal_hits, random_hits
from kp_core.scoring.match import Lists, ranked_lists
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.prepare import Prepared
from kp_core.settings import FIELDS, Changes, Settings

#: Three systems that everybody can imagine: it says nothing; one tie over all N phrases; all gold items, best first.
SILENT, RANDOM, ORACLE = BASELINES = ("says nothing", "random k", "oracle k")
#: Rows of the random baseline at the most; larger universes are followed only as far as the cutoffs ask.
_RANDOM_ROWS = 5_000_000
#: Conventions that are applied to counts, so that settings which differ in them alone share their counts.
LATE = ("denominator", "average", "empty_gold", "gain", "ap", "rr", "rr_miss")


@dataclass(frozen=True)
class Counted:
    """One system's counts: for overlap and ranking measures, and for concordance tables (always distinct phrases)."""

    lists: Counts
    table: Counts

    def of(self, asked: Asked) -> Counts:
        """Return the counts that a measure sees."""
        if asked.measure.family == "annotators":
            raise UsageError(f"{asked.name()} is a measure of several annotators; ask `agreement` for it")
        return self.table if asked.measure.family == "concordance" else self.lists

    def blocks(self) -> list[Counted]:
        """Return the counts in parts of documents, the same for all systems."""
        lists = self.lists.blocks()
        table = lists if self.table is self.lists else self.table.blocks()
        return [Counted(*both) for both in zip(lists, table, strict=True)]

    def changed(self, change: Callable[[Counts], Counts]) -> Counted:
        """Return both counts changed in the same way; they stay one where they are one."""
        lists = change(self.lists)
        return Counted(lists, lists if self.table is self.lists else change(self.table))

    def under(self, settings: Settings) -> Counted:
        """Return the same counts for settings that differ only in what is applied to counts (`LATE`)."""
        return self.changed(lambda counts: replace(counts, settings=settings))

    def restricted(self, documents: Bools) -> Counted:
        """Return the counts as if the gold standard spoke about some documents only."""
        return self.changed(lambda counts: replace(counts, known=counts.known & documents))


def counted_alike(settings: Settings) -> Settings:
    """Return the settings under which the counts are the same: what is applied to counts later has its default.

    >>> counted_alike(Settings(denominator="returned", duplicates="keep")) == Settings(duplicates="keep")
    True
    """
    return settings.changed(**cast(Changes, {name: FIELDS[name].values[0] for name in LATE}))


def table_settings(settings: Settings) -> Settings:
    """Concordance tables hold sets: distinct phrases on both sides, whatever the preset."""
    return settings.changed(duplicates="before", gold_list="unique", hits_as="predictions", denominator="k")


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
    universe: Floats,
    concordance: bool = True,
    baselines: bool = False,
    without: int | None = None,
    fewest: Ints | None = None,
) -> dict[str, Counted]:
    """Return the counts of every system, and of the baselines where asked; universe (D,) is N per document.

    concordance: whether tables are needed; else the lists stand in their place. without: an annotator who is left out
    of the gold; fewest: the votes that a keyphrase needs in each document.
    """
    coded, identities, settings = data.coded, data.identities, data.settings
    tables = table_settings(settings)
    gold = gather(coded, identities, settings, without, fewest)
    of_sets = gold
    if concordance and settings.gold_list != "unique":
        of_sets = gather(coded, identities, tables, without, fewest)
    one_spelling = len(gold[0].spelling_item) == len(gold[0].grade)
    # With sets on both sides already, and one spelling an item, the tables need no counts of their own.
    of_one = one_spelling and of_sets is gold and (settings.duplicates, settings.hits_as) == ("before", "predictions")
    same = of_one or not concordance
    systems = dict[str, Counted]()
    for system, run in coded.runs.items():
        if settings.missing == "error" and not run.listed.all():
            lost, every = (
                [coded.documents[i] for i in np.flatnonzero(~run.listed)],
                counted(len(run.listed), "document"),
            )
            raise unfit(f"system '{system}'", "no list", lost=len(lost), documents=every, names=", ".join(lost[:5]))
        counts = count(ranked_lists(run, identities, settings), run.listed, *gold, universe, settings)
        table = counts
        if not same:
            lists = ranked_lists(run, identities, tables)
            table = count(lists, run.listed, *of_sets, universe, tables, sets=True)
        systems[system] = Counted(counts, table)
    deepest = max((cutoff for cutoff in settings.k if isinstance(cutoff, int)), default=0)
    for name in BASELINES if baselines else ():
        counts = baseline_counts(name, *gold, universe, settings, deepest)
        table = baseline_counts(name, *of_sets, universe, tables, deepest) if concordance else counts
        systems[name] = Counted(counts, table)
    return systems


def count_systems(
    data: Prepared, concordance: bool = True, baselines: bool = False, without: int | None = None
) -> dict[str, Counted]:
    """Return the counts of every system; refuses a universe smaller than what gold standard and systems chose.

    concordance: whether tables, and so N, are needed; counting the n-grams of all texts is the slowest step.
    """
    universe = data.universe if concordance else np.zeros(len(data.documents))
    systems = count_unchecked(data, universe, concordance, baselines, without)
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
