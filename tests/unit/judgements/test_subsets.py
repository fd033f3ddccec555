"""Subsets by length and label, the paper's grouping, the guard against pooling, and the threshold helper."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score, roc_curve

from kp_core.judgements import human, subsets
from kp_core.judgements.threshold import threshold


def test_labels_stand_in_the_order_of_the_field_and_gaps_are_in_no_subset():
    labels = pd.DataFrame(
        {"location": ["Head", "First+Head", "First", "", None], "group": ["z", "a", "a", "z", "a"]},
        index=[9, 8, 7, 6, 5],
    )
    found = {subset.name: subset.used.tolist() for subset in subsets.subsets(5, labels=labels)}
    assert list(found) == ["all", "location:First", "location:Head", "location:First+Head", "group:a", "group:z"]
    assert found["location:First"] == [False, False, True, False, False]
    assert found["group:z"] == [True, False, False, True, False]


def test_the_paper_keeps_contiguous_near_misses_only():
    types = ["EXACT", "MORPH", "INCLUDE", "PARTOF", "OVERLAP", "NONE"]
    assert subsets.paper_pairs(types).tolist() == [False, False, True, True, False, False]


def test_the_paper_merges_labels_and_hides_other_tags():
    labels = pd.DataFrame(
        {
            "location": ["First+Head", "Middle"],
            "complexity": ["PP+CC", "CC"],
            "pos": ["AdjN", "other"],
            "group": ["x", "y"],
        }
    )
    assert subsets.paper_labels(labels).to_numpy().tolist() == [["Head", "PP", "AdjN", "x"], ["Middle", "CC", "", "y"]]
    names = [subset.name for subset in subsets.subsets(2, labels=subsets.paper_labels(labels)[["pos"]])]
    assert names == ["all", "pos:AdjN"]


FRAME = pd.DataFrame(
    [
        ("human", "all", "average", 0.45, 10),
        ("R", "all", "average", 0.40, 10),
        ("human", "location:First", "average", 0.50, 4),
        ("R", "location:First", "average", 0.43, 4),
        ("human", "location:Head", "average", 0.30, 6),
        ("R", "location:Head", "average", 0.60, 6),
        ("R", "location:Middle", "average", np.nan, 2),
    ],
    columns=["measure", "subset", "average", "value", "n"],
)


def test_bold_where_a_cell_exceeds_its_own_or_the_human_value_over_all_pairs():
    assert subsets.exceeds_all(FRAME).tolist() == [False, False, True, True, False, True, False]
    assert subsets.exceeds_all(FRAME, human=True).tolist() == [False, False, True, False, False, True, False]


def test_the_pooled_value_stands_beside_the_weighted_mean_of_the_subsets():
    found = subsets.pooled_and_within(FRAME, "location").set_index("measure")
    assert found.loc["R", "within"] == pytest.approx((4 * 0.43 + 6 * 0.60) / 10)
    assert found.loc["R", ["pooled", "n", "undefined"]].tolist() == [0.40, 10, 1]
    assert found.loc["human", "within"] == pytest.approx((4 * 0.50 + 6 * 0.30) / 10)
    assert subsets.pooled_and_within(FRAME, "pos")["within"].isna().all()


def test_what_is_resampled():
    pairs = pd.DataFrame({"pair_id": ["1", "2"], "doc_id": ["d", "e"], "keyphrase": ["a", "a"]})
    assert human.sampling_unit(pairs) == ("documents", ["d", "e"])
    assert human.sampling_unit(pairs.assign(doc_id=["d", ""])) == ("keyphrases", ["a", "a"])
    assert human.sampling_unit(pairs[["pair_id"]]) == ("pairs", ["1", "2"])


def test_one_row_a_pair_in_the_order_of_the_matrix():
    table = pd.DataFrame(
        {"pair_id": ["q", "p", "q"], "candidate": ["x", "y", "x"], "annotator": ["a", "a", "b"], "score": [1.0, 2, 3]}
    )
    assert human.pair_table(table).to_numpy().tolist() == [["q", "x"], ["p", "y"]]
    assert human.score_matrix(table).pairs == ("q", "p")


@pytest.mark.parametrize("seed", range(4))
def test_threshold_against_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 5, 50).astype(float)
    similarity = np.round(people / 5 + rng.normal(size=50) * 0.3, 1)
    found = threshold(similarity, people)
    accepted = people >= 3
    false, true, values = roc_curve(accepted, similarity, drop_intermediate=False)
    assert found.thresholds.tolist() == values[1:].tolist()
    np.testing.assert_allclose(found.true_positives, true[1:], atol=1e-12)
    np.testing.assert_allclose(found.false_positives, false[1:], atol=1e-12)
    assert found.auc == pytest.approx(roc_auc_score(accepted, similarity), abs=1e-12)
    kappas = [cohen_kappa_score(accepted, similarity >= value) for value in values[1:]]
    np.testing.assert_allclose(found.kappa, kappas, atol=1e-12)
    assert found.best_kappa == pytest.approx(max(kappas), abs=1e-12)
    assert found.tau == values[1:][int(np.round(kappas, 12).argmax())]
    assert (found.accepted, found.pairs) == (accepted.sum(), 50)


def test_a_threshold_needs_accepted_and_other_pairs():
    found = threshold(np.array([0.2, 0.4, np.nan]), np.array([3.0, 4.0, 0.0]))
    assert np.isnan([found.auc, found.tau, found.best_kappa]).all()
    assert (found.accepted, found.pairs) == (2, 2)


def test_the_threshold_reaches_every_value_of_its_group():
    noisy = np.array([0.1 + 0.2, 0.3, 0.1, 0.05])
    found = threshold(noisy, np.array([4.0, 4, 0, 0]))
    assert found.tau == min(noisy[:2])
    assert found.best_kappa == 1
