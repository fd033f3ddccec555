"""Turn a study of sentence extracts into curves, a drawn tree, a map of attributes, and tables for the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.screen_tables import interval
from kp_core.charts.style import COLOURS, GREY, Chart, label, lay_out
from kp_core.charts.trimming_charts import band, two_panels, what_is_left
from kp_core.studies.sentence_study.attributes import ATTRIBUTES
from kp_core.studies.sentence_study.protocol import LEAD, MAJORITY, NULL, RANDOM, TREE
from kp_core.studies.sentence_study.thresholds import MEASURES, SentenceStudy
from kp_core.studies.sentence_study.trees import Node
from kp_core.words.statements import number

_BLUE, _ORANGE = COLOURS[0], COLOURS[1]
#: System → colour, dash, width, symbol.
_LOOKS = {
    TREE: (_BLUE, "solid", 2.5, "circle"),
    NULL: (GREY, "dot", 2, "line-ns-open"),
    LEAD: (_ORANGE, "dash", 1.5, "square"),
    RANDOM: (COLOURS[2], "dashdot", 1.5, "diamond"),
    MAJORITY: (COLOURS[3], "longdash", 1.5, "triangle-up"),
}


def over_agreement(study: SentenceStudy, measure: str, threshold: float) -> Chart:
    """Draw one measure over the threshold: the tree with its interval, random trimming with its draws, baselines.

    Below on the same axis: sentences that are “yes”, and documents left.
    """
    rows = study.frame[(study.frame["measure"] == measure) & (study.frame["subset"] == "all")]
    figure = two_panels()
    for system, low, high, colour in (
        (NULL, "repeat_low", "repeat_high", "rgba(136,136,136,0.22)"),
        (TREE, "low", "high", "rgba(0,114,178,0.15)"),
    ):
        band(figure, rows[rows["system"] == system], low, high, colour)
    own = {name: rows[rows["system"] == name].set_index("threshold") for name in _LOOKS}
    for name, (colour, dash, width, symbol) in _LOOKS.items():
        figure.add_scatter(
            x=own[name].index,
            y=own[name]["value"],
            mode="lines+markers" if name != NULL else "lines",
            name=name,
            line={"color": colour, "dash": dash, "width": width},
            marker={"symbol": symbol, "size": 7},
            hovertemplate="%{y:.3f}",
            row=1,
            col=1,
        )
    left = study.left
    what_is_left(figure, left["threshold"], left["yes"], left["documents"], ("sentences “yes”", "sentences"), threshold)
    figure.update_yaxes(title=_name(measure), tickformat=".2~f", row=1, col=1)
    tree, null = own[TREE]["value"].dropna(), own[NULL]["value"]
    if not len(tree):
        return Chart(lay_out(figure, 560), f"The study has no value of {_name(measure)} at any threshold.")
    first, last = tree.index[0], tree.index[-1]
    own_words = f"goes from {number(tree[first])} at {first:g} to {number(tree[last])} at {last:g}"
    random_words = f"after random trimming from {number(null[first])} to {number(null[last])}"
    alt = f"{_name(measure)} of the tree over the threshold of agreement {own_words}; {random_words}."
    return Chart(lay_out(figure, 560), alt)


def _name(measure: str) -> str:
    return measure if measure in ("accuracy", "kappa") else f"{measure} of “yes”"


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
        for child, holds in ((node.below, True), (node.above, False)) if node.name else ():
            (x, y), (end, side) = place[i], place[child]
            figure.add_scatter(
                x=[x, x, end],
                y=[y, side, side],
                mode="lines",
                hoverinfo="skip",
                showlegend=False,
                line={"color": GREY, "width": 1.5, "dash": "solid" if holds else "dot"},
            )
    for decision, colour, symbol in (("yes", _BLUE, "square"), ("no", GREY, "circle"), ("", _ORANGE, "diamond")):
        chosen = [i for i, node in enumerate(nodes) if (node.decision if not node.name else "") == decision]
        figure.add_scatter(
            x=[place[i][0] for i in chosen],
            y=[place[i][1] for i in chosen],
            mode="markers+text",
            text=[words[i] for i in chosen],
            textposition="middle right",
            cliponaxis=False,
            hoverinfo="text",
            marker={"color": colour, "symbol": symbol, "size": 10},
            name=decision or "question",
        )
    figure.update_xaxes(visible=False, range=[-0.1, max(1.0, room)])
    figure.update_yaxes(visible=False, range=[len(nodes) - 0.4, -0.6])
    leaves = [node.decision for node in nodes if not node.name]
    root = f"; it first asks whether {nodes[0].condition()}" if nodes[0].name else ""
    many = "1 leaf" if len(leaves) == 1 else f"{len(leaves)} leaves"
    alt = f"Decision tree with {many}; those that decide yes: {leaves.count('yes')}{root}"
    return Chart(lay_out(figure, 90 + 27 * len(nodes)), f"{alt}. The rules beside it say the same in words.")


def used(study: SentenceStudy) -> Chart:
    """Draw how many of the trees use each attribute at each threshold, as a heat map."""
    wide = study.used.pivot_table(index="attribute", columns="threshold", values="share", sort=False)
    text = [[f"{value:.0%}" for value in row] for row in wide.to_numpy()]
    figure = go.Figure(
        go.Heatmap(
            z=wide.to_numpy(),
            x=[f"{threshold:.2f}" for threshold in wide.columns],
            y=list(wide.index),
            text=text,
            texttemplate="%{text}",
            colorscale="Cividis",
            zmin=0,
            zmax=1,
            xgap=1,
            ygap=1,
            colorbar={"title": "trees", "thickness": 12, "tickformat": ".0%"},
            hovertemplate="%{y} at K ≥ %{x}: %{z:.0%} of the trees<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(type="category", title="agreement K, at least")
    mean = wide.mean(axis=1).sort_values(ascending=False, kind="stable")
    said = ", ".join(f"{name} {value:.0%}" for name, value in mean.items())
    return Chart(
        lay_out(figure, 110 + 32 * len(wide)), f"Share of the trees that use an attribute, on average: {said}."
    )


def finding(study: SentenceStudy, measure: str, threshold: float) -> str:
    """Say in one sentence what the tree reaches at a threshold, beside random trimming and the lead."""
    rows = study.frame[(study.frame["threshold"] == threshold) & (study.frame["subset"] == "all")]
    rows = rows[rows["measure"] == measure].set_index("system")
    if not len(rows):
        reason = study.left.set_index("threshold")["reason"][threshold]
        return f"The study does not run at K ≥ {threshold:g}: {reason}."
    own, null, lead = (rows.loc[system] for system in (TREE, NULL, LEAD))
    value = f"reaches {_name(measure)} = {number(own['value'])} (95 % interval {interval(own['low'], own['high'])})"
    if own["value"] != own["value"]:
        value = f"has no {_name(measure)}, because {own['reason']}"
    return (
        f"At K ≥ {threshold:g} the tree {value}. After random trimming to the same size a tree {_reached(null)}; the "
        f"first tenth of each text {_reached(lead)}."
    )


def _reached(row: pd.Series[Any]) -> str:
    return f"reaches {number(row['value'])}" if row["value"] == row["value"] else "has no value"


def systems(study: SentenceStudy, threshold: float) -> pd.DataFrame:
    """Return one row a system at a threshold: all measures, and the interval of F1 and of kappa."""
    rows = study.frame[(study.frame["threshold"] == threshold) & (study.frame["subset"] == "all")]
    wide = rows.pivot_table(index="system", columns="measure", values="value", sort=False, dropna=False)
    table = wide.reindex(columns=list(MEASURES)).rename_axis(columns=None)
    for measure in ("F1", "kappa"):
        own = rows[rows["measure"] == measure].set_index("system").reindex(table.index)
        bounds = [interval(low, high) for low, high in zip(own["low"], own["high"], strict=True)]
        table.insert(list(table.columns).index(measure) + 1, f"{measure}, 95 % interval", bounds)
    return table.reset_index()


def types(study: SentenceStudy, measure: str, threshold: float) -> pd.DataFrame:
    """Return one row a document type at a threshold: the tree with its interval, random trimming, the lead."""
    rows = study.frame[(study.frame["threshold"] == threshold) & (study.frame["measure"] == measure)]
    found = []
    for subset in dict.fromkeys(rows.loc[rows["subset"] != "all", "subset"]):
        own = rows[rows["subset"] == subset].set_index("system")
        value, null, lead = (float(own["value"][system]) for system in (TREE, NULL, LEAD))
        bounds = interval(own["low"][TREE], own["high"][TREE])
        found.append((subset.partition(":")[2], value, bounds, null, lead))
    return pd.DataFrame(found, columns=["document type", "tree", "95 % interval", "random trimming", "lead"])


def definitions() -> pd.DataFrame:
    """Return one row an attribute: what it is, and what of it is assumed."""
    rows = [(name, what, assumed or "–") for name, (what, assumed) in ATTRIBUTES.items()]
    return pd.DataFrame(rows, columns=["attribute", "what it is", "assumed here"])
