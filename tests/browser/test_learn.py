"""Lessons in a browser: a control of each kind moves the picture, answers are checked, large type fits a projector."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from kp_core.learn import LESSONS, Options

SETTLE = Callable[[Page], None]


@pytest.mark.parametrize("name", {isinstance(one.controls[0], Options): name for name, one in LESSONS.items()}.values())
def test_a_lesson_moves_and_its_answers_are_checked(server: str, page: Page, settle: SETTLE, name: str) -> None:
    lesson = LESSONS[name]
    page.goto(f"{server}/learn?lesson={quote(lesson.title)}")
    settle(page)
    main, first = page.get_by_test_id("stMain"), lesson.controls[0]
    picture = main.locator(".js-plotly-plot")
    expect(picture).to_have_count(1, timeout=60_000)
    drawn, said = picture.inner_html(), main.inner_text()
    if isinstance(first, Options):
        main.get_by_role("combobox", name=first.label).click()
        page.get_by_role("option", name=first.among[1], exact=True).click()
    else:
        main.get_by_role("slider").first.press("ArrowLeft" if first.start == first.high else "ArrowRight")
    page.wait_for_url(f"**{name}_{first.name}=*")  # what was moved is part of the link
    settle(page)
    assert picture.inner_html() != drawn
    assert main.inner_text() != said
    for number, question in enumerate(lesson.questions, 1):
        if question.options:
            main.get_by_role("radiogroup").nth(
                [one for one in lesson.questions if one.options].index(question)
            ).get_by_text(str(question.answer), exact=True).click()
        else:
            box = main.get_by_role("textbox").nth([one for one in lesson.questions if not one.options].index(question))
            box.fill(f"{float(question.answer):.6f}")
            box.press("Enter")
        expect(main.get_by_text("Right.")).to_have_count(number)
    expect(main.get_by_role("alert").filter(has_text="Not yet")).to_have_count(0)


def test_large_type_fits_a_projector(server: str, page: Page, settle: SETTLE) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"{server}/learn?large=true")
    settle(page)
    main = page.get_by_test_id("stMain")
    for name in LESSONS:
        page.goto(f"{server}/learn?large=true&lesson={quote(LESSONS[name].title)}")
        main.locator(".js-plotly-plot").wait_for(timeout=60_000)
        settle(page)
        assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 24
        assert main.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
        chart = main.locator(".js-plotly-plot").bounding_box()
        assert chart
        assert chart["width"] > 600
