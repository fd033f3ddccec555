"""The pages Overview, Agreement and Ranking show the numbers of the Python functions, and never a traceback."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.charts.selection import named
from kp_core.words import statements
from kp_ui.show import plain
from kp_ui.workspace import SAMPLES
from tests.app.opening import ROOT, opened, shown, words

LECTURES = ROOT / "sample_data" / "lectures"
SYSTEM_PAGES = ("overview", "agreement", "ranking")
PAGES = (*SYSTEM_PAGES, "annotators")

pytestmark = pytest.mark.app


def chosen(app: AppTest, key: str, value: str) -> AppTest:
    """Choose in a select box; AppTest does not give links to widgets below the sidebar."""
    app.selectbox(key=key).set_value(value).run()
    assert not app.exception
    return app


def loaded(**systems: str) -> kp.Corpus:
    """Load the lectures with some of their systems under other names."""
    files = {name: next((LECTURES / "systems").glob(f"{stem}.*")) for name, stem in systems.items()}
    return kp.load(gold=LECTURES / "gold.csv", systems=files or None, documents=LECTURES / "documents.jsonl")


@pytest.mark.parametrize("k", ["gold", "all"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_at_every_kind_of_cutoff(page: str, k: str) -> None:
    assert not opened(page, k=k).error


def test_the_leaderboard_holds_the_values_of_evaluate(lectures: kp.Corpus) -> None:
    expected = kp.evaluate(lectures, k=9, measures=["F1@k", "kappa", "MAP"], baselines=True).frame
    board = shown(opened("overview", k="9"), "better than").set_index("system")
    for row in expected.to_dict("records"):
        assert board.loc[row["system"], row["measure"]] == pytest.approx(row["value"], nan_ok=True)
    row = expected[(expected["system"] == "yake") & (expected["measure"] == "F1@9")].iloc[0]
    assert board.loc["yake", "95 % interval"] == screen_tables.interval(row["low"], row["high"])
    assert board.index[-1] == "says nothing"


def test_moving_k_changes_the_numbers(lectures: kp.Corpus) -> None:
    app = opened("overview")
    assert "F1@6" in shown(app, "better than").columns
    app.select_slider(key="k").set_value("15").run()
    board = shown(app, "better than").set_index("system")
    expected = kp.evaluate(lectures, k=15, measures=["F1@k"], interval="none").frame.set_index("system")
    assert board.loc["rake", "F1@15"] == pytest.approx(expected.loc["rake", "value"])


def test_the_spread_of_conventions_is_drawn_once_it_is_opened(lectures: kp.Corpus) -> None:
    app = opened("overview", k="9")
    assert not [frame for frame in app.dataframe if "high" in frame.value.columns]
    app.session_state["convention spread"] = True
    app.run()
    assert not app.exception
    expected = kp.spread(lectures, measure="F1@k", k=9).ranges
    pd.testing.assert_frame_equal(shown(app, "high").reset_index(drop=True), expected)
    assert "What one change of the present conventions does" in words(app)


@pytest.mark.parametrize("measure", ["F1@k", "kappa", "MAP"])
def test_the_sentence_is_that_of_the_comparison(lectures: kp.Corpus, measure: str) -> None:
    app = chosen(opened("overview", k="9"), "measure", measure)
    said = statements.verdict(kp.compare(lectures, measure=measure, k=9), named(measure, 9))
    assert f"#### {plain(said)}" in words(app)
    assert plain(kp.compare(lectures, measure="F1@k").test) in words(app)


def test_the_concordance_table_is_that_of_the_chosen_system(lectures: kp.Corpus) -> None:
    app = chosen(opened("agreement", k="9"), "system", "yake")
    found = kp.evaluate(lectures, k=9, measures=["a", "b", "c", "d", "N"], interval="none").frame
    a, b, c, d, n = found[found["system"] == "yake"]["value"]
    concordance = shown(app, "system: yes")
    assert concordance.iloc[0].tolist()[1:] == [f"a = {a:,.0f}", f"b = {b:,.0f}", f"f₁ = {a + b:,.0f}"]
    assert concordance.iloc[1].tolist()[1:3] == [f"c = {c:,.0f}", f"d = {d:,.0f}"]
    assert concordance.iloc[2].tolist()[3] == f"N = {n:,.0f}"


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_agreement_follows_the_average_of_the_sidebar(lectures: kp.Corpus, average: str) -> None:
    app = opened("agreement", k="9", average=average)
    expected = kp.evaluate(lectures, k=9, measures=["kappa", "PABAK"], average=average, baselines=True).frame
    everybody = shown(app, "AC1").set_index("system")
    for row in expected.to_dict("records"):
        assert everybody.loc[row["system"], row["measure"]] == pytest.approx(row["value"], nan_ok=True)


def test_documents_of_the_chosen_system_are_listed(lectures: kp.Corpus) -> None:
    listed = shown(chosen(opened("agreement", k="9"), "system", "tfidf"), "status").set_index("document")
    settings = kp.Settings(k=(9,))
    expected = kp.by_document(lectures, settings, "kappa")
    expected = expected[expected["system"] == "tfidf"].set_index("document")
    assert listed["kappa"].tolist() == pytest.approx(expected["value"].tolist())
    assert listed["status"].tolist() == expected["status"].tolist()


def test_documents_are_turned_like_pages() -> None:
    app = opened("documents")
    listed = shown(app, "difference")["document"].tolist()
    assert app.button(key="document_previous").disabled
    for way, place in (("next", 1), ("next", 2), ("previous", 1)):
        app.button(key=f"document_{way}").click().run()
        assert not app.exception
        assert app.query_params["document"] == listed[place]
        assert f"Document {place + 1} of 20" in words(app)


def test_identical_systems_have_no_order() -> None:
    app = opened("overview", loaded(**dict.fromkeys(("one", "two", "three"), "yake")))
    assert "have the same F1@6" in words(app)
    assert "highest" not in words(app)


def test_ranking_shows_undefined_values_with_their_reason(lectures: kp.Corpus) -> None:
    app = opened("ranking", k="9")
    whole = shown(app, "bpref").set_index("system")
    assert set(whole["bpref"]) == {"undefined"}
    assert "judged as not relevant" in words(app)
    row = kp.evaluate(lectures, k=9, measures=["MAP"]).frame.set_index("system").loc["yake"]
    assert whole.loc["yake", "MAP"] == f"{row['value']:.3f} ({screen_tables.interval(row['low'], row['high'])})"


def test_pairs_are_those_of_the_comparison(lectures: kp.Corpus) -> None:
    pairs = shown(chosen(opened("ranking", k="9"), "measure", "nDCG@k"), "p after Holm")
    expected = kp.compare(lectures, measure="nDCG@k", k=9).frame
    assert pairs["A minus B"].tolist() == pytest.approx(expected["difference"].tolist())
    assert pairs["p after Holm"].tolist() == pytest.approx(expected["p_adjusted"].tolist())


@pytest.mark.parametrize("page", SYSTEM_PAGES)
def test_one_system_is_enough_to_look_at(page: str) -> None:
    app = opened(page, loaded(yake="yake"))
    assert "yake" in shown(app, "system")["system"].tolist()
    if page != "agreement":
        assert "One system is loaded" in words(app)


def test_without_a_system_the_page_points_to_the_data() -> None:
    assert "No system output is loaded yet" in words(opened("ranking", loaded()))


@pytest.mark.parametrize("page", SYSTEM_PAGES)
def test_few_documents_are_named_as_such(page: str) -> None:
    app = opened(page, SAMPLES["chinese"].load())
    assert "too few documents" in words(app) or "Below 10 documents" in words(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_universe_that_is_too_small_is_a_sentence(page: str) -> None:
    app = opened(page, universe="number", N="3")
    assert ["phrases in the universe" in error.value for error in app.error] == [True]
