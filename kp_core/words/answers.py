"""Turn data and settings into the one answer that page, report, LaTeX, Markdown, command line and Python show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Unpack, cast

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import REASONS, InputError, UsageError, counted
from kp_core.order import best_first, highest, leveled
from kp_core.scoring.codes import Bools
from kp_core.scoring.counts import HUMANS, RANDOM, SILENT, Counted
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.prepare import Prepared, prepare, prepare_annotators
from kp_core.scoring.runs import have_runs, runs_of
from kp_core.scoring.systems import count_systems, longest_lists
from kp_core.settings import PRESETS, Average, Changes, Settings, differences, in_words, settled
from kp_core.studies import indexing
from kp_core.studies.annotators import agreement, legible, standard_error
from kp_core.studies.answer import Answer, ClearAt, Grade
from kp_core.studies.compare import Comparison, Family, compare_all
from kp_core.studies.document_values import values_over
from kp_core.studies.evaluate import evaluate
from kp_core.studies.facts import above_one
from kp_core.studies.means import MEAN
from kp_core.studies.over_k import OverK, documents_needed, over_k
from kp_core.studies.result import Result
from kp_core.typeset import listed, number
from kp_core.words.speech import INDEXERS, USUAL, Speech, speech
from kp_core.words.statements import between, reliability

#: Below this share of the documents, or of those that two systems share, nothing is said of which is better.
COMPARABLE = 0.9
#: With fewer documents no statement is certain.
FEW = 10
#: So many caveats are said.
_CAVEATS = 2
#: Measures that reward a system for what nobody chose.
_OF_SILENCE = ("PABAK", "P_neg", "AC1")
#: With more annotators than these, each against the others takes longer than a person waits.
_PEOPLE = 10
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
    """Say which system is better and how sure that is; of one system what it reaches; of people how far they agree.

    over     what is certain at other cutoffs: "ask" to work it out, or what `over_k` has worked out
    family   another test or correction than that of `compare`, by the same measure
    changes  fields of `Settings`; the first cutoff counts

    >>> import kp_core as kp
    >>> gold, good, bad = ({f"d{i}": [word] for i in range(12)} for word in ("tide", "tide", "moon"))
    >>> print(answer(kp.load(gold=gold, systems={"a": good, "b": bad}), k=1, resamples=200).claim)
    a is better than b: F1@1 1.000 against 0.000.
    """
    settings = settled(corpus, settings, changes)
    if isinstance(over, str) and over != "ask":
        raise UsageError(f"over is '{over}'; write 'ask', or what over_k has found")
    if not corpus.systems:
        return people(corpus, settings)
    tested_by = family or Family(measure)  # refuses a measure by which nothing is better
    if corpus.datasets:
        return _of_datasets(corpus, settings.changed(k=settings.k[:1]), tested_by)
    data, asked = prepare(corpus, settings), parse(measure)
    if left_one_out(data.settings.annotators):
        found = evaluate(corpus, data.settings.changed(k=data.settings.k[0], interval="none"), [asked.name()])
        return beside_people(found, str(found.frame["measure"].iloc[0]), list(runs_of(corpus.systems)))
    has = _listed(count_systems(data, asked.of_tables))
    if len(has) == 1:
        return _of_one_system(corpus, data, asked, _coverage(has))
    comparison = compare_all(corpus, data.settings.changed(k=data.settings.k[:1]), [tested_by])
    here = asked.name(data.settings.k[0])
    if (apart := not_comparable(comparison, here, has)) is not None:
        return apart
    tested = over_k(corpus, data.settings, measure) if over == "ask" else over
    caveats = _caveats(corpus, data, asked, comparison, tested_by)
    return of_comparison(comparison, here, _coverage(has), tested, caveats)


def answer_by(corpus: Corpus, settings: Settings, measures: Sequence[str]) -> Answer | None:
    """Return the answer by the first of some measures of which more, or less, is better; None where none is."""
    ranking = [name for name in measures if parse(name).measure.better != "none"]
    return answer(corpus, settings, ranking[0]) if ranking else None


def people(corpus: Corpus, settings: Settings) -> Answer:
    """Say how far the annotators of a corpus agree; k plays no part."""
    alone = settings.changed(k="all", annotators="union", average="usual")  # Hooper follows from pooled counts
    return of_people(agreement(corpus, alone), standard_error(prepare_annotators(corpus, alone)), speech(corpus))


def _too_few(documents: float, say: Speech = USUAL) -> tuple[str, ...]:
    return (f"Below {FEW} {say['documents']} no such statement is reliable.",) if documents < FEW else ()


def _listed(systems: Mapping[str, Counted]) -> dict[str, Bools]:
    """Return for every system which of the documents in use it has a list for, in each of its runs."""
    lists = {name: own.lists.listed[own.lists.known & own.lists.drawable] for name, own in systems.items()}
    return {name: np.logical_and.reduce([lists[run] for run in runs]) for name, runs in runs_of(lists).items()}


def _coverage(has: Mapping[str, Bools]) -> dict[str, tuple[int, int]]:
    return {name: (int(own.sum()), len(own)) for name, own in has.items()}


def _is_thin(coverage: Mapping[str, tuple[int, int]], name: str) -> bool:
    """Tell a system with lists for fewer than nine of ten documents."""
    own, of = coverage.get(name, (1, 1))
    return own < COMPARABLE * of


def _ranked(comparison: Comparison) -> dict[str, float]:
    """Return the systems that have a value with it, the best first."""
    values = {name: value for name, value in comparison.scores.items() if value == value}
    return {name: values[name] for name in best_first(values)}


def not_comparable(comparison: Comparison, measure: str, has: Mapping[str, Bools]) -> Answer | None:
    """Say that the two systems that lead have lists for other documents; None where they can be compared.

    has  system → which of the documents in use it has a list for (D,)
    """
    values, coverage = _ranked(comparison), _coverage(has)
    first, second, *_ = (*values, *(name for name in comparison.scores if name not in values))
    thin = [name for name in coverage if _is_thin(coverage, name)]
    missed = thin if _is_thinned(comparison) else [name for name in thin if name in (first, second)]
    both, either = (int(found.sum()) for found in (has[first] & has[second], has[first] | has[second]))
    if not missed and both >= COMPARABLE * either:
        return None
    named = list(dict.fromkeys((first, second, *missed)))
    of = counted(len(has[first]), "document")
    lists = listed([f"{name} has lists for {coverage[name][0]:,}" for name in named])
    claim = f"{first} and {second} cannot be compared by {measure}: of {of}, {lists}, and both for {both:,}."
    return Answer(claim, "not comparable", _THIN if both else _APART, (first, second), coverage=coverage)


def over_subjects(measure: str, settings: Settings) -> str:
    """Return a measure with the words that its mean is over subjects, where it is.

    >>> over_subjects("F1@5", Settings(average="subject")), over_subjects("MAP", Settings(average="subject"))
    ('F1@5 by subject', 'MAP')
    """
    weighted = " (weighted)" if settings.average == "subject-weighted" else ""
    return f"{measure} by subject{weighted}" if parse(measure).over_subjects(settings.average) else measure


_APART = "They look like systems of two data sets: load one data set at a time."
_THIN = "Load the missing lists, or only the documents that all of them have."


def _is_thinned(comparison: Comparison) -> bool:
    """Tell a comparison on fewer than nine of ten documents, since some system has no value on the others."""
    return comparison.documents < COMPARABLE * (comparison.documents + comparison.left_out)


def of_comparison(
    comparison: Comparison,
    measure: str,
    coverage: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    tested: OverK | None = None,
    caveats: Sequence[str] = (),
) -> Answer:
    """Say which of several systems is better by a measure, and how sure that is."""
    values, measure = _ranked(comparison), over_subjects(measure, comparison.settings)
    left_out = f", {comparison.left_out:,} left out" * bool(comparison.left_out)
    documents = counted(comparison.documents, "document") + left_out
    few = _too_few(comparison.documents)
    known = (*few, *caveats)[:_CAVEATS]
    if len(values) < 2:
        why = "A comparison needs two systems with a value."
        return Answer(f"{measure} is undefined for all systems or all but one.", "cannot tell", why, coverage=coverage)
    first = highest(values)
    if len(first) > 1 and (comparison.baseline in first or not comparison.baseline):
        after = list(values)[len(first) :]
        following = f"; {after[0]} has {number(values[after[0]])}" if after else ""
        claim = f"{listed(first)} are level: {measure} {number(values[first[0]])}{following}."
        why = f"They have the same value on {documents}, so there is no order among them."
        return Answer(claim, "cannot tell", why, tuple(first[:2]), coverage=coverage, caveats=known)
    best, second = _named(values, comparison.baseline)
    others = [name for name in values if name not in (best, second)]
    lead, p, excludes = _lead(comparison, best, second)
    significant = second in comparison.better[best]
    sure: Grade = "leaning" if significant or excludes else "cannot tell"
    grade: Grade = "clear" if significant and comparison.documents >= FEW else sure
    shown = f"{measure} {number(values[best])} against {number(values[second])}"
    claim = {
        "clear": f"{best} is better than {second}: {shown}.",
        "leaning": f"{best} seems better than {second}: {shown}.",
        "cannot tell": f"{best} and {second} cannot be told apart: {shown}.",
    }[grade]
    sound = [name for name in others if name in comparison.better[best] and not _is_thin(coverage, name)]
    beaten = sound if comparison.documents >= FEW else []
    also = f"; {best} is clearly better than {listed(beaten)}" if beaten else ""
    pairs = len(comparison.frame)
    how = "uncorrected" if comparison.correction == "none" else f"{_CORRECTIONS[comparison.correction]}, {pairs} pairs"
    how = f" ({how})" if pairs > 1 else ""
    certain = tested if comparison.documents >= FEW else None
    over = ClearAt(certain.tried, certain.clear(best, second), best, second) if certain else None
    peak = certain.best(best) if certain else None
    return Answer(
        claim, grade, f"Difference {lead}, {p}{how}, {documents}{also}.", (best, second), over, peak, coverage, known
    )


def _of_datasets(corpus: Corpus, settings: Settings, family: Family) -> Answer:
    """Say on how many data sets the system with the highest mean is better than the second, at least."""
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
    coverage, caveats = dict[str, tuple[int, int]](), list[str]()
    for name, one in comparison.datasets.items():
        has = _listed(count_systems(prepare(corpus.by_dataset[name], one.settings), family.asked.of_tables))
        for system, (own, of) in _coverage(has).items():
            before = coverage.get(system, (0, 0))
            coverage[system] = before[0] + own, before[1] + of
        if (apart := not_comparable(one, shown, has)) is not None:
            caveats.append(f"On {name}: {apart.claim}")
    values = _ranked(comparison)
    if len(values) < 2:
        claim = f"No two systems have lists on all {datasets} data sets, so that their means could be compared."
        return Answer(claim, "cannot tell", "Each data set can be looked at by itself.", coverage=coverage)
    best, second = _named(values, comparison.baseline)
    better = {(one.a, one.b): one for one in comparison.over_datasets}
    found, against = better.get((best, second)), better.get((second, best))
    means = f"mean {shown} {number(values[best])} against {number(values[second])}"
    documents = f"Each data set is tested by itself; {counted(comparison.documents, 'document')} in all."
    few = _too_few(min(one.documents for one in comparison.datasets.values()))
    turned = f" {second} is better on {listed(against.which)}." if against else ""
    said = (*few, *caveats)[:_CAVEATS]
    if found is None:
        claim = f"{best} and {second} cannot be told apart on any of {datasets} data sets: {means}."
        return Answer(claim, "cannot tell", f"{documents}{turned}", (best, second), coverage=coverage, caveats=said)
    where = f"all {found.of}" if found.better == found.of else f"at least {found.better} of {found.of}"
    claim = f"{best} is better than {second} on {where} data sets: {means}."
    which = f"By Holm’s correction over data sets: {listed(found.which)}."
    grade: Grade = "leaning" if few else "clear"
    return Answer(claim, grade, f"{which}{turned} {documents}", (best, second), coverage=coverage, caveats=said)


def _named(values: Mapping[str, float], baseline: str) -> tuple[str, str]:
    """Return the two best of ranked systems, or the best beside the baseline."""
    best, second = list(values)[:2]
    return (best, baseline if baseline in values and baseline != best else second)


def _lead(comparison: Comparison, best: str, other: str) -> tuple[str, str, bool]:
    """Return by how much a system is ahead of another one, the corrected p, and whether its interval excludes 0."""
    rows = comparison.better_first()
    row = rows[(rows["a"] == best) & (rows["b"] == other)].iloc[0]
    p, lead = row["p_adjusted"], f"{number(row['difference'])}{between(row['low'], row['high'], ', ')}"
    return lead, "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p == p else "not tested", bool(row["low"] > 0)


def _caveats(corpus: Corpus, data: Prepared, asked: Asked, comparison: Comparison, family: Family) -> list[str]:
    """Return what a reader must know before believing the claim, the most important first."""
    values = _ranked(comparison)
    if len(values) < 2:
        return []
    pair = _named(values, comparison.baseline)
    found = list(_warnings(corpus, data, asked, pair, max(values.values())))
    several = have_runs(data.names.systems)
    if (
        family.test == "randomisation"
        and not several
        and (needed := _needed(data, asked, comparison, pair)) is not None
    ):
        found.append(f"About {needed:,} documents like these would make it clear.")
    return found


def _warnings(corpus: Corpus, data: Prepared, asked: Asked, pair: Sequence[str], top: float) -> Iterator[str]:
    yield from (f"{note.message}." for note in above_one([(asked.name(data.settings.k[0]), top)]))
    k = data.settings.k[0] if asked.fixed is None else asked.fixed
    lengths, groups = longest_lists(data), runs_of(data.names.systems)
    longest = {name: max(lengths[run] for run in runs) for name, runs in groups.items()}
    short = [f"{name} at {longest[name]}" for name in pair if isinstance(k, int) and longest[name] < k]
    if short:
        yield f"Lists end before k = {k}: those of {listed(short)}."
    drawn = _drawn(corpus, data, asked)
    if drawn >= top:
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


def _needed(data: Prepared, asked: Asked, comparison: Comparison, pair: Sequence[str]) -> int | None:
    """Return how many documents would make the difference of a pair clear, where it is not, and means are compared."""
    if pair[1] in comparison.better[pair[0]] or asked.averages(data.settings.average)[0] != "macro":
        return None
    values, _ = values_over(data, asked, asked.cutoffs(data.settings)[:1])
    apart = leveled((values[pair[0]] - values[pair[1]])[:, 0])
    pairs = 1 if comparison.correction == "none" else len(comparison.frame)
    needed = documents_needed(apart, pairs, np.random.default_rng(data.settings.seed))
    return needed if needed is not None and needed > comparison.documents else None


def _of_one_system(corpus: Corpus, data: Prepared, asked: Asked, coverage: Mapping[str, tuple[int, int]]) -> Answer:
    """Say what the only system reaches, beside chance, silence and people."""
    k, average = data.settings.k[0], cast(Average, asked.averages(data.settings.average)[0])
    settings = data.settings.changed(k=k, average=average)
    result = evaluate(corpus, settings, [asked.name()], baselines=True)
    people = _people(corpus, settings, asked)
    return of_one_system(result, str(result.frame["measure"].iloc[0]), coverage, people)


def _people(corpus: Corpus, settings: Settings, asked: Asked) -> float:
    """Return what people reach against each other, NaN where no two saw a document, or measures ask for an order."""
    if not 1 < len(corpus.annotators) <= _PEOPLE:
        return float("nan")
    try:
        found = evaluate(corpus, settings.changed(annotators="others", interval="none"), [asked.name()]).frame
    except (InputError, UsageError):  # N, or the gold standard asked for, has no such part
        return float("nan")
    return float(found.set_index("system")["value"].get(HUMANS, np.nan))


def of_one_system(
    result: Result, measure: str, coverage: Mapping[str, tuple[int, int]], people: float = float("nan")
) -> Answer:
    """Say what the only system reaches, beside chance, silence and people."""
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
    reached |= {"people against each other reach": people}
    beside = [f"{words} {number(value)}" for words, value in reached.items() if value == value]
    also = f" {listed(beside).capitalize()}." if beside else ""
    bounds = between(row["low"], row["high"], "", "; ")
    claim = f"{system} reaches {measure} {number(row['value'])}."
    lists = f"It has lists for {coverage[system][0]:,} of {counted(coverage[system][1], 'document')}."
    few = _too_few(row["documents"])
    thin = (*few, lists) if _is_thin(coverage, system) else few
    return Answer(claim, "one system", f"{bounds}{documents}{also}", (system,), coverage=coverage, caveats=thin)


#: What stands beside the value of the only system: its name in a sentence → the row of a result.
_DRAWN = "phrases drawn at random reach"
_BASELINES = {_DRAWN: RANDOM, "saying nothing reaches": SILENT}


def beside_people(result: Result, measure: str, systems: Sequence[str]) -> Answer:
    """Say what people reach against each other, beside the best system on the same gold standard."""
    rows = result.frame[result.frame["measure"] == measure].drop_duplicates("system").set_index("system")
    every = rows["value"].astype(float).to_dict()
    values = {name: every[name] for name in systems if every.get(name) == every.get(name)}
    people = every.get(HUMANS)
    why = (
        "Each annotator is left out in turn; people and systems are scored against what the others chose. "
        f"No test is made here; {counted(result.documents, 'document')}."
    )
    best = f"{highest(values)[0]} {number(max(values.values()))}" if values else "no system has a value"
    if people is None:
        claim = f"People choose a set without order, so {measure} has no value for them; {best}."
    elif people != people:
        claim = f"{measure} of people is undefined: {REASONS[rows['reason'][HUMANS]]}; {best}."
    else:
        claim = f"People reach {measure} {number(people)}, {best}."
    return Answer(claim, "people", why)


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
