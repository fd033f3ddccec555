"""Pages fit a phone, have no serious findings of axe, and chart text has contrast in light and dark."""

from collections.abc import Callable, Iterator

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Page

from kp_ui.shell import PAGES
from tests.browser.steps import DESK, TELEPHONE

#: Streamlit's own markup, which a page cannot change: the navigation puts its items into a div inside the list, and the
#: chosen segment of a control has a tinted ground (4.3:1 in dark, asked are 4.5:1).
NOT_OURS = [["[data-testid='stSidebarNavItems']"], ["[data-testid='stButtonGroup']"]]
#: Two of its tables on one page give their cells the same ids.
NOT_ASKED = ("duplicate-id-active", "duplicate-id-aria")
#: Page → a further tab with charts.
TABS_OF_CHARTS = {"systems": "Over k", "annotators": "Trimming"}


#: Return the words of charts whose contrast with the page is below 4.5:1, each with its ratio. axe does not look into
#: drawings. Figures within the cells of a heat map stand on colors of their own.
FAINT = """() => {
  const channels = (text) => (text.match(/[\\d.]+/g) || []).slice(0, 3).map(Number);
  const bright = (rgb) => {
    const linear = (one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((one) => linear(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = bright(channels(getComputedStyle(document.querySelector('.stApp')).backgroundColor));
  return [...document.querySelectorAll('.js-plotly-plot text')]
    .filter((one) => one.checkVisibility() && one.textContent.trim() && !one.closest('.heatmap-label, .heatmaplayer'))
    .map((one) => {
      const own = bright(channels(getComputedStyle(one).fill));
      const ratio = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
      return [one.textContent, Math.round(100 * ratio) / 100];
    })
    .filter(([, ratio]) => ratio < 4.5);
}"""
#: Whether the page stands in a scheme, and nothing fades in any more, neither what is drawn anew nor colors.
STANDS = """(scheme) => {
  const rgb = getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/\\d+/g).slice(0, 3);
  const dark = rgb.map(Number).reduce((one, other) => one + other) < 200;
  return dark === (scheme === 'dark') && document.getAnimations().every((one) =>
    one.playState !== 'running' || one.effect.getComputedTiming().iterations === Infinity);
}"""


def in_both_schemes(page: Page, settle: Callable[[Page], None]) -> Iterator[str]:
    """Show the page in each color scheme, once it is complete."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        page.wait_for_function(STANDS, arg=scheme)
        yield scheme


def assert_words_of_charts_stand_out(page: Page) -> None:
    assert page.locator(".js-plotly-plot text").count() > 5
    assert page.evaluate(FAINT) == []


@pytest.mark.parametrize("page", [{"viewport": TELEPHONE}], indirect=True, ids=["telephone"])
@pytest.mark.parametrize("stem", PAGES)
def test_pages_fit_phones_and_have_no_serious_findings(
    server: str, page: Page, settle: Callable[[Page], None], stem: str, console_errors: list[str]
) -> None:
    """The fixture `page` fails at its end if the page contacted another host."""
    page.goto(f"{server}/{stem}")
    settle(page)
    assert page.locator('[data-testid="stException"]').count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= TELEPHONE["width"]
    block = page.locator('[data-testid="stMainBlockContainer"]')
    assert block.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    page.set_viewport_size(DESK)
    for scheme in in_both_schemes(page, settle):
        options = {"resultTypes": ["violations"]}  # nobody reads here what is well
        if scheme == "dark":  # of the rules, colors alone can tell one scheme from the other
            options["runOnly"] = ["color-contrast"]
        result = Axe().run(page, context={"exclude": NOT_OURS}, options=options)["violations"]
        asked = [item for item in result if item["impact"] in ("serious", "critical") and item["id"] not in NOT_ASKED]
        serious = [(item["id"], item["nodes"][0]["html"]) for item in asked]
        assert not serious, f"{stem} in {scheme}: {serious}"
        if stem in ("overview", "correlation", "learn"):
            assert_words_of_charts_stand_out(page)
    if stem in TABS_OF_CHARTS:
        page.get_by_role("tab", name=TABS_OF_CHARTS[stem]).click()
        for _ in in_both_schemes(page, settle):
            assert_words_of_charts_stand_out(page)
    assert [error for error in console_errors if "404" not in error] == []
