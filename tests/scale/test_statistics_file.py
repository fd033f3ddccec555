"""A statistics file gives the results of the run; other files, and paths outside the folder, are refused."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core import scale
from kp_core.reading import LIMITS, Source
from tests.scale.tables import draw, engine, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streamed")


@pytest.fixture(scope="module")
def run(folder: Path) -> scale.Streamed:
    given = write(draw(5, documents=12), folder / "tables")
    asked = [scale.Family("F1@k", trials=200)]
    return scale.stream(*given, measures=["F1@k", "MAP"], k="1-3", comparisons=asked, resamples=50, options=engine())


@pytest.fixture(scope="module")
def data(run: scale.Streamed, folder: Path) -> bytes:
    run.save(folder / "run.npz")
    return (folder / "run.npz").read_bytes()


def packed(save: Any = np.savez, **arrays: Any) -> bytes:
    stream = io.BytesIO()
    save(stream, **arrays)
    return stream.getvalue()


def test_opened_file_gives_results_of_run(run: scale.Streamed, data: bytes) -> None:
    source = Source("anything", data)
    assert scale.is_statistics_file(source)
    assert not scale.is_statistics_file(Source("run.npz", packed(gold=np.zeros(1))))
    actual = scale.open_statistics(source)
    assert actual.result is not None
    pd.testing.assert_frame_equal(actual.result.frame, run.result().frame)
    assert (actual.result.notes, actual.documents) == (run.result().notes, 12)
    assert [one.frame["measure"][0] for one in actual.comparisons] == ["F1@1", "F1@2", "F1@3"]
    for one, other in zip(actual.comparisons, run.comparisons(), strict=True):
        pd.testing.assert_frame_equal(one.frame, other.frame)


def zip_with(data: bytes, name: str, content: bytes) -> bytes:
    stream = io.BytesIO(data)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr(name, content)
    return stream.getvalue()


Header = Callable[[dict[str, Any]], Any]


def changed(data: bytes, change: Header) -> bytes:
    arrays = dict(np.load(io.BytesIO(data)))
    header = json.loads(arrays["header.json"].tobytes())
    change(header)
    return packed(**arrays | {"header.json": np.frombuffer(json.dumps(header).encode(), np.uint8)})


DAMAGED, OTHER_SUMS = "another kind of file, or a damaged one", "sums that do not match"
F1 = {"dataclass": "AverageKey", "part": "0", "system": 0, "average": "macro", "counts": "F1@k", "cutoffs": [1, 2, 3]}
#: What is changed: arrays, the header, or the array at a path → what is said.
CHANGES: list[tuple[dict[str, Any] | Header | list[Any], str]] = [
    ({"x": np.array([{}], object)}, DAMAGED),
    ({"x": np.array(["a"])}, DAMAGED),
    ({"x": np.array([np.nan])}, DAMAGED),
    ({"header.json": np.zeros(3, np.uint8)}, DAMAGED),
    ({"header.json": None}, DAMAGED),
    (lambda header: header.update(format="2"), "statistics of another version"),
    (lambda header: header.update(complete=False), r"an unfinished run \(3 of 3 parts are done\)"),
    (lambda header: header["plan"]["settings"].update(k="x"), DAMAGED),
    (lambda header: header["plan"].pop("names"), DAMAGED),
    (lambda header: header["plan"].update(measures=["F9@k"]), OTHER_SUMS),
    (lambda header: header["plan"]["names"]["systems"].append("s9"), OTHER_SUMS),
    (["numbers", "documents", None], DAMAGED),
    (["numbers", "documents", np.zeros(0)], OTHER_SUMS),
    (["pairs", "compare/0/1", "differences", np.full((1, 5), 1e300)], OTHER_SUMS),
    (["pairs", "compare/0/1", "weight", np.full((50,), 1e-320)], OTHER_SUMS),
    (["averages", F1, "weight", np.full((50, 1), 1e-320)], OTHER_SUMS),
]


@pytest.mark.parametrize(("change", "reason"), CHANGES, ids=range(len(CHANGES)))
def test_a_changed_file_is_refused_in_one_sentence(change: Any, reason: str, data: bytes) -> None:
    arrays = dict(np.load(io.BytesIO(data)))
    if isinstance(change, list):
        paths = json.loads(arrays["header.json"].tobytes())["arrays"]
        change = {str(paths.index(change[:-1])): change[-1]}
    if callable(change):
        other = changed(data, change)
    else:
        other = packed(**{name: array for name, array in (arrays | change).items() if array is not None})
    with pytest.raises(kp.InputError, match=f"^run.npz: expected .*{reason}"):
        scale.open_statistics(Source("run.npz", other))


def test_cut_and_flipped_bytes_are_refused(data: bytes) -> None:
    for place in (data.index(b"PK\x03\x04", 4) - 1, data.index(b"PK\x01\x02") - 1):  # ends of the first and last array
        flipped = data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]
        unclosed = zip_with(data, "x.npy", b"\x93NUMPY\x01\x00\x03\x00{(\0")  # what NumPy reads as Python
        for damaged in (data[:place], flipped, unclosed):
            with pytest.raises(kp.InputError, match=DAMAGED):
                scale.open_statistics(Source("run.npz", damaged))


def test_statistics_upload_is_limited_before_unpacking(data: bytes) -> None:
    for limits, unit in ((replace(LIMITS, file_bytes=1_000), "bytes"), (replace(LIMITS, archive_members=5), "arrays")):
        with pytest.raises(kp.InputError, match=f"at most .* {unit}"):
            scale.open_statistics(Source("run.npz", data), limits)
    bombs = []
    for kind in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(stream := io.BytesIO(), "w", kind) as archive, zipfile.ZipFile(io.BytesIO(data)) as whole:
            for name in whole.namelist():
                archive.writestr(name, whole.read(name))
            archive.writestr("x.npy", bytes(2_000_000))
        bombs.append(stream.getvalue())
    size = data.rindex(b"PK\x01\x02") + 24  # where the last entry of the directory says how large its member is
    oversized = data[:size] + (2**31).to_bytes(4, "little") + data[size + 4 :]
    for upload in (*bombs, oversized):
        with pytest.raises(kp.InputError, match="found compressed arrays"):
            scale.open_statistics(Source("run.npz", upload))


MANY = [f"a{number}" for number in range(30_000)]
#: A plan that names far more than the file has numbers of, with few bytes.
LARGE: list[Header] = [
    lambda header: header["plan"]["names"].update(systems=MANY),
    lambda header: header["plan"].update(measures=MANY),
    lambda header: header["plan"].update(compare=header["plan"]["compare"] * 30_000),
    lambda header: header["plan"]["settings"].update(k=list(range(1, 10_001))),
    lambda header: header["plan"]["names"].update(annotators=MANY) or header["plan"].update(agreement=[]),
]


@pytest.mark.parametrize("change", LARGE, ids=range(len(LARGE)))
def test_oversized_plans_are_refused_before_allocation(change: Header, data: bytes) -> None:
    large = Source("run.npz", changed(data, change))
    tracemalloc.start()
    with pytest.raises(kp.InputError, match=OTHER_SUMS):
        scale.open_statistics(large)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000
