"""A streamed run equals an evaluation in memory, however the documents are split, on disk or behind URLs."""

from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core import scale
from kp_core.takeaway.tidy import tidy
from tests.cases import LECTURES
from tests.scale.tables import Given, assert_same_rows, draw, engine, in_memory, write
from tests.unit.test_cli import answered

MEASURES = ("P@k", "R@k", "F1@k", "F1@O", "MAP", "nDCG@k", "RBP", "bpref", "hits@k", "kappa", "PABAK", "a", "d", "N")
#: How the tables are written, and what is chosen: together every average, gold standard, universe and interval.
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("sorted", {"k": "average,all", "average": "both"}),
    ("scattered", {"k": 5, "interval": "cluster-t", "average": "both"}),
    ("csv", {"k": "1-4,gold", "average": "f-of-means"}),
    ("jsonl", {"k": 3, "annotators": "majority", "missing": "skip", "empty_gold": "zero"}),
    ("sorted", {"k": 3, "annotators": "ana", "duplicates": "after", "denominator": "returned"}),
    ("sorted", {"k": 3, "annotators": "votes", "gain": "exp", "average": "micro"}),
    # Baselines that are drawn at random find fractions of a phrase, which weights round to 2^-16.
    ("sorted", {"k": 3, "annotators": "intersection", "baselines": True, "empty_gold": "one-if-empty"}),
    ("sorted", {"k": 3, "universe": 60, "by": "group"}),
    ("sorted", {"k": 3, "universe": "ngrams:2"}),
]


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return {name: table for name, table in draw(0, documents=40).items() if name != "documents"}


def both(given: Given, corpus: kp.Corpus, **options: Any) -> tuple[kp.Result, kp.Result]:
    """Evaluate in about five parts and in memory; assert that the rows are equal."""
    options = {"measures": MEASURES, "interval": "none"} | options
    streamed = scale.evaluate(*given, options=engine(1 + len(corpus.gold) // 2), **options)
    memory = kp.evaluate(corpus, **options)
    assert_same_rows(streamed.frame, memory.frame)
    return streamed, memory


@pytest.mark.parametrize(
    ("form", "options"),
    RUNS,
    ids=lambda one: one if isinstance(one, str) else ",".join(f"{name}={value}" for name, value in one.items()),
)
def test_evaluation_equals_memory(form: str, options: dict[str, Any], tmp_path: Path) -> None:
    tables = draw(1, documents=40)
    options = {"interval": "poisson", "resamples": 100} | options
    streamed, memory = both(write(tables, tmp_path, form), in_memory(tables), **options)
    assert streamed.signature == memory.signature
    if form != "scattered":  # there lists must be sorted by rank, which is said
        assert streamed.notes == memory.notes


def test_grades_and_the_largest_of_all_parts(tmp_path: Path) -> None:
    tables = draw(2, documents=40, grades=True)
    tables["gold"].loc[tables["gold"]["doc_id"] > "d030", "relevance"] = np.nan
    given = write(tables, tmp_path)
    for options in ({"k": 3}, {"k": 3, "annotators": "votes"}):
        both(given, in_memory(tables), **options)


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("F1@k", {"k": 5}),
        ("F1@k", {"k": 5, "average": "f-of-means"}),
        ("P@k", {"k": 5, "average": "micro"}),
        ("kappa", {"k": 5}),
        ("MAP", {"interval": "cluster-t"}),
        ("F1@k", {"k": 5, "interval": "cluster-t", "average": "f-of-means"}),
        ("kappa", {"k": 5, "interval": "cluster-t", "average": "micro"}),
        ("MAP", {"test": "t", "missing": "skip"}),
        ("P@k", {"k": 5, "test": "bootstrap", "correction": "bh"}),
    ],
)
def test_comparisons_equal_memory(
    measure: str, options: dict[str, Any], tables: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    memory = kp.compare(in_memory(tables), measure=measure, **{"interval": "poisson"} | options)
    tested = {name: options[name] for name in ("test", "correction") if name in options}
    chosen = {name: value for name, value in options.items() if name not in tested}
    family = scale.Family(measure, **tested)
    streamed = scale.compare(*write(tables, tmp_path), family, options=engine(), **chosen)
    columns = ["a", "b", "measure", "k", "average", "difference", "low", "high", "documents"]
    assert_same_rows(streamed.frame[columns], memory.frame[columns])
    # 10,000 random assignments that are other ones: five standard errors of p near 1/2. Other tests draw nothing more.
    tolerance = 0.025 if "test" not in options else 1e-9
    np.testing.assert_allclose(streamed.frame["p"], memory.frame["p"], atol=tolerance)
    same = ["a", "b", "d_z", "wins", "ties", "losses"]
    pd.testing.assert_frame_equal(streamed.effects[same], memory.effects[same])
    assert (streamed.ranks, streamed.clusters, streamed.documents) == (memory.ranks, memory.clusters, memory.documents)
    assert streamed.notes[1:] == memory.notes[1:]
    assert "no rank-biserial correlation" in streamed.notes[0].message


@pytest.mark.parametrize("options", [{}, {"average": "both", "interval": "cluster-t"}, {"measures": "K,kappa,a,Light"}])
def test_agreement_equals_memory(options: dict[str, Any], tmp_path: Path) -> None:
    tables = draw(3)
    memory = kp.agreement(in_memory(tables), **{"interval": "poisson", "resamples": 100} | options)
    given = write(tables, tmp_path)
    streamed = scale.agreement(*given, options=engine(), **{"resamples": 100} | options)
    of_sets = memory.frame["measure"].isin(["alpha-Jaccard", "alpha-MASI"])  # which compare all documents at once
    assert of_sets.sum() == (0 if "measures" in options else 6)  # of all documents, and of each of their two types
    assert_same_rows(streamed.frame, memory.frame[~of_sets])
    assert (streamed.signature, streamed.notes) == (memory.signature, memory.notes)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_stream_reads_variants_and_empty_lists(form: str, tmp_path: Path) -> None:
    corpus = kp.load(
        gold={"d1": [["job shop", "jobshop"], ["b"]], "d2": [], "d3": [["c d", "cd"]]},
        systems={"x": {"d1": ["jobshop", "b"], "d2": [], "d3": ["cd"]}, "y": {"d1": ["z"], "d2": ["q"]}},
    )
    for name, content in tidy(corpus, form).files.items():
        (tmp_path / name).write_bytes(content)
    given = Given(tmp_path / f"gold.{form}", tmp_path / f"systems.{form}")
    options: dict[str, Any] = {"k": 3, "measures": ["R@k", "MAP", "kappa"], "empty_gold": "one-if-empty"}
    streamed, memory = both(given, kp.load(**given._asdict()), **options)
    assert streamed.frame["value"][0] == pytest.approx((1 + 1 + 1) / 3)
    assert streamed.notes == memory.notes


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
