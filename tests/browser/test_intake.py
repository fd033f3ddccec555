"""What AppTest cannot see of the input pages: folders, rows of a table that are selected, files that are downloaded."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import openpyxl
from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser.test_use import downloaded

SETTLE = Callable[[Page], None]


def table(page: Page, column: str) -> list[dict[str, str]]:
    """Return the rows of the first table with a column, as the page repeats them for screen readers."""
    head = page.locator("th,td", has_text=re.compile(f"^{re.escape(column)}$"))
    found = page.locator('[data-testid="stDataFrame"] table').filter(has=head).first
    found.wait_for(state="attached")
    names, *rows = [row.locator("th,td").all_inner_texts() for row in found.locator("tr").all()]
    return [dict(zip(names, row, strict=False)) for row in rows]


def choose(page: Page, settle: SETTLE, label: str, option: str) -> None:
    """Choose an option of a select box; one that had to be scrolled to closes again at once, so it is opened twice."""
    box = page.get_by_role("combobox", name=label, exact=True)
    wanted = page.get_by_role("option", name=option, exact=True)
    box.click()
    try:
        wanted.click(timeout=3000)
    except PlaywrightTimeoutError:
        box.click()
        wanted.click()
    settle(page)


def zone(page: Page, place: int = 0) -> Locator:
    return page.locator('[data-testid="stFileUploaderDropzoneInput"]').nth(place)


def test_a_table_with_unknown_columns_is_read_once_they_are_named(
    server: str, page: Page, settle: SETTLE, tmp_path: Path
) -> None:
    file = tmp_path / "liste.csv"
    file.write_text("Nr;Begriff\n1;Haus\n1;Baum\n2;Katze\n", encoding="utf-8")
    page.goto(f"{server}/data")
    settle(page)
    zone(page).set_input_files(str(file))
    page.get_by_role("alert").filter(has_text="Nr;Begriff").wait_for()
    settle(page)
    choose(page, settle, "document id", "Nr")
    choose(page, settle, "keyphrase", "Begriff")
    assert page.get_by_role("alert").filter(has_text="Not loaded").count() == 0
    page.get_by_text("Annotators and systems").scroll_into_view_if_needed()  # tables are drawn when they are seen
    assert [(row["source"], row["documents"], row["phrases"]) for row in table(page, "phrases")] == [("gold", "2", "3")]
    choose(page, settle, "This file is", "system output")
    page.get_by_text("There is no gold standard").wait_for()
    page.get_by_role("button", name="Guess again").click()
    page.get_by_role("alert").filter(has_text="Nr;Begriff").wait_for()


def test_a_folder_is_read_as_one(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    for name in ("ana/7.key", "ana/8.key", "ben/7.key"):
        path = tmp_path / "teams" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("tide table\nharbour\n", encoding="utf-8")
    page.goto(f"{server}/data")
    settle(page)
    page.get_by_text("A whole folder").click()
    zone(page, 1).set_input_files(str(tmp_path / "teams"))
    page.get_by_text("teams.zip").first.wait_for()
    settle(page)
    found = {row["source"]: (row["documents"], row["phrases"]) for row in table(page, "phrases")}
    assert found == {"ana": ("2", "4"), "ben": ("1", "2")}


def test_a_selected_row_opens_its_document_and_sorting_keeps_it(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/documents?k=10&system=yake&other=rake")
    settle(page)
    listed = page.locator('[data-testid="stDataFrame"]').first
    rows = table(page, "difference")
    box = listed.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 14, box["y"] + 35 * 3 + 17)  # the box of the third row, below the head
    page.wait_for_url(f"**document={rows[2]['document']}*")
    settle(page)
    title = page.get_by_role("heading", name=rows[2]["title"], exact=True)
    title.wait_for()
    choose(page, settle, "Sorted by", "value")
    assert table(page, "difference") != rows
    title.wait_for()
    assert f"document={rows[2]['document']}" in page.url


def test_downloads_hold_the_table_and_no_formula(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.csv", tmp_path / "=cmd().csv"
    gold.write_text("doc_id,keyphrase\n=1+1,tide\nd_2,moon\n", encoding="utf-8")
    system.write_text("doc_id,rank,keyphrase\n=1+1,1,tide\nd_2,1,sun\n", encoding="utf-8")
    page.goto(f"{server}/data")
    settle(page)
    zone(page).set_input_files([str(gold), str(system)])
    page.get_by_text("Your files", exact=True).wait_for()
    page.get_by_role("link", name="Documents").click()
    page.get_by_role("heading", name="Documents", exact=True).wait_for()
    page.get_by_text("1 annotator · 1 system").wait_for()
    settle(page)
    files = {}
    page.get_by_test_id("stMain").locator('[data-testid="stPopover"] button').first.click()
    for form in ("CSV", "XLSX", "LaTeX", "Markdown"):
        button = page.locator('[data-testid="stPopoverBody"]').get_by_role("button", name=form)
        files[form] = downloaded(page, button)
    assert files["CSV"].decode().split("\n")[1].startswith("'=1+1,1.0,kps|")
    sheet = openpyxl.load_workbook(io.BytesIO(files["XLSX"])).active
    assert [[cell.value for cell in row][:2] for row in sheet.iter_rows()] == [
        ["document", "'=cmd()"],
        ["'=1+1", 1],
        ["d_2", 0],
    ]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n"}
    assert r"d\_2 & 0.0000 \\" in files["LaTeX"].decode()
    for content in (files["LaTeX"].decode().replace(r"\textbar{}\allowbreak{}", "|"), files["Markdown"].decode()):
        assert "kps|" in content
