"""Many people by processes: nginx before two copies, one of which ends; and a server that asks no other host."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import tomllib
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from kp_core.reading.limits import Limits
from kp_ui.headers import HEADERS
from tests.dashboard import HOST, ROOT, Session, free_port, running, wait_until_healthy

pytestmark = [pytest.mark.app, pytest.mark.xdist_group("processes")]
DEPLOY = ROOT / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
PEOPLE = 30
#: Who loads files of their own: two do, then two do not, so nginx, which takes turns, gives each copy of both.
LOADING = {number for number in range(PEOPLE) if number % 4 < 2}


def shipped(name: str) -> str:
    return (DEPLOY / name).read_text("utf-8")


def unit_command() -> tuple[str, ...]:
    """Return what the systemd unit starts, with this Python in place of the installed one."""
    (line,) = re.findall(r"^ExecStart=(\S+) (.*)$", shipped("kpscope@.service").replace("%i", "8501"), re.M)
    return (sys.executable, *shlex.split(line[1]))


def container_command() -> tuple[str, ...]:
    """Return what the container starts, with this Python in place of its own."""
    (line,) = re.findall(r"^CMD (\[.*\])$", shipped("Containerfile"), re.M)
    return (sys.executable, *json.loads(line)[1:])


def container_folder(folder: Path) -> Path:
    """Copy what the Containerfile copies, and nothing else."""
    for line in re.findall(r"^COPY (.*)$", shipped("Containerfile"), re.M):
        *sources, goal = line.split()
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, folder / goal, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, folder / goal)
    return folder


def settings() -> dict[str, str]:
    """Return the settings that are shipped, for the name of this machine."""
    lines = (line for line in shipped("kpscope.env").splitlines() if line and not line.startswith("#"))
    return {**os.environ, **dict(line.split("=", 1) for line in lines), "STREAMLIT_SERVER_ALLOWED_HOSTS": HOST}


def port_of(address: str) -> str:
    return address.rpartition(":")[2]


@contextmanager
def nginx_before(first: str, second: str, folder: Path) -> Iterator[str]:
    """Run nginx with the shipped configuration, except for ports, certificate and folders; give its address."""
    if NGINX is None:
        pytest.skip("skipped: nginx is not installed (apt-get install nginx-light)")
    port = free_port()
    site = shipped("kpscope.nginx").replace("8501", port_of(first)).replace("8502", port_of(second))
    site = re.sub(r"server \{\s+listen 80;.*?\n\}\n", "", site, flags=re.S)
    site = re.sub(r"^\s+ssl_certificate.*\n", "", site, flags=re.M)
    site = site.replace("listen 443 ssl;", f"listen {HOST}:{port};")
    (folder / "kpscope.conf").write_text(site, "utf-8")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
    whole = f"""
        {"user root;" if os.geteuid() == 0 else ""} worker_processes 2; daemon off; pid {folder}/pid;
        events {{ }}
        http {{ access_log off; client_body_temp_path {folder}/body; {temporary} include {folder}/kpscope.conf; }}
    """
    (folder / "nginx.conf").write_text(whole, "utf-8")
    log = folder / "nginx.log"
    command = [NGINX, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
    with log.open("wb") as output, subprocess.Popen(command, stderr=output) as process:
        try:
            wait_until_healthy(f"http://{HOST}:{port}/_stcore/health", process, log)
            yield f"http://{HOST}:{port}"
        finally:
            process.terminate()


def own_files(marker: str) -> dict[str, bytes]:
    gold = f"doc_id,keyphrase\nd1,{marker} gold\nd1,collision\nd2,tide\n"
    run = f"doc_id,rank,keyphrase\nd1,1,{marker} gold\nd1,2,bucket\nd2,1,tide\n"
    return {f"gold-{marker}.csv": gold.encode(), f"system-{marker}.csv": run.encode()}


def whose(session: Session) -> set[str]:
    """Return whose files a page speaks of; `yake` is a system of the sample."""
    page = session.words() + str(session.tables()) + str(session.charts())
    return set(re.findall(r"person\d\d|yake", page))


def test_when_one_copy_ends_the_others_go_on_and_its_people_are_told(tmp_path: Path) -> None:
    (tmp_path / "container").mkdir()
    inside = container_folder(tmp_path / "container")
    with (
        running(tmp_path / "a", opener=unit_command(), environment=settings()) as (first, ending),
        running(tmp_path / "b", opener=container_command(), environment=settings(), folder=inside) as (second, _),
        nginx_before(first, second, tmp_path) as address,
        ThreadPoolExecutor(6) as pool,
    ):
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert [answer.headers.get_all(name) for name in HEADERS] == [[value] for value in HEADERS.values()]

        def come(number: int) -> Session:
            """Open a session on the page of results; half of the people load files of their own first."""
            if number not in LOADING:
                return Session(address, "overview")
            session = Session(address, "data")
            session.upload("drop_0", own_files(f"person{number:02}"))
            session.open("overview", session.query)
            return session

        def look(number: int) -> set[str]:
            """Open the page of results once more; return whose files stand there."""
            people[number].open("overview", people[number].query)
            return whose(people[number])

        expected = [{f"person{number:02}"} if number in LOADING else {"yake"} for number in range(PEOPLE)]
        people = list(pool.map(come, range(PEOPLE)))
        assert [whose(session) for session in people] == expected
        copies = [session.cookies["kpscope_copy"] for session in people]
        assert sorted(set(copies)) == sorted(map(port_of, (first, second)))
        assert min(map(copies.count, set(copies))) >= PEOPLE // 3

        os.kill(ending.pid, signal.SIGKILL)
        ending.wait()
        lost = [number for number in range(PEOPLE) if copies[number] == port_of(first)]
        staying = [number for number in range(PEOPLE) if number not in lost]
        assert list(pool.map(look, staying)) == [expected[number] for number in staying]

        def come_back(number: int) -> Session:
            """Connect again as the browser does: with its cookies and what its address bar shows."""
            people[number].close()
            return Session(address, "overview", people[number].query, people[number].cookies)

        for number, session in zip(lost, pool.map(come_back, lost), strict=True):
            people[number] = session
            assert session.cookies["kpscope_copy"] == port_of(second)
            assert whose(session) == (set() if number in LOADING else {"yake"})
            assert ("Your files are not here" in session.words()) == (number in LOADING)
            assert ("made with 2 files of somebody’s own" in session.words()) == (number in LOADING)
        again = next(number for number in lost if number in LOADING)
        people[again].open("data", people[again].query)
        people[again].upload("drop_0", own_files(f"person{again:02}"))
        assert look(again) == expected[again]
        for session in people:
            session.close()


def test_the_first_visitors_of_a_fresh_server_come_at_once_and_all_see_their_page(tmp_path: Path) -> None:
    pages = ("overview", "data", "systems", "documents", "report", "correlation")
    with running(tmp_path / "log") as (address, _), ThreadPoolExecutor(len(pages)) as pool:
        visitors = list(pool.map(lambda page: Session(address, page), pages))
        at_once = [(visitor.words(), visitor.charts()) for visitor in visitors]
        for page, seen in zip(pages, at_once, strict=True):
            with Session(address, page) as alone:
                assert seen == (alone.words(), alone.charts())
        for visitor in visitors:
            visitor.close()
    assert len({words for words, _ in at_once}) == len(pages)
    assert "Error" not in (tmp_path / "log").read_text("utf-8")


def test_a_page_of_another_site_is_refused_and_no_other_host_is_asked(tmp_path: Path) -> None:
    asked = []
    with socket.create_server((HOST, 0)) as elsewhere:

        def note_who_asks() -> None:
            with suppress(OSError):
                while True:
                    visitor, _ = elsewhere.accept()
                    asked.append(visitor.recv(1000))
                    visitor.close()

        threading.Thread(target=note_who_asks, daemon=True).start()
        proxy = f"http://{HOST}:{elsewhere.getsockname()[1]}"
        names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
        own = {**settings(), **dict.fromkeys(names, proxy), "NO_PROXY": "", "no_proxy": ""}
        everywhere = ("--server.address", "0.0.0.0")
        with running(tmp_path / "log", *everywhere, opener=unit_command(), environment=own) as (address, _):
            stream = address.replace("http", "ws") + "/_stcore/stream"
            with connect(stream, origin=address, proxy=None):
                pass
            for foreign in ("https://kpscope.example.com", "http://localhost:3000", f"{address}.example.com", "null"):
                with pytest.raises(InvalidStatus) as refused, connect(stream, origin=foreign, proxy=None):
                    pass
                assert refused.value.response.status_code == 403
            port = int(port_of(address))
            other_name = f"ws://kpscope.example.com:{port}/_stcore/stream"
            with (
                socket.create_connection((HOST, port)) as line,
                pytest.raises(InvalidStatus) as refused,
                connect(other_name, sock=line, proxy=None),
            ):
                pass
            assert refused.value.response.status_code == 403
        elsewhere.shutdown(socket.SHUT_RDWR)
    assert asked == []


def test_nginx_lets_every_file_through_that_the_app_takes() -> None:
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", shipped("kpscope.nginx"))
    taken = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["server"]["maxUploadSize"]
    assert int(megabytes) == taken + 1
    assert Limits().file_bytes <= taken * 2**20


def test_every_copy_that_nginx_asks_has_a_cookie_of_its_own() -> None:
    site = shipped("kpscope.nginx")
    asked = re.findall(r"^    server 127.0.0.1:(\d+) ", site, re.M)
    assert asked == re.findall(r"^    (\d+) +127.0.0.1:\1;", site, re.M) == ["8501", "8502"]
