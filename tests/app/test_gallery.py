"""The gallery of the guide: every workspace opens at its answer, and its command gives the same number."""

import re

import pytest

from docs.written import GALLERY, workspace
from kp_core.cli import main
from kp_core.reading import Source
from kp_core.takeaway.workspace_file import ENDING, read_workspace
from tests.app.opening import drop, literal, opened, page_of
from tests.cases import ROOT

PAGE = (ROOT / "docs" / "guide" / "gallery.md").read_text(encoding="utf-8")
USES = dict(re.findall(r"^Open \[(\w+)\.kpscope\].*?^(> .*?)^```\n\n", f"{PAGE}\n", re.M | re.S))


@pytest.mark.parametrize("name", GALLERY)
def test_gallery_workspace_opens_answer_matching_command(name, capsys, monkeypatch):
    path = ROOT / "docs" / "guide" / "gallery" / f"{name}{ENDING}"
    saved, written = read_workspace(path), workspace(name)
    assert (saved.uploads, saved.link) == (written.uploads, written.link), "run: make pages"
    assert path.stat().st_size < 60_000
    answer = USES[name].partition("\n")[0].removeprefix("> ")
    app = opened("data")
    drop(app, Source(path.name, path.read_bytes()))
    assert page_of(app) == saved.link["page"].partition("?")[0]
    assert answer.replace("**", "") in literal(app)

    monkeypatch.chdir(ROOT)
    assert main(re.findall(r"^kpscope (.*)$", USES[name], re.M)[0].split()) == 0
    shown = re.search(r"\*\*([\d.]+)\*\*", answer)[1]
    values = map(float, re.findall(r"\d\.\d{4}", capsys.readouterr().out))
    assert shown in [f"{value:.3f}" if "." in shown else f"{100 * value:.0f}" for value in values]


def test_the_page_has_every_use():
    assert list(USES) == list(GALLERY)
