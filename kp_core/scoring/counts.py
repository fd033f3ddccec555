"""Turn lists and a gold standard into the counts of a system, and counts into the input of measures at any cutoff."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kp_core.errors import UsageError, usage_error
from kp_core.scoring.alignment import Alignment, Hits, Lists, align, ideal_hits, ordered_hits, returned_ideal, tied_hits
from kp_core.scoring.cells import CELLS, Cells
from kp_core.scoring.codes import Bools, Floats, Ints, document_blocks
from kp_core.scoring.gold import Gold
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import OF_PEOPLE, SPECIAL, Matcher, Measure
from kp_core.settings import CONVENTIONS, Cutoff, Settings

#: Baselines: empty list, a single tie of all N phrases, and all gold items, best first.
SILENT, RANDOM, ORACLE = BASELINES = ("says nothing", "random k", "oracle k")
#: The name of human agreement in results of systems.
HUMANS = "human ceiling"


@dataclass(frozen=True)
class Counts:
    """All counts of one system or baseline under given settings, for D documents; arrays are (D,).

    * `alignment`: the counted matches, always of all documents, even if D is a subset
    * `length`, `rows`: phrases that count as returned, and all rows of the list: they differ under `duplicates=after`
    * `known`: documents that are in the gold standard
    * `largest`: the largest grade of the gold standard
    * `negatives`: number of phrases judged not relevant
    * `judged`: the sum of the hits' parts of bpref; None without judged negatives
    * `returned_rows`: (document, rank) of the rows that count as returned, if some do not
    * `deepest`: the rank beyond which the hits are unknown, if any
    * `gold_size`: the gold size for cutoffs, if `size` includes broader concepts
    * `declined`: see `Gold.declined`
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
        """Whether each document is scored (D,), by the conventions for empty gold standards and missing lists."""
        scored = self.known & self.resampled
        if self.settings.missing == "skip":
            scored &= self.listed
        return scored

    @property
    def resampled(self) -> Bools:
        """The documents that resamples may contain (D,): those with gold, or all if an empty gold standard counts."""
        if (rule := self.settings.empty_gold) in ("skip", "zero-if-judged"):
            with_gold = (self.size > 0) | ((self.negatives > 0) & (rule != "skip"))
            return np.asarray(with_gold if self.declined is None else with_gold | self.declined)
        return np.ones(len(self.size), bool)

    @property
    def without_judgements(self) -> Bools:
        """The documents with undefined bpref for lack of a judged negative (D,); none under the rule of trec_eval."""
        if self.settings.empty_gold == "zero-if-judged":
            return np.zeros(len(self.size), bool)
        return np.ones(len(self.size), bool) if self.judged is None else np.isnan(self.judged)

    def blocks(self) -> list[Counts]:
        """Return the counts in blocks of documents that fit into the processor's cache."""
        return [self.part(block) for block in document_blocks(len(self.size))]

    def part(self, documents: slice) -> Counts:
        """Return the counts of a range of documents, renumbered from 0."""
        changes: dict[str, Any] = {
            name: array[documents] for name, array in vars(self).items() if isinstance(array, np.ndarray)
        }
        if self.returned_rows is not None:
            document, rank = self.returned_rows
            rows = slice(*np.searchsorted(document, [documents.start, documents.stop]))
            changes["returned_rows"] = document[rows] - documents.start, rank[rows]
        hits, ideal = self.hits.part(documents), self.ideal.part(documents)
        return replace(self, hits=hits, ideal=ideal, **changes)

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
            is_within = rank <= numbers[-1]
            flat = document[is_within] * width + bins[rank[is_within]]
            by_bin = np.bincount(flat, None if value is None else value[is_within], minlength=documents * width)
            running = np.cumsum(by_bin.reshape(documents, width), axis=1, dtype=np.float64)
            if list(cutoffs) == numbers:
                return running
            columns |= zip(numbers, running.T, strict=True)
        for cutoff in {*cutoffs} - columns.keys():
            is_within = rank <= self.limit(cutoff)[document]
            weight = None if value is None else value[is_within]
            columns[cutoff] = np.bincount(document[is_within], weight, minlength=documents).astype(float)
        return np.stack([columns[cutoff] for cutoff in cutoffs], axis=1)

    def totals(self, value: Floats, cutoffs: Sequence[Cutoff]) -> Floats:
        """Return the sum of a value of each hit over the hits up to each cutoff (D, K); NaN if the hits are unknown."""
        sums = self.sums(self.hits.document, self.hits.rank, value, cutoffs)
        if self.deepest is None:
            return sums
        depth = np.stack([np.minimum(self.limit(cutoff), self.rows) for cutoff in cutoffs], axis=1)
        return np.where(depth > self.deepest, np.nan, sums)

    def at(self, cutoffs: Sequence[Cutoff]) -> CutoffCounts:
        """Return the counts of every document at each cutoff, fields (D, K)."""
        limit = np.stack([self.limit(c) for c in cutoffs], axis=1).astype(np.float64)
        returned = np.minimum(limit, self.length[:, None])
        if self.returned_rows is not None:
            returned = self.sums(*self.returned_rows, None, cutoffs)
        size, universe = (np.broadcast_to(x[:, None].astype(float), limit.shape) for x in (self.size, self.universe))
        denominator, rule = returned, "returned" if self.gold_size is not None else self.settings.denominator
        if rule == "k":  # at k = all, repeats may not count as returned
            denominator = np.where(np.array([cutoff == "all" for cutoff in cutoffs]), returned, limit)
        elif rule == "min(k,gold)":
            denominator = np.minimum(limit, size)
        hits = self.totals(self.hits.columns["found"], cutoffs)
        return CutoffCounts(hits, returned, size, universe, denominator, self, tuple(cutoffs), limit)


#: Measures of lists that need texts or a similarity → reason for a missing value.
_REASONS = {"present@k": "no_text", "self-similarity@k": "no_similarity"}


@dataclass(frozen=True)
class CutoffCounts(Cells):
    """One system's counts at K cutoffs, fields (D, K), with the sums that ranking measures need."""

    counts: Counts
    cutoffs: tuple[Cutoff, ...]
    limit: Floats
    #: reason for a missing value if no document counts
    absent: ClassVar[str] = "no_documents"

    def arrays(self) -> list[Floats]:
        """Return the five counts, in the order of `CELLS`."""
        return [np.ascontiguousarray(getattr(self, name)) for name in CELLS]

    @property
    def scored(self) -> Bools:
        """The documents on which the system is scored (D,)."""
        return self.counts.scored

    @property
    def documents(self) -> Ints:
        """The number of documents that are pooled in each column (K,)."""
        return np.full(len(self.cutoffs), int(self.scored.sum()))

    def total(self, value: Floats) -> Floats:
        """Return the sum of a value of each hit over the hits up to each cutoff: (D, K)."""
        return self.counts.totals(value, self.cutoffs)

    def sums_of(self, column: str) -> Floats:
        """Return sums up to each cutoff of a column of the hits (D, K)."""
        return self.total(self.counts.hits.columns[column])

    def gained(self, gain: str, discount: Callable[[Ints], Floats]) -> tuple[Floats, Floats]:
        """Return the discounted gain at each cutoff, and that of the ideal ranking; `gain`: a column of `Hits`."""
        hits, ideal = self.counts.hits, self.counts.ideal
        gains, best = (ranking.columns[gain] / discount(ranking.rank) for ranking in (hits, ideal))
        return self.total(gains), self.counts.sums(ideal.document, ideal.rank, best, self.cutoffs)

    def values(self, measure: Measure) -> Floats:
        """Return the value of every document and cutoff (D, K); NaN if undefined."""
        if measure.over:
            values = self.counts.at(measure.over).values(replace(measure, over=()))
            return np.repeat(values.mean(axis=1, keepdims=True), len(self.cutoffs), axis=1)
        values, counts = measure.scores(self), self.counts
        without_gold = counts.size == 0
        if measure.of_tables or measure.card.family == "list" or not without_gold.any():
            return values
        values = np.array(values, dtype=float)
        if counts.settings.gains != "all":  # if all gains count, items graded below `rel` have one
            values[without_gold] = 0.0
        values[without_gold & ~counts.resampled] = np.nan
        if counts.settings.empty_gold == "one-if-empty":
            values[without_gold & (counts.length == 0)] = 1.0
        return values

    def status(self, measure: Measure) -> NDArray[np.str_]:
        """Return the special case of every document and cutoff (D, K), a key of `REASONS`, or `ok`."""
        counts = self.counts
        if measure.of_tables:
            status = concordance.status(self).astype(object)
        else:
            status = np.full(self.hits.shape, "ok", object)
            status[counts.length == 0] = "system_empty"
        status[counts.size == 0] = "gold_empty"
        status[~counts.listed] = "missing_document"
        if measure.card.name == "bpref":
            status[counts.without_judgements] = "no_judged_negatives"
        if reason := _REASONS.get(measure.card.name):
            status[np.isnan(self.values(measure)) & (counts.length > 0)[:, None]] = reason
        status[np.isnan(self.hits)] = "universe_too_large"
        return status.astype(np.str_)


def count(
    lists: Lists, listed: Bools, gold: Gold, universe: Floats, settings: Settings, only_best: bool = False
) -> Counts:
    """Return the counts of one system; `only_best`: drop lower-ranked spellings of gold items already found."""
    alignment = align(lists, gold)
    if only_best:
        kept_rows = ~alignment.hit
        kept_rows[alignment.row[alignment.is_best_ranked]] = True
        if not kept_rows.all():
            lists = lists.only(kept_rows)
            alignment = align(lists, gold)
    is_counted = alignment.is_best_ranked | (settings.duplicates == "count")
    document, row, item = alignment.document[is_counted], alignment.row[is_counted], alignment.item[is_counted]
    rank, credit, gains = lists.rank, np.ones(len(row)), np.stack([gold.grade[item], gold.rarity[item]])
    if (row[1:] == row[:-1]).any():  # a prediction matches several gold items
        head = np.flatnonzero(np.diff(row, prepend=-1))
        credit = np.diff(np.append(head, len(row))).astype(float) if settings.hits_as == "gold" else np.ones(len(head))
        document, row, gains = document[head], row[head], np.maximum.reduceat(gains, head, axis=1)
    judged = _bpref_sums(alignment, document, row)
    for_precision = np.ones(len(row), bool)
    repeated_hits = np.setdiff1d(alignment.row, row) if settings.ap_repeats == "hit" else row[:0]
    below_rel = gold.gain_below_rel if settings.gains == "all" else None
    if len(repeated_hits) or below_rel is not None:
        row, credit, gains, for_precision = _with_misses(lists, below_rel, repeated_hits, (row, credit, gains))
        document = lists.owner[row]
    hits = ordered_hits(document, rank[row], credit, *gains)
    hits = hits.changed(precision=hits.columns["precision"] * for_precision)
    ideal = ideal_hits(gold, below_rel) if settings.ideal == "gold" else returned_ideal(hits)
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
        universe,
        settings,
        float(gold.grade.max(initial=0.0)),
        gold.size * 0 if gold.negatives is None else gold.negatives.size,
        judged,
        returned_rows,
        declined=gold.declined,
    )


def _with_misses(
    lists: Lists, below_rel: Gold | None, repeated_hits: Ints, hits: tuple[Ints, Floats, Floats]
) -> tuple[Ints, Floats, Floats, Bools]:
    """Add rows that are no hits but count; return row, items found, gains, and whether each counts for precision.

    Repeated hits add to average precision, and items with a grade below `rel` add gain. Gains (2, row) are by grade and
    by rarity.
    """
    hit_rows, credit, gain = hits
    row, grade = np.concatenate([hit_rows, repeated_hits]), np.zeros(0)
    if below_rel is not None:
        graded = align(lists, below_rel)
        is_first_match = graded.is_best_ranked & ~np.isin(graded.row, hit_rows)
        row, grade = np.concatenate([row, graded.row[is_first_match]]), below_rel.grade[graded.item[is_first_match]]
    order, for_precision = np.argsort(row, kind="stable"), np.arange(len(row)) < len(hit_rows) + len(repeated_hits)
    gains = np.pad(gain, ((0, 0), (0, len(row) - len(hit_rows))))
    gains[0, ~for_precision] = grade
    return row[order], np.pad(credit, (0, len(row) - len(hit_rows)))[order], gains[:, order], for_precision[order]


def _bpref_sums(alignment: Alignment, document: Ints, row: Ints) -> Floats | None:
    """Return the sum of bpref over each document's hits; NaN without judged negatives, None if no document has any."""
    negatives = alignment.gold.negatives
    if negatives is None or not (negatives.grade >= 0).any():
        return None
    negatives = negatives.only(negatives.grade >= 0)  # in qrels, below 0 means not judged
    judged_negatives = align(alignment.lists, negatives)
    # Negatives above a hit: negatives up to its row, minus those of earlier documents.
    negatives_above = np.searchsorted(judged_negatives.row, row) - np.searchsorted(judged_negatives.document, document)
    size, judged = alignment.gold.size[document], negatives.size[document]
    value = 1 - np.minimum(negatives_above, size) / np.maximum(np.minimum(size, judged), 1)
    total = np.bincount(document, value, minlength=len(negatives.size))
    return np.where(negatives.size == 0, np.nan, total)


@dataclass(frozen=True)
class SystemCounts:
    """One system's counts by matcher; without concordance measures, `sets` equals `exact`."""

    by_matcher: Mapping[Matcher, Counts]

    @property
    def exact(self) -> Counts:
        """The counts for overlap and ranking measures."""
        return self.by_matcher["exact"]

    @property
    def sets(self) -> Counts:
        """The counts for concordance tables, based on distinct phrases."""
        return self.by_matcher["sets"]

    def of(self, measure: Measure) -> Counts:
        """Return the counts for a measure."""
        matcher = measure.card.matcher
        if measure.card.family in OF_PEOPLE:
            raise UsageError(f"{measure.name()} is a measure of several annotators; use `agreement`")
        if matcher not in self.by_matcher:
            raise usage_error(SPECIAL[matcher], measure=measure.name())
        return self.by_matcher[matcher]

    def views(self, parsed: Sequence[Measure]) -> Iterator[tuple[Measure, CutoffCounts]]:
        """Yield each measure with the counts at its cutoffs; measures share equal views."""
        views: dict[tuple[int, tuple[Cutoff, ...]], CutoffCounts] = {}
        for measure in parsed:
            counts, cutoffs = self.of(measure), measure.cutoffs(self.exact.settings)
            key = id(counts), cutoffs
            if key not in views:
                views[key] = counts.at(cutoffs)
            yield measure, views[key]

    def blocks(self) -> list[SystemCounts]:
        """Return the counts in blocks of documents, the same for all systems."""
        return [self.changed(partial(Counts.part, documents=block)) for block in document_blocks(len(self.exact.size))]

    def changed(self, change: Callable[[Counts], Counts]) -> SystemCounts:
        """Return the counts with a function applied to each; matchers that share counts continue to share them."""
        distinct = {id(counts): counts for counts in self.by_matcher.values()}
        results = {key: change(counts) for key, counts in distinct.items()}
        return SystemCounts({matcher: results[id(counts)] for matcher, counts in self.by_matcher.items()})

    def under(self, settings: Settings) -> SystemCounts:
        """Return the counts under settings that differ only in conventions applied to counts."""
        return self.changed(lambda counts: replace(counts, settings=settings))

    def restricted(self, documents: Bools) -> SystemCounts:
        """Return the counts for a gold standard restricted to some documents."""
        return self.changed(lambda counts: replace(counts, known=counts.known & documents))


def without_count_conventions(settings: Settings) -> Settings:
    """Return settings that give the same counts, with the defaults of all conventions that are applied after counting.

    >>> without_count_conventions(Settings(denominator="returned", duplicates="keep")) == Settings(duplicates="keep")
    True
    """
    return settings.changed(**{name: rule.usual for name, rule in CONVENTIONS.items() if rule.of_counts})


def table_settings(settings: Settings) -> Settings:
    """Return the settings of concordance tables: distinct phrases on both sides under any preset."""
    return settings.changed(duplicates="before", gold_list="unique", hits_as="predictions", denominator="k")
