"""Define the parts of figures as plain dictionaries: dots, curves, bands, heat maps, axes, labels, and layout."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from kp_core.charts.style import GRAY, MARK, TEXT, Chart, Look, Part, label, labels
from kp_core.typeset import number, visible


def merged(usual: Part, extra: Part) -> Part:
    """Merge two parts recursively; `extra` takes precedence."""
    nested_keys = [key for key in extra if isinstance(extra[key], dict) and isinstance(usual.get(key), dict)]
    return usual | extra | {key: merged(usual[key], extra[key]) for key in nested_keys}


def plain(values: Any) -> list[Any]:
    """Return values as a list, or a table as a list of rows; missing numbers become None, as in JSON."""
    items = values if isinstance(values, list | range) else np.asarray(values).tolist()
    return [plain(value) if isinstance(value, list) else None if value != value else value for value in items]


def enlarged(chart: Chart) -> Chart:
    """Return a chart with larger text and thicker lines, for a classroom."""
    layout, traces = chart.figure["layout"], chart.figure["data"]
    larger_text = {"tickfont": {"size": 20}, "title": {"font": {"size": 22}}}
    extra: Part = {name: larger_text for name in layout if "axis" in name}
    extra |= {"font": {"size": 22}, "legend": {"font": {"size": 20}}, "height": round(1.4 * layout["height"])}
    if whole_names := [_in_one_line(text) for text in layout["yaxis"].get("ticktext", ())]:
        extra["yaxis"] = larger_text | {"ticktext": whole_names}  # there is no room for names in several lines
    extra["margin"] = {side: round(1.4 * layout["margin"][side]) for side in ("t", "r")}
    if notes := layout.get("annotations"):
        sizes = [note.get("font", {}).get("size") for note in notes]
        larger_notes = [{"font": {"size": round(1.6 * size)}} if size else {} for size in sizes]
        extra["annotations"] = list(map(merged, notes, larger_notes))
    widths = [trace["line"]["width"] if "lines" in trace.get("mode", "") else 0 for trace in traces]
    thick_lines = [{"line": {"width": 2 * width}} if width else {} for width in widths]
    return Chart({"data": list(map(merged, traces, thick_lines)), "layout": merged(layout, extra)}, chart.alt)


def _in_one_line(label: str) -> str:
    return re.sub(r"(?<=[._/-])<br>", "", label).replace("<br>", " ")


def _legend_room(traces: Iterable[Part]) -> int:
    """Return the extra height that a legend of more than two rows needs, at a width of about 360 pixels."""
    names = [trace.get("name", "") for trace in traces if trace.get("showlegend") is not False]
    columns = max(1, 360 // (48 + 7 * max((len(line) for name in names for line in name.split("<br>")), default=1)))
    return 24 * max(0, -(-len(names) // columns) - 2) if len(names) > 1 else 0


def laid_out(traces: list[Part], height: int, x: Part | None = None, y: Part | None = None, **extra: Any) -> Part:
    """Return a figure in the common layout: legend below, no title, narrow margins."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yref": "container", "yanchor": "bottom"}
    margin, full_height = {"l": 8, "r": 12, "t": 10, "b": 8}, height + _legend_room(traces)
    defaults = {"height": full_height, "margin": margin, "legend": legend, "hoverlabel": {"namelength": -1}}
    return {"data": traces, "layout": merged({"xaxis": x or axis(), "yaxis": y or axis(), **defaults}, extra)}


def axis(title: str = "", **extra: Any) -> Part:
    """Return an axis whose title and labels have the color of text."""
    title_options = {"font": {"color": TEXT}} | ({"text": title} if title else {})
    return merged({"tickfont": {"color": TEXT}, "title": title_options}, extra)


def names_axis(**extra: Any) -> Part:
    """Return an axis of names, the first on top."""
    return axis(autorange="reversed", automargin=True, type="category", **extra)


def upright(x: float, panel: str = "", **line: Any) -> Part:
    """Return a line from the bottom of a panel to its top."""
    coordinates = {"x0": x, "x1": x, "xref": f"x{panel}", "y0": 0, "y1": 1, "yref": f"y{panel} domain"}
    return {"type": "line", "line": line, **coordinates}


def mark_at(k: float, panel: str = "", dash: str = "solid") -> Part:
    """Return the line that marks a cutoff on screen; figures for papers have none."""
    return upright(k, panel, color=GRAY, width=1.5, dash=dash) | {"name": MARK}


def words_at(x: Any, y: Any, text: str, **extra: Any) -> Part:
    """Return an annotation with text at a point of a figure."""
    return {"x": x, "y": y, "text": text, "showarrow": False, **extra}


#: Colors of heat maps: black numbers on them have a contrast of at least 5:1, and none glares on a dark page.
PALE_TO_STRONG = [[0, "#CFE1F1"], [1, "#3F8FCC"]]
VIOLET_TO_ORANGE = [[0, "#A08FD0"], [0.5, "#E3DFDA"], [1, "#EE9A3A"]]


def heat_map_of(
    values: pd.DataFrame, title: str, hover: str, readable: int = 20, stars: Any = False, **options: Any
) -> Part:
    """Return a table as a heat map, first row on top; with more than `readable` columns, no numbers are printed.

    * `title`: title of the color bar; `stars`: mask of the cells to mark with a star
    """
    text = values.map(lambda value: number(value, 2)) + np.where(stars, "*", "")
    cells = {"z": plain(values), "x": labels(values.columns), "y": labels(values.index)}
    defaults: Part = {"colorscale": PALE_TO_STRONG, "zmin": 0, "zmax": 1, "xgap": 1, "ygap": 1, "hoverongaps": False}
    defaults |= {"text": plain(text.where(values.notna(), "")), "hovertemplate": f"{hover}<extra></extra>"}
    defaults |= {"texttemplate": "%{text}", "textfont": {"color": "#111111"}} if len(values.columns) <= readable else {}
    defaults |= {"colorbar": {"title": {"text": title, "side": "right"}, "thickness": 12}}
    x, y = axis(automargin=True, type="category", showgrid=False), names_axis(showgrid=False)
    return laid_out([{"type": "heatmap", **cells, **merged(defaults, options)}], max(260, 110 + 30 * len(values)), x, y)


def error_bars(rows: pd.DataFrame, color: str = GRAY) -> Part:
    """Return the intervals of rows (value, low, high) as horizontal error bars."""
    ends = plain(rows["high"] - rows["value"]), plain(rows["value"] - rows["low"])
    # Plotly draws a bar of length 0 for null, but no bar for text that is not a number.
    up, down = (["NaN" if length is None else length for length in lengths] for lengths in ends)
    bars = {"type": "data", "symmetric": False, "array": up, "arrayminus": down}
    return bars | {"thickness": 1.5, "width": 4, "color": color}


def line_of(x: Any, y: Any, **extra: Any) -> Part:
    """Return a trace of values over x: a line without symbols."""
    return {"type": "scatter", "x": plain(x), "y": plain(y), "mode": "lines", **extra}


def dotted(x: Any, y: Any, color: Any, symbol: Any = "circle", size: int = 10, **extra: Any) -> Part:
    """Return a trace of dots at x and y."""
    marker = {"color": color, "symbol": symbol, "size": size}
    return merged({"type": "scatter", "x": plain(x), "y": plain(y), "mode": "markers", "marker": marker}, extra)


def curve_of(x: Any, y: Any, name: str, look: Look, **extra: Any) -> Part:
    """Return a system's line with symbols, and with its full name in the hover text; `extra` takes precedence."""
    defaults: Part = {"mode": "lines+markers", "name": label(look.name or name), "legendgroup": name}
    defaults["line"] = {"color": look.color, "dash": look.dash, "width": 2}
    trace = merged(defaults | {"hovertemplate": "%{y:.3f}"}, extra)
    trace["hovertemplate"] += whole_name(name) * ("<extra>" not in trace["hovertemplate"])
    return dotted(x, y, look.color, look.symbol, 7, **trace)


def whole_name(name: str) -> str:
    """Return the last line of a hover text: the full name of a system, escaped for Plotly."""
    return f"<extra>{escape(visible(name), quote=False).replace('%{', '%&#123;')}</extra>"


def band_of(x: Iterable[Any], low: Iterable[float], high: Iterable[float], color: str, **extra: Any) -> list[Part]:
    """Return intervals over x as a band, or no trace if there are none."""
    points = [point for point in zip(x, low, high, strict=True) if point[1] == point[1]]
    style = {"line": {"width": 0}, "hoverinfo": "skip", "showlegend": False} | extra
    ends = [(at, top) for at, _, top in points] + [(at, bottom) for at, bottom, _ in reversed(points)]
    return [line_of(*map(list, zip(*ends, strict=True)), fill="toself", fillcolor=color, **style)] if points else []
