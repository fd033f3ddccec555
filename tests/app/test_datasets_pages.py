"""Pages on several data sets and several runs: they show one data set, or all with their means."""

import json

import pytest

import kp_core as kp
from tests.app.opening import TABS, opened, words
from tests.unit.test_datasets import drawn

RUNS = {"bart#1": 0.6, "bart#2": 0.55, "bart#3": 0.58, "t5": 0.5, "yake": 0.3}
PAGES = [("overview", ""), ("documents", ""), ("correlation", ""), ("data", "Details")]
PAGES += [(page, tab) for page in ("systems", "report") for tab in TABS[page]]


@pytest.fixture(scope="module")
def whole() -> kp.Corpus:
    return kp.together(inspec=drawn(14, 1, RUNS), nus=drawn(18, 2, RUNS))


@pytest.mark.parametrize(("page", "tab"), PAGES)
def test_every_view_opens_on_data_sets_and_runs(whole: kp.Corpus, page: str, tab: str) -> None:
    app = opened(page, whole, **({f"{page}_tab": tab} if tab else {}))
    assert not app.error


def test_data_sets_are_shown_side_by_side_with_mean(whole: kp.Corpus) -> None:
    app = opened("overview", whole, k="5")
    said = kp.answer(whole, k=5)
    assert said.claim in words(app)
    frame = kp.evaluate(whole, k=5, measures="F1@k").frame
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    texts = [note["text"].replace("<b>", "").replace("</b>", "") for note in spec["layout"]["annotations"]]
    assert [text for text in texts if text in ("inspec", "nus", "mean")] == ["inspec", "nus", "mean"]
    for value in frame["value"]:
        assert f"{value:.3f}" in texts
    assert len(app.get("plotly_chart")) == 2  # values, and curves over k


def test_other_pages_name_their_data_set(whole: kp.Corpus) -> None:
    assert "This page shows only one data set: inspec" in words(opened("systems", whole))
    assert "This page shows only one data set" not in words(opened("systems", whole, dataset="nus"))
