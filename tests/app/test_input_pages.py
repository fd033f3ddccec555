"""Data, Documents and Methods: what a user decides about files, and how lists are arranged and searched."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from kp_core.reading import Limits, Source
from kp_core.reading.shared import packed
from kp_core.takeaway import methods
from kp_ui import shell, show, workspace
from tests.app.opening import chosen, dots, drop, opened, recipe, shown, words
from tests.cases import ROOT
from tests.format_samples import workbook

pytestmark = pytest.mark.app
GOLD = Source("gold.csv", b"doc_id,keyphrase\nd1,hash table\nd1,collision\nd2,tide\nd3,moon\n")
MINE = Source("run.mine", b"doc_id,rank,keyphrase\nd1,1,Hash Tables\nd1,2,bucket\nd2,1,tide\nd3,1,sun\n")
YOURS = Source("run.yours", b"doc_id,rank,keyphrase\nd1,1,bucket\nd2,1,sea\nd3,1,moon\n")


def press(app: Any, words: str) -> None:
    """Press the first button whose label holds some words."""
    next(button for button in app.button if words in button.label).click()
    app.run()
    assert not app.exception


def zipped(**members: bytes) -> bytes:
    return packed("", [(name.replace("__", "."), data) for name, data in members.items()]).data


def test_files_of_the_drop_zone_stay_on_every_page() -> None:
    app = opened("data")
    drop(app, GOLD, MINE)
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine"]
    said = [text.value for text in app.text]
    assert {"gold.csv\ngold standard: 4 phrases", "run.mine\nsystem output: 4 phrases"} <= set(said)
    assert "documents in “doc_id”, keyphrases in “keyphrase”" in words(app)
    for page in ("overview", "documents", "learn", "data"):
        app.switch_page(f"../pages/{page}.py").run()
        assert "**Your 2 files**" in words(app)
    assert app.file_uploader(key="drop_1")  # a new, empty zone
    drop(app, YOURS)
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine", "run.yours"]


def test_files_over_the_limit_of_a_session_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "LIMITS", Limits(session_bytes=100))
    app = opened("data")
    drop(app, GOLD, MINE)
    assert "expected at most 100 bytes, found all files of" in words(app)
    assert app.session_state["uploads"].files == ()
    assert "yake" in shown(app, "phrases")["source"].tolist()  # the sample stays


def test_systems_are_renamed_and_the_names_stay_on_other_pages() -> None:
    app = opened("data", files=[GOLD, MINE, YOURS])
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine", "run.yours"]
    press(app, "Shorten to mine, yours")
    assert shown(app, "phrases")["source"].tolist() == ["gold", "mine", "yours"]
    app.text_input(key="name mine").input("my best").run()
    app.switch_page("../pages/overview.py").run()
    # average gold size 4/3, so k = 1: hash table and tide against moon
    assert {name: dots(app)[name] for name in ("my best", "yours")} == pytest.approx({"my best": 5 / 9, "yours": 1 / 3})


def test_two_systems_of_one_name_are_refused_in_words() -> None:
    app = opened("data", files=[GOLD, MINE, YOURS])
    app.text_input(key="name run.mine").input("run.yours").run()
    assert "two systems would be called 'run.yours'" in words(app)
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine", "run.yours"]


def test_columns_are_given_their_parts_beside_what_comes_of_them_and_used_at_a_click() -> None:
    app = opened("data", files=[Source("liste.csv", b"Lfd;Wort\n1;Haus\n1;Baum\n2;Katze\n")])
    assert "One question before these files can be read" in words(app)
    assert "yake" in shown(app, "phrases")["source"].tolist()  # the sample stays
    app.selectbox(key="part liste.csv 1 Lfd").set_value("doc_id").run()
    app.selectbox(key="part liste.csv 2 Wort").set_value("phrase").run()
    tables = [table.value for table in app.dataframe if "as it would be read" in table.value]
    assert tables[-1].to_numpy().tolist() == [["1", "gold", "Haus; Baum"], ["2", "gold", "Katze"]]
    assert "yake" in shown(app, "phrases")["source"].tolist()  # nothing is loaded yet
    press(app, "Use this reading")
    assert not app.error
    found = shown(app, "phrases").set_index("source")
    assert found.loc["gold", ["documents", "phrases"]].tolist() == [2, 3]
    assert "There is no system output" in words(app)
    app.selectbox(key="role liste.csv").set_value("system").run()
    assert "no gold standard" in words(app)
    press(app, "Read it by itself again")
    assert "One question before these files can be read" in words(app)


def test_a_weak_reading_is_a_question_with_what_each_answer_would_give() -> None:
    app = opened("data", files=[Source("a.csv", b"Doc,Anna,Ben\nd1,tide,sea\nd2,moon,moon\n")])
    assert "One question before these files can be read" in words(app)
    assert shown(app, "as it would be read")["whose"].tolist() == ["Anna", "Ben", "Anna", "Ben"]
    app.button(key="answer 0").click().run()
    assert shown(app, "phrases")["source"].tolist() == ["Anna", "Ben"]


def test_sides_that_do_not_meet_are_said_with_the_fix_that_helps() -> None:
    gold = Source("gold.csv", b"doc_id,phrase\nP001,tide\nP002,sea\n")
    mine = Source("mine.csv", b"doc_id,rank,phrase\npaper-1.pdf,1,tide\npaper-2.pdf,1,sun\n")
    app = opened("data", files=[gold, mine])
    assert "mine: lists for 0 of 2 documents" in app.error[0].value
    assert not app.success
    press(app, "keep the number alone")
    assert not app.error
    assert app.success


def test_a_list_that_is_there_twice_can_be_merged_at_once() -> None:
    twice = Source("mine.tsv", b"d1\thash table;bucket\nd1\tcollision;tree\nd2\ttide;sea\n")
    app = opened("data", files=[GOLD, twice])
    assert "again" in app.error[0].value
    app.button(key="fix merge").click().run()
    assert not app.error
    assert shown(app, "phrases").set_index("source").loc["mine", "phrases"] == 6
    app.button(key="undo merge").click().run()
    assert "again" in app.error[0].value


def test_a_fix_is_offered_listed_and_undone() -> None:
    ending = Source("mine.csv", MINE.data.replace(b"d1", b"d1.txt").replace(b"d2", b"D2.txt").replace(b"d3", b"d3.txt"))
    app = opened("data", files=[GOLD, ending])
    offer = app.button(key="fix strip-extension")
    assert offer.label == "Strip the extension: 2 of 3 ids of gold and systems match"
    offer.click().run()
    assert "strip-extension: strip the extension" in words(app)
    assert "Documents: 3 in the gold standard, 3 in system outputs, 2 in all of these, 4 altogether" in words(app)
    app.button(key="fix casefold-ids").click().run()
    assert app.session_state["workspace"].corpus.report.fixes == ("strip-extension", "casefold-ids")
    assert "Documents: 3 in the gold standard, 3 in system outputs, 3 in all of these, 3 altogether" in words(app)
    app.button(key="undo strip-extension").click().run()
    assert app.session_state["workspace"].corpus.report.fixes == ("casefold-ids",)
    app.button(key="undo casefold-ids").click().run()
    assert "Fixes that hold" not in words(app)


def test_missing_lists_lead_to_the_convention() -> None:
    app = opened("data", files=[GOLD, Source("mine.csv", b"doc_id,rank,keyphrase\nd1,1,collision\n")])
    listed = shown(app, "no list")
    assert listed.to_numpy().tolist() == [["mine", 2, 3, "d2, d3"]]
    assert "now count as if the system had returned nothing" in words(app)
    app.button(key="missing_skip").click().run()
    assert app.query_params["missing"] == "skip"
    assert "now left out for the system that lacks them" in words(app)
    app.switch_page("../pages/overview.py").run()
    assert "|miss:skip|" in recipe(app)


def test_a_role_holds_for_everything_in_an_archive() -> None:
    lists = zipped(a__tsv=b"d1\ttide;sea\nd2\tmoon;sun\n")
    app = opened("data", files=[GOLD, Source("lists.zip", lists)])
    app.selectbox(key="role lists.zip").set_value("gold").run()
    assert not app.exception
    assert shown(app, "phrases")["role"].unique().tolist() == ["gold standard"]
    app.selectbox(key="role lists.zip").set_value("system").run()
    assert shown(app, "phrases")["role"].tolist() == ["gold standard", "system output"]


def test_removing_files_one_by_one_leads_back_to_the_sample() -> None:
    app = opened("data", files=[GOLD, MINE])
    app.button(key="remove run.mine").click().run()
    assert shown(app, "phrases")["source"].tolist() == ["gold"]
    app.button(key="remove gold.csv").click().run()
    assert "yake" in shown(app, "phrases")["source"].tolist()
    assert "**Sample data**, made for demonstration" in words(app)


@pytest.mark.parametrize("page", shell.PAGES)
@pytest.mark.parametrize("files", [(MINE,), (GOLD,), (Source("d.jsonl", b'{"id": "d1", "text": "Tides rise."}\n'),)])
def test_every_page_opens_when_a_side_is_missing(page: str, files: tuple[Source, ...]) -> None:
    app = opened(page, files=files)
    if page == "data" and files != (GOLD,):
        assert "no gold standard" in words(app)


def listed_in(offered: dict[str, tuple[str, Any]]) -> pd.DataFrame:
    """Return the whole table of documents; on screen it has two columns."""
    return pd.read_csv(io.StringIO(offered["csv documents"][1]()))


def test_documents_are_sorted_filtered_and_searched(lectures: kp.Corpus, offered: dict[str, tuple[str, Any]]) -> None:
    values = kp.by_document(lectures, kp.Settings(k=(6,)), "F1@k")
    values = values.pivot_table(index="document", columns="system", values="value")
    app = chosen(chosen(opened("documents"), "system", "yake"), "other", "rake")
    difference = values["yake"] - values["rake"]
    assert shown(app, "difference")["difference"].tolist() == pytest.approx(sorted(difference, reverse=True))
    app = chosen(app, "sort", "value")
    assert listed_in(offered)["yake"].tolist() == pytest.approx(sorted(values["yake"], reverse=True))
    app = chosen(app, "sort", "as loaded")
    assert shown(app, "difference")["document"].tolist() == list(values.index)
    app = chosen(app, "where", "the second is better")
    assert shown(app, "difference")["document"].tolist() == list(values.index[difference < -1e-12])
    app = chosen(chosen(app, "where", "all"), "document_type", "lab note")
    assert listed_in(offered)["type"].unique().tolist() == ["lab note"]
    app = chosen(app, "document_type", "all")
    app.text_input(key="document_search").input("HASH").run()
    assert listed_in(offered)["title"].tolist() == ["Hash tables"]
    assert app.header[0].value == "Hash tables"
    app.text_input(key="document_search").input("no such document").run()
    assert "No document fits" in words(app)


def test_systems_may_be_called_like_the_columns(offered: dict[str, tuple[str, Any]]) -> None:
    files = (Source(f"{name}.csv", MINE.data) for name in ("difference", "title", "document"))
    opened("documents", files=[GOLD, *files], sort="value")
    columns = {"system difference", "system title", "system document", "difference"}
    assert columns <= set(listed_in(offered).columns)


def test_methods_are_found_by_family_and_word() -> None:
    app = chosen(opened("learn", learn_tab="Methods"), "family", "concordance")
    assert len(app.latex) == sum(one.family == "concordance" for one in kp.MEASURES.values())
    app.text_input(key="method_search").input("zzz").run()
    assert len(app.latex) == 0
    assert "Nothing matches" in words(app)
    app.text_input(key="method_search").input("Boudin").run()
    # by their source, or held on his data
    found = {"kex", "ijcnlp13", "jcdl20", "pke", "chan", "kpeval", "opennmt-kpg", "trec"}
    assert set(shown(app, "preset")["preset"]) == found


def test_how_an_archive_is_read_can_be_switched() -> None:
    members = {f"art-{n}-Countskey": f"boat race\t{n}\nriver\t3\n".encode() for n in (1, 2)}
    app = opened("data", files=[Source("votes.zip", zipped(**members))])
    app.session_state["ways votes.zip"] = True
    app.run()
    assert shown(app, "relevance")["doc_id"].tolist() == ["art-1-Countskey", "art-1-Countskey", "art-2-Countskey"]
    press(app, "removed")
    app.session_state["ways votes.zip"] = True
    app.run()
    assert shown(app, "relevance")["doc_id"].tolist() == ["art-1", "art-1", "art-2"]
    assert "2 files, such as art-1-Countskey: one file a document" in words(app).replace("\\", "")


def test_votes_have_a_smallest_grade_that_counts() -> None:
    votes = Source("gold.csv", b"doc_id,keyphrase,votes\nd1,tide,5\nd1,sea,1\n")
    app = opened("data", files=[votes, Source("run.mine", b"doc_id,rank,keyphrase\nd1,1,sea\nd1,2,tide\n")])
    assert app.number_input(key="rel sidebar").value == 1
    app.number_input(key="rel sidebar").set_value(2.0).run()
    app.switch_page("../pages/systems.py").run()
    assert not app.exception
    assert "|rel:2|" in recipe(app)
    assert not any(box.key == "rel sidebar" for box in opened("data", files=[GOLD, MINE]).number_input)


def test_another_sheet_of_a_workbook_is_one_choice_away() -> None:
    rows = [["doc_id", "keyphrase"], ["d1", "tide"]]
    sheets = {name: [*rows, ["d2", name]] for name in ("spring", "summer", "autumn", "winter", "all")}
    app = opened("data", files=[workbook(sheets, "gold.xlsx")])
    app.session_state["ways gold.xlsx"] = True
    app.run()
    assert shown(app, "as it would be read")["whose"].tolist()[:2] == ["spring", "summer"]
    app.multiselect(key="sheets gold.xlsx").set_value(["autumn"]).run()
    assert shown(app, "as it would be read")["as it would be read"].tolist() == ["tide", "autumn"]
    press(app, "Use this reading")
    assert shown(app, "phrases")["source"].tolist() == ["gold"]


BAD = {"k": "banana", "measure": "nothing", "universe": "selected", "document": "?", "system": "nobody", "what": "?"}
BAD |= {f"{page}_tab": "nothing" for page in shell.PAGES}


@pytest.mark.parametrize("page", shell.PAGES)
def test_every_page_opens_also_with_a_bad_link(page: str) -> None:
    app = opened(page, **BAD)
    assert app.title[0].value == page.capitalize()
    assert not app.error


def test_the_load_report_counts_the_sample() -> None:
    found = shown(opened("data"), "phrases").set_index("source")["phrases"]
    assert found[["A", "B", "C", "yake"]].tolist() == [134, 106, 119, 1000]


def test_an_upload_replaces_the_sample_and_one_click_brings_it_back() -> None:
    app = opened("data", files=[GOLD, MINE])
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine"]
    app.button(key="back_to_sample").click().run()
    assert "yake" in shown(app, "phrases")["source"].tolist()
    app.button(key="back_to_files").click().run()
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine"]


def test_the_broken_sample_loads_all_rows_but_one_and_shows_it() -> None:
    paths = (ROOT / "sample_data" / name for name in ("lectures/gold.csv", "broken/predictions.jsonl"))
    rejected = shown(opened("data", files=[Source(path.name, path.read_bytes()) for path in paths]), "reason")
    assert rejected[["file", "line"]].to_numpy().tolist() == [["predictions.jsonl", "12"]]


def test_phrases_before_and_after_normalisation() -> None:
    found = shown(opened("data", data_tab="What becomes of the phrases"), "compared as").set_index("phrase")[
        "compared as"
    ]
    assert found["inverted index"] == "invert index"


def test_one_document_marks_hits_and_repeats() -> None:
    gold = {"d1": ["hash table", "collision"]}
    lists = {"d1": ["Hash Tables", "hash table", "bucket", "collisions"]}
    files = [Source("gold.json", json.dumps(gold).encode()), Source("mine.json", json.dumps(lists).encode())]
    corpus = kp.load(gold=[files[0]], systems={"mine": files[1]})
    app = opened("documents", corpus, k="2")
    ranked = shown(app, "phrase")
    assert ranked[""].tolist() == ["✓", "↺", "·", "✓"]
    assert ranked["keyphrase"].tolist() == ["hash table", "", "", "collision"]
    assert shown(app, "found by")["found by"].tolist() == ["mine", "nobody"]  # collision is third of those that count


def test_published_rows_on_the_page(shared: Callable[[str], Path], offered: dict[str, tuple[str, Any]]) -> None:
    """Every published row of the five rankings, as the Documents page shows them under the preset of that paper."""
    data = shared("data/semeval2010/system_outputs_ijcnlp13")
    expected = pd.read_csv(shared("oracles/real/semeval2010_prf10_by_document.csv"))
    names = ("degree", "closeness", "betweenness", "eigenvector", "textrank")
    systems = {name: data / "output/semeval" / f"candidats.{name}" for name in names}
    corpus = kp.load(gold=data / "data/references/semeval.ref", systems=systems)
    app = opened("documents", corpus, k="10", preset="ijcnlp13", gold_stemmed="yes")
    for measure, column in (("P@k", "P10"), ("R@k", "R10"), ("F1@k", "F10")):
        chosen(app, "measure sidebar", measure)
        listed = listed_in(offered).set_index("document")
        for name in names:
            rows = expected[expected["system"] == name].set_index("doc_id")[column]
            assert len(rows) == 100
            assert listed[name].to_dict() == pytest.approx(rows.to_dict(), abs=1e-9)


def test_methods_show_every_measure_with_its_example_and_the_search_narrows_them() -> None:
    app = opened("learn", learn_tab="Methods", family="all")
    entries = [*kp.MEASURES.values(), *kp.SIMILARITIES.values(), *kp.SYSTEMS.values()]
    assert {show.plain(one.sentence) for one in entries} <= {one.value for one in app.markdown}
    assert len(app.latex) == len(entries)
    examples = [one.example for one in [*kp.MEASURES.values(), *kp.SIMILARITIES.values()] if one.example]
    assert {show.plain(f"In the example: {words}") for words in examples} <= {one.value for one in app.markdown}
    (formula,) = opened("learn", learn_tab="Methods", method_search="gwet").latex
    assert r"\mathrm{AC1} = \frac{P_o-P_e}{1-P_e}" in formula.value


def test_a_term_of_the_glossary_is_found_and_has_a_link() -> None:
    app = opened("learn", learn_tab="Methods", method_search="universe N")
    assert [one.value for one in app.header] == ["Glossary"]
    assert "**universe N**: The number of phrases that could have been chosen" in words(app)
    alone = opened("learn", learn_tab="Glossary")
    assert max(one.value.count("**: ") for one in alone.markdown) == len(methods.TERMS)
