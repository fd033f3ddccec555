"""Turn per-document values or counts into 95 % intervals by resampling documents, or by the cluster t interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kp_core.scoring import draws
from kp_core.scoring.cells import CELLS, Cells
from kp_core.scoring.codes import BLOCK, Bools, Floats, Ints

#: With more undefined resamples than this share, no interval is given.
MOST_UNDEFINED = 0.05
#: Sums of products whose terms cancel down to this share are 0.
_CANCELLED = 1e-13
#: Variances below this are nothing but rounding.
_NOTHING = 1e-26
#: A step along the imaginary axis gives the slope of a smooth measure exactly, since nothing is subtracted.
STEP = 1e-30
#: Draws counted at once.
_DRAWS = 50_000


def resample(documents: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return bootstrap weights (B, D): how often each document is drawn; every row sums to D.

    One matrix serves every measure, system and cutoff of a view, so that differences are paired.
    """
    weights = np.empty((resamples, documents))
    # A few rows at a time stay in the processor's cache: counting is then three times as fast at 2,000 documents.
    step = max(1, _DRAWS // max(1, documents))
    for begin in range(0, resamples, step):
        rows = min(step, resamples - begin)
        picks = rng.integers(0, documents, (rows, documents))
        picks += np.arange(rows)[:, None] * documents
        weights[begin : begin + rows] = np.bincount(picks.ravel(), minlength=rows * documents).reshape(rows, documents)
    return weights


def weights(
    interval: str,
    documents: Sequence[str],
    used: Bools,
    resamples: int,
    seed: int,
    rng: np.random.Generator | None = None,
) -> Floats | None:
    """Return the weights (B, D) of an interval that resamples documents, 0 for those not used; None for any other.

    bootstrap: every row sums to the number of used documents; poisson: it depends on the ids and the seed alone.
    """
    if interval == "poisson":
        return np.asarray(draws.poisson(draws.keys(documents), resamples, seed).T * used)
    if interval != "bootstrap":
        return None
    if not used.any():
        return np.zeros((resamples, len(used)))
    sample = resample(int(used.sum()), resamples, np.random.default_rng(seed) if rng is None else rng)
    if used.all():
        return sample
    drawn = np.zeros((resamples, len(used)))
    drawn[:, used] = sample
    return drawn


def blocks(
    interval: str, documents: Sequence[str], used: Bools, resamples: int, seed: int
) -> Iterator[tuple[slice, Floats | None]]:
    """Give the documents some at a time, with the `weights` of each block."""
    whole = weights(interval, documents, used, resamples, seed) if interval == "bootstrap" else None
    for begin in range(0, len(documents), BLOCK):
        block = slice(begin, begin + BLOCK)
        own = weights(interval, documents[block], used[block], resamples, seed) if whole is None else whole[:, block]
        yield block, own


def expanded_tail(documents: Ints | Floats | float) -> Floats:
    """Return the share of the resamples below a 95 % interval for a number of documents; NaN below two documents.

    Φ(−√(n/(n−1)) · t(.975, n−1)): as wide as the t interval where values are normal, .025 for many documents.
    Source: Hesterberg 2015 (expanded percentile interval).

    >>> expanded_tail(np.array([1, 5, 20, 10_000])).round(4).tolist()
    [nan, 0.001, 0.0159, 0.025]
    """
    from scipy.special import ndtr

    n = np.asarray(documents, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(n > 1, ndtr(-np.sqrt(n / (n - 1)) * _t_quantile(n)), np.nan))


def percentile(values: Floats, tail: Floats | float = 0.025) -> tuple[Floats, Floats]:
    """Return the bounds that leave a share of the resamples (B, K) out at either end → (K,).

    tail  that share, of all columns or of each (K,): of resampled documents `expanded_tail`
    NaN where too many resamples are undefined, or the share is.
    """
    low, high = np.full((2, values.shape[1]), np.nan)
    undefined, tails = np.isnan(values), np.broadcast_to(tail, values.shape[1:])
    good = undefined.mean(axis=0) <= MOST_UNDEFINED
    quantiles = np.nanquantile if undefined.any() else np.quantile  # four times as fast
    for share in np.unique(tails[good & ~np.isnan(tails)]):
        columns = good & (tails == share)
        low[columns], high[columns] = quantiles(values[:, columns], [share, 1 - share], axis=0)
    return low, high


def _t_quantile(documents: Ints | Floats | float) -> Floats:
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(np.asarray(documents) - 1.0, 1.0), 0.975))


def t_of_spread(mean: Floats, spread: Floats, documents: Ints) -> tuple[Floats, Floats]:
    """Return the t interval of means (K,) from the sums of squared distances from them and the numbers of documents."""
    with np.errstate(divide="ignore", invalid="ignore"):
        half = _t_quantile(documents) * np.sqrt(spread / (documents - 1) / documents)
    half = np.where((documents > 1) & (spread > 0), half, np.nan)
    return mean - half, mean + half


def t_p(mean: float, spread: float, documents: int) -> float:
    """Return two-sided p of the t test of a mean from the sum of squared distances from it; NaN if nothing varies.

    >>> round(t_p(2.0, 2.0, 3), 4)
    0.0742
    """
    from scipy.special import stdtr

    if documents < 2 or not spread > 0:
        return float("nan")
    return float(2 * stdtr(documents - 1, -abs(mean) / np.sqrt(spread / (documents - 1) / documents)))


def left_out_half_width(values: Floats) -> float:
    """Return half the width of the t interval of a value from those without each document in turn (D,): the jackknife.

    SE² = (D−1)/D · sum of the squared distances from their mean; NaN where nothing varies, or one is undefined.
    Source: Efron & Stein 1981.

    >>> round(left_out_half_width(np.array([1.5, 2.0, 2.5])), 4)  # the mean of 3, 2 and 1
    2.4841
    """
    n = len(values)
    if n < 2 or not np.ptp(values) > 0:
        return float("nan")
    error = np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())
    return float(_t_quantile(n) * error)


def t_of_influence(squares: Floats, sizes: Floats, documents: Ints | int) -> Floats:
    """Return half the width of the document-cluster t interval (K,), NaN where nothing varies but for rounding.

    squares   sum over documents of the squared influences u_D = gradient · counts; sizes: that of its terms' sizes.
    Linearisation: SE² = D/(D−1) · sum of u_D².
    """
    n = np.asarray(documents, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(n / (n - 1) * np.where(squares > _CANCELLED * sizes, squares, 0))
    return np.asarray(_t_quantile(n) * np.where((error > 0) & (n > 1), error, np.nan))


@dataclass(frozen=True)
class Variance:
    """What the variance of a mean over documents and runs, or of a difference of such means, is made of (K,).

    runs, documents  variances that add up, each with its degrees of freedom; both: what the two both hold
    """

    runs: Sequence[tuple[Floats, float]]
    documents: Sequence[tuple[Floats, float]]
    both: Floats

    @property
    def error(self) -> tuple[Floats, Floats]:
        """The standard error and its degrees of freedom (K,): V = max(V_runs + V_docs − V_both, V_runs, V_docs).

        The degrees of freedom are those of Satterthwaite 1946. Simulated in benchmarks/README.md.
        """
        of_runs, of_documents = (sum((one for one, _ in each), 0.0 * self.both) for each in (self.runs, self.documents))
        variance = np.maximum(np.maximum(of_runs + of_documents - self.both, of_runs), of_documents)
        variance = np.where(variance > _NOTHING, variance, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = sum((one**2 / freedom for one, freedom in (*self.runs, *self.documents)), 0.0 * self.both)
            return np.sqrt(variance), variance**2 / parts


@dataclass(frozen=True)
class Estimate:
    """Values and intervals over columns (K,), such as cutoffs, of one measure under one average.

    resampled  (B, K) the values of the resamples, where there are any
    variance   what the interval by t over documents and runs is made of
    runs       (R, K) the values of the runs of a system that has several
    """

    value: Floats
    low: Floats
    high: Floats
    documents: Ints
    reason: list[str | None]
    resampled: Floats | None = None
    variance: Variance | None = None
    runs: Floats | None = None

    def row(self, column: int, documents: int) -> tuple[float, float, float, int, int, str | None]:
        """Return value, bounds, documents averaged, those of `documents` left out, and reason, as rows print them."""
        n = int(self.documents[column])
        return self.value[column], self.low[column], self.high[column], n, documents - n, self.reason[column]


def half_width(error: Floats, freedom: Floats) -> Floats:
    """Return half the width of a 95 % interval by t; NaN where nothing varies."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(error > 0, stdtrit(freedom, 0.975) * error, np.nan))


def p_of(difference: Floats, error: Floats, freedom: Floats) -> Floats:
    """Return two-sided p of differences by t; NaN where nothing varies."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(error > 0, 2 * stdtr(freedom, -np.abs(difference) / error), np.nan))


def error_of(low: float, high: float, documents: int) -> float:
    """Return the standard error behind the bounds of a t interval over documents."""
    return float((high - low) / 2 / _t_quantile(documents))


def independent_error(total: Cells, score: Callable[[Cells], Floats]) -> Floats:
    """Return the standard error that a measure would have if phrases were independent, from one pooled table.

    SE² = sum over the cells of count · gradient²; for kappa this is the error of Fleiss, Cohen & Everitt 1969. Only a
    reference: phrases of one document are not independent, and such intervals are far too narrow.
    """
    variance = np.zeros_like(total.hits)
    # How a phrase more in cell a, b, c or d changes (hits, returned, size, universe, denominator).
    more = {"both": "11111", "gold_only": "00110", "system_only": "01011", "neither": "00010"}
    for cell, changes in more.items():
        moved = [getattr(total, name) + 1j * STEP * int(unit) for name, unit in zip(CELLS, changes, strict=True)]
        variance += getattr(total, cell) * (np.imag(score(Cells(*moved))) / STEP) ** 2
    return np.sqrt(variance)
