"""Correlations where there is little to correlate, and what the resamples make of them."""

import numpy as np
import pytest

from kp_core.errors import REASONS, UsageError
from kp_core.studies.correlation import coefficients as correlation
from kp_core.studies.correlation import raters as agreement
from kp_core.studies.correlation import tie_accuracy
from kp_core.studies.correlation.weighted import KERNELS, kernel

NAN = float("nan")


@pytest.mark.parametrize("name", KERNELS)
def test_undefined_values_say_why(name):
    measures = np.array([[1, 5, NAN], [2, 5, NAN], [3, 5, 1], [4, 5, 2]])
    value, pairs = correlation.correlations(measures, np.array([[1.0, 2.0], [2, 2], [4, 2], [3, 2]]), name)
    assert np.isnan(value).tolist() == [[False, True], [True, True], [True, True]]
    assert correlation.reasons(value, pairs) == [[None, "constant"], ["constant", "constant"], ["too_few", "too_few"]]
    assert pairs.tolist() == [[4, 4], [4, 4], [2, 2]]
    assert {"too_few", "constant"} <= set(REASONS)


@pytest.mark.parametrize("name", KERNELS)
def test_equal_columns_correlate_perfectly_and_opposite_ones_inversely(name):
    column = np.array([0.1, 0.4, 0.4, 0.9, 0.2])
    assert correlation.correlation(column, column, name) == pytest.approx(1, abs=1e-12)
    assert correlation.correlation(-column, column, name) == pytest.approx(-1, abs=1e-12)


def test_equal_fractions_tie_although_they_differ_in_the_last_bit():
    noisy = np.array([0.1 + 0.2, 0.3, 0.3, 0.5])
    clean = np.array([0.3, 0.3, 0.3, 0.5])
    people = np.array([1.0, 2, 3, 4])
    assert len(set(noisy)) > len(set(clean))
    for name in KERNELS:
        assert correlation.correlation(noisy, people, name) == correlation.correlation(clean, people, name)
    assert tie_accuracy.acc_eq(noisy, people) == tie_accuracy.acc_eq(clean, people) == 0.5


def test_a_resample_of_one_value_is_undefined_under_every_correlation():
    x = np.array([[0.1], [0.1], [0.3], [0.7]])
    y = np.array([[1.0], [2.0], [3.0], [3.0]])
    weights = np.array([[2.0, 2, 0, 0], [0, 0, 2, 2], [1, 0, 1, 0], [1, 1, 1, 1]]).T
    for name in KERNELS:
        assert np.isnan(kernel(name, x, y)(weights)[:, 0, 0]).tolist() == [True, True, True, False]


def test_unknown_correlations_are_named():
    with pytest.raises(UsageError, match="spearman, pearson, kendall"):
        kernel("gamma", np.ones((3, 1)), np.ones((3, 1)))
    with pytest.raises(UsageError, match="spearman, pearson, kendall"):
        correlation.closed_form(np.array([0.5]), np.array([10]), "gamma")


def test_closed_form_of_few_pairs_is_undefined():
    low, high = correlation.closed_form(np.array([0.5, 0.5]), np.array([3, 4]), "spearman")
    assert np.isnan([low[0], high[0]]).all()
    assert low[1] < 0.5 < high[1]
    assert np.isnan(correlation.closed_form(np.array([0.5]), np.array([4]), "kendall")).all()


def test_resamples_do_not_depend_on_the_size_of_a_block(monkeypatch):
    rng = np.random.default_rng(0)
    measures, people, cluster = rng.normal(size=(40, 2)), rng.integers(0, 5, (40, 1)) * 1.0, rng.integers(0, 9, 40)
    weights = rng.integers(0, 3, (30, 9)).astype(float)
    cells = [correlation.parts(measures, people, np.ones(40, bool)), correlation.parts(measures, people, cluster < 4)]
    values = [lambda rows, cell=cell: correlation.under_weights(cell, rows, (2, 1)) for cell in cells]
    whole = correlation.resampled(values, cluster, weights)
    assert [each.shape for each in whole] == [(30, 2, 1)] * 2
    monkeypatch.setitem(correlation.BLOCK_CELLS, "spearman", 1)
    for one, other in zip(whole, correlation.resampled(values, cluster, weights), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_share_of_the_ceiling_needs_people_who_agree():
    found = correlation.percent_of_ceiling(np.array([0.3, 0.3, 0.3]), np.array([0.6, 0.0, -0.2]))
    np.testing.assert_allclose(found, [50, NAN, NAN])


def test_partial_correlation_leaves_out_gaps_and_needs_variation():
    rng = np.random.default_rng(1)
    x, y, z = rng.normal(size=(3, 30))
    gap = np.append(x, NAN), np.append(y, 1), np.append(z, 1)[:, None]
    assert correlation.partial_spearman(*gap) == pytest.approx(
        correlation.partial_spearman(x, y, z[:, None]), abs=1e-12
    )
    assert np.isnan(correlation.partial_spearman(np.ones(30), y, z[:, None]))
    assert np.isnan(correlation.partial_spearman(x[:2], y[:2], z[:2, None]))


def test_leave_one_out_with_missing_scores_counts_the_pairs_of_each_annotator():
    scores = np.array([[1, 1, NAN], [2, 3, NAN], [3, 2, NAN], [4, 4, NAN], [NAN, NAN, 2], [1, 2, 2]])
    found = agreement.leave_one_out(scores)
    assert found.pairs.tolist() == [5, 5, 1]
    assert np.isnan(found.values[2])
    assert found.mean == pytest.approx(found.values[:2].mean(), abs=1e-12)


def test_one_annotator_has_nobody_to_agree_with():
    found = agreement.leave_one_out(np.array([[1.0], [2.0], [3.0]]))
    assert np.isnan(found.mean)
    assert found.pairs.tolist() == [0]


def test_agreement_without_variation_or_overlap_is_undefined():
    assert np.isnan(agreement.ordinal_alpha(np.full((4, 3), 2.0)))
    assert np.isnan(agreement.ordinal_alpha(np.array([[1.0, NAN], [NAN, 2.0]])))
    assert np.isnan(agreement.quadratic_kappa(np.array([1.0, 1]), np.array([1.0, 1])))
    assert np.isnan(agreement.quadratic_kappa(np.array([1.0, NAN]), np.array([NAN, 1])))


def test_pairwise_agreement_counts_equal_scores_over_common_pairs():
    from kp_core.studies.correlation.human import Scores

    scores = Scores(("p", "q", "r"), ("a", "b", "c"), np.array([[1, 1, NAN], [2, 3, 2], [0, 0, NAN]]))
    found = agreement.pairwise_agreement(scores)
    assert found[["a", "b", "n"]].to_numpy().tolist() == [["a", "b", 3], ["a", "c", 1], ["b", "c", 1]]
    assert found["equal"].tolist() == pytest.approx([2 / 3, 1, 0])
    # (0 + 1 + 0) / 3 against the mean of (x - y)² over nine combinations: 1 - (1/3) / (21/9)
    assert found["kappa"][0] == pytest.approx(1 - (1 / 3) / (21 / 9))


def test_accuracy_is_read_on_other_documents_than_epsilon():
    rng = np.random.default_rng(2)
    measure, people, cluster = rng.normal(size=80), rng.integers(0, 3, 80) * 1.0, np.repeat(np.arange(8), 10)
    found = tie_accuracy.split_acc_eq(measure, people, cluster, np.random.default_rng(5))
    units = np.random.default_rng(5).permutation(8)
    held = np.isin(cluster, units[:4])
    epsilon = tie_accuracy.calibrated_acc_eq(measure[~held], people[~held]).epsilon
    assert found == tie_accuracy.Calibrated(tie_accuracy.acc_eq(measure[held], people[held], epsilon), epsilon)
    assert found.accuracy <= tie_accuracy.calibrated_acc_eq(measure[held], people[held]).accuracy


def test_accuracy_of_fewer_than_two_items_is_undefined():
    assert np.isnan(tie_accuracy.acc_eq(np.array([1.0]), np.array([1.0])))
    assert np.isnan(tie_accuracy.calibrated_acc_eq(np.array([1.0, NAN]), np.array([1.0, 2])).accuracy)


def test_calibration_of_more_pairs_than_fit_is_refused_and_plain_accuracy_is_not(monkeypatch):
    monkeypatch.setattr(tie_accuracy, "LARGEST", 3)
    with pytest.raises(UsageError, match="4 are more than 3"):
        tie_accuracy.calibrated_acc_eq(np.arange(4.0), np.arange(4.0))
    assert tie_accuracy.acc_eq(np.arange(4.0), np.arange(4.0)) == 1


def test_exact_agreement_of_three_needs_all_three():
    scores = np.array([[1, 1, 1, 2], [2, 2, 2, 2], [0, 1, NAN, 0]])
    # groups of three on the first two pairs: 1 of 4 and 4 of 4; on the third pair one group is complete, not equal
    assert agreement.exact_agreement(scores, 3) == pytest.approx(5 / 9)
    assert np.isnan(agreement.exact_agreement(scores[:, :1], 2))
