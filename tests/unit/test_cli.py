"""The command line: the JSON contract, the formats, exit statuses, and one message for everything that goes wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.settings import settings_from

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "lectures"
DATA = ["--gold", str(SAMPLE / "gold.csv"), "--system", str(SAMPLE / "systems" / "yake.csv")]
GOLD = ["--gold", str(SAMPLE / "gold.csv"), "--documents", str(SAMPLE / "documents.jsonl")]
SYSTEMS = ["--system", *(str(path) for path in sorted((SAMPLE / "systems").iterdir()))]
KEYS = ["system", "measure", "k", "average", "subset", "value", "low", "high", "documents", "undefined", "reason"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(
        capsys, "evaluate", *DATA, "--k", "5,gold,all", "--measures", "P@k,kappa,MAP,bpref", "--format", "json"
    )
    assert status == 0
    found = json.loads(out)
    assert list(found) == ["signature", "settings", "notes", "rows"]
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
    corpus = kp.load(gold=SAMPLE / "gold.csv", systems=[SAMPLE / "systems" / "yake.csv"])
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


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["evaluate", "--gold", "nowhere.csv", *DATA[2:]], 1, "nowhere.csv"),
        (["evaluate", *DATA[:2]], 2, "--system is missing"),
        (["evaluate", *DATA, "--rel", "nan"], 2, "rel is nan"),
        (["evaluate", *DATA, "--out", "/nowhere/x"], 2, "cannot write to /nowhere/x"),
        (["evaluate", "--system", "x.csv"], 2, "--gold is missing"),
        (["evaluate", *DATA, "--k", "banana"], 2, "banana"),
        (["evaluate", *DATA, "--format", "pdf"], 2, 'Invalid value "pdf" for --format. Choose from: '),
        (["evaluate", *DATA, "--universe", "3"], 1, "Choose N = "),
        (["evaluate", *DATA, "--nonsense"], 2, "Unknown option: --nonsense."),
        (["evaluates"], 2, 'Unknown command "evaluates".'),
        ([], 2, "name a command"),
        (["agreement", *DATA[:2], "--measures", "MAP"], 2, "annotators have none"),
        (["trim", *GOLD, "--threshold", "3"], 2, "K is between -1 and 1"),
        (["compare", *GOLD, *SYSTEMS, "--test", "t", "--average", "micro"], 2, "choose average = macro"),
        (["compare", *GOLD, *SYSTEMS[:2]], 2, "at least two systems"),
        (["evaluate", *GOLD, *SYSTEMS, "--measures", "K"], 2, "ask `agreement` for it"),
        (["compare", *GOLD, *SYSTEMS, "--annotators", "others"], 2, "leaves each annotator out in turn"),
        (["validate", "--gold", str(SAMPLE / "gold.csv"), "--k", "x"], 2, 'convert "x" into int'),
    ],
)
def test_one_message_and_a_status_for_what_goes_wrong(
    arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out, err = run(capsys, *arguments)
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
    ("form", "line"),
    [
        ("csv", "gold,A,3,8,2,2.6666666666666665,3,"),
        ("markdown", "| gold | A | 3 | 8 | 2 | 2.6667 | 3 |"),
        ("latex", "gold & A & 3 & 8 & 2 & 2.6667 & 3 &"),
    ],
)
def test_validate_writes_the_table_of_sources_in_other_formats(
    capsys: pytest.CaptureFixture[str], form: str, line: str
) -> None:
    templates = SAMPLE.parent / "templates"
    asked = ["--gold", str(templates / "gold.csv"), "--system", str(templates / "system.csv"), "--format", form]
    status, out, _ = run(capsys, "validate", *asked)
    assert status == 0
    assert sum(one.startswith(line) for one in out.splitlines()) == 1
