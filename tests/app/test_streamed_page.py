"""A streamed run shows the numbers of the same data in memory."""

from pathlib import Path
from typing import Any

import pytest

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.cli import main
from tests.app.opening import literal, opened, shown, signature_of, tables
from tests.scale.tables import draw, in_memory, write

TABLES = draw(7, documents=15)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with tables and the statistics of a comparison, made by the documented command."""
    result = tmp_path_factory.mktemp("data")
    given = write({"gold": TABLES["gold"], "runs": TABLES["runs"]}, result / "tables")
    systems = [word for name, path in given.systems.items() for word in ("--system", f"{name}={path}")]
    asked = ["--gold", str(given.gold), *systems, "--k", "1-3", "--stream", "--out", str(result / ".out")]
    assert main(["compare", *asked, "--measures", "F1@k,MAP", "--save-statistics", str(result / "pairs.npz")]) == 0
    asked = ["--gold", str(given.gold), "--stream", "--out", str(result / ".out")]
    assert main(["agreement", *asked, "--save-statistics", str(result / "people.npz")]) == 0
    return result


def dropped(name: str, data: bytes) -> Any:
    app = opened("data")
    next(item for item in app.file_uploader if item.key.startswith("drop_")).upload(name, data)
    app.run()
    return app


def test_streamed_values_and_pairs_equal_memory(folder: Path) -> None:
    app = dropped("run", (folder / "pairs.npz").read_bytes())
    corpus = in_memory({"gold": TABLES["gold"], "runs": TABLES["runs"]})
    for k in ("3", "2"):
        app.selectbox(key="streamed_k").set_value(k).run()
        memory = kp.evaluate(corpus, k=int(k), measures=["F1@k"], interval="poisson")
        name = f"F1@{k}"
        assert shown(app, name)[name].tolist() == screen_tables.with_intervals(memory, [name])[name].tolist()
        pairs = kp.compare(corpus, measure="F1@k", k=int(k), interval="poisson").wide()
        assert shown(app, "better")["better − worse"].tolist() == pytest.approx(pairs["difference"].tolist(), 1e-9)
    assert signature_of(app).endswith(memory.signature.partition("|ci:")[2])
    assert "nothing is sampled" in literal(app)
    assert str(folder) not in literal(app)


def test_shared_annotator_file_opens_despite_damaged_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (folder / "people.npz").read_bytes()
    monkeypatch.setenv("KPSCOPE_DATA", str(folder))
    app = dropped("broken.npz", data[: len(data) // 2])
    assert "Not opened: broken.npz: expected statistics of a streamed run" in literal(app)
    app.selectbox(key="shared").set_value("people.npz").run()
    app.button(key="add_shared").click().run()
    assert not app.error
    assert "people.npz · 15 documents" in literal(app)
    memory = kp.agreement(kp.load(gold=TABLES["gold"]), interval="poisson").frame.set_index(["system", "measure"])
    assert tables(app)[0].set_index("measure")["value"]["K"] == pytest.approx(memory["value"]["all", "K"], 1e-9)
    assert shown(app, "pair")["kappa"][0] == pytest.approx(memory["value"]["ana|ben", "kappa"], 1e-9)
    app.button(key="remove streamed").click().run()
    assert "Streamed run" not in [tab.label for tab in app.tabs]
