"""Turn values per document into one value with its interval: macro, micro, or F of the mean P and R."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kp_core.coding import Bools, Floats
from kp_core.counts import AtK, Cells
from kp_core.inference import intervals
from kp_core.metrics import Asked, concordance, overlap, parse
from kp_core.settings import Settings


def per_document(asked: Asked, at: AtK) -> Floats:
    """Return the value of every document and cutoff (D, K); NaN where undefined."""
    values = asked.scores(at)
    counts = at.counts
    without = counts.size == 0
    if asked.measure.family != "concordance" and without.any():
        values = np.array(values, dtype=float)
        silent = counts.length[without] == 0
        rule = counts.conventions.empty_gold
        values[without] = {"skip": np.nan, "zero": 0.0}.get(rule, silent[:, None].astype(float) if rule == "one-if-empty" else 0.0)
    return values


@dataclass(frozen=True)
class Average:
    """Values and intervals over cutoffs (K,) of one measure of one system under one average."""

    value: Floats
    low: Floats
    high: Floats
    documents: np.ndarray
    reason: list[str | None]


def _macro(values: Floats, used: Bools, weights: Floats | None, settings: Settings, why: Callable[[int], str]) -> Average:
    ok = used[:, None] & ~np.isnan(values)
    n = ok.sum(axis=0)
    value = np.where(n > 0, np.where(ok, values, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)
    low = high = np.full(len(value), np.nan)
    if weights is not None:
        low, high = intervals.percentile(intervals.weighted_mean(values, ok, weights))
    elif settings.interval == "cluster-t":
        low, high = intervals.cluster_t_mean(values, ok)
    return Average(value, low, high, n, [None if m else why(i) for i, m in enumerate(n)])


def _pooled(cells: Cells, score: Callable[[Cells], Floats], used: Bools, weights: Floats | None, settings: Settings,
            smooth: bool, reasons: bool) -> Average:  # fmt: skip
    kept = cells.only(used)
    total = kept.pooled(np.ones((1, int(used.sum()))))
    value = score(total)[0]
    low = high = np.full(len(value), np.nan)
    if weights is not None:
        low, high = intervals.percentile(score(kept.pooled(weights[:, used])))
    elif settings.interval == "cluster-t" and smooth:
        low, high = intervals.cluster_t_pooled(kept, score)
    status = concordance.status(total)[0] if reasons else np.full(len(value), "no_documents")
    reason = [str(s) if np.isnan(v) else None for v, s in zip(value, status, strict=True)]
    return Average(value, low, high, np.full(len(value), int(used.sum())), reason)


def _f_of_means(at: AtK, asked: Asked, used: Bools, weights: Floats | None, settings: Settings) -> Average:
    parts = [per_document(parse(name), at) for name in ("P@k", "R@k")]
    if asked.measure.name != "F1@k":
        chosen = parts[0] if asked.measure.name == "P@k" else parts[1]
        return _macro(chosen, used, weights, settings, lambda _: "no_documents")
    ok = used[:, None] & ~np.isnan(parts[0]) & ~np.isnan(parts[1])
    weighed = np.ones((1, len(used))) if weights is None else np.vstack([np.ones((1, len(used))), weights])
    p, r = (intervals.weighted_mean(part, ok, weighed) for part in parts)
    f = overlap.ratio(2 * p * r, p + r)
    low, high = intervals.percentile(f[1:]) if weights is not None else (np.full(f.shape[1], np.nan),) * 2
    n = ok.sum(axis=0)
    return Average(f[0], low, high, n, [None if m else "no_documents" for m in n])


def averaged(asked: Asked, at: AtK, average: str, used: Bools, weights: Floats | None, settings: Settings) -> Average:
    if not used.any():
        nothing = np.full(len(at.cutoffs), np.nan)
        return Average(nothing, nothing, nothing, np.zeros(len(nothing), int), ["no_documents"] * len(nothing))
    concerns = asked.measure.family == "concordance"
    if average == "micro":
        return _pooled(at, asked.scores, used, weights, settings, asked.measure.name != "kappa_max", concerns)
    if average == "f-of-means":
        return _f_of_means(at, asked, used, weights, settings)

    def why(column: int) -> str:
        if asked.measure.name == "bpref":
            return "no_judged_negatives"
        if not concerns:
            return "no_documents"
        names, counts = np.unique(concordance.status(at)[used, column], return_counts=True)
        return str(names[np.argmax(counts)])

    return _macro(per_document(asked, at), used, weights, settings, why)
