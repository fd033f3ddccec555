"""Workbooks, Parquet columns of lists and annotated JSONL are read cell by cell, within the limits."""

import datetime
import io
import zipfile

import openpyxl
import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Choice, Limits, Source, previews
from tests.format_samples import archive, open_document, parquet, workbook

SHEET = "xl/worksheets/sheet1.xml"
CELLS = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'


def rows(table, *columns):
    return table[list(columns)].to_numpy().tolist()


# XLSX


def test_cells_are_text_as_the_sheet_shows_it():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["doc_id", "keyphrase"],
        [7, "a"],
        [8.0, 1984.0],
        [9, 0.1 + 0.2],
        [9, True],
        [9, "=HYPERLINK(1)"],
        [9, datetime.datetime(2026, 5, 1)],
        [9, "007"],
        [None, None],
        [9, "NA"],
    ):
        sheet.append(row)
    sheet["A2"].number_format = "000"
    sheet["B6"].data_type = "s"
    buffer = io.BytesIO()
    book.save(buffer)
    corpus = kp.load(gold=Source("a.xlsx", buffer.getvalue()))
    assert rows(corpus.gold, "doc_id", "phrase") == [
        ["007", "a"],
        ["8", "1984"],
        ["9", "0.3"],
        ["9", "TRUE"],
        ["9", "=HYPERLINK(1)"],
        ["9", "2026-05-01"],
        ["9", "007"],
        ["9", "NA"],
    ]
    reading = corpus.report.readings[0]
    assert (reading.family, reading.encoding, reading.rows_read, reading.rows_blank) == ("F10", "binary", 9, 1)


def test_a_formula_gives_the_value_kept_beside_it():
    sheet = CELLS.format(
        "<sheetData>"
        '<row r="1"><c r="A1" t="str"><v>doc_id</v></c><c r="B1" t="str"><v>phrase</v></c></row>'
        '<row r="2"><c r="A2" t="str"><v>d1</v></c><c r="B2" t="str"><f>1/0</f><v>tide</v></c></row></sheetData>'
    )
    data = workbook({"Sheet": [["x"]]}).data
    corpus = kp.load(gold=Source("a.xlsx", replaced(data, SHEET, sheet)))
    assert corpus.gold["phrase"].tolist() == ["tide"]


def test_a_formula_without_a_value_is_refused():
    with pytest.raises(InputError, match="cell B2: expected values, found a formula without its value"):
        kp.load(gold=workbook({"T": [["doc_id", "phrase"], ["d1", '=CONCAT("t", "ide")']]}))
    beside = workbook({"T": [["doc_id", "phrase"], ["d1", "tide"]], "sums": [["=1+1"]]})
    found = kp.load(gold=beside, roles={beside.name: Choice(options={"sheet": "T"})})
    assert found.gold["phrase"].tolist() == ["tide"]


def test_a_formula_may_give_an_empty_text():
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="str"><v>d{n}</v></c><c r="B{n}" t="str"><f>IF(A{n}="","","")</f><v></v></c>'
        f'<c r="C{n}" t="str"><v>tide {n}</v></c></row>'
        for n in range(2, 5)
    )
    heads = '<row r="1"><c r="A1" t="str"><v>doc_id</v></c><c r="C1" t="str"><v>phrase</v></c></row>'
    sheet = CELLS.format(f"<sheetData>{heads}{rows}</sheetData>")
    corpus = kp.load(gold=Source("a.xlsx", replaced(workbook({"Sheet": [["x"]]}).data, SHEET, sheet)))
    assert corpus.gold["phrase"].tolist() == ["tide 2", "tide 3", "tide 4"]


def replaced(data, member, content):
    """Return a zip with one member changed."""
    old, buffer = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, content if name == member else old.read(name))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CELLS.format('<dimension ref="A1:ZZ1000000"/><sheetData/>'), "702,000,000 cells"),
        (CELLS.format('<sheetData><row r="9999999"><c r="A1"><v>1</v></c></row></sheetData>'), "9,999,999 cells"),
        (CELLS.format("<sheetData>" + "<row/>" * 300_000 + "</sheetData>"), "packed more than 100 : 1"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + CELLS.format("<sheetData/>"), "entities declared in"),
        ("<worksheet><sheetData>", "a damaged or unusual workbook"),
    ],
)
def test_what_would_cost_memory_or_is_damaged_is_refused(content, said):
    source = Source("a.xlsx", replaced(workbook({"Sheet": [["doc_id", "phrase"]]}).data, SHEET, content))
    with pytest.raises(InputError, match=said):
        kp.load(gold=source, limits=Limits(table_cells=1000))


# Parquet


@pytest.mark.parametrize(
    ("column", "phrases", "beside"),
    [
        ([["a;b", "c"], []], ["a;b", "c"], {}),
        ([[["a", "A"], ["c"]], []], ["a", "c"], {"variants": [("a", "A"), None]}),
        ([[{"phrase": "a", "score": 0.5}, {"phrase": "c", "score": 0.25}], []], ["a", "c"], {"relevance": [0.5, 0.25]}),
    ],
)
def test_columns_of_lists(column, phrases, beside):
    corpus = kp.load(gold=parquet(doc_id=["1", "2"], keyphrases=column))
    assert corpus.gold["phrase"].tolist() == phrases
    assert corpus.empty["doc_id"].tolist() == ["2"]
    for name, values in beside.items():
        assert corpus.gold[name].tolist() == values


@pytest.mark.parametrize(("role", "table", "column"), [("gold", "gold", "annotator"), ("systems", "runs", "system")])
def test_several_columns_of_lists_are_proposed_as_annotators_or_systems(role, table, column):
    source = parquet(doc_id=["x", "y"], ana=[["a"], []], ben=[["b"], ["c"]])
    with pytest.raises(kp.Question, match="The columns “ana”, “ben” may be people or systems") as asked:
        kp.load(**{role: source})
    corpus = kp.load(**{role: source}, roles=asked.value.answers[0].choices)
    expected = [["ana", "x", "a"], ["ben", "x", "b"], ["ben", "y", "c"]]
    assert rows(getattr(corpus, table), column, "doc_id", "phrase") == expected
    assert corpus.empty[["source", "doc_id"]].to_numpy().tolist() == [["ana", "y"]]


# previews of archives


def test_an_archive_shows_how_each_group_of_its_files_is_read():
    pack = archive(
        {
            "texts/1.txt": "The tide rises twice a day, and nobody in the village knows why it does.",
            "keys/1.key": "tide\nsea; level\nsun\n",
            "keys/2.key": "moon\n",
        }
    )
    shown = previews(pack)
    assert [(found.recognition.family, found.of) for found in shown] == [
        ("F4", "2 files, such as keys/1.key"),
        ("F12", "texts/1.txt"),
    ]
    assert shown[0].rows["phrase"].tolist() == ["tide", "sea; level", "sun"]
    choice = Choice(options={"semicolons": "split"})
    assert previews(pack, choice=choice)[0].rows["phrase"].tolist() == ["tide", "sea", "level"]


def test_a_sheet_that_repeats_its_rows_is_bounded():
    one = zipfile.ZipFile(io.BytesIO(open_document({"A": [["doc_id", "phrase"], ["d", "tide"]]}).data))
    head, cell, tail = one.read("content.xml").decode().rpartition("<table:table-row><table:table-cell office")
    many = head + cell.replace("-row>", '-row table:number-rows-repeated="99999999">') + tail
    source = archive({"mimetype": one.read("mimetype"), "content.xml": many}, "a.ods")
    with pytest.raises(InputError, match="at most 1,000 cells"):
        kp.load(gold=source, limits=Limits(table_cells=1000))


@pytest.mark.parametrize("ending", ["xlsx", "ods"])
def test_a_workbook_is_opened_once_for_all_of_its_sheets(ending, monkeypatch):
    opened = []
    real = zipfile.ZipFile.__init__
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *given, **named: opened.append(1) or real(*given, **named))
    counts = []
    for sheets in (3, 30):
        rows = {f"p{number}": [["doc_id", "phrase"], ["d1", f"a{number}"], ["d2", "b"]] for number in range(sheets)}
        source = (workbook if ending == "xlsx" else open_document)(rows)
        opened.clear()
        assert len(kp.load(gold=source).gold) == 2 * sheets
        counts.append(len(opened))
    assert counts[0] == counts[1]
