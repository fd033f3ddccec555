"""Correlations and annotator agreement against SciPy, scikit-learn and krippendorff; weights against resampling."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from kp_core.studies.correlation import coefficients as correlation
from kp_core.studies.correlation import raters as agreement
from kp_core.studies.correlation import tie_accuracy, weighted

SCIPY = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}


def tied_sample(seed, pairs=60):
    """Three measures, from few values to all distinct ones, beside two human scores of few values."""
    rng = np.random.default_rng(seed)
    people = np.stack([rng.integers(0, 17, pairs) / 4, rng.integers(0, 5, pairs)], axis=1).astype(float)
    few, some = rng.integers(0, 4, pairs) / 3, rng.integers(0, 15, pairs) / 16  # binary fractions: equal is equal
    return np.stack([few, some + people[:, 0], rng.normal(size=pairs)], axis=1), people


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SCIPY)
def test_correlations_against_scipy(seed, name):
    measures, people = tied_sample(seed)
    value, pairs = correlation.correlations(measures, people, name)
    for m in range(3):
        for h in range(2):
            assert value[m, h] == pytest.approx(SCIPY[name](measures[:, m], people[:, h]).statistic, abs=1e-12)
    assert (pairs == 60).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SCIPY)
def test_integer_weights_are_the_resample_itself(seed, name):
    measures, people = tied_sample(seed)
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, (60, 25)).astype(float)
    found = weighted.kernel(name, measures, people)(weights)
    for b in range(25):
        rows = np.repeat(np.arange(60), weights[:, b].astype(int))
        for m in range(3):
            for h in range(2):
                expected = SCIPY[name](measures[rows, m], people[rows, h]).statistic
                assert found[b, m, h] == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=12), st.data())
def test_mid_ranks_under_weights_are_those_of_the_repeated_values(values, data):
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values))), float)
    x, y = np.array(values, float).T
    rows = np.repeat(np.arange(len(values)), weights.astype(int))
    found = weighted.kernel("spearman", x[:, None], y[:, None])(weights[:, None])[0, 0, 0]
    if len(rows) < 3 or len(set(x[rows])) == 1 or len(set(y[rows])) == 1:
        assert np.isnan(found)
    else:
        expected = np.corrcoef(stats.rankdata(x[rows]), stats.rankdata(y[rows]))[0, 1]
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SCIPY)
def test_gaps_leave_out_the_pairs_of_that_measure_only(name):
    measures, people = tied_sample(4)
    measures[:7, 1], people[50:, 1] = np.nan, np.nan
    value, pairs = correlation.correlations(measures, people, name)
    assert pairs.tolist() == [[60, 50], [53, 43], [60, 50]]
    assert value[1, 1] == pytest.approx(SCIPY[name](measures[7:50, 1], people[7:50, 1]).statistic, abs=1e-12)
    assert value[2, 0] == pytest.approx(SCIPY[name](measures[:, 2], people[:, 0]).statistic, abs=1e-12)


def test_tiny_values_of_unsmoothed_bleu_keep_their_order(shared):
    table = pd.read_csv(shared("oracles/similarity/generated_pairs_library_values.csv"), na_values=["error"])
    tiny, other = table["bleu4_none"].to_numpy(), table["lev_norm_sim"].to_numpy()
    assert (tiny < 1e-12).mean() > 0.9  # twelve decimals alone would make one value of them
    expected = stats.spearmanr(np.array([float(f"{value:.10e}") for value in tiny]), other.round(12)).statistic
    assert correlation.correlation(tiny, other) == pytest.approx(expected, abs=1e-12)
    flat = stats.spearmanr(tiny.round(12), other).statistic
    assert abs(expected - flat) > 0.4


def test_mid_ranks_against_scipy():
    values = np.random.default_rng(0).integers(0, 9, 50) / 7
    assert correlation.mid_ranks(values).tolist() == stats.rankdata(values).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_partial_spearman_of_one_control_by_its_formula(seed):
    measures, people = tied_sample(seed)
    x, y, z = measures[:, 1], people[:, 0], measures[:, 2]
    xy, xz, yz = (stats.spearmanr(a, b).statistic for a, b in ((x, y), (x, z), (y, z)))
    expected = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
    assert correlation.partial_spearman(x, y, z[:, None]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_ordinal_alpha_against_krippendorff(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, 30)
    scores = np.clip(truth[:, None] + rng.integers(-1, 2, (30, 4)), 0, 4).astype(float)
    scores[rng.random(scores.shape) < 0.25 * (seed % 3)] = np.nan
    expected = krippendorff.alpha(reliability_data=scores.T, level_of_measurement="ordinal", value_domain=range(5))
    assert agreement.ordinal_alpha(scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_quadratic_kappa_against_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    first = rng.choice([0, 1, 4], 40)  # without naming the labels, scikit-learn would number 0 1 4 as 0 1 2
    second = np.clip(first + rng.integers(-1, 2, 40), 0, 4)
    expected = cohen_kappa_score(first, second, weights="quadratic", labels=range(5))
    assert agreement.quadratic_kappa(first.astype(float), second.astype(float)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_tie_accuracy_by_counting_all_pairs_at_every_epsilon(seed):
    rng = np.random.default_rng(seed)
    measure, people = rng.integers(0, 9, 18) / 10, rng.integers(0, 3, 18).astype(float)

    def accuracy(epsilon):
        right = 0
        for i in range(18):
            for j in range(i):
                apart = round(measure[i] - measure[j], 12)
                tied = abs(apart) <= epsilon
                right += (people[i] == people[j]) if tied else apart * (people[i] - people[j]) > 0
        return right / 153

    epsilons = np.unique([0.0, *np.abs(np.subtract.outer(measure, measure)).round(12).ravel()])
    accuracies = [accuracy(epsilon) for epsilon in epsilons]
    best = tie_accuracy.calibrated_acc_eq(measure, people)
    assert best.accuracy == pytest.approx(max(accuracies), abs=1e-12)
    assert best.epsilon == epsilons[int(np.argmax(accuracies))]
    for epsilon, expected in zip(epsilons, accuracies, strict=True):
        assert tie_accuracy.acc_eq(measure, people, epsilon) == pytest.approx(expected, abs=1e-12)
