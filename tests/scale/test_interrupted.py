"""A run that is interrupted by a signal resumes from its checkpoint; a checkpoint of another run is refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp_core as kp
from kp_core import scale
from kp_core.cli import main
from kp_core.reading import Source
from kp_core.scale.tally import Tally, load_tally
from tests.cases import ROOT
from tests.full_disk import SAID, full_disk
from tests.scale.tables import draw, engine, write

SLOW = """
import sys, time
from kp_core.scale import tally
score, at_once = tally.score, iter(range(4))
def slowly(corpus, plan):
    if next(at_once, None) is None:
        time.sleep(60)  # until the signal comes, however busy the machine is
    return score(corpus, plan)
tally.score = slowly
from kp_core.cli import main
sys.exit(main(sys.argv[1:]))
"""


def tally(path: Path) -> Tally:
    return load_tally(Source(path.name, path.read_bytes()))


def n_done(path: Path) -> int:
    return len(tally(path).header["done"]) if path.exists() else 0


def test_killed_run_resumes_with_same_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = {name: table for name, table in draw(0, documents=30, systems=1).items() if name != "documents"}
    given, checkpoint = write(tables, tmp_path), tmp_path / "run.npz"
    data = ["--gold", str(given.gold), "--system", f"s0={given.systems['s0']}"]
    command = ["evaluate", *data, "--measures", "F1@3,MAP", "--partition-rows", "25", "--format", "json"]
    assert main(command) == 0
    whole = json.loads(capsys.readouterr().out)
    command += ["--checkpoint", str(checkpoint)]
    for number, status, words in (
        (signal.SIGKILL, -9, ""),
        (signal.SIGINT, 2, "interrupted; run the same command again to resume"),
    ):
        least = n_done(checkpoint) + 2  # by the process that gets the signal
        process = subprocess.Popen(
            [sys.executable, "-c", SLOW, *command],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
        )
        deadline = time.monotonic() + 60
        while n_done(checkpoint) < least:
            assert process.poll() is None, process.stderr.read().decode()
            assert time.monotonic() < deadline, "no checkpoint was written"
            time.sleep(0.02)
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=60)
        assert process.returncode == status
        assert words in said.decode()
        kept = tally(checkpoint).header
        assert least <= len(kept["done"]) < kept["parts"]
    with pytest.raises(kp.InputError, match="expected a finished run"):
        scale.open_statistics(checkpoint)
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == whole
    assert sorted(tally(checkpoint).header["done"]) == list(range(kept["parts"]))


def test_foreign_checkpoint_is_refused(tmp_path: Path) -> None:
    given, checkpoint = write(draw(0, documents=20), tmp_path), tmp_path / "run.npz"
    options: dict[str, Any] = {"measures": "F1@3", "resamples": 10, "options": engine(checkpoint=checkpoint)}
    scale.evaluate(*given, **options)
    with pytest.raises(kp.InputError, match="a checkpoint of other data or settings"):
        scale.evaluate(*given, **options, seed=1)
    path = given.systems["s0"]
    path.write_bytes(path.read_bytes())
    with pytest.raises(kp.InputError, match="a checkpoint of other data or settings"):
        scale.evaluate(*given, **options)
    checkpoint.write_text("no statistics")
    with pytest.raises(kp.InputError, match="statistics of a streamed run"):
        scale.evaluate(*given, **options)
    np.savez(checkpoint, a=np.array([object()]))
    with pytest.raises(kp.InputError, match="statistics of a streamed run"):
        scale.evaluate(*given, **options)


@pytest.mark.parametrize("room", [0, 3_000])  # for nothing, and for the first of the runs
def test_full_disk_while_sorting_leaves_no_scratch_files(room: int, tmp_path: Path) -> None:
    given, scratch = write(draw(0), tmp_path, "csv"), tmp_path / "scratch"
    expected = "expected free space of about the size of the rows.*"
    said = f"the scratch folder: {expected}, found {SAID}. Free some space, or name a folder .* with --scratch"
    with full_disk(room), pytest.raises(kp.InputError, match=said):
        scale.evaluate(*given, measures="F1@3", options=engine(scratch=scratch))
    assert list(scratch.iterdir()) == []


def test_full_disk_keeps_older_checkpoint(tmp_path: Path) -> None:
    given, checkpoint = write(draw(0), tmp_path, "csv"), tmp_path / "run.npz"
    options: dict[str, Any] = {"measures": "F1@3", "resamples": 10, "options": engine(checkpoint=checkpoint)}
    scale.evaluate(*given, **options)
    before = checkpoint.read_bytes()
    with (
        full_disk(100),
        pytest.raises(kp.InputError, match=f"run.npz: .* found {SAID}.*the previous file is unchanged"),
    ):
        load_tally(Source("run.npz", before)).save(checkpoint)
    assert checkpoint.read_bytes() == before
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []
