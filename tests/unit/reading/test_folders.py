"""Folders, archives and loose files as they are published: what is a list, a text, or nothing; and whose list it is."""

import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import pytest

import kp_core as kp
from kp_core.corpus import Corpus
from kp_core.errors import InputError
from kp_core.reading import Limits, Mapping, Source
from kp_core.reading.rows import report
from tests.cases import cases
from tests.format_samples import archive


def tar(files: dict[str, str], **more: int) -> bytes:
    """Return a tar archive of {path: text}; more: fields of every entry."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as made:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            for name, value in more.items():
                setattr(info, name, value)
            made.addfile(info, io.BytesIO(text.encode()))
    return stream.getvalue()


def lists(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    """Return annotator or system → document → phrases."""
    result: dict[str, dict[str, list[str]]] = {}
    for table, column in ((corpus.gold, "annotator"), (corpus.runs, "system")):
        for name, doc_id, phrase in table[[column, "doc_id", "phrase"]].to_numpy().tolist():
            result.setdefault(name, {}).setdefault(doc_id, []).append(phrase)
    return result


def texts(corpus: Corpus) -> dict[str, str]:
    table = corpus.documents.dropna(subset=["text"])
    return dict(zip(table["doc_id"], table["text"], strict=True))


def ignored(corpus: Corpus) -> list[str]:
    return [name for reading in corpus.report.readings for name in reading.ignored]


@pytest.mark.parametrize("case", cases(__file__)["folder"], ids=lambda case: case["shows"])
def test_a_folder_is_read_as_is_written_down(case: dict[str, Any]) -> None:
    for how in case["how"]:
        corpus = kp.load(**{how: archive(case["files"])})
        assert (lists(corpus), texts(corpus)) == (case["lists"], case.get("texts", {}))
        assert " ".join(corpus.empty["doc_id"]) == case.get("empty", "")
        for system, expected in case.get("scores", {}).items():
            assert corpus.runs.loc[corpus.runs["system"] == system, "score"].tolist() == expected


KEYS = {"./keys/1.key": "tide\nsea\n", "./keys/2.key": "moon\n"}


@pytest.mark.parametrize("name", ["pack.tar", "pack.tar.gz", "pack.tgz"])
def test_a_tar_archive_is_a_folder(name: str) -> None:
    data = tar(KEYS) if name.endswith("tar") else gzip.compress(tar(KEYS))
    corpus = kp.load(systems=Source(name, data))
    assert lists(corpus) == {"pack": {"1": ["tide", "sea"], "2": ["moon"]}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (tar(KEYS)[:1_600], "a damaged or unusual archive"),
        (tar(KEYS)[:1_024] + b"x" * 512 + tar(KEYS)[1_536:], "a damaged or unusual archive"),
        (tar({"a.key": ""}, type=tarfile.SYMTYPE), "a link"),
        (tar({"../a.key": "x"}), "leaves the archive"),
        (tar({"a.key": "x", "./a.key": "y"}), "two members"),
        (tar({f"{n}.key": "x" for n in range(12)}), "at most 10 members"),
        (gzip.compress(tar({"a.key": "x" * 3_000_000})), "100 : 1"),
    ],
)
def test_a_hostile_tar_archive_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        kp.load(gold=Source("a.tar", data), limits=Limits(archive_members=10))


def test_irrelevant_files_are_left_out_and_listed() -> None:
    nothing = {
        "README.md": "# Data",
        "run.py": "print(1)",
        "lan.txt": "EN",
        "settings.cfg": "a = 1",
        "1.url": "http://x.org",
        "scores.txt": "P R F\n0.1 0.2 0.3\n",
        "notes": "what we did in spring",
        "record.xml": "<?xml version='1.0'?><a/>",
    }
    keys = {name.removeprefix("./"): text for name, text in KEYS.items()}
    corpus = kp.load(gold=archive({**keys, **nothing}))
    assert lists(corpus) == {"gold": {"1": ["tide", "sea"], "2": ["moon"]}}
    assert sorted(ignored(corpus)) == sorted(nothing)
    assert report.understood(corpus).startswith("2 files understood; left out: 8 files without lists or texts (")
    assert "Left out: a first line “P R F”." in [n.message for n in corpus.report.notes]
    with pytest.raises(InputError, match=r"2\.json: .*broken JSON"):
        kp.load(gold=archive({"1.json": '{"d": ["a"]}', "2.json": '{"d": ["a"'}))


@pytest.mark.parametrize("role", ["gold", "systems", "files"])
def test_json_files_of_one_document_each_are_refused(role: str) -> None:
    objects = {f"d{number}.json": f'{{"text": "Tides.", "keyphrases": ["tide {number}"]}}' for number in (1, 2)}
    with pytest.raises(InputError, match=r"d1\.json: .*found one document per file.*docs/formats\.md"):
        kp.load(**{role: archive(objects)})


def test_loose_files_equal_their_folder(tmp_path: Path) -> None:
    for path in ("ana/1.key", "ana/2.key", "ben/1.key", "ben/README"):
        (tmp_path / "teams" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "teams" / path).write_text(f"by {path[:3]}\n", encoding="utf-8")
    paths = [*sorted((tmp_path / "teams").rglob("*.*")), tmp_path / "teams/ben/README"]
    corpus = kp.load(gold=paths)
    assert lists(corpus) == {"ana": {"1": ["by ana"], "2": ["by ana"]}, "ben": {"1": ["by ben"]}}
    assert ignored(corpus) == ["ben/README"]
    assert lists(kp.load(systems={"yake": paths[:2]})) == {"yake": {"1": ["by ana"], "2": ["by ana"]}}
    assert lists(kp.load(systems=paths[:2])) == {"ana": {"1": ["by ana"], "2": ["by ana"]}}
    same = [tmp_path / "x" / "g.csv", tmp_path / "y" / "g.csv"]
    for path in same:
        path.parent.mkdir()
        path.write_text("doc_id,phrase\nd1,tide\nd1,sea\n,moon\n,sun\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"x/g\.csv, line 4"):
        kp.load(gold=same)


def test_numbered_folders_are_asked_about_without_texts() -> None:
    many = archive({f"g/{folder}/{file}.key": "tide" for folder in (1, 2) for file in range(100, 120)})
    with pytest.raises(kp.Question, match="folders and files, either of which may be documents") as asked:
        kp.load(gold=many)
    assert [kp.load(gold=many, mapping=answer.mapping).annotators for answer in asked.value.answers] == [
        ["1", "2"],
        [str(file) for file in range(100, 120)],
    ]


def test_numbered_folders_with_matching_texts_are_annotators() -> None:
    pack = {f"{team}/{doc_id}.key": f"{team} {doc_id}" for team in "12" for doc_id in ("1", "2", "3", "4", "5")}
    with_texts = pack | {f"docs/{doc_id}.txt": "Water." for doc_id in "12345"}
    people = {team: {doc_id: [f"{team} {doc_id}"] for doc_id in "12345"} for team in "12"}
    assert lists(kp.load(files=archive(with_texts))) == people


@pytest.mark.parametrize(
    "text",
    [
        "doc_id,keyphrase\nd1,tide {0}\nd2,sea\n",
        "d1,tide {0}\nd1,sea\nd2,moon\n",
        "d1\ttide {0};sea\nd2\tmoon\n",
        '{{"d1": ["tide {0}", "sea"], "d2": ["moon"]}}',
        "d1 Q0 tide{0} 1 0.5 x{0}\nd2 Q0 sea 1 0.4 x{0}\n",
        "d1 : tide {0},sea\nd2 : moon,sun\n",
    ],
)
def test_files_of_many_documents_are_no_single_documents(text: str, tmp_path: Path) -> None:
    for name in ("yake", "kea"):
        (tmp_path / f"{name}.txt").write_text(text.format(name), encoding="utf-8")
    result = lists(kp.load(systems=[tmp_path / "yake.txt", tmp_path / "kea.txt"]))
    assert [sorted(documents) for documents in result.values()] == [["d1", "d2"], ["d1", "d2"]]
    assert "yake" in next(iter(result.values()))["d1"][0]


@pytest.mark.parametrize(
    ("how", "role", "read"),
    [
        ("gold", "gold", {"gold": {"1": ["tide", "sea level"], "2": ["moon"]}}),
        ("systems", "system", {"pack": {"1": ["tide", "sea level"], "2": ["moon"]}}),
        ("documents", "documents", {}),
    ],
)
def test_user_decides_whether_short_lines_are_lists(
    how: str, role: kp.corpus.Role, read: dict[str, dict[str, list[str]]]
) -> None:
    pack = archive({"1.txt": "tide\nsea level\n", "2.txt": "moon\n"})
    for given in ({how: pack}, {"files": pack, "mapping": {pack.name: Mapping(role)}}):
        corpus = kp.load(**given)
        assert lists(corpus) == read
        assert [reading.role for reading in corpus.report.readings] == [role]
        assert bool(texts(corpus)) == (role == "documents")


def test_blank_labels_and_ids_reject_one_row() -> None:
    lines = "".join(f"<http://x.org/{i}>\tterm {i}\t.{i + 1}\n" for i in range(9))
    files = [Source("d1.tsv", (lines + "<http://x.org/b>\t\t.5\n").encode()), Source("d2.tsv", lines.encode())]
    subjects = kp.load(files=files)  # the score behind a blank label is no label
    assert (len(subjects.gold), len(subjects.runs), len(subjects.report.rejected)) == (0, 18, 1)
    table = "".join(f"{i},tide;sea\n" for i in range(9)) + " ," + ";".join("abcdefghi") + "\n"
    corpus = kp.load(gold=Source("gold.csv", f"document,keyphrases\n{table}".encode()))
    assert (len(corpus.gold), corpus.report.rejected["content"].tolist()) == (18, ["a;b;c;d;e;f;g;h;i"])
