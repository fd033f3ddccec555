"""Turn a similarity and human scores into the threshold from which two phrases count as the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kp_core.coding import Floats
from kp_core.judgements.weighted import levels


@dataclass(frozen=True)
class Threshold:
    """How a similarity tells accepted pairs from others, at every threshold: a pair matches where it is reached.

    thresholds, true_positives, false_positives, kappa   (T,), thresholds falling; shares of the accepted and of the
        other pairs that match, and Cohen's kappa of matching with acceptance
    auc      share of (accepted, other) pairs in which the accepted one is more similar, ties counting half
    tau, best_kappa   the threshold with the best kappa, the strictest of several
    accepted, pairs   how many pairs people accepted, of how many
    """

    thresholds: Floats
    true_positives: Floats
    false_positives: Floats
    kappa: Floats
    auc: float
    tau: float
    best_kappa: float
    accepted: int
    pairs: int


def threshold(similarity: Floats, human: Floats, accept: float = 3.0) -> Threshold:
    """Return ROC, AUC and the best threshold of a similarity (P,) for pairs that people scored `accept` or more.

    Pairs without one of both are left out; all is NaN where nothing, or everything, was accepted.

    >>> found = threshold(np.array([0.9, 0.8, 0.8, 0.1]), np.array([4.0, 3.0, 1.0, 0.0]))
    >>> found.auc, found.tau, found.best_kappa
    (0.875, 0.9, 0.5)
    """
    good = ~(np.isnan(similarity) | np.isnan(human))
    similarity, chosen = similarity[good], human[good] >= accept
    groups = levels(similarity)
    yes = np.bincount(groups.group, chosen, minlength=len(groups.starts))[::-1]
    no = np.bincount(groups.group, ~chosen, minlength=len(groups.starts))[::-1]
    # the lowest value of a group, so that carrying it elsewhere still matches all of them
    values = np.minimum.reduceat(similarity[groups.order], groups.starts)[::-1] if len(similarity) else similarity
    hits, false = np.cumsum(yes), np.cumsum(no)
    accepted, others = float(chosen.sum()), float((~chosen).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = hits / accepted, false / others
        auc = float(np.float64((no * (hits - yes / 2)).sum()) / (accepted * others))
        missed, rest = accepted - hits, others - false
        kappa = 2 * (hits * rest - false * missed)
        kappa = kappa / ((hits + false) * (false + rest) + (hits + missed) * (missed + rest))
    if not accepted or not others:
        undefined = np.full(len(values), np.nan)
        nan = float("nan")
        return Threshold(values, undefined, undefined, undefined, nan, nan, nan, int(accepted), len(similarity))
    best = int(np.round(kappa, 12).argmax())
    return Threshold(
        values, *rates, kappa, auc, float(values[best]), float(kappa[best]), int(accepted), len(similarity)
    )
