"""Simulate the coverage of intervals of alpha for label sets, without timing: `python -m benchmarks.label_sets`."""

import numpy as np

import kp_core as kp
from kp_core.scoring.label_sets import label_sets
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.prepare import prepare_annotators
from kp_core.studies.annotators import agreement

RUNS, ANNOTATORS, PHRASES = 400, 3, 60


def drawn(rng: np.random.Generator, documents: int) -> kp.Corpus:
    """Simulate annotators who choose from six phrases of each document, and up to four of all others."""
    gold: dict[str, dict[str, list[str]]] = {f"annotator {index}": {} for index in range(ANNOTATORS)}
    for document in range(documents):
        typical = rng.permutation(PHRASES)[:6]
        for lists in gold.values():
            chosen = [*typical[rng.random(6) < 0.6], *rng.permutation(PHRASES)[: rng.integers(0, 5)]]
            lists[f"d{document}"] = [f"phrase {phrase}" for phrase in dict.fromkeys(chosen)]
    return kp.load(gold=gold)


def true_alpha(rng: np.random.Generator) -> float:
    """Return the true alpha, estimated from many documents."""
    choices = prepare_annotators(drawn(rng, 4_000), kp.Settings(normalise="none")).choices
    return float(label_sets(choices, MEASURES["alpha-MASI"].score).alpha(np.ones((1, 4_000)))[0])


def main() -> None:
    """Print the share of intervals that contain the true value, by interval and number of documents."""
    rng = np.random.default_rng(0)
    truth = true_alpha(rng)
    for documents in (10, 20, 50):
        inside = dict.fromkeys(("bootstrap", "cluster-t"), 0)
        for _ in range(RUNS):
            corpus = drawn(rng, documents)
            for interval in inside:
                options = kp.Settings(normalise="none", interval=interval, universe="1000")
                row = agreement(corpus, options, "alpha-MASI").frame.iloc[0]
                inside[interval] += bool(row["low"] <= truth <= row["high"])
        print(documents, {interval: count / RUNS for interval, count in inside.items()})


if __name__ == "__main__":
    main()
