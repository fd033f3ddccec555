"""Small awkward and hostile files, each with its expected outcome; made by the project."""

import bz2
import gzip
import io
import json
import math
import struct
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from kp_core.reading import LIMITS, Limits, Source
from tests.format_samples import workbook


@dataclass(frozen=True)
class Awkward:
    """A file, its role, and its expected outcome.

    becomes  words of the refusal, or how many documents, rows of the gold standard or of a run, and rejected rows load
    """

    why: str
    name: str
    data: bytes | Callable[[], bytes]
    becomes: str | tuple[int, int, int]
    role: str = "gold"
    fixes: tuple[str, ...] = ()
    limits: Limits = LIMITS

    @property
    def loads(self) -> bool:
        return not isinstance(self.becomes, str)

    def source(self) -> Source:
        """Return the file; large ones are made only now."""
        return Source(self.name, self.data() if callable(self.data) else self.data)


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in members:
            archive.writestr(zipfile.ZipInfo(path), content, method)
    return packed.getvalue()


def lying(data: bytes, offset: int, value: int) -> bytes:
    """Return an archive of one member with another number in the entry of its central directory."""
    changed, entry = bytearray(data), data.index(b"PK\x01\x02")
    changed[entry + offset : entry + offset + 4] = struct.pack("<L", value)
    return bytes(changed)


def parquet(columns: dict[str, object], **options: object) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table(columns), written, **options)
    return written.getvalue()


def shared_text(text: str, rows: int) -> bytes:
    """Return a workbook in which every cell of the second column is one and the same text."""
    with zipfile.ZipFile(io.BytesIO(workbook({"sheet": [["doc_id", "phrase"], ["d1", "tide"]]}).data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    cells = b'<row r="%d"><c r="A%d" t="s"><v>0</v></c><c r="B%d" t="s"><v>1</v></c></row>'
    sheet = b"".join(cells % (row, row, row) for row in range(1, rows + 1))
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(b"</Types>", part)
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/worksheets/sheet1.xml"] = b'<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>' % (space, sheet)
    strings = b"<si><t>d1</t></si><si><t>%s</t></si>" % text.encode()
    parts["xl/sharedStrings.xml"] = b'<sst xmlns="%s">%s</sst>' % (space, strings)
    return zipped(*parts.items())


def repeated(*texts: str) -> pa.DictionaryArray:
    """Return a column of 60,000 rows, all but the first ones of them with the last entry of a dictionary."""
    places = [*range(len(texts)), *[len(texts) - 1] * (60_000 - len(texts))]
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), pa.array(texts))


def record(**fields: object) -> Callable[[], bytes]:
    return lambda: json.dumps(fields).encode()


def overlapping(members: int) -> bytes:
    """Return an archive of a directory alone, whose entries all name one member."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0) + b"name"
    directory = entry * members
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, len(directory), 4, 0)
    return b"PK\3\4" + directory + end


#: Ten phrases of two documents, as columns.
PHRASES: dict[str, object] = {"doc_id": ["d1"] * 5 + ["d2"] * 5, "phrase": list("cabedhgfji")}


def numbered(name: str, last: float, kind: pa.DataType | None = None) -> bytes:
    """Return a Parquet file with a column of whole numbers kept as floats, but for its last value."""
    numbers = [float(place % 5 + 1) for place in range(9)]
    return parquet({**PHRASES, name: pa.array([*numbers, last], kind or pa.float64())})


HEAD = b"doc_id,phrase\n"
LONG = "x" * 10_000
ROWS = b"d1,tide\nd1,sea\nd2,moon\nd2,harbour\nd3,gauge\nd3,ebb\n"
WORKBOOK, STRINGS = ("xl/workbook.xml", b"<workbook/>"), "xl/sharedStrings.xml"
TIDE = ("a.key", b"tide\n")
MEGABYTE = Limits(unpacked_bytes=1_000_000)
#: Entities that would unfold to gigabytes.
LAUGHS = b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>'


def joined(pieces: list[tuple[str, int]]) -> bytes:
    """Return texts one after another, each repeated; `{n}` in a text is the number of the copy, from 0."""
    texts = (
        "".join(t.replace("{n}", str(n)) for n in range(times)) if "{n}" in t else t * times for t, times in pieces
    )
    return "".join(texts).encode()


def written() -> Iterator[Awkward]:
    """Yield the text files, which are listed in a TOML table."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for why, file in table.items():
        data = file["data"].encode() if "data" in file else partial(joined, file["pieces"])
        becomes, limits = file["becomes"], Limits(**file["limits"]) if "limits" in file else LIMITS
        becomes = becomes if isinstance(becomes, str) else tuple(becomes)
        fixes = tuple(file.get("fixes", ()))
        yield Awkward(why, file["name"], data, becomes, file.get("role", "gold"), fixes, limits)


FILES = (
    # archives
    Awkward("a zip bomb", "a.zip", lambda: zipped(("a.key", bytes(3_000_000))), "100 : 1"),
    Awkward("a gzip bomb", "a.tsv.gz", lambda: gzip.compress(bytes(3_000_000)), "100 : 1"),
    # bzip2 and LZMA unpack a megabyte into gigabytes in one step
    *(
        Awkward(f"method {method}", "a.zip", lambda m=method: zipped(("a.key", b"t"), method=m), "than Deflate")
        for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    ),
    Awkward(
        "a packed size in the header that hides the ratio",
        "a.zip",
        lambda: lying(zipped(("a.key", bytes(3_000_000))), 20, 2**31),
        # zipfile itself sees that such a member runs into what follows, since it looks where members end.
        "damaged" if hasattr(zipfile.ZipInfo, "_end_offset") else "100 : 1",
    ),
    Awkward(
        "an unpacked size that is too small",
        "a.zip",
        lambda: lying(zipped(("a.key", b"tide\n" * 100)), 24, 10),
        "damaged",
    ),
    Awkward("too many entries in a directory alone", "a.zip", lambda: overlapping(20_001), "at most 20,000 members"),
    Awkward("a path that leaves the archive", "a.zip", zipped(("../a.key", b"tide\n")), "leaves the archive"),
    Awkward("an absolute path", "a.zip", zipped(("/a.key", b"tide\n")), "leaves the archive"),
    Awkward("a path of another system", "a.zip", zipped(("x\\a.key", b"tide\n")), "with a backslash"),
    Awkward("a path with a drive", "a.zip", zipped(("C:/a.key", b"tide\n")), "leaves the archive"),
    Awkward(
        "more bytes than may be unpacked",
        "a.zip",
        zipped(("a.key", b"x" * 900), ("b.key", b"y" * 900)),
        "at most 1,000",
        limits=Limits(unpacked_bytes=1_000),
    ),
    Awkward("a later format", "a.zip", zipped(TIDE).replace(b"PK\1\2\24\3\24", b"PK\1\2\24\3\xff"), "unusual archive"),
    Awkward("a member without a name", "a.zip", zipped(("", b"tide\n")), "damaged"),
    Awkward("a member called `.`", "a.zip", zipped((".", b"tide\n"), ("b.key", b"sea\n")), (1, 1, 0)),
    Awkward("an archive in an archive", "a.zip", zipped(TIDE, ("b.zip", zipped(("c", b"")))), (1, 1, 0)),
    Awkward("an archive in an archive without its ending", "a.zip", zipped(TIDE, ("b", zipped(("c", b"")))), (1, 1, 0)),
    Awkward("gzip in an archive without its ending", "a.zip", zipped(TIDE, ("b.key", gzip.compress(b"x"))), (1, 1, 0)),
    Awkward("an archive in gzip", "a.gz", gzip.compress(zipped(TIDE)), "inside a gzip"),
    Awkward("gzip in gzip", "a.gz", gzip.compress(gzip.compress(HEAD + ROWS)), "inside a gzip"),
    Awkward("bytes after the end of gzip", "a.csv.gz", gzip.compress(HEAD + ROWS) + b"more", "damaged"),
    Awkward("zeros after the end of gzip, as tapes have", "a.csv.gz", gzip.compress(HEAD + ROWS) + bytes(9), (3, 6, 0)),
    Awkward("a bzip2 file", "a.csv.bz2", bz2.compress(HEAD + ROWS), "bzip2"),
    Awkward("a packing list of another system", "a.zip", zipped(("__MACOSX/._a.key", b"x"), TIDE), (1, 1, 0)),
    # Office files
    Awkward("a workbook with entities", "a.xlsx", zipped(WORKBOOK, (STRINGS, LAUGHS)), "entities declared"),
    Awkward(
        "entities in UTF-16",
        "a.xlsx",
        zipped(WORKBOOK, (STRINGS, LAUGHS.decode().encode("utf-16"))),
        "entities declared",
    ),
    Awkward("a bomb of strings", "a.xlsx", lambda: zipped(WORKBOOK, (STRINGS, b"<si>" * 1_000_000)), "100 : 1"),
    Awkward("one text in many cells", "a.xlsx", lambda: shared_text("x" * 20_000, 200), "characters", limits=MEGABYTE),
    Awkward("an old Office file", "a.xls", b"\xd0\xcf\x11\xe0" + bytes(500), "an old Office file"),
    # Parquet
    *(
        Awkward(f"one entry {why}", "a.parquet", lambda c=columns: parquet(c()), "spelled out")
        for why, columns in {
            "for many values": lambda: {"doc_id": repeated("d"), "phrase": repeated(LONG)},
            "of two for many values": lambda: {"doc_id": repeated("d"), "phrase": repeated("tide", LONG)},
            "for many values of lists": lambda: {
                "doc_id": ["d1"],
                "phrase": pa.ListArray.from_arrays([0, 60_000], repeated(LONG)),
            },
        }.items()
    ),
    Awkward(
        "values that share their beginnings",
        "a.parquet",
        lambda: parquet(
            {"doc_id": ["d"] * 60, "phrase": [f"{'x' * 100_000}{n}" for n in range(60)]},
            use_dictionary=False,
            column_encoding={"doc_id": "PLAIN", "phrase": "DELTA_BYTE_ARRAY"},
        ),
        "text packed as differences",
        limits=MEGABYTE,
    ),
    Awkward(
        "text that is not UTF-8",
        "a.parquet",
        parquet({"doc_id": ["d1"], "phrase": ["tide!"]}, use_dictionary=False, compression="none").replace(
            b"tide!", b"tid\xff!"
        ),
        "damaged",
    ),
    Awkward(
        "a Parquet file that ends early", "a.parquet", parquet({"doc_id": ["d1"], "phrase": ["tide"]})[:-9], "damaged"
    ),
    Awkward(
        "sizes at which Arrow would end the process",
        "a.parquet",
        Path(__file__).with_name("contradicting_sizes.parquet").read_bytes(),
        "damaged",
    ),
    Awkward("columns of one name", "a.parquet", lambda: _twice(), (1, 1, 0)),
    *(
        Awkward(
            f"{value} beside whole numbers in “{name}”", "a.parquet", numbered(name, value), (2, kept, 10 - kept), role
        )
        for name, role in (("score", "systems"), ("rank", "systems"), ("relevance", "gold"))
        for value, kept in ((math.nan, 9), (1e300, 9 if name == "rank" else 10))
    ),
    *(
        Awkward(f"ids that are whole numbers, and {value}", "a.parquet", numbered("doc_id", value), becomes)
        for value, becomes in ((math.nan, (5, 9, 1)), (1e300, (6, 10, 0)))
    ),
    Awkward("half-precision numbers", "a.parquet", numbered("score", 6e4, pa.float16()), (2, 10, 0), "systems"),
    *(
        Awkward(
            f"lists of {kind} as variants",
            "a.parquet",
            parquet(PHRASES | {"variants": pa.array(10 * [cell])}),
            (2, 10, 0),
        )
        for kind, cell in (("numbers", [1]), ("lists", [["a"]]), ("bytes", [b"\xff"]))
    ),
    Awkward("a missing token", "a.parquet", parquet({"doc_id": ["d1"], "text": [["a", None]]}), (1, 0, 0), "documents"),
    Awkward(
        "lists of lists as texts", "a.parquet", parquet({"doc_id": ["d1"], "text": [[["a"]]]}), (1, 0, 0), "documents"
    ),
    # JSON
    # about where Python stops, which it may do while it shows a value that it could parse
    *(
        Awkward(f"{levels} levels", "a.json", b'{"d": ' + b"[" * levels + b"]" * levels + b"}", "found ")
        for levels in (33, *range(900, 1_000, 3))
    ),
    Awkward(
        "brackets in strings are no levels", "a.json", json.dumps({"d": ["[" * 99, 'a"[\\' * 40]}).encode(), (1, 2, 0)
    ),
    # tables
    Awkward(
        "a long id before many phrases",
        "a.tsv",
        lambda: b"".join(b"%s%d\t%s\n" % (b"i" * 490, n, b"a;" * 9_999) for n in range(120)),
        "bytes of ids",
    ),
    # spans
    Awkward(
        "many long spans of a text",
        "a.jsonl",
        record(id=1, text="x " * 500_000, label=[[0, 999_999 - n, "KP"] for n in range(4_000)]),
        "20%",
    ),
    Awkward(
        "long spans beside another text",
        "a.jsonl",
        record(
            id=1,
            text="word " * 100_000,
            spans=[{"start": 0, "end": 499_000 - n, "text": "x", "label": "KP"} for n in range(9_000)],
        ),
        "20%",
    ),
    Awkward(
        "another user in every span",
        "a.jsonl",
        record(
            id=1,
            text="word " * 30_000,
            entities=[{"start_offset": 5 * n, "end_offset": 5 * n + 4, "user": n} for n in range(30_000)],
        ),
        "at most 1,000 annotators",
    ),
    Awkward(
        "50,000 parts of one span",
        "a.ann",
        lambda: b"T1\tKP " + b";".join(b"%d %d" % (n, n + 900) for n in range(50_000)) + b"\tx\n",
        "20%",
    ),
    # characters
    Awkward("a surrogate in UTF-8 is none", "a.csv", HEAD + ROWS + b"d3,\xed\xa0\x80\n", (3, 7, 0)),
    Awkward(
        "UTF-16 with half a character",
        "a.csv",
        b"\xff\xfe" + (HEAD + ROWS).decode().encode("utf-16-le") + b"\x00\xd8\x0a\x00",
        "bytes that are not utf-16-le",
    ),
    # texts
    *written(),
)


def _twice() -> bytes:
    columns = [pa.array(["d1"]), pa.array(["tide"]), pa.array(["a"]), pa.array(["b"])]
    written = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, ["doc_id", "phrase", "note", "note"]), written)
    return written.getvalue()
