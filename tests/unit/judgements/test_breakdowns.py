"""Subsets by length and label, the paper's grouping, and the guard against pooling."""

import numpy as np
import pandas as pd
import pytest

from kp_core.studies.correlation import breakdowns


def test_labels_stand_in_the_order_of_the_field_and_gaps_are_in_no_subset():
    places = ["Head", "First+Head", "First", "", None]
    labels = pd.DataFrame({"location": places, "group": list("zaaza")}, index=[9, 8, 7, 6, 5])
    found = breakdowns.subsets(np.full(5, 4), labels)
    ordered = "all L<=4 L<=3 location:First location:Head location:First+Head group:a group:z"
    assert list(found) == ordered.split()
    assert found["location:First"].tolist() == [False, False, True, False, False]
    assert found["group:z"].tolist() == [True, False, False, True, False]


def test_the_paper_merges_labels_and_hides_other_tags():
    rows = [("First+Head", "PP+CC", "AdjN", "x"), ("Middle", "CC", "other", "y")]
    labels = breakdowns.paper_labels(pd.DataFrame(rows, columns=["location", "complexity", "pos", "group"]))
    assert labels.to_numpy().tolist() == [["Head", "PP", "AdjN", "x"], ["Middle", "CC", "", "y"]]
    assert list(breakdowns.subsets(np.ones(2), labels[["pos"]])) == ["all", "L<=4", "L<=3", "pos:AdjN"]


ROWS = [
    *(("human", "all", 0.45, 10), ("R", "all", 0.40, 10)),
    *(("human", "location:First", 0.50, 4), ("R", "location:First", 0.43, 4)),
    *(("human", "location:Head", 0.30, 6), ("R", "location:Head", 0.60, 6), ("R", "location:Middle", np.nan, 2)),
]
FRAME = pd.DataFrame(ROWS, columns=["measure", "subset", "value", "n"]).assign(average="average")


def test_bold_where_a_cell_exceeds_its_own_value_over_all_pairs():
    assert breakdowns.exceeds_all(FRAME).tolist() == [False, False, True, True, False, True, False]


def test_the_pooled_value_stands_beside_the_weighted_mean_of_the_subsets():
    found = breakdowns.pooled_and_within(FRAME, "location").set_index("measure")
    assert found.loc["R", "within"] == pytest.approx((4 * 0.43 + 6 * 0.60) / 10)
    assert found.loc["R", ["pooled", "n", "undefined"]].tolist() == [0.40, 10, 1]
    assert found.loc["human", "within"] == pytest.approx((4 * 0.50 + 6 * 0.30) / 10)
    assert breakdowns.pooled_and_within(FRAME, "pos")["within"].isna().all()
