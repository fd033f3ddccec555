"""Tables are exported as CSV, Markdown and LaTeX; no phrase can break out of its cell."""

import csv
import io
import json

import openpyxl
import pandas as pd
import pytest

import kp_core as kp
from kp_core import typeset
from kp_core.cli import main
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


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@cmd", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠cmd"])
def test_spreadsheet_formulas_in_cells_are_neutralized(text):
    frame = pd.DataFrame({"phrase": [text, "plain"], "=x": [-0.5, 1.0]})
    cells = list(csv.reader(io.StringIO(typeset.csv(frame), newline="")))
    assert cells[:2] == [["phrase", "'=x"], [f"'{text}", "-0.5"]]
    assert cells[2] == ["plain", "1.0"]
    exchanged = list(csv.reader(io.StringIO(typeset.unescaped_csv(frame), newline="")))
    assert exchanged[1] == [text, "-0.5"]


def test_characters_that_xml_forbids_are_escaped_in_xlsx():
    assert [typeset._stored(text) for text in ("tide\x01", "_x0001_")] == ["tide_x0001_", "_x005F_x0001_"]


FRAME = pd.DataFrame({"sys_tem": ["a|b", "c&d"], "P@5": [0.25, float("nan")]})


def test_markdown_table():
    assert typeset.markdown(FRAME) == "| sys_tem | P@5 |\n| --- | ---: |\n| a\\|b | 0.2500 |\n| c&d | – |\n"


def test_latex_table():
    text = typeset.latex(FRAME, "Scores & more", note="kps|k:5")
    assert r"\caption{Scores \& more}" in text
    assert r"\begin{tabular}{lr}" in text
    assert "sys\\_tem & P@5 \\\\\n\\midrule\na\\textbar{}\\allowbreak{}b & 0.2500 \\\\\nc\\&d & – \\\\\n" in text
    assert "kps\\textbar{}\\allowbreak{}k:5\n\\end{table}\n" in text
    negative = typeset.latex(pd.DataFrame({"difference": [-0.5], "pair": ["a-b"]}), "").splitlines()
    assert negative[0] == r"% \usepackage{booktabs,longtable,rotating}"
    assert r"$-$0.5000 & a-b \\" in negative


@pytest.fixture(scope="module")
def result():
    corpus = corpus_of({"d1": ["a"], "d2": ["b"]}, {"=evil": {"d1": ["a"]}, "x_y": {"d1": ["x"], "d2": ["b"]}})
    return kp.evaluate(corpus, k="1,2", measures=["P@k", "kappa", "bpref"], universe=9, interval="none")


def test_every_export_carries_the_signature(result):
    assert result.signature in result.markdown()
    assert typeset.escape_latex(result.signature) in result.latex()
    rows = list(csv.DictReader(io.StringIO(result.csv())))
    assert {row["signature"] for row in rows} == {result.signature}
    assert rows[0]["system"] == "'=evil"


def test_json_knows_no_nan(result):
    actual = json.loads(result.json())
    assert actual["signature"] == result.signature
    undefined = [row for row in actual["rows"] if row["measure"] == "bpref"]
    assert {(row["value"], row["k"], row["reason"]) for row in undefined} == {(None, None, "no_judged_negatives")}
    assert {row["k"] for row in actual["rows"] if row["measure"].startswith("P@")} == {1, 2}


@pytest.mark.parametrize(("form", "mark"), [("csv", "'"), ("csv-exact", "")])
def test_command_line_csv_neutralizes_formulas_unless_asked(form, mark, tmp_path, capsys):
    (tmp_path / "gold.csv").write_text("doc_id,keyphrase\nd,=1+1\n", "utf-8")
    (tmp_path / "=s.csv").write_text("doc_id,rank,keyphrase\nd,1,=1+1 tide\nd,2,=1+1\n", "utf-8")
    data = ["--gold", str(tmp_path / "gold.csv"), "--system", str(tmp_path / "=s.csv"), "--format", form]
    for command, column, cell in (("evaluate", "system", "=s"), ("near-misses", "keyphrase", "=1+1")):
        assert main([command, *data, "--k", "2"]) == 0
        assert set(pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=str)[column]) == {mark + cell}


def test_workbook_has_widths_formats_and_frozen_header() -> None:
    frame = pd.DataFrame({"system": ["a system with a long name"], "F1@5": [0.23456], "% of human ceiling": [45.67]})
    book = openpyxl.load_workbook(io.BytesIO(typeset.xlsx({"F1@5 by system": frame})))
    sheet = book["F1@5 by system"]
    assert sheet.freeze_panes == "A2"
    assert [sheet.column_dimensions[letter].width for letter in "ABC"] == [27, 7, 20]
    assert [(cell.value, cell.number_format) for cell in sheet[2][1:]] == [(0.23456, "0.000"), (45.67, "0.0")]
    assert openpyxl.load_workbook(io.BytesIO(typeset.xlsx({"a/b: c?": frame}))).sheetnames == ["a b  c"]
