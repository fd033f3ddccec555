"""Time what a person waits for: an import, the first chart, changing k, opening another page.

The app is driven in the system's Chromium; if there is none, only the import is timed.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

from benchmarks.report import duration
from benchmarks.sessions import files
from benchmarks.timing import ROUNDS, Row, Task, peak_memory, timed
from tests.cases import ROOT
from tests.dashboard import FLAGS, running

PACKAGES = ("numpy", "pandas", "pyarrow", "streamlit", "plotly", "playwright")
_TABS = "systems?systems_tab="
PAGES = ("overview", "systems", f"{_TABS}Measures", f"{_TABS}Near%20misses", "documents")
CHART = ".stPlotlyChart .main-svg"
#: A page of one table and one chart, as large as those of the Overview: the least that a visitor waits for.
EMPTY = """
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

st.dataframe(pd.DataFrame({"system": list("abcdef"), "value": [0.1 * step for step in range(6)]}))
st.plotly_chart(go.Figure([go.Scatter(y=[step % 7 for step in range(50)], name=name) for name in "abcdef"]))
"""
#: Steps of k that are timed on each page.
STEPS = 20
#: Promise the milliseconds from the next key to the frame in which a chart shows a text.
WATCH = """(text) => {
  window.drawn = new Promise((done) => {
    addEventListener("keydown", () => {
      const begun = performance.now();
      const look = () => [...document.querySelectorAll(".stPlotlyChart .main-svg")].some(
        (one) => one.checkVisibility() && one.textContent.includes(text)
      ) ? done(performance.now() - begun) : requestAnimationFrame(look);
      look();
    }, { once: true, capture: true });
  });
}"""


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
def _server(script: str = "app.py") -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "log", script=script) as (address, _):
        yield address


def _calm(page: Page) -> None:
    """Wait until the script has run."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=60_000)


def _first_chart(browser: Browser, address: str) -> float:
    """Return the seconds until a new visitor sees a chart."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, begun = context.new_page(), time.perf_counter()
    page.goto(address)
    page.wait_for_selector(CHART, timeout=60_000)
    result = time.perf_counter() - begun
    context.close()
    return result


def _visits(browser: Browser) -> Task:
    """Time new visits to a warm server and to an empty page, alternately."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY, encoding="utf-8")
        with _server() as app, _server(str(script)) as empty:
            return _beside(browser, {"KPScope": app, "a Streamlit page with one table and one chart": empty})


def _beside(browser: Browser, addresses: dict[str, str]) -> Task:
    """Time visits to servers that have been visited once, alternately."""
    for address in addresses.values():
        _first_chart(browser, address)
    result: dict[str, list[float]] = {tool: [] for tool in addresses}
    for _ in range(ROUNDS):
        for tool, address in addresses.items():
            result[tool].append(_first_chart(browser, address))
    rows = [_row(tool, times) for tool, times in result.items()]
    for row in rows:
        row.ratio = row.median / rows[0].median
    return Task("A new visitor's first chart, warm server, sample data", rows, "1.3 × the empty page")


def _from_nothing(browser: Browser) -> Task:
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        with _server() as address:
            _first_chart(browser, address)
            times.append(time.perf_counter() - begun)
    return Task("From `streamlit run` to the first chart, sample data", [_row("KPScope", times)], "6 s")


def _moved(page: Page, drawn: str = "") -> list[float]:
    """Return the seconds from a key press that changes k until a chart shows the new k, or until the page is complete.

    The chart is timed by the browser's clock, because people do not wait for Playwright.
    """
    slider, result = page.get_by_role("slider").first, []
    slider.wait_for(state="attached", timeout=60_000)
    page.wait_for_timeout(2_000)
    _calm(page)
    slider.focus()
    for k in range(6, 7 + STEPS):  # the first one warms up
        shown = drawn.format(k=k)
        page.evaluate(WATCH, shown)
        begun = time.perf_counter()
        slider.press("ArrowRight")
        if drawn:
            page.locator(CHART).filter(has_text=shown).first.wait_for(timeout=60_000)
            result.append(page.evaluate("() => window.drawn") / 1000)
        else:
            page.wait_for_url(f"**k={k}*")
            _calm(page)
            result.append(time.perf_counter() - begun)
        _calm(page)
        page.wait_for_timeout(500)  # a person looks before the next step
    return result[1:]


def _moves(browser: Browser) -> list[Task]:
    with _server() as address:
        page = browser.new_page(viewport={"width": 1440, "height": 1800})
        page.goto(f"{address}/overview?k=5")
        charts = {"sample": _moved(page, "k = {k}")}
        settled = {}
        for name in PAGES:
            page.goto(f"{address}/{name}{'&' if '?' in name else '?'}k=5")
            settled[name] = _moved(page)
        opened = {name: [_changed(page, name) for _ in range(ROUNDS)] for name in ("Systems", "Documents", "Report")}
        page.goto(f"{address}/data?k=5")
        given = [FilePayload(name=name, mimeType="text/csv", buffer=data) for name, data in files(0).items()]
        page.locator(".st-key-bar input[type=file]").set_input_files(given)
        page.get_by_text("2,000 documents").first.wait_for(timeout=120_000)
        _calm(page)
        page.get_by_role("link", name="Overview").first.click()
        page.wait_for_selector(CHART, timeout=60_000)
        charts["2,000 documents × 3 systems"] = _moved(page, "k = {k}")
        page.close()
    return [
        _task("Moving k in Chromium, until the chart of the Overview is drawn again", charts, "250 ms, 95% 400 ms"),
        _task("Moving k in Chromium, until the page stands again, sample data", settled, ""),
        _task("Opening another page, until it stands, sample data", opened, "1.2 s"),
    ]


def _changed(page: Page, name: str) -> float:
    """Return the seconds until a page that is opened by its link on the Overview is complete."""
    page.get_by_role("link", name="Overview").first.click()
    page.wait_for_url("**/overview*")
    page.wait_for_timeout(1_000)
    _calm(page)
    begun = time.perf_counter()
    page.get_by_role("link", name=name).first.click()
    page.wait_for_url(f"**/{name.lower()}*")
    _calm(page)
    return time.perf_counter() - begun


def _row(tool: str, found: list[float]) -> Row:
    return Row(tool, statistics.median(found), min(found), max(found))


def _task(title: str, found: dict[str, list[float]], aim: str) -> Task:
    """Return a task with one row per entry, and in words the 95th percentile of its times."""
    task = Task(title, [_row(f"KPScope, {name}", times) for name, times in found.items()], aim)
    slow = (f"{name} {duration(float(np.percentile(times, 95)))}" for name, times in found.items())
    task.notes.append(f"95% under: {', '.join(slow)}")
    return task


def _app(chromium: str) -> list[Task]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS), headless=True)
        made = [_from_nothing(browser), _visits(browser), *_moves(browser)]
        browser.close()
    return made


def tasks() -> list[Task]:
    """Return the tasks; without Chromium only the import."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        importing = _importing()
        importing.notes.append("Chromium is not installed, so the app was not timed")
        return [importing]
    return [_importing(), *_app(chromium)]
