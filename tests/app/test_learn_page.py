"""The Learn page: every lesson opens, its controls move the picture, and answers are checked."""

import re
from typing import Any
from urllib.parse import parse_qsl

import pytest

from kp_core.learn import LESSONS
from kp_ui.widgets.show import plain
from tests.app.opening import opened, words
from tests.cases import ROOT

TEACHING = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def learn() -> Any:
    return opened("learn")


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_shows_chart_questions_and_controls(learn: Any, name: str) -> None:
    learn.selectbox(key="lesson").set_value(LESSONS[name].title).run()
    assert not learn.exception
    assert plain(LESSONS[name].text) in words(learn)
    assert len(learn.get("plotly_chart")) == 1
    assert len(learn.text_input) + len(learn.radio) == 3
    first, drawn = LESSONS[name].controls[0], learn.get("plotly_chart")[0].proto.spec
    key = f"{name}_{first.name}"
    control = learn.selectbox(key=key) if first.among else learn.slider(key=key)
    control.set_value(first.among[1] if first.among else type(control.value)(first.low)).run()
    assert key in learn.query_params  # what is moved is part of the link
    assert learn.get("plotly_chart")[0].proto.spec != drawn


def test_an_answer_is_checked_and_explained(learn: Any) -> None:
    learn.selectbox(key="lesson").set_value(LESSONS["weights"].title).run()
    answer = learn.text_input(key="weights_answer_1")
    answer.set_value("6/11").run()
    assert "Not correct yet" in learn.warning[0].value
    answer.set_value("5/11").run()
    assert "Right" in learn.success[0].value
    assert not learn.warning
    answer.set_value("half").run()
    assert "fraction" in learn.info[0].value


@pytest.mark.parametrize(("page", "query"), re.findall(r"localhost:8501/(\w+)\?([^)]+)", TEACHING))
def test_teaching_guide_links_open_named_lessons(page: str, query: str) -> None:
    link = dict(parse_qsl(query))
    app = opened(page, **link)
    if "lesson" in link:
        assert app.selectbox(key="lesson").value == link["lesson"]
    held = {name: app.session_state[name] for name in link if name not in ("present", "lesson")}
    assert held == {name: value for name, value in link.items() if name in held}
    assert not app.warning
