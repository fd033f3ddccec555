"""The command `sentences` lists sentences, runs the study, and refuses in one line."""

import json
from pathlib import Path

import pytest

import kp_core as kp
from kp_core.cli import main

LECTURES = Path(__file__).resolve().parents[3] / "sample_data" / "lectures"
TEXTS = ["sentences", "--documents", str(LECTURES / "documents.jsonl")]


def test_sentences_are_listed(capsys):
    assert main([*TEXTS, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 370
    assert rows[2]["sentence"] == "lecture-01#s003"


def test_the_study_is_that_of_python(capsys, tmp_path):
    corpus = kp.load(gold=LECTURES / "sentences.csv", documents=LECTURES / "documents.jsonl")
    given = kp.list_sentences(corpus)[["sentence"]].assign(title_similarity="0", tf_idf="")
    given.to_csv(tmp_path / "own.csv", index=False)
    told = ["--gold", str(LECTURES / "sentences.csv"), "--attributes", str(tmp_path / "own.csv"), "--repeats", "1"]
    assert main([*TEXTS, *told, "--format", "json"]) == 0
    printed = capsys.readouterr()
    expected = kp.sentence_study(corpus, attributes=given.assign(tf_idf=None), repeats=1)
    found = json.loads(printed.out)
    assert found["signature"] == expected.signature
    assert [row["value"] for row in found["rows"]] == [
        None if value != value else value for value in expected.frame["value"]
    ]
    assert "370 of 370 sentences have no given value and count as 0" in printed.err


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["sentences"], 2, "--documents is missing"),
        ([*TEXTS, "--gold", str(LECTURES / "gold.csv")], 1, "“inverted index”"),
        ([*TEXTS, "--gold", str(LECTURES / "sentences.csv"), "--form", "x"], 2, "--form"),
        (
            [*TEXTS, "--gold", str(LECTURES / "sentences.csv"), "--attributes", str(LECTURES / "gold.csv")],
            1,
            "a table with the column sentence",
        ),
    ],
)
def test_what_is_wrong_is_refused(capsys, arguments, status, words):
    assert main(arguments) == status
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
