"""Turn functions into their times: interleaved in one run, medians of five with minimum and maximum."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

ROUNDS = 5
#: A function is called again until this many seconds have passed, so that a millisecond is not one lucky reading.
_LEAST = 0.05


def interleaved(tools: Mapping[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """Return the mean seconds of a call in each round; every round runs every function."""
    times: dict[str, list[float]] = {name: [] for name in tools}
    for _ in range(ROUNDS):
        for name, tool in tools.items():
            gc.collect()
            calls, begun = 0, time.perf_counter()
            while calls == 0 or time.perf_counter() - begun < _LEAST:
                tool()
                calls += 1
            times[name].append((time.perf_counter() - begun) / calls)
    return times


def summary(
    times: Mapping[str, list[float]], base: str, scale: Mapping[str, float] | None = None
) -> list[dict[str, Any]]:
    """Return a row a function: median, minimum, maximum, and the median as a multiple of that of `base`.

    scale: by how much the times of a function that ran on a sample are multiplied; its row says so.
    """
    scale = scale or {}
    reference = statistics.median(times[base]) * scale.get(base, 1)
    rows = []
    for name, found in times.items():
        median = statistics.median(found) * scale.get(name, 1)
        row = {"tool": name, "median": median, "min": min(found) * scale.get(name, 1),
               "max": max(found) * scale.get(name, 1), "ratio": median / reference}  # fmt: skip
        rows.append(row | ({"scaled by": scale[name]} if name in scale else {}))
    return rows


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print the rows in milliseconds."""
    print(f"\n{title}")
    for row in rows:
        scaled = f"  (scaled by {row['scaled by']:g})" if "scaled by" in row else ""
        low, middle, high = (f"{row[key] * 1000:.2f}" for key in ("min", "median", "max"))
        print(f"{row['tool']:52} {middle:>11} ms ({low} to {high})  {row['ratio']:9.1f} ×{scaled}")
