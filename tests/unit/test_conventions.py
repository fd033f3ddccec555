"""The convention record: its defaults, its presets, and what each choice does to one small list."""

import pytest

import kp_core as kp
from tests.corpora import corpus_of, document_values, scored, value


def test_a_pipeline_without_a_step_is_called_none():
    assert kp.Settings(normalise="").normalise == kp.Settings(normalise="none").normalise == "none"


SHORT = corpus_of({"d": ["a", "b"]}, {"s": {"d": ["a", "x", "b"]}})


@pytest.mark.parametrize(("rule", "whole"), [("k", 3), ("returned", 3), ("min(k,gold)", 2)])
def test_cutoffs_by_document_keep_the_denominator(rule, whole):
    found = scored(SHORT, ["P@M", "P@O", "F1@M", "F1@O", "Rprec"], denominator=rule)["value"].tolist()
    assert found == pytest.approx([2 / whole, 0.5, 2 * 2 / (whole + 2), 0.5, 0.5])
    assert value(SHORT, "F1@G") == pytest.approx(2 * 2 / (3 + 2))


HOLES = corpus_of({"d1": ["a"], "d2": [], "d3": ["b"], "d4": []}, {"s": {"d1": ["a"], "d2": ["x"], "d4": []}})


def test_a_missing_list_may_be_refused():
    with pytest.raises(
        kp.InputError, match=r"system 's': expected a list for every document.*found no list for 1 of 4"
    ):
        scored(HOLES, "F1@1", missing="error")


def test_statuses_of_documents():
    found = document_values(HOLES, "F1@1").set_index("document")["status"].to_dict()
    assert found == {"d1": "ok", "d2": "gold_empty", "d3": "missing_document", "d4": "gold_empty"}


def test_filters():
    listed = ["graphs , nodes", "<unk> key", "e.g. this", "end .", "one", "two", "one", "two words"]
    corpus = corpus_of({"d": ["one", "two", "two words"]}, {"s": {"d": listed}})
    expected = {"none": [7, 3], "invalid-tokens": [4, 3], "one-word": [6, 2], "invalid-tokens,one-word": [3, 2]}
    for rule, numbers in expected.items():
        row = document_values(corpus, "hits@10", filter=rule).iloc[0]
        assert row[["returned", "hits"]].tolist() == numbers


def test_stemmed_gold_is_not_stemmed_again():
    corpus = corpus_of({"d": ["univers"]}, {"s": {"d": ["universities"]}})
    assert value(corpus, "hits@1", gold_stemmed="no") == 0  # stemmed once more, univers becomes univ
    assert value(corpus, "hits@1", gold_stemmed="yes") == 1
