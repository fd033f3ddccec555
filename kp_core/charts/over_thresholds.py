"""Turn scores on trimmed gold standards into curves over the threshold, and a tree of the study into a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from kp_core.charts.selection import of_yes
from kp_core.charts.style import COLOURS, GREY, Chart, Look, add_band, add_curve, add_dots, label, lay_out, looks
from kp_core.errors import counted
from kp_core.studies.sentence_study.protocol import LEAD, MAJORITY, NULL, RANDOM, TREE, SentenceStudy
from kp_core.studies.sentence_study.trees import Node
from kp_core.typeset import number

#: The band of random trimming.
_RANDOM = "rgba(136,136,136,0.22)"
#: Keywords of a trace in either panel.
_UPPER: dict[str, Any] = {"row": 1, "col": 1}
_LOWER: dict[str, Any] = {"row": 2, "col": 1}
_STUDY = {
    TREE: Look(COLOURS[0], "solid", "circle"),
    NULL: Look(GREY, "dot", "line-ns-open"),
    LEAD: Look(COLOURS[1], "dash", "square"),
    RANDOM: Look(COLOURS[2], "dashdot", "diamond"),
    MAJORITY: Look(COLOURS[3], "longdash", "triangle-up"),
}


def over_threshold(curve: pd.DataFrame, measure: str, system: str, threshold: float) -> Chart:
    """Draw one measure of all systems over the threshold; one system with its interval and its random-trim band.

    Below on the same axis: documents and gold phrases left. Points with too few of either are not drawn.
    """
    rows = curve[(curve["measure"] == measure) & curve["drawn"]]
    drawn = looks(curve["system"])
    own, look = rows[rows["system"] == system], drawn[system]
    figure = _two_panels(curve.drop_duplicates("threshold"), "gold", ("gold phrases left", "phrases"), threshold)
    add_band(figure, own, "threshold", _RANDOM, "null_low", "null_high", **_UPPER)
    add_band(figure, own, "threshold", look.band(), **_UPPER)
    references = (("null", "random trimming", "dot", GREY), ("fixed", "same documents", "dash", look.colour))
    for column, words, dash, colour in references:
        line, name = {"color": colour, "dash": dash, "width": 1.5}, f"{label(system)}, {words}"
        more = {"mode": "lines", "hovertemplate": "%{y:.3f}", **_UPPER}
        figure.add_scatter(x=own["threshold"], y=own[column], name=name, line=line, **more)
    for name, look in drawn.items():
        scores, width = rows[rows["system"] == name], 2.5 if name == system else 1.2
        add_curve(figure, scores["threshold"], scores["value"], name, look, line_width=width, **_UPPER)
    figure.update_yaxes(title=label(measure), tickformat=".2~f", **_UPPER)
    text = f"{measure} of the systems over the threshold of agreement"
    if not len(own):
        return Chart(lay_out(figure, 560), f"{text}; too little of the gold standard is left to draw.")
    first, last = own.iloc[0], own.iloc[-1]
    alt = (
        f"{text}; {system} goes from {number(first['value'])} at {first['threshold']:g} to {number(last['value'])} at "
        f"{last['threshold']:g}, and random trimming to the same size gives {number(last['null'])} there."
    )
    return Chart(lay_out(figure, 560), alt)


def over_agreement(study: SentenceStudy, measure: str, threshold: float) -> Chart:
    """Draw one measure over the threshold: the tree with its interval, random trimming with its draws, baselines.

    Below on the same axis: sentences that are “yes”, and documents left.
    """
    rows = study.frame[(study.frame["measure"] == measure) & (study.frame["subset"] == "all")]
    own = {name: rows[rows["system"] == name] for name in _STUDY}
    figure = _two_panels(study.left, "yes", ("sentences “yes”", "sentences"), threshold)
    add_band(figure, own[NULL], "threshold", _RANDOM, "repeat_low", "repeat_high", **_UPPER)
    add_band(figure, own[TREE], "threshold", _STUDY[TREE].band(), **_UPPER)
    for name, look in _STUDY.items():
        more = {"line_width": 2.5 if name == TREE else 1.5, "mode": "lines" if name == NULL else "lines+markers"}
        add_curve(figure, own[name]["threshold"], own[name]["value"], name, look, **more, **_UPPER)
    shown = of_yes(measure)
    figure.update_yaxes(title=shown, tickformat=".2~f", **_UPPER)
    tree, null = (own[name].set_index("threshold")["value"] for name in (TREE, NULL))
    tree = tree.dropna()
    if not len(tree):
        return Chart(lay_out(figure, 560), f"The study has no value of {shown} at any threshold.")
    first, last = tree.index[0], tree.index[-1]
    alt = (
        f"{shown} of the tree over the threshold of agreement goes from {number(tree[first])} at {first:g} to "
        f"{number(tree[last])} at {last:g}; after random trimming from {number(null[first])} to {number(null[last])}."
    )
    return Chart(lay_out(figure, 560), alt)


def _two_panels(left: pd.DataFrame, gold: str, names: tuple[str, str], at: float) -> go.Figure:
    """Return a figure for curves above, with what is left below: the column of gold, documents, and a mark at one t."""
    name, unit = names
    specs: list[list[dict[str, Any]]] = [[{}], [{"secondary_y": True}]]
    heights = {"vertical_spacing": 0.08, "row_heights": [0.7, 0.3]}
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, specs=specs, **heights)
    bars = {"marker_color": "rgba(136,136,136,0.5)", "hovertemplate": f"%{{y}} {unit}"}
    figure.add_bar(x=left["threshold"], y=left[gold], name=name, legendrank=2000, **bars, **_LOWER)
    line = {"mode": "lines+markers", "line_color": GREY, "line_width": 1.5, "hovertemplate": "%{y} documents"}
    more = {"name": "documents left", "legendrank": 2001, "secondary_y": True, **_LOWER}
    figure.add_scatter(x=left["threshold"], y=left["documents"], **line, **more)
    figure.add_vline(x=at, line={"color": GREY, "width": 1.5}, exclude_empty_subplots=False)
    figure.update_xaxes(title="agreement K that is left in every document, at least", **_LOWER)
    figure.update_yaxes(title=unit, rangemode="tozero", secondary_y=False, **_LOWER)
    ticks = {"showgrid": False, "tickmode": "auto", "nticks": 4, "tickformat": "d"}
    figure.update_yaxes(title="documents", rangemode="tozero", secondary_y=True, **ticks, **_LOWER)
    return figure.update_layout(hovermode="x unified")


def tree(nodes: Sequence[Node]) -> Chart:
    """Draw a tree from left to right; every question and every leaf has a row of its own, so that no words collide."""
    place = dict[int, tuple[int, int]]()

    def put(node: int, depth: int) -> None:
        if nodes[node].name:
            put(nodes[node].below, depth + 1)
        place[node] = (depth, len(place))
        if nodes[node].name:
            put(nodes[node].above, depth + 1)

    put(0, 0)
    words = [
        f" {label(node.condition() + '?' if node.name else node.decision, 40)} · {node.yes}:{node.no}" for node in nodes
    ]
    # A letter takes about 6 of the 560 pixels that the drawing has on a wide screen, so this much room holds all words.
    room = max(depth / (1 - 6 * len(words[node]) / 560) for node, (depth, _) in place.items())
    figure = go.Figure()
    for i, node in enumerate(nodes):
        for child, dash in ((node.below, "solid"), (node.above, "dot")) if node.name else ():
            (x, y), (end, side) = place[i], place[child]
            line = {"color": GREY, "width": 1.5, "dash": dash}
            figure.add_scatter(x=[x, x, end], y=[y, side, side], mode="lines", line=line, showlegend=False)
    figure.update_traces(hoverinfo="skip")
    for decision, colour, symbol in (
        ("yes", COLOURS[0], "square"),
        ("no", GREY, "circle"),
        ("", COLOURS[1], "diamond"),
    ):
        chosen = [i for i, node in enumerate(nodes) if (node.decision if not node.name else "") == decision]
        depths, rows = [place[i][0] for i in chosen], [place[i][1] for i in chosen]
        add_dots(figure, depths, rows, colour, symbol, name=decision or "question", text=[words[i] for i in chosen])
        figure.data[-1].update(mode="markers+text", textposition="middle right", cliponaxis=False, hoverinfo="text")
    figure.update_xaxes(visible=False, range=[-0.1, max(1.0, room)])
    figure.update_yaxes(visible=False, range=[len(nodes) - 0.4, -0.6])
    leaves = [node.decision for node in nodes if not node.name]
    root = f"; it first asks whether {nodes[0].condition()}" if nodes[0].name else ""
    size = f"Decision tree with {counted(len(leaves), 'leaf', 'leaves')}"
    alt = f"{size}; those that decide yes: {leaves.count('yes')}{root}"
    return Chart(lay_out(figure, 90 + 27 * len(nodes)), f"{alt}. The rules beside it say the same in words.")
