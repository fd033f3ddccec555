"""The pages of results, of people and of the report show the numbers of the Python functions, and never a traceback."""

import io
import re
from typing import Any
from urllib.parse import parse_qsl

import pandas as pd
import pytest

import kp_core as kp
from kp_core.charts import curves, screen_tables
from kp_core.reading import Source
from kp_core.studies.published_tables import LECTURE_SYSTEMS
from kp_core.words import answers, statements
from kp_ui.parts.report import FILES
from kp_ui.parts.systems import VIEWS
from kp_ui.state.workspace import SAMPLES
from kp_ui.widgets.show import plain
from tests.app.opening import TABS, chosen, dots, html, opened, recipe, shown, tables, words
from tests.cases import LECTURES, ROOT
from tests.corpora import corpus_of

pytestmark = pytest.mark.app
SYSTEMS = [("overview", "")] + [("systems", tab) for tab in TABS["systems"]]
PEOPLE = [("annotators", tab) for tab in TABS["annotators"][:4]]


def at(page: str, tab: str, corpus: kp.Corpus | None = None, **link: str) -> Any:
    """Open a page on one of its tabs."""
    return opened(page, corpus, **({f"{page}_tab": tab} if tab else {}), **link)


def loaded(**systems: str) -> kp.Corpus:
    """Load the lectures with some of their systems under other names."""
    files = {name: next((LECTURES / "systems").glob(f"{stem}.*")) for name, stem in systems.items()}
    return kp.load(gold=LECTURES / "gold.csv", systems=files or None, documents=LECTURES / "documents.jsonl")


@pytest.mark.parametrize(("page", "tab"), SYSTEMS + PEOPLE)
def test_a_view_opens_at_a_cutoff_that_differs_by_document(page: str, tab: str) -> None:
    app = at(page, tab, k="gold" if tab in TABS["systems"][::2] else "all")
    assert not app.error
    assert recipe(app)


def test_an_open_tab_computes_nothing_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("near_misses", "spread", "stability", "soft_evaluate", "compare"):
        monkeypatch.setattr(kp, name, lambda *_, **__: pytest.fail("a tab that is not open was drawn"))
    assert not at("systems", "Concordance", loaded(one="yake", two="rake")).error


def test_the_leaderboard_holds_the_values_of_evaluate(lectures: kp.Corpus) -> None:
    expected = kp.evaluate(lectures, k=9, measures=["F1@k"], baselines=True).frame.set_index("system")
    app = opened("overview", k="9")
    board = dots(app, bounds=True)
    people = kp.answer(lectures, k=9, annotators="others")
    assert plain(" ".join((people.claim, people.why))) in words(app)
    assert set(board) == set(expected.index) - {"oracle k"}
    for name, found in board.items():
        row = expected.loc[name, ["value", "low", "high"]].tolist()
        assert found == pytest.approx(row if row[1] == row[1] else row[:1] * 3)
    assert list(board)[-1] == "says nothing"
    rows = [one for one in html(app) if one.startswith('<div class="kp-row')]
    assert {re.findall(r"--more:(.)", row)[0] for row in rows} == {"3"}  # P, R and kappa, also beside baselines


@pytest.mark.parametrize("choice", [{}, {"average": "micro"}, {"preset": "semeval2010"}, {"universe": "candidates"}])
def test_people_choose_sets_so_their_values_are_the_same_at_every_cutoff(
    lectures: kp.Corpus, choice: dict[str, str]
) -> None:
    asked = ["P@k", "R@k", "F1@k", "kappa", "P_pos"]
    found = kp.evaluate(lectures, k=[1, 5, "gold", "all"], measures=asked, annotators="others", **choice).frame
    people = found[found["system"] == "human ceiling"]
    values = people.assign(measure=people["measure"].str.partition("@")[0]).groupby(["measure", "average"])
    bounds = values[["value", "low", "high"]]
    assert bounds.count().eq(4).all(axis=None)
    assert bounds.max().equals(bounds.min())


def test_moving_k_changes_numbers_and_link(lectures: kp.Corpus) -> None:
    app = opened("overview")
    assert "F1@6" in words(app)
    app.slider(key="k").set_value(15).run()
    expected = kp.evaluate(lectures, k=15, measures=["F1@k"], interval="none").frame.set_index("system")
    assert dots(app)["rake"] == pytest.approx(expected.loc["rake", "value"])
    assert "|k:15|" in recipe(app)
    assert app.query_params["k"] == "15"
    app.pills(key="k by size").set_value("gold").run()
    assert "|k:gold|" in recipe(app)
    app.number_input(key="k typed").set_value(7).run()
    assert app.query_params["k"] == "7"


def with_rules(app: Any) -> Any:
    """Open *Rules*."""
    app.session_state["rules"] = True
    return app.run()


def test_the_conventions_are_asked_in_words_and_what_was_changed_stands_first_and_is_taken_back() -> None:
    app = with_rules(opened("overview"))
    asked = app.selectbox(key="duplicates")
    assert asked.value == "before"
    assert "the preset" not in asked.label
    asked.set_value("keep").run()
    app = with_rules(app)
    changed = [box for box in app.selectbox if "the preset:" in box.label]
    assert [one.key for one in changed] == ["duplicates"]
    assert [box.key for box in app.selectbox].index("duplicates") == 1 + [box.key for box in app.selectbox].index(
        "preset"
    )
    assert app.button(key="conventions_back").label == "Take back 1 change"
    assert app.query_params["duplicates"] == "keep"
    app.button(key="conventions_back").click().run()
    assert app.session_state["chosen"].get("duplicates") is None
    assert "|dup:before|" in recipe(app)
    assert "conventions_back" not in [one.key for one in app.button]


def test_the_spread_of_conventions_is_that_of_the_function(lectures: kp.Corpus) -> None:
    app = at("systems", "Stability", k="9", stability=VIEWS[1])
    expected = kp.spread(lectures, measure="F1@k", k=9)
    pd.testing.assert_frame_equal(shown(app, "high").reset_index(drop=True), expected.ranges)
    assert "What one change of the present conventions does" in [one.label for one in app.expander]
    assert plain(statements.range_of(expected)) in words(app)
    assert plain(statements.range_of(expected)) in words(opened("overview", k="9"))


def test_a_number_to_reach_gives_settings_that_are_taken_with_a_click(lectures: kp.Corpus) -> None:
    app = at("systems", "Stability", k="5", stability=VIEWS[1], printed=".229")
    expected = kp.spread(lectures, measure="F1@k", k=5).printing(".229")
    assert plain(f"{expected.fitting} of {expected.tried} settings print F1@5 = .229.") in words(app)
    assert all(plain(question) in words(app) for question in expected.questions)
    app.button(key="use 0").click().run()
    first = kp.settings_from(expected.frame["signature"].iloc[0])
    assert kp.settings_from(recipe(app)).differences(first) == {}
    several = at("systems", "Stability", k="5", stability=VIEWS[1], printed="yake:P@5=.37, yake:F1@5=.9")
    assert plain("None of 255 settings prints yake:P@5 = .37 and yake:F1@5 = .9") in words(several)
    refused = at("systems", "Stability", k="5", stability=VIEWS[1], printed="nothing")
    assert "is no printed number" in words(refused)


def test_systems_are_hidden_and_renamed_and_what_is_said_of_it_is_true() -> None:
    app = opened("overview", k="6", hidden="textrank,nobody", names="yake:mine")
    assert "Hidden, and part of no test: textrank." in words(app)
    assert set(dots(app)) == {"mine", "tfidf", "rake", "random k", "says nothing"}
    app.session_state["name mine"] = True  # its name is pressed
    app.run().text_input(key="new name mine").set_value("ours").run()
    app.session_state["name ours"] = True
    app.run().button(key="hide ours").click().run()
    assert app.query_params["hidden"] == "textrank,yake"
    assert app.query_params["names"] == "yake:ours"
    everyone = opened("overview", k="6", hidden="textrank,yake,tfidf,rake")
    assert "Hidden" not in words(everyone)
    assert {"textrank", "yake", "tfidf", "rake"} <= set(dots(everyone))
    alike = opened("overview", k="6", hidden="textrank", names="tfidf:yake")
    assert "Hidden, and part of no test: textrank." in words(alike)
    assert {"yake", "tfidf"} <= set(dots(alike))


def test_a_hit_beyond_the_cutoff_of_its_own_list_is_pale() -> None:
    texts = "\n".join(one.value for one in opened("documents", k="6", document="lecture-01").get("html"))
    cells = re.findall(r'<td class="kp-hit( quiet)?" title="([^"]*)">(\d+) <b>✓</b>', texts)
    assert cells
    assert all((int(rank) > 6) == bool(pale) == title.endswith("beyond the cutoff") for pale, title, rank in cells)


@pytest.mark.parametrize("measure", ["F1@k", "kappa", "MAP"])
def test_the_overview_says_the_answer(lectures: kp.Corpus, measure: str) -> None:
    app = opened("overview", k="9", measure=measure)
    said = kp.answer(lectures, measure=measure, k=9, over="ask")
    assert {plain(said.claim), plain(" ".join(said.details))} <= set(words(app).split("\n"))


@pytest.fixture(scope="module")
def concordance() -> Any:
    return at("systems", "Concordance", k="9")


def test_the_concordance_table_is_that_of_the_chosen_system(lectures: kp.Corpus, concordance: Any) -> None:
    assert concordance.selectbox(key="system").value == "yake"  # the best one first
    app = chosen(concordance, "system", "rake")
    found = kp.evaluate(lectures, k=9, measures=["a", "b", "c", "d", "N"], interval="none").frame
    a, b, c, d, n = found[found["system"] == "rake"]["value"]
    table = shown(app, "system: yes")
    assert table.iloc[0].tolist()[1:] == [f"a = {a:,.0f}", f"b = {b:,.0f}", f"f₁ = {a + b:,.0f}"]
    assert table.iloc[1].tolist()[1:3] == [f"c = {c:,.0f}", f"d = {d:,.0f}"]
    assert table.iloc[2].tolist()[3] == f"N = {n:,.0f}"
    first = statements.diagnose("rake", {"a": a, "b": b, "c": c, "d": d}, {})[0]
    assert plain(first) in words(app)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_agreement_follows_the_average_in_use(lectures: kp.Corpus, average: str) -> None:
    app = at("systems", "Concordance", k="9", average=average)
    expected = kp.evaluate(lectures, k=9, measures=["kappa", "PABAK"], average=average, baselines=True).frame
    everybody = shown(app, "AC1").set_index("system")
    for row in expected.to_dict("records"):
        assert everybody.loc[row["system"], row["measure"]] == pytest.approx(row["value"], nan_ok=True)


def test_documents_of_the_chosen_system_are_listed(lectures: kp.Corpus, concordance: Any) -> None:
    listed = shown(chosen(concordance, "system", "tfidf"), "status").set_index("document")
    expected = kp.documents(lectures, kp.Settings(k=(9,)), "kappa").frame
    expected = expected[expected["system"] == "tfidf"].set_index("document")
    assert listed["kappa"].tolist() == pytest.approx(expected["value"].tolist())
    assert listed["status"].tolist() == expected["status"].tolist()


def test_a_comparison_by_concept_is_offered_where_both_sides_have_identifiers() -> None:
    app = with_rules(opened("overview"))
    assert "by_concept" not in [one.key for one in app.selectbox]
    rows = {"doc_id": ["d"], "phrase": ["tide"], "uri": ["u1"]}
    corpus = kp.load(gold=pd.DataFrame(rows), systems={"s": pd.DataFrame(rows | {"phrase": ["tidal wave"]})})
    app = opened("overview", corpus, k="1")
    assert "by which phrases can be compared" in words(app)
    app = chosen(with_rules(app), "by_concept", "yes")
    assert "compared by the identifier beside them" in words(app)


def test_a_link_opens_its_document_though_a_filter_excludes_it() -> None:
    app = opened("documents", document="lecture-03", document_search="lecture-05")
    assert "The link names lecture-03, which is not among the documents listed" in words(app)
    assert app.query_params["document"] == "lecture-03"
    app = opened("documents", document="lecture-05", document_search="lecture-05")
    assert "The link names" not in words(app)


def test_documents_are_turned_like_pages(lectures: kp.Corpus) -> None:
    app = opened("documents")
    titles = shown(app, "difference")["title"].tolist()
    by_title = lectures.documents.set_index("title")["doc_id"]
    listed = [by_title[title] for title in titles]
    assert app.button(key="document_previous").disabled
    for way, place in (("next", 1), ("next", 2), ("previous", 1)):
        app.button(key=f"document_{way}").click().run()
        assert not app.exception
        assert app.query_params["document"] == listed[place]
        assert f"{place + 1} of 20; keys P and N" in words(app)


def test_a_copied_link_shows_somebody_else_the_same() -> None:
    app = chosen(chosen(opened("overview"), "measure", "nDCG@k"), "annotators", "majority")
    app.slider(key="k").set_value(7).run()
    app.session_state["share"] = True
    (link,) = (one.value for one in app.run().code if "?" in one.value)
    other = opened("overview", **dict(parse_qsl(link.partition("?")[2])))
    assert recipe(other) == recipe(app)
    assert "|k:7|N:ngrams:3|annot:majority|" in recipe(app)
    assert dots(other, bounds=True) == dots(app, bounds=True)


def test_a_csv_of_the_overview_has_bounds_as_numbers_and_the_signature(lectures: kp.Corpus) -> None:
    app = opened("overview", k="9")
    made = app.session_state["noting"].offered["Table: F1@9 by system"].forms["CSV"](recipe(app))
    given = pd.read_csv(io.StringIO(made)).set_index("system")
    expected = kp.evaluate(lectures, k=9, measures=["F1@k"], baselines=True).frame.set_index("system")
    for column in ("value", "low", "high"):
        assert given[column].to_dict() == pytest.approx(expected.loc[given.index, column].to_dict(), nan_ok=True)
    assert set(given["signature"]) == {recipe(app)}


def test_the_ranking_by_cutoffs_is_that_of_the_function(lectures: kp.Corpus) -> None:
    app = at("systems", "Stability", k="7", views="cutoff k")
    drawn = curves.rank_chart(kp.stability(lectures, by="k", measure="F1@k", k=7))
    assert drawn.alt in [one.proto.alt for one in app.get("plotly_chart")]


def test_identical_systems_have_no_order() -> None:
    app = opened("overview", loaded(**dict.fromkeys(("one", "two", "three"), "yake")))
    assert "have identical outputs: F1@6" in words(app)
    assert "is better" not in words(app)


def test_a_measure_without_any_value_has_words_in_place_of_a_chart() -> None:
    app = at("overview", "", measure="bpref")
    assert not app.get("plotly_chart")
    assert "yake undefined" in "".join(html(app))
    assert "judged as not relevant" in words(app)


def test_undefined_values_stand_with_their_reason(lectures: kp.Corpus) -> None:
    app = at("systems", "Measures", k="9", group="Order of the whole list")
    whole = shown(app, "bpref").set_index("system")
    assert set(whole["bpref"]) == {"undefined"}
    assert "judged as not relevant" in words(app)
    row = kp.evaluate(lectures, k=9, measures=["MAP"]).frame.set_index("system").loc["yake"]
    assert whole.loc["yake", "MAP"].startswith(f"{row['value']:.3f}")
    assert screen_tables.interval(row["low"], row["high"]) in whole.loc["yake", "MAP"]


def test_pairs_are_those_of_the_comparison(lectures: kp.Corpus) -> None:
    pairs = shown(at("systems", "Measures", k="9", measure="nDCG@k"), "p after Holm")
    expected = kp.compare(lectures, measure="nDCG@k", k=9).wide()
    assert pairs["better − worse"].tolist() == pytest.approx(expected["difference"].tolist())
    assert pairs["p after Holm"].tolist() == pytest.approx(expected["p_adjusted"].tolist())


@pytest.mark.parametrize(("page", "tab"), SYSTEMS)
def test_one_system_is_enough_to_look_at(page: str, tab: str) -> None:
    app = at(page, tab, loaded(yake="yake"))
    assert not app.error
    said = {"": "load a second system to compare", "Measures": "One system is loaded", "Stability": "One system is"}
    assert said.get(tab, "") in words(app)


def test_without_a_system_the_page_points_to_the_data_and_to_people() -> None:
    app = opened("systems", loaded())
    assert "No system output is loaded yet" in words(app)
    links = [one.proto.page for one in app.main.get("page_link")]
    assert links == ["data", "annotators", "data"]


@pytest.mark.parametrize(("page", "tab"), SYSTEMS[:3])
def test_few_documents_are_named_as_such(page: str, tab: str) -> None:
    said = words(at(page, tab, SAMPLES["chinese"].uploads().load())).lower()
    assert "too few documents" in said or "below 10 documents" in said


@pytest.mark.parametrize(("page", "tab"), [*SYSTEMS[:3], PEOPLE[0]])
def test_a_universe_that_is_too_small_is_a_sentence(page: str, tab: str) -> None:
    app = at(page, tab, universe="number", N="3")
    assert ["phrases in the universe" in error.value for error in app.error] == [True]


# people


@pytest.fixture(scope="module")
def result(lectures: kp.Corpus) -> kp.Result:
    return kp.agreement(lectures)


@pytest.fixture(scope="module")
def annotators() -> Any:
    return opened("annotators")


def test_the_coefficients_and_the_answer_are_those_of_agreement(
    lectures: kp.Corpus, result: kp.Result, annotators: Any
) -> None:
    table = next(one for one in tables(annotators) if "K" in one.get("measure", pd.Series()).tolist())
    table = table.set_index("measure")
    rows = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")].set_index("measure")
    assert table["value"].to_dict() == rows["value"].to_dict()
    assert {"alpha-Jaccard", "alpha-MASI"} <= set(table.index)
    said = answers.people(lectures, kp.Settings())
    assert {plain(said.claim), plain(" ".join((*said.caveats, *said.details)))} <= set(words(annotators).split("\n"))
    assert table["95 % interval"]["K"] == screen_tables.interval(rows["low"]["K"], rows["high"]["K"])


def test_k_is_not_read_where_the_universe_is_what_somebody_lists() -> None:
    app = opened("annotators", universe="rankings")
    assert "K is not read here" in words(app)
    needs_n = {"K", "K without", "kappa", "PABAK", "P_neg", "AC1", "alpha", "N"}
    for tab in ("Together and in pairs", "Human ceiling", "Titles"):
        every = tables(at("annotators", tab, universe="rankings"))
        said = {name for table in every for name in [*table.columns, *table.get("measure", [])]}
        assert "P_pos" in said
        assert not said & needs_n
        assert ({"alpha-Jaccard", "alpha-MASI"} <= said) == (tab == "Together and in pairs")  # which need no N


def test_pairs_and_each_annotator(result: kp.Result, annotators: Any) -> None:
    pairs = shown(annotators, "pair").set_index("pair")
    for pair in ("A|B", "A|C", "B|C"):
        rows = result.frame[result.frame["system"] == pair].set_index("measure")["value"]
        named = pair.replace("|", " and ")
        assert pairs.loc[named, ["kappa", "P_pos", "PABAK"]].to_dict() == rows.drop("P_neg").to_dict()
        assert pairs.loc[named, "Hooper"] == pytest.approx(rows["P_pos"] / (2 - rows["P_pos"]))
    each = shown(at("annotators", "Human ceiling"), "K without").set_index("annotator")
    rows = result.frame[(result.frame["measure"] == "K") & result.frame["system"].isin(["A", "B", "C"])]
    assert each["K without"].to_dict() == rows.set_index("system")["value"].to_dict()
    together = screen_tables.value(result, "all", "K")
    assert each["change"]["A"] == pytest.approx(each["K without"]["A"] - together, abs=1e-12)


def test_the_threshold_is_a_look_up(lectures: kp.Corpus) -> None:
    app = at("annotators", "Trimming")
    app.select_slider(key="threshold").set_value("0.80").run()
    table = shown(app, "majority")
    expected = kp.trim(lectures, threshold=0.8).frame
    assert table["majority"].tolist() == expected["size"].tolist()
    kept = expected[expected["status"] == "ok"]
    assert f"**{len(kept)} of 20 documents** and **{kept['gold'].sum()} keyphrases** are left" in words(app)


@pytest.mark.parametrize(("page", "tab"), [("systems", tab) for tab in ("Concordance", "Measures", "Over k")])
def test_people_stand_beside_the_systems(page: str, tab: str, lectures: kp.Corpus) -> None:
    app = at(page, tab)
    app.toggle(key="people").set_value(True).run()
    assert not app.exception
    asked = "kappa" if tab == "Concordance" else "F1@k"
    found = kp.evaluate(lectures, k=6, measures=[asked], annotators="others", baselines=True)
    values = found.frame.set_index("system")["value"]
    name = found.frame["measure"].iloc[0]
    if tab == "Over k":
        assert "human ceiling" in app.get("plotly_chart")[0].proto.spec
        return
    every = (one for one in tables(app) if name in one.columns and "system" in one.columns)
    table = next(t for t in every if "human ceiling" in set(t["system"])).set_index("system")[name].to_dict()
    for system in ("yake", "human ceiling"):
        value = table[system]
        assert (float(value.split(" ")[0]) if isinstance(value, str) else value) == pytest.approx(values[system], 1e-2)


def test_three_indexers_are_compared_in_pairs_and_title_by_title() -> None:
    """Way 4 of the guide. Of 8, 8 and 6 headings A and B share 3 (moon, sundial, slope), A and C 4, B and C harbour."""
    path = ROOT / "sample_data" / "studies" / "indexers.csv"
    app = opened("data", files=[Source(path.name, path.read_bytes())], data_tab="Details")
    found = shown(app, "phrases").set_index("source")["phrases"]
    assert found.to_dict() == {"Indexer A": 8, "Indexer B": 8, "Indexer C": 6}
    app.switch_page("../pages/annotators.py").run()
    assert shown(app, "pair")["Hooper"].tolist() == pytest.approx([3 / 13, 4 / 10, 1 / 13])
    app.switch_page("../pages/documents.py").run()
    # Twice what pairs share, by what they chose: 4 / 14, 6 / 16 and 6 / 14; the title of least agreement comes first.
    titles = shown(app, "P_pos")
    assert titles["title"].tolist() == ["Drawing a contour map", "Tides", "Sundials"]
    assert titles["P_pos"].tolist() == pytest.approx([4 / 14, 6 / 16, 6 / 14])
    app.session_state["chosen"]["report_tab"] = "Report"
    app.switch_page("../pages/report.py").run()
    said = [box.label for box in app.checkbox if box.value]
    assert said == [
        "How far do the indexers agree?",
        "Most disputed titles",
        "Most disputed headings",
        "How it was computed",
    ]


def test_one_annotator_has_nobody_to_agree_with() -> None:
    corpus = corpus_of({"d1": ["x"], "d2": ["y"]}, {"s": {"d1": ["x"], "d2": ["z"]}})
    assert "one annotator" in words(opened("annotators", corpus))
    assert "people" not in [toggle.key for toggle in opened("overview", corpus).toggle]


@pytest.mark.parametrize(("page", "tab"), [*PEOPLE, ("documents", ""), ("report", "")])
def test_gold_without_systems_is_enough(page: str, tab: str) -> None:
    app = at(page, tab, kp.load(gold=LECTURES / "gold.csv"))
    assert not app.error
    assert not app.exception
    if page == "documents":
        table = kp.agreement(kp.load(gold=LECTURES / "gold.csv"))
        assert table.documents == len(shown(app, "P_pos"))
        assert shown(app, "P_pos")["P_pos"].is_monotonic_increasing


def test_printed_figures_are_solved_for_their_table(concordance: Any) -> None:
    app = chosen(concordance, "figures", "TF-IDF")
    expected = kp.recover(*LECTURE_SYSTEMS["TF-IDF"])
    assert shown(app, "at least, %")["at least, %"].iloc[0] == pytest.approx(100 * expected.both.low)
    app = chosen(app, "figures", "figures of your own")
    for name, text in zip(("kappa", "P_pos", "P_neg", "PABAK"), (".9", ".200", ".973", ".896"), strict=True):
        app.text_input(key=f"printed {name}").set_value(text)
    app.run()
    assert "No concordance table gives all four values" in words(app)


def test_every_measure_has_a_curve_against_the_universe(concordance: Any) -> None:
    for measure in ("kappa", "PABAK", "P_neg", "AC1", "pi"):
        assert not chosen(concordance, "against_N", measure).error, measure


# the report


@pytest.mark.parametrize("systems", [None, {"s": {"d1": ["tide"], "d2": ["moon"]}}])
def test_people_who_share_no_document_have_pages_that_say_so(systems: Any, offered: dict[str, tuple[str, Any]]) -> None:
    corpus = kp.load(gold={"ana": {"d1": ["tide", "sea"]}, "ben": {"d2": ["moon", "sea"]}}, systems=systems)
    for page, tab in (("overview", ""), *PEOPLE, ("report", "Report")):
        app = at(page, tab, corpus)
        assert not app.error, (page, tab)
        if page == "annotators":
            assert "agree is undefined: fewer than two annotators saw the document" in words(app), tab
        if tab == "Together and in pairs":
            assert [frame for frame in tables(app) if "pair" in frame.columns] == []
    written = offered["report html"][1]()
    assert "agree is undefined: fewer than two annotators saw the document." in written


def test_the_report_offers_its_files_for_the_sections_chosen(offered: dict[str, tuple[str, Any]]) -> None:
    app = at("report", "Report")
    assert [name for key, (name, _) in offered.items() if key.startswith("report")] == [name for _, name, _ in FILES]
    assert "All measures" in offered["report html"][1]()
    app.checkbox(key="section measures").set_value(False).run()
    assert "All measures" not in offered["report html"][1]()
    for box in app.checkbox:
        box.set_value(False)
    app.run()
    assert app.info[0].value == "Choose at least one section."


def test_the_paragraph_is_that_of_the_settings_in_use() -> None:
    app = at("report", "Methods")
    assert "We report F1@6 " in app.main.code[0].value
    assert [one for one in app.main.code if "@article{holm1979" in one.value]
    assert "We report F1@9 " in at("report", "Methods", k="9").main.code[0].value


def test_the_table_of_a_paper_holds_the_values_of_evaluate(lectures: kp.Corpus) -> None:
    app = at("report", "Table for a paper")
    latex = next(one.value for one in app.code if "toprule" in one.value)
    values = kp.evaluate(lectures, k=5, measures=["F1@k"], interval="none").frame.set_index("system")["value"]
    rows = {line.partition("&")[0].strip(): line for line in latex.splitlines() if "&" in line}
    assert [name for name in values.index if f"{values[name]:.3f}".lstrip("0") not in rows[name]] == []
    app.text_input(key="table_k").set_value("3").run()
    assert [
        cut for cut in (3, 5, 10) if f"F1@{cut}" in next(one.value for one in app.code if "toprule" in one.value)
    ] == [3]
