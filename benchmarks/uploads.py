"""Time changes of k while another session uploads: `python -m benchmarks.uploads`.

First one session during the upload of each costly file of the tests, then ten during that of 20 MB of gold standard.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.workload import frames
from tests.dashboard import Session, running
from tests.unit.reading.test_costs import COSTLY

CLASS, PAUSE = 10, 2.0


def moves(address: str, begin: Callable[[], object], ended: Callable[[], bool], pause: float) -> list[float]:
    """Return the seconds that each change of k takes in one session, from one event until another."""
    seconds = []
    with Session(address, "overview") as session:
        session.slide("k", 3)
        begin()
        while not ended() or not seconds:
            seconds.append(session.slide("k", 4 + len(seconds) % 20))
            time.sleep(pause)
    return seconds


def upload(address: str, name: str, data: bytes) -> None:
    """Upload one file on the Data page of a separate session."""
    with Session(address, "data") as session:
        session.upload("drop_0", {name: data})


def beside(address: str, name: str, data: bytes, people: int, pause: float) -> str:
    """Return median, 95th percentile and maximum seconds of a change of k while a file is uploaded."""
    uploading = threading.Thread(target=upload, args=(address, name, data))
    seconds, ready = list[float](), threading.Barrier(people, uploading.start)

    def watch() -> None:
        seconds.extend(moves(address, ready.wait, lambda: not uploading.is_alive(), pause))

    watching = [threading.Thread(target=watch) for _ in range(people)]
    for thread in watching:
        thread.start()
    for thread in watching:
        thread.join()
    median, high = np.quantile(seconds, [0.5, 0.95])
    return f"{len(seconds)} moves: {median:.2f} s, p95 {high:.2f} s, at most {max(seconds):.2f} s"


def main() -> None:
    """Print one line per costly file, and one line for the class."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "log") as (address, _):
        for words, (name, data, _) in COSTLY.items():
            print(f"{words}: {beside(address, name, data, 1, 0.2)}", flush=True)
        gold, _ = frames(80_000)
        data = gold.to_csv(index=False).encode()
        print(f"class of {CLASS}, {len(data) / 1e6:.0f} MB: {beside(address, 'gold.csv', data, CLASS, PAUSE)}")


if __name__ == "__main__":
    main()
