"""Tidy and TREC files are read back as the same corpus; `convert` writes them, and lists what is lost."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kp_core.errors import InputError
from kp_core.reading.lists.lines import unescape
from kp_core.takeaway.tidy import file_names
from kp_core.takeaway.trec_files import escape, trec
from tests.cases import LECTURES
from tests.corpora import corpus_of
from tests.unit import test_cli as cli
from tests.unit.test_cli import run

DATA = [*cli.DATA, *cli.TEXTS, "--judgements", str(LECTURES / "judgements.csv")]


@given(st.text(max_size=12))
@settings(max_examples=40)
def test_escaped_text_has_no_blanks_and_reads_back(text):
    coded = escape(text)
    assert not coded or coded.split() == [coded]
    assert unescape(coded) == text


def test_data_lost_in_trec_are_listed():
    corpus = corpus_of({"d": [("a", "b")], "e": []}, {"s": {"d": []}}, texts={"d": "A text."})
    messages = [f"{note.where}: {note.message}" for note in trec(corpus).notes]
    left_out = "left out, because TREC files contain only ids, phrases, grades and scores"
    assert messages == [
        "gold standard: 1 keyphrase with several spellings; the first is written.",
        f"gold standard: 1 empty list {left_out}.",
        f"systems: 1 empty list {left_out}.",
        f"documents: 1 cell {left_out}.",
    ]
    with pytest.raises(InputError, match="whole grades"):
        trec(corpus_of({"d": ["a"]}, grades={"d": {"a": 0.5}}))


def test_file_names_stay_in_their_folder():
    names = file_names(["../etc", "a b", "a/b", "a_b", ".", "Ärger"], ".run")
    assert names == [f"{name}.run" for name in ("_etc", "a_b", "a_b-2", "a_b-3", "_", "Ärger")]


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
    asked = ["evaluate", "--k", "5", "--measures", "F1@k,MAP", "--interval", "none"]
    after = cli.answered(capsys, *asked, "--gold", str(gold), "--system", str(system))
    assert after["rows"] == cli.answered(capsys, *asked, *cli.DATA)["rows"]


def test_nothing_is_overwritten_unasked(tmp_path, capsys):
    (tmp_path / "gold.csv").write_text("mine")
    status, out, err = run(capsys, "convert", *DATA[:2], "--out", str(tmp_path))
    assert (status, out) == (2, "")
    assert "gold.csv already exists" in err
    assert [path.name for path in tmp_path.iterdir()] == ["gold.csv"]
    assert run(capsys, "convert", *DATA[:2], "--out", str(tmp_path), "--force")[0] == 0
    assert (tmp_path / "gold.csv").read_text().startswith("doc_id,")
