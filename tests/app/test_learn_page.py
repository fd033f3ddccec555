"""The Learn page: every lesson opens, its controls move the picture, and answers are checked."""

from typing import Any

import pytest

from kp_core.learn import LESSONS, Options
from tests.app.opening import opened

pytestmark = pytest.mark.app


@pytest.fixture(scope="module")
def learn() -> Any:
    return opened("learn")


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_opens_with_its_picture_and_questions_and_moves(learn: Any, name: str) -> None:
    learn.selectbox(key="lesson").set_value(LESSONS[name].title).run()
    assert not learn.exception
    assert learn.header[0].value.replace("\\", "") == LESSONS[name].title
    assert len(learn.get("plotly_chart")) == 1
    assert len(learn.text_input) + len(learn.radio) == 3
    first, drawn = LESSONS[name].controls[0], learn.get("plotly_chart")[0].proto.spec
    key = f"{name}_{first.name}"
    control = learn.selectbox(key=key) if isinstance(first, Options) else learn.slider(key=key)
    assert control.proto.query_param_key == key  # what is moved is part of the link
    control.set_value(first.among[1] if isinstance(first, Options) else type(control.value)(first.low)).run()
    assert learn.get("plotly_chart")[0].proto.spec != drawn


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
    assert learn.get("plotly_chart")
    # A picture beside its formulas would have no room.
    assert not [column for column in learn.columns if column.get("plotly_chart")]
