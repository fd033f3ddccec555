"""Turn a corpus and settings into paired comparisons of systems: difference, interval, p and corrected p a pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, input_error, named, pluralize, refuse_unless, usage_error
from kp_core.scoring import intervals, paired
from kp_core.scoring.accumulate import Ids, Sums
from kp_core.scoring.codes import BLOCK, Coded, Floats, ragged
from kp_core.scoring.counts import SystemCounts
from kp_core.scoring.measures import matchers
from kp_core.scoring.order import best_first, close, exceeds, leveled, reaches
from kp_core.scoring.pair_sums import (
    COMPARABLE,
    Compared,
    ListCounts,
    Pairing,
    common,
    compared_over_runs,
    compared_over_subjects,
    list_counts,
    statistic,
)
from kp_core.scoring.paired import ALPHA, TRIALS, Correction, Family, FamilyAt, Test, other_rule
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import OVER_RUNS, have_runs, over_runs, runs_of
from kp_core.scoring.systems import count_systems
from kp_core.settings import SUBJECT, Cutoff, Settings, resolve_settings, signature
from kp_core.studies import WORDS
from kp_core.studies.answer import Grade
from kp_core.studies.facts import too_few
from kp_core.studies.means import notes_of_datasets, subset_of
from kp_core.studies.parts import DATASET, parse_by, parts
from kp_core.studies.result import Numbers

EFFECTS = ("d_z", "rank_biserial", "wins", "ties", "losses")
#: What a difference from a baseline says; systems that are not comparable fail every gate.
Verdict = Literal["better", "not worse", "worse", "cannot tell", "not comparable"]
VERDICTS = get_args(Verdict)
#: With fewer documents no difference is called significant.
FEW = 10
#: With fewer degrees of freedom between runs a single run has no test: .10 false positives with two runs against one.
_FEWEST_FREEDOM = 2


@dataclass(frozen=True)
class BetterOn:
    """On how many data sets, at least, a system is better than another one, and on which.

    a, b    systems; better: how many of the data sets that have both; which: their names, by Holm's correction
    """

    a: str
    b: str
    better: int
    of: int
    which: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """What was found of a pair of systems: difference, its interval, corrected p, on how many documents."""

    difference: float
    low: float
    high: float
    p: float
    documents: int

    @staticmethod
    def of(row: pd.Series, turned: bool) -> Found:
        """Return what a row of a comparison holds; turned: of the second system minus the first."""
        bounds = (-row["high"], -row["low"]) if turned else (row["low"], row["high"])
        sign = -1 if turned else 1
        return Found(sign * row["difference"], *bounds, row["p_adjusted"], int(row["documents"]))

    def grade(self, capped: bool = False) -> Grade:
        """Return how sure the difference is; capped: nothing may be called significant.

        >>> Found(0.1, 0.01, 0.2, 0.03, 20).grade(), Found(0.1, 0.01, 0.2, 0.07, 20).grade()
        ('significant', 'suggestive')
        """
        if self.p < ALPHA and self.documents >= FEW and not capped:
            return "significant"
        return "suggestive" if self.p < ALPHA or exceeds(self.low, 0) or exceeds(0, self.high) else "not significant"


@dataclass(frozen=True, kw_only=True)
class Comparison(Numbers):
    """Comparison of all pairs of systems at one measure and cutoff.

    Attributes
    ----------
    frame : DataFrame
        One row per pair: difference a − b with its interval, p of the paired test, corrected p.
    effects : DataFrame
        One row per pair: standardized mean difference d_z, rank-biserial correlation, documents won, tied, lost.
    scores : dict
        Value of each system on the documents on which all are scored.
    ranks : dict
        Lowest and highest rank of each system in 95% of the resamples; 1 is best.
    clusters : dict
        Rank cluster of each system; 1 is best.
    better : dict
        For each system, those it is significantly better than.
    documents, left_out : int
        Numbers of documents on which all systems are scored, and of others.
    datasets : dict
        Comparison on each of several data sets. The frame then has their rows, `scores` are means over all, and
        `better` has systems that are worse on at least one.
    baseline : str
        System with which all others are compared, if any.
    test : str
        Test with trials, seed and correction, in words.
    lists, runs
        Numbers of documents with lists, and of runs.
    otherwise : DataFrame
        One row per pair with missing lists: values, difference, interval and p under the other convention (shared
        documents if missing lists count as empty, and vice versa).
    decisive : dict
        Pair → corrected p that decides significance: the larger one under both conventions; 1 if they disagree in
        direction, systems are not comparable, there are fewer than ten documents, or the pair is capped.
    capped : set
        Pairs that cannot be significant, because one system has a single run and the others too few to estimate their
        variance, or because a list is missing from streamed data.
    identical : dict
        System → first system with the same lists; counted once in the family of tests.
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
    baseline: str = ""
    datasets: dict[str, Comparison] = field(default_factory=dict)
    over_datasets: tuple[BetterOn, ...] = ()
    lists: ListCounts = field(default_factory=ListCounts)
    runs: Mapping[str, int] = field(default_factory=dict)
    otherwise: pd.DataFrame = field(default_factory=pd.DataFrame)
    decisive: Mapping[tuple[str, str], float] = field(default_factory=dict)
    capped: frozenset[tuple[str, str]] = frozenset()
    identical: Mapping[str, str] = field(default_factory=dict)

    def grade(self, a: str, b: str) -> Grade:
        """Grade the evidence that system a, which has the higher value, is better than system b.

        Under both rules for missing lists, where one is missing: what differs depends on them.
        """
        if not self.comparable(a, b):
            return "not comparable"
        ways = [way for way in (self.found(a, b), self.found(a, b, self.otherwise)) if way is not None]
        capped = not {(a, b), (b, a)}.isdisjoint(self.capped)
        grades = {way.grade(capped) for way in ways}
        differ = len(grades) > 1 or exceeds(0, min(way.difference for way in ways))
        return "depends on missing lists" if differ else grades.pop()

    def leader(self, level: float = ALPHA) -> str:
        """Return the system that is significantly better than every other one; empty if none is."""
        values = [name for name in best_first(self.scores) if self.scores[name] == self.scores[name]]
        best = next(iter(values), "")
        p = [self.decisive.get((best, name), self.decisive.get((name, best), 1.0)) for name in values if name != best]
        return best if p and max(p) < level else ""

    def comparable(self, a: str, b: str) -> bool:
        """Return whether two systems have lists for nearly the same documents, and for nearly all in use."""
        return _comparable(self.lists, self.documents < COMPARABLE * (self.documents + self.left_out), a, b)

    def found(self, a: str, b: str, rows: pd.DataFrame | None = None) -> Found | None:
        """Return what was found of a pair, as a minus b, in the frame or in other rows; None if it is not there."""
        rows = self.frame if rows is None else rows
        for one, other in ((a, b), (b, a)) if len(rows) else ():
            of_pair = rows[(rows["a"] == one) & (rows["b"] == other)]
            if len(of_pair):
                return Found.of(of_pair.iloc[0], one != a)
        return None

    @property
    def signature(self) -> str:
        """The signature in one line; `settings_from` reads it back."""
        return self.recipe

    def wide(self) -> pd.DataFrame:
        """Return the pairs as people read them: better minus worse, in the order of the values.

        Differences from a baseline stay so.
        """
        return self.frame if self.baseline else self.better_first()

    def better_first(self) -> pd.DataFrame:
        """Return the pairs as better minus worse, in the order of the values."""
        return self._turned(self.frame)

    def effects_as_read(self) -> pd.DataFrame:
        """Return the effect sizes in the order and the direction of the pairs."""
        return self.effects if self.baseline else self._turned(self.effects)

    def content(self) -> dict[str, Any]:
        """Return what the command line prints in JSON, with what contains over several data sets."""
        over = {"over_datasets": [asdict(one) for one in self.over_datasets]} if self.datasets else {}
        return super().content() | over

    def _turned(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows of pairs, swapped so that the system with the higher value comes first; best pairs first."""
        place = {name: number for number, name in enumerate(best_first(self.scores))}
        behind = frame["a"].map(place) > frame["b"].map(place)
        if "difference" in frame:  # of several measures each has an order of its own
            differences = leveled(frame["difference"])
            behind = behind.mask(differences != 0, differences < 0)
        turned = frame.copy()
        for one, other in (("a", "b"), ("low", "high"), ("wins", "losses")):
            if one in frame:
                turned.loc[behind, [one, other]] = frame.loc[behind, [other, one]].to_numpy()
        for name in turned.columns.intersection(["difference", "low", "high", "d_z", "rank_biserial"]):
            turned.loc[behind, name] = 0.0 - turned.loc[behind, name]  # never −0.000
        order = turned.assign(first=turned["a"].map(place), second=turned["b"].map(place), family=0)
        if keys := [name for name in ("measure", "k", "subset") if name in frame]:
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
    baseline: str = "",
    margin: float | None = None,
    by: str = "",
    **changes: Any,
) -> Comparison:
    """Compare all pairs of systems on the documents on which all of them are scored; the first cutoff is used.

    Parameters
    ----------
    measure : str
        Name of `kp.MEASURES`.
    test : str
        randomisation (paired, two-sided) or bootstrap; t or wilcoxon for means over documents; two-way-t or
        multi-bootstrap if a system has several runs.
    correction : str
        holm, bh (Benjamini-Hochberg) or none, over all pairs.
    trials : int
        Number of random assignments of the randomization test.
    baseline : str, optional
        Compare all other systems with this one only.
    margin : float, optional
        Smallest difference of interest. Each pair gets a verdict by the interval of its difference a − b: better
        (entirely above 0), not worse (entirely above −margin), worse (entirely below 0, partly below −margin), or
        cannot tell.
    by : "" or "dataset"
        Require several data sets. They are always compared separately; `over_datasets` of the result gives the number
        on which a system is better.
    **changes
        Fields of `Settings`.
    """
    refuse_unless(by, ("", DATASET), "by")
    if by and not corpus.datasets:
        raise input_error("the documents", "no data set")
    family = Family(measure, test, correction, trials, baseline, margin)
    asked = resolve_settings(corpus, settings, changes)
    if corpus.datasets:
        return _over_datasets(corpus, asked.changed(k=asked.k[:1]), [family])
    data = _prepared(corpus, asked)
    return compared(data, family, family.asked.cutoffs(data.settings)[0])


def compare_parts(corpus: Corpus, settings: Settings, measure: str, by: str) -> dict[str, Comparison]:
    """Compare every pair of systems in each part of the data: name of the part → the comparison.

    by  what distinguishes the parts, such as presence
    """
    data, family = _prepared(corpus, settings), Family(measure)
    cutoff = family.asked.cutoffs(data.settings)[0]
    systems = count_systems(data, matchers([family.asked]))
    each = {
        name.partition(":")[2]: compared(data, family, cutoff, own[0])
        for name, own in parts(data, [systems], parse_by(by)).items()
        if name != "all"
    }
    return {name: comparison for name, comparison in each.items() if comparison.documents}


def _prepared(corpus: Corpus, settings: Settings) -> Prepared:
    """Return a corpus under settings whose interval takes runs as a sample, where a system has several."""
    data = prepare(corpus, settings)
    return replace(data, settings=over_runs(data.settings, data.names.systems))


def compare_all(corpus: Corpus, settings: Settings, families: Sequence[Family]) -> Comparison:
    """Compare by several measures and at every cutoff asked for; each is a family of pairs with its own correction.

    The rows of all occur in one frame; everything else is that of the first.
    """
    if corpus.datasets:
        return _over_datasets(corpus, settings, families)
    data, concordance = _prepared(corpus, settings), any(one.asked.of_tables for one in families)
    recipe = signature(data.settings, len(data.documents), concordance)
    return one_comparison(
        [compared(data, one, k) for one in families for k in one.asked.cutoffs(data.settings)], recipe
    )


def _over_datasets(corpus: Corpus, settings: Settings, families: Sequence[Family]) -> Comparison:
    """Compare on every data set that has two systems; the first family and cutoff say on how many one is better."""
    settings = over_runs(settings, corpus.systems)
    parts = {name: part for name, part in corpus.by_dataset.items() if len(runs_of(part.systems)) > 1}
    if not parts:
        raise usage_error("one system")
    comparisons = dict[str, Comparison]()
    for name, part in parts.items():
        with named(name):
            comparisons[name] = compare_all(part, settings, families)
    first = next(iter(comparisons.values()))
    frames = [one.frame.assign(subset=subset_of(name, "all")) for name, one in comparisons.items()]
    effects = [one.effects.assign(subset=subset_of(name, "all")) for name, one in comparisons.items()]
    systems = dict.fromkeys(name for one in comparisons.values() for name in one.scores)
    # Where one system alone is on a data set, no two of them have a mean over all.
    missing = [np.nan] * (len(comparisons) < len(corpus.datasets))
    means = {name: [one.scores.get(name, np.nan) for one in comparisons.values()] for name in systems}
    scores = {name: float(np.mean(values + missing)) for name, values in means.items()}
    over = tuple(better_on(comparisons))
    documents = sum(one.documents + one.left_out for one in comparisons.values())
    settings_used = {one.settings for one in comparisons.values()}
    settled = first.settings if len(settings_used) == 1 else settings
    return replace(
        first,
        frame=pd.concat(frames, ignore_index=True),
        effects=pd.concat(effects, ignore_index=True),
        notes=notes_of_datasets(corpus, comparisons),
        documents=sum(one.documents for one in comparisons.values()),
        left_out=sum(one.left_out for one in comparisons.values()),
        scores=scores,
        ranks={},
        clusters={},
        better={name: tuple(one.b for one in over if one.a == name) for name in systems},
        datasets=comparisons,
        over_datasets=over,
        recipe=signature(settled, documents, any(one.asked.of_tables for one in families)),
    )


def better_on(found: Mapping[str, Comparison]) -> Iterator[BetterOn]:
    """Report for every ordered pair of systems on how many data sets the first is better, if on any.

    p of a data set is that of its pair after the correction over pairs there, two-sided, since both directions are
    looked at. At least u of N data sets: p = (N − u + 1) · p_(u), made monotone. Holm's adjusted p, in order, are the
    same numbers; so it names which. A data set on which the two are not comparable does not count, and one of fewer
    than ten documents shows nothing.
    Source: Dror, Baumer, Bogomolov & Reichart 2017, Replicability analysis for natural language processing.
    """
    pairs = dict.fromkeys(pair for one in found.values() for a, b in one.decisive for pair in ((a, b), (b, a)))
    for a, b in pairs:
        tested = {name: one for name, one in found.items() if {a, b} <= one.scores.keys() and one.comparable(a, b)}
        p = [one.decisive.get((a, b), one.decisive.get((b, a), 1.0)) for one in tested.values()]
        ahead = [exceeds(one.scores[a], one.scores[b]) for one in tested.values()]
        adjusted = paired.holm(np.where(ahead, p, 1.0))
        which = tuple(name for name, own in zip(tested, adjusted, strict=True) if own <= ALPHA)
        if which:
            yield BetterOn(a, b, len(which), len(tested), which)


def one_comparison(comparisons: Sequence[Comparison], recipe: str) -> Comparison:
    """Concatenate comparisons: the first, with the rows and notes of all, under one signature."""
    frame, notes = pd.concat([one.frame for one in comparisons], ignore_index=True), list(comparisons[0].notes)
    for one in comparisons[1:]:
        asked = f"{one.frame['measure'].iloc[0]}: "
        notes += [replace(note, message=asked + note.message) for note in one.notes if note not in comparisons[0].notes]
    return replace(comparisons[0], frame=frame, notes=tuple(notes), recipe=recipe)


def compared(
    data: Prepared, family: Family, cutoff: Cutoff, systems: dict[str, SystemCounts] | None = None
) -> Comparison:
    """Compare the systems of data in memory; systems: their counts, where these are of a part of the data."""
    at = FamilyAt(family, cutoff, data.settings)
    if systems and at.average in SUBJECT:
        raise usage_error("by subject", average=at.average)
    systems = systems or count_systems(data, matchers([family.asked]))
    groups = runs_of(systems)
    if len(groups) < 2:
        raise usage_error("one system")
    if at.average in SUBJECT and family.test != "randomisation":
        raise usage_error("test over subjects", test=family.test)
    if _over_runs(at, systems) and at.average not in SUBJECT and family.test not in OVER_RUNS:
        if family.test != "randomisation":
            raise UsageError(
                f"the {family.test} test does not support runs; choose test = two-way-t or multi-bootstrap"
            )
        test: Test = "multi-bootstrap" if data.settings.interval == "multi-bootstrap" else "two-way-t"
        at = replace(at, family=replace(family, test=test))
    lists = list_counts(systems)
    results = _results(data, at, systems)
    # What a missing list does is seen under the other rule, on the two systems by themselves.
    ruled = {
        name: own.changed(lambda counts: replace(counts, settings=other_rule(counts.settings)))
        for name, own in systems.items()
    }
    otherwise = {
        number: _results(data, at, {run: ruled[run] for name in pair for run in groups[name]})
        for number, pair in enumerate(results.pairs)
        if lists.lacking(*pair) and lists.shared(*pair)
    }
    results = replace(results, lists=lists, otherwise=otherwise, identical=_identical(data.coded, groups))
    found = comparison_of(results, at, len(data.documents))
    told = [one for one in data.corpus.report.notes if one.level == "warning" and one.where in data.names.systems]
    return replace(found, notes=(*found.notes, *told))


def _over_runs(at: FamilyAt, systems: dict[str, SystemCounts]) -> bool:
    """Return whether the runs of systems are a sample, next to the documents."""
    return have_runs(list(systems)) or at.settings.interval in OVER_RUNS or at.family.test in OVER_RUNS


def _results(data: Prepared, at: FamilyAt, systems: dict[str, SystemCounts]) -> Compared:
    """Return what is found of pairs of systems, by the test that their data and the settings ask for."""
    if at.average in SUBJECT:
        return compared_over_subjects(data, systems, at)
    if _over_runs(at, systems):
        counts = {name: [systems[run].of(at.asked) for run in runs] for name, runs in runs_of(systems).items()}
        return compared_over_runs(counts, data.documents, at)
    pairing = Pairing(at, list(systems), Sums())
    return pairing.compared(add_pairs(pairing, data, systems))


def _identical(coded: Coded, groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return system → the first system with the same lists in all its runs, for those that are not first."""
    first, found = dict[tuple[bytes, ...], str](), dict[str, str]()
    for name, runs in groups.items():
        each = [coded.runs[run] for run in runs]
        same = tuple(
            part.tobytes()
            for run in each
            for part in (run.listed, run.length, run.phrase[ragged(run.start, run.length)])
        )
        if (other := first.setdefault(same, name)) != name:
            found[name] = other
    return found


def add_pairs(
    pairing: Pairing, data: Prepared, systems: dict[str, SystemCounts], streamed: bool = False
) -> list[Floats]:
    """Add the documents of prepared data, and return the differences of each pair in the last block.

    In memory all are one block, whose weights and swaps come from one generator; streamed, they depend on the ids.
    """
    one, at, rng = data.settings, pairing.at, np.random.default_rng(data.settings.seed)
    # The ranks are always resampled.
    drawn = one.changed(interval="poisson" if streamed or one.interval == "poisson" else "bootstrap")
    parts = {name: own.blocks() if streamed else [own] for name, own in systems.items()}
    size = BLOCK if streamed else len(data.documents)
    for number, begin in enumerate(range(0, len(data.documents), size)):
        ids, counts = data.documents[begin : begin + size], {name: own[number] for name, own in parts.items()}
        block = {name: statistic(own, at.asked, at.cutoff, at.average) for name, own in counts.items()}
        shared = common(block)
        scored = list(compress(ids, shared))
        weights = intervals.weights(drawn, scored, shared[shared], rng)
        swaps: Iterator[Floats] = iter(())
        if at.family.test == "randomisation" and scored:
            trials, n = at.family.trials, len(scored)
            swaps = intervals.swaps_of(scored, trials, one.seed) if streamed else paired.swaps(n, trials, rng)
        differences = pairing.add(block, weights, swaps, list_counts(counts))
        pairing.sums.note({pairing.name: Ids.where(ids, ~shared)})
    return differences


def comparison_of(results: Compared, at: FamilyAt, documents: int, streamed: bool = False) -> Comparison:
    """Return the comparison of pairs from what was found of them."""
    family, cutoff, settings, pairs, n = at.family, at.cutoff, at.settings, results.pairs, results.documents
    words = in_words(family, settings, n, streamed)
    shown = None if family.asked.measure.fixed is not None else cutoff
    differences, low, high = _differences(results, settings)
    adjusted = _corrected(results, results.p, family)
    otherwise = _otherwise(results, at)
    columns = {
        "measure": family.asked.name(shown),
        "k": pd.Series([shown] * len(pairs), dtype=object),
        "average": at.average,
        "difference": differences,
        "low": low,
        "high": high,
        "p": results.p,
        "p_adjusted": adjusted,
        "documents": n,
    }
    named = pd.DataFrame(pairs, columns=["a", "b"])
    rows = named.assign(**columns)
    thinned = n < COMPARABLE * (n + results.left_out.count)
    comparable = [_comparable(results.lists, thinned, *pair) for pair in pairs]
    if family.margin is not None:
        rows["verdict"] = _verdicts(rows, otherwise, comparable, family.margin)
    unseen = [pair for pair in pairs if streamed and results.lists.lacking(*pair)]
    capped = frozenset((*unseen, *(pair for pair in pairs if _has_too_few_runs(results.runs, pair, family.test))))
    decisive = _decisive(rows, otherwise, [alike and n >= FEW for alike in comparable], capped)
    clusters, better = paired.decisions(results.scores, [(*pair, p) for pair, p in decisive.items()], ALPHA)
    notes, left_out = [Note("info", "test", words)], results.left_out
    if len(family.asked.averages(settings.average)) > 1:
        settings = settings.changed(average=at.average)
        notes.append(Note("info", "average", f"Only the {at.average} average is compared."))
    if n < FEW:
        notes.append(Note("warning", "documents", f"{too_few(n)} or test"))
    if left_out.count:
        lost = pluralize(left_out.count, "document is", "documents are")
        text = f"{lost} left out, because not all systems are scored there: {left_out}"
        notes.append(Note("warning", "documents", text))
    notes += [
        Note("info", name, f"its lists are identical to those of {first}, so the tests count both as one")
        for name, first in results.identical.items()
    ]
    return Comparison(
        rows,
        settings,
        tuple(notes),
        n,
        effects=named.join(pd.DataFrame(results.effects, columns=list(EFFECTS))),
        scores=results.scores,
        ranks=paired.rank_bounds(results.resampled),
        clusters=clusters,
        better=better,
        correction=family.correction,
        left_out=left_out.count,
        test=words,
        recipe=signature(settings.changed(k=(cutoff,)), documents, family.asked.of_tables),
        baseline=family.baseline,
        lists=results.lists,
        runs=results.runs,
        otherwise=otherwise,
        decisive=decisive,
        capped=capped,
        identical=results.identical,
    )


def _differences(results: Compared, settings: Settings) -> tuple[Floats, Floats, Floats]:
    """Return the difference of each pair, and its interval: 0 to 0 if no document differs."""
    differences = np.array([results.scores[a] - results.scores[b] for a, b in results.pairs])
    low, high = differences - results.halves, differences + results.halves
    if results.resampled and settings.interval in ("bootstrap", "poisson", "multi-bootstrap"):
        drawn = [results.resampled[a] - results.resampled[b] for a, b in results.pairs]
        low, high = intervals.percentile(np.stack(drawn, axis=1), intervals.expanded_tail(results.documents))
    if settings.interval != "none":
        none_differs = np.array([won + lost == 0 < tied for _, _, won, tied, lost in results.effects])
        same = none_differs & close(differences, 0) & np.isnan(low)
        low, high = np.where(same, 0.0, low), np.where(same, 0.0, high)
    return differences, low, high


def _comparable(lists: ListCounts, thinned: bool, a: str, b: str) -> bool:
    """Return whether two systems can be compared; thinned: few documents are left that all systems are scored on."""
    thin = [name for name, (own, of) in lists.coverage.items() if own < COMPARABLE * of]
    return lists.comparable(a, b) and not (thinned and thin)


def _corrected(results: Compared, p: Floats, family: Family) -> Floats:
    """Return p corrected over the pairs that were tested; pairs of the same two outputs count once.

    Two systems with the same output differ in nothing, so they do not count as a test.
    """
    first = dict[tuple[str, ...], int]()
    keys = [tuple(sorted({results.identical.get(name, name) for name in pair})) for pair in results.pairs]
    for number, key in enumerate(keys):
        if len(key) > 1 and p[number] == p[number]:  # what was not tested is not corrected for
            first.setdefault(key, number)
    corrected = dict(zip(first, paired.CORRECTIONS[family.correction](p[list(first.values())]), strict=True))
    return np.array([corrected.get(key, own) for key, own in zip(keys, p, strict=True)])


def _otherwise(results: Compared, at: FamilyAt) -> pd.DataFrame:
    """Return what is found of pairs under the other rule for missing lists; p is corrected as in the whole family."""
    if not results.otherwise:
        return pd.DataFrame()
    p = results.p.copy()
    p[list(results.otherwise)] = [own.p[0] for own in results.otherwise.values()]
    adjusted, rows = _corrected(results, p, at.family), []
    for number, own in results.otherwise.items():
        a, b = own.pairs[0]
        differences = (bound[0] for bound in _differences(own, at.settings))
        rows.append((a, b, own.scores[a], own.scores[b], *differences, p[number], adjusted[number], own.documents))
    columns = ["a", "b", "value_a", "value_b", "difference", "low", "high", "p", "p_adjusted", "documents"]
    return pd.DataFrame(rows, columns=columns)


def _has_too_few_runs(runs: Mapping[str, int], pair: tuple[str, str], test: str) -> bool:
    """Tell a pair with a single run whose variance is borrowed from too few runs, or by a test that is too narrow.

    >>> [_has_too_few_runs({"x": number, "y": 1}, ("x", "y"), "two-way-t") for number in (1, 2, 3)]
    [False, True, False]
    """
    freedom = sum(runs.values()) - len(runs)
    if not freedom or min(runs[name] for name in pair) > 1:
        return False
    return freedom < _FEWEST_FREEDOM or test == "multi-bootstrap"


def _decisive(
    rows: pd.DataFrame, otherwise: pd.DataFrame, testable: Sequence[bool], capped: frozenset[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """Return pair → the p on which a decision may rest (see `Comparison`)."""
    other = {(row.a, row.b): (row.difference, row.p_adjusted) for row in otherwise.itertuples()}
    found = dict[tuple[str, str], float]()
    for row, able in zip(rows.itertuples(), testable, strict=True):
        pair = row.a, row.b
        difference, p = other.get(pair, (row.difference, row.p_adjusted))
        may = able and pair not in capped and difference * row.difference >= 0
        found[pair] = float(np.nan_to_num(max(p, row.p_adjusted), nan=1.0)) if may else 1.0
    return found


def _verdicts(rows: pd.DataFrame, otherwise: pd.DataFrame, comparable: Sequence[bool], margin: float) -> list[Verdict]:
    """Return the verdict of each pair, by the wider of its intervals under both rules for missing lists."""
    by = pd.concat([rows, otherwise]).groupby(["a", "b"], sort=False)
    low, high = by["low"].min(), by["high"].max()
    return [
        verdict(low[pair], high[pair], margin) if alike else "not comparable"
        for pair, alike in zip(zip(rows["a"], rows["b"], strict=True), comparable, strict=True)
    ]


def verdict(low: float, high: float, margin: float) -> Verdict:
    """Return what the interval of a difference from a baseline says, for a margin that still does not matter.

    >>> verdict(0.01, 0.05, 0.02), verdict(-0.01, 0.03, 0.02), verdict(-0.05, -0.03, 0.02), verdict(-0.05, 0.01, 0.02)
    ('better', 'not worse', 'worse', 'cannot tell')
    >>> verdict(0.0, 0.0, 0.0)  # the same output twice
    'not worse'
    """
    if exceeds(low, 0):
        return "better"
    if exceeds(low, -margin) or reaches(low, 0):
        return "not worse"
    return "worse" if exceeds(0, high) else "cannot tell"


def in_words(family: Family, settings: Settings, documents: int, streamed: bool = False) -> str:
    """Name the test with everything that is needed to repeat it; streamed, assignments are never enumerated."""
    drawn = f"{family.trials:,} trials, seed {settings.seed}"
    if not streamed and paired.enumerated(documents, family.trials):
        drawn = f"all {2**documents:,} assignments"
    rest = "; streamed, so there is no rank-biserial correlation" if streamed else ""
    test = WORDS["tests"][family.test].format(drawn=drawn, resamples=settings.resamples, seed=settings.seed)
    return f"{test}, {WORDS['corrections'][family.correction]}, level {ALPHA:g}{rest}"
