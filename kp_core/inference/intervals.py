"""Turn per-document values or counts into 95 % intervals by resampling documents, or by the cluster t interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kp_core.coding import Bools, Floats
from kp_core.counts import FIELDS, Cells

#: With more undefined resamples than this share, no interval is given.
_MOST_UNDEFINED = 0.05


def resample(documents: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return bootstrap weights (B, D): how often each document is drawn; every row sums to D.

    One matrix serves every measure, system and cutoff of a view, so that differences are paired.
    """
    draws = rng.integers(0, documents, (resamples, documents))
    draws += np.arange(resamples)[:, None] * documents
    return np.bincount(draws.ravel(), minlength=resamples * documents).reshape(resamples, documents).astype(float)


def percentile(values: Floats) -> tuple[Floats, Floats]:
    """Return the 2.5 and 97.5 percentiles over resamples (B, K) → (K,); NaN where too many are undefined."""
    undefined = np.isnan(values)
    if not undefined.any():
        low, high = np.quantile(values, [0.025, 0.975], axis=0)
        return low, high
    low, high = np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    good = undefined.mean(axis=0) <= _MOST_UNDEFINED
    if good.any():
        low[good], high[good] = np.nanquantile(values[:, good], [0.025, 0.975], axis=0)
    return low, high


def weighted_mean(values: Floats, used: Bools, weights: Floats) -> Floats:
    """Return the mean over used documents for each row of weights: (D, K) and (B, D) give (B, K)."""
    if used.all():
        return np.asarray((weights @ values) / weights.sum(axis=1)[:, None])
    total = weights @ used.astype(float)
    return np.where(total > 0, (weights @ np.where(used, values, 0.0)) / np.where(total > 0, total, 1), np.nan)


def _t_quantile(documents: int | Floats) -> Floats:
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(np.asarray(documents) - 1.0, 1.0), 0.975))


def cluster_t_mean(values: Floats, used: Bools) -> tuple[Floats, Floats]:
    """Return the t interval of a mean over documents: mean ± t(.975, n−1) · sd / sqrt(n)."""
    n = used.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(used, values, 0.0).sum(axis=0) / n
        spread = np.where(used, (np.where(used, values, 0.0) - mean) ** 2, 0.0).sum(axis=0)
        half = _t_quantile(n) * np.sqrt(spread / (n - 1) / n)
    half = np.where((n > 1) & (spread > 0), half, np.nan)
    return mean - half, mean + half


def cluster_t_pooled(cells: Cells, score: Callable[[Cells], Floats]) -> tuple[Floats, Floats]:
    """Return the document-cluster t interval of a measure of pooled counts, fields (D, K).

    Linearisation: u_D = gradient · counts of the document; SE² = D/(D−1) · sum u_D². The gradient is taken by a
    complex step, which is exact to rounding for every smooth measure.
    """
    documents = cells.hits.shape[0]
    totals = [getattr(cells, name).sum(axis=0) for name in FIELDS]
    step = 1e-30
    influence = np.zeros(cells.hits.shape)
    for place, name in enumerate(FIELDS):
        moved = [total.astype(complex) for total in totals]
        moved[place] = moved[place] + 1j * step
        gradient = np.imag(score(Cells(*moved))) / step
        influence += gradient * getattr(cells, name)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = np.float64(documents - 1)
        half = _t_quantile(documents) * np.sqrt(documents / freedom * (influence**2).sum(axis=0))
    value = score(Cells(*totals))
    half = np.where((half > 0) & (documents > 1), half, np.nan)
    return value - half, value + half
