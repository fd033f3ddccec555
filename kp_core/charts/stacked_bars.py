"""Turn counts into stacked bars: documents by their agreement, and predictions by their type of near miss."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import COLOURS, GREY, Chart, label, labels, lay_out
from kp_core.errors import counted
from kp_core.similarity.relation import TYPES
from kp_core.words.scales import SCALES
from kp_core.words.statements import number

#: From a hit to nothing in common: dark to pale, so that the order shows without colour too.
_SHADES = dict(zip(TYPES, ("#08519C", "#3182BD", "#6BAED6", "#9ECAE1", "#C6DBEF", "#BDBDBD"), strict=True))


def histogram(documents: pd.DataFrame, measure: str, scale: str) -> Chart:
    """Draw how many documents have which agreement, by document type, with the bands of a scale as dotted lines."""
    defined = documents[documents[measure].notna()]
    kinds, figure = [kind for kind in dict.fromkeys(defined["group"]) if kind] or [""], go.Figure()
    bins, hover = {"start": -1, "end": 1.05, "size": 0.05}, "%{y} documents with " + measure + " %{x}<extra></extra>"
    for place, kind in enumerate(kinds):
        values = defined.loc[defined["group"] == kind, measure] if len(kinds) > 1 else defined[measure]
        colour, name = COLOURS[place % len(COLOURS)], label(kind or "documents")
        figure.add_histogram(x=values, name=name, xbins=bins, marker_color=colour, hovertemplate=hover)
    low = float(np.floor(defined[measure].min() * 20) / 20) if len(defined) else 0.0
    above = {"y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "left", "textangle": -20, "showarrow": False}
    for edge, word in SCALES[scale]:
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
        hover = "%{y}, " + kind + ": %{x}<extra></extra>"
        figure.add_bar(y=names, x=counts[kind], name=kind, orientation="h", marker_color=colour, hovertemplate=hover)
    figure.update_traces(marker_line_width=0)
    figure.update_layout(barmode="stack", bargap=0.35, legend_traceorder="normal")
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(title=what)
    said = "; ".join(
        f"{row['system']}: EXACT {row['EXACT']} of {row['all']}, NONE {row['NONE']} of {row['all']}"
        for row in counts.assign(all=counts[list(TYPES)].sum(axis=1)).to_dict("records")
    )
    return Chart(lay_out(figure, 130 + 40 * len(names)), f"Types of {what} by system as stacked bars. {said}.")
