"""Compare systems in pairs on the same documents: difference, interval, p and corrected p."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, Literal, Unpack, get_args

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, memoize
from kp_core.errors import Note, UsageError, input_error, named, pluralize, refuse_unless, usage_error
from kp_core.scoring import intervals, pair_sums, paired
from kp_core.scoring.accumulate import Ids, Sums
from kp_core.scoring.codes import Coded, Floats, document_blocks, ragged
from kp_core.scoring.measures import matchers
from kp_core.scoring.order import best_first, close, exceeds, leveled, reaches
from kp_core.scoring.pair_sums import COMPARABLE, ListCounts, Pairing, PairResults, list_counts
from kp_core.scoring.paired import ALPHA, TRIALS, Correction, Family, FamilyAt, Test
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import OVER_RUNS, have_runs, over_runs, runs_of
from kp_core.scoring.systems import count_systems
from kp_core.settings import SUBJECT, Changes, Cutoff, Settings, resolve_settings, signature
from kp_core.studies import WORDS
from kp_core.studies.answer import Grade
from kp_core.studies.facts import too_few_documents
from kp_core.studies.parts import DATASET, Systems, parse_by, parts
from kp_core.studies.result import Numbers, notes_of_datasets, subset_of

EFFECTS = ("d_z", "rank_biserial", "wins", "ties", "losses")
#: Verdicts on a difference from a baseline; “not comparable” fails every gate.
Verdict = Literal["better", "not worse", "worse", "cannot tell", "not comparable"]
VERDICTS = get_args(Verdict)
#: Minimum number of documents for a significant difference.
FEW = 10
#: Minimum degrees of freedom among runs to test a single run; two runs against a single run give 10% false positives.
_MIN_DEGREES_OF_FREEDOM = 2


@dataclass(frozen=True)
class BetterOn:
    """Lower bound on the number of data sets on which system a is better than system b.

    * `better`, `which`: number and names of these data sets after Holm's correction; `of`: number with both
    """

    a: str
    b: str
    better: int
    of: int
    which: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """Difference between two systems with its interval, corrected p, and number of documents."""

    difference: float
    low: float
    high: float
    p: float
    documents: int

    def grade(self, capped: bool = False) -> Grade:
        """Grade the evidence for the difference; `capped`: whether it cannot be significant.

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
        System → value on the documents scored for all systems; bounds of its rank in 95% of the resamples; rank cluster
        (1 is best).
    better : dict
        System → systems that are significantly worse (with several data sets, on at least one of them).
    documents, left_out, lists, runs
        Numbers of documents on which all systems are scored, of documents left out, of lists, and of runs.
    datasets, over_datasets
        With several data sets: the comparison on each (the frame has their rows, `scores` their means); on how many of
        them a system is better.
    baseline, correction, test : str
        System with which all others are compared, if any; correction; test with trials, seed and correction in words.
    otherwise : DataFrame
        Pairs with missing lists, under the other convention (shared documents only if missing lists count as empty, and
        vice versa).
    decisive : dict
        Pair → corrected p that decides significance: the larger p of both conventions; 1 if the conventions disagree in
        direction, systems are not comparable, there are fewer than ten documents, or the pair is capped.
    capped : set
        Pairs that cannot be significant: one system has a single run and the others have too few runs to estimate the
        variance, or a list is missing in streamed data.
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
        results = self.difference(a, b), self.difference(a, b, otherwise=True)
        differences = [difference for difference in results if difference is not None]
        capped = not {(a, b), (b, a)}.isdisjoint(self.capped)
        grades = {difference.grade(capped) for difference in differences}
        disagree = len(grades) > 1 or exceeds(0, min(difference.difference for difference in differences))
        return "depends on missing lists" if disagree else grades.pop()

    def leader(self, level: float) -> str:
        """Return the system that is significantly better than all others, or an empty string."""
        names = [name for name in best_first(self.scores) if self.scores[name] == self.scores[name]]
        best = next(iter(names), "")
        p = [self.decisive.get((best, name), self.decisive.get((name, best), 1.0)) for name in names if name != best]
        return best if p and max(p) < level else ""

    def comparable(self, a: str, b: str) -> bool:
        """Return whether both systems have lists for nearly the same documents, and for nearly all documents."""
        return _comparable(self.lists, self.documents, self.left_out, a, b)

    def difference(self, a: str, b: str, otherwise: bool = False) -> Difference | None:
        """Return the difference a − b; None if the pair was not compared.

        * `otherwise`: under the other convention for missing lists; None if neither list is missing anywhere
        """
        return self._differences[otherwise].get((a, b))

    @cached_property
    def _differences(self) -> tuple[dict[tuple[str, str], Difference], ...]:
        """Ordered pair → difference at the first measure and cutoff, by the convention in use and by the other one."""
        conventions = tuple(dict[tuple[str, str], Difference]() for _ in range(2))
        for differences, rows in zip(conventions, (self.frame, self.otherwise), strict=True):
            for row in rows.itertuples():
                p, n = row.p_adjusted, int(row.documents)
                differences.setdefault((row.a, row.b), Difference(row.difference, row.low, row.high, p, n))
                differences.setdefault((row.b, row.a), Difference(-row.difference, -row.high, -row.low, p, n))
        return conventions

    def fails(self, verdicts: Sequence[str]) -> bool:
        """Return whether any difference from the baseline has one of the verdicts, or any system cannot be compared."""
        if unknown := [verdict for verdict in verdicts if verdict not in VERDICTS]:
            raise UsageError(f"'{unknown[0]}' is not a verdict; choose among: {', '.join(VERDICTS)}")
        return bool(self.frame["verdict"].isin([*verdicts, "not comparable"]).any())

    @property
    def signature(self) -> str:
        """The signature in one line; `settings_from` reads it back."""
        return self.recipe

    def wide(self, frame: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return pairs (by default the frame) in the order of `better_first`, or unchanged if there is a baseline."""
        frame = self.frame if frame is None else frame
        return frame if self.baseline else self.better_first(frame)

    def content(self) -> dict[str, Any]:
        """Return the JSON content that the command line prints, including results over several data sets."""
        extra = {"over_datasets": [asdict(better) for better in self.over_datasets]} if self.datasets else {}
        return super().content() | extra

    def better_first(self, frame: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return pairs (by default the frame) as better minus worse, best systems first."""
        frame = self.frame if frame is None else frame
        rank = {name: position for position, name in enumerate(best_first(self.scores))}
        is_reversed = frame["a"].map(rank) > frame["b"].map(rank)
        if "difference" in frame:  # the order differs by measure
            differences = leveled(frame["difference"])
            is_reversed = is_reversed.mask(differences != 0, differences < 0)
        swapped = frame.copy()
        for first, second in (("a", "b"), ("low", "high"), ("wins", "losses")):
            if first in frame:
                swapped.loc[is_reversed, [first, second]] = frame.loc[is_reversed, [second, first]].to_numpy()
        for name in swapped.columns.intersection(["difference", "low", "high", "d_z", "rank_biserial"]):
            swapped.loc[is_reversed, name] = 0.0 - swapped.loc[is_reversed, name]  # never −0.000
        order = swapped.assign(first=swapped["a"].map(rank), second=swapped["b"].map(rank), family=0)
        if keys := [name for name in ("measure", "k", "subset") if name in frame]:
            order["family"] = frame.groupby(keys, sort=False, dropna=False).ngroup()
        sort_columns = ["family", "first", "second"]
        return order.sort_values(sort_columns, kind="stable")[list(frame.columns)].reset_index(drop=True)


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
    **changes: Unpack[Changes],
) -> Comparison:
    """Compare all pairs of systems at the first cutoff, on the documents on which all systems are scored.

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
        Compare systems only with this one.
    margin : float, optional
        Smallest difference of interest. Each pair gets a verdict by the interval of its difference a − b: better
        (entirely above 0), not worse (entirely above −margin), worse (entirely below 0, partly below −margin), or
        cannot tell.
    by : "" or "dataset"
        “dataset” requires several data sets. Data sets are always compared separately; `over_datasets` of the result
        has the number of data sets on which a system is better.
    **changes
        Fields of `Settings`.
    """
    refuse_unless(by, ("", DATASET), "by")
    if by and not corpus.datasets:
        raise input_error("the documents", "no data set")
    family = Family(measure, test, correction, trials, baseline, margin)
    resolved = resolve_settings(corpus, settings, changes)
    if corpus.datasets:
        return _over_datasets(corpus, resolved.changed(k=resolved.k[:1]), [family])
    data = _prepare(corpus, resolved)
    return _of_all_systems(data, family, family.parsed.cutoffs(data.settings)[0])


def compare_parts(corpus: Corpus, settings: Settings, measure: str, by: str) -> dict[str, Comparison]:
    """Compare all pairs of systems in each part of the data; `by`: criterion of the parts, such as presence."""
    data, family = _prepare(corpus, settings), Family(measure)
    cutoff = family.parsed.cutoffs(data.settings)[0]
    subsets = parts(data, [count_systems(data, matchers([family.parsed]))], parse_by(by))
    comparisons = {
        name.partition(":")[2]: compare_prepared(data, family, cutoff, counts[0])
        for name, counts in subsets.items()
        if name != "all"
    }
    return {name: comparison for name, comparison in comparisons.items() if comparison.documents}


def _prepare(corpus: Corpus, settings: Settings) -> Prepared:
    """Prepare a corpus; if systems have several runs, intervals treat runs as a sample."""
    data = prepare(corpus, settings)
    return replace(data, settings=over_runs(data.settings, data.names.systems))


def compare_all(corpus: Corpus, settings: Settings, families: Sequence[Family]) -> Comparison:
    """Compare systems by several measures at all cutoffs; p is corrected separately for each measure and cutoff.

    The frame has the rows of all families; all other fields are those of the first family.
    """
    if corpus.datasets:
        return _over_datasets(corpus, settings, families)
    data, concordance = _prepare(corpus, settings), any(family.parsed.of_tables for family in families)
    signature_line = signature(data.settings, len(data.documents), concordance)
    comparisons = [
        _of_all_systems(data, family, k) for family in families for k in family.parsed.cutoffs(data.settings)
    ]
    return one_comparison(comparisons, signature_line)


def _over_datasets(corpus: Corpus, settings: Settings, families: Sequence[Family]) -> Comparison:
    """Compare systems on every data set with two or more; `over_datasets` is based on the first family and cutoff."""
    settings = over_runs(settings, corpus.systems)
    by_name = dict[str, Comparison]()
    for name, part in corpus.by_dataset.items():
        if len(runs_of(part.systems)) > 1:
            with named(name):
                by_name[name] = compare_all(part, settings, families)
    if not by_name:
        raise usage_error("one system")
    comparisons, over_datasets = list(by_name.values()), tuple(better_on(by_name))

    def rows(table: str) -> pd.DataFrame:
        tables = [getattr(result, table).assign(subset=subset_of(name, "all")) for name, result in by_name.items()]
        return pd.concat(tables, ignore_index=True)

    # no system has a mean if a data set has only one system
    on_all_datasets = len(comparisons) == len(corpus.datasets)
    means = pd.DataFrame([result.scores for result in comparisons]).mean(skipna=False)
    documents, left_out = (sum(getattr(result, name) for result in comparisons) for name in ("documents", "left_out"))
    first_comparison, concordance = comparisons[0], any(family.parsed.of_tables for family in families)
    settings = first_comparison.settings if len({result.settings for result in comparisons}) == 1 else settings
    return replace(
        first_comparison,
        frame=rows("frame"),
        effects=rows("effects"),
        notes=notes_of_datasets(corpus, by_name),
        documents=documents,
        left_out=left_out,
        scores={str(name): mean if on_all_datasets else float("nan") for name, mean in means.items()},
        ranks={},
        clusters={},
        better={name: tuple(better.b for better in over_datasets if better.a == name) for name in means.index},
        datasets=by_name,
        over_datasets=over_datasets,
        recipe=signature(settings, documents + left_out, concordance),
    )


def better_on(results: Mapping[str, Comparison]) -> Iterator[BetterOn]:
    """Yield ordered pairs of systems with a lower bound on the number of data sets on which the first is better.

    Each data set contributes the pair's two-sided p, corrected over pairs. For at least u of N data sets,
    p = (N − u + 1) · p_(u), made monotone; these are Holm's adjusted p in order. Data sets on which the two systems
    cannot be compared do not count, and differences on fewer than ten documents are not significant.
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
        is_better = [exceeds(result.scores[a], result.scores[b]) for result in tested.values()]
        adjusted = paired.holm(np.where(is_better, p, 1.0))
        datasets = tuple(name for name, corrected in zip(tested, adjusted, strict=True) if corrected <= ALPHA)
        if datasets:
            yield BetterOn(a, b, len(datasets), len(tested), datasets)


def one_comparison(comparisons: Sequence[Comparison], recipe: str) -> Comparison:
    """Merge comparisons into the first one: the rows and notes of all, under one signature."""
    first, *others = comparisons
    notes = list(first.notes)
    for other in others:
        measure = f"{other.frame['measure'].iloc[0]}: "
        notes += [replace(note, message=measure + note.message) for note in other.notes if note not in first.notes]
    frame = pd.concat([comparison.frame for comparison in comparisons], ignore_index=True)
    return replace(first, frame=frame, notes=tuple(notes), recipe=recipe)


def _of_all_systems(data: Prepared, family: Family, cutoff: Cutoff) -> Comparison:
    """Return the cached comparison of all systems of a corpus, which several parts of a page need."""
    key = data.settings, family, cutoff
    return memoize(data.corpus, "comparison", key, lambda: compare_prepared(data, family, cutoff))


def compare_prepared(data: Prepared, family: Family, cutoff: Cutoff, systems: Systems | None = None) -> Comparison:
    """Compare the systems of prepared data in memory; `systems`: their counts, if only part of the data is compared."""
    family_at = FamilyAt(family, cutoff, data.settings)
    if systems and family_at.average in SUBJECT:
        raise usage_error("by subject", average=family_at.average)
    systems = systems or count_systems(data, matchers([family.parsed]))
    groups = runs_of(systems)
    if len(groups) < 2:
        raise usage_error("one system")
    if family_at.average in SUBJECT and family.test != "randomisation":
        raise usage_error("test over subjects", test=family.test)
    if _over_runs(family_at, systems) and family_at.average not in SUBJECT and family.test not in OVER_RUNS:
        if family.test != "randomisation":
            raise UsageError(f"the {family.test} test does not support runs; choose two-way-t or multi-bootstrap")
        test: Test = "multi-bootstrap" if data.settings.interval == "multi-bootstrap" else "two-way-t"
        family_at = replace(family_at, family=replace(family, test=test))
    lists = list_counts(systems)
    results = _results(data, family_at, systems)
    other_rule = pair_sums.under_other_rule(systems)
    # pairs with missing lists are also compared under the other convention for missing lists
    otherwise = {
        index: _results(data, family_at, {run: other_rule[run] for name in pair for run in groups[name]})
        for index, pair in enumerate(results.pairs)
        if lists.lacking(*pair) and lists.shared(*pair)
    }
    results = replace(results, lists=lists, otherwise=otherwise, identical=_identical(data.coded, groups))
    comparison = comparison_of(results, family_at, len(data.documents))
    reading_notes = [note for note in data.corpus.report.notes if note.level == "warning" and note.where in systems]
    return replace(comparison, notes=(*comparison.notes, *reading_notes))


def _over_runs(family_at: FamilyAt, systems: Systems) -> bool:
    return have_runs(list(systems)) or family_at.settings.interval in OVER_RUNS or family_at.family.test in OVER_RUNS


def _results(data: Prepared, family_at: FamilyAt, systems: Systems) -> PairResults:
    if family_at.average in SUBJECT:
        return pair_sums.compare_over_subjects(data, systems, family_at)
    if _over_runs(family_at, systems):
        counts = {name: [systems[run].of(family_at.parsed) for run in runs] for name, runs in runs_of(systems).items()}
        return pair_sums.compare_over_runs(counts, data.documents, family_at)
    pairing = Pairing(family_at, list(systems), Sums())
    return pairing.compared(add_pairs(pairing, data, systems))


def _identical(coded: Coded, groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    first_with, identical = dict[tuple[bytes, ...], str](), dict[str, str]()
    for name, names in groups.items():
        runs = [coded.runs[run] for run in names]
        arrays = [(run.listed, run.length, run.phrase[ragged(run.start, run.length)]) for run in runs]
        earlier = first_with.setdefault(tuple(array.tobytes() for run in arrays for array in run), name)
        if earlier != name:
            identical[name] = earlier
    return identical


def add_pairs(pairing: Pairing, data: Prepared, systems: Systems, streamed: bool = False) -> list[Floats]:
    """Add the documents of prepared data, and return the differences of each pair in the last block.

    In memory, all documents form one block, and one generator draws weights and swaps; in a streamed run, weights and
    swaps are derived from the document ids.
    """
    settings, family_at, rng = data.settings, pairing.at, np.random.default_rng(data.settings.seed)
    # ranks are always resampled
    resampling = settings.changed(interval="poisson" if streamed or settings.interval == "poisson" else "bootstrap")
    parts = {name: run.blocks() if streamed else [run] for name, run in systems.items()}
    for index, block_of in enumerate(document_blocks(len(data.documents)) if streamed else [slice(None)]):
        ids, counts = data.documents[block_of], {name: part[index] for name, part in parts.items()}
        block = {
            name: pair_sums.statistic(run, family_at.parsed, family_at.cutoff, family_at.average)
            for name, run in counts.items()
        }
        in_common = pair_sums.scored_for_all(block)
        scored = list(compress(ids, in_common))
        weights = intervals.weights(resampling, scored, in_common[in_common], rng)
        swaps: Iterator[Floats] = iter(())
        if family_at.family.test == "randomisation" and scored:
            trials, n = family_at.family.trials, len(scored)
            swaps = intervals.random_swaps(scored, trials, settings.seed) if streamed else paired.swaps(n, trials, rng)
        differences = pairing.add(block, weights, swaps, list_counts(counts))
        pairing.sums.note({pairing.name: Ids.where(ids, ~in_common)})
    return differences


def comparison_of(results: PairResults, family_at: FamilyAt, n_documents: int, streamed: bool = False) -> Comparison:
    """Return the comparison of pairs from their results."""
    family, settings = family_at.family, family_at.settings
    pairs, n, lists = results.pairs, results.documents, results.lists
    test_in_words = in_words(family, settings, n, streamed)
    k = None if family.parsed.card.fixed is not None else family_at.cutoff
    table, lost = _table(results, settings), results.left_out.count
    # pairs with missing lists under the other convention, all others unchanged
    replaced = [_table(result, settings).set_axis([index]) for index, result in results.otherwise.items()]
    other = pd.concat([table.drop(index=[*results.otherwise]), *replaced]).sort_index()
    table, other = (rows.assign(p_adjusted=_correct(results, rows["p"].to_numpy(), family)) for rows in (table, other))
    columns = {"measure": family.parsed.name(k), "k": pd.Series([k] * len(pairs), dtype=object)}
    rows = table.assign(**columns, average=family_at.average)[list(_COLUMNS)]
    comparable = np.array([_comparable(lists, n, lost, *pair) for pair in pairs])
    if family.margin is not None:
        low, high = np.fmin(table["low"], other["low"]), np.fmax(table["high"], other["high"])
        verdicts = (verdict(*bounds, family.margin) for bounds in zip(low, high, strict=True))
        rows["verdict"] = np.where(comparable, list(verdicts), "not comparable")
    unseen = [pair for pair in pairs if streamed and lists.lacking(*pair)]
    capped = frozenset((*unseen, *(pair for pair in pairs if _has_too_few_runs(results.runs, pair, family.test))))
    testable = comparable & np.array([n >= FEW and pair not in capped for pair in pairs])
    testable &= (table["difference"] * other["difference"] >= 0) & other["p_adjusted"].notna()
    larger_p = np.fmax(table["p_adjusted"], other["p_adjusted"]).where(testable, 1.0)
    decisive = dict(zip(pairs, larger_p.tolist(), strict=True))
    clusters, better = paired.decisions(results.scores, [(*pair, p) for pair, p in decisive.items()], ALPHA)
    notes = [Note("info", "test", test_in_words)]
    if len(family.parsed.averages(settings.average)) > 1:
        settings = settings.changed(average=family_at.average)
        notes.append(Note("info", "average", f"Only the {family_at.average} average is compared."))
    if n < FEW:
        notes.append(Note("warning", "documents", f"{too_few_documents(n)} or test"))
    if lost:
        text = f"{pluralize(lost, 'document is', 'documents are')} left out, because not all systems are scored there"
        notes.append(Note("warning", "documents", f"{text}: {results.left_out}"))
    identical = "its lists are identical to those of {}, so the tests count both as one"
    notes += [Note("info", name, identical.format(first)) for name, first in results.identical.items()]
    return Comparison(
        rows,
        settings,
        tuple(notes),
        n,
        effects=rows[["a", "b"]].join(pd.DataFrame(results.effects, columns=list(EFFECTS))),
        scores=results.scores,
        ranks=paired.rank_bounds(results.resampled),
        clusters=clusters,
        better=better,
        correction=family.correction,
        left_out=lost,
        test=test_in_words,
        recipe=signature(settings.changed(k=(family_at.cutoff,)), n_documents, family.parsed.of_tables),
        baseline=family.baseline,
        lists=lists,
        runs=results.runs,
        otherwise=other.loc[[*results.otherwise]],
        decisive=decisive,
        capped=capped,
        identical=results.identical,
    )


_COLUMNS = ("a", "b", "measure", "k", "average", "difference", "low", "high", "p", "p_adjusted", "documents")


def _table(results: PairResults, settings: Settings) -> pd.DataFrame:
    """Return values, difference, interval and p of each pair; the interval is 0 to 0 if no document differs."""
    first, second = (np.array([results.scores[name] for name in names]) for names in zip(*results.pairs, strict=True))
    differences = first - second
    low, high = differences - results.half_widths, differences + results.half_widths
    if results.resampled and settings.interval in ("bootstrap", "poisson", "multi-bootstrap"):
        gaps = [results.resampled[a] - results.resampled[b] for a, b in results.pairs]
        low, high = intervals.percentile(np.stack(gaps, axis=1), intervals.expanded_tail(results.documents))
    if settings.interval != "none":
        none_differs = np.array([won + lost == 0 < tied for _, _, won, tied, lost in results.effects])
        all_equal = none_differs & close(differences, 0) & np.isnan(low)
        low, high = np.where(all_equal, 0.0, low), np.where(all_equal, 0.0, high)
    table = pd.DataFrame(results.pairs, columns=["a", "b"]).assign(value_a=first, value_b=second)
    return table.assign(difference=differences, low=low, high=high, p=results.p, documents=results.documents)


def _comparable(lists: ListCounts, n_documents: int, left_out: int, a: str, b: str) -> bool:
    """Return whether two systems can be compared: with lists for nearly the same documents, and for nearly all."""
    any_incomplete = any(n_lists < COMPARABLE * total for n_lists, total in lists.coverage.values())
    return lists.comparable(a, b) and not (any_incomplete and n_documents < COMPARABLE * (n_documents + left_out))


def _correct(results: PairResults, p: Floats, family: Family) -> Floats:
    """Return p corrected over the pairs tested; systems with the same lists count as one system."""
    index_of = dict[tuple[str, ...], int]()
    keys = [tuple(sorted({results.identical.get(name, name) for name in pair})) for pair in results.pairs]
    for index, key in enumerate(keys):
        if len(key) > 1 and p[index] == p[index]:
            index_of.setdefault(key, index)
    corrected = dict(zip(index_of, paired.CORRECTIONS[family.correction](p[list(index_of.values())]), strict=True))
    return np.array([corrected.get(key, uncorrected) for key, uncorrected in zip(keys, p, strict=True)])


def _has_too_few_runs(runs: Mapping[str, int], pair: tuple[str, str], test: str) -> bool:
    """Return whether a system of a pair has a single run whose variance cannot be estimated from the others.

    >>> [_has_too_few_runs({"x": number, "y": 1}, ("x", "y"), "two-way-t") for number in (1, 2, 3)]
    [False, True, False]
    """
    freedom = sum(runs.values()) - len(runs)
    if not freedom or min(runs[name] for name in pair) > 1:
        return False
    return freedom < _MIN_DEGREES_OF_FREEDOM or test == "multi-bootstrap"


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


def in_words(family: Family, settings: Settings, n_documents: int, streamed: bool = False) -> str:
    """Describe the test with everything needed to repeat it."""
    assignments = f"{family.trials:,} trials, seed {settings.seed}"
    if not streamed and paired.enumerated(n_documents, family.trials):
        assignments = f"all {2**n_documents:,} assignments"
    remark = "; streamed, so there is no rank-biserial correlation" if streamed else ""
    test_name = WORDS["tests"][family.test].format(drawn=assignments, resamples=settings.resamples, seed=settings.seed)
    return f"{test_name}, {WORDS['corrections'][family.correction]}, level {ALPHA:g}{remark}"
