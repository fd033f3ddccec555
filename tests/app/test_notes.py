"""Notes are sentences, appear once per page, and offer the setting that helps, never as `key = value`."""

import re
from collections import Counter
from functools import cache
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from kp_core.settings import CONVENTIONS
from tests.app.opening import TABS, literal, opened

SETTING = re.compile(rf"\b(?:{'|'.join([*CONVENTIONS, 'universe', 'annotators', 'preset'])}) ?= ?\w[\w:+,()]*")
PAGES = [(page, tab) for page in ("systems", "annotators", "documents", "report") for tab in TABS[page]]


@cache
def awkward() -> kp.Corpus:
    """Return data with identifiers, repeated predictions, lists for unknown documents, and a tiny universe."""
    gold = [(f"d{n}", who, phrase, f"u{n}") for n in range(12) for who in "ab" for phrase in ("tide", f"port {who}")]
    runs = [
        (f"{'d' if n else 'e'}{n}", system, rank, phrase, f"u{n}")
        for n in range(12)
        for system in "xy"
        for rank, phrase in enumerate(("tides", "tide", f"moon {system}"), 1)
    ]
    return kp.load(
        gold=pd.DataFrame(gold, columns=["doc_id", "annotator", "phrase", "uri"]),
        systems=pd.DataFrame(runs, columns=["doc_id", "system", "rank", "phrase", "uri"]),
    )


def at(page: str, tab: str) -> Any:
    app = opened(page, awkward(), **({f"{page}_tab": tab} if tab else {}))
    assert not app.error
    assert "Something went wrong" not in literal(app)
    return app


def texts(found: Any) -> list[str]:
    return [item.value.replace("\\", "") for item in found]


@pytest.mark.parametrize(("page", "tab"), [("overview", ""), *PAGES])
def test_notes_avoid_setting_keys_and_repetition(page: str, tab: str) -> None:
    app = at(page, tab)
    code, everywhere = " ".join(item.value for item in app.code), literal(app)
    assert SETTING.findall(everywhere.replace(code, "")) == []
    for note in app.session_state["page record"].notes:
        assert everywhere.count(note.message[1:]) == 1, note
    if page == "overview":
        assert "x and y: no list for 1 of 12 documents, scored as empty: d0." in "".join(texts(app.warning))
    said = Counter(re.sub(r"\d+", "", text) for text in [*texts(app.warning), *texts(app.info)])
    assert not [text for text, times in said.items() if times > 1]


def test_conventions_of_preset_are_in_words() -> None:
    app = opened("overview", preset="annif", state={"conventions": True})
    assert "“Concept identifiers: decide which phrases are equal”" in literal(app)
    assert SETTING.findall(literal(app)) == []


def test_universe_note_offers_other_universes() -> None:
    app = at("systems", "Concordance")
    offered = [item for item in app.button if item.label.startswith("N: ")]
    assert [item.label for item in offered] == ["N: phrases of the whole collection", "N: a custom number"]
    offered[0].click().run()
    assert app.query_params["universe"] in ("vocabulary", ["vocabulary"])
