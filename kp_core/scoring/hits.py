"""Turn matches into hits, one row each, at known ranks or among tied ranks: ranking measures are sums over hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kp_core.scoring.codes import Floats, Ints, ranks, running
from kp_core.scoring.gold import Gold


@dataclass(frozen=True)
class Hits:
    """The hits of one system, one row per hit; every ranking measure is a sum over the rows up to the cutoff.

    document, rank     of the hit
    found              gold items found here (1; a probability where ties are averaged)
    precision          precision at this rank: the summand of average precision
    first              1 at the first hit (a probability where ties are averaged)
    gain, exp_gain     gain of the grade found here, linear and exponential
    rarity             gain of a keyphrase by how rare it is
    next to             further columns by name: what is `recalled`, or what `list_quality` says of each row
    """

    document: Ints
    rank: Ints
    found: Floats
    precision: Floats
    first: Floats
    gain: Floats
    exp_gain: Floats
    rarity: Floats
    beside: Mapping[str, Floats] = field(default_factory=dict)

    def part(self, documents: slice) -> Hits:
        """Return the hits of some documents, numbered from 0; rows are ordered by document."""
        rows = slice(*np.searchsorted(self.document, [documents.start, documents.stop]))
        columns: dict[str, Any] = {
            name: array[rows] for name, array in vars(self).items() if isinstance(array, np.ndarray)
        }
        columns["document"] = self.document[rows] - documents.start
        return replace(self, **columns, beside={name: array[rows] for name, array in self.beside.items()})


def exponential(grade: Floats) -> Floats:
    """Return the exponential gain of a grade."""
    return np.exp2(grade) - 1


def ordered_hits(document: Ints, rank: Ints, found: Floats, grade: Floats, rarity: Floats) -> Hits:
    """Return hits at known ranks from the gold items found and their gains, rows ordered by document and rank."""
    so_far = running(found, np.diff(document, prepend=-1) != 0)
    first, some = np.zeros(len(document)), np.flatnonzero(found)  # rows without a hit may stand above
    first[some[np.diff(document[some], prepend=-1) != 0]] = 1
    return Hits(document, rank, found, so_far / rank, first, grade, exponential(grade), rarity)


def recalled_hits(document: Ints, rank: Ints, found: Floats, recalled: Floats) -> Hits:
    """Return the rows (row,) that find something, or by which something is found.

    recalled  by how much each raises what is found of the keyphrases
    """
    some = np.flatnonzero((found > 0) | (recalled > 0))
    own = found[some]
    hits = ordered_hits(document[some], rank[some], own, own, np.ones(len(some)))
    return replace(hits, beside={"recalled": recalled[some]})


def tied_hits(document: Ints, rank: Ints, group: Ints, found: Floats, gains: Floats) -> Hits:
    """Return the hits expected over all orders of tied rows; one input row a rank, rows of a group tie.

    gains (2, row) are by grade and by rarity. A phrase that repeats another of its group stays behind it: such repeats
    keep the order of the file.
    """
    size, within = np.bincount(group), np.bincount(group, found).astype(float)
    before = running(within, np.diff(document[np.cumsum(size) - size], prepend=-1) != 0) - within
    tie = np.stack([size, within, before])[:, group]
    each = [np.bincount(group, value)[group] for value in (gains[0], exponential(gains[0]), gains[1])]
    return _expected(document, rank, ranks(size), tie, np.stack(each) / tie[0])


def random_hits(document: Ints, rank: Ints, size: Floats, gold: Gold) -> Hits:
    """Return the hits expected of a random order of `size` phrases (row,), the document's gold items among them."""
    sums = [
        np.bincount(gold.document, value, minlength=len(gold.size))[document]
        for value in (gold.grade, exponential(gold.grade), gold.rarity)
    ]
    tie = np.stack([size, gold.size[document], np.zeros(len(rank))])
    return _expected(document, rank, rank, tie, np.stack(sums) / size)


def _expected(document: Ints, rank: Ints, place: Ints, tie: Floats, gains: Floats) -> Hits:
    """Return expected hits, row by row: the row is number `place` of its tie (3, row): phrases, hits, hits before it.

    Source: McSherry and Najork 2008; the closed forms equal the enumeration of all orders.
    """
    kept = (tie[1] > 0) | (gains[0] > 0)
    document, rank, place, (t, r, before) = document[kept], rank[kept], place[kept], tie[:, kept]
    share = np.divide((place - 1) * (r - 1), t - 1, out=np.zeros(len(t)), where=t > 1)
    # The chance that the tie's first hit is here: no hit at the places above, then one of r among those left.
    left = t - place + 1
    none_here = np.zeros(len(t))
    np.log1p(-r / np.maximum(left, 1), out=none_here, where=left > r)
    above = running(none_here, place == 1) - none_here
    first = np.where((before == 0) & (left >= r), np.exp(above) * r / left, 0.0)
    return Hits(document, rank, r / t, r / t * (before + 1 + share) / rank, first, *gains[:, kept])


def ideal_hits(gold: Gold, lower: Gold | None = None) -> Hits:
    """Return the hits of the ideal ranking: all gold items, highest grade first; `lower` have a gain only."""
    document, grade, size, found = gold.document, gold.grade, gold.size, np.ones(len(gold.grade))
    if lower is not None and len(lower.grade):
        document, grade = np.concatenate([document, lower.document]), np.concatenate([grade, lower.grade])
        size, found = size + lower.size, np.concatenate([found, np.zeros(len(lower.grade))])
    rarest = np.append(gold.rarity, np.zeros(len(grade) - len(gold.rarity)))
    by_grade, by_rarity = ((value == value[:1]).all() for value in (grade, rarest))
    in_order = len(grade) == len(gold.grade)
    order = np.arange(len(grade)) if by_grade and in_order else np.lexsort((-grade, document))
    rarest = rarest if by_rarity and in_order else rarest[np.lexsort((-rarest, document))]
    return ordered_hits(document[order], ranks(size), found[order], grade[order], rarest)


def returned_ideal(hits: Hits) -> Hits:
    """Return the hits of the best order of what was returned (the ideal of some published scripts)."""
    order, by_rarity = (np.lexsort((-value, hits.document)) for value in (hits.gain, hits.rarity))
    rank, rarity = ranks(np.bincount(hits.document)), hits.rarity[by_rarity]
    return replace(hits, rank=rank, gain=hits.gain[order], exp_gain=hits.exp_gain[order], rarity=rarity)
