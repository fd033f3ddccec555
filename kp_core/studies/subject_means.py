"""Turn prepared data into means over subjects with intervals, and into comparisons of systems by such means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kp_core.errors import Note
from kp_core.scoring import paired
from kp_core.scoring.alignment import Lists, align
from kp_core.scoring.by_subject import SubjectCounts, refuse_unfit, swapped_difference
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.counts import SystemCounts, alignments_of
from kp_core.scoring.gold import Gold
from kp_core.scoring.intervals import Estimate, left_out_half_width
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.runs import have_runs
from kp_core.settings import SUBJECT, Cutoff, Settings
from kp_core.studies import WORDS

#: Swaps of all documents that are held at once, in numbers.
_SWAPPED = 1 << 23


class Column(NamedTuple):
    """One system in one part of the data at one cutoff."""

    subset: str
    system: str
    cutoff: Cutoff


def subject_estimates(
    data: Prepared,
    counts: Mapping[str, list[dict[str, SystemCounts]]],
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
    subjects, used = dict[Column, SubjectCounts](), dict[tuple[str, str], Bools]()
    for subset, (systems, *_) in counts.items():
        gold, lists = keyphrases(data, subset)
        for name in names:
            alignment = align(lists[name], gold)
            there = counts["all"][0][name].exact.scored & systems[name].exact.known
            own = used[subset, name] = there & gold.known
            limits = systems[name].exact
            subjects |= {Column(subset, name, k): SubjectCounts.of(alignment, limits.limit(k), own) for k in cutoffs}
    made = dict[tuple[str, str, int, str], Estimate]()
    for place, measure, average in each:
        for (subset, name), own in used.items():
            columns = [subjects[Column(subset, name, cutoff)] for cutoff in measure.cutoffs(setting)]
            made[subset, name, place, average] = _estimate(columns, measure, average, own, setting)
    return made


def _estimate(each: Sequence[SubjectCounts], asked: Asked, average: str, used: Bools, settings: Settings) -> Estimate:
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


@dataclass(frozen=True)
class SubjectPairs:
    """What was found of systems and their pairs by means over subjects.

    scores     system → its mean on the documents used
    p, halves  of each pair (P,): p of the randomisation test, and half the width of the interval of the difference
    """

    scores: dict[str, float]
    p: Floats
    halves: Floats


def compared_over_subjects(
    data: Prepared,
    systems: Mapping[str, SystemCounts],
    used: Bools,
    pairs: Sequence[tuple[str, str]],
    how: tuple[Asked, str],
    cutoff: Cutoff,
    trials: int,
) -> SubjectPairs:
    """Compare pairs of systems on the documents used (D,), on which all are scored; how: measure and average.

    A trial of the randomisation test swaps what two systems suggest for a document.
    """
    refuse_unfit(data, have_runs(list(systems)))
    p, halves = np.full((2, len(pairs)), np.nan)
    if not used.any():
        return SubjectPairs(dict.fromkeys(systems, float("nan")), p, halves)
    rule, aligned = data.settings.subject_empty, alignments_of(data)
    subjects = {name: SubjectCounts.of(aligned[name], own.exact.limit(cutoff), used) for name, own in systems.items()}
    without = {name: own.without_each(*how, rule)[used] for name, own in subjects.items()}
    at_once = max(1, _SWAPPED // len(used))
    for number, (a, b) in enumerate(pairs):
        halves[number] = left_out_half_width(without[a] - without[b])

        of_swaps = swapped_difference(subjects[a], subjects[b], *how, rule)

        def difference(rows: Floats, of_swaps: Callable[[Floats], Floats] = of_swaps) -> Floats:
            swapped = np.zeros((len(rows), len(used)))
            swapped[:, used] = rows
            parts = (swapped[begin : begin + at_once] for begin in range(0, len(rows), at_once))
            return np.concatenate([of_swaps(part) for part in parts])

        rng = np.random.default_rng(data.settings.seed)
        p[number] = float(paired.randomisation(difference, int(used.sum()), trials, rng))
    return SubjectPairs({name: own.mean(*how, rule) for name, own in subjects.items()}, p, halves)
