"""The command line: what every command prints is what Python returns, and one message for all that goes wrong."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.reading import Mapping, Source
from kp_core.settings import settings_from
from tests.cases import LECTURES, cases
from tests.format_samples import workbook

CASES = cases(__file__)

DATA = ["--gold", str(LECTURES / "gold.csv"), "--system", str(LECTURES / "systems" / "yake.csv")]
GOLD = ["--gold", str(LECTURES / "gold.csv"), "--documents", str(LECTURES / "documents.jsonl")]
TEXTS = GOLD[2:]
SYSTEMS = ["--system", *(str(path) for path in sorted((LECTURES / "systems").iterdir()))]
PAIR = ["a", "b", "measure", "k", "average", "difference", "low", "high", "p", "p_adjusted", "documents"]
TRIM = ["document", "size", "K", "gold", "status", "reason"]
KEYS = ["system", "measure", "k", "average", "subset", "value", "low", "high", "documents", "undefined", "reason"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


def test_people_who_divide_the_work_have_a_report_and_no_agreement(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gold, system, out = (tmp_path / name for name in ("gold.csv", "x.csv", "report.html"))
    gold.write_text("doc_id,phrase,annotator\nd1,tide,ana\nd1,sea,ana\nd2,moon,ben\nd2,sea,ben\n")
    system.write_text("doc_id,rank,phrase\nd1,1,tide\nd2,1,sea\n")
    for given in (["--gold", str(gold)], ["--gold", str(gold), "--system", str(system)]):
        status, printed, _ = run(capsys, "agreement", *given, "--universe", "9", "--format", "json")
        rows = json.loads(printed)["rows"]
        assert status == 0
        assert {row["system"] for row in rows} == {"all", "ana", "ben"}
        assert {row["value"] for row in rows} == {None}
        assert {row["reason"] for row in rows} == {"single_annotator", "nobody_else"}
        status, _, err = run(capsys, "report", *given, "--out", str(out))
        assert (status, "Traceback" in err) == (0, False)
        assert "agree is undefined: fewer than two annotators saw the document." in out.read_text("utf-8")
        out.unlink()


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(
        capsys, "evaluate", *DATA, "--k", "5,gold,all", "--measures", "P@k,kappa,MAP,bpref", "--format", "json"
    )
    assert status == 0
    found = json.loads(out)
    assert list(found) == ["signature", "settings", "notes", "rows", "answer"]
    assert all(list(row) == KEYS for row in found["rows"])
    assert [(row["measure"], row["k"], row["average"]) for row in found["rows"]] == [
        ("P@5", 5, "macro"),
        ("P@O", "gold", "macro"),
        ("P@M", "all", "macro"),
        ("kappa", 5, "micro"),
        ("kappa", "gold", "micro"),
        ("kappa", "all", "micro"),
        ("MAP", None, "macro"),
        ("bpref", None, "macro"),
    ]
    undefined = found["rows"][-1]
    assert (undefined["value"], undefined["reason"]) == (None, "no_judged_negatives")
    assert (undefined["documents"], undefined["undefined"]) == (0, 20)
    assert all(row["reason"] is None and row["low"] <= row["value"] <= row["high"] for row in found["rows"][:-1])
    assert "repeat an earlier one" in err


def test_command_line_api_and_settings_from_the_signature_agree(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "evaluate", *DATA, "--format", "json", "--preset", "pke", "--annotators", "majority:2")
    found = json.loads(out)
    corpus = kp.load(gold=LECTURES / "gold.csv", systems=[LECTURES / "systems" / "yake.csv"])
    result = kp.evaluate(corpus, preset="pke", annotators="majority:2")
    assert found["signature"] == result.signature
    assert [row["value"] for row in found["rows"]] == result.frame["value"].tolist()
    again = kp.evaluate(corpus, kp.settings_from(found["signature"]))
    assert again.frame["value"].tolist() == result.frame["value"].tolist()
    assert again.frame["low"].tolist() == result.frame["low"].tolist()


@pytest.mark.parametrize("form", ["table", "latex", "markdown"])
def test_formats_carry_value_and_signature(form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    status, out, _ = run(
        capsys, "evaluate", *DATA, "--measures", "P@6", "--format", form, "--interval", "none", "--out", str(target)
    )
    text = target.read_text(encoding="utf-8")
    assert (status, out) == (0, "")
    assert "0.3417" in text
    assert "docs:20" in text


@pytest.mark.parametrize(("command", "status", "words"), CASES["refused"])
def test_one_message_and_a_status_for_what_goes_wrong(
    command: str, status: int, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(LECTURES)
    found, out, err = run(capsys, *shlex.split(command))
    assert (found, out) == (status, "")
    assert err.startswith("kpscope: ")
    assert words in err
    assert err.count("\n") == 1


def test_the_module_runs_from_a_shell() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kp_core", "evaluate", "--gold", "nowhere.csv", *DATA[2:]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_validate_shows_the_whole_load_report_with_the_notes_of_evaluate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = tmp_path / "gold.csv", tmp_path / "mine.csv"
    gold.write_text("doc_id,keyphrase\nd1,tide\nd2,moon\nd3,sea\n,lost\nd3,reef\n", encoding="utf-8")
    system.write_text("doc_id,rank,keyphrase\nD1.txt,1,tide\nD2.txt,1,sun\n", encoding="utf-8")
    asked = ["--gold", str(gold), "--system", str(system), "--format", "json"]
    assert main(["validate", *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["documents"][-2:] == [{"side": "every side", "documents": 0}, {"side": "all", "documents": 5}]
    assert "fixes" not in found
    assert found["missing"] == [{"system": "mine", "no list": 3, "of": 3, "first": "d1, d2, d3"}]
    rejected = "1 row was rejected and is not used; the first, line 5: an empty id."
    assert rejected in [note["message"] for note in found["notes"]]
    assert [row["fix"] for row in found["suggestions"]] == ["strip-extension,casefold-ids"]
    fixes = ["--fix", found["suggestions"][0]["fix"]]  # as it is offered
    assert main(["validate", *asked, *fixes]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["fix"] for row in found["fixes"]] == ["strip-extension", "casefold-ids"]
    assert found["missing"] == [{"system": "mine", "no list": 1, "of": 3, "first": "d3"}]
    assert main(["evaluate", *asked, *fixes, "--measures", "P@1"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [note for note in result["notes"] if note in found["notes"]] == found["notes"]
    assert "|fix:strip-extension,casefold-ids|" in result["signature"]
    assert settings_from(result["signature"]).fixes == ("strip-extension", "casefold-ids")
    assert result["rows"][0]["value"] == pytest.approx(1 / 3)  # tide; not sun; no list for d3


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (["evaluate", *GOLD, *SYSTEMS, "--measures", "F1@3"], KEYS),
        (["agreement", *GOLD], KEYS),
        (["compare", *GOLD, *SYSTEMS], PAIR),
        (["trim", *GOLD, "--threshold", "0.7"], TRIM),
    ],
)
def test_json_and_csv_have_the_rows_of_the_contract(capsys, command: list[str], keys: list[str]) -> None:
    status, out, _ = run(capsys, *command, "--format", "json")
    found = json.loads(out)
    assert status == 0
    assert list(found)[:4] == ["signature", "settings", "notes", "rows"]
    assert all(list(row) == keys for row in found["rows"])
    _, text, _ = run(capsys, *command, "--format", "csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == keys
    assert len(rows) == len(found["rows"]) + 1


#: Command of a study, and what Python gives for it.
STUDIES = {
    "spread --measure F1@5": lambda corpus: kp.spread(corpus, measure="F1@5").printing(),
    "spread --printed F1@5=.229 --printed P@5=.37": lambda corpus: kp.printing(corpus, numbers="F1@5=.229, P@5=.37"),
    "stability --preset pke --by k --views 3,7": lambda corpus: kp.stability(
        corpus, kp.Settings(preset="pke"), "k", views=["3", "7"]
    ),
    "near-misses --k 4": lambda corpus: kp.near_misses(corpus, k=4),
    "soft --similarity jaccard --tau .5 --hits count --measures F1@3 --interval none": lambda corpus: kp.soft_evaluate(
        corpus, kp.Settings(interval="none"), kp.Soft("jaccard", 0.5, "count"), ["F1@3"]
    ),
    "evaluate --by document --measures F1@5,MAP,kappa --k 4": lambda corpus: kp.documents(
        corpus, measures="F1@5,MAP,kappa", k=4
    ),
}


@pytest.mark.parametrize("command", STUDIES)
def test_a_study_prints_what_python_returns(capsys, command: str) -> None:
    systems = sorted((LECTURES / "systems").iterdir())
    corpus = kp.load(gold=LECTURES / "gold.csv", documents=LECTURES / "documents.jsonl", systems=systems)
    status, out, _ = run(capsys, *command.split(), *GOLD, *SYSTEMS, "--format", "json")
    assert status == 0
    assert json.loads(out) == json.loads(STUDIES[command](corpus).json())


def test_missed_keyphrases_stand_beside_their_nearest_predictions(capsys, lectures: kp.Corpus) -> None:
    _, out, _ = run(capsys, "near-misses", "--missed", "--k", "4", *GOLD, *SYSTEMS, "--format", "json")
    rows, expected = json.loads(out)["rows"], kp.near_misses(lectures, k=4).gold
    told = zip(expected["system"], expected["document"], expected["keyphrase"], expected["type"], strict=True)
    assert sorted((row["system"], row["document"], row["keyphrase"], row["type"]) for row in rows) == sorted(told)


def test_printed_figures_are_solved_for_their_tables(capsys) -> None:
    printed = ["--kappa", ".178", "--p-pos", ".200", "--p-neg", ".973", "--pabak", ".896"]
    status, out, _ = run(capsys, "recover", *printed, "--format", "json")
    found = kp.recover(".178", ".200", ".973", ".896")
    spans = (found.both, found.apart, found.neither, found.larger, found.smaller)
    assert status == 0
    assert [row["at least, %"] for row in json.loads(out)["rows"]] == pytest.approx([100 * one.low for one in spans])
    status, _, err = run(capsys, "recover", "--kappa", ".9", *printed[2:])
    assert (status, "misprinted" in err) == (1, True)


def test_agreement_and_compare_are_those_of_the_api(capsys, lectures: kp.Corpus) -> None:
    _, out, _ = run(capsys, "agreement", *GOLD, "--measures", "K,kappa", "--average", "both", "--format", "json")
    people, found = kp.load(gold=LECTURES / "gold.csv", documents=LECTURES / "documents.jsonl"), json.loads(out)
    expected = kp.agreement(people, measures=["K", "kappa"], average="both")
    assert [row["value"] for row in found["rows"]] == expected.frame["value"].tolist()
    assert found["signature"] == expected.signature
    assert {row["system"] for row in found["rows"]} == {"all", "A", "B", "C", "A|B", "A|C", "B|C"}
    asked = ["--measures", "F1@10", "--correction", "bh", "--test", "t", "--format", "json"]
    _, out, err = run(capsys, "compare", *GOLD, *SYSTEMS, *asked)
    rows, frame = json.loads(out)["rows"], kp.compare(lectures, measure="F1@10", test="t", correction="bh").frame
    for column in ("difference", "p_adjusted"):
        assert [row[column] for row in rows] == frame[column].tolist()
    assert "paired t test over documents, two-sided" in err


def test_every_measure_and_cutoff_is_a_family_of_its_own(capsys, lectures: kp.Corpus) -> None:
    asked = ["--measures", "F1@k,MAP", "--k", "5,10", "--resamples", "200", "--format", "json"]
    _, out, _ = run(capsys, "compare", *GOLD, *SYSTEMS, *asked)
    rows = json.loads(out)["rows"]
    assert [(row["measure"], row["k"]) for row in rows[::6]] == [("F1@5", 5), ("F1@10", 10), ("MAP", None)]
    expected = kp.compare(lectures, measure="F1@k", k=10, trials=200, resamples=200).frame["p_adjusted"].tolist()
    assert [row["p_adjusted"] for row in rows[6:12]] == expected


def test_trim_shows_the_best_level_of_an_unreachable_document(capsys, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("doc_id,annotator,keyphrase\nd1,A,x\nd1,B,y\nd2,A,x\nd2,B,x\n", "utf-8")
    status, out, err = run(
        capsys, "trim", "--gold", str(gold), "--universe", "10", "--threshold", "0.9", "--format", "json"
    )
    rows = json.loads(out)["rows"]
    assert status == 0
    unreachable = {"document": "d1", "size": 1, "gold": 2, "status": "unreachable", "reason": "no_majority"}
    assert rows[0] == unreachable | {"K": pytest.approx(-1 / 9)}
    assert rows[1] == {"document": "d2", "size": 1, "K": 1.0, "gold": 1, "status": "ok", "reason": None}
    assert "1 of 2 documents does not reach K = 0.9" in err


# the option --as, which decides for one file what the readers otherwise guess


@pytest.fixture
def files(tmp_path):
    """A workbook whose second sheet is meant, and a table whose columns say nothing and whose low scores are best."""
    first, second = [["doc_id", "phrase"], ["d1", "moon"]], [["doc_id", "phrase"], ["d1", "tide"]]
    (tmp_path / "gold.xlsx").write_bytes(workbook({"old": first, "new": second}).data)
    (tmp_path / "yake.csv").write_text("doc_id,x,y,score\nd1,tide,sun,0.1\nd1,moon,sea,0.3\n", encoding="utf-8")
    return tmp_path


def evaluated(capsys, files, *more):
    given = ["--gold", str(files / "gold.xlsx"), "--system", str(files / "yake.csv")]
    status = main(["evaluate", *given, "--k", "1", "--measures", "P@1", "--format", "csv", *more])
    out, err = capsys.readouterr()
    return status, out, err


def test_sheet_column_and_order_are_those_chosen(capsys, files):
    chosen = [
        "--as",
        "gold.xlsx:sheet=new",
        "--as",
        "yake.csv:document=doc_id,keyphrases=x,score=score",
        "--as",
        "yake.csv:higher_is_better=no",
    ]
    status, out, _ = evaluated(capsys, files, *chosen)
    assert status == 0
    assert pd.read_csv(io.StringIO(out))["value"].tolist() == [1]
    others = (
        "gold.xlsx:sheet=old",
        "yake.csv:document=doc_id,keyphrases=y,score=score",
        "yake.csv:higher_is_better=yes",
    )
    for place, other in enumerate(others):
        _, out, _ = evaluated(capsys, files, *chosen[: 2 * place + 1], other, *chosen[2 * place + 2 :])
        assert pd.read_csv(io.StringIO(out))["value"].tolist() == [0]


@pytest.mark.parametrize(("chosen", "status", "words"), CASES["not_chosen"])
def test_what_cannot_be_chosen_is_refused(capsys, files, chosen, status, words):
    found, out, err = evaluated(
        capsys, files, "--as", "yake.csv:document=doc_id,keyphrases=x,score=score", "--as", chosen
    )
    assert (found, out) == (status, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_sheet_that_is_not_there_is_said(files):
    source = Source("gold.xlsx", (files / "gold.xlsx").read_bytes())
    corpus = kp.load(gold=source, mapping={"gold.xlsx": Mapping(sheet="newer")})
    said = "There is no sheet “newer”. Left out: 1 sheet, “new”."
    assert [note.message for note in corpus.report.notes] == [said]


# extract and sentences


EXTRACT, DOCUMENTS = ["extract", *TEXTS], LECTURES / "documents.jsonl"


def printed_csv(capsys, *arguments):
    return pd.read_csv(io.StringIO(run(capsys, *EXTRACT, *arguments, "--format", "csv")[1]), keep_default_na=False)


def test_jsonl_is_a_system_that_evaluate_reads(capsys, tmp_path):
    out = tmp_path / "found.jsonl"
    status, printed, err = run(capsys, *EXTRACT, "--method", "tfidf-chunks", "--top", "20", "--out", str(out))
    assert (status, printed) == (0, "")
    assert "info: tfidf-chunks: This system is reconstructed from the results section" in err
    gold = LECTURES / "gold.csv"
    asked = ["--measures", "F1@6", "--format", "csv", "--interval", "none"]
    _, printed, _ = run(capsys, "evaluate", "--gold", str(gold), "--system", str(out), *asked)
    found = kp.extract(DOCUMENTS, "tfidf-chunks", 20)
    expected = kp.evaluate(kp.load(gold, found.as_source()), k=6, measures="F1@6", interval="none").frame
    row = pd.read_csv(io.StringIO(printed)).iloc[0]
    assert (row["system"], row["value"]) == ("tfidf-chunks", pytest.approx(expected["value"].iloc[0]))
    assert expected["value"].iloc[0] > 0.1


def test_csv_and_table_hold_the_parameters_asked_for(capsys, tmp_path):
    glossary = tmp_path / "glossary.txt"
    glossary.write_text("inverted index\nposting list\t.5\n", encoding="utf-8")
    options = ["--method", "phrase-boosting", "--external", str(glossary), "--beta", "3"]
    expected = kp.extract(DOCUMENTS, "phrase-boosting", None, glossary, beta=3).frame
    found = printed_csv(capsys, *options, "--top", "all")
    assert found["phrase"].tolist() == expected["phrase"].tolist()
    assert found["score"].tolist() == pytest.approx(expected["score"].tolist())
    _, out, _ = run(capsys, *EXTRACT, *options, "--top", "1", "--format", "table")
    assert out.splitlines()[1].split()[:4] == ["phrase-boosting", "lecture-01", "1", "inverted"]
    assert "|beta:3|external:2-phrases-" in out.splitlines()[-1]


def test_documents_and_phrases_are_named_apart(capsys, tmp_path):
    book, glossary = tmp_path / "book.jsonl", tmp_path / "glossary.txt"
    book.write_text('{"id": "e1", "text": "An inverted index has a postings list."}\n', encoding="utf-8")
    glossary.write_text("inverted index\nlist, of postings\n", encoding="utf-8")
    more = ["--method", "document-boosting,phrase-boosting", "--top", "3", "--lambda", "2", "--m", "1"]
    found = printed_csv(capsys, *more, "--external", str(book), "--phrases", str(glossary))
    both = {"documents": book, "phrases": glossary}
    expected = kp.extract(DOCUMENTS, ["document-boosting", "phrase-boosting"], 3, both, m=1, lam=2)
    assert found["phrase"].tolist() == expected.frame["phrase"].tolist()
    assert "external:2-phrases-" in expected.settings["phrase-boosting"]
    status, _, err = run(capsys, *EXTRACT, *more, "--external", str(book), str(glossary))
    assert status == 1
    assert "name them apart: --external and --phrases" in err


@pytest.mark.parametrize("content", ["the, of\n", "the of", "of;the", "the | the article\nof  | and\n| end\n"])
def test_stop_words_on_one_line_are_not_taken_for_a_table(capsys, tmp_path, content):
    stop = tmp_path / "stop.txt"
    stop.write_text(content, encoding="utf-8")
    found = printed_csv(capsys, "--stop-words", str(stop), "--top", "5", "--stemmer", "none")
    expected = kp.extract(DOCUMENTS, "tfidf", 5, stop_words=["the", "of"], stemmer="none").frame
    assert found["phrase"].tolist() == expected["phrase"].tolist()
    stop.write_text("\n| nothing\n", encoding="utf-8")
    assert run(capsys, *EXTRACT, "--stop-words", str(stop))[::2] == (
        1,
        "kpscope: stop.txt: expected stop words, one a line, found no word. Load another file.\n",
    )


def test_sentences_are_listed(capsys):
    assert main(["sentences", *TEXTS, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 370
    assert rows[2]["sentence"] == "lecture-01#s003"


def test_the_study_is_that_of_python(capsys, tmp_path):
    """Of three lectures: above K = 0.4 too few of their sentences are “yes”, so some values are missing."""
    for name in ("sentences.csv", "documents.jsonl"):
        lines = (LECTURES / name).read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if not re.search("lecture-(0[4-9]|[12])", line)]
        (tmp_path / name).write_text("".join(kept), "utf-8")
    gold, texts = tmp_path / "sentences.csv", tmp_path / "documents.jsonl"
    corpus = kp.load(gold=gold, documents=texts)
    given = kp.list_sentences(corpus)[["sentence"]].assign(title_similarity="0", tf_idf="")
    given.to_csv(tmp_path / "own.csv", index=False)
    told = ["--gold", str(gold), "--documents", str(texts), "--attributes", str(tmp_path / "own.csv"), "--repeats", "1"]
    assert main(["sentences", *told, "--format", "json"]) == 0
    printed = capsys.readouterr()
    expected = kp.sentence_study(corpus, attributes=given.assign(tf_idf=None), repeats=1)
    found = json.loads(printed.out)
    assert found["signature"] == expected.signature
    assert [row["value"] for row in found["rows"]] == [
        None if value != value else value for value in expected.frame["value"]
    ]
    assert "54 of 54 sentences have no given value and count as 0" in printed.err


def test_each_name_after_one_flag_begins_a_system(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`a=1.csv b=2.csv` are two systems, two of one name two runs; a file whose own name looks so is a file."""
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_text("doc_id,keyphrase\nd1,tide\nd2,moon\n")
    rows = {"1.csv": "d1,1,tide\nd2,1,moon\n", "2.csv": "d1,1,tide\nd2,1,x\n", "3.csv": "d1,1,x\nd2,1,x\n"}
    for name, lines in {**rows, "c=4.csv": "d1,1,x\nd2,1,moon\n"}.items():
        Path(name).write_text(f"doc_id,rank,keyphrase\n{lines}")
    Path("half.csv").write_text("doc_id,rank,keyphrase\nd3,1,x\n")
    end = ["--measures", "P@1", "--interval", "none", "--format", "csv"]

    def values(*words: str) -> dict[str, float]:
        status, out, _ = run(capsys, "evaluate", "--gold", "gold.csv", "--system", *words, *end)
        assert status == 0
        return pd.read_csv(io.StringIO(out)).set_index("system")["value"].to_dict()

    apart = values("a=1.csv", "--system", "b=2.csv", "--system", "d=3.csv")
    assert values("a=1.csv", "b=2.csv", "d=3.csv") == apart == {"a": 1.0, "b": 0.5, "d": 0.0}
    assert values("1.csv", "b=2.csv") == {"1": 1.0, "b": 0.5}
    assert values("a=1.csv", "half.csv", "b=2.csv") == {"a": 1.0, "b": 0.5}
    assert values("c=4.csv", "3.csv") == {"c=4": 0.5, "3": 0.0}
    assert values("a=1.csv", "a=2.csv", "b=3.csv") == {"a": 0.75, "b": 0.0}
