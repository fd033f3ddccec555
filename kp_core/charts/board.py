"""Turn values into rows of a leaderboard: a small picture of each system's value and of its curve over k, as SVG."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from kp_core.charts.screen_tables import column_of
from kp_core.charts.selection import over_numbers, rows_of
from kp_core.charts.style import GOLDEN, GREY, ORACLE, SYMBOLS, Look, looks
from kp_core.order import best_first, leveled
from kp_core.scoring.counts import BASELINES, HUMANS
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result
from kp_core.typeset import digits_apart, number

#: Width and height of the picture of a value, and of that of a curve.
_VALUE, _CURVE = (240, 24), (120, 26)
#: Symbol → its outline around 0, 0.
_OUTLINES = {
    "circle": '<circle r="5"/>',
    "square": '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
    "diamond": '<path d="M0-6 6 0 0 6-6 0Z"/>',
    "triangle-up": '<path d="M0-6 6 5H-6Z"/>',
    "x": '<path d="M-5-5 5 5M5-5-5 5" stroke-width="3" stroke="currentColor"/>',
    "star": '<path d="M0-6 2-2 6-2 3 1 4 6 0 3-4 6-3 1-6-2-2-2Z"/>',
}


@dataclass(frozen=True)
class Row:
    """A row of the board: who, and what stands in its columns.

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
    low, high = _range(systems)
    behind = _behind(comparison)
    by_run = rows_of(replace(result, frame=result.by_run), measure) if result.by_run is not None else table.head(0)
    found, place = list[Row](), 0
    for _, row in own.iterrows():
        name, look = str(row["system"]), drawn[row["system"]]
        baseline = bool(row["last"])
        place += not baseline
        look = replace(look, symbol="circle") if baseline else look
        curve = systems.get(name)
        found.append(
            Row(
                name,
                "" if baseline else str(place),
                _svg((16, 16), _mark(look, 8, 8)),
                number(row["value"]),
                _value(row, look, most, ceiling, by_run.loc[by_run["system"] == name, "value"]),
                _curve(curve, look, low, high, result.settings.k[0]) if curve is not None else "",
                {title: number(values[name]) for title, values in cells.items() if name in values},
                behind.get(name, ""),
                f"{number(row['value'])}{_interval(row)}",
            )
        )
    return found


def _interval(row: pd.Series) -> str:
    return f" [{number(row['low'])}, {number(row['high'])}]" if row["low"] == row["low"] else ""


def _behind(comparison: Comparison | None) -> dict[str, str]:
    """Return for every system but the best its difference to the best, and how sure that is."""
    if comparison is None or not comparison.scores:
        return {}
    pairs = comparison.better_first()
    best = best_first(comparison.scores)[0]
    found = {best: "best"}
    for row in pairs[pairs["a"] == best].to_dict("records"):
        worse = str(row["b"])
        same = comparison.identical.get(worse, worse) == comparison.identical.get(best, best)
        sure = "identical" if same else comparison.grade(best, worse)
        found[worse] = f"−{number(row['difference'], digits_apart(row['difference'], 0))} · {sure}"
    return found


def _range(systems: Mapping[str, pd.DataFrame]) -> tuple[float, float]:
    values = [rows["value"] for name, rows in systems.items() if name not in (ORACLE, HUMANS)]
    every = pd.concat(values) if values else pd.Series(dtype=float)
    return (min(0.0, float(every.min())), float(every.max())) if every.notna().any() else (0.0, 1.0)


def _svg(size: tuple[int, int], inside: str) -> str:
    """Return a picture of a size as the address of an image, since a page takes no drawing in its text."""
    width, height = size
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    return f"data:image/svg+xml;base64,{b64encode(f'{head}{inside}</svg>'.encode()).decode()}"


def _mark(look: Look, x: float, y: float) -> str:
    outline = _OUTLINES.get(look.symbol, _OUTLINES[SYMBOLS[0]])
    return f'<g transform="translate({x:.1f} {y:.1f})" fill="{look.colour}" color="{look.colour}">{outline}</g>'


#: Dash of a line → its pattern in SVG.
_DASHES = {"dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4", "longdash": "12 5", "longdashdot": "12 4 2 4"}


def line(look: Look) -> str:
    """Return a picture of the line of a system, for the names beside several pictures."""
    dash = f' stroke-dasharray="{_DASHES[look.dash]}"' if look.dash in _DASHES else ""
    return _svg((36, 10), f'<path d="M1 5H35" stroke="{look.colour}" stroke-width="2.2"{dash}/>')


def _value(row: pd.Series, look: Look, most: float, ceiling: float | None, runs: Iterable[float]) -> str:
    """Draw a value as a dot with its interval, its runs as small ones; a dashed line stands where people are."""
    width, height = _VALUE
    middle, inner = height / 2, width - 12
    parts = [f'<path d="M0 {middle}H{width}" stroke="{GREY}" stroke-opacity=".25"/>']
    if ceiling is not None:
        x = 6 + inner * ceiling / most
        parts.append(f'<path d="M{x:.1f} 0V{height}" stroke="{GOLDEN}" stroke-width="1.5" stroke-dasharray="3 3"/>')
    if row["low"] == row["low"]:
        ends = [6 + inner * max(0.0, row[end]) / most for end in ("low", "high")]
        parts.append(f'<path d="M{ends[0]:.1f} {middle}H{ends[1]:.1f}" stroke="{look.colour}" stroke-width="2"/>')
        parts += [f'<path d="M{x:.1f} {middle - 4}v8" stroke="{look.colour}" stroke-width="1.5"/>' for x in ends]
    for value in runs:
        x = 6 + inner * max(0.0, value) / most
        parts.append(f'<circle cx="{x:.1f}" cy="{middle}" r="3" fill="{look.colour}" fill-opacity=".55"/>')
    if row["value"] == row["value"]:
        parts.append(_mark(look, 6 + inner * max(0.0, row["value"]) / most, middle))
    return _svg(_VALUE, "".join(parts))


def _curve(rows_: pd.DataFrame, look: Look, low: float, high: float, cutoff: int | str) -> str:
    """Draw a value over k as a line, with a dot at the cutoff in use."""
    known = rows_.dropna(subset="value")
    if len(known) < 2 or high <= low:
        return ""
    width, height = _CURVE
    first, last = int(known["k"].iloc[0]), int(known["k"].iloc[-1])

    def at(k: Sequence[int], values: Sequence[float]) -> list[tuple[float, float]]:
        return [
            (3 + (width - 6) * (one - first) / (last - first), height - 3 - (height - 6) * (value - low) / (high - low))
            for one, value in zip(k, values, strict=True)
        ]

    points = at(known["k"].tolist(), known["value"].tolist())
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{line}" fill="none" stroke="{look.colour}" stroke-width="1.8"/>']
    here = known[known["k"] == cutoff]
    for x, y in at(here["k"].tolist(), here["value"].tolist()):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{look.colour}"/>')
    return _svg(_CURVE, "".join(parts))


def pairs(listed: pd.DataFrame, systems: Sequence[str], drawn: Mapping[str, Look]) -> list[str]:
    """Return for each row of a table of documents the values of one or two systems as dots on a line, as data URIs."""
    width, height = 84, 24
    columns = [column_of(name) for name in systems]
    most = float(listed[columns].max().max()) if len(listed) else 1.0
    found = list[str]()
    for row in listed[columns].itertuples(index=False):
        parts = [f'<path d="M4 12H{width - 4}" stroke="{GREY}" stroke-opacity=".35"/>']
        for name, value in zip(reversed(systems), reversed(row), strict=True):
            if value == value:
                parts.append(_mark(drawn[name], 8 + (width - 16) * max(0.0, value) / (most or 1.0), height / 2))
        found.append(_svg((width, height), "".join(parts)))
    return found
