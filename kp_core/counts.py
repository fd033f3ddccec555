"""Turn hits into counts per document for any cutoff: everything a measure may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from kp_core.coding import Bools, Floats, Ints
from kp_core.conventions import Conventions
from kp_core.gold import Gold
from kp_core.matching import Lists, match, newly, ragged, ranks

#: A cutoff: a number of phrases, the document's gold size (O), all returned (M), the larger of both (G), or none.
Cutoff = int | Literal["gold", "all", "larger", "none"]


#: Fields of `Cells`, in order.
FIELDS = ("hits", "returned", "size", "universe", "denominator")


@dataclass(frozen=True)
class Terms:
    """The hits of one system, one row a hit; every ranking measure is a sum over the rows up to the cutoff.

    document, rank     where the hit stands
    hits               gold items found here (1; a probability where ties are averaged)
    precision          precision at this rank: the summand of average precision
    first              1 at the first hit (a probability where ties are averaged)
    gain, exp_gain     gain of the grade found here, linear and exponential
    """

    document: Ints
    rank: Ints
    hits: Floats
    precision: Floats
    first: Floats
    gain: Floats
    exp_gain: Floats


@dataclass(frozen=True)
class Cells:
    """Counts from which overlap and concordance measures are computed; arrays of any one shape, or their sums.

    hits, returned, size, universe   gold items found, phrases returned, gold items, phrases that could be chosen
    denominator                      of precision, by the convention
    """

    hits: Floats
    returned: Floats
    size: Floats
    universe: Floats
    denominator: Floats

    @property
    def both(self) -> Floats:
        """Cell a: gold and system say yes."""
        return self.hits

    @property
    def gold_only(self) -> Floats:
        """Cell b: missed."""
        return self.size - self.hits

    @property
    def system_only(self) -> Floats:
        """Cell c: spurious."""
        return self.returned - self.hits

    @property
    def neither(self) -> Floats:
        """Cell d: rejected by both."""
        return self.universe - self.size - self.returned + self.hits

    def only(self, documents: Bools) -> Cells:
        """Return the counts of some documents."""
        return Cells(*(getattr(self, name)[documents] for name in FIELDS))

    def joined(self, other: Cells) -> Cells:
        """Return these documents followed by those of another."""
        return Cells(*(np.vstack([getattr(self, name), getattr(other, name)]) for name in FIELDS))

    def pooled(self, weights: Floats) -> Cells:
        """Return the sums over documents: fields (D, K) and weights (B, D) give (B, K)."""
        return Cells(*(weights @ getattr(self, name) for name in FIELDS))


@dataclass(frozen=True)
class Counts:
    """All counts of one system (or baseline) under one convention record, for D documents."""

    terms: Terms
    ideal: Terms
    size: Ints
    #: phrases that count as returned, and all rows of the list: they differ under `duplicates=after`
    length: Ints
    rows: Ints
    duplicates: Ints
    listed: Bools
    universe: Floats
    conventions: Conventions
    #: the sum of bpref over the hits of each document; None without judged negatives
    judged: Floats | None = None
    #: (document, rank) of the rows that count as returned, where some do not
    returned: tuple[Ints, Ints] | None = None

    def limit(self, cutoff: Cutoff) -> Ints:
        """Return the cutoff of each document as a number (D,)."""
        if isinstance(cutoff, int):
            return np.full(len(self.size), cutoff)
        longest = np.full(len(self.size), np.iinfo(np.int64).max)
        choices = {"gold": self.size, "all": self.rows, "larger": np.maximum(self.rows, self.size)}
        return choices.get(cutoff, longest)

    def sums(self, document: Ints, rank: Ints, value: Floats | None, cutoffs: Sequence[Cutoff]) -> Floats:
        """Return sums of `value` (1 where None) over rows whose rank is within each cutoff: (D, K)."""
        numbers = np.unique([c for c in cutoffs if isinstance(c, int)]).astype(np.int64)
        documents, width = len(self.size), len(numbers)
        total = np.empty((documents, len(cutoffs)))
        if width:
            bins = np.searchsorted(numbers, np.arange(int(numbers[-1]) + 1))  # rank → first cutoff that reaches it
            inside = rank <= numbers[-1]
            flat = document[inside] * width + bins[rank[inside]]
            by_bin = np.bincount(flat, None if value is None else value[inside], minlength=documents * width)
            running = np.cumsum(by_bin.reshape(documents, width), axis=1, dtype=np.float64)
            if width == len(cutoffs) and list(cutoffs) == numbers.tolist():
                return running
        for column, cutoff in enumerate(cutoffs):
            if isinstance(cutoff, int):
                total[:, column] = running[:, np.searchsorted(numbers, cutoff)]
            else:
                inside = rank <= self.limit(cutoff)[document]
                kept = None if value is None else value[inside]
                total[:, column] = np.bincount(document[inside], kept, minlength=documents)
        return total

    def at(self, cutoffs: Sequence[Cutoff]) -> AtK:
        """Return the counts at each cutoff, fields (D, K)."""
        limit = np.stack([self.limit(c) for c in cutoffs], axis=1).astype(np.float64)
        returned = np.minimum(limit, self.length[:, None])
        if self.returned is not None:
            returned = self.sums(*self.returned, None, cutoffs)
        size = np.broadcast_to(self.size[:, None].astype(np.float64), limit.shape)
        rule = self.conventions.denominator
        denominator = {"k": limit, "returned": returned}.get(rule)
        if denominator is None:
            denominator = np.minimum(limit, size)
        denominator = denominator.copy() if any(c in ("gold", "all") for c in cutoffs) else denominator
        for column, cutoff in enumerate(cutoffs):
            if cutoff == "gold":
                denominator[:, column] = self.size
            elif cutoff == "all":
                denominator[:, column] = self.length
        terms = self.terms
        return AtK(
            self.sums(terms.document, terms.rank, terms.hits, cutoffs),
            returned,
            size,
            np.broadcast_to(self.universe[:, None], limit.shape),
            denominator,
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
        terms = self.counts.terms
        return self.counts.sums(terms.document, terms.rank, value, self.cutoffs)

    @cached_property
    def precision_sum(self) -> Floats:
        """Sum of precision over the hits."""
        return self.total(self.counts.terms.precision)

    @cached_property
    def first_hit(self) -> Floats:
        """1 if there is a hit, else 0."""
        return self.total(self.counts.terms.first)

    @cached_property
    def reciprocal_rank(self) -> Floats:
        """1 / rank of the first hit, else 0."""
        terms = self.counts.terms
        return self.total(terms.first / terms.rank)

    def discounted(self, exponential: bool) -> tuple[Floats, Floats]:
        """Return DCG and ideal DCG at each cutoff."""
        terms, ideal = self.counts.terms, self.counts.ideal
        gain, best = (terms.exp_gain, ideal.exp_gain) if exponential else (terms.gain, ideal.gain)
        dcg = self.total(gain / np.log2(terms.rank + 1))
        return dcg, self.counts.sums(ideal.document, ideal.rank, best / np.log2(ideal.rank + 1), self.cutoffs)


def no_terms() -> Terms:
    """Return the hits of a system that says nothing."""
    none, nothing = np.zeros(0, np.int64), np.zeros(0)
    return Terms(none, none, nothing, nothing, nothing, nothing, nothing)


def _exponential(grade: Floats) -> Floats:
    return np.exp2(grade) - 1


def ordered_terms(document: Ints, rank: Ints, hits: Floats, grade: Floats) -> Terms:
    """Return the terms of hits at known ranks, rows ordered by document and rank."""
    found = np.cumsum(hits)
    begin = np.concatenate([[True], document[1:] != document[:-1]]) if len(document) else np.zeros(0, bool)
    before = np.where(begin, found - hits, 0.0)
    found = found - np.maximum.accumulate(before)
    return Terms(document, rank, hits, found / rank, begin.astype(float), grade, _exponential(grade))


def tied_terms(document: Ints, rank: Ints, group: Ints, hits: Floats, gain: Floats, exp_gain: Floats) -> Terms:
    """Return the terms expected over all orders of tied rows; one input row a rank, rows of a group tie.

    Source: McSherry and Najork 2008; the closed forms equal the enumeration of all orders.
    """
    from scipy.special import gammaln

    if len(group) == 0:
        return no_terms()
    size, found = np.bincount(group), np.bincount(group, hits)
    head = np.concatenate([[0], np.cumsum(size)[:-1]])
    owner = document[head]
    running = np.cumsum(found) - found
    first_group = np.concatenate([[True], owner[1:] != owner[:-1]])
    before = running - np.maximum.accumulate(np.where(first_group, running, 0.0))
    t, r, h = size[group].astype(float), found[group], before[group]
    j = np.arange(len(group)) - head[group] + 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(t > 1, (j - 1) * (r - 1) / (t - 1), 0.0)

        def log_choose(n: Floats, k: Floats) -> Floats:
            return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))

        possible = (h == 0) & (r > 0) & (j <= t - r + 1)
        first = np.where(possible, np.exp(log_choose(t - j, r - 1) - log_choose(t, r)), 0.0)
    kept = r > 0
    mean_gain, mean_exp = (np.bincount(group, value)[group] / t for value in (gain, exp_gain))
    precision = r / t * (h + 1 + share) / rank
    columns = (document, rank, r / t, precision, first, mean_gain, mean_exp)
    return Terms(*(column[kept] for column in columns))  # type: ignore[arg-type]


def ideal_terms(gold: Gold) -> Terms:
    """Return the terms of the ideal ranking: all gold items, highest grade first."""
    document = gold.document
    order = np.lexsort((-gold.grade, document)) if (gold.grade != gold.grade[:1]).any() else np.arange(len(document))
    return ordered_terms(document, ranks(gold.size), np.ones(len(document)), gold.grade[order])


def _returned_ideal(terms: Terms) -> Terms:
    """Return the terms of the best order of what was returned (the ideal of some published scripts)."""
    order = np.lexsort((-terms.gain, terms.document))
    length = np.bincount(terms.document)
    return replace(terms, rank=ranks(length), gain=terms.gain[order], exp_gain=terms.exp_gain[order])


def count(
    lists: Lists, listed: Bools, gold: Gold, negatives: Gold, universe: Floats, conventions: Conventions, sets: bool = False
) -> Counts:
    """Return the counts of one system.

    universe (D,) is N per document; negatives holds the phrases judged not relevant, for bpref. Under `sets`, for
    concordance tables, a further spelling of a gold item already found is the same choice again and leaves the list.
    """
    matches = match(lists, gold)
    new = newly(matches, len(gold.grade))
    if sets and not new.all():
        again = np.ones(len(lists.form), bool)
        again[matches.row] = False
        again[matches.row[new]] = True
        if not again.all():
            return count(lists.kept(again), listed, gold, negatives, universe, conventions)
    if conventions.duplicates == "count":
        new[:] = True
    document, row, item = matches.document[new], matches.row[new], matches.item[new]
    rank, grade, hits = ranks(lists.length), gold.grade[item], np.ones(len(row))
    if len(row) > 1 and (row[1:] == row[:-1]).any():  # one prediction spells several gold items
        head = np.flatnonzero(np.diff(row, prepend=-1))
        hits = np.diff(np.append(head, len(row))).astype(float) if conventions.hits_as == "gold" else np.ones(len(head))
        document, row, grade = document[head], row[head], np.maximum.reduceat(grade, head)
    if conventions.ties == "expected" and lists.score is not None and len(rank):
        per_row, gain, exp_gain = np.zeros(len(rank)), np.zeros(len(rank)), np.zeros(len(rank))
        per_row[row], gain[row], exp_gain[row] = hits, grade, _exponential(grade)
        group = np.cumsum((rank == 1) | (np.diff(lists.score, prepend=np.nan) != 0)) - 1
        terms = tied_terms(np.repeat(np.arange(len(lists.length)), lists.length), rank, group, per_row, gain, exp_gain)
    else:
        terms = ordered_terms(document, rank[row], hits, grade)
    length, returned = lists.length, None
    if conventions.duplicates == "after" and lists.repeated.any():
        owner = np.repeat(np.arange(len(length)), length)[~lists.repeated]
        length, returned = length - lists.duplicates, (owner, rank[~lists.repeated])
    ideal = ideal_terms(gold) if conventions.ideal == "gold" else _returned_ideal(terms)
    return Counts(
        terms, ideal, gold.size, length, lists.length, lists.duplicates, listed, universe, conventions,
        _judged(lists, gold, negatives, document, row), returned,
    )  # fmt: skip


def _judged(lists: Lists, gold: Gold, negatives: Gold, document: Ints, row: Ints) -> Floats | None:
    """Return the sum of bpref over the hits of each document, NaN without judged negatives (None: nowhere any)."""
    if not len(negatives.grade):
        return None
    bad = match(lists, negatives)
    # Negatives above a hit: those up to its row, less those of earlier documents; rows are ordered by document.
    above = np.searchsorted(bad.row, row) - np.searchsorted(bad.document, document)
    size, judged = gold.size[document], negatives.size[document]
    value = 1 - np.minimum(above, size) / np.maximum(np.minimum(size, judged), 1)
    total = np.bincount(document, value, minlength=len(gold.size))
    return np.where(negatives.size == 0, np.nan, total)


def silent_counts(gold: Gold, universe: Floats, conventions: Conventions) -> Counts:
    """Return the counts of the baseline that says nothing."""
    zero = np.zeros(len(gold.size), np.int64)
    return _baseline(no_terms(), zero, gold, universe, conventions)


def random_counts(gold: Gold, universe: Floats, conventions: Conventions) -> Counts:
    """Return the counts expected of a random order of the whole universe: one tie over N phrases."""
    length = np.maximum(universe.astype(np.int64), gold.size)
    document = np.repeat(np.arange(len(length)), length)
    rank = ranks(length)
    hits, gain, exp_gain = np.zeros(len(rank)), np.zeros(len(rank)), np.zeros(len(rank))
    rows = ragged(np.cumsum(length) - length, gold.size)
    hits[rows], gain[rows], exp_gain[rows] = 1.0, gold.grade, _exponential(gold.grade)
    terms = tied_terms(document, rank, np.cumsum(rank == 1) - 1, hits, gain, exp_gain)
    return _baseline(terms, length, gold, universe, conventions)


def oracle_counts(gold: Gold, universe: Floats, conventions: Conventions) -> Counts:
    """Return the counts of the best list possible: all gold items first, highest grade first."""
    length = np.maximum(universe.astype(np.int64), gold.size)
    return _baseline(ideal_terms(gold), length, gold, universe, conventions)


def _baseline(terms: Terms, length: Ints, gold: Gold, universe: Floats, conventions: Conventions) -> Counts:
    documents = len(gold.size)
    return Counts(
        terms, ideal_terms(gold), gold.size, length, length, np.zeros(documents, np.int64), np.ones(documents, bool),
        universe, conventions,
    )  # fmt: skip
