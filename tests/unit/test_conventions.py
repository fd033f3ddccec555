"""The convention record: its defaults, its presets, and what each choice does to one small list."""

import pytest

import kp_core as kp
from kp_core.conventions import FIELDS
from tests.corpora import corpus_of, document_values, scored, value


def test_a_pipeline_without_a_step_is_called_none():
    assert kp.Conventions("").normalise == kp.Conventions("none").normalise == "none"


REPEATS = corpus_of({"d": ["key", "lock", "door"]}, {"s": {"d": ["key", "keys", "lock", "x", "doors"]}})


@pytest.mark.parametrize(
    ("rule", "hits", "returned", "duplicates"),
    [("before", 2, 3, 1), ("after", 2, 2, 1), ("keep", 2, 3, 1), ("count", 3, 3, 1)],
)
def test_duplicates(rule, hits, returned, duplicates):
    row = document_values(REPEATS, "P@k", 3, duplicates=rule).iloc[0]
    assert row[["hits", "returned", "duplicates"]].tolist() == [hits, returned, duplicates]


def test_a_kept_duplicate_keeps_its_rank():
    found = {rule: value(REPEATS, "MAP", duplicates=rule) for rule in ("before", "keep", "count")}
    assert found["before"] == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert found["keep"] == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert found["count"] == pytest.approx((1 + 1 + 1 + 4 / 5) / 3)


SHORT = corpus_of({"d": ["a", "b"]}, {"s": {"d": ["a", "x", "b"]}})


@pytest.mark.parametrize("rule", ["k", "returned", "min(k,gold)"])
def test_cutoffs_by_document_bring_their_own_denominator(rule):
    found = scored(SHORT, ["P@M", "P@O", "F1@M", "F1@O", "Rprec"], denominator=rule)["value"].tolist()
    assert found == pytest.approx([2 / 3, 0.5, 0.8, 0.5, 0.5])


def test_f1_at_the_larger_of_gold_size_and_list_length():
    short = corpus_of({"d": ["a", "b", "c", "d"]}, {"s": {"d": ["a", "x"]}})
    assert value(short, "F1@G") == pytest.approx(2 * 1 / (4 + 4))
    assert value(SHORT, "F1@G") == pytest.approx(2 * 2 / (3 + 2))


def test_an_empty_list_has_precision_zero_and_a_status():
    corpus = corpus_of({"d": ["a"]}, {"s": {"d": []}})
    for rule in ("k", "returned", "min(k,gold)"):
        row = document_values(corpus, "P@k", 3, denominator=rule).iloc[0]
        assert (row["value"], row["status"], row["returned"]) == (0, "system_empty", 0)
    assert scored(corpus, ["P@M", "F1@M", "MAP", "MRR", "nDCG"])["value"].tolist() == [0] * 5


HOLES = corpus_of({"d1": ["a"], "d2": [], "d3": ["b"], "d4": []}, {"s": {"d1": ["a"], "d2": ["x"], "d4": []}})


@pytest.mark.parametrize(
    ("missing", "empty_gold", "mean", "documents"),
    [
        ("zero", "skip", 1 / 2, 2),
        ("skip", "skip", 1, 1),
        ("zero", "zero", 1 / 4, 4),
        ("skip", "zero", 1 / 3, 3),
        ("zero", "one-if-empty", 2 / 4, 4),
        ("skip", "one-if-empty", 2 / 3, 3),
    ],
)
def test_documents_without_gold_or_without_a_list(missing, empty_gold, mean, documents):
    for measure in ("F1@1", "R@1", "MAP", "nDCG", "Rprec"):
        row = scored(HOLES, measure, missing=missing, empty_gold=empty_gold).iloc[0]
        assert (row["value"], row["documents"], row["undefined"]) == (pytest.approx(mean), documents, 4 - documents)


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
    found = {rule: document_values(corpus, "hits@10", filter=rule).iloc[0] for rule in FIELDS["filter"].values}
    assert {rule: (row["returned"], row["hits"]) for rule, row in found.items()} == {
        "none": (7, 3),
        "invalid-tokens": (4, 3),
        "one-word": (6, 2),
        "invalid-tokens,one-word": (3, 2),
    }


def test_stemmed_gold_is_not_stemmed_again():
    corpus = corpus_of({"d": ["univers"]}, {"s": {"d": ["universities"]}})
    assert value(corpus, "hits@1", gold_stemmed="no") == 0  # stemmed once more, univers becomes univ
    assert value(corpus, "hits@1", gold_stemmed="yes") == 1
