"""Turn matches into hits, one row each, at known ranks or among tied ranks: ranking measures are sums over hits."""

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
    rarity             gain of a keyphrase by how rare it is
    """

    document: Ints
    rank: Ints
    found: Floats
    precision: Floats
    first: Floats
    gain: Floats
    exp_gain: Floats
    rarity: Floats

    def part(self, documents: slice) -> Hits:
        """Return the hits of some documents, numbered from 0; rows are ordered by document."""
        rows = slice(*np.searchsorted(self.document, [documents.start, documents.stop]))
        rest = (getattr(self, field.name)[rows] for field in fields(self)[1:])
        return type(self)(self.document[rows] - documents.start, *rest)


def exponential(grade: Floats) -> Floats:
    """Return the exponential gain of a grade."""
    return np.exp2(grade) - 1


def ordered_hits(document: Ints, rank: Ints, found: Floats, grade: Floats, rarity: Floats) -> Hits:
    """Return hits at known ranks from the gold items found and their gains, rows ordered by document and rank."""
    so_far = running(found, np.diff(document, prepend=-1) != 0)
    first, some = np.zeros(len(document)), np.flatnonzero(found)  # rows without a hit may stand above
    first[some[np.diff(document[some], prepend=-1) != 0]] = 1
    return Hits(document, rank, found, so_far / rank, first, grade, exponential(grade), rarity)


@dataclass(frozen=True)
class Recalled(Hits):
    """Hits by similarity: what each row finds, and by how much it raises what is found of the keyphrases, recalled."""

    recalled: Floats


@dataclass(frozen=True)
class ListRows(Hits):
    """The rows of lists, each of them a hit.

    repeated       whether the phrase stands higher in its list
    words          how many it has; repeated_words: how many of them stand earlier in the list
    present        whether it stands in the text of its document; NaN without a text
    alike          how similar it is to all phrases above it together; NaN without a similarity of the user's
    """

    repeated: Floats
    words: Floats
    repeated_words: Floats
    present: Floats
    alike: Floats


def recalled_hits(document: Ints, rank: Ints, found: Floats, recalled: Floats) -> Recalled:
    """Return the rows (row,) that find something, or by which something is found."""
    some = np.flatnonzero((found > 0) | (recalled > 0))
    own = found[some]
    hits = ordered_hits(document[some], rank[some], own, own, np.ones(len(some)))
    return Recalled(**vars(hits), recalled=recalled[some])


def tied_hits(document: Ints, rank: Ints, group: Ints, found: Floats, grade: Floats, rarity: Floats) -> Hits:
    """Return the hits expected over all orders of tied rows; one input row a rank, rows of a group tie.

    A phrase that repeats another of its group stays behind it: such repeats keep the order of the file.
    """
    size, within = np.bincount(group), np.bincount(group, found).astype(float)
    first_group = np.diff(document[np.cumsum(size) - size], prepend=-1) != 0
    before = running(within, first_group) - within
    t = size[group].astype(float)
    gains = np.stack([np.bincount(group, value)[group] / t for value in (grade, exponential(grade), rarity)])
    return _expected(document, rank, ranks(size), t, within[group], before[group], gains)


def random_hits(document: Ints, rank: Ints, size: Floats, gold: Gold) -> Hits:
    """Return the hits expected of a random order of `size` phrases (row,), the document's gold items among them."""
    r = gold.size[document].astype(float)
    values = (gold.grade, exponential(gold.grade), gold.rarity)
    sums = [np.bincount(gold.document, value, minlength=len(gold.size)) for value in values]
    gains = np.stack([own[document] / size for own in sums])
    return _expected(document, rank, rank, size, r, np.zeros(len(rank)), gains)


def _expected(document: Ints, rank: Ints, place: Ints, t: Floats, r: Floats, before: Floats, gains: Floats) -> Hits:
    """Return expected hits, row by row: the row is number `place` of a tie of `t` phrases with `r` hits.

    Source: McSherry and Najork 2008; the closed forms equal the enumeration of all orders.
    """
    kept = (r > 0) | (gains[0] > 0)
    document, rank, place = document[kept], rank[kept], place[kept]
    t, r, before = (column[kept] for column in (t, r, before))
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
