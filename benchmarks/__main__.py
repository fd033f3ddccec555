"""Run all benchmarks, or those named, and write one JSON file and one page of tables: `make bench`."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks import certified
from benchmarks.report import markdown
from benchmarks.timing import ENOUGH, ROUNDS
from benchmarks.workload import machine

HERE = Path(__file__).parent
#: In the order of the table. The simulation of coverage times nothing and runs by itself: python -m benchmarks.coverage
NAMES = ("loading", "ranking", "agreement", "comparison", "similarity", "correlation", "start")


def main(names: list[str]) -> None:
    """Run benchmarks, replace their parts of the results, and print a table of them.

    Results of fewer rounds than publication needs are only printed; the written results do not change.
    """
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise SystemExit(f"there is no benchmark '{unknown[0]}'; choose among: {', '.join(NAMES)}")
    path = HERE / "results.json"
    report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name in names:
        module, begun = importlib.import_module(f"benchmarks.{name}"), time.perf_counter()
        load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
        tasks = [asdict(task) for task in module.tasks()]
        about = {"machine": machine(module.PACKAGES), "load average at the start": load, "rounds": ROUNDS}
        report[name] = about | {"tasks": tasks}
        report = {known: report[known] for known in NAMES if known in report}
        if ROUNDS >= ENOUGH:
            path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            (HERE / "results.md").write_text(markdown(report), encoding="utf-8")
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    if ROUNDS < ENOUGH:
        print(f"nothing is written: {ROUNDS} in place of {ENOUGH} rounds", file=sys.stderr)
    print(markdown({name: report[name] for name in NAMES if name in names}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["certified"]:  # it times nothing, and has options and a status of its own
        raise SystemExit(certified.main(sys.argv[2:]))
    main(sys.argv[1:] or list(NAMES))
