"""Turn values with intervals into bars and dots, and counts into stacked bars."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.selection import NEAR, by_correlation, rows_of
from kp_core.charts.style import (
    COLOURS,
    GOLDEN,
    GREY,
    ORACLE,
    REFERENCES,
    Chart,
    add_dots,
    dots_of,
    error_bars,
    label,
    labels,
    lay_out,
    looks,
)
from kp_core.errors import counted
from kp_core.scoring.systems import BASELINES
from kp_core.settings import change_in_words, in_words
from kp_core.similarity.relation import TYPES
from kp_core.studies.correlation.correlate import SENTINELS, CorrelationStudy
from kp_core.studies.correlation.estimates import HUMAN
from kp_core.studies.result import Result
from kp_core.studies.spread import EQUAL, GRID, Spread
from kp_core.typeset import number

#: One for each preset, in their order; all can be told apart without colour.
_PRESET_SYMBOLS = (
    *("circle-open", "square-open", "diamond-open", "triangle-up-open", "triangle-down-open", "star-open"),
    *("cross-open", "hexagon-open", "bowtie-open", "hourglass-open", "pentagon-open", "hexagram-open"),
)
#: Rows of the chart of effects; what changes less is left to the table.
_MOST = 12


def _values(names: Iterable[str], values: Iterable[float], separator: str = "; ") -> str:
    return separator.join(f"{name} {number(value)}" for name, value in zip(names, values, strict=True))


def leaderboard(result: Result, measure: str) -> Chart:
    """Draw the value of each system as a dot with its interval and its number; the best on top, baselines below.

    Without the oracle: it would take the room from the systems. Every dot carries the name of its system.
    """
    rows = rows_of(result, measure)
    rows = rows[rows["value"].notna() & (rows["system"] != ORACLE)]
    rows = rows.assign(last=rows["system"].isin(BASELINES))
    rows = rows.sort_values(["last", "value"], ascending=[True, False], kind="stable")
    drawn, names = looks(result.frame["system"]), labels(rows["system"])
    figure = go.Figure()
    for place, ((_, row), name) in enumerate(zip(rows.iterrows(), names, strict=True)):
        look, one = drawn[row["system"]], rows.loc[[row.name]]
        symbol = "circle" if row["system"] in REFERENCES else look.symbol
        more = {"error_x": error_bars(one, look.colour), "customdata": [row["system"]], "showlegend": False}
        hover = "%{y}: %{x:.3f}<extra></extra>"  # what is in customdata is no label, and would be read as markup
        add_dots(figure, one["value"], [name], look.colour, symbol, 11, hovertemplate=hover, **more)
        text = f"<b>{number(row['value'], 3)}</b>"
        # By its row and not by its name: a system may be called “07”, which would be taken for the eighth row.
        where = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 8, "y": place}
        figure.add_annotation(text=text, showarrow=False, font={"size": 14, "color": look.colour}, **where)
    figure.update_yaxes(autorange="reversed", automargin=True, type="category", tickfont_size=14)
    figure.update_xaxes(title=label(rows["measure"].iloc[0] if len(rows) else measure), rangemode="tozero")
    alt = f"{measure} with 95 % intervals: {_values(rows['system'], rows['value'])}."
    figure = lay_out(figure, 90 + 40 * max(1, len(rows))).update_layout(margin_r=64)
    return Chart(figure, alt if len(rows) else f"{measure} is undefined for every system.")


def by_part(result: Result) -> Chart:
    """Draw one measure of each system for the parts of the data as points with intervals; one row a part."""
    rows = result.frame[result.frame["subset"] != "all"]
    rows = rows.assign(part=rows["subset"].str.partition(":")[2])
    parts, drawn, figure = list(dict.fromkeys(rows["part"])), looks(rows["system"]), go.Figure()
    for step, (name, look) in enumerate(drawn.items()):
        own = rows[rows["system"] == name].set_index("part").reindex(parts)
        heights = np.arange(len(parts)) + min(0.12, 0.8 / len(drawn)) * (step - (len(drawn) - 1) / 2)
        more = {"name": label(name), "error_x": error_bars(own, look.colour), "hovertemplate": "%{x:.3f}"}
        add_dots(figure, own["value"], heights, look.colour, look.symbol, 9, **more)
    names = labels(parts)
    figure.update_yaxes(tickvals=list(range(len(parts))), ticktext=names, autorange="reversed", automargin=True)
    measure = label(rows["measure"].iloc[0]) if len(rows) else ""
    figure.update_xaxes(title=measure, rangemode="tozero")
    by_part = rows.groupby("part", sort=False)
    said = "; ".join(f"{part}: {_values(own['system'], own['value'], ', ')}" for part, own in by_part)
    figure = lay_out(figure, 130 + max(60, 15 * len(drawn)) * len(parts))
    return Chart(figure, f"{measure} by part of the data: {said}.")


def groups(result: Result, measure: str) -> Chart:
    """Draw a measure of all annotators together for each document type, with intervals."""
    rows = result.frame[(result.frame["measure"] == measure) & (result.frame["system"] == "all")]
    rows = rows.drop_duplicates("subset")
    names = labels("all documents" if part == "all" else part.removeprefix("group:") for part in rows["subset"])
    figure = dots_of(rows, names, [GREY if subset == "all" else COLOURS[0] for subset in rows["subset"]])
    figure.update_xaxes(title=measure, rangemode="tozero")
    alt = f"{measure} by document type with 95 % intervals: {_values(names, rows['value'])}."
    return Chart(lay_out(figure, 100 + 44 * len(rows)), alt)


def forest(study: CorrelationStudy, average: str) -> Chart:
    """Draw the correlation of every measure with its interval, the best on top; sentinels grey, people golden."""
    rows = by_correlation(study, average)
    rows = rows[rows["value"].notna()]
    colours = [GOLDEN if name == HUMAN else GREY if name in SENTINELS else COLOURS[0] for name in rows["measure"]]
    hover = "%{y}: %{x:.3f}, %{customdata} pairs<extra></extra>"
    figure = dots_of(rows, labels(rows["measure"]), colours, customdata=rows["n"], hovertemplate=hover)
    for people in rows.loc[rows["measure"] == HUMAN, "value"]:
        figure.add_vline(x=people, line={"color": GOLDEN, "width": 1.5, "dash": "dash"})
    figure.add_vline(x=0, line={"color": GREY, "width": 1})
    figure.update_xaxes(title=f"correlation with people ({study.found.study.correlation.capitalize()})")
    alt = f"Correlation with human scores, all pairs: {_values(rows['measure'], rows['value'])}."
    return Chart(lay_out(figure, 110 + 27 * len(rows)), alt)


def strip(spread: Spread, said: str) -> Chart:
    """Draw one row a system: dots are settings of the grid, symbols presets, the long mark the setting in use.

    said: the range of the best system in a sentence
    """
    frame, ranges = spread.frame[spread.frame["value"].notna()], spread.ranges
    frame = frame.assign(recipe=[", ".join(values) for values in frame[list(GRID)].itertuples(index=False)])
    grid, presets = frame[frame["kind"] == "grid"], frame[frame["kind"] == "preset"]
    systems, hover = ranges["system"].tolist(), "%{x:.3f}: %{text}"
    drawn, figure = looks(systems), go.Figure()
    colours = [drawn[name].colour for name in systems]
    for row, name in enumerate(systems):
        own = grid[grid["system"] == name]
        # Scattered without chance, so that the same data give the same picture.
        heights = row - 0.05 - 0.3 * ((np.arange(len(own)) * 0.618034) % 1)
        more = {"name": label(name), "text": own["recipe"], "hovertemplate": hover, "showlegend": False}
        add_dots(figure, own["value"], heights, colours[row], size=5, marker_opacity=0.45, **more)
    for symbol, (preset, own) in zip(cycle(_PRESET_SYMBOLS), presets.groupby("preset", sort=False), strict=False):
        heights = own["system"].map(systems.index) + 0.1 + 0.025 * _PRESET_SYMBOLS.index(symbol)
        more = {
            "name": label(in_words("preset", str(preset))),
            "text": own["recipe"],
            "hovertemplate": hover,
            "marker_line_width": 1.5,
        }
        add_dots(figure, own["value"], heights, GREY, symbol, 9, **more)
    places, more = list(range(len(systems))), {"name": "in use", "hovertemplate": "%{x:.3f}", "marker_line_width": 3}
    add_dots(figure, ranges["current"], places, colours, "line-ns-open", 38, **more)
    figure.update_yaxes(tickvals=places, ticktext=[label(name) for name in systems], automargin=True, zeroline=False)
    figure.update_yaxes(range=[len(systems) - 0.5, -0.5])
    figure.update_xaxes(title=label(spread.measure))
    values = "; ".join(
        f"{row.system} {number(row.low)} to {number(row.high)}, in use {number(row.current)}"
        for row in ranges.itertuples()
    )
    alt = f"{spread.measure} under {presets['preset'].nunique()} presets and {spread.combinations} settings: {values}."
    return Chart(lay_out(figure, 150 + 84 * len(systems)), f"{alt} {said}")


def effects(spread: Spread) -> Chart:
    """Draw what each single change does to each system, the largest effects on top; what changes nothing is left out.

    At most twelve changes are drawn, and not `gold_stemmed`: it says how the gold standard was released, and is no
    choice that two papers could make differently.
    """
    rows = spread.changes[spread.changes["field"] != "gold_stemmed"]
    said = [change_in_words(field, now) for field, now in zip(rows["field"], rows["now"], strict=True)]
    rows = rows.assign(named=said, size=rows["change"].abs())
    largest = rows.groupby("named", sort=False)["size"].max().sort_values(ascending=False, kind="stable")
    effective = largest[largest > EQUAL].index.tolist()
    drawn, figure = effective[:_MOST], go.Figure()
    rows = rows[rows["named"].isin(drawn)]
    order = [label(change, 46) for change in drawn]
    figure.add_vline(x=0, line={"color": GREY, "width": 1.5})
    hover = "%{y}: %{x:+.3f}, to %{customdata:.3f}"
    for name, look in looks(spread.ranges["system"]).items():
        own = rows[rows["system"] == name]
        heights = own["named"].map(dict(zip(drawn, order, strict=True)))
        more = {"customdata": own["value"], "hovertemplate": hover}
        add_dots(figure, own["change"], heights, look.colour, look.symbol, name=label(name), **more)
    figure.update_yaxes(categoryorder="array", categoryarray=order, autorange="reversed", automargin=True)
    figure.update_xaxes(title=f"change of {label(spread.measure)} from the conventions in use", tickformat="+.2~f")
    figure = lay_out(figure, 130 + 32 * max(1, len(order)))
    if not order:
        return Chart(figure, f"No single change of a convention changes {spread.measure} of any system.")
    top = rows.loc[rows["size"].idxmax()]
    alt = (
        f"Effect of {len(order)} single changes of a convention on {spread.measure}; the largest: {top['named']} "
        f"changes {top['system']} by {top['change']:+.3f}."
    )
    left = len(effective) - len(order)
    return Chart(figure, alt + (f" {left} smaller ones are in the table." if left else ""))


#: From a hit to nothing in common: dark to pale, so that the order shows without colour too.
_SHADES = dict(zip(TYPES, ("#08519C", "#3182BD", "#6BAED6", "#9ECAE1", "#C6DBEF", "#BDBDBD"), strict=True))


def histogram(documents: pd.DataFrame, measure: str, bands: Iterable[tuple[float, str]]) -> Chart:
    """Draw how many documents have which agreement, by document type, with bands (from, word) as dotted lines."""
    defined = documents[documents[measure].notna()]
    kinds, figure = [kind for kind in dict.fromkeys(defined["group"]) if kind] or [""], go.Figure()
    bins, hover = {"start": -1, "end": 1.05, "size": 0.05}, "%{y} documents with " + measure + " %{x}<extra></extra>"
    for place, kind in enumerate(kinds):
        values = defined.loc[defined["group"] == kind, measure] if len(kinds) > 1 else defined[measure]
        colour, name = COLOURS[place % len(COLOURS)], label(kind or "documents")
        figure.add_histogram(x=values, name=name, xbins=bins, marker_color=colour, hovertemplate=hover)
    low = float(np.floor(defined[measure].min() * 20) / 20) if len(defined) else 0.0
    above = {"y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "left", "textangle": -20, "showarrow": False}
    for edge, word in bands:
        if edge > low:
            figure.add_vline(x=edge, line={"color": GREY, "width": 1, "dash": "dot"})
            figure.add_annotation(x=edge, text=word, font={"size": 11, "color": GREY}, **above)
    figure.update_traces(showlegend=len(kinds) > 1).update_layout(barmode="stack", bargap=0.05)
    top = 1.05 if len(defined) and defined[measure].max() > 1 - 1e-9 else 1
    figure.update_xaxes(title=measure, range=[min(low, 0.0), top])
    figure.update_yaxes(title="documents", tickformat="d")
    middle = number(float(defined[measure].median())) if len(defined) else "undefined"
    alt = f"{measure} of {counted(len(defined), 'document')} as a histogram; the median is {middle}."
    return Chart(lay_out(figure, 320, top=40), alt)


def type_bars(counts: pd.DataFrame, what: str) -> Chart:
    """Draw how many predictions or gold entries of each system are of each type; counts: `NearMisses.counts`."""
    names, figure = labels(counts["system"]), go.Figure()
    for kind, colour in _SHADES.items():
        hover = "%{y}, " + NEAR[kind] + ": %{x}<extra></extra>"
        figure.add_bar(
            y=names, x=counts[kind], name=NEAR[kind], orientation="h", marker_color=colour, hovertemplate=hover
        )
    figure.update_traces(marker_line_width=0)
    figure.update_layout(barmode="stack", bargap=0.35, legend_traceorder="normal")
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(title=what)
    said = "; ".join(
        f"{row['system']}: {row['EXACT']} of {row['all']} the same, {row['NONE']} with nothing in common"
        for row in counts.assign(all=counts[list(TYPES)].sum(axis=1)).to_dict("records")
    )
    return Chart(lay_out(figure, 130 + 40 * len(names)), f"Types of {what} by system as stacked bars. {said}.")
