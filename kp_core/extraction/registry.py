"""Hold the declaration of every system and parameter; page, command line and Methods read it here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kp_core.errors import UsageError
from kp_core.scoring.codes import Floats

if TYPE_CHECKING:
    from kp_core.extraction.collection import Collection

#: What a system needs beside the texts.
Needs = Literal["", "documents", "phrases"]

RECONSTRUCTED = "reconstructed from the results section; the original paper was not available"


@dataclass(frozen=True)
class Parameter:
    """A number that a user may change: its name in formulas, default, bounds and meaning; `whole`: no fractions."""

    symbol: str
    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False

    def checked(self, name: str, value: float) -> float:
        """Return the value if it is one that the parameter may have."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not self.low <= number <= self.high or (self.whole and number != int(number)):
            kind = "a whole number" if self.whole else "a number"
            raise UsageError(f"{name} is {value}; choose {kind} from {self.low:g} to {self.high:g}")
        return number


PARAMETERS: dict[str, Parameter] = {
    "longest": Parameter("n", 3, 0, 10, "most words of a candidate", whole=True),  # 0: any number, with chunks only
    "m": Parameter("m", 5, 1, 1000, "how many similar external documents count", whole=True),
    "lam": Parameter("λ", 0.5, 0, 100, "weight of the external documents"),
    "beta": Parameter("β", 1, 0, 100, "how much a listed phrase is raised (1: doubled)"),
}


@dataclass(frozen=True)
class System:
    """One system: its name, what it does, its score, what it needs, and the function that gives the scores.

    chunks  candidates must occur as a chunk of adjectives and nouns
    score   returns one score for every candidate of every document, aligned with `Collection.frequencies()`
    """

    name: str
    title: str
    sentence: str
    formula: str
    source: str
    needs: Needs
    chunks: bool
    parameters: tuple[str, ...]
    score: Callable[[Collection, dict[str, float]], Floats]


SYSTEMS: dict[str, System] = {}


def system(
    name: str,
    title: str,
    sentence: str,
    formula: str,
    *,
    parameters: tuple[str, ...] = (),
    needs: Needs = "",
    chunks: bool = False,
    source: str = RECONSTRUCTED,
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Declare the decorated function as the score of a system."""

    def declare(score: Callable[..., Floats]) -> Callable[..., Floats]:
        SYSTEMS[name] = System(name, title, sentence, formula, source, needs, chunks, ("longest", *parameters), score)
        return score

    return declare


def named(name: str) -> System:
    """Return a system by its name, or refuse with the names that there are."""
    if name not in SYSTEMS:
        raise UsageError(f"there is no system '{name}'; choose among: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def unavailable(one: System, documents: bool, phrases: bool) -> str:
    """Return why a system cannot run with the external sources that are there; empty if it can.

    >>> unavailable(named("tfidf"), False, False)
    ''
    """
    if one.needs == "documents" and not documents:
        return f"{one.name} needs external documents, such as the chapters of a textbook; none are loaded"
    if one.needs == "phrases" and not phrases:
        return f"{one.name} needs an external list of phrases, such as a glossary or an index; none is loaded"
    return ""
