"""Start the app as a new user would and open it in Chromium; no request may go to another host."""

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.steps import DESK
from tests.dashboard import FLAGS, HOST, running


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Chromium; without it skip the test, or fail if a browser is required."""
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
    """Yield the address of a running app, shared by all tests."""
    with running(tmp_path_factory.mktemp("server") / "log") as (address, _):
        yield address


@pytest.fixture
def cold_server(chromium: str, tmp_path: Path) -> Iterator[str]:
    """Yield the address of an app that nobody has visited; it stores files in `tmp_path / "kpscope"`."""
    with running(tmp_path / "log") as (address, _):
        yield address


# Not for the whole session: Playwright keeps an event loop running in this thread, and other tests need their own.
# A context of its own would load and compile Streamlit's scripts anew for every test, which takes longer than the page;
# one with a folder keeps them compiled.
@pytest.fixture(scope="package")
def context(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """Yield a browser context, whose tabs share cache and cookies; the data of a session belong to its tab."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=chromium, args=list(FLAGS), headless=True
        )
        yield context
        context.close()


@pytest.fixture(scope="package")
def browser(context: BrowserContext) -> Browser:
    """Return the running Chromium, in which a test can act as another user."""
    assert context.browser
    return context.browser


@pytest.fixture
def console_errors() -> list[str]:
    return []


@pytest.fixture
def page(context: BrowserContext, console_errors: list[str], request: pytest.FixtureRequest) -> Iterator[Page]:
    """Yield an empty tab; after the test, fail if any request went to another host.

    Use indirect parametrization for another viewport or color scheme.
    """
    foreign: list[str] = []

    def note(asked: Any) -> None:
        if urlsplit(asked.url).hostname not in (None, HOST):
            foreign.append(asked.url)

    context.clear_cookies()  # by them a server knows a second tab of somebody who uploaded files
    options: dict[str, Any] = {"viewport": DESK, **getattr(request, "param", {})}
    page = context.new_page()
    page.set_viewport_size(options["viewport"])
    page.emulate_media(color_scheme=options.get("color_scheme"))
    page.on("request", note)
    page.on("websocket", note)
    page.on("console", lambda message: console_errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: console_errors.append(str(error)))
    yield page
    for tab in context.pages[1:]:  # without the empty one, with which it began, Chromium would end
        tab.close()
    assert not foreign, f"asked of foreign hosts: {foreign}"


#: Whether the script has ended and nothing was drawn since; from the moment a run is asked for until its last element
#: is drawn, the app says so itself. The first look of each wait begins the time anew, as does every other document.
CALM = """([wait, calm]) => {
  if (window.drawn === undefined) {
    new MutationObserver(() => { window.drawn = performance.now(); })
      .observe(document, { childList: true, characterData: true, subtree: true });
  }
  if (window.wait !== wait) { window.wait = wait; window.drawn = performance.now(); }
  const app = document.querySelector('[data-testid="stApp"]');
  if (!document.querySelector('[data-testid="stAppViewContainer"]')) { return false; }
  if (app.dataset.testScriptState !== "notRunning") { window.drawn = performance.now(); }
  return performance.now() - window.drawn >= calm;
}"""


@pytest.fixture
def settle() -> Callable[[Page], None]:
    """Return a function that waits until the script and the growth of the page have stopped."""
    waits = count()
    return lambda page: page.wait_for_function(CALM, arg=[next(waits), 300], polling=50, timeout=60_000)
