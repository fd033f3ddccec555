"""The Sentence study shows the numbers of the Python functions, on the sample and on unsuitable data."""

from typing import Any

import pytest

import kp_core as kp
from kp_core.charts import screen_tables
from kp_ui.state.workspace import SAMPLES
from kp_ui.widgets.show import plain
from tests.app.opening import opened, shown, signature_of, words


@pytest.fixture(scope="module")
def extracts() -> kp.Corpus:
    return SAMPLES["extracts"].uploads().load()


def page(corpus: kp.Corpus | None = None, **more: Any) -> Any:
    return opened("annotators", corpus, annotators_tab="Sentence study", **more)


def test_page_shows_numbers_of_study(extracts: kp.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kp_ui.parts.annotators.THRESHOLDS", (0.5, 0.8))
    monkeypatch.setattr("kp_ui.parts.annotators._DRAWS", ("1",))
    app = page(extracts)
    assert app.number_input(key="study_seed").value == 0
    app.number_input(key="study_seed").set_value(3).run()
    app.button(key="run_study").click().run(timeout=120)
    assert not app.exception
    expected = kp.sentence_study(extracts, (0.5, 0.8), repeats=1, seed=3)
    assert "|seed:3|" in expected.signature
    assert expected.signature == signature_of(app)
    assert plain(screen_tables.finding(expected, "F1", 0.5)) in words(app)
    table = shown(app, "kappa, 95% interval").set_index("system")
    rows = expected.frame[(expected.frame["threshold"] == 0.5) & (expected.frame["subset"] == "all")]
    assert table["F1"].to_dict() == rows[rows["measure"] == "F1"].set_index("system")["value"].to_dict()
    for row in expected.trees[0.5].itertuples():
        assert f"- **{row.decision}** ({row.yes} : {row.no}) if {plain(row.rule)}" in words(app)
    assert shown(app, "drawn_yes")["yes"].tolist() == expected.left["yes"].tolist()
    app.selectbox(key="of_yes").set_value("kappa").run()
    assert plain(screen_tables.finding(expected, "kappa", 0.5)) in words(app)

    app.segmented_control(key="sentence_view").set_value("Sentences").run()
    assert len(shown(app, "title_similarity")) == 370
