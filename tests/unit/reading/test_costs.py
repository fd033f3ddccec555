"""Small files that once cost seconds or gigabytes are refused, or read, within a few seconds of one processor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.format_samples import archive

#: Seconds of processor time for one file, and megabytes beyond those of the imports, on a machine that does much else.
SECONDS, MEGABYTES = 5, 400
#: Reads one file, and prints seconds, megabytes and the refusal.
READ = """
import json, resource, sys, time
import kp_core as kp
start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    kp.load(files=sys.argv[1]) if sys.argv[2] == "files" else kp.load(gold={"d": ["c1"]}, broader=sys.argv[1])
    said = ""
except kp.InputError as refusal:
    said = str(refusal)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.process_time() - start, (peak - before) / 1024, said]))
"""


COSTLY: dict[str, tuple[str, bytes, str]] = {
    "a chain of concepts": (
        "broader.csv",
        b"child,parent\n" + b"".join(b"c%d,c%d\n" % (n, n + 1) for n in range(10_000)),
        "at most 100 levels",
    ),
    "empty lists": ("lists.json", b"[" + b",".join([b"[]"] * 1_500_000) + b"]", "at most 500,000 documents"),
    "a list of empty lists": (
        "list.json",
        b'{"d1":[' + b",".join([b"[]"] * 1_500_000) + b"]}",
        "at most 10,000 phrases",
    ),
    "a path of folders": (
        "deep.zip",
        archive({"/".join("a" * 5_000) + "/g.csv": "doc_id,keyphrase\nd1,tide\n"}).data,
        "more than 100 folders",
    ),
    "members": ("many.zip", archive({f"{n}.key": "a" for n in range(20_001)}).data, "at most 20,000 members"),
}


@pytest.mark.parametrize("name", COSTLY)
def test_small_files_cost_little(name: str, tmp_path: Path) -> None:
    file, data, said = COSTLY[name]
    path = tmp_path / file
    path.write_bytes(data)
    role = "broader" if file == "broader.csv" else "files"
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path), role], capture_output=True, text=True, check=True, timeout=120
    )
    seconds, megabytes, refusal = json.loads(done.stdout)
    assert said in refusal
    assert seconds < SECONDS
    assert megabytes < MEGABYTES
