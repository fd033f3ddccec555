"""The near misses of the Systems page and the Correlation page show the numbers of the Python functions."""

from dataclasses import replace

import pandas as pd
import pytest

import kp_core as kp
from kp_core import typeset
from kp_core.charts.selection import NEAR
from kp_core.reading import Source
from kp_core.studies.correlation.human import ordinal_alpha, pairwise_agreement, score_matrix
from kp_core.words import statements
from kp_ui.parts.results import in_short
from kp_ui.parts.systems import NEAR_VIEWS
from kp_ui.widgets import prose
from kp_ui.widgets.show import plain
from tests.app.opening import chosen, drop, literal, opened, receipt, shown, tab, words
from tests.app.test_results_pages import at, loaded
from tests.corpora import corpus_of

pytestmark = pytest.mark.app
RATE, OWN, PUBLISHED = "Rate near misses yourself", "Measures and people", "The published study"


def seen(app, view=OWN, tab="All pairs", **link):
    """Open the Correlation page on a view and a tab, in a session with the same data and ratings."""
    held = {name: app.session_state[name] for name in ("workspace", "ratings") if name in app.session_state}
    return opened("correlation", state=held, view=view, correlation_tab=tab, **link)


def test_types_of_near_misses_are_counted(lectures, offered):
    app = at("systems", "Near misses", k="9")
    expected = kp.near_misses(lectures, k=9)
    assert offered["csv types_of_near_misses_predictions"][1]() == typeset.csv(expected.counts())
    assert shown(app, "near misses")["near misses"].tolist() == expected.shares()["near"].tolist()


def test_every_near_miss_of_the_system_is_listed(lectures):
    app = chosen(chosen(at("systems", "Near misses"), "system", "yake"), "near_type", NEAR["PARTOF"])
    expected = kp.near_misses(lectures).frame
    expected = expected[(expected["system"] == "yake") & ~expected["hit"] & (expected["type"] == "PARTOF")]
    listed = shown(app, "R-precision")
    assert listed["prediction"].tolist() == expected["phrase"].tolist()
    assert listed["keyphrase"].tolist() == expected["keyphrase"].tolist()


@pytest.mark.parametrize("preset", ["exact", "INCLUDE", "R-precision"])
def test_soft_scores_stand_beside_the_exact_ones(lectures, preset):
    table = shown(at("systems", "Near misses", near=NEAR_VIEWS[1], soft=preset), "soft F1@6").set_index("system")
    settings = kp.Settings(k=(6,))
    expected = kp.soft_evaluate(lectures, settings, preset, ["F1@k"]).frame.set_index("system")["value"]
    assert table["soft F1@6"].to_dict() == pytest.approx(expected.to_dict())
    exact = kp.evaluate(lectures, k=6, measures=["F1@k"]).frame.set_index("system")["value"]
    assert table["exact F1@6"].to_dict() == pytest.approx(exact.to_dict())


@pytest.fixture(scope="module")
def study(lectures):
    return kp.correlate(lectures)


@pytest.mark.parametrize("average", ["average", "majority"])
def test_correlations_are_those_of_correlate(study, average):
    app = chosen(opened("correlation"), "human", prose.value("human", average))
    claim, why = statements.best_measure(study, average)
    assert plain(claim) in words(app)
    assert plain(why) in words(app)
    table = shown(app, "% of human ceiling").set_index("measure")
    rows = study.frame[(study.frame["average"] == average) & (study.frame["subset"] == "all")].set_index("measure")
    assert table["correlation"].to_dict() == pytest.approx(rows["value"].to_dict())
    turned = opened("correlation", pairs="Location", human=prose.value("human", average))
    subsets = shown(turned, "n").set_index("pairs")
    cell = study.frame.set_index(["average", "subset", "measure"])["value"][average, "location:Head", "METEOR"]
    assert subsets.loc["location: Head", "METEOR"] == pytest.approx(cell)


def test_agreement_of_the_people_who_scored(lectures):
    scores = score_matrix(lectures.judgements)
    app = opened("correlation", correlation_tab="Annotators")
    assert plain(f"4 annotators, Krippendorff's alpha {ordinal_alpha(scores.to_numpy()):.3f}") in words(app)
    table, expected = shown(app, "quadratic weighted kappa"), pairwise_agreement(scores)
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
    app = seen(app, tab="Every pair")
    assert "20 pairs rated on this page" in words(app)
    pairs = shown(app, "score me")
    assert sorted(pairs["score me"]) == sorted(given)
    judged = pairs[["pair_id", "doc_id", "keyphrase", "candidate"]].assign(annotator="me", score=pairs["score me"])
    expected = kp.correlate(replace(corpus, judgements=judged)).frame
    expected = expected[(expected["average"] == "average") & (expected["subset"] == "all")].set_index("measure")
    table = shown(seen(app), "% of human ceiling").set_index("measure")
    assert table["correlation"].dropna().to_dict() == pytest.approx(expected["value"].dropna().to_dict())
    app = seen(app, RATE)
    app.button(key="rate_back").click().run()
    assert len(shown(seen(app, tab="Every pair"), "score me")) == 19


def test_columns_of_the_users_own_are_shown_and_chosen_whatever_their_names():
    judged = pd.DataFrame(
        {
            "doc_id": "d1",
            "keyphrase": ["tide table", "harbour", "sea wall"],
            "candidate": ["tide tables", "old harbour", "wall"],
            "annotator": "ana",
            "score": [4.0, 3.0, 1.0],
            "p": ["small", "large", "none"],
            "a,b": [0.9, 0.8, 0.1],
        }
    )
    app = seen(opened("correlation", kp.load(judgements=judged)), tab="Every pair")
    assert shown(app, "p")["p"].tolist() == ["small", "large", "none"]
    app.multiselect(key="similarities").set_value(["R-precision", "a,b"]).run()
    assert app.multiselect(key="similarities").value == ["R-precision", "a,b"]
    assert "a%2Cb" in app.session_state["chosen"]["similarities"]


def test_names_of_systems_stand_in_sentences_as_they_are_and_apart():
    said = in_short("run@M is better: F1@M 0.667, next Rprec 0.333.", ["run@M", "Rprec"])
    assert said == "run@M is better: F1 of the whole list 0.667, next Rprec 0.333."
    first, second = (f"keyphrase_extractor_model_v{n}_large_final" for n in (1, 2))
    left, right = in_short(f"{first}|{second}", [first, second]).split("|")
    assert left != right
    assert len(left) < len(first)


def test_raters_work_blind_from_their_files_and_meet_on_the_data_page(offered):
    app = opened("correlation", view=RATE, k="9")
    app.text_input(key="raters").input("ana, ben").run()
    files, given, orders = [Source("rate.kpscope", offered[f"file for {name}"][1]()) for name in ("ana", "ben")], [], []
    for file in files:
        app = opened("data")
        drop(app, file)
        app.switch_page("../pages/correlation.py")  # where it is already, which the test's own app does not know
        order = []
        for turn in range(20):
            assert f"{turn} of 20 rated by you" in app.get("progress")[0].proto.text
            order.append(phrases(app))
            app.button(key=f"rate_{len(order[-1][1]) % 5}").click().run()
        assert app.success[0].value.endswith("send the file to whoever asked you.")
        assert app.query_params["rater"] == app.text_input[0].value
        given.append(Source(offered["ratings csv"][0], offered["ratings csv"][1]().encode()))
        orders.append(order)
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    assert [file.name for file in given] == ["ratings ana.csv", "ratings ben.csv"]
    assert "0 of 20" in seen(app, rater="cem", k="9").get("progress")[0].proto.text

    app = opened("data")
    drop(app, *given)
    assert app.button(key="on to correlation").label == "See which measure agrees with the people who judged pairs"
    scores = score_matrix(kp.load(judgements=given).judgements)
    assert scores.columns.tolist() == ["ana", "ben"]
    assert (scores["ana"] == scores["ben"]).all()
    assert "20 judged pairs, 2 annotators, Krippendorff's alpha 1.000 (ordered scores)." in literal(seen(app))


def phrases(app):
    """Return the keyphrase and the candidate that are to be rated."""
    return tuple(one.value for one in app.markdown if one.value.startswith("#### "))


def test_who_rates_sees_no_other_page_and_no_ratings_of_others():
    app = opened("correlation", view=RATE)
    app.button(key="rate_3").click().run()
    held = {name: app.session_state[name] for name in ("workspace", "ratings")}
    app = opened("overview", state=held, rater="ben")
    assert [one.value for one in app.title] == ["Rate near misses"]
    assert "0 of 20 rated by you" in app.get("progress")[0].proto.text
    assert [one.proto.disabled for one in app.main.get("download_button")] == [True]


def test_the_published_table_is_shown_as_printed():
    app = seen(opened("correlation"), PUBLISHED)
    printed = shown(app, "semantic similarity").set_index("pairs").loc["all"]
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
    assert "1 pair rated" in words(seen(app))
    app.button(key="open lectures").click().run()
    app = seen(app)
    assert "rated on this page" not in words(app)
    assert "60 judged pairs" in words(app)


def test_a_table_with_labels_of_its_own_opens(lectures):
    judged = lectures.judgements.assign(location="Head", mine="0.5")
    app = opened("correlation", replace(lectures, judgements=judged))
    pairs = shown(seen(app, tab="Every pair"), "location (file)")
    assert set(pairs["location"]) == {"Head"}


def test_vectors_that_are_dropped_give_a_measure_and_say_which_phrases_lack_one(offered):
    gold = Source("gold.csv", b"doc_id,keyphrase\n" + b"".join(b"d%d,tide\n" % i for i in range(9)))
    lists = [
        Source(f"{name}.csv", b"doc_id,rank,keyphrase\n" + b"".join(b"d%d,1,%s\n" % (i, said) for i in range(9)))
        for name, said in (("near", b"ebb"), ("far", b"moon"), ("lost", b"sun"))
    ]
    vectors = Source("phrases.vec", b"3 2\ntide 1 0\nebb 3 4\nmoon 0 -2\n")
    app = opened("data", files=[gold, *lists])
    drop(app, vectors)
    assert "Vectors of 3 of 4 phrases. The others are similar only to phrases that they equal." in words(app)
    assert receipt(app)["phrases.vec"] == "vectors of phrases · 3 phrases"
    assert not [one for one in app.button if one.key == "change phrases.vec"]
    assert offered["phrases without"] == ("phrases_without.txt", "sun\n")
    tab(app, "Details")
    assert offered["all phrases"][1]() == "tide\nebb\nmoon\nsun\n"
    app = opened("overview", files=[gold, *lists, vectors], measure="SemF1@k", k="1")
    assert "near may be better than far, by 0.600 (SemF1@1 0.600 against 0.000)." in words(app)
    app = opened(
        "systems", files=[gold, *lists, vectors], systems_tab="Near misses", near=NEAR_VIEWS[1], soft="own choice"
    )
    assert app.selectbox(key="similarity").options[0] == "given"
    assert "each keyphrase with at most one prediction" in words(app)
    best = at("systems", "Near misses", near=NEAR_VIEWS[1], matching="best")
    assert "each keyphrase with its most similar prediction" in words(best)
    assert (
        "given"
        not in at("systems", "Near misses", near=NEAR_VIEWS[1], soft="own choice").selectbox(key="similarity").options
    )
