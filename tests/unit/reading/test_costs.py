"""Small files that once cost seconds or gigabytes are refused, or read, within a few seconds of one processor."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from tests.format_samples import archive

#: Seconds of processor time for one file, and megabytes beyond those of the imports, on a machine that does much else.
SECONDS, MEGABYTES = 5, 400
#: Reads one file, and prints seconds, megabytes and the refusal.
READ = """
import json, resource, sys, time
import kp_core as kp
start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    kp.load(files=sys.argv[1]) if sys.argv[2] == "files" else kp.load(gold={"d": ["c1"]}, broader=sys.argv[1])
    said = ""
except kp.InputError as refusal:
    said = str(refusal)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.process_time() - start, (peak - before) / 1024, said]))
"""


def cell(text: str, **more: object) -> str:
    attributes = "".join(f" table:{name.replace('_', '-')}={quoteattr(str(value))}" for name, value in more.items())
    return f'<table:table-cell office:value-type="string"{attributes}><text:p>{text}</text:p></table:table-cell>'


def sheet(*rows: str) -> bytes:
    """Return an ODS workbook whose second row is given as XML."""
    names = {part: f"urn:oasis:names:tc:opendocument:xmlns:{part}:1.0" for part in ("office", "table", "text")}
    spaces = " ".join(f'xmlns:{part}="{name}"' for part, name in names.items())
    body = f"<table:table-row>{cell('doc_id')}{cell('keyphrase')}</table:table-row>{''.join(rows)}"
    table = f'<office:spreadsheet><table:table table:name="S">{body}</table:table></office:spreadsheet>'
    content = f"<office:document-content {spaces}><office:body>{table}</office:body></office:document-content>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        packed.writestr("content.xml", content)
        packed.writestr("META-INF/manifest.xml", "<manifest/>")
    return buffer.getvalue()


ROW = f"{cell('d1')}{cell('tide')}"
COSTLY: dict[str, tuple[str, bytes, str]] = {
    "a chain of concepts": (
        "broader.csv",
        b"child,parent\n" + b"".join(b"c%d,c%d\n" % (n, n + 1) for n in range(10_000)),
        "at most 100 levels",
    ),
    "a row of ODS, repeated": (
        "rows.ods",
        sheet(f'<table:table-row table:number-rows-repeated="1000000">{ROW}</table:table-row>'),
        "at most 10,000 copies",
    ),
    "a cell of ODS, repeated": (
        "cells.ods",
        sheet(f"<table:table-row>{cell('d1')}{cell('tide', number_columns_repeated=10**8)}</table:table-row>"),
        "at most 1,000 columns",
    ),
    "a line of percent signs": ("percent.txt", b"%% " * 20_000, "a first line"),
    "empty lists": ("lists.json", b"[" + b",".join([b"[]"] * 1_500_000) + b"]", "at most 500,000 documents"),
    "a list of empty lists": (
        "list.json",
        b'{"d1":[' + b",".join([b"[]"] * 1_500_000) + b"]}",
        "at most 10,000 phrases",
    ),
    "a path of folders": ("deep.zip", archive({"a/" * 5_000 + "g.csv": "id,phrase\n"}).data, "more than 100 folders"),
    "members": ("many.zip", archive({f"{n}.key": "a" for n in range(20_001)}).data, "at most 20,000 members"),
}


@pytest.mark.parametrize("name", COSTLY)
def test_small_files_cost_little(name: str, tmp_path: Path) -> None:
    file, data, said = COSTLY[name]
    path = tmp_path / file
    path.write_bytes(data)
    role = "broader" if file == "broader.csv" else "files"
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path), role], capture_output=True, text=True, check=True, timeout=120
    )
    seconds, megabytes, refusal = json.loads(done.stdout)
    assert said in refusal
    assert seconds < SECONDS
    assert megabytes < MEGABYTES
