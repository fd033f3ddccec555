"""Tables leave the house as CSV, Markdown and LaTeX; no phrase can break out of its cell."""

import csv
import io
import json

import pandas as pd
import pytest

import kp_core as kp
from kp_core import typeset
from tests.cases import cases
from tests.corpora import corpus_of

CASES = cases(__file__)

NASTY = '50% of $x_1$ & #2 {a}~^\\ <b> | "q"'


def test_latex_special_characters():
    expected = (
        r"50\% of \$x\_1\$ \& \#2 \{a\}\textasciitilde{}\textasciicircum{}\textbackslash{} "
        r"\textless{}b\textgreater{} \textbar{}\allowbreak{} {\ttfamily\char34}q{\ttfamily\char34}"
    )
    assert typeset.escape_latex(NASTY) == expected
    assert typeset.escape_latex("two\nlines\tand a tab") == "two lines and a tab"


@pytest.mark.parametrize(("text", "expected"), CASES["markdown"])
def test_markdown_special_characters(text, expected):
    assert typeset.escape_markdown(text) == expected


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@cmd", "\tx", "\rx"])
def test_a_cell_that_a_spreadsheet_would_compute_is_neutralised(text):
    frame = pd.DataFrame({"phrase": [text, "plain"], "=x": [-0.5, 1.0]})
    cells = list(csv.reader(io.StringIO(typeset.csv(frame), newline="")))
    assert cells[:2] == [["phrase", "'=x"], [f"'{text}", "-0.5"]]
    assert cells[2] == ["plain", "1.0"]
    exchanged = list(csv.reader(io.StringIO(typeset.exchange_csv(frame), newline="")))
    assert exchanged[1] == [text, "-0.5"]


FRAME = pd.DataFrame({"sys_tem": ["a|b", "c&d"], "P@5": [0.25, float("nan")]})


def test_markdown_table():
    assert typeset.markdown(FRAME) == "| sys_tem | P@5 |\n| --- | ---: |\n| a\\|b | 0.2500 |\n| c&d | – |\n"


def test_latex_table():
    text = typeset.latex(FRAME, "Scores & more", note="kps|k:5")
    assert r"\caption{Scores \& more}" in text
    assert r"\begin{tabular}{lr}" in text
    assert "sys\\_tem & P@5 \\\\\n\\midrule\na\\textbar{}\\allowbreak{}b & 0.2500 \\\\\nc\\&d & – \\\\\n" in text
    assert "kps\\textbar{}\\allowbreak{}k:5\n\\end{table}\n" in text


def test_table_for_a_terminal_is_aligned():
    assert typeset.text(FRAME) == "sys_tem     P@5\na|b      0.2500\nc&d           –\n"


@pytest.fixture(scope="module")
def result():
    corpus = corpus_of({"d1": ["a"], "d2": ["b"]}, {"=evil": {"d1": ["a"]}, "x_y": {"d1": ["x"], "d2": ["b"]}})
    return kp.evaluate(corpus, k="1,2", measures=["P@k", "kappa", "bpref"], universe=9, interval="none")


def test_one_row_a_system(result):
    wide = result.wide()
    assert wide["system"].tolist() == ["=evil", "x_y"]
    assert wide.columns.tolist() == ["system", "P@1", "P@2", "kappa k=1", "kappa k=2", "bpref"]
    assert wide["P@2"].tolist() == [0.25, 0.25]
    assert wide["bpref"].isna().all()


def test_every_export_carries_the_signature(result):
    assert result.signature in result.markdown()
    assert typeset.escape_latex(result.signature) in result.latex()
    rows = list(csv.DictReader(io.StringIO(result.csv())))
    assert {row["signature"] for row in rows} == {result.signature}
    assert rows[0]["system"] == "'=evil"


def test_json_knows_no_nan(result):
    found = json.loads(result.json())
    assert found["signature"] == result.signature
    undefined = [row for row in found["rows"] if row["measure"] == "bpref"]
    assert {(row["value"], row["k"], row["reason"]) for row in undefined} == {(None, None, "no_judged_negatives")}
    assert {row["k"] for row in found["rows"] if row["measure"].startswith("P@")} == {1, 2}


def test_one_cutoff_of_a_result(result):
    at = result.at(1)
    assert set(at.frame["k"].dropna()) == {1}
    assert "|k:1|" in at.signature
    assert at.wide().columns.tolist() == ["system", "P@1", "kappa", "bpref"]


def test_cells_of_a_table_have_no_digits_and_percentages_one():
    frame = pd.DataFrame({"kappa": [0.25], "a": [41.0], "% of human ceiling": [95.2214]})
    assert typeset.latex(frame, "t").splitlines()[7] == r"0.2500 & 41 & 95.2 \\"
    assert typeset.markdown(frame).splitlines()[2] == "| 0.2500 | 41 | 95.2 |"
