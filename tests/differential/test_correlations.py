"""Correlations and kappa of annotators against SciPy and scikit-learn; weights against resampling."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from kp_core.studies.correlation import coefficients
from kp_core.studies.correlation.human import quadratic_kappa

SCIPY = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}


def tied_sample(seed, pairs=60):
    """Three measures, with few to all distinct values, and two human scores with few values."""
    rng = np.random.default_rng(seed)
    people = np.stack([rng.integers(0, 17, pairs) / 4, rng.integers(0, 5, pairs)], axis=1).astype(float)
    few, some = rng.integers(0, 4, pairs) / 3, rng.integers(0, 15, pairs) / 16  # binary fractions: equal is equal
    return np.stack([few, some + people[:, 0], rng.normal(size=pairs)], axis=1), people


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SCIPY)
def test_integer_weights_are_the_resample_itself(seed, name):
    measures, people = tied_sample(seed)
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, (60, 25)).astype(float)
    result = coefficients.KERNELS[name](measures, people)(weights)
    for b in range(25):
        rows = np.repeat(np.arange(60), weights[:, b].astype(int))
        for m in range(3):
            for h in range(2):
                expected = SCIPY[name](measures[rows, m], people[rows, h]).statistic
                assert result[b, m, h] == pytest.approx(expected, abs=1e-12)


def test_tiny_values_of_unsmoothed_bleu_keep_their_order(shared):
    table = pd.read_csv(shared("oracles/similarity/generated_pairs_library_values.csv"), na_values=["error"])
    tiny, other = table["bleu4_none"].to_numpy(), table["lev_norm_sim"].to_numpy()
    assert (tiny < 1e-12).mean() > 0.9  # twelve decimals alone would make one value of them
    expected = stats.spearmanr(np.array([float(f"{value:.10e}") for value in tiny]), other.round(12)).statistic
    assert coefficients.correlation(tiny, other) == pytest.approx(expected, abs=1e-12)
    flat = stats.spearmanr(tiny.round(12), other).statistic
    assert abs(expected - flat) > 0.4


@pytest.mark.parametrize("seed", range(4))
def test_partial_spearman_of_one_control_by_its_formula(seed):
    measures, people = tied_sample(seed)
    x, y, z = measures[:, 1], people[:, 0], measures[:, 2]
    xy, xz, yz = (stats.spearmanr(a, b).statistic for a, b in ((x, y), (x, z), (y, z)))
    expected = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
    assert coefficients.partial_spearman(x, y, z[:, None]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_quadratic_kappa_against_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    first = rng.choice([0, 1, 4], 40)  # without naming the labels, scikit-learn would number 0 1 4 as 0 1 2
    second = np.clip(first + rng.integers(-1, 2, 40), 0, 4)
    expected = cohen_kappa_score(first, second, weights="quadratic", labels=range(5))
    assert quadratic_kappa(first.astype(float), second.astype(float)) == pytest.approx(expected, abs=1e-12)
