"""Turn hits and sizes into precision, recall and F1, hits at their ranks into MAP, MRR, nDCG, bpref and RBP.

Also lists as they were returned into how long they are, and how much in them repeats, or occurs in the text.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.measures.registry import measure

if TYPE_CHECKING:
    from kp_core.scoring.counts import View


@measure("hP@k")
@measure("P@k")
def precision(cells: Cells) -> Floats:
    """Return hits / denominator."""
    return ratio(cells.hits, cells.denominator)


@measure("hR@k")
@measure("Rprec")
@measure("SemRprec")
@measure("R@k")
def recall(cells: Cells) -> Floats:
    """Return hits / gold size; at k = gold size this is R-precision."""
    return ratio(cells.hits, cells.size)


@measure("hF1@k")
@measure("F1@k")
def f1(cells: Cells) -> Floats:
    """Return the harmonic mean of precision and recall."""
    # 0 where both sides are empty; documents without gold are settled by `View.values`
    return ratio(2 * cells.hits, cells.denominator + cells.size)


measure("hits@k")(attrgetter("hits"))


@measure("success@k")
def success(at: View) -> Floats:
    """Return 1 if there is a hit (its probability where ties are averaged)."""
    return at.total(at.counts.hits.first)


@measure("MAP")
@measure("MAP@k")
def average_precision(at: View) -> Floats:
    """Return the sum of the precision at each hit / the convention's denominator."""
    rules = {"gold": at.size, "hits": at.hits, "min(k,gold)": np.minimum(at.limit, at.size)}
    return ratio(at.total(at.counts.hits.precision), rules[at.counts.settings.ap])


@measure("MRR")
@measure("MRR@k")
def reciprocal_rank(at: View) -> Floats:
    """Return 1 / rank of the first hit, or the mean of 1 / rank over all hits, by the convention."""
    settings, hits = at.counts.settings, at.counts.hits
    if settings.rr == "all-hits":
        value = ratio(at.total(hits.found / hits.rank), at.hits)
    else:
        value = at.total(hits.first / hits.rank)
    if settings.rr_miss != "0":
        value = value + (1 - success(at)) / (at.counts.length[:, None] + 1)
    return value


@measure("nDCG")
@measure("nDCG@k")
def normalised_gain(at: View) -> Floats:
    """Return the discounted gain by the convention / that of the ideal ranking, 0 if there is nothing to gain."""
    gain = {"linear": "gain", "exp": "exp_gain", "propensity": "rarity"}[at.counts.settings.gain]
    return ratio(*at.gained(gain, _discount))


@measure("nDCG-exp")
@measure("nDCG-exp@k")
def normalised_exponential_gain(at: View) -> Floats:
    """Return the same of exponential gain, whatever the convention."""
    return ratio(*at.gained("exp_gain", _discount))


def _discount(rank: Ints) -> Floats:
    return np.log2(rank + 1)


@measure("PSP@k")
def propensity_scored_precision(at: View) -> Floats:
    """Return the gains of the hits by how rare they are / those of the k rarest keyphrases."""
    return ratio(*at.gained("rarity", np.ones_like))


@measure("SemP@k")
def semantic_precision(at: View) -> Floats:
    """Return the sum of the similarities of predictions / denominator."""
    return ratio(at.hits, at.denominator)


@measure("SemR@k")
def semantic_recall(at: View) -> Floats:
    """Return the sum of the similarities of keyphrases / gold size."""
    return ratio(at.beside("recalled"), at.size)


@measure("SemF1@k")
def semantic_f1(at: View) -> Floats:
    """Return the harmonic mean of both."""
    p, r = semantic_precision(at), semantic_recall(at)
    return ratio(2 * p * r, p + r)


@measure("bpref")
def bpref(at: View) -> Floats:
    """Return bpref; without judged negatives NaN, or as trec_eval has it: none is ranked above a hit."""
    counts, hits = at.counts, at.hits
    if counts.judged is not None:
        judged = np.broadcast_to(counts.judged[:, None], hits.shape)
        hits = np.where(np.isnan(judged), hits, judged)
    return ratio(np.where(counts.without_judgements[:, None], np.nan, hits), at.size)


@measure("RBP")
def rank_biased_precision(at: View, p: float = 0.9) -> Floats:
    """Return the rank-biased precision, grades as shares of the largest grade of the data."""
    hits = at.counts.hits
    return at.total((1 - p) * hits.gain / (at.counts.largest or 1.0) * p ** (hits.rank - 1.0))


measure("returned@k")(attrgetter("returned"))


@measure("size-error@k")
def size_error(at: View) -> Floats:
    """Return |returned - gold size|."""
    return np.abs(at.returned - at.size)


@measure("duplicate-phrases@k")
def duplicate_phrases(at: View) -> Floats:
    """Return repeats / returned; NaN for an empty list."""
    return ratio(at.beside("repeated"), at.returned, np.nan)


@measure("duplicate-words@k")
def duplicate_words(at: View) -> Floats:
    """Return words that occur earlier in the list / words; 1 for an empty list."""
    return ratio(at.beside("repeated words"), at.beside("words"), 1.0)


@measure("present@k")
def present(at: View) -> Floats:
    """Return phrases in the text / returned; NaN for an empty list, or without a text."""
    return ratio(at.beside("present"), at.returned, np.nan)


@measure("self-similarity@k")
def self_similarity(at: View) -> Floats:
    """Return the mean similarity of all pairs of a list, 1 for one phrase; NaN for none, or without a similarity."""
    n, similar = at.returned, at.beside("alike")
    return np.where(n == 1, 1 + similar, ratio(similar, n * (n - 1) / 2, np.nan))
