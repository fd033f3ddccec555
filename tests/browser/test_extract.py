"""From texts to a system in the leaderboard, and a run that is cancelled, as a person does it."""

import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import kp_core as kp
from tests.browser.test_use import cells, drop

LECTURES = Path(__file__).resolve().parents[2] / "sample_data" / "lectures"
SETTLE = Callable[[Page], None]


def extract(page: Page, settle: SETTLE) -> None:
    """Run the systems chosen, as soon as the whole page is there."""
    page.get_by_text("How many gold keyphrases can be reached").wait_for(timeout=90_000)
    settle(page)
    page.get_by_role("button", name="Extract", exact=True).click()


def test_an_extracted_system_is_in_the_leaderboard(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/extract?methods=tfidf-chunks")
    extract(page, settle)
    page.get_by_role("button", name="Add to the workspace").wait_for(timeout=90_000)
    settle(page)
    page.get_by_role("button", name="Add to the workspace").click()
    page.get_by_text("In the workspace: tfidf-chunks.").wait_for(timeout=60_000)
    settle(page)
    page.get_by_role("link", name="Open the leaderboard on the Overview page").click()
    page.get_by_text("3 annotators · 5 systems").wait_for(timeout=60_000)
    settle(page)
    head, *rows = cells(page)
    board = {row[0]: row[head.index("F1@6")] for row in rows}
    assert {"tfidf-chunks", "tfidf", "yake", "rake", "textrank"} <= set(board)
    texts, gold = LECTURES / "documents.jsonl", LECTURES / "gold.csv"
    corpus = kp.load(gold, kp.extract(texts, "tfidf-chunks").as_source(), texts)
    expected = kp.evaluate(corpus, k=6, measures="F1@k", interval="none").frame["value"].iloc[0]
    assert float(board["tfidf-chunks"]) == pytest.approx(expected)


def test_a_run_can_be_cancelled(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    rng = random.Random(0)
    words = [f"{a}{b}{c}" for a in ("st", "pl", "br", "gr") for b in ("an", "ing", "o", "ed") for c in ("d", "ts", "e")]
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        for number in range(400):
            archive.writestr(f"text{number}.txt", " the ".join(rng.choices(words, k=300)) + ".")
    drop(page, server, settle, tmp_path / "texts.zip")
    page.get_by_role("link", name="Extract", exact=True).click()
    page.get_by_text("How many gold keyphrases can be reached").wait_for(timeout=90_000)
    settle(page)
    page.get_by_label("Systems").click()
    page.get_by_role("option", name="tfidf-chunks").click()
    page.keyboard.press("Escape")
    extract(page, settle)
    page.get_by_text("Tagging document").wait_for(timeout=90_000)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Tagging document").wait_for(state="detached", timeout=90_000)
    settle(page)
    expect(page.get_by_role("button", name="Extract", exact=True)).to_be_enabled()
    expect(page.get_by_text("What was extracted")).to_have_count(0)
