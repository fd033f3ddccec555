"""Run the app in a separate process, and control its sessions over Streamlit's websocket, without a browser."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.cases import ROOT

HOST = "127.0.0.1"
#: No sandbox, because containers run as root; the rest keeps Chromium itself from asking foreign hosts.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run", "--disable-quic"),
)
#: A server and a page have this many seconds before they count as hanging.
PATIENCE = 120.0
_LARGEST = 200_000_000


def free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        return int(free.getsockname()[1])


@contextmanager
def running(
    log: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    script: str = "app.py",
    opener: tuple[str, ...] = (),
    folder: Path = ROOT,
    port: int = 0,
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the app as a new user would, on a free port unless one is given; yield its address and its process.

    Uploads are stored in a folder next to the log, unless the environment names another folder.

    opener: command that opens the dashboard, instead of `streamlit run script`; folder: where to run it.
    """
    port = port or free_port()
    environment = {"XDG_CACHE_HOME": str(log.parent)} | dict(environment or os.environ)
    command = [*(opener or (sys.executable, "-m", "streamlit", "run", script)), "--server.headless", "true"]
    command += ["--server.address", HOST, "--server.port", str(port), *options]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, env=environment) as process,
    ):
        try:
            wait_until_healthy(f"http://{HOST}:{port}/_stcore/health", process, log)
            yield f"http://{HOST}:{port}", process
        finally:
            process.terminate()


def wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server responds; raise an error with its output if it ends or takes too long."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the app did not start:\n{log.read_text('utf-8', errors='replace')}")


def _cookies_set(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the cookies that a response sets, as {name: value}."""
    pairs = (value.partition(";")[0].partition("=") for name, value in headers if name.lower() == "set-cookie")
    return {name: value for name, _, value in pairs}


class Session:
    """A user's session: the content of the page, and the user's actions on it."""

    def __init__(self, address: str, page: str = "", query: str = "", cookies: Mapping[str, str] | None = None) -> None:
        """Connect and open a page, such as `data`. cookies: cookies of this server that the browser already has"""
        self.address, self.cookies, self._page, self.query = address, dict(cookies or {}), "", query
        request = urllib.request.Request(f"{address}/_stcore/health", headers=self._cookie_header())
        with urllib.request.urlopen(request, timeout=30) as answer:
            self.cookies |= _cookies_set(answer.headers.items())
        self._token = self.cookies.get("_streamlit_xsrf", "")
        self._elements: dict[tuple[int, ...], Element] = {}
        self._states: dict[str, WidgetState] = {}
        stream = address.replace("http", "ws", 1) + "/_stcore/stream"
        self._open = ExitStack()
        self._socket = self._open.enter_context(
            connect(
                stream,
                subprotocols=[Subprotocol("streamlit"), Subprotocol(self._token)],
                additional_headers=self._cookie_header(),
                max_size=_LARGEST,
                ping_interval=None,
                open_timeout=PATIENCE,
                proxy=None,
            )
        )
        assert self._socket.response is not None
        self.cookies |= _cookies_set(self._socket.response.headers.raw_items())
        self.id = ""
        self.open(page, query)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._open.close()

    def open(self, page: str, query: str = "") -> float:
        """Open a page; return the seconds until it is complete."""
        asked = BackMsg()
        asked.rerun_script.query_string = query
        asked.rerun_script.page_name = page
        return self._run(asked)

    def slide(self, key: str, number: int) -> float:
        """Move a slider; return the seconds until the page is complete."""
        state = WidgetState(id=self._widget(key))
        state.double_array_value.data.append(number)
        return self._rerun(state)

    def press(self, key: str) -> float:
        """Press a button; return the seconds until the page is complete."""
        return self._rerun(WidgetState(id=self._widget(key), trigger_value=True))

    def upload(self, key: str, files: Mapping[str, bytes]) -> float:
        """Upload files to a drop zone; return the seconds until the page is complete."""
        asked = BackMsg()
        asked.file_urls_request.request_id = "files"
        asked.file_urls_request.file_names.extend(files)
        asked.file_urls_request.session_id = self.id
        self._socket.send(asked.SerializeToString())
        answer = self._next()
        while answer.WhichOneof("type") != "file_urls_response":
            answer = self._next()
        state = WidgetState(id=self._widget(key))
        for (name, data), urls in zip(files.items(), answer.file_urls_response.file_urls, strict=True):
            self._put(urls.upload_url, name, data)
            kept = state.file_uploader_state_value.uploaded_file_info.add()
            kept.name, kept.size, kept.file_id = name, len(data), urls.file_id
            kept.file_urls.CopyFrom(urls)
        return self._rerun(state)

    def _cookie_header(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}

    def _put(self, url: str, name: str, data: bytes) -> None:
        edge = "kpscope-edge"
        head = f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={edge}",
            "X-Xsrftoken": self._token,
            **self._cookie_header(),
        }
        request = urllib.request.Request(f"{self.address}{url}", body, headers, method="PUT")
        urllib.request.urlopen(request, timeout=PATIENCE).close()

    def _rerun(self, state: WidgetState) -> float:
        asked = BackMsg()
        if state.trigger_value:
            asked.rerun_script.widget_states.widgets.append(state)
        else:
            self._states[state.id] = state
        local = {self._id(element) for element in self._elements.values()}  # as a browser, forget what is gone
        self._states = {name: item for name, item in self._states.items() if name in local}
        asked.rerun_script.widget_states.widgets.extend(self._states.values())
        asked.rerun_script.page_script_hash = self._page
        return self._run(asked)

    def _run(self, asked: BackMsg) -> float:
        """Request a run of the script, read its messages, and return the seconds that it took."""
        begun = time.perf_counter()
        self._socket.send(asked.SerializeToString())
        while True:
            message = self._next()
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.id = message.new_session.initialize.session_id or self.id
                self._elements.clear()
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "navigation":
                self._page = message.navigation.page_script_hash
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                self._elements[tuple(message.metadata.delta_path)] = message.delta.new_element
            elif kind == "script_finished" and message.script_finished in (
                ForwardMsg.FINISHED_SUCCESSFULLY,
                ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
            ):
                return time.perf_counter() - begun

    def _next(self) -> ForwardMsg:
        data = self._socket.recv(timeout=PATIENCE)
        assert isinstance(data, bytes)
        message = ForwardMsg()
        message.ParseFromString(data)
        return message

    def elements(self, kind: str) -> list[Any]:
        """Return the elements of a kind, such as `markdown`, in their order on the page."""
        result = sorted(self._elements.items())
        return [getattr(element, kind) for _, element in result if element.WhichOneof("type") == kind]

    def words(self) -> str:
        kinds = {"markdown": "body", "heading": "body", "alert": "body", "text": "body", "code": "code_text"}
        return "\n".join(str(getattr(item, name)) for kind, name in kinds.items() for item in self.elements(kind))

    def charts(self) -> list[str]:
        return [str(item.alt) for item in self.elements("plotly_chart")]

    def tables(self) -> list[dict[str, list[Any]]]:
        """Return the tables of the page as {column: cells}."""
        tables = (pa.ipc.open_stream(item.arrow_data.data).read_all() for item in self.elements("dataframe"))
        return [table.to_pydict() for table in tables]

    def _widget(self, key: str) -> str:
        """Return the id that Streamlit gave to the widget with a key."""
        for element in self._elements.values():
            if (result := self._id(element)).endswith(f"-{key}"):
                return result
        raise LookupError(f"there is no widget '{key}' on the page")

    @staticmethod
    def _id(element: Element) -> str:
        kind = element.WhichOneof("type")
        return str(getattr(getattr(element, kind), "id", "")) if kind else ""
