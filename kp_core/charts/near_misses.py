"""Turn near misses into stacked bars: how the predictions of each system, or gold entries, relate to the other side."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import Chart, labels, lay_out
from kp_core.similarity.relation import TYPES

#: From a hit to nothing in common: dark to pale, so that the order shows without colour too.
_COLOURS = dict(zip(TYPES, ("#08519C", "#3182BD", "#6BAED6", "#9ECAE1", "#C6DBEF", "#BDBDBD"), strict=True))


def type_bars(counts: pd.DataFrame, what: str) -> Chart:
    """Draw how many predictions or gold entries of each system are of each type; counts: `NearMisses.counts`."""
    names = labels(counts["system"])
    figure = go.Figure()
    for kind, colour in _COLOURS.items():
        figure.add_bar(
            y=names, x=counts[kind], name=kind, orientation="h", marker={"color": colour, "line": {"width": 0}},
            hovertemplate="%{y}, " + kind + ": %{x}<extra></extra>",
        )  # fmt: skip
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(title=what)
    total = counts[list(TYPES)].sum(axis=1)
    said = "; ".join(
        f"{row['system']}: " + ", ".join(f"{kind} {row[kind]} of {of}" for kind in ("EXACT", "NONE"))
        for row, of in zip(counts.to_dict("records"), total, strict=True)
    )
    return Chart(lay_out(figure, 130 + 40 * len(names)), f"Types of {what} by system as stacked bars. {said}.")
