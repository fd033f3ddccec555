"""A corpus extended by nothing is the same; extended by files it holds both, ids settled together."""

from dataclasses import replace

import pandas as pd
import pytest

import kp_core as kp
from kp_core.corpus import COLUMNS
from kp_core.reading import Source
from kp_core.takeaway.extend import extended
from tests.unit.test_workspace_file import AWKWARD


@pytest.mark.parametrize("made", AWKWARD.values(), ids=AWKWARD)
def test_extended_by_nothing_it_is_the_same(made):
    corpus = made()
    again = extended(corpus, [])
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(again, name), getattr(corpus, name))
    assert list(again.rankings.items()) == list(corpus.rankings.items())
    assert replace(again.report, rejected=None, notes=()) == replace(corpus.report, rejected=None, notes=())


def test_a_system_joins_and_a_fix_makes_its_ids_meet():
    corpus = kp.load({"d1": ["tide"], "d2": ["moon"]}, {"a": {"d1": [("tide", 0.1), ("sea", 0.2)], "d2": [("sun", 1)]}})
    file = Source("b.csv", b"doc_id,rank,keyphrase\nd1.txt,1,sea\nd2.txt,1,moon\n")
    both = extended(corpus, [file], {"b.csv": kp.reading.Choice(role="system")}, ["strip-extension"])
    assert both.systems == ["a", "b"]
    assert not both.rankings["a"].higher_is_better
    assert [reading.file for reading in both.report.readings][-1] == "b.csv"
    assert both.report.fixes == ("strip-extension",)
    found = kp.evaluate(both, k=1, measures="P@k", interval="none")
    assert found.frame["value"].tolist() == [0.5, 0.5]
    assert "|fix:strip-extension|" in found.signature
