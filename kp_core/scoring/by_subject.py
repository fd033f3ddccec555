"""Turn alignments into counts per subject (distinct keyphrase or concept), and counts into means over subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from kp_core.errors import usage_error
from kp_core.scoring.alignment import Alignment
from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import SystemCounts
from kp_core.scoring.intervals import Estimate, jackknife_half_width
from kp_core.scoring.measures.registry import Measure
from kp_core.scoring.prepare import Prepared
from kp_core.settings import SUBJECT

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Numbers per block of subjects under all swaps, which fit into the processor's cache.
_BLOCK_NUMBERS = 1 << 17


@dataclass(frozen=True)
class SubjectCounts:
    """The subjects of one system up to a cutoff and of the gold standard: one row per document and subject.

    * `document`, `subject`: (n,); due (in the gold standard), suggested: 0 or 1
    * `form`: (S,) the normalized form of each subject
    * `used`: (D,) documents that count
    """

    document: Ints
    subject: Ints
    due: Floats
    suggested: Floats
    form: Ints
    used: Bools

    @staticmethod
    def of(alignment: Alignment, limit: Ints, used: Bools) -> SubjectCounts:
        """Return the subjects of one system; limit: the cutoff of each document (D,); used: documents that count."""
        lists, gold = alignment.lists, alignment.gold
        row, subject = alignment.subjects()
        owner, gold_in_use = lists.owner[row], used[gold.document]
        within = (lists.rank[row] <= limit[owner]) & used[owner]
        width = int(max(subject.max(initial=0), gold.subject.max(initial=0))) + 1
        suggested = np.unique(owner[within] * width + subject[within])
        due = np.unique(gold.document[gold_in_use] * width + gold.subject[gold_in_use])
        key = np.union1d(suggested, due)
        form, index = np.unique(key % width, return_inverse=True)
        is_due, is_suggested = (np.isin(key, side, assume_unique=True).astype(float) for side in (due, suggested))
        return SubjectCounts(key // width, index, is_due, is_suggested, form, used)

    @property
    def found(self) -> Floats:
        """Whether a subject is both due and suggested (n,)."""
        return self.due * self.suggested

    @cached_property
    def counts(self) -> Cells:
        """The number of documents in which each subject is found, suggested and due (S,)."""
        flags = self.found, self.suggested, self.due
        return cells(*(np.bincount(self.subject, flag, minlength=len(self.form)).astype(float) for flag in flags))

    def mean(self, measure: Measure, average: str, rule: str) -> float:
        """Return the mean over subjects; NaN if none counts."""
        numerator, denominator = _values_and_weights(measure, average, rule, self.counts)
        return float(ratio(numerator.sum(), denominator.sum(), np.nan))

    def without_each(self, measure: Measure, average: str, rule: str) -> Floats:
        """Return the mean with each document left out in turn, which affects only its subjects."""
        total_counts, rows = self.counts, (self.found, self.suggested, self.due)
        without = [total[self.subject] - row for total, row in zip(total_counts.arrays(), rows, strict=False)]
        before, after = (
            _values_and_weights(measure, average, rule, total_counts),
            _values_and_weights(measure, average, rule, cells(*without)),
        )
        numerator, denominator = (
            old.sum() + np.bincount(self.document, new - old[self.subject], minlength=len(self.used))
            for old, new in zip(before, after, strict=True)
        )
        return ratio(numerator, denominator, np.nan)[self.used]


def cells(hits: Floats, suggested: Floats, due: Floats) -> Cells:
    """Return counts of subjects as input of measures, without a universe."""
    return Cells(hits, suggested, due, np.full_like(due, np.nan), suggested)


def _values_and_weights(measure: Measure, average: str, rule: str, counts: Cells) -> tuple[Floats, Floats]:
    sides = {"suggested": counts.returned, "due": counts.size} if rule == "casimir" else {}
    side = sides.get(measure.card.by_subject)
    weight = np.minimum(counts.returned + counts.size if side is None else side, 1)
    if average == "subject-weighted":
        weight = weight * counts.size
    # Success of a subject: whether it is found in any document.
    value = measure.scores(counts) if measure.card.family == "overlap" else np.minimum(counts.hits, 1)
    return value * weight, weight


def refuse_unsuitable(data: Prepared, runs: bool) -> None:
    """Refuse data and settings for which means over subjects are undefined; `runs`: whether a system has several."""
    if data.settings.ties == "expected":
        raise usage_error("subjects of ties")
    if data.left_out != (None,):
        raise usage_error("subjects of left out")
    if runs:
        raise usage_error("by subject", average=data.settings.average)


def subject_estimates(
    data: Prepared, counts: Mapping[str, list[dict[str, SystemCounts]]], parsed: Sequence[Measure], runs: bool
) -> dict[tuple[str, str, int, str], Estimate]:
    """Return value and interval by subset, system, index of the measure in `measures`, and average over subjects.

    * `counts`: counts of each subset, in which every document counts with all its keyphrases
    * `runs`: whether a system has several runs
    """
    settings, estimates = data.settings, dict[tuple[str, str, int, str], Estimate]()
    columns_of = [(index, measure, average) for index, measure in enumerate(parsed) for average in SUBJECT]
    columns_of = [column for column in columns_of if column[2] in column[1].averages(settings.average)]
    if not columns_of:
        return estimates
    refuse_unsuitable(data, runs)
    cutoffs = {k for _, measure, _ in columns_of for k in measure.cutoffs(settings)}
    for (subset, (systems, *_)), name in product(counts.items(), data.names.systems):
        exact = systems[name].exact
        scored = counts["all"][0][name].exact.scored & exact.known
        subjects = {k: SubjectCounts.of(exact.alignment, exact.limit(k), scored) for k in cutoffs}
        for index, measure, average in columns_of:
            columns, args = [subjects[k] for k in measure.cutoffs(settings)], (measure, average, settings.subject_empty)
            value = np.array([column.mean(*args) for column in columns])
            margin = np.full(len(columns), np.nan)
            if settings.interval != "none":
                margin = np.array([jackknife_half_width(column.without_each(*args)) for column in columns])
            reason = ["no_subject" if undefined else None for undefined in np.isnan(value)]
            documents = np.full(len(columns), int(scored.sum()))
            estimates[subset, name, index, average] = Estimate(value, value - margin, value + margin, documents, reason)
    return estimates


def swapped_difference(
    first: SubjectCounts, second: SubjectCounts, args: tuple[Measure, str, str]
) -> Callable[[Floats], Floats]:
    """Return a function from swaps of two systems' suggestions per document (B, D) to differences of means (B,).

    * `args`: measure, average, and the convention `subject_empty`
    """
    flags, form = ("found", "suggested", "due"), np.union1d(first.form, second.form)
    two_sides = [[_side_by_side(a, b, flag, form) for flag in flags] for a, b in ((first, second), (second, first))]

    def mean(matrices: Sequence[csr_array], columns: Floats) -> Floats:
        values, weights = np.zeros((2, columns.shape[1]))
        step = max(1, _BLOCK_NUMBERS // columns.shape[1])
        for begin in range(0, len(form), step):
            block = slice(begin, min(begin + step, len(form)))
            parts = _values_and_weights(*args, cells(*(matrix[block] @ columns for matrix in matrices)))
            values, weights = (total + part.sum(axis=0) for total, part in zip((values, weights), parts, strict=True))
        return ratio(values, weights, np.nan)

    def difference(swapped: Floats) -> Floats:
        columns = np.vstack([1.0 - swapped.T, swapped.T])
        return np.asarray(mean(two_sides[0], columns) - mean(two_sides[1], columns))

    return difference


def _side_by_side(first: SubjectCounts, second: SubjectCounts, flag: str, form: Ints) -> csr_array:
    """Return a flag of the subjects (S,) in the documents of two systems, side by side: (S, 2 D)."""
    from scipy.sparse import coo_array

    values = np.concatenate([getattr(first, flag), getattr(second, flag)])
    rows = np.concatenate([np.searchsorted(form, side.form)[side.subject] for side in (first, second)])
    index, documents = np.cumsum(first.used) - 1, int(first.used.sum())
    columns = np.concatenate([index[first.document], index[second.document] + documents])
    return coo_array((values, (rows, columns)), shape=(len(form), 2 * documents)).tocsr()
