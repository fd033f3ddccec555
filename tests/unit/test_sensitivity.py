"""Sensitivity and rankings on lists that can be counted by hand, and the charts that show them."""

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.studies.sensitivity import Sensitivity, sensitivities
from kp_core.studies.stability import ranks
from tests.corpora import corpus_of

ONE, TWO = "<b>one</b>", "two"
#: At k = 2, two repeats its hit: before the cut the leaf takes its place, kept it is a miss, counted it hits again.
#: Every phrase has two words, so that the filter of preset chan keeps it.
GOLD = {"d1": ["oak tree", "oak leaf"], "d2": ["red sun", "red moon"]}
RUNS = {
    ONE: {"d1": ["oak tree", "grey stone"], "d2": ["red sun", "red moon"]},
    TWO: {"d1": ["oak tree", "oak tree", "oak leaf"], "d2": ["red sun", "red moon"]},
    "three": {"d1": ["grey stone"], "d2": []},
}


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return corpus_of(GOLD, RUNS)


@pytest.fixture(scope="module")
def sensitivity(corpus: kp.Corpus) -> Sensitivity:
    return kp.sensitivity(corpus, measure="P@k", k=2)


def test_rank_reversal_names_smallest_change_and_excludes_ties(sensitivity: Sensitivity) -> None:
    assert sensitivity.rank_reversals.empty  # under keep both have 3/4
    # At k = 3 every list of one is shorter, so that only the denominator puts it ahead: 1 against 2/3.
    short = {"d1": ["oak tree"], "d2": ["red sun"]}
    runs = {ONE: short, TWO: {"d1": ["oak tree", "x y", "oak leaf"], "d2": ["red sun", "y z", "red moon"]}}
    (turn,) = kp.sensitivity(corpus_of(GOLD, runs), measure="P@k", k=3).rank_reversals.itertuples(index=False)
    assert (turn.a, turn.b, turn.settings, turn.tied) == (TWO, ONE, 72, 0)
    assert turn.example == {"denominator": "returned"}
    assert turn.presets == ("jcdl20", "pke", "opennmt-kpg")


def test_ranks_and_tau_by_hand(corpus: kp.Corpus) -> None:
    nan = np.nan
    table = np.array([[0.3, 0.3, 0.1, nan], [0.1, 0.2, 0.1 + 1e-17, 0.4]])
    np.testing.assert_array_equal(ranks(table), [[1.5, 1.5, 3, nan], [3.5, 2, 3.5, 1]])
    tied = kp.stability(corpus_of(GOLD, dict.fromkeys("ab", RUNS[ONE])), by="k", views=[1, 2])
    assert tied.pairs["reason"].tolist() == ["all_tied"]
    result = kp.stability(corpus, by="measure", views=["P@k", "MRR", "bpref"], k=2)
    assert result.frame["rank"].tolist()[:6] == [2, 1, 3, 1.5, 1.5, 3]
    assert result.frame["rank"].isna().tolist()[6:] == [True] * 3
    # P orders three pairs, MRR two of them in the same way: 2 / sqrt(3 · 2).
    assert result.pairs["tau"].tolist()[0] == pytest.approx(2 / 6**0.5)
    assert result.pairs["reason"].fillna("").tolist() == ["", "few_systems", "few_systems"]
    assert result.pairs["systems"].tolist() == [3, 0, 0]
    matrix = result.matrix()
    assert matrix.loc["MRR", "P@k"] == matrix.loc["P@k", "MRR"] == pytest.approx(2 / 6**0.5)


def test_all_cutoffs_at_once_are_each_cutoff_alone(lectures: kp.Corpus) -> None:
    every = sensitivities(lectures, kp.Settings(k="2,5,gold"), "F1@k")
    for cutoff in (5, "gold"):
        alone, result = kp.sensitivity(lectures, measure="F1@k", k=cutoff), every.at(cutoff)
        pd.testing.assert_frame_equal(result.frame, alone.frame, rtol=1e-12)
        pd.testing.assert_frame_equal(result.rank_reversals, alone.rank_reversals)
        assert (result.signature, result.measure) == (alone.signature, alone.measure)


def test_spread_and_rankings_accept_means_over_subjects(corpus: kp.Corpus) -> None:
    values = kp.evaluate(corpus, measures="F1@k", k=2, average="subject").frame["value"].tolist()
    assert kp.sensitivity(corpus, measure="F1@k", k=2, average="subject").ranges["current"].tolist() == values
    assert kp.stability(corpus, by="k", views=[2], average="subject").frame["value"].tolist() == values


def test_head_to_head_uses_universe_of_all_systems() -> None:
    lists = {"a": ["tide", "sky", "sea"], "b": ["moon", "sea"], "c": ["ebb", "reef", "cliff", "sand", "foam", "gull"]}
    corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={name: {"d": phrases} for name, phrases in lists.items()})
    result = kp.head_to_head(corpus, measure="kappa", k="gold", a="a", b="b", interval="none")
    assert result.phrases[["keyphrase", "found by"]].to_numpy().tolist() == [["tide", "a"], ["sea", "b"]]
    values = kp.evaluate(corpus, measures="kappa", k="gold", interval="none").frame["value"].tolist()
    assert result.by_document[["a", "b"]].to_numpy().tolist() == [values[:2]]
    with pytest.raises(kp.UsageError, match="'a' is compared with itself"):
        kp.head_to_head(corpus, a="a", b="a")


def test_two_systems_side_by_side_by_hand() -> None:
    gold = {"d1": ["tide", "sea"], "d2": ["moon"]}
    systems = {"a": {"d1": ["tide", "sky"], "d2": ["moon"]}, "b": {"d1": ["sea", "tide"], "d2": ["sun"]}}
    result = kp.head_to_head(kp.load(gold=gold, systems=systems), k=2, a="a", b="b")
    row = result.frame.set_index("k").loc[2]
    assert row["difference"] == pytest.approx((1 / 2 - 1) / 2 + (2 / 3 - 0) / 2)
    assert row["low"] < row["difference"] < row["high"]
    assert result.wins_ties_losses == (1, 0, 1)
    assert result.by_document["document"].tolist() == ["d2", "d1"]  # the largest difference first
    rows = result.phrases[["document", "keyphrase", "found by"]].to_numpy().tolist()
    assert sorted(rows) == [["d1", "sea", "b"], ["d2", "moon", "a"]]
    assert result.stayed == pytest.approx((1 / 2 + 0) / 2)  # of the phrases of a, b lists tide
