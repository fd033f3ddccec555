"""The texts on methods: every written example ends in the value of its measure, and the glossary is sorted."""

import re

import pandas as pd
import pytest

import kp_core as kp
from kp_core.scoring.measures import MEASURES, OF_PEOPLE, of_systems
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.takeaway import methods

WORKED = {name: one.example for name, one in {**MEASURES, **SIMILARITIES}.items() if one.example}


@pytest.fixture(scope="module")
def computed() -> dict[str, float]:
    """The value of every measure for the document and the pair of the example."""
    table = methods.EXAMPLE_TABLE
    graded = table.melt("phrase", [name for name in table if name.startswith("annotator")], "annotator", "relevance")
    graded = graded[graded["relevance"] != "–"].assign(doc_id="d").astype({"relevance": int})
    listed = table[table["rank"] != "–"].astype({"rank": int}).sort_values("rank")["phrase"]
    alike = [("evaluation", "human agreement", 0.5), ("main result", "first step", 0.5)]
    corpus = kp.load(
        gold=graded,
        systems={"system": {"d": listed.tolist()}},
        documents={"d": "Keyphrase extraction needs a gold standard and an evaluation."},
        similar=pd.DataFrame(alike, columns=["a", "b", "score"]),
    )
    people = [name for name, item in MEASURES.items() if item.family in OF_PEOPLE]
    # Of concepts that nothing is broader than, hierarchical measures are the plain ones.
    alone = kp.load(
        gold=graded.assign(concept=graded["phrase"]),
        systems={"system": pd.DataFrame({"doc_id": "d", "phrase": listed, "concept": listed})},
        broader=pd.DataFrame([("child", "parent")], columns=["child", "parent"]),
    )
    broad = [name for name, item in MEASURES.items() if item.family == "hierarchy"]
    extended = kp.evaluate(alone, k=5, measures=broad, by_concept="yes", interval="none").frame
    scored = [name for name in of_systems(vocabulary=True) if name not in broad]
    values = kp.evaluate(corpus, k=5, measures=scored, universe=20, interval="none", average="macro").frame["value"]
    agreed = kp.agreement(corpus, measures=people, universe=20, interval="none", average="micro").frame
    agreed = agreed[(agreed["system"] == "all") & (agreed["subset"] == "all")]
    pair = kp.similarity([methods.PAIR], [name for name in SIMILARITIES if name in WORKED])
    values = pd.concat([values, extended["value"], agreed["value"], pair["value"]])
    return dict(zip([*scored, *broad, *people, *pair["measure"]], values, strict=True))


@pytest.mark.parametrize("name", WORKED)
def test_written_example_ends_in_measured_value(name: str, computed: dict[str, float]) -> None:
    sign, written = re.search(r"([=≈:]) (−?[\d.]+)$", WORKED[name]).groups()
    assert round(computed[name], 4) == float(written.replace("−", "-"))
    assert (sign == "≈") == (abs(round(computed[name], 4) - computed[name]) > 1e-9)


def test_every_declared_measure_has_its_function() -> None:
    assert [name for name, card in (kp.MEASURES | kp.SIMILARITIES).items() if card is None] == []


def test_only_context_measures_lack_an_example() -> None:
    without = {"context", "given", "combined", "random"}
    assert set(WORKED) == {*MEASURES, *SIMILARITIES} - without
