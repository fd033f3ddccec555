"""Nothing of the user is lost: by a cold deep link, a reload, a second tab, a killed server or a cancelled run.

A restarted server opens files that were kept: tests/server/test_state.py. Failed runs: tests/app/test_failing_pages.py.
"""

import os
import random
import stat
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.steps import SETTLE, bar, drop, follow, main, written
from tests.dashboard import Session, free_port, running

TABLES = {
    "gold": [("doc_id", "keyphrase"), ("d1", "mango table"), ("d2", "tide")],
    "mango": [("doc_id", "rank", "keyphrase"), ("d1", 1, "mango table"), ("d2", 1, "moon")],
}
GONE = "This address refers to uploaded files"
#: The browser tries to connect again after pauses, each longer than the one before.
RECONNECTS = 60_000


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
    beside = bar(page).locator('[data-testid="stFileUploaderDropzoneInput"]')
    beside.set_input_files([str(file) for file in written(tmp_path, TABLES)])  # dropped on any page
    page.wait_for_url("**/data?*")
    settle(page)
    expect(main(page).get_by_text("system mango · 2 of 2 documents · 2 phrases")).to_be_visible()
    assert "k=9" in page.url
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


def test_killed_server_never_mixes_files_of_users(chromium: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    port, part = free_port(), {**os.environ, "KPSCOPE_STATE": ""}
    with running(tmp_path / "first", environment=part, port=port) as (address, server):
        drop(page, address, settle, *written(tmp_path, TABLES))
        follow(page, settle, "Overview")
        expect(main(page)).to_contain_text("mango reaches")
        server.kill()
        server.wait()
    with running(tmp_path / "second", environment=part, port=port):
        expect(main(page)).to_contain_text(GONE, timeout=RECONNECTS)  # nobody has touched it
        for name in ("Systems", "Data"):
            follow(page, settle, name)
            expect(main(page)).to_contain_text(GONE)
            expect(main(page)).not_to_contain_text("yake")
            expect(main(page)).not_to_contain_text("Sample ·")
        page.reload()
        expect(main(page)).to_contain_text(GONE, timeout=RECONNECTS)


def test_a_run_can_be_cancelled(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    rng = random.Random(0)
    words = [f"{a}{b}{c}" for a in ("st", "pl", "br", "gr") for b in ("an", "ing", "o", "ed") for c in ("d", "ts", "e")]
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        for number in range(400):
            archive.writestr(f"text{number}.txt", " the ".join(rng.choices(words, k=300)) + ".")
    drop(page, server, settle, tmp_path / "texts.zip")
    page.get_by_role("tab", name="Extract phrases").click()
    page.get_by_text("How many keyphrases can be reached").wait_for(timeout=90_000)
    settle(page)
    page.get_by_label("Systems").click()
    page.get_by_role("option", name="tfidf-chunks").click()
    page.keyboard.press("Escape")
    page.get_by_text("How many keyphrases can be reached").wait_for(timeout=90_000)
    settle(page)
    page.get_by_role("button", name="Extract", exact=True).click()
    page.get_by_text("Tagging document").wait_for(timeout=90_000)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Tagging document").wait_for(state="detached", timeout=90_000)
    settle(page)
    expect(page.get_by_role("button", name="Extract", exact=True)).to_be_enabled()
    expect(page.get_by_text("What was extracted")).to_have_count(0)
