"""The page on your own similarity: its code runs with known vectors, and its table is recomputed."""

import json
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import kp_core as kp
from kp_core.cli import app
from tests.cases import ROOT

PAGE = (ROOT / "docs" / "similarity.md").read_text(encoding="utf-8")
LINES = dict(
    zip(("sentence_transformers", "fasttext", "service"), re.findall(r"```py\n(.*?)```", PAGE, re.S), strict=True)
)
GOLD = {"d": ["neural network", "tide"]}


def vector(phrase: str) -> list[float]:
    return [float(len(phrase)), 1.0, float(phrase.count("e"))]


class Model:
    """A substitute for a model of sentence-transformers or fastText."""

    def __init__(self, name: str) -> None:
        assert name in ("uclanlp/keyphrase-mpnet-v1", "cc.en.300.bin")

    def encode(self, phrases: list[str]) -> np.ndarray:
        return np.array([vector(phrase) for phrase in phrases], np.float32)

    def get_sentence_vector(self, phrase: str) -> np.ndarray:
        return np.array(vector(phrase), np.float32)


@pytest.mark.parametrize("name", LINES)
def test_the_lines_make_a_file_that_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_text("doc_id,phrase\nd,neural network\nd,tide\n", encoding="utf-8")
    app(["phrases", "--gold", "gold.csv", "--out", "phrases.txt"], result_action="return_value")
    phrases = Path("phrases.txt").read_text(encoding="utf-8").splitlines()
    assert phrases == GOLD["d"]
    answer = {"data": [{"embedding": vector(phrase)} for phrase in phrases]}
    Path("answer.json").write_text(json.dumps(answer), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(SentenceTransformer=Model))
    monkeypatch.setitem(sys.modules, "fasttext", types.SimpleNamespace(load_model=Model))
    exec(LINES[name], {})
    table = kp.load(gold=GOLD, vectors="vectors.npz").vocabulary.vectors
    assert dict(zip(table["phrase"], map(list, table["vector"]), strict=True)) == {
        item: vector(item) for item in phrases
    }


def test_table_of_matchings_equals_soft_evaluation() -> None:
    lectures = ROOT / "sample_data" / "lectures"
    corpus = kp.load(gold=lectures / "gold.csv", systems=lectures / "systems")
    header, _, *rows = (
        [cell.strip(" *") for cell in line.strip("|\n").split("|")] for line in re.findall(r"^\|.*$", PAGE, re.M)
    )
    for matching, *printed in rows:
        settings = kp.Settings(k=10, matching=matching, interval="none")
        result = kp.soft_evaluate(corpus, settings, kp.Soft("levenshtein", 1e-9), ["F1@k"]).frame
        values = result.set_index("system")["value"]
        assert [f"{values[name]:.3f}".lstrip("0") for name in header[1:]] == printed
