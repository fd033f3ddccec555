"""What a link asks for and does not exist is said; nothing else of the session is. Digests name all that was asked."""

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_ui import cached
from tests.app.opening import opened

pytestmark = pytest.mark.app


def test_choices_of_a_page_and_of_the_sidebar_that_do_not_exist_are_said() -> None:
    app = opened("overview", k="banana", measure="nothing", preset="kex")
    said = [one.value.replace("\\", "") for one in app.warning]
    assert "The link asks for k = banana, which is no choice here; average is used." in said
    assert "The link asks for measure = nothing, which is no choice here; F1@k is used." in said
    assert not [one for one in said if "preset" in one]
    assert not app.switch_page("pages/data.py").run().warning  # the link has been mended
    app = opened("overview", preset="pke")
    assert "Published with k = 5, 10." in [one.value for one in app.sidebar.caption]


@pytest.mark.parametrize("name", ["workspace", "uploads", "kept_results", "ratings"])
def test_what_the_session_holds_besides_is_never_shown(name: str) -> None:
    app = opened("overview", **{name: "x"})
    assert not app.exception
    assert not [one.value for one in app.warning if name in one.value]


@pytest.mark.parametrize("part", [pd.DataFrame({"a": [1]}), np.arange(3), kp.load({"d1": ["tide"]}), {"x": [b"bytes"]}])
def test_a_digest_has_no_place_for_what_its_words_do_not_tell_whole(part: object) -> None:
    with pytest.raises(TypeError, match="has no place in a digest"):
        cached.digest_of("measure", part)
