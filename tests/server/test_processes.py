"""Several processes: nginx in front of two copies, one of which ends; no server contacts another host."""

import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from kp_core.reading.limits import Limits
from kp_ui.headers import HEADERS
from tests.dashboard import HOST, ROOT, Session, free_port, running

DEPLOY = ROOT / "deploy"
#: The name that is shipped.
NAME = "kpscope.example.org"
#: The page that they look at: it shows whose files it speaks of, and takes a third of the time of the Overview.
RESULTS = "documents"


def shipped(name: str) -> str:
    return (DEPLOY / name).read_text("utf-8")


def unit_command() -> tuple[str, ...]:
    """Return the command of the systemd unit, with this Python in place of the installed one."""
    (line,) = re.findall(r"^ExecStart=(\S+) (.*)$", shipped("kpscope@.service").replace("%i", "8501"), re.M)
    return (sys.executable, *shlex.split(line[1]))


def settings() -> dict[str, str]:
    lines = (line for line in shipped("kpscope.env").splitlines() if line and not line.startswith("#"))
    return {**os.environ, **dict(line.split("=", 1) for line in lines), "STREAMLIT_SERVER_ALLOWED_HOSTS": HOST}


def port_of(address: str) -> str:
    return address.rpartition(":")[2]


def needs(program: str, package: str) -> str:
    """Return where a program is, or skip."""
    result = shutil.which(program) or shutil.which(program, path="/usr/sbin")
    return result or pytest.skip(f"skipped: {program} is not installed (apt-get install {package})")


def nginx_site(first: str, second: str, folder: Path, *ports: tuple[str, str]) -> str:
    """Return the shipped nginx site for two copies; `ports`: those it listens on, and those of the copies."""
    site = shipped("kpscope.nginx").replace("8501", port_of(first)).replace("8502", port_of(second))
    for shipped_port, port in ports:
        assert f"listen {shipped_port};" in site
        site = site.replace(f"listen {shipped_port};", f"listen {HOST}:{port};")
    return (
        site.replace("/var/log/nginx", str(folder))
        .replace("/etc/ssl/private", "/etc/ssl")
        .replace("/etc/ssl", str(folder))
    )


def without_certificate(site: str) -> str:
    site = re.sub(r"server \{\s+listen 80;.*?\n\}\n", "", site, flags=re.S)
    return re.sub(r"^\s+ssl_certificate.*\n", "", site, flags=re.M)


@contextmanager
def nginx(site: str, folder: Path, port: int) -> Iterator[None]:
    """Run nginx with a site, and wait until it accepts connections on a port."""
    program = needs("nginx", "nginx-light")
    (folder / "kpscope.conf").write_text(site, "utf-8")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
    whole = f"""
        {"user root;" if os.geteuid() == 0 else ""} worker_processes 2; daemon off; pid {folder}/pid;
        events {{ }}
        http {{ client_body_temp_path {folder}/body; {temporary} include {folder}/kpscope.conf; }}
    """
    (folder / "nginx.conf").write_text(whole, "utf-8")
    log = folder / "nginx.log"
    command = [program, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
    with log.open("wb") as output, subprocess.Popen(command, stderr=output) as process:
        try:
            wait_until_open(port, process, log)
            yield
        finally:
            process.terminate()


def wait_until_open(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection((HOST, port), 1):
            return
        time.sleep(0.05)
    pytest.fail(f"nginx did not start:\n{log.read_text('utf-8')}")


def own_files(marker: str) -> dict[str, bytes]:
    gold = f"doc_id,keyphrase\nd1,{marker} gold\nd1,collision\nd2,tide\n"
    run = f"doc_id,rank,keyphrase\nd1,1,{marker} gold\nd1,2,bucket\nd2,1,tide\n"
    return {f"gold-{marker}.csv": gold.encode(), f"system-{marker}.csv": run.encode()}


def whose(session: Session) -> set[str]:
    """Return whose files a page shows; `yake` is a system of the sample."""
    page = session.words() + str(session.tables()) + str(session.charts())
    return set(re.findall(r"person\d\d|yake", page))


@contextmanager
def listening() -> Iterator[tuple[dict[str, str], list[bytes]]]:
    """Listen as a proxy; yield the variables that name it, and what it was asked."""
    asked = list[bytes]()
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
        yield {**dict.fromkeys(names, proxy), "NO_PROXY": "", "no_proxy": ""}, asked
        elsewhere.shutdown(socket.SHUT_RDWR)


def test_copies_survive_a_killed_one_and_refuse_strangers(tmp_path: Path) -> None:
    port = free_port()
    address = f"http://{HOST}:{port}"
    everywhere = ("--server.address", "0.0.0.0")
    with (
        listening() as (proxy, asked),
        running(tmp_path / "a", opener=unit_command(), environment=settings() | proxy) as (first, ending),
        running(tmp_path / "b", *everywhere, opener=unit_command(), environment=settings() | proxy) as (second, _),
        nginx(without_certificate(nginx_site(first, second, tmp_path, ("443 ssl", str(port)))), tmp_path, port),
    ):
        stream = second.replace("http", "ws") + "/_stcore/stream"
        with connect(stream, origin=second, proxy=None):
            pass
        for foreign in ("https://kpscope.example.com", "http://localhost:3000", f"{second}.example.com", "null"):
            with pytest.raises(InvalidStatus) as refused, connect(stream, origin=foreign, proxy=None):
                pass
            assert refused.value.response.status_code == 403
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert [answer.headers.get_all(name) for name in HEADERS] == [[value] for value in HEADERS.values()]
        people = {f"person{number:02}": Session(address, "data") for number in range(4)}
        for name, session in people.items():
            session.upload("drop_0", own_files(name))
            session.open(RESULTS, session.query)
            assert whose(session) == {name}
        assert {session.cookies["kpscope_copy"] for session in people.values()} == {port_of(first), port_of(second)}
        os.kill(ending.pid, signal.SIGKILL)
        ending.wait()
        for name, session in people.items():
            if session.cookies["kpscope_copy"] == port_of(second):
                session.open(RESULTS, session.query)
                assert whose(session) == {name}
                session.close()
                continue
            session.close()
            # as the browser connects again: with its cookies and what its address bar shows
            with Session(address, RESULTS, session.query, session.cookies) as again:
                assert again.cookies["kpscope_copy"] == port_of(second)
                assert "Your files are not here" in again.words()
                assert "refers to uploaded files" in again.words()
                assert whose(again) == set()
    assert asked == []


def test_nginx_accepts_every_file_the_app_accepts() -> None:
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", shipped("kpscope.nginx"))
    taken = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["server"]["maxUploadSize"]
    assert int(megabytes) == taken + 1
    assert Limits().file_bytes <= taken * 2**20


class Copy(BaseHTTPRequestHandler):
    """A minimal server behind nginx: it sets a cookie, and keeps a stream open on request."""

    protocol_version = "HTTP/1.1"
    ended = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/_stcore/stream":
            self.ended.wait(60)
        self.send_response(200)
        self.send_header("Set-Cookie", "_streamlit_xsrf=1; Path=/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def certificate(folder: Path) -> ssl.SSLContext:
    """Create a certificate where the site expects it; return an SSL context that trusts only this certificate."""
    asked = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=kpscope"]
    name = ("-addext", f"subjectAltName=DNS:{NAME}", "-keyout", folder / "kpscope.key", "-out", folder / "kpscope.pem")
    subprocess.run([needs("openssl", "openssl"), *asked, *name], check=True, capture_output=True)
    return ssl.create_default_context(cafile=str(folder / "kpscope.pem"))


def test_shipped_nginx_site_limits_and_hides(tmp_path: Path) -> None:
    trusted, plain, port = certificate(tmp_path), free_port(), free_port()
    Copy.ended.clear()

    def ask_all(*paths: str) -> list[HTTPResponse]:
        line, answers = HTTPSConnection(NAME, port, timeout=60), list[HTTPResponse]()
        line.sock = trusted.wrap_socket(socket.create_connection((HOST, port), 60), server_hostname=NAME)
        with closing(line):
            for path in paths:
                line.request("GET", path)
                answers.append(line.getresponse())
                answers[-1].read()
        return answers

    with ThreadingHTTPServer((HOST, 0), Copy) as copy, ThreadPoolExecutor(40) as pool:
        threading.Thread(target=copy.serve_forever, daemon=True).start()
        behind = f"http://{HOST}:{copy.server_port}"
        site = nginx_site(behind, behind, tmp_path, ("80", str(plain)), ("443 ssl", f"{port} ssl"))
        site = re.sub(r"(^    \d+ +127.*\n)\1", r"\1", site, flags=re.M)  # one copy is both
        with nginx(site, tmp_path, port):
            asked = HTTPConnection(HOST, plain, timeout=30)
            with closing(asked):
                asked.request("GET", "/overview?kept=secret", headers={"Host": "evil.example"})
                led = asked.getresponse()
                led.read()
            assert led.headers["Location"] == f"https://{NAME}/overview?kept=secret"
            (page,) = ask_all("/overview?kept=secret")
            assert page.status == 200
            assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
            cookies = dict(line.split("=", 1) for line in page.headers.get_all("Set-Cookie"))
            assert set(cookies) == {"kpscope_copy", "_streamlit_xsrf"}
            assert all("secure" in line.lower().split("; ") for line in cookies.values())
            inside = ("metrics", "metrics/", "%6detrics", "script-health-check", "agent/mcp", "../_stcore/metrics")
            assert [answer.status for answer in ask_all(*(f"/_stcore/{path}" for path in inside))] == [404] * 6
            # one address may ask so much a second, after so much at once
            statuses = [answer.status for answer in ask_all(*["/_stcore/health"] * 250)]
            assert statuses[:90] == [200] * 90
            assert 429 in statuses
            time.sleep(3)
            tabs = [pool.submit(ask_all, "/_stcore/stream") for _ in range(30)]
            ends = list[int]()
            for tab in as_completed(tabs, 60):
                ends.append(tab.result()[0].status)
                if len(ends) == 5:  # the others stay open
                    Copy.ended.set()
            assert ends == [429] * 5 + [200] * 25
        copy.shutdown()
    written = "".join(path.read_text("utf-8") for path in tmp_path.glob("*.log"))
    assert "GET /overview 200" in written
    assert "secret" not in written


def test_container_image_is_named_by_digest() -> None:
    lines = [line for line in shipped("Containerfile").splitlines() if not line.startswith("#")]
    assert lines[:2] == ["ARG BASE", "FROM ${BASE}"]
