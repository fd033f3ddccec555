"""The report: self-contained, literal, complete, and with the numbers of the evaluation."""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from kp_core.errors import UsageError
from kp_core.takeaway.bundle import SECTIONS, Report, report
from kp_core.takeaway.figures import browser
from kp_core.takeaway.paragraph import _conventions, bibtex, cited, entries
from tests.cases import cases

CASES = cases(__file__)


@pytest.fixture(scope="module")
def whole(lectures: kp.Corpus) -> Report:
    return report(lectures, k=5, resamples=100)


def test_report_has_every_section_and_evaluate_numbers(lectures: kp.Corpus, whole: Report) -> None:
    assert [item.title for item in whole.sections[:-1]] == [title for title, *_ in list(SECTIONS.values())[:-1]]
    expected = kp.evaluate(lectures, k=5, measures="F1@k", resamples=100).frame
    board = next(table.frame for table in whole.tables if table.name == "leaderboard")
    for system, value in zip(expected["system"], expected["value"], strict=True):
        assert board.set_index("system").loc[system, "F1@5"] == pytest.approx(value, abs=1e-12)
    assert whole.signature.split("|k:")[1].startswith("5|")


def test_the_page_fetches_nothing_and_is_small(whole: Report) -> None:
    page, charts = whole.html(), sum(len(section.charts) for section in whole.sections)
    assert len(page.encode()) < (1_500_000 if browser() else 6_000_000)
    part = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.S)
    assert not re.search(r'(src|href)="(?!#|data:)', part)
    assert page.count('src="data:image/svg+xml' if browser() else "Plotly.newPlot") == charts


def test_archive_contains_all_files(whole: Report) -> None:
    with zipfile.ZipFile(io.BytesIO(whole.zip())) as archive:
        names = set(archive.namelist())
        assert {"report.html", "report.md", "methods.txt", "references.bib"} <= names
        tables = [table.name for table in whole.tables]
        assert {f"csv/{name}.csv" for name in tables} <= names
        values = pd.read_csv(io.BytesIO(archive.read("csv/values_by_document.csv"))).query("measure == 'F1@5'")
        board = next(table.frame for table in whole.tables if table.name == "leaderboard").set_index("system")
        for system, part in values.groupby("system"):
            assert part["value"].mean() == pytest.approx(board.loc[system, "F1@5"], abs=1e-12)
        assert kp.settings_from(json.loads(archive.read("settings.json"))["signature"]).k == (5,)
        assert pd.ExcelFile(io.BytesIO(archive.read("tables.xlsx"))).sheet_names == tables
        assert archive.read("tables.tex").decode().count(r"\begin{tabular}") == len(tables)


def test_impossible_sections_give_reasons() -> None:
    corpus = kp.load(gold={"d1": ["a"]}, systems={"x": {"d1": ["a"]}})
    result = report(corpus, k=1, interval="none", sections=list(SECTIONS))
    said = {section.title: " ".join(section.text) for section in result.sections}
    assert said["Pairs of systems"] == "Not available: it needs a second system."
    assert said["Correlation with human scores"] == "Not available: it needs judged pairs."
    assert said["Methods"].startswith("We evaluated 1 system on 1 document against")
    assert result.paragraph().startswith("The evaluation covers 1 system on 1 document with the keyphrases of 1")


def test_unknown_sections_and_measures_are_refused() -> None:
    with pytest.raises(UsageError, match="there is no section 'nothing'"):
        report(kp.load(gold={"d": ["a"]}, systems={"x": {"d": ["a"]}}), k=1, sections=["nothing"])
    with pytest.raises(UsageError, match="needs a gold standard, and the output of a system or a second"):
        report(kp.load(gold={"d": ["a"]}), k=1)


PEOPLE = [
    ("d", "A", "tide", "c1"),
    ("d", "A", "sea", "c2"),
    ("d", "B", "Tides", "c1"),
    ("e", "A", "moon", "c3"),
    ("e", "B", "moon", "c3"),
]


def of_people(folder: Path) -> kp.Corpus:
    folder.mkdir(exist_ok=True)
    (folder / "gold.csv").write_text("doc_id,annotator,phrase,concept\n" + "\n".join(map(",".join, PEOPLE)) + "\n")
    return kp.load(gold=folder / "gold.csv")


def test_annotators_alone_have_two_page_report(tmp_path: Path) -> None:
    result = report(of_people(tmp_path), interval="none")
    assert result.title == "Agreement of indexers"
    assert [item.title for item in result.sections] == [
        "How far do the indexers agree?",
        "Most disputed titles",
        "Most disputed headings",
        "How it was computed",
    ]
    assert [item.new_page for item in result.sections] == [False, False, True, False]
    tables = {table.name: table.frame for table in result.tables}
    # Shared: tide and moon; only A: sea. Rolling 4 / 5, Hooper 2 / 3.
    assert tables["consistency"].to_dict("records") == [
        {
            "pair": "A and B",
            "shared headings (Rolling)": pytest.approx(0.8),
            "titles": 2,
            "Hooper": pytest.approx(2 / 3),
        }
    ]
    assert tables["disputed_titles"].to_numpy().tolist() == [["d", pytest.approx(2 / 3), "tide", "sea (A)"]]
    assert tables["disputed"].to_numpy().tolist() == [["sea", "A", "1 of 2", "0 of 1", 0.0]]
    page, digest = result.html(), hashlib.sha256((tmp_path / "gold.csv").read_bytes()).hexdigest()
    assert "The two indexers share 80% of their headings (Hooper 0.67)." in page
    assert digest[:12] in result.paragraph()
    assert all(word not in page for word in ("kappa", "annotator", "K ="))
    more = report(of_people(tmp_path), interval="none", sections=["data"]).tables[1].frame
    assert more["SHA-256"].tolist() == [digest]


@pytest.mark.parametrize(("people", "systems"), [(2, 0), (6, 2)])
def test_report_states_that_annotators_share_no_document(people: int, systems: int) -> None:
    gold = {f"person {n}": {f"d{n}": ["tide", "sea"]} for n in range(people)}
    lists = {f"s{n}": {f"d{d}": ["tide", "moon"][n:] for d in range(people)} for n in range(systems)}
    names = ["annotators", "titles", "headings", "data", "methods"]
    result = report(kp.load(gold=gold, systems=lists or None), k=1, resamples=50, sections=names)
    said = "The agreement of the annotators is undefined: fewer than two annotators saw the document."
    assert result.title == ("Evaluation of keyphrase extraction" if systems else "Agreement of annotators")
    assert result.sections[0].text[0] == said
    assert not result.sections[0].charts
    every = {table.name: table.frame for table in result.tables}
    assert "consistency" not in every
    assert ("annotators" in every) == (systems > 0)
    if systems:
        assert every["annotators"]["value"].isna().all()
    assert len(every["disputed_titles"]) == len(every["disputed"]) == 0
    with zipfile.ZipFile(io.BytesIO(result.zip())) as archive:
        assert said in archive.read("report.html").decode()


@pytest.mark.parametrize(("options", "expected"), CASES["unusual_settings"])
def test_the_paragraph_is_true_for_unusual_settings(
    lectures: kp.Corpus, options: dict[str, Any], expected: str
) -> None:
    given: dict[str, Any] = {"k": 5, "interval": "none", "sections": ["methods"], **options}
    assert expected in report(lectures, **given).paragraph()


def test_sources_have_references() -> None:
    sources = {item.source for item in kp.MEASURES.values()} | {item.source for item in kp.SIMILARITIES.values()}
    without = {source for source in sources if re.search(r"\d{4}", source) and not cited(source)}
    assert not without
    assert all(entry.startswith("@") and f"year = {{{label[-4:]}}}" in entry for label, entry in entries().items())
    assert bibtex("kappa (Cohen 1960)").count("@") == 2


def test_paragraph_has_only_conventions_that_affect_the_measures() -> None:
    of_ranks = ["The reciprocal rank is 1/rank of the first hit.", "A list without a hit has reciprocal rank 0."]
    assert _conventions(kp.Settings(), ["MRR"])[-2:] == of_ranks
    averages = [str(_conventions(kp.Settings(average=name), ["P@k"])) for name in ("usual", "subject")]
    assert [text.count("subjects") for text in averages] == [0, 2]
