"""Uploaded files are never replaced by the sample, and survive a reload.

The first request after a start may be any link, also a deep one with settings.
"""

import stat
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.steps import SETTLE, bar, drop, follow, main, written
from tests.browser.test_restart import TABLES
from tests.dashboard import Session


def test_a_cold_server_opens_a_deep_link_and_keeps_files_until_they_are_forgotten(
    cold_server: str, page: Page, settle: SETTLE, tmp_path: Path, console_errors: list[str]
) -> None:
    page.goto(f"{cold_server}/systems?k=9")
    page.get_by_text("By F1@9").first.wait_for(timeout=60_000)
    settle(page)
    assert "/systems" in page.url
    expect(page.get_by_role("link", name="Learn")).to_have_count(1)  # the page has the app around it
    assert console_errors == []  # nothing is looked for in vain
    folder = tmp_path / "kpscope"
    drop(page, cold_server, settle, *written(tmp_path, TABLES))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    follow(page, settle, "Overview")
    page.reload()
    settle(page)
    expect(main(page)).to_contain_text("mango reaches")
    second = page.context.new_page()
    for address in (f"{cold_server}/", page.url):  # typed, and copied
        second.goto(address)
        settle(second)
        expect(main(second)).to_contain_text("mango reaches")
    with Session(cold_server) as stranger:  # without the cookies of this browser
        assert "Sample data:" in stranger.words()
    assert len(list(folder.iterdir())) == 1
    bar(page).locator(".st-key-data-on-screen button").click()
    page.get_by_role("button", name="Forget my files").click()
    expect(main(page)).to_contain_text("Sample data:")
    assert not list(folder.iterdir())
    second.goto(cold_server)
    settle(second)
    expect(main(second)).to_contain_text("Sample data:")
