"""Turn values into rows of a leaderboard: a small picture of each system's value and of its curve over k, as SVG."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from kp_core.charts.screen_tables import column_of
from kp_core.charts.selection import over_numbers, rows_of
from kp_core.charts.style import ORACLE, Look, looks
from kp_core.scoring.counts import BASELINES, HUMANS
from kp_core.scoring.order import best_first, digits_apart, leveled
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result
from kp_core.typeset import number, say

#: Width and height in pixels of the pictures of a value, of a curve, and of the values of one or two systems.
_VALUE, _CURVE, _PAIR = (240, 24), (120, 26), (84, 24)
_NO_PARTS = dict.fromkeys(("axis", "line", "people", "interval", "runs", "marks", "points", "at"), ())


@dataclass(frozen=True)
class Row:
    """A row of the leaderboard.

    rank   empty for baselines
    mark, value, curve   addresses of pictures: the system's symbol, its value with the interval, its value over k
    cells  name of a further measure → value
    behind, said   gap to the best with its grade; value and interval as text
    """

    system: str
    rank: str
    mark: str
    number: str
    value: str
    curve: str
    cells: Mapping[str, str]
    behind: str
    said: str


def rows(
    result: Result, over: Result, measure: str, cells: Mapping[str, Mapping[str, float]], comparison: Comparison | None
) -> list[Row]:
    """Return one row per system, best first, then the baselines; human agreement is a line in all pictures.

    result: at the cutoff; over: at every cutoff; cells: measure → system → value
    """
    table = rows_of(result, measure)
    scored = table[~table["system"].isin([HUMANS, ORACLE])]
    scored = scored.assign(last=scored["system"].isin(BASELINES))
    order: dict[str, Any] = {"kind": "stable", "na_position": "last", "key": leveled}
    scored = scored.sort_values(["last", "value"], ascending=[True, False], **order)
    people = table.loc[table["system"] == HUMANS, "value"].dropna()
    ends = pd.concat([scored["value"], scored["high"], people]).max()
    most = float(ends) * 1.04 if ends > 0 else 1.0
    drawn, curves = looks(result.frame["system"]), over_numbers(over, measure)
    values = pd.concat([rows["value"] for name, rows in curves.items() if name not in (ORACLE, HUMANS)] or [people])
    low, high = (min(0.0, float(values.min())), float(values.max())) if values.notna().any() else (0.0, 1.0)
    behind = _gaps_to_best(comparison)
    by_run = rows_of(replace(result, frame=result.by_run), measure) if result.by_run is not None else table.head(0)
    board = list[Row]()
    for place, (_, row) in enumerate(scored.iterrows(), 1):
        name, look, text = str(row["system"]), drawn[row["system"]], number(row["value"])
        look = replace(look, symbol="circle") if row["last"] else look
        bounds = f" [{number(row['low'])}, {number(row['high'])}]" if row["low"] == row["low"] else ""
        board.append(
            Row(
                name,
                "" if row["last"] else str(place),
                _picture((16, 16), look, marks=[(look, 8)]),
                text,
                _value(row, look, most, people, by_run.loc[by_run["system"] == name, "value"]),
                _curve(curves[name], look, low, high, result.settings.k[0]) if name in curves else "",
                {title: number(values[name]) for title, values in cells.items() if name in values},
                behind.get(name, ""),
                text + bounds,
            )
        )
    return board


def _gaps_to_best(comparison: Comparison | None) -> dict[str, str]:
    """Return the gap to the best and its grade for every other system."""
    if comparison is None or not comparison.scores:
        return {}
    pairs = comparison.better_first()
    best = best_first(comparison.scores)[0]
    marks = {best: "best"}
    for row in pairs[pairs["a"] == best].to_dict("records"):
        worse = str(row["b"])
        same = comparison.identical.get(worse, worse) == comparison.identical.get(best, best)
        sure = "identical" if same else comparison.grade(best, worse)
        gap = number(row["difference"], digits_apart(row["difference"], 0))
        marks[worse] = f"−{gap} · {sure}" if gap.strip("0.") else f"< 0.001 · {sure}"
    return marks


def _picture(size: tuple[int, int], look: Look, **parts: Any) -> str:
    drawn = say("picture", width=size[0], height=size[1], look=look, **(_NO_PARTS | parts))
    return f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"


def line(look: Look) -> str:
    """Return a picture of a system's line for a shared legend."""
    return _picture((36, 10), look, line=True)


def _value(row: pd.Series, look: Look, most: float, people: Iterable[float], runs: Iterable[float]) -> str:
    """Draw a value as a dot with its interval, its runs as small dots, and human agreement as a dashed line."""

    def along(*values: float) -> list[float]:
        return [6 + (_VALUE[0] - 12) * max(0.0, value) / most for value in values if value == value]

    marks, interval = [(look, x) for x in along(row["value"])], along(row["low"], row["high"])
    parts = {"people": along(*people), "interval": interval, "runs": along(*runs), "marks": marks}
    return _picture(_VALUE, look, axis=(0, 240, 0.25), **parts)


def _curve(curve: pd.DataFrame, look: Look, low: float, high: float, cutoff: int | str) -> str:
    known = curve.dropna(subset="value")
    if len(known) < 2 or high <= low:
        return ""
    (width, height), first, last = _CURVE, int(known["k"].iloc[0]), int(known["k"].iloc[-1])
    x = 3 + (width - 6) * (known["k"] - first) / (last - first)
    y = height - 3 - (height - 6) * (known["value"] - low) / (high - low)
    points = pd.concat([x, y], axis=1)
    at = points[known["k"] == cutoff].to_numpy().tolist()
    return _picture(_CURVE, look, points=points.to_numpy().tolist(), at=at)


def pairs(listed: pd.DataFrame, systems: Sequence[str], drawn: Mapping[str, Look]) -> list[str]:
    """Return for each row of a table of documents a picture with the values of one or two systems as dots."""
    columns, width = [column_of(name) for name in systems], _PAIR[0]
    most = float(listed[columns].max().max()) if len(listed) else 1.0
    pictures = list[str]()
    for row in listed[columns].itertuples(index=False):
        known = [(drawn[name], max(0.0, value)) for name, value in zip(systems, row, strict=True) if value == value]
        marks = [(look, 8 + (width - 16) * value / (most or 1.0)) for look, value in known[::-1]]
        pictures.append(_picture(_PAIR, drawn[systems[0]], axis=(4, width - 4, 0.35), marks=marks))
    return pictures
