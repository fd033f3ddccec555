"""Turn the tables of several annotators into agreement coefficients; the categories are always yes and no."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.annotator_tables import PairTables, Panel, Shares
from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import measure

measure("K")(concordance.scott_pi)  # of the mean table of all pairs


@measure("alpha")
def alpha(panel: Panel) -> Floats:
    """Return Krippendorff's alpha for nominal data; n decisions, n_1 of them “yes”."""
    n, yes = panel.values, panel.yes
    return 1 - ratio(panel.apart * (n - 1), 2 * yes * (n - yes), np.nan)


@measure("Conger")
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


@measure("Light")
def light(tables: PairTables) -> Floats:
    """Return the mean over the pairs, undefined pairs left out."""
    values = concordance.kappa(tables.each)
    defined = (~np.isnan(values)).sum(axis=-1, keepdims=True)
    return ratio(np.nansum(values, axis=-1, keepdims=True), defined, np.nan)
