"""The Learn page: every lesson opens, its controls move the picture, and answers are checked."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from kp_core.learn import LESSONS

pytestmark = pytest.mark.app
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def learn() -> Any:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/learn.py")
    return app.run()


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_opens_with_its_picture_and_three_questions(learn: Any, name: str) -> None:
    learn.selectbox(key="lesson").set_value(LESSONS[name].title).run()
    assert not learn.exception
    assert learn.header[0].value.replace("\\", "") == LESSONS[name].title
    assert len(learn.get("plotly_chart")) == 1
    assert len(learn.text_input) + len(learn.radio) == 3


def test_an_answer_is_checked_and_explained(learn: Any) -> None:
    learn.selectbox(key="lesson").set_value(LESSONS["weights"].title).run()
    answer = learn.text_input(key="weights_answer_1")
    answer.set_value("6/11").run()
    assert "Not yet" in learn.warning[0].value
    answer.set_value("5/11").run()
    assert "Right" in learn.success[0].value
    assert not learn.warning
    answer.set_value("half").run()
    assert "fraction" in learn.info[0].value


def test_an_example_sets_all_cells_and_the_sentence_follows(learn: Any) -> None:
    learn.selectbox(key="lesson").set_value(LESSONS["paradox"].title).run()
    learn.button(key="paradox balanced answers").click().run()
    assert [learn.slider(key=f"paradox_{cell}").value for cell in "abcd"] == [40, 9, 6, 45]
    assert any("They agree on 85 %" in one.value and "50 % by chance" in one.value for one in learn.markdown)


def test_large_type_makes_everything_larger(learn: Any) -> None:
    learn.toggle(key="large").set_value(True).run()
    assert not learn.exception
    assert any("font-size" in one.value for one in learn.get("html"))
    assert len(learn.columns) == 4  # the sliders in a row; a picture beside its formulas would have no room
