"""Mistakes that published evaluation code has made: each test checks that KPScope avoids one."""

import pytest

import kp_core as kp
from tests.corpora import corpus_of, scored, value


def test_present_predictions_keep_their_rank():
    corpus = corpus_of(
        {"d": ["tidal wave", "moon"]},
        {"s": {"d": ["not there", "tidal wave", "moon"]}},
        texts={"d": "A tidal wave follows the moon."},
    )
    assert value(corpus, "Rprec") == 0.5
    moved = corpus_of({"d": ["tidal wave", "moon"]}, {"s": {"d": ["tidal wave", "moon", "not there"]}})
    assert value(moved, "Rprec") == 1


def test_keyphrase_inside_longer_word_is_no_hit():
    corpus = corpus_of({"d": ["cat"]}, {"s": {"d": ["concatenated", "cat flap"]}}, texts={"d": "concatenated lists"})
    assert value(corpus, "hits@2") == 0
    # and the text does not hold it: three 1- and 2-grams, `cat` and `cat flap` beside them
    assert value(corpus, "N", 2, universe="ngrams:2") == 3 + 2


def test_cut_list_keeps_order():
    phrases = ["good", *(f"filler {i}" for i in range(50)), "late"]
    corpus = corpus_of({"d": ["good", "late"]}, {"s": {"d": [*phrases, "good"]}})
    assert scored(corpus, ["P@5", "F1@5", "MRR"])["value"].tolist() == pytest.approx([1 / 5, 2 / 7, 1.0])


@pytest.mark.parametrize("rule", ["before", "after", "keep", "count"])
def test_repeated_prediction_counts_once_in_concordance_tables(rule):
    corpus = corpus_of({"d": ["key", "lock"]}, {"s": {"d": ["key", "keys", "door"]}})
    result = scored(
        corpus, ["a", "b", "c", "d", "N"], 2, universe=9, duplicates=rule, gold_list="listed", hits_as="gold"
    )
    assert result["value"].tolist() == [1, 1, 1, 6, 9]


def test_documents_without_gold_are_counted_and_named():
    corpus = corpus_of({"d1": ["a"], "d2": [], "d3": []}, {"s": {"d1": ["a"], "d2": ["b"], "d3": ["c"]}})
    result = kp.evaluate(corpus, k=1, measures="F1@k", interval="none")
    assert result.frame[["value", "documents", "undefined"]].values.tolist() == [[1.0, 1, 2]]
    said = "2 of 3 documents have no keyphrase, left out, and counted as “undefined”: d2, d3"
    assert said in [note.message for note in result.notes]
    assert value(corpus, "F1@1", empty_gold="zero") == pytest.approx(1 / 3)
