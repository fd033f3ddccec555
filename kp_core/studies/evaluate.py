"""Turn a corpus and settings into a result: every system, measure and cutoff, with interval and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kp_core.conventions import Conventions
from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError
from kp_core.scoring import intervals
from kp_core.scoring.annotator_tables import HUMANS, against_others
from kp_core.scoring.average import Average, Grid, View, averaged, mean_of
from kp_core.scoring.baselines import BASELINES
from kp_core.scoring.codes import Bools, Floats, average_gold_size, code, identify
from kp_core.scoring.counts import Counts
from kp_core.scoring.gold import choices, left_one_out
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.prepare import Counted, count_systems
from kp_core.scoring.sentence_ids import names_sentences
from kp_core.scoring.universe import all_items, check, sizes
from kp_core.scoring.universe import parse as parse_universe
from kp_core.settings import Cutoff, Settings, make_settings
from kp_core.studies.facts import evaluation_notes
from kp_core.studies.parts import By, masks, parse_by, presence, restricted
from kp_core.studies.result import ROW_COLUMNS, Result
from kp_core.text.normalise import Normaliser

DEFAULT_MEASURES = ("P@k", "R@k", "F1@k", "MAP", "MRR", "nDCG@k", "kappa", "P_pos", "P_neg", "PABAK")


def averages_asked(asked: Asked, settings: Settings) -> list[str]:
    """Return the averages in which a measure is given under the settings."""
    available = asked.measure.averages
    if settings.both:
        wanted = ["micro", "macro"]
    else:
        wanted = [settings.pool if asked.measure.family == "concordance" else settings.conventions.average]
    return [name for name in wanted if name in available] or ["macro"]


def evaluate(
    corpus: Corpus,
    k: int | str | Iterable[int | str] | None = None,
    measures: Sequence[str] | str | None = None,
    *,
    preset: str = "kpscope",
    annotators: str = "union",
    universe: str | float | None = None,
    average: str | None = None,
    interval: str = "bootstrap",
    resamples: int = 1000,
    seed: int = 0,
    baselines: bool = False,
    by: str = "",
    **conventions: Any,
) -> Result:
    """Evaluate every system of a corpus against its gold standard.

    k           cutoffs: 10, "5,10,15", "1-50", "average" (default), "gold", "all", or a sequence
    measures    names as in `kp.MEASURES`, with or without a cutoff: ["kappa", "P@5", "F1@k", "MAP"]
    annotators  the gold: union, majority[:M], intersection, votes, or one annotator; or others[:majority], under which
                each annotator is left out in turn and stands beside the systems as the human ceiling
    universe    N: ngrams[:n], candidates, rankings, vocabulary, sentences or a number; by default n-grams with texts
    average     micro, macro, f-of-means or both; every other convention under its own name
    by          also give the parts of the data: group (type of the document), length, or presence (in the text or not)

    Raises InputError for data that cannot be evaluated, UsageError for an option that does not exist.
    """
    options = make_settings(
        k=k,
        preset_name=preset,
        annotators=annotators,
        average=average,
        interval=interval,
        resamples=resamples,
        seed=seed,
        **conventions,
    )
    spelled = "" if universe is None else str(universe)
    return evaluate_with(corpus, replace(options, universe=spelled), measures, baselines, by)


def evaluate_with(
    corpus: Corpus,
    settings: Settings,
    measures: Sequence[str] | str | None = None,
    baselines: bool = False,
    by: str = "",
) -> Result:
    """Evaluate under settings made before, for example by `settings_from(signature)`."""
    names = [measures] if isinstance(measures, str) else measures or DEFAULT_MEASURES
    asked = [parse(part) for name in names for part in name.split(",")]
    agreement = baselines or any(a.measure.family == "concordance" for a in asked)
    settings, notes = resolve(corpus, settings)
    people = left_one_out(settings.annotators)
    settings, left_out = standards(corpus, settings)
    counted = [counts_of(corpus, settings, agreement, baselines, without) for without in left_out]
    cutoffs = settings.cutoffs
    weights = weights_of(counted, settings, code(corpus).documents)
    rows: list[dict[str, Any]] = []
    for system in counted[0]:
        rows += averaged_rows(system, [one[system] for one in counted], asked, cutoffs, weights, settings)
    if people:
        rows += _human_rows(corpus, asked, cutoffs, weights, settings)
    for subset, parts in _parts(corpus, settings, counted, left_out, parse_by(by)).items():
        scored = [one for one in asked if by != "presence" or one.measure.family != "concordance"]
        for system in parts[0]:
            own = [one[system] for one in parts]
            rows += averaged_rows(system, own, scored, cutoffs, weights, settings, subset)
    frame = frame_of(rows)
    noted = counted[0] if not people else counts_of(corpus, replace(settings, annotators=people), agreement)
    notes += evaluation_notes(corpus, settings, noted, cutoffs, agreement)
    if people and settings.interval == "cluster-t":
        text = "there is no closed form for means over left-out annotators; ask for the bootstrap"
        notes.append(Note("warning", "intervals", text))
    return Result(frame, settings, tuple(notes), len(code(corpus).documents), agreement)


def frame_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the tidy frame of an evaluation from its rows."""
    frame = pd.DataFrame(rows, columns=list(ROW_COLUMNS))
    # A column of numbers, words and nothing: pandas would make 10 a 10.0 beside a missing value.
    frame["k"] = pd.Series([row["k"] for row in rows], dtype=object)
    # “P@k” at k = 5 and “P@5” are one row.
    return frame.drop_duplicates(["system", "subset", "measure", "k", "average"], ignore_index=True)


def _parts(
    corpus: Corpus, settings: Settings, counted: list[dict[str, Counted]], left_out: tuple[int | None, ...], by: By
) -> dict[str, list[dict[str, Counted]]]:
    """Return the counts of each part of the data, one entry a gold standard as in `counted`."""
    if by == "presence":
        every = [presence(corpus, settings, without) for without in left_out]
        return {f"presence:{name}": [one[name] for one in every] for name in every[0]}
    return {
        subset: [{system: restricted(own, documents) for system, own in one.items()} for one in counted]
        for subset, documents in (masks(corpus, by) if by else {}).items()
    }


def standards(corpus: Corpus, settings: Settings) -> tuple[Settings, tuple[int | None, ...]]:
    """Return whom each gold standard leaves out, and the settings: one standard without anybody left out, as a rule.

    Where each annotator is left out in turn, a document counts only if the others chose some phrase.
    """
    if not left_one_out(settings.annotators):
        return settings, (None,)
    annotators = len(code(corpus).annotators)
    if annotators < 2:
        raise InputError(
            "the gold standard",
            "one annotator",
            "at least two, so that one can be held against the others",
            "Load the keyphrases of each annotator, or choose annotators = union.",
        )
    return replace(settings, conventions=settings.conventions.changed(empty_gold="skip")), tuple(range(annotators))


def single_average(settings: Settings) -> Settings:
    """Return the settings with one average a measure, for what shows one value a system; of both it is micro."""
    if not settings.both:
        return settings
    return replace(settings, conventions=settings.conventions.changed(average="micro"), pool="micro", both=False)


def _human_rows(
    corpus: Corpus, asked: list[Asked], cutoffs: tuple[Cutoff, ...], weights: Floats | None, settings: Settings
) -> list[dict[str, Any]]:
    """Return the mean of the annotators, each against the others: the human ceiling; the same at every cutoff.

    People choose a set, so only measures of sets have such a row.
    """
    coded, record = code(corpus), settings.conventions
    universe = sizes(corpus, settings.universe, record)
    chosen = choices(coded, identify(corpus, record), record)
    each = Grid(*against_others(chosen, universe, left_one_out(settings.annotators) == "majority")).columns()
    documents, rows = int((chosen.seen.sum(axis=0) > 1).sum()), list[dict[str, Any]]()
    for one in asked:
        if one.measure.family not in ("overlap", "concordance"):
            continue
        for average in averages_asked(one, settings):
            found = mean_of([averaged(one, view, average, weights, settings) for view in each])
            for cutoff in (one.fixed,) if one.fixed is not None else cutoffs:
                rows.append(_row(HUMANS, one, cutoff, average, found, 0, documents))
    return rows


def resolve(corpus: Corpus, settings: Settings) -> tuple[Settings, list[Note]]:
    """Settle what depends on the data: universe, average gold size, no stemming of CJK scripts or of sentence ids."""
    if settings.trim:
        raise UsageError(
            f"these settings trim the gold standard ({settings.trim}), and no system is scored on it here; ask `trim`, "
            "or leave the field trim out of the signature"
        )
    notes: list[Note] = []
    record = settings.conventions
    by_default = settings.preset == "kpscope" and record.normalise == Conventions().normalise
    if by_default and code(corpus).mostly_cjk:
        record = record.changed(normalise=str(Normaliser.parse(record.normalise).without_stemmer()))
        text = "most letters are Chinese, Japanese or Korean, so phrases are compared without stemming"
        notes.append(Note("info", "normalise", text))
    if record.normalise != "none" and names_sentences(corpus):
        record = record.changed(normalise="none")  # a stemmer may cut all ids of a document at an apostrophe in its id
        text = "the gold standard names sentences, whose ids are compared as they stand"
        notes.append(Note("info", "normalise", text))
    average = average_gold_size(corpus, record) if "average" in settings.k else 0
    cutoffs = tuple(dict.fromkeys(average if cutoff == "average" else cutoff for cutoff in settings.k))
    universe = parse_universe(settings.universe, corpus)
    return replace(settings, conventions=record, universe=universe, k=cutoffs, fixes=corpus.report.fixes), notes


def counts_of(
    corpus: Corpus, settings: Settings, agreement: bool = True, baselines: bool = False, without: int | None = None
) -> dict[str, Counted]:
    """Return the counts of every system under resolved settings; refuses a universe smaller than what was chosen."""
    documents = code(corpus).documents
    # Without tables nothing needs N, and counting the n-grams of all texts is the slowest step.
    universe = sizes(corpus, settings.universe, settings.conventions) if agreement else np.zeros(len(documents))
    counted = count_systems(corpus, settings, universe, baselines, without)
    if settings.universe.isdigit() and agreement:
        check(universe, _smallest(corpus, settings, counted, settings.cutoffs), documents, settings.universe)
    return counted


def _smallest(corpus: Corpus, settings: Settings, counted: dict[str, Counted], cutoffs: tuple[Cutoff, ...]) -> Floats:
    """Return the smallest legal N per document: all gold items, and what the systems choose at the largest cutoff."""
    smallest = all_items(corpus, settings.conventions).size.astype(float)
    for name, counts in counted.items():
        if name not in BASELINES:
            parts = [part.at(cutoffs) for part in counts.table.parts()]
            chosen = np.concatenate([(at.size + at.system_only).max(axis=1) for at in parts])
            smallest = np.maximum(smallest, chosen)
    return smallest


def scored_documents(counts: Counts) -> Bools:
    """Tell which documents a resample may hold: those with gold, or all where an empty gold standard counts."""
    return np.asarray(counts.size > 0) if counts.conventions.empty_gold == "skip" else np.ones(len(counts.size), bool)


def weights_of(counted: list[dict[str, Counted]], settings: Settings, documents: tuple[str, ...]) -> Floats | None:
    """Draw one weight matrix for all documents with gold; documents left out for everybody get no weight."""
    if not counted[0]:
        return None
    first = [next(iter(one.values())).ranking for one in counted]
    scored = np.any([scored_documents(one) for one in first], axis=0)
    return intervals.weights(settings.interval, documents, scored, settings.resamples, settings.seed)


def averaged_rows(
    system: str,
    counted: list[Counted],
    asked: list[Asked],
    cutoffs: tuple[Cutoff, ...],
    weights: Floats | None,
    settings: Settings,
    subset: str = "all",
) -> list[dict[str, Any]]:
    """Return the rows of one system; counted has one entry a gold standard, over which values are averaged."""
    views: dict[tuple[int, bool, tuple[Cutoff, ...]], View] = {}

    def found(one: Asked, average: str, wanted: tuple[Cutoff, ...]) -> Average:
        # Views keep what measures share, so each is made once.
        own = [
            views.setdefault((i, one.measure.family == "concordance", wanted), View(gold.of(one), wanted))
            for i, gold in enumerate(counted)
        ]
        return mean_of([averaged(one, view, average, weights, settings) for view in own])

    documents = int(counted[0].ranking.known.sum()) if subset != "all" else len(counted[0].ranking.size)
    return system_rows(system, asked, settings, cutoffs, found, documents, subset)


def system_rows(
    system: str,
    asked: list[Asked],
    settings: Settings,
    cutoffs: tuple[Cutoff, ...],
    found: Callable[[Asked, str, tuple[Cutoff, ...]], Average],
    documents: int,
    subset: str = "all",
) -> list[dict[str, Any]]:
    """Return the rows of one system from what `found` says of a measure, an average and cutoffs."""
    rows: list[dict[str, Any]] = []
    for one in asked:
        wanted: tuple[Cutoff, ...] = (one.fixed,) if one.fixed is not None else cutoffs
        for average in averages_asked(one, settings):
            values = found(one, average, wanted)
            for i, cutoff in enumerate(wanted):
                rows.append(_row(system, one, cutoff, average, values, i, documents, subset))
    return rows


def _row(
    system: str,
    one: Asked,
    cutoff: Cutoff,
    average: str,
    found: Average,
    column: int,
    documents: int,
    subset: str = "all",
) -> dict[str, Any]:
    shown = None if one.measure.fixed is not None or cutoff == "larger" else cutoff
    n = int(found.documents[column])
    values = (found.value[column], found.low[column], found.high[column], n, documents - n, found.reason[column])
    return dict(zip(ROW_COLUMNS, (system, one.name(shown), shown, average, subset, *values), strict=True))
