"""Extraction runs the systems on the texts on screen and adds their lists to the loaded systems."""

import pandas as pd
import pytest

import kp_core as kp
from kp_core.extraction import RECONSTRUCTED
from kp_ui.state import workspace
from kp_ui.widgets.show import plain
from tests.app.opening import dots, opened, shown, signature_of, words
from tests.app.test_results_pages import LECTURES
from tests.corpora import corpus_of


def page(corpus=None, **more):
    return opened("data", corpus, data_tab="Extract phrases", **more)


def extracted(app, *methods):
    app.multiselect(key="methods").set_value(list(methods)).run()
    app.button(key="extract").click().run()
    assert not app.exception
    return app


def test_extracted_system_joins_leaderboard_of_sample(lectures):
    app = extracted(page(), "tfidf", "phrase-boosting-ngrams")
    glossary = workspace.SAMPLE_DATA / "external" / "glossary.txt"
    result = kp.extract(lectures, ["tfidf", "phrase-boosting-ngrams"], 50, glossary)
    listed = shown(app, "rank")
    part = result.frame[(result.frame["system"] == "tfidf") & (result.frame["doc_id"] == "lecture-01")]
    assert listed["phrase"].tolist() == part["phrase"].tolist()
    assert listed["score"].tolist() == pytest.approx(part["score"].tolist())
    assert signature_of(app) == result.signature
    assert RECONSTRUCTED in words(app)
    app.button(key="add_extracted").click().run()
    assert plain("In the workspace: tfidf (extracted), phrase-boosting-ngrams.") in [item.value for item in app.success]
    corpus = app.session_state["session"].on_screen.corpus
    assert corpus.systems == [*lectures.systems, "tfidf (extracted)", "phrase-boosting-ngrams"]
    app.switch_page("../pages/overview.py").run()
    board = pd.Series(dots(app))
    alone = kp.load(LECTURES / "gold.csv", result.as_source(), LECTURES / "documents.jsonl")
    expected = kp.evaluate(alone, k=6, measures="F1@k", interval="none").frame["value"].tolist()
    assert board[["tfidf (extracted)", "phrase-boosting-ngrams"]].tolist() == pytest.approx(expected)
    before = kp.evaluate(lectures, k=6, measures="F1@k", interval="none").frame.set_index("system")["value"]
    assert board[lectures.systems].to_dict() == pytest.approx(before.to_dict())


def test_boosting_without_source_gives_reason():
    app = page(corpus_of({"d": ["tide"]}, texts={"d": "The tide table."}))
    app.multiselect(key="methods").set_value(["document-boosting", "tfidf"]).run()
    assert "Document-boosting needs external documents" in app.warning[0].value
    assert app.button(key="extract").disabled
