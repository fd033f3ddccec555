"""Turn data and settings into the one answer that page, report, LaTeX, Markdown, command line and Python show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Literal, Unpack, cast

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import REASONS, InputError, UsageError, counted
from kp_core.order import best_first, close, exceeds, highest, leveled, reaches
from kp_core.reading.sense import shifted
from kp_core.scoring.counts import HUMANS, RANDOM, SILENT
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.pair_sums import COMPARABLE, list_counts
from kp_core.scoring.prepare import Prepared, prepare, prepare_annotators
from kp_core.scoring.runs import runs_of
from kp_core.scoring.systems import count_systems, longest_lists
from kp_core.settings import PRESETS, SUBJECT, Average, Changes, Settings, differences, in_words, settled
from kp_core.studies import indexing
from kp_core.studies.annotators import agreement, legible, standard_error
from kp_core.studies.answer import Answer, Grade, SignificantAt
from kp_core.studies.compare import FEW, Comparison, Family, Found, compare_all
from kp_core.studies.document_values import values_over
from kp_core.studies.evaluate import each_of_people, evaluate
from kp_core.studies.facts import above_one
from kp_core.studies.means import MEAN
from kp_core.studies.over_k import OverK, documents_needed, over_k
from kp_core.studies.result import Result
from kp_core.typeset import digits_apart, listed, number
from kp_core.words.speech import INDEXERS, USUAL, Speech, speech
from kp_core.words.statements import between, reliability

#: So many caveats are said.
_CAVEATS = 2
#: Measures that reward a system for what nobody chose.
_OF_SILENCE = ("PABAK", "P_neg", "AC1")
#: With more annotators than these, each against the others takes longer than a person waits.
MOST_PEOPLE = 10
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "uncorrected"}

Over = OverK | Literal["ask"] | None


def answer(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measure: str = "F1@k",
    *,
    over: Over = None,
    family: Family | None = None,
    **changes: Unpack[Changes],
) -> Answer:
    """Report which system is better and how sure that is; of one system its value; of people how far they agree.

    over     what is significant at other cutoffs: "ask" to test it, or what `over_k` returned
    family   another test or correction than that of `compare`, by the same measure
    changes  fields of `Settings`; the first cutoff counts

    >>> import kp_core as kp
    >>> gold, good, bad = ({f"d{i}": [word] for i in range(12)} for word in ("tide", "tide", "moon"))
    >>> print(answer(kp.load(gold=gold, systems={"a": good, "b": bad}), k=1, resamples=200).claim)
    a is better than b by 1.000 (F1@1 1.000 against 0.000).
    """
    settings = settled(corpus, settings, changes)
    if isinstance(over, str) and over != "ask":
        raise UsageError(f"over is '{over}'; write 'ask', or what over_k has found")
    if not corpus.systems:
        return people(corpus, settings)
    tested_by = family or Family(measure)  # refuses a measure by which nothing is better
    found = _of_systems(corpus, settings, measure, over, tested_by)
    return replace(found, caveats=tuple(islice(chain(_of_shifted(corpus, found.systems), found.caveats), _CAVEATS)))


def _of_systems(corpus: Corpus, settings: Settings, measure: str, over: Over, tested_by: Family) -> Answer:
    """Report which system is better; of one system its value, and of gold standards of others the range of people."""
    if corpus.datasets:
        return _of_datasets(corpus, settings.changed(k=settings.k[:1]), tested_by)
    data, asked = prepare(corpus, settings), parse(measure)
    if left_one_out(data.settings.annotators):
        return like_for_like(corpus, data.settings, measure)
    lists = list_counts(count_systems(data, asked.of_tables))
    if len(lists.systems) == 1:
        return _of_one_system(corpus, data, asked, lists.coverage)
    comparison = compare_all(corpus, data.settings.changed(k=data.settings.k[:1]), [tested_by])
    tested = over_k(corpus, data.settings, measure) if over == "ask" else over
    return of_comparison(
        comparison, asked.name(data.settings.k[0]), tested, _warnings(corpus, data, asked, comparison, tested_by)
    )


def _of_shifted(corpus: Corpus, systems: Sequence[str]) -> Iterator[str]:
    """Warn of lists that hold the keyphrases of other documents, as if a line were missing in a file."""
    named = {run for system, runs in runs_of(corpus.systems).items() if system in systems for run in runs}
    for name, part in corpus.by_dataset.items() or (("", corpus),):
        on = f"On {name}, " if name else ""
        yield from (f"{on}{one.where} has {one.found}." for one in shifted(part) if one.where in named)


def answer_by(corpus: Corpus, settings: Settings, measures: Sequence[str]) -> Answer | None:
    """Return the answer by the first of some measures of which more, or less, is better; None where none is."""
    ranking = [name for name in measures if parse(name).measure.better != "none"]
    return answer(corpus, settings, ranking[0]) if ranking else None


def people(corpus: Corpus, settings: Settings) -> Answer:
    """Say how far the annotators of a corpus agree; k plays no part."""
    alone = settings.changed(k="all", annotators="union", average="usual")  # Hooper follows from pooled counts
    return of_people(agreement(corpus, alone), standard_error(prepare_annotators(corpus, alone)), speech(corpus))


def _too_few(documents: float, say: Speech = USUAL) -> tuple[str, ...]:
    return (f"With fewer than {FEW} {say['documents']}, no such statement is reliable.",) if documents < FEW else ()


def _is_thin(coverage: Mapping[str, tuple[int, int]], name: str) -> bool:
    """Tell a system with lists for fewer than nine of ten documents."""
    own, of = coverage.get(name, (1, 1))
    return own < COMPARABLE * of


def _ranked(comparison: Comparison) -> dict[str, float]:
    """Return the systems that have a value with it, the best first."""
    values = {name: value for name, value in comparison.scores.items() if value == value}
    return {name: values[name] for name in best_first(values)}


def not_comparable(comparison: Comparison, measure: str) -> Answer | None:
    """Report that the two systems that lead have lists for other documents; None where they can be compared."""
    values, lists = _ranked(comparison), comparison.lists
    first, second, *_ = (*values, *(name for name in comparison.scores if name not in values))
    if comparison.comparable(first, second):
        return None
    thin = [name for name in lists.systems if _is_thin(lists.coverage, name)]
    missed = thin if lists.comparable(first, second) else [name for name in thin if name in (first, second)]
    named = list(dict.fromkeys((first, second, *missed)))
    of, both = counted(lists.documents, "document"), lists.shared(first, second)
    has = listed([f"{name} has lists for {lists.shared(name, name):,}" for name in named])
    claim = f"{first} and {second} cannot be compared by {measure}: of {of}, {has}, and both for {both:,}."
    return Answer(claim, "not comparable", _THIN if both else _APART, (first, second), coverage=lists.coverage)


def over_subjects(measure: str, settings: Settings) -> str:
    """Return a measure with the words that its mean is over subjects, where it is.

    >>> over_subjects("F1@5", Settings(average="subject")), over_subjects("MAP", Settings(average="subject"))
    ('F1@5 by subject', 'MAP')
    """
    weighted = " (weighted)" if settings.average == "subject-weighted" else ""
    return f"{measure} by subject{weighted}" if parse(measure).over_subjects(settings.average) else measure


_APART = "They look like systems of two data sets: load one data set at a time."
_THIN = "Load the missing lists, or only the documents that all of them have."


def of_comparison(
    comparison: Comparison, measure: str, tested: OverK | None = None, warnings: Iterable[str] = ()
) -> Answer:
    """Report which of several systems is better by a measure, by how much, and how sure that is."""
    values, coverage = _ranked(comparison), comparison.lists.coverage
    if (apart := not_comparable(comparison, measure)) is not None:
        return apart
    shown = over_subjects(measure, comparison.settings)
    if len(values) < 2:
        why = "A comparison needs two systems with a value."
        claim = f"{shown} is undefined for all systems or all but one."
        return Answer(claim, "not significant", why, coverage=coverage)
    best, second = _named(values, comparison)
    same = [name for name in values if comparison.identical.get(name, name) == comparison.identical.get(best, best)]
    if second in same:
        claim = f"{listed(same)} have identical outputs: {shown} {number(values[best])}."
        why = f"Their lists are the same on {_documents(comparison)}, so there is nothing to test."
        return Answer(claim, "not significant", why, (best, second), coverage=coverage)
    grade = comparison.grade(best, second)
    every = chain(_of_lists(comparison, best, second), _of_size(comparison, best, second), warnings)
    caveats = tuple(islice(every, _CAVEATS))  # what is not shown is not worked out
    record = Answer("", grade, _why(comparison, best, second), (best, second), coverage=coverage, caveats=caveats)
    level = [name for name in highest(values) if name not in comparison.identical]
    if grade == "depends on missing lists":
        return replace(record, claim=_by_lists(comparison, best, second, shown))
    if len(level) > 1 and second in level:
        following = [name for name in values if name not in (*level, *comparison.identical)]
        after = f"; {following[0]} has {number(values[following[0]])}" if following else ""
        claim = f"{listed(level)} have equal {_means(comparison, measure)}: {shown} {number(values[best])}{after}."
        return replace(record, claim=claim)
    if tested is not None and comparison.documents >= FEW:
        alone = _cutoff(comparison) if grade == "significant" else None
        ways = tested.significant(best, second), tested.significant(second, best)
        over = SignificantAt(tested.tried, *ways, best, second, alone)
        record = replace(record, over_k=over, best_k=tested.best(best))
        if over.opposite and (over.significant or alone):
            return replace(record, grade="depends on k", claim=_by_cutoff(over, shown, values))
    name = f"{best} (identical to {listed(same[1:])})" if len(same) > 1 else best
    return replace(record, claim=_CLAIMS[grade].format(best=name, second=second, **_sizes(shown, values, best, second)))


#: Grade → the claim about two systems.
_CLAIMS = {
    "significant": "{best} is better than {second} by {by} ({shown}).",
    "suggestive": "{best} may be better than {second}, by {by} ({shown}).",
    "not significant": "{best} is ahead of {second} by {by}, which may be due to chance ({shown}).",
}


def _sizes(measure: str, values: Mapping[str, float], best: str, second: str) -> dict[str, str]:
    """Return two values, and the size of their difference, with as many decimals as tell them apart."""
    digits = digits_apart(values[best], values[second])
    first, other = number(values[best], digits), number(values[second], digits)
    return {"by": number(values[best] - values[second], digits), "shown": f"{measure} {first} against {other}"}


def _means(comparison: Comparison, measure: str) -> str:
    """Return what the values of a comparison are: means over documents or subjects, or values of all together."""
    average = parse(measure).averages(comparison.settings.average)[0]
    return "means" if average in ("macro", *SUBJECT) else "values"


def _cutoff(comparison: Comparison) -> int | None:
    k = comparison.frame["k"].iloc[0]
    return k if isinstance(k, int) else None


def _by_cutoff(over: SignificantAt, measure: str, values: Mapping[str, float]) -> str:
    """Return the claim where one system is better at some cutoffs, and the other at others."""
    at = dict(over.ways) | ({over.better: f"k = {over.alone}"} if over.alone and not over.significant else {})
    digits = digits_apart(values[over.better], values[over.other])
    here = ", ".join(f"{name} {number(values[name], digits)}" for name in (over.better, over.other))
    ways = f"{over.other} is better at {at[over.other]}, {over.better} at {at[over.better]}"
    return f"It depends on k: {ways} ({measure}: {here})."


def _by_lists(comparison: Comparison, best: str, second: str, measure: str) -> str:
    """Return the claim where the rule for missing lists decides: both ways, each with its values and its grade."""
    rows = comparison.otherwise
    row = rows[rows["a"].isin([best, second]) & rows["b"].isin([best, second])].iloc[0]
    others = {row["a"]: row["value_a"], row["b"]: row["value_b"]}
    zero, shared = (comparison.scores, others) if comparison.settings.missing != "skip" else (others, comparison.scores)
    capped = not {(best, second), (second, best)}.isdisjoint(comparison.capped)
    found = comparison.found(best, second), comparison.found(best, second, rows)
    grades = [way.grade(capped) for way in found if way is not None]
    if comparison.settings.missing == "skip":
        grades.reverse()

    def ahead(values: Mapping[str, float], grade: Grade) -> str:
        first, other = best_first({name: values[name] for name in (best, second)})
        return f"{first} is ahead of {other} ({_sizes(measure, values, first, other)['shown']}, {grade})"

    both = f"the {counted(comparison.lists.shared(best, second), 'document')} with lists of both"
    first, other = ahead(zero, grades[0]), ahead(shared, grades[1])
    return f"It depends on missing lists: if they count as 0, {first}; on {both}, {other}."


def _of_lists(comparison: Comparison, *systems: str) -> Iterator[str]:
    """Say which lists are missing, and what becomes of these documents."""
    lists = comparison.lists
    if lacking := lists.lacking(*systems):
        missing = [f"{name} has no list for {lists.documents - lists.shared(name, name):,}" for name in lacking]
        rule = "these are left out" if comparison.settings.missing == "skip" else "each counts as 0"
        yield f"{listed(missing)} of {counted(lists.documents, 'document')}; {rule}."


def _of_size(comparison: Comparison, best: str, second: str) -> Iterator[str]:
    """Warn of too few documents, or too few that differ."""
    yield from _too_few(comparison.documents)
    effects = comparison.effects
    if comparison.documents >= FEW and len(effects):
        row = effects[effects["a"].isin([best, second]) & effects["b"].isin([best, second])].iloc[0]
        differ = int(row["wins"] + row["losses"])
        if not differ:
            yield f"{best} and {second} have the same value on each of {comparison.documents:,} documents."
        elif differ < FEW:
            few = f"{differ:,} of {counted(comparison.documents, 'document')}"
            yield f"{best} and {second} differ on only {few}; intervals and tests are unreliable below {FEW}."


def _documents(comparison: Comparison) -> str:
    left_out = f", {comparison.left_out:,} left out" * bool(comparison.left_out)
    return f"{counted(comparison.documents, 'document')}{left_out}"


def _why(comparison: Comparison, best: str, second: str) -> str:
    """Return the statistics of two systems: difference, interval, p, documents, and what the numbers rest on."""
    pairs, scores = _pairs(comparison), comparison.scores
    digits = digits_apart(scores[best], scores[second])
    how = "uncorrected" if comparison.correction == "none" else f"{_CORRECTIONS[comparison.correction]}, {pairs} pairs"
    how = f" ({how})" if pairs > 1 else ""
    beaten = [
        name
        for name in _ranked(comparison)
        if name in comparison.better[best]
        and comparison.identical.get(name, name) != comparison.identical.get(second, second)
        and not _is_thin(comparison.lists.coverage, name)
    ]
    also = f"; {best} is also significantly better than {listed(beaten)}" if beaten else ""
    found, other = comparison.found(best, second), comparison.found(best, second, comparison.otherwise)
    text = f"Difference {_lead(found, digits, how) if found else ''}, {_documents(comparison)}{also}."
    if other is not None:
        rule = "Missing lists counted as 0" if comparison.settings.missing == "skip" else "On the documents of both"
        text += f" {rule}: difference {_lead(other, digits, how)}, {counted(other.documents, 'document')}."
    capped = not {(best, second), (second, best)}.isdisjoint(comparison.capped)
    single = [name for name in (best, second) if comparison.runs.get(name) == 1 and max(comparison.runs.values()) > 1]
    if single:
        few = ", which are too few for a significant difference" * capped
        have = "has one run" if len(single) == 1 else "have one run each"
        text += f" {listed(single)} {have}; the variance between runs is that of the systems with several{few}."
    elif capped:
        text += " Streamed data are not compared on shared documents: repeat it with missing = skip."
    same = [f"{name} = {first}" for name, first in comparison.identical.items()]
    return f"{text} Identical outputs, counted once: {listed(same)}." if same else text


def _pairs(comparison: Comparison) -> int:
    """Return how many pairs p is corrected for: those of identical outputs count once."""
    return sum(not {*pair} & comparison.identical.keys() for pair in comparison.decisive)


def _lead(found: Found, digits: int, how: str) -> str:
    """Return a difference with its interval, and its corrected p."""
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}" if found.p == found.p else "not tested"
    bounds = between(found.low, found.high, ", ", digits=digits)
    return f"{number(found.difference, digits)}{bounds}, {p}{how}"


def _of_datasets(corpus: Corpus, settings: Settings, family: Family) -> Answer:
    """Compare on each data set; where each has one system, report their means."""
    measure, datasets = family.measure, len(corpus.datasets)
    if all(len(runs_of(part.systems)) < 2 for part in corpus.by_dataset.values()):
        frame = evaluate(corpus, settings, [measure]).frame
        rows = frame[(frame["subset"] == MEAN) & frame["value"].notna()]
        each = [f"{name} reaches {number(value)}" for name, value in zip(rows["system"], rows["value"], strict=True)]
        means = listed(each) if each else "no system has a value on all of them"
        claim = f"By {measure}, as a mean of {datasets} data sets, {means}."
        return Answer(claim, "one system", "A comparison needs two systems on one data set.")
    comparison = compare_all(corpus, settings, [family])
    named = {one.frame["measure"].iloc[0] for one in comparison.datasets.values()}
    shown = over_subjects(named.pop() if len(named) == 1 else family.asked.name(), comparison.settings)
    return of_datasets(comparison, shown, datasets)


def of_datasets(comparison: Comparison, measure: str, datasets: int) -> Answer:
    """Report on which data sets the system with the higher mean is better, and on which the other one.

    measure: as it is shown; datasets: how many there are. Where two systems are not comparable nothing is concluded.
    """
    values, coverage = _ranked(comparison), dict[str, tuple[int, int]]()
    for one in comparison.datasets.values():
        for system, (own, of) in one.lists.coverage.items():
            before = coverage.get(system, (0, 0))
            coverage[system] = before[0] + own, before[1] + of
    if len(values) < 2:
        claim = f"No two systems have lists on all {datasets} data sets, so that their means could be compared."
        return Answer(claim, "not comparable", "Each data set can be looked at by itself.", coverage=coverage)
    best, second = _named(values, comparison)
    alike = {name: one for name, one in comparison.datasets.items() if one.comparable(best, second)}
    apart = [f"On {name} they cannot be compared." for name in comparison.datasets if name not in alike]
    if not alike:
        claim = f"{best} and {second} cannot be compared by {measure} on any of {datasets} data sets."
        return Answer(claim, "not comparable", _THIN, (best, second), coverage=coverage)
    # The means, too, are of the data sets on which the two can be compared.
    means = {name: float(np.mean([one.scores[name] for one in alike.values()])) for name in (best, second)}
    best, second = best_first(means)
    better = {(one.a, one.b): one.which for one in comparison.over_datasets}
    ahead, behind = better.get((best, second), ()), better.get((second, best), ())
    turned = [name for name, one in alike.items() if exceeds(one.scores[second], one.scores[best])]
    if turned and ahead and not behind:
        apart.append(f"On {listed(turned)} {second} is ahead, which may be due to chance.")
    lists = (sentence for name, one in alike.items() for sentence in _of_lists(one, best, second))
    few = _too_few(min(one.documents for one in alike.values()))
    caveats = (*apart, *few, *lists)[:_CAVEATS]
    documents = counted(sum(one.documents for one in alike.values()), "document")
    why = f"Each data set is tested by itself, two-sided, by Holm’s correction over data sets; {documents} in all."
    record = Answer("", "not significant", why, (best, second), coverage=coverage, caveats=caveats)
    mean = f"mean {measure}" if len(alike) > 1 else f"{measure} on {listed(list(alike))}"
    sizes = _sizes(mean, means, best, second)
    if behind:
        at = [
            f"{name} is better on {listed(_shown_on(alike, which, name, other, measure))}"
            for name, other, which in ((best, second, ahead), (second, best, behind))
            if which
        ]
        rest = "" if ahead else f", though {best} has the higher mean ({sizes['shown']})"
        return replace(
            record, grade="depends on the data set", claim=f"It depends on the data set: {'; '.join(at)}{rest}."
        )
    if close(means[best], means[second]) and not ahead:
        claim = f"{best} and {second} have equal means on {listed(list(alike))}: {measure} {number(means[best])}."
        return replace(record, claim=claim)
    if not ahead:
        chance = "which may be due to chance" + f" on each of {len(alike)} data sets" * (len(alike) > 1)
        return replace(record, claim=f"{best} is ahead of {second} by {sizes['by']}, {chance} ({sizes['shown']}).")
    where = f"all {datasets}" if len(ahead) == datasets else f"at least {len(ahead)} of {datasets}"
    size = f"by {sizes['by']}{' on average' * (len(alike) > 1)} ({sizes['shown']})"
    claim = f"{best} is better than {second} on {where} data sets ({listed(list(ahead))}), {size}."
    return replace(record, grade="significant", claim=claim)


def _shown_on(each: Mapping[str, Comparison], which: Sequence[str], best: str, other: str, measure: str) -> list[str]:
    """Return data sets with the values of two systems on each."""
    return [f"{name} ({_sizes(measure, each[name].scores, best, other)['shown']})" for name in which]


def _named(values: Mapping[str, float], comparison: Comparison) -> tuple[str, str]:
    """Return the two best of ranked systems, or the best beside the baseline; identical outputs are one system."""
    identical, baseline = comparison.identical, comparison.baseline
    distinct = [name for name in values if identical.get(name, name) not in values or name not in identical]
    best = distinct[0]
    if baseline in values and baseline != best:
        return best, baseline
    return best, next(name for name in (*distinct, *values) if name != best)


def _warnings(corpus: Corpus, data: Prepared, asked: Asked, comparison: Comparison, family: Family) -> Iterator[str]:
    """Give what a reader must know before believing the claim, beyond its size and missing lists."""
    values = _ranked(comparison)
    if len(values) < 2:
        return
    pair = _named(values, comparison)
    yield from _of_values(corpus, data, asked, pair, max(values.values()))
    if family.test == "randomisation" and not comparison.runs and (needed := _needed(data, asked, comparison, pair)):
        low, high = (f"{documents:,}" for documents in needed)
        about = f"about {low}" if low == high else f"between {low} and {high}"
        yield f"A difference like this one needs {about} documents to be significant in 8 of 10 studies."


def _of_values(corpus: Corpus, data: Prepared, asked: Asked, pair: Sequence[str], top: float) -> Iterator[str]:
    yield from (f"{note.message}." for note in above_one([(asked.name(data.settings.k[0]), top)]))
    k = data.settings.k[0] if asked.fixed is None else asked.fixed
    lengths, groups = longest_lists(data), runs_of(data.names.systems)
    longest = {name: max(lengths[run] for run in runs) for name, runs in groups.items()}
    short = [f"{name} at {longest[name]}" for name in pair if isinstance(k, int) and longest[name] < k]
    if short:
        yield f"Lists end before k = {k}: those of {listed(short)}."
    drawn = _drawn(corpus, data, asked)
    if reaches(drawn, top):
        yield f"No system does better than phrases drawn at random ({number(drawn)})."
    if asked.measure.name in _OF_SILENCE:
        yield f"{asked.measure.name} is no guide to a better system: silence scores high. Read kappa or P_pos."


def _drawn(corpus: Corpus, data: Prepared, asked: Asked) -> float:
    """Return what random phrases reach, NaN where there is no such baseline, or nobody knows what to draw from."""
    if not _knows_universe(data.settings):
        return float("nan")
    frame = evaluate(corpus, data.settings, [asked.name()], baselines=True, interval="none").frame
    drawn = frame.loc[frame["system"] == RANDOM, "value"]
    return float(drawn.iloc[0]) if len(drawn) else float("nan")


def _knows_universe(settings: Settings) -> bool:
    return bool(legible(("K",), settings))


def _needed(data: Prepared, asked: Asked, comparison: Comparison, pair: Sequence[str]) -> tuple[int, int] | None:
    """Return how many documents would make the difference of a pair significant, where it is not."""
    of_means = asked.averages(data.settings.average)[0] == "macro"
    if not of_means or comparison.grade(*pair) not in ("suggestive", "not significant"):
        return None
    values, _ = values_over(data, asked, asked.cutoffs(data.settings)[:1])
    apart = leveled((values[pair[0]] - values[pair[1]])[:, 0])
    pairs = 1 if comparison.correction == "none" else _pairs(comparison)
    needed = documents_needed(apart, pairs, np.random.default_rng(data.settings.seed))
    return needed if needed is not None and needed[1] > comparison.documents else None


def _of_one_system(corpus: Corpus, data: Prepared, asked: Asked, coverage: Mapping[str, tuple[int, int]]) -> Answer:
    """Say what the only system reaches, beside chance, silence and people."""
    k, average = data.settings.k[0], cast(Average, asked.averages(data.settings.average)[0])
    settings = data.settings.changed(k=k, average=average)
    result = evaluate(corpus, settings, [asked.name()], baselines=True)
    said = of_one_system(result, str(result.frame["measure"].iloc[0]), coverage, _beside(corpus, settings, asked))
    if average != "macro" or len(data.names.systems) > 1:
        return said
    (values,) = values_over(data, asked, asked.cutoffs(settings)[:1])[0].values()
    differ = len(values) - int(pd.Series(leveled(values[:, 0])).value_counts().max()) if len(values) >= FEW else FEW
    few = f"Only {differ} of {counted(len(values), 'document')} differ from the most frequent value"
    warning = f"{few}; the interval is unreliable below {FEW}."
    if not differ:
        warning = f"The value is the same on each of {len(values):,} documents."
    return replace(said, caveats=(*said.caveats, *([warning] if differ < FEW else []))[:_CAVEATS])


def _beside(corpus: Corpus, settings: Settings, asked: Asked) -> str:
    """Return where the only system stands beside people on the same footing; empty where nobody else chose."""
    if not 1 < len(corpus.annotators) <= MOST_PEOPLE:
        return ""
    try:
        return like_for_like(corpus, settings.changed(annotators="others"), asked.name()).claim
    except (InputError, UsageError):  # N, or the gold standard asked for, has no such part
        return ""


def of_one_system(
    result: Result, measure: str, coverage: Mapping[str, tuple[int, int]], beside_people: str = ""
) -> Answer:
    """Report what the only system reaches, beside chance and silence; and beside people, on a gold of their own."""
    rows = result.frame[(result.frame["measure"] == measure) & (result.frame["subset"] == "all")].set_index("system")
    (system,) = coverage
    row, measure = rows.loc[system], over_subjects(measure, result.settings)
    documents = f"{counted(int(row['documents']), 'document')}; load a second system to compare."
    if row["value"] != row["value"]:
        claim = f"{measure} of {system} is undefined: {REASONS[row['reason']]}."
        return Answer(claim, "one system", f"{documents[:1].upper()}{documents[1:]}", (system,), coverage=coverage)
    reached = {words: float(rows["value"].get(name, np.nan)) for words, name in _BASELINES.items()}
    if not _knows_universe(result.settings):
        del reached[_DRAWN]
    beside = [f"{words} {number(value)}" for words, value in reached.items() if value == value]
    also = f" {listed(beside).capitalize()}." if beside else ""
    bounds = between(row["low"], row["high"], "", "; ")
    claim = f"{system} reaches {measure} {number(row['value'])}."
    lists = f"It has lists for {coverage[system][0]:,} of {counted(coverage[system][1], 'document')}."
    few = _too_few(row["documents"])
    thin = (*few, lists) if _is_thin(coverage, system) else few
    people = f" With each annotator left out in turn, {beside_people}" if beside_people else ""
    return Answer(claim, "one system", f"{bounds}{documents}{also}{people}", (system,), coverage=coverage, caveats=thin)


#: What stands beside the value of the only system: its name in a sentence → the row of a result.
_DRAWN = "phrases drawn at random reach"
_BASELINES = {_DRAWN: RANDOM, "saying nothing reaches": SILENT}


def like_for_like(corpus: Corpus, settings: Settings, measure: str) -> Answer:
    """Report whether the best system is within the range of people, all scored against what other people chose.

    settings: their gold standard is that of the others
    """
    asked, alone = parse(measure), settings.changed(k=settings.k[:1])
    result = evaluate(corpus, alone, [asked.name()], baselines=_knows_universe(alone))
    each = each_of_people(corpus, alone, asked)
    return of_range(result, str(result.frame["measure"].iloc[0]), list(runs_of(corpus.systems)), each)


#: Row of a result → its name in a sentence on people.
_REFERENCES = {HUMANS: "people on average", RANDOM: "phrases drawn at random"}


def of_range(result: Result, measure: str, systems: Sequence[str], people: Mapping[str, float]) -> Answer:
    """Report whether the best system is within, above or below the range of people on the same gold standards.

    people  annotator → value against the others

    Above and below ask for the whole interval of the system to be there.
    """
    rows = result.frame[(result.frame["measure"] == measure) & (result.frame["subset"] == "all")]
    rows = rows.drop_duplicates("system").set_index("system")
    reached = {str(name): float(value) for name, value in rows["value"].items() if value == value}
    values = {name: reached[name] for name in systems if name in reached}
    known = [value for value in people.values() if value == value]
    beside = [f"{who} reach {number(reached[name])}" for name, who in _REFERENCES.items() if name in reached]
    documents = counted(result.documents, "document")
    left_out = "each annotator is left out in turn, and people and systems are scored against what the others chose"
    best = highest(values)[0] if values else ""
    bounds = between(rows["low"][best], rows["high"][best], "", f" for {best}; ") if best else ""
    text = f"{bounds}{'; '.join([*beside, left_out])}; {documents}."
    why = f"{text[:1].upper()}{text[1:]}"
    reaching = f"{best} {number(values[best])}" if best else "no system has a value"
    if not known:
        claim = f"People choose a set without order, so {measure} has no value for them"
        if HUMANS in rows.index:
            claim = f"{measure} of people is undefined: {REASONS[rows['reason'][HUMANS]]}"
        return Answer(f"{claim}; {reaching}.", "people", why)
    low, high = min(known), max(known)
    span = f"{number(low)} to {number(high)}" if low < high else number(low)
    if not best:
        return Answer(f"People reach {measure} {span}; {reaching}.", "people", why)
    value, bottom, top = values[best], rows["low"][best], rows["high"][best]
    side = "above" if exceeds(value, high) else "below" if exceeds(low, value) else "within"
    sure = side == "within" or exceeds(bottom, high) or exceeds(low, top)
    chance = "" if sure else ", which may be due to chance"
    claim = f"{best} is {side} the range of people{chance}: {measure} {number(value)} against {span}."
    return Answer(claim, "people", why, (best,))


def of_preset(here: Result, usual: Result, measure: str, system: str) -> str:
    """Say in which rules a preset differs from KPScope, and what that does to the value of a system.

    here, usual  values under the preset, and under the rules of KPScope
    """
    preset = here.settings.preset
    rules = [f"{rule[:1].lower()}{rule[1:].rstrip('?')}: {its}" for rule, _, its in differences(preset)]
    now, before = (
        one.frame.set_index(["system", "measure"])["value"].get((system, measure), np.nan) for one in (here, usual)
    )
    moved = f" {measure} of {system} is {number(now)} by them, {number(before)} by the rules of KPScope."
    differ = f"differs from KPScope in {counted(len(rules), 'rule')} ({'; '.join(rules)})"
    cutoffs = ", ".join(map(str, PRESETS[preset].k))
    published = f", and was published with k = {cutoffs}" if cutoffs != "average" else ""
    return f"{in_words('preset', preset)} {differ}{published}.{moved}"


def of_people(result: Result, error: float, say: Speech) -> Answer:
    """Say how much of their keyphrases annotators share, and K with its word only where N can be read.

    With the universe `rankings`, N is what anybody lists, so chance agreement is not known; indexers are not told of
    what cannot be read. error: the standard error of K with documents as clusters; say: what people are called.
    """
    rows = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")]
    rows = rows.drop_duplicates("measure").set_index("measure")  # of two averages the first
    shared, pairs = rows.loc["P_pos"], indexing.consistency(result)
    documents = counted(int(shared["documents"]), say["document"])
    if shared["value"] != shared["value"]:
        claim = f"How far the {say['annotators']} agree is undefined: {REASONS[shared['reason']]}."
        return Answer(claim, "people", f"{documents}.")
    hooper, rolling = pairs["Hooper"].mean(), pairs["Rolling"].mean()
    who = "The two {annotators} share" if len(pairs) == 1 else "Two {annotators} share on average"
    share = f"{100 * shared['value']:.0f} % of their {say['keyphrases']}"
    claim = f"{who.format_map(say)} {share} (Hooper {number(hooper, 2)})."
    named = f"{say['P_pos']} {number(shared['value'])}, {say['Rolling']} {number(rolling)}, {documents}"
    named, few = f"{named[:1].upper()}{named[1:]}", _too_few(shared["documents"], say)
    known = _knows_universe(result.settings)
    if say is INDEXERS and not (known and rows["value"]["K"] == rows["value"]["K"]):
        return Answer(claim, "people", f"{named}.", caveats=few)
    beside = f". {reliability(result, error, 'Landis & Koch 1977', say)}" if known else f"; {_NO_UNIVERSE}"
    return Answer(claim, "people", f"{named}{beside}", caveats=few)


_NO_UNIVERSE = (
    "K is not read here, because nobody knows which phrases could have been chosen. "
    "Choose the texts, a vocabulary or a number as universe."
)
