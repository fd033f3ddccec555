"""Draw values over k, N, views or thresholds of agreement as curves: one line per system, its interval as a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from kp_core.charts.pieces import axis, band_of, curve_of, dotted, laid_out, line_of, mark_at, plain, upright, words_at
from kp_core.charts.selection import VIEWS, Curve, of_yes, over_numbers, where
from kp_core.charts.style import COLORS, GRAY, MARK, REFERENCES, TEXT, Chart, Look, Part, label, looks, system_labels
from kp_core.errors import pluralize
from kp_core.scoring.counts import BASELINES, ORACLE
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.measures.concordance import positive, table
from kp_core.scoring.order import highest
from kp_core.studies.answer import neighbours
from kp_core.studies.document_values import HeadToHead
from kp_core.studies.result import MEAN, Result
from kp_core.studies.sentence_study.protocol import LEAD, MAJORITY, NULL, RANDOM, TREE, SentenceStudy
from kp_core.studies.soft import SoftResult
from kp_core.studies.stability import Stability
from kp_core.typeset import number, say

#: Parts of the symbol at the current cutoff or universe.
_IN_USE, _EDGE = {"mode": "markers", "showlegend": False}, {"line": {"width": 1, "color": "white"}}
_WITH_BOUNDS = "%{y:.3f} [%{customdata[0]:.3f}, %{customdata[1]:.3f}]"
_ZERO: Part = {"zeroline": True, "zerolinecolor": GRAY, "zerolinewidth": 1}
_SIGNIFICANT = "#1f9d63"
_K: Part = {"unifiedhovertitle": {"text": "k = %{x}"}}


@dataclass(frozen=True)
class Marks:
    """Cutoffs to mark on the axis: current, average gold size, ends of lists, and those with a significant lead."""

    cutoff: int | str | None = None
    average: int | None = None
    ends: Mapping[str, int] = field(default_factory=dict)
    significant: Sequence[int] = ()

    def labels(self, last: int) -> list[tuple[int, str, str]]:
        """Return cutoff, label and line style of each distinct mark up to the last cutoff."""
        candidates = [(self.cutoff, f"k = {self.cutoff}"), (self.average, "average gold size")]
        if self.ends:
            end = min(self.ends.values())
            shortest = system_labels(self.ends, 60)[list(self.ends.values()).index(end)]
            has_several_ends = len({*self.ends.values()}) > 1
            candidates.append((end, f"{f'{shortest}’s' if has_several_ends else 'all'} lists end here"))
        marks = dict[int, list[str]]()
        for k, words in candidates:
            if isinstance(k, int) and k <= last:
                marks.setdefault(k, []).append(words)
        return [(k, ", ".join(words), "solid" if k == self.cutoff else "dot") for k, words in sorted(marks.items())]

    def reached(self, systems: dict[str, Curve]) -> dict[str, Curve]:
        """Return the curves up to the end of the longest list, but at least up to k = 10 and the current cutoff."""
        if not self.ends:
            return systems
        last = max(10, *self.ends.values(), self.cutoff if isinstance(self.cutoff, int) else 0)
        return {name: curve.where(k <= last for k in curve.k) for name, curve in systems.items()}


def over_k(result: Result | SoftResult, measure: str, marks: Marks | None = None) -> Chart:
    """Draw a measure over k; a line is pale beyond its system's longest list."""
    marks = marks or Marks()
    systems = marks.reached(over_numbers(result, measure))
    return _panels({measure: systems}, marks, [_in_words(systems, measure, marks)])


def by_dataset(result: Result, measure: str, cutoff: int | str) -> Chart:
    """Draw a measure over k, one panel per data set."""
    datasets, marks = result.frame[result.frame["subset"] != MEAN], Marks(cutoff)
    panels = {
        str(subset).removeprefix("dataset:"): over_numbers(replace(result, frame=rows), measure)
        for subset, rows in datasets.groupby("subset", sort=False)
    }
    return _panels(panels, marks, [f"{name}: {_in_words(rows, measure, marks)}" for name, rows in panels.items()])


def _panels(curves_of: Mapping[str, dict[str, Curve]], marks: Marks, alt: list[str]) -> Chart:
    """Draw systems over k in panels one below the other; `curves_of`: panel title → system → curve."""
    panels = dict(zip(["", *map(str, range(2, len(curves_of) + 1))], curves_of, strict=True))  # Plotly axes: x, x2, x3
    last = max(map(_last, curves_of.values()), default=1)
    mark_labels, height = marks.labels(last), max(400, 210 * len(curves_of) + 100)
    traces, notes, top, margin = list[Part](), _mark_words(mark_labels, last), 12 + 15 * len(mark_labels), 0
    styles = looks(name for systems in curves_of.values() for name in systems)
    for panel, title in panels.items():
        for name, curve in curves_of[title].items():
            traces += _system(name, curve, styles[name], panel, marks.ends.get(name))
        name_labels, label_width = _names_at_ends(curves_of[title], panel, (height - top - 90) / len(curves_of))
        notes, margin = notes + name_labels, max(margin, label_width)
    first_panel = next(iter(curves_of.values()))
    traces.append(_click_targets(first_panel, _leads(first_panel, last)))
    lines = [mark_at(k, panel, dash) for k, _, dash in mark_labels for panel in panels]
    spans = neighbours(marks.significant, range(1, last + 1))
    green: Part = {"color": _SIGNIFICANT, "width": 6}
    lines += [upright(k[0] - 0.5, panel, **green) | {"x1": k[-1] + 0.5, "y1": 0} for panel in panels for k in spans]
    extra: Part = {"annotations": notes, "shapes": lines, "margin": {"t": top, "r": margin}, "hovermode": "x unified"}
    alt = [*alt, *[say("significant cutoffs", cutoffs=len(marks.significant))] * bool(spans)]
    return Chart(laid_out(traces, height, **_axes(panels, last), **extra), " ".join(alt))


def small(result: Result, measure: str, marks: Marks) -> Chart:
    """Draw a measure over k in a small chart without legend."""
    systems = marks.reached(over_numbers(result, measure))
    last, styles = _last(systems), looks(result.frame["system"])
    traces = [
        curve_of(curve.k, curve.value, name, styles[name], mode="lines", showlegend=False)
        for name, curve in systems.items()
        if name != ORACLE
    ]
    traces.append(_click_targets(systems, [""] * last))
    lines = [mark_at(k, dash=dash) for k, _, dash in marks.labels(last) if k == marks.cutoff]
    title_anchor = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    title = words_at(0, 1, f"<b>{label(measure)}</b>", font={"size": 13, "color": TEXT}, **title_anchor)
    x, y = axis("", range=[0.5, last + 0.5], nticks=6, **_K), axis("", nticks=5, automargin=True)
    extra: Part = {"annotations": [title], "shapes": lines, "margin": {"t": 22}, "hovermode": "x unified"}
    return Chart(laid_out(traces, 200, x, y, **extra), _in_words(systems, measure, marks))


def _click_targets(systems: Mapping[str, Curve], hovers: Sequence[str]) -> Part:
    """Return an invisible trace below all others, because Plotly selects the lowest point at the clicked cutoff."""
    ends = (end for curve in systems.values() for end in (*curve.value, *curve.low))
    bottom = min((end for end in ends if end == end), default=0.0)
    marker: Part = {"opacity": 0.0}
    extra: Part = {"showlegend": False, "text": list(hovers), "hovertemplate": "%{text}<extra></extra>", "name": ""}
    extra |= {"selected": {"marker": marker}, "unselected": {"marker": marker}, "hoverinfo": "text"}
    k = list(range(1, len(hovers) + 1))
    return dotted(k, [bottom] * len(k), GRAY, size=1, marker=marker, **extra)


def _leads(systems: Mapping[str, Curve], last: int) -> list[str]:
    """Return the lead of the best system over the second at every cutoff up to the last, as text."""
    leads, values = [""] * last, dict[int, list[tuple[float, str]]]()
    for name, curve in systems.items():
        for k, value in zip(curve.k, curve.value, strict=True) if name not in REFERENCES else ():
            values.setdefault(k, []).extend([(value, name)] * (value == value))
    for k, scored in values.items():
        if len(scored) > 1:
            (best, a), (second, b) = sorted(scored, reverse=True)[:2]
            leads[k - 1] = f"{' − '.join(system_labels([a, b]))} {number(best - second)}"
    return leads


def difference(pair: HeadToHead, cutoff: int | str) -> Chart:
    """Draw the difference between two systems over k, with the interval at each k."""
    rows, look = pair.frame, looks([pair.a])[pair.a]
    line = curve_of(rows["k"], rows["difference"], pair.a, look, showlegend=False)
    x = axis("number of phrases k", range=[0.5, max(rows["k"], default=1) + 0.5])
    y = axis(" − ".join(system_labels([pair.a, pair.b])), **_ZERO)
    largest = rows.iloc[int(rows["difference"].abs().argmax())].to_dict() if len(rows) else {}
    marks = [mark_at(cutoff)] if isinstance(cutoff, int) else []
    band = band_of(rows["k"], rows["low"], rows["high"], look.band())
    figure = laid_out([*band, line], 360, x, y, shapes=marks, hovermode="x")
    return Chart(figure, say("difference over k", a=pair.a, b=pair.b, largest=largest))


def _axes(panels: Mapping[str, str], last: int) -> Part:
    axes: Part = {"grid": {"rows": len(panels), "columns": 1, "pattern": "independent", "ygap": 0.15}}
    x: Part = {"range": [0.5, last + 0.5], "tickvals": [1, *range(5, last + 1, 5)], **_K}
    bottom, ticks = list(panels)[-1], {"nticks": 5} if len(panels) > 1 else {}
    for panel, title in panels.items():
        axes[f"xaxis{panel}"] = axis(matches=f"x{bottom}", showticklabels=False, **x)
        axes[f"yaxis{panel}"] = axis(label(title), tickformat=".3~f", **ticks)
    return axes | {f"xaxis{bottom}": axis("number of phrases k", **x)}


def _last(systems: dict[str, Curve]) -> int:
    return max((curve.k[-1] for curve in systems.values()), default=1)


def _system(name: str, curve: Curve, look: Look, panel: str, end: int | None) -> list[Part]:
    visible = "legendonly" if name == ORACLE else True
    common: Part = {"xaxis": f"x{panel}", "yaxis": f"y{panel}", "legendgroup": name, "visible": visible}
    extra = common | {
        "mode": "lines" if name in REFERENCES else "lines+markers",
        "line": {"width": 1.5 if name in BASELINES else 2},
        "marker": {"maxdisplayed": 10},
        "showlegend": not panel and name in REFERENCES,
    }
    last = curve.k[-1] if end is None else end
    parts = [(curve.where(k <= last for k in curve.k), 1.0)]
    parts += [(curve.where(k >= last for k in curve.k), 0.35)] * (end is not None)
    traces = [] if name in BASELINES else band_of(curve.k, curve.low, curve.high, look.band(), **common)
    for part, opacity in parts:
        bounds = {"customdata": plain([*map(list, zip(part.low, part.high, strict=True))])}
        hover = bounds | {"hovertemplate": _WITH_BOUNDS} if any(low == low for low in part.low) else {}
        traces += [curve_of(part.k, part.value, name, look, opacity=opacity, **extra, **hover)] * bool(part.k)
    return traces


_LINE, _LETTER = 15, 7


def _names_at_ends(systems: Mapping[str, Curve], panel: str, height: float) -> tuple[list[Part], int]:
    """Return labels with system names at the ends of the lines, without overlap, and the width that they need."""
    defined = {name: curve.defined() for name, curve in systems.items() if name not in REFERENCES}
    ends = {name: (curve.k[-1], curve.value[-1]) for name, curve in defined.items() if curve.k}
    if not ends:
        return [], 12
    drawn = [end for curve in defined.values() for column in curve[1:] for end in column if end == end]
    pixel = (max(drawn) - min(drawn)) / max(height, 1) or 1.0
    lowest_free, end_labels, notes = float("-inf"), dict(zip(ends, system_labels(ends, 22), strict=True)), list[Part]()
    anchor = {"xref": f"x{panel}", "yref": f"y{panel}", "xshift": 6, "xanchor": "left", "align": "left"}
    for name, (k, value) in sorted(ends.items(), key=lambda end: end[1][1]):
        half_height = _LINE * len(end_labels[name].split("<br>")) / 2
        lowest_free = max(value / pixel, lowest_free + half_height)
        extra = {"yshift": lowest_free - value / pixel, "font": {"size": 12, "color": TEXT}, **anchor}
        notes.append(words_at(k, value, end_labels[name], **extra))
        lowest_free += half_height
    return notes, 16 + _LETTER * max(len(line) for name in end_labels.values() for line in name.split("<br>"))


def _mark_words(mark_labels: Sequence[tuple[int, str, str]], last: int) -> list[Part]:
    anchor = {"yref": "paper", "yanchor": "bottom", "font": {"size": 12, "color": TEXT}, "name": MARK}
    return [
        words_at(k, 1, words, xanchor="left" if k < last / 2 else "right", yshift=15 * step, **anchor)
        for step, (k, words, _) in enumerate(mark_labels)
    ]


def _in_words(systems: dict[str, Curve], measure: str, marks: Marks) -> str:
    """Describe a curve over k: the best and the worst system at the current cutoff."""
    scored = {name: curve.defined() for name, curve in systems.items() if name not in REFERENCES}
    points = ((name, point) for name, curve in scored.items() for point in zip(curve.k, curve.value, strict=True))
    values = {name: value for name, (k, value) in points if k == marks.cutoff}
    best, worst = highest(values) if values else [], min(values, key=values.__getitem__, default="")
    facts = {"last": _last(systems), "systems": len(scored), "cutoff": marks.cutoff}
    return say("over k", measure=measure, best=best, worst=worst, values=values, **facts)


def precision_recall(result: Result, cutoff: int | str | None = None) -> Chart:
    """Draw P@k against R@k as k grows; a large symbol marks the current cutoff."""
    precision, recall = over_numbers(result, "P@k"), over_numbers(result, "R@k")
    traces, points, styles = list[Part](), list[Part](), looks(precision)
    hover = "k = %{customdata}: recall %{x:.3f}, precision %{y:.3f}"
    for name in (name for name in styles if name not in BASELINES):
        curve, at_cutoff = precision[name], precision[name].where(k == cutoff for k in precision[name].k)
        recall_at = dict(zip(recall[name].k, recall[name].value, strict=True))
        for part, marker, extra in ((curve, {"size": 4}, {}), (at_cutoff, {"size": 14, **_EDGE}, _IN_USE)):
            extra = {"marker": marker, "customdata": part.k, "hovertemplate": hover, **extra}
            traces.append(curve_of([*map(recall_at.get, part.k)], part.value, name, styles[name], **extra))
        values = zip(at_cutoff.k, at_cutoff.value, strict=True)
        points += [{"system": name, "value_p": value, "value_r": recall_at[k]} for k, value in values]
    x, y = (axis(title, rangemode="tozero", tickformat=".2~f") for title in ("recall R@k", "precision P@k"))
    return Chart(laid_out(traces, 420, x, y), say("precision and recall", cutoff=cutoff, points=points))


#: Measure → its limit for N → ∞ as a function of the concordance table; None if the limit is 1.
LIMITS = {"kappa": positive, "pi": positive, "PABAK": None, "P_neg": None, "AC1": None}


def against_universe(cells: Mapping[str, Mapping[str, float]], measure: str = "kappa", height: int = 420) -> Chart:
    """Draw a measure of each system over N; `cells`: system → a, b, c, d.

    A large symbol marks the current universe, a dotted line the limit.
    """
    traces, styles, values_by_system = list[Part](), looks(cells), dict[str, tuple[float, float]]()
    score, limit_of, hover = MEASURES[measure].score, LIMITS[measure], f": {measure} %{{y:.3f}}"
    current = {"marker": {"size": 12, **_EDGE}, "hovertemplate": f"current N = %{{x:,.0f}}{hover}", **_IN_USE}
    limit_line: Part = {"mode": "lines", "line": {"dash": "dot", "width": 1}, "showlegend": False}
    limit_line["hovertemplate"] = "limit %{y:.3f}"
    for name, counts in cells.items():
        a, b, c, d = (float(counts[letter]) for letter in "abcd")
        n_chosen, n = a + b + c, a + b + c + d
        if not n_chosen or name in BASELINES:
            continue
        sizes = np.geomspace(max(n_chosen, 1.0), 100 * max(n, 1.0), 120)
        ones, largest_size = np.ones_like(sizes), float(sizes[-1])
        values, value = score(table(a * ones, b * ones, c * ones, sizes - n_chosen)), float(score(table(a, b, c, d)))
        limit = float(limit_of(table(a, b, c, d))) if limit_of else 1.0
        line_options = {"mode": "lines", "hovertemplate": f"N = %{{x:,.0f}}{hover}"}
        traces.append(curve_of(sizes, values, name, styles[name], **line_options))
        traces.append(curve_of([n], [value], name, styles[name], **current))
        traces.append(curve_of([largest_size / 8, largest_size], [limit, limit], name, styles[name], **limit_line))
        values_by_system[name] = value, limit
    x = axis("phrases in the universe N, all documents", type="log", tickformat=",", dtick=1)
    figure = laid_out(traces, height, x, axis(measure, tickformat=".2~f", **_ZERO))
    return Chart(figure, say("over the universe", measure=measure, values=values_by_system))


def rank_chart(stability: Stability) -> Chart:
    """Draw the rank of each system in each view, best on top, with each line labeled at its end."""
    frame, views = stability.frame, stability.views
    styles, traces, notes = looks(frame["system"]), list[Part](), list[Part]()
    positions, names_at_rank = list(range(len(views))), dict[float, list[str]]()
    hover = "rank %{y:g}, value %{customdata:.3f}"
    for name, look in styles.items():
        rows = frame[frame["system"] == name]
        extra = {"customdata": plain(rows["value"]), "hovertemplate": hover, "showlegend": False}
        traces.append(curve_of(positions, rows["rank"], name, look, line={"width": 2.5}, marker={"size": 11}, **extra))
        for rank in rows["rank"].tail(1).dropna():
            names_at_rank.setdefault(float(rank), []).append(name)
    for rank, names in names_at_rank.items():  # lines of tied systems end in one point and share a label
        text = ", ".join(label(styles[name].name, 20) for name in names)
        text = pluralize(len(names), "system") if len(names) > 1 and len(text) > 24 else text
        notes.append(words_at(positions[-1], rank, text, xanchor="left", xshift=12))
    margin = {"r": 24 + 7 * max((len(note["text"]) for note in notes), default=0)}
    y = axis("rank", range=[len(styles) + 0.5, 0.5], dtick=1, zeroline=False)
    x = axis(tickvals=positions, ticktext=[label(view, 34) for view in views], automargin=True, zeroline=False)
    figure = laid_out(traces, 130 + 42 * max(2, len(styles)), x, y, annotations=notes, margin=margin)
    alt = f"Rank of {pluralize(len(styles), 'system')} under {len(views)} {VIEWS[stability.by]}. {stability.leaders()}"
    return Chart(figure, alt)


_RANDOM = "rgba(136,136,136,0.22)"
_STUDY = {
    TREE: Look(COLORS[0], "solid", "circle"),
    NULL: Look(GRAY, "dot", "line-ns-open"),
    LEAD: Look(COLORS[1], "dash", "square"),
    RANDOM: Look(COLORS[2], "dashdot", "diamond"),
    MAJORITY: Look(COLORS[3], "longdash", "triangle-up"),
}


def over_threshold(curve: pd.DataFrame, measure: str, system: str, threshold: float) -> Chart:
    """Draw a measure of all systems over the threshold, and one system with its interval and with random trimming.

    The lower panel shows how many documents and gold phrases remain; points with too few of them are not drawn.
    """
    rows, styles = where(curve, measure=measure, drawn=True), looks(curve["system"])
    of_system, look = where(rows, system=system), styles[system]
    traces = band_of(of_system["threshold"], of_system["null_low"], of_system["null_high"], _RANDOM)
    traces += band_of(of_system["threshold"], of_system["low"], of_system["high"], look.band())
    references = (("null", "random trimming", "dot", GRAY), ("fixed", "same documents", "dash", look.color))
    for column, words, dash, color in references:
        extra = {"name": f"{label(look.name)}, {words}", "hovertemplate": "%{y:.3f}"}
        line = {"color": color, "dash": dash, "width": 1.5}
        traces.append(line_of(of_system["threshold"], of_system[column], line=line, **extra))
    for name, look in styles.items():
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
    random, tree = by_system[NULL], by_system[TREE]
    traces = band_of(random["threshold"], random["repeat_low"], random["repeat_high"], _RANDOM)
    traces += band_of(tree["threshold"], tree["low"], tree["high"], _STUDY[TREE].band())
    for name, look in _STUDY.items():
        extra = {"line": {"width": 2.5 if name == TREE else 1.5}, "mode": "lines" if name == NULL else "lines+markers"}
        traces.append(curve_of(by_system[name]["threshold"], by_system[name]["value"], name, look, **extra))
    measure_name = of_yes(measure)
    figure = _two_panels(traces, measure_name, study.left, ("yes", "sentences “yes”", "sentences"), threshold)
    null = random.set_index("threshold")["value"]
    rows = tree.dropna(subset="value").assign(null=lambda tree: tree["threshold"].map(null))
    return Chart(figure, say("over agreement", measure=measure_name, rows=rows.to_dict("records")))


def _two_panels(curves: list[Part], title: str, remaining: pd.DataFrame, gold: tuple[str, str, str], at: float) -> Part:
    """Return curves above a panel of the remaining data, and mark one threshold; `gold`: column, name and unit."""
    column, name, unit = gold
    x, x_title = plain(remaining["threshold"]), "minimum agreement K in every document"
    bars: Part = {"type": "bar", "y": plain(remaining[column]), "name": name, "yaxis": "y2", "legendrank": 2000}
    bars |= {"marker": {"color": "rgba(136,136,136,0.5)"}, "hovertemplate": f"%{{y}} {unit}"}
    line = line_of(x, remaining["documents"], mode="lines+markers", line={"color": GRAY, "width": 1.5}, yaxis="y3")
    line |= {"hovertemplate": "%{y} documents", "name": "documents left", "legendrank": 2001}
    ticks: Part = {"showgrid": False, "tickmode": "auto", "nticks": 4, "tickformat": "d"}
    axes = {
        "xaxis": axis(anchor="y", domain=[0, 0.94], matches="x2", showticklabels=False),
        "yaxis": axis(title, anchor="x", domain=[0.276 + 0.08, 1], tickformat=".2~f"),
        "xaxis2": axis(x_title, anchor="y2", domain=[0, 0.94]),
        "yaxis2": axis(unit, anchor="x2", domain=[0, 0.276], rangemode="tozero"),
        "yaxis3": axis("documents", anchor="x2", overlaying="y2", side="right", rangemode="tozero", **ticks),
    }
    marks = [upright(at, panel, color=GRAY, width=1.5) for panel in ("", "2")]
    lower_panel = [{"x": x, "xaxis": "x2", **trace} for trace in (bars, line)]
    return laid_out([*lower_panel, *curves], 560, hovermode="x unified", shapes=marks, **axes)
