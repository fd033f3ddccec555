"""Join the words of every similarity measure to its function; tables, help and the tab Methods read them here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from kp_core.errors import UsageError, read_toml
from kp_core.scoring.codes import Floats

#: What a measure looks at: blocks of words, stems or characters; strings; or whole columns of pairs.
Level = Literal["words", "stems", "characters", "texts", "pairs"]

#: The values of an option, the default first; or the range of a number and its default.
Option = tuple[str, ...] | tuple[float, float, float]

Function = TypeVar("Function", bound=Callable[..., Floats])


@dataclass(frozen=True)
class Similarity:
    """One measure of the similarity of two phrases: what it contains, and the function from a block of pairs to values.

    score       block → values (n,): `Sides` where the level is words, stems or characters, two lists of normalised
                strings where it is texts, `Pairs` where it is pairs
    low, high   range of the values
    undefined   when a value is missing, in words
    reason      why a value is missing although both phrases have tokens; a key of `REASONS`
    options     name → values, as in `R-precision(overlap=contiguous)`
    example     what it gives for the worked example; empty where two phrases alone do not decide it
    """

    name: str
    score: Callable[..., Floats]
    sentence: str
    formula: str
    source: str
    level: Level = "words"
    low: float = 0.0
    high: float = 1.0
    undefined: str = "a phrase is empty"
    reason: str = "empty_phrase"
    options: Mapping[str, Option] = field(default_factory=dict)
    example: str = ""


MEASURES: dict[str, Similarity] = {}
#: What every measure is, but for its function.
DECLARED = read_toml("similarity/measures.toml")


def similarity_measure(name: str) -> Callable[[Function], Function]:
    """Make the decorated function the measure that `measures.toml` declares."""

    def declare(score: Function) -> Function:
        options = {option: tuple(values) for option, values in DECLARED[name].get("options", {}).items()}
        MEASURES[name] = Similarity(name, score, **{**DECLARED[name], "options": options})
        return score

    return declare


@dataclass(frozen=True)
class Asked:
    """A measure with its options, as asked for."""

    measure: Similarity
    chosen: tuple[tuple[str, str | float], ...] = ()

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
        return self.measure.score(block, **dict(self.chosen))


def _value(measure: str, option: str, choices: Option, given: str) -> str | float:
    if isinstance(choices[0], str):
        if given in choices:
            return given
        raise UsageError(f"{option} of {measure} is '{given}'; choose one of: {', '.join(map(str, choices))}")
    low, high, _ = choices
    if re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", given) and float(low) <= float(given) <= float(high):
        return float(given)
    raise UsageError(f"{option} of {measure} is '{given}'; write a number from {low:g} to {high:g}")


def split_names(measures: str | Iterable[str]) -> list[str]:
    """Return names of measures, each once: those given, or those in a text, where commas separate them.

    Commas inside brackets belong to a name.

    >>> split_names("BLEU, M-R-precision(alignment=ordered,weights=keyphrase)")
    ['BLEU', 'M-R-precision(alignment=ordered,weights=keyphrase)']
    """
    if isinstance(measures, str):
        measures = filter(None, map(str.strip, re.findall(r"(?:\([^()]*\)|[^,])+", measures)))
    return list(dict.fromkeys(measures))


def parse(text: str) -> Asked:
    """Read a measure as users write it, with options in brackets; printing the result gives the same text back.

    >>> parse("M-R-precision(alignment=ordered)").chosen
    (('alignment', 'ordered'),)
    """
    written = re.fullmatch(r"([^()]+)(?:\(([^()]*)\))?", text.strip())
    name = written[1].strip() if written else text
    name = {"BLEU-4": "BLEU"}.get(name, name)
    if not written or name not in MEASURES:
        raise UsageError(f"there is no measure of similarity '{text}'; the measures are: {', '.join(MEASURES)}")
    measure, chosen = MEASURES[name], {}
    for part in filter(None, (written[2] or "").split(",")):
        option, _, given = (piece.strip() for piece in part.partition("="))
        choices = measure.options.get(option)
        if choices is None:
            known = ", ".join(measure.options) or "none"
            raise UsageError(f"{name} has no option '{option}'; its options are: {known}")
        value = _value(name, option, choices, given)
        if value != (choices[0] if isinstance(choices[0], str) else choices[2]):
            chosen[option] = value
    return Asked(measure, tuple(sorted(chosen.items())))
