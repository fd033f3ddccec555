"""Turn the agreement of annotators into a heat map of pairs, a histogram of documents, and a dot plot of groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import COLOURS, GREY, Chart, label, labels, lay_out
from kp_core.errors import counted
from kp_core.studies.result import Result
from kp_core.words.scales import SCALES
from kp_core.words.statements import number

#: With more annotators than this the cells of the heat map are too small for figures.
_LABELLED = 12


def pair_matrix(result: Result, measure: str, annotators: Sequence[str]) -> pd.DataFrame:
    """Return agreement as a square table, annotator by annotator; pairs without a common document are missing."""
    table = pd.DataFrame(np.nan, index=list(annotators), columns=list(annotators))
    rows = result.frame[(result.frame["measure"] == measure) & (result.frame["subset"] == "all")]
    values = dict(zip(rows["system"], rows["value"], strict=True))
    for one in annotators:
        for two in annotators:
            if (value := values.get(f"{one}|{two}")) is not None:
                table.loc[one, two] = table.loc[two, one] = value
    return table


def heat_map(matrix: pd.DataFrame, measure: str, of: str = "annotators") -> Chart:
    """Draw a square table of agreement; the diagonal is empty."""
    names = labels(matrix.index)
    few = len(names) <= _LABELLED
    text = [[number(value, 2) if value == value else "" for value in row] for row in matrix.to_numpy()]
    figure = go.Figure(
        go.Heatmap(
            z=matrix.to_numpy(),
            x=names,
            y=names,
            text=text,
            texttemplate="%{text}" if few else None,
            colorscale="Cividis",
            zmin=min(0.0, float(np.nanmin(matrix.to_numpy(), initial=0.0))),
            zmax=1,
            colorbar={"title": measure, "thickness": 12},
            hovertemplate="%{y} and %{x}: %{z:.3f}<extra></extra>",
            hoverongaps=False,
            xgap=1,
            ygap=1,
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(automargin=True, type="category")
    values = matrix.to_numpy()[np.triu_indices(len(names), 1)]
    values = values[~np.isnan(values)]
    said = f", from {number(values.min())} to {number(values.max())}" if len(values) else ""
    alt = f"{measure} of {counted(len(values), 'pair')} of {of} as a heat map{said}."
    return Chart(lay_out(figure, max(260, 90 + 26 * len(names))), alt)


def histogram(documents: pd.DataFrame, measure: str, scale: str) -> Chart:
    """Draw how many documents have which agreement, by document type, with the bands of a scale as dotted lines."""
    defined = documents[documents[measure].notna()]
    figure = go.Figure()
    kinds = [kind for kind in dict.fromkeys(defined["group"]) if kind] or [""]
    for place, kind in enumerate(kinds):
        values = defined.loc[defined["group"] == kind, measure] if len(kinds) > 1 else defined[measure]
        figure.add_histogram(
            x=values,
            name=label(kind or "documents"),
            xbins={"start": -1, "end": 1.05, "size": 0.05},
            marker={"color": COLOURS[place % len(COLOURS)]},
            showlegend=len(kinds) > 1,
            hovertemplate="%{y} documents with " + measure + " %{x}<extra></extra>",
        )
    low = float(np.floor(defined[measure].min() * 20) / 20) if len(defined) else 0.0
    edges = [(edge, word) for edge, word in SCALES[scale] if edge > low]
    for edge, word in edges:
        figure.add_vline(x=edge, line={"color": GREY, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=edge,
            y=1,
            yref="paper",
            yanchor="bottom",
            xanchor="left",
            text=word,
            showarrow=False,
            font={"size": 11, "color": GREY},
            textangle=-20,
        )
    figure.update_layout(barmode="stack", bargap=0.05)
    top = 1.05 if len(defined) and defined[measure].max() > 1 - 1e-9 else 1
    figure.update_xaxes(title=measure, range=[min(low, 0.0), top])
    figure.update_yaxes(title="documents", tickformat="d")
    middle = number(float(defined[measure].median())) if len(defined) else "undefined"
    alt = f"{measure} of {counted(len(defined), 'document')} as a histogram; the median is {middle}."
    return Chart(lay_out(figure, 320, top=40), alt)


def groups(result: Result, measure: str) -> Chart:
    """Draw a measure of all annotators together for each document type, with intervals."""
    rows = result.frame[(result.frame["measure"] == measure) & (result.frame["system"] == "all")]
    rows = rows.drop_duplicates("subset")
    names = labels("all documents" if one == "all" else one.removeprefix("group:") for one in rows["subset"])
    error = {
        "type": "data",
        "symmetric": False,
        "array": rows["high"] - rows["value"],
        "arrayminus": rows["value"] - rows["low"],
        "thickness": 1.5,
        "width": 5,
        "color": GREY,
    }
    figure = go.Figure(
        go.Scatter(
            x=rows["value"],
            y=names,
            mode="markers",
            error_x=error,
            showlegend=False,
            marker={"size": 10, "color": [GREY if subset == "all" else COLOURS[0] for subset in rows["subset"]]},
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(title=measure, rangemode="tozero")
    said = "; ".join(f"{name} {number(value)}" for name, value in zip(names, rows["value"], strict=True))
    return Chart(lay_out(figure, 100 + 44 * len(rows)), f"{measure} by document type with 95 % intervals: {said}.")
