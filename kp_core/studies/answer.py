"""Hold the answer to the question of the user: one claim with its grade, made once and said alike everywhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Any, Literal

from kp_core import typeset

Grade = Literal["clear", "leaning", "cannot tell", "not comparable", "one system", "people"]
#: Grade → the word of its badge; a value alone, of a system or of people, has none.
BADGES: dict[Grade, str] = {
    "clear": "Clear",
    "leaning": "Leaning",
    "cannot tell": "Cannot tell",
    "not comparable": "Not comparable",
}


@dataclass(frozen=True)
class BestK:
    """The cutoff of a system's highest value, and the first and last around it that cannot be told apart from it."""

    k: int
    low: int
    high: int

    def __str__(self) -> str:
        """Say it.

        >>> print(BestK(10, 7, 14), BestK(3, 3, 3), sep="; ")
        10; 7 to 14 cannot be told apart; 3, and lower next to it
        """
        apart = (
            f"; {self.low} to {self.high} cannot be told apart" if self.low < self.high else ", and lower next to it"
        )
        return f"{self.k}{apart}"


@dataclass(frozen=True)
class ClearAt:
    """The cutoffs that were tried, and those at which one system is better than another for certain."""

    tried: tuple[int, ...]
    clear: tuple[int, ...]
    better: str
    other: str

    def __str__(self) -> str:
        """Say it.

        >>> print(ClearAt(tuple(range(1, 51)), (6, 7, 8, 10), "yake", "rake"))
        With all of k = 1 to 50 corrected for, yake is clearly better than rake at 6 to 8 and 10.
        """
        first, last, size = self.tried[0], self.tried[-1], len(self.tried)
        tried = f"{first} to {last}" if size == last - first + 1 else f"{size} cutoffs between {first} and {last}"
        at = _ranges(self.clear, self.tried) if self.clear else "none of them"
        return f"With all of k = {tried} corrected for, {self.better} is clearly better than {self.other} at {at}."


def neighbours(chosen: Collection[int], every: Iterable[int]) -> list[list[int]]:
    """Return some of ascending numbers in groups of those that follow each other among all.

    >>> neighbours([1, 2, 5, 9], [1, 2, 5, 7, 9])
    [[1, 2, 5], [9]]
    """
    return [list(group) for among, group in groupby(every, lambda number: number in chosen) if among]


def _ranges(chosen: Sequence[int], every: Sequence[int]) -> str:
    """Return some of ascending numbers as ranges of those that follow each other."""
    ends = [(own[0], own[-1]) for own in neighbours(chosen, every)]
    return typeset.listed([f"{first} to {last}" if first < last else str(first) for first, last in ends])


@dataclass(frozen=True)
class Answer:
    """What page, report, LaTeX, Markdown, command line and Python say of some data, word by word.

    claim     one sentence: which system is better, and by which values
    grade     how sure that is
    why       one sentence: difference, interval, corrected p, documents
    systems   those that the claim names, the better one first
    over_k    where else it is clear; best_k: where the better system is best, if that is neither the first nor the last
    coverage  system → for how many documents it has a list, and of how many
    caveats   at most two sentences, the most important first
    """

    claim: str
    grade: Grade
    why: str
    systems: tuple[str, ...] = ()
    over_k: ClearAt | None = None
    best_k: BestK | None = None
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()

    @property
    def badge(self) -> str:
        """The word of the grade, or nothing."""
        return BADGES.get(self.grade, "")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What stands below the claim, a sentence each: why, over k, best k, caveats."""
        over = (str(self.over_k),) if self.over_k else ()
        best = (f"{self.systems[0]} is best at k = {self.best_k}.",) if self.best_k else ()
        return (self.why, *over, *best, *self.caveats)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The claim, behind the word of its grade, and all that stands below it."""
        return (f"{self.badge}: {self.claim}" if self.badge else self.claim, *self.rests_on)

    def __str__(self) -> str:
        """Return the answer as plain text, a line for each sentence."""
        return "\n".join(self.sentences)

    def markdown(self) -> str:
        """Return the answer in Markdown."""
        first, *below = map(typeset.escape_markdown, self.sentences)
        return f"**{first}** {' '.join(below)}\n"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the claim in bold, and what it rests on."""
        first, *below = map(escape, map(typeset.visible, self.sentences))
        return f"<p><b>{first}</b><br>{' '.join(below)}</p>"

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as the command line prints it in JSON."""
        best, over = self.best_k, self.over_k
        return {
            "claim": self.claim,
            "grade": self.grade,
            "why": self.why,
            "over_k": over and {"tried": list(over.tried), "clear": list(over.clear)},
            "best_k": best and {"k": best.k, "from": best.low, "to": best.high},
            "coverage": {name: list(lists) for name, lists in self.coverage.items()},
            "caveats": list(self.caveats),
        }
