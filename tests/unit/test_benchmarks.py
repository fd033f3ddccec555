"""Figures of too few rounds are printed and never written over those that are kept."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as benchmarks


@pytest.mark.parametrize(("rounds", "written"), [(1, False), (5, True)])
def test_results_hold_their_rounds_and_stay_where_these_are_few(
    rounds: int, written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = SimpleNamespace(PACKAGES=("numpy",), tasks=list)
    monkeypatch.setattr(benchmarks.importlib, "import_module", lambda name: made)
    monkeypatch.setattr(benchmarks, "HERE", tmp_path)
    monkeypatch.setattr(benchmarks, "ROUNDS", rounds)
    (tmp_path / "results.json").write_text("{}", encoding="utf-8")
    benchmarks.main(["start"])
    kept = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert kept.get("start", {}).get("rounds") == (rounds if written else None)
    assert ("nothing is written: 1 in place of 5 rounds" in capsys.readouterr().err) is not written
