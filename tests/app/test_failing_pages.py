"""A failing page keeps the data and the settings, and shows one message."""

from functools import wraps
from typing import Any

import pytest

import kp_core as kp
from kp_core.reading import Source, uploads
from tests.app.opening import chosen, dots, drop, literal, opened, signature_of

GOLD = b"doc_id,keyphrase\nd1,hash table\nd1,collision\nd2,tide\nd3,%s\n"
MINE = b"doc_id,rank,keyphrase\nd1,1,Hash Tables\nd1,2,bucket\nd2,1,tide\nd3,1,sun\n"


def on_data(page: str, marker: bytes, **link: str) -> Any:
    """Open a page on separate data, so that no result of another test is in the cache."""
    return opened(page, files=(Source("gold.csv", GOLD % marker), Source("mine.csv", MINE)), **link)


def fail(*_: Any, **__: Any) -> Any:
    raise MemoryError("/srv/kpscope/secret.py ran out")


def test_failing_page_keeps_state_and_can_be_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    app = on_data("overview", b"moon")
    app.slider(key="k").set_value(2).run()
    good = dots(app)
    assert "|k:2|" in signature_of(app)
    with monkeypatch.context() as broken:
        broken.setattr(kp, "evaluate", wraps(kp.evaluate)(fail))  # the same name, so what is kept is found
        app.slider(key="k").set_value(3).run()
        app = chosen(app, "preset", "kex")
        assert [item.value.startswith("Something went wrong inside KPScope") for item in app.error] == [True]
        assert "secret" not in literal(app)
        assert "Traceback" not in literal(app)
        assert app.session_state["chosen"] == {"k": "3", "preset": "kex", "files": "yes"}
        assert app.session_state["session"].on_screen.corpus.systems == ["mine"]
    app.button(key="try_again").click().run()
    assert not app.error
    assert "preset:kex" in signature_of(app)
    assert dots(app) != good


@pytest.mark.parametrize(("page", "link"), [("overview", {}), ("systems", {"systems_tab": "Measures"})])
def test_error_is_shown_with_remedy(page: str, link: dict[str, str], monkeypatch: Any) -> None:
    app = on_data(page, page.encode(), **link)

    def refuse(*_: Any, **__: Any) -> Any:
        raise kp.InputError("gold.csv", "nothing", "something", "Load more.")

    monkeypatch.setattr(kp, "evaluate", refuse)
    app = chosen(app, "preset", "jcdl20")
    assert app.error[0].value == "gold.csv: expected something, found nothing. Load more."


def test_files_that_break_the_reader_leave_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    app = on_data("data", b"foam")
    monkeypatch.setattr(uploads, "load", fail)
    drop(app, Source("more.csv", b"doc_id,keyphrase\nd1,x\n"))
    assert "while it read these files" in app.error[0].value
    assert app.session_state["session"].on_screen.corpus.systems == ["mine"]
