"""Ranked lists against gold items: order, ties, cutoffs, and the effect of each convention on a small list."""

from dataclasses import replace

import pytest

import kp_core as kp
from kp_core.corpus import Ranking
from kp_core.studies.document_values import phrases_of
from tests.corpora import corpus_of, document_values, scored, settings, value


def order(listed, scores, higher=True, **conventions):
    """Return the order in which the phrases count: each is the gold standard of a document with the same list."""
    gold, runs = {p: [p] for p in listed}, {"s": dict.fromkeys(listed, listed)}
    corpus = corpus_of(gold, runs, scores={"s": dict.fromkeys(listed, scores)}, higher=higher)
    result = document_values(corpus, "MRR", **({"normalise": "none"} | conventions))
    return result.sort_values("value", ascending=False)["document"].tolist()


@pytest.mark.parametrize(
    ("listed", "scores", "options", "expected"),
    [
        (["b", "c", "a"], [0.5, 0.9, 0.5], {}, ["c", "b", "a"]),  # equal scores: in the order of the file
        (["a", "Z", "é", "z", "漢"], [1.0] * 5, {"ties": "trec"}, ["漢", "é", "z", "a", "Z"]),  # or by bytes, downwards
        (["Bees", "ants"], [1.0, 1.0], {"ties": "trec"}, ["ants", "Bees"]),
        (["Bees", "ants"], [1.0, 1.0], {"ties": "trec", "normalise": "lower"}, ["Bees", "ants"]),  # of the normalised
        (["a", "b", "c"], [0.1, 0.5, 0.1], {"ties": "trec", "higher": False}, ["c", "a", "b"]),
        (["a", "b"], [1.0, 1.0 + 1e-12], {"ties": "trec"}, ["b", "a"]),  # compared in double precision
    ],
)
def test_order_of_a_list_with_scores(listed, scores, options, expected):
    assert order(listed, scores, **options) == expected


def test_scores_tie_only_if_they_rank_the_list():
    by_score = corpus_of({"d": ["a"]}, {"s": {"d": ["a", "b"]}}, scores={"s": {"d": [1.0, 1.0]}})
    by_rank = replace(by_score, rankings={"s": Ranking("rank")})
    assert [value(corpus, "P@1", ties="expected") for corpus in (by_score, by_rank)] == [0.5, 1.0]


CURVE = corpus_of(
    {"d1": ["a", "b", "c"], "d2": ["a"], "d3": []}, {"s": {"d1": ["x", "a", "b"], "d2": ["a"], "d3": ["x"]}}
)


def test_many_cutoffs_equal_single_cutoffs():
    measures = ["P@k", "R@k", "F1@k", "MAP@k", "MRR@k", "nDCG@k", "success@k", "kappa", "P_pos"]
    at_once = scored(CURVE, measures, "7,1-3,all,gold,2", universe=30)
    for k in (7, 1, 2, 3, "all", "gold"):
        alone = scored(CURVE, measures, k, universe=30)["value"].tolist()
        assert at_once[at_once["k"] == k]["value"].tolist() == pytest.approx(alone, abs=1e-15, nan_ok=True), k


def test_one_document_marks_every_phrase():
    corpus = corpus_of(
        {"d": [["quality of service", "service quality"], "key"]},
        {"s": {"d": ["service quality", "x", "keys", "key", "quality of service", "y", "z"]}},
    )
    view = kp.one_document(corpus, settings(3), document="d")
    table = view.lists["s"]
    assert table["mark"].tolist() == ["hit", "miss", "hit", "repeated", "again", "miss", "miss"]
    assert table["counts"].tolist() == [True, True, True, False, False, False, False]
    assert view.gold["phrase"].tolist() == ["quality of service", "key"]
    assert view.gold["found"].tolist() == [("s",), ("s",)]
    assert view.gold["votes"].tolist() == [1, 1]
    with pytest.raises(kp.UsageError, match="no document 'nope'"):
        kp.one_document(corpus, settings(3), document="nope")


@pytest.mark.parametrize(("beyond", "expected"), [(0, ["tide", "z", "sea"]), (1, ["tide", "z", "x", "sea"])])
def test_phrases_of_a_document_within_the_cutoff_come_first(beyond, expected):
    corpus = corpus_of({"d": ["tide", "sea"]}, {"a": {"d": ["tide", "x"]}, "b": {"d": ["z", "sea"]}})
    view = kp.one_document(corpus, settings(1), document="d")
    assert [phrase.phrase for phrase in phrases_of(view, settings(1), beyond)] == expected


HOLES = corpus_of({"d1": ["a"], "d2": [], "d3": ["b"], "d4": []}, {"s": {"d1": ["a"], "d2": ["x"], "d4": []}})


def test_a_missing_list_may_be_refused():
    with pytest.raises(
        kp.InputError, match=r"system 's': expected a list for every document.*found no list for 1 of 4"
    ):
        scored(HOLES, "F1@1", missing="error")


def test_statuses_of_documents():
    result = document_values(HOLES, "F1@1").set_index("document")["status"].to_dict()
    assert result == {"d1": "ok", "d2": "gold_empty", "d3": "missing_document", "d4": "gold_empty"}


def test_documents_without_gold_are_counted_and_named():
    corpus = corpus_of({"d1": ["a"], "d2": [], "d3": []}, {"s": {"d1": ["a"], "d2": ["b"], "d3": ["c"]}})
    result = kp.evaluate(corpus, k=1, measures="F1@k", interval="none")
    assert result.frame[["value", "documents", "undefined"]].values.tolist() == [[1.0, 1, 2]]
    said = "2 of 3 documents have no keyphrase, left out, and counted as “undefined”: d2, d3"
    assert said in [note.message for note in result.notes]
    assert value(corpus, "F1@1", empty_gold="zero") == pytest.approx(1 / 3)
