"""Time functions in turn within one run: median of five with minimum and maximum, and peak memory."""

from __future__ import annotations

import gc
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Rounds that figures to be kept need, and those of this run.
ENOUGH = 5
ROUNDS = int(os.environ.get("ROUNDS", str(ENOUGH)))
#: A function is called again until this many seconds have passed, so that a millisecond is not one lucky reading.
_LEAST = 0.05


@dataclass
class Row:
    """One tool: seconds (median, min, max), the median relative to the task's first tool, peak memory in MB.

    scaled  factor by which the times were multiplied if the tool ran on a sample
    """

    tool: str
    median: float
    min: float
    max: float
    ratio: float = 1.0
    scaled: float | None = None
    peak: float | None = None


@dataclass
class Task:
    """What was timed, with which tools, the goal, and what else was measured, in words."""

    title: str
    rows: list[Row]
    aim: str = ""
    notes: list[str] = field(default_factory=list)


def timed(
    title: str,
    tools: Mapping[str, Callable[..., Any]],
    *,
    fresh: Callable[[], tuple[Any, ...]] | None = None,
    scale: Mapping[str, float] | None = None,
    aim: str = "",
) -> Task:
    """Time every tool in every round, after a warm-up call, and return the task; ratios are relative to the first tool.

    fresh: makes the arguments of each call, which is not timed; without fresh, a call is repeated for 0.05 s.
    scale: factor by which the times of a tool that ran on a sample are multiplied.
    """
    times: dict[str, list[float]] = {name: [] for name in tools}
    for turn in range(ROUNDS + 1):
        for name, tool in tools.items():
            given = fresh() if fresh else ()
            gc.collect()
            calls, begun = 0, time.perf_counter()
            while calls == 0 or (fresh is None and time.perf_counter() - begun < _LEAST):
                tool(*given)
                calls += 1
            if turn:
                times[name].append((time.perf_counter() - begun) / calls)
    return Task(title, _rows(times, scale or {}), aim)


def _rows(times: Mapping[str, list[float]], scale: Mapping[str, float]) -> list[Row]:
    rows = []
    for name, result in times.items():
        by = scale.get(name, 1.0)
        rows.append(
            Row(name, statistics.median(result) * by, min(result) * by, max(result) * by, scaled=scale.get(name))
        )
    for row in rows:
        row.ratio = row.median / rows[0].median
    return rows


def grown(title: str, sizes: Mapping[str, tuple[Any, ...]], tool: Callable[..., Any], aim: str = "") -> Task:
    """Time one tool on 1×, 10×, 100× the data, and describe the exponent of growth (least squares on logarithms)."""
    task = timed(title, {size: lambda given=given: tool(*given) for size, given in sizes.items()}, aim=aim)
    steps = np.arange(len(task.rows)) * math.log(10)
    task.notes.append(f"exponent {np.polyfit(steps, np.log([row.median for row in task.rows]), 1)[0]:.2f}")
    return task


def equal(what: str, ours: Any, theirs: Any, within: float = 1e-9) -> None:
    """Raise an error if two tools give different values."""
    if not np.allclose(ours, theirs, rtol=0, atol=within):
        raise SystemExit(f"{what}: KPScope gives {ours}, the peer {theirs}")


def peak_memory(code: str, *arguments: str) -> float | None:
    """Return the peak memory (MB) of a new process that runs some code; None if the system does not report it."""
    # VmHWM begins anew with the process; ru_maxrss would start from the size of this one.
    tell = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    if not sys.platform.startswith("linux"):
        return None
    done = subprocess.run([sys.executable, "-c", f"{code}\n{tell}", *arguments], check=True, capture_output=True)
    return float(done.stdout.split()[-1]) / 1024
