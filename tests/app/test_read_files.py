"""Files of several kinds on the Data page: what their receipt says, and what is asked of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kp_core.reading import Source
from tests.app.opening import opened, words

pytestmark = pytest.mark.app


@pytest.fixture
def case(shared: Callable[[str], Path]) -> Callable[[str], Source]:
    """Return a file of the cases as an upload."""
    return lambda name: Source(Path(name).name, shared(f"cases/{name}").read_bytes())


def loaded(app: Any) -> Any:
    return app.session_state["session"].on_screen.corpus


@pytest.mark.parametrize(("name", "gold"), [("t_two.conll", "column 2"), ("t_four.conll", "column 3")])
def test_two_columns_of_tags_are_answered_at_a_click(case: Callable[[str], Source], name: str, gold: str) -> None:
    app = opened("data", files=[case(name)])
    assert "One file needs an answer" in words(app)
    first = app.button(key=f"answer {name} 0 0")
    assert first.label.startswith(f"“{gold}” is the gold standard, and")
    first.click().run()
    assert not app.exception
    assert loaded(app).gold["phrase"].tolist() == ["The", "tide table", "Harbour light"]
    assert loaded(app).runs["phrase"].tolist() == ["tide table", "Harbour light"]
    app.button(key=f"change {name}").click().run()
    assert not app.exception
