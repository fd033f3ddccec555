"""The notebook of the documentation, executed from top to bottom, with its outputs."""

import nbformat
import pytest
from nbclient import NotebookClient

import kp_core as kp
from tests.cases import ROOT


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Return the code of each cell → kind of output → output."""
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT / "docs")}}).execute()
    return {
        cell.source: {kind: text for output in cell.outputs for kind, text in output.get("data", {}).items()}
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def test_notebook_is_stored_without_outputs() -> None:
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_notebook_shows_answer_table_and_chart(executed: dict[str, dict[str, str]], lectures: kp.Corpus) -> None:
    shown = {source.rstrip().rpartition("\n")[2]: result for source, result in executed.items()}
    claim = kp.answer(lectures, k=6).claim
    assert f"{claim}</b>" in shown["kp.answer(corpus, k=6)"]["text/html"]
    values = kp.evaluate(lectures, k=6, measures="F1@k", interval="none").frame["value"]
    assert all(f"{value:.3f}" in shown["result"]["text/html"] for value in values)
    (drawn,) = (result for source, result in shown.items() if source.endswith(".chart()"))
    assert {trace.get("name") for trace in drawn["application/vnd.plotly.v1+json"]["data"]} >= {"yake", "tfidf"}
    assert "normalise:" in shown["printed"]["text/html"]
