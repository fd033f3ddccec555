"""Turn per-document values or counts into 95% intervals by resampling documents, or by the cluster t interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.scoring.cells import CELLS, Cells
from kp_core.scoring.codes import Bools, Floats, Ints, document_blocks
from kp_core.settings import Settings

#: Maximum share of undefined resamples for an interval.
MOST_UNDEFINED = 0.05
#: A sum of products below this share of its terms counts as 0.
_CANCELLED = 1e-13
#: Variances below this are rounding error.
_NO_VARIANCE = 1e-26
#: Imaginary step for derivatives, which are exact for smooth measures because nothing is subtracted.
STEP = 1e-30
#: Draws per block, and trials per block.
_DRAWS_PER_BLOCK, _TRIALS_PER_BLOCK = 50_000, 2000
_GOLDEN = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1
_WEIGHTS, _SIGNS = 1, 2
#: How many of 65,536 equally likely numbers give 0, 1, 2, ... draws: Poisson probabilities, rounded so that mean and
#: variance are exactly 1; the largest error is 4 in 100,000.
_DRAWS = (24109, 24110, 12054, 4018, 1007, 199, 33, 5, 1)
_TABLE = np.repeat(np.arange(len(_DRAWS), dtype=np.float64), _DRAWS)


def resample(documents: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return bootstrap weights (B, D): how often each document is drawn; every row sums to D."""
    weights = np.empty((n_resamples, documents))
    step = max(1, _DRAWS_PER_BLOCK // max(1, documents))
    for begin in range(0, n_resamples, step):
        rows = min(step, n_resamples - begin)
        picks = rng.integers(0, documents, (rows, documents))
        picks += np.arange(rows)[:, None] * documents
        weights[begin : begin + rows] = np.bincount(picks.ravel(), minlength=rows * documents).reshape(rows, documents)
    return weights


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finalizer of SplitMix64 (Steele, Lea & Flood 2014) in place."""
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def _bits(documents: Sequence[str], n_numbers: int, stream: int, seed: int) -> NDArray[np.uint64]:
    """Return random 64-bit numbers (D, numbers), hashed from document, seed, stream and position.

    The hash of a document is SipHash (Aumasson & Bernstein 2012) with the fixed key of pandas.
    """
    keys = np.asarray(pd.util.hash_array(np.array(documents, dtype=object), categorize=False), np.uint64)
    begin = (seed * 0xD1342543DE82EF95 + stream * _GOLDEN) & _MASK
    counter = _mixed(np.arange(1, n_numbers + 1, dtype=np.uint64) * np.uint64(_GOLDEN) + np.uint64(begin))
    return _mixed(keys[:, None] ^ counter)


def random_swaps(documents: Sequence[str], n_trials: int, seed: int) -> Iterator[Floats]:
    """Yield rows of 0 and 1 (T, D), where 1 marks a document swapped in a trial; ids and seed determine the rows."""
    bits = _bits(documents, -(-n_trials // 64), _SIGNS, seed).astype("<u8", copy=False).view(np.uint8)
    swaps = np.unpackbits(bits, axis=1, count=n_trials, bitorder="little")
    for begin in range(0, n_trials, _TRIALS_PER_BLOCK):
        yield swaps[:, begin : begin + _TRIALS_PER_BLOCK].T.astype(float)


def weights(
    settings: Settings, documents: Sequence[str], used: Bools, rng: np.random.Generator | None = None
) -> Floats | None:
    """Return the weights (B, D) of an interval that resamples the used documents; None for any other interval.

    bootstrap: every row sums to the number of used documents; poisson: weights depend only on the ids and the seed.
    """
    resamples, seed = settings.resamples, settings.seed
    if settings.interval == "poisson":
        indices = _bits(documents, -(-resamples // 4), _WEIGHTS, seed).astype("<u8", copy=False).view("<u2")
        return np.asarray(_TABLE[indices[:, :resamples]].T * used)
    if settings.interval != "bootstrap":
        return None
    draws = np.zeros((resamples, len(used)))
    if used.any():
        draws[:, used] = resample(int(used.sum()), resamples, np.random.default_rng(seed) if rng is None else rng)
    return draws


def blocks(settings: Settings, documents: Sequence[str], used: Bools) -> Iterator[tuple[slice, Floats | None]]:
    """Yield blocks of documents, each with its `weights`."""
    all_weights = weights(settings, documents, used) if settings.interval == "bootstrap" else None
    for block in document_blocks(len(documents)):
        yield block, weights(settings, documents[block], used[block]) if all_weights is None else all_weights[:, block]


def expanded_tail(documents: Ints | Floats | float) -> Floats:
    """Return the share of resamples below a 95% interval, by the number of documents; NaN for fewer than two.

    Φ(−√(n/(n−1)) · t(.975, n−1)), about .025 for many documents. Source: Hesterberg 2015, expanded percentiles.

    >>> expanded_tail(np.array([1, 5, 20, 10_000])).round(4).tolist()
    [nan, 0.001, 0.0159, 0.025]
    """
    from scipy.special import ndtr, stdtrit

    n = np.asarray(documents, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(n > 1, ndtr(-np.sqrt(n / (n - 1)) * stdtrit(n - 1, 0.975)), np.nan))


def percentile(values: Floats, tail: Floats | float = 0.025) -> tuple[Floats, Floats]:
    """Return the bounds (K,) that exclude the share `tail` of the resamples (B, K) at either end.

    NaN if too many resamples, or the share itself, are undefined.
    """
    low, high = np.full((2, values.shape[1]), np.nan)
    undefined, tails = np.isnan(values), np.broadcast_to(tail, values.shape[1:])
    enough_defined = undefined.mean(axis=0) <= MOST_UNDEFINED
    quantiles = np.nanquantile if undefined.any() else np.quantile  # which is faster
    for share in np.unique(tails[enough_defined & ~np.isnan(tails)]):
        columns = enough_defined & (tails == share)
        low[columns], high[columns] = quantiles(values[:, columns], [share, 1 - share], axis=0)
    return low, high


def half_width(error: Floats, freedom: Floats | Ints | float) -> Floats:
    """Return half the width of a 95% t interval; NaN without variance."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(error > 0, stdtrit(freedom, 0.975) * error, np.nan))


def t_test_p(difference: Floats | float, error: Floats, freedom: Floats | Ints | float) -> Floats:
    """Return the two-sided p-values of differences by the t test; NaN without variance."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(error > 0, 2 * stdtr(freedom, -np.abs(difference) / error), np.nan))


def t_p(mean: float, spread: float, n_documents: int) -> float:
    """Return the two-sided p-value of the t test of a mean; `spread`: sum of squared deviations; NaN without variance.

    >>> round(t_p(2.0, 2.0, 3), 4)
    0.0742
    """
    error = np.sqrt(spread / np.float64(n_documents - 1) / n_documents) if n_documents > 1 else np.nan
    return float(t_test_p(mean, np.asarray(error), n_documents - 1))


def jackknife_half_width(values: Floats) -> float:
    """Return half the width of the jackknife t interval, from the values with each document left out in turn (D,).

    SE² = (D−1)/D · sum of squared deviations from their mean; NaN without variance. Source: Efron & Stein 1981.

    >>> round(jackknife_half_width(np.array([1.5, 2.0, 2.5])), 4)  # the mean of 3, 2 and 1
    2.4841
    """
    n = len(values)
    if n < 2 or not np.ptp(values) > 0:
        return float("nan")
    return float(half_width(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()), n - 1))


def t_half_width(squares: Floats, sizes: Floats, documents: Ints | int) -> Floats:
    """Return half the width of the document-cluster t interval (K,), NaN without variance: SE² = D/(D−1) · sum of u_D².

    * `squares`: sum of squared influences u_D = gradient · counts of documents; `sizes`: the same with absolute terms
    """
    n = np.asarray(documents, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(n / (n - 1) * np.where(squares > _CANCELLED * sizes, squares, 0))
    return half_width(np.where(n > 1, error, np.nan), n - 1)


@dataclass(frozen=True)
class Variance:
    """The components of the variance of a mean over documents and runs, or of a difference of such means (K,).

    * `runs`, `documents`: variances with their degrees of freedom; `both`: the part that both include
    """

    runs: Sequence[tuple[Floats, float]]
    documents: Sequence[tuple[Floats, float]]
    both: Floats

    def at(self, column: int) -> Variance:
        """Return the variance of one column."""
        runs, documents = ([(v[[column]], freedom) for v, freedom in parts] for parts in (self.runs, self.documents))
        return Variance(runs, documents, self.both[[column]])

    @property
    def error(self) -> tuple[Floats, Floats]:
        """The standard error and its degrees of freedom (K,): V = max(V_runs + V_docs − V_both, V_runs, V_docs).

        The degrees of freedom are those of Satterthwaite 1946. See the simulation in benchmarks/README.md.
        """
        run_variance, document_variance = (
            sum((v for v, _ in parts), 0.0 * self.both) for parts in (self.runs, self.documents)
        )
        variance = np.maximum(np.maximum(run_variance + document_variance - self.both, run_variance), document_variance)
        variance = np.where(variance > _NO_VARIANCE, variance, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = sum((v**2 / freedom for v, freedom in (*self.runs, *self.documents)), 0.0 * self.both)
            return np.sqrt(variance), variance**2 / parts


@dataclass(frozen=True)
class Estimate:
    """Values and intervals of one measure and average, in columns (K,), such as cutoffs.

    * `resampled`: (B, K) values of the resamples, if any
    * `variance`: variance of the t interval over documents and runs
    * `runs`: (R, K) values of several runs of a system
    """

    value: Floats
    low: Floats
    high: Floats
    documents: Ints
    reason: list[str | None]
    resampled: Floats | None = None
    variance: Variance | None = None
    runs: Floats | None = None

    def evidence(self, column: int) -> tuple[Floats | None, Variance | None, tuple[float, ...]]:
        """Return what the interval of one column is computed from: resamples (B,), variance, and values of the runs."""
        runs = () if self.runs is None or len(self.runs) < 2 else tuple(self.runs[:, column].tolist())
        resampled = None if self.resampled is None else self.resampled[:, column]
        return resampled, None if self.variance is None else self.variance.at(column), runs

    def row(self, column: int, n_documents: int) -> tuple[float, float, float, int, int, str | None]:
        """Return the value, its bounds, the numbers of documents averaged and left out, and the reason if undefined."""
        n = int(self.documents[column])
        return self.value[column], self.low[column], self.high[column], n, n_documents - n, self.reason[column]


def error_of(low: float, high: float, n_documents: int) -> float:
    """Return the standard error that gives these bounds of a t interval over documents."""
    return float((high - low) / 2 / half_width(np.ones(()), n_documents - 1))


def independent_error(total: Cells, score: Callable[[Cells], Floats]) -> Floats:
    """Return the standard error of a measure of one pooled table, as if phrases were independent.

    SE² = sum over the cells of count · gradient², for kappa as in Fleiss, Cohen & Everitt 1969. Phrases of one document
    are not independent, so such intervals are far too narrow.
    """
    variance = np.zeros_like(total.hits)
    # Effect of a further phrase in each cell on (hits, returned, size, universe, denominator).
    effects = {"hits": "11111", "gold_only": "00110", "system_only": "01011", "neither": "00010"}
    for cell, changes in effects.items():
        shifted = [getattr(total, name) + 1j * STEP * int(unit) for name, unit in zip(CELLS, changes, strict=True)]
        variance += getattr(total, cell) * (np.imag(score(Cells(*shifted))) / STEP) ** 2
    return np.sqrt(variance)
