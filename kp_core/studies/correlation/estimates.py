"""Estimate correlations of measures with human scores by subset, with intervals, and test pairs of measures.

Measures are compared by PERM-BOTH swaps or by Williams' formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.errors import refuse_below, refuse_unless, usage_error
from kp_core.scoring import intervals, paired
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.order import close
from kp_core.studies.correlation import coefficients
from kp_core.studies.correlation.breakdowns import subsets
from kp_core.studies.correlation.coefficients import Correlation, Correlator, EqualValues, Kernel, correlations
from kp_core.studies.correlation.human import COMBINATIONS, TIE_RULES, Ceiling, TieRule, combine_scores, majority
from kp_core.studies.result import square

HUMAN = "human"


@dataclass(frozen=True)
class Study:
    """Settings of a study that compares measures with human scores; all random draws depend on the seed."""

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
        for name, kind in get_type_hints(type(self)).items():
            value, choices = getattr(self, name), get_args(kind)
            if choices:
                refuse_unless(value, choices, name)
            else:
                refuse_below(value, int(name != "seed"), name)
        if self.test == "williams" and self.correlation == "kendall":
            raise usage_error("williams")


@dataclass(frozen=True)
class Correlations:
    """Correlations, tests and clusters of measures.

    * `frame`: one row per measure (and `human`, the leave-one-out ceiling), subset and combination of the scores; `n`
      is the number of pairs, `documents` of their clusters, `undefined` of pairs without a value
    * `ceiling`: the same rows without `human`: value in percent of the human ceiling in that subset
    * `tests`: one row per pair of measures, over all phrase pairs: difference of correlations, p and corrected p
    * `clusters`: combination → measure → cluster, 1 is best
    * `partial`: one row per measure: Spearman's rho given both lengths
    * `tie_range`: one row per measure, with its correlation with the majority score under each rule for tied votes
    * `tied`: number of phrase pairs without a unique majority
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
        return square(rows, "p_adjusted", list(dict.fromkeys([*rows["a"], *rows["b"]])))

    def not_beating(self, average: str = "average") -> list[str]:
        """Return the measures that do not correlate significantly better than the sentinel `candidate-length`."""
        rows, sentinel = self.tests[self.tests["average"] == average], "candidate-length"
        certain = rows[rows["p_adjusted"] < 0.05]
        beaten = {sentinel, *certain["a"][(certain["b"] == sentinel) & (certain["difference"] > 0)]}
        beaten |= {*certain["b"][(certain["a"] == sentinel) & (certain["difference"] < 0)]}
        return [name for name in dict.fromkeys([*rows["a"], *rows["b"]]) if name not in beaten]

    def trials_needed(self, alpha: float = 0.05) -> int:
        """Return the number of trials needed for the corrected p of PERM-BOTH to fall below alpha.

        The smallest p is 1 / (trials + 1), and Holm multiplies it by the number of tests.
        """
        tests = int(self.tests["average"].value_counts().max()) if len(self.tests) else 0
        return math.floor(tests / alpha) if self.study.correction == "holm" else math.floor(1 / alpha)


def estimate(
    scores: Floats, measures: pd.DataFrame, cluster: Ints, labels: pd.DataFrame, lengths: Floats, study: Study
) -> Correlations:
    """Return correlations by subset, their intervals, and tests between measures.

    * `scores`: (P, R) of R annotators for P pairs; `measures`: one row per pair, undefined if not finite
    * `cluster`: (P,) index of the resampled unit of each pair, such as its document
    * `labels`: one row per pair, one column per breakdown; `lengths`: (P, 2) words of keyphrase and candidate

    The same resamples are used for all measures, subsets and combinations of scores, and for the human ceiling.
    Source: Kim, Baldwin & Kan 2010 for the study; Deutsch, Dror & Roth 2021 for intervals and tests.
    """
    values = measures.to_numpy(np.float64, na_value=np.nan)
    values = np.where(np.isfinite(values), values, np.nan)
    judged = _Judged(scores, values, tuple(map(str, measures)), combine_scores(scores, study.ties), cluster, study)
    frame, ceiling = _correlation_rows(judged, subsets(lengths[:, 0], labels))
    tests, clusters = _tests(judged)
    partial = [
        (name, combination, coefficients.partial_spearman(column, people, lengths))
        for combination, people in zip(COMBINATIONS, judged.human.T, strict=True)
        for name, column in zip(judged.names, values.T, strict=True)
    ]
    controlled = pd.DataFrame(partial, columns=["measure", "average", "value"])
    human = np.stack([majority(scores, rule) for rule in TIE_RULES], axis=1)
    tied = int((human[:, TIE_RULES.index("high")] > human[:, TIE_RULES.index("low")]).sum())
    tie_range = pd.DataFrame(correlations(values, human, study.correlation), columns=list(TIE_RULES))
    tie_range.insert(0, "measure", judged.names)
    return Correlations(frame, ceiling, tests, clusters, controlled, tie_range, tied, study)


@dataclass(frozen=True)
class _Judged:
    """P judged pairs: scores (P, R), measures (P, M), combined human scores (P, H), cluster (P,)."""

    scores: Floats
    measures: Floats
    names: tuple[str, ...]
    human: Floats
    cluster: Ints
    study: Study


def _correlation_rows(judged: _Judged, masks: dict[str, Bools]) -> tuple[pd.DataFrame, pd.DataFrame]:
    study, size = judged.study, len(judged.measures)
    correlators = []
    for mask in masks.values():
        people = Ceiling(judged.scores, study.ties, study.correlation, mask)
        correlators.append((people, Correlator(judged.measures, judged.human, study.correlation, mask)))

    def gathered(function: Callable[[Ceiling | Correlator], NDArray[Any]]) -> NDArray[Any]:
        """Stack the values of all subsets as (…, S, H, M + 1), with human agreement before the measures."""
        arrays = [np.concatenate([function(people), function(measures)], axis=-2) for people, measures in correlators]
        return np.stack(arrays, axis=-3).swapaxes(-1, -2)

    def kernel(weights: Floats) -> Floats:
        return gathered(lambda correlator: correlator.kernel(weights))

    value = kernel(np.ones((size, 1)))[0]
    percent = coefficients.percent_of_ceiling(value[..., 1:], value[..., :1])
    n = gathered(lambda correlator: correlator.clusters(np.arange(size)))
    clusters = gathered(lambda correlator: correlator.clusters(judged.cluster))
    low, high = np.full((2, *value.shape), np.nan)
    percent_low, percent_high = np.full((2, *percent.shape), np.nan)
    if study.interval == "bootstrap" and size:
        rng = np.random.default_rng(study.seed)
        weights = intervals.resample(int(judged.cluster.max()) + 1, study.resamples, rng)
        draws = coefficients.resampled(kernel, judged.cluster, weights, study.correlation)
        low, high = _bounds(value, draws, clusters)
        draws = coefficients.percent_of_ceiling(draws[..., 1:], draws[..., :1])
        percent_low, percent_high = _bounds(percent, draws, clusters[..., 1:])
    elif study.interval == "closed-form":
        low[..., 1:], high[..., 1:] = coefficients.closed_form_interval(value[..., 1:], n[..., 1:], study.correlation)
    reason = coefficients.reasons(value, gathered(lambda correlator: correlator.pairs))
    if judged.scores.shape[1] < 2:
        reason[..., 0] = "one_annotator"
    undefined = np.array([mask.sum() for mask in masks.values()])[:, None, None] - n
    counts = {"n": n, "documents": clusters, "undefined": undefined, "reason": reason}
    rows = _rows(masks, (HUMAN, *judged.names), value=value, low=low, high=high, **counts)
    rows.insert(3, "correlation", study.correlation)
    return rows, _rows(masks, judged.names, percent=percent, low=percent_low, high=percent_high)


def _bounds(value: Floats, draws: Floats, clusters: Ints) -> tuple[Floats, Floats]:
    """Return the interval of each value from its draws (B, …) of clusters; NaN if the value is NaN."""
    low, high = intervals.percentile(draws.reshape(len(draws), -1), intervals.expanded_tail(clusters.ravel()))
    low[np.isnan(value.ravel())] = high[np.isnan(value.ravel())] = np.nan
    return low.reshape(value.shape), high.reshape(value.shape)


def _rows(subsets: Iterable[str], names: tuple[str, ...], **columns: NDArray[Any]) -> pd.DataFrame:
    index = pd.MultiIndex.from_product([subsets, COMBINATIONS, names], names=["subset", "average", "measure"])
    frame = index.to_frame(index=False)[["measure", "subset", "average"]]
    return frame.assign(**{name: column.ravel() for name, column in columns.items()})


def _tests(judged: _Judged) -> tuple[pd.DataFrame, dict[str, dict[str, int]]]:
    study, measures, names = judged.study, judged.measures, np.array(judged.names, object)
    measure_pairs = np.transpose(np.triu_indices(measures.shape[1], 1))
    tables = [pd.DataFrame(columns=["a", "b", "average", "difference", "p", "p_adjusted", "n"])]
    groups, unit = dict[str, dict[str, int]](), judged.cluster if study.swap == "clusters" else None
    p = np.full((len(measure_pairs), len(COMBINATIONS)), np.nan)
    if study.test == "perm-both":  # random numbers independent of the intervals
        seed = [study.seed, 1]
        p = permute_both(measures, judged.human, measure_pairs, study.trials, seed, study.correlation, unit)
    for index, combination in enumerate(COMBINATIONS if study.test != "none" else ()):
        human = judged.human[:, index]
        compared = comparable_pairs(measures, human, study.correlation)
        if study.test == "williams":
            p[compared.index, index] = williams(*compared[["first", "second", "between", "n"]].to_numpy().T)[1]
        table = compared.assign(
            a=names[compared["a"]], b=names[compared["b"]], average=combination, p=p[compared.index, index]
        ).dropna(subset="p")
        table["difference"] = table["first"] - table["second"]
        table["p_adjusted"] = paired.CORRECTIONS[study.correction](table["p"].to_numpy())
        tables.append(table[tables[0].columns])
        correlation = correlations(measures, human[:, None], study.correlation)[:, 0].tolist()
        defined = {name: value for name, value in zip(names, correlation, strict=True) if value == value}
        adjusted = table[["a", "b", "p_adjusted"]].itertuples(index=False, name=None)
        groups[combination], _ = paired.decisions(defined, list(adjusted), 0.05)
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True), groups


def comparable_pairs(measures: Floats, human: Floats, name: Correlation = "spearman") -> pd.DataFrame:
    """Return the pairs of measures (P, M) that vary, as do the human scores (P,), on the phrase pairs with all values.

    Columns: a, b (indices of the measures), first, second (their correlations with the human score), between (their
    correlation with each other; missing for Kendall, which Williams' test does not support), n.
    """
    a, b = np.triu_indices(measures.shape[1], 1)
    statistics = np.full((4, len(a)), np.nan)
    for included, pairs in coefficients.by_gaps(measures[:, a] + measures[:, b] + human[:, None]):
        first, second, values = a[pairs], b[pairs], measures[included]
        others = values[:, :0] if name == "kendall" else values
        rho = correlations(values, np.column_stack([human[included], others]), name)
        statistics[:2, pairs], statistics[3, pairs] = (rho[first, 0], rho[second, 0]), included.sum()
        if name != "kendall":
            statistics[2, pairs] = rho[first, 1 + second]
    comparisons = pd.DataFrame(statistics.T, columns=["first", "second", "between", "n"]).assign(a=a, b=b)
    return comparisons.dropna(subset=["first", "second"]).astype({"n": int})


def williams(first: Floats, second: Floats, between: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Return t and two-sided p of differences (K,) of two correlations with the same variable.

    first and second are the correlations with the human score, between is that of the two measures. Absolute
    correlations are compared. p is 1 for equal correlations, NaN for fewer than four pairs. On ranks (Spearman), the
    test is approximate.
    Source: Williams 1959; Steiger 1980.

    >>> t, p = williams(*np.array([[0.80], [0.72], [0.89], [26]]))  # Howell, 6th ed., p. 262
    >>> t.round(3).tolist(), p.round(3).tolist()
    ([1.361], [0.187])
    """
    from scipy.special import stdtr

    between = np.where((first < 0) != (second < 0), -between, between)
    a, b, degrees = np.abs(first), np.abs(second), np.where(pairs < 4, np.nan, pairs - 3.0)
    determinant = np.maximum(1 - a**2 - b**2 - between**2 + 2 * a * b * between, 0.0)
    denominator = 2 * determinant * (pairs - 1) / degrees + (a + b) ** 2 / 4 * (1 - between) ** 3
    equal = close(a, b) & (pairs > 3)
    t = (a - b) * np.sqrt((pairs - 1) * (1 + between) / np.where(equal, 1, denominator))
    t = np.where(equal, 0.0, t)
    return t, 2 * stdtr(degrees, -np.abs(t))


def permute_both(
    measures: Floats,
    human: Floats,
    measure_pairs: Ints,
    trials: int,
    seed: int | Sequence[int],
    name: Correlation = "spearman",
    unit: Ints | None = None,
) -> Floats:
    """Return two-sided p (K, H) of PERM-BOTH for K pairs of measures, over the phrase pairs with all scores.

    measures (P, M) and human (P, H) are scores of phrase pairs, measure_pairs (K, 2) indices of measures. Measures are
    standardized; a trial swaps the two measures of each phrase pair, or of each unit (P,) such as a document, with
    probability 1/2; all pairs of measures share the random numbers. p = (c + 1) / (trials + 1) if c trials reach the
    |difference of correlations|; with few units, all swaps are enumerated. NaN if a measure is constant.
    Source: Deutsch, Dror & Roth 2021.
    """
    unit = np.arange(len(human)) if unit is None else np.unique(unit, return_inverse=True)[1]
    p = np.full((len(measure_pairs), human.shape[1]), np.nan)
    common = measures[:, measure_pairs].sum(axis=2) + human.sum(axis=1, keepdims=True)
    for included, indices in coefficients.by_gaps(common):
        values = np.round(measures[included], 12)
        indices = indices[(np.ptp(values[:, measure_pairs[indices]], axis=0) > 0).all(axis=1)]
        if len(indices):
            spread = values.std(axis=0)
            z = np.round((values - values.mean(axis=0)) / np.where(spread > 0, spread, np.nan), 12)
            difference = differences(z, human[included], measure_pairs[indices], name, unit[included])
            p_values = paired.randomisation(difference, int(unit.max()) + 1, trials, np.random.default_rng(seed))
            p[indices] = p_values.reshape(len(indices), -1)
    return p


def differences(
    z: Floats, human: Floats, measure_pairs: Ints, name: Correlation, unit: Ints
) -> Callable[[Floats], Floats]:
    """Return a function from swapped units (B, U), 1 or 0, to differences of correlations (B, K · H).

    The correlations are of standardized measures z (n, M) with human scores (n, H); measure_pairs (K, 2) has the
    indices of two measures, unit (n,) the unit of each phrase pair.
    """
    mixture = (
        _mixed_ranks(z, human, measure_pairs) if name == "spearman" else _mixed_values(z, human, measure_pairs, name)
    )

    def difference(swapped: Floats) -> Floats:
        values = coefficients.resampled(mixture, unit, swapped, name).reshape(len(swapped), -1)
        return np.where(np.isnan(values), np.inf, values)  # undefined correlations count as no difference

    return difference


def _mixed_values(z: Floats, human: Floats, measure_pairs: Ints, name: Correlation) -> Kernel:
    """Return a function from swaps to differences of correlations; the stacked measures get weights 0 and 1."""
    both = np.vstack([z[:, measure_pairs[:, 0]], z[:, measure_pairs[:, 1]]])
    kernel = coefficients.KERNELS[name](both, np.vstack([human, human]))

    def difference(swapped: Floats) -> Floats:
        unswapped = 1 - swapped
        return kernel(np.vstack([unswapped, swapped])) - kernel(np.vstack([swapped, unswapped]))

    return difference


def _mixed_ranks(z: Floats, human: Floats, measure_pairs: Ints) -> Kernel:
    """Return a function from swaps to differences of Spearman's rho.

    Twice the covariance of the ranks of x and y is the sum of y_i · sgn(x_i - x_j). If x mixes two measures, terms
    whose two values are of the same measure are computed once per measure; the other terms need only sums over the
    values of one measure that are above and below each value of the other.
    """
    raters = [EqualValues.of(column) for column in human.T]
    ranked = [coefficients.mid_ranks(side.members @ np.ones((len(human), 1))) for side in raters]
    spread, total = np.array([squares for _, squares in ranked]), np.array(len(human))
    ranks = [ranks[side.group] for side, (ranks, _) in zip(raters, ranked, strict=True)]
    terms = np.stack([np.ones((len(human), 1)), *ranks], axis=1)
    sides = {index: EqualValues.of(z[:, index]) for index in np.unique(measure_pairs).tolist()}
    comparisons = []
    for pair in measure_pairs.tolist():
        smaller, larger = sorted(pair, key=lambda index: len(sides[index].distinct))
        values, others = sides[smaller].distinct, sides[larger].distinct
        below, above = (np.searchsorted(others, values, side) for side in ("left", "right"))
        comparisons.append((smaller, larger, below, above, 1 if smaller == pair[0] else -1))

    def kernel(swapped: Floats) -> Floats:
        halves = []
        for weights in (1 - swapped, swapped):
            weighted = (terms * weights[:, None]).reshape(len(terms), -1)
            halves.append({index: _SideSums(side.members @ weighted, terms.shape[1]) for index, side in sides.items()})
        values = np.empty((swapped.shape[1], len(measure_pairs), len(raters)))
        for k, (smaller, larger, below, above, sign) in enumerate(comparisons):
            mixtures = (halves[0][smaller], halves[1][larger]), (halves[1][smaller], halves[0][larger])
            first, second = (
                coefficients.ratio(*part.mixed(other, below, above), spread, total) for part, other in mixtures
            )
            values[:, k] = sign * (first - second).T
        return values

    return kernel


class _SideSums:
    """Sums over the phrase pairs that take their value from one measure, in B trials.

    * `sums`: (V, 1 + H, B) number and summed human ranks of pairs with each value; below: (V + 1, …) with lower values
    * `signed`: (H, B) sum of y_i · sgn(x_i - x_j) among these pairs; cubes: (B,) sum of the cubes of the numbers
    """

    def __init__(self, sums: Floats, n_terms: int) -> None:
        self.sums = sums.reshape(len(sums), n_terms, -1)
        self.below = np.zeros((len(sums) + 1, *self.sums.shape[1:]))
        np.cumsum(self.sums, axis=0, out=self.below[1:])
        number, ranks = self.sums[:, 0], self.sums[:, 1:]
        lower, upper = self.below[:-1, 0], self.below[1:, 0]
        self.signed = np.einsum("vhb,vb->hb", ranks, lower + upper - self.below[-1, 0])
        self.cubes = np.einsum("vb,vb,vb->b", number, number, number)

    def mixed(self, other: _SideSums, below: Ints, above: Ints) -> tuple[Floats, Floats]:
        """Return covariance (H, B) and sum of squares (B,) of the ranks, mixed with the pairs of another measure.

        below, above (V,): numbers of distinct values of the other measure that are lower, and that are not higher
        """
        number, ranks = self.sums[:, 0], self.sums[:, 1:]
        higher = other.below[-1] - other.below[below] - other.below[above]  # minus lower
        signed = np.einsum("vb,vhb->hb", number, higher[:, 1:]) - np.einsum("vhb,vb->hb", ranks, higher[:, 0])
        equal = above > below
        own_counts, other_counts = number[equal], other.sums[below[equal], 0]
        cubes = self.cubes + other.cubes + 3 * (own_counts * other_counts * (own_counts + other_counts)).sum(axis=0)
        total = self.below[-1, 0] + other.below[-1, 0]
        return (self.signed + other.signed + signed) / 2, (total**3 - cubes) / 12
