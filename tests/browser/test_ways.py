"""Ways of docs/guide/ways.md that need a browser, with the words of the guide."""

import re
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.steps import SETTLE, bar, drop, follow, main

SAMPLES = Path(__file__).parents[2] / "sample_data"


def open_page(page: Page, settle: SETTLE, address: str) -> None:
    page.goto(address)
    settle(page)


def charts(page: Page) -> str:
    """Return the words of all charts."""
    return " ".join(
        one.get_attribute("aria-label") or "" for one in page.locator('[data-testid="stPlotlyChart"]').all()
    )


def test_three_indexers_in_one_workbook(server: str, page: Page, settle: SETTLE) -> None:
    drop(page, server, settle, SAMPLES / "studies" / "indexers.csv")
    expect(main(page).get_by_text("Indexer C · 3 of 3 documents · 22 phrases")).to_be_visible()
    main(page).get_by_role("button", name="See how far the indexers agree").click()  # the drop, and one click
    page.wait_for_url("**/annotators?*")
    settle(page)
    names = page.get_by_test_id("stTopNavLink").all_inner_texts()
    assert names == ["Data", "Agreement", "Titles", "Headings", "Report", "Learn"]
    expect(main(page).get_by_text("Two indexers share on average 36 % of their headings")).to_be_visible()
    for words in ("Most disputed titles", "Most disputed headings"):
        expect(main(page).get_by_text(words)).to_be_in_viewport()
    expect(main(page).get_by_text("contour line (Indexer A, Indexer C)")).to_be_in_viewport()
    opened = page.get_by_role("link", name="All headings")
    opened.click()
    page.wait_for_url("**/headings?*")
    settle(page)
    expect(main(page).get_by_text("14 headings, the most disputed first")).to_be_visible()
    page.get_by_role("textbox", name="Search").fill("harbour")
    page.keyboard.press("Enter")
    settle(page)
    expect(main(page).get_by_role("heading", name="harbour")).to_be_visible()
    grid = main(page).get_by_test_id("stDataFrame").last  # the titles of the heading
    grid.click(position={"x": 16, "y": 52})
    page.wait_for_url("**/documents?*document=talk-1*")
    settle(page)
    expect(main(page).get_by_role("heading", name="Tides")).to_be_visible()
    expect(page.get_by_text("Where the indexers agree least comes first.")).to_be_visible()
    page.get_by_role("link", name="Report", exact=True).click()
    page.wait_for_url("**/report?*")
    settle(page)
    with page.expect_download() as given:
        main(page).get_by_role("button", name="HTML report").click()
    printed = page.context.browser.new_page()  # type: ignore[union-attr]
    printed.set_content(Path(given.value.path()).read_text("utf-8"))
    assert len(re.findall(rb"/Type\s*/Page\b", printed.pdf(prefer_css_page_size=True))) == 2
    printed.close()


def test_a_heading_of_a_system_opens_its_documents(server: str, page: Page, settle: SETTLE) -> None:
    open_page(page, settle, f"{server}/documents?documents_tab=Headings&heading=words&system=yake&k=6")
    expect(main(page).get_by_role("heading", name="words")).to_be_visible()
    main(page).get_by_test_id("stDataFrame").last.click(position={"x": 16, "y": 52})
    page.wait_for_url("**document=lecture-*")
    settle(page)
    expect(page.get_by_role("tab", name="Documents")).to_have_attribute("aria-selected", "true")


def test_five_data_sets_from_a_zip_to_the_table_of_a_paper(
    server: str, page: Page, settle: SETTLE, tmp_path: Path
) -> None:
    """A drop and three clicks: Report, Download, and the file."""
    packed, words = tmp_path / "bench.zip", [f"word {letter}" for letter in "abcdefghijkl"]
    with zipfile.ZipFile(packed, "w") as archive:
        for place, name in enumerate(("inspec", "krapivin", "nus", "semeval2010", "kp20k")):
            for system, start in (("gold", 0), ("systems/bart", 1), ("systems/yake", 3)):
                rows = [f"{d},{word}" for d in range(12) for word in words[(start * d + place) % 5 :][:4]]
                archive.writestr(f"bench/{name}/{system}.csv", "\n".join(["doc_id,phrase", *rows]))
    drop(page, server, settle, packed)
    expect(bar(page).get_by_text("5 data sets")).to_be_visible()
    follow(page, settle, "Report")
    expect(main(page).get_by_role("columnheader", name="semeval2010")).to_be_visible()
    main(page).get_by_role("button", name="Download").click()
    with page.expect_download() as given:
        page.get_by_test_id("stPopoverBody").get_by_role("button", name="LaTeX", exact=True).click()
    text = Path(given.value.path()).read_text("utf-8")
    assert all(name in text for name in ("inspec", "krapivin", "nus", "semeval2010", "kp20k", "mean"))


def test_a_clicker_goes_through_tabs_and_pages(server: str, page: Page, settle: SETTLE) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    open_page(page, settle, f"{server}/overview?present=true")
    for key, where in (("PageDown", "/systems"), ("ArrowRight", "systems_tab=Concordance"), ("PageUp", "/systems")):
        page.keyboard.press(key)
        page.wait_for_url(f"**{where}*")
        settle(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/overview*")
    settle(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Systems").wait_for()
