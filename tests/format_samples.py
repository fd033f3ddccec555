"""Give an invented sample of every format family, with what stands in it."""

import io
import json
import zipfile

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


def parquet(name="a.parquet", **columns):
    """Return a Parquet table of named columns."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return Source(name, buffer.getvalue())


WEBANNO = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue\n"
    "#T_SP=webanno.custom.Key|kind\n\n\n"
    "#Text=The tide table \\[new\\].\n"
    "1-1\t0-3\tThe\tDET\t_\t\n1-2\t4-8\ttide\tNOUN\tsea[1]|water[2]\t\n1-3\t9-14\ttable\tNOUN\tsea[1]\t\n"
    "1-4\t15-16\t\\[\tPUNCT\t_\t\n1-5\t16-19\tnew\tADJ\t*\t\n1-6\t19-20\t\\]\tPUNCT\t_\t\n"
    "1-7\t20-21\t.\tPUNCT\t_\t\n\n"
    "#Text=\U0001f30a Sea level.\n"
    "2-1\t23-25\t\U0001f30a\tSYM\t_\t\n2-2\t26-29\tSea\tNOUN\tsea[3]\t\n2-3\t30-35\tlevel\tNOUN\tsea[3]\t\n"
    "2-4\t35-36\t.\tPUNCT\t_\t\n"
)
TASKS = [
    {
        "id": 7,
        "data": {"text": "\U0001f30a The tide table"},
        "annotations": [
            {
                "completed_by": {"id": 1, "email": "ana@example.org"},
                "result": [
                    {
                        "from_name": "kp",
                        "type": "labels",
                        "value": {"start": 7, "end": 17, "text": "tide table", "labels": ["KP"]},
                    },
                    {"from_name": "topic", "type": "choices", "value": {"choices": ["harbour"]}},
                    {"from_name": "more", "type": "textarea", "value": {"text": ["sea level"]}},
                ],
            },
            {"completed_by": 2, "result": []},
            {"completed_by": 3, "was_cancelled": True, "result": []},
        ],
    }
]
ALIGNED = {
    "gold.txt": "tide table;harbour;<peos>;sea level\n\ntide|tides;gauge\n",
    "out/pred.txt": "tide;sea level\nmoon;sun;<unk> water\ngauge;tides\n",
    "src.txt": "Tides [sep] Water rises and falls at the quay.\nMoon [sep] It goes round.\nGauges [sep] How high.\n",
    "doc_ids.txt": "a\nb\nc\n",
}
TABLE = [["doc_id", "annotator", "keyphrase", "relevance"], ["007", "ana", "tide table", 2], ["007", "ben", "1984", 1]]
#: Family → the arguments of `load`, and how many gold rows, predictions, documents with text and judgements they give.
SAMPLES = {
    "F1": (
        {"gold": Source("g.json", b'{"C-7": [["job shop"], ["quality of rest", "rest quality"]], "C-9": []}')},
        (2, 0, 0, 0),
    ),
    "F2": ({"systems": Source("s.json", b'{"d2": ["b", "a"], "d1": []}')}, (0, 2, 0, 0)),
    "F3": ({"gold": Source("ref", "J-4.txt\torder book;c\u00f4te est\n44801.html\t\n".encode())}, (2, 0, 0, 0)),
    "F4": (
        {"gold": archive({"ana/12.key": "4711: Tide table\n512: Harbour (sea)\n", "ben/12.key": "4711: Tide table\n"})},
        (3, 0, 0, 0),
    ),
    "F4A": (
        {
            "systems": archive(
                {
                    "d1.annif": "<http://x.org/1>\ttide\t0.5\n<http://x.org/2>\tmoon\t53.2\t0.4\n",
                    "d2.annif": "<http://x.org/2>\tmoon\t0.1\n",
                }
            )
        },
        (0, 3, 0, 0),
    ),
    "F4L": (
        {
            "gold": archive(
                {
                    "short.tsv": "Tides rise.\t<http://x.org/1> <http://x.org/2>\nMoon.\t<http://x.org/1>\n",
                    "vocabulary.tsv": "<http://x.org/1>\ttide\n",
                }
            )
        },
        (3, 0, 2, 0),
    ),
    "F5": ({"files": archive(ALIGNED)}, (5, 7, 3, 0)),
    "F6": (
        {
            "files": Source(
                "k.jsonl",
                b'{"id": "d1", "source": "Tides [sep] Rise.", "target": "tide ; sea", "predictions": "tide"}\n'
                b'{"id": "d2", "source": "Moon.", "target": "", "predictions": ""}\n',
            )
        },
        (2, 1, 2, 0),
    ),
    "F7": ({"gold": archive({"a-votes": "boat race\t10\nriver\t3\n", "b-votes": "moon\t1\nsea\t2\n"})}, (4, 0, 0, 0)),
    "F8": ({"systems": Source("t.run", b"d1 Q0 tide%20table 1 12 tfidf\nd1 Q0 moon 2 11.5 tfidf\n")}, (0, 2, 0, 0)),
    "F9": ({"systems": Source("yake.json", b'{"d1": [["tide table", 0.01], ["harbour", 0.2]]}')}, (0, 2, 0, 0)),
    "F10": (
        {"gold": Source("g.csv", b"doc_id,annotator,keyphrase,note\nNA,ana,null,=1\n007,ben,1e5,\n")},
        (2, 0, 0, 0),
    ),
    "F10J": (
        {"gold": Source("g.jsonl", b'{"doc_id": "d1", "annotator": "ana", "phrase": "tide; table"}\n')},
        (1, 0, 0, 0),
    ),
    "F10P": (
        {
            "systems": parquet(
                doc_id=["1", "2"], phrases=[[{"phrase": "a", "score": 0.5}, {"phrase": "b", "score": 0.25}], []]
            )
        },
        (0, 2, 0, 0),
    ),
    "F10X": ({"gold": workbook({"read me": [["made by x"]], "gold": TABLE})}, (2, 0, 0, 0)),
    "F11": (
        {
            "judgements": Source(
                "j.csv", b"pair_id,doc_id,keyphrase,candidate,score_1,score_2\np1,d1,tide table,tide,3,\n"
            )
        },
        (0, 0, 0, 1),
    ),
    "F12": ({"documents": archive({"news/1.txt": "Tides\nrise.", "talks/2.txt": "Moon."})}, (0, 0, 2, 0)),
    "F13": (
        {
            "gold": [
                Source("ana.jsonl", b'{"id": 3, "text": "The tide table", "label": [[4, 14, "KP"]]}\n'),
                Source("ben.jsonl", b'{"id": 3, "text": "The tide table", "labels": ["sea level"]}\n'),
            ]
        },
        (2, 0, 1, 0),
    ),
    "F13L": ({"gold": Source("tasks.json", json.dumps(TASKS).encode())}, (3, 0, 1, 0)),
    "F13W": (
        {"gold": archive({"annotation/d1.txt/ana.tsv": WEBANNO, "annotation/d1.txt/ben.tsv": WEBANNO})},
        (8, 0, 1, 0),
    ),
}
