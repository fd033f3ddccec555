"""A file of statistics says what the run said; anything else, and any path out of the allowed folder, is refused."""

import io
import json
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
from kp_core.scale.sources import Source as Table
from tests.scale.tables import draw, engine, write

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streamed")


@pytest.fixture(scope="module")
def run(folder: Path) -> scale.Streamed:
    given = write(draw(5, documents=12), folder / "tables")
    asked = [scale.Family("F1@k", trials=200)]
    return scale.stream(*given, measures=["F1@k", "MAP"], k="1-3", comparisons=asked, resamples=50, engine=engine())


@pytest.fixture(scope="module")
def data(run: scale.Streamed, folder: Path) -> bytes:
    run.save(folder / "run.npz")
    return (folder / "run.npz").read_bytes()


def test_an_opened_file_says_what_the_run_said(run: scale.Streamed, data: bytes) -> None:
    source = Source("anything", data)
    assert scale.is_statistics_file(source)
    assert not scale.is_statistics_file(Source("run.npz", packed({"gold.csv": b""})))
    found = scale.open_statistics(source)
    assert found.result is not None
    pd.testing.assert_frame_equal(found.result.frame, run.result().frame)
    assert (found.result.notes, found.documents) == (run.result().notes, 12)
    assert [one.frame["measure"][0] for one in found.comparisons] == ["F1@1", "F1@2", "F1@3"]
    for one, other in zip(found.comparisons, run.comparisons(), strict=True):
        pd.testing.assert_frame_equal(one.frame, other.frame)


def members(data: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: Files, kind: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def array(values: Any, pickled: bool = False) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=pickled)
    return stream.getvalue()


def with_header(change: Callable[[dict[str, Any]], Any]) -> Callable[[Files], Files]:
    """Return a change of a file that changes its header."""

    def changed(files: Files) -> Files:
        header = json.loads(np.load(io.BytesIO(files["header.json.npy"])).tobytes())
        change(header)
        return files | {"header.json.npy": array(np.frombuffer(json.dumps(header).encode(), np.uint8))}

    return changed


def without(name: str) -> Callable[[Files], Files]:
    return lambda files: {one: content for one, content in files.items() if one != name}


DAMAGED = "something else, or a damaged file"
#: What is changed in the file → how, and what is said.
CHANGES: dict[str, tuple[Callable[[Files], Files], str]] = {
    "pickled object": (lambda files: files | {"x.npy": array(np.array([{}], object), True)}, DAMAGED),
    "text": (lambda files: files | {"x.npy": array(np.array(["a"]))}, DAMAGED),
    "no array": (lambda files: files | {"x.npy": b"no array"}, DAMAGED),
    "no JSON": (lambda files: files | {"header.json.npy": array(np.zeros(3, np.uint8))}, DAMAGED),
    "no header": (without("header.json.npy"), DAMAGED),
    "version": (with_header(lambda header: header.update(format="2")), "statistics of another version"),
    "unfinished": (with_header(lambda header: header.update(complete=False)), "a run of which 3 of 3 parts are done"),
    "settings": (with_header(lambda header: header["plan"]["settings"].update(k="x")), DAMAGED),
    "no names": (with_header(lambda header: header["plan"].pop("names")), DAMAGED),
    "measure": (with_header(lambda header: header["plan"].update(measures=["F9@k"])), "sums that do not fit"),
    "system": (with_header(lambda header: header["plan"]["names"]["systems"].append("s9")), "sums that do not fit"),
    "no documents": (without("documents.npy"), "sums that do not fit"),
    "shape": (lambda files: files | {"documents.npy": array(np.zeros(0))}, "sums that do not fit"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused_in_one_sentence(name: str, data: bytes) -> None:
    change, reason = CHANGES[name]
    with pytest.raises(kp.InputError, match=f"^run.npz: expected .*{reason}"):
        scale.open_statistics(Source("run.npz", packed(change(members(data)))))


def test_cut_and_flipped_bytes_are_refused(data: bytes) -> None:
    for place in (data.index(b"PK\x03\x04", 4) - 1, data.index(b"PK\x01\x02") - 1):  # ends of the first and last array
        flipped = data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]
        for damaged in (data[:place], flipped):
            with pytest.raises(kp.InputError, match="something else, or a damaged file"):
                scale.open_statistics(Source("run.npz", damaged))


def test_a_file_is_held_to_limits_before_anything_is_unpacked(data: bytes, tmp_path: Path) -> None:
    whole = members(data)
    for limits, unit in ((replace(LIMITS, file_bytes=1_000), "bytes"), (replace(LIMITS, archive_members=5), "arrays")):
        with pytest.raises(kp.InputError, match=f"at most .* {unit}"):
            scale.open_statistics(Source("run.npz", data), limits)
    large = whole | {"x.npy": array(np.zeros(2_000_000))}
    bombs = [packed(large, kind) for kind in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)]
    size = data.rindex(b"PK\x01\x02") + 24  # where the last entry of the directory says how large its member is
    oversized = data[:size] + (2**31).to_bytes(4, "little") + data[size + 4 :]
    for upload in (*bombs, oversized):
        (tmp_path / "run.npz").write_bytes(upload)
        for item in (Source("run.npz", upload), tmp_path / "run.npz"):
            with pytest.raises(kp.InputError, match="found compressed arrays"):
                scale.open_statistics(item)


def test_tables_are_read_below_the_allowed_folder_only(run: scale.Streamed, folder: Path, tmp_path: Path) -> None:
    assert scale.lies_within(run.plan, folder)
    assert not scale.lies_within(run.plan, tmp_path)
    gold = run.plan.sources[0].paths[0]
    (tmp_path / "gold.parquet").symlink_to(gold)
    for path in (str(tmp_path / "gold.parquet"), "s3://bucket/gold.parquet", f"{folder}/../{folder.name}/no.parquet"):
        plan = replace(run.plan, sources=(Table("gold", (path,), "parquet", "gold"),))
        assert not scale.lies_within(plan, tmp_path)
    assert not scale.lies_within(replace(run.plan, sources=()), folder)
