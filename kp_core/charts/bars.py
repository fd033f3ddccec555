"""Turn a result into horizontal bars with intervals, one a system, for measures that have no curve over k."""

from __future__ import annotations

import plotly.graph_objects as go

from kp_core.charts.style import GREY, ORACLE, REFERENCES, Chart, label, labels, lay_out, looks, rows_of
from kp_core.studies.result import Result
from kp_core.words.statements import number


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
            x=rows["value"],
            y=names,
            orientation="h",
            showlegend=False,
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
            marker={"color": [drawn[name].colour for name in rows["system"]], "opacity": 0.75},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": rows["high"] - rows["value"],
                "arrayminus": rows["value"] - rows["low"],
                "thickness": 1.5,
                "width": 5,
                "color": GREY,
            },
        )
    )
    ends = rows["high"].fillna(rows["value"]).clip(lower=rows["value"])
    values = go.Scatter(
        x=ends,
        y=names,
        mode="text",
        text=[f" {number(value, 3)}" for value in rows["value"]],
        textposition="middle right",
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
    figure.add_trace(values)
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(title=label(rows["measure"].iloc[0] if len(rows) else measure), rangemode="tozero")
    figure.update_layout(bargap=0.35)
    said = "; ".join(f"{name} {number(value)}" for name, value in zip(rows["system"], rows["value"], strict=True))
    alt = f"{measure} as bars with 95 % intervals: {said}." if said else f"{measure} is undefined for every system."
    figure = lay_out(figure, 90 + 44 * max(1, len(rows)))
    return Chart(figure.update_layout(margin={"r": 60}), alt)


def by_part(result: Result) -> Chart:
    """Draw one measure of each system for the parts of the data as points with intervals; one row a part."""
    rows = result.frame[result.frame["subset"] != "all"]
    parts = list(dict.fromkeys(rows["subset"]))
    names = labels(part.partition(":")[2] for part in parts)
    drawn, figure = looks(rows["system"]), go.Figure()
    for step, (name, look) in enumerate(drawn.items()):
        own = rows[rows["system"] == name].set_index("subset").reindex(parts)
        shift = min(0.12, 0.8 / len(drawn)) * (step - (len(drawn) - 1) / 2)
        figure.add_scatter(
            x=own["value"],
            y=[place + shift for place in range(len(parts))],
            mode="markers",
            name=label(name),
            marker={"color": look.colour, "symbol": look.symbol, "size": 9},
            hovertemplate="%{x:.3f}",
            error_x={
                "type": "data",
                "symmetric": False,
                "array": own["high"] - own["value"],
                "arrayminus": own["value"] - own["low"],
                "thickness": 1.2,
                "width": 3,
                "color": look.colour,
            },
        )
    figure.update_yaxes(tickvals=list(range(len(parts))), ticktext=names, autorange="reversed", automargin=True)
    measure = label(rows["measure"].iloc[0]) if len(rows) else ""
    figure.update_xaxes(title=measure, rangemode="tozero")
    said = "; ".join(
        f"{part.partition(':')[2]}: " + ", ".join(f"{row['system']} {number(row['value'])}" for row in own)
        for part in parts
        if (own := rows[rows["subset"] == part].to_dict("records"))
    )
    figure = lay_out(figure, 130 + max(60, 15 * len(drawn)) * len(parts))
    return Chart(figure, f"{measure} by part of the data: {said}.")
