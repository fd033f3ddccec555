"""Turn correlations with human scores into a forest plot, a heat map of tests between measures, and tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.screen_tables import interval
from kp_core.charts.style import COLOURS, GREY, Chart, labels, lay_out
from kp_core.errors import counted
from kp_core.studies.correlation.breakdowns import exceeds_all
from kp_core.studies.correlation.correlate import SENTINELS, CorrelationStudy
from kp_core.studies.correlation.estimates import HUMAN
from kp_core.words.statements import number

_GOLD = "#A67C00"
ALPHA = 0.05


def _rows(study: CorrelationStudy, average: str, subset: str) -> pd.DataFrame:
    frame = study.frame
    rows = frame[(frame["average"] == average) & (frame["subset"] == subset) & frame["value"].notna()]
    return rows.sort_values("value", ascending=False, kind="stable")


def forest(study: CorrelationStudy, average: str, subset: str = "all") -> Chart:
    """Draw the correlation of every measure with its interval, the best on top; sentinels grey, people golden."""
    rows = _rows(study, average, subset)
    names = labels(rows["measure"])
    colours = [_GOLD if name == HUMAN else GREY if name in SENTINELS else COLOURS[0] for name in rows["measure"]]
    error = {
        "type": "data",
        "symmetric": False,
        "array": rows["high"] - rows["value"],
        "arrayminus": rows["value"] - rows["low"],
        "thickness": 1.5,
        "width": 4,
        "color": GREY,
    }
    figure = go.Figure(
        go.Scatter(
            x=rows["value"],
            y=names,
            mode="markers",
            error_x=error,
            showlegend=False,
            customdata=rows["n"],
            marker={"size": 10, "color": colours},
            hovertemplate="%{y}: %{x:.3f}, %{customdata} pairs<extra></extra>",
        )
    )
    people = rows[rows["measure"] == HUMAN]
    if len(people):
        figure.add_vline(x=float(people["value"].iloc[0]), line={"color": _GOLD, "width": 1.5, "dash": "dash"})
    figure.add_vline(x=0, line={"color": GREY, "width": 1})
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(title=f"{study.found.study.correlation} correlation with the {average} human score")
    said = "; ".join(f"{name} {number(value)}" for name, value in zip(rows["measure"], rows["value"], strict=True))
    return Chart(lay_out(figure, 110 + 27 * len(rows)), f"Correlation with human scores, {subset} pairs: {said}.")


def _cell(p: float) -> str:
    return "" if p != p else f"{number(p, 2)}{'*' if p < ALPHA else ''}"


def p_map(study: CorrelationStudy, average: str) -> Chart:
    """Draw the corrected p of every pair of measures; a star marks the significant ones."""
    p = study.found.p_matrix(average)
    order = [name for name in _rows(study, average, "all")["measure"] if name in p.index]
    p = p.loc[order, order]
    names = labels(p.index)
    values = p.to_numpy()
    text = [[_cell(value) for value in row] for row in values]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=names,
            y=names,
            text=text,
            texttemplate="%{text}" if len(names) <= 14 else None,
            zmin=0,
            zmax=1,
            colorscale="Blues_r",
            colorbar={"title": "corrected p", "thickness": 12},
            hoverongaps=False,
            xgap=1,
            ygap=1,
            hovertemplate="%{y} and %{x}: corrected p %{z:.4f}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(automargin=True, type="category", tickangle=-45)
    count = int((values[np.triu_indices(len(names), 1)] < ALPHA).sum())
    differ = counted(count, "pair differs", "pairs differ")
    alt = f"Corrected p of all pairs of {len(names)} measures as a heat map; {differ} significantly."
    return Chart(lay_out(figure, max(320, 140 + 28 * len(names))), alt)


def by_subset(frame: pd.DataFrame, average: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return correlations as a table, measures by subsets, and which cells exceed the measure's overall value."""
    rows = frame[frame["average"] == average].copy()
    rows["bold"] = exceeds_all(rows) & (rows["subset"] != "all")
    measures, subsets = list(dict.fromkeys(rows["measure"])), list(dict.fromkeys(rows["subset"]))
    wide = rows.pivot_table(index="measure", columns="subset", values="value", dropna=False, observed=True)
    wide = wide.reindex(index=measures, columns=subsets)
    bold = rows.pivot_table(index="measure", columns="subset", values="bold", aggfunc="max", fill_value=False)
    bold = bold.reindex(index=measures, columns=subsets).fillna(value=False).astype(bool)
    return wide.rename_axis(columns=None).rename_axis("measure").reset_index(), bold.reset_index(drop=True)


def overall(study: CorrelationStudy, average: str) -> pd.DataFrame:
    """Return one row a measure over all pairs, best first: value, interval, share of the ceiling, cluster, pairs."""
    frame = study.frame
    rows = frame[(frame["average"] == average) & (frame["subset"] == "all")]
    rows = rows.sort_values("value", ascending=False, kind="stable", na_position="last")
    share = study.found.ceiling
    share = share[(share["average"] == average) & (share["subset"] == "all")].set_index("measure")
    clusters = study.found.clusters.get(average, {})
    partial = study.found.partial
    partial = partial[partial["average"] == average].set_index("measure")["value"]
    return pd.DataFrame(
        {
            "measure": rows["measure"].to_numpy(),
            "correlation": rows["value"].to_numpy(),
            "95 % interval": [interval(*pair) for pair in zip(rows["low"], rows["high"], strict=True)],
            "% of human ceiling": [share["percent"].get(name, float("nan")) for name in rows["measure"]],
            "cluster": [str(clusters.get(name, "")) for name in rows["measure"]],
            "given the lengths": [partial.get(name, float("nan")) for name in rows["measure"]],
            "pairs": rows["n"].to_numpy(),
        }
    )
