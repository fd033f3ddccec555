"""Links: unknown choices are reported, and digests cover all parameters."""

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.scriptrunner import get_script_run_ctx

import kp_core as kp
from kp_core.settings import spelled_out
from kp_ui.state import cached, link
from tests.app.opening import literal, opened, page_of


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        ({"k": "banana", "preset": "kex"}, "average"),
        ({"k": "-1"}, "average"),
        ({"k": "51", "measure": "MAP"}, "average"),
        ({"measure": "nothing"}, "F1@k"),
        ({"N": "1e400", "universe": "number"}, "1000"),
        ({"N": "2.5", "universe": "number"}, "1000"),
        ({"rel": "nan"}, "1"),
        ({"universe": "selected"}, "ngrams:3"),
        ({"duplicates": "?"}, "before"),
    ],
)
def test_unknown_choices_in_link_are_reported(asked: dict[str, str], used: str) -> None:
    app = opened("overview", **asked)
    name, text = next(iter(asked.items()))
    assert [item.value.replace("\\", "") for item in app.warning] == [
        spelled_out(f"The link asks for {name} = {text}, which is not available; {used} is used.")
    ]
    assert not app.error
    assert app.query_params.get(name) in (None, "average")  # the link has been mended


@pytest.mark.parametrize("control", ["slider", "button"])
def test_choice_survives_interrupting_click(control: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app, note = opened("overview", k="9", preset="pke"), link.set_default

    def stopped(name: str, text: str | None) -> None:
        ctx = get_script_run_ctx()
        assert ctx
        assert ctx.script_requests
        ctx.script_requests.request_stop()
        note(name, text)

    with monkeypatch.context() as patch:
        patch.setattr(link, "set_default", stopped)
        (app.slider(key="k").set_value(3) if control == "slider" else app.button(key="preset_back").click()).run()
    assert app.query_params == {"k": "9", "preset": "pke"}
    app.run()
    assert not app.exception
    assert app.query_params == ({"k": "3", "preset": "pke"} if control == "slider" else {"k": "9"})


def test_reload_without_files_never_shows_sample() -> None:
    app = opened("overview", files="yes", k="9")
    assert [item.value for item in app.title] == ["Your files are not here"]
    assert "refers to uploaded files. Uploads are lost on a reload" in literal(app)
    assert not [*app.dataframe, *app.get("plotly_chart"), *app.pills]
    for page in ("systems", "documents", "data"):
        assert "refers to uploaded files" in literal(opened(page, files="yes", k="9"))
    app.button(key="show_sample").click().run()
    assert page_of(app) == "overview"
    assert "Sample data: 4 extractors on 20 lectures, 3 annotators." in literal(app)
    assert (app.query_params["k"], "files" in app.query_params) == ("9", False)


@pytest.mark.parametrize("name", ["workspace", "uploads", "page record", "ratings"])
def test_other_session_state_is_never_shown(name: str) -> None:
    app = opened("overview", **{name: "x"})
    assert not app.exception
    assert not [item.value for item in app.warning if name in item.value]


@pytest.mark.parametrize("part", [pd.DataFrame({"a": [1]}), np.arange(3), kp.load({"d1": ["tide"]}), {"x": [b"bytes"]}])
def test_tables_are_refused_in_a_digest(part: object) -> None:
    with pytest.raises(TypeError):
        cached.digest_of("measure", part)
