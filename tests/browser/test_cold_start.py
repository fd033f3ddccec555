"""The first request after a start may be any link, also a deep one with settings."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page


@pytest.mark.parametrize(
    ("path", "title", "words"),
    [
        ("/", "Overview", "k = 6, the average gold size"),
        ("/?k=9&measure=MAP", "Overview", "k = 9"),
        ("/systems?k=9", "Systems", "k = 9"),
    ],
)
def test_a_cold_link_opens(
    cold_server: Callable[[], str], page: Page, settle: Callable[[Page], None], path: str, title: str, words: str
) -> None:
    page.goto(cold_server() + path)
    page.get_by_role("heading", name=title, exact=True).wait_for(timeout=60_000)
    settle(page)
    assert page.locator('[data-testid="stException"]').all_inner_texts() == []
    assert page.get_by_text("Page not found").count() == 0
    assert words in page.locator("body").inner_text()
    assert page.get_by_role("link", name="Learn").count() == 1, "the page opened without the app around it"
