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
    """Return the outside of an OpenDocument workbook, which is refused."""
    return archive({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": str(sheets)}, name)


def parquet(name="a.parquet", **columns):
    """Return a Parquet table of named columns."""
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
