"""Turn a corpus and settings into paired comparisons of systems: difference, interval, p and corrected p a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from typing import Literal, Unpack, cast, get_args

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, counted, refuse_unless, unavailable
from kp_core.scoring import draws, intervals, paired
from kp_core.scoring.accumulate import Ids, Sums
from kp_core.scoring.codes import BLOCK, Floats
from kp_core.scoring.counts import Counted, count_systems
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.pair_sums import Pairing, common, statistic
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.settings import Average, Changes, Cutoff, Settings, signature
from kp_core.studies import WORDS
from kp_core.studies.facts import too_few
from kp_core.studies.result import Numbers

TRIALS = 10_000
#: Trials whose swaps are unpacked at once: as numbers they take eight times their room.
_TRIALS = 2000
ALPHA = 0.05
EFFECTS = ("d_z", "rank_biserial", "wins", "ties", "losses")
Test = Literal["randomisation", "bootstrap", "t", "wilcoxon"]
TESTS = get_args(Test)
Correction = Literal["holm", "bh", "none"]


@dataclass(frozen=True)
class Family:
    """All pairs of systems by one measure: which test, how often, and how p is corrected over the pairs.

    >>> Family("F1@10").asked.name()
    'F1@10'
    """

    measure: str = "F1@k"
    test: Test = "randomisation"
    correction: Correction = "holm"
    trials: int = TRIALS

    def __post_init__(self) -> None:
        """Refuse what cannot be compared."""
        refuse_unless(self.test, TESTS, "test")
        refuse_unless(self.correction, paired.CORRECTIONS, "correction")
        if self.trials < 1:
            raise UsageError(f"trials is {self.trials}; choose a number from 1 up")
        if self.asked.measure.better == "none":
            raise UsageError(f"{self.asked.name()} ranks no systems: neither more nor less of it is better")

    @property
    def asked(self) -> Asked:
        """The measure as asked for."""
        return parse(self.measure)

    def average(self, settings: Settings) -> str:
        """Return the average that is compared; refuses a test of means over documents for anything else."""
        average = self.asked.averages(settings.average)[0]
        if self.test in ("t", "wilcoxon") and average != "macro":
            text = f"the {self.test} test compares means over documents"
            raise UsageError(f"{text}; choose average = macro or test = randomisation")
        return average


@dataclass(frozen=True, kw_only=True)
class Comparison(Numbers):
    """All pairs of systems at one measure and cutoff.

    frame      one row a pair: difference a − b with its interval, p of the paired test, corrected p
    effects    one row a pair: standardised mean difference d_z, rank-biserial correlation, documents won, tied, lost
    scores     the value of each system on the documents that all of them are scored on
    ranks      the lowest and highest rank of each system in 95 % of the resamples; 1 is best
    documents  how many documents all systems are scored on; left_out: how many not
    clusters   1 is best; better: for each system, those it is significantly better than
    test       name of the test with trials, seed and correction, in words
    """

    effects: pd.DataFrame
    scores: dict[str, float]
    ranks: dict[str, tuple[float, float]]
    clusters: dict[str, int]
    better: dict[str, tuple[str, ...]]
    correction: str
    test: str
    recipe: str
    left_out: int = 0
    caption: str = "Pairs of systems"

    @property
    def signature(self) -> str:
        """The recipe in one line; `settings_from` reads it back."""
        return self.recipe

    def wide(self) -> pd.DataFrame:
        """Return the pairs as people read them: better minus worse, in the order of the values."""
        return self._turned(self.frame)

    def effects_as_read(self) -> pd.DataFrame:
        """Return the effect sizes in the order and the direction of the pairs."""
        return self._turned(self.effects)

    def _turned(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows of pairs turned so that the system with the higher value comes first, the best pairs first."""
        place = {name: number for number, name in enumerate(sorted(self.scores, key=lambda s: -self.scores[s]))}
        behind = frame["a"].map(place) > frame["b"].map(place)
        if "difference" in frame:  # of several measures each has an order of its own
            behind = behind.mask(frame["difference"] != 0, frame["difference"] < 0)
        turned = frame.copy()
        for one, other in (("a", "b"), ("low", "high"), ("wins", "losses")):
            if one in frame:
                turned.loc[behind, [one, other]] = frame.loc[behind, [other, one]].to_numpy()
        for name in turned.columns.intersection(["difference", "low", "high", "d_z", "rank_biserial"]):
            turned.loc[behind, name] = 0.0 - turned.loc[behind, name]  # never −0.000
        order = turned.assign(first=turned["a"].map(place), second=turned["b"].map(place), family=0)
        if keys := [name for name in ("measure", "k") if name in frame]:
            order["family"] = frame.groupby(keys, sort=False, dropna=False).ngroup()
        by = ["family", "first", "second"]
        return order.sort_values(by, kind="stable")[list(frame.columns)].reset_index(drop=True)


def compare(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measure: str = "F1@k",
    *,
    test: Test = "randomisation",
    correction: Correction = "holm",
    trials: int = TRIALS,
    **changes: Unpack[Changes],
) -> Comparison:
    """Compare every pair of systems on the documents that all of them are scored on; the first cutoff counts.

    test        randomisation (paired, two-sided), bootstrap, t or wilcoxon (the last two for means over documents only)
    correction  holm, bh (Benjamini-Hochberg) or none, over all pairs
    trials      random assignments of the randomisation test
    """
    family, data = Family(measure, test, correction, trials), prepare(corpus, settings, **changes)
    return _compared(data, family, family.asked.cutoffs(data.settings)[0])


def compare_all(corpus: Corpus, settings: Settings, families: Sequence[Family]) -> Comparison:
    """Compare by several measures and at every cutoff asked for; each is a family of pairs with its own correction.

    The rows of all stand in one frame; everything else is that of the first.
    """
    data = prepare(corpus, settings)
    concordance = any(one.asked.of_tables for one in families)
    recipe = signature(data.settings, len(data.documents), concordance)
    return one_comparison(
        [_compared(data, one, k) for one in families for k in one.asked.cutoffs(data.settings)], recipe
    )


def one_comparison(comparisons: Sequence[Comparison], recipe: str) -> Comparison:
    """Return the first of some comparisons with the rows and notes of all, under one recipe."""
    frame, notes = pd.concat([one.frame for one in comparisons], ignore_index=True), list(comparisons[0].notes)
    for one in comparisons[1:]:
        asked = f"{one.frame['measure'].iloc[0]}: "
        notes += [replace(note, message=asked + note.message) for note in one.notes if note not in comparisons[0].notes]
    return replace(comparisons[0], frame=frame, notes=tuple(notes), recipe=recipe)


def _compared(data: Prepared, family: Family, cutoff: Cutoff) -> Comparison:
    """Compare the systems of data in memory."""
    systems, settings = count_systems(data, family.asked.of_tables), data.settings
    if len(systems) < 2:
        raise unavailable("one system")
    pairing = Pairing(list(systems), family.asked, family.average(settings), settings.interval, Sums())
    differences = add_pairs(pairing, family, cutoff, data, systems)
    return comparison_of(pairing, family, cutoff, settings, len(data.documents), differences)


def add_pairs(
    pairing: Pairing,
    family: Family,
    cutoff: Cutoff,
    data: Prepared,
    systems: dict[str, Counted],
    streamed: bool = False,
) -> list[Floats]:
    """Add the documents of prepared data, and return the differences of each pair in the last block.

    In memory all are one block, whose weights and swaps come from one generator; streamed, they depend on the ids.
    """
    one, rng = data.settings, np.random.default_rng(data.settings.seed)
    interval = "poisson" if streamed or one.interval == "poisson" else "bootstrap"  # the ranks are always resampled
    parts = {name: own.blocks() if streamed else [own] for name, own in systems.items()}
    size = BLOCK if streamed else len(data.documents)
    for number, begin in enumerate(range(0, len(data.documents), size)):
        ids = data.documents[begin : begin + size]
        block = {name: statistic(own[number], family.asked, cutoff, pairing.average) for name, own in parts.items()}
        shared = common(block)
        scored = list(compress(ids, shared))
        weights = intervals.weights(interval, scored, shared[shared], one.resamples, one.seed, rng)
        differences = pairing.add(block, weights, _swaps(family, scored, one.seed, None if streamed else rng))
        pairing.sums.note({pairing.name: Ids.where(ids, ~shared)})
    return differences


def _swaps(family: Family, ids: Sequence[str], seed: int, rng: np.random.Generator | None) -> Iterator[Floats]:
    """Yield which documents each trial swaps, by their ids where there is no generator; nothing for the other tests."""
    if family.test != "randomisation" or not ids:
        return
    if rng is not None:
        yield from paired.swaps(len(ids), family.trials, rng)
    else:
        swaps = draws.swaps(draws.keys(ids), family.trials, seed)
        for begin in range(0, family.trials, _TRIALS):
            yield swaps[:, begin : begin + _TRIALS].T.astype(float)


def comparison_of(
    pairing: Pairing,
    family: Family,
    cutoff: Cutoff,
    settings: Settings,
    documents: int,
    differences: list[Floats] | None = None,
) -> Comparison:
    """Return the comparison of all pairs from their sums; differences: of all documents, None where streamed."""
    results = pairing.compared(family.test, family.trials, differences)
    values, n = results.scores, results.documents
    words = in_words(family, settings, n, differences is None)
    shown, average = None if family.asked.measure.fixed is not None else cutoff, pairing.average
    pairs = list(combinations(values, 2))
    apart = np.array([values[a] - values[b] for a, b in pairs])
    low, high = apart - results.halves, apart + results.halves
    if n and settings.interval in ("bootstrap", "poisson"):
        drawn = [results.resampled[a] - results.resampled[b] for a, b in pairs]
        low, high = intervals.percentile(np.stack(drawn, axis=1))
    adjusted, tested = np.full(len(pairs), np.nan), ~np.isnan(results.p)  # what was not tested is not corrected for
    adjusted[tested] = paired.CORRECTIONS[family.correction](results.p[tested])
    columns = {
        "measure": family.asked.name(shown),
        "k": pd.Series([shown] * len(pairs), dtype=object),
        "average": average,
        "difference": apart,
        "low": low,
        "high": high,
        "p": results.p,
        "p_adjusted": adjusted,
        "documents": n,
    }
    named = pd.DataFrame(pairs, columns=["a", "b"])
    adjusted_pairs = [(*pair, p) for pair, p in zip(pairs, adjusted.tolist(), strict=True)]
    clusters, better = paired.decisions(values, adjusted_pairs, ALPHA)
    notes, left_out = [Note("info", "test", words)], pairing.sums.ids.get(pairing.name, Ids())
    if len(family.asked.averages(settings.average)) > 1:
        settings = settings.changed(average=cast(Average, average))
        notes.append(Note("info", "average", f"Of both averages, the {average} average is compared."))
    if n < 10:
        notes.append(Note("warning", "documents", f"{too_few(n)} or test"))
    if left_out.count:
        lost = counted(left_out.count, "document is", "documents are")
        text = f"{lost} left out, because not every system is scored there: {left_out}"
        notes.append(Note("warning", "documents", text))
    return Comparison(
        named.assign(**columns),
        settings,
        tuple(notes),
        n,
        effects=named.join(pd.DataFrame(results.effects, columns=list(EFFECTS))),
        scores=values,
        ranks=paired.rank_bounds(results.resampled),
        clusters=clusters,
        better=better,
        correction=family.correction,
        left_out=left_out.count,
        test=words,
        recipe=signature(settings.changed(k=(cutoff,)), documents, family.asked.of_tables),
    )


def in_words(family: Family, settings: Settings, documents: int, streamed: bool = False) -> str:
    """Name the test with everything that is needed to repeat it; streamed, assignments are never enumerated."""
    drawn = f"{family.trials:,} trials, seed {settings.seed}"
    if not streamed and paired.enumerated(documents, family.trials):
        drawn = f"all {2**documents:,} assignments"
    rest = "; streamed, so that no ranks of differences and no rank-biserial correlation are given" if streamed else ""
    test = WORDS["tests"][family.test].format(drawn=drawn, resamples=settings.resamples, seed=settings.seed)
    return f"{test}, {WORDS['corrections'][family.correction]}, level {ALPHA:g}{rest}"
