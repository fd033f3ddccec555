"""The first request after a start may be any link, also a deep one with settings."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page


@pytest.mark.parametrize(
    ("path", "title", "words"), [("/?k=9&measure=MAP", "overview", "MAP 0.210"), ("/systems?k=9", "systems", "By F1@9")]
)
def test_a_cold_link_opens(
    cold_server: Callable[[], str], page: Page, settle: Callable[[Page], None], path: str, title: str, words: str
) -> None:
    page.goto(cold_server() + path)
    page.get_by_text(words).first.wait_for(timeout=60_000)
    settle(page)
    assert page.locator('[data-testid="stException"]').all_inner_texts() == []
    assert page.get_by_text("Page not found").count() == 0
    assert f"/{title}" in page.url
    assert page.get_by_role("link", name="Learn").count() == 1, "the page opened without the app around it"
