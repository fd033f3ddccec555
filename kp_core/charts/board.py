"""Turn values into rows of a leaderboard, with each system's value and its curve over k as small SVG pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import pandas as pd

from kp_core.charts.screen_tables import column_of
from kp_core.charts.selection import Curve, over_numbers, rows_of
from kp_core.charts.style import Look, looks
from kp_core.scoring.counts import BASELINES, HUMANS, ORACLE
from kp_core.scoring.order import best_first, digits_apart, exceeds, leveled, reaches
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result
from kp_core.typeset import number, say

#: Width and height in pixels of pictures: a value, a curve, and the values of one or two systems on a document.
_VALUE, _CURVE, _PAIR = (240, 24), (120, 26), 84
_NO_PARTS = dict.fromkeys(("axis", "line", "people", "interval", "runs", "marks", "points", "at"), ())


@dataclass(frozen=True)
class Row:
    """A row of the leaderboard.

    * `rank`: empty for baselines
    * `mark`, `value`, `curve`: the system's symbol, its value with the interval, and its curve over k, as data URLs
    * `cells`: further measure → value as text
    * `gap_text`, `value_text`: gap to the best with its grade; value and interval as text
    """

    system: str
    rank: str
    mark: str
    number: str
    value: str
    curve: str
    cells: Mapping[str, str]
    gap_text: str
    value_text: str


def rows(
    result: Result, over: Result, measure: str, cells: Mapping[str, Mapping[str, float]], comparison: Comparison | None
) -> list[Row]:
    """Return one row per system, best first, then the baselines; human agreement is a line in every picture.

    * `result`: values at the cutoff; `over`: values at every cutoff; `cells`: further measure → system → value
    """
    table = rows_of(result, measure)
    scored = table[~table["system"].isin([HUMANS, ORACLE])]
    scored = scored.assign(last=scored["system"].isin(BASELINES))
    order: dict[str, Any] = {"kind": "stable", "na_position": "last", "key": leveled}
    scored = scored.sort_values(["last", "value"], ascending=[True, False], **order)
    human = table.loc[table["system"] == HUMANS, "value"].dropna()
    highest_end = pd.concat([scored["value"], scored["high"], human]).max()
    axis_end = float(highest_end) * 1.04 if highest_end > 0 else 1.0
    styles, curves = looks(result.frame["system"]), over_numbers(over, measure)
    shown = [curve.defined().value for name, curve in curves.items() if name not in (ORACLE, HUMANS)] or [[*human]]
    values = [0.0, *chain.from_iterable(shown)]
    bottom, top = (min(values), max(values[1:])) if values[1:] else (0.0, 1.0)
    gaps = _gaps_to_best(comparison)
    by_run = rows_of(replace(result, frame=result.by_run), measure) if result.by_run is not None else table.head(0)
    board = list[Row]()
    ranked = scored.loc[~scored["last"], "value"].dropna().to_numpy()
    for _, row in scored.iterrows():
        name, look, text = str(row["system"]), styles[row["system"]], number(row["value"])
        look = replace(look, symbol="circle") if row["last"] else look
        bounds = f" [{number(row['low'])}, {number(row['high'])}]" if row["low"] == row["low"] else ""
        rank = "" if row["last"] else str(1 + int((~reaches(row["value"], ranked)).sum()))
        mark = _picture((16, 16), look, marks=[(look, 8)])
        value_picture = _value(row, look, axis_end, human, by_run.loc[by_run["system"] == name, "value"])
        curve = _curve(curves[name], look, bottom, top, result.settings.k[0]) if name in curves else ""
        other_values = {title: number(values[name]) for title, values in cells.items() if name in values}
        board.append(Row(name, rank, mark, text, value_picture, curve, other_values, gaps.get(name, ""), text + bounds))
    return board


def _gaps_to_best(comparison: Comparison | None) -> dict[str, str]:
    """Return system → gap to the best system and its grade, as text.

    >>> from kp_core import compare, load
    >>> systems = {"a": {"d": ["tide"], "e": ["sea"]}, "b": {"d": ["sea"], "e": ["tide"]}}
    >>> _gaps_to_best(compare(load({"d": ["tide"], "e": ["tide"]}, systems), k=1))
    {'a': 'best', 'b': 'equal · not significant'}
    """
    if comparison is None or not comparison.scores:
        return {}
    best = best_first(comparison.scores)[0]
    gaps = {best: "best"}
    for worse in comparison.scores:
        difference = comparison.difference(best, worse)
        if difference is None or not reaches(ahead := difference.difference, 0):
            continue
        is_identical = comparison.identical.get(worse, worse) == comparison.identical.get(best, best)
        grade = "identical" if is_identical else comparison.grade(best, worse)
        gap = number(ahead, digits_apart(ahead, 0))
        tiny = "< 0.001" if exceeds(ahead, 0) else "equal"
        gaps[worse] = f"−{gap} · {grade}" if gap.strip("0.") else f"{tiny} · {grade}"
    return gaps


def _picture(size: tuple[int, int], look: Look, **parts: Any) -> str:
    svg = say("picture", width=size[0], height=size[1], look=look, **(_NO_PARTS | parts))
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def line(look: Look) -> str:
    """Return a picture of a system's line for a shared legend."""
    return _picture((36, 10), look, line=True)


def _value(row: pd.Series, look: Look, axis_end: float, human_values: Iterable[float], runs: Iterable[float]) -> str:
    """Draw a value as a dot with its interval, its runs as small dots, and human agreement as a dashed line."""

    def x_positions(*values: float) -> list[float]:
        return [6 + (_VALUE[0] - 12) * max(0.0, value) / axis_end for value in values if value == value]

    marks, interval = [(look, x) for x in x_positions(row["value"])], x_positions(row["low"], row["high"])
    parts = {"people": x_positions(*human_values), "interval": interval, "runs": x_positions(*runs), "marks": marks}
    return _picture(_VALUE, look, axis=(0, 240, 0.25), **parts)


def _curve(curve: Curve, look: Look, bottom: float, top: float, cutoff: int | str) -> str:
    defined = curve.defined()
    if len(defined.k) < 2 or top <= bottom:
        return ""
    (width, height), first, last = _CURVE, defined.k[0], defined.k[-1]
    x = [5 + (width - 10) * (k - first) / (last - first) for k in defined.k]
    y = [height - 3 - (height - 6) * (value - bottom) / (top - bottom) for value in defined.value]
    points = dict(zip(defined.k, zip(x, y, strict=True), strict=True))
    return _picture(_CURVE, look, points=points.values(), at=[point for k, point in points.items() if k == cutoff])


def pairs(documents: pd.DataFrame, systems: Sequence[str], styles: Mapping[str, Look], height: int = 24) -> list[str]:
    """Return a picture for each document, with the values of one or two systems as dots."""
    columns, width = [column_of(name) for name in systems], _PAIR
    axis_end = float(documents[columns].max().max()) if len(documents) else 1.0
    pictures = list[str]()
    for row in documents[columns].itertuples(index=False):
        defined = [(styles[name], max(0.0, value)) for name, value in zip(systems, row, strict=True) if value == value]
        marks = [(look, 8 + (width - 16) * value / (axis_end or 1.0)) for look, value in defined[::-1]]
        pictures.append(_picture((width, height), styles[systems[0]], axis=(4, width - 4, 0.35), marks=marks))
    return pictures
