"""Draw values over k, over N or over views as curves: one line per system, with its interval as a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pandas as pd

from kp_core.charts.pieces import MARK, axis, band_of, curve_of, dotted, laid_out, mark_at, merged, plain, words_at
from kp_core.charts.selection import VIEWS, over_numbers
from kp_core.charts.style import GREY, ORACLE, REFERENCES, TEXT, Chart, Look, Part, label, looks, system_labels
from kp_core.errors import pluralize
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.measures.concordance import positive, table
from kp_core.scoring.order import highest
from kp_core.studies.answer import neighbours
from kp_core.studies.means import MEAN
from kp_core.studies.result import Result
from kp_core.studies.soft import SoftResult
from kp_core.studies.stability import Stability
from kp_core.studies.versus import Versus
from kp_core.typeset import number, say

_IN_USE = {"mode": "markers", "marker": {"line": {"width": 1, "color": "white"}}, "showlegend": False}
_WITH_BOUNDS = "%{y:.3f} [%{customdata[0]:.3f}, %{customdata[1]:.3f}]"
_ZERO: Part = {"zeroline": True, "zerolinecolor": GREY, "zerolinewidth": 1}
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
        """Return cutoff, label and dash of each distinct mark up to the last cutoff."""
        candidates = [(self.cutoff, f"k = {self.cutoff}"), (self.average, "average gold size")]
        if self.ends:
            end = min(self.ends.values())
            shortest = system_labels(self.ends, 60)[list(self.ends.values()).index(end)]
            several = len({*self.ends.values()}) > 1
            candidates.append((end, f"{f'{shortest}’s' if several else 'all'} lists end here"))
        marks = dict[int, list[str]]()
        for k, words in candidates:
            if isinstance(k, int) and k <= last:
                marks.setdefault(k, []).append(words)
        return [(k, ", ".join(words), "solid" if k == self.cutoff else "dot") for k, words in sorted(marks.items())]

    def reached(self, systems: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Return the rows up to the end of the longest list, but at least to k = 10 and to the current cutoff."""
        if not self.ends:
            return systems
        last = max(10, *self.ends.values(), self.cutoff if isinstance(self.cutoff, int) else 0)
        return {name: rows[rows["k"] <= last] for name, rows in systems.items()}


def over_k(result: Result | SoftResult, measures: str | Sequence[str], marks: Marks | None = None) -> Chart:
    """Draw measures over k in one panel each; lines are pale beyond the longest list of their system."""
    names, marks = [measures] if isinstance(measures, str) else measures, marks or Marks()
    by_measure = {measure: marks.reached(over_numbers(result, measure)) for measure in names}
    return _panels(by_measure, marks, " ".join(in_words(rows, name, marks) for name, rows in by_measure.items()))


def by_dataset(result: Result, measure: str, cutoff: int | str) -> Chart:
    """Draw a measure over k, one panel per data set."""
    datasets, marks = result.frame[result.frame["subset"] != MEAN], Marks(cutoff)
    panels = {
        str(subset).removeprefix("dataset:"): over_numbers(replace(result, frame=rows), measure)
        for subset, rows in datasets.groupby("subset", sort=False)
    }
    return _panels(
        panels, marks, " ".join(f"{name}: {in_words(rows, measure, marks)}" for name, rows in panels.items())
    )


def _panels(shown: Mapping[str, dict[str, pd.DataFrame]], marks: Marks, alt: str) -> Chart:
    """Draw systems over k in panels below each other; shown: panel title → system → rows."""
    panels = dict(zip(["", *map(str, range(2, len(shown) + 1))], shown, strict=True))  # Plotly axes: x, x2, x3
    last = max(map(_last, shown.values()), default=1)
    marked, height = marks.labels(last), max(400, 210 * len(shown) + 100)
    traces, notes, top, room = list[Part](), _mark_words(marked, last), 12 + 15 * len(marked), 0
    drawn = looks(name for systems in shown.values() for name in systems)
    for panel, title in panels.items():
        systems = shown[title]
        for name, rows in systems.items():
            traces += _system(name, rows, drawn[name], panel, marks.ends.get(name))
        named, wide = _names_at_ends(systems, panel, (height - top - 90) / len(shown))
        notes, room = notes + named, max(room, wide)
    first = next(iter(shown.values()))
    traces.append(_clicked(first, _leads(first, last)))
    lines = [mark_at(k, panel, dash) for k, _, dash in marked for panel in panels]
    bars = neighbours(marks.significant, range(1, last + 1))
    for panel, bar in product(panels, bars):
        ends = {
            "x0": bar[0] - 0.5,
            "x1": bar[-1] + 0.5,
            "xref": f"x{panel}",
            "y0": 0,
            "y1": 0,
            "yref": f"y{panel} domain",
        }
        lines.append({"type": "line", "line": {"color": _SIGNIFICANT, "width": 6}, **ends})
    more: Part = {"annotations": notes, "shapes": lines, "margin": {"t": top, "r": room}, "hovermode": "x unified"}
    figure = laid_out(traces, height, **_axes(panels, last), **more)
    return Chart(figure, " ".join([alt, *[say("significant cutoffs", cutoffs=len(marks.significant))] * bool(bars)]))


def small(result: Result, measure: str, marks: Marks) -> Chart:
    """Draw a measure over k in a small chart without legend."""
    systems = marks.reached(over_numbers(result, measure))
    last, drawn = _last(systems), looks(result.frame["system"])
    traces = [
        curve_of(rows["k"], rows["value"], name, drawn[name], mode="lines", showlegend=False)
        for name, rows in systems.items()
        if name != ORACLE
    ]
    traces.append(_clicked(systems, [""] * last))
    lines = [mark_at(k, dash=dash) for k, _, dash in marks.labels(last) if k == marks.cutoff]
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    title = words_at(0, 1, f"<b>{label(measure)}</b>", font={"size": 13, "color": TEXT}, **place)
    x, y = axis("", range=[0.5, last + 0.5], nticks=6, **_K), axis("", nticks=5, automargin=True)
    more: Part = {"annotations": [title], "shapes": lines, "margin": {"t": 22}, "hovermode": "x unified"}
    return Chart(laid_out(traces, 200, x, y, **more), in_words(systems, measure, marks))


def _clicked(systems: Mapping[str, pd.DataFrame], hovers: Sequence[str]) -> Part:
    """Return an invisible trace below all others, since Plotly selects the lowest point at a clicked cutoff."""
    lowest = pd.concat([rows[["value", "low"]] for rows in systems.values()]).min(axis=None)
    bottom = float(lowest) if lowest == lowest else 0.0
    marker: Part = {"opacity": 0.0}
    more: Part = {"showlegend": False, "text": list(hovers), "hovertemplate": "%{text}<extra></extra>", "name": ""}
    more |= {"selected": {"marker": marker}, "unselected": {"marker": marker}, "hoverinfo": "text"}
    k = list(range(1, len(hovers) + 1))
    return dotted(k, [bottom] * len(k), GREY, size=1, marker=marker, **more)


def _leads(systems: Mapping[str, pd.DataFrame], last: int) -> list[str]:
    """Return the lead of the best system over the second at every cutoff up to the last, as text."""
    differences = dict.fromkeys(range(1, last + 1), "")
    scored = [rows.assign(system=name) for name, rows in systems.items() if name not in REFERENCES]
    ranked = pd.concat(scored or [pd.DataFrame(columns=["value", "system", "k"])]).dropna(subset="value")
    for k, rows in ranked.sort_values(["value", "system"], ascending=False).groupby("k"):
        if len(rows) > 1:
            (best, next_), pair = rows["value"].head(2), rows["system"].head(2)
            differences[int(k)] = f"{' − '.join(system_labels(pair))} {number(best - next_)}"
    return list(differences.values())


def difference(versus: Versus, cutoff: int | str) -> Chart:
    """Draw the difference between two systems over k, with the interval at each k."""
    rows, look = versus.frame, looks([versus.a])[versus.a]
    line = curve_of(rows["k"], rows["difference"], versus.a, look, showlegend=False)
    x = axis("number of phrases k", range=[0.5, _last({"": rows}) + 0.5])
    y = axis(" − ".join(system_labels([versus.a, versus.b])), **_ZERO)
    largest = rows.iloc[int(rows["difference"].abs().argmax())].to_dict() if len(rows) else {}
    marks = [mark_at(cutoff)] if isinstance(cutoff, int) else []
    figure = laid_out([*band_of(rows, "k", look.band()), line], 360, x, y, shapes=marks, hovermode="x")
    return Chart(figure, say("difference over k", a=versus.a, b=versus.b, largest=largest))


def _axes(panels: Mapping[str, str], last: int) -> Part:
    axes, gap, below = Part(), 0.16 / len(panels), len(panels)
    high = (1 - gap * (below - 1)) / below
    along: Part = {"domain": [0, 1], "range": [0.5, last + 0.5], "tickvals": [1, *range(5, last + 1, 5)], **_K}
    upper = {"matches": f"x{list(panels)[-1]}", "showticklabels": False, **along}
    for panel, measure in panels.items():
        below -= 1
        start, few = below * (high + gap), {"nticks": 5} if len(panels) > 1 else {}
        y = axis(label(measure), anchor=f"x{panel}", domain=[start, start + high], tickformat=".3~f", **few)
        x = axis(**upper) if below else axis("number of phrases k", **along)
        axes |= {f"xaxis{panel}": x | {"anchor": f"y{panel}"}, f"yaxis{panel}": y}
    return axes


def _last(systems: dict[str, pd.DataFrame]) -> int:
    return max((int(rows["k"].max()) for rows in systems.values()), default=1)


def _system(name: str, rows: pd.DataFrame, look: Look, panel: str, end: int | None) -> list[Part]:
    visible = "legendonly" if name == ORACLE else True
    common: Part = {"xaxis": f"x{panel}", "yaxis": f"y{panel}", "legendgroup": name, "visible": visible}
    more = common | {
        "mode": "lines" if name in REFERENCES else "lines+markers",
        "line": {"width": 1.5 if name in BASELINES else 2},
        "marker": {"maxdisplayed": 10},
        "showlegend": not panel and name in REFERENCES,
    }
    parts = [(rows, 1.0)] if end is None else [(rows[rows["k"] <= end], 1.0), (rows[rows["k"] >= end], 0.35)]
    bands, lines = [] if name in BASELINES else band_of(rows, "k", look.band(), **common), list[Part]()
    for part, opacity in parts:
        bounds = {"customdata": plain(part[["low", "high"]]), "hovertemplate": _WITH_BOUNDS}
        known = bounds if part["low"].notna().any() else {}
        lines += [curve_of(part["k"], part["value"], name, look, opacity=opacity, **more, **known)] * bool(len(part))
    return bands + lines


_LINE, _LETTER = 15, 7


def _names_at_ends(systems: Mapping[str, pd.DataFrame], panel: str, height: float) -> tuple[list[Part], int]:
    """Return system names at the ends of their lines, without overlap, and the width that they need."""
    scored = [name for name in systems if name not in REFERENCES]
    known = {name: systems[name].dropna(subset="value") for name in scored}
    ends = {name: rows.iloc[-1] for name, rows in known.items() if len(rows)}
    if not ends:
        return [], 12
    rows = pd.concat(known.values())
    pixel = float(rows[["value", "high"]].max().max() - rows[["value", "low"]].min().min()) / max(height, 1) or 1.0
    below, shown, notes = float("-inf"), dict(zip(ends, system_labels(ends, 22), strict=True)), list[Part]()
    where = {"xref": f"x{panel}", "yref": f"y{panel}", "xshift": 6, "xanchor": "left", "align": "left"}
    for name in sorted(ends, key=lambda name: float(ends[name]["value"])):
        value = float(ends[name]["value"])
        half = _LINE * len(shown[name].split("<br>")) / 2
        below = max(value / pixel, below + half)
        more = {"yshift": below - value / pixel, "font": {"size": 12, "color": TEXT}, **where}
        notes.append(words_at(float(ends[name]["k"]), value, shown[name], **more))
        below += half
    return notes, 16 + _LETTER * max(len(line) for name in shown.values() for line in name.split("<br>"))


def _mark_words(marked: Sequence[tuple[int, str, str]], last: int) -> list[Part]:
    above = {"yref": "paper", "yanchor": "bottom", "font": {"size": 12, "color": TEXT}, "name": MARK}
    return [
        words_at(k, 1, words, xanchor="left" if k < last / 2 else "right", yshift=15 * step, **above)
        for step, (k, words, _) in enumerate(marked)
    ]


def in_words(systems: dict[str, pd.DataFrame], measure: str, marks: Marks) -> str:
    """Describe a curve over k: the best and the worst system at the current cutoff."""
    scored = {name: rows for name, rows in systems.items() if name not in REFERENCES}
    at = {name: rows.loc[rows["k"] == marks.cutoff, "value"].dropna() for name, rows in scored.items()}
    values = {name: float(value.iloc[0]) for name, value in at.items() if len(value)}
    best, worst = highest(values) if values else [], min(values, key=values.__getitem__, default="")
    facts = {"last": _last(systems), "systems": len(scored), "cutoff": marks.cutoff}
    return say("over k", measure=measure, best=best, worst=worst, values=values, **facts)


def precision_recall(result: Result, cutoff: int | str | None = None) -> Chart:
    """Draw P@k against R@k as k grows; a large symbol marks the current cutoff."""
    precision, recall = over_numbers(result, "P@k"), over_numbers(result, "R@k")
    traces, values_in_words, drawn = list[Part](), list[str](), looks(precision)
    hover = "k = %{customdata}: recall %{x:.3f}, precision %{y:.3f}"
    for name in (name for name in drawn if name not in BASELINES):
        rows = precision[name][["k", "value"]].merge(recall[name][["k", "value"]], on="k")
        rows = rows.set_axis(["k", "p", "r"], axis=1)
        at, look = rows[rows["k"] == cutoff], drawn[name]
        for part, size, more in ((rows, 4, {}), (at, 14, _IN_USE)):
            more = merged({"marker": {"size": size}, "customdata": plain(part["k"]), "hovertemplate": hover}, more)
            traces.append(curve_of(part["r"], part["p"], name, look, **more))
        values = zip(at["p"], at["r"], strict=True)
        values_in_words += [f"{name} precision {number(p)} and recall {number(r)}" for p, r in values]
    x, y = (axis(title, rangemode="tozero", tickformat=".2~f") for title in ("recall R@k", "precision P@k"))
    figure = laid_out(traces, 420, x, y)
    alt = "Precision against recall as k grows, one line per system"
    return Chart(figure, f"{alt}; at k = {cutoff}: {'; '.join(values_in_words)}." if values_in_words else f"{alt}.")


#: Measure → its limit for N → ∞ as a function of the concordance table; None if the limit is 1.
LIMITS = {"kappa": positive, "pi": positive, "PABAK": None, "P_neg": None, "AC1": None}


def against_universe(cells: Mapping[str, Mapping[str, float]], measure: str = "kappa", height: int = 420) -> Chart:
    """Draw a measure of each system over N; cells: system → a, b, c, d.

    The large symbol marks the current universe, the dotted line the limit.
    """
    traces, drawn, values_in_words = list[Part](), looks(cells), list[str]()
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
        in_use = merged({"marker": {"size": 12}, "hovertemplate": "current N = %{x:,.0f}" + hover}, _IN_USE)
        dots = {"mode": "lines", "line": {"dash": "dot", "width": 1}, "showlegend": False}
        end = [float(sizes[-1]) / 8, float(sizes[-1])]
        traces += [
            curve_of(sizes, values, name, look, mode="lines", hovertemplate="N = %{x:,.0f}" + hover),
            curve_of([n], [used], name, look, **in_use),
            curve_of(end, [limit, limit], name, look, hovertemplate="limit %{y:.3f}", **dots),
        ]
        values_in_words.append(f"{name} has {number(used)} at the universe in use and {number(limit)} in the limit")
    x = axis("phrases in the universe N, all documents", type="log", tickformat=",", dtick=1)
    figure = laid_out(traces, height, x, axis(measure, tickformat=".2~f", **_ZERO))
    alt = f"{measure} against the size of the universe on a logarithmic axis"
    return Chart(figure, f"{alt}: {'; '.join(values_in_words)}." if values_in_words else f"{alt}.")


def rank_chart(stability: Stability) -> Chart:
    """Draw the rank of each system in each view, best on top, each line labeled at its end."""
    frame, views = stability.frame, stability.views
    drawn, traces, notes = looks(frame["system"]), list[Part](), list[Part]()
    shown, ends = list(range(len(views))), dict[float, list[str]]()
    hover = "rank %{y:g}, value %{customdata:.3f}"
    for name, look in drawn.items():
        rows = frame[frame["system"] == name]
        more = {"customdata": plain(rows["value"]), "hovertemplate": hover, "showlegend": False}
        traces.append(curve_of(shown, rows["rank"], name, look, line={"width": 2.5}, marker={"size": 11}, **more))
        for rank in rows["rank"].tail(1).dropna():
            ends.setdefault(float(rank), []).append(name)
    longest = 0
    for rank, names in ends.items():  # tied systems end in one point and share a label
        text = ", ".join(label(drawn[name].name, 20) for name in names)
        if len(names) > 1 and len(text) > 24:
            text = pluralize(len(names), "system")
        longest = max(longest, len(text))
        notes.append(words_at(shown[-1], rank, text, xanchor="left", xshift=12))
    y = axis("rank", range=[len(drawn) + 0.5, 0.5], dtick=1, zeroline=False)
    x = axis(tickvals=shown, ticktext=[label(view, 34) for view in views], automargin=True, zeroline=False)
    margin = {"r": 24 + 7 * longest}
    figure = laid_out(traces, 130 + 42 * max(2, len(drawn)), x, y, annotations=notes, margin=margin)
    alt = f"Rank of {pluralize(len(drawn), 'system')} under {len(views)} {VIEWS[stability.by]}. {stability.leaders()}"
    return Chart(figure, alt)
