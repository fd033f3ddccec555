"""The command extract prints what `kp.extract` returns, in a form that the other commands read."""

import io

import pandas as pd
import pytest

import kp_core as kp
from tests.unit.test_cli import SAMPLE as LECTURES
from tests.unit.test_cli import run

SAMPLE, TEXTS = LECTURES.parent, LECTURES / "documents.jsonl"
DATA = ["extract", "--documents", str(TEXTS)]


def printed_csv(capsys, *arguments):
    return pd.read_csv(io.StringIO(run(capsys, *DATA, *arguments, "--format", "csv")[1]), keep_default_na=False)


def test_jsonl_is_a_system_that_evaluate_reads(capsys, tmp_path):
    out = tmp_path / "found.jsonl"
    status, printed, err = run(capsys, *DATA, "--method", "tfidf-chunks", "--top", "20", "--out", str(out))
    assert (status, printed) == (0, "")
    assert "info: tfidf-chunks: This system is reconstructed from the results section" in err
    gold = SAMPLE / "lectures" / "gold.csv"
    asked = ["--measures", "F1@6", "--format", "csv", "--interval", "none"]
    _, printed, _ = run(capsys, "evaluate", "--gold", str(gold), "--system", str(out), *asked)
    found = kp.extract(TEXTS, "tfidf-chunks", 20)
    expected = kp.evaluate(kp.load(gold, found.as_source()), k=6, measures="F1@6", interval="none").frame
    row = pd.read_csv(io.StringIO(printed)).iloc[0]
    assert (row["system"], row["value"]) == ("tfidf-chunks", pytest.approx(expected["value"].iloc[0]))
    assert expected["value"].iloc[0] > 0.1


def test_csv_and_table_hold_the_parameters_asked_for(capsys, tmp_path):
    glossary = tmp_path / "glossary.txt"
    glossary.write_text("inverted index\nposting list\t.5\n", encoding="utf-8")
    options = ["--method", "phrase-boosting", "--external", str(glossary), "--beta", "3"]
    expected = kp.extract(TEXTS, "phrase-boosting", None, glossary, beta=3).frame
    found = printed_csv(capsys, *options, "--top", "all")
    assert found["phrase"].tolist() == expected["phrase"].tolist()
    assert found["score"].tolist() == pytest.approx(expected["score"].tolist())
    _, out, _ = run(capsys, *DATA, *options, "--top", "1", "--format", "table")
    assert out.splitlines()[1].split()[:4] == ["phrase-boosting", "lecture-01", "1", "inverted"]
    assert "|beta:3|external:2-phrases-" in out.splitlines()[-1]


def test_documents_and_phrases_are_named_apart(capsys, tmp_path):
    book, glossary = tmp_path / "book.jsonl", tmp_path / "glossary.txt"
    book.write_text('{"id": "e1", "text": "An inverted index has a postings list."}\n', encoding="utf-8")
    glossary.write_text("inverted index\nlist, of postings\n", encoding="utf-8")
    more = ["--method", "document-boosting,phrase-boosting", "--top", "3", "--lambda", "2", "--m", "1"]
    found = printed_csv(capsys, *more, "--external", str(book), "--phrases", str(glossary))
    both = {"documents": book, "phrases": glossary}
    expected = kp.extract(TEXTS, ["document-boosting", "phrase-boosting"], 3, both, m=1, lam=2)
    assert found["phrase"].tolist() == expected.frame["phrase"].tolist()
    assert "external:2-phrases-" in expected.settings["phrase-boosting"]
    status, _, err = run(capsys, *DATA, *more, "--external", str(book), str(glossary))
    assert status == 1
    assert "name them apart: --external and --phrases" in err


@pytest.mark.parametrize("content", ["the, of\n", "the of", "of;the", "the | the article\nof  | and\n| end\n"])
def test_stop_words_on_one_line_are_not_taken_for_a_table(capsys, tmp_path, content):
    stop = tmp_path / "stop.txt"
    stop.write_text(content, encoding="utf-8")
    found = printed_csv(capsys, "--stop-words", str(stop), "--top", "5", "--stemmer", "none")
    expected = kp.extract(TEXTS, "tfidf", 5, stop_words=["the", "of"], stemmer="none").frame
    assert found["phrase"].tolist() == expected["phrase"].tolist()
    stop.write_text("\n| nothing\n", encoding="utf-8")
    assert run(capsys, *DATA, "--stop-words", str(stop))[::2] == (
        1,
        "kpscope: stop.txt: expected stop words, one a line, found no word. Load another file.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["extract"], 2, "--documents is missing"),
        ([*DATA, "--method", "document-boosting"], 2, "document-boosting needs external documents"),
        ([*DATA, "--method", "rake"], 2, "there is no system 'rake'; choose among: tfidf, tfidf-chunks"),
        ([*DATA, "--format", "latex"], 2, 'Choose from: "jsonl", "csv", "table"'),
        ([*DATA, "--top", "many"], 2, "top is 'many'; write a number or all"),
        (["extract", "--documents", str(SAMPLE / "nowhere")], 1, "no such file"),
        (["extract", "--documents", str(SAMPLE / "chinese/documents.jsonl")], 1, "no English tokens in document zh-01"),
    ],
)
def test_one_message_for_everything_that_goes_wrong(capsys, arguments, status, message):
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1
