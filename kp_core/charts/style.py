"""Hold what all charts share: what a chart is, the looks of systems, and names as they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from kp_core.reading.identifiers import without_common
from kp_core.scoring.counts import BASELINES, HUMANS
from kp_core.typeset import visible

#: Those of `.streamlit/config.toml`: they stay apart for colour-blind eyes, on white and on dark.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#A855F7", "#E0325A")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
GREY = "#888888"
#: What is clear.
CLEAR = "#1f9d63"
#: Words beside a chart, readable (4.5:1) on white and on the dark background alike.
TEXT = "#767676"
#: People, in a colour of their own.
GOLDEN = "#A67C00"
#: What stands beside the systems and is none of them.
REFERENCES = (HUMANS, *BASELINES)
#: Far above every system: curves show it on a click in the legend, so that the systems keep the room.
ORACLE = "oracle k"


#: A figure in the words of Plotly, {"data": traces, "layout": layout}, or a part of one, such as a trace or an axis.
#: Plotly checks it once, where it is shown or saved; the objects of Plotly would check every step.
Part = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A figure, and what it shows in one plain sentence for those who do not see it."""

    figure: Part
    alt: str


@dataclass(frozen=True)
class Look:
    """How a system is drawn in every chart."""

    colour: str
    dash: str
    symbol: str

    def band(self) -> str:
        """Return the colour of the interval: the system's own, almost transparent."""
        red, green, blue = (int(self.colour[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red},{green},{blue},0.13)"


def short(text: str, most: int) -> str:
    """Return a name without its middle where it is long: long names mostly differ at their ends.

    >>> short("reranking_v1", 24), short("supervised_extraction_with_reranking_v1", 24)
    ('reranking_v1', 'supervised_…reranking_v1')
    """
    return text if len(text) <= most else f"{text[: (most - 1) // 2]}…{text[-(most // 2) :]}"


def label(text: str, most: int = 24) -> str:
    """Return a name as Plotly shows it as it stands, shortened where it is long.

    >>> label("<b>x</b>"), label("a very long name of a system")
    ('&lt;b&gt;x&lt;/b&gt;', 'a very long… of a system')
    """
    return escape(short(visible(text), most), quote=False)


def labels(names: Iterable[str], most: int = 24) -> list[str]:
    """Return names as Plotly shows them, shortened, and still different from each other.

    >>> labels(["a long name with 1 inside the system", "a long name with 2 inside the system"])
    ['1', '2']
    """
    return distinct(label(name, most) for name in _apart(list(names), most))


def _apart(names: list[str], most: int) -> list[str]:
    """Return names of which those that would look alike once they are short are without what all of them share."""
    systems = [name for name in dict.fromkeys(names) if name not in REFERENCES]
    if len({short(name, most) for name in systems}) == len(systems):
        return names
    shown = dict(zip(systems, without_common(systems), strict=True))
    return [shown.get(name, name) for name in names]


def distinct(shown: Iterable[str]) -> list[str]:
    """Return names in which those that came before have a number.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    found: list[str] = []
    for name in shown:
        number = 1
        while (numbered := name if number == 1 else f"{name} ({number})") in found:
            number += 1
        found.append(numbered)
    return found


def looks(systems: Iterable[str]) -> dict[str, Look]:
    """Return the look of each system, by its place; baselines are grey, people golden.

    The seventh system has the first colour again, with another dash and symbol.
    """
    found, place = dict[str, Look](), 0
    for name in dict.fromkeys(systems):
        if name == HUMANS:
            found[name] = Look(GOLDEN, "dash", "hexagram")
        elif name in BASELINES:
            step = list(BASELINES).index(name)
            found[name] = Look(GREY, DASHES[(2, 1, 3)[step]], "line-ns-open")
        else:
            turn = place + place // len(COLOURS)
            found[name] = Look(COLOURS[place % len(COLOURS)], DASHES[turn % len(DASHES)], SYMBOLS[turn % len(SYMBOLS)])
            place += 1
    return found
