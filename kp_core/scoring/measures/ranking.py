"""Turn the order of the hits into MAP, MRR, nDCG, bpref and RBP."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import AtK
from kp_core.scoring.measures.registry import measure


def average_precision(at: AtK) -> Floats:
    """Return the sum of the precision at each hit / the convention's denominator."""
    rule = at.counts.settings.ap
    if rule == "gold":
        return ratio(at.precision_sum, at.size)
    if rule == "hits":
        return ratio(at.precision_sum, at.hits)
    return ratio(at.precision_sum, np.minimum(at.limit, at.size))


def reciprocal_rank(at: AtK) -> Floats:
    """Return 1 / rank of the first hit, or the mean of 1 / rank over all hits, by the convention."""
    settings = at.counts.settings
    value = at.reciprocal_rank
    if settings.rr == "all-hits":
        value = ratio(at.total(at.counts.terms.hits / at.counts.terms.rank), at.hits)
    if settings.rr_miss != "0":
        value = value + (1 - at.first_hit) / (at.counts.length[:, None] + 1)
    return value


def normalised_gain(at: AtK, exponential: bool = False) -> Floats:
    """Return the discounted gain / that of the ideal ranking, 0 where there is nothing to gain."""
    return ratio(*at.discounted(exponential))


measure("MAP", "ranking", fixed="none")(average_precision)
measure("MAP@k", "ranking")(average_precision)
measure("MRR", "ranking", fixed="none")(reciprocal_rank)
measure("MRR@k", "ranking")(reciprocal_rank)
measure("nDCG", "ranking", fixed="none")(lambda at: normalised_gain(at, at.counts.settings.gain == "exp"))
measure("nDCG@k", "ranking")(lambda at: normalised_gain(at, at.counts.settings.gain == "exp"))
measure("nDCG-exp", "ranking", fixed="none")(lambda at: normalised_gain(at, exponential=True))
measure("nDCG-exp@k", "ranking")(lambda at: normalised_gain(at, exponential=True))


@measure("bpref", "ranking", fixed="none")
def bpref(at: AtK) -> Floats:
    """Return bpref; NaN without judged negatives."""
    judged = at.counts.judged
    if judged is None:
        return np.full(at.hits.shape, np.nan)
    return ratio(np.broadcast_to(judged[:, None], at.hits.shape), at.size)


@measure("RBP", "ranking", fixed="none", parameter=("p", 0.9))
def rank_biased_precision(at: AtK, p: float = 0.9) -> Floats:
    """Return the rank-biased precision, grades as shares of the largest grade of the data."""
    terms = at.counts.terms
    return at.total((1 - p) * terms.gain / (at.counts.largest or 1.0) * p ** (terms.rank - 1.0))
