"""The app as a person uses it: by its links, its drop zone, its slider, its downloads; in light, dark and narrow."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

SETTLE = Callable[[Page], None]
#: Phrases that would become pictures, scripts, formulas or colours if anything read them as more than text.
HOSTILE = (
    "![](http://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "$k$-means",
    ":red[x]",
    "=cmd()",
    "<b>bold</b>",
)


def cells(page: Page, place: int = 0) -> list[list[str]]:
    """Return the cells of a table, which the page draws on a canvas and repeats for screen readers."""
    table = page.locator('[data-testid="stDataFrame"]').nth(place).locator("table")
    table.wait_for(state="attached")
    return [row.locator("th,td").all_inner_texts() for row in table.locator("tr").all()]


def drop(page: Page, server: str, settle: SETTLE, *files: Path) -> None:
    """Open the Data page and put files on its drop zone."""
    page.goto(f"{server}/data")
    settle(page)
    zone = page.locator('[data-testid="stFileUploaderDropzoneInput"]').first
    zone.wait_for(state="attached", timeout=60_000)
    zone.set_input_files([str(file) for file in files])
    page.get_by_text("Your files", exact=True).wait_for()
    settle(page)


def downloaded(page: Page, button: Locator) -> bytes:
    """Return what a download button gives; a click while the page still draws is lost, so there is a second one."""
    for patience in (10_000, 30_000):
        try:
            with page.expect_download(timeout=patience) as waiting:
                button.click()
            return Path(waiting.value.path()).read_bytes()
        except PlaywrightTimeoutError:
            continue
    pytest.fail("the button gave no download")


def first_csv(page: Page) -> str:
    """Download the first table of the page."""
    page.get_by_test_id("stMain").locator('[data-testid="stPopover"] button').first.click()
    button = page.locator('[data-testid="stPopoverBody"]').get_by_role("button", name="CSV")
    return downloaded(page, button).decode("utf-8")


def two_files(folder: Path) -> tuple[Path, Path]:
    gold, system = folder / "gold.csv", folder / "mine.csv"
    gold.write_text("doc_id,keyphrase\nd1,hash table\nd1,collision\nd2,tide\nd3,moon\n", encoding="utf-8")
    system.write_text("doc_id,rank,keyphrase\nd1,1,Hash Tables\nd1,2,bucket\nd2,1,tide\nd3,1,sun\n", encoding="utf-8")
    return gold, system


def test_two_dropped_files_are_scored_at_once(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    drop(page, server, settle, *two_files(tmp_path))
    page.get_by_role("link", name="See which system is better").click()
    page.get_by_text("1 annotator · 1 system").wait_for()
    settle(page)
    found = cells(page)
    row = next(row for row in found if row[0] == "mine")
    # average gold size 4/3 → k = 1: hash table and tide are hits; F1 per document 2/3, 1, 0
    assert float(row[found[0].index("F1@1")]) == pytest.approx(5 / 9)


def test_moving_k_changes_table_sentence_and_chart(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview?measure=P@k")
    settle(page)
    before, chart = cells(page), page.locator(".js-plotly-plot").first.inner_text()
    assert "P@6" in before[0]
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    page.wait_for_url("**k=3*")
    page.get_by_text("k = 3 (the average gold size is 6)").first.wait_for()
    settle(page)
    after = cells(page)
    assert "P@3" in after[0]
    assert {row[0]: row[2] for row in before[1:]} != {row[0]: row[2] for row in after[1:]}
    assert page.locator(".js-plotly-plot").first.inner_text() != chart
    page.reload()
    settle(page)
    assert cells(page) == after  # the link says it all


def test_settings_follow_to_the_other_pages(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/agreement?k=9&annotators=majority&preset=pke")
    settle(page)
    page.get_by_role("link", name="Ranking").click()
    page.get_by_role("heading", name="Ranking", exact=True).wait_for()
    settle(page)
    assert "P@9" in cells(page)[0]
    line = page.locator("code").filter(has_text="kps|preset:pke").first.inner_text()
    assert "annot:majority" in line


def test_a_csv_is_downloaded_with_its_signature(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview?k=5")
    settle(page)
    rows = list(csv.DictReader(io.StringIO(first_csv(page))))
    head, *body = cells(page)
    shown = {row[0]: float(row[head.index("F1@5")]) for row in body}
    assert {row["system"]: float(row["F1@5"]) for row in rows} == shown
    assert all("|k:5|" in row["signature"] for row in rows)


def test_a_broken_file_is_refused_in_words_and_the_screen_stays(
    server: str, page: Page, settle: SETTLE, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"d1": ["tide", ', encoding="utf-8")
    page.goto(f"{server}/data")
    settle(page)
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').first.set_input_files(str(broken))
    alert = page.get_by_role("alert").filter(has_text="Not loaded")
    alert.wait_for()
    assert "broken.json" in alert.inner_text()
    assert "line 1, column 17" in alert.inner_text()
    assert "Traceback" not in page.locator("body").inner_text()
    assert page.get_by_text("sample data made for demonstration").count() == 1


def test_hostile_phrases_stay_text_everywhere(
    server: str, page: Page, settle: SETTLE, tmp_path: Path, console_errors: list[str]
) -> None:
    """The fixture `page` fails at its end if any of them made the browser ask a foreign host."""
    gold, system = tmp_path / "gold.csv", tmp_path / "system $k$ <b>x.csv"
    rows = [f'"{phrase}"' for phrase in HOSTILE]
    gold.write_text("doc_id,keyphrase\n" + "".join(f'"{HOSTILE[0]}",{row}\n' for row in rows), encoding="utf-8")
    ranked = "".join(f'"{HOSTILE[0]}",{rank},{row}\n' for rank, row in enumerate(rows, 1))
    system.write_text("doc_id,rank,keyphrase\n" + ranked, encoding="utf-8")
    page.on("dialog", lambda dialog: pytest.fail(f"a phrase ran as a script: {dialog.message}"))
    drop(page, server, settle, gold, system)
    for name in ("Overview", "Agreement", "Ranking", "Documents", "Data"):
        page.get_by_role("link", name=name).click()
        page.get_by_role("heading", name=name, exact=True).wait_for()
        settle(page)
        assert page.locator('[data-testid="stException"]').count() == 0
        assert page.locator('[data-testid="stMain"] img[src*="evil"], [data-testid="stMain"] img[src="x"]').count() == 0
        assert page.locator('[data-testid="stMain"] .katex').count() == 0
    page.get_by_role("link", name="Documents").click()
    expect(page.get_by_role("heading").filter(has_text="evil.example/x.png)")).to_be_visible()
    settle(page)
    shown = [cell for place in range(3) for row in cells(page, place) for cell in row]
    assert set(HOSTILE) <= set(shown)
    assert "\n=" not in first_csv(page)
    assert [error for error in console_errors if "404" not in error] == []


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
@pytest.mark.parametrize(
    "name",
    [
        *("overview", "agreement", "ranking", "documents", "data", "methods"),
        *("annotators", "near_misses", "correlation", "extract"),
    ],
)
def test_every_page_fits_a_telephone(server: str, page: Page, settle: SETTLE, name: str) -> None:
    page.goto(f"{server}/{name}")
    settle(page)
    assert page.locator('[data-testid="stException"]').count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    main = page.locator('[data-testid="stMainBlockContainer"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


@pytest.mark.parametrize(
    "page", [{"color_scheme": "dark"}, {"color_scheme": "light"}], indirect=True, ids=["dark", "light"]
)
def test_charts_have_words_and_the_page_has_its_scheme(server: str, page: Page, settle: SETTLE, request) -> None:
    page.goto(f"{server}/overview")
    settle(page)
    colour = page.locator('[data-testid="stApp"]').evaluate("e => getComputedStyle(e).backgroundColor")
    brightness = sum(int(part) for part in colour[4:-1].split(",")[:3])
    assert (brightness < 200) == ("dark" in request.node.name)
    charts = page.locator('[data-testid="stPlotlyChart"]')
    charts.first.wait_for()
    assert charts.first.get_attribute("aria-label").startswith("F1@k over k from 1 to 50, one line for each")
