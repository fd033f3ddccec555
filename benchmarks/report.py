"""Turn measured tasks into a page of Markdown."""

from __future__ import annotations

import math
from typing import Any


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


def markdown(report: dict[str, Any]) -> str:
    """Return the results as a page of Markdown with one table per task."""
    lines = ["# Measured", "", "Written by `python -m benchmarks`; [README.md](README.md) says how it is measured."]
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
