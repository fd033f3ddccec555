"""Time ranking measures from DataFrames of strings, compared with three other libraries and two lower limits.

KPScope computes all its measures per document at all 50 cutoffs, and their means. The other libraries compute fewer
measures at one cutoff, each in its fastest documented way, and ranx also from DataFrames. The limits are minimal code
for six measures on data known to be clean: in NumPy at all cutoffs, in polars at one.
Not included: reading files and drawing charts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.timing import Task, equal, grown, peak_memory, timed
from benchmarks.workload import DEPTH, frames, rebuilt

PACKAGES = ("numpy", "pandas", "pyarrow", "polars", "ranx", "pytrec_eval-terrier", "ir_measures")
DOCUMENTS = 20_000
K = tuple(range(1, DEPTH + 1))
SIX = ("P@k", "R@k", "F1@k", "MRR", "MAP", "nDCG@k")
Values = dict[str, float]


def kpscope(
    gold: pd.DataFrame, run: pd.DataFrame, normalise: str = "none", measures: Sequence[str] | None = None
) -> Values:
    """Return means at k = 10 from all measures at all k, per document."""
    import kp_core as kp
    from kp_core.reading.limits import LIMITS

    limits = replace(LIMITS, rows=10**9)  # the largest size is beyond what the dashboard takes
    return _measured(kp.load(gold=gold, systems={"s": run.drop(columns="score")}, limits=limits), normalise, measures)


def _measured(corpus: Any, normalise: str = "none", measures: Sequence[str] | None = None) -> Values:
    import kp_core as kp

    settings = kp.Settings(normalise=normalise, k=K, universe="1000", interval="none")
    means = {name: values.mean(axis=0) for _, name, values in kp.all_values(corpus, settings, measures)}
    return {
        "P@10": means["P@k"][9],
        "R@10": means["R@k"][9],
        "F1@10": means["F1@k"][9],
        "MRR": means["MRR"][0],
        "MAP": means["MAP"][0],
        "nDCG@10": means["nDCG@k"][9],
    }


def six_measures(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Compute only the measures of ranx with KPScope, at all 50 cutoffs."""
    return kpscope(gold, run, measures=SIX)


def default_normaliser(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Compute all measures with KPScope on stems, which match more phrases."""
    return kpscope(gold, run, "nfkc+lower+space+porter-nltk")


def numpy_limit(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Compute six measures at all cutoffs; each document must have 50 distinct phrases, sorted, in the gold's order."""
    columns = [pa.chunked_array(pa.array(frame["phrase"])) for frame in (gold, run)]
    codes = pa.chunked_array([c for column in columns for c in column.chunks]).dictionary_encode().combine_chunks()
    codes = codes.indices.to_numpy()
    ids = pa.chunked_array(pa.array(gold["doc_id"])).combine_chunks()
    changes = pa.compute.not_equal(ids.slice(1), ids.slice(0, len(ids) - 1)).to_numpy(zero_copy_only=False)
    start = np.concatenate([[0], np.flatnonzero(changes) + 1])
    size = np.diff(np.append(start, len(gold)))
    wanted = np.full((len(size), size.max()), -1, np.int32)
    wanted[np.arange(size.max()) < size[:, None]] = codes[: len(gold)]
    listed = codes[len(gold) :].reshape(len(size), DEPTH)
    hit = np.zeros(listed.shape, bool)
    for column in wanted.T:
        hit |= listed == column[:, None]
    k, g = np.arange(1, DEPTH + 1), size[:, None]
    result = np.cumsum(hit, axis=1, dtype=np.int16)
    precision, discount = result / k, 1 / np.log2(k + 1)
    best = np.cumsum(discount)[np.minimum(k, g) - 1]
    means = {
        "P@10": precision,
        "R@10": result / g,
        "F1@10": 2 * result / (k + g),
        "nDCG@10": np.cumsum(hit * discount, axis=1) / best,
    }
    first = np.where(hit.any(axis=1), 1 / (hit.argmax(axis=1) + 1), 0)
    return {name: float(each.mean(axis=0)[9]) for name, each in means.items()} | {
        "MRR": float(first.mean()),
        "MAP": float(((hit * precision).sum(axis=1) / size).mean()),
    }


def polars_limit(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Compute six measures at one cutoff by join and group-by."""
    import polars as pl

    wanted, listed = pl.from_pandas(gold), pl.from_pandas(run)
    size = wanted.group_by("doc_id").agg(pl.len().alias("g"))
    hits = listed.lazy().join(wanted.lazy(), on=["doc_id", "phrase"], how="semi").sort("doc_id", "rank")
    hits = hits.with_columns(at=pl.int_range(1, pl.len() + 1).over("doc_id"))
    within = pl.col("rank") <= 10
    result = hits.group_by("doc_id").agg(
        a=within.sum(),
        rr=1 / pl.col("rank").min(),
        ap=(pl.col("at") / pl.col("rank")).sum(),
        dcg=(1 / (pl.col("rank").filter(within) + 1).log(2)).sum(),
    )
    ideal = pl.DataFrame({"m": np.arange(1, 11), "ideal": np.cumsum(1 / np.log2(np.arange(2, 12)))})
    table = (
        size.lazy()
        .with_columns(m=pl.min_horizontal(pl.lit(10), "g").cast(pl.Int64))
        .join(ideal.lazy(), on="m")
        .join(result, on="doc_id", how="left")
        .fill_null(0)
    )
    means = table.select(
        (pl.col("a") / 10).mean().alias("P@10"),
        (pl.col("a") / pl.col("g")).mean().alias("R@10"),
        (2 * pl.col("a") / (10 + pl.col("g"))).mean().alias("F1@10"),
        pl.col("rr").mean().alias("MRR"),
        (pl.col("ap") / pl.col("g")).mean().alias("MAP"),
        (pl.col("dcg") / pl.col("ideal")).mean().alias("nDCG@10"),
    )
    return dict(means.collect().row(0, named=True))


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


def pytrec_eval(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Six measures; frames to dictionaries by zip."""
    import pytrec_eval as peer

    qrels, ranked = _qrels_and_run(gold, run)
    result = peer.RelevanceEvaluator(qrels, {"P_5,10", "recall_10", "map", "recip_rank", "ndcg_cut_10"}).evaluate(
        ranked
    )
    names = {"P@10": "P_10", "R@10": "recall_10", "MRR": "recip_rank", "MAP": "map", "nDCG@10": "ndcg_cut_10"}
    return {ours: sum(row[name] for row in result.values()) / len(result) for ours, name in names.items()}


_RANX = {
    "P@10": "precision@10",
    "R@10": "recall@10",
    "F1@10": "f1@10",
    "MRR": "mrr",
    "MAP": "map",
    "nDCG@10": "ndcg@10",
}


def ranx_frames(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Compute seven measures from DataFrames."""
    import ranx

    # ranx asserts object columns, which pandas 3 no longer makes by itself.
    objects = {"doc_id": object, "phrase": object}
    qrels = ranx.Qrels.from_df(gold.assign(score=1).astype(objects), "doc_id", "phrase", "score")
    ranked = ranx.Run.from_df(run.astype(objects), "doc_id", "phrase", "score")
    return _ranx(qrels, ranked)


def ranx_dictionaries(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Compute seven measures from dictionaries, the fastest way."""
    import ranx

    qrels, ranked = _qrels_and_run(gold, run)
    return _ranx(ranx.Qrels(qrels), ranx.Run(ranked))


def _ranx(qrels: Any, ranked: Any) -> Values:
    import ranx

    result = ranx.evaluate(qrels, ranked, ["precision@5", *_RANX.values()])
    return {ours: result[name] for ours, name in _RANX.items()}


def ir_measures(gold: pd.DataFrame, run: pd.DataFrame) -> Values:
    """Six measures; frames to dictionaries by zip."""
    import ir_measures as peer
    from ir_measures import AP, RR, P, R, nDCG

    qrels, ranked = _qrels_and_run(gold, run)
    names = {"P@10": P @ 10, "R@10": R @ 10, "MRR": RR, "MAP": AP, "nDCG@10": nDCG @ 10}
    result = peer.calc_aggregate([P @ 5, *names.values()], qrels, ranked)
    return {ours: result[name] for ours, name in names.items()}


TOOLS: dict[str, Callable[[pd.DataFrame, pd.DataFrame], Values]] = {
    "KPScope, all measures": kpscope,
    "KPScope, six measures": six_measures,
    "KPScope, default normaliser": default_normaliser,
    "NumPy and Arrow, six measures, nothing checked": numpy_limit,
    "polars, six measures at one cutoff": polars_limit,
    "pytrec_eval-terrier, dictionaries": pytrec_eval,
    "ranx, dictionaries": ranx_dictionaries,
    "ranx, from_df": ranx_frames,
    "ir_measures, dictionaries": ir_measures,
}


def _compared(gold: pd.DataFrame, run: pd.DataFrame) -> None:
    reference = kpscope(gold, run)
    for name, tool in TOOLS.items():
        if tool is not default_normaliser:
            for measure, value in tool(gold, run).items():
                equal(f"{name}, {measure}", reference[measure], value)


def _with_peaks(task: Task, gold: pd.DataFrame, run: pd.DataFrame) -> Task:
    """Add the peak memory of a process per tool, and of a process that only reads the frames."""
    code = "import sys, pandas as pd; from benchmarks import ranking\n"
    code += "read = [pd.read_parquet(path) for path in sys.argv[1:3]]"
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/gold.parquet", f"{folder}/run.parquet"]
        gold.to_parquet(paths[0])
        run.to_parquet(paths[1])
        for row in task.rows:
            row.peak = peak_memory(f"{code}\nranking.TOOLS[sys.argv[3]](*read)", *paths, row.tool)
        alone = peak_memory(code, *paths)
    task.notes += [f"peak memory with the frames alone: {alone:,.0f} MB"] if alone else []
    return task


def _moving_k(gold: pd.DataFrame, run: pd.DataFrame) -> Task:
    import kp_core as kp

    few = set(gold["doc_id"].unique()[:500])
    some, lists = gold[gold["doc_id"].isin(few)], run[run["doc_id"].isin(few)].drop(columns="score")
    corpus = kp.load(gold=some, systems={f"s{i}": lists for i in range(6)})
    measures = ["P@k", "R@k", "F1@k", "MAP@k", "MRR@k", "nDCG@k", "kappa", "P_pos", "P_neg", "PABAK", "AC1", "pi"]
    result = kp.evaluate(corpus, k=K, measures=measures, universe=1000, normalise="none")
    title = "Moving k: table of 12 measures × 6 systems with intervals, 500 documents"
    return timed(title, {"KPScope": lambda: result.at(17).wide()}, aim="10 ms")


def tasks() -> list[Task]:
    """Return the tasks, after checking that all tools give the same values."""
    import kp_core as kp
    from kp_core.scoring.prepare import prepare

    gold, run = frames(DOCUMENTS)
    _compared(gold, run)
    title = f"Strings to measures: {DOCUMENTS:,} documents × {DEPTH} phrases, per document and averaged"
    main = timed(
        title, TOOLS, fresh=lambda: (rebuilt(gold), rebuilt(run)), aim="250 ms, 40 × ranx from_df, 4 × pytrec_eval"
    )
    corpus = kp.load(gold=gold, systems={"s": run.drop(columns="score")})
    prepare(corpus)
    codes = timed(
        "The same from integers",
        {
            "KPScope, all measures": lambda: _measured(corpus),
            "KPScope, six measures": lambda: _measured(corpus, measures=SIX),
        },
        aim="60 ms",
    )
    sizes = {f"KPScope, {size:,} documents": frames(size) for size in (DOCUMENTS // 10, DOCUMENTS, DOCUMENTS * 10)}
    return [
        _with_peaks(main, gold, run),
        codes,
        _moving_k(gold, run),
        grown("Growth with documents, strings to measures", sizes, kpscope, aim="exponent 1.1"),
    ]
