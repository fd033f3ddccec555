"""The report of a session with hostile phrases: opened from disk, without a network, it shows the same numbers."""

from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.steps import SETTLE, drop, follow, written
from tests.browser.test_use import HOSTILE, downloaded, values

#: The most that a report may hold (specification of the interface).
MEGABYTES = 1.5


def files(folder: Path) -> list[Path]:
    phrases = HOSTILE[:7] * 2  # were most of them HTML, the app would ask whether that is meant
    tables = {"gold": [("doc_id", "keyphrase"), *((f"d{n}", phrase) for n, phrase in enumerate(phrases))]}
    for name, step in (("<b>mine<b>", 1), ("other", 2)):
        result = [phrase if n % step == 0 else "tide" for n, phrase in enumerate(phrases)]
        rows = [(f"d{n}", 1, phrase) for n, phrase in enumerate(result)]
        tables[name] = [("doc_id", "rank", "keyphrase"), *rows]
    return written(folder, tables)


def test_a_report_opens_from_disk_without_a_network(
    server: str, browser: Browser, page: Page, settle: SETTLE, tmp_path: Path
) -> None:
    drop(page, server, settle, *files(tmp_path))
    follow(page, settle, "Overview")
    board = values(page)
    follow(page, settle, "Report")
    page.get_by_role("tab", name="Report").click()
    settle(page)
    path = tmp_path / "report.html"
    path.write_bytes(downloaded(page, page.get_by_role("button", name="HTML report")))
    assert path.stat().st_size < MEGABYTES * 1_000_000

    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    report, asked, errors = context.new_page(), list[str](), list[str]()
    report.on("request", lambda request: asked.append(request.url))
    report.on("pageerror", lambda error: errors.append(str(error)))
    report.on("dialog", lambda dialog: errors.append(dialog.message))
    report.goto(path.as_uri())
    charts = report.locator("figure img")
    assert charts.count() >= 2
    assert [one for one in charts.all() if not one.evaluate("one => one.complete && one.naturalWidth > 300")] == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []
    table = next(one for one in report.locator("table").all() if "better than" in one.inner_text())
    shown = [row.locator("th,td").all_inner_texts() for row in table.locator("tr").all()]
    value = shown[0].index("F1@1")
    of_report = {row[shown[0].index("system")]: float(row[value]) for row in shown[1:]}
    assert {name: of_report[name] for name in board} == board
    assert "<b>mine<b>" in board
    report.get_by_text("<b>mine<b>").first.wait_for()  # a name is text, also here
    assert report.locator("b:has-text('mine')").count() == 0
    context.close()
