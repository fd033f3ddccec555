"""Annotators, near misses, ratings and the way from a number to its phrases, as a person uses them."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.test_use import HOSTILE, cells, downloaded, drop

SETTLE = Callable[[Page], None]
PAGES = ("Overview", "Agreement", "Ranking", "Annotators", "Near misses", "Correlation", "Documents", "Extract")


def test_tabs_of_the_annotators_page(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/annotators?threshold=0.70")
    settle(page)
    expect(page.get_by_text("The annotators agree with K")).to_be_visible()
    for tab, words in {
        "Human ceiling": "People and systems, like for like",
        "Documents": "Agreement on every document",
        "Trimming by agreement": "keyphrases are left",
    }.items():
        page.get_by_role("tab", name=tab).click()
        settle(page)
        expect(page.get_by_text(words).first).to_be_visible()
    expect(page.get_by_text("At K ≥ 0.7")).to_be_visible()


def test_people_are_drawn_beside_the_systems(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview?people=true")
    settle(page)
    assert sum("human ceiling" in row for row in cells(page)) == 1
    expect(page.locator(".js-plotly-plot").first.get_by_text("human ceiling")).to_be_visible()


def test_twenty_pairs_rated_by_keyboard_give_a_correlation(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/correlation")
    settle(page)
    expect(page.get_by_text("60 judged pairs, 4 annotators")).to_be_visible()
    page.keyboard.press("3")  # no pair is on screen, so nothing is rated
    page.get_by_text("Rate near misses yourself", exact=True).click()
    page.get_by_text("0 of 20 rated by you").wait_for()
    for done in range(20):
        page.keyboard.press(str((done * 3) % 5))
        page.get_by_text(f"{done + 1} of 20 rated by you").wait_for()
    page.get_by_text("All pairs are rated").wait_for()
    settle(page)
    given = downloaded(page, page.get_by_role("button", name="Download the ratings"))
    rows = list(csv.DictReader(io.StringIO(given.decode("utf-8"))))
    assert [float(row["score"]) for row in rows].count(0.0) == 4
    assert {row["annotator"] for row in rows} == {"me"}
    page.get_by_text("Measures and people", exact=True).click()
    settle(page)
    expect(page.get_by_text("80 judged pairs, 5 annotators")).to_be_visible()


def test_from_a_table_row_to_the_marked_document_in_two_clicks(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview")
    settle(page)
    table = page.locator('[data-testid="stDataFrame"]').first
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 52)  # the box before the first row; the table is drawn on a canvas
    link = page.get_by_role("link", name="Open the documents of yake")
    link.wait_for()
    link.click()
    page.wait_for_url("**/documents?**system=yake**")
    settle(page)
    expect(page.get_by_text("In the text", exact=True)).to_be_visible()
    expect(page.get_by_text("✓").last).to_be_visible()


def test_hostile_phrases_stay_text_on_every_page(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    gold, system, texts = (tmp_path / f"{role}.csv" for role in ("gold", "system", "texts"))
    lists = {"gold": HOSTILE[:4], "system": HOSTILE[2:]}
    with gold.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["doc_id", "annotator", "keyphrase"])
        writer.writerows([[d, a, p] for d in ("d1", HOSTILE[1]) for a in ("A", HOSTILE[0]) for p in lists["gold"]])
    with system.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["doc_id", "rank", "keyphrase"])
        writer.writerows([[d, r, p] for d in ("d1", HOSTILE[1]) for r, p in enumerate(lists["system"], 1)])
    with texts.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["doc_id", "title", "text"])
        writer.writerows(
            [[d, HOSTILE[3], " and ".join(HOSTILE) + ". More words follow here."] for d in ("d1", HOSTILE[1])]
        )
    drop(page, server, settle, gold, system, texts)
    for name in PAGES:
        page.get_by_role("link", name=name, exact=True).first.click()
        page.get_by_role("heading", name=name, exact=True).wait_for()
        settle(page)
        expect(page.locator('[data-testid="stException"]')).to_have_count(0)
        assert page.locator('img[src*="evil"], img[src="x"]').count() == 0
        assert page.locator("main b, .katex").count() == 0
    assert not alerts
