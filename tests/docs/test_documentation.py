"""The documentation: it builds without a broken link, fetches nothing, and every block of code in it runs."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kp_core import reference
from kp_core.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
#: Commands that the project's own tests run, and those that only a person can run.
_ELSEWHERE = ("make ", "git ", "cd ", "python3 ", "pip ", ".venv/bin/", "docker ", "curl ")


def blocks(page: Path, *languages: str) -> list[str]:
    return [code for language, code in _BLOCK.findall(page.read_text(encoding="utf-8")) if language in languages]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder of its own, with the sample data where the documentation says."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_python_and_every_command_runs(page: Path, scratch: Path) -> None:
    names: dict[str, object] = {}
    for code in blocks(page, "python"):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, f"{page.name}, a block of Python", "exec"), names)
    for code in blocks(page, "bash", "sh", "console"):
        for line in code.replace("\\\n", " ").splitlines():
            run(line.removeprefix("$ ").split(" #")[0].strip())


def run(line: str) -> None:
    """Run one command; those of KPScope in this process."""
    words = shlex.split(line)
    start = ["kpscope"], ["python", "-m", "kp_core"]
    own = next((words[len(first) :] for first in start if words[: len(first)] == first), None)
    if own is not None and own[:1] != ["app"]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()) as said:
            status = main(own)
        assert status == 0, f"{line}: {said.getvalue()}"
    elif own is None and words:
        assert line.startswith(_ELSEWHERE), f"nothing runs this line of the documentation: {line}"


def test_it_builds_without_a_broken_link_and_fetches_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert not [one for one in fetched if "canonical" not in one], page.name
        assert "$$" not in text, page.name


def test_the_reference_of_the_command_line_is_that_of_the_parser() -> None:
    assert (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8") == reference.markdown()
