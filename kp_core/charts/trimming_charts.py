"""Turn scores on trimmed gold standards into curves over the threshold, with what is left of the gold below."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from kp_core.charts.style import GREY, Chart, label, lay_out, looks
from kp_core.words.statements import number


def over_threshold(curve: pd.DataFrame, measure: str, system: str, threshold: float) -> Chart:
    """Draw one measure of all systems over the threshold; one system with its interval and its random-trim band.

    Below on the same axis: documents and gold phrases left. Points with too few of either are not drawn.
    """
    rows = curve[(curve["measure"] == measure) & curve["drawn"]]
    figure = two_panels()
    drawn = looks(dict.fromkeys(curve["system"]))
    for name, look in drawn.items():
        own = rows[rows["system"] == name]
        if name == system:
            band(figure, own, "null_low", "null_high", "rgba(136,136,136,0.22)")
            band(figure, own, "low", "high", look.band())
            for column, words, dash in (("null", "random trimming", "dot"), ("fixed", "same documents", "dash")):
                figure.add_scatter(
                    x=own["threshold"],
                    y=own[column],
                    mode="lines",
                    name=f"{label(name)}, {words}",
                    row=1,
                    col=1,
                    line={"color": GREY if column == "null" else look.colour, "dash": dash, "width": 1.5},
                    hovertemplate="%{y:.3f}",
                )
        figure.add_scatter(
            x=own["threshold"],
            y=own["value"],
            mode="lines+markers",
            name=label(name),
            row=1,
            col=1,
            line={"color": look.colour, "dash": look.dash, "width": 2.5 if name == system else 1.2},
            marker={"symbol": look.symbol, "size": 7},
            hovertemplate="%{y:.3f}",
        )
    left = curve.drop_duplicates("threshold")
    what_is_left(
        figure, left["threshold"], left["gold"], left["documents"], ("gold phrases left", "phrases"), threshold
    )
    figure.update_yaxes(title=label(measure), tickformat=".2~f", row=1, col=1)
    return Chart(lay_out(figure, 560), _words(rows[rows["system"] == system], measure, system))


def two_panels() -> go.Figure:
    """Return an empty figure over thresholds: curves above, what is left of the gold standard below."""
    return make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.08,
        row_heights=[0.7, 0.3],
        specs=[[{}], [{"secondary_y": True}]],
    )


def what_is_left(
    figure: go.Figure, thresholds: pd.Series, gold: pd.Series, documents: pd.Series, names: tuple[str, str], at: float
) -> None:
    """Fill the lower panel: bars of what is left of the gold standard (name, unit), documents, and a mark at one t."""
    name, unit = names
    figure.add_bar(
        x=thresholds,
        y=gold,
        name=name,
        row=2,
        col=1,
        hovertemplate=f"%{{y}} {unit}",
        marker={"color": "rgba(136,136,136,0.5)"},
    )
    figure.add_scatter(
        x=thresholds,
        y=documents,
        mode="lines+markers",
        name="documents left",
        row=2,
        col=1,
        secondary_y=True,
        line={"color": GREY, "width": 1.5},
        hovertemplate="%{y} documents",
    )
    figure.add_vline(x=at, line={"color": GREY, "width": 1.5})
    figure.update_xaxes(title="agreement K that is left in every document, at least", row=2, col=1)
    figure.update_yaxes(title=unit, rangemode="tozero", row=2, col=1, secondary_y=False)
    figure.update_yaxes(
        title="documents",
        rangemode="tozero",
        row=2,
        col=1,
        secondary_y=True,
        showgrid=False,
        tickmode="auto",
        nticks=4,
        tickformat="d",
    )
    figure.update_layout(hovermode="x unified")


def band(figure: go.Figure, rows: pd.DataFrame, low: str, high: str, colour: str) -> None:
    """Draw an interval over the column threshold in the upper panel, where there is one."""
    rows = rows[rows[low].notna()]
    if len(rows):
        figure.add_scatter(
            x=pd.concat([rows["threshold"], rows["threshold"].iloc[::-1]]),
            row=1,
            col=1,
            y=pd.concat([rows[high], rows[low].iloc[::-1]]),
            fill="toself",
            fillcolor=colour,
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )


def _words(rows: pd.DataFrame, measure: str, system: str) -> str:
    text = f"{measure} of the systems over the threshold of agreement"
    if not len(rows):
        return f"{text}; too little of the gold standard is left to draw."
    first, last = rows.iloc[0], rows.iloc[-1]
    return (
        f"{text}; {system} goes from {number(first['value'])} at {first['threshold']:g} to {number(last['value'])} at "
        f"{last['threshold']:g}, and random trimming to the same size gives {number(last['null'])} there."
    )


def left_over(curve: pd.DataFrame) -> pd.DataFrame:
    """Return one row a threshold: documents and gold phrases left, and the mean gold size."""
    left = curve.drop_duplicates("threshold")[["threshold", "documents", "gold"]].reset_index(drop=True)
    return left.assign(mean_gold=left["gold"] / left["documents"].where(left["documents"] > 0))
