"""Turn per-document values into paired tests and bands over k, timed beside SciPy's permutation test.

Starts from values per document (tests) and from counts (bands). One process, interleaved; p-values are compared with
SciPy's before any time is printed. Run: python -m benchmarks.comparison
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import permutation_test

from benchmarks.timing import interleaved, show, summary
from benchmarks.workload import machine
from kp_core.inference import intervals, paired

HERE = Path(__file__).parent
SYSTEMS, DOCUMENTS, TRIALS = 6, 2_000, 10_000
BAND_DOCUMENTS, CUTOFFS, RESAMPLES = 20_000, 50, 1_000
#: Documents on which both enumerate every assignment, so that p must be equal.
FEW = 12


def of_pairs() -> list[dict[str, Any]]:
    """Time the paired randomisation test of all pairs of six systems."""
    values = np.random.default_rng(0).random((DOCUMENTS, SYSTEMS))
    differences = np.stack([values[:, a] - values[:, b] for a, b in combinations(range(SYSTEMS), 2)], axis=1)
    small = differences[:FEW, 0]

    def scipy(column: np.ndarray, trials: int) -> float:
        found = permutation_test(
            (column,), np.mean, permutation_type="samples", n_resamples=trials, rng=np.random.default_rng(1),
        )  # fmt: skip
        return float(found.pvalue)

    ours = float(paired.randomisation(small[:, None], 2**FEW, np.random.default_rng(0))[0])
    if abs(ours - scipy(small, 2**FEW)) > 1e-9:
        raise SystemExit(f"p: KPScope gives {ours}, SciPy {scipy(small, 2**FEW)}")
    base = "KPScope: 15 pairs, 10,000 trials"
    tools = {
        base: lambda: paired.randomisation(differences, TRIALS, np.random.default_rng(0)),
        "SciPy permutation_test: one pair, 10,000 trials": lambda: scipy(differences[:, 0], TRIALS),
    }
    return summary(interleaved(tools), base, {list(tools)[1]: float(differences.shape[1])})


def bands() -> list[dict[str, Any]]:
    """Time the bands of one measure of six systems at 50 cutoffs."""
    values = np.random.default_rng(0).random((SYSTEMS, BAND_DOCUMENTS, CUTOFFS))
    used = np.ones((BAND_DOCUMENTS, CUTOFFS), bool)
    rng = np.random.default_rng(0)

    def ours() -> None:
        weights = intervals.resample(BAND_DOCUMENTS, RESAMPLES, rng)
        for one in values:
            intervals.percentile(intervals.weighted_mean(one, used, weights))

    base = "KPScope: six systems, 50 cutoffs, 1,000 resamples"
    return summary(interleaved({base: ours}), base)


def main() -> None:
    """Print the tables and write them to benchmarks/comparison.json."""
    parts = {
        "paired randomisation, 15 pairs of 6 systems, 2,000 documents": of_pairs(),
        "bootstrap bands of one measure, 20,000 documents": bands(),
    }
    report = {"machine": machine(("numpy", "scipy")), "times": parts}
    (HERE / "comparison.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for title, rows in parts.items():
        show(title, rows)


if __name__ == "__main__":
    main()
