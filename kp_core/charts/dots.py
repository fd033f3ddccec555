"""Turn values with intervals into bars and dots, and counts into stacked bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np
import pandas as pd

from kp_core.charts.pieces import (
    above_panel,
    axis,
    dots_of,
    dotted,
    error_bars,
    laid_out,
    names_axis,
    plain,
    upright,
    words_at,
)
from kp_core.charts.selection import NEAR, rows_of, where
from kp_core.charts.style import COLOURS, GOLDEN, GREY, ORACLE, REFERENCES, TEXT, Chart, Part, label, labels, looks
from kp_core.errors import counted
from kp_core.order import exceeds, highest, leveled, reaches
from kp_core.scoring.counts import BASELINES
from kp_core.settings import change_in_words, in_words
from kp_core.similarity.relation import TYPES
from kp_core.studies.correlation.correlate import SENTINELS, CorrelationStudy
from kp_core.studies.correlation.estimates import HUMAN
from kp_core.studies.means import MEAN
from kp_core.studies.result import Result
from kp_core.studies.spread import GRID, Spread
from kp_core.typeset import number

#: One for each preset, in their order; all can be told apart without colour.
_PRESET_SYMBOLS = (
    *("circle-open", "square-open", "diamond-open", "triangle-up-open", "triangle-down-open", "star-open"),
    *("cross-open", "hexagon-open", "bowtie-open", "hourglass-open", "pentagon-open", "hexagram-open"),
)
#: Rows of the chart of effects; what changes less is left to the table.
_MOST = 12


def _values(names: Iterable[str], values: Iterable[float], separator: str = "; ") -> str:
    return separator.join(f"{name} {number(value)}" for name, value in zip(names, values, strict=True))


def leaderboard(result: Result, measure: str) -> Chart:
    """Draw the value of each system as a dot with its interval and its number; the best on top, baselines below.

    Without the oracle: it would take the room from the systems. Every dot carries the name of its system.
    """
    rows = rows_of(result, measure)
    rows = rows[rows["value"].notna() & (rows["system"] != ORACLE)]
    rows = rows.assign(last=rows["system"].isin(BASELINES))
    rows = rows.sort_values(["last", "value"], ascending=[True, False], kind="stable")
    drawn, names = looks(result.frame["system"]), labels(rows["system"])
    traces, notes = list[Part](), list[Part]()
    for place, ((_, row), name) in enumerate(zip(rows.iterrows(), names, strict=True)):
        look, one = drawn[row["system"]], rows.loc[[row.name]]
        more = {"symbol": "circle" if row["system"] in REFERENCES else look.symbol, "size": 11}
        more |= {"error_x": error_bars(one, look.colour), "customdata": [row["system"]]}
        traces.append(dots_of(one, [name], look.colour, cliponaxis=False, **more))  # a dot at 0 is whole
        if result.by_run is not None:
            runs = rows_of(replace(result, frame=result.by_run), measure)
            values = runs.loc[runs["system"] == row["system"], "value"]
            small: Part = {"opacity": 0.55, "showlegend": False, "hovertemplate": "a run: %{x:.3f}<extra></extra>"}
            traces.append(dotted(values, [name] * len(values), look.colour, size=6, cliponaxis=False, **small))
        # By its row and not by its name: a system may be called “07”, which would be taken for the eighth row.
        right = {"xref": "paper", "xanchor": "left", "xshift": 8, "font": {"size": 14, "color": TEXT}}
        notes.append(words_at(1, place, f"<b>{number(row['value'], 3)}</b>", **right))
    x = axis(label(rows["measure"].iloc[0] if len(rows) else measure), rangemode="tozero")
    y, margin = names_axis(tickfont={"size": 14}), {"r": 64}
    alt = f"{measure} with 95 % intervals: {_values(rows['system'], rows['value'])}."
    figure = laid_out(traces, 90 + 40 * max(1, len(rows)), x, y, annotations=notes, margin=margin)
    return Chart(figure, alt if len(rows) else f"{measure} is undefined for every system.")


def by_dataset(result: Result, measure: str) -> Chart:
    """Draw the value of each system on each data set as a dot with its interval and number, a column a data set.

    The mean comes last; systems are in the order of their means, and the best of a column is bold.
    """
    rows = result.frame[result.frame["value"].notna() & ~result.frame["system"].isin(BASELINES)]
    subsets = [*(name for name in dict.fromkeys(rows["subset"]) if name != MEAN), MEAN]
    means = rows[rows["subset"] == MEAN].sort_values("value", ascending=False, kind="stable", key=leveled)["system"]
    systems = list(dict.fromkeys([*means, *rows["system"]]))
    drawn, names = looks(result.frame["system"]), dict(zip(systems, labels(systems), strict=True))
    width, traces, notes, axes = 1 / len(subsets), list[Part](), list[Part](), Part()
    for place, subset in enumerate(subsets):
        own, panel = rows[rows["subset"] == subset], str(place + 1) if place else ""
        best = highest(dict(zip(own["system"], own["value"], strict=True))) if len(own) else ()
        for _, row in own.iterrows():
            one, look = own.loc[[row.name]], drawn[row["system"]]
            more = {"symbol": look.symbol, "error_x": error_bars(one, look.colour), "cliponaxis": False}
            traces.append(dots_of(one, [names[row["system"]]], look.colour, xaxis=f"x{panel}", yaxis="y", **more))
            text = number(row["value"], 3)
            shown, at = f"<b>{text}</b>" if row["system"] in best else text, (place + 0.98) * width
            style = {"xref": "paper", "xanchor": "right", "font": {"size": 13, "color": TEXT}}
            notes.append(words_at(at, names[row["system"]], shown, **style))
        head = "mean" if subset == MEAN else subset.removeprefix("dataset:")
        notes.append(above_panel((place + 0.35) * width, head))
        domain = [place * width + 0.01 * bool(place), (place + 0.7) * width]
        scale: Part = {"matches": "x"} if place else {"rangemode": "tozero"}
        axes[f"xaxis{panel}"] = axis(domain=domain, nticks=3, anchor="y", **scale)
    order = [names[name] for name in systems]
    y = names_axis(categoryorder="array", categoryarray=order)
    said = "; ".join(
        f"{'mean' if subset == MEAN else subset.removeprefix('dataset:')}: "
        + _values(own["system"], own["value"], ", ")
        for subset, own in rows.groupby("subset", sort=False)
    )
    figure = laid_out(traces, 110 + 40 * max(1, len(systems)), None, y, annotations=notes, margin={"t": 34}, **axes)
    return Chart(figure, f"{measure} by data set with 95 % intervals: {said}.")


def by_part(result: Result) -> Chart:
    """Draw one measure of each system for the parts of the data as points with intervals; one row a part."""
    rows = result.frame[result.frame["subset"] != "all"]
    rows = rows.assign(part=rows["subset"].str.partition(":")[2])
    parts, drawn, traces = list(dict.fromkeys(rows["part"])), looks(rows["system"]), list[Part]()
    for step, (name, look) in enumerate(drawn.items()):
        own = rows[rows["system"] == name].set_index("part").reindex(parts)
        heights = np.arange(len(parts)) + min(0.12, 0.8 / len(drawn)) * (step - (len(drawn) - 1) / 2)
        more = {"name": label(name), "error_x": error_bars(own, look.colour), "hovertemplate": "%{x:.3f}"}
        traces.append(dotted(own["value"], heights, look.colour, look.symbol, 9, **more))
    places, measure = list(range(len(parts))), label(rows["measure"].iloc[0]) if len(rows) else ""
    y = axis(tickvals=places, ticktext=labels(parts), autorange="reversed", automargin=True)
    by_part = rows.groupby("part", sort=False)
    said = "; ".join(f"{part}: {_values(own['system'], own['value'], ', ')}" for part, own in by_part)
    x, height = axis(measure, rangemode="tozero"), 130 + max(60, 15 * len(drawn)) * len(parts)
    return Chart(laid_out(traces, height, x, y), f"{measure} by part of the data: {said}.")


def groups(result: Result, measure: str, say: Mapping[str, str]) -> Chart:
    """Draw a measure of all annotators together for each document type, with intervals; say: what these are called."""
    rows = where(result.frame, measure=measure, system="all").drop_duplicates("subset")
    named, every = say.get(measure, measure), f"all {say['documents']}"
    names = labels(every if part == "all" else part.removeprefix("group:") for part in rows["subset"])
    trace = dots_of(rows, names, [GREY if subset == "all" else COLOURS[0] for subset in rows["subset"]])
    alt = f"{named} by {say['document']} type with 95 % intervals: {_values(names, rows['value'])}."
    return Chart(laid_out([trace], 100 + 44 * len(rows), axis(named, rangemode="tozero"), names_axis()), alt)


def pairs_of_annotators(result: Result, measure: str, annotators: Sequence[str], say: Mapping[str, str]) -> Chart:
    """Draw the agreement of every pair of annotators as a dot with its interval, the closest pair on top.

    say: what measures and people are called
    """
    rows = where(result.frame, measure=measure, subset="all")
    pairs = {f"{a}|{b}": f"{a} and {b}" for a in annotators for b in annotators}
    rows = rows[rows["system"].isin(pairs) & rows["value"].notna()].sort_values(
        "value", ascending=False, kind="stable", key=leveled
    )
    names = labels(rows["system"].map(pairs), 40)
    trace = dots_of(rows, names, COLOURS[0], cliponaxis=False)
    right = {"xref": "paper", "xanchor": "left", "xshift": 8, "font": {"size": 14, "color": TEXT}}
    notes = [words_at(1, place, f"<b>{number(value)}</b>", **right) for place, value in enumerate(rows["value"])]
    named = say.get(measure, measure)
    x = axis(named, rangemode="tozero")
    figure = laid_out([trace], 80 + 34 * max(1, len(rows)), x, names_axis(), annotations=notes, margin={"r": 60})
    said = _values(rows["system"].map(pairs), rows["value"])
    return Chart(figure, f"{named} of {counted(len(rows), 'pair')} of {say['annotators']} with 95 % intervals: {said}.")


#: Subsets of fewer pairs than these are pale.
FEW_PAIRS = 10


def correlations(study: CorrelationStudy, average: str, kind: str, printed: pd.DataFrame) -> Chart:
    """Draw the correlation of every measure with people within the subsets of a kind, beside the published value.

    kind: `all`, or what the names of the subsets begin with; printed: columns measure, subset, value. Subsets without
    a value are left out, those of few pairs are pale; the best measure of each is bold.
    """
    rows = where(study.frame, average=average)
    rows = rows[(rows["subset"] == "all") if kind == "all" else rows["subset"].str.startswith(kind)]
    rows = rows[rows["value"].notna() & ~rows["measure"].isin(SENTINELS)]
    published = {(row.measure, row.subset): row.value for row in printed.itertuples()}
    heights, ticks, traces, notes = list[int](), list[str](), list[Part](), list[Part]()
    place, said = 0, list[str]()
    for subset, own in rows.groupby("subset", sort=False):
        own = own.sort_values("value", ascending=False, kind="stable", key=leveled)
        best = own.loc[own["measure"] != HUMAN, "measure"].head(1).tolist()
        few, number_of = int(own["n"].iloc[0]) < FEW_PAIRS, counted(int(own["n"].iloc[0]), "pair")
        name = "all" if subset == "all" else str(subset).partition(":")[2] or str(subset).replace("L<=", "up to ")
        head = f"<b>{label(name)}</b> · {number_of}"
        notes.append(words_at(0, place, head, xref="paper", xanchor="left", xshift=4, font={"size": 13, "color": TEXT}))
        place += 1
        colours = [GOLDEN if measure == HUMAN else COLOURS[0] for measure in own["measure"]]
        spots = list(range(place, place + len(own)))
        more: Part = {"opacity": 0.4 if few else 1.0, "showlegend": False, "hovertemplate": "%{x:.3f}<extra></extra>"}
        traces.append(dotted(own["value"], spots, colours, error_x=error_bars(own), **more))
        known = [(spot, published.get((measure, subset))) for spot, measure in zip(spots, own["measure"], strict=True)]
        known = [(spot, value) for spot, value in known if value is not None and value == value]
        if known:
            marker: Part = {
                "showlegend": not said,
                "name": "published",
                "hovertemplate": "published %{x:.3f}<extra></extra>",
            }
            traces.append(dotted([v for _, v in known], [s for s, _ in known], GREY, "diamond-open", 9, **marker))
        for spot, measure in zip(spots, own["measure"], strict=True):
            heights.append(spot)
            ticks.append(f"<b>{label(measure)}</b>" if measure in best else label(measure))
        said.append(f"{name} ({number_of}): {_values(own['measure'], own['value'], ', ')}")
        place += len(own)
    y = axis(tickvals=heights, ticktext=ticks, range=[max(place, 1) - 0.4, -0.6], automargin=True, zeroline=False)
    x = axis(f"correlation with people ({study.found.study.correlation.capitalize()})")
    zero = upright(0, color=GREY, width=1)
    figure = laid_out(traces, 90 + 24 * max(1, place), x, y, annotations=notes, shapes=[zero])
    return Chart(figure, f"Correlation with human scores: {'; '.join(said)}.")


def strip(spread: Spread, said: str) -> Chart:
    """Draw one row a system: dots are settings of the grid, symbols presets, the long mark the setting in use.

    said: the range of the best system in a sentence
    """
    frame, ranges = spread.frame[spread.frame["value"].notna()], spread.ranges
    frame = frame.assign(recipe=[", ".join(values) for values in frame[list(GRID)].itertuples(index=False)])
    grid, presets = frame[frame["kind"] == "grid"], frame[frame["kind"] == "preset"]
    systems, hover = ranges["system"].tolist(), "%{x:.3f}: %{text}"
    drawn, traces = looks(systems), list[Part]()
    colours = [drawn[name].colour for name in systems]
    for row, name in enumerate(systems):
        own = grid[grid["system"] == name]
        # Scattered without chance, so that the same data give the same picture.
        heights = row - 0.05 - 0.3 * ((np.arange(len(own)) * 0.618034) % 1)
        more: Part = {"name": label(name), "text": plain(own["recipe"]), "hovertemplate": hover, "showlegend": False}
        traces.append(dotted(own["value"], heights, colours[row], size=5, marker={"opacity": 0.45}, **more))
    for symbol, (preset, own) in zip(cycle(_PRESET_SYMBOLS), presets.groupby("preset", sort=False), strict=False):
        heights = own["system"].map(systems.index) + 0.1 + 0.025 * _PRESET_SYMBOLS.index(symbol)
        more = {"text": plain(own["recipe"]), "hovertemplate": hover, "marker": {"line": {"width": 1.5}}}
        more["name"] = label(in_words("preset", str(preset)))
        traces.append(dotted(own["value"], heights, GREY, symbol, 9, **more))
    places = list(range(len(systems)))
    more = {"name": "in use", "hovertemplate": "%{x:.3f}", "marker": {"line": {"width": 3}}}
    traces.append(dotted(ranges["current"], places, colours, "line-ns-open", 38, **more))
    shown, ends = [label(name) for name in systems], [len(systems) - 0.5, -0.5]
    y = axis(tickvals=places, ticktext=shown, range=ends, automargin=True, zeroline=False)
    values = "; ".join(
        f"{row.system} {number(row.low)} to {number(row.high)}, in use {number(row.current)}"
        for row in ranges.itertuples()
    )
    alt = f"{spread.measure} under {presets['preset'].nunique()} presets and {spread.combinations} settings: {values}."
    return Chart(laid_out(traces, 150 + 84 * len(systems), axis(label(spread.measure)), y), f"{alt} {said}")


def effects(spread: Spread) -> Chart:
    """Draw what each single change does to each system, the largest effects on top; what changes nothing is left out.

    At most twelve changes are drawn, and not `gold_stemmed`: it says how the gold standard was released, and is no
    choice that two papers could make differently.
    """
    rows = spread.changes[spread.changes["field"] != "gold_stemmed"]
    said = [change_in_words(field, now) for field, now in zip(rows["field"], rows["now"], strict=True)]
    rows = rows.assign(named=said, size=rows["change"].abs())
    largest = rows.groupby("named", sort=False)["size"].max().sort_values(ascending=False, kind="stable")
    effective = largest[exceeds(largest, 0)].index.tolist()
    drawn, traces = effective[:_MOST], list[Part]()
    rows = rows[rows["named"].isin(drawn)]
    order = [label(change, 46) for change in drawn]
    hover = "%{y}: %{x:+.3f}, to %{customdata:.3f}"
    for name, look in looks(spread.ranges["system"]).items():
        own = rows[rows["system"] == name]
        heights = own["named"].map(dict(zip(drawn, order, strict=True)))
        more: Part = {"name": label(name), "customdata": plain(own["value"]), "hovertemplate": hover}
        traces.append(dotted(own["change"], heights, look.colour, look.symbol, **more))
    y = axis(categoryorder="array", categoryarray=order, autorange="reversed", automargin=True)
    x = axis(f"change of {label(spread.measure)} from the conventions in use", tickformat="+.2~f")
    zero = upright(0, color=GREY, width=1.5)
    figure = laid_out(traces, 130 + 32 * max(1, len(order)), x, y, shapes=[zero])
    if not order:
        return Chart(figure, f"No single change of a convention changes {spread.measure} of any system.")
    top = rows.loc[rows["size"].idxmax()]
    alt = (
        f"Effect of {len(order)} single changes of a convention on {spread.measure}; the largest: {top['named']} "
        f"changes {top['system']} by {top['change']:+.3f}."
    )
    left = len(effective) - len(order)
    return Chart(figure, alt + (f" {left} smaller ones are in the table." if left else ""))


#: From a hit to nothing in common: dark to pale, so that the order shows without colour too.
_SHADES = dict(zip(TYPES, ("#08519C", "#3182BD", "#6BAED6", "#9ECAE1", "#C6DBEF", "#BDBDBD"), strict=True))


def histogram(
    documents: pd.DataFrame, measure: str, bands: Iterable[tuple[float, str]], say: Mapping[str, str]
) -> Chart:
    """Draw how many documents have which agreement, by document type, with bands (from, word) as dotted lines.

    say: what measures, documents and people are called
    """
    shown, things = say.get(measure, measure), say["documents"]
    defined = documents[documents[measure].notna()]
    kinds, traces = [kind for kind in dict.fromkeys(defined["group"]) if kind] or [""], list[Part]()
    usual: Part = {"xbins": {"start": -1, "end": 1.05, "size": 0.05}, "showlegend": len(kinds) > 1}
    usual["hovertemplate"] = "%{y} " + things + " with " + shown + " %{x}<extra></extra>"
    for place, kind in enumerate(kinds):
        values = defined.loc[defined["group"] == kind, measure] if len(kinds) > 1 else defined[measure]
        colour, name = COLOURS[place % len(COLOURS)], label(kind or things)
        traces.append({"type": "histogram", "x": plain(values), "name": name, "marker": {"color": colour}, **usual})
    low = float(np.floor(defined[measure].min() * 20) / 20) if len(defined) else 0.0
    font = {"size": 11, "color": GREY}
    above: Part = {"yref": "paper", "yanchor": "bottom", "xanchor": "left", "textangle": -20, "font": font}
    edges = {edge: word for edge, word in bands if edge > low}
    top = 1.05 if len(defined) and reaches(defined[measure].max(), 1) else 1
    x, y = axis(shown, range=[min(low, 0.0), top]), axis(things, tickformat="d")
    more: Part = {"shapes": [upright(edge, color=GREY, width=1, dash="dot") for edge in edges]}
    more["annotations"] = [words_at(edge, 1, word, **above) for edge, word in edges.items()]
    middle = number(float(defined[measure].median())) if len(defined) else "undefined"
    alt = f"{shown} of {counted(len(defined), say['document'])} as a histogram; the median is {middle}."
    return Chart(laid_out(traces, 320, x, y, margin={"t": 40}, barmode="stack", bargap=0.05, **more), alt)


def type_bars(counts: pd.DataFrame, what: str) -> Chart:
    """Draw how many predictions or gold entries of each system are of each type; counts: `NearMisses.counts`."""
    names, traces = labels(counts["system"]), list[Part]()
    for kind, colour in _SHADES.items():
        hover, marker = "%{y}, " + NEAR[kind] + ": %{x}<extra></extra>", {"color": colour, "line": {"width": 0}}
        bar = {"type": "bar", "orientation": "h", "x": plain(counts[kind]), "y": names, "name": NEAR[kind]}
        traces.append({**bar, "marker": marker, "hovertemplate": hover})
    more: Part = {"barmode": "stack", "bargap": 0.35, "legend": {"traceorder": "normal"}}
    figure = laid_out(traces, 130 + 40 * len(names), axis(what), names_axis(), **more)
    said = "; ".join(
        f"{row['system']}: {row['EXACT']} of {row['all']} the same, {row['NONE']} with nothing in common"
        for row in counts.assign(all=counts[list(TYPES)].sum(axis=1)).to_dict("records")
    )
    return Chart(figure, f"Types of {what} by system as stacked bars. {said}.")
