"""The pages of results, of people and of the report show the numbers of the Python functions, and never a traceback."""

import io
import re
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import openpyxl
import pandas as pd
import pytest

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.words import answers
from kp_ui.parts.report import FILES
from kp_ui.parts.systems import VIEWS
from kp_ui.widgets.show import plain
from tests.app.opening import TABS, chosen, dots, html, opened, shown, signature_of, tables, words
from tests.cases import LECTURES
from tests.corpora import corpus_of

SYSTEMS = [("overview", "")] + [("systems", tab) for tab in TABS["systems"]]
DISJOINT = kp.load(gold={"ana": {"d1": ["tide", "sea"]}, "ben": {"d2": ["moon", "sea"]}})
PEOPLE = [("annotators", tab) for tab in TABS["annotators"][:4]]


def at(page: str, tab: str, corpus: kp.Corpus | None = None, **link: str) -> Any:
    return opened(page, corpus, **({f"{page}_tab": tab} if tab else {}), **link)


@cache
def loaded(**systems: str) -> kp.Corpus:
    """Load the lectures with some of their systems under other names."""
    files = {name: next((LECTURES / "systems").glob(f"{stem}.*")) for name, stem in systems.items()}
    return kp.load(gold=LECTURES / "gold.csv", systems=files or None, documents=LECTURES / "documents.jsonl")


@cache
def people() -> kp.Corpus:
    return kp.load(gold=LECTURES / "gold.csv")


def test_an_open_tab_computes_nothing_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("near_misses", "sensitivity", "stability", "soft_evaluate", "compare"):
        monkeypatch.setattr(kp, name, lambda *_, **__: pytest.fail("a tab that is not open was drawn"))
    assert not at("systems", "Concordance", loaded(one="yake", two="rake")).error


def test_leaderboard_shows_values_of_evaluate(lectures: kp.Corpus) -> None:
    expected = kp.evaluate(lectures, k=9, measures=["F1@k"], baselines=True).frame.set_index("system")
    app = opened("overview", k="9")
    board = dots(app, bounds=True)
    people = kp.answer(lectures, k=9, annotators="others")
    assert plain(f"{people.claim} Both are scored against the others") in words(app)
    assert set(board) == set(expected.index) - {"oracle k"}
    for name, result in board.items():
        row = expected.loc[name, ["value", "low", "high"]].tolist()
        assert result == pytest.approx(row if row[1] == row[1] else row[:1] * 3)
    assert list(board)[-1] == "says nothing"
    rows = [item for item in html(app) if item.startswith('<div class="kp-row')]
    assert {re.findall(r"--more:(.)", row)[0] for row in rows} == {"3"}  # P, R and kappa, also beside baselines


def test_moving_k_changes_numbers_and_link(lectures: kp.Corpus) -> None:
    app = opened("overview", loaded(yake="yake", rake="rake"))
    assert "F1@6" in words(app)
    app.slider(key="k").set_value(15).run()
    expected = kp.evaluate(lectures, k=15, measures=["F1@k"], interval="none").frame.set_index("system")
    assert dots(app)["rake"] == pytest.approx(expected.loc["rake", "value"])
    assert "|k:15|" in signature_of(app)
    assert app.query_params["k"] == "15"
    app.pills(key="k by size").set_value("gold").run()
    assert "|k:gold|" in signature_of(app)
    app.number_input(key="k typed").set_value(7).run()
    assert app.query_params["k"] == "7"


def with_rules(app: Any) -> Any:
    app.session_state["conventions"] = True
    return app.run()


def test_changed_conventions_come_first_and_can_be_reset() -> None:
    app = with_rules(opened("overview", loaded(yake="yake", rake="rake")))
    asked = app.selectbox(key="duplicates")
    assert asked.value == "before"
    assert "(preset:" not in asked.label
    asked.set_value("keep").run()
    app = with_rules(app)
    changed = [box for box in app.selectbox if "(preset:" in box.label]
    assert [item.key for item in changed] == ["duplicates"]
    assert [box.key for box in app.selectbox].index("duplicates") == 1 + [box.key for box in app.selectbox].index(
        "preset"
    )
    assert app.button(key="conventions_back").label == "Undo 1 change"
    assert app.query_params["duplicates"] == "keep"
    app.button(key="conventions_back").click().run()
    assert app.session_state["chosen"].get("duplicates") is None
    assert "|dup:before|" in signature_of(app)
    assert "conventions_back" not in [item.key for item in app.button]


def test_reported_number_gives_settings_applied_by_click(lectures: kp.Corpus) -> None:
    app = at("systems", "Stability", k="5", stability=VIEWS[1], printed=".229")
    expected = kp.sensitivity(lectures, measure="F1@k", k=5).match_reported(".229")
    assert plain(f"{expected.fitting} of {expected.candidates} settings print F1@5 = .229.") in words(app)
    assert all(plain(question) in words(app) for question in expected.questions)
    app.button(key="use 0").click().run()
    first = kp.settings_from(expected.frame["signature"].iloc[0])
    assert kp.settings_from(signature_of(app)).differences(first) == {}
    several = at("systems", "Stability", k="5", stability=VIEWS[1], printed="yake:P@5=.37, yake:F1@5=.9")
    assert plain("None of 255 settings prints yake:P@5 = .37 and yake:F1@5 = .9") in words(several)
    refused = at("systems", "Stability", k="5", stability=VIEWS[1], printed="nothing")
    assert "is not a printed number" in words(refused)


def test_hiding_and_renaming_systems_updates_sentences() -> None:
    gold = {f"d{n}": ["tide", f"sea {n}"] for n in range(4)}
    lists = {"tfidf": ["tide", "x"], "rake": ["y", "tide"], "textrank": ["z"]}
    corpus = corpus_of(gold, {"yake": gold} | {name: dict.fromkeys(gold, part) for name, part in lists.items()})
    app = opened("overview", corpus, k="2", hidden="textrank,nobody", names="yake=mine")
    assert "Hidden, and not included in any test: textrank." in words(app)
    assert set(dots(app)) == {"mine", "tfidf", "rake", "random k", "says nothing"}
    app.session_state["name mine"] = True  # its name is pressed
    app.run().text_input(key="new name mine").set_value("ours").run()
    app.session_state["name ours"] = True
    app.run().button(key="hide ours").click().run()
    assert app.query_params["hidden"] == "textrank,yake"
    assert app.query_params["names"] == "yake=ours"
    everyone = opened("overview", corpus, k="2", hidden="textrank,yake,tfidf,rake")
    assert "Hidden" not in words(everyone)
    assert {"textrank", "yake", "tfidf", "rake"} <= set(dots(everyone))
    alike = opened("overview", corpus, k="2", hidden="textrank", names="tfidf=yake")
    assert "Hidden, and not included in any test: textrank." in words(alike)
    assert {"yake", "tfidf"} <= set(dots(alike))


def test_comparison_by_concept_needs_identifiers_on_both_sides() -> None:
    app = with_rules(opened("overview"))
    assert "by_concept" not in [item.key for item in app.selectbox]
    rows = {"doc_id": ["d"], "phrase": ["tide"], "uri": ["u1"]}
    corpus = kp.load(gold=pd.DataFrame(rows), systems={"s": pd.DataFrame(rows | {"phrase": ["tidal wave"]})})
    app = opened("overview", corpus, k="1")
    assert "by which phrases can be compared" in words(app)
    app = chosen(with_rules(app), "by_concept", "yes")
    assert "compared by their identifiers" in words(app)


def test_link_opens_document_excluded_by_filter() -> None:
    app = opened("documents", document="lecture-03", document_search="lecture-05")
    assert "The link names lecture-03, which is not in the list" in words(app)
    assert app.query_params["document"] == "lecture-03"
    app = opened("documents", document="lecture-05", document_search="lecture-05")
    assert "The link names" not in words(app)


def test_copied_link_restores_page_in_new_session() -> None:
    corpus = loaded(yake="yake", rake="rake")
    app = chosen(chosen(opened("overview", corpus), "measure", "nDCG@k"), "annotators", "majority")
    app.slider(key="k").set_value(7).run()
    app.session_state["share"] = True
    (link,) = (one.value for one in app.run().code if "?" in one.value)
    other = opened("overview", corpus, **dict(parse_qsl(link.partition("?")[2])))
    assert signature_of(other) == signature_of(app)
    assert "|k:7|N:ngrams:3|annot:majority|" in signature_of(app)
    assert dots(other, bounds=True) == dots(app, bounds=True)


def test_measure_without_values_shows_text_instead_of_chart() -> None:
    app = at("overview", "", measure="bpref")
    assert not app.get("plotly_chart")
    assert "yake undefined" in "".join(html(app))
    assert "judged nonrelevant" in words(app)


@pytest.mark.parametrize(("page", "tab"), SYSTEMS)
def test_one_system_is_enough_to_look_at(page: str, tab: str) -> None:
    app = at(page, tab, loaded(yake="yake"))
    assert not app.error
    said = {"": "load a second system to compare", "Measures": "One system is loaded", "Stability": "One system is"}
    assert said.get(tab, "") in words(app)


def test_page_without_systems_links_to_data_and_annotators() -> None:
    app = opened("systems", loaded())
    assert "No system output is loaded yet" in words(app)
    links = [item.proto.page for item in app.main.get("page_link")]
    assert links == ["data", "annotators", "data"]


@pytest.mark.parametrize(("page", "tab"), [*SYSTEMS[:3], PEOPLE[0]])
def test_too_small_universe_is_reported(page: str, tab: str) -> None:
    app = at(page, tab, universe="number", N="3")
    assert ["universe with at least as many phrases" in error.value for error in app.error] == [True]


def test_page_shows_coefficients_of_agreement(lectures: kp.Corpus) -> None:
    result, annotators = kp.agreement(lectures), opened("annotators")
    table = next(item for item in tables(annotators) if "K" in item.get("measure", pd.Series()).tolist())
    table = table.set_index("measure")
    rows = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")].set_index("measure")
    assert table["value"].to_dict() == rows["value"].to_dict()
    assert {"alpha-Jaccard", "alpha-MASI"} <= set(table.index)
    said = answers.people(lectures, kp.Settings())
    assert {plain(said.claim), plain(" ".join((*said.caveats, *said.details)))} <= set(words(annotators).split("\n"))
    assert table["95% interval"]["K"] == screen_tables.interval(rows["low"]["K"], rows["high"]["K"])


def test_k_is_not_interpreted_under_universe_rankings() -> None:
    app = opened("annotators", universe="rankings")
    assert "K is not interpreted here" in words(app)
    needs_n = {"K", "K without", "kappa", "PABAK", "P_neg", "AC1", "alpha", "N"}
    for tab in ("Together and in pairs", "Human ceiling", "Documents"):
        every = tables(at("annotators", tab, universe="rankings"))
        said = {name for table in every for name in [*table.columns, *table.get("measure", [])]}
        assert "P_pos" in said
        assert not said & needs_n
        assert ({"alpha-Jaccard", "alpha-MASI"} <= said) == (tab == "Together and in pairs")  # which need no N


def test_single_annotator_has_no_agreement() -> None:
    corpus = corpus_of({"d1": ["x"], "d2": ["y"]}, {"s": {"d1": ["x"], "d2": ["z"]}})
    assert "one annotator" in words(opened("annotators", corpus))
    assert "people" not in [toggle.key for toggle in opened("overview", corpus).toggle]


@pytest.mark.parametrize(("page", "tab"), [*PEOPLE, ("documents", ""), ("report", "")])
def test_gold_without_systems_is_enough(page: str, tab: str) -> None:
    app = at(page, tab, people())
    assert not app.error
    if page == "documents":
        assert kp.agreement(people()).documents == len(shown(app, "P_pos"))
        assert shown(app, "P_pos")["P_pos"].is_monotonic_increasing
    apart = at(page, tab, DISJOINT)
    assert not apart.error
    if page == "annotators":
        assert "annotators is undefined: fewer than two annotators saw the document" in words(apart)
        assert [frame for frame in tables(apart) if "pair" in frame.columns] == []


def test_report_offers_files_of_chosen_sections(offered: dict[str, tuple[str, Any]]) -> None:
    app = at("report", "Report", loaded(yake="yake", rake="rake"))
    assert [name for key, (name, _) in offered.items() if key.startswith("report")] == [name for _, name, _ in FILES]
    assert "All measures" in offered["report markdown"][1]()
    app.checkbox(key="section measures").set_value(False).run()
    assert "All measures" not in offered["report markdown"][1]()
    for box in app.checkbox:
        box.set_value(False)
    app.run()
    assert app.info[0].value == "Choose at least one section."


def test_the_sample_has_a_banner_with_an_upload_and_one_verdict_whose_statistics_are_under_why() -> None:
    app = opened("overview")
    banner = "Sample data: 4 extractors on 20 lectures, 3 annotators. **Drop your own files**"
    assert words(app).count(banner) == words(app).count("KPScope scores keyphrase extraction") == 1
    assert app.file_uploader(key="beside_0")
    assert [item.proto.label for item in app.get("page_link")][:2] == ["Compare people", "Learn"]
    assert len(app.title) == 1
    assert [item.label for item in app.expander] == ["Why"]
    assert "p = " in app.expander[0].caption[0].value
    assert "p = " not in app.title[0].value


def test_a_workbook_has_its_signature_once() -> None:
    formats = opened("overview").session_state["page record"].offered["Table: F1@6 by system"].formats
    book = openpyxl.load_workbook(io.BytesIO(formats["XLSX"]("kps|k:6|")))
    assert book.sheetnames == ["F1@6 by system", "signature"]
    cells = [cell.value for sheet in book for row in sheet.iter_rows() for cell in row]
    assert cells.count("kps|k:6|") == 1
    assert {"low", "high"} <= {cell.value for cell in book["F1@6 by system"][1]}
