"""Data, Documents and Methods: what a user decides about files, and how lists are arranged and searched."""

from dataclasses import replace
from typing import Any

import pytest

from kp_core.reading import Limits, Source
from kp_ui import shell
from kp_ui.state import workspace
from tests.app.opening import dots, drop, opened, page_of, receipt, shown, signature_of, tab, words
from tests.cases import ROOT

GOLD = Source("gold.csv", b"doc_id,keyphrase\nd1,hash table\nd1,collision\nd2,tide\nd3,moon\n")
MINE = Source("run.mine", b"doc_id,rank,keyphrase\nd1,1,Hash Tables\nd1,2,bucket\nd2,1,tide\nd3,1,sun\n")
YOURS = Source("run.yours", b"doc_id,rank,keyphrase\nd1,1,bucket\nd2,1,sea\nd3,1,moon\n")


def press(app: Any, words: str) -> None:
    """Press the first button whose label contains some words."""
    next(button for button in app.button if words in button.label).click()
    app.run()
    assert not app.exception


def test_dropped_files_have_receipts_and_persist_across_pages() -> None:
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


def test_button_opens_page_that_suits_files() -> None:
    people = Source("people.csv", b"doc_id,annotator,keyphrase\nd1,ana,tide\nd1,ben,sea\n")
    assert opened("data", files=[people]).button(key="on to annotators").label == "See how far the annotators agree"
    app = opened("data", files=[GOLD, MINE])
    assert app.button(key="on to overview").label == "See how the system scores"
    app.button(key="on to overview").click().run()
    assert page_of(app) == "overview"


def test_files_over_session_limit_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "LIMITS", Limits(session_bytes=100))
    app = opened("data")
    drop(app, GOLD, MINE)
    assert "expected at most 100 bytes, found all files of" in words(app)
    assert app.session_state["session"].uploads.files == ()
    assert app.session_state["session"].on_screen.sample == "lectures"


def test_renamed_systems_keep_names_on_every_page() -> None:
    app = opened("overview", files=[GOLD, MINE, YOURS], names="run.mine=my+best&run.yours=yours")
    # average gold size 4/3, so k = 1: hash table and tide against moon
    assert {name: dots(app)[name] for name in ("my best", "yours")} == pytest.approx({"my best": 5 / 9, "yours": 1 / 3})
    app.switch_page("../pages/systems.py").run()
    assert "my best" in words(app)
    assert "run.mine" not in words(app)


def means(app: Any, file: str, head: str, meaning: str) -> None:
    next(box for box in app.selectbox if box.key.startswith(f"means {file} {head} ")).set_value(meaning).run()
    assert not app.exception


def test_form_decides_reading_and_follows_choices() -> None:
    app = opened("data", files=[Source("liste.csv", b"Lfd;Wort\n1;Haus\n1;Baum\n2;Katze\n")])
    assert "One file needs an answer" in words(app)
    assert shown(app, "keyphrases").to_numpy().tolist() == [["1", "gold", "Haus; Baum"], ["2", "gold", "Katze"]]
    assert [box.value for box in app.selectbox if box.key.startswith("means liste.csv")] == ["document", "keyphrases"]
    means(app, "liste.csv", "Wort", "document")
    means(app, "liste.csv", "Lfd", "keyphrases")
    assert shown(app, "keyphrases").to_numpy().tolist()[0] == ["Haus", "gold", "1"]
    assert "--as liste.csv:role=gold,document=Wort,keyphrases=Lfd,split=none" in [item.value for item in app.code]
    means(app, "liste.csv", "Lfd", "document")
    means(app, "liste.csv", "Wort", "keyphrases")
    # nothing is loaded yet, and no sample is shown
    assert len(app.session_state["session"].on_screen.corpus.documents) == 0
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
    press(app, "Detect automatically")
    assert "One file needs an answer" in words(app)


def test_form_says_that_each_line_is_a_list_and_how_it_is_split() -> None:
    app = opened("data", files=[Source("run.csv", b"tide|sea level\nmoon|tide|ship\nsun|salt\n")])
    if not [box for box in app.selectbox if box.key == "format run.csv"]:
        app.button(key="change run.csv").click().run()
    assert app.selectbox(key="format run.csv").options[1].startswith("line n is document n")
    app.selectbox(key="format run.csv").set_value("F5").run()
    app.selectbox(key="split run.csv").set_value("|").run()
    assert not app.exception
    assert shown(app, "keyphrases")["keyphrases"].tolist() == ["tide; sea level", "moon; tide; ship", "sun; salt"]
    press(app, "Use this")
    assert receipt(app) == {"run.csv": "gold standard · 3 of 3 documents · 7 phrases"}
    app.button(key="change run.csv").click().run()
    assert [app.selectbox(key=f"{name} run.csv").value for name in ("format", "split")] == ["F5", "|"]


def test_adjacent_columns_of_keyphrases_take_two_choices() -> None:
    rows = b"17,moon,ship,,1998,Doe J.; Roe R.\n27,tide,sea,salt,1999,Poe E.\n37,reef,sand,,2000,Lee A.; Roe R.\n"
    app = opened("data", files=[Source("a.csv", rows)])
    means(app, "a.csv", "column 2", "onward")
    assert not [box for box in app.selectbox if box.key.startswith("means a.csv column 3 ")]
    next(box for box in app.selectbox if box.key.startswith("last a.csv column 2 ")).set_value("column 4").run()
    assert not app.exception
    assert "keyphrases=column 2,column 3,column 4," in " ".join(item.value for item in app.code)
    fields = {box.key.split()[3]: box.value for box in app.selectbox if box.key.startswith("means a.csv column")}
    assert fields == {"1": "document", "2": "onward", "5": "", "6": ""}


WIDE = Source("a.csv", b"Doc,Anna,Ben\nd1,tide,sea\nd2,moon,moon\n")


def test_two_unclear_files_are_answered_one_by_one() -> None:
    other = Source("b.csv", b"Doc,Cem,Dora\nd1,tide,sea\nd2,sun,moon\n")
    app = opened("data", files=[WIDE, other, GOLD])
    assert "**2 of your files need an answer**" in words(app)
    assert receipt(app) == {"gold.csv": "not read"}
    app.button(key="use b.csv").click().run()
    assert "One file needs an answer" in words(app)
    assert list(receipt(app)) == ["b.csv", "gold.csv"]
    app.button(key="leave a.csv").click().run()
    assert not workspace_words(app)
    assert receipt(app) == {
        "a.csv": "left out, as you chose",
        "b.csv": "gold standard of Cem, Dora · 2 of 3 documents · 4 phrases",
        "gold.csv": "gold standard · 3 of 3 documents · 4 phrases",
    }


def test_files_with_the_same_columns_have_one_form() -> None:
    app = opened("data", files=[WIDE, Source("b.csv", WIDE.data.replace(b"d1", b"d3").replace(b"d2", b"d4"))])
    assert "2 of your files need an answer" in words(app)
    assert "Your choices also apply to these files, which have the same columns: b.csv." in words(app)
    app.button(key="use a.csv").click().run()
    assert list(receipt(app)) == ["a.csv", "b.csv"]
    assert "It is read like a.csv, which has the same columns." in words(app)


def workspace_words(app: Any) -> list[str]:
    """Return the reason why the files are not on screen."""
    return [item.value for item in app.main.markdown if "before these files" in item.value] + [
        item.value for item in app.error
    ]


def test_empty_data_page_shows_three_entry_points() -> None:
    app = opened("data")
    assert app.main.subheader[0].value == (
        "KPScope scores keyphrase extraction against what people chose: which system is better, whether the difference "
        "is significant, and which phrases it comes from."
    )
    assert receipt(app) == {}
    assert [item.label for item in app.button if item.key.startswith("door ")] == [
        *("Try it with 4 systems", "Try it with 3 people", "Open the lessons")
    ]
    app.button(key="door annotators").click().run()
    assert page_of(app) == "annotators"
    app.switch_page("../pages/data.py").run()  # now it was asked for
    assert receipt(app)["yake.csv"] == "system yake · 20 of 20 documents · 1,000 phrases"


def test_disjoint_sides_are_reported_with_fix() -> None:
    gold = Source("gold.csv", b"doc_id,phrase\nP001,tide\nP002,sea\n")
    mine = Source("mine.csv", b"doc_id,rank,phrase\npaper-1.pdf,1,tide\npaper-2.pdf,1,sun\n")
    app = opened("data", files=[gold, mine])
    assert "mine: lists for 0 of 2 documents" in app.error[0].value
    assert not [item for item in app.button if item.key.startswith("on to ")]
    press(app, "Keep only the number")
    assert not app.error
    assert app.button(key="on to overview")


def test_ids_that_differ_by_an_extension_are_mended_until_that_is_undone() -> None:
    app = opened("data")
    drop(app, GOLD, Source("mine.csv", MINE.data.replace(b",1,", b".txt,1,").replace(b",2,", b".txt,2,")))
    assert receipt(app)["mine.csv"] == "system mine · 3 of 3 documents · 4 phrases"
    assert app.button(key="on to overview")
    app.button(key="undo strip-extension").click().run()
    assert "mine: lists for 0 of 3 documents" in app.error[0].value


def coverage(app: Any) -> str:
    """Return the numbers of documents of each side in the details, and go back to the files."""
    said = next(item.value for item in tab(app, "Details").caption if item.value.startswith("Documents: "))
    tab(app, "Files")
    return str(said)


def test_a_fix_is_offered_listed_and_undone() -> None:
    ending = Source("mine.csv", MINE.data.replace(b"d1", b"d1.txt").replace(b"d2", b"D2.txt").replace(b"d3", b"d3.txt"))
    app = opened("data", files=[GOLD, ending])
    press(app, "trip the extension")
    assert "Fix applied: strip the extension (strip-extension in every signature)." in words(app)
    assert coverage(app) == "Documents: 3 in the gold standard, 3 in system outputs, 2 in all of these, 4 altogether."
    app.button(key="fix casefold-ids").click().run()
    assert app.session_state["session"].on_screen.corpus.report.fixes == ("strip-extension", "casefold-ids")
    assert coverage(app) == "Documents: 3 in the gold standard, 3 in system outputs, 3 in all of these, 3 altogether."
    app.button(key="undo strip-extension").click().run()
    assert app.session_state["session"].on_screen.corpus.report.fixes == ("casefold-ids",)
    app.button(key="undo casefold-ids").click().run()
    assert "Fix in use" not in words(app)


def test_missing_lists_lead_to_the_convention() -> None:
    app = opened("data", files=[GOLD, Source("mine.csv", b"doc_id,rank,keyphrase\nd1,1,collision\n")])
    said = "mine has no list for 2 of 3 documents. A missing list counts as an empty list."
    assert said in words(app)
    app.button(key="missing_skip").click().run()
    assert app.query_params["missing"] == "skip"
    assert "now left out for that system" in words(app)
    tab(app, "Details")
    assert shown(app, "no list").to_numpy().tolist() == [["mine", 2, 3, "d2, d3"]]
    app.switch_page("../pages/overview.py").run()
    assert "|miss:skip|" in signature_of(app)


TEXT = Source("d.jsonl", b'{"id": "d1", "text": "Tides rise."}\n')


@pytest.mark.parametrize(
    ("page", "file"), [*((page, MINE) for page in shell.PAGES), ("data", TEXT), ("overview", TEXT), ("documents", TEXT)]
)
def test_every_page_opens_when_a_side_is_missing(page: str, file: Source) -> None:
    app = opened(page, files=[file])
    if page == "data":
        assert "no gold standard" in words(app)


BAD = {"k": "banana", "measure": "nothing", "universe": "selected", "document": "?", "system": "nobody"}
BAD |= {f"{page}_tab": "nothing" for page in shell.PAGES}


@pytest.mark.parametrize("page", shell.PAGES)
def test_every_page_opens_also_with_a_bad_link(page: str) -> None:
    app = opened(page, **BAD)
    assert page_of(app) == page
    assert not app.error


def test_upload_replaces_sample_until_reopened_by_click() -> None:
    app = opened("data", files=[GOLD, MINE])
    assert list(receipt(app)) == ["gold.csv", "run.mine"]
    app.button(key="open lectures").click().run()
    assert "yake.csv" in receipt(app)
    assert "The sample is shown instead of your files" in words(app)
    app.button(key="back_to_files").click().run()
    assert list(receipt(app)) == ["gold.csv", "run.mine"]


def test_broken_sample_reports_one_rejected_row() -> None:
    paths = (ROOT / "sample_data" / name for name in ("lectures/gold.csv", "broken/predictions.jsonl"))
    app = opened("data", files=[Source(path.name, path.read_bytes()) for path in paths])
    expected = "system predictions · 14 of 20 documents · 140 phrases · 1 row rejected"
    assert receipt(app)["predictions.jsonl"] == expected
    app.button(key="see rejected rows").click().run()
    rejected = shown(app, "reason")
    assert rejected[["file", "line"]].to_numpy().tolist() == [["predictions.jsonl", "12"]]


def test_file_in_question_is_answered_or_changed() -> None:
    tags = Source("tags.txt", b"the O O\ntide B-KP O\nrises O B-KP\n\nmoon B-KP B-KP\nsea O O\n")
    app = opened("data", files=[tags])
    assert "a token with 2 tags in each line" in words(app)
    assert {"change tags.txt", "remove tags.txt"} <= {item.key for item in app.button}
    assert not [*app.error, *app.warning]
    answer = next(item.key for item in app.button if item.key.startswith("answer tags.txt 0"))
    app.button(key="change tags.txt").click().run()
    assert not app.exception
    app.button(key="change tags.txt").click().run()
    app.button(key=answer).click().run()
    assert "change tags.txt" in [item.key for item in app.button]
    corpus = app.session_state["session"].on_screen.corpus
    assert (corpus.gold["phrase"].tolist(), corpus.runs["phrase"].tolist()) == (["tide", "moon"], ["rises", "moon"])
    app.button(key="change tags.txt").click().run()
    assert not app.exception


def test_results_of_earlier_files_name_missing_upload() -> None:
    app = opened("overview", files=[GOLD, MINE])
    assert "do not include" not in words(app)
    session = app.session_state["session"]
    session.uploads, session.pending = replace(session.uploads, files=(GOLD, MINE, WIDE)), True
    app.run()
    assert "One file needs an answer. The results below do not include your last upload." in words(app)
    assert "run.mine" in dots(app)
    session = app.session_state["session"]
    session.uploads, session.pending = replace(session.uploads, files=(Source("a.csv", b"\x00\x01"),)), True
    app.run()
    assert "Your files could not be read. The results below do not include your last upload." in words(app)


def test_removing_one_file_keeps_address() -> None:
    app = opened("data", files=[GOLD, MINE])
    assert (before := dict(app.query_params))["files"] == "yes"
    app.button(key="remove run.mine").click().run()
    assert app.query_params == before  # so that Back leaves the page
    assert len(app.button(key="undo_removal").click().run().session_state["session"].uploads.files) == 2
    assert "refers to uploaded files." in opened("data", files="2").info[0].value


def test_id_prefixes_become_document_types_by_click() -> None:
    gold = Source("gold.csv", b"doc_id,phrase\nC-1,tide\nC-2,sea\nH-1,moon\nH-2,sun\n")
    mine = Source("run.csv", b"doc_id,rank,phrase\nC-1,1,tide\nC-2,1,sea\nH-1,1,moon\nH-2,1,sun\n")
    app = opened("data", files=[gold, mine])
    assert "The ids begin with C and H." in words(app)
    app.button(key="fix types-from-ids").click().run()
    assert app.session_state["session"].on_screen.corpus.documents["group"].tolist() == ["C", "C", "H", "H"]
    assert "The ids begin with" not in words(app)


@pytest.mark.parametrize("page", ["overview", "systems", "documents", "annotators", "correlation", "report"])
def test_no_page_shows_the_sample_while_files_wait_for_an_answer(page: str) -> None:
    app = opened(page, files=[GOLD, WIDE])
    assert app.button(key="to_question")
    assert not app.session_state["page record"].offered
    assert [item.value for item in app.title] == ["One file needs an answer"]
    assert not app.get("plotly_chart")
