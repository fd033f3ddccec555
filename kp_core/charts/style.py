"""Define what all charts share: what a chart is, the looks of systems, and names unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from kp_core.reading.rows.identifiers import without_common
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
_REFERENCE_LABELS = dict(zip(BASELINES, ("empty baseline", "random baseline", "oracle"), strict=True))
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
    """How a system is drawn in every chart, and its name without the part that all systems share."""

    colour: str
    dash: str
    symbol: str
    name: str = ""

    def band(self) -> str:
        """Return the colour of the interval: the system's own, almost transparent."""
        red, green, blue = (int(self.colour[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red},{green},{blue},0.13)"


def short_names(systems: Iterable[str]) -> dict[str, str]:
    """Return each system with its name without the common prefix and suffix of all systems.

    Whole names stay where a rest would have no letter, as “1” of “run-1”.

    >>> short_names(["candidats.degree", "candidats.textrank", "oracle k"])
    {'candidats.degree': 'degree', 'candidats.textrank': 'textrank', 'oracle k': 'oracle'}
    >>> short_names(["run-1", "run-2"])
    {'run-1': 'run-1', 'run-2': 'run-2'}
    """
    every = list(dict.fromkeys(systems))
    named = [name for name in every if name not in REFERENCES]
    rests = without_common(named)
    shown = rests if all(any(map(str.isalpha, rest)) for rest in rests) else named
    return {name: _REFERENCE_LABELS.get(name, name) for name in every} | dict(zip(named, shown, strict=True))


def short(text: str, most: int) -> str:
    """Return a text without its end if it is long.

    >>> short("reranking_v1", 24), short("supervised_extraction_with_reranking_v1", 24)
    ('reranking_v1', 'supervised_extraction_w…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


#: A part of a name that no line ends within.
_PART = re.compile(r"[^\s._/-]*[\s._/-]*")


def label(text: str, most: int = 24) -> str:
    """Return a name as Plotly shows it unchanged, in up to three lines of so many letters if it is long.

    >>> label("<b>x</b>"), label("a very long name of a system")
    ('&lt;b&gt;x&lt;/b&gt;', 'a very long name of a<br>system')
    """
    lines = [""]
    for part in _PART.findall(visible(text)):
        if lines[-1] and len(lines) < 3 and len((lines[-1] + part).rstrip()) > most:
            lines.append("")
        lines[-1] += part
    return "<br>".join(escape(short(line.strip(), most), quote=False) for line in lines)


def lines_of(shown: str) -> list[str]:
    """Return the lines of a label."""
    return shown.split("<br>")


def labels(names: Iterable[str], most: int = 24) -> list[str]:
    """Return names as Plotly shows them, and still different from each other."""
    return distinct(label(name, most) for name in names)


def system_labels(systems: Iterable[str], most: int = 24) -> list[str]:
    """Return the names of systems as Plotly shows them, without what all of them share.

    >>> system_labels(["a long name with one inside the system", "a long name with two inside the system"])
    ['one', 'two']
    """
    every = list(systems)
    shown = short_names(every)
    return labels((shown[name] for name in every), most)


def distinct(shown: Iterable[str]) -> list[str]:
    """Return names in which those that came before have a number.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    drawn: list[str] = []
    for name in shown:
        number = 1
        while (numbered := name if number == 1 else f"{name} ({number})") in drawn:
            number += 1
        drawn.append(numbered)
    return drawn


def looks(systems: Iterable[str]) -> dict[str, Look]:
    """Return the look of each system, by its place; baselines are gray, people golden.

    The seventh system has the first colour again, with another dash and symbol.
    """
    found, place = dict[str, Look](), 0
    for name, shown in short_names(systems).items():
        if name == HUMANS:
            found[name] = Look(GOLDEN, "dash", "hexagram", shown)
        elif name in BASELINES:
            step = list(BASELINES).index(name)
            found[name] = Look(GREY, DASHES[(2, 1, 3)[step]], "line-ns-open", shown)
        else:
            turn = place + place // len(COLOURS)
            colour, dash = COLOURS[place % len(COLOURS)], DASHES[turn % len(DASHES)]
            found[name] = Look(colour, dash, SYMBOLS[turn % len(SYMBOLS)], shown)
            place += 1
    return found
