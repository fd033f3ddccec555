"""Move k while somebody else uploads: `python -m benchmarks.uploads`; print seconds of the moves.

First a single session beside each costly file of the tests, then a class of ten beside a gold standard of 20 MB.
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


def moves(address: str, ended: Callable[[], bool], pause: float) -> list[float]:
    """Return the seconds of the moves of k of one session, until something has ended."""
    seconds = []
    with Session(address, "overview") as session:
        session.slide("k", 3)
        while not ended() or not seconds:
            seconds.append(session.slide("k", 4 + len(seconds) % 20))
            time.sleep(pause)
    return seconds


def upload(address: str, name: str, data: bytes) -> None:
    """Drop one file on the Data page of a session of its own."""
    with Session(address, "data") as session:
        session.upload("drop_0", {name: data})


def beside(address: str, name: str, data: bytes, people: int, pause: float) -> str:
    """Return median, 95th percentile and maximum of the moves while a file is uploaded."""
    uploading = threading.Thread(target=upload, args=(address, name, data))
    seconds: list[float] = []

    def watch() -> None:
        seconds.extend(moves(address, lambda: not uploading.is_alive(), pause))

    watching = [threading.Thread(target=watch) for _ in range(people)]
    for thread in watching:
        thread.start()
    time.sleep(3 + people)  # each has opened its page
    begun = time.monotonic()
    uploading.start()
    uploading.join()
    took = time.monotonic() - begun
    for thread in watching:
        thread.join()
    median, high = np.quantile(seconds, [0.5, 0.95])
    return f"upload {took:.1f} s, {len(seconds)} moves: {median:.2f} s, p95 {high:.2f} s, at most {max(seconds):.2f} s"


def main() -> None:
    """Print one line per costly file, and one of the class."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "log") as (address, _):
        for words, (name, data, _) in COSTLY.items():
            print(f"{words}: {beside(address, name, data, 1, 0.2)}", flush=True)
        gold, _ = frames(80_000)
        data = gold.to_csv(index=False).encode()
        print(f"class of {CLASS}, {len(data) / 1e6:.0f} MB: {beside(address, 'gold.csv', data, CLASS, PAUSE)}")


if __name__ == "__main__":
    main()
