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

from kp_ui import shell
from tests.browser.test_use import HOSTILE, cells, drop
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


def test_no_page_asks_another_host(server: str, page: Page, console_errors: list[str]) -> None:
    """The fixture `page` fails at its end if one did."""
    for stem in (stem for entries in shell.SECTIONS.values() for stem, _ in entries):
        page.goto(f"{server}/{stem}")
        expect(page.locator("h1")).to_be_visible(timeout=60_000)
        page.locator('[data-testid="stStatusWidget"]').wait_for(state="detached", timeout=120_000)
        page.wait_for_timeout(500)  # what the last elements load
    assert [error for error in console_errors if "404" not in error] == []


def test_the_pages_with_near_misses_and_people_show_hostile_text_as_it_stands(
    server: str, page: Page, settle: SETTLE, tmp_path: Path, console_errors: list[str]
) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a phrase ran as a script: {dialog.message}"))
    rows = [f'"{doc}","{who}","{phrase}"\n' for doc in HOSTILE[:3] for who in HOSTILE[1:3] for phrase in HOSTILE]
    gold, system = tmp_path / "gold.csv", tmp_path / "system $k$ <b>x.csv"
    gold.write_text("doc_id,annotator,keyphrase\n" + "".join(rows), encoding="utf-8")
    ranked = [f'"{doc}",{rank},"{phrase} y"\n' for doc in HOSTILE[:3] for rank, phrase in enumerate(HOSTILE, 1)]
    system.write_text("doc_id,rank,keyphrase\n" + "".join(ranked), encoding="utf-8")
    drop(page, server, settle, gold, system)
    for name in ("Annotators", "Near misses", "Correlation"):
        page.get_by_role("link", name=name).click()
        page.get_by_role("heading", name=name, exact=True).wait_for()
        settle(page)
        main = '[data-testid="stMain"]'
        assert page.locator('[data-testid="stException"]').count() == 0
        assert page.locator(f'{main} img[src*="evil"], {main} img[src="x"], {main} .katex').count() == 0
        assert page.locator(f"{main} svg b, {main} svg img").count() == 0
    assert [error for error in console_errors if "404" not in error] == []
