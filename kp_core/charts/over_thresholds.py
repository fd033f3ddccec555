"""Turn scores on trimmed gold standards into curves over the threshold, and a tree of the study into a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from kp_core.charts.pieces import axis, band_of, curve_of, dotted, laid_out, line_of, plain, upright
from kp_core.charts.selection import of_yes, where
from kp_core.charts.style import COLOURS, GREY, Chart, Look, Part, label, looks
from kp_core.studies.sentence_study.protocol import LEAD, MAJORITY, NULL, RANDOM, TREE, Node, SentenceStudy
from kp_core.typeset import say

_RANDOM = "rgba(136,136,136,0.22)"
_STUDY = {
    TREE: Look(COLOURS[0], "solid", "circle"),
    NULL: Look(GREY, "dot", "line-ns-open"),
    LEAD: Look(COLOURS[1], "dash", "square"),
    RANDOM: Look(COLOURS[2], "dashdot", "diamond"),
    MAJORITY: Look(COLOURS[3], "longdash", "triangle-up"),
}


def over_threshold(curve: pd.DataFrame, measure: str, system: str, threshold: float) -> Chart:
    """Draw a measure of all systems over the threshold, one system with its interval and band of random trimming.

    The lower panel has the documents and gold phrases that remain; points with too few of either are not drawn.
    """
    rows, drawn = where(curve, measure=measure, drawn=True), looks(curve["system"])
    of_system, look = where(rows, system=system), drawn[system]
    traces = band_of(of_system, "threshold", _RANDOM, ("null_low", "null_high"))
    traces += band_of(of_system, "threshold", look.band())
    references = (("null", "random trimming", "dot", GREY), ("fixed", "same documents", "dash", look.colour))
    for column, words, dash, colour in references:
        more = {"name": f"{label(look.name)}, {words}", "hovertemplate": "%{y:.3f}"}
        line = {"color": colour, "dash": dash, "width": 1.5}
        traces.append(line_of(of_system["threshold"], of_system[column], line=line, **more))
    for name, look in drawn.items():
        scores, width = where(rows, system=name), 2.5 if name == system else 1.2
        traces.append(curve_of(scores["threshold"], scores["value"], name, look, line={"width": width}))
    left = curve.drop_duplicates("threshold")
    figure = _two_panels(traces, label(measure), left, ("gold", "gold phrases left", "phrases"), threshold)
    return Chart(figure, say("over the threshold", measure=measure, system=system, rows=of_system.to_dict("records")))


def over_agreement(study: SentenceStudy, measure: str, threshold: float) -> Chart:
    """Draw a measure over the threshold for the tree (with interval), random trimming (with its draws) and baselines.

    The lower panel has the “yes” sentences and the documents that remain.
    """
    by_system = {name: where(study.frame, measure=measure, subset="all", system=name) for name in _STUDY}
    traces = band_of(by_system[NULL], "threshold", _RANDOM, ("repeat_low", "repeat_high"))
    traces += band_of(by_system[TREE], "threshold", _STUDY[TREE].band())
    for name, look in _STUDY.items():
        more = {"line": {"width": 2.5 if name == TREE else 1.5}, "mode": "lines" if name == NULL else "lines+markers"}
        traces.append(curve_of(by_system[name]["threshold"], by_system[name]["value"], name, look, **more))
    shown = of_yes(measure)
    figure = _two_panels(traces, shown, study.left, ("yes", "sentences “yes”", "sentences"), threshold)
    null = by_system[NULL].set_index("threshold")["value"]
    rows = by_system[TREE].dropna(subset="value").assign(null=lambda tree: tree["threshold"].map(null))
    return Chart(figure, say("over agreement", measure=shown, rows=rows.to_dict("records")))


def _two_panels(curves: list[Part], title: str, left: pd.DataFrame, gold: tuple[str, str, str], at: float) -> Part:
    """Return curves above the remaining data, with a mark at one threshold; gold: column, name and unit."""
    column, name, unit = gold
    bars: Part = {"type": "bar", "x": plain(left["threshold"]), "y": plain(left[column]), "name": name}
    bars |= {"marker": {"color": "rgba(136,136,136,0.5)"}, "hovertemplate": f"%{{y}} {unit}"}
    bars |= {"xaxis": "x2", "yaxis": "y2", "legendrank": 2000}
    line: Part = {"line": {"color": GREY, "width": 1.5}, "hovertemplate": "%{y} documents", "name": "documents left"}
    line |= {"mode": "lines+markers", "xaxis": "x2", "yaxis": "y3", "legendrank": 2001}
    ticks: Part = {"showgrid": False, "tickmode": "auto", "nticks": 4, "tickformat": "d"}
    words = "minimum agreement K in every document"
    axes = {
        "xaxis": axis(anchor="y", domain=[0, 0.94], matches="x2", showticklabels=False),
        "yaxis": axis(title, anchor="x", domain=[0.276 + 0.08, 1], tickformat=".2~f"),
        "xaxis2": axis(words, anchor="y2", domain=[0, 0.94]),
        "yaxis2": axis(unit, anchor="x2", domain=[0, 0.276], rangemode="tozero"),
        "yaxis3": axis("documents", anchor="x2", overlaying="y2", side="right", rangemode="tozero", **ticks),
    }
    more: Part = {"shapes": [upright(at, panel, color=GREY, width=1.5) for panel in ("", "2")], **axes}
    traces = [bars, line_of(left["threshold"], left["documents"], **line), *curves]
    return laid_out(traces, 560, hovermode="x unified", **more)


def tree(nodes: Sequence[Node]) -> Chart:
    """Draw a decision tree from left to right, one row per node."""

    def walk(i: int, depth: int) -> Iterator[tuple[int, int]]:
        yield from walk(nodes[i].below, depth + 1) if nodes[i].name else ()
        yield i, depth
        yield from walk(nodes[i].above, depth + 1) if nodes[i].name else ()

    place = {i: (depth, row) for row, (i, depth) in enumerate(walk(0, 0))}
    texts = [f"{node.condition()}?" if node.name else node.decision for node in nodes]
    words = [f" {label(text, 40)} · {node.yes}:{node.no}" for text, node in zip(texts, nodes, strict=True)]
    # A letter is about 6 pixels wide, and the drawing 560.
    room = max(depth / (1 - 6 * len(words[node]) / 560) for node, (depth, _) in place.items())
    traces = list[Part]()
    for (x, y), node in ((place[i], node) for i, node in enumerate(nodes) if node.name):
        for child, dash in ((node.below, "solid"), (node.above, "dot")):
            end, side = place[child]
            more: Part = {"line": {"color": GREY, "width": 1.5, "dash": dash}, "hoverinfo": "skip", "showlegend": False}
            traces.append(line_of([x, x, end], [y, side, side], **more))
    beside: Part = {"mode": "markers+text", "textposition": "middle right", "cliponaxis": False, "hoverinfo": "text"}
    symbols = {"yes": (COLOURS[0], "square"), "no": (GREY, "circle"), "question": (COLOURS[1], "diamond")}
    for kind, look in symbols.items():
        chosen = [i for i, node in enumerate(nodes) if ("question" if node.name else node.decision) == kind]
        depths, rows = ([place[i][side] for i in chosen] for side in (0, 1))
        traces.append(dotted(depths, rows, *look, **beside, name=kind, text=[words[i] for i in chosen]))
    across, down = (axis(visible=False, range=ends) for ends in ([-0.1, max(1.0, room)], [len(nodes) - 0.4, -0.6]))
    leaves = [node.decision for node in nodes if not node.name]
    root = nodes[0].condition() if nodes[0].name else ""
    alt = say("decision tree", leaves=len(leaves), yes=leaves.count("yes"), root=root)
    return Chart(laid_out(traces, 90 + 27 * len(nodes), across, down), alt)
