"""Requests that cannot be summed over parts are refused with a reason; notes on rejected rows are added up."""

import json
from pathlib import Path
from typing import Any

import pytest

import kp_core as kp
from kp_core import scale
from kp_core.cli import main
from tests.scale.tables import draw, engine, in_memory, write


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"universe": "vocabulary"}, "set of all phrases of the collection"),
        ({"annotators": "others"}, "one gold standard per annotator"),
        ({"annotators": "nobody"}, "there is no gold 'nobody'"),
        ({"by": "length"}, "lengths of all texts at once"),
        ({"by": "presence"}, "choose by = group"),
        ({"measures": (), "agreement": ["K", "alpha-MASI"]}, "alpha-MASI compares the choices of all documents"),
        ({"comparisons": [scale.Family("F1@k", "wilcoxon")]}, "ranks the differences of all documents"),
    ],
)
def test_options_needing_all_documents_are_refused(options: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(kp.UsageError, match=reason):
        scale.stream(*write(draw(0, documents=5), tmp_path), **options)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("gold.jsonl", '{"id": "d1", "keyphrases": ["a", "b"]}\n', r"one row per phrase.*kpscope convert --to parquet"),
        ("s.csv", "doc_id,phrase,score\nd1,a,0.5\n", "high or low scores are better depends on all lists"),
        ("s.csv", "doc_id,phrase,rank\nd1,a,first\n", r"^s.csv: .*CSV conversion error to int64: .*'first'"),
        (
            "s.csv",
            "doc_id,phrase,rank\n" + "d1,,1\n" * 30,
            "expected at most 20% invalid rows, found 30 invalid rows of 78 rows",
        ),
    ],
)
def test_tables_of_other_forms_are_refused_with_remedy(name: str, text: str, reason: str, tmp_path: Path) -> None:
    gold, _, _ = write(draw(0, documents=5), tmp_path / "t")
    (tmp_path / name).write_text(text)
    with pytest.raises(kp.InputError, match=reason) as raised:
        scale.evaluate(tmp_path / name if name == "gold.jsonl" else gold, tmp_path / name, options=engine(3))
    assert str(tmp_path) not in str(raised.value)


def test_command_line_streams_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = {name: table for name, table in draw(0, documents=20, systems=2).items() if name != "documents"}
    given, corpus, statistics = write(tables, tmp_path), in_memory(tables), tmp_path / "s.npz"
    data = ["--gold", str(given.gold)]
    systems = [word for name, path in given.systems.items() for word in ("--system", f"{name}={path}")]

    def said(*options: str) -> tuple[dict[str, Any], str]:
        assert main(["evaluate", *data, *systems, "--format", "json", *options]) == 0
        out, err = capsys.readouterr()
        return json.loads(out), err

    result, err = said("--stream", "--k", "3", "--save-statistics", str(statistics))
    assert result["signature"] == kp.evaluate(corpus, k=3, interval="poisson").signature
    assert "parts · " in err
    assert scale.open_statistics(statistics).documents == result["rows"][0]["documents"]
    assert main(["evaluate", *data, *systems, "--stream", "--encoding", "latin-1"]) == 2
    assert main(["evaluate", "--gold", "nothing.csv", "--system", "nothing.csv"]) == 1


def test_unwritable_outputs_are_refused_before_the_run(tmp_path: Path) -> None:
    tables = {name: table for name, table in draw(0, documents=5).items() if name != "documents"}
    given = write(tables, tmp_path)
    for path, found in ((tmp_path / "nowhere" / "run.npz", "no such folder"), (tmp_path, "a folder")):
        with pytest.raises(kp.InputError, match=f"found {found}"):
            scale.evaluate(*given, measures="MAP", options=engine(checkpoint=path))


def test_a_failing_part_names_its_documents_and_files(tmp_path: Path) -> None:
    given = write(draw(0, systems=1), tmp_path)
    part = r"part \d+ \(documents from .*\) of gold.parquet, s0.parquet, .*universe 12"
    with pytest.raises(kp.InputError, match=part) as raised:
        scale.evaluate(*given, k=3, measures="kappa", universe=12, options=engine(60))
    assert raised.value.remedy.startswith("Choose N = ")
