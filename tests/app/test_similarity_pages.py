"""The pages Near misses and Correlation show the numbers of the Python functions."""

from dataclasses import replace

import pandas as pd
import pytest

import kp_core as kp
from kp_core.studies.correlation.human import ordinal_alpha, pairwise_agreement, score_matrix
from kp_core.words import statements
from kp_ui.show import plain
from tests.app.opening import opened, shown, words
from tests.app.test_results_pages import chosen, loaded
from tests.corpora import corpus_of

pytestmark = pytest.mark.app


def seen(app, view):
    """Choose one of the views of the Correlation page."""
    app.session_state["view"] = view
    app.run()
    assert not app.exception
    return app


RATE, OWN, PUBLISHED = "Rate near misses yourself", "Measures and people", "The published study"


def test_types_of_near_misses_are_counted(lectures):
    app = opened("near_misses", k="9")
    expected = kp.near_misses(lectures, k=9)
    assert shown(app, "EXACT").equals(expected.counts())
    assert shown(app, "near misses")["near misses"].tolist() == expected.shares()["near"].tolist()


def test_every_near_miss_of_the_system_is_listed(lectures):
    app = chosen(chosen(opened("near_misses"), "system", "yake"), "type", "PARTOF")
    expected = kp.near_misses(lectures).frame
    expected = expected[(expected["system"] == "yake") & ~expected["hit"] & (expected["type"] == "PARTOF")]
    listed = shown(app, "R-precision")
    assert listed["prediction"].tolist() == expected["phrase"].tolist()
    assert listed["keyphrase"].tolist() == expected["keyphrase"].tolist()


@pytest.mark.parametrize("preset", ["exact", "INCLUDE", "R-precision"])
def test_soft_scores_stand_beside_the_exact_ones(lectures, preset):
    table = shown(chosen(opened("near_misses"), "soft", preset), "soft F1@6").set_index("system")
    settings = kp.Settings(k=(6,))
    expected = kp.soft_evaluate(lectures, settings, preset, ["F1@k"]).frame.set_index("system")["value"]
    assert table["soft F1@6"].to_dict() == pytest.approx(expected.to_dict())
    exact = kp.evaluate(lectures, k=6, measures=["F1@k"]).frame.set_index("system")["value"]
    assert table["exact F1@6"].to_dict() == pytest.approx(exact.to_dict())


@pytest.fixture(scope="module")
def correlation():
    return opened("correlation")


@pytest.fixture(scope="module")
def study(lectures):
    return kp.correlate(lectures)


@pytest.mark.parametrize("average", ["average", "majority"])
def test_correlations_are_those_of_correlate(correlation, study, average):
    app = chosen(correlation, "human", average)
    assert f"#### {plain(statements.best_measure(study, average))}" in words(app)
    table = shown(app, "% of human ceiling").set_index("measure")
    rows = study.frame[(study.frame["average"] == average) & (study.frame["subset"] == "all")].set_index("measure")
    assert table["correlation"].to_dict() == pytest.approx(rows["value"].to_dict())
    subsets = shown(app, "L<=3").set_index("measure")
    cell = study.frame.set_index(["average", "subset", "measure"])["value"][average, "location:Head", "METEOR"]
    assert subsets.loc["METEOR", "location:Head"] == pytest.approx(cell)


def test_agreement_of_the_people_who_scored(lectures, correlation):
    scores = score_matrix(lectures.judgements)
    assert plain(f"ordered scores: {ordinal_alpha(scores.to_numpy()):.3f}") in words(correlation)
    table, expected = shown(correlation, "quadratic weighted kappa"), pairwise_agreement(scores)
    assert table.to_numpy().tolist() == expected.to_numpy().tolist()


def test_rating_flows_into_the_correlation():
    """Twenty pairs rated one after the other on data without judgements; the correlation is that of the ratings."""
    corpus = loaded(**{name: name for name in ("rake", "textrank", "tfidf", "yake")})
    app = opened("correlation", corpus)
    assert "No judged pairs are loaded" in words(app)
    app, given = seen(app, RATE), []
    for turn in range(20):
        score = (turn * 7) % 5
        given.append(float(score))
        app.button(key=f"rate_{score}").click().run()
        assert not app.exception
    assert "All pairs are rated" in app.success[0].value
    app = seen(app, OWN)
    assert "20 pairs rated on this page" in words(app)
    pairs = shown(app, "score me")
    assert sorted(pairs["score me"]) == sorted(given)
    judged = pairs[["pair_id", "doc_id", "keyphrase", "candidate"]].assign(annotator="me", score=pairs["score me"])
    expected = kp.correlate(replace(corpus, judgements=judged)).frame
    expected = expected[(expected["average"] == "average") & (expected["subset"] == "all")].set_index("measure")
    table = shown(app, "% of human ceiling").set_index("measure")
    assert table["correlation"].dropna().to_dict() == pytest.approx(expected["value"].dropna().to_dict())
    app = seen(app, RATE)
    app.button(key="rate_back").click().run()
    assert len(shown(seen(app, OWN), "score me")) == 19


def test_the_published_table_is_shown_as_printed():
    app = seen(opened("correlation"), PUBLISHED)
    table = next(t.value for t in app.dataframe if "semantic similarity" in set(t.value.iloc[:, 0]))
    printed = table.set_index("measure")["all"]
    assert printed["human"] == pytest.approx(0.4506)
    assert printed["R-precision"] == pytest.approx(0.4763)


def test_pages_open_without_systems_or_judgements():
    gold = pd.DataFrame({"doc_id": ["d"], "phrase": ["x"]})
    app = seen(opened("correlation", kp.load(gold=gold)), RATE)
    assert "No system is loaded" in words(app)


def test_where_every_prediction_is_a_hit_there_is_nothing_to_rate():
    corpus = corpus_of({"d1": ["x"], "d2": ["y"]}, {"s": {"d1": ["x"], "d2": ["y"]}})
    assert "There are no near misses" in words(seen(opened("correlation", corpus), RATE))


def test_ratings_belong_to_the_data_that_were_rated():
    app = seen(opened("correlation", loaded(yake="yake")), RATE)
    app.button(key="rate_3").click().run()
    assert "1 pair rated" in words(seen(app, OWN))
    app.button(key="back_to_sample").click().run()
    assert "rated on this page" not in words(app)
    assert "60 judged pairs" in words(app)


def test_a_table_with_labels_of_its_own_opens(lectures):
    judged = lectures.judgements.assign(location="Head", mine="0.5")
    app = opened("correlation", replace(lectures, judgements=judged))
    pairs = shown(app, "location (file)")
    assert set(pairs["location"]) == {"Head"}
