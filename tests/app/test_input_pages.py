"""Data, Documents and Methods: what a user decides about files, and how lists are arranged and searched."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from kp_core.reading import Limits, Source
from kp_core.reading.open.source import packed
from kp_core.takeaway import methods
from kp_ui import shell
from kp_ui.state import workspace
from kp_ui.widgets import show
from tests.app.opening import chosen, dots, drop, html, opened, page_of, receipt, recipe, shown, tab, words
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


def test_files_of_the_drop_zone_have_a_receipt_and_stay_on_every_page() -> None:
    app = opened("data")
    drop(app, GOLD, MINE)
    assert receipt(app) == {
        "gold.csv": "gold standard · 3 of 3 documents · 4 phrases",
        "run.mine": "system run.mine · 3 of 3 documents · 4 phrases",
    }
    assert "2 files, all understood." in words(app)
    for page in ("overview", "documents", "learn", "data"):
        app.switch_page(f"../pages/{page}.py").run()
        assert "Your 2 files: " in words(app)
    assert app.file_uploader(key="drop_1")  # a new, empty zone
    drop(app, YOURS)
    assert list(receipt(app)) == ["gold.csv", "run.mine", "run.yours"]
    tab(app, "Details")
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine", "run.yours"]
    assert "documents in “doc_id”, keyphrases in “keyphrase”" in shown(app, "evidence")["evidence"][0]


def test_the_button_on_the_page_leads_to_what_the_files_can_answer() -> None:
    people = Source("people.csv", b"doc_id,annotator,keyphrase\nd1,ana,tide\nd1,ben,sea\n")
    assert opened("data", files=[people]).button(key="on to annotators").label == "See how far the indexers agree"
    app = opened("data", files=[GOLD, MINE])
    assert app.button(key="on to overview").label == "See what the system reaches"
    app.button(key="on to overview").click().run()
    assert page_of(app) == "overview"


def test_files_over_the_limit_of_a_session_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "LIMITS", Limits(session_bytes=100))
    app = opened("data")
    drop(app, GOLD, MINE)
    assert "expected at most 100 bytes, found all files of" in words(app)
    assert app.session_state["uploads"].files == ()
    assert app.session_state["workspace"].sample == "lectures"


def test_systems_that_are_renamed_keep_their_names_on_every_page() -> None:
    app = opened("overview", files=[GOLD, MINE, YOURS], names="run.mine:my best,run.yours:yours")
    # average gold size 4/3, so k = 1: hash table and tide against moon
    assert {name: dots(app)[name] for name in ("my best", "yours")} == pytest.approx({"my best": 5 / 9, "yours": 1 / 3})
    app.switch_page("../pages/systems.py").run()
    assert "my best" in words(app)
    assert "run.mine" not in words(app)


def means(app: Any, file: str, head: str, meaning: str) -> None:
    """Say in the form of a file what a column means."""
    next(box for box in app.selectbox if box.key.startswith(f"means {file} {head} ")).set_value(meaning).run()
    assert not app.exception


def test_a_file_is_read_as_its_form_says_and_its_form_follows_every_choice() -> None:
    app = opened("data", files=[Source("liste.csv", b"Lfd;Wort\n1;Haus\n1;Baum\n2;Katze\n")])
    assert "One file needs an answer" in words(app)
    assert shown(app, "keyphrases").to_numpy().tolist() == [["1", "gold", "Haus; Baum"], ["2", "gold", "Katze"]]
    assert [box.value for box in app.selectbox if box.key.startswith("means liste.csv")] == ["document", "keyphrases"]
    means(app, "liste.csv", "Wort", "document")
    means(app, "liste.csv", "Lfd", "keyphrases")
    assert shown(app, "keyphrases").to_numpy().tolist()[0] == ["Haus", "gold", "1"]
    assert "--as liste.csv:role=gold,document=Wort,keyphrases=Lfd,split=none" in [one.value for one in app.code]
    means(app, "liste.csv", "Lfd", "document")
    means(app, "liste.csv", "Wort", "keyphrases")
    assert len(app.session_state["workspace"].corpus.documents) == 0  # nothing is loaded yet, and no sample is shown
    press(app, "Use this")
    assert not app.error
    assert receipt(app) == {"liste.csv": "gold standard · 2 of 2 documents · 3 phrases"}
    assert "There is no system output" in words(app)
    app.button(key="change liste.csv").click().run()
    app.button_group(key="role liste.csv").set_value("system").run()
    press(app, "Use this")
    assert receipt(app) == {"liste.csv": "system liste · 2 of 2 documents · 3 phrases"}
    assert "no gold standard" in words(app)
    app.button(key="change liste.csv").click().run()
    press(app, "Let KPScope find it")
    assert "One file needs an answer" in words(app)


def test_a_column_of_a_file_that_was_understood_is_changed_in_its_form() -> None:
    app = opened("data", files=[Source("gold.csv", b"doc_id,keyphrase,topic\nd1,tide,sea\nd2,moon,sun\n")])
    app.button(key="change gold.csv").click().run()
    means(app, "gold.csv", "keyphrase", "")
    assert "expected a column of keyphrases" in words(app)  # the error stands in the form
    means(app, "gold.csv", "topic", "keyphrases")
    assert shown(app, "keyphrases")["keyphrases"].tolist() == ["sea", "sun"]
    press(app, "Use this")
    assert app.session_state["workspace"].corpus.gold["phrase"].tolist() == ["sea", "sun"]
    assert not any(box.key.startswith("means ") for box in app.selectbox)  # the form closes


def test_what_scores_mean_is_changed_in_the_form() -> None:
    scored = Source("mine.csv", b"doc_id,keyphrase,score\nd1,tide,3\nd1,sea,1\nd2,moon,2\n")
    app = opened("data", files=[GOLD, scored])
    assert receipt(app)["mine.csv"] == "system mine · 2 of 3 documents · 3 phrases · higher score is better"
    app.button(key="change mine.csv").click().run()
    app.selectbox(key="better mine.csv").set_value("no").run()
    press(app, "Use this")
    assert receipt(app)["mine.csv"] == "system mine · 2 of 3 documents · 3 phrases · lower score is better"
    assert app.session_state["workspace"].corpus.runs["phrase"].tolist() == ["sea", "tide", "moon"]


WIDE = Source("a.csv", b"Doc,Anna,Ben\nd1,tide,sea\nd2,moon,moon\n")


def test_several_columns_are_people_systems_or_one_list() -> None:
    app = opened("data", files=[WIDE])
    assert shown(app, "keyphrases")["whose"].tolist() == ["Anna", "Ben", "Anna", "Ben"]
    app.selectbox(key="each column a.csv").set_value("").run()
    assert shown(app, "keyphrases").to_numpy().tolist() == [["d1", "gold", "tide; sea"], ["d2", "gold", "moon; moon"]]
    app.selectbox(key="each column a.csv").set_value("annotator").run()
    app.button(key="use a.csv").click().run()
    assert receipt(app) == {"a.csv": "gold standard of Anna, Ben · 2 of 2 documents · 4 phrases"}


def test_two_files_that_wait_are_asked_about_together_and_answered_one_by_one() -> None:
    other = Source("b.csv", b"Doc,Cem,Dora\nd1,tide,sea\nd2,sun,moon\n")
    app = opened("data", files=[WIDE, other, GOLD])
    assert "**2 of your files need an answer**" in words(app)
    assert receipt(app) == {"gold.csv": f"{len(GOLD.data)} bytes, not read yet"}
    app.button(key="use b.csv").click().run()
    assert "One file needs an answer" in words(app)
    assert list(receipt(app)) == ["b.csv", "gold.csv"]
    app.button(key="leave a.csv").click().run()
    assert not workspace_words(app)
    assert receipt(app) == {
        "a.csv": "left out, as you said",
        "b.csv": "gold standard of Cem, Dora · 2 of 3 documents · 4 phrases",
        "gold.csv": "gold standard · 3 of 3 documents · 4 phrases",
    }


def test_files_with_the_same_columns_have_one_form() -> None:
    app = opened("data", files=[WIDE, Source("b.csv", WIDE.data.replace(b"d1", b"d3").replace(b"d2", b"d4"))])
    assert "2 of your files need an answer" in words(app)
    assert "The same for files with the same columns: b.csv." in words(app)
    app.button(key="use a.csv").click().run()
    assert list(receipt(app)) == ["a.csv", "b.csv"]
    assert "It is read like a.csv, which has the same columns." in words(app)


def test_a_refused_file_has_its_form_and_forty_columns_are_a_list() -> None:
    heads = ",".join(f"Spalte {number}" for number in range(40))
    rows = "".join(",".join(f"{row}.{number}" for number in range(40)) + "\n" for row in range(3))
    app = opened("data", files=[Source("wide.csv", f"{heads}\n{rows}".encode())])
    assert len([box for box in app.selectbox if box.key.startswith("means wide.csv")]) == 40
    assert "not read" in next(one.label for one in app.expander if "column" in one.label)
    means(app, "wide.csv", "Spalte 0", "document")
    means(app, "wide.csv", "Spalte 7", "keyphrases")
    shown_now = shown(app, "keyphrases").to_numpy().tolist()
    assert shown_now[0][::2] == ["0.0", "0.7"]


def test_the_answers_to_a_form_are_read_in_one_click() -> None:
    rows = ('2024/05/01 10:00,Ana,"tide, sea",moon', '2024/05/02 10:00,Ben,"tide, sun","moon, star"')
    answers = "\n".join(("Timestamp,Name,Text A,Text B", *rows))
    app = opened("data", files=[Source("form.csv", answers.encode())])
    press(app, "Use this")
    corpus = app.session_state["workspace"].corpus
    assert (corpus.annotators, corpus.documents["doc_id"].tolist(), len(corpus.gold)) == (
        ["Ana", "Ben"],
        ["Text A", "Text B"],
        7,
    )


def workspace_words(app: Any) -> list[str]:
    """Return what keeps the files off the screen."""
    return [one.value for one in app.main.markdown if "before these files" in one.value] + [
        one.value for one in app.error
    ]


def test_before_any_files_there_are_three_doors_and_nothing_of_the_sample() -> None:
    app = opened("data")
    assert app.main.subheader[0].value == (
        "KPScope scores keyphrase extraction against what people chose: which system is better, whether the difference "
        "is significant, and which phrases it comes from."
    )
    assert receipt(app) == {}
    assert [one.label for one in app.button if one.key.startswith("door ")] == [
        *("Try it with 4 systems", "Try it with 3 people", "Open the lessons")
    ]
    app.button(key="door annotators").click().run()
    assert page_of(app) == "annotators"
    app.switch_page("../pages/data.py").run()  # now it was asked for
    assert receipt(app)["yake.csv"] == "system yake · 20 of 20 documents · 1,000 phrases"


def test_sides_that_do_not_meet_are_said_with_the_fix_that_helps() -> None:
    gold = Source("gold.csv", b"doc_id,phrase\nP001,tide\nP002,sea\n")
    mine = Source("mine.csv", b"doc_id,rank,phrase\npaper-1.pdf,1,tide\npaper-2.pdf,1,sun\n")
    app = opened("data", files=[gold, mine])
    assert "mine: lists for 0 of 2 documents" in app.error[0].value
    assert not [one for one in app.button if one.key.startswith("on to ")]
    press(app, "keep the number alone")
    assert not app.error
    assert app.button(key="on to overview")


def test_a_list_that_is_there_twice_can_be_merged_at_once() -> None:
    twice = Source("mine.tsv", b"d1\thash table;bucket\nd1\tcollision;tree\nd2\ttide;sea\n")
    app = opened("data", files=[GOLD, twice])
    assert "again" in app.error[0].value
    app.button(key="fix merge").click().run()
    assert not app.error
    assert receipt(app)["mine.tsv"] == "system mine · 2 of 3 documents · 6 phrases"
    app.button(key="undo merge").click().run()
    assert "again" in app.error[0].value


def coverage(app: Any) -> str:
    """Return what the details say of the documents of each side, and go back to the files."""
    said = next(one.value for one in tab(app, "Details").caption if one.value.startswith("Documents: "))
    tab(app, "Files")
    return str(said)


def test_a_fix_is_offered_listed_and_undone() -> None:
    ending = Source("mine.csv", MINE.data.replace(b"d1", b"d1.txt").replace(b"d2", b"D2.txt").replace(b"d3", b"d3.txt"))
    app = opened("data", files=[GOLD, ending])
    press(app, "trip the extension")
    assert "strip-extension: strip the extension" in words(app)
    assert coverage(app) == "Documents: 3 in the gold standard, 3 in system outputs, 2 in all of these, 4 altogether."
    app.button(key="fix casefold-ids").click().run()
    assert app.session_state["workspace"].corpus.report.fixes == ("strip-extension", "casefold-ids")
    assert coverage(app) == "Documents: 3 in the gold standard, 3 in system outputs, 3 in all of these, 3 altogether."
    app.button(key="undo strip-extension").click().run()
    assert app.session_state["workspace"].corpus.report.fixes == ("casefold-ids",)
    app.button(key="undo casefold-ids").click().run()
    assert "Fix that holds" not in words(app)


def test_missing_lists_lead_to_the_convention() -> None:
    app = opened("data", files=[GOLD, Source("mine.csv", b"doc_id,rank,keyphrase\nd1,1,collision\n")])
    said = "mine has no list for 2 of 3 documents. These documents now count as if the system had returned nothing."
    assert said in words(app)
    app.button(key="missing_skip").click().run()
    assert app.query_params["missing"] == "skip"
    assert "now left out for the system that lacks them" in words(app)
    tab(app, "Details")
    assert shown(app, "no list").to_numpy().tolist() == [["mine", 2, 3, "d2, d3"]]
    app.switch_page("../pages/overview.py").run()
    assert "|miss:skip|" in recipe(app)


def test_a_role_holds_for_everything_in_an_archive() -> None:
    lists = zipped(a__tsv=b"d1\ttide;sea\nd2\tmoon;sun\n")
    app = opened("data", files=[GOLD, Source("lists.zip", lists)])
    app.button(key="change lists.zip").click().run()
    app.button_group(key="role lists.zip").set_value("gold").run()
    press(app, "Use this")
    assert receipt(app)["lists.zip"] == "gold standard of a · 2 of 3 documents · 4 phrases"
    app.button(key="change lists.zip").click().run()
    app.button_group(key="role lists.zip").set_value("system").run()
    press(app, "Use this")
    assert receipt(app)["lists.zip"] == "system a · 2 of 3 documents · 4 phrases"


def test_an_archive_is_one_row_with_its_parts_folded() -> None:
    teams = zipped(ana__tsv=b"d1\ttide;sea\n", ben__tsv=b"d1\tmoon\nd2\tsun\n")
    app = opened("data", files=[GOLD, Source("teams.zip", teams)])
    app.button(key="change teams.zip").click().run()
    app.button_group(key="role teams.zip").set_value("system").run()
    press(app, "Use this")
    found = receipt(app)
    assert found["teams.zip"] == "system ana; system ben"
    assert app.button(key="remove teams.zip")
    parts = [one.value.replace("\\", "") for one in app.main.markdown if ".tsv" in one.value]
    assert parts == [
        "**ana.tsv** · system ana · 1 of 3 documents · 2 phrases",
        "**ben.tsv** · system ben · 2 of 3 documents · 2 phrases",
    ]


def test_removing_files_one_by_one_leads_back_to_the_doors() -> None:
    app = opened("data", files=[GOLD, MINE])
    app.button(key="remove run.mine").click().run()
    assert list(receipt(app)) == ["gold.csv"]
    app.button(key="remove gold.csv").click().run()
    assert receipt(app) == {}
    assert app.button(key="door overview")
    assert "4 extractors on 20 lectures, 3 annotators" in words(app)


@pytest.mark.parametrize("page", shell.PAGES)
@pytest.mark.parametrize("files", [(MINE,), (GOLD,), (Source("d.jsonl", b'{"id": "d1", "text": "Tides rise."}\n'),)])
def test_every_page_opens_when_a_side_is_missing(page: str, files: tuple[Source, ...]) -> None:
    app = opened(page, files=files)
    if page == "data" and files != (GOLD,):
        assert "no gold standard" in words(app)


def listed_in(offered: dict[str, tuple[str, Any]]) -> pd.DataFrame:
    """Return the whole table of documents; on screen it has two columns."""
    *_, made = (one for name, (_, one) in offered.items() if name.startswith("csv") and "_by_document_" in name)
    return pd.read_csv(io.StringIO(made()))


def test_documents_are_filtered_and_searched(lectures: kp.Corpus, offered: dict[str, tuple[str, Any]]) -> None:
    values = kp.documents(lectures, kp.Settings(k=(6,)), "F1@k").frame
    values = values.pivot_table(index="document", columns="system", values="value")
    app = chosen(chosen(opened("documents"), "system", "yake"), "other", "rake")
    difference = values["yake"] - values["rake"]
    assert shown(app, "difference")["difference"].tolist() == pytest.approx(sorted(difference, reverse=True))
    app = chosen(app, "where", "second wins")
    fewer = difference[difference < -1e-12].sort_values(ascending=False, kind="stable")
    assert listed_in(offered)["document"].tolist() == list(fewer.index)
    app = chosen(app, "where", "all")
    app.text_input(key="document_search").input("lab note").run()
    assert listed_in(offered)["type"].unique().tolist() == ["lab note"]
    app.text_input(key="document_search").input("HASH tables").run()
    assert "Hash tables" in listed_in(offered)["title"].tolist()
    app.text_input(key="document_search").input("no such document").run()
    assert "No document fits" in words(app)


def test_systems_may_be_called_like_the_columns(offered: dict[str, tuple[str, Any]]) -> None:
    files = (Source(f"{name}.csv", MINE.data) for name in ("difference", "title", "document"))
    opened("documents", files=[GOLD, *files])
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
    members = {f"{folder}/{stem}.key": f"{stem}\n" for folder in ("anna", "ben") for stem in ("t1", "t2")}
    app = opened("data", files=[Source("lists.zip", zipped(**{k: v.encode() for k, v in members.items()}))])
    app.button(key="change lists.zip").click().run()
    assert shown(app, "keyphrases")["whose"].tolist() == ["anna", "ben", "anna", "ben"]
    app.selectbox(key="annotators lists.zip").set_value("files").run()
    assert shown(app, "keyphrases")["whose"].tolist() == ["t1", "t2", "t1", "t2"]
    press(app, "Use this")
    assert app.session_state["workspace"].corpus.documents["doc_id"].tolist() == ["anna", "ben"]


def test_rows_below_columns_of_documents_may_be_annotators() -> None:
    app = opened("data", files=[Source("a.csv", b"d1,d2,d3\ntide,sea,moon\nharbour,quay,sun\n")])
    assert shown(app, "keyphrases")["keyphrases"].tolist() == ["tide; harbour", "sea; quay", "moon; sun"]
    app.selectbox(key="each row a.csv").set_value("annotator").run()
    assert shown(app, "keyphrases")["keyphrases"].tolist()[:2] == ["tide", "harbour"]
    press(app, "Use this")
    assert app.session_state["workspace"].corpus.annotators == ["1", "2"]


def test_votes_have_a_smallest_grade_that_counts() -> None:
    votes = Source("gold.csv", b"doc_id,keyphrase,votes\nd1,tide,5\nd1,sea,1\n")
    app = opened("overview", files=[votes, Source("run.mine", b"doc_id,rank,keyphrase\nd1,1,sea\nd1,2,tide\n")])
    assert app.number_input(key="rel").value == 1
    app.number_input(key="rel").set_value(2.0).run()
    assert not app.exception
    assert "|rel:2|" in recipe(app)
    assert not any(box.key == "rel" for box in opened("overview", files=[GOLD, MINE]).number_input)


def test_another_sheet_of_a_workbook_is_one_choice_away() -> None:
    rows = [["doc_id", "keyphrase"], ["d1", "tide"]]
    sheets = {name: [*rows, ["d2", name]] for name in ("spring", "summer", "autumn", "winter", "year")}
    app = opened("data", files=[workbook(sheets, "gold.xlsx")])
    app.button(key="change gold.xlsx").click().run()
    assert shown(app, "keyphrases")["whose"].tolist()[:2] == ["spring", "summer"]
    app.multiselect(key="sheets gold.xlsx").set_value(["autumn"]).run()
    assert shown(app, "keyphrases")["keyphrases"].tolist() == ["tide", "autumn"]
    press(app, "Use this")
    assert receipt(app) == {"gold.xlsx": "gold standard · 2 of 2 documents · 2 phrases"}


BAD = {"k": "banana", "measure": "nothing", "universe": "selected", "document": "?", "system": "nobody", "what": "?"}
BAD |= {f"{page}_tab": "nothing" for page in shell.PAGES}


@pytest.mark.parametrize("page", shell.PAGES)
def test_every_page_opens_also_with_a_bad_link(page: str) -> None:
    app = opened(page, **BAD)
    assert page_of(app) == page
    assert not app.error


def test_the_load_report_counts_the_sample() -> None:
    found = shown(opened("data", data_tab="Details"), "phrases").set_index("source")["phrases"]
    assert found[["A", "B", "C", "yake"]].tolist() == [134, 106, 119, 1000]


def test_an_upload_replaces_the_sample_and_one_click_brings_it_back() -> None:
    app = opened("data", files=[GOLD, MINE])
    assert list(receipt(app)) == ["gold.csv", "run.mine"]
    app.button(key="open lectures").click().run()
    assert "yake.csv" in receipt(app)
    assert "your own files are set aside" in words(app)
    app.button(key="back_to_files").click().run()
    assert list(receipt(app)) == ["gold.csv", "run.mine"]


def test_the_broken_sample_loads_all_rows_but_one_and_shows_it() -> None:
    paths = (ROOT / "sample_data" / name for name in ("lectures/gold.csv", "broken/predictions.jsonl"))
    app = opened("data", files=[Source(path.name, path.read_bytes()) for path in paths])
    expected = "system predictions · 14 of 20 documents · 140 phrases · 1 row rejected"
    assert receipt(app)["predictions.jsonl"] == expected
    app.button(key="see rejected rows").click().run()
    rejected = shown(app, "reason")
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
    rows = re.findall(r"<tr class=\"([^\"]*)\">(.*?)</tr>", next(one for one in html(app) if "kp-phrases" in one))
    cells = [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for _, row in rows[:-1]]
    # the repeated phrase is that of the first row; collision is third of those that count, so below the line
    assert [(row[0], row[-1]) for row in cells if row[0]] == [("hash table", "1 ✓"), ("bucket", "3 ·")]
    assert "collision" in rows[-1][1]
    assert "4 <b>✓</b>" in rows[-1][1]


def test_published_rows_on_the_page(shared: Callable[[str], Path], offered: dict[str, tuple[str, Any]]) -> None:
    """Every published row of the five rankings, as the Documents page shows them under the preset of that paper."""
    data = shared("data/semeval2010/system_outputs_ijcnlp13")
    expected = pd.read_csv(shared("oracles/real/semeval2010_prf10_by_document.csv"))
    names = ("degree", "closeness", "betweenness", "eigenvector", "textrank")
    systems = {name: data / "output/semeval" / f"candidats.{name}" for name in names}
    corpus = kp.load(gold=data / "data/references/semeval.ref", systems=systems)
    app = opened("documents", corpus, k="10", preset="ijcnlp13", gold_stemmed="yes")
    for measure, column in (("P@k", "P10"), ("R@k", "R10"), ("F1@k", "F10")):
        chosen(app, "measure", measure)
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


def test_tables_of_a_vocabulary_are_files_like_others_with_nothing_to_change() -> None:
    app = opened("data")
    drop(app, GOLD, Source("thesaurus.csv", b"child,parent\ntide,sea\n"))
    assert receipt(app)["thesaurus.csv"] == "broader concepts · 1 row"
    assert "2 files, all understood." in words(app)
    assert [one.key for one in app.button if one.key and one.key.startswith("change ")] == ["change gold.csv"]


def test_file_of_a_question_is_answered_above_and_has_no_change_button() -> None:
    tags = Source("tags.txt", b"the O O\ntide B-KP O\nrises O B-KP\n\nmoon B-KP B-KP\nsea O O\n")
    app = opened("data", files=[tags], state={"form opened": ("tags.txt", True)})
    assert "a token with 2 tags in each line" in words(app)
    keys = [one.key for one in app.button]
    assert "change tags.txt" not in keys
    assert {"answer tags.txt 0 0", "remove tags.txt"} <= {*keys}
    assert not [*app.error, *app.warning]
    app.button(key="answer tags.txt 0 0").click().run()
    assert "change tags.txt" in [one.key for one in app.button]


def test_results_of_earlier_files_name_the_upload_that_is_not_among_them() -> None:
    app = opened("overview", files=[GOLD, MINE])
    assert "do not include" not in words(app)
    app.session_state["uploads"] = replace(app.session_state["uploads"], files=(GOLD, MINE, WIDE))
    app.session_state["pending"] = True
    app.run()
    assert "One file needs an answer. The results below do not include your last upload." in words(app)
    assert "run.mine" in dots(app)
    app.session_state["uploads"] = replace(app.session_state["uploads"], files=(Source("a.csv", b"\x00\x01"),))
    app.session_state["pending"] = True
    app.run()
    assert "Your files could not be read. The results below do not include your last upload." in words(app)


def test_a_reload_keeps_the_number_of_changes_in_its_address() -> None:
    app = opened("data", files=[GOLD, MINE])
    assert app.query_params["files"] == "2"
    app.button(key="remove run.mine").click().run()
    assert app.query_params["files"] == "1-1"
    assert opened("data", files=[GOLD], state={"chosen": {"files": "1-1"}}).query_params["files"] == "1-1"
    assert "made with 1 uploaded file." in opened("data", files="1-1").info[0].value
