"""Turn concordance counts into the table with margins, and into kappa as the universe grows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import GREY, Chart, label, lay_out, looks
from kp_core.scoring.baselines import BASELINES
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.measures.concordance import positive, table
from kp_core.words.statements import number


def concordance(cells: Mapping[str, float]) -> pd.DataFrame:
    """Return the table of cells a, b, c, d with its margins; rows are the gold standard, columns the system.

    >>> concordance({"a": 40, "b": 9, "c": 6, "d": 45}).iloc[2].tolist()
    ['total', 'g₁ = 46', 'g₂ = 54', 'N = 100']
    """
    a, b, c, d = (cells[name] for name in "abcd")
    rows = [
        ("gold standard: yes", ("a", a), ("b", b), ("f₁", a + b)),
        ("gold standard: no", ("c", c), ("d", d), ("f₂", c + d)),
        ("total", ("g₁", a + c), ("g₂", b + d), ("N", a + b + c + d)),
    ]
    columns = ["", "system: yes", "system: no", "total"]
    shown = [[row[0], *(f"{symbol} = {_count(value)}" for symbol, value in row[1:])] for row in rows]
    return pd.DataFrame(shown, columns=columns)


def _count(value: float) -> str:
    """Print a count; that of the random baseline is an expectation and no whole number."""
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-9 else f"{value:,.1f}"


#: Measure → its limit as the universe grows, as a function of the table; None where that is 1.
LIMITS = {"kappa": positive, "pi": positive, "PABAK": None, "P_neg": None, "AC1": None}


def against_universe(cells: Mapping[str, Mapping[str, float]], measure: str = "kappa", height: int = 420) -> Chart:
    """Draw a measure of each system as d grows while a, b and c stay: kappa rises to P_pos, PABAK and P_neg to 1.

    cells: system → a, b, c, d, N. The large symbol is the universe in use, the dotted line the limit.
    """
    figure, drawn, said = go.Figure(), looks(cells), list[str]()
    score, limit_of = MEASURES[measure].score, LIMITS[measure]
    for name, found in cells.items():
        a, b, c, d = (float(found[letter]) for letter in "abcd")
        chosen, n = a + b + c, a + b + c + d
        if not chosen or name in BASELINES:
            continue
        look, sizes = drawn[name], np.geomspace(max(chosen, 1.0), 100 * max(n, 1.0), 120)
        ones = np.ones_like(sizes)
        values, used = score(table(a * ones, b * ones, c * ones, sizes - chosen)), float(score(table(a, b, c, d)))
        limit = float(limit_of(table(a, b, c, d))) if limit_of else 1.0
        curve = {"color": look.colour, "dash": look.dash, "width": 2}
        big = {"symbol": look.symbol, "size": 12, "color": look.colour, "line": {"width": 1, "color": "white"}}
        edge = {"color": look.colour, "width": 1, "dash": "dot"}
        parts: list[dict[str, Any]] = [
            {
                "x": sizes,
                "y": values,
                "mode": "lines",
                "line": curve,
                "hovertemplate": "N = %{x:,.0f}: " + measure + " %{y:.3f}",
            },
            {
                "x": [n],
                "y": [used],
                "mode": "markers",
                "marker": big,
                "showlegend": False,
                "hovertemplate": "N in use = %{x:,.0f}: " + measure + " %{y:.3f}",
            },
            {
                "x": [sizes[-1] / 8, sizes[-1]],
                "y": [limit, limit],
                "mode": "lines",
                "line": edge,
                "showlegend": False,
                "hovertemplate": "limit %{y:.3f}",
            },
        ]
        for part in parts:
            figure.add_scatter(name=label(name), legendgroup=name, **part)
        said.append(f"{name} has {number(used)} at the universe in use and {number(limit)} in the limit")
    figure.add_hline(y=0, line={"color": GREY, "width": 1})
    figure.update_xaxes(title="phrases in the universe N, all documents", type="log", tickformat=",", dtick=1)
    figure.update_yaxes(title=measure, tickformat=".2~f")
    alt = f"{measure} against the size of the universe on a logarithmic axis"
    return Chart(lay_out(figure, height), f"{alt}: {'; '.join(said)}." if said else f"{alt}.")
