"""The Annotators page and the human ceiling show the numbers of the Python functions."""

import pytest

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.studies.published_tables import LECTURE_SYSTEMS
from kp_ui.show import plain
from tests.app.opening import opened, shown, words
from tests.app.test_results_pages import LECTURES, chosen
from tests.corpora import corpus_of

pytestmark = pytest.mark.app


@pytest.fixture(scope="module")
def result(lectures):
    return kp.agreement(lectures)


def test_the_coefficients_are_those_of_agreement(result):
    app = opened("annotators")
    table = shown(app, "what it says").set_index("measure")
    rows = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")].set_index("measure")
    assert table["value"].to_dict() == rows["value"].to_dict()
    k = rows.loc["K"]
    assert plain(f"K = {k['value']:.3f}") in words(app)
    assert table["95 % interval"]["K"] == screen_tables.interval(k["low"], k["high"])


def test_pairs_and_each_annotator(result):
    app = opened("annotators")
    pairs = shown(app, "pair").set_index("pair")
    for pair in ("A|B", "A|C", "B|C"):
        rows = result.frame[result.frame["system"] == pair].set_index("measure")["value"]
        assert pairs.loc[pair, ["kappa", "P_pos", "P_neg", "PABAK"]].to_dict() == rows.to_dict()
    each = shown(app, "K without").set_index("annotator")
    rows = result.frame[(result.frame["measure"] == "K") & result.frame["system"].isin(["A", "B", "C"])]
    assert each["K without"].to_dict() == rows.set_index("system")["value"].to_dict()
    together = screen_tables.value(result, "all", "K")
    assert each["change"]["A"] == pytest.approx(each["K without"]["A"] - together, abs=1e-12)


def test_the_threshold_is_a_look_up(lectures):
    app = opened("annotators")
    app.select_slider(key="threshold").set_value("0.80").run()
    table = shown(app, "majority")
    expected = kp.trim(lectures, threshold=0.8).frame
    assert table["majority"].tolist() == expected["size"].tolist()
    kept = expected[expected["status"] == "ok"]
    assert f"**{len(kept)} of 20 documents** and **{kept['gold'].sum()} keyphrases** are left" in words(app)


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


@pytest.mark.parametrize("measure", ["kappa", "PABAK", "P_neg", "AC1", "pi"])
def test_every_measure_has_a_curve_against_the_universe(measure):
    assert not chosen(opened("agreement"), "against_N", measure).error
