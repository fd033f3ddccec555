"""What a link asks for and does not exist is said; nothing else of the session is."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

pytestmark = pytest.mark.app
ROOT = Path(__file__).resolve().parents[2]


def opened(page: str, **query: str) -> Any:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


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
