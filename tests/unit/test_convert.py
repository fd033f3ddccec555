"""Tidy and TREC files are read back as the same corpus; `convert` writes them, and says what stays behind."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kp_core as kp
from kp_core.cli import main
from kp_core.errors import InputError
from kp_core.reading import Source
from kp_core.reading.open.values import EDGES
from kp_core.reading.rows.tidy import escape, file_names, tidy, unescape
from kp_core.takeaway.trec_files import trec
from kp_core.takeaway.workspace_file import read_workspace
from tests.cases import LECTURES
from tests.corpora import corpus_of
from tests.read_back import back, rows
from tests.unit.test_cli import run

DATA = [
    *("--gold", str(LECTURES / "gold.csv"), "--system", str(LECTURES / "systems" / "yake.csv")),
    *("--documents", str(LECTURES / "documents.jsonl"), "--judgements", str(LECTURES / "judgements.csv")),
]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_gold_with_a_system_column_reads_back(form):
    row = {"doc_id": "d1", "annotator": "gold", "phrase": "tide table", "system (file)": "yake", "rank": 1}
    meant = kp.Mapping.read("document=doc_id,keyphrases=phrase,annotator=annotator")
    corpus = kp.load(gold=pd.DataFrame([row]), mapping={"gold": meant})
    again = back(tidy(corpus, form))
    assert (again.annotators, rows(again.gold, ["doc_id", "phrase"])) == (["gold"], [["d1", "tide table"]])


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


# TREC


anything = st.text(max_size=12)
#: What a corpus may hold: trimmed, without half characters.
trimmed = (
    st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" %_\t\u00a0\u2028\u3000|;,'\"#Q0"), max_size=10)
    .map(lambda text: text.strip(EDGES).replace("\0", ""))
    .map(lambda text: text.strip(EDGES))
    .filter(bool)
)
unique = st.dictionaries(trimmed, st.lists(trimmed, unique=True, max_size=5), min_size=1, max_size=4)


@given(anything)
@settings(max_examples=40)
def test_escaped_text_has_no_blanks_and_reads_back(text):
    coded = escape(text)
    assert not coded or coded.split() == [coded]
    assert unescape(coded) == text


@given(
    st.dictionaries(trimmed | st.sampled_from(["gold", "0", "Q0"]), unique, min_size=1, max_size=3),
    st.dictionaries(trimmed, unique, max_size=3),
)
@settings(max_examples=25)
def test_a_corpus_written_as_trec_and_read_again_is_the_same(gold, runs):
    corpus = corpus_of(gold, runs)
    made = trec(corpus) if len(corpus.gold) + len(corpus.runs) else None
    empties = sum(not phrases for by in (gold, runs) for lists in by.values() for phrases in lists.values())
    if made is None:
        with pytest.raises(InputError, match="no keyphrase"):
            trec(corpus)
        return
    said = sum(int(note.message.split()[0]) for note in made.notes if "empty list" in note.message)
    assert said == empties
    again = back(made)
    for table, columns in (
        ("gold", ["annotator", "doc_id", "phrase"]),
        ("runs", ["system", "doc_id", "rank", "phrase"]),
    ):
        written, corpus_rows = (sorted(rows(getattr(one, table), columns)) for one in (again, corpus))
        assert written == corpus_rows
    assert again.runs["score"].isna().all()  # scores that only count down are the order, nothing more


def test_grades_and_falling_scores_are_kept():
    corpus = corpus_of(
        {"d1": ["a b", "c"], "d2": ["e"]},
        {"s": {"d1": ["c", "x"], "d2": ["e"]}},
        grades={"d1": {"a b": 2, "c": 0}, "d2": {"e": 1}},
        scores={"s": {"d1": [0.7, 0.1], "d2": [-3.5]}},
    )
    made = trec(corpus)
    assert made.files["gold/gold.qrels"] == b"d1 0 a%20b 2\nd1 0 c 0\nd2 0 e 1\n"
    assert made.files["systems/s.run"] == b"d1 Q0 c 1 0.7 s\nd1 Q0 x 2 0.1 s\nd2 Q0 e 1 -3.5 s\n"
    assert made.notes == []
    again = back(made)
    assert again.gold["relevance"].tolist() == [2, 0, 1]
    assert again.runs["score"].tolist() == [0.7, 0.1, -3.5]


def test_scores_that_single_precision_would_tie_count_down():
    corpus = corpus_of({"d": ["a"]}, {"s": {"d": ["a", "b"]}}, scores={"s": {"d": [1.0, 1.0 - 1e-9]}})
    made = trec(corpus)
    assert made.files["systems/s.run"] == b"d Q0 a 1 2 s\nd Q0 b 2 1 s\n"
    assert [note.message for note in made.notes] == [
        "2 scores do not fall at every step, so they are written as n - rank + 1."
    ]


def test_normalised_forms_make_equal_phrases_equal_ids():
    corpus = corpus_of({"d": ["Hash tables", "hash table", "sea"]}, {"s": {"d": ["HASH TABLE", "hash tables", "x"]}})
    made = trec(corpus, "lower+porter-nltk")
    assert made.files["gold/gold.qrels"] == b"d 0 hash%20tabl 1\nd 0 sea 1\n"
    assert made.files["systems/s.run"] == b"d Q0 hash%20tabl 1 2 s\nd Q0 x 2 1 s\n"
    assert [note.message.split(";")[0] for note in made.notes] == [
        "1 keyphrase repeats another one of its list",
        "1 phrase repeats another one of its list",
    ]


def test_the_union_counts_annotators_where_there_are_no_grades():
    corpus = corpus_of({"ana": {"d": ["a", "b"]}, "ben": {"d": ["b"], "e": ["c"]}})
    assert trec(corpus, union=True).files == {"gold/union.qrels": b"d 0 a 1\nd 0 b 2\ne 0 c 1\n"}
    assert trec(corpus).files == {
        "gold/ana.qrels": b"d ana a 1\nd ana b 1\n",
        "gold/ben.qrels": b"d ben b 1\ne ben c 1\n",
    }


def test_what_trec_cannot_hold_is_said():
    corpus = corpus_of({"d": [("a", "b")], "e": []}, {"s": {"d": []}}, texts={"d": "A text."})
    messages = [f"{note.where}: {note.message}" for note in trec(corpus).notes]
    assert messages == [
        "gold standard: 1 empty list; TREC has no line for it.",
        "systems: 1 empty list; TREC has no line for it.",
        "gold standard: 1 keyphrase with several spellings; the first is written.",
        "documents: 1 document with a text, title or group; TREC holds ids only.",
    ]
    with pytest.raises(InputError, match="whole grades"):
        trec(corpus_of({"d": ["a"]}, grades={"d": {"a": 0.5}}))


def test_file_names_stay_in_their_folder():
    assert file_names(["../etc", "a b", "a/b", "a_b", ".", "Ärger"], ".run") == [
        "_etc.run",
        "a_b.run",
        "a_b-2.run",
        "a_b-3.run",
        "_.run",
        "Ärger.run",
    ]


# reading files of others


# the command line


def test_qrels_of_sixty_megabytes_take_less_than_a_gigabyte():
    code = (
        "import kp_core as kp, psutil\n"
        "from kp_core.reading import Source\n"
        "text = ''.join(f'{n // 500} 0 phrase%20number%20{n} {n % 3}\\n' for n in range(1_500_000)).encode()\n"
        "before = psutil.Process().memory_info().rss\n"
        "corpus = kp.load(gold=Source('a.qrels', text))\n"
        "import re\n"  # the peak that getrusage gives begins with that of the process that started this one
        "peak = int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) * 1024\n"
        "print(len(corpus.gold), (peak - before) // 1_000_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows, megabytes = map(int, done.stdout.split())
    assert rows == 1_500_000
    assert megabytes < 1_000


@pytest.mark.parametrize("form", ["tidy", "jsonl", "parquet", "trec"])
def test_the_command_writes_files_that_evaluate_reads(form, tmp_path, capsys):
    status, out, err = run(capsys, "convert", *DATA, "--to", form, "--out", str(tmp_path / "new"))
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
    status, out, err = run(capsys, "convert", *DATA[:2], "--out", str(tmp_path))
    assert (status, out) == (2, "")
    assert "gold.csv is there already" in err
    assert [path.name for path in tmp_path.iterdir()] == ["gold.csv"]
    assert run(capsys, "convert", *DATA[:2], "--out", str(tmp_path), "--force")[0] == 0
    assert (tmp_path / "gold.csv").read_text().startswith("doc_id,")


@pytest.mark.parametrize("form", ["tidy", "jsonl", "parquet", "workspace", "trec"])
def test_the_vocabulary_goes_along(form, tmp_path, capsys):
    titles = LECTURES.parent / "titles"
    data = ["--gold", str(titles / "indexers.csv"), "--system", str(titles / "systems")]
    tables = {name: str(titles / f"{name}.csv") for name in ("broader", "frequencies")}
    before = kp.load(gold=data[1], **tables).vocabulary.given
    options = [word for name, path in tables.items() for word in (f"--{name}", path)]
    assert main(["convert", *data, *options, "--to", form, "--out", str(tmp_path / "out")]) == 0
    if form == "trec":
        assert "broader: 52 rows of the vocabulary; TREC has no place for it" in capsys.readouterr().err
        return
    if form == "workspace":
        corpus = read_workspace(tmp_path / "out" / "workspace.kpscope").uploads.load()
    else:
        corpus = kp.load(files=sorted((tmp_path / "out").iterdir()))
    after = corpus.vocabulary.given
    assert list(after) == list(before) == ["broader", "frequencies"]
    assert all(after[name].equals(before[name]) for name in before)
