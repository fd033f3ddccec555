"""Report which system is better, from a corpus and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import REASONS, InputError, UsageError, pluralize, read_toml
from kp_core.reading.rows.sense import shifted
from kp_core.scoring.counts import HUMANS, RANDOM, SILENT
from kp_core.scoring.gold import leave_one_out_rule
from kp_core.scoring.measures import Measure, matchers, parse
from kp_core.scoring.order import best_first, close, digits_apart, exceeds, highest, leveled, reaches
from kp_core.scoring.pair_sums import COMPARABLE, list_counts
from kp_core.scoring.paired import Family
from kp_core.scoring.prepare import Prepared, prepare, prepare_annotators
from kp_core.scoring.runs import runs_of
from kp_core.scoring.systems import count_systems, longest_lists
from kp_core.settings import PRESETS, SUBJECT, Changes, Settings, differences, in_words, resolve_settings
from kp_core.studies import subjects
from kp_core.studies.all_cutoffs import AllCutoffs, all_cutoffs, documents_needed
from kp_core.studies.annotators import agreement, interpretable, standard_error
from kp_core.studies.answer import Answer, Grade, SignificantAt
from kp_core.studies.compare import FEW, Comparison, compare_all
from kp_core.studies.evaluate import each_annotator, evaluate
from kp_core.studies.facts import notes_above_one
from kp_core.studies.parts import values_over
from kp_core.studies.result import MEAN, Result
from kp_core.typeset import first_capital, listed, number, say
from kp_core.words.statements import reliability

_CAVEATS = 2
#: Measures that reward a system for not choosing phrases that nobody chose.
_REWARDS_SILENCE = ("PABAK", "P_neg", "AC1")
#: Maximum number of annotators for scoring each against the others.
MOST_PEOPLE = 10
_CORRECTIONS = {"holm": " (Holm, {} pairs)", "bh": " (Benjamini-Hochberg, {} pairs)", "none": " (uncorrected)"}

Over = AllCutoffs | Literal["ask"] | None
#: Key → word for annotators, keyphrases and documents.
Terms = dict[str, str]
_WORDS: dict[str, Terms] = read_toml("words/terms.toml")
USUAL = _WORDS["usual"]
_ALONE = [USUAL | _WORDS[kind] for kind in ("annotators", "indexers")]


def terms_for(corpus: Corpus) -> Terms:
    """Return the words for annotators, keyphrases and documents that suit the data, such as those of indexing."""
    return _ALONE[corpus.has_concepts] if subjects.has_only_annotators(corpus) else USUAL


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
    """Report which system is better and whether that is significant.

    With a single system, the answer gives its value; without systems, the agreement of the annotators.

    Parameters
    ----------
    measure : str
        Measure by which systems are compared; the first cutoff is used.
    over : "ask" or AllCutoffs, optional
        "ask" to also test the other cutoffs, or the result of `all_cutoffs`.
    family : Family, optional
        Test and correction; by default those of `compare`.
    **changes
        Fields of `Settings`.

    Examples
    --------
    >>> import kp_core as kp
    >>> gold, good, bad = ({f"d{i}": [word] for i in range(12)} for word in ("tide", "tide", "moon"))
    >>> print(answer(kp.load(gold=gold, systems={"a": good, "b": bad}), k=1, resamples=200).claim)
    a is better than b by 1.000 (F1@1 1.000 against 0.000).
    """
    settings = resolve_settings(corpus, settings, changes)
    if isinstance(over, str) and over != "ask":
        raise UsageError(f"over is '{over}'; write 'ask' or pass the result of all_cutoffs")
    if not corpus.systems:
        return people(corpus, settings)
    family = family or Family(measure)  # refuse a measure that does not rank systems
    result = _compare_systems(corpus, settings, measure, over, family)
    caveats = chain(_shifted_lists(corpus, result.systems), result.caveats)
    return replace(result, caveats=tuple(islice(caveats, _CAVEATS)))


def _compare_systems(corpus: Corpus, settings: Settings, measure: str, over: Over, family: Family) -> Answer:
    if corpus.datasets:
        return _of_datasets(corpus, settings.changed(k=settings.k[:1]), family)
    data, parsed = prepare(corpus, settings), parse(measure)
    if leave_one_out_rule(data.settings.annotators):
        return like_for_like(corpus, data.settings, measure)
    lists = list_counts(count_systems(data, matchers([parsed])))
    if len(lists.coverage) == 1:
        return _of_one_system(corpus, data, parsed, lists.coverage)
    comparison = compare_all(corpus, data.settings.changed(k=data.settings.k[:1]), [family])
    tests_over_k = all_cutoffs(corpus, data.settings, measure) if over == "ask" else over
    warnings = _warnings(corpus, data, parsed, comparison, family)
    return of_comparison(comparison, parsed.name(data.settings.k[0]), tests_over_k, warnings)


def _shifted_lists(corpus: Corpus, systems: Sequence[str]) -> Iterator[str]:
    """Warn about lists that match the keyphrases of other documents, as if the file lacked a line."""
    run_names = {run for system, runs in runs_of(corpus.systems).items() if system in systems for run in runs}
    for name, part in corpus.by_dataset.items() or (("", corpus),):
        yield from (say("shifted", dataset=name, **vars(note)) for note in shifted(part) if note.where in run_names)


def people(corpus: Corpus, settings: Settings) -> Answer:
    """Report the agreement of the annotators of a corpus, which does not depend on k."""
    pooled = settings.changed(k="all", annotators="union", average="usual")  # Hooper needs pooled counts
    return of_people(agreement(corpus, pooled), standard_error(prepare_annotators(corpus, pooled)), terms_for(corpus))


def _lead_facts(best: str, second: str, measure: str, values: Mapping[str, float]) -> dict[str, str]:
    pair = values[best], values[second]
    gap, lead, other = (number(value, digits_apart(*pair)) for value in (pair[0] - pair[1], *pair))
    facts = {"best": best, "second": second, "measure": measure, "by": gap, "first": lead, "other": other}
    return facts | {"shown": f"{measure} {lead} against {other}"}


def _too_few(documents: float, noun: str = "documents") -> tuple[str, ...]:
    return (say("few", documents=noun),) if documents < FEW else ()


def _is_incomplete(coverage: Mapping[str, tuple[int, int]], name: str) -> bool:
    """Return whether a system lacks lists for more than a tenth of the documents."""
    lists, documents = coverage.get(name, (1, 1))
    return lists < COMPARABLE * documents


def _ranked_values(comparison: Comparison) -> dict[str, float]:
    """Return the defined values of systems, best first."""
    values = {name: value for name, value in comparison.scores.items() if value == value}
    return {name: values[name] for name in best_first(values)}


def _not_comparable(comparison: Comparison, measure: str) -> Answer | None:
    """Report that the two best systems have lists for different documents; None if they can be compared."""
    values, lists = _ranked_values(comparison), comparison.lists
    first, second, *_ = (*values, *(name for name in comparison.scores if name not in values))
    if comparison.comparable(first, second):
        return None
    incomplete = [name for name in lists.coverage if _is_incomplete(lists.coverage, name)]
    named = incomplete if lists.comparable(first, second) else [name for name in incomplete if name in (first, second)]
    counts = [f"{name} has lists for {lists.shared(name, name):,}" for name in dict.fromkeys((first, second, *named))]
    facts = {"measure": measure, "documents": lists.documents, "has": counts, "both": lists.shared(first, second)}
    claim, why = say("not comparable", first=first, second=second, **facts), say("thin" if facts["both"] else "apart")
    return Answer(claim, "not comparable", why, (first, second), coverage=lists.coverage)


def _over_subjects(measure: str, settings: Settings) -> str:
    """Return the name of a measure, extended by “by subject” if its mean is over subjects."""
    weighted = " (weighted)" if settings.average == "subject-weighted" else ""
    return f"{measure} by subject{weighted}" if parse(measure).over_subjects(settings.average) else measure


def of_comparison(
    comparison: Comparison, measure: str, tests_over_k: AllCutoffs | None = None, warnings: Iterable[str] = ()
) -> Answer:
    """Report which of several systems is better by a measure, by how much, and whether that is significant."""
    values, coverage, identical = _ranked_values(comparison), comparison.lists.coverage, comparison.identical
    if (incomparable := _not_comparable(comparison, measure)) is not None:
        return incomparable
    label = _over_subjects(measure, comparison.settings)
    if len(values) < 2:
        return Answer(say("undefined", measure=label), "not significant", say("two needed"), coverage=coverage)
    best, second = pair = _leading_pair(values, comparison)
    same = [name for name in values if identical.get(name, name) == identical.get(best, best)]
    if second in same:
        claim = say("identical", names=same, measure=label, value=values[best])
        why = say("nothing to test", documents=comparison.documents, left_out=comparison.left_out)
        return Answer(claim, "not significant", why, pair, coverage=coverage)
    grade, lead = comparison.grade(best, second), _lead_facts(best, second, label, values)
    all_caveats = chain(_missing_lists(comparison, best, second), _too_few_differ(comparison, best, second), warnings)
    caveats = tuple(islice(all_caveats, _CAVEATS))  # other cutoffs are not computed
    result = Answer("", grade, _statistics(comparison, best, second), pair, coverage=coverage, caveats=caveats)
    equal = [name for name in highest(values) if name not in identical]
    if grade == "depends on missing lists":
        return replace(result, claim=_claims_by_convention(comparison, best, second, label))
    if len(equal) > 1 and second in equal:
        third = next((name for name in values if name not in (*equal, *identical)), "")
        average = parse(measure).averages(comparison.settings.average)[0]
        noun = "means" if average in ("macro", *SUBJECT) else "values"
        facts = {"measure": label, "value": values[best], "after": third, "after_value": values.get(third)}
        return replace(result, claim=say("equal", names=equal, what=noun, **facts))
    if tests_over_k is not None and comparison.documents >= FEW:
        k = comparison.frame["k"].iloc[0]
        uncorrected_k = k if grade == "significant" and isinstance(k, int) else None
        cutoffs_of_both = tests_over_k.significant(best, second), tests_over_k.significant(second, best)
        significance = SignificantAt(tests_over_k.tested_cutoffs, *cutoffs_of_both, best, second, uncorrected_k)
        result = replace(result, over_k=significance, best_k=tests_over_k.best(best))
        if significance.opposite and (significance.significant or uncorrected_k):
            cutoffs = {best: f"k = {uncorrected_k}"} | dict(significance.ways)
            claim = say("depends on k", lead=lead, best_at=cutoffs[best], second_at=cutoffs[second])
            return replace(result, grade="depends on k", claim=claim)
    name = f"{best} (identical to {listed(same[1:])})" if len(same) > 1 else best
    return replace(result, claim=say(grade, name=name, lead=lead))


def _is_capped(comparison: Comparison, best: str, second: str) -> bool:
    return not {(best, second), (second, best)}.isdisjoint(comparison.capped)


def _row_of(pairs: pd.DataFrame, best: str, second: str) -> pd.Series:
    return pairs[pairs["a"].isin([best, second]) & pairs["b"].isin([best, second])].iloc[0]


def _claims_by_convention(comparison: Comparison, best: str, second: str, measure: str) -> str:
    """Return the claim with the grade under both conventions for missing lists, if the grades differ."""
    row, claims = _row_of(comparison.otherwise, best, second), list[str]()
    other_values = {row["a"]: row["value_a"], row["b"]: row["value_b"]}
    for values, otherwise in ((comparison.scores, False), (other_values, True)):
        difference = comparison.difference(best, second, otherwise=otherwise)
        grade = difference and difference.grade(_is_capped(comparison, best, second))
        first, other = best_first({name: values[name] for name in (best, second)})
        claims.append(f"{first} is ahead of {other} ({_lead_facts(first, other, measure, values)['shown']}, {grade})")
    if_empty, if_shared = reversed(claims) if comparison.settings.missing == "skip" else claims
    return say("depends on missing lists", zero=if_empty, both=if_shared, shared=comparison.lists.shared(best, second))


def _missing_lists(comparison: Comparison, *systems: str) -> Iterator[str]:
    lists, skip = comparison.lists, comparison.settings.missing == "skip"
    if incomplete := lists.lacking(*systems):
        missing = [f"{name} has no list for {lists.documents - lists.shared(name, name):,}" for name in incomplete]
        yield say("missing lists", missing=missing, documents=lists.documents, skip=skip)


def _too_few_differ(comparison: Comparison, best: str, second: str) -> Iterator[str]:
    yield from _too_few(comparison.documents)
    if comparison.documents >= FEW and len(comparison.effects):
        row = _row_of(comparison.effects, best, second)
        differ = int(row["wins"] + row["losses"])
        facts = {"best": best, "second": second, "documents": comparison.documents, "differ": differ, "few": FEW}
        if differ < FEW:
            yield say("rarely differ" if differ else "never differ", **facts)


def _statistics(comparison: Comparison, best: str, second: str) -> str:
    scores, identical, coverage = comparison.scores, comparison.identical, comparison.lists.coverage
    pairs, digits = _pairs(comparison), digits_apart(scores[best], scores[second])
    worse = [name for name in _ranked_values(comparison) if name in comparison.better[best]]
    others_worse = [name for name in worse if identical.get(name, name) != identical.get(second, second)]
    difference, other = comparison.difference(best, second), comparison.difference(best, second, otherwise=True)
    several_runs = max(comparison.runs.values(), default=1) > 1
    facts: dict[str, Any] = {
        "found": difference and say("difference", found=difference, digits=digits),
        "other": other and say("difference", found=other, digits=digits),
        "other_documents": other and other.documents,
        "how": "" if pairs < 2 else _CORRECTIONS[comparison.correction].format(pairs),
        "beaten": [name for name in others_worse if not _is_incomplete(coverage, name)],
        "single": [name for name in (best, second) if several_runs and comparison.runs.get(name) == 1],
        "same": [f"{name} = {same_as}" for name, same_as in identical.items()],
    }
    facts |= {"best": best, "documents": comparison.documents, "left_out": comparison.left_out}
    return say("pair", skip=comparison.settings.missing == "skip", capped=_is_capped(comparison, best, second), **facts)


def _pairs(comparison: Comparison) -> int:
    """Return the number of pairs for which p is corrected; identical outputs count once."""
    return sum(not {*pair} & comparison.identical.keys() for pair in comparison.decisive)


def _of_datasets(corpus: Corpus, settings: Settings, family: Family) -> Answer:
    measure, datasets = family.measure, len(corpus.datasets)
    if all(len(runs_of(part.systems)) < 2 for part in corpus.by_dataset.values()):
        frame = evaluate(corpus, settings, [measure]).frame
        rows = frame[(frame["subset"] == MEAN) & frame["value"].notna()]
        values = [f"{name} reaches {number(value)}" for name, value in zip(rows["system"], rows["value"], strict=True)]
        claim = say("means of one system each", measure=measure, datasets=datasets, reached=values)
        return Answer(claim, "one system", say("two needed on one data set"))
    comparison = compare_all(corpus, settings, [family])
    measure_names = {part.frame["measure"].iloc[0] for part in comparison.datasets.values()}
    name = measure_names.pop() if len(measure_names) == 1 else family.parsed.name()
    return of_datasets(comparison, _over_subjects(name, comparison.settings), datasets)


def of_datasets(comparison: Comparison, measure: str, n_datasets: int) -> Answer:
    """Report on which data sets the system with the highest mean is better, and on which the runner-up is."""
    values, coverage = _ranked_values(comparison), dict[str, tuple[int, int]]()
    for system, counts in (item for part in comparison.datasets.values() for item in part.lists.coverage.items()):
        lists, documents = coverage.get(system, (0, 0))
        coverage[system] = lists + counts[0], documents + counts[1]
    if len(values) < 2:
        claim = say("no common data sets", datasets=n_datasets)
        return Answer(claim, "not comparable", say("by itself"), coverage=coverage)
    best, second = pair = _leading_pair(values, comparison)
    comparable = {name: part for name, part in comparison.datasets.items() if part.comparable(best, second)}
    incomparable = [say("not comparable there", name=name) for name in comparison.datasets if name not in comparable]
    if not comparable:
        claim = say("not comparable anywhere", best=best, second=second, measure=measure, datasets=n_datasets)
        return Answer(claim, "not comparable", say("thin"), pair, coverage=coverage)
    parts = list(comparable.values())
    means = {name: float(np.mean([part.scores[name] for part in parts])) for name in pair}
    best, second = best_first(means)
    better = {(result.a, result.b): result.which for result in comparison.over_datasets}
    wins, losses = better.get((best, second), ()), better.get((second, best), ())
    reversed_on = [name for name, part in comparable.items() if exceeds(part.scores[second], part.scores[best])]
    if reversed_on and wins and not losses:
        incomparable.append(say("turned", names=reversed_on, second=second))
    missing = (sentence for part in parts for sentence in _missing_lists(part, best, second))
    caveats = (*incomparable, *_too_few(min(part.documents for part in parts)), *missing)[:_CAVEATS]
    why = say("data sets", documents=sum(part.documents for part in parts))
    label = f"mean {measure}" if len(comparable) > 1 else f"{measure} on {listed(list(comparable))}"
    lead = _lead_facts(best, second, label, means)
    better_on = [
        (name, [f"{on} ({_lead_facts(name, other, measure, comparable[on].scores)['shown']})" for on in names])
        for name, other, names in ((best, second, wins), (second, best, losses))
        if names
    ]
    finding = "equal means" if close(means[best], means[second]) else "not significant on data sets"
    finding = "depends on the data set" if losses else "significant on data sets" if wins else finding
    grade: Grade = "depends on the data set" if losses else "significant" if wins else "not significant"
    facts = {"lead": lead, "better": better_on, "ahead": wins, "all": n_datasets, "datasets": list(comparable)}
    claim = say(finding, measure=measure, value=means[best], **facts)
    return Answer(claim, grade, why, (best, second), coverage=coverage, caveats=caveats)


def _leading_pair(values: Mapping[str, float], comparison: Comparison) -> tuple[str, str]:
    """Return the two best systems, or the best system and the baseline; identical outputs count as one system."""
    identical, baseline = comparison.identical, comparison.baseline
    distinct = [name for name in values if identical.get(name, name) not in values or name not in identical]
    best = distinct[0]
    if baseline in values and baseline != best:
        return best, baseline
    return best, next(name for name in (*distinct, *values) if name != best)


def _warnings(corpus: Corpus, data: Prepared, parsed: Measure, comparison: Comparison, family: Family) -> Iterator[str]:
    values = _ranked_values(comparison)
    if len(values) < 2:
        return
    pair, top = _leading_pair(values, comparison), max(values.values())
    yield from (f"{note.message}." for note in notes_above_one([(parsed.name(data.settings.k[0]), top)]))
    k = data.settings.k[0] if parsed.fixed is None else parsed.fixed
    lengths, groups = longest_lists(data), runs_of(data.names.systems)
    longest = {name: max(lengths[run] for run in runs) for name, runs in groups.items()}
    if short := [f"{name} at {longest[name]}" for name in pair if isinstance(k, int) and longest[name] < k]:
        yield say("lists end", k=k, short=short)
    if interpretable(("K",), data.settings):
        frame = evaluate(corpus, data.settings, [parsed.name()], baselines=True, interval="none").frame
        random_value = frame.loc[frame["system"] == RANDOM, "value"].head(1)
        if reaches(random_value, top).any():
            yield say("no better than random", value=random_value.iloc[0])
    if parsed.card.name in _REWARDS_SILENCE:
        yield say("of silence", measure=parsed.card.name)
    randomized = family.test == "randomisation" and not comparison.runs
    if randomized and (needed := _documents_for_significance(data, parsed, comparison, pair)):
        low, high = (f"{documents:,}" for documents in needed)
        yield say("documents needed", low=low, high=high)


def _documents_for_significance(
    data: Prepared, parsed: Measure, comparison: Comparison, pair: Sequence[str]
) -> tuple[int, int] | None:
    """Return the range of the number of documents that a difference needs to become significant."""
    of_means = parsed.averages(data.settings.average)[0] == "macro"
    if not of_means or comparison.grade(*pair) not in ("suggestive", "not significant"):
        return None
    systems = count_systems(data, matchers([parsed]))
    values, _ = values_over(systems, parsed, parsed.cutoffs(data.settings)[:1])
    difference = leveled((values[pair[0]] - values[pair[1]])[:, 0])
    pairs = 1 if comparison.correction == "none" else _pairs(comparison)
    needed = documents_needed(difference, pairs, np.random.default_rng(data.settings.seed))
    return needed if needed is not None and needed[1] > comparison.documents else None


def _of_one_system(corpus: Corpus, data: Prepared, parsed: Measure, coverage: Mapping[str, tuple[int, int]]) -> Answer:
    k, average = data.settings.k[0], parsed.averages(data.settings.average)[0]
    settings = data.settings.changed(k=k, average=average)
    result = evaluate(corpus, settings, [parsed.name()], baselines=True)
    (system,), measure = coverage, str(result.frame["measure"].iloc[0])
    rows = result.frame[(result.frame["measure"] == measure) & (result.frame["subset"] == "all")].set_index("system")
    row, facts = rows.loc[system], {"system": system, "measure": _over_subjects(measure, result.settings)}
    if row["value"] != row["value"]:
        claim = say("one system undefined", reason=REASONS[row["reason"]], **facts)
        why = say("beside one system", **row.to_dict(), beside=[], people="")
        return Answer(claim, "one system", why, (system,), coverage=coverage)
    references = _references(rows["value"].dropna().to_dict(), result.settings, RANDOM, SILENT)
    why = say("beside one system", **row.to_dict(), beside=references, people=_human_range(corpus, settings, parsed))
    caveats, (lists, documents) = [*_too_few(row["documents"])], coverage[system]
    caveats += [say("coverage", lists=lists, documents=documents)] * _is_incomplete(coverage, system)
    if average == "macro" and len(data.names.systems) == 1:
        values_by_system, _ = values_over(count_systems(data, matchers([parsed])), parsed, parsed.cutoffs(settings)[:1])
        values = leveled(values_by_system[data.names.systems[0]][:, 0])
        differ = len(values) - max(Counter(values).values(), default=0)
        if differ < FEW <= len(values):
            caveats.append(say("few values" if differ else "one value", differ=differ, documents=len(values), few=FEW))
    claim = say("one system", value=row["value"], **facts)
    return Answer(claim, "one system", why, (system,), coverage=coverage, caveats=tuple(caveats[:_CAVEATS]))


def _human_range(corpus: Corpus, settings: Settings, parsed: Measure) -> str:
    """Compare the only system with the human range; return an empty string if the range is undefined."""
    if 1 < len(corpus.annotators) <= MOST_PEOPLE:
        with suppress(InputError, UsageError):  # the range is undefined for this universe or gold standard
            return like_for_like(corpus, settings.changed(annotators="others"), parsed.name()).claim
    return ""


def like_for_like(corpus: Corpus, settings: Settings, measure: str) -> Answer:
    """Report whether the best system is within the human range; requires annotators = others."""
    first_cutoff = settings.changed(k=settings.k[:1])
    result = evaluate(corpus, first_cutoff, [measure], baselines=bool(interpretable(("K",), first_cutoff)))
    people = each_annotator(corpus, first_cutoff, measure)
    return of_range(result, str(result.frame["measure"].iloc[0]), corpus.systems, people)


def _references(values: Mapping[str, float], settings: Settings, *names: str) -> list[str]:
    """Report the values of references; random phrases are drawn from the universe, so it must be known."""
    known = [name for name in names if name in values and (name != RANDOM or interpretable(("K",), settings))]
    return [f"{_WORDS['reaching'][name]} {number(values[name])}" for name in known]


def of_range(result: Result, measure: str, systems: Sequence[str], people: Mapping[str, float]) -> Answer:
    """Report whether the best system, and its whole interval, is within, above or below the human range.

    * `result`: values with each annotator left out in turn; `people`: annotator → value against the others
    """
    rows = result.frame[(result.frame["measure"] == measure) & (result.frame["subset"] == "all")]
    rows = rows.drop_duplicates("system").set_index("system")
    all_values = rows["value"].dropna().to_dict()
    values = {name: all_values[name] for name in runs_of(systems) if name in all_values}
    references = _references(all_values, result.settings, HUMANS, RANDOM)
    best = highest(values)[0] if values else ""
    lower, upper = (rows[end].get(best, np.nan) for end in ("low", "high"))
    facts = {"low": lower, "high": upper, "best": best, "beside": references, "documents": result.documents}
    why = first_capital(say("range, why", **facts))
    standing = f"{best} {number(values[best])}" if best else "no system has a value"
    if not (defined := [value for value in people.values() if value == value]):
        reason = REASONS[rows["reason"][HUMANS]] if HUMANS in rows.index else ""
        sentence = "people undefined" if reason else "people unordered"
        return Answer(say(sentence, measure=measure, reason=reason, reaching=standing), "people", why)
    low, high = min(defined), max(defined)
    limits = f"{number(low)} to {number(high)}" if low < high else number(low)
    if not best:
        return Answer(say("range alone", measure=measure, span=limits, reaching=standing), "people", why)
    value = values[best]
    side = "above" if exceeds(value, high) else "below" if exceeds(low, value) else "within"
    is_certain = side == "within" or exceeds(lower, high) or exceeds(low, upper)
    claim = say("in the range", best=best, side=side, sure=is_certain, measure=measure, value=value, span=limits)
    return Answer(claim, "people", why, (best,))


def of_preset(preset_result: Result, default_result: Result, measure: str, system: str) -> str:
    """Report how a preset differs from the KPScope default, and how this affects a system's value.

    * `preset_result`, `default_result`: values under the preset, and under the KPScope default
    """
    preset = preset_result.settings.preset
    rules = [f"{rule[:1].lower()}{rule[1:].rstrip('?')}: {setting}" for rule, _, setting in differences(preset)]
    values = (result.frame.set_index(["system", "measure"])["value"] for result in (preset_result, default_result))
    current, default = (value.get((system, measure), np.nan) for value in values)
    facts = {"measure": measure, "system": system, "now": current, "before": default}
    return say("preset", preset=in_words("preset", preset), rules=rules, cutoffs=list(PRESETS[preset].k), **facts)


def of_people(result: Result, error: float, terms: Terms) -> Answer:
    """Report the proportion of keyphrases on which annotators agree, and K with its band if the universe is known.

    Under universe = rankings, chance agreement is unknown. `error`: standard error of K with documents as clusters.
    """
    rows = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")]
    rows = rows.drop_duplicates("measure").set_index("measure")
    share, pairs = rows.loc["P_pos"], subjects.consistency(result)
    if share["value"] != share["value"]:
        claim = say("people share undefined", words=terms, reason=REASONS[share["reason"]])
        return Answer(claim, "people", f"{pluralize(int(share['documents']), terms['document'])}.")
    facts = {"words": terms, "share": share["value"], "documents": share["documents"], "pairs": len(pairs)}
    facts |= {"hooper": share["value"] / (2 - share["value"]), "rolling": pairs["Rolling"].mean()}
    claim, why = say("people share", **facts), first_capital(say("people share, why", **facts))
    is_known = interpretable(("K",), result.settings)
    remark = f". {reliability(result, error, 'Landis & Koch 1977', terms)}" if is_known else f"; {say('no universe')}"
    if terms is not USUAL and not (is_known and rows["value"]["K"] == rows["value"]["K"]):
        remark = "."
    return Answer(claim, "people", f"{why}{remark}", caveats=_too_few(share["documents"], terms["documents"]))
