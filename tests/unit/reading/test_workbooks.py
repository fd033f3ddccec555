"""Workbooks, Parquet columns of lists and annotated JSONL are read cell by cell, within the limits."""

import datetime
import io
import zipfile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Limits, Mapping, Source
from kp_core.reading.open.decode import File
from kp_core.reading.open.workbooks import read_sheet
from tests.format_samples import archive, open_document, parquet, workbook

SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHARED = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
CELLS = f'<worksheet xmlns="{MAIN}">{{}}</worksheet>'
#: Numbers of styles: 0 general, 1 with leading zeros, 2 a date, 3 a length of time.
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="2"><numFmt numFmtId="170" formatCode="0000"/>'
    '<numFmt numFmtId="171" formatCode="[h]:mm"/></numFmts><cellXfs count="4"><xf numFmtId="0"/>'
    '<xf numFmtId="170"/><xf numFmtId="14"/><xf numFmtId="171"/></cellXfs></styleSheet>'
)
#: openpyxl says that it takes a style of its own for the rest, which no value depends on.
PLAIN = pytest.mark.filterwarnings("ignore:Workbook contains no default style")


def rows(table, *columns):
    return table[list(columns)].to_numpy().tolist()


# XLSX


def test_cells_are_read_as_displayed():
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


def test_formula_gives_stored_value():
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
    result = kp.load(gold=beside, mapping={beside.name: Mapping(sheet="T")})
    assert result.gold["phrase"].tolist() == ["tide"]


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
        (CELLS.format('<sheetData><row r="9999999"><c r="A1"><v>1</v></c></row></sheetData>'), "1,001 cells"),
        (CELLS.format("<sheetData>" + "<row/>" * 300_000 + "</sheetData>"), "packed more than 100 : 1"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + CELLS.format("<sheetData/>"), "entities declared in"),
        ("<worksheet><sheetData>", "a damaged or unusual workbook"),
    ],
)
def test_oversized_or_damaged_workbooks_are_refused(content, said):
    source = Source("a.xlsx", replaced(workbook({"Sheet": [["doc_id", "phrase"]]}).data, SHEET, content))
    with pytest.raises(InputError, match=said):
        kp.load(gold=source, limits=Limits(table_cells=1000))


def excel(cells, shared="", properties=""):
    """Return a workbook as Excel writes it, with one row of cells, shared texts and styles in parts of their own."""
    row = "".join(cell.replace("<c", f'<c r="{"ABCDEFGHIJ"[place]}1"', 1) for place, cell in enumerate(cells))
    old = zipfile.ZipFile(io.BytesIO(workbook({"Sheet": [["x"]]}).data))
    parts = {name: old.read(name).decode() for name in old.namelist()}
    parts[SHEET] = CELLS.format(f'<sheetData><row r="1" spans="1:9">{row}</row></sheetData>')
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{shared}</sst>'
    parts["xl/styles.xml"] = STYLES
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace("<workbookPr/>", f"<workbookPr {properties}/>")
    listed = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SHARED}"/></Types>'
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace("</Types>", listed)
    return archive(parts, "a.xlsx").data


def shown_by(data):
    """Return the first row of a workbook as read by KPScope and by openpyxl."""
    table = read_sheet(File(Source("a.xlsx", data), Limits()), "Sheet", Mapping(header="no"))
    part = [column[0].as_py() for column in table.columns]
    return part, [cell.value for cell in next(openpyxl.load_workbook(io.BytesIO(data), data_only=True).active.rows)]


@PLAIN
def test_shared_and_inline_strings_equal_openpyxl():
    kana = "<rPh sb='0' eb='1'><t>シオ</t></rPh>"
    runs = "<r><rPr><b/></rPr><t>ti</t></r><r><t xml:space='preserve'>de </t></r>"
    shared = f"<si><t>sea</t></si><si>{runs}{kana}</si><si><t/></si><si><t>潮</t>{kana}</si>"
    cells = [f'<c t="s"><v>{n}</v></c>' for n in (1, 0, 3)]
    cells += [f'<c t="inlineStr"><is>{runs}{kana}</is></c>', '<c t="str"><f>A1</f><v>moon</v></c>']
    part, other = shown_by(excel(cells, shared))
    assert part == other == ["tide ", "sea", "潮", "tide ", "moon"]


@PLAIN
def test_invalid_xml_characters_are_escaped():
    shared = "<si><t>a_x000D_</t></si><si><t>_x005F_x0041_</t></si>"
    part, _ = shown_by(excel(['<c t="s"><v>0</v></c>', '<c t="s"><v>1</v></c>'], shared))
    assert part == ["a\r", "_x0041_"]


@PLAIN
@pytest.mark.parametrize("properties", ["", 'date1904="1"'])
def test_numbers_dates_and_durations_equal_openpyxl(properties):
    cells = [f'<c s="{style}"><v>{value}</v></c>' for style, value in ((1, 7), (2, 45000), (3, 1.5), (2, 0.25))]
    cells += ['<c t="b"><v>1</v></c>', '<c t="e"><v>#N/A</v></c>', "<c><v>1.2E3</v></c>"]
    part, other = shown_by(excel(cells, properties=properties))
    assert part[0] == "0007"
    assert part[1:4] == [str(other[1]).removesuffix(" 00:00:00"), str(other[2]), str(other[3])]
    assert (part[4:], other[4], other[6]) == (["TRUE", "", "1200"], True, 1200)


def test_sheets_of_one_name_are_refused():
    two = workbook({"A": [["doc_id", "phrase"], ["d1", "tide"]], "B": [["doc_id", "phrase"], ["d1", "sea"]]}).data
    book = zipfile.ZipFile(io.BytesIO(two)).read("xl/workbook.xml").decode()
    same = replaced(two, "xl/workbook.xml", book.replace('name="B"', 'name="A"'))
    with pytest.raises(InputError, match="a damaged or unusual workbook"):
        kp.load(gold=Source("a.xlsx", same))


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
def test_list_columns_are_proposed_as_annotators_or_systems(role, table, column):
    source = parquet(doc_id=["x", "y"], ana=[["a"], []], ben=[["b"], ["c"]])
    with pytest.raises(kp.Question, match="The columns “ana”, “ben” may be people, systems") as asked:
        kp.load(**{role: source})
    corpus = kp.load(**{role: source}, mapping={form.file: form.mapping for form in asked.value.forms})
    expected = [["ana", "x", "a"], ["ben", "x", "b"], ["ben", "y", "c"]]
    assert rows(getattr(corpus, table), column, "doc_id", "phrase") == expected
    assert corpus.empty[["source", "doc_id"]].to_numpy().tolist() == [["ana", "y"]]


@pytest.mark.parametrize("ending", ["xlsx", "ods"])
def test_workbook_is_opened_once_for_all_sheets(ending, monkeypatch):
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


def test_lists_in_several_row_groups_of_parquet():
    stream = io.BytesIO()
    table = pa.table({"doc_id": ["d1", "d2", "d3"], "keywords": [["tide", "sea"], ["sea"], ["moon"]]})
    pq.write_table(table, stream, row_group_size=1)
    gold = kp.load(gold=Source("g.parquet", stream.getvalue())).gold
    assert rows(gold, "doc_id", "phrase") == [["d1", "tide"], ["d1", "sea"], ["d2", "sea"], ["d3", "moon"]]
