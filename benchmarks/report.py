"""Turn measured tasks into a text table, a page of Markdown, and a bar chart (SVG, written without a library)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import Any

#: The chart: width of names and bars, height of a line, and the largest ratio it has room for.
_NAMES, _BARS, _LINE, _LARGEST = 430, 500, 17, 1e6
_STYLE = """
text { font: 12px sans-serif; fill: #1a1a1a } .title { font-weight: bold } .small { font-size: 11px; fill: #555 }
.own { fill: #0b6e99 } .peer { fill: #b5762a } line { stroke: #ccc } rect.page { fill: #fff }
@media (prefers-color-scheme: dark) {
  text { fill: #eee } .small { fill: #aaa } .own { fill: #4fb3e0 } .peer { fill: #e0a95c } line { stroke: #444 }
  rect.page { fill: #111 }
}
"""


def duration(seconds: float) -> str:
    """Return a time with three digits in microseconds, milliseconds or seconds.

    >>> duration(0.0000124), duration(0.0518), duration(0.3401), duration(244.2)
    ('12.4 µs', '51.8 ms', '340 ms', '244 s')
    """
    value, unit = next((seconds * by, name) for limit, by, name in _UNITS if seconds < limit)
    return f"{_digits(value)} {unit}"


_UNITS = ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms"), (math.inf, 1.0, "s"))


def _digits(value: float) -> str:
    return f"{value:,.{max(0, 2 - math.floor(math.log10(max(value, 0.01))))}f}"


def table(report: dict[str, Any]) -> str:
    """Return one table of all benchmarks: each task with its goal and what else was measured."""
    lines = [f"{'':62} {'median':>9}  {'min to max':>20}  {'ratio':>10}  {'peak':>8}"]
    for name, part in report.items():
        lines += ["", f"{name.upper()}  ({_described(part)})"]
        for task in part["tasks"]:
            lines.append(_title(task))
            for cells in map(_cells, task["rows"]):
                lines.append("  {:60} {:>9}  {:>20}  {:>10}  {:>8}".format(*cells).rstrip())
            lines += [f"  {note}" for note in task["notes"]]
    return "\n".join(lines)


def markdown(report: dict[str, Any]) -> str:
    """Return the results as a page of Markdown with one table per task."""
    lines = ["# Measured", "", "Written by `python -m benchmarks`; [README.md](README.md) says how it is measured."]
    lines += ["", "![Times as multiples of KPScope's](results.svg)"]
    for name, part in report.items():
        lines += ["", f"## {name.capitalize()}", "", f"{_described(part)}."]
        for task in part["tasks"]:
            lines += ["", f"### {_title(task)}", "", "| tool | median | min to max | ratio | peak memory |"]
            lines += ["|---|---|---|---|---|"]
            lines += [f"| {' | '.join(_cells(row))} |" for row in task["rows"]]
            lines += ["", *(f"{note[0].upper()}{note[1:]}." for note in task["notes"])] if task["notes"] else []
    return "\n".join(lines) + "\n"


def _described(part: dict[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in part["machine"].items())
    load = part["load average at the start"]
    return machine if load is None else f"{machine}; load average at the start {load}"


def _title(task: dict[str, Any]) -> str:
    return f"{task['title']} (aim: {task['aim']})" if task["aim"] else str(task["title"])


def _cells(row: dict[str, Any]) -> tuple[str, str, str, str, str]:
    """Return tool, median, range, ratio to the first tool, and peak memory as text."""
    tool = row["tool"] + (f" (scaled by {row['scaled']:g})" if row["scaled"] else "")
    span = f"{duration(row['min'])} to {duration(row['max'])}"
    peak = f"{row['peak']:,.0f} MB" if row["peak"] else ""
    return tool, duration(row["median"]), span, f"{_digits(row['ratio'])} ×", peak


def chart(report: dict[str, Any]) -> str:
    """Return an SVG of the time of each tool relative to the first tool of its task, on a logarithmic axis."""
    drawn, y = [], 46
    for line in _lines(report):
        drawn.append(line.replace("{y}", str(y)).replace("{top}", str(y - 11)))
        y += _LINE
    wide, tall = _NAMES + _BARS + 110, y + 10
    grid = []
    for power in range(-1, int(math.log10(_LARGEST)) + 1):
        x = _place(10.0**power)
        grid.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="34" y2="{y}"/>')
        grid.append(f'<text class="small" x="{x:.0f}" y="28" text-anchor="middle">{_power(power)} ×</text>')
    said = "Median time as a multiple of the first line of each group (logarithmic); blue: KPScope, brown: others"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" role="img" aria-label="{said}">'
        f'<style>{_STYLE}</style><rect class="page" width="{wide}" height="{tall}"/>'
        f'<text class="small" x="8" y="12">{said}</text>{"".join(grid)}{"".join(drawn)}</svg>\n'
    )


def _power(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def _place(ratio: float) -> float:
    """Return the position of a ratio on the axis, which begins at 0.1."""
    return _NAMES + _BARS * (math.log10(min(max(ratio, 0.1), _LARGEST)) + 1) / (math.log10(_LARGEST) + 1)


def _lines(report: dict[str, Any]) -> Iterator[str]:
    for part in report.values():
        for task in part["tasks"]:
            if len(task["rows"]) == 1:  # beside nothing, a ratio says nothing
                continue
            yield f'<text class="title" x="8" y="{{y}}">{escape(task["title"])}</text>'
            for row in task["rows"]:
                begin, end = sorted((_place(1.0), _place(row["ratio"])))
                kind = "own" if row["tool"].startswith("KPScope") else "peer"
                said = f"{_digits(row['ratio'])} × ({duration(row['median'])})"
                yield (
                    f'<text x="20" y="{{y}}">{escape(row["tool"])}</text><rect class="{kind}" x="{begin:.1f}" '
                    f'y="{{top}}" width="{max(end - begin, 2):.1f}" height="13"/>'
                    f'<text class="small" x="{end + 5:.0f}" y="{{y}}">{said}</text>'
                )
            yield ""
