"""Turn values over k, over the universe or over views into curves: one line a system, its interval as a band."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from kp_core.charts.selection import VIEWS, over_numbers
from kp_core.charts.style import (
    GREY,
    ORACLE,
    REFERENCES,
    TEXT,
    Chart,
    Look,
    add_band,
    add_curve,
    label,
    labels,
    lay_out,
    looks,
)
from kp_core.errors import counted
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.measures.concordance import positive, table
from kp_core.scoring.systems import BASELINES
from kp_core.studies.result import Result
from kp_core.studies.soft import SoftResult
from kp_core.studies.stability import Stability
from kp_core.typeset import highest, listed, number

#: How one point of a curve is marked: the cutoff or the universe in use.
_IN_USE = {"mode": "markers", "marker_line": {"width": 1, "color": "white"}, "showlegend": False}


@dataclass(frozen=True)
class Marks:
    """Cutoffs to mark on the axis: the one in use, the average gold size, and where the lists of each system end."""

    cutoff: int | str | None = None
    average: int | None = None
    ends: Mapping[str, int] = field(default_factory=dict)

    def labels(self, last: int) -> list[tuple[int, str, str]]:
        """Return cutoff, words and dash of every mark within the axis; one mark where two coincide."""
        words: dict[int, list[str]] = {}
        if isinstance(self.cutoff, int):
            words[self.cutoff] = [f"k = {self.cutoff}"]
        if self.average is not None:
            words.setdefault(self.average, []).append("average gold size")
        if self.ends:
            first, end = min(self.ends.items(), key=lambda one: one[1])
            words.setdefault(end, []).append(f"lists of {label(first, 16)} end")
        marks = [(k, ", ".join(said), "solid" if k == self.cutoff else "dot") for k, said in sorted(words.items())]
        return [mark for mark in marks if mark[0] <= last]


def over_k(result: Result | SoftResult, measures: str | Sequence[str], marks: Marks | None = None) -> Chart:
    """Draw a measure over k, every system named at its end; several measures stand one panel below the other.

    A line is pale from where the longest list of its system ends.
    """
    names, marks = [measures] if isinstance(measures, str) else measures, marks or Marks()
    panels = {measure: over_numbers(result, measure) for measure in names}
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.16 / len(panels))
    for row, (measure, systems) in enumerate(panels.items(), 1):
        for name, rows in systems.items():
            _add_system(figure, name, rows, looks(systems)[name], row, marks.ends.get(name))
        figure.update_yaxes(title=label(measure), tickformat=".3~f", row=row, col=1)
    if len(panels) > 1:
        figure.update_yaxes(nticks=5)
    last = max(map(_last, panels.values()), default=1)
    top = _mark(figure, marks.labels(last), last, len(panels))
    figure.update_xaxes(range=[0.5, last + 0.5], tickvals=[1, *range(5, last + 1, 5)])
    figure.update_xaxes(title="number of phrases k", row=len(panels), col=1)
    figure.update_layout(hovermode="x unified")
    alt = " ".join(in_words(systems, measure, marks) for measure, systems in panels.items())
    lay_out(figure, height := max(400, 210 * len(panels) + 100), top)
    room = 0
    for row, systems in enumerate(panels.values(), 1):
        room = max(room, _name_ends(figure, systems, row, (height - top - 90) / len(panels)))
    return Chart(figure.update_layout(margin_r=room), alt)


def _last(systems: dict[str, pd.DataFrame]) -> int:
    return max((int(rows["k"].max()) for rows in systems.values()), default=1)


def _add_system(figure: go.Figure, name: str, rows: pd.DataFrame, look: Look, row: int, end: int | None) -> None:
    visible = "legendonly" if name == ORACLE else True
    common: dict[str, Any] = {"row": row, "col": 1, "legendgroup": name, "visible": visible}
    if name not in BASELINES:
        add_band(figure, rows, "k", look.band(), **common)
    mode, width = "lines" if name in REFERENCES else "lines+markers", 1.5 if name in BASELINES else 2
    named = row == 1 and name in REFERENCES
    more = {"mode": mode, "line_width": width, "marker_maxdisplayed": 10, "showlegend": named}
    parts = [(rows, 1.0)] if end is None else [(rows[rows["k"] <= end], 1.0), (rows[rows["k"] >= end], 0.35)]
    for part, opacity in parts:
        if len(part):
            add_curve(figure, part["k"], part["value"], name, look, opacity=opacity, **common, **more)


#: Pixels between the names of two lines that end close to each other, and for a letter of a name.
_LINE, _LETTER = 15, 7


def _name_ends(figure: go.Figure, systems: Mapping[str, pd.DataFrame], row: int, height: float) -> int:
    """Write the name of each system at the end of its line, none over another; return the room to the right."""
    drawn = looks(systems)
    known = {name: rows[rows["value"].notna()] for name, rows in systems.items() if name not in REFERENCES}
    ends = {name: rows.iloc[-1] for name, rows in known.items() if len(rows)}
    if not ends:
        return 12
    low = min(float(rows[["value", "low"]].min().min()) for rows in known.values() if len(rows))
    high = max(float(rows[["value", "high"]].max().max()) for rows in known.values() if len(rows))
    pixel = (high - low) / max(height, 1) or 1.0
    below, shown = float("-inf"), dict(zip(ends, labels(ends, 16), strict=True))
    for name in sorted(ends, key=lambda one: float(ends[one]["value"])):
        value = float(ends[name]["value"])
        place = max(value / pixel, below + _LINE)
        below = place
        figure.add_annotation(
            x=ends[name]["k"],
            y=value,
            yshift=place - value / pixel,
            xshift=6,
            xanchor="left",
            showarrow=False,
            text=shown[name],
            font={"size": 12, "color": drawn[name].colour},
            row=row,
            col=1,
        )
    return 16 + _LETTER * max(min(16, len(name)) for name in ends)


def _mark(figure: go.Figure, labels: Sequence[tuple[int, str, str]], last: int, panels: int) -> int:
    """Draw the marks, each label in a row of its own so that none covers another; return the room they need."""
    for step, (k, words, dash) in enumerate(labels):
        ends, line = {"x0": k, "x1": k, "y0": 0, "y1": 1}, {"color": GREY, "width": 1.5, "dash": dash}
        for axis in ["", *range(2, panels + 1)]:  # `add_vline` looks through all panels, which takes 40 ms a line
            figure.add_shape(type="line", line=line, xref=f"x{axis}", yref=f"y{axis} domain", **ends)
        place = {"x": k, "y": 1, "yref": "paper", "yanchor": "bottom", "yshift": 15 * step}
        side, font = "left" if k < last / 2 else "right", {"size": 12, "color": TEXT}
        figure.add_annotation(text=words, showarrow=False, xanchor=side, font=font, **place)
    return 12 + 15 * len(labels)


def in_words(systems: dict[str, pd.DataFrame], measure: str, marks: Marks) -> str:
    """Say what a curve over k shows: who is highest and lowest at the cutoff in use."""
    own = {name: rows for name, rows in systems.items() if name not in REFERENCES}
    text = f"{measure} over k from 1 to {_last(systems)}, one line for each of {counted(len(own), 'system')}"
    at = {name: rows.loc[rows["k"] == marks.cutoff, "value"].dropna() for name, rows in own.items()}
    values = {name: float(value.iloc[0]) for name, value in at.items() if len(value)}
    if not values:
        return f"{text}."
    best, worst = highest(values), min(values, key=lambda name: values[name])
    text += f"; at k = {marks.cutoff}, {listed(best)} {'is' if len(best) == 1 else 'are'} highest with "
    text += number(values[best[0]])
    return f"{text}, {worst} lowest with {number(values[worst])}." if worst not in best else f"{text}."


def precision_recall(result: Result, cutoff: int | str | None = None) -> Chart:
    """Draw P@k against R@k as k grows; a large symbol marks the cutoff in use."""
    precision, recall = over_numbers(result, "P@k"), over_numbers(result, "R@k")
    figure, said, drawn = go.Figure(), list[str](), looks(precision)
    hover = "k = %{customdata}: recall %{x:.3f}, precision %{y:.3f}"
    for name in (name for name in drawn if name not in BASELINES):
        rows = precision[name][["k", "value"]].merge(recall[name][["k", "value"]], on="k")
        rows = rows.set_axis(["k", "p", "r"], axis=1)
        at, look = rows[rows["k"] == cutoff], drawn[name]
        add_curve(figure, rows["r"], rows["p"], name, look, marker_size=4, customdata=rows["k"], hovertemplate=hover)
        more = {"marker_size": 14, "customdata": at["k"], "hovertemplate": hover} | _IN_USE
        add_curve(figure, at["r"], at["p"], name, look, **more)
        values = zip(at["p"], at["r"], strict=True)
        said += [f"{name} precision {number(p)} and recall {number(r)}" for p, r in values]
    figure.update_xaxes(title="recall R@k", rangemode="tozero", tickformat=".2~f")
    figure.update_yaxes(title="precision P@k", rangemode="tozero", tickformat=".2~f")
    alt = "Precision against recall as k grows, one line a system"
    return Chart(lay_out(figure, 420), f"{alt}; at k = {cutoff}: {'; '.join(said)}." if said else f"{alt}.")


#: Measure → its limit as the universe grows, as a function of the table; None where that is 1.
LIMITS = {"kappa": positive, "pi": positive, "PABAK": None, "P_neg": None, "AC1": None}


def against_universe(cells: Mapping[str, Mapping[str, float]], measure: str = "kappa", height: int = 420) -> Chart:
    """Draw a measure of each system as d grows while a, b and c stay: kappa rises to P_pos, PABAK and P_neg to 1.

    cells: system → a, b, c, d, N. The large symbol is the universe in use, the dotted line the limit.
    """
    figure, drawn, said = go.Figure(), looks(cells), list[str]()
    score, limit_of = MEASURES[measure].score, LIMITS[measure]
    for name, counts in cells.items():
        a, b, c, d = (float(counts[letter]) for letter in "abcd")
        chosen, n, look = a + b + c, a + b + c + d, drawn[name]
        if not chosen or name in BASELINES:
            continue
        sizes = np.geomspace(max(chosen, 1.0), 100 * max(n, 1.0), 120)
        ones = np.ones_like(sizes)
        values, used = score(table(a * ones, b * ones, c * ones, sizes - chosen)), float(score(table(a, b, c, d)))
        limit = float(limit_of(table(a, b, c, d))) if limit_of else 1.0
        hover = ": " + measure + " %{y:.3f}"
        add_curve(figure, sizes, values, name, look, mode="lines", hovertemplate="N = %{x:,.0f}" + hover)
        hover = "N in use = %{x:,.0f}" + hover
        add_curve(figure, [n], [used], name, look, marker_size=12, hovertemplate=hover, **_IN_USE)
        dotted = {"mode": "lines", "line_dash": "dot", "line_width": 1, "showlegend": False}
        end = [sizes[-1] / 8, sizes[-1]]
        add_curve(figure, end, [limit, limit], name, look, hovertemplate="limit %{y:.3f}", **dotted)
        said.append(f"{name} has {number(used)} at the universe in use and {number(limit)} in the limit")
    figure.add_hline(y=0, line={"color": GREY, "width": 1})
    figure.update_xaxes(title="phrases in the universe N, all documents", type="log", tickformat=",", dtick=1)
    figure.update_yaxes(title=measure, tickformat=".2~f")
    alt = f"{measure} against the size of the universe on a logarithmic axis"
    return Chart(lay_out(figure, height), f"{alt}: {'; '.join(said)}." if said else f"{alt}.")


def rank_chart(stability: Stability) -> Chart:
    """Draw the rank of each system in each view, the best on top, each line named at its end."""
    frame, views = stability.frame, stability.views
    drawn, figure = looks(frame["system"]), go.Figure()
    shown, ends = list(range(len(views))), dict[float, list[str]]()
    hover = "rank %{y:g}, value %{customdata:.3f}"
    for name, look in drawn.items():
        own = frame[frame["system"] == name]
        more = {"customdata": own["value"], "hovertemplate": hover, "showlegend": False}
        add_curve(figure, shown, own["rank"], name, look, line_width=2.5, marker_size=11, **more)
        for rank in own["rank"].tail(1).dropna():
            ends.setdefault(float(rank), []).append(name)
    longest = 0
    for rank, names in ends.items():  # systems that tie end in one point, and so share a label
        text = ", ".join(label(name, 20) for name in names)
        if len(names) > 1 and len(text) > 24:  # it must leave room for the lines
            text = counted(len(names), "system")
        longest, font = max(longest, len(text)), {"color": drawn[names[0]].colour} if len(names) == 1 else None
        place = {"x": shown[-1], "y": rank, "xanchor": "left", "xshift": 12}
        figure.add_annotation(text=text, showarrow=False, font=font, **place)
    figure.update_yaxes(title="rank", range=[len(drawn) + 0.5, 0.5], dtick=1, zeroline=False)
    figure.update_xaxes(tickvals=shown, ticktext=[label(view, 34) for view in views], automargin=True, zeroline=False)
    lay_out(figure, 130 + 42 * max(2, len(drawn))).update_layout(margin={"r": 24 + 7 * longest})
    alt = f"Rank of {counted(len(drawn), 'system')} under {len(views)} {VIEWS[stability.by]}. {_leaders(stability)}"
    return Chart(figure, alt)


def _leaders(stability: Stability) -> str:
    """Say who is first, and whether always; systems that share the first place are named together."""
    ranked = stability.frame[stability.frame["rank"].notna()]
    if ranked.empty:
        return "No system has a value."
    top = ranked[ranked["rank"] == ranked.groupby("view")["rank"].transform("min")]
    leaders = Counter(tuple(own) for _, own in top.groupby("view", sort=False)["system"])
    (often, views), *others = leaders.most_common(2)
    text = f"{listed(often)} {'is' if len(often) == 1 else 'are'} first under {views} of them"
    return f"{text}, {listed(others[0][0])} under {others[0][1]}." if others else f"{text}."
