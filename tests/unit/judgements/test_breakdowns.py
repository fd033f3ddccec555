"""Subsets by length and label, the paper's grouping, and the guard against pooling."""

import numpy as np
import pandas as pd
import pytest

from kp_core.studies.correlation import breakdowns


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


def test_pooled_value_beside_weighted_mean_of_subsets():
    result = breakdowns.pooled_and_within(FRAME, "location").set_index("measure")
    assert result.loc["R", "within"] == pytest.approx((4 * 0.43 + 6 * 0.60) / 10)
    assert result.loc["R", ["pooled", "n", "undefined"]].tolist() == [0.40, 10, 1]
    assert result.loc["human", "within"] == pytest.approx((4 * 0.50 + 6 * 0.30) / 10)
    assert breakdowns.pooled_and_within(FRAME, "pos")["within"].isna().all()
