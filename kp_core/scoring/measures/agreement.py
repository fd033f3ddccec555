"""Turn the choices of several annotators into tables per document, and tables into agreement coefficients.

There are tables of all pairs together, of each pair, and of each annotator against the others. Only sizes of
intersections are needed: an item that c annotators chose adds c(c-1) ordered pairs of agreeing choices. Documents that
an annotator did not see are missing data; a phrase that was not chosen is a “no”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.gold import AnnotatorChoices
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import measure


@dataclass(frozen=True)
class Panel(Cells):
    """The mean concordance table over all pairs of annotators, fields (D, 1), and further counts for alpha.

    returned = size = the mean number of choices per annotator; hits = the mean size of the intersection of a pair.
    Scott's pi of this table is Fleiss' kappa; its AC1, PABAK, P_pos and P_neg are the versions for several annotators.

    * `values`, `yes`: number of decisions (phrases times annotators), and how many of them are “yes”
    * `apart`: 2 [(R-1) C - Q] / (R-1), with C choices and Q ordered pairs of agreeing choices by R annotators
    """

    values: Floats
    yes: Floats
    apart: Floats


@dataclass(frozen=True)
class Shares(Cells):
    """The mean table, with fields (D, 1), and the numbers of choices and of phrases seen per annotator (D, A)."""

    chosen: Floats
    seen: Floats


@dataclass(frozen=True)
class PairTables(Cells):
    """The mean table, with fields (D, 1), and the tables of all pairs, with fields (D, P), for Light's kappa."""

    pair_hits: Floats
    pair_returned: Floats
    pair_size: Floats
    pair_universe: Floats
    pair_denominator: Floats

    @property
    def of_pairs(self) -> Cells:
        """The tables of all pairs."""
        return Cells(*self.arrays()[5:])


def sizes(choices: AnnotatorChoices) -> Ints:
    """Return how many items each annotator chose in each document (A, D)."""
    annotators, documents = choices.seen.shape
    flat = choices.annotator * documents + choices.document[choices.item]
    return np.bincount(flat, minlength=annotators * documents).reshape(annotators, documents)


def agreeing(choices: AnnotatorChoices) -> Ints:
    """Count the ordered pairs of agreeing choices of each document (D,): the sum of c(c-1) over its items."""
    weight = choices.votes * (choices.votes - 1.0)
    return np.rint(np.bincount(choices.document, weight, minlength=choices.seen.shape[1])).astype(np.int64)


def panel(choices: AnnotatorChoices, universe: Floats) -> Panel:
    """Return the mean table of each document; documents seen by fewer than two annotators have zeros."""
    annotators = choices.seen.sum(axis=0)
    chosen = np.bincount(choices.document[choices.item], minlength=len(annotators))
    return _panel(*(count[:, None].astype(float) for count in (annotators, chosen, agreeing(choices), universe)))


def without_each(choices: AnnotatorChoices, universe: Floats) -> Panel:
    """Return the mean tables of all annotators but one, leaving out each in turn (D, A)."""
    size, documents = sizes(choices), choices.seen.shape[1]
    votes, flat = choices.votes, choices.annotator * documents + choices.document[choices.item]
    shared = np.bincount(flat, votes[choices.item] - 1.0, minlength=size.size).reshape(size.shape)
    seen, chosen, pairs = choices.seen.sum(axis=0), size.sum(axis=0), agreeing(choices)
    raters, yes, agreeing_pairs = (x.T.astype(float) for x in (seen - choices.seen, chosen - size, pairs - 2 * shared))
    return _panel(raters, yes, agreeing_pairs, universe[:, None])


def _panel(annotators: Floats, chosen: Floats, agreeing_pairs: Floats, universe: Floats) -> Panel:
    has_several = annotators > 1
    r = np.where(has_several, annotators, 2.0)
    disagreeing = np.where(has_several, (r - 1) * chosen - agreeing_pairs, 0.0)
    mean, n = np.where(has_several, chosen / r, 0.0), np.where(has_several, universe, 0.0)
    hits = mean - disagreeing / (r * (r - 1))
    return Panel(hits, mean, mean, n, mean, n * r, np.where(has_several, chosen, 0.0), 2 * disagreeing / (r - 1))


def shares(choices: AnnotatorChoices, universe: Floats) -> Shares:
    """Return the mean tables with the counts of each annotator, for Conger's kappa."""
    has_several = choices.seen.sum(axis=0) > 1
    seen = np.where(choices.seen & has_several, universe, 0.0).T
    chosen = np.where(has_several, sizes(choices), 0).T.astype(np.float64)
    hits, returned, size, n, denominator = panel(choices, universe).arrays()[:5]
    return Shares(hits, returned, size, n, denominator, chosen, seen)


def pair_tables(choices: AnnotatorChoices, universe: Floats, selected: tuple[Ints, Ints] | None = None) -> PairTables:
    """Return the mean tables, and the tables of all pairs, for Light's kappa."""
    return PairTables(*panel(choices, universe).arrays()[:5], *pairs(choices, universe, selected)[0].arrays())


def pairs_together(seen: Bools) -> tuple[Ints, Ints]:
    """Return the two annotators of every pair that saw some document together (P,); `seen`: (A, D)."""
    first, second = np.nonzero(np.triu(seen.astype(float) @ seen.T.astype(float), 1))
    return first, second


def pairs(
    choices: AnnotatorChoices, universe: Floats, selected: tuple[Ints, Ints] | None = None
) -> tuple[Cells, Bools]:
    """Return the tables of the selected pairs (by default, all that saw some document together), and which count.

    The choices of the first annotator form the rows; (D, P), 0 in documents that either did not see.
    """
    size, seen = sizes(choices).T, choices.seen.T
    annotators = seen.shape[1]
    first, second = selected or pairs_together(choices.seen)
    pair_index = np.zeros((annotators, annotators), np.int64)
    pair_index[first, second] = np.arange(len(first))
    both_saw = seen[:, first] & seen[:, second]
    row, column = (np.where(both_saw, size[:, side], 0).astype(np.float64) for side in (first, second))
    hits = np.zeros(both_saw.size)
    order = np.argsort(choices.item, kind="stable")
    item, annotator = choices.item[order], choices.annotator[order]
    for step in range(1, int(choices.votes.max(initial=1))):  # pairs with the step-th following annotator of an item
        same_item = np.flatnonzero(item[step:] == item[:-step])
        pair = pair_index[annotator[same_item], annotator[same_item + step]]
        flat = choices.document[item[same_item]] * len(first) + pair
        hits += np.bincount(flat, minlength=both_saw.size)
    n = universe[:, None] * both_saw
    return Cells(hits.reshape(both_saw.shape), column, row, n, column), both_saw


def against_others(choices: AnnotatorChoices, universe: Floats, majority: bool = False) -> tuple[Cells, Bools]:
    """Return the table of each annotator against the union (or majority) of the others (D, A), and which tables count.

    A document counts for an annotator if others saw it too and either side chose something. The others are gold.
    """
    n_chosen, seen, votes = sizes(choices).T, choices.seen.T, choices.votes
    n_others = seen.sum(axis=1)[:, None] - seen
    required_votes = n_others // 2 + 1 if majority else np.ones_like(n_others)
    cell = choices.document[choices.item], choices.annotator
    flat = cell[0] * seen.shape[1] + cell[1]
    is_supported = votes[choices.item] - 1 >= required_votes[cell]
    hits = np.bincount(flat, is_supported, minlength=seen.size).reshape(seen.shape)
    # Count items with enough votes, then subtract those that need the vote of the left-out annotator.
    size = np.zeros(seen.shape)
    for threshold in np.unique(required_votes):
        n_supported = np.bincount(choices.document, votes >= threshold, minlength=len(seen))
        size = np.where(required_votes == threshold, n_supported[:, None], size)
    loses_support = (votes[choices.item] >= required_votes[cell]) & ~is_supported
    size = size - np.bincount(flat, loses_support, minlength=seen.size).reshape(seen.shape)
    counts = seen & (n_others > 0) & ((size > 0) | (n_chosen > 0))
    fields = (np.where(counts, x, 0).astype(float) for x in (hits, n_chosen, size, universe[:, None], n_chosen))
    return Cells(*fields), counts


measure("K")(concordance.scott_pi)  # observed agreement of the mean table of all pairs


@measure("alpha", Panel)
def alpha(panel: Panel) -> Floats:
    """Return Krippendorff's alpha for nominal data: n decisions, n_1 of them “yes”."""
    n, yes = panel.values, panel.yes
    return 1 - ratio(panel.apart * (n - 1), 2 * yes * (n - yes), np.nan)


@measure("Conger", Shares)
def conger(panel: Shares) -> Floats:
    """Return Conger's kappa; p_r is the share of “yes” of annotator r in the documents that r saw."""
    saw = panel.seen != 0
    share = ratio(panel.chosen, panel.seen)
    count = saw.sum(axis=-1, keepdims=True)
    total, squares = share.sum(axis=-1, keepdims=True), (share**2).sum(axis=-1, keepdims=True)
    pairs = count * (count - 1) / 2
    joint_share = (total**2 - squares) / 2  # sum of p_r p_s over pairs
    chance = ratio(pairs - (count - 1) * total + 2 * joint_share, pairs, np.nan)
    return ratio(concordance.observed(panel) - chance, 1 - chance, np.nan)


@measure("Light", PairTables)
def light(tables: PairTables) -> Floats:
    """Return the mean kappa over the pairs for which it is defined."""
    values = concordance.kappa(tables.of_pairs)
    defined = (~np.isnan(values)).sum(axis=-1, keepdims=True)
    return ratio(np.nansum(values, axis=-1, keepdims=True), defined, np.nan)


@measure("alpha-Jaccard")
def jaccard(intersection: Floats, first: Floats, second: Floats) -> Floats:
    """Return the size of the intersection divided by that of the union, for overlapping sets (n,).

    >>> jaccard(np.array([1.0]), np.array([2.0]), np.array([3.0])).tolist()
    [0.25]
    """
    return intersection / (first + second - intersection)


@measure("alpha-MASI")
def masi(intersection: Floats, first: Floats, second: Floats) -> Floats:
    """Return Jaccard's index times 1 for equal sets, 2/3 if one set contains the other, or 1/3 if they only overlap.

    >>> masi(np.array([1.0, 2.0]), np.array([2.0, 2.0]), np.array([2.0, 3.0])).round(4).tolist()
    [0.1111, 0.4444]
    """
    equal, subset = intersection == np.maximum(first, second), intersection == np.minimum(first, second)
    return np.asarray(jaccard(intersection, first, second) * np.select([equal, subset], [1.0, 2 / 3], 1 / 3))
