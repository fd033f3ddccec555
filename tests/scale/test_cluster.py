"""A Dask cluster gives the same numbers as one process, also when a worker dies in mid-run."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kp_core as kp
from kp_core import scale
from tests.cases import ROOT
from tests.scale.tables import assert_same_rows, draw, engine, write

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]
distributed = pytest.importorskip("distributed", reason="skipped: Dask is not installed (requirements-cluster.txt)")


@pytest.fixture(scope="module")
def plain_main() -> Iterator[None]:
    """Put an empty main module in place: a page that a test ran stands there, and every worker would run it again."""
    before, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    yield
    sys.modules["__main__"] = before


@pytest.fixture(scope="module")
def cluster(plain_main: None) -> Any:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        with distributed.Client(made) as client:
            client.run(lambda: __import__("sys").path.insert(0, str(ROOT)))
        yield made


def test_killed_worker_leaves_cluster_results_unchanged(cluster: Any, tmp_path: Path) -> None:
    given = write(draw(0, documents=40), tmp_path)
    asked: dict[str, Any] = {
        "measures": "F1@3,kappa,MAP",
        "k": "average",
        "resamples": 50,
        "comparisons": [scale.Family("F1@3", trials=100)],
    }
    alone = scale.stream(*given, **asked, engine=engine(100))
    workers = [one["pid"] if isinstance(one, dict) else one.pid for one in cluster.workers.values()]
    killed = threading.Event()

    def kill(done: int, parts: int, *_: Any) -> None:
        if done >= 2 and parts - done >= 3 and not killed.is_set():
            os.kill(workers[0], signal.SIGKILL)
            killed.set()

    found = scale.stream(*given, **asked, engine=engine(100, cluster=cluster.scheduler_address, progress=kill))
    assert killed.is_set()
    assert_same_rows(found.result().frame, alone.result().frame)
    assert_same_rows(found.comparison().frame, alone.comparison().frame)
    assert found.comparison().frame["p"].tolist() == alone.comparison().frame["p"].tolist()


def test_a_failing_part_names_its_documents_and_files(cluster: Any, tmp_path: Path) -> None:
    given = write(draw(0, systems=1), tmp_path)
    for where in ("", cluster.scheduler_address):
        with pytest.raises(
            kp.InputError, match=r"part \d+ \(documents from .*\) of gold.parquet, s0.parquet, .*universe 12"
        ) as raised:
            scale.evaluate(*given, k=3, measures="kappa", universe=12, engine=engine(60, cluster=where))
        assert raised.value.remedy.startswith("Choose N = ")


def test_words_for_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    given = write(draw(0, documents=5), tmp_path)
    with pytest.raises(kp.UsageError, match="write local, local:N or tcp://host:port"):
        scale.evaluate(*given, measures="F1@3", engine=engine(cluster="local:two"))
