"""Turn a corpus and settings into the counts of every system and baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kp_core.conventions import FIELDS, Conventions
from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError, counted
from kp_core.scoring.baselines import BASELINES
from kp_core.scoring.codes import Bools, Floats, Ints, code, identify
from kp_core.scoring.counts import Counts, count
from kp_core.scoring.gold import gather
from kp_core.scoring.match import prepare
from kp_core.scoring.measures import Asked
from kp_core.settings import Settings

#: Conventions that are applied to counts, so that records which differ in them alone share their counts.
LATE = ("denominator", "average", "empty_gold", "gain", "ap", "rr", "rr_miss")


@dataclass(frozen=True)
class Counted:
    """One system's counts: for overlap and ranking measures, and for concordance tables (always distinct phrases)."""

    ranking: Counts
    table: Counts

    def of(self, asked: Asked) -> Counts:
        """Return the counts that a measure sees."""
        if asked.measure.family == "annotators":
            raise UsageError(f"{asked.name()} is a measure of several annotators; ask `agreement` for it")
        return self.table if asked.measure.family == "concordance" else self.ranking

    def under(self, conventions: Conventions) -> Counted:
        """Return the same counts for a record that differs only in what is applied to counts (`LATE`)."""
        ranking = replace(self.ranking, conventions=conventions)
        if self.table is self.ranking:
            return Counted(ranking, ranking)
        return Counted(ranking, replace(self.table, conventions=table_conventions(conventions)))


def counted_alike(conventions: Conventions) -> Conventions:
    """Return the record under which the counts are the same: what is applied to counts later has its default.

    >>> counted_alike(Conventions(denominator="returned", duplicates="keep")) == Conventions(duplicates="keep")
    True
    """
    return conventions.changed(**{name: FIELDS[name].values[0] for name in LATE})


def table_conventions(conventions: Conventions) -> Conventions:
    """Concordance tables hold sets: distinct phrases on both sides, whatever the preset."""
    return conventions.changed(duplicates="before", gold_list="unique", hits_as="predictions", denominator="k")


def count_systems(
    corpus: Corpus,
    settings: Settings,
    universe: Floats,
    baselines: bool,
    without: int | None = None,
    fewest: Ints | None = None,
) -> dict[str, Counted]:
    """Return the counts of every system, and of the baselines where asked.

    without: an annotator who is left out of the gold; fewest: the votes that a keyphrase needs in each document.
    """
    coded, record = code(corpus), settings.conventions
    tables, identities = table_conventions(record), identify(corpus, record)
    choice = settings.annotators, without, fewest
    gold = gather(coded, identities, record, *choice)
    distinct = gold if record.gold_list == "unique" else gather(coded, identities, tables, *choice)
    one_spelling = len(gold[0].spelling_item) == len(gold[0].grade)
    # With sets on both sides already, and one spelling an item, the tables need no counts of their own.
    same = one_spelling and distinct is gold and (record.duplicates, record.hits_as) == ("before", "predictions")
    counted = dict[str, Counted]()
    for system, run in coded.runs.items():
        if record.missing == "error":
            _refuse_missing(system, run.listed, coded.documents)
        ranking = corpus.rankings[system]
        counts = count(prepare(run, ranking, identities, record), run.listed, *gold, universe, record)
        table = counts
        if not same:
            table = count(prepare(run, ranking, identities, tables), run.listed, *distinct, universe, tables, sets=True)
        counted[system] = Counted(counts, table)
    deepest = max((cutoff for cutoff in settings.cutoffs if isinstance(cutoff, int)), default=0)
    for name, build in BASELINES.items() if baselines else ():
        counted[name] = Counted(
            build(gold[0], universe, record, deepest), build(distinct[0], universe, tables, deepest)
        )
    return counted


def _refuse_missing(system: str, listed: Bools, documents: tuple[str, ...]) -> None:
    lost = [documents[i] for i in np.flatnonzero(~listed)]
    if lost:
        raise InputError(
            f"system '{system}'",
            f"no list for {len(lost)} of {counted(len(documents), 'document')} ({', '.join(lost[:5])})",
            "a list for every document of the gold standard",
            "Add the lists, or choose missing = zero or skip.",
        )


def used_documents(counts: Counts) -> Bools:
    """Tell which documents a system is scored on, by the policies for empty gold and missing lists."""
    used = counts.known.copy()
    if counts.conventions.empty_gold == "skip":
        used &= counts.size > 0
    if counts.conventions.missing == "skip":
        used &= counts.listed
    return used
