"""A link carries what is on screen to somebody else, and what it asks for and does not exist is said."""

from collections.abc import Callable

from playwright.sync_api import Browser, Page

from tests.browser.test_use import cells

SETTLE = Callable[[Page], None]


def test_a_copied_link_shows_somebody_else_the_same(server: str, browser: Browser, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview")
    settle(page)
    page.get_by_test_id("stMain").get_by_role("combobox", name="Measure").click()
    page.get_by_role("option", name="nDCG@k", exact=True).click()
    side = page.get_by_test_id("stSidebar")
    side.get_by_role("slider").press("ArrowRight")
    side.get_by_role("combobox", name="Gold standard").click()
    page.get_by_role("option", name="majority", exact=True).click()
    page.wait_for_url("**annotators=majority*")
    settle(page)
    side.get_by_role("button", name="Link to this view").click()
    link = page.get_by_test_id("stPopoverBody").locator("code").inner_text()
    assert link.startswith(f"{server}/overview?")
    other = browser.new_context(viewport={"width": 1440, "height": 1800}).new_page()
    other.goto(link)
    settle(other)
    assert cells(other) == cells(page)
    assert "nDCG@1" in cells(other)[0]
    line = "code:has-text('kps|')"
    assert other.locator(line).first.inner_text() == page.locator(line).first.inner_text()
    other.context.close()
