"""Start the app as a stranger would and open it in Chromium; nothing may be asked of a foreign host."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.dashboard import FLAGS, HOST, running

HERE = Path(__file__).parent
#: An app, run by Streamlit; not a file of tests.
collect_ignore = ["slow_app.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder, and keep it in one process, so that one server and one browser serve all."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Chromium, or skip; fail where a browser is required."""
    path = os.environ.get("KPSCOPE_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
    if not Path(path).exists():
        if os.environ.get("KPSCOPE_BROWSER") == "required":
            pytest.fail(f"Chromium is required (KPSCOPE_BROWSER=required), and {path} is not there")
        pytest.skip(
            "Chromium is not installed: browser tests were skipped (set KPSCOPE_BROWSER=required to make this an error)"
        )
    return path


@pytest.fixture(scope="session")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of one running app, shared by all tests."""
    with running(tmp_path_factory.mktemp("server") / "log") as (address, _):
        yield address


@pytest.fixture
def cold_server(chromium: str, tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Give a function that starts the app anew and returns its address: nobody has opened any page of it."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(running(tmp_path / f"log{time.monotonic_ns()}"))[0]


# Not for the whole session: Playwright keeps an event loop running in this thread, and other tests need their own.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Give a running Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS), headless=True)
        yield browser
        browser.close()


@pytest.fixture
def console_errors() -> list[str]:
    """Give the errors on the console of `page`, in order."""
    return []


@pytest.fixture
def page(browser: Browser, console_errors: list[str], request: pytest.FixtureRequest) -> Iterator[Page]:
    """Give an empty tab; it fails the test at its end if a foreign host was asked for anything.

    Options of the browser context, such as viewport or color_scheme, come by indirect parametrisation.
    """
    foreign: list[str] = []

    def note(asked: Any) -> None:
        if urlsplit(asked.url).hostname not in (None, HOST):
            foreign.append(asked.url)

    options: dict[str, Any] = {"viewport": {"width": 1440, "height": 1800}, **getattr(request, "param", {})}
    context = browser.new_context(**options)
    page = context.new_page()
    page.on("request", note)
    page.on("websocket", note)
    page.on("console", lambda message: console_errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: console_errors.append(str(error)))
    yield page
    context.close()
    assert not foreign, f"asked of foreign hosts: {foreign}"


@pytest.fixture
def settle() -> Callable[[Page], None]:
    """Give a function that waits until the script has stopped running and the page has stopped growing."""

    def wait(page: Page) -> None:
        page.wait_for_selector('[data-testid="stAppViewContainer"]', timeout=60_000)
        end, last, calm = time.monotonic() + 60, -1, 0
        while calm < 4:
            if time.monotonic() > end:
                pytest.fail(f"{page.url} did not come to rest within a minute")
            size = page.evaluate("document.body.innerText.length + document.querySelectorAll('svg,canvas').length")
            # From the moment a run is asked for until its last element is drawn, the app says so itself.
            busy = page.get_attribute('[data-testid="stApp"]', "data-test-script-state") != "notRunning"
            calm = calm + 1 if size == last and not busy else 0
            last = size
            page.wait_for_timeout(120)

    return wait
