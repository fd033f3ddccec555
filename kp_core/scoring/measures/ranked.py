"""Turn hits into precision, recall, F1 and ranking measures, and lists as returned into measures of list quality."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.measures.registry import measure

if TYPE_CHECKING:
    from kp_core.scoring.counts import CutoffCounts


@measure("hP@k")
@measure("SemP@k")
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
    # 0 if both sides are empty; `CutoffCounts.values` decides on documents without gold
    return ratio(2 * cells.hits, cells.denominator + cells.size)


measure("hits@k")(attrgetter("hits"))


@measure("success@k")
def success(view: CutoffCounts) -> Floats:
    """Return 1 if there is a hit (its probability if ties are averaged)."""
    return view.sums_of("first")


@measure("MAP")
@measure("MAP@k")
def average_precision(view: CutoffCounts) -> Floats:
    """Return the sum of the precision at each hit, divided by the denominator that the convention sets."""
    rules = {"gold": view.size, "hits": view.hits, "min(k,gold)": np.minimum(view.limit, view.size)}
    return ratio(view.sums_of("precision"), rules[view.counts.settings.ap])


@measure("MRR")
@measure("MRR@k")
def reciprocal_rank(view: CutoffCounts) -> Floats:
    """Return 1 / rank of the first hit, or the mean of 1 / rank over all hits, depending on the convention."""
    settings, hits = view.counts.settings, view.counts.hits
    if settings.rr == "all-hits":
        value = ratio(view.total(hits.columns["found"] / hits.rank), view.hits)
    else:
        value = view.total(hits.columns["first"] / hits.rank)
    return value if settings.rr_miss == "0" else value + (1 - success(view)) / (view.counts.length[:, None] + 1)


@measure("nDCG")
@measure("nDCG@k")
def normalised_gain(view: CutoffCounts) -> Floats:
    """Return the discounted gain divided by that of the ideal ranking, or 0 if the latter is 0."""
    gain = {"linear": "gain", "exp": "exp_gain", "propensity": "rarity"}[view.counts.settings.gain]
    return ratio(*view.gained(gain, _discount))


def _discount(rank: Ints) -> Floats:
    return np.log2(rank + 1)


for _name in ("nDCG-exp", "nDCG-exp@k"):
    measure(_name)(lambda view: ratio(*view.gained("exp_gain", _discount)))
measure("PSP@k")(lambda view: ratio(*view.gained("rarity", np.ones_like)))


@measure("SemR@k")
def semantic_recall(view: CutoffCounts) -> Floats:
    """Return the sum of the similarities of keyphrases, divided by the gold size."""
    return ratio(view.sums_of("recalled"), view.size)


@measure("SemF1@k")
def semantic_f1(view: CutoffCounts) -> Floats:
    """Return the harmonic mean of semantic precision and recall."""
    p, r = precision(view), semantic_recall(view)
    return ratio(2 * p * r, p + r)


@measure("bpref")
def bpref(view: CutoffCounts) -> Floats:
    """Return bpref; without judged negatives it is NaN or, under the rule of trec_eval, as if none outranked a hit."""
    counts, hits = view.counts, view.hits
    if counts.judged is not None:
        judged = np.broadcast_to(counts.judged[:, None], hits.shape)
        hits = np.where(np.isnan(judged), hits, judged)
    return ratio(np.where(counts.without_judgements[:, None], np.nan, hits), view.size)


@measure("RBP")
def rank_biased_precision(view: CutoffCounts, p: float = 0.9) -> Floats:
    """Return the rank-biased precision; grades are divided by the largest grade in the data."""
    hits = view.counts.hits
    return view.total((1 - p) * hits.columns["gain"] / (view.counts.largest or 1.0) * p ** (hits.rank - 1.0))


measure("returned@k")(attrgetter("returned"))
measure("size-error@k")(lambda view: np.abs(view.returned - view.size))
measure("duplicate-phrases@k")(lambda view: ratio(view.sums_of("repeated"), view.returned, np.nan))
measure("duplicate-words@k")(lambda view: ratio(view.sums_of("repeated words"), view.sums_of("words"), 1.0))
measure("present@k")(lambda view: ratio(view.sums_of("present"), view.returned, np.nan))


@measure("self-similarity@k")
def self_similarity(view: CutoffCounts) -> Floats:
    """Return the mean similarity of all pairs of phrases in a list, 1 for a single phrase; NaN if undefined."""
    n, similar = view.returned, view.sums_of("alike")
    return np.where(n == 1, 1 + similar, ratio(similar, n * (n - 1) / 2, np.nan))
