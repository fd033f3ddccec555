"""Files, folders, archives and encodings: everything is read in memory, and a hostile archive is refused."""

import codecs
import gzip
import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kp_core as kp
from kp_core.errors import InputError, UsageError
from kp_core.reading import Source, load
from kp_core.reading.limits import Limits, limits_from
from kp_core.reading.open.decode import decode
from kp_core.reading.open.source import expand
from kp_core.reading.rows.report import limits as limits_table
from tests.format_samples import archive

TSV = b"doc_id\tphrase\nd1\ttide\n"


# key files and texts in folders and archives


def test_annotators_are_folders(tmp_path: Path) -> None:
    for path, text in {
        "teams/ana/1203.key": "4711: Tide table\n",
        "teams/ben/1203.key": "512: Harbour (sea)\n4711: Tide table\n",
        "teams/ben/README": "by hand",
        "teams/ben/._1203.key": "junk",
        "teams/__MACOSX/x.key": "junk",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    corpus = load(gold=tmp_path / "teams")
    assert corpus.gold[["doc_id", "annotator", "phrase", "concept"]].to_numpy().tolist() == [
        ["1203", "ana", "Tide table", "4711"],
        ["1203", "ben", "Harbour (sea)", "512"],
        ["1203", "ben", "Tide table", "4711"],
    ]
    assert corpus.report.readings[0].ignored == ("__MACOSX/x.key", "ben/._1203.key", "ben/README")


# archives


def test_links_encryption_and_equal_names_are_refused() -> None:
    link = zipfile.ZipInfo("a.key")
    link.external_attr = 0o120777 << 16
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr(link, b"/etc/passwd")
    with pytest.raises(InputError, match="a link"):
        expand(Source("a.zip", stream.getvalue()))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr("a.key", b"x")
        with pytest.warns(UserWarning, match="Duplicate"):
            made.writestr("a.key", b"y")
    with pytest.raises(InputError, match="two members"):
        expand(Source("a.zip", stream.getvalue()))
    data = bytearray(archive({"a.key": b"x"}).data)
    central = data.index(b"PK\x01\x02")
    data[central + 8 : central + 10] = struct.pack("<H", 1)
    with pytest.raises(InputError, match="encrypted"):
        expand(Source("a.zip", bytes(data)))


def test_gzip_is_one_file() -> None:
    assert load(gold=Source("g.tsv.gz", gzip.compress(TSV))).report.readings[0].file == "g.tsv"
    assert expand(Source("g.gz", gzip.compress(TSV) * 2)).files[0].data == TSV * 2  # as `cat a.gz b.gz` packs it
    with pytest.raises(InputError, match="inside a gzip"):
        expand(Source("g.gz", gzip.compress(archive({}).data)))
    for broken in (gzip.compress(TSV)[:-9], gzip.compress(TSV)[:12], b"\x1f\x8b" + zlib.compress(TSV)):
        with pytest.raises(InputError):
            expand(Source("g.gz", broken))


def test_missing_path_is_named_without_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        load(gold=tmp_path / "gone.csv")
    assert str(refusal.value).startswith("gone.csv: ")
    assert str(tmp_path) not in str(refusal.value)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match=r"left out: README\.md"):
        load(gold=tmp_path)


# encodings


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_marks_decide(encoding: str) -> None:
    mark = codecs.BOM_UTF16_BE if encoding == "utf-16-be" else b""
    text = decode("a", mark + "é\r\n".encode(encoding))
    assert (text.text, text.bom, text.line_ends) == ("é\r\n", True, "\\r\\n")


def test_windows_text_is_read_with_a_warning() -> None:
    corpus = load(gold=Source("g", "d1\tcôte;x\nd2\ta;b\nd3\tl’eau;c\n".encode("windows-1252")))
    assert "l’eau" in corpus.gold["phrase"].tolist()
    note = corpus.report.notes[0]
    assert (note.level, note.where) == ("warning", "g, line 1")
    assert "byte 0xf4 at offset 4" in note.message
    assert "concerns 2 lines" in note.message
    assert corpus.report.readings[0].encoding == "windows-1252"


def test_chosen_encoding_is_used_strictly() -> None:
    data = "d1\t机器学习;x\n".encode("gb18030")
    assert load(gold=Source("g", data), encoding="gb18030").gold["phrase"].tolist()[0] == "机器学习"
    with pytest.raises(InputError, match="line 1"):
        load(gold=Source("g", data), encoding="utf-8")
    with pytest.raises(UsageError, match="no encoding"):
        load(gold=Source("g", data), encoding="utf-9")


@pytest.mark.parametrize("data", [b"a\x81\x8d", b"a\0b", b"%PDF-1.4", b"\x89PNG\r\n", b"\xd0\xcf\x11\xe0", b"PAR1"])
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="UTF-8"):
        decode("a", data)


def test_strict_takes_nothing_but_utf8() -> None:
    with pytest.raises(InputError, match="UTF-8"):
        load(gold=Source("g", b"d1\tc\xf4te;x\n"), strict=True)


def test_limits_come_from_the_environment() -> None:
    assert limits_from({"KPSCOPE_LIMIT_DOCUMENTS": "7"}).documents == 7
    with pytest.raises(UsageError, match="whole number"):
        limits_from({"KPSCOPE_LIMIT_DOCUMENTS": "many"})
    table = limits_table(Limits(rows=7))
    assert table.loc[table["changed by"] == "KPSCOPE_LIMIT_ROWS", "at most"].tolist() == ["7"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="skipped: this system has no /dev/zero")
def test_endless_device_is_read_up_to_limit() -> None:
    with pytest.raises(InputError, match="at most 1,000 bytes"):
        load(gold=Path("/dev/zero"), limits=Limits(file_bytes=1_000))


def test_a_line_over_the_limit_is_refused() -> None:
    with pytest.raises(InputError, match="line 2"):
        load(gold=Source("g", b"d1\ta;b\nd2\t" + b"x;" * 60 + b"\n"), limits=Limits(line_bytes=100))


@pytest.mark.parametrize("text", ["[" + "[]," * 20 + "[]]", '{"d": [' + '["a", 1],' * 20 + '["a", 1]]}', "{}\n" * 20])
def test_json_items_are_counted_before_parsing(text: str) -> None:
    with pytest.raises(InputError, match="at most 19 lists and objects"):
        load(gold=Source("a.json", text.encode()), limits=Limits(json_parts=19))


@pytest.mark.parametrize("gold", [{"d": [10**5000]}, {10**5000: ["a"]}])
def test_a_number_without_end_is_refused(gold: dict[Any, Any]) -> None:
    with pytest.raises(InputError):
        kp.load(gold=gold)


def test_judged_pairs_may_have_column_variants() -> None:
    judged = pd.DataFrame({"keyphrase": ["tide"], "candidate": ["tides"], "score": [3.0], "variants": ["abc"]})
    assert kp.load(judgements=judged).judgements["variants"].tolist() == ["abc"]


def test_pairs_without_ids_are_distinguished_by_content() -> None:
    reported = {"doc_id": ["d1", "d1", "d2"], "keyphrase": ["a b", "a b", "c d"], "candidate": ["a", "a", "d"]}
    judged = pd.DataFrame(reported | {"annotator": ["ana", "ben", "ana"], "score": [3, 1, 1]})
    assert kp.load(judgements=judged).judgements["pair_id"].tolist() == ["1", "1", "2"]
    twice = kp.load(judgements=judged.assign(annotator="ana")).judgements  # two rows of one person are two pairs
    assert twice["pair_id"].nunique() == 3
    other = judged.assign(pair_id=["p1", "p1", "p2"], keyphrase=["a b", "z", "c d"])
    with pytest.raises(InputError, match="pair “p1” with different phrases"):
        kp.load(judgements=other)


def test_score_lists_belong_to_phrases_of_lists() -> None:
    lists = pd.DataFrame({"doc_id": ["d1", "d2"], "phrase": [["a", "b"], ["c"]], "score": [[0.9, 0.1], [0.2]]})
    corpus = kp.load(systems={"s": lists})
    assert corpus.runs[["doc_id", "rank", "phrase", "score"]].to_numpy().tolist() == [
        ["d1", 1, "a", 0.9],
        ["d1", 2, "b", 0.1],
        ["d2", 1, "c", 0.2],
    ]


def test_documents_without_a_phrase_are_counted() -> None:
    with pytest.raises(InputError, match=r"expected at most 2 documents, found .* 3 documents"):
        load(gold=Source("a.json", b"[[], [], []]"), limits=Limits(documents=2))


def test_keep_first_keeps_empty_list() -> None:
    files = [Source("a.json", b'{"d1": []}'), Source("b.json", b'{"d1": ["tide"]}')]
    corpus = kp.load(systems={"s": files}, fixes=["keep-first"])
    assert (corpus.systems, len(corpus.runs)) == (["s"], 0)
    assert corpus.empty.to_numpy().tolist() == [["system", "s", "d1"]]


def test_a_fix_that_is_named_again_counts_once() -> None:
    corpus = kp.load(gold={"D1": ["tide"]}, systems={"s": {"d1": ["tide"]}}, fixes=["casefold-ids"] * 100_000)
    assert corpus.report.fixes == ("casefold-ids",)
    assert [note.message for note in corpus.report.notes if "casefold-ids" in note.message] == [
        "The fix “casefold-ids” changed 1 id."
    ]


def test_document_field_may_be_empty_list() -> None:
    documents = Source("a.json", b'[{"id": "d1", "text": "", "tags": []}]')
    result = kp.load(documents=documents).documents
    assert (result["text"].isna().tolist(), [list(tags) for tags in result["tags"]]) == ([True], [[]])
