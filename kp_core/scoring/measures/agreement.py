"""Turn the tables of several annotators into agreement coefficients; the categories are always yes and no."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.annotator_tables import PairTables, Panel, Shares
from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import measure

_NOBODY = "nobody chose anything, everybody chose everything, or no document has two annotators"


@measure(
    "K",
    "Agreement of several annotators beyond chance (Fleiss' kappa, also Siegel and Castellan's K).",
    r"K = 1-\frac{\delta}{2p(1-p)},\ \delta = \frac{\sum_D 2[(R_D-1)C_D-Q_D]/[R_D(R_D-1)]}{\sum_D N_D},"
    r"\ p = \frac{\sum_D C_D/R_D}{\sum_D N_D}",
    source="Fleiss 1971; Siegel & Castellan 1988",
    family="annotators",
    low=-1,
    undefined=_NOBODY,
)
def fleiss(panel: Cells) -> Floats:
    """Return Scott's pi of the mean table of all pairs."""
    return concordance.scott_pi(panel)


@measure(
    "alpha",
    "Agreement of several annotators beyond chance, with a small-sample correction (Krippendorff's alpha).",
    r"\alpha = 1-\frac{D_o}{D_e},\ D_o = \frac{1}{n}\sum_D\frac{2[(R_D-1)C_D-Q_D]}{R_D-1},"
    r"\ D_e = \frac{2n_1(n-n_1)}{n(n-1)},\ n_1 = \sum_D C_D,\ n = \sum_D N_D R_D",
    source="Krippendorff 2004",
    family="annotators",
    low=-1,
    undefined=_NOBODY,
)
def alpha(panel: Panel) -> Floats:
    """Return Krippendorff's alpha for nominal data; n decisions, n_1 of them “yes”."""
    n, yes = panel.values, panel.yes
    return 1 - ratio(panel.apart * (n - 1), 2 * yes * (n - yes), np.nan)


@measure(
    "Conger",
    "Agreement of several annotators beyond chance, each with a share of “yes” of his or her own.",
    r"\frac{P_o-P_e}{1-P_e},\ P_e = \mathrm{mean}_{r<s}\,[p_r p_s + (1-p_r)(1-p_s)]",
    source="Conger 1980",
    family="annotators",
    low=-1,
    undefined=_NOBODY,
)
def conger(panel: Shares) -> Floats:
    """Return Conger's kappa; p_r is the share of “yes” of an annotator over the documents he or she saw."""
    there = panel.seen != 0
    share = ratio(panel.chosen, panel.seen)
    count = there.sum(axis=-1, keepdims=True)
    total, squares = share.sum(axis=-1, keepdims=True), (share**2).sum(axis=-1, keepdims=True)
    pairs = count * (count - 1) / 2
    both = (total**2 - squares) / 2  # sum of p_r p_s over pairs
    chance = ratio(pairs - (count - 1) * total + 2 * both, pairs, np.nan)
    return ratio(concordance.observed(panel) - chance, 1 - chance, np.nan)


@measure(
    "Light",
    "Mean of Cohen's kappa over all pairs of annotators.",
    r"\mathrm{mean}_{r<s}\,\kappa_{rs}",
    source="Light 1971",
    family="annotators",
    low=-1,
    undefined="kappa is undefined for every pair",
)
def light(tables: PairTables) -> Floats:
    """Return the mean over the pairs, undefined pairs left out."""
    values = concordance.kappa(tables.each)
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0).sum(axis=-1, keepdims=True), defined.sum(axis=-1, keepdims=True), np.nan)
