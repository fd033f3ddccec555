"""Turn a result into horizontal bars with intervals, one a system, for measures that have no curve over k."""

from __future__ import annotations

import plotly.graph_objects as go

from kp_core.charts.style import ORACLE, REFERENCES, Chart, label, labels, lay_out, looks, rows_of
from kp_core.result import Result
from kp_core.sentences import figure as number


def bars(result: Result, measure: str) -> Chart:
    """Draw the value of each system as a bar with its interval; the best stands on top, baselines below.

    Without the oracle: it would take the room from the systems, and the table beside the bars has its value.
    """
    rows = rows_of(result, measure)
    rows = rows[rows["value"].notna() & (rows["system"] != ORACLE)]
    drawn = looks(result.frame["system"])
    rows = rows.assign(last=rows["system"].isin(REFERENCES))
    rows = rows.sort_values(["last", "value"], ascending=[True, False], kind="stable")
    names = labels(rows["system"])
    figure = go.Figure(
        go.Bar(
            x=rows["value"], y=names, orientation="h", showlegend=False, hovertemplate="%{y}: %{x:.3f}<extra></extra>",
            marker={"color": [drawn[name].colour for name in rows["system"]], "opacity": 0.75},
            error_x={
                "type": "data", "symmetric": False, "array": rows["high"] - rows["value"],
                "arrayminus": rows["value"] - rows["low"], "thickness": 1.5, "width": 5, "color": "#777777",
            },
        )
    )  # fmt: skip
    ends = rows["high"].fillna(rows["value"]).clip(lower=rows["value"])
    values = go.Scatter(
        x=ends, y=names, mode="text", text=[f" {number(value, 3)}" for value in rows["value"]],
        textposition="middle right", cliponaxis=False, showlegend=False, hoverinfo="skip",
    )  # fmt: skip
    figure.add_trace(values)
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(title=label(rows["measure"].iloc[0] if len(rows) else measure), rangemode="tozero")
    figure.update_layout(bargap=0.35)
    said = "; ".join(f"{name} {number(value)}" for name, value in zip(rows["system"], rows["value"], strict=True))
    alt = f"{measure} as bars with 95 % intervals: {said}." if said else f"{measure} is undefined for every system."
    figure = lay_out(figure, 90 + 44 * max(1, len(rows)))
    return Chart(figure.update_layout(margin={"r": 60}), alt)
