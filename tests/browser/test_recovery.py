"""An interrupted, cancelled or failed computation loses nothing."""

import random
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from kp_core.settings import in_words, question
from tests.browser.steps import SETTLE, bar, drop, main
from tests.browser.test_use import recipe, values

PRESET = question("preset")


def test_a_failed_computation_takes_nothing_away(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/?k=7")
    main(page).get_by_role("button", name="Cite").wait_for(timeout=120_000)  # it ends the page
    settle(page)
    line, rows = recipe(page), values(page)
    preset(page, in_words("preset", "chan"))
    settle(page)
    page.get_by_role("alert").filter(has_text="Your data, settings and ratings are still here").wait_for()
    assert "a path of the server" not in page.locator("body").inner_text()
    preset(page, in_words("preset", "pke"))
    preset(page, in_words("preset", "kpscope"))  # while the four seconds run
    main(page).get_by_role("button", name="Cite").wait_for(timeout=60_000)
    settle(page)
    assert (recipe(page), values(page)) == (line, rows)


def preset(page: Page, option: str) -> None:
    """Choose published conventions under *Scoring*, and wait until the choice is stored, not for the result."""
    bar(page).locator(".st-key-conventions button").click()
    page.get_by_role("combobox", name=PRESET, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")  # faster than the choice is noted, which is not lost
    expect(bar(page).locator(".st-key-conventions button")).to_contain_text(option, timeout=60_000)


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
