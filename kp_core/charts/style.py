"""Hold what all charts share: the looks of systems, layout, names as they stand, and three forms of charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from kp_core.reading.identifiers import without_common
from kp_core.scoring.annotator_tables import HUMANS
from kp_core.scoring.systems import BASELINES
from kp_core.typeset import number, visible

#: Those of `.streamlit/config.toml`: they stay apart for colour-blind eyes, on white and on dark.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#A855F7", "#E0325A")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
GREY = "#888888"
#: Words beside a chart, readable (4.5:1) on white and on the dark background alike.
TEXT = "#767676"
#: People, in a colour of their own.
GOLDEN = "#A67C00"
#: What stands beside the systems and is none of them.
REFERENCES = (HUMANS, *BASELINES)
#: Far above every system: curves show it on a click in the legend, so that the systems keep the room.
ORACLE = "oracle k"


@dataclass(frozen=True)
class Chart:
    """A figure, and what it shows in one plain sentence for those who do not see it."""

    figure: go.Figure
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


def enlarge(figure: go.Figure) -> None:
    """Make a laid-out figure one for the back row of a classroom."""
    figure.update_layout(font_size=22, legend_font_size=20, height=round(1.4 * figure.layout.height))
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickfont_size=20, title_font_size=22)
    for trace in figure.select_traces({"type": "scatter"}):
        if "lines" in (trace.mode or ""):
            trace.line.width = 2 * (trace.line.width or 2)


def _legend_room(figure: go.Figure) -> int:
    """Return the further height of a legend of more than two rows, in a column of about 360 pixels."""
    names = [trace.name or "" for trace in figure.data if trace.showlegend is not False]
    beside = max(1, 360 // (48 + 7 * max(map(len, names), default=1)))
    return 24 * max(0, -(-len(names) // beside) - 2) if len(names) > 1 else 0


def lay_out(figure: go.Figure, height: int, top: int = 10) -> go.Figure:
    """Give a figure the layout of all: legend below, no title, room for labels; `top` is the room for marks."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yref": "container", "yanchor": "bottom"}
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickfont_color=TEXT, title_font_color=TEXT)
    if any(trace.type == "heatmap" for trace in figure.data):  # lines of a grid would strike through empty cells
        figure.update_xaxes(showgrid=False)
        figure.update_yaxes(showgrid=False)
        figure.update_traces({"colorbar_title_side": "right"}, {"type": "heatmap"})
    return figure.update_layout(
        height=height + _legend_room(figure),
        margin={"l": 8, "r": 12, "t": top, "b": 8},
        legend=legend,
        hoverlabel={"namelength": -1},
    )


def heat_map_of(
    values: pd.DataFrame, title: str, hover: str, readable: int = 20, stars: Any = False, **look: Any
) -> go.Figure:
    """Return a table of numbers as a heat map, its first row on top; missing cells stay empty.

    title of the colour bar; stars: which cells have one; readable: with more columns than these no number stands
    """
    text = values.map(lambda value: number(value, 2)) + np.where(stars, "*", "")
    usual = {
        "colorscale": "Cividis",
        "zmin": 0,
        "zmax": 1,
        "xgap": 1,
        "ygap": 1,
        "text": text.where(values.notna(), ""),
    }
    usual |= {"texttemplate": "%{text}" if len(values.columns) <= readable else None, "hoverongaps": False}
    usual |= {"colorbar": {"title": title, "thickness": 12}, "hovertemplate": f"{hover}<extra></extra>"}
    figure = go.Figure(go.Heatmap(z=values, x=labels(values.columns), y=labels(values.index), **(usual | look)))
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(automargin=True, type="category")
    return lay_out(figure, max(260, 110 + 30 * len(values)))


def error_bars(rows: pd.DataFrame, colour: str = GREY) -> dict[str, Any]:
    """Return the intervals of rows with a value, low and high as error bars along the x axis."""
    up, down = rows["high"] - rows["value"], rows["value"] - rows["low"]
    bars = {"type": "data", "symmetric": False, "array": up, "arrayminus": down}
    return bars | {"thickness": 1.5, "width": 4, "color": colour}


def dots_of(rows: pd.DataFrame, names: Sequence[str], colours: Sequence[str], **scatter: Any) -> go.Figure:
    """Return one row a name, the first on top: its value as a dot with its interval."""
    figure, hover = go.Figure(), "%{y}: %{x:.3f}<extra></extra>"
    add_dots(figure, rows["value"], names, colours, error_x=error_bars(rows), **({"hovertemplate": hover} | scatter))
    return figure.update_traces(showlegend=False).update_yaxes(autorange="reversed", automargin=True, type="category")


def add_dots(
    figure: go.Figure, x: Any, y: Any, colour: Any, symbol: Any = "circle", size: int = 10, **scatter: Any
) -> None:
    """Add values along x as dots at the heights y."""
    marker = {"marker_color": colour, "marker_symbol": symbol, "marker_size": size}
    figure.add_scatter(x=x, y=y, mode="markers", **marker, **scatter)


def add_curve(figure: go.Figure, x: Any, y: Any, name: str, look: Look, **scatter: Any) -> None:
    """Add a line of a system with its symbols; what stands in `scatter` replaces the usual look."""
    usual = {
        "mode": "lines+markers",
        "name": label(name),
        "legendgroup": name,
        "line_color": look.colour,
        "line_dash": look.dash,
        "line_width": 2,
        "marker_color": look.colour,
        "marker_symbol": look.symbol,
        "marker_size": 7,
        "hovertemplate": "%{y:.3f}",
    }
    figure.add_scatter(x=x, y=y, **(usual | scatter))


def add_band(
    figure: go.Figure, rows: pd.DataFrame, along: str, colour: str, low: str = "low", high: str = "high", **scatter: Any
) -> None:
    """Add the interval of each row as a band over the column `along`, where there is one."""
    rows = rows[rows[low].notna()]
    if len(rows):
        back = rows.iloc[::-1]
        edge = {"x": [*rows[along], *back[along]], "y": [*rows[high], *back[low]], "mode": "lines", "line_width": 0}
        quiet = {"hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(fill="toself", fillcolor=colour, **edge, **quiet, **scatter)
