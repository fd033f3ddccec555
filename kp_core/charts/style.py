"""Define what a chart is, and the styles and labels of systems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from kp_core.reading.rows.identifiers import labels_of
from kp_core.scoring.counts import BASELINES, HUMANS
from kp_core.typeset import distinct, visible

#: As in `.streamlit/config.toml`: distinct for color-blind readers, on light and on dark backgrounds.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#A855F7", "#E0325A")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
GRAY = "#888888"
#: Text next to a chart: contrast 4.5:1 on the light and on the dark background.
TEXT = "#767676"
GOLDEN = "#A67C00"
#: Name of lines and labels that mark a cutoff.
MARK = "cutoff"
REFERENCES = (HUMANS, *BASELINES)
REFERENCE_LABELS = dict(zip(BASELINES, ("empty baseline", "random baseline", "oracle"), strict=True))


#: A Plotly figure as a dictionary, {"data": traces, "layout": layout}, or a part of one, such as a trace or an axis.
Part = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A figure and its alternative text."""

    figure: Part
    alt: str


@dataclass(frozen=True)
class Look:
    """The style of a system in every chart, and its short name."""

    color: str
    dash: str
    symbol: str
    name: str = ""

    def band(self) -> str:
        """Return the color of the interval: the system's color, almost transparent."""
        red, green, blue = (int(self.color[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red},{green},{blue},0.13)"


def short_names(systems: Iterable[str]) -> dict[str, str]:
    """Return system → name without the prefix and suffix that all systems share."""
    names = {name: REFERENCE_LABELS.get(name, name) for name in systems}
    return names | labels_of([name for name in names if name not in REFERENCES])


def short(text: str, max_length: int) -> str:
    """Truncate a string to at most `max_length` characters."""
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


_PART = re.compile(r"[^\s._/-]*[\s._/-]*")


def label(text: str, max_length: int = 24) -> str:
    """Return a name escaped for Plotly, in up to three lines of at most `max_length` characters."""
    lines = [""]
    for part in _PART.findall(visible(text)):
        if lines[-1] and len(lines) < 3 and len((lines[-1] + part).rstrip()) > max_length:
            lines.append("")
        lines[-1] += part
    return "<br>".join(escape(short(line.strip(), max_length), quote=False) for line in lines)


def labels(names: Iterable[str], max_length: int = 24) -> list[str]:
    """Return distinct labels for names, escaped for Plotly."""
    return distinct(label(name, max_length) for name in names)


def system_labels(systems: Iterable[str], max_length: int = 24) -> list[str]:
    """Return distinct labels of the short names of systems."""
    return labels(short_names(systems).values(), max_length)


def looks(systems: Iterable[str]) -> dict[str, Look]:
    """Return the style of each system by its position; from the seventh on, colors repeat with other dashes."""
    names = short_names(systems)
    references = dict(zip(BASELINES, ("dot", "dash", "dashdot"), strict=True))
    styles = {name: Look(GRAY, dash, "line-ns-open", names.get(name, "")) for name, dash in references.items()}
    styles[HUMANS] = Look(GOLDEN, "dash", "hexagram", names.get(HUMANS, ""))
    for index, name in enumerate(name for name in names if name not in REFERENCES):
        turn = (index + index // len(COLORS)) % len(DASHES)
        styles[name] = Look(COLORS[index % len(COLORS)], DASHES[turn], SYMBOLS[turn], names[name])
    return {name: styles[name] for name in names}
