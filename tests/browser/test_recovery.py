"""A computation that is interrupted or fails takes nothing away; a workspace goes to a file and comes back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_intake import choose, table, zone
from tests.browser.test_use import downloaded
from tests.dashboard import running

SETTLE = Callable[[Page], None]
KEPT = "The last complete result of this page"


@pytest.fixture
def slow_server(chromium: str, tmp_path: Path) -> Iterator[str]:
    with running(tmp_path / "log", script="tests/browser/slow_app.py") as (address, _):
        yield address


def signature(page: Page) -> str:
    return page.locator('[data-testid="stCode"]').last.inner_text()


def test_an_interrupted_and_a_failed_computation_leave_the_last_result(
    slow_server: str, page: Page, settle: SETTLE
) -> None:
    page.goto(f"{slow_server}/?k=7")  # this script has no folder of pages, so only "/" is known before the first run
    page.locator('[data-testid="stCode"]').wait_for(timeout=120_000)  # the signature ends the page
    settle(page)
    line, rows = signature(page), table(page, "better than")
    choose_only(page, "Preset", "pke")
    page.get_by_text(KEPT).wait_for()  # while the four seconds run
    assert signature(page) == line
    page.get_by_role("button", name="Back to the settings").click()
    expect(page.get_by_role("combobox", name="Preset", exact=True)).to_have_value("kpscope", timeout=60_000)
    expect(page.get_by_text(KEPT)).to_have_count(0, timeout=60_000)
    settle(page)
    assert (signature(page), table(page, "better than")) == (line, rows)
    choose(page, settle, "Preset", "chan")
    page.get_by_role("alert").filter(has_text="Your data, settings and ratings are still here").wait_for()
    page.get_by_text(KEPT).wait_for()
    assert signature(page) == line
    assert "a path of the server" not in page.locator("body").inner_text()
    choose_only(page, "Preset", "jcdl20")
    expect(page.locator('[data-testid="stCode"]').last).to_contain_text("preset:jcdl20", timeout=60_000)
    expect(page.get_by_text(KEPT)).to_have_count(0)


def choose_only(page: Page, label: str, option: str) -> None:
    """Choose an option, and do not wait for what comes of it."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_a_workspace_is_saved_and_opened_by_somebody_else(
    server: str, browser: Browser, page: Page, settle: SETTLE, tmp_path: Path
) -> None:
    page.goto(f"{server}/overview?k=5&preset=jcdl20&annotators=B")
    page.locator('[data-testid="stCode"]').wait_for(timeout=120_000)
    settle(page)
    line, rows = signature(page), table(page, "better than")
    file = tmp_path / "lectures.kpscope"
    file.write_bytes(downloaded(page, page.get_by_role("button", name="Save the workspace")))
    context = browser.new_context(viewport={"width": 1440, "height": 1800})
    other = context.new_page()
    other.goto(f"{server}/data")
    settle(other)
    zone(other).set_input_files(str(file))
    other.get_by_text("On screen: the workspace lectures.kpscope.").wait_for()
    settle(other)
    other.get_by_role("link", name="Overview").click()
    expect(other.locator('[data-testid="stCode"]')).to_contain_text("preset:jcdl20", timeout=60_000)
    settle(other)
    assert (signature(other), table(other, "better than")) == (line, rows)
    context.close()
