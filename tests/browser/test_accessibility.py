"""No page has a serious finding of axe, in light and dark."""

from collections.abc import Callable

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Page

from kp_ui.shell import PAGES

#: Streamlit's own markup, which a page cannot change: the navigation puts its items into a div inside the list, and the
#: chosen segment of a control has a tinted ground (4.3:1 in dark, asked are 4.5:1).
NOT_OURS = [["[data-testid='stSidebarNavItems']"], ["[data-testid='stButtonGroup']"]]
#: Two of its tables on one page give their cells the same ids.
NOT_ASKED = ("duplicate-id-active", "duplicate-id-aria")


@pytest.mark.parametrize("stem", PAGES)
def test_no_serious_finding(
    server: str, page: Page, settle: Callable[[Page], None], stem: str, console_errors: list[str]
) -> None:
    """The fixture `page` fails at its end if the page asked another host."""
    page.goto(f"{server}/{stem}")
    settle(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(1200)  # what is drawn anew, and colours of another scheme, fade in
        found = Axe().run(page, context={"exclude": NOT_OURS})["violations"]
        asked = [one for one in found if one["impact"] in ("serious", "critical") and one["id"] not in NOT_ASKED]
        serious = [(one["id"], one["nodes"][0]["html"]) for one in asked]
        assert not serious, f"{stem} in {scheme}: {serious}"
    assert [error for error in console_errors if "404" not in error] == []
