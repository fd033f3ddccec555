"""Simulate the coverage of three intervals for two systems with several runs, and time the table of five data sets.

The true difference is 0. A value is the sum of three effects: of the run (standard deviation s), of the document on the
system (0.06), and a residual (0.10). Nominal 95%. Run by hand, about two minutes:
python -m benchmarks.several_runs
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import kp_core as kp
from benchmarks.timing import ENOUGH
from benchmarks.workload import machine
from kp_core.scoring import intervals
from kp_core.scoring.runs import Sampled, multi_bootstrap, variance_of

HERE = Path(__file__).parent
DRAWS, RESAMPLES = 1_500, 400
#: Runs, documents, standard deviation between runs.
CELLS = ((5, 50, 0.01), (5, 50, 0.02), (3, 50, 0.02), (10, 200, 0.01), (5, 500, 0.02), (5, 500, 0.0))
DOCUMENTS, SINGLE = 0.06, 0.10
SETS, PER_SET, SYSTEMS, RUNS = 5, 500, 6, 3


def sampled(runs: int, documents: int, spread: float, rng: np.random.Generator) -> Sampled:
    """Return the runs of a system for one column, with their values and the influences of documents."""
    values = spread * rng.standard_normal((runs, 1)) + DOCUMENTS * rng.standard_normal(documents)
    values += SINGLE * rng.standard_normal((runs, documents))
    means = values.mean(axis=1, keepdims=True)
    return Sampled(means, ((values - means) / documents)[:, :, None])


def coverage(runs: int, documents: int, spread: float, draws: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the share of intervals of each kind that contain the true difference 0."""
    inside = dict.fromkeys(("documents alone", "Multi-Bootstrap", "two-way t"), 0)
    used = np.ones(documents, bool)
    for _ in range(draws):
        both = [sampled(runs, documents, spread, rng) for _ in range(2)]
        apart = both[0].mean - both[1].mean
        [(of_documents, freedom)] = variance_of(both, documents).documents
        alone = intervals.half_width(np.sqrt(of_documents), np.array([freedom]))
        inside["documents alone"] += bool(abs(apart[0]) <= alone[0])
        drawn = multi_bootstrap(both, used, RESAMPLES, rng)
        low, high = intervals.percentile(drawn[0] - drawn[1])
        inside["Multi-Bootstrap"] += bool(low[0] <= 0 <= high[0])
        half = intervals.half_width(*variance_of(both, documents).error)
        inside["two-way t"] += bool(abs(apart[0]) <= half[0])
    return {name: count / draws for name, count in inside.items()}


def drawn(seed: int) -> kp.Corpus:
    """Return a data set with texts, and lists of about fifteen phrases for every run."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(400)])
    gold = {str(d): rng.choice(words, 6, replace=False).tolist() for d in range(PER_SET)}
    texts = {d: " . ".join([*part[:4], *rng.choice(words, 60)]) for d, part in gold.items()}
    systems = {}
    for number in range(SYSTEMS):
        share = 0.3 + 0.05 * number
        for run in range(1, RUNS + 1):
            right = {d: [item for item in part if rng.random() < share] for d, part in gold.items()}
            systems[f"s{number}#{run}"] = {d: [*part, *rng.choice(words, 10)] for d, part in right.items()}
    return kp.load(gold=gold, systems=systems, documents=texts)


def seconds(by: str) -> float:
    """Return the median of five times for the main table with its tests, on data that are not prepared."""
    taken = []
    for _ in range(ENOUGH + 1):
        whole = kp.together(**{f"set {seed}": drawn(seed) for seed in range(SETS)})
        begun = time.perf_counter()
        kp.paper_table(whole, measures=["F1@5", "F1@M"], by=by)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken[1:])


def main(draws: int = DRAWS) -> None:
    """Print the figures and write them to benchmarks/several_runs.json."""
    rng, rows = np.random.default_rng(0), list[dict[str, float]]()
    for runs, documents, spread in CELLS:
        rows.append({"runs": runs, "documents": documents, "spread": spread} | coverage(*CELLS[len(rows)], draws, rng))
        print("  ".join(f"{name} {value:g}" for name, value in rows[-1].items()))
    times = {by: seconds(by) for by in ("dataset", "dataset,presence")}
    report = {
        "machine": machine(("numpy", "scipy")),
        "draws": draws,
        "resamples": RESAMPLES,
        "coverage": rows,
        "largest error of a share": 1.96 * (0.25 / draws) ** 0.5,
        "table": f"{SETS} data sets of {PER_SET} documents, {SYSTEMS} systems of {RUNS} runs, two measures, with tests",
        "seconds": times,
    }
    (HERE / "several_runs.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print("  ".join(f"{by} {value:.2f} s" for by, value in times.items()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
