"""Define the answer to “Which system is better?”: one claim with its grade, in the same words everywhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Any, Literal

from kp_core import typeset

Grade = Literal[
    "significant",
    "suggestive",
    "not significant",
    "not comparable",
    "depends on missing lists",
    "depends on the data set",
    "depends on k",
    "one system",
    "people",
]
#: Grades of a single value, which have no badge.
_ALONE = ("one system", "people")


@dataclass(frozen=True)
class BestK:
    """The cutoff with a system's highest value, and the range around it without significant differences."""

    k: int
    low: int
    high: int

    def __str__(self) -> str:
        """Return the cutoffs in words.

        >>> print(BestK(10, 7, 14))
        10; k = 7–14 do not differ significantly from it
        """
        if self.low == self.high:
            return f"{self.k}; the next lower and higher k are significantly worse"
        return f"{self.k}; k = {self.low}–{self.high} do not differ significantly from it"


@dataclass(frozen=True)
class SignificantAt:
    """The cutoffs at which two systems differ significantly, after correction for all cutoffs tested.

    * `significant`, `opposite`: cutoffs at which the better system, or else the other system, is significantly ahead
    * `alone`: cutoff of the comparison, if significant there without correction for other cutoffs
    """

    tested_cutoffs: tuple[int, ...]
    significant: tuple[int, ...]
    opposite: tuple[int, ...]
    better: str
    other: str
    alone: int | None = None

    def __str__(self) -> str:
        """Return the cutoffs in words.

        >>> print(SignificantAt(tuple(range(1, 51)), (6, 7, 8, 10), (1,), "yake", "rake"))
        Corrected for every k from 1 to 50, yake is significantly better than rake at k = 6–8 and 10, and rake at k = 1.
        """
        (first, *_, last), size = self.tested_cutoffs, len(self.tested_cutoffs)
        is_every_k = size == last - first + 1
        tested = f"every k from {first} to {last}" if is_every_k else f"{size} values of k from {first} to {last}"
        if self.ways:
            (name, at), *others = self.ways
            other = self.other if name == self.better else self.better
            where = ", and ".join([at, *(f"{worse} at {cutoffs}" for worse, cutoffs in others)])
            return f"Corrected for {tested}, {name} is significantly better than {other} at {where}."
        prefix = f"Significant at k = {self.alone}. " if self.alone else ""
        return f"{prefix}Had you tried {tested} and reported the best, none would be significant."

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Each system that is significantly better at some cutoff, with these cutoffs in words."""
        sides = (self.better, self.significant), (self.other, self.opposite)
        return [(name, f"k = {ranges(at, self.tested_cutoffs)}") for name, at in sides if at]


def neighbours(chosen: Collection[int], every: Iterable[int]) -> list[list[int]]:
    """Return the chosen numbers in groups of neighbors in `every`.

    >>> neighbours([1, 2, 5, 9], [1, 2, 5, 7, 9])
    [[1, 2, 5], [9]]
    """
    return [list(group) for among, group in groupby(every, lambda number: number in chosen) if among]


def ranges(chosen: Sequence[int], every: Sequence[int]) -> str:
    """Return the chosen numbers as ranges, such as “1–3 and 7”."""
    ends = [(group[0], group[-1]) for group in neighbours(chosen, every)]
    return typeset.listed([f"{first}–{last}" if first < last else str(first) for first, last in ends])


@dataclass(frozen=True)
class Answer:
    """The answer, as shown on the page, in the report, in LaTeX and Markdown, and by the command line.

    Attributes
    ----------
    claim, grade : str
        A sentence on which system is better and by how much; whether the difference is significant.
    why : str
        Statistics: difference, interval, corrected p, documents.
    systems : tuple of str
        Systems named in the claim, the better one first.
    over_k, best_k
        Cutoffs at which the difference is significant; best cutoff of the better system, unless first or last.
    coverage : dict
        System → numbers of documents with a list, and of all documents.
    caveats : tuple of str
        At most two sentences, the most important first.
    """

    claim: str
    grade: Grade
    why: str
    systems: tuple[str, ...] = ()
    over_k: SignificantAt | None = None
    best_k: BestK | None = None
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()

    @property
    def badge(self) -> str:
        """The grade, capitalized, or nothing."""
        return "" if self.grade in _ALONE else self.grade.capitalize()

    @property
    def details(self) -> tuple[str, ...]:
        """The statistics behind the claim, one sentence each: why, over k, best k."""
        over_k = (str(self.over_k),) if self.over_k else ()
        best = (f"{self.systems[0]} is best at k = {self.best_k}.",) if self.best_k else ()
        return (self.why, *over_k, *best)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The claim (after its grade, unless the claim contains the grade), the caveats, and the details."""
        graded = bool(self.badge) and not self.grade.startswith("depends")
        claim = f"{self.badge}: {self.claim}" if graded else self.claim
        return (claim, *self.caveats, *self.details)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def markdown(self) -> str:
        """Return the answer in Markdown."""
        first, *others = map(typeset.escape_markdown, self.sentences)
        return f"**{first}** {' '.join(others)}\n"

    def _repr_html_(self) -> str:
        first, *others = map(escape, map(typeset.visible, self.sentences))
        return f"<p><b>{first}</b><br>{' '.join(others)}</p>"

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as the command line prints it in JSON."""
        best, over, k = self.best_k, self.over_k, dict[str, list[int]]()
        if over is not None:
            k = {"tried": [*over.tested_cutoffs], "significant": [*over.significant], "opposite": [*over.opposite]}
        return {
            "claim": self.claim,
            "grade": self.grade,
            "why": self.why,
            "over_k": k or None,
            "best_k": best and {"k": best.k, "from": best.low, "to": best.high},
            "coverage": {name: list(lists) for name, lists in self.coverage.items()},
            "caveats": list(self.caveats),
        }
