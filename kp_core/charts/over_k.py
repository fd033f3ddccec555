"""Turn a result at many cutoffs into curves over k: one line a system, its interval as a band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from kp_core.charts.style import GREY, ORACLE, REFERENCES, TEXT, Chart, Look, label, lay_out, looks, over_numbers
from kp_core.errors import counted
from kp_core.scoring.baselines import BASELINES
from kp_core.studies.result import Result
from kp_core.studies.soft import SoftResult
from kp_core.words.statements import highest, listed, number


@dataclass(frozen=True)
class Marks:
    """Cutoffs to mark on the axis: the one in use, the average gold size, and where the shortest lists end."""

    cutoff: int | str | None = None
    average: int | None = None
    shallowest: tuple[str, int] | None = None

    def labels(self, last: int) -> list[tuple[int, str, str]]:
        """Return cutoff, words and dash of every mark within the axis; one mark where two coincide."""
        words: dict[int, list[str]] = {}
        if isinstance(self.cutoff, int):
            words[self.cutoff] = [f"k = {self.cutoff}"]
        if self.average is not None:
            words.setdefault(self.average, []).append("average gold size")
        if self.shallowest is not None:
            words.setdefault(self.shallowest[1], []).append(f"lists of {label(self.shallowest[0], 16)} end")
        return [
            (k, ", ".join(said), "solid" if k == self.cutoff else "dot")
            for k, said in sorted(words.items())
            if k <= last
        ]


def over_k(result: Result | SoftResult, measure: str, marks: Marks | None = None, height: int = 420) -> Chart:
    """Draw one measure over k for all systems."""
    systems = over_numbers(result, measure)
    figure = go.Figure()
    for name, look in looks(systems).items():
        _add_system(figure, name, systems[name], look)
    last = _last(systems)
    top = _mark(figure, marks, last)
    figure.update_xaxes(title="number of phrases k", range=[0.5, last + 0.5])
    figure.update_yaxes(title=label(measure), tickformat=".2~f")
    figure.update_layout(hovermode="x unified")
    return Chart(lay_out(figure, height, top), in_words(systems, measure, marks))


def small_multiples(result: Result, measures: Sequence[str], marks: Marks | None = None, height: int = 210) -> Chart:
    """Draw several measures over k, one panel below the other, with one legend."""
    panels = {measure: over_numbers(result, measure) for measure in measures}
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.16 / len(panels))
    last = max((_last(systems) for systems in panels.values()), default=1)
    for row, (measure, systems) in enumerate(panels.items(), 1):
        for name, look in looks(systems).items():
            _add_system(figure, name, systems[name], look, row, legend=row == 1)
        figure.update_yaxes(title=label(measure), tickformat=".3~f", nticks=5, row=row, col=1)
    top = _mark(figure, marks, last, len(panels))
    figure.update_xaxes(range=[0.5, last + 0.5])
    figure.update_xaxes(title="number of phrases k", row=len(panels), col=1)
    figure.update_layout(hovermode="x unified")
    alt = " ".join(in_words(systems, measure, marks) for measure, systems in panels.items())
    return Chart(lay_out(figure, height * len(panels) + 100, top), alt)


def _last(systems: dict[str, pd.DataFrame]) -> int:
    return max((int(rows["k"].max()) for rows in systems.values()), default=1)


def _add_system(
    figure: go.Figure, name: str, rows: pd.DataFrame, look: Look, row: int = 1, legend: bool = True
) -> None:
    place = {"row": row, "col": 1} if row > 1 or not legend or figure._grid_ref is not None else {}
    shown = "legendonly" if name == ORACLE else True
    banded = rows[rows["low"].notna()]
    if len(banded) and name not in BASELINES:
        edge = pd.concat([banded["high"], banded["low"].iloc[::-1]])
        along = pd.concat([banded["k"], banded["k"].iloc[::-1]])
        band = go.Scatter(
            x=along,
            y=edge,
            fill="toself",
            fillcolor=look.band(),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
            legendgroup=name,
            visible=shown,
        )
        figure.add_trace(band, **place)
    line = go.Scatter(
        x=rows["k"],
        y=rows["value"],
        name=label(name),
        legendgroup=name,
        showlegend=legend,
        visible=shown,
        mode="lines" if name in REFERENCES else "lines+markers",
        line={"color": look.colour, "dash": look.dash, "width": 1.5 if name in BASELINES else 2},
        marker={"symbol": look.symbol, "size": 7, "maxdisplayed": 10},
        hovertemplate="%{y:.3f}",
    )
    figure.add_trace(line, **place)


def _mark(figure: go.Figure, marks: Marks | None, last: int, rows: int = 1) -> int:
    """Draw the marks, each label in a row of its own so that none covers another; return the room they need."""
    labels = marks.labels(last) if marks else []
    axes = ["", *range(2, rows + 1)]  # `add_vline` looks through all panels, which takes 40 ms a line
    lines = [
        {
            "type": "line",
            "xref": f"x{axis}",
            "yref": f"y{axis} domain",
            "x0": k,
            "x1": k,
            "y0": 0,
            "y1": 1,
            "line": {"color": GREY, "width": 1.5, "dash": dash},
        }
        for k, _, dash in labels
        for axis in axes
    ]
    said = [
        {
            "x": k,
            "y": 1,
            "xref": "x",
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": 15 * step,
            "text": words,
            "showarrow": False,
            "xanchor": "left" if k < last / 2 else "right",
            "font": {"size": 12, "color": TEXT},
        }
        for step, (k, words, _) in enumerate(labels)
    ]
    figure.update_layout(shapes=lines, annotations=said)
    return 12 + 15 * len(labels)


def in_words(systems: dict[str, pd.DataFrame], measure: str, marks: Marks | None = None) -> str:
    """Say what a curve over k shows: who is highest and lowest at the cutoff in use."""
    own = {name: rows for name, rows in systems.items() if name not in REFERENCES}
    text = f"{measure} over k from 1 to {_last(systems)}, one line for each of {counted(len(own), 'system')}"
    cutoff = marks.cutoff if marks else None
    at = {name: rows.loc[rows["k"] == cutoff, "value"] for name, rows in own.items()}
    values = {name: float(found.iloc[0]) for name, found in at.items() if len(found) and found.notna().all()}
    if not values:
        return f"{text}."
    best, worst = highest(values), min(values, key=lambda name: values[name])
    text += f"; at k = {cutoff}, {listed(best)} {'is' if len(best) == 1 else 'are'} highest with "
    text += number(values[best[0]])
    return f"{text}, {worst} lowest with {number(values[worst])}." if worst not in best else f"{text}."
