"""Turn scores on trimmed gold standards into curves over the threshold."""

from __future__ import annotations

import pandas as pd

from kp_core.charts.pieces import axis, band_of, curve_of, laid_out, line_of, plain, upright
from kp_core.charts.selection import of_yes, where
from kp_core.charts.style import COLOURS, GREY, Chart, Look, Part, label, looks
from kp_core.studies.sentence_study.protocol import LEAD, MAJORITY, NULL, RANDOM, TREE, SentenceStudy
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
    """Draw a measure of all systems over the threshold, and one system with its interval and with random trimming.

    The lower panel shows how many documents and gold phrases remain; points with too few of them are not drawn.
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
    remaining = curve.drop_duplicates("threshold")
    figure = _two_panels(traces, label(measure), remaining, ("gold", "gold phrases left", "phrases"), threshold)
    return Chart(figure, say("over the threshold", measure=measure, system=system, rows=of_system.to_dict("records")))


def over_agreement(study: SentenceStudy, measure: str, threshold: float) -> Chart:
    """Draw a measure over the threshold for the tree (with interval), random trimming (with its draws) and baselines.

    The lower panel shows how many “yes” sentences and documents remain.
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


def _two_panels(curves: list[Part], title: str, remaining: pd.DataFrame, gold: tuple[str, str, str], at: float) -> Part:
    """Return curves above a panel of the remaining data, and mark one threshold; gold: column, name and unit."""
    column, name, unit = gold
    x, x_title = plain(remaining["threshold"]), "minimum agreement K in every document"
    bars: Part = {"type": "bar", "y": plain(remaining[column]), "name": name, "yaxis": "y2", "legendrank": 2000}
    bars |= {"marker": {"color": "rgba(136,136,136,0.5)"}, "hovertemplate": f"%{{y}} {unit}"}
    line = line_of(x, remaining["documents"], mode="lines+markers", line={"color": GREY, "width": 1.5}, yaxis="y3")
    line |= {"hovertemplate": "%{y} documents", "name": "documents left", "legendrank": 2001}
    ticks: Part = {"showgrid": False, "tickmode": "auto", "nticks": 4, "tickformat": "d"}
    axes = {
        "xaxis": axis(anchor="y", domain=[0, 0.94], matches="x2", showticklabels=False),
        "yaxis": axis(title, anchor="x", domain=[0.276 + 0.08, 1], tickformat=".2~f"),
        "xaxis2": axis(x_title, anchor="y2", domain=[0, 0.94]),
        "yaxis2": axis(unit, anchor="x2", domain=[0, 0.276], rangemode="tozero"),
        "yaxis3": axis("documents", anchor="x2", overlaying="y2", side="right", rangemode="tozero", **ticks),
    }
    marks = [upright(at, panel, color=GREY, width=1.5) for panel in ("", "2")]
    below = [{"x": x, "xaxis": "x2", **trace} for trace in (bars, line)]
    return laid_out([*below, *curves], 560, hovermode="x unified", shapes=marks, **axes)
