"""Turn matches at known ranks, or among tied ranks, into hits: one row each, of which ranking measures are sums."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from kp_core.scoring.codes import Floats, Ints, ranks, running
from kp_core.scoring.gold import Gold


@dataclass(frozen=True)
class Hits:
    """The hits of one system, one row a hit; every ranking measure is a sum over the rows up to the cutoff.

    document, rank     where the hit stands
    found              gold items found here (1; a probability where ties are averaged)
    precision          precision at this rank: the summand of average precision
    first              1 at the first hit (a probability where ties are averaged)
    gain, exp_gain     gain of the grade found here, linear and exponential
    """

    document: Ints
    rank: Ints
    found: Floats
    precision: Floats
    first: Floats
    gain: Floats
    exp_gain: Floats

    def part(self, documents: slice) -> Hits:
        """Return the hits of some documents, numbered from 0; rows are ordered by document."""
        rows = slice(*np.searchsorted(self.document, [documents.start, documents.stop]))
        rest = (getattr(self, field.name)[rows] for field in fields(self)[1:])
        return Hits(self.document[rows] - documents.start, *rest)


def exponential(grade: Floats) -> Floats:
    """Return the exponential gain of a grade."""
    return np.exp2(grade) - 1


def ordered_hits(document: Ints, rank: Ints, found: Floats, grade: Floats) -> Hits:
    """Return hits at known ranks from the gold items found and their grade, rows ordered by document and rank."""
    so_far = running(found, np.diff(document, prepend=-1) != 0)
    first, some = np.zeros(len(document)), np.flatnonzero(found)  # rows without a hit may stand above
    first[some[np.diff(document[some], prepend=-1) != 0]] = 1
    return Hits(document, rank, found, so_far / rank, first, grade, exponential(grade))


def tied_hits(document: Ints, rank: Ints, group: Ints, found: Floats, grade: Floats) -> Hits:
    """Return the hits expected over all orders of tied rows; one input row a rank, rows of a group tie.

    A phrase that repeats another of its group stays behind it: such repeats keep the order of the file.
    """
    size, within = np.bincount(group), np.bincount(group, found).astype(float)
    first_group = np.diff(document[np.cumsum(size) - size], prepend=-1) != 0
    before = running(within, first_group) - within
    t = size[group].astype(float)
    gain, exp_gain = (np.bincount(group, value)[group] / t for value in (grade, exponential(grade)))
    return _expected(document, rank, ranks(size), t, within[group], before[group], gain, exp_gain)


def random_hits(document: Ints, rank: Ints, size: Floats, gold: Gold) -> Hits:
    """Return the hits expected of a random order of `size` phrases (row,), the document's gold items among them."""
    r = gold.size[document].astype(float)
    gain, exp_gain = (
        np.bincount(gold.document, value, minlength=len(gold.size))[document] / size
        for value in (gold.grade, exponential(gold.grade))
    )
    return _expected(document, rank, rank, size, r, np.zeros(len(rank)), gain, exp_gain)


def _expected(
    document: Ints, rank: Ints, place: Ints, t: Floats, r: Floats, before: Floats, gain: Floats, exp_gain: Floats
) -> Hits:
    """Return expected hits, row by row: the row is number `place` of a tie of `t` phrases with `r` hits.

    Source: McSherry and Najork 2008; the closed forms equal the enumeration of all orders.
    """
    kept = (r > 0) | (gain > 0)
    document, rank, place = document[kept], rank[kept], place[kept]
    t, r, before, gain, exp_gain = (column[kept] for column in (t, r, before, gain, exp_gain))
    share = np.divide((place - 1) * (r - 1), t - 1, out=np.zeros(len(t)), where=t > 1)
    # The chance that the tie's first hit is here: no hit at the places above, then one of r among those left.
    left = t - place + 1
    none_here = np.zeros(len(t))
    np.log1p(-r / np.maximum(left, 1), out=none_here, where=left > r)
    above = running(none_here, place == 1) - none_here
    first = np.where((before == 0) & (left >= r), np.exp(above) * r / left, 0.0)
    return Hits(document, rank, r / t, r / t * (before + 1 + share) / rank, first, gain, exp_gain)


def ideal_hits(gold: Gold, lower: Gold | None = None) -> Hits:
    """Return the hits of the ideal ranking: all gold items, highest grade first; `lower` have a gain only."""
    document, grade, size, found = gold.document, gold.grade, gold.size, np.ones(len(gold.grade))
    if lower is not None and len(lower.grade):
        document, grade = np.concatenate([document, lower.document]), np.concatenate([grade, lower.grade])
        size, found = size + lower.size, np.concatenate([found, np.zeros(len(lower.grade))])
    elif (grade == grade[:1]).all():
        return ordered_hits(document, ranks(size), found, grade)
    order = np.lexsort((-grade, document))
    return ordered_hits(document[order], ranks(size), found[order], grade[order])


def returned_ideal(hits: Hits) -> Hits:
    """Return the hits of the best order of what was returned (the ideal of some published scripts)."""
    order = np.lexsort((-hits.gain, hits.document))
    length = np.bincount(hits.document)
    return replace(hits, rank=ranks(length), gain=hits.gain[order], exp_gain=hits.exp_gain[order])
