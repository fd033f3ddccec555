"""Turn judged pairs, their measures, labels and clusters into correlations by subset, with intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.errors import UsageError
from kp_core.scoring import intervals, paired
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.studies.correlation import coefficients, pairwise
from kp_core.studies.correlation.breakdowns import subsets
from kp_core.studies.correlation.human import COMBINATIONS, TIE_RULES, Ceiling, TieRule, combined, majority, still_tied
from kp_core.studies.correlation.weighted import Correlation

HUMAN = "human"


@dataclass(frozen=True)
class Study:
    """How measures are to be compared with human scores; everything random follows from the seed."""

    correlation: Correlation = "spearman"
    ties: TieRule = "low"
    interval: Literal["bootstrap", "closed-form", "none"] = "bootstrap"
    resamples: int = 1000
    test: Literal["perm-both", "williams", "none"] = "perm-both"
    trials: int = 2000
    swap: Literal["pairs", "clusters"] = "pairs"
    correction: Literal["holm", "bh", "none"] = "holm"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a choice that does not exist."""
        for name, kind in get_type_hints(type(self)).items():
            value, choices = getattr(self, name), get_args(kind)
            least = 0 if name == "seed" else 1
            if choices and value not in choices:
                raise UsageError(f"there is no {name} '{value}'; choose one of: {', '.join(choices)}")
            if not choices and value < least:
                raise UsageError(f"{name} is {value}; choose a whole number from {least} up")
        if self.test == "williams" and self.correlation == "kendall":
            raise UsageError(
                "Williams' test is for Pearson's and Spearman's correlation; choose perm-both for Kendall's"
            )


@dataclass(frozen=True)
class Correlations:
    """What was found.

    frame     a row a measure (and `human`, the leave-one-out ceiling), subset and way to combine the scores: value
              and interval; `n` pairs, `documents` the clusters they come from, `undefined` pairs without a value
    ceiling   the same rows without `human`: value in percent of the human ceiling of that subset, with interval
    tests     a row two measures, over all pairs: difference of their correlations, p and corrected p
    clusters  for each way to combine the scores: cluster of each measure, 1 is best
    partial   a row a measure: Spearman's rho given both lengths
    tie_range a row a measure and subset: value of the majority under each rule for what is still tied
    tied      pairs that need that rule; study: what was asked
    """

    frame: pd.DataFrame
    ceiling: pd.DataFrame
    tests: pd.DataFrame
    clusters: dict[str, dict[str, int]]
    partial: pd.DataFrame
    tie_range: pd.DataFrame
    tied: int
    study: Study

    def p_matrix(self, average: str = "average") -> pd.DataFrame:
        """Return the corrected p of all pairs of measures as a square table, NaN on the diagonal."""
        rows = self.tests[self.tests["average"] == average]
        names = list(dict.fromkeys([*rows["a"], *rows["b"]]))
        both = pd.concat([rows, rows.rename(columns={"a": "b", "b": "a"})])
        square = both.pivot_table(index="a", columns="b", values="p_adjusted").reindex(index=names, columns=names)
        return square.rename_axis(index=None, columns=None)

    def not_beating(
        self, sentinel: str = "candidate-length", average: str = "average", alpha: float = 0.05
    ) -> list[str]:
        """Return the measures that do not correlate significantly better than a sentinel such as `candidate-length`."""
        rows = self.tests[self.tests["average"] == average]
        certain = rows[rows["p_adjusted"] < alpha]
        beaten = {sentinel, *certain["a"][(certain["b"] == sentinel) & (certain["difference"] > 0)]}
        beaten |= {*certain["b"][(certain["a"] == sentinel) & (certain["difference"] < 0)]}
        return [name for name in dict.fromkeys([*rows["a"], *rows["b"]]) if name not in beaten]

    def trials_needed(self, alpha: float = 0.05) -> int:
        """Return the trials from which the corrected p of PERM-BOTH can fall below alpha at all.

        The smallest p is 1 / (trials + 1), and Holm multiplies it by the number of tests.
        """
        tests = int(self.tests["average"].value_counts().max()) if len(self.tests) else 0
        return math.floor(tests / alpha) if self.study.correction == "holm" else math.floor(1 / alpha)


def estimate(
    scores: Floats,
    measures: pd.DataFrame,
    cluster: Ints,
    labels: pd.DataFrame,
    lengths: Floats,
    study: Study,
    progress: Callable[[float], None] | None = None,
) -> Correlations:
    """Return how well measures agree with people: correlations by subset, intervals, and tests between measures.

    scores    (P, R) of R annotators for P pairs; measures: one row a pair, undefined where it is no finite number
    cluster   (P,) number of the document, or another unit, of each pair: what is resampled
    labels    one row a pair, one column a breakdown such as `location`; lengths (P, 2) words of keyphrase and candidate

    The same resamples serve every measure, subset and combination of scores, and the human ceiling.
    Source: Kim, Baldwin & Kan 2010 for the study; Deutsch, Dror & Roth 2021 for intervals and tests.
    """
    names = list(map(str, measures.columns))
    values = measures.to_numpy(np.float64, na_value=np.nan)
    values = np.where(np.isfinite(values), values, np.nan)
    human = combined(scores, study.ties)
    masks = subsets(lengths[:, 0], labels)
    frame, ceiling = _correlated(scores, values, human, cluster, masks, names, study)
    tests, groups = _tests(values, human, cluster, names, study, progress)
    partial = [
        (name, how, coefficients.partial_spearman(column, people, lengths))
        for how, people in zip(COMBINATIONS, human.T, strict=True)
        for name, column in zip(names, values.T, strict=True)
    ]
    return Correlations(
        frame,
        ceiling,
        tests,
        groups,
        pd.DataFrame(partial, columns=["measure", "average", "value"]),
        _tie_range(scores, values, masks, names, study),
        int(still_tied(scores).sum()),
        study,
    )


def _correlated(
    scores: Floats,
    values: Floats,
    human: Floats,
    cluster: Ints,
    masks: dict[str, Bools],
    names: list[str],
    study: Study,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of correlations, people first, and those of percents of the human ceiling."""
    sides: list[tuple[Ceiling, coefficients.Correlator]] = [
        (
            Ceiling(scores, study.ties, study.correlation, used),
            coefficients.Correlator(values, human, study.correlation, used),
        )
        for used in masks.values()
    ]

    def gathered(take: Callable[[Ceiling | coefficients.Correlator], NDArray[Any]]) -> NDArray[Any]:
        """Return what is taken of all subsets, (…, S, H, M + 1): people stand before the measures."""
        each = [np.concatenate([take(people), take(ours)], axis=-2) for people, ours in sides]
        return np.stack(each, axis=-3).swapaxes(-1, -2)

    def under(weights: Floats) -> Floats:
        return gathered(lambda side: side.under(weights))

    value = under(np.ones((len(values), 1)))[0]
    low, high = np.full((2, *value.shape), np.nan)
    percent = coefficients.percent_of_ceiling(value[..., 1:], value[..., :1])
    percent_low, percent_high = np.full((2, *percent.shape), np.nan)
    n = gathered(lambda side: side.clusters(np.arange(len(values))))
    if study.interval == "bootstrap" and len(values):
        weights = intervals.resample(int(cluster.max()) + 1, study.resamples, np.random.default_rng(study.seed))
        drawn = coefficients.resampled(under, cluster, weights, study.correlation)
        low, high = _bounds(value, drawn)
        percent_low, percent_high = _bounds(percent, coefficients.percent_of_ceiling(drawn[..., 1:], drawn[..., :1]))
    elif study.interval == "closed-form":
        low[..., 1:], high[..., 1:] = coefficients.closed_form(value[..., 1:], n[..., 1:], study.correlation)
    reason = coefficients.reasons(value, gathered(lambda side: side.pairs))
    if scores.shape[1] < 2:
        reason[..., 0] = "one_annotator"
    sizes = np.array([used.sum() for used in masks.values()])[:, None, None]
    frame = _rows(
        masks,
        [HUMAN, *names],
        correlation=np.full(value.shape, study.correlation, object),
        value=value,
        low=low,
        high=high,
        n=n,
        documents=gathered(lambda side: side.clusters(cluster)),
        undefined=sizes - n,
        reason=reason,
    )
    return frame, _rows(masks, names, percent=percent, low=percent_low, high=percent_high)


def _bounds(value: Floats, drawn: Floats) -> tuple[Floats, Floats]:
    """Return the interval of each value from its draws (B, …), NaN where the value is."""
    bounds = intervals.percentile(drawn.reshape(len(drawn), -1))
    low, high = (np.where(np.isnan(value), np.nan, bound.reshape(value.shape)) for bound in bounds)
    return low, high


def _rows(masks: dict[str, Bools], names: list[str], **columns: NDArray[Any]) -> pd.DataFrame:
    """Return a row a subset, combination and measure from arrays of that shape."""
    index = pd.MultiIndex.from_product([masks, COMBINATIONS, names], names=["subset", "average", "measure"])
    frame = index.to_frame(index=False)[["measure", "subset", "average"]]
    return frame.assign(**{name: column.ravel() for name, column in columns.items()})


def _tests(
    values: Floats,
    human: Floats,
    cluster: Ints,
    names: list[str],
    study: Study,
    progress: Callable[[float], None] | None,
) -> tuple[pd.DataFrame, dict[str, dict[str, int]]]:
    tables = []
    groups: dict[str, dict[str, int]] = {}
    for place, how in enumerate(COMBINATIONS if study.test != "none" else ()):
        rows = []
        contests = list(pairwise.contests(values, human[:, place], study.correlation))
        for count, contest in enumerate(contests, 1):
            p = _p(contest, cluster, study)
            if progress is not None:
                progress((place + count / len(contests)) / len(COMBINATIONS))
            if p == p:
                difference = float(contest.strength[0] - contest.strength[1])
                rows.append((names[contest.a], names[contest.b], how, difference, p, len(contest.human)))
        table = pd.DataFrame(rows, columns=["a", "b", "average", "difference", "p", "n"])
        table.insert(5, "p_adjusted", _corrected(table["p"].to_numpy(np.float64), study))
        tables.append(table)
        correlation = coefficients.correlations(values, human[:, [place]], study.correlation)[:, 0]
        defined = {name: value for name, value in zip(names, correlation.tolist(), strict=True) if value == value}
        decided = table[["a", "b", "p_adjusted"]].itertuples(index=False, name=None)
        groups[how], _ = paired.decisions(defined, list(decided), 0.05)
    columns = ["a", "b", "average", "difference", "p", "p_adjusted", "n"]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns), groups


def _p(contest: pairwise.Contest, cluster: Ints, study: Study) -> float:
    if study.test == "williams":
        return pairwise.williams_test(contest, study.correlation)
    # a stream of its own, the same for every contest: p-values do not depend on the intervals
    rng = np.random.default_rng([study.seed, 1])
    unit = cluster if study.swap == "clusters" else None
    return pairwise.permute_both(contest, study.trials, rng, study.correlation, unit)


def _corrected(p: Floats, study: Study) -> Floats:
    from scipy.stats import false_discovery_control

    if study.correction == "holm":
        return paired.holm(p)
    return p if study.correction == "none" else np.asarray(false_discovery_control(p))


def _tie_range(scores: Floats, values: Floats, masks: dict[str, Bools], names: list[str], study: Study) -> pd.DataFrame:
    """Return the correlation with the majority under every rule for what is still tied."""
    human = np.stack([majority(scores, rule) for rule in TIE_RULES], axis=1)
    rows = []
    for subset, used in masks.items():
        correlation = coefficients.correlations(values[used], human[used], study.correlation)
        rows += [(name, subset, *row) for name, row in zip(names, correlation, strict=True)]
    return pd.DataFrame(rows, columns=["measure", "subset", *TIE_RULES])
