"""Turn the convention spread into a strip plot of all settings, and the effects of single changes into a dot plot."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import GREY, Chart, label, lay_out, looks
from kp_core.studies.spread import EQUAL, GRID, Spread
from kp_core.words.statements import number, range_of

#: One for each preset, in their order; all can be told apart without colour.
SYMBOLS = (
    "circle-open",
    "square-open",
    "diamond-open",
    "triangle-up-open",
    "triangle-down-open",
    "star-open",
    "cross-open",
    "hexagon-open",
    "bowtie-open",
    "hourglass-open",
    "pentagon-open",
    "hexagram-open",
)
#: Rows of the dot plot; what changes less is left to the table.
MOST = 12
#: It says how the gold standard was released, and is no choice that two papers could make differently.
_OF_THE_FILE = ("gold_stemmed",)


def strip(spread: Spread) -> Chart:
    """Draw one row a system: dots are settings of the grid, symbols presets, the long mark the setting in use."""
    systems = spread.ranges["system"].tolist()
    place = {name: row for row, name in enumerate(systems)}
    drawn, figure = looks(systems), go.Figure()
    for name in systems:
        rows = _of(spread, "grid").query("system == @name")
        # Scattered without chance, so that the same data give the same picture.
        height = place[name] - 0.05 - 0.3 * ((np.arange(len(rows)) * 0.618034) % 1)
        figure.add_scatter(
            x=rows["value"],
            y=height,
            mode="markers",
            showlegend=False,
            name=label(name),
            text=_recipes(rows),
            marker={"color": drawn[name].colour, "size": 5, "opacity": 0.45},
            hovertemplate="%{x:.3f}: %{text}",
        )
    presets = _of(spread, "preset")
    for step, (preset, rows) in enumerate(presets.groupby("preset", sort=False)):
        figure.add_scatter(
            x=rows["value"],
            y=[place[name] + 0.1 + 0.025 * step for name in rows["system"]],
            mode="markers",
            name=label(str(preset)),
            text=_recipes(rows),
            hovertemplate="%{x:.3f}: %{text}",
            marker={"symbol": SYMBOLS[step % len(SYMBOLS)], "size": 9, "color": GREY, "line": {"width": 1.5}},
        )
    figure.add_scatter(
        x=spread.ranges["current"],
        y=[place[name] for name in systems],
        mode="markers",
        name="in use",
        marker={
            "symbol": "line-ns-open",
            "size": 38,
            "line": {"width": 3},
            "color": [drawn[name].colour for name in systems],
        },
        hovertemplate="%{x:.3f}",
    )
    figure.update_yaxes(
        tickvals=list(place.values()),
        ticktext=[label(name) for name in systems],
        automargin=True,
        zeroline=False,
        range=[len(systems) - 0.5, -0.5],
    )
    figure.update_xaxes(title=label(spread.measure))
    said = "; ".join(
        f"{row.system} {number(row.low)} to {number(row.high)}, in use {number(row.current)}"
        for row in spread.ranges.itertuples()
    )
    alt = f"{spread.measure} under {presets['preset'].nunique()} presets and {spread.settings} settings: {said}."
    return Chart(lay_out(figure, 150 + 84 * len(systems)), f"{alt} {range_of(spread)}")


def _of(spread: Spread, kind: str) -> pd.DataFrame:
    return spread.frame[(spread.frame["kind"] == kind) & spread.frame["value"].notna()]


def _recipes(rows: pd.DataFrame) -> list[str]:
    """Name the conventions of each row."""
    return [", ".join(values) for values in rows[list(GRID)].itertuples(index=False)]


def effects(spread: Spread) -> Chart:
    """Draw what each single change does to each system, the largest effects on top; what changes nothing is left out.

    At most twelve changes are drawn, and not `gold_stemmed`, which belongs to the file and not to the evaluation.
    """
    rows = spread.changes[~spread.changes["field"].isin(_OF_THE_FILE)]
    rows = rows.assign(named=rows["field"] + " = " + rows["now"], size=rows["change"].abs())
    largest = rows.groupby("named", sort=False)["size"].max().sort_values(ascending=False, kind="stable")
    effective = largest[largest > EQUAL]
    shown, figure = effective.index[:MOST].tolist(), go.Figure()
    rows = rows[rows["named"].isin(shown)]
    figure.add_vline(x=0, line={"color": GREY, "width": 1.5})
    for name, look in looks(spread.ranges["system"]).items():
        own = rows[rows["system"] == name]
        figure.add_scatter(
            x=own["change"],
            y=[label(text, 34) for text in own["named"]],
            mode="markers",
            name=label(name),
            marker={"color": look.colour, "symbol": look.symbol, "size": 10, "opacity": 0.85},
            customdata=own["value"],
            hovertemplate="%{y}: %{x:+.3f}, to %{customdata:.3f}",
        )
    figure.update_yaxes(
        categoryorder="array", categoryarray=[label(text, 34) for text in shown], autorange="reversed", automargin=True
    )
    figure.update_xaxes(title=f"change of {label(spread.measure)} from the conventions in use", tickformat="+.2~f")
    figure = lay_out(figure, 130 + 32 * max(1, len(shown)))
    if not shown:
        return Chart(figure, f"No single change of a convention changes {spread.measure} of any system.")
    top = rows.loc[rows["size"].idxmax()]
    alt = (
        f"Effect of {len(shown)} single changes of a convention on {spread.measure}; the largest: {top['named']} "
        f"changes {top['system']} by {top['change']:+.3f}."
    )
    left = len(effective) - len(shown)
    return Chart(figure, alt + (f" {left} smaller ones are in the table." if left else ""))
