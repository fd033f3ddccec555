"""Time changes of k while another session uploads: `python -m benchmarks.uploads`.

One session moves k during three uploads of each costly file of the tests, then ten during three of 20 MB of gold
standard. The server runs with its defaults, then with the settings of `deploy/`, which read files in other processes.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.workload import frames
from tests.dashboard import Session, running
from tests.server.test_processes import settings
from tests.unit.reading.test_costs import COSTLY

#: Uploads in a row, each in a new session; people of the class; seconds between two moves of a person.
UPLOADS, CLASS, PAUSE = 3, 10, 2.0
DOCUMENTS = 62_000


def moves(address: str, begin: Callable[[], object], ended: Callable[[], bool], pause: float) -> list[float]:
    """Return the seconds that each change of k takes in one session, from one event until another."""
    seconds = list[float]()
    with Session(address, "overview") as session:
        session.slide("k", 3)
        begin()
        while not ended() or not seconds:
            seconds.append(session.slide("k", 4 + len(seconds) % 20))
            time.sleep(pause)
    return seconds


def upload(address: str, name: str, data: bytes) -> None:
    """Upload one file on the Data page, several times, each in a separate session."""
    for _ in range(UPLOADS):
        with Session(address, "data") as session:
            session.upload("drop_0", {name: data})


def beside(address: str, name: str, data: bytes, people: int, pause: float) -> str:
    """Return median, 95th percentile and maximum seconds of a change of k while a file is uploaded."""
    uploading = threading.Thread(target=upload, args=(address, name, data))
    seconds, ready = list[float](), threading.Barrier(people, uploading.start)

    def watch() -> None:
        seconds.extend(moves(address, ready.wait, lambda: not uploading.is_alive(), pause))

    watching = [threading.Thread(target=watch) for _ in range(people)]
    load = os.getloadavg()[0]
    for thread in watching:
        thread.start()
    for thread in watching:
        thread.join()
    median, high = np.quantile(seconds, [0.5, 0.95])
    times = f"{median:.2f} s, p95 {high:.2f} s, at most {max(seconds):.2f} s"
    return f"{len(seconds)} moves: {times}; load average {load:.1f} before, {os.getloadavg()[0]:.1f} after"


def main() -> None:
    """Print one line per costly file, and one line for the class, for each kind of server."""
    gold, _ = frames(DOCUMENTS)
    data = gold.to_csv(index=False).encode()
    for server, environment in {"defaults": None, "settings of deploy/": settings()}.items():
        print(server)
        with (
            tempfile.TemporaryDirectory() as folder,
            running(Path(folder) / "log", environment=environment) as (address, _),
        ):
            for words, (name, costly, _) in COSTLY.items():
                print(f"  {words}: {beside(address, name, costly, 1, 0.2)}", flush=True)
            for people in (1, CLASS):
                told = beside(address, "gold.csv", data, people, PAUSE)
                print(f"  {people} people, {len(data) / 1e6:.0f} MB: {told}", flush=True)


if __name__ == "__main__":
    main()
