"""Hold what a lesson is: controls, what they show, and questions whose answers are computed by the same measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pandas as pd

from kp_core.charts.style import Chart

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Slider:
    """A number that the reader moves."""

    name: str
    label: str
    low: float
    high: float
    start: float
    step: float = 1


@dataclass(frozen=True)
class Options:
    """A choice among a few; the first is the start."""

    name: str
    label: str
    among: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """A question with one right answer: a number (within a tolerance) or one of several options.

    >>> Question("Half of one?", 0.5, "1/2.").right("1/2"), Question("Half of one?", 0.5, "1/2.").right(".4")
    (True, False)
    """

    text: str
    answer: float | str
    because: str
    options: tuple[str, ...] = ()
    tolerance: float = 0.0051

    def right(self, given: str) -> bool | None:
        """Tell whether what was given is right; None where it is no answer at all. 5/11 and 45 % are numbers too."""
        if isinstance(self.answer, str):
            return given == self.answer
        written = "".join(given.split()).replace(",", ".").replace("−", "-")
        text = written.removesuffix("%")
        try:
            # A Fraction would write 1e99999999 out in full; no answer needs so many digits.
            value = float(Fraction(text)) if len(text) <= 40 and "e" not in text.lower() else float(text)
        except (ValueError, ZeroDivisionError):
            return None
        return abs(value / (1 if text == written else 100) - self.answer) <= self.tolerance


@dataclass(frozen=True)
class View:
    """What the controls show: a picture, sentences that read it, and tables with their captions."""

    chart: Chart
    sentences: tuple[str, ...] = ()
    tables: tuple[tuple[str, pd.DataFrame], ...] = ()


@dataclass(frozen=True)
class Lesson:
    """One interactive piece; `examples` set several controls at once."""

    name: str
    title: str
    text: str
    formulas: tuple[str, ...]
    source: str
    controls: tuple[Slider | Options, ...]
    show: Callable[[Values], View]
    questions: tuple[Question, ...]
    examples: Mapping[str, Values] = field(default_factory=dict)

    def start(self) -> dict[str, Any]:
        """Return the values with which the controls begin."""
        return {one.name: one.start if isinstance(one, Slider) else one.among[0] for one in self.controls}
