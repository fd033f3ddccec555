"""The pages of results, of people and of the report show the numbers of the Python functions, and never a traceback."""

from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.charts.selection import named
from kp_core.studies.published_tables import LECTURE_SYSTEMS
from kp_core.words import statements
from kp_ui.show import plain
from kp_ui.workspace import SAMPLES
from tests.app.opening import ROOT, opened, shown, words
from tests.corpora import corpus_of

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


@pytest.fixture(scope="module")
def agreement() -> Any:
    return opened("agreement", k="9")


def test_the_concordance_table_is_that_of_the_chosen_system(lectures: kp.Corpus, agreement: Any) -> None:
    app = chosen(agreement, "system", "yake")
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


def test_documents_of_the_chosen_system_are_listed(lectures: kp.Corpus, agreement: Any) -> None:
    listed = shown(chosen(agreement, "system", "tfidf"), "status").set_index("document")
    settings = kp.Settings(k=(9,))
    expected = kp.by_document(lectures, settings, "kappa")
    expected = expected[expected["system"] == "tfidf"].set_index("document")
    assert listed["kappa"].tolist() == pytest.approx(expected["value"].tolist())
    assert listed["status"].tolist() == expected["status"].tolist()


def test_a_comparison_by_concept_is_offered_where_both_sides_have_identifiers() -> None:
    assert "by_concept" not in [one.key for one in opened("ranking").sidebar.selectbox]
    rows = {"doc_id": ["d"], "phrase": ["tide"], "uri": ["u1"]}
    corpus = kp.load(gold=pd.DataFrame(rows), systems={"s": pd.DataFrame(rows | {"phrase": ["tidal wave"]})})
    app = opened("ranking", corpus, k="1")
    assert "by_concept = yes compares phrases by them" in words(app)
    app.sidebar.selectbox(key="by_concept").select("yes").run()
    assert "compared by the identifier beside them" in words(app)


def test_a_link_opens_its_document_though_a_filter_excludes_it() -> None:
    app = opened("documents", document="lecture-03", search="lecture-05")
    assert "The link names lecture-03, which is not among the documents listed" in words(app)
    assert app.query_params["document"] == "lecture-03"
    app = opened("documents", document="lecture-05", search="lecture-05")
    assert "The link names" not in words(app)


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


# people


@pytest.fixture(scope="module")
def result(lectures):
    return kp.agreement(lectures)


@pytest.fixture(scope="module")
def annotators() -> Any:
    return opened("annotators")


def test_the_coefficients_are_those_of_agreement(result, annotators):
    table = shown(annotators, "what it says").set_index("measure")
    rows = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")].set_index("measure")
    assert table["value"].to_dict() == rows["value"].to_dict()
    k = rows.loc["K"]
    assert plain(f"K = {k['value']:.3f}") in words(annotators)
    assert table["95 % interval"]["K"] == screen_tables.interval(k["low"], k["high"])


def test_pairs_and_each_annotator(result, annotators):
    pairs = shown(annotators, "pair").set_index("pair")
    for pair in ("A|B", "A|C", "B|C"):
        rows = result.frame[result.frame["system"] == pair].set_index("measure")["value"]
        assert pairs.loc[pair, ["kappa", "P_pos", "P_neg", "PABAK"]].to_dict() == rows.to_dict()
    each = shown(annotators, "K without").set_index("annotator")
    rows = result.frame[(result.frame["measure"] == "K") & result.frame["system"].isin(["A", "B", "C"])]
    assert each["K without"].to_dict() == rows.set_index("system")["value"].to_dict()
    together = screen_tables.value(result, "all", "K")
    assert each["change"]["A"] == pytest.approx(each["K without"]["A"] - together, abs=1e-12)


def test_the_threshold_is_a_look_up(lectures, annotators):
    annotators.select_slider(key="threshold").set_value("0.80").run()
    table = shown(annotators, "majority")
    expected = kp.trim(lectures, threshold=0.8).frame
    assert table["majority"].tolist() == expected["size"].tolist()
    kept = expected[expected["status"] == "ok"]
    assert f"**{len(kept)} of 20 documents** and **{kept['gold'].sum()} keyphrases** are left" in words(annotators)


@pytest.mark.parametrize("page", ["overview", "agreement", "ranking"])
def test_people_stand_beside_the_systems(page, lectures):
    app = opened(page)
    app.toggle(key="people").set_value(True).run()
    assert not app.exception
    asked = {"overview": "F1@k", "agreement": "kappa", "ranking": "F1@k"}[page]
    expected = kp.evaluate(lectures, k=6, measures=[asked], annotators="others")
    values = expected.frame.set_index("system")["value"]
    name = expected.frame["measure"].iloc[0]
    table = next(
        t.value for t in app.dataframe if name in t.value.columns and "human ceiling" in set(t.value["system"])
    ).set_index("system")
    for system in ("yake", "human ceiling"):
        cell = table[name][system]
        if isinstance(cell, str):
            assert cell.startswith(f"{values[system]:.3f} ")
        else:
            assert cell == pytest.approx(values[system], abs=1e-12)


def test_one_annotator_has_nobody_to_agree_with():
    corpus = corpus_of({"d1": ["x"], "d2": ["y"]}, {"s": {"d1": ["x"], "d2": ["z"]}})
    app = opened("annotators", corpus)
    assert "one annotator" in words(app)
    assert "people" not in [toggle.key for toggle in opened("overview", corpus).toggle]


def test_gold_without_systems_is_enough():
    corpus = kp.load(gold=LECTURES / "gold.csv")
    app = opened("annotators", corpus)
    assert not app.error
    assert "No system is loaded" in words(app)


def test_the_printed_table_is_solved_on_the_agreement_page():
    app = opened("agreement")
    table = shown(app, "at least, %")
    expected = kp.recover(*LECTURE_SYSTEMS["TF-IDF"])
    assert table["at least, %"].iloc[0] == pytest.approx(100 * expected.both.low)
    app = chosen(app, "figures", "figures of your own")
    for name, text in zip(("kappa", "P_pos", "P_neg", "PABAK"), (".9", ".200", ".973", ".896"), strict=True):
        app.text_input(key=f"printed {name}").set_value(text)
    app.run()
    assert "No concordance table gives all four values" in "\n".join(str(one.value) for one in app.warning)


def test_every_measure_has_a_curve_against_the_universe():
    app = opened("agreement")
    for measure in ("kappa", "PABAK", "P_neg", "AC1", "pi"):
        assert not chosen(app, "against_N", measure).error, measure


# the report


@pytest.fixture(scope="module")
def report() -> Any:
    return opened("report")


def test_it_offers_the_files_and_a_paragraph_for_the_settings_in_use(report: Any) -> None:
    assert not report.exception
    assert [one.label for one in report.main.get("download_button")] == [
        "HTML report",
        "Archive of everything",
        "LaTeX tables",
        "Settings as JSON",
    ]
    paragraph, references = report.main.code[0].value, report.main.code[1].value
    assert "Cutoffs: k = 6." in paragraph
    assert "@article{holm1979" in references
    report.session_state["k"] = "9"
    report.run()
    assert "Cutoffs: k = 9." in report.main.code[0].value


def test_without_the_methods_there_is_no_paragraph(report: Any) -> None:
    report.multiselect(key="sections").set_value(["leaderboard"]).run()
    assert len(report.main.code) == 1  # the signature
    report.multiselect(key="sections").set_value([]).run()
    assert report.info[0].value == "Choose at least one section."
