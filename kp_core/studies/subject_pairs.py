"""Turn prepared data into comparisons of systems by means over subjects: difference, interval and p of each pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kp_core.scoring import paired
from kp_core.scoring.by_subject import Standing, refuse_unfit, swapped_difference
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.counts import Counted, lists_of
from kp_core.scoring.hits import subjects_of
from kp_core.scoring.intervals import left_out_half_width
from kp_core.scoring.measures.registry import Asked
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.runs import have_runs
from kp_core.settings import Cutoff

#: Swaps of all documents that are held at once, in numbers.
_SWAPPED = 1 << 23


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
    systems: Mapping[str, Counted],
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
    subjects, rule = subjects_of(data.gold, lists_of(data)), data.settings.subject_empty
    standing = {name: Standing.of(subjects, name, own.lists.limit(cutoff), used) for name, own in systems.items()}
    without = {name: own.without_each(*how, rule)[used] for name, own in standing.items()}
    at_once = max(1, _SWAPPED // len(used))
    for number, (a, b) in enumerate(pairs):
        halves[number] = left_out_half_width(without[a] - without[b])

        of_swaps = swapped_difference(standing[a], standing[b], *how, rule)

        def difference(rows: Floats, of_swaps: Callable[[Floats], Floats] = of_swaps) -> Floats:
            swapped = np.zeros((len(rows), len(used)))
            swapped[:, used] = rows
            parts = (swapped[begin : begin + at_once] for begin in range(0, len(rows), at_once))
            return np.concatenate([of_swaps(part) for part in parts])

        rng = np.random.default_rng(data.settings.seed)
        p[number] = float(paired.randomisation(difference, int(used.sum()), trials, rng))
    return SubjectPairs({name: own.mean(*how, rule) for name, own in standing.items()}, p, halves)
