"""Broader concepts and rare ones: closures by hand, the formulas of the papers, and refused tables."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kp_core as kp
from tests.corpora import value

#: A child stands before its parents, so no drawn graph has a cycle.
NAMES = [f"c{i}" for i in range(8)]
EDGES = st.lists(st.sampled_from(list(combinations(NAMES, 2))), max_size=12, unique=True)
LISTS = st.dictionaries(
    st.sampled_from(["d1", "d2", "d3"]), st.lists(st.sampled_from(NAMES), max_size=5, unique=True), min_size=1
)
EXACT = {"interval": "none", "normalise": "none"}


def _corpus(gold: dict, lists: dict, **tables: object) -> kp.Corpus:
    frames = [
        pd.DataFrame([(d, c, c) for d, cs in side.items() for c in cs], columns=["doc_id", "phrase", "concept"])
        for side in (gold, lists)
    ]
    return kp.load(gold=frames[0], systems={"x": frames[1]}, **tables)


def _above(concept: str, edges: list[tuple[str, str]]) -> set[str]:
    direct = {parent for child, parent in edges if child == concept}
    return direct.union(*(_above(item, edges) for item in direct))


def _whole(concepts: list[str], edges: list[tuple[str, str]]) -> set[str]:
    return {*concepts}.union(*(_above(item, edges) for item in concepts))


@given(EDGES, LISTS, LISTS, st.integers(1, 5))
def test_both_sides_include_all_broader_concepts(edges: list, gold: dict, lists: dict, k: int) -> None:
    gold = {d: cs for d, cs in gold.items() if cs} | {"d9": ["c0", "c7"]}
    broader = pd.DataFrame(edges or [("a", "b")], columns=["child", "parent"])
    corpus = _corpus(gold, {"d9": ["c1"], **lists}, broader=broader)
    asked = {"measures": "hP@k,hR@k,hF1@k", "by_concept": "yes", "k": k, "average": "both", **EXACT}
    result = kp.evaluate(corpus, **asked).frame.pivot_table(index="average", columns="measure", values="value")
    sides = [(_whole({"d9": ["c1"], **lists}.get(d, [])[:k], edges), _whole(cs, edges)) for d, cs in gold.items()]
    both, said, due = (np.array(n) for n in zip(*((len(a & b), len(a), len(b)) for a, b in sides), strict=True))
    with np.errstate(invalid="ignore"):
        macro = [np.nan_to_num(item).mean() for item in (both / said, both / due, 2 * both / (said + due))]
    micro = [both.sum() / said.sum(), both.sum() / due.sum(), 2 * both.sum() / (said.sum() + due.sum())]
    names = [f"hP@{k}", f"hR@{k}", f"hF1@{k}"]
    assert result.loc["macro", names].tolist() == pytest.approx(macro)
    assert result.loc["micro", names].tolist() == pytest.approx(micro)


def test_a_cycle_is_refused_by_name() -> None:
    rows = [("sea", "water"), ("water", "matter"), ("matter", "sea"), ("tide", "sea")]
    with pytest.raises(kp.InputError) as refused:
        _corpus({"d": ["tide"]}, {"d": ["sea"]}, broader=pd.DataFrame(rows, columns=["child", "parent"]))
    cycle = refused.value.found.removeprefix("a concept that is broader than itself: ").split(" → ")
    assert (len(cycle), cycle[0]) == (4, cycle[-1])
    assert {*pairwise(cycle)} == {*rows[:3]}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([(f"c{n}", f"c{n + 1}") for n in range(10_000)], "more than 100 levels above “c9900”"),
        ([(f"c{n}", f"c{(n + 1) % 90}") for n in range(90)], "→ … →"),
    ],
)
def test_long_chains_of_concepts_are_refused_briefly(rows: list[tuple[str, str]], found: str) -> None:
    with pytest.raises(kp.InputError, match=found) as refused:
        kp.load(gold={"d1": ["c1"]}, broader=pd.DataFrame(rows, columns=["child", "parent"]))
    assert len(str(refused.value)) < 300


def test_hierarchical_measures_need_a_hierarchy_and_concepts() -> None:
    broader = pd.DataFrame([("tide", "sea")], columns=["child", "parent"])
    for corpus, concepts in ((_corpus({"d": ["tide"]}, {"d": ["sea"]}), "yes"), (None, "no")):
        corpus = corpus or _corpus({"d": ["tide"]}, {"d": ["sea"]}, broader=broader)
        with pytest.raises(kp.UsageError, match="--broader"):
            kp.evaluate(corpus, measures="hP@1", by_concept=concepts)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("broader", "a,b\nx,y\n", "the columns child and parent"),
        ("broader", "child,parent\nx,\n", "line 2: expected child and parent in every row"),
        ("frequencies", "concept,n\nx,many\n", "line 2: expected a number of at least 0, found “many”"),
        ("frequencies", "concept,n\nx,1\ny,inf\n", "line 3: expected a number of at least 0, found “inf”"),
        ("frequencies", "concept,n\nx,1\nx,1\ny,2\nx,3\n", "one row per concept, found two numbers for “x”"),
    ],
)
def test_contradictory_tables_are_refused(tmp_path, name: str, text: str, words: str) -> None:
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    with pytest.raises(kp.InputError, match=words):
        _corpus({"d": ["tide"]}, {"d": ["sea"]}, **{name: str(tmp_path / "table.csv")})


@pytest.mark.parametrize(("columns", "documents"), [({"documents": [40, 40]}, 40), ({}, 10)])
def test_rarity_follows_from_loaded_frequencies(columns, documents):
    """The sea is in no document of the table; without its number of documents, they are as many as the sum of n."""
    table = pd.DataFrame({"concept": ["tide", "moon"], "n": [3, 7]}).assign(**columns)
    corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={"s": {"d": ["tide"]}}, frequencies=table)
    tide, sea = (1 + (np.log(documents) - 1) * 2.5**0.55 * (n + 1.5) ** -0.55 for n in (3, 0))
    assert value(corpus, "PSP@1") == pytest.approx(tide / sea, abs=1e-12)
