"""Sessions of a running server: isolation, seats, and files left on disk."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.dashboard import HOST, ROOT, Session, running

GOLD = b"doc_id,keyphrase\nd1,hash table\nd1,collision\nd2,tide\nd3,moon\n"


def files(marker: str, rows: int = 0) -> Mapping[str, bytes]:
    """Return a gold standard and a system in which every phrase and name contains a marker."""
    more = "".join(f"x{row},1,{marker} phrase number {row}\n" for row in range(rows))
    run = f"doc_id,rank,keyphrase\nd1,1,{marker} table\nd1,2,bucket\nd2,1,tide\n{more}"
    return {"gold.csv": GOLD, f"system-{marker}.csv": run.encode()}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder that serves as the server's home and temporary folder."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a server with two seats and a shared data set."""
    data = tmp_path_factory.mktemp("data")
    (data / "class").mkdir()
    (data / "class" / "gold.csv").write_bytes(GOLD)
    part = {
        "HOME": str(home),
        "TMPDIR": str(home),
        "KPSCOPE_SESSIONS": "2",
        "KPSCOPE_DATA": str(data),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    log = tmp_path_factory.mktemp("log") / "log"
    with running(log, "--server.disconnectedSessionTTL", "2", environment={**os.environ, **part}) as (address, _):
        yield address


def wait_for_a_seat(address: str) -> Session:
    """Open a session; the server sees within a moment that the tabs of others are closed."""
    for _ in range(50):
        session = Session(address, "data")  # the page that costs least; all of them tell who has no seat
        if "KPScope is full" not in session.words():
            return session
        session.close()
        time.sleep(0.1)
    pytest.fail("no seat became free")


def written(*folders: Path) -> set[Path]:
    return {path for folder in folders for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts}


def test_session_beyond_seats_waits_for_free_seat(server: str) -> None:
    with wait_for_a_seat(server), ExitStack() as stack:
        with wait_for_a_seat(server):
            late = stack.enter_context(Session(server))
            assert "KPScope is full" in late.words()
            assert "This server allows 2 open tabs at a time" in late.words()
            late.open("overview")
            assert not late.charts()
            late.press("try_again")
            assert "KPScope is full" in late.words()
        for _ in range(50):
            late.open("overview")
            if "KPScope is full" not in late.words():
                break
            time.sleep(0.1)
        assert "yake" in late.charts()[0]


def test_a_shared_data_set_joins_the_files(server: str) -> None:
    with wait_for_a_seat(server) as session:
        session.open("data")
        session.press("add_shared")
        session.open("data")
        assert "gold.csv" in session.words()
        session.upload("drop_0", dict([list(files("mine").items())[1]]))
        session.open("overview")
        assert "system-mine" in session.charts()[0]


def asked_as(address: str, host: str, path: str, **more: str) -> int:
    """Return the status of a request with another host name."""
    line = HTTPConnection(HOST, urlsplit(address).port, timeout=30)
    line.request("GET", path, headers={"Host": host, **more})
    with closing(line):
        return line.getresponse().status


def test_foreign_host_names_are_refused(server: str) -> None:
    port = urlsplit(server).port
    wanted = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    wanted["Sec-WebSocket-Key"] = "AAAAAAAAAAAAAAAAAAAAAA=="
    for host, page, stream in (
        (f"evil.example:{port}", 403, 403),
        ("127.0.0.1.evil.example", 403, 403),
        ("[::1", 403, 403),
        (f"localhost:{port}", 200, 101),
        (f"127.0.0.1:{port}", 200, 101),
        (f"[::1]:{port}", 200, 101),
    ):
        assert asked_as(server, host, "/") == asked_as(server, host, "/_stcore/health") == page
        assert asked_as(server, host, "/_stcore/stream", **wanted, Origin=f"http://{host}") == stream


def test_nothing_is_left_on_the_disk(server: str, home: Path) -> None:
    before = written(home, ROOT)
    with wait_for_a_seat(server) as session:
        session.open("data")
        session.upload("drop_0", files("large", rows=30_000))
        for page in ("documents", "data"):
            session.open(page)
        assert "system-large" in session.words()
    assert written(home, ROOT) - before == set()
