"""Check the table of a paper: its numbers, bold and daggers, and that LaTeX takes it without a warning."""

import io
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import kp_core as kp
from kp_core.studies.paper_table import PaperTable
from tests.cases import LECTURES

NAMES = ["yake", "rake", "tfidf", "textrank"]


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    systems = {name: next((LECTURES / "systems").glob(f"{name}.*")) for name in NAMES}
    return kp.load(LECTURES / "gold.csv", systems)


@pytest.fixture(scope="module")
def table(corpus: kp.Corpus) -> PaperTable:
    return kp.paper_table(corpus, measures=["P@k", "F1@k", "MAP"], k="5,10", bounds=True)


def test_paper_table_numbers_equal_evaluate(corpus: kp.Corpus, table: PaperTable) -> None:
    rows = kp.evaluate(corpus, measures=["P@k", "F1@k", "MAP"], k="5,10").frame.set_index(["system", "measure"])
    sheet = pd.read_excel(io.BytesIO(table.xlsx()), sheet_name="table")
    pd.testing.assert_frame_equal(sheet, pd.read_csv(io.StringIO(table.csv())), check_dtype=False)
    assert pd.read_parquet(io.BytesIO(table.parquet())).equals(table.frame)
    for measure in ("P@5", "P@10", "F1@5", "F1@10", "MAP"):
        part = rows.xs(measure, level="measure").reindex(sheet["system"])
        for column, name in (("value", measure), ("low", f"{measure} low"), ("high", f"{measure} high")):
            assert sheet[name].tolist() == pytest.approx(part[column].tolist(), abs=1e-12)
    about = pd.read_excel(io.BytesIO(table.xlsx()), sheet_name="about").set_index("what")["text"]
    assert about["signature"] == table.signature


def test_bold_marks_best_and_dagger_significance(corpus: kp.Corpus, table: PaperTable) -> None:
    for measure, k in (("P@5", 5), ("F1@10", 10), ("MAP", "all")):
        result = kp.compare(corpus, measure=measure, k=k)
        best = max(result.scores, key=result.scores.__getitem__)
        place = [column.label for column in table.columns].index(measure) + 2
        for line in table.markdown().splitlines()[2:6]:
            cells = line.split(" | ")
            system, cell = cells[0].removeprefix("| "), cells[place - 1]
            assert cell.startswith("**") == (system == best)
            assert ("†" in cell) == (system in result.better[best])


def test_daggers_compare_with_best_shown_system(corpus: kp.Corpus) -> None:
    names = ["textrank", "rake", "tfidf"]  # without yake, the best of all
    shown = kp.paper_table(corpus, measures=["MAP"], systems=names)
    result = kp.compare(corpus, measure="MAP", k="all")
    best = max(names, key=result.scores.__getitem__)
    (column,) = shown.columns
    assert column.marked == frozenset(result.better[best]) & set(names)
    assert column.marked != frozenset(result.better["yake"]) & set(names)


@pytest.mark.parametrize("options", ["", "twocolumn"])
def test_latex_compiles_without_a_warning(corpus: kp.Corpus, tmp_path: Path, options: str) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed, so the table was not compiled")
    asked = {"k": "5,10,15", "caption": "Systems of 100% & more"}
    small = kp.paper_table(corpus, measures=["P@k"], label="tab:small", marks=False, **asked)
    large = kp.paper_table(corpus, measures=["P@k", "R@k", "F1@k", "MAP", "nDCG@k"], bounds=True, **asked)
    assert any(column.marked for column in large.columns)
    wide = kp.paper_table(corpus, k="5,10", marks=False, label="tab:wide")  # as a page shows it at first
    assert wide.latex().count(r"\begin{tabular}") == 1
    preamble = rf"\documentclass[{options}]{{article}}\usepackage{{booktabs,rotating}}\begin{{document}}"
    tables = "".join(f"{made.latex()}\nSee Table~\\ref{{{made.label}}}.\n" for made in (small, wide, large))
    (tmp_path / "paper.tex").write_text(f"{preamble}\n{tables}\\end{{document}}\n")
    for _ in range(2):  # the second run knows the reference
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "paper.tex"], cwd=tmp_path, capture_output=True, timeout=120
        )
    log = (tmp_path / "paper.log").read_text("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    assert [line for line in log.splitlines() if "Warning" in line or "Overfull" in line] == []


def test_rows_have_short_names_and_note_full_names() -> None:
    systems = {"out.yake": {"d": ["tide"]}, "out.rake": {"d": ["sea"]}}
    table = kp.paper_table(kp.load(gold={"d": ["tide"]}, systems=systems), measures="P@k", k=1, marks=False)
    lines = table.markdown().splitlines()
    assert lines[2:4] == ["| yake | **1.000** |", "| rake | 0.000 |"]
    assert "Full names: out.yake, out.rake." in lines[-1]
    assert list(table.frame["system"]) == ["out.yake", "out.rake"]
