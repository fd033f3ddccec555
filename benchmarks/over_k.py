"""Simulate how often a cutoff is significant although no system is better, and time the tests at all cutoffs.

Four systems find each of eight keyphrases with the same probabilities, skewed over documents; F1 at 30 cutoffs. Run
by hand, about two minutes: python -m benchmarks.over_k
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

import kp_core as kp
from benchmarks.timing import ENOUGH
from benchmarks.workload import frames, machine
from kp_core.scoring.order import leveled
from kp_core.scoring.paired import ALPHA
from kp_core.studies.all_cutoffs import all_cutoffs, corrected_p

HERE = Path(__file__).parent
SAMPLE = HERE.parent / "sample_data" / "lectures"
RUNS, TRIALS, SYSTEMS, CUTOFFS, GOLD = 1_000, 1_000, 4, 30, 8


def any_clear(documents: int, runs: int, rng: np.random.Generator) -> float:
    """Return the share of simulated data sets in which some pair of systems differs significantly at some cutoff."""
    clear, k = 0, np.arange(1, CUTOFFS + 1)
    for _ in range(runs):
        chance = rng.beta(0.7, 3.0, (1, documents, 1)) * 2 / (1 + 0.1 * k)
        hits = np.minimum(np.cumsum(rng.random((SYSTEMS, documents, CUTOFFS)) < chance, axis=2), GOLD)
        values = 2 * hits / (k + GOLD)
        apart = leveled(np.hstack([values[a] - values[b] for a, b in combinations(range(SYSTEMS), 2)]))
        clear += bool((corrected_p(apart, TRIALS, rng) < ALPHA).any())
    return clear / runs


def sample() -> kp.Corpus:
    """Return the sample lectures."""
    return kp.load(SAMPLE / "gold.csv", {path.stem: path for path in sorted((SAMPLE / "systems").glob("*"))})


def drawn(documents: int, systems: int = 6) -> kp.Corpus:
    """Return a drawn corpus of lists of 50."""
    gold, run = frames(documents)
    rng, runs = np.random.default_rng(1), {}
    for number in range(systems):
        order = run.assign(rank=run["rank"] + rng.normal(0, 2 + number, len(run)))
        runs[f"s{number}"] = order.sort_values(["doc_id", "rank"], kind="stable")[["doc_id", "phrase"]]
    return kp.load(gold=gold, systems=runs)


def seconds(corpus: kp.Corpus) -> dict[str, float]:
    """Return the median of five times for the tests at all cutoffs, after one run that prepares the data."""
    taken = []
    for _ in range(ENOUGH + 1):
        begun = time.perf_counter()
        result = all_cutoffs(corpus, kp.Settings())
        taken.append(time.perf_counter() - begun)
    return {
        "first": taken[0],
        "median": statistics.median(taken[1:]),
        "cutoffs": len(result.tested_cutoffs) if result else 0,
    }


def main(runs: int = RUNS) -> None:
    """Print the figures and write them to benchmarks/over_k.json."""
    rng = np.random.default_rng(0)
    report = {
        "machine": machine(("numpy",)),
        "data sets": runs,
        "any clear cutoff under the null": {str(size): any_clear(size, runs, rng) for size in (10, 20, 60)},
        "seconds": {
            "sample, 20 documents, 4 systems": seconds(sample()),
            "500 documents, 6 systems": seconds(drawn(500)),
            "20,000 documents, 6 systems": seconds(drawn(20_000)),
        },
    }
    (HERE / "over_k.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
