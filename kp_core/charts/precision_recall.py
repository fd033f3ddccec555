"""Turn a result into precision against recall: one point a cutoff, one line a system."""

from __future__ import annotations

import plotly.graph_objects as go

from kp_core.charts.style import Chart, label, lay_out, looks, over_numbers
from kp_core.scoring.baselines import BASELINES
from kp_core.studies.result import Result
from kp_core.words.statements import number


def precision_recall(result: Result, cutoff: int | str | None = None, height: int = 420) -> Chart:
    """Draw P@k against R@k as k grows; a large symbol marks the cutoff in use."""
    precision, recall = over_numbers(result, "P@k"), over_numbers(result, "R@k")
    figure, said = go.Figure(), list[str]()
    for name, look in looks(precision).items():
        if name in BASELINES:
            continue
        rows = precision[name][["k", "value"]].merge(recall[name][["k", "value"]], on="k", suffixes=("_p", "_r"))
        at = rows[rows["k"] == cutoff]
        words = "k = %{customdata}: recall %{x:.3f}, precision %{y:.3f}"
        common = {"name": label(name), "legendgroup": name, "hovertemplate": words}
        line = {"color": look.colour, "dash": look.dash, "width": 2}
        figure.add_scatter(
            x=rows["value_r"],
            y=rows["value_p"],
            customdata=rows["k"],
            mode="lines+markers",
            line=line,
            marker={"symbol": look.symbol, "size": 4},
            **common,
        )
        big = {"symbol": look.symbol, "size": 14, "color": look.colour, "line": {"width": 1, "color": "white"}}
        figure.add_scatter(
            x=at["value_r"], y=at["value_p"], customdata=at["k"], mode="markers", marker=big, showlegend=False, **common
        )
        if len(at):
            p, r = float(at["value_p"].iloc[0]), float(at["value_r"].iloc[0])
            said.append(f"{name} precision {number(p)} and recall {number(r)}")
    figure.update_xaxes(title="recall R@k", rangemode="tozero", tickformat=".2~f")
    figure.update_yaxes(title="precision P@k", rangemode="tozero", tickformat=".2~f")
    alt = "Precision against recall as k grows, one line a system"
    return Chart(lay_out(figure, height), f"{alt}; at k = {cutoff}: {'; '.join(said)}." if said else f"{alt}.")
