"""Tables leave the house as CSV, Markdown and LaTeX; no phrase can break out of its cell."""

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

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


# CSV of the command line

#: Texts that a spreadsheet would compute, beside one that it would not.
COMPUTED = ("=1+1", "+1", "-1", "@cmd", "＝1", "＋1", "－1", "＠cmd")


@pytest.fixture
def given(tmp_path):
    gold, system, texts = tmp_path / "gold.csv", tmp_path / "=s.csv", tmp_path / "texts.jsonl"
    gold.write_text("".join(["doc_id,keyphrase\n", *(f"{n}-d,{one}\n" for n, one in enumerate(COMPUTED))]), "utf-8")
    rows = [f"{n}-d,1,{one} tide\n{n}-d,2,{one}\n" for n, one in enumerate(COMPUTED)]
    system.write_text("".join(["doc_id,rank,keyphrase\n", *rows]), "utf-8")
    texts.write_text('{"doc_id": "=d", "text": "=1+1 is a sum. Tides rise."}\n', "utf-8")
    return {"data": ["--gold", str(gold), "--system", str(system)], "texts": str(texts)}


def read(text):
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


@pytest.mark.parametrize(
    ("command", "column", "expected"),
    [
        ("evaluate --k 1 --measures P@k --interval none", "system", ("=s",)),
        ("near-misses --missed", "keyphrase", COMPUTED),
        ("subjects", "system", ("=s",)),
        ("validate", "source", ("gold", "=s")),
        ("table --measures P@1 --interval none", "system", ("=s",)),
        ("sentences", "text", ("=1+1 is a sum.", "Tides rise.")),
    ],
)
def test_the_command_line_guards_csv_as_the_report_does(command, column, expected, given, capsys):
    data = ["--documents", given["texts"]] if command == "sentences" else given["data"]
    for form, mark in (("csv", "'"), ("csv-exact", "")):
        assert main([*command.split(), *data, "--format", form]) == 0
        found = read(capsys.readouterr().out)[column].unique().tolist()
        assert sorted(found) == sorted(mark + one if typeset.is_formula(one) else one for one in expected)


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_similarities_are_guarded_in_memory_and_streamed(stream, tmp_path):
    pairs, out = tmp_path / "pairs.csv", tmp_path / "scores.csv"
    pairs.write_text("".join(["pair_id,keyphrase,candidate\n", *(f"{one},sea,tide\n" for one in COMPUTED)]), "utf-8")
    for form, mark in (("csv", "'"), ("csv-exact", "")):
        words = ["--pairs", str(pairs), "--measures", "R-precision", "--format", form, "--out", str(out)]
        assert main(["similarity", *words, *stream]) == 0
        assert read(out.read_text("utf-8"))["pair"].tolist() == [mark + one for one in COMPUTED]


def test_what_is_read_again_is_not_changed_and_that_is_said(given, tmp_path, capsys):
    """The tidy form, and the lists of `extract` as CSV, give the same phrases and documents when they are read."""
    corpus = kp.load(gold=given["data"][1], systems=given["data"][3])
    assert main(["convert", *given["data"], "--out", str(tmp_path / "tidy")]) == 0
    assert "gold.csv: 8 cells begin like a formula" in capsys.readouterr().err
    again = kp.load(gold=tmp_path / "tidy" / "gold.csv", systems=tmp_path / "tidy" / "systems.csv")
    assert again.gold["phrase"].tolist() == corpus.gold["phrase"].tolist() == list(COMPUTED)
    assert again.runs["phrase"].tolist() == corpus.runs["phrase"].tolist()
    assert again.systems == ["=s"]
    lists = tmp_path / "lists.csv"
    assert main(["extract", "--documents", given["texts"], "--format", "csv", "--out", str(lists)]) == 0
    assert "csv: " in (said := capsys.readouterr().err)
    assert "like a formula; open the file as text, not by a click." in said
    assert set(kp.load(systems=lists).runs["doc_id"]) == {"=d"}


def test_latex_of_a_long_or_wide_table_compiles_within_its_page(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed, so the tables were not compiled")
    long = pd.DataFrame({"system": ["yake"] * 312, "k": range(312), "F1@k": [0.25] * 312})
    wide = pd.DataFrame({f"a measure {n}": [0.25] for n in range(7)})
    assert typeset.latex(long, "F1@k over k").count(r"\begin{longtable}") == 1
    assert r"\begin{table*}" not in typeset.latex(wide, "Wide")
    body = typeset.latex(long, "F1@k over k", "recipe") + typeset.latex(wide, "Wide")
    preamble = r"\documentclass{article}\usepackage{booktabs,rotating,longtable}\begin{document}"
    (tmp_path / "paper.tex").write_text(f"{preamble}\n{body}\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "paper.tex"]
    done = [subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120) for _ in range(3)][-1]
    log = (tmp_path / "paper.log").read_text("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    assert [line for line in log.splitlines() if "Warning" in line or "Overfull" in line] == []


def test_a_workbook_has_widths_formats_and_a_frozen_head() -> None:
    frame = pd.DataFrame({"system": ["a system with a long name"], "F1@5": [0.23456], "% of human ceiling": [45.67]})
    book = openpyxl.load_workbook(io.BytesIO(typeset.xlsx({"F1@5 by system": frame})))
    sheet = book["F1@5 by system"]
    assert sheet.freeze_panes == "A2"
    assert [sheet.column_dimensions[letter].width for letter in "ABC"] == [27, 7, 20]
    assert [(cell.value, cell.number_format) for cell in sheet[2][1:]] == [(0.23456, "0.000"), (45.67, "0.0")]
    assert openpyxl.load_workbook(io.BytesIO(typeset.xlsx({"a/b: c?": frame}))).sheetnames == ["a b  c"]
