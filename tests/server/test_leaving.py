"""Server behavior when a browser leaves, and when one browser has two tabs."""

from __future__ import annotations

import io
import os
import random
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

import pytest
from websockets.exceptions import ConnectionClosed

from tests.dashboard import PATIENCE, Session, running

#: So long a server is looked at, after it had so long to end the step that it was at, in seconds.
LOOK, STEP = 1.5, 1.5
#: Seconds of computing that show work, and fewer than these rest; of a core that is free, .4 and .15 of the look.
WORKS, RESTS = 0.6, 0.225


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Popen[bytes]]]:
    with running(tmp_path_factory.mktemp("log") / "log") as started:
        yield started


def texts() -> bytes:
    """Return a zip of texts whose tagging takes many seconds."""
    rng, packed = random.Random(0), io.BytesIO()
    words = [f"{a}{b}{c}" for a in ("st", "pl", "br", "gr") for b in ("an", "ing", "o", "ed") for c in ("d", "ts", "e")]
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(80):
            archive.writestr(f"text{number}.txt", " the ".join(rng.choices(words, k=1500)) + ".")
    return packed.getvalue()


def computed(process: Popen[bytes]) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc, which tells what a process takes")
def test_work_ends_when_browser_leaves(server: tuple[str, Popen[bytes]]) -> None:
    address, process = server
    looked = LOOK
    for stays in (True, False):
        session = Session(address, "data")
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


def files(marker: str) -> Mapping[str, bytes]:
    """Return files that always have the same names, with documents named after a marker."""
    run = f"doc_id,rank,keyphrase\n{marker},1,bucket\ncommon,1,tide\n"
    return {"gold.csv": f"doc_id,keyphrase\n{marker},table\ncommon,tide\n".encode(), "system.csv": run.encode()}


def test_two_tabs_keep_same_named_files_apart(server: tuple[str, Popen[bytes]]) -> None:
    """Both tabs belong to one browser, share its cookies, and load in turns."""
    address, _ = server
    with Session(address, "data") as first, Session(address, "data", cookies=first.cookies) as second:
        for one, marker in ((first, "mango"), (second, "papaya")):
            one.upload("drop_0", files(marker))
        second.upload("drop_1", files("cherry"))  # takes the place of the former, in its own tab alone
        for one, part, others in ((first, "mango", ("papaya", "cherry")), (second, "cherry", ("mango", "papaya"))):
            one.open("documents", one.query)
            everything = one.words() + str(one.tables())
            assert part in everything
            assert not [other for other in others if other in everything]
