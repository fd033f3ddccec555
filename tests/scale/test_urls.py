"""Tables behind URLs: read through fsspec, with the numbers of the same files on disk."""

import fsspec
import pytest

from kp_core import scale
from tests.cases import LECTURES
from tests.unit.test_cli import answered

ASKED = {"measures": ["F1@k", "MAP"], "k": 5, "interval": "none"}


@pytest.fixture
def store():
    """A file system in memory with the gold standard in a file and two systems in folders, as in a bucket."""
    system = fsspec.filesystem("memory")
    system.pipe("/kpscope/gold.csv", (LECTURES / "gold.csv").read_bytes())
    for name in ("rake", "yake"):
        system.pipe(f"/kpscope/runs/{name}/part-0.csv", (LECTURES / "systems" / f"{name}.csv").read_bytes())
    yield "memory://kpscope"
    system.rm("/kpscope", recursive=True)


def test_urls_give_same_numbers_as_files(store, capsys) -> None:
    runs = {name: LECTURES / "systems" / f"{name}.csv" for name in ("rake", "yake")}
    expected = scale.evaluate(LECTURES / "gold.csv", runs, **ASKED).frame
    result = scale.evaluate(f"{store}/gold.csv", {name: f"{store}/runs/{name}" for name in runs}, **ASKED).frame
    assert result[["system", "value"]].to_numpy().tolist() == expected[["system", "value"]].to_numpy().tolist()
    data = ["--gold", f"{store}/gold.csv", "--system", f"{store}/runs/rake/part-0.csv", "--stream"]
    (row,) = answered(capsys, "evaluate", *data, "--measures", "F1@k", "--k", "5", "--interval", "none")["rows"]
    assert row["value"] == expected["value"].iloc[0]


def test_missing_url_and_unknown_scheme_are_refused(store) -> None:
    for gold, said in ((f"{store}/none.csv", "Check the URL"), ("gopher://host/x.csv", "gopher:// cannot be opened")):
        with pytest.raises(ValueError, match=said):
            scale.evaluate(gold, f"{store}/runs/rake", **ASKED)
