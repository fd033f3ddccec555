"""Differences between machines: names of files, the encoding of a terminal, variables, versions of zip."""

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.reading import Source
from kp_core.reading.limits import limits_from
from tests.format_samples import archive as packed

GOLD = b"doc_id,annotator,keyphrase\nd1,ana,tide\nd2,ana,moon\n"
SYSTEM = "doc_id,rank,keyphrase\nd1,1,tide\nd1,2,tide → 😀\nd2,1,moon\n".encode()
#: As Python reads a name in Latin-1 where names are UTF-8, and how it is shown.
ODD, SHOWN = os.fsdecode(b"caf\xe9"), "caf\\udce9"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with a gold standard and a system whose names are not UTF-8."""
    monkeypatch.chdir(tmp_path)
    try:
        Path(f"{ODD}.csv").write_bytes(SYSTEM)
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    Path("gold.csv").write_bytes(GOLD)
    return tmp_path


def started(*words: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "kp_core", *words]
    root = str(Path(kp.__file__).parents[1])
    return subprocess.run(
        command, capture_output=True, env={**os.environ, "PYTHONPATH": root, **variables}, check=False, timeout=120
    )


@pytest.mark.parametrize("form", ["json", "csv", "table", "latex", "markdown"])
def test_file_name_outside_utf_8_is_escaped(form: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--gold", "gold.csv", "--system", f"{ODD}.csv", "--measures", "P@2", "--interval", "none"]
    assert main(["evaluate", *words, "--format", form]) == 0
    out = capsys.readouterr().out
    if form == "json":
        assert [(row["system"], row["value"]) for row in json.loads(out)["rows"]] == [(SHOWN, 0.5)]
    else:
        assert {"latex": r"caf\textbackslash{}udce9", "markdown": r"caf\\udce9"}.get(form, SHOWN) in out


def test_names_inside_folders_and_archives_stay_apart(folder: Path) -> None:
    texts = {b"a\xe8.key": b"tide\n", b"a\xe9.key": b"moon\n"}
    packed = io.BytesIO()
    Path("keys").mkdir()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in texts.items():
            Path("keys", os.fsdecode(name)).write_bytes(text)
            member = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    for given in (Path("keys"), Source("keys.tar", packed.getvalue())):
        gold = kp.load(gold=given).gold
        assert dict(zip(gold["doc_id"], gold["phrase"], strict=True)) == {"a\\udce8": "tide", "a\\udce9": "moon"}


def test_a_stream_refuses_such_paths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inside = folder / "inside"
    inside.mkdir()
    (inside / f"{ODD}.csv").write_bytes(SYSTEM)
    for path, shown in ((f"{ODD}.csv", f"{SHOWN}.csv"), ("inside", "inside")):
        assert main(["evaluate", "--stream", "--gold", "gold.csv", "--system", path]) == 1
        assert capsys.readouterr().err == (
            f"kpscope: {shown}: expected a path that Arrow can open, found a path that is not UTF-8. "
            "Rename the file or folder, or leave out --stream.\n"
        )


def test_output_is_utf_8_whatever_the_terminal(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.csv", tmp_path / "s.csv"
    gold.write_bytes(GOLD)
    system.write_bytes(SYSTEM)
    given = ["--gold", str(gold), "--system", str(system)]
    done = started("phrases", *given, PYTHONIOENCODING="cp1252:strict")
    assert done.stdout.decode().splitlines() == ["tide", "moon", "tide → 😀"]
    done = started("near-misses", *given, "--k", "2", "--format", "json", PYTHONIOENCODING="ascii")
    rows = json.loads(done.stdout)["rows"]
    assert (done.returncode, [row["phrase"] for row in rows if not row["hit"]]) == (0, ["tide → 😀"])
    done = started("evaluate", "--help", PYTHONIOENCODING="ascii")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


@pytest.mark.parametrize("name", ["KPSCOPE_LIMIT_ROWS", "KPSCOPE_LIMIT_SESSION_BYTES"])
@pytest.mark.parametrize("value", ["abc", "", "-1", "1.5", "²", "9" * 5000])
def test_a_limit_that_is_no_number_is_refused(name: str, value: str) -> None:
    with pytest.raises(kp.UsageError, match=f"{name} must be a whole number of at least 0, not '{value[:20]}"):
        limits_from({name: value})


def test_a_wrong_variable_is_one_sentence() -> None:
    done = started("--version", KPSCOPE_LIMIT_ROWS="abc")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == "kpscope: KPSCOPE_LIMIT_ROWS must be a whole number of at least 0, not 'abc'\n"


@pytest.mark.parametrize(("code", "found"), [(0xD800, "half a character"), (0x110000, "an invalid character code")])
def test_invalid_characters_in_npz_phrases_are_refused(code: int, found: str) -> None:
    arrays = {"phrases": np.array(["tide", "moon"]), "vectors": np.eye(2)}
    members = {}
    for name, array in arrays.items():
        file = io.BytesIO()
        np.lib.format.write_array(file, array)
        members[f"{name}.npy"] = file.getvalue().replace("t".encode("utf-32-le"), code.to_bytes(4, "little"))
    with pytest.raises(kp.InputError, match=f"v.npz: expected phrases and their vectors, found a phrase with {found}"):
        kp.vocabulary(vectors=packed(members, "v.npz"))
