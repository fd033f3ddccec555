"""Fixtures for all tests."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

import kp_core as kp
from tests.cases import LECTURES, ROOT

# A time limit for an example would fail at random on a busy machine.
settings.register_profile("kpscope", deadline=None, derandomize=True, database=None, max_examples=25)
#: What `make fuzz` takes: more and other examples every time, with the seed that gives a failing one again.
settings.register_profile("fresh", deadline=None, database=None, print_blob=True)
settings.load_profile("kpscope")
# Hypothesis draws constants from the project's modules that are loaded by then: which, hangs on the tests run before.
providers._get_local_constants = Constants


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with long files that wait for other processes, so that the other worker computes meanwhile."""
    items.sort(key=lambda item: not item.nodeid.startswith(("tests/browser/test_use", "tests/wheel")))


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return the path of real data or an oracle next to the project; skip the test if it is missing."""

    def find(path: str) -> Path:
        result = ROOT.parent / "shared" / path
        if not result.exists():
            pytest.skip(f"skipped: {path} is not in ../shared")
        return result

    return find


@pytest.fixture(scope="session")
def lectures() -> kp.Corpus:
    """Return the complete sample of twenty lectures: gold standard, systems, texts, and judged pairs."""
    folder = LECTURES
    systems = {path.stem: path for path in sorted((folder / "systems").glob("*"))}
    return kp.load(folder / "gold.csv", systems, folder / "documents.jsonl", folder / "judgements.csv")
