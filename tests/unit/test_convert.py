"""Files in the tidy form are read back as the same corpus; `convert` writes them, and says what stays behind."""

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kp_core as kp
from kp_core.cli import main
from kp_core.reading import Source
from kp_core.reading.tidy import tidy
from kp_core.reading.values import EDGES
from tests.corpora import corpus_of
from tests.read_back import ENDINGS, back, rows, same

LECTURES = Path(__file__).resolve().parents[2] / "sample_data" / "lectures"
DATA = [
    "--gold",
    str(LECTURES / "gold.csv"),
    "--system",
    str(LECTURES / "systems" / "yake.csv"),
    "--documents",
    str(LECTURES / "documents.jsonl"),
    "--judgements",
    str(LECTURES / "judgements.csv"),
]
letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0") | st.sampled_from(" ;,|\t\"'%_[]\n")
phrase = st.text(letters, max_size=9).map(lambda text: text.strip(EDGES)).filter(bool)
entries = st.lists(phrase | st.lists(phrase, min_size=2, max_size=3), max_size=4)
lists = st.dictionaries(phrase, entries, min_size=1, max_size=4)
predictions = st.dictionaries(phrase, st.lists(phrase, max_size=5), max_size=4)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=15)
@given(st.dictionaries(phrase, lists, min_size=1, max_size=3), st.dictionaries(phrase, predictions, max_size=2))
@example({"0": {"0@": [";"]}}, {})
def test_a_corpus_written_and_read_again_is_the_same(ending, gold, runs):
    corpus = corpus_of(gold, runs)
    again = back(tidy(corpus, ending))
    assert again.report.rejected.empty
    same(again, corpus)


@pytest.mark.parametrize("ending", ENDINGS)
def test_grades_scores_texts_and_types_are_kept(ending):
    corpus = corpus_of(
        {"ana": {"007": ["a;b"], "8": []}, "ben": {"007": [("c", "d")]}},
        {"s": {"007": ["x", "a;b"], "9": []}},
        grades={"007": {"a;b": 0.5}},
        scores={"s": {"007": [0.1, 0.25]}},
        texts={"007": "Tides [sep] rise.\r\n\tTwice, “daily”.", "8": "=1+1"},
        higher=False,
    )
    corpus.documents.loc[0, "group"] = "news"
    again = back(tidy(corpus, ending))
    same(again, corpus)
    assert not again.rankings["s"].higher_is_better
    assert again.documents.loc[again.documents["doc_id"] == "007", "text"].item().startswith("Tides [sep] rise.\r\n\t")


@pytest.mark.parametrize("ending", ENDINGS)
def test_judgements_with_and_without_documents_are_kept(ending):
    table = pd.DataFrame(
        [
            ("p1", "d1", "tide table", "tide", "ana", 3.0),
            ("p1", "d1", "tide table", "tide", "ben", 2.0),
            ("p2", None, "sea", "the sea", "ana", 4.0),
        ],
        columns=["pair_id", "doc_id", "keyphrase", "candidate", "annotator", "score"],
    )
    table = table.astype(dict.fromkeys(["pair_id", "doc_id", "keyphrase", "candidate", "annotator"], "str"))
    corpus = kp.Corpus(judgements=table)
    again = back(tidy(corpus, ending))
    assert rows(again.judgements, list(table)) == rows(table, list(table))


@pytest.mark.parametrize("empty_phrase", ["", "tide"])
def test_a_phrase_beside_yes_is_a_phrase(empty_phrase):
    text = f"doc_id,annotator,phrase,empty\nd1,ana,sea,\nd2,ana,{empty_phrase},yes\n"
    corpus = kp.load(gold=Source("g.csv", text.encode()))
    assert corpus.empty["doc_id"].tolist() == ([] if empty_phrase else ["d2"])
    assert len(corpus.gold) == (2 if empty_phrase else 1)
    reading = corpus.report.readings[0]
    assert (reading.rows_read, reading.rows_blank) == (2, 0 if empty_phrase else 1)


def test_what_a_table_cannot_hold_is_said():
    corpus = corpus_of({"d": ["=cmd()"]}, {"s": {"d": ["a", "b"]}}, scores={"s": {"d": [1.0, 1.0]}})
    corpus.rankings["silent"] = corpus.rankings["s"]
    messages = [f"{note.where}: {note.message}" for note in tidy(corpus).notes]
    assert [message.split(";")[0] for message in messages] == [
        "s: 1 phrase follows one of equal score",
        "silent: 1 system without any list",
        "gold.csv: 1 cell begins like a formula",
    ]


def test_a_blank_column_of_variants_takes_no_keyphrase_away():
    corpus = kp.load(gold=Source("g.csv", b"doc_id,phrase,variants\nd1,sea,\nd2,tide,\n"))
    assert "variants" not in corpus.gold
    result = kp.evaluate(
        kp.load(
            gold=Source("g.csv", b"doc_id,phrase,variants\nd1,sea,\nd1,tide,high tide\n"),
            systems={"s": {"d1": ["tide", "sea"]}},
        ),
        k=2,
        measures="F1@k",
    )
    assert result.frame["value"].tolist() == [1.0]


# the command line


def run(capsys, *arguments):
    status = main(["convert", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("form", ["tidy", "jsonl", "parquet", "trec"])
def test_the_command_writes_files_that_evaluate_reads(form, tmp_path, capsys):
    status, out, err = run(capsys, *DATA, "--to", form, "--out", str(tmp_path / "new"))
    assert status == 0
    written = [Path(line.rsplit(" (", 1)[0]) for line in out.splitlines()]
    assert len(written) == 4
    assert sorted(written) == sorted(path for path in (tmp_path / "new").rglob("*") if path.is_file())
    gold = tmp_path / "new" / "gold" if form == "trec" else next(path for path in written if path.stem == "gold")
    system = next(path for path in written if path.stem in ("yake", "systems"))
    assert ("documents" in err) == (form == "trec")
    arguments = ["evaluate", "--k", "5", "--measures", "F1@k,MAP", "--interval", "none", "--format", "json"]
    assert main([*arguments, *DATA[:4]]) == 0
    before = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--gold", str(gold), "--system", str(system)]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == before["rows"]


def test_nothing_is_overwritten_unasked(tmp_path, capsys):
    (tmp_path / "gold.csv").write_text("mine")
    status, out, err = run(capsys, *DATA[:2], "--out", str(tmp_path))
    assert (status, out) == (2, "")
    assert "gold.csv is there already" in err
    assert [path.name for path in tmp_path.iterdir()] == ["gold.csv"]
    assert run(capsys, *DATA[:2], "--out", str(tmp_path), "--force")[0] == 0
    assert (tmp_path / "gold.csv").read_text().startswith("doc_id,")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([*DATA, "--to", "xml", "--out", "x"], 2, 'Choose from: "tidy"'),
        ([*DATA], 2, "--out is missing"),
        (["--out", "x"], 2, "name the files to convert"),
        ([*DATA, "--out", "x", "--normalise", "lower"], 2, "go with --to trec"),
        (["--gold", "no-such-file.csv", "--out", "x"], 1, "no such file"),
        ([*DATA, "--to", "trec", "--out", "x", "--normalise", "shout"], 2, "no normalisation step 'shout'"),
    ],
)
def test_wrong_usage_and_refused_data(arguments, status, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (status, "")
    assert said in err
    assert not list(tmp_path.iterdir())
