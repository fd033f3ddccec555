"""Time paired tests and bands over k from values per document, compared with SciPy's permutation test.

Tests start from values per document, bands from counts.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.stats import permutation_test

from benchmarks.timing import Task, equal, timed
from kp_core.scoring import intervals, paired

PACKAGES = ("numpy", "scipy")
SYSTEMS, DOCUMENTS, TRIALS = 6, 2_000, 10_000
BAND_DOCUMENTS, CUTOFFS, RESAMPLES = 20_000, 50, 1_000
#: Documents on which both enumerate every assignment, so that p must be equal.
FEW = 12


def _p_values(differences: np.ndarray, trials: int) -> np.ndarray:
    """Return the p-value of the mean of each column of differences (D, P)."""
    total = differences.sum(axis=0)
    rng = np.random.default_rng(0)
    return paired.randomisation(lambda swapped: total - 2 * swapped @ differences, len(differences), trials, rng)


def of_pairs() -> Task:
    """Time the paired randomization test of all pairs of six systems."""
    values = np.random.default_rng(0).random((DOCUMENTS, SYSTEMS))
    differences = np.stack([values[:, a] - values[:, b] for a, b in combinations(range(SYSTEMS), 2)], axis=1)
    small = differences[:FEW, 0]

    def scipy(column: np.ndarray, trials: int) -> float:
        result = permutation_test(
            (column,), np.mean, permutation_type="samples", n_resamples=trials, rng=np.random.default_rng(1)
        )
        return float(result.pvalue)

    ours = float(_p_values(small[:, None], 2**FEW)[0])
    equal("p", ours, scipy(small, 2**FEW))
    peer = "SciPy permutation_test: one pair"
    tools = {
        "KPScope: 15 pairs": lambda: _p_values(differences, TRIALS),
        peer: lambda: scipy(differences[:, 0], TRIALS),
    }
    title = "Paired randomisation, 10,000 trials, 15 pairs of 6 systems, 2,000 documents"
    return timed(title, tools, scale={peer: float(differences.shape[1])}, aim="500 ms")


def bands() -> Task:
    """Time the bands of one measure of six systems at 50 cutoffs."""
    values = np.random.default_rng(0).random((SYSTEMS, BAND_DOCUMENTS, CUTOFFS))
    rng = np.random.default_rng(0)

    def ours() -> None:
        weights = intervals.resample(BAND_DOCUMENTS, RESAMPLES, rng)
        for item in values:
            intervals.percentile(weights @ item / weights.sum(axis=1)[:, None])

    title = "Bootstrap bands of one measure, 6 systems, 50 cutoffs, 1,000 resamples, 20,000 documents"
    return timed(title, {"KPScope": ours}, aim="500 ms")


def tasks() -> list[Task]:
    """Return the tasks, after checking that the p-values equal SciPy's."""
    return [of_pairs(), bands()]
