"""Turn a corpus and settings into a result: every system, measure and cutoff, with interval and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Accumulator, Averaged, averaged, mean_of
from kp_core.scoring.annotator_tables import HUMANS, against_others
from kp_core.scoring.codes import Floats
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.intervals import error_of, independent_error
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.systems import Counted, scored_systems
from kp_core.scoring.views import Grid, View
from kp_core.settings import Changes, Cutoff, Settings
from kp_core.studies.facts import evaluation_facts, evaluation_notes, id_notes
from kp_core.studies.parts import By, masks, parse_by, presence
from kp_core.studies.result import ROW_COLUMNS, Result, frame_of

DEFAULT_MEASURES = ("P@k", "R@k", "F1@k", "MAP", "MRR", "nDCG@k", "kappa", "P_pos", "P_neg", "PABAK")


def evaluate(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | str | None = None,
    *,
    baselines: bool = False,
    by: str = "",
    **changes: Unpack[Changes],
) -> Result:
    """Evaluate every system of a corpus against its gold standard.

    measures    names as in `kp.MEASURES`, with or without a cutoff: ["kappa", "P@5", "F1@k", "MAP"]
    baselines   also score a system that says nothing, a random order, and the best list possible
    by          also give the parts of the data: group (type of the document), length, or presence (in the text or not)
    changes     fields of `Settings`, such as k=5, preset="pke", average="macro"

    Raises InputError for data that cannot be evaluated, UsageError for an option that does not exist.

    >>> from kp_core import load
    >>> corpus = load(gold={"d1": ["tide", "moon"]}, systems={"a": {"d1": ["tide", "sun"]}})
    >>> evaluate(corpus, k=2, measures="P@k,MAP", interval="none").frame["value"].tolist()
    [0.5, 0.5]
    """
    data, asked = prepare(corpus, settings, **changes), asked_of(measures)
    agreement = baselines or any(one.measure.family == "concordance" for one in asked)
    standards = [scored_systems(data, agreement, baselines, without) for without in data.left_out]
    weights = weights_of(standards, data)
    rows: list[dict[str, Any]] = []
    for system in standards[0]:
        rows += averaged_rows(system, [one[system] for one in standards], asked, weights, data.settings)
    people = left_one_out(data.settings.annotators)
    if people:
        rows += _human_rows(data, asked, weights, people == "majority")
    for subset, parts in _parts(data, standards, parse_by(by)).items():
        fitting = [one for one in asked if by != "presence" or one.measure.family != "concordance"]
        for system in parts[0]:
            rows += averaged_rows(system, [one[system] for one in parts], fitting, weights, data.settings, subset)
    noted = data.under(data.settings.changed(annotators=people)) if people else data
    systems = scored_systems(noted, agreement) if people else standards[0]
    facts = evaluation_facts(noted, systems, agreement)
    notes = [*data.notes, *evaluation_notes(facts, noted.settings, agreement, id_notes(corpus, facts))]
    if people and data.settings.interval == "cluster-t":
        text = "there is no closed form for means over left-out annotators; ask for the bootstrap"
        notes.append(Note("warning", "intervals", text))
    return Result(frame_of(rows), data.settings, tuple(notes), len(data.documents), agreement)


def asked_of(measures: Sequence[str] | str | None) -> list[Asked]:
    """Return the measures asked for, by default the usual ones."""
    names = [measures] if isinstance(measures, str) else measures or DEFAULT_MEASURES
    return [parse(part) for name in names for part in name.split(",")]


def weights_of(standards: list[dict[str, Counted]], data: Prepared) -> Floats | None:
    """Draw one weight matrix (B, D), so that differences are paired; documents left out for everybody get no weight."""
    if not standards[0]:
        return None
    one, first = data.settings, [next(iter(systems.values())) for systems in standards]
    drawable = np.any([counts.ranking.drawable for counts in first], axis=0)
    return intervals.weights(one.interval, data.documents, np.asarray(drawable), one.resamples, one.seed)


def averaged_rows(
    system: str,
    standards: list[Counted],
    asked: list[Asked],
    weights: Floats | None,
    settings: Settings,
    subset: str = "all",
) -> list[dict[str, Any]]:
    """Return the rows of one system; standards has its counts under each gold standard, whose values are averaged."""
    adding = [Accumulator(settings.interval) for _ in standards]
    scored = np.any([one.ranking.drawable for one in standards], axis=0)
    for accumulator, whole in zip(adding, standards, strict=True):
        accumulator.begin(scored, weights)
        add_system(accumulator, "", whole, asked, settings)
    known = standards[0].ranking.known
    documents = int(known.sum()) if subset != "all" else len(known)
    return system_rows(adding, "", system, asked, settings, documents, subset)


def add_system(accumulator: Accumulator, name: str, counted: Counted, asked: list[Asked], settings: Settings) -> None:
    """Add a block of documents to every measure, cutoff and average of one system."""
    views: dict[tuple[bool, tuple[Cutoff, ...]], View] = {}
    for one in asked:
        # Views keep what measures share, so each is made once.
        wanted = one.cutoffs(settings)
        view = views.setdefault((one.measure.family == "concordance", wanted), View(counted.of(one), wanted))
        for average in one.averages(settings.average):
            accumulator.add(name, one, view, average)


def system_rows(
    accumulators: list[Accumulator],
    name: str,
    system: str,
    asked: list[Asked],
    settings: Settings,
    documents: int,
    subset: str = "all",
) -> list[dict[str, Any]]:
    """Return the rows of one system from what its documents add up to under each gold standard."""
    rows = []
    for one in asked:
        wanted = one.cutoffs(settings)
        for average in one.averages(settings.average):
            values = mean_of([own.average(name, one, average, wanted) for own in accumulators])
            rows += _rows((system, average, subset), one, wanted, values, documents)
    return rows


def _rows(
    names: tuple[str, str, str], one: Asked, cutoffs: Sequence[Cutoff], values: Averaged, documents: int
) -> list[dict[str, Any]]:
    """Return a row a cutoff; names: system, average and subset. The one column of people stands for all cutoffs."""
    system, average, subset = names
    rows = []
    for place, cutoff in enumerate(cutoffs):
        shown = None if one.measure.fixed is not None or cutoff == "larger" else cutoff
        i = min(place, len(values.value) - 1)
        n = int(values.documents[i])
        numbers = (values.value[i], values.low[i], values.high[i], n, documents - n, values.reason[i])
        rows.append(dict(zip(ROW_COLUMNS, (system, one.name(shown), shown, average, subset, *numbers), strict=True)))
    return rows


def _human_rows(data: Prepared, asked: list[Asked], weights: Floats | None, majority: bool) -> list[dict[str, Any]]:
    """Return the mean of the annotators, each against the others: the human ceiling; the same at every cutoff.

    People choose a set, so only measures of sets have such a row.
    """
    settings, chosen = data.settings, data.choices
    each = Grid(*against_others(chosen, data.universe, majority)).columns()
    documents, rows = int((chosen.seen.sum(axis=0) > 1).sum()), list[dict[str, Any]]()
    for one in asked:
        if one.measure.family not in ("overlap", "concordance"):
            continue
        for average in one.averages(settings.average):
            values = mean_of([averaged(one, view, average, weights, settings.interval) for view in each])
            rows += _rows((HUMANS, average, "all"), one, one.cutoffs(settings), values, documents)
    return rows


def _parts(data: Prepared, standards: list[dict[str, Counted]], by: By) -> dict[str, list[dict[str, Counted]]]:
    """Return the counts of each part of the data, one entry a gold standard."""
    if by == "presence":
        every = [presence(data, without) for without in data.left_out]
        return {f"presence:{name}": [one[name] for one in every] for name in every[0]}
    return {
        subset: [{system: own.restricted(documents) for system, own in one.items()} for one in standards]
        for subset, documents in (masks(data, by) if by else {}).items()
    }


def interval_table(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    *,
    system: str,
    measures: Sequence[str],
    **changes: Unpack[Changes],
) -> pd.DataFrame:
    """Return one row a concordance measure of a system, pooled, at the first cutoff.

    low, high      bootstrap over documents; cluster_…: the t interval with documents as clusters; error: its error
    independent_…  value ± 1.96 errors as if phrases were independent: a reference that covers too little, for only
                   documents are a sample
    """
    settings = (settings or Settings()).changed(**changes)
    data = prepare(corpus, settings, interval="bootstrap")
    counted = scored_systems(data)
    weights, view = weights_of([counted], data), View(counted[system].table, data.settings.k[:1])
    total = view.cells.mapped(lambda counts: counts[view.used].sum(axis=0))
    rows = []
    for asked in map(parse, measures):
        drawn = averaged(asked, view, "micro", weights, "bootstrap")
        cluster = averaged(asked, view, "micro", None, "cluster-t")
        value, n, low, high = drawn.value[0], drawn.documents[0], cluster.low[0], cluster.high[0]
        error = alone = float("nan")
        if not np.isnan(low):  # not for kappa_max, whose minimum has no gradient
            error, alone = error_of(low, high, n), float(independent_error(total, asked.scores)[0])
        rows.append(
            {
                "measure": asked.name(),
                "value": value,
                "low": drawn.low[0],
                "high": drawn.high[0],
                "cluster_low": low,
                "cluster_high": high,
                "error": error,
                "independent_low": value - 1.96 * alone,
                "independent_high": value + 1.96 * alone,
                "documents": n,
            }
        )
    return pd.DataFrame(rows)
