"""Tests between measures against enumeration of all swaps, published values, and simulations under the null."""

import json
from itertools import product

import numpy as np
import pytest
from scipy import stats

from kp_core.studies.correlation import estimates

SCIPY = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}


def sample(seed, pairs=9):
    """Two measures and human scores with ties inside and between the standardised measures."""
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 5, pairs).astype(float)
    first = people / 4 + rng.integers(0, 3, pairs)
    return np.stack([first, np.where(rng.random(pairs) < 0.4, first, rng.integers(0, 4, pairs))], axis=1), people


def permuted(measures, people, trials=2000, seed=0, name="spearman", unit=None):
    return estimates.permute_both(measures, people[:, None], np.array([[0, 1]]), trials, seed, name, unit).item()


def williams(measures, people, name="spearman"):
    """Return p of Williams' test of every two measures, of two as a number."""
    met = estimates.comparable_pairs(measures, people, name)
    p = estimates.williams(*met[["first", "second", "between", "n"]].to_numpy().T)[1]
    return p if len(p) > 1 else p.item()


def by_enumeration(measures, people, name, unit):
    """Return p and the number of all swaps, from SciPy's correlations of every mixture."""
    first, second = np.round(stats.zscore(measures, axis=0), 12).T
    differences = []
    for bits in product((False, True), repeat=unit.max() + 1):
        swapped = np.array(bits)[unit]
        mixed = np.where(swapped, second, first), np.where(swapped, first, second)
        differences.append(abs(SCIPY[name](mixed[0], people).statistic - SCIPY[name](mixed[1], people).statistic))
    return np.mean(np.array(differences) >= differences[0] - 1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SCIPY)
def test_few_pairs_are_enumerated(seed, name):
    measures, people = sample(seed)
    p = permuted(measures, people, name=name)
    assert p == pytest.approx(by_enumeration(measures, people, name, np.arange(9)), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_whole_documents_are_swapped(seed):
    measures, people = sample(seed, 24)
    unit = np.arange(24) // 4
    p = permuted(measures, people, unit=unit + 7)
    assert p == pytest.approx(by_enumeration(measures, people, "spearman", unit), abs=1e-12)


def test_measures_are_compared_on_commonly_defined_pairs():
    rng = np.random.default_rng(3)
    people = rng.integers(0, 5, 10).astype(float)
    measures = people[:, None] + rng.normal(size=(10, 4)) * [0.5, 1, 2, 4]
    measures[0, 1], measures[1, 1], measures[9, 3], people[5] = np.nan, np.nan, np.nan, np.nan
    met = estimates.comparable_pairs(measures, people)
    places = met[["a", "b"]].to_numpy().tolist()
    assert places == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    for part, n, p in zip(places, met["n"], williams(measures, people), strict=True):
        rows = ~np.isnan(measures[:, part]).any(axis=1) & ~np.isnan(people)
        alone = measures[rows][:, part], people[rows]
        assert n == rows.sum()
        assert p == pytest.approx(williams(*alone), abs=1e-12)
        # swaps are drawn for all ten pairs of phrases; those of undefined ones change nothing
        expected = by_enumeration(*alone, "spearman", np.arange(n))
        assert permuted(measures[:, part], people) == pytest.approx(expected, abs=1e-12)


def test_equal_measures_have_p_one_constants_none():
    rng = np.random.default_rng(4)
    first, people = rng.normal(size=40), rng.integers(0, 5, 40).astype(float)
    measures = np.stack([first, 3 * first + 1, np.full(40, 0.7), first * 1e-40], axis=1)
    assert estimates.comparable_pairs(measures, people)[["a", "b"]].to_numpy().tolist() == [[0, 1], [0, 3], [1, 3]]
    assert permuted(measures[:, :2], people, 200) == williams(measures[:, :2], people) == 1
    assert np.isnan(permuted(measures[:, [0, 3]], people, 200))  # nothing is left of it to twelve decimals


def test_williams_of_the_oracle_cases(shared):
    cases = json.loads(shared("oracles/similarity/correlation_cases.json").read_text("utf-8"))["cases"]
    assert len(cases) == 10
    for case in cases:
        measures = np.stack([case["m1"], case["m2"]], axis=1)
        for name in ("spearman", "pearson"):
            p = williams(measures, np.array(case["human"]), name)
            assert p == pytest.approx(case[f"williams_{name}_two-sided"], abs=1e-9)


def test_williams_ignores_direction_of_measure():
    rng = np.random.default_rng(6)
    people = rng.normal(size=50)
    measures = people[:, None] + rng.normal(size=(50, 2)) * [1, 2]
    expected = williams(measures, people)
    assert 0 < expected < 1
    assert williams(measures * [-1, 1], people) == pytest.approx(expected, abs=1e-12)
    # nearly opposite measures: with the sign of `between` left alone the determinant would be negative
    opposite = np.stack([measures[:, 0], -measures[:, 0] + rng.normal(size=50) / 9], axis=1)
    assert williams(opposite, people) == pytest.approx(williams(opposite * [1, -1], people), abs=1e-12)
