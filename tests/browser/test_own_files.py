"""Uploaded files are never replaced by the sample, survive a reload, and come back when a removal is taken back."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import SETTLE, bar, drop, follow, main, written
from tests.browser.test_restart import TABLES
from tests.dashboard import running

#: What only the sample has.
SAMPLE = re.compile("yake|textrank")
ASKED = {
    "study": [("code", "remark", "topic"), ("d1", "tide", "hash table"), ("d2", "sea", "collision")],
    "people": [("Doc", "Anna", "Ben"), ("d1", "tide", "sea"), ("d2", "moon", "moon")],
}


@pytest.fixture
def own_server(chromium: str, tmp_path: Path) -> Iterator[str]:
    """Give a server that nobody used before; it keeps files in `tmp_path / "kpscope"`."""
    with running(tmp_path / "log") as (address, _):
        yield address


def test_waiting_files_hide_the_sample_on_every_page(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    drop(page, server, settle, *written(tmp_path, ASKED))
    words = "2 of your files need an answer"
    expect(main(page)).to_contain_text(words)
    for name in ("Overview", "Systems", "Documents", "Annotators", "Correlation", "Report"):
        follow(page, settle, name)
        expect(page.get_by_role("heading", name=words)).to_be_visible()
        expect(main(page)).not_to_contain_text(SAMPLE)
        expect(main(page).get_by_role("button", name="Download")).to_have_count(0)
    follow(page, settle, "Learn")
    expect(main(page)).not_to_contain_text(SAMPLE)
    follow(page, settle, "Report")
    page.get_by_role("button", name="Answer on the Data page").click()
    page.wait_for_url("**/data?*")
    settle(page)
    for tab in ("Details", "Extract phrases", "What becomes of the phrases"):
        page.get_by_role("tab", name=tab).click()
        settle(page)
        expect(main(page)).not_to_contain_text(SAMPLE)


def test_reload_and_second_tab_keep_files_until_forgotten(
    own_server: str, page: Page, settle: SETTLE, tmp_path: Path
) -> None:
    folder = tmp_path / "kpscope"
    drop(page, own_server, settle, *written(tmp_path, TABLES))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    follow(page, settle, "Overview")
    page.reload()
    settle(page)
    expect(main(page)).to_contain_text("mango reaches")
    second = page.context.new_page()
    for address in (f"{own_server}/", page.url):  # typed, and copied
        second.goto(address)
        settle(second)
        expect(main(second)).to_contain_text("mango reaches")
    other = page.context.browser
    assert other
    stranger = other.new_context().new_page()
    stranger.goto(own_server)
    settle(stranger)
    expect(main(stranger)).to_contain_text("Sample data:")
    stranger.context.close()
    assert len(list(folder.iterdir())) == 1
    bar(page).locator(".st-key-data-on-screen button").click()
    page.get_by_role("button", name="Forget my files").click()
    expect(main(page)).to_contain_text("Sample data:")
    assert not list(folder.iterdir())
    second.goto(own_server)
    settle(second)
    expect(main(second)).to_contain_text("Sample data:")


def test_back_after_removing_a_file_brings_it_back(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    drop(page, server, settle, *written(tmp_path, TABLES))
    rows = main(page).locator(".st-key-receipt")
    expect(rows).to_contain_text("mango.csv")
    rows.get_by_role("button", name="✕").last.click()
    expect(rows).not_to_contain_text("mango.csv")
    settle(page)
    page.go_back()
    expect(rows).to_contain_text("mango.csv")
    settle(page)
    page.go_forward()
    expect(rows).not_to_contain_text("mango.csv")
    settle(page)
    rows.get_by_role("button", name="✕").last.click()
    expect(main(page)).to_contain_text("Compare people")
    settle(page)
    page.go_back()
    expect(rows).to_contain_text("gold.csv")


def test_deep_links_ask_for_nothing_that_is_not_there(server: str, page: Page, settle: SETTLE) -> None:
    failed: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    for path in ("systems?k=5", "data", "ranking"):
        page.goto(f"{server}/{path}")
        settle(page)
    assert failed == []


def test_first_page_introduces_kpscope_and_leads_to_the_doors(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(server)
    settle(page)
    banner = page.locator(".st-key-welcome")
    expect(banner).to_contain_text("KPScope scores keyphrase extraction against what people chose")
    expect(banner).to_contain_text("Sample data: 4 extractors on 20 lectures, 3 annotators.")
    for label, place in (("Compare people", "annotators"), ("Teach", "learn"), ("Drop your own files", "data")):
        page.goto(server)
        settle(page)
        banner.get_by_role("link", name=label).click()
        page.wait_for_url(f"**/{place}?*")
    settle(page)
    for door in ("Compare systems", "Compare people", "Teach"):
        expect(main(page)).to_contain_text(door)
