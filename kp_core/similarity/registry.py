"""Hold the declaration of every measure of similarity; tables, help and the Methods page read it here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from kp_core.errors import UsageError
from kp_core.scoring.codes import Floats

#: What a measure looks at: blocks of words, stems or characters; strings; or whole columns of pairs.
Level = Literal["words", "stems", "characters", "texts", "pairs"]

#: The values of an option, the default first; or the range of a number and its default.
Option = tuple[str, ...] | tuple[float, float, float]


@dataclass(frozen=True)
class Similarity:
    """One measure of the similarity of two phrases: what it says, and the function from a block of pairs to values.

    reason    why a value is missing although both phrases have tokens; a key of `REASONS`
    options   name → values, as in `R-precision(overlap=contiguous)`
    compat    the measure exactly as a library computes it; None where the two are equal
    """

    name: str
    sentence: str
    formula: str
    low: float
    high: float
    undefined: str
    source: str
    level: Level
    score: Callable[..., Floats]
    reason: str = "empty_phrase"
    options: Mapping[str, Option] = field(default_factory=dict)
    compat: Similarity | None = None


MEASURES: dict[str, Similarity] = {}


def similarity_measure(
    name: str,
    sentence: str,
    formula: str,
    *,
    source: str,
    level: Level = "words",
    low: float = 0.0,
    high: float = 1.0,
    undefined: str = "a phrase is empty",
    reason: str = "empty_phrase",
    compat: Similarity | None = None,
    **options: Option,
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Declare the decorated function as a measure of similarity."""

    def declare(score: Callable[..., Floats]) -> Callable[..., Floats]:
        MEASURES[name] = Similarity(
            name, sentence, formula, low, high, undefined, source, level, score, reason, options, compat
        )
        return score

    return declare


def as_library(
    score: Callable[..., Floats],
    source: str,
    undefined: str = "never",
    reason: str = "library_error",
    **options: Option,
) -> Similarity:
    """Return the declaration of a measure as a library computes it, empty phrases included."""
    return Similarity("", "", "", 0.0, np.inf, undefined, source, "words", score, reason, options)


@dataclass(frozen=True)
class Asked:
    """A measure with its options, as asked for."""

    measure: Similarity
    chosen: tuple[tuple[str, str | float], ...] = ()
    library: bool = False

    @property
    def used(self) -> Similarity:
        """The declaration in use: that of the library where asked for and there."""
        return (self.library and self.measure.compat) or self.measure

    @property
    def name(self) -> str:
        """The measure with the options that differ from their defaults.

        >>> parse("R-precision( overlap=contiguous,denominator=longer )").name
        'R-precision(overlap=contiguous)'
        """
        shown = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.chosen]
        return self.measure.name + (f"({','.join(shown)})" if shown else "")

    def scores(self, block: Any) -> Floats:
        """Return the values of a block of pairs."""
        return self.used.score(block, **dict(self.chosen))


def _default(choices: Option) -> str | float:
    return choices[0] if isinstance(choices[0], str) else choices[2]


def _value(measure: str, option: str, choices: Option, given: str) -> str | float:
    if isinstance(choices[0], str):
        if given in choices:
            return given
        raise UsageError(f"{option} of {measure} is '{given}'; choose one of: {', '.join(map(str, choices))}")
    low, high, _ = choices
    if re.fullmatch(r"\d*\.?\d+", given) and float(low) <= float(given) <= float(high):
        return float(given)
    raise UsageError(f"{option} of {measure} is '{given}'; write a number from {low:g} to {high:g}")


def split_names(text: str) -> list[str]:
    """Return the names in a text with commas between them; commas inside brackets belong to a name.

    >>> split_names("BLEU, M-R-precision(alignment=ordered,weights=keyphrase)")
    ['BLEU', 'M-R-precision(alignment=ordered,weights=keyphrase)']
    """
    return [name.strip() for name in re.split(r",(?![^()]*\))", text) if name.strip()]


def parse(text: str, compat: str = "none") -> Asked:
    """Read a measure as users write it, with options in brackets; printing the result gives the same text back.

    >>> parse("M-R-precision(alignment=ordered)").chosen
    (('alignment', 'ordered'),)
    """
    if compat not in ("none", "nltk"):
        raise UsageError(f"compat is '{compat}'; choose one of: none, nltk")
    found = re.fullmatch(r"\s*([^()]+?)\s*(?:\(([^()]*)\))?\s*", text)
    name = {"BLEU-4": "BLEU"}.get(found[1], found[1]) if found else text
    if not found or name not in MEASURES:
        raise UsageError(f"there is no measure of similarity '{text}'; the measures are: {', '.join(MEASURES)}")
    asked = Asked(MEASURES[name], (), compat == "nltk")
    chosen = {}
    for part in filter(None, (found[2] or "").split(",")):
        option, _, given = (piece.strip() for piece in part.partition("="))
        choices = asked.used.options.get(option)
        if choices is None:
            known = ", ".join(asked.used.options) or "none"
            raise UsageError(f"{name} has no option '{option}'; its options are: {known}")
        value = _value(name, option, choices, given)
        if value != _default(choices):
            chosen[option] = value
    return Asked(asked.measure, tuple(sorted(chosen.items())), asked.library)


def register(name: str, score: Callable[[Sequence[str], Sequence[str]], Any]) -> None:
    """Add a measure of one's own: a function of two lists of strings, keyphrases and candidates, to their values.

    The values must be numbers, one a pair, NaN where undefined; the phrases arrive as they were given.
    """
    if name in MEASURES and MEASURES[name].source != "registered":
        raise UsageError(f"there is a measure '{name}' already; choose another name")
    if not name or re.search(r"[(),=]", name):
        raise UsageError(f"'{name}' cannot name a measure; leave out brackets, commas and equal signs")

    def scored(pairs: Any) -> Floats:
        values = np.asarray(score(pairs.keyphrases, pairs.candidates), dtype=float)
        if values.shape != (len(pairs.keyphrases),):
            raise UsageError(
                f"'{name}' gave {values.size} values for {len(pairs.keyphrases)} pairs; it must give one each"
            )
        return values

    MEASURES[name] = Similarity(
        name,
        f"The registered measure {name}.",
        r"\text{as registered}",
        -np.inf,
        np.inf,
        "where it gives NaN",
        "registered",
        "pairs",
        scored,
        "no_value",
        {},
    )
