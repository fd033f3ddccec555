"""Simulate a class that uses the dashboard: 30 sessions at once, each with its own data, changing k.

Runs one copy of the app, then two behind nginx as in `deploy/`, and writes sessions.json.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.workload import frames, machine
from tests.dashboard import HOST, Session, free_port, running
from tests.server.test_processes import nginx, nginx_site, settings, unit_command, without_certificate

SESSIONS, DOCUMENTS, SYSTEMS, MOVES = 30, 2_000, 3, 10
#: Copies of the app, and mean seconds between two moves of a person, drawn evenly from 0 to twice as many; 0 is a
#: crowd that never looks.
CROWDS = ((1, 10.0), (2, 10.0), (2, 0.0))
#: Seconds for which the server keeps a session whose tab is closed; the memory is looked at after that.
KEPT = 5
_PATIENCE = 1800.0
_HERE = Path(__file__).parent


@dataclass
class Load:
    """Results of 30 sessions: seconds for uploads, page and changes of k; errors; processor time and memory."""

    uploads: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    marks: dict[str, float] = field(default_factory=dict)


def files(marker: int) -> dict[str, bytes]:
    """Return a gold standard and three systems, whose names and phrases identify their session."""
    rng = np.random.default_rng(marker)
    gold, run = frames(DOCUMENTS, seed=marker)
    made = {"gold.csv": gold.to_csv(index=False).encode()}
    for step in range(SYSTEMS):
        part = np.where(rng.random(len(run)) < 0.2 * step, f"marker{marker} " + run["phrase"], run["phrase"])
        made[f"{_name(marker, step)}.csv"] = run.assign(phrase=part).to_csv(index=False).encode()
    return made


def _name(marker: int, step: int) -> str:
    return f"session{marker}-{step}"


def person(
    address: str, marker: int, pause: float, load: Load, together: threading.Barrier, servers: Sequence[psutil.Process]
) -> None:
    """Upload, open the Overview, and change k ten times; check each time that the numbers belong to the session."""
    expected, rng = {_name(marker, step) for step in range(SYSTEMS)}, random.Random(marker)
    try:
        with Session(address, "data") as session:
            load.uploads.append(session.upload("drop_0", files(marker)))
            load.pages.append(session.open("overview"))
            together.wait(_PATIENCE)
            load.marks.setdefault("begun", _processor(servers))
            for k in rng.sample(range(1, 51), MOVES):
                time.sleep(rng.uniform(0, 2 * pause))
                load.moves.append(session.slide("k", k))
                board, words = "".join(item.body for item in session.elements("html")), session.words()
                seen = set(re.findall(r"session\d+-\d+", board))
                if seen != expected or f"F1@{k}" not in words:
                    load.errors.append(f"session {marker} at k = {k} saw {sorted(seen)} and {words[:500]}")
            together.wait(_PATIENCE)
            load.marks.setdefault("ended", _processor(servers))
            load.marks.setdefault("open", _megabytes(servers))
            together.wait(_PATIENCE)
    except Exception as error:  # every error is a result
        load.errors.append(f"session {marker}: {error!r}")
        together.abort()


def _processor(servers: Sequence[psutil.Process]) -> float:
    return float(sum(used.user + used.system for used in (item.cpu_times() for item in servers)))


def _megabytes(servers: Sequence[psutil.Process]) -> float:
    return float(sum(item.memory_info().rss for item in servers) / 1e6)


@contextmanager
def serving(copies: int, sessions: int) -> Iterator[tuple[str, list[psutil.Process]]]:
    """Run copies of the app as a server does; yield the address to open, and the processes."""
    environment = {**settings(), "KPSCOPE_SESSIONS": str(sessions + 3)}
    options = ("--server.disconnectedSessionTTL", str(KEPT))
    with ExitStack() as open_, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = [
            open_.enter_context(
                running(folder / f"log{copy}", *options, opener=unit_command(), environment=environment)
            )
            for copy in range(copies)
        ]
        addresses = [address for address, _ in started]
        address = addresses[0]
        if copies == 2:
            port = free_port()
            site = nginx_site(addresses[0], addresses[1], folder, ("443 ssl", str(port)))
            open_.enter_context(nginx(without_certificate(site), folder, port))
            address = f"http://{HOST}:{port}"
        yield address, [psutil.Process(process.pid) for _, process in started]


def crowd(copies: int, pause: float, sessions: int) -> dict[str, Any]:
    """Run the sessions against new servers, and return the results as one row."""
    load, together = Load(), threading.Barrier(sessions)
    with serving(copies, sessions) as (address, servers):
        for _ in servers:  # what is imported at first use stays; nginx takes turns
            with Session(address, "data") as first:
                first.upload("drop_0", files(sessions))
                first.open("overview")
        time.sleep(KEPT + 3)
        start = _megabytes(servers)
        people = [
            threading.Thread(target=person, args=(address, marker, pause, load, together, servers))
            for marker in range(sessions)
        ]
        for one in people:
            one.start()
        for one in people:
            one.join()
        time.sleep(KEPT + 5)
        for _ in servers:  # Streamlit's own loop holds the session that ended last until another one comes
            with Session(address):
                pass
        time.sleep(KEPT + 5)
        closed = _megabytes(servers)
    moves = sorted(load.moves) or [float("nan")]
    used = load.marks.get("ended", float("nan")) - load.marks.get("begun", float("nan"))
    return {
        "sessions": sessions,
        "copies of the app": copies,
        "mean pause": pause,
        "moves": len(load.moves),
        "errors": load.errors[:10],
        "upload and reading, median": _rounded(statistics.median(load.uploads or moves)),
        "overview, median": _rounded(statistics.median(load.pages or moves)),
        "move of k, median": _rounded(statistics.median(moves)),
        "move of k, p95": _rounded(moves[min(len(moves) - 1, int(0.95 * len(moves)))]),
        "processor time of a move": _rounded(used / max(1, len(load.moves))),
        "MB at the start": round(start),
        "MB with all open": round(load.marks.get("open", 0)),
        "MB after all closed": round(closed),
    }


def _rounded(seconds: float) -> float:
    return round(seconds, 3)


def main(sessions: int = SESSIONS) -> None:
    """Run all configurations and write the results; `python -m benchmarks.sessions 5` runs fewer sessions."""
    others = psutil.getloadavg()[0]
    rows = []
    for copies, pause in CROWDS:
        rows.append(crowd(copies, pause, sessions))
        print(json.dumps(rows[-1], indent=2))
    made = {
        "machine": machine(("streamlit", "numpy", "pandas", "plotly")),
        "load average before": round(others, 1),
        "documents": DOCUMENTS,
        "systems": SYSTEMS,
        "seconds a closed session is kept": KEPT,
        "runs": rows,
    }
    (_HERE / "sessions.json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
