"""Join the texts of every similarity measure with its function, for tables, help and documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from kp_core.errors import UsageError, read_toml
from kp_core.scoring.codes import Floats

#: Input of a measure: blocks of words, stems or characters, strings, or whole columns of pairs.
Level = Literal["words", "stems", "characters", "texts", "pairs"]

#: The values of an option, default first, or the range and default of a number.
Option = tuple[str, ...] | tuple[float, float, float]

Function = TypeVar("Function", bound=Callable[..., Floats])


@dataclass(frozen=True)
class SimilarityCard:
    """A similarity of two phrases: its texts, as described in `measures.toml`, and the function from pairs to values.

    * `score`: block → values (n,); a block is `Sides` at the levels words, stems and characters, two lists of
      normalized strings at the level texts, `Pairs` at the level pairs
    * `reason`: why a value is missing although both phrases have tokens; a key of `REASONS`
    * `options`: name → values, as in `R-precision(overlap=contiguous)`
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


_TEXTS = read_toml("similarity/measures.toml")
_FAMILIES = _TEXTS.pop("families")
#: In the order of measures.toml, regardless of the order of registration.
MEASURES: dict[str, SimilarityCard] = dict.fromkeys(_TEXTS)  # type: ignore[assignment]


def similarity_measure(name: str) -> Callable[[Function], Function]:
    """Register the decorated function as the measure of this name in `measures.toml`."""
    texts: dict[str, Any] = {}
    for family in (*(shared for begin, shared in _FAMILIES.items() if name.startswith(begin)), _TEXTS[name]):
        texts |= family
    texts["options"] = {option: tuple(values) for option, values in texts.get("options", {}).items()}

    def declare(score: Function) -> Function:
        MEASURES[name] = SimilarityCard(name, score, **texts)
        return score

    return declare


@dataclass(frozen=True)
class Similarity:
    """A requested measure with the options that differ from their defaults."""

    card: SimilarityCard
    chosen: tuple[tuple[str, str | float], ...] = ()

    @property
    def name(self) -> str:
        """The name of the measure with non-default options.

        >>> parse("R-precision( overlap=contiguous,denominator=longer )").name
        'R-precision(overlap=contiguous)'
        """
        options = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.chosen]
        return self.card.name + (f"({','.join(options)})" if options else "")

    def scores(self, block: Any) -> Floats:
        """Return the values of a block of pairs."""
        return self.card.score(block, **dict(self.chosen))


def _value(measure: str, option: str, choices: Option, text: str) -> str | float:
    if isinstance(choices[0], str):
        if text in choices:
            return text
        raise UsageError(f"{option} of {measure} is '{text}'; choose one of: {', '.join(map(str, choices))}")
    low, high, _ = choices
    if re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", text) and float(low) <= float(text) <= float(high):
        return float(text)
    raise UsageError(f"{option} of {measure} is '{text}'; write a number from {low:g} to {high:g}")


def parse(text: str) -> Similarity:
    """Parse the name of a measure with options in brackets; `Measure.name` of the result gives the same name.

    >>> parse("M-R-precision(alignment=ordered)").chosen
    (('alignment', 'ordered'),)
    """
    match = re.fullmatch(r"([^()]+)(?:\(([^()]*)\))?", text.strip())
    name = match[1].strip() if match else text
    name = {"BLEU-4": "BLEU"}.get(name, name)
    if not match or name not in MEASURES:
        raise UsageError(f"there is no measure of similarity '{text}'; the measures are: {', '.join(MEASURES)}")
    measure, values = MEASURES[name], {}
    for part in filter(None, (match[2] or "").split(",")):
        option, _, value_text = (piece.strip() for piece in part.partition("="))
        choices = measure.options.get(option)
        if choices is None:
            options = ", ".join(measure.options) or "none"
            raise UsageError(f"{name} has no option '{option}'; its options are: {options}")
        value = _value(name, option, choices, value_text)
        if value != (choices[0] if isinstance(choices[0], str) else choices[2]):
            values[option] = value
    return Similarity(measure, tuple(sorted(values.items())))
