"""Turn the order of the hits into MAP, MRR, nDCG, bpref and RBP."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import AtK
from kp_core.scoring.measures.registry import measure

_NO_GOLD = "the document has no gold"


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


measure(
    "MAP",
    "How early the keyphrases come, over the whole list: the mean precision at each keyphrase found.",
    r"\mathrm{AP} = \frac{1}{A}\sum_{i \le n,\, h_i > 0} \frac{H_i}{i}",
    source="Buckley & Voorhees 2005",
    family="ranking",
    fixed="none",
    undefined=_NO_GOLD,
)(average_precision)
measure(
    "MAP@k",
    "How early the keyphrases come among the first k phrases.",
    r"\mathrm{AP}@k = \frac{1}{A}\sum_{i \le k,\, h_i > 0} \frac{H_i}{i}",
    source="Buckley & Voorhees 2005",
    family="ranking",
    undefined=_NO_GOLD,
)(average_precision)
measure(
    "MRR",
    "How early the first keyphrase comes: 1 / its rank.",
    r"\mathrm{RR} = \frac{1}{\min\{i : h_i = 1\}}",
    source="Voorhees 1999",
    family="ranking",
    fixed="none",
    undefined=_NO_GOLD,
)(reciprocal_rank)
measure(
    "MRR@k",
    "How early the first keyphrase comes among the first k phrases.",
    r"\mathrm{RR}@k = \frac{1}{\min\{i \le k : h_i = 1\}}",
    source="Voorhees 1999",
    family="ranking",
    undefined=_NO_GOLD,
)(reciprocal_rank)
measure(
    "nDCG",
    "How close the whole ranking is to the best one, early ranks and high grades counting most.",
    r"\mathrm{nDCG} = \frac{\sum_i G(y_i)/\log_2(i+1)}{\sum_j G(y^*_j)/\log_2(j+1)}",
    source="Järvelin & Kekäläinen 2002",
    family="ranking",
    fixed="none",
    undefined=_NO_GOLD,
)(lambda at: normalised_gain(at, at.counts.settings.gain == "exp"))
measure(
    "nDCG@k",
    "How close the first k ranks are to the best k ranks.",
    r"\mathrm{nDCG}@k = \frac{\sum_{i \le k} G(y_i)/\log_2(i+1)}{\sum_{j \le k} G(y^*_j)/\log_2(j+1)}",
    source="Järvelin & Kekäläinen 2002",
    family="ranking",
    undefined=_NO_GOLD,
)(lambda at: normalised_gain(at, at.counts.settings.gain == "exp"))
measure(
    "nDCG-exp",
    "nDCG with gain 2 to the grade minus 1, over the whole list.",
    r"\mathrm{nDCG} = \frac{\sum_i (2^{y_i}-1)/\log_2(i+1)}{\sum_j (2^{y^*_j}-1)/\log_2(j+1)}",
    source="Burges et al. 2005",
    family="ranking",
    fixed="none",
    undefined=_NO_GOLD,
)(lambda at: normalised_gain(at, exponential=True))
measure(
    "nDCG-exp@k",
    "nDCG with gain 2 to the grade minus 1, among the first k ranks.",
    r"\mathrm{nDCG}@k = \frac{\sum_{i \le k} (2^{y_i}-1)/\log_2(i+1)}{\sum_{j \le k} (2^{y^*_j}-1)/\log_2(j+1)}",
    source="Burges et al. 2005",
    family="ranking",
    undefined=_NO_GOLD,
)(lambda at: normalised_gain(at, exponential=True))


@measure(
    "bpref",
    "Whether keyphrases come before phrases judged as not relevant.",
    r"\mathrm{bpref} = \frac{1}{g}\sum_r \Big(1 - \frac{\min(u_r, g)}{\min(g, g_0)}\Big)",
    source="Buckley & Voorhees 2004, as in trec_eval",
    family="ranking",
    fixed="none",
    undefined="no phrase was judged as not relevant (no_judged_negatives)",
)
def bpref(at: AtK) -> Floats:
    """Return bpref; NaN without judged negatives."""
    judged = at.counts.judged
    if judged is None:
        return np.full(at.hits.shape, np.nan)
    return ratio(np.broadcast_to(judged[:, None], at.hits.shape), at.size)


@measure(
    "RBP",
    "Expected gain of a reader who goes on to the next phrase with probability p.",
    r"\mathrm{RBP} = (1-p)\sum_i e_i\, p^{\,i-1}",
    source="Moffat & Zobel 2008",
    family="ranking",
    fixed="none",
    undefined=_NO_GOLD,
    parameter=("p", 0.9),
)
def rank_biased_precision(at: AtK, p: float = 0.9) -> Floats:
    """Return the rank-biased precision, grades as shares of the largest grade of the data."""
    terms = at.counts.terms
    return at.total((1 - p) * terms.gain / (at.counts.largest or 1.0) * p ** (terms.rank - 1.0))
