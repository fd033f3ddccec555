"""Count clicks and seconds for typical tasks in the dashboard, in Chromium, on the sample data."""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.steps import zone
from tests.cases import ROOT
from tests.dashboard import FLAGS, running

LECTURES = ROOT / "sample_data" / "lectures"
FOUR = [LECTURES / name for name in ("gold.csv", "documents.jsonl", "systems/yake.csv", "systems/rake.csv")]
ROUNDS = 5


class Way:
    """A page on which clicks are counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, role: str, name: str, inside: str = "stApp") -> None:
        """Click the element with a name; the name of its icon may precede it."""
        self.clicks += 1
        exact = not name.startswith("See ")
        self.page.get_by_test_id(inside).get_by_role(role, name=name, exact=exact).first.click()  # type: ignore[arg-type]

    def drop(self, *files: Path) -> None:
        """Upload files, and wait until they are read."""
        self.clicks += 1
        zone(self.page).set_input_files(list(map(str, files)))
        self.page.get_by_text(re.compile(r"^Your (file|\d+ files)")).first.wait_for(state="attached")

    def taken(self, form: str) -> None:
        """Download the first file in a format from the Download popover."""
        self.click("button", "Download", "stMain")
        with self.page.expect_download() as given:
            self.click("button", form, "stPopoverBody")
        given.value.path()


def claim(way: Way) -> None:
    """Go from dropping files to the sentence that says which system is better."""
    way.drop(*FOUR)
    way.click("button", "See which system is better", "stMain")
    way.page.get_by_test_id("stMain").get_by_role("heading", name=re.compile("yake .* rake")).wait_for()


def latex(way: Way) -> None:
    """Go from dropping files to the LaTeX table."""
    way.drop(*FOUR)
    way.click("link", "Report")
    way.page.get_by_text("Bold: the highest value").wait_for()
    way.taken("LaTeX")


def chart(way: Way) -> None:
    """Go from dropping files to the chart over k as a file."""
    way.drop(*FOUR)
    way.click("button", "See which system is better", "stMain")
    way.page.locator(".js-plotly-plot").first.wait_for()
    way.taken("PDF")


def headings(way: Way) -> None:
    """Go from the workbook of three indexers to the most disputed headings."""
    way.drop(ROOT / "sample_data" / "studies" / "indexers.csv")
    way.click("button", "See how far the annotators agree", "stMain")
    way.page.get_by_text("Most disputed keyphrases").wait_for()


def over_k(way: Way) -> None:
    """Go to kappa and PABAK over k."""
    way.click("link", "Systems")
    way.click("tab", "Over k")
    way.page.locator(
        '[data-testid="stPlotlyChart"][aria-label^="PABAK"], [aria-label*="PABAK over k"]'
    ).first.wait_for()


WAYS: dict[str, tuple[str, Callable[[Way], None]]] = {
    "drop four files, to the claim": ("data", claim),
    "drop, to the LaTeX table": ("data", latex),
    "drop, to the chart for the paper": ("data", chart),
    "three indexers, to the disputed headings": ("data", headings),
    "kappa and PABAK over k": ("overview", over_k),
}


def main() -> None:
    """Print the number of clicks (a drop counts as one) and the median seconds."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "log") as (address, _),
        sync_playwright() as play,
    ):
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS), headless=True)
        for name, (start, walk) in WAYS.items():
            times, clicks = list[float](), 0
            for _ in range(ROUNDS + 1):
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.set_default_timeout(120_000)  # milliseconds, for machines that are busy
                page.goto(f"{address}/{start}")
                page.locator(".st-key-bar").wait_for()
                page.wait_for_timeout(2_000)
                way, begun = Way(page), time.perf_counter()
                walk(way)
                times.append(time.perf_counter() - begun)
                clicks = way.clicks
                page.close()
            print(f"{name}: {clicks} clicks, {statistics.median(times[1:]):.1f} s", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
