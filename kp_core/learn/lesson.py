"""Hold what a lesson is: words and data from a file, what they show, and answers computed by the same measures."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pandas as pd

from kp_core.charts.pieces import curve_of, plain
from kp_core.charts.style import Chart, Part, label, looks

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Slider:
    """A number that the reader moves."""

    name: str
    label: str
    low: float
    high: float
    start: float
    step: float


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
        return abs(value / (1 if text == written else 100) - self.answer) <= 0.0051


@dataclass(frozen=True)
class View:
    """What the controls show: a picture, sentences that read it, and tables with their captions."""

    chart: Chart
    sentences: Sequence[str]
    tables: Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Lesson:
    """One interactive piece; `examples` set several controls at once."""

    name: str
    title: str
    text: str
    formulas: Sequence[str]
    source: str
    controls: Sequence[Slider | Options]
    show: Callable[[Values], View]
    questions: Sequence[Question]
    examples: Mapping[str, Values]

    def start(self) -> dict[str, Any]:
        """Return the values with which the controls begin."""
        return {one.name: one.start if isinstance(one, Slider) else one.among[0] for one in self.controls}


def prose(name: str) -> dict[str, Any]:
    """Return the words and the printed data of a lesson, from `lessons/<name>.toml`."""
    return tomllib.loads((files("kp_core.learn") / "lessons" / f"{name}.toml").read_text(encoding="utf-8"))


def lesson(name: str, show: Callable[[Values], View], answers: Sequence[float]) -> Lesson:
    """Return the lesson of a file, with the answers of those questions that ask for a number, in their order."""
    words, numbers = prose(name), iter(answers)
    controls = [
        Options(one["name"], one["label"], tuple(words[one["of"]])) if "of" in one else Slider(**one)
        for one in words["controls"]
    ]
    questions = [
        Question(one["text"], one.get("answer") or next(numbers), one["because"], tuple(one.get("options", ())))
        for one in words["questions"]
    ]
    title, text, formulas, source = (words[key] for key in ("title", "text", "formulas", "source"))
    return Lesson(name, title, text, formulas, source, controls, show, questions, words.get("examples", {}))


def errata(name: str, **computed: str) -> pd.DataFrame:
    """Return what the source of a lesson prints beside what is right, with the computed numbers put in."""
    rows = [(one["printed"], one["recomputed"].format(**computed)) for one in prose(name)["errata"]]
    return pd.DataFrame(rows, columns=["as printed", "recomputed"])


def bars(x: Sequence[Any], y: Sequence[Any], text: Sequence[str], colours: Sequence[str], hover: str) -> Part:
    """Return bars with their numbers beside them; they lie where y are names."""
    bar = {"type": "bar", "x": plain(x), "y": plain(y), "text": text, "marker": {"color": colours}, "cliponaxis": False}
    look = {"textposition": "outside", "orientation": "h" if isinstance(y[0], str) else "v"}
    return {**bar, **look, "hovertemplate": f"{hover}<extra></extra>"}


def curves(x: Sequence[Any], values: Mapping[str, Sequence[float]], thick: str, hover: str) -> list[Part]:
    """Return a curve for every name, one of them thick."""
    traces = list[Part]()
    for name, look in looks(values).items():
        width, shown = 5 if name == thick else 2.5, f"{label(name)}{hover}<extra></extra>"
        traces.append(curve_of(x, values[name], name, look, line={"width": width}, hovertemplate=shown))
    return traces
