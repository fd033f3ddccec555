"""Turn hits into counts per document for any cutoff: everything a measure may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import BLOCK, Bools, Floats, Ints, ranks
from kp_core.scoring.gold import Gold
from kp_core.scoring.hits import Hits, ideal_hits, ordered_hits, returned_ideal, tied_hits
from kp_core.scoring.match import Lists, Matches, match, newly
from kp_core.settings import Cutoff, Settings


@dataclass(frozen=True)
class Counts:
    """All counts of one system (or baseline) under one setting of all conventions, for D documents."""

    hits: Hits
    ideal: Hits
    size: Ints
    #: phrases that count as returned, and all rows of the list: they differ under `duplicates=after`
    length: Ints
    rows: Ints
    duplicates: Ints
    listed: Bools
    #: documents that the gold standard speaks about
    known: Bools
    universe: Floats
    settings: Settings
    #: the largest grade of the gold standard
    largest: float
    #: phrases of each document that were judged not relevant
    negatives: Ints
    #: the sum of bpref over the hits of each document; None without judged negatives
    judged: Floats | None = None
    #: (document, rank) of the rows that count as returned, where some do not
    returned: tuple[Ints, Ints] | None = None
    #: the rank beyond which the hits are not known (None: all are)
    deepest: int | None = None

    @property
    def used(self) -> Bools:
        """Documents that the system is scored on (D,), by the policies for empty gold and missing lists."""
        used = self.known & self.drawable
        if self.settings.missing == "skip":
            used &= self.listed
        return used

    @property
    def drawable(self) -> Bools:
        """Documents that a resample may hold (D,): those with gold, or all where an empty gold standard counts."""
        if (rule := self.settings.empty_gold) in ("skip", "zero-if-judged"):
            return np.asarray((self.size > 0) | ((self.negatives > 0) & (rule != "skip")))
        return np.ones(len(self.size), bool)

    def blocks(self) -> list[Counts]:
        """Return the counts in parts of documents, so small that arrays (document, k) stay in the processor's cache."""
        if len(self.size) <= BLOCK:
            return [self]
        slices = [slice(begin, min(begin + BLOCK, len(self.size))) for begin in range(0, len(self.size), BLOCK)]
        return [self._part(documents) for documents in slices]

    def _part(self, documents: slice) -> Counts:
        returned = None
        if self.returned is not None:
            rows = slice(*np.searchsorted(self.returned[0], [documents.start, documents.stop]))
            returned = (self.returned[0][rows] - documents.start, self.returned[1][rows])
        columns: dict[str, Any] = {
            name: array[documents] for name, array in vars(self).items() if isinstance(array, np.ndarray)
        }
        hits, ideal = self.hits.part(documents), self.ideal.part(documents)
        return replace(self, hits=hits, ideal=ideal, returned=returned, **columns)

    def limit(self, cutoff: Cutoff) -> Ints:
        """Return the cutoff of each document as a number (D,)."""
        if isinstance(cutoff, int):
            return np.full(len(self.size), cutoff)
        longest = np.full(len(self.size), np.iinfo(np.int64).max)
        choices = {"gold": self.size, "all": self.rows, "larger": np.maximum(self.rows, self.size)}
        return choices.get(cutoff, longest)

    def sums(self, document: Ints, rank: Ints, value: Floats | None, cutoffs: Sequence[Cutoff]) -> Floats:
        """Return sums of `value` (1 where None) over rows whose rank is within each cutoff: (D, K)."""
        numbers = sorted({c for c in cutoffs if isinstance(c, int)})
        documents, width = len(self.size), len(numbers)
        columns = dict[Cutoff, Floats]()
        if numbers:
            bins = np.searchsorted(numbers, np.arange(numbers[-1] + 1))  # rank → first cutoff that reaches it
            inside = rank <= numbers[-1]
            flat = document[inside] * width + bins[rank[inside]]
            by_bin = np.bincount(flat, None if value is None else value[inside], minlength=documents * width)
            running = np.cumsum(by_bin.reshape(documents, width), axis=1, dtype=np.float64)
            if list(cutoffs) == numbers:
                return running
            columns |= zip(numbers, running.T, strict=True)
        for cutoff in {*cutoffs} - columns.keys():
            inside = rank <= self.limit(cutoff)[document]
            kept = None if value is None else value[inside]
            columns[cutoff] = np.bincount(document[inside], kept, minlength=documents).astype(float)
        return np.stack([columns[cutoff] for cutoff in cutoffs], axis=1)

    def totals(self, value: Floats, cutoffs: Sequence[Cutoff]) -> Floats:
        """Return sums over hits of a value per hit, up to each cutoff (D, K); NaN where the hits are not known."""
        found = self.sums(self.hits.document, self.hits.rank, value, cutoffs)
        if self.deepest is not None:
            reach = np.stack([np.minimum(self.limit(cutoff), self.rows) for cutoff in cutoffs], axis=1)
            found = np.where(reach > self.deepest, np.nan, found)
        return found

    def at(self, cutoffs: Sequence[Cutoff]) -> AtK:
        """Return the counts at each cutoff, fields (D, K)."""
        limit = np.stack([self.limit(c) for c in cutoffs], axis=1).astype(np.float64)
        returned = np.minimum(limit, self.length[:, None])
        if self.returned is not None:
            returned = self.sums(*self.returned, None, cutoffs)
        size = np.broadcast_to(self.size[:, None].astype(np.float64), limit.shape)
        whole = np.array([cutoff == "all" for cutoff in cutoffs])
        rules = {
            "k": lambda: np.where(whole, returned, limit),  # of repeats that do not count as returned, all is no k
            "returned": lambda: returned,
            "min(k,gold)": lambda: np.minimum(limit, size),
        }
        return AtK(
            self.totals(self.hits.found, cutoffs),
            returned,
            size,
            np.broadcast_to(self.universe[:, None], limit.shape),
            rules[self.settings.denominator](),
            self,
            tuple(cutoffs),
            limit,
        )


@dataclass(frozen=True)
class AtK(Cells):
    """The counts of every document at every cutoff, fields (D, K), with the sums that ranking measures need."""

    counts: Counts
    cutoffs: tuple[Cutoff, ...]
    limit: Floats

    def total(self, value: Floats) -> Floats:
        """Return sums over hits of a value per hit, up to each cutoff: (D, K)."""
        return self.counts.totals(value, self.cutoffs)

    def discounted(self, exponential: bool) -> tuple[Floats, Floats]:
        """Return DCG and ideal DCG at each cutoff."""
        hits, ideal = self.counts.hits, self.counts.ideal
        gain = "exp_gain" if exponential else "gain"
        dcg, best = (getattr(one, gain) / np.log2(one.rank + 1) for one in (hits, ideal))
        return self.total(dcg), self.counts.sums(ideal.document, ideal.rank, best, self.cutoffs)


def without_respellings(lists: Lists, gold: Gold) -> Lists:
    """Return the lists without further spellings of a gold item that stands higher."""
    matches = match(lists, gold)
    new = newly(matches, len(gold.grade))
    first = np.ones(len(lists.form), bool)
    first[matches.row] = False
    first[matches.row[new]] = True
    return lists if first.all() else lists.only(first)


def count(
    lists: Lists, listed: Bools, gold: Gold, negatives: Gold, universe: Floats, settings: Settings, sets: bool = False
) -> Counts:
    """Return the counts of one system.

    universe (D,) is N per document; negatives holds the phrases judged not relevant, for bpref. Under `sets`, for
    concordance tables, a further spelling of a gold item already found is the same choice again and leaves the list.
    """
    if sets:
        lists = without_respellings(lists, gold)
    matches = match(lists, gold)
    new = newly(matches, len(gold.grade))
    if settings.duplicates == "count":
        new[:] = True
    document, row, item = matches.document[new], matches.row[new], matches.item[new]
    rank, grade, found = ranks(lists.length), gold.grade[item], np.ones(len(row))
    if len(row) > 1 and (row[1:] == row[:-1]).any():  # one prediction spells several gold items
        head = np.flatnonzero(np.diff(row, prepend=-1))
        found = np.diff(np.append(head, len(row))).astype(float) if settings.hits_as == "gold" else np.ones(len(head))
        document, row, grade = document[head], row[head], np.maximum.reduceat(grade, head)
    lower = graded_below(negatives, settings)
    document, row, found, grade, precise = _with_misses(lists, (document, row, found, grade), matches, lower, settings)
    hits = ordered_hits(document, rank[row], found, grade)
    hits = replace(hits, precision=hits.precision * precise)
    ideal = ideal_hits(gold, lower) if settings.ideal == "gold" else returned_ideal(hits)
    if settings.ties == "expected" and lists.score is not None:
        found_in, grade_in = np.zeros((2, len(rank)))
        found_in[row], grade_in[row] = found, grade
        group = np.cumsum((rank == 1) | (np.diff(lists.score, prepend=np.nan) != 0)) - 1
        hits = tied_hits(lists.owner, rank, group, found_in, grade_in)
    length, returned = lists.length, None
    if settings.duplicates == "after" and lists.repeated.any():
        length = length - lists.duplicates
        returned = lists.owner[~lists.repeated], rank[~lists.repeated]
    return Counts(
        hits=hits,
        ideal=ideal,
        size=gold.size,
        length=length,
        rows=lists.length,
        duplicates=lists.duplicates,
        listed=listed,
        known=gold.known,
        universe=universe,
        settings=settings,
        largest=float(gold.grade.max(initial=0.0)),
        negatives=negatives.size,
        judged=_judged(lists, gold, negatives, document[found > 0], row[found > 0]),
        returned=returned,
    )


def graded_below(negatives: Gold, settings: Settings) -> Gold:
    """Return the items with a grade below `rel` that have a gain all the same, by the convention."""
    return negatives.only((negatives.grade > 0) & (settings.gains == "all"))


def _with_misses(
    lists: Lists, found: tuple[Ints, Ints, Floats, Floats], matches: Matches, lower: Gold, settings: Settings
) -> tuple[Ints, Ints, Floats, Floats, Bools]:
    """Add the rows that are no hit and yet count: return document, row, items found, grade, and if precision counts.

    A repeat of a hit adds to average precision under ap_repeats = hit; items with a grade below `rel` (`lower`) have
    their gain under gains = all.
    """
    again = np.setdiff1d(matches.row, found[1]) if settings.ap_repeats == "hit" else found[1][:0]
    if not len(again) and not len(lower.grade):
        return *found, np.ones(len(found[1]), bool)
    graded = match(lists, lower)
    first = newly(graded, len(lower.grade)) & ~np.isin(graded.row, found[1])
    row = np.concatenate([found[1], again, graded.row[first]])
    order = np.argsort(row, kind="stable")
    nothing = np.zeros(len(again))
    items = np.concatenate([found[2], nothing, np.zeros(first.sum())])
    grade = np.concatenate([found[3], nothing, lower.grade[graded.item[first]]])
    precise = np.arange(len(row)) < len(found[1]) + len(again)
    return lists.owner[row[order]], row[order], items[order], grade[order], precise[order]


def _judged(lists: Lists, gold: Gold, negatives: Gold, document: Ints, row: Ints) -> Floats | None:
    """Return the sum of bpref over the hits of each document, NaN without judged negatives (None: nowhere any)."""
    negatives = negatives.only(negatives.grade >= 0)  # in qrels, a grade below 0 means that nobody judged
    if not len(negatives.grade):
        return None
    bad = match(lists, negatives)
    # Negatives above a hit: those up to its row, less those of earlier documents; rows are ordered by document.
    above = np.searchsorted(bad.row, row) - np.searchsorted(bad.document, document)
    size, judged = gold.size[document], negatives.size[document]
    value = 1 - np.minimum(above, size) / np.maximum(np.minimum(size, judged), 1)
    total = np.bincount(document, value, minlength=len(gold.size))
    return np.where(negatives.size == 0, np.nan, total)
