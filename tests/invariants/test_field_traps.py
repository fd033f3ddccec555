"""Mistakes that published evaluation code has made: each one is a test that KPScope does not make it."""

import numpy as np
import pytest

import kp_core as kp
from tests.corpora import corpus_of, document_values, scored, value


def test_the_ideal_ranking_is_built_from_the_gold_not_from_what_was_returned():
    gold = [f"k{i}" for i in range(10)]
    corpus = corpus_of({"d": gold}, {"s": {"d": ["k0", "x", "y"]}})
    right = 1 / sum(1 / np.log2(i + 1) for i in range(1, 11))
    assert value(corpus, "nDCG@10", normalise="none") == pytest.approx(right, abs=1e-12)
    assert round(right, 4) == 0.2201
    assert value(corpus, "nDCG@10", normalise="none", ideal="returned") == 1  # the mistake, for who must repeat it


def test_predictions_found_in_the_text_are_not_moved_before_the_others():
    corpus = corpus_of(
        {"d": ["tidal wave", "moon"]},
        {"s": {"d": ["not there", "tidal wave", "moon"]}},
        texts={"d": "A tidal wave follows the moon."},
    )
    assert value(corpus, "Rprec") == 0.5
    moved = corpus_of({"d": ["tidal wave", "moon"]}, {"s": {"d": ["tidal wave", "moon", "not there"]}})
    assert value(moved, "Rprec") == 1


def test_a_keyphrase_inside_a_longer_word_is_no_hit():
    corpus = corpus_of({"d": ["cat"]}, {"s": {"d": ["concatenated", "cat flap"]}}, texts={"d": "concatenated lists"})
    assert value(corpus, "hits@2") == 0
    # and the text does not hold it: three 1- and 2-grams, `cat` and `cat flap` beside them
    assert value(corpus, "N", 2, universe="ngrams:2") == 3 + 2


def test_a_cut_list_keeps_its_order():
    phrases = ["good", *(f"filler {i}" for i in range(50)), "late"]
    corpus = corpus_of({"d": ["good", "late"]}, {"s": {"d": [*phrases, "good"]}})
    assert scored(corpus, ["P@5", "F1@5", "MRR"])["value"].tolist() == pytest.approx([1 / 5, 2 / 7, 1.0])


def test_macro_f1_is_the_mean_of_f1_not_the_f1_of_two_means():
    corpus = corpus_of({"d1": ["a"], "d2": [f"k{i}" for i in range(9)]}, {"s": {"d1": ["a"], "d2": ["x"]}})
    assert value(corpus, "F1@1", average="macro") == 0.5  # 1 and 0
    assert value(corpus, "F1@1", average="f-of-means") == pytest.approx(0.5)  # P = R = .5: here they agree
    corpus = corpus_of({"d1": ["a", "b", "c"], "d2": ["d"]}, {"s": {"d1": ["a"], "d2": ["d"]}})
    assert value(corpus, "F1@1", average="macro") == pytest.approx((0.5 + 1) / 2)
    assert value(corpus, "F1@1", average="f-of-means") == pytest.approx(2 * 1 * (2 / 3) / (1 + 2 / 3))


def test_a_repeated_prediction_is_one_hit():
    corpus = corpus_of({"d": ["key", "lock"]}, {"s": {"d": ["key", "keys", "Key"]}})
    for rule in ("before", "after", "keep"):
        assert value(corpus, "hits@3", duplicates=rule) == 1
    assert value(corpus, "R@3", duplicates="count") == 1.5  # the mistake, for who must repeat it


@pytest.mark.parametrize("rule", ["before", "after", "keep", "count"])
def test_a_repeated_prediction_is_one_choice_in_every_table(rule):
    corpus = corpus_of({"d": ["key", "lock"]}, {"s": {"d": ["key", "keys", "door"]}})
    found = scored(
        corpus, ["a", "b", "c", "d", "N"], 2, universe=9, duplicates=rule, gold_list="listed", hits_as="gold"
    )
    assert found["value"].tolist() == [1, 1, 1, 6, 9]


def test_documents_without_gold_are_counted_and_named_when_they_are_left_out():
    corpus = corpus_of({"d1": ["a"], "d2": [], "d3": []}, {"s": {"d1": ["a"], "d2": ["b"], "d3": ["c"]}})
    result = kp.evaluate(corpus, k=1, measures="F1@k", interval="none")
    assert result.frame[["value", "documents", "undefined"]].values.tolist() == [[1.0, 1, 2]]
    said = "2 of 3 documents have no keyphrase, left out, so that they count among “undefined”: d2, d3"
    assert said in [note.message for note in result.notes]
    assert value(corpus, "F1@1", empty_gold="zero") == pytest.approx(1 / 3)


def test_recall_of_a_missing_document_is_not_dropped_from_the_mean():
    corpus = corpus_of({"d1": ["a"], "d2": ["b"]}, {"s": {"d1": ["a"]}})
    assert value(corpus, "R@1") == 0.5
    assert document_values(corpus, "R@1")["status"].tolist() == ["ok", "missing_document"]
