"""Turn lists into where each subject stands, and this into means over subjects, also without each document in turn.

A subject is a distinct keyphrase, or a concept; its counts are sums over documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kp_core.errors import unavailable
from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.hits import Subjects
from kp_core.scoring.measures.registry import Asked

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kp_core.scoring.prepare import Prepared

#: Numbers of a block of subjects under all swaps; they stay in the processor's cache.
_BLOCK_NUMBERS = 1 << 17


@dataclass(frozen=True)
class Standing:
    """Where the subjects of one system stand up to a cutoff, and where they are due: one row a document and subject.

    document, subject      (n,); due, suggested, found: 0 or 1
    form                   (S,) the normalised form of each subject; documents: how many there are
    """

    document: Ints
    subject: Ints
    due: Floats
    suggested: Floats
    found: Floats
    form: Ints
    documents: int

    @staticmethod
    def of(subjects: Subjects, system: str, limit: Ints, used: Bools) -> Standing:
        """Return what counts of one system; limit: the cutoff of each document (D,); used: documents that count."""
        own = subjects.suggested[system]
        document, subject = subjects.due
        within, due = (own.rank <= limit[own.document]) & used[own.document], used[document]
        keys = [
            own.document[within] * subjects.number + own.subject[within],
            document[due] * subjects.number + subject[due],
        ]
        key, row = np.unique(np.concatenate(keys), return_inverse=True)
        of_lists, found, of_gold = np.zeros((3, len(key)))
        of_lists[row[: len(keys[0])]] = 1
        found[row[: len(keys[0])]] = own.found[within]
        of_gold[row[len(keys[0]) :]] = 1
        document, subject = np.divmod(key, max(subjects.number, 1))
        return Standing(document, subject, of_gold, of_lists, found, subjects.form, len(used))

    @cached_property
    def counts(self) -> Cells:
        """The counts of each subject (S,): in how many documents it is found, suggested and due."""
        found, suggested, due = (
            np.bincount(self.subject, flag, minlength=len(self.form)).astype(float)
            for flag in (self.found, self.suggested, self.due)
        )
        return cells(found, suggested, due)

    def mean(self, asked: Asked, average: str, rule: str) -> float:
        """Return the mean over subjects; NaN where none counts."""
        above, below = _weighed(asked, average, rule, self.counts)
        return float(ratio(above.sum(), below.sum(), np.nan))

    def without_each(self, asked: Asked, average: str, rule: str) -> Floats:
        """Return the mean without each document in turn (D,): only the subjects that stand in it change."""
        whole = self.counts
        left = [
            one[self.subject] - own
            for one, own in ((whole.hits, self.found), (whole.returned, self.suggested), (whole.size, self.due))
        ]
        before, after = _weighed(asked, average, rule, whole), _weighed(asked, average, rule, cells(*left))
        above, below = (
            own.sum() + np.bincount(self.document, then - own[self.subject], minlength=self.documents)
            for own, then in zip(before, after, strict=True)
        )
        return ratio(above, below, np.nan)


def cells(found: Floats, suggested: Floats, due: Floats) -> Cells:
    """Return counts of subjects as measures see them; there is no universe."""
    return Cells(found, suggested, due, np.full_like(due, np.nan), suggested)


def _weighed(asked: Asked, average: str, rule: str, counts: Cells) -> tuple[Floats, Floats]:
    """Return value times weight, and weight, of each subject; the weight of one that the mean is not over is 0.

    rule: which subjects count where one side is absent, the convention `subject_empty`
    """
    sides = {"suggested": counts.returned, "due": counts.size} if rule == "casimir" else {}
    side = sides.get(asked.measure.by_subject)
    weight = np.minimum(counts.returned + counts.size if side is None else side, 1)
    if average == "subject-weighted":
        weight = weight * counts.size
    # The success of a subject: that it is found at all.
    value = asked.scores(counts) if asked.measure.family == "overlap" else np.minimum(counts.hits, 1)
    return value * weight, weight


def refuse_unfit(data: Prepared, runs: bool) -> None:
    """Refuse data and settings for which there is no mean over subjects; runs: whether a system has several."""
    settings = data.settings
    if settings.ties == "expected":
        raise unavailable("subjects of ties")
    if data.left_out != (None,):
        raise unavailable("subjects of left out")
    if runs:
        raise unavailable("by subject", average=settings.average)


def swapped_difference(
    one: Standing, other: Standing, asked: Asked, average: str, rule: str
) -> Callable[[Floats], Floats]:
    """Return what gives the difference of two means (B,) where rows (B, D) swap what the two suggest for documents."""
    flags = ("found", "suggested", "due")
    both = [[_beside(a, b, flag) for flag in flags] for a, b in ((one, other), (other, one))]

    def mean(matrices: Sequence[csr_array], columns: Floats) -> Floats:
        above, below = np.zeros((2, columns.shape[1]))
        step = max(1, _BLOCK_NUMBERS // columns.shape[1])
        for begin in range(0, len(one.form), step):
            block = slice(begin, min(begin + step, len(one.form)))
            parts = _weighed(asked, average, rule, cells(*(own[block] @ columns for own in matrices)))
            above, below = (total + part.sum(axis=0) for total, part in zip((above, below), parts, strict=True))
        return ratio(above, below, np.nan)

    def difference(swapped: Floats) -> Floats:
        columns = np.vstack([1.0 - swapped.T, swapped.T])
        return np.asarray(mean(both[0], columns) - mean(both[1], columns))

    return difference


def _beside(one: Standing, other: Standing, flag: str) -> csr_array:
    """Return where subjects stand in the documents of one system and then in those of another one, (S, 2 D)."""
    from scipy.sparse import coo_array

    values = np.concatenate([getattr(one, flag), getattr(other, flag)])
    rows = np.concatenate([one.subject, other.subject])
    columns = np.concatenate([one.document, other.document + one.documents])
    return coo_array((values, (rows, columns)), shape=(len(one.form), 2 * one.documents)).tocsr()
