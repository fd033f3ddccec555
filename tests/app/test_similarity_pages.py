"""The near misses of the Systems page and the Correlation page show the numbers of the Python functions."""

import pytest

import kp_core as kp
from kp_core.reading import Source
from kp_core.studies.correlation.human import score_matrix
from kp_core.words import statements
from kp_ui.widgets import prose
from kp_ui.widgets.show import in_short, plain
from tests.app.opening import chosen, drop, literal, opened, shown, words
from tests.app.test_results_pages import loaded

RATE, OWN, PUBLISHED = "Rate near misses yourself", "Measures and people", "The published study"


def seen(app, view=OWN, tab="All pairs", **link):
    """Open the Correlation page on a view and a tab, in a session with the same data and ratings."""
    held = {name: app.session_state[name] for name in ("session", "ratings") if name in app.session_state}
    return opened("correlation", state=held, view=view, correlation_tab=tab, **link)


@pytest.fixture(scope="module")
def study(lectures):
    return kp.correlate(lectures)


@pytest.mark.parametrize("average", ["average", "majority"])
def test_page_shows_correlations_of_correlate(study, average):
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


def test_sentences_show_distinct_unchanged_system_names():
    said = in_short("run@M is better: F1@M 0.667, next Rprec 0.333.", ["run@M", "Rprec"])
    assert said == "run@M is better: F1 of the whole list 0.667, next Rprec 0.333."
    first, second = (f"keyphrase_extractor_model_v{n}_large_final" for n in (1, 2))
    left, right = in_short(f"{first}|{second}", [first, second]).split("|")
    assert left != right
    assert len(left) < len(first)


def test_raters_work_blind_and_ratings_combine_on_data_page(offered):
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
        assert app.success[0].value.endswith("send the file to the person who asked you to rate.")
        assert app.query_params["rater"] == app.text_input[0].value
        given.append(Source(offered["ratings csv"][0], offered["ratings csv"][1]().encode()))
        orders.append(order)
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    assert [file.name for file in given] == ["ratings ana.csv", "ratings ben.csv"]
    assert "0 of 20" in seen(app, rater="cem", k="9").get("progress")[0].proto.text

    app = opened("data")
    drop(app, *given)
    assert app.button(key="on to correlation").label == "See which measure agrees best with human judgments"
    scores = score_matrix(kp.load(judgements=given).judgements)
    assert scores.columns.tolist() == ["ana", "ben"]
    assert (scores["ana"] == scores["ben"]).all()
    assert "2 annotators, Krippendorff's alpha 1.000 (ordered scores)." in literal(seen(app))


def phrases(app):
    return tuple(item.value for item in app.markdown if item.value.startswith("#### "))


def test_rater_sees_only_own_ratings_and_page():
    app = opened("correlation", view=RATE)
    app.button(key="rate_3").click().run()
    held = {name: app.session_state[name] for name in ("session", "ratings")}
    app = opened("overview", state=held, rater="ben")
    assert [item.value for item in app.title] == ["Rate near misses"]
    assert "0 of 20 rated by you" in app.get("progress")[0].proto.text
    assert [item.proto.disabled for item in app.main.get("download_button")] == [True]


def test_ratings_belong_to_the_data_that_were_rated():
    app = seen(opened("correlation", loaded(yake="yake")), RATE)
    app.button(key="rate_3").click().run()
    assert "1 pair rated" in words(seen(app))
    app.button(key="open lectures").click().run()
    app = seen(app)
    assert "rated on this page" not in words(app)
    assert words(app).count("60 pairs") == 1
