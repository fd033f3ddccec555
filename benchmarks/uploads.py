"""Time changes of k while another session uploads: `python -m benchmarks.uploads`.

One session moves k during three uploads of each costly file of the tests, then ten during three of 20 MB of gold
standard. The servers have the settings of `deploy/`, which read files in a separate process.
"""

from __future__ import annotations

import os
import random
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from benchmarks.sessions import serving
from benchmarks.workload import frames
from tests.dashboard import PATIENCE, Session
from tests.unit.reading.test_costs import COSTLY

#: Uploads in a row, each in a new session; people of the class; mean seconds between two moves of a person.
UPLOADS, CLASS, PAUSE = 3, 10, 2.0
DOCUMENTS = 62_000


def moves(address: str, together: threading.Barrier, uploading: Future[None], pause: float, person: int) -> list[float]:
    """Return the seconds that each change of k takes in one session until the uploads end."""
    seconds, rng = list[float](), random.Random(person)
    with Session(address, "overview") as session:
        session.slide("k", 3)
        together.wait()
        while not uploading.done() or not seconds:
            time.sleep(rng.uniform(0, 2 * pause))  # people do not move at the same time
            seconds.append(session.slide("k", 4 + len(seconds) % 20))
    return seconds


def upload(address: str, together: threading.Barrier, name: str, data: bytes) -> None:
    """Upload one file on the Data page, several times, each in a separate session."""
    together.wait()
    for _ in range(UPLOADS):
        with Session(address, "data") as session:
            session.upload("drop_0", {name: data})


def beside(address: str, name: str, data: bytes, people: int, pause: float) -> str:
    """Return median, 95th percentile and maximum seconds of a change of k while a file is uploaded."""
    load, together = os.getloadavg()[0], threading.Barrier(people + 1, timeout=10 * PATIENCE)
    with ThreadPoolExecutor(people + 1) as pool:
        uploading = pool.submit(upload, address, together, name, data)
        watching = [pool.submit(moves, address, together, uploading, pause, person) for person in range(people)]
    uploading.result()
    seconds = [second for result in watching for second in result.result()]
    median, high = np.quantile(seconds, [0.5, 0.95])
    times = f"{median:.2f} s, p95 {high:.2f} s, at most {max(seconds):.2f} s"
    return f"{len(seconds)} moves: {times}; load average {load:.1f} before, {os.getloadavg()[0]:.1f} after"


def main() -> None:
    """Print one line per costly file, and one line per class, for one copy of the app and for two."""
    gold, _ = frames(DOCUMENTS)
    large = "gold.csv", gold.to_csv(index=False).encode()
    for copies in (1, 2):
        with serving(copies, CLASS + 1) as (address, _):
            if copies == 1:
                for title, (name, data, _) in COSTLY.items():
                    print(f"{title}: {beside(address, name, data, 1, 0.2)}", flush=True)
            title = f"class of {CLASS}, {len(large[1]) / 1e6:.0f} MB, copies of the app: {copies}"
            print(f"{title}: {beside(address, *large, CLASS, PAUSE)}", flush=True)


if __name__ == "__main__":
    main()
