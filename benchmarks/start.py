"""Turn a start from nothing into times: importing the package, the app up to its first chart; then moving k.

The app is started anew for each round and driven in the Chromium of the system; without one this part is left out.
"""

from __future__ import annotations

import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from benchmarks.timing import ROUNDS, Row, Task, peak_memory, timed
from tests.dashboard import FLAGS, HOST, ROOT

PACKAGES = ("numpy", "pandas", "pyarrow", "streamlit", "plotly", "playwright")
_TABS = "systems?systems_tab="
PAGES = ("overview", "systems", f"{_TABS}Measures", "annotators", f"{_TABS}Near%20misses", "documents")
CHART = ".stPlotlyChart .main-svg"


def _importing() -> Task:
    def fresh(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)

    tools = {
        "KPScope: import kp_core": lambda: fresh("import kp_core"),
        "pandas, pyarrow.compute: import": lambda: fresh("import pandas, pyarrow.compute"),
        "Python alone": lambda: fresh("pass"),
    }
    task = timed("A fresh process that imports the package", tools, aim="600 ms")
    task.rows[0].peak = peak_memory("import kp_core")
    return task


@contextmanager
def _server() -> Iterator[str]:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.address", HOST, "--server.port", str(port), "--browser.gatherUsageStats", "false"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet) as process:
        try:
            address, end = f"http://{HOST}:{port}", time.monotonic() + 60
            while not _answers(f"{address}/_stcore/health"):
                if time.monotonic() > end or process.poll() is not None:
                    raise SystemExit("the app did not start")
                time.sleep(0.02)
            yield address
        finally:
            process.terminate()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=1).close()
    except OSError:
        return False
    return True


def _calm(page: Page) -> None:
    """Wait until the script has run."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=60_000)


def _moved(page: Page, address: str, name: str) -> list[float]:
    """Return the seconds from a key that moves k until the page has been drawn again."""
    page.goto(f"{address}/{name}{'&' if '?' in name else '?'}k=5")
    slider, found = page.get_by_role("slider").first, []
    slider.wait_for(state="attached", timeout=60_000)
    page.wait_for_timeout(2_000)
    _calm(page)
    slider.focus()
    for k in range(6, 7 + ROUNDS):  # the first one warms up
        begun = time.perf_counter()
        slider.press("ArrowRight")
        page.wait_for_url(f"**k={k}*")
        _calm(page)
        found.append(time.perf_counter() - begun)
    return found[1:]


def _row(tool: str, found: list[float]) -> Row:
    return Row(tool, statistics.median(found), min(found), max(found))


def _app(chromium: str) -> list[Task]:
    whole, opened, moved = [], [], {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS), headless=True)
        for turn in range(ROUNDS):
            begun = time.perf_counter()
            with _server() as address:
                page, asked = browser.new_page(viewport={"width": 1440, "height": 1800}), time.perf_counter()
                page.goto(address)
                page.wait_for_selector(CHART, timeout=60_000)
                whole.append(time.perf_counter() - begun)
                opened.append(time.perf_counter() - asked)
                if turn == ROUNDS - 1:
                    moved = {name: _moved(page, address, name) for name in PAGES}
                page.close()
        browser.close()
    rows = [
        _row("KPScope: from `streamlit run` to the first chart", whole),
        _row("KPScope: from opening the address of a fresh server to the first chart", opened),
    ]
    again = [_row(f"KPScope, {name}", found) for name, found in moved.items()]
    return [
        Task("Cold start of the app, sample data, Chromium", rows, "4 s"),
        Task("Moving k in Chromium, until the page is drawn again", again, "300 ms"),
    ]


def tasks() -> list[Task]:
    """Return the tasks; without Chromium the import alone."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        importing = _importing()
        importing.notes.append("Chromium is not installed, so the app was not timed")
        return [importing]
    return [_importing(), *_app(chromium)]
