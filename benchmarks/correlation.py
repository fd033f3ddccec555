"""Time correlations and tests of 12 measures on 1,000 judged pairs, compared with a loop over scipy.stats.

Both resample 100 documents alike. The loop recomputes SciPy's correlation on the repeated rows, for 20 resamples and
trials; its times are scaled up. Not included: reading, similarity measures, the human ceiling, subsets.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from benchmarks.timing import Task, equal, timed
from kp_core.scoring.intervals import resample
from kp_core.studies.correlation import estimates
from kp_core.studies.correlation.coefficients import Correlator, resampled

PAIRS, MEASURES, DOCUMENTS, RESAMPLES, TRIALS = 1_000, 12, 100, 2_000, 2_000
#: Distinct values of the measures: overlaps of short phrases have few, character measures many.
STEPS = (2, 4, 6, 10, 20, 40, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
LOOPED = 20
PACKAGES = ("numpy", "scipy")


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return measures (P, M), mean scores (P,) from 0 to 4 of four annotators, and the document of each pair (P,)."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=PAIRS)
    human = np.clip(np.round(truth[:, None] + 2 + rng.normal(size=(PAIRS, 4))), 0, 4).mean(axis=1)
    noise = truth[:, None] + np.linspace(0.5, 3, MEASURES) * rng.normal(size=(PAIRS, MEASURES))
    return np.round(noise * STEPS) / STEPS, human, rng.integers(0, DOCUMENTS, PAIRS)


def bootstrap(measures: np.ndarray, human: np.ndarray, cluster: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return rho for every resample and measure, computed by KPScope."""
    return resampled(Correlator(measures, human[:, None]).kernel, cluster, weights)[:, :, 0]


def bootstrap_loop(measures: np.ndarray, human: np.ndarray, cluster: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return rho for every resample and measure, by scipy.stats.spearmanr on the repeated rows."""
    result = np.empty((len(weights), measures.shape[1]))
    for b, row in enumerate(weights.astype(int)):
        rows = np.repeat(np.arange(len(human)), row[cluster])
        for m in range(measures.shape[1]):
            result[b, m] = stats.spearmanr(measures[rows, m], human[rows]).statistic
    return result


def swaps_loop(measures: np.ndarray, human: np.ndarray, swapped: np.ndarray) -> np.ndarray:
    """Return differences of rho (B, pairs of measures) after swaps, by scipy.stats.spearmanr."""
    z = np.round(stats.zscore(measures, axis=0), 12)
    pairs = [(i, j) for i in range(MEASURES) for j in range(i + 1, MEASURES)]
    result = np.empty((len(swapped), len(pairs)))
    for b, bits in enumerate(swapped.astype(bool)):
        for index, (i, j) in enumerate(pairs):
            mixed = np.where(bits, z[:, j], z[:, i]), np.where(bits, z[:, i], z[:, j])
            first, second = (stats.spearmanr(column, human).statistic for column in mixed)
            result[b, index] = first - second
    return result


def swaps_engine(measures: np.ndarray, human: np.ndarray, swapped: np.ndarray) -> np.ndarray:
    """Return the same differences computed by KPScope, to compare the values."""
    z, every = np.round(stats.zscore(measures, axis=0), 12), np.arange(len(human))
    return estimates.differences(z, human[:, None], contests(), "spearman", every)(swapped)


def contests() -> np.ndarray:
    """Return all pairs of measures (K, 2)."""
    return np.transpose(np.triu_indices(MEASURES, 1))


def permute(measures: np.ndarray, human: np.ndarray) -> np.ndarray:
    """Return the p-values of PERM-BOTH for every pair of measures."""
    return estimates.permute_both(measures, human[:, None], contests(), TRIALS, 2)


def williams(measures: np.ndarray, human: np.ndarray) -> np.ndarray:
    """Return the p-values of Williams' test for every pair of measures."""
    met = estimates.comparable_pairs(measures, human)[["first", "second", "between", "n"]]
    return estimates.williams(*met.to_numpy().T)[1]


def compared(
    measures: np.ndarray, human: np.ndarray, cluster: np.ndarray, weights: np.ndarray, swapped: np.ndarray
) -> None:
    """Raise an error if KPScope and the loop do not agree."""
    drawn = bootstrap(measures, human, cluster, weights), bootstrap_loop(measures, human, cluster, weights)
    mixed = swaps_engine(measures, human, swapped), swaps_loop(measures, human, swapped)
    for name, (ours, theirs) in {"bootstrap": drawn, "PERM-BOTH": mixed}.items():
        equal(name, ours, theirs)


def tasks() -> list[Task]:
    """Return the tasks, after checking that KPScope and the loop agree."""
    measures, human, cluster = data()
    rng = np.random.default_rng(1)
    weights = resample(DOCUMENTS, RESAMPLES, rng)
    few, swapped = weights[:LOOPED], rng.integers(0, 2, (LOOPED, PAIRS)).astype(float)
    compared(measures, human, cluster, few, swapped)
    loop = "loop over scipy.stats.spearmanr"
    drawn = {
        "KPScope": lambda: bootstrap(measures, human, cluster, weights),
        loop: lambda: bootstrap_loop(measures, human, cluster, few),
    }
    swaps = {"KPScope": lambda: permute(measures, human), loop: lambda: swaps_loop(measures, human, swapped)}
    return [
        timed(
            "Spearman, 2,000 clustered resamples × 12 measures, 1,000 pairs",
            drawn,
            scale={loop: RESAMPLES / LOOPED},
            aim="400 ms, 20 × the loop",
        ),
        timed("PERM-BOTH, 66 pairs of measures × 2,000 trials", swaps, scale={loop: TRIALS / LOOPED}, aim="5 s"),
        timed("Williams, 12 × 12 measures", {"KPScope": lambda: williams(measures, human)}, aim="10 ms"),
    ]
