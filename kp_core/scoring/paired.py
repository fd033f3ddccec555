"""Compute p-values, effect sizes and corrected decisions for pairs of systems from differences per document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd

from kp_core.errors import UsageError, refuse_unless
from kp_core.scoring import intervals
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures import Measure, parse
from kp_core.scoring.order import exceeds, leveled, reaches
from kp_core.settings import Cutoff, Settings

TRIALS = 10_000
ALPHA = 0.05
Test = Literal["randomisation", "bootstrap", "t", "wilcoxon", "two-way-t", "multi-bootstrap"]
TESTS = get_args(Test)
Correction = Literal["holm", "bh", "none"]
#: Maximum number of random signs in memory.
_SIGNS_IN_MEMORY = 8_000_000


def enumerated(n_documents: int, n_trials: int) -> bool:
    """Return whether all assignments of swaps are enumerated, which requires that they are few.

    >>> enumerated(5, 10_000), enumerated(20, 10_000)
    (True, False)
    """
    return n_documents < 60 and 2**n_documents <= n_trials + 1


def swaps(n_documents: int, n_trials: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield blocks of rows (T, D), in which 1 marks a document swapped in a trial of the paired randomization test.

    If there are at most trials + 1 assignments, the rows are all 2^D, including the identity; else they are random.
    Source: Fisher 1935; Noreen 1989; Phipson & Smyth 2010.
    """
    if enumerated(n_documents, n_trials):
        yield ((np.arange(2**n_documents)[:, None] >> np.arange(n_documents)) & 1).astype(float)
        return
    for begin in range(0, n_trials, 500):
        size = min(500, n_trials - begin)
        random_bytes = rng.integers(0, 256, (size, (n_documents + 7) // 8), np.uint8)
        for rows in np.array_split(random_bytes, min(size, max(1, 8 * random_bytes.size // _SIGNS_IN_MEMORY))):
            yield np.unpackbits(rows, axis=1)[:, :n_documents].astype(float)


def p_of_trials(observed: Floats, trials: Iterable[Floats], exhaustive: bool) -> Floats:
    """Return two-sided p-values (P,): the share of trials (T, P or 1) at least as extreme as the observed values (P,).

    With c such trials, p = (c + 1) / (T + 1), which is never 0; p = c / T if the trials enumerate all assignments.
    """
    extreme, n_trials = np.zeros(np.shape(observed)), 0
    for block in trials:
        extreme += reaches(np.abs(block), np.abs(observed)).sum(axis=0)
        n_trials += len(block)
    return np.asarray(extreme / n_trials if exhaustive else (extreme + 1) / (n_trials + 1))


def randomisation(
    statistic: Callable[[Floats], Floats], n_documents: int, trials: int, rng: np.random.Generator, joint: bool = False
) -> Floats:
    """Return the two-sided p-values of a statistic, a function of rows of `swaps`: (B, D) → (B,) or (B, P).

    * `joint`: correct for all P tests by comparing each with the largest value of a trial (Westfall & Young 1993)

    >>> totals = np.array([1.0, 2.0, 3.0])
    >>> float(randomisation(lambda swapped: 6 - 2 * swapped @ totals, 3, 10_000, np.random.default_rng(0)))
    0.25
    """
    observed = statistic(np.zeros((1, n_documents)))[0]
    trial_values: Iterable[Floats] = map(statistic, swaps(n_documents, trials, rng))
    if joint:
        trial_values = (np.abs(values).max(axis=1, keepdims=True) for values in trial_values)
    return p_of_trials(observed, trial_values, enumerated(n_documents, trials))


def bootstrap(differences: Floats) -> float:
    """Return the two-sided p-value from resampled differences (B,): twice the smaller tail, (c+1)/(B+1), at most 1.

    Undefined resamples are left out; the result is NaN if too many are undefined.

    >>> bootstrap(np.array([0.1, 0.2, 0.3, -0.1]))
    0.8
    """
    undefined = np.isnan(differences)
    if undefined.mean() > intervals.MOST_UNDEFINED:
        return float("nan")
    differences = differences[~undefined]
    tail = min(reaches(0, differences).sum(), reaches(differences, 0).sum())
    return float(min(1.0, 2 * (tail + 1) / (len(differences) + 1)))


def rank_biserial(difference: Floats) -> float:
    """Return the rank-biserial correlation of per-document differences (D,), NaN if all are 0.

    >>> rank_biserial(np.array([3.0, -1.0, 2.0])) == (3 + 2 - 1) / 6
    True
    """
    nonzero = leveled(difference)
    nonzero = nonzero[nonzero != 0]
    mid_ranks = pd.Series(np.abs(nonzero)).rank().to_numpy()  # mid-ranks; scipy.stats takes half a second to import
    return float((mid_ranks * np.sign(nonzero)).sum() / mid_ranks.sum()) if len(nonzero) else float("nan")


def wilcoxon_test(difference: Floats) -> tuple[float, float, int]:
    """Return W and the two-sided p-value of the signed-rank test (normal approximation), and the zeros dropped."""
    from scipy.stats import wilcoxon

    nonzero = leveled(difference)
    nonzero = nonzero[nonzero != 0]
    if len(nonzero) == 0:
        return float("nan"), float("nan"), len(difference)
    result = wilcoxon(nonzero, method="asymptotic", correction=False)
    return float(result.statistic), float(result.pvalue), len(difference) - len(nonzero)


def holm(p: Floats) -> Floats:
    """Return Holm's adjusted p-values.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.minimum(1, (len(p) - np.arange(len(p))) * p[order]))
    adjusted = np.empty(len(p))
    adjusted[order] = steps
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the adjusted p-values of Benjamini and Hochberg.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p)) if len(p) else p


#: Corrections of p-values for the number of tests in a family.
CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {"holm": holm, "bh": benjamini_hochberg, "none": lambda p: p}


def rank_clusters(values: Floats, p_adjusted: Floats, alpha: float = ALPHA) -> list[int]:
    """Return the cluster (1 is best) of each system, from its value (S,) and the adjusted p-values of all pairs (S, S).

    From best to worst, a system opens a new cluster if any system of the current cluster is significantly better.
    """
    clusters, current, members = [0] * len(values), 0, list[int]()
    for system in np.argsort(-leveled(values), kind="stable"):
        if current == 0 or any(p_adjusted[member, system] < alpha for member in members):
            current, members = current + 1, []
        clusters[system] = current
        members.append(int(system))
    return clusters


def decisions(
    values: dict[str, float], pairs: list[tuple[str, str, float]], alpha: float
) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """Return the cluster of each system, and the systems significantly worse than it, from adjusted p-values."""
    names = list(values)
    adjusted = np.ones((len(names), len(names)))
    for a, b, p in pairs:
        adjusted[names.index(a), names.index(b)] = adjusted[names.index(b), names.index(a)] = p
    clusters = rank_clusters(np.array([values[name] for name in names]), adjusted, alpha)
    worse = {
        a: tuple(b for j, b in enumerate(names) if adjusted[i, j] < alpha and exceeds(values[a], values[b]))
        for i, a in enumerate(names)
    }
    return dict(zip(names, clusters, strict=True)), worse


def rank_bounds(resampled: dict[str, Floats]) -> dict[str, tuple[float, float]]:
    """Return the 95% bounds of each system's rank over resamples; tied systems share the best rank."""
    values = np.array(list(resampled.values()))
    if not len(values) or np.isnan(values).any():
        return {}
    ranks = exceeds(values[None], values[:, None]).sum(axis=1) + 1
    low, high = np.quantile(ranks, [0.025, 0.975], axis=1, method="inverted_cdf")
    return {name: (float(low[i]), float(high[i])) for i, name in enumerate(resampled)}


@dataclass(frozen=True)
class Family:
    """A family of comparisons: measure, test, number of trials, and correction for the number of pairs.

    * `baseline`: the system with which all others are compared, instead of all pairs
    * `margin`: smallest difference of interest; if it is given, each pair gets a verdict

    >>> Family("F1@10").parsed.name()
    'F1@10'
    """

    measure: str = "F1@k"
    test: Test = "randomisation"
    correction: Correction = "holm"
    trials: int = TRIALS
    baseline: str = ""
    margin: float | None = None

    def __post_init__(self) -> None:
        """Raise a UsageError if a choice is unknown or invalid."""
        refuse_unless(self.test, TESTS, "test")
        refuse_unless(self.correction, CORRECTIONS, "correction")
        if self.trials < 1:
            raise UsageError(f"trials is {self.trials}; choose a number of at least 1")
        if self.margin is not None and not 0 <= self.margin < 1:
            raise UsageError(f"margin is {self.margin:g}; choose a difference from 0 to 1")
        if self.parsed.card.better == "none":
            raise UsageError(
                f"{self.parsed.name()} cannot rank systems, because neither high nor low values are better"
            )

    @property
    def parsed(self) -> Measure:
        """The measure with its cutoff or parameter."""
        return parse(self.measure)

    def pairs(self, systems: Sequence[str]) -> list[tuple[str, str]]:
        """Return all pairs of systems, or every system with the baseline."""
        if not self.baseline:
            return list(combinations(systems, 2))
        if self.baseline not in systems:
            choices = ", ".join(systems)
            raise UsageError(f"the baseline '{self.baseline}' is not among the systems; choose one of: {choices}")
        return [(name, self.baseline) for name in systems if name != self.baseline]

    def average(self, settings: Settings) -> str:
        """Return the average to compare; refuse tests of means if it is not a mean over documents."""
        average = self.parsed.averages(settings.average)[0]
        if self.test in ("t", "wilcoxon") and average != "macro":
            text = f"the {self.test} test compares means over documents"
            raise UsageError(f"{text}; choose average = macro or test = randomisation")
        return average


@dataclass(frozen=True)
class FamilyAt:
    """A family of comparisons at one cutoff under given settings."""

    family: Family
    cutoff: Cutoff
    settings: Settings

    @property
    def parsed(self) -> Measure:
        """The measure with its cutoff or parameter."""
        return self.family.parsed

    @cached_property
    def average(self) -> str:
        """The average that is compared."""
        return self.family.average(self.settings)
