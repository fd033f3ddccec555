"""The folder for kept files: a lost session opens again by its link, and by no other."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from kp_core.reading import Source
from kp_core.reading.uploads import Uploads
from kp_ui.state import kept
from tests.dashboard import Session, running

OWN = Uploads((Source("gold.csv", b"doc_id,keyphrase\nd1,mango table\n"),), names={"a": "b"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name a folder as an operator does."""
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path))
    return tmp_path


@pytest.mark.app
def test_a_link_opens_the_files_after_the_server_was_ended(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    place.mkdir()
    own = {**os.environ, kept.VARIABLE: str(place)}
    gold = b"doc_id,keyphrase\nd1,mango table\nd2,tide\n"
    run = b"doc_id,rank,keyphrase\nd1,1,mango table\nd2,1,moon\n"
    with running(tmp_path / "first", environment=own) as (address, server):
        session = Session(address, "data")
        assert list(place.iterdir()) == []
        session.upload("drop_0", {"gold.csv": gold, "system-mango.csv": run})
        session.open("overview", session.query)
        (key,) = re.findall(r"(?:^|&)kept=([\w-]{43})(?:&|$)", session.query)
        (file,) = place.iterdir()
        assert file.name == f"{key}.kpscope"
        assert file.stat().st_mode & 0o777 == 0o600
        server.kill()
        session.close()
    with running(tmp_path / "second", environment=own) as (address, _):
        with Session(address, "overview", session.query) as again:
            assert "system-mango" in again.charts()[0]
            assert f"kept={key}" in again.query
            assert list(place.iterdir()) == [file]
            again.open("data", again.query)
            again.upload("drop_0", {"system-papaya.csv": run})
            again.open("overview", again.query)
            assert "system-papaya" in again.charts()[0]
            assert f"kept={key}" not in again.query
            assert len(list(place.iterdir())) == 2
        with Session(address, "overview", session.query) as first:
            assert "system-papaya" not in first.charts()[0]
        with Session(address, "overview", session.query.replace(key, "A" * 43)) as stranger:
            assert "Your files are not here" in stranger.words()
            assert stranger.charts() == []


def test_files_come_back_under_their_key_and_under_no_other(folder: Path) -> None:
    key = kept.keep(OWN, "")
    assert kept.find(key) == OWN
    (folder / "secret.kpscope").write_bytes((folder / f"{key}.kpscope").read_bytes())
    for other in ("", "secret", "../secret", f"{key}/", key[:-1], "é" * 43):
        assert kept.find(other) is None
    (folder / f"{key}.kpscope").write_bytes(b"damaged")
    assert kept.find(key) is None
    kept.forget(key)
    assert kept.find(key) is None


def test_a_change_takes_the_place_of_what_was_kept(folder: Path) -> None:
    key = kept.keep(OWN, "")
    more = Uploads((*OWN.files, Source("run.csv", b"doc_id,rank,keyphrase\nd1,1,tide\n")))
    assert kept.keep(more, key) == key
    assert kept.find(key) == more
    assert len(list(folder.iterdir())) == 1


def test_after_a_day_files_are_deleted(folder: Path) -> None:
    first, second = kept.keep(OWN, ""), kept.keep(OWN, "")
    yesterday = time.time() - 86_401
    os.utime(folder / f"{first}.kpscope", (yesterday, yesterday))
    (folder / "note.txt").touch()
    os.utime(folder / "note.txt", (yesterday, yesterday))
    assert kept.find(first) is None
    assert sorted(path.name for path in folder.iterdir()) == sorted([f"{second}.kpscope", "note.txt"])


def test_nothing_is_kept_where_no_folder_is_named_or_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(kept.VARIABLE, raising=False)
    assert kept.keep(OWN, "") == ""
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path / "missing"))
    assert kept.keep(OWN, "") == ""
    assert kept.find("A" * 43) is None
