"""The report: self-contained, literal, complete, and with the numbers of the evaluation."""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

import kp_core as kp
from kp_core.errors import UsageError
from kp_core.settings import CONVENTIONS
from kp_core.takeaway.bundle import SECTIONS, Report, report
from kp_core.takeaway.figures import browser
from kp_core.takeaway.paragraph import WORDS, bibtex, cited, entries
from tests.cases import cases

CASES = cases(__file__)


@pytest.fixture(scope="module")
def whole(lectures: kp.Corpus) -> Report:
    return report(lectures, k=5, resamples=100)


def test_it_has_every_section_and_the_numbers_of_the_evaluation(lectures: kp.Corpus, whole: Report) -> None:
    assert [one.title for one in whole.sections[:-1]] == [title for title, _ in list(SECTIONS.values())[:-1]]
    expected = kp.evaluate(lectures, k=5, measures="F1@k", resamples=100).frame
    board = next(table.frame for table in whole.all_tables if table.name == "leaderboard")
    for system, value in zip(expected["system"], expected["value"], strict=True):
        assert board.set_index("system").loc[system, "F1@5"] == pytest.approx(value, abs=1e-12)
    assert whole.signature.split("|k:")[1].startswith("5|")


def test_a_measure_that_names_a_cutoff_sets_that_of_the_report(lectures: kp.Corpus) -> None:
    asked = {"sections": ["leaderboard"], "interval": "none"}
    named, chosen = (report(lectures, measure=measure, k=k, **asked) for measure, k in (("F1@10", 5), ("F1@k", 10)))
    assert len(named.all_tables[0].frame)
    assert (named.signature, named.markdown()) == (chosen.signature, chosen.markdown())


def test_the_page_fetches_nothing_and_is_small(whole: Report) -> None:
    page, charts = whole.html(), sum(len(section.charts) for section in whole.sections)
    assert len(page.encode()) < (1_500_000 if browser() else 6_000_000)
    own = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.S)
    assert not re.search(r'(src|href)="(?!#|data:)', own)
    assert page.count('src="data:image/svg+xml' if browser() else "Plotly.newPlot") == charts


def test_the_archive_holds_all(whole: Report) -> None:
    with zipfile.ZipFile(io.BytesIO(whole.zip())) as archive:
        names = set(archive.namelist())
        assert {"report.html", "report.md", "methods.txt", "references.bib"} <= names
        tables = [table.name for table in whole.all_tables]
        assert {f"csv/{name}.csv" for name in tables} <= names
        values = pd.read_csv(io.BytesIO(archive.read("csv/values_by_document.csv"))).query("measure == 'F1@5'")
        board = next(table.frame for table in whole.all_tables if table.name == "leaderboard").set_index("system")
        for system, own in values.groupby("system"):
            assert own["value"].mean() == pytest.approx(board.loc[system, "F1@5"], abs=1e-12)
        assert kp.settings_from(json.loads(archive.read("settings.json"))["signature"]).k == (5,)
        assert pd.ExcelFile(io.BytesIO(archive.read("tables.xlsx"))).sheet_names == tables
        assert archive.read("tables.tex").decode().count(r"\begin{tabular}") == len(tables)


def test_sections_that_the_data_cannot_give_say_why() -> None:
    corpus = kp.load(gold={"d1": ["a"]}, systems={"x": {"d1": ["a"]}})
    found = report(corpus, k=1, interval="none", sections=list(SECTIONS))
    said = {section.title: " ".join(section.text) for section in found.sections}
    assert said["Pairs of systems"] == "Not available: it needs a second system."
    assert said["Correlation with human scores"] == "Not available: it needs judged pairs."
    assert said["Methods"].startswith("We evaluated 1 system on 1 document against")
    assert found.paragraph().startswith("The evaluation covers 1 system on 1 document with the keyphrases of 1")


def test_the_paragraph_counts_the_documents_that_were_evaluated() -> None:
    corpus = kp.load(gold={"a": ["x"], "b": ["y"]}, systems={"s": {"a": ["x"], "b": ["z"], "no gold": ["x"]}})
    found = report(corpus, k=1, interval="none")
    assert found.paragraph().startswith("The evaluation covers 1 system on 2 documents with the keyphrases of 1")
    assert "|docs:2|" in found.paragraph()
    said = {section.title: section.text for section in found.sections}
    assert said["Data"][0] == "3 documents, 1 annotator, 1 system."
    assert said["Which system is better?"][0] == "s reaches F1@1 0.500."


def test_what_cannot_be_reported_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no section 'nothing'"):
        report(kp.load(gold={"d": ["a"]}, systems={"x": {"d": ["a"]}}), k=1, sections=["nothing"])
    with pytest.raises(UsageError, match="needs a gold standard, and the output of a system or a second"):
        report(kp.load(gold={"d": ["a"]}), k=1)


def test_the_paragraph_says_how_intervals_of_means_over_subjects_came_about(lectures: kp.Corpus) -> None:
    made = report(lectures, sections=["methods"], average="subject")
    short, whole = made.paragraph(whole=False), made.paragraph()
    assert ("jackknife" in short, "bootstrap" in short) == (True, False)  # of F1 alone
    assert ("jackknife" in whole, "bootstrap resamples" in whole) == (True, True)  # of kappa too
    assert "jackknife" not in report(lectures, sections=["methods"], average="subject", interval="none").paragraph()


def test_the_paragraph_of_a_paper_is_short_and_names_what_is_unusual(lectures: kp.Corpus) -> None:
    usual = report(lectures, sections=["methods"]).paragraph(whole=False)
    assert 60 <= len(usual.split()) <= 120
    assert "Precision divides" not in usual
    other = report(lectures, sections=["methods"], denominator="returned").paragraph(whole=False)
    assert WORDS["denominator"]["returned"] in other
    assert "Noreen 1989" in usual
    assert "@article" in bibtex(usual) or "@book" in bibtex(usual)


PEOPLE = [("d", "A", "tide"), ("d", "A", "sea"), ("d", "B", "Tides"), ("e", "A", "moon"), ("e", "B", "moon")]


def of_people(folder: Path) -> kp.Corpus:
    folder.mkdir(exist_ok=True)
    (folder / "gold.csv").write_text("doc_id,annotator,phrase\n" + "\n".join(map(",".join, PEOPLE)) + "\n")
    return kp.load(gold=folder / "gold.csv")


def test_people_alone_have_a_report_of_two_pages_in_their_words(tmp_path: Path) -> None:
    found = report(of_people(tmp_path), interval="none")
    assert found.title == "Agreement of indexers"
    assert [one.title for one in found.sections] == [
        "How far do the indexers agree?",
        "Most disputed titles",
        "Most disputed headings",
        "How it was computed",
    ]
    assert [one.new_page for one in found.sections] == [False, False, True, False]
    tables = {table.name: table.frame for table in found.all_tables}
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
    page, digest = found.html(), hashlib.sha256((tmp_path / "gold.csv").read_bytes()).hexdigest()
    assert "The two indexers share 80 % of their headings (Hooper 0.67)." in page
    assert digest[:12] in found.paragraph()
    assert all(word not in page for word in ("kappa", "annotator", "K ="))
    more = report(of_people(tmp_path), interval="none", sections=["data"]).all_tables[1].frame
    assert more["SHA-256"].tolist() == [digest]


def test_beside_systems_people_are_annotators_and_every_title_has_its_numbers(tmp_path: Path) -> None:
    gold = of_people(tmp_path).gold.rename(columns={"phrase": "keyphrase"})
    corpus = kp.load(gold=gold, systems={"x": {"d": ["tide"]}})
    found = report(corpus, interval="none", k=1, sections=["annotators", "titles", "headings"])
    assert found.title == "Evaluation of keyphrase extraction"
    assert found.sections[0].text[0] == "The two annotators share 80 % of their keyphrases (Hooper 0.67)."
    tables = {table.name: table.frame for table in found.all_tables}
    assert tables["titles"].to_numpy().tolist() == [["d", 2, 1, 1, 1], ["e", 1, 1, 1, 0]]


@pytest.mark.parametrize("people", [2, 6])
@pytest.mark.parametrize("systems", [0, 1, 2])
def test_people_who_share_no_document_have_a_report_that_says_so(people: int, systems: int) -> None:
    gold = {f"person {n}": {f"d{n}": ["tide", "sea"]} for n in range(people)}
    lists = {f"s{n}": {f"d{d}": ["tide", "moon"][n:] for d in range(people)} for n in range(systems)}
    names = ["annotators", "titles", "headings", "data", "methods"]
    found = report(kp.load(gold=gold, systems=lists or None), k=1, resamples=50, sections=names)
    who = "annotators" if systems else "indexers"
    said = f"How far the {who} agree is undefined: fewer than two annotators saw the document."
    assert found.sections[0].text[0] == said
    assert not found.sections[0].charts
    every = {table.name: table.frame for table in found.all_tables}
    assert "consistency" not in every
    assert ("annotators" in every) == (systems > 0)
    if systems:
        assert every["annotators"]["value"].isna().all()
    assert len(every["disputed_titles"]) == len(every["disputed"]) == 0
    with zipfile.ZipFile(io.BytesIO(found.zip())) as archive:
        assert said in archive.read("report.html").decode()


def test_kappa_stands_in_the_report_of_people_where_it_can_be_read(tmp_path: Path) -> None:
    readable = report(of_people(tmp_path), interval="none", universe=9, sections=["annotators"])
    assert "kappa" in readable.all_tables[0].frame
    # Nothing but what both chose could have been chosen, so chance agreement is certain, and kappa undefined.
    (tmp_path / "gold.csv").unlink()
    same = pd.DataFrame([("d", "A", "tide"), ("d", "B", "tide")], columns=["doc_id", "annotator", "phrase"])
    undefined = report(kp.load(gold=same), interval="none", universe=1, sections=["annotators"])
    assert "kappa" not in undefined.html()
    assert "K =" not in undefined.html()


def test_every_value_of_every_convention_has_a_sentence() -> None:
    for name, field in CONVENTIONS.items():
        assert set(WORDS.get(name, ())) == set(field.values)


@pytest.mark.parametrize(("options", "expected"), CASES["unusual_settings"])
def test_the_paragraph_is_true_for_unusual_settings(
    lectures: kp.Corpus, options: dict[str, Any], expected: str
) -> None:
    given: dict[str, Any] = {"k": 5, "interval": "none", "sections": ["methods"], **options}
    assert expected in report(lectures, **given).paragraph()


def test_brackets_are_explained_only_where_there_are_some(lectures: kp.Corpus, whole: Report) -> None:
    said = {one.title: one.text for one in whole.sections}["All measures"]
    assert said == ("In brackets: the 95 % interval.",)
    assert report(lectures, k=5, interval="none", sections=["measures"]).sections[0].text == ()


def test_sources_have_references() -> None:
    sources = {one.source for one in kp.MEASURES.values()} | {one.source for one in kp.SIMILARITIES.values()}
    without = {source for source in sources if re.search(r"\d{4}", source) and not cited(source)}
    assert not without
    assert all(entry.startswith("@") and f"year = {{{label[-4:]}}}" in entry for label, entry in entries().items())
    assert bibtex("kappa (Cohen 1960)").count("@") == 2


def test_by_default_it_ranks_by_f1_at_the_average_gold_size(lectures: kp.Corpus) -> None:
    found = report(lectures, interval="none", sections=["leaderboard"])
    assert found.settings.k == (6,)


@pytest.mark.parametrize("odd", ["\x01", "\x0b", "\x1f", "\ufffe"])
def test_characters_that_xml_cannot_hold_end_neither_workbook_nor_archive(odd: str) -> None:
    gold = {f"an{odd}na": {f"d{odd}": ["tide"], "e": ["sea"]}, "ben": {f"d{odd}": ["tide"], "e": ["ebb"]}}
    corpus = kp.load(gold=gold, systems={f"s{odd}": {f"d{odd}": ["tide"]}, "t": {"e": ["sea"]}})
    found = report(corpus, k=1, interval="none", sections=list(SECTIONS))
    with zipfile.ZipFile(io.BytesIO(found.zip())) as archive:
        cells = {
            cell.value
            for sheet in openpyxl.load_workbook(io.BytesIO(archive.read("tables.xlsx")))
            for row in sheet
            for cell in row
        }
    assert {f"s_x{ord(odd):04X}_", "t"} <= cells


def test_spreadsheets_of_a_report_hold_intervals_as_numbers(lectures: kp.Corpus) -> None:
    made = report(lectures, k=6, sections=["leaderboard"])
    with zipfile.ZipFile(io.BytesIO(made.zip())) as archive:
        rows = pd.read_csv(io.BytesIO(archive.read("csv/leaderboard.csv"))).set_index(["system", "measure"])
    expected = kp.evaluate(lectures, k=6, measures=["F1@k"]).frame.set_index("system").loc["yake"]
    assert rows.loc[("yake", "F1@6"), ["low", "high"]].tolist() == pytest.approx([expected["low"], expected["high"]])
