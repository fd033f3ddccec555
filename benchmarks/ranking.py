"""Time DataFrames of strings → every ranking and concordance measure at every k ≤ 50, beside three peers.

Ours gives every measure per document at all 50 cutoffs, and its mean; the peers give fewer measures at fewer cutoffs,
each by its fastest documented route and by the route of a user with DataFrames. All run in one process, interleaved,
and must agree to 1e-6 before any time is printed. Run: python -m benchmarks.ranking
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.workload import frames, machine, rebuilt

K = tuple(range(1, 51))
ROUNDS = 5
HERE = Path(__file__).parent


def ours(
    gold: pd.DataFrame, run: pd.DataFrame, normalise: str = "none", measures: Sequence[str] | None = None
) -> dict[str, float]:
    """Return means at k = 10 from all measures at all k, per document."""
    import kp_core as kp

    corpus = kp.load(gold=gold, systems={"s": run.drop(columns="score")})
    settings = kp.Settings(kp.Conventions(normalise), k=K, universe="1000", interval="none")
    means = {name: values.mean(axis=0) for _, name, values in kp.all_values(corpus, settings, measures)}
    return {"P@10": means["P@k"][9], "R@10": means["R@k"][9], "F1@10": means["F1@k"][9], "MRR": means["MRR"][0],
            "MAP": means["MAP"][0], "nDCG@10": means["nDCG@k"][9]}  # fmt: skip


def _qrels_and_run(gold: pd.DataFrame, run: pd.DataFrame) -> tuple[dict[str, Any], dict[str, Any]]:
    qrels: dict[str, dict[str, int]] = {}
    for document, phrase in zip(gold["doc_id"].tolist(), gold["phrase"].tolist(), strict=True):
        qrels.setdefault(document, {})[phrase] = 1
    ranked: dict[str, dict[str, float]] = {}
    for document, phrase, score in zip(
        run["doc_id"].tolist(), run["phrase"].tolist(), run["score"].tolist(), strict=True
    ):
        ranked.setdefault(document, {})[phrase] = score
    return qrels, ranked


def pytrec_eval(gold: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    """Six measures; frames to dictionaries by zip."""
    import pytrec_eval as peer

    qrels, ranked = _qrels_and_run(gold, run)
    found = peer.RelevanceEvaluator(qrels, {"P_5,10", "recall_10", "map", "recip_rank", "ndcg_cut_10"}).evaluate(ranked)
    names = {"P@10": "P_10", "R@10": "recall_10", "MRR": "recip_rank", "MAP": "map", "nDCG@10": "ndcg_cut_10"}
    return {ours: sum(row[name] for row in found.values()) / len(found) for ours, name in names.items()}


_RANX = {
    "P@10": "precision@10",
    "R@10": "recall@10",
    "F1@10": "f1@10",
    "MRR": "mrr",
    "MAP": "map",
    "nDCG@10": "ndcg@10",
}


def ranx_frames(gold: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    """Seven measures; the route of a user with DataFrames."""
    import ranx

    # ranx asserts object columns, which pandas 3 no longer makes by itself.
    qrels = ranx.Qrels.from_df(
        gold.assign(score=1).astype({"doc_id": object, "phrase": object}), "doc_id", "phrase", "score"
    )
    ranked = ranx.Run.from_df(run.astype({"doc_id": object, "phrase": object}), "doc_id", "phrase", "score")
    found = ranx.evaluate(qrels, ranked, ["precision@5", *_RANX.values()])
    return {ours: found[name] for ours, name in _RANX.items()}


def ranx_dictionaries(gold: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    """Seven measures; its fastest route."""
    import ranx

    qrels, ranked = _qrels_and_run(gold, run)
    found = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(ranked), ["precision@5", *_RANX.values()])
    return {ours: found[name] for ours, name in _RANX.items()}


def ir_measures(gold: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    """Six measures; frames to dictionaries by zip."""
    import ir_measures as peer
    from ir_measures import AP, RR, P, R, nDCG

    qrels, ranked = _qrels_and_run(gold, run)
    names = {"P@10": P @ 10, "R@10": R @ 10, "MRR": RR, "MAP": AP, "nDCG@10": nDCG @ 10}
    found = peer.calc_aggregate([P @ 5, *names.values()], qrels, ranked)
    return {ours: found[name] for ours, name in names.items()}


def peers_measures(gold: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    """Ours with the measures of ranx alone, still at all 50 cutoffs."""
    return ours(gold, run, measures=("P@k", "R@k", "F1@k", "MRR", "MAP", "nDCG@k"))


def porter(gold: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    """Ours with the default normaliser."""
    return ours(gold, run, "nfkc+lower+space+porter-nltk")


TOOLS: dict[str, Callable[[pd.DataFrame, pd.DataFrame], dict[str, float]]] = {
    "KPScope, all 32 measures": ours,
    "KPScope, six measures": peers_measures,
    "KPScope, default normaliser": porter,
    "pytrec_eval-terrier, dictionaries": pytrec_eval,
    "ranx, dictionaries": ranx_dictionaries,
    "ranx, from_df": ranx_frames,
    "ir_measures, dictionaries": ir_measures,
}


def peak_memory(gold: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    """Return the peak memory (MB) of a fresh process that loads the frames, and of one that also runs ours."""
    # VmHWM begins anew with the process; ru_maxrss would start from the size of this one.
    code = (
        "import sys, pandas as pd; from benchmarks import ranking; "
        "data = [pd.read_parquet(path) for path in sys.argv[1:]]; {}; "
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    works = {"frames alone": "pass", "with KPScope": "ranking.ours(*data)"}
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/gold.parquet", f"{folder}/run.parquet"]
        gold.to_parquet(paths[0])
        run.to_parquet(paths[1])
        return {
            name: float(
                subprocess.run(
                    [sys.executable, "-c", code.format(work), *paths], check=True, capture_output=True
                ).stdout
            )
            / 1024
            for name, work in works.items()
        }


def moving_k(gold: pd.DataFrame, run: pd.DataFrame) -> float:
    """Return the median milliseconds of one look-up: 12 measures of 6 systems at another k, with intervals."""
    import kp_core as kp

    few = set(gold["doc_id"].unique()[:500])
    some, lists = gold[gold["doc_id"].isin(few)], run[run["doc_id"].isin(few)].drop(columns="score")
    corpus = kp.load(gold=some, systems={f"s{i}": lists for i in range(6)})
    measures = ["P@k", "R@k", "F1@k", "MAP@k", "MRR@k", "nDCG@k", "kappa", "P_pos", "P_neg", "PABAK", "AC1", "pi"]
    result = kp.evaluate(corpus, k=K, measures=measures, universe=1000, normalise="none")
    times = []
    for k in (3, 17, 42, 8, 29):
        begun = time.perf_counter()
        result.at(k).wide()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1000


def growth() -> float:
    """Return the exponent of time over 1× and 10× documents."""
    times = []
    for documents in (2_000, 20_000):
        gold, run = frames(documents)
        ours(gold, run)
        found = []
        for _ in range(ROUNDS):
            gc.collect()
            begun = time.perf_counter()
            ours(gold, run)
            found.append(time.perf_counter() - begun)
        times.append(statistics.median(found))
    return float(np.log10(times[1] / times[0]))


def main(documents: int = 20_000) -> None:
    """Print one table and write it to benchmarks/ranking.json."""
    gold, run = frames(documents)
    reference = ours(gold, run)
    for name, tool in TOOLS.items():  # also the warm-up: ranx compiles at its first call
        for measure, value in tool(gold, run).items():
            if name != "KPScope, default normaliser" and abs(value - reference[measure]) > 1e-6:
                raise SystemExit(f"{name} gives {measure} = {value}, ours is {reference[measure]}")
    times: dict[str, list[float]] = {name: [] for name in TOOLS}
    for _ in range(ROUNDS):
        for name, tool in TOOLS.items():
            fresh = rebuilt(gold), rebuilt(run)
            gc.collect()
            begun = time.perf_counter()
            tool(*fresh)
            times[name].append(time.perf_counter() - begun)
    base = statistics.median(times["KPScope, all 32 measures"])
    rows = [
        {
            "tool": name,
            "median": statistics.median(t),
            "min": min(t),
            "max": max(t),
            "ratio": statistics.median(t) / base,
        }
        for name, t in times.items()
    ]
    report = {
        "machine": machine(("numpy", "pandas", "pyarrow", "ranx", "pytrec_eval-terrier", "ir_measures")),
        "rows": len(run), "gold": len(gold), "phrases": int(run["phrase"].nunique()), "times": rows,
        "peak memory MB": peak_memory(gold, run), "moving k ms": moving_k(gold, run), "growth exponent": growth(),
    }  # fmt: skip
    (HERE / "ranking.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: value for key, value in report.items() if key != "times"}, indent=1))
    for row in rows:
        print(f"{row['tool']:36} {row['median']:8.3f} s ({row['min']:.3f} to {row['max']:.3f})  {row['ratio']:6.1f} ×")


if __name__ == "__main__":
    main()
