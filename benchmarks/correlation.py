"""Time correlations of 12 measures with human scores on 1,000 judged pairs, beside a loop over scipy.stats.

Resamples are those of 100 documents; the loop takes the same ones and recomputes scipy's correlation on the repeated
rows, 20 resamples and trials of it, scaled up. Values must agree to 1e-9 before any time is printed.
Run: python -m benchmarks.correlation
"""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.workload import machine
from kp_core.inference.intervals import resample
from kp_core.judgements import correlation, pairwise, tie_accuracy

PAIRS, MEASURES, DOCUMENTS, RESAMPLES, TRIALS = 1_000, 12, 100, 2_000, 2_000
#: Distinct values of the measures: overlaps of short phrases have few, character measures many.
STEPS = (2, 4, 6, 10, 20, 40, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
ROUNDS, LOOPED = 5, 20
HERE = Path(__file__).parent


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return measures (P, M), human averages (P,) of four annotators on 0 to 4, and the document of each pair (P,)."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=PAIRS)
    human = np.clip(np.round(truth[:, None] + 2 + rng.normal(size=(PAIRS, 4))), 0, 4).mean(axis=1)
    noise = truth[:, None] + np.linspace(0.5, 3, MEASURES) * rng.normal(size=(PAIRS, MEASURES))
    return np.round(noise * STEPS) / STEPS, human, rng.integers(0, DOCUMENTS, PAIRS)


def bootstrap(measures: np.ndarray, human: np.ndarray, cluster: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return rho of every resample and measure, from the engine."""
    parts = correlation.parts(measures, human[:, None], np.ones(len(human), bool))
    found = correlation.resampled(
        [lambda rows: correlation.under_weights(parts, rows, (measures.shape[1], 1))], cluster, weights
    )
    return found[0][:, :, 0]


def bootstrap_loop(measures: np.ndarray, human: np.ndarray, cluster: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the same from scipy.stats.spearmanr on the repeated rows, one measure at a time."""
    found = np.empty((len(weights), measures.shape[1]))
    for b, row in enumerate(weights.astype(int)):
        rows = np.repeat(np.arange(len(human)), row[cluster])
        for m in range(measures.shape[1]):
            found[b, m] = stats.spearmanr(measures[rows, m], human[rows]).statistic
    return found


def swaps_loop(measures: np.ndarray, human: np.ndarray, swapped: np.ndarray) -> np.ndarray:
    """Return differences of rho (B, pairs of measures) after swaps, by scipy.stats.spearmanr."""
    z = np.round(stats.zscore(measures, axis=0), 12)
    pairs = [(i, j) for i in range(MEASURES) for j in range(i + 1, MEASURES)]
    found = np.empty((len(swapped), len(pairs)))
    for b, bits in enumerate(swapped.astype(bool)):
        for place, (i, j) in enumerate(pairs):
            mixed = np.where(bits, z[:, j], z[:, i]), np.where(bits, z[:, i], z[:, j])
            first, second = (stats.spearmanr(column, human).statistic for column in mixed)
            found[b, place] = first - second
    return found


def swaps_engine(measures: np.ndarray, human: np.ndarray, swapped: np.ndarray) -> np.ndarray:
    """Return the same differences from the engine, for the comparison of values."""
    contests = pairwise.contests(measures, human, "spearman")
    chosen = np.concatenate([1 - swapped.T, swapped.T])
    both = [contests[key][1](chosen) for key in sorted(contests)]
    return np.stack([each[:, 0] - each[:, 1] for each in both], axis=1)


def compared(
    measures: np.ndarray, human: np.ndarray, cluster: np.ndarray, weights: np.ndarray, swapped: np.ndarray
) -> None:
    """Stop where engine and loop do not agree."""
    drawn = bootstrap(measures, human, cluster, weights), bootstrap_loop(measures, human, cluster, weights)
    mixed = swaps_engine(measures, human, swapped), swaps_loop(measures, human, swapped)
    for name, (ours, theirs) in {"bootstrap": drawn, "PERM-BOTH": mixed}.items():
        if not np.allclose(ours, theirs, atol=1e-9, rtol=0):
            raise SystemExit(f"{name}: engine and scipy.stats differ by {np.abs(ours - theirs).max()}")


def timed(works: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Return the seconds of each work in several interleaved rounds, after one to warm up."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(ROUNDS + 1):
        for name, work in works.items():
            gc.collect()
            begun = time.perf_counter()
            work()
            if turn:
                times[name].append(time.perf_counter() - begun)
    return times


def main() -> None:
    """Print one table and write it to benchmarks/correlation.json."""
    measures, human, cluster = data()
    rng = np.random.default_rng(1)
    weights = resample(DOCUMENTS, RESAMPLES, rng)
    few, swapped = weights[:LOOPED], rng.integers(0, 2, (LOOPED, PAIRS)).astype(float)
    compared(measures, human, cluster, few, swapped)
    times = timed(
        {
            "bootstrap": lambda: bootstrap(measures, human, cluster, weights),
            "bootstrap, scipy loop": lambda: bootstrap_loop(measures, human, cluster, few),
            "PERM-BOTH, 66 pairs": lambda: pairwise.permute_both(measures, human, TRIALS, np.random.default_rng(2)),
            "PERM-BOTH, scipy loop": lambda: swaps_loop(measures, human, swapped),
            "Williams 12 × 12": lambda: pairwise.williams_test(measures, human),
            "tie calibration": lambda: tie_accuracy.calibrated_acc_eq(measures[:, 5], human),
        }
    )
    scale = {"bootstrap, scipy loop": RESAMPLES / LOOPED, "PERM-BOTH, scipy loop": TRIALS / LOOPED}
    rows = [
        {
            "task": name,
            "median": statistics.median(found) * scale.get(name, 1),
            "min": min(found) * scale.get(name, 1),
            "max": max(found) * scale.get(name, 1),
            "scaled by": scale.get(name, 1),
        }
        for name, found in times.items()
    ]
    report = {"machine": machine(("numpy", "scipy")), "pairs": PAIRS, "measures": MEASURES, "times": rows}
    (HERE / "correlation.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(f"{row['task']:24} {row['median']:9.4f} s ({row['min']:.4f} to {row['max']:.4f})")


if __name__ == "__main__":
    main()
