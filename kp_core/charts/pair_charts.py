"""Turn a comparison of systems into a heat map of all pairs: how large each difference is, and how certain."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from kp_core.charts.style import Chart, labels, lay_out
from kp_core.studies.compare import ALPHA, Comparison
from kp_core.words.statements import number

#: With more systems than this the cells are too small for figures.
_LABELLED = 7


def pair_map(comparison: Comparison, measure: str) -> Chart:
    """Draw the difference row minus column of every pair; a star marks the significant ones. Best system first."""
    names = sorted(comparison.scores, key=lambda name: -comparison.scores[name])
    place = {name: i for i, name in enumerate(names)}
    z, p = np.full((len(names), len(names)), np.nan), np.full((len(names), len(names)), np.nan)
    for row in comparison.frame.to_dict("records"):
        i, j = place[row["a"]], place[row["b"]]
        z[i, j], z[j, i] = row["difference"], -row["difference"]
        p[i, j] = p[j, i] = row["p_adjusted"]
    significant = p < ALPHA
    text = [
        [f"{number(z[i, j], 2)}{'*' if significant[i, j] else ''}" if i != j else "" for j in range(len(names))]
        for i in range(len(names))
    ]
    largest = float(np.nanmax(np.abs(z), initial=1e-9))
    shown = labels(names, 18)
    figure = go.Figure(
        go.Heatmap(
            z=z,
            x=shown,
            y=shown,
            customdata=p,
            text=text,
            zmid=0,
            zmin=-largest,
            zmax=largest,
            xgap=1,
            ygap=1,
            texttemplate="%{text}" if len(names) <= _LABELLED else None,
            colorscale="PuOr_r",
            hoverongaps=False,
            colorbar={"title": "row minus column", "thickness": 12},
            hovertemplate="%{y} minus %{x}: %{z:.3f}, corrected p %{customdata:.4f}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(automargin=True, type="category")
    count = int(significant[np.triu_indices(len(names), 1)].sum())
    alt = (
        f"Differences in {measure} between all pairs of {len(names)} systems as a heat map; {count} of "
        f"{len(comparison.frame)} are significant."
    )
    return Chart(lay_out(figure, max(260, 100 + 34 * len(names))), alt)
