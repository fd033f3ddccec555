"""Actions of users on any page: open it, follow its links, upload files."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from playwright.sync_api import Locator, Page

SETTLE = Callable[[Page], None]
TELEPHONE, DESK = {"width": 390, "height": 844}, {"width": 1440, "height": 1800}


def main(page: Page) -> Locator:
    return page.get_by_test_id("stMain")


def zone(page: Page) -> Locator:
    return main(page).locator('[class*="st-key-drop_"] [data-testid="stFileUploaderDropzoneInput"]').first


def follow(page: Page, settle: SETTLE, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()
    page.wait_for_url(f"**/{name.lower()}?*")
    settle(page)


def bar(page: Page) -> Locator:
    return page.locator(".st-key-bar")


def slider(page: Page) -> Locator:
    return bar(page).get_by_role("slider")


def drop(page: Page, server: str, settle: SETTLE, *files: Path) -> None:
    page.goto(f"{server}/data")
    settle(page)
    zone(page).wait_for(state="attached", timeout=60_000)
    zone(page).set_input_files([str(file) for file in files])
    page.get_by_text(re.compile(r"^Your (file|\d+ files)")).first.wait_for(state="attached")
    settle(page)


def written(folder: Path, tables: Mapping[str, Sequence[Sequence[object]]]) -> list[Path]:
    """Write each table (rows, header first) as a CSV file named after it; return the files."""
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    return [folder / f"{name}.csv" for name in tables]
