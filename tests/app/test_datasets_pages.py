"""Pages on several data sets and several runs: what is shown is of one data set, or of all with their means."""

import json
import re
from base64 import b64decode

import pytest

import kp_core as kp
from tests.app.opening import TABS, html, opened, words
from tests.unit.test_datasets import SHARES, drawn

pytestmark = pytest.mark.app
RUNS = {"bart#1": 0.6, "bart#2": 0.55, "bart#3": 0.58, "t5": 0.5, "yake": 0.3}
PAGES = [
    ("overview", ""),
    ("documents", ""),
    ("correlation", ""),
    *(("systems", tab) for tab in TABS["systems"]),
    *(("report", tab) for tab in TABS["report"]),
    *(("data", tab) for tab in TABS["data"]),
]


@pytest.fixture(scope="module")
def whole() -> kp.Corpus:
    return kp.together(inspec=drawn(14, 1, RUNS), nus=drawn(18, 2, RUNS))


@pytest.mark.parametrize(("page", "tab"), PAGES)
def test_every_view_opens_on_data_sets_and_runs(whole: kp.Corpus, page: str, tab: str) -> None:
    app = opened(page, whole, **({f"{page}_tab": tab} if tab else {}))
    assert not app.error


def test_all_data_sets_stand_beside_each_other_with_their_mean(whole: kp.Corpus) -> None:
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


def test_one_data_set_is_as_if_it_were_alone(whole: kp.Corpus) -> None:
    app = opened("overview", whole, k="5", dataset="nus")
    said = kp.answer(whole.by_dataset["nus"], k=5)
    assert said.claim in words(app)
    alone = kp.evaluate(whole.by_dataset["nus"], k=5, measures="F1@k")
    runs = alone.by_run
    assert runs is not None
    pictures = (b64decode(one).decode() for one in re.findall("base64,([A-Za-z0-9+/=]+)", "".join(html(app))))
    assert (
        sorted(one.count('fill-opacity=".55"') for one in pictures if 'r="3" fill=' in one and "fill-opacity" in one)[
            -1
        ]
        == 3
    )


def test_other_pages_say_which_data_set_they_show(whole: kp.Corpus) -> None:
    assert "This page is of one data set: inspec" in words(opened("systems", whole))
    assert "This page is of one data set" not in words(opened("systems", whole, dataset="nus"))


def test_the_table_of_a_paper_has_a_column_a_data_set(whole: kp.Corpus) -> None:
    app = opened("report", whole, report_tab="Table for a paper", k="5")
    made = kp.paper_table(whole, measures=["F1@k"], k="5,10", by="dataset", deviations=True)
    shown = next(one for one in html(app) if "inspec" in one)
    assert made.html() in shown
    assert [name for name in SHARES if name not in shown] == []
