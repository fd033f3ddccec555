"""Generate an invented sample of every format family, with its content."""

import io
import tomllib
import zipfile
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from kp_core.reading import Source


def archive(files, name="pack.zip"):
    """Return a zip of {path: text or bytes}."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for path, data in files.items():
            packed.writestr(path, data)
    return Source(name, buffer.getvalue())


def workbook(sheets, name="a.xlsx"):
    """Return a workbook of {sheet: rows}."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return Source(name, buffer.getvalue())


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


def parquet(name="a.parquet", **columns):
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return Source(name, buffer.getvalue())


#: Examples of every family, as the documentation shows them.
SHOWN = tomllib.loads((Path(__file__).parents[1] / "docs" / "formats.toml").read_text(encoding="utf-8"))
EXAMPLES = {family: shown for family, shown in SHOWN.items() if "examples" in shown}
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def samples():
    """Yield a family, the arguments of `load`, and the number of rows, predictions, texts and judgments to expect."""
    for family, sample in TABLE.items():
        files = sample["files"]
        plain = [Source(name, text.encode()) for name, text in files.items()]
        yield family, {sample["role"]: archive(files) if "packed" in sample else plain}, tuple(sample["counts"])
    scored = [{"phrase": "a", "score": 0.5}, {"phrase": "b", "score": 0.25}]
    yield "F10 Parquet", {"systems": parquet(doc_id=["1", "2"], phrases=[scored, []])}, (0, 2, 0, 0)
    rows = [["007", "ana", "tide table", 2], ["007", "ben", "1984", 1]]
    table = [["doc_id", "annotator", "keyphrase", "relevance"], *rows]
    yield "F10 XLSX", {"gold": workbook({"read me": [["made by x"]], "gold": table})}, (2, 0, 0, 0)


SAMPLES = {family: (given, counts) for family, given, counts in samples()}
