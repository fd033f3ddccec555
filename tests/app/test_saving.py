"""A workspace that is saved and opened again gives the same digest, settings, ratings and results."""

from typing import Any

import pandas as pd

import kp_core as kp
from kp_core.reading import Source
from kp_core.reading.uploads import Uploads
from kp_core.takeaway.workspace_file import Saved, read_workspace, workspace_file
from tests.app.opening import chosen, dots, drop, opened, page_of, receipt, signature_of, tab, words

GOLD = Source(
    "gold.csv", b"doc_id,annotator,keyphrase\nd1,ana,hash table\nd1,ben,collision\nd2,ana,tide\nd3,ben,moon\n"
)
ALONE = Uploads(
    (Source("gold.csv", b"doc_id,keyphrase\nd1,tide\n"), Source("a.csv", b"doc_id,rank,keyphrase\nd1,1,tide\n"))
)
MINE = Source("mine.csv", b"doc_id,rank,phrase\nd1.txt,1,Hash Tables\nd1.txt,2,bucket\nd2.txt,1,tide\nd3.txt,1,sun\n")


def go(app: Any, page: str) -> Any:
    app.switch_page(f"../pages/{page}.py").run()
    assert not app.exception, app.exception
    return app


def board(app: Any) -> dict[str, Any]:
    return dots(go(app, "overview"), bounds=True)


def test_reopened_workspace_is_unchanged(offered: dict[str, Any]) -> None:
    app = opened("data")
    drop(app, GOLD, MINE)
    tab(app, "Details")
    go(app, "overview").session_state["name mine"] = True  # its name is pressed
    app.run().text_input(key="new name mine").set_value("my best").run()
    app = chosen(chosen(go(app, "overview"), "annotators", "ben"), "preset", "pke")
    app.slider(key="k").set_value(2).run()
    first = board(app)
    go(app, "overview")
    digest, line = app.session_state["session"].on_screen.digest, signature_of(app)
    file = Source("mine.kpscope", offered["save"][1]())
    saved = read_workspace(file)
    assert saved.uploads.files == (GOLD, MINE)
    assert saved.uploads.fixes == ("strip-extension",)
    assert saved.link["names"] == "mine=my+best"
    assert kp.settings_from(saved.signature).k == (2,)

    again = opened("data")
    drop(again, file)
    assert again.session_state["session"].on_screen.digest == digest
    chosen_before = {"annotators": "ben", "preset": "pke", "k": "2", "data_tab": "Details", "names": "mine=my+best"}
    assert again.session_state["chosen"] == chosen_before | {"files": "yes"}
    assert "The workspace mine.kpscope: " in words(again)
    assert page_of(again) == "overview", "where it was saved"
    assert board(again) == first
    assert signature_of(again) == line
    assert tab(go(again, "data"), "Files").button(key="undo strip-extension")
    assert "fix:strip-extension" in line


def test_ratings_are_saved_and_opened(offered: dict[str, Any]) -> None:
    app = opened("correlation", view="Rate near misses yourself")
    app.button(key="rate_3").click().run()
    app.button(key="rate_1").click().run()
    assert not app.exception
    file = Source("rated.kpscope", offered["save"][1]())
    assert sorted(read_workspace(file).ratings["score"]) == [1.0, 3.0]
    again = opened("data")
    drop(again, file)
    offered.clear()
    go(again, "correlation")
    pd.testing.assert_frame_equal(
        read_workspace(Source("x", offered["save"][1]())).ratings, read_workspace(file).ratings
    )


def test_damaged_workspace_is_refused_and_screen_unchanged() -> None:
    data = workspace_file(Saved(ALONE))
    app = opened("data")
    drop(app, Source("mine.kpscope", data[: len(data) // 2]))
    assert "a whole workspace file" in app.error[0].value
    assert receipt(app) == {}
    assert app.session_state["session"].on_screen.sample == "lectures"


def test_two_workspaces_at_once_are_refused() -> None:
    data = workspace_file(Saved(ALONE))
    app = opened("data")
    drop(app, Source("a.kpscope", data), Source("b.kpscope", data))
    assert "only one workspace can be open at a time" in app.error[0].value
