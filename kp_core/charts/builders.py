"""Build the three forms that most charts are made of: a heat map, dots with intervals, and curves with bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import GREY, Look, label, labels, lay_out


def heat_map_of(
    values: pd.DataFrame, text: pd.DataFrame, title: str, hover: str, height: int, readable: int = 20, **look: Any
) -> go.Figure:
    """Return a table of numbers as a heat map, its first row on top; missing cells stay empty.

    title of the colour bar; text: what stands in each cell; in a table with more columns than are readable nothing does
    """
    trace = {"colorscale": "Cividis", "zmin": 0, "zmax": 1} | look
    figure = go.Figure(
        go.Heatmap(
            z=values.to_numpy(),
            x=labels(values.columns),
            y=labels(values.index),
            text=text.to_numpy(),
            texttemplate="%{text}" if len(values.columns) <= readable else None,
            colorbar={"title": title, "thickness": 12},
            hovertemplate=f"{hover}<extra></extra>",
            hoverongaps=False,
            xgap=1,
            ygap=1,
            **trace,
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(automargin=True, type="category")
    return lay_out(figure, height)


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
    figure: go.Figure, x: Any, y: Any, colour: Any, symbol: str = "circle", size: int = 10, **scatter: Any
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
