"""Workbooks, Parquet columns of lists and annotated JSONL are read cell by cell, within the limits."""

import datetime
import io
import zipfile

import openpyxl
import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Choice, Limits, Source, previews
from kp_core.reading.preview import first_rows
from tests.format_samples import archive, parquet, workbook

SHEET = "xl/worksheets/sheet1.xml"
CELLS = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'


def rows(table, *columns):
    return table[list(columns)].to_numpy().tolist()


# XLSX


def test_titles_merged_cells_sums_and_notes_around_a_table():
    sheet = [
        ["Verschlagwortung 2023"],
        [],
        ["PPN", "Indexierer", "Schlagwort"],
        ["1001", "Anna", "Gezeiten"],
        [None, None, "Meer"],
        [None, "Ben", "Ebbe"],
        ["1002", "Anna", "Mond"],
        ["Summe", None, 4],
        [],
        ["* Anna was ill."],
    ]
    corpus = kp.load(gold=workbook({"Tabelle1": sheet}))
    assert rows(corpus.gold, "doc_id", "annotator", "phrase") == [
        ["1001", "Anna", "Gezeiten"],
        ["1001", "Anna", "Meer"],
        ["1001", "Ben", "Ebbe"],
        ["1002", "Anna", "Mond"],
    ]
    assert [note.message for note in corpus.report.notes] == [
        "Above the header: 1 row, “Verschlagwortung 2023”.",
        "Below the table: 2 rows, “Summe 4”.",
    ]


def test_a_row_of_names_over_a_row_of_numbered_heads():
    heads = [["", "Anna", None, "Ben", None], ["Dok", "SW1", "SW2", "SW1", "SW2"]]
    corpus = kp.load(
        gold=workbook({"T": [*heads, ["d1", "tide", "sea", "tide", None], ["d2", "moon", "", "sun", "x"]]})
    )
    assert corpus.annotators == ["Anna", "Ben"]
    assert corpus.gold["phrase"].tolist() == ["tide", "sea", "moon", "tide", "sun", "x"]


def test_errors_of_a_spreadsheet_are_no_phrases_and_bullets_no_part_of_them():
    table = [["id", "keywords", "note"], *([f"d{n}", f"• tide {n}\n• sea", ""] for n in range(8)), ["d8", "#N/A", ""]]
    corpus = kp.load(gold=workbook({"T": table}))
    assert corpus.gold["phrase"].tolist()[:3] == ["tide 0", "sea", "tide 1"]
    assert corpus.empty["doc_id"].tolist() == ["d8"]
    matrix = workbook({"T": [["id", "tide", "sea"], ["d1", "x", None], ["d2", None, "x"]]})
    with pytest.raises(InputError, match="found the columns id, tide, sea"):
        kp.load(gold=matrix)


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


def test_sheets_that_are_no_table_are_left_out_and_one_may_be_chosen():
    first, second = [["doc_id", "phrase"], ["d1", "tide"]], [["doc_id", "phrase"], ["d2", "moon"]]
    source = workbook({"read me": [["made by x"]], "spring": first, "autumn": second})
    assert previews(source)[0].options["sheet"] == ("read me", "spring", "autumn")
    chosen = kp.load(gold=source, roles={"a.xlsx": Choice(options={"sheet": "autumn"})})
    assert rows(chosen.gold, "doc_id", "phrase") == [["d2", "moon"]]
    assert chosen.report.readings[0].evidence.startswith("sheet “autumn” of 1 row and 2 columns")
    together = kp.load(gold=source, roles={"a.xlsx": Choice(options={"sheets": "together"})})
    assert rows(together.gold, "annotator", "doc_id", "phrase") == [["gold", "d1", "tide"], ["gold", "d2", "moon"]]
    assert [note.message for note in together.report.notes] == ["Left out: 1 sheet, “read me”."]


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
        (CELLS.format('<sheetData><row r="99999999999"><c r="A1"><v>1</v></c></row></sheetData>'), "1,001 cells"),
        (CELLS.format("<sheetData>" + "<row/>" * 300_000 + "</sheetData>"), "packed more than 100 : 1"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + CELLS.format("<sheetData/>"), "entities declared in"),
        ("<worksheet><sheetData>", "a damaged or unusual workbook"),
    ],
)
def test_what_would_cost_memory_or_is_damaged_is_refused(content, said):
    source = Source("a.xlsx", replaced(workbook({"Sheet": [["doc_id", "phrase"]]}).data, SHEET, content))
    with pytest.raises(InputError, match=said):
        kp.load(gold=source, limits=Limits(table_cells=1000))


def test_columns_of_a_sheet_may_be_named():
    source = workbook({"Liste": [["Lfd", "Wort", "Art"], ["1", "Gezeiten", "x"], ["2", "Hafen", "y"]]})
    assert first_rows(source, Choice()).heads == ("Lfd", "Wort", "Art")
    with pytest.raises(InputError, match="found the columns Lfd, Wort, Art"):
        kp.load(gold=source)
    chosen = Choice(columns={"doc_id": "Lfd", "phrase": "Wort"})
    corpus = kp.load(gold=source, roles={"a.xlsx": chosen})
    assert rows(corpus.gold, "doc_id", "phrase", "Art") == [["1", "Gezeiten", "x"], ["2", "Hafen", "y"]]


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


def test_several_columns_of_lists_are_annotators_or_systems():
    source = parquet(doc_id=["x", "y"], ana=[["a"], []], ben=[["b"], ["c"]])
    assert rows(kp.load(gold=source).gold, "annotator", "doc_id", "phrase") == [
        ["ana", "x", "a"],
        ["ben", "x", "b"],
        ["ben", "y", "c"],
    ]
    assert kp.load(systems=source).systems == ["ana", "ben"]


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


# layouts of a study


STUDY = {
    "Anna": [["Dokument", "Schlagwörter"], ["d1", "tide; sea"], ["d2", "moon"]],
    "Ben": [["Dokument", "Schlagwörter"], ["d1", "tide"], ["d2", "moon; sun"]],
}


def open_document(sheets, name="a.ods"):
    """Return an OpenDocument workbook of {sheet: rows}."""
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    spaces = " ".join(f'xmlns:{part}="{space}{part}:1.0"' for part in ("office", "table", "text"))
    cell = '<table:table-cell office:value-type="string">{}</table:table-cell>'
    edge = '<table:table-cell table:number-columns-repeated="16380"/>'
    body = "".join(
        f'<table:table table:name="{title}">'
        + "".join(
            "<table:table-row>"
            + "".join(cell.format("".join(f"<text:p>{line}</text:p>" for line in text.split("\n"))) for text in row)
            + f"{edge}</table:table-row>"
            for row in rows
        )
        + f'<table:table-row table:number-rows-repeated="1048000">{edge}</table:table-row></table:table>'
        for title, rows in sheets.items()
    )
    content = f"<office:document-content {spaces}><office:body><office:spreadsheet>{body}"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    end = "</office:spreadsheet></office:body></office:document-content>"
    return archive({"mimetype": kind, "content.xml": content + end}, name)


@pytest.mark.parametrize("opener", [workbook, open_document])
def test_a_sheet_each_is_an_annotator_each(opener):
    corpus = kp.load(files=[opener({"Hinweise": [["Bitte lesen"]], **STUDY})])
    assert rows(corpus.gold, "annotator", "doc_id", "phrase") == [
        ["Anna", "d1", "tide"],
        ["Anna", "d1", "sea"],
        ["Anna", "d2", "moon"],
        ["Ben", "d1", "tide"],
        ["Ben", "d2", "moon"],
        ["Ben", "d2", "sun"],
    ]
    reading = corpus.report.readings[0]
    assert "2 sheets (“Anna”, “Ben”), one for each" in reading.evidence
    assert (reading.rows_read, reading.rows_loaded) == (6, 6)


def test_a_whole_study_in_one_workbook():
    texts = [["id", "title", "text"], ["d1", "Tides", "Water rises twice a day."], ["d2", "Moon", "It shines."]]
    book = {"Texts": texts, "Gold": STUDY["Anna"], "YAKE": STUDY["Ben"]}
    corpus = kp.load(files=[workbook(book)])
    assert corpus.annotators == ["gold"]
    assert rows(corpus.runs, "system", "doc_id", "phrase") == [
        ["YAKE", "d1", "tide"],
        ["YAKE", "d2", "moon"],
        ["YAKE", "d2", "sun"],
    ]
    assert corpus.documents["title"].tolist() == ["Tides", "Moon"]


@pytest.mark.parametrize("opener", [workbook, open_document])
def test_titles_above_two_header_rows_and_merged_ids(opener):
    sheet = [
        ["Indexing study 2024", "", "", "", ""],
        ["", "", "", "", ""],
        ["No.", "Anna", "", "Ben", ""],
        ["", "1", "2", "1", "2"],
        ["d1", "tide", "sea", "tide", "moon"],
        ["d2", "moon", "", "moon", "sun"],
    ]
    corpus = kp.load(gold=opener({"Sheet1": sheet}))
    assert rows(corpus.gold, "annotator", "doc_id", "phrase") == [
        ["Anna", "d1", "tide"],
        ["Anna", "d1", "sea"],
        ["Anna", "d2", "moon"],
        ["Ben", "d1", "tide"],
        ["Ben", "d1", "moon"],
        ["Ben", "d2", "moon"],
        ["Ben", "d2", "sun"],
    ]
    assert "Above the header: " in corpus.report.notes[0].message


def test_a_sheet_that_repeats_its_rows_is_bounded():
    one = zipfile.ZipFile(io.BytesIO(open_document({"A": [["doc_id", "phrase"], ["d", "tide"]]}).data))
    head, cell, tail = one.read("content.xml").decode().rpartition("<table:table-row><table:table-cell office")
    many = head + cell.replace("-row>", '-row table:number-rows-repeated="99999999">') + tail
    source = archive({"mimetype": one.read("mimetype"), "content.xml": many}, "a.ods")
    with pytest.raises(InputError, match="at most 1,000 cells"):
        kp.load(gold=source, limits=Limits(table_cells=1000))


def test_sheets_without_ids_are_the_documents_that_they_are_named_after():
    corpus = kp.load(gold=workbook({"d1": [["phrase"], ["tide"], ["sea"]], "d2": [["phrase"], ["moon"], ["sun"]]}))
    assert rows(corpus.gold, "annotator", "doc_id", "phrase") == [
        ["gold", "d1", "tide"],
        ["gold", "d1", "sea"],
        ["gold", "d2", "moon"],
        ["gold", "d2", "sun"],
    ]
    with pytest.raises(kp.Question, match="one for each document"):
        kp.load(gold=workbook({"Anna": [["phrase"], ["tide"], ["sea"]], "Ben": [["phrase"], ["moon"], ["sun"]]}))
    one_row_each = workbook({"d1": [["keywords"], ["tide; sea"]], "d2": [["keywords"], ["moon; sun"]]})
    with pytest.raises(kp.Question) as question:
        kp.load(gold=one_row_each)
    for answer, annotators in zip(question.value.answers, (["d1", "d2"], ["gold"]), strict=False):
        assert kp.load(gold=one_row_each, roles=answer.choices).annotators == annotators
