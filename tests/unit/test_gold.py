"""The entries of the annotators become the gold items of a document."""

import pytest

import kp_core as kp
from tests.cases import cases
from tests.corpora import corpus_of, document_values, scored, settings

CASES = cases(__file__)

THREE = {
    "Ann": {"d1": ["tide", "moon", "wave"], "d2": ["key"]},
    "Bob": {"d1": ["tides", "moon"], "d2": []},
    "Cid": {"d1": ["tide", "sea"]},
}


def items(corpus, annotators="union", document="d", **conventions):
    """Return [(spellings, grade), ...] of the relevant items of a document."""
    gold = kp.one_document(corpus, settings(1, annotators=annotators, **conventions), document=document).gold
    return list(zip(gold["spellings"], gold["grade"], strict=True))


def phrases(corpus, annotators="union", document="d", **conventions):
    return [" / ".join(spelled) for spelled, _ in items(corpus, annotators, document, **conventions)]


@pytest.mark.parametrize(("annotators", "first", "second"), CASES["choices"])
def test_choices_of_gold(annotators, first, second):
    """All spellings of an item are shown, whoever wrote them."""
    assert phrases(corpus_of(THREE), annotators, "d1") == first
    assert phrases(corpus_of(THREE), annotators, "d2") == second


def test_annotators_vote_only_on_documents_they_saw():
    one, two = {"Ann": {"d": ["x"]}, "Bob": {"d": [], "e": ["y"]}}, {"Ann": {"d": ["x"]}, "Bob": {"e": ["y"]}}
    for choice in ("intersection", "majority"):
        assert phrases(corpus_of(one), choice) == []  # Bob saw it and chose nothing
        assert phrases(corpus_of(two), choice) == ["x"]  # Bob never saw it


def test_votes_are_grades():
    result = items(corpus_of(THREE), "votes", "d1")
    assert result == [(("tide", "tides"), 3), (("moon",), 2), (("wave",), 1), (("sea",), 1)]
    assert phrases(corpus_of(THREE), "votes", "d1", rel=2) == ["tide / tides", "moon"]
    repeated = corpus_of({"Ann": {"d": ["tide", "tides", "Tide"]}, "Bob": {"d": ["tide"]}})
    assert items(repeated, "votes") == [(("tide", "tides", "Tide"), 2)]  # each annotator votes once
    given = corpus_of({"Ann": {"d": ["x", "y"]}, "Bob": {"d": ["x"]}}, grades={"d": {"x": 5, "y": 2}})
    assert items(given, "votes") == [(("x",), 5), (("y",), 2)]  # grades in the file win


def test_highest_grade_counts_and_missing_grade_is_one():
    corpus = corpus_of({"d": ["tide", "tides", "sea"]}, grades={"d": {"tide": 1, "tides": 3}})
    assert items(corpus) == [(("tide", "tides"), 3), (("sea",), 1)]


@pytest.mark.parametrize(("lists", "expected"), CASES["average_sizes"])
def test_average_gold_size(lists, expected):
    corpus = corpus_of(lists, {"s": {"d": ["a"]}})
    assert set(scored(corpus, "P@k")["k"]) == {expected}
    rejected = corpus_of({"d": ["a", "b", "c"]}, {"s": {"d": ["a"]}}, grades={"d": {"a": 1, "b": 0, "c": 0}})
    assert set(scored(rejected, "P@k")["k"]) == {1}


def test_an_annotator_called_like_a_choice_is_refused():
    with pytest.raises(kp.InputError, match="annotator 'union': expected another name"):
        phrases(corpus_of({"union": {"d": ["x"]}, "B": {"d": ["y"]}}))


def test_phrase_normalized_to_nothing_keeps_its_spelling():
    corpus = corpus_of({"d": ["...", "***"]}, {"s": {"d": ["***", "!!!"]}})
    assert document_values(corpus, "hits@2", normalise="lower+space+punct-strip")["hits"].tolist() == [1]


def test_item_spelled_alike_twice_matches_once():
    """Otherwise `duplicates=count` with `hits_as=gold` would count it twice, and P would exceed 1."""
    corpus = kp.load(gold={"d": ["aa", "bb", "AA"]}, systems={"s": {"d": ["aa", "AA", "cc"]}})
    options = {"duplicates": "count", "hits_as": "gold", "interval": "none"}
    frame = kp.evaluate(corpus, k=3, measures=["P@3", "MAP"], **options).frame
    assert frame["value"].tolist() == pytest.approx([2 / 3, 1.0])
