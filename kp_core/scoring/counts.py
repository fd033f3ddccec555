"""Turn lists and a gold standard into the counts of a system, and counts into the input of measures at any cutoff."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kp_core.errors import UsageError, usage_error
from kp_core.scoring.alignment import Alignment, Hits, Lists, align, ideal_hits, ordered_hits, returned_ideal, tied_hits
from kp_core.scoring.cells import CELLS, Cells
from kp_core.scoring.codes import BLOCK, Bools, Floats, Ints
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import OF_PEOPLE, SPECIAL, Asked, Matcher
from kp_core.scoring.prepare import Prepared
from kp_core.settings import CONVENTIONS, Cutoff, Settings

#: Baselines: empty list, a single tie of all N phrases, and all gold items, best first.
SILENT, RANDOM, ORACLE = BASELINES = ("says nothing", "random k", "oracle k")
Made = TypeVar("Made")
#: The name of human agreement in results of systems.
HUMANS = "human ceiling"


@dataclass(frozen=True)
class Standard:
    """A gold standard under settings.

    negatives  phrases judged not relevant, for bpref; universe: N of each document (D,)
    """

    gold: Gold
    negatives: Gold
    universe: Floats
    settings: Settings

    @cached_property
    def lower(self) -> Gold:
        """The items with a grade below `rel` that nevertheless have a gain by convention."""
        return self.negatives.only((self.negatives.grade > 0) & (self.settings.gains == "all"))


@dataclass(frozen=True)
class Counts:
    """All counts of one system or baseline under one setting of all conventions, for D documents; arrays are (D,).

    alignment     the counted matches, always of all documents, even if D is a subset
    length, rows  phrases that count as returned, and all rows of the list: they differ under `duplicates=after`
    known         documents that are in the gold standard
    largest       the largest grade of the gold standard
    negatives     number of phrases judged not relevant
    judged        the sum of bpref over the hits; None without judged negatives
    returned_rows (document, rank) of the rows that count as returned, if some do not
    deepest       the rank beyond which the hits are unknown, if any
    gold_size     the gold size for cutoffs, if `size` includes broader concepts
    declined      as `Gold.declined`
    """

    alignment: Alignment
    hits: Hits
    ideal: Hits
    size: Ints
    length: Ints
    rows: Ints
    duplicates: Ints
    listed: Bools
    known: Bools
    universe: Floats
    settings: Settings
    largest: float
    negatives: Ints
    judged: Floats | None = None
    returned_rows: tuple[Ints, Ints] | None = None
    deepest: int | None = None
    gold_size: Ints | None = None
    declined: Bools | None = None

    @property
    def scored(self) -> Bools:
        """The documents that the system is scored on (D,), by the conventions for empty gold and missing lists."""
        used = self.known & self.resampled
        if self.settings.missing == "skip":
            used &= self.listed
        return used

    @property
    def resampled(self) -> Bools:
        """The documents that resamples may contain (D,): those with gold, or all if an empty gold standard counts."""
        if (rule := self.settings.empty_gold) in ("skip", "zero-if-judged"):
            there = (self.size > 0) | ((self.negatives > 0) & (rule != "skip"))
            return np.asarray(there if self.declined is None else there | self.declined)
        return np.ones(len(self.size), bool)

    @property
    def without_judgements(self) -> Bools:
        """The documents with undefined bpref for lack of a judged negative (D,); none under the rule of trec_eval."""
        if self.settings.empty_gold == "zero-if-judged":
            return np.zeros(len(self.size), bool)
        return np.ones(len(self.size), bool) if self.judged is None else np.isnan(self.judged)

    def blocks(self) -> list[Counts]:
        """Return the counts in blocks of documents that fit into the processor's cache."""
        if len(self.size) <= BLOCK:
            return [self]
        return [self._part(slice(begin, begin + BLOCK)) for begin in range(0, len(self.size), BLOCK)]

    def _part(self, documents: slice) -> Counts:
        returned_rows = None
        if self.returned_rows is not None:
            document, rank = self.returned_rows
            rows = slice(*np.searchsorted(document, [documents.start, documents.stop]))
            returned_rows = document[rows] - documents.start, rank[rows]
        columns: dict[str, Any] = {
            name: array[documents] for name, array in vars(self).items() if isinstance(array, np.ndarray)
        }
        hits, ideal = self.hits.part(documents), self.ideal.part(documents)
        return replace(self, hits=hits, ideal=ideal, returned_rows=returned_rows, **columns)

    def limit(self, cutoff: Cutoff) -> Ints:
        """Return the cutoff of each document as a number (D,)."""
        if isinstance(cutoff, int):
            return np.full(len(self.size), cutoff)
        longest = np.full(len(self.size), np.iinfo(np.int64).max)
        size = self.size if self.gold_size is None else self.gold_size
        choices = {"gold": size, "all": self.rows, "larger": np.maximum(self.rows, size)}
        return choices.get(cutoff, longest)

    def sums(self, document: Ints, rank: Ints, value: Floats | None, cutoffs: Sequence[Cutoff]) -> Floats:
        """Return sums of `value` (1 if None) over the rows within each cutoff: (D, K)."""
        numbers = sorted({c for c in cutoffs if isinstance(c, int)})
        documents, width = len(self.size), len(numbers)
        columns = dict[Cutoff, Floats]()
        if numbers:
            bins = np.searchsorted(numbers, np.arange(numbers[-1] + 1))  # rank → first cutoff that includes it
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
        """Return sums over hits of a value per hit, up to each cutoff (D, K); NaN if the hits are unknown."""
        sums = self.sums(self.hits.document, self.hits.rank, value, cutoffs)
        if self.deepest is None:
            return sums
        reach = np.stack([np.minimum(self.limit(cutoff), self.rows) for cutoff in cutoffs], axis=1)
        return np.where(reach > self.deepest, np.nan, sums)

    def at(self, cutoffs: Sequence[Cutoff]) -> View:
        """Return the counts of every document at each cutoff, fields (D, K)."""
        limit = np.stack([self.limit(c) for c in cutoffs], axis=1).astype(np.float64)
        returned = np.minimum(limit, self.length[:, None])
        if self.returned_rows is not None:
            returned = self.sums(*self.returned_rows, None, cutoffs)
        size = np.broadcast_to(self.size[:, None].astype(np.float64), limit.shape)
        whole = np.array([cutoff == "all" for cutoff in cutoffs])
        rules = {
            "k": lambda: np.where(whole, returned, limit),  # at k = all, repeats may not count as returned
            "returned": lambda: returned,
            "min(k,gold)": lambda: np.minimum(limit, size),
        }
        return View(
            self.totals(self.hits.found, cutoffs),
            returned,
            size,
            np.broadcast_to(self.universe[:, None], limit.shape),
            rules["returned" if self.gold_size is not None else self.settings.denominator](),
            self,
            tuple(cutoffs),
            limit,
        )


#: Measures of lists that need texts or a similarity → reason for a missing value.
_LACKING = {"present@k": "no_text", "self-similarity@k": "no_similarity"}


@dataclass(frozen=True)
class View(Cells):
    """One system's counts at K cutoffs, fields (D, K), with the sums that ranking measures need."""

    counts: Counts
    cutoffs: tuple[Cutoff, ...]
    limit: Floats
    #: reason for a missing value if no document counts
    absent: ClassVar[str] = "no_documents"

    def arrays(self) -> list[Floats]:
        """Return only the counts, in the order of `CELLS`."""
        return [np.ascontiguousarray(getattr(self, name)) for name in CELLS]

    @property
    def scored(self) -> Bools:
        """The documents that the system is scored on (D,)."""
        return self.counts.scored

    @property
    def documents(self) -> Ints:
        """The number of documents that are pooled in each column (K,)."""
        return np.full(len(self.cutoffs), int(self.scored.sum()))

    def total(self, value: Floats) -> Floats:
        """Return sums over hits of a value per hit, up to each cutoff: (D, K)."""
        return self.counts.totals(value, self.cutoffs)

    def further(self, column: str) -> Floats:
        """Return sums up to each cutoff of a further column of the hits (D, K)."""
        return self.total(self.counts.hits.further[column])

    def gained(self, gain: str, discount: Callable[[Ints], Floats]) -> tuple[Floats, Floats]:
        """Return the sum of gains at each cutoff, and that of the ideal ranking; gain: a column of `Hits`."""
        hits, ideal = self.counts.hits, self.counts.ideal
        actual, best = (getattr(ranking, gain) / discount(ranking.rank) for ranking in (hits, ideal))
        return self.total(actual), self.counts.sums(ideal.document, ideal.rank, best, self.cutoffs)

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and cutoff (D, K); NaN if undefined."""
        if asked.over:
            values = self.counts.at(asked.over).values(replace(asked, over=(), cutoff=None))
            return np.repeat(values.mean(axis=1, keepdims=True), len(self.cutoffs), axis=1)
        values, counts = asked.scores(self), self.counts
        without = counts.size == 0
        if asked.of_tables or asked.measure.family == "list" or not without.any():
            return values
        values = np.array(values, dtype=float)
        if counts.settings.gains != "all":  # otherwise, items with a grade below `rel` have a gain
            values[without] = 0.0
        values[without & ~counts.resampled] = np.nan
        if counts.settings.empty_gold == "one-if-empty":
            values[without & (counts.length == 0)] = 1.0
        return values

    def status(self, asked: Asked) -> NDArray[np.str_]:
        """Return the special case of every document and cutoff (D, K), a key of `REASONS`, or `ok`."""
        counts = self.counts
        if asked.of_tables:
            status = concordance.status(self).astype(object)
        else:
            status = np.full(self.hits.shape, "ok", object)
            status[counts.length == 0] = "system_empty"
        status[counts.size == 0] = "gold_empty"
        status[~counts.listed] = "missing_document"
        if asked.measure.name == "bpref":
            status[counts.without_judgements] = "no_judged_negatives"
        if why := _LACKING.get(asked.measure.name):
            status[np.isnan(self.values(asked)) & (counts.length > 0)[:, None]] = why
        status[np.isnan(self.hits)] = "universe_too_large"
        return status.astype(np.str_)


def standard_of(data: Prepared, universe: Floats, without: int | None = None, fewest: Ints | None = None) -> Standard:
    """Return the gold standard, with the weights of rare keyphrases; other arguments as in `gather`."""
    gold, negatives = gather(data.coded, data.identities, data.settings, without, fewest)
    return Standard(data.weighed(gold), negatives, universe, data.settings)


def count(lists: Lists, listed: Bools, standard: Standard, sets: bool = False) -> Counts:
    """Return the counts of one system; sets: whether to ignore further spellings of found gold items."""
    gold, settings = standard.gold, standard.settings
    alignment = align(lists, gold)
    if sets:
        kept = ~alignment.hit
        kept[alignment.row[alignment.first]] = True
        if not kept.all():
            lists = lists.only(kept)
            alignment = align(lists, gold)
    new = alignment.first | (settings.duplicates == "count")
    document, row, item = alignment.document[new], alignment.row[new], alignment.item[new]
    rank, credit, gains = lists.rank, np.ones(len(row)), np.stack([gold.grade[item], gold.rarity[item]])
    if len(row) > 1 and (row[1:] == row[:-1]).any():  # a prediction matches several gold items
        head = np.flatnonzero(np.diff(row, prepend=-1))
        credit = np.diff(np.append(head, len(row))).astype(float) if settings.hits_as == "gold" else np.ones(len(head))
        document, row, gains = document[head], row[head], np.maximum.reduceat(gains, head, axis=1)
    judged = _judged(alignment, standard, document, row)
    precise = np.ones(len(row), bool)
    again = np.setdiff1d(alignment.row, row) if settings.ap_repeats == "hit" else row[:0]
    if len(again) or len(standard.lower.grade):
        row, credit, gains, precise = _with_misses(lists, standard.lower, again, (row, credit, gains))
        document = lists.owner[row]
    hits = ordered_hits(document, rank[row], credit, *gains)
    hits = replace(hits, precision=hits.precision * precise)
    ideal = ideal_hits(gold, standard.lower) if settings.ideal == "gold" else returned_ideal(hits)
    if settings.ties == "expected" and lists.score is not None:
        credit_of_row, gains_of_row = np.zeros(len(rank)), np.zeros((2, len(rank)))
        credit_of_row[row], gains_of_row[:, row] = credit, gains
        group = np.cumsum((rank == 1) | (np.diff(lists.score, prepend=np.nan) != 0)) - 1
        hits = tied_hits(lists.owner, rank, group, credit_of_row, gains_of_row)
    length, returned_rows = lists.length, None
    if settings.duplicates == "after" and lists.repeated.any():
        length = length - lists.duplicates
        returned_rows = lists.owner[~lists.repeated], rank[~lists.repeated]
    return Counts(
        alignment,
        hits,
        ideal,
        gold.size,
        length,
        lists.length,
        lists.duplicates,
        listed,
        gold.known,
        standard.universe,
        settings,
        float(gold.grade.max(initial=0.0)),
        standard.negatives.size,
        judged,
        returned_rows,
        declined=gold.declined,
    )


def _with_misses(
    lists: Lists, lower: Gold, again: Ints, hits: tuple[Ints, Floats, Floats]
) -> tuple[Ints, Floats, Floats, Bools]:
    """Add rows that count without being hits; return row, items found, gains, and whether they count for precision.

    Repeated hits (`again`) add to average precision, and items with a grade below `rel` (`lower`) add gain. Gains
    (2, row) are by grade and by rarity.
    """
    (hit, credit, gain), graded = hits, align(lists, lower)
    first = graded.first & ~np.isin(graded.row, hit)
    row = np.concatenate([hit, again, graded.row[first]])
    order, precise = np.argsort(row, kind="stable"), np.arange(len(row)) < len(hit) + len(again)
    gains = np.pad(gain, ((0, 0), (0, len(row) - len(hit))))
    gains[0, ~precise] = lower.grade[graded.item[first]]
    return row[order], np.pad(credit, (0, len(row) - len(hit)))[order], gains[:, order], precise[order]


def _judged(alignment: Alignment, standard: Standard, document: Ints, row: Ints) -> Floats | None:
    """Return the sum of bpref over the hits of each document, NaN without judged negatives (None: in all documents)."""
    negatives = standard.negatives.only(standard.negatives.grade >= 0)  # in qrels, below 0 means not judged
    if not len(negatives.grade):
        return None
    bad = align(alignment.lists, negatives)
    # Negatives above a hit: negatives up to its row, minus those of earlier documents.
    above = np.searchsorted(bad.row, row) - np.searchsorted(bad.document, document)
    size, judged = alignment.gold.size[document], negatives.size[document]
    value = 1 - np.minimum(above, size) / np.maximum(np.minimum(size, judged), 1)
    total = np.bincount(document, value, minlength=len(negatives.size))
    return np.where(negatives.size == 0, np.nan, total)


@dataclass(frozen=True)
class SystemCounts:
    """One system's counts by matcher; without concordance measures, `sets` are the exact counts."""

    by_matcher: Mapping[Matcher, Counts]

    @property
    def exact(self) -> Counts:
        """The counts of overlap and ranking measures."""
        return self.by_matcher["exact"]

    @property
    def sets(self) -> Counts:
        """The counts of concordance tables, of distinct phrases."""
        return self.by_matcher["sets"]

    def of(self, asked: Asked) -> Counts:
        """Return the counts for a measure."""
        matcher = asked.measure.matcher
        if asked.measure.family in OF_PEOPLE:
            raise UsageError(f"{asked.name()} is a measure of several annotators; use `agreement`")
        if matcher not in self.by_matcher:
            raise usage_error(SPECIAL[matcher], measure=asked.name())
        return self.by_matcher[matcher]

    def views(self, asked: Sequence[Asked]) -> Iterator[tuple[Asked, View]]:
        """Yield each measure with the counts at its cutoffs, which are shared between measures."""
        views: dict[tuple[int, tuple[Cutoff, ...]], View] = {}
        for measure in asked:
            counts, cutoffs = self.of(measure), measure.cutoffs(self.exact.settings)
            key = id(counts), cutoffs
            if key not in views:
                views[key] = counts.at(cutoffs)
            yield measure, views[key]

    def blocks(self) -> list[SystemCounts]:
        """Return the counts in blocks of documents, the same for all systems."""
        blocks = self._each(Counts.blocks)
        numbers = range(len(blocks["exact"]))
        return [SystemCounts({matcher: parts[number] for matcher, parts in blocks.items()}) for number in numbers]

    def changed(self, change: Callable[[Counts], Counts]) -> SystemCounts:
        """Return the counts with a function applied to each; matchers that share counts still do."""
        return SystemCounts(self._each(change))

    def _each(self, make: Callable[[Counts], Made]) -> dict[Matcher, Made]:
        distinct = {id(counts): counts for counts in self.by_matcher.values()}
        made = {key: make(counts) for key, counts in distinct.items()}
        return {matcher: made[id(counts)] for matcher, counts in self.by_matcher.items()}

    def under(self, settings: Settings) -> SystemCounts:
        """Return the counts under settings that differ only in conventions applied to counts."""
        return self.changed(lambda counts: replace(counts, settings=settings))

    def restricted(self, documents: Bools) -> SystemCounts:
        """Return the counts for a gold standard restricted to some documents."""
        return self.changed(lambda counts: replace(counts, known=counts.known & documents))


def counted_alike(settings: Settings) -> Settings:
    """Return settings with the same counts, in which the conventions applied to counts have their defaults.

    >>> counted_alike(Settings(denominator="returned", duplicates="keep")) == Settings(duplicates="keep")
    True
    """
    return settings.changed(**{name: card.usual for name, card in CONVENTIONS.items() if card.of_counts})


def table_settings(settings: Settings) -> Settings:
    """Return the settings of concordance tables: distinct phrases on both sides under any preset."""
    return settings.changed(duplicates="before", gold_list="unique", hits_as="predictions", denominator="k")
