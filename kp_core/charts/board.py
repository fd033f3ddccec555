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

#: Width and height of the picture of a value, of that of a curve, and of one of two values.
_VALUE, _CURVE, _PAIR = (240, 24), (120, 26), (84, 24)
#: What a picture may hold.
_NO_PARTS = dict.fromkeys(("axis", "line", "people", "interval", "runs", "marks", "points", "at"), ())


@dataclass(frozen=True)
class Row:
    """A row of the board: who, and what occurs in its columns.

    rank   as a number; empty for baselines, which have none; said: value and interval in words
    mark, value, curve: addresses of pictures: how the system is drawn, its value with the interval, its value over k
    cells  name of a further measure → value; behind: difference to the best with its verdict
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
    """Return a row for each system, the best first, then the baselines; people are no row but a line through all.

    result: at the cutoff; over: at every cutoff; cells: measure → system → value
    """
    table = rows_of(result, measure)
    own = table[~table["system"].isin([HUMANS, ORACLE])]
    own = own.assign(last=own["system"].isin(BASELINES))
    own = own.sort_values(["last", "value"], ascending=[True, False], kind="stable", na_position="last", key=leveled)
    people = table.loc[table["system"] == HUMANS, "value"].dropna()
    ceiling = float(people.iloc[0]) if len(people) else None
    ends = pd.concat([own["value"], own["high"], people]).max()
    most = float(ends) * 1.04 if ends == ends and ends > 0 else 1.0
    drawn, systems = looks(result.frame["system"]), over_numbers(over, measure)
    every = pd.concat([row["value"] for name, row in systems.items() if name not in (ORACLE, HUMANS)] or [people])
    low, high = (min(0.0, float(every.min())), float(every.max())) if every.notna().any() else (0.0, 1.0)
    behind = _behind(comparison)
    by_run = rows_of(replace(result, frame=result.by_run), measure) if result.by_run is not None else table.head(0)
    found, place = list[Row](), 0
    for _, row in own.iterrows():
        name, look, known = str(row["system"]), drawn[row["system"]], row["low"] == row["low"]
        baseline = bool(row["last"])
        place += not baseline
        look = replace(look, symbol="circle") if baseline else look
        curve = systems.get(name)
        found.append(
            Row(
                name,
                "" if baseline else str(place),
                _picture((16, 16), look, marks=[(look, 8)]),
                number(row["value"]),
                _value(row, look, most, ceiling, by_run.loc[by_run["system"] == name, "value"]),
                _curve(curve, look, low, high, result.settings.k[0]) if curve is not None else "",
                {title: number(values[name]) for title, values in cells.items() if name in values},
                behind.get(name, ""),
                number(row["value"]) + (f" [{number(row['low'])}, {number(row['high'])}]" if known else ""),
            )
        )
    return found


def _behind(comparison: Comparison | None) -> dict[str, str]:
    """Return for every system but the best its difference to the best, and how sure that is."""
    if comparison is None or not comparison.scores:
        return {}
    pairs = comparison.better_first()
    best = best_first(comparison.scores)[0]
    marks = {best: "best"}
    for row in pairs[pairs["a"] == best].to_dict("records"):
        worse = str(row["b"])
        same = comparison.identical.get(worse, worse) == comparison.identical.get(best, best)
        sure = "identical" if same else comparison.grade(best, worse)
        marks[worse] = f"−{number(row['difference'], digits_apart(row['difference'], 0))} · {sure}"
    return marks


def _picture(size: tuple[int, int], look: Look, **parts: Any) -> str:
    """Return a picture of a size as the address of an image, since a page takes no drawing in its text."""
    drawn = say("picture", width=size[0], height=size[1], look=look, **(_NO_PARTS | parts))
    return f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"


def line(look: Look) -> str:
    """Return a picture of a system's line, for a legend shared by several pictures."""
    return _picture((36, 10), look, line=True)


def _value(row: pd.Series, look: Look, most: float, ceiling: float | None, runs: Iterable[float]) -> str:
    """Draw a value as a dot with its interval, its runs as small ones; a dashed line marks human agreement."""

    def along(*values: float | None) -> list[float]:
        known = [value for value in values if value is not None and value == value]
        return [6 + (_VALUE[0] - 12) * max(0.0, value) / most for value in known]

    marks = [(look, x) for x in along(row["value"])]
    interval, people = along(row["low"], row["high"]), along(ceiling)
    return _picture(_VALUE, look, axis=(0, 240, 0.25), people=people, interval=interval, runs=along(*runs), marks=marks)


def _curve(rows_: pd.DataFrame, look: Look, low: float, high: float, cutoff: int | str) -> str:
    """Draw a value over k as a line, with a dot at the current cutoff."""
    known = rows_.dropna(subset="value")
    if len(known) < 2 or high <= low:
        return ""
    (width, height), first, last = _CURVE, int(known["k"].iloc[0]), int(known["k"].iloc[-1])
    x = 3 + (width - 6) * (known["k"] - first) / (last - first)
    y = height - 3 - (height - 6) * (known["value"] - low) / (high - low)
    points = pd.concat([x, y], axis=1)
    at = points[known["k"] == cutoff].to_numpy().tolist()
    return _picture(_CURVE, look, points=points.to_numpy().tolist(), at=at)


def pairs(listed: pd.DataFrame, systems: Sequence[str], drawn: Mapping[str, Look]) -> list[str]:
    """Return for each row of a table of documents the values of one or two systems as dots on a line, as data URIs."""
    columns, width = [column_of(name) for name in systems], _PAIR[0]
    most = float(listed[columns].max().max()) if len(listed) else 1.0
    found = list[str]()
    for row in listed[columns].itertuples(index=False):
        known = [(drawn[name], max(0.0, one)) for name, one in zip(systems, row, strict=True) if one == one][::-1]
        marks = [(look, 8 + (width - 16) * value / (most or 1.0)) for look, value in known]
        found.append(_picture(_PAIR, drawn[systems[0]], axis=(4, width - 4, 0.35), marks=marks))
    return found
