"""Generate the data of the benchmarks from a fixed seed, and describe the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

import numpy as np
import pandas as pd

PHRASES, WORDS, DEPTH = 120_000, 12_000, 50


def frames(documents: int, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return gold (doc_id, phrase) and run (doc_id, rank, score, phrase) frames of strings.

    Each document has 50 ranked and 5 to 15 gold phrases, from 120,000 distinct phrases of 12,000 distinct words.
    """
    rng = np.random.default_rng(seed)
    words = np.array(
        [f"{a}{b}{i}" for i, (a, b) in enumerate(zip(*rng.choice(list("bcdfgklmnprst"), (2, WORDS)), strict=True))]
    )
    length = rng.integers(1, 4, PHRASES * 2)
    picks = words[rng.integers(0, WORDS, (PHRASES * 2, 3))]
    vocabulary = np.unique([" ".join(row[:n]) for row, n in zip(picks.tolist(), length, strict=True)])[:PHRASES]
    ranked = rng.integers(0, len(vocabulary), (documents, DEPTH))
    for row in np.flatnonzero((np.diff(np.sort(ranked, axis=1), axis=1) == 0).any(axis=1)):
        ranked[row] = rng.choice(len(vocabulary), DEPTH, replace=False)
    size = rng.integers(5, 16, documents)
    hit = rng.random((documents, DEPTH)) < 0.42 / np.arange(1, DEPTH + 1) ** 0.45
    gold = [
        np.unique(np.concatenate([ranked[d, hit[d]][: size[d]], rng.integers(0, len(vocabulary), size[d])])[: size[d]])
        for d in range(documents)
    ]
    ids = np.array([f"document-{i:06d}" for i in range(documents)])
    run = pd.DataFrame(
        {
            "doc_id": np.repeat(ids, DEPTH),
            "rank": np.tile(np.arange(1, DEPTH + 1), documents),
            "score": np.tile(1.0 / np.arange(1, DEPTH + 1), documents),
            "phrase": vocabulary[ranked.ravel()],
        }
    )
    chosen = pd.DataFrame(
        {"doc_id": np.repeat(ids, [len(g) for g in gold]), "phrase": vocabulary[np.concatenate(gold)]}
    )
    return chosen.astype("str"), run.astype({"doc_id": "str", "phrase": "str"})


def annotator_choices(
    documents: int, annotators: int, candidates: int, seen_by: tuple[int, int], seed: int = 0
) -> pd.DataFrame:
    """Return a gold (doc_id, annotator, phrase) frame of strings; each annotator's phrases are unordered.

    seen_by    fewest and most annotators of a document
    candidates number of phrases of a document; all annotators prefer 25 of them, and choose others at random
    """
    rng = np.random.default_rng(seed)
    result: list[tuple[str, str, str]] = []
    for d in range(documents):
        appealing = rng.choice(candidates, 25, replace=False)
        for a in rng.choice(annotators, rng.integers(seen_by[0], seen_by[1] + 1), replace=False):
            part = np.union1d(appealing[rng.random(25) < 0.35], rng.integers(0, candidates, 6))
            result += [(f"document-{d:04d}", f"annotator-{a:03d}", f"phrase {c}") for c in rng.permutation(part)]
    return pd.DataFrame(result, columns=["doc_id", "annotator", "phrase"]).astype("str")


def systems(
    gold: pd.DataFrame, number: int, candidates: int, depth: int = 50, seed: int = 0
) -> dict[str, pd.DataFrame]:
    """Return ranked lists (doc_id, phrase) of several systems, each better than the previous one."""
    rng = np.random.default_rng(seed)
    chosen = gold.groupby("doc_id", sort=False)["phrase"].unique()
    result = {}
    for s in range(number):
        rows: list[tuple[str, str]] = []
        for document, phrases in chosen.items():
            order = rng.permutation([p for p in phrases if rng.random() < 0.3 + 0.08 * s])
            others = [f"phrase {c}" for c in rng.permutation(candidates)[: 3 * depth]]
            hits = iter(dict.fromkeys([*order.tolist(), *others]))
            wrong = iter([p for p in others if p not in set(phrases)])
            listed = [next(hits) if rng.random() < 0.5 / (1 + r) ** 0.4 else next(wrong) for r in range(depth)]
            rows += [(str(document), phrase) for phrase in dict.fromkeys(listed)]
        result[f"system-{s}"] = pd.DataFrame(rows, columns=["doc_id", "phrase"]).astype("str")
    return result


def rebuilt(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of the frame with new strings, so that no cached hash or identity remains from an earlier run."""
    return frame.assign(**{c: (frame[c] + " ").str[:-1] for c in frame.columns if frame[c].dtype == "str"})


def machine(packages: tuple[str, ...]) -> dict[str, str]:
    """Describe processor, cores, Python and versions."""
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    described = {"processor": model, "cores": str(os.cpu_count()), "python": platform.python_version()}
    return described | {package: version(package) for package in packages}
