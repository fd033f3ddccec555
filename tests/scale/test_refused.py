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
        ({"annotators": "others"}, "gold standard of its own"),
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
        ("gold.jsonl", '{"id": "d1", "keyphrases": ["a", "b"]}\n', r"one row a phrase.*kpscope convert --to parquet"),
        ("s.csv", "doc_id,phrase,score\nd1,a,0.5\n", "high or low scores are better is judged over all lists"),
        ("s.csv", "doc_id,phrase,rank\nd1,a,first\n", r"^s.csv: .*CSV conversion error to int64: .*'first'"),
        ("s.csv", "doc_id,phrase,rank\n" + "d1,,1\n" * 30, "expected at most 20 % such rows, found 30 of 78 rows"),
    ],
)
def test_tables_of_another_form_are_refused_with_the_remedy(name: str, text: str, reason: str, tmp_path: Path) -> None:
    gold, _, _ = write(draw(0, documents=5), tmp_path / "t")
    (tmp_path / name).write_text(text)
    with pytest.raises(kp.InputError, match=reason) as raised:
        scale.evaluate(tmp_path / name if name == "gold.jsonl" else gold, tmp_path / name, engine=engine(3))
    assert str(tmp_path) not in str(raised.value)


def test_a_system_with_the_name_of_another_row_is_refused(tmp_path: Path) -> None:
    given, said = write(draw(0, documents=5), tmp_path), "found the name of a baseline. Rename the system"
    for name in ("random k", "human ceiling"):
        systems = {name: given.systems["s0"]}
        with pytest.raises(kp.InputError, match=said):
            scale.stream(given.gold, systems)
        with pytest.raises(kp.InputError, match=said):
            kp.evaluate(kp.load(given.gold, systems))


def test_ids_with_blanks_are_trimmed_and_refused_where_that_would_tear_a_document(tmp_path: Path) -> None:
    gold, blanks = write(draw(0, documents=5), tmp_path).gold, tmp_path / "blanks.parquet"
    for ids in (["d000 ", "d001"], [" d003", "d001"]):
        pd.DataFrame({"doc_id": ids, "phrase": ["t1x", "a"], "rank": [1, 1]}).to_parquet(blanks, row_group_size=1)
        memory = kp.evaluate(kp.load(gold=gold, systems=blanks), k=3, interval="none")
        said = tuple(note for note in memory.notes if "Compare the files" not in note.message)
        assert scale.evaluate(gold, blanks, k=3, interval="none").notes == said
    with pytest.raises(kp.InputError, match="ids with blanks at their ends"):
        scale.evaluate(gold, blanks, engine=engine(1))


def test_ids_and_phrases_stay_text_and_rejected_rows_are_counted(tmp_path: Path) -> None:
    rows = '007,NA\n007,1e5\n8,"two\nlines"\n9,TRUE\n,lost\n10,\n' + "9,x\n" * 9
    (tmp_path / "gold.csv").write_text(f"doc_id,phrase\n{rows}")
    (tmp_path / "s.csv").write_text("doc_id,phrase,rank\n007,na,1\n7,1e5,1\n9,true,1\n9,,2\n8,two lines,1\n")
    found = scale.evaluate(tmp_path / "gold.csv", tmp_path / "s.csv", measures="hits@k", k=3, engine=engine(3))
    assert found.documents == 3
    assert found.frame["value"].tolist() == [1.0]
    said = [note.message for note in found.notes]
    # By their reasons alone: the lines of a part are not those of a file.
    assert [one for one in said if "rejected" in one] == [
        "3 rows were rejected and are not used: an empty id (1), an empty phrase (2)"
    ]
    assert "1 list for a document that the gold standard does not have is ignored: 7" in said


def test_the_command_line_streams_when_asked_and_beyond_the_limits(
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
    monkeypatch.setattr("kp_core.scale.memory.LIMITS", kp.reading.limits.Limits(rows=10))
    capsys.readouterr()
    found, err = said("--k", "3")
    assert "beyond the limits of an evaluation in memory, so the tables are streamed" in err
    assert "ci:poisson" in found["signature"]


def test_similarity_of_any_number_of_pairs_is_that_of_memory(tmp_path: Path) -> None:
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
    with pytest.raises(kp.UsageError, match="'NIST' looks at all pairs at once"):
        similarity(tmp_path / "pairs.csv", ["NIST"], tmp_path / "x.csv")
    asked = ["similarity", "--pairs", str(tmp_path / "pairs.csv"), "--measures", "BLEU", "--stream"]
    assert main([*asked, "--out", str(tmp_path / "by_command.csv")]) == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "by_command.csv"), kp.similarity(pairs, ["BLEU"]))
    assert main(asked) == 2


def test_what_would_be_lost_at_the_end_is_refused_at_the_beginning(tmp_path: Path) -> None:
    tables = {name: table for name, table in draw(0, documents=5).items() if name != "documents"}
    given = write(tables, tmp_path)
    for path, found in ((tmp_path / "nowhere" / "run.npz", "no such folder"), (tmp_path, "a folder")):
        with pytest.raises(kp.InputError, match=f"found {found}"):
            scale.evaluate(*given, measures="MAP", engine=engine(checkpoint=path))
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("keyphrase,candidate\na b,a\n")
    with pytest.raises(kp.UsageError, match=r"pairs\.csv is read and written at once"):
        similarity(pairs, "BLEU", pairs)
    assert pairs.read_text() == "keyphrase,candidate\na b,a\n"
