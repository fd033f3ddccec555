"""Turn a measure and human scores into the share of pairs of items that both order, or both tie, alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kp_core.errors import UsageError
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies.correlation.weighted import DECIMALS

#: Items whose differences are calibrated together; their pairs take 200 megabytes.
LARGEST = 6_000


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy, and the smallest epsilon that reaches it: smaller differences of the measure are ties."""

    accuracy: float
    epsilon: float


def _defined(measure: Floats, human: Floats) -> tuple[Floats, Floats]:
    good = ~(np.isnan(measure) | np.isnan(human))
    return np.round(measure[good], DECIMALS), np.round(human[good], DECIMALS)


def _pairs(measure: Floats, human: Floats) -> Iterator[tuple[Floats, Bools, Bools]]:
    """Give, for each item with all later ones: |difference| of the measure, human scores tied, order alike.

    One item at a time: 12,000 items have 72 million pairs.
    """
    for item in range(len(measure) - 1):
        # differences of equal steps tie as well: .3 - .1 and .4 - .2
        apart = np.round(measure[item + 1 :] - measure[item], DECIMALS)
        other = human[item + 1 :] - human[item]
        yield np.abs(apart), other == 0, apart * other > 0


def acc_eq(measure: Floats, human: Floats, epsilon: float = 0.0) -> float:
    """Return (concordant + tied on both sides) / all pairs of items, with differences up to epsilon as ties.

    NaN with fewer than two items. Source: Deutsch, Foster & Freitag 2023.

    >>> acc_eq(np.array([0.1, 0.2, 0.2, 0.9]), np.array([1.0, 2.0, 2.0, 0.0]))  # three of six: 1-2, 1-3 and the tie
    0.5
    """
    measure, human = _defined(measure, human)
    if len(measure) < 2:
        return float("nan")
    right = sum(
        np.count_nonzero(np.where(size <= epsilon, tied, alike)) for size, tied, alike in _pairs(measure, human)
    )
    return float(right / (len(measure) * (len(measure) - 1) / 2))


def calibrated_acc_eq(measure: Floats, human: Floats) -> Calibrated:
    """Return the best `acc_eq` over epsilon among 0 and all differences of the measure, and the smallest such epsilon.

    Optimistic where epsilon and accuracy come from the same items; `split_acc_eq` keeps them apart.
    Source: Deutsch, Foster & Freitag 2023, tie calibration.

    >>> calibrated_acc_eq(np.array([0.10, 0.11, 0.90]), np.array([1.0, 1.0, 3.0]))
    Calibrated(accuracy=1.0, epsilon=0.01)
    """
    measure, human = _defined(measure, human)
    if len(measure) < 2:
        return Calibrated(float("nan"), float("nan"))
    if len(measure) > LARGEST:
        raise UsageError(f"tie calibration compares every two pairs; {len(measure):,} are more than {LARGEST:,}")
    found = list(_pairs(measure, human))
    gained = np.sort(np.concatenate([size[tied] for size, tied, _ in found]))  # a human tie is right from here on
    lost = np.sort(np.concatenate([size[alike] for size, _, alike in found]))  # a right order is lost from here on
    # accuracy rises only where a human tie is gained, so no other epsilon can be the smallest best
    candidates = np.concatenate([[0.0], gained])
    right = np.searchsorted(gained, candidates, "right") + len(lost) - np.searchsorted(lost, candidates, "right")
    best = int(right.argmax())
    return Calibrated(float(right[best] / (len(measure) * (len(measure) - 1) / 2)), float(candidates[best]))


def split_acc_eq(measure: Floats, human: Floats, cluster: Ints, rng: np.random.Generator) -> Calibrated:
    """Return `acc_eq` on one random half of the clusters, with the epsilon calibrated on the other half.

    cluster (P,) is the document, or another unit, of each item.
    """
    units = rng.permutation(np.unique(cluster))
    held = np.isin(cluster, units[: len(units) // 2])
    epsilon = calibrated_acc_eq(measure[~held], human[~held]).epsilon
    return Calibrated(acc_eq(measure[held], human[held], epsilon), epsilon)
