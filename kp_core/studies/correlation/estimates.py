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
from kp_core.studies.correlation.coefficients import Correlation, Correlator, EqualValues, correlations
from kp_core.studies.correlation.human import COMBINATIONS, TIE_RULES, Ceiling, TieRule, combined, majority, still_tied
from kp_core.studies.result import square

HUMAN = "human"


@dataclass(frozen=True)
class Study:
    """Settings for comparing measures with human scores; all random draws depend on the seed."""

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

    frame      one row per measure (and `human`, the leave-one-out ceiling), subset and combination of the scores;
               `documents` are the clusters of the `n` pairs, `undefined` pairs without a value
    ceiling    the same rows without `human`: value in percent of the human ceiling of that subset
    tests      one row per pair of measures, over all pairs: difference of their correlations, p and corrected p
    clusters   combination → cluster of each measure, 1 is best
    partial    one row per measure: Spearman's rho given both lengths
    tie_range  one row per measure: value of the majority under each rule for remaining ties; tied: pairs that need it
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
        """Return the number of trials from which the corrected p of PERM-BOTH can fall below alpha.

        The smallest p is 1 / (trials + 1), and Holm multiplies it by the number of tests.
        """
        tests = int(self.tests["average"].value_counts().max()) if len(self.tests) else 0
        return math.floor(tests / alpha) if self.study.correction == "holm" else math.floor(1 / alpha)


def estimate(
    scores: Floats, measures: pd.DataFrame, cluster: Ints, labels: pd.DataFrame, lengths: Floats, study: Study
) -> Correlations:
    """Return correlations by subset, intervals, and tests between measures.

    scores    (P, R) of R annotators for P pairs; measures: one row per pair, undefined if not finite
    cluster   (P,) number of the resampled unit of each pair, such as its document
    labels    one row per pair, one column per breakdown; lengths: (P, 2) words of keyphrase and candidate

    The same resamples are used for all measures, subsets and combinations of scores, and for the human ceiling.
    Source: Kim, Baldwin & Kan 2010 for the study; Deutsch, Dror & Roth 2021 for intervals and tests.
    """
    values = measures.to_numpy(np.float64, na_value=np.nan)
    values = np.where(np.isfinite(values), values, np.nan)
    judged = _Judged(scores, values, tuple(map(str, measures)), combined(scores, study.ties), cluster, study)
    frame, ceiling = _correlated(judged, subsets(lengths[:, 0], labels))
    tests, clusters = _tests(judged)
    partial = [
        (name, how, coefficients.partial_spearman(column, people, lengths))
        for how, people in zip(COMBINATIONS, judged.human.T, strict=True)
        for name, column in zip(judged.names, values.T, strict=True)
    ]
    controlled, tied = pd.DataFrame(partial, columns=["measure", "average", "value"]), int(still_tied(scores).sum())
    human = np.stack([majority(scores, rule) for rule in TIE_RULES], axis=1)
    tie_range = pd.DataFrame(correlations(values, human, study.correlation), columns=list(TIE_RULES))
    tie_range.insert(0, "measure", judged.names)
    return Correlations(frame, ceiling, tests, clusters, controlled, tie_range, tied, study)


@dataclass(frozen=True)
class _Judged:
    """P judged pairs: scores (P, R), measures (P, M), human scores (P, H), cluster (P,)."""

    scores: Floats
    measures: Floats
    names: tuple[str, ...]
    human: Floats
    cluster: Ints
    study: Study


def _correlated(judged: _Judged, masks: dict[str, Bools]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of correlations, human agreement first, and the rows in percent of the human ceiling."""
    study, size = judged.study, len(judged.measures)
    sides = []
    for used in masks.values():
        people = Ceiling(judged.scores, study.ties, study.correlation, used)
        sides.append((people, Correlator(judged.measures, judged.human, study.correlation, used)))

    def gathered(take: Callable[[Ceiling | Correlator], NDArray[Any]]) -> NDArray[Any]:
        """Stack the values of all subsets, (…, S, H, M + 1), with human agreement before the measures."""
        arrays = [np.concatenate([take(people), take(measures)], axis=-2) for people, measures in sides]
        return np.stack(arrays, axis=-3).swapaxes(-1, -2)

    def under(weights: Floats) -> Floats:
        return gathered(lambda side: side.under(weights))

    value = under(np.ones((size, 1)))[0]
    percent = coefficients.percent_of_ceiling(value[..., 1:], value[..., :1])
    n = gathered(lambda side: side.clusters(np.arange(size)))
    clusters = gathered(lambda side: side.clusters(judged.cluster))
    low, high = np.full((2, *value.shape), np.nan)
    percent_low, percent_high = np.full((2, *percent.shape), np.nan)
    if study.interval == "bootstrap" and size:
        rng = np.random.default_rng(study.seed)
        weights = intervals.resample(int(judged.cluster.max()) + 1, study.resamples, rng)
        drawn = coefficients.resampled(under, judged.cluster, weights, study.correlation)
        low, high = _bounds(value, drawn, clusters)
        drawn = coefficients.percent_of_ceiling(drawn[..., 1:], drawn[..., :1])
        percent_low, percent_high = _bounds(percent, drawn, clusters[..., 1:])
    elif study.interval == "closed-form":
        low[..., 1:], high[..., 1:] = coefficients.closed_form(value[..., 1:], n[..., 1:], study.correlation)
    reason = coefficients.reasons(value, gathered(lambda side: side.pairs))
    if judged.scores.shape[1] < 2:
        reason[..., 0] = "one_annotator"
    undefined = np.array([used.sum() for used in masks.values()])[:, None, None] - n
    counts = {"n": n, "documents": clusters, "undefined": undefined, "reason": reason}
    rows = _rows(masks, (HUMAN, *judged.names), value=value, low=low, high=high, **counts)
    rows.insert(3, "correlation", study.correlation)
    return rows, _rows(masks, judged.names, percent=percent, low=percent_low, high=percent_high)


def _bounds(value: Floats, drawn: Floats, clusters: Ints) -> tuple[Floats, Floats]:
    """Return the interval of each value from its draws (B, …) of clusters; NaN if the value is."""
    low, high = intervals.percentile(drawn.reshape(len(drawn), -1), intervals.expanded_tail(clusters.ravel()))
    low[np.isnan(value.ravel())] = high[np.isnan(value.ravel())] = np.nan
    return low.reshape(value.shape), high.reshape(value.shape)


def _rows(subsets: Iterable[str], names: tuple[str, ...], **columns: NDArray[Any]) -> pd.DataFrame:
    index = pd.MultiIndex.from_product([subsets, COMBINATIONS, names], names=["subset", "average", "measure"])
    frame = index.to_frame(index=False)[["measure", "subset", "average"]]
    return frame.assign(**{name: column.ravel() for name, column in columns.items()})


def _tests(judged: _Judged) -> tuple[pd.DataFrame, dict[str, dict[str, int]]]:
    study, measures, names = judged.study, judged.measures, np.array(judged.names, object)
    contest = np.transpose(np.triu_indices(measures.shape[1], 1))
    tables = [pd.DataFrame(columns=["a", "b", "average", "difference", "p", "p_adjusted", "n"])]
    groups, unit = dict[str, dict[str, int]](), judged.cluster if study.swap == "clusters" else None
    p = np.full((len(contest), len(COMBINATIONS)), np.nan)
    if study.test == "perm-both":  # random numbers independent of the intervals
        seed = [study.seed, 1]
        p = permute_both(measures, judged.human, contest, study.trials, seed, study.correlation, unit)
    for place, how in enumerate(COMBINATIONS if study.test != "none" else ()):
        human = judged.human[:, place]
        met = contests(measures, human, study.correlation)
        if study.test == "williams":
            p[met.index, place] = williams(*met[["first", "second", "between", "n"]].to_numpy().T)[1]
        table = met.assign(a=names[met["a"]], b=names[met["b"]], average=how, p=p[met.index, place]).dropna(subset="p")
        table["difference"] = table["first"] - table["second"]
        table["p_adjusted"] = paired.CORRECTIONS[study.correction](table["p"].to_numpy())
        tables.append(table[tables[0].columns])
        correlation = correlations(measures, human[:, None], study.correlation)[:, 0].tolist()
        defined = {name: value for name, value in zip(names, correlation, strict=True) if value == value}
        adjusted = table[["a", "b", "p_adjusted"]].itertuples(index=False, name=None)
        groups[how], _ = paired.decisions(defined, list(adjusted), 0.05)
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True), groups


def contests(measures: Floats, human: Floats, name: Correlation = "spearman") -> pd.DataFrame:
    """Return every pair of measures (P, M) for which these and the human scores (P,) vary on the common phrase pairs.

    Columns: a, b (places of the measures), first, second (their correlations with the human score), between (that of
    the two; missing for Kendall, which Williams' test does not support), n.
    """
    a, b = np.triu_indices(measures.shape[1], 1)
    statistics = np.full((4, len(a)), np.nan)
    for used, pairs in coefficients.by_gaps(measures[:, a] + measures[:, b] + human[:, None]):
        first, second, values = a[pairs], b[pairs], measures[used]
        others = values[:, :0] if name == "kendall" else values
        rho = correlations(values, np.column_stack([human[used], others]), name)
        statistics[:2, pairs], statistics[3, pairs] = (rho[first, 0], rho[second, 0]), used.sum()
        if name != "kendall":
            statistics[2, pairs] = rho[first, 1 + second]
    met = pd.DataFrame(statistics.T, columns=["first", "second", "between", "n"]).assign(a=a, b=b)
    return met.dropna(subset=["first", "second"]).astype({"n": int})


def williams(first: Floats, second: Floats, between: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Return t and two-sided p of differences (K,) of two correlations with the same variable.

    first, second are the correlations with the human score, between that of the two measures. Absolute correlations are
    compared. p is 1 for equal correlations, NaN for fewer than four pairs. On ranks (Spearman) the test is an
    approximation.
    Source: Williams 1959; Steiger 1980.

    >>> t, p = williams(*np.array([[0.80], [0.72], [0.89], [26]]))  # Howell, 6th ed., p. 262
    >>> t.round(3).tolist(), p.round(3).tolist()
    ([1.361], [0.187])
    """
    from scipy.special import stdtr

    between = np.where((first < 0) != (second < 0), -between, between)
    a, b, free = np.abs(first), np.abs(second), np.where(pairs < 4, np.nan, pairs - 3.0)
    determinant = np.maximum(1 - a**2 - b**2 - between**2 + 2 * a * b * between, 0.0)
    below = 2 * determinant * (pairs - 1) / free + (a + b) ** 2 / 4 * (1 - between) ** 3
    equal = close(a, b) & (pairs > 3)
    t = (a - b) * np.sqrt((pairs - 1) * (1 + between) / np.where(equal, 1, below))
    t = np.where(equal, 0.0, t)
    return t, 2 * stdtr(free, -np.abs(t))


def permute_both(
    measures: Floats,
    human: Floats,
    contest: Ints,
    trials: int,
    seed: int | Sequence[int],
    name: Correlation = "spearman",
    unit: Ints | None = None,
) -> Floats:
    """Return two-sided p (K, H) of PERM-BOTH for K pairs of measures, over the phrase pairs with all scores.

    measures (P, M) and human (P, H) are scores of phrase pairs, contest (K, 2) places of measures. Measures are
    standardized; a trial swaps two of them for every pair of phrases, or every unit (P,) such as a document, with
    probability 1/2, with the same random numbers for all pairs of measures. p = (c + 1) / (trials + 1) of |difference
    of the correlations|; with few units, all swaps are enumerated. NaN if a measure is constant.
    Source: Deutsch, Dror & Roth 2021.
    """
    unit = np.arange(len(human)) if unit is None else np.unique(unit, return_inverse=True)[1]
    p = np.full((len(contest), human.shape[1]), np.nan)
    common = measures[:, contest].sum(axis=2) + human.sum(axis=1, keepdims=True)
    for used, places in coefficients.by_gaps(common):
        values = np.round(measures[used], 12)
        places = places[(np.ptp(values[:, contest[places]], axis=0) > 0).all(axis=1)]
        if len(places):
            spread = values.std(axis=0)
            z = np.round((values - values.mean(axis=0)) / np.where(spread > 0, spread, np.nan), 12)
            difference = differences(z, human[used], contest[places], name, unit[used])
            drawn = paired.randomisation(difference, int(unit.max()) + 1, trials, np.random.default_rng(seed))
            p[places] = drawn.reshape(len(places), -1)
    return p


def differences(z: Floats, human: Floats, contest: Ints, name: Correlation, unit: Ints) -> Callable[[Floats], Floats]:
    """Return a function from swapped units (B, U), 1 or 0, to differences of correlations (B, K · H).

    The correlations are those of standardized measures (n, M) with human scores (n, H); contest (K, 2) are the places
    of two measures, unit (n,) is the unit of each pair of phrases.
    """
    mixed = _mixed_ranks if name == "kendall" else _mixed_scores
    under = mixed(z, human, contest, name)

    def difference(swapped: Floats) -> Floats:
        first, second = under(np.ascontiguousarray(swapped.T)[unit])
        values = (first - second).reshape(len(swapped), -1)
        return np.where(np.isnan(values), np.inf, values)  # undefined correlations count as no difference

    return difference


#: Function from swapped pairs of phrases (n, B) to the correlations (B, K, H) of both mixtures of two measures.
_Mixtures = Callable[[Floats], tuple[Floats, Floats]]


def _mixed_ranks(z: Floats, human: Floats, contest: Ints, name: Correlation) -> _Mixtures:
    """Return the correlations of mixtures as those of both measures, one below the other, under weights 0 and 1."""
    kernel, twice = coefficients.KERNELS[name], np.vstack([human, human])
    kernels = [kernel(z[:, pair].T.reshape(-1, 1), twice) for pair in contest]

    def under(swapped: Floats) -> tuple[Floats, Floats]:
        sides = (1 - swapped, swapped), (swapped, 1 - swapped)
        first, second = (np.stack([of(np.vstack(side))[:, 0] for of in kernels], axis=1) for side in sides)
        return first, second

    return under


def _mixed_scores(z: Floats, human: Floats, contest: Ints, name: Correlation) -> _Mixtures:
    """Return the same for Pearson's r of scores, from sums over the equal values of each measure."""
    score, scored = coefficients.SCORES[name], list[tuple[Floats, Floats]]()
    for column in human.T:
        side = EqualValues.of(column)
        scores, squares = score(side.distinct, side.members @ np.ones((len(human), 1)))
        scored.append((scores[side.group, 0], squares))
    people, spread = (np.array(part) for part in zip(*scored, strict=True))
    terms = np.vstack([np.ones(len(human)), people])  # sums over pairs of phrases: their number, human scores
    sides = {place: EqualValues.of(z[:, place]) for place in np.unique(contest).tolist()}
    whole = {place: side.members @ terms.T for place, side in sides.items()}
    both = [EqualValues.of(np.concatenate([sides[a].distinct, sides[b].distinct])) for a, b in contest.tolist()]

    def under(swapped: Floats) -> tuple[Floats, Floats]:
        size = swapped.shape[1]
        weighted = np.hstack([term[:, None] * swapped for term in terms])
        moved = {place: side.members @ weighted for place, side in sides.items()}
        values = np.empty((2, size, len(contest), len(people)))
        for k, (a, b) in enumerate(contest.tolist()):
            every = np.repeat(both[k].members @ np.vstack([whole[a], whole[b]]), size, axis=1)
            stayed = np.repeat(whole[a], size, axis=1) - moved[a]
            first = both[k].members @ np.vstack([stayed, moved[b]])
            for mixture, sums in enumerate((first, every - first)):
                scores, squares = score(both[k].distinct, sums[:, :size])
                covariance = np.einsum("vb,vhb->hb", scores, sums[:, size:].reshape(len(sums), -1, size))
                values[mixture, :, k] = coefficients.ratio(covariance, squares, spread, np.array(len(human))).T
        return values[0], values[1]

    return under
