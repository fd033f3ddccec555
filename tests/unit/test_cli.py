"""The command line: every command prints the results of Python, and every error is one message."""

import csv
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from kp_core.cli import main
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


def answered(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    assert main([*words, "--format", "json"]) == status
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("command", "status", "words"), CASES["refused"])
def test_errors_print_one_message_and_status(
    command: str, status: int, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(LECTURES)
    result, out, err = run(capsys, *shlex.split(command))
    assert (result, out) == (status, "")
    assert err.startswith("kpscope: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("command", "status", "outcomes"), CASES["gate"])
def test_gate_ends_with_status_after_printing(capsys, monkeypatch, command, status, outcomes):
    monkeypatch.chdir(LECTURES)
    data = "--gold gold.csv --system systems --resamples 400 --format json"
    result, out, _ = run(capsys, *shlex.split(f"{command} {data}"))
    printed = json.loads(out)
    rows = printed.get("requirements") or printed["rows"]
    assert (result, [row.get("met", row.get("verdict")) for row in rows]) == (status, outcomes)


def test_validate_shows_load_report_and_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, system = tmp_path / "gold.csv", tmp_path / "mine.csv"
    gold.write_text("doc_id,keyphrase\nd1,tide\nd2,moon\nd3,sea\n,lost\nd3,reef\n", encoding="utf-8")
    system.write_text("doc_id,rank,keyphrase\nD1.txt,1,tide\nD2.txt,1,sun\n", encoding="utf-8")
    asked = ["--gold", str(gold), "--system", str(system)]
    actual = answered(capsys, "validate", *asked)
    assert actual["documents"][-2:] == [{"side": "every side", "documents": 0}, {"side": "all", "documents": 5}]
    assert "fixes" not in actual
    assert actual["missing"] == [{"system": "mine", "no list": 3, "of": 3, "first": "d1, d2, d3"}]
    rejected = "1 row was rejected and is not used; the first, line 5: an empty id."
    assert rejected in [note["message"] for note in actual["notes"]]
    assert [row["fix"] for row in actual["suggestions"]] == ["strip-extension,casefold-ids"]
    fixes = ["--fix", actual["suggestions"][0]["fix"]]  # as it is offered
    actual = answered(capsys, "validate", *asked, *fixes)
    assert [row["fix"] for row in actual["fixes"]] == ["strip-extension", "casefold-ids"]
    assert actual["missing"] == [{"system": "mine", "no list": 1, "of": 3, "first": "d3"}]
    result = answered(capsys, "evaluate", *asked, *fixes, "--measures", "P@1")
    assert [note for note in result["notes"] if note in actual["notes"]] == actual["notes"]
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
def test_json_and_csv_have_contract_columns(capsys, command: list[str], keys: list[str]) -> None:
    result = answered(capsys, *command)
    assert list(result)[:4] == ["signature", "settings", "notes", "rows"]
    assert all(list(row) == keys for row in result["rows"])
    _, text, _ = run(capsys, *command, "--format", "csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == keys
    assert len(rows) == len(result["rows"]) + 1


#: Command, and what Python gives for the lectures.
STUDIES: dict[str, Callable[[kp.Corpus], Any]] = {
    "evaluate --preset pke --annotators majority:2": lambda c: kp.evaluate(c, preset="pke", annotators="majority:2"),
    "evaluate --by document --measures F1@5,MAP,kappa --k 4": lambda c: kp.documents(c, measures="F1@5,MAP,kappa", k=4),
    "compare --measures F1@k --k 10 --correction bh --test t": lambda c: kp.compare(
        c, measure="F1@k", k=10, test="t", correction="bh"
    ),
    "spread --measure F1@5": lambda c: kp.sensitivity(c, measure="F1@5").match_reported(),
    "spread --printed F1@5=.229 --printed P@5=.37": lambda c: kp.match_reported(c, numbers="F1@5=.229, P@5=.37"),
    "stability --preset pke --by k --views 3,7": lambda c: kp.stability(
        c, kp.Settings(preset="pke"), "k", views=["3", "7"]
    ),
    "near-misses --k 4": lambda c: kp.near_misses(c, k=4),
    "subjects --k 4": lambda c: kp.subjects(c, k=4),
    "soft --similarity jaccard --tau .5 --hits count --measures F1@3 --interval none": lambda c: kp.soft_evaluate(
        c, kp.Settings(interval="none"), kp.Soft("jaccard", 0.5, "count"), ["F1@3"]
    ),
}


@pytest.mark.parametrize("command", STUDIES)
def test_command_prints_what_python_returns(capsys, lectures: kp.Corpus, command: str) -> None:
    result = answered(capsys, *command.split(), *GOLD, *SYSTEMS)
    assert result | json.loads(STUDIES[command](lectures).json()) == result


def test_agreement_is_that_of_python(capsys) -> None:
    result = answered(capsys, "agreement", *GOLD, "--measures", "K,kappa", "--average", "both")
    corpus = kp.load(gold=LECTURES / "gold.csv", documents=LECTURES / "documents.jsonl")
    assert result | json.loads(kp.agreement(corpus, measures=["K", "kappa"], average="both").json()) == result


def test_printed_figures_are_solved_for_their_tables(capsys) -> None:
    printed = ["--kappa", ".178", "--p-pos", ".200", "--p-neg", ".973", "--pabak", ".896"]
    rows = answered(capsys, "recover", *printed)["rows"]
    result = kp.recover(".178", ".200", ".973", ".896")
    spans = (result.both, result.apart, result.neither, result.larger, result.smaller)
    assert [row["at least, %"] for row in rows] == pytest.approx([100 * item.low for item in spans])
    status, _, err = run(capsys, "recover", "--kappa", ".9", *printed[2:])
    assert (status, "misprinted" in err) == (1, True)


@pytest.fixture
def files(tmp_path):
    """A workbook with the data on its second sheet, and a table with unknown columns whose low scores are best."""
    first, second = [["doc_id", "phrase"], ["d1", "moon"]], [["doc_id", "phrase"], ["d1", "tide"]]
    (tmp_path / "gold.xlsx").write_bytes(workbook({"old": first, "new": second}).data)
    (tmp_path / "yake.csv").write_text("doc_id,x,y,score\nd1,tide,sun,0.1\nd1,moon,sea,0.3\n", encoding="utf-8")
    return tmp_path


def evaluated(capsys, files, *more):
    given = ["--gold", str(files / "gold.xlsx"), "--system", str(files / "yake.csv")]
    status = main(["evaluate", *given, "--k", "1", "--measures", "P@1", "--format", "csv", *more])
    out, err = capsys.readouterr()
    return status, out, err


def test_as_chooses_sheet_column_and_order(capsys, files):
    chosen = [
        "gold.xlsx:sheet=new",
        "yake.csv:document=doc_id,keyphrases=x,score=score",
        "yake.csv:higher_is_better=no",
    ]
    others = [
        "gold.xlsx:sheet=old",
        "yake.csv:document=doc_id,keyphrases=y,score=score",
        "yake.csv:higher_is_better=yes",
    ]
    for place, value in ((None, 1), (0, 0), (1, 0), (2, 0)):
        meant = [others[i] if i == place else item for i, item in enumerate(chosen)]
        _, out, _ = evaluated(capsys, files, *(word for item in meant for word in ("--as", item)))
        assert pd.read_csv(io.StringIO(out))["value"].tolist() == [value]


@pytest.mark.parametrize(("chosen", "status", "words"), CASES["not_chosen"])
def test_invalid_choices_are_refused(capsys, files, chosen, status, words):
    result, out, err = evaluated(
        capsys, files, "--as", "yake.csv:document=doc_id,keyphrases=x,score=score", "--as", chosen
    )
    assert (result, out) == (status, "")
    assert words in err
    assert err.count("\n") == 1


EXTRACT, DOCUMENTS = ["extract", *TEXTS], LECTURES / "documents.jsonl"


def test_jsonl_is_a_system_that_evaluate_reads(capsys, tmp_path):
    out = tmp_path / "found.jsonl"
    status, printed, err = run(capsys, *EXTRACT, "--method", "tfidf-chunks", "--top", "20", "--out", str(out))
    assert (status, printed) == (0, "")
    assert "info: tfidf-chunks: This system is reconstructed from the results section" in err
    gold = LECTURES / "gold.csv"
    asked = ["--measures", "F1@6", "--format", "csv", "--interval", "none"]
    _, printed, _ = run(capsys, "evaluate", "--gold", str(gold), "--system", str(out), *asked)
    result = kp.extract(DOCUMENTS, "tfidf-chunks", 20)
    expected = kp.evaluate(kp.load(gold, result.as_source()), k=6, measures="F1@6", interval="none").frame
    row = pd.read_csv(io.StringIO(printed)).iloc[0]
    assert (row["system"], row["value"]) == ("tfidf-chunks", pytest.approx(expected["value"].iloc[0]))
    assert expected["value"].iloc[0] > 0.1


def test_sentences_are_listed(capsys):
    rows = answered(capsys, "sentences", *TEXTS)
    assert len(rows) == 370
    assert rows[2]["sentence"] == "lecture-01#s003"


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
