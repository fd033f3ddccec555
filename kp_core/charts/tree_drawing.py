"""Turn a decision tree of the sentence study into a drawing."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from kp_core.charts.builders import add_dots
from kp_core.charts.style import COLOURS, GREY, Chart, label, lay_out
from kp_core.errors import counted
from kp_core.studies.sentence_study.trees import Node


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
