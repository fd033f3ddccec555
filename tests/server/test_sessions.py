"""Sessions of a running server: isolation, seats, files left on disk, and work that ends with its browser."""

import io
import os
import random
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from tests.dashboard import HOST, PATIENCE, ROOT, Session, running

#: So long a server is looked at, after it had so long to end the step that it was at, in seconds.
LOOK, STEP = 1.5, 1.5
#: Seconds of computing that show work, and fewer than these rest; of a core that is free, .4 and .15 of the look.
WORKS, RESTS = 0.6, 0.225

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
def started(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Popen[bytes]]]:
    """Yield address and process of a server with two seats and a shared data set."""
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
    with running(log, "--server.disconnectedSessionTTL", "2", environment={**os.environ, **part}) as result:
        yield result


@pytest.fixture(scope="module")
def server(started: tuple[str, Popen[bytes]]) -> str:
    return started[0]


def wait_for_a_seat(address: str, cookies: Mapping[str, str] | None = None) -> Session:
    """Open a session; the server sees within a moment that the tabs of others are closed."""
    for _ in range(50):
        session = Session(address, "data", cookies=cookies)  # costs least; all pages tell who has no seat
        if "KPScope is full" not in session.words():
            return session
        session.close()
        time.sleep(0.1)
    pytest.fail("no seat became free")


def written(*folders: Path) -> set[Path]:
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path for path in files if not {".git", "__pycache__"} & {*path.parts}}  # other tests leave bytecode


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


def test_two_tabs_keep_same_named_files_apart(server: str) -> None:
    """Both tabs belong to one browser, share its cookies, and load in turns."""
    run = "doc_id,rank,keyphrase\n{marker},1,bucket\ncommon,1,tide\n"
    with wait_for_a_seat(server) as first, wait_for_a_seat(server, first.cookies) as second:
        # a second file of the same name takes the place of the former, in its own tab alone
        for one, zone, marker in (
            (first, "drop_0", "mango"),
            (second, "drop_0", "papaya"),
            (second, "drop_1", "cherry"),
        ):
            gold = f"doc_id,keyphrase\n{marker},table\ncommon,tide\n"
            one.upload(zone, {"gold.csv": gold.encode(), "system.csv": run.format(marker=marker).encode()})
        for one, part, others in ((first, "mango", ("papaya", "cherry")), (second, "cherry", ("mango", "papaya"))):
            one.open("documents", one.query)
            everything = one.words() + str(one.tables())
            assert part in everything
            assert not [other for other in others if other in everything]


def texts() -> bytes:
    """Return a zip of texts whose tagging takes many seconds."""
    rng, packed = random.Random(0), io.BytesIO()
    words = [f"{a}{b}{c}" for a in ("st", "pl", "br", "gr") for b in ("an", "ing", "o", "ed") for c in ("d", "ts", "e")]
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(80):
            archive.writestr(f"text{number}.txt", " the ".join(rng.choices(words, k=1500)) + ".")
    return packed.getvalue()


def computed(process: Popen[bytes]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc, which tells what a process takes")
def test_work_ends_when_browser_leaves(started: tuple[str, Popen[bytes]]) -> None:
    address, process = started
    looked = LOOK
    for stays in (True, False):
        session = wait_for_a_seat(address)
        session.upload("drop_0", {"texts.zip": texts()})
        session.open("data", f"{session.query}&data_tab=Extract+phrases&methods=tfidf-chunks")

        def extract(one: Session = session) -> None:
            with suppress(ConnectionClosed, TimeoutError):
                one.press("extract")

        work = threading.Thread(target=extract)
        work.start()
        time.sleep(1.0)
        if not stays:
            session.close()
        time.sleep(STEP)
        begun, before = time.monotonic(), computed(process)
        if stays:  # a machine that is busy otherwise takes longer, and so the other half is looked at for as long
            while computed(process) - before < WORKS and time.monotonic() - begun < PATIENCE:
                time.sleep(0.05)
            looked = max(LOOK, time.monotonic() - begun)
            assert computed(process) - before >= WORKS
        else:
            time.sleep(looked)
            assert computed(process) - before < RESTS
        session.close()
        work.join(30)
        time.sleep(STEP)
