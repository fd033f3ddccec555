"""The installed wheel runs outside the project, with the same numbers, pages and sample data."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from contextlib import redirect_stdout
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from kp_core.cli import main
from kp_core.settings import __version__
from tests.cases import ROOT
from tests.dashboard import Session, running

FILES = ["--gold", "gold.csv", "--system", "system.csv", "--documents", "documents.jsonl"]
EVALUATE = ["evaluate", *FILES, "--k", "4", "--format", "json"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, so that earlier builds do not affect it and nothing is left in the project."""
    copy, built = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("built")
    for name in ("kp_core", "kp_ui", "pages", "sample_data", ".streamlit"):
        shutil.copytree(ROOT / name, copy / name)
    for file in ROOT.glob("*.*"):
        if file.is_file():
            shutil.copy(file, copy)
    shutil.copy(ROOT / "LICENSE", copy)
    pip("wheel", ".", "--no-build-isolation", "--wheel-dir", str(built), folder=copy)
    (result,) = built.glob("*.whl")
    return result


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip("install", str(wheel), "--no-index", "--target", str(folder), folder=folder)
    return folder


def done(command: list[str], folder: Path, **more: Any) -> str:
    """Run a command that must succeed; return what it prints."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **more)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def pip(*words: str, folder: Path) -> None:
    done([sys.executable, "-m", "pip", *words, "--no-deps", "--quiet", "--disable-pip-version-check"], folder)


def environment(installed: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(installed)}


def test_wheel_holds_only_packages_and_dashboard(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    patterns = {
        "": ("kp_core/**/*", "kp_ui/**/*"),
        "kp_ui/dashboard/": ("app.py", ".streamlit/*", "pages/*.py", "sample_data/**/*"),
    }
    expected = {
        f"{inside}{path.relative_to(ROOT)}"
        for inside, result in patterns.items()
        for pattern in result
        for path in ROOT.glob(pattern)
        if path.is_file() and path.suffix != ".pyc"
    } - {f"kp_ui/dashboard/sample_data/{script.name}" for script in (ROOT / "sample_data").glob("*.py")}
    assert held == expected
    assert wheel.name == f"kpscope-{__version__}-py3-none-any.whl"


def test_the_source_archive_is_the_project(tmp_path: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("skipped: this is not a git repository, so the project's own files are not known")
    part = {name for name in listed.stdout.split("\0") if (ROOT / name).is_file()}
    copy = tmp_path / "project"
    for name in part:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    build = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    done([sys.executable, "-c", build, str(tmp_path)], copy)
    archive = tmp_path / f"kpscope-{__version__}.tar.gz"
    with tarfile.open(archive) as packed:
        held = {name.partition("/")[2] for name in packed.getnames() if packed.getmember(name).isfile()}
    made = {"PKG-INFO", "setup.cfg"} | {name for name in held if name.startswith("kpscope.egg-info/")}
    assert held - made == part


def test_the_command_gives_the_numbers_of_the_project(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "sample_data" / "templates", tmp_path, dirs_exist_ok=True)
    beside = environment(installed)
    where = done([sys.executable, "-c", "import kp_core; print(kp_core.__file__)"], tmp_path, env=beside)
    assert Path(where.strip()).is_relative_to(installed)
    printed = done([str(installed / "bin" / "kpscope"), *EVALUATE], tmp_path, env=beside)
    monkeypatch.chdir(tmp_path)
    with redirect_stdout(io.StringIO()) as local:
        assert main(EVALUATE) == 0
    assert json.loads(printed) == json.loads(local.getvalue())


def test_installed_dashboard_opens_on_sample(wheel: Path, installed: Path, tmp_path: Path) -> None:
    lines = (ROOT / "deploy" / "Containerfile").read_text("utf-8").splitlines()
    steps = dict(line.split(" ", 1) for line in lines if not line.startswith("#"))
    copied, folder = steps["COPY"].split()
    assert fnmatch(wheel.name, copied)
    assert steps["RUN"].split()[-1] == f"{folder}{copied}"
    program, *options = json.loads(steps["CMD"])
    opener = (str(installed / "bin" / program), *options)
    with (
        running(tmp_path / "log", environment=environment(installed), opener=opener, folder=tmp_path) as (address, _),
        Session(address, "overview") as session,
    ):
        rows = "".join(item.body for item in session.elements("html"))
        assert all(f'aria-label="{name} 0.' in rows for name in ("yake", "rake", "textrank", "tfidf", "says nothing"))
        session.open("data")
        assert session.elements("file_uploader")[0].max_upload_size_mb == 200
