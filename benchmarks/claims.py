"""Simulate how often claims are false: *significant* without a difference, intervals that miss the true value.

Documents differ in difficulty, and every rank of both systems is a keyphrase with the same probability, so that
neither system is better. The simulated data pass through the comparison and the answer that users see. Run by hand,
about ten minutes: python -m benchmarks.claims
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

import kp_core as kp
from benchmarks.workload import machine
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import estimate
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import Counts, SystemCounts
from kp_core.scoring.measures import Measure, parse
from kp_core.scoring.paired import Family
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import over_runs
from kp_core.scoring.systems import count_systems
from kp_core.settings import Settings
from kp_core.studies.all_cutoffs import documents_needed, power
from kp_core.studies.compare import Comparison, better_on, compare_prepared
from kp_core.words.answers import of_datasets

HERE = Path(__file__).parent
DRAWS, RESAMPLES, TRIALS, LISTED, LARGE = 1_000, 100, 1_000, 10, 60_000
#: Fewest and most keyphrases of a document.
GOLD = 3, 10
SIZES = (5, 10, 15, 20, 30, 50, 100)
#: Claims that say that one system is better than another.
FOUND = ("significant", "depends on the data set")
#: Mean chance of a hit, and how much documents are alike: usual data, and data of mostly zeros.
USUAL, SPARSE = (0.4, 6.0), (0.05, 20.0)


def drawn(
    systems: Mapping[str, float],
    draws: int,
    documents: int,
    rng: np.random.Generator,
    spread: float = 0.0,
    kind: tuple[float, float] = USUAL,
) -> tuple[Prepared, dict[str, SystemCounts]]:
    """Return the counts of many simulated sets of documents, concatenated.

    systems  name → share of missing lists; spread: standard deviation of the probability between runs
    """
    mean, alike = kind
    chance = rng.beta(mean * alike, (1 - mean) * alike, (draws, documents, 1))
    right, wrong = np.array([f"g{j}" for j in range(GOLD[1])]), np.array([f"w{j}" for j in range(LISTED)])
    size = rng.integers(*GOLD, draws * documents, endpoint=True)
    gold = {f"{i:07}": right[:number].tolist() for i, number in enumerate(size)}
    lists = {}
    for name, missing in systems.items():
        run = np.clip(chance + spread * rng.standard_normal((draws, 1, 1)), 0, 1)
        hits = (rng.random((draws, documents, LISTED)) < run).reshape(-1, LISTED)
        hits &= np.cumsum(hits, axis=1) <= size[:, None]
        there = rng.random(draws * documents) >= missing
        order = np.cumsum(hits, axis=1) - 1
        lists[name] = {
            part: np.where(row, right[index], wrong).tolist()
            for part, row, index, has in zip(gold, hits, order, there, strict=True)
            if has
        }
    corpus = kp.load(gold=gold, systems=lists)
    settings = over_runs(Settings(k=(5,), universe="60", resamples=RESAMPLES, normalise="none"), list(systems))
    data = prepare(corpus, settings)
    return data, count_systems(data)


def parts(
    data: Prepared, systems: dict[str, SystemCounts], documents: int
) -> Iterator[tuple[Prepared, dict[str, SystemCounts]]]:
    """Yield each draw as a separate data set with its own seed."""
    whole = data.coded
    for number, begin in enumerate(range(0, len(whole.documents), documents)):
        own = slice(begin, begin + documents)

        def cut(counts: Counts, own: slice = own) -> Counts:
            return counts.part(own)

        runs = {
            name: replace(run, start=run.start[own], length=run.length[own], listed=run.listed[own])
            for name, run in whole.runs.items()
        }
        settings = data.settings.changed(seed=number)
        part = replace(data, coded=replace(whole, documents=whole.documents[own], runs=runs), settings=settings)
        yield part, {name: counted.changed(cut) for name, counted in systems.items()}


def comparisons(
    systems: Mapping[str, float], draws: int, documents: int, rng: np.random.Generator, spread: float = 0.0
) -> Iterator[Comparison]:
    """Yield the comparison of each draw."""
    for part, counts in parts(*drawn(systems, draws, documents, rng, spread), documents):
        yield compare_prepared(part, Family("F1@5", trials=TRIALS), 5, counts)


def one_set(
    systems: Mapping[str, float], documents: int, draws: int, rng: np.random.Generator, spread: float = 0.0
) -> float:
    """Return the share of draws in which some pair of systems is called significantly different."""
    result = comparisons(systems, draws, documents, rng, spread)
    return sum(any(item.better.values()) for item in result) / draws


def several_sets(sets: int, documents: int, draws: int, rng: np.random.Generator) -> float:
    """Return the share of draws of several data sets in which a system is called better on at least one of them."""
    every = [comparisons({"a": 0.0, "b": 0.0}, draws, documents, rng) for _ in range(sets)]
    false = 0
    for part in zip(*every, strict=True):
        result = {f"set {number}": comparison for number, comparison in enumerate(part)}
        scores = {name: float(np.mean([item.scores[name] for item in part])) for name in ("a", "b")}
        whole = replace(part[0], datasets=result, over_datasets=tuple(better_on(result)), scores=scores)
        false += of_datasets(whole, "F1@5", sets).grade in FOUND
    return false / draws


def false_claims(draws: int) -> Iterator[dict[str, object]]:
    """Return the share of false claims in each cell."""
    two, five, lossy = {"a": 0.0, "b": 0.0}, dict.fromkeys("abcde", 0.0), {"a": 0.05, "b": 0.05}

    def cell(name: str, systems: Mapping[str, float], documents: int, spread: float = 0.0) -> dict[str, object]:
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        return {"cell": name, "significant": one_set(systems, documents, draws, rng, spread)}

    for documents in (10, 30, 100):
        yield cell(f"one set, {documents} documents", two, documents)
    yield cell("one set, 30 documents, five systems", five, 30)
    for sets in (2, 3, 5):
        share = several_sets(sets, 30, draws, np.random.default_rng(sets))
        yield {"cell": f"{sets} sets of 30 documents", "significant": share}
    for documents in (50, 200):
        yield cell(f"both lack 5 % of lists, {documents} documents", lossy, documents)
        yield cell(f"one lacks 8 % of lists, {documents} documents", {"a": 0.0, "b": 0.08}, documents)
    against = [(3, 3), (5, 5), (2, 2), (5, 2), (3, 1), (5, 1), (10, 1), (2, 1)]
    for first, second in against:
        names = [*(f"a#{run}" for run in range(first)), *(f"b#{run}" for run in range(second))]
        systems = dict.fromkeys(names if second > 1 else [*names[:first], "b"], 0.0)
        yield cell(f"{first} runs against {second}, 30 documents, s = 0.05", systems, 30, 0.05)
        if (first, second) == (5, 1):
            yield cell(f"{first} runs against {second}, 30 documents, s = 0", systems, 30)
            yield cell(f"{first} runs against {second}, 100 documents, s = 0.05", systems, 100, 0.05)


def coverage(kind: tuple[float, float], draws: int, seed: int) -> Iterator[dict[str, object]]:
    """Return the share of intervals that contain the true value, for the default and the plain percentile interval."""
    asked = [(parse(name), average) for name, average in (("F1@5", "macro"), ("MAP", "macro"), ("kappa", "micro"))]
    rng = np.random.default_rng(seed)
    _, large = drawn({"a": 0.0}, 1, LARGE, rng, kind=kind)
    truth = {item.name(): value(item, average, large["a"], None)[0] for item, average in asked}
    for documents in SIZES:
        inside = {item.name(): np.zeros(2) for item, _ in asked}
        for _, counts in parts(*drawn({"a": 0.0}, draws, documents, rng, kind=kind), documents):
            weights = intervals.resample(documents, 1_000, rng)
            tails = intervals.expanded_tail(documents), np.array(0.025)
            for item, average in asked:
                _, sample = value(item, average, counts["a"], weights)
                for index, tail in enumerate(tails):
                    low, high = intervals.percentile(sample, tail)
                    inside[item.name()][index] += bool(low[0] <= truth[item.name()] <= high[0])
        for name, both in inside.items():
            shares = dict(zip(("default", "percentile"), (both / draws).tolist(), strict=True))
            yield {"measure": name, "truth": truth[name], "documents": documents} | shares


def coverage_of_t(draws: int, seed: int) -> Iterator[dict[str, object]]:
    """Return the share of cluster t intervals that contain the true value, for the two averages of ratios."""
    asked = [(parse("F1@5"), "f-of-means"), (parse("F1@5"), "micro")]
    rng = np.random.default_rng(seed)
    _, large = drawn({"a": 0.0}, 1, LARGE, rng)
    truth = {average: value(item, average, large["a"], None)[0] for item, average in asked}
    for documents in SIZES:
        row: dict[str, object] = {"documents": documents}
        inside = dict.fromkeys(truth, 0)
        for _, counts in parts(*drawn({"a": 0.0}, draws, documents, rng), documents):
            for item, average in asked:
                view = counts["a"].of(item).at(item.cutoffs(counts["a"].exact.settings))
                bounds = estimate(item, view, average, None, "cluster-t")
                inside[average] += bool(bounds.low[0] <= truth[average] <= bounds.high[0])
        yield row | {average: count / draws for average, count in inside.items()}


def value(one: Measure, average: str, counts: SystemCounts, weights: Floats | None) -> tuple[float, Floats]:
    """Return the value of a system, and its resamples (B, 1)."""
    result = estimate(
        one,
        counts.of(one).at(one.cutoffs(counts.exact.settings)),
        average,
        weights,
        "none" if weights is None else "bootstrap",
    )
    return float(result.value[0]), np.zeros((0, 1)) if result.resampled is None else result.resampled


def needed(draws: int) -> Iterator[dict[str, object]]:
    """Return how often the number of documents needed is reported and contains the true number, and its power.

    A document differs with probability 0.6, by a normal difference of mean 0.1 and standard deviation 0.25.
    """
    rng = np.random.default_rng(5)

    def pilot(documents: int) -> Floats:
        return np.where(rng.random(documents) < 0.6, rng.normal(0.1, 0.25, documents), 0.0)

    whole = pilot(200_000)
    right = next(n for n in range(10, 1000) if np.mean([power(whole, n, 0.05, rng) for _ in range(20)]) >= 0.8)
    for documents in (20, 50, 100, 200):
        result = [range_ for _ in range(draws) if (range_ := documents_needed(pilot(documents), 1, rng)) is not None]
        row: dict[str, object] = {"documents": documents, "needed": right, "printed": len(result) / draws}
        if result:
            low, high = np.median(result, axis=0)
            row |= {"median low": float(low), "median high": float(high)}
            row["contains"] = float(np.mean([low <= right <= high for low, high in result]))
        yield row


def main(draws: int = DRAWS) -> None:
    """Print the tables and write them to benchmarks/claims.json."""
    report: dict[str, object] = {"machine": machine(("numpy", "scipy")), "draws": draws}
    tables = {
        "false claims": false_claims(draws),
        "coverage": coverage(USUAL, 4 * draws, 7),
        "coverage, sparse": coverage(SPARSE, 2 * draws, 8),
        "coverage, cluster t": coverage_of_t(4 * draws, 9),
        "documents needed": needed(draws // 5),
    }
    for name, rows in tables.items():
        print(name)
        result = list[dict[str, object]]()
        for row in rows:
            result.append(row)
            print("  ", row, flush=True)
        report[name] = result
    (HERE / "claims.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
