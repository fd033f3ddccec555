"""Turn values over k, over the universe or over views into curves: one line per system, its interval as a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from kp_core.charts.pieces import (
    MARK,
    along_axis,
    axis,
    band_of,
    curve_of,
    dotted,
    laid_out,
    mark_at,
    merged,
    plain,
    words_at,
    zero_line,
)
from kp_core.charts.selection import VIEWS, over_numbers
from kp_core.charts.style import (
    CLEAR,
    GREY,
    ORACLE,
    REFERENCES,
    TEXT,
    Chart,
    Look,
    Part,
    label,
    lines_of,
    looks,
    short_names,
    system_labels,
)
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

#: How one point of a curve is marked: the cutoff or the universe in use.
_IN_USE = {"mode": "markers", "marker": {"line": {"width": 1, "color": "white"}}, "showlegend": False}


_WITH_BOUNDS = "%{y:.3f} [%{customdata[0]:.3f}, %{customdata[1]:.3f}]"
#: What stands above the values that the hover says together.
_K: Part = {"unifiedhovertitle": {"text": "k = %{x}"}}


@dataclass(frozen=True)
class Marks:
    """Cutoffs to mark on the axis: the current one, the average gold size, and where the lists of each system end.

    significant  cutoffs at which the system that leads now is significantly better than the next one: a thick bar
    """

    cutoff: int | str | None = None
    average: int | None = None
    ends: Mapping[str, int] = field(default_factory=dict)
    significant: Sequence[int] = ()

    def labels(self, last: int) -> list[tuple[int, str, str]]:
        """Return cutoff, words and dash of every mark within the axis; one mark where two coincide."""
        said = [(self.cutoff, f"k = {self.cutoff}"), (self.average, "average gold size")]
        if self.ends:
            first, end = min(self.ends.items(), key=lambda one: one[1])
            several = len({*self.ends.values()}) > 1
            of = f"{label(short_names(self.ends)[first], 60)}’s lists" if several else "all lists"
            said.append((end, f"{of} end here"))
        marks = dict[int, list[str]]()
        for k, words in said:
            if isinstance(k, int) and k <= last:
                marks.setdefault(k, []).append(words)
        return [(k, ", ".join(words), "solid" if k == self.cutoff else "dot") for k, words in sorted(marks.items())]


def over_k(result: Result | SoftResult, measures: str | Sequence[str], marks: Marks | None = None) -> Chart:
    """Draw a measure over k, every system named at its end; several measures are one panel below the other.

    A line is pale from where the longest list of its system ends.
    """
    names = [measures] if isinstance(measures, str) else measures
    by_measure = {measure: over_numbers(result, measure) for measure in names}
    return _panels(
        by_measure,
        marks or Marks(),
        " ".join(in_words(own, name, marks or Marks()) for name, own in by_measure.items()),
    )


def by_dataset(result: Result, measure: str, cutoff: int | str) -> Chart:
    """Draw a measure over k, one panel per data set below the other."""
    by_measure = dict[str, dict[str, pd.DataFrame]]()
    for subset in (name for name in dict.fromkeys(result.frame["subset"]) if name != MEAN):
        frame = result.frame[result.frame["subset"] == subset]
        by_measure[subset.removeprefix("dataset:")] = over_numbers(replace(result, frame=frame), measure)
    marks = Marks(cutoff)
    return _panels(
        by_measure, marks, " ".join(f"{name}: {in_words(own, measure, marks)}" for name, own in by_measure.items())
    )


def _panels(shown: Mapping[str, dict[str, pd.DataFrame]], marks: Marks, alt: str) -> Chart:
    """Draw systems over k in panels one below the other; shown: title of the panel → system → rows."""
    panels = dict(zip(["", *map(str, range(2, len(shown) + 1))], shown, strict=True))  # as Plotly counts: x, x2, x3
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
    lines += [along_axis(bar[0], bar[-1], panel, color=CLEAR, width=6) for bar in bars for panel in panels]
    more: Part = {"annotations": notes, "shapes": lines, "margin": {"t": top, "r": room}, "hovermode": "x unified"}
    figure = laid_out(traces, height, **_axes(panels, last), **more)
    return Chart(figure, " ".join([alt, *[say("significant cutoffs", cutoffs=len(marks.significant))] * bool(bars)]))


def small(result: Result, measure: str, marks: Marks) -> Chart:
    """Draw a measure over k as one of several small pictures with a shared legend."""
    systems = over_numbers(result, measure)
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
    """Return a trace that nobody sees, whose points take the clicks at a cutoff, with words for the hover.

    Of several points at one cutoff Plotly selects the smallest, and of these that of the last trace.
    """
    every = pd.concat([rows[["value", "low"]] for rows in systems.values()]).min(axis=None)
    bottom = float(every) if every == every else 0.0
    marker: Part = {"opacity": 0.0}
    more: Part = {"showlegend": False, "text": list(hovers), "hovertemplate": "%{text}<extra></extra>", "name": ""}
    more |= {"selected": {"marker": marker}, "unselected": {"marker": marker}, "hoverinfo": "text"}
    k = list(range(1, len(hovers) + 1))
    return dotted(k, [bottom] * len(k), GREY, size=1, marker=marker, **more)


def _leads(systems: Mapping[str, pd.DataFrame], last: int) -> list[str]:
    """Report by how much the highest system leads the next one, at every cutoff up to the last."""
    differences = dict.fromkeys(range(1, last + 1), "")
    every = [rows.assign(system=name) for name, rows in systems.items() if name not in REFERENCES]
    ranked = pd.concat(every or [pd.DataFrame(columns=["value", "system", "k"])]).dropna(subset="value")
    for k, rows in ranked.sort_values(["value", "system"], ascending=False).groupby("k"):
        if len(rows) > 1:
            (best, next_), pair = rows["value"].head(2), rows["system"].head(2)
            differences[int(k)] = f"{' − '.join(system_labels(pair))} {number(best - next_)}"
    return list(differences.values())


def difference(found: Versus, cutoff: int | str) -> Chart:
    """Draw by how much one system is ahead of another one over k, with the interval at each k by itself."""
    rows, look = found.frame, looks([found.a])[found.a]
    traces = [
        *band_of(rows, "k", look.band()),
        curve_of(rows["k"], rows["difference"], found.a, look, showlegend=False),
    ]
    lines = [zero_line(), *([mark_at(cutoff)] if isinstance(cutoff, int) else [])]
    x = axis("number of phrases k", range=[0.5, _last({"": rows}) + 0.5])
    y = axis(" − ".join(system_labels([found.a, found.b])))
    here = rows.iloc[int(rows["difference"].abs().argmax())].to_dict() if len(rows) else {}
    figure = laid_out(traces, 360, x, y, shapes=lines, hovermode="x")
    return Chart(figure, say("difference over k", a=found.a, b=found.b, largest=here))


def _axes(panels: Mapping[str, str], last: int) -> Part:
    """Return the axes of panels one below the other, each with its title, which share the x axis."""
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
    for own, pale in parts:
        bounds = {"customdata": plain(own[["low", "high"]]), "hovertemplate": _WITH_BOUNDS}
        known = bounds if own["low"].notna().any() else {}
        lines += [curve_of(own["k"], own["value"], name, look, opacity=pale, **more, **known)] * bool(len(own))
    return bands + lines


#: Pixels between the names of two lines that end close to each other, and for a letter of a name.
_LINE, _LETTER = 15, 7


def _names_at_ends(systems: Mapping[str, pd.DataFrame], panel: str, height: float) -> tuple[list[Part], int]:
    """Return the name of each system at the end of its line, none over another, and the room to the right."""
    scored = [name for name in systems if name not in REFERENCES]
    known = {name: systems[name].dropna(subset="value") for name in scored}
    ends = {name: rows.iloc[-1] for name, rows in known.items() if len(rows)}
    if not ends:
        return [], 12
    every = pd.concat(known.values())
    pixel = float(every[["value", "high"]].max().max() - every[["value", "low"]].min().min()) / max(height, 1) or 1.0
    below, shown, notes = float("-inf"), dict(zip(ends, system_labels(ends, 22), strict=True)), list[Part]()
    where = {"xref": f"x{panel}", "yref": f"y{panel}", "xshift": 6, "xanchor": "left", "align": "left"}
    for name in sorted(ends, key=lambda one: float(ends[one]["value"])):
        value = float(ends[name]["value"])
        half = _LINE * len(lines_of(shown[name])) / 2
        below = max(value / pixel, below + half)
        more = {"yshift": below - value / pixel, "font": {"size": 12, "color": TEXT}, **where}
        notes.append(words_at(float(ends[name]["k"]), value, shown[name], **more))
        below += half
    return notes, 16 + _LETTER * max(len(line) for name in shown.values() for line in lines_of(name))


def _mark_words(marked: Sequence[tuple[int, str, str]], last: int) -> list[Part]:
    """Return the labels of marks, each in a row of its own so that none covers another."""
    above = {"yref": "paper", "yanchor": "bottom", "font": {"size": 12, "color": TEXT}, "name": MARK}
    return [
        words_at(k, 1, words, xanchor="left" if k < last / 2 else "right", yshift=15 * step, **above)
        for step, (k, words, _) in enumerate(marked)
    ]


def in_words(systems: dict[str, pd.DataFrame], measure: str, marks: Marks) -> str:
    """Describe what a curve over k shows: who is highest and lowest at the current cutoff."""
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


#: Measure → its limit as the universe grows, as a function of the table; None where that is 1.
LIMITS = {"kappa": positive, "pi": positive, "PABAK": None, "P_neg": None, "AC1": None}


def against_universe(cells: Mapping[str, Mapping[str, float]], measure: str = "kappa", height: int = 420) -> Chart:
    """Draw a measure of each system as d grows while a, b and c stay: kappa rises to P_pos, PABAK and P_neg to 1.

    cells: system → a, b, c, d, N. The large symbol marks the current universe, the dotted line the limit.
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
    figure = laid_out(traces, height, x, axis(measure, tickformat=".2~f"), shapes=[zero_line()])
    alt = f"{measure} against the size of the universe on a logarithmic axis"
    return Chart(figure, f"{alt}: {'; '.join(values_in_words)}." if values_in_words else f"{alt}.")


def rank_chart(stability: Stability) -> Chart:
    """Draw the rank of each system in each view, the best on top, each line named at its end."""
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
    for rank, names in ends.items():  # systems that tie end in one point, and so share a label
        text = ", ".join(label(drawn[name].name, 20) for name in names)
        if len(names) > 1 and len(text) > 24:  # it must leave room for the lines
            text = pluralize(len(names), "system")
        longest = max(longest, len(text))
        notes.append(words_at(shown[-1], rank, text, xanchor="left", xshift=12))
    y = axis("rank", range=[len(drawn) + 0.5, 0.5], dtick=1, zeroline=False)
    x = axis(tickvals=shown, ticktext=[label(view, 34) for view in views], automargin=True, zeroline=False)
    margin = {"r": 24 + 7 * longest}
    figure = laid_out(traces, 130 + 42 * max(2, len(drawn)), x, y, annotations=notes, margin=margin)
    alt = f"Rank of {pluralize(len(drawn), 'system')} under {len(views)} {VIEWS[stability.by]}. {stability.leaders()}"
    return Chart(figure, alt)
