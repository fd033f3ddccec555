"""Folders, archives and loose files as they are published: what is a list, a text, or nothing; and whose list it is."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

import kp_core as kp
from kp_core.corpus import Corpus
from kp_core.errors import InputError
from kp_core.reading import Limits, Source
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
    found: dict[str, dict[str, list[str]]] = {}
    for table, column in ((corpus.gold, "annotator"), (corpus.runs, "system")):
        for name, doc_id, phrase in table[[column, "doc_id", "phrase"]].to_numpy().tolist():
            found.setdefault(name, {}).setdefault(doc_id, []).append(phrase)
    return found


def texts(corpus: Corpus) -> dict[str, str]:
    table = corpus.documents.dropna(subset=["text"])
    return dict(zip(table["doc_id"], table["text"], strict=True))


def ignored(corpus: Corpus) -> list[str]:
    return [name for reading in corpus.report.readings for name in reading.ignored]


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


def test_what_is_nothing_is_left_out_and_listed_and_refuses_no_folder() -> None:
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
    assert "Left out: a table of measures (P R F) without document ids." in [n.message for n in corpus.report.notes]
    with pytest.raises(InputError, match=r"2\.json: .*broken JSON"):
        kp.load(gold=archive({"1.json": '{"d": ["a"]}', "2.json": '{"d": ["a"'}))


def test_loose_files_are_the_folder_that_they_stand_in(tmp_path: Path) -> None:
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
        path.write_text("doc_id,phrase\nd1,tide\n,sea\n,moon\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"x/g\.csv, line 3"):
        kp.load(gold=same)
