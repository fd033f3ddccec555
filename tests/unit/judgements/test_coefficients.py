"""Correlations where there is little to correlate, subsets by length and label, and pooled values beside them."""

import numpy as np
import pandas as pd
import pytest

from kp_core.errors import REASONS
from kp_core.studies.correlation import breakdowns, coefficients
from kp_core.studies.correlation.coefficients import KERNELS
from kp_core.studies.correlation.human import ordinal_alpha, pairwise_agreement, quadratic_kappa

NAN = float("nan")


@pytest.mark.parametrize("name", KERNELS)
def test_undefined_values_have_reasons(name):
    measures = np.array([[1, 5, NAN], [2, 5, NAN], [3, 5, 1], [4, 5, 2]])
    people = np.array([[1.0, 2.0], [2, 2], [4, 2], [3, 2]])
    value, pairs = coefficients.correlations(measures, people, name), coefficients.Correlator(measures, people).pairs
    assert np.isnan(value).tolist() == [[False, True], [True, True], [True, True]]
    reasons = coefficients.reasons(value, pairs).tolist()
    assert reasons == [[None, "constant"], ["constant", "constant"], ["too_few", "too_few"]]
    assert pairs.tolist() == [[4, 4], [4, 4], [2, 2]]
    assert {"too_few", "constant"} <= set(REASONS)


def test_partial_correlation_leaves_out_gaps_and_needs_variation():
    rng = np.random.default_rng(1)
    x, y, z = rng.normal(size=(3, 30))
    gap = np.append(x, NAN), np.append(y, 1), np.append(z, 1)[:, None]
    whole = coefficients.partial_spearman(x, y, z[:, None])
    assert coefficients.partial_spearman(*gap) == pytest.approx(whole, abs=1e-12)
    assert np.isnan(coefficients.partial_spearman(np.ones(30), y, z[:, None]))
    assert np.isnan(coefficients.partial_spearman(x[:2], y[:2], z[:2, None]))


def test_agreement_without_variation_or_overlap_is_undefined():
    assert np.isnan(ordinal_alpha(np.full((4, 3), 2.0)))
    assert np.isnan(ordinal_alpha(np.array([[1.0, NAN], [NAN, 2.0]])))
    assert np.isnan(quadratic_kappa(np.array([1.0, 1]), np.array([1.0, 1])))
    assert np.isnan(quadratic_kappa(np.array([1.0, NAN]), np.array([NAN, 1])))


def test_pairwise_agreement_counts_equal_scores_over_common_pairs():
    scores = pd.DataFrame([[1, 1, NAN], [2, 3, 2], [0, 0, NAN]], columns=["a", "b", "c"])
    result = pairwise_agreement(scores)
    assert result[["a", "b", "n"]].to_numpy().tolist() == [["a", "b", 3], ["a", "c", 1], ["b", "c", 1]]
    assert result["equal"].tolist() == pytest.approx([2 / 3, 1, 0])
    # (0 + 1 + 0) / 3 against the mean of (x - y)² over nine combinations: 1 - (1/3) / (21/9)
    assert result["kappa"][0] == pytest.approx(1 - (1 / 3) / (21 / 9))


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
