"""A streamed run equals an evaluation in memory, however the documents are split."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core import scale
from kp_core.takeaway.tidy import tidy
from tests.scale.tables import Given, assert_same_rows, draw, engine, in_memory, write

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
    streamed = scale.evaluate(*given, options=engine(1 + len(corpus.gold) // 5), **options)
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
    tables = draw(2, grades=True)
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
