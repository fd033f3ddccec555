"""Tables behind URLs: read through fsspec, with the numbers of the same files on disk."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pytest
from aiohttp import web

from kp_core import scale
from kp_core.cli import main
from tests.cases import LECTURES
from tests.scale.tables import assert_same_rows

ASKED = {"measures": ["F1@k", "MAP"], "k": 5, "interval": "none"}


@pytest.fixture
def store():
    """A file system in memory with the gold standard in a file and two systems in folders, as in a bucket."""
    system = fsspec.filesystem("memory")
    system.pipe("/kpscope/gold.csv", (LECTURES / "gold.csv").read_bytes())
    for name in ("rake", "yake"):
        system.pipe(f"/kpscope/runs/{name}/part-0.csv", (LECTURES / "systems" / f"{name}.csv").read_bytes())
    yield "memory://kpscope"
    system.rm("/kpscope", recursive=True)


def test_urls_give_the_numbers_of_the_files_and_the_command_line_streams_them_by_itself(store, capsys) -> None:
    runs = {name: LECTURES / "systems" / f"{name}.csv" for name in ("rake", "yake")}
    expected = scale.evaluate(LECTURES / "gold.csv", runs, **ASKED).frame
    found = scale.evaluate(f"{store}/gold.csv", {name: f"{store}/runs/{name}" for name in runs}, **ASKED).frame
    assert found[["system", "value"]].to_numpy().tolist() == expected[["system", "value"]].to_numpy().tolist()
    asked = ["--measures", "F1@k", "--k", "5", "--interval", "none", "--format", "json"]
    assert main(["evaluate", "--gold", f"{store}/gold.csv", "--system", f"{store}/runs/rake/part-0.csv", *asked]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["value"] == expected["value"].iloc[0]


def test_a_url_that_leads_nowhere_and_an_unknown_scheme_are_refused(store) -> None:
    for gold, said in ((f"{store}/none.csv", "Check the URL"), ("gopher://host/x.csv", "gopher:// cannot be opened")):
        with pytest.raises(ValueError, match=said):
            scale.evaluate(gold, f"{store}/runs/rake", **ASKED)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A web server on this machine, which gives parts of files as stores do, with the sample as Parquet."""
    for name in ("gold", "rake", "yake"):
        csv = LECTURES / ("gold.csv" if name == "gold" else f"systems/{name}.csv")
        pd.read_csv(csv, dtype={"doc_id": str}, keep_default_na=False).to_parquet(tmp_path / f"{name}.parquet")
    loop, asked = asyncio.new_event_loop(), list[str]()

    @web.middleware
    async def note(request: web.Request, handler: Any) -> Any:
        asked.append(request.headers.get("Range", ""))
        return await handler(request)

    async def start() -> str:
        app = web.Application(middlewares=[note])
        app.router.add_static("/", tmp_path)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield asyncio.run_coroutine_threadsafe(start(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    assert any(part.startswith("bytes=") for part in asked)  # parts were read, not whole files


def test_a_web_server_gives_the_numbers_of_the_files(server: str, tmp_path: Path) -> None:
    runs = ("rake", "yake")
    expected = scale.evaluate(tmp_path / "gold.parquet", {name: tmp_path / f"{name}.parquet" for name in runs}, **ASKED)
    found = scale.evaluate(f"{server}/gold.parquet", {name: f"{server}/{name}.parquet" for name in runs}, **ASKED)
    assert_same_rows(found.frame, expected.frame)
