"""The folder for kept files: only its own link reopens a lost session."""

import errno
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from kp_core.reading import Limits, Source
from kp_core.reading.uploads import Uploads
from kp_ui.state import kept
from tests.app.opening import drop, opened
from tests.dashboard import ROOT, Session, running

OWN = Uploads((Source("gold.csv", b"doc_id,keyphrase\nd1,mango table\n"),), names={"a": "b"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Configure a folder as an operator does."""
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path))
    return tmp_path


def test_link_opens_kept_files_after_restart(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    place.mkdir()
    part = {**os.environ, kept.VARIABLE: str(place)}
    gold = b"doc_id,keyphrase\nd1,mango table\nd2,tide\n"
    run = b"doc_id,rank,keyphrase\nd1,1,mango table\nd2,1,moon\n"
    with running(tmp_path / "first", environment=part) as (address, server):
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
    with running(tmp_path / "second", environment=part) as (address, _):
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


def test_kept_files_open_only_under_their_key(folder: Path) -> None:
    key = kept.keep(OWN, "")
    assert kept.find(key) == OWN
    (folder / "secret.kpscope").write_bytes((folder / f"{key}.kpscope").read_bytes())
    for other in ("", "secret", "../secret", f"{key}/", key[:-1], "é" * 43):
        assert kept.find(other) is None
    (folder / f"{key}.kpscope").write_bytes(b"damaged")
    assert kept.find(key) is None
    kept.forget(key)
    assert kept.find(key) is None


def test_after_a_day_files_are_deleted(folder: Path) -> None:
    first, second = kept.keep(OWN, ""), kept.keep(OWN, "")
    yesterday = time.time() - 86_401
    os.utime(folder / f"{first}.kpscope", (yesterday, yesterday))
    (folder / "note.txt").touch()
    os.utime(folder / "note.txt", (yesterday, yesterday))
    assert kept.find(first) is None
    assert sorted(path.name for path in folder.iterdir()) == sorted([f"{second}.kpscope", "note.txt"])


#: As large as no cache hides; random, so that it cannot be packed.
MORE = Uploads((*OWN.files, Source("run.csv", os.urandom(300_000))))


def test_kill_while_writing_keeps_older_copy(folder: Path) -> None:
    key = kept.keep(OWN, "")
    dies = (
        "import os; from kp_ui.state import kept; from tests.server.test_state import MORE\n"
        "os.replace = lambda *_: os.kill(os.getpid(), 9)\n"
        f"kept.keep(MORE, {key!r})"
    )
    ended = subprocess.run([sys.executable, "-c", dies], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert ended.returncode == -9
    (half,) = (path for path in folder.iterdir() if path.name != f"{key}.kpscope")
    assert half.stat().st_size > 300_000
    assert kept.find(key) == OWN
    yesterday = time.time() - 86_401
    os.utime(half, (yesterday, yesterday))
    kept.find(key)
    assert not half.exists()


def test_kept_files_stay_below_quota(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = kept.keep(MORE, "")
    monkeypatch.setattr(kept, "LIMITS", Limits(kept_bytes=400_000))
    assert kept.keep(MORE, key) == key
    with pytest.raises(OSError, match=os.strerror(errno.EDQUOT)):
        kept.keep(MORE, "")
    assert kept.find(kept.keep(OWN, "")) == OWN


def test_bad_entries_are_skipped_and_links_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    key, elsewhere = kept.keep(OWN, ""), tmp_path_factory.mktemp("elsewhere") / "other"
    elsewhere.write_bytes((folder / f"{key}.kpscope").read_bytes())
    directory, link, dangling = (folder / f"{letter * 43}.kpscope" for letter in "ABC")
    directory.mkdir()
    link.symlink_to(elsewhere)
    dangling.symlink_to(folder / "nowhere")
    (folder / "notes.kpscope").touch()  # the operator's own
    for path in folder.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)
    os.utime(folder / f"{key}.kpscope")
    assert kept.find(key) == OWN
    for letter in "ABC":
        assert kept.find(letter * 43) is None
    assert kept.keep(MORE, "B" * 43) == "B" * 43
    assert kept.find("B" * 43) == MORE
    assert elsewhere.read_bytes() == (folder / f"{key}.kpscope").read_bytes()
    assert {path.name[0] for path in folder.iterdir()} == {key[0], *"ABCn"}


@pytest.mark.parametrize(
    ("address", "host", "names", "personal"),
    [
        ("localhost", "localhost:8501", [], True),
        ("127.0.0.1", "[::1]:8501", [], True),
        ("127.0.0.1", "localhost", ["kpscope.example.org"], False),
        ("127.0.0.1", "kpscope.example.org", [], False),  # behind a proxy
        ("0.0.0.0", "localhost:8501", [], False),
        ("", "127.0.0.1", [], False),
    ],
)
def test_personal_server_keeps_files_in_private_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, host: str, names: list[str], personal: bool
) -> None:
    monkeypatch.delenv(kept.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept.st, "get_option", lambda name: address if name == "server.address" else names)
    monkeypatch.setattr(kept.st, "context", SimpleNamespace(headers={"Host": host}, cookies={kept.BROWSER: "b"}))
    monkeypatch.setattr(kept, "_last", {})
    key = kept.keep(OWN, "")
    assert (len(key), kept.is_kept(), kept.last() == key) == (43 * personal, personal, True)
    if personal:
        assert (tmp_path / "kpscope").stat().st_mode & 0o777 == 0o700
        assert kept.find(key) == OWN
        monkeypatch.setenv(kept.VARIABLE, "")  # the owner wants nothing on the disk
        assert (kept.is_kept(), kept.find(key)) == (False, None)
        monkeypatch.delenv(kept.VARIABLE)
        kept.forget(key)
        assert kept.last() == ""
    assert not list(tmp_path.glob("kpscope/*"))


def test_failure_to_keep_files_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = b"doc_id,rank,keyphrase\nd1,1,tide\n"
    app = opened("data", files=[Source("gold.csv", b"doc_id,keyphrase\nd1,tide\n"), Source("run.csv", run)])
    key = app.query_params["kept"]
    assert not app.warning
    monkeypatch.setattr(kept, "LIMITS", Limits(kept_bytes=10))
    drop(app, Source("more.csv", run.replace(b"tide", b"moon")))
    (reported,) = app.warning
    assert "could not be stored on this server" in reported.value
    assert app.query_params["kept"] == key  # what was kept before is still there
    assert "Files could not be kept: Disk quota exceeded" in caplog.text
    assert key not in caplog.text  # whoever has it has the files
    assert len(kept.find(key).files) == 2
    monkeypatch.setattr(kept, "LIMITS", Limits())
    drop(app, Source("third.csv", run.replace(b"tide", b"sea")))
    assert not app.warning
    assert len(kept.find(key).files) == 4
