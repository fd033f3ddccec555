"""Several people on one server: each sees their own data, one too many is told so, nothing leaves the machine."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.test_use import cells, drop
from tests.dashboard import HOST, running

SETTLE = Callable[[Page], None]


@pytest.fixture(scope="module")
def small_server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a server with two seats, a shared data set, and security headers."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "data").mkdir()
    (folder / "data" / "<b>five $x$.csv").write_text("doc_id,keyphrase\nd1,tide\nd2,moon\n", encoding="utf-8")
    own = {"KPSCOPE_SESSIONS": "2", "KPSCOPE_DATA": str(folder / "data")}
    with running(folder / "log", environment={**os.environ, **own}, script="serve.py") as (address, _):
        yield address


@pytest.fixture
def people(browser: Browser) -> Iterator[Callable[[], Page]]:
    """Give a function that opens a tab of another person; it fails at its end if a page complained or asked others."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def person() -> Page:
            context: BrowserContext = browser.new_context(viewport={"width": 1440, "height": 1800})
            stack.callback(context.close)
            page = context.new_page()

            def note(asked: Any) -> None:
                if urlsplit(asked.url).hostname not in (None, HOST):
                    complaints.append(f"asked of a foreign host: {asked.url}")

            page.on("request", note)
            page.on("websocket", note)
            page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            return page

        yield person
    assert [one for one in complaints if "404" not in one] == []


def gold_and_system(folder: Path, name: str) -> tuple[Path, Path]:
    (folder / name).mkdir()
    gold, system = folder / name / "gold.csv", folder / name / f"{name}.csv"
    gold.write_text(f"doc_id,keyphrase\n{name}-1,tide of {name}\n{name}-2,moon\n", encoding="utf-8")
    system.write_text(f"doc_id,rank,keyphrase\n{name}-1,1,tide of {name}\n{name}-2,1,sun\n", encoding="utf-8")
    return gold, system


def test_two_people_see_their_own_data_and_a_third_waits_for_a_seat(
    small_server: str, people: Callable[[], Page], settle: SETTLE, tmp_path: Path
) -> None:
    ana, ben = people(), people()
    for page, name in ((ana, "ana"), (ben, "ben")):
        drop(page, small_server, settle, *gold_and_system(tmp_path, name))
    for page, name, other in ((ana, "ana", "ben"), (ben, "ben", "ana")):
        page.get_by_role("link", name="Documents").click()
        page.get_by_role("heading", name=f"{name}-1", exact=True).wait_for()
        settle(page)
        assert f"{name}-1" in [row[0] for row in cells(page)]
        assert f"{other}-" not in page.locator("body").inner_text()

    late = people()
    late.goto(f"{small_server}/overview")
    expect(late.get_by_role("heading", name="KPScope is full")).to_be_visible(timeout=60_000)
    expect(late.get_by_text("This server allows 2 open tabs at a time")).to_be_visible()
    assert late.locator('[data-testid="stDataFrame"]').count() == 0
    ben.close()
    for _ in range(20):  # the server notices within a moment that the tab is gone
        late.get_by_role("button", name="Try again").click()
        time.sleep(1)
        if late.get_by_role("heading", name="Overview", exact=True).count():
            break
    expect(late.get_by_role("heading", name="Overview", exact=True)).to_be_visible(timeout=60_000)


def test_a_shared_data_set_is_one_click_away(small_server: str, people: Callable[[], Page], settle: SETTLE) -> None:
    page = people()
    for _ in range(20):
        page.goto(f"{small_server}/data")
        settle(page)
        if page.get_by_role("heading", name="Data", exact=True).count():
            break
    page.get_by_role("button", name="Add to your files").click()
    page.get_by_text("On screen: your file.").wait_for()
    settle(page)
    assert page.get_by_text("<b>five $x$.csv").count() > 0
