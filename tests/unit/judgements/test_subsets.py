"""Subsets by length and label, the paper's grouping, and the guard against pooling."""

import numpy as np
import pandas as pd
import pytest

from kp_core.studies.correlation import human
from kp_core.studies.correlation import subtypes as subsets


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
