"""Candidates reach the measured share of the gold keyphrases of two public data sets within two points.

Rows that need no tags on all 99 papers of SemEval-2010, tagged rows on wiki20 (a quarter of a minute of tagging); all
rows of both sets: `python -m benchmarks.extraction`, in benchmarks/lecture_systems.md.
"""

import pytest

import kp_core as kp
from kp_core.extraction.coverage import KINDS, coverage
from tests.cases import rows

pytestmark = pytest.mark.published

#: Kind of candidates → how the expected rows name it.
NAMED = {
    "NBAR": ("HanTa + repair", "NBAR, maximal"),
    "NBAR and NBAR IN NBAR": ("HanTa + repair", "NBAR + NBAR IN NBAR, maximal"),
    "the same with suffixes": ("HanTa + repair", "NBAR + NBAR IN NBAR, suffixes"),
    "the same with all sub-spans": ("HanTa + repair", "NBAR + NBAR IN NBAR, all sub-spans"),
    "runs of 1 to 3 words": ("none", "all 1..3-grams of words"),
    "any place inside a sentence": ("any", "contiguous in a sentence of the text"),
}


def expected(shared, data):
    table = [row for row in rows(shared("oracles/real/candidate_coverage.csv")) if row["data"] == data]
    measured = {(row["tagger"], row["candidates"]): row for row in table}
    return {kind: measured[named] for kind, named in NAMED.items()}


def assert_close(table, measured):
    for kind, result in table.set_index("candidates").iterrows():
        assert result["coverage"] == pytest.approx(float(measured[kind]["coverage"]), abs=0.02), kind
        if number := measured[kind]["candidates_per_document"]:
            assert result["candidates a document"] == pytest.approx(float(number), rel=0.005), kind


def test_semeval_without_tags(shared):
    folder = shared("data/semeval2010")
    gold = folder / "references" / "test.combined.stem.json"
    corpus = kp.load(gold, documents=folder / "test_documents_liaad.zip")
    kinds = [kind for kind in NAMED if KINDS[kind] is None]
    assert_close(coverage(corpus, gold_stemmed=True, kinds=kinds), expected(shared, "semeval2010"))


def test_wiki20(shared):
    from benchmarks.extraction import wiki20

    shared("data/wiki20")
    assert_close(coverage(wiki20(), kinds=list(NAMED)), expected(shared, "wiki20"))
