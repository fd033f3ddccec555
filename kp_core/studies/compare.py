"""Compare systems in pairs on the same documents: difference, interval, p and corrected p."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, input_error, named, pluralize, refuse_unless, usage_error
from kp_core.scoring import intervals, pair_sums, paired
from kp_core.scoring.accumulate import Ids, Sums
from kp_core.scoring.codes import BLOCK, Coded, Floats, ragged
from kp_core.scoring.measures import matchers
from kp_core.scoring.order import best_first, close, exceeds, leveled, reaches
from kp_core.scoring.pair_sums import COMPARABLE, Compared, ListCounts, Pairing, list_counts
from kp_core.scoring.paired import ALPHA, TRIALS, Correction, Family, FamilyAt, Test
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import OVER_RUNS, have_runs, over_runs, runs_of
from kp_core.scoring.systems import count_systems
from kp_core.settings import SUBJECT, Cutoff, Settings, resolve_settings, signature
from kp_core.studies import WORDS
from kp_core.studies.answer import Grade
from kp_core.studies.facts import too_few
from kp_core.studies.means import notes_of_datasets, subset_of
from kp_core.studies.parts import DATASET, Systems, parse_by, parts
from kp_core.studies.result import Numbers

EFFECTS = ("d_z", "rank_biserial", "wins", "ties", "losses")
#: Verdicts on a difference from a baseline; incomparable systems fail every gate.
Verdict = Literal["better", "not worse", "worse", "cannot tell", "not comparable"]
VERDICTS = get_args(Verdict)
#: Minimum number of documents for a significant difference.
FEW = 10
#: Minimum degrees of freedom between runs for testing a single run; two runs against one give 10% false positives.
_FEWEST_FREEDOM = 2


@dataclass(frozen=True)
class BetterOn:
    """Lower bound on the number of data sets on which system a is better than system b.

    better, which   number and names of these data sets, by Holm's correction; of: number of data sets with both systems
    """

    a: str
    b: str
    better: int
    of: int
    which: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """Difference of a pair of systems with its interval, corrected p, and number of documents."""

    difference: float
    low: float
    high: float
    p: float
    documents: int

    def grade(self, capped: bool = False) -> Grade:
        """Grade the evidence for the difference; capped: it cannot be significant.

        >>> Difference(0.1, 0.01, 0.2, 0.03, 20).grade(), Difference(0.1, 0.01, 0.2, 0.07, 20).grade()
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
    scores, ranks, clusters : dict
        System → value on the documents scored for all systems; lowest and highest rank in 95% of the resamples; rank
        cluster. 1 is best.
    better : dict
        System → systems that are significantly worse.
    documents, left_out : int
        Numbers of documents on which all systems are scored, and of others.
    datasets : dict
        Comparison on each of several data sets. The frame then has their rows, `scores` are means over all, and
        `better` has systems that are worse on at least one.
    baseline, test : str
        System with which all others are compared, if any; test with trials, seed and correction, in words.
    lists, runs
        Numbers of documents with lists, and of runs.
    otherwise : DataFrame
        One row per pair with missing lists: values, difference, interval and p under the other convention (shared
        documents if missing lists count as empty, and vice versa).
    decisive : dict
        Pair → corrected p that decides significance: the larger one under both conventions; 1 if they disagree in
        direction, systems are not comparable, there are fewer than ten documents, or the pair is capped.
    capped : set
        Pairs that cannot be significant: one system has a single run and the others too few to estimate their variance,
        or a list is missing from streamed data.
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

        If lists are missing, both conventions for missing lists must agree.
        """
        if not self.comparable(a, b):
            return "not comparable"
        both = self.difference(a, b), self.difference(a, b, self.otherwise)
        differences = [difference for difference in both if difference is not None]
        capped = not {(a, b), (b, a)}.isdisjoint(self.capped)
        grades = {difference.grade(capped) for difference in differences}
        disagree = len(grades) > 1 or exceeds(0, min(difference.difference for difference in differences))
        return "depends on missing lists" if disagree else grades.pop()

    def leader(self, level: float) -> str:
        """Return the system that is significantly better than all others, or an empty string."""
        values = [name for name in best_first(self.scores) if self.scores[name] == self.scores[name]]
        best = next(iter(values), "")
        p = [self.decisive.get((best, name), self.decisive.get((name, best), 1.0)) for name in values if name != best]
        return best if p and max(p) < level else ""

    def comparable(self, a: str, b: str) -> bool:
        """Return whether two systems have lists for nearly the same documents, and for nearly all of them."""
        return _comparable(self.lists, self.documents < COMPARABLE * (self.documents + self.left_out), a, b)

    def difference(self, a: str, b: str, rows: pd.DataFrame | None = None) -> Difference | None:
        """Return the difference a − b from rows (by default the frame), or None if the pair is missing."""
        rows = self.frame if rows is None else rows
        for first, second, sign in ((a, b, 1), (b, a, -1)) if len(rows) else ():
            for row in rows[(rows["a"] == first) & (rows["b"] == second)].head(1).itertuples():
                low, high = (row.low, row.high) if sign > 0 else (-row.high, -row.low)
                return Difference(sign * row.difference, low, high, row.p_adjusted, int(row.documents))
        return None

    @property
    def signature(self) -> str:
        """The signature in one line; `settings_from` reads it back."""
        return self.recipe

    def wide(self) -> pd.DataFrame:
        """Return the pairs as better minus worse, best systems first; differences from a baseline are unchanged."""
        return self.frame if self.baseline else self.better_first()

    def effects_as_read(self) -> pd.DataFrame:
        """Return the effect sizes in the order and direction of `wide`."""
        return self.effects if self.baseline else self.better_first(self.effects)

    def content(self) -> dict[str, Any]:
        """Return the JSON content of the command line, including results over several data sets."""
        over = {"over_datasets": [asdict(better) for better in self.over_datasets]} if self.datasets else {}
        return super().content() | over

    def better_first(self, frame: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return pairs (by default the frame) as better minus worse, best systems first."""
        frame = self.frame if frame is None else frame
        place = {name: number for number, name in enumerate(best_first(self.scores))}
        behind = frame["a"].map(place) > frame["b"].map(place)
        if "difference" in frame:  # the order differs by measure
            differences = leveled(frame["difference"])
            behind = behind.mask(differences != 0, differences < 0)
        swapped = frame.copy()
        for first, second in (("a", "b"), ("low", "high"), ("wins", "losses")):
            if first in frame:
                swapped.loc[behind, [first, second]] = frame.loc[behind, [second, first]].to_numpy()
        for name in swapped.columns.intersection(["difference", "low", "high", "d_z", "rank_biserial"]):
            swapped.loc[behind, name] = 0.0 - swapped.loc[behind, name]  # never −0.000
        order = swapped.assign(first=swapped["a"].map(place), second=swapped["b"].map(place), family=0)
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
    """Compare all pairs of systems in each part of the data, such as by = presence."""
    data, family = _prepared(corpus, settings), Family(measure)
    cutoff = family.asked.cutoffs(data.settings)[0]
    subsets = parts(data, [count_systems(data, matchers([family.asked]))], parse_by(by))
    comparisons = {
        name.partition(":")[2]: compared(data, family, cutoff, counts[0])
        for name, counts in subsets.items()
        if name != "all"
    }
    return {name: comparison for name, comparison in comparisons.items() if comparison.documents}


def _prepared(corpus: Corpus, settings: Settings) -> Prepared:
    """Prepare a corpus; with several runs, the interval treats runs as a sample."""
    data = prepare(corpus, settings)
    return replace(data, settings=over_runs(data.settings, data.names.systems))


def compare_all(corpus: Corpus, settings: Settings, families: Sequence[Family]) -> Comparison:
    """Compare by several measures at all their cutoffs; each is a family of pairs, corrected separately.

    The frame has the rows of all families; all other fields are those of the first family.
    """
    if corpus.datasets:
        return _over_datasets(corpus, settings, families)
    data, concordance = _prepared(corpus, settings), any(family.asked.of_tables for family in families)
    recipe = signature(data.settings, len(data.documents), concordance)
    comparisons = [compared(data, family, k) for family in families for k in family.asked.cutoffs(data.settings)]
    return one_comparison(comparisons, recipe)


def _over_datasets(corpus: Corpus, settings: Settings, families: Sequence[Family]) -> Comparison:
    """Compare on every data set that has two systems; `over_datasets` is by the first family and cutoff."""
    settings = over_runs(settings, corpus.systems)
    by_name = dict[str, Comparison]()
    for name, part in corpus.by_dataset.items():
        if len(runs_of(part.systems)) > 1:
            with named(name):
                by_name[name] = compare_all(part, settings, families)
    if not by_name:
        raise usage_error("one system")
    comparisons = list(by_name.values())

    def rows(table: str) -> pd.DataFrame:
        tables = [getattr(result, table).assign(subset=subset_of(name, "all")) for name, result in by_name.items()]
        return pd.concat(tables, ignore_index=True)

    values = pd.DataFrame([result.scores for result in comparisons])
    # no system has a mean if a data set has only one system
    missing = [np.nan] * (len(comparisons) < len(corpus.datasets))
    scores = {name: float(np.mean([*column, *missing])) for name, column in values.items()}
    over = tuple(better_on(by_name))
    documents, left_out = (
        sum(getattr(comparison, name) for comparison in comparisons) for name in ("documents", "left_out")
    )
    first, same_settings = comparisons[0], len({result.settings for result in comparisons}) == 1
    concordance = any(family.asked.of_tables for family in families)
    return replace(
        first,
        frame=rows("frame"),
        effects=rows("effects"),
        notes=notes_of_datasets(corpus, by_name),
        documents=documents,
        left_out=left_out,
        scores=scores,
        ranks={},
        clusters={},
        better={name: tuple(better.b for better in over if better.a == name) for name in values},
        datasets=by_name,
        over_datasets=over,
        recipe=signature(first.settings if same_settings else settings, documents + left_out, concordance),
    )


def better_on(results: Mapping[str, Comparison]) -> Iterator[BetterOn]:
    """Yield ordered pairs of systems with the least number of data sets on which the first is better.

    p of a data set is that of the pair, two-sided, after correction over pairs. For at least u of N data sets,
    p = (N − u + 1) · p_(u), made monotone; these are Holm's adjusted p in order. Data sets on which the two are
    incomparable do not count, and differences on fewer than ten documents are not significant.
    Source: Dror, Baumer, Bogomolov & Reichart 2017, Replicability analysis for natural language processing.
    """
    pairs = dict.fromkeys(pair for result in results.values() for a, b in result.decisive for pair in ((a, b), (b, a)))
    for a, b in pairs:
        tested = {
            name: result
            for name, result in results.items()
            if {a, b} <= result.scores.keys() and result.comparable(a, b)
        }
        p = [result.decisive.get((a, b), result.decisive.get((b, a), 1.0)) for result in tested.values()]
        ahead = [exceeds(result.scores[a], result.scores[b]) for result in tested.values()]
        adjusted = paired.holm(np.where(ahead, p, 1.0))
        which = tuple(name for name, corrected in zip(tested, adjusted, strict=True) if corrected <= ALPHA)
        if which:
            yield BetterOn(a, b, len(which), len(tested), which)


def one_comparison(comparisons: Sequence[Comparison], recipe: str) -> Comparison:
    """Combine comparisons into the first one, with the rows and notes of all, under one signature."""
    first, *others = comparisons
    notes = list(first.notes)
    for other in others:
        measure = f"{other.frame['measure'].iloc[0]}: "
        notes += [replace(note, message=measure + note.message) for note in other.notes if note not in first.notes]
    frame = pd.concat([comparison.frame for comparison in comparisons], ignore_index=True)
    return replace(first, frame=frame, notes=tuple(notes), recipe=recipe)


def compared(data: Prepared, family: Family, cutoff: Cutoff, systems: Systems | None = None) -> Comparison:
    """Compare the systems of data in memory; systems: their counts in a part of the data."""
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
            raise UsageError(f"the {family.test} test does not support runs; choose two-way-t or multi-bootstrap")
        test: Test = "multi-bootstrap" if data.settings.interval == "multi-bootstrap" else "two-way-t"
        at = replace(at, family=replace(family, test=test))
    lists = list_counts(systems)
    results = _results(data, at, systems)
    other = pair_sums.under_other_rule(systems)
    # pairs with missing lists are also compared under the other convention for missing lists
    otherwise = {
        number: _results(data, at, {run: other[run] for name in pair for run in groups[name]})
        for number, pair in enumerate(results.pairs)
        if lists.lacking(*pair) and lists.shared(*pair)
    }
    results = replace(results, lists=lists, otherwise=otherwise, identical=_identical(data.coded, groups))
    comparison = comparison_of(results, at, len(data.documents))
    reading = [note for note in data.corpus.report.notes if note.level == "warning" and note.where in systems]
    return replace(comparison, notes=(*comparison.notes, *reading))


def _over_runs(at: FamilyAt, systems: Systems) -> bool:
    return have_runs(list(systems)) or at.settings.interval in OVER_RUNS or at.family.test in OVER_RUNS


def _results(data: Prepared, at: FamilyAt, systems: Systems) -> Compared:
    if at.average in SUBJECT:
        return pair_sums.compared_over_subjects(data, systems, at)
    if _over_runs(at, systems):
        counts = {name: [systems[run].of(at.asked) for run in runs] for name, runs in runs_of(systems).items()}
        return pair_sums.compared_over_runs(counts, data.documents, at)
    pairing = Pairing(at, list(systems), Sums())
    return pairing.compared(add_pairs(pairing, data, systems))


def _identical(coded: Coded, groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return system → an earlier system with the same lists in all runs."""
    first, same = dict[tuple[bytes, ...], str](), dict[str, str]()
    for name, names in groups.items():
        runs = [coded.runs[run] for run in names]
        arrays = [(run.listed, run.length, run.phrase[ragged(run.start, run.length)]) for run in runs]
        earlier = first.setdefault(tuple(array.tobytes() for run in arrays for array in run), name)
        if earlier != name:
            same[name] = earlier
    return same


def add_pairs(pairing: Pairing, data: Prepared, systems: Systems, streamed: bool = False) -> list[Floats]:
    """Add the documents of prepared data, and return the differences of each pair in the last block.

    In memory all documents are one block, whose weights and swaps come from one generator; streamed, they depend on the
    ids.
    """
    settings, at, rng = data.settings, pairing.at, np.random.default_rng(data.settings.seed)
    # ranks are always resampled
    drawn = settings.changed(interval="poisson" if streamed or settings.interval == "poisson" else "bootstrap")
    parts = {name: run.blocks() if streamed else [run] for name, run in systems.items()}
    size = BLOCK if streamed else len(data.documents)
    for number, begin in enumerate(range(0, len(data.documents), size)):
        ids, counts = data.documents[begin : begin + size], {name: part[number] for name, part in parts.items()}
        block = {name: pair_sums.statistic(run, at.asked, at.cutoff, at.average) for name, run in counts.items()}
        shared = pair_sums.common(block)
        scored = list(compress(ids, shared))
        weights = intervals.weights(drawn, scored, shared[shared], rng)
        swaps: Iterator[Floats] = iter(())
        if at.family.test == "randomisation" and scored:
            trials, n = at.family.trials, len(scored)
            swaps = intervals.swaps_of(scored, trials, settings.seed) if streamed else paired.swaps(n, trials, rng)
        differences = pairing.add(block, weights, swaps, list_counts(counts))
        pairing.sums.note({pairing.name: Ids.where(ids, ~shared)})
    return differences


def comparison_of(results: Compared, at: FamilyAt, documents: int, streamed: bool = False) -> Comparison:
    """Return the comparison of pairs from their results."""
    family, cutoff, settings, pairs, n = at.family, at.cutoff, at.settings, results.pairs, results.documents
    words = in_words(family, settings, n, streamed)
    shown = None if family.asked.measure.fixed is not None else cutoff
    differences, low, high = _differences(results, settings)
    adjusted = _corrected(results, results.p, family)
    otherwise = _otherwise(results, at)
    names = pd.DataFrame(pairs, columns=["a", "b"])
    rows = names.assign(measure=family.asked.name(shown), k=pd.Series([shown] * len(pairs), dtype=object))
    rows = rows.assign(average=at.average, difference=differences, low=low, high=high, p=results.p)
    rows = rows.assign(p_adjusted=adjusted, documents=n)
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
    identical = "its lists are identical to those of {}, so the tests count both as one"
    notes += [Note("info", name, identical.format(first)) for name, first in results.identical.items()]
    return Comparison(
        rows,
        settings,
        tuple(notes),
        n,
        effects=names.join(pd.DataFrame(results.effects, columns=list(EFFECTS))),
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
    """Return the difference of each pair and its interval, which is 0 to 0 if no document differs."""
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
    """Return whether two systems can be compared; thinned: whether few documents are scored for all systems."""
    thin = [name for name, (own_lists, of) in lists.coverage.items() if own_lists < COMPARABLE * of]
    return lists.comparable(a, b) and not (thinned and thin)


def _corrected(results: Compared, p: Floats, family: Family) -> Floats:
    """Return p corrected over the pairs tested; systems with the same lists count as one, so their pair is no test."""
    first = dict[tuple[str, ...], int]()
    keys = [tuple(sorted({results.identical.get(name, name) for name in pair})) for pair in results.pairs]
    for number, key in enumerate(keys):
        if len(key) > 1 and p[number] == p[number]:
            first.setdefault(key, number)
    corrected = dict(zip(first, paired.CORRECTIONS[family.correction](p[list(first.values())]), strict=True))
    return np.array([corrected.get(key, uncorrected) for key, uncorrected in zip(keys, p, strict=True)])


def _otherwise(results: Compared, at: FamilyAt) -> pd.DataFrame:
    """Return results under the other convention for missing lists, with p corrected over the whole family."""
    if not results.otherwise:
        return pd.DataFrame()
    p = results.p.copy()
    p[list(results.otherwise)] = [result.p[0] for result in results.otherwise.values()]
    adjusted, rows = _corrected(results, p, at.family), []
    for number, result in results.otherwise.items():
        a, b = result.pairs[0]
        differences = (bound[0] for bound in _differences(result, at.settings))
        values = result.scores[a], result.scores[b], *differences, p[number], adjusted[number]
        rows.append((a, b, *values, result.documents))
    columns = ["a", "b", "value_a", "value_b", "difference", "low", "high", "p", "p_adjusted", "documents"]
    return pd.DataFrame(rows, columns=columns)


def _has_too_few_runs(runs: Mapping[str, int], pair: tuple[str, str], test: str) -> bool:
    """Return whether a system of a pair has a single run whose variance cannot be estimated from the others.

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
    other = {(row.a, row.b): (row.difference, row.p_adjusted) for row in otherwise.itertuples()}
    decisive = dict[tuple[str, str], float]()
    for row, able in zip(rows.itertuples(), testable, strict=True):
        pair = row.a, row.b
        difference, p = other.get(pair, (row.difference, row.p_adjusted))
        testable_pair = able and pair not in capped and difference * row.difference >= 0
        decisive[pair] = float(np.nan_to_num(max(p, row.p_adjusted), nan=1.0)) if testable_pair else 1.0
    return decisive


def _verdicts(rows: pd.DataFrame, otherwise: pd.DataFrame, comparable: Sequence[bool], margin: float) -> list[Verdict]:
    """Return the verdict of each pair, by the wider of its intervals under both conventions for missing lists."""
    by = pd.concat([rows, otherwise]).groupby(["a", "b"], sort=False)
    low, high = by["low"].min(), by["high"].max()
    return [
        verdict(low[pair], high[pair], margin) if alike else "not comparable"
        for pair, alike in zip(zip(rows["a"], rows["b"], strict=True), comparable, strict=True)
    ]


def verdict(low: float, high: float, margin: float) -> Verdict:
    """Return the verdict on a difference from a baseline by its interval and the margin.

    >>> verdict(0.01, 0.05, 0.02), verdict(-0.01, 0.03, 0.02), verdict(-0.05, -0.03, 0.02), verdict(-0.05, 0.01, 0.02)
    ('better', 'not worse', 'worse', 'cannot tell')
    >>> verdict(0.0, 0.0, 0.0)  # identical lists
    'not worse'
    """
    if exceeds(low, 0):
        return "better"
    if exceeds(low, -margin) or reaches(low, 0):
        return "not worse"
    return "worse" if exceeds(0, high) else "cannot tell"


def in_words(family: Family, settings: Settings, documents: int, streamed: bool = False) -> str:
    """Name the test with everything needed to repeat it."""
    drawn = f"{family.trials:,} trials, seed {settings.seed}"
    if not streamed and paired.enumerated(documents, family.trials):
        drawn = f"all {2**documents:,} assignments"
    rest = "; streamed, so there is no rank-biserial correlation" if streamed else ""
    test = WORDS["tests"][family.test].format(drawn=drawn, resamples=settings.resamples, seed=settings.seed)
    return f"{test}, {WORDS['corrections'][family.correction]}, level {ALPHA:g}{rest}"
