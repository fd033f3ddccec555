"""The app as a person uses it: its links, drop zone, slider, keys and downloads; in light, dark, narrow and large."""

import csv
import io
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from kp_core.charts.style import REFERENCE_LABELS
from kp_core.learn import LESSONS
from kp_ui.shell import PAGES as SCREENS
from tests.browser.steps import DESK, SETTLE, TELEPHONE, bar, drop, follow, main, slider, written

#: Names and phrases that would become pictures, scripts, links, formulas or colors if anything read them as more than
#: text: then an element says “evil” and nothing else, or asks a host of that name, or a dialog opens.
HOSTILE = (
    "![](http://evil.example/x.png)",
    "<img src=//evil.example/x onerror=alert(1)>",
    "[evil](http://evil.example)",
    "<a href='http://evil.example'>evil</a>",
    "$evil$",
    ":red[evil]",
    "<b>evil</b>",
    "</text><script>alert(1)</script>",
    "</style></svg><svg onload=alert(1)>",
    '"><iframe src=//evil.example>',
    "=evil()",
)
#: The most that a report may hold.
MEGABYTES = 1.5
#: The elements of a page that have become more than text; the app itself underlines the word “evil” as a candidate.
BECAME = """() => [...document.querySelectorAll("body *")].filter(one =>
    one.children.length === 0 && one.textContent.trim() === "evil" && !one.matches(".kp-text > u.first")
    || ["src", "href", "xlink:href"].some(name => /^(https?:)?[/][/]evil/.test(one.getAttribute(name) ?? ""))
    || one.hasAttribute("onload") || one.hasAttribute("onerror")).map(one => one.outerHTML)"""


def values(page: Page) -> dict[str, float]:
    """Return the values of the rows of the Overview, from the alternative texts of their pictures."""
    said = [item.get_attribute("aria-label") or "" for item in main(page).locator(".kp-dot[role=img]").all()]
    pairs = (re.fullmatch(r"(.+?) (-?[.\d]+)(?: \[.*)?", words) for words in said)
    return {pair[1]: float(pair[2]) for pair in pairs if pair}


def table(page: Page, column: str) -> list[dict[str, str]]:
    """Return the rows of the first table with a column; a grid repeats them for screen readers."""
    head = page.locator("th,td", has_text=re.compile(f"^{re.escape(column)}$"))
    result = page.locator("table").filter(has=head).first
    result.wait_for(state="attached")
    names, *rows = [row.locator("th,td").all_inner_texts() for row in result.locator("tr").all()]
    return [dict(zip(names, row, strict=False)) for row in rows]


def downloaded(page: Page, button: Locator) -> bytes:
    """Return the file of a download button; click twice, because a click during drawing is lost."""
    for patience in (10_000, 60_000):
        try:
            with page.expect_download(timeout=patience) as waiting:
                button.click()
            return Path(waiting.value.path()).read_bytes()
        except PlaywrightTimeoutError:
            continue
    pytest.fail("the button gave no download")


def taken(page: Page, words: str, form: str) -> bytes:
    """Download the entry of *Download* that begins with some words."""
    main(page).get_by_role("button", name="Download", exact=True).click()
    body = page.locator('[data-testid="stPopoverBody"]')
    line = body.locator(".stHorizontalBlock").filter(has_text=words).last
    given = downloaded(page, line.get_by_role("button", name=form))
    page.keyboard.press("Escape")
    return given


def test_moving_k_updates_page_link_and_history(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview?measure=P@k&k=6&system=rake&other=tfidf")
    settle(page)
    seen = {6: values(page)}
    for k in (7, 8):
        slider(page).press("ArrowRight")
        page.wait_for_url(f"**k={k}*")
        main(page).get_by_text(f"P@{k}").first.wait_for()
        settle(page)
        seen[k] = values(page)
    assert seen[8] != seen[7] != seen[6]
    page.reload()
    settle(page)
    assert values(page) == seen[8]  # the link says it all
    page.go_back()
    page.wait_for_url("**k=7*")
    main(page).get_by_text("P@7").first.wait_for()
    settle(page)
    assert values(page) == seen[7]
    for name in ("Systems", "Documents"):
        follow(page, settle, name)
        expect(slider(page)).to_have_value("7")
    assert main(page).get_by_role("combobox", name="First system", exact=True).input_value() == "rake"
    follow(page, settle, "Overview")
    slider(page).press("ArrowRight")
    page.wait_for_url("**k=8*")
    bar(page).locator(".st-key-measure-in-words button").click()
    chosen = page.get_by_test_id("stPopoverBody").get_by_role("radio", name="P@k", exact=True)
    expect(chosen).to_have_attribute("aria-checked", "true")


def test_k_follows_fast_keys_clicks_and_typing(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview?k=6")
    settle(page)
    slider(page).focus()
    for pace, key, k in ((50, "ArrowRight", 14), (150, "ArrowLeft", 6)):
        for _ in range(8):
            page.keyboard.press(key)
            page.wait_for_timeout(pace)
        page.wait_for_url(f"**k={k}*")
        settle(page)
        expect(slider(page)).to_have_value(str(k))
    box = main(page).locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert box
    at = box["x"] + box["width"] * (20 - 0.5) / 50, box["y"] + box["height"] - 12  # above the 20 of the axis
    for _ in range(2):  # what was clicked can be clicked again
        page.mouse.move(*at)
        page.wait_for_timeout(500)  # Plotly takes a click for one on what it has seen the mouse over
        page.mouse.click(*at)
        page.wait_for_url("**k=20*")
        settle(page)
        slider(page).press("ArrowLeft")
        page.wait_for_url("**k=19*")
        settle(page)
    bar(page).locator(".st-key-k-in-words button").click()
    field = page.get_by_test_id("stPopoverBody").get_by_role("spinbutton")
    field.fill("33")
    page.keyboard.press("Enter")
    page.wait_for_url("**k=33*")
    expect(slider(page)).to_have_value("33")
    page.keyboard.press("Escape")
    page.set_viewport_size(TELEPHONE)
    settle(page)
    slider(page).press("ArrowRight")
    page.wait_for_url("**k=34*")
    main(page).get_by_text("F1@34").first.wait_for()
    settle(page)
    folded = bar(page).bounding_box()
    assert folded
    assert folded["height"] < 60
    rules = bar(page).get_by_role("button", name="Scoring")
    expect(rules).to_be_hidden()
    bar(page).locator("summary").click()
    expect(rules).to_be_visible()


def test_hostile_names_and_phrases_remain_text(
    server: str, browser: Browser, page: Page, settle: SETTLE, tmp_path: Path, console_errors: list[str]
) -> None:
    """The fixture `page` fails at its end if the browser contacted another host."""
    documents, names, turns = HOSTILE[:3], HOSTILE[:4], range(len(HOSTILE))
    judged = [(f"p{turn}", HOSTILE[turn], f"{HOSTILE[turn]} y", who, turn % 5) for turn in turns for who in names[:2]]
    files = {
        "gold <b>evil<%2fb>": [("doc_id", "annotator", "keyphrase")]
        + [(d, who, item) for d in documents for who in names for item in HOSTILE],
        "systems $evil$": [("system", "doc_id", "rank", "keyphrase")]
        + [
            (name, d, rank, item)
            for place, name in enumerate(HOSTILE[4:])
            for d in documents
            for rank, item in enumerate(HOSTILE[place:], 1)
        ],
        "texts": [("doc_id", "title", "group", "text")]
        + [(d, HOSTILE[3], HOSTILE[turn], " and ".join(HOSTILE)) for turn, d in enumerate(documents)],
        "judged": [("pair_id", "keyphrase", "candidate", "annotator", "score"), *judged],
    }
    page.on("dialog", lambda dialog: pytest.fail(f"a phrase ran as a script: {dialog.message}"))
    drop(page, server, settle, *written(tmp_path, files))
    seen = ""
    for name in SCREENS:
        follow(page, settle, name.capitalize())
        expect(page.locator('[data-testid="stException"], [data-testid="stAlertContentError"]')).to_have_count(0)
        assert page.evaluate(BECAME) == [], name  # of every tab: tests/app/test_hostile_text.py
        seen += page.locator("body").inner_text()
    assert [item for item in HOSTILE if item not in seen] == []
    follow(page, settle, "Documents")
    main(page).get_by_role("tab", name="Documents", exact=True).click()
    settle(page)
    shown = [row["phrase"] for row in table(page, "phrase")]
    assert set(HOSTILE) <= set(shown)
    follow(page, settle, "Overview")
    assert "\n=" not in taken(page, "Table: ", "CSV").decode("utf-8")
    board = values(page)
    follow(page, settle, "Report")
    cite = main(page).get_by_role("button", name="Cite")
    place = cite.bounding_box()
    assert place
    page.set_viewport_size({"width": 1280, "height": int(place["y"]) + 160})
    cite.click()
    recipe_shown = page.get_by_test_id("stPopoverBody").locator("code").last
    expect(recipe_shown).to_contain_text("http://")
    expect(recipe_shown).to_be_in_viewport(ratio=1)  # although the popover opens near the bottom of the window
    page.keyboard.press("Escape")
    page.set_viewport_size(DESK)
    page.get_by_role("tab", name="Report").click()
    settle(page)
    path = tmp_path / "report.html"
    path.write_bytes(downloaded(page, page.get_by_role("button", name="HTML report")))
    assert path.stat().st_size < MEGABYTES * 1_000_000
    assert_report_opens_without_a_network(browser, path, board)
    assert [error for error in console_errors if "404" not in error] == []


def assert_report_opens_without_a_network(browser: Browser, path: Path, board: dict[str, float]) -> None:
    """Assert that a report opened from disk shows its charts, the numbers of the Overview, and names as text."""
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
    value = next(place for place, head in enumerate(shown[0]) if head.startswith("F1@"))
    of_report = {row[shown[0].index("system")]: float(row[value]) for row in shown[1:]}
    assert "<b>evil</b>" in board
    assert {name: of_report[REFERENCE_LABELS.get(name, name)] for name in board} == board
    assert report.evaluate(BECAME) == []
    context.close()


def test_pairs_rated_by_keyboard_join_those_of_people(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/correlation")
    settle(page)
    expect(page.get_by_text("60 pairs; human agreement")).to_be_visible()
    page.keyboard.press("3")  # no pair is on screen, so nothing is rated
    page.get_by_text("Rate near misses yourself", exact=True).click()
    page.get_by_text("0 of 20 rated by you").wait_for()
    settle(page)
    for done, score in enumerate("034", 1):
        page.keyboard.press(score)
        page.get_by_text(f"{done} of 20 rated by you").wait_for()
        settle(page)
    given = downloaded(page, page.get_by_role("button", name="Download the ratings"))
    rows = list(csv.DictReader(io.StringIO(given.decode("utf-8"))))
    assert sorted(float(row["score"]) for row in rows) == [0, 3, 4]
    assert {row["annotator"] for row in rows} == {"me"}
    page.get_by_text("Measures and people", exact=True).click()
    settle(page)
    expect(page.get_by_text("63 pairs; human agreement")).to_be_visible()


def test_a_folder_is_read_as_one(server: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    for name in ("ana/7.key", "ana/8.key", "ben/7.key"):
        path = tmp_path / "teams" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("tide table\nharbour\n", encoding="utf-8")
    page.goto(f"{server}/data")
    settle(page)
    page.get_by_text("Upload a folder").click()
    folder = page.get_by_test_id("stPopoverBody").locator('[data-testid="stFileUploaderDropzoneInput"]')
    folder.set_input_files(str(tmp_path / "teams"))
    page.get_by_text("teams.zip").first.wait_for()
    settle(page)
    expect(main(page).get_by_text("gold standard of ana, ben · 2 of 2 documents · 6 phrases")).to_be_visible()


def test_linked_document_is_marked_and_selection_survives_search(server: str, page: Page, settle: SETTLE) -> None:
    page.goto(f"{server}/overview")
    settle(page)
    main(page).get_by_role("button", name="tfidf").click()
    page.get_by_test_id("stPopoverBody").get_by_text("Wins most on").wait_for()
    page.get_by_test_id("stPopoverBody").get_by_role("link").first.click()
    page.wait_for_url("**/documents?**system=tfidf**")
    settle(page)
    expect(page.locator(".kp-text mark").first).to_be_visible()
    assert any("✓" in row["tfidf"] for row in table(page, "phrase") if "tfidf" in row)
    linked = page.url
    listed = page.locator('[data-testid="stDataFrame"]').first
    rows = table(page, "difference")
    box = listed.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 14, box["y"] + 35 + 66 * 2 + 33)  # the box of the third row, below the head
    page.wait_for_function("linked => location.href !== linked && location.href.includes('document=')", arg=linked)
    settle(page)
    title = main(page).get_by_role("heading", level=2).first.inner_text()
    assert title == rows[2]["title"]  # whole, though in several lines
    document = re.search(r"document=([^&]+)", page.url)
    assert document
    page.get_by_role("textbox", name="Search").fill("the")
    page.keyboard.press("Enter")
    settle(page)
    assert f"document={document[1]}" in page.url
    page.keyboard.press("Escape")
    main(page).locator("h2").first.click()
    page.keyboard.press("n")
    page.wait_for_function("document => !location.href.includes(document)", arg=f"document={document[1]}")


def test_large_type_fits_a_projector_and_a_clicker_turns_pages(server: str, page: Page, settle: SETTLE) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{server}/learn?present=true")
    settle(page)
    main = page.get_by_test_id("stMain")
    for lesson in LESSONS.values():
        page.keyboard.press("PageDown")
        page.wait_for_url(lambda url, title=lesson.title: parse_qs(urlsplit(url).query).get("lesson") == [title])
        settle(page)
        main.locator(".js-plotly-plot").wait_for(timeout=60_000)
        assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 24
        assert main.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
        chart = main.locator(".js-plotly-plot").bounding_box()
        assert chart
        assert chart["width"] > 600
        said = main.get_by_role("heading", level=3).or_(main.get_by_role("heading", level=2)).first.bounding_box()
        assert said
        assert said["y"] + said["height"] <= chart["y"] + 60  # what answers the control is in sight above it
        assert chart["y"] + chart["height"] <= 720
        ticks = [box for tick in main.locator(".ytick text").all() if (box := tick.bounding_box())]
        ticks.sort(key=lambda box: box["y"])
        assert all(above["y"] + above["height"] <= below["y"] + 2 for above, below in pairwise(ticks)), lesson.title
    for where in ("learn_tab=Methods", "learn_tab=Glossary", "/overview"):
        page.keyboard.press("PageDown")
        page.wait_for_url(f"**{where}*")
        settle(page)
    chart = main.locator(".js-plotly-plot").bounding_box()
    assert chart
    assert chart["y"] + chart["height"] <= 720
    for key, where in (("PageDown", "/systems"), ("ArrowRight", "systems_tab=Concordance"), ("PageUp", "/systems")):
        page.keyboard.press(key)
        page.wait_for_url(f"**{where}*")
        settle(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/overview*")
    settle(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Systems").wait_for()
