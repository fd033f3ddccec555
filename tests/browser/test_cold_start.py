"""The first request after a start may be any link, also a deep one with settings."""

from collections.abc import Callable

from playwright.sync_api import Page


def test_cold_deep_link_opens_inside_app(cold_server: str, page: Page, settle: Callable[[Page], None]) -> None:
    page.goto(f"{cold_server}/systems?k=9")
    page.get_by_text("By F1@9").first.wait_for(timeout=60_000)
    settle(page)
    assert page.locator('[data-testid="stException"]').all_inner_texts() == []
    assert page.get_by_text("Page not found").count() == 0
    assert "/systems" in page.url
    assert page.get_by_role("link", name="Learn").count() == 1, "the page opened without the app around it"
