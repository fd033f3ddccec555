"""Turn similarity and human scores of pairs into the threshold from which a pair is best taken for a match."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from kp_core.scoring.codes import Floats
from kp_core.scoring.measures.concordance import kappa, table
from kp_core.scoring.measures.overlap import ratio


@dataclass(frozen=True)
class Threshold:
    """Every threshold that separates the pairs, and the best one.

    roc        tau, true_positive and false_positive rate, kappa; one row a distinct value, the highest first
    auc        chance that a match scores above a non-match, ties counting half; NaN where one kind is missing
    tau        the threshold with the best kappa, of several the highest; NaN where kappa is undefined everywhere
    kappa      its agreement with the human decision
    pairs      pairs with both values
    """

    roc: pd.DataFrame
    auc: float
    tau: float
    kappa: float
    pairs: int


def best_threshold(values: Floats, human: Floats, at_least: float = 3.0) -> Threshold:
    """Return ROC, AUC and the tau whose decision (value >= tau) agrees best with people (human >= at_least).

    Pairs without one of the two values (pair,) are left out. Source: Fawcett 2006; Cohen 1960.

    >>> best_threshold(np.array([0.9, 0.6, 0.6, 0.1]), np.array([4.0, 3.0, 1.0, 0.0])).auc
    0.875
    """
    known = ~(np.isnan(values) | np.isnan(human))
    value, match = np.round(values[known], 12), human[known] >= at_least
    taus, place = np.unique(value, return_inverse=True)
    taus = taus[::-1]
    yes, no = (
        np.cumsum(np.bincount(place, match == kind, minlength=len(taus))[::-1]).astype(float) for kind in (True, False)
    )
    all_yes, all_no = float(match.sum()), float((~match).sum())
    agreement = kappa(table(yes, all_yes - yes, no, all_no - no))
    hit, false = (ratio(found, np.full(len(taus), of), np.nan) for found, of in ((yes, all_yes), (no, all_no)))
    roc = pd.DataFrame({"tau": taus, "true_positive": hit, "false_positive": false, "kappa": agreement})
    auc = float(np.trapezoid(np.append(0.0, hit), np.append(0.0, false))) if all_yes and all_no else float("nan")
    if not (~np.isnan(agreement)).any():
        return Threshold(roc, auc, float("nan"), float("nan"), len(value))
    best = int(np.nanargmax(agreement))
    return Threshold(roc, auc, float(taus[best]), float(agreement[best]), len(value))
