"""Simulate which share of nominal 95% intervals for micro kappa contain the true value.

A document has 1,000 candidates, 4.6% of them gold on average, and a system returns 15. The probability
of being gold, for returned and for other phrases, is the same in all documents, or differs moderately or strongly: the
variance of kappa is then about 3 or 7 times that of independent phrases. The true kappa is the pooled kappa of two
million documents from the same generator. Run by hand, about half a minute: python -m benchmarks.coverage
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.agreement import summed
from benchmarks.workload import machine
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Grid, estimate
from kp_core.scoring.cells import Cells
from kp_core.scoring.measures import concordance, parse

HERE = Path(__file__).parent
PHRASES, GOLD, RETURNED, PRECISION = 1_000, 0.046, 15, 0.36
MISSED = (PHRASES * GOLD - RETURNED * PRECISION) / (PHRASES - RETURNED)
DOCUMENTS, MANY, RUNS, RESAMPLES = (10, 30, 244), 2_000_000, 20_000, 1_000
#: Runs that are simulated at a time and share their bootstrap weights.
_TOGETHER = 200


@dataclass(frozen=True)
class Kind:
    """How much documents differ: a + b of the beta distributions of P(gold) for returned and for other phrases."""

    name: str
    returned: float
    others: float


KINDS = (Kind("alike", np.inf, np.inf), Kind("moderate", 7, 100), Kind("strong", 1.5, 40))


def _shares(mean: float, sum_of_both: float, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    if np.isinf(sum_of_both):
        return np.full(shape, mean)
    return rng.beta(mean * sum_of_both, (1 - mean) * sum_of_both, shape)


def simulated(kind: Kind, documents: int, runs: int, rng: np.random.Generator) -> Cells:
    """Return the counts of documents (rows) in runs (columns)."""
    shape = documents, runs
    hits = rng.binomial(RETURNED, _shares(PRECISION, kind.returned, shape, rng)).astype(float)
    missed = rng.binomial(PHRASES - RETURNED, _shares(MISSED, kind.others, shape, rng))
    returned, universe = np.full(shape, float(RETURNED)), np.full(shape, float(PHRASES))
    return Cells(hits, returned, hits + missed, universe, returned)


def null_error(total: Cells) -> np.ndarray:
    """Return the standard error of kappa under the hypothesis that kappa is 0, which does not suit an interval."""
    f, g = total.size / total.universe, total.returned / total.universe
    chance = f * g + (1 - f) * (1 - g)
    products = f * g * (f + g) + (1 - f) * (1 - g) * (2 - f - g)
    return np.sqrt((chance + chance**2 - products) / total.universe) / (1 - chance)


def simple_error(total: Cells) -> np.ndarray:
    """Return the standard error of Cohen 1960, which takes the chance agreement as known."""
    observed, chance = concordance.observed(total), concordance.expected(total)
    return np.sqrt(observed * (1 - observed) / total.universe) / (1 - chance)


def all_intervals(cells: Cells, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the intervals for every run by each method."""
    total = cells.mapped(lambda counts: counts.sum(axis=0))
    value = concordance.kappa(total)
    errors = {
        "independent items (Fleiss, Cohen & Everitt 1969)": intervals.independent_error(total, concordance.kappa),
        "error under kappa = 0": null_error(total),
        "simple error (Cohen 1960)": simple_error(total),
    }
    result = {name: (value - 1.959964 * error, value + 1.959964 * error) for name, error in errors.items()}
    drawn = np.ones(cells.hits.shape, bool)
    clusters = estimate(parse("kappa"), Grid(cells, drawn), "micro", None, "cluster-t")
    result["documents as clusters, t"] = clusters.low, clusters.high
    weights = intervals.resample(len(cells.hits), RESAMPLES, rng)
    result["bootstrap of documents, percentile"] = intervals.percentile(concordance.kappa(summed(cells, weights)))
    return result


def cell(kind: Kind, documents: int, truth: float, runs: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the coverage of every method, and how much more kappa varies than with independent phrases."""
    inside: dict[str, list[np.ndarray]] = {}
    values, variance = [], []
    for begin in range(0, runs, _TOGETHER):
        cells = simulated(kind, documents, min(_TOGETHER, runs - begin), rng)
        # An interval that is undefined contains nothing.
        for name, (low, high) in all_intervals(cells, rng).items():
            inside.setdefault(name, []).append((low <= truth) & (truth <= high))
        total = cells.mapped(lambda counts: counts.sum(axis=0))
        values.append(concordance.kappa(total))
        variance.append(intervals.independent_error(total, concordance.kappa) ** 2)
    effect = float(np.var(np.concatenate(values)) / np.mean(np.concatenate(variance)))
    return {"design effect": effect} | {name: float(np.concatenate(result).mean()) for name, result in inside.items()}


def main(runs: int = RUNS) -> None:
    """Print the table and write it to benchmarks/coverage.json."""
    rng, rows = np.random.default_rng(0), []
    for kind in KINDS:
        large = simulated(kind, MANY, 1, rng)
        truth = float(concordance.kappa(large.mapped(lambda counts: counts.sum(axis=0)))[0])
        share = float(large.size.sum() / large.universe.sum())
        for documents in DOCUMENTS:
            result = cell(kind, documents, truth, runs, rng)
            rows.append({"kind": kind.name, "documents": documents, "kappa": truth, "gold": share} | result)
    error = 1.96 * (0.25 / runs) ** 0.5
    report = {
        "machine": machine(("numpy", "scipy")),
        "runs": runs,
        "resamples": RESAMPLES,
        "rows": rows,
        "largest error of a share": error,
    }
    (HERE / "coverage.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"{runs} runs, {RESAMPLES} resamples; shares are exact to ± {error:.3f} or better")
    columns = [f"{row['kind']} {row['documents']}" for row in rows]
    print(f"{'':50}" + "".join(f"{column:>13}" for column in columns))
    for name in list(rows[0])[2:]:
        print(f"{name:50}" + "".join(f"{row[name]:13.3f}" for row in rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
