"""Turn lists and a gold standard into the counts of a system, and these into what a measure sees at any cutoff."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kp_core.errors import UsageError, usage_error
from kp_core.scoring.alignment import Alignment, Lists, align, ranked_lists, without_respellings
from kp_core.scoring.cells import CELLS, Cells
from kp_core.scoring.codes import BLOCK, Bools, Floats, Ints
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.hits import Hits, ideal_hits, ordered_hits, returned_ideal, tied_hits
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import OF_PEOPLE, SPECIAL, Asked, Matcher
from kp_core.scoring.prepare import Prepared
from kp_core.settings import CONVENTIONS, Cutoff, Settings

#: Three systems that everybody can imagine: it says nothing; one tie over all N phrases; all gold items, best first.
SILENT, RANDOM, ORACLE = BASELINES = ("says nothing", "random k", "oracle k")
Made = TypeVar("Made")
#: The name under which people stand beside the systems.
HUMANS = "human ceiling"


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
    #: the gold size that a cutoff means, where `size` counts broader concepts too
    gold_size: Ints | None = None
    #: (D,) documents whose empty gold standard counts under any policy, as `Gold.declined` (None: no document)
    declined: Bools | None = None

    @property
    def scored(self) -> Bools:
        """Documents that the system is scored on (D,), by the policies for empty gold and missing lists."""
        used = self.known & self.resampled
        if self.settings.missing == "skip":
            used &= self.listed
        return used

    @property
    def resampled(self) -> Bools:
        """Documents that a resample may hold (D,): those with gold, or all where an empty gold standard counts."""
        if (rule := self.settings.empty_gold) in ("skip", "zero-if-judged"):
            there = (self.size > 0) | ((self.negatives > 0) & (rule != "skip"))
            return np.asarray(there if self.declined is None else there | self.declined)
        return np.ones(len(self.size), bool)

    @property
    def without_judgements(self) -> Bools:
        """Documents without a judged negative (D,), where such a document has no bpref; of trec_eval it has one."""
        if self.settings.empty_gold == "zero-if-judged":
            return np.zeros(len(self.size), bool)
        return np.ones(len(self.size), bool) if self.judged is None else np.isnan(self.judged)

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
        size = self.size if self.gold_size is None else self.gold_size
        choices = {"gold": size, "all": self.rows, "larger": np.maximum(self.rows, size)}
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

    def at(self, cutoffs: Sequence[Cutoff]) -> View:
        """Return the counts of every document at each cutoff, fields (D, K)."""
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


#: Measures of lists that need texts, or a similarity, and the reason of one without.
_LACKING = {"present@k": "no_text", "self-similarity@k": "no_similarity"}


@dataclass(frozen=True)
class View(Cells):
    """One system's counts at K cutoffs, fields (D, K), with the sums that ranking measures need."""

    counts: Counts
    cutoffs: tuple[Cutoff, ...]
    limit: Floats
    #: the reason of a column without a value where no document counts
    absent: ClassVar[str] = "no_documents"

    def arrays(self) -> list[Floats]:
        """Return the counts alone, in the order of `CELLS`."""
        return [np.ascontiguousarray(getattr(self, name)) for name in CELLS]

    @property
    def scored(self) -> Bools:
        """Which documents the system is scored on (D,)."""
        return self.counts.scored

    @property
    def documents(self) -> Ints:
        """How many documents are pooled in each column (K,)."""
        return np.full(len(self.cutoffs), int(self.scored.sum()))

    def total(self, value: Floats) -> Floats:
        """Return sums over hits of a value per hit, up to each cutoff: (D, K)."""
        return self.counts.totals(value, self.cutoffs)

    def gained(self, gain: str, discount: Callable[[Ints], Floats]) -> tuple[Floats, Floats]:
        """Return the sum of gains at each cutoff, and that of the best order; gain: a column of `Hits`."""
        hits, ideal = self.counts.hits, self.counts.ideal
        own, best = (getattr(one, gain) / discount(one.rank) for one in (hits, ideal))
        return self.total(own), self.counts.sums(ideal.document, ideal.rank, best, self.cutoffs)

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and cutoff (D, K); NaN where undefined."""
        if asked.over:
            each = self.counts.at(asked.over).values(replace(asked, over=(), cutoff=None))
            return np.repeat(each.mean(axis=1, keepdims=True), len(self.cutoffs), axis=1)
        values, counts = asked.scores(self), self.counts
        without = counts.size == 0
        if asked.of_tables or asked.measure.family == "list" or not without.any():
            return values
        values = np.array(values, dtype=float)
        if (
            counts.settings.gains != "all"
        ):  # else entries with a grade below `rel` have their gain without a relevant one
            values[without] = 0.0
        values[without & ~counts.resampled] = np.nan
        if counts.settings.empty_gold == "one-if-empty":
            values[without & (counts.length == 0)] = 1.0
        return values

    def status(self, asked: Asked) -> NDArray[np.str_]:
        """Name what is special about every document and cutoff (D, K), or `ok`; the keys stand in `REASONS`."""
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


def lists_of(data: Prepared) -> dict[str, Lists]:
    """Return the lists of every system as the conventions have them."""
    return {name: ranked_lists(run, data.identities, data.settings) for name, run in data.coded.runs.items()}


def alignments_of(data: Prepared) -> dict[str, Alignment]:
    """Return the alignment of every system with the gold standard."""
    return {name: align(lists, data.gold) for name, lists in lists_of(data).items()}


def gathered(data: Prepared, without: int | None = None, fewest: Ints | None = None) -> tuple[Gold, Gold]:
    """Return what `gather` does, with the weights of rare keyphrases."""
    gold, negatives = gather(data.coded, data.identities, data.settings, without, fewest)
    return data.weighed(gold), negatives


def count(
    lists: Lists, listed: Bools, gold: Gold, negatives: Gold, universe: Floats, settings: Settings, sets: bool = False
) -> Counts:
    """Return the counts of one system.

    universe (D,) is N per document; negatives holds the phrases judged not relevant, for bpref. Under `sets`, for
    concordance tables, a further spelling of a gold item already found is the same choice again and leaves the list.
    """
    if sets:
        lists = without_respellings(lists, gold)
    alignment = align(lists, gold)
    new = alignment.first | (settings.duplicates == "count")
    document, row, item = alignment.document[new], alignment.row[new], alignment.item[new]
    rank, grade, rarity, found = lists.rank, gold.grade[item], gold.rarity[item], np.ones(len(row))
    if len(row) > 1 and (row[1:] == row[:-1]).any():  # one prediction spells several gold items
        head = np.flatnonzero(np.diff(row, prepend=-1))
        found = np.diff(np.append(head, len(row))).astype(float) if settings.hits_as == "gold" else np.ones(len(head))
        document, row = document[head], row[head]
        grade, rarity = np.maximum.reduceat(grade, head), np.maximum.reduceat(rarity, head)
    lower = graded_below(negatives, settings)
    gains = np.stack([grade, rarity])
    document, row, found, gains, precise = _with_misses(alignment, (document, row, found, gains), lower, settings)
    hits = ordered_hits(document, rank[row], found, *gains)
    hits = replace(hits, precision=hits.precision * precise)
    ideal = ideal_hits(gold, lower) if settings.ideal == "gold" else returned_ideal(hits)
    if settings.ties == "expected" and lists.score is not None:
        found_in, grade_in, rarity_in = np.zeros((3, len(rank)))
        found_in[row], grade_in[row], rarity_in[row] = found, *gains
        group = np.cumsum((rank == 1) | (np.diff(lists.score, prepend=np.nan) != 0)) - 1
        hits = tied_hits(lists.owner, rank, group, found_in, grade_in, rarity_in)
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
        declined=gold.declined,
    )


def graded_below(negatives: Gold, settings: Settings) -> Gold:
    """Return the items with a grade below `rel` that have a gain all the same, by the convention."""
    return negatives.only((negatives.grade > 0) & (settings.gains == "all"))


def _with_misses(
    alignment: Alignment, found: tuple[Ints, Ints, Floats, Floats], lower: Gold, settings: Settings
) -> tuple[Ints, Ints, Floats, Floats, Bools]:
    """Add the rows that are no hit and yet count: return document, row, items found, gains, and if precision counts.

    Gains (2, row) are by grade and by rarity. A repeat of a hit adds to average precision under ap_repeats = hit;
    items with a grade below `rel` (`lower`) have their gain under gains = all.
    """
    lists = alignment.lists
    again = np.setdiff1d(alignment.row, found[1]) if settings.ap_repeats == "hit" else found[1][:0]
    if not len(again) and not len(lower.grade):
        return *found, np.ones(len(found[1]), bool)
    graded = align(lists, lower)
    first = graded.first & ~np.isin(graded.row, found[1])
    row = np.concatenate([found[1], again, graded.row[first]])
    order = np.argsort(row, kind="stable")
    nothing = np.zeros(len(again))
    items = np.concatenate([found[2], nothing, np.zeros(first.sum())])
    more = np.concatenate([nothing, lower.grade[graded.item[first]]])
    gains = np.concatenate([found[3], np.stack([more, np.zeros(len(more))])], axis=1)
    precise = np.arange(len(row)) < len(found[1]) + len(again)
    return lists.owner[row[order]], row[order], items[order], gains[:, order], precise[order]


def _judged(lists: Lists, gold: Gold, negatives: Gold, document: Ints, row: Ints) -> Floats | None:
    """Return the sum of bpref over the hits of each document, NaN without judged negatives (None: nowhere any)."""
    negatives = negatives.only(negatives.grade >= 0)  # in qrels, a grade below 0 means that nobody judged
    if not len(negatives.grade):
        return None
    bad = align(lists, negatives)
    # Negatives above a hit: those up to its row, less those of earlier documents; rows are ordered by document.
    above = np.searchsorted(bad.row, row) - np.searchsorted(bad.document, document)
    size, judged = gold.size[document], negatives.size[document]
    value = 1 - np.minimum(above, size) / np.maximum(np.minimum(size, judged), 1)
    total = np.bincount(document, value, minlength=len(gold.size))
    return np.where(negatives.size == 0, np.nan, total)


@dataclass(frozen=True)
class SystemCounts:
    """One system's counts by matcher; all measures of one matcher see the same.

    Without concordance measures, the exact counts stand for those of sets.
    """

    by_matcher: Mapping[Matcher, Counts]

    @property
    def exact(self) -> Counts:
        """The counts of overlap and ranking measures."""
        return self.by_matcher["exact"]

    @property
    def sets(self) -> Counts:
        """The counts of concordance tables, which always hold distinct phrases."""
        return self.by_matcher["sets"]

    def of(self, asked: Asked) -> Counts:
        """Return the counts that a measure sees."""
        matcher = asked.measure.matcher
        if asked.measure.family in OF_PEOPLE:
            raise UsageError(f"{asked.name()} is a measure of several annotators; ask `agreement` for it")
        if matcher not in self.by_matcher:
            raise usage_error(SPECIAL[matcher], measure=asked.name())
        return self.by_matcher[matcher]

    def views(self, asked: Sequence[Asked]) -> Iterator[tuple[Asked, View]]:
        """Give each measure with the counts at its cutoffs, which are made once for all measures that see the same."""
        made: dict[tuple[int, tuple[Cutoff, ...]], View] = {}
        for one in asked:
            counts, cutoffs = self.of(one), one.cutoffs(self.exact.settings)
            key = id(counts), cutoffs
            if key not in made:
                made[key] = counts.at(cutoffs)
            yield one, made[key]

    def blocks(self) -> list[SystemCounts]:
        """Return the counts in parts of documents, the same for all systems."""
        blocks = self._each(Counts.blocks)
        numbers = range(len(blocks["exact"]))
        return [SystemCounts({matcher: parts[number] for matcher, parts in blocks.items()}) for number in numbers]

    def changed(self, change: Callable[[Counts], Counts]) -> SystemCounts:
        """Return all counts changed in the same way; what is one for several matchers stays one."""
        return SystemCounts(self._each(change))

    def _each(self, make: Callable[[Counts], Made]) -> dict[Matcher, Made]:
        distinct = {id(counts): counts for counts in self.by_matcher.values()}
        made = {key: make(counts) for key, counts in distinct.items()}
        return {matcher: made[id(counts)] for matcher, counts in self.by_matcher.items()}

    def under(self, settings: Settings) -> SystemCounts:
        """Return the same counts for settings that differ only in conventions `of_counts`."""
        return self.changed(lambda counts: replace(counts, settings=settings))

    def restricted(self, documents: Bools) -> SystemCounts:
        """Return the counts as if the gold standard spoke about some documents only."""
        return self.changed(lambda counts: replace(counts, known=counts.known & documents))


def counted_alike(settings: Settings) -> Settings:
    """Return the settings under which the counts are the same: what is applied to counts later has its default.

    >>> counted_alike(Settings(denominator="returned", duplicates="keep")) == Settings(duplicates="keep")
    True
    """
    return settings.changed(**{name: card.usual for name, card in CONVENTIONS.items() if card.of_counts})


def table_settings(settings: Settings) -> Settings:
    """Concordance tables hold sets: distinct phrases on both sides, whatever the preset."""
    return settings.changed(duplicates="before", gold_list="unique", hits_as="predictions", denominator="k")
