"""Candidates reach the measured share of the gold keyphrases of wiki20 within two points.

SemEval-2010, whose tagging takes minutes: `python -m benchmarks.extraction`, in benchmarks/lecture_systems.md.
"""

import pytest

from kp_core.extraction.coverage import coverage
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


def test_candidates_reach_the_measured_share_of_wiki20(shared):
    from benchmarks.extraction import wiki20

    shared("data/wiki20")
    table = [row for row in rows(shared("oracles/real/candidate_coverage.csv")) if row["data"] == "wiki20"]
    measured = {(row["tagger"], row["candidates"]): row for row in table}
    for kind, result in coverage(wiki20(), kinds=list(NAMED)).set_index("candidates").iterrows():
        expected = measured[NAMED[kind]]
        assert result["coverage"] == pytest.approx(float(expected["coverage"]), abs=0.02), kind
        if number := expected["candidates_per_document"]:
            assert result["candidates a document"] == pytest.approx(float(number), rel=0.005), kind
