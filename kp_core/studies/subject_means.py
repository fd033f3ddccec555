"""Turn prepared data into means over subjects, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kp_core.errors import Note
from kp_core.scoring.by_subject import Standing, refuse_unfit
from kp_core.scoring.codes import Bools
from kp_core.scoring.counts import Counted
from kp_core.scoring.gold import Gold
from kp_core.scoring.hits import Lists, subjects_of
from kp_core.scoring.intervals import Estimate, left_out_half_width
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.runs import have_runs
from kp_core.settings import SUBJECT, Cutoff, Settings
from kp_core.studies import WORDS


class Column(NamedTuple):
    """One system in one part of the data at one cutoff."""

    subset: str
    system: str
    cutoff: Cutoff


def subject_estimates(
    data: Prepared,
    counts: Mapping[str, list[dict[str, Counted]]],
    asked: Sequence[Asked],
    keyphrases: Callable[[Prepared, str], tuple[Gold, dict[str, Lists]]],
) -> dict[tuple[str, str, int, str], Estimate]:
    """Return value and interval of each subset, system, place of the measure in `asked`, and average over subjects.

    counts      those of each subset, which say which documents count there
    keyphrases  gives a subset's gold standard and lists; what is suggested counts in every document of the subset that
                counts with all its keyphrases
    """
    setting = data.settings
    each = [
        (place, one, name)
        for place, one in enumerate(asked)
        for name in one.averages(setting.average)
        if name in SUBJECT
    ]
    if not each:
        return {}
    names = data.names.systems
    refuse_unfit(data, have_runs(names))
    cutoffs = tuple(dict.fromkeys(k for _, one, _ in each for k in one.cutoffs(setting)))
    standing, used = dict[Column, Standing](), dict[tuple[str, str], Bools]()
    for subset, (systems, *_) in counts.items():
        gold, lists = keyphrases(data, subset)
        subjects = subjects_of(gold, lists)
        for name in names:
            there = counts["all"][0][name].lists.used & systems[name].lists.known
            own = used[subset, name] = there & gold.known
            limits = systems[name].lists
            standing |= {Column(subset, name, k): Standing.of(subjects, name, limits.limit(k), own) for k in cutoffs}
    made = dict[tuple[str, str, int, str], Estimate]()
    for place, measure, average in each:
        for (subset, name), own in used.items():
            columns = [standing[Column(subset, name, cutoff)] for cutoff in measure.cutoffs(setting)]
            made[subset, name, place, average] = _estimate(columns, measure, average, own, setting)
    return made


def _estimate(each: Sequence[Standing], asked: Asked, average: str, used: Bools, settings: Settings) -> Estimate:
    """Return value and interval at each of some cutoffs."""
    how = asked, average, settings.subject_empty
    value, documents = np.array([one.mean(*how) for one in each]), np.full(len(each), int(used.sum()))
    half = np.full(len(each), np.nan)
    if settings.interval != "none":
        half = np.array([left_out_half_width(one.without_each(*how)[used]) for one in each])
    reason = ["no_subject" if undefined else None for undefined in np.isnan(value)]
    return Estimate(value, value - half, value + half, documents, reason)


def notes_on_subjects(settings: Settings, baselines: bool) -> list[Note]:
    """Return what the reader of means over subjects must know."""
    said = (("baselines", baselines, "average"), ("interval", settings.interval != "none", "intervals"))
    return [Note("info", where, WORDS["subjects"][text]) for text, needed, where in said if needed]


def by_document(settings: Settings, asked: Sequence[Asked]) -> list[Note]:
    """Return that values are those of documents, where means of some measures are over subjects."""
    over = any(one.over_subjects(settings.average) for one in asked)
    return [Note("info", "average", WORDS["subjects"]["by_document"])] if over else []
