"""What a link asks for and does not exist is said; nothing else of the session is."""

import pytest

from tests.app.opening import opened

pytestmark = pytest.mark.app


def test_choices_of_a_page_and_of_the_sidebar_that_do_not_exist_are_said() -> None:
    app = opened("overview", k="banana", measure="nothing", preset="kex")
    said = [one.value.replace("\\", "") for one in app.warning]
    assert "The link asks for k = banana, which is no choice here; average is used." in said
    assert "The link asks for measure = nothing, which is no choice here; F1@k is used." in said
    assert not [one for one in said if "preset" in one]


@pytest.mark.parametrize("name", ["workspace", "uploads", "kept_results", "ratings"])
def test_what_the_session_holds_besides_is_never_shown(name: str) -> None:
    app = opened("overview", **{name: "x"})
    assert not app.exception
    assert not [one.value for one in app.warning if name in one.value]
