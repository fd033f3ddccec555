"""Turn values with intervals into bars and dots, and counts into stacked bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd

from kp_core.charts.pieces import axis, dotted, error_bars, laid_out, names_axis, plain, upright, whole_name, words_at
from kp_core.charts.selection import NEAR, rows_of, where
from kp_core.charts.style import COLORS, GOLDEN, GRAY, REFERENCES, TEXT, Chart, Part, label, labels, looks
from kp_core.errors import pluralize
from kp_core.scoring.counts import BASELINES, ORACLE
from kp_core.scoring.order import leveled, reaches
from kp_core.settings import in_words
from kp_core.similarity.relation import TYPES
from kp_core.studies.correlation.correlate import SENTINELS, CorrelationStudy
from kp_core.studies.correlation.estimates import HUMAN
from kp_core.studies.result import MEAN, Numbers, Result
from kp_core.studies.sensitivity import GRID, Sensitivity
from kp_core.typeset import number, say

_PRESET_SYMBOLS = (
    *("circle-open", "square-open", "diamond-open", "triangle-up-open", "triangle-down-open", "star-open"),
    *("cross-open", "hexagon-open", "bowtie-open", "hourglass-open", "pentagon-open", "hexagram-open"),
)


def forest(rows: pd.DataFrame, title: str, alt_start: str, alt_if_empty: str = "", **x: Any) -> Chart:
    """Draw values as dots with intervals and numbers, best row on top, with a heading per group.

    * `alt_start`: start of the alternative text; `alt_if_empty`: the whole text if no value is defined
    * `rows`: columns name, value, low, high; optionally group, last (at the bottom), color, symbol, opacity, tick
      (label on the axis), run_values (values of single runs), published (value to compare with)
    """
    rows = _arranged(rows)
    has_groups, last_place = bool(rows["group"].any()), int(rows["place"].max()) if len(rows) else 0
    margin: Part = {"xref": "paper", "xanchor": "left", "font": {"color": TEXT}}
    # Positions are numbers, because Plotly would parse a system called “07” as a number.
    value_texts = zip(rows["place"], rows["value"].map(number), rows["best"], strict=True)
    notes = [words_at(1, y, f"<b>{text}</b>" if best else text, xshift=8, **margin) for y, text, best in value_texts]
    for name, index in rows.groupby("group", sort=False)["place"].min().items() if has_groups else ():
        notes.append(words_at(0, index - 1, f"<b>{label(str(name))}</b>", xshift=4, **margin))
    ticks: Part = {"tickvals": rows["place"].tolist(), "ticktext": rows["tick"].tolist(), "zeroline": False}
    ticks["ticklabelstandoff"] = 8  # a dot at zero would touch its label
    y = axis(range=[last_place + 0.6, -0.6], automargin=True, **ticks)
    x_axis, height = axis(title, **({"rangemode": "tozero"} | x)), 90 + (28 if has_groups else 40) * (last_place + 1)
    figure = laid_out(_dots(rows), height, x_axis, y, annotations=notes, margin={"r": 64})
    texts = dict[str, list[str]]()
    for name, group, value in zip(rows["name"], rows["group"], rows["value"], strict=True):
        texts.setdefault(f"{group}: " * has_groups, []).append(f"{name} {number(value)}")
    values_in_words = "; ".join(group + ", ".join(values) for group, values in texts.items())
    return Chart(figure, f"{alt_start}: {values_in_words}." if len(rows) or not alt_if_empty else alt_if_empty)


def _arranged(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort the rows of a forest, number them from the top, and add the optional columns."""
    names = list(dict.fromkeys(rows["name"]))
    defaults: Part = {"group": "", "last": False, "color": COLORS[0], "symbol": "circle", "opacity": 1.0}
    ticks = rows["name"].map(dict(zip(names, labels(names), strict=True)))
    defaults |= {"tick": ticks, "run_values": "", "published": np.nan}
    rows = rows.assign(**{column: value for column, value in defaults.items() if column not in rows})
    rows = rows.assign(place=pd.factorize(rows["group"])[0])[rows["value"].notna()]
    order = ["last", "place", "value"]
    rows = rows.sort_values(order, ascending=[True, True, False], kind="stable", key=leveled, ignore_index=True)
    headings = (pd.factorize(rows["group"])[0] + 1) * bool(rows["group"].any())
    best = reaches(rows["value"], rows.groupby("group")["value"].transform("max"))
    return rows.assign(place=rows.index + headings, best=best)


def _dots(rows: pd.DataFrame) -> list[Part]:
    traces, common = list[Part](), {"cliponaxis": False, "showlegend": False}
    of_runs: Part = {"opacity": 0.55, "hovertemplate": "a run: %{x:.3f}<extra></extra>", **common}
    for index, row in rows.iterrows():
        extra: Part = {"name": row["tick"], "customdata": [row["name"]], "opacity": row["opacity"], **common}
        extra["hovertemplate"] = f"%{{x:.3f}}{whole_name(row['name'])}"
        extra["error_x"] = error_bars(rows.loc[[index]], row["color"])
        traces.append(dotted([row["value"]], [row["place"]], row["color"], row["symbol"], **extra))
        if runs := len(row["run_values"]):
            traces.append(dotted(row["run_values"], [row["place"]] * runs, row["color"], size=6, **of_runs))
    published = rows.dropna(subset="published")
    if len(published):
        hover: Part = {"name": "published", "hovertemplate": "published %{x:.3f}<extra></extra>"}
        traces.append(dotted(published["published"], published["place"], GRAY, "diamond-open", 9, **hover))
    return traces


def _forest_of_systems(result: Numbers, rows: pd.DataFrame, measure: str, alt_start: str) -> Chart:
    """Draw systems in their styles, without the oracle."""
    rows, styles = rows[rows["value"].notna() & (rows["system"] != ORACLE)], looks(result.frame["system"])
    row_styles = rows["system"].map(styles)
    symbols = row_styles.map(lambda look: look.symbol).where(~rows["system"].isin(REFERENCES), "circle")
    colors, ticks = row_styles.map(lambda look: look.color), row_styles.map(lambda look: label(look.name))
    rows = rows.assign(name=rows["system"], symbol=symbols, color=colors, tick=ticks)
    return forest(rows, label(measure), alt_start, f"{measure} is undefined for every system.")


def leaderboard(result: Result, measure: str) -> Chart:
    """Draw each system's value with its interval and runs, baselines last."""
    rows = rows_of(result, measure)
    rows = rows.assign(last=rows["system"].isin(BASELINES))
    if result.by_run is not None:
        runs = rows_of(replace(result, frame=result.by_run), measure).groupby("system")["value"].agg(list)
        rows = rows.assign(run_values=[runs.get(name, []) for name in rows["system"]])
    return _forest_of_systems(result, rows, str(rows["measure"].iloc[0]), f"{measure} with 95% intervals")


def by_part(result: Numbers, part: str = "part of the data") -> Chart:
    """Draw each system's value and interval per data set or part of the data, the mean last."""
    rows = result.frame[(result.frame["subset"] != "all") & ~result.frame["system"].isin(BASELINES)]
    groups = rows["subset"].str.partition(":")[2].where(rows["subset"] != MEAN, "mean")
    measure = str(rows["measure"].iloc[0]) if len(rows) else ""
    rows = rows.assign(group=groups, last=rows["subset"] == MEAN)
    return _forest_of_systems(result, rows, measure, f"{measure} by {part}")


def groups(result: Result, measure: str, terms: Mapping[str, str]) -> Chart:
    """Draw the agreement of all annotators per document type; `terms`: words from `terms_for`."""
    rows = where(result.frame, measure=measure, system="all").drop_duplicates("subset")
    names = rows["subset"].str.removeprefix("group:").replace("all", f"all {terms['documents']}")
    rows = rows.assign(name=names, color=np.where(rows["subset"] == "all", GRAY, COLORS[0]))
    measure_name = terms.get(measure, measure)
    return forest(rows, measure_name, f"{measure_name} by {terms['document']} type with 95% intervals")


def pairs_of_annotators(result: Result, measure: str, annotators: Sequence[str], terms: Mapping[str, str]) -> Chart:
    """Draw the agreement of every pair of annotators; `say`: words from `terms_for`."""
    pairs = {f"{a}|{b}": f"{a} and {b}" for a in annotators for b in annotators}
    rows = where(result.frame, measure=measure, subset="all", system=list(pairs)).dropna(subset="value")
    rows = rows.assign(name=rows["system"].map(pairs), tick=labels(rows["system"].map(pairs), 40))
    title = terms.get(measure, measure)
    return forest(rows, title, f"{title} of {pluralize(len(rows), 'pair')} of {terms['annotators']} with 95% intervals")


FEW_PAIRS = 10


def correlations(study: CorrelationStudy, average: str, kind: str, printed: pd.DataFrame) -> Chart:
    """Draw the correlation of every measure with human scores per subset, next to the published value.

    * `kind`: `all`, or the prefix of the subsets to draw; `printed`: published values in columns measure, subset, value
    """
    rows = where(study.frame, average=average)
    rows = rows[(rows["subset"] == "all") if kind == "all" else rows["subset"].str.startswith(kind)]
    rows = rows[rows["value"].notna() & ~rows["measure"].isin(SENTINELS)]
    names = rows["subset"].map(lambda subset: subset.partition(":")[2] or subset.replace("L<=", "up to "))
    rows = rows.assign(
        name=rows["measure"],
        group=[f"{name} · {pluralize(int(n), 'pair')}" for name, n in zip(names, rows["n"], strict=True)],
        color=np.where(rows["measure"] == HUMAN, GOLDEN, COLORS[0]),
        opacity=np.where(rows["n"] < FEW_PAIRS, 0.4, 1.0),
    )
    published = printed.rename(columns={"value": "published"})[["measure", "subset", "published"]]
    rows = rows.merge(published, on=["measure", "subset"], how="left")
    correlation = study.found.study.correlation.capitalize()
    alt_if_empty = "No correlation with human scores is defined: the scores of the measures or of people do not vary."
    title, alt_start = f"correlation with people ({correlation})", "Correlation with human scores"
    return forest(rows, title, alt_start, alt_if_empty, rangemode="normal")


def strip(sensitivity: Sensitivity, summary: str) -> Chart:
    """Draw one row per system: settings of the grid as dots, presets as symbols, current settings as a long mark."""
    frame, ranges = sensitivity.frame[sensitivity.frame["value"].notna()], sensitivity.ranges
    frame = frame.assign(recipe=[", ".join(values) for values in frame[list(GRID)].itertuples(index=False)])
    grid, presets = frame[frame["kind"] == "grid"], frame[frame["kind"] == "preset"]
    systems, hover = ranges["system"].tolist(), "%{x:.3f}: %{text}"
    styles, traces = looks(systems), list[Part]()
    colors = [styles[name].color for name in systems]
    for row, name in enumerate(systems):
        rows = grid[grid["system"] == name]
        # Dots are jittered by multiples of the golden ratio, so that the same data give the same picture.
        heights = row - 0.05 - 0.3 * ((np.arange(len(rows)) * 0.618034) % 1)
        extra: Part = {"name": label(styles[name].name), "text": plain(rows["recipe"]), "showlegend": False}
        extra["hovertemplate"] = f"{hover}{whole_name(name)}"
        traces.append(dotted(rows["value"], heights, colors[row], size=5, marker={"opacity": 0.45}, **extra))
    for symbol, (preset, rows) in zip(cycle(_PRESET_SYMBOLS), presets.groupby("preset", sort=False), strict=False):
        heights = rows["system"].map(systems.index) + 0.1 + 0.025 * _PRESET_SYMBOLS.index(symbol)
        extra = {"text": plain(rows["recipe"]), "hovertemplate": hover, "marker": {"line": {"width": 1.5}}}
        extra["name"] = label(in_words("preset", str(preset)))
        traces.append(dotted(rows["value"], heights, GRAY, symbol, 9, **extra))
    indices = list(range(len(systems)))
    extra = {"name": "in use", "hovertemplate": "%{x:.3f}", "marker": {"line": {"width": 3}}}
    traces.append(dotted(ranges["current"], indices, colors, "line-ns-open", 38, **extra))
    names, y_range = labels(look.name for look in styles.values()), [len(systems) - 0.5, -0.5]
    y = axis(tickvals=indices, ticktext=names, range=y_range, automargin=True, zeroline=False)
    facts = {"presets": presets["preset"].nunique(), "combinations": sensitivity.combinations, "summary": summary}
    alt = say("all conventions", measure=sensitivity.measure, ranges=ranges.to_dict("records"), **facts)
    return Chart(laid_out(traces, 150 + 84 * len(systems), axis(label(sensitivity.measure)), y), alt)


_SHADES = dict(zip(TYPES, ("#08519C", "#3182BD", "#6BAED6", "#9ECAE1", "#C6DBEF", "#BDBDBD"), strict=True))


def histogram(
    documents: pd.DataFrame, measure: str, bands: Iterable[tuple[float, str]], terms: Mapping[str, str]
) -> Chart:
    """Draw the distribution of agreement over documents; `bands`: lower bound and word; `terms`: see `groups`."""
    measure_name, noun, defined = terms.get(measure, measure), terms["documents"], documents[measure].dropna()
    trace: Part = {"type": "histogram", "x": plain(defined), "name": noun, "marker": {"color": COLORS[0]}}
    trace |= {"xbins": {"start": -1, "end": 1.05, "size": 0.05}, "showlegend": False}
    trace["hovertemplate"] = "%{y} " + noun + " with " + measure_name + " %{x}<extra></extra>"
    low = float(np.floor(defined.min() * 20) / 20) if len(defined) else 0.0
    font = {"size": 11, "color": GRAY}
    anchor: Part = {"yref": "paper", "yanchor": "bottom", "xanchor": "left", "textangle": -20, "font": font}
    edges = {edge: word for edge, word in bands if edge > low}
    top = 1.05 if len(defined) and reaches(defined.max(), 1) else 1
    steps: Part = {"dtick": 1} if len(defined) < 6 else {}  # Plotly would print 0 0 1 1
    x, y = axis(measure_name, range=[min(low, 0.0), top]), axis(noun, tickformat="d", **steps)
    extra: Part = {"shapes": [upright(edge, color=GRAY, width=1, dash="dot") for edge in edges]}
    extra["annotations"] = [words_at(edge, 1, word, **anchor) for edge, word in edges.items()]
    middle = number(float(defined.median())) if len(defined) else "undefined"
    alt = f"{measure_name} of {pluralize(len(defined), terms['document'])} as a histogram; the median is {middle}."
    return Chart(laid_out([trace], 320, x, y, margin={"t": 40}, bargap=0.05, **extra), alt)


def type_bars(counts: pd.DataFrame, unit: str) -> Chart:
    """Draw how many predictions or gold entries of each system have each type; `counts`: from `NearMisses.counts`."""
    names, traces = labels(look.name for look in looks(counts["system"]).values()), list[Part]()
    for kind, color in ((kind, color) for kind, color in _SHADES.items() if counts[kind].any()):
        hover, marker = "%{y}, " + NEAR[kind] + ": %{x}<extra></extra>", {"color": color, "line": {"width": 0}}
        bar = {"type": "bar", "orientation": "h", "x": plain(counts[kind]), "y": names, "name": NEAR[kind]}
        traces.append({**bar, "marker": marker, "hovertemplate": hover})
    extra: Part = {"barmode": "stack", "bargap": 0.35, "legend": {"traceorder": "normal"}}
    figure = laid_out(traces, 130 + 40 * len(names), axis(unit), names_axis(), **extra)
    rows = counts.assign(all=counts[list(TYPES)].sum(axis=1)).to_dict("records")
    return Chart(figure, say("types of near misses", what=unit, rows=rows))
