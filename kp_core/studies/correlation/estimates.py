"""Turn judged pairs, their measures, labels and clusters into correlations by subset, with intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from kp_core.errors import InputError, UsageError, counted
from kp_core.scoring import intervals, paired
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies.correlation import coefficients as correlation
from kp_core.studies.correlation import pairwise
from kp_core.studies.correlation.human import TIE_RULES, Scores, combine, still_tied
from kp_core.studies.correlation.raters import Ceiling, ceiling
from kp_core.studies.correlation.rows import CHOICES, ROW_COLUMNS, Correlations, Study
from kp_core.studies.correlation.subtypes import Subset, subsets

HUMAN = "human"


@dataclass(frozen=True)
class _Judged:
    """P judged pairs: scores (P, R), measures (P, M) with their names, human scores (P, H), cluster (P,) of each."""

    scores: Floats
    names: tuple[str, ...]
    measures: Floats
    human: Floats
    cluster: Ints


@dataclass(frozen=True)
class _Cells:
    """One subset: correlations (M, H) of measures and (H,) of annotators, and the pairs behind them."""

    subset: Subset
    parts: list[correlation.Part]
    ceiling: Ceiling
    value: Floats
    pairs: Ints
    human: Floats


def correlate(
    scores: Scores,
    measures: pd.DataFrame,
    study: Study | None = None,
    *,
    clusters: Sequence[object] | None = None,
    labels: pd.DataFrame | None = None,
    lengths: Floats | None = None,
    used: Bools | None = None,
    progress: Callable[[float], None] | None = None,
) -> Correlations:
    """Return how well measures agree with people: correlations by subset, intervals, and tests between measures.

    measures   one row a pair of `scores`, one column a measure; undefined where it is not a finite number
    clusters   (P,) document, or another unit, of each pair: what is resampled; each pair its own where None
    labels     one row a pair, one column a breakdown such as `location`; lengths (P, 2) tokens of keyphrase, candidate
    used       (P,) pairs to look at at all, for example those of the paper preset

    The same resamples serve every measure, subset and combination of scores, and the human ceiling.
    Source: Kim, Baldwin & Kan 2010 for the study; Deutsch, Dror & Roth 2021 for intervals and tests.
    """
    study = study or Study()
    _check(scores, measures, clusters, labels, lengths, study)
    keep = np.arange(len(scores.pairs)) if used is None else np.flatnonzero(used)
    matrix = scores.matrix[keep]
    values = measures.to_numpy(np.float64, na_value=np.nan)[keep]
    ids = np.arange(len(keep)) if clusters is None else pd.factorize(np.asarray(clusters, object)[keep])[0]
    judged = _Judged(
        matrix,
        tuple(map(str, measures.columns)),
        np.where(np.isfinite(values), values, np.nan),
        np.stack([combine(matrix, how, study.ties) for how in study.combinations], axis=1),
        np.asarray(ids, np.int64),
    )
    lengths = None if lengths is None else lengths[keep]
    named = subsets(
        len(keep), None if lengths is None else lengths[:, 0], None if labels is None else labels.iloc[keep]
    )
    cells = [_cells(judged, subset, study) for subset in named]
    drawn = _drawn(judged, cells, study)
    tests, groups = _tests(judged, study, progress)
    return Correlations(
        _frame(judged, cells, drawn, study),
        _ceiling_frame(judged, cells, drawn, study),
        tests,
        groups,
        _partial(judged, lengths, study),
        _tie_range(judged, named, study),
        int(still_tied(matrix).sum()),
        study,
    )


def _check(
    scores: Scores,
    measures: pd.DataFrame,
    clusters: Sequence[object] | None,
    labels: pd.DataFrame | None,
    lengths: Floats | None,
    study: Study,
) -> None:
    given = {"measures": measures, "clusters": clusters, "labels": labels, "lengths": lengths}
    for name, table in given.items():
        if table is not None and len(table) != len(scores.pairs):
            found = f"{counted(len(table), 'row')} of {name}"
            raise InputError("judgements", found, f"{len(scores.pairs)}, one a pair", "Give one row a judged pair.")
    if HUMAN in measures:
        raise InputError("judgements", "a measure called “human”", "another name", "Rename the column.")
    for field, choices in CHOICES.items():
        if (chosen := getattr(study, field)) not in choices:
            raise UsageError(f"there is no {field} '{chosen}'; choose one of: {', '.join(choices)}")
    for field, least in (("resamples", 1), ("trials", 1), ("seed", 0)):
        if getattr(study, field) < least:
            raise UsageError(f"{field} is {getattr(study, field)}; choose a whole number from {least} up")
    if clusters is not None and pd.isna(np.asarray(clusters, object)).any():
        raise InputError("judgements", "a pair without document", "one for every pair", "Fill the column, or omit it.")
    if study.test == "williams" and study.correlation == "kendall":
        raise UsageError("Williams' test is for Pearson's and Spearman's correlation; choose perm-both for Kendall's")


def _cells(judged: _Judged, subset: Subset, study: Study) -> _Cells:
    name = study.correlation
    people = ceiling(judged.scores, study.combinations, study.ties, subset.used, name)
    parts = correlation.parts(judged.measures, judged.human, subset.used, name)
    shape = (judged.measures.shape[1], judged.human.shape[1])
    once = np.ones((len(judged.cluster), 1))
    pairs = correlation.pairs_of(parts, shape)
    return _Cells(subset, parts, people, correlation.under_weights(parts, once, shape)[0], pairs, people.under(once)[0])


def _drawn(judged: _Judged, cells: list[_Cells], study: Study) -> list[tuple[Floats, Floats]] | None:
    """Return the resamples of each subset: of the measures (B, M, H), and of the human ceiling (B, H)."""
    if study.interval != "bootstrap" or not len(judged.cluster):
        return None
    rng = np.random.default_rng(study.seed)
    weights = intervals.resample(int(judged.cluster.max()) + 1, study.resamples, rng)
    shape = (judged.measures.shape[1], judged.human.shape[1])
    values: list[Callable[[Floats], Floats]] = [partial(_under, cell.parts, shape) for cell in cells]
    values += [cell.ceiling.under for cell in cells]
    found = correlation.resampled(values, judged.cluster, weights, study.correlation)
    return list(zip(found[: len(cells)], found[len(cells) :], strict=True))


def _under(parts: list[correlation.Part], shape: tuple[int, int], weights: Floats) -> Floats:
    return correlation.under_weights(parts, weights, shape)


def _interval(value: Floats, pairs: Ints, draws: Floats | None, study: Study) -> tuple[Floats, Floats]:
    """Return low and high of each value (K,), from draws (B, K) or by closed form; NaN without interval."""
    if draws is not None:
        low, high = intervals.percentile(draws)
        return np.where(np.isnan(value), np.nan, low), np.where(np.isnan(value), np.nan, high)
    if study.interval == "closed-form":
        return correlation.closed_form(value, pairs, study.correlation)
    return np.full(len(value), np.nan), np.full(len(value), np.nan)


def _frame(
    judged: _Judged, cells: list[_Cells], drawn: list[tuple[Floats, Floats]] | None, study: Study
) -> pd.DataFrame:
    rows: list[tuple[object, ...]] = []
    for place, cell in enumerate(cells):
        size = int(cell.subset.used.sum())
        why = correlation.reasons(cell.value, cell.pairs)
        clusters = _clusters(judged, cell)
        for h, how in enumerate(study.combinations):
            draws = None if drawn is None else drawn[place][1][:, [h]]
            value, n = cell.human[[h]], np.array([cell.ceiling.pairs])
            low, high = _interval(value, n, draws, study) if draws is not None else (np.full(1, np.nan),) * 2
            reason = _why_no_ceiling(judged, cell) if np.isnan(value[0]) else None
            held = len(np.unique(judged.cluster[cell.ceiling.rows]))
            shared = (cell.subset.name, how, study.correlation)
            rows.append((HUMAN, *shared, value[0], low[0], high[0], n[0], held, size - n[0], reason))
            draws = None if drawn is None else drawn[place][0][:, :, h]
            low, high = _interval(cell.value[:, h], cell.pairs[:, h], draws, study)
            for m, name in enumerate(judged.names):
                n = cell.pairs[m, h]
                row = (name, *shared, cell.value[m, h], low[m], high[m], n, clusters[m, h], size - n, why[m][h])
                rows.append(row)
    frame = pd.DataFrame(rows, columns=list(ROW_COLUMNS))
    return frame.astype({"value": float, "low": float, "high": float, "n": int, "documents": int, "undefined": int})


def _clusters(judged: _Judged, cell: _Cells) -> Ints:
    found = np.zeros(cell.value.shape, np.int64)
    for part in cell.parts:
        found[part.measures[:, None], part.human] = len(np.unique(judged.cluster[part.rows]))
    return found


def _why_no_ceiling(judged: _Judged, cell: _Cells) -> str:
    if judged.scores.shape[1] < 2:
        return "one_annotator"
    most = max((len(part.rows) for each in cell.ceiling.annotators for part in each), default=0)
    return "too_few" if most < 3 else "constant"


def _ceiling_frame(
    judged: _Judged, cells: list[_Cells], drawn: list[tuple[Floats, Floats]] | None, study: Study
) -> pd.DataFrame:
    rows = []
    for place, cell in enumerate(cells):
        for h, how in enumerate(study.combinations):
            percent = correlation.percent_of_ceiling(cell.value[:, h], cell.human[h])
            draws = None
            if drawn is not None:
                draws = correlation.percent_of_ceiling(drawn[place][0][:, :, h], drawn[place][1][:, [h]])
            low = high = np.full(len(percent), np.nan)
            if draws is not None:
                low, high = _interval(percent, cell.pairs[:, h], draws, study)
            names = zip(judged.names, percent, low, high, strict=True)
            rows += [(name, cell.subset.name, how, *numbers) for name, *numbers in names]
    return pd.DataFrame(rows, columns=["measure", "subset", "average", "percent", "low", "high"])


def _tests(
    judged: _Judged, study: Study, progress: Callable[[float], None] | None
) -> tuple[pd.DataFrame, dict[str, dict[str, int]]]:
    rows: list[tuple[object, ...]] = []
    groups: dict[str, dict[str, int]] = {}
    for h, how in enumerate(study.combinations if study.test != "none" else ()):
        people = judged.human[:, h]
        if study.test == "williams":
            p = pairwise.williams_test(judged.measures, people, study.correlation)
        else:
            # a stream of its own, the same for every combination: p-values do not depend on the intervals
            rng = np.random.default_rng([study.seed, 1])
            unit = judged.cluster if study.swap == "clusters" else None
            told = None if progress is None else partial(_tell, progress, h, len(study.combinations))
            p = pairwise.permute_both(judged.measures, people, study.trials, rng, study.correlation, unit, told)
        difference, pairs = pairwise.differences(judged.measures, people, study.correlation)
        a, b = np.triu_indices(len(judged.names), 1)
        defined = ~np.isnan(p[a, b])
        a, b = a[defined], b[defined]
        square = np.full(p.shape, np.nan)
        square[a, b] = square[b, a] = _corrected(p[a, b], study)
        names = judged.names
        rows += [
            (names[i], names[j], how, difference[i, j], p[i, j], square[i, j], pairs[i, j])
            for i, j in zip(a.tolist(), b.tolist(), strict=True)
        ]
        value = correlation.correlations(judged.measures, people[:, None], study.correlation)[0][:, 0]
        there = np.flatnonzero(~np.isnan(value))
        ranks = paired.rank_clusters(value[there], square[np.ix_(there, there)])
        groups[how] = {names[m]: rank for m, rank in zip(there.tolist(), ranks, strict=True)}
    return pd.DataFrame(rows, columns=["a", "b", "average", "difference", "p", "p_adjusted", "n"]), groups


def _corrected(p: Floats, study: Study) -> Floats:
    if study.correction == "none":
        return p
    return paired.holm(p) if study.correction == "holm" else paired.benjamini_hochberg(p)


def _tell(progress: Callable[[float], None], done: int, of: int, share: float) -> None:
    progress((done + share) / of)


def _partial(judged: _Judged, lengths: Floats | None, study: Study) -> pd.DataFrame:
    rows = []
    for h, how in enumerate(study.combinations if lengths is not None else ()):
        assert lengths is not None
        for m, name in enumerate(judged.names):
            value = correlation.partial_spearman(judged.measures[:, m], judged.human[:, h], lengths)
            rows.append((name, how, value))
    return pd.DataFrame(rows, columns=["measure", "average", "value"])


def _tie_range(judged: _Judged, named: list[Subset], study: Study) -> pd.DataFrame:
    """Return the correlation with the majority under every rule for what is still tied."""
    human = np.stack([combine(judged.scores, "majority", rule) for rule in TIE_RULES], axis=1)
    rows = []
    for subset in named:
        values, _ = correlation.correlations(judged.measures, human, study.correlation, subset.used)
        rows += [(name, subset.name, *row) for name, row in zip(judged.names, values, strict=True)]
    return pd.DataFrame(rows, columns=["measure", "subset", *TIE_RULES])
