"""What a user can decide about files on the Data page, and how the list of documents is arranged."""

import io
import zipfile
from typing import Any

import pytest

import kp_core as kp
from kp_core.reading import Limits, Source
from kp_ui import workspace
from tests.app.opening import ROOT, drop, opened, shown, words
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
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "."), data)
    return packed.getvalue()


def test_files_of_the_drop_zone_stay_on_every_page() -> None:
    app = opened("data")
    drop(app, GOLD, MINE)
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine"]
    for page in ("overview", "documents", "methods", "data"):
        app.switch_page(f"pages/{page}.py").run()
        assert "On screen: your 2 files." in words(app)
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


def test_a_folder_is_read_as_one() -> None:
    app = opened("data")
    folder = app.file_uploader(key="folder_0")
    for path in ("teams/ana/7.key", "teams/ana/8.key", "teams/ben/7.key"):
        folder.upload(path, b"tide table\nharbour\n")
    app.run()
    assert not app.exception
    assert shown(app, "phrases").set_index("source")["documents"].to_dict() == {"ana": 2, "ben": 1}
    app.button(key="remove teams.zip").click().run()
    assert "yake" in shown(app, "phrases")["source"].tolist()


def test_systems_are_renamed_and_the_names_stay_on_other_pages() -> None:
    app = opened("data", files=[GOLD, MINE, YOURS])
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine", "run.yours"]
    press(app, "Shorten to mine, yours")
    assert shown(app, "phrases")["source"].tolist() == ["gold", "mine", "yours"]
    app.text_input(key="name mine").input("my best").run()
    app.switch_page("pages/overview.py").run()
    board = shown(app, "better than").set_index("system")
    assert {"my best", "yours"} <= set(board.index)
    # average gold size 4/3, so k = 1: hash table and tide against moon
    assert board.loc["my best", "F1@1"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert board.loc["yours", "F1@1"] == pytest.approx(1 / 3)


def test_two_systems_of_one_name_are_refused_in_words() -> None:
    app = opened("data", files=[GOLD, MINE, YOURS])
    app.text_input(key="name run.mine").input("run.yours").run()
    assert "two systems would be called 'run.yours'" in words(app)
    assert shown(app, "phrases")["source"].tolist() == ["gold", "run.mine", "run.yours"]


def test_unknown_columns_are_refused_and_can_be_named() -> None:
    file = Source("liste.csv", b"Nr;Begriff\n1;Haus\n1;Baum\n2;Katze\n")
    app = opened("data", files=[file])
    assert "Nr;Begriff" in words(app)
    assert "yake" in shown(app, "phrases")["source"].tolist()  # the sample stays
    app.selectbox(key="column liste.csv doc_id").set_value("Nr").run()
    app.selectbox(key="column liste.csv phrase").set_value("Begriff").run()
    assert not app.exception
    assert not app.error
    found = shown(app, "phrases").set_index("source")
    assert found.loc["gold", ["documents", "phrases"]].tolist() == [2, 3]
    assert "There is no system output" in words(app)


def test_the_broken_table_gives_one_clear_error() -> None:
    app = opened("data", files=[Source("x.csv", (ROOT / "sample_data/broken/gold_unknown_column.csv").read_bytes())])
    assert len(app.error) == 1
    assert "when,colour,amount" in app.error[0].value


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
    assert app.selectbox(key="missing").value == "skip"
    assert "now left out for the system that lacks them" in words(app)
    app.switch_page("pages/overview.py").run()
    assert "|miss:skip|" in app.code[0].value


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
    assert "sample data made for demonstration" in words(app)


@pytest.mark.parametrize("page", ["overview", "agreement", "ranking", "documents", "data", "methods"])
@pytest.mark.parametrize("files", [(MINE,), (GOLD,), (Source("d.jsonl", b'{"id": "d1", "text": "Tides rise."}\n'),)])
def test_every_page_opens_when_a_side_is_missing(page: str, files: tuple[Source, ...]) -> None:
    app = opened(page, files=files)
    if page == "data" and files != (GOLD,):
        assert "no gold standard" in words(app)


def test_documents_are_sorted_filtered_and_searched() -> None:
    values = kp.by_document(workspace.SAMPLES["lectures"].load(), kp.Settings(k=(6,)), "F1@k")
    values = values.pivot_table(index="document", columns="system", values="value")
    app = opened("documents")
    app.selectbox(key="system").set_value("yake").run()
    app.selectbox(key="other").set_value("rake").run()
    listed = shown(app, "difference")
    assert listed["difference"].tolist() == sorted(values["yake"] - values["rake"], reverse=True)
    app.selectbox(key="sort").set_value("value").run()
    assert shown(app, "difference")["yake"].tolist() == sorted(values["yake"], reverse=True)
    app.selectbox(key="sort").set_value("as loaded").run()
    assert shown(app, "difference")["document"].tolist() == list(values.index)
    app.selectbox(key="type").set_value("lab note").run()
    assert shown(app, "difference")["type"].unique().tolist() == ["lab note"]
    app.selectbox(key="type").set_value("all").run()
    app.text_input(key="search").input("HASH").run()
    assert shown(app, "difference")["title"].tolist() == ["Hash tables"]
    assert app.header[0].value == "Hash tables"
    app.text_input(key="search").input("no such document").run()
    assert "No document fits" in words(app)


def test_systems_may_be_called_like_the_columns() -> None:
    files = (Source(f"{name}.csv", MINE.data) for name in ("difference", "title", "document"))
    app = opened("documents", files=[GOLD, *files], sort="value")
    assert {"system difference", "system title", "system document", "difference"} <= set(
        shown(app, "difference").columns
    )


def test_methods_are_found_by_family_and_word() -> None:
    app = opened("methods")
    app.selectbox(key="family").set_value("concordance").run()
    assert len(app.latex) == sum(one.family == "concordance" for one in kp.MEASURES.values())
    app.text_input(key="search").input("zzz").run()
    assert len(app.latex) == 0
    assert "Nothing fits" in words(app)
    app.text_input(key="search").input("Boudin").run()
    assert set(shown(app, "preset")["preset"]) == {"ijcnlp13", "jcdl20", "pke"}


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
    assert "2 files, such as art-1-Countskey: F4" in words(app).replace("\\", "")


def test_votes_have_a_smallest_grade_that_counts() -> None:
    votes = Source("gold.csv", b"doc_id,keyphrase,votes\nd1,tide,5\nd1,sea,1\n")
    app = opened("data", files=[votes, Source("run.mine", b"doc_id,rank,keyphrase\nd1,1,sea\nd1,2,tide\n")])
    assert app.number_input(key="rel").value == 1
    app.number_input(key="rel").set_value(2.0).run()
    assert not app.exception
    app.switch_page("pages/ranking.py").run()
    assert not app.exception
    assert "rel:2" in "\n".join(code.value for code in app.code)
    assert not any(box.key == "rel" for box in opened("data", files=[GOLD, MINE]).number_input)


def test_another_sheet_of_a_workbook_is_one_choice_away() -> None:
    rows = [["doc_id", "keyphrase"], ["d1", "tide"]]
    sheets = {name: [*rows, ["d2", name]] for name in ("spring", "summer", "autumn", "winter", "all")}
    app = opened("data", files=[workbook(sheets, "gold.xlsx")])
    app.session_state["ways gold.xlsx"] = True
    app.run()
    assert shown(app, "phrase")["phrase"].tolist() == ["tide", "spring"]
    app.selectbox(key="option gold.xlsx 0 sheet").set_value("autumn").run()
    assert not app.exception
    assert shown(app, "phrase")["phrase"].tolist() == ["tide", "autumn"]
