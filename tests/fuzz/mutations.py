"""Turn examples of every family, and the small awkward files, into mutated files: the same ones for the same seed."""

import gzip
import io
import random
import re
import tempfile
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kp_core import scale
from kp_core.reading import Mapping, Source
from kp_core.reading.lists.sniff import FAMILIES
from kp_core.reading.meaning.mapping import SWITCHES
from kp_core.reading.uploads import Uploads
from kp_core.takeaway.workspace_file import MANIFEST, Saved, workspace_file
from tests.awkward.files import FILES, parquet, zipped
from tests.format_samples import EXAMPLES, workbook
from tests.scale.tables import draw, engine, write

ROLES = ("gold", "systems", "documents", "judgements", "files")
FIXES = ("keep-first", "merge", "strip-extension", "casefold-ids", "missing-as-empty", "strip-common", "types-from-ids")
ENDINGS = (
    *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".key", ".tags", ".uncontr", ".html", ".qrels", ".run", ".parquet"),
    *(".xlsx", ".zip", ".gz", ""),
)
#: Rows that are repeated make a file of so many bytes at the most.
LARGEST = 300_000
#: Members that files of ours begin with.
_OURS = ("header.json.npy", MANIFEST)
#: What readers look at: separators, quotes, brackets, names of fields, odd numbers, odd characters, magic bytes.
TOKENS = (
    *(b"\t", b",", b";", b"|", b"@", b'"', b"'", b"\n", b"\r", b"\r\n", b" ", b":", b"=", b"%20", b"%", b"<", b">"),
    *(b"[", b"]", b"{", b"}", b"[[", b"]]", b"null", b"true", b"NaN", b"Infinity", b"1e999", b"-1", b"0", b"1.5"),
    *(b"9" * 301, b"\\ud800", b"\\u0000", b"\\", b"\0", b"\xff", b"\xad", b"\x85", b"\xc2\xa0", b"\xe2\x80\xa8"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", "é漢ع\u202e\u0301".encode(), b"PK\x03\x04", b"PAR1", b"\x1f\x8b"),
    *(b"doc_id", b"phrase", b"rank", b"score", b"annotator", b"system", b"candidate", b"keyphrase", b"score_1"),
    *(b"text", b"title", b"keyphrases", b"predictions", b"Scores", b"variants", b"empty", b"yes", b"relevance"),
    *(b"<!--", b"<![CDATA[", b"<script>", b"</", b"&#", b"<peos>", b"Q0", b"#Text=", b"_", b"[1]", b"[sep]"),
    *(b"T1\tKP 4 8;9 12\ttide", b"-DOCSTART-", b"# id = ", b" B-KP", b" I-KP", b"indices", b"answer", b"pred_sents"),
)


@dataclass(frozen=True)
class Case:
    """One input: the file, the family of its example, how it is read; whether all its readings are looked at, and
    whether what was read is used."""

    family: str
    source: Source
    role: str
    strict: bool = False
    fixes: tuple[str, ...] = ()
    mapping: Mapping = field(default_factory=Mapping)
    look: bool = False
    used: bool = False


def seeds() -> list[tuple[str, Source]]:
    """Return the examples of all families, binary tables, files written by KPScope, and the awkward files.

    Ours are statistics of a streamed run and a workspace; tables of a vocabulary are named after what they are.
    """
    result: list[tuple[str, Source]] = []
    for family, shown in EXAMPLES.items():
        for example in shown["examples"]:
            head, _, rest = example.partition(":\n")
            named = "/" in head and "\n" not in head and bool(rest)
            name, text = (head, rest) if named else (f"{family}{_ending(example)}", example)
            result.append((family, Source(name, text.encode())))
            result.append((family, Source(name, "\n".join([text, *text.split("\n")[-2:], ""]).encode())))
    table = {"doc_id": ["d1", "d1", "d2"], "phrase": ["tide", "sea level", "moon"], "rank": [1, 2, 1]}
    lists = {"doc_id": ["d1", "d2"], "keyphrases": [["tide", "sea"], []]}
    result += [("F10", Source("a.parquet", parquet(columns))) for columns in (table, lists)]
    wide = {"id": ["d1", "d2"], "title": ["Of tides", "Of moons"], "Anna": ["a; b", "c"], "Ben 1": ["a", ""]}
    sheets = (table, {**table, "note": ["=1+1", "é", ""]}, wide, {**wide, "Ben 2": ["x", "y"]})
    result += [("F10", workbook({"sheet": [[*columns], *zip(*columns.values(), strict=True)]})) for columns in sheets]
    result += [("statistics", _statistics()), ("workspace", _workspace())]
    result += [("vocabulary", item) for item in _vocabulary()]
    small = (file for file in FILES if not callable(file.data))
    return result + [("awkward", file.source()) for file in small]


def _statistics() -> Source:
    with tempfile.TemporaryDirectory() as folder:
        given = write(draw(5, documents=4), Path(folder) / "tables")
        asked = [scale.Family("F1@k", trials=20)]
        run = scale.stream(*given, measures=["F1@k"], k="1-2", comparisons=asked, resamples=10, options=engine())
        run.save(Path(folder) / "a.npz")
        return Source("a.npz", (Path(folder) / "a.npz").read_bytes())


def _vocabulary() -> list[Source]:
    vectors, packed = [[0.5, -1.0, 2.0], [0.25, 0.0, 4.0]], io.BytesIO()
    np.savez(packed, phrases=["tide", "spring tide"], vectors=vectors)
    return [
        Source("broader.csv", b"child,parent\ntide,sea\nsea,water\n"),
        Source("frequencies.csv", b"concept,n,documents\ntide,3,40\nsea,0,40\n"),
        Source("similar.csv", b"a,b,score\ntide,sea,0.5\ntide,moon,1\n"),
        Source("vectors.npz", packed.getvalue()),
        Source("vectors.vec", b"2 3\ntide 0.5 -1 2\nspring_tide 0.25 0 4\n"),
        Source("vectors.parquet", parquet({"phrase": ["tide", "spring tide"], "vector": vectors})),
    ]


def _workspace() -> Source:
    gold, system = (Source(f"{name}.csv", f"doc_id,phrase\nd1,{name}\nd2,sea\n".encode()) for name in ("gold", "yake"))
    uploads = Uploads((gold, system), {"yake.csv": Mapping("system")}, ("casefold-ids",))
    return Source("a.kpscope", workspace_file(Saved(uploads, {"k": "5"})))


def _ending(example: str) -> str:
    lines = example.split("\n")
    if example.startswith(("{", "[")):
        return ".jsonl" if len(lines) > 1 and lines[1].startswith("{") else ".json"
    return ".tsv" if "\t" in lines[0] else ".csv" if "," in lines[0] else ".txt"


def mutated(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Return bytes after one to eight small changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        start = rng.randint(0, len(data))
        stop = min(len(data), start + rng.choice((1, 1, 2, 4, 16, 64)))
        change = rng.randrange(9)
        if change == 0 and start < len(data):
            data = data[:start] + bytes([data[start] ^ 1 << rng.randrange(8)]) + data[start + 1 :]
        elif change == 1:
            data = data[:start] + data[stop:]
        elif change == 2:
            data = data[:start] + data[start:stop] * rng.choice((2, 3, 50)) + data[stop:]
        elif change in (3, 4):
            data = data[:start] + rng.choice(TOKENS) + data[start if change == 3 else stop :]
        elif change == 5:
            data = data[:start] + rng.randbytes(rng.randint(1, 8)) + data[start:]
        elif change == 6:
            lines = data.split(b"\n")
            rng.shuffle(lines)
            data = b"\n".join(lines)
        elif change == 7:
            other = rng.choice(others)
            cut = rng.randint(0, len(other))
            data = data[:start] + other[cut : cut + 200]
        elif rng.random() < 0.1:
            data = data[:start]
    return data


def structured(rng: random.Random, data: bytes) -> bytes:
    """Return bytes changed as their structure allows: members of archives, numbers such as offsets, many small rows."""
    if data[:2] == b"PK":
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                members = [(info.filename, packed.read(info)) for info in packed.infolist()]
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError):
            return data
        place = rng.randrange(len(members)) if members else 0
        members[place : place + 1] = [(name, mutated(rng, one, [data])) for name, one in members[place : place + 1]]
        # Files of ours are told by their first member, which is not packed; arrays are not packed either.
        first = members[0][0] if members else ""
        return zipped(*members, method=zipfile.ZIP_STORED if first in _OURS else zipfile.ZIP_DEFLATED)
    if rng.random() < 0.6:
        numbers = list(re.finditer(rb"[0-9]+", data))
        for result in reversed(rng.sample(numbers, min(len(numbers), 3))):
            other = rng.choice((b"0", b"1", b"-1", b"99999999999999999999", b"2.5", str(rng.randrange(200)).encode()))
            data = data[: result.start()] + other + data[result.end() :]
        return data
    lines = data.split(b"\n")
    first = rng.randrange(len(lines))
    piece = lines[first : first + rng.choice((1, 1, 2, 8))]
    times = min(5_000, LARGEST // (sum(map(len, piece)) + 1))
    again = [re.sub(rb"[0-9]+", str(n).encode(), b"\n".join(piece), count=1) for n in range(times)]
    return b"\n".join([*lines[:first], *again, *lines[first:]])


def case(seed: int, number: int, found: Sequence[tuple[str, Source]]) -> Case:
    """Return the input of a number: it can be made again without those before it."""
    rng = random.Random(f"{seed}/{number}")
    # Half of the inputs come from the examples of families, each as often as the others.
    family = rng.choice(sorted({name for name, _ in found} - {"awkward"})) if rng.random() < 0.5 else "awkward"
    source = rng.choice([other for name, other in found if name == family])
    data = structured(rng, source.data) if rng.random() < 0.2 else source.data
    data = mutated(rng, data, [other.data for _, other in found]) if data is source.data or rng.random() < 0.3 else data
    name = source.name if rng.random() < 0.8 else f"a{rng.choice(ENDINGS)}"
    if rng.random() < 0.1:
        data, name = zipped((name, data), ("x/b.key", b"tide\n")), "a.zip"
        data = mutated(rng, data, [data]) if rng.random() < 0.5 else data
    elif rng.random() < 0.05:
        data, name = gzip.compress(data), f"{name}.gz"
    fixes = tuple(fix for fix in FIXES if rng.random() < 0.05)
    strict, look, used = (rng.random() < 0.1 for _ in range(3))
    return Case(family, Source(name, data), rng.choice(ROLES), strict, fixes, _mapping(rng), look, used)


#: What could be said of columns; most files do not have them.
COLUMNS = (
    {"document": "phrase"},
    {"document": "doc_id", "keyphrases": "phrase"},
    {"document": "(row)", "keyphrases": ("keyphrases", "phrase"), "annotator": "(heads)"},
    {"document": "id", "keyphrases": "keywords", "split": ","},
)


def _mapping(rng: random.Random) -> Mapping:
    """Return options that a user could give for a file, mostly none."""
    if rng.random() < 0.7:
        return Mapping()
    chosen = rng.choice(FAMILIES)
    offered = {name: SWITCHES[name] for name in chosen.OPTIONS}
    switches = {name: rng.choice(values) for name, values in offered.items() if values and rng.random() < 0.5}
    encoding = rng.choice(("", "", "", "utf-8", "windows-1252", "gb18030", "utf-16", "shift_jis"))
    columns = rng.choice(COLUMNS) if rng.random() < 0.1 else {}
    forced = chosen.NAME if rng.random() < 0.5 else ""
    return Mapping(format=forced, encoding=encoding, higher_is_better=rng.choice((None, True)), **switches, **columns)
