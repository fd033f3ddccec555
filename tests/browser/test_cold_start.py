"""The first request after a start may be any link, also a deep one with settings."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page


@pytest.mark.parametrize("path", ["/", "/agreement?k=9"])
def test_a_cold_link_opens(
    cold_server: Callable[[], str], page: Page, settle: Callable[[Page], None], path: str
) -> None:
    page.goto(cold_server() + path)
    settle(page)
    assert page.locator('[data-testid="stException"]').all_inner_texts() == []
    assert page.get_by_text("Page not found").count() == 0
    assert page.locator('[data-testid="stMain"]').inner_text().strip(), "the page is empty"
