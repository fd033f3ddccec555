"""What cannot be added up over parts is refused with its reason; what is rejected or odd is said, added up."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core import scale
from kp_core.cli import main
from kp_core.scale.similarities import similarity
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
def test_what_needs_all_documents_at_once_is_refused(options: dict[str, Any], reason: str, tmp_path: Path) -> None:
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
        scale.evaluate(tmp_path / name if name == "gold.jsonl" else gold, tmp_path / name, engine=engine(3))
    assert str(tmp_path) not in str(raised.value)


def test_command_line_streams_on_request_and_beyond_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = {name: table for name, table in draw(0, documents=20, systems=2).items() if name != "documents"}
    given, corpus, statistics = write(tables, tmp_path), in_memory(tables), tmp_path / "s.npz"
    data = ["--gold", str(given.gold)]
    systems = [word for name, path in given.systems.items() for word in ("--system", f"{name}={path}")]

    def said(*options: str) -> tuple[dict[str, Any], str]:
        assert main(["evaluate", *data, *systems, "--format", "json", *options]) == 0
        out, err = capsys.readouterr()
        return json.loads(out), err

    found, err = said("--stream", "--k", "3", "--save-statistics", str(statistics))
    assert found["signature"] == kp.evaluate(corpus, k=3, interval="poisson").signature
    assert "parts · " in err
    assert scale.open_statistics(statistics).documents == found["rows"][0]["documents"]
    assert main(["evaluate", *data, *systems, "--stream", "--encoding", "latin-1"]) == 2
    assert main(["evaluate", "--gold", "nothing.csv", "--system", "nothing.csv"]) == 1
    monkeypatch.setattr("kp_core.scale.sources.LIMITS", kp.reading.limits.Limits(rows=10))
    capsys.readouterr()
    found, err = said("--k", "3")
    assert "beyond the limits of an evaluation in memory, so the tables are streamed" in err
    assert "ci:poisson" in found["signature"]


def test_streamed_similarity_equals_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = ["hash", "table", "tables", "tree", "graph", ""]
    pairs = pd.DataFrame(
        {side: [" ".join(rng.choice(words, 3)).strip() for _ in range(50)] for side in ("keyphrase", "candidate")}
    )
    pairs.to_csv(tmp_path / "pairs.csv", index=False)
    measures = ["R-precision", "BLEU", "jaccard"]
    memory = kp.similarity(pairs, measures)
    read = {"parquet": pd.read_parquet, "csv": pd.read_csv, "jsonl": lambda path: pd.read_json(path, lines=True)}
    for ending in read:
        summary = similarity(tmp_path / "pairs.csv", measures, tmp_path / f"scores.{ending}")
        found = read[ending](tmp_path / f"scores.{ending}")
        assert found["measure"].tolist() == memory["measure"].tolist()
        np.testing.assert_allclose(found["value"].to_numpy(float), memory["value"].to_numpy(float), rtol=1e-9)
    means = memory.groupby("measure", sort=False)["value"]
    np.testing.assert_allclose(summary["mean"], means.mean(), rtol=1e-12)
    assert summary["undefined"].tolist() == means.apply(lambda one: one.isna().sum()).tolist()
    with pytest.raises(kp.UsageError, match="'NIST' needs all pairs at once"):
        similarity(tmp_path / "pairs.csv", ["NIST"], tmp_path / "x.csv")
    asked = ["similarity", "--pairs", str(tmp_path / "pairs.csv"), "--measures", "BLEU", "--stream"]
    assert main([*asked, "--out", str(tmp_path / "by_command.csv")]) == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "by_command.csv"), kp.similarity(pairs, ["BLEU"]))
    assert main(asked) == 2


def test_unwritable_outputs_are_refused_before_the_run(tmp_path: Path) -> None:
    tables = {name: table for name, table in draw(0, documents=5).items() if name != "documents"}
    given = write(tables, tmp_path)
    for path, found in ((tmp_path / "nowhere" / "run.npz", "no such folder"), (tmp_path, "a folder")):
        with pytest.raises(kp.InputError, match=f"found {found}"):
            scale.evaluate(*given, measures="MAP", engine=engine(checkpoint=path))
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("keyphrase,candidate\na b,a\n")
    with pytest.raises(kp.UsageError, match=r"pairs\.csv would be read and written at the same time"):
        similarity(pairs, "BLEU", pairs)
    assert pairs.read_text() == "keyphrase,candidate\na b,a\n"
