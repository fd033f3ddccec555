"""The option --as decides for one file what the readers otherwise guess, or is refused in words."""

import io

import pandas as pd
import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.reading import Choice, Source
from tests.format_samples import workbook


@pytest.fixture
def files(tmp_path):
    """A workbook whose second sheet is meant, and a table whose columns say nothing and whose low scores are best."""
    first, second = [["doc_id", "phrase"], ["d1", "moon"]], [["doc_id", "phrase"], ["d1", "tide"]]
    (tmp_path / "gold.xlsx").write_bytes(workbook({"old": first, "new": second}).data)
    (tmp_path / "yake.csv").write_text("doc_id,x,y,score\nd1,tide,sun,0.1\nd1,moon,sea,0.3\n", encoding="utf-8")
    return tmp_path


def evaluated(capsys, files, *more):
    given = ["--gold", str(files / "gold.xlsx"), "--system", str(files / "yake.csv")]
    status = main(["evaluate", *given, "--k", "1", "--measures", "P@1", "--format", "csv", *more])
    out, err = capsys.readouterr()
    return status, out, err


def test_sheet_column_and_order_are_those_chosen(capsys, files):
    chosen = ["--as", "gold.xlsx:sheet=new", "--as", "yake.csv:phrase=x", "--as", "yake.csv:better=lower"]
    status, out, _ = evaluated(capsys, files, *chosen)
    assert status == 0
    assert pd.read_csv(io.StringIO(out))["value"].tolist() == [1]
    for place, other in enumerate(("gold.xlsx:sheet=old", "yake.csv:phrase=y", "yake.csv:better=higher")):
        _, out, _ = evaluated(capsys, files, *chosen[: 2 * place + 1], other, *chosen[2 * place + 2 :])
        assert pd.read_csv(io.StringIO(out))["value"].tolist() == [0]


@pytest.mark.parametrize(
    ("chosen", "status", "words"),
    [
        ("gold.xlsx", 2, "--as is 'gold.xlsx'; write FILE:KEY=VALUE, such as gold.xlsx:sheet=Lists"),
        ("gold.xlsx:colour=red", 2, "there is no 'colour' to choose for a file; choose one of: family, encoding,"),
        ("gold.xlsx:header=maybe", 2, "header is 'maybe'; choose one of: no, yes"),
        ("gold.xlsx:better=up", 2, "better is 'up'; choose one of: higher, lower"),
        ("gold.xlsx:family=F99", 2, "there is no format family 'F99'"),
        ("other.xlsx:sheet=new", 2, "something was chosen for 'other.xlsx', and no file has this name"),
        ("yake.csv:family=F1", 1, "yake.csv: expected a file of family F1"),
    ],
)
def test_what_cannot_be_chosen_is_refused(capsys, files, chosen, status, words):
    found, out, err = evaluated(capsys, files, "--as", chosen)
    assert (found, out) == (status, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_sheet_that_is_not_there_is_said(files):
    source = Source("gold.xlsx", (files / "gold.xlsx").read_bytes())
    corpus = kp.load(gold=source, roles={"gold.xlsx": Choice(options={"sheet": "newer"})})
    said = "There is no sheet “newer”. Left out: 1 sheet, “new”."
    assert [note.message for note in corpus.report.notes] == [said]
