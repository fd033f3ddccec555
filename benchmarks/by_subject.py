"""Simulate how often intervals of means over subjects contain the true value, and time a mean over many subjects.

The true value is the mean over many drawn collections of the same size. Run: python -m benchmarks.by_subject
"""

from __future__ import annotations

import resource
import time

import numpy as np
import pandas as pd

import kp_core as kp
from kp_core.scoring.codes import Floats

MEASURES = ("P@k", "R@k", "F1@k")
#: Documents, subjects, and the exponent of their frequencies by rank.
WORLDS = ((100, 300, 1.0), (200, 2000, 1.0), (200, 300, 0.5))
_TRUE, _DRAWN, _RESAMPLES = 400, 100, 300


def drawn(documents: int, chances: Floats, rng: np.random.Generator) -> kp.Corpus:
    """Return documents with five subjects each, of which a system finds four of ten."""
    names = np.array([f"s{i}" for i in range(len(chances))])
    gold, lists = {}, {}
    for i in range(documents):
        due = rng.choice(names, 5, replace=False, p=chances)
        guessed = rng.choice(names, 5, p=chances)
        gold[f"d{i}"] = due.tolist()
        lists[f"d{i}"] = list(dict.fromkeys(np.where(rng.random(5) < 0.4, due, guessed).tolist()))
    return kp.load(gold=gold, systems={"x": lists})


def _means(corpus: kp.Corpus, interval: str = "none") -> pd.DataFrame:
    settings = kp.Settings(k="all", average="subject", normalise="none", interval=interval)
    return kp.evaluate(corpus, settings, MEASURES).frame


def _percentiles(corpus: kp.Corpus, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the percentile interval of each mean, by resampling documents of document × subject tables."""
    due, said = (pd.crosstab(side["doc_id"], side["phrase"]).clip(upper=1) for side in (corpus.gold, corpus.runs))
    subjects = due.columns.union(said.columns)
    due, said = (side.reindex(corpus.documents["doc_id"], columns=subjects, fill_value=0) for side in (due, said))
    documents = len(due)
    times = rng.multinomial(documents, np.full(documents, 1 / documents), _RESAMPLES)
    g, s, both = (times @ side.to_numpy(float) for side in (due, said, due * said))
    values = []
    for above, below in ((both, s), (both, g), (2 * both, g + s)):
        with np.errstate(invalid="ignore"):
            values.append(np.nanmean(np.where(below > 0, above / below, np.nan), axis=1))
    low, high = np.quantile(values, [0.025, 0.975], axis=1)
    return low, high


def coverage(documents: int, subjects: int, exponent: float, percentiles: bool) -> Floats:
    """Return the share of intervals that contain the true value, for P, R and F1."""
    rng, chances = np.random.default_rng(1), np.arange(1, subjects + 1) ** -exponent
    chances = chances / chances.sum()
    true = np.mean([_means(drawn(documents, chances, rng))["value"] for _ in range(_TRUE)], axis=0)
    held = np.zeros(len(MEASURES))
    for _ in range(_DRAWN):
        corpus = drawn(documents, chances, rng)
        rows = _means(corpus, "bootstrap")
        low, high = _percentiles(corpus, rng) if percentiles else (rows["low"], rows["high"])
        held += np.asarray((low <= true) & (true <= high), float)
    return np.round(held / _DRAWN, 3)


def timed(documents: int = 100_000, subjects: int = 200_000) -> str:
    """Return the seconds and memory for one mean over subjects with intervals, with ten subjects per document."""
    rng = np.random.default_rng(0)
    names = np.array([f"s{i}" for i in range(subjects)])
    gold = rng.integers(0, subjects, documents * 10)
    lists = np.where(rng.random(documents * 10) < 0.4, gold, rng.integers(0, subjects, documents * 10))
    ids = np.repeat([f"d{i}" for i in range(documents)], 10)
    tables = [pd.DataFrame({"doc_id": ids, "phrase": names[item]}) for item in (gold, lists)]
    corpus = kp.load(gold=tables[0], systems={"x": tables[1]})
    begin = time.perf_counter()
    kp.evaluate(corpus, k=10, measures=MEASURES, average="subject", normalise="none")
    seconds = time.perf_counter() - begin
    return f"{seconds:.1f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB at most"


if __name__ == "__main__":
    print(timed())
    for world in WORLDS:
        print(world, "each document left out:", coverage(*world, percentiles=False))
        print(world, "percentiles of resamples:", coverage(*world, percentiles=True))
