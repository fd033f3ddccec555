"""The commands of annotators and comparisons: the JSON contract, every format, and refusals in one line."""

import csv
import io
import json
from pathlib import Path

import pytest

import kp_core as kp
from tests.unit.test_cli import GOLD, KEYS, SAMPLE, SYSTEMS, run

PAIR = ["a", "b", "measure", "k", "average", "difference", "low", "high", "p", "p_adjusted", "documents"]
TRIM = ["document", "size", "K", "gold", "status", "reason"]


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
    assert list(found) == ["signature", "settings", "notes", "rows"]
    assert all(list(row) == keys for row in found["rows"])
    _, text, _ = run(capsys, *command, "--format", "csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == keys
    assert len(rows) == len(found["rows"]) + 1
    for form in ("table", "latex", "markdown"):
        assert run(capsys, *command, "--format", form)[0] == 0


def test_agreement_and_compare_are_those_of_the_api(capsys, lectures: kp.Corpus) -> None:
    _, out, _ = run(capsys, "agreement", *GOLD, "--measures", "K,kappa", "--average", "both", "--format", "json")
    people, found = kp.load(gold=SAMPLE / "gold.csv", documents=SAMPLE / "documents.jsonl"), json.loads(out)
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


def test_one_annotator_is_refused(capsys, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("doc_id,keyphrase\nd1,x\n", "utf-8")
    for command in ("agreement", "trim"):
        status, _, err = run(capsys, command, "--gold", str(gold))
        assert status == 1
        assert "expected at least two" in err
