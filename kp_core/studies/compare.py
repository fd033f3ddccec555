"""Turn a corpus and settings into paired comparisons of systems: difference, interval, p and corrected p a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, counted
from kp_core.scoring import intervals, paired
from kp_core.scoring.average import View
from kp_core.scoring.codes import Bools, Floats, code
from kp_core.scoring.counts import Cells
from kp_core.scoring.measures import Asked, overlap, parse
from kp_core.scoring.prepare import Counted
from kp_core.settings import Cutoff, Settings, make_settings, signature
from kp_core.studies.evaluate import averages_asked, counts_of, resolve
from kp_core.studies.facts import Ids, too_few
from kp_core.studies.result import json_of

TRIALS = 10_000
ALPHA = 0.05
TESTS = ("randomisation", "bootstrap", "t", "wilcoxon")
CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": paired.holm,
    "bh": paired.benjamini_hochberg,
    "none": lambda p: p,
}
PAIR_COLUMNS = ("a", "b", "measure", "k", "average", "difference", "low", "high", "p", "p_adjusted", "documents")


@dataclass(frozen=True)
class Comparison:
    """All pairs of systems at one measure and cutoff.

    frame      one row a pair: difference a − b with its interval, p of the paired test, corrected p
    effects    one row a pair: standardised mean difference d_z, rank-biserial correlation, documents won, tied, lost
    scores     the value of each system on the documents that all of them are scored on
    ranks      the lowest and highest rank of each system in 95 % of the resamples; 1 is best
    documents  how many documents all systems are scored on; left_out: ids of the others,
               and further: how many more there are
    clusters   1 is best; better: for each system, those it is significantly better than
    correction holm, bh or none; test: name of the test with trials, seed and correction, in words
    """

    frame: pd.DataFrame
    effects: pd.DataFrame
    scores: dict[str, float]
    ranks: dict[str, tuple[float, float]]
    documents: int
    left_out: tuple[str, ...]
    clusters: dict[str, int]
    better: dict[str, tuple[str, ...]]
    correction: str
    test: str
    settings: Settings
    signature: str
    further: int = 0

    def as_json(self) -> str:
        """Return the pairs as the one object that the command line prints."""
        return json_of(self.frame, self.signature, self.settings, self.notes)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader must know: the test, and documents that not every system is scored on."""
        notes = [Note("info", "test", self.test)]
        if self.documents < 10:
            notes.append(Note("warning", "documents", f"{too_few(self.documents)} or test"))
        if self.left_out:
            lost = Ids(len(self.left_out) + self.further, self.left_out)
            text = counted(lost.count, "document is", "documents are") + " left out, because not every system is scored"
            notes.append(Note("warning", "documents", f"{text} there: {lost}"))
        return tuple(notes)


def compare(
    corpus: Corpus,
    measure: str = "F1@k",
    *,
    test: str = "randomisation",
    correction: str = "holm",
    trials: int = TRIALS,
    universe: str | float | None = None,
    preset: str = "kpscope",
    **options: Any,
) -> Comparison:
    """Compare every pair of systems on the documents that all of them are scored on.

    test        randomisation (paired, two-sided), bootstrap, t or wilcoxon (the last two for means over documents only)
    correction  holm, bh (Benjamini-Hochberg) or none, over all pairs
    trials      random assignments of the randomisation test; the other options are those of `evaluate`
    """
    spelled = "" if universe is None else str(universe)
    settings = replace(make_settings(preset_name=preset, **options), universe=spelled)
    return compare_with(corpus, settings, measure, trials, test, correction)


def compare_with(
    corpus: Corpus,
    settings: Settings,
    measure: str,
    trials: int = TRIALS,
    test: str = "randomisation",
    correction: str = "holm",
) -> Comparison:
    """Compare under settings made before; the first cutoff counts where the measure names none."""
    asked = checked(measure, trials, test, correction)
    settings, agreement = resolve(corpus, settings)[0], asked.measure.family == "concordance"
    counted = counts_of(corpus, settings, agreement)
    if len(counted) < 2:
        raise UsageError("a comparison needs at least two systems")
    cutoff = asked.fixed if asked.fixed is not None else settings.cutoffs[0]
    average = averages_asked(asked, settings)[0]
    shown = None if asked.measure.fixed is not None else cutoff
    statistics = {name: _Statistic(one, asked, cutoff, average) for name, one in counted.items()}
    common = np.logical_and.reduce([statistic.defined for statistic in statistics.values()])
    refuse_unfit(test, average)
    rng, n = np.random.default_rng(settings.seed), int(common.sum())
    pairs, ids = list(combinations(statistics, 2)), code(corpus).documents
    left_out = tuple(ids[i] for i in np.flatnonzero(~common))
    values, resampled = dict.fromkeys(statistics, float("nan")), dict[str, Floats]()
    p_values, halves = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    if n:
        interval = "poisson" if settings.interval == "poisson" else "bootstrap"  # the ranks are always resampled
        drawn = intervals.weights(interval, ids, common, settings.resamples, settings.seed, rng)
        assert drawn is not None
        weights = drawn if common.all() else drawn[:, common]
        values = {name: float(s.value(common, np.ones((1, n)))[0]) for name, s in statistics.items()}
        resampled = {name: s.value(common, weights) for name, s in statistics.items()}
        p_values = _p_values(test, statistics, pairs, resampled, common, trials, rng)
    if n and settings.interval == "cluster-t":
        moves = {name: s.influence(common) for name, s in statistics.items()}
        halves = np.array([intervals.cluster_t_half((moves[a] - moves[b])[:, None], n)[0] for a, b in pairs])
    words = in_words(test, correction, settings, trials, n)
    found = Compared(values, resampled, p_values, halves, n, _effects(statistics, pairs, common))
    recipe = signature(settings, len(ids), agreement)
    return comparison_of(found, asked.name(shown), shown, average, correction, words, settings, recipe, left_out)


def refuse_unfit(test: str, average: str) -> None:
    """Refuse a test of means over documents for anything else."""
    if test in ("t", "wilcoxon") and average != "macro":
        text = f"the {test} test compares means over documents"
        raise UsageError(f"{text}; choose average = macro or test = randomisation")


@dataclass(frozen=True)
class Compared:
    """What was found of systems and their pairs, from which a comparison is made.

    scores, resampled   of each system: its value, and the values of the resamples (B,)
    p, halves           of each pair (P,): p of the test, and half the width of the cluster t interval
    """

    scores: dict[str, float]
    resampled: dict[str, Floats]
    p: Floats
    halves: Floats
    documents: int
    effects: pd.DataFrame


def comparison_of(
    found: Compared,
    measure: str,
    k: Cutoff | None,
    average: str,
    correction: str,
    test: str,
    settings: Settings,
    recipe: str,
    left_out: tuple[str, ...],
    further: int = 0,
) -> Comparison:
    """Return the comparison of all pairs; further: how many documents are left out beyond those that are named."""
    rows: list[list[Any]] = []
    values, n = found.scores, found.documents
    for (a, b), p, half in zip(combinations(values, 2), found.p, found.halves, strict=True):
        low, high = values[a] - values[b] - half, values[a] - values[b] + half
        if n and settings.interval in ("bootstrap", "poisson"):
            (low,), (high,) = intervals.percentile((found.resampled[a] - found.resampled[b])[:, None])
        rows.append([a, b, measure, k, average, values[a] - values[b], low, high, p, np.nan, n])
    frame = pd.DataFrame(rows, columns=list(PAIR_COLUMNS))
    frame["k"] = pd.Series([k] * len(rows), dtype=object)
    defined = frame["p"].notna().to_numpy()  # what was not tested is not corrected for
    frame.loc[defined, "p_adjusted"] = CORRECTIONS[correction](frame.loc[defined, "p"].to_numpy())
    clusters, better = paired.decisions(values, frame[["a", "b", "p_adjusted"]].to_numpy().tolist(), ALPHA)
    return Comparison(
        frame,
        found.effects,
        values,
        paired.rank_bounds(found.resampled),
        n,
        left_out,
        clusters,
        better,
        correction,
        test,
        settings,
        recipe,
        further,
    )


def checked(measure: str, trials: int, test: str, correction: str) -> Asked:
    """Return the measure, or refuse what cannot be compared."""
    for name, value, known in (("test", test, TESTS), ("correction", correction, CORRECTIONS)):
        if value not in known:
            raise UsageError(f"{name} is '{value}'; choose one of: {', '.join(known)}")
    if trials < 1:
        raise UsageError(f"trials is {trials}; choose a number from 1 up")
    asked = parse(measure)
    if asked.measure.better == "none":
        raise UsageError(f"{asked.name()} ranks no systems: neither more nor less of it is better")
    return asked


def compare_all(
    corpus: Corpus, settings: Settings, measures: Sequence[str], trials: int, test: str, correction: str
) -> Comparison:
    """Compare by several measures and at every cutoff asked for; each is a family of pairs with its own correction.

    The rows of all stand in one frame; everything else is that of the first.
    """
    settings, _ = resolve(corpus, settings)
    found = []
    for measure in measures:
        cutoffs = settings.k if parse(measure).fixed is None else settings.k[:1]
        for cutoff in cutoffs:
            found.append(compare_with(corpus, replace(settings, k=(cutoff,)), measure, trials, test, correction))
    frame = pd.concat([one.frame for one in found], ignore_index=True)
    agreement = any(parse(measure).measure.family == "concordance" for measure in measures)
    recipe = signature(settings, len(code(corpus).documents), agreement)
    return replace(found[0], frame=frame, settings=settings, signature=recipe)


def in_words(test: str, correction: str, settings: Settings, trials: int, documents: int) -> str:
    """Name the test with everything that is needed to repeat it."""
    seed = f"seed {settings.seed}"
    drawn = f"{trials:,} trials, {seed}"
    if paired.enumerated(documents, trials):
        drawn = f"all {2**documents:,} assignments"
    tests = {
        "randomisation": f"paired randomisation test over documents, two-sided, {drawn}",
        "bootstrap": f"paired bootstrap over documents, two-sided, {settings.resamples:,} resamples, {seed}",
        "t": "paired t test over documents, two-sided",
        "wilcoxon": "Wilcoxon's signed-rank test over documents, two-sided, zeros dropped",
    }
    corrections = {
        "holm": "Holm's correction over all pairs",
        "none": "no correction",
        "bh": "correction of Benjamini and Hochberg over all pairs",
    }
    return f"{tests[test]}, {corrections[correction]}, level {ALPHA:g}"


def _effects(statistics: dict[str, _Statistic], pairs: list[tuple[str, str]], common: Bools) -> pd.DataFrame:
    rows = []
    for a, b in pairs:
        difference = (statistics[a].per_document - statistics[b].per_document)[common, 0]
        rows.append((a, b, *astuple(paired.effect(difference[~np.isnan(difference)]))))
    return pd.DataFrame(rows, columns=["a", "b", "d_z", "rank_biserial", "wins", "ties", "losses"])


def _p_values(
    test: str,
    statistics: dict[str, _Statistic],
    pairs: list[tuple[str, str]],
    resampled: dict[str, Floats],
    common: Bools,
    trials: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the p-value of every pair; the random assignments are the same for all pairs of a mean."""
    if test == "bootstrap":
        return np.array([paired.bootstrap(resampled[a] - resampled[b]) for a, b in pairs])
    if test == "randomisation" and next(iter(statistics.values())).average != "macro":
        return np.array([_swapped(statistics[a], statistics[b], common, trials, rng) for a, b in pairs])
    differences = np.hstack([(statistics[a].per_document - statistics[b].per_document)[common] for a, b in pairs])
    if test == "randomisation":
        return paired.randomisation(differences, trials, rng)
    one = paired.t_test if test == "t" else paired.wilcoxon_test
    return np.array([one(column)[1] for column in differences.T])


class _Statistic:
    """A system's aggregated measure as a function of document weights."""

    def __init__(self, counted: Counted, asked: Asked, cutoff: Cutoff, average: str) -> None:
        view = View(counted.of(asked), (cutoff,))
        self.asked, self.average = asked, average
        self.per_document = view.values(asked)
        self.cells: Cells = view.cells
        used = view.used
        self.defined: Bools = used if average == "micro" else used & ~np.isnan(self.per_document[:, 0])
        self.parts = [view.values(parse(name)) for name in ("P@k", "R@k")] if average == "f-of-means" else []

    def value(self, documents: Bools, weights: Floats) -> Floats:
        """Return the measure for every row of weights (B, documents) → (B,)."""
        if self.average == "micro":
            return np.asarray(self.asked.scores(self.kept(documents).pooled(weights))[:, 0])
        total = weights.sum(axis=1)
        if self.average == "f-of-means" and self.asked.measure.name == "F1@k":
            p, r = ((weights @ part[documents])[:, 0] / total for part in self.parts)
            return overlap.ratio(2 * p * r, p + r)
        return np.asarray((weights @ self.per_document[documents])[:, 0] / total)

    def influence(self, documents: Bools) -> Floats:
        """Return how much each of some documents moves the measure (documents,)."""
        if self.average == "micro":
            return intervals.influence(self.kept(documents), self.asked.scores)[:, 0]
        n = int(documents.sum())
        moves = [(one[documents, 0] - one[documents, 0].mean()) / n for one in (self.per_document, *self.parts)]
        if self.average == "f-of-means" and self.asked.measure.name == "F1@k":
            step = 1e-30
            p, r = (
                part[documents, 0].mean() + 1j * step * move for part, move in zip(self.parts, moves[1:], strict=True)
            )
            return np.asarray(np.imag(overlap.ratio(2 * p * r, p + r)) / step)
        return np.asarray(moves[0])

    def kept(self, documents: Bools) -> Cells:
        """Return the counts of some documents."""
        return self.cells.only(documents)


def _swapped(a: _Statistic, b: _Statistic, common: Bools, trials: int, rng: np.random.Generator) -> float:
    """Return p of the randomisation test of pooled counts: labels of the two systems swapped per document."""

    def statistic(swapped: Floats) -> Floats:
        # A swapped document gives its counts to the other system.
        stacked = np.hstack([1 - swapped, swapped])
        return _mixed(a, b, common, stacked) - _mixed(b, a, common, stacked)

    return float(paired.randomisation_of(statistic, int(common.sum()), trials, rng))


def _mixed(a: _Statistic, b: _Statistic, common: Bools, weights: Floats) -> Floats:
    """Return the measure of a system that takes some documents from `a` and the others from `b`."""
    both = a.kept(common).joined(b.kept(common))
    if a.average == "micro":
        return np.asarray(a.asked.scores(both.pooled(weights))[:, 0])
    total = weights.sum(axis=1)
    p, r = (
        (weights @ np.vstack([one[common], two[common]]))[:, 0] / total
        for one, two in zip(a.parts, b.parts, strict=True)
    )
    if a.asked.measure.name != "F1@k":
        return np.asarray(p if a.asked.measure.name == "P@k" else r)
    return overlap.ratio(2 * p * r, p + r)
